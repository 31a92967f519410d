/* func_flow.h -- a function and its control flow, as most analyses ask for them together. */
#ifndef PTX_ANALYSIS_FLOW_FUNC_FLOW_H
#define PTX_ANALYSIS_FLOW_FUNC_FLOW_H

#include "analysis/flow/types.h"

typedef struct FuncFlow {
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Defs *defs;           /* NULL: found where they are asked for */
} FuncFlow;

#endif
