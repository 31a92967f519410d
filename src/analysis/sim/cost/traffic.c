/* What one request of a warp costs, by the generation of the GPU. Figures of the GPU's file say
 * which rules hold:
 *
 *   global memory   coalesce_lanes 16: half-warps, in segments (CUDA C Programming Guide 4.0,
 *                   F.3.2); coalesce_in_order: only the k-th lane at the
 *                   k-th word (1.0, 1.1). Else pieces of load_bytes for a load (Fermi's lines of
 *                   128 bytes), of 32 for what goes past L1 and
 *                   for stores. From Maxwell on sectors of 32 bytes; measured on Hopper.
 *   shared memory   shared_request_lanes 16: half-warps over 16 banks, parts of one word one after
 *                   the other (G.3.3 there). Fermi: 32
 *                   banks, wide accesses in half and quarter warps.
 *                   Kepler: shared_bank_bytes_wide 8, in its mode of 4 bytes (the default) or of 8
 *                   (Request.bank_bytes). Later ones as measured on Hopper: wide loads whose
 *                   lanes share addresses in pairs take fewer.
 *
 * Costs are given in sectors of 32 bytes, so that a line of 128 is four. */
#include "analysis/sim/cost/traffic.h"
#include "support/minmax.h"

#include "support/assert.h"
#include "analysis/sim/request.h"
#include "analysis/sim/value.h"
#include "gpu/gpu.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { SECTOR = 32, SEGMENT_SHIFT = 5, LINE_SHIFT = 7, MAX_BANKS = 32, HALF_WARP = 16 };

static unsigned figure(const Gpu *gpu, FigureId id, unsigned otherwise)
{
    return gpu ? (unsigned)ptx_gpu_count_of(gpu, id, otherwise) : otherwise;
}

/* All figures that are asked for here. */
bool ptx_traffic_is_alike(const Gpu *a, const Gpu *b)
{
    static const FigureId asked[] = {
        FIGURE_COALESCE_LANES, FIGURE_COALESCE_IN_ORDER, FIGURE_LOAD_BYTES,
        FIGURE_LOAD_UNCACHED_BYTES, FIGURE_STORE_BYTES, FIGURE_SHARED_BANKS,
        FIGURE_SHARED_BANK_BYTES, FIGURE_SHARED_BANK_BYTES_WIDE, FIGURE_SHARED_REQUEST_LANES,
    };
    return a->target.sm == b->target.sm
           && ptx_gpu_agrees_on(a, b, asked, sizeof asked / sizeof *asked);
}

static uint32_t group_mask(unsigned first, unsigned lanes)
{
    return lanes >= WARP_LANES ? UINT32_MAX : ((UINT32_C(1) << lanes) - 1) << first;
}

/* ---- global memory --------------------------------------------------------------------------- */

/* The same of lanes whose addresses do not fall: each has the pieces behind those of the lane
 * before. UINT_MAX: they do. */
static unsigned rising_pieces(const Request *r, uint32_t lanes, unsigned shift)
{
    uint64_t behind = 0;        /* the last piece so far + 1 */
    unsigned count = 0;
    for (uint32_t left = r->lanes & lanes; left; left &= left - 1) {
        const uint64_t address = r->addresses[__builtin_ctz(left)];
        uint64_t first = address >> shift, last = (address + r->bytes - 1) >> shift;
        if (first + 1 < behind)
            return UINT_MAX;
        first = first < behind ? behind : first;
        count += (unsigned)(last + 1 - first);
        behind = last + 1;
    }
    return count;
}

/* Distinct pieces of 2^shift bytes that these lanes touch. An access has 32 bytes at the most, so a
 * lane touches two at the most. */
