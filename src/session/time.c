#include "session/state.h"

#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/registers/register_count.h"
#include "analysis/sass/executed.h"
#include "analysis/sass/sass.h"
#include "analysis/time/parallelism.h"
#include "analysis/time/predict.h"
#include "analysis/time/time_share.h"
#include "session/residency.h"

#include <math.h>

/* ---- what a launch executes ------------------------------------------------------------------ */

/* Of the functions that the kernel calls, in the order of its evaluation. lowered is NULL for what
 * is not there. */
static const Compiled *called_code(Session *s, const Evaluation *evaluation, size_t gpu)
{
    uint32_t count = evaluation ? evaluation->func_count : 0;
    Compiled *codes = ptx_arena_array(s->all->work, Compiled, count + 1);
    for (uint32_t c = 0; c < count; c++) {
        Session *callee = ptx_session_for_trial(s->all, evaluation->funcs[c].func);
        const Cfg *cfg = ptx_session_cfg(callee);
        codes[c] = (Compiled){ callee->func, cfg, callee->loops,
                               cfg ? ptx_session_lowered(callee, gpu) : NULL };
    }
    return codes;
}

static double spill_instructions(Session *s, size_t gpu, const Compiled *code,
                                 const Evaluation *evaluation)
{
    const double spilled = ptx_session_residency(s, gpu)->spilled;
    return spilled > 0 && evaluation && code->lowered
               ? 2 * spilled
                     * ptx_hottest_iterations(s->all->scratch, code, evaluation->insns)
               : 0;
}

const Executed *ptx_session_executed(Session *s, size_t gpu)
{
    OfGpu *of = ptx_session_gpu(s, gpu);
    if (of->executed)
        return of->executed;
    Executed *out = ptx_arena_new(s->all->work, Executed);
    const Evaluation *evaluation = ptx_session_evaluation_on(s, gpu);
    const Compiled own = { s->func, s->cfg, s->loops, ptx_session_lowered(s, gpu) };
    *out = ptx_executed_compute(&own, called_code(s, evaluation, gpu), evaluation);
    out->spill_instructions += spill_instructions(s, gpu, &own, evaluation);
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
    OfGpu *of = ptx_session_gpu(s, gpu);
    if (of->predict_facts)
        return of->predict_facts;
    of->predict_facts = ptx_predict_facts_compute(ptx_session_is_trial(s) ? all->arena : all->work,
                                                  all->scratch, in, ptx_session_uniforms(s),
                                                  ptx_session_defs(s));
    if (ptx_session_is_trial(s))
        ptx_session_trial_facts(all, ptx_session_id(s), gpu)->predict = of->predict_facts;
    return of->predict_facts;
}

static bool has_cuda_lines(const Module *module, const Func *func)
{
    for (InsnId i = 0; module->loc_change_count && i < func->insn_count; i++)
        if (ptx_insn_loc(module, &func->insns[i]))
            return true;
    return false;
}

/* Figures of instructions are wanted, or of CUDA lines. NULL: they are not. */
static TimeShares *shares_for(Session *s, size_t gpu, const Evaluation *evaluation)
{
    const bool is_wanted =
        s->all->has_instructions || (!gpu && has_cuda_lines(s->all->module, s->func));
    if (!s->all->has_figures || !is_wanted || ptx_session_is_trial(s) || s->all->is_for_estimates)
        return NULL;
    const Compiled own = { s->func, s->cfg, s->loops, ptx_session_lowered(s, gpu) };
    Compiled *kernel = ptx_arena_new(s->all->work, Compiled);
    *kernel = own;
    return ptx_time_shares_new(s->all->work, kernel, called_code(s, evaluation, gpu), evaluation);
}

