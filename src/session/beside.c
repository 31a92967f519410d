#include "session/state.h"

#include "analysis/access/advise/advise.h"
#include "analysis/access/evaluate.h"

/* Of the first GPU, where the other would have another. */
static void drop_evaluations(Passing *p, const Gpu *own, const Gpu *other)
{
    for (unsigned b = 0; b < BUDGET__COUNT; b++) {
        if (!p->evaluations[b] || ptx_evaluation_is_for(p->evaluations[b], own, other))
            continue;
        p->evaluations[b] = NULL;
        p->was_evaluated[b] = false;
        p->was_traced &= b != BUDGET_SHAPES;
    }
}

/* What rests on the GPU, or grows while it is asked, is left out. */
static void take_passing(Passing *to, const Session *first, size_t gpu)
{
    const ArenaMark mark = to->mark;
    const Gpu *const *gpus = first->all->gpus;
    *to = *first->passing;
    to->mark = mark;
    to->lane_splits = NULL;
    to->divergence = NULL;
    to->unbounded = NULL;
    to->shapes_left = NULL;
    to->parallelisms = NULL;
    to->keeps_plans = to->has_lowered = false;
    drop_evaluations(to, gpus[0], gpus[gpu]);
    const Trace *trace = to->was_traced ? to->trace : NULL;
    to->trace = trace ? ptx_trace_again(first->all->work, trace) : NULL;
}

static void take_analyses(Session *s, const Session *first)
{
    s->cfg = first->cfg;
    s->dom = first->dom;
    s->loops = first->loops;
    s->live = first->live;
    s->uniforms = first->uniforms;
    s->trips = first->trips;
    s->work = first->work;
    s->shape = first->shape;
    s->demand = first->demand;
    s->has_flow = first->has_flow;
    s->has_live = first->has_live;
}

/* Where the grid is given, findings rest on that of figures, as what was traced does. */
static void take_evaluation(Session *s, const Session *first, size_t gpu)
{
    const Gpu *const *gpus = first->all->gpus;
    const Evaluation *evaluation = first->evaluation,
                     *own = first->gpus ? first->gpus[gpu].evaluation : NULL;
    const bool is_for
        = !evaluation || ptx_evaluation_is_for(evaluation, gpus[0], gpus[gpu]);
    s->evaluation = is_for ? evaluation : own;
    s->was_evaluated = is_for ? first->was_evaluated : own != NULL;
    if (is_for)
        return;
    s->passing->was_traced = false;
    s->passing->trace = NULL;
    s->passing->untraced = NULL;
}

void ptx_session_begin_beside(Session *s, const Session *first, size_t gpu)
{
    ptx_session_begin(s);
    take_passing(s->passing, first, gpu);
    take_analyses(s, first);
    take_evaluation(s, first, gpu);
    if (!first->gpus)
        return;
    OfGpu *of = ptx_session_gpu(s, 0);
    of->throughput = first->gpus[gpu].throughput;
    of->lowered = first->gpus[gpu].lowered;
    /* without a model of its own, spills are looked for in a cheaper way */
    of->pressure = ptx_session_has_model(s) ? first->gpus[gpu].pressure : NULL;
    if (s->was_evaluated) {
        of->executed = first->gpus[gpu].executed;
        of->predicted = first->gpus[gpu].predicted;
        of->parallelisms = first->gpus[gpu].parallelisms;
    }
}
