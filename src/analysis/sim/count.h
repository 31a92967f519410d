/* count.h -- what is counted of an instruction while warps run it. */
#ifndef PTX_ANALYSIS_SIM_COUNT_H
#define PTX_ANALYSIS_SIM_COUNT_H

#include "ir/types.h"
#include "support/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum Uncertainty {            /* of an access; the worst counts */
    UNCERTAIN_NONE,
    /* the rule for such an access was measured on another GPU, or comes near only */
    UNCERTAIN_MODEL,
    /* which lanes meet here depends on how the GPU schedules diverged lanes */
    UNCERTAIN_ORDER,
    /* rests on what was taken for a parameter, or for the shape of the launch */
    UNCERTAIN_PARAMETER,
    /* whether lanes come here, or by which uniform offset, depends on data */
    UNCERTAIN_DATA,
    /* some iterations of a loop were taken for all, though not all that it carries is followed */
    UNCERTAIN_REPEAT,
    UNCERTAIN_ADDRESS,              /* the addresses depend on data: not known */
} Uncertainty;

typedef enum AccessPattern {
    PATTERN_NONE,
#define PN(id, text, what) PATTERN_##id,
#include "analysis/sim/patterns.def"
#undef PN
    PATTERN__COUNT
} AccessPattern;

/* What most instructions have comes first: the rest of them is not looked at. */
typedef struct Count {
    double warps, lanes;        /* executions, and active lanes in all of them */
    /* of each block, executions by the warp that comes here most often; 0: not known */
    double most;
    double longest;             /* the most of any block, of those that were run; 0: not known */
    double requests;            /* of an access: executions by at least one lane */
    double divergent;           /* of a branch: executions in which lanes diverged */
    uint32_t rows_by, free_by;  /* Value's words, of the addresses */
    uint8_t low_bits;           /* of addresses, those below 32: all of them or-ed */
    uint8_t pattern;            /* AccessPattern, of the request that worst is of */
    uint8_t doubt;              /* Doubt */
    uint8_t row_doubt;          /* of row_requests, but that of their addresses */
    /* the distances between lanes depend on a parameter that is unknown */
    bool is_free;
    bool has_lost_place;        /* where some request goes is not known: ptx_value_is_place */
    bool is_drawn;              /* some are at addresses that were drawn: not of data_requests */
    /* most sectors, or wavefronts, that one request took beyond its ideal; of that request: */
    double worst;
    int64_t stride;             /* bytes from lane to lane, the most frequent distance */
    double longest_waits;       /* of the longest block's requests, the share that waits for L2 */
    double active;              /* lanes in the requests */
    double sectors, ideal_sectors, wavefronts, ideal_wavefronts;
    /* of global memory, whatever the GPU moves: distinct pieces of 128 and of 32 bytes; of local
     * memory, as words of its lanes lie */
    double lines, segments;
    /* of global memory: through L1 (l1_passes.h); of shared: that the banks take, fewer than the
     * wavefronts that profilers count (traffic.h) */
    double passes;
    /* fewer requests, as ptxas joins the access with its neighbours: joinable_row.h; what banks do
     * not take of the wavefronts */
    double spared_requests, spared_wavefronts;
    /* of global memory, and loads of shared: distinct bytes that lanes ask for, in all requests */
    double used_bytes;
    /* of constant memory and kernel parameters: distinct ones in all requests */
    double addresses;
    /* of those, where the addresses depend on data, and lanes in them */
    double data_requests, data_lanes;
    /* of these, to global memory where groups of lanes read a row each, at an index that was loaded
     * (lane_groups.h): requests; rows; a lower and an upper bound of their sectors, and the mean
     * over rows that do not overlap and start at any alignment that is possible */
    double row_requests, rows, row_least, row_most, row_sectors;
    double waits;               /* of a load of global memory: requests that wait for L2 */
    double edged;               /* of divergent: all lanes of one side before those of the other */
} Count;

/* Of an instruction that nothing was counted of. */
extern const Count ptx_count_none;

/* Counts per instruction; NULL: nothing was counted of it, as of most of a long function. */
typedef Count *const *CountTable;

static inline const Count *ptx_count_of(CountTable counts, InsnId insn)
{
    return counts[insn] ? counts[insn] : &ptx_count_none;
}

/* Nothing is counted of it any more. */
static inline void ptx_count_empty(Count *count)
{
    if (count->requests > 0 || count->divergent > 0 || count->pattern)
        *count = (Count){ 0 };
    else
        memset(count, 0, offsetof(Count, worst));       /* the rest was never written */
}

/* As many more as weight says. */
void ptx_count_add(Count *to, const Count *from, double weight);

/* What was counted since then, so many times more. */
void ptx_count_repeat(Count *count, const Count *before, double times);

typedef struct Evaluated {      /* an instruction */
    /* of the launch; instructions that always run together have one. Never NULL once an evaluation
     * is done */
    const Count *total;
    /* per Evaluation.shapes, where an access costs more in one than in another; NULL. No requests:
     * not known in that one */
    const Count *shaped;
    /* sectors and wavefronts that an active lane stands for, in the best shape of block where that
     * is not known */
    double best_share;
    /* of its lanes, those that are there as a rule: branch_probability.h */
    float share;
    uint8_t certainty;          /* Certainty of an access's figures; _UNKNOWN: they are none */
    bool is_reached;
    bool differs;               /* from block to block, by what an active lane moves */
} Evaluated;

#endif
