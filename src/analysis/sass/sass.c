#include "analysis/sass/sass.h"

#include "analysis/sass/predication.h"
#include "analysis/sass/unroll.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "analysis/sass/select.h"
#include "analysis/sass/value_graph.h"
#include "gpu/gpu.h"
#include "analysis/flow/cfg.h"
#include "analysis/value/uniform.h"

typedef struct Lowering {
    Arena *arena;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Defs *defs;
    const Graph *graph;
    const Selection *selection;
    BlockId *place;             /* per node: the block where it is made; EXIT_BLOCK: nowhere yet */
    BlockId *row_place;         /* per row */
    Flow flow;
    LoweredValueId *value_of_node, *value_of_reg;       /* plus 1; 0: none yet */
    /* per register with several definitions: a node that reads it; 0: none does */
    NodeId *leaf_of_reg;
    Lowered *out;
    LoweredValue *values;
    LoweredInsn *insns;
    LoweredValueId *operands;
    uint32_t operand_count;
    /* loops that instructions may still be taken out of, or ask to be */
    uint32_t climbs;
} Lowering;

enum {
    MAX_COUNTERS = 16,         /* of a loop that are looked at */
    /* deep nests of loops take no more than so many steps an instruction; beyond, it stays where it
     * is */
    CLIMBS_PER_ROW = 8,
};

/* ---- where ----------------------------------------------------------------------------------- */

static bool is_sass_in_loop(const Lowering *l, LoopId loop, BlockId block)
{
    return ptx_loop_holds(l->defs->loops, loop, block);
}

/* Whether a loop leaves what a row reads as it is. */
static bool is_sass_invariant(const Lowering *l, const Selected *row, LoopId loop)
{
    InsnId last;
    for (uint32_t u = 0; u < row->use_count; u++) {
        NodeId id = l->selection->uses[row->use_first + u];
        const GraphNode *node = &l->graph->nodes[id];
        if (node->kind == NODE_LEAF
                ? ptx_defs_in_loop(l->defs, loop, node->reg, &last) != 0
                : node->kind == NODE_RESULT && is_sass_in_loop(l, loop, l->place[id]))
            return false;
    }
    return true;
}

/* Whether each iteration that goes on comes to the block. */
static bool is_always_run(const Lowering *l, LoopId loop, BlockId block)
{
    const BlockId header = l->loops->loops[loop].header;
    const Block *at = &l->cfg->blocks[header];
    const BlockId *preds = &l->cfg->preds[at->pred_first];
    for (uint32_t p = 0; p < at->pred_count; p++)
        if (is_sass_in_loop(l, loop, preds[p]) && !ptx_dom_dominates(l->dom, block, preds[p]))
            return false;
    return true;
}

/* Out of each loop that does not change what it reads. */
static BlockId hoisted(Lowering *l, const Selected *row, BlockId block)
{
    for (LoopId loop = l->loops->loop_of[block]; loop != NO_LOOP; loop = l->loops->loop_of[block]) {
        BlockId before = l->dom->idom[l->loops->loops[loop].header];
        if (!l->climbs || l->loops->loops[loop].is_irreducible || before == EXIT_BLOCK
            || !is_always_run(l, loop, block) || !is_sass_invariant(l, row, loop))
            break;
        l->climbs--;
        block = before;
    }
    return block;
}

static bool is_pure(const Lowering *l, const Selected *row)
{
    const Insn *insn = &l->func->insns[row->insn];
    return row->node && !l->graph->of_guard[row->insn]
           && l->graph->nodes[row->node].kind == NODE_RESULT
           && l->graph->def_count[l->graph->nodes[row->node].reg] == 1
           && ptx_effect_is_pure(l->graph->module, l->func, insn);
}

/* A constant, which is made again where it is read. */
static bool is_literal(const Selected *row)
{
    return row->machine == MACHINE_MOVE && row->count <= 0 && !row->use_count;
}

/* Of the rows of an instruction, which stand below r, the one that reads what it needs. */
static const Selected *reader_of(const Selection *s, uint32_t r)
{
    const Selected *found = &s->rows[r];
    while (!found->use_count && r-- > 0 && s->rows[r].insn == found->insn)
        found = &s->rows[r];
    return found;
}

/* Down to where it is read, where only some of the warps come; not into a loop, nor out of one. */
static BlockId sunk(const Lowering *l, const Selected *row, BlockId block)
{
    BlockId home = l->selection->is_demanded[row->node] ? l->selection->home[row->node] : block;
    bool is_below = home != block && ptx_dom_dominates(l->dom, block, home)
                    && l->loops->loop_of[home] == l->loops->loop_of[block];
    return is_below ? home : block;
}

