/* loop.h -- the loop forest.
 *
 * Havlak, "Nesting of Reducible and Irreducible Loops" (TOPLAS 1997), in the form of Ramalingam,
 * "Identifying Loops in Almost Linear Time" (TOPLAS 1999): the same forest, and linear but for the
 * union-find on irreducible graphs too. A loop is a maximal strongly connected region at its
 * nesting level; its header is the block entered first in depth- first order. In a reducible loop
 * the header dominates the body; in an irreducible one control also enters elsewhere. A block
 * without an edge to itself is no loop. Unreachable blocks are in none. */
#ifndef PTX_ANALYSIS_FLOW_LOOP_H
#define PTX_ANALYSIS_FLOW_LOOP_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct Loop {
    BlockId header;             /* of no other loop */
    LoopId parent;              /* NO_LOOP: outermost */
    uint32_t depth;             /* 1: outermost */
    LoopId end;                 /* behind the last loop inside it */
    uint32_t block_count;       /* inner loops included */
    bool is_irreducible;
    bool is_innermost;
} Loop;

typedef struct Loops {
    /* an outer loop before its inner ones, all of them before the next; else in order of their
     * headers' block number */
    const Loop *loops;
    const LoopId *loop_of;      /* per block: the innermost loop that holds it, NO_LOOP */
    uint32_t loop_count;
} Loops;

/* Owned by arena; scratch, another arena, is left as found. */
const Loops *ptx_loops_compute(Arena *arena, Arena *scratch, const Cfg *cfg, const Dom *dom);

/* Whether a loop is another or lies inside it; NO_LOOP does not. */
static inline bool ptx_loop_holds_loop(const Loops *loops, LoopId loop, LoopId inner)
{
    return inner != NO_LOOP && inner >= loop && inner < loops->loops[loop].end;
}

/* Whether a block is in a loop or in one inside it; EXIT_BLOCK is in none. */
static inline bool ptx_loop_holds(const Loops *loops, LoopId loop, BlockId block)
{
    return block != EXIT_BLOCK && ptx_loop_holds_loop(loops, loop, loops->loop_of[block]);
}

/* Depth of the innermost loop around a block; 0: none. */
uint32_t ptx_loop_depth(const Loops *loops, BlockId block);

/* The innermost loop around a line of the text, from 1 on: that of the statement there, or of the
 * one behind it where a label stands before it by then; else the one around the statements before
 * and behind. NO_LOOP: none, or the line is outside of the function. */
LoopId ptx_loop_at_line(const Module *module, const Func *func, const Cfg *cfg, const Loops *loops,
                        uint32_t line);

#endif
