#include "gpu/occupancy.h"

#include "support/assert.h"

const char *const ptx_limiter_text[LIMITER__COUNT] = {
    [LIMITER_WARPS] = "warps", [LIMITER_REGISTERS] = "registers", [LIMITER_SHARED] = "shared", [LIMITER_BLOCKS] = "blocks",
    [LIMITER_BARRIERS] = "barriers",
};

const char *const ptx_launch_error_text[LAUNCH__COUNT] = {
    [LAUNCH_CLUSTER] = "the cluster is larger than the GPU takes",
    [LAUNCH_THREADS] = "the block has more threads than the GPU takes, or none",
    [LAUNCH_REGISTERS] = "the block needs more registers than the GPU has for one",
    [LAUNCH_SHARED] = "the block needs more shared memory than the GPU has for one",
    [LAUNCH_BARRIERS] = "the block needs more barriers than the GPU has for one",
};

/* No figure of an SM is larger, so that products of three, each rounded up to a unit, fit in 64
 * bits. */
#define MAX_COUNT (INT64_C(1) << 20)
#define MAX_BYTES \
    (INT64_C(1) << 40) /* of static and dynamic shared memory; more is as impossible */

/* The figures of a GPU that occupancy asks for, each 0..COUNT_MOST. */
typedef struct Sm {
    int64_t warp_size, threads_per_block, warps, blocks, barriers, barriers_per_block;
    int64_t registers, registers_per_block, registers_per_thread, register_unit, warp_unit,
        partitions, partitions_checked;
    int64_t shared, shared_per_block, shared_reserved, shared_unit;
    int64_t cluster_portable, cluster_most;
    bool registers_by_block, is_fermi;
} Sm;

/* A figure, or otherwise where it is absent or not a count. */
static int64_t figure(const Gpu *gpu, FigureId id, int64_t otherwise)
{
    double value = gpu->figures[id];
    return value >= 0 && value <= (double)MAX_COUNT ? (int64_t)value : otherwise;
}

static void read_registers(Sm *sm, const Gpu *gpu)
{
    sm->registers = figure(gpu, FIGURE_REGISTERS_PER_SM, 0);
    sm->registers_per_block = figure(gpu, FIGURE_REGISTERS_PER_BLOCK, sm->registers);
    sm->registers_per_thread = figure(gpu, FIGURE_REGISTERS_PER_THREAD, MAX_COUNT);
    sm->register_unit = figure(gpu, FIGURE_REGISTER_UNIT, 0);
    sm->registers_by_block = figure(gpu, FIGURE_REGISTERS_BY_BLOCK, 0) != 0;
    sm->warp_unit = figure(gpu, FIGURE_WARP_UNIT, 1);
    /* by warp, both say the same */
    sm->partitions = figure(gpu, FIGURE_PARTITIONS, sm->registers_by_block ? 1 : sm->warp_unit);
    sm->partitions_checked = figure(gpu, FIGURE_PARTITIONS_CHECKED, sm->partitions);
    sm->is_fermi = gpu->target.sm / 10 == 2;
}

static void read_shared(Sm *sm, const Gpu *gpu, bool default_limits)
{
    int64_t plain = figure(gpu, FIGURE_SHARED_PER_BLOCK, 0);
    int64_t optin = figure(gpu, FIGURE_SHARED_PER_BLOCK_OPTIN, plain);
    sm->shared = figure(gpu, FIGURE_SHARED_PER_SM, 0);
    sm->shared_per_block = default_limits || optin < plain ? plain : optin;
    sm->shared_reserved = figure(gpu, FIGURE_SHARED_RESERVED, 0);
    sm->shared_unit = figure(gpu, FIGURE_SHARED_UNIT, 0);
}

