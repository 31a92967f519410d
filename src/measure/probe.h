/* probe.h -- what is measured, as a table: a step of PTX, how often a loop repeats it, on how many
 * threads, and what a figure is of the time.
 *
 * Each kernel is run with two counts of iterations. The figure follows from the difference, so what
 * a launch, the set-up and the end take is not in it. */
#ifndef PTX_MEASURE_PROBE_H
#define PTX_MEASURE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ProbeForm {
    FORM_CLOCKS,        /* clocks of a step */
    FORM_PER_CLOCK,     /* of an SM: steps of all its threads, times amount, in a clock */
    FORM_BANDWIDTH,     /* GB/s: bytes of all threads */
    FORM_PICOSECONDS,   /* of the GPU for a step of a warp, over amount */
    FORM_MHZ,           /* clocks of an SM in a microsecond */
    FORM_TIMES,         /* clocks of single loads, sorted */
    FORM_LAUNCHES,      /* ns from one launch to the next */
    FORM_BLOCKS         /* ns from one block to the next of a grid */
} ProbeForm;

/* What memory holds. */
typedef enum ProbeData { DATA_ZEROS, DATA_CHAIN } ProbeData;

typedef struct Probe {
    const char *key;            /* the kernel's name, too */
    const char *figure;         /* of a GPU file; NULL: none */
    const char *unit;
    const char *opcode;         /* whose published rate it is held against; NULL */
    const char *how;            /* a clause for the source of the figure */
    const char *setup, *step;   /* PTX; # is the number of the chain, a digit */
    double amount;
    uint64_t span;              /* bytes that addresses stay in: a power of two */
    uint16_t sm;                /* least compute capability, 80; 0: any */
    uint16_t version;           /* least PTX version, 78; 0: 6.0 */
    uint16_t unroll;            /* steps of an iteration */
    uint16_t threads;           /* of a block */
    uint16_t iterations;        /* of the shorter run; the longer one has three times as many */
    uint8_t blocks;             /* an SM has; 0: one block in all */
    uint8_t chains;             /* registers that steps take in turns */
    uint8_t less;               /* arithmetic latencies that are in a step beside it */
    char sink;                  /* registers of the results: r, f, d or l */
    ProbeForm form;
    ProbeData data;
} Probe;

extern const Probe ptx_probes[];
extern const size_t ptx_probe_count;

/* PTX of it, with one kernel that takes (u64 out, u64 data, u32 iterations, u32 zero, f32 half,
 * u64 mask, u64 step): for malloc's free. NULL: no memory.
 *
 * Block number i writes at out + 16 i the clocks and the ns (%globaltimer) of its loop. */
char *ptx_probe_text(const Probe *probe);

#endif
