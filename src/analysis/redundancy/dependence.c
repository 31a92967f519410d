#include "analysis/redundancy/dependence.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/reg.h"

#include <stdlib.h>

enum { REACH_BLOCKS = 2048 };   /* beyond, every later block counts as reachable */

typedef struct MemoryAccess {
    InsnId insn;
    BlockId block;
    uint8_t reads, writes;      /* MEMORY_ bits */
    PointsTo base;
} MemoryAccess;

typedef struct DependenceBuild {
    Arena *arena, *scratch;
    const FuncFlow *flow;
    const Defs *defs;
    Dependence *items;
    uint32_t count, capacity;
    uint64_t budget;            /* steps that are left */
    bool is_cut;
    uint32_t *stamps;           /* per block: the search that has been there */
    uint32_t stamp;
    BlockId *stack;
    const uint64_t *reach;      /* per block a row of bits; NULL: not known */
    uint32_t reach_words;
} DependenceBuild;

static bool spend_step(DependenceBuild *b)
{
    b->is_cut |= !b->budget;
    b->budget -= b->budget > 0;
    return !b->is_cut;
}

static void keep_dependence(DependenceBuild *b, const Dependence *item)
{
    if (!spend_step(b))
        return;
    if (b->count == b->capacity)
        b->items = ptx_arena_grow(b->arena, b->items, b->count, &b->capacity, sizeof *b->items);
    b->items[b->count++] = *item;
}

static bool goes_back(const DependenceBuild *b, InsnId from, InsnId to)
{
    const Cfg *cfg = b->flow->cfg;
    const BlockId source = cfg->block_of[from], target = cfg->block_of[to];
    if (source == target)
        return from >= to;
    return cfg->rpo_index[source] > cfg->rpo_index[target];
}

/* ---- registers ------------------------------------------------------------------------------- */

static void add_register(DependenceBuild *b, InsnId from, InsnId to, RegId reg, bool is_carried)
{
    const Dependence item = { .from = from, .to = to, .name = reg, .kind = DEPENDENCE_REGISTER,
                              .is_carried = is_carried };
    keep_dependence(b, &item);
}

/* Nothing that was there before is left. */
static bool is_whole_def(const Func *func, InsnId id, RegId reg)
{
    const Insn *insn = &func->insns[id];
    const Operand *operands = ptx_insn_operands(func, insn);
    if (insn->guard != NO_ID)
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && operands[o].id == reg
            && !(operands[o].flags & OPERAND_COMPONENT))
            return true;
    return false;
}

