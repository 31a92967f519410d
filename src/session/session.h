/* session.h -- a function's analyses, each computed when it is first asked for and kept: the one
 * place that knows what rests on what. Rules, view, reports and API ask it.
 *
 * Sessions are a module's, for one thread: several may be at work on the same module at once, each
 * with arenas of its own. What figures rest on is kept as long as the sessions; what findings alone
 * ask for, until the function is done. Sessions of trials answer for other launches of functions
 * that others have analysed. */
#ifndef PTX_SESSION_SESSION_H
#define PTX_SESSION_SESSION_H

#include "analysis/flow/types.h"
#include "support/arena.h"

typedef struct DiagSink DiagSink;

/* Results by name alone: who looks into one includes the header of its analysis. */
typedef struct LoneAccess LoneAccess;
typedef struct BlockRace BlockRace;
typedef struct Demand Demand;
typedef struct DivergenceCosts DivergenceCosts;
typedef struct Evaluation Evaluation;
typedef struct Executed Executed;
typedef struct Floor Floor;
typedef struct Gpu Gpu;
typedef struct Hazards Hazards;
typedef struct JoinableRow JoinableRow;
typedef struct KeptValue KeptValue;
typedef struct LaneSplits LaneSplits;
typedef struct Launch Launch;
typedef struct LaunchShape LaunchShape;
typedef struct LiveClasses LiveClasses;
typedef struct Lowered Lowered;
typedef struct MatrixFaults MatrixFaults;
typedef struct Mixes Mixes;
typedef struct MustDiverge MustDiverge;
typedef struct OpCycles OpCycles;
typedef struct Parallelisms Parallelisms;
typedef struct PointsToSet PointsToSet;
typedef struct Prediction Prediction;
typedef struct Pressure Pressure;
typedef struct PtxasUsage PtxasUsage;
typedef struct RedundantLoads RedundantLoads;
typedef struct Residency Residency;
typedef struct SimCode SimCode;
typedef struct Throughput Throughput;
typedef struct TimeShares TimeShares;
typedef struct TouchedBytes TouchedBytes;
typedef struct Trace Trace;
typedef struct Trips Trips;
typedef struct Uniforms Uniforms;
typedef struct Usage Usage;
#include "analysis/registers/register_count.h"
#include "analysis/flow/func_flow.h"

typedef struct Session Session;         /* of a function */

/* A launch that is tried. */
typedef struct Trial {
    const Launch *launch;
    int64_t max_registers;      /* per thread; 0: as many as it takes */
    size_t gpu;                 /* that it is run on */
    uint64_t steps;             /* of warps; 0: few */
    /* filled by ptx_session_predict, for that GPU; counts has an entry for each instruction; NULL:
     * not wanted */
    Floor *floor;
    bool *counts;
} Trial;

/* Set up by the caller, but for own. */
typedef struct Sessions {
    const Module *module;
    /* NULL: the front end alone is wanted; functions are then as if they had no instructions */
    const CallGraph *calls;
    const SimCode *code;        /* of the runs; NULL where calls is */
    const Launch *const *launches;      /* per function */
    /* per function: the first that has the same code, maybe itself; NO_ID; NULL: not looked for */
    const FuncId *first_of_code;
    const PtxasUsage *const *said;      /* per function, and for each per GPU; NULL: nothing is */
    const Gpu *const *gpus;     /* that figures are for; findings are for the first */
    size_t gpu_count;
    /* of a report: mixes know trips, and all that figures rest on is kept */
    bool has_figures;
    /* without figures: registers are modelled of each kernel all the same, and no grid is known */
    bool has_overview;
    /* of these only what trials take; with has_figures */
    bool is_for_estimates;
    /* liveness and machine instructions outlast the analysis; with has_figures */
    bool keeps_live;
    bool has_instructions;      /* figures of each instruction are wanted; with has_figures */
    bool is_unfolded;           /* findings are not folded into others */
    DiagSink *diags;            /* what liveness says of its limit; NULL: nothing may be said */
    /* of what is kept; where figures are given, that of them while a function is in hand */
    Arena *arena;
    Arena *figures;             /* go with the function in hand; NULL: they are kept */
    Arena *work;                /* of what goes with the function */
    Arena *temp, *scratch;      /* left as found */
    Arena *runs;                /* of the last evaluations of trials */
    Arena *grids;               /* of their runs that stand for other grids */

    /* of trials: that know what does not rest on the launch, and are only read; NULL: these are no
     * trials */
    const struct Sessions *base;
    Trial trial;                /* the one in hand */

    struct OfModule *own;       /* session.c's */
} Sessions;

