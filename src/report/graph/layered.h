/* layered.h -- places the nodes of a directed graph in layers, so that most edges point down, and
 * routes the edges between them.
 *
 * Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System
 * Structures" (IEEE SMC 1981): edges that close a cycle are turned, each node comes a layer below
 * the lowest of those that lead to it, longer edges get a bend in each layer, layers are ordered by
 * the means of neighbours, and of the orders the one with the fewest crossings is kept. Within a
 * layer nodes go as near to the mean of their neighbours as their order allows (isotonic
 * regression, pool adjacent violators).
 */
#ifndef PTX_REPORT_GRAPH_LAYERED_H
#define PTX_REPORT_GRAPH_LAYERED_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LAYERED_NODES_MAX = 400,
    LAYERED_EDGES_MAX = 4000,
    LAYERED_BENDS_MAX = 40000,          /* of all edges together */
    LAYERED_GAP_X = 28,
    LAYERED_GAP_Y = 44
};

typedef struct LayeredNode {
    double width, height;       /* given */
    double x, y;                /* found: the middle of the upper side */
} LayeredNode;

typedef struct LayeredPoint { double x, y; } LayeredPoint;

typedef struct LayeredEdge {
    uint32_t from, to;          /* given: nodes */
    /* found, from its beginning to its end: two for each layer that it passes, at the upper and the
     * lower side; none of an edge from a node to itself */
    LayeredPoint *points;
    uint32_t point_count;
    bool is_turned;             /* points up */
} LayeredEdge;

/* Set up by the caller but for the size. Node 0 comes first. */
typedef struct Layered {
    LayeredNode *nodes;
    LayeredEdge *edges;
    uint32_t node_count, edge_count;
    double width, height;
    LayeredPoint *points;       /* of all edges; to be freed */
} Layered;

/* False: too large, or no memory. */
bool ptx_layered_place(Layered *graph);

#endif
