/* operand.h -- an operand of an instruction. */
#ifndef PTX_IR_OPERAND_H
#define PTX_IR_OPERAND_H

#include "ir/types.h"
#include "isa/isa.h"
#include <stdbool.h>

typedef enum OperandKind {
    OPERAND_NONE,
    /* id: RegId; value: offset of an address, or bits of a component 0..3 plus 1, or OPERAND_PART's
     * */
    OPERAND_REG,
    OPERAND_SREG, /* id: SregId; value: component 0..3 */
    OPERAND_INT,  /* value; here and below id is not for others to read */
    OPERAND_F32,
    OPERAND_F64,      /* value: the bits */
    OPERAND_VAR,      /* id: VarId; value: offset */
    OPERAND_FUNCTION, /* id: FuncId */
    OPERAND_TARGET,   /* id: LabelId */
    OPERAND_SINK,     /* _ */
    OPERAND_UNKNOWN,  /* undeclared, or a shape no form has: diagnosed */
} OperandKind;

enum {
    OPERAND_NEGATED = 1,        /* !p */
    OPERAND_MINUS = 2,          /* -r */
    OPERAND_ELEMENT = 4,        /* of a vector {a, b, ...} */
    OPERAND_RIGHT = 8,          /* right side of d|p */
    OPERAND_COMPONENT = 16,     /* v.x: part of the register */
    OPERAND_IMPLICIT = 32,      /* not written: a .reg result of the function at its ret */
    /* r.h1, r.b3210, as video instructions take it; value: the digits, a nibble each, and
     * PART_HALVES or PART_BYTES */
    OPERAND_PART = 64,
};

enum {
    PART_DIGITS = 0xffff,
    PART_HALVES = 1 << 16,
    PART_BYTES = 1 << 17,
    PART_COUNT_SHIFT = 18 /* how many digits */
};

/* Of values most are 0, or of a number that 32 bits say: id has it. Others stand behind the
 * operands of their instruction, in two items of OPERAND_NONE: Operand.value_at is how far. Behind
 * more operands than that can say it is OPERAND_FAR plus the exponent of a power of two, and the
 * two lie once and twice so far away. */
enum { OPERAND_FAR = 192 };

typedef struct Operand {
    uint8_t kind : 4;           /* OperandKind */
    uint8_t role : 4;           /* Role bits */
    uint8_t position;           /* in the form; elements of a vector share theirs */
    uint8_t flags;              /* OPERAND_NEGATED ... */
    uint8_t value_at;           /* ptx_operand_value knows of it; 0: id has the value, or it is 0 */
    uint32_t id;
} Operand;

/* Of two items behind an operand the id. */
static inline int64_t ptx_operand_value_behind(const Operand *operand)
{
    uint32_t low = operand->value_at, high = low + 1;
    if (operand->value_at >= OPERAND_FAR) {
        low = UINT32_C(1) << (operand->value_at - OPERAND_FAR);
        high = 2 * low;
    }
    return (int64_t)((uint64_t)operand[high].id << 32 | operand[low].id);
}

/* By its kind: OperandKind. */
static inline int64_t ptx_operand_value(const Operand *operand)
{
    if (operand->value_at)
        return ptx_operand_value_behind(operand);
    switch ((OperandKind)operand->kind) {
    case OPERAND_INT:
        return (int32_t)operand->id;
    case OPERAND_F32:
        return operand->id;
    case OPERAND_F64:
        return (int64_t)((uint64_t)operand->id << 32);
    default:
        return 0;
    }
}

static inline bool ptx_operand_is_def(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->role & ROLE_DEF;
}

#endif
