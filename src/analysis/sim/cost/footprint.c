#include "analysis/sim/cost/footprint.h"

#include "analysis/sim/cost/footprint_state.h"
#include "analysis/sim/cost/l1_passes.h"
#include "analysis/sim/cost/traffic.h"
#include "support/minmax.h"
#include "support/assert.h"
#include "support/hash.h"
#include "analysis/sim/request.h"

#include <math.h>
#include <string.h>

Footprint *ptx_footprint_new(Arena *arena)
{
    Footprint *f = ptx_arena_new(arena, Footprint);
    f->arena = arena;
    f->slot_count = SLOTS_FIRST;
    f->slots = ptx_arena_array(arena, FootprintPiece, SLOTS_FIRST);
    f->turns = ptx_arena_array(arena, uint32_t, SLOTS_FIRST);
    f->stored = ptx_arena_array(arena, uint64_t, SLOTS_FIRST);
    f->block = 1;
    return f;
}

static uint64_t number_of(uint64_t address_piece)
{
    return address_piece & ~(UINT64_MAX << PIECE_BITS);
}

static uint32_t group_of(uint64_t number)
{
    return (uint32_t)ptx_hash_mix(number / GROUP_PIECES) * GROUP_PIECES;
}

/* Neighbours stand beside each other. */
static uint32_t first_slot(const Footprint *f, uint64_t number)
{
    return (group_of(number) + number % GROUP_PIECES) & (f->slot_count - 1);
}

/* From one slot on: where the piece is, or an empty slot for it. */
static FootprintPiece *find_slot_from(const Footprint *f, uint32_t i, uint64_t number)
{
    while (f->slots[i].block == f->block && f->slots[i].number != number)
        i = (i + 1) & (f->slot_count - 1);
    return &f->slots[i];
}

static FootprintPiece *find_slot(const Footprint *f, uint64_t number)
{
    return find_slot_from(f, first_slot(f, number), number);
}

static void grow(Footprint *f)
{
    FootprintPiece *old = f->slots;
    const uint32_t *turns = f->turns, count = f->slot_count;
    const uint64_t *stored = f->stored;
    f->slot_count *= 4;
    f->slots = ptx_arena_array(f->arena, FootprintPiece, f->slot_count);
    f->turns = ptx_arena_array(f->arena, uint32_t, f->slot_count);
    f->stored = ptx_arena_array(f->arena, uint64_t, f->slot_count);
    for (uint32_t i = 0; i < count; i++)
        if (old[i].block == f->block) {
            FootprintPiece *slot = find_slot(f, old[i].number);
            *slot = old[i];
            f->turns[slot - f->slots] = turns[i];
            f->stored[slot - f->slots] = stored[i];
        }
}

FootprintPiece *ptx_footprint_piece(Footprint *f, uint64_t address_piece)
{
    const uint64_t number = number_of(address_piece);
    FootprintPiece *p = find_slot(f, number);
    if (p->block == f->block)
        return p;
    if (2 * f->used >= f->slot_count) {
        if (f->slot_count >= MAX_SLOTS)
            return NULL;
        grow(f);
        p = find_slot(f, number);
    }
    *p = (FootprintPiece){ .number = number & ~(UINT64_MAX << PIECE_BITS),
                           .block = f->block & ~(UINT32_MAX << BLOCK_BITS) };
    f->used++;
    return p;
}

static Extent *find_array(Footprint *f, uint64_t piece)
{
    uint64_t key = piece >> (ARRAY_SHIFT - PIECE_SHIFT);
    uint8_t *found = &f->found[key % ARRAYS_NEAR];
    uint32_t i = 0;
    if (*found && f->arrays[*found - 1].key == key)
        return &f->arrays[*found - 1];
    while (i < f->array_count && f->arrays[i].key != key)
        i++;
    if (i == ARRAYS_MAX) {
        f->has_lost = true;
        return NULL;
    }
    if (i == f->array_count)
        f->arrays[f->array_count++] = (Extent){
            .key = key, .first = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX }
        };
    *found = (uint8_t)(i + 1);
    return &f->arrays[i];
}

Extent *ptx_footprint_array(Footprint *f, uint64_t piece)
{
    return find_array(f, piece);
}

static void extend_side(Extent *array, uint64_t number, FootprintSide side)
{
    array->first[side] = number < array->first[side] ? number : array->first[side];
    array->last[side] = number > array->last[side] ? number : array->last[side];
}

