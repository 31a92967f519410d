/* program.h -- the kernels of a module, decoded: what the runs of all of them share, whatever the
 * launch.
 *
 * While machines run it does not change, so that several may run the same program at once, each
 * with arenas of its own. */
#ifndef PTX_ANALYSIS_SIM_PROGRAM_H
#define PTX_ANALYSIS_SIM_PROGRAM_H

#include "analysis/flow/callgraph.h"
#include "ir/ir.h"

typedef struct SimProgram SimProgram;

SimProgram *ptx_program_new(Arena *arena, const Module *module, const CallGraph *calls);

/* Plans are kept in arena from now on, and those that were are forgotten. */
void ptx_program_keep(SimProgram *program, Arena *arena);

/* Plans of a kernel and of all functions that it calls, and first bytes of variables that they
 * name, where plans are kept. scratch is left as found. */
void ptx_program_plan(SimProgram *program, Arena *scratch, FuncId kernel);

#endif
