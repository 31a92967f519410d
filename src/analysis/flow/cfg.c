#include "analysis/flow/cfg.h"

#include "analysis/flow/callgraph.h"
#include "support/assert.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "ir/module.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct CfgBuilder {
    const Module *module;
    const Func *func;
    Arena *scratch;
    BlockId *block_of;          /* until number_blocks: 1 where an instruction begins a block */
    Block *blocks;
    BlockId *succs;             /* in scratch, as long as the bound in target_count allows */
    /* per block, and one for the exit: 1 + the last block found to have an edge to it */
    uint32_t *edge_from;
    LabelId *all_labels;        /* of the function; NULL until some brx.idx needs them */
    uint32_t block_count, succ_count;
    /* that branches name, repeated ones too: what succs must hold, beside two a block */
    uint32_t target_count;
    uint32_t brx_budget;
    bool has_unknown_target;
} CfgBuilder;

/* ---- targets --------------------------------------------------------------------------------- */

/* Where a label stands, insn_count for the end; NO_ID: it is no place to go to. */
static InsnId place_of(const Func *func, LabelId id)
{
    if (id >= func->label_count || func->labels[id].table != NO_ID || func->labels[id].is_prototype)
        return NO_ID;
    return func->labels[id].insn < func->insn_count ? func->labels[id].insn : func->insn_count;
}

static const Operand *find_target(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (operands[i].kind == OPERAND_TARGET && operands[i].id < func->label_count)
            return &operands[i];
    }
    return NULL;
}

typedef struct Targets {
    const LabelId *ids;
    uint32_t count;             /* 0: unknown */
} Targets;

/* Of a brx.idx that names no table: whatever it does name may be reached, so every label is. */
static Targets all_labels(CfgBuilder *b)
{
    const Func *func = b->func;
    b->has_unknown_target = true;
    if (!b->all_labels) {
        b->all_labels = ptx_arena_array(b->scratch, LabelId, func->label_count + 1);
        for (LabelId id = 0; id < func->label_count; id++)
            b->all_labels[id] = id;
    }
    return (Targets){ b->all_labels, func->label_count };
}

static Targets brx_targets(CfgBuilder *b, const Operand *target)
{
    const Func *func = b->func;
    uint32_t id = target ? func->labels[target->id].table : NO_ID;
    Targets targets = id < func->table_count ? (Targets){ func->table_ids + func->tables[id].first,
                                                          func->tables[id].count }
                                             : all_labels(b);
    if (targets.count > b->brx_budget)
        return (Targets){ NULL, 0 };
    b->brx_budget -= targets.count;
    return targets;
}

/* Both passes over the branches ask in program order, each with a full budget, and so get the same
 * answers. */
static Targets branch_targets(CfgBuilder *b, const Insn *insn)
{
    const Operand *target = find_target(b->func, insn);
    if (insn->op->kind == OPK_BRX)
        return brx_targets(b, target);
    return target ? (Targets){ &target->id, 1 } : (Targets){ NULL, 0 };
}

