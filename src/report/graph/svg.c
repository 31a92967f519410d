#include "report/graph/graph.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 12, LINE_HEIGHT = 16, FIRST_LINE = 20, HEAT_STEPS = 5, SELF_LOOP = 26 };

/* The colours of a picture that stands alone; within a page its style sheet has them. */
static const char *const style =
    "<style>\n"
    "svg.graph{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:#fff;"
    "color:#1b1f24}\n"
    ".graph rect.block{fill:#f6f8fa;stroke:#8c959f}\n"
    ".graph .heat1 rect.block{fill:#fff6dd}.graph .heat2 rect.block{fill:#ffe6b3}\n"
    ".graph .heat3 rect.block{fill:#ffd08a}.graph .heat4 rect.block{fill:#ffb46b}\n"
    ".graph .loop{fill:#0969da}.graph .dead{opacity:.5}\n"
    ".graph text{fill:#1b1f24;text-anchor:middle}.graph text.name{font-weight:600}\n"
    ".graph .edge{fill:none;stroke:#57606a;stroke-width:1.3}\n"
    ".graph .back{stroke:#0969da;stroke-width:1.8}.graph .divergent{stroke-dasharray:5 3}\n"
    ".graph .arrow{fill:#57606a}.graph .arrow.back{fill:#0969da;stroke:none}\n"
    "@media (prefers-color-scheme:dark){svg.graph{background:#0d1117}"
    ".graph rect.block{fill:#161b22;stroke:#6e7681}"
    ".graph .heat1 rect.block{fill:#2e2612}.graph .heat2 rect.block{fill:#4a3510}"
    ".graph .heat3 rect.block{fill:#6b430e}.graph .heat4 rect.block{fill:#8a4b12}"
    ".graph text{fill:#e6edf3}.graph .edge{stroke:#9198a1}.graph .back{stroke:#58a6ff}"
    ".graph .arrow{fill:#9198a1}.graph .arrow.back{fill:#58a6ff}.graph .loop{fill:#58a6ff}}\n"
    "</style>\n";

static void put_point(Out *out, const char *before, double x, double y)
{
    ptx_out_text(out, before);
    ptx_out_text(out, ptx_figure_place(x + MARGIN).text);
    ptx_out_text(out, " ");
    ptx_out_text(out, ptx_figure_place(y + MARGIN).text);
}

