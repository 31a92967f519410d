#include "analysis/sass/select_rows.h"

#include "analysis/sass/constants.h"
#include "gpu/costs.h"
#include "ir/func.h"
#include "isa/isa.h"

/* Loads extend what they read; a sign takes a shift, a field of fewer bits a mask. */
static void select_extend(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    const GraphNode *in = ptx_node_of(s, node->in[0]);
    ptx_select_demand(s, node->in[0], block);
    if (node->units == 2)
        ptx_select_emit(s, row, MACHINE_SHIFT, node->is_signed ? 1 : 0);
    else
        ptx_select_emit(s, row, MACHINE_ALU,
                        ptx_select_is_loaded(s, in) || (!node->is_signed && in->bits <= 16) ? 0
                                                                                            : 1);
}

/* A compare combines with a predicate. */
static void select_predicate(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    bool is_combined = false;
    for (unsigned i = 0; i < 2; i++)
        is_combined |=
            ptx_node_is_result(s, node->in[i], ACT_SETP) && ptx_node_is_single(s, node->in[i]);
    ptx_select_demand_both(s, node, block);
    ptx_select_emit(s, row, MACHINE_ALU, is_combined ? 0 : 1);
}

/* A product, or the last one of a quotient, whose readers are all sums: each takes it in. */
static bool is_contracted(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    bool is_product =
        ptx_node_is_result(s, id, ACT_FMUL) || ptx_node_is_result(s, id, ACT_QUOTIENT);
    return is_product && s->sums[id] >= node->use_count && !ptx_selection_is_live_out(s, id)
           && !(s->graph->func->insns[node->insn].op->flags & OPF_ROUNDED);
}

void ptx_select_count_readers(Selection *s)
{
    for (InsnId i = 0; i < s->graph->func->insn_count; i++) {
        const GraphNode *node = ptx_node_of(s, s->graph->of_insn[i]);
        bool is_own = s->is_live[i] && node->kind == NODE_RESULT && node->insn == i;
        bool is_sum = is_own && node->action == ACT_FADD
                      && !(s->graph->func->insns[i].op->flags & OPF_ROUNDED),
             is_test = is_own && node->action == ACT_SETP,
             is_quotient = is_own && node->action == ACT_QUOTIENT;
        for (unsigned o = 0; o < 2; o++) {
            s->sums[ptx_select_see_through(s, node->in[o])] += is_sum;
            s->tests[ptx_select_see_through(s, node->in[o])] += is_test || (is_quotient && o);
        }
    }
}

static void select_fadd(Selection *s, Selected *row, const GraphNode *node, BlockId block,
                        const Op *op)
{
    for (unsigned i = 0; i < 2; i++) {
        NodeId in = ptx_select_see_through(s, node->in[i]);
        if (!(op->flags & OPF_ROUNDED) && is_contracted(s, in)) {
            row->is_fused = true;
            if (ptx_node_of(s, in)->action == ACT_QUOTIENT)
                /* the reciprocal, and the dividend scaled as the divisor is */
                ptx_select_demand(s, in, block);
            else
                ptx_select_demand_both(s, ptx_node_of(s, in), block);
            ptx_select_demand(s, node->in[1 - i], block);
            ptx_constants_move_sum(s, ptx_node_of(s, in)->in[1], node->in[1 - i],
                                   op->type == TYPE_F64, block);
            ptx_select_cost_rows(s, row, op);
            return;
        }
    }
    ptx_select_demand_both(s, node, block);
    ptx_select_cost_rows(s, row, op);
}

/* An operation of one instruction for this selection alone: it runs under the predicate, over the
 * other value. */
static bool is_predicable(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    bool is_fma =
        node->kind == NODE_RESULT && s->graph->func->insns[node->insn].op->kind == OPK_FMA;
    return node->kind == NODE_RESULT && ptx_node_is_single(s, id)
           && (is_fma || node->action == ACT_FADD || node->action == ACT_FMUL
               || node->action == ACT_ADD);
}

/* A selection for another one alone, of which either selects the same value: it runs under the
 * other's predicate, over that value. */
