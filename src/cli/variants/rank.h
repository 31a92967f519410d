/* rank.h -- variants of a kernel and what is predicted for each: `ptxlint rank` orders them by
 * time, `ptxlint optspace` by Ryoo's metrics. */
#ifndef PTX_CLI_VARIANTS_RANK_H
#define PTX_CLI_VARIANTS_RANK_H

#include "cli/cli.h"

/* Ryoo et al., "Program Optimization Space Pruning for a Multithreaded GPU" (CGO 2008), section 4;
 * NaN where trips of a loop or the occupancy are not known. */
typedef struct OptMetrics {
    double instructions;        /* of PTX, that a thread executes */
    double regions;             /* intervals of them between where a warp blocks */
    double threads;             /* of the launch */
    double efficiency;          /* 1 / (instructions x threads) */
    /* instructions / regions x ((warps of a block - 1) / 2 + (blocks of an SM - 1) x warps) */
    double utilization;
    bool is_pareto;             /* none of its group is as good in both, and better in one */
} OptMetrics;

typedef struct RankRow {
    const char *path, *gpu;
    const ptxlint_kernel *kernel;
    ptxlint_estimated estimated;
    OptMetrics metrics;         /* of optspace */
    size_t gpu_index;           /* in the order in which the inputs have them */
    size_t index;               /* of the input */
    size_t place;               /* from 1; 0: no time is predicted */
    double ratio;               /* to the best of its group */
} RankRow;

/* optspace.c: the metrics of a row, and of a group which of them are Pareto's; sorts it then. */
void ptx_optspace_measure(RankRow *row);
void ptx_optspace_order(RankRow *rows, size_t count);

/* The lines of a row, up to its name, and those below a group. */
void ptx_optspace_head(Text *out);
bool ptx_optspace_put(const RankRow *row, Text *out);  /* false: "not known: " */
const char *ptx_optspace_why(const RankRow *row);       /* then */
void ptx_optspace_notes(const RankRow *rows, size_t count, Text *out);
void ptx_optspace_json(const RankRow *row, json_t *out);

#endif
