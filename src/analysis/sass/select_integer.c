#include "analysis/sass/select_rows.h"

#include "analysis/sass/constants.h"
#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "isa/isa.h"

/* A product that a sum takes in, of the sum's width. */
static bool is_integer_product(const Selection *s, NodeId id, bool is_wide)
{
    const GraphNode *node = ptx_node_of(s, id);
    if (!ptx_node_is_result(s, id, ACT_MUL) || node->is_wide != is_wide)
        return false;
    return !is_wide || ptx_node_of(s, node->in[0])->units < 2;
}

/* Of two 64-bit factors: its IMAD.WIDE adds 64 bits too. */
static bool is_long_product(const Selection *s, NodeId id, bool is_wide)
{
    return ptx_node_is_result(s, id, ACT_MUL) && is_wide && ptx_node_of(s, id)->is_wide
           && ptx_node_of(s, ptx_node_of(s, id)->in[0])->units == 2 && ptx_node_is_single(s, id);
}

static bool is_shifted(const Selection *s, NodeId id, bool is_wide)
{
    /* LEA, LEA.HI */
    bool is_shift =
        ptx_node_is_result(s, id, ACT_SHL)
        || (ptx_node_is_result(s, id, ACT_SHR) && !is_wide && !ptx_node_of(s, id)->is_signed);
    return is_shift && ptx_node_of(s, id)->is_wide == is_wide
           && ptx_node_is_constant(s, ptx_node_of(s, id)->in[1]);
}

/* A 64-bit pointer that a loop steps by a constant: its halves are added apart, and one moves back
 * into the pair that addresses take. */
static bool is_stepped_pointer(const Selection *s, const GraphNode *node)
{
    const GraphNode *from = ptx_node_of(s, node->in[0]);
    return node->is_wide && ptx_node_is_constant(s, node->in[1]) && from->kind == NODE_LEAF
           && from->reg == node->reg && node->reg != NO_ID;
}

void ptx_select_demand_both(Selection *s, const GraphNode *node, BlockId block)
{
    ptx_select_demand(s, node->in[0], block);
    ptx_select_demand(s, node->in[1], block);
}

/* Machine words that an operation of 64 bits takes: a half that is zero in both operands, or for
 * logic in one, takes none. */
/* Whether a half of the result takes no instruction, by the halves of the operands that are 0. */
static bool is_free_half(const GraphNode *node, bool a_is_zero, bool b_is_zero)
{
    if (node->action == ACT_SELECT)
        return a_is_zero && b_is_zero;
    return a_is_zero || b_is_zero;
}

double ptx_select_words(const Selection *s, const GraphNode *node)
{
    const GraphNode *a = ptx_node_of(s, node->in[0]), *b = ptx_node_of(s, node->in[1]);
    if (!node->is_wide)
        return 1;
    unsigned words = !is_free_half(node, a->zeros >= 32, b->zeros >= 32);
    words += !is_free_half(node, a->bits <= 32, b->bits <= 32);
    return words;
}

/* Logic with a constant leaves room for a third input. */
static bool is_masked(const Selection *s, NodeId id)
{
    return ptx_node_is_result(s, id, ACT_LOGIC) && ptx_node_is_single(s, id)
           && ptx_node_is_constant(s, ptx_node_of(s, id)->in[1]);
}

/* Three inputs fit one LOP3: what another operation of logic made for this one alone is taken
 * in. */
void ptx_select_logic(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    bool took = false, is_turned = is_masked(s, node->in[1]) && !is_masked(s, node->in[0]);
    for (unsigned at = 0; at < 2; at++) {
        unsigned i = is_turned ? 1 - at : at;
        NodeId in = node->in[i];
        bool is_logic = (ptx_node_is_result(s, in, ACT_LOGIC) || ptx_node_is_result(s, in, ACT_NOT))
                        && ptx_node_is_single(s, in);
        bool fits = is_logic && ptx_node_of(s, in)->is_wide == node->is_wide
                    && (!took || ptx_node_is_result(s, in, ACT_NOT));
        if (fits)
            ptx_select_demand_both(s, ptx_node_of(s, in), block);
        else
            ptx_select_demand(s, in, block);
        took |= fits && ptx_node_is_result(s, in, ACT_LOGIC);
    }
    ptx_select_add_row(s, row, MACHINE_ALU, ptx_select_words(s, node));
}

/* A factor that a loop finds in a uniform register, beside a constant one: the first operand is no
 * uniform register, so it is moved. */
static bool is_moved_factor(const Selection *s, const GraphNode *sum, const GraphNode *product)
{
    const GraphNode *factor = ptx_node_of(s, ptx_select_see_through(s, product->in[0]));
    bool is_made = factor->kind == NODE_RESULT || factor->kind == NODE_LEAF;
    bool is_in_loop = s->defs->loops->loop_of[sum->block] != NO_LOOP;
    return s->target.sm >= 75 && is_in_loop && !sum->is_uniform && factor->is_uniform && is_made
           && ptx_node_is_constant(s, product->in[1]);
}