static PredictInput predict_input(Session *s, size_t gpu, const Executed *executed,
                                  const Evaluation *evaluation)
{
    const LaunchShape *shape = ptx_session_shape(s);
    const Residency *residency = ptx_session_residency(s, gpu);
    return (PredictInput){
        .gpu = s->all->gpus[gpu],
        .module = s->all->module,
        .func = s->func,
        .cfg = s->cfg,
        .dom = s->dom,
        .loops = s->loops,
        .lowered = ptx_session_lowered(s, gpu),
        .executed = executed,
        .evaluation = evaluation,
        .launch = ptx_session_launch(s),
        .ops = ptx_sessions_ops(s->all, gpu),
        .work = ptx_session_work(s),
        .blocks = number(shape->blocks),
        .warps_per_block = shape->is_block_assumed ? (double)NAN : number(shape->warps_per_block),
        .blocks_per_sm = number(residency->occupancy.blocks_per_sm),
        .registers = number(residency->registers),
        .spills_likely = residency->spills == SPILLS_LIKELY,
        .spilled = residency->spilled,
        .load_clocks = ptx_arena_array(s->all->work, float, s->func->insn_count),
    };
}

static void predict(Session *s, size_t gpu, Predicted *out)
{
    PredictInput in = predict_input(s, gpu, ptx_session_executed(s, gpu), out->evaluation);
    const bool is_possible = ptx_predict_is_possible(&in);
    if (is_possible)
        in.facts = predict_facts(s, gpu, &in);
    if (is_possible && ptx_hangs_on_data(s->func, out->evaluation))
        in.bases = ptx_session_points_to(s);
    if (ptx_session_is_trial(s) && gpu == s->all->trial.gpu) {
        in.floor = s->all->trial.floor;
        in.counts = s->all->trial.counts;
    }
    if (is_possible)
        in.shares = shares_for(s, gpu, out->evaluation);
    out->shares = in.shares;
    out->prediction = ptx_predict(s->all->scratch, &in);
    out->load_clocks = out->prediction.certainty == CERTAINTY_UNKNOWN ? NULL : in.load_clocks;
}

static Predicted *predicted_for(Session *s, size_t gpu)
{
    OfGpu *of = ptx_session_gpu(s, gpu);
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

const Prediction *ptx_session_predict(Session *s, size_t gpu)
{
    Predicted *out = predicted_for(s, gpu);
    if (out->is_made)
        return &out->prediction;
    out->is_made = true;
    out->prediction = ptx_prediction_unknown;
    if (!ptx_session_shape(s)->error)
        out->evaluation = ptx_session_evaluation_on(s, gpu);
    if (out->evaluation)
        predict(s, gpu, out);
    return &out->prediction;
}

double ptx_session_predict_on(Session *s, size_t gpu, const Gpu *other)
{
    if (!isfinite(ptx_session_predict(s, gpu)->predicted_us))
        return (double)NAN;
    const ArenaMark mark = ptx_arena_mark(s->all->work);
    PredictInput in = predict_input(s, gpu, ptx_session_executed(s, gpu),
                                    predicted_for(s, gpu)->evaluation);
    in.facts = ptx_predict_facts_on(s->all->work, &in, predict_facts(s, gpu, &in), other);
    in.gpu = other;
    const double us = ptx_predict(s->all->scratch, &in).predicted_us;
    ptx_arena_release(s->all->work, mark);
    return us;
}

const TimeShares *ptx_session_time_shares(Session *s, size_t gpu)
{
    return predicted_for(s, gpu)->shares;
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

const Parallelisms *ptx_session_parallelisms(Session *s, size_t gpu)
{
    OfGpu *of = ptx_session_gpu(s, gpu);
    if (!of->parallelisms)
        of->parallelisms = make_parallelisms(s, s->all->work, gpu,
                                             ptx_session_evaluation_on(s, gpu),
                                             predicted_for(s, gpu)->load_clocks);
    return of->parallelisms;
}

const Parallelisms *ptx_session_parallelisms_of_code(Session *s)
{
    Passing *p = s->passing;
    if (!p->parallelisms)
        p->parallelisms = make_parallelisms(s, s->all->work, 0, NULL, NULL);
    return p->parallelisms;
}
