/* block_liveness.h -- which values of a lowered function are live at the end of each block.
 *
 * By path exploration from uses to definitions, by variable, as in liveness.h: time and memory are
 * proportional to the sets. A definition under a predicate ends a live range only where it is the
 * value's first. */
#ifndef PTX_ANALYSIS_REGISTERS_BLOCK_LIVENESS_H
#define PTX_ANALYSIS_REGISTERS_BLOCK_LIVENESS_H

#include "analysis/sass/sass.h"

typedef struct Arena Arena;

typedef struct LoweredLive {
    const uint32_t *first;      /* per block and one more: into out */
    const LoweredValueId *out;
} LoweredLive;

/* NULL where the sets are larger than any real kernel's. Owned by arena. */
const LoweredLive *ptx_lowered_live_compute(Arena *arena, const Lowered *lowered, const Cfg *cfg);

static inline const LoweredValueId *ptx_lowered_defs(const Lowered *lowered,
                                                     const LoweredInsn *insn)
{
    return lowered->operands + insn->operand_first;
}

static inline const LoweredValueId *ptx_lowered_uses(const Lowered *lowered,
                                                     const LoweredInsn *insn)
{
    return lowered->operands + insn->operand_first + insn->def_count;
}

#endif
