/* register_count.h -- how many registers ptxas will give each thread of a kernel.
 *
 * What it makes of the kernel (sass.h) is put in order block by block as a scheduler does that
 * hides latency, and one that saves registers (list_schedule.h); figures of both, and what else
 * bears on it (features.def), go to regression trees that were fitted to what ptxas 13.0 gives
 * thousands of kernels for sm_75 to sm_121 (trees.txt says how). So an estimate, with a band that
 * holds nine in ten of such kernels. */
#ifndef PTX_ANALYSIS_REGISTERS_REGISTER_COUNT_H
#define PTX_ANALYSIS_REGISTERS_REGISTER_COUNT_H

#include "analysis/flow/func_flow.h"

#include <stdbool.h>

typedef struct Bounds Bounds;
typedef struct Lowered Lowered;
typedef struct Arena Arena;
typedef struct Gpu Gpu;

typedef enum PressureFeature {
#define PF(id, what) PRESSURE_##id,
#include "analysis/registers/features.def"
#undef PF
    PRESSURE__COUNT
} PressureFeature;

typedef enum Spills { SPILLS_UNKNOWN, SPILLS_UNLIKELY, SPILLS_POSSIBLE, SPILLS_LIKELY } Spills;

typedef struct Pressure {
    bool is_known;              /* the function is small enough for it, and free of errors */
    /* fitted to measurements of such targets; else the band is wide, by judgement */
    bool is_calibrated;
    Spills spills;              /* of what the cap leaves no room for */
    /* per thread; of nine in ten kernels like those of the fit from low to high */
    uint32_t registers, low, high;
    uint32_t spilled;           /* registers of a thread that the cap leaves no room for */
    uint32_t cap;               /* the most that directives and the machine leave a thread */
    uint16_t features[PRESSURE__COUNT];
} Pressure;

/* The most registers that directives and the machine leave a thread. */
uint32_t ptx_pressure_cap(const Gpu *gpu, const Bounds *bounds);

/* Of a function, it is the same for both. */
bool ptx_pressure_is_alike(const Gpu *a, const Gpu *b);

/* The trees were fitted to such targets, and to code that is optimised. */
bool ptx_pressure_is_calibrated(const Gpu *gpu, const Module *module);

/* False: what ptx_pressure_compute says of spills is not SPILLS_LIKELY. It costs nothing. */
bool ptx_pressure_may_spill(const Gpu *gpu, const Func *func, const Live *live);

/* What ptx_pressure_compute says of spills, without the orders that hide latency: SPILLS_LIKELY;
 * SPILLS_POSSIBLE where only it knows; else it does not say SPILLS_LIKELY. Scratch is left as
 * found. */
Spills ptx_pressure_find_spills(Arena *scratch, const FuncFlow *flow, const Live *live,
                                const Lowered *lowered, const Gpu *gpu);

/* live may be NULL: nothing is known then. Scratch is left as found. */
Pressure ptx_pressure_compute(Arena *scratch, const FuncFlow *flow, const Live *live,
                              const Lowered *lowered, const Gpu *gpu);

#endif