static void note_piece(Extent *array, uint64_t number, FootprintSide side)
{
    array->here[side]++;
    extend_side(array, number, side);
}

static unsigned bucket_of(uint32_t distance)
{
    unsigned bucket = distance ? 32u - (unsigned)__builtin_clz(distance) : 0;
    return bucket < REUSE_BUCKETS ? bucket : REUSE_BUCKETS - 1;
}

/* A load asks for a sector; whether it waits for L2. */
static bool note_turn(Footprint *f, FootprintPiece *p, unsigned half, bool is_new)
{
    uint32_t now = f->clock[f->warp]++, own = UINT32_C(1) << f->warp;
    if (!p)
        return true;
    bool is_first = !(p->warps[half] & own),
         waits = is_new || (is_first && ptx_u32_distance(now, p->fetched) <= NEAR);
    p->warps[half] |= own;
    if (is_new) {
        p->fetched = now;
    } else {
        if (p->array < f->array_count)
            f->arrays[p->array].reused_here++;
        f->here.reused[bucket_of(
            ptx_u32_distance(now, is_first ? p->fetched : p->touched[half]))]++;
    }
    p->touched[half] = now;
    return waits;
}

/* Whether loads have come to that piece, in another turn; group: where its group stands. */
static bool is_of_other_turn(const Footprint *f, uint32_t group, uint64_t number)
{
    const uint32_t first = (group + number % GROUP_PIECES) & (f->slot_count - 1);
    const FootprintPiece *p = find_slot_from(f, first, number);
    return p->block == f->block && p->sides >> SIDE_READ & 1 && f->turns[p - f->slots] != f->turn;
}

/* A block's loads come to a half of a line, of two lines side by side. */
static void note_half(Footprint *f, const FootprintPiece *p)
{
    const uint32_t group = group_of(p->number);
    f->turns[p - f->slots] = f->turn;
    f->here.first_pieces++;
    f->here.torn_pieces += is_of_other_turn(f, group, p->number ^ 1) ? 2 : 0;
    f->here.torn_lines += is_of_other_turn(f, group, p->number ^ 2) ? 2 : 0;
}

/* The block has stored to it and not loaded from it. */
static bool is_stored_only(const FootprintPiece *p)
{
    return (p->sides & (1u << SIDE_WRITTEN | 1u << SIDE_READ)) == 1u << SIDE_WRITTEN;
}

/* Of a piece that is stored only: by this warp. Stores of other warps may come later on a GPU than
 * in a run, which executes one warp after the other; and a run of one block stands for others,
 * whose stores go elsewhere. */
static bool is_own_store(const Footprint *f, const FootprintPiece *p, unsigned half)
{
    return p->warps[half] >> f->warp & 1;
}

/* A sector of a request; whether L1 does not hold it yet. p: its piece; NULL: there are too
 * many. */
static bool note_sector(Footprint *f, FootprintPiece *p, uint64_t sector, FootprintSide side,
                        bool stays, bool *waits)
{
    uint8_t own = (uint8_t)(1u << (sector & 1));
    bool is_new = !p || !(p->sectors & own);
    const bool is_stored = !is_new && stays && is_stored_only(p);
    if (is_stored && is_own_store(f, p, sector & 1)) {
        *waits |= note_turn(f, p, sector & 1, false);
        return false;
    }
    is_new |= is_stored;
    const bool is_fetched = side == SIDE_READ && (is_new || !stays);
    Extent *array = !p || !(p->sides >> side & 1) || is_fetched ? find_array(f, sector >> 1)
                                                                : NULL;
    if (array && (!p || !(p->sides >> side & 1)))
        note_piece(array, sector >> 1, side);
    if (p && side == SIDE_READ && !(p->sides >> side & 1))
        note_half(f, p);
    if (array && is_new && stays)
        array->missed_here++;
    if (p && is_fetched)
        p->array = (array ? (uint32_t)(array - f->arrays) : ARRAYS_MAX) & ARRAY_MASK;
    if (array && !stays && side == SIDE_READ)
        array->here[SIDE_PAST]++;
    if (stays)
        *waits |= note_turn(f, p, sector & 1, is_new);
    if (p) {
        p->sides |= 1u << side;
        p->sectors |= (stays ? own : 0) & 3u;
    }
    return is_new;
}

/* Both sectors of a piece that the block comes to first, by a load that L1 keeps: as note_sector
 * does for one after the other. */
