#include "analysis/access/strata.h"
#include "analysis/sim/block_keys.h"
#include "support/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    /* blocks all over the grid that are run before an order is chosen */
    EVEN_PROBES = 7,
    KNOTS_LEAST = 32,
    /* blocks that no knot rests on, whose work is compared with what the order says */
    CHECKS = 32,
};

#define TOLERANCE 0.002         /* share of the work */
#define HOPELESS 0.1            /* after twice as many knots as there are at least */
#define CHECK_TOLERANCE 0.05    /* share of the work of the blocks that are checked */

/* ---- an order -------------------------------------------------------------------------------- */

typedef struct Ranked {
    int64_t key;
    uint32_t place;
} Ranked;

typedef struct Divider {
    const BlockKeys *keys;
    StrataMeasure *measure;
    void *context;
    double *works;              /* per place; NaN: not run */
    Ranked *order;
    uint32_t *knots;            /* into order, ascending */
    /* per knot: by how much its work is off the line between its neighbours */
    double *bends;
    uint32_t knot_count, most, measured;
    bool is_over;               /* the budget */
} Divider;

/* A permutation of 32-bit numbers without order: multiplication by an odd number, and a shift. */
static uint32_t mixed(uint32_t place)
{
    uint32_t x = (place + 1) * UINT32_C(2654435769);
    return (x ^ x >> 15) * UINT32_C(2246822519);
}

/* Places of one key in no order: else ranks at even distances would be at one place of the grid's
 * other dimension. */
static int by_key(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    uint32_t first = mixed(x->place), second = mixed(y->place);
    return first < second ? -1 : first > second;
}

static void run_place(Divider *d, uint32_t place)
{
    if (d->is_over || !isnan(d->works[place]))
        return;
    double work = d->measured < d->most ? d->measure(d->context, &d->keys->places[place]) : -1;
    d->is_over = work < 0;
    d->works[place] = work < 0 ? (double)NAN : work;
    d->measured += work >= 0;
}

/* Blocks from all over the grid, and those with the least and the greatest number of each key. */
static void run_first(Divider *d)
{
    const BlockKeys *s = d->keys;
    for (uint32_t i = 0; i < EVEN_PROBES; i++)
        run_place(d, (uint32_t)((uint64_t)(s->count - 1) * i / (EVEN_PROBES - 1)));
    for (uint32_t key = 0; key < s->key_count; key++) {
        uint32_t least = 0, most = 0;
        for (uint32_t i = 1; i < s->count; i++) {
            least = s->keys[key][i] < s->keys[key][least] ? i : least;
            most = s->keys[key][i] > s->keys[key][most] ? i : most;
        }
        run_place(d, least);
        run_place(d, most);
    }
}

/* A key, or how far two of them lie apart, as of a loop from one to the other. */
static int64_t number_at(const BlockKeys *s, uint32_t key, uint32_t less, uint32_t place)
{
    uint64_t number = (uint64_t)s->keys[key][place];
    return (int64_t)(key == less ? number : number - (uint64_t)s->keys[less][place]);
}

static void sort_by(const Divider *d, uint32_t key, uint32_t less, const uint32_t *places,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = places ? places[i] : i;
        d->order[i] = (Ranked){ number_at(d->keys, key, less, place), place };
    }
    qsort(d->order, count, sizeof *d->order, by_key);
}

/* How much the work goes up and down along an order of the blocks that were run. */
static double variation_of(const Divider *d, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 1; i < count; i++)
        sum += fabs(d->works[d->order[i].place] - d->works[d->order[i - 1].place]);
    return sum;
}

/* The order in which the work of blocks that were run goes up and down the least. */
static void choose_order(Arena *arena, const Divider *d)
{
    const BlockKeys *s = d->keys;
    uint32_t *run = ptx_arena_array(arena, uint32_t, d->measured + 1), count = 0,
             best[2] = { 0, 0 };
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < s->count && count < d->measured; i++)
        if (!isnan(d->works[i]))
            run[count++] = i;
    for (uint32_t key = 0; key < s->key_count; key++)
        for (uint32_t other = 0; other < s->key_count; other++) {
            uint32_t less = other ? (key + other) % s->key_count : key;
            sort_by(d, key, less, run, count);
            double here = variation_of(d, count);
            if (here < least * (1 - 1e-9)) {
                least = here;
                best[0] = key;
                best[1] = less;
            }
        }
    sort_by(d, best[0], best[1], NULL, s->count);
}

