#include "analysis/sass/select.h"

#include "analysis/sass/warp_atomic.h"
#include "analysis/sass/constants.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/sass/value_graph.h"
#include "gpu/costs.h"
#include "gpu/gpu.h"
#include "isa/isa.h"
#include "support/minmax.h"

#include <math.h>

enum {
    /* bounds the walks to common dominators; beyond, a value's home is the entry */
    CLIMBS_PER_NODE = 16,
    /* signed 24 bits of an address's offset in machine code since sm_75 */
    MAX_OFFSET = 1 << 23,
    HMMA_FMAS = 16 * 8 * 16,    /* of one HMMA since sm_80 */
    MAX_NEIGHBOURS = 64,       /* instructions of the block that are looked back at */
    DUMMY_LOADS = 3,            /* of shared memory, predicated off, before LDGSTS */
    /* registers of a block that become zero one by one; more do in pairs */
    ZEROS_APART = 8,
    MAX_DEPTH = 64,            /* instructions that one user sees through, in a chain */
};

static const GraphNode *node_of(const Selection *s, NodeId id)
{
    return &s->nodes[id];
}

static bool is_result_of(const Selection *s, NodeId id, GraphAction action)
{
    return ptx_node_is(s->graph, id, NODE_RESULT) && node_of(s, id)->action == action;
}

static bool is_constant(const Selection *s, NodeId id)
{
    return ptx_node_is(s->graph, id, NODE_CONSTANT);
}

bool ptx_selection_is_live_out(const Selection *s, NodeId id)
{
    return node_of(s, id)->kind == NODE_RESULT && s->is_read[node_of(s, id)->reg];
}

static bool is_single(const Selection *s, NodeId id)
{
    return node_of(s, id)->use_count == 1 && !ptx_selection_is_live_out(s, id);
}

/* ---- what is live ---------------------------------------------------------------------------- */

typedef struct SelectMarker {
    Selection *s;
    InsnId *stack;
    uint32_t depth;
} SelectMarker;

static void push(SelectMarker *m, InsnId insn)
{
    if (m->s->is_live[insn])
        return;
    m->s->is_live[insn] = true;
    m->stack[m->depth++] = insn;
}

/* The first reader of a register with several definitions brings them all. */
static void read_node(SelectMarker *m, NodeId id)
{
    GraphNode *node = &m->s->nodes[id];
    if (!id || node->use_count++)
        return;
    if (node->kind == NODE_RESULT)
        push(m, node->insn);
    if (node->kind != NODE_LEAF || node->reg == NO_ID || m->s->is_read[node->reg])
        return;
    m->s->is_read[node->reg] = true;
    for (uint32_t d = m->s->defs->first[node->reg]; d < m->s->defs->first[node->reg + 1]; d++)
        push(m, m->s->defs->insns[d]);
}

/* What patterns look into reads its inputs, in which sums are joined; all else its operands. */
static bool has_inputs(const Selection *s, InsnId insn)
{
    const GraphNode *node = node_of(s, s->graph->of_insn[insn]);
    return node->kind == NODE_RESULT && node->insn == insn && node->action;
}

/* A register with several definitions takes over a value that stands for itself. */
static bool is_move(const Selection *s, InsnId insn)
{
    const GraphNode *node = node_of(s, s->graph->of_insn[insn]);
    return s->graph->of_insn[insn] && !(node->kind == NODE_RESULT && node->insn == insn);
}

static void read_insn(SelectMarker *m, InsnId id)
{
    const Graph *g = m->s->graph;
    const Insn *insn = &g->func->insns[id];
    read_node(m, g->of_guard[id]);
    if (is_move(m->s, id)) {
        read_node(m, g->of_insn[id]);
        return;
    }
    const GraphNode *node = node_of(m->s, g->of_insn[id]);
    for (unsigned i = 0; i < 3 && has_inputs(m->s, id); i++)
        read_node(m, node->in[i]);
    for (uint32_t o = 0; o < insn->operand_count && !has_inputs(m->s, id); o++)
        read_node(m, g->of_operand[insn->operand_first + o]);
}

static void mark_live(Selection *s)
{
    const Graph *g = s->graph;
    SelectMarker m = { .s = s,
                       .stack = ptx_arena_array(s->arena, InsnId, g->func->insn_count + 1) };
    for (InsnId i = 0; i < g->func->insn_count; i++)
        if (ptx_block_is_reachable(g->cfg, g->cfg->block_of[i])
            && g->func->insns[i].op->flags & (OPF_SIDE_EFFECT | OPF_UNKNOWN))
            push(&m, i);
    while (m.depth)
        read_insn(&m, m.stack[--m.depth]);
}

/* ---- who reads what -------------------------------------------------------------------------- */

static BlockId common_dominator(Selection *s, BlockId a, BlockId b)
{
    const Dom *dom = s->graph->dom;
    while (!ptx_dom_dominates(dom, a, b)) {
        if (!s->climbs || dom->idom[a] == EXIT_BLOCK)
            return 0;
        s->climbs--;
        a = dom->idom[a];
    }
    return a;
}

BlockId ptx_selection_home(Selection *s, NodeId id, BlockId block)
{
    return common_dominator(s, s->home[id], block);
}

/* Through what costs nothing: a sign, a low half, zeros above, the complement of a predicate. */
static NodeId see_through(const Selection *s, NodeId id)
{
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        const GraphNode *node = node_of(s, id);
        bool is_free = node->kind == NODE_RESULT
                       && (node->action == ACT_SIGN || node->action == ACT_TRUNCATE
                           || (node->action == ACT_EXTEND && node->units == 2 && !node->is_signed)
                           || (node->action == ACT_PREDICATE && !node->in[1]));
        if (!is_free || !node->in[0])
            break;
        id = node->in[0];
    }
    return id;
}

static void demand(Selection *s, NodeId id, BlockId block)
{
    id = see_through(s, id);
    if (!id || is_constant(s, id) || s->use_count == s->use_capacity)
        return;
    s->uses[s->use_count++] = id;
    s->home[id] = s->is_demanded[id] ? common_dominator(s, s->home[id], block) : block;
    s->is_demanded[id] = true;
}

/* Begins what an instruction becomes: demands follow, then rows. */
static Selected begin(Selection *s, InsnId insn, NodeId node, BlockId block)
{
    Selected row = { .insn = insn, .node = node, .use_first = s->use_count };
    demand(s, s->graph->of_guard[insn], block);
    return row;
}

static void add_row(Selection *s, Selected *row, MachineOp machine, double count)
{
    if (s->row_count == s->row_capacity)
        return;
    row->machine = (uint8_t)machine;
    row->count = (float)count;
    row->use_count = (uint16_t)(s->use_count - row->use_first < UINT8_MAX
                                    ? s->use_count - row->use_first
                                    : UINT8_MAX);
    s->rows[s->row_count++] = *row;
    row->use_first = s->use_count;          /* further rows read what the first hands on */
}

static void emit(Selection *s, Selected *row, MachineOp machine, double count)
{
    if (count > 0)
        add_row(s, row, machine, count);
}

