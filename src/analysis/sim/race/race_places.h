/* race_places.h -- what was done last at each place of shared memory, and what meets there. Of
 * race.h, for the files beside it alone. */
#ifndef PTX_ANALYSIS_SIM_RACE_RACE_PLACES_H
#define PTX_ANALYSIS_SIM_RACE_RACE_PLACES_H

#include "analysis/sim/race/race.h"
#include "support/arena.h"

enum {
    MAX_PAIRS = 256,
    TABLE_SIZE = 4 * MAX_PAIRS,
    MAX_SHARED = 1 << 18, /* bytes; no GPU has as many */
};

/* Two threads at one address; of a value that is not known, NULL. */
typedef struct RaceMeeting {
    TouchId before, now;
    const uint64_t *before_value, *now_value;
    uint64_t address;
    unsigned mark; /* of the place, where `before` was found */
} RaceMeeting;

static inline const Touch *ptx_race_touch_of(const Race *r, TouchId id)
{
    return &r->touches[id / WARP_LANES];
}

static inline TouchId ptx_race_add_touch(Race *r, const Touch *touch)
{
    if (r->touch_count == r->touch_capacity)
        r->touches = ptx_arena_grow(r->arena, r->touches, r->touch_count, &r->touch_capacity,
                                    sizeof *r->touches);
    r->touches[r->touch_count] = *touch;
    return WARP_LANES * r->touch_count++;
}

/* Notes the pair if nothing orders the two. */
void ptx_race_meet(Race *race, const RaceMeeting *meeting);

/* False: not known to be ordered before all lanes of `now` what all lanes of `before` did. */
bool ptx_race_settle(Race *race, TouchId before, TouchId now, unsigned mark);

/* What was done there, in the first so many marks, is ordered before all lanes of `now`. */
static inline bool ptx_race_is_settled(Race *r, const Place *place, unsigned marks, TouchId now)
{
    for (unsigned i = 0; i < marks; i++) {
        const TouchId before = place->marks[i];
        if (before && before / WARP_LANES != r->ordered[i] && !ptx_race_settle(r, before, now, i))
            return false;
    }
    return true;
}

/* Finds Race.kept_read: a read takes the place of one of the same warp, else of one that is ordered
 * before: two warps' reads are enough, since a write is of another warp than one of them. */
void ptx_race_find_kept(Race *race, const Place *place, TouchId now);

/* Makes the page, where nothing was done yet. */
PlacePage *ptx_race_new_page(Race *r, uint64_t page);

static inline PlacePage *ptx_race_page_at(Race *r, uint64_t index)
{
    const uint64_t page = index / PLACES_PER_PAGE;
    return r->pages && r->pages[page] ? r->pages[page] : ptx_race_new_page(r, page);
}

/* What stands for the place; NULL: it is none. */
static inline const Place *ptx_race_place_at(Race *r, uint64_t address)
{
    const uint64_t index = address >> __builtin_ctz(r->granule);
    if (address >= MAX_SHARED)
        return NULL;
    const PlacePage *page = ptx_race_page_at(r, index);
    return &page->places[index % PLACES_PER_PAGE & ~(page->cell - 1)];
}

/* Makes its cells small enough for one to begin at that place and take no more than so many. */
void ptx_race_split(PlacePage *page, uint32_t place, uint64_t count);

/* What stands for places from there on that are to be touched alike, `bytes` at the most: *step of
 * them. NULL: there is none. */
static inline Place *ptx_race_cell_at(Race *r, uint64_t address, uint64_t bytes, uint32_t *step)
{
    const unsigned shift = (unsigned)__builtin_ctz(r->granule);
    const uint64_t index = address >> shift;
    if (address >= MAX_SHARED)
        return NULL;
    PlacePage *page = ptx_race_page_at(r, index);
    const uint32_t place = index % PLACES_PER_PAGE;
    if (place & (page->cell - 1) || bytes >> shift < page->cell)
        ptx_race_split(page, place, bytes >> shift);
    *step = page->cell << shift;
    return &page->places[place];
}

