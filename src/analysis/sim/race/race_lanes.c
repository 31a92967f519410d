/* What the lanes of a warp access at once: it meets what was done there, and is kept. */
#include "analysis/sim/race/race_places.h"

#include <string.h>

static const uint64_t *lane_value(const LaneAccess *a, unsigned lane)
{
    return a->known >> lane & 1 ? &a->numbers[lane] : NULL;
}

static uint32_t highest_lane(uint32_t lanes)
{
    return lanes ? UINT32_C(1) << (31 - __builtin_clz(lanes)) : 0;
}

/* Of these lanes, those from the first on, one after the other, that come to its place. */
static uint32_t lanes_at_one_place(const LaneAccess *a, uint32_t lanes)
{
    const uint64_t at = a->at[__builtin_ctz(lanes)];
    uint32_t here = lanes & -lanes;
    for (uint32_t left = lanes & ~here; left && a->at[__builtin_ctz(left)] == at; left &= left - 1)
        here |= left & -left;
    return here;
}

/* ---- what meets what ------------------------------------------------------------------------- */

/* Lanes of this warp that did it: to themselves it is not what it is to the others. */
static uint32_t own_lanes(const Race *r, const Place *place, unsigned marks, uint32_t warp)
{
    uint32_t own = 0;
    for (unsigned i = 0; place && i < marks; i++)
        if (place->marks[i] && ptx_race_touch_of(r, place->marks[i])->warp == warp)
            own |= 1u << place->marks[i] % WARP_LANES;
    return own;
}

/* Up to the first of them; that one alone. */
static uint32_t lanes_before(uint32_t lanes, uint32_t own)
{
    const uint32_t met = own & lanes, lowest = met & -met;
    if (!met)
        return lanes;
    return lanes & -lanes & lowest ? lowest : lanes & (lowest - 1);
}

/* Of lanes that do the same to one place, those from the first on to all of which it is the
 * same. */
static uint32_t lanes_alike(Race *r, const LaneAccess *a, uint32_t lanes)
{
    const uint64_t at = a->at[__builtin_ctz(lanes)];
    const unsigned marks = a->touch->is_write ? MARKS : WRITERS;
    for (uint32_t b = 0; b < a->bytes && lanes & (lanes - 1); b += r->granule) {
        const Place *place = ptx_race_place_at(r, at + b);
        if (place && !ptx_race_is_settled(r, place, marks, a->first))
            lanes = lanes_before(lanes, own_lanes(r, place, marks, a->touch->warp));
    }
    return lanes;
}

/* Lanes that do the same to one place. */
static void meet_lanes(Race *r, const LaneAccess *a, uint32_t lanes)
{
    for (uint32_t left = lanes, alike; left; left &= ~alike) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        alike = lanes_alike(r, a, left);
        const uint64_t end = a->at[lane] + a->bytes;
        uint32_t step;
        for (uint64_t at = a->at[lane]; at < end; at += step) {
            const Place *place = ptx_race_cell_at(r, at, end - at, &step);
            if (!place)
                break;
            ptx_race_meet_cell(r, place, step, ptx_lanes_count(alike),
                               &(RaceMeeting){ .now = a->first + lane,
                                               .now_value = lane_value(a, lane),
                                               .address = at });
        }
    }
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* By lanes of one place. Reads meet what was written, so that it is no matter which reads were kept
 * before. False: some write there is not ordered before it. */
static inline bool keep_reads(Race *r, LaneAccess *a, uint32_t lanes, TouchId now, TouchId other)
{
    const uint64_t first = a->at[__builtin_ctz(lanes)], end = first + a->bytes;
    bool is_settled = true;
    uint32_t step;
    for (uint64_t at = first; at < end; at += step) {
        Place *place = ptx_race_cell_at(r, at, end - at, &step);
        if (!place)
            break;
        a->unwritten |= ptx_race_is_place_unwritten(place) ? lanes : 0;
        is_settled = is_settled && ptx_race_is_settled(r, place, WRITERS, now);
        ptx_race_keep_read(r, place, now, other);
    }
    return is_settled;
}

