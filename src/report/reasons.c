/* Why a member of an object is null: the object's "reasons", by its key. What `why` of the object
 * says of all its figures is not repeated. */
#include "report/json_writer.h"

#include <math.h>
#include <string.h>

static const char unread[] = "parts of the function could not be read";
static const char no_launch[] = "a .func has no launch of its own: kernels that call it do";
static const char no_directive[] = "the function has no such directive";
static const char more_shared[] =
    "functions that it calls, or a variable without a size, may take more shared memory";
static const char more_barriers[] =
    "a function that it calls is not known, or the number of a barrier is not in the code";

typedef struct Keyed {
    const char *key, *why;
} Keyed;

static const char *find_keyed(const Keyed *all, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (*all[i].key == *key && !strcmp(all[i].key, key))
            return all[i].why;
    return NULL;
}

/* ---- of files and GPUs ----------------------------------------------------------------------- */

const char *ptx_reason_gpu(const char *key, const void *of)
{
    if (!of)
        return "no file describes the GPU of this target, or files have several";
    return strcmp(key, "product") != 0 ? NULL : "an architecture, which is no product (--gpu h200)";
}

const char *ptx_reason_file(const char *key, const void *of)
{
    static const Keyed all[] = { { "ptx_version", "the file has no .version" },
                                 { "target", "the file has no .target" } };
    (void)of;
    return find_keyed(all, sizeof all / sizeof *all, key);
}

/* ---- of kernels ------------------------------------------------------------------------------ */

const char *ptx_reason_launch(const char *key, const void *of)
{
    static const Keyed all[] = {
        { "grid", "the grid is not known (--grid, --launch)" }, { "blocks", "the grid is not known (--grid, --launch)" },
        { "warps", "the grid is not known (--grid, --launch)" }, { "cluster", "no cluster is given (--cluster, --launch)" },
        { "dynamic_shared", "it is not known (--dynamic-shared, --launch)" }, { "block", "the block is not known (--block, --launch)" },
        { "threads_per_block", "the block is not known (--block, --launch)" }, { "warps_per_block", "the block is not known (--block, --launch)" },
        { "idle_lanes", "the block is not known (--block, --launch)" },
    };
    const ptxlint_kernel *kernel = of;
    return kernel->is_entry ? find_keyed(all, sizeof all / sizeof *all, key) : no_launch;
}

const char *ptx_reason_registers(const char *key, const void *of)
{
    const ReasonContext *context = of;
    if (!strcmp(key, "spill_stores") || !strcmp(key, "spill_loads") || !strcmp(key, "stack"))
        return "known from ptxas only (--ptxas, --ptxas-log)";
    if (context->kernel->has_syntax_error || !strncmp(key, "max_live", 8) || !strcmp(key, "live"))
        return unread;
    if (!context->projection)
        return ptx_why_no_gpu();
    return context->kernel->is_entry
               ? "the model does not cover this target"
               : "a .func has no registers of its own: kernels that call it do";
}

const char *ptx_reason_resources(const char *key, const void *of)
{
    (void)of;
    if (!strcmp(key, "static_shared_bytes") || !strcmp(key, "barriers"))
        return *key == 's' ? more_shared : more_barriers;
    return strcmp(key, "local_bytes") != 0 && strcmp(key, "param_bytes") != 0 ? no_directive
                                                                              : unread;
}

static const char *unknown_shared(const ptxlint_resources *r)
{
    return r->static_shared_bytes == PTXLINT_UNKNOWN
               ? more_shared
               : "dynamic shared memory is not known (--dynamic-shared, --launch)";
}

const char *ptx_why_resource(const ptxlint_projection *p)
{
    if (p->registers == PTXLINT_UNKNOWN)
        return "registers are not known";
    if (p->resources.static_shared_bytes == PTXLINT_UNKNOWN
        || p->resources.dynamic_shared_bytes == PTXLINT_UNKNOWN)
        return unknown_shared(&p->resources);
    return p->resources.threads_per_block == PTXLINT_UNKNOWN
               ? "the block is not known (--block, --launch)"
               : more_barriers;
}

