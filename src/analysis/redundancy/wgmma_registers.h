/* wgmma_registers.h -- registers of warpgroup multiplications, and of loads from tensor memory,
 * that are touched while the tensor core may still use them.
 *
 * wgmma.mma_async reads and writes its registers after the instruction is done. Two rules of PTX
 * ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", follow from that: an
 * access by the thread's own instructions stands behind a wgmma.wait_group that waits for the group
 * of the multiplication, and between such an access and the next wgmma.mma_async with these
 * registers stands a wgmma.fence; one stands before the first of all. Here both are a forward data
 * flow over the registers of multiplications: how many groups were committed since the youngest
 * that may be in flight, and what wrote them since the last fence.
 *
 * The registers that tcgen05.ld of sm_100 loads are followed in the same way up to the next
 * tcgen05.wait::ld: PTX ISA, "Tensor Core 5th Generation Family Instructions: tcgen05.wait".
 *
 * A mov copies a state along with its value and is no access: compilers write them for the
 * assembler to remove. So is a constant that one writes behind a fence. A call may wait, and
 * fence. */
#ifndef PTX_ANALYSIS_REDUNDANCY_WGMMA_REGISTERS_H
#define PTX_ANALYSIS_REDUNDANCY_WGMMA_REGISTERS_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef enum MatrixFaultKind {
    MATRIX_FAULT_NONE,
    MATRIX_READ,                /* of an accumulator in flight */
    MATRIX_WRITTEN,             /* the same, or registers of A in flight */
    MATRIX_NO_FENCE,            /* wgmma.mma_async without any wgmma.fence before it */
    MATRIX_STALE_FENCE,         /* its registers were written behind the last one */
    MATRIX_LOADED,              /* read before a tcgen05.wait::ld: tcgen05.ld may write it yet */
} MatrixFaultKind;

typedef struct MatrixFault {    /* of an instruction */
    InsnId insn;
    /* the wgmma.mma_async that is in flight; of MATRIX_STALE_FENCE: what wrote; NO_ID */
    InsnId with;
    RegId reg;                  /* NO_ID: none */
    uint8_t kind;               /* MatrixFaultKind */
    /* groups that were committed behind that of `with`: wgmma.wait_group for as many waits for it
     * */
    uint8_t newer;
    bool is_committed;          /* `with` is in a group */
    bool is_on_all_paths;
} MatrixFault;

typedef struct MatrixFaults {
    const MatrixFault *items;   /* one for an instruction at most, ascending */
    uint32_t count;
} MatrixFaults;

/* NULL where a function has more registers and blocks than are looked at. Owned by arena; scratch,
 * another arena, is left as found. */
const MatrixFaults *ptx_matrix_faults_compute(Arena *arena, Arena *scratch, const Func *func,
                                              const Cfg *cfg);

/* NULL: none. */
const MatrixFault *ptx_matrix_fault_at(const MatrixFaults *faults, InsnId insn);

#endif