/* ---- knots ----------------------------------------------------------------------------------- */

/* How far the way from one rank to another a third lies, by its key; by its rank where these are
 * the same. */
static double part_of(const Divider *d, uint32_t from, uint32_t to, uint32_t rank)
{
    double way = (double)d->order[to].key - (double)d->order[from].key;
    if (way > 0)
        return ((double)d->order[rank].key - (double)d->order[from].key) / way;
    return (double)(rank - from) / (to - from);
}

static double work_of(const Divider *d, uint32_t knot)
{
    return d->works[d->order[d->knots[knot]].place];
}

static void find_bend(const Divider *d, uint32_t knot)
{
    d->bends[knot] = 0;
    if (!knot || knot + 1 >= d->knot_count)
        return;
    double part = part_of(d, d->knots[knot - 1], d->knots[knot + 1], d->knots[knot]);
    d->bends[knot] = fabs(work_of(d, knot) - (1 - part) * work_of(d, knot - 1)
                          - part * work_of(d, knot + 1));
}

/* The blocks that were run, and both ends. */
static void begin_knots(Divider *d)
{
    run_place(d, d->order[0].place);
    run_place(d, d->order[d->keys->count - 1].place);
    for (uint32_t rank = 0; rank < d->keys->count; rank++)
        if (!isnan(d->works[d->order[rank].place]))
            d->knots[d->knot_count++] = rank;
    for (uint32_t k = 0; k < d->knot_count; k++)
        find_bend(d, k);
}

static void add_knot(Divider *d, uint32_t behind, uint32_t rank)
{
    for (uint32_t k = d->knot_count++; k > behind + 1; k--) {
        d->knots[k] = d->knots[k - 1];
        d->bends[k] = d->bends[k - 1];
    }
    d->knots[behind + 1] = rank;
    for (uint32_t k = behind ? behind - 1 : 0; k <= behind + 3 && k < d->knot_count; k++)
        find_bend(d, k);
}

/* What the mixtures behind a knot may be wrong by: as much as the line bends at either end; where
 * the numbers are one, as their work differs. */
static double doubt_behind(const Divider *d, uint32_t knot)
{
    uint32_t from = d->knots[knot], to = d->knots[knot + 1];
    bool is_one = d->order[from].key == d->order[to].key;
    double off = is_one ? fabs(work_of(d, knot + 1) - work_of(d, knot))
                        : fmax(d->bends[knot], d->bends[knot + 1]);
    return off * (to - from - 1) / 2;
}

static double doubt_of(const Divider *d)
{
    double sum = 0, work = 0;
    for (uint32_t k = 0; k + 1 < d->knot_count; k++) {
        sum += doubt_behind(d, k);
        work += (work_of(d, k) + work_of(d, k + 1)) / 2 * (d->knots[k + 1] - d->knots[k]);
    }
    return work > 0 ? sum / work : 0;
}

/* Behind which knot another one adds most: where the doubt is, or, once there is none, where most
 * blocks are. d->knot_count: none. */
static uint32_t widest(const Divider *d, bool by_doubt)
{
    uint32_t at = d->knot_count;
    double most = 0;
    for (uint32_t k = 0; k + 1 < d->knot_count; k++) {
        double here = by_doubt ? doubt_behind(d, k) : d->knots[k + 1] - d->knots[k] - 1.0;
        if (here > most && d->knots[k + 1] - d->knots[k] > 1) {
            most = here;
            at = k;
        }
    }
    return at;
}

static void divide(Divider *d)
{
    while (!d->is_over && d->knot_count < d->most) {
        double doubt = doubt_of(d);
        bool is_sure = doubt <= TOLERANCE;
        if ((is_sure && d->knot_count >= KNOTS_LEAST)
            || (doubt > HOPELESS && d->knot_count >= 2 * KNOTS_LEAST))
            return;
        uint32_t at = widest(d, !is_sure);
        if (at == d->knot_count)
            return;
        uint32_t rank = d->knots[at] + (d->knots[at + 1] - d->knots[at]) / 2;
        run_place(d, d->order[rank].place);
        if (!d->is_over)
            add_knot(d, at, rank);
    }
}

