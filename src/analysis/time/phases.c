#include "analysis/time/phases.h"

#include <math.h>

#define MOST 3.0                /* that resources which are busy at once are joined by */
#define ALONE_WARPS 4.0         /* one for each scheduler: nothing is beside it */
#define HIDING_WARPS 32.0
#define HIDING_BLOCKS 4.0

static double between(double at, double alone, double hiding)
{
    return 1 + (MOST - 1) * fmax(0, fmin(1, (at - alone) / (hiding - alone)));
}

double ptx_phase_exponent(const PhasesInput *in)
{
    if (in->is_in_steps)
        return MOST;
    const double of_warps = between(in->blocks * in->warps_per_block, ALONE_WARPS, HIDING_WARPS);
    const double of_blocks = fmin(of_warps, between(in->blocks, 1, HIDING_BLOCKS));
    return of_warps + fmin(1, in->barriers_of_round) * (of_blocks - of_warps);
}