static unsigned distinct_pieces(const Request *r, uint32_t lanes, unsigned shift)
{
    uint64_t seen[WARP_LANES * 2], highest = 0, step;
    if ((r->lanes & lanes) == UINT32_MAX && ptx_places_are_even(r->addresses, &step)
        && step <= UINT64_C(1) << shift)        /* no piece is left out */
        return (unsigned)(((r->addresses[WARP_LANES - 1] + r->bytes - 1) >> shift)
                          - (r->addresses[0] >> shift) + 1);
    unsigned count = rising_pieces(r, lanes, shift);
    if (count != UINT_MAX)
        return count;
    count = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(r->lanes & lanes & UINT32_C(1) << i))
            continue;
        uint64_t first = r->addresses[i] >> shift, last = (r->addresses[i] + r->bytes - 1) >> shift;
        for (uint64_t piece = first; piece <= last && count < 2 * WARP_LANES; piece++) {
            unsigned k = piece > highest ? 0 : count;
            while (k && seen[k - 1] != piece)
                k--;
            if (!k)
                seen[count++] = piece;
            highest = piece > highest ? piece : highest;
        }
    }
    return count;
}

/* 1.0 and 1.1: the k-th lane of a half-warp at the k-th word of a segment, or each lane for
 * itself. */
static unsigned in_order_sectors(const Request *r, unsigned first)
{
    uint32_t lanes = r->lanes & group_mask(first, HALF_WARP);
    uint64_t segment = (uint64_t)r->bytes * HALF_WARP, start = UINT64_MAX;
    bool is_in_order = r->bytes >= 4;
    for (unsigned i = first; i < first + HALF_WARP && is_in_order; i++) {
        if (!(lanes >> i & 1))
            continue;
        uint64_t own = r->addresses[i] - (uint64_t)(i - first) * r->bytes;
        start = start == UINT64_MAX ? own : start;
        is_in_order = own == start && own % segment == 0;
    }
    if (!lanes)
        return 0;
    return is_in_order ? (unsigned)(segment / SECTOR) : ptx_lanes_count(lanes);
}

static unsigned segment_bytes(unsigned word)
{
    if (word == 1)
        return 32;
    return word == 2 ? 64 : 128;
}

/* 1.2 and 1.3: segments by the size of a word, and the half of one where only that is used. */
static unsigned segment_sectors(const Request *r, unsigned first)
{
    uint32_t left = r->lanes & group_mask(first, HALF_WARP);
    unsigned size = segment_bytes(r->bytes), sectors = 0;
    while (left) {
        uint64_t segment = r->addresses[__builtin_ctz(left)] / size, low = UINT64_MAX, high = 0;
        for (unsigned i = first; i < first + HALF_WARP; i++) {
            if (!(left >> i & 1) || r->addresses[i] / size != segment)
                continue;
            left &= ~(UINT32_C(1) << i);
            uint64_t begin = r->addresses[i] % size, end = begin + r->bytes;
            low = begin < low ? begin : low;
            high = end > high ? end : high;
        }
        unsigned used = size;
        while (used > SECTOR && (high <= used / 2 || low >= used / 2)) {
            used /= 2;
            if (low >= used) {
                low -= used;
                high -= used;
            }
        }
        sectors += used / SECTOR;
    }
    return sectors;
}

/* Bytes that are fetched together where all lanes are served at once. */
static unsigned piece_of(const Gpu *gpu, const Request *r)
{
    bool is_load = r->kind == REQUEST_LOAD || r->kind == REQUEST_COPY;
    FigureId which = r->is_uncached ? FIGURE_LOAD_UNCACHED_BYTES : FIGURE_LOAD_BYTES;
    if (!is_load)
        which = FIGURE_STORE_BYTES;
    unsigned piece = figure(gpu, which, SECTOR);
    return piece < SECTOR || piece > 4096 || piece & (piece - 1) ? SECTOR : piece;
}

double ptx_traffic_sectors(const Gpu *gpu, const Request *r)
{
    if (figure(gpu, FIGURE_COALESCE_LANES, WARP_LANES) == HALF_WARP) {
        bool in_order = figure(gpu, FIGURE_COALESCE_IN_ORDER, 0);
        return in_order ? in_order_sectors(r, 0) + in_order_sectors(r, HALF_WARP)
                        : segment_sectors(r, 0) + segment_sectors(r, HALF_WARP);
    }
    unsigned piece = piece_of(gpu, r);
    ASSERT(piece && !(piece & (piece - 1)));
    return (double)distinct_pieces(r, UINT32_MAX, (unsigned)__builtin_ctz(piece)) * piece / SECTOR;
}

