/* residency.h -- how a function is launched, what a block of it takes of an SM, and how many blocks
 * of it are resident on a GPU at once. Numbers below 0: not known. */
#ifndef PTX_SESSION_RESIDENCY_H
#define PTX_SESSION_RESIDENCY_H

#include "analysis/flow/types.h"
#include "analysis/registers/register_count.h"
#include "gpu/occupancy.h"

typedef struct Bounds Bounds;
typedef struct Launch Launch;

/* A launch as the launch file gives it, else as the directives bind it. */
/* What CUDA refuses of a launch: the first of these that is so. */
typedef enum LaunchFault {
    LAUNCH_TAKEN,               /* nothing that is known */
    LAUNCH_OTHER_BLOCK,         /* not that of .reqntid */
    LAUNCH_LARGE_BLOCK,         /* more threads than .maxntid allows */
    LAUNCH_LARGE_GRID,          /* too many blocks in y or z for any GPU */
    LAUNCH_DEEP_BLOCK,          /* too many threads in z for any GPU */
    LAUNCH_OTHER_CLUSTER,       /* not that of .reqnctapercluster */
    LAUNCH_LARGE_CLUSTER,       /* more blocks than .maxclusterrank allows */
    LAUNCH_UNEVEN_GRID,         /* no multiple of the cluster */
    LAUNCH_FAULT__COUNT
} LaunchFault;

typedef struct LaunchShape {
    int64_t grid[3], block[3], cluster[3];
    int64_t dynamic_shared_bytes;
    int64_t blocks, threads_per_block, warps_per_block, warps, idle_lanes;
    bool is_block_assumed;      /* nothing gives the block: that of .maxntid, or a common one */
    LaunchFault fault;
    const char *error;          /* fault in words; NULL: none */
} LaunchShape;

/* assumes_block: a block is put in where nothing gives one. */
LaunchShape ptx_launch_shape_find(const Func *func, const Launch *launch, bool assumes_block);

/* Threads that .reqntid, else .maxntid allows; NaN without them. */
double ptx_bounds_threads(const Bounds *bounds);

/* What a function takes, whatever its launch. */
typedef struct Demand {
    int64_t static_shared_bytes, local_bytes, param_bytes;
    int64_t barriers;           /* named barriers, those of all that it calls included */
    bool may_use_dynamic_shared;
} Demand;

/* What demands of all functions of a module rest on. For one thread at a time. */
typedef struct DemandScan DemandScan;
DemandScan *ptx_demand_scan_new(Arena *arena, const Module *module);

/* calls may be NULL: then nothing is known of what is called. scratch is left as found. */
Demand ptx_demand_compute(DemandScan *scan, Arena *scratch, const CallGraph *calls, FuncId func);

/* What `ptxas -v` said of a function. */
typedef struct PtxasUsage {
    int64_t registers;          /* per thread */
    int64_t barriers;           /* named barriers */
    int64_t shared_bytes;       /* static */
    int64_t spill_store_bytes, spill_load_bytes;        /* per thread */
    /* per thread: with those of called functions where the log has it, else the function's own
     * frame */
    int64_t stack_bytes;
} PtxasUsage;

typedef enum RegisterSource {
    REGISTERS_UNKNOWN,
    REGISTERS_MAX_LIVE,
    REGISTERS_PTXAS,
    REGISTERS_MODEL
} RegisterSource;

/* Waves of blocks. NaN too: not known. */
typedef struct Waves {
    double count, tail_percent, utilisation_percent;
    int64_t full, tail_blocks;
} Waves;

typedef struct Residency {
    int64_t registers, registers_low, registers_high, register_cap;
    RegisterSource source;
    bool is_calibrated;
    Spills spills;
    double spilled;             /* registers of a thread in local memory, ptxas's or the model's */
    Resources resources;
    Occupancy occupancy;
    Waves waves;
} Residency;

typedef struct ResidencyInput {
    const Gpu *gpu;
    const LaunchShape *shape;
    const Demand *demand;
    const PtxasUsage *said;     /* NULL: nothing */
    const Pressure *model;      /* NULL: there is none */
    int64_t max_live;           /* registers; the last resort */
    /* that a thread may have, as for a trial of -maxrregcount; 0: as many as it takes */
    int64_t max_registers;
} ResidencyInput;

Residency ptx_residency_compute(const ResidencyInput *in);

#endif