static void put_svg_number(Out *out, const char *before, double number)
{
    ptx_out_text(out, before);
    ptx_out_text(out, ptx_figure_place(number).text);
    ptx_out_text(out, "\"");
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* A curve from one layer to the next, whose ends point straight up or down. */
static void put_bow(Out *out, LayeredPoint from, LayeredPoint to)
{
    const double middle = (from.y + to.y) / 2;
    if (fabs(from.x - to.x) < 0.5) {
        put_point(out, "L", to.x, to.y);
        return;
    }
    put_point(out, "C", from.x, middle);
    put_point(out, " ", to.x, middle);
    put_point(out, " ", to.x, to.y);
}

static void put_edge_class(Out *out, const char *kind, const PictureEdge *edge)
{
    ptx_out_format(out, "class=\"%s", kind);
    ptx_out_text(out, edge->is_blue ? " back" : "");
    ptx_out_text(out, edge->is_dashed ? " divergent\"" : "\"");
}

/* At the end of a way that comes from above, or from below. */
static void put_arrow(Out *out, const PictureEdge *edge, LayeredPoint end, bool is_up)
{
    const double back = is_up ? 7 : -7;
    ptx_out_text(out, "<path ");
    put_edge_class(out, "arrow", edge);
    put_point(out, " d=\"M", end.x, end.y);
    put_point(out, "L", end.x - 4, end.y + back);
    put_point(out, "L", end.x + 4, end.y + back);
    ptx_out_text(out, "z\"/>\n");
}

static void put_self_loop(Out *out, const PictureEdge *edge, const LayeredNode *node)
{
    const double right = node->x + node->width / 2, low = node->y + node->height - 12,
                 high = node->y + 12;
    ptx_out_text(out, "<path ");
    put_edge_class(out, "edge", edge);
    put_point(out, " d=\"M", right, low);
    put_point(out, "C", right + SELF_LOOP, low);
    put_point(out, " ", right + SELF_LOOP, high);
    put_point(out, " ", right + 6, high);
    ptx_out_text(out, "\"/><path ");
    put_edge_class(out, "arrow", edge);
    put_point(out, " d=\"M", right, high);
    put_point(out, "L", right + 7, high - 4);
    put_point(out, "L", right + 7, high + 4);
    ptx_out_text(out, "z\"/>\n");
}

static void put_svg_edge(Out *out, const Picture *picture, uint32_t number)
{
    const PictureEdge *edge = &picture->edges[number];
    const LayeredEdge *way = &picture->layout.edges[number];
    if (way->point_count < 2) {
        put_self_loop(out, edge, &picture->layout.nodes[edge->from]);
        return;
    }
    ptx_out_text(out, "<path ");
    put_edge_class(out, "edge", edge);
    put_point(out, " d=\"M", way->points[0].x, way->points[0].y);
    for (uint32_t i = 1; i < way->point_count; i++)
        put_bow(out, way->points[i - 1], way->points[i]);
    if (edge->label)
        ptx_out_format(out, "\"><title>%s</title></path>\n", edge->label);
    else
        ptx_out_text(out, "\"/>\n");
    put_arrow(out, edge, way->points[way->point_count - 1], way->is_turned);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int heat_step(double heat)
{
    if (isnan(heat) || heat < 0.02)
        return 0;
    if (heat < 0.1)
        return 1;
    if (heat < 0.25)
        return 2;
    return heat < 0.5 ? 3 : 4;
}

static void put_stripes(Out *out, const PictureNode *node, double x, double y, double height)
{
    for (uint32_t i = 0; i < node->depth && i < 4; i++) {
        put_svg_number(out, "<rect class=\"loop\" x=\"", x + 4 * i);
        put_svg_number(out, " y=\"", y);
        put_svg_number(out, " width=\"3\" height=\"", height);
        ptx_out_text(out, "/>");
    }
}

static void put_svg_node(Out *out, const Picture *picture, uint32_t number, const char *link)
{
    const PictureNode *node = &picture->nodes[number];
    const LayeredNode *place = &picture->layout.nodes[number];
    const double x = place->x - place->width / 2 + MARGIN, y = place->y + MARGIN;
    const bool is_link = link && node->first_line;      /* an index of the grid has no line */
    if (is_link)
        ptx_out_format(out, "<a href=\"%s%u\">", link, node->first_line);
    ptx_out_format(out, "<g class=\"heat%d%s\">", heat_step(node->heat),
                   node->is_reachable ? "" : " dead");
    put_svg_number(out, "<rect class=\"block\" rx=\"5\" x=\"", x);
    put_svg_number(out, " y=\"", y);
    put_svg_number(out, " width=\"", place->width);
    put_svg_number(out, " height=\"", place->height);
    ptx_out_text(out, "/>");
    put_stripes(out, node, x, y + 5, place->height - 10);
    for (unsigned i = 0; i < node->line_count; i++) {
        put_svg_number(out, i ? "<text x=\"" : "<text class=\"name\" x=\"", place->x + MARGIN);
        put_svg_number(out, " y=\"", y + FIRST_LINE + LINE_HEIGHT * i);
        ptx_out_text(out, ">");
        ptx_markup_text(out, node->lines[i]);
        ptx_out_text(out, "</text>");
    }
    ptx_out_text(out, is_link ? "</g></a>\n" : "</g>\n");
}

/* ---- all ------------------------------------------------------------------------------------- */

void ptx_svg_picture(Out *out, const Picture *picture, const char *link)
{
    const double width = ceil(picture->layout.width + 2 * MARGIN + SELF_LOOP),
                 height = ceil(picture->layout.height + 2 * MARGIN);
    ptx_out_format(out, "<svg class=\"graph\" role=\"%s\"", link ? "group" : "img");
    if (!link)
        ptx_out_text(out, " xmlns=\"http://www.w3.org/2000/svg\"");
    put_svg_number(out, " width=\"", width);
    put_svg_number(out, " height=\"", height);
    ptx_out_text(out, " viewBox=\"0 0 ");
    ptx_out_text(out, ptx_figure_place(width).text);
    put_svg_number(out, " ", height);
    ptx_out_text(out, " aria-label=\"");
    ptx_markup_text(out, picture->title);
    ptx_out_text(out, "\">\n");
    if (!link)
        ptx_out_text(out, style);
    for (uint32_t e = 0; e < picture->layout.edge_count; e++)
        put_svg_edge(out, picture, e);
    for (uint32_t n = 0; n < picture->layout.node_count; n++)
        put_svg_node(out, picture, n, link);
    ptx_out_text(out, "</svg>\n");
}