static void place_rows(Lowering *l)
{
    const Selection *s = l->selection;
    for (uint32_t n = 0; n <= l->graph->node_count; n++)
        l->place[n] = l->graph->nodes[n].block;
    for (uint32_t r = s->row_count; r-- > 0;) {
        const Selected *row = &s->rows[r];
        if (row->insn == NO_ID) {
            bool is_address = ptx_select_is_window_address(s, row->node);
            BlockId block = is_address ? row->place : s->home[row->node];
            LoopId loop = l->loops->loop_of[block];
            bool stays = (is_address || l->graph->nodes[row->node].kind == NODE_BANK)
                         && loop != NO_LOOP && !l->loops->loops[loop].is_innermost;
            l->row_place[r] = stays ? block : hoisted(l, row, block);
            continue;
        }
        /* another row of the same */
        bool is_further = r + 1 < s->row_count && s->rows[r + 1].insn == row->insn;
        BlockId block = l->cfg->block_of[row->insn];
        BlockId place = is_pure(l, row) ? sunk(l, row, block) : block;
        if (is_further)
            place = l->row_place[r + 1];
        else if (is_pure(l, row) && !is_literal(row))
            place = hoisted(l, reader_of(s, r), place);
        l->row_place[r] = place;
        if (row->node)
            l->place[row->node] = l->row_place[r];
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The address of a variable, which the linker knows. */
static bool is_variable_address(const Lowering *l, const GraphNode *node)
{
    const Graph *g = l->graph;
    if (node->kind == NODE_RESULT && g->func->insns[node->insn].op->kind == OPK_MOV
        && g->func->insns[node->insn].operand_count == 2)
        node = &g->nodes[g->of_operand[g->func->insns[node->insn].operand_first + 1]];
    return node->kind == NODE_VARIABLE;
}

static LoweredFile file_of(const Lowering *l, const GraphNode *node)
{
    if ((node->kind == NODE_BANK || is_variable_address(l, node)) && l->selection->target.sm < 90)
        return LOWERED_CONSTANT;
    if (!node->units)
        return LOWERED_PREDICATE;
    return node->is_uniform && l->selection->target.sm >= 75 ? LOWERED_UNIFORM : LOWERED_REG;
}

static LoweredValueId value_of(Lowering *l, NodeId id)
{
    const GraphNode *node = &l->graph->nodes[id];
    bool is_variable = node->kind == NODE_LEAF
                       || (node->kind == NODE_RESULT && l->graph->def_count[node->reg] > 1);
    LoweredValueId *slot = is_variable ? &l->value_of_reg[node->reg] : &l->value_of_node[id];
    if (!*slot) {
        l->values[l->out->value_count] = (LoweredValue){ (uint8_t)file_of(l, node), node->units,
                                                         is_variable, node->reg };
        *slot = ++l->out->value_count;
    }
    return *slot - 1;
}

static void find_leaves(Lowering *l)
{
    for (NodeId id = 1; id <= l->graph->node_count; id++)
        if (l->graph->nodes[id].kind == NODE_LEAF && l->graph->nodes[id].reg != NO_ID)
            l->leaf_of_reg[l->graph->nodes[id].reg] = id;
}

/* Every register that an instruction writes; of a row before its last one, nothing. */
static void add_defs(Lowering *l, const Selected *row, bool is_last, LoweredInsn *insn)
{
    if (row->insn == NO_ID) {
        if (l->graph->nodes[row->node].moves)       /* what reads it reads the constant */
            return;
        l->operands[l->operand_count++] = value_of(l, row->node);
        insn->def_count = 1;
        return;
    }
    const Insn *origin = &l->func->insns[row->insn];
    const Operand *operands = ptx_insn_operands(l->func, origin);
    if (row->node && is_last && l->graph->nodes[row->node].action) {
        l->operands[l->operand_count++] = value_of(l, row->node);
        insn->def_count = 1;
        return;
    }
    for (uint32_t o = 0; is_last && o < origin->operand_count && insn->def_count < UINT8_MAX; o++) {
        if (!(operands[o].role & ROLE_DEF) || operands[o].kind != OPERAND_REG)
            continue;
        NodeId node = l->graph->result_of[origin->operand_first + o];
        if (!node && !row->node)
            node = l->leaf_of_reg[operands[o].id];      /* a move */
        if (node) {
            l->operands[l->operand_count++] = value_of(l, node);
            insn->def_count++;
        }
    }
}

/* A branch that nothing is left of. */
static bool is_dropped(const Lowering *l, const Selected *row)
{
    return row->insn != NO_ID && row->machine == MACHINE_BRANCH
           && row->insn + 1 == l->cfg->blocks[l->cfg->block_of[row->insn]].end
           && l->func->insns[row->insn].op->kind == OPK_BRA
           && l->flow.is_dropped[l->cfg->block_of[row->insn]];
}

static void add_sass_insn(Lowering *l, uint32_t at, uint32_t r)
{
    const Selection *s = l->selection;
    const Selected *row = &s->rows[r];
    LoweredInsn *insn = &l->insns[at];
    *insn = (LoweredInsn){ .origin = row->insn,
                           .operand_first = l->operand_count,
                           .machine = row->machine,
                           .is_fused = row->is_fused,
                           .more_flops = row->more_flops,
                           .count = row->count };
    insn->is_predicated = row->insn != NO_ID
                          && (l->graph->of_guard[row->insn]
                              || l->flow.runs_with[l->row_place[r]] != l->row_place[r]);
    bool is_last = row->insn == NO_ID || r == 0 || s->rows[r - 1].insn != row->insn
                   || s->rows[r - 1].node != row->node;
    add_defs(l, row, is_last, insn);
    insn->use_count = (uint8_t)row->use_count;
    for (uint32_t u = 0; u < row->use_count; u++)
        l->operands[l->operand_count++] = value_of(l, s->uses[row->use_first + u]);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A kernel's stack pointer, and since sm_80 the descriptor of global memory. */
static uint32_t prologue_count(const Lowering *l)
{
    uint32_t count = l->func->is_entry;
    count += l->selection->target.sm >= 80 && l->selection->has_global;
    return count;
}

/* Rows of a block stand in program order, with those that sank into it; those that were hoisted
 * stand before the instruction that ends it, what comes from outside at its start. */
/* Parts of a block, in this order. */
typedef enum BlockPart { PART_LEAVES, PART_OWN, PART_HOISTED, PART_BRANCH, PART__COUNT } BlockPart;

static BlockPart part_of_row(const Lowering *l, InsnId insn, BlockId block)
{
    if (insn == NO_ID)
        return PART_LEAVES;
    const BlockId own = l->cfg->block_of[insn];
    if (own != block && !ptx_dom_dominates(l->dom, own, block))
        return PART_HOISTED;
    bool is_branch = insn + 1 == l->cfg->blocks[block].end
                     && l->func->insns[insn].op->insn_class == CLASS_CONTROL;
    return is_branch ? PART_BRANCH : PART_OWN;
}

static void make_prologue(Lowering *l)
{
    for (uint32_t i = 0; i < prologue_count(l); i++) {
        bool is_load = i || !l->func->is_entry || l->selection->target.sm >= 90;
        l->insns[i] = (LoweredInsn){ .origin = NO_ID,
                                     .machine = is_load ? MACHINE_CONST : MACHINE_MOVE,
                                     .count = 1 };
    }
}

static void order_rows(Lowering *l)
{
    const Selection *s = l->selection;
    uint32_t blocks = l->cfg->block_count;
    uint32_t *first = ptx_arena_array(l->arena, uint32_t, blocks + 2),
             *next = ptx_arena_array(l->arena, uint32_t, PART__COUNT * (size_t)(blocks + 1));
    uint32_t *part = ptx_arena_array(l->arena, uint32_t, s->row_count + 1);
    for (uint32_t r = 0; r < s->row_count; r++) {
        const BlockId block = l->row_place[r];
        if (is_dropped(l, &s->rows[r]))
            continue;
        part[r] = PART__COUNT * block + part_of_row(l, s->rows[r].insn, block);
        next[part[r]]++;
    }
    uint32_t at = prologue_count(l);
    for (uint32_t b = 0; b < blocks; b++) {
        first[b] = b ? at : 0;
        for (uint32_t p = PART__COUNT * b; p < PART__COUNT * (b + 1); p++) {
            uint32_t count = next[p];
            next[p] = at;
            at += count;
        }
        if (l->flow.meetings[b])
            l->insns[at++] = (LoweredInsn){ .origin = NO_ID,
                                            .machine = MACHINE_BRANCH,
                                            .count = l->flow.meetings[b] };
    }
    first[blocks] = at;
    make_prologue(l);
    for (uint32_t r = s->row_count; r-- > 0;)
        if (!is_dropped(l, &s->rows[r]))
            add_sass_insn(l, next[part[r]]++, r);
    l->out->first = first;
    l->out->insn_count = at;
}

/* ---- unrolled loops -------------------------------------------------------------------------- */

/* A counter or pointer that goes on by a constant. */
static bool is_sass_increment(const Lowering *l, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_IADD && insn->def_count == 1 && insn->use_count == 1
           && l->operands[insn->operand_first] == l->operands[insn->operand_first + 1];
}

/* The branch that leaves the loop, and the comparison before it. */
static bool is_exit(const Lowering *l, const LoweredInsn *insn, const LoweredInsn *branch)
{
    bool is_test = insn->def_count == 1 && branch->use_count == 1
                   && l->operands[insn->operand_first] == l->operands[branch->operand_first];
    return insn == branch || is_test;
}

/* Whether all that reads a counter takes a constant beside it: addresses, and the test of the
 * exit. */
static bool is_offset(const Lowering *l, BlockId block, LoweredValueId counter,
                      const LoweredInsn *branch)
{
    for (uint32_t i = l->out->first[block]; i < l->out->first[block + 1]; i++) {
        const LoweredInsn *insn = &l->insns[i];
        bool is_access = insn->machine == MACHINE_GLOBAL || insn->machine == MACHINE_SHARED
                         || insn->machine == MACHINE_CONST;
        for (unsigned u = 0; u < insn->use_count && !is_access && !is_exit(l, insn, branch)
                             && !is_sass_increment(l, insn);
             u++)
            if (l->operands[insn->operand_first + insn->def_count + u] == counter)
                return false;
    }
    return true;
}

/* Of a loop of one block; in others counters stay as they are. */
static void mark_overhead(Lowering *l, BlockId block)
{
    LoopId loop = l->loops->loop_of[block];
    uint32_t end = l->out->first[block + 1];
    if (loop == NO_LOOP || l->out->unrolled[loop].times <= 1
        || !ptx_loop_is_one_block(l->func, l->cfg, l->loops, loop) || end == l->out->first[block])
        return;
    const LoweredInsn *branch = &l->insns[end - 1];
    uint32_t counters = 0;
    for (uint32_t i = end; branch->machine == MACHINE_BRANCH && i-- > l->out->first[block];) {
        LoweredInsn *insn = &l->insns[i];
        bool is_counter = is_sass_increment(l, insn) && counters < MAX_COUNTERS;
        counters += is_counter;
        bool is_beside = i + 1 < end && insn->origin == insn[1].origin && insn[1].is_overhead
                         && insn->machine == MACHINE_MOVE;
        insn->is_overhead =
            is_exit(l, insn, branch) || is_beside
            || (is_counter
                && (l->out->unrolled[loop].is_whole
                    || is_offset(l, block, l->operands[insn->operand_first], branch)));
    }
}

const Lowered *ptx_lowered_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                   const Uniforms *uniforms, Target target)
{
    const Func *func = flow->func;
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    ArenaMark mark = ptx_arena_mark(scratch);
    Graph *graph = ptx_graph_build(scratch, flow->module, func, cfg, flow->dom, uniforms);
    const Defs *defs = uniforms->defs;
    Selection *s = ptx_selection_compute(scratch, graph, defs, loops, target);
    Lowered *out = ptx_arena_new(arena, Lowered);
    Lowering l = { .arena = arena,
                   .func = func,
                   .cfg = cfg,
                   .dom = flow->dom,
                   .loops = loops,
                   .defs = defs,
                   .graph = graph,
                   .selection = s,
                   .out = out };
    uint32_t nodes = graph->node_count + 1;
    l.climbs = CLIMBS_PER_ROW * (s->row_count + 16);
    l.place = ptx_arena_array(scratch, BlockId, nodes);
    l.row_place = ptx_arena_array(scratch, BlockId, s->row_count + 1);
    l.value_of_node = ptx_arena_array(scratch, LoweredValueId, nodes);
    l.value_of_reg = ptx_arena_array(scratch, LoweredValueId, func->reg_count + 1);
    l.leaf_of_reg = ptx_arena_array(scratch, NodeId, func->reg_count + 1);
    l.values = ptx_arena_array(arena, LoweredValue, nodes);
    l.insns = ptx_arena_array(arena, LoweredInsn, s->row_count + cfg->block_count + 4);
    l.operands = ptx_arena_array(arena, LoweredValueId,
                                 s->use_count + s->row_count + func->operand_count + 1);
    find_leaves(&l);
    place_rows(&l);
    l.flow = ptx_flow_compute(scratch, s, loops, l.row_place);
    BlockId *runs_with = ptx_arena_array(arena, BlockId, cfg->block_count + 1);
    memcpy(runs_with, l.flow.runs_with, cfg->block_count * sizeof *runs_with);
    order_rows(&l);
    out->insns = l.insns;
    out->operands = l.operands;
    out->values = l.values;
    out->runs_with = runs_with;
    out->unrolled = ptx_unroll_compute(arena, flow, defs, out, target.sm);
    for (uint32_t b = 0; b < cfg->rpo_count; b++)
        mark_overhead(&l, cfg->rpo[b]);
    ptx_arena_release(scratch, mark);
    return out;
}