static inline void read_by_lanes(Race *r, LaneAccess *a, uint32_t lanes, TouchId now,
                                 TouchId other)
{
    if (!keep_reads(r, a, lanes, now, other))
        meet_lanes(r, a, lanes);
}

/* By several lanes: of these the last two are kept. */
static void read_together(Race *r, LaneAccess *a, uint32_t lanes)
{
    const uint32_t last = highest_lane(lanes), second = highest_lane(lanes & ~last);
    read_by_lanes(r, a, lanes, a->first + (TouchId)__builtin_ctz(last),
                  second ? a->first + (TouchId)__builtin_ctz(second) : 0);
}

/* So many lanes read places that lie apart, one behind the other, and those behind them the same
 * places again. WARP_LANES: they do not. */
static unsigned lanes_of_turn(const LaneAccess *a)
{
    unsigned count = WARP_LANES;
    if (a->lanes != UINT32_MAX)
        return count;
    while (count > 2 && !memcmp(a->at, a->at + count / 2, count / 2 * sizeof *a->at))
        count /= 2;
    for (unsigned i = 0; count < WARP_LANES && i + 1 < count; i++)
        if (a->at[i + 1] < a->at[i] + a->bytes)
            return WARP_LANES;
    return count;
}

/* As lane by lane, as long as all is ordered; the lanes that are left. */
static uint32_t read_in_turns(Race *r, LaneAccess *a, unsigned count)
{
    const uint32_t each = UINT32_MAX / ((UINT32_C(1) << count) - 1);    /* lane 0 of each turn */
    const TouchId last = a->first + WARP_LANES - count;
    for (unsigned lane = 0; lane < count; lane++)
        if (!keep_reads(r, a, each << lane, last + lane, last + lane - count))
            return a->lanes & ~(each * ((UINT32_C(1) << lane) - 1));
    return 0;
}

static void read_lanes(Race *r, LaneAccess *a)
{
    const unsigned turn = lanes_of_turn(a);
    uint32_t left = turn < WARP_LANES ? read_in_turns(r, a, turn) : a->lanes;
    for (uint32_t here; left; left &= ~here) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint32_t others = left & (left - 1);
        here = left & -left;
        if (!others || a->at[__builtin_ctz(others)] != a->at[lane]) {
            read_by_lanes(r, a, here, a->first + lane, 0);
            continue;
        }
        here = lanes_at_one_place(a, left);
        read_together(r, a, here);
    }
}

/* ---- a plain read ---------------------------------------------------------------------------- */

/* What all lanes of the write did is there for all lanes of the warp, as ptx_race_settle finds it
 * of a read. */
static bool follows_write(const Race *r, const Touch *write, uint32_t warp)
{
    const uint32_t *known = ptx_race_known(r, warp);
    uint32_t clock = write->clock;
    if (write->queue == QUEUE_MBARRIER)
        return write->group <= known[r->warp_count + write->mbarrier];
    if (ptx_race_is_of_matrix(write->queue))
        return false;
    if (write->queue)
        clock = ptx_race_done(r, (Queue)write->queue, write->warp, write->group);
    return write->warp == warp ? clock < r->met_all[warp] : clock <= known[write->warp];
}

/* Something was written there, and all of it is ordered before what the warp does now. */
static bool follows_writes(const Race *r, const Place *place, uint32_t warp)
{
    for (unsigned i = 0; i < WRITERS; i++)
        if (place->marks[i] && !follows_write(r, ptx_race_touch_of(r, place->marks[i]), warp))
            return false;
    return !ptx_race_is_place_unwritten(place);
}

static TouchId touch_for(Race *r, const PlainRead *read)
{
    return ptx_race_add_touch(
        r, &(Touch){ .clock = ptx_race_known(r, read->warp)[read->warp],
                     .turn = r->sites[read->site].turns[read->warp],
                     .group = ptx_race_copies(r, QUEUE_COPY, read->warp)->committed,
                     .site = (uint16_t)read->site,
                     .warp = (uint16_t)read->warp });
}

