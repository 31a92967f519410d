#include "analysis/sass/constants.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/flow/types.h"
#include "analysis/sass/value_graph.h"
#include "analysis/sass/select.h"

/* uniform registers are no addresses any more; banks no operands; a pair of registers is moved at
 * once */
enum { POINTER_SM = 80, BANKED_SM = 90, WIDE_SM = 120 };

static bool is_constant_node(const Selection *s, NodeId id)
{
    return ptx_node_is(s->graph, id, NODE_CONSTANT);
}

/* It takes the place for a constant. */
static bool takes_place(const Selection *s, NodeId id)
{
    const GraphNode *node = &s->nodes[id];
    return (is_constant_node(s, id) && node->value)
           || (node->kind == NODE_BANK && s->target.sm < BANKED_SM);
}

static void move_constant(Selection *s, NodeId id, unsigned moves, BlockId block)
{
    s->home[id] = s->is_demanded[id] ? ptx_selection_home(s, id, block) : block;
    s->is_demanded[id] = true;
    s->nodes[id].moves = (uint8_t)(moves > s->nodes[id].moves ? moves : s->nodes[id].moves);
}

/* What one more operand needs. taken: how many there are in the instruction's place for a
 * constant. */
static void move_operand(Selection *s, NodeId id, bool is_double, unsigned *taken, BlockId block)
{
    if (!takes_place(s, id))
        return;
    bool is_pair = is_double && is_constant_node(s, id),
         is_long = is_pair && (uint32_t)s->nodes[id].value && s->target.sm >= BANKED_SM;
    unsigned moves = s->nodes[id].units;
    if (is_pair)
        moves = s->target.sm >= WIDE_SM ? 1 : 2;
    if (is_long || (*taken)++)
        move_constant(s, id, moves, block);
}

static void move_operands(Selection *s, const Insn *insn, BlockId block)
{
    const Graph *g = s->graph;
    unsigned taken = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (g->func->operands[insn->operand_first + o].role & ROLE_USE)
            move_operand(s, g->of_operand[insn->operand_first + o], insn->op->type == TYPE_F64,
                         &taken, block);
}

static void move_access(Selection *s, const Insn *insn, BlockId block)
{
    const Graph *g = s->graph;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        uint8_t role = g->func->operands[insn->operand_first + o].role;
        NodeId in = role & (ROLE_USE | ROLE_ADDRESS) ? g->of_operand[insn->operand_first + o] : 0;
        if (is_constant_node(s, in) && s->nodes[in].value && !(role & ROLE_ADDRESS)
            && insn->op->flags & OPF_STORE)
            move_constant(
                s, in, ptx_type_info[insn->op->type].bits == 64 && s->target.sm < WIDE_SM ? 2 : 1,
                block);
        if (ptx_node_is(g, in, NODE_BANK) && s->target.sm < BANKED_SM)
            move_constant(s, in,
                          role & ROLE_ADDRESS && s->target.sm < POINTER_SM ? 1 : s->nodes[in].units,
                          block);
    }
}

void ptx_constants_move(Selection *s, InsnId id, BlockId block)
{
    const Insn *insn = &s->graph->func->insns[id];
    GraphAction action = (GraphAction)s->nodes[s->graph->of_insn[id]].action;
    bool is_arithmetic = insn->op->kind == OPK_FMA || insn->op->kind == OPK_ADD
                         || insn->op->kind == OPK_SUB || insn->op->kind == OPK_MUL
                         || action == ACT_SELECT || action == ACT_SETP || action == ACT_MAD
                         || action == ACT_LOGIC;
    if (ptx_insn_is_access(insn))
        move_access(s, insn, block);
    else if (is_arithmetic)
        move_operands(s, insn, block);
}

void ptx_constants_move_sum(Selection *s, NodeId factor, NodeId added, bool is_double,
                            BlockId block)
{
    unsigned taken = takes_place(s, added);
    move_operand(s, factor, is_double, &taken, block);
}
