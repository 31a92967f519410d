#include "analysis/time/peak.h"
#include "gpu/gpu.h"

const char *const ptx_ceiling_text[CEILING__COUNT] = {
    [CEILING_FP32_FMA] = "fp32 fma", [CEILING_FP32] = "fp32 add or multiply", [CEILING_FP64_FMA] = "fp64 fma", [CEILING_FP64] = "fp64 add or multiply",
    [CEILING_FP16_FMA] = "fp16 fma", [CEILING_FP16] = "fp16 add or multiply",
    [CEILING_TENSOR] = "tensor", [CEILING_MEMORY] = "memory", [CEILING_L2] = "l2",
};

/* 10^9 results a second of all SMs. */
static double rate_gops(const Gpu *gpu, double per_clk)
{
    return gpu->figures[FIGURE_SMS] * per_clk * gpu->figures[FIGURE_CLOCK_MHZ] / 1000;
}

static double lanes_for(const Gpu *gpu, PipeId id, MachineOp machine)
{
    const Pipe *pipe = &gpu->pipes[id];
    return pipe->lanes > 0 && pipe->takes[machine] > 0 ? pipe->lanes / (double)pipe->takes[machine]
                                                       : (double)NAN;
}

/* Most results of a class per clock, whichever pipes it takes; NaN where none but the issue slots
 * take it, and the GPU has no such arithmetic. */
static double class_lanes(const Gpu *gpu, MachineOp machine)
{
    double lanes = (double)NAN, issue = lanes_for(gpu, PIPE_ISSUE, machine);
    for (int p = 0; p < PIPE__COUNT; p++) {
        double here = p != PIPE_ISSUE ? lanes_for(gpu, (PipeId)p, machine) : (double)NAN;
        if (!isnan(here) && !(here >= lanes))
            lanes = here;
    }
    return issue < lanes ? issue : lanes;
}

/* The fastest of the types in the mix, of fp16 where there is none; NaN where one of them is not
 * known. */
static double tensor_lanes(const Gpu *gpu, const Mix *mix)
{
    double most = mix->tensor_rates ? 0 : gpu->figures[FIGURE_TENSOR_F16];
    for (int i = 0; i <= FIGURE_TENSOR_B1 - FIGURE_TENSOR_F16; i++) {
        double rate = gpu->figures[FIGURE_TENSOR_F16 + i];
        if (mix->tensor_rates >> i & 1 && !(rate <= most))
            most = isnan(most) ? most : rate;
    }
    return most;
}

static void find_ceilings(const Gpu *gpu, const Mix *mix, Peak *out)
{
    double fp32 = class_lanes(gpu, MACHINE_FP32), fp64 = class_lanes(gpu, MACHINE_FP64),
           fp16 = class_lanes(gpu, MACHINE_FP16);
    out->ceilings[CEILING_FP32_FMA] = rate_gops(gpu, 2 * fp32);
    out->ceilings[CEILING_FP32] = rate_gops(gpu, fp32);
    out->ceilings[CEILING_FP64_FMA] = rate_gops(gpu, 2 * fp64);
    out->ceilings[CEILING_FP64] = rate_gops(gpu, fp64);
    /* two in a packed operation */
    out->ceilings[CEILING_FP16_FMA] = rate_gops(gpu, 2 * 2 * fp16);
    out->ceilings[CEILING_FP16] = rate_gops(gpu, 2 * fp16);
    out->ceilings[CEILING_TENSOR] = rate_gops(gpu, 2 * tensor_lanes(gpu, mix));
    out->ceilings[CEILING_MEMORY] = out->flops_per_byte * out->memory_gb_per_s;
    out->ceilings[CEILING_L2] = out->flops_per_byte * gpu->figures[FIGURE_L2_GB_PER_S];
    if (!(mix->weighted_global_bytes > 0))
        out->ceilings[CEILING_MEMORY] = out->ceilings[CEILING_L2] = (double)NAN;
}

/* Flops that an operation of each kind makes at most. */
static const double flops_most[FLOPS__COUNT] = { 2, 2, 4, 1 };

static void find_rates(const Mix *mix, Peak *out)
{
    static const CeilingId fused[FLOPS__COUNT] = { CEILING_FP32_FMA, CEILING_FP64_FMA,
                                                   CEILING_FP16_FMA, CEILING_TENSOR };
    static const CeilingId plain[FLOPS__COUNT] = { CEILING_FP32, CEILING_FP64, CEILING_FP16,
                                                   CEILING_TENSOR };
    for (int f = 0; f < FLOPS__COUNT; f++) {
        double ops = mix->weighted_float_ops[f],
               each = ops > 0 ? mix->weighted_flops[f] / ops : flops_most[f];
        out->rates[f] = out->ceilings[fused[f]] * (each < flops_most[f] ? each / flops_most[f] : 1);
        out->rate_of[f] = 2 * each > flops_most[f] ? fused[f] : plain[f];
    }
}

/* Each kind of flops is held to its own pipeline by its part of them all; they share the issue
 * slots. */
static void find_attainable(const Mix *mix, Peak *out)
{
    double all = 0;
    out->attainable_gflops = (double)NAN;
    out->ceiling = CEILING__COUNT;
    for (int f = 0; f < FLOPS__COUNT; f++)
        all += mix->weighted_flops[f];
    for (int f = 0; f < FLOPS__COUNT && all > 0; f++) {
        double most = mix->weighted_flops[f] > 0 ? out->rates[f] * all / mix->weighted_flops[f]
                                                 : (double)NAN;
        if (!isnan(most) && !(most >= out->attainable_gflops)) {
            out->attainable_gflops = most;
            out->ceiling = out->rate_of[f];
        }
    }
    if (out->attainable_gflops < out->potential_gflops)
        /* as of fp64, whose pipeline is narrower */
        out->potential_gflops = out->attainable_gflops;
    if (all > 0 && out->ceilings[CEILING_MEMORY] < out->attainable_gflops) {
        out->attainable_gflops = out->ceilings[CEILING_MEMORY];
        out->ceiling = CEILING_MEMORY;
    }
}

void ptx_peak_compute(const Gpu *gpu, const Mix *mix, Peak *out)
{
    double insns = mix->weighted_insn_count, flops = 0;
    double issue = gpu->pipes[PIPE_ISSUE].lanes > 0 ? gpu->pipes[PIPE_ISSUE].lanes : (double)NAN;
    for (int f = 0; f < FLOPS__COUNT; f++)
        flops += mix->weighted_flops[f];
    out->issue_gops = rate_gops(gpu, issue);
    out->peak_gflops = rate_gops(gpu, 2 * class_lanes(gpu, MACHINE_FP32));
    out->potential_gflops = flops > 0 ? flops / insns * out->issue_gops : (double)NAN;
    out->demand_gb_per_s = insns > 0 ? mix->weighted_global_bytes / insns * out->issue_gops
                                     : (double)NAN;
    out->memory_gb_per_s = gpu->figures[FIGURE_MEMORY_GB_PER_S];
    out->flops_per_byte = mix->weighted_global_bytes > 0 ? flops / mix->weighted_global_bytes
                                                         : (double)NAN;
    find_ceilings(gpu, mix, out);
    find_rates(mix, out);
    find_attainable(mix, out);
}
