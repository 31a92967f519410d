#include "analysis/sim/race/global_ranges.h"

#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/request.h"
#include "support/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD_BYTES = 4,
    MAX_RUN_RANGES = 1 << 15,   /* of a run, before neighbours are joined */
    MAX_PLACED = 1 << 16,       /* of all blocks */
    MAX_BASES = 32
};

/* Words next to each other, and by how much they move from a block to the next. */
typedef struct RunRange {
    uint64_t first, end;
    int64_t shift[3];
    uint32_t step[3];           /* of the blocks, as shift was read */
    AddendId base;
    bool is_store;
} RunRange;

typedef struct PlacedRange {    /* of one block */
    uint64_t first, end;
    AddendId base;
    uint32_t block;
    bool is_store;
} PlacedRange;

typedef struct BaseSet {
    AddendId ids[MAX_BASES];
    uint32_t count;
    bool is_full;               /* some may be missing */
} BaseSet;

struct GlobalRanges {
    Observer observer;
    Machine *machine;
    Arena *arena;
    RunRange *run;
    uint32_t run_count, run_capacity;
    PlacedRange *placed;
    uint32_t placed_count, placed_capacity;
    BaseSet stored, loaded;
    bool keeps_loads, is_lost;
};

/* ---- requests -------------------------------------------------------------------------------- */

static bool has_base(const BaseSet *set, AddendId base)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->ids[i] == base)
            return true;
    return set->is_full;
}

static void add_base(BaseSet *set, AddendId base)
{
    if (has_base(set, base))
        return;
    if (set->count < MAX_BASES)
        set->ids[set->count++] = base;
    else
        set->is_full = true;
}

static bool has_same_shift(const RunRange *a, const RunRange *b)
{
    return !memcmp(a->shift, b->shift, sizeof a->shift);
}

/* They are of one kind, and may be joined where they meet. */
static bool are_joinable(const RunRange *a, const RunRange *b)
{
    return a->base == b->base && a->is_store == b->is_store && has_same_shift(a, b)
           && !memcmp(a->step, b->step, sizeof a->step);
}

static void add_run_range(GlobalRanges *g, const RunRange *like, uint64_t first, uint64_t end)
{
    RunRange *last = g->run_count ? &g->run[g->run_count - 1] : NULL;
    first &= ~(uint64_t)(WORD_BYTES - 1);
    end = (end + WORD_BYTES - 1) & ~(uint64_t)(WORD_BYTES - 1);
    if (last && last->end >= first && last->first <= first && are_joinable(last, like)) {
        last->end = end > last->end ? end : last->end;
        return;
    }
    g->is_lost |= end <= first || g->run_count == MAX_RUN_RANGES;
    if (g->is_lost)
        return;
    if (g->run_count == g->run_capacity)
        g->run = ptx_arena_grow(g->arena, g->run, g->run_count, &g->run_capacity, sizeof *g->run);
    RunRange *range = &g->run[g->run_count++];
    *range = *like;
    range->first = first;
    range->end = end;
}

static void take_logged_range(void *self, const LoggedRequest *n, uint32_t warp, double share)
{
    GlobalRanges *g = self;
    const Blocks *blocks = &g->machine->blocks;
    const Value *address = n->event->address;
    const uint32_t bytes = n->event->request->bytes;
    RunRange like = { .base = ptx_value_base(address), .is_store = n->note };
    (void)warp;
    (void)share;
    for (unsigned d = 0; d < 3; d++) {
        like.shift[d] = ptx_block_stride_along(blocks, address, d);
        like.step[d] = blocks->step[d];
    }
    const uint32_t lanes = address->lanes ? n->lanes : n->lanes & -n->lanes;
    for (uint32_t left = lanes; left && !g->is_lost; left &= left - 1) {
        const uint64_t at = ptx_value_lane(address, (unsigned)__builtin_ctz(left));
        add_run_range(g, &like, at, at + bytes);
    }
}

/* As of shadow_memory.h: what is read through an address that is not placed is not kept. */
static void lose_ranges(GlobalRanges *g)
{
    g->is_lost = true;
    g->machine->most_steps = g->machine->steps;
}

static void take_touch(void *self, Warp *w, const RequestEvent *e)
{
    GlobalRanges *g = self;
    const bool is_store = e->request->kind == REQUEST_STORE;
    const AddendId base = ptx_value_base(e->address);
    if (e->space != SPACE_GLOBAL && !(is_store && e->space == SPACE_GENERIC))
        return;
    const bool is_known = ptx_value_is_placed(e->address) && e->space == SPACE_GLOBAL;
    if (is_store && (!is_known || e->count->doubt))
        lose_ranges(g);
    if (!is_known)
        return;
    add_base(is_store ? &g->stored : &g->loaded, base);
    if (!is_store && (!g->keeps_loads || !has_base(&g->stored, base)))
        return;
    const LoggedRequest noted = {
        .observer = &g->observer, .event = e, .note = is_store, .lanes = e->request->lanes
    };
    ptx_request_log_emit(g->machine, w, &noted);
}

