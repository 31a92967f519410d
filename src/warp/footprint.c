#include "warp/footprint.h"

#include "support/hash.h"

#include <math.h>
#include <string.h>

enum {
    PIECE_SHIFT = 6,            /* 64 bytes */
    ARRAY_SHIFT = 40,           /* where memory.c puts the pointers of parameters */
    ARRAYS_MAX = 32,
    SLOTS_FIRST = 1 << 8,
    SLOTS_MOST = 1 << 14,       /* half of them: distinct pieces of a block that are told apart; more count each time */
};

typedef enum Side { SIDE_READ, SIDE_WRITTEN, SIDE_ATOMIC, SIDE_MOVED, SIDE__COUNT } Side;

typedef struct Extent {         /* of an array */
    uint64_t key;
    uint64_t first[SIDE__COUNT], last[SIDE__COUNT];     /* pieces */
    double pieces[SIDE__COUNT];         /* distinct in each block, added up */
    double here[SIDE__COUNT];           /* in the block that runs */
    double missed, missed_here; /* sectors that a block's loads are the first to ask for */
} Extent;

typedef struct Piece {
    uint64_t number;
    uint32_t block;             /* that it belongs to: of another it is empty */
    uint8_t sectors;            /* that L1 holds */
    uint8_t sides;
} Piece;

struct Footprint {
    Arena *arena;
    Piece *slots;
    uint32_t slot_count, used, block;
    Extent *latest;             /* array */
    Extent arrays[ARRAYS_MAX];
    uint32_t array_count;
    Traffics here, all;
};

Footprint *ptx_footprint_new(Arena *arena)
{
    Footprint *f = ptx_arena_new(arena, Footprint);
    f->arena = arena;
    f->slot_count = SLOTS_FIRST;
    f->slots = ptx_arena_array(arena, Piece, SLOTS_FIRST);
    f->block = 1;
    return f;
}

/* Where the piece is, or an empty slot for it. */
static Piece *find_slot(const Footprint *f, uint64_t number)
{
    uint32_t i = (uint32_t)ptx_hash_mix(number) & (f->slot_count - 1);
    while (f->slots[i].block == f->block && f->slots[i].number != number)
        i = (i + 1) & (f->slot_count - 1);
    return &f->slots[i];
}

static void grow(Footprint *f)
{
    Piece *old = f->slots;
    uint32_t count = f->slot_count;
    f->slot_count *= 4;
    f->slots = ptx_arena_array(f->arena, Piece, f->slot_count);
    for (uint32_t i = 0; i < count; i++)
        if (old[i].block == f->block)
            *find_slot(f, old[i].number) = old[i];
}

/* NULL: this block has touched too many. */
static Piece *find_piece(Footprint *f, uint64_t number)
{
    Piece *p = find_slot(f, number);
    if (p->block == f->block)
        return p;
    if (2 * f->used >= f->slot_count) {
        if (f->slot_count >= SLOTS_MOST)
            return NULL;
        grow(f);
        p = find_slot(f, number);
    }
    *p = (Piece){ .number = number, .block = f->block };
    f->used++;
    return p;
}

