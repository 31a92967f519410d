/* trip.h -- trip counts of loops, and branches that the launch decides.
 *
 * The condition of each exit is followed back through the registers to an expression over
 * parameters, special registers and induction variables (a register that every iteration changes by
 * a constant step). From start, step, bound and comparison the number of iterations follows in
 * closed form, in the arithmetic of the register's width. */
#ifndef PTX_ANALYSIS_TRIPS_TRIP_H
#define PTX_ANALYSIS_TRIPS_TRIP_H

#include "analysis/flow/func_flow.h"
#include "support/arena.h"

typedef struct Launch Launch;

typedef enum TripSource {
    TRIP_UNKNOWN,
    TRIP_CODE,                  /* constant in the code */
    TRIP_LAUNCH,                /* from the launch's grid, block, cluster and parameters */
    TRIP_USER,                  /* LaunchTrip */
    TRIP_SYMBOLIC,              /* expression only: what is in it is not known */
} TripSource;

typedef struct Trip {
    TripSource source;
    /* iterations of the body each time the loop is entered, mean over threads and entries; NaN */
    double count;
    double count_min, count_max;        /* over all threads and entries; NaN: not known */
    bool is_exact;              /* every thread and entry makes `count` */
    /* another exit may leave earlier: count_min does not count it (is 1 or 0) */
    bool is_upper;
    /* the header runs once more than the body; false also where it is the body, and the rest counts
     * */
    bool tests_first;
    RegId induction;            /* register of the deciding exit; NO_ID */
    int64_t step;               /* per iteration; of `induction` */
    const char *start, *bound;  /* as expressions: "0", "n", "%tid.x"; NULL */
    const char *expression;     /* of count: "ceil((n - 4) / 4)"; NULL where unknown */
    const char *why;            /* not known: why, in words; NULL */
} Trip;

typedef enum Taken { TAKEN_UNKNOWN, TAKEN_NEVER, TAKEN_ALWAYS } Taken;

typedef struct Trips {
    const Trip *trips;          /* per loop */
    /* per block: Taken, of the guarded bra that ends it, the same for all threads and iterations */
    const uint8_t *taken;
} Trips;

/* Per loop: the iterations that the launch gives it, by the label of its header or by a line of it;
 * -1: none. */
const int64_t *ptx_trips_given(Arena *arena, const Module *module, const Func *func, const Cfg *cfg,
                               const Loops *loops, const Launch *launch);

/* Owned by arena; scratch, another arena, is left as found. launch may be NULL: nothing is
 * known. */
const Trips *ptx_trips_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                               const Launch *launch);

#endif