double ptx_traffic_lines(const Request *r)
{
    return distinct_pieces(r, UINT32_MAX, LINE_SHIFT);
}

double ptx_traffic_segments(const Gpu *gpu, const Request *r, double real)
{
    bool are_halves = figure(gpu, FIGURE_COALESCE_LANES, WARP_LANES) == HALF_WARP;
    bool is_same = !are_halves && piece_of(gpu, r) == SECTOR;
    return is_same ? real : distinct_pieces(r, UINT32_MAX, SEGMENT_SHIFT);
}

unsigned ptx_traffic_sector_period(const Gpu *gpu, const Request *r)
{
    bool are_halves = figure(gpu, FIGURE_COALESCE_LANES, WARP_LANES) == HALF_WARP;
    unsigned piece = piece_of(gpu, r);
    return are_halves || piece > PERIOD ? PERIOD : piece;
}

double ptx_traffic_ideal_sectors(const Gpu *gpu, const Request *r, double real)
{
    double bytes = (double)ptx_lanes_count(r->lanes) * r->bytes;
    (void)gpu;
    double least = (double)(int64_t)((bytes + SECTOR - 1) / SECTOR);
    return least < real ? least : real;
}

unsigned ptx_places_sort(const uint64_t *places, uint32_t lanes, uint64_t out[WARP_LANES])
{
    unsigned count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t here = places[__builtin_ctz(left)];
        unsigned k = count++;
        for (; k && out[k - 1] > here; k--)
            out[k] = out[k - 1];
        out[k] = here;
    }
    return count;
}

/* The same, each once: of a tile many lanes read the same few. */
static unsigned sort_distinct(const uint64_t *places, uint32_t lanes, uint64_t out[WARP_LANES])
{
    unsigned count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t here = places[__builtin_ctz(left)];
        unsigned k = count;
        while (k && out[k - 1] > here)
            k--;
        if (k && out[k - 1] == here)
            continue;
        for (unsigned i = count++; i > k; i--)
            out[i] = out[i - 1];
        out[k] = here;
    }
    return count;
}

double ptx_traffic_used_bytes(const Request *r)
{
    uint64_t sorted[WARP_LANES], used = 0, behind = 0, step;
    if (r->lanes == UINT32_MAX && ptx_places_are_even(r->addresses, &step))
        return (double)((WARP_LANES - 1) * (step < r->bytes ? step : r->bytes) + r->bytes);
    const unsigned count = sort_distinct(r->addresses, r->lanes, sorted);
    for (unsigned k = 0; k < count; k++) {
        uint64_t first = k && behind > sorted[k] ? behind : sorted[k];
        behind = sorted[k] + r->bytes;
        used += behind - first;
    }
    return (double)used;
}

/* ---- shared memory --------------------------------------------------------------------------- */

typedef struct Banks {
    unsigned count, bytes;
    /* words of one bank in one piece of so many bytes do not conflict; 0: only the same word does
     * not */
    unsigned row_bytes;
    bool are_binary;            /* count and bytes are powers of two; bytes is 2^shift */
    uint8_t shift;
} Banks;

static uint64_t bank_word_at(const Banks *banks, uint64_t address)
{
    return banks->are_binary ? address >> banks->shift : address / banks->bytes;
}

static unsigned bank_at(const Banks *banks, uint64_t word)
{
    return (unsigned)(banks->are_binary ? word & (banks->count - 1) : word % banks->count);
}

