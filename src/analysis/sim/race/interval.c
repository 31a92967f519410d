#include "analysis/sim/race/interval.h"

#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"
#include "support/hash.h"

#include <string.h>

enum { MAX_ELEMENTS = 1 << 15, ELEMENTS_FIRST = 256 };

Intervals *ptx_intervals_new(Arena *arena, Machine *machine, uint32_t warp_count)
{
    Intervals *in = ptx_arena_new(arena, Intervals);
    *in = (Intervals){ .machine = machine, .arena = arena, .table_size = 2 * ELEMENTS_FIRST };
    in->table = ptx_arena_array(arena, uint32_t, in->table_size);
    in->passed = ptx_arena_array(arena, uint32_t, warp_count);
    return in;
}

/* ---- elements -------------------------------------------------------------------------------- */

static bool is_same_element(const IntervalElement *a, const IntervalElement *b)
{
    return a->address == b->address && a->addend == b->addend && a->interval == b->interval
           && a->bytes == b->bytes;
}

static uint32_t *element_slot(const Intervals *in, const IntervalElement *key)
{
    const uint32_t mask = in->table_size - 1;
    const uint64_t base = (uint64_t)key->addend << 32 | key->interval;
    uint32_t at = (uint32_t)ptx_hash_mix(ptx_hash_add(base, key->address)) & mask;
    while (in->table[at] && !is_same_element(&in->elements[in->table[at] - 1], key))
        at = (at + 1) & mask;
    return &in->table[at];
}

static void grow_elements(Intervals *in)
{
    in->elements = ptx_arena_grow(in->arena, in->elements, in->count, &in->capacity,
                                  sizeof *in->elements);
    if (2 * in->capacity <= in->table_size)
        return;
    in->table_size = 2 * in->capacity;
    in->table = ptx_arena_array(in->arena, uint32_t, in->table_size);
    for (uint32_t i = 0; i < in->count; i++)
        *element_slot(in, &in->elements[i]) = i + 1;
}

/* NULL: there are too many. Those that are there see all that happens to them. */
static IntervalElement *element_at(Intervals *in, const IntervalElement *key)
{
    uint32_t *slot = element_slot(in, key);
    if (*slot)
        return &in->elements[*slot - 1];
    if (in->count == MAX_ELEMENTS)
        return NULL;
    if (in->count == in->capacity) {
        grow_elements(in);
        slot = element_slot(in, key);
    }
    in->elements[in->count] = *key;
    *slot = ++in->count;
    return &in->elements[in->count - 1];
}

static bool is_of_warp(const IntervalAccess *access, const IntervalAccess *other)
{
    return access->thread / WARP_LANES == other->thread / WARP_LANES;
}

static void write_element(IntervalElement *element, const IntervalAccess *by, bool is_alike)
{
    if (!element->writer.func)
        element->writer = *by;
    element->is_alike |= is_alike || !is_of_warp(&element->writer, by);
}

static void read_element(IntervalElement *element, const IntervalAccess *by)
{
    IntervalAccess *readers = element->readers;
    if (!readers[0].func)
        readers[0] = *by;
    else if (!readers[1].func && !is_of_warp(&readers[0], by))
        readers[1] = *by;
}

const IntervalAccess *ptx_interval_other(const IntervalElement *element)
{
    if (!element->writer.func || element->is_alike)
        return NULL;
    for (unsigned r = 0; r < 2; r++)
        if (element->readers[r].func && !is_of_warp(&element->readers[r], &element->writer))
            return &element->readers[r];
    return NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Where it lies is known for every launch, up to the pointer that it counts from. */
static bool is_certain_address(const Value *address)
{
    return ptx_value_is_placed(address) && !address->is_assumed && !address->is_data
           && !address->rows_by && !address->free_by;
}

static IntervalAccess interval_access(const Warp *w, const Insn *insn)
{
    const Func *func = w->frame->func_state->func;
    return (IntervalAccess){ .func = func, .insn = (InsnId)(insn - func->insns) };
}

static void interval_load(void *self, const Warp *w, const LaneLoad *load)
{
    Intervals *in = self;
    IntervalAccess by = interval_access(w, load->insn);
    load->out->value = (Value){ .align = ALIGN_EXACT, .is_common = true, .unknown = UINT32_MAX };
    if (!is_certain_address(load->address))
        return;
    for (uint32_t left = load->lanes & ~load->address->unknown; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const IntervalElement key = { .address = ptx_value_lane(load->address, lane),
                                      .addend = ptx_value_base(load->address),
                                      .interval = in->passed[w->index],
                                      .bytes = (uint8_t)load->bytes };
        IntervalElement *element = element_at(in, &key);
        by.thread = (uint16_t)(w->index * WARP_LANES + lane);
        if (element)
            read_element(element, &by);
    }
}

static void interval_store(void *self, const Warp *w, const LaneStore *store)
{
    Intervals *in = self;
    IntervalAccess by = interval_access(w, store->insn);
    const Value *value = store->value;
    const bool is_alike = !value || (ptx_value_is_uniform(value) && value->align == ALIGN_EXACT);
    /* one that may go anywhere may write the same elements */
    in->is_lost |= !ptx_value_is_placed(store->address) || store->address->unknown & store->lanes;
    for (uint32_t left = store->lanes; left && !in->is_lost; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const IntervalElement key = { .address = ptx_value_lane(store->address, lane),
                                      .addend = ptx_value_base(store->address),
                                      .interval = in->passed[w->index],
                                      .bytes = (uint8_t)store->bytes };
        IntervalElement *element = element_at(in, &key);
        by.thread = (uint16_t)(w->index * WARP_LANES + lane);
        if (element)
            write_element(element, &by, is_alike || !is_certain_address(store->address));
    }
}

static void interval_barrier(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Intervals *in = self;
    if (ptx_op_has(insn->op, MOD_WARP))
        return;
    in->passed[w->index]++;
    in->is_lost |= doubt != UNCERTAIN_NONE || lanes != w->live;
}

static bool interval_order(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    (void)self, (void)w, (void)insn, (void)lanes, (void)doubt;
    return true;
}

/* Loads and stores have events of their own. */
static void interval_request(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    (void)self, (void)w, (void)insn, (void)lanes, (void)doubt;
}

void ptx_intervals_observe(Observer *observer, Intervals *intervals)
{
    observer->self = intervals;
    observer->load = interval_load;
    observer->store = interval_store;
    observer->order = interval_order;
    observer->barrier = interval_barrier;
    observer->access = interval_request;
}
