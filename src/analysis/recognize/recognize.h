/* recognize.h -- what loops, and the loop that the grid stands for, compute.
 *
 * Registers: inductions, reductions, recurrences. A variable is a strongly connected component of
 * the register dependences (dependence.h) among a loop's instructions, found by Tarjan,
 * "Depth-First Search and Linear Graph Algorithms" (SIAM J. Comput. 1972), for each nesting level
 * by itself. Its instructions are evaluated as a function of the value at the loop's header: v + e,
 * v * e, min(v, e), ..., minima by comparison and selection, too; what composes to one class is of
 * that class, everything else is RECOGNIZED_NONE and says why. What goes through branches is not
 * looked at.
 *
 * Arrays: assignments, reductions, stencils, histograms, scans. A store, and an atomic, is classed
 * by its address as a function of the indices (subscript.h), and by what its value rests on.
 * Different parameters and variables are taken for different arrays. */
#ifndef PTX_ANALYSIS_RECOGNIZE_RECOGNIZE_H
#define PTX_ANALYSIS_RECOGNIZE_RECOGNIZE_H

#include "analysis/flow/func_flow.h"
#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

enum {
    RECOGNIZE_DEPTH = 12,       /* loops nested deeper are not looked at */
    RECOGNIZE_DEFS = 64         /* of a register that are looked at */
};

typedef enum RecognizedClass {
    RECOGNIZED_NONE,
    RECOGNIZED_LINEAR,          /* v = v + c, once an iteration, c the same in all of them */
    RECOGNIZED_POLYNOMIAL,      /* v = v + w, w a linear induction of the same loop */
    RECOGNIZED_GEOMETRIC,       /* v = v * c */
    /* v = v op e; e free of v, and nothing else of the loop reads v */
    RECOGNIZED_REDUCTION,
    RECOGNIZED_RECURRENCE,      /* v = a * v + b, the same of a and b */
    /* set where a minimum or maximum of the same loop is, to where it was */
    RECOGNIZED_LOCATION,
    /* of arrays; s: the sum of products that subscript.h says; e: free of a */
    RECOGNIZED_ASSIGNMENT,      /* a[s] = e */
    RECOGNIZED_STENCIL,         /* a[s] = e, e of neighbours of one element of another array */
    RECOGNIZED_SCATTER,         /* a[b[s]] = e */
    RECOGNIZED_GATHER,          /* a load of a[b[s]] */
    RECOGNIZED_ARRAY_REDUCTION, /* a[s] = a[s] op e */
    RECOGNIZED_HISTOGRAM,       /* a[b[s]] = a[b[s]] op e */
    RECOGNIZED_SCAN,            /* v = v op e, a[s] = v; a[s] = a[s - 1] op e */
    /* of the lanes of a warp, by shuffles: of groups of Recognized.lanes */
    RECOGNIZED_WARP_REDUCTION, RECOGNIZED_WARP_SCAN,
    RECOGNIZED_TREE,            /* a value of each thread of the block, combined to one */
    RECOGNIZED_BLOCK_SCAN       /* each thread, or word, has those before it combined */
} RecognizedClass;

typedef enum RecognizedAdvice {
    ADVICE_NONE,
    ADVICE_PRIVATIZE,           /* count in shared memory first: the bins fit there */
    ADVICE_SHUFFLE,             /* combine the warp first: all lanes add to one float */
    ADVICE_TREE_SHUFFLE,        /* the last steps of a tree are within a warp */
    ADVICE_INTERCHANGE,         /* lanes are apart, iterations are not: the other way round */
    ADVICE_CONFLICT             /* data say which bank */
} RecognizedAdvice;