void ptx_selection_beside(Selection *s, const Selected *row, MachineOp machine, double count)
{
    Selected beside = *row;
    beside.use_first = s->use_count;
    emit(s, &beside, machine, count);
}

/* Some classes are counted in what an instruction moves or multiplies: shared memory, matrices. */
static double instructions_of(const Op *op, const CostTerm *term)
{
    switch ((MachineOp)term->machine) {
    case MACHINE_SHARED: case MACHINE_MATRIX:
        return 1;
    case MACHINE_TENSOR:
        return op->operation == OP_WMMA_MMA
                   ? fmax((double)term->count, ptx_cost_tensor_fmas(op) / HMMA_FMAS)
                   : (double)term->count;
    default:
        return (double)term->count;
    }
}

/* NULL: no row of the table is for it. */
static const Cost *cost_of(Selection *s, const Op *op)
{
    if (!s->has_cost[op->id]) {
        s->costs[op->id] = ptx_cost_find(op, s->target);
        s->has_cost[op->id] = true;
    }
    return s->costs[op->id];
}

static void emit_cost(Selection *s, Selected *row, const Op *op)
{
    const Cost *cost = cost_of(s, op);
    if (!cost)
        emit(s, row, MACHINE_OTHER, 1);
    for (unsigned t = 0; cost && t < cost->term_count; t++)
        emit(s, row, (MachineOp)cost->terms[t].machine, instructions_of(op, &cost->terms[t]));
}

/* ---- integer arithmetic ---------------------------------------------------------------------- */

/* A product that a sum takes in, of the sum's width. */
static bool is_product(const Selection *s, NodeId id, bool is_wide)
{
    const GraphNode *node = node_of(s, id);
    if (!is_result_of(s, id, ACT_MUL) || node->is_wide != is_wide)
        return false;
    return !is_wide || node_of(s, node->in[0])->units < 2;
}

/* Of two 64-bit factors: its IMAD.WIDE adds 64 bits too. */
static bool is_long_product(const Selection *s, NodeId id, bool is_wide)
{
    return is_result_of(s, id, ACT_MUL) && is_wide && node_of(s, id)->is_wide
           && node_of(s, node_of(s, id)->in[0])->units == 2 && is_single(s, id);
}

static bool is_shifted(const Selection *s, NodeId id, bool is_wide)
{
    /* LEA, LEA.HI */
    bool is_shift = is_result_of(s, id, ACT_SHL)
                    || (is_result_of(s, id, ACT_SHR) && !is_wide && !node_of(s, id)->is_signed);
    return is_shift && node_of(s, id)->is_wide == is_wide && is_constant(s, node_of(s, id)->in[1]);
}

/* A 64-bit pointer that a loop steps by a constant: its halves are added apart, and one moves back
 * into the pair that addresses take. */
static bool is_stepped_pointer(const Selection *s, const GraphNode *node)
{
    const GraphNode *from = node_of(s, node->in[0]);
    return node->is_wide && is_constant(s, node->in[1]) && from->kind == NODE_LEAF
           && from->reg == node->reg && node->reg != NO_ID;
}

static void demand_both(Selection *s, const GraphNode *node, BlockId block)
{
    demand(s, node->in[0], block);
    demand(s, node->in[1], block);
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

static double words_of(const Selection *s, const GraphNode *node)
{
    const GraphNode *a = node_of(s, node->in[0]), *b = node_of(s, node->in[1]);
    if (!node->is_wide)
        return 1;
    unsigned words = !is_free_half(node, a->zeros >= 32, b->zeros >= 32);
    words += !is_free_half(node, a->bits <= 32, b->bits <= 32);
    return words;
}

/* Logic with a constant leaves room for a third input. */
static bool is_masked(const Selection *s, NodeId id)
{
    return is_result_of(s, id, ACT_LOGIC) && is_single(s, id)
           && is_constant(s, node_of(s, id)->in[1]);
}

/* Three inputs fit one LOP3: what another operation of logic made for this one alone is taken
 * in. */
static void select_logic(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    bool took = false, is_turned = is_masked(s, node->in[1]) && !is_masked(s, node->in[0]);
    for (unsigned at = 0; at < 2; at++) {
        unsigned i = is_turned ? 1 - at : at;
        NodeId in = node->in[i];
        bool is_logic = (is_result_of(s, in, ACT_LOGIC) || is_result_of(s, in, ACT_NOT))
                        && is_single(s, in);
        bool fits = is_logic && node_of(s, in)->is_wide == node->is_wide
                    && (!took || is_result_of(s, in, ACT_NOT));
        if (fits)
            demand_both(s, node_of(s, in), block);
        else
            demand(s, in, block);
        took |= fits && is_result_of(s, in, ACT_LOGIC);
    }
    add_row(s, row, MACHINE_ALU, words_of(s, node));
}

/* A factor that a loop finds in a uniform register, beside a constant one: the first operand is no
 * uniform register, so it is moved. */
static bool is_moved_factor(const Selection *s, const GraphNode *sum, const GraphNode *product)
{
    const GraphNode *factor = node_of(s, see_through(s, product->in[0]));
    bool is_made = factor->kind == NODE_RESULT || factor->kind == NODE_LEAF;
    bool is_in_loop = s->defs->loops->loop_of[sum->block] != NO_LOOP;
    return s->target.sm >= 75 && is_in_loop && !sum->is_uniform && factor->is_uniform && is_made
           && is_constant(s, product->in[1]);
}

/* An or that is a sum too, of what logic made for it alone: LOP3 does both, unless a shift made for
 * it alone is there to be taken in. Of two halves it is their pair. */
static bool is_rather_logic(const Selection *s, const GraphNode *node)
{
    bool has_logic = node->is_wide && words_of(s, node) <= 0;
    const Operation operation = (Operation)s->graph->func->insns[node->insn].op->operation;
    if (operation != OP_AND && operation != OP_OR && operation != OP_XOR)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (is_shifted(s, node->in[i], node->is_wide) && is_single(s, node->in[i])
            && words_of(s, node) > 0)
            return false;
        has_logic |= !node->is_wide && is_result_of(s, node->in[i], ACT_LOGIC)
                     && is_single(s, node->in[i]);
    }
    return has_logic;
}

static bool is_loaded(const Selection *s, const GraphNode *node)
{
    return node->kind == NODE_RESULT && s->graph->func->insns[node->insn].op->flags & OPF_LOAD;
}

/* Factors of 16 bits are extended first, but those that are known to be: of a low half all, of a
 * wide product those without zeros above. */
static double extensions_of(const Selection *s, const GraphNode *node, const Op *op)
{
    double count = 0;
    bool is_low = ptx_op_has(op, MOD_LO);
    for (unsigned i = 0; i < 2 && ptx_type_info[op->type].bits == 16; i++)
        count += !is_constant(s, node->in[i])
                         && (is_low
                             || (node_of(s, node->in[i])->bits > 16
                                 && !is_loaded(s, node_of(s, node->in[i]))))
                     ? 1
                     : 0;
    return count;
}

