/* stored_sectors.c -- sectors that stores fill, and those that they fill in part.
 *
 * Memory with error correction takes whole sectors: of one that is stored in part the rest is read
 * before it leaves L2. What blocks store of one sector comes together in L2, as they run side by
 * side; what a warp stores behind each other to few lines, in L1 already. */
#include "analysis/sim/cost/footprint_state.h"

#include "analysis/sim/request.h"
#include "support/minmax.h"

#include <math.h>

enum { PIECE_BYTES = 1 << PIECE_SHIFT, SECTOR_BYTES = 32 };

/* NULL: there are too many. */
static uint64_t *bytes_of_piece(StoredPieces *s, uint64_t number)
{
    for (unsigned k = s->count; k; k--)
        if (s->items[k - 1].number == number)
            return &s->items[k - 1].bytes;
    if (s->count == sizeof s->items / sizeof *s->items)
        return NULL;
    s->items[s->count].number = number;
    s->items[s->count].bytes = 0;
    return &s->items[s->count++].bytes;
}

/* Both within one piece. */
static uint64_t bytes_between(uint64_t first, uint64_t last)
{
    return UINT64_MAX << first % PIECE_BYTES & UINT64_MAX >> (PIECE_BYTES - 1 - last % PIECE_BYTES);
}

static void take_bytes(StoredPieces *s, uint64_t first, uint64_t last)
{
    for (uint64_t p = first >> PIECE_SHIFT; p <= last >> PIECE_SHIFT; p++) {
        const uint64_t begin = p << PIECE_SHIFT, end = begin | (PIECE_BYTES - 1);
        uint64_t *bytes = bytes_of_piece(s, p);
        if (bytes)
            *bytes |= bytes_between(ptx_u64_max(first, begin), ptx_u64_min(last, end));
    }
}

static void find_stored(StoredPieces *s, const FootprintRequest *r, bool is_row)
{
    s->count = 0;
    if (is_row) {
        take_bytes(s, r->addresses[0], r->addresses[WARP_LANES - 1] + r->bytes - 1);
        return;
    }
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        const uint64_t first = r->addresses[__builtin_ctz(left)];
        take_bytes(s, first, first + r->bytes - 1);
    }
}

static uint32_t sector_of(uint64_t bytes, unsigned half)
{
    return (uint32_t)(bytes >> SECTOR_BYTES * half);
}

static uint64_t whole_sectors(uint64_t bytes)
{
    uint64_t whole = 0;
    for (unsigned half = 0; half < 2; half++)
        whole |= sector_of(bytes, half) ? (uint64_t)UINT32_MAX << SECTOR_BYTES * half : 0;
    return whole;
}

/* L1 writes through, and keeps what it writes: loads of whole sectors that a warp stored find
 * them there, of sectors that it stored in part they do not (tools/measure-times/stored.cu). */
static void keep_whole(Footprint *f, FootprintPiece *piece, const Extent *array, uint64_t stored)
{
    const uint32_t now = f->clock[f->warp];
    for (unsigned half = 0; half < 2; half++) {
        if (sector_of(stored, half) != UINT32_MAX || piece->sectors >> half & 1)
            continue;
        piece->sectors |= (1u << half) & 3u;
        piece->warps[half] = UINT32_C(1) << f->warp;
        piece->touched[half] = now;
        piece->array = (uint32_t)(array - f->arrays) & ARRAY_MASK;
    }
}

static void store_piece(Footprint *f, uint64_t number, uint64_t bytes)
{
    FootprintPiece *piece = ptx_footprint_piece(f, number);
    Extent *array = ptx_footprint_array(f, number);
    if (!array)
        return;
    const bool is_written = piece && piece->sides >> SIDE_WRITTEN & 1,
               is_read = piece && piece->sides >> SIDE_READ & 1;
    const uint64_t before = is_written ? f->stored[piece - f->slots] : 0;
    const uint64_t after = before | (is_read ? whole_sectors(bytes) : bytes);
    for (unsigned half = 0; half < 2; half++) {
        const uint32_t old = sector_of(before, half), now = sector_of(after, half);
        array->here[SIDE_STORED] += now && !old;
        array->here[SIDE_WHOLE] += now == UINT32_MAX && old != UINT32_MAX;
    }
    array->here[SIDE_FILLED] += __builtin_popcountll(after ^ before) / (double)SECTOR_BYTES;
    if (!piece)
        return;
    f->stored[piece - f->slots] = after;
    keep_whole(f, piece, array, after);
}