/* An or that is a sum too, of what logic made for it alone: LOP3 does both, unless a shift made for
 * it alone is there to be taken in. Of two halves it is their pair. */
static bool is_rather_logic(const Selection *s, const GraphNode *node)
{
    bool has_logic = node->is_wide && ptx_select_words(s, node) <= 0;
    const Operation operation = (Operation)s->graph->func->insns[node->insn].op->operation;
    if (operation != OP_AND && operation != OP_OR && operation != OP_XOR)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (is_shifted(s, node->in[i], node->is_wide) && ptx_node_is_single(s, node->in[i])
            && ptx_select_words(s, node) > 0)
            return false;
        has_logic |= !node->is_wide && ptx_node_is_result(s, node->in[i], ACT_LOGIC)
                     && ptx_node_is_single(s, node->in[i]);
    }
    return has_logic;
}

bool ptx_select_is_loaded(const Selection *s, const GraphNode *node)
{
    return node->kind == NODE_RESULT && s->graph->func->insns[node->insn].op->flags & OPF_LOAD;
}

/* Factors of 16 bits are extended first, but those that are known to be: of a low half all, of a
 * wide product those without zeros above. */
double ptx_select_extensions(const Selection *s, const GraphNode *node, const Op *op)
{
    double count = 0;
    bool is_low = ptx_op_has(op, MOD_LO);
    for (unsigned i = 0; i < 2 && ptx_type_info[op->type].bits == 16; i++)
        count += !ptx_node_is_constant(s, node->in[i])
                         && (is_low
                             || (ptx_node_of(s, node->in[i])->bits > 16
                                 && !ptx_select_is_loaded(s, ptx_node_of(s, node->in[i]))))
                     ? 1
                     : 0;
    return count;
}

/* IADD3 takes in a sum for this one alone, of what is neither multiplied nor shifted. */
static bool is_third(const Selection *s, const GraphNode *sum, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    bool is_sum = (ptx_node_is_result(s, id, ACT_ADD) || ptx_node_is_result(s, id, ACT_SUB))
                  && ptx_node_is_single(s, id) && !sum->is_wide && !node->is_wide;
    for (unsigned i = 0; i < 2 && is_sum; i++)
        is_sum = !is_integer_product(s, node->in[i], false) && !is_shifted(s, node->in[i], false);
    return is_sum;
}

/* Sums of three, products and shifts with what is added. */
void ptx_select_sum(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    /* what is taken away is a product of 16 bits: its sign is changed, and its half taken */
    bool halved = false;
    if (is_rather_logic(s, node)) {
        ptx_select_logic(s, row, node, block);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        NodeId in = node->in[i], other = node->in[1 - i];
        bool is_half =
            ptx_node_is_result(s, in, ACT_MUL)
            && ptx_type_info[s->graph->func->insns[ptx_node_of(s, in)->insn].op->type].bits == 16
            && node->action == ACT_SUB;
        /* a constant factor takes the sign */
        bool is_taken =
            node->action == ACT_ADD
            || (i == 1 && !is_half && ptx_node_is_constant(s, ptx_node_of(s, in)->in[1]));
        halved |= is_half;
        if (is_taken && is_integer_product(s, in, node->is_wide)) {
            ptx_select_demand_both(s, ptx_node_of(s, in), block);
            ptx_select_demand(s, other, block);
            ptx_constants_move_sum(s, ptx_node_of(s, in)->in[1], other, false, block);
            ptx_selection_beside(
                s, row, MACHINE_ALU,
                ptx_select_extensions(s, ptx_node_of(s, in),
                                      s->graph->func->insns[ptx_node_of(s, in)->insn].op));
            ptx_selection_beside(s, row, MACHINE_MOVE,
                                 is_moved_factor(s, node, ptx_node_of(s, in)) ? 1 : 0);
            ptx_select_emit(s, row, node->is_wide ? MACHINE_IMAD_WIDE : MACHINE_IMAD, 1);
            return;
        }
        if (is_taken && is_long_product(s, in, node->is_wide)) {
            ptx_select_demand_both(s, ptx_node_of(s, in), block);
            ptx_select_demand(s, other, block);
            ptx_select_cost_rows(s, row, s->graph->func->insns[ptx_node_of(s, in)->insn].op);
            return;
        }
    }
    for (unsigned i = 0; i < 4; i++) { /* shifts before sums */
        NodeId in = node->in[i % 2], other = node->in[1 - i % 2];
        bool is_lea = i < 2 && node->action == ACT_ADD && is_shifted(s, in, node->is_wide);
        if (is_lea || (i >= 2 && is_third(s, node, in))) {
            ptx_select_demand_both(s, ptx_node_of(s, in), block);
            ptx_select_demand(s, other, block);
            ptx_constants_move_sum(s, is_lea ? 0 : ptx_node_of(s, in)->in[1], other, false, block);
            ptx_select_emit(s, row, MACHINE_IADD, node->is_wide ? 2 : 1);
            return;
        }
    }
    bool is_pair = s->target.sm >= 120; /* IADD.64 */
    for (unsigned i = 0; i < 2; i++) {
        /* LEA.HI.X.SX32 */
        bool is_extended = ptx_node_is_result(s, node->in[i], ACT_EXTEND) && node->is_wide;
        ptx_select_demand(s, is_extended ? ptx_node_of(s, node->in[i])->in[0] : node->in[i], block);
        is_pair &=
            !is_extended
            && (ptx_node_is_constant(s, node->in[i]) || ptx_node_of(s, node->in[i])->bits > 32);
    }
    ptx_selection_beside(s, row, MACHINE_MOVE,
                         (is_stepped_pointer(s, node) && !is_pair) || halved ? 1 : 0);
    ptx_selection_beside(s, row, MACHINE_ALU, halved ? 1 : 0);
    ptx_select_emit(s, row, MACHINE_IADD, node->is_wide && !is_pair ? 2 : 1);
}