static Banks banks_of(const Gpu *gpu, const Request *r)
{
    Banks banks = { figure(gpu, FIGURE_SHARED_BANKS, MAX_BANKS),
                    figure(gpu, FIGURE_SHARED_BANK_BYTES, 4), 0, false, 0 };
    if (!banks.count || banks.count > MAX_BANKS)
        banks.count = MAX_BANKS;
    if (!banks.bytes)
        banks.bytes = 4;
    unsigned wide = figure(gpu, FIGURE_SHARED_BANK_BYTES_WIDE, 0);
    if (wide > banks.bytes && r->bank_bytes == wide)
        banks.bytes = wide;                         /* the bank is (address / 8) mod 32 */
    else if (wide > banks.bytes)
        /* a bank is 8 bytes wide: both words of a row at once */
        banks.row_bytes = banks.count * wide;
    banks.are_binary = !(banks.count & (banks.count - 1)) && !(banks.bytes & (banks.bytes - 1));
    banks.shift = (uint8_t)__builtin_ctz(banks.bytes);
    return banks;
}

/* All words lie in one row of the banks, so that none conflicts with another. */
static bool is_one_row(const Banks *banks, const Request *r, uint32_t lanes)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t at = r->addresses[__builtin_ctz(left)];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    const uint64_t first = bank_word_at(banks, low),
                   last = bank_word_at(banks, high + r->bytes - 1);
    return high >= low && last - first < banks->count;
}

/* D of lanes side by side at one stride, each with whole words that no other shares in part: of
 * every so many as come round to the first bank again, one each; 0: they are not such lanes. */
static unsigned strided_words(const Banks *banks, const Request *r, uint32_t lanes)
{
    const unsigned unit = r->bytes < banks->bytes ? banks->bytes : r->bytes,
                   first = (unsigned)__builtin_ctz(lanes), count = ptx_lanes_count(lanes);
    const uint64_t *at = r->addresses + first, step = count > 1 ? at[1] - at[0] : 0;
    uint64_t other = 0;
    if (lanes != group_mask(first, count) || banks->row_bytes || unit & (unit - 1)
        || banks->count & (banks->count - 1) || unit > banks->count * banks->bytes)
        return 0;
    if (step % unit || at[0] % unit + r->bytes > unit)
        return 0;
    for (unsigned i = 1; i < count; i++)
        other |= (at[i] - at[i - 1]) ^ step;
    if (other)
        return 0;
    unsigned places = banks->count * banks->bytes / unit,
             round = places / (unsigned)ptx_u64_divisor(step / unit % places, places);
    return step ? (count + round - 1) / round : 1;
}

