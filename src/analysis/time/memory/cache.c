#include "analysis/time/memory/cache.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/types.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/count.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/time/memory/indexed.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/guess.h"
#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_RESIDENT = 32,
    MAX_WAVE = 4096,
    SECTOR_BYTES = 32,
    LINE_BYTES = 128,
    PIECE_BYTES = 64,
    RESERVED_BYTES = 1024,
    MAX_POOLS = 16,
    /* halvings of a range of 64 bits: what goes around more often goes down no tree */
    MAX_LEVELS = 64
};

/* ---- blocks side by side --------------------------------------------------------------------- */

typedef struct CachePlace {          /* of a block in the grid */
    uint64_t x, y, z;
} CachePlace;

static CachePlace place_of(const uint32_t grid[3], uint64_t block)
{
    return (CachePlace){ block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1] };
}

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Neighbours are further apart than any two blocks can be: where a block begins is no matter of its
 * place in the grid, but by chance, as a hash says. */
static bool is_by_chance(const ArrayTraffic *array, const uint32_t grid[3])
{
    double span = 0;
    for (unsigned d = 0; d < 3; d++)
        span += array->is_shifted[d] ? fabs((double)array->shift[d]) * (grid[d] - 1) : 0;
    return span > 2 * array->extent_bytes;
}

static bool is_shift_known(const ArrayTraffic *array, const uint32_t grid[3])
{
    for (unsigned d = 0; d < 3; d++)
        if (grid[d] > 1 && !array->is_shifted[d])
            return false;
    return !is_by_chance(array, grid);
}

/* Of `count` blocks, `apart` from each other, those whose part of the array no other has. */
static unsigned distinct_parts(const ArrayTraffic *array, const uint32_t grid[3], uint64_t apart,
                               unsigned count)
{
    int64_t shifts[MAX_WAVE];
    unsigned distinct = 1;
    if (!is_shift_known(array, grid))
        return count;
    const CachePlace step = place_of(grid, apart);
    const uint64_t x = (uint64_t)array->shift[0], y = (uint64_t)array->shift[1],
                   z = (uint64_t)array->shift[2];
    /* by: without what wraps around */
    const uint64_t by = step.x * x + step.y * y + step.z * z, row = y - grid[0] * x,
                   plane = z - grid[1] * y;
    CachePlace at = { 0, 0, 0 };
    bool is_sorted = true;
    shifts[0] = 0;
    for (unsigned i = 1; i < count; i++) {
        uint64_t shift = (uint64_t)shifts[i - 1] + by;
        at.x += step.x;
        at.y += step.y;
        if (at.x >= grid[0]) {
            at.x -= grid[0];
            at.y++;
            shift += row;
        }
        if (at.y >= grid[1]) {
            at.y -= grid[1];
            shift += plane;
        }
        shifts[i] = (int64_t)shift;
        is_sorted &= shifts[i] >= shifts[i - 1];
        distinct += shifts[i] != shifts[i - 1];
    }
    if (is_sorted)
        return distinct;
    qsort(shifts, count, sizeof *shifts, by_number);
    distinct = 1;
    for (unsigned i = 1; i < count; i++)
        distinct += shifts[i] != shifts[i - 1];
    return distinct;
}

typedef struct Machinery {
    const Evaluation *evaluation;
    double sms, resident, l1_bytes, l2_bytes;
    double together;            /* blocks on all SMs at once */
    double l1_together, l2_share, cache_keeps, cache_loses;     /* shares: src/gpu/figures.def */
    double l2_keeps, l2_loses;
    double lines_by_chance;     /* passes through L1 of a lane that goes its own way */
} Machinery;

/* Blocks that are at work at once. */
static double wave_of(const Machinery *m)
{
    return fmin(m->sms * m->resident, m->evaluation->blocks);
}

/* What the blocks on an SM fetch of an array, per sector that each of them would by itself. */
static double fetched_share(const Machinery *m, const ArrayTraffic *array)
{
    unsigned count = (unsigned)fmin(m->resident, MAX_RESIDENT);
    if (count < 2)
        return 1;
    double share = (double)distinct_parts(array, m->evaluation->grid, (uint64_t)m->sms, count)
                   / count;
    return 1 - m->l1_together * (1 - share);
}

