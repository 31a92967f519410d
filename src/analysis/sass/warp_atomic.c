#include "analysis/sass/warp_atomic.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/redundancy/effect.h"
#include "analysis/sass/select.h"
#include "analysis/sass/value_graph.h"
#include "gpu/gpu.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"

/* What lanes of a warp do beside an atomic operation on integers at one address, so that one of
 * them does it for all: ptxas 13.0, sm_75 to sm_120. */
typedef struct Gather {
    bool is_used, is_constant;  /* the old value is; the operand is, or the same in all lanes */
    uint16_t first_sm, last_sm;
    float vote, bits, alu, move, iadd, shuffle, redux, branch, atomic;
} Gather;

static const Gather gathers[] = {
    /* used   constant  sm          vote bits alu move iadd shuffle redux branch atomic */
    /* how many there are, times the constant */
    { false, true,  75, UINT16_MAX, 1,   2,   1,  1,   0,   0,      0,    0,     0 },
    { false, false, 75, 79,         1,   0,   2,  2,   5,   5,      0,    1,     1 },      /* a sum by halves */
    { false, false, 80, UINT16_MAX, 1,   1,   1,  2,   0,   0,      1,    0,     0 },
    /* and how many lanes come before this one */
    { true,  true,  75, UINT16_MAX, 1,   3,   2,  2,   1,   1,      0,    0,     0 },
    { true,  false, 75, UINT16_MAX, 1,   0,   2,  7,   6,   7,      0,    1,     1 },      /* a prefix sum */
};

/* The value of an atomic operation: the last operand that is read. */
static NodeId operand_of_atomic(const Graph *g, const Insn *insn)
{
    NodeId found = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (g->func->operands[insn->operand_first + o].role & ROLE_USE
            && !(g->func->operands[insn->operand_first + o].role & ROLE_ADDRESS))
            found = g->of_operand[insn->operand_first + o];
    return found;
}

static bool is_same_in_warp(const Selection *s, NodeId id)
{
    const GraphNode *node = &s->nodes[id];
    return node->is_uniform
           || (node->kind == NODE_RESULT
               && s->graph->uniforms->insns[node->insn].uniformity <= UNIFORMITY_WARP);
}

static bool is_gathered(const Selection *s, const Insn *insn, bool is_used)
{
    const Operand *address = ptx_effect_address(s->graph->func, insn);
    bool is_integer = ptx_type_info[insn->op->type].kind != KIND_FLOAT && insn->op->vector <= 1;
    bool is_sum = ptx_op_has(insn->op, MOD_ADD),
         is_exchange = ptx_op_has(insn->op, MOD_CAS) || ptx_op_has(insn->op, MOD_EXCH);
    bool is_counter = ptx_op_has(insn->op, MOD_INC) || ptx_op_has(insn->op, MOD_DEC);
    return (insn->op->kind == OPK_RED || insn->op->kind == OPK_ATOM) && is_integer
           && (is_sum || (!is_used && !is_exchange && !is_counter)) && address
           && s->nodes[s->graph->of_operand[address - s->graph->func->operands]].is_uniform;
}

bool ptx_atomic_gather(Selection *s, const Selected *row, const Insn *insn)
{
    bool is_used = insn->op->kind == OPK_ATOM && row->node
                   && (s->nodes[row->node].use_count || ptx_selection_is_live_out(s, row->node));
    bool is_shared = ptx_space_is_own_shared(insn->op->space),
         is_fixed = is_same_in_warp(s, operand_of_atomic(s->graph, insn));
    if (is_shared && ptx_node_is(s->graph, operand_of_atomic(s->graph, insn), NODE_CONSTANT)
        && !is_used && ptx_op_has(insn->op, MOD_ADD)
        && s->nodes[operand_of_atomic(s->graph, insn)].value == 1)
        return true;            /* ATOMS.POPC.INC */
    if (!is_gathered(s, insn, is_used))
        return false;
    for (size_t i = 0; i < sizeof gathers / sizeof *gathers; i++) {
        const Gather *by = &gathers[i];
        if (by->is_used != is_used || by->is_constant != is_fixed || s->target.sm < by->first_sm
            || s->target.sm > by->last_sm)
            continue;
        ptx_selection_beside(s, row, MACHINE_VOTE, (double)by->vote);
        ptx_selection_beside(s, row, MACHINE_BITS, (double)by->bits);
        ptx_selection_beside(s, row, MACHINE_ALU, (double)by->alu);
        ptx_selection_beside(s, row, MACHINE_MOVE, (double)by->move);
        ptx_selection_beside(s, row, MACHINE_IADD, (double)by->iadd);
        ptx_selection_beside(s, row, MACHINE_SHUFFLE, (double)by->shuffle);
        ptx_selection_beside(s, row, MACHINE_REDUX, (double)by->redux);
        ptx_selection_beside(s, row, MACHINE_BRANCH, (double)by->branch);
        ptx_selection_beside(s, row, is_shared ? MACHINE_ATOMIC_SHARED : MACHINE_ATOMIC,
                             (double)by->atomic);
        return true;
    }
    return false;
}
