#include "analysis/sim/race/race_places.h"

#include "analysis/sim/machine.h"

#include "support/hash.h"
#include "support/minmax.h"

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool is_sought(const Race *r, uint16_t site)
{
    return r->sites[site].func == r->sought_func && r->sites[site].insn == r->sought;
}

static RacePair *pair_of(Race *r, uint16_t a, uint16_t b)
{
    uint32_t low = ptx_u32_min(a, b), high = ptx_u32_max(a, b),
             at = (uint32_t)(ptx_hash_mix((uint64_t)low << 32 | high) % TABLE_SIZE);
    for (; r->table[at]; at = (at + 1) % TABLE_SIZE) {
        RacePair *pair = &r->pairs[r->table[at] - 1];
        if ((pair->first.site == low && pair->second.site == high)
            || (pair->first.site == high && pair->second.site == low))
            return pair;
    }
    if (r->pair_count == MAX_PAIRS) {
        r->has_dropped_sought |= is_sought(r, a) || is_sought(r, b);
        return NULL;
    }
    if (!r->pairs)
        r->pairs = ptx_arena_array(r->arena, RacePair, MAX_PAIRS);
    RacePair *pair = &r->pairs[r->pair_count++];
    *pair = (RacePair){ .address = 0 };
    r->table[at] = r->pair_count;
    return pair;
}

/* How much a witness is worth: the surer the better, unordered rather than unfenced, and of two
 * warps rather than of one. */
static unsigned rank_of(const Seen *a, const Seen *b, bool is_unfenced)
{
    return 4u * (a->level > b->level ? a->level : b->level) + 2u * is_unfenced
           + (a->thread / WARP_LANES == b->thread / WARP_LANES);
}

/* What the first would have to be waited for by. */
static void note_wait(const Race *r, const Seen *before, const Seen *now, RacePair *pair)
{
    const uint32_t warp = before->thread / WARP_LANES, other = now->thread / WARP_LANES;
    bool is_grouped = before->queue && before->queue < QUEUE_COUNT;
    const uint32_t committed =
        is_grouped ? ptx_race_copies(r, (Queue)before->queue, warp)->committed : 0;
    pair->is_open = is_grouped
                        ? ptx_race_done(r, (Queue)before->queue, warp, before->group) == UINT32_MAX
                        : before->queue == QUEUE_MBARRIER;
    pair->is_begun = !r->is_late && before->clock <= ptx_race_known(r, other)[warp];
    /* it was known to have begun */
    pair->is_open |= r->is_late && ptx_race_known(r, warp)[other] >= now->clock;
    pair->is_committed = before->group < committed;
    pair->newer = pair->is_committed ? committed - before->group - 1 : 0;
}

/* The pair; NULL: there is no room for it. */
static RacePair *note_pair(Race *r, const Seen *before, const Seen *now, uint64_t address,
                           bool is_unfenced)
{
    RacePair *pair = pair_of(r, before->site, now->site);
    if (!pair)
        return NULL;
    if (!pair->times
        || rank_of(before, now, is_unfenced)
               < rank_of(&pair->first, &pair->second, pair->is_unfenced)) {
        pair->first = *before;
        pair->second = *now;
        pair->address = address;
        pair->is_unfenced = is_unfenced;
        note_wait(r, before, now, pair);
    }
    pair->times += r->alike;
    return pair;
}

/* Two writes of one number make no difference. Of unknown numbers one instruction is taken
 * to write the same in all threads: what many compute alike, they store alike. */
static bool writes_alike(const Seen *a, const Seen *b)
{
    if (a->has_value && b->has_value)
        return a->value == b->value;
    return a->site == b->site && (a->turn == b->turn || !a->queue);
}

/* What one warp of a warpgroup has waited for is done for all of them. */
static bool is_multiplied(const Race *r, const Touch *before, const uint32_t *known)
{
    const uint32_t first = before->warp / WARPGROUP * WARPGROUP;
    for (uint32_t w = first; w < first + WARPGROUP && w < r->warp_count; w++)
        if (ptx_race_done(r, QUEUE_MATRIX, w, before->group) <= known[w])
            return true;
    return false;
}