static void note_new_piece(Footprint *f, FootprintPiece *p, uint64_t address_piece)
{
    Extent *array = find_array(f, address_piece);
    const uint32_t now = f->clock[f->warp], own = UINT32_C(1) << f->warp;
    f->clock[f->warp] += 2;
    note_half(f, p);
    if (array) {
        note_piece(array, address_piece, SIDE_READ);
        array->missed_here += 2;
    }
    p->array = (array ? (uint32_t)(array - f->arrays) : ARRAYS_MAX) & ARRAY_MASK;
    p->warps[0] = p->warps[1] = own;
    p->touched[0] = now;
    p->touched[1] = p->fetched = now + 1;
    p->sides = 1u << SIDE_READ;
    p->sectors = 3;
}

/* Both sectors of a piece, by a load past L1. */
static void note_piece_past(Footprint *f, FootprintPiece *p, uint64_t address_piece)
{
    Extent *array = find_array(f, address_piece);
    if (!(p->sides >> SIDE_READ & 1)) {
        note_half(f, p);
        if (array)
            note_piece(array, address_piece, SIDE_READ);
    }
    if (array)
        array->here[SIDE_PAST] += 2;
    p->array = (array ? (uint32_t)(array - f->arrays) : ARRAYS_MAX) & ARRAY_MASK;
    p->sides |= 1u << SIDE_READ;
}

/* Both sectors of a piece by a load, where they are noted at once. False: nothing is noted. */
static bool note_both(Footprint *f, FootprintPiece *p, uint64_t address_piece, FootprintKind kind)
{
    if (kind == FOOTPRINT_LOAD && !p->sides)
        note_new_piece(f, p, address_piece);
    else if (kind == FOOTPRINT_LOAD_PAST_L1)
        note_piece_past(f, p, address_piece);
    else
        return false;
    return true;
}

typedef struct Distinct {       /* numbers, each once */
    uint64_t items[64];
    unsigned count;
    bool is_unsorted;
} Distinct;

static void add_distinct(Distinct *d, uint64_t number)
{
    if (d->count && (d->is_unsorted || number <= d->items[d->count - 1])) {
        if (number == d->items[d->count - 1])
            return;
        for (unsigned k = d->count; k; k--)
            if (d->items[k - 1] == number)
                return;
        d->is_unsorted = true;
    }
    if (d->count < sizeof d->items / sizeof *d->items)
        d->items[d->count++] = number;
}

typedef struct FootprintShape {          /* of a request */
    Distinct sectors, lines;
    bool is_even;               /* no lane lies before another, none far from the next */
    bool is_row;                /* and none apart from it */
} FootprintShape;

static void shape_of(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, FootprintShape *out)
{
    out->sectors.count = out->lines.count = 0;
    out->sectors.is_unsorted = out->lines.is_unsorted = false;
    uint64_t newest = UINT64_MAX, step = 0;
    /* then no sector is left out, and all have room */
    const bool are_even = out->is_even = lanes == UINT32_MAX && bytes <= 1 << 5
                          && ptx_places_are_even(addresses, &step) && step <= 1 << 5;
    out->is_row = are_even && step == bytes;
    for (uint64_t s = addresses[0] >> 5;
         are_even && s <= (addresses[WARP_LANES - 1] + bytes - 1) >> 5; s++)
        out->sectors.items[out->sectors.count++] = s;
    for (uint32_t left = are_even ? 0 : lanes; left; left &= left - 1) {
        const uint64_t address = addresses[__builtin_ctz(left)];
        const uint64_t first = address >> 5, last = (address + bytes - 1) >> 5;
        if (first == newest && last == newest)
            continue;
        for (uint64_t s = first; s <= last; s++)
            add_distinct(&out->sectors, s);
        newest = out->sectors.count ? out->sectors.items[out->sectors.count - 1] : newest;
    }
    for (unsigned i = 0; i < out->sectors.count; i++)
        add_distinct(&out->lines, out->sectors.items[i] >> 2);
}

double ptx_atomic_passes(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, bool is_serial)
{
    enum { SERIAL_PASSES = 5 };         /* halves: of an addition in floating point */
    uint64_t sorted[WARP_LANES];
    const unsigned count = ptx_places_sort(addresses, lanes, sorted);
    /* lanes so far at this address; the most at one of its sector, and at one anywhere */
    unsigned here = 0, in_sector = 0, most = 0;
    double passes = 0;
    for (unsigned k = 0; k < count; k++) {
        const bool is_same = k && sorted[k] == sorted[k - 1],
                   is_near = k && sorted[k] >> 5 == sorted[k - 1] >> 5;
        passes += is_near ? 0 : in_sector;
        here = is_same ? here + 1 : 1;
        in_sector = is_near && in_sector > here ? in_sector : here;
        most = here > most ? here : most;
    }
    passes += in_sector;
    passes *= bytes == 8 ? 2 : 1;
    return is_serial ? fmax(passes, SERIAL_PASSES * most / 2.0) : passes;
}

