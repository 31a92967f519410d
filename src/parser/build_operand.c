/* Operands and constant expressions. */
#include "parser/build_shared.h"
#include "parser/fold.h"

#include <float.h>
#include <stdlib.h>

enum { MAX_REAL_DIGITS = 350 };     /* of a decimal constant; the rest moves its exponent alone */

/* Items behind the operands of an instruction that a value may take: ir/operand.h. */
enum { VALUE_ROOM = 2 };

static AstOperand *new_operand(Parser *p, AstOperandKind kind, Span span)
{
    AstOperand *operand = ptx_arena_new(p->arena, AstOperand);
    operand->kind = (uint8_t)kind;
    operand->span = span;
    p->operand_count++;
    return operand;
}

static AstOperand *bad_operand(Parser *p, Span span, const char *message)
{
    ptx_diag(p->diags, DIAG_BAD_EXPRESSION, span, "%s", message);
    ptx_build_mark_error(p);
    return new_operand(p, AST_BAD, span);
}

AstOperand *ptx_operand_name(Parser *p, Token name)
{
    AstOperand *operand = new_operand(p, AST_NAME, ptx_token_span(name));
    const char *text = span_text_of(p, ptx_token_span(name));
    uint32_t length = ptx_span_length(ptx_token_span(name)), head = length;
    if (name.kind == TOK_OPWORD) {
        const char *dot = memchr(text, '.', length);
        head = dot ? (uint32_t)(dot - text) : length;
    }
    if (length == 7 && span_equals(p, ptx_token_span(name), "WARP_SZ")) {
        operand->kind = AST_INT;
        operand->value = 32;
        return operand;
    }
    if (length > LIMIT_NAME_BYTES) {
        ptx_diag(p->diags, DIAG_TOO_LARGE, ptx_token_span(name),
                 "a name of %u bytes is longer than the limit of %d", (unsigned)length,
                 (int)LIMIT_NAME_BYTES);
        head = length = LIMIT_NAME_BYTES;
    }
    operand->name = ptx_token_span(name).begin;
    operand->name_length = (uint16_t)head;
    operand->suffix_length = (uint16_t)(length - head);
    p->operand_count += operand->suffix_length ? VALUE_ROOM : 0;
    return operand;
}

AstOperand *ptx_operand_range(Parser *p, Token name, Token count, Token end)
{
    AstOperand *operand = ptx_operand_name(p, name);
    operand->span = ptx_span_join(ptx_token_span(name), ptx_token_span(end));
    operand->flags |= AST_INDEXED;
    operand->value = ptx_build_small(p, count);
    return operand;
}

AstOperand *ptx_operand_int(Parser *p, Token number)
{
    AstOperand *operand = new_operand(p, AST_INT, ptx_token_span(number));
    bool is_unsigned;
    if (!ptx_build_is_integer(span_text_of(p, operand->span), ptx_span_length(operand->span))) {
        ptx_build_mark_error(p);
        operand->kind = AST_BAD;
        return operand;
    }
    operand->value = ptx_build_integer(p, operand->span, &is_unsigned);
    operand->flags = is_unsigned ? AST_UNSIGNED : 0;
    p->operand_count += operand->value > INT32_MAX ? VALUE_ROOM : 0;
    return operand;
}

static long clamp_exponent(long value, long most)
{
    if (value > most)
        return most;
    return value < -most ? -most : value;
}

/* Neither infinity nor, for digits that are not all zero, less than a normal number: ptxas refuses
 * both. Of more digits than are read here nothing is said of the small. */
static bool fits_double(const char *digits, size_t count, double value)
{
    if (value > DBL_MAX)
        return false;
    return value >= DBL_MIN || strspn(digits, "0") >= count || count >= MAX_REAL_DIGITS;
}

/* strtod reads the locale's decimal point, so the point is kept out of its way: digits and
 * exponent are combined by hand with the correctly rounded strtod of the C library on a
 * point-free decimal. */
