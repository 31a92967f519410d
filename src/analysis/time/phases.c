#include "analysis/time/phases.h"

#include <math.h>

#define MOST 3.0                /* that resources which are busy at once are joined by */
#define ALONE_WARPS 4.0         /* one for each scheduler: nothing is beside it */
#define HIDING_WARPS 32.0
#define HIDING_BLOCKS 4.0
#define HIDING_STEPS 2.0        /* blocks, of which one loads */

static double exponent_at(double at, double alone, double hiding)
{
    return 1 + (MOST - 1) * fmax(0, fmin(1, (at - alone) / (hiding - alone)));
}

Phases ptx_phases_find(const PhasesInput *in)
{
    const double warps = in->blocks * in->warps_per_block,
                 of_warps = exponent_at(warps, ALONE_WARPS, HIDING_WARPS),
                 of_blocks = fmin(of_warps, exponent_at(in->blocks, 1, HIDING_BLOCKS));
    if (in->is_in_steps)
        return (Phases){ MOST, fmax(of_warps, exponent_at(in->blocks, 1, HIDING_STEPS)) };
    return (Phases){ of_warps + fmin(1, in->barriers_of_round) * (of_blocks - of_warps), MOST };
}
