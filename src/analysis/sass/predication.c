#include "analysis/sass/predication.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "analysis/sass/select.h"
#include "analysis/sass/value_graph.h"
#include "gpu/gpu.h"
#include "isa/isa.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"

enum {
    ONE_SIDE = 8, ONE_SIDE_UNIFORM = 6, BOTH_SIDES = 7, BOTH_SIDES_UNIFORM = 5, WITH_LOADS = 20,
    CLIMBS_PER_BLOCK = 16,      /* bounds the work on deep nests of loops */
    MAX_SIDES = 4,             /* blocks that are looked at before one, and behind one */
    /* instructions that are looked through for what a condition waits for */
    CONDITION_DEPTH = 4,
};

typedef struct PredicationSide {           /* a block, as a side of a branch */
    double count;               /* machine instructions, its last branch aside */
    bool is_fixed;              /* something in it cannot be predicated */
    bool has_load;              /* of global memory */
} PredicationSide;

typedef struct Shaper {
    const Selection *s;
    const Graph *graph;
    const Cfg *cfg;
    const Loops *loops;
    PredicationSide *sides;
    bool *is_met;               /* per block: divergent lanes reconverge there */
    uint32_t climbs;            /* out of loops, that are left: deep nests */
    Flow flow;
} Shaper;

/* ---- sides ----------------------------------------------------------------------------------- */

static bool is_last(const Cfg *cfg, InsnId insn)
{
    return insn + 1 == cfg->blocks[cfg->block_of[insn]].end;
}

static void add_row(Shaper *h, const Selected *row, BlockId block)
{
    PredicationSide *side = &h->sides[block];
    const Insn *insn = row->insn == NO_ID ? NULL : &h->graph->func->insns[row->insn];
    if (insn && insn->op->kind == OPK_BRA && is_last(h->cfg, row->insn))
        return;
    side->count += (double)row->count;
    if (!insn)
        return;
    side->is_fixed |= row->machine == MACHINE_BRANCH || row->machine == MACHINE_ATOMIC
                      || row->machine == MACHINE_ATOMIC_SHARED || row->machine == MACHINE_BARRIER
                      || insn->op->flags & OPF_WARP || insn->op->kind == OPK_CALL;
    side->has_load |= row->machine == MACHINE_GLOBAL && insn->op->kind == OPK_LD;
}

/* Whether a value is loaded, or made of one that is. */
static bool waits_for_load(const Graph *g, NodeId id, unsigned depth)
{
    const GraphNode *node = &g->nodes[id];
    if (node->kind != NODE_RESULT)
        return false;
    if (g->func->insns[node->insn].op->flags & OPF_LOAD)
        return true;
    for (unsigned i = 0; depth && i < 3; i++)
        if (waits_for_load(g, node->in[i], depth - 1))
            return true;
    return false;
}

/* A block that one other leads to, and that leads to one other. */
static bool is_predicable_side(const Shaper *h, BlockId block, BlockId from)
{
    if (block == EXIT_BLOCK)
        return false;
    const Block *b = &h->cfg->blocks[block];
    return b->pred_count == 1 && h->cfg->preds[b->pred_first] == from && b->succ_count == 1
           && h->cfg->succs[b->succ_first] != EXIT_BLOCK && h->flow.runs_with[block] == block
           && !h->sides[block].is_fixed;
}

static bool is_lone_return(const Shaper *h, BlockId block)
{
    const Block *b = &h->cfg->blocks[block];
    return b->end == b->first + 1 && h->graph->func->insns[b->first].op->kind == OPK_RET;
}

/* Whether what a side loads has its address from memory. */
static bool follows_load(const Shaper *h, BlockId side)
{
    const Func *func = h->graph->func;
    for (InsnId i = h->cfg->blocks[side].first; i < h->cfg->blocks[side].end; i++) {
        const Operand *address = func->insns[i].op->flags & OPF_LOAD
                                     ? ptx_effect_address(func, &func->insns[i])
                                     : NULL;
        if (address
            && waits_for_load(h->graph, h->graph->of_operand[address - func->operands],
                              CONDITION_DEPTH))
            return true;
    }
    return false;
}

/* Of a branch that goes two ways; 0: none. */
static NodeId guard_of(const Shaper *h, BlockId block)
{
    InsnId last = h->cfg->blocks[block].end - 1;
    return h->graph->func->insns[last].op->kind == OPK_BRA && h->cfg->blocks[block].succ_count == 2
               ? h->graph->of_guard[last]
               : 0;
}

