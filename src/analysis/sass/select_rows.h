/* select_rows.h -- what the files of instruction selection share: the rows that an instruction
 * becomes, and which file makes those of what. For the files of select.h alone. */
#ifndef PTX_ANALYSIS_SASS_SELECT_ROWS_H
#define PTX_ANALYSIS_SASS_SELECT_ROWS_H

#include "analysis/sass/select.h"

typedef struct Insn Insn;
typedef struct Op Op;
typedef struct Operand Operand;

enum { MAX_DEPTH = 64 }; /* instructions that one user sees through, in a chain */

static inline const GraphNode *ptx_node_of(const Selection *s, NodeId id)
{
    return &s->nodes[id];
}

static inline bool ptx_node_is_result(const Selection *s, NodeId id, GraphAction action)
{
    return ptx_node_is(s->graph, id, NODE_RESULT) && ptx_node_of(s, id)->action == action;
}

static inline bool ptx_node_is_constant(const Selection *s, NodeId id)
{
    return ptx_node_is(s->graph, id, NODE_CONSTANT);
}

static inline bool ptx_node_is_single(const Selection *s, NodeId id)
{
    return ptx_node_of(s, id)->use_count == 1 && !ptx_selection_is_live_out(s, id);
}

/* ---- select_live.c: what is live --------------------------------------------------------------
 */

/* Marks what memory, results and branches rest on, and counts who reads it. */
void ptx_select_mark_live(Selection *s);

/* A register with several definitions takes over a value that stands for itself. */
bool ptx_select_is_move(const Selection *s, InsnId insn);

/* ---- select_rows.c: who reads what, and rows --------------------------------------------------
 */

/* Through what costs nothing: a sign, a low half, zeros above, the complement of a predicate. */
NodeId ptx_select_see_through(const Selection *s, NodeId id);

/* A block reads a value out of a register. */
void ptx_select_demand(Selection *s, NodeId id, BlockId block);

/* Begins what an instruction becomes: demands follow, then rows. */
Selected ptx_select_begin(Selection *s, InsnId insn, NodeId node, BlockId block);

/* Of count 0, too: what a neighbour brings. */
void ptx_select_add_row(Selection *s, Selected *row, MachineOp machine, double count);

/* Where there is any of it. */
void ptx_select_emit(Selection *s, Selected *row, MachineOp machine, double count);

/* NULL: no row of the table of costs is for it. */
const Cost *ptx_select_cost(Selection *s, const Op *op);
void ptx_select_cost_rows(Selection *s, Selected *row, const Op *op);

/* ---- select_integer.c: sums, products, shifts, logic ------------------------------------------
 */

void ptx_select_demand_both(Selection *s, const GraphNode *node, BlockId block);
double ptx_select_words(const Selection *s, const GraphNode *node);
void ptx_select_logic(Selection *s, Selected *row, const GraphNode *node, BlockId block);
bool ptx_select_is_loaded(const Selection *s, const GraphNode *node);
double ptx_select_extensions(const Selection *s, const GraphNode *node, const Op *op);
void ptx_select_sum(Selection *s, Selected *row, const GraphNode *node, BlockId block);
bool ptx_select_with_partner(Selection *s, const GraphNode *node);
void ptx_select_product(Selection *s, Selected *row, const GraphNode *node, BlockId block);
void ptx_select_shift(Selection *s, Selected *row, const GraphNode *node, BlockId block);

/* ---- select_operation.c: floats, predicates, divisions, extremes ------------------------------
 */

void ptx_select_count_readers(Selection *s);
bool ptx_select_is_saturation(const Selection *s, NodeId node, const Op *op);
/* What is made of the divisor of a division of integers alone. */
void ptx_select_reciprocal(Selection *s, Selected *row, const GraphNode *node);
bool ptx_select_division(Selection *s, Selected *row, const Op *op, BlockId block);
bool ptx_select_field(Selection *s, Selected *row, const Op *op);
void ptx_select_rounding(Selection *s, Selected *row, const GraphNode *node, const Op *op);
void ptx_select_node(Selection *s, InsnId id, NodeId node_id, BlockId block);

/* ---- select_packed.c: narrow elements of vectors --------------------------------------------- */

/* Of loads of several elements to a register, finds those that something computes with. */
void ptx_select_find_packed(Selection *s);

/* Instructions that take such elements of a load out of its registers (PRMT). */
double ptx_select_taken_out(const Selection *s, const Insn *insn);

/* ---- select_memory.c: addresses, neighbouring loads, local memory, stores ---------------------
 */

void ptx_select_address(Selection *s, NodeId id, Space space, BlockId block);
void ptx_select_end_joins(Selection *s, const Insn *insn);
void ptx_select_note_alignment(Selection *s, InsnId id);
bool ptx_select_join_load(Selection *s, const Insn *insn, NodeId address, const Operand *operand);
void ptx_select_find_local(Selection *s, const Loops *loops);
bool ptx_select_local(Selection *s, Selected *row, const Insn *insn);
double ptx_select_store_moves(const Selection *s, const Insn *insn);
bool ptx_select_is_global(const Op *op);
void ptx_select_place_fragment(Selection *s, const Selected *row, const Op *op);
bool ptx_select_is_copy(const Op *op);
bool ptx_select_begins_copies(const Selection *s, InsnId id, BlockId block);
bool ptx_select_leaves_before(const Selection *s, InsnId id, BlockId block);
MachineOp ptx_select_joined_load(uint8_t space);

#endif
