/* leading_loads.h -- of each access, the loads of global memory that its address is made of.
 *
 * A backward walk over registers, without regard to control flow. An address that is loaded anew
 * at another place leads somewhere else; one that is loaded where it was, or once, does not. */
#ifndef PTX_ANALYSIS_SIM_COST_LEADING_LOADS_H
#define PTX_ANALYSIS_SIM_COST_LEADING_LOADS_H

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_LEADING_LOADS = 4, MAX_LEADING_REGS = 64, MAX_LEADING_WARPS = 32 };

typedef struct LeadingLoads {
    InsnId loads[MAX_LEADING_LOADS];
    uint8_t count;              /* 0: none, or not all of them are known */
} LeadingLoads;

typedef struct LeadingTable {   /* of a function */
    const Func *func;
    LeadingLoads *of;           /* per instruction */
    /* per instruction that leads: by which place each warp loaded last, as a hash; 0: it did not.
     * NULL: it leads nothing */
    uint32_t **places;
} LeadingTable;

LeadingTable *ptx_leading_loads_compute(Arena *arena, const Func *func, const Cfg *cfg,
                                        const Loops *loops);

/* What leads the instruction now, as a hash; 0: this is not known. */
uint32_t ptx_leading_identity(const LeadingTable *table, InsnId insn, uint32_t warp);

/* A load, at a place: it may lead others. */
void ptx_leading_note(LeadingTable *table, InsnId insn, uint32_t warp, uint64_t place);

#endif