AstOperand *ptx_operand_real(Parser *p, Token number)
{
    AstOperand *operand = new_operand(p, AST_F64, ptx_token_span(number));
    const char *text = span_text_of(p, ptx_token_span(number));
    char digits[MAX_REAL_DIGITS + 8];   /* and `e+9999` */
    size_t n = 0;
    long exponent = 0;
    bool fraction = false;
    uint32_t length = ptx_span_length(ptx_token_span(number)), i = 0;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        if (n < MAX_REAL_DIGITS) {
            digits[n++] = text[i];
            exponent -= fraction;
        } else {
            exponent += !fraction;
        }
    }
    if (i + 1 < length)
        exponent += clamp_exponent(strtol(text + i + 1, NULL, 10), (long)LIMIT_SOURCE_BYTES * 2);
    exponent = clamp_exponent(exponent, 9999);
    const size_t digit_count = n;
    int sign = exponent < 0;
    unsigned long magnitude = (unsigned long)(sign ? -exponent : exponent);
    digits[n++] = 'e';
    digits[n++] = sign ? '-' : '+';
    for (unsigned long place = 1000; place; place /= 10)
        digits[n++] = (char)('0' + magnitude / place % 10);
    digits[n] = 0;
    double value = strtod(digits, NULL);
    if (!fits_double(digits, digit_count, value)) {
        ptx_diag(p->diags, DIAG_BAD_NUMBER, operand->span, "`%.*s` does not fit an .f64",
                 span_length_of(operand->span), text)
            ->help = "0d and 16 hexadecimal digits write any, infinity and subnormal numbers too";
        ptx_build_mark_error(p);
    }
    memcpy(&operand->value, &value, sizeof value);
    p->operand_count += (uint32_t)operand->value ? VALUE_ROOM : 0;
    return operand;
}

AstOperand *ptx_operand_bits(Parser *p, Token number)
{
    bool wide = ptx_span_length(ptx_token_span(number)) == 18;
    AstOperand *operand = new_operand(p, wide ? AST_F64 : AST_F32, ptx_token_span(number));
    const char *text = span_text_of(p, ptx_token_span(number));
    for (uint32_t i = 2; i < ptx_span_length(ptx_token_span(number)); i++) {
        unsigned digit = text[i] <= '9' ? (unsigned)(text[i] - '0')
                                        : (unsigned)((text[i] | 32) - 'a' + 10);
        operand->value = operand->value << 4 | digit;
    }
    p->operand_count += wide && (uint32_t)operand->value ? VALUE_ROOM : 0;
    return operand;
}

AstOperand *ptx_operand_address(Parser *p, Token open, OperandList list, Token close)
{
    Span span = ptx_span_join(ptx_token_span(open), ptx_token_span(close));
    AstOperand *only = open_operands(list);
    if (!only->next && (only->kind == AST_NAME || only->kind == AST_INT)
        && !(only->flags & (AST_BRACKETS | AST_NOT | AST_NEGATIVE))) {
        only->span = span;
        only->flags |= AST_BRACKETS;
        return only;
    }
    AstOperand *operand = new_operand(p, AST_ADDRESS, span);
    operand->child = only;
    return operand;
}

void ptx_operand_modifier(Parser *p, AstOperand *operand, Token modifier)
{
    uint32_t length = ptx_span_length(ptx_token_span(modifier));
    operand->modifier_length = (uint8_t)(length > 255 ? 255 : length);
    operand->span = ptx_span_join(operand->span, ptx_token_span(modifier));
    if (!span_equals(p, ptx_token_span(modifier), ".unified"))
        ptx_diag(p->diags, DIAG_UNKNOWN_MODIFIER, ptx_token_span(modifier),
                 "`%.*s` cannot follow an address", span_length_of(ptx_token_span(modifier)),
                 span_text_of(p, ptx_token_span(modifier)));
}

/* The integers that were skipped in the list that begins there. */
static uint32_t take_skipped(Parser *p, uint32_t begin)
{
    for (SkippedList **list = &p->closed_lists; *list; list = &(*list)->next) {
        if ((*list)->begin != begin)
            continue;
        uint32_t count = (*list)->count;
        *list = (*list)->next;
        return count;
    }
    return 0;
}

AstOperand *ptx_operand_group(Parser *p, AstOperandKind kind, Token open, OperandList list,
                              Token close)
{
    Span span = ptx_span_join(ptx_token_span(open), ptx_token_span(close));
    AstOperand *only = open_operands(list);
    if (kind == AST_LIST && only && !only->next && only->kind != AST_VECTOR
        && only->kind != AST_LIST) {
        only->flags |= AST_PARENTHESES;
        only->span = span;
        return only;
    }
    AstOperand *operand = new_operand(p, kind, span);
    operand->child = only;
    if (kind == AST_VECTOR && p->closed_lists)
        operand->value = take_skipped(p, span.begin);
    return operand;
}

