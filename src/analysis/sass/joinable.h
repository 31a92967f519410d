/* joinable.h -- which loads and stores ptxas may join with another one into a wider access.
 *
 * It joins neighbours of one block that have a base in common and lie within 16 bytes, where it can
 * prove that all lanes stay aligned. A loop that it unrolls brings neighbours that the text does
 * not have: its addresses show those (Count.low_bits). Joined, accesses cost no less than the
 * dearest of them. */
#ifndef PTX_ANALYSIS_SASS_JOINABLE_H
#define PTX_ANALYSIS_SASS_JOINABLE_H

#include "analysis/flow/func_flow.h"
#include "analysis/sim/joinable_row.h"

#include <stdbool.h>

typedef struct Count Count;
typedef struct Arena Arena;
typedef struct Unrolling Unrolling;

/* Per instruction: a load or store of shared memory, or of a generic address, with a neighbour in
 * the text. Owned by arena. */
const bool *ptx_joinable_compute(Arena *arena, const Module *module, const Func *func,
                                 const Cfg *cfg);

/* Per instruction, without `widest`. Owned by arena. */
JoinableRow *ptx_joinable_rows_find(Arena *arena, const FuncFlow *flow);

/* Finds `widest`, whatever loops ptxas unrolls whole. False: it depends on that. */
bool ptx_joinable_rows_prove_any(Arena *scratch, const FuncFlow *flow, JoinableRow *rows);

/* The same for loops as they are unrolled; NULL: any may be unrolled whole. */
void ptx_joinable_rows_prove(Arena *scratch, const FuncFlow *flow, const Unrolling *unrolled,
                             JoinableRow *rows);

/* Whether the row around it may make a difference. */
bool ptx_joinable_may_be_wider(const Insn *insn, const Count *count);

/* How many bytes a lane accesses once the row around it is joined: the widest that all lanes keep
 * aligned; its own where none is. */
unsigned ptx_joinable_bytes(const Insn *insn, const Count *count, JoinableRow row);

/* The share of its wavefronts that an access causes at least. has_neighbour: of
 * ptx_joinable_compute. */
double ptx_joinable_share(const Insn *insn, const Count *count, bool has_neighbour);

#endif
