#include "analysis/time/relief.h"

#include "analysis/sim/count.h"
#include "isa/isa.h"

#include <math.h>

enum { SECTOR_BYTES = 32, SECTORS_OF_LINE = 4, SECTORS_OF_PIECE = 2 };

double ptx_relief_beyond_l1(const Op *op, const Count *count, double lost)
{
    if (!(op->flags & OPF_LOAD) || !(count->requests > 0))
        return count->sectors;
    const double first = fmin(1, count->waits / count->requests);
    return count->sectors * (first + (1 - first) * lost);
}

/* In as many lines of 128 bytes. used: of the sectors' bytes, those that lanes ask for. */
static L2Traffic l2_traffic(const Op *op, double sectors, double lines, double used,
                            double dram_bytes)
{
    const bool is_in_part = used < SECTOR_BYTES * sectors;
    return op->flags & OPF_LOAD
               ? (L2Traffic){ .load_lines = lines,
                              .load_pieces = fmax(sectors / SECTORS_OF_PIECE, lines),
                              .fresh_sectors = dram_bytes / SECTOR_BYTES }
               : (L2Traffic){ .store_lines = lines,
                              .store_sectors = sectors,
                              .store_parts = is_in_part ? fmax(0, sectors - lines) : 0 };
}

static Relief relieve_global(const Gpu *gpu, const Prediction *of, const Op *op,
                             const Count *count, const IdealAccess *ideal)
{
    const double beyond = ptx_relief_beyond_l1(op, count, of->lost),
                 left = fmin(beyond, fmax(ideal->sectors, ideal->used_together * count->sectors)),
                 each = op->flags & OPF_LOAD ? of->read_bytes : of->written_bytes,
                 dram = beyond * each, dram_left = fmin(dram, left * SECTOR_BYTES);
    const L2Traffic now = l2_traffic(op, beyond, count->lines * beyond / count->sectors,
                                     count->used_bytes, dram),
                    then = l2_traffic(op, left, left / SECTORS_OF_LINE, SECTOR_BYTES * left,
                                      dram_left);
    double there, back, there_left, back_left;
    ptx_predict_l2_us(gpu, &now, &there, &back);
    ptx_predict_l2_us(gpu, &then, &there_left, &back_left);
    return (Relief){
        .passes = fmax(0, count->passes
                              - fmax(ideal->sectors / SECTORS_OF_LINE, count->requests)),
        .there_us = fmax(0, there - there_left),
        .back_us = fmax(0, back - back_left),
        .dram_bytes = dram - dram_left,
    };
}

Relief ptx_relief_of_access(const Gpu *gpu, const Prediction *of, const Op *op,
                            const Count *count, const IdealAccess *ideal)
{
    if (count->sectors > 0)
        return relieve_global(gpu, of, op, count, ideal);
    const double taken = count->wavefronts - count->spared_wavefronts;
    return (Relief){ .wavefronts = fmax(0, taken - ideal->wavefronts) };
}

void ptx_relief_add(Relief *to, const Relief *more)
{
    to->issue_us += more->issue_us;
    to->wavefronts += more->wavefronts;
    to->passes += more->passes;
    to->there_us += more->there_us;
    to->back_us += more->back_us;
    to->dram_bytes += more->dram_bytes;
}

double ptx_relief_of_slots(const Prediction *of, double percent)
{
    const double us = of->parts_us[PART_ISSUE] * fmin(percent, 100) / 100;
    const bool is_held = of->limiter == PART_ISSUE || of->limiter == PART_PIPE
                         || of->limiter == PART_LATENCY;
    return is_held ? 100 * fmin(1, us / of->predicted_us)
                   : ptx_relief_percent(of, &(Relief){ .issue_us = us });
}

double ptx_relief_percent(const Prediction *of, const Relief *relief)
{
    return 100 * (1 - ptx_predict_relieved_us(of, relief) / of->predicted_us);
}