typedef struct Recognized {
    LoopId loop;                /* NO_LOOP: the loop that the grid stands for */
    InsnId insn;                /* the last of those that compute it, in the text */
    RegId reg;                  /* that the loop carries; NO_ID: several */
    /* the array that is accessed: its variable or parameter; NO_ID: not known, or no array */
    VarId array;
    uint32_t array_offset;      /* of a pointer within a parameter */
    uint8_t class;              /* RecognizedClass */
    const char *operation;      /* "add", "mul", "min", ...; NULL: not one */
    const char *why;            /* of RECOGNIZED_NONE */
    /* of RECOGNIZED_LINEAR; bytes from one iteration or thread to the next; where has_step */
    int64_t step;
    uint32_t insn_count;
    uint8_t advice;             /* RecognizedAdvice */
    uint32_t extent;            /* of ADVICE_PRIVATIZE: bytes that the bins take at most */
    /* of ADVICE_INTERCHANGE: bytes from one lane to the next, 0: a value of the launch times some;
     * and of an element, of which the loop touches one behind the other */
    int64_t lane_bytes, element_bytes;
    uint32_t lanes;             /* or elements, that are combined; 0: not known, another class */
    bool has_step;
    bool ends_at_neighbours;    /* of RECOGNIZED_TREE: the steps are halved down to 1 */
    bool is_array;              /* a store, an atomic or a gather: no register of a loop */
    bool is_conditional;        /* not in each iteration */
    bool is_reinitialized;      /* set to a constant in each iteration of the next outer loop */
    uint32_t number;            /* in the order in which it was found */
} Recognized;

/* What one needs another for. */
typedef enum LinkKind {
    LINK_STRUCTURAL,            /* an index: for its subscript, or how far its loop goes */
    LINK_FLOW,                  /* its value */
    LINK_CONTROL,               /* whether it is computed */
    LINK__COUNT,
    LINK_BY_MEMORY = 1 << LINK__COUNT   /* a bit beside those of kinds */
} LinkKind;

/* Nodes: rows; from their number on, indices of the grid: %tid.x, .y, .z, %ctaid.x, .y, .z. */
enum { LINK_INDICES = 6 };

typedef struct RecognizedLink {
    uint32_t from, to;          /* nodes; `to` needs `from` */
    uint8_t kind;               /* LinkKind */
    bool is_by_memory;          /* `from` may have stored it to an array that `to` loads from */
} RecognizedLink;

typedef struct RecognizedLinks {
    const RecognizedLink *items;          /* by `to`, then `from`, then kind */
    uint32_t count;
    bool is_cut;                /* there may be more */
} RecognizedLinks;

enum { MAX_FISSION_PARTS = 16 };

/* What of a kernel some arrays rest on that it stores to, where the others need no more of it than
 * indices, addresses and what decides how far they go: it could be a kernel of its own. */
typedef struct FissionPart {
    const bool *keeps;          /* per instruction */
    VarId *arrays;              /* variables and parameters, each once */
    uint32_t array_count;
    InsnId store;               /* the first of its stores and atomics */
    uint32_t store_count;
    /* instructions, in loops where there are any; shared: that others need, too */
    uint32_t own_count, shared_count;
} FissionPart;

typedef struct Fission {
    FissionPart *parts;
    uint32_t count;             /* 0: there is one part alone, or not all is known */
    const char *why;            /* count is 0; NULL: it is no kernel, or has errors */
    InsnId why_insn;            /* where; NO_ID: no one place */
    /* instructions, beyond indices and addresses, that several parts compute; the first of them */
    uint32_t again_count;
    InsnId again;
    InsnId loaded_again;        /* the first load of them from memory; NO_ID: there is none */
} Fission;

typedef struct Recognitions {
    const Recognized *items;    /* by loop, then instruction */
    uint32_t count;
    bool is_cut;                /* there are too many dependences: nothing is recognised */
} Recognitions;

/* Owned by arena; scratch, another arena, is left as found. block: its shape by the launch, or
 * NULL. links and fission may be NULL. */
Recognitions ptx_recognize(Arena *arena, Arena *scratch, const FuncFlow *flow,
                           const uint32_t *block, RecognizedLinks *links, Fission *fission);

#endif
