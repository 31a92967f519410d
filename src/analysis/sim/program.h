/* program.h -- the kernels of a module, decoded: what the runs of all of them share, whatever the
 * launch.
 *
 * SimCode is a module's, made once: the action of each opcode, and where variables lie. It is
 * const, and threads share it. SimProgram adds plans of the functions in hand: it is one thread's,
 * and does not change while machines run. */
#ifndef PTX_ANALYSIS_SIM_PROGRAM_H
#define PTX_ANALYSIS_SIM_PROGRAM_H

#include "analysis/flow/types.h"
#include "support/arena.h"

typedef struct SimCode SimCode;
typedef struct SimProgram SimProgram;

const SimCode *ptx_code_new(Arena *arena, const Module *module, const CallGraph *calls);

/* What the kernel calls is not run: the kernels before it reach LIMIT_CALLED_INSNS. */
bool ptx_code_skips_calls(const SimCode *code, FuncId kernel);

/* code must live as long. */
SimProgram *ptx_program_new(Arena *arena, const SimCode *code);

const Module *ptx_program_module(const SimProgram *program);

/* Plans of kernels are kept in arena from now on, and those that were are forgotten. Those of other
 * functions stay, where the program does. */
void ptx_program_keep(SimProgram *program, Arena *arena);

typedef struct SimFlow {        /* of a function: the flow that its plan rests on */
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Defs *defs;           /* NULL: found once more */
    /* runs do no more than findings ask for where the launch is unknown: SimConfig.most_stays is
     * below ASSUMED_STAYS, and no keys of blocks are looked for */
    bool is_brief;
} SimFlow;

/* Plans of a kernel, whose flow is known, and of all functions that it calls, and first bytes of
 * variables that they name. scratch is left as found. */
void ptx_program_plan(SimProgram *program, Arena *scratch, FuncId kernel, SimFlow flow);

#endif
