/* in_flight.h -- what a warp has begun and waits for later: copies to shared memory and matrix
 * products, by the groups that it closes; copies by mbarrier, whose phases complete in the order in
 * which their bytes were announced. */
#ifndef PTX_ANALYSIS_TIME_IN_FLIGHT_H
#define PTX_ANALYSIS_TIME_IN_FLIGHT_H

#include "analysis/flow/types.h"

#include <stdbool.h>

enum { MAX_IN_FLIGHT = 64 };    /* groups; the oldest ones are forgotten first */

typedef enum InFlightQueue {
    IN_FLIGHT_COPIES,           /* cp.async */
    IN_FLIGHT_BULK,             /* cp.async.bulk into shared memory, by mbarrier */
    IN_FLIGHT_MATRIX,           /* wgmma */
    IN_FLIGHT__COUNT
} InFlightQueue;

typedef struct InFlight {       /* zero: nothing */
    struct {
        double done[MAX_IN_FLIGHT];     /* when the group is complete, by number */
        uint32_t closed, waited;        /* groups so far */
        double open;                    /* when what no group holds yet is complete */
    } queues[IN_FLIGHT__COUNT];
} InFlight;

typedef enum InFlightStep {
    IN_FLIGHT_NONE,
    IN_FLIGHT_COPY,             /* begins a copy */
    IN_FLIGHT_MULTIPLY,         /* begins a product */
    IN_FLIGHT_ANNOUNCE,         /* of bytes that an mbarrier waits for: a copy, and its group */
    IN_FLIGHT_CLOSE,            /* a group */
    IN_FLIGHT_WAIT,             /* until at most so many groups are under way */
    IN_FLIGHT_WAIT_ALL,         /* for what no group holds, too */
    IN_FLIGHT_WAIT_NEXT,        /* for the oldest one */
} InFlightStep;

typedef struct InFlightInsn {
    InFlightStep step;
    InFlightQueue queue;
    uint32_t left;              /* of IN_FLIGHT_WAIT */
    double bytes;               /* of IN_FLIGHT_ANNOUNCE; 0: not known */
} InFlightInsn;

InFlightInsn ptx_in_flight_insn(const Func *func, const Insn *insn);

/* A warp waits there: for a copy, a product, or the block's other warps. */
bool ptx_in_flight_is_wait(InFlightStep step);

/* It only begins there, and what it does to shared memory takes no time of the warp. */
bool ptx_in_flight_is_begin(InFlightStep step);

void ptx_in_flight_begin(InFlight *flight, InFlightQueue queue, double done);
void ptx_in_flight_close(InFlight *flight, InFlightQueue queue);

/* When the wait is over, of those that it waits for. */
double ptx_in_flight_wait(InFlight *flight, const InFlightInsn *wait);

#endif
