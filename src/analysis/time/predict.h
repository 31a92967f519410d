/* predict.h -- how long a launch takes: at least, and most likely.
 *
 * A launch keeps several things busy at once, each for so long: the dispatch of blocks, issue
 * slots, each pipeline, the banks of shared memory, L1, L2, memory, atomic units, and warps that
 * wait for their own results. None can take longer than the whole; that is the bound. They do not
 * overlap perfectly: what is predicted is the overhead of a launch, the way of the first warps
 * through an empty machine, and a norm of all. */
#ifndef PTX_ANALYSIS_TIME_PREDICT_H
#define PTX_ANALYSIS_TIME_PREDICT_H

#include "analysis/flow/types.h"
#include "support/diag.h"

typedef struct Count Count;
typedef struct Executed Executed;
typedef struct OpCycles OpCycles;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Launch Launch;
typedef struct Lowered Lowered;
typedef struct PointsToSet PointsToSet;
typedef struct Sequence Sequence;
typedef struct TimeShares TimeShares;
typedef struct Uniforms Uniforms;

typedef enum TimePart {
#define TP(id, key, what, advice) PART_##id,
#include "analysis/time/parts.def"
#undef TP
    PART__COUNT
} TimePart;

typedef struct PartInfo { const char *key, *what, *advice; } PartInfo;
extern const PartInfo ptx_part_info[PART__COUNT];

/* What does not depend on the launch; per instruction. */
typedef struct PredictFacts {
    const Sequence *sequences;
    const bool *have_neighbours;        /* ptx_joinable_compute */
    const bool *needed;         /* ptx_needed_compute */
    const bool *are_left_apart; /* per loop: threads of a block may leave it one after the other */
    bool products_are_serial;   /* ptx_products_are_serial */
} PredictFacts;

/* Below which no time of the launch can be: bound.h. */
typedef struct Floor {
    double clock_mhz;           /* set before: the highest; 0: as the GPU's file has it */
    double memory_gb_per_s;
    /* bytes that come from memory or go to it, at the most that they can be */
    double bytes;
    double us[PART__COUNT];     /* 0: nothing is sure */
    const char *pipe;           /* of PART_PIPE; NULL */
    const char *why;            /* why it is no floor after all; NULL */
} Floor;

typedef struct PredictInput {
    const Gpu *gpu;
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Lowered *lowered;
    const Executed *executed;
    const Evaluation *evaluation;
    const Launch *launch;       /* NULL: see CacheInput */
    const OpCycles *ops;        /* of the GPU */
    const uint8_t *work;        /* ptx_work_compute */
    const PointsToSet *bases;   /* of func; NULL where ptx_hangs_on_data says no */
    const PredictFacts *facts;  /* of the GPU and the function; NULL where none is possible */
    double blocks, warps_per_block, blocks_per_sm;
    double registers;           /* of a thread */
    bool spills_likely;         /* register_count.h's SPILLS_LIKELY */
    double spilled;             /* registers of a thread in local memory */
    /* per instruction: set to what a load of global memory takes in this launch; NULL: not wanted
     * */
    float *load_clocks;
    /* filled with what each instruction makes of the time (time_share.h); NULL: not wanted */
    TimeShares *shares;
    Floor *floor;               /* NULL: not wanted */
    bool *counts;               /* with floor, per instruction: what it rests on; NULL */
} PredictInput;

/* The name of the constant cache, where that is what takes longest of the pipelines. */
extern const char ptx_constant_pipe[];

typedef struct Prediction {     /* NaN: not known */
    double dram_bytes;
    /* an access of global memory goes where data say, over a range that is not known: dram_bytes
     * is a guess */
    bool are_bytes_by_data;
    double bound_us, predicted_us;
    double low_us, high_us;     /* where nine in ten such launches fall: band.h */
    int band;                   /* BandKind; -1 */
    bool is_measured_gpu;       /* the band was made on such a GPU */
    double parts_us[PART__COUNT];
    double tail_us;             /* of blocks that have more to do than others */
    double busiest_share;       /* blocks of the SM that has most, over the mean */
    /* of what the SMs' units are busy for, the share that PART_LATENCY has in it: a block's own
     * work in steps, next to that of the blocks beside it */
    double own_share;
    /* of PART_DRAM, what is stored when nothing else is left to be done; of PART_ATOMIC */
    double last_share, last_atomics;
    double mean_atomics_us;     /* of PART_ATOMIC, what an average slice of L2 has */
    double block_share;         /* of PART_LATENCY, what a block takes by itself */
    /* of the norm that joins memory with what the SMs' units are busy for */
    double phase_exponent;
    double unit_exponent;       /* of the one that joins those units */
    bool blocks_differ;         /* one has twice as much to do as the mean, or more */
    /* what PART_L1 and _SHARED are of: passes and wavefronts of the launch; of PART_L2, what goes
     * there and what comes back */
    double l1_passes, wavefronts, there_us, back_us;
    double lost;                /* Cached's */
    /* bytes of memory for each sector that L2 is asked for, and that is stored, its rest too */
    double read_bytes, written_bytes;
    /* of PART_PIPE: the load-store units; the dearest other one, and the next */
    double lsu_us, pipe_us, second_us;
    const char *first_pipe, *second_pipe;       /* that take pipe_us and second_us */
    /* of PART_PIPE, asynchronous products that warps wait for before they do anything else; 0 */
    double turns_us;
    double turns_exponent;      /* of the norm that joins them with the rest */
    /* of the ones that join PART_LATENCY with units of the SMs, and with memory */
    double waits_exponent, turns_of_memory;
    double waves;               /* of blocks that do as much as each other; else 0 */
    /* it would rest on what the launch does not give, so there is none */
    bool bound_is_assumed;
    int bound_by, limiter;      /* TimePart; -1 */
    const char *pipe, *bound_pipe;      /* of PART_PIPE: the dearest; that holds the bound */
    const char *why;            /* nothing is predicted; NULL: it is */
    /* of dram_bytes and the bound, at best CERTAINTY_BOUND; the prediction is an estimate */
    Certainty certainty;
} Prediction;

/* What would make its limiter less; NULL: there is none. */
const char *ptx_limiter_advice(const Prediction *prediction);

extern const Prediction ptx_prediction_unknown;

/* Of the way to L2 and back, what so many requests take. */
typedef struct L2Traffic {
    double load_lines, load_pieces, fresh_sectors, store_lines, store_sectors, store_parts;
} L2Traffic;
void ptx_predict_l2_us(const Gpu *gpu, const L2Traffic *traffic, double *there, double *back);

/* facts are not asked for. Owned by arena; scratch, another arena, is left as found. */
const PredictFacts *ptx_predict_facts_compute(Arena *arena, Arena *scratch,
                                              const PredictInput *input, const Uniforms *uniforms,
                                              const Defs *defs);

/* The same on another GPU, from those of the GPU of in. */
const PredictFacts *ptx_predict_facts_on(Arena *arena, const PredictInput *in,
                                         const PredictFacts *facts, const Gpu *other);

/* All is known that a prediction takes; facts are not asked for. */
bool ptx_predict_is_possible(const PredictInput *input);

/* Whether data say where some access goes. */
bool ptx_hangs_on_data(const Func *func, const Evaluation *evaluation);

Prediction ptx_predict(Arena *scratch, const PredictInput *input);

#endif
