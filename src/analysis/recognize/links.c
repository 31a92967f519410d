/* The edges between what is recognised: which of it what an instruction needs was made by.
 *
 * From each instruction of a component the dependences are followed back, through instructions that
 * are of no component, to those that are, and to the indices of the grid. On the way it is noted
 * what the value is needed for. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINK_STEPS_PER_INSN = 1024, /* dependences of a function that are followed, */
    LINK_STEPS_FLOOR = 1 << 16,         /* and so many more */
    GRID_COMPONENTS = 3
};

/* What a value is needed for. */
typedef enum Need {
    NEED_VALUE,
    NEED_SUBSCRIPT,
    NEED_CONDITION,
    NEED_BOUND,                 /* a condition that ends a loop or the grid; its subscripts */
    NEED__COUNT
} Need;

typedef struct NeedVisit {
    InsnId insn;
    uint8_t need;               /* Need */
} NeedVisit;

typedef struct LinkWalk {
    Recognizer *r;
    Dependences all;            /* with memory */
    uint32_t *first;            /* per instruction and one more: into all.items */
    const uint32_t *row_of;     /* per number of an item: its row */
    uint32_t *stamps;           /* per instruction and Need: of the last row that was there */
    NeedVisit *stack;
    uint32_t stack_count;
    uint32_t row;               /* in hand */
    uint8_t *found;             /* per node: bits of LinkKind and of memory */
    uint32_t *nodes;            /* that were found */
    uint32_t node_count;
    uint64_t budget;
    RecognizedLink *links;
    uint32_t count, capacity;
} LinkWalk;

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t row_of_insn(const LinkWalk *w, InsnId id)
{
    const uint32_t owner = w->r->owner[id];
    return owner ? w->row_of[owner - 1] : NO_ID;
}

static bool is_index_row(const LinkWalk *w, uint32_t node)
{
    if (node >= w->r->count)
        return true;
    const uint8_t class = w->r->items[node].class;
    return class == RECOGNIZED_LINEAR || class == RECOGNIZED_POLYNOMIAL
           || class == RECOGNIZED_GEOMETRIC;
}

static LinkKind kind_of_need(Need need, bool is_index)
{
    if (need == NEED_VALUE || (need == NEED_SUBSCRIPT && !is_index))
        return LINK_FLOW;
    if (need == NEED_CONDITION || (need == NEED_BOUND && !is_index))
        return LINK_CONTROL;
    return LINK_STRUCTURAL;
}

static void find_node(LinkWalk *w, uint32_t node, uint8_t bit)
{
    if (node == NO_ID || node == w->row)
        return;
    if (!w->found[node])
        w->nodes[w->node_count++] = node;
    w->found[node] |= bit;
}

