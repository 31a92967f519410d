#include "analysis/sass/select_rows.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/arena.h"

bool ptx_selection_is_live_out(const Selection *s, NodeId id)
{
    return ptx_node_of(s, id)->kind == NODE_RESULT && s->is_read[ptx_node_of(s, id)->reg];
}

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
    const GraphNode *node = ptx_node_of(s, s->graph->of_insn[insn]);
    return node->kind == NODE_RESULT && node->insn == insn && node->action;
}

/* A register with several definitions takes over a value that stands for itself. */
bool ptx_select_is_move(const Selection *s, InsnId insn)
{
    const GraphNode *node = ptx_node_of(s, s->graph->of_insn[insn]);
    return s->graph->of_insn[insn] && !(node->kind == NODE_RESULT && node->insn == insn);
}

static void read_live_uses(SelectMarker *m, InsnId id)
{
    const Graph *g = m->s->graph;
    const Insn *insn = &g->func->insns[id];
    read_node(m, g->of_guard[id]);
    if (ptx_select_is_move(m->s, id)) {
        read_node(m, g->of_insn[id]);
        return;
    }
    const GraphNode *node = ptx_node_of(m->s, g->of_insn[id]);
    for (unsigned i = 0; i < 3 && has_inputs(m->s, id); i++)
        read_node(m, node->in[i]);
    for (uint32_t o = 0; o < insn->operand_count && !has_inputs(m->s, id); o++)
        read_node(m, g->of_operand[insn->operand_first + o]);
}

void ptx_select_mark_live(Selection *s)
{
    const Graph *g = s->graph;
    SelectMarker m = { .s = s,
                       .stack = ptx_arena_array(s->arena, InsnId, g->func->insn_count + 1) };
    for (InsnId i = 0; i < g->func->insn_count; i++)
        if (ptx_block_is_reachable(g->cfg, g->cfg->block_of[i])
            && g->func->insns[i].op->flags & (OPF_SIDE_EFFECT | OPF_UNKNOWN))
            push(&m, i);
    while (m.depth)
        read_live_uses(&m, m.stack[--m.depth]);
}
