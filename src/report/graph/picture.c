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

void ptx_picture_line(PictureNode *node, const char *format, ...)
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
            ptx_picture_line(node, "%.60s:%u", ptx_path_last(place.path), place.line);
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
        ptx_picture_line(node, "%s%s warps", mark, warps.text);
    else
        ptx_picture_line(node, "%s%s warps, %s %% of time", mark, warps.text,
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
        ptx_picture_line(node, "loop %lld, trips unknown", (long long)block->loop);
    else
        ptx_picture_line(node, "loop %lld, %s%s trips", (long long)block->loop,
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
        ptx_picture_line(node, "may diverge");
    else
        ptx_picture_line(node, "diverges in %s%s %%", certainty_mark(branch->certainty),
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
        ptx_picture_line(node, "%u  %.70s", id, block->label);
    else
        ptx_picture_line(node, "%u", id);
    ptx_picture_line(node, "%u instruction%s, line %u", count, count == 1 ? "" : "s",
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

bool ptx_picture_room(Picture *picture, size_t nodes, size_t edges)
{
    const size_t drawn = nodes < PICTURE_BLOCKS_MAX ? nodes : PICTURE_BLOCKS_MAX;
    picture->omitted = (uint32_t)(nodes - drawn);
    picture->layout.node_count = (uint32_t)drawn;
    picture->nodes = calloc(drawn, sizeof *picture->nodes);
    picture->edges = calloc(edges + 1, sizeof *picture->edges);
    picture->layout.nodes = calloc(drawn, sizeof *picture->layout.nodes);
    picture->layout.edges = calloc(edges + 1, sizeof *picture->layout.edges);
    return picture->nodes && picture->edges && picture->layout.nodes && picture->layout.edges;
}

void ptx_picture_edge(Picture *picture, PictureEdge edge)
{
    Layered *layout = &picture->layout;
    if (edge.from >= layout->node_count || edge.to >= layout->node_count
        || layout->edge_count == LAYERED_EDGES_MAX)
        return;
    picture->edges[layout->edge_count] = edge;
    layout->edges[layout->edge_count++] = (LayeredEdge){ .from = edge.from, .to = edge.to };
}

bool ptx_picture_place(Picture *picture)
{
    Layered *layout = &picture->layout;
    for (uint32_t i = 0; i < layout->node_count; i++) {
        const PictureNode *node = &picture->nodes[i];
        layout->nodes[i].width = node_width(node);
        layout->nodes[i].height = node->line_count * LINE_HEIGHT + 2 * PADDING_Y;
    }
    return ptx_layered_place(layout);
}

static void add_edges(PictureBuild *b)
{
    for (size_t e = 0; e < b->graph->edge_count; e++) {
        const ptxlint_edge *edge = &b->graph->edges[e];
        if (edge->from >= b->to->layout.node_count)
            continue;
        PictureNode *from = &b->to->nodes[edge->from];
        from->is_end |= edge->to < 0;
        if (edge->to >= 0 && edge->to < UINT32_MAX)
            ptx_picture_edge(b->to, (PictureEdge){ .from = edge->from, .to = (uint32_t)edge->to,
                                                   .is_blue = edge->is_back,
                                                   .is_dashed = from->is_divergent });
    }
}

ptxlint_status ptx_picture_make(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                const ptxlint_graph_info *graph, Picture *out)
{
    *out = (Picture){ .noun = "blocks" };
    if (!graph->block_count)
        return PTXLINT_BAD_ARGUMENT;
    PictureBuild b = { module, kernel, kernel->projection_count ? kernel->projections : NULL, graph,
                       out };
    bool is_made = ptx_picture_room(out, graph->block_count, graph->edge_count);
    if (is_made) {
        snprintf(out->title, sizeof out->title, "Control flow of %.100s",
                 ptx_kernel_short(kernel->name).text);
        for (uint32_t i = 0; i < out->layout.node_count; i++)
            describe_block(&b, i, &out->nodes[i]);
        add_edges(&b);
        is_made = ptx_picture_place(out);
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