/* IADD3 takes in a sum for this one alone, of what is neither multiplied nor shifted. */
static bool is_third(const Selection *s, const GraphNode *sum, NodeId id)
{
    const GraphNode *node = node_of(s, id);
    bool is_sum = (is_result_of(s, id, ACT_ADD) || is_result_of(s, id, ACT_SUB)) && is_single(s, id)
                  && !sum->is_wide && !node->is_wide;
    for (unsigned i = 0; i < 2 && is_sum; i++)
        is_sum = !is_product(s, node->in[i], false) && !is_shifted(s, node->in[i], false);
    return is_sum;
}

/* Sums of three, products and shifts with what is added. */
static void select_sum(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    /* what is taken away is a product of 16 bits: its sign is changed, and its half taken */
    bool halved = false;
    if (is_rather_logic(s, node)) {
        select_logic(s, row, node, block);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        NodeId in = node->in[i], other = node->in[1 - i];
        bool is_half = is_result_of(s, in, ACT_MUL)
                       && ptx_type_info[s->graph->func->insns[node_of(s, in)->insn].op->type].bits
                              == 16
                       && node->action == ACT_SUB;
        /* a constant factor takes the sign */
        bool is_taken = node->action == ACT_ADD
                        || (i == 1 && !is_half && is_constant(s, node_of(s, in)->in[1]));
        halved |= is_half;
        if (is_taken && is_product(s, in, node->is_wide)) {
            demand_both(s, node_of(s, in), block);
            demand(s, other, block);
            ptx_constants_move_sum(s, node_of(s, in)->in[1], other, false, block);
            ptx_selection_beside(
                s, row, MACHINE_ALU,
                extensions_of(s, node_of(s, in), s->graph->func->insns[node_of(s, in)->insn].op));
            ptx_selection_beside(s, row, MACHINE_MOVE,
                                 is_moved_factor(s, node, node_of(s, in)) ? 1 : 0);
            emit(s, row, node->is_wide ? MACHINE_IMAD_WIDE : MACHINE_IMAD, 1);
            return;
        }
        if (is_taken && is_long_product(s, in, node->is_wide)) {
            demand_both(s, node_of(s, in), block);
            demand(s, other, block);
            emit_cost(s, row, s->graph->func->insns[node_of(s, in)->insn].op);
            return;
        }
    }
    for (unsigned i = 0; i < 4; i++) {              /* shifts before sums */
        NodeId in = node->in[i % 2], other = node->in[1 - i % 2];
        bool is_lea = i < 2 && node->action == ACT_ADD && is_shifted(s, in, node->is_wide);
        if (is_lea || (i >= 2 && is_third(s, node, in))) {
            demand_both(s, node_of(s, in), block);
            demand(s, other, block);
            ptx_constants_move_sum(s, is_lea ? 0 : node_of(s, in)->in[1], other, false, block);
            emit(s, row, MACHINE_IADD, node->is_wide ? 2 : 1);
            return;
        }
    }
    bool is_pair = s->target.sm >= 120;             /* IADD.64 */
    for (unsigned i = 0; i < 2; i++) {
        /* LEA.HI.X.SX32 */
        bool is_extended = is_result_of(s, node->in[i], ACT_EXTEND) && node->is_wide;
        demand(s, is_extended ? node_of(s, node->in[i])->in[0] : node->in[i], block);
        is_pair &= !is_extended
                   && (is_constant(s, node->in[i]) || node_of(s, node->in[i])->bits > 32);
    }
    ptx_selection_beside(s, row, MACHINE_MOVE,
                         (is_stepped_pointer(s, node) && !is_pair) || halved ? 1 : 0);
    ptx_selection_beside(s, row, MACHINE_ALU, halved ? 1 : 0);
    emit(s, row, MACHINE_IADD, node->is_wide && !is_pair ? 2 : 1);
}

