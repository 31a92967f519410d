#include "report/graph/graph.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a node, in pixels: what a character of its font takes, a line, and the room around them. */
static const double CHARACTER_WIDTH = 7.3;

enum { LINE_HEIGHT = 16, PADDING_X = 12, PADDING_Y = 8, WIDTH_MIN = 96 };

typedef struct PictureBuild {
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    const ptxlint_projection *projection;       /* NULL: on no GPU */
    const ptxlint_graph_info *graph;
    Picture *to;
} PictureBuild;

static void add_node_line(PictureNode *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_node_line(PictureNode *node, const char *format, ...)
{
    va_list arguments;
    if (node->line_count == PICTURE_LINES)
        return;
    va_start(arguments, format);
    vsnprintf(node->lines[node->line_count++], PICTURE_LINE_BYTES, format, arguments);
    va_end(arguments);
}

/* ---- what is said of a block ----------------------------------------------------------------- */

static const ptxlint_instruction *instruction_at(const PictureBuild *b, uint32_t number)
{
    const ptxlint_projection *p = b->projection;
    if (!p || number >= p->instruction_count || p->instructions[number].function)
        return NULL;
    return &p->instructions[number];
}

static double sum_shares(const PictureBuild *b, const ptxlint_block *block)
{
    double sum = 0;
    for (uint32_t i = block->first; i < block->end; i++) {
        const ptxlint_instruction *insn = instruction_at(b, i);
        if (!insn || isnan(insn->time_share))
            return (double)NAN;
        sum += insn->time_share;
    }
    return sum;
}

static void say_source(const PictureBuild *b, PictureNode *node, const ptxlint_block *block)
{
    ptxlint_source_place place;
    for (uint32_t i = block->first; i < block->end; i++)
        if (ptxlint_module_source_at(b->module, b->graph->instructions[i].begin, &place)) {
            add_node_line(node, "%.60s:%u", ptx_path_last(place.path), place.line);
            return;
        }
}

static const char *certainty_mark(ptxlint_certainty certainty)
{
    return certainty == PTXLINT_EXACT ? "" : "about ";
}

static void say_work(const PictureBuild *b, PictureNode *node, const ptxlint_block *block)
{
    const ptxlint_instruction *first = instruction_at(b, block->first);
    node->heat = sum_shares(b, block);
    if (!first || isnan(first->executions))
        return;
    const char *mark = certainty_mark(first->executions_certainty);
    const Figure warps = ptx_figure_commas(first->executions);
    if (isnan(node->heat))
        add_node_line(node, "%s%s warps", mark, warps.text);
    else
        add_node_line(node, "%s%s warps, %s %% of time", mark, warps.text,
                      ptx_figure_short(100 * node->heat).text);
}

static void say_loop(const PictureBuild *b, PictureNode *node, const ptxlint_block *block)
{
    if (block->loop < 0 || (size_t)block->loop >= b->kernel->loop_count)
        return;
    const ptxlint_loop *loop = &b->kernel->loops[block->loop];
    node->depth = loop->depth;
    node->is_header = block->is_header;
    if (!block->is_header)
        return;
    if (isnan(loop->trip.count))
        add_node_line(node, "loop %lld, trips unknown", (long long)block->loop);
    else
        add_node_line(node, "loop %lld, %s%s trips", (long long)block->loop,
                 certainty_mark(loop->trip.certainty), ptx_figure_commas(loop->trip.count).text);
}

static const ptxlint_branch *branch_of(const PictureBuild *b, const ptxlint_block *block)
{
    const ptxlint_span last = b->graph->instructions[block->end - 1];
    for (size_t i = 0; i < b->kernel->branch_count; i++)
        if (b->kernel->branches[i].span.begin == last.begin)
            return &b->kernel->branches[i];
    return NULL;
}

static void say_branch(const PictureBuild *b, PictureNode *node, const ptxlint_block *block)
{
    const ptxlint_branch *branch = branch_of(b, block);
    if (!branch || branch->splits < PTXLINT_SPLIT_PERHAPS || branch->divergent_percent <= 0)
        return;
    node->is_divergent = true;
    if (isnan(branch->divergent_percent))
        add_node_line(node, "may diverge");
    else
        add_node_line(node, "diverges in %s%s %%", certainty_mark(branch->certainty),
                 ptx_figure_short(branch->divergent_percent).text);
}

static void describe_block(const PictureBuild *b, uint32_t id, PictureNode *node)
{
    const ptxlint_block *block = &b->graph->blocks[id];
    const uint32_t count = block->end - block->first;
    node->block = id;
    node->heat = (double)NAN;
    node->is_reachable = block->is_reachable;
    node->first_line = ptxlint_module_place(b->module, block->span.begin).line;
    node->last_line = ptxlint_module_place(b->module, block->span.end - 1).line;
    if (*block->label)
        add_node_line(node, "%u  %.70s", id, block->label);
    else
        add_node_line(node, "%u", id);
    add_node_line(node, "%u instruction%s, line %u", count, count == 1 ? "" : "s",
                  node->first_line);
    say_source(b, node, block);
    say_work(b, node, block);
    say_loop(b, node, block);
    say_branch(b, node, block);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static double node_width(const PictureNode *node)
{
    size_t most = 0;
    for (unsigned i = 0; i < node->line_count; i++) {
        const size_t length = strlen(node->lines[i]);
        most = length > most ? length : most;
    }
    return fmax(WIDTH_MIN, (double)most * CHARACTER_WIDTH + 2 * PADDING_X);
}

static void add_nodes(PictureBuild *b)
{
    Layered *layout = &b->to->layout;
    for (uint32_t i = 0; i < layout->node_count; i++) {
        PictureNode *node = &b->to->nodes[i];
        describe_block(b, i, node);
        layout->nodes[i].width = node_width(node);
        layout->nodes[i].height = node->line_count * LINE_HEIGHT + 2 * PADDING_Y;
    }
}

static void add_edges(PictureBuild *b)
{
    Layered *layout = &b->to->layout;
    for (size_t e = 0; e < b->graph->edge_count; e++) {
        const ptxlint_edge *edge = &b->graph->edges[e];
        if (edge->from >= layout->node_count)
            continue;
        PictureNode *from = &b->to->nodes[edge->from];
        from->is_end |= edge->to < 0;
        if (edge->to < 0 || edge->to >= layout->node_count
            || layout->edge_count == LAYERED_EDGES_MAX)
            continue;
        b->to->edges[layout->edge_count] = (PictureEdge){ edge->from, (uint32_t)edge->to,
                                                          edge->is_back, edge->is_fall_through,
                                                          from->is_divergent };
        layout->edges[layout->edge_count++] = (LayeredEdge){ .from = edge->from,
                                                             .to = (uint32_t)edge->to };
    }
}

static bool make_picture_room(Picture *picture, const ptxlint_graph_info *graph)
{
    const size_t all = graph->block_count, edges = graph->edge_count + 1,
                 nodes = all < PICTURE_BLOCKS_MAX ? all : PICTURE_BLOCKS_MAX;
    picture->omitted = (uint32_t)(all - nodes);
    picture->layout.node_count = (uint32_t)nodes;
    picture->nodes = calloc(nodes, sizeof *picture->nodes);
    picture->edges = calloc(edges, sizeof *picture->edges);
    picture->layout.nodes = calloc(nodes, sizeof *picture->layout.nodes);
    picture->layout.edges = calloc(edges, sizeof *picture->layout.edges);
    return picture->nodes && picture->edges && picture->layout.nodes && picture->layout.edges;
}

ptxlint_status ptx_picture_make(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                const ptxlint_graph_info *graph, Picture *out)
{
    *out = (Picture){ 0 };
    if (!graph->block_count)
        return PTXLINT_BAD_ARGUMENT;
    PictureBuild b = { module, kernel, kernel->projection_count ? kernel->projections : NULL, graph,
                       out };
    bool is_made = make_picture_room(out, graph);
    if (is_made) {
        snprintf(out->title, sizeof out->title, "Control flow of %.100s",
                 ptx_kernel_short(kernel->name).text);
        add_nodes(&b);
        add_edges(&b);
        is_made = ptx_layered_place(&out->layout);
    }
    if (!is_made)
        ptx_picture_free(out);
    return is_made ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

void ptx_picture_free(Picture *picture)
{
    free(picture->nodes);
    free(picture->edges);
    free(picture->layout.nodes);
    free(picture->layout.edges);
    free(picture->layout.points);
    *picture = (Picture){ 0 };
}
