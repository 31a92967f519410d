#include "analysis/time/latency.h"

#include "gpu/costs.h"
#include "ir/func.h"
#include "isa/isa.h"

static float clocks(const Gpu *gpu, FigureId id)
{
    return (float)ptx_gpu_figure(gpu, id);
}

void ptx_latencies_find(const Gpu *gpu, double global, Latencies *out)
{
    static const struct { MachineOp machine; FigureId figure; } rows[] = {
        { MACHINE_FP64, FIGURE_FP64_LATENCY },
        { MACHINE_XU, FIGURE_XU_LATENCY },
        { MACHINE_BITS, FIGURE_XU_LATENCY },
        { MACHINE_CVT, FIGURE_XU_LATENCY },
        { MACHINE_CVT64, FIGURE_XU_LATENCY },
        { MACHINE_SHUFFLE, FIGURE_SHARED_LATENCY },
        { MACHINE_SHARED, FIGURE_SHARED_LATENCY },
        { MACHINE_VOTE, FIGURE_VOTE_LATENCY },
        { MACHINE_REDUX, FIGURE_REDUX_LATENCY },
        { MACHINE_MATRIX, FIGURE_MATRIX_LATENCY },
        { MACHINE_TENSOR, FIGURE_TENSOR_LATENCY },
        { MACHINE_ATOMIC_SHARED, FIGURE_ATOMIC_SHARED_LATENCY },
        { MACHINE_CONST, FIGURE_CONST_LATENCY },
        { MACHINE_ATOMIC, FIGURE_ATOMIC_LATENCY },
        { MACHINE_BARRIER, FIGURE_BARRIER_LATENCY },
        { MACHINE_BRANCH, FIGURE_JUMP_LATENCY },
    };
    const float simple = clocks(gpu, FIGURE_ARITHMETIC_LATENCY);
    for (unsigned m = 0; m < MACHINE__COUNT; m++)
        out->machine[m] = simple + 0.5f;
    out->machine[MACHINE_FP16] = simple + 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        out->machine[rows[i].machine] = clocks(gpu, rows[i].figure);
    out->machine[MACHINE_GLOBAL] = (float)global;
    out->barrier_per_warp = clocks(gpu, FIGURE_BARRIER_WARP_LATENCY);
    out->fence = clocks(gpu, FIGURE_FENCE_LATENCY);
    out->fence_sys = clocks(gpu, FIGURE_FENCE_SYS_LATENCY);
    out->fence_store = clocks(gpu, FIGURE_FENCE_STORE_LATENCY);
    out->iteration = clocks(gpu, FIGURE_ITERATION_LATENCY);
    out->branch_back = clocks(gpu, FIGURE_BRANCH_LATENCY);
}

/* ---- sequences ------------------------------------------------------------------------------- */

typedef struct SequenceInfo {
    FigureId figure;
    Operation operation;
    Type type;
    Modifier with, without;
} SequenceInfo;

static const SequenceInfo sequences[] = {
#define SQ(figure, operation, type, with, without) \
    { FIGURE_##figure, OP_##operation, TYPE_##type, MOD_##with, MOD_##without },
#include "analysis/time/sequences.def"
#undef SQ
};

static bool is_of(const SequenceInfo *sequence, const Op *op)
{
    if ((Type)op->type != sequence->type || (Operation)op->family != sequence->operation)
        return false;
    bool is_with = sequence->with == MOD_NONE || ptx_op_has(op, sequence->with);
    bool is_without = sequence->without == MOD_NONE || !ptx_op_has(op, sequence->without);
    return is_with && is_without;
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
        out.each = ptx_gpu_figure(gpu, info->figure) / count;
    out.is_in_order = count > 1;
    return out;
}

/* ---- one machine instruction ----------------------------------------------------------------- */

bool ptx_is_load_of_global(const Func *func, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_GLOBAL && insn->origin != NO_ID
           && func->insns[insn->origin].op->kind == OPK_LD;
}

bool ptx_is_gathering(const Func *func, const LoweredInsn *insn)
{
    return !insn->def_count && insn->origin != NO_ID
           && (insn->machine == MACHINE_SHUFFLE || insn->machine == MACHINE_VOTE)
           && func->insns[insn->origin].op->kind == OPK_ATOM;
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
    if (ptx_is_gathering(of->func, insn))
        return (double)machine[insn->machine] * (double)insn->count;
    if (of->load_clocks && ptx_is_load_of_global(of->func, insn))
        return (double)of->load_clocks[insn->origin] + extra;
    return (double)machine[is_move ? MACHINE_ALU : insn->machine] + extra;
}

bool ptx_hands_on(const Func *func, const LoweredInsn *insn)
{
    bool is_sum_or_product = insn->machine == MACHINE_IMAD || insn->machine == MACHINE_IMAD_WIDE
                             || insn->machine == MACHINE_IADD;
    return (is_sum_or_product && !insn->def_count) || ptx_is_gathering(func, insn);
}