static bool is_narrow_factor(const Selection *s, NodeId id)
{
    const GraphNode *node = node_of(s, id);
    return is_result_of(s, id, ACT_EXTEND)
           || (is_constant(s, id) ? node->value >= INT32_MIN && node->value <= UINT32_MAX
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
    const GraphNode *by = node_of(s, node->in[1]);
    for (unsigned i = 0; i < 3; i++)
        demand(s, node->in[i], block);
    if (by->kind != NODE_CONSTANT || !is_power(by->value))
        emit(s, row, MACHINE_IMAD_WIDE, 1);
    emit(s, row, MACHINE_IADD, 2);
}

/* The other half of the product, which stands before it, computes it too. */
static bool comes_with_partner(Selection *s, const GraphNode *node)
{
    bool is_there = node->partner && node_of(s, node->partner)->use_count;
    s->nodes[is_there ? node->partner : 0].is_whole = is_there;
    return is_there;
}

static void select_product(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    ptx_selection_beside(s, row, MACHINE_ALU,
                         extensions_of(s, node, s->graph->func->insns[node->insn].op));
    bool is_full = node->is_wide && node_of(s, node->in[0])->units == 2;
    if (node->action == ACT_MAD && node->is_wide && !is_full && s->target.sm < 120) {
        select_wide_sum(s, row, node, block);
        return;
    }
    bool is_narrow = is_full && is_narrow_factor(s, node->in[0])
                     && is_narrow_factor(s, node->in[1]);
    for (unsigned i = 0; i < 3; i++) {
        bool is_factor = i < 2 && is_narrow && is_result_of(s, node->in[i], ACT_EXTEND);
        demand(s, is_factor ? node_of(s, node->in[i])->in[0] : node->in[i], block);
    }
    if (comes_with_partner(s, node))
        add_row(s, row, MACHINE_IMAD_WIDE, 0);
    else if (is_full && !is_narrow)
        emit_cost(s, row, s->graph->func->insns[node->insn].op);
    else
        emit(s, row, node->is_wide || node->is_whole ? MACHINE_IMAD_WIDE : MACHINE_IMAD, 1);
}

static void select_shift(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    bool is_constant_shift = is_constant(s, node->in[1]);
    int64_t by = node_of(s, node->in[1])->value;
    demand_both(s, node, block);
    bool is_narrow = node->action == ACT_SHR && node_of(s, node->in[0])->bits <= 32;
    if (!node->is_wide || is_narrow || (is_constant_shift && by >= 32))
        emit(s, row, MACHINE_SHIFT, is_constant_shift && by == 32 && !node->is_signed ? 0 : 1);
    else if (is_constant_shift)
        emit(s, row, MACHINE_SHIFT, 2);
    else
        emit_cost(s, row, s->graph->func->insns[node->insn].op);
}

/* ---- the others ------------------------------------------------------------------------------ */

/* Loads extend what they read; a sign takes a shift, a field of fewer bits a mask. */
static void select_extend(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    const GraphNode *in = node_of(s, node->in[0]);
    demand(s, node->in[0], block);
    if (node->units == 2)
        emit(s, row, MACHINE_SHIFT, node->is_signed ? 1 : 0);
    else
        emit(s, row, MACHINE_ALU, is_loaded(s, in) || (!node->is_signed && in->bits <= 16) ? 0 : 1);
}

/* A compare combines with a predicate. */
static void select_predicate(Selection *s, Selected *row, const GraphNode *node, BlockId block)
{
    bool is_combined = false;
    for (unsigned i = 0; i < 2; i++)
        is_combined |= is_result_of(s, node->in[i], ACT_SETP) && is_single(s, node->in[i]);
    demand_both(s, node, block);
    emit(s, row, MACHINE_ALU, is_combined ? 0 : 1);
}

/* A product, or the last one of a quotient, whose readers are all sums: each takes it in. */
static bool is_contracted(const Selection *s, NodeId id)
{
    const GraphNode *node = node_of(s, id);
    bool is_product = is_result_of(s, id, ACT_FMUL) || is_result_of(s, id, ACT_QUOTIENT);
    return is_product && s->sums[id] >= node->use_count && !ptx_selection_is_live_out(s, id)
           && !(s->graph->func->insns[node->insn].op->flags & OPF_ROUNDED);
}

static void count_readers(Selection *s)
{
    for (InsnId i = 0; i < s->graph->func->insn_count; i++) {
        const GraphNode *node = node_of(s, s->graph->of_insn[i]);
        bool is_own = s->is_live[i] && node->kind == NODE_RESULT && node->insn == i;
        bool is_sum = is_own && node->action == ACT_FADD
                      && !(s->graph->func->insns[i].op->flags & OPF_ROUNDED),
             is_test = is_own && node->action == ACT_SETP;
        for (unsigned o = 0; o < 2; o++) {
            s->sums[see_through(s, node->in[o])] += is_sum;
            s->tests[see_through(s, node->in[o])] += is_test;
        }
    }
}

static void select_fadd(Selection *s, Selected *row, const GraphNode *node, BlockId block,
                        const Op *op)
{
    for (unsigned i = 0; i < 2; i++) {
        NodeId in = see_through(s, node->in[i]);
        if (!(op->flags & OPF_ROUNDED) && is_contracted(s, in)) {
            row->is_fused = true;
            if (node_of(s, in)->action == ACT_QUOTIENT)
                /* the reciprocal, and the dividend scaled as the divisor is */
                demand(s, in, block);
            else
                demand_both(s, node_of(s, in), block);
            demand(s, node->in[1 - i], block);
            ptx_constants_move_sum(s, node_of(s, in)->in[1], node->in[1 - i], op->type == TYPE_F64,
                                   block);
            emit_cost(s, row, op);
            return;
        }
    }
    demand_both(s, node, block);
    emit_cost(s, row, op);
}

/* An operation of one instruction for this selection alone: it runs under the predicate, over the
 * other value. */
static bool is_predicable(const Selection *s, NodeId id)
{
    const GraphNode *node = node_of(s, id);
    bool is_fma = node->kind == NODE_RESULT
                  && s->graph->func->insns[node->insn].op->kind == OPK_FMA;
    return node->kind == NODE_RESULT && is_single(s, id)
           && (is_fma || node->action == ACT_FADD || node->action == ACT_FMUL
               || node->action == ACT_ADD);
}

/* A selection for another one alone, of which either selects the same value: it runs under the
 * other's predicate, over that value. */
static bool is_nested_selection(const Selection *s, const GraphNode *outer)
{
    for (unsigned i = 0; i < 2; i++) {
        const GraphNode *inner = node_of(s, outer->in[i]);
        NodeId other = outer->in[1 - i];
        if (is_result_of(s, outer->in[i], ACT_SELECT) && is_single(s, outer->in[i])
            && (inner->in[0] == other || inner->in[1] == other))
            return true;
    }
    return false;
}

/* A conversion of fp32 to itself saturates what the instruction before it can; one that flushes too
 * stays, as a sum with zero. */
static bool is_saturation(const Selection *s, NodeId node, const Op *op)
{
    const GraphNode *in = node_of(s, node);
    const Op *maker = in->kind == NODE_RESULT ? s->graph->func->insns[in->insn].op : NULL;
    return op->operation == OP_CVT && op->type == TYPE_F32 && op->dst_type == TYPE_F32 && maker
           && is_single(s, node) && !ptx_op_has(op, MOD_FTZ)
           && (maker->kind == OPK_FMA || maker->kind == OPK_ADD || maker->kind == OPK_SUB
               || maker->kind == OPK_MUL);
}

/* Whether the divisor is scaled out of place, in all lanes: what reads it after that, but for
 * tests, which come before. */
static bool is_scaled_apart(const Selection *s, const GraphNode *node, const Op *op)
{
    NodeId divisor = node->in[1];
    bool is_kept = node_of(s, divisor)->use_count > s->tests[divisor] + 1
                   || ptx_selection_is_live_out(s, divisor);
    return is_kept && !is_constant(s, divisor) && !ptx_op_has(op, MOD_FTZ);
}

/* Quotients of one divisor share its scaling and reciprocal; half of the products are the
 * dividend's. */
/* One that divides by the same number again needs half of the work on floats. */
static double quotient_count(const CostTerm *term, bool is_shared, bool is_left)
{
    bool is_float = term->machine == MACHINE_FP32;
    double count = (double)term->count;
    if (is_shared)
        count = is_float ? ceil(count / 2) : 0;
    return is_left && is_float ? count - 1 : count;
}

static void select_quotient(Selection *s, Selected *row, NodeId id, BlockId block, const Op *op)
{
    const GraphNode *node = node_of(s, id);
    const Cost *cost = cost_of(s, op);
    bool is_shared = s->nodes[node->in[1]].is_scaled && !is_constant(s, node->in[1]),
         is_left = is_contracted(s, id);
    demand_both(s, node, block);
    row->more_flops = (int8_t)((!is_shared && is_scaled_apart(s, node, op)) - is_left);
    s->nodes[node->in[1]].is_scaled = true;
    for (unsigned t = 0; cost && t < cost->term_count; t++) {
        const CostTerm *term = &cost->terms[t];
        emit(s, row, (MachineOp)term->machine, quotient_count(term, is_shared, is_left));
    }
}

/* Of a division of integers, what is made of the divisor alone. */
static const struct { uint8_t machine, unsigned_count, signed_count; } reciprocal_terms[] = {
    { MACHINE_CVT, 2, 2 }, { MACHINE_XU, 1, 1 }, { MACHINE_IADD, 2, 3 }, { MACHINE_IMAD, 1, 1 }, { MACHINE_IMAD_WIDE, 1, 1 }, { MACHINE_ALU, 1, 3 },
};

static double reciprocal_count(unsigned machine, bool is_signed)
{
    for (size_t t = 0; t < sizeof reciprocal_terms / sizeof *reciprocal_terms; t++)
        if (reciprocal_terms[t].machine == machine)
            return is_signed ? reciprocal_terms[t].signed_count
                             : reciprocal_terms[t].unsigned_count;
    return 0;
}

/* A division by what another block computes, or none: the reciprocal is made once, before
 * loops. */
static bool select_division(Selection *s, Selected *row, const Op *op, BlockId block)
{
    const GraphNode *node = node_of(s, row->node), *by = node_of(s, node->in[1]);
    const Cost *cost = cost_of(s, op);
    bool is_division = row->node && node_of(s, node->in[2])->kind == NODE_RECIPROCAL
                       && s->target.sm >= 70;
    if (!is_division || by->kind == NODE_LEAF || (by->kind == NODE_RESULT && by->block == block))
        return false;
    demand(s, node->in[2], block);
    for (unsigned t = 0; cost && t < cost->term_count; t++)
        emit(s, row, (MachineOp)cost->terms[t].machine,
             (double)cost->terms[t].count
                 - reciprocal_count(cost->terms[t].machine, node->is_signed));
    return true;
}

/* A field at a constant place: a mask, a shift, bytes. */
static bool select_field(Selection *s, Selected *row, const Op *op)
{
    const GraphNode *node = node_of(s, row->node);
    const GraphNode *from = node_of(s, node->in[1]), *length = node_of(s, node->in[2]);
    if (!row->node || op->operation != OP_BFE || from->kind != NODE_CONSTANT
        || length->kind != NODE_CONSTANT || node->is_wide || s->target.sm < 70)
        return false;
    bool is_at_end = from->value + length->value >= 32,
         is_bytes = from->value % 8 == 0 && (length->value == 8 || length->value == 16)
                    && !node->is_signed;
    if (from->value && !is_at_end && !is_bytes)
        return false;
    emit(s, row, is_at_end ? MACHINE_SHIFT : MACHINE_ALU, 1);
    return true;
}

/* A minimum or maximum whose one operand is an integer or float operation with no other use: one
 * machine instruction does both, VIADDMNMX or FMNMX3. */
static bool is_extreme_of(const Selection *s, const Op *op, NodeId id)
{
    bool is_integer = s->target.sm >= 90 && op->type != TYPE_F32 && is_result_of(s, id, ACT_ADD)
                      && !node_of(s, id)->is_wide;
    bool is_float = s->target.sm >= 100 && op->type == TYPE_F32 && is_result_of(s, id, ACT_EXTREME)
                    && s->graph->func->insns[node_of(s, id)->insn].op->opcode == op->opcode;
    return s->target.sm < 120 && is_single(s, id) && (is_integer || is_float);
}

/* No less than zero: a part of the one before. */
static bool is_floor(const Selection *s, const GraphNode *node, const Op *op)
{
    return s->target.sm >= 90 && s->target.sm < 120 && op->type == TYPE_S32
           && op->operation == OP_MAX && is_constant(s, node->in[1])
           && !node_of(s, node->in[1])->value && is_result_of(s, node->in[0], ACT_EXTREME)
           && is_single(s, node->in[0]);
}

static void select_extreme(Selection *s, Selected *row, const GraphNode *node, BlockId block,
                           const Op *op)
{
    bool took = false;
    for (unsigned i = 0; i < 3; i++) {
        bool takes = !took && is_extreme_of(s, op, node->in[i]);
        took |= takes;
        if (takes)
            demand_both(s, node_of(s, node->in[i]), block);
        else
            demand(s, node->in[i], block);
    }
    if (is_floor(s, node, op))
        add_row(s, row, MACHINE_ALU, 0);
    else
        emit_cost(s, row, op);
}

/* LOP3 says whether its result is zero. */
static bool is_zero_test(const Selection *s, const GraphNode *node, const Op *op)
{
    return is_result_of(s, node->in[0], ACT_LOGIC) && is_single(s, node->in[0]) && !node->is_wide
           && !node->in[2] && is_constant(s, node->in[1]) && !node_of(s, node->in[1])->value
           && (ptx_op_has(op, MOD_EQ) || ptx_op_has(op, MOD_NE));
}

/* A rounding to tf32 leaves the mask of its low bits to the matrix multiply-add that reads it. */
static void select_rounding(Selection *s, Selected *row, const GraphNode *node, const Op *op)
{
    const Cost *cost = cost_of(s, op);
    bool is_bare = node->is_fragment && op->dst_type == TYPE_TF32;
    for (unsigned t = 0; cost && is_bare && t < cost->term_count; t++)
        emit(s, row, (MachineOp)cost->terms[t].machine,
             (double)cost->terms[t].count - (cost->terms[t].machine == MACHINE_ALU ? 1 : 0));
    if (!is_bare)
        emit_cost(s, row, op);
}

static void select_node(Selection *s, InsnId id, NodeId node_id, BlockId block)
{
    const GraphNode *node = node_of(s, node_id);
    const Op *op = s->graph->func->insns[id].op;
    Selected row = begin(s, id, node_id, block);
    switch ((GraphAction)node->action) {
    case ACT_ADD: case ACT_SUB:         select_sum(s, &row, node, block); break;
    case ACT_MUL: case ACT_MAD:         select_product(s, &row, node, block); break;
    case ACT_SHL: case ACT_SHR:         select_shift(s, &row, node, block); break;
    case ACT_LOGIC: case ACT_NOT:       select_logic(s, &row, node, block); break;
    case ACT_EXTEND:                    select_extend(s, &row, node, block); break;
    case ACT_PREDICATE:                 select_predicate(s, &row, node, block); break;
    case ACT_SELECT:
        if (is_nested_selection(s, node)
            || (!node->is_wide
                && (is_predicable(s, node->in[0]) || is_predicable(s, node->in[1])))) {
            for (unsigned i = 0; i < 3; i++)
                demand(s, node->in[i], block);
            add_row(s, &row, MACHINE_ALU, 0);
            break;
        }
        /* fall through */
    case ACT_SETP:
        if (is_zero_test(s, node, op)) {
            demand_both(s, node, block);
            add_row(s, &row, MACHINE_ALU, 0);
            break;
        }
        for (unsigned i = 0; i < 3; i++)
            demand(s, node->in[i], block);
        if (node->is_wide && node->action == ACT_SELECT)
            emit(s, &row, MACHINE_ALU, words_of(s, node));
        else
            emit_cost(s, &row, op);
        break;
    case ACT_EXTREME:                   select_extreme(s, &row, node, block, op); break;
    case ACT_FADD:                      select_fadd(s, &row, node, block, op); break;
    case ACT_QUOTIENT:
        select_quotient(s, &row, node_id, block, op);
        break;
    case ACT_ANGLE:
        demand(s, node->in[0], block);
        emit(s, &row, MACHINE_FP32, s->nodes[node->in[0]].is_scaled ? 0 : 1);
        emit(s, &row, MACHINE_XU, 1);
        s->nodes[node->in[0]].is_scaled = true;
        break;
    default:
        for (unsigned i = 0; i < 3; i++)
            demand(s, node->in[i], block);
        emit_cost(s, &row, op);
    }
}

/* An address without its constant offset. */
static NodeId base_of(const Selection *s, NodeId id, int64_t *offset)
{
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        const GraphNode *node = node_of(s, id), *by = node_of(s, node->in[1]);
        if (!is_result_of(s, id, ACT_ADD) || by->kind != NODE_CONSTANT || by->value <= -MAX_OFFSET
            || by->value >= MAX_OFFSET)
            break;
        *offset += by->value;
        id = node->in[0];
    }
    return id;
}

