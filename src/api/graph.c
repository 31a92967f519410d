/* graph.c -- a function's control flow and dependences, and the calls of its module, for clients:
 * computed from the IR when they are asked for. */
#include "ptxlint/ptxlint.h"

#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/func_flow.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/dependence.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "model/view.h"
#include "support/guard.h"

#include <stdlib.h>

enum {
    GRAPH_BYTES_PER_INSN = 1 << 14,     /* more than blocks, edges and dependences can take */
    GRAPH_BYTES = 64 << 20
};

struct ptxlint_graph {
    Arena arena;
    ptxlint_graph_info info;
};

typedef struct GraphBuild {
    ptxlint_graph *to;
    const ptxlint_module *module;
    const Func *func;
    Arena scratch;
    FuncFlow flow;
} GraphBuild;

static const char *copy_graph_text(GraphBuild *b, Span span)
{
    return ptx_arena_strndup(&b->to->arena, b->module->ir->text + span.begin,
                             ptx_span_length(span));
}

/* ---- blocks and edges ------------------------------------------------------------------------ */

/* Of each block the first label in front of it. */
static void name_blocks(GraphBuild *b, ptxlint_block *blocks)
{
    const Func *func = b->func;
    for (uint32_t l = 0; l < func->label_count; l++) {
        const Label *label = &func->labels[l];
        if (label->table != NO_ID || label->is_prototype || label->insn >= func->insn_count)
            continue;
        ptxlint_block *block = &blocks[b->flow.cfg->block_of[label->insn]];
        if (block->first == label->insn && !*block->label)
            block->label = copy_graph_text(b, label->name);
    }
}

static int64_t graph_index(BlockId id)
{
    return id == EXIT_BLOCK ? -1 : (int64_t)id;
}

static ptxlint_block view_block(const GraphBuild *b, BlockId id)
{
    const Block *block = &b->flow.cfg->blocks[id];
    const LoopId loop = b->flow.loops->loop_of[id];
    return (ptxlint_block){
        .size = sizeof(ptxlint_block),
        .span = { b->func->insns[block->first].span.begin,
                  b->func->insns[block->end - 1].span.end },
        .label = "",
        .first = block->first,
        .end = block->end,
        .dominator = graph_index(b->flow.dom->idom[id]),
        .post_dominator = graph_index(b->flow.dom->ipdom[id]),
        .loop = loop == NO_LOOP ? -1 : (int64_t)loop,
        .is_header = loop != NO_LOOP && b->flow.loops->loops[loop].header == id,
        .is_reachable = ptx_block_is_reachable(b->flow.cfg, id),
    };
}

/* Whether control may go on behind the block's last instruction. */
static bool falls_through(const Func *func, const Block *block)
{
    const Insn *last = &func->insns[block->end - 1];
    switch ((OpKind)last->op->kind) {
    case OPK_BRA: case OPK_BRX: case OPK_RET: case OPK_EXIT: case OPK_TRAP:
        return last->guard != NO_ID;
    default:
        return true;
    }
}

/* Whether the block lies in the loop of which `header` is the header. */
static bool is_back_edge(const GraphBuild *b, BlockId from, BlockId header)
{
    const Loops *loops = b->flow.loops;
    LoopId loop = loops->loop_of[header];
    if (loop == NO_LOOP || loops->loops[loop].header != header)
        return false;
    LoopId at = loops->loop_of[from];
    while (at != NO_LOOP && at != loop)
        at = loops->loops[at].parent;
    return at == loop;
}

static void view_edges(GraphBuild *b)
{
    const Cfg *cfg = b->flow.cfg;
    ptxlint_edge *edges = ptx_arena_array(&b->to->arena, ptxlint_edge, cfg->succ_count + 1);
    size_t count = 0;
    for (BlockId from = 0; from < cfg->block_count; from++) {
        const Block *block = &cfg->blocks[from];
        for (uint32_t s = 0; s < block->succ_count; s++) {
            const BlockId to = cfg->succs[block->succ_first + s];
            bool is_last = s + 1 == block->succ_count;
            edges[count++] = (ptxlint_edge){
                .size = sizeof(ptxlint_edge),
                .from = from,
                .to = graph_index(to),
                .is_fall_through = is_last && to == from + 1 && falls_through(b->func, block),
                .is_back = to != EXIT_BLOCK && is_back_edge(b, from, to),
            };
        }
    }
    b->to->info.edges = edges;
    b->to->info.edge_count = count;
}

static void view_blocks(GraphBuild *b)
{
    const Cfg *cfg = b->flow.cfg;
    ptxlint_block *blocks = ptx_arena_array(&b->to->arena, ptxlint_block, cfg->block_count);
    for (BlockId id = 0; id < cfg->block_count; id++)
        blocks[id] = view_block(b, id);
    name_blocks(b, blocks);
    ptxlint_span *spans = ptx_arena_array(&b->to->arena, ptxlint_span, b->func->insn_count);
    for (InsnId i = 0; i < b->func->insn_count; i++)
        spans[i] = ptx_view_span(b->func->insns[i].span);
    b->to->info.blocks = blocks;
    b->to->info.block_count = cfg->block_count;
    b->to->info.instructions = spans;
    b->to->info.instruction_count = b->func->insn_count;
    b->to->info.has_unknown_target = cfg->has_unknown_target;
}

