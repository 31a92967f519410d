/* check_range.c -- whether a number may stand where it does, and whether it is one that the
 * instruction takes. */
#include "check/check.h"
#include "isa/isa.h"
#include "parser/ast.h"

#include <inttypes.h>
#include <string.h>
#include <stdbool.h>

static bool is_in_range(const RangeInfo *range, const AstOperand *ast)
{
    int64_t value = (int64_t)ast->value;
    if ((ast->flags & AST_UNSIGNED && value < 0) || value < range->low || value > range->high)
        return false;
    if (range->step > 0)
        return (value - range->low) % range->step == 0;
    int64_t step = range->low;
    while (step < value)
        step *= -range->step;
    return step == value;
}

/* A float above the first bound, up to the second. */
static bool is_fraction(const RangeInfo *range, const AstOperand *ast)
{
    double value;
    if (ast->kind == AST_F32) {
        uint32_t bits = (uint32_t)ast->value;
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        value = (double)narrow;
    } else {
        memcpy(&value, &ast->value, sizeof value);
    }
    return value > (double)range->low && value <= (double)range->high;
}

/* Numbers in a vector, the first against its own range. */
static bool elements_fit(const FormOperand *shape, const AstOperand *ast)
{
    uint16_t range = shape->range;
    for (const AstOperand *child = ast->child; child; child = child->next) {
        if (child->kind == AST_INT && !is_in_range(&ptx_range_info[range], child))
            return false;
        range = shape->next_range ? shape->next_range : shape->range;
    }
    return true;
}

NumberFault ptx_number_judge(const FormOperand *shape, const AstOperand *ast)
{
    bool is_float = ast->kind == AST_F32 || ast->kind == AST_F64, is_name = ast->kind == AST_NAME;
    if (shape->role & ROLE_ADDRESS || ast->flags & AST_BRACKETS)
        return NUMBER_FITS;
    if (shape->is_register && (is_float || ast->kind == AST_INT))
        return NUMBER_UNWANTED;
    if (shape->type == OPERAND_IMM && (is_name || ast->kind == AST_VECTOR))
        return NUMBER_WANTED;
    if (is_float && shape->type == TYPE_F32 && shape->range)
        return is_fraction(&ptx_range_info[shape->range], ast) ? NUMBER_FITS : NUMBER_OUT_OF_RANGE;
    if (is_float && (shape->type == OPERAND_IMM || shape->range))
        return NUMBER_NO_INTEGER;
    if (ast->kind == AST_VECTOR && shape->range)
        return elements_fit(shape, ast) ? NUMBER_FITS : NUMBER_OUT_OF_RANGE;
    return ast->kind == AST_INT && shape->range && !is_in_range(&ptx_range_info[shape->range], ast)
               ? NUMBER_OUT_OF_RANGE
               : NUMBER_FITS;
}

/* "0 to 31", "a multiple of 8 from 24 to 256". */
static const char *range_text(const OperandCheck *c, const RangeInfo *range)
{
    int64_t low = range->low, high = range->high, step = range->step;
    const char *bounds = high >= UINT32_MAX
                             ? ptx_diag_text(c->diags, "from %" PRId64 " on", low)
                             : ptx_diag_text(c->diags, "from %" PRId64 " to %" PRId64, low, high);
    if (low == high)
        return ptx_diag_text(c->diags, "%" PRId64, low);
    if (step > 0 && low + step == high)
        return ptx_diag_text(c->diags, "%" PRId64 " or %" PRId64, low, high);
    if (step < 0)
        return ptx_diag_text(c->diags, "a power of two %s", bounds);
    return step == 1 ? ptx_diag_text(c->diags, "a number %s", bounds)
                     : ptx_diag_text(c->diags, "a multiple of %" PRId64 " %s", step, bounds);
}

void ptx_number_report(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                       NumberFault fault)
{
    const char *opcode = c->op->text, *operand = c->text + ast->span.begin;
    int opcode_length = c->op->length > 80 ? 80 : (int)c->op->length;
    int length = ptx_span_length(ast->span) > 80 ? 80 : (int)ptx_span_length(ast->span);
    const char *range = shape->range ? range_text(c, &ptx_range_info[shape->range]) : "an integer";
    if (shape->type == TYPE_F32 && shape->range)
        range = ptx_diag_text(c->diags, "a float above %" PRId64 ", up to %" PRId64 ",",
                              ptx_range_info[shape->range].low, ptx_range_info[shape->range].high);
    if (shape->next_range)
        range = ptx_diag_text(c->diags, "%s, then %s,", range,
                              range_text(c, &ptx_range_info[shape->next_range]));
    switch (fault) {
    case NUMBER_OUT_OF_RANGE: case NUMBER_NO_INTEGER:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span, "`%.*s` takes %s here, not `%.*s`",
                 opcode_length, opcode, range, length, operand);
        return;
    case NUMBER_WANTED:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span,
                 "`%.*s` takes a number here that is known when it is assembled, not `%.*s`",
                 opcode_length, opcode, length, operand);
        return;
    case NUMBER_UNWANTED:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span,
                 "`%.*s` takes a register here, not the number `%.*s`", opcode_length, opcode,
                 length, operand)
            ->help = "move it into a register first";
        return;
    case NUMBER_FITS:
        return;
    }
}