static void reset_budget(CfgBuilder *b)
{
    uint64_t budget = BRX_TARGETS_FLOOR + (uint64_t)BRX_TARGETS_PER_INSN * b->func->insn_count;
    b->brx_budget = budget < MAX_BRX_TARGETS ? (uint32_t)budget : MAX_BRX_TARGETS;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool is_branch(const Insn *insn)
{
    return insn->op->kind == OPK_BRA || insn->op->kind == OPK_BRX;
}

static bool ends_block(const CfgBuilder *b, const Insn *insn)
{
    switch (insn->op->kind) {
    case OPK_BRA: case OPK_BRX: case OPK_RET: case OPK_EXIT: case OPK_TRAP:
        return true;
    case OPK_CALL: {
        FuncId callee = ptx_call_find_callee(b->func, insn);
        return callee < b->module->func_count && b->module->funcs[callee].bounds.noreturn;
    }
    default:
        return false;
    }
}

static void mark_leaders(CfgBuilder *b)
{
    const Func *func = b->func;
    reset_budget(b);
    b->block_of[0] = 1;
    for (InsnId i = 0; i < func->insn_count; i++) {
        if (!ends_block(b, &func->insns[i]))
            continue;
        if (i + 1 < func->insn_count)
            b->block_of[i + 1] = 1;
        if (!is_branch(&func->insns[i]))
            continue;
        Targets targets = branch_targets(b, &func->insns[i]);
        for (uint32_t k = 0; k < targets.count; k++) {
            InsnId place = place_of(func, targets.ids[k]);
            if (place < func->insn_count)
                b->block_of[place] = 1;
        }
        b->target_count += targets.count;
    }
}

static void number_blocks(CfgBuilder *b, Arena *arena)
{
    uint32_t insn_count = b->func->insn_count, count = 0;
    for (InsnId i = 0; i < insn_count; i++) {
        count += b->block_of[i];
        b->block_of[i] = count - 1;
    }
    b->block_count = count;
    b->blocks = ptx_arena_array(arena, Block, count);
    for (InsnId i = insn_count; i-- > 0;) {
        Block *block = &b->blocks[b->block_of[i]];
        block->first = i;
        if (!block->end)
            block->end = i + 1;
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Whether from has no edge to `to` yet; afterwards it has. */
static bool claim_edge(CfgBuilder *b, BlockId from, BlockId to)
{
    uint32_t *last = &b->edge_from[to == EXIT_BLOCK ? b->block_count : to];
    bool is_new = *last != from + 1;
    *last = from + 1;
    return is_new;
}

static void add_edge(CfgBuilder *b, BlockId from, BlockId to)
{
    if (claim_edge(b, from, to))
        b->succs[b->succ_count++] = to;
}

static BlockId block_at(const CfgBuilder *b, InsnId insn)
{
    return insn < b->func->insn_count ? b->block_of[insn] : EXIT_BLOCK;
}

static void add_taken_edges(CfgBuilder *b, BlockId from, const Insn *last)
{
    Targets targets = is_branch(last) ? branch_targets(b, last) : (Targets){ NULL, 0 };
    for (uint32_t k = 0; k < targets.count; k++) {
        InsnId place = place_of(b->func, targets.ids[k]);
        b->has_unknown_target |= place == NO_ID;
        add_edge(b, from, block_at(b, place));
    }
    if (!targets.count) {
        b->has_unknown_target |= is_branch(last);
        add_edge(b, from, EXIT_BLOCK);
    }
}

static void add_succs(CfgBuilder *b, BlockId id)
{
    Block *block = &b->blocks[id];
    const Insn *last = &b->func->insns[block->end - 1];
    BlockId next = block_at(b, block->end);
    bool ends = ends_block(b, last);
    bool falls_through = !ends || last->guard != NO_ID;
    block->succ_first = b->succ_count;
    if (falls_through)
        /* first, so that a taken edge to the same block gives way */
        claim_edge(b, id, next);
    if (ends)
        add_taken_edges(b, id, last);
    if (falls_through)
        b->succs[b->succ_count++] = next;
    block->succ_count = b->succ_count - block->succ_first;
}

static BlockId *build_succs(CfgBuilder *b, Arena *arena)
{
    b->succs = ptx_arena_array(b->scratch, BlockId, (size_t)2 * b->block_count + b->target_count);
    b->edge_from = ptx_arena_array(b->scratch, uint32_t, (size_t)b->block_count + 1);
    reset_budget(b);
    for (BlockId id = 0; id < b->block_count; id++)
        add_succs(b, id);
    BlockId *succs = ptx_arena_array(arena, BlockId, b->succ_count);
    memcpy(succs, b->succs, b->succ_count * sizeof *succs);
    return succs;
}

static BlockId *build_preds(const CfgBuilder *b, Arena *arena)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < b->succ_count; e++) {
        if (b->succs[e] != EXIT_BLOCK)
            b->blocks[b->succs[e]].pred_count++;
    }
    for (BlockId id = 0; id < b->block_count; id++) {
        b->blocks[id].pred_first = count;
        count += b->blocks[id].pred_count;
        b->blocks[id].pred_count = 0;
    }
    BlockId *preds = ptx_arena_array(arena, BlockId, count);
    for (BlockId id = 0; id < b->block_count; id++) {
        for (uint32_t e = 0; e < b->blocks[id].succ_count; e++) {
            BlockId to = b->succs[b->blocks[id].succ_first + e];
            if (to != EXIT_BLOCK)
                preds[b->blocks[to].pred_first + b->blocks[to].pred_count++] = id;
        }
    }
    return preds;
}

/* ---- reverse postorder ----------------------------------------------------------------------- */

typedef struct CfgVisit {
    BlockId block;
    uint32_t next;              /* successors seen so far */
} CfgVisit;

/* Depth-first, taken edges first, so that in the reverse the fall-through comes soon after its
 * block. */
static void order_blocks(Cfg *cfg, Arena *arena, Arena *scratch)
{
    BlockId *rpo = ptx_arena_array(arena, BlockId, cfg->block_count);
    uint32_t *index = ptx_arena_array(arena, uint32_t, cfg->block_count);
    CfgVisit *stack = ptx_arena_array(scratch, CfgVisit, cfg->block_count);
    uint32_t depth = 0, count = 0;
    memset(index, 0xFF, cfg->block_count * sizeof *index);
    stack[depth++] = (CfgVisit){ 0, 0 };
    index[0] = 0;
    while (depth) {
        CfgVisit *top = &stack[depth - 1];
        const Block *block = &cfg->blocks[top->block];
        if (top->next == block->succ_count) {
            rpo[count++] = top->block;
            depth--;
            continue;
        }
        BlockId to = cfg->succs[block->succ_first + top->next++];
        if (to != EXIT_BLOCK && index[to] == UINT32_MAX) {
            index[to] = 0;                      /* seen; its place is known when all are */
            ASSERT(to < cfg->block_count && depth < cfg->block_count);
            stack[depth++] = (CfgVisit){ to, 0 };
        }
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        BlockId swap = rpo[i];
        rpo[i] = rpo[count - 1 - i];
        rpo[count - 1 - i] = swap;
    }
    for (uint32_t i = 0; i < count; i++)
        index[rpo[i]] = i;
    cfg->rpo = rpo;
    cfg->rpo_index = index;
    cfg->rpo_count = count;
}

/* Blocks tile the instructions, each has a successor, and each edge to a block is one of its
 * predecessors. */
static bool is_consistent(const Cfg *cfg, const Func *func)
{
    uint32_t succs = 0, preds = 0;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const Block *block = &cfg->blocks[b];
        if (block->first >= block->end || block->first != (b ? block[-1].end : 0)
            || !block->succ_count)
            return false;
        for (uint32_t e = 0; e < block->succ_count; e++)
            succs += cfg->succs[block->succ_first + e] != EXIT_BLOCK;
        for (uint32_t e = 0; e < block->pred_count; e++)
            preds += cfg->preds[block->pred_first + e] < cfg->block_count;
    }
    return succs == preds && cfg->blocks[cfg->block_count - 1].end == func->insn_count;
}

