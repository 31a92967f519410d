/* block_choice.h -- what a comparison of values of several threads decides: minima, maxima, and
 * where they are.
 *
 * A predicate is kept as what it compares, by and, or, not; a selection by it as both values. Of
 * the order of two values a predicate says in which cases it holds, and in which it may: more is
 * not known where a second comparison decides ties. Private to this folder. */
#ifndef PTX_ANALYSIS_RECOGNIZE_BLOCK_CHOICE_H
#define PTX_ANALYSIS_RECOGNIZE_BLOCK_CHOICE_H

#include "analysis/recognize/block_run.h"

/* Cases of the order of two values, as bits. */
enum { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4, ORDER_ANY = 7 };

/* Of a comparison; 0: none of order or equality, or combined with another predicate. */
unsigned ptx_block_order(const Insn *insn);

/* a compared with b: of->step has the cases in which it holds. An element where the values are not
 * of several threads. */
BlockValue ptx_block_compare(BlockRun *run, const BlockOperation *of, BlockValue a, BlockValue b);

/* By LOGIC_AND, LOGIC_OR, or LOGIC_NOT of a alone. */
BlockValue ptx_block_logic(BlockRun *run, BlockLogic logic, uint64_t key, BlockValue a,
                           BlockValue b);

/* Of what is one of two values, by a predicate that says no more: at the operand that gives one. */
uint64_t ptx_block_merged_key(const BlockRun *run, const Operand *operand, uint32_t visit,
                              uint32_t thread);

/* p ? x : y; one that is a minimum or maximum, or a location, is noted. */
BlockValue ptx_block_choose(BlockRun *run, const BlockOperation *of, BlockValue p, BlockValue x,
                            BlockValue y);

/* Whether a value is a predicate that says an order. */
bool ptx_block_says_order(const BlockRun *run, BlockValue p);

/* block_branch.c: an instruction of lanes that run it only where a predicate of theirs holds. */
void ptx_block_execute_where(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                             const BlockValue *where);
/* One that is guarded by such predicates of lanes that may run it, and by numbers of others; false:
 * it is not so. */
bool ptx_block_execute_guarded(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                               uint32_t maybe);
/* A branch by such predicates, and all up to where its ways meet; false: it cannot be done. */
bool ptx_block_run_both_ways(BlockRun *run, BlockWarp *w, BlockId branch);

/* block_location.c: whether what was chosen says where a minimum or maximum of all threads is. */
void ptx_block_note_location(BlockRun *run, InsnId id, BlockValue value);

/* What order p says a and b have; as: what they are parts of, or NULL. */
typedef struct BlockOrder {
    uint8_t certain, possible;  /* cases in which p holds, and in which it may */
    uint8_t type;               /* of the comparison; TYPE_NONE: there is none, or several */
} BlockOrder;

BlockOrder ptx_block_order_of(const BlockRun *run, const BlockOperation *as, BlockValue p,
                              BlockValue a, BlockValue b);

/* STEP_MAX: p holds where a is greater, STEP_MIN: where it is less; STEP_OTHER: neither. */
Step ptx_block_step_of_order(BlockOrder order);

enum { MAX_COMPARISONS = 4 };   /* of a predicate that are looked at */

/* Comparisons of order that a predicate is made of: their nodes. */
unsigned ptx_block_comparisons(const BlockRun *run, BlockValue p,
                               const BlockNode *out[MAX_COMPARISONS]);

#endif
