#include "analysis/time/join.h"

#include "gpu/gpu.h"
#include "support/assert.h"

#include <math.h>
#include <stddef.h>

/* ---- pipelines ------------------------------------------------------------------------------- */

void ptx_join_choose_pipe(Prediction *out)
{
    bool is_lsu = out->lsu_us > out->pipe_us;
    out->parts_us[PART_PIPE] = is_lsu ? out->lsu_us : out->pipe_us;
    out->pipe = is_lsu ? ptx_pipe_info[PIPE_LSU].key : out->first_pipe;
}

/* The dearest one takes nothing. */
static void drop_pipe(Prediction *out)
{
    if (out->lsu_us > out->pipe_us) {
        out->lsu_us = 0;
    } else {
        if (out->turns_us >= out->pipe_us)
            out->turns_us = 0;
        out->pipe_us = out->second_us;
        out->first_pipe = out->second_pipe;
        out->second_us = 0;
    }
    ptx_join_choose_pipe(out);
}

/* ---- the norms ------------------------------------------------------------------------------- */

/* Issue slots and pipelines; blocks that do products and arithmetic in turns tend to be at the same
 * one. */
static double issued(const Prediction *of)
{
    const bool is_first = of->turns_us > 0 && of->turns_us >= of->pipe_us;
    const double pipe = is_first ? of->second_us : of->pipe_us,
                 others = ptx_hypot_of(of->parts_us[PART_ISSUE], pipe, 8);
    return of->turns_us > 0 ? ptx_hypot_of(others, of->turns_us, of->turns_exponent) : others;
}

/* Each instruction of a pipeline has an issue slot: both are busy at once. Units that are one in
 * truth: what the load-store units take up, and data of L1 and of shared memory, come through one
 * port. */
static double joined(const Prediction *of, TimePart part)
{
    const double *parts = of->parts_us;
    switch (part) {
    case PART_ISSUE:    return issued(of);
    case PART_PIPE:     return 0;
    case PART_L1:       return fmax(of->lsu_us, parts[PART_L1] + parts[PART_SHARED]);
    case PART_SHARED:   return 0;
    default:            return parts[part];
    }
}

/* The port to L1 and shared memory serves what comes from memory, rather than what is computed. */
static bool is_loading(const Prediction *of)
{
    return of->parts_us[PART_L1] > fmax(of->parts_us[PART_SHARED], of->lsu_us);
}

/* How well the waits of some warps hide behind what others do: behind transfers as the third power
 * says where blocks do not store in turns, behind issue slots and units of an SM less well.
 * memory: in its third power. */
static double waits_exponent(const Prediction *of, double sm, double memory)
{
    const double units = pow(sm, 3), share = units > 0 ? units / (units + memory) : 0;
    return of->turns_of_memory
           - fmax(0, of->turns_of_memory - of->waits_exponent) * share;
}

/* memory: in its third power. */
typedef struct Busy {
    double sm, memory;
} Busy;

/* others: of what the SMs' units are busy for, the share that waits add to. beyond_l1: Busy.memory
 * without the port. */
static Busy busy_of(const Prediction *of, double others, double beyond_l1)
{
    const double port = joined(of, PART_L1) * others,
                 issue = joined(of, PART_ISSUE) * others;
    if (is_loading(of))
        return (Busy){ ptx_hypot_of(issue, 0, of->unit_exponent), pow(port, 3) + beyond_l1 };
    return (Busy){ ptx_hypot_of(issue, port, of->unit_exponent), beyond_l1 };
}

static double joined_busy(const Prediction *of, Busy busy)
{
    return ptx_hypot_of(busy.sm, cbrt(busy.memory), of->phase_exponent);
}

/* Slices of L2 do one after the other what is loaded, stored, and added to: measured on an H200,
 * each of eight million threads loads a word by chance (60 us), adds to one (86) and does both
 * (140). */
