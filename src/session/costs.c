#include "session/state.h"

#include "analysis/flow/liveness.h"
#include "analysis/registers/register_count.h"
#include "analysis/sass/sass.h"
#include "analysis/time/throughput.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "session/residency.h"

const Throughput *ptx_session_throughput(Session *s, size_t gpu)
{
    OfGpu *of = ptx_session_gpu(s, gpu);
    if (of->throughput)
        return of->throughput;
    const FuncFlow flow = ptx_session_flow(s);
    const ThroughputInput in = { .trips = ptx_session_trips(s),
                                 .work = ptx_session_work(s),
                                 .ops = ptx_sessions_ops(s->all, gpu),
                                 .gpu = s->all->gpus[gpu] };
    of->throughput = ptx_throughput_compute(ptx_session_kept_arena(s), s->all->scratch, &flow, &in);
    return of->throughput;
}

/* They take as much as the module: those of the function in hand go with it, as its liveness
 * does. */
static Arena *lowered_arena(Session *s)
{
    if (ptx_session_is_trial(s))
        return s->all->arena;
    if (!s->passing || s->all->keeps_live)
        return ptx_session_kept_arena(s);
    s->passing->has_lowered = true;
    return s->all->work;
}

static bool has_same_target(const Gpu *a, const Gpu *b)
{
    return ptx_target_is_same(a->target, b->target);
}

/* The first of the GPUs for which all that is asked is the same. */
static size_t first_like(const Session *s, size_t gpu, bool (*is_alike)(const Gpu *, const Gpu *))
{
    const Gpu *const *gpus = s->all->gpus;
    size_t g = 0;
    while (g < gpu && !is_alike(gpus[g], gpus[gpu]))
        g++;
    return g;
}

const Lowered *ptx_session_lowered(Session *s, size_t gpu)
{
    OfGpu *of = ptx_session_gpu(s, gpu);
    if (of->lowered)
        return of->lowered;
    const size_t first = first_like(s, gpu, has_same_target);
    if (first < gpu)
        return of->lowered = ptx_session_lowered(s, first);
    const FuncFlow flow = ptx_session_flow(s);
    of->lowered = ptx_lowered_compute(lowered_arena(s), s->all->scratch, &flow,
                                      ptx_session_uniforms(s), s->all->gpus[gpu]->target);
    if (ptx_session_is_trial(s))
        ptx_session_trial_facts(s->all, ptx_session_id(s), gpu)->lowered = of->lowered;
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

/* Of functions with the same code once. */
static const Pressure *pressure_of_code(Session *s, FuncId first)
{
    struct OfModule *own = s->all->own;
    if (!own->pressures[first])
        own->pressures[first] = make_pressure(s, own->arena, s->func, 0);
    return own->pressures[first];
}

const Pressure *ptx_session_pressure(Session *s, size_t gpu)
{
    OfGpu *of = ptx_session_gpu(s, gpu);
    const FuncId code = s->all->first_of_code ? s->all->first_of_code[ptx_session_id(s)] : NO_ID;
    if (of->pressure)
        return of->pressure;
    if (code != NO_ID)
        return of->pressure = pressure_of_code(s, code);
    const size_t first = first_like(s, gpu, ptx_pressure_is_alike);
    of->pressure = first < gpu ? ptx_session_pressure(s, first)
                               : make_pressure(s, ptx_session_kept_arena(s), s->func, gpu);
    return of->pressure;
}

/* Few kernels are near their cap: registers are estimated only where nothing cheaper decides. */
Spills ptx_session_spills(Session *s)
{
    const Gpu *gpu = s->all->gpus[0];
    const Live *live = ptx_session_live(s);
    if (live && !ptx_session_gpu(s, 0)->pressure) {
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

const LaunchShape *ptx_session_shape(Session *s)
{
    if (s->shape)
        return s->shape;
    LaunchShape *out = ptx_arena_new(ptx_session_kept_arena(s), LaunchShape);
    *out = ptx_launch_shape_find(s->func, s->launch, !ptx_session_is_trial(s));
    return s->shape = out;
}

const Demand *ptx_session_demand(Session *s)
{
    if (s->demand)
        return s->demand;
    Demand *out = ptx_arena_new(ptx_session_kept_arena(s), Demand);
    *out = ptx_demand_compute(ptx_sessions_demands(s->all), s->all->scratch, s->all->calls,
                              ptx_session_id(s));
    return s->demand = out;
}

/* Outlasts liveness: trials ask for it, too. */
static int64_t max_live(Session *s)
{
    if (!s->has_max_live) {
        const Live *live = ptx_session_live(s);
        bool is_known = live && live->max_insn != NO_ID && !s->func->has_syntax_error;
        s->max_live = is_known ? (int64_t)live->max_pressure : -1;
        s->has_max_live = true;
    }
    return s->max_live;
}

const PtxasUsage *ptx_session_ptxas_usage(const Session *s, size_t gpu)
{
    return s->all->said ? s->all->said[ptx_session_id(s) * s->all->gpu_count + gpu] : NULL;
}

const Residency *ptx_session_residency(Session *s, size_t gpu)
{
    const Sessions *all = s->all;
    OfGpu *of = ptx_session_gpu(s, gpu);
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
