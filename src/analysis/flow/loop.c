#include "analysis/flow/loop.h"

#include "support/assert.h"
#include "ir/func.h"
#include "ir/module.h"
#include "support/arena.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"

#include <stdbool.h>

#define NONE UINT32_MAX

/* A reachable block under its depth-first number; unless it says otherwise, a field holds such
 * numbers. */
typedef struct LoopNode {
    BlockId block;
    uint32_t next_succ;         /* of the block, to be walked */
    uint32_t parent;            /* in the depth-first tree */
    /* union-find: leads to the deepest ancestor that is still on the walk's path */
    uint32_t finished;
    /* union-find: leads to the header of the outermost loop found so far that holds it */
    uint32_t outermost;
    /* of the innermost loop around it that it does not head itself; NONE */
    uint32_t header;
    uint32_t back_first;        /* the edges that close a loop here; into Finder.edges, NONE */
    /* forward and cross edges whose ends have their nearest common ancestor here */
    uint32_t cross_first;
    /* edges into it, or into the loops inside it, beside the one from its parent */
    uint32_t pred_first;
    uint32_t child, sibling;    /* once there are loops: headers of inner loops, by block number */
    LoopId loop;                /* that it heads */
    bool is_header;
} LoopNode;

typedef struct LoopEdge {
    uint32_t from, to;
    uint32_t next;              /* in the one list that it is in */
} LoopEdge;

typedef struct LoopFinder {
    const Cfg *cfg;
    const Dom *dom;
    LoopNode *nodes;                /* of the reachable blocks */
    LoopEdge *edges;                /* that are not in the depth-first tree */
    uint32_t *number;           /* per block; NONE: not walked yet */
    uint32_t edge_count, loop_count;
} LoopFinder;

/* ---- union-find, with path halving ----------------------------------------------------------- */

static uint32_t find_unfinished(LoopNode *nodes, uint32_t x)
{
    while (nodes[x].finished != x) {
        nodes[x].finished = nodes[nodes[x].finished].finished;
        x = nodes[x].finished;
    }
    return x;
}

