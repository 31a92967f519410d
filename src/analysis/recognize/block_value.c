/* Values of a block's threads: what of what. */
#include "analysis/recognize/block_value.h"

#include "analysis/recognize/recognizer.h"
#include "isa/isa.h"

/* Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014): the
 * mixing of SplitMix64. */
uint64_t ptx_block_hash(uint64_t key)
{
    key += UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
    return key ^ key >> 31;
}

int ptx_block_compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* ---- neutral elements ------------------------------------------------------------------------ */

/* -infinity, or infinity, of a float's bits. */
static bool is_infinity(unsigned bits, uint64_t number, bool is_negative)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t exponent = UINT64_C(0x7c00);
    if (bits == 32)
        exponent = UINT64_C(0x7f800000);
    else if (bits == 64)
        exponent = UINT64_C(0x7ff0000000000000);
    return number == (is_negative ? sign | exponent : exponent);
}

static bool is_neutral_extreme(const BlockOperation *of, uint64_t number)
{
    const unsigned bits = ptx_type_info[of->type].bits;
    const uint64_t all = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    bool is_max = of->step == STEP_MAX;
    switch (ptx_type_info[of->type].kind) {
    case KIND_FLOAT:
        return (bits == 32 || bits == 64) && is_infinity(bits, number, is_max);
    case KIND_SIGNED:
        return (number & all) == (is_max ? all / 2 + 1 : all / 2);
    case KIND_UNSIGNED:
        return (number & all) == (is_max ? 0 : all);
    default:
        return false;
    }
}

