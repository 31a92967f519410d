/* Where the least or greatest value of a block is: an index that is chosen as the value is.
 *
 * What was chosen is followed beside the value, down to elements. Each must have come with an index
 * that its own thread computed, or with a number that is the same linear function of the thread for
 * all of them. */
#include "analysis/recognize/block_choice.h"

#include <stdlib.h>

enum {
    LOCATION_DEPTH = 128,       /* choices, one made of the other */
    MAX_LOCATION_TRIES = 64     /* of a run that are followed */
};

/* An element, and what was taken for its place: a number, or what its thread computed. */
typedef struct PlacedElement {
    uint64_t key, number;
    bool is_number;
} PlacedElement;

typedef struct Locating {
    const BlockRun *run;
    BlockOperation of;          /* the minimum or maximum */
    PlacedElement *placed;
    uint32_t count, most;
} Locating;

static bool place_element(Locating *l, BlockValue index, BlockValue element)
{
    const BlockNodes *nodes = &l->run->nodes;
    const uint32_t thread = ptx_block_thread_of(nodes, element);
    if (element.kind != BLOCK_ELEMENT || thread == NO_THREAD || l->count == l->most
        || (index.kind != BLOCK_NUMBER && index.kind != BLOCK_ELEMENT
            && index.kind != BLOCK_COMBINED))
        return false;
    if (index.kind != BLOCK_NUMBER && ptx_block_thread_of(nodes, index) != thread)
        return false;
    l->placed[l->count++] = (PlacedElement){ element.number, index.number,
                                               index.kind == BLOCK_NUMBER };
    return true;
}

/* Of a choice by p, the side of a, which p compares with b; BLOCK_UNSET: not known. */
static BlockValue chosen_side(const Locating *l, const BlockNode *choice, BlockValue a,
                              BlockValue b)
{
    const BlockValue p = { choice->signature, BLOCK_COMPARED };
    const BlockOrder order = ptx_block_order_of(l->run, &l->of, p, a, b);
    const Step step = ptx_block_step_of_order(order);
    if (step == STEP_OTHER || order.type != l->of.type)
        return (BlockValue){ 0 };
    return step == (Step)l->of.step ? choice->a : choice->b;
}

/* Where the choice was between the value and a number that is less than all, or greater: its side
 * of the value. */
static BlockValue side_beside_neutral(const Locating *l, const BlockNode *choice, BlockValue value)
{
    const BlockNode *found[MAX_COMPARISONS];
    const unsigned count =
        ptx_block_comparisons(l->run, (BlockValue){ choice->signature, BLOCK_COMPARED }, found);
    for (unsigned i = 0; i < count; i++) {
        bool is_first = found[i]->a.kind == BLOCK_NUMBER;
        const BlockValue number = is_first ? found[i]->a : found[i]->b;
        if (number.kind == BLOCK_NUMBER && ptx_block_is_neutral(&l->of, number.number))
            return chosen_side(l, choice, value, number);
    }
    return (BlockValue){ 0 };
}

static bool locates(Locating *l, BlockValue index, BlockValue value, unsigned depth)
{
    const BlockNode *node = value.kind == BLOCK_COMBINED ? &l->run->nodes.items[value.number]
                                                         : NULL;
    bool is_made = node && node->step == l->of.step && node->type == l->of.type;
    if (index.kind != BLOCK_CHOSEN)
        return !is_made && place_element(l, index, value);
    if (!depth)
        return false;
    const BlockNode *choice = &l->run->nodes.items[index.number];
    const BlockValue with = is_made ? chosen_side(l, choice, node->a, node->b) : (BlockValue){ 0 };
    if (with.kind == BLOCK_UNSET) {
        const BlockValue rest = side_beside_neutral(l, choice, value);
        return rest.kind != BLOCK_UNSET && locates(l, rest, value, depth - 1);
    }
    bool is_first = ptx_block_value_is_same(with, choice->a);
    return locates(l, with, node->a, depth - 1)
           && locates(l, is_first ? choice->b : choice->a, node->b, depth - 1);
}

/* ---- all threads ----------------------------------------------------------------------------- */

