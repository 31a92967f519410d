#include "analysis/time/bottleneck.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/executed.h"
#include "analysis/time/join.h"
#include "analysis/time/predict.h"
#include "gpu/gpu.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/diag.h"
#include "analysis/time/parallelism.h"

#include <math.h>

#define UNKNOWN ((double)NAN)

/* ---- utilisation ----------------------------------------------------------------------------- */

/* Data of L1 and of shared memory come through one port. */
static double memory_us(const double *parts)
{
    double ways[] = { parts[PART_L1] + parts[PART_SHARED], parts[PART_L2], parts[PART_DRAM],
                      parts[PART_ATOMIC] },
           most = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        most = fmax(most, ways[i]);
    return most;
}

/* What a last wave that is not full costs. Where latency limits, it takes as long as a full one;
 * else its blocks share what limits among fewer, and SMs that have one more than others remain. */
static double tail_us(const Prediction *p, double waves, double busy, double relieved_us)
{
    double latency = fmin(busy * (1 - waves / ceil(waves)), p->predicted_us - relieved_us),
           uneven = ptx_predict_imbalance_us(p) + ptx_predict_last_wave_us(p);
    if (waves <= 1)
        return 0;
    return p->limiter == PART_LATENCY ? fmax(latency, uneven) : uneven;
}

Bottleneck ptx_bottleneck_find(const Prediction *p, double waves)
{
    Bottleneck out = { UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, -1, NULL, UNKNOWN, UNKNOWN };
    if (p->certainty == CERTAINTY_UNKNOWN || !(p->predicted_us > 0))
        return out;
    out.issue_percent = 100 * p->parts_us[PART_ISSUE] / p->predicted_us;
    out.compute_percent = fmax(out.issue_percent, 100 * p->parts_us[PART_PIPE] / p->predicted_us);
    out.memory_percent = 100 * memory_us(p->parts_us) / p->predicted_us;
    if (p->limiter >= 0) {
        Prediction without = ptx_predict_without(p, (TimePart)p->limiter);
        out.relieved_us = without.predicted_us;
        out.next = without.limiter;
        out.next_pipe = without.pipe;
    }
    /* blocks that end at different times make no waves; a single wave has no last one behind it */
    if (waves > 0 && !p->blocks_differ) {
        double busy = p->predicted_us - p->parts_us[PART_OVERHEAD] - p->parts_us[PART_FETCH];
        out.tail_us = tail_us(p, waves, busy, out.relieved_us);
        out.wave_us = (busy - out.tail_us) / fmax(1, waves);
    }
    return out;
}

/* ---- roofline -------------------------------------------------------------------------------- */

Roofline ptx_roofline_compute(const Gpu *gpu, const Peak *peak, const Executed *executed,
                              const Prediction *p)
{
    const double flops[FLOPS__COUNT] = { executed->flops_fp32, executed->flops_fp64,
                                         executed->flops_fp16, executed->flops_tensor };
    Roofline out = { UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, CEILING__COUNT };
    if (executed->certainty == CERTAINTY_UNKNOWN || p->certainty == CERTAINTY_UNKNOWN)
        return out;
    /* ns */
    double compute = 0, memory = p->dram_bytes / gpu->figures[FIGURE_MEMORY_GB_PER_S];
    if (memory > 1e3 * p->parts_us[PART_DRAM])      /* what L2 keeps of stores is written later */
        memory = 1e3 * p->parts_us[PART_DRAM];
    out.flops = 0;
    for (int i = 0; i < FLOPS__COUNT; i++) {
        double here = flops[i] > 0 ? flops[i] / peak->rates[i] : 0;
        out.flops += flops[i];
        if (!(here <= compute)) {
            compute = here;
            out.ceiling = peak->rate_of[i];
        }
    }
    if (!(out.flops > 0))
        return out;
    out.predicted_gflops = out.flops / (1e3 * p->predicted_us);
    out.ridge_flops_per_byte = out.flops / compute / gpu->figures[FIGURE_MEMORY_GB_PER_S];
    if (isnan(memory)) {
        out.ceiling = CEILING__COUNT;
        return out;
    }
    if (!(memory <= compute))
        out.ceiling = CEILING_MEMORY;
    out.flops_per_byte = p->dram_bytes > 0 ? out.flops / p->dram_bytes : UNKNOWN;
    out.attainable_gflops = out.flops / fmax(compute, memory);
    return out;
}

/* ---- Little's law ---------------------------------------------------------------------------- */

static LoopId loop_at(const Cfg *cfg, const Loops *loops, InsnId insn)
{
    return loops->loop_of[cfg->block_of[insn]];
}

static LoopId deepest_with_loads(const Func *func, const Cfg *cfg, const Loops *loops)
{
    LoopId found = NO_LOOP;
    for (InsnId i = 0; i < func->insn_count; i++) {
        LoopId loop = loop_at(cfg, loops, i);
        if (func->insns[i].op->insn_class == CLASS_GLOBAL && func->insns[i].op->flags & OPF_LOAD
            && loop != NO_LOOP
            && (found == NO_LOOP || loops->loops[loop].depth > loops->loops[found].depth))
            found = loop;
    }
    return found;
}

LoopId ptx_concurrency_where(const Func *func, const Cfg *cfg, const Loops *loops,
                             const Evaluation *evaluation)
{
    LoopId found = NO_LOOP;
    double most = 0, run = 0;
    InsnId first = 0;
    if (!evaluation || evaluation->grid_is_assumed)
        return deepest_with_loads(func, cfg, loops);
    /* runs of instructions of one loop: the longest stands for all of that loop */
    for (InsnId i = 0; i <= func->insn_count; i++) {
        if (i < func->insn_count && loop_at(cfg, loops, i) == loop_at(cfg, loops, first)) {
            run += func->insns[i].op->flags & OPF_LOAD ? evaluation->insns[i].total->sectors : 0;
            continue;
        }
        if (run > most) {
            most = run;
            found = loop_at(cfg, loops, first);
        }
        first = i;
        run = i < func->insn_count && func->insns[i].op->flags & OPF_LOAD
                  ? evaluation->insns[i].total->sectors
                  : 0;
    }
    return found;
}

Concurrency ptx_concurrency_compute(const Gpu *gpu, double warps, const Parallelism *of,
                                    LoopId loop)
{
    const double *g = gpu->figures;
    double bytes_per_clk = 1e3 * g[FIGURE_MEMORY_GB_PER_S] / g[FIGURE_SMS] / g[FIGURE_CLOCK_MHZ];
    double lanes = gpu->pipes[PIPE_FMA].lanes > 0
                       ? gpu->pipes[PIPE_FMA].lanes
                             / (double)gpu->pipes[PIPE_FMA].takes[MACHINE_FP32]
                       : UNKNOWN;
    double at_once = of->load_path > 0 ? of->load_bytes / of->load_path : 0;
    return (Concurrency){
        .bytes_needed_low = g[FIGURE_GLOBAL_LATENCY_MIN] * bytes_per_clk,
        .bytes_needed_high = g[FIGURE_GLOBAL_LATENCY_MAX] * bytes_per_clk,
        .operations_needed = lanes * g[FIGURE_ARITHMETIC_LATENCY],
        .warps = warps,
        .bytes = warps * at_once,
        .operations = warps * 32 * ptx_parallelism_ilp(of),
        .loop = loop,
    };
}
