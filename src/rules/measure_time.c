/* Facts that rest on a model of what ptxas makes of a kernel: its registers, what of a loop can be under way at once, and how long a launch takes and why. */
#include "analysis/work.h"
#include "rules/measure.h"

#include <math.h>

#define UNKNOWN ((double)NAN)

enum {
    PREDICT_STEPS = 1 << 16,    /* of warps, for one block that stands for all where no report was asked for */
    BALANCE_STEPS = 1 << 18,    /* of warps, to see how blocks and warps differ */
    BLOCK_MOST = 1 << 16,       /* threads, whatever a user's GPU allows */
};

/* An instruction that the tables lack has no machine instructions; what is around it still has. */
static const Lowered *lowered_with_unknown(Inquiry *q)
{
    const Facts *f = q->facts;
    bool can_be = q->shared->gpu && f->cfg && q->func->is_entry;
    if (!q->lowered && can_be)
        q->lowered = f->lowered ? f->lowered[0] : ptx_lowered_compute(q->arena, q->shared->scratch, q->shared->module, q->func, f->cfg, f->dom, f->loops,
                                                                         ptx_measure_uniforms(q), q->shared->gpu->target);
    return q->lowered;
}

static const Lowered *lowered_of(Inquiry *q)
{
    return q->func->has_unknown ? NULL : lowered_with_unknown(q);
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static const Pressure *pressure_with_unknown(Inquiry *q)
{
    const Facts *f = q->facts;
    if (q->pressure || !lowered_with_unknown(q))
        return q->pressure;
    if (f->pressures)
        return q->pressure = &f->pressures[0];
    Pressure *own = ptx_arena_new(q->arena, Pressure);
    *own = ptx_pressure_compute(q->shared->scratch, q->shared->module, q->func, f->cfg, f->loops, f->live, q->lowered, q->shared->gpu);
    return q->pressure = own;
}

static const Pressure *pressure_of(Inquiry *q)
{
    return q->func->has_unknown ? NULL : pressure_with_unknown(q);
}

double ptx_measure_registers(Inquiry *q)
{
    const Figures *f = &q->facts->figures;
    const Pressure *pressure = f->certainty == CERTAINTY_EXACT ? NULL : pressure_with_unknown(q);
    return pressure && pressure->is_known ? pressure->registers : f->registers;
}

/* What ptxas says is no estimate. */
static double registers_low(Inquiry *q, Certainty *certainty)
{
    const Figures *figures = &q->facts->figures;
    *certainty = figures->certainty;
    if (figures->certainty == CERTAINTY_EXACT)
        return figures->registers;
    const Pressure *pressure = pressure_of(q);
    return pressure && pressure->is_known ? pressure->low : UNKNOWN;
}

/* As it were without directives that bound registers. */
static const Pressure *unbounded_of(Inquiry *q)
{
    const Facts *f = q->facts;
    if (q->unbounded || !lowered_of(q))
        return q->unbounded;
    Func *func = ptx_arena_new(q->arena, Func);
    Pressure *own = ptx_arena_new(q->arena, Pressure);
    *func = *q->func;
    func->bounds = (Bounds){ 0 };
    *own = ptx_pressure_compute(q->shared->scratch, q->shared->module, func, f->cfg, f->loops, f->live, q->lowered, q->shared->gpu);
    return q->unbounded = own;
}

/* What ptxas says is no question of a model; nor is one asked that was not fitted to such targets. */
static double measure_cap(Inquiry *q, FactId fact)
{
    const Pressure *pressure = q->facts->figures.certainty == CERTAINTY_EXACT ? NULL : pressure_of(q);
    if (!pressure || !pressure->is_known || !pressure->is_calibrated)
        return UNKNOWN;
    if (fact == FACT_KERNEL_spills_likely)
        return pressure->spills == SPILLS_LIKELY;
    if (fact == FACT_KERNEL_registers_allowed)
        return pressure->cap;
    const Pressure *unbounded = unbounded_of(q);
    if (!unbounded || !unbounded->is_known)
        return UNKNOWN;
    return fact == FACT_KERNEL_unbounded_low ? unbounded->low : fact == FACT_KERNEL_unbounded_high ? unbounded->high : unbounded->registers;
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

static int64_t given(double figure)
{
    return figure >= 0 ? (int64_t)figure : -1;
}

/* Of the same kernel in blocks of whole warps, shared memory of a block staying what it is; the size that is nearest to the launch's. */
static void find_best_block(Inquiry *q, double *percent, double *threads)
{
    const Figures *f = &q->facts->figures;
    int64_t dynamic = q->facts->launch && q->facts->launch->dynamic_shared_bytes > 0 ? q->facts->launch->dynamic_shared_bytes : 0;
    Resources resources = { .registers_per_thread = given(ptx_measure_registers(q)), .static_shared_bytes = given(f->static_shared_bytes), .dynamic_shared_bytes = dynamic, .barriers = -1 };
    *percent = *threads = UNKNOWN;
    for (int64_t size = 32; q->shared->gpu && size <= BLOCK_MOST && (double)size <= q->shared->gpu->figures[FIGURE_THREADS_PER_BLOCK]; size += 32) {
        Occupancy fit;
        resources.threads_per_block = size;
        if (!ptx_occupancy_compute(q->shared->gpu, &resources, &fit) || isnan(fit.percent))
            continue;
        bool is_nearer = fabs((double)size - f->block_threads) < fabs(*threads - f->block_threads);
        if (!(fit.percent < *percent) && (!(fit.percent <= *percent) || is_nearer)) {
            *percent = fit.percent;
            *threads = (double)size;
        }
    }
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

static const Evaluation *evaluate(Inquiry *q)
{
    return ptx_evaluate(q->arena, q->shared->arena, q->shared->scratch, ptx_measure_program(q), (FuncId)(q->func - q->shared->module->funcs), q->facts->launch, q->shared->gpu,
                        PREDICT_STEPS, DEPTH_FEW);
}

static const OpCycles *ops_of(ModuleInquiry *shared)
{
    if (!shared->ops)
        shared->ops = ptx_throughput_ops(shared->arena, shared->module, shared->gpu);
    return shared->ops;
}

static bool is_launch_known(const Inquiry *q)
{
    const Figures *f = &q->facts->figures;
    return f->grid_blocks > 0 && f->block_threads > 0 && f->blocks_per_sm > 0;
}

static double warps_of(const Inquiry *q)
{
    return ceil(q->facts->figures.block_threads / 32);
}

static void predict(Inquiry *q, Estimated *out)
{
    const Facts *f = q->facts;
    const Lowered *lowered = is_launch_known(q) ? lowered_of(q) : NULL;
    out->prediction = ptx_prediction_unknown;
    out->evaluation = lowered ? evaluate(q) : NULL;
    if (!out->evaluation || out->evaluation->is_cut)        /* a part of a block stands for nothing */
        return;
    const Compiled own = { q->func, f->cfg, f->loops, lowered };
    const Executed executed = ptx_executed_compute(&own, NULL, out->evaluation);
    const PredictInput in = {
        .gpu = q->shared->gpu, .module = q->shared->module, .func = q->func, .cfg = f->cfg, .dom = f->dom, .loops = f->loops, .lowered = lowered, .executed = &executed, .evaluation = out->evaluation,
        .ops = ops_of(q->shared), .work = f->work ? f->work : ptx_work_compute(q->arena, q->shared->scratch, q->func, f->cfg, f->loops, f->live),
        .blocks = f->figures.grid_blocks, .warps_per_block = warps_of(q), .blocks_per_sm = f->figures.blocks_per_sm,
        .load_clocks = ptx_arena_array(q->arena, float, q->func->insn_count),
    };
    out->prediction = ptx_predict(q->shared->scratch, &in);
    out->load_clocks = out->prediction.certainty == CERTAINTY_UNKNOWN ? NULL : in.load_clocks;
}

static const Estimated *estimate(Inquiry *q)
{
    if (q->estimated)
        return q->estimated;
    Estimated *out = ptx_arena_new(q->arena, Estimated);
    predict(q, out);
    out->bottleneck = ptx_bottleneck_find(&out->prediction, q->facts->figures.waves);
    return q->estimated = out;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static const Parallelisms *parallelisms_of(Inquiry *q)
{
    const Facts *f = q->facts;
    const Estimated *e = estimate(q);
    if (!q->parallelisms && lowered_of(q))
        q->parallelisms = ptx_parallelism_compute(q->arena, q->shared->scratch, q->func, f->cfg, f->loops, q->lowered, e->evaluation, e->load_clocks, q->shared->gpu);
    return q->parallelisms;
}

double ptx_measure_parallelism(Inquiry *q, LoopId loop, FactId fact)
{
    const Parallelism *p = parallelisms_of(q) ? &q->parallelisms->loops[loop] : NULL;
    if (!p)
        return UNKNOWN;
    switch (fact) {
    case FACT_LOOP_ilp:             return ptx_parallelism_ilp(p);
    case FACT_LOOP_path_clocks:     return p->path_clocks;
    case FACT_LOOP_carried_clocks:  return p->carried_clocks;
    case FACT_LOOP_carried_loads:   return p->carried_loads;
    case FACT_LOOP_loads:           return p->loads;
    case FACT_LOOP_load_path:       return p->load_path;
    case FACT_LOOP_loads_at_once:   return ptx_parallelism_mlp(p);
    default:                        return UNKNOWN;
    }
}

static double measure_concurrency(Inquiry *q, FactId fact)
{
    const Facts *f = q->facts;
    const Estimated *e = estimate(q);
    if (!e->evaluation || !parallelisms_of(q))
        return UNKNOWN;
    double come = ceil(f->figures.grid_blocks / q->shared->gpu->figures[FIGURE_SMS]), warps = warps_of(q) * fmin(come, f->figures.blocks_per_sm);
    LoopId loop = ptx_concurrency_where(q->func, f->cfg, f->loops, e->evaluation);
    const Concurrency c = ptx_concurrency_compute(q->shared->gpu, warps, loop == NO_LOOP ? &q->parallelisms->rest : &q->parallelisms->loops[loop], loop);
    return fact == FACT_KERNEL_bytes_in_flight ? c.bytes : c.bytes_needed_low;
}

/* ---- balance ----------------------------------------------------------------------------------------------------- */

/* Over as many blocks as a fixed budget does for, so that a report and findings alone say the same. NULL: the launch is not known, or data decide. */
static const Evaluation *balance_of(Inquiry *q)
{
    FuncId id = (FuncId)(q->func - q->shared->module->funcs);
    bool can_be = is_launch_known(q) && q->func->is_entry && !q->func->has_unknown && q->facts->loops->loop_count;
    if (q->was_balanced || !can_be)
        return q->balance;
    q->was_balanced = true;
    const Evaluation *made = ptx_evaluate(q->arena, q->shared->arena, q->shared->scratch, ptx_measure_program(q), id, q->facts->launch, q->shared->gpu, BALANCE_STEPS,
                                          DEPTH_WHOLE);
    if (made && !made->is_part && !made->is_cut && !made->is_by_warps)
        q->balance = made;
    return q->balance;
}

static double measure_balance(Inquiry *q, FactId fact)
{
    const Evaluation *evaluation = balance_of(q);
    if (!evaluation || !(evaluation->mean_work > 0))
        return UNKNOWN;
    return fact == FACT_KERNEL_busiest_block ? evaluation->busiest / evaluation->mean_work : evaluation->busiest;
}

double ptx_measure_loop_balance(Inquiry *q, LoopId loop, FactId fact)
{
    const Evaluation *evaluation = balance_of(q);
    const Cfg *cfg = q->facts->cfg;
    const Loops *loops = q->facts->loops;
    double inside = 0, all = 0;
    if (!evaluation)
        return UNKNOWN;
    if (fact == FACT_LOOP_busiest_warp) {
        const Count *head = &evaluation->insns[cfg->blocks[loops->loops[loop].header].first].total;
        return head->warps > 0 && head->most > 0 ? head->most * warps_of(q) / head->warps : UNKNOWN;
    }
    for (InsnId i = 0; i < q->func->insn_count; i++) {
        LoopId at = loops->loop_of[cfg->block_of[i]];
        while (at != NO_LOOP && at != loop)
            at = loops->loops[at].parent;
        inside += at == loop ? evaluation->insns[i].total.warps : 0;
        all += evaluation->insns[i].total.warps;
    }
    return all > 0 ? 100 * inside / all : UNKNOWN;
}

/* ---- the dictionary ---------------------------------------------------------------------------------------------- */

static double active_lanes(Inquiry *q)
{
    const Evaluation *evaluation = is_launch_known(q) ? ptx_measure_evaluation(q) : NULL;
    double lanes = 0, warps = 0;
    for (InsnId i = 0; evaluation && i < q->func->insn_count; i++) {
        lanes += evaluation->insns[i].total.lanes;
        warps += evaluation->insns[i].total.warps;
    }
    return warps > 0 ? lanes / warps : UNKNOWN;
}

static double pipe_of(const Prediction *p)
{
    for (int i = 0; p->pipe && i < PIPE__COUNT; i++)
        if (p->pipe == ptx_pipe_info[i].key)
            return i + 1;
    return UNKNOWN;
}

static double measure_prediction(Inquiry *q, FactId fact)
{
    const Estimated *e = estimate(q);
    const Prediction *p = &e->prediction;
    const Bottleneck *b = &e->bottleneck;
    if (p->certainty == CERTAINTY_UNKNOWN)
        return UNKNOWN;
    switch (fact) {
    case FACT_KERNEL_predicted_us:  return p->predicted_us;
    case FACT_KERNEL_busy:          return 100 * (1 - (p->parts_us[PART_OVERHEAD] + p->parts_us[PART_FETCH]) / p->predicted_us);
    case FACT_KERNEL_time_limiter:  return p->limiter < 0 ? UNKNOWN : p->limiter + 1;
    case FACT_KERNEL_time_pipe:     return pipe_of(p);
    case FACT_KERNEL_time_gain:     return 100 * (1 - b->relieved_us / p->predicted_us);
    case FACT_KERNEL_compute_use:   return b->compute_percent;
    case FACT_KERNEL_memory_use:    return b->memory_percent;
    case FACT_KERNEL_issue_use:     return b->issue_percent;
    case FACT_KERNEL_global_use:    return 100 * fmax(p->parts_us[PART_L1], fmax(p->parts_us[PART_L2], p->parts_us[PART_DRAM])) / p->predicted_us;
    case FACT_KERNEL_shared_use:    return 100 * p->parts_us[PART_SHARED] / p->predicted_us;
    case FACT_KERNEL_latency_gain:  return p->limiter == PART_LATENCY ? 100 * (1 - b->relieved_us / p->predicted_us) : 0;
    case FACT_KERNEL_pipe_use:      return 100 * p->parts_us[PART_PIPE] / p->predicted_us;
    default:                        return UNKNOWN;
    }
}

double ptx_measure_time(Inquiry *q, FactId fact, Certainty *certainty)
{
    double percent, threads;
    *certainty = CERTAINTY_ESTIMATE;
    switch (fact) {
    case FACT_KERNEL_registers_low:     return registers_low(q, certainty);
    case FACT_KERNEL_busiest_block: case FACT_KERNEL_busiest_instructions:
        return measure_balance(q, fact);
    case FACT_KERNEL_spills_likely: case FACT_KERNEL_registers_allowed: case FACT_KERNEL_unbounded_registers: case FACT_KERNEL_unbounded_low:
    case FACT_KERNEL_unbounded_high:
        return measure_cap(q, fact);
    case FACT_KERNEL_active_lanes:      return active_lanes(q);
    case FACT_KERNEL_bytes_in_flight: case FACT_KERNEL_bytes_needed:
        return measure_concurrency(q, fact);
    case FACT_KERNEL_best_occupancy: case FACT_KERNEL_best_block:
        find_best_block(q, &percent, &threads);
        return fact == FACT_KERNEL_best_occupancy ? percent : threads;
    default:                            return measure_prediction(q, fact);
    }
}

const char *ptx_measure_time_advice(Inquiry *q)
{
    const Prediction *p = &estimate(q)->prediction;
    return p->certainty == CERTAINTY_UNKNOWN || p->limiter < 0 ? "" : ptx_part_info[p->limiter].advice;
}