bool ptx_cached_has_same_neighbour(const Evaluation *evaluation, const ArrayTraffic *array)
{
    const uint32_t *grid = evaluation->grid;
    for (unsigned d = 0; d < 3; d++)
        if (grid[d] > 1)
            return array->is_shifted[d] && !array->shift[d];
    return false;
}

/* What all blocks read stays in the L1 of each SM, where it fills half of it at most. */
static double sectors_of(const Machinery *m, const ArrayTraffic *array)
{
    double once = m->sms * array->read_bytes / SECTOR_BYTES,
           missed = array->missed * fetched_share(m, array);
    return array->read_bytes <= m->l1_bytes / 2 ? fmin(once, missed) : missed;
}

/* ---- what comes around again ----------------------------------------------------------------- */

static double lost_share(const Machinery *m, double bytes, double capacity)
{
    const double beyond = bytes / capacity - m->cache_keeps;
    return fmax(0, fmin(1, beyond / (m->cache_loses - m->cache_keeps)));
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

/* Of the first `count` blocks, how many lie side by side in each dimension of the grid. */
static void places_beside(const uint32_t grid[3], double count, double reach[3])
{
    for (unsigned d = 0; d < 3; d++) {
        reach[d] = fmax(1, fmin(grid[d], ceil(count)));
        count /= grid[d];
    }
}

double ptx_cached_distinct_parts(const Evaluation *evaluation, const ArrayTraffic *array,
                                 double count)
{
    const uint32_t *grid = evaluation->grid;
    if (count <= MAX_WAVE)
        return distinct_parts(array, grid, 1, (unsigned)count);
    if (!is_shift_known(array, grid))
        return count;
    double reach[3], parts = 1;
    places_beside(grid, count, reach);
    for (unsigned d = 0; d < 3; d++)
        parts *= array->shift[d] ? reach[d] : 1;
    return fmin(count, parts);
}

/* From the first to the last address of so many blocks: parts of one size lie apart by `shift`. */
static double span_of_blocks(const Machinery *m, const ArrayTraffic *array, double count)
{
    const uint32_t *grid = m->evaluation->grid;
    double reach[3], span = array->extent_bytes;
    if (!is_shift_known(array, grid))
        return (double)INFINITY;
    places_beside(grid, count, reach);
    for (unsigned d = 0; d < 3; d++)
        span -= (grid[d] - reach[d]) * fabs((double)array->shift[d]);
    return span;
}

/* What so many blocks, one after the other, read of the array: parts may overlap. */
static double bytes_of_blocks(const Machinery *m, const ArrayTraffic *array, double count)
{
    const double each = array->missed * SECTOR_BYTES / m->evaluation->blocks,
                 parts = ptx_cached_distinct_parts(m->evaluation, array, count),
                 apart = parts * each * own_share(m, array);
    return fmin(fmin(apart, array->read_bytes),
                fmax(each, span_of_blocks(m, array, count)));
}

/* Blocks whose bytes L2 holds together; those on the SMs at once, at least. */
static double blocks_of_l2(const Machinery *m)
{
    const Traffics *t = &m->evaluation->traffics;
    const double blocks = m->evaluation->blocks,
                 wave = fmin(wave_of(m), MAX_WAVE);
    double bytes = t->written_bytes / blocks * wave;
    for (uint32_t a = 0; a < t->array_count; a++)
        bytes += bytes_of_blocks(m, &t->arrays[a], wave);
    return fmin(blocks, wave * fmax(1, floor(m->l2_bytes / bytes)));
}

/* Parts of blocks that overlap, as those of a stencil do, and go on through the array with the next
 * blocks: what these read again was read last, and is there still. */
static bool is_passed_along(const Machinery *m, const ArrayTraffic *array, double held)
{
    const double span = span_of_blocks(m, array, held), batches = m->evaluation->blocks / held,
                 step = batches > 1 ? (array->extent_bytes - span) / (batches - 1) : 0;
    return bytes_of_blocks(m, array, held) >= span && 2 * step >= span;
}

/* Arrays that together do not fit L2 are fetched again by the next blocks that it has no room for,
 * as far as these read the same. */
static double bytes_of_waves(const Machinery *m, const ArrayTraffic *array, double sectors)
{
    const double held = blocks_of_l2(m),
                 moved = is_passed_along(m, array, held)
                             ? array->read_bytes
                             : m->evaluation->blocks / held * bytes_of_blocks(m, array, held);
    return fmax(array->read_bytes, fmin(moved, sectors * SECTOR_BYTES));
}

/* Beside what is distinct: pieces that blocks come back to by chance, when L2 has given them up. */
static double bytes_again(const Machinery *m, const ArrayTraffic *array)
{
    const Traffics *t = &m->evaluation->traffics;
    const double pieces = array->missed * t->load_pieces / t->load_sectors,
                 again = fmax(0, pieces - array->read_bytes / PIECE_BYTES);
    return PIECE_BYTES * again * fmax(0, 1 - m->l2_bytes / array->read_bytes);
}

/* No rows: of a line a request asks for one half, as a rule. */
static bool are_pieces_alone(const Traffics *t)
{
    return t->load_pieces < 1.5 * t->load_requests;
}

/* Of what blocks read again, the share that a single block reads. */
static double reused_alone(const Traffics *t)
{
    double all = 0, alone = 0;
    for (uint32_t a = 0; a < t->array_count; a++) {
        const ArrayTraffic *array = &t->arrays[a];
        all += array->reused;
        alone += array->missed > 0 ? array->reused
                                         * fmin(1, array->read_bytes
                                                       / (array->missed * SECTOR_BYTES))
                                   : 0;
    }
    return all > 0 ? alone / all : 0;
}

/* Of what blocks read again, the share that L2 has given up by then. It holds what a single block
 * reads once, and what several ask for in each half. */
static double lost_of_l2(const Machinery *m, double own, double bytes)
{
    const double beyond = bytes * m->l2_share / m->l2_bytes - m->l2_keeps;
    return own * fmax(0, fmin(1, beyond / (m->l2_loses - m->l2_keeps)))
           + (1 - own) * lost_share(m, bytes, m->l2_bytes);
}

/* No more comes in between than the blocks beside read, nor than the launch does. */
static void find_reuse(const Machinery *m, double warps_per_block, Cached *out)
{
    const Traffics *t = &m->evaluation->traffics;
    const double beside = m->resident * t->load_sectors * SECTOR_BYTES / m->evaluation->blocks;
    const double alone = reused_alone(t);
    /* those that an index moves may all lie in a table that L2 holds */
    const double read = fmin(t->read_bytes, out->read_bytes),
                 together = m->together / m->resident;
    double reused = 0, lost = 0;
    for (unsigned b = 0; b < REUSE_BUCKETS; b++) {
        double bytes = fmin(beside, 0.5 * (double)(1u << b) * SECTOR_BYTES * warps_per_block
                                        * m->resident);
        double gone = t->reused[b] * lost_share(m, fmin(bytes, t->read_bytes), m->l1_bytes);
        reused += t->reused[b];
        lost += gone;
        out->read_bytes += SECTOR_BYTES * gone
                           * lost_of_l2(m, alone, fmin(bytes * together, read));
    }
    out->load_sectors += lost;
    out->lost = reused > 0 ? lost / reused : 0;
}

/* ---- where data lead ------------------------------------------------------------------------- */

double ptx_hit_by_chance(double draws, double count)
{
    return count * (1 - exp(-draws / count));
}

/* Loads that may reach equally far are taken to do so in one array: the copies of an unrolled loop
 * do. */
typedef struct Pool {
    double spread, lanes, own;  /* own: sectors that no lane beside asks for */
    double pieces;              /* of those, halves of lines ... */
    /* ... but for those that blocks at work at once ask for, too, and that any other block does */
    double apart, once;
    double small;               /* of these, such as stand alone */
    double missed;              /* of the lanes, the share that L1 does not hold */
} Pool;

typedef struct Pools {
    Pool all[MAX_POOLS];       /* the last takes in what comes too late for one of its own */
    unsigned count;
} Pools;

static Pool *find_pool(Pools *pools, double spread)
{
    for (unsigned p = 0; p < pools->count; p++)
        if (!(pools->all[p].spread < spread) && !(pools->all[p].spread > spread))
            return &pools->all[p];
    if (pools->count < MAX_POOLS)
        pools->all[pools->count++] = (Pool){ .spread = spread };
    return &pools->all[pools->count - 1];
}

static void load_by_chance(const Machinery *m, Pool *pool, Cached *out)
{
    double first = fmin(
        pool->own,
        m->sms * ptx_hit_by_chance(pool->own / m->sms, fmax(1, pool->spread / SECTOR_BYTES)));
    double missed = first + (pool->own - first) * fmax(0, 1 - m->l1_bytes / pool->spread);
    const double halves = missed * pool->pieces / pool->own;
    double pieces = fmin(halves,
                         ptx_hit_by_chance(pool->once, fmax(1, pool->spread / PIECE_BYTES)));
    const double turns = halves * pool->apart / pool->pieces;
    double fresh = pieces + fmax(0, turns - pieces) * fmax(0, 1 - m->l2_bytes / pool->spread);
    out->load_lines += pool->lanes * m->lines_by_chance;
    out->load_sectors += missed;
    out->load_requests += halves;
    out->load_pieces += halves;
    out->read_bytes += fresh * PIECE_BYTES;
    out->scattered_bytes += fresh * PIECE_BYTES * pool->small / pool->pieces;
    out->fresh_sectors += fresh;
    pool->missed = fmin(1, missed / pool->lanes);
}

/* Sectors and halves of lines of a group, as its lanes lie side by side. */
static double parts_of(const Led *led, double part)
{
    return fmax(1, led->bytes / part);
}

static void load_list(const Machinery *m, double moved, const Led *led, Cached *out)
{
    const double once = led->lanes * led->element,
                 together = fmax(SECTOR_BYTES, fmin(LINE_BYTES, led->bytes));
    out->load_lines += led->requests * fmax(1, led->groups * m->lines_by_chance);
    out->load_sectors += moved / SECTOR_BYTES;
    out->load_requests += moved / together;
    out->load_pieces += moved / fmin(PIECE_BYTES, together);
    out->read_bytes += once;
    out->fresh_sectors += once / SECTOR_BYTES;
}

/* Only how control went hides where: lanes are taken to lie side by side, or to come to what lies
 * there in the next iterations. A word that other blocks write is asked for again and again, in
 * L2. */
static void load_along(const Count *count, const Insn *insn, Cached *out)
{
    double moved = count->data_lanes * insn->access_bytes,
           fresh = ptx_op_asks_other_blocks(insn->op) ? 0 : moved;
    out->load_lines += count->data_requests;
    out->load_sectors += moved / SECTOR_BYTES;
    out->load_requests += moved / LINE_BYTES;
    out->load_pieces += moved / PIECE_BYTES;
    out->read_bytes += fresh;
    out->fresh_sectors += fresh / SECTOR_BYTES;
}

/* As the launch says that indices lie: what lies side by side comes from memory once. */
static void load_located(const Machinery *m, const Led *led, const Located *at, double spread,
                         Cached *out)
{
    const double draws = led->requests * led->groups,
                 moved = fmin(led->requests * at->sectors * SECTOR_BYTES,
                              PIECE_BYTES * ptx_hit_by_chance(draws * parts_of(led, PIECE_BYTES),
                                                              fmax(1, spread / PIECE_BYTES)));
    out->load_lines += led->requests * fmax(1, at->asked * m->lines_by_chance);
    out->load_sectors += led->requests * at->sectors;
    out->load_requests += led->requests * at->pieces;
    out->load_pieces += led->requests * at->pieces;
    out->read_bytes += moved;
    out->fresh_sectors += moved / SECTOR_BYTES;
}

static void store_located(const Led *led, const Located *at, Cached *out)
{
    out->store_lines += led->requests * at->asked;
    out->store_sectors += led->requests * at->asked;
    out->written_bytes += led->requests * at->sectors * SECTOR_BYTES;
}

/* Only how control went hides where: lanes are taken to lie side by side. */
static void store_along(const Count *count, const Insn *insn, Cached *out)
{
    const double bytes = count->data_lanes * insn->access_bytes;
    out->store_lines += bytes / SECTOR_BYTES;
    out->store_sectors += bytes / SECTOR_BYTES;
    out->written_bytes += bytes;
}

/* A sector that L2 has given up is written to memory, and comes again. Measured on an H200, stores
 * by chance over 34, 67 and 134 MB: none, 80 and 100 % of those to a sector that was stored
 * before. */
static double moved_sectors(const Machinery *m, double sectors, double spread)
{
    const double keeps = 0.53, loses = 1.2, l2 = m->l2_bytes / m->l2_share,
                 first = ptx_hit_by_chance(sectors, fmax(1, spread / SECTOR_BYTES)),
                 lost = (spread / l2 - keeps) / (loses - keeps);
    return first + (sectors - first) * fmax(0, fmin(1, lost));
}

/* Sectors of stores whose lanes go to a line each in no order, as a hash says or a reversal of
 * bits. */
static double irregular_sectors(const CacheInput *in)
{
    double sectors = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        const bool is_apart = count->lines >= 0.9 * count->active;
        sectors += in->func->insns[i].op->kind == OPK_ST && count->pattern == PATTERN_IRREGULAR
                           && is_apart
                       ? count->sectors
                       : 0;
    }
    return sectors;
}

