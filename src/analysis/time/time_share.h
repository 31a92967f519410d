/* time_share.h -- how much of a predicted time each instruction makes.
 *
 * The prediction joins what keeps the machine busy, its parts, by norms, which are homogeneous: a
 * part makes so much of the whole as the whole would be less, were the part a little less, for as
 * much as the part is (Euler's theorem on homogeneous functions). In all that is the time but for
 * the overhead of a launch and the dispatch of blocks, which no instruction makes: the code's time.
 *
 * Each part is shared among the instructions that take it: issue slots and pipelines by machine
 * instructions, shared memory by wavefronts, L1 by lines, L2 and memory by sectors that are not
 * found nearer, atomic units by lanes, code that no cache holds by machine instructions, and
 * latency by who a warp waits for (waiting_chain.h). Of a part that no instruction is known to
 * take, such as spilled registers, each has what it has of issue slots. */
#ifndef PTX_ANALYSIS_TIME_TIME_SHARE_H
#define PTX_ANALYSIS_TIME_TIME_SHARE_H

#include "analysis/time/predict.h"

typedef struct Arena Arena;
typedef struct Cached Cached;
typedef struct Compiled Compiled;
typedef struct Evaluated Evaluated;

typedef enum SharedPart {       /* what the norms join, one by one */
    SHARED_PART_ISSUE, SHARED_PART_LSU, SHARED_PART_FIRST, SHARED_PART_SECOND, SHARED_PART_TURNS,
    SHARED_PART_SHARED, SHARED_PART_L1, SHARED_PART_L2, SHARED_PART_DRAM, SHARED_PART_ATOMIC,
    SHARED_PART_LATENCY, SHARED_PART_FETCH, SHARED_PART__COUNT
} SharedPart;

/* A function as the launch runs it. */
typedef struct RunCode {
    const Compiled *code;
    const Evaluated *insns;     /* called ones, too */
    const double *executions;   /* per machine instruction: ptx_executed_counts */
    double *shares;             /* per instruction, of code_us; filled */
} RunCode;

typedef struct TimeShares {
    RunCode *codes;             /* the kernel's own first */
    uint32_t code_count;
    double *waits;              /* of the kernel: per instruction, CriticalPathInput.waits */
    double code_us;             /* filled; NaN: nothing is predicted */
} TimeShares;

/* With codes, whose shares are 0, for the launch that was evaluated. Owned by arena. */
TimeShares *ptx_time_shares_new(Arena *arena, const Compiled *kernel, const Compiled *called,
                                const Evaluation *evaluation);

typedef struct ShareInput {
    const PredictInput *in;
    const Cached *cached;
    const double *by_chance;    /* per instruction of the kernel: ptx_wavefronts_by_chance */
    double us[SHARED_PART__COUNT];      /* that each part makes of the time */
} ShareInput;

/* scratch is left as found. */
void ptx_time_shares_fill(Arena *scratch, TimeShares *shares, const ShareInput *input,
                          const Prediction *prediction);

#endif
