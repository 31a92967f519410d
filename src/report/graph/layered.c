#include "report/graph/layered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_SWEEPS = 16, PLACE_SWEEPS = 24, BEND_WIDTH = 10 };

/* A node, or a bend of an edge. */
typedef struct LayerSlot {
    uint32_t layer, place;      /* place: in the order of its layer */
    double width, height;
    double x, y;                /* of the middle of the upper side */
    uint32_t up_first, up_count, down_first, down_count;        /* into the neighbour lists */
    bool is_bend;
} LayerSlot;

typedef struct Link { uint32_t from, to; } Link;

/* A slot as it is to be ordered: by the mean place of its neighbours. */
typedef struct OrderKey {
    double mean;
    uint32_t place, slot;
} OrderKey;

/* Slots side by side that are moved together. */
typedef struct LayerPool {
    double sum, weight;         /* of where they would be; of that weight */
    uint32_t first;
} LayerPool;

typedef struct LayeredBuild {
    Layered *graph;
    LayerSlot *slots;
    uint32_t slot_count, layer_count;
    Link *links;                /* between layers that follow each other */
    uint32_t link_count;
    uint32_t *first_bend;       /* per edge */
    uint32_t *up, *down;        /* neighbours */
    uint32_t *order;            /* slots by layer and place */
    uint32_t *layer_first;      /* per layer and one more: into order */
    uint32_t *best;             /* the best order so far */
    uint32_t *tree;             /* for counting crossings */
    OrderKey *keys;
    LayerPool *pools;
    void *memory;
} LayeredBuild;

/* ---- layers ---------------------------------------------------------------------------------- */

typedef struct DepthFirst {
    uint32_t *first, *targets;  /* edges by node */
    uint32_t *next, *stack;
    uint8_t *state;             /* 0: new, 1: on the stack, 2: done */
    uint32_t *done;             /* in order of being done */
    uint32_t done_count;
} DepthFirst;

static void list_edges(const Layered *graph, DepthFirst *search)
{
    for (uint32_t e = 0; e < graph->edge_count; e++)
        search->first[graph->edges[e].from + 1]++;
    for (uint32_t n = 0; n < graph->node_count; n++)
        search->first[n + 1] += search->first[n];
    memcpy(search->next, search->first, graph->node_count * sizeof *search->next);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        search->targets[search->next[graph->edges[e].from]++] = e;
    memcpy(search->next, search->first, graph->node_count * sizeof *search->next);
}

static void search_down(const Layered *graph, DepthFirst *search, uint32_t root)
{
    uint32_t depth = 0;
    search->stack[depth++] = root;
    search->state[root] = 1;
    while (depth) {
        const uint32_t node = search->stack[depth - 1];
        if (search->next[node] == search->first[node + 1]) {
            search->state[node] = 2;
            search->done[search->done_count++] = node;
            depth--;
            continue;
        }
        LayeredEdge *edge = &graph->edges[search->targets[search->next[node]++]];
        edge->is_turned = search->state[edge->to] == 1 && edge->to != node;
        if (search->state[edge->to] == 0) {
            search->state[edge->to] = 1;
            search->stack[depth++] = edge->to;
        }
    }
}

static uint32_t upper_end(const LayeredEdge *edge)
{
    return edge->is_turned ? edge->to : edge->from;
}

static uint32_t lower_end(const LayeredEdge *edge)
{
    return edge->is_turned ? edge->from : edge->to;
}

/* Below the lowest of those that lead there: in the reverse of the order in which they were done, a
 * node comes before all that it leads to. */
static void sink_nodes(const LayeredBuild *b, const DepthFirst *search)
{
    const Layered *graph = b->graph;
    for (uint32_t i = search->done_count; i-- > 0;) {
        const uint32_t node = search->done[i];
        for (uint32_t t = search->first[node]; t < search->first[node + 1]; t++) {
            const LayeredEdge *edge = &graph->edges[search->targets[t]];
            LayerSlot *to = &b->slots[edge->to];
            if (!edge->is_turned && edge->to != node && to->layer <= b->slots[node].layer)
                to->layer = b->slots[node].layer + 1;
        }
    }
}

