/* global_ranges.h -- which words of global memory blocks write and read, by one run for many of
 * them, seen by an observer of a machine.
 *
 * It proves one thing: that no block touches a word that another one writes. What shadow_memory.h
 * would find of blocks that are apart need not be looked for. */
#ifndef PTX_ANALYSIS_SIM_RACE_GLOBAL_RANGES_H
#define PTX_ANALYSIS_SIM_RACE_GLOBAL_RANGES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Blocks Blocks;
typedef struct GlobalRanges GlobalRanges;
typedef struct Machine Machine;

/* Watches the runs of the machine to come. Owned by arena. */
GlobalRanges *ptx_global_ranges_new(Arena *arena, Machine *machine);

/* From here on loads are kept too: without, it is only known that some may meet a store. */
void ptx_global_ranges_keep_loads(GlobalRanges *ranges);

/* A run is over, which stands for all these blocks. False: some store of it may go anywhere, rests
 * on data, or there are too many. */
bool ptx_global_ranges_end_run(GlobalRanges *ranges, const Blocks *ran);

/* Of that run, what the block touches, which is one of them: the so many-th. False: too many. */
bool ptx_global_ranges_add(GlobalRanges *ranges, const Blocks *ran, const uint32_t block[3],
                           uint32_t number);

/* Some load is from where blocks store to, and was not kept. */
bool ptx_global_ranges_lack_loads(const GlobalRanges *ranges);

/* No block touches a word that another one stores to. */
bool ptx_global_ranges_are_apart(GlobalRanges *ranges);

#endif
