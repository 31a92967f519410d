/* request.h -- what a warp asks of memory at once: which lanes, at which addresses, how. */
#ifndef PTX_ANALYSIS_SIM_REQUEST_H
#define PTX_ANALYSIS_SIM_REQUEST_H

#include "analysis/sim/machine.h"

/* bytes: no model tells addresses apart that lie so far from each other */
enum { LINE_MASK = 127, PERIOD = 256 };

/* An address without the bits that tell its space. */
static inline uint64_t ptx_request_place(uint64_t address)
{
    return address & ~(UINT64_C(7) << 60);
}

static inline void ptx_count_doubt(Count *count, uint8_t doubt)
{
    if (doubt > count->doubt)
        count->doubt = doubt;
}

/* What the distance between lanes depends on. */
static inline void ptx_count_scales(Count *count, const Value *address)
{
    count->is_free |= ptx_value_is_free(address);
    count->rows_by |= address->rows_by;
    count->free_by |= address->free_by;
}

/* Sets kind and is_uncached of a request of this instruction. */
void ptx_request_classify(const FuncState *func_state, const Insn *insn, Request *r);

/* 8 x 8 ones: eight lanes give the addresses of the rows of each. */
uint8_t ptx_request_matrices(const Op *op);

/* Of a wmma fragment: elements from a row of the matrix to the next. */
uint64_t ptx_request_pitch(Machine *machine, Warp *warp, const Insn *insn);

/* A fragment of elements of 16 bits, 16 x 16, comes out of shared memory as ldmatrix.x4 does: eight
 * rows of 16 bytes four times. */
static inline bool ptx_request_is_halves(const Op *op)
{
    return op->operation == OP_WMMA_LOAD && ptx_type_info[op->type].bits == 16;
}

#endif