/* Whether a side reads what it has loaded from global memory, and so waits before it ends. */
static bool waits_inside(const Shaper *h, BlockId side)
{
    const Graph *g = h->graph;
    const Block *b = &h->cfg->blocks[side];
    for (InsnId i = b->first; i < b->end; i++)
        for (uint32_t o = 0; o < g->func->insns[i].operand_count; o++) {
            const GraphNode *node = &g->nodes[g->of_operand[g->func->insns[i].operand_first + o]];
            if (node->kind == NODE_RESULT && node->insn >= b->first && node->insn < i
                && g->func->insns[node->insn].op->kind == OPK_LD
                && g->func->insns[node->insn].op->space == SPACE_GLOBAL)
                return true;
        }
    return false;
}

/* What a branch of a loop compares goes on by a constant. */
static bool steps_by_constant(const Shaper *h, LoopId loop, NodeId compared)
{
    const Func *func = h->graph->func;
    const GraphNode *node = &h->graph->nodes[compared];
    InsnId last = node->insn;
    if (node->kind == NODE_LEAF && ptx_defs_in_loop(h->s->defs, loop, node->reg, &last) != 1)
        return false;
    if (node->kind != NODE_LEAF && node->kind != NODE_RESULT)
        return false;
    const Insn *insn = &func->insns[last];
    const Operand *operands = ptx_insn_operands(func, insn);
    if (insn->op->kind == OPK_MOV && insn->operand_count == 2)
        return node->kind == NODE_LEAF
               && h->graph->nodes[h->graph->of_operand[insn->operand_first + 1]].kind == NODE_RESULT
               && steps_by_constant(h, loop, h->graph->of_operand[insn->operand_first + 1]);
    return insn->operand_count == 3 && operands[2].kind == OPERAND_INT
           && (insn->op->kind == OPK_ADD || insn->op->kind == OPK_SUB);
}

/* Whether a loop has a counter as ptxas unrolls loops by, `.pragma "nounroll"` or not. */
static bool has_constant_step(const Shaper *h, LoopId loop)
{
    const Block *header = &h->cfg->blocks[h->loops->loops[loop].header];
    for (uint32_t p = 0; p < header->pred_count; p++) {
        BlockId latch = h->cfg->preds[header->pred_first + p];
        NodeId guard = ptx_loop_holds(h->loops, loop, latch) ? guard_of(h, latch) : 0;
        if (!guard || h->graph->nodes[guard].kind != NODE_RESULT)
            continue;
        const Insn *test = &h->graph->func->insns[h->graph->nodes[guard].insn];
        if (test->op->kind == OPK_SETP && test->operand_count == 3
            && steps_by_constant(h, loop, h->graph->of_operand[test->operand_first + 1]))
            return true;
    }
    return false;
}

/* Whether loads of other blocks may be on the way at the same time: of those before and behind, of
 * other sides next to them, or of another iteration. */
static bool has_company(const Shaper *h, BlockId side, BlockId from, BlockId join)
{
    const Block *before = &h->cfg->blocks[from], *behind = &h->cfg->blocks[join];
    const LoopId loop = h->loops->loop_of[from];
    bool found = h->sides[from].has_load || h->sides[join].has_load
                 || (loop != NO_LOOP && (has_constant_step(h, loop) || !waits_inside(h, side)));
    for (uint32_t p = 0; p < before->pred_count && p < MAX_SIDES; p++)
        found |= h->sides[h->cfg->preds[before->pred_first + p]].has_load;
    for (uint32_t n = 0; n < behind->succ_count && n < MAX_SIDES; n++) {
        BlockId next = h->cfg->succs[behind->succ_first + n];
        found |= next != EXIT_BLOCK && next != side && h->sides[next].has_load;
    }
    return found;
}

/* Loads go under a predicate that lanes differ in where they are on the way together with
 * others. */
static bool can_predicate(const Shaper *h, BlockId side, BlockId from, unsigned limit, NodeId guard)
{
    BlockId join = h->cfg->succs[h->cfg->blocks[side].succ_first];
    if (!h->sides[side].has_load)
        return h->sides[side].count <= limit;
    if (h->sides[side].count > WITH_LOADS || waits_for_load(h->graph, guard, CONDITION_DEPTH))
        return false;
    return h->graph->nodes[guard].is_uniform
           || (has_company(h, side, from, join) && !follows_load(h, side));
}

