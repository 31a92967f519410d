#include "analysis/flow/dom.h"

#include "support/assert.h"
#include "support/arena.h"
#include "analysis/flow/cfg.h"

#include <stdbool.h>

/* The reachable blocks under their place in rpo, and the exit as one node more, the last. Reversed
 * by swapping the two halves. The edges of node v are [first[v], first[v + 1]). */
typedef struct DomGraph {
    uint32_t node_count;
    const uint32_t *succ_first, *succs;
    const uint32_t *pred_first, *preds;
} DomGraph;

/* ---- the graph ------------------------------------------------------------------------------- */

/* Marks every block from which `from` can be reached; stack has room for all. All three hold places
 * in rpo. */
static void mark_leaving(const Cfg *cfg, uint32_t from, bool *leaves, uint32_t *stack)
{
    uint32_t depth = 0;
    leaves[from] = true;
    stack[depth++] = from;
    while (depth) {
        const Block *block = &cfg->blocks[cfg->rpo[stack[--depth]]];
        for (uint32_t e = 0; e < block->pred_count; e++) {
            uint32_t pred = cfg->rpo_index[cfg->preds[block->pred_first + e]];
            if (pred == UINT32_MAX || leaves[pred])
                continue;
            leaves[pred] = true;
            stack[depth++] = pred;
        }
    }
}

/* Per place in rpo: whether the block hangs from the exit though no edge of its own leads there. */
static const bool *find_hanging(Arena *scratch, const Cfg *cfg)
{
    bool *leaves = ptx_arena_array(scratch, bool, cfg->rpo_count);
    bool *hangs = ptx_arena_array(scratch, bool, cfg->rpo_count);
    uint32_t *stack = ptx_arena_array(scratch, uint32_t, cfg->rpo_count);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        const Block *block = &cfg->blocks[cfg->rpo[i]];
        for (uint32_t e = 0; e < block->succ_count && !leaves[i]; e++) {
            if (cfg->succs[block->succ_first + e] == EXIT_BLOCK)
                mark_leaving(cfg, i, leaves, stack);
        }
    }
    for (uint32_t i = cfg->rpo_count; i-- > 0;) {
        if (leaves[i])
            continue;
        hangs[i] = true;
        mark_leaving(cfg, i, leaves, stack);
    }
    return hangs;
}

/* The edges of succ_first and succs turned round; first has node_count + 1 entries, zero at
 * first. */
static void reverse_edges(uint32_t node_count, const uint32_t *succ_first, const uint32_t *succs,
                          uint32_t *first, uint32_t *preds)
{
    uint32_t edge_count = succ_first[node_count];
    for (uint32_t e = 0; e < edge_count; e++)
        first[succs[e]]++;
    for (uint32_t i = 1; i <= node_count; i++)
        /* the ends, until the edges are filled in from there */
        first[i] += first[i - 1];
    for (uint32_t i = node_count; i-- > 0;) {
        for (uint32_t e = succ_first[i]; e < succ_first[i + 1]; e++)
            preds[--first[succs[e]]] = i;
    }
}

static DomGraph build_graph(Arena *scratch, const Cfg *cfg)
{
    uint32_t exit = cfg->rpo_count, node_count = exit + 1, count = 0;
    const bool *hangs = find_hanging(scratch, cfg);
    uint32_t *succ_first = ptx_arena_array(scratch, uint32_t, (size_t)node_count + 1);
    uint32_t *pred_first = ptx_arena_array(scratch, uint32_t, (size_t)node_count + 1);
    uint32_t *succs = ptx_arena_array(scratch, uint32_t, (size_t)cfg->succ_count + exit);
    uint32_t *preds = ptx_arena_array(scratch, uint32_t, (size_t)cfg->succ_count + exit);
    for (uint32_t i = 0; i < exit; i++) {
        const Block *block = &cfg->blocks[cfg->rpo[i]];
        succ_first[i] = count;
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = cfg->succs[block->succ_first + e];
            succs[count++] = to == EXIT_BLOCK ? exit : cfg->rpo_index[to];
        }
        if (hangs[i])
            succs[count++] = exit;
    }
    succ_first[exit] = succ_first[node_count] = count;
    reverse_edges(node_count, succ_first, succs, pred_first, preds);
    return (DomGraph){ node_count, succ_first, succs, pred_first, preds };
}