/* D of these lanes: over the banks, the most distinct words that they touch in one. */
static unsigned most_words(const Banks *banks, const Request *r, uint32_t lanes)
{
    uint64_t seen[MAX_BANKS][WARP_LANES];
    uint8_t count[MAX_BANKS] = { 0 };
    unsigned most = 0;
    if (is_one_row(banks, r, lanes & r->lanes))
        return 1;
    unsigned strided = lanes & r->lanes ? strided_words(banks, r, lanes & r->lanes) : 0;
    if (strided)
        return strided;
    for (uint32_t left = lanes & r->lanes; left; left &= left - 1) {
        const uint64_t at = r->addresses[__builtin_ctz(left)],
                       last = bank_word_at(banks, at + r->bytes - 1);
        for (uint64_t word = bank_word_at(banks, at); word <= last; word++) {
            unsigned bank = bank_at(banks, word), k = count[bank];
            uint64_t place = banks->row_bytes ? word * banks->bytes / banks->row_bytes : word;
            while (k && seen[bank][k - 1] != place)
                k--;
            if (!k && count[bank] < WARP_LANES)
                seen[bank][count[bank]++] = place;
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

static unsigned sum_of_groups(const Banks *banks, const Request *r, unsigned lanes_each)
{
    unsigned sum = 0;
    for (unsigned first = 0; first < WARP_LANES; first += lanes_each)
        sum += most_words(banks, r, group_mask(first, lanes_each));
    return sum;
}

/* Of parts of words: over the banks, the most addresses that these lanes touch in one. */
static unsigned most_places(const Banks *banks, const Request *r, uint32_t lanes)
{
    uint64_t seen[MAX_BANKS][WARP_LANES];
    uint8_t count[MAX_BANKS] = { 0 };
    unsigned most = 0;
    for (uint32_t left = lanes & r->lanes; left; left &= left - 1) {
        const uint64_t at = r->addresses[__builtin_ctz(left)];
        unsigned bank = bank_at(banks, bank_word_at(banks, at)), k = count[bank];
        while (k && seen[bank][k - 1] != at)
            k--;
        if (!k)
            seen[bank][count[bank]++] = at;
        most = count[bank] > most ? count[bank] : most;
    }
    return most;
}

/* 1.x: half a warp at a time, and a word is for several lanes where they ask for all of it. */
static double half_warp_wavefronts(const Banks *banks, const Request *r)
{
    if (r->bytes >= banks->bytes)
        return sum_of_groups(banks, r, HALF_WARP);
    return most_places(banks, r, group_mask(0, HALF_WARP))
           + most_places(banks, r, group_mask(HALF_WARP, HALF_WARP));
}

/* Lanes i and i xor distance name the same address, or one of them is off. */
static bool is_shared_with(const Request *r, uint32_t lanes, unsigned distance)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint32_t both = UINT32_C(1) << i | UINT32_C(1) << (i ^ distance);
        if ((lanes & r->lanes & both) == both && r->addresses[i] != r->addresses[i ^ distance])
            return false;
    }
    return true;
}

static bool shares(const Request *r, uint32_t lanes)
{
    return is_shared_with(r, lanes, 1) || is_shared_with(r, lanes, 2);
}

static bool has_pairing(const Gpu *gpu)
{
    return !gpu || gpu->target.sm >= 50;
}

/* Lanes whose bytes the banks give at once: Kepler's are 8 bytes wide. */
static unsigned lanes_at_once(const Banks *banks, unsigned bytes)
{
    unsigned row = banks->row_bytes ? banks->row_bytes : banks->count * banks->bytes;
    unsigned lanes = bytes ? row / bytes : WARP_LANES;
    if (lanes >= WARP_LANES)
        return WARP_LANES;
    return lanes >= 16 ? 16 : 8;
}

static unsigned load_wavefronts(const Gpu *gpu, const Banks *banks, const Request *r)
{
    if (r->bytes <= 4)
        return most_words(banks, r, UINT32_MAX);
    if (!has_pairing(gpu))
        return sum_of_groups(banks, r, lanes_at_once(banks, r->bytes));
    if (r->bytes == 8)
        return shares(r, UINT32_MAX) && most_words(banks, r, UINT32_MAX) <= 1
                   ? 1
                   : sum_of_groups(banks, r, 16);
    unsigned sum = 0;
    for (unsigned half = 0; half < 2; half++) {
        uint32_t lanes = group_mask(HALF_WARP * half, HALF_WARP);
        bool is_one = shares(r, lanes) && most_words(banks, r, lanes) == 1;
        sum += is_one ? 1
                      : most_words(banks, r, lanes & 0x00ff00ff)
                            + most_words(banks, r, lanes & 0xff00ff00);
    }
    return sum;
}

/* The same word does not share: over banks, the most lanes. */
static unsigned most_lanes(const Banks *banks, const uint64_t *addresses, uint32_t lanes)
{
    unsigned count[MAX_BANKS] = { 0 }, most = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        unsigned here = ++count[bank_at(banks, bank_word_at(banks, addresses[i]))];
        most = here > most ? here : most;
    }
    return most;
}

/* The lanes that are served together: all for 4 bytes or less, half a warp for 8, a quarter for
 * 16. */
static unsigned group_size(unsigned bytes)
{
    if (bytes <= 4)
        return 32;
    return bytes == 8 ? 16 : 8;
}

/* Where lanes side by side, or every other two, share addresses all over the warp, twice as many
 * are served together. Measured on an H200, 512 patterns (testdata/measured/wide-loads.json), which
 * it says all of; profilers count these by another rule, load_wavefronts. */