const char *ptx_reason_occupancy(const char *key, const void *of)
{
    const ptxlint_projection *p = ((const ReasonContext *)of)->projection;
    if (!p)
        return NULL;
    if (!strcmp(key, "registers"))
        return "registers are not known";
    if (!strcmp(key, "clusters_at_most") && p->occupancy.blocks_at_most != PTXLINT_UNKNOWN)
        return isfinite(ptxlint_gpu_value(p->gpu, "sms"))
                   ? "no cluster is given (--cluster, --launch)"
                   : "an architecture has no number of SMs (--gpu h200)";
    if (!strcmp(key, "carveout_bytes") && p->occupancy.shared_allocated_per_block != PTXLINT_UNKNOWN
        && p->occupancy.blocks_per_sm != PTXLINT_UNKNOWN)
        return "this GPU has no such setting, or none that is published";
    return ptx_why_resource(p);
}

/* ---- of pipelines, peaks and times ----------------------------------------------------------- */

static double clocks_at(const ptxlint_pipe_cycles *pipe, const char *key)
{
    if (!strcmp(key, "total"))
        return pipe->total;
    return !strcmp(key, "longest") ? pipe->longest : pipe->shortest;
}

/* The pipeline with the most clocks is not known where one of them is not, and there is none where
 * no pipeline is held. */
const char *ptx_reason_bound(const char *key, const void *of)
{
    const ptxlint_cycles *cycles = of;
    bool is_all_known = true;
    if (!cycles || !cycles->pipe_count)
        return ptx_why_no_gpu();
    for (size_t i = 0; i < cycles->pipe_count; i++)
        is_all_known &= isfinite(clocks_at(&cycles->pipes[i], key)) != 0;
    if (is_all_known)
        return "no pipeline is known to be held";
    if (!strcmp(key, "shortest"))
        return "what an instruction on the way costs on this GPU is not known";
    return "clocks of a pipeline are not known: trips of a loop, a call, or what an instruction "
           "costs";
}

const char *ptx_reason_ceiling(const ptxlint_peak *peak, const char *name)
{
    bool is_memory = !strcmp(name, "memory") || !strcmp(name, "l2");
    if (!isfinite(peak->issue_gops))
        return "it takes SMs and a clock, which a product has (--gpu h200)";
    if (is_memory && !isfinite(peak->flops_per_byte))
        return "operations for each byte of global memory are not known, or no byte is moved";
    return is_memory ? "the bandwidth is not published"
                     : "the GPU has no such unit, or its rate is not published";
}

const char *ptx_reason_peak(const char *key, const void *of)
{
    const ptxlint_peak *peak = of;
    if (!peak || !isfinite(peak->issue_gops))
        return NULL;
    if (!strcmp(key, "flops_per_byte"))
        return "no bytes of global memory are counted, or the operations are not known";
    if (!strcmp(key, "potential_gflops"))
        return "no floating-point operations, or the rate of their pipeline is not known";
    return !strcmp(key, "attainable_gflops") || !strcmp(key, "ceiling")
               ? "no floating-point operations with a known rate"
               : "not in the GPU's file";
}

const char *ptx_reason_estimate(const char *key, const void *of)
{
    const ptxlint_projection *p = of;
    if (ptx_why_estimate(p))
        return NULL;
    if (!strncmp(key, "bound", 5))
        return p->time.bound_why ? p->time.bound_why : "no work of the launch is sure to take time";
    if (!strcmp(key, "dram_bytes"))
        return ptx_why_bytes(p);
    if (!strcmp(key, "flops_tensor"))
        return ptx_why_flops(p->executed.flops_tensor);
    return !strcmp(key, "machine") ? "what the launch executes is not known"
                                   : "not known of such a launch";
}

const char *ptx_reason_bottleneck(const char *key, const void *of)
{
    const ptxlint_projection *p = of;
    if (ptx_why_estimate(p))
        return NULL;
    if (!strcmp(key, "next"))
        return "nothing but the limiter takes time";
    if (!strcmp(key, "advice"))
        return "nothing is known to move the limiter";
    return "waves of blocks are not known, or blocks differ in how much they do";
}

const char *ptx_reason_roofline(const char *key, const void *of)
{
    const ptxlint_projection *p = of;
    if (ptx_why_estimate(p) || !p)
        return NULL;
    if (ptx_why_bytes(p))
        return ptx_why_bytes(p);
    if (p->roofline.why)
        return p->roofline.why;
    if (!strcmp(key, "flops_per_byte"))
        return "no byte comes from memory";
    return p->roofline.flops > 0 ? "the rate of a pipeline, or of memory, is not known"
                                 : ptx_why_flops(p->executed.flops_tensor);
}

