/* program.h -- what the runs of a module's kernels share, whatever the launch. */
#ifndef PTX_ANALYSIS_SIM_PROGRAM_H
#define PTX_ANALYSIS_SIM_PROGRAM_H

#include "analysis/flow/callgraph.h"
#include "ir/ir.h"

/* What the runs of a module's kernels share; it must outlive them, and serves one at a time. */
typedef struct SimProgram SimProgram;
SimProgram *ptx_program_new(Arena *arena, const Module *module, const CallGraph *calls);

/* What is found of functions and variables whatever the launch is kept in arena from now on, until this is called again. Before, what is found of functions is
 * not kept, and the arena of the program must be none that evaluations leave as found. */
void ptx_program_keep(SimProgram *program, Arena *arena);

#endif
