/* estimate.c -- one kernel and launch of a module that is there: what its analyses know is read only, all else lies in arenas of the call. */
#include "api/gpu.h"
#include "api/module.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

enum { STEPS_MOST = 1 << 18, MEMORY_MOST = 64 << 20 };

void ptxlint_trial_init(ptxlint_trial *trial)
{
    *trial = (ptxlint_trial){ .size = sizeof *trial, .dynamic_shared_bytes = -1 };
}

double ptxlint_amdahl(double share, double speedup)
{
    return share >= 0 && share <= 1 && speedup > 0 ? 1 / (1 - share + share / speedup) : (double)NAN;
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

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

static void set_params(Arena *arena, const Module *module, const Func *func, const ptxlint_trial *trial, Launch *launch)
{
    uint32_t count = trial->param_count < func->param_count ? (uint32_t)trial->param_count : func->param_count;
    LaunchParam *params = ptx_arena_array(arena, LaunchParam, func->param_count + 1);
    for (uint32_t p = 0; p < count; p++) {
        if (func->params[p] == NO_ID)
            continue;
        const Var *var = &module->vars[func->params[p]];
        params[p] = (LaunchParam){ .bytes = trial->params[p], .length = (uint32_t)var->bytes, .is_pointer = !trial->params[p] && var->bytes == 8 };
    }
    launch->params = params;
    launch->param_count = count;
}

static bool make_launch(Arena *arena, const ptxlint_module *m, FuncId id, const ptxlint_trial *trial, Launch *out)
{
    *out = *m->facts[id].launch;
    if (trial->dynamic_shared_bytes >= 0)
        out->dynamic_shared_bytes = trial->dynamic_shared_bytes;
    if (trial->params)
        set_params(arena, m->ir, &m->ir->funcs[id], trial, out);
    return set_shape(trial->grid, out->grid) && set_shape(trial->block, out->block);
}

/* ---- what it comes to -------------------------------------------------------------------------------------------- */

static double volume(const uint32_t size[3])
{
    return size[0] ? (double)size[0] * size[1] * size[2] : (double)NAN;
}

static void sum_requests(const Evaluation *evaluation, const Func *func, ptxlint_estimated *out)
{
    double global = 0, shared = 0, sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Count *total = &evaluation->insns[i].total;
        global += total->sectors > 0 ? total->requests : 0;
        shared += total->wavefronts > 0 ? total->requests : 0;
        sectors += total->sectors;
        ideal_sectors += total->ideal_sectors;
        wavefronts += total->wavefronts;
        ideal_wavefronts += total->ideal_wavefronts;
    }
    if (global > 0) {
        out->sectors_per_request = sectors / global;
        out->ideal_sectors_per_request = ideal_sectors / global;
    }
    if (shared > 0) {
        out->wavefronts_per_request = wavefronts / shared;
        out->ideal_wavefronts_per_request = ideal_wavefronts / shared;
    }
}

/* A kernel that ptxas would give fewer registers than the cap does not feel it. */
static void take_cap(const ptxlint_projection *projection, int64_t cap, ptxlint_resources *resources, ptxlint_estimated *out)
{
    if (cap <= 0 || projection->registers <= 0)
        return;
    bool has_band = projection->registers_low > 0 && projection->registers_high > 0;
    out->spills = !has_band ? PTXLINT_SPILLS_UNKNOWN : cap >= projection->registers_high || cap >= projection->registers ? PTXLINT_SPILLS_UNLIKELY
                  : cap >= projection->registers_low ? PTXLINT_SPILLS_POSSIBLE : PTXLINT_SPILLS_LIKELY;
    if (resources->registers_per_thread > cap)
        resources->registers_per_thread = cap;
}

static void find_occupancy(const ptxlint_module *m, const ptxlint_projection *projection, size_t gpu, const Launch *launch, int64_t cap, ptxlint_estimated *out)
{
    ptxlint_resources resources = projection->resources;
    take_cap(projection, cap, &resources, out);
    double threads = volume(launch->block), blocks = volume(launch->grid);
    resources.threads_per_block = threads > 0 ? (int64_t)threads : PTXLINT_UNKNOWN;
    if (launch->dynamic_shared_bytes >= 0)
        resources.dynamic_shared_bytes = launch->dynamic_shared_bytes;
    ptxlint_occupancy_compute(projection->gpu, &resources, &out->occupancy);
    if (out->occupancy.blocks_per_sm > 0)
        out->waves = blocks / (double)out->occupancy.blocks_per_sm / m->gpus[gpu]->figures[FIGURE_SMS];
}