/* The first that tracks the group. */
static uint32_t first_delivery(const Copies *c, uint32_t group)
{
    uint32_t low = 0, high = c->delivery_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (c->deliveries[middle].upto > group)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A cp.async, or a tcgen05.mma, that an mbarrier tracks: one whose phase is known to be over. Where
 * more track it than are looked at, it counts as done. */
static bool is_delivered(const Race *r, const Touch *before, const uint32_t *known)
{
    enum { MAX_DELIVERIES = 256 };
    const Copies *c = ptx_race_copies(r, (Queue)before->queue, before->warp);
    const uint32_t first = first_delivery(c, before->group);
    for (uint32_t d = first; d < c->delivery_count; d++)
        if (d - first == MAX_DELIVERIES
            || c->deliveries[d].phase <= known[r->warp_count + c->deliveries[d].mbarrier])
            return true;
    return false;
}

/* What one lane did at that clock is ordered before what the other does now. */
static bool have_lanes_met(const Race *r, uint32_t warp, uint32_t clock, unsigned before,
                           unsigned now)
{
    const LaneClocks *some = r->met_some[warp];
    return clock < r->met_all[warp] || (some && clock < some->known[now][before]);
}

/* What `before` did is there for the thread of `now`. */
static bool is_ordered(const Race *r, TouchId before_id, TouchId now_id)
{
    const Touch *before = ptx_race_touch_of(r, before_id), *now = ptx_race_touch_of(r, now_id);
    const uint32_t *row = ptx_race_known(r, now->warp);
    if (before->queue == QUEUE_MBARRIER)
        return before->group <= row[r->warp_count + before->mbarrier];
    if (before->queue == QUEUE_MATRIX)
        return is_multiplied(r, before, row);
    if (before->queue == QUEUE_TENSOR)
        return is_delivered(r, before, row);
    if (before->queue == QUEUE_COPY && is_delivered(r, before, row))
        return true;
    uint32_t clock = before->queue
                         ? ptx_race_done(r, (Queue)before->queue, before->warp, before->group)
                         : before->clock,
             known = row[before->warp];
    if (before->warp != now->warp)
        return clock <= known;
    if (before_id % WARP_LANES == now_id % WARP_LANES)
        return clock != UINT32_MAX;
    return (before->site == now->site && before->turn == now->turn)
           || have_lanes_met(r, before->warp, clock, before_id % WARP_LANES, now_id % WARP_LANES);
}

/* value: that it reads or writes; NULL: it is not known. */
static Seen seen_of(const Race *r, TouchId id, const uint64_t *value)
{
    const Touch *t = ptx_race_touch_of(r, id);
    return (Seen){ .value = value ? *value : 0,
                   .clock = t->clock,
                   .turn = t->turn,
                   .group = t->group,
                   .site = t->site,
                   .thread = (uint16_t)(t->warp * WARP_LANES + id % WARP_LANES),
                   .level = t->level,
                   .is_write = t->is_write,
                   .is_strong = t->is_strong,
                   .is_swap = t->is_swap,
                   .queue = t->queue,
                   .has_value = value != NULL,
                   .is_by_data = t->is_by_data };
}

static const Op *op_of(const Race *r, const Seen *seen)
{
    const Site *site = &r->sites[seen->site];
    return site->func->insns[site->insn].op;
}

/* Both are atomic or the like: that is no race. What is read depends on their order all the same,
 * but for an atomic operation and the same one. */
static bool is_strong_pair(const Race *r, const Seen *before, const Seen *now)
{
    const Op *op = op_of(r, before);
    const bool is_update = op->kind == OPK_ATOM || op->kind == OPK_RED;
    return before->is_strong && now->is_strong
           && (!r->is_for_order || (is_update && op == op_of(r, now)));
}

static RaceClash clash(Race *r, const RaceMeeting *meeting)
{
    const Seen before = seen_of(r, meeting->before, meeting->before_value);
    const Seen now = seen_of(r, meeting->now, meeting->now_value);
    if (is_strong_pair(r, &before, &now))
        return (RaceClash){ NULL, true };
    if ((before.is_swap && !now.is_write) || (now.is_swap && !before.is_write))
        return (RaceClash){ NULL, true }; /* what was read is looked at again by the swap */
    bool are_writes = before.is_write && now.is_write;
    r->is_overwritten |= are_writes;
    r->is_crowded |= are_writes && !(before.has_value && now.has_value && before.value == now.value)
                     && before.thread / WARP_LANES != now.thread / WARP_LANES;
    if (are_writes && writes_alike(&before, &now))
        return (RaceClash){ NULL, !r->has_numbers };
    return (RaceClash){ note_pair(r, &before, &now, meeting->address, false),
                        !are_writes || !r->has_numbers };
}

/* Written through the generic proxy, and read through the async one, with no fence on the way. */
static bool is_unfenced(const Race *r, TouchId before_id, TouchId now_id)
{
    const Touch *before = ptx_race_touch_of(r, before_id), *now = ptx_race_touch_of(r, now_id);
    bool is_proxied = now->queue == QUEUE_BULK || ptx_race_is_of_matrix(now->queue);
    return is_proxied && before->is_write && !before->is_strong && !before->queue
           && before->clock > ptx_race_fenced(r, now->warp)[before->warp];
}

/* What all lanes of `before` did is there for all of `now`. */
static bool is_ordered_in_all(const Race *r, TouchId before_id, TouchId now_id)
{
    const Touch *before = ptx_race_touch_of(r, before_id), *now = ptx_race_touch_of(r, now_id);
    if (before->queue)
        return false;
    if (before->warp == now->warp)
        return before->clock < r->met_all[now->warp];
    return before->clock <= ptx_race_known(r, now->warp)[before->warp];
}

/* Some lane of it is ordered: whether all are. */
static bool are_all_ordered(const Race *r, const Touch *before, const Touch *now)
{
    return before->queue == QUEUE_MBARRIER || ptx_race_is_of_matrix(before->queue)
           || before->warp != now->warp
           || ptx_race_done(r, (Queue)before->queue, before->warp, before->group)
                  < r->met_all[before->warp];
}

/* Known of all lanes of both. */
static void settle_touch(Race *r, uint32_t touch, Settled found)
{
    found.touch = touch;
    found.meeting = r->meeting;
    r->settled[touch % SETTLED] = found;
}

static bool find_settled(Race *r, TouchId before, TouchId now)
{
    const Touch *first = ptx_race_touch_of(r, before), *second = ptx_race_touch_of(r, now);
    if (is_unfenced(r, before, now))
        return false;
    if (!first->queue)
        return is_ordered_in_all(r, before, now);
    if (!is_ordered(r, before, now) || !are_all_ordered(r, first, second))
        return false;
    settle_touch(r, before / WARP_LANES, (Settled){ .is_ordered = true });
    return true;
}

bool ptx_race_settle(Race *r, TouchId before, TouchId now, unsigned mark)
{
    const uint32_t touch = before / WARP_LANES;
    const Settled *settled = &r->settled[touch % SETTLED];
    const bool is_known = settled->touch == touch && settled->meeting == r->meeting;
    if (is_known ? !settled->is_ordered : !find_settled(r, before, now))
        return false;
    r->met++;                   /* the others do not come here */
    r->ordered[mark] = touch;
    return true;
}

/* In no order. */
static void meet_unordered(Race *r, const RaceMeeting *meeting)
{
    const uint32_t touch = meeting->before / WARP_LANES;
    const bool is_in_warp = ptx_race_touch_of(r, meeting->before)->warp
                            == ptx_race_touch_of(r, meeting->now)->warp;
    const RaceClash found = clash(r, meeting);
    if (!is_in_warp || (meeting->before ^ meeting->now) % WARP_LANES)
        settle_touch(r, touch,
                     (Settled){ .is_unordered = true, .is_in_warp = is_in_warp, .clash = found });
}

void ptx_race_meet(Race *r, const RaceMeeting *meeting)
{
    const TouchId before = meeting->before, now = meeting->now;
    const uint32_t touch = before / WARP_LANES;
    const Settled *settled = &r->settled[touch % SETTLED];
    const bool is_one_lane = !((before ^ now) % WARP_LANES);
    if (ptx_race_settle(r, before, now, meeting->mark))
        return;
    r->met += r->alike;
    if (settled->touch == touch && settled->meeting == r->meeting
        && !(settled->is_in_warp && is_one_lane)) {
        if (settled->clash.pair && settled->clash.is_for_all)
            settled->clash.pair->times += r->alike;
        if (settled->is_unordered && !settled->clash.is_for_all)
            clash(r, meeting);
    } else if (!is_ordered(r, before, now)) {
        meet_unordered(r, meeting);
    } else if (is_unfenced(r, before, now)) {
        const Seen first = seen_of(r, before, NULL), second = seen_of(r, now, NULL);
        note_pair(r, &first, &second, meeting->address, true);
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

PlacePage *ptx_race_new_page(Race *r, uint64_t page)
{
    if (!r->pages) {
        r->page_count = MAX_SHARED / r->granule / PLACES_PER_PAGE;
        r->pages = ptx_arena_array(r->arena, PlacePage *, r->page_count);
    }
    r->pages[page] = ptx_arena_new(r->arena, PlacePage);
    r->pages[page]->cell = PLACES_PER_PAGE;
    return r->pages[page];
}

void ptx_race_split(PlacePage *page, uint32_t place, uint64_t count)
{
    const uint32_t old = page->cell;
    uint32_t cell = old;
    while (cell > count || place & (cell - 1))
        cell /= 2;
    for (uint32_t p = 0; p < PLACES_PER_PAGE; p += cell)
        if (p & (old - 1))
            page->places[p] = page->places[p & ~(old - 1)];
    page->cell = cell;
}

void ptx_race_meet_cell(Race *r, const Place *cell, uint32_t step, uint32_t lanes,
                        const RaceMeeting *now)
{
    const bool is_write = ptx_race_touch_of(r, now->now)->is_write;
    const uint32_t others = step / r->granule - 1;
    r->alike = lanes;
    ptx_race_meet_at(r, cell, now->address, now->now, now->now_value, is_write);
    r->alike = lanes * others;
    if (others)
        ptx_race_meet_at(r, cell, now->address, now->now, now->now_value, is_write);
    r->alike = 1;
}

void ptx_race_find_kept(Race *r, const Place *place, TouchId now)
{
    const uint32_t warp = ptx_race_touch_of(r, now)->warp;
    const TouchId *reads = place->marks + WRITERS;
    KeptRead *kept = &r->kept_read;
    *kept = (KeptRead){ .meeting = r->meeting, .slot = READERS };
    for (uint8_t i = 0; i < READERS; i++)
        kept->touches[i] = reads[i] / WARP_LANES;
    for (uint8_t i = 0; i < READERS && !kept->is_own; i++) {
        const Touch *read = ptx_race_touch_of(r, reads[i]);
        kept->is_own = reads[i] && read->warp == warp;
        if (kept->is_own
            || (kept->slot == READERS
                && (!reads[i] || read->clock <= ptx_race_known(r, warp)[read->warp])))
            kept->slot = i;
    }
}

/* ---- two sites alone ------------------------------------------------------------------------- */

static Lasts *lasts_at(Race *r, uint64_t address)
{
    if (address >= MAX_SHARED)
        return NULL;
    const uint64_t index = address >> __builtin_ctz(r->granule);
    if (!r->lasts)
        r->lasts = ptx_arena_array(r->arena, Lasts *, MAX_SHARED / r->granule / PLACES_PER_PAGE);
    Lasts **page = &r->lasts[index / PLACES_PER_PAGE];
    if (!*page)
        *page = ptx_arena_array(r->arena, Lasts, PLACES_PER_PAGE);
    Lasts *lasts = &(*page)[index % PLACES_PER_PAGE];
    if (!lasts->items)
        lasts->items = ptx_arena_array(r->arena, Last, 2 * (size_t)r->warp_count);
    if (lasts->run != r->run)
        *lasts = (Lasts){ .run = r->run, .items = lasts->items };
    return lasts;
}

void ptx_race_meet_lasts(Race *r, uint64_t address, TouchId now, const uint64_t *value,
                         bool is_write)
{
    const Lasts *lasts = lasts_at(r, address);
    for (uint32_t i = 0; lasts && i < lasts->count; i++) {
        const Last *last = &lasts->items[i];
        if (!is_write && !ptx_race_touch_of(r, last->mark)->is_write)
            continue;
        const uint64_t *last_value = last->has_value ? &last->value : NULL;
        ptx_race_meet(r, &(RaceMeeting){ last->mark, now, last_value, value, address, 0 });
        if (last->other)
            ptx_race_meet(r, &(RaceMeeting){ last->other, now, NULL, value, address, 0 });
    }
}

void ptx_race_keep_lasts(Race *r, uint64_t address, TouchId now, const uint64_t *value)
{
    Lasts *lasts = lasts_at(r, address);
    const Touch *touch = ptx_race_touch_of(r, now);
    uint32_t i = 0;
    while (lasts && i < lasts->count
           && (ptx_race_touch_of(r, lasts->items[i].mark)->warp != touch->warp
               || ptx_race_touch_of(r, lasts->items[i].mark)->site != touch->site))
        i++;
    if (!lasts || i == 2 * r->warp_count)
        return;
    if (i == lasts->count)
        lasts->items[lasts->count++] = (Last){ .mark = now };
    Last *last = &lasts->items[i];
    last->other = (last->mark ^ now) % WARP_LANES ? last->mark : last->other;
    last->mark = now;
    last->has_value = value != NULL;
    last->value = value ? *value : 0;
}

/* ---- where data may lead --------------------------------------------------------------------- */

/* One of the two may be there. Whether two of them meet, data alone decide: nothing is
 * reported of that. */
static void meet_by_data(Race *r, TouchId before_id, TouchId now_id, uint64_t address)
{
    const Touch *before = ptx_race_touch_of(r, before_id), *now = ptx_race_touch_of(r, now_id);
    bool is_apart = before->warp != now->warp && !before->queue && !now->queue
                    && (before->is_write || now->is_write);
    bool is_looked_at_again = (before->is_swap && !now->is_write)
                              || (now->is_swap && !before->is_write);
    if (!is_apart || is_looked_at_again || is_ordered(r, before_id, now_id))
        return;
    const Seen first = seen_of(r, before_id, NULL), second = seen_of(r, now_id, NULL);
    if (is_strong_pair(r, &first, &second))
        return;
    note_pair(r, &first, &second, address, false);
}

void ptx_race_meet_all_by_data(Race *r, const uint64_t at[WARP_LANES], uint32_t bytes,
                               uint32_t lanes, TouchId first)
{
    for (uint32_t d = 0; d < r->by_data_count; d++) {
        const DataTouch *data = &r->by_data[d];
        if (is_ordered_in_all(r, data->touch, first))
            continue;
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            if (at[lane] < data->high && at[lane] + bytes > data->low) {
                meet_by_data(r, data->touch, first + lane, at[lane]);
                break;
            }
        }
    }
}

void ptx_race_meet_place_by_data(Race *r, uint64_t address, TouchId now)
{
    if (r->only_funcs[0]) {
        const Lasts *lasts = lasts_at(r, address);
        for (uint32_t i = 0; lasts && i < lasts->count; i++)
            meet_by_data(r, lasts->items[i].mark, now, address);
        return;
    }
    const Place *place = ptx_race_place_at(r, address);
    for (unsigned i = 0; place && i < MARKS; i++)
        if (place->marks[i])
            meet_by_data(r, place->marks[i], now, address);
}
