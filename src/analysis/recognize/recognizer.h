/* recognizer.h -- what the parts of the recognition share: tables per instruction, and what has
 * been recognised. Private to this folder. */
#ifndef PTX_ANALYSIS_RECOGNIZE_RECOGNIZER_H
#define PTX_ANALYSIS_RECOGNIZE_RECOGNIZER_H

#include "analysis/recognize/recognize.h"
#include "analysis/recognize/subscript.h"
#include "analysis/redundancy/dependence.h"
#include "ir/insn.h"

/* What the results of an instruction rest on. */
enum {
    MARK_VARIES = 1,            /* the thread, the block, the iteration */
    MARK_DATA = 2               /* memory, where that is not the same for all of them */
};

enum {
    MAX_ARRAYS = 63,            /* of a function that have a bit, */
    OTHER_ARRAY = MAX_ARRAYS,   /* and the bit of all others */
    MAX_ATOMICS = 128,          /* of a function that are compared */
    MAX_BLOCK_ROWS = 32
};

/* What an instruction makes of the variable. */
typedef enum Step {
    STEP_OTHER,
    STEP_COPY,
    STEP_ADD,
    STEP_MUL,
    STEP_SHIFT,                 /* v << c */
    STEP_LINEAR,                /* v * a + b */
    STEP_MIN, STEP_MAX, STEP_AND, STEP_OR, STEP_XOR,
    STEP__COUNT
} Step;

/* A comparison that a minimum or maximum is selected by. */
typedef struct CompareSelect {
    bool is_known;
    bool takes_new_where;       /* of its predicate: then the other value is taken */
    bool is_max;
    RegId variable;
    LoopId loop;
    uint32_t number, count;     /* among the comparisons of an iteration, and how many there are */
} CompareSelect;

/* What a block combines, of each of its threads. */
typedef struct BlockRow {
    InsnId insn;                /* where it is first complete; of a scan the last one */
    RegId reg;
    VarId array;                /* of a scan in shared memory; else NO_ID */
    uint32_t count;             /* elements; 0: as many as the launch says */
    uint32_t threads;
    BlockId within;             /* where it is decided that it is made */
    uint32_t run_count;         /* other sizes and shapes of the block that it holds for, too */
    uint8_t step;               /* Step */
    bool is_scan, is_location;
    bool is_reported;           /* a tree is its row */
} BlockRow;

typedef struct Recognizer {
    Arena *arena, *scratch;
    const FuncFlow *flow;
    const Defs *defs;
    Dependences all;
    uint32_t *first;            /* per instruction and one more: into all.items, by `to` */
    LoopId *outer;              /* per loop: what holds it at the level in hand; NO_LOOP */
    LoopId *below;              /* the same one level deeper */
    uint32_t *component;        /* per instruction; 0: none yet */
    uint32_t *owner;            /* per instruction: the innermost item it is of, plus 1; 0: none */
    uint32_t *reg_component;    /* per register: the last component that sets it */
    uint32_t *order, *low, *next;       /* per instruction, of Tarjan's walk */
    InsnId *stack, *calls;
    uint32_t stack_count, component_count, order_count;
    bool *is_linear;            /* per instruction: of a linear induction */
    CompareSelect *selection;       /* per instruction */
    bool *is_location;          /* per instruction: it notes where a minimum or maximum is */
    uint8_t *marks;             /* per instruction: MARK_ bits */
    const Subscript **subscripts;       /* per instruction: of its access; NULL: it has none */
    uint64_t *rests;            /* per instruction: a bit an array that its results rest on */
    uint64_t arrays[MAX_ARRAYS];        /* keys of subscript.h */
    uint64_t array_rests[MAX_ARRAYS + 1];       /* what has been stored in them rests on */
    uint32_t array_count;
    bool *is_decided;           /* per block: a branch that rests on memory decides that it runs */
    bool *is_read;              /* per instruction: a register that it sets is read */
    uint32_t *stamps, stamp;    /* per instruction: of the last walk that saw it */
    InsnId atomics[MAX_ATOMICS];
    uint32_t atomic_count;      /* there may be more than are kept */
    uint64_t budget;            /* steps of walks back from stores that are left */
    uint64_t evaluations;       /* of operations for a thread, that are left */
    uint64_t block_steps;       /* instructions of threads that may be run, that are left */
    BlockRow blocks[MAX_BLOCK_ROWS];
    uint8_t *block_rows;        /* per instruction: the one that it combines for, plus 1; 0: none */
    uint32_t *block_stores;     /* per instruction: the item that it stores parts of, plus 1; 0 */
    uint32_t block_row_count;
    uint32_t shape[3];          /* of the block, ... */
    bool has_shape;             /* ... where the kernel or the launch says it */
    bool asks_for_row;          /* it reads %tid.y or %tid.z */
    bool has_local;             /* the module has variables in local memory */
    bool has_arrays;            /* subscripts and rests are there */
    SubscriptReader reader;
    Recognized *items;
    uint32_t *item_component;
    uint32_t count, capacity, id_capacity;
} Recognizer;

/* A component in hand. */
typedef struct Cycle {
    const InsnId *insns;
    uint32_t count, id;
    LoopId loop;
    RegId carried;
    bool has_constants, has_step;       /* all that is added or multiplied is constant, a number */
    bool has_induction;         /* what is added is one linear induction */
    int64_t step;
    uint32_t step_count;        /* instructions but copies */
} Cycle;