/* Where the blocks that are probed touch the array first. False: some address is none, or lies in
 * another array. */
static bool find_places(const Footprint *f, uint64_t first, const int64_t shift[3],
                        uint64_t places[PROBES])
{
    places[0] = first;
    for (unsigned d = 0; d < 3; d++)
        places[0] += f->probe >> (d + 1) & 1 ? (uint64_t)shift[d] : 0;
    bool are_found = places[0] && places[0] >> ARRAY_SHIFT == first >> ARRAY_SHIFT;
    for (unsigned d = 0; d < 3; d++) {
        const bool is_asked = f->probe >> (d + 1) & 1;
        places[d + 1] = places[0] - (uint64_t)shift[d];
        are_found &= !is_asked
                     || (places[d + 1] && places[d + 1] >> ARRAY_SHIFT == first >> ARRAY_SHIFT);
    }
    return are_found;
}

static bool is_single_probe(uint8_t bits)
{
    return !(bits & (bits - 1));
}

/* Where blocks share what they fetch. */
static bool is_asked_for(const Footprint *f, const Extent *array)
{
    return array < f->arrays + f->probed_count
           && (array->missed > 0 || array->pieces[SIDE_PAST] > 0 || array->boxes > 0);
}

void ptx_footprint_note_probe(Footprint *f, uint64_t first, const int64_t shift[3])
{
    Extent *array = find_array(f, first >> PIECE_SHIFT);
    uint64_t places[PROBES];
    if (!array || array->probed[__builtin_ctz(f->probe)])
        return;
    if (is_single_probe(f->probe)) {
        array->probed[__builtin_ctz(f->probe)] = first;
        f->unprobed -= first && is_asked_for(f, array);
        return;
    }
    f->is_probe_lost |= !find_places(f, first, shift, places);
    for (unsigned i = 0; i < PROBES; i++)
        array->probed[i] = f->probe >> i & 1 ? places[i] : 0;
    f->unprobed -= is_asked_for(f, array);
}

static bool is_of_array(const Extent *array, uint64_t address)
{
    return address >> ARRAY_SHIFT == array->key;
}

/* Bytes from first to last, all of one array. */
static void note_moving(Footprint *f, uint64_t first, uint64_t last, FootprintSide side,
                        const FootprintShift *shift)
{
    MovingRange range = { .side = side, .first = first, .last = last, .shift = *shift };
    Extent *array = f->moving.is_incomplete ? NULL : find_array(f, first >> PIECE_SHIFT);
    if (!array || !is_of_array(array, last)) {
        f->moving.is_incomplete = true;
        return;
    }
    range.array = (uint32_t)(array - f->arrays);
    ptx_moving_ranges_add(&f->moving, &range);
}

/* Where data lead is another place in each run. */
static void note_moving_request(Footprint *f, const FootprintRequest *request, FootprintSide side,
                                bool is_even)
{
    uint64_t first = UINT64_MAX, last = 0;
    f->moving.is_incomplete |= request->is_moved;
    uint32_t ends = is_even ? UINT32_C(1) << (WARP_LANES - 1) | 1 : request->lanes;
    for (uint32_t left = f->moving.is_incomplete ? 0 : ends; left; left &= left - 1) {
        const uint64_t address = request->addresses[__builtin_ctz(left)];
        first = ptx_u64_min(first, address);
        last = ptx_u64_max(last, address + request->bytes - 1);
    }
    note_moving(f, first, last, side, request->shift);
}

/* What a request asks L2 for. */
typedef struct AskedSectors {
    Distinct lines, pieces;
    double count;               /* sectors */
    bool waits;
} AskedSectors;

static void ask_for(AskedSectors *asked, uint64_t sector, unsigned count)
{
    asked->count += count;
    add_distinct(&asked->lines, sector >> 2);
    add_distinct(&asked->pieces, sector >> 1);
}

