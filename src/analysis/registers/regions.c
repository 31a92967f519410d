#include "analysis/registers/block_work.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/registers/block_liveness.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "support/minmax.h"

enum { MAX_UNROLLED = 400 };    /* machine instructions of a loop that are put in order together */

/* ---- what takes registers -------------------------------------------------------------------- */

/* Operands that no constant bank and no uniform register can stand for. */
static bool reads_vectors(const Lowered *l, const LoweredInsn *insn)
{
    bool is_vector = !insn->def_count
                     || l->values[ptx_lowered_defs(l, insn)[0]].file == LOWERED_REG;
    return is_vector
           && (insn->machine == MACHINE_IMAD_WIDE || insn->machine == MACHINE_IADD
               || insn->machine == MACHINE_GLOBAL || insn->machine == MACHINE_ATOMIC);
}

/* Of 75 kernels for sm_75 to sm_86 two have a block's number in a uniform register; what follows
 * from it stands in others. From sm_90 on parameters of 64 bits that vector instructions take are
 * loaded into pairs. */
static const uint8_t *find_units(Arena *arena, const Lowered *l, unsigned sm)
{
    uint8_t *units = ptx_arena_array(arena, uint8_t, l->value_count + MAX_FACTORS);
    for (LoweredValueId v = 0; v < l->value_count; v++)
        if (l->values[v].file == LOWERED_REG
            || (l->values[v].file == LOWERED_UNIFORM && sm < LOADS_PARAMETERS_SM))
            units[v] = l->values[v].units;
    for (uint32_t f = 0; f < MAX_FACTORS; f++)
        units[l->value_count + f] = 1;
    for (uint32_t i = 0; sm >= LOADS_PARAMETERS_SM && i < l->insn_count; i++)
        for (uint32_t u = 0; u < l->insns[i].use_count && reads_vectors(l, &l->insns[i]); u++) {
            LoweredValueId v = ptx_lowered_uses(l, &l->insns[i])[u];
            if (l->values[v].file == LOWERED_UNIFORM && l->values[v].units == 2)
                units[v] = 2;
        }
    return units;
}

/* What wgmma writes; NULL: nothing. Factors are behind the values. */
static const bool *find_wgmma_results(Arena *arena, const Lowered *l, const Func *func)
{
    bool *held = NULL;
    for (uint32_t i = 0; i < l->insn_count; i++) {
        const LoweredInsn *insn = &l->insns[i];
        if (insn->machine != MACHINE_TENSOR || insn->origin == NO_ID
            || func->insns[insn->origin].op->operation != OP_WGMMA_MMA_ASYNC)
            continue;
        held = held ? held : ptx_arena_array(arena, bool, l->value_count + MAX_FACTORS);
        for (uint32_t d = 0; d < insn->def_count; d++)
            held[ptx_lowered_defs(l, insn)[d]] = true;
    }
    return held;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* A side that goes under a predicate, or ends the kernel, or a block where the ways of the region
 * meet. */
static bool joins_region(const BlockWork *w, BlockId first, BlockId block)
{
    const Block *b = &w->cfg->blocks[block];
    if (!ptx_block_is_reachable(w->cfg, block)
        || w->loops->loop_of[block] != w->loops->loop_of[first] || !b->pred_count)
        return false;
    for (uint32_t p = 0; p < b->pred_count; p++)
        if (w->cfg->preds[b->pred_first + p] < first || w->cfg->preds[b->pred_first + p] >= block)
            return false;
    bool is_side = b->pred_count == 1 && w->cfg->blocks[block - 1].succ_count > 1;
    bool is_exit = b->succ_count == 1 && w->cfg->succs[b->succ_first] == EXIT_BLOCK;
    return !is_side || is_exit || w->lowered->runs_with[block] != block;
}

uint32_t ptx_region_out(const BlockWork *w, BlockId first)
{
    const BlockId last = w->last[first];
    uint32_t units = 0;
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++) {
        const LoweredValue *value = &w->lowered->values[w->live->out[o]];
        units += value->file == LOWERED_REG ? value->units : 0;
    }
    return units;
}

BlockId ptx_region_last(const BlockWork *w, BlockId first)
{
    return w->last[first];
}

static uint32_t region_length(const BlockWork *w, BlockId first)
{
    return w->lowered->first[w->last[first] + 1] - w->lowered->first[first];
}

