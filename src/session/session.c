#include "session/session.h"

#include "analysis/redundancy/fuse.h"
#include "analysis/redundancy/dead_code.h"
#include "analysis/time/work.h"
#include "analysis/redundancy/mod_ref.h"
#include "support/minmax.h"
#include "support/hash.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/mix.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/redundancy/usage.h"
#include "analysis/redundancy/wgmma_registers.h"
#include "analysis/registers/register_count.h"
#include "analysis/sass/joinable.h"
#include "analysis/sass/sass.h"
#include "analysis/sim/program.h"
#include "analysis/time/predict.h"
#include "analysis/time/throughput.h"
#include "analysis/trips/trip.h"
#include "analysis/value/launch.h"
#include "analysis/value/lane_branches.h"
#include "analysis/value/must_diverge.h"
#include "analysis/value/uniform.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/module.h"
#include "session/residency.h"
#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"
#include "analysis/access/divergence.h"
#include "analysis/race/block_race.h"
#include "analysis/race/hazard.h"
#include "analysis/time/parallelism.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/sass/executed.h"
#include "analysis/value/points_to.h"
#include "analysis/value/rare_branch.h"

#include <math.h>
#include <string.h>

enum {
    PREDICT_STEPS = 1 << 16,    /* of warps, for one block that stands for all */
    BALANCE_STEPS = 1 << 18,    /* of warps, to see how blocks and warps differ */
    TRIAL_STEPS = 1 << 18,      /* of warps, where a trial does not say how many */
    /* of a module: machine instructions of more are computed again where a trial asks for them */
    MAX_KEPT_INSNS = 1 << 16,
    SHARED_SLOTS = 1 << 9,      /* a power of two */
};

typedef struct Predicted {
    bool is_made;
    const Evaluation *evaluation;       /* that it rests on; NULL: the launch is not known */
    Prediction prediction;
    /* per instruction: of loads of global memory, as predicted; NULL: not known */
    const float *load_clocks;
} Predicted;

typedef struct OfGpu {
    const Throughput *throughput;
    const Lowered *lowered;
    const Pressure *pressure;
    /* while the function is in hand */
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
    const bool *fp64_trips, *unused_results, *read_only;
    const uint32_t *loop_overhead;
    const MatrixFaults *matrix_faults;
    const Pressure *unbounded;
    const Hazards *hazards;
    const BlockRace *block_race;
    const Evaluation *evaluations[BUDGET__COUNT];
    DivergenceCosts *divergence;
    const Trace *trace;
    Predicted predicted;        /* BUDGET_TIME */
    const Parallelisms *parallelisms;
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
    bool has_flow, has_live, was_evaluated;
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
    Session **items;            /* per function; of trials: NULL: not asked for in this one */
    SimProgram *program;        /* of the runs */
    const OpCycles **ops;       /* per GPU */
    Writers *writers;
    const Usage *usage;
    DemandScan *demands;
    TrialFacts *facts;          /* of trials: per function and GPU */
    bool is_large;              /* MAX_KEPT_INSNS */
    Shared shared[SHARED_SLOTS];        /* by hash: the last ones that were kept */
};

/* ---- all functions --------------------------------------------------------------------------- */

void ptx_sessions_begin(Sessions *all)
{
    const Module *module = all->module;
    Session *items = ptx_arena_array(all->arena, Session, module->func_count + 1);
    all->own = ptx_arena_new(all->arena, struct OfModule);
    all->own->items = ptx_arena_array(all->arena, Session *, module->func_count + 1);
    all->own->ops = ptx_arena_array(all->arena, const OpCycles *, all->gpu_count + 1);
    size_t insns = 0;
    for (FuncId f = 0; f < module->func_count; f++) {
        insns += module->funcs[f].insn_count;
        items[f] = (Session){ .all = all, .func = &module->funcs[f], .launch = all->launches[f] };
        all->own->items[f] = &items[f];
    }
    all->own->is_large = insns > MAX_KEPT_INSNS;
}

Session *ptx_sessions_of(const Sessions *all, FuncId func)
{
    return all->own->items[func];
}

void ptx_sessions_take(Sessions *all, const Sessions *from, FuncId func)
{
    all->own->items[func] = from->own->items[func];
}

const OpCycles *ptx_sessions_ops(Sessions *all, size_t gpu)
{
    if (!all->own->ops[gpu])
        all->own->ops[gpu] = ptx_throughput_ops(all->arena, all->module, all->gpus[gpu]);
    return all->own->ops[gpu];
}

const Usage *ptx_sessions_usage(Sessions *all)
{
    if (!all->own->usage)
        all->own->usage = ptx_usage_compute(all->arena, all->scratch, all->module);
    return all->own->usage;
}

const void *ptx_sessions_share(Sessions *all, const void *bytes, size_t length)
{
    Shared *slot = &all->own->shared[ptx_hash_bytes(bytes, length) & (SHARED_SLOTS - 1)];
    if (!slot->bytes || slot->length != length || memcmp(slot->bytes, bytes, length) != 0) {
        void *copy = ptx_arena_alloc(all->arena, length);
        memcpy(copy, bytes, length);
        *slot = (Shared){ copy, length };
    }
    return slot->bytes;
}

