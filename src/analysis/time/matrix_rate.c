#include "analysis/time/matrix_rate.h"

#include "analysis/access/evaluate.h"
#include "gpu/costs.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"

#include <math.h>

enum { WARPGROUP_WARPS = 4, PAIR_SMS = 2, NARROW_BYTES = 16, F64_ROWS = 8 };

/* Bytes of a row of A or a column of B. */
static double k_bytes(const Op *op)
{
    return op->type_count > 1 ? op->shape[2] * ptx_type_info[op->types[1]].bits / 8.0 : 0;
}

static bool is_a_in_registers(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].position == 1)
            return operands[o].flags & OPERAND_ELEMENT;
    return false;
}

static double of_wgmma(const Gpu *gpu, const Func *func, const Insn *insn, double peak)
{
    const Op *op = insn->op;
    const bool in_registers = is_a_in_registers(func, insn);
    double rows = (in_registers ? 0 : op->shape[0]) + op->shape[1], least = 0;
    if (ptx_gpu_has(gpu, FIGURE_SHARED_BYTES_PER_CLK))
        least = rows * k_bytes(op) / gpu->figures[FIGURE_SHARED_BYTES_PER_CLK];
    if (in_registers && ptx_gpu_has(gpu, FIGURE_WGMMA_LEAST))
        least = fmax(least, gpu->figures[FIGURE_WGMMA_LEAST]);
    return fmax(peak, least / WARPGROUP_WARPS);
}

/* m16n16k8 of tf32 is four m16n8k4: read off machine code of ptxas 13.0 for sm_90. */
static bool has_narrow_steps(const Op *op)
{
    const bool is_fragment = op->family == OP_WMMA
                             && ptx_cost_tensor_rate(op) == FIGURE_TENSOR_TF32;
    return is_fragment || (op->family == OP_MMA && k_bytes(op) <= NARROW_BYTES);
}

static FigureId share_of(const Op *op)
{
    switch (ptx_cost_tensor_rate(op)) {
    case FIGURE_TENSOR_F64:
        return op->shape[0] == F64_ROWS ? FIGURE_TENSOR_MMA_F64_SHARE : FIGURE__COUNT;
    case FIGURE_TENSOR_F8:
        return FIGURE_TENSOR_MMA_F8_SHARE;
    default:
        return has_narrow_steps(op) ? FIGURE_TENSOR_MMA_NARROW_SHARE : FIGURE_TENSOR_MMA_SHARE;
    }
}

double ptx_matrix_clocks(const Gpu *gpu, const Func *func, const Insn *insn, double peak)
{
    const Op *op = insn->op;
    if (!(peak > 0))
        return 0;
    if (op->family == OP_WGMMA)
        return of_wgmma(gpu, func, insn, peak);
    if (op->operation == OP_TCGEN05_MMA && ptx_op_has(op, MOD_CTA_GROUP_2))
        return peak / PAIR_SMS;
    if (op->family != OP_MMA && op->family != OP_WMMA)
        return peak;
    FigureId share = share_of(op);
    return share != FIGURE__COUNT && ptx_gpu_has(gpu, share) ? peak / gpu->figures[share] : peak;
}

/* ---- of a launch ----------------------------------------------------------------------------- */

static bool is_executed(const Evaluation *evaluation, InsnId insn)
{
    return ptx_probable_warps(&evaluation->insns[insn]) > 0;
}

/* Those of fp64 are products, too, but draw no more power than other fp64. */
static bool lowers_clock(const Op *op)
{
    return ptx_cost_tensor_fmas(op) > 0 && ptx_cost_tensor_rate(op) != FIGURE_TENSOR_F64;
}

double ptx_matrix_clock_share(const Gpu *gpu, const Func *func, const Evaluation *evaluation)
{
    if (!ptx_gpu_has(gpu, FIGURE_TENSOR_CLOCK))
        return 1;
    for (InsnId i = 0; i < func->insn_count; i++)
        if (lowers_clock(func->insns[i].op) && is_executed(evaluation, i))
            return gpu->figures[FIGURE_TENSOR_CLOCK];
    return 1;
}

bool ptx_matrix_is_async(const Func *func, const Evaluation *evaluation)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const unsigned operation = func->insns[i].op->operation;
        if ((operation == OP_WGMMA_MMA_ASYNC || operation == OP_TCGEN05_MMA)
            && is_executed(evaluation, i))
            return true;
    }
    return false;
}
