#include "session/residency.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/flow/callgraph.h"
#include "analysis/value/launch.h"

#include <math.h>
#include <string.h>

/* ---- the launch ------------------------------------------------------------------------------ */

/* NVIDIA's guideline is 128 to 256 threads (CUDA C++ Best Practices Guide, "Thread and Block
 * Heuristics"). */
enum { ASSUMED_THREADS = 256 };

/* A size that is left out behind one that is given is 1. */
static void copy_launch_shape(const uint32_t from[3], int64_t to[3])
{
    for (int i = 0; i < 3; i++) {
        int64_t size = from[i] ? from[i] : 1;
        to[i] = from[0] ? size : -1;
    }
}

/* -1 where one is not known, or where it goes beyond 2^62. */
static int64_t volume_of(const int64_t dims[3])
{
    int64_t all = 1;
    for (int i = 0; i < 3; i++)
        if (dims[i] < 0 || __builtin_mul_overflow(all, dims[i], &all) || all > INT64_MAX / 2)
            return -1;
    return all;
}

static void derive_totals(LaunchShape *shape)
{
    int64_t threads = volume_of(shape->block);
    shape->blocks = volume_of(shape->grid);
    shape->threads_per_block = threads;
    shape->warps_per_block = threads > 0 ? (threads + 31) / 32 : -1;
    shape->idle_lanes = threads > 0 ? 32 * shape->warps_per_block - threads : -1;
    bool is_known = threads > 0 && shape->blocks >= 0;
    if (!is_known || __builtin_mul_overflow(shape->blocks, shape->warps_per_block, &shape->warps))
        shape->warps = -1;
}

double ptx_bounds_threads(const Bounds *bounds)
{
    const uint32_t *dims = bounds->reqntid[0] ? bounds->reqntid : bounds->maxntid;
    double threads = dims[0];
    for (int i = 1; i < 3; i++)
        threads *= dims[i] ? dims[i] : 1;
    return dims[0] ? threads : (double)NAN;
}

static LaunchFault block_fault(const Bounds *bounds, const int64_t block[3])
{
    int64_t required[3];
    copy_launch_shape(bounds->reqntid, required);
    for (int i = 0; i < 3 && bounds->reqntid[0]; i++)
        if (block[i] != required[i])
            return LAUNCH_OTHER_BLOCK;
    double threads = (double)block[0] * (double)block[1] * (double)block[2];
    return threads > ptx_bounds_threads(bounds) ? LAUNCH_LARGE_BLOCK : LAUNCH_TAKEN;
}

/* What no GPU takes; how many threads a block may have its GPU says. */
static LaunchFault dimension_fault(const Launch *launch)
{
    for (unsigned d = 1; d < 3; d++)
        if (launch->grid[d] > ptx_max_nctaid(UINT32_MAX, d))
            return LAUNCH_LARGE_GRID;
    return launch->block[2] > ptx_max_ntid(2) ? LAUNCH_DEEP_BLOCK : LAUNCH_TAKEN;
}

/* PTX ISA, "Cluster Dimension Directives". With .blocksareclusters a grid counts clusters. */
static LaunchFault cluster_fault(const Bounds *bounds, const Launch *launch,
                                 const int64_t cluster[3])
{
    int64_t required[3];
    copy_launch_shape(bounds->reqnctapercluster, required);
    for (int i = 0; i < 3 && required[0] > 0; i++)
        if (cluster[i] != required[i])
            return LAUNCH_OTHER_CLUSTER;
    if (bounds->maxclusterrank && volume_of(cluster) > bounds->maxclusterrank)
        return LAUNCH_LARGE_CLUSTER;
    for (int i = 0; i < 3 && launch->grid[0] && !bounds->blocksareclusters; i++)
        if (cluster[i] > 0 && ptx_u32_max(launch->grid[i], 1) % cluster[i])
            return LAUNCH_UNEVEN_GRID;
    return LAUNCH_TAKEN;
}

static LaunchFault find_launch_fault(const Func *func, const Launch *launch,
                                     const LaunchShape *shape)
{
    LaunchFault fault = launch->block[0] ? block_fault(&func->bounds, shape->block) : LAUNCH_TAKEN;
    if (!fault)
        fault = dimension_fault(launch);
    if (!fault && launch->cluster[0])
        fault = cluster_fault(&func->bounds, launch, shape->cluster);
    return fault;
}