static uint32_t find_outermost(LoopNode *nodes, uint32_t x)
{
    while (nodes[x].outermost != x) {
        nodes[x].outermost = nodes[nodes[x].outermost].outermost;
        x = nodes[x].outermost;
    }
    return x;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void push_edge(LoopFinder *f, uint32_t *list, uint32_t from, uint32_t to)
{
    f->edges[f->edge_count] = (LoopEdge){ from, to, *list };
    *list = f->edge_count++;
}

static void add_loop_node(LoopFinder *f, BlockId block, uint32_t x, uint32_t parent)
{
    f->number[block] = x;
    f->nodes[x] = (LoopNode){ .block = block,
                              .parent = parent,
                              .finished = x,
                              .outermost = x,
                              .header = NONE,
                              .back_first = NONE,
                              .cross_first = NONE,
                              .pred_first = NONE,
                              .child = NONE,
                              .sibling = NONE };
}

/* Depth-first: numbers the blocks and sorts the edges that are not in the tree. A finished node
 * hangs from its parent in `finished`, so that on meeting an edge its ends' nearest common ancestor
 * is known (Tarjan's off-line method); an edge whose target is that ancestor goes back. */
static void walk(LoopFinder *f)
{
    const Cfg *cfg = f->cfg;
    uint32_t count = 1;
    add_loop_node(f, 0, 0, NONE);
    for (uint32_t at = 0; at != NONE;) {
        LoopNode *node = &f->nodes[at];
        const Block *block = &cfg->blocks[node->block];
        if (node->next_succ == block->succ_count) {
            if (node->parent != NONE)
                node->finished = node->parent;
            at = node->parent;
            continue;
        }
        BlockId succ = cfg->succs[block->succ_first + node->next_succ++];
        if (succ == EXIT_BLOCK)
            continue;
        uint32_t to = f->number[succ];
        if (to == NONE) {
            add_loop_node(f, succ, count, at);
            at = count++;
            continue;
        }
        uint32_t ancestor = find_unfinished(f->nodes, to);
        push_edge(f, ancestor == to ? &f->nodes[to].back_first : &f->nodes[ancestor].cross_first,
                  at, to);
    }
}

/* ---- the loops ------------------------------------------------------------------------------- */

/* Moves the edges that first matter for a loop headed by x to the nodes which stand for their
 * targets by now. */
static void add_cross_edges(LoopFinder *f, uint32_t x)
{
    uint32_t next;
    for (uint32_t e = f->nodes[x].cross_first; e != NONE; e = next) {
        LoopNode *target = &f->nodes[find_outermost(f->nodes, f->edges[e].to)];
        next = f->edges[e].next;
        f->edges[e].next = target->pred_first;
        target->pred_first = e;
    }
}

/* Puts the loop or block that holds y into the loop headed by x, unless it is in already. */
static void add_to_body(LoopFinder *f, uint32_t x, uint32_t y, uint32_t *body, uint32_t *body_count)
{
    y = find_outermost(f->nodes, y);
    if (y == x)
        return;
    f->nodes[y].outermost = f->nodes[y].header = x;
    body[(*body_count)++] = y;
}

/* Follows the edges backward from those that go back to x, among the descendants of x. A node is in
 * one body at most before it disappears behind a header, so all calls together are linear. */
static void find_loop(LoopFinder *f, uint32_t x, uint32_t *body)
{
    uint32_t count = 0;
    if (f->nodes[x].back_first == NONE)
        return;
    f->nodes[x].is_header = true;
    f->loop_count++;
    for (uint32_t e = f->nodes[x].back_first; e != NONE; e = f->edges[e].next)
        add_to_body(f, x, f->edges[e].from, body, &count);
    for (uint32_t i = 0; i < count; i++) {
        const LoopNode *node = &f->nodes[body[i]];
        add_to_body(f, x, node->parent, body, &count);
        for (uint32_t e = node->pred_first; e != NONE; e = f->edges[e].next)
            add_to_body(f, x, f->edges[e].from, body, &count);
    }
}

/* A loop that is entered beside its header has an edge back to the header from a block which the
 * header does not dominate: the way in goes on to such an edge without passing the header. */
static bool is_irreducible(const LoopFinder *f, const LoopNode *header)
{
    for (uint32_t e = header->back_first; e != NONE; e = f->edges[e].next) {
        if (!ptx_dom_dominates(f->dom, header->block, f->nodes[f->edges[e].from].block))
            return true;
    }
    return false;
}

/* ---- the forest ------------------------------------------------------------------------------ */

/* Lists the headers under that of the next outer loop, by block number. Returns the first of the
 * outermost ones. */
static uint32_t link_headers(LoopFinder *f)
{
    uint32_t root = NONE;
    for (BlockId block = f->cfg->block_count; block-- > 0;) {
        uint32_t x = f->number[block];
        if (x == NONE || !f->nodes[x].is_header)
            continue;
        uint32_t *list = f->nodes[x].header == NONE ? &root : &f->nodes[f->nodes[x].header].child;
        f->nodes[x].sibling = *list;
        *list = x;
    }
    return root;
}

static void add_loop(LoopFinder *f, Loop *loops, LoopId id, uint32_t x)
{
    LoopNode *node = &f->nodes[x];
    LoopId parent = node->header == NONE ? NO_LOOP : f->nodes[node->header].loop;
    node->loop = id;
    loops[id] = (Loop){ .header = node->block,
                        .parent = parent,
                        .depth = parent == NO_LOOP ? 1 : loops[parent].depth + 1,
                        .is_irreducible = is_irreducible(f, node),
                        .is_innermost = node->child == NONE };
}

static Loop *build_forest(LoopFinder *f, Arena *arena)
{
    Loop *loops = ptx_arena_array(arena, Loop, f->loop_count);
    LoopId count = 0;
    for (uint32_t x = link_headers(f); x != NONE;) {
        add_loop(f, loops, count++, x);
        if (f->nodes[x].child != NONE) {
            x = f->nodes[x].child;
            continue;
        }
        while (x != NONE && f->nodes[x].sibling == NONE)
            x = f->nodes[x].header;
        if (x != NONE)
            x = f->nodes[x].sibling;
    }
    return loops;
}

/* the innermost loop that holds the block of the node */
static LoopId innermost_loop(const LoopFinder *f, const LoopNode *node)
{
    if (node->is_header)
        return node->loop;
    return node->header == NONE ? NO_LOOP : f->nodes[node->header].loop;
}

static void place_blocks(const LoopFinder *f, Loop *loops, LoopId *loop_of)
{
    for (uint32_t x = 0; x < f->cfg->rpo_count; x++) {
        const LoopNode *node = &f->nodes[x];
        LoopId loop = innermost_loop(f, node);
        loop_of[node->block] = loop;
        if (loop != NO_LOOP)
            loops[loop].block_count++;
    }
    for (LoopId id = f->loop_count; id-- > 0;) {
        loops[id].end = loops[id].end ? loops[id].end : id + 1;
        if (loops[id].parent == NO_LOOP)
            continue;
        Loop *parent = &loops[loops[id].parent];
        parent->block_count += loops[id].block_count;
        parent->end = parent->end > loops[id].end ? parent->end : loops[id].end;
    }
}

/* An edge that does not lead on in reverse postorder goes back to an ancestor in the depth-first
 * tree. */
static bool has_back_edge(const Cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        const Block *block = &cfg->blocks[cfg->rpo[i]];
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = cfg->succs[block->succ_first + e];
            if (to != EXIT_BLOCK && cfg->rpo_index[to] <= i)
                return true;
        }
    }
    return false;
}

