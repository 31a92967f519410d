#include "parser/fold.h"

#include "lexer/lexer.h"

#include <string.h>

bool ptx_fold_integers(int operator, Constant a, Constant b, Constant *out)
{
    bool u = a.is_unsigned || b.is_unsigned;
    int64_t sa = (int64_t)a.value, sb = (int64_t)b.value;
    out->is_unsigned = u;
    switch (operator) {
    case TOK_PLUS:    out->value = a.value + b.value; return true;
    case TOK_MINUS:   out->value = a.value - b.value; return true;
    case TOK_STAR:    out->value = a.value * b.value; return true;
    case TOK_AND:     out->value = a.value & b.value; return true;
    case TOK_OR:      out->value = a.value | b.value; return true;
    case TOK_XOR:     out->value = a.value ^ b.value; return true;
    case TOK_PERCENT:           /* of .u64 operands, whatever they are */
        if (!b.value)
            return false;
        out->value = a.value % b.value;
        out->is_unsigned = false;
        return true;
    case TOK_SLASH:
        if (!b.value)
            return false;
        if (!u && sa == INT64_MIN && sb == -1)
            out->value = a.value;
        else
            out->value = u ? a.value / b.value : (uint64_t)(sa / sb);
        return true;
    case TOK_SHL:
        out->value = b.value < 64 ? a.value << b.value : 0;
        out->is_unsigned = a.is_unsigned;
        return true;
    case TOK_SHR:
        out->is_unsigned = a.is_unsigned;
        if (a.is_unsigned)
            out->value = b.value < 64 ? a.value >> b.value : 0;
        else
            out->value = (uint64_t)(sa >> (b.value < 64 ? b.value : 63));
        return true;
    default:
        break;
    }
    out->is_unsigned = false;
    switch (operator) {
    case TOK_LT:     out->value = u ? a.value < b.value : sa < sb; return true;
    case TOK_LE:     out->value = u ? a.value <= b.value : sa <= sb; return true;
    case TOK_GT:     out->value = u ? a.value > b.value : sa > sb; return true;
    case TOK_GE:     out->value = u ? a.value >= b.value : sa >= sb; return true;
    case TOK_EQ:     out->value = a.value == b.value; return true;
    case TOK_NE:     out->value = a.value != b.value; return true;
    case TOK_ANDAND: out->value = a.value && b.value; return true;
    case TOK_OROR:   out->value = a.value || b.value; return true;
    default:         return false;
    }
}

/* A comparison of floats is an integer. */
static bool compared(AstOperand *result, bool is_true)
{
    result->kind = AST_INT;
    result->value = is_true;
    return true;
}

bool ptx_fold_reals(AstOperand *left, int operator, const AstOperand *right)
{
    if (left->kind != AST_F64 || right->kind != AST_F64)
        return false;
    double a, b;
    memcpy(&a, &left->value, sizeof a);
    memcpy(&b, &right->value, sizeof b);
    switch (operator) {
    case TOK_PLUS:  a += b; break;
    case TOK_MINUS: a -= b; break;
    case TOK_STAR:  a *= b; break;
    case TOK_SLASH: a /= b; break;
    case TOK_LT: return compared(left, a < b);
    case TOK_LE: return compared(left, a <= b);
    case TOK_GT: return compared(left, a > b);
    case TOK_GE: return compared(left, a >= b);
    case TOK_EQ: return compared(left, a == b);
    case TOK_NE: return compared(left, a != b);
    default:     return false;
    }
    memcpy(&left->value, &a, sizeof a);
    return true;
}
