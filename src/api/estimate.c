/* estimate.c -- one kernel and launch of a module that is there: its sessions are read only, those
 * of trials lie in an Estimator. Calls that come one after the other share the module's, and what
 * it has found of functions; one that comes while another runs makes its own. */
#include "analysis/value/pointer.h"
#include "analysis/value/thread_index.h"
#include "model/gpu.h"
#include "api/estimate.h"
#include "api/module.h"
#include "input/launch.h"
#include "input/param.h"
#include "model/kept_estimates.h"
#include "model/view.h"
#include "support/guard.h"
#include "analysis/access/evaluate.h"
#include "analysis/sass/executed.h"
#include "analysis/sim/count.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "session/residency.h"
#include "analysis/time/predict.h"
#include "analysis/value/launch.h"
#include "isa/isa.h"
#include "session/session.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MEMORY = 128 << 20, MEMORY_LEFT = 16 << 20 /* with the module, between calls */ };

struct Estimator {
    Arena kept;                 /* of what trials find whatever the launch */
    Arena runs;                 /* of the last evaluations */
    Arena grids;                /* of runs that stand for other grids */
    Arena out, work, scratch;   /* of a call */
    Sessions trials;
    KeptEstimates *answers;
    uint64_t **pointers;        /* per function: ptx_pointers_compute; NULL: not asked for yet */
    bool is_begun;
};

void ptxlint_trial_init(ptxlint_trial *trial)
{
    if (trial)
        *trial = (ptxlint_trial){ .size = sizeof *trial, .dynamic_shared_bytes = -1 };
}

double ptxlint_amdahl(double share, double speedup)
{
    return share >= 0 && share <= 1 && speedup > 0 ? 1 / (1 - share + share / speedup)
                                                   : (double)NAN;
}

/* ---- the launch ------------------------------------------------------------------------------ */

static bool set_shape(const int64_t given[3], uint32_t out[3])
{
    for (int i = 0; i < 3 && given[0] > 0; i++) {
        int64_t size = given[i] > 0 ? given[i] : 1;
        if (size > INT32_MAX)
            return false;
        out[i] = (uint32_t)size;
    }
    return true;
}

static uint64_t pointers_of(Estimator *e, const Module *module, FuncId func)
{
    uint64_t **known = &e->pointers[func];
    if (!*known) {
        *known = ptx_arena_new(&e->kept, uint64_t);
        **known = ptx_pointers_compute(&e->scratch, module, &module->funcs[func]);
    }
    return **known;
}

static void set_params(Estimator *e, const Module *module, FuncId id, const ptxlint_trial *trial,
                       Launch *launch)
{
    const Func *func = &module->funcs[id];
    uint32_t count = trial->param_count < func->param_count ? (uint32_t)trial->param_count
                                                            : func->param_count;
    LaunchParam *params = ptx_arena_array(&e->out, LaunchParam, func->param_count + 1);
    const uint64_t pointers = pointers_of(e, module, id);
    for (uint32_t p = 0; p < count; p++) {
        if (func->params[p] == NO_ID)
            continue;
        const Var *var = &module->vars[func->params[p]];
        params[p] = (LaunchParam){ .bytes = trial->params[p],
                                   .length = (uint32_t)var->bytes,
                                   .is_pointer = !trial->params[p]
                                                 && ptx_param_is_pointer(var, 64, pointers, p) };
    }
    launch->params = params;
    launch->param_count = count;
}

static bool make_launch(Estimator *e, const ptxlint_module *m, FuncId id,
                        const ptxlint_trial *trial, Launch *out)
{
    *out = *ptx_session_launch(ptx_session_at(m, id));
    if (trial->dynamic_shared_bytes >= 0)
        out->dynamic_shared_bytes = trial->dynamic_shared_bytes;
    if (trial->params)
        set_params(e, m->ir, id, trial, out);
    return set_shape(trial->grid, out->grid) && set_shape(trial->block, out->block);
}

