/* state.h -- what sessions keep (session.h), for the files of this folder:
 *
 *   session.c      all functions of a module; the function in hand, from its begin to its end
 *   flow.c         what follows from the IR alone: control flow, values, trips
 *   costs.c        what a GPU makes of it: machine instructions, registers, residency
 *   for_findings.c what findings alone ask for
 *   runs.c         evaluations of a launch, and what else runs it: races, traces
 *   kept_runs.c    the last evaluations of trials
 *   time.c         what a launch executes, and the time of it
 *   beside.c       findings for one GPU beside those for the first
 *   trials.c       other launches of functions that were analysed */
#ifndef PTX_SESSION_STATE_H
#define PTX_SESSION_STATE_H

#include "analysis/time/predict.h"
#include "ir/func.h"
#include "ir/module.h"
#include "session/residency.h"
#include "session/session.h"

typedef struct AccessEvaluator AccessEvaluator;
typedef struct KeptRuns KeptRuns;
typedef struct SimProgram SimProgram;
typedef struct TimeShares TimeShares;
typedef struct UntracedSet UntracedSet;
typedef struct UsageMarks UsageMarks;
typedef struct Writers Writers;

enum { SHARED_SLOTS = 1 << 9 };         /* a power of two */

typedef struct Predicted {
    bool is_made;
    const Evaluation *evaluation;       /* that it rests on; NULL: the launch is not known */
    Prediction prediction;
    /* per instruction: of loads of global memory, as predicted; NULL: not known */
    const float *load_clocks;
    const TimeShares *shares;   /* NULL: not asked for, or nothing is predicted */
} Predicted;

typedef struct OfGpu {
    const Throughput *throughput;
    const Lowered *lowered;
    const Pressure *pressure;
    /* while the function is in hand */
    const Evaluation *evaluation;       /* BUDGET_FIGURES; NULL: not asked for, or there is none */
    const Executed *executed;
    const Parallelisms *parallelisms;
    const Residency *residency;
    Predicted *predicted;
    const PredictFacts *predict_facts;
} OfGpu;

/* What goes with the function; NULL, false: not asked for yet. */
typedef struct Passing {
    ArenaMark mark;             /* of work, before it */
    const Defs *defs;
    const PointsToSet *bases;
    const MustDiverge *splits;
    const bool *lane_branches;
    const bool *rare_blocks;
    LaneSplits *lane_splits;
    const RedundantLoads *repeats;
    const InsnId *fused;
    const JoinableRow *joinable;
    const bool *fp64_trips, *unused_results, *read_only, *local_arrays;
    const uint32_t *loop_overhead;
    const MatrixFaults *matrix_faults;
    const Pressure *unbounded;
    const Hazards *hazards;
    const BlockRace *block_race;
    const LoneAccess *beyond;       /* in global memory, once was_beyond */
    bool was_beyond;
    const Evaluation *evaluations[BUDGET__COUNT];
    AccessEvaluator *shapes_left;       /* by BUDGET_FINDINGS, for BUDGET_SHAPES; NULL */
    DivergenceCosts *divergence;
    const Trace *trace;
    const UntracedSet *untraced;        /* by the evaluation alone */
    const Parallelisms *parallelisms;   /* whatever the launch */
    bool was_multiplied, was_raced, was_raced_by_blocks, was_traced, was_evaluated[BUDGET__COUNT];
    bool keeps_plans;           /* those of the program lie in work */
    bool has_lowered;           /* machine instructions lie in work */
} Passing;

struct Session {
    Sessions *all;
    const Func *func;
    const Launch *launch;
    const Cfg *cfg;             /* with dom and loops; NULL, and has_flow: no instructions */
    const Dom *dom;
    const Loops *loops;
    const Live *live;
    const Mixes *mixes;
    const Uniforms *uniforms;
    const KeptValue *values;    /* of uniforms, once the function is done */
    const Trips *trips;
    const uint8_t *work;
    const LaunchShape *shape;
    const Demand *demand;
    const Evaluation *evaluation;       /* BUDGET_FIGURES; while it is in hand */
    OfGpu *gpus;
    Passing *passing;           /* while it is in hand */
    int64_t max_live;           /* of live; -1: not known */
    bool has_flow, has_live, has_max_live, was_evaluated;
};

/* What trials find of a function whatever the launch; NULL: not asked for yet. */
typedef struct TrialFacts {
    const Lowered *lowered;     /* where base has not kept it */
    const PredictFacts *predict;
    const JoinableRow *rows;    /* of the first GPU alone */
} TrialFacts;

typedef struct Shared {
    const void *bytes;
    size_t length;
} Shared;

/* What functions share; NULL: not asked for yet. */
struct OfModule {
    Arena *arena;               /* of what is here */
    Session **items;            /* per function; of trials: NULL: not asked for in this one */
    SimProgram *program;        /* of the runs */
    const OpCycles **ops;       /* per GPU */
    Writers *writers;
    UsageMarks *marks;          /* of functions that are done; NULL: none yet */
    const Usage *usage;
    const bool *rare_funcs;     /* per function: hardly ever called; NULL: not asked for */
    DemandScan *demands;
    /* per function that others have the code of, for the only GPU; NULL: not known yet, or there
     * are none */
    const Pressure **pressures;
    TrialFacts *facts;          /* of trials: per function and GPU */
    KeptRuns *runs;             /* of trials */
    bool has_variables;         /* that are no parameters */
    Shared shared[SHARED_SLOTS];        /* by hash: the last ones that were kept */
};

static inline FuncId ptx_session_id(const Session *s)
{
    return (FuncId)(s->func - s->all->module->funcs);
}

static inline bool ptx_session_is_trial(const Session *s)
{
    return s->all->base != NULL;
}

static inline TrialFacts *ptx_session_trial_facts(const Sessions *trials, FuncId func, size_t gpu)
{
    return &trials->own->facts[func * trials->gpu_count + gpu];
}

/* ---- session.c ------------------------------------------------------------------------------- */

/* Where figures are kept; what goes with the function in hand: liveness and values take as much as
 * the instructions; control flow. */
Arena *ptx_session_kept_arena(const Session *s);
Arena *ptx_session_passing_arena(const Session *s);
Arena *ptx_session_flow_arena(const Session *s);
/* While the function is in hand, with its definitions too. */
FuncFlow ptx_session_flow_with_defs(Session *s);
/* By the first GPU. */
const JoinableRow *ptx_session_joinable_in(Session *s, Arena *arena);
OfGpu *ptx_session_gpu(Session *s, size_t gpu);
Writers *ptx_sessions_writers(Sessions *all);
DemandScan *ptx_sessions_demands(Sessions *all);

/* runs.c: BUDGET_FIGURES. */
const Evaluation *ptx_session_evaluation_for_figures(Session *s);

/* trials.c */
Session *ptx_session_for_trial(Sessions *all, FuncId func);

#endif
