/* kernel_run.h -- what everything takes that runs a kernel on a machine (sim.h). */
#ifndef PTX_ANALYSIS_ACCESS_KERNEL_RUN_H
#define PTX_ANALYSIS_ACCESS_KERNEL_RUN_H

#include "ir/types.h"

#include <stdbool.h>

typedef struct Arena Arena;
typedef struct Defs Defs;
typedef struct JoinableRow JoinableRow;
typedef struct Launch Launch;
typedef struct PointsToSet PointsToSet;
typedef struct SimProgram SimProgram;

typedef struct KernelRun {
    Arena *arena;               /* of what is found */
    Arena *work, *scratch;      /* two others, left as found */
    const SimProgram *program;
    FuncId kernel;
    const Launch *launch;       /* NULL: nothing of it is given */
    const JoinableRow *rows;    /* per instruction, what ptxas joins; NULL: it is not asked for */
    const PointsToSet *bases;   /* of the kernel; NULL: not computed */
    const Defs *defs;           /* of the kernel; NULL: not computed */
} KernelRun;

#endif