/* Up to sm_89 accesses to shared memory multiply the index by 4, 8 or 16. */
static NodeId unscaled(const Selection *s, NodeId id)
{
    const GraphNode *node = node_of(s, id), *by = node_of(s, node->in[1]);
    bool is_scaled = is_result_of(s, id, ACT_SHL) && !node->is_wide && by->kind == NODE_CONSTANT
                     && by->value >= 2 && by->value <= 4;
    return is_scaled ? node->in[0] : id;
}

static bool is_address_of(const Selection *s, NodeId id)
{
    const GraphNode *node = node_of(s, id);
    return node->kind == NODE_VARIABLE
           || (is_result_of(s, id, ACT_COPY) && node_of(s, node->in[0])->kind == NODE_VARIABLE);
}

/* The offset is a part of the instruction; shared memory also adds what is uniform. */
static void demand_address(Selection *s, NodeId id, Space space, BlockId block)
{
    bool is_shared = ptx_space_is_own_shared((uint8_t)space),
         is_scaling = is_shared && s->target.sm >= 75 && s->target.sm < 90;
    int64_t offset = 0;
    id = base_of(s, id, &offset);
    const GraphNode *node = node_of(s, id);
    if (space == SPACE_CONST && is_result_of(s, id, ACT_ADD))
        for (unsigned i = 0; i < 2; i++)
            /* LDC takes an index of 32 bits, and where the variable begins */
            if (is_address_of(s, node->in[i])) {
                demand(s, node->in[1 - i], block);
                return;
            }
    bool is_sum = is_result_of(s, id, ACT_ADD) && is_shared && s->target.sm >= 75;
    unsigned uniform = is_sum && node_of(s, node->in[0])->is_uniform ? 0 : 1;
    if (!is_sum || !node_of(s, node->in[uniform])->is_uniform) {
        if (!is_scaling || node->kind != NODE_VARIABLE)     /* an offset */
            demand(s, is_scaling ? unscaled(s, id) : id, block);
        return;
    }
    if (!is_scaling || node_of(s, node->in[uniform])->kind != NODE_VARIABLE)
        demand(s, node->in[uniform], block);
    NodeId varying = base_of(s, node->in[1 - uniform], &offset);
    demand(s, is_scaling ? unscaled(s, varying) : varying, block);
}

