#include "check/judge.h"

#include "check/sreg.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"

#include <string.h>
#include <stdbool.h>

/* Digits from low to high, `count` of them; descending: each smaller than the one before. */
static bool are_digits(const char *text, uint32_t length, uint32_t least, uint32_t most, char high,
                       bool descending)
{
    if (length < least || length > most)
        return false;
    for (uint32_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > high || (descending && i && text[i] >= text[i - 1]))
            return false;
    return true;
}

/* text: behind the dot. PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions". */
static bool is_selector(Parts parts, const char *text, uint32_t length)
{
    bool is_half = length && text[0] == 'h', is_byte = length && text[0] == 'b';
    const char *digits = text + 1;
    uint32_t count = length ? length - 1 : 0;
    switch (parts) {
    case PARTS_PART:
        return (is_byte && are_digits(digits, count, 1, 1, '3', false))
               || (is_half && are_digits(digits, count, 1, 1, '1', false));
    case PARTS_HALVES:       return is_half && are_digits(digits, count, 2, 2, '3', false);
    case PARTS_BYTES:        return is_byte && are_digits(digits, count, 4, 4, '7', false);
    case PARTS_HALF_MASK:    return is_half && are_digits(digits, count, 1, 2, '1', true);
    case PARTS_BYTE_MASK:    return is_byte && are_digits(digits, count, 1, 4, '3', true);
    default:                    return false;
    }
}

/* ptxas takes the selectors of the video instructions on 32-bit elements of coordinates, of what
 * memory and texture instructions read and write, and of what products of matrices write. */
static bool is_loose(const OperandCheck *c, const FormOperand *shape, const Operand *operand)
{
    uint8_t class = ptx_form_info[c->op->form].class;
    bool is_32 = operand->flags & OPERAND_ELEMENT
                 && ptx_type_info[c->regs[operand->id].type].bits == 32;
    bool is_result = shape->role == ROLE_DEF && class == FORM_TENSOR;
    return is_32
           && (shape->role & ROLE_ADDRESS || is_result || class == FORM_MEM || class == FORM_ATOMIC
               || class == FORM_TEX);
}

static bool is_any_selector(const char *text, uint32_t length)
{
    for (Parts parts = PARTS_PART; parts <= PARTS_BYTE_MASK; parts++) {
        if (is_selector(parts, text, length))
            return true;
    }
    return false;
}

Wrong ptx_judge_selector(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                         const Operand *operand)
{
    if (!ast->suffix_length)
        return WRONG_NOTHING;
    const char *text = c->text + ast->name + ast->name_length + 1;
    uint32_t length = ast->suffix_length - 1u;
    bool is_component = length == 1 && strchr("xyzwrgba", *text);
    bool is_right;
    if (operand->flags & OPERAND_COMPONENT)
        is_right = is_component;
    else if (operand->kind == OPERAND_SREG)
        is_right = is_component && ptx_sreg_info[operand->id].vector > 1;
    else if (operand->kind == OPERAND_REG) {
        /* which ptxas takes on 32-bit operands, whatever it may mean */
        bool is_odd = length == 3 && !memcmp(text, "b01", 3);
        is_right = is_selector((Parts)shape->selector, text, length)
                   || (is_odd && shape->selector != PARTS_HALVES)
                   || (is_any_selector(text, length) && is_loose(c, shape, operand));
    } else
        is_right = operand->kind == OPERAND_UNKNOWN;
    return is_right ? WRONG_NOTHING : WRONG_SELECTOR;
}

bool ptx_part_read(const char *suffix, uint32_t length, int64_t *value)
{
    int64_t digits = 0;
    if (length < 3 || length > 6 || suffix[0] != '.' || (suffix[1] != 'h' && suffix[1] != 'b'))
        return false;
    for (uint32_t i = 2; i < length; i++) {
        if (suffix[i] < '0' || suffix[i] > '7')
            return false;
        digits = digits << 4 | (suffix[i] - '0');
    }
    *value = digits | (suffix[1] == 'h' ? PART_HALVES : PART_BYTES)
             | (int64_t)(length - 2) << PART_COUNT_SHIFT;
    return true;
}