static void note_sectors(Footprint *f, const FootprintRequest *request, FootprintSide side,
                         const Distinct *sectors, AskedSectors *asked)
{
    const FootprintKind kind = request->kind;
    FootprintPiece *piece = NULL;
    for (unsigned i = 0; i < sectors->count; i++) {
        const uint64_t sector = sectors->items[i];
        if (!piece || piece->number != sector >> 1)
            piece = ptx_footprint_piece(f, sector >> 1);
        const bool has_both = !(sector & 1) && i + 1 < sectors->count
                              && sectors->items[i + 1] == sector + 1;
        if (has_both && piece && side == SIDE_READ && note_both(f, piece, sector >> 1, kind)) {
            asked->waits = true;
            ask_for(asked, sector, 2);
            i++;
            continue;
        }
        const bool is_new = note_sector(f, piece, sector, side, kind == FOOTPRINT_LOAD,
                                        &asked->waits);
        if (is_new || kind != FOOTPRINT_LOAD)
            ask_for(asked, sector, 1);
    }
}

bool ptx_footprint_note(Footprint *f, const FootprintRequest *request)
{
    const FootprintKind kind = request->kind;
    const bool is_moved = request->is_moved;
    FootprintShape shape;
    Traffics *t = &f->here;
    f->warp = request->warp % MAX_WARPS;
    f->turn = request->turn;
    ASSERT(!f->is_probing);
    bool is_atomic = kind >= FOOTPRINT_ATOMIC;
    shape_of(request->addresses, request->lanes, request->bytes, &shape);
    FootprintSide side = is_atomic ? SIDE_ATOMIC : SIDE_READ;
    if (kind == FOOTPRINT_STORE)
        side = SIDE_WRITTEN;
    if (request->shift)
        note_moving_request(f, request, side, shape.is_even);
    AskedSectors asked;
    asked.lines.count = asked.pieces.count = 0;
    asked.lines.is_unsorted = asked.pieces.is_unsorted = false;
    asked.count = 0;
    asked.waits = kind == FOOTPRINT_LOAD_PAST_L1;
    /* scattered sectors lie anywhere in a table that caches do not hold: all are asked for at once.
     * gcc drops a function that does no more than that */
    for (unsigned i = 0; shape.sectors.count >= MIN_SCATTERED && i < shape.sectors.count; i++)
        __builtin_prefetch(&f->slots[first_slot(f, number_of(shape.sectors.items[i] >> 1))], 1);
    if (kind == FOOTPRINT_STORE)
        ptx_footprint_note_stored(f, request, shape.is_row);
    note_sectors(f, request, is_moved ? SIDE_MOVED : side, &shape.sectors, &asked);
    if (is_moved && !request->is_again) {
        double moved = 32 * (kind == FOOTPRINT_LOAD ? asked.count : shape.sectors.count);
        *(kind == FOOTPRINT_STORE ? &t->written_bytes : &t->read_bytes) += moved;
        *(kind == FOOTPRINT_STORE ? &t->data_written_bytes : &t->data_read_bytes) += moved;
    }
    t->drawn_bytes += request->is_drawn ? (1 << PIECE_SHIFT) * shape.sectors.count : 0;
    t->data_atomics += is_moved && is_atomic ? __builtin_popcount(request->lanes) : 0;
    if (is_atomic) {
        t->atomic_passes += ptx_atomic_passes(request->addresses, request->lanes, request->bytes,
                                              kind == FOOTPRINT_ATOMIC_SERIAL);
    } else if (kind != FOOTPRINT_STORE) {
        t->load_lines += shape.lines.count;
        t->load_passes += kind == FOOTPRINT_LOAD
                              ? ptx_l1_passes(request->addresses, request->lanes, request->bytes,
                                              shape.lines.count)
                              : ptx_l1_passes_of_copy(request->lanes, request->bytes,
                                                      shape.lines.count);
        t->load_sectors += asked.count;
        t->load_requests += asked.lines.count;
        t->load_pieces += asked.pieces.count;
    }
    return asked.waits;
}

/* Pieces of a row that the block has not come to yet. */
static void note_row(Footprint *f, Extent *array, uint64_t first, uint32_t bytes,
                     FootprintSide side)
{
    for (uint64_t p = first >> PIECE_SHIFT; p <= (first + bytes - 1) >> PIECE_SHIFT; p++) {
        FootprintPiece *piece = ptx_footprint_piece(f, p);
        const bool is_new = !piece || !(piece->sides >> side & 1);
        if (is_new)
            note_piece(array, p, side);
        for (unsigned s = SIDE_STORED; is_new && side == SIDE_WRITTEN && s <= SIDE_FILLED; s++)
            array->here[s] += 2;
        if (piece)
            piece->sides |= 1u << side;
    }
}