static bool find_layers(LayeredBuild *b)
{
    const Layered *graph = b->graph;
    const size_t nodes = graph->node_count + 2, edges = graph->edge_count + 1;
    uint32_t *memory = calloc(5 * nodes + edges, sizeof *memory);
    DepthFirst search = { .state = calloc(nodes, 1) };
    bool has_memory = memory && search.state;
    if (has_memory) {
        search.first = memory;
        search.next = memory + nodes;
        search.stack = memory + 2 * nodes;
        search.done = memory + 3 * nodes;
        search.targets = memory + 4 * nodes;
        list_edges(graph, &search);
        for (uint32_t n = 0; n < graph->node_count; n++)
            if (search.state[n] == 0)
                search_down(graph, &search, n);
        sink_nodes(b, &search);
    }
    free(memory);
    free(search.state);
    for (uint32_t n = 0; n < graph->node_count; n++)
        if (b->slots[n].layer >= b->layer_count)
            b->layer_count = b->slots[n].layer + 1;
    return has_memory;
}

/* ---- bends ----------------------------------------------------------------------------------- */

static uint32_t count_bends(const LayeredBuild *b)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < b->graph->edge_count; e++) {
        const LayeredEdge *edge = &b->graph->edges[e];
        const uint32_t span = b->slots[lower_end(edge)].layer - b->slots[upper_end(edge)].layer;
        count += span > 1 ? span - 1 : 0;
        if (count > LAYERED_BENDS_MAX)
            return count;
    }
    return count;
}

static void add_bends(LayeredBuild *b)
{
    for (uint32_t e = 0; e < b->graph->edge_count; e++) {
        const LayeredEdge *edge = &b->graph->edges[e];
        uint32_t at = upper_end(edge);
        const uint32_t lower = lower_end(edge);
        b->first_bend[e] = b->slot_count;
        if (edge->from == edge->to)
            continue;
        while (b->slots[at].layer + 1 < b->slots[lower].layer) {
            const uint32_t bend = b->slot_count++;
            b->slots[bend] = (LayerSlot){ .layer = b->slots[at].layer + 1, .width = BEND_WIDTH,
                                     .is_bend = true };
            b->links[b->link_count++] = (Link){ at, bend };
            at = bend;
        }
        b->links[b->link_count++] = (Link){ at, lower };
    }
}

static void link_slots(LayeredBuild *b)
{
    uint32_t up = 0, down = 0;
    for (uint32_t l = 0; l < b->link_count; l++) {
        b->slots[b->links[l].from].down_count++;
        b->slots[b->links[l].to].up_count++;
    }
    for (uint32_t s = 0; s < b->slot_count; s++) {
        LayerSlot *slot = &b->slots[s];
        slot->up_first = up;
        slot->down_first = down;
        up += slot->up_count;
        down += slot->down_count;
        slot->up_count = slot->down_count = 0;
    }
    for (uint32_t l = 0; l < b->link_count; l++) {
        LayerSlot *from = &b->slots[b->links[l].from], *to = &b->slots[b->links[l].to];
        b->down[from->down_first + from->down_count++] = b->links[l].to;
        b->up[to->up_first + to->up_count++] = b->links[l].from;
    }
}

/* ---- the order in layers --------------------------------------------------------------------- */

static void number_slots(LayeredBuild *b)
{
    for (uint32_t l = 0; l < b->layer_count; l++)
        for (uint32_t i = b->layer_first[l]; i < b->layer_first[l + 1]; i++)
            b->slots[b->order[i]].place = i - b->layer_first[l];
}