static void run(Arena arenas[3], const ptxlint_module *m, FuncId id, size_t gpu, const Launch *launch, ptxlint_estimated *out)
{
    const Facts *f = &m->facts[id];
    const Func *func = &m->ir->funcs[id];
    Program *program = ptx_program_new(&arenas[0], m->ir);
    const Evaluation *evaluation = ptx_evaluate(&arenas[0], &arenas[1], &arenas[2], program, id, launch, m->gpus[gpu], STEPS_MOST, DEPTH_FEW);
    if (!evaluation)
        return;
    Executed executed = ptx_executed_compute(func, f->cfg, f->lowered[gpu], evaluation);
    PredictInput in = {
        .gpu = m->gpus[gpu], .func = func, .cfg = f->cfg, .loops = f->loops, .lowered = f->lowered[gpu], .executed = &executed, .evaluation = evaluation,
        .ops = m->op_cycles[gpu], .work = f->work, .blocks = volume(launch->grid), .warps_per_block = ceil(volume(launch->block) / 32),
        .blocks_per_sm = out->occupancy.blocks_per_sm > 0 ? (double)out->occupancy.blocks_per_sm : (double)NAN,
    };
    Prediction prediction = ptx_predict(&arenas[2], &in);
    out->time = ptx_project_time(&prediction);
    out->bottleneck = ptx_project_bottleneck(&prediction, out->waves);
    out->warp_instructions = executed.warp_instructions;
    sum_requests(evaluation, func, out);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static const ptxlint_kernel *find_kernel(const ptxlint_module *m, const char *name, FuncId *id)
{
    size_t k = 0;
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        if (!m->ir->funcs[f].has_body)
            continue;
        if (m->ir->funcs[f].is_entry && !strcmp(m->kernels[k].name, name)) {
            *id = f;
            return &m->kernels[k];
        }
        k++;
    }
    return NULL;
}

static bool estimate(Arena arenas[3], const ptxlint_module *m, const ptxlint_kernel *kernel, FuncId id, size_t gpu, const ptxlint_trial *trial, ptxlint_estimated *out,
                     ptxlint_status *status)
{
    jmp_buf on_failure;
    Launch launch;
    for (int i = 0; i < 3; i++)
        ptx_arena_init(&arenas[i], MEMORY_MOST, &on_failure);
    if (setjmp(on_failure))
        return false;
    if (!make_launch(&arenas[0], m, id, trial, &launch)) {
        *status = PTXLINT_BAD_ARGUMENT;
        return true;
    }
    find_occupancy(m, &kernel->projections[gpu], gpu, &launch, trial->max_registers, out);
    run(arenas, m, id, gpu, &launch, out);
    return true;
}

ptxlint_status ptxlint_estimate(const ptxlint_module *m, const char *kernel, size_t gpu, const ptxlint_trial *trial, ptxlint_estimated *out)
{
    const double unknown = (double)NAN;
    FuncId id = 0;
    if (!m || !kernel || !trial || trial->size != sizeof *trial || !out || gpu >= m->gpu_count || !m->facts)
        return PTXLINT_BAD_ARGUMENT;
    const ptxlint_kernel *found = find_kernel(m, kernel, &id);
    if (!found || !m->facts[id].lowered || !m->facts[id].work)
        return PTXLINT_BAD_ARGUMENT;
    *out = (ptxlint_estimated){ .waves = unknown, .warp_instructions = unknown, .sectors_per_request = unknown, .ideal_sectors_per_request = unknown,
                                .wavefronts_per_request = unknown, .ideal_wavefronts_per_request = unknown,
                                .time = ptx_project_time(&ptx_prediction_unknown),
                                .bottleneck = ptx_project_bottleneck(&ptx_prediction_unknown, unknown) };
    Arena arenas[3];
    ptxlint_status status = PTXLINT_OK;
    bool is_complete = estimate(arenas, m, found, id, gpu, trial, out, &status);
    for (int i = 0; i < 3; i++)
        ptx_arena_free(&arenas[i]);
    return is_complete ? status : PTXLINT_NO_MEMORY;
}
