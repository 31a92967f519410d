/* check_loc.h -- .loc ... inlined_at: the place where a function was inlined stands in a .loc
 * before it, says ptxas. */
#ifndef PTX_CHECK_CHECK_LOC_H
#define PTX_CHECK_CHECK_LOC_H

#include "ir/types.h"
#include "parser/ast.h"
#include "support/hash.h"
#include "ir/module.h"
#include "support/diag.h"

/* The locations so far, by file, line and column; made when the first inlined one comes. Zeroed:
 * none yet. */
typedef struct LocSet {
    HashTable table;            /* into Module.locs */
    uint32_t seen;              /* of Module.locs: those that are in it */
} LocSet;

/* ast: the last of the module's locations. */
void ptx_loc_check(LocSet *set, Arena *arena, DiagSink *diags, const Module *module,
                   const AstLoc *ast);

enum { MAX_LOC_CHAIN = 16 };

/* A location, and outwards from it those that it was inlined into: so many. */
uint32_t ptx_loc_chain(const Module *module, uint32_t at, Loc out[MAX_LOC_CHAIN]);

#endif
