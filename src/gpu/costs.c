#include "gpu/costs.h"

#include <string.h>

static bool has_modifier(const Op *op, int16_t modifier)
{
    for (unsigned i = 0; i < op->modifier_count; i++)
        if (op->modifiers[i] == modifier)
            return true;
    return false;
}

static bool is_for(const CostRow *row, Target target)
{
    for (const CostRange *range = &ptx_cost_targets[row->targets]; range->to; range++)
        if (target.sm >= range->from && target.sm <= range->to)
            return true;
    return false;
}

static bool fits(const CostRow *row, const Op *op)
{
    for (unsigned i = 0; i < row->need_count; i++)
        if (!has_modifier(op, row->needs[i]))
            return false;
    return true;
}

const Cost *ptx_cost_find(const Op *op, Target target)
{
    for (uint16_t i = ptx_cost_first[op->opcode]; i < ptx_cost_first[op->opcode + 1]; i++)
        if (is_for(&ptx_cost_rows[i], target) && fits(&ptx_cost_rows[i], op))
            return &ptx_costs[ptx_cost_rows[i].cost];
    return NULL;
}

/* ---- matrix multiply-adds ---------------------------------------------------------------------------------------- */

static double number_after(const char *text, size_t length, char letter)
{
    double value = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] == letter && i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '9') {
            for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++)
                value = 10 * value + (text[i] - '0');
            return value;
        }
    return 0;
}

double ptx_cost_tensor_fmas(const Op *op)
{
    double fmas = 0;
    for (unsigned i = 0; i < op->modifier_count && fmas <= 0; i++) {
        const char *text = op->modifiers[i] < 0 ? "" : ptx_modifier_texts[op->modifiers[i]];
        size_t length = strlen(text);
        fmas = number_after(text, length, 'm') * number_after(text, length, 'n') * number_after(text, length, 'k');
    }
    if (op->length > 5 && !memcmp(op->text, "wgmma", 5))
        fmas /= 4;
    return ptx_op_has_modifier(op, "sp") || ptx_op_has_modifier(op, "sp::ordered_metadata") ? fmas / 2 : fmas;
}

FigureId ptx_cost_tensor_rate(const Op *op)
{
    static const struct { const char *type; FigureId figure; } rates[] = {
        { "f64", FIGURE_TENSOR_F64 }, { "tf32", FIGURE_TENSOR_TF32 }, { "bf16", FIGURE_TENSOR_BF16 }, { "bf16x2", FIGURE_TENSOR_BF16 },
        { "e4m3", FIGURE_TENSOR_F8 }, { "e5m2", FIGURE_TENSOR_F8 }, { "e3m2", FIGURE_TENSOR_F8 }, { "e2m3", FIGURE_TENSOR_F8 },
        { "e2m1", FIGURE_TENSOR_F4 }, { "s8", FIGURE_TENSOR_S8 }, { "u8", FIGURE_TENSOR_S8 }, { "s4", FIGURE_TENSOR_S4 },
        { "u4", FIGURE_TENSOR_S4 }, { "b1", FIGURE_TENSOR_B1 },
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (ptx_op_has_modifier(op, rates[i].type))
            return rates[i].figure;
    return ptx_op_has_modifier(op, "f32") ? FIGURE_TENSOR_F16 : FIGURE_TENSOR_F16_F16;
}