/* ---- dependences ----------------------------------------------------------------------------- */

static const char *dependence_name(GraphBuild *b, const char **names, const Dependence *item)
{
    static const char *const memory = "memory";
    if (item->kind == DEPENDENCE_CONTROL)
        return "";
    if (item->kind == DEPENDENCE_MEMORY) {
        bool is_any = item->name == SPACE_NONE || item->name == SPACE_GENERIC;
        return is_any ? memory : ptx_space_text[item->name];
    }
    if (!names[item->name])
        names[item->name] = copy_graph_text(b, ptx_reg_name(&b->func->regs[item->name]));
    return names[item->name];
}

static void view_dependences(GraphBuild *b)
{
    const Dependences all = ptx_dependences_compute(&b->to->arena, &b->scratch, &b->flow);
    const char **names = ptx_arena_array(&b->scratch, const char *, b->func->reg_count + 1);
    ptxlint_dependence *out = ptx_arena_array(&b->to->arena, ptxlint_dependence, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++) {
        const Dependence *item = &all.items[i];
        out[i] = (ptxlint_dependence){
            .size = sizeof *out,
            .from = item->from,
            .to = item->to,
            .kind = (ptxlint_dependence_kind)item->kind,
            .name = dependence_name(b, names, item),
            .from_writes = item->from_writes,
            .to_writes = item->to_writes,
            .is_carried = item->is_carried,
        };
    }
    b->to->info.dependences = out;
    b->to->info.dependence_count = all.count;
    b->to->info.is_cut = all.is_cut;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static size_t count_calls(const Module *module, const CallGraph *calls)
{
    size_t count = 0;
    for (FuncId f = 0; f < module->func_count; f++)
        count += calls->nodes[f].callee_count + calls->nodes[f].has_indirect_call;
    return count;
}

static void view_calls(GraphBuild *b)
{
    const Module *module = b->module->ir;
    const CallGraph *calls = ptx_callgraph_build(&b->scratch, &b->to->arena, module);
    ptxlint_call *out = ptx_arena_array(&b->to->arena, ptxlint_call,
                                        count_calls(module, calls) + 1);
    size_t count = 0;
    for (FuncId f = 0; f < module->func_count; f++) {
        const CallNode *node = &calls->nodes[f];
        if (!node->callee_count && !node->has_indirect_call)
            continue;
        ptxlint_call call = { .size = sizeof call,
                              .caller = copy_graph_text(b, module->funcs[f].name),
                              .is_recursive = node->is_recursive };
        for (uint32_t c = 0; c < node->callee_count; c++) {
            const Func *callee = &module->funcs[calls->callees[node->callee_first + c]];
            call.callee = copy_graph_text(b, callee->name);
            call.is_defined = callee->has_body;
            out[count++] = call;
        }
        call.callee = NULL;
        call.is_defined = 0;
        if (node->has_indirect_call)
            out[count++] = call;
    }
    b->to->info.calls = out;
    b->to->info.call_count = count;
}

/* ---- the handle ------------------------------------------------------------------------------ */

static void view_graph(void *context)
{
    GraphBuild *b = context;
    Arena *arena = &b->to->arena;
    const Cfg *cfg = ptx_cfg_build(arena, &b->scratch, b->module->ir, b->func);
    view_calls(b);
    if (!cfg)
        return;
    const Dom *dom = ptx_dom_compute(arena, &b->scratch, cfg);
    b->flow = (FuncFlow){ b->module->ir, b->func, cfg, dom,
                          ptx_loops_compute(arena, &b->scratch, cfg, dom), NULL };
    view_blocks(b);
    view_edges(b);
    view_dependences(b);
}

const Func *ptx_kernel_func(const ptxlint_module *m, const ptxlint_kernel *kernel)
{
    /* of another module, it lies anywhere */
    size_t k = ((uintptr_t)kernel - (uintptr_t)m->kernels) / sizeof *kernel;
    bool is_own = k < m->kernel_count && &m->kernels[k] == kernel;
    return is_own ? &m->ir->funcs[m->kernel_funcs[k]] : NULL;
}

static ptxlint_status make_graph(const ptxlint_module *m, const Func *func, ptxlint_graph *graph)
{
    const size_t limit = GRAPH_BYTES + (size_t)GRAPH_BYTES_PER_INSN * func->insn_count;
    GraphBuild b = { .to = graph, .module = m, .func = func };
    graph->info.size = sizeof graph->info;
    return ptx_run_guarded_with(&graph->arena, &b.scratch, limit, view_graph, &b)
               ? PTXLINT_OK
               : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_graph_new(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                 ptxlint_graph **out)
{
    if (out)
        *out = NULL;
    const Func *func = NULL;
    if (out && module && kernel && module->ir)
        func = ptx_kernel_func(module, kernel);
    if (!func)
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = make_graph(module, func, graph);
    if (status == PTXLINT_OK)
        *out = graph;
    else
        ptxlint_graph_free(graph);
    return status;
}

void ptxlint_graph_free(ptxlint_graph *graph)
{
    if (graph)
        ptx_arena_free(&graph->arena);
    free(graph);
}

const ptxlint_graph_info *ptxlint_graph_get_info(const ptxlint_graph *graph)
{
    return graph ? &graph->info : NULL;
}