uint32_t ptx_region_repeat(const BlockWork *w, BlockId first)
{
    const Block *b = &w->cfg->blocks[w->last[first]];
    LoopId loop = w->loops->loop_of[first];
    bool loops = false;
    for (uint32_t s = 0; s < b->succ_count && loop != NO_LOOP;
         s++) /* code that nothing reaches is in no loop */
        loops |= w->cfg->succs[b->succ_first + s] == first;
    uint32_t times = loops ? w->lowered->unrolled[loop].times : 1, length = region_length(w, first);
    uint32_t most = 2;
    if (length < MAX_UNROLLED / 2)
        most = MAX_UNROLLED / ptx_u32_max(length, 1);
    return ptx_u32_min(times, most);
}

static void find_regions(BlockWork *w)
{
    for (BlockId first = 0; first < w->cfg->block_count; first = w->last[first] + 1) {
        BlockId last = first;
        while (last + 1 < w->cfg->block_count && joins_region(w, first, last + 1))
            last++;
        w->last[first] = last;
    }
}

/* The most that a region takes. */
typedef struct RegionRoom {
    uint32_t steps, operands, outs;
} RegionRoom;

static RegionRoom room_for_regions(const BlockWork *w)
{
    const Lowered *lowered = w->lowered;
    const LoweredLive *live = w->live;
    RegionRoom room = { 0, 0, 0 };
    for (BlockId b = 0; b < w->cfg->block_count; b = w->last[b] + 1) {
        uint32_t here = 0, rebuilt = 0, out = live->first[w->last[b] + 1] - live->first[w->last[b]],
                 repeat = ptx_region_repeat(w, b);
        for (uint32_t i = lowered->first[b]; i < lowered->first[w->last[b] + 1]; i++) {
            /* 1: a factor */
            here += 2u * lowered->insns[i].def_count + lowered->insns[i].use_count + 1
                    + (lowered->insns[i].use_count ? 0 : 2 * MAX_TEMPORARIES);
            rebuilt += ptx_block_is_rebuilt(lowered, &lowered->insns[i]);
        }
        room.steps = ptx_u32_max(room.steps, repeat * (region_length(w, b) + rebuilt));
        room.operands = ptx_u32_max(room.operands, repeat * (here + 2 * rebuilt));
        room.outs = ptx_u32_max(room.outs, out);
    }
    room.steps += MAX_FACTORS;
    room.operands += MAX_FACTORS;
    return room;
}

BlockWork *ptx_block_work_new(Arena *arena, const FuncFlow *flow, const Lowered *lowered,
                              const Defs *defs, unsigned sm)
{
    const uint8_t *units = find_units(arena, lowered, sm);
    const LoweredLive *live = ptx_lowered_live_compute(arena, lowered, flow->cfg);
    if (!live)
        return NULL;
    BlockWork *w = ptx_arena_new(arena, BlockWork);
    *w = (BlockWork){ .arena = arena,
                      .lowered = lowered,
                      .live = live,
                      .units = units,
                      .held = find_wgmma_results(arena, lowered, flow->func),
                      .func = flow->func,
                      .cfg = flow->cfg,
                      .loops = flow->loops,
                      .defs = defs,
                      .sm = sm };
    w->last = ptx_arena_array(arena, BlockId, flow->cfg->block_count + 1);
    find_regions(w);
    const RegionRoom room = room_for_regions(w);
    const uint32_t steps = room.steps, operands = room.operands, outs = room.outs;
    w->edge_capacity = 2 * steps;
    w->local_of = ptx_arena_array(arena, uint32_t, lowered->value_count + MAX_FACTORS);
    w->stamp = ptx_arena_array(arena, uint32_t, lowered->value_count + MAX_FACTORS);
    w->insn_of = ptx_arena_array(arena, uint32_t, steps + 1);
    w->locals = ptx_arena_array(arena, Local, operands + outs + 1);
    w->maker = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->last_reader = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->readers = ptx_arena_array(arena, uint32_t, operands + 1);
    w->readers_end = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->change = ptx_arena_array(arena, int32_t, steps + 1);
    w->locals_of = ptx_arena_array(arena, uint32_t, operands + 1);
    w->steps = ptx_arena_array(arena, ListScheduleStep, steps + 1);
    w->pred_edge = ptx_arena_array(arena, uint32_t, steps + 1);
    w->heap = ptx_arena_array(arena, uint32_t, steps + 1);
    w->waiting = ptx_arena_array(arena, uint32_t, steps + 1);
    w->edges = ptx_arena_array(arena, ListScheduleEdge, w->edge_capacity + 1);
    w->sequence = ptx_arena_array(arena, uint32_t, steps + 1);
    w->birth = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->death = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->home = ptx_arena_array(arena, uint8_t, operands + outs + 1);
    for (uint32_t k = 0; k < WORDS; k++) {
        w->slots[k] = ptx_arena_array(arena, uint64_t, steps + 1);
        w->sums[k] = ptx_arena_array(arena, uint64_t, steps / SLOTS_A_SUM + 1);
    }
    return w;
}