/* Where most stores are such. */
static void scatter_stores(const Machinery *m, const CacheInput *in, Cached *out)
{
    const Traffics *t = &m->evaluation->traffics;
    const double sectors = t->store_sectors > 0 ? irregular_sectors(in) : 0;
    if (!(sectors > 0) || sectors < 0.9 * t->store_sectors)
        return;
    const double moved = SECTOR_BYTES * moved_sectors(m, sectors, t->written_bytes);
    out->written_bytes = moved;
    out->filled_bytes = moved;          /* before other lanes come to its other words */
    out->scattered_stores += 2 * moved;
}

/* Sums in L2: the sector comes from memory, and goes there when L2 gives it up. */
static void add_by_chance(const Machinery *m, const Led *led, double spread, Cached *out)
{
    const double sectors = led->requests * led->groups * parts_of(led, SECTOR_BYTES),
                 moved = moved_sectors(m, sectors, spread),
                 first = ptx_hit_by_chance(sectors, fmax(1, spread / SECTOR_BYTES));
    if (!isfinite(spread))
        return;
    out->read_bytes += SECTOR_BYTES * moved;
    out->written_bytes += SECTOR_BYTES * moved;
    if (led->bytes < PIECE_BYTES) {
        out->scattered_bytes += SECTOR_BYTES * moved;
        out->scattered_stores += SECTOR_BYTES * (moved - first);
    }
}