static const char *const fault_texts[LAUNCH_FAULT__COUNT] = {
    [LAUNCH_OTHER_BLOCK] = "the block is not that of .reqntid",
    [LAUNCH_LARGE_BLOCK] = "the block has more threads than .maxntid allows",
    [LAUNCH_LARGE_GRID] = "the grid has more than 65535 blocks in y or z",
    [LAUNCH_DEEP_BLOCK] = "the block has more than 64 threads in z",
    [LAUNCH_OTHER_CLUSTER] = "the cluster is not that of .reqnctapercluster",
    [LAUNCH_LARGE_CLUSTER] = "the cluster has more blocks than .maxclusterrank allows",
    [LAUNCH_UNEVEN_GRID] = "the grid is not a multiple of the cluster",
};

LaunchShape ptx_launch_shape_find(const Func *func, const Launch *launch, bool assumes_block)
{
    static const uint32_t common[3] = { ASSUMED_THREADS, 1, 1 };
    LaunchShape shape = { .dynamic_shared_bytes = launch->dynamic_shared_bytes };
    const uint32_t *bound = func->bounds.maxntid[0] ? func->bounds.maxntid : common;
    shape.is_block_assumed = !launch->block[0] && assumes_block;
    copy_launch_shape(launch->grid, shape.grid);
    copy_launch_shape(launch->cluster, shape.cluster);
    copy_launch_shape(shape.is_block_assumed ? bound : launch->block, shape.block);
    shape.fault = find_launch_fault(func, launch, &shape);
    shape.error = fault_texts[shape.fault];
    derive_totals(&shape);
    return shape;
}

/* ---- memory and barriers --------------------------------------------------------------------- */

/* Shared memory that kernels of a unit of the file may reach by a call. */
typedef struct UnitShared {
    bool has_unsized;           /* some shared array has no size: dynamic shared memory */
    bool has_in_module;         /* a variable of the module with a size */
    bool has_in_funcs;          /* some .func declares shared memory of its own */
} UnitShared;

struct DemandScan {
    Arena *arena;
    const Module *module;
    UnitShared *units;          /* per unit */
    VarId *first_vars;          /* per function: its variables are contiguous from here on */
    /* per variable, the last function that used it, + 1; NULL: no sized one in .shared at module
     * level */
    uint32_t *seen;
    /* per function, of it and of all that it comes to call, + 1; NULL: not asked for yet */
    const uint8_t *barriers;
    const uint8_t *shared;      /* SharedUse bits; the same */
};

typedef enum SharedUse {
    SHARED_SIZED = 1,           /* variables with a size: static shared memory */
    SHARED_UNSIZED = 2,         /* arrays without one: dynamic shared memory */
} SharedUse;

static void scan_shared(DemandScan *scan, Arena *arena, VarId v)
{
    const Module *module = scan->module;
    const Var *var = &module->vars[v];
    UnitShared *unit = &scan->units[var->unit];
    if (var->space != SPACE_SHARED)
        return;
    unit->has_unsized |= !var->bytes;
    unit->has_in_module |= var->bytes && var->func == NO_ID;
    unit->has_in_funcs |= var->bytes && var->func != NO_ID && !module->funcs[var->func].is_entry;
    if (unit->has_in_module && !scan->seen)
        scan->seen = ptx_arena_array(arena, uint32_t, module->var_count);
}

/* Variables are in the order of the functions. */
static void scan_first_vars(DemandScan *scan)
{
    const Module *module = scan->module;
    VarId v = 0;
    for (FuncId f = 0; f < module->func_count; f++) {
        while (v < module->var_count && (module->vars[v].func == NO_ID || module->vars[v].func < f))
            v++;
        scan->first_vars[f] = v;
    }
}

DemandScan *ptx_demand_scan_new(Arena *arena, const Module *module)
{
    DemandScan *scan = ptx_arena_new(arena, DemandScan);
    *scan = (DemandScan){ .arena = arena, .module = module, .units = ptx_arena_array(arena, UnitShared, module->unit_count),
                          .first_vars = ptx_arena_array(arena, VarId, module->func_count + 1) };
    for (VarId v = 0; v < module->var_count; v++)
        scan_shared(scan, arena, v);
    scan_first_vars(scan);
    return scan;
}

/* *bytes with one more variable behind. False: that is too much. */
static bool lay_out(const Var *var, uint64_t *bytes)
{
    uint64_t align = var->align ? var->align : 1;
    return !__builtin_add_overflow((*bytes + align - 1) / align * align, var->bytes, bytes)
           && *bytes <= INT64_MAX / 2;
}

