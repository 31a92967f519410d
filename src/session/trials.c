#include "session/state.h"

#include "analysis/time/throughput.h"
#include "session/kept_runs.h"

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
    trials->own->arena = arena;
    trials->own->items = ptx_arena_array(arena, Session *, base->module->func_count + 1);
    trials->own->ops = ptx_arena_array(arena, const OpCycles *, base->gpu_count + 1);
    trials->own->facts =
        ptx_arena_array(arena, TrialFacts, base->module->func_count * base->gpu_count + 1);
    trials->own->runs = ptx_kept_runs_new(arena, trials->runs, trials->grids);
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
        const TrialFacts *facts = ptx_session_trial_facts(trials, func, g);
        s->gpus[g] = (OfGpu){ .throughput = known->gpus[g].throughput,
                              .lowered = facts->lowered ? facts->lowered : known->gpus[g].lowered,
                              .pressure = known->gpus[g].pressure,
                              .predict_facts = facts->predict };
    }
    s->shape = NULL;
    s->evaluation = NULL;
    s->was_evaluated = false;
    s->passing = NULL;
    return s;
}

Session *ptx_session_for_trial(Sessions *all, FuncId func)
{
    Session **at = &all->own->items[func];
    if (!*at)
        *at = adopt(all, func);
    return *at;
}

Session *ptx_session_try(Sessions *trials, FuncId func, const Trial *trial)
{
    ArenaMark mark = ptx_arena_mark(trials->work);
    Session *s = ptx_session_for_trial(trials, func);
    trials->trial = *trial;
    s->launch = trial->launch;
    ptx_session_begin(s);
    s->passing->mark = mark;
    return s;
}