/* ---- Lengauer and Tarjan --------------------------------------------------------------------- */

#define NONE UINT32_MAX

/* The paper's arrays, one entry per depth-first number; they hold such numbers, except node. */
typedef struct DomVertex {
    uint32_t node;              /* of the graph */
    uint32_t parent, semi, dom;
    uint32_t ancestor, label;   /* the forest; ancestor NONE: a root */
    uint32_t bucket, next;      /* the first of its bucket; the next in the bucket it is in */
} DomVertex;

/* Step 1. number is per node, NONE at first; next_edge has room for all vertices. */
static void number_vertices(const DomGraph *g, uint32_t root, DomVertex *v, uint32_t *number,
                            uint32_t *next_edge)
{
    uint32_t count = 1;
    v[0] = (DomVertex){ root, NONE, 0, NONE, NONE, 0, NONE, NONE };
    number[root] = 0;
    next_edge[0] = g->succ_first[root];
    for (uint32_t at = 0; at != NONE;) {
        if (next_edge[at] == g->succ_first[v[at].node + 1]) {
            at = v[at].parent;
            continue;
        }
        uint32_t to = g->succs[next_edge[at]++];
        if (number[to] != NONE)
            continue;
        number[to] = count;
        next_edge[count] = g->succ_first[to];
        v[count] = (DomVertex){ to, at, count, NONE, NONE, count, NONE, NONE };
        at = count++;
    }
}

/* EVAL with COMPRESS, whose recursion is the path on the stack. */
static uint32_t eval(DomVertex *v, uint32_t x, uint32_t *stack)
{
    if (v[x].ancestor == NONE)
        return x;
    uint32_t depth = 0, at = x;
    while (v[v[at].ancestor].ancestor != NONE) {
        stack[depth++] = at;
        at = v[at].ancestor;
    }
    while (depth) {
        DomVertex *low = &v[stack[--depth]];
        const DomVertex *high = &v[low->ancestor];
        if (v[high->label].semi < v[low->label].semi)
            low->label = high->label;
        low->ancestor = high->ancestor;
    }
    return v[x].label;
}

/* Step 3: what the semidominators say of the vertices whose semidominator is `parent`; all lie
 * below it. */
static void empty_bucket(DomVertex *v, uint32_t parent, uint32_t *stack)
{
    for (uint32_t x = v[parent].bucket; x != NONE; x = v[x].next) {
        uint32_t u = eval(v, x, stack);
        v[x].dom = v[u].semi < v[x].semi ? u : parent;
    }
    v[parent].bucket = NONE;
}

/* Writes the immediate dominator of each node of g, NONE for root. Root reaches all of them, in
 * either direction: the graph holds reachable blocks only, and what does not leave hangs from the
 * exit. */
