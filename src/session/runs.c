#include "session/state.h"

#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"
#include "analysis/access/divergence.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/race/block_race.h"
#include "analysis/race/hazard.h"
#include "analysis/sass/joinable.h"
#include "analysis/sim/program.h"
#include "analysis/value/launch.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "session/kept_runs.h"

enum {
    TRIAL_STEPS = 1 << 18,      /* of warps, where a trial does not say how many */
};

/* Of a launch that is not known, and with no figures. */
static bool is_for_findings_alone(const Session *s)
{
    return !s->all->has_figures && !ptx_session_is_trial(s)
           && !s->launch->block[0] && !s->launch->grid[0];
}

/* What is found of functions whatever the launch goes with the function in hand; trials of one
 * kernel come one after the other, and keep it. */
static const SimProgram *program_of(Session *s)
{
    Sessions *all = s->all;
    /* trials keep their plans */
    const bool has_defs = ptx_session_cfg(s) && !ptx_session_is_trial(s);
    const SimFlow flow = { s->cfg, s->dom, s->loops, has_defs ? ptx_session_defs(s) : NULL,
                           is_for_findings_alone(s) };
    bool is_first = !all->own->program;
    if (is_first)
        all->own->program = ptx_program_new(all->own->arena, all->code);
    if (ptx_session_is_trial(s) && is_first)
        ptx_program_keep(all->own->program, all->arena);
    else if (!ptx_session_is_trial(s) && !s->passing->keeps_plans)
        ptx_program_keep(all->own->program, all->work);
    s->passing->keeps_plans = true;
    ptx_program_plan(all->own->program, all->scratch, ptx_session_id(s), flow);
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
    const uint64_t insns = s->func->insn_count,
                   of_findings = EVALUATE_STEPS_FLOOR + EVALUATE_STEPS_PER_INSN * insns,
                   of_sample = EVALUATE_STEPS_SAMPLE + EVALUATE_STEPS_PER_SAMPLE * insns;
    const bool has_grid = s->launch->grid[0] != 0;
    const Effort efforts[BUDGET__COUNT] = {
        [BUDGET_FINDINGS] = { of_findings, DEPTH_QUICK },
        [BUDGET_SHAPES] = { of_findings, DEPTH_QUICK },
        [BUDGET_FIGURES] = { has_grid ? EVALUATE_STEPS_REPORT : of_sample, DEPTH_WHOLE },
    };
    if (ptx_session_is_trial(s))
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
    const SimProgram *program = program_of(s);
    return (KernelRun){ .arena = all->work, .work = all->temp, .scratch = all->scratch,
                        .program = program, .kernel = ptx_session_id(s),
                        .launch = s->launch, .defs = s->passing->defs };
}

/* Trials keep them. */
static const JoinableRow *rows_of_trial(Session *s)
{
    const Sessions *all = s->all;
    if (!all->gpu_count)
        return NULL;
    TrialFacts *facts = ptx_session_trial_facts(all, ptx_session_id(s), 0);
    if (!facts->rows)
        facts->rows = ptx_session_joinable_in(s, all->arena);
    return facts->rows;
}

TouchedBytes ptx_session_touched(Session *s, const bool *counts, uint64_t most_steps)
{
    const KernelRun run = run_of(s);
    return ptx_evaluate_touched(&run, counts, most_steps);
}

static bool may_have_shapes(const Session *s)
{
    return !s->launch->block[0] && !s->launch->grid[0] && !ptx_func_takes_row(s->func);
}

static const Evaluation *evaluate_figures(Session *s, const Gpu *gpu)
{
    const Effort effort = effort_of(s, BUDGET_FIGURES);
    KernelRun run = run_of(s);
    run.rows = ptx_session_joinable(s);
    return ptx_evaluate(&run, gpu, effort.steps, effort.depth);
}

