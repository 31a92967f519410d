/* callgraph.h -- which function calls which; recursion by strongly connected components (Tarjan,
 * "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1972).
 *
 * An indirect call may reach the functions that its .calltargets names; without .calltargets its
 * target is unknown, and it may reach any function whose address is taken: by an operand that is
 * not the callee of a call, or in the initialiser of a variable (a table of virtual functions).
 * Those are too many to list with every caller, so callees does not hold them; recursion and
 * is_called do take them into account. What functions outside the module call is left out.
 *
 * The declarations and the definition of one name are one function here: facts stand at the
 * definition (without one, at the first declaration), and the nodes of the others are empty. An
 * .alias stands for its target. */
#ifndef PTX_ANALYSIS_FLOW_CALLGRAPH_H
#define PTX_ANALYSIS_FLOW_CALLGRAPH_H

#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct CallNode {
    uint32_t callee_first, callee_count;        /* distinct, ascending, into CallGraph.callees */
    bool is_recursive;          /* reaches itself */
    bool has_indirect_call;     /* of unknown target */
    bool is_address_taken;
    /* by name, through .calltargets, or maybe by a call of unknown target */
    bool is_called;
} CallNode;

typedef struct CallGraph {
    const CallNode *nodes;      /* per function */
    const FuncId *callees;      /* definitions, as far as there are any */
    const FuncId *definition_of;        /* per function: where its facts stand */
} CallGraph;

/* Owned by arena; scratch, another arena, is left as found. */
const CallGraph *ptx_callgraph_build(Arena *arena, Arena *scratch, const Module *module);

/* The function that a call names, as written: a declaration maybe. NO_ID: an indirect call. */
FuncId ptx_call_find_callee(const Func *func, const Insn *call);

#endif
