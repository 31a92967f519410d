/* constants.h -- constants and words of constant banks that no instruction takes as they are: moves
 * into registers before it, out of loops.
 *
 * An instruction has one place for a constant or, before sm_90, a word of a bank; fp64 takes of a
 * constant only its high word, the low one being zero. Since sm_90 banks are loaded into registers
 * first; before, fp64 constants are in a bank too. Read off the machine code of ptxas 13.0. */
#ifndef PTX_ANALYSIS_SASS_CONSTANTS_H
#define PTX_ANALYSIS_SASS_CONSTANTS_H

#include "analysis/flow/types.h"
#include "analysis/sass/value_graph.h"

#include <stdbool.h>

typedef struct Selection Selection;

/* What an instruction reads beside the one that it takes; of a store, its address and values; of a
 * sum that took a product in, what is multiplied and added. */
void ptx_constants_move(Selection *s, InsnId insn, BlockId block);
void ptx_constants_move_sum(Selection *s, NodeId factor, NodeId added, bool is_double,
                            BlockId block);

#endif
