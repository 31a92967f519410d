/* price.h -- what the requests of a run cost, where what lies at an address is known only in part,
 * and their pattern: added to what the machine counts. */
#ifndef PTX_ANALYSIS_SIM_COST_PRICE_H
#define PTX_ANALYSIS_SIM_COST_PRICE_H

#include "analysis/sim/observer.h"

typedef struct Func Func;
typedef struct Gpu Gpu;
typedef struct JoinableRow JoinableRow;

struct Copied;                  /* price.c */

typedef struct Price {
    Observer observer;
    Machine *machine;
    const Gpu *gpu;             /* whose memory serves; NULL: of none that is known */
    /* what ptxas joins of this function, per instruction; NULL: it is not asked for */
    const Func *func;
    const JoinableRow *rows;
    struct Copied *copied;      /* the table of the last cp.async that got one, and how many did */
    unsigned copied_count;
} Price;

/* It must outlive the machine. */
void ptx_price_attach(Price *price, Machine *machine, const Gpu *gpu);

#endif
