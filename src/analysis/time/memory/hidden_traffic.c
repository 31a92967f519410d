#include "analysis/time/memory/hidden_traffic.h"

#include "analysis/access/evaluate.h"
#include "analysis/sass/executed.h"
#include "analysis/time/in_flight.h"
#include "analysis/time/memory/local_memory.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"

#include <math.h>

enum { SECTOR_BYTES = 32, LINE_BYTES = 128, LINE_SECTORS = 4, PIECE_BYTES = 64 };

/* ---- spills ---------------------------------------------------------------------------------- */

/* Of lines of local memory, so many a warp, those that L1 has given up by the time that they are
 * asked for again. */
static double lost_of_l1(const PredictInput *in, double lines)
{
    double warps = in->blocks_per_sm * in->warps_per_block,
           shared = in->blocks_per_sm * in->evaluation->traffics.shared_bytes,
           bytes = warps * lines * LINE_BYTES, room = 0;
    if (ptx_gpu_has(in->gpu, FIGURE_L1_SPLIT_BYTES))
        room = in->gpu->figures[FIGURE_L1_SPLIT_BYTES];
    else if (ptx_gpu_has(in->gpu, FIGURE_L1_BYTES))
        room = fmax(0, in->gpu->figures[FIGURE_L1_BYTES] - shared);
    return bytes > 0 ? fmin(1, fmax(0, bytes - room) / bytes) : 0;
}

static void add_lost(Cached *cached, double lines, double sectors)
{
    cached->load_requests += lines;
    cached->load_sectors += sectors;
    cached->load_pieces += fmin(sectors, lines * LINE_BYTES / PIECE_BYTES);
}

static double add_spills(Arena *scratch, const PredictInput *in, Cached *cached)
{
    if (!(in->spilled > 0))
        return 0;
    const Compiled code = { in->func, in->cfg, in->loops, in->lowered };
    const double lines = in->spilled
                         * ptx_hottest_iterations(scratch, &code, in->evaluation->insns),
                 lost = lost_of_l1(in, in->spilled) * lines;
    add_lost(cached, lost, lost * LINE_SECTORS);
    cached->store_lines += lines;       /* L1 writes through: a store and a load of a warp take 7
                                           * clocks of an SM, measured on an H200 */
    cached->store_sectors += lines * LINE_SECTORS;
    return 2 * lines;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Words of a thread. */
static double array_words(const PredictInput *in)
{
    enum { WORD_BYTES = 4 };
    double bytes = 0;
    const FuncId func = (FuncId)(in->func - in->module->funcs);
    for (VarId v = 0; v < in->module->var_count; v++) {
        const Var *var = &in->module->vars[v];
        bytes += var->space == SPACE_LOCAL && var->func == func ? (double)var->bytes : 0;
    }
    return bytes / WORD_BYTES;
}

static double add_arrays(const PredictInput *in, Cached *cached)
{
    double passes = 0;
    if (!ptx_local_memory_has_arrays(in->func, in->lowered))
        return 0;
    const double lost = lost_of_l1(in, array_words(in));
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const LocalTraffic t
            = ptx_local_memory_traffic(&in->func->insns[i], &in->evaluation->insns[i]);
        passes += t.passes;
        if (!t.is_store) {
            add_lost(cached, lost * t.lines, lost * t.sectors);
            continue;
        }
        cached->store_lines += t.lines;
        cached->store_sectors += t.sectors;
    }
    return passes;
}

/* ---- bulk copies ----------------------------------------------------------------------------- */

static bool is_bulk(const Op *op)
{
    return op->operation == OP_CP_ASYNC_BULK || op->operation == OP_CP_REDUCE_ASYNC_BULK
           || op->operation == OP_MULTIMEM_CP_ASYNC_BULK
           || op->operation == OP_MULTIMEM_CP_REDUCE_ASYNC_BULK;
}

/* Of copies by tensor maps that the host made, those that the next block in the grid makes, too. */
static double joined_share(const PredictInput *in)
{
    const Traffics *t = &in->evaluation->traffics;
    double joined = 0, all = 0;
    for (uint32_t a = 0; a < t->array_count; a++) {
        all += t->arrays[a].boxes;
        joined += ptx_cached_has_same_neighbour(in->evaluation, &t->arrays[a])
                      ? t->arrays[a].boxes
                      : 0;
    }
    return all > 0 ? joined / all : 0;
}

/* Bytes that mbarriers wait for: beyond those of known boxes other copies bring them, and from
 * where is not known. */
static double announced_bytes(const PredictInput *in)
{
    double bytes = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const InFlightInsn step = ptx_in_flight_insn(in->func, &in->func->insns[i]);
        if (step.step == IN_FLIGHT_ANNOUNCE)
            bytes += step.bytes * ptx_probable_lanes(&in->evaluation->insns[i]);
    }
    return bytes;
}

/* Reductions, and copies of other GPUs: nothing follows them. */
static bool has_other_bulk(const PredictInput *in)
{
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (is_bulk(in->func->insns[i].op)
            && in->func->insns[i].op->operation != OP_CP_ASYNC_BULK
            && ptx_probable_lanes(&in->evaluation->insns[i]) > 0)
            return true;
    return false;
}

static void add_bulk(const PredictInput *in, Cached *cached, HiddenTraffic *out)
{
    const Traffics *t = &in->evaluation->traffics;
    const double bytes = fmax(0, announced_bytes(in) - t->box_bytes),
                 hidden = t->unknown_boxes > 0 || !(t->box_bytes > 0) ? bytes : 0;
    cached->load_sectors += hidden / SECTOR_BYTES;
    cached->joined_sectors += joined_share(in) * hidden / SECTOR_BYTES;
    cached->load_pieces += hidden / PIECE_BYTES;
    cached->load_requests += hidden / LINE_BYTES;
    out->has_bulk = t->unknown_boxes > 0 || hidden > 0 || has_other_bulk(in);
    out->box_rows = t->box_rows + hidden / LINE_BYTES;
}

/* ---- textures and surfaces ------------------------------------------------------------------- */

static double texel_bytes(const Insn *insn)
{
    enum { TEXEL = 4 };
    switch ((Operation)insn->op->family) {
    case OP_TEX: case OP_TLD4:
        return TEXEL;
    case OP_SULD: case OP_SUST: case OP_SURED:
        return fmax(1, ptx_type_info[insn->op->type].bits / 8.0) * fmax(1, insn->op->vector);
    default:
        return 0;
    }
}

static double asked_texels(const PredictInput *in)
{
    double bytes = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const double each = texel_bytes(&in->func->insns[i]);
        bytes += each > 0 ? each * ptx_probable_lanes(&in->evaluation->insns[i]) : 0;
    }
    return bytes;
}

bool ptx_hidden_traffic_has_texels(const PredictInput *in)
{
    return asked_texels(in) > 0;
}

HiddenTraffic ptx_hidden_traffic_add(Arena *scratch, const PredictInput *in, Cached *cached)
{
    HiddenTraffic out = { .local_lines = add_spills(scratch, in, cached) + add_arrays(in, cached) };
    add_bulk(in, cached, &out);
    out.texel_bytes = asked_texels(in);
    return out;
}