/* As ptx_race_keep_read does, of a touch that is made only if it is kept. */
static void keep_plain_read(Race *r, const PlainRead *read, Place *place)
{
    const uint32_t *known = ptx_race_known(r, read->warp), last = highest_lane(read->lanes),
                   second = highest_lane(read->lanes & ~last);
    TouchId *reads = place->marks + WRITERS, *into = NULL;
    bool is_own = false;
    for (TouchId *mark = reads; mark < reads + READERS && !is_own; mark++) {
        const Touch *before = ptx_race_touch_of(r, *mark);
        is_own = *mark && before->warp == read->warp;
        if (is_own || (!into && (!*mark || before->clock <= known[before->warp])))
            into = mark;
    }
    if (!into) {
        r->has_dropped = true;
        return;
    }
    const TouchId first = touch_for(r, read), now = first + (TouchId)__builtin_ctz(last);
    if (second)
        reads[READERS] = first + (TouchId)__builtin_ctz(second);
    else if (is_own && (*into ^ now) % WARP_LANES)
        reads[READERS] = *into;
    *into = now;
}

bool ptx_race_read_in_order(Race *r, const PlainRead *read)
{
    uint32_t step;
    Place *place = ptx_race_cell_at(r, read->at, read->bytes, &step);
    if (!place || step != read->bytes || !follows_writes(r, place, read->warp))
        return false;
    for (unsigned i = 0; i < WRITERS; i++)
        r->met += place->marks[i] != 0;
    r->sites[read->site].turns[read->warp]++;
    keep_plain_read(r, read, place);
    return true;
}

/* ---- writes ---------------------------------------------------------------------------------- */

static void meet_writes(Race *r, LaneAccess *a)
{
    for (uint32_t left = a->lanes, here; left; left &= ~here) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t end = a->at[lane] + a->bytes;
        bool is_settled = true;
        uint32_t step;
        here = a->is_one_write ? left : left & -left;
        for (uint64_t at = a->at[lane]; at < end; at += step) {
            const Place *place = ptx_race_cell_at(r, at, end - at, &step);
            if (!place)
                break;
            a->unwritten |= ptx_race_is_place_unwritten(place) ? here : 0;
            is_settled = is_settled && ptx_race_is_settled(r, place, MARKS, a->first + lane);
        }
        if (!is_settled)
            meet_lanes(r, a, here);
    }
}

/* Of one write that lanes make the last, and the one before it: that it is written twice is
 * seen. */
static void keep_writes(Race *r, const LaneAccess *a)
{
    const uint32_t last = highest_lane(a->lanes),
                   lanes = a->is_one_write ? last | highest_lane(a->lanes & ~last) : a->lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t end = a->at[lane] + a->bytes;
        uint32_t step;
        for (uint64_t at = a->at[lane]; at < end; at += step) {
            Place *place = ptx_race_cell_at(r, at, end - at, &step);
            if (!place)
                break;
            ptx_race_keep_at(r, place, a->first + lane, lane_value(a, lane), true,
                             a->touch->is_strong);
        }
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Of two sites alone. */
static void note_lasts(Race *r, const LaneAccess *a)
{
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        for (uint32_t b = 0; b < a->bytes; b += r->granule)
            ptx_race_meet_lasts(r, a->at[lane] + b, a->first + lane, lane_value(a, lane),
                                a->touch->is_write);
    }
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        for (uint32_t b = 0; b < a->bytes; b += r->granule)
            ptx_race_keep_lasts(r, a->at[lane] + b, a->first + lane, lane_value(a, lane));
    }
}

void ptx_race_note_lanes(Race *r, LaneAccess *a)
{
    if (r->only_funcs[0]) {
        note_lasts(r, a);
        return;
    }
    if (a->touch->is_write) {
        meet_writes(r, a);
        keep_writes(r, a);
    } else if (a->is_one_place) {
        read_together(r, a, a->lanes);
    } else {
        read_lanes(r, a);
    }
}
