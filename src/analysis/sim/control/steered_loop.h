/* steered_loop.h -- loops whose iterations data steer, but do not count.
 *
 * A binary search takes one half of its range or the other, by what it loads; how often it halves
 * does not depend on which. So do bisections and merges. The loop is gone through once for one
 * lane, without memory: where a comparison rests on what was loaded, an outcome is chosen. Chosen
 * are all false, all true, and both mixed; where the loop ends each time by a comparison that is
 * known, the mixed one says how often it runs.
 *
 * Other loops work on a number that was loaded before them until nothing is left of it: shifts,
 * x & (x - 1), remainders by Euclid [1], iterations that converge. Where all that decides is
 * computed from such numbers, the loop is gone through for random ones: the mean is how often it
 * runs. Counters are left out: how far they go says the data alone. */
/* [1] Knuth, "The Art of Computer Programming", 2, 4.5.3: 0.843 ln(n) + 1.47 divisions on average,
 *     4.785 log10(n) + 0.6 at most (Lame) */
#ifndef PTX_ANALYSIS_SIM_CONTROL_STEERED_LOOP_H
#define PTX_ANALYSIS_SIM_CONTROL_STEERED_LOOP_H

#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"

typedef struct SteeredLoop {
    int64_t stays;              /* each time that the loop is entered; -1: not known */
    /* what is loaded is compared with numbers that are known: of the thread, of the launch. So
     * lanes side by side look for what lies side by side. */
    bool is_ordered;
    bool is_sampled;            /* the mean of random numbers */
} SteeredLoop;

/* How often the branch stays in its loop. The warp is at the branch, for the first time since the
 * loop was entered. */
SteeredLoop ptx_steered_loop_find(Machine *machine, Warp *warp, InsnId branch);

#endif