/* Where it stores is not known. */
static void take_lost(void *self, Warp *w, const RequestEvent *e)
{
    (void)w;
    if (e->insn->op->kind == OPK_ST && (e->space == SPACE_GLOBAL || e->space == SPACE_GENERIC))
        lose_ranges(self);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void begin_run(void *self)
{
    GlobalRanges *g = self;
    g->run_count = 0;
}

/* Loads of a base that only a later instruction stores to are seen in a run that knows it. */
void ptx_global_ranges_keep_loads(GlobalRanges *g)
{
    g->keeps_loads = true;
    g->placed_count = 0;
}

static int number_order(uint64_t a, uint64_t b)
{
    if (a == b)
        return 0;
    return a < b ? -1 : 1;
}

static int by_kind(const void *left, const void *right)
{
    const RunRange *a = left, *b = right;
    int order = number_order(a->base, b->base);
    if (!order)
        order = a->is_store - b->is_store;
    if (!order)
        order = memcmp(a->shift, b->shift, sizeof a->shift);
    return order ? order : number_order(a->first, b->first);
}

/* By how much it moves from one of these blocks to the next. */
static void set_shifts(GlobalRanges *g, const Blocks *ran)
{
    for (uint32_t i = 0; i < g->run_count; i++)
        for (unsigned d = 0; d < 3; d++) {
            RunRange *range = &g->run[i];
            range->shift[d] = (int64_t)((uint64_t)range->shift[d]
                                        * (ran->step[d] / range->step[d]));
            range->step[d] = ran->step[d];
        }
}

bool ptx_global_ranges_end_run(GlobalRanges *g, const Blocks *ran)
{
    uint32_t kept = 0;
    if (g->is_lost)
        return false;
    set_shifts(g, ran);
    if (g->run_count)
        qsort(g->run, g->run_count, sizeof *g->run, by_kind);
    for (uint32_t i = 0; i < g->run_count; i++) {
        RunRange *last = kept ? &g->run[kept - 1] : NULL;
        const RunRange *here = &g->run[i];
        if (last && are_joinable(last, here) && here->first <= last->end)
            last->end = here->end > last->end ? here->end : last->end;
        else
            g->run[kept++] = *here;
    }
    g->run_count = kept;
    return true;
}

static PlacedRange placed_range(const RunRange *range, const Blocks *ran, const uint32_t block[3],
                                uint32_t number)
{
    uint64_t move = 0;
    for (unsigned d = 0; d < 3; d++)
        move += (uint64_t)range->shift[d] * ((block[d] - ran->first[d]) / ran->step[d]);
    return (PlacedRange){ (range->first + move) & ~(uint64_t)(WORD_BYTES - 1),
                          (range->end + move + WORD_BYTES - 1) & ~(uint64_t)(WORD_BYTES - 1),
                          range->base, number, range->is_store };
}

bool ptx_global_ranges_add(GlobalRanges *g, const Blocks *ran, const uint32_t block[3],
                           uint32_t number)
{
    for (uint32_t i = 0; i < g->run_count; i++) {
        const PlacedRange made = placed_range(&g->run[i], ran, block, number);
        if (g->placed_count == MAX_PLACED || made.end <= made.first)
            return false;
        if (g->placed_count == g->placed_capacity)
            g->placed = ptx_arena_grow(g->arena, g->placed, g->placed_count,
                                       &g->placed_capacity, sizeof *g->placed);
        g->placed[g->placed_count++] = made;
    }
    return true;
}

/* ---- what meets ------------------------------------------------------------------------------ */

bool ptx_global_ranges_lack_loads(const GlobalRanges *g)
{
    for (uint32_t i = 0; i < g->loaded.count; i++)
        if (has_base(&g->stored, g->loaded.ids[i]))
            return !g->keeps_loads;
    return g->loaded.is_full && !g->keeps_loads;
}

static int by_first_word(const void *left, const void *right)
{
    const PlacedRange *a = left, *b = right;
    const int order = number_order(a->base, b->base);
    return order ? order : number_order(a->first, b->first);
}

/* Ranges that reach into each other, one after the other, are of one block or of loads alone. */
bool ptx_global_ranges_are_apart(GlobalRanges *g)
{
    if (g->placed_count)
        qsort(g->placed, g->placed_count, sizeof *g->placed, by_first_word);
    for (uint32_t i = 0, next; i < g->placed_count; i = next) {
        const PlacedRange *begin = &g->placed[i];
        uint64_t end = begin->end;
        bool is_stored = begin->is_store, are_several = false;
        for (next = i + 1; next < g->placed_count; next++) {
            const PlacedRange *here = &g->placed[next];
            if (here->base != begin->base || here->first >= end)
                break;
            is_stored |= here->is_store;
            are_several |= here->block != begin->block;
            end = here->end > end ? here->end : end;
        }
        if (is_stored && are_several)
            return false;
    }
    return true;
}

GlobalRanges *ptx_global_ranges_new(Arena *arena, Machine *m)
{
    GlobalRanges *g = ptx_arena_new(arena, GlobalRanges);
    *g = (GlobalRanges){ .machine = m, .arena = arena };
    g->observer = (Observer){
        .self = g, .begin = begin_run, .request = take_touch, .lost = take_lost,
        .logged = take_logged_range
    };
    ptx_machine_observe(m, &g->observer);
    ptx_machine_config(m)->forward_steps = 0;   /* each iteration is seen */
    return g;
}
