/* lane_condition.h -- the conditions of branches, evaluated lane by lane for must_diverge.c. */
#ifndef PTX_ANALYSIS_VALUE_LANE_CONDITION_H
#define PTX_ANALYSIS_VALUE_LANE_CONDITION_H

#include "analysis/flow/cfg.h"
#include "analysis/value/ssa.h"
#include "analysis/value/symbolic.h"

enum {
    LANES = 32,
    CONDITION_NODES_MAX = 256
};

/* A block with several ways on. */
typedef struct Branch {
    SymId guard;                /* 0: not a guard, as of brx.idx */
    bool varies;                /* not proven the same in all lanes */
    bool is_together;           /* though, in every warp of the block all lanes go one way */
    bool hides;                 /* of the lanes that come behind it nothing is known */
    /* per warp: lanes that certainly do not, and do, take it; NULL: none */
    uint32_t *never, *always;
    uint64_t spent;             /* evaluations, to find that */
} Branch;

typedef struct DivergeWalk {
    Arena *scratch;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    Ssa *reach;
    Symbols *s;
    Branch *branches;           /* per block */
    uint32_t guarded;           /* so many blocks, in reverse postorder, have their guards */
    Interval *ranges;           /* per node, while a lane is evaluated */
    uint32_t range_count;       /* nodes that there is room for */
    uint32_t *arrive;           /* per block and warp: lanes that may come */
    uint32_t shape[3];          /* of a block of threads; x only: lanes of the one warp */
    uint32_t warp_count;
    bool has_shape;             /* the warps are all of those of a block */
    bool is_assumed;            /* the shape is not known */
    bool has_tid;               /* lanes are known by %tid */
    uint64_t work;              /* left; 0: the function stays in doubt */
    uint64_t evaluations;       /* left; 0: further conditions do */
} DivergeWalk;

/* All nodes of a condition, operands before what uses them. */
typedef struct LaneProgram {
    SymId ids[CONDITION_NODES_MAX];
    bool varies[CONDITION_NODES_MAX];    /* it depends on the lane */
    uint32_t count;
    bool has_lane;              /* %tid, %laneid */
    bool has_input;             /* a parameter, or memory: anything that a program may be given */
    bool has_ctaid;
} LaneProgram;

/* False: nothing is left. */
static inline bool ptx_diverge_spend(uint64_t *left, uint64_t count)
{
    *left = *left > count ? *left - count : 0;
    return *left != 0;
}

static inline bool ptx_diverge_is_choice(const DivergeWalk *sp, BlockId block)
{
    return sp->cfg->blocks[block].succ_count > 1;
}

/* Room for a range of each node that there is. */
void ptx_diverge_reserve(DivergeWalk *sp);

/* Lanes that a warp has: threads are numbered x first. */
uint32_t ptx_lanes_of_warp(const DivergeWalk *sp, uint32_t warp);

/* False: it has too many nodes. */
bool ptx_lane_program_make(DivergeWalk *sp, SymId root, LaneProgram *p);

/* Fills the masks of one warp; false: the budget is spent. is_first: of the first block. */
bool ptx_lane_program_run(DivergeWalk *sp, const LaneProgram *p, uint32_t warp, bool is_first,
                          uint32_t *never, uint32_t *always);

/* What each branch does with the lanes of each warp. */
void ptx_lane_branches_run(DivergeWalk *sp);

#endif
