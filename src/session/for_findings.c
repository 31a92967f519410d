#include "session/state.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/redundancy/dead_code.h"
#include "analysis/redundancy/fp64_trips.h"
#include "analysis/redundancy/fuse.h"
#include "analysis/redundancy/mod_ref.h"
#include "analysis/redundancy/loop_invariance.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/redundancy/wgmma_registers.h"
#include "analysis/sass/joinable.h"
#include "analysis/sass/sass.h"
#include "analysis/sass/unroll.h"
#include "analysis/sass/local_arrays.h"
#include "analysis/value/lane_branches.h"
#include "analysis/value/must_diverge.h"
#include "analysis/value/points_to.h"
#include "analysis/value/rare_branch.h"
#include "analysis/value/uniform.h"

#include <string.h>

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
        const FuncFlow flow = ptx_session_flow_with_defs(s);
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

static const bool *rare_funcs(const Sessions *all)
{
    if (!all->own->rare_funcs)
        all->own->rare_funcs = ptx_rare_funcs_compute(all->own->arena, all->work, all->scratch,
                                                      all->module, all->calls);
    return all->own->rare_funcs;
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
    if (!s->func->is_entry && rare_funcs(all)[ptx_session_id(s)]) {
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
        const FuncFlow flow = ptx_session_flow_with_defs(s);
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

bool ptx_session_loop_keeps(Session *s, LoopId loop, RegId reg)
{
    const FuncFlow flow = ptx_session_flow(s);
    return ptx_loop_keeps_reg(&flow, ptx_session_defs(s), reg, loop);
}

const InsnId *ptx_session_fused(Session *s)
{
    Passing *p = s->passing;
    if (!p->fused)
        p->fused = ptx_fuse_compute(s->all->work, s->all->scratch, s->func, ptx_session_cfg(s));
    return p->fused;
}

const JoinableRow *ptx_session_joinable_in(Session *s, Arena *arena)
{
    const FuncFlow flow = ptx_session_flow(s);
    JoinableRow *rows = ptx_joinable_rows_find(arena, &flow);
    /* machine instructions take longer to find than rows */
    if (!ptx_joinable_rows_prove_any(s->all->scratch, &flow, rows))
        ptx_joinable_rows_prove(s->all->scratch, &flow,
                                s->all->gpu_count ? ptx_session_lowered(s, 0)->unrolled : NULL,
                                rows);
    return rows;
}

const JoinableRow *ptx_session_joinable(Session *s)
{
    Passing *p = s->passing;
    if (!p->joinable)
        p->joinable = ptx_session_joinable_in(s, s->all->work);
    return p->joinable;
}

const bool *ptx_session_local_arrays(Session *s)
{
    Passing *p = s->passing;
    if (!p->local_arrays) {
        const LocalArraysInput in = { .module = s->all->module,
                                      .func = s->func,
                                      .cfg = ptx_session_cfg(s),
                                      .loops = s->loops,
                                      .trips = ptx_session_trips(s),
                                      .bases = ptx_session_points_to(s) };
        p->local_arrays = ptx_local_arrays_compute(s->all->work, s->all->scratch, &in);
    }
    return p->local_arrays;
}

const bool *ptx_session_fp64_trips(Session *s)
{
    Passing *p = s->passing;
    if (!p->fp64_trips) {
        const FuncFlow flow = ptx_session_flow(s);
        p->fp64_trips = ptx_fp64_trips_compute(s->all->work, s->all->scratch, &flow,
                                               s->all->calls);
    }
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
                                                    ptx_sessions_writers(s->all), s->func,
                                                    ptx_session_cfg(s), ptx_session_points_to(s));
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