static void store_by_chance(const Machinery *m, const Led *led, double spread, Cached *out)
{
    const double groups = led->requests * led->groups,
                 sectors = groups * parts_of(led, SECTOR_BYTES), once = led->lanes * led->element,
                 bytes = isfinite(spread) ? SECTOR_BYTES * moved_sectors(m, sectors, spread)
                                          : once;
    out->store_lines += groups * parts_of(led, LINE_BYTES);
    out->store_sectors += sectors;
    out->written_bytes += bytes;
    if (isfinite(spread) && led->bytes < SECTOR_BYTES)
        out->filled_bytes += bytes;
    if (isfinite(spread) && led->bytes < PIECE_BYTES)
        out->scattered_stores += bytes * (led->bytes < SECTOR_BYTES ? 2 : 1);
}

/* How data lead an instruction of global memory; NONE: not at all. */
typedef enum Way { WAY_NONE, WAY_LOAD, WAY_STORE, WAY_ATOMIC } Way;

static Way way_of(const CacheInput *in, InsnId id)
{
    const Insn *insn = &in->func->insns[id];
    const Op *op = insn->op;
    const Space space = (Space)insn->space;
    if (!(in->evaluation->insns[id].total->data_lanes > 0) || !(in->evaluation->insns[id].share > 0)
        || space == SPACE_CONST || ptx_space_is_shared(space) || space == SPACE_PARAM)
        return WAY_NONE;
    if (op->kind == OPK_ATOM || op->kind == OPK_RED)
        return WAY_ATOMIC;
    return op->flags & OPF_STORE && op->kind != OPK_CP_ASYNC ? WAY_STORE : WAY_LOAD;
}

