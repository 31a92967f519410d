/* Facts that rest on a model of what ptxas makes of a kernel: its registers, what of a loop can be
 * under way at once, and how long a launch takes and why. */
#include "gpu/occupancy.h"
#include "rules/facts/facts.h"
#include "analysis/registers/register_count.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/flow/types.h"
#include "analysis/sim/count.h"
#include "analysis/time/bottleneck.h"
#include "analysis/time/parallelism.h"
#include "analysis/time/join.h"
#include "analysis/time/predict.h"
#include "isa/isa.h"
#include "session/session.h"

#include <math.h>

enum { MAX_BLOCK = 1 << 16 };  /* threads, whatever a user's GPU allows */

/* ---- registers ------------------------------------------------------------------------------- */

/* Nothing is said of what an instruction that the tables lack may need; NULL then. */
static const Pressure *pressure_of(FactCache *q)
{
    return ptx_measure_has_model(q) && !q->func->has_unknown ? ptx_session_pressure(q->session, 0)
                                                             : NULL;
}

/* What ptxas says is no estimate. */
static double registers_low(FactCache *q, Certainty *certainty)
{
    if (ptx_measure_is_by_ptxas(q)) {
        *certainty = CERTAINTY_EXACT;
        return ptx_measure_registers(q);
    }
    const Pressure *pressure = pressure_of(q);
    return pressure && pressure->is_known ? pressure->low : UNKNOWN;
}

/* The model's band lies too high where ptxas keeps values of long straight code apart: what is live
 * at once in the PTX bounds it. */
static double registers_least(FactCache *q, Certainty *certainty)
{
    double low = registers_low(q, certainty);
    const Live *live = ptx_session_live(q->session);
    return ptx_measure_is_by_ptxas(q) || !live ? low : fmin(low, live->max_pressure);
}

static double measure_spills(FactCache *q)
{
    const Spills spills = ptx_session_spills(q->session);
    return spills == SPILLS_UNKNOWN ? UNKNOWN : spills == SPILLS_LIKELY;
}

/* What ptxas says is no question of a model; nor is one asked that was not fitted to such
 * targets. */