/* Over that, what a row of measurements says. */
static void overlay_launch(Estimator *e, const ptxlint_module *m, FuncId id, json_t *entry,
                           Launch *out)
{
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    json_t *name = json_string(ptx_arena_strndup(&e->out, m->text + m->ir->funcs[id].name.begin,
                                                 ptx_span_length(m->ir->funcs[id].name))),
           *kernels = json_object();
    json_object_set(kernels, name ? json_string_value(name) : "", entry);
    json_t *root = json_pack("{s:o}", "kernels", kernels);
    ptxlint_launches row = { .root = root };
    const LaunchSource source = { .launches = &row, .path = m->info.path };
    const Launch *said = root && name
                             ? ptx_launch_build(&e->out, &source, m->ir, &m->ir->funcs[id])
                             : &nothing;
    json_decref(root);
    json_decref(name);
    for (int i = 0; i < 3; i++) {
        out->grid[i] = said->grid[0] ? said->grid[i] : out->grid[i];
        out->block[i] = json_object_get(entry, "block") ? said->block[i] : out->block[i];
        out->cluster[i] = said->cluster[0] ? said->cluster[i] : out->cluster[i];
    }
    if (said->dynamic_shared_bytes >= 0)
        out->dynamic_shared_bytes = said->dynamic_shared_bytes;
    if (said->param_count) {
        out->params = said->params;
        out->param_count = said->param_count;
    }
    if (said->trip_count) {
        out->trips = said->trips;
        out->trip_count = said->trip_count;
    }
}

/* ---- what it comes to ------------------------------------------------------------------------ */

static bool is_of_memory(const Insn *insn)
{
    Space space = (Space)insn->op->space;
    return ptx_insn_is_access(insn) && (space == SPACE_GLOBAL || space == SPACE_GENERIC);
}

/* Whether each parameter is a number that is known, a pointer or in floating point: which lanes
 * access memory then rests on nothing assumed. */
static bool knows_numbers(const Module *module, uint64_t pointers, const Func *func,
                          const Launch *launch)
{
    for (uint32_t p = 0; p < func->param_count; p++) {
        bool is_given = p < launch->param_count
                        && (launch->params[p].bytes || launch->params[p].is_pointer);
        bool is_float = func->params[p] != NO_ID
                        && ptx_type_info[module->vars[func->params[p]].type].kind == KIND_FLOAT;
        if (!is_given && !is_float && !(p < MAX_POINTERS && pointers >> p & 1))
            return false;
    }
    return true;
}

/* NaN: they rest on data, or on what was assumed. */
static double count_estimate_accesses(const Evaluation *evaluation, const Func *func, bool knows)
{
    double lanes = evaluation->is_part || evaluation->is_cut ? (double)NAN : 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Count *total = evaluation->insns[i].total;
        if (!is_of_memory(&func->insns[i]) || !(total->requests > 0))
            continue;
        lanes += total->doubt <= UNCERTAIN_MODEL || (knows && total->doubt == UNCERTAIN_PARAMETER)
                     ? total->active
                     : (double)NAN;
    }
    return lanes;
}

static void sum_requests(const Evaluation *evaluation, const Func *func, ptxlint_estimated *out)
{
    double global = 0, shared = 0, sectors = 0, ideal_sectors = 0, lines = 0, wavefronts = 0,
           ideal_wavefronts = 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Count *total = evaluation->insns[i].total;
        global += total->sectors > 0 ? total->requests : 0;
        shared += total->wavefronts > 0 ? total->requests : 0;
        sectors += total->sectors;
        ideal_sectors += total->ideal_sectors;
        lines += total->sectors > 0 ? total->lines : 0;
        wavefronts += total->wavefronts;
        ideal_wavefronts += total->ideal_wavefronts;
    }
    if (global > 0) {
        out->sectors_per_request = sectors / global;
        out->ideal_sectors_per_request = ideal_sectors / global;
        out->lines_per_request = lines / global;
    }
    if (shared > 0) {
        out->wavefronts_per_request = wavefronts / shared;
        out->ideal_wavefronts_per_request = ideal_wavefronts / shared;
    }
}

/* A kernel that ptxas would give fewer registers than the cap does not feel it. */
static ptxlint_spills find_spills(const Residency *r, int64_t cap)
{
    bool has_band = r->registers_low > 0 && r->registers_high > 0;
    if (!has_band)
        return PTXLINT_SPILLS_UNKNOWN;
    if (cap >= r->registers_high || cap >= r->registers)
        return PTXLINT_SPILLS_UNLIKELY;
    return cap >= r->registers_low ? PTXLINT_SPILLS_POSSIBLE : PTXLINT_SPILLS_LIKELY;
}