static void find_grid_index(LinkWalk *w, const Operand *operand, Need need)
{
    bool is_thread = operand->id == SREG_TID;
    if (operand->kind != OPERAND_SREG || (!is_thread && operand->id != SREG_CTAID)
        || ptx_operand_value(operand) < 0 || ptx_operand_value(operand) >= GRID_COMPONENTS)
        return;
    const uint32_t first = is_thread ? 0 : GRID_COMPONENTS;
    find_node(w, w->r->count + first + (uint32_t)ptx_operand_value(operand),
              (uint8_t)(1u << kind_of_need(need, true)));
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool is_same_in_grid(const Symbols *s, SymId id)
{
    const Sym *sym = ptx_sym(s, id);
    return !(sym->uses & (USES_THREAD | USES_OPAQUE)) && sym->scope == NO_LOOP;
}

/* The grid's index is compared by order with what is the same for all. */
static bool is_bound_of_grid(const LinkWalk *w, InsnId id)
{
    if (!w->r->has_arrays)
        return false;
    const Symbols *s = ptx_ssa_symbols(w->r->reader.ssa);
    const Sym *sym = ptx_sym(s, ptx_ssa_guard(w->r->reader.ssa, id));
    if (ptx_ssa_is_spent(w->r->reader.ssa) || sym->kind < SYM_LT_U || sym->kind > SYM_LE_S)
        return false;
    bool is_left = ptx_sym(s, sym->a)->uses & USES_THREAD;
    return is_same_in_grid(s, is_left ? sym->b : sym->a);
}

/* Whether a branch leaves a loop that holds what it decides on. */
static bool ends_loop_of(const LinkWalk *w, InsnId branch, InsnId decided)
{
    const Cfg *cfg = w->r->flow->cfg;
    const LoopId loop = w->r->flow->loops->loop_of[cfg->block_of[branch]];
    const Block *block = &cfg->blocks[cfg->block_of[branch]];
    if (loop == NO_LOOP || !ptx_loop_holds(w->r->flow->loops, loop, cfg->block_of[decided]))
        return false;
    for (uint32_t i = 0; i < block->succ_count; i++) {
        const BlockId to = cfg->succs[block->succ_first + i];
        if (!ptx_loop_holds(w->r->flow->loops, loop, to))
            return true;
    }
    return false;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void visit_for(LinkWalk *w, InsnId id, Need need)
{
    uint32_t *stamp = &w->stamps[(size_t)id * NEED__COUNT + need];
    if (*stamp == w->row + 1)
        return;
    *stamp = w->row + 1;
    w->stack[w->stack_count++] = (NeedVisit){ id, (uint8_t)need };
}

/* What an instruction that is itself needed for something needs an operand for. */
static Need need_of_operand(const Insn *insn, const Operand *operand, uint32_t place, Need need)
{
    bool is_condition = insn->op->operation == OP_SELP && place == insn->operand_count - 1u;
    if (operand->role & ROLE_ADDRESS)
        return need >= NEED_CONDITION ? NEED_BOUND : NEED_SUBSCRIPT;
    return is_condition && need < NEED_CONDITION ? NEED_CONDITION : need;
}

static void follow_register(LinkWalk *w, InsnId id, const Dependence *item, Need need)
{
    const Insn *insn = &w->r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    if (insn->guard == item->name)
        visit_for(w, item->from, is_bound_of_grid(w, id) ? NEED_BOUND : NEED_CONDITION);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].id == item->name
            && !ptx_operand_is_def(&operands[o]))
            visit_for(w, item->from, need_of_operand(insn, &operands[o], o, need));
}

/* From the branch to what its predicate is made of. */
static void follow_control(LinkWalk *w, InsnId branch, InsnId decided)
{
    bool is_bound = ends_loop_of(w, branch, decided) || is_bound_of_grid(w, branch);
    for (uint32_t d = w->first[branch]; d < w->first[branch + 1]; d++)
        if (w->all.items[d].kind == DEPENDENCE_REGISTER)
            visit_for(w, w->all.items[d].from, is_bound ? NEED_BOUND : NEED_CONDITION);
}

/* What a store to the array may have left there. */
static void follow_memory(LinkWalk *w, const Dependence *item)
{
    const Subscript *from = w->r->subscripts[item->from], *to = w->r->subscripts[item->to];
    bool is_same = from && to && from->array && from->array == to->array;
    if (is_same && item->from_writes && !item->to_writes)
        find_node(w, row_of_insn(w, item->from), LINK_BY_MEMORY);
}

static void follow_needs(LinkWalk *w, InsnId id, Need need)
{
    for (uint32_t d = w->first[id]; d < w->first[id + 1] && w->budget; d++, w->budget--) {
        const Dependence *item = &w->all.items[d];
        if (item->kind == DEPENDENCE_REGISTER)
            follow_register(w, id, item, need);
        else if (item->kind == DEPENDENCE_MEMORY)
            follow_memory(w, item);
    }
}

/* Of the branches that decide on its block. */
static void follow_block(LinkWalk *w, InsnId id)
{
    const Cfg *cfg = w->r->flow->cfg;
    const InsnId first = cfg->blocks[cfg->block_of[id]].first;
    for (uint32_t d = w->first[first]; d < w->first[first + 1] && w->budget; d++, w->budget--)
        if (w->all.items[d].kind == DEPENDENCE_CONTROL)
            follow_control(w, w->all.items[d].from, id);
}