/* ---- neighbouring loads ---------------------------------------------------------------------- */

/* Instructions for the bytes of a chunk: 16, 8 and 4 at a time. */
static unsigned loads_for(unsigned bytes)
{
    unsigned count = 0;
    if (bytes == 0xffff)
        return 1;
    for (unsigned half = bytes; half; half >>= 8) {
        bool is_whole = (half & 0xff) == 0xff;
        count += is_whole || half & 0x0f;
        count += !is_whole && half & 0xf0;
    }
    return count;
}

static void end_joins(Selection *s, const Insn *insn)
{
    uint8_t written = ptx_effect_writes(insn->op);
    for (uint32_t j = 0; written && j < s->join_count; j++)
        if (written & ptx_effect_memory((Space)s->joins[j].space))
            s->joins[j--] = s->joins[--s->join_count];
}

/* A wider access through the same base shows how it is aligned: one that is not aligned is
 * undefined (PTX ISA, "Addresses as Operands"). */
static void note_alignment(Selection *s, InsnId id)
{
    const Insn *insn = &s->graph->func->insns[id];
    const Operand *address = ptx_insn_is_access(insn) ? ptx_effect_address(s->graph->func, insn)
                                                      : NULL;
    if (!address || insn->access_bytes < 8 || insn->access_bytes > JOIN_BYTES
        || address->kind != OPERAND_REG)
        return;
    int64_t offset = address->value;
    NodeId base = base_of(s, s->graph->of_operand[address - s->graph->func->operands], &offset);
    uint8_t zeros = insn->access_bytes == 16 ? 4 : 3;
    if (base && offset % insn->access_bytes == 0 && s->nodes[base].zeros < zeros)
        s->nodes[base].zeros = zeros;
}

/* Whether a load goes with one behind it; else it begins a chunk of its own. */
/* The widest load that may begin at an address with as many low bits of zero. */
static int64_t vector_bytes(unsigned zeros)
{
    if (zeros >= 4)
        return 16;
    return zeros == 3 ? 8 : 4;
}

static bool join_load(Selection *s, const Insn *insn, NodeId address, const Operand *operand)
{
    int64_t offset = operand->kind == OPERAND_VAR || operand->kind == OPERAND_REG ? operand->value
                                                                                  : 0;
    NodeId base = base_of(s, address, &offset);
    int64_t size = vector_bytes(node_of(s, base)->zeros);
    int64_t at = offset % size + (offset % size < 0 ? size : 0), chunk = (offset - at) / size;
    if (insn->access_bytes < 4 || insn->access_bytes >= size)
        return false;
    unsigned bytes = ((1u << insn->access_bytes) - 1) << at;
    for (uint32_t j = 0; j < s->join_count; j++) {
        Join *join = &s->joins[j];
        if (join->base != base || join->chunk != chunk || join->space != insn->op->space)
            continue;
        join->bytes = (uint16_t)(join->bytes | bytes);
        s->rows[join->row].count = (float)loads_for(join->bytes);
        return true;
    }
    if (s->join_count < MAX_JOINS)
        s->joins[s->join_count++] = (Join){ base, chunk, s->row_count, (uint16_t)bytes,
                                            insn->op->space };
    return false;
}

/* ---- local memory ---------------------------------------------------------------------------- */

/* Read off the machine code of ptxas 13.0 for sm_90, of arrays of 4 to 256 words with 1 to 16
 * indexed accesses. */
enum {
    MAX_ELEMENTS = 64,
    MAX_INDEXED = 6,
    ELEMENTS_FEW = 8,
    INDEXED_MOST_OF_FEW = 12,
    WARP_LINES = 32
};

static NodeId address_of(const Selection *s, const Insn *insn)
{
    const Operand *address = ptx_effect_address(s->graph->func, insn);
    return address ? s->graph->of_operand[address - s->graph->func->operands] : 0;
}

/* Of the array that an address lies in; 0: not known. */
static uint64_t bytes_around(const Selection *s, NodeId id)
{
    int64_t offset = 0;
    const GraphNode *base = node_of(s, base_of(s, id, &offset));
    if (base->kind == NODE_RESULT && base->action == ACT_COPY)     /* into a register of 64 bits */
        base = node_of(s, base->in[0]);
    return base->kind == NODE_VARIABLE ? s->graph->module->vars[base->var].bytes : 0;
}