static void show_residency(Session *s, const Trial *trial, ptxlint_estimated *out)
{
    const Residency *r = ptx_session_residency(s, trial->gpu);
    if (trial->max_registers > 0 && r->registers > 0)
        out->spills = find_spills(r, trial->max_registers);
    out->registers = ptx_view_number(r->registers);
    out->registers_low = ptx_view_number(r->registers_low);
    out->registers_high = ptx_view_number(r->registers_high);
    ptx_view_occupancy(&r->occupancy, &out->occupancy);
    out->waves = r->waves.count;
}

static void show_run(Estimator *e, Session *s, const Trial *trial, ptxlint_estimated *out)
{
    const Func *func = ptx_session_func(s);
    const Module *module = e->trials.module;
    const Evaluation *evaluation = ptx_session_evaluation(s, BUDGET_FIGURES);
    const Executed *executed = ptx_session_executed(s, trial->gpu);
    if (ptx_session_shape(s)->error)
        out->occupancy.error = ptx_session_shape(s)->error;
    const Prediction *prediction = ptx_session_predict(s, trial->gpu);
    out->time = ptx_project_time(prediction);
    if (isnan(out->time.predicted_us) && !out->time.why)
        out->time.why = executed->why ? executed->why : ptx_session_shape(s)->error;
    if (!evaluation)
        return;
    out->bottleneck = ptx_project_bottleneck(prediction, out->waves);
    out->warp_instructions = executed->warp_instructions + executed->spill_instructions;
    sum_requests(evaluation, func, out);
    const uint64_t pointers = pointers_of(e, module, (FuncId)(func - module->funcs));
    out->knows_params = knows_numbers(module, pointers, func, trial->launch);
    out->thread_accesses = count_estimate_accesses(evaluation, func, out->knows_params);
}

/* ---- the call -------------------------------------------------------------------------------- */

/* The one whose own name it is, to the address; else the first of that name. */
static const ptxlint_kernel *find_kernel(const ptxlint_module *m, const char *name, FuncId *id)
{
    const ptxlint_kernel *first = NULL;
    size_t k = 0;
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        if (!m->ir->funcs[f].has_body)
            continue;
        const ptxlint_kernel *kernel = &m->kernels[k++];
        bool is_own = kernel->name == name;
        if (!m->ir->funcs[f].is_entry || (!is_own && (first || strcmp(kernel->name, name) != 0)))
            continue;
        first = kernel;
        *id = f;
        if (is_own)
            break;
    }
    return first;
}

static void free_estimator(Estimator *e)
{
    ptx_arena_free(&e->kept);
    ptx_arena_free(&e->runs);
    ptx_arena_free(&e->grids);
    ptx_arena_free(&e->out);
    ptx_arena_free(&e->work);
    ptx_arena_free(&e->scratch);
    free(e);
}

/* The module's, unless another call has it. NULL: no memory. */
static Estimator *take_estimator(const ptxlint_module *m)
{
    Estimator *e = atomic_exchange(m->estimator, NULL);
    if (e)
        return e;
    e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    ptx_arena_init(&e->kept, MAX_MEMORY, NULL);
    ptx_arena_init(&e->runs, MAX_MEMORY, NULL);
    ptx_arena_init(&e->grids, MAX_MEMORY, NULL);
    ptx_arena_init(&e->out, MAX_MEMORY, NULL);
    ptx_arena_init(&e->work, MAX_MEMORY, NULL);
    ptx_arena_init(&e->scratch, MAX_MEMORY, NULL);
    return e;
}

/* For the next call; of several that come back at once the module keeps one. Large ones are not
 * kept. */
static void return_estimator(const ptxlint_module *m, Estimator *e)
{
    static const ArenaMark empty = { NULL, NULL };
    ptx_arena_release(&e->out, empty);
    ptx_arena_release(&e->work, empty);
    ptx_arena_release(&e->scratch, empty);
    bool is_large = e->kept.used_bytes + e->runs.used_bytes + e->grids.used_bytes
                        + e->out.used_bytes + e->work.used_bytes + e->scratch.used_bytes
                    > MEMORY_LEFT;
    Estimator *none = NULL;
    if (is_large || !atomic_compare_exchange_strong(m->estimator, &none, e))
        free_estimator(e);
}

