#include "session/state.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/mix.h"
#include "analysis/time/work.h"
#include "analysis/trips/trip.h"
#include "analysis/value/launch.h"
#include "analysis/value/uniform.h"

/* ---- flow ------------------------------------------------------------------------------------ */

static void make_flow(Session *s)
{
    Sessions *all = s->all;
    s->has_flow = true;
    if (!all->calls)
        return;
    s->cfg = ptx_cfg_build(ptx_session_flow_arena(s), all->scratch, all->module, s->func);
    if (!s->cfg)
        return;
    s->dom = ptx_dom_compute(ptx_session_flow_arena(s), all->scratch, s->cfg);
    s->loops = ptx_loops_compute(ptx_session_flow_arena(s), all->scratch, s->cfg, s->dom);
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
    const Defs *defs = s->passing ? s->passing->defs : NULL;
    return (FuncFlow){ s->all->module, s->func, s->cfg, s->dom, s->loops, defs };
}

FuncFlow ptx_session_flow_with_defs(Session *s)
{
    if (s->passing && !ptx_session_is_trial(s) && ptx_session_cfg(s))
        ptx_session_defs(s);
    return ptx_session_flow(s);
}

const Live *ptx_session_live(Session *s)
{
    if (!s->has_live && ptx_session_cfg(s))
        s->live =
            ptx_live_compute(s->all->keeps_live ? s->all->arena : ptx_session_passing_arena(s),
                             s->all->scratch, s->all->diags, s->func, s->cfg);
    s->has_live = true;
    return s->live;
}

const LiveClasses *ptx_session_live_classes(Session *s)
{
    const Live *live = ptx_session_live(s);
    return live ? ptx_live_classes_compute(s->all->work, s->all->scratch, s->func, s->cfg, live)
                : NULL;
}

const Mixes *ptx_session_mixes(Session *s)
{
    const Trips *trips = s->all->has_figures ? ptx_session_trips(s) : NULL;
    const FuncFlow flow = ptx_session_flow(s);
    if (!s->mixes)
        s->mixes = ptx_mix_compute(ptx_session_flow_arena(s), s->all->scratch, &flow, trips);
    return s->mixes;
}

/* ---- values and costs ------------------------------------------------------------------------ */

const Uniforms *ptx_session_uniforms(Session *s)
{
    if (!s->uniforms) {
        const FuncFlow flow = ptx_session_flow(s);
        const Launch *launch = s->all->launches[ptx_session_id(s)];
        Arena *arena = ptx_session_passing_arena(s);
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
        const FuncFlow flow = ptx_session_flow_with_defs(s);
        s->trips = ptx_trips_compute(ptx_session_kept_arena(s), s->all->scratch, &flow, s->launch);
    }
    return s->trips;
}

const uint8_t *ptx_session_work(Session *s)
{
    if (!s->work) {
        const FuncFlow flow = ptx_session_flow_with_defs(s);
        s->work = ptx_work_compute(ptx_session_kept_arena(s), s->all->scratch, &flow,
                                   ptx_session_live(s));
    }
    return s->work;
}
