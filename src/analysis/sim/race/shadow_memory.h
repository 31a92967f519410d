/* shadow_memory.h -- numbers in global memory while blocks are run, and which block wrote or read
 * them.
 *
 * The contents of memory before a launch are unknown: here each word begins with a number made of
 * its address, so that a run is one that data allow, and what is loaded is the same wherever it is
 * loaded from. Numbers that come from memory are marked as assumed; so a branch or an address that
 * rests on them is in doubt, and what holds without such doubt holds for all data. */
#ifndef PTX_ANALYSIS_SIM_RACE_SHADOW_MEMORY_H
#define PTX_ANALYSIS_SIM_RACE_SHADOW_MEMORY_H

#include "analysis/sim/value.h"
#include "ir/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Machine Machine;
typedef struct Observer Observer;
typedef struct Arena Arena;

typedef struct Toucher {        /* the access that did it */
    const Func *func;
    InsnId insn;
    InsnId place;               /* in the kernel's own function: it, or the call that leads to it */
    uint32_t run;               /* so many-th block that was run, from 1 on; 0: none */
    uint16_t thread;
} Toucher;

typedef struct Stored {
    Toucher by;                 /* the last of several threads */
    uint16_t threads[4];        /* per byte */
    uint32_t value;
    /* bytes of the word, a bit each: written; with a number that is known */
    uint8_t mask, known;
    uint8_t several;            /* by several threads */
    /* which do not store the same: what is left in the word is not known */
    bool is_mixed;
} Stored;

typedef struct Word {           /* of global memory: four bytes */
    uint64_t address;           /* on the base that the machine counts with */
    AddendId addend;
    Stored last, first;         /* by the block that ran last; left by the first that wrote here */
    /* of what was there before the block: in the block that ran last; in the first that did */
    Toucher reader, first_reader;
} Word;

enum { MAX_WORDS = 1 << 16, TOUCHED_BITS = 64 };

typedef struct ShadowMemory {
    Machine *machine;           /* whose memory it is; its run ends where this is lost */
    Arena *arena;
    Word *words;
    uint32_t *table;            /* by address: into words, + 1 */
    uint32_t word_count, word_capacity, table_size;
    uint32_t found;             /* word that was found last */
    /* a bit for each word: the block that runs asked for it */
    uint64_t touched[MAX_WORDS / TOUCHED_BITS];
    uint32_t run;               /* of the block that runs */
    const struct ShadowMemory *before;      /* what another block left; NULL */
    bool is_lost;               /* a store may go anywhere, or there are too many words */
} ShadowMemory;

ShadowMemory *ptx_shadow_memory_new(Arena *arena, Machine *machine);

/* NULL: not touched. */
Word *ptx_shadow_memory_find(const ShadowMemory *contents, AddendId addend, uint64_t address);

/* What it holds before the launch. */
uint32_t ptx_shadow_memory_initial(AddendId addend, uint64_t address);

/* Before the so many-th block runs. */
void ptx_shadow_memory_begin(ShadowMemory *contents, uint32_t run);

/* The runs to come of the machine that has this observer load from these contents and store to
 * them. */
void ptx_shadow_memory_observe(Observer *observer, ShadowMemory *contents);

#endif
