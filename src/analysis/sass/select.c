#include "analysis/sass/select_rows.h"

#include "analysis/sass/constants.h"
#include "analysis/sass/warp_atomic.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/redundancy/effect.h"
#include "gpu/costs.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"

enum {
    /* bounds the walks to common dominators; beyond, a value's home is the entry */
    CLIMBS_PER_NODE = 16,
    DUMMY_LOADS = 3, /* of shared memory, predicated off, before LDGSTS */
    /* registers of a block that become zero one by one; more do in pairs */
    ZEROS_APART = 8,
};

static void select_other(Selection *s, InsnId id, BlockId block)
{
    const Graph *g = s->graph;
    const Insn *insn = &g->func->insns[id];
    Selected row = ptx_select_begin(s, id, g->of_insn[id], block);
    const Operand *address =
        ptx_effect_is_plain(insn->op) ? ptx_effect_address(g->func, insn) : NULL;
    bool is_joined = false;
    ptx_select_end_joins(s, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        NodeId in = g->of_operand[insn->operand_first + o];
        if (in && g->func->operands[insn->operand_first + o].role & ROLE_ADDRESS)
            ptx_select_address(s, in, (Space)insn->op->space, block);
        else if (in)
            ptx_select_demand(s, in, block);
        s->nodes[in].is_fragment |= insn->op->insn_class == CLASS_TENSOR;
    }
    if (address && insn->op->kind == OPK_LD && !g->of_guard[id])
        is_joined =
            ptx_select_join_load(s, insn, g->of_operand[address - g->func->operands], address);
    s->has_global |= ptx_select_is_global(insn->op);
    bool is_gathered_first = ptx_atomic_gather(s, &row, insn);
    ptx_select_place_fragment(s, &row, insn->op);
    if (insn->op->kind == OPK_MOV && g->of_guard[id] && row.node && insn->operand_count == 2)
        ptx_selection_beside(s, &row, MACHINE_MOVE,
                             ptx_node_of(s, row.node)->units == 2 && s->target.sm < 120 ? 2 : 1);
    if (ptx_select_is_copy(insn->op) && ptx_select_begins_copies(s, id, block))
        ptx_selection_beside(s, &row, MACHINE_OTHER, DUMMY_LOADS);
    bool is_stored = insn->op->kind == OPK_ST
                         ? insn->op->space != SPACE_PARAM && insn->op->space != SPACE_LOCAL
                         : insn->op->kind == OPK_ATOM || insn->op->kind == OPK_RED;
    if (is_stored && !is_gathered_first)
        ptx_selection_beside(s, &row, MACHINE_MOVE, ptx_select_store_moves(s, insn));
    ptx_selection_beside(s, &row, MACHINE_BRANCH, ptx_select_leaves_before(s, id, block) ? 1 : 0);
    ptx_selection_beside(s, &row, MACHINE_ALU, ptx_select_taken_out(s, insn));
    ptx_selection_beside(s, &row, MACHINE_ALU,
                         insn->op->operation == OP_MUL
                             ? ptx_select_extensions(s, ptx_node_of(s, row.node), insn->op)
                             : 0);
    if (ptx_select_local(s, &row, insn) || ptx_select_field(s, &row, insn->op)
        || ptx_select_division(s, &row, insn->op, block))
        return;
    is_joined |= row.node && ptx_select_with_partner(s, ptx_node_of(s, row.node));
    if (is_joined)
        ptx_select_add_row(s, &row, ptx_select_joined_load(insn->op->space), 0);
    else if (insn->operand_count != 2
             || !ptx_select_is_saturation(s, g->of_operand[insn->operand_first + 1], insn->op))
        ptx_select_rounding(s, &row, ptx_node_of(s, row.node), insn->op);
}

static bool is_any_def_in_vector(const Selection *s, RegId reg)
{
    for (uint32_t d = s->defs->first[reg]; d < s->defs->first[reg + 1]; d++) {
        const Insn *insn = &s->graph->func->insns[s->defs->insns[d]];
        const Operand *operands = ptx_insn_operands(s->graph->func, insn);
        if (insn->operand_count > 1 && operands[0].role & ROLE_DEF && operands[1].role & ROLE_DEF)
            return true;
    }
    return false;
}

/* Its neighbours hold what is written together with it. */
static bool is_in_vector(const Selection *s, RegId reg)
{
    if (s->in_vector[reg] == VECTOR_NOT_KNOWN)
        s->in_vector[reg] = is_any_def_in_vector(s, reg) ? VECTOR_YES : VECTOR_NO;
    return s->in_vector[reg] == VECTOR_YES;
}

static bool is_latch(const Selection *s, BlockId block)
{
    const Block *b = &s->graph->cfg->blocks[block];
    for (uint32_t e = 0; e < b->succ_count; e++) {
        BlockId to = s->graph->cfg->succs[b->succ_first + e];
        if (to != EXIT_BLOCK && ptx_dom_dominates(s->graph->dom, to, block))
            return true;
    }
    return false;
}

