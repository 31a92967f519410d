/* block_value.h -- a value that a thread of a block holds, as what it is made of.
 *
 * A number, where the thread's index alone says it; an element, which is whatever a thread computed
 * or loaded at a place, the n-th time; or what one associative operation makes of elements. Which
 * elements these are is all that is known of it, and enough to say what a block combines. Private
 * to this folder. */
#ifndef PTX_ANALYSIS_RECOGNIZE_BLOCK_VALUE_H
#define PTX_ANALYSIS_RECOGNIZE_BLOCK_VALUE_H

#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>

enum {
    MAX_BLOCK_NODES = 1 << 17,  /* of a run: 7 MB */
    MAX_ELEMENT_VISITS = 0xffff,
    NO_THREAD = 0x7ff,          /* of an element that is not one thread's own */
};

typedef enum BlockValueKind {
    BLOCK_UNSET,
    BLOCK_NUMBER,
    BLOCK_ELEMENT,              /* number: a key */
    BLOCK_COMBINED,             /* number: a node */
    BLOCK_HALF,                 /* the same: the lower or upper half of node's a */
    BLOCK_COMPARED,             /* the same: a predicate of a and b (block_choice.h) */
    BLOCK_CHOSEN                /* the same: a or b, by a predicate */
} BlockValueKind;

/* What a predicate is made by. */
typedef enum BlockLogic { LOGIC_COMPARE, LOGIC_AND, LOGIC_OR, LOGIC_NOT } BlockLogic;

typedef struct BlockValue {
    uint64_t number;
    uint8_t kind;               /* BlockValueKind */
} BlockValue;

typedef struct BlockNode {
    BlockValue a, b;
    uint64_t key;               /* of the element that it is for another operation */
    /* the sum of its elements' hashes, in any order; of a choice the node of its predicate */
    uint64_t signature;
    uint32_t count;             /* elements, with repetitions */
    InsnId insn;
    /* Step, Type; of a half: 0, 1 for the upper one; of a comparison: in which cases it holds */
    uint8_t step, type;
    uint8_t logic;              /* BlockLogic, of a predicate */
    bool has_other_use;         /* something else is computed of it, too */
} BlockNode;

typedef struct BlockNodes {
    BlockNode *items;
    uint32_t count, capacity;
    bool is_full;
} BlockNodes;

/* Where it was computed, the how many-th time, and by which thread. */
static inline uint64_t ptx_block_key(uint64_t site, uint32_t visit, uint32_t thread)
{
    return site << 27 | (uint64_t)(visit & MAX_ELEMENT_VISITS) << 11 | thread;
}

static inline uint32_t ptx_block_key_thread(uint64_t key)
{
    return (uint32_t)(key & NO_THREAD);
}

static inline BlockValue ptx_block_number(uint64_t number)
{
    return (BlockValue){ number, BLOCK_NUMBER };
}

static inline BlockValue ptx_block_element(uint64_t key)
{
    return (BlockValue){ key, BLOCK_ELEMENT };
}

static inline bool ptx_block_value_is_same(BlockValue a, BlockValue b)
{
    return a.kind == b.kind && a.number == b.number;
}

/* An operation of an instruction. */
typedef struct BlockOperation {
    uint8_t step, type;         /* Step, Type */
    InsnId insn;
    uint64_t key;               /* of the result, if it is no such combination */
} BlockOperation;

/* Of that kind; an element of its key where there are too many. */
BlockValue ptx_block_add_node(Arena *arena, BlockNodes *nodes, const BlockNode *node,
                              uint8_t kind);

/* What goes into a combination: of another operation's result an element. */
BlockValue ptx_block_part(const BlockNodes *nodes, const BlockOperation *of, BlockValue value);

/* The thread that all of it is of; NO_THREAD: there are several. */
uint32_t ptx_block_thread_of(const BlockNodes *nodes, BlockValue value);

/* Whether x op number is x, whatever x. */
bool ptx_block_is_neutral(const BlockOperation *of, uint64_t number);

BlockValue ptx_block_combine(Arena *arena, BlockNodes *nodes, const BlockOperation *of,
                             BlockValue a, BlockValue b);

/* a - b, where b went into a as it is. */
BlockValue ptx_block_subtract(Arena *arena, BlockNodes *nodes, const BlockOperation *of,
                              BlockValue a, BlockValue b);

/* Half of a value, and the value of two halves; key: of the result, if there is none. */
BlockValue ptx_block_half(Arena *arena, BlockNodes *nodes, BlockValue of, bool is_upper);
BlockValue ptx_block_whole(const BlockNodes *nodes, BlockValue low, BlockValue high, uint64_t key);

/* Keys of the elements of a node, each as often as it goes in; UINT32_MAX: more than most. */
uint32_t ptx_block_elements(const BlockNodes *nodes, BlockValue of, uint64_t *keys, uint32_t most);

uint64_t ptx_block_hash(uint64_t key);

/* For qsort. */
int ptx_block_compare_keys(const void *a, const void *b);

#endif
