#include "estimate/cache.h"

#include <math.h>
#include <stdlib.h>

enum { RESIDENT_MOST = 32, WAVE_MOST = 4096, SECTOR_BYTES = 32, PIECE_BYTES = 64, RESERVED_BYTES = 1024 };

#define TOGETHER 0.88           /* of what blocks on one SM share, fetched once: they do not keep step for ever. Fitted to a product over 32 block shapes */
#define L2_SHARE 0.5            /* of L2: what the other half of the GPU asks for lies in both halves */
#define FULL 0.5                /* of a cache: from so much on it begins to lose, ... */
#define LOST 1.0                /* ... and from so much on it keeps nothing of what comes around */

/* ---- blocks side by side ----------------------------------------------------------------------------------------- */

static int64_t shift_of(const ArrayTraffic *array, const uint32_t grid[3], uint64_t block)
{
    uint64_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
    return (int64_t)(x * (uint64_t)array->shift[0] + y * (uint64_t)array->shift[1] + z * (uint64_t)array->shift[2]);
}

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool is_shift_known(const ArrayTraffic *array, const uint32_t grid[3])
{
    for (unsigned d = 0; d < 3; d++)
        if (grid[d] > 1 && !array->is_shifted[d])
            return false;
    return true;
}

/* Of `count` blocks, `apart` from each other, those whose part of the array no other has. */
static unsigned distinct_parts(const ArrayTraffic *array, const uint32_t grid[3], uint64_t apart, unsigned count)
{
    int64_t shifts[WAVE_MOST];
    unsigned distinct = 1;
    if (!is_shift_known(array, grid))
        return count;
    bool is_sorted = true;
    for (unsigned i = 0; i < count; i++) {
        shifts[i] = shift_of(array, grid, i * apart);
        is_sorted &= !i || shifts[i] >= shifts[i - 1];
    }
    if (!is_sorted)
        qsort(shifts, count, sizeof *shifts, by_number);
    for (unsigned i = 1; i < count; i++)
        distinct += shifts[i] != shifts[i - 1];
    return distinct;
}

typedef struct Machinery {
    const Evaluation *evaluation;
    double sms, resident, l1_bytes, l2_bytes;
} Machinery;

/* What the blocks on an SM fetch of an array, per sector that each of them would by itself. */
static double fetched_share(const Machinery *m, const ArrayTraffic *array)
{
    unsigned count = (unsigned)fmin(m->resident, RESIDENT_MOST);
    if (count < 2)
        return 1;
    double share = (double)distinct_parts(array, m->evaluation->grid, (uint64_t)m->sms, count) / count;
    return 1 - TOGETHER * (1 - share);
}

/* What all blocks read stays in the L1 of each SM, where it fills half of it at most. */
static double sectors_of(const Machinery *m, const ArrayTraffic *array)
{
    double once = m->sms * array->read_bytes / SECTOR_BYTES, missed = array->missed * fetched_share(m, array);
    return array->read_bytes <= m->l1_bytes / 2 ? fmin(once, missed) : missed;
}

/* ---- what comes around again ------------------------------------------------------------------------------------- */

static double lost_share(double bytes, double capacity)
{
    return fmax(0, fmin(1, (bytes / capacity - FULL) / (LOST - FULL)));
}

/* Blocks that begin within one piece of memory share it: what each of them adds. */
static double own_share(const Machinery *m, const ArrayTraffic *array)
{
    double share = 1;
    for (unsigned d = 0; d < 3; d++)
        if (m->evaluation->grid[d] > 1 && array->shift[d])
            share *= fmin(1, fabs((double)array->shift[d]) / PIECE_BYTES);
    return share;
}

/* Arrays that together do not fit L2 are fetched again by each wave of blocks, as far as its blocks read the same. */
static double bytes_of_waves(const Machinery *m, const ArrayTraffic *array, double sectors)
{
    double blocks = m->evaluation->blocks, wave = fmin(fmin(m->sms * m->resident, blocks), WAVE_MOST);
    double parts = distinct_parts(array, m->evaluation->grid, 1, (unsigned)wave);
    double each = array->missed * SECTOR_BYTES / blocks, waves = blocks / wave;
    return fmax(array->read_bytes, fmin(waves * fmin(parts * each * own_share(m, array), array->read_bytes), sectors * SECTOR_BYTES));
}

static void find_reuse(const Machinery *m, double warps_per_block, Cached *out)
{
    const Traffics *t = &m->evaluation->traffics;
    double reused = 0, lost = 0;
    for (unsigned b = 0; b < REUSE_BUCKETS; b++) {
        double bytes = 0.5 * (double)(1u << b) * SECTOR_BYTES * warps_per_block * m->resident;
        double gone = t->reused[b] * lost_share(bytes, m->l1_bytes);
        reused += t->reused[b];
        lost += gone;
        out->read_bytes += SECTOR_BYTES * gone * lost_share(bytes * m->sms, m->l2_bytes);
    }
    out->load_sectors += lost;
    out->lost = reused > 0 ? lost / reused : 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static double cache_bytes(const Gpu *gpu, FigureId figure)
{
    return ptx_gpu_has(gpu, figure) ? gpu->figures[figure] : (double)INFINITY;
}

Cached ptx_cached_compute(const Evaluation *evaluation, const Gpu *gpu, double blocks_per_sm, double warps_per_block)
{
    const Traffics *t = &evaluation->traffics;
    Machinery m = { .evaluation = evaluation, .sms = gpu->figures[FIGURE_SMS] };
    m.resident = fmax(1, fmin(blocks_per_sm, floor(evaluation->blocks / m.sms)));
    m.l1_bytes = fmax(1 << 14, cache_bytes(gpu, FIGURE_L1_BYTES) - m.resident * (t->shared_bytes + RESERVED_BYTES));
    m.l2_bytes = L2_SHARE * cache_bytes(gpu, FIGURE_L2_BYTES);
    Cached out = { .load_sectors = t->load_sectors, .read_bytes = t->read_bytes };
    double all = 0;
    for (uint32_t a = 0; a < t->array_count; a++)
        all += t->arrays[a].read_bytes;
    for (uint32_t a = 0; a < t->array_count; a++) {
        const ArrayTraffic *array = &t->arrays[a];
        double sectors = sectors_of(&m, array);
        out.load_sectors += sectors - array->missed;
        out.read_bytes += all > m.l2_bytes ? bytes_of_waves(&m, array, sectors) - array->read_bytes : 0;
    }
    find_reuse(&m, warps_per_block, &out);
    out.load_requests = t->load_sectors > 0 ? t->load_requests * out.load_sectors / t->load_sectors : 0;
    return out;
}
