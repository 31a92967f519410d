/* code.h -- a module's kernels, decoded: what each opcode does to a warp, and a plan for each
 * function. */
#ifndef PTX_ANALYSIS_SIM_CODE_H
#define PTX_ANALYSIS_SIM_CODE_H

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/program.h"
#include "analysis/sim/shared_layout.h"
#include "analysis/sim/slice.h"
#include "analysis/sim/value.h"
#include "isa/isa.h"
#include "support/arena.h"

typedef enum Action {
    ACTION_UNKNOWN, /* writes an unknown value */
    ACTION_NOTHING,
    ACTION_LANEWISE,
    ACTION_VIDEO,
    ACTION_CHOOSE,
    ACTION_MOVE,
    ACTION_TO_SPACE,
    ACTION_TO_GENERIC,
    ACTION_LOAD,
    ACTION_STORE,
    ACTION_ATOMIC,
    ACTION_COPY,
    ACTION_BULK,
    ACTION_TENSOR_MAP,
    ACTION_MATRIX,
    ACTION_SHUFFLE,
    ACTION_VOTE,
    ACTION_MATCH,
    ACTION_REDUX,
    ACTION_IS_SPACE,
    ACTION_ELECT,
    ACTION_ACTIVE_MASK,
    ACTION_TRUE,
    ACTION_BRANCH,
    /* from here to WARP_BARRIER: where lanes go, and what they wait for */
    ACTION_INDEXED,
    ACTION_CALL,
    ACTION_RETURN,
    ACTION_EXIT,
    ACTION_BARRIER,
    ACTION_ARRIVE,
    ACTION_WARP_BARRIER,
    ACTION_MAP,
} Action;

typedef struct Decoded {           /* per distinct opcode text */
    Lanewise lanewise;
    uint8_t action;
    uint8_t mode;               /* of votes and shuffles: the first letter */
} Decoded;

typedef struct SimInsn SimInsn;
typedef struct FlagRegisters FlagRegisters;     /* flag_branch.c's */

/* What runs find of a function whatever the launch, when they first ask. */
typedef struct PlanMemo {
    Arena *arena;
    RegionFinder finder;
    /* per instruction: of a branch that rested on an assumption; NULL: none yet */
    const SliceRegion **regions;
    const SimInsn **insns;       /* per instruction; NULL: not decoded yet */
    /* ptx_pointers_compute of the function, once has_pointers */
    uint64_t pointers;
    bool has_pointers;
    const SharedUnit *unit;     /* ptx_shared_unit_of of the function; NULL: not asked for yet */
    const FlagRegisters *flag_registers;        /* NULL: not asked for yet */
} PlanMemo;

typedef struct Plan {           /* of a function: what does not depend on the launch */
    const Cfg *cfg;
    const Dom *dom;
    /* per block: where lanes meet again, early exits left out of it */
    const BlockId *reconvergence;
    const Loops *loops;
    Slice slice;
    /* per instruction: the loop whose header begins there, + 1; 0: none */
    const LoopId *headed;
    PlanMemo *memo;             /* NULL: each machine has its own */
} Plan;

struct SimCode {
    const Module *module;
    const FuncId *definition_of;        /* CallGraph.definition_of */
    const Decoded *codes;       /* per Op */
    const SharedUnit *shared_units;     /* per unit */
    bool has_initial;           /* some variable of the module begins with numbers */
    const VarId *own_first, *own_end;   /* per function: its variables */
    const bool *skips_calls;    /* per function: it is a kernel beyond LIMIT_CALLED_INSNS */
};

struct SimProgram {
    SimCode code;               /* the one that is shared: its tables are const */
    const Plan **plans;         /* per function; NULL: a machine makes its own */
    Arena *lasting;             /* of plans of functions that kernels call */
    FuncId *called;             /* that have one there */
    uint32_t called_count;
    Arena *kept;                /* of the plans of kernels; NULL: none are kept */
    FuncId *kernels;            /* that have one there */
    uint32_t kernel_count;
    /* per variable: its first bytes, ptx_initial_unknown; NULL: a machine reads them itself */
    const uint8_t **initial;
    VarId *begun;               /* variables that have them in kept */
    uint32_t begun_count;
    bool needs_initial;         /* some function that was planned loads them */
};

PlanMemo *ptx_plan_memo_new(Arena *arena, const Func *func, const Cfg *cfg);

/* flow: cfg NULL: not known yet. NULL: the function has no instructions. */
Plan *ptx_plan_make(Arena *arena, Arena *scratch, const Module *module, const Func *func,
                    SimFlow flow);

/* The same, where contents of global memory are followed too. */
const Plan *ptx_plan_with_contents(Arena *arena, Arena *scratch, const Func *func,
                                   const Plan *plan);

/* Of a variable whose first bytes are not known. */
extern const uint8_t ptx_initial_unknown[1];

/* code.c */
void ptx_code_decode(const Op *op, Decoded *out);

#endif
