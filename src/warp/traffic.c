/* What one request of a warp costs, by the generation of the GPU. Figures of the GPU's file say which rules hold:
 *
 *   global memory   coalesce_lanes 16: half-warps, in segments (CUDA C Programming Guide 4.0, F.3.2); coalesce_in_order: only the k-th lane at the
 *                   k-th word (1.0, 1.1). Else pieces of load_bytes for a load (Fermi's lines of 128 bytes), of 32 for what goes past L1 and
 *                   for stores. From Maxwell on sectors of 32 bytes; measured on Hopper.
 *   shared memory   shared_request_lanes 16: half-warps over 16 banks (G.3.3 there). Fermi: 32 banks, wide accesses in half and quarter warps.
 *                   Kepler: shared_bank_bytes_wide 8, in its mode of 4 bytes (the default). Later ones as measured on Hopper: wide loads whose
 *                   lanes share addresses in pairs take fewer.
 *
 * Costs are given in sectors of 32 bytes, so that a line of 128 is four. */
#include "warp/machine.h"

enum { SECTOR = 32, MOST_BANKS = 32, HALF_WARP = 16 };

static unsigned figure(const Gpu *gpu, FigureId id, unsigned otherwise)
{
    return gpu ? (unsigned)ptx_gpu_count_of(gpu, id, otherwise) : otherwise;
}

static uint32_t group_mask(unsigned first, unsigned lanes)
{
    return lanes >= WARP_LANES ? UINT32_MAX : ((UINT32_C(1) << lanes) - 1) << first;
}

/* ---- global memory ----------------------------------------------------------------------------------------------- */

/* Distinct pieces of `size` bytes that these lanes touch. An access has 32 bytes at the most, so a lane touches two at the most. */
static unsigned distinct_pieces(const Request *r, uint32_t lanes, unsigned size)
{
    uint64_t seen[WARP_LANES * 2];
    unsigned count = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(r->lanes & lanes & UINT32_C(1) << i))
            continue;
        uint64_t first = r->addresses[i] / size, last = (r->addresses[i] + r->bytes - 1) / size;
        for (uint64_t piece = first; piece <= last && count < 2 * WARP_LANES; piece++) {
            unsigned k = count;
            while (k && seen[k - 1] != piece)
                k--;
            if (!k)
                seen[count++] = piece;
        }
    }
    return count;
}

/* 1.0 and 1.1: the k-th lane of a half-warp at the k-th word of a segment, or each lane for itself. */
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
    return is_in_order ? (unsigned)(segment / SECTOR) : (unsigned)__builtin_popcount(lanes);
}