const char *ptx_reason_concurrency(const char *key, const void *of)
{
    const ptxlint_projection *p = of;
    if (ptx_why_concurrency(p) && strcmp(key, "loop") != 0)
        return NULL;
    return !strcmp(key, "loop") ? "no loop has loads under way"
                                : "what a loop, or the rest, has under way is not known";
}

const char *ptx_reason_parallelism(const char *key, const void *of)
{
    const ptxlint_parallelism *p = of;
    if (!p || !isfinite(p->instructions))
        return NULL;
    if (!strcmp(key, "carried_clocks"))
        return "there is no loop here";
    if (!strcmp(key, "mlp"))
        return "no loads of global memory";
    return !strcmp(key, "ilp") ? "no instructions" : "latencies of its instructions are not known";
}

/* ---- of loops, accesses and branches --------------------------------------------------------- */

const char *ptx_reason_loop(const char *key, const void *of)
{
    static const Keyed all[] = { { "label", "its header has no label" },
                                 { "parent", "no loop is around it" } };
    (void)of;
    return find_keyed(all, sizeof all / sizeof *all, key);
}

const char *ptx_reason_trip(const char *key, const void *of)
{
    const ptxlint_trip *trip = of;
    if (trip->source == PTXLINT_TRIP_USER)
        return "the trips are as given: the code was not asked";
    if (!strcmp(key, "step") && trip->induction)
        return "the step is not a constant";
    if (!strcmp(key, "count") || !strcmp(key, "min") || !strcmp(key, "max"))
        return trip->source == PTXLINT_TRIP_SYMBOLIC
                   ? "the expression rests on values that are not known (--launch, --param)"
                   : NULL;
    if (!strcmp(key, "bound") && trip->induction)
        return "what the counter is compared with has no closed form";
    if (!strcmp(key, "start") && trip->induction)
        return "the first value of the counter has no closed form";
    if (trip->source == PTXLINT_TRIP_UNKNOWN)
        return NULL;
    return !strcmp(key, "expression")
               ? "the count has no closed form: iterations were followed one by one"
               : "no single register counts";
}

const char *ptx_reason_hot_line(const char *key, const void *of)
{
    const ptxlint_hot_line *line = of;
    if (!strcmp(key, "time_percent"))
        return "no time is predicted: estimate says why";
    if (!strcmp(key, "source"))
        return NULL;
    return line->certainty == PTXLINT_NOT_KNOWN
               ? "the addresses of an access in this line depend on data"
               : "the grid is not known (--grid, --launch)";
}

const char *ptx_reason_access(const char *key, const void *of)
{
    static const Keyed all[] = {
        { "sectors_per_request", "no request of it is to global memory" }, { "ideal_sectors_per_request", "no request of it is to global memory" },
        { "lines_per_request", "no request of it is to global memory" },
        { "segments_per_request", "no request of it is to global memory" },
        { "used_bytes_per_request", "no request of it is to global memory" }, { "moved_bytes_per_request", "no request of it is to global memory" },
        { "wavefronts_per_request", "no request of it is to shared memory" }, { "ideal_wavefronts_per_request", "no request of it is to shared memory" },
        { "addresses_per_request", "no request of it is to constant memory or parameters" },
        { "efficiency", "no least is defined for such an access" }, { "pattern", "no two lanes side by side take part" },
        { "bytes", "how much it moves is not in the code" }, { "active_threads", "no request of it was counted" },
        { "shapes", "sectors are of global memory, wavefronts of shared memory, addresses of constant memory" },
    };
    const ptxlint_access *access = of;
    if (!strcmp(key, "function"))
        return "it is in the kernel itself";
    if (strcmp(key, "shapes") != 0 && !isfinite(access->active_threads))
        return NULL;
    if (strcmp(key, "stride_bytes") != 0)
        return find_keyed(all, sizeof all / sizeof *all, key);
    return access->pattern ? "lanes are at no one stride, or it depends on a parameter"
                           : "no two lanes side by side take part";
}

const char *ptx_reason_branch(const char *key, const void *of)
{
    const ReasonContext *context = of;
    if (!strcmp(key, "source"))
        return NULL;
    if (!strcmp(key, "meets_line"))
        return "the ways meet at the end of the function, or never";
    if (!context->kernel->is_entry)
        return no_launch;
    return context->kernel->has_syntax_error ? unread
                                             : "it was not evaluated: that takes grid and block, "
                                               "and a condition that data do not decide";
}
