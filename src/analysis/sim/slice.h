/* slice.h -- which instructions a run has to evaluate: those that an address, a guard or a branch
 * rests on.
 *
 * A backward slice over registers, without regard to control flow: an instruction is in it when
 * something in it reads what it writes. What is loaded brings in what is stored to the same space,
 * but for global memory, whose contents are not followed. Linear in the function. */
#ifndef PTX_ANALYSIS_SIM_SLICE_H
#define PTX_ANALYSIS_SIM_SLICE_H

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct Slice {
    const bool *is_needed;      /* per instruction */
    /* per instruction: so many from here on, in its block, do nothing that must be run; 0: it must
     * */
    const uint16_t *plain;
    /* per register, and of the condition code behind them: which one of a frame's it is; 0: no run
     * writes it */
    const uint32_t *places;
    uint32_t place_count;       /* the first included */
    /* places from here on are of registers that are written and read within one basic block, which
     * take turns in them: behind it they hold anything */
    uint32_t first_shared;
    bool is_apart;              /* nothing in it depends on what other warps do */
} Slice;

static inline bool ptx_slice_shares_places(const Slice *slice)
{
    return slice->first_shared < slice->place_count;
}

/* What lies between a branch and where its sides meet, on either side. */
typedef struct SliceRegion {
    const RegId *regs;          /* that are written there */
    /* instructions there that access memory; where something leaves, those behind it too */
    const InsnId *accesses;
    const uint32_t *places;     /* the different ones of those registers; the machine's */
    uint32_t reg_count, access_count, block_count, place_count;
    bool leaves;                /* something there ends the function */
    bool stores_private;        /* to local memory */
    bool stores_shared;         /* or may: in calls too */
} SliceRegion;

/* Room to look for the regions of a function. */
typedef struct RegionFinder {
    const Func *func;
    const Cfg *cfg;
    uint32_t *reg_turn, *block_turn;    /* when they were last come to */
    RegId *regs;
    BlockId *queue;
    uint32_t turn;
} RegionFinder;

RegionFinder ptx_region_finder(Arena *arena, const Func *func, const Cfg *cfg);

/* meeting: block where the sides meet; EXIT_BLOCK: nowhere. Owned by arena. */
SliceRegion *ptx_region_compute(Arena *arena, RegionFinder *finder, BlockId branch,
                                BlockId reconvergence);

/* Per block its post-dominator as if no lane left early. Owned by arena, or dom's. */
const BlockId *ptx_reconvergence_compute(Arena *arena, Arena *scratch, const Func *func,
                                         const Cfg *cfg, const Dom *dom);

typedef struct SliceWish {
    const Defs *defs;           /* of the function; NULL: found once more */
    bool has_contents;          /* what is stored to global memory is needed too */
    /* of the function: outside of them registers may share places, as what is not read any more is
     * not asked for either; NULL: it may be */
    const Loops *sharing;
} SliceWish;

/* Owned by arena; scratch is left as found. */
Slice ptx_slice_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg,
                        SliceWish wish);

#endif
