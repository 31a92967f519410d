/* gpu.h -- what is known of a GPU: the figures and pipelines of one file of rules/gpus/.
 *
 * The files are compiled in as tables (gen_gpus.c writes them with the reader of load.c); a user's
 * own file is read at run time by the same reader. A product or a variant names its base, whose
 * figures it inherits with their sources. */
#ifndef PTX_GPU_GPU_H
#define PTX_GPU_GPU_H

#include "isa/isa.h"

#include <math.h>
#include <string.h>

typedef enum FigureId {
#define FG(id, ...) FIGURE_##id,
#include "gpu/figures.def"
#undef FG
    FIGURE__COUNT
} FigureId;

typedef enum MachineOp {
#define MO(id, ...) MACHINE_##id,
#include "gpu/machine.def"
#undef MO
    MACHINE__COUNT
} MachineOp;

typedef enum PipeId {
#define PI(id, ...) PIPE_##id,
#include "gpu/pipes.def"
#undef PI
    PIPE__COUNT
} PipeId;

typedef struct FigureInfo { const char *key, *section, *unit, *what; } FigureInfo;
typedef struct NameInfo { const char *key, *what; } NameInfo;

extern const FigureInfo ptx_figure_info[FIGURE__COUNT];
extern const NameInfo ptx_machine_info[MACHINE__COUNT];
extern const NameInfo ptx_pipe_info[PIPE__COUNT];

enum { GPU_CARVEOUTS_MAX = 16, GPU_SOURCES_MAX = 1024 };

/* A warp's operation of class m holds the pipe for  warp_size / lanes * takes[m]  clocks. */
typedef struct Pipe {
    /* per clock and SM; 0: the GPU has no such pipe, or it is not published */
    double lanes;
    float takes[MACHINE__COUNT];        /* 0: does not use it */
    uint16_t source;                    /* into Gpu.sources */
} Pipe;

/* Apart from what points: a program that is loaded need not touch them. */
typedef struct GpuFacts {
    double figures[FIGURE__COUNT];      /* NaN: absent */
    uint16_t figure_sources[FIGURE__COUNT];     /* into Gpu.sources */
    Pipe pipes[PIPE__COUNT];
} GpuFacts;

typedef struct Gpu {
    const char *name;                   /* "h200", "sm_90": the file's, lower case */
    const char *product;                /* "NVIDIA H200 SXM"; "": an architecture */
    const char *architecture;           /* "Hopper" */
    const char *sm;                     /* "sm_90" */
    const char *base;                   /* whose figures it inherits; NULL */
    Target target;                      /* sm_90 */
    const double *figures;      /* these: of its GpuFacts */
    const uint16_t *figure_sources;
    const Pipe *pipes;
    /* sizes that shared memory of an SM can be set to, ascending, bytes */
    uint32_t carveouts[GPU_CARVEOUTS_MAX];
    uint32_t carveout_count;
    uint16_t carveout_source;
    const char *const *sources;         /* [0] is "" */
    uint32_t source_count;
} Gpu;

extern const Gpu ptx_gpus[];            /* products by name, then architectures by number */
extern const uint32_t ptx_gpu_count;

static inline void ptx_gpu_use(Gpu *gpu, const GpuFacts *facts)
{
    gpu->figures = facts->figures;
    gpu->figure_sources = facts->figure_sources;
    gpu->pipes = facts->pipes;
}

/* Into facts that can be set; its texts are those of the other. */
static inline void ptx_gpu_copy(Gpu *to, GpuFacts *facts, const Gpu *from)
{
    *to = *from;
    memcpy(facts->figures, from->figures, sizeof facts->figures);
    memcpy(facts->figure_sources, from->figure_sources, sizeof facts->figure_sources);
    memcpy(facts->pipes, from->pipes, sizeof facts->pipes);
    ptx_gpu_use(to, facts);
}

/* A product ("h200") or an architecture ("sm_90", "sm_90a", "compute_90"); NULL where there is none
 * of that name. */
const Gpu *ptx_gpu_find(const char *name, size_t length);

/* The architecture of a target, features aside; NULL where no file describes it. */
const Gpu *ptx_gpu_find_target(Target target);

static inline bool ptx_gpu_has(const Gpu *gpu, FigureId figure)
{
    return !isnan(gpu->figures[figure]);
}

/* Both have the same figure, or neither has it. */
static inline bool ptx_gpu_agrees(const Gpu *a, const Gpu *b, FigureId figure)
{
    if (!ptx_gpu_has(a, figure) || !ptx_gpu_has(b, figure))
        return ptx_gpu_has(a, figure) == ptx_gpu_has(b, figure);
    return !(a->figures[figure] < b->figures[figure] || a->figures[figure] > b->figures[figure]);
}

static inline bool ptx_gpu_agrees_on(const Gpu *a, const Gpu *b, const FigureId *figures,
                                     size_t count)
{
    bool agrees = true;
    for (size_t i = 0; i < count; i++)
        agrees &= ptx_gpu_agrees(a, b, figures[i]);
    return agrees;
}

/* The H200: most of what models of time ask for was measured on it alone. */
extern const Gpu *const ptx_gpu_measured;

/* A figure of such a model: the GPU's own, else the H200's. gpu: NULL where none is asked for. */
static inline double ptx_gpu_figure(const Gpu *gpu, FigureId figure)
{
    const Gpu *of = gpu && ptx_gpu_has(gpu, figure) ? gpu : ptx_gpu_measured;
    return of->figures[figure];
}

typedef enum FigureKind {
    FIGURE_OF_BOUNDS,           /* what the hardware has, or does at the most */
    FIGURE_SUSTAINED            /* what it was measured to take or to sustain: no bound's */
} FigureKind;

FigureKind ptx_figure_kind(FigureId figure);

/* What it must be, "a whole number from 1 to 2147483647"; NULL: the value is that. */
const char *ptx_figure_refuses(FigureId figure, double value);

/* A figure that counts something; absent: otherwise. */
static inline int64_t ptx_gpu_count_of(const Gpu *gpu, FigureId figure, int64_t otherwise)
{
    return ptx_gpu_has(gpu, figure) ? (int64_t)gpu->figures[figure] : otherwise;
}

#endif