static bool is_nested_selection(const Selection *s, const GraphNode *outer)
{
    for (unsigned i = 0; i < 2; i++) {
        const GraphNode *inner = ptx_node_of(s, outer->in[i]);
        NodeId other = outer->in[1 - i];
        if (ptx_node_is_result(s, outer->in[i], ACT_SELECT) && ptx_node_is_single(s, outer->in[i])
            && (inner->in[0] == other || inner->in[1] == other))
            return true;
    }
    return false;
}

/* A conversion of fp32 to itself saturates what the instruction before it can; one that flushes too
 * stays, as a sum with zero. */
bool ptx_select_is_saturation(const Selection *s, NodeId node, const Op *op)
{
    const GraphNode *in = ptx_node_of(s, node);
    const Op *maker = in->kind == NODE_RESULT ? s->graph->func->insns[in->insn].op : NULL;
    return op->operation == OP_CVT && op->type == TYPE_F32 && op->dst_type == TYPE_F32 && maker
           && ptx_node_is_single(s, node) && !ptx_op_has(op, MOD_FTZ)
           && (maker->kind == OPK_FMA || maker->kind == OPK_ADD || maker->kind == OPK_SUB
               || maker->kind == OPK_MUL);
}

/* Whether the divisor is scaled out of place, in all lanes: what reads it after that, but for
 * tests, which come before, and quotients, which read it scaled. */
static bool is_scaled_apart(const Selection *s, const GraphNode *node, const Op *op)
{
    NodeId divisor = node->in[1];
    bool is_kept = ptx_node_of(s, divisor)->use_count > s->tests[divisor]
                   || ptx_selection_is_live_out(s, divisor);
    return is_kept && !ptx_node_is_constant(s, divisor) && !ptx_op_has(op, MOD_FTZ);
}

/* Quotients of one divisor share its scaling and reciprocal; half of the products are the
 * dividend's. Of a constant both are made at compile time, and one product is left. */
static double quotient_count(const CostTerm *term, bool is_constant, bool is_shared, bool is_left)
{
    bool is_float = term->machine == MACHINE_FP32;
    double count = (double)term->count;
    if (is_constant)
        count = is_float ? 1 : 0;
    else if (is_shared)
        count = is_float ? ceil(count / 2) : 0;
    return is_left && is_float ? count - 1 : count;
}

static void select_quotient(Selection *s, Selected *row, NodeId id, BlockId block, const Op *op)
{
    const GraphNode *node = ptx_node_of(s, id);
    const Cost *cost = ptx_select_cost(s, op);
    bool is_constant = ptx_node_is_constant(s, node->in[1]),
         is_shared = s->nodes[node->in[1]].is_scaled && !is_constant,
         is_left = is_contracted(s, id);
    ptx_select_demand_both(s, node, block);
    row->more_flops = (int8_t)((!is_shared && is_scaled_apart(s, node, op)) - is_left);
    s->nodes[node->in[1]].is_scaled = true;
    for (unsigned t = 0; cost && t < cost->term_count; t++) {
        const CostTerm *term = &cost->terms[t];
        ptx_select_emit(s, row, (MachineOp)term->machine,
                        quotient_count(term, is_constant, is_shared, is_left));
    }
}

/* Of a division of integers, what is made of the divisor alone. */
static const struct {
    uint8_t machine, unsigned_count, signed_count;
} reciprocal_terms[] = {
    { MACHINE_CVT, 2, 2 },  { MACHINE_XU, 1, 1 },        { MACHINE_IADD, 2, 3 },
    { MACHINE_IMAD, 1, 1 }, { MACHINE_IMAD_WIDE, 1, 1 }, { MACHINE_ALU, 1, 3 },
};

static double reciprocal_count(unsigned machine, bool is_signed)
{
    for (size_t t = 0; t < sizeof reciprocal_terms / sizeof *reciprocal_terms; t++)
        if (reciprocal_terms[t].machine == machine)
            return is_signed ? reciprocal_terms[t].signed_count
                             : reciprocal_terms[t].unsigned_count;
    return 0;
}

void ptx_select_reciprocal(Selection *s, Selected *row, const GraphNode *node)
{
    /* the first reads the divisor */
    for (size_t t = sizeof reciprocal_terms / sizeof *reciprocal_terms; t-- > 0;) {
        if (!t)
            ptx_select_demand(s, (NodeId)(node->value / 2), s->home[row->node]);
        ptx_select_emit(s, row, (MachineOp)reciprocal_terms[t].machine,
                        reciprocal_count(reciprocal_terms[t].machine, node->value % 2));
    }
}