AstOperand *ptx_operand_empty(Parser *p, Token open, Token close)
{
    p->empty_vector = ptx_span_join(ptx_token_span(open), ptx_token_span(close));
    return ptx_operand_group(p, AST_VECTOR, open, (OperandList){ 0 }, close);
}

AstOperand *ptx_operand_cast(Parser *p, Token open, Token type, AstOperand *value)
{
    Span span = ptx_span_join(ptx_token_span(open), value->span);
    bool to_unsigned = span_equals(p, ptx_token_span(type), ".u64");
    if (value->kind != AST_INT || (!to_unsigned && !span_equals(p, ptx_token_span(type), ".s64")))
        return bad_operand(p, span, "a cast makes an integer constant .s64 or .u64");
    value->span = span;
    value->flags = (uint8_t)((value->flags & ~AST_UNSIGNED) | (to_unsigned ? AST_UNSIGNED : 0));
    return value;
}

AstOperand *ptx_operand_index(Parser *p, Token name, AstOperand *index, Token close)
{
    AstOperand *operand = ptx_operand_name(p, name);
    operand->span = ptx_span_join(ptx_token_span(name), ptx_token_span(close));
    operand->flags |= AST_INDEXED;
    if (p->text[ptx_token_span(name).begin] == '%'
        || (index->kind != AST_INT && index->kind != AST_NAME))
        return bad_operand(p, operand->span,
                           "only variables are indexed; or is a `,` missing before the `[`?");
    p->operand_count += VALUE_ROOM;
    if (index->kind == AST_INT)
        operand->value = index->value;
    else
        operand->child = index;
    return operand;
}

static bool is_byte_mask(uint64_t mask)
{
    return mask && mask >> (__builtin_ctzll(mask) / 8 * 8) == 0xFF;
}

/* generic(name), and 0xFF(name), 0xFF00(name+4), 0xFF0000(generic(name)+4): a byte of an address in
 * an initialiser. */
AstOperand *ptx_operand_generic(Parser *p, Token name, OperandList list, Token close)
{
    AstOperand *inner = open_operands(list);
    Span span = ptx_span_join(ptx_token_span(name), ptx_token_span(close));
    bool is_mask = name.kind == TOK_INT;
    if (inner->next || inner->kind != AST_NAME
        || (!is_mask && !span_equals(p, ptx_token_span(name), "generic")))
        return bad_operand(p, span, "only generic(name) and mask(name) are written like a call");
    if (is_mask && inner->flags & ~AST_GENERIC)
        return bad_operand(p, span, "a mask takes a name, or generic(name), and an offset");
    if (!is_mask && (inner->value || inner->flags))
        return bad_operand(p, span, "generic() takes a name alone; an offset stands behind it");
    if (is_mask && !is_byte_mask(ptx_operand_int(p, name)->value))
        return bad_operand(p, span,
                           "a mask takes one byte of an address: 0xFF, 0xFF00, 0xFF0000 ...");
    inner->span = span;
    inner->flags |= is_mask ? AST_MASK : AST_GENERIC;
    return inner;
}

AstOperand *ptx_operand_field(Parser *p, Token name, AstOperand *value)
{
    if (p->func)
        return bad_operand(p, ptx_span_join(ptx_token_span(name), value->span),
                           "`=` has no meaning in an instruction");
    value->span = ptx_span_join(ptx_token_span(name), value->span);
    return value;
}

/* -0f3F800000, which ptxas does not read; -0d3FF0000000000000 it does. */
static AstOperand *signed_bits(Parser *p, Token sign, AstOperand *value)
{
    Span span = ptx_span_join(ptx_token_span(sign), value->span);
    uint32_t bits = (uint32_t)value->value ^ (sign.kind == TOK_MINUS ? UINT32_C(1) << 31 : 0);
    Diag *diag = ptx_diag(p->diags, DIAG_BAD_EXPRESSION, span,
                          "no sign stands before a number in `0f` form");
    diag->help = ptx_diag_text(p->diags, "write `0f%08X`", (unsigned)bits);
    ptx_diag_fix(p->diags, diag, span, true, "0f%08X", (unsigned)bits);
    ptx_build_mark_error(p);
    value->kind = AST_BAD;
    value->span = span;
    return value;
}