double ptx_traffic_taken(const Gpu *gpu, const Request *r, double counted)
{
    const Banks banks = banks_of(gpu, r);
    if (r->kind != REQUEST_LOAD || r->bytes <= 4 || !has_pairing(gpu))
        return counted;
    return sum_of_groups(&banks, r, group_size(r->bytes) << shares(r, UINT32_MAX));
}

static unsigned atomic_wavefronts(const Banks *banks, const Request *r)
{
    unsigned sum = 0, size = group_size(r->bytes);
    for (unsigned first = 0; first < WARP_LANES; first += size)
        sum += most_lanes(banks, r->addresses, r->lanes & group_mask(first, size));
    return sum;
}

/* ---- asynchronous copies --------------------------------------------------------------------- */

/* Wavefronts of lanes that wait on both sides. In each, of every bank that is read the first lane
 * left asks; of these the first of every bank that is written goes. */
static unsigned arbitrated_wavefronts(const Banks *banks, const Request *r, uint32_t lanes)
{
    unsigned count = 0;
    while (lanes) {
        uint32_t read = 0, written = 0;         /* banks of this wavefront */
        for (uint32_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            const unsigned from = bank_at(banks, bank_word_at(banks, r->from[lane])),
                           to = bank_at(banks, bank_word_at(banks, r->addresses[lane]));
            if (read >> from & 1)
                continue;
            read |= UINT32_C(1) << from;
            if (written >> to & 1)
                continue;
            written |= UINT32_C(1) << to;
            lanes &= ~(UINT32_C(1) << lane);
        }
        count++;
    }
    return count;
}

/* A copy through L1 (.ca) reads and writes the same banks. Where either side is free of conflicts
 * the other's most lanes in a bank is the count (435 patterns of 435 on sm_90, 4, 8 and 16 bytes).
 * Where both conflict, lanes are arbitrated: tools/measure-times/copies4.cu has the clocks of 216
 * patterns on an H200. The same word does not share on either side. */
static unsigned through_wavefronts(const Banks *banks, const Request *r, bool *is_certain)
{
    unsigned sum = 0, size = group_size(r->bytes);
    for (unsigned first = 0; first < WARP_LANES; first += size) {
        uint32_t lanes = r->lanes & group_mask(first, size), reading = lanes & r->reading;
        unsigned there = most_lanes(banks, r->addresses, lanes),
                 here = r->from ? most_lanes(banks, r->from, reading) : 0;
        bool is_one_sided = there <= 1 || here <= 1;
        *is_certain = *is_certain && is_one_sided;
        if (!is_one_sided)
            here = arbitrated_wavefronts(banks, r, reading);
        sum += there > here ? there : here;
    }
    return sum;
}

enum { PIECE = 16, LINE_PIECES = 8 };

/* Lanes by where they write, so that those of one place are found at once. */
enum { LANE_TABLE = 64 };

typedef struct LaneTable {
    const uint64_t *keys;       /* per lane */
    uint8_t slots[LANE_TABLE];  /* lane + 1; 0: empty */
} LaneTable;

/* The slot of the lane that has the key, or where it would be. */
static uint8_t *lane_slot(LaneTable *t, uint64_t key)
{
    unsigned at = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    while (t->slots[at] && t->keys[t->slots[at] - 1] != key)
        at = (at + 1) % LANE_TABLE;
    return &t->slots[at];
}

/* Of these lanes those that are the first at their key, and in the table. */
static uint32_t add_lanes(LaneTable *t, uint32_t lanes)
{
    uint32_t added = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        uint8_t *slot = lane_slot(t, t->keys[lane]);
        if (*slot)
            continue;
        *slot = (uint8_t)(lane + 1);
        added |= UINT32_C(1) << lane;
    }
    return added;
}

/* Whether the other half of the lane's sector comes too, and goes to the other half of where this
 * one goes. */
static bool has_partner(const Request *r, LaneTable *writers, unsigned lane)
{
    const uint8_t other = *lane_slot(writers, r->addresses[lane] ^ PIECE);
    return other && r->from[other - 1] == (r->from[lane] ^ PIECE);
}