void ptx_sessions_begin(Sessions *all);

/* Neither the front end alone nor figures are wanted. */
static inline bool ptx_sessions_find_only(const Sessions *all)
{
    return all->calls && !all->has_figures;
}

Session *ptx_sessions_of(const Sessions *all, FuncId func);

/* From now on what `from` knows of a function is the answer of all, too; both are of one module,
 * and from must live as long. */
void ptx_sessions_take(Sessions *all, const Sessions *from, FuncId func);

/* Sets up trials: base has figures, and is done with its functions. What trials find whatever the
 * launch is kept in arena, the rest in work until a trial is done. */
void ptx_sessions_begin_trials(Sessions *trials, const Sessions *base);

/* Begins with a function; ptx_session_end ends it. */
Session *ptx_session_try(Sessions *trials, FuncId func, const Trial *trial);

/* Of all functions. */
const OpCycles *ptx_sessions_ops(Sessions *all, size_t gpu);
const Usage *ptx_sessions_usage(Sessions *all);

/* Kept as long as the sessions; what is often asked for, about once. Aligned for any of the public
 * structures; those are to be without padding, or zeroed before. */
const void *ptx_sessions_share(Sessions *all, const void *bytes, size_t length);
const char *ptx_sessions_text(Sessions *all, const char *text);

/* A function at a time is in hand, from begin to end. Only then what goes with the function may be
 * asked for. */
void ptx_session_begin(Session *session);
void ptx_session_end(Session *session);

/* Begins with a function for one GPU alone, while the session of the same function for several is
 * in hand: what does not rest on the GPU is taken from there. gpu: of those of first. */
void ptx_session_begin_beside(Session *session, const Session *first, size_t gpu);

const Func *ptx_session_func(const Session *session);
const CallGraph *ptx_session_call_graph(const Session *session);      /* of the module */
const CallNode *ptx_session_calls(const Session *session);
const Launch *ptx_session_launch(const Session *session);

/* There are figures of its launch: it is a kernel with instructions, a GPU is known, and figures
 * are wanted. */
bool ptx_session_is_projected(Session *session);

/* There is a model of its registers without that a finding asks: such figures are wanted, or the
 * block is known, so that findings can be about occupancy. */
bool ptx_session_has_model(Session *session);

/* NULL: the function has no instructions; then of what is below only live, which is NULL, and
 * residency with what it rests on may be asked for. */
const Cfg *ptx_session_cfg(Session *session);
const Dom *ptx_session_dom(Session *session);
const Loops *ptx_session_loops(Session *session);
FuncFlow ptx_session_flow(Session *session);            /* all of these */
/* NULL too at a limit; kept for estimates alone */
const Live *ptx_session_live(Session *session);
const Mixes *ptx_session_mixes(Session *session);

/* Of the launch that was analysed; kept for estimates alone. */
const Uniforms *ptx_session_uniforms(Session *session);
/* What is kept of them with figures, per instruction; NULL: the function is not done, or has no
 * instructions. */
const KeptValue *ptx_session_values(const Session *session);
/* Liveness by kind of register, while the function is in hand; NULL as ptx_session_live. */
const LiveClasses *ptx_session_live_classes(Session *session);
/* Liveness once the function is done; NULL: it is not kept, or not known. */
const Live *ptx_session_kept_live(const Session *session);

/* Kept with figures; else until the function is done. */
const Trips *ptx_session_trips(Session *session);
const uint8_t *ptx_session_work(Session *session);
const Throughput *ptx_session_throughput(Session *session, size_t gpu);
const Lowered *ptx_session_lowered(Session *session, size_t gpu);
const Pressure *ptx_session_pressure(Session *session, size_t gpu);

const LaunchShape *ptx_session_shape(Session *session);
const Demand *ptx_session_demand(Session *session);
const PtxasUsage *ptx_session_ptxas_usage(const Session *session, size_t gpu);  /* or NULL */
const Residency *ptx_session_residency(Session *session, size_t gpu);

/* ---- until the function is done -------------------------------------------------------------- */