/* other: that another lane of the same warp read with it; 0: none. */
static inline void ptx_race_keep_read(Race *r, Place *place, TouchId now, TouchId other)
{
    const KeptRead *kept = &r->kept_read;
    TouchId *reads = place->marks + WRITERS;
    _Static_assert(READERS == 2, "all of them");
    if (kept->meeting != r->meeting || kept->touches[0] != reads[0] / WARP_LANES
        || kept->touches[1] != reads[1] / WARP_LANES)
        ptx_race_find_kept(r, place, now);
    if (kept->slot == READERS) {
        r->has_dropped = true;
        return;
    }
    TouchId *into = &reads[kept->slot];
    if (other)
        reads[READERS] = other;
    else if (kept->is_own && (*into ^ now) % WARP_LANES)
        reads[READERS] = *into;
    *into = now;
}

/* Reads meet what was written; writes all that was. Mostly lanes side by side meet lanes side by
 * side, of what is ordered. */
static inline void ptx_race_meet_at(Race *r, const Place *place, uint64_t address, TouchId now,
                                    const uint64_t *value, bool is_write)
{
    for (unsigned i = 0; i < MARKS && place && (i < WRITERS || is_write); i++) {
        const TouchId before = place->marks[i];
        const bool has_value = i < WRITERS && place->has_values[i];
        if (before && before / WARP_LANES != r->ordered[i])
            ptx_race_meet(r, &(RaceMeeting){ before, now, has_value ? &place->values[i] : NULL,
                                             value, address, i });
    }
}

static inline bool ptx_race_is_place_unwritten(const Place *place)
{
    _Static_assert(WRITERS == 2, "all of them");
    return !place->marks[0] && !place->marks[1];
}

static inline void ptx_race_keep_at(Race *r, Place *place, TouchId now, const uint64_t *value,
                                    bool is_write, bool is_strong)
{
    if (place && is_write) {
        /* by another lane of one instruction */
        r->is_overwritten |= place->marks[is_strong] / WARP_LANES == now / WARP_LANES;
        place->marks[is_strong] = now;
        place->has_values[is_strong] = value != NULL;
        place->values[is_strong] = value ? *value : 0;
    } else if (place) {
        ptx_race_keep_read(r, place, now, 0);
    }
}

typedef struct LaneAccess {                       /* what lanes access at once */
    uint64_t at[WARP_LANES], numbers[WARP_LANES]; /* numbers: of those that are known */
    const Touch *touch;
    uint64_t end;          /* behind the last byte */
    uint64_t multiples;    /* or-ed: where each begins and ends */
    TouchId first;         /* of lane 0 */
    uint32_t lanes, known; /* known: those whose numbers are */
    uint32_t bytes;
    uint32_t unwritten; /* that meet a place which nothing has written; once places met */
    bool is_one_place;  /* of all lanes */
    bool is_one_write;  /* of one number, or of none that is known, to one place */
} LaneAccess;

/* By lanes of one warp, from one place. */
typedef struct PlainRead {
    uint64_t at;
    uint32_t bytes, lanes, warp, site;
} PlainRead;

/* race_lanes.c. False: nothing orders what was written there before it; then it is not noted. */
bool ptx_race_read_in_order(Race *race, const PlainRead *read);

/* All lanes meet what was there before any of them is kept. */
void ptx_race_note_lanes(Race *race, LaneAccess *access);

/* Of a cell that is `step` bytes, by so many lanes that do the same: as each of its places would
 * meet them, one after the other. */
void ptx_race_meet_cell(Race *race, const Place *cell, uint32_t step, uint32_t lanes,
                        const RaceMeeting *now);

/* Where two sites alone are noted: an access meets all that was done there; it is kept.
 * value: NULL: not known. */
void ptx_race_meet_lasts(Race *race, uint64_t address, TouchId now, const uint64_t *value,
                         bool is_write);
void ptx_race_keep_lasts(Race *race, uint64_t address, TouchId now, const uint64_t *value);

/* An access to known places meets those that may have been there. */
void ptx_race_meet_all_by_data(Race *race, const uint64_t at[WARP_LANES], uint32_t bytes,
                               uint32_t lanes, TouchId first);

/* One that data may lead to the place meets what was done there. */
void ptx_race_meet_place_by_data(Race *race, uint64_t address, TouchId now);

#endif