const char *ptx_sessions_text(Sessions *all, const char *text)
{
    return ptx_sessions_share(all, text, strlen(text) + 1);
}

static Writers *writers_of(Sessions *all)
{
    if (!all->own->writers)
        all->own->writers = ptx_writers_new(all->arena, all->module, all->calls);
    return all->own->writers;
}

static DemandScan *demands_of(Sessions *all)
{
    if (!all->own->demands)
        all->own->demands = ptx_demand_scan_new(all->arena, all->module);
    return all->own->demands;
}

/* ---- the function in hand -------------------------------------------------------------------- */

static FuncId id_of(const Session *s)
{
    return (FuncId)(s->func - s->all->module->funcs);
}

static bool is_trial(const Session *s)
{
    return s->all->base != NULL;
}

void ptx_session_begin(Session *s)
{
    ArenaMark mark = ptx_arena_mark(s->all->work);
    s->passing = ptx_arena_new(s->all->work, Passing);
    s->passing->mark = mark;
}

static void keep_values(Session *s)
{
    KeptValue *values = ptx_arena_array(s->all->arena, KeptValue, s->func->insn_count + 1);
    for (InsnId i = 0; i < s->func->insn_count; i++)
        values[i] = ptx_value_keep(&s->uniforms->insns[i]);
    s->values = values;
}

void ptx_session_end(Session *s)
{
    if (s->all->keeps_live)
        ptx_session_live(s);
    ArenaMark mark = s->passing->mark;
    const bool has_lowered = s->passing->has_lowered;
    s->passing = NULL;
    s->evaluation = NULL;
    s->was_evaluated = false;
    for (size_t g = 0; s->gpus && g < s->all->gpu_count; g++) {
        OfGpu *of = &s->gpus[g];
        of->executed = NULL;
        of->parallelisms = NULL;
        of->residency = NULL;
        of->predicted = NULL;
        of->predict_facts = NULL;
        of->lowered = has_lowered ? NULL : of->lowered;
    }
    if (s->all->has_figures && !is_trial(s) && s->uniforms && !s->values)
        keep_values(s);
    if (!s->all->is_for_estimates) {
        s->uniforms = NULL;
        if (!s->all->keeps_live) {
            s->live = NULL;
            s->has_live = false;
        }
    }
    if (!s->all->has_figures) {
        s->trips = NULL;
        s->work = NULL;
        s->shape = NULL;
        s->demand = NULL;
        s->gpus = NULL;
        s->mixes = NULL;
        s->cfg = NULL;
        s->dom = NULL;
        s->loops = NULL;
        s->has_flow = false;
    }
    if (is_trial(s))
        memset(s->all->own->items, 0, s->all->module->func_count * sizeof *s->all->own->items);
    ptx_arena_release(s->all->work, mark);
}

const Func *ptx_session_func(const Session *s)
{
    return s->func;
}

const CallNode *ptx_session_calls(const Session *s)
{
    return &s->all->calls->nodes[id_of(s)];
}

const Launch *ptx_session_launch(const Session *s)
{
    return s->launch;
}

bool ptx_session_is_projected(Session *s)
{
    return s->all->has_figures && s->all->gpu_count && s->func->is_entry && ptx_session_cfg(s);
}

bool ptx_session_has_model(Session *s)
{
    return s->all->gpu_count && s->func->is_entry && ptx_session_cfg(s)
           && (s->all->has_figures || s->launch->block[0]);
}

static Arena *kept_of(const Session *s)
{
    return s->all->has_figures && !is_trial(s) ? s->all->arena : s->all->work;
}

/* Of what goes with the function in hand: liveness and values take as much as the instructions. */
static Arena *passing_arena(const Session *s)
{
    return s->passing && !s->all->is_for_estimates ? s->all->work : s->all->arena;
}

/* Where findings alone are asked for, what is computed while a function is in hand goes with it. */
static Arena *flow_arena(const Session *s)
{
    return s->passing && !s->all->has_figures ? s->all->work : s->all->arena;
}

static OfGpu *of_gpu(Session *s, size_t gpu)
{
    if (!s->gpus)
        s->gpus = ptx_arena_array(kept_of(s), OfGpu, s->all->gpu_count + 1);
    return &s->gpus[gpu];
}

static TrialFacts *trial_facts(const Sessions *trials, FuncId func, size_t gpu)
{
    return &trials->own->facts[func * trials->gpu_count + gpu];
}

/* ---- flow ------------------------------------------------------------------------------------ */

static void make_flow(Session *s)
{
    Sessions *all = s->all;
    s->has_flow = true;
    if (!all->calls)
        return;
    s->cfg = ptx_cfg_build(flow_arena(s), all->scratch, all->module, s->func);
    if (!s->cfg)
        return;
    s->dom = ptx_dom_compute(flow_arena(s), all->scratch, s->cfg);
    s->loops = ptx_loops_compute(flow_arena(s), all->scratch, s->cfg, s->dom);
}

