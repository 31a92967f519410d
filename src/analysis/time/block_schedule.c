#include "analysis/time/block_schedule.h"

#include <math.h>

/* The least of a heap takes on more, and sinks. */
static void extend_first(double *ends, uint32_t count, double more)
{
    double end = ends[0] + more;
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && ends[child + 1] < ends[child])
            child++;
        if (child >= count || ends[child] >= end)
            break;
        ends[at] = ends[child];
        at = child;
    }
    ends[at] = end;
}

static double last_end(const double *ends, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, ends[i]);
    return most;
}

double ptx_block_schedule_excess(Arena *scratch, const float *works, uint32_t count, double slots,
                                 double longest)
{
    double sum = 0, out = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)works[i];
    if (!(sum > 0) || !(slots >= 1) || count <= slots)
        return 0;
    ArenaMark mark = ptx_arena_mark(scratch);
    uint32_t places = (uint32_t)slots;
    double *ends = ptx_arena_array(scratch, double, places), mean = sum / count;
    for (uint32_t i = 0; i < count; i++)
        extend_first(ends, places, fmin((double)works[i] / mean, longest));
    out = fmax(0, last_end(ends, places) - ceil(count / (double)places));
    ptx_arena_release(scratch, mark);
    return out;
}

double ptx_block_schedule_busiest(Arena *scratch, const float *works, uint32_t count, uint32_t sms)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    double *done = ptx_arena_array(scratch, double, sms), sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        done[i % sms] += (double)works[i];
        sum += (double)works[i];
    }
    const double most = last_end(done, sms);
    ptx_arena_release(scratch, mark);
    return sum > 0 ? most * sms / sum : 1;
}
