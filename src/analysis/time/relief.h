/* relief.h -- what a launch would take, did some of its accesses move no more than their lanes ask
 * for.
 *
 * An access takes wavefronts of shared memory, or passes through L1, what L1 does not hold on the
 * way to L2 and back, and of that what L2 does not hold from memory. What it has of these beyond
 * its ideal goes, the rest of the launch stays, and what limits it next is seen when the parts of
 * the prediction (predict.h) are joined anew. What L1 or L2 catch costs nothing behind them, so
 * nothing is gained there either. Waits stay as they are. */
#ifndef PTX_ANALYSIS_TIME_RELIEF_H
#define PTX_ANALYSIS_TIME_RELIEF_H

#include "analysis/time/join.h"

typedef struct Op Op;

typedef struct IdealAccess {    /* of the launch, as its Count is */
    double sectors, wavefronts;
    /* of the sectors that are moved, the share of which this and other accesses use the bytes: no
     * less comes from beyond L1 */
    double used_together;
} IdealAccess;

/* Sectors that L1 does not hold; of a store all. lost: Cached's. */
double ptx_relief_beyond_l1(const Op *op, const Count *count, double lost);

Relief ptx_relief_of_access(const Gpu *gpu, const Prediction *prediction, const Op *op,
                            const Count *count, const IdealAccess *ideal);

void ptx_relief_add(Relief *to, const Relief *more);

/* Of the predicted time, what so many percent of the issue slots save: as much as slots take of it
 * where they, a pipeline or a warp's own instructions hold it; else what is predicted without
 * them. */
double ptx_relief_of_slots(const Prediction *prediction, double percent);

/* Of the predicted time, the percentage that is saved. */
double ptx_relief_percent(const Prediction *prediction, const Relief *relief);

#endif