const Cfg *ptx_session_cfg(Session *s)
{
    if (!s->has_flow)
        make_flow(s);
    return s->cfg;
}

const Dom *ptx_session_dom(Session *s)
{
    ptx_session_cfg(s);
    return s->dom;
}

const Loops *ptx_session_loops(Session *s)
{
    ptx_session_cfg(s);
    return s->loops;
}

FuncFlow ptx_session_flow(Session *s)
{
    ptx_session_cfg(s);
    return (FuncFlow){ s->all->module, s->func, s->cfg, s->dom, s->loops };
}

const Live *ptx_session_live(Session *s)
{
    if (!s->has_live && ptx_session_cfg(s))
        s->live = ptx_live_compute(s->all->keeps_live ? s->all->arena : passing_arena(s),
                                   s->all->scratch, s->all->diags, s->func, s->cfg);
    s->has_live = true;
    return s->live;
}

const Mixes *ptx_session_mixes(Session *s)
{
    const Trips *trips = s->all->has_figures ? ptx_session_trips(s) : NULL;
    const FuncFlow flow = ptx_session_flow(s);
    if (!s->mixes)
        s->mixes = ptx_mix_compute(flow_arena(s), s->all->scratch, &flow, trips);
    return s->mixes;
}

/* ---- values and costs ------------------------------------------------------------------------ */

const Uniforms *ptx_session_uniforms(Session *s)
{
    if (!s->uniforms) {
        const FuncFlow flow = ptx_session_flow(s);
        const Launch *launch = s->all->launches[id_of(s)];
        Arena *arena = passing_arena(s);
        const Defs *defs = arena == s->all->work ? ptx_session_defs(s) : NULL;
        s->uniforms = ptx_uniform_compute(arena, s->all->scratch, &flow, defs, launch);
    }
    return s->uniforms;
}

const KeptValue *ptx_session_values(const Session *s)
{
    return s->values;
}

const Live *ptx_session_kept_live(const Session *s)
{
    return s->all->keeps_live ? s->live : NULL;
}

const Trips *ptx_session_trips(Session *s)
{
    if (!s->trips) {
        const FuncFlow flow = ptx_session_flow(s);
        s->trips = ptx_trips_compute(kept_of(s), s->all->scratch, &flow, s->launch);
    }
    return s->trips;
}

const uint8_t *ptx_session_work(Session *s)
{
    if (!s->work)
        s->work = ptx_work_compute(kept_of(s), s->all->scratch, s->func, ptx_session_cfg(s),
                                   s->loops, ptx_session_live(s));
    return s->work;
}

const Throughput *ptx_session_throughput(Session *s, size_t gpu)
{
    OfGpu *of = of_gpu(s, gpu);
    if (of->throughput)
        return of->throughput;
    const FuncFlow flow = ptx_session_flow(s);
    const ThroughputInput in = { .trips = ptx_session_trips(s),
                                 .work = ptx_session_work(s),
                                 .ops = ptx_sessions_ops(s->all, gpu),
                                 .gpu = s->all->gpus[gpu] };
    of->throughput = ptx_throughput_compute(kept_of(s), s->all->scratch, &flow, &in);
    return of->throughput;
}

/* Of a large module those of the function in hand go with it. */
static Arena *lowered_arena(Session *s)
{
    if (is_trial(s))
        return s->all->arena;
    if (!s->passing || !s->all->own->is_large)
        return kept_of(s);
    s->passing->has_lowered = true;
    return s->all->work;
}

const Lowered *ptx_session_lowered(Session *s, size_t gpu)
{
    OfGpu *of = of_gpu(s, gpu);
    if (of->lowered)
        return of->lowered;
    const FuncFlow flow = ptx_session_flow(s);
    of->lowered = ptx_lowered_compute(lowered_arena(s), s->all->scratch, &flow,
                                      ptx_session_uniforms(s), s->all->gpus[gpu]->target);
    if (is_trial(s))
        trial_facts(s->all, id_of(s), gpu)->lowered = of->lowered;
    return of->lowered;
}

static const Pressure *make_pressure(Session *s, Arena *arena, const Func *func, size_t gpu)
{
    Pressure *out = ptx_arena_new(arena, Pressure);
    const Lowered *lowered = ptx_session_lowered(s, gpu);
    FuncFlow flow = ptx_session_flow(s);
    flow.func = func;
    *out = ptx_pressure_compute(s->all->scratch, &flow, ptx_session_live(s), lowered,
                                s->all->gpus[gpu]);
    return out;
}

const Pressure *ptx_session_pressure(Session *s, size_t gpu)
{
    OfGpu *of = of_gpu(s, gpu);
    if (!of->pressure)
        of->pressure = make_pressure(s, kept_of(s), s->func, gpu);
    return of->pressure;
}