/* ---- searches -------------------------------------------------------------------------------- */

/* NULL: data do not steer the loop around it, or it does not halve. */
static const GuessedTrips *search_of(const CacheInput *in, InsnId id)
{
    const Evaluation *evaluation = in->evaluation;
    LoopId loop = in->cfg ? in->loops->loop_of[in->cfg->block_of[id]] : NO_LOOP;
    for (uint32_t g = 0; loop != NO_LOOP && g < evaluation->guessed_count; g++)
        if (evaluation->guessed[g].loop == loop && evaluation->guessed[g].is_steered
            && evaluation->guessed[g].count > 1 && evaluation->guessed[g].count <= MAX_LEVELS)
            return &evaluation->guessed[g];
    return NULL;
}

typedef struct TreeSearch {
    double levels, warps, lanes;        /* of the launch; of a warp */
    double level_sectors;       /* of the last level that has sectors of its own */
    bool is_ordered;
} TreeSearch;

/* Of a warp at a level, the lanes that are not where another is. Those in order spread over no more
 * than their part of the range. */
static double places_of_warp(const TreeSearch *s, double places)
{
    if (!s->is_ordered)
        return fmin(s->lanes, ptx_hit_by_chance(s->lanes, places));
    double own = fmax(1, s->level_sectors / s->warps) + 1;
    return fmax(1, fmin(fmin(s->lanes, own), places / s->warps));
}