/* It may go on at 0 behind the last address. */
static double parts_of_row(uint64_t first, uint32_t bytes, unsigned shift)
{
    const uint64_t in_part = first & ~(UINT64_MAX << shift);
    return bytes ? (double)((in_part + bytes - 1) >> shift) + 1 : 0;
}

static void count_row(Footprint *f, Extent *array, uint64_t first, uint32_t bytes, bool is_store)
{
    enum { SECTOR_SHIFT = 5, LINE_SHIFT = 7 };
    Traffics *t = &f->here;
    const double sectors = parts_of_row(first, bytes, SECTOR_SHIFT),
                 lines = parts_of_row(first, bytes, LINE_SHIFT);
    note_row(f, array, first, bytes, is_store ? SIDE_WRITTEN : SIDE_READ);
    t->box_rows += lines;
    if (is_store) {
        t->store_lines += lines;
        t->store_sectors += sectors;
        return;
    }
    array->here[SIDE_PAST] += sectors;
    t->box_bytes += bytes;
    t->load_sectors += sectors;
    t->load_requests += lines;
    t->load_pieces += parts_of_row(first, bytes, PIECE_SHIFT);
}

/* Row by row, the last dimension slowest. */
static void count_rows(Footprint *f, Extent *array, const BulkBox *box)
{
    uint64_t rows = 1;
    for (unsigned d = 1; d < TENSOR_DIMS; d++)
        rows *= box->count[d] ? box->count[d] : 1;
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t left = r, first = box->first;
        for (unsigned d = 1; d < TENSOR_DIMS && box->count[d]; d++) {
            first += left % box->count[d] * box->stride[d];
            left /= box->count[d];
        }
        count_row(f, array, first, box->count[0], box->is_store);
    }
}

static void note_moving_box(Footprint *f, const BulkBox *box, const uint32_t step[3])
{
    uint64_t last = box->first + box->count[0] - 1;
    FootprintShift shift;
    f->moving.is_incomplete |= box->is_of_block;
    for (unsigned d = 1; d < TENSOR_DIMS && box->count[d]; d++) {
        f->moving.is_incomplete |= (int64_t)box->stride[d] < 0;
        last += (box->count[d] - 1) * box->stride[d];
    }
    for (unsigned d = 0; d < 3; d++) {
        shift.by[d] = box->shift[d];
        shift.step[d] = step[d];
    }
    note_moving(f, box->first, last, box->is_store ? SIDE_WRITTEN : SIDE_READ, &shift);
}

void ptx_footprint_note_box(Footprint *f, const BulkBox *box, const uint32_t step[3])
{
    if (f->is_probing) {
        if (!box->is_store && box->first)
            ptx_footprint_note_probe(f, box->first, box->shift);
        return;
    }
    Extent *array = box->first ? find_array(f, box->first >> PIECE_SHIFT) : NULL;
    if (!array || box->is_placeless || !box->count[0]) {
        f->here.unknown_boxes++;
        if (array && !box->is_store)
            array->boxes_here++;
    } else {
        count_rows(f, array, box);
        if (step)
            note_moving_box(f, box, step);
    }
}

void ptx_footprint_note_constant(Footprint *f, uint64_t address, const FootprintShift *shift)
{
    Extent *array = f->is_probing ? NULL : find_array(f, address >> PIECE_SHIFT);
    if (array)
        note_piece(array, address >> PIECE_SHIFT, SIDE_CONSTANT);
    if (array && shift)
        note_moving(f, address, address, SIDE_CONSTANT, shift);
}

void ptx_footprint_begin(Footprint *f, bool is_for_many)
{
    f->moving.count = 0;
    f->moving.is_incomplete = !is_for_many;
}

static bool moves_within(const Footprint *f, const MovingRange *range, const int64_t blocks[3],
                         int64_t *bytes)
{
    const Extent *array = &f->arrays[range->array];
    return ptx_shift_way(&range->shift, blocks, bytes)
           && is_of_array(array, range->first + (uint64_t)*bytes)
           && is_of_array(array, range->last + (uint64_t)*bytes);
}