/* Few kernels are near their cap: registers are estimated only where nothing cheaper decides. */
Spills ptx_session_spills(Session *s)
{
    const Gpu *gpu = s->all->gpus[0];
    const Live *live = ptx_session_live(s);
    if (live && !of_gpu(s, 0)->pressure) {
        if (!ptx_pressure_may_spill(gpu, s->func, live))
            return SPILLS_UNLIKELY;
        const Lowered *lowered = ptx_session_lowered(s, 0);
        const FuncFlow flow = ptx_session_flow(s);
        const Spills spills = ptx_pressure_find_spills(s->all->scratch, &flow, live, lowered, gpu);
        if (spills != SPILLS_POSSIBLE)
            return spills;
    }
    const Pressure *pressure = ptx_session_pressure(s, 0);
    return pressure->is_known ? pressure->spills : SPILLS_UNKNOWN;
}

const Pressure *ptx_session_unbounded_pressure(Session *s)
{
    if (s->passing->unbounded)
        return s->passing->unbounded;
    Func *func = ptx_arena_new(s->all->work, Func);
    *func = *s->func;
    func->bounds = (Bounds){ 0 };
    return s->passing->unbounded = make_pressure(s, s->all->work, func, 0);
}

/* ---- launch and residency -------------------------------------------------------------------- */

const LaunchShape *ptx_session_shape(Session *s)
{
    if (s->shape)
        return s->shape;
    LaunchShape *out = ptx_arena_new(kept_of(s), LaunchShape);
    *out = ptx_launch_shape_find(s->func, s->launch, !is_trial(s));
    return s->shape = out;
}

const Demand *ptx_session_demand(Session *s)
{
    if (s->demand)
        return s->demand;
    Demand *out = ptx_arena_new(kept_of(s), Demand);
    *out = ptx_demand_compute(demands_of(s->all), s->all->scratch, s->all->calls, id_of(s));
    return s->demand = out;
}

static int64_t max_live(Session *s)
{
    const Live *live = ptx_session_live(s);
    bool is_known = live && live->max_insn != NO_ID && !s->func->has_syntax_error;
    return is_known ? (int64_t)live->max_pressure : -1;
}

const PtxasUsage *ptx_session_ptxas_usage(const Session *s, size_t gpu)
{
    return s->all->said ? s->all->said[id_of(s) * s->all->gpu_count + gpu] : NULL;
}

const Residency *ptx_session_residency(Session *s, size_t gpu)
{
    const Sessions *all = s->all;
    OfGpu *of = of_gpu(s, gpu);
    if (of->residency)
        return of->residency;
    const ResidencyInput in = {
        .gpu = all->gpus[gpu],
        .shape = ptx_session_shape(s),
        .demand = ptx_session_demand(s),
        .said = ptx_session_ptxas_usage(s, gpu),
        .model = ptx_session_has_model(s) ? ptx_session_pressure(s, gpu) : NULL,
        .max_live = max_live(s),
        .max_registers = all->trial.max_registers,
    };
    Residency *out = ptx_arena_new(s->all->work, Residency);
    *out = ptx_residency_compute(&in);
    return of->residency = out;
}

/* ---- what findings ask for ------------------------------------------------------------------- */

const Defs *ptx_session_defs(Session *s)
{
    Passing *p = s->passing;
    if (!p->defs)
        p->defs = s->uniforms ? s->uniforms->defs
                              : ptx_defs_compute(s->all->work, s->func, ptx_session_cfg(s),
                                                 s->loops);
    return p->defs;
}

const PointsToSet *ptx_session_points_to(Session *s)
{
    Passing *p = s->passing;
    if (!p->bases)
        p->bases = ptx_points_to_sets_compute(s->all->work, s->all->scratch, s->all->module,
                                              s->func);
    return p->bases;
}

const MustDiverge *ptx_session_must_diverge(Session *s)
{
    Passing *p = s->passing;
    if (!p->splits) {
        const FuncFlow flow = ptx_session_flow(s);
        p->splits = ptx_must_diverge_compute(s->all->work, s->all->scratch, &flow,
                                             ptx_session_uniforms(s), s->launch);
    }
    return p->splits;
}

const bool *ptx_session_lane_branches(Session *s)
{
    Passing *p = s->passing;
    if (!p->lane_branches)
        p->lane_branches = ptx_lane_branches_compute(s->all->work, s->all->scratch, s->func,
                                                     ptx_session_cfg(s));
    return p->lane_branches;
}

/* All of them in a function that is hardly ever called. */
const bool *ptx_session_rare_blocks(Session *s)
{
    Passing *p = s->passing;
    const Sessions *all = s->all;
    const Cfg *cfg = ptx_session_cfg(s);
    if (p->rare_blocks)
        return p->rare_blocks;
    p->rare_blocks = ptx_rare_blocks_compute(all->work, all->scratch, s->func, cfg);
    if (!s->func->is_entry
        && ptx_func_is_rare(all->temp, all->scratch, all->module, all->calls, id_of(s))) {
        bool *is_rare = ptx_arena_array(all->work, bool, cfg->block_count);
        memset(is_rare, true, cfg->block_count * sizeof *is_rare);
        p->rare_blocks = is_rare;
    }
    return p->rare_blocks;
}

LaneSplits *ptx_session_lane_splits(Session *s)
{
    Passing *p = s->passing;
    if (!p->lane_splits) {
        const FuncFlow flow = ptx_session_flow(s);
        p->lane_splits = ptx_lane_splits_new(s->all->work, &flow, s->launch);
    }
    return p->lane_splits;
}