/* ptxas keeps an array in registers where few accesses are indexed, none in a loop. */
static void find_local(Selection *s, const Loops *loops)
{
    const Graph *g = s->graph;
    uint32_t indexed = 0, width = UINT32_MAX;
    uint64_t bytes = 0;
    bool is_in_loop = false;
    for (InsnId i = 0; i < g->func->insn_count; i++) {
        const Insn *insn = &g->func->insns[i];
        if (!s->is_live[i] || insn->op->space != SPACE_LOCAL || !insn->access_bytes)
            continue;
        uint32_t each = insn->access_bytes / (insn->op->vector > 1 ? insn->op->vector : 1u);
        width = each && each < width ? each : width;
        uint64_t around = bytes_around(s, address_of(s, insn));
        bytes = around > bytes ? around : bytes;
        if (around)
            continue;
        indexed += insn->op->kind == OPK_ST ? 2 : 1;
        is_in_loop |= loops->loop_of[g->cfg->block_of[i]] != NO_LOOP;
    }
    if (width == UINT32_MAX)
        return;
    s->local_elements = (uint32_t)(bytes / width < UINT16_MAX ? bytes / width : UINT16_MAX);
    s->has_local = is_in_loop || g->func->has_calls || s->local_elements > MAX_ELEMENTS
                   || indexed
                          > (s->local_elements <= ELEMENTS_FEW ? INDEXED_MOST_OF_FEW : MAX_INDEXED);
}

/* Lanes have a line for each word; an index takes each of them to another. */
static bool select_local(Selection *s, Selected *row, const Insn *insn)
{
    bool is_fixed = bytes_around(s, address_of(s, insn)) > 0;     /* else an index decides */
    uint32_t words = ptx_u32_max(insn->access_bytes / 4u, 1u),
             places = is_fixed ? 1 : ptx_u32_min(s->local_elements, WARP_LINES);
    if (!s->local_elements || insn->op->space != SPACE_LOCAL || !insn->access_bytes)
        return false;
    if (s->has_local) {
        row->lines = (uint8_t)ptx_u32_min(words * places, UINT8_MAX);
        add_row(s, row, MACHINE_GLOBAL, 1);
    } else if (is_fixed) {
        add_row(s, row, MACHINE_MOVE, 0);
    } else {
        add_row(s, row, MACHINE_ALU, s->local_elements);        /* compare with each index, */
        /* and take the register under that predicate */
        ptx_selection_beside(s, row, MACHINE_MOVE, s->local_elements);
    }
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Moves into the registers that a store takes: of zeros, and in a vector of what stands there
 * twice. */
static double moves_for(const Selection *s, const Insn *insn)
{
    const Graph *g = s->graph;
    const Operand *operands = ptx_insn_operands(g->func, insn);
    double moves = 0, zeros = 0;
    unsigned values = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        NodeId in = operands[o].role & ROLE_ADDRESS ? 0 : g->of_operand[insn->operand_first + o];
        if (!in)
            continue;
        values++;
        bool is_zero = is_constant(s, in) && !node_of(s, in)->value, is_again = false;
        for (uint32_t before = 0; before < o && !is_zero; before++)
            is_again |= !(operands[before].role & ROLE_ADDRESS)
                        && g->of_operand[insn->operand_first + before] == in;
        zeros += is_zero ? 0.5 : 0;     /* CS2R makes two */
        moves += is_again ? 1 : 0;
    }
    return 2 * zeros >= values ? moves : moves + zeros;
}

static bool is_global(const Op *op)
{
    return op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC;
}

/* Lanes find their places in a matrix of 16 x 16 in memory; where it lies the other way than the
 * product takes it, each quarter is turned (MOVM). */
static void place_fragment(Selection *s, const Selected *row, const Op *op)
{
    bool is_load = op->operation == OP_WMMA_LOAD, is_store = op->operation == OP_WMMA_STORE;
    if ((!is_load && !is_store) || !is_global(op))
        return;
    bool is_turned = is_load
                     && ((ptx_op_has(op, MOD_A) && ptx_op_has(op, MOD_COL))
                         || (ptx_op_has(op, MOD_B) && ptx_op_has(op, MOD_ROW)));
    ptx_selection_beside(s, row, MACHINE_IMAD_WIDE, 1);
    ptx_selection_beside(s, row, MACHINE_IADD, 2);
    ptx_selection_beside(s, row, MACHINE_OTHER, is_turned ? 4 : 0);
}

static bool is_copy(const Op *op)
{
    return op->kind == OPK_CP_ASYNC && op->space;
}

/* Whether the block's copies to shared memory begin here anew: after a barrier, or an access to
 * shared memory. */
static bool begins_copies(const Selection *s, InsnId id, BlockId block)
{
    const Func *func = s->graph->func;
    InsnId first = s->graph->cfg->blocks[block].first;
    for (InsnId i = id; i-- > first && id - i < MAX_NEIGHBOURS;) {
        const Op *op = func->insns[i].op;
        if (is_copy(op))
            return false;
        if (op->insn_class == CLASS_BARRIER || op->insn_class == CLASS_SHARED)
            return true;
    }
    return s->target.sm >= 90 || block > 0;
}

/* A return behind an access under a guard: lanes that the guard turns off leave before it. */
static bool leaves_before(const Selection *s, InsnId id, BlockId block)
{
    const Graph *g = s->graph;
    if (g->func->insns[id].op->kind != OPK_RET || g->of_guard[id])
        return false;
    for (InsnId i = id; i-- > g->cfg->blocks[block].first;)
        if (s->is_live[i] && !g->is_gone[i] && g->func->insns[i].op->flags & OPF_SIDE_EFFECT)
            return g->of_guard[i] && g->func->insns[i].op->flags & OPF_STORE;
    return false;
}

/* What the load does that another joins. */
static MachineOp joined_load(uint8_t space)
{
    if (ptx_space_is_own_shared(space))
        return MACHINE_SHARED;
    return space ? MACHINE_GLOBAL : MACHINE_IMAD_WIDE;
}

static void select_other(Selection *s, InsnId id, BlockId block)
{
    const Graph *g = s->graph;
    const Insn *insn = &g->func->insns[id];
    Selected row = begin(s, id, g->of_insn[id], block);
    const Operand *address = ptx_effect_is_plain(insn->op) ? ptx_effect_address(g->func, insn)
                                                           : NULL;
    bool is_joined = false;
    end_joins(s, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        NodeId in = g->of_operand[insn->operand_first + o];
        if (in && g->func->operands[insn->operand_first + o].role & ROLE_ADDRESS)
            demand_address(s, in, (Space)insn->op->space, block);
        else if (in)
            demand(s, in, block);
        s->nodes[in].is_fragment |= insn->op->insn_class == CLASS_TENSOR;
    }
    if (address && insn->op->kind == OPK_LD && !g->of_guard[id])
        is_joined = join_load(s, insn, g->of_operand[address - g->func->operands], address);
    s->has_global |= is_global(insn->op);
    bool is_gathered_first = ptx_atomic_gather(s, &row, insn);
    place_fragment(s, &row, insn->op);
    if (insn->op->kind == OPK_MOV && g->of_guard[id] && row.node && insn->operand_count == 2)
        ptx_selection_beside(s, &row, MACHINE_MOVE,
                             node_of(s, row.node)->units == 2 && s->target.sm < 120 ? 2 : 1);
    if (is_copy(insn->op) && begins_copies(s, id, block))
        ptx_selection_beside(s, &row, MACHINE_OTHER, DUMMY_LOADS);
    bool is_stored = insn->op->kind == OPK_ST
                         ? insn->op->space != SPACE_PARAM && insn->op->space != SPACE_LOCAL
                         : insn->op->kind == OPK_ATOM || insn->op->kind == OPK_RED;
    if (is_stored && !is_gathered_first)
        ptx_selection_beside(s, &row, MACHINE_MOVE, moves_for(s, insn));
    ptx_selection_beside(s, &row, MACHINE_BRANCH, leaves_before(s, id, block) ? 1 : 0);
    ptx_selection_beside(
        s, &row, MACHINE_ALU,
        insn->op->operation == OP_MUL ? extensions_of(s, node_of(s, row.node), insn->op) : 0);
    if (select_local(s, &row, insn) || select_field(s, &row, insn->op)
        || select_division(s, &row, insn->op, block))
        return;
    is_joined |= row.node && comes_with_partner(s, node_of(s, row.node));
    if (is_joined)
        add_row(s, &row, joined_load(insn->op->space), 0);
    else if (insn->operand_count != 2
             || !is_saturation(s, g->of_operand[insn->operand_first + 1], insn->op))
        select_rounding(s, &row, node_of(s, row.node), insn->op);
}