bool ptx_footprint_note_ends(Footprint *f, const int64_t blocks[3])
{
    int64_t bytes;
    bool are_known = !f->moving.is_incomplete;
    for (uint32_t i = 0; i < f->moving.count && are_known; i++)
        are_known = moves_within(f, &f->moving.items[i], blocks, &bytes);
    for (uint32_t i = 0; i < f->moving.count && are_known; i++) {
        const MovingRange *range = &f->moving.items[i];
        Extent *array = &f->arrays[range->array];
        moves_within(f, range, blocks, &bytes);
        const FootprintSide side = (FootprintSide)range->side;
        extend_side(array, (range->first + (uint64_t)bytes) >> PIECE_SHIFT, side);
        extend_side(array, (range->last + (uint64_t)bytes) >> PIECE_SHIFT, side);
    }
    return are_known;
}

void ptx_traffics_add(Traffics *to, const Traffics *from, double weight)
{
    to->load_lines += weight * from->load_lines;
    to->load_passes += weight * from->load_passes;
    to->load_sectors += weight * from->load_sectors;
    to->load_requests += weight * from->load_requests;
    to->load_pieces += weight * from->load_pieces;
    to->first_pieces += weight * from->first_pieces;
    to->torn_pieces += weight * from->torn_pieces;
    to->torn_lines += weight * from->torn_lines;
    to->store_lines += weight * from->store_lines;
    to->store_sectors += weight * from->store_sectors;
    to->parts_of_sectors += weight * from->parts_of_sectors;
    to->box_rows += weight * from->box_rows;
    to->box_bytes += weight * from->box_bytes;
    to->unknown_boxes += weight * from->unknown_boxes;
    to->atomic_passes += weight * from->atomic_passes;
    to->data_atomics += weight * from->data_atomics;
    to->data_read_bytes += weight * from->data_read_bytes;
    to->data_written_bytes += weight * from->data_written_bytes;
    to->data_partly_bytes += weight * from->data_partly_bytes;
    to->drawn_bytes += weight * from->drawn_bytes;
    to->read_bytes += weight * from->read_bytes;
    to->written_bytes += weight * from->written_bytes;
    for (unsigned b = 0; b < REUSE_BUCKETS; b++)
        to->reused[b] += weight * from->reused[b];
}

void ptx_footprint_mark(const Footprint *f, uint32_t warp, FootprintMark *out)
{
    _Static_assert(sizeof out->pieces[0] / sizeof *out->pieces[0] == SIDE__COUNT,
                   "one for each side");
    *out = (FootprintMark){ .here = f->here, .warp = warp % MAX_WARPS, .clock = f->clock[warp % MAX_WARPS] };
    for (uint32_t a = 0; a < f->array_count; a++) {
        memcpy(out->pieces[a], f->arrays[a].here, sizeof out->pieces[a]);
        out->missed[a] = f->arrays[a].missed_here;
        out->reused[a] = f->arrays[a].reused_here;
        out->boxes[a] = f->arrays[a].boxes_here;
    }
}

void ptx_footprint_repeat(Footprint *f, const FootprintMark *mark, double times)
{
    const double latest = UINT32_MAX - (UINT32_C(1) << 28);     /* clocks go no further than that */
    Traffics since = f->here;
    ptx_traffics_add(&since, &mark->here, -1);
    ptx_traffics_add(&f->here, &since, times);
    for (uint32_t a = 0; a < f->array_count; a++) {
        for (unsigned s = 0; s < SIDE__COUNT; s++)
            f->arrays[a].here[s] += times * (f->arrays[a].here[s] - mark->pieces[a][s]);
        f->arrays[a].missed_here += times * (f->arrays[a].missed_here - mark->missed[a]);
        f->arrays[a].reused_here += times * (f->arrays[a].reused_here - mark->reused[a]);
        f->arrays[a].boxes_here += times * (f->arrays[a].boxes_here - mark->boxes[a]);
    }
    uint32_t *clock = &f->clock[mark->warp];
    *clock = (uint32_t)fmin(latest, *clock + times * (*clock - mark->clock));
}

void ptx_footprint_close(Footprint *f, double weight)
{
    ptx_traffics_add(&f->all, &f->here, weight);
    f->here = (Traffics){ 0 };
    for (uint32_t a = 0; a < f->array_count; a++)
        for (unsigned s = 0; s < SIDE__COUNT; s++) {
            f->arrays[a].pieces[s] += weight * f->arrays[a].here[s];
            f->arrays[a].here[s] = 0;
        }
    for (uint32_t a = 0; a < f->array_count; a++) {
        f->arrays[a].missed += weight * f->arrays[a].missed_here;
        f->arrays[a].missed_here = 0;
        f->arrays[a].reused += weight * f->arrays[a].reused_here;
        f->arrays[a].reused_here = 0;
        f->arrays[a].boxes += weight * f->arrays[a].boxes_here;
        f->arrays[a].boxes_here = 0;
    }
    memset(f->clock, 0, sizeof f->clock);
    f->used = 0;
    f->block++;
}

