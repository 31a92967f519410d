/* guess.h -- numbers taken for parameters and trips that the launch does not give. */
#ifndef PTX_ANALYSIS_SIM_GUESS_H
#define PTX_ANALYSIS_SIM_GUESS_H

#include "analysis/flow/types.h"

/* that the launch does not give, and that an address, a guard or a branch rests on */
typedef struct AssumedParam {
    uint32_t position, offset, bytes;   /* of the parameter; in it */
    uint64_t number;            /* the bits that were taken for it */
    bool is_float, is_part;     /* of a parameter that is larger */
} AssumedParam;

enum {
    MAX_GUESSED = 16,
    /* elements that data give to a thread, or to threads that share them: rows of sparse matrices
     * and lists of neighbours have tens. A loop whose counter goes on by several comes around less
     * often */
    GUESSED_ELEMENTS = 16,
};

/* of a loop of the kernel: neither the code nor the launch says how many */
typedef struct GuessedTrips {
    LoopId loop;
    uint32_t count;
    bool is_steered;            /* steered_loop.h: counted, though data lead it */
    bool is_ordered, is_sampled;        /* SteeredLoop's */
} GuessedTrips;

/* What lanes find may come together: by a warp's instructions, a barrier, an atomic. Else each has
 * a list of its own, though lists may lie side by side. */
bool ptx_lanes_meet(const Func *func);

#endif