/* Only loops ask for definitions. */
static const Defs *defs_in_loops(Session *s)
{
    return ptx_session_loops(s)->loop_count ? ptx_session_defs(s) : s->passing->defs;
}

const RedundantLoads *ptx_session_redundant_loads(Session *s)
{
    Passing *p = s->passing;
    if (!p->repeats) {
        const FuncFlow flow = ptx_session_flow(s);
        p->repeats = ptx_redundant_loads_compute(s->all->work, s->all->scratch, &flow,
                                                 defs_in_loops(s));
    }
    return p->repeats;
}

const InsnId *ptx_session_fused(Session *s)
{
    Passing *p = s->passing;
    if (!p->fused)
        p->fused = ptx_fuse_compute(s->all->work, s->all->scratch, s->func, ptx_session_cfg(s));
    return p->fused;
}

const JoinableRow *ptx_session_joinable(Session *s)
{
    Passing *p = s->passing;
    if (!p->joinable)
        p->joinable = ptx_joinable_rows_compute(s->all->work, s->all->module, s->func,
                                                ptx_session_cfg(s));
    return p->joinable;
}

const bool *ptx_session_fp64_trips(Session *s)
{
    Passing *p = s->passing;
    if (!p->fp64_trips)
        p->fp64_trips = ptx_fp64_trips_compute(s->all->work, s->all->scratch, s->func);
    return p->fp64_trips;
}

const bool *ptx_session_unused_results(Session *s)
{
    Passing *p = s->passing;
    if (!p->unused_results)
        p->unused_results = ptx_dead_code_compute(s->all->work, s->all->scratch, s->func,
                                                  ptx_session_cfg(s), ptx_session_live(s));
    return p->unused_results;
}

const uint32_t *ptx_session_loop_overhead(Session *s)
{
    Passing *p = s->passing;
    if (!p->loop_overhead)
        p->loop_overhead = ptx_loop_overhead_compute(
            s->all->work, s->all->scratch, s->func, ptx_session_cfg(s), s->loops, defs_in_loops(s));
    return p->loop_overhead;
}

const bool *ptx_session_read_only(Session *s)
{
    Passing *p = s->passing;
    if (!p->read_only)
        p->read_only = ptx_read_only_params_compute(s->all->work, s->all->scratch,
                                                    writers_of(s->all), s->func, ptx_session_cfg(s),
                                                    ptx_session_points_to(s));
    return p->read_only;
}

const MatrixFaults *ptx_session_matrix_faults(Session *s)
{
    Passing *p = s->passing;
    if (!p->was_multiplied && !s->func->has_unknown)
        p->matrix_faults = ptx_matrix_faults_compute(s->all->work, s->all->scratch, s->func,
                                                     ptx_session_cfg(s));
    p->was_multiplied = true;
    return p->matrix_faults;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What is found of functions whatever the launch goes with the function in hand; trials of one
 * kernel come one after the other, and keep it. */
static const SimProgram *program_of(Session *s)
{
    Sessions *all = s->all;
    const bool has_defs = ptx_session_cfg(s) && !is_trial(s);   /* trials keep their plans */
    const SimFlow flow = { s->cfg, s->dom, s->loops, has_defs ? ptx_session_defs(s) : NULL };
    bool is_first = !all->own->program;
    if (is_first)
        all->own->program = ptx_program_new(all->arena, all->code);
    if (is_trial(s) && is_first)
        ptx_program_keep(all->own->program, all->arena);
    else if (!is_trial(s) && !s->passing->keeps_plans)
        ptx_program_keep(all->own->program, all->work);
    s->passing->keeps_plans = true;
    ptx_program_plan(all->own->program, all->scratch, id_of(s), flow);
    return all->own->program;
}

typedef struct Effort {
    uint64_t steps;
    Depth depth;
} Effort;

/* No way leads out of the function: a run spends whatever it is allowed. */
static bool is_endless(const Func *func, const Cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        const Block *block = &cfg->blocks[cfg->rpo[i]];
        for (uint32_t e = 0; e < block->succ_count; e++)
            if (cfg->succs[block->succ_first + e] == EXIT_BLOCK)
                return false;
    }
    return !func->has_calls;    /* what is called may end the thread */
}

static Effort planned_effort(const Session *s, EvaluationBudget budget)
{
    const uint64_t tried = s->all->trial.steps;
    const Effort efforts[BUDGET__COUNT] = {
        [BUDGET_FINDINGS] = { EVALUATE_STEPS_FLOOR + (uint64_t)EVALUATE_STEPS_PER_INSN * s->func->insn_count, DEPTH_QUICK },
        [BUDGET_TIME] = { PREDICT_STEPS, DEPTH_FEW },
        [BUDGET_BALANCE] = { BALANCE_STEPS, DEPTH_WHOLE },
        [BUDGET_FIGURES] = { s->launch->grid[0] ? EVALUATE_STEPS_REPORT : EVALUATE_STEPS_SAMPLE + (uint64_t)EVALUATE_STEPS_PER_SAMPLE * s->func->insn_count, DEPTH_WHOLE },
    };
    if (is_trial(s))
        return tried ? (Effort){ tried, DEPTH_WHOLE } : (Effort){ TRIAL_STEPS, DEPTH_FEW };
    return efforts[budget];
}

