/* Barriers of a block that nothing needs: without them all stays ordered, in every block. */
#include "analysis/race/search.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "analysis/sim/race/race.h"
#include "analysis/sim/sim.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/flow/cfg.h"
#include "analysis/value/points_to.h"
#include "support/arena.h"
#include "support/hash.h"

enum {
    MAX_TRIED_RUNS = 4,         /* without barriers, as long as runs may be */
    MAX_REDUNDANT = 32,         /* barriers that are tried */
    MAX_BLOCKS = 16,
};

static bool is_global_write(const Op *op)
{
    bool writes = op->flags & OPF_STORE || op->kind == OPK_ST || op->kind == OPK_ATOM
                  || op->kind == OPK_RED;
    return writes && !ptx_space_is_shared((Space)op->space) && op->space != SPACE_LOCAL
           && op->space != SPACE_PARAM && op->space != SPACE_PARAM_FUNC;
}

/* A barrier orders accesses to global memory too; fences, and what orders by other means, show
 * that other threads read them. Without a bar.sync what arrives at it would count for the next. */
static bool has_other_use(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        bool arrives = op->kind == OPK_BAR && ptx_op_has(op, MOD_ARRIVE);
        if (arrives || op->family == OP_MEMBAR || op->family == OP_FENCE || op->kind == OPK_CALL)
            return true;
    }
    return false;
}

static bool is_global_read(const Op *op)
{
    return (op->kind == OPK_LD || op->kind == OPK_CP_ASYNC) && !ptx_op_has(op, MOD_NC)
           && (op->kind == OPK_CP_ASYNC || op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC);
}

/* The parameter or variable that an access starts from; of a copy, where it reads. False: not
 * known. */
static bool find_base(const Search *s, const PointsToSet *bases, const Insn *insn, uint32_t *out)
{
    PointsTo base;
    bool is_known = insn->op->kind != OPK_CP_ASYNC
                    && ptx_points_to_of_access(bases, s->module, s->func, insn, &base)
                    && (base.kind == BASE_VAR || base.kind == BASE_PARAM);
    *out = is_known ? base.id : NO_ID;
    return is_known;
}

/* Per instruction: it writes global memory, or reads what some instruction may write, by the
 * pointer that both start from: a barrier may keep such accesses in order too. */
static bool *mark_global(const Search *s)
{
    const Func *func = s->func;
    const PointsToSet *bases = ptx_search_bases(s);
    bool *marks = ptx_arena_array(s->work, bool, func->insn_count), is_any_written = false,
         is_any = false;
    HashMap written = { 0 };    /* variables */
    uint32_t base;
    for (InsnId i = 0; i < func->insn_count; i++) {
        marks[i] = is_global_write(func->insns[i].op);
        is_any |= marks[i];
        if (marks[i] && find_base(s, bases, &func->insns[i], &base))
            *ptx_hash_map_at(&written, s->work, base) = 1;
        else
            is_any_written |= marks[i];
    }
    for (InsnId i = 0; i < func->insn_count; i++)
        if (is_global_read(func->insns[i].op))
            marks[i] |= find_base(s, bases, &func->insns[i], &base)
                            ? is_any_written || ptx_hash_map_get(&written, base)
                            : is_any;
    return marks;
}

/* Per block: an access that is marked may have come before its end, and before its beginning. */
static void spread_marks(const Cfg *cfg, const bool *marks, bool *behind, bool *before)
{
    for (BlockId b = 0; b < cfg->block_count; b++)
        for (InsnId i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++)
            behind[b] |= marks[i];
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t n = 0; n < cfg->rpo_count; n++) {
            BlockId b = cfg->rpo[n];
            for (uint32_t e = 0; behind[b] && e < cfg->blocks[b].succ_count; e++) {
                BlockId to = cfg->succs[cfg->blocks[b].succ_first + e];
                if (to == EXIT_BLOCK || before[to])
                    continue;
                before[to] = behind[to] = has_changed = true;
            }
        }
    }
}

static bool follows_mark(const Cfg *cfg, const bool *marks, const bool *before, InsnId barrier)
{
    BlockId block = cfg->block_of[barrier];
    bool follows = before[block];
    for (InsnId i = cfg->blocks[block].first; i < barrier; i++)
        follows |= marks[i];
    return follows;
}

/* The run says of each access where it lies and that it happens, and nothing is unordered. */
static bool is_clean(const Search *s)
{
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    bool is_clean = ptx_race_is_in_order(s->race) && ptx_machine_is_complete(s->machine);
    for (InsnId i = 0; is_clean && i < s->func->insn_count; i++)
        is_clean = ptx_count_of(ran.counts, i)->doubt < UNCERTAIN_PARAMETER;
    return is_clean;
}

/* The same of every block: one run that stands for all, or, of few, a run of each. */
static bool is_clean_everywhere(Search *s)
{
    static const uint32_t first[3] = { 0, 0, 0 }, one[3] = { 1, 1, 1 };
    const uint32_t *grid = s->shape.grid;
    Blocks blocks = ptx_blocks_new(first, one, grid);
    const double count = ptx_blocks_size(&blocks);
    ptx_machine_allow(s->machine, ptx_search_steps(s));
    ptx_machine_run_for(s->machine, &blocks, 0, s->shape.warp_count);
    if (!is_clean(s))
        return false;
    bool stands_for_all = ptx_blocks_size(&blocks) >= count;
    for (uint32_t b = 1; !stands_for_all && count <= MAX_BLOCKS && b < count; b++) {
        const uint32_t at[3] = { b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1] };
        ptx_machine_run(s->machine, at, 0, s->shape.warp_count);
        if (!is_clean(s))
            return false;
    }
    return stands_for_all || count <= MAX_BLOCKS;
}

static bool is_plain_barrier(const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_BAR && ptx_op_has(op, MOD_SYNC) && !ptx_op_has(op, MOD_WARP)
           && insn->guard == NO_ID;
}

/* Each in turn is passed by, with those before it that nothing needs: all together may go. */
void ptx_search_find_redundant(Arena *arena, Search *s, Hazards *out)
{
    const Machine *m = s->machine;
    const Func *func = s->func;
    if (s->shape.block_is_assumed || s->shape.grid_is_assumed || has_other_use(func)
        || !is_clean(s))
        return;
    const Cfg *cfg = ptx_machine_func(s->machine, s->kernel).cfg;
    bool *behind = ptx_arena_array(s->work, bool, cfg->block_count),
         *before = ptx_arena_array(s->work, bool, cfg->block_count);
    InsnId *found = ptx_arena_array(arena, InsnId, MAX_REDUNDANT);
    const uint64_t most = ptx_machine_steps(m) + MAX_TRIED_RUNS * ptx_search_steps(s);
    uint32_t tried = 0;
    const bool *marks = mark_global(s);
    spread_marks(cfg, marks, behind, before);
    s->race->func = func;
    s->race->left_out = ptx_arena_array(s->work, bool, func->insn_count);
    s->race->is_for_order = true;
    for (InsnId i = 0;
         i < func->insn_count && tried < MAX_REDUNDANT && ptx_machine_steps(m) < most; i++) {
        const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
        bool is_executed = ptx_count_of(ran.counts, i)->warps > 0;
        if (!is_plain_barrier(&func->insns[i]) || !is_executed
            || follows_mark(cfg, marks, before, i))
            continue;
        tried++;
        s->race->left_out[i] = true;
        s->race->left_out[i] = is_clean_everywhere(s);
        if (s->race->left_out[i])
            found[out->redundant_count++] = i;
    }
    out->redundant = found;
}
