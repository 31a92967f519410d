/* evaluate.h -- what a launch of a kernel does to memory: sectors and wavefronts of every access,
 * and how often each instruction runs.
 *
 * Blocks are run on a machine.h. A run of one stands for all for which it is proved to be the same
 * (block_stride.h). Where the budget does not do for as many runs as the grid takes, a sample
 * stands for them: the blocks at the edges of the grid, of which each corner, edge and face is a
 * class of its own, and blocks drawn at random from inside, each weighted by how many it stands
 * for; or, where values of the blocks decide how much they do, blocks chosen by these (strata.h). A
 * figure is exact when every block was stood for by proof and nothing that it rests on is in doubt:
 * a sample proves nothing about the others, however alike its blocks are. */
#ifndef PTX_ANALYSIS_ACCESS_EVALUATE_H
#define PTX_ANALYSIS_ACCESS_EVALUATE_H

#include "ir/types.h"
#include "analysis/access/kernel_run.h"
#include "analysis/sim/count.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/cost/touched.h"

typedef struct AssumedParam AssumedParam;
typedef struct Gpu Gpu;
typedef struct GuessedTrips GuessedTrips;
typedef struct Launch Launch;
typedef struct SimProgram SimProgram;

enum { MAX_SHAPES = 4, MAX_BLOCK_WORKS = 1 << 16 };

/* What runs as a rule: without sides of branches that hardly a lane takes. */
static inline double ptx_probable_warps(const Evaluated *insn)
{
    return insn->share > 0 ? insn->total->warps : 0;
}

static inline double ptx_probable_lanes(const Evaluated *insn)
{
    return (double)insn->share * insn->total->lanes;
}

/* Of an access, how many there are once ptxas has joined it with its neighbours. */
static inline double ptx_joined_share(const Evaluated *insn)
{
    const Count *total = insn->total;
    return total->requests > 0 ? 1 - total->spared_requests / total->requests : 1;
}

typedef struct CalledAccess {   /* in a function that the kernel calls: the sum over all calls */
    FuncId func;
    InsnId insn;
    Evaluated figures;
} CalledAccess;

typedef struct CalledCount { double warps, lanes; } CalledCount;

/* that the kernel calls: how often its instructions run, over all calls */
typedef struct CalledFunc {
    FuncId func;
    const CalledCount *insns;
} CalledFunc;

typedef struct Evaluation {
    const Evaluated *insns;     /* of the kernel's own function */
    /* those reached, a function after the other in the order in which they were first called */
    const CalledAccess *called;
    const CalledFunc *funcs;    /* called ones that were come to */
    uint32_t called_count, func_count;
    Traffics traffics;          /* of the launch, where the grid is known; not with DEPTH_QUICK */
    uint32_t grid[3];
    /* of the block, where it is unknown and the kernel asks for more than %tid.x; the figures are
     * those of the first */
    uint32_t shapes[MAX_SHAPES][3];
    uint32_t shape_count;
    double blocks;              /* of the grid */
    /* instructions of the block that an instruction is in, on average, over those of a block: 1
     * where all have as many */
    double unevenness;
    /* instructions of warps: of the block that executed most of those that were run, and of a block
     * on average; with DEPTH_QUICK of a warp */
    double busiest, mean_work;
    /* of every block, in the order in which blocks start; NULL: they are too many, all do as much,
     * or a sample does not show it */
    const float *block_works;
    uint32_t blocks_run;
    uint64_t steps;             /* that were run for it */
    double few_read_bytes;      /* with DEPTH_FEW, by its blocks; else NaN */
    /* what was run stands for every block of the grid; else it is a sample */
    bool is_whole;
    bool is_cut;                /* the budget did not do for what was begun */
    bool has_left_early;        /* loops, so that it did: SimConfig.is_brief */
    /* it did not do for a block either, or with DEPTH_QUICK of an unknown grid: two warps stand for
     * all, and say nothing of how warps differ */
    bool is_by_warps;
    /* nor for a warp: how often loops run is not known, nor what comes behind them */
    bool is_part;
    bool block_is_assumed, grid_is_assumed;
    bool dynamic_is_assumed, shape_is_read;     /* machine.h's */
    const AssumedParam *assumed;    /* pointers are none: their alignment is all that counts */
    uint32_t assumed_count;
    const GuessedTrips *guessed;
    uint32_t guessed_count;
    /* something was loaded from a variable that begins with numbers: the host may have written
     * others */
    bool initial_is_assumed;
    bool warpid_is_assumed;     /* %warpid was taken for the warp's place in the block */
    /* the kernel asks for %tid.x alone: whatever the block, its threads are taken as one row */
    bool is_row;
    bool has_shapes_left;       /* ptx_evaluate_row's: others are still to be run */
} Evaluation;

enum {
    EVALUATE_STEPS_REPORT = 2 << 20,    /* instructions of warps for a kernel in a report */
    EVALUATE_STEPS_ASSUMED = 1 << 16,   /* where the grid is unknown, whatever it is for */
    EVALUATE_STEPS_FLOOR = 1 << 12,     /* for findings: so many ... */
    EVALUATE_STEPS_PER_INSN = 24,       /* ... and so many for an instruction */
    /* for a report where the grid is unknown, where every warp of two blocks runs: so many ... */
    EVALUATE_STEPS_SAMPLE = 1 << 11,
    EVALUATE_STEPS_PER_SAMPLE = 4,      /* ... and so many for an instruction; */
    EVALUATE_SHARE_OF_BLOCK = 8,        /* where a block takes less than this part of it */
};

typedef enum Depth {
    DEPTH_WHOLE,                /* as many blocks as the budget does for */
    /* where the grid is unknown, a few warps of one block do */
    DEPTH_QUICK,
    DEPTH_FEW,                  /* one block from the middle */
} Depth;

/* NULL for a function without instructions. */
const Evaluation *ptx_evaluate(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                               Depth depth);

/* As DEPTH_QUICK, of a block that is not known as a row of threads alone. *left goes on from there,
 * and lies in run->work; NULL: nothing is left. */
typedef struct AccessEvaluator AccessEvaluator;
const Evaluation *ptx_evaluate_row(const KernelRun *run, const Gpu *gpu, uint64_t most_steps,
                                   AccessEvaluator **left);
/* What DEPTH_QUICK gives with as many steps; once. */
const Evaluation *ptx_evaluate_left(const AccessEvaluator *left, Arena *arena,
                                    uint64_t most_steps);

/* What the launch, whose grid and block are given, touches for certain. counts: per instruction of
 * the kernel: what it touches is not a guess. */
TouchedBytes ptx_evaluate_touched(const KernelRun *run, const bool *counts, uint64_t most_steps);

/* The evaluation, which is for its own GPU, is what it would be for the other. */
bool ptx_evaluation_is_for(const Evaluation *evaluation, const Gpu *own, const Gpu *other);

/* It asks for %tid.x alone, and calls nothing: whatever the block, its threads are one row to
 * it. */
bool ptx_func_takes_row(const Func *func);

#endif
