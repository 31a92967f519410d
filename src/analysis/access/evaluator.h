/* evaluator.h -- the state of one evaluation (evaluate.h), and what its files ask of each other:
 *
 *   evaluate.c     a launch, or a part of it, within a budget
 *   tally.c        what was counted of the blocks that ran
 *   whole_grid.c   every block, run or stood for by proof
 *   sample.c       blocks and warps that stand for the others
 *   block_shape.c  other shapes of a block that is not known
 *   other_grid.c   runs of a launch that stand for those of another grid
 *   evaluated.c    what is known at the end: weights, certainties, functions that are called */
#ifndef PTX_ANALYSIS_ACCESS_EVALUATOR_H
#define PTX_ANALYSIS_ACCESS_EVALUATOR_H

#include "analysis/access/evaluate.h"
#include "analysis/sim/cost/footprint_watch.h"
#include "analysis/sim/cost/price.h"
#include "analysis/sim/sim.h"

/* Of a function that runs: per instruction. */
typedef struct AccessTally {
    const Func *func;
    Evaluated *insns;           /* their totals are set at the end */
    /* those of what has run so far; NULL: nothing was counted. Instructions that always run
     * together share one: SimFunc.plain */
    Count **totals;
    Arena *arena;               /* that they come from */
    double *first_ratio;        /* what an active lane moved in the first block that ran it; NaN */
    /* per access and Evaluation.shapes; there NULL: not known. NULL: none were tried */
    const Count **shaped;
} AccessTally;

struct AccessEvaluator {
    Machine *machine;
    SimShape shape;             /* of the launch */
    bool is_cut;                /* the budget did not do for some run */
    bool tries_shapes;          /* of what runs only requests are added up */
    FootprintWatch watch;       /* footprint NULL: nothing asks for it */
    TouchedSectors *touched;           /* the same */
    Price price;
    AccessTally *tallies;       /* of functions that ran, in the order of the machine */
    uint32_t tally_count, tally_capacity;
    Evaluation *out;
    Arena *arena;
    double blocks_stood_for;    /* by those that were run */
    double least_work, most_work;       /* instructions of a block that was run */
    double work[3];             /* of blocks: how many, their instructions, the squares of those */
    double busiest;             /* instructions of the block that executed most */
    float *block_works;         /* per block of the grid; NULL: they are too many */
    struct GridRuns *grids;     /* other_grid.c's: takes what runs; NULL */
};

/* tally.c */

/* NULL: what runs is not noted. */
Footprint *ptx_evaluator_footprint(const AccessEvaluator *e);
/* arena: of what is found of it. */
void ptx_evaluator_add_tally(AccessEvaluator *e, Arena *arena, const Func *func);

static inline const Count *ptx_tally_total(const AccessTally *tally, InsnId insn)
{
    return ptx_count_of(tally->totals, insn);
}

/* The instruction has a total that those before it do not share. */
static inline bool ptx_tally_is_own(const AccessTally *tally, InsnId insn)
{
    return tally->totals[insn] && (!insn || tally->totals[insn] != tally->totals[insn - 1]);
}

/* Some warps of a block, within the budget. */
void ptx_evaluator_run(AccessEvaluator *e, const uint32_t at[3], uint32_t first, uint32_t count);
/* From here on the budget does again, for so many steps more. */
void ptx_evaluator_allow(AccessEvaluator *e, uint64_t steps);
/* A whole block, that stands for so many. */
void ptx_evaluator_run_block(AccessEvaluator *e, const uint32_t ctaid[3], double weight);

/* Counts what ran since: of a block; of anything. How many instructions. is_rest: only of what was
 * not come to before. */
double ptx_evaluator_collect(AccessEvaluator *e, double weight);
double ptx_evaluator_collect_all(AccessEvaluator *e, double weight, bool is_rest);
void ptx_evaluator_forget(AccessEvaluator *e);
/* Some access, from block to block of those that have run. */
bool ptx_evaluator_access_differs(const AccessEvaluator *e);
/* Begins with totals anew; the same, and the tallies with those that were; puts these back, of the
 * first tallies. */
void ptx_evaluator_empty(AccessEvaluator *e);
AccessTally *ptx_evaluator_set_aside(AccessEvaluator *e);
void ptx_evaluator_put_back(AccessEvaluator *e, const AccessTally *aside, uint32_t tally_count);

/* whole_grid.c */

/* Every block. False: the budget does not do for that. */
bool ptx_evaluator_run_all(AccessEvaluator *e, uint64_t most_steps);
void ptx_evaluator_run_ends(AccessEvaluator *e, uint64_t most_steps);
/* Into block_works. */
uint32_t ptx_evaluator_block_index(const uint32_t grid[3], const uint32_t at[3]);

/* sample.c: all blocks where the budget does for them, else a sample; the first warp and the last
 * of a block, where it does not do for one. */
void ptx_evaluator_run_launch(AccessEvaluator *e, uint64_t most_steps);
void ptx_evaluator_run_warps(AccessEvaluator *e, uint64_t most_steps);
void ptx_evaluator_take_shortcuts(Machine *m);

/* evaluate.c: the grid is unknown. */
void ptx_evaluator_run_assumed(AccessEvaluator *e, uint64_t most_steps, bool is_quick);

/* False: there is nothing to be run. */
bool ptx_evaluator_set_up(AccessEvaluator *e, const KernelRun *run, const Gpu *gpu, Depth depth);
const Evaluation *ptx_evaluator_evaluate(AccessEvaluator *e, Arena *arena, uint64_t most_steps,
                                         Depth depth);

/* What DEPTH_FEW runs: a warp of each of two blocks, then a block. False: the grid is as small. */
enum { FEW_FIRST, FEW_LAST, FEW_MIDDLE, FEW_RUNS };
bool ptx_evaluator_is_few(const uint32_t grid[3]);
void ptx_evaluator_few_blocks(const uint32_t grid[3], uint32_t at[FEW_RUNS][3]);

/* other_grid.c: the next run of an evaluation. */
void ptx_grid_runs_take(AccessEvaluator *e, const uint32_t at[3], uint32_t first, uint32_t count);

/* block_shape.c */
bool ptx_evaluator_takes_any_shape(const AccessEvaluator *e);
void ptx_evaluator_try_shapes(AccessEvaluator *e, uint64_t most_steps, bool is_quick);
void ptx_evaluator_finish_shapes(Arena *arena, const AccessEvaluator *e, const AccessTally *tally);
/* What an active lane moves. */
double ptx_evaluator_ratio(const Count *count);

/* evaluated.c */
void ptx_evaluator_finish(Arena *arena, AccessEvaluator *e);
Traffics ptx_evaluator_sum_footprint(AccessEvaluator *e, Arena *arena, Depth depth);
void ptx_evaluator_list_assumed(Arena *arena, const AccessEvaluator *e);

#endif