static Effort effort_of(Session *s, EvaluationBudget budget)
{
    Effort effort = planned_effort(s, budget);
    const uint64_t once = EVALUATE_STEPS_FLOOR
                          + (uint64_t)EVALUATE_STEPS_PER_INSN * s->func->insn_count;
    if (effort.steps > once && is_endless(s->func, ptx_session_cfg(s)))
        effort.steps = once;
    return effort;
}

static KernelRun run_of(Session *s)
{
    const Sessions *all = s->all;
    return (KernelRun){ .arena = all->work, .work = all->temp, .scratch = all->scratch,
                        .program = program_of(s), .kernel = id_of(s), .launch = s->launch };
}

/* Trials keep them. */
static const JoinableRow *rows_of_trial(Session *s)
{
    const Sessions *all = s->all;
    if (!all->gpu_count)
        return NULL;
    TrialFacts *facts = trial_facts(all, id_of(s), 0);
    if (!facts->rows)
        facts->rows = ptx_joinable_rows_compute(all->arena, all->module, s->func,
                                                ptx_session_cfg(s));
    return facts->rows;
}

static const Evaluation *evaluate(Session *s, EvaluationBudget budget)
{
    const Sessions *all = s->all;
    const Effort effort = effort_of(s, budget);
    const Gpu *gpu = all->gpu_count ? all->gpus[all->trial.gpu] : NULL;
    KernelRun run = run_of(s);
    if (budget == BUDGET_FIGURES && effort.depth != DEPTH_QUICK)
        run.rows = is_trial(s) ? rows_of_trial(s) : ptx_session_joinable(s);
    return ptx_evaluate(&run, gpu, effort.steps, effort.depth);
}

/* Where the grid is unknown, and the budget would not do for a block: what findings rest on, its
 * first warp and its last. NULL: it would do, or this is not known. */
static const Evaluation *evaluation_of_ends(Session *s)
{
    if (is_trial(s) || s->launch->grid[0] || s->func->has_unknown)
        return NULL;
    const Evaluation *ends = ptx_session_evaluation(s, BUDGET_FINDINGS);
    const uint64_t of_block = effort_of(s, BUDGET_FIGURES).steps / 2;
    const int64_t warps = ptx_session_shape(s)->warps_per_block;
    if (!ends || ends->is_cut || ends->mean_work * (double)warps <= (double)of_block)
        return NULL;
    return ends;
}

/* Only of kernels: the callers of a function are not known. */
static const Evaluation *evaluation_for_figures(Session *s)
{
    if (!s->was_evaluated && ptx_session_is_projected(s)) {
        s->evaluation = evaluation_of_ends(s);
        if (!s->evaluation)
            s->evaluation = evaluate(s, BUDGET_FIGURES);
    }
    s->was_evaluated = true;
    return s->evaluation;
}

const Evaluation *ptx_session_evaluation(Session *s, EvaluationBudget budget)
{
    if (budget == BUDGET_FIGURES)
        return evaluation_for_figures(s);
    Passing *p = s->passing;
    if (!p->was_evaluated[budget] && s->func->is_entry && !s->func->has_unknown)
        p->evaluations[budget] = evaluate(s, budget);
    p->was_evaluated[budget] = true;
    return p->evaluations[budget];
}

DivergenceCosts *ptx_session_divergence(Session *s)
{
    const Evaluation *evaluation = ptx_session_evaluation(s, BUDGET_FINDINGS);
    if (evaluation && !s->passing->divergence)
        s->passing->divergence = ptx_divergence_new(s->all->work, evaluation, s->func,
                                                ptx_session_cfg(s), s->dom);
    return s->passing->divergence;
}

const Trace *ptx_session_trace(Session *s)
{
    Passing *p = s->passing;
    const Sessions *all = s->all;
    const Evaluation *evaluation = ptx_session_evaluation(s, BUDGET_FINDINGS);
    if (!p->was_traced && evaluation) {
        const KernelRun run = run_of(s);
        p->trace = ptx_trace_make(&run, all->gpu_count ? all->gpus[0] : NULL, evaluation);
    }
    p->was_traced = true;
    return p->trace;
}

const Hazards *ptx_session_hazards(Session *s)
{
    Passing *p = s->passing;
    if (!p->was_raced && s->func->is_entry && !s->func->has_unknown) {
        const KernelRun run = run_of(s);
        p->hazards = ptx_hazards_find(&run);
    }
    p->was_raced = true;
    return p->hazards;
}

const BlockRace *ptx_session_block_race(Session *s)
{
    Passing *p = s->passing;
    if (!p->was_raced_by_blocks && s->func->is_entry && !s->func->has_unknown) {
        const KernelRun run = run_of(s);
        p->block_race = ptx_global_race_find(&run);
        if (!p->block_race)
            p->block_race = ptx_cluster_race_find(&run);
    }
    p->was_raced_by_blocks = true;
    return p->block_race;
}