static void predicate(Shaper *h, BlockId into, BlockId side)
{
    h->flow.runs_with[side] = into;
    h->flow.is_dropped[side] = h->graph->func->insns[h->cfg->blocks[side].end - 1].op->kind
                               == OPK_BRA;
    h->flow.is_dropped[into] = true;
}

/* A side that goes on where the branch itself goes otherwise. */
static void predicate_side(Shaper *h, BlockId block, BlockId side, BlockId otherwise, NodeId guard)
{
    unsigned limit = h->graph->nodes[guard].is_uniform ? ONE_SIDE_UNIFORM : ONE_SIDE;
    if (!is_lone_return(h, otherwise) && can_predicate(h, side, block, limit, guard))
        predicate(h, block, side);
}

static void try_predicate(Shaper *h, BlockId block, NodeId guard)
{
    const Block *b = &h->cfg->blocks[block];
    BlockId a = h->cfg->succs[b->succ_first], c = h->cfg->succs[b->succ_first + 1];
    bool is_uniform = h->graph->nodes[guard].is_uniform;
    bool a_is_side = is_predicable_side(h, a, block), c_is_side = is_predicable_side(h, c, block);
    BlockId after_a = a_is_side ? h->cfg->succs[h->cfg->blocks[a].succ_first] : EXIT_BLOCK;
    BlockId after_c = c_is_side ? h->cfg->succs[h->cfg->blocks[c].succ_first] : EXIT_BLOCK;
    if (a_is_side && after_a == c) {
        predicate_side(h, block, a, c, guard);
        return;
    }
    if (c_is_side && after_c == a) {
        predicate_side(h, block, c, a, guard);
        return;
    }
    unsigned limit = is_uniform ? BOTH_SIDES_UNIFORM : BOTH_SIDES;
    if (!a_is_side || !c_is_side || after_a != after_c || after_a == block
        || !can_predicate(h, a, block, limit, guard) || !can_predicate(h, c, block, limit, guard))
        return;
    predicate(h, block, a);
    predicate(h, block, c);
}

/* ---- meeting again --------------------------------------------------------------------------- */

/* BSSY before lanes part, BSYNC where they meet; of a loop, before it and behind it. One pair does
 * for all that meet in a block. */
static void mark_meeting(Shaper *h, BlockId block)
{
    BlockId join = h->graph->dom->ipdom[block], at = block;
    if (join == EXIT_BLOCK || is_lone_return(h, join))
        return;
    for (LoopId loop = h->loops->loop_of[at];
         loop != NO_LOOP && !ptx_loop_holds(h->loops, loop, join); loop = h->loops->loop_of[at]) {
        if (!h->climbs)
            return;
        h->climbs--;
        at = h->graph->dom->idom[h->loops->loops[loop].header];
        if (at == EXIT_BLOCK)
            return;
    }
    if (!h->is_met[join])
        h->flow.meetings[at] = 2;
    h->is_met[join] = true;
}

Flow ptx_flow_compute(Arena *arena, const Selection *selection, const Loops *loops,
                      const BlockId *place)
{
    const Graph *g = selection->graph;
    uint32_t blocks = g->cfg->block_count + 1;
    Shaper h = { .s = selection,
                 .graph = g,
                 .cfg = g->cfg,
                 .loops = loops,
                 .sides = ptx_arena_array(arena, PredicationSide, blocks) };
    h.flow = (Flow){ ptx_arena_array(arena, BlockId, blocks), ptx_arena_array(arena, bool, blocks),
                     ptx_arena_array(arena, uint8_t, blocks) };
    for (BlockId b = 0; b < g->cfg->block_count; b++)
        h.flow.runs_with[b] = b;
    for (uint32_t r = 0; r < selection->row_count; r++)
        add_row(&h, &selection->rows[r], place[r]);
    h.climbs = CLIMBS_PER_BLOCK * blocks;
    h.is_met = ptx_arena_array(arena, bool, blocks);
    for (uint32_t i = g->cfg->rpo_count; i-- > 0;) {
        NodeId guard = guard_of(&h, g->cfg->rpo[i]);
        if (guard)
            try_predicate(&h, g->cfg->rpo[i], guard);
    }
    for (uint32_t i = 0; i < g->cfg->rpo_count; i++) {
        NodeId guard = guard_of(&h, g->cfg->rpo[i]);
        if (guard && !h.flow.is_dropped[g->cfg->rpo[i]] && !g->nodes[guard].is_uniform)
            mark_meeting(&h, g->cfg->rpo[i]);
    }
    return h.flow;
}