const Defs *ptx_session_defs(Session *session);
const PointsToSet *ptx_session_points_to(Session *session);
const MustDiverge *ptx_session_must_diverge(Session *session);
/* cheaper, and often enough: the least, */
const bool *ptx_session_lane_branches(Session *session);
LaneSplits *ptx_session_lane_splits(Session *session);          /* then this */
const bool *ptx_session_rare_blocks(Session *session);          /* per block */
const RedundantLoads *ptx_session_redundant_loads(Session *session);
const InsnId *ptx_session_fused(Session *session);
const JoinableRow *ptx_session_joinable(Session *session);
const bool *ptx_session_fp64_trips(Session *session);
/* per instruction: of local memory, and ptxas leaves it there */
const bool *ptx_session_local_arrays(Session *session);
const bool *ptx_session_unused_results(Session *session);
const uint32_t *ptx_session_loop_overhead(Session *session);
/* whether each iteration finds the same value in the register */
bool ptx_session_loop_keeps(Session *session, LoopId loop, RegId reg);
const bool *ptx_session_read_only(Session *session);
const MatrixFaults *ptx_session_matrix_faults(Session *session);
/* for the first GPU: where they are not likely, it may say SPILLS_UNLIKELY of any kind */
Spills ptx_session_spills(Session *session);
/* for the first GPU, without directives that bound registers */
const Pressure *ptx_session_unbounded_pressure(Session *session);
/* of a kernel; NULL: none can be looked for */
const Hazards *ptx_session_hazards(Session *session);
/* in global memory; NULL: none was found */
const LoneAccess *ptx_session_beyond(Session *session);
/* on global memory, else in a cluster; NULL: none */
const BlockRace *ptx_session_block_race(Session *session);

/* ---- launches -------------------------------------------------------------------------------- */

/* How much of a launch is run where the grid is unknown. Where it is given, one evaluation is for
 * all of these. */
typedef enum EvaluationBudget {
    BUDGET_FINDINGS,            /* what findings on accesses and branches rest on, of a row ... */
    BUDGET_SHAPES,              /* ... and of other shapes, where the block is not known */
    BUDGET_FIGURES,             /* of a report */
    BUDGET__COUNT
} EvaluationBudget;

/* Of a kernel, on the first GPU; NULL: there is none. */
const Evaluation *ptx_session_evaluation(Session *session, EvaluationBudget budget);

/* BUDGET_FIGURES on that GPU: where the grid is given and its memory takes requests otherwise, an
 * evaluation of its own. */
const Evaluation *ptx_session_evaluation_on(Session *session, size_t gpu);

/* Of the evaluation for findings; NULL without one. */
DivergenceCosts *ptx_session_divergence(Session *session);
const Trace *ptx_session_trace(Session *session);
/* Whether another layout of what the access touches may come of a trace. */
bool ptx_session_may_lay_out(Session *session, InsnId insn, bool is_shared);

/* What the launch for figures executes. */
const Executed *ptx_session_executed(Session *session, size_t gpu);

/* Grid and block are given, and some block fits the first GPU. */
bool ptx_session_is_launch_known(Session *session);

/* Of an SM at once: no more than the grid has for it. NaN: not known. */
double ptx_session_resident_warps(Session *session, size_t gpu);

/* Of the trial in hand, whose grid and block are given: ptx_evaluate_touched. */
TouchedBytes ptx_session_touched(Session *session, const bool *counts, uint64_t most_steps);

/* A launch as predicted. Nothing is predicted of a launch that is not known, or that does not
 * fit. */
const Prediction *ptx_session_predict(Session *session, size_t gpu);

/* The time in us on a GPU that differs from number gpu in figures of
 * FIGURE_SUSTAINED alone; NaN: nothing is predicted. Nothing of it is kept. */
double ptx_session_predict_on(Session *session, size_t gpu, const Gpu *other);

/* What instructions make of the time for figures; NULL: nothing is predicted, or it is asked of
 * other GPUs than the first, with neither has_instructions nor CUDA lines. */
const TimeShares *ptx_session_time_shares(Session *session, size_t gpu);

/* With the clocks of loads as they were predicted, where that was asked for. */
const Parallelisms *ptx_session_parallelisms(Session *session, size_t gpu);
/* Whatever the launch; on the first GPU. */
const Parallelisms *ptx_session_parallelisms_of_code(Session *session);

#endif
