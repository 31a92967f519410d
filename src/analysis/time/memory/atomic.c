#include "analysis/time/memory/atomic.h"

#include "analysis/time/memory/address_distribution.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/count.h"
#include "gpu/gpu.h"
#include "isa/isa.h"

#include <math.h>

/* measured on an H200, over 4 bytes to 4 MB: 256 bytes lie on one slice, the next 256 on another,
 * and pairs of them where chance will (tools/measure-times/slices.cu) */
enum { SLICE_BYTES = 256, PAIR_BYTES = 2 * SLICE_BYTES, SAMPLES = 16 };

/* Slices that an array of so many bytes lies on: which they are is chance. */
static double slices_of(const Gpu *gpu, double bytes)
{
    double all = ptx_gpu_figure(gpu, FIGURE_ATOMIC_SLICES);
    double one_pair = fmax(1, fmin(2, bytes / SLICE_BYTES));
    return fmax(one_pair, all * (1 - exp(-bytes / (PAIR_BYTES * all))));
}

/* Passes of a request whose lanes hit elements among so many by chance, on average. */
static double passes_by_chance(unsigned lanes, double elements, uint32_t bytes, bool is_serial)
{
    uint64_t addresses[32], count = (uint64_t)fmin(fmax(elements, 1), 1e12);
    double passes = 0;
    for (unsigned s = 0; s < SAMPLES; s++) {
        for (unsigned i = 0; i < lanes; i++)
            addresses[i] = ptx_draw(s * 32 + i, count) * bytes;
        passes += ptx_atomic_passes(addresses, lanes < 32 ? (UINT32_C(1) << lanes) - 1 : UINT32_MAX,
                                    bytes, is_serial);
    }
    return passes / SAMPLES;
}

static double passes_by_data(const Insn *insn, const Count *count, double spread)
{
    unsigned lanes = (unsigned)fmax(1, fmin(32, round(count->data_lanes / count->data_requests)));
    uint32_t bytes = insn->access_bytes ? insn->access_bytes : 4;
    bool is_serial = ptx_type_info[insn->op->type].kind == KIND_FLOAT;
    return count->data_requests * passes_by_chance(lanes, spread / bytes, bytes, is_serial);
}

AtomicTime ptx_atomic_time(const Gpu *gpu, const Func *func, const Evaluation *evaluation,
                           const AddressDistribution *spread)
{
    const Traffics *t = &evaluation->traffics;
    const double us = ptx_gpu_figure(gpu, FIGURE_ATOMIC_PASS_NS) / 1e3,
                 bytes = t->data_atomics > 0 ? (double)INFINITY : t->atomic_bytes;
    double all = t->atomic_passes, busiest = all / slices_of(gpu, bytes);
    for (InsnId i = 0; spread && i < func->insn_count; i++) {
        OpKind kind = (OpKind)func->insns[i].op->kind;
        const double reach = spread[i].reach > 0 ? spread[i].reach : (double)INFINITY;
        if ((kind != OPK_ATOM && kind != OPK_RED) || func->insns[i].space == SPACE_SHARED
            || !(evaluation->insns[i].total->data_requests > 0))
            continue;
        const double passes = (double)evaluation->insns[i].share
                              * passes_by_data(&func->insns[i], evaluation->insns[i].total, reach);
        all += passes;
        busiest += passes / slices_of(gpu, reach);
    }
    return (AtomicTime){ us * busiest, us * all / ptx_gpu_figure(gpu, FIGURE_ATOMIC_SLICES) };
}
