/* Reaching definitions: which value a register has at a place. */
#include "analysis/value/ssa_insn.h"

#include "support/hash.h"
#include "analysis/value/symbolic.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"


enum {
    MAX_NESTED = 64,           /* questions inside questions: bounds the recursion */
    MAX_PREDS = 16,            /* of a join that is looked into */
};

/* ---- memo tables ----------------------------------------------------------------------------- */

static SymId recall(const HashMap *memo, uint64_t key)
{
    return ptx_hash_map_get(memo, key);         /* 0 where it is free */
}

static SymId memoize(Arena *arena, HashMap *memo, uint64_t key, SymId value)
{
    return *ptx_hash_map_at(memo, arena, key) = value;
}

static uint64_t ssa_key_of(RegId reg, uint32_t place)
{
    return (uint64_t)reg << 32 | place;
}

/* ---- where registers are written ------------------------------------------------------------- */

/* The last definition in [from, before), NO_ID. */
static InsnId last_def(const Ssa *r, RegId reg, InsnId from, InsnId before)
{
    const InsnId *insns = r->defs->insns;
    const uint32_t begin = r->defs->first[reg];
    uint32_t low = begin, high = r->defs->first[reg + 1];
    while (low < high) {                /* the first one at or behind `before` */
        uint32_t middle = low + (high - low) / 2;
        if (insns[middle] < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low > begin && insns[low - 1] >= from ? insns[low - 1] : NO_ID;
}

bool ptx_ssa_spend(Ssa *r, uint64_t count)
{
    r->steps = r->steps > count ? r->steps - count : 0;
    return r->steps != 0;
}

bool ptx_ssa_is_spent(const Ssa *r)
{
    return !r->steps || r->symbols->is_full;
}

static bool is_ssa_header(const Ssa *r, BlockId block)
{
    LoopId loop = r->loops->loop_of[block];
    return loop != NO_LOOP && r->loops->loops[loop].header == block;
}

static bool writes_in_loop(Ssa *r, RegId reg, LoopId loop)
{
    const uint32_t *first = &r->defs->first[reg];
    for (uint32_t d = first[0]; d < first[1] && ptx_ssa_spend(r, 1); d++) {
        if (ptx_ssa_holds(r, loop, r->cfg->block_of[r->defs->insns[d]]))
            return true;
    }
    return false;
}

/* Whether some way from the end of block d to a block that it dominates may write the register. */
static bool writes_below(Ssa *r, RegId reg, BlockId d)
{
    const uint32_t *first = &r->defs->first[reg];
    for (uint32_t i = first[0]; i < first[1] && ptx_ssa_spend(r, 1); i++) {
        BlockId block = r->cfg->block_of[r->defs->insns[i]];
        if (block != d && ptx_dom_dominates(r->dom, d, block))
            return true;
    }
    return false;
}

/* ---- reaching definitions -------------------------------------------------------------------- */

/* What an instruction leaves in a register that it defines. */
static SymId value_of_def(Ssa *r, RegId reg, InsnId id)
{
    SymId value = recall(&r->of_def, ssa_key_of(reg, id));
    if (value)
        return value;
    const Insn *insn = &r->func->insns[id];
    const Operand *def = ptx_insn_operands(r->func, insn);
    while (!ptx_operand_is_def(def) || def->id != reg)
        def++;
    if (r->nested >= MAX_NESTED || !ptx_ssa_spend(r, 4))
        return memoize(
            r->arena, &r->of_def, ssa_key_of(reg, id),
            ptx_ssa_opaque(r, ptx_ssa_reg_width(r, reg), WHY_SIZE, reg, r->cfg->block_of[id]));
    r->nested++;
    value = ptx_ssa_translate(r, id, def);
    if (insn->guard != NO_ID)
        value = ptx_sym_select(r->symbols, ptx_ssa_guard(r, id), value, ptx_ssa_value_before(r, reg, id));
    r->nested--;
    return memoize(r->arena, &r->of_def, ssa_key_of(reg, id), value);
}

/* A value as it is at block `from`, seen at block `to`: behind each loop that is left in
 * between. */
static SymId carry(Ssa *r, SymId value, BlockId from, BlockId to)
{
    const Loop *loops = r->loops->loops;
    for (LoopId loop = r->loops->loop_of[from]; loop != NO_LOOP && !ptx_ssa_holds(r, loop, to);
         loop = loops[loop].parent) {
        if (!ptx_ssa_spend(r, 1) || !ptx_sym_varies(r->symbols, value, loop))
            continue;
        const Sym sym = *ptx_sym(r->symbols, value);
        value = ptx_sym_leaf(r->symbols, (Sym){ .kind = SYM_EXIT,
                                                .width = sym.width,
                                                .uses = USES_UNKNOWN | USES_OPAQUE,
                                                .range = sym.range,
                                                .scope = r->loops->loops[loop].parent,
                                                .a = loop,
                                                .b = value });
    }
    return value;
}

static SymId value_at_end(Ssa *r, RegId reg, BlockId block);

/* Which way out of the branch that ends block d every path to block `to` over the edge from pred
 * takes: 0 the target, 1 on; -1: not decided. */
static int side_of(const Ssa *r, BlockId d, BlockId pred, BlockId to)
{
    const Block *block = &r->cfg->blocks[d];
    for (uint32_t e = 0; e < 2; e++) {
        BlockId succ = r->cfg->succs[block->succ_first + e];
        if (pred == d && succ == to)
            return (int)e;
        if (succ == EXIT_BLOCK || succ == to || !ptx_dom_dominates(r->dom, succ, pred))
            continue;
        const Block *next = &r->cfg->blocks[succ];
        uint32_t ways = 0;
        for (uint32_t p = 0; p < next->pred_count && ways < 2; p++)
            ways += ptx_block_is_reachable(r->cfg, r->cfg->preds[next->pred_first + p]);
        if (ways == 1)
            return (int)e;
    }
    return -1;
}

/* A guarded bra with a way on. */
static bool ends_in_choice(const Ssa *r, BlockId d)
{
    const Insn *last = &r->func->insns[r->cfg->blocks[d].end - 1];
    return last->op->kind == OPK_BRA && last->guard != NO_ID && r->cfg->blocks[d].succ_count == 2;
}

/* Edges into a join, and what the register holds on each. */
typedef struct Edges {
    BlockId preds[MAX_PREDS];
    SymId values[MAX_PREDS];
    uint32_t count;
} Edges;

static bool agree(const Edges *edges)
{
    for (uint32_t p = 1; p < edges->count; p++) {
        if (edges->values[p] != edges->values[0])
            return false;
    }
    return edges->count > 0;
}

/* The nearest block that all the edges' sources have above them. */
static BlockId common_ssa_dominator(Ssa *r, const Edges *edges)
{
    BlockId d = edges->preds[0];
    for (uint32_t p = 1; p < edges->count; p++) {
        while (d != EXIT_BLOCK && !ptx_dom_dominates(r->dom, d, edges->preds[p]))
            d = ptx_ssa_spend(r, 1) ? r->dom->idom[d] : EXIT_BLOCK;
    }
    return d;
}

/* One value for all edges into a block: selections by the branches that choose the way; 0:
 * none do. As deep as there are edges at most. */
static SymId gate(Ssa *r, BlockId block, LoopId around, const Edges *edges)
{
    if (agree(edges))
        return edges->values[0];
    BlockId d = common_ssa_dominator(r, edges);
    if (d == EXIT_BLOCK || !ends_in_choice(r, d) || r->loops->loop_of[d] != around)
        return 0;
    Edges sides[2] = { { .count = 0 }, { .count = 0 } };
    for (uint32_t p = 0; p < edges->count; p++) {
        int side = side_of(r, d, edges->preds[p], block);
        if (side < 0)
            return 0;
        Edges *to = &sides[side];
        to->preds[to->count] = edges->preds[p];
        to->values[to->count++] = edges->values[p];
    }
    if (!sides[0].count || !sides[1].count)
        return 0;
    SymId taken = gate(r, block, around, &sides[0]),
          on = taken ? gate(r, block, around, &sides[1]) : 0;
    return on ? ptx_sym_select(r->symbols, ptx_ssa_guard(r, r->cfg->blocks[d].end - 1), taken, on)
              : 0;
}

/* Over the edges from inside the loop that block heads, or over the others. */
static SymId merge_edges(Ssa *r, RegId reg, BlockId block, bool from_inside)
{
    const Block *b = &r->cfg->blocks[block];
    Edges edges = { .count = 0 };
    bool header = is_ssa_header(r, block);
    for (uint32_t p = 0; p < b->pred_count; p++) {
        BlockId pred = r->cfg->preds[b->pred_first + p];
        if (!ptx_ssa_spend(r, 1) || !ptx_block_is_reachable(r->cfg, pred) ||
            (header && ptx_ssa_holds(r, r->loops->loop_of[block], pred) != from_inside))
            continue;
        if (edges.count == MAX_PREDS
            || (!from_inside && r->cfg->rpo_index[pred] >= r->cfg->rpo_index[block]))
            /* into the middle of a loop */
            return ptx_ssa_opaque(r, ptx_ssa_reg_width(r, reg), WHY_PATHS, reg, block);
        edges.preds[edges.count++] = pred;
    }
    if (block == 0 && !from_inside)             /* the caller's way in */
        return ptx_ssa_opaque(r, ptx_ssa_reg_width(r, reg), r->func->regs[reg].is_param ? WHY_CALL : WHY_UNDEFINED,
                      reg, EXIT_BLOCK);
    for (uint32_t p = 0; p < edges.count; p++)
        edges.values[p] = carry(r, value_at_end(r, reg, edges.preds[p]), edges.preds[p], block);
    LoopId around = r->loops->loop_of[block];
    if (header && !from_inside)
        around = r->loops->loops[around].parent;
    SymId value = edges.count ? gate(r, block, around, &edges) : 0;
    return value ? value : ptx_ssa_opaque(r, ptx_ssa_reg_width(r, reg), WHY_PATHS, reg, block);
}

/* The only reachable predecessor; EXIT_BLOCK: none, or several. */
static BlockId only_pred(Ssa *r, BlockId block)
{
    const Block *b = &r->cfg->blocks[block];
    BlockId only = EXIT_BLOCK;
    for (uint32_t p = 0; p < b->pred_count && ptx_ssa_spend(r, 1); p++) {
        BlockId pred = r->cfg->preds[b->pred_first + p];
        if (!ptx_block_is_reachable(r->cfg, pred))
            continue;
        if (only != EXIT_BLOCK)
            return EXIT_BLOCK;
        only = pred;
    }
    return block == 0 ? EXIT_BLOCK : only;
}

/* At the head of a block with several ways in. */
static SymId value_at_join(Ssa *r, RegId reg, BlockId block)
{
    if (!is_ssa_header(r, block))
        return merge_edges(r, reg, block, false);
    LoopId loop = r->loops->loop_of[block];
    unsigned width = ptx_ssa_reg_width(r, reg);
    if (r->loops->loops[loop].is_irreducible)
        return ptx_ssa_opaque(r, width, WHY_PATHS, reg, block);
    if (!writes_in_loop(r, reg, loop))
        return merge_edges(r, reg, block, false);
    return ptx_sym_leaf(r->symbols, (Sym){ .kind = SYM_PHI,
                                           .width = (uint8_t)width,
                                           .uses = USES_UNKNOWN,
                                           .scope = loop,
                                           .a = loop,
                                           .b = reg,
                                           .range = ptx_interval_full(width) });
}

/* Whether nothing between the end of a block's dominator d and the block writes the register. */
static bool can_skip_to(Ssa *r, RegId reg, BlockId d)
{
    return d != EXIT_BLOCK && !writes_below(r, reg, d);
}

/* The place above `block` where the register's value at its head comes from: a definition in *def
 * and its block, or NO_ID and a join. */
static BlockId find_origin(Ssa *r, RegId reg, BlockId block, InsnId *def)
{
    *def = NO_ID;
    /* nearly all registers of compilers */
    if (ptx_defs_count(r->defs, reg) == 1) {
        const InsnId id = r->defs->insns[r->defs->first[reg]];
        BlockId only = r->cfg->block_of[id];
        if (only != block && ptx_dom_dominates(r->dom, only, block)) {
            *def = id;
            return only;
        }
    }
    while (ptx_ssa_spend(r, 1)) {
        BlockId up = only_pred(r, block);
        if (up == EXIT_BLOCK) {
            up = r->dom->idom[block];
            if (!can_skip_to(r, reg, up))
                return block;
        }
        *def = last_def(r, reg, r->cfg->blocks[up].first, r->cfg->blocks[up].end);
        block = up;
        if (*def != NO_ID)
            return block;
    }
    return block;
}

static SymId value_at_entry(Ssa *r, RegId reg, BlockId block)
{
    InsnId def;
    SymId value = recall(&r->at_entry, ssa_key_of(reg, block));
    if (value)
        return value;
    BlockId origin = find_origin(r, reg, block, &def);
    if (r->nested >= MAX_NESTED || ptx_ssa_is_spent(r))
        return memoize(r->arena, &r->at_entry, ssa_key_of(reg, block),
                       ptx_ssa_opaque(r, ptx_ssa_reg_width(r, reg), WHY_SIZE, reg, block));
    r->nested++;
    if (def != NO_ID) {
        value = value_of_def(r, reg, def);
    } else {
        value = recall(&r->at_entry, ssa_key_of(reg, origin));
        if (!value)
            value = memoize(r->arena, &r->at_entry, ssa_key_of(reg, origin),
                            value_at_join(r, reg, origin));
    }
    value = carry(r, value, origin, block);
    r->nested--;
    return memoize(r->arena, &r->at_entry, ssa_key_of(reg, block), value);
}

static SymId value_at_end(Ssa *r, RegId reg, BlockId block)
{
    InsnId def = last_def(r, reg, r->cfg->blocks[block].first, r->cfg->blocks[block].end);
    return def != NO_ID ? value_of_def(r, reg, def) : value_at_entry(r, reg, block);
}

SymId ptx_ssa_value_before(Ssa *r, RegId reg, InsnId insn)
{
    BlockId block = r->cfg->block_of[insn];
    InsnId def = last_def(r, reg, r->cfg->blocks[block].first, insn);
    return def != NO_ID ? value_of_def(r, reg, def) : value_at_entry(r, reg, block);
}

/* ---- the interface --------------------------------------------------------------------------- */

static void find_phi_shape(Ssa *r)
{
    const Bounds *bounds = &r->func->bounds;
    r->block_is_code = r->func->is_entry && bounds->reqntid[0];
    for (int i = 0; i < 3; i++) {
        if (r->block_is_code)
            r->block_shape[i] = bounds->reqntid[i] ? bounds->reqntid[i] : 1;
        else if (r->launch)
            r->block_shape[i] = r->launch->block[i];
        r->grid_shape[i] = r->launch ? r->launch->grid[i] : 0;
    }
}

Ssa *ptx_ssa_new(Arena *arena, const FuncFlow *flow, const Launch *launch, uint64_t steps)
{
    const Loops *loops = flow->loops;
    Ssa *r = ptx_arena_new(arena, Ssa);
    *r = (Ssa){ .arena = arena,
                .module = flow->module,
                .func = flow->func,
                .cfg = flow->cfg,
                .dom = flow->dom,
                .loops = loops,
                .defs = ptx_defs_of(arena, flow),
                .launch = launch,
                .steps = steps };
    r->symbols = ptx_symbols_new(arena, flow->module, flow->func, loops,
                                 (uint32_t)(steps < UINT32_MAX / 2 ? steps : UINT32_MAX / 2));
    r->phi_capacity = 16;
    r->phi_values = ptx_arena_array(arena, Phi, r->phi_capacity);
    r->phi_count = 1;
    find_phi_shape(r);
    return r;
}

Symbols *ptx_ssa_symbols(const Ssa *r)
{
    return r->symbols;
}

SymId ptx_ssa_guard(Ssa *r, InsnId id)
{
    const Insn *insn = &r->func->insns[id];
    if (insn->guard == NO_ID)
        return ptx_sym_const(r->symbols, 1, 1);
    SymId guard = ptx_sym_resize(r->symbols, ptx_ssa_value_before(r, insn->guard, id), 1, false);
    return insn->guard_negated ? ptx_sym_not(r->symbols, guard) : guard;
}

Phi ptx_ssa_phi(Ssa *r, SymId id)
{
    uint32_t index = recall(&r->phis, id);
    if (index)
        return r->phi_values[index];
    const Sym phi = *ptx_sym(r->symbols, id);
    BlockId header = r->loops->loops[phi.a].header;
    Phi value = { .start = merge_edges(r, phi.b, header, false),
                  .next = merge_edges(r, phi.b, header, true) };
    if (r->phi_count == r->phi_capacity)
        r->phi_values = ptx_arena_grow(r->arena, r->phi_values, r->phi_count, &r->phi_capacity,
                                       sizeof *r->phi_values);
    r->phi_values[r->phi_count] = value;
    memoize(r->arena, &r->phis, id, r->phi_count++);
    return value;
}

bool ptx_ssa_holds(const Ssa *r, LoopId loop, BlockId block)
{
    return ptx_loop_holds(r->defs->loops, loop, block);
}

void ptx_ssa_shape(const Ssa *r, uint32_t block[3], uint32_t grid[3])
{
    memcpy(block, r->block_shape, sizeof r->block_shape);
    memcpy(grid, r->grid_shape, sizeof r->grid_shape);
}