void ptx_footprint_probe(Footprint *f, uint8_t which)
{
    ASSERT(which && !(which >> PROBES) && (is_single_probe(which) || which & 1));
    f->is_probing = true;
    f->is_probe_lost = false;
    f->probe = which;
    f->probed_count = f->array_count;
    f->unprobed = 0;
    for (uint32_t a = 0; a < f->array_count; a++)
        f->unprobed += is_asked_for(f, &f->arrays[a]);
}

bool ptx_footprint_is_probing(const Footprint *f)
{
    return f->is_probing;
}

bool ptx_footprint_end_probe(Footprint *f, bool is_sure)
{
    if (is_sure && !f->is_probe_lost)
        return true;
    f->array_count = f->probed_count;
    memset(f->found, 0, sizeof f->found);
    for (uint32_t a = 0; a < f->array_count; a++)
        memset(f->arrays[a].probed, 0, sizeof f->arrays[a].probed);
    return false;
}

bool ptx_footprint_is_probed(const Footprint *f)
{
    return f->is_probing && !f->unprobed;
}

void ptx_footprint_forget(Footprint *f)
{
    f->all = f->here = (Traffics){ 0 };
    f->array_count = f->used = 0;
    f->is_probing = false;
    memset(f->found, 0, sizeof f->found);
    f->block++;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static double between(const Extent *array, FootprintSide side)
{
    return array->first[side] > array->last[side]
               ? 0
               : (double)(array->last[side] - array->first[side]) + 1;
}

static double distinct(const Extent *array, FootprintSide side)
{
    return (double)(1 << PIECE_SHIFT) * fmin(array->pieces[side], between(array, side));
}

static ArrayTraffic sum_array(const Extent *array)
{
    ArrayTraffic out = { .first = array->key << ARRAY_SHIFT,
                         .missed = array->missed,
                         .reused = array->reused,
                         .past = array->pieces[SIDE_PAST],
                         .boxes = array->boxes,
                         .read_bytes = distinct(array, SIDE_READ),
                         .extent_bytes = (double)(1 << PIECE_SHIFT) * between(array, SIDE_READ) };
    for (unsigned d = 0; d < 3; d++) {
        out.is_shifted[d] = array->probed[0] && array->probed[d + 1];
        out.shift[d] = out.is_shifted[d] ? (int64_t)(array->probed[0] - array->probed[d + 1]) : 0;
    }
    return out;
}

double ptx_footprint_read_bytes(const Footprint *f)
{
    double bytes = 0;
    for (uint32_t a = 0; a < f->array_count; a++)
        bytes += (double)(1 << PIECE_SHIFT) * between(&f->arrays[a], SIDE_READ);
    return bytes;
}

Traffics ptx_footprint_sum(Footprint *f, Arena *arena, double weight)
{
    Traffics out = { 0 };
    ArrayTraffic *arrays = ptx_arena_array(arena, ArrayTraffic, f->array_count);
    ptx_traffics_add(&out, &f->all, weight);
    out.partly_bytes = out.data_partly_bytes;
    for (uint32_t a = 0; a < f->array_count; a++) {
        Extent *array = &f->arrays[a];
        for (unsigned s = 0; s < SIDE__COUNT; s++)
            array->pieces[s] *= weight;
        array->missed *= weight;
        array->reused *= weight;
        array->boxes *= weight;
        arrays[a] = sum_array(array);
        out.read_bytes += arrays[a].read_bytes + distinct(array, SIDE_ATOMIC);
        const double written = distinct(array, SIDE_WRITTEN);
        out.written_bytes += ptx_footprint_stored_bytes(array, written);
        out.partly_bytes += ptx_footprint_partly_bytes(array, written);
        out.constant_bytes += (double)(1 << PIECE_SHIFT) * between(array, SIDE_CONSTANT);
        out.atomic_bytes += (double)(1 << PIECE_SHIFT) * between(array, SIDE_ATOMIC);
    }
    out.arrays = arrays;
    out.array_count = f->array_count;
    out.has_lost = f->has_lost;
    return out;
}
