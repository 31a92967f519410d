#include "session/state.h"

#include "analysis/flow/callgraph.h"
#include "analysis/redundancy/mod_ref.h"
#include "analysis/redundancy/usage.h"
#include "analysis/time/throughput.h"
#include "analysis/value/launch.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/module.h"
#include "session/residency.h"
#include "support/hash.h"

#include <string.h>

/* of a module: machine instructions of more are computed again where a trial asks for them */

/* ---- all functions --------------------------------------------------------------------------- */

static bool has_variables(const Module *module)
{
    for (VarId v = 0; v < module->var_count; v++)
        if (module->vars[v].space != SPACE_PARAM)
            return true;
    return false;
}

void ptx_sessions_begin(Sessions *all)
{
    const Module *module = all->module;
    Session *items = ptx_arena_array(all->arena, Session, module->func_count + 1);
    all->own = ptx_arena_new(all->arena, struct OfModule);
    all->own->arena = all->arena;
    all->own->items = ptx_arena_array(all->arena, Session *, module->func_count + 1);
    all->own->ops = ptx_arena_array(all->arena, const OpCycles *, all->gpu_count + 1);
    if (all->first_of_code)
        all->own->pressures = ptx_arena_array(all->arena, const Pressure *, module->func_count);
    for (FuncId f = 0; f < module->func_count; f++) {
        items[f] = (Session){ .all = all, .func = &module->funcs[f], .launch = all->launches[f] };
        all->own->items[f] = &items[f];
    }
    all->own->has_variables = has_variables(module);
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
        all->own->ops[gpu] = ptx_throughput_ops(all->own->arena, all->module, all->gpus[gpu]);
    return all->own->ops[gpu];
}

static UsageMarks *marks_of(Sessions *all)
{
    if (!all->own->marks)
        all->own->marks = ptx_usage_marks_new(all->own->arena, all->module);
    return all->own->marks;
}

/* Where other threads had functions in hand, with what these noted. */
const Usage *ptx_sessions_usage(Sessions *all)
{
    if (all->own->usage)
        return all->own->usage;
    UsageMarks *marks = marks_of(all);
    for (FuncId f = 0; f < all->module->func_count; f++) {
        const Session *s = all->own->items[f];
        const UsageMarks *others = s ? s->all->own->marks : NULL;
        if (others && !marks->has_func[f] && others->has_func[f])
            ptx_usage_add(marks, others);
    }
    return all->own->usage = ptx_usage_compute(all->own->arena, all->scratch, marks);
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

Writers *ptx_sessions_writers(Sessions *all)
{
    if (!all->own->writers)
        all->own->writers = ptx_writers_new(all->own->arena, all->module, all->calls);
    return all->own->writers;
}

DemandScan *ptx_sessions_demands(Sessions *all)
{
    if (!all->own->demands)
        all->own->demands = ptx_demand_scan_new(all->own->arena, all->module);
    return all->own->demands;
}

/* ---- the function in hand -------------------------------------------------------------------- */

void ptx_session_begin(Session *s)
{
    ArenaMark mark = ptx_arena_mark(s->all->work);
    s->passing = ptx_arena_new(s->all->work, Passing);
    s->passing->mark = mark;
    if (s->all->figures)
        s->all->arena = s->all->figures;
}

/* What is known of the function lies in figures, and so does what was shared. */
static void drop_figures(Session *s)
{
    Sessions *all = s->all;
    *s = (Session){ .all = all, .func = s->func, .launch = s->launch };
    memset(all->own->shared, 0, sizeof all->own->shared);
    all->arena = all->own->arena;
    ptx_arena_release(all->figures, (ArenaMark){ NULL, NULL });
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
    if (s->passing->bases && s->all->own->has_variables && !ptx_session_is_trial(s))
        ptx_usage_note(marks_of(s->all), ptx_session_id(s), s->passing->bases);
    ArenaMark mark = s->passing->mark;
    const bool has_lowered = s->passing->has_lowered;
    s->passing = NULL;
    s->evaluation = NULL;
    s->was_evaluated = false;
    for (size_t g = 0; s->gpus && g < s->all->gpu_count; g++) {
        OfGpu *of = &s->gpus[g];
        of->evaluation = NULL;
        of->executed = NULL;
        of->parallelisms = NULL;
        of->residency = NULL;
        of->predicted = NULL;
        of->predict_facts = NULL;
        of->lowered = has_lowered ? NULL : of->lowered;
    }
    if (s->all->has_figures && !s->all->figures && !ptx_session_is_trial(s) && s->uniforms
        && !s->values)
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
    if (ptx_session_is_trial(s))
        memset(s->all->own->items, 0, s->all->module->func_count * sizeof *s->all->own->items);
    if (s->all->figures)
        drop_figures(s);
    ptx_arena_release(s->all->work, mark);
}

const Func *ptx_session_func(const Session *s)
{
    return s->func;
}

const CallGraph *ptx_session_call_graph(const Session *s)
{
    return s->all->calls;
}

const CallNode *ptx_session_calls(const Session *s)
{
    return &s->all->calls->nodes[ptx_session_id(s)];
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
           && (s->all->has_figures || s->all->has_overview || s->launch->block[0]);
}

/* Functions that are not in hand are asked, too: what they answer outlasts the one that is. */
static Arena *lasting_arena(const Session *s)
{
    return s->passing ? s->all->arena : s->all->own->arena;
}

Arena *ptx_session_kept_arena(const Session *s)
{
    return s->all->has_figures && !ptx_session_is_trial(s) ? lasting_arena(s) : s->all->work;
}

/* Of what goes with the function in hand: liveness and values take as much as the instructions. */
Arena *ptx_session_passing_arena(const Session *s)
{
    return s->passing && !s->all->is_for_estimates ? s->all->work : lasting_arena(s);
}

/* Where findings alone are asked for, what is computed while a function is in hand goes with it. */
Arena *ptx_session_flow_arena(const Session *s)
{
    return s->passing && !s->all->has_figures ? s->all->work : lasting_arena(s);
}

OfGpu *ptx_session_gpu(Session *s, size_t gpu)
{
    if (!s->gpus)
        s->gpus = ptx_arena_array(ptx_session_kept_arena(s), OfGpu, s->all->gpu_count + 1);
    return &s->gpus[gpu];
}
