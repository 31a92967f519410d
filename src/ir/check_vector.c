#include "ir/check.h"

/* {a, b, ...}: ptxas gives a vector one type, made of those of its elements, and compares that with what the instruction works on. An
 * untyped element (.b32) makes the vector untyped; a predicate counts as 32 bits; signed and unsigned go together, other kinds do not. */

static uint8_t bits_of(Type type)
{
    return type == TYPE_PRED ? 32 : ptx_type_info[type].bits;
}

static bool is_integer(Type type)
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
    return is_integer(a) && is_integer(b) ? a : TYPE__COUNT;
}

Type ptx_vector_type(const OperandCheck *c, uint8_t position)
{
    Type type = TYPE_NONE;
    for (uint32_t o = 0; o < c->count && type != TYPE__COUNT; o++) {
        const Operand *operand = &c->operands[o];
        bool is_element = operand->position == position && operand->flags & OPERAND_ELEMENT;
        if (is_element && operand->kind == OPERAND_REG && c->regs[operand->id].vector <= 1)
            type = merge(type, (Type)c->regs[operand->id].type);
    }
    return type;
}