static double l2_us(const Prediction *of)
{
    const double mean = fmin(of->mean_atomics_us, of->parts_us[PART_ATOMIC]);
    return of->parts_us[PART_L2] + mean * (1 - of->last_atomics);
}

/* The busiest slice, as far as it has more atomics than others: in the third power. */
static double crowded_slice(const Prediction *of)
{
    const double atomic = of->parts_us[PART_ATOMIC],
                 even = atomic > 0 ? fmin(1, of->mean_atomics_us / atomic) : 1;
    return pow(atomic * (1 - of->last_atomics), 3) * (1 - even * even);
}

/* The units alone, or with waits. */
static double norm(const Prediction *of)
{
    const double beyond_l1 = pow(ptx_hypot_of(l2_us(of),
                                              of->parts_us[PART_DRAM] * (1 - of->last_share), 8), 3)
                             + crowded_slice(of);
    Busy busy = busy_of(of, 1, beyond_l1);
    const double alone = joined_busy(of, busy);
    double others = alone;
    if (of->own_share != 0) {
        busy = busy_of(of, 1 - of->own_share, beyond_l1);
        others = joined_busy(of, busy);
    }
    return fmax(alone, ptx_hypot_of(others, joined(of, PART_LATENCY),
                                waits_exponent(of, busy.sm, busy.memory)));
}

/* Blocks that do as much as each other begin together and end together: those of a last wave that
 * is not full have a wait of their own behind the others'. Measured on an H200 (blocks.cu), 8 turns
 * of 16 KB a block, four blocks of 256 threads on an SM: 1, 1.1, 2, 2.25, 3 and 3.25 waves take
 * 23.7, 30.8, 41.0, 49.1, 57.5 and 66.6 us. Blocks end as far apart as they were given out.
 * More than 4.5 were not measured: of more than 64 the last one is next to nothing.
 *
 * Where SMs limit, the waves are those of the one that has most blocks. Eight blocks of
 * multiply-adds on each of an H200's SMs (chains in blocks.cu) take 489 us, one more on one of them
 * 563, one more on each 573 (15 and 17 % more; it says 16), two waves 960 and one block more
 * 1,021. */
#define WAVES_IN_STEP 64.0
#define LEAST_LEFT 1e-6

static double waves_of(const Prediction *of)
{
    const int by = of->limiter;
    bool is_of_sms = by == PART_ISSUE || by == PART_PIPE || by == PART_SHARED || by == PART_L1;
    return is_of_sms ? of->waves * of->busiest_share : of->waves;
}

double ptx_predict_last_wave_us(const Prediction *of)
{
    const double waves = waves_of(of), left = waves - floor(waves);
    if (!(waves > 1) || !(left > LEAST_LEFT) || waves > WAVES_IN_STEP)
        return 0;
    Prediction last = *of;
    double *const parts = last.parts_us,
           *const busy[] = { &parts[PART_ISSUE], &parts[PART_PIPE], &parts[PART_SHARED],
                             &parts[PART_L1], &parts[PART_L2], &parts[PART_DRAM],
                             &parts[PART_ATOMIC], &last.lsu_us, &last.pipe_us, &last.second_us,
                             &last.turns_us };
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        *busy[i] *= left / waves;
    parts[PART_LATENCY] /= waves;
    const double apart = of->parts_us[PART_DISPATCH] / waves;
    return fmax(0, norm(&last) - norm(of) * left / waves - apart);
}

/* Resources of the SMs and of memory get in each other's way (the third power); while blocks are
 * given out nothing waits for it (the eighth). Where a block's warps go in steps, its waits come
 * behind its own work, and the work of other blocks alone gets in their way: measured on an H200,
 * 256 products of m16n8k16 a step of a block with its tiles in L2, blocks of 128 threads. One, two
 * and four on an SM take 715, 768 and 1,200 ns a step; the square of their number says 715, 770 and
 * 1,213. */