/* A level that L1 holds with those above it is fetched once for each SM; one that lies within the
 * sectors of the level above, never. */
static void search_by_levels(const Machinery *m, const TreeSearch *s, Cached *out, double *missed,
                             double *cold)
{
    double held = 0, waits = 0, own_levels = 0, untouched = s->level_sectors * SECTOR_BYTES;
    for (double level = 0; level < s->levels; level++) {
        double places = exp2(level), of_warp = places_of_warp(s, places),
               asked = s->warps * of_warp;
        out->load_lines += s->warps * fmax(1, of_warp * m->lines_by_chance);
        if (places > s->level_sectors)
            continue;
        double of_sm = ptx_hit_by_chance(asked / m->sms, places);
        held += of_sm * SECTOR_BYTES;
        double here = held <= m->l1_bytes / 2 ? fmin(asked, m->sms * of_sm) : asked;
        double pieces = fmin(fmin(here, ptx_hit_by_chance(asked, places)),
                             untouched / PIECE_BYTES),
               fresh = pieces
                       + (here - pieces) * fmax(0, 1 - m->l2_bytes / (places * SECTOR_BYTES));
        out->load_sectors += here;
        out->load_requests += here;
        out->load_pieces += here;
        out->read_bytes += fresh * PIECE_BYTES;
        out->scattered_bytes += fresh * PIECE_BYTES;
        out->fresh_sectors += fresh;
        untouched -= pieces * PIECE_BYTES;
        waits += fmin(1, here / s->warps);
        own_levels++;
    }
    *missed = waits / s->levels;
    *cold = own_levels;
}

static bool is_searched(const CacheInput *in, InsnId id)
{
    return way_of(in, id) == WAY_LOAD && in->spread[id].reach > 0 && !in->spread[id].is_pointer
           && search_of(in, id);
}

static void follow_search(const Machinery *m, const CacheInput *in, InsnId id, Cached *out,
                          double *missed, double *cold)
{
    const GuessedTrips *of = search_of(in, id);
    const Count *count = in->evaluation->insns[id].total;
    double bytes = in->func->insns[id].access_bytes, levels = of->count;
    const TreeSearch search = { .levels = levels,
                            .warps = count->data_requests / levels,
                            .lanes = count->data_lanes / count->data_requests,
                            .level_sectors = exp2(levels) * bytes / SECTOR_BYTES,
                            .is_ordered = of->is_ordered };
    search_by_levels(m, &search, out, missed, cold);
}

static double missed_share(const CacheInput *in, const Lists *lists, Pools *pools, InsnId i)
{
    if (way_of(in, i) != WAY_LOAD)
        return 1;
    if (in->spread[i].reach > 0 && !ptx_is_list(in, i))
        return find_pool(pools, ptx_table_bytes(in, lists, i))->missed;
    return fmin(1, in->func->insns[i].access_bytes / (double)SECTOR_BYTES);
}

static void add_to_pool(Pool *pool, const Led *led, double own, const Sharing *sharing)
{
    const double groups = led->requests * led->groups * own,
                 pieces = groups * parts_of(led, PIECE_BYTES);
    pool->lanes += led->requests * led->groups * fmax(1, led->bytes / LINE_BYTES);
    pool->own += groups * parts_of(led, SECTOR_BYTES);
    pool->pieces += pieces;
    pool->apart += pieces / sharing->at_once;
    pool->once += pieces / sharing->all;
    pool->small += led->bytes < LINE_BYTES ? pieces : 0;
}