/* Its neighbours hold what is written together with it. */
static bool is_in_vector(const Selection *s, RegId reg)
{
    for (uint32_t d = s->defs->first[reg]; d < s->defs->first[reg + 1]; d++) {
        const Insn *insn = &s->graph->func->insns[s->defs->insns[d]];
        const Operand *operands = ptx_insn_operands(s->graph->func, insn);
        if (insn->operand_count > 1 && operands[0].role & ROLE_DEF && operands[1].role & ROLE_DEF)
            return true;
    }
    return false;
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
    const GraphNode *node = node_of(s, source);
    Selected row = begin(s, id, 0, block);
    RegId reg = ptx_insn_operands(s->graph->func, &s->graph->func->insns[id])->id;
    bool is_made_there = (node->kind == NODE_RESULT || node->kind == NODE_SREG)
                         && !is_kept(s, see_through(s, source), reg, block);
    demand(s, source, block);
    unsigned units = ptx_reg_units(&s->graph->func->regs[reg]);
    bool is_pair = units == 2 && s->target.sm >= 120;
    bool is_zero = node->kind == NODE_CONSTANT && !node->value;
    s->zero_count += is_zero ? units : 0;
    /* CS2R makes two */
    double each = is_zero && (s->zero_count > ZEROS_APART || is_in_vector(s, reg)) ? 0.5 : 1;
    double moves = is_pair ? 1 : units * each;
    emit(s, &row, MACHINE_MOVE, is_made_there ? 0 : moves);
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
    const GraphNode *n = node_of(s, node);
    if (is_move(s, id)) {
        copy.node = 0;
        select_move(s, id, block);
    } else if (node && n->action) {
        if (!s->is_demanded[node] && g->def_count[n->reg] == 1)
            return;
        select_node(s, id, node, block);
    } else if (!is_fall_through(g, id, block)) {
        select_other(s, id, block);
    }
    if (s->row_count > first)
        ptx_constants_move(s, id, block);
    else if (node)
        add_row(s, &copy, MACHINE_MOVE, 0);     /* what it reads goes on under another name */
    for (uint32_t last = s->row_count; first + 1 < last; first++) {      /* rows stand in reverse */
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
    const GraphNode *node = node_of(s, id);
    int64_t most = node->var != NO_ID && s->target.sm >= 100 ? 16 : 8;
    int64_t first = node->value < 0 ? node->value : node->value - node->value % most;
    for (int64_t place = first; place < node->value && node->units == 1; place += 4) {
        NodeId other = ptx_graph_bank(s->graph, node->var, place, 1);
        if (other && s->is_demanded[other] && s->home[other] == s->home[id])
            return true;
    }
    return false;
}

/* Since sm_90 what is in a constant bank is loaded first; before, it is an operand. */
static void select_source(Selection *s, NodeId id)
{
    const GraphNode *node = node_of(s, id);
    Selected row = { .insn = NO_ID, .node = id, .use_first = s->use_count };
    if (node->kind == NODE_BANK && s->target.sm >= 90)
        add_row(s, &row, MACHINE_CONST, is_loaded_beside(s, id) ? 0 : 1);
    if (node->moves)
        emit(s, &row, MACHINE_MOVE, node->moves);
    if (node->kind == NODE_SREG)
        emit(s, &row, MACHINE_MOVE, 1);
    if (node->kind == NODE_RECIPROCAL) {
        /* the first reads the divisor */
        for (size_t t = sizeof reciprocal_terms / sizeof *reciprocal_terms; t-- > 0;) {
            if (!t)
                demand(s, (NodeId)(node->value / 2), s->home[id]);
            emit(s, &row, (MachineOp)reciprocal_terms[t].machine,
                 reciprocal_count(reciprocal_terms[t].machine, node->value % 2));
        }
    }
    if (node->kind == NODE_VARIABLE
        && ptx_space_is_own_shared(s->graph->module->vars[node->var].space) && s->target.sm >= 90) {
        /* the base of the CTA's shared memory in its cluster */
        emit(s, &row, MACHINE_MOVE, s->has_shared ? 0 : 2);
        emit(s, &row, MACHINE_IADD, 1);
        s->has_shared = true;
    } else if (node->kind == NODE_VARIABLE) {
        emit(s, &row, MACHINE_MOVE, 1);
    }
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
    s->row_capacity = COST_TERMS * func->insn_count + nodes;
    s->use_capacity = 2 * func->operand_count + 8 * func->insn_count;
    s->climbs = CLIMBS_PER_NODE * nodes;
    s->has_cost = ptx_arena_array(arena, bool, graph->module->op_count + 1);
    s->costs = ptx_arena_array(arena, const Cost *, graph->module->op_count + 1);
    s->is_live = ptx_arena_array(arena, bool, func->insn_count + 1);
    s->is_demanded = ptx_arena_array(arena, bool, nodes);
    s->home = ptx_arena_array(arena, BlockId, nodes);
    s->rows = ptx_arena_array(arena, Selected, s->row_capacity + 1);
    s->uses = ptx_arena_array(arena, NodeId, s->use_capacity + 1);
    s->is_read = ptx_arena_array(arena, bool, func->reg_count + 1);
    s->sums = ptx_arena_array(arena, uint32_t, nodes);
    s->tests = ptx_arena_array(arena, uint32_t, nodes);
    mark_live(s);
    count_readers(s);
    for (InsnId i = 0; i < func->insn_count; i++)
        if (s->is_live[i])
            note_alignment(s, i);
    find_local(s, loops);
    for (uint32_t b = graph->cfg->rpo_count; b-- > 0;) {
        BlockId block = graph->cfg->rpo[b];
        s->join_count = s->zero_count = 0;
        for (InsnId i = graph->cfg->blocks[block].end; i-- > graph->cfg->blocks[block].first;)
            select_insn(s, i, block);
    }
    for (NodeId n = 1; n < nodes; n++)
        if (s->is_demanded[n])
            select_source(s, n);
    return s;
}
