/* block_schedule.h -- when the last block of a launch ends, if blocks do not all do as much.
 *
 * Blocks start in their order (x fastest), each in the first place that is free: list scheduling
 * (Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM J. Appl. Math. 1969). One with much
 * to do costs nothing more where it starts early, and all it has where it starts last. */
#ifndef PTX_ANALYSIS_TIME_BLOCK_SCHEDULE_H
#define PTX_ANALYSIS_TIME_BLOCK_SCHEDULE_H

#include "support/arena.h"

/* How much later they end than if all did as much, in the work of an average block; none may take
 * longer than `longest`, in the same unit. 0 or more. scratch is left as found. */
double ptx_block_schedule_excess(Arena *scratch, const float *works, uint32_t count, double slots,
                                 double longest);

/* Of blocks that all start at once, one to each SM in their order and so on: what the SM that has
 * most to do has of it, over what an SM has on average. 1 or more. scratch is left as found. */
double ptx_block_schedule_busiest(Arena *scratch, const float *works, uint32_t count, uint32_t sms);

#endif