bool ptx_block_is_neutral(const BlockOperation *of, uint64_t number)
{
    const unsigned bits = ptx_type_info[of->type].bits;
    const uint64_t all = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    bool is_float = ptx_type_info[of->type].kind == KIND_FLOAT;
    switch ((Step)of->step) {
    case STEP_ADD:      /* rounding, and the sign of 0, are not looked at */
        return !(is_float && bits <= 64 ? number & all >> 1 : number & all);
    case STEP_OR: case STEP_XOR:
        return !(number & all);
    case STEP_AND:
        return (number & all) == all;
    case STEP_MIN: case STEP_MAX:
        return is_neutral_extreme(of, number);
    default:
        return false;
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

BlockValue ptx_block_add_node(Arena *arena, BlockNodes *nodes, const BlockNode *node,
                              uint8_t kind)
{
    if (nodes->count == MAX_BLOCK_NODES) {
        nodes->is_full = true;
        return ptx_block_element(node->key);
    }
    if (nodes->count == nodes->capacity)
        nodes->items = ptx_arena_grow(arena, nodes->items, nodes->count, &nodes->capacity,
                                      sizeof *nodes->items);
    nodes->items[nodes->count] = *node;
    return (BlockValue){ nodes->count++, kind };
}

/* What another operation made is an element where one thread made it of its own. */
BlockValue ptx_block_part(const BlockNodes *nodes, const BlockOperation *of, BlockValue value)
{
    if (value.kind == BLOCK_HALF)
        return ptx_block_element(ptx_block_key(value.number, 0, NO_THREAD));
    if (value.kind == BLOCK_COMPARED || value.kind == BLOCK_CHOSEN)
        return ptx_block_element(nodes->items[value.number].key);
    if (value.kind != BLOCK_COMBINED)
        return value;
    const BlockNode *node = &nodes->items[value.number];
    bool is_same = node->step == of->step && node->type == of->type;
    return is_same ? value : ptx_block_element(node->key);
}

static uint64_t signature_of_elements(const BlockNodes *nodes, BlockValue value)
{
    return value.kind == BLOCK_COMBINED ? nodes->items[value.number].signature
                                        : ptx_block_hash(value.number);
}

static uint32_t count_of_elements(const BlockNodes *nodes, BlockValue value)
{
    return value.kind == BLOCK_COMBINED ? nodes->items[value.number].count : 1;
}

uint32_t ptx_block_thread_of(const BlockNodes *nodes, BlockValue value)
{
    return ptx_block_key_thread(value.kind == BLOCK_COMBINED ? nodes->items[value.number].key
                                                             : value.number);
}

BlockValue ptx_block_combine(Arena *arena, BlockNodes *nodes, const BlockOperation *of,
                             BlockValue a, BlockValue b)
{
    if (a.kind == BLOCK_NUMBER && ptx_block_is_neutral(of, a.number))
        return b;
    if (b.kind == BLOCK_NUMBER && ptx_block_is_neutral(of, b.number))
        return a;
    if (a.kind <= BLOCK_NUMBER || b.kind <= BLOCK_NUMBER)
        return ptx_block_element(of->key);
    BlockNode node = { .a = ptx_block_part(nodes, of, a), .b = ptx_block_part(nodes, of, b),
                       .key = of->key, .insn = of->insn, .step = of->step, .type = of->type };
    const uint32_t count = count_of_elements(nodes, node.a);
    const uint32_t more = count_of_elements(nodes, node.b);
    if (count > UINT32_MAX - more)
        return ptx_block_element(of->key);
    node.count = count + more;
    node.signature = signature_of_elements(nodes, node.a) + signature_of_elements(nodes, node.b);
    if (ptx_block_thread_of(nodes, node.a) != ptx_block_thread_of(nodes, node.b)
        || ptx_block_thread_of(nodes, node.a) != ptx_block_key_thread(of->key))
        node.key = of->key | NO_THREAD;
    return ptx_block_add_node(arena, nodes, &node, BLOCK_COMBINED);
}

/* ---- what is taken away ---------------------------------------------------------------------- */

enum { SUBTRACT_DEPTH = 16, MAX_SUBTRACT_NODES = 256 };

typedef struct BlockTaking {
    Arena *arena;
    BlockNodes *nodes;
    const BlockOperation *of;
    BlockValue part;
} BlockTaking;

/* What a value is made of but for a part of it, that went in as it is; BLOCK_UNSET: it did not.
 * budget: values that may be looked at. */
static BlockValue without(const BlockTaking *t, BlockValue value, unsigned depth,
                          unsigned *budget)
{
    if (ptx_block_value_is_same(value, t->part))
        return ptx_block_number(0);
    if (value.kind != BLOCK_COMBINED || !depth || !*budget)
        return (BlockValue){ 0 };
    --*budget;
    const BlockNode node = t->nodes->items[value.number];
    const BlockValue sides[2] = { node.b, node.a };
    if (node.step != t->of->step || node.type != t->of->type)
        return (BlockValue){ 0 };
    for (unsigned i = 0; i < 2; i++) {
        const BlockValue rest = without(t, sides[i], depth - 1, budget);
        if (rest.kind != BLOCK_UNSET)
            return ptx_block_combine(t->arena, t->nodes, t->of, sides[1 - i], rest);
    }
    return (BlockValue){ 0 };
}

BlockValue ptx_block_subtract(Arena *arena, BlockNodes *nodes, const BlockOperation *of,
                              BlockValue a, BlockValue b)
{
    const BlockTaking t = { arena, nodes, of, b };
    unsigned budget = MAX_SUBTRACT_NODES;
    BlockValue rest = { 0 };
    if (b.kind == BLOCK_NUMBER && ptx_block_is_neutral(of, b.number))
        return a;
    if (a.kind > BLOCK_NUMBER && b.kind > BLOCK_NUMBER)
        rest = without(&t, a, SUBTRACT_DEPTH, &budget);
    return rest.kind == BLOCK_UNSET ? ptx_block_element(of->key) : rest;
}

/* ---- halves ---------------------------------------------------------------------------------- */

BlockValue ptx_block_half(Arena *arena, BlockNodes *nodes, BlockValue of, bool is_upper)
{
    const BlockNode node = { .a = of, .key = ptx_block_key(nodes->count, 0, NO_THREAD),
                             .type = is_upper };
    return ptx_block_add_node(arena, nodes, &node, BLOCK_HALF);
}

BlockValue ptx_block_whole(const BlockNodes *nodes, BlockValue low, BlockValue high, uint64_t key)
{
    if (low.kind == BLOCK_NUMBER && high.kind == BLOCK_NUMBER)
        return ptx_block_number((low.number & UINT32_MAX) | high.number << 32);
    if (low.kind != BLOCK_HALF || high.kind != BLOCK_HALF)
        return ptx_block_element(key);
    const BlockNode *a = &nodes->items[low.number], *b = &nodes->items[high.number];
    bool is_one = !a->type && b->type && ptx_block_value_is_same(a->a, b->a);
    return is_one ? a->a : ptx_block_element(key);
}

/* ---- elements -------------------------------------------------------------------------------- */

enum { ELEMENT_DEPTH = 2048 };

uint32_t ptx_block_elements(const BlockNodes *nodes, BlockValue of, uint64_t *keys, uint32_t most)
{
    BlockValue stack[ELEMENT_DEPTH];
    uint32_t depth = 0, count = 0;
    stack[depth++] = of;
    while (depth) {
        const BlockValue value = stack[--depth];
        if (value.kind != BLOCK_COMBINED) {
            if (count == most)
                return UINT32_MAX;
            keys[count++] = value.number;
            continue;
        }
        if (depth + 2 > ELEMENT_DEPTH)
            return UINT32_MAX;
        stack[depth++] = nodes->items[value.number].a;
        stack[depth++] = nodes->items[value.number].b;
    }
    return count;
}