static bool read_sm(Sm *sm, const Gpu *gpu, bool default_limits)
{
    sm->warp_size = figure(gpu, FIGURE_WARP_SIZE, 0);
    sm->threads_per_block = figure(gpu, FIGURE_THREADS_PER_BLOCK, 0);
    sm->warps = figure(gpu, FIGURE_WARPS_PER_SM, 0);
    sm->blocks = figure(gpu, FIGURE_BLOCKS_PER_SM, 0);
    sm->barriers = figure(gpu, FIGURE_BARRIERS_PER_SM, -1);
    /* PTX ISA, "bar": 16 of a CTA */
    sm->barriers_per_block = figure(gpu, FIGURE_BARRIERS_PER_BLOCK, 16);
    sm->cluster_portable = figure(gpu, FIGURE_CLUSTER_BLOCKS, 1);
    sm->cluster_most = default_limits
                           ? sm->cluster_portable
                           : figure(gpu, FIGURE_CLUSTER_BLOCKS_OPTIN, sm->cluster_portable);
    read_registers(sm, gpu);
    read_shared(sm, gpu, default_limits);
    return sm->warp_size && sm->threads_per_block && sm->warps && sm->blocks && sm->registers
           && sm->register_unit && sm->warp_unit && sm->partitions && sm->partitions_checked
           && sm->shared && sm->shared_per_block && sm->shared_unit;
}

