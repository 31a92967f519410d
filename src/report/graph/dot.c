#include "report/graph/graph.h"

#include <string.h>

/* In a quoted string of DOT: \ and " are escaped, lines end by \n. */
static void put_dot_text(Out *out, const char *text)
{
    for (const char *p = text; *p;) {
        const Glyph glyph = ptx_glyph_read(p, strlen(p), 0);
        if (glyph.length == 1 && (glyph.text[0] == '"' || glyph.text[0] == '\\'))
            ptx_out_text(out, "\\");
        ptx_out_bytes(out, glyph.text, glyph.length);
        p += glyph.source_bytes;
    }
}

static void put_dot_node(Out *out, const PictureNode *node)
{
    ptx_out_format(out, "  %u [label=\"", node->block);
    for (unsigned i = 0; i < node->line_count; i++) {
        put_dot_text(out, node->lines[i]);
        ptx_out_text(out, i + 1 < node->line_count ? "\\n" : "");
    }
    ptx_out_text(out, node->is_header ? "\", penwidth=2];\n" : "\"];\n");
}

static void put_dot_edge(Out *out, const PictureEdge *edge)
{
    ptx_out_format(out, "  %u -> %u", edge->from, edge->to);
    ptx_out_text(out, edge->is_blue ? " [color=blue]" : "");
    ptx_out_text(out, edge->is_dashed ? " [style=dashed]" : "");
    if (edge->label)
        ptx_out_format(out, " [label=\"%s\"]", edge->label);
    ptx_out_text(out, ";\n");
}

void ptx_dot_picture(Out *out, const Picture *picture)
{
    ptx_out_text(out, "digraph \"");
    put_dot_text(out, picture->title);
    ptx_out_text(out, "\" {\n  node [shape=box, fontname=monospace];\n");
    for (uint32_t n = 0; n < picture->layout.node_count; n++)
        put_dot_node(out, &picture->nodes[n]);
    for (uint32_t e = 0; e < picture->layout.edge_count; e++)
        put_dot_edge(out, &picture->edges[e]);
    if (picture->omitted)
        ptx_out_format(out, "  more [shape=none, label=\"%u more %s\"];\n", picture->omitted,
                       picture->noun);
    ptx_out_text(out, "}\n");
}