/* Whether a division by the same number was met in the block: it makes the reciprocal. */
static bool has_made_reciprocal(Selection *s, NodeId reciprocal, BlockId block)
{
    GraphNode *node = &s->nodes[reciprocal];
    bool is_made = node->is_scaled && node->block == block;
    node->is_scaled = true;
    node->block = block;
    return is_made;
}

/* A division by what another block computes, or none: the reciprocal is made once, before
 * loops. In one block all but one of those by the same number go without. */
bool ptx_select_division(Selection *s, Selected *row, const Op *op, BlockId block)
{
    const GraphNode *node = ptx_node_of(s, row->node), *by = ptx_node_of(s, node->in[1]);
    const Cost *cost = ptx_select_cost(s, op);
    bool is_division =
        row->node && ptx_node_of(s, node->in[2])->kind == NODE_RECIPROCAL && s->target.sm >= 70;
    bool is_here = by->kind == NODE_RESULT && by->block == block;
    if (!is_division || by->kind == NODE_LEAF
        || (is_here && !has_made_reciprocal(s, node->in[2], block)))
        return false;
    if (!is_here)
        ptx_select_demand(s, node->in[2], block);
    for (unsigned t = 0; cost && t < cost->term_count; t++)
        ptx_select_emit(s, row, (MachineOp)cost->terms[t].machine,
                        (double)cost->terms[t].count
                            - reciprocal_count(cost->terms[t].machine, node->is_signed));
    return true;
}

/* A field at a constant place: a mask, a shift, bytes. */
bool ptx_select_field(Selection *s, Selected *row, const Op *op)
{
    const GraphNode *node = ptx_node_of(s, row->node);
    const GraphNode *from = ptx_node_of(s, node->in[1]), *length = ptx_node_of(s, node->in[2]);
    if (!row->node || op->operation != OP_BFE || from->kind != NODE_CONSTANT
        || length->kind != NODE_CONSTANT || node->is_wide || s->target.sm < 70)
        return false;
    bool is_at_end = from->value + length->value >= 32,
         is_bytes = from->value % 8 == 0 && (length->value == 8 || length->value == 16)
                    && !node->is_signed;
    if (from->value && !is_at_end && !is_bytes)
        return false;
    ptx_select_emit(s, row, is_at_end ? MACHINE_SHIFT : MACHINE_ALU, 1);
    return true;
}

/* A minimum or maximum whose one operand is an integer or float operation with no other use: one
 * machine instruction does both, VIADDMNMX or FMNMX3. */
static bool is_extreme_of(const Selection *s, const Op *op, NodeId id)
{
    bool is_integer = s->target.sm >= 90 && op->type != TYPE_F32
                      && ptx_node_is_result(s, id, ACT_ADD) && !ptx_node_of(s, id)->is_wide;
    bool is_float = s->target.sm >= 100 && op->type == TYPE_F32
                    && ptx_node_is_result(s, id, ACT_EXTREME)
                    && s->graph->func->insns[ptx_node_of(s, id)->insn].op->opcode == op->opcode;
    return s->target.sm < 120 && ptx_node_is_single(s, id) && (is_integer || is_float);
}

/* No less than zero: a part of the one before. */
static bool is_floor(const Selection *s, const GraphNode *node, const Op *op)
{
    return s->target.sm >= 90 && s->target.sm < 120 && op->type == TYPE_S32
           && op->operation == OP_MAX && ptx_node_is_constant(s, node->in[1])
           && !ptx_node_of(s, node->in[1])->value && ptx_node_is_result(s, node->in[0], ACT_EXTREME)
           && ptx_node_is_single(s, node->in[0]);
}

static void select_extreme(Selection *s, Selected *row, const GraphNode *node, BlockId block,
                           const Op *op)
{
    bool took = false;
    for (unsigned i = 0; i < 3; i++) {
        bool takes = !took && is_extreme_of(s, op, node->in[i]);
        took |= takes;
        if (takes)
            ptx_select_demand_both(s, ptx_node_of(s, node->in[i]), block);
        else
            ptx_select_demand(s, node->in[i], block);
    }
    if (is_floor(s, node, op))
        ptx_select_add_row(s, row, MACHINE_ALU, 0);
    else
        ptx_select_cost_rows(s, row, op);
}

