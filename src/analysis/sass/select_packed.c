#include "analysis/sass/select_rows.h"

#include "ir/func.h"
#include "isa/isa.h"

enum { HALF_BITS = 16, REGISTER_BITS = 32 };

/* Several elements in one register. */
static bool is_packed_load(const Op *op)
{
    return op->flags & OPF_LOAD && op->vector > 1 && ptx_type_info[op->type].bits < REGISTER_BITS;
}

static bool is_element(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    return node->kind == NODE_RESULT && is_packed_load(s->graph->func->insns[node->insn].op);
}

/* Stores of vectors take elements as they lie. Narrow conversions, masks and fields are
 * instructions that take them out themselves, and an extension is for who reads it to judge. Halves
 * that become floats, or are, are read where they lie: I2F and HFMA2 take either one. */
static bool reads_apart(const Op *op, unsigned element_bits)
{
    const bool is_integer = ptx_type_info[op->type].kind != KIND_FLOAT;
    switch (op->operation) {
    case OP_CVT:
        return is_integer && element_bits < HALF_BITS
               && ptx_type_info[op->dst_type].kind == KIND_FLOAT;
    case OP_AND: case OP_BFE: case OP_PRMT: case OP_MOV:
        return false;
    default:
        return is_integer && !(op->flags & OPF_STORE);
    }
}

/* The element that an operand is, or extends to a register; 0. What extends a byte of a register
 * has taken it out. */
static NodeId element_of(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    if (ptx_node_is_result(s, id, ACT_EXTEND)
        && ptx_type_info[s->graph->func->insns[node->insn].op->type].bits == HALF_BITS)
        id = node->in[0];
    return is_element(s, id) ? id : 0;
}

static unsigned element_bits(const Selection *s, NodeId id)
{
    return ptx_type_info[s->graph->func->insns[ptx_node_of(s, id)->insn].op->type].bits;
}

void ptx_select_find_packed(Selection *s)
{
    const Func *func = s->graph->func;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const bool is_there = s->is_live[i] && !s->graph->is_gone[i];
        for (uint32_t o = 0; is_there && o < insn->operand_count; o++) {
            const NodeId id = element_of(s, s->graph->of_operand[insn->operand_first + o]);
            if (id)
                s->is_taken_out[id] |= reads_apart(insn->op, element_bits(s, id));
        }
    }
}

double ptx_select_taken_out(const Selection *s, const Insn *insn)
{
    double count = 0;
    for (uint32_t o = 0; is_packed_load(insn->op) && o < insn->operand_count; o++) {
        const NodeId node = s->graph->result_of[insn->operand_first + o];
        count += node && s->is_taken_out[node];
    }
    return count;
}