static double measure_cap(FactCache *q, FactId fact)
{
    bool is_asked = !ptx_measure_is_by_ptxas(q) && ptx_measure_has_model(q)
                    && !q->func->has_unknown;
    if (!is_asked || !ptx_pressure_is_calibrated(q->shared->gpu, q->shared->module))
        return UNKNOWN;
    if (fact == FACT_KERNEL_registers_allowed)
        return ptx_pressure_cap(q->shared->gpu, &q->func->bounds);
    if (fact == FACT_KERNEL_spills_likely)
        return measure_spills(q);
    const Pressure *unbounded = ptx_session_unbounded_pressure(q->session);
    if (!unbounded->is_known)
        return UNKNOWN;
    if (fact == FACT_KERNEL_unbounded_low)
        return unbounded->low;
    return fact == FACT_KERNEL_unbounded_high ? unbounded->high : unbounded->registers;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* Of the same kernel in blocks of whole warps, shared memory of a block staying what it is; the
 * size that is nearest to the launch's. */
static void find_best_block(FactCache *q, double *percent, double *threads)
{
    const double now = ptx_measure_block_threads(q);
    Resources resources = ptx_measure_shared(q);
    resources.registers_per_thread = ptx_measure_whole_registers(q);
    *percent = *threads = UNKNOWN;
    for (int64_t size = 32; q->shared->gpu && size <= MAX_BLOCK
                            && (double)size <= q->shared->gpu->figures[FIGURE_THREADS_PER_BLOCK];
         size += 32) {
        Occupancy fit;
        resources.threads_per_block = size;
        if (!ptx_occupancy_compute(q->shared->gpu, &resources, &fit) || isnan(fit.percent))
            continue;
        bool is_nearer = fabs((double)size - now) < fabs(*threads - now);
        if (!(fit.percent < *percent) && (!(fit.percent <= *percent) || is_nearer)) {
            *percent = fit.percent;
            *threads = (double)size;
        }
    }
}

/* ---- the launch ------------------------------------------------------------------------------ */

static double launched_warps_of(FactCache *q)
{
    return ceil(ptx_measure_block_threads(q) / 32);
}

/* NULL: the launch is not known, or only a part of a block was run, which stands for nothing. */
static const Evaluation *evaluation_of_launch(FactCache *q)
{
    const Evaluation *made = ptx_session_is_launch_known(q->session)
                                 ? ptx_session_evaluation(q->session, BUDGET_FINDINGS)
                                 : NULL;
    return made && !made->is_cut ? made : NULL;
}

/* NULL too where it calls functions: their code is not kept where findings alone are wanted. */
static const Evaluation *timed_evaluation(FactCache *q)
{
    const Evaluation *made = evaluation_of_launch(q);
    return made && !made->func_count ? made : NULL;
}

const Prediction *ptx_measure_prediction(FactCache *q)
{
    return timed_evaluation(q) ? ptx_session_predict(q->session, 0) : &ptx_prediction_unknown;
}

static double waves_of(FactCache *q)
{
    Certainty certainty = CERTAINTY_NONE;
    return ptx_measure_launch(q, FACT_KERNEL_waves, &certainty);
}

static const Bottleneck *bottleneck_of(FactCache *q)
{
    if (q->bottleneck)
        return q->bottleneck;
    Bottleneck *found = ptx_arena_new(q->arena, Bottleneck);
    *found = ptx_bottleneck_find(ptx_measure_prediction(q), waves_of(q));
    return q->bottleneck = found;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* NULL: there is no model of the kernel. */
static const Parallelisms *parallelisms_of(FactCache *q)
{
    if (!ptx_measure_has_model(q) || q->func->has_unknown)
        return NULL;
    if (!timed_evaluation(q))
        return ptx_session_parallelisms_of_code(q->session);
    ptx_measure_prediction(q);           /* loads take as long as in the launch */
    return ptx_session_parallelisms(q->session, 0);
}

double ptx_measure_parallelism(FactCache *q, LoopId loop, FactId fact)
{
    const Parallelisms *all = parallelisms_of(q);
    if (!all)
        return UNKNOWN;
    const Parallelism *p = &all->loops[loop];
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

static double measure_concurrency(FactCache *q, FactId fact)
{
    const Parallelisms *all = parallelisms_of(q);
    const Evaluation *evaluation = timed_evaluation(q);
    if (!evaluation || !all)
        return UNKNOWN;
    const double warps = ptx_session_resident_warps(q->session, 0);
    LoopId loop = ptx_concurrency_where(q->func, q->cfg, q->loops, evaluation);
    const Concurrency c = ptx_concurrency_compute(
        q->shared->gpu, warps, loop == NO_LOOP ? &all->rest : &all->loops[loop], loop);
    return fact == FACT_KERNEL_bytes_in_flight ? c.bytes : c.bytes_needed_low;
}

/* ---- balance --------------------------------------------------------------------------------- */

/* NULL: the launch is not known, or data decide. */
static const Evaluation *balance_of(FactCache *q)
{
    const Evaluation *made = q->loops->loop_count ? evaluation_of_launch(q) : NULL;
    return made && !made->is_part && !made->is_by_warps ? made : NULL;
}

static double measure_balance(FactCache *q, FactId fact)
{
    const Evaluation *evaluation = balance_of(q);
    /* a parameter that the launch lacks may say which blocks have work */
    if (!evaluation || !(evaluation->mean_work > 0) || evaluation->assumed_count)
        return UNKNOWN;
    return fact == FACT_KERNEL_busiest_block ? evaluation->busiest / evaluation->mean_work
                                             : evaluation->busiest;
}

static const Count *head_of(FactCache *q, const Evaluation *evaluation, LoopId loop)
{
    return evaluation->insns[q->cfg->blocks[q->loops->loops[loop].header].first].total;
}

static double busiest_warp(FactCache *q, const Evaluation *evaluation, LoopId loop)
{
    const Count *head = head_of(q, evaluation, loop);
    return head->warps > 0 && head->most > 0 ? head->most * launched_warps_of(q) / head->warps
                                             : UNKNOWN;
}

static bool is_inside(const Loops *loops, LoopId at, LoopId loop)
{
    while (at != NO_LOOP && at != loop)
        at = loops->loops[at].parent;
    return at == loop;
}

/* Warps have roles: those that are not in this loop go around another as often, half of it at
 * least. */
static bool has_partner_loop(FactCache *q, const Evaluation *evaluation, LoopId loop)
{
    const double times = busiest_warp(q, evaluation, loop),
                 most = head_of(q, evaluation, loop)->most;
    for (LoopId other = 0; other < q->loops->loop_count; other++) {
        const double there = busiest_warp(q, evaluation, other);
        if (!is_inside(q->loops, other, loop) && !is_inside(q->loops, loop, other) && times > 1
            && there >= times / (times - 1) - 0.01
            && head_of(q, evaluation, other)->most >= most / 2)
            return true;
    }
    return false;
}

double ptx_measure_loop_balance(FactCache *q, LoopId loop, FactId fact)
{
    const Evaluation *evaluation = balance_of(q);
    double inside = 0, all = 0;
    if (!evaluation)
        return UNKNOWN;
    if (fact == FACT_LOOP_busiest_warp)
        return has_partner_loop(q, evaluation, loop) ? UNKNOWN : busiest_warp(q, evaluation, loop);
    for (InsnId i = 0; i < q->func->insn_count; i++) {
        bool is_here = is_inside(q->loops, q->loops->loop_of[q->cfg->block_of[i]], loop);
        inside += is_here ? evaluation->insns[i].total->warps : 0;
        all += evaluation->insns[i].total->warps;
    }
    return all > 0 ? 100 * inside / all : UNKNOWN;
}

/* ---- the dictionary -------------------------------------------------------------------------- */

static double active_lanes(FactCache *q)
{
    const Evaluation *evaluation = ptx_session_is_launch_known(q->session)
                                       ? ptx_session_evaluation(q->session, BUDGET_FINDINGS)
                                       : NULL;
    double lanes = 0, warps = 0;
    for (InsnId i = 0; evaluation && i < q->func->insn_count; i++) {
        lanes += evaluation->insns[i].total->lanes;
        warps += evaluation->insns[i].total->warps;
    }
    return warps > 0 ? lanes / warps : UNKNOWN;
}

static double pipe_of(const Prediction *p)
{
    for (int i = 0; p->pipe && i < PIPE__COUNT; i++)
        if (p->pipe == ptx_pipe_info[i].key)
            return i + 1;
    /* beside the pipelines of the GPU's file: the last word of the domain */
    return p->pipe && p->pipe == ptx_constant_pipe ? PIPE__COUNT + 1 : UNKNOWN;
}

static double constant_gain(const Prediction *p)
{
    return p->pipe == ptx_constant_pipe
               ? 100 * (1 - ptx_predict_without(p, PART_PIPE).predicted_us / p->predicted_us)
               : 0;
}

/* How often a warp executes what it executes most. */
static double most_repeats(FactCache *q)
{
    const Evaluation *evaluation = timed_evaluation(q);
    double most = 0;
    for (InsnId i = 0; i < q->func->insn_count; i++)
        most = fmax(most, evaluation->insns[i].total->warps);
    return most / evaluation->insns[0].total->warps;
}

static double spread_gain(FactCache *q, const Prediction *p)
{
    Certainty certainty = CERTAINTY_NONE;
    double blocks = ptx_measure_launch(q, FACT_KERNEL_grid_blocks, &certainty),
           share = blocks / q->shared->gpu->figures[FIGURE_SMS];
    return share < 1
               ? 100 * (1 - ptx_predict_spread_us(p, share, most_repeats(q)) / p->predicted_us)
               : 0;
}

static double measure_predicted(FactCache *q, FactId fact)
{
    const Prediction *p = ptx_measure_prediction(q);
    const Bottleneck *b = bottleneck_of(q);
    if (p->certainty == CERTAINTY_UNKNOWN)
        return UNKNOWN;
    switch (fact) {
    case FACT_KERNEL_predicted_us:  return p->predicted_us;
    case FACT_KERNEL_busy:
        return 100 * (1 - (p->parts_us[PART_OVERHEAD] + p->parts_us[PART_FETCH]) / p->predicted_us);
    case FACT_KERNEL_spread_gain:   return spread_gain(q, p);
    case FACT_KERNEL_time_limiter:  return p->limiter < 0 ? UNKNOWN : p->limiter + 1;
    case FACT_KERNEL_time_pipe:     return pipe_of(p);
    case FACT_KERNEL_time_gain:     return 100 * (1 - b->relieved_us / p->predicted_us);
    case FACT_KERNEL_compute_use:   return b->compute_percent;
    case FACT_KERNEL_memory_use:    return b->memory_percent;
    case FACT_KERNEL_issue_use:     return b->issue_percent;
    case FACT_KERNEL_global_use:
        return 100 * fmax(p->parts_us[PART_L1], fmax(p->parts_us[PART_L2], p->parts_us[PART_DRAM]))
               / p->predicted_us;
    case FACT_KERNEL_dram_use:      return 100 * p->parts_us[PART_DRAM] / p->predicted_us;
    case FACT_KERNEL_shared_use:    return 100 * p->parts_us[PART_SHARED] / p->predicted_us;
    case FACT_KERNEL_constant_gain: return constant_gain(p);
    case FACT_KERNEL_latency_gain:
        return p->limiter == PART_LATENCY ? 100 * (1 - b->relieved_us / p->predicted_us) : 0;
    case FACT_KERNEL_tail_share:    return 100 * b->tail_us / p->predicted_us;
    case FACT_KERNEL_pipe_use:      return 100 * p->parts_us[PART_PIPE] / p->predicted_us;
    default:                        return UNKNOWN;
    }
}

double ptx_measure_time(FactCache *q, FactId fact, Certainty *certainty)
{
    double percent, threads;
    *certainty = CERTAINTY_ESTIMATE;
    switch (fact) {
    case FACT_KERNEL_registers_low:     return registers_low(q, certainty);
    case FACT_KERNEL_registers_least:   return registers_least(q, certainty);
    case FACT_KERNEL_busiest_block: case FACT_KERNEL_busiest_instructions:
        return measure_balance(q, fact);
    case FACT_KERNEL_spills_likely:
    case FACT_KERNEL_registers_allowed:
    case FACT_KERNEL_unbounded_registers:
    case FACT_KERNEL_unbounded_low:
    case FACT_KERNEL_unbounded_high:
        return measure_cap(q, fact);
    case FACT_KERNEL_active_lanes:      return active_lanes(q);
    case FACT_KERNEL_bytes_in_flight: case FACT_KERNEL_bytes_needed:
        return measure_concurrency(q, fact);
    case FACT_KERNEL_best_occupancy: case FACT_KERNEL_best_block:
        find_best_block(q, &percent, &threads);
        return fact == FACT_KERNEL_best_occupancy ? percent : threads;
    default:                            return measure_predicted(q, fact);
    }
}

const char *ptx_measure_time_advice(FactCache *q)
{
    const Prediction *p = ptx_measure_prediction(q);
    const char *advice = p->certainty == CERTAINTY_UNKNOWN ? NULL : ptx_limiter_advice(p);
    return advice ? advice : "";
}