static void fill_layers(LayeredBuild *b)
{
    for (uint32_t s = 0; s < b->slot_count; s++)
        b->layer_first[b->slots[s].layer + 1]++;
    for (uint32_t l = 0; l < b->layer_count; l++)
        b->layer_first[l + 1] += b->layer_first[l];
    for (uint32_t s = b->slot_count; s-- > 0;) {
        const uint32_t at = --b->layer_first[b->slots[s].layer + 1];
        b->order[at] = s;
    }
    for (uint32_t l = 0; l < b->layer_count; l++)
        b->layer_first[l] = b->layer_first[l + 1];
    b->layer_first[b->layer_count] = b->slot_count;
    number_slots(b);
}

static int compare_keys(const void *left, const void *right)
{
    const OrderKey *a = left, *b = right;
    if (a->mean < b->mean || a->mean > b->mean)
        return a->mean < b->mean ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static double mean_place(const LayeredBuild *b, const LayerSlot *slot, bool is_down)
{
    const uint32_t *list = is_down ? b->up + slot->up_first : b->down + slot->down_first;
    const uint32_t count = is_down ? slot->up_count : slot->down_count;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += b->slots[list[i]].place;
    return count ? sum / count : slot->place;
}

static void order_layer(LayeredBuild *b, uint32_t layer, bool is_down)
{
    uint32_t *begin = b->order + b->layer_first[layer];
    const uint32_t count = b->layer_first[layer + 1] - b->layer_first[layer];
    for (uint32_t i = 0; i < count; i++)
        b->keys[i] = (OrderKey){ mean_place(b, &b->slots[begin[i]], is_down), i, begin[i] };
    qsort(b->keys, count, sizeof *b->keys, compare_keys);
    for (uint32_t i = 0; i < count; i++) {
        begin[i] = b->keys[i].slot;
        b->slots[begin[i]].place = i;
    }
}

/* How many links have been taken whose lower end is at a place behind this one; takes it. */
static uint64_t cross_links(LayeredBuild *b, uint32_t place, uint32_t width)
{
    uint64_t count = 0;
    for (uint32_t i = width - 1 - place; i > 0; i -= i & -i)
        count += b->tree[i];
    for (uint32_t i = width - place; i <= width; i += i & -i)
        b->tree[i]++;
    return count;
}

static int compare_lower(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Barth, Juenger and Mutzel, "Simple and Efficient Bilayer Cross Counting" (GD 2002). */
static uint64_t count_crossings(LayeredBuild *b)
{
    uint64_t count = 0;
    uint32_t *places = b->best + b->slot_count;
    for (uint32_t l = 0; l + 1 < b->layer_count; l++) {
        const uint32_t width = b->layer_first[l + 2] - b->layer_first[l + 1];
        memset(b->tree, 0, (width + 1) * sizeof *b->tree);
        for (uint32_t i = b->layer_first[l]; i < b->layer_first[l + 1]; i++) {
            const LayerSlot *slot = &b->slots[b->order[i]];
            for (uint32_t d = 0; d < slot->down_count; d++)
                places[d] = b->slots[b->down[slot->down_first + d]].place;
            qsort(places, slot->down_count, sizeof *places, compare_lower);
            for (uint32_t d = 0; d < slot->down_count; d++)
                count += cross_links(b, places[d], width);
        }
    }
    return count;
}

static void order_layers(LayeredBuild *b)
{
    uint64_t least = count_crossings(b);
    memcpy(b->best, b->order, b->slot_count * sizeof *b->best);
    for (uint32_t sweep = 0; sweep < ORDER_SWEEPS && least; sweep++) {
        bool is_down = sweep % 2 == 0;
        for (uint32_t i = 1; i < b->layer_count; i++)
            order_layer(b, is_down ? i : b->layer_count - 1 - i, is_down);
        const uint64_t count = count_crossings(b);
        if (count < least)
            memcpy(b->best, b->order, b->slot_count * sizeof *b->best);
        least = count < least ? count : least;
    }
    memcpy(b->order, b->best, b->slot_count * sizeof *b->order);
    number_slots(b);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Of the middles of neighbours; bends count for more, so that long edges are straight. */
static double wanted_x(const LayeredBuild *b, const LayerSlot *slot, bool is_down, double *weight)
{
    const uint32_t *list = is_down ? b->up + slot->up_first : b->down + slot->down_first;
    const uint32_t count = is_down ? slot->up_count : slot->down_count;
    double sum = 0, all = 0;
    for (uint32_t i = 0; i < count; i++) {
        const LayerSlot *other = &b->slots[list[i]];
        const double share = other->is_bend == slot->is_bend ? 2 : 1;
        sum += share * other->x;
        all += share;
    }
    *weight = 1;
    if (count && slot->is_bend && b->slots[list[0]].is_bend)
        *weight = 8;
    if (!count)
        *weight = 0.1;
    return count ? sum / all : slot->x;
}

static double apart(const LayerSlot *left, const LayerSlot *right)
{
    return (left->width + right->width) / 2 + LAYERED_GAP_X;
}

/* The least sum of squares under which each stays right of the one before: offsets are taken off,
 * runs that would fall are pooled, and offsets put on again. */
static void place_layer(LayeredBuild *b, uint32_t layer, bool is_down)
{
    const uint32_t *begin = b->order + b->layer_first[layer];
    const uint32_t count = b->layer_first[layer + 1] - b->layer_first[layer];
    uint32_t pool_count = 0;
    double offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        const LayerSlot *slot = &b->slots[begin[i]];
        double weight;
        offset += i ? apart(&b->slots[begin[i - 1]], slot) : 0;
        const double wanted = wanted_x(b, slot, is_down, &weight) - offset;
        b->pools[pool_count++] = (LayerPool){ wanted * weight, weight, i };
        while (pool_count > 1) {
            LayerPool *last = &b->pools[pool_count - 1], *before = last - 1;
            if (before->sum / before->weight <= last->sum / last->weight)
                break;
            before->sum += last->sum;
            before->weight += last->weight;
            pool_count--;
        }
    }
    offset = 0;
    for (uint32_t p = 0, i = 0; p < pool_count; p++) {
        const uint32_t end = p + 1 < pool_count ? b->pools[p + 1].first : count;
        for (; i < end; i++) {
            offset += i ? apart(&b->slots[begin[i - 1]], &b->slots[begin[i]]) : 0;
            b->slots[begin[i]].x = b->pools[p].sum / b->pools[p].weight + offset;
        }
    }
}

static void place_slots(LayeredBuild *b)
{
    for (uint32_t l = 0; l < b->layer_count; l++) {
        double x = 0;
        for (uint32_t i = b->layer_first[l]; i < b->layer_first[l + 1]; i++) {
            LayerSlot *slot = &b->slots[b->order[i]];
            x += i > b->layer_first[l] ? apart(&b->slots[b->order[i - 1]], slot) : 0;
            slot->x = x;
        }
    }
    for (uint32_t sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
        bool is_down = sweep % 2 == 0;
        for (uint32_t i = 1; i < b->layer_count; i++)
            place_layer(b, is_down ? i : b->layer_count - 1 - i, is_down);
    }
}

/* ---- what is found --------------------------------------------------------------------------- */

static double left_side(const LayeredBuild *b)
{
    double least = b->slot_count ? b->slots[0].x - b->slots[0].width / 2 : 0;
    for (uint32_t s = 1; s < b->slot_count; s++)
        least = fmin(least, b->slots[s].x - b->slots[s].width / 2);
    return least;
}

/* Heights of layers, from the top; y of each. */
static void show_nodes(LayeredBuild *b)
{
    Layered *graph = b->graph;
    const double left = left_side(b);
    double y = 0;
    for (uint32_t l = 0; l < b->layer_count; l++) {
        double height = 0;
        for (uint32_t i = b->layer_first[l]; i < b->layer_first[l + 1]; i++)
            height = fmax(height, b->slots[b->order[i]].height);
        for (uint32_t i = b->layer_first[l]; i < b->layer_first[l + 1]; i++) {
            const uint32_t s = b->order[i];
            LayerSlot *slot = &b->slots[s];
            slot->x -= left;
            graph->width = fmax(graph->width, slot->x + slot->width / 2);
            slot->y = y;
            slot->height = slot->is_bend ? height : slot->height;
            if (s < graph->node_count) {
                graph->nodes[s].x = slot->x;
                graph->nodes[s].y = y;
            }
        }
        y += height + LAYERED_GAP_Y;
    }
    graph->height = y > 0 ? y - LAYERED_GAP_Y : 0;
}

static void turn_points(LayeredEdge *edge)
{
    for (uint32_t i = 0; i < edge->point_count / 2; i++) {
        const LayeredPoint point = edge->points[i];
        edge->points[i] = edge->points[edge->point_count - 1 - i];
        edge->points[edge->point_count - 1 - i] = point;
    }
}

static void show_edges(LayeredBuild *b)
{
    LayeredPoint *points = b->graph->points;
    for (uint32_t e = 0; e < b->graph->edge_count; e++) {
        LayeredEdge *edge = &b->graph->edges[e];
        if (edge->from == edge->to)
            continue;
        const LayerSlot *upper = &b->slots[upper_end(edge)], *lower = &b->slots[lower_end(edge)];
        edge->points = points;
        *points++ = (LayeredPoint){ upper->x, upper->y + upper->height };
        for (uint32_t i = 0; upper->layer + 1 + i < lower->layer; i++) {
            const LayerSlot *bend = &b->slots[b->first_bend[e] + i];
            *points++ = (LayeredPoint){ bend->x, bend->y };
            *points++ = (LayeredPoint){ bend->x, bend->y + bend->height };
        }
        *points++ = (LayeredPoint){ lower->x, lower->y };
        edge->point_count = (uint32_t)(points - edge->points);
        if (edge->is_turned)
            turn_points(edge);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool make_slots(LayeredBuild *b)
{
    const Layered *graph = b->graph;
    b->slots = calloc((size_t)graph->node_count + LAYERED_BENDS_MAX + 1, sizeof *b->slots);
    for (uint32_t n = 0; b->slots && n < graph->node_count; n++)
        b->slots[n] = (LayerSlot){ .width = graph->nodes[n].width,
                                   .height = graph->nodes[n].height };
    b->slot_count = graph->node_count;
    return b->slots && find_layers(b);
}

/* Room for all lists, of numbers: cut from one piece. */
static bool make_lists(LayeredBuild *b, uint32_t bends)
{
    const size_t slots = b->slot_count + bends + 2, links = bends + b->graph->edge_count + 1;
    uint32_t *numbers = calloc(2 * links + 5 * slots + b->graph->edge_count + links + 1,
                               sizeof *numbers);
    b->memory = numbers;
    b->links = calloc(links, sizeof *b->links);
    b->keys = calloc(slots, sizeof *b->keys);
    b->pools = calloc(slots, sizeof *b->pools);
    b->graph->points = calloc(2 * links + 2, sizeof *b->graph->points);
    if (!numbers)
        return false;
    b->up = numbers;
    b->down = b->up + links;
    b->order = b->down + links;
    b->layer_first = b->order + slots;
    b->tree = b->layer_first + slots;
    b->first_bend = b->tree + slots;
    b->best = b->first_bend + b->graph->edge_count + 1;
    return b->links && b->keys && b->pools && b->graph->points;
}

static bool place_graph(LayeredBuild *b)
{
    if (!make_slots(b))
        return false;
    const uint32_t bends = count_bends(b);
    if (bends > LAYERED_BENDS_MAX || !make_lists(b, bends))
        return false;
    add_bends(b);
    link_slots(b);
    fill_layers(b);
    order_layers(b);
    place_slots(b);
    show_nodes(b);
    show_edges(b);
    return true;
}

bool ptx_layered_place(Layered *graph)
{
    LayeredBuild b = { .graph = graph };
    if (graph->node_count > LAYERED_NODES_MAX || graph->edge_count > LAYERED_EDGES_MAX)
        return false;
    bool is_placed = place_graph(&b);
    free(b.slots);
    free(b.links);
    free(b.keys);
    free(b.pools);
    free(b.memory);
    return is_placed;
}
