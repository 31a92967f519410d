/* Why figures of a report are not known: beside them in each of its forms. */
#include "report/report.h"

#include <math.h>
#include <string.h>

static const char no_gpu[] = "no file describes the GPU of this target (--gpu)";
static const char needs_product[] =
    "this takes SMs, clock and memory bandwidth, which a product has (--gpu h200)";

static const char no_shape[] =
    "the shape of a tcgen05.mma is in its instruction descriptor, which is not a constant";

static bool is_written_product(const ptxlint_projection *projection)
{
    return isfinite(ptxlint_gpu_value(projection->gpu, "sms"));
}

const char *ptx_why_no_gpu(void)
{
    return no_gpu;
}

const char *ptx_why_estimate(const ptxlint_projection *projection)
{
    if (!projection)
        return no_gpu;
    if (projection->executed.why || projection->time.why)
        return projection->executed.why ? projection->executed.why : projection->time.why;
    return isfinite(projection->time.predicted_us) ? NULL : "such a launch is not modelled";
}

const char *ptx_why_bytes(const ptxlint_projection *projection)
{
    const char *why = ptx_why_estimate(projection);
    if (why || isfinite(projection->time.dram_bytes))
        return why;
    return "how many bytes come from memory is not known: of bulk copies, textures and surfaces, "
           "of arrays beyond 32, or that reach beyond 64 TiB";
}

const char *ptx_why_roofline(const ptxlint_projection *projection)
{
    const char *why = ptx_why_bytes(projection);
    if (why || isfinite(projection->roofline.attainable_gflops))
        return why;
    if (projection->roofline.why)
        return projection->roofline.why;
    return projection->roofline.flops > 0 ? "no byte comes from memory"
                                          : ptx_why_flops(projection->executed.flops_tensor);
}

const char *ptx_why_flops(double tensor)
{
    return isnan(tensor) ? no_shape : "no floating-point operations";
}

const char *ptx_why_concurrency(const ptxlint_projection *projection)
{
    if (!projection)
        return no_gpu;
    if (!is_written_product(projection))
        return needs_product;
    return isfinite(projection->concurrency.warps)
               ? NULL
               : "warps on an SM take grid and block (--grid, --block)";
}

const char *ptx_why_waves(const ptxlint_projection *projection)
{
    if (!projection)
        return no_gpu;
    if (isfinite(projection->waves))
        return NULL;
    if (!is_written_product(projection))
        return needs_product;
    if (projection->occupancy.blocks_per_sm == PTXLINT_UNKNOWN)
        return "how many blocks fit an SM is not known: occupancy says why";
    return projection->occupancy.blocks_per_sm > 0 ? "the grid is not known (--grid, --launch)"
                                                   : "no block fits an SM";
}

const char *ptx_why_occupancy(const ptxlint_projection *projection)
{
    if (!projection)
        return no_gpu;
    if (projection->occupancy.error)
        return projection->occupancy.error;
    if (projection->occupancy.blocks_per_sm != PTXLINT_UNKNOWN)
        return NULL;
    return ptx_why_resource(projection);
}

const char *ptx_why_cycles(const ptxlint_cycles *cycles)
{
    bool has_shortest = true, has_total = true, is_shape_missing = false;
    for (size_t i = 0; cycles && i < cycles->pipe_count; i++) {
        /* of the matrix unit alone */
        is_shape_missing |= has_total && isnan(cycles->pipes[i].total)
                            && !strcmp(cycles->pipes[i].pipe, "tensor");
        has_shortest &= isfinite(cycles->pipes[i].shortest);
        has_total &= isfinite(cycles->pipes[i].total) && isfinite(cycles->pipes[i].longest);
    }
    if (!cycles || !cycles->pipe_count)
        return no_gpu;
    if (!has_shortest)
        return "what an instruction costs on this GPU is not known";
    if (!has_total)
        return is_shape_missing ? no_shape
                                : "how often a loop runs (its trips say why), or what a call takes "
                                  "(as of a recursion), is not known";
    return cycles->bound_total ? NULL : "which pipeline takes longest is not known";
}

const char *ptx_why_peak(const ptxlint_peak *peak)
{
    if (!peak)
        return no_gpu;
    if (!isfinite(peak->issue_gops))
        return needs_product;
    if (isfinite(peak->attainable_gflops))
        return NULL;
    return isfinite(peak->flops_per_byte)
               ? "no floating-point operations"
               : "operations for each byte of global memory are not known";
}

const char *ptx_why_mix(const ptxlint_mix *mix)
{
    if (!mix->instruction_count)
        return "there are no instructions";
    if (isfinite(mix->flops_fp32) && isfinite(mix->global_bytes))
        return mix->has_unknown_shapes ? no_shape : NULL;
    return mix->has_assumed_trips ? "how often a loop runs is not known (its trips say why)"
                                  : "what an instruction works on is not known";
}

const char *ptx_why_parallelism(const ptxlint_parallelism *p)
{
    if (!p || !isfinite(p->instructions))
        return "machine instructions are modelled of kernels that the launch reaches, for targets "
               "that are known";
    if (isfinite(p->carried_clocks) && isfinite(p->mlp))
        return NULL;
    return isfinite(p->mlp) ? "there is no loop here" : "no loads of global memory";
}

const char *ptx_why_trip(const ptxlint_trip *trip)
{
    if (trip->why)
        return trip->why;
    return isfinite(trip->count)
               ? NULL
               : "the expression rests on values that are not known (--launch, --param)";
}