void ptx_estimator_free(ptxlint_module *m)
{
    Estimator *e = m->estimator ? atomic_exchange(m->estimator, NULL) : NULL;
    if (e)
        free_estimator(e);
}

typedef struct EstimateCall {
    Estimator *e;
    const ptxlint_module *m;
    FuncId id;
    size_t gpu;
    const ptxlint_trial *trial;
    ptxlint_estimated *out;
    ptxlint_status *status;
    MeasuredTrial *measured;    /* NULL: nothing was */
} EstimateCall;

/* A time that memory at its peak would not do for: whether the bytes are certain is looked at. */
static void find_touched(const EstimateCall *call, Session *session, const bool *counts)
{
    MeasuredTrial *measured = call->measured;
    if (measured->floor.us[PART_DRAM] > measured->suspect_us)
        measured->touched = ptx_session_touched(session, counts, MEASURED_STEPS);
}

static void predict_on_others(const EstimateCall *call, Session *session)
{
    const GpuTrials *others = call->measured->others;
    for (size_t i = 0; others && i < others->count; i++)
        others->us[i] = ptx_session_predict_on(session, call->gpu, others->gpus[i]);
}

static void begin_estimator(Estimator *e, const ptxlint_module *m)
{
    e->trials = (Sessions){
        .arena = &e->kept, .work = &e->out, .temp = &e->work, .scratch = &e->scratch,
        .runs = &e->runs, .grids = &e->grids
    };
    ptx_sessions_begin_trials(&e->trials, m->sessions);
    e->pointers = ptx_arena_array(&e->kept, uint64_t *, m->ir->func_count + 1);
    e->answers = ptx_kept_estimates_new(&e->kept);
    e->is_begun = true;
}

static void try_launch(const EstimateCall *call, Launch *launch)
{
    Estimator *e = call->e;
    const ptxlint_trial *trial = call->trial;
    Trial tried = { launch, trial->max_registers, call->gpu,
                    trial->steps > 0 ? (uint64_t)trial->steps : 0, NULL, NULL };
    if (call->measured) {
        overlay_launch(e, call->m, call->id, call->measured->entry, launch);
        tried.floor = &call->measured->floor;
        tried.counts = ptx_arena_array(&e->out, bool, call->m->ir->funcs[call->id].insn_count + 1);
    }
    Session *session = ptx_session_try(&e->trials, call->id, &tried);
    show_residency(session, &tried, call->out);
    show_run(e, session, &tried, call->out);
    if (call->measured) {
        find_touched(call, session, tried.counts);
        predict_on_others(call, session);
    }
    ptx_session_end(session);
}

static void estimate_guarded(void *context)
{
    const EstimateCall *call = context;
    Estimator *e = call->e;
    Launch launch;
    EstimateKey key = { .length = 0 };
    if (!e->is_begun)
        begin_estimator(e, call->m);
    if (!call->measured)
        ptx_estimate_key(call->m->ir, call->id, call->gpu, call->trial, &key);
    if (ptx_kept_estimates_find(e->answers, &key, call->out))
        return;
    if (!make_launch(e, call->m, call->id, call->trial, &launch)) {
        *call->status = PTXLINT_BAD_ARGUMENT;
        return;
    }
    try_launch(call, &launch);
    ptx_kept_estimates_add(e->answers, &key, call->out);
}

static bool estimate(EstimateCall *call)
{
    Estimator *e = call->e;
    Arena *const guarded[GUARD_ARENAS_MAX] = { &e->kept, &e->runs, &e->grids, &e->out,
                                               &e->work, &e->scratch };
    return ptx_run_guarded(guarded, estimate_guarded, call);
}