void ptx_join(Prediction *out)
{
    double most = 0;
    for (TimePart p = PART_DISPATCH; p < PART__COUNT; p++) {
        ASSERT(out->parts_us[p] >= 0);
        if (out->parts_us[p] > most) {
            most = out->parts_us[p];
            out->limiter = (int)p;
        }
    }
    const double dispatch = out->parts_us[PART_DISPATCH],
                 last = dispatch + out->block_share * out->parts_us[PART_LATENCY];
    /* the last block starts when all others have */
    double busy = fmax(last, ptx_hypot_of(norm(out) + ptx_predict_last_wave_us(out), dispatch, 8));
    out->predicted_us = out->parts_us[PART_OVERHEAD] + out->parts_us[PART_FETCH] + busy
                        + out->last_share * out->parts_us[PART_DRAM]
                        + out->last_atomics * out->parts_us[PART_ATOMIC] + out->tail_us;
    if (most < out->parts_us[PART_OVERHEAD])
        out->limiter = PART_OVERHEAD;
}

Prediction ptx_predict_without(const Prediction *prediction, TimePart part)
{
    Prediction out = *prediction;
    if (out.certainty == CERTAINTY_UNKNOWN)
        return out;
    if (part == PART_PIPE)
        drop_pipe(&out);
    else
        out.parts_us[part] = 0;
    ptx_join(&out);
    return out;
}

/* Of a part, what is left without so much of it. */
static double left_of(double whole, double without)
{
    return whole > 0 ? fmax(0, 1 - without / whole) : 1;
}

double ptx_predict_relieved_us(const Prediction *prediction, const Relief *relief)
{
    Prediction out = *prediction;
    if (out.certainty == CERTAINTY_UNKNOWN)
        return (double)NAN;
    double *const parts = out.parts_us;
    const double ways = fmax(out.there_us, out.back_us);
    parts[PART_ISSUE] = fmax(0, parts[PART_ISSUE] - relief->issue_us);
    parts[PART_SHARED] *= left_of(out.wavefronts, relief->wavefronts);
    parts[PART_L1] *= left_of(out.l1_passes, relief->passes);
    parts[PART_DRAM] *= left_of(out.dram_bytes, relief->dram_bytes);
    if (!(parts[PART_L2] > ways))
        parts[PART_L2] = fmax(0, fmax(out.there_us - relief->there_us,
                                      out.back_us - relief->back_us));
    ptx_join(&out);
    return fmin(out.predicted_us, prediction->predicted_us);
}

/* What the units of the SMs are busy for, times a factor. */
static void scale_units(Prediction *p, double factor)
{
    double *const of_sms[] = { &p->parts_us[PART_ISSUE], &p->parts_us[PART_PIPE],
                               &p->parts_us[PART_SHARED], &p->parts_us[PART_L1], &p->lsu_us,
                               &p->pipe_us };
    for (size_t i = 0; i < sizeof of_sms / sizeof *of_sms; i++)
        *of_sms[i] *= factor;
}

double ptx_predict_imbalance_us(const Prediction *prediction)
{
    Prediction out = *prediction, even = *prediction;
    if (out.certainty == CERTAINTY_UNKNOWN)
        return (double)NAN;
    scale_units(&even, 1 / out.busiest_share);
    out.waves = even.waves = 0;
    ptx_join(&out);                 /* without the bound */
    ptx_join(&even);
    return fmax(0, out.predicted_us - even.predicted_us);
}

double ptx_predict_spread_us(const Prediction *prediction, double share, double repeats)
{
    Prediction out = *prediction;
    if (out.certainty == CERTAINTY_UNKNOWN)
        return (double)NAN;
    scale_units(&out, share);
    out.parts_us[PART_LATENCY] *= fmax(share, 1 / fmax(repeats, 1));
    ptx_join(&out);
    return fmin(out.predicted_us, prediction->predicted_us);
}