static void follow_data(Arena *arena, const Machinery *m, const CacheInput *in, Cached *out)
{
    double *missed = ptx_arena_array(arena, double, in->func->insn_count),
           *cold = ptx_arena_array(arena, double, in->func->insn_count);
    Pools pools = { .count = 0 };
    Lists lists;
    ptx_lists_find(arena, in, &lists);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        Way way = way_of(in, i);
        const Count *count = in->evaluation->insns[i].total;
        Located at;
        const bool is_counted = way == WAY_STORE && in->spread[i].reach > 0
                                && in->sources[i].is_rank;
        const bool is_led = (way == WAY_LOAD || way == WAY_STORE) && in->spread[i].reach > 0
                            && !is_searched(in, i) && !ptx_is_list(in, i) && !is_counted;
        const Led led = is_led ? ptx_led_by(in, &lists, i) : (Led){ 0 };
        if (is_led && ptx_locate(in, &lists, i, &led, &at) && at.is_near) {
            if (way == WAY_STORE)
                store_located(&led, &at, out);
            else
                load_located(m, &led, &at, ptx_table_bytes(in, &lists, i), out);
            missed[i] = fmin(1, at.sectors / led.groups);
            continue;
        }
        if (way == WAY_ATOMIC && in->spread[i].reach > 0) {
            const Led led_by = ptx_led_by(in, &lists, i);
            add_by_chance(m, &led_by, ptx_table_bytes(in, &lists, i), out);
        }
        if (way == WAY_STORE && in->spread[i].reach > 0 && !is_counted) {
            const Led led_by = ptx_led_by(in, &lists, i);
            store_by_chance(m, &led_by, ptx_table_bytes(in, &lists, i), out);
        } else if (way == WAY_STORE) {
            store_along(count, &in->func->insns[i], out);
        }
        if (way == WAY_LOAD && !(in->spread[i].reach > 0))
            load_along(count, &in->func->insns[i], out);
        if (is_searched(in, i)) {
            follow_search(m, in, i, out, &missed[i], &cold[i]);
        } else if (way == WAY_LOAD && in->spread[i].reach > 0) {
            const Led list = ptx_led_by(in, &lists, i);
            const Sharing sharing = ptx_blocks_sharing(in, &lists, i, wave_of(m));
            if (ptx_is_list(in, i))
                load_list(m, ptx_list_moved_bytes(in, &lists, i, m->resident, m->l1_bytes), &list,
                          out);
            else
                add_to_pool(find_pool(&pools, ptx_table_bytes(in, &lists, i)), &list,
                            in->spread[i].own, &sharing);
        }
    }
    for (unsigned p = 0; p < pools.count; p++)
        load_by_chance(m, &pools.all[p], out);
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (!is_searched(in, i) && !(missed[i] > 0))
            missed[i] = missed_share(in, &lists, &pools, i);
    out->data_missed = missed;
    out->cold_steps = cold;
}

/* Requests that lie as they are known to, but data say where, are noted as if each block went
 * elsewhere: but they go where one index leads them. */
