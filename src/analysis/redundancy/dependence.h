/* dependence.h -- what instructions of a function need of each other: the dependence graph.
 *
 * Registers: each definition that may be the last one before a use (reaching definitions), found
 * backwards from the use; a definition under a guard ends nothing. Memory: pairs of accesses of
 * which one writes, that may touch the same bytes: not those of state spaces that cannot overlap,
 * of two variables, or at known places apart (points_to.h). Control: Ferrante, Ottenstein and
 * Warren, "The Program Dependence Graph and Its Use in Optimization" (TOPLAS 1987).
 *
 * A dependence is carried where it goes through an edge back to an earlier block in reverse
 * postorder, or within a block to an earlier instruction. Unreachable blocks take no part. */
#ifndef PTX_ANALYSIS_REDUNDANCY_DEPENDENCE_H
#define PTX_ANALYSIS_REDUNDANCY_DEPENDENCE_H

#include "analysis/flow/func_flow.h"
#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

enum {
    DEPENDENCES_PER_INSN = 64,          /* of a function that are kept, */
    DEPENDENCES_FLOOR = 1 << 14,        /* and so many more; as many steps look for them */
};

typedef enum DependenceKind {
    DEPENDENCE_REGISTER = 1,
    DEPENDENCE_MEMORY,
    DEPENDENCE_CONTROL
} DependenceKind;

typedef struct Dependence {
    InsnId from, to;
    uint32_t name;              /* RegId; Space; 0 */
    uint8_t kind;               /* DependenceKind */
    bool from_writes, to_writes;        /* of memory */
    bool is_carried;
} Dependence;

typedef struct Dependences {
    const Dependence *items;    /* by `to`, then kind, then `from` */
    uint32_t count;
    bool is_cut;                /* there are more */
} Dependences;

/* Owned by arena; scratch, another arena, is left as found. */
Dependences ptx_dependences_compute(Arena *arena, Arena *scratch, const FuncFlow *flow);

/* Those of registers and of control alone. */
Dependences ptx_dependences_but_memory_compute(Arena *arena, Arena *scratch, const FuncFlow *flow);

#endif