/* ---- trials ---------------------------------------------------------------------------------- */

void ptx_sessions_begin_trials(Sessions *trials, const Sessions *base)
{
    Arena *arena = trials->arena;
    trials->module = base->module;
    trials->calls = base->calls;
    trials->code = base->code;
    trials->launches = base->launches;
    trials->said = base->said;
    trials->gpus = base->gpus;
    trials->gpu_count = base->gpu_count;
    trials->has_figures = true;
    trials->base = base;
    trials->own = ptx_arena_new(arena, struct OfModule);
    trials->own->items = ptx_arena_array(arena, Session *, base->module->func_count + 1);
    trials->own->ops = ptx_arena_array(arena, const OpCycles *, base->gpu_count + 1);
    trials->own->facts = ptx_arena_array(arena, TrialFacts,
                                         base->module->func_count * base->gpu_count + 1);
    for (size_t g = 0; g < base->gpu_count; g++)
        trials->own->ops[g] = base->own->ops[g];
}

/* What is known of a function there but for what rests on its launch. Uniform values and machine
 * instructions of the launch that was analysed will do. */
static Session *adopt(Sessions *trials, FuncId func)
{
    const Session *known = ptx_sessions_of(trials->base, func);
    Session *s = ptx_arena_new(trials->work, Session);
    *s = *known;
    s->all = trials;
    s->gpus = ptx_arena_array(trials->work, OfGpu, trials->gpu_count + 1);
    for (size_t g = 0; known->gpus && g < trials->gpu_count; g++) {
        const TrialFacts *facts = trial_facts(trials, func, g);
        s->gpus[g] = (OfGpu){ .throughput = known->gpus[g].throughput,
                              .lowered = facts->lowered ? facts->lowered
                                                        : known->gpus[g].lowered,
                              .pressure = known->gpus[g].pressure,
                              .predict_facts = facts->predict };
    }
    s->shape = NULL;
    s->evaluation = NULL;
    s->was_evaluated = false;
    s->passing = NULL;
    return s;
}

static Session *session_for(Sessions *all, FuncId func)
{
    Session **at = &all->own->items[func];
    if (!*at)
        *at = adopt(all, func);
    return *at;
}

Session *ptx_session_try(Sessions *trials, FuncId func, const Trial *trial)
{
    ArenaMark mark = ptx_arena_mark(trials->work);
    Session *s = session_for(trials, func);
    trials->trial = *trial;
    s->launch = trial->launch;
    ptx_session_begin(s);
    s->passing->mark = mark;
    return s;
}

/* ---- what a launch executes ------------------------------------------------------------------ */

/* Of the functions that the kernel calls, in the order of its evaluation. lowered is NULL for what
 * is not there. */
static const Compiled *called_code(Session *s, const Evaluation *evaluation, size_t gpu)
{
    uint32_t count = evaluation ? evaluation->func_count : 0;
    Compiled *codes = ptx_arena_array(s->all->work, Compiled, count + 1);
    for (uint32_t c = 0; c < count; c++) {
        Session *callee = session_for(s->all, evaluation->funcs[c].func);
        const Cfg *cfg = ptx_session_cfg(callee);
        codes[c] = (Compiled){ callee->func, cfg, callee->loops,
                               cfg ? ptx_session_lowered(callee, gpu) : NULL };
    }
    return codes;
}

static Executed executed_by(Session *s, size_t gpu, const Evaluation *evaluation,
                            const Compiled *called)
{
    const Lowered *lowered = ptx_session_lowered(s, gpu);
    const Compiled own = { s->func, s->cfg, s->loops, lowered };
    return ptx_executed_compute(&own, called, evaluation);
}

const Executed *ptx_session_executed(Session *s, size_t gpu)
{
    OfGpu *of = of_gpu(s, gpu);
    if (of->executed)
        return of->executed;
    Executed *out = ptx_arena_new(s->all->work, Executed);
    const Evaluation *evaluation = evaluation_for_figures(s);
    *out = executed_by(s, gpu, evaluation, called_code(s, evaluation, gpu));
    return of->executed = out;
}

/* ---- time ------------------------------------------------------------------------------------ */

static double number(int64_t value)
{
    return value < 0 ? (double)NAN : (double)value;
}

static const PredictFacts *predict_facts(Session *s, size_t gpu, const PredictInput *in)
{
    Sessions *all = s->all;
    OfGpu *of = of_gpu(s, gpu);
    if (of->predict_facts)
        return of->predict_facts;
    of->predict_facts = ptx_predict_facts_compute(is_trial(s) ? all->arena : all->work,
                                                  all->scratch, in, ptx_session_defs(s));
    if (is_trial(s))
        trial_facts(all, id_of(s), gpu)->predict = of->predict_facts;
    return of->predict_facts;
}