const Cfg *ptx_cfg_build(Arena *arena, Arena *scratch, const Module *module, const Func *func)
{
    if (!func->insn_count)
        return NULL;
    ArenaMark mark = ptx_arena_mark(scratch);
    CfgBuilder b = { .module = module, .func = func, .scratch = scratch };
    b.block_of = ptx_arena_array(arena, BlockId, func->insn_count);
    mark_leaders(&b);
    number_blocks(&b, arena);
    Cfg *cfg = ptx_arena_new(arena, Cfg);
    cfg->succs = build_succs(&b, arena);
    cfg->preds = build_preds(&b, arena);
    cfg->blocks = b.blocks;
    cfg->block_of = b.block_of;
    cfg->block_count = b.block_count;
    cfg->succ_count = b.succ_count;
    cfg->has_unknown_target = b.has_unknown_target;
    order_blocks(cfg, arena, scratch);
    ASSERT(is_consistent(cfg, func));
    ASSERT(cfg->rpo_count && cfg->rpo_count <= cfg->block_count && cfg->rpo[0] == 0);
    ptx_arena_release(scratch, mark);
    return cfg;
}

/* ---- traps ----------------------------------------------------------------------------------- */

enum { MAX_TO_TRAP = 4 };       /* blocks up to it */

bool ptx_block_ends_in_trap(const Cfg *cfg, const Func *func, BlockId block)
{
    for (unsigned i = 0; i < MAX_TO_TRAP && block != EXIT_BLOCK; i++) {
        const Block *b = &cfg->blocks[block];
        const Insn *last = &func->insns[b->end - 1];
        if (b->succ_count != 1)
            return false;
        block = cfg->succs[b->succ_first];
        if (block == EXIT_BLOCK && (last->op->kind == OPK_TRAP || last->op->kind == OPK_CALL))
            return true;
    }
    return false;
}
