#include "gpu/costs.h"


static bool is_for(const CostRow *row, Target target)
{
    for (const CostRange *range = &ptx_cost_targets[row->targets]; range->to; range++)
        if (target.sm >= range->from && target.sm <= range->to)
            return true;
    return false;
}

static bool fits_cost_row(const CostRow *row, const Op *op)
{
    for (unsigned i = 0; i < row->need_count; i++)
        if (!ptx_op_has_word(op, row->needs[i]))
            return false;
    return true;
}

const Cost *ptx_cost_find(const Op *op, Target target)
{
    for (uint16_t i = ptx_cost_first[op->opcode]; i < ptx_cost_first[op->opcode + 1]; i++)
        if (is_for(&ptx_cost_rows[i], target) && fits_cost_row(&ptx_cost_rows[i], op))
            return &ptx_costs[ptx_cost_rows[i].cost];
    return NULL;
}

/* ---- matrix multiply-adds -------------------------------------------------------------------- */

double ptx_cost_tensor_fmas(const Op *op)
{
    double fmas = (double)op->shape[0] * op->shape[1] * op->shape[2];
    if (op->operation == OP_TCGEN05_MMA && fmas <= 0)
        return (double)NAN;
    if (op->family == OP_WGMMA)
        fmas /= 4;
    return ptx_op_has(op, MOD_SP) || ptx_op_has(op, MOD_SP_ORDERED_METADATA) ? fmas / 2 : fmas;
}

static bool has_type(const Op *op, Type type)
{
    for (unsigned i = 0; i < op->type_count; i++)
        if (op->types[i] == type)
            return true;
    return false;
}

FigureId ptx_cost_tensor_rate(const Op *op)
{
    static const struct { Type type; FigureId figure; } rates[] = {
        { TYPE_F64, FIGURE_TENSOR_F64 }, { TYPE_TF32, FIGURE_TENSOR_TF32 }, { TYPE_BF16, FIGURE_TENSOR_BF16 }, { TYPE_BF16X2, FIGURE_TENSOR_BF16 },
        { TYPE_E4M3, FIGURE_TENSOR_F8 }, { TYPE_E5M2, FIGURE_TENSOR_F8 }, { TYPE_E3M2, FIGURE_TENSOR_F8 }, { TYPE_E2M3, FIGURE_TENSOR_F8 },
        { TYPE_E2M1, FIGURE_TENSOR_F4 }, { TYPE_S8, FIGURE_TENSOR_S8 }, { TYPE_U8, FIGURE_TENSOR_S8 }, { TYPE_S4, FIGURE_TENSOR_S4 },
        { TYPE_U4, FIGURE_TENSOR_S4 }, { TYPE_B1, FIGURE_TENSOR_B1 },
    };
    static const struct { Modifier kind; FigureId figure; } kinds[] = {
        { MOD_KIND_F16, FIGURE_TENSOR_F16 },      { MOD_KIND_TF32, FIGURE_TENSOR_TF32 },
        { MOD_KIND_F8F6F4, FIGURE_TENSOR_F8 },    { MOD_KIND_I8, FIGURE_TENSOR_S8 },
        { MOD_KIND_MXF8F6F4, FIGURE_TENSOR_F8 },  { MOD_KIND_MXF4, FIGURE_TENSOR_F4 },
        { MOD_KIND_MXF4NVF4, FIGURE_TENSOR_F4 },
    };
    for (size_t i = 0; op->operation == OP_TCGEN05_MMA && i < sizeof kinds / sizeof *kinds; i++)
        if (ptx_op_has(op, kinds[i].kind))
            return kinds[i].figure;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (has_type(op, rates[i].type))
            return rates[i].figure;
    return has_type(op, TYPE_F32) ? FIGURE_TENSOR_F16 : FIGURE_TENSOR_F16_F16;
}
