/* touched.h -- how many bytes of global memory a launch touches for certain, seen by an observer of
 * a machine.
 *
 * A footprint (footprint.h) says how many at most where blocks share some or leave some out. Here
 * every sector is marked that a block is proved to touch (block_stride.h), so what is counted is
 * there. Where a budget ends it is fewer, and still there. */
#ifndef PTX_ANALYSIS_SIM_COST_TOUCHED_H
#define PTX_ANALYSIS_SIM_COST_TOUCHED_H

#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef struct Blocks Blocks;
typedef struct Machine Machine;
typedef struct TouchedSectors TouchedSectors;

typedef struct TouchedBytes {
    double read;                /* that the launch has not written before */
    double written;
} TouchedBytes;

/* Watches the runs of the machine to come. counts: per instruction of the kernel: whether all that
 * it touches is certain. Owned by arena. */
TouchedSectors *ptx_touched_new(Arena *arena, Machine *machine, const Func *kernel,
                                const bool *counts);

/* A run is over: it stands for these blocks. */
void ptx_touched_close(TouchedSectors *touched, const Blocks *blocks);

TouchedBytes ptx_touched_sum(const TouchedSectors *touched);

#endif