static void find_idoms(Arena *scratch, const DomGraph *g, uint32_t root, uint32_t *idom)
{
    DomVertex *v = ptx_arena_array(scratch, DomVertex, g->node_count);
    uint32_t *number = ptx_arena_array(scratch, uint32_t, g->node_count);
    uint32_t *stack = ptx_arena_array(scratch, uint32_t, g->node_count);
    memset(number, 0xFF, g->node_count * sizeof *number);
    number_vertices(g, root, v, number, stack);
    for (uint32_t x = g->node_count; x-- > 1;) {
        for (uint32_t e = g->pred_first[v[x].node]; e < g->pred_first[v[x].node + 1]; e++) {
            uint32_t u = eval(v, number[g->preds[e]], stack);
            if (v[u].semi < v[x].semi)
                v[x].semi = v[u].semi;
        }
        v[x].next = v[v[x].semi].bucket;
        v[v[x].semi].bucket = x;
        v[x].ancestor = v[x].parent;            /* LINK */
        empty_bucket(v, v[x].parent, stack);
    }
    idom[root] = NONE;
    for (uint32_t x = 1; x < g->node_count; x++) {      /* step 4 */
        if (v[x].dom != v[x].semi)
            v[x].dom = v[v[x].dom].dom;
        idom[v[x].node] = v[v[x].dom].node;
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* A dominator comes before what it dominates in rpo, so two passes along it replace a walk of the
 * tree. idom holds places in rpo. */
static void number_tree(Dom *dom, Arena *arena, Arena *scratch, const Cfg *cfg,
                        const uint32_t *idom)
{
    uint32_t *pre = ptx_arena_array(arena, uint32_t, cfg->block_count);
    uint32_t *post = ptx_arena_array(arena, uint32_t, cfg->block_count);
    uint32_t *size = ptx_arena_array(scratch, uint32_t, cfg->rpo_count);        /* of the subtree */
    /* for the next child */
    uint32_t *free_place = ptx_arena_array(scratch, uint32_t, cfg->rpo_count);
    memset(pre, 0xFF, cfg->block_count * sizeof *pre);
    for (uint32_t i = cfg->rpo_count; i-- > 0;) {
        size[i]++;
        if (i)
            size[idom[i]] += size[i];
    }
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        uint32_t place = i ? free_place[idom[i]] : 0;
        if (i)
            free_place[idom[i]] += size[i];
        free_place[i] = place + 1;
        pre[cfg->rpo[i]] = place;
        post[cfg->rpo[i]] = place + size[i] - 1;
    }
    dom->pre = pre;
    dom->post = post;
}

/* From places in rpo to blocks; the exit and NONE both become EXIT_BLOCK. */
static const BlockId *idom_of_blocks(Arena *arena, const Cfg *cfg, const uint32_t *idom)
{
    BlockId *result = ptx_arena_array(arena, BlockId, cfg->block_count);
    memset(result, 0xFF, cfg->block_count * sizeof *result);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) {
        if (idom[i] < cfg->rpo_count)
            result[cfg->rpo[i]] = cfg->rpo[idom[i]];
    }
    return result;
}

/* Each reachable block but the first has a dominator, which stands before it in reverse
 * postorder. */
static bool is_tree(const Cfg *cfg, const Dom *dom)
{
    for (uint32_t i = 1; i < cfg->rpo_count; i++) {
        BlockId idom = dom->idom[cfg->rpo[i]];
        if (idom == EXIT_BLOCK || cfg->rpo_index[idom] >= i
            || !ptx_dom_dominates(dom, idom, cfg->rpo[i]))
            return false;
    }
    return dom->idom[0] == EXIT_BLOCK;
}

static const BlockId *find_ipdoms(Arena *arena, Arena *scratch, const Cfg *cfg,
                                  const DomGraph *forward)
{
    const DomGraph backward = { forward->node_count, forward->pred_first, forward->preds,
                                forward->succ_first, forward->succs };
    uint32_t *ipdom = ptx_arena_array(scratch, uint32_t, forward->node_count);
    find_idoms(scratch, &backward, cfg->rpo_count, ipdom);
    return idom_of_blocks(arena, cfg, ipdom);
}

const BlockId *ptx_ipdom_compute(Arena *arena, Arena *scratch, const Cfg *cfg)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    const DomGraph forward = build_graph(scratch, cfg);
    const BlockId *ipdom = find_ipdoms(arena, scratch, cfg, &forward);
    ptx_arena_release(scratch, mark);
    return ipdom;
}

const Dom *ptx_dom_compute(Arena *arena, Arena *scratch, const Cfg *cfg)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    Dom *dom = ptx_arena_new(arena, Dom);
    const DomGraph forward = build_graph(scratch, cfg);
    uint32_t *idom = ptx_arena_array(scratch, uint32_t, forward.node_count);
    find_idoms(scratch, &forward, 0, idom);
    dom->idom = idom_of_blocks(arena, cfg, idom);
    number_tree(dom, arena, scratch, cfg, idom);
    dom->ipdom = find_ipdoms(arena, scratch, cfg, &forward);
    ASSERT(is_tree(cfg, dom));
    ptx_arena_release(scratch, mark);
    return dom;
}

bool ptx_dom_dominates(const Dom *dom, BlockId a, BlockId b)
{
    return dom->pre[a] <= dom->pre[b] && dom->pre[b] <= dom->post[a];
}