/* LOP3 says whether its result is zero. */
static bool is_zero_test(const Selection *s, const GraphNode *node, const Op *op)
{
    return ptx_node_is_result(s, node->in[0], ACT_LOGIC) && ptx_node_is_single(s, node->in[0])
           && !node->is_wide && !node->in[2] && ptx_node_is_constant(s, node->in[1])
           && !ptx_node_of(s, node->in[1])->value
           && (ptx_op_has(op, MOD_EQ) || ptx_op_has(op, MOD_NE));
}

/* A rounding to tf32 leaves the mask of its low bits to the matrix multiply-add that reads it. */
void ptx_select_rounding(Selection *s, Selected *row, const GraphNode *node, const Op *op)
{
    const Cost *cost = ptx_select_cost(s, op);
    bool is_bare = node->is_fragment && op->dst_type == TYPE_TF32;
    for (unsigned t = 0; cost && is_bare && t < cost->term_count; t++)
        ptx_select_emit(s, row, (MachineOp)cost->terms[t].machine,
                        (double)cost->terms[t].count
                            - (cost->terms[t].machine == MACHINE_ALU ? 1 : 0));
    if (!is_bare)
        ptx_select_cost_rows(s, row, op);
}

void ptx_select_node(Selection *s, InsnId id, NodeId node_id, BlockId block)
{
    const GraphNode *node = ptx_node_of(s, node_id);
    const Op *op = s->graph->func->insns[id].op;
    Selected row = ptx_select_begin(s, id, node_id, block);
    switch ((GraphAction)node->action) {
    case ACT_ADD:
    case ACT_SUB:
        ptx_select_sum(s, &row, node, block);
        break;
    case ACT_MUL:
    case ACT_MAD:
        ptx_select_product(s, &row, node, block);
        break;
    case ACT_SHL:
    case ACT_SHR:
        ptx_select_shift(s, &row, node, block);
        break;
    case ACT_LOGIC:
    case ACT_NOT:
        ptx_select_logic(s, &row, node, block);
        break;
    case ACT_EXTEND:
        select_extend(s, &row, node, block);
        break;
    case ACT_PREDICATE:
        select_predicate(s, &row, node, block);
        break;
    case ACT_SELECT:
        if (is_nested_selection(s, node)
            || (!node->is_wide
                && (is_predicable(s, node->in[0]) || is_predicable(s, node->in[1])))) {
            for (unsigned i = 0; i < 3; i++)
                ptx_select_demand(s, node->in[i], block);
            ptx_select_add_row(s, &row, MACHINE_ALU, 0);
            break;
        }
        /* fall through */
    case ACT_SETP:
        if (is_zero_test(s, node, op)) {
            ptx_select_demand_both(s, node, block);
            ptx_select_add_row(s, &row, MACHINE_ALU, 0);
            break;
        }
        for (unsigned i = 0; i < 3; i++)
            ptx_select_demand(s, node->in[i], block);
        if (node->is_wide && node->action == ACT_SELECT)
            ptx_select_emit(s, &row, MACHINE_ALU, ptx_select_words(s, node));
        else
            ptx_select_cost_rows(s, &row, op);
        break;
    case ACT_EXTREME:
        select_extreme(s, &row, node, block, op);
        break;
    case ACT_FADD:
        select_fadd(s, &row, node, block, op);
        break;
    case ACT_QUOTIENT:
        select_quotient(s, &row, node_id, block, op);
        break;
    case ACT_ANGLE:
        ptx_select_demand(s, node->in[0], block);
        ptx_select_emit(s, &row, MACHINE_FP32, s->nodes[node->in[0]].is_scaled ? 0 : 1);
        ptx_select_emit(s, &row, MACHINE_XU, 1);
        s->nodes[node->in[0]].is_scaled = true;
        break;
    default:
        for (unsigned i = 0; i < 3; i++)
            ptx_select_demand(s, node->in[i], block);
        ptx_select_cost_rows(s, &row, op);
    }
}