/* recognize.c */
void ptx_recognizer_add(Recognizer *r, const Recognized *item, uint32_t component);
RecognizedClass ptx_recognizer_refuse(Recognized *out, const char *why);
LoopId ptx_recognizer_level_loop(const Recognizer *r, InsnId insn);
/* Whether each iteration of the innermost loop around it executes it. */
bool ptx_recognizer_is_unconditional(const Recognizer *r, InsnId insn);
/* The only instruction that a register that this one reads comes from, in the same iteration;
 * NO_ID: there are several, or none. */
InsnId ptx_recognizer_source(const Recognizer *r, InsnId insn, RegId reg);
/* Takes steps of the budget; false: there are not so many. */
bool ptx_recognizer_spend(Recognizer *r, uint64_t steps);
/* "add", ...; NULL: it is not one operation */
const char *ptx_recognizer_step_text(Step step);
/* What it does with its operands, whichever of them is the variable; STEP_OTHER where it
 * saturates, carries or drops bits. */
Step ptx_recognizer_step(const Insn *insn);
/* The same where the variable stands at a place: a product of it is no sum. */
Step ptx_recognizer_step_at(const Insn *insn, int place);
/* The one step of both; a mixture of sums and products is linear; STEP_OTHER: there is none. */
Step ptx_recognizer_join_steps(Step a, Step b);

/* components.c: all that loops carry in registers, a nesting level at a time. */
void ptx_recognizer_components(Recognizer *r);

/* links.c: what is recognised needs of each other; row_of: per number of an item. */
RecognizedLinks ptx_recognizer_links(Recognizer *r, const uint32_t *row_of);

/* cycle.c: the class of a component. */
void ptx_recognizer_add_cycle(Recognizer *r, Cycle *c);
bool ptx_recognizer_is_of_cycle(const Recognizer *r, const Cycle *c, const Operand *operand);

/* select.c: a minimum or maximum by comparison and selection, or where it was. */
RecognizedClass ptx_recognizer_select(Recognizer *r, const Cycle *c, Recognized *out);
/* Whether a comparison is one of the order of a variable and of what a copy gives it; out:
 * takes_new_where is set, and the rest becomes so. */
bool ptx_recognizer_compares_copied(const Recognizer *r, InsnId compare, InsnId copy,
                                    CompareSelect *out);
/* branch_select.c: of loops of that depth, by a branch around a copy, and where it was. */
void ptx_recognizer_branch_extremes(Recognizer *r, uint32_t depth);
/* Of loops of that depth, by a copy under a guard. */
void ptx_recognizer_guarded_locations(Recognizer *r, uint32_t depth);

/* rests.c: what instructions rest on: the tables marks, subscripts, rests. */
void ptx_recognizer_rests(Recognizer *r);
/* The bit of an array; that of all others where it is 0 or beyond the first MAX_ARRAYS. */
uint64_t ptx_recognizer_array_bit(const Recognizer *r, uint64_t array);

/* array.c: what is stored, and what is loaded from where memory says. */
void ptx_recognizer_arrays(Recognizer *r);
/* Of an atomic or a reduction of the warp, by what it names; STEP_OTHER: no associative one. */
Step ptx_recognizer_named_step(const Op *op);
/* What holds in a block because of the branch that ends a dominator of it; 0: nothing. */
SymId ptx_recognizer_condition(const Recognizer *r, BlockId branch, BlockId block);
/* %tid.x == c */
bool ptx_recognizer_is_one_thread(const Symbols *s, SymId condition);
/* How an address moves in a loop, or in the grid: TERM_FIXED, TERM_LOOP: by indices alone,
 * TERM_DATA, TERM_OTHER. */
TermKind ptx_recognizer_movement(const Recognizer *r, const Subscript *of, LoopId loop);

/* ahead.c: whether the innermost loop around a store loads each element of that array before it
 * stores to it, so that no load, or not that one, sees what an iteration of the loop has stored;
 * load: NO_ID for all of the loop. False: not so, or not known. */
bool ptx_recognizer_loads_ahead(Recognizer *r, InsnId store, InsnId load);
/* Whether a load of that loop may see what another store to the array has left; true: or it is not
 * known. */
bool ptx_recognizer_other_store_meets(Recognizer *r, InsnId store, InsnId load);

/* lanes.c: what lanes combine by shuffles. */
void ptx_recognizer_lanes(Recognizer *r);

/* block.c: runs a block, of that shape where it is not NULL: blocks, block_rows; then, behind
 * trees, rows of what these do not say. */
void ptx_recognizer_run_block(Recognizer *r, const uint32_t *block);
void ptx_recognizer_blocks(Recognizer *r);

/* tree.c: what a block combines in shared memory; before arrays.c, which leaves its stores out. */
void ptx_recognizer_trees(Recognizer *r);

/* advice.c: what follows from the classes, when all are known. */
void ptx_recognizer_advise(Recognizer *r);

/* fission.c: the parts of a kernel. */
void ptx_recognizer_fission(Recognizer *r, Fission *out);

/* own_elements.c: whether each thread of a block that may come there stores to bytes of its own, by
 * evaluation; false: not so, or not known. */
bool ptx_recognizer_has_own_elements(Recognizer *r, InsnId id);
/* Whether a block may store to what its neighbour in the grid stores to, as far as conditions go
 * by the thread's index: the shape of a block is known, and the step by %ctaid is a number; false:
 * not so, or not known. */
bool ptx_recognizer_overlaps_neighbour(Recognizer *r, InsnId id);

/* stencil.c: whether what is stored is made of neighbours of one element of another array. */
bool ptx_recognizer_is_stencil(Recognizer *r, InsnId store);

#endif