static Extent *find_array(Footprint *f, uint64_t piece)
{
    uint64_t key = piece >> (ARRAY_SHIFT - PIECE_SHIFT);
    uint32_t i = 0;
    if (f->latest && f->latest->key == key)
        return f->latest;
    while (i < f->array_count && f->arrays[i].key != key)
        i++;
    if (i == ARRAYS_MAX)
        return NULL;
    if (i == f->array_count)
        f->arrays[f->array_count++] = (Extent){ .key = key, .first = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
    return f->latest = &f->arrays[i];
}

static void note_piece(Extent *array, uint64_t number, Side side)
{
    array->here[side]++;
    array->first[side] = number < array->first[side] ? number : array->first[side];
    array->last[side] = number > array->last[side] ? number : array->last[side];
}

/* A sector of a request; whether L1 does not hold it yet. */
static bool note_sector(Footprint *f, uint64_t sector, Side side, bool stays)
{
    Piece *p = find_piece(f, sector >> 1);
    uint8_t own = (uint8_t)(1u << (sector & 1));
    bool is_new = !p || !(p->sectors & own);
    Extent *array = !p || !(p->sides >> side & 1) || (is_new && stays) ? find_array(f, sector >> 1) : NULL;
    if (array && (!p || !(p->sides >> side & 1)))
        note_piece(array, sector >> 1, side);
    if (array && is_new && stays)
        array->missed_here++;
    if (p) {
        p->sides |= (uint8_t)(1u << side);
        p->sectors |= stays ? own : 0;
    }
    return is_new;
}

typedef struct Distinct {       /* numbers, each once */
    uint64_t items[64];
    unsigned count;
    bool is_unsorted;
} Distinct;

static void add_distinct(Distinct *d, uint64_t number)
{
    if (d->count && (d->is_unsorted || number <= d->items[d->count - 1])) {
        for (unsigned k = d->count; k; k--)
            if (d->items[k - 1] == number)
                return;
        d->is_unsorted = true;
    }
    if (d->count < sizeof d->items / sizeof *d->items)
        d->items[d->count++] = number;
}

typedef struct Shape {          /* of a request */
    Distinct sectors, lines, places;
} Shape;

static void shape_of(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, Shape *out)
{
    out->sectors.count = out->lines.count = out->places.count = 0;
    out->sectors.is_unsorted = out->lines.is_unsorted = out->places.is_unsorted = false;
    for (unsigned i = 0; i < 32; i++) {
        if (!(lanes >> i & 1))
            continue;
        add_distinct(&out->places, addresses[i]);
        for (uint64_t s = addresses[i] >> 5; s <= (addresses[i] + bytes - 1) >> 5; s++) {
            add_distinct(&out->sectors, s);
            add_distinct(&out->lines, s >> 2);
        }
    }
}

void ptx_footprint_note(Footprint *f, const uint64_t *addresses, uint32_t lanes, uint32_t bytes, FootprintKind kind, bool is_moved)
{
    Shape shape;
    Traffics *t = &f->here;
    shape_of(addresses, lanes, bytes, &shape);
    bool is_atomic = kind >= FOOTPRINT_ATOMIC;
    Side side = kind == FOOTPRINT_STORE ? SIDE_WRITTEN : is_atomic ? SIDE_ATOMIC : SIDE_READ;
    Distinct asked = { .count = 0 };
    double missed = 0;
    for (unsigned i = 0; i < shape.sectors.count; i++)
        if (note_sector(f, shape.sectors.items[i], is_moved ? SIDE_MOVED : side, kind == FOOTPRINT_LOAD) || kind != FOOTPRINT_LOAD) {
            missed++;
            add_distinct(&asked, shape.sectors.items[i] >> 2);
        }
    if (is_moved) {
        double moved = 32 * (kind == FOOTPRINT_LOAD ? missed : shape.sectors.count);
        *(kind == FOOTPRINT_STORE ? &t->written_bytes : &t->read_bytes) += moved;
        t->data_bytes += moved;
        t->data_atomics += is_atomic ? __builtin_popcount(lanes) : 0;
    }
    if (kind == FOOTPRINT_STORE) {
        t->store_lines += shape.lines.count;
        t->store_sectors += shape.sectors.count;
    } else if (is_atomic) {
        t->atomic_lines += shape.lines.count;
        t->atomic_places += shape.places.count;
        t->atomic_repeats += kind == FOOTPRINT_ATOMIC_SERIAL ? __builtin_popcount(lanes) - (double)shape.places.count : 0;
    } else {
        t->load_lines += shape.lines.count;
        t->load_sectors += missed;
        t->load_requests += asked.count;
    }
}

void ptx_footprint_note_data(Footprint *f, unsigned lanes, uint32_t bytes, FootprintKind kind)
{
    Traffics *t = &f->here;
    if (kind == FOOTPRINT_COUNTER) {
        t->data_counters += lanes;
    } else if (kind >= FOOTPRINT_ATOMIC) {
        t->atomic_lines += lanes;
        t->atomic_places += lanes;
        t->data_atomics += lanes;
    } else if (kind == FOOTPRINT_STORE) {
        t->store_lines += lanes;
        t->store_sectors += lanes;
        t->written_bytes += (double)lanes * bytes;
        t->data_bytes += (double)lanes * bytes;
    } else {
        t->data_loads += lanes;
        t->load_lines += lanes;
        t->load_sectors += lanes;
        t->load_requests += lanes;
        t->read_bytes += (double)lanes * bytes;
        t->data_bytes += (double)lanes * bytes;
    }
}

static void add(Traffics *to, const Traffics *from, double weight)
{
    to->load_lines += weight * from->load_lines;
    to->load_sectors += weight * from->load_sectors;
    to->load_requests += weight * from->load_requests;
    to->store_lines += weight * from->store_lines;
    to->store_sectors += weight * from->store_sectors;
    to->atomic_lines += weight * from->atomic_lines;
    to->atomic_places += weight * from->atomic_places;
    to->atomic_repeats += weight * from->atomic_repeats;
    to->data_loads += weight * from->data_loads;
    to->data_atomics += weight * from->data_atomics;
    to->data_counters += weight * from->data_counters;
    to->data_bytes += weight * from->data_bytes;
    to->read_bytes += weight * from->read_bytes;
    to->written_bytes += weight * from->written_bytes;
}

void ptx_footprint_close(Footprint *f, double weight)
{
    add(&f->all, &f->here, weight);
    f->here = (Traffics){ 0 };
    for (uint32_t a = 0; a < f->array_count; a++)
        for (unsigned s = 0; s < SIDE__COUNT; s++) {
            f->arrays[a].pieces[s] += weight * f->arrays[a].here[s];
            f->arrays[a].here[s] = 0;
        }
    for (uint32_t a = 0; a < f->array_count; a++) {
        f->arrays[a].missed += weight * f->arrays[a].missed_here;
        f->arrays[a].missed_here = 0;
    }
    f->used = 0;
    f->block++;
}

void ptx_footprint_forget(Footprint *f)
{
    f->all = f->here = (Traffics){ 0 };
    f->array_count = f->used = 0;
    f->latest = NULL;
    f->block++;
}

static double between(const Extent *array, Side side)
{
    return array->first[side] > array->last[side] ? 0 : (double)(array->last[side] - array->first[side]) + 1;
}

static double distinct(const Extent *array, Side side)
{
    return (double)(1 << PIECE_SHIFT) * fmin(array->pieces[side], between(array, side));
}

/* What all blocks read stays in the L1 of each SM, where it is small: sectors that are not asked for again. */
static double kept(const Extent *array, double sms, double l1_bytes)
{
    double bytes = distinct(array, SIDE_READ), once = sms * bytes / 32;
    return bytes <= l1_bytes && once < array->missed ? array->missed - once : 0;
}

Traffics ptx_footprint_sum(Footprint *f, double weight, double sms, double l1_bytes)
{
    Traffics out = { 0 };
    add(&out, &f->all, weight);
    for (uint32_t a = 0; a < f->array_count; a++) {
        for (unsigned s = 0; s < SIDE__COUNT; s++)
            f->arrays[a].pieces[s] *= weight;
        f->arrays[a].missed *= weight;
    }
    for (uint32_t a = 0; a < f->array_count; a++) {
        const Extent *array = &f->arrays[a];
        double stays = kept(array, sms, l1_bytes);
        out.load_requests -= out.load_requests * stays / fmax(out.load_sectors, 1);
        out.load_sectors -= stays;
        out.read_bytes += distinct(array, SIDE_READ) + distinct(array, SIDE_ATOMIC);
        out.written_bytes += distinct(array, SIDE_WRITTEN);
        out.atomic_bytes += (double)(1 << PIECE_SHIFT) * between(array, SIDE_ATOMIC);
    }
    return out;
}