static bool is_narrow_factor(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    return ptx_node_is_result(s, id, ACT_EXTEND)
           || (ptx_node_is_constant(s, id) ? node->value >= INT32_MIN && node->value <= UINT32_MAX
                                           : node->bits <= 32);
}

static bool is_power(int64_t value)
{
    return value > 0 && !(value & (value - 1));
}

/* mad.wide up to sm_110, which ptxas does not make one IMAD.WIDE of as it does of mul.wide and add:
 * LEA by halves, else a product and a sum. */
static void select_wide_sum(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    const GraphNode *by = ptx_node_of(s, node->in[1]);
    for (unsigned i = 0; i < 3; i++)
        ptx_select_demand(s, node->in[i], block);
    if (by->kind != NODE_CONSTANT || !is_power(by->value))
        ptx_select_emit(s, row, MACHINE_IMAD_WIDE, 1);
    ptx_select_emit(s, row, MACHINE_IADD, 2);
}

/* The other half of the product, which stands before it, computes it too. */
bool ptx_select_with_partner(Selection *s, const GraphNode *node)
{
    bool is_there = node->partner && ptx_node_of(s, node->partner)->use_count;
    s->nodes[is_there ? node->partner : 0].is_whole = is_there;
    return is_there;
}

void ptx_select_product(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    ptx_selection_beside(s, row, MACHINE_ALU,
                         ptx_select_extensions(s, node, s->graph->func->insns[node->insn].op));
    bool is_full = node->is_wide && ptx_node_of(s, node->in[0])->units == 2;
    if (node->action == ACT_MAD && node->is_wide && !is_full && s->target.sm < 120) {
        select_wide_sum(s, row, node, block);
        return;
    }
    bool is_narrow =
        is_full && is_narrow_factor(s, node->in[0]) && is_narrow_factor(s, node->in[1]);
    for (unsigned i = 0; i < 3; i++) {
        bool is_factor = i < 2 && is_narrow && ptx_node_is_result(s, node->in[i], ACT_EXTEND);
        ptx_select_demand(s, is_factor ? ptx_node_of(s, node->in[i])->in[0] : node->in[i], block);
    }
    if (ptx_select_with_partner(s, node))
        ptx_select_add_row(s, row, MACHINE_IMAD_WIDE, 0);
    else if (is_full && !is_narrow)
        ptx_select_cost_rows(s, row, s->graph->func->insns[node->insn].op);
    else
        ptx_select_emit(s, row, node->is_wide || node->is_whole ? MACHINE_IMAD_WIDE : MACHINE_IMAD,
                        1);
}

void ptx_select_shift(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    bool is_constant_shift = ptx_node_is_constant(s, node->in[1]);
    int64_t by = ptx_node_of(s, node->in[1])->value;
    ptx_select_demand_both(s, node, block);
    bool is_narrow = node->action == ACT_SHR && ptx_node_of(s, node->in[0])->bits <= 32;
    if (!node->is_wide || is_narrow || (is_constant_shift && by >= 32))
        ptx_select_emit(s, row, MACHINE_SHIFT,
                        is_constant_shift && by == 32 && !node->is_signed ? 0 : 1);
    else if (is_constant_shift)
        ptx_select_emit(s, row, MACHINE_SHIFT, 2);
    else
        ptx_select_cost_rows(s, row, s->graph->func->insns[node->insn].op);
}