/* A copy past L1 (.cg, 16 bytes) arrives in packets, a wavefront each: pieces of 16 bytes of one
 * line that go to one line of shared memory, by one xor of their places in it, and are all whole
 * sectors, all first halves or all second halves. Of lanes that write one place the first counts
 * (299 patterns of 312 on sm_90, the others off by 1 to 4, most of them with lanes that write one
 * place). */
static unsigned packet_wavefronts(const Request *r, bool *is_certain)
{
    uint64_t packets[WARP_LANES][3];
    unsigned count = 0;
    LaneTable writers = { .keys = r->addresses };
    const uint32_t lanes = add_lanes(&writers, r->lanes);
    *is_certain = *is_certain && lanes == r->lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t to = r->addresses[i] / PIECE, from = r->from[i] / PIECE,
                 kind = has_partner(r, &writers, i) ? 2 : from & 1;
        uint64_t turn = ((to ^ from) & (LINE_PIECES - 1)) << 2 | kind;
        unsigned k = count;
        while (k
               && (packets[k - 1][0] != to / LINE_PIECES || packets[k - 1][1] != from / LINE_PIECES
                   || packets[k - 1][2] != turn))
            k--;
        if (!k) {
            packets[count][0] = to / LINE_PIECES;
            packets[count][1] = from / LINE_PIECES;
            packets[count++][2] = turn;
        }
    }
    return count;
}

/* Past L1: packets, but what arrives at once is written at once, by lanes in shared memory alone;
 * so only where both come to the same is the count certain. A copy of nothing has no packets. Zeros
 * of one that is not whole are written on their own: about as many wavefronts again. */
static unsigned copy_wavefronts(const Banks *banks, const Request *r, bool *is_certain)
{
    if (!r->is_uncached || !r->from || r->is_empty || !r->reading)
        return through_wavefronts(banks, r, is_certain);
    Request read = *r;
    if (r->is_part)
        read.lanes = r->reading;
    unsigned packets = packet_wavefronts(&read, is_certain);
    *is_certain = *is_certain && packets == atomic_wavefronts(banks, r) && !r->is_part;
    return r->is_part ? packets + through_wavefronts(banks, r, is_certain) : packets;
}

/* A 16-byte load by part of a warp was seen to take fewer than load_wavefronts says (4 patterns of
 * 52): 16 lanes at one address, spread over both halves, take 1 and not 2. */
static bool is_load_certain(const Gpu *gpu, const Banks *banks, const Request *r)
{
    return r->bytes < 16 || r->lanes == UINT32_MAX
           || load_wavefronts(gpu, banks, r) <= most_words(banks, r, UINT32_MAX);
}

/* Some lanes share an address in a way that load_wavefronts asks for. */
static bool may_pair_lanes(const Request *r)
{
    const uint32_t low = group_mask(0, HALF_WARP);
    return r->bytes == 8 ? shares(r, UINT32_MAX) : shares(r, low) || shares(r, ~low);
}

/* Of other GPUs than the one that was measured no more is certain than what their guides say: plain
 * loads and stores, wide ones where lanes that share an address make no difference. */
static bool is_documented(const Gpu *gpu, const Banks *banks, const Request *r)
{
    if (r->kind != REQUEST_LOAD && r->kind != REQUEST_STORE)
        return false;
    if (r->bytes <= 4 || r->kind == REQUEST_STORE || !has_pairing(gpu))
        return true;
    if (!may_pair_lanes(r) && lanes_at_once(banks, r->bytes) == group_size(r->bytes))
        return true;                                /* load_wavefronts counts the same groups */
    return load_wavefronts(gpu, banks, r)
           == sum_of_groups(banks, r, lanes_at_once(banks, r->bytes));
}

enum { MEASURED_SM = 90 };