static const Evaluation *evaluate_launch(Session *s, EvaluationBudget budget)
{
    const Sessions *all = s->all;
    const Effort effort = effort_of(s, budget);
    const Gpu *gpu = all->gpu_count ? all->gpus[all->trial.gpu] : NULL;
    AccessEvaluator **left = &s->passing->shapes_left;
    KernelRun run = run_of(s);
    if (budget == BUDGET_SHAPES && *left)
        return ptx_evaluate_left(*left, run.arena, effort.steps);
    if (budget == BUDGET_FINDINGS && may_have_shapes(s)) {
        run.work = run.arena;   /* what goes on from there lies there */
        return ptx_evaluate_row(&run, gpu, effort.steps, left);
    }
    return ptx_evaluate(&run, gpu, effort.steps, effort.depth);
}

/* By what ran for another grid, if it can be. */
static const Evaluation *evaluate_few(const Sessions *all, const RunKey *key, const KernelRun *run)
{
    const Evaluation *out = ptx_kept_runs_evaluate(all->own->runs, key, run->work);
    if (!out)
        out = ptx_kept_runs_keep(all->own->runs, key, run);
    return out ? out : ptx_evaluate(run, key->gpu, key->steps, DEPTH_FEW);
}

/* Of a trial, for figures: as it was, where the launch was run before. */
static const Evaluation *evaluate_trial(Session *s)
{
    Sessions *all = s->all;
    const Effort effort = effort_of(s, BUDGET_FIGURES);
    const RunKey key = { ptx_session_id(s), s->launch,
                         all->gpu_count ? all->gpus[all->trial.gpu] : NULL, effort.steps };
    const Evaluation *kept = ptx_kept_runs_find(all->own->runs, &key);
    if (kept)
        return kept;
    KernelRun run = run_of(s);
    run.rows = effort.depth != DEPTH_QUICK ? rows_of_trial(s) : NULL;
    run.arena = ptx_kept_runs_make_room(all->own->runs);
    kept = effort.depth == DEPTH_FEW ? evaluate_few(all, &key, &run)
                                     : ptx_evaluate(&run, key.gpu, effort.steps, effort.depth);
    if (kept)
        ptx_kept_runs_add(all->own->runs, &key, kept);
    return kept;
}

/* Where the grid is unknown, and the warps of a block take more than a small share of the budget:
 * what findings rest on, its first warp and its last. NULL: they do not, or this is not known. */
static const Evaluation *evaluation_of_ends(Session *s)
{
    if (ptx_session_is_trial(s) || s->launch->grid[0] || s->func->has_unknown)
        return NULL;
    const Evaluation *ends = ptx_session_evaluation(s, BUDGET_SHAPES);
    const uint64_t of_block = effort_of(s, BUDGET_FIGURES).steps / EVALUATE_SHARE_OF_BLOCK;
    const int64_t warps = ptx_session_shape(s)->warps_per_block;
    if (!ends || ends->is_cut || ends->mean_work * (double)warps <= (double)of_block)
        return NULL;
    return ends;
}

/* Only of kernels: the callers of a function are not known. Where the grid is given, findings rest
 * on it too. */
const Evaluation *ptx_session_evaluation_for_figures(Session *s)
{
    if (!s->was_evaluated && s->all->gpu_count && s->func->is_entry && ptx_session_cfg(s)) {
        s->evaluation = evaluation_of_ends(s);
        if (!s->evaluation)
            s->evaluation = ptx_session_is_trial(s) ? evaluate_trial(s)
                                                    : evaluate_figures(s, s->all->gpus[0]);
    }
    s->was_evaluated = true;
    return s->evaluation;
}

/* The same for findings and figures. */
static bool has_one_evaluation(const Session *s)
{
    return s->launch->grid[0] && s->all->gpu_count && !ptx_session_is_trial(s);
}

/* That of a GPU before it, where it would be the same. */
static const Evaluation *evaluate_on(Session *s, size_t gpu)
{
    const Gpu *const *gpus = s->all->gpus;
    for (size_t g = 0; g < gpu; g++) {
        const Evaluation *of = ptx_session_evaluation_on(s, g);
        if (ptx_evaluation_is_for(of, gpus[g], gpus[gpu]))
            return of;
    }
    return evaluate_figures(s, gpus[gpu]);
}