/* ---- the way to L2 --------------------------------------------------------------------------- */

typedef struct Sent { double lines, sectors, parts; } Sent;     /* parts: beside others of a line */

static Sent count_sent(const StoredPieces *s)
{
    uint64_t lines[64];
    unsigned line_count = 0, sectors = 0, parts = 0;
    for (unsigned i = 0; i < s->count; i++) {
        unsigned k = 0;
        while (k < line_count && lines[line_count - 1 - k] != s->items[i].number >> 1)
            k++;
        if (k == line_count)
            lines[line_count++] = s->items[i].number >> 1;
        for (unsigned half = 0; half < 2; half++) {
            const uint32_t bytes = sector_of(s->items[i].bytes, half);
            sectors += bytes != 0;
            parts += bytes && bytes != UINT32_MAX;
        }
    }
    return (Sent){ line_count, sectors, parts > line_count ? parts - line_count : 0 };
}

/* Of a run of stores to so many lines, what is sent store by store. Measured on an H200
 * (testdata/measured/stores, by the profiler), 2 to 8 stores of 4 bytes a lane, up to 32
 * multiply-adds between them: to two and three lines 0 to 9 %, to four 0 to 46, 13 in the median,
 * to six 26 to 79, to eight 90 to 93. */
static double sent_apart(double lines)
{
    const double together = 3.5, apart = 8.5;
    return fmax(0, fmin(1, (lines - together) / (apart - together)));
}

static Sent add_share(Sent a, Sent b, double share)
{
    return (Sent){ a.lines + share * b.lines, a.sectors + share * b.sectors,
                   a.parts + share * b.parts };
}

static bool share_lines(const StoredPieces *a, const StoredPieces *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->items[i].number >> 1 == b->items[k].number >> 1)
                return true;
    return false;
}

static void merge_pieces(StoredPieces *to, const StoredPieces *from)
{
    for (unsigned i = 0; i < from->count; i++) {
        uint64_t *bytes = bytes_of_piece(to, from->items[i].number);
        if (bytes)
            *bytes |= from->items[i].bytes;
    }
}

/* What the request adds to what was sent for those before it in its run that share lines. */
static Sent send_request(Footprint *f, const FootprintRequest *r, const StoredPieces *stored)
{
    if (!f->runs)
        f->runs = ptx_arena_array(f->arena, StoreRun, MAX_WARPS);
    StoreRun *run = &f->runs[f->warp];
    const Sent own = count_sent(stored);
    const bool is_same = r->run && r->run == run->run && r->turn == run->turn
                         && run->block == f->block;
    if (!is_same || !share_lines(&run->pieces, stored)) {
        *run = (StoreRun){ *stored, f->block, r->run, r->turn };
        return own;
    }
    const Sent before = count_sent(&run->pieces);
    merge_pieces(&run->pieces, stored);
    const Sent after = count_sent(&run->pieces), more = add_share(after, before, -1);
    return add_share(more, add_share(own, more, -1), sent_apart(after.lines));
}

void ptx_footprint_note_stored(Footprint *f, const FootprintRequest *request, bool is_row)
{
    StoredPieces stored;
    find_stored(&stored, request, is_row);
    const Sent sent = send_request(f, request, &stored);
    f->here.store_lines += sent.lines;
    f->here.store_sectors += sent.sectors;
    f->here.parts_of_sectors += sent.parts;
    for (unsigned i = 0; i < stored.count; i++) {
        if (!request->is_moved)
            store_piece(f, stored.items[i].number, stored.items[i].bytes);
        for (unsigned half = 0; half < 2 && request->is_moved && !request->is_again; half++) {
            const uint32_t bytes = sector_of(stored.items[i].bytes, half);
            f->here.data_partly_bytes += bytes && bytes != UINT32_MAX ? SECTOR_BYTES : 0;
        }
    }
}

/* Blocks may come to different sectors of one piece. */
double ptx_footprint_stored_bytes(const Extent *array, double written_bytes)
{
    return fmin(written_bytes, SECTOR_BYTES * array->pieces[SIDE_STORED]);
}

/* The ends of rows aside. */
double ptx_footprint_partly_bytes(const Extent *array, double written_bytes)
{
    const double enough = 0.98, stored = ptx_footprint_stored_bytes(array, written_bytes);
    return SECTOR_BYTES * array->pieces[SIDE_FILLED] >= enough * stored
               ? 0
               : stored * (1 - array->pieces[SIDE_WHOLE] / array->pieces[SIDE_STORED]);
}