/* The value itself is read behind, beside what becomes of it in a register: both are live. */
static bool is_kept(Selection *s, NodeId id, RegId reg, BlockId block)
{
    GraphNode *node = &s->nodes[id];
    bool is_read = s->is_demanded[id] && node->carrier != reg;
    if (!s->is_demanded[id])
        node->carrier = reg;
    return is_read && !is_latch(s, block);
}

/* A register that several instructions write gets a value: nothing where the value can be made in
 * it. */
static void select_move(Selection *s, InsnId id, BlockId block)
{
    NodeId source = s->graph->of_insn[id];
    const GraphNode *node = ptx_node_of(s, source);
    Selected row = ptx_select_begin(s, id, 0, block);
    RegId reg = ptx_insn_operands(s->graph->func, &s->graph->func->insns[id])->id;
    bool is_made_there = (node->kind == NODE_RESULT || node->kind == NODE_SREG)
                         && !is_kept(s, ptx_select_see_through(s, source), reg, block);
    ptx_select_demand(s, source, block);
    unsigned units = ptx_reg_units(&s->graph->func->regs[reg]);
    bool is_pair = units == 2 && s->target.sm >= 120;
    bool is_zero = node->kind == NODE_CONSTANT && !node->value;
    s->zero_count += is_zero ? units : 0;
    /* CS2R makes two */
    double each = is_zero && (s->zero_count > ZEROS_APART || is_in_vector(s, reg)) ? 0.5 : 1;
    double moves = is_pair ? 1 : units * each;
    ptx_select_emit(s, &row, MACHINE_MOVE, is_made_there ? 0 : moves);
}

/* A jump to what follows is none, and one to a lone ret is that. */
static bool is_fall_through(const Graph *g, InsnId id, BlockId block)
{
    const Block *b = &g->cfg->blocks[block];
    if (g->func->insns[id].op->kind != OPK_BRA || g->func->insns[id].guard != NO_ID
        || b->succ_count != 1)
        return false;
    BlockId to = g->cfg->succs[b->succ_first];
    if (to == EXIT_BLOCK || to == block + 1)
        return to != EXIT_BLOCK;
    const Block *next = &g->cfg->blocks[to];
    return next->end == next->first + 1 && g->func->insns[next->first].op->kind == OPK_RET;
}

static void select_insn(Selection *s, InsnId id, BlockId block)
{
    const Graph *g = s->graph;
    NodeId node = g->of_insn[id];
    uint32_t first = s->row_count;
    Selected copy = { .insn = id, .node = node, .use_first = s->use_count };
    if (!s->is_live[id] || g->is_gone[id])
        return;
    const GraphNode *n = ptx_node_of(s, node);
    if (ptx_select_is_move(s, id)) {
        copy.node = 0;
        select_move(s, id, block);
    } else if (node && n->action) {
        if (!s->is_demanded[node] && g->def_count[n->reg] == 1)
            return;
        ptx_select_node(s, id, node, block);
    } else if (!is_fall_through(g, id, block)) {
        select_other(s, id, block);
    }
    if (s->row_count > first)
        ptx_constants_move(s, id, block);
    else if (node)
        ptx_select_add_row(s, &copy, MACHINE_MOVE,
                           0); /* what it reads goes on under another name */
    for (uint32_t last = s->row_count; first + 1 < last; first++) { /* rows stand in reverse */
        Selected swap = s->rows[first];
        s->rows[first] = s->rows[--last];
        s->rows[last] = swap;
    }
}

/* ---- what comes from outside ----------------------------------------------------------------- */

/* A word of a bank that comes with one before it: in pairs, of constant memory since sm_100 in
 * fours. */
static bool is_loaded_beside(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    int64_t most = node->var != NO_ID && s->target.sm >= 100 ? 16 : 8;
    int64_t before = node->value < 0 || node->units != 1 ? 0 : node->value % most;
    for (; before > 0; before -= 4) {
        NodeId other = ptx_graph_bank(s->graph, node->var, node->value - before, 1);
        if (other && s->is_demanded[other] && s->home[other] == s->home[id])
            return true;
    }
    return false;
}

bool ptx_select_is_window_address(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    return node->kind == NODE_VARIABLE && s->target.sm >= 90
           && ptx_space_is_own_shared(s->graph->module->vars[node->var].space);
}

/* Whether a block, or one above it, was noted; if not, it is now. */
static bool is_placed(Selection *s, NodeId node, BlockId block)
{
    for (uint32_t p = 0; p < s->place_count; p++)
        if (s->places[p].node == node
            && ptx_dom_dominates(s->graph->dom, s->places[p].block, block))
            return true;
    if (s->place_count < MAX_VARIABLE_PLACES)
        s->places[s->place_count++] = (VariablePlace){ node, block, false };
    return false;
}