/* Bytes of the function's variables in a space, each aligned as it asks. */
static int64_t laid_out_bytes(const DemandScan *scan, FuncId id, Space space, bool params)
{
    const Module *module = scan->module;
    uint64_t bytes = 0;
    for (VarId v = scan->first_vars[id]; v < module->var_count && module->vars[v].func == id; v++) {
        const Var *var = &module->vars[v];
        if (var->space == space && var->is_parameter == params && !lay_out(var, &bytes))
            return -1;
    }
    return (int64_t)bytes;
}

/* What the driver provides takes neither shared memory nor barriers: CUDA C++ Programming Guide,
 * "Formatted Output", "Assertion", "Dynamic Global Memory Allocation and Operations"; PTX Writer's
 * Guide, "System Calls". */
static bool is_system_call(const Module *module, FuncId id)
{
    static const char *const names[] = { "vprintf", "__assertfail", "malloc", "free" };
    const Func *func = &module->funcs[id];
    for (size_t i = 0; i < sizeof names / sizeof *names && !func->has_body; i++)
        if (strlen(names[i]) == ptx_span_length(func->name)
            && !memcmp(module->text + func->name.begin, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Whether it calls any that may take shared memory or barriers of its own. */
static bool may_share(const Module *module, const CallGraph *graph, FuncId id)
{
    const CallNode *calls = graph ? &graph->nodes[id] : NULL;
    for (uint32_t c = 0; calls && c < calls->callee_count; c++)
        if (!is_system_call(module, graph->callees[calls->callee_first + c]))
            return true;
    return calls && calls->has_indirect_call;
}

/* Per function those that call it: from first[f] to first[f + 1]. */
typedef struct Callers {
    uint32_t *first;
    FuncId *funcs;
} Callers;

static Callers find_callers(Arena *scratch, const CallGraph *graph, uint32_t count)
{
    Callers out = { .first = ptx_arena_array(scratch, uint32_t, count + 2) };
    for (FuncId f = 0; f < count; f++)
        for (uint32_t c = 0; c < graph->nodes[f].callee_count; c++)
            out.first[graph->callees[graph->nodes[f].callee_first + c] + 2]++;
    for (FuncId f = 0; f < count; f++)
        out.first[f + 2] += out.first[f + 1];
    out.funcs = ptx_arena_array(scratch, FuncId, out.first[count + 1] + 1);
    for (FuncId f = 0; f < count; f++)
        for (uint32_t c = 0; c < graph->nodes[f].callee_count; c++)
            out.funcs[out.first[graph->callees[graph->nodes[f].callee_first + c] + 1]++] = f;
    return out;
}

/* By its instructions and declarations. What is called but is not there may use all that some
 * function of its unit does. */
static uint8_t own_shared_use(const DemandScan *scan, const CallGraph *graph, FuncId id)
{
    const Module *module = scan->module;
    const Func *func = &module->funcs[id];
    const UnitShared *unit = &scan->units[func->unit];
    bool is_there = func->has_body || is_system_call(module, id);
    bool is_unknown = graph->nodes[id].has_indirect_call || !is_there;
    uint8_t use = 0;
    if (is_unknown && (unit->has_in_module || unit->has_in_funcs))
        use |= SHARED_SIZED;
    if (is_unknown && unit->has_unsized)
        use |= SHARED_UNSIZED;
    for (uint32_t i = 0; i < func->shared_var_count; i++)
        use |= module->vars[func->shared_vars[i]].bytes ? SHARED_SIZED : SHARED_UNSIZED;
    for (VarId v = scan->first_vars[id]; v < module->var_count && module->vars[v].func == id; v++)
        use |= module->vars[v].space == SPACE_SHARED && module->vars[v].bytes ? SHARED_SIZED : 0;
    return use;
}

/* All that comes to call the function uses that, too. */
static void hand_up_use(uint8_t *uses, const Callers *callers, FuncId *stack, FuncId from,
                        uint8_t bit)
{
    uint32_t depth = 0;
    stack[depth++] = from;
    uses[from] |= bit;
    while (depth) {
        FuncId at = stack[--depth];
        for (uint32_t c = callers->first[at]; c < callers->first[at + 1]; c++)
            if (!(uses[callers->funcs[c]] & bit)) {
                uses[callers->funcs[c]] |= bit;
                stack[depth++] = callers->funcs[c];
            }
    }
}

static void find_shared_uses(DemandScan *scan, Arena *scratch, const CallGraph *graph)
{
    const uint32_t count = scan->module->func_count;
    uint8_t *uses = ptx_arena_array(scan->arena, uint8_t, count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    const Callers callers = find_callers(scratch, graph, count);
    FuncId *stack = ptx_arena_array(scratch, FuncId, count + 1);
    for (FuncId f = 0; f < count; f++) {
        const uint8_t own = own_shared_use(scan, graph, f);
        for (uint8_t bit = SHARED_SIZED; bit <= SHARED_UNSIZED; bit <<= 1)
            if (own & bit && !(uses[f] & bit))
                hand_up_use(uses, &callers, stack, f, bit);
    }
    ptx_arena_release(scratch, mark);
    scan->shared = uses;
}

/* SharedUse bits of what the function comes to call. */
static uint8_t called_shared_use(DemandScan *scan, const CallGraph *graph, Arena *scratch,
                                 FuncId id)
{
    const CallNode *calls = &graph->nodes[id];
    uint8_t use = 0;
    if (!scan->shared)
        find_shared_uses(scan, scratch, graph);
    for (uint32_t c = 0; c < calls->callee_count; c++)
        use |= scan->shared[graph->callees[calls->callee_first + c]];
    return calls->has_indirect_call ? use | scan->shared[id] : use;
}

/* Adds to a function's own bytes the variables of the module that its instructions name, as ptxas
 * does. What it calls may use more: unknown where that names any. */
static int64_t shared_bytes(DemandScan *scan, FuncId id, uint8_t called)
{
    const Func *func = &scan->module->funcs[id];
    int64_t own = laid_out_bytes(scan, id, SPACE_SHARED, false);
    if (own < 0 || called & SHARED_SIZED)
        return -1;
    if (!scan->seen)
        return own;
    uint64_t bytes = (uint64_t)own;
    for (uint32_t i = 0; i < func->shared_var_count; i++) {
        const VarId v = func->shared_vars[i];
        const bool is_new = scan->seen[v] != id + 1;
        scan->seen[v] = id + 1;
        if (is_new && scan->module->vars[v].func == NO_ID
            && !lay_out(&scan->module->vars[v], &bytes))
            return -1;
    }
    return (int64_t)bytes;
}

/* Where no array of unknown size is named, by the function or by what it may call, a launch has no
 * use for dynamic shared memory. */
static bool may_use_dynamic_shared(const DemandScan *scan, FuncId id, uint8_t called)
{
    const Func *func = &scan->module->funcs[id];
    if (called & SHARED_UNSIZED)
        return true;
    for (uint32_t i = 0; i < func->shared_var_count; i++)
        if (!scan->module->vars[func->shared_vars[i]].bytes)
            return true;
    return false;
}

enum { BARRIERS_UNKNOWN = 17 };     /* more than there are */

static uint8_t barriers_at(const Module *module, const CallGraph *graph, FuncId id)
{
    bool is_there = module->funcs[id].has_body || is_system_call(module, id);
    return graph->nodes[id].has_indirect_call || !is_there
               ? BARRIERS_UNKNOWN
               : module->funcs[id].barrier_count;
}

/* All that comes to call the function has so many, unless it is known to have more. */
static void hand_up(uint8_t *barriers, const Callers *callers, FuncId *stack, FuncId from,
                    uint8_t count)
{
    uint32_t depth = 0;
    stack[depth++] = from;
    barriers[from] = (uint8_t)(count + 1);
    while (depth) {
        FuncId at = stack[--depth];
        for (uint32_t c = callers->first[at]; c < callers->first[at + 1]; c++)
            if (!barriers[callers->funcs[c]]) {
                barriers[callers->funcs[c]] = (uint8_t)(count + 1);
                stack[depth++] = callers->funcs[c];
            }
    }
}

/* Of all functions at once, from the most barriers down: each is come to once. */
static void find_barriers(DemandScan *scan, Arena *scratch, const CallGraph *graph)
{
    const uint32_t count = scan->module->func_count;
    uint8_t *barriers = ptx_arena_array(scan->arena, uint8_t, count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    const Callers callers = find_callers(scratch, graph, count);
    uint8_t *own = ptx_arena_array(scratch, uint8_t, count + 1);
    FuncId *stack = ptx_arena_array(scratch, FuncId, count + 1);
    for (FuncId f = 0; f < count; f++)
        own[f] = barriers_at(scan->module, graph, f);
    for (int most = BARRIERS_UNKNOWN; most >= 0; most--)
        for (FuncId f = 0; f < count; f++)
            if (own[f] == most && !barriers[f])
                hand_up(barriers, &callers, stack, f, (uint8_t)most);
    ptx_arena_release(scratch, mark);
    scan->barriers = barriers;
}

/* Those of all that it may come to call, too: unknown where some of that is not there to be looked
 * at. */
static int64_t count_barriers(DemandScan *scan, const CallGraph *graph, Arena *scratch, FuncId id)
{
    if (!scan->barriers)
        find_barriers(scan, scratch, graph);
    int64_t count = scan->barriers[id] - 1;
    return count == BARRIERS_UNKNOWN ? -1 : count;
}

Demand ptx_demand_compute(DemandScan *scan, Arena *scratch, const CallGraph *calls, FuncId func)
{
    const Module *module = scan->module;
    const bool shares = may_share(module, calls, func);
    const uint8_t called = shares ? called_shared_use(scan, calls, scratch, func) : 0;
    return (Demand){
        .static_shared_bytes = shared_bytes(scan, func, called),
        .local_bytes = laid_out_bytes(scan, func, SPACE_LOCAL, false),
        .param_bytes = laid_out_bytes(scan, func, SPACE_PARAM, true),
        .barriers = shares ? count_barriers(scan, calls, scratch, func)
                           : module->funcs[func].barrier_count,
        .may_use_dynamic_shared = may_use_dynamic_shared(scan, func, called),
    };
}

enum { REGISTER_BYTES = 4 };

/* ---- on a GPU -------------------------------------------------------------------------------- */

static void take_model(const Pressure *model, Residency *out)
{
    out->registers = model->registers;
    out->registers_low = model->low;
    out->registers_high = model->high;
    out->source = REGISTERS_MODEL;
    out->is_calibrated = model->is_calibrated;
    out->register_cap = model->cap;
    out->spills = model->spills;
    out->spilled = model->spilled;
}

/* ptxas's word, else the model's, else what is live at most. */
static void find_registers(const ResidencyInput *in, Residency *out)
{
    out->registers = out->registers_low = out->registers_high = out->register_cap = -1;
    if (in->model && in->model->is_known)
        take_model(in->model, out);
    if (in->said) {
        out->registers = out->registers_low = out->registers_high = in->said->registers;
        out->source = REGISTERS_PTXAS;
        out->spilled = (double)in->said->spill_store_bytes / REGISTER_BYTES;
    } else if (out->registers < 0 && in->max_live >= 0) {
        out->registers = in->max_live;
        out->source = REGISTERS_MAX_LIVE;
    }
}

/* No cluster unless the launch or a directive asks for one. */
static int64_t cluster_blocks(const LaunchShape *shape)
{
    int64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        if (shape->cluster[i] < 0)
            return 0;
        if (__builtin_mul_overflow(blocks, shape->cluster[i], &blocks))
            return INT64_MAX;
    }
    return blocks;
}

static void find_resources(const ResidencyInput *in, Residency *out)
{
    const PtxasUsage *said = in->said;
    Resources *r = &out->resources;
    *r = (Resources){
        .threads_per_block = in->shape->threads_per_block,
        .registers_per_thread = out->registers,
        .static_shared_bytes = in->demand->static_shared_bytes,
        .dynamic_shared_bytes = in->shape->dynamic_shared_bytes,
        .barriers = in->demand->barriers,
        .cluster_blocks = cluster_blocks(in->shape),
    };
    if (in->max_registers > 0 && r->registers_per_thread > in->max_registers)
        r->registers_per_thread = in->max_registers;
    if (said && said->barriers >= 0)    /* ptxas has seen what is called */
        r->barriers = said->barriers;
    if (said && r->static_shared_bytes < 0)
        r->static_shared_bytes = said->shared_bytes;
    if (r->dynamic_shared_bytes < 0 && !in->demand->may_use_dynamic_shared)
        r->dynamic_shared_bytes = 0;
}

static Waves find_waves(const Gpu *gpu, int64_t blocks, int64_t per_sm)
{
    const double unknown = (double)NAN;
    if (blocks < 0 || per_sm < 1 || !ptx_gpu_has(gpu, FIGURE_SMS))
        return (Waves){ unknown, unknown, unknown, -1, -1 };
    int64_t wave = (int64_t)gpu->figures[FIGURE_SMS] * per_sm, last = blocks % wave;
    double count = (double)blocks / (double)wave;
    return (Waves){
        .count = count,
        .full = blocks / wave,
        .tail_blocks = last,
        .tail_percent = last ? 100.0 * (double)last / (double)wave : 100,
        .utilisation_percent = 100 * count / (double)(blocks / wave + (last != 0)),
    };
}

Residency ptx_residency_compute(const ResidencyInput *in)
{
    Residency out = { 0 };
    find_registers(in, &out);
    find_resources(in, &out);
    if (!ptx_occupancy_compute(in->gpu, &out.resources, &out.occupancy))
        out.occupancy = ptx_occupancy_unknown;
    out.waves = find_waves(in->gpu, in->shape->blocks, out.occupancy.blocks_per_sm);
    return out;
}