/* 1.2 and 1.3: segments by the size of a word, and the half of one where only that is used. */
static unsigned segment_sectors(const Request *r, unsigned first)
{
    uint32_t left = r->lanes & group_mask(first, HALF_WARP);
    unsigned size = r->bytes == 1 ? 32 : r->bytes == 2 ? 64 : 128, sectors = 0;
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

double ptx_traffic_sectors(const Gpu *gpu, const Request *r)
{
    if (figure(gpu, FIGURE_COALESCE_LANES, WARP_LANES) == HALF_WARP) {
        bool in_order = figure(gpu, FIGURE_COALESCE_IN_ORDER, 0);
        return in_order ? in_order_sectors(r, 0) + in_order_sectors(r, HALF_WARP) : segment_sectors(r, 0) + segment_sectors(r, HALF_WARP);
    }
    bool is_load = r->kind == REQUEST_LOAD || r->kind == REQUEST_COPY;
    FigureId which = !is_load ? FIGURE_STORE_BYTES : r->is_uncached ? FIGURE_LOAD_UNCACHED_BYTES : FIGURE_LOAD_BYTES;
    unsigned piece = figure(gpu, which, SECTOR);
    if (piece < SECTOR || piece > 4096)
        piece = SECTOR;
    return (double)distinct_pieces(r, UINT32_MAX, piece) * piece / SECTOR;
}

double ptx_traffic_ideal_sectors(const Gpu *gpu, const Request *r)
{
    double bytes = (double)__builtin_popcount(r->lanes) * r->bytes, real = ptx_traffic_sectors(gpu, r);
    double least = (double)(int64_t)((bytes + SECTOR - 1) / SECTOR);
    return least < real ? least : real;
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

typedef struct Banks {
    unsigned count, bytes;
    unsigned row_bytes;         /* words of one bank in one piece of so many bytes do not conflict; 0: only the same word does not */
} Banks;

static Banks banks_of(const Gpu *gpu)
{
    Banks banks = { figure(gpu, FIGURE_SHARED_BANKS, MOST_BANKS), figure(gpu, FIGURE_SHARED_BANK_BYTES, 4), 0 };
    if (!banks.count || banks.count > MOST_BANKS)
        banks.count = MOST_BANKS;
    if (!banks.bytes)
        banks.bytes = 4;
    unsigned wide = figure(gpu, FIGURE_SHARED_BANK_BYTES_WIDE, 0);
    if (wide > banks.bytes)
        banks.row_bytes = banks.count * wide;       /* a bank is 8 bytes wide: both words of a row at once */
    return banks;
}

/* D of these lanes: over the banks, the most distinct words that they touch in one. */
static unsigned most_words(const Banks *banks, const Request *r, uint32_t lanes)
{
    uint64_t seen[MOST_BANKS][WARP_LANES];
    uint8_t count[MOST_BANKS] = { 0 };
    unsigned most = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes & r->lanes & UINT32_C(1) << i))
            continue;
        for (uint64_t word = r->addresses[i] / banks->bytes; word <= (r->addresses[i] + r->bytes - 1) / banks->bytes; word++) {
            unsigned bank = (unsigned)(word % banks->count), k = count[bank];
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

static unsigned load_wavefronts(const Gpu *gpu, const Banks *banks, const Request *r)
{
    if (r->bytes <= 4)
        return most_words(banks, r, UINT32_MAX);
    if (!has_pairing(gpu))
        return sum_of_groups(banks, r, r->bytes == 8 ? 16 : 8);
    if (r->bytes == 8)
        return shares(r, UINT32_MAX) && most_words(banks, r, UINT32_MAX) <= 1 ? 1 : sum_of_groups(banks, r, 16);
    unsigned sum = 0;
    for (unsigned half = 0; half < 2; half++) {
        uint32_t lanes = group_mask(HALF_WARP * half, HALF_WARP);
        bool is_one = shares(r, lanes) && most_words(banks, r, lanes) == 1;
        sum += is_one ? 1 : most_words(banks, r, lanes & 0x00ff00ff) + most_words(banks, r, lanes & 0xff00ff00);
    }
    return sum;
}

/* The same word does not share: over banks, the most lanes. */
static unsigned most_lanes(const Banks *banks, const Request *r)
{
    unsigned count[MOST_BANKS] = { 0 }, most = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(r->lanes >> i & 1))
            continue;
        unsigned here = ++count[r->addresses[i] / banks->bytes % banks->count];
        most = here > most ? here : most;
    }
    return most;
}

double ptx_traffic_wavefronts(const Gpu *gpu, const Request *r)
{
    const Banks banks = banks_of(gpu);
    if (figure(gpu, FIGURE_SHARED_REQUEST_LANES, WARP_LANES) == HALF_WARP)
        return sum_of_groups(&banks, r, HALF_WARP);
    switch ((RequestKind)r->kind) {
    case REQUEST_LOAD:
        return load_wavefronts(gpu, &banks, r);
    case REQUEST_ATOMIC:
        return r->bytes == 4 ? most_lanes(&banks, r) : sum_of_groups(&banks, r, 16);
    case REQUEST_CAS:
        return 2 * most_lanes(&banks, r);
    case REQUEST_INCREMENT:
        return most_words(&banks, r, UINT32_MAX);
    case REQUEST_MATRIX: {
        unsigned sum = 0;
        for (unsigned m = 0; m < r->matrices; m++)
            sum += most_words(&banks, r, group_mask(8 * m, 8));
        return sum;
    }
    default:
        return r->bytes <= 4 ? most_words(&banks, r, UINT32_MAX) : sum_of_groups(&banks, r, r->bytes == 8 ? 16 : 8);
    }
}

double ptx_traffic_ideal_wavefronts(const Gpu *gpu, const Request *r)
{
    const Banks banks = banks_of(gpu);
    double bytes = (double)__builtin_popcount(r->lanes) * r->bytes, at_once = (double)banks.count * banks.bytes;
    double least = (double)(int64_t)((bytes + at_once - 1) / at_once), real = ptx_traffic_wavefronts(gpu, r);
    return least < real ? least : real;
}
