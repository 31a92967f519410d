/* footprint_watch.h -- gives a footprint the requests of a machine's runs. */
#ifndef PTX_ANALYSIS_SIM_COST_FOOTPRINT_WATCH_H
#define PTX_ANALYSIS_SIM_COST_FOOTPRINT_WATCH_H

#include "analysis/sim/observer.h"

typedef struct Footprint Footprint;

typedef struct FootprintWatch {
    Observer observer;
    Machine *machine;
    Footprint *footprint;
} FootprintWatch;

/* It must outlive the machine. */
void ptx_footprint_watch(FootprintWatch *watch, Machine *machine, Footprint *footprint);

#endif
