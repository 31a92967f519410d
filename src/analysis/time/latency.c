#include "analysis/time/latency.h"

#include "gpu/costs.h"
#include "ir/func.h"
#include "isa/isa.h"

/* What was measured on an H200 stands for a GPU whose file does not say, and for one without a
 * file. */
static double clocks(const Gpu *gpu, FigureId id, double otherwise)
{
    return gpu && ptx_gpu_has(gpu, id) ? gpu->figures[id] : otherwise;
}

void ptx_latencies_find(const Gpu *gpu, double global, Latencies *out)
{
    double simple = clocks(gpu, FIGURE_ARITHMETIC_LATENCY, 4),
           shared = clocks(gpu, FIGURE_SHARED_LATENCY, 23);
    for (unsigned m = 0; m < MACHINE__COUNT; m++)
        out->machine[m] = (float)simple + 0.5f;
    out->machine[MACHINE_FP64] = 8.5f;
    out->machine[MACHINE_FP16] = (float)simple + 1;
    out->machine[MACHINE_XU] = out->machine[MACHINE_BITS] = 17;
    out->machine[MACHINE_CVT] = out->machine[MACHINE_CVT64] = 17;
    out->machine[MACHINE_SHUFFLE] = out->machine[MACHINE_SHARED] = (float)shared;
    out->machine[MACHINE_VOTE] = 13;
    out->machine[MACHINE_REDUX] = (float)clocks(gpu, FIGURE_REDUX_LATENCY, 42);
    out->machine[MACHINE_MATRIX] = 33;
    out->machine[MACHINE_TENSOR] = 25;
    out->machine[MACHINE_ATOMIC_SHARED] = (float)clocks(gpu, FIGURE_ATOMIC_SHARED_LATENCY, 32);
    out->machine[MACHINE_CONST] = 34;
    out->machine[MACHINE_ATOMIC] = 290;
    out->machine[MACHINE_GLOBAL] = (float)global;
    out->machine[MACHINE_BARRIER] = 14;
    out->machine[MACHINE_BRANCH] = 8;
    out->barrier_per_warp = 2;
    out->fence = (float)clocks(gpu, FIGURE_FENCE_LATENCY, 264);
    out->fence_sys = (float)clocks(gpu, FIGURE_FENCE_SYS_LATENCY, 1015);
    out->fence_store = (float)clocks(gpu, FIGURE_FENCE_STORE_LATENCY, 326);
    out->iteration = (float)clocks(gpu, FIGURE_ITERATION_LATENCY, 29);
    out->branch_back = (float)clocks(gpu, FIGURE_BRANCH_LATENCY, 15);
}

/* ---- sequences ------------------------------------------------------------------------------- */

typedef struct SequenceInfo {
    FigureId figure;
    double otherwise;
    Operation operation;
    Type type;
    Modifier with, without;
} SequenceInfo;

static const SequenceInfo sequences[] = {
#define SQ(figure, otherwise, operation, type, with, without) \
    { FIGURE_##figure, otherwise, OP_##operation, TYPE_##type, MOD_##with, MOD_##without },
#include "analysis/time/sequences.def"
#undef SQ
};

static bool is_of(const SequenceInfo *sequence, const Op *op)
{
    bool is_with = sequence->with == MOD_NONE || ptx_op_has(op, sequence->with);
    bool is_without = sequence->without == MOD_NONE || !ptx_op_has(op, sequence->without);
    return (Type)op->type == sequence->type && (Operation)op->family == sequence->operation
           && is_with && is_without;
}

Sequence ptx_sequence_find(const Gpu *gpu, const Op *op)
{
    const SequenceInfo *info = NULL;
    for (size_t s = 0; s < sizeof sequences / sizeof *sequences && !info; s++)
        info = is_of(&sequences[s], op) ? &sequences[s] : NULL;
    const Cost *cost = info ? ptx_cost_find(op, gpu->target) : NULL;
    double count = 0;
    Sequence out = { 0 };
    for (unsigned t = 0; cost && t < cost->term_count; t++) {
        count += (double)cost->terms[t].count;
        out.has_branch |= cost->terms[t].machine == MACHINE_BRANCH;
    }
    if (count > 0)
        out.each = clocks(gpu, info->figure, info->otherwise) / count;
    out.is_in_order = count > 1;
    return out;
}

/* ---- one machine instruction ----------------------------------------------------------------- */

bool ptx_is_load_of_global(const Func *func, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_GLOBAL && insn->origin != NO_ID
           && func->insns[insn->origin].op->kind == OPK_LD;
}

double ptx_result_clocks(const ResultClocks *of, const LoweredInsn *insn)
{
    const float *machine = of->latencies->machine;
    double extra = insn->count > 1 ? ((double)insn->count - 1) * (double)machine[MACHINE_ALU] : 0;
    bool is_move = insn->machine == MACHINE_MOVE && insn->origin != NO_ID;
    if (ptx_lowered_is_copy(insn))
        return 0;
    if (insn->origin != NO_ID && of->sequences[insn->origin].each > 0)
        return of->sequences[insn->origin].each * (double)insn->count;
    if (of->load_clocks && ptx_is_load_of_global(of->func, insn))
        return (double)of->load_clocks[insn->origin] + extra;
    return (double)machine[is_move ? MACHINE_ALU : insn->machine] + extra;
}

bool ptx_hands_on(const LoweredInsn *insn)
{
    bool is_sum_or_product = insn->machine == MACHINE_IMAD || insn->machine == MACHINE_IMAD_WIDE
                             || insn->machine == MACHINE_IADD;
    return is_sum_or_product && !insn->def_count;
}
