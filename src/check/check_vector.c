#include "check/judge.h"

#include "check/sreg.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/module.h"
#include "ir/reg.h"

#include <string.h>
#include <stdbool.h>

/* {a, b, ...}: ptxas gives a vector one type, made of those of its elements, and compares that with
 * what the instruction works on. An untyped element (.b32) makes the vector untyped, though others
 * must still go together: signed and unsigned do, other kinds do not. A predicate counts as 32
 * bits. */

static uint8_t bits_of(Type type)
{
    return type == TYPE_PRED ? 32 : ptx_type_info[type].bits;
}

static bool is_integer_type(Type type)
{
    return ptx_type_info[type].kind == KIND_SIGNED || ptx_type_info[type].kind == KIND_UNSIGNED;
}

typedef struct ElementTypes { Type typed, bits; bool clash; } ElementTypes;

static void add_element(ElementTypes *all, Type type)
{
    Type *kept = ptx_type_info[type].kind == KIND_BITS ? &all->bits : &all->typed;
    const Type other = all->typed ? all->typed : all->bits;
    if (!type)
        return;
    all->clash |= other && bits_of(other) != bits_of(type);
    all->clash |= kept == &all->typed && *kept && *kept != type
                  && !(is_integer_type(*kept) && is_integer_type(type));
    *kept = *kept ? *kept : type;
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

bool ptx_is_layer(const OperandCheck *c, const FormOperand *shape, uint32_t index)
{
    const bool is_texture = c->op->family == OP_TEX || c->op->family == OP_TLD4;
    return is_texture && c->op->has_layers && shape->role & ROLE_ADDRESS
           && index == (ptx_op_has(c->op, MOD_A2DMS) ? 1 : 0);
}

bool ptx_is_layer_number(const OperandCheck *c, const Operand *operand)
{
    const Type type = type_of(c, operand);
    if (operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64)
        return false;
    return type == TYPE_NONE || ptx_type_info[type].kind == KIND_BITS || is_integer_type(type);
}

/* Of .a2dms: the sample, then the layer. */
static bool is_before_coordinates(const OperandCheck *c, const FormOperand *shape, uint32_t index)
{
    return ptx_is_layer(c, shape, index) || ptx_is_layer(c, shape, index + 1);
}

Type ptx_vector_type(const OperandCheck *c, const FormOperand *shape, uint8_t position)
{
    ElementTypes all = { TYPE_NONE, TYPE_NONE, false };
    bool has_integer = false;
    uint32_t index = 0, widths = 0;
    for (uint32_t o = 0; o < c->count; o++) {
        const Operand *operand = &c->operands[o];
        if (operand->position != position || !(operand->flags & OPERAND_ELEMENT))
            continue;
        const Type type = type_of(c, operand);
        widths |= type ? bits_of(type) : 0;
        if (is_before_coordinates(c, shape, index++))
            continue;
        add_element(&all, type);
        has_integer |= operand->kind == OPERAND_INT;
    }
    const Type type = all.bits ? all.bits : all.typed;
    /* an integer among floats */
    all.clash |= has_integer && (type == TYPE_F32 || type == TYPE_F64);
    if (all.clash || (type && widths != bits_of(type)))
        return TYPE__COUNT;
    const bool is_sampled = ptx_is_layer(c, shape, 1);      /* ptxas takes these for bits */
    return is_sampled && type ? TYPE_B32 : type;
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