const Evaluation *ptx_session_evaluation_on(Session *s, size_t gpu)
{
    const Evaluation *first = ptx_session_evaluation_for_figures(s);
    if (!first || !gpu || !has_one_evaluation(s))
        return first;
    OfGpu *of = ptx_session_gpu(s, gpu);
    if (!of->evaluation)
        of->evaluation = evaluate_on(s, gpu);
    return of->evaluation;
}

/* NULL: there are shapes that it leaves. */
static const Evaluation *shapes_of_findings(Session *s)
{
    const Evaluation *e = ptx_session_evaluation(s, BUDGET_FINDINGS);
    return e && !e->has_shapes_left ? e : NULL;
}

const Evaluation *ptx_session_evaluation(Session *s, EvaluationBudget budget)
{
    if (budget == BUDGET_FIGURES)
        return ptx_session_is_projected(s) ? ptx_session_evaluation_for_figures(s) : NULL;
    if (!s->func->is_entry || s->func->has_unknown)
        return NULL;
    if (has_one_evaluation(s))
        return ptx_session_evaluation_for_figures(s);
    Passing *p = s->passing;
    if (!p->was_evaluated[budget]) {
        p->evaluations[budget] = budget == BUDGET_SHAPES ? shapes_of_findings(s) : NULL;
        if (!p->evaluations[budget])
            p->evaluations[budget] = evaluate_launch(s, budget);
    }
    p->was_evaluated[budget] = true;
    return p->evaluations[budget];
}

DivergenceCosts *ptx_session_divergence(Session *s)
{
    const Evaluation *evaluation = ptx_session_evaluation(s, BUDGET_FINDINGS);
    if (evaluation && !s->passing->divergence) {
        const FuncFlow flow = ptx_session_flow(s);
        s->passing->divergence = ptx_divergence_new(s->all->work, evaluation, &flow);
    }
    return s->passing->divergence;
}

const Trace *ptx_session_trace(Session *s)
{
    Passing *p = s->passing;
    const Sessions *all = s->all;
    const Evaluation *evaluation = ptx_session_evaluation(s, BUDGET_SHAPES);
    if (!p->was_traced && evaluation) {
        KernelRun run = run_of(s);
        run.bases = ptx_session_points_to(s);
        p->trace = ptx_trace_make(&run, all->gpu_count ? all->gpus[0] : NULL, evaluation);
    }
    p->was_traced = true;
    return p->trace;
}

bool ptx_session_may_lay_out(Session *s, InsnId insn, bool is_shared)
{
    Passing *p = s->passing;
    const Evaluation *evaluation = ptx_session_evaluation(s, BUDGET_SHAPES);
    const PointsToSet *bases = evaluation ? ptx_session_points_to(s) : NULL;
    if (!evaluation)
        return false;
    if (!p->untraced)
        p->untraced = ptx_untraced_by_evaluation(s->all->work, s->func, bases, evaluation);
    return !ptx_untraced_has(p->untraced, bases, s->func, insn, is_shared);
}

const Hazards *ptx_session_hazards(Session *s)
{
    Passing *p = s->passing;
    if (!p->was_raced && s->func->is_entry && !s->func->has_unknown) {
        KernelRun run = run_of(s);
        run.bases = ptx_session_points_to(s);
        p->hazards = ptx_hazards_find(&run);
    }
    p->was_raced = true;
    return p->hazards;
}

const LoneAccess *ptx_session_beyond(Session *s)
{
    Passing *p = s->passing;
    if (!p->was_beyond && s->func->is_entry) {
        const KernelRun run = run_of(s);
        p->beyond = ptx_beyond_allocation_find(&run);
    }
    p->was_beyond = true;
    return p->beyond;
}

const BlockRace *ptx_session_block_race(Session *s)
{
    Passing *p = s->passing;
    if (!p->was_raced_by_blocks && s->func->is_entry && !s->func->has_unknown) {
        const KernelRun run = run_of(s);
        p->block_race = ptx_global_race_find(&run);
        if (!p->block_race)
            p->block_race = ptx_cluster_race_find(&run);
        if (!p->block_race)
            p->block_race = ptx_interval_race_find(&run);
    }
    p->was_raced_by_blocks = true;
    return p->block_race;
}
