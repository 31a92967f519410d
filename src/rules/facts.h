/* facts.h -- what the analyses know of one function: each pointer written once, by the pass of that name, then const.
 * This is all that crosses from the analyses to the rules and the report. */
#ifndef PTX_RULES_FACTS_H
#define PTX_RULES_FACTS_H

#include "analysis/callgraph.h"
#include "analysis/cfg.h"
#include "analysis/dom.h"
#include "analysis/live.h"
#include "analysis/loop.h"
#include "analysis/mix.h"
#include "analysis/occupancy.h"
#include "analysis/throughput.h"
#include "analysis/trip.h"
#include "analysis/uniform.h"
#include "estimate/executed.h"
#include "estimate/parallelism.h"
#include "estimate/pressure.h"
#include "warp/evaluate.h"

/* How a kernel is launched, and how it fits the first GPU. NaN, -1: not known. */
typedef struct Figures {
    double block_threads, most_threads, grid_blocks;
    bool block_exceeds_bounds;
    double register_cap;
    double static_shared_bytes, local_bytes, spill_bytes;
    double registers, occupancy_percent, blocks_per_sm, registers_to_free, shared_to_free;
    double waves, tail_blocks, utilisation_percent;
    int limiter;                /* Limiter; -1 */
    const char *launch_error;   /* why no block fits; NULL */
    Certainty certainty;        /* of those from registers on */
} Figures;

typedef struct Facts {
    const Cfg *cfg;             /* NULL: the function has no instructions; then all are */
    const Dom *dom;
    const Loops *loops;
    const Live *live;           /* NULL too at a limit */
    const Trips *trips;         /* NULL where only findings were asked for: a rule that needs them has them computed */
    const Mixes *mixes;
    const uint8_t *work;        /* per instruction; NULL where only findings were asked for */
    const Throughput **throughputs;     /* per GPU that figures are for; NULL where only findings were asked for */
    const Uniforms *uniforms;           /* NULL where only findings were asked for: a rule that needs them has them computed */
    const Evaluation *evaluation;       /* of a kernel; NULL where only findings were asked for */
    const Lowered **lowered;            /* per GPU that figures are for; of a kernel; NULL where only findings were asked for */
    const Executed *executed;           /* the same */
    const Parallelisms **parallelisms;  /* the same */
    const Pressure *pressures;          /* the same */
    const CallNode *calls;
    const Launch *launch;
    Figures figures;
} Facts;

#endif
