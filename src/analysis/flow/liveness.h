/* liveness.h -- liveness of registers, pressure, dead writes.
 *
 * Live sets as live_out.h has them. A definition under a guard ends a live range only where the
 * uses behind it in its block have the same guard, or together with one under the complement. A
 * register that no definition can have reached is not live.
 *
 * Pressure counts 32-bit registers: a 64-bit value is two, an 8- or 16-bit one a whole one (ptxas
 * packs halves only for the packed types), a predicate none: predicates have a file of their own.
 * At an instruction it is what is live before it, or after it with what it writes, whichever is
 * more. */
#ifndef PTX_ANALYSIS_FLOW_LIVENESS_H
#define PTX_ANALYSIS_FLOW_LIVENESS_H

#include "analysis/flow/types.h"
#include "support/arena.h"

typedef struct DiagSink DiagSink;

typedef struct Live {
    const uint32_t *out_first;  /* per block and one more: into out */
    const RegId *out;           /* live at the end of the block, ascending */
    const uint16_t *pressure;   /* per instruction, saturated; 0 in unreachable blocks */
    /* instructions whose results no path reads and that do nothing else; ascending */
    const InsnId *dead;
    const RegId *max_regs;      /* live at max_insn, ascending; predicates included */
    uint32_t dead_count, max_reg_count;
    /* the first where the pressure is max_pressure; NO_ID without instructions */
    InsnId max_insn;
    uint32_t max_pressure;
    uint32_t max_predicates;    /* anywhere */
    uint32_t max_64, max_16;    /* at max_insn: 64-bit values, 8- and 16-bit values */
} Live;

/* NULL where LIMIT_LIVE_ENTRIES is reached, which is diagnosed. Owned by arena; scratch is left as
 * found. */
const Live *ptx_live_compute(Arena *arena, Arena *scratch, DiagSink *diags, const Func *func,
                             const Cfg *cfg);

/* Of Live.pressure at an instruction, by kind of register, where it is the most; 0 in unreachable
 * blocks. */
typedef struct LiveClasses {
    uint16_t registers;         /* as Live.pressure */
    uint16_t wide;              /* 64-bit values, of which each is two of these */
    uint16_t predicates;        /* beside these, where they are most */
} LiveClasses;

/* Per instruction. Owned by arena; scratch, another arena, is left as found. */
const LiveClasses *ptx_live_classes_compute(Arena *arena, Arena *scratch, const Func *func,
                                            const Cfg *cfg, const Live *live);

#endif
