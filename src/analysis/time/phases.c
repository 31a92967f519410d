#include "analysis/time/phases.h"

#include <math.h>

#define MOST 3.0                /* that resources which are busy at once are joined by */
#define ALONE_WARPS 4.0         /* one for each scheduler: nothing is beside it */
#define HIDING_WARPS 32.0
#define HIDING_BLOCKS 4.0
#define HIDING_STEPS 2.0        /* blocks, of which one loads */
/* Blocks that load a row, meet, and store it before they load the next (blocks.cu): with 4 KB of an
 * SM under way the power that joins waits with transfers is 1.2 to 1.4, with 8 KB 1.5 to 1.6, with
 * 16 KB 1.6 to 1.9, with 32 KB 1.7 to 2.3 and with 64 KB 2.1 to 2.8, on an H200 and on an H100. */
#define TURN_BYTES 4096.0
#define TURN_LEAST 1.2
#define TURN_DOUBLED 0.3

static double exponent_at(double at, double alone, double hiding)
{
    return 1 + (MOST - 1) * fmax(0, fmin(1, (at - alone) / (hiding - alone)));
}

static double exponent_of_turns(const PhasesInput *in)
{
    if (!(in->turn_bytes > 0))
        return MOST;
    const double doubled = log2(in->turn_bytes * in->blocks / TURN_BYTES);
    return fmax(1, fmin(MOST, TURN_LEAST + TURN_DOUBLED * doubled));
}

Phases ptx_phases_find(const PhasesInput *in)
{
    const double warps = in->blocks * in->warps_per_block,
                 of_warps = exponent_at(warps, ALONE_WARPS, HIDING_WARPS),
                 of_blocks = fmin(of_warps, exponent_at(in->blocks, 1, HIDING_BLOCKS)),
                 waits = exponent_of_turns(in);
    if (in->is_in_steps)
        return (Phases){ MOST, fmax(of_warps, exponent_at(in->blocks, 1, HIDING_STEPS)), waits };
    return (Phases){ of_warps + fmin(1, in->barriers_of_round) * (of_blocks - of_warps), MOST,
                     waits };
}
