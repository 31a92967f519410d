#include "report/graph/graph.h"
#include "report/json_writer.h"

#include <math.h>

static const ptxlint_projection *graph_projection(const ptxlint_kernel *kernel)
{
    return kernel->projection_count ? kernel->projections : NULL;
}

static void put_index(Json *json, const char *key, int64_t index)
{
    ptx_json_int(json, key, index < 0 ? PTXLINT_UNKNOWN : index);
}

static void put_graph_place(Json *json, const ptxlint_module *module, ptxlint_span span)
{
    const ptxlint_place begin = ptxlint_module_place(module, span.begin),
                        end = ptxlint_module_place(module, span.end);
    ptx_json_int(json, "line", begin.line);
    ptx_json_int(json, "column", begin.column);
    ptx_json_int(json, "end_line", end.line);
    ptx_json_int(json, "end_column", end.column);
}

static void put_graph_source(Json *json, const ptxlint_module *module, uint32_t offset)
{
    ptxlint_source_place place = { 0 };
    ptxlint_module_source_at(module, offset, &place);
    ptx_json_source(json, "source", place);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* How often warps execute it, as its first instruction says. */
static void put_executions(Json *json, const ptxlint_kernel *kernel, const ptxlint_block *block)
{
    const ptxlint_projection *p = graph_projection(kernel);
    bool is_there = p && block->first < p->instruction_count
                    && !p->instructions[block->first].function;
    const ptxlint_instruction *first = is_there ? &p->instructions[block->first] : NULL;
    bool is_known = first && isfinite(first->executions);
    ptx_json_real(json, "executions", is_known ? first->executions : (double)NAN);
    ptx_json_text(json, "executions_certainty",
                  ptx_report_certainty(is_known ? first->executions_certainty
                                                : PTXLINT_NOT_KNOWN));
}

static void put_divergence(Json *json, const ptxlint_kernel *kernel, ptxlint_span last)
{
    for (size_t i = 0; i < kernel->branch_count; i++) {
        const ptxlint_branch *branch = &kernel->branches[i];
        if (branch->span.begin != last.begin)
            continue;
        ptx_json_object(json, "branch");
        ptx_json_text(json, "condition", ptxlint_uniformity_text(branch->condition));
        ptx_json_text(json, "splits", ptx_report_split(branch->splits));
        ptx_json_text(json, "certainty", ptx_report_certainty(branch->certainty));
        ptx_json_real(json, "divergent_percent", branch->divergent_percent);
        ptx_json_end(json);
        return;
    }
    ptx_json_null(json, "branch");
}

static void put_graph_block(Json *json, const ptxlint_module *module, const ptxlint_kernel *kernel,
                      const ptxlint_graph_info *graph, size_t index)
{
    const ptxlint_block *block = &graph->blocks[index];
    ptx_json_object(json, NULL);
    ptx_json_count(json, "index", index);
    ptx_json_name(json, "label", block->label);
    put_graph_place(json, module, block->span);
    put_graph_source(json, module, block->span.begin);
    ptx_json_count(json, "first", block->first);
    ptx_json_count(json, "end", block->end);
    put_index(json, "dominator", block->dominator);
    put_index(json, "post_dominator", block->post_dominator);
    put_index(json, "loop", block->loop);
    ptx_json_bool(json, "header", block->is_header);
    ptx_json_bool(json, "reachable", block->is_reachable);
    put_executions(json, kernel, block);
    put_divergence(json, kernel, graph->instructions[block->end - 1]);
    ptx_json_end(json);
}

static void put_graph_loop(Json *json, const ptxlint_module *module,
                           const ptxlint_graph_info *graph, const ptxlint_kernel *kernel,
                           size_t index)
{
    const ptxlint_loop *loop = &kernel->loops[index];
    int64_t header = -1;
    for (size_t i = 0; i < graph->block_count; i++)
        if (graph->blocks[i].is_header && graph->blocks[i].loop == (int64_t)index)
            header = (int64_t)i;
    ptx_json_object(json, NULL);
    ptx_json_count(json, "index", index);
    put_index(json, "header", header);
    put_index(json, "parent", loop->parent);
    ptx_json_int(json, "depth", loop->depth);
    ptx_json_bool(json, "irreducible", loop->is_irreducible);
    ptx_json_real(json, "trips", loop->trip.count);
    ptx_json_text(json, "trips_certainty",
                  ptx_report_certainty(isnan(loop->trip.count) ? PTXLINT_NOT_KNOWN
                                                               : loop->trip.certainty));
    ptx_json_text(json, "expression", loop->trip.expression);
    put_graph_source(json, module, loop->header.begin);
    ptx_json_end(json);
}

static void put_cfg_edge(Json *json, const ptxlint_edge *edge)
{
    ptx_json_object(json, NULL);
    ptx_json_count(json, "from", edge->from);
    put_index(json, "to", edge->to);
    ptx_json_bool(json, "falls_through", edge->is_fall_through);
    ptx_json_bool(json, "back", edge->is_back);
    ptx_json_end(json);
}

/* ---- dependences and calls ------------------------------------------------------------------- */

static const char *memory_word(const ptxlint_dependence *d)
{
    if (d->from_writes && d->to_writes)
        return "write after write";
    return d->from_writes ? "read after write" : "write after read";
}

static void put_dependence(Json *json, const ptxlint_dependence *d)
{
    static const char *const kinds[] = { [PTXLINT_DEPENDENCE_REGISTER] = "register",
                                         [PTXLINT_DEPENDENCE_MEMORY] = "memory",
                                         [PTXLINT_DEPENDENCE_CONTROL] = "control" };
    ptx_json_object(json, NULL);
    ptx_json_count(json, "from", d->from);
    ptx_json_count(json, "to", d->to);
    ptx_json_text(json, "kind", kinds[d->kind]);
    ptx_json_text(json, "certainty",
                  ptx_report_certainty(d->kind == PTXLINT_DEPENDENCE_CONTROL ? PTXLINT_EXACT
                                                                             : PTXLINT_BOUND));
    ptx_json_name(json, "name", d->name);
    ptx_json_text(json, "order",
                  d->kind == PTXLINT_DEPENDENCE_MEMORY ? memory_word(d) : NULL);
    ptx_json_bool(json, "carried", d->is_carried);
    ptx_json_end(json);
}

static void put_graph_call(Json *json, const ptxlint_call *call)
{
    ptx_json_object(json, NULL);
    ptx_json_text(json, "caller", call->caller);
    ptx_json_text(json, "callee", call->callee);
    ptx_json_bool(json, "defined", call->is_defined);
    ptx_json_bool(json, "recursive", call->is_recursive);
    ptx_json_end(json);
}

static void put_graph_instruction(Json *json, const ptxlint_module *module, ptxlint_span span)
{
    char statement[STATEMENT_BYTES];
    ptx_json_object(json, NULL);
    put_graph_place(json, module, span);
    ptxlint_module_statement(module, span.begin, statement, sizeof statement);
    ptx_json_text(json, "statement", statement);
    ptx_json_end(json);
}

/* ---- what is recognized ---------------------------------------------------------------------- */

static void put_recognized_link(Json *json, const ptxlint_recognition *of, const ptxlint_link *link)
{
    static const char *const kinds[] = { [PTXLINT_LINK_STRUCTURAL] = "structural",
                                         [PTXLINT_LINK_FLOW] = "flow",
                                         [PTXLINT_LINK_CONTROL] = "control" };
    const char *index = ptxlint_recognition_index_name(of, link->from);
    ptx_json_object(json, NULL);
    ptx_json_int(json, "from", index ? PTXLINT_UNKNOWN : (int64_t)link->from);
    ptx_json_text(json, "from_index", index);
    ptx_json_count(json, "to", link->to);
    ptx_json_text(json, "kind", kinds[link->kind]);
    ptx_json_bool(json, "by_memory", link->is_by_memory);
    ptx_json_end(json);
}

static void put_recognized_links(Json *json, const ptxlint_module *module,
                                 const ptxlint_recognition *of)
{
    size_t count, link_count;
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    const ptxlint_link *links = ptxlint_recognition_links(of, &link_count);
    ptx_json_array(json, "recognized");
    for (size_t i = 0; i < count; i++)
        ptx_json_recognized(json, module, &items[i]);
    ptx_json_end(json);
    ptx_json_array(json, "links");
    for (size_t i = 0; i < link_count; i++)
        put_recognized_link(json, of, &links[i]);
    ptx_json_end(json);
    ptx_json_bool(json, "links_cut",
                  ptxlint_recognition_is_cut(of) || ptxlint_recognition_is_links_cut(of));
}

/* ---- all ------------------------------------------------------------------------------------- */

static void put_flow(Json *json, const ptxlint_module *module, const ptxlint_kernel *kernel,
                     const ptxlint_graph_info *graph)
{
    ptx_json_array(json, "blocks");
    for (size_t i = 0; i < graph->block_count; i++)
        put_graph_block(json, module, kernel, graph, i);
    ptx_json_end(json);
    ptx_json_array(json, "edges");
    for (size_t i = 0; i < graph->edge_count; i++)
        put_cfg_edge(json, &graph->edges[i]);
    ptx_json_end(json);
    ptx_json_bool(json, "unknown_target", graph->has_unknown_target);
    ptx_json_array(json, "loops");
    for (size_t i = 0; i < kernel->loop_count; i++)
        put_graph_loop(json, module, graph, kernel, i);
    ptx_json_end(json);
}

static void put_dependences(Json *json, const ptxlint_module *module,
                            const ptxlint_graph_info *graph)
{
    ptx_json_array(json, "instructions");
    for (size_t i = 0; i < graph->instruction_count; i++)
        put_graph_instruction(json, module, graph->instructions[i]);
    ptx_json_end(json);
    ptx_json_array(json, "dependences");
    for (size_t i = 0; i < graph->dependence_count; i++)
        put_dependence(json, &graph->dependences[i]);
    ptx_json_end(json);
    ptx_json_bool(json, "dependences_cut", graph->is_cut);
    ptx_json_array(json, "calls");
    for (size_t i = 0; i < graph->call_count; i++)
        put_graph_call(json, &graph->calls[i]);
    ptx_json_end(json);
}

void ptx_json_graph(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                    const ptxlint_graph_info *graph, const ptxlint_recognition *of)
{
    const ptxlint_projection *p = graph_projection(kernel);
    Json own, *json = ptx_json_init(&own, out);
    ptx_out_text(out, "{");
    ptx_json_head(out, "ptxlint-graph/1");
    ptx_json_text(json, "path", ptxlint_module_get_info(module)->path);
    ptx_json_text(json, "kernel", kernel->name);
    ptx_json_text(json, "kernel_demangled", kernel->demangled);
    ptx_json_bool(json, "entry", kernel->is_entry);
    ptx_json_text(json, "gpu", p ? ptxlint_gpu_get_info(p->gpu)->name : NULL);
    put_flow(json, module, kernel, graph);
    put_dependences(json, module, graph);
    put_recognized_links(json, module, of);
    ptx_json_fission(json, module, ptxlint_recognition_fission(of));
    ptx_out_text(out, "}\n");
}