/* Blocks that name shared variables, those above before those below. */
static void note_places(Selection *s)
{
    const Func *func = s->graph->func;
    for (uint32_t b = 0; b < s->graph->cfg->rpo_count; b++) {
        const Block *block = &s->graph->cfg->blocks[s->graph->cfg->rpo[b]];
        const uint32_t last = block->end - 1;
        uint32_t end = func->insns[last].operand_first + func->insns[last].operand_count;
        for (uint32_t o = func->insns[block->first].operand_first; o < end; o++) {
            NodeId id = func->operands[o].kind == OPERAND_VAR ? s->graph->of_operand[o] : 0;
            if (!id || !s->is_demanded[id] || !ptx_select_is_window_address(s, id))
                continue;
            uint32_t at = s->place_count;
            if (!is_placed(s, id, s->graph->cfg->rpo[b]) && at < s->place_count)
                s->places[at].is_first = !is_placed(s, 0, s->graph->cfg->rpo[b]);
        }
    }
}

static void add_at(Selection *s, Selected *row, MachineOp machine, double count, BlockId block)
{
    const uint32_t before = s->row_count;
    ptx_select_emit(s, row, machine, count);
    if (s->row_count > before)
        s->rows[before].place = block;
}

static void select_window_address(Selection *s, Selected *row)
{
    for (uint32_t p = 0; p < s->place_count; p++) {
        const VariablePlace *at = &s->places[p];
        if (at->node != row->node)
            continue;
        add_at(s, row, MACHINE_MOVE, at->is_first ? 2 : 0, at->block);
        add_at(s, row, MACHINE_IADD, 1, at->block);
    }
}

/* Since sm_90 what is in a constant bank is loaded first; before, it is an operand. */
static void select_source(Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    Selected row = { .insn = NO_ID, .node = id, .use_first = s->use_count };
    if (node->kind == NODE_BANK && s->target.sm >= 90)
        ptx_select_add_row(s, &row, MACHINE_CONST, is_loaded_beside(s, id) ? 0 : 1);
    if (node->moves)
        ptx_select_emit(s, &row, MACHINE_MOVE, node->moves);
    if (node->kind == NODE_SREG)
        ptx_select_emit(s, &row, MACHINE_MOVE, 1);
    if (node->kind == NODE_RECIPROCAL)
        ptx_select_reciprocal(s, &row, node);
    if (ptx_select_is_window_address(s, id))
        select_window_address(s, &row);
    else if (node->kind == NODE_VARIABLE)
        ptx_select_emit(s, &row, MACHINE_MOVE, 1);
}

Selection *ptx_selection_compute(Arena *arena, Graph *graph, const Defs *defs, const Loops *loops,
                                 Target target)
{
    Selection *s = ptx_arena_new(arena, Selection);
    const Func *func = graph->func;
    uint32_t nodes = graph->node_count + 1;
    *s = (Selection){
        .arena = arena, .graph = graph, .defs = defs, .target = target, .nodes = graph->nodes
    };
    s->most_rows = COST_TERMS * func->insn_count + nodes;
    s->most_uses = 2 * func->operand_count + 8 * func->insn_count;
    s->climbs = CLIMBS_PER_NODE * nodes;
    s->has_cost = ptx_arena_array(arena, bool, graph->module->op_count + 1);
    s->costs = ptx_arena_array(arena, const Cost *, graph->module->op_count + 1);
    s->is_live = ptx_arena_array(arena, bool, func->insn_count + 1);
    s->is_demanded = ptx_arena_array(arena, bool, nodes);
    s->home = ptx_arena_array(arena, BlockId, nodes);
    s->is_read = ptx_arena_array(arena, bool, func->reg_count + 1);
    s->in_vector = ptx_arena_array(arena, uint8_t, func->reg_count + 1);
    s->sums = ptx_arena_array(arena, uint32_t, nodes);
    s->tests = ptx_arena_array(arena, uint32_t, nodes);
    s->is_taken_out = ptx_arena_array(arena, bool, nodes);
    ptx_select_mark_live(s);
    ptx_select_count_readers(s);
    ptx_select_find_packed(s);
    for (InsnId i = 0; i < func->insn_count; i++)
        if (s->is_live[i])
            ptx_select_note_alignment(s, i);
    ptx_select_find_local(s, loops);
    for (uint32_t b = graph->cfg->rpo_count; b-- > 0;) {
        BlockId block = graph->cfg->rpo[b];
        s->join_count = s->zero_count = 0;
        for (InsnId i = graph->cfg->blocks[block].end; i-- > graph->cfg->blocks[block].first;)
            select_insn(s, i, block);
    }
    note_places(s);
    for (NodeId n = 1; n < nodes; n++)
        if (s->is_demanded[n])
            select_source(s, n);
    return s;
}