static int compare_placed(const void *a, const void *b)
{
    const PlacedElement *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* The n-th thread's, if a number: a linear function of the thread, from the first two. */
static bool is_index_of(const PlacedElement *placed, uint32_t n)
{
    const uint32_t step = (uint32_t)(placed[1].number - placed[0].number);
    if (placed[n].is_number != placed[0].is_number)
        return false;
    return !placed[0].is_number
           || (step && (uint32_t)(placed[n].number - placed[0].number) == step * n);
}

/* All threads have as many elements, each with its index. */
static bool has_index_each(const Locating *l, uint64_t *signature)
{
    const uint32_t threads = l->run->threads;
    if (l->count % threads)
        return false;
    qsort(l->placed, l->count, sizeof *l->placed, compare_placed);
    for (uint32_t i = 0; i < l->count; i++) {
        const PlacedElement *first = &l->placed[i - i % threads];
        if (l->placed[i].key != first->key + i % threads
            || ptx_block_key_thread(l->placed[i].key) != i % threads
            || !is_index_of(first, i % threads))
            return false;
        *signature += ptx_block_hash(ptx_block_hash(l->placed[i].key) ^ l->placed[i].number);
    }
    return true;
}

static uint32_t count_of_parts(const BlockRun *run, BlockValue value)
{
    return value.kind == BLOCK_COMBINED ? run->nodes.items[value.number].count : 1;
}

/* By one of its comparisons, where the values are the greatest, or least, of all threads. */
static bool is_location(BlockRun *run, const BlockNode *choice, const BlockNode *compared,
                        BlockFound *out)
{
    const BlockOperation of = { .step = out->step, .type = compared->type };
    const BlockValue a = ptx_block_part(&run->nodes, &of, compared->a);
    const BlockValue b = ptx_block_part(&run->nodes, &of, compared->b);
    out->count = count_of_parts(run, a) + count_of_parts(run, b);
    if (a.kind == BLOCK_NUMBER || b.kind == BLOCK_NUMBER || out->count % run->threads
        || out->count / run->threads > MAX_ELEMENTS_OF_THREAD)
        return false;
    const ArenaMark mark = ptx_arena_mark(run->arena);
    Locating l = { .run = run, .of = of, .most = out->count,
                   .placed = ptx_arena_array(run->arena, PlacedElement, out->count) };
    const BlockValue with = chosen_side(&l, choice, a, b);
    bool is_first = ptx_block_value_is_same(with, choice->a);
    ptx_block_spend(run, out->count);
    bool is_found = with.kind != BLOCK_UNSET && locates(&l, with, a, LOCATION_DEPTH)
                    && locates(&l, is_first ? choice->b : choice->a, b, LOCATION_DEPTH)
                    && l.count == out->count && has_index_each(&l, &out->signature);
    ptx_arena_release(run->arena, mark);
    return is_found;
}

static bool is_found_there(const BlockRun *run, InsnId id)
{
    for (uint32_t i = 0; i < run->found_count; i++)
        if (run->found[i].is_location && run->found[i].insn == id)
            return true;
    return false;
}

/* The first of those that have the same. */
static void add_location(BlockRun *run, const BlockFound *found)
{
    for (uint32_t i = 0; i < run->found_count; i++)
        if (run->found[i].is_location && run->found[i].step == found->step
            && run->found[i].signature == found->signature)
            return;
    run->found[run->found_count++] = *found;
}

void ptx_block_note_location(BlockRun *run, InsnId id, BlockValue value)
{
    const BlockNode *found[MAX_COMPARISONS];
    const BlockNode choice = run->nodes.items[value.number];
    const unsigned count =
        ptx_block_comparisons(run, (BlockValue){ choice.signature, BLOCK_COMPARED }, found);
    for (unsigned i = 0; i < count && run->found_count < MAX_BLOCK_FOUND; i++) {
        if (count_of_parts(run, found[i]->a) + count_of_parts(run, found[i]->b) < run->threads
            || is_found_there(run, id) || run->location_tries == MAX_LOCATION_TRIES)
            continue;
        run->location_tries++;
        for (Step step = STEP_MIN; step <= STEP_MAX; step++) {
            BlockFound out = { .value = value, .insn = id, .step = (uint8_t)step,
                               .is_location = true, .within = ptx_block_within(run, id) };
            if (is_location(run, &choice, found[i], &out)) {
                add_location(run, &out);
                break;
            }
        }
    }
}