static void predict(Session *s, size_t gpu, const Executed *executed, Predicted *out)
{
    const LaunchShape *shape = ptx_session_shape(s);
    float *load_clocks = ptx_arena_array(s->all->work, float, s->func->insn_count);
    PredictInput in = {
        .gpu = s->all->gpus[gpu],
        .module = s->all->module,
        .func = s->func,
        .cfg = s->cfg,
        .dom = s->dom,
        .loops = s->loops,
        .lowered = ptx_session_lowered(s, gpu),
        .executed = executed,
        .evaluation = out->evaluation,
        .launch = ptx_session_launch(s),
        .ops = ptx_sessions_ops(s->all, gpu),
        .work = ptx_session_work(s),
        .blocks = number(shape->blocks),
        .warps_per_block = shape->is_block_assumed ? (double)NAN : number(shape->warps_per_block),
        .blocks_per_sm = number(ptx_session_residency(s, gpu)->occupancy.blocks_per_sm),
        .spills_likely = ptx_session_residency(s, gpu)->spills == SPILLS_LIKELY,
        .spilled = ptx_session_residency(s, gpu)->spilled,
        .load_clocks = load_clocks,
    };
    if (ptx_predict_is_possible(&in))
        in.facts = predict_facts(s, gpu, &in);
    out->prediction = ptx_predict(s->all->scratch, &in);
    out->load_clocks = out->prediction.certainty == CERTAINTY_UNKNOWN ? NULL : load_clocks;
}

static Predicted *predicted_for(Session *s, EvaluationBudget budget, size_t gpu)
{
    if (budget == BUDGET_TIME)
        return &s->passing->predicted;
    OfGpu *of = of_gpu(s, gpu);
    if (!of->predicted)
        of->predicted = ptx_arena_new(s->all->work, Predicted);
    return of->predicted;
}

bool ptx_session_is_launch_known(Session *s)
{
    const LaunchShape *shape = ptx_session_shape(s);
    bool is_known = !shape->is_block_assumed && shape->blocks > 0 && shape->threads_per_block > 0;
    return is_known && s->all->gpu_count
           && ptx_session_residency(s, 0)->occupancy.blocks_per_sm > 0;
}

double ptx_session_resident_warps(Session *s, size_t gpu)
{
    const LaunchShape *shape = ptx_session_shape(s);
    if (shape->is_block_assumed)
        return NAN;
    double each = number(shape->warps_per_block),
           fit = number(ptx_session_residency(s, gpu)->occupancy.blocks_per_sm);
    double come = ceil(number(shape->blocks) / s->all->gpus[gpu]->figures[FIGURE_SMS]);
    return each * ptx_double_min(come, fit);
}

/* Whether there is a launch to be predicted, which does not fail. */
static bool can_predict(Session *s, EvaluationBudget budget)
{
    if (ptx_session_shape(s)->error)
        return false;
    if (budget == BUDGET_FIGURES)
        return ptx_session_is_projected(s);
    return s->func->is_entry && !s->func->has_unknown && ptx_session_cfg(s)
           && ptx_session_is_launch_known(s);
}

const Prediction *ptx_session_predict(Session *s, EvaluationBudget budget, size_t gpu)
{
    Predicted *out = predicted_for(s, budget, gpu);
    if (out->is_made)
        return &out->prediction;
    const bool can = can_predict(s, budget);
    out->is_made = true;
    out->prediction = ptx_prediction_unknown;
    out->evaluation = can ? ptx_session_evaluation(s, budget) : NULL;
    /* a part of a block stands for nothing */
    bool is_whole = out->evaluation && !out->evaluation->is_cut;
    if (budget == BUDGET_FIGURES && can) {
        predict(s, gpu, ptx_session_executed(s, gpu), out);
    } else if (is_whole) {
        const Executed executed = executed_by(s, gpu, out->evaluation, NULL);
        predict(s, gpu, &executed, out);
    }
    return &out->prediction;
}

const Evaluation *ptx_session_predicted_evaluation(const Session *s)
{
    return s->passing->predicted.evaluation;
}

static const Parallelisms *make_parallelisms(Session *s, Arena *arena, size_t gpu,
                                             const Evaluation *evaluation, const float *load_clocks)
{
    const FuncFlow flow = ptx_session_flow(s);
    const ParallelismInput in = { .lowered = ptx_session_lowered(s, gpu),
                                  .evaluation = evaluation,
                                  .load_clocks = load_clocks,
                                  .gpu = s->all->gpus[gpu] };
    return ptx_parallelism_compute(arena, s->all->scratch, &flow, &in);
}

const Parallelisms *ptx_session_parallelisms(Session *s, EvaluationBudget budget, size_t gpu)
{
    const Predicted *predicted = predicted_for(s, budget, gpu);
    if (budget == BUDGET_TIME) {
        if (!s->passing->parallelisms)
            s->passing->parallelisms = make_parallelisms(
                s, s->all->work, gpu, predicted->evaluation, predicted->load_clocks);
        return s->passing->parallelisms;
    }
    OfGpu *of = of_gpu(s, gpu);
    if (!of->parallelisms)
        of->parallelisms = make_parallelisms(s, s->all->work, gpu, evaluation_for_figures(s),
                                             predicted->load_clocks);
    return of->parallelisms;
}