static void follow_operands_of(LinkWalk *w, InsnId id, Need need)
{
    const Insn *insn = &w->r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(w->r->flow->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        find_grid_index(w, &operands[o], need);
    follow_needs(w, id, need);
    follow_block(w, id);
}

static void visit_needed(LinkWalk *w, NeedVisit visit)
{
    const uint32_t row = row_of_insn(w, visit.insn);
    if (row == NO_ID)
        follow_operands_of(w, visit.insn, (Need)visit.need);
    else
        find_node(w, row, (uint8_t)(1u << kind_of_need((Need)visit.need, is_index_row(w, row))));
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void keep_link(LinkWalk *w, uint32_t from, LinkKind kind, bool is_by_memory)
{
    if (w->count == w->capacity)
        w->links = ptx_arena_grow(w->r->arena, w->links, w->count, &w->capacity,
                                  sizeof *w->links);
    w->links[w->count++] = (RecognizedLink){ from, w->row, (uint8_t)kind, is_by_memory };
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_found_links(LinkWalk *w)
{
    if (w->node_count)
        qsort(w->nodes, w->node_count, sizeof *w->nodes, compare_nodes);
    for (uint32_t i = 0; i < w->node_count; i++) {
        const uint32_t node = w->nodes[i];
        for (unsigned kind = 0; kind < LINK__COUNT; kind++)
            if (w->found[node] >> kind & 1)
                keep_link(w, node, (LinkKind)kind, false);
        if (w->found[node] & LINK_BY_MEMORY)
            keep_link(w, node, LINK_FLOW, true);
        w->found[node] = 0;
    }
    w->node_count = 0;
}

static void link_insn(LinkWalk *w, InsnId id)
{
    follow_operands_of(w, id, NEED_VALUE);
    while (w->stack_count && w->budget)
        visit_needed(w, w->stack[--w->stack_count]);
    w->stack_count = 0;
}

static void begin_links(LinkWalk *w)
{
    Arena *scratch = w->r->scratch;
    const uint32_t insns = w->r->flow->func->insn_count, nodes = w->r->count + LINK_INDICES;
    w->first = ptx_arena_array(scratch, uint32_t, insns + 2);
    w->stamps = ptx_arena_array(scratch, uint32_t, (size_t)insns * NEED__COUNT + 1);
    w->stack = ptx_arena_array(scratch, NeedVisit, (size_t)insns * NEED__COUNT + 1);
    w->found = ptx_arena_array(scratch, uint8_t, nodes);
    w->nodes = ptx_arena_array(scratch, uint32_t, nodes);
    w->budget = LINK_STEPS_FLOOR + (uint64_t)LINK_STEPS_PER_INSN * insns;
    for (uint32_t d = 0; d < w->all.count; d++)
        w->first[w->all.items[d].to + 1]++;
    for (InsnId i = 0; i < insns; i++)
        w->first[i + 1] += w->first[i];
}

/* The instructions of each row, by counting. */
static InsnId *sort_by_row(const LinkWalk *w, uint32_t **begin)
{
    const uint32_t count = w->r->flow->func->insn_count;
    InsnId *insns = ptx_arena_array(w->r->scratch, InsnId, count + 1);
    uint32_t *at = ptx_arena_array(w->r->scratch, uint32_t, w->r->count + 2);
    for (InsnId i = 0; i < count; i++)
        if (w->r->owner[i])
            at[row_of_insn(w, i) + 1]++;
    for (uint32_t row = 0; row < w->r->count; row++)
        at[row + 1] += at[row];
    *begin = ptx_arena_array(w->r->scratch, uint32_t, w->r->count + 2);
    memcpy(*begin, at, (w->r->count + 1) * sizeof **begin);
    for (InsnId i = 0; i < count; i++)
        if (w->r->owner[i])
            insns[at[row_of_insn(w, i)]++] = i;
    return insns;
}

RecognizedLinks ptx_recognizer_links(Recognizer *r, const uint32_t *row_of)
{
    LinkWalk w = { .r = r, .row_of = row_of };
    w.all = ptx_dependences_compute(r->scratch, r->arena, r->flow);
    bool is_cut = w.all.is_cut;
    if (is_cut)
        w.all = r->all;
    uint32_t *begin;
    begin_links(&w);
    const InsnId *insns = sort_by_row(&w, &begin);
    for (w.row = 0; w.row < r->count; w.row++) {
        for (uint32_t i = begin[w.row]; i < begin[w.row + 1]; i++)
            link_insn(&w, insns[i]);
        add_found_links(&w);
    }
    return (RecognizedLinks){ w.links, w.count, is_cut || !w.budget || !r->has_arrays };
}
