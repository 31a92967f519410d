#include "check/judge.h"

#include "check/sreg.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/module.h"
#include "ir/reg.h"

#include <string.h>
#include <stdbool.h>

/* {a, b, ...}: ptxas gives a vector one type, made of those of its elements, and compares that with
 * what the instruction works on. An untyped element (.b32) makes the vector untyped; a predicate
 * counts as 32 bits; signed and unsigned go together, other kinds do not. */

static uint8_t bits_of(Type type)
{
    return type == TYPE_PRED ? 32 : ptx_type_info[type].bits;
}

static bool is_integer_type(Type type)
{
    return ptx_type_info[type].kind == KIND_SIGNED || ptx_type_info[type].kind == KIND_UNSIGNED;
}

/* TYPE__COUNT: they do not go together. */
static Type merge(Type a, Type b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    if (bits_of(a) != bits_of(b))
        return TYPE__COUNT;
    if (ptx_type_info[a].kind == KIND_BITS)
        return a;
    if (ptx_type_info[b].kind == KIND_BITS)
        return b;
    return is_integer_type(a) && is_integer_type(b) ? a : TYPE__COUNT;
}

/* Special registers are bits of their width. */
static Type type_of(const OperandCheck *c, const Operand *operand)
{
    if (operand->kind == OPERAND_REG) {
        bool is_one = c->regs[operand->id].vector <= 1 || operand->flags & OPERAND_COMPONENT;
        return is_one ? (Type)c->regs[operand->id].type : TYPE_NONE;
    }
    if (operand->kind == OPERAND_VAR && c->module->vars[operand->id].space == SPACE_PARAM)
        return TYPE_B64;
    if (operand->kind != OPERAND_SREG)
        return TYPE_NONE;
    uint8_t bits = ptx_type_info[ptx_sreg_info[operand->id].type].bits;
    if (bits == 32)
        return TYPE_B32;
    return bits == 64 ? TYPE_B64 : TYPE_NONE;
}

Type ptx_vector_type(const OperandCheck *c, uint8_t position)
{
    Type type = TYPE_NONE;
    bool has_integer = false, is_behind = false;
    for (uint32_t o = 0; o < c->count && type != TYPE__COUNT; o++) {
        const Operand *operand = &c->operands[o];
        bool is_element = operand->position == position && operand->flags & OPERAND_ELEMENT;
        if (is_element)
            type = merge(type, type_of(c, operand));
        /* an integer among floats */
        bool is_layer = is_element && c->op->has_layers && !is_behind;
        has_integer |= is_element && operand->kind == OPERAND_INT && !is_layer;
        is_behind |= is_element;
    }
    return has_integer && (type == TYPE_F32 || type == TYPE_F64) ? TYPE__COUNT : type;
}

/* ptxas passes what tcgen05 and wmma.load read and write through instructions of its own, which are
 * stricter. */
static Wrong judge_inner(const OperandCheck *c, const Operand *operand)
{
    bool is_tcgen05 = c->op->family == OP_TCGEN05;
    if (operand->kind == OPERAND_F64)
        return is_tcgen05 ? WRONG_NUMBER : WRONG_NOTHING;
    bool is_strict = operand->kind == OPERAND_REG && (is_tcgen05 || ptx_op_has(c->op, MOD_LOAD));
    return is_strict && c->regs[operand->id].type == TYPE_PRED ? WRONG_REGISTER : WRONG_NOTHING;
}

Wrong ptx_judge_element(const OperandCheck *c, const FormOperand *shape, const AstOperand *child,
                        const Operand *operand)
{
    bool is_def = shape->role & ROLE_DEF;
    switch (operand->kind) {
    case OPERAND_INT: case OPERAND_F32: case OPERAND_F64:
        return is_def ? WRONG_RESULT : judge_inner(c, operand);
    case OPERAND_VAR: /* a parameter of 64 bits may stand there, says ptxas */
        return c->module->vars[operand->id].space == SPACE_PARAM ? WRONG_NOTHING : WRONG_VARIABLE;
    case OPERAND_FUNCTION:
        return WRONG_SHAPE;
    case OPERAND_SINK:
        return shape->role & ROLE_ADDRESS || (is_def && shape->role & ROLE_USE)
                       || shape->elements == ELEMENTS_REPEAT
                   ? WRONG_SINK
                   : WRONG_NOTHING;
    case OPERAND_SREG:
        if (shape->elements == ELEMENTS_REPEAT)
            return WRONG_SREG;
        if (ptx_sreg_info[operand->id].vector > 1 && child && child->kind == AST_NAME
            && !child->suffix_length)
            return WRONG_SHAPE;
        break;
    case OPERAND_REG:
        if (judge_inner(c, operand))
            return WRONG_REGISTER;
        break;
    default:
        break;
    }
    return child && child->kind == AST_NAME ? ptx_judge_selector(c, shape, child, operand)
                                            : WRONG_NOTHING;
}
