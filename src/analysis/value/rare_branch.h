/* rare_branch.h -- code that hardly any number leads to.
 *
 * A side of a branch is rare where a comparison of floating point says that only numbers go there
 * which programs hardly have: of a magnitude from 32,768 on (what reduces large angles), infinite,
 * none, denormal. That rests on the comparison alone: the data of a kernel are not known. */
#ifndef PTX_ANALYSIS_VALUE_RARE_BRANCH_H
#define PTX_ANALYSIS_VALUE_RARE_BRANCH_H

#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"

enum { MAX_RARE_CALLERS = 64 };    /* of a function: beyond them it is not looked for */

/* 1: hardly a lane takes this branch, -1: hardly one does not, 0: neither. */
int ptx_branch_rare_side(const Func *func, InsnId branch);

/* Per block: every path to it goes by a rare side. Owned by arena; scratch, another one, is left as
 * found. */
const bool *ptx_rare_blocks_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg);

/* Per function: every call of it, of which nothing outside the module knows, stands in such a
 * block. Owned by arena; work and scratch, two others, are left as found. */
const bool *ptx_rare_funcs_compute(Arena *arena, Arena *work, Arena *scratch, const Module *module,
                                   const CallGraph *calls);

#endif
