/* allocation.h -- an observer of a machine: accesses behind the end of what a parameter points to,
 * where the launch says how large that is. */
#ifndef PTX_ANALYSIS_SIM_RACE_ALLOCATION_H
#define PTX_ANALYSIS_SIM_RACE_ALLOCATION_H

#include "analysis/sim/observer.h"
#include "ir/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Launch Launch;

typedef struct AllocationEnds {
    Machine *machine;           /* that it observes */
    const Func *kernel;
    const Launch *launch;
    Observer observer;
    /* the first such access, of a thread that certainly makes it; func NULL: none yet */
    const Func *func;
    InsnId insn;                /* of func */
    InsnId place;               /* in the kernel: the access itself, or the call that leads to it */
    uint32_t thread, bytes;     /* thread: of the block */
    bool is_write;
    uint32_t param;             /* position */
    uint64_t offset;            /* from where it points to */
} AllocationEnds;

/* It observes the machine. */
void ptx_allocation_ends_attach(AllocationEnds *ends);

#endif