bool ptx_traffic_is_certain(const Gpu *gpu, const Request *r)
{
    const Banks banks = banks_of(gpu, r);
    if (gpu && gpu->target.sm != MEASURED_SM)
        return is_documented(gpu, &banks, r);
    bool is_certain = r->kind != REQUEST_SPIN
                      && (r->kind != REQUEST_LOAD || is_load_certain(gpu, &banks, r));
    if (r->kind == REQUEST_COPY)
        copy_wavefronts(&banks, r, &is_certain);
    return is_certain;
}

double ptx_traffic_wavefronts(const Gpu *gpu, const Request *r)
{
    ASSERT(r->lanes && r->kind <= REQUEST_MATRIX);
    const Banks banks = banks_of(gpu, r);
    if (figure(gpu, FIGURE_SHARED_REQUEST_LANES, WARP_LANES) == HALF_WARP)
        return half_warp_wavefronts(&banks, r);
    switch ((RequestKind)r->kind) {
    case REQUEST_LOAD:
        return load_wavefronts(gpu, &banks, r);
    case REQUEST_ATOMIC:
        return atomic_wavefronts(&banks, r);
    case REQUEST_CAS:
        return 2 * atomic_wavefronts(&banks, r);
    case REQUEST_SPIN:          /* a load, and a cas for each lane of the most crowded place */
        return most_words(&banks, r, UINT32_MAX) + 2 * atomic_wavefronts(&banks, r);
    case REQUEST_COPY: {
        bool is_certain = true;
        return copy_wavefronts(&banks, r, &is_certain);
    }
    case REQUEST_INCREMENT:
        return most_words(&banks, r, UINT32_MAX);
    case REQUEST_MATRIX: {
        unsigned sum = 0;
        for (unsigned m = 0; m < r->matrices; m++)
            sum += most_words(&banks, r, group_mask(8 * m, 8));
        return sum;
    }
    default:
        return r->bytes <= 4 ? most_words(&banks, r, UINT32_MAX)
                             : sum_of_groups(&banks, r, lanes_at_once(&banks, r->bytes));
    }
}

double ptx_traffic_copied(const Gpu *gpu, const Request *r, bool *is_certain)
{
    const Banks banks = banks_of(gpu, r);
    *is_certain = !gpu || gpu->target.sm == MEASURED_SM;
    if (figure(gpu, FIGURE_SHARED_REQUEST_LANES, WARP_LANES) == HALF_WARP)
        return half_warp_wavefronts(&banks, r);
    return copy_wavefronts(&banks, r, is_certain);
}

/* Which words conflict stays the same where all move by as many banks; where rows of banks count,
 * by rows. */
unsigned ptx_traffic_bank_period(const Gpu *gpu, const Request *r)
{
    const Banks banks = banks_of(gpu, r);
    bool are_rows = banks.row_bytes || r->kind == REQUEST_COPY || banks.bytes & (banks.bytes - 1)
                    || banks.bytes > PERIOD;
    return are_rows ? PERIOD : banks.bytes;
}

/* Lanes that no layout serves together with others. */
static unsigned lanes_apart(const Gpu *gpu, const Banks *banks, const Request *r)
{
    if (figure(gpu, FIGURE_SHARED_REQUEST_LANES, WARP_LANES) == HALF_WARP)
        return HALF_WARP;
    return r->kind == REQUEST_LOAD || r->kind == REQUEST_STORE ? lanes_at_once(banks, r->bytes)
                                                               : WARP_LANES;
}

double ptx_traffic_ideal_wavefronts(const Gpu *gpu, const Request *r, double real)
{
    const Banks banks = banks_of(gpu, r);
    const unsigned group = lanes_apart(gpu, &banks, r);
    const uint32_t at_once = banks.row_bytes ? banks.row_bytes : banks.count * banks.bytes;
    double least = 0;
    ASSERT(at_once > 0 && real >= 0);
    for (unsigned first = 0; first < WARP_LANES; first += group) {
        const uint32_t bytes = ptx_lanes_count(r->lanes & group_mask(first, group)) * r->bytes;
        least += (bytes + at_once - 1) / at_once;
    }
    return least < real ? least : real;
}
