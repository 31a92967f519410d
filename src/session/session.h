/* session.h -- a function's analyses, each computed when it is first asked for and kept: the one place that knows what rests on what. Rules, view, reports and API ask it.
 *
 * Sessions are a module's, for one thread: several may be at work on the same module at once, each with arenas of its own. What figures rest on is kept as long as
 * the sessions; what findings alone ask for, until the function is done. */
#ifndef PTX_SESSION_SESSION_H
#define PTX_SESSION_SESSION_H

#include "analysis/value/points_to.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/value/launch.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/mix.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/value/must_diverge.h"
#include "analysis/time/throughput.h"
#include "analysis/trips/trip.h"
#include "analysis/value/uniform.h"
#include "analysis/redundancy/usage.h"
#include "analysis/redundancy/wgmma_registers.h"
#include "analysis/time/parallelism.h"
#include "analysis/time/predict.h"
#include "analysis/registers/register_count.h"
#include "analysis/access/advise/advise.h"
#include "analysis/race/block_race.h"
#include "analysis/access/evaluate.h"
#include "analysis/race/hazard.h"
#include "analysis/sass/joinable.h"
#include "analysis/access/divergence.h"

typedef struct Session Session;         /* of a function */

/* Set up by the caller, but for own. */
typedef struct Sessions {
    const Module *module;
    const CallGraph *calls;
    const Launch *const *launches;      /* per function */
    const Gpu *const *gpus;     /* that figures are for; findings are for the first */
    size_t gpu_count;
    bool has_figures;           /* of a report: mixes know trips, and all that figures rest on is kept */
    DiagSink *diags;            /* what liveness says of its limit; NULL: nothing may be said */
    Arena *arena;               /* of what is kept */
    Arena *work;                /* of what goes with the function */
    Arena *temp, *scratch;      /* left as found; temp may be arena where there are no figures */

    struct OfModule *own;       /* session.c's */
} Sessions;

void ptx_sessions_begin(Sessions *all);
Session *ptx_sessions_of(const Sessions *all, FuncId func);

/* Of all functions. */
const OpCycles *ptx_sessions_ops(Sessions *all, size_t gpu);
const Usage *ptx_sessions_usage(Sessions *all);

/* A function at a time is in hand, from begin to end. Only then what goes with the function may be asked for. */
void ptx_session_begin(Session *session);
void ptx_session_end(Session *session);

const Func *ptx_session_func(const Session *session);
const CallNode *ptx_session_calls(const Session *session);
const Launch *ptx_session_launch(const Session *session);

/* There are figures of its launch: it is a kernel with instructions, a GPU is known, and figures are wanted. */
bool ptx_session_is_projected(Session *session);

/* There is a model of its registers without that a finding asks: such figures are wanted, or the block is known, so that findings speak of occupancy. */
bool ptx_session_has_model(Session *session);

/* NULL: the function has no instructions; then nothing below but live, which is NULL, may be asked for. */
const Cfg *ptx_session_cfg(Session *session);
const Dom *ptx_session_dom(Session *session);
const Loops *ptx_session_loops(Session *session);
const Live *ptx_session_live(Session *session);         /* NULL too at a limit */
const Mixes *ptx_session_mixes(Session *session);

/* Kept with figures; else until the function is done. */
const Uniforms *ptx_session_uniforms(Session *session);
const Trips *ptx_session_trips(Session *session);
const uint8_t *ptx_session_work(Session *session);
const Throughput *ptx_session_throughput(Session *session, size_t gpu);
const Lowered *ptx_session_lowered(Session *session, size_t gpu);
const Pressure *ptx_session_pressure(Session *session, size_t gpu);

/* ---- until the function is done ---------------------------------------------------------------------------------- */

const Defs *ptx_session_defs(Session *session);
const PointsToSet *ptx_session_bases(Session *session);
const MustDiverge *ptx_session_splits(Session *session);
const RedundantLoads *ptx_session_repeats(Session *session);
const InsnId *ptx_session_fused(Session *session);
const JoinableRow *ptx_session_joinable(Session *session);
const bool *ptx_session_fp64_trips(Session *session);
const bool *ptx_session_unused_results(Session *session);
const uint32_t *ptx_session_loop_overhead(Session *session);
const bool *ptx_session_read_only(Session *session);
const MatrixFaults *ptx_session_matrix_faults(Session *session);
const Pressure *ptx_session_unbounded(Session *session);        /* for the first GPU, without directives that bound registers */
const Hazards *ptx_session_hazards(Session *session);           /* of a kernel; NULL: none can be looked for */
const BlockRace *ptx_session_block_race(Session *session);      /* on global memory, else in a cluster; NULL: none */

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* How much of a launch is run. */
typedef enum EvaluationBudget {
    BUDGET_FINDINGS,            /* what findings on accesses and branches rest on */
    BUDGET_TIME,                /* what the time that gains are shares of rests on */
    BUDGET_BALANCE,             /* over many blocks: how they differ */
    BUDGET_FIGURES,             /* of a report; kept */
    BUDGET__COUNT
} EvaluationBudget;

/* Of a kernel, on the first GPU; NULL: there is none. */
const Evaluation *ptx_session_evaluation(Session *session, EvaluationBudget budget);

/* Of the evaluation for findings; NULL without one. */
PartedCosts *ptx_session_parted(Session *session);
const Trace *ptx_session_trace(Session *session);

/* What the launch for figures executes. */
const Executed *ptx_session_executed(Session *session, size_t gpu);

/* How a launch fills a GPU. NaN: not known. */
typedef struct Residency {
    double blocks, warps_per_block, blocks_per_sm;
} Residency;

/* A launch as predicted: with BUDGET_TIME on the first GPU, with BUDGET_FIGURES on any. residency NULL: nothing is known of the launch. The residency is that of the first
 * question. */
const Prediction *ptx_session_predict(Session *session, EvaluationBudget budget, size_t gpu, const Residency *residency);

/* NULL: the launch that was predicted with BUDGET_TIME is not known. */
const Evaluation *ptx_session_predicted_evaluation(const Session *session);

/* With the clocks of loads as they were predicted, where that was asked for. */
const Parallelisms *ptx_session_parallelisms(Session *session, EvaluationBudget budget, size_t gpu);

#endif
