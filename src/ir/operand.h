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
    OPERAND_SREG,               /* id: SregId; value: component 0..3 */
    OPERAND_INT,                /* value */
    OPERAND_F32, OPERAND_F64,   /* value: the bits */
    OPERAND_VAR,                /* id: VarId; value: offset */
    OPERAND_FUNCTION,           /* id: FuncId */
    OPERAND_TARGET,             /* id: LabelId */
    OPERAND_SINK,               /* _ */
    OPERAND_UNKNOWN,            /* undeclared, or a shape no form has: diagnosed */
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

typedef struct Operand {
    uint8_t kind;               /* OperandKind */
    uint8_t role;               /* Role bits */
    uint8_t position;           /* in the form; elements of a vector share theirs */
    uint8_t flags;              /* OPERAND_NEGATED ... */
    uint32_t id;
    int64_t value;
} Operand;

static inline bool ptx_operand_is_def(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->role & ROLE_DEF;
}

#endif