AstOperand *ptx_operand_unary(Parser *p, Token operator, AstOperand *value)
{
    Span span = ptx_span_join(ptx_token_span(operator), value->span);
    if (value->kind == AST_BAD)
        return value;
    if (value->kind == AST_INT && !(value->flags & AST_BRACKETS)) {
        value->span = span;
        switch (operator.kind) {
        case TOK_MINUS: value->value = 0 - value->value; break;
        case TOK_TILDE: value->value = ~value->value; value->flags |= AST_UNSIGNED; break;
        case TOK_NOT:   value->value = !value->value; value->flags &= (uint8_t)~AST_UNSIGNED; break;
        default: break;
        }
        return value;
    }
    bool is_sign = operator.kind == TOK_MINUS || operator.kind == TOK_PLUS;
    if (is_sign && value->kind == AST_F32 && !(value->flags & AST_PARENTHESES))
        return signed_bits(p, operator, value);
    if (is_sign && (value->kind == AST_F64 || value->kind == AST_F32)) {
        value->span = span;
        if (operator.kind == TOK_MINUS)
            value->value ^= value->kind == AST_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        return value;
    }
    if (value->kind == AST_NAME && (operator.kind == TOK_NOT || operator.kind == TOK_MINUS)
        && !(value->flags & (AST_BRACKETS | AST_NOT | AST_NEGATIVE))) {
        value->span = span;
        value->flags |= operator.kind == TOK_NOT ? AST_NOT : AST_NEGATIVE;
        return value;
    }
    return bad_operand(p, span, "this operator does not apply to its operand");
}

static bool is_plain(const AstOperand *operand)
{
    return !(operand->flags & (AST_BRACKETS | AST_NOT | AST_NEGATIVE | AST_INDEXED | AST_MASK));
}

/* name+8 and (through unary minus) name+-8; PTX has no name-8 and no 8+name. */
static bool add_offset(AstOperand *name, int operator, const AstOperand *offset)
{
    if (operator!= TOK_PLUS || name->kind != AST_NAME || offset->kind != AST_INT || !is_plain(name)
        || !is_plain(offset))
        return false;
    name->value += offset->value;
    return true;
}

AstOperand *ptx_operand_binary(Parser *p, AstOperand *left, Token operator, AstOperand *right)
{
    Span span = ptx_span_join(left->span, right->span);
    if (left->kind == AST_BAD || right->kind == AST_BAD) {
        left->kind = AST_BAD;
        left->span = span;
        return left;
    }
    if (operator.kind == TOK_OR && right->kind == AST_NAME &&(left->kind == AST_NAME
                                                              || left->kind == AST_VECTOR)) {
        AstOperand *pair = new_operand(p, AST_PAIR, span);
        pair->child = left;
        left->next = right;
        return pair;
    }
    if (left->kind == AST_INT && right->kind == AST_INT && is_plain(left) && is_plain(right)) {
        Constant result, a = { left->value, left->flags & AST_UNSIGNED },
                         b = { right->value, right->flags & AST_UNSIGNED };
        if (!ptx_fold_integers(operator.kind, a, b, &result))
            return bad_operand(p, span, "this constant expression divides by zero");
        left->value = result.value;
        left->flags = result.is_unsigned ? AST_UNSIGNED : 0;
        left->span = span;
        return left;
    }
    if (left->kind == AST_F64 && right->kind == AST_F64
        && operator.kind == TOK_SLASH && !(right->value << 1))
        return bad_operand(p, span, "this constant expression divides by zero");
    if (add_offset(left, operator.kind, right) || ptx_fold_reals(left, operator.kind, right)) {
        p->operand_count += VALUE_ROOM - 1;
        left->span = span;
        return left;
    }
    if (operator.kind == TOK_MINUS && left->kind == AST_NAME && right->kind == AST_INT)
        return bad_operand(p, span, "an offset is added: write `+-4` for `-4`");
    return bad_operand(
        p, span, "operators combine constants only, and add a constant to a name before them");
}

AstOperand *ptx_operand_select(Parser *p, AstOperand *condition, AstOperand *yes, AstOperand *no)
{
    Span span = ptx_span_join(condition->span, no->span);
    if (condition->kind != AST_INT || !is_plain(condition))
        return bad_operand(p, span, "the condition of `?:` is an integer constant");
    AstOperand *chosen = condition->value ? yes : no;
    chosen->span = span;
    return chosen;
}
