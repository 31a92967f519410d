/* dom.h -- dominators and post-dominators.
 *
 * Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (TOPLAS 1979), the
 * simple version with path compression: O(m log n), so that no graph a file can hold makes it
 * quadratic. Post-dominators are dominators of the reversed graph from a virtual exit; blocks that
 * never leave (endless loops) hang from the exit too, through the last of them in reverse
 * postorder. Unreachable blocks take no part, as a source of edges neither. */
#ifndef PTX_ANALYSIS_FLOW_DOM_H
#define PTX_ANALYSIS_FLOW_DOM_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct Dom {
    const BlockId *idom;        /* per block; block 0 and unreachable ones: EXIT_BLOCK (none) */
    /* per block; EXIT_BLOCK: only the exit post-dominates it, or it is unreachable */
    const BlockId *ipdom;
    /* per block: its place in a preorder of the dominator tree, and the last place in its subtree;
     * unreachable: UINT32_MAX and 0. For ptx_dom_dominates */
    const uint32_t *pre, *post;
} Dom;

/* Owned by arena; scratch, another arena, is left as found. */
const Dom *ptx_dom_compute(Arena *arena, Arena *scratch, const Cfg *cfg);
/* Dom.ipdom alone. */
const BlockId *ptx_ipdom_compute(Arena *arena, Arena *scratch, const Cfg *cfg);

/* Whether every path from block 0 to b goes through a; true for a == b. False where either is
 * unreachable. */
bool ptx_dom_dominates(const Dom *dom, BlockId a, BlockId b);

#endif
