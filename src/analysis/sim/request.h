/* request.h -- what one request of a warp costs by the rules of traffic.h, where what lies there is known only in part, and its pattern. */
#ifndef PTXLINT_WARP_REQUEST_H
#define PTXLINT_WARP_REQUEST_H

#include "analysis/sim/machine.h"

enum { LINE_MASK = 127, PERIOD = 256 };       /* bytes: no model tells addresses apart that lie so far from each other */

typedef double TrafficFn(const Gpu *gpu, const Request *request);
typedef double IdealFn(const Gpu *gpu, const Request *request, double real);

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

/* The figure for an address whose unknown addend is a multiple of 2^align; false: it depends on that addend. */
bool ptx_request_figure(const Machine *m, Request *r, const Value *address, unsigned granule, TrafficFn *traffic, double *out);

/* One side of an access: adds its figures, and notes what is in doubt of its address. *place keeps what the last request came to. */
void ptx_request_count(Machine *m, Traffic **place, Count *count, Request *r, const Value *address, unsigned granule, TrafficFn *traffic, IdealFn *ideal,
                       double *figure, double *ideal_figure);

#endif