/* How many of its definitions stand before an instruction. */
static uint32_t defs_before(const Defs *defs, RegId reg, InsnId insn)
{
    uint32_t low = defs->first[reg], high = defs->first[reg + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (defs->insns[middle] < insn)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct RegisterUse {
    InsnId insn;
    RegId reg;
} RegisterUse;

/* Definitions in a block before `end`, backwards. True: one of them ends the search. */
static bool take_defs(DependenceBuild *b, const RegisterUse *use, BlockId block, InsnId end)
{
    const Defs *defs = b->defs;
    const InsnId first = b->flow->cfg->blocks[block].first;
    for (uint32_t d = defs_before(defs, use->reg, end); d > defs->first[use->reg]; d--) {
        const InsnId at = defs->insns[d - 1];
        if (at < first || !spend_step(b))
            break;
        if (d < defs->first[use->reg + 1] && defs->insns[d] == at)
            continue;           /* written twice by one instruction */
        add_register(b, at, use->insn, use->reg, goes_back(b, at, use->insn));
        if (is_whole_def(b->flow->func, at, use->reg))
            return true;
    }
    return false;
}

static uint32_t push_preds(DependenceBuild *b, BlockId block, uint32_t depth)
{
    const Cfg *cfg = b->flow->cfg;
    const Block *at = &cfg->blocks[block];
    for (uint32_t p = 0; p < at->pred_count && spend_step(b); p++) {
        const BlockId pred = cfg->preds[at->pred_first + p];
        if (b->stamps[pred] == b->stamp || !ptx_block_is_reachable(cfg, pred))
            continue;
        b->stamps[pred] = b->stamp;
        b->stack[depth++] = pred;
    }
    return depth;
}

static void search_back(DependenceBuild *b, const RegisterUse *use)
{
    const Cfg *cfg = b->flow->cfg;
    b->stamp++;
    uint32_t depth = push_preds(b, cfg->block_of[use->insn], 0);
    while (depth && !b->is_cut) {
        const BlockId block = b->stack[--depth];
        if (!take_defs(b, use, block, cfg->blocks[block].end))
            depth = push_preds(b, block, depth);
    }
}

static void add_use(DependenceBuild *b, const RegisterUse *use)
{
    const Cfg *cfg = b->flow->cfg;
    const Defs *defs = b->defs;
    const BlockId block = cfg->block_of[use->insn];
    const uint32_t count = ptx_defs_count(defs, use->reg);
    if (!count || take_defs(b, use, block, use->insn))
        return;
    const InsnId only = defs->insns[defs->first[use->reg]];
    if (count == 1 && cfg->block_of[only] != block
        && ptx_dom_dominates(b->flow->dom, cfg->block_of[only], block))
        add_register(b, only, use->insn, use->reg, false);
    else
        search_back(b, use);
}

/* Of an address the register that it counts from, too. */
static bool is_register_read(const Operand *operand)
{
    const bool is_register = operand->kind == OPERAND_REG;
    return is_register && (operand->role & ROLE_USE || operand->role & ROLE_ADDRESS);
}

static void add_uses(DependenceBuild *b, InsnId id)
{
    const Func *func = b->flow->func;
    const Insn *insn = &func->insns[id];
    const Operand *operands = ptx_insn_operands(func, insn);
    if (insn->guard != NO_ID)
        add_use(b, &(RegisterUse){ id, insn->guard });
    for (uint32_t o = 0; o < insn->operand_count && !b->is_cut; o++) {
        bool is_new = is_register_read(&operands[o]) && operands[o].id != insn->guard;
        for (uint32_t other = 0; other < o && is_new; other++)
            is_new = !is_register_read(&operands[other]) || operands[other].id != operands[o].id;
        if (is_new)
            add_use(b, &(RegisterUse){ id, operands[o].id });
    }
}

/* ---- control --------------------------------------------------------------------------------- */

/* Blocks on the way from a successor up to what post-dominates the branch. */
static void add_controlled(DependenceBuild *b, BlockId branch, BlockId successor)
{
    const Cfg *cfg = b->flow->cfg;
    const Dom *dom = b->flow->dom;
    const BlockId end = dom->ipdom[branch];
    for (BlockId at = successor; at != EXIT_BLOCK && at != end; at = dom->ipdom[at]) {
        if (b->stamps[at] == b->stamp || !spend_step(b))
            return;
        b->stamps[at] = b->stamp;
        const Dependence item = { .from = cfg->blocks[branch].end - 1, .to = cfg->blocks[at].first,
                                  .kind = DEPENDENCE_CONTROL,
                                  .is_carried = cfg->rpo_index[at] <= cfg->rpo_index[branch] };
        keep_dependence(b, &item);
    }
}

static void add_control(DependenceBuild *b, BlockId block)
{
    const Cfg *cfg = b->flow->cfg;
    const Block *at = &cfg->blocks[block];
    b->stamp++;
    for (uint32_t s = 0; s < at->succ_count && at->succ_count > 1; s++)
        add_controlled(b, block, cfg->succs[at->succ_first + s]);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* By edges to later blocks in reverse postorder alone. */
static void find_reach(DependenceBuild *b)
{
    const Cfg *cfg = b->flow->cfg;
    if (cfg->block_count > REACH_BLOCKS)
        return;
    b->reach_words = (cfg->block_count + 63) / 64;
    uint64_t *reach = ptx_arena_array(b->scratch, uint64_t,
                                      (size_t)cfg->block_count * b->reach_words);
    for (uint32_t i = cfg->rpo_count; i-- > 0;) {
        const Block *at = &cfg->blocks[cfg->rpo[i]];
        uint64_t *row = reach + (size_t)cfg->rpo[i] * b->reach_words;
        for (uint32_t s = 0; s < at->succ_count; s++) {
            const BlockId to = cfg->succs[at->succ_first + s];
            if (to == EXIT_BLOCK || cfg->rpo_index[to] <= i)
                continue;
            row[to / 64] |= UINT64_C(1) << to % 64;
            for (uint32_t w = 0; w < b->reach_words; w++)
                row[w] |= reach[(size_t)to * b->reach_words + w];
        }
    }
    b->reach = reach;
}

static bool reaches(const DependenceBuild *b, BlockId from, BlockId to)
{
    if (from == to || !b->reach)
        return true;
    return b->reach[(size_t)from * b->reach_words + to / 64] >> to % 64 & 1;
}

static LoopId outermost_loop(const Loops *loops, BlockId block)
{
    LoopId loop = loops->loop_of[block];
    while (loop != NO_LOOP && loops->loops[loop].parent != NO_LOOP)
        loop = loops->loops[loop].parent;
    return loop;
}

static bool are_apart(const Func *func, const MemoryAccess *a, const MemoryAccess *c)
{
    if (a->base.kind == BASE_VAR && c->base.kind == BASE_VAR && a->base.id != c->base.id)
        return true;
    bool is_known = a->base.kind == c->base.kind && a->base.id == c->base.id
                    && (a->base.kind == BASE_VAR || a->base.kind == BASE_PARAM)
                    && a->base.has_offset && c->base.has_offset;
    const uint64_t first = func->insns[a->insn].access_bytes,
                   second = func->insns[c->insn].access_bytes;
    /* addresses wrap around */
    const uint64_t ahead = (uint64_t)c->base.offset - (uint64_t)a->base.offset;
    return is_known && first && second && ahead >= first && -ahead >= second;
}

static void add_memory(DependenceBuild *b, const MemoryAccess *from, const MemoryAccess *to,
                       bool is_carried)
{
    const Dependence item = { .from = from->insn, .to = to->insn, .kind = DEPENDENCE_MEMORY,
                              .name = b->flow->func->insns[to->insn].op->space,
                              .from_writes = from->writes != 0, .to_writes = to->writes != 0,
                              .is_carried = is_carried };
    keep_dependence(b, &item);
}

/* a comes before c in reverse postorder. */
static void add_pair(DependenceBuild *b, const MemoryAccess *a, const MemoryAccess *c)
{
    const Loops *loops = b->flow->loops;
    bool meets = (a->writes & (c->reads | c->writes)) | (c->writes & a->reads);
    if (!meets || are_apart(b->flow->func, a, c))
        return;
    if (reaches(b, a->block, c->block))
        add_memory(b, a, c, false);
    const LoopId loop = outermost_loop(loops, a->block);
    if (loop != NO_LOOP && loop == outermost_loop(loops, c->block))
        add_memory(b, c, a, true);
}

static uint32_t list_memory(DependenceBuild *b, const PointsToSet *bases, MemoryAccess *out)
{
    const FuncFlow *flow = b->flow;
    uint32_t count = 0;
    for (uint32_t r = 0; r < flow->cfg->rpo_count; r++) {
        const BlockId block = flow->cfg->rpo[r];
        for (InsnId i = flow->cfg->blocks[block].first; i < flow->cfg->blocks[block].end; i++) {
            const Insn *insn = &flow->func->insns[i];
            MemoryAccess access = { i, block, ptx_effect_reads(insn->op),
                                    ptx_effect_writes(insn->op), { 0 } };
            if (!(access.reads | access.writes))
                continue;
            if (ptx_effect_is_plain(insn->op))
                ptx_points_to_of_access(bases, flow->module, flow->func, insn, &access.base);
            out[count++] = access;
        }
    }
    return count;
}

/* The nearest ones first, so that a budget leaves the farthest out. */
static void add_memories(DependenceBuild *b)
{
    const PointsToSet *bases = ptx_points_to_sets_compute(b->scratch, b->arena, b->flow->module,
                                                          b->flow->func);
    MemoryAccess *all = ptx_arena_array(b->scratch, MemoryAccess, b->flow->func->insn_count);
    const uint32_t count = list_memory(b, bases, all);
    find_reach(b);
    for (uint32_t apart = 1; apart < count; apart++)
        for (uint32_t i = 0; i + apart < count; i++) {
            if (!spend_step(b))
                return;
            add_pair(b, &all[i], &all[i + apart]);
        }
}

/* ---- all ------------------------------------------------------------------------------------- */

static int compare_dependences(const void *left, const void *right)
{
    const Dependence *a = left, *c = right;
    if (a->to != c->to)
        return a->to < c->to ? -1 : 1;
    if (a->kind != c->kind)
        return a->kind < c->kind ? -1 : 1;
    if (a->from != c->from)
        return a->from < c->from ? -1 : 1;
    return (a->name > c->name) - (a->name < c->name);
}

static Dependences find_dependences(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                    bool is_without_memory)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    const Cfg *cfg = flow->cfg;
    DependenceBuild b = { .arena = arena, .scratch = scratch, .flow = flow,
                          .budget = DEPENDENCES_FLOOR
                                    + (uint64_t)DEPENDENCES_PER_INSN * flow->func->insn_count };
    b.defs = ptx_defs_of(scratch, flow);
    b.stamps = ptx_arena_array(scratch, uint32_t, cfg->block_count);
    b.stack = ptx_arena_array(scratch, BlockId, cfg->block_count);
    for (uint32_t r = 0; r < cfg->rpo_count && !b.is_cut; r++) {
        const Block *block = &cfg->blocks[cfg->rpo[r]];
        for (InsnId i = block->first; i < block->end && !b.is_cut; i++)
            add_uses(&b, i);
        add_control(&b, cfg->rpo[r]);
    }
    if (!b.is_cut && !is_without_memory)
        add_memories(&b);
    ptx_arena_release(scratch, mark);
    if (b.count)
        qsort(b.items, b.count, sizeof *b.items, compare_dependences);
    return (Dependences){ b.items, b.count, b.is_cut };
}

Dependences ptx_dependences_compute(Arena *arena, Arena *scratch, const FuncFlow *flow)
{
    return find_dependences(arena, scratch, flow, false);
}

Dependences ptx_dependences_but_memory_compute(Arena *arena, Arena *scratch, const FuncFlow *flow)
{
    return find_dependences(arena, scratch, flow, true);
}