/* An outer loop stands before its inner ones, one deeper each; a header lies in its loop. */
static bool is_forest(const Loops *loops)
{
    for (LoopId l = 0; l < loops->loop_count; l++) {
        const Loop *loop = &loops->loops[l];
        uint32_t outer = loop->parent == NO_LOOP ? 0 : loops->loops[loop->parent].depth;
        if ((loop->parent != NO_LOOP && loop->parent >= l) || loop->depth != outer + 1
            || loops->loop_of[loop->header] != l)
            return false;
    }
    return true;
}

const Loops *ptx_loops_compute(Arena *arena, Arena *scratch, const Cfg *cfg, const Dom *dom)
{
    Loops *result = ptx_arena_new(arena, Loops);
    LoopId *loop_of = ptx_arena_array(arena, LoopId, cfg->block_count);
    memset(loop_of, 0xFF, cfg->block_count * sizeof *loop_of);
    result->loop_of = loop_of;
    if (!has_back_edge(cfg))                    /* most functions: nothing to find */
        return result;
    ArenaMark mark = ptx_arena_mark(scratch);
    LoopFinder f = { .cfg = cfg, .dom = dom };
    f.nodes = ptx_arena_array(scratch, LoopNode, cfg->rpo_count);
    f.edges = ptx_arena_array(scratch, LoopEdge, cfg->succ_count);
    f.number = ptx_arena_array(scratch, uint32_t, cfg->block_count);
    memset(f.number, 0xFF, cfg->block_count * sizeof *f.number);
    uint32_t *body = ptx_arena_array(scratch, uint32_t, cfg->rpo_count);
    walk(&f);
    for (uint32_t x = cfg->rpo_count; x-- > 0;) {
        add_cross_edges(&f, x);
        find_loop(&f, x, body);
    }
    Loop *loops = build_forest(&f, arena);
    place_blocks(&f, loops, loop_of);
    result->loops = loops;
    result->loop_count = f.loop_count;
    ASSERT(is_forest(result));
    ptx_arena_release(scratch, mark);
    return result;
}

uint32_t ptx_loop_depth(const Loops *loops, BlockId block)
{
    LoopId loop = loops->loop_of[block];
    ASSERT(loop == NO_LOOP || loop < loops->loop_count);
    return loop == NO_LOOP ? 0 : loops->loops[loop].depth;
}

/* ---- by line --------------------------------------------------------------------------------- */

static InsnId first_insn_behind(const Func *func, uint32_t offset)
{
    InsnId low = 0, high = func->insn_count;
    while (low < high) {
        InsnId middle = low + (high - low) / 2;
        if (func->insns[middle].span.end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_label(const Func *func, InsnId before, uint32_t end)
{
    for (LabelId l = 0; l < func->label_count; l++)
        if (func->labels[l].insn == before && func->labels[l].name.begin < end)
            return true;
    return false;
}

LoopId ptx_loop_at_line(const Module *module, const Func *func, const Cfg *cfg, const Loops *loops,
                        uint32_t line)
{
    if (!line || line > module->line_count)
        return NO_LOOP;
    uint32_t begin = ptx_line_start(module, line - 1),
             end = line < module->line_count ? ptx_line_start(module, line) : module->length;
    InsnId insn = first_insn_behind(func, begin);
    if (insn >= func->insn_count)
        return NO_LOOP;
    LoopId loop = loops->loop_of[cfg->block_of[insn]];
    if (func->insns[insn].span.begin < end || has_label(func, insn, end))
        return loop;
    while (loop != NO_LOOP && !(insn && ptx_loop_holds(loops, loop, cfg->block_of[insn - 1])))
        loop = loops->loops[loop].parent;
    return loop;
}
