/* value_graph.h -- the values of a function as a graph: what is left of its instructions when
 * copies, casts and repetitions are seen through. */
#ifndef PTX_ANALYSIS_SASS_VALUE_GRAPH_H
#define PTX_ANALYSIS_SASS_VALUE_GRAPH_H

#include "analysis/flow/types.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "ir/operand.h"

typedef struct Uniforms Uniforms;
#include "support/hash.h"

typedef uint32_t NodeId;        /* 0: none */

typedef enum GraphNodeKind {
    NODE_NONE,
    NODE_CONSTANT, /* value */
    /* var, value: a variable in constant memory, and the offset in it; without var: offset in the
     * parameters, or size of block or grid, as -1 - SregId */
    NODE_BANK,
    NODE_SREG, /* value: SregId * 4 + component */
    /* var, value: the address of a variable, and the offset from there */
    NODE_VARIABLE,
    /* reg: a register with several definitions, or that the caller writes */
    NODE_LEAF,
    NODE_RESULT, /* insn, of which it is a result */
    /* value: a divisor's NodeId * 2, and whether signed: what all integers divided by it are
     * multiplied with */
    NODE_RECIPROCAL,
} GraphNodeKind;

/* What patterns ask for; the opcode, with its types, says the rest. */
typedef enum GraphAction {
    ACT_OTHER,
    ACT_COPY,
    ACT_ADD,
    ACT_SUB,
    ACT_MUL,
    ACT_MAD,
    ACT_SHL,
    ACT_SHR,
    ACT_LOGIC,
    ACT_NOT,
    ACT_EXTEND,
    ACT_TRUNCATE,
    ACT_SIGN,
    ACT_FADD,
    ACT_FMUL,
    ACT_SETP,
    ACT_SELECT,
    ACT_PREDICATE,
    ACT_ANGLE,
    ACT_QUOTIENT,
    ACT_EXTREME,
} GraphAction;

/* A predicate that one instruction sets to a constant: code generators guard accesses that need
 * none. */
typedef enum Fixed { FIXED_NOT, FIXED_FALSE, FIXED_TRUE } Fixed;

typedef struct GraphNode {
    uint8_t kind;               /* NodeKind */
    uint8_t action;             /* Action of its instruction */
    uint8_t units;              /* 32-bit registers; 0: a predicate */
    /* the same in all threads of the block, and ptxas can keep it in a uniform register */
    bool is_uniform;
    bool is_wide;               /* of 64 bits; mul.wide and mad.wide too */
    bool is_signed;
    /* a matrix multiply-add reads it, which leaves out the bits that its type does not have */
    bool is_fragment;
    /* an angle whose product with 1 / 2 pi is there: sine and cosine share it; a divisor whose
     * reciprocal is */
    bool is_scaled;
    uint8_t bits;               /* of an integer: those from here up are zero */
    uint8_t zeros;              /* its lowest bits that are zero */
    InsnId insn;
    RegId reg;                  /* that holds it, or LEAF; NO_ID */
    BlockId block;
    NodeId in[3];               /* of what patterns look into; 0: none */
    /* a register with several definitions that alone reads it, behind here; NO_ID */
    RegId carrier;
    NodeId partner;             /* the other half of the same product, computed before; 0 */
    bool is_whole;              /* a half of a product that computes the other one too */
    /* machine instructions that bring a constant, or a bank's word, into a register */
    uint8_t moves;
    VarId var;                  /* NO_ID: none */
    int64_t value;
    uint32_t use_count;         /* operands of live instructions that read it */
} GraphNode;

typedef struct Graph {
    Arena *arena;
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Uniforms *uniforms;
    GraphNode *nodes;                /* [0] is none */
    uint32_t node_count, node_capacity;
    NodeId *of_operand;         /* per operand of the function: the value that is read there */
    /* per operand of the function: what is written there; 0: nothing, or seen elsewhere */
    NodeId *result_of;
    NodeId *of_insn;            /* per instruction: its first result; 0 */
    NodeId *of_guard;           /* per instruction */
    NodeId *of_reg;             /* per register, as the walk stands, ... */
    BlockId *reg_block;         /* ... and the block that it was written or read in last */
    const uint8_t *def_count;   /* per register, up to 2 */
    const uint8_t *fixed;       /* per predicate register: Fixed */
    bool *is_gone;              /* per instruction: a copy, computed before, or never read */
    HashTable shared;           /* nodes that others may be */
    NodeId last_half;           /* half of a product that the walk met last; 0 */
    /* per instruction: of those before it in the text, those that a load of global memory may
     * notice */
    uint32_t *writes_before;
    uint32_t *param_place;      /* per parameter of the function: offset in the bank */
} Graph;

/* Everything is arena's, which is released by whoever made its mark. */
Graph *ptx_graph_build(Arena *arena, const Module *module, const Func *func, const Cfg *cfg,
                       const Dom *dom, const Uniforms *uniforms);

/* The node of a place in a bank (var: NO_ID, the parameters'); 0: nothing reads it. */
NodeId ptx_graph_bank(const Graph *g, VarId var, int64_t place, unsigned units);

static inline bool ptx_node_is(const Graph *g, NodeId id, GraphNodeKind kind)
{
    return id && g->nodes[id].kind == kind;
}

/* A register, or part of an address, that a variable of a function is read from. */
static inline bool ptx_operand_is_read(const Operand *operand)
{
    return operand->role & (ROLE_USE | ROLE_ADDRESS);
}

#endif
