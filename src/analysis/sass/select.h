/* select.h -- which machine instructions a function's live values become, users before what they
 * use, so that a user can take in what it reads. */
#ifndef PTX_ANALYSIS_SASS_SELECT_H
#define PTX_ANALYSIS_SASS_SELECT_H

#include "analysis/flow/types.h"
#include "analysis/sass/value_graph.h"
#include "gpu/gpu.h"

typedef struct Cost Cost;

/* What one instruction became: rows that stand one after the other. */
typedef struct Selected {
    /* NO_ID: of the node alone: a bank, a special register, a variable's address, a constant */
    InsnId insn;
    NodeId node;                /* that it defines first; 0 */
    union {
        uint32_t use_first;     /* into Selection.uses */
        BlockId place;          /* of the address of a shared variable, which reads nothing */
    };
    /* of the first row; a row of count 0 defines what a wider load of a neighbour brings */
    uint16_t use_count;
    uint8_t machine;            /* MachineOp */
    bool is_fused;              /* a sum that takes a product in */
    int8_t more_flops;          /* of each lane, beside those of its opcode */
    float count;
} Selected;

enum { MAX_JOINS = 32, JOIN_BYTES = 16, MAX_VARIABLE_PLACES = 64 };

/* Where the address of a shared variable is made: ptxas leaves it in the block that names it, as
 * long as none above does. */
typedef struct VariablePlace {
    NodeId node;                /* 0: of what the addresses of all variables begin with */
    BlockId block;
    bool is_first;              /* what they begin with is made here too */
} VariablePlace;

/* Loads of one space from neighbouring addresses: ptxas makes one of those that lie in the same 16
 * bytes. */
typedef struct Join {
    NodeId base;
    int64_t chunk;              /* of the offset */
    uint32_t row;               /* that stands for all */
    uint16_t bytes;             /* that are read: bits */
    uint8_t space;
} Join;

typedef enum VectorKnown {      /* whether some vector of an instruction writes a register */
    VECTOR_NOT_KNOWN, VECTOR_NO, VECTOR_YES
} VectorKnown;

typedef struct Selection {
    Arena *arena;
    const Graph *graph;
    const Defs *defs;
    Target target;
    GraphNode *nodes;                /* of graph */
    const Cost **costs;         /* per opcode with modifiers, where has_cost */
    bool *has_cost;
    bool *is_live;              /* per instruction */
    /* per register with several definitions: some block reads it that does not write it first */
    bool *is_read;
    uint8_t *in_vector;         /* per register: VectorKnown */
    /* per node: operands of sums of floats, of comparisons, that read it */
    uint32_t *sums, *tests;
    bool *is_taken_out;         /* per node: an element that is read apart from its neighbours */
    bool *is_demanded;          /* per node: it is read out of a register */
    BlockId *home;              /* per demanded node: a block that dominates all that read it */
    Selected *rows;             /* in the reverse of program order */
    NodeId *uses;
    uint32_t row_count, row_capacity, use_count, use_capacity;
    uint32_t most_rows, most_uses;      /* further ones are left out */
    Join joins[MAX_JOINS];     /* of the block, as far as nothing stands between */
    uint32_t join_count;
    uint32_t zero_count;        /* of the block: registers that begin as zero */
    uint32_t climbs;            /* steps up the dominator tree that are left */
    /* of arrays in local memory; 0: there are none, or nothing is known of them */
    uint32_t local_elements;
    /* they stay in memory; else they are registers, and an index goes through all of them */
    bool has_local;
    bool has_global;            /* an access of global memory is left */
    VariablePlace places[MAX_VARIABLE_PLACES];  /* further ones are left out */
    uint32_t place_count;
} Selection;

/* The home of a demanded node that a block reads too. */
BlockId ptx_selection_home(Selection *s, NodeId id, BlockId block);

/* Whether a node is an address that begins with that of the CTA's shared memory in its cluster, as
 * those of shared variables do since sm_90. */
bool ptx_select_is_window_address(const Selection *s, NodeId id);

/* One beside the instruction itself, which keeps what it reads. */
void ptx_selection_beside(Selection *s, const Selected *row, MachineOp machine, double count);

/* Another block, or another iteration, reads the register that a value stands in. */
bool ptx_selection_is_live_out(const Selection *s, NodeId id);

/* Everything is arena's. */
Selection *ptx_selection_compute(Arena *arena, Graph *graph, const Defs *defs, const Loops *loops,
                                 Target target);

#endif
