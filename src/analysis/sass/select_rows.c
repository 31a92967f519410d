#include "analysis/sass/select_rows.h"

#include "analysis/flow/dom.h"
#include "gpu/costs.h"
#include "isa/isa.h"

#include <math.h>

enum {
    HMMA_FMAS = 16 * 8 * 16, /* of one HMMA since sm_80 */
    TF32_FMAS = 16 * 8 * 4,  /* that wmma becomes; mma has more */
};

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
NodeId ptx_select_see_through(const Selection *s, NodeId id)
{
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        const GraphNode *node = ptx_node_of(s, id);
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

void ptx_select_demand(Selection *s, NodeId id, BlockId block)
{
    id = ptx_select_see_through(s, id);
    if (!id || ptx_node_is_constant(s, id) || s->use_count == s->most_uses)
        return;
    if (s->use_count == s->use_capacity)
        s->uses = ptx_arena_grow(s->arena, s->uses, s->use_count, &s->use_capacity,
                                 sizeof *s->uses);
    s->uses[s->use_count++] = id;
    s->home[id] = s->is_demanded[id] ? common_dominator(s, s->home[id], block) : block;
    s->is_demanded[id] = true;
}

/* Begins what an instruction becomes: demands follow, then rows. */
Selected ptx_select_begin(Selection *s, InsnId insn, NodeId node, BlockId block)
{
    Selected row = { .insn = insn, .node = node, .use_first = s->use_count };
    ptx_select_demand(s, s->graph->of_guard[insn], block);
    return row;
}

void ptx_select_add_row(Selection *s, Selected *row, MachineOp machine, double count)
{
    if (s->row_count == s->most_rows)
        return;
    if (s->row_count == s->row_capacity)
        s->rows = ptx_arena_grow(s->arena, s->rows, s->row_count, &s->row_capacity,
                                 sizeof *s->rows);
    row->machine = (uint8_t)machine;
    row->count = (float)count;
    row->use_count =
        (uint16_t)(s->use_count - row->use_first < UINT8_MAX ? s->use_count - row->use_first
                                                             : UINT8_MAX);
    s->rows[s->row_count++] = *row;
    row->use_first = s->use_count; /* further rows read what the first hands on */
}

void ptx_select_emit(Selection *s, Selected *row, MachineOp machine, double count)
{
    if (count > 0)
        ptx_select_add_row(s, row, machine, count);
}

void ptx_selection_beside(Selection *s, const Selected *row, MachineOp machine, double count)
{
    Selected beside = *row;
    beside.use_first = s->use_count;
    ptx_select_emit(s, &beside, machine, count);
}

static double fmas_of_wmma(const Op *op)
{
    for (unsigned t = 0; t < op->type_count; t++)
        if (op->types[t] == TYPE_TF32)
            return TF32_FMAS;
    return HMMA_FMAS;
}

/* Some classes are counted in what an instruction moves or multiplies: shared memory, matrices. */
static double instructions_of(const Op *op, const CostTerm *term)
{
    switch ((MachineOp)term->machine) {
    case MACHINE_SHARED:
    case MACHINE_MATRIX:
        return 1;
    case MACHINE_TENSOR:
        return op->operation == OP_WMMA_MMA
                   ? fmax((double)term->count, ptx_cost_tensor_fmas(op) / fmas_of_wmma(op))
                   : (double)term->count;
    default:
        return (double)term->count;
    }
}

/* NULL: no row of the table is for it. */
const Cost *ptx_select_cost(Selection *s, const Op *op)
{
    if (!s->has_cost[op->id]) {
        s->costs[op->id] = ptx_cost_find(op, s->target);
        s->has_cost[op->id] = true;
    }
    return s->costs[op->id];
}

void ptx_select_cost_rows(Selection *s, Selected *row, const Op *op)
{
    const Cost *cost = ptx_select_cost(s, op);
    if (!cost)
        ptx_select_emit(s, row, MACHINE_OTHER, 1);
    for (unsigned t = 0; cost && t < cost->term_count; t++)
        ptx_select_emit(s, row, (MachineOp)cost->terms[t].machine,
                        instructions_of(op, &cost->terms[t]));
}
