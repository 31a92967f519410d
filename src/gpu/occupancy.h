/* occupancy.h -- how many blocks of a kernel an SM can hold at once, and what limits them.
 *
 * Each resource allows so many blocks; the least of these is the answer. For compute capability 3.0
 * and later the rules are those of cuda_occupancy.h [1], with partitioned global caching off and
 * the default carve-out; for 2.x those of its earlier release [2], for 1.x those of the spreadsheet
 * [3]:
 *   - warps: a block takes whole warps;
 *   - registers: a warp's are rounded up to the unit, and warps are dealt to the sub-partitions,
 *     each with its part of the
 *     register file. A launch is checked as if every sub-partition took as many warps as the
 *     fullest. 1.x: a block's are
 *     rounded up, its warps counted in pairs. 2.x: see register_unit in occupancy.c;
 *   - shared memory: static, dynamic and reserved bytes together are rounded up to the unit;
 *   - barriers: from 9.0 on;
 *   - blocks: a number that no kernel can pass.
 * [2] also counts warps in pairs against the warp limit of 1.x, which [3] and the papers of the
 *     time do not; we follow [3].
 * Left out: virtual resources of 10.x to 12.x, which are not in PTX.
 * [1] cuda_occupancy.h, CUDA 13.0   [2] cuda_occupancy.h, CUDA 7.0
 * [3] CUDA_Occupancy_calculator.xls, CUDA 3.0; CUDA C Programming Guide 3.2, "Hardware
 *     Multithreading" */
#ifndef PTX_GPU_OCCUPANCY_H
#define PTX_GPU_OCCUPANCY_H

#include "gpu/gpu.h"

typedef enum Limiter {
    LIMITER_WARPS,
    LIMITER_REGISTERS,
    LIMITER_SHARED,
    LIMITER_BLOCKS,
    LIMITER_BARRIERS,
    LIMITER__COUNT
} Limiter;

extern const char *const ptx_limiter_text[LIMITER__COUNT];

/* Why no block can run: the first that applies. */
typedef enum LaunchError {
    LAUNCH_OK,
    LAUNCH_CLUSTER,
    LAUNCH_THREADS,
    LAUNCH_REGISTERS,
    LAUNCH_SHARED,
    LAUNCH_BARRIERS,
    LAUNCH__COUNT
} LaunchError;

/* a clause; NULL for LAUNCH_OK */
extern const char *const ptx_launch_error_text[LAUNCH__COUNT];

#define LIMIT_NONE \
    INT64_MAX /* of Occupancy.limits: the kernel uses none of the resource, or it is not limited */

/* What a block takes. Negative: not known. */
typedef struct Resources {
    int64_t threads_per_block, registers_per_thread;
    int64_t static_shared_bytes, dynamic_shared_bytes;
    /* named barriers; 16 where their numbers are not constants */
    int64_t barriers;
    int64_t cluster_blocks;             /* 0 and 1: no cluster */
    /* the kernel did not opt in to larger shared memory or clusters */
    bool default_limits;
} Resources;

/* A field that is not known is -1, percent NaN. */
typedef struct Occupancy {
    int64_t limits[LIMITER__COUNT];     /* blocks per SM that each allows */
    /* per SM: unknown resources at their largest, and not counted */
    int64_t blocks_at_least, blocks_at_most;
    int64_t blocks_per_sm;              /* where both are equal */
    /* resident; lanes of a last warp that is not full are not threads */
    int64_t warps_per_sm, threads_per_sm;
    double percent;                     /* of the SM's warps */
    /* 1u << Limiter: all known limits equal to blocks_at_most; 0 with LAUNCH_CLUSTER */
    uint32_t limiters;
    LaunchError error;                  /* where blocks_at_most is 0 */

    /* rounded up; shared with the reserved bytes */
    int64_t registers_allocated_per_block, shared_allocated_per_block;
    /* per thread, for one more block; 0: no such number, another limit stands */
    int64_t registers_to_free;
    int64_t registers_free;             /* per thread, that could be added without losing a block */
    int64_t shared_to_free, shared_free;        /* the same in bytes of a block */
    /* least setting of shared memory that holds blocks_per_sm; drivers often take a larger one. -1
     * also where no setting is known */
    int64_t carveout_bytes;

    bool cluster_needs_optin;           /* larger than what is portable */
    /* on the whole GPU: all SMs full. A cluster lies in one GPC, and how many SMs each has is not
     * published, so there may be fewer */
    int64_t clusters_at_most;
} Occupancy;

extern const Occupancy ptx_occupancy_unknown;

/* False where the GPU lacks a figure that no answer can do without; *out is then zero. */
bool ptx_occupancy_compute(const Gpu *gpu, const Resources *resources, Occupancy *out);

typedef struct OccupancyPoint {
    int64_t threads_per_block;
    int64_t blocks_per_sm, warps_per_sm;        /* -1: not known */
    double percent;
    uint32_t limiters;
    bool is_best;                       /* no other size has more warps; all that tie */
} OccupancyPoint;

enum { OCCUPANCY_POINTS_MAX = 64 };     /* 32 warps a block are the most of any GPU so far */

typedef struct OccupancyCurve {
    OccupancyPoint points[OCCUPANCY_POINTS_MAX];        /* 1, 2, 3, ... warps */
    uint32_t count;
} OccupancyCurve;

/* The first of the limiters; -1: not known. */
int ptx_occupancy_limiter(const Occupancy *occupancy);

/* The same kernel, dynamic shared memory included, with other block sizes. threads_per_block of
 * resources is not read. */
bool ptx_occupancy_sweep(const Gpu *gpu, const Resources *resources, OccupancyCurve *out);

#endif
