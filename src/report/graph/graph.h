/* graph.h -- the control flow of a function as a picture, what it computes as another, and the
 * graphs of it for programs.
 *
 *   markup.c    text made safe for HTML and XML
 *   layered.c   where nodes and edges go (layered.h)
 *   picture.c   what is drawn: blocks with their figures, placed
 *   links.c     the same of what is recognized, and links
 *   svg.c       the picture as SVG, alone or within a page
 *   dot.c       the same for graphviz
 *   graph_json.c  schema ptxlint-graph/1 */
#ifndef PTX_REPORT_GRAPH_GRAPH_H
#define PTX_REPORT_GRAPH_GRAPH_H

#include "report/graph/layered.h"
#include "report/report.h"

/* ---- markup.c -------------------------------------------------------------------------------- */

/* Text from outside, in an element or in a quoted attribute: & < > " ' as references, the rest as
 * ptx_glyph_read shows it. */
void ptx_markup_bytes(Out *out, const char *text, size_t length);
void ptx_markup_text(Out *out, const char *text);

/* Whole numbers with commas from 10,000 on, "1,048,576"; others as ptx_figure_short. "unknown". */
Figure ptx_figure_commas(double number);

/* A coordinate: at most one decimal. */
Figure ptx_figure_place(double number);

/* ---- picture.c ------------------------------------------------------------------------------- */

enum {
    PICTURE_BLOCKS_MAX = 160,           /* that are drawn: the first ones in order of the text */
    PICTURE_LINES = 5,
    PICTURE_LINE_BYTES = 96
};

typedef struct PictureNode {
    uint32_t block;             /* of the graph */
    char lines[PICTURE_LINES][PICTURE_LINE_BYTES];
    unsigned line_count;
    uint32_t first_line, last_line;     /* of the PTX */
    double heat;                /* share of the time, else of the executed instructions; NaN */
    uint32_t depth;             /* of loops */
    bool is_header, is_divergent, is_reachable, is_end;
} PictureNode;

typedef struct PictureEdge {
    uint32_t from, to;          /* nodes */
    /* blue: back to a header; structural. dashed: lanes diverge; control */
    bool is_blue, is_dashed;
    const char *label;          /* NULL: none */
} PictureEdge;

typedef struct Picture {
    PictureNode *nodes;
    PictureEdge *edges;         /* as many as layout has */
    Layered layout;
    uint32_t omitted;           /* blocks, or rows, that are not drawn */
    const char *noun;           /* "blocks" */
    char title[128];
} Picture;

/* projection: whose figures; NULL: none. PTXLINT_BAD_ARGUMENT: there is nothing to draw. */
ptxlint_status ptx_picture_make(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                const ptxlint_graph_info *graph, Picture *out);
void ptx_picture_free(Picture *picture);

/* Room for that many nodes, or as many as are drawn, and edges; false: no memory. */
bool ptx_picture_room(Picture *picture, size_t nodes, size_t edges);
void ptx_picture_line(PictureNode *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An edge between two nodes that are drawn, where one more is. */
void ptx_picture_edge(Picture *picture, PictureEdge edge);
/* When nodes have their lines, and all edges are there. */
bool ptx_picture_place(Picture *picture);

/* ---- links.c --------------------------------------------------------------------------------- */

/* As ptx_picture_make. */
ptxlint_status ptx_picture_of_links(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                    const ptxlint_recognition *of, Picture *out);

/* ---- svg.c, dot.c, graph_json.c -------------------------------------------------------------- */

/* link: what the address of a node's line begins with, as "#k3-l"; NULL: the picture stands alone,
 * with its style in it. */
void ptx_svg_picture(Out *out, const Picture *picture, const char *link);
void ptx_dot_picture(Out *out, const Picture *picture);
void ptx_json_graph(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                    const ptxlint_graph_info *graph, const ptxlint_recognition *of);

#endif