static double moved_bytes(Arena *arena, const Machinery *m, const CacheInput *in)
{
    CacheInput with = *in;
    const double noted = m->evaluation->traffics.data_read_bytes;
    if (!with.sources)
        with.sources = ptx_data_sources_compute(arena, arena, in->func, in->cfg, in->loops);
    if (!with.spread)
        with.spread = ptx_address_distribution_compute(arena, arena, NULL, NULL, in->func,
                                                       in->launch);
    const MovedShare share = ptx_moved_share(arena, &with, wave_of(m));
    const double distinct = noted * share.distinct, again = noted * share.turns - distinct;
    return distinct + fmax(0, again) * fmax(0, 1 - m->l2_bytes / distinct);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static double cache_bytes(const Gpu *gpu, FigureId figure)
{
    return ptx_gpu_has(gpu, figure) ? gpu->figures[figure] : (double)INFINITY;
}

/* Kepler's read-only loads have a cache beside L1 (CUDA C Programming Guide 6.5, "Compute
 * Capability 3.x", "Global Memory"). */
static bool has_read_only_loads(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (func->insns[i].op->kind == OPK_LD && ptx_op_has(func->insns[i].op, MOD_NC))
            return true;
    return false;
}

/* L1 for global loads; where some are read-only, all are taken for such. */
static double l1_room(const CacheInput *in, double shared)
{
    if (ptx_gpu_count_of(in->gpu, FIGURE_LOADS_PAST_L1, 0) && !has_read_only_loads(in->func))
        return 1;
    if (ptx_gpu_has(in->gpu, FIGURE_L1_SPLIT_BYTES))
        return in->gpu->figures[FIGURE_L1_SPLIT_BYTES];
    return fmax(1 << 14, cache_bytes(in->gpu, FIGURE_L1_BYTES) - shared);
}

Cached ptx_cached_compute(Arena *arena, const CacheInput *in)
{
    const Evaluation *evaluation = in->evaluation;
    const Traffics *t = &evaluation->traffics;
    /* evaluate.c's may_blocks_share rests on this: with fewer than two blocks for each SM, and all
     * that is read in L2, no shift is asked for */
    Machinery m = { .evaluation = evaluation, .sms = in->gpu->figures[FIGURE_SMS] };
    m.resident = fmax(1, fmin(in->blocks_per_sm, floor(evaluation->blocks / m.sms)));
    m.together = fmax(m.resident, fmin(evaluation->blocks, m.sms * in->blocks_per_sm));
    m.l1_bytes = l1_room(in, m.resident * (t->shared_bytes + RESERVED_BYTES));
    m.lines_by_chance = ptx_gpu_figure(in->gpu, FIGURE_LINE_OF_LANE_CLK);
    m.l1_together = ptx_gpu_figure(in->gpu, FIGURE_L1_TOGETHER_SHARE);
    m.cache_keeps = ptx_gpu_figure(in->gpu, FIGURE_CACHE_KEEPS_SHARE);
    m.cache_loses = ptx_gpu_figure(in->gpu, FIGURE_CACHE_LOSES_SHARE);
    m.l2_keeps = ptx_gpu_figure(in->gpu, FIGURE_L2_KEEPS_SHARE);
    m.l2_loses = ptx_gpu_figure(in->gpu, FIGURE_L2_LOSES_SHARE);
    m.l2_share = ptx_gpu_figure(in->gpu, FIGURE_L2_SHARE);
    m.l2_bytes = m.l2_share * cache_bytes(in->gpu, FIGURE_L2_BYTES);
    /* the L1 of Volta and later; before, a line a clock (Micikevicius, GTC 2012) */
    enum { VOLTA = 70 };
    const bool takes_words = in->gpu->target.sm >= VOLTA;
    Cached out = { .load_lines = takes_words ? t->load_passes : t->load_lines,
                   .load_sectors = t->load_sectors,
                   .store_lines = t->store_lines,
                   .store_sectors = t->store_sectors,
                   .read_bytes = t->read_bytes,
                   .store_parts = t->parts_of_sectors,
                   .written_bytes = t->written_bytes,
                   .filled_bytes = t->partly_bytes };
    double all = 0, joined = 0;
    for (uint32_t a = 0; a < t->array_count; a++)
        all += t->arrays[a].read_bytes;
    for (uint32_t a = 0; a < t->array_count; a++) {
        const ArrayTraffic *array = &t->arrays[a];
        double sectors = sectors_of(&m, array);
        out.load_sectors += sectors - array->missed;
        joined += ptx_cached_has_same_neighbour(evaluation, array) ? sectors + array->past : 0;
        if (is_by_chance(array, evaluation->grid) && are_pieces_alone(t)) {
            const double again = bytes_again(&m, array);
            out.read_bytes += again;
            out.scattered_bytes += array->read_bytes + again;
        } else if (all > m.l2_bytes) {
            out.read_bytes += bytes_of_waves(&m, array, sectors) - array->read_bytes;
        }
    }
    out.joined_sectors = joined;
    const double moved = t->data_read_bytes > 0 ? moved_bytes(arena, &m, in) : 0;
    out.read_bytes += moved - t->data_read_bytes;
    find_reuse(&m, in->warps_per_block, &out);
    const double asked = t->load_sectors > 0 ? out.load_sectors / t->load_sectors : 0;
    out.load_requests = t->load_requests * asked;
    out.load_pieces = t->load_pieces * asked;
    out.fresh_sectors = out.read_bytes / SECTOR_BYTES;
    if (t->first_pieces > 0) {
        const double followed = fmax(0, out.read_bytes - moved);
        out.torn_bytes = followed * fmin(1, t->torn_pieces / t->first_pieces);
        out.torn_line_bytes = followed * fmin(1, t->torn_lines / t->first_pieces);
    }
    scatter_stores(&m, in, &out);
    if (in->spread)
        follow_data(arena, &m, in, &out);
    const double partly = ptx_gpu_has(in->gpu, FIGURE_L2_PARTLY_SHARE)
                              ? in->gpu->figures[FIGURE_L2_PARTLY_SHARE]
                              : (double)INFINITY;
    out.filled_bytes = fmax(0, out.filled_bytes - partly * m.l2_bytes / m.l2_share);
    return out;
}