static int64_t least_known(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* ---- the limit of each resource: blocks per SM, LIMIT_NONE, or -1 where the resource is not known --- */

typedef int64_t LimitOf(const Sm *sm, const Resources *r);

static int64_t warps_of(const Sm *sm, int64_t threads)
{
    return threads > 1 ? (least_known(threads, MAX_COUNT) + sm->warp_size - 1) / sm->warp_size : 1;
}

/* 2.x: the unit is 64, but 128 at 21, 22, 29, 30, 37, 38, 45 and 46 registers: cuda_occupancy.h
 * (CUDA 7.0), cudaOccRegAllocationGranularity, and the same list in the spreadsheet. */
static int64_t register_unit(const Sm *sm, int64_t registers)
{
    bool is_wide = sm->is_fermi && registers >= 21 && registers <= 46
                   && (registers % 8 == 5 || registers % 8 == 6);
    return is_wide ? 2 * sm->register_unit : sm->register_unit;
}

static int64_t registers_of_warp(const Sm *sm, int64_t registers)
{
    return round_up(least_known(registers, MAX_COUNT) * sm->warp_size,
                    register_unit(sm, registers));
}

static int64_t registers_of_block(const Sm *sm, int64_t threads, int64_t registers)
{
    int64_t warps = warps_of(sm, threads);
    if (sm->registers_by_block)
        return round_up(round_up(warps, sm->warp_unit) * sm->warp_size
                            * least_known(registers, MAX_COUNT),
                        sm->register_unit);
    return warps * registers_of_warp(sm, registers);
}

/* Bytes of shared memory that a block is given; -1 where they are not known. */
static int64_t shared_of_block(const Sm *sm, const Resources *r)
{
    if (r->static_shared_bytes < 0 || r->dynamic_shared_bytes < 0)
        return -1;
    int64_t bytes = least_known(r->static_shared_bytes, MAX_BYTES)
                    + least_known(r->dynamic_shared_bytes, MAX_BYTES);
    return round_up(bytes + sm->shared_reserved, sm->shared_unit);
}

static int64_t limit_of_warps(const Sm *sm, const Resources *r)
{
    if (r->threads_per_block < 0)
        return -1;
    if (!r->threads_per_block || r->threads_per_block > sm->threads_per_block)
        return 0;
    return sm->warps / warps_of(sm, r->threads_per_block);
}

static int64_t limit_of_registers(const Sm *sm, const Resources *r)
{
    int64_t registers = r->registers_per_thread;
    if (registers <= 0)
        return registers ? -1 : LIMIT_NONE;
    if (registers > sm->registers_per_thread)
        return 0;
    if (r->threads_per_block < 0)
        return -1;
    if (sm->registers_by_block)
        return sm->registers / registers_of_block(sm, r->threads_per_block, registers);
    int64_t per_warp = registers_of_warp(sm, registers);
    int64_t warps = warps_of(sm, r->threads_per_block);
    if (per_warp * round_up(warps, sm->partitions_checked) > sm->registers_per_block)
        return 0;
    return sm->registers / sm->partitions / per_warp * sm->partitions / warps;
}

/* A kernel opts in as far as it needs to. ptxas takes at most shared_per_block as static, which is
 * not checked here. */
static int64_t limit_of_shared(const Sm *sm, const Resources *r)
{
    int64_t bytes = shared_of_block(sm, r);
    if (bytes <= 0)
        return bytes ? -1 : LIMIT_NONE;
    return bytes > sm->shared_per_block + sm->shared_reserved ? 0 : sm->shared / bytes;
}

static int64_t limit_of_blocks(const Sm *sm, const Resources *r)
{
    (void)r;
    return sm->blocks;
}

static int64_t limit_of_barriers(const Sm *sm, const Resources *r)
{
    if (r->barriers > sm->barriers_per_block)
        return 0;
    if (sm->barriers < 0 || !r->barriers)
        return LIMIT_NONE;
    return r->barriers < 0 ? -1 : sm->barriers / r->barriers;
}

static LimitOf *const limit_of[LIMITER__COUNT] = {
    [LIMITER_WARPS] = limit_of_warps, [LIMITER_REGISTERS] = limit_of_registers, [LIMITER_SHARED] = limit_of_shared,
    [LIMITER_BLOCKS] = limit_of_blocks, [LIMITER_BARRIERS] = limit_of_barriers,
};

/* The least of the limits that are known. */
static int64_t least_limit(const int64_t limits[LIMITER__COUNT])
{
    int64_t blocks = LIMIT_NONE;
    for (int i = 0; i < LIMITER__COUNT; i++)
        if (limits[i] >= 0)
            blocks = least_known(blocks, limits[i]);
    return blocks;
}

/* ---- what is not known ----------------------------------------------------------------------- */

/* Every unknown resource at the most that a block can take. */
static Resources worst_of(const Sm *sm, const Resources *r)
{
    Resources worst = *r;
    if (shared_of_block(sm, r) < 0) {
        int64_t known = r->static_shared_bytes > r->dynamic_shared_bytes ? r->static_shared_bytes
                                                                         : r->dynamic_shared_bytes;
        worst.static_shared_bytes = 0;
        worst.dynamic_shared_bytes = known > sm->shared_per_block ? known : sm->shared_per_block;
    }
    if (r->threads_per_block < 0)
        worst.threads_per_block = sm->threads_per_block;
    if (r->registers_per_thread < 0)
        worst.registers_per_thread = sm->registers_per_thread;
    if (r->barriers < 0)
        worst.barriers = sm->barriers_per_block;
    return worst;
}

static bool cluster_is_legal(const Sm *sm, const Resources *r)
{
    return r->cluster_blocks <= 1 || r->cluster_blocks <= sm->cluster_most;
}

static LaunchError error_of(const int64_t limits[LIMITER__COUNT])
{
    static const struct { Limiter limiter; LaunchError error; } errors[] = {
        { LIMITER_WARPS, LAUNCH_THREADS }, { LIMITER_REGISTERS, LAUNCH_REGISTERS }, { LIMITER_SHARED, LAUNCH_SHARED },
        { LIMITER_BARRIERS, LAUNCH_BARRIERS },
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!limits[errors[i].limiter])
            return errors[i].error;
    return LAUNCH_OK;
}

static void set_blocks(Occupancy *out, const Sm *sm, const Resources *r)
{
    Resources worst = worst_of(sm, r);
    int64_t worst_limits[LIMITER__COUNT];
    for (int i = 0; i < LIMITER__COUNT; i++) {
        out->limits[i] = limit_of[i](sm, r);
        worst_limits[i] = limit_of[i](sm, &worst);
    }
    out->blocks_at_most = least_limit(out->limits);
    out->blocks_at_least = least_limit(worst_limits);
    for (int i = 0; i < LIMITER__COUNT; i++)
        out->limiters |= out->limits[i] == out->blocks_at_most ? 1u << i : 0;
    out->error = error_of(out->limits);
    if (!cluster_is_legal(sm, r)) {
        out->blocks_at_most = out->blocks_at_least = 0;
        out->limiters = 0;
        out->error = LAUNCH_CLUSTER;
    }
    out->blocks_per_sm = out->blocks_at_least == out->blocks_at_most ? out->blocks_at_most : -1;
}

static void set_residents(Occupancy *out, const Sm *sm, const Resources *r)
{
    int64_t blocks = out->blocks_per_sm;
    bool is_known = !blocks || (blocks > 0 && r->threads_per_block > 0);
    /* of a block; none where none can run */
    int64_t threads = blocks > 0 ? r->threads_per_block : 0;
    out->warps_per_sm = is_known ? blocks * warps_of(sm, threads) : -1;
    out->threads_per_sm = is_known ? blocks * threads : -1;
    out->percent = is_known ? 100.0 * (double)out->warps_per_sm / (double)sm->warps : (double)NAN;
}

/* ---- how far the next step is ---------------------------------------------------------------- */

/* The largest value below end of one resource, a field of r, at which its limit is at least blocks;
 * -1: none. A limit never rises with its resource, so bisection finds it. */
static int64_t largest_for(const Sm *sm, LimitOf *limit, Resources *r, int64_t *field, int64_t end,
                           int64_t blocks)
{
    int64_t low = -1, high = end;
    while (high - low > 1) {
        *field = low + (high - low) / 2;
        if (limit(sm, r) >= blocks)
            low = *field;
        else
            high = *field;
    }
    return low;
}

/* How much of its own resource a block must give up for one more block, from now to fewer: 0 where
 * that does not help, -1 where the limit of another resource is not known. */
static int64_t step_down(const Occupancy *o, Limiter own, int64_t now, int64_t fewer)
{
    bool is_known = true;
    for (int i = 0; i < LIMITER__COUNT; i++) {
        if (i != (int)own && o->limits[i] >= 0 && o->limits[i] <= o->blocks_per_sm)
            return 0;
        is_known = is_known && o->limits[i] >= 0;
    }
    if (o->error == LAUNCH_CLUSTER || fewer >= now)
        return 0;
    return is_known ? now - fewer : -1;
}

static void set_register_steps(Occupancy *out, const Sm *sm, const Resources *r)
{
    Resources other = *r;
    int64_t now = r->registers_per_thread, end = sm->registers_per_thread + 1,
            blocks = out->blocks_per_sm;
    out->registers_to_free = out->registers_free = -1;
    if (now < 0 || r->threads_per_block < 0 || blocks < 0)
        return;
    int64_t fewer = largest_for(sm, limit_of_registers, &other, &other.registers_per_thread, end,
                                blocks + 1);
    int64_t more = largest_for(sm, limit_of_registers, &other, &other.registers_per_thread, end,
                               blocks);
    out->registers_to_free = fewer > 0 ? step_down(out, LIMITER_REGISTERS, now, fewer) : 0;
    out->registers_free = blocks && more > now ? more - now : 0;
}

static void set_shared_steps(Occupancy *out, const Sm *sm, const Resources *r)
{
    Resources other = *r;
    int64_t end = sm->shared_per_block + 1, blocks = out->blocks_per_sm;
    out->shared_to_free = out->shared_free = -1;
    if (out->shared_allocated_per_block < 0 || blocks < 0)
        return;
    int64_t now = least_known(r->static_shared_bytes, MAX_BYTES)
                  + least_known(r->dynamic_shared_bytes, MAX_BYTES);
    other.static_shared_bytes = 0;
    int64_t fewer = largest_for(sm, limit_of_shared, &other, &other.dynamic_shared_bytes, end,
                                blocks + 1);
    int64_t more = largest_for(sm, limit_of_shared, &other, &other.dynamic_shared_bytes, end,
                               blocks);
    out->shared_to_free = fewer >= 0 ? step_down(out, LIMITER_SHARED, now, fewer) : 0;
    out->shared_free = blocks && more > now ? more - now : 0;
}

static int64_t carveout_for(const Gpu *gpu, const Occupancy *occupancy)
{
    if (occupancy->blocks_per_sm < 0 || occupancy->shared_allocated_per_block < 0)
        return -1;
    int64_t bytes = occupancy->blocks_per_sm
                    * least_known(occupancy->shared_allocated_per_block, MAX_BYTES);
    for (uint32_t i = 0; i < gpu->carveout_count && i < GPU_CARVEOUTS_MAX; i++)
        if ((int64_t)gpu->carveouts[i] >= bytes)
            return gpu->carveouts[i];
    return -1;
}

static int64_t clusters_for(const Gpu *gpu, const Resources *r, int64_t blocks)
{
    int64_t sms = figure(gpu, FIGURE_SMS, -1);
    if (sms < 0 || r->cluster_blocks < 0)
        return -1;
    return sms * blocks / (r->cluster_blocks > 1 ? r->cluster_blocks : 1);
}

const Occupancy ptx_occupancy_unknown = {
    .limits = { -1, -1, -1, -1, -1 },
    .blocks_at_least = -1,
    .blocks_at_most = -1,
    .blocks_per_sm = -1,
    .warps_per_sm = -1,
    .threads_per_sm = -1,
    .percent = (double)NAN,
    .registers_allocated_per_block = -1,
    .shared_allocated_per_block = -1,
    .registers_to_free = -1,
    .registers_free = -1,
    .shared_to_free = -1,
    .shared_free = -1,
    .carveout_bytes = -1,
    .clusters_at_most = -1,
};

int ptx_occupancy_limiter(const Occupancy *occupancy)
{
    bool is_known = occupancy->limiters && occupancy->blocks_per_sm >= 0;
    return is_known ? __builtin_ctz(occupancy->limiters) : -1;
}

bool ptx_occupancy_compute(const Gpu *gpu, const Resources *resources, Occupancy *out)
{
    Sm sm;
    *out = (Occupancy){ 0 };
    if (!read_sm(&sm, gpu, resources->default_limits))
        return false;
    bool has_registers = resources->threads_per_block >= 0 && resources->registers_per_thread >= 0;
    set_blocks(out, &sm, resources);
    set_residents(out, &sm, resources);
    out->registers_allocated_per_block = has_registers
                                             ? registers_of_block(&sm, resources->threads_per_block,
                                                                  resources->registers_per_thread)
                                             : -1;
    out->shared_allocated_per_block = shared_of_block(&sm, resources);
    set_register_steps(out, &sm, resources);
    set_shared_steps(out, &sm, resources);
    out->carveout_bytes = carveout_for(gpu, out);
    ASSERT(out->blocks_at_least <= out->blocks_at_most);
    ASSERT(!(out->percent > 100));
    out->cluster_needs_optin = resources->cluster_blocks > 1
                               && resources->cluster_blocks > sm.cluster_portable;
    out->clusters_at_most = clusters_for(gpu, resources, out->blocks_at_most);
    return true;
}

static void mark_best(OccupancyCurve *curve)
{
    int64_t most = 1;                   /* a size that cannot run is not the best */
    for (uint32_t i = 0; i < curve->count; i++)
        most = curve->points[i].warps_per_sm > most ? curve->points[i].warps_per_sm : most;
    for (uint32_t i = 0; i < curve->count; i++)
        curve->points[i].is_best = curve->points[i].warps_per_sm == most;
}

bool ptx_occupancy_sweep(const Gpu *gpu, const Resources *resources, OccupancyCurve *out)
{
    Sm sm;
    Resources r = *resources;
    *out = (OccupancyCurve){ 0 };
    if (!read_sm(&sm, gpu, r.default_limits))
        return false;
    for (r.threads_per_block = sm.warp_size;
         r.threads_per_block <= sm.threads_per_block && out->count < OCCUPANCY_POINTS_MAX;
         r.threads_per_block += sm.warp_size) {
        Occupancy at = { 0 };
        set_blocks(&at, &sm, &r);
        set_residents(&at, &sm, &r);
        out->points[out->count++] = (OccupancyPoint){ r.threads_per_block, at.blocks_per_sm,
                                                      at.warps_per_sm,     at.percent,
                                                      at.limiters,         false };
    }
    mark_best(out);
    return true;
}