static double line_at(const Divider *d, uint32_t knot, uint32_t rank)
{
    double part = part_of(d, d->knots[knot], d->knots[knot + 1], rank);
    return (1 - part) * work_of(d, knot) + part * work_of(d, knot + 1);
}

/* Whether blocks that were not run before do as much as the order says. */
static bool passes_checks(Divider *d)
{
    double off = 0, work = 0;
    uint32_t knot = 0;
    d->most += CHECKS;
    for (uint32_t i = 0; i < CHECKS; i++) {
        uint32_t rank = (uint32_t)((2 * i + 1.0) * d->keys->count / (2 * CHECKS));
        while (knot + 2 < d->knot_count && d->knots[knot + 1] <= rank)
            knot++;
        uint32_t place = d->order[rank].place;
        if (knot + 1 >= d->knot_count || !isnan(d->works[place]))
            continue;
        run_place(d, place);
        if (d->is_over)
            return false;
        off += fabs(d->works[place] - line_at(d, knot, rank));
        work += d->works[place];
    }
    return off <= CHECK_TOLERANCE * work;
}

/* ---- what they stand for --------------------------------------------------------------------- */

static const Knot *weigh(Arena *arena, const Divider *d)
{
    Knot *out = ptx_arena_array(arena, Knot, d->knot_count);
    const BlockPlace *places = d->keys->places;
    for (uint32_t k = 0; k < d->knot_count; k++) {
        uint32_t from = d->knots[k], to = k + 1 < d->knot_count ? d->knots[k + 1] : from + 1;
        out[k].place = d->order[from].place;
        out[k].blocks += places[out[k].place].blocks;
        for (uint32_t rank = from + 1; rank < to; rank++) {
            double part = part_of(d, from, to, rank), blocks = places[d->order[rank].place].blocks;
            out[k].blocks += (1 - part) * blocks;
            out[k + 1].blocks += part * blocks;
        }
    }
    return out;
}

static const float *works_of_all(Arena *arena, const Divider *d)
{
    float *out = ptx_arena_array(arena, float, d->keys->count);
    for (uint32_t k = 0; k + 1 < d->knot_count; k++)
        for (uint32_t rank = d->knots[k]; rank <= d->knots[k + 1]; rank++) {
            uint32_t place = d->order[rank].place;
            out[place] = (float)(isnan(d->works[place]) ? line_at(d, k, rank) : d->works[place]);
        }
    return out;
}

static bool any_differs(const Divider *d)
{
    for (uint32_t k = 1; k < d->knot_count; k++)
        if (work_of(d, k) != work_of(d, 0))
            return true;
    return false;
}

Knots ptx_strata_divide(Arena *arena, const BlockKeys *s, StrataMeasure *measure, void *context,
                        uint32_t most)
{
    Divider d = { .keys = s,
                  .measure = measure,
                  .context = context,
                  .works = ptx_arena_array(arena, double, s->count),
                  .order = ptx_arena_array(arena, Ranked, s->count),
                  .most = most < s->count ? most : s->count };
    for (uint32_t i = 0; i < s->count; i++)
        d.works[i] = (double)NAN;
    run_first(&d);
    if (d.is_over)
        return (Knots){ .uncertain = 1, .measured = d.measured };
    d.knots = ptx_arena_array(arena, uint32_t, d.most + 1);
    d.bends = ptx_arena_array(arena, double, d.most + 1);
    choose_order(arena, &d);
    begin_knots(&d);
    if (d.is_over)
        return (Knots){ .uncertain = 1, .measured = d.measured };
    divide(&d);
    if (!passes_checks(&d))
        return (Knots){ .uncertain = 1, .measured = d.measured };
    return (Knots){ weigh(arena, &d), d.knot_count, doubt_of(&d),
                    any_differs(&d),  d.measured,   works_of_all(arena, &d) };
}
