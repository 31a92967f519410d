/* interval.h -- elements of global memory that two warps of one block touch in one barrier interval,
 * one of them to write it: seen by an observer of a machine while a block runs.
 *
 * A barrier interval is what a warp executes from one barrier of the whole block to the next
 * (Betts et al., "GPUVerify: A Verifier for GPU Kernels", OOPSLA 2012). The kernel has no other
 * order between warps than such barriers: the caller has looked. */
#ifndef PTX_ANALYSIS_SIM_RACE_INTERVAL_H
#define PTX_ANALYSIS_SIM_RACE_INTERVAL_H

#include "analysis/sim/value.h"
#include "ir/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Machine Machine;
typedef struct Observer Observer;

typedef struct IntervalAccess { /* by a thread; func NULL: there is none */
    const Func *func;
    InsnId insn;
    uint16_t thread;
} IntervalAccess;

typedef struct IntervalElement {
    uint64_t address;           /* on the base that the machine counts with */
    AddendId addend;
    uint32_t interval;          /* of those that touch it, from 0 on */
    uint8_t bytes;
    /* several warps write it, or one a number that is the same in all lanes: who reads it may find
     * the same before and behind */
    bool is_alike;
    IntervalAccess writer;
    IntervalAccess readers[2];  /* of two warps */
} IntervalElement;

typedef struct Intervals {
    Machine *machine;
    Arena *arena;
    IntervalElement *elements;  /* in the order in which they were touched first */
    uint32_t *table;            /* by address and interval: into elements, + 1 */
    uint32_t count, capacity, table_size;
    uint32_t *passed;           /* per warp: barriers */
    bool is_lost;               /* some threads of a warp alone came to a barrier, or may have */
} Intervals;

Intervals *ptx_intervals_new(Arena *arena, Machine *machine, uint32_t warp_count);

/* One block is to run on the machine that has this observer. */
void ptx_intervals_observe(Observer *observer, Intervals *intervals);

/* The one of its readers that is of another warp than its only writer; NULL: there is none. */
const IntervalAccess *ptx_interval_other(const IntervalElement *element);

#endif
