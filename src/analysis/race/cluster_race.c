/* The blocks of the first cluster are run one after the other. */
#include "analysis/race/block_race.h"

#include "analysis/sim/race/cluster.h"
#include "analysis/sim/sim.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/value/launch.h"
#include "ir/types.h"
#include "analysis/access/kernel_run.h"

#include <stdint.h>

enum { STEPS = 1 << 16 };       /* instructions of warps for a cluster */

static bool is_fine(const Op *op)
{
    bool is_global = op->space == SPACE_GLOBAL || op->space == SPACE_PARAM
                     || op->space == SPACE_CONST;
    if (op->flags & OPF_UNKNOWN
        || (!is_global
            && (op->kind == OPK_ATOM || op->kind == OPK_RED
                || (op->kind != OPK_BAR && ptx_op_is_ordered(op)))))
        return false;
    switch ((Operation)op->family) {
    case OP_FENCE:
    case OP_MEMBAR:
    case OP_MBARRIER:
    case OP_CP:
    case OP_MULTIMEM:
    case OP_WGMMA:
    case OP_TCGEN05:
        return false;
    default:
        return op->operation != OP_ST_ASYNC && op->operation != OP_ST_BULK
               && op->operation != OP_RED_ASYNC;
    }
}

static bool is_no_map(const Op *op)
{
    return op->operation != OP_MAPA;
}

static void place_of_rank(const uint32_t shape[3], uint32_t rank, uint32_t out[3])
{
    out[0] = rank % shape[0];
    out[1] = rank / shape[0] % shape[1];
    out[2] = rank / shape[0] / shape[1];
}

static bool search(Cluster *c, const uint32_t cluster[3], uint32_t warp_count)
{
    ptx_machine_allow(c->machine, STEPS);
    for (uint32_t rank = 0; rank < c->rank_count; rank++) {
        uint32_t block[3];
        place_of_rank(cluster, rank, block);
        ptx_cluster_begin(c, rank);
        if (!ptx_machine_run(c->machine, block, 0, warp_count) || c->is_lost
            || !ptx_cluster_end(c))
            return false;
    }
    return true;
}

/* The last access of another block's memory is behind the last barrier. */
static bool is_late(const Cluster *c)
{
    return c->late.first.func && c->late.first.arrivals >= c->total;
}

static BlockAccess access_of(const uint32_t block[3], const uint32_t cluster[3],
                             const Touched *touched)
{
    BlockAccess access = { .func = touched->func,
                           .insn = touched->insn,
                           .place = touched->place,
                           .is_write = touched->is_write,
                           .thread = { touched->thread % block[0],
                                       touched->thread / block[0] % block[1],
                                       touched->thread / block[0] / block[1] } };
    place_of_rank(cluster, touched->rank, access.block);
    return access;
}

/* NULL: there is none. */
static void name_variable(const Cluster *c, const Module *module, const Meeting *found,
                          BlockRace *out)
{
    const SharedLayout *layout = ptx_machine_shared_layout(c->machine);
    uint64_t offset = found->offset;
    const VarId var = layout ? ptx_shared_layout_at(layout, &offset) : NO_ID;
    if (var == NO_ID || offset >= module->vars[var].bytes)
        return;
    out->var = var;
    out->offset = offset;
}

static BlockRace *make_race(Arena *arena, const Cluster *c, const Module *module,
                            const uint32_t cluster[3])
{
    const SimShape shape = ptx_machine_shape(c->machine);
    BlockRaceKind kind = BLOCK_RACE_LATE;
    const Meeting *found = &c->late;
    if (c->found.first.func) {
        kind = BLOCK_RACE_CLUSTER;
        found = &c->found;
    } else if (c->early.first.func) {
        kind = BLOCK_RACE_EARLY;
        found = &c->early;
    } else if (!is_late(c)) {
        return NULL;
    }
    BlockRace *out = ptx_block_race_new(arena, kind, access_of(shape.block, cluster, &found->first),
                                        access_of(shape.block, cluster, &found->second));
    out->offset = found->offset;
    place_of_rank(cluster, found->owner, out->owner);
    name_variable(c, module, found, out);
    return out;
}

/* Each dimension at least 1. False: there is no cluster, or one that no GPU takes, or that the grid
 * is not made of. */
static bool take_shape(Launch *launch, const Bounds *bounds)
{
    uint32_t count = 1;
    if (!launch->cluster[0])
        memcpy(launch->cluster, bounds->reqnctapercluster, sizeof launch->cluster);
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t grid = launch->grid[d] ? launch->grid[d] : 1;
        launch->cluster[d] = launch->cluster[d] ? launch->cluster[d] : 1;
        if (launch->cluster[d] > MAX_RANKS || grid % launch->cluster[d])
            return false;
        count *= launch->cluster[d];
    }
    return count > 1 && count <= MAX_RANKS;
}

const BlockRace *ptx_cluster_race_find(const KernelRun *run)
{
    const Module *module = ptx_program_module(run->program);
    const Func *func = &module->funcs[run->kernel];
    if (!run->launch || !run->launch->grid[0] || !func->has_body || func->has_syntax_error
        || func->has_unknown)
        return NULL;
    Launch launch = *run->launch;
    if (!take_shape(&launch, &func->bounds)
        || ptx_block_race_holds(run->scratch, module, run->kernel, is_no_map)
        || !ptx_block_race_holds(run->scratch, module, run->kernel, is_fine))
        return NULL;
    ArenaMark mark = ptx_arena_mark(run->work);
    Machine *m = ptx_machine_new(run->work, run->scratch, run->program, run->kernel, &launch);
    Cluster *c = ptx_cluster_new(m, launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
    const SimShape shape = ptx_machine_shape(m);
    const BlockRace *out = NULL;
    if (!shape.block_is_assumed && search(c, launch.cluster, shape.warp_count))
        out = make_race(run->arena, c, module, launch.cluster);
    ptx_arena_release(run->work, mark);
    return out;
}