ptxlint_status ptx_estimate_measured(const ptxlint_module *m, const char *kernel, size_t gpu,
                                     const ptxlint_trial *trial, MeasuredTrial *measured,
                                     ptxlint_estimated *out)
{
    const double unknown = (double)NAN;
    FuncId id = 0;
    if (!m || !kernel || !trial || trial->size != sizeof *trial || !out || out->size != sizeof *out
        || gpu >= m->gpu_count || !ptx_module_has_figures(m))
        return PTXLINT_BAD_ARGUMENT;
    const ptxlint_kernel *found = find_kernel(m, kernel, &id);
    if (!found || !ptx_session_is_projected(ptx_session_at(m, id)))
        return PTXLINT_BAD_ARGUMENT;
    *out = (ptxlint_estimated){ .size = sizeof *out,
                                .waves = unknown,
                                .warp_instructions = unknown,
                                .sectors_per_request = unknown,
                                .ideal_sectors_per_request = unknown,
                                .lines_per_request = unknown,
                                .wavefronts_per_request = unknown,
                                .ideal_wavefronts_per_request = unknown,
                                .thread_accesses = unknown,
                                .time = ptx_project_time(&ptx_prediction_unknown),
                                .bottleneck = ptx_project_bottleneck(&ptx_prediction_unknown,
                                                                     unknown),
                                .registers = PTXLINT_UNKNOWN,
                                .registers_low = PTXLINT_UNKNOWN,
                                .registers_high = PTXLINT_UNKNOWN };
    ptxlint_status status = PTXLINT_OK;
    Estimator *e = take_estimator(m);
    if (!e)
        return PTXLINT_NO_MEMORY;
    EstimateCall call = { e, m, id, gpu, trial, out, &status, measured };
    bool is_complete = estimate(&call);
    if (is_complete)
        return_estimator(m, e);
    else
        free_estimator(e);
    return is_complete ? status : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_estimate(const ptxlint_module *m, const char *kernel, size_t gpu,
                                const ptxlint_trial *trial, ptxlint_estimated *out)
{
    return ptx_estimate_measured(m, kernel, gpu, trial, NULL, out);
}

/* ---- what another block would do ------------------------------------------------------------- */

static void show_index(const Module *module, const Func *func, const ThreadIndex *index,
                       ptxlint_thread_index *out)
{
    *out = (ptxlint_thread_index){ .size = sizeof *out, .asks_lane = index->asks_lane };
    for (unsigned d = 0; d < 3; d++) {
        out->binding[d] = (ptxlint_binding)index->binding[d];
        out->number[d] = index->number[d];
        out->asks_total[d] = index->asks_total[d];
        if (index->binding[d] > BINDING_UNKNOWN)
            out->line[d] = ptx_line_of(module, func->insns[index->insn[d]].span.begin) + 1;
    }
    if (index->shared == NO_ID)
        return;
    const Var *var = &module->vars[index->shared];
    size_t length = ptx_span_length(var->name) < sizeof out->shared ? ptx_span_length(var->name)
                                                                    : sizeof out->shared - 1;
    memcpy(out->shared, module->text + var->name.begin, length);
    out->shared_bytes = (int64_t)var->bytes;
}

typedef struct IndexFind {
    Arena arena;
    const Module *module;
    const Func *func;
    ThreadIndex *out;
} IndexFind;

static void find_index_guarded(void *context)
{
    IndexFind *call = context;
    *call->out = ptx_thread_index_compute(&call->arena, call->module, call->func);
}

static bool find_index(const Module *module, const Func *func, ThreadIndex *out)
{
    IndexFind call = { .module = module, .func = func, .out = out };
    ptx_arena_init(&call.arena, MAX_MEMORY, NULL);
    bool is_found = ptx_run_guarded_in(&call.arena, find_index_guarded, &call);
    ptx_arena_free(&call.arena);
    return is_found;
}

ptxlint_status ptxlint_thread_index_find(const ptxlint_module *m, const char *kernel,
                                         ptxlint_thread_index *out)
{
    FuncId id = 0;
    ThreadIndex index;
    if (!m || !kernel || !out || out->size != sizeof *out || !ptx_module_is_analysed(m)
        || !find_kernel(m, kernel, &id))
        return PTXLINT_BAD_ARGUMENT;
    bool is_found = find_index(m->ir, &m->ir->funcs[id], &index);
    if (is_found)
        show_index(m->ir, &m->ir->funcs[id], &index, out);
    return is_found ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}
