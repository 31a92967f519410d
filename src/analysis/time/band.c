#include "analysis/time/band.h"

#include "support/assert.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/types.h"
#include "analysis/sass/sass.h"
#include "analysis/time/memory/hidden_traffic.h"
#include "analysis/time/predict.h"
#include "gpu/gpu.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"

#include <math.h>
#include <string.h>

const BandInfo ptx_band_info[BAND__COUNT] = {
#define BK(id, key, low, high, what) { key, what, low, high },
#include "analysis/time/bands.def"
};

#define BF(id, value, what) static const double BAND_##id = value;
#include "analysis/time/bands.def"

static double guessed_share(const PredictInput *in, const bool *sure)
{
    double all = 0, guessed = 0;
    for (BlockId b = 0; b < in->cfg->block_count; b++)
        for (uint32_t i = in->lowered->first[b]; i < in->lowered->first[b + 1]; i++) {
            const LoweredInsn *insn = &in->lowered->insns[i];
            BlockId from = insn->origin == NO_ID ? b : in->cfg->block_of[insn->origin];
            double warps = (double)insn->count
                           * ptx_probable_warps(
                               &in->evaluation->insns[in->cfg->blocks[from].first]);
            all += warps;
            guessed += sure[from] ? 0 : warps;
        }
    return all > 0 ? guessed / all : 0;
}

static bool is_matrix(const Op *op)
{
    switch ((Operation)op->family) {
    case OP_MMA: case OP_WMMA: case OP_WGMMA: case OP_TCGEN05:
        return true;
    default:
        return op->family == OP_CP && ptx_op_has(op, MOD_BULK);
    }
}

BandKind ptx_band_find(const PredictInput *in, const bool *sure, double waits_us, int limiter)
{
    bool has_matrix = false, has_copies = false, has_chance = false,
         has_local = in->spills_likely;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Op *op = in->func->insns[i].op;
        bool runs = ptx_probable_warps(&in->evaluation->insns[i]) > 0;
        has_matrix |= runs && is_matrix(op);
        has_copies |= runs && op->kind == OPK_CP_ASYNC;
        has_local |= runs && op->space == SPACE_LOCAL;
        has_chance |= in->evaluation->insns[i].total->data_requests > 0;
    }
    if (waits_us > 0)
        return BAND_WAITS;
    if (has_matrix)
        return BAND_TENSOR;
    if (guessed_share(in, sure) > BAND_GUESSED_SHARE || ptx_hidden_traffic_has_texels(in))
        return BAND_GUESSED;
    if (has_local)
        return BAND_LOCAL;
    if (has_copies || has_chance)
        return has_copies ? BAND_COPIES : BAND_CHANCE;
    switch (limiter) {
    case PART_OVERHEAD: case PART_DISPATCH: return BAND_SHORT;
    case PART_DRAM: case PART_L2:           return BAND_MEMORY;
    case PART_LATENCY:                      return BAND_LATENCY;
    default:                                return BAND_SM;
    }
}

void ptx_band_set(const Gpu *gpu, BandKind kind, Prediction *p)
{
    ASSERT(kind >= 0 && kind < BAND__COUNT && p->predicted_us >= 0);
    double wider = ptx_gpu_has(gpu, FIGURE_LAUNCH_NS) ? 1 : BAND_NOT_MEASURED;
    double low = p->predicted_us * ptx_band_info[kind].low / wider,
           least = isnan(p->bound_us) ? p->parts_us[PART_OVERHEAD] : p->bound_us;
    p->low_us = fmin(fmax(low, least), p->predicted_us);
    p->high_us = p->predicted_us * ptx_band_info[kind].high * wider;
    p->band = (int)kind;
    p->is_measured_gpu = wider <= 1;
    ASSERT(p->low_us <= p->predicted_us && p->predicted_us <= p->high_us);
}
