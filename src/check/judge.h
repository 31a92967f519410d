/* judge.h -- what may be wrong with one operand: shared by check.c, which decides for an
 * instruction, and by the judges of addresses and of operands without brackets. Private to this
 * folder. No judge reports: check_report.c does, once no form takes the operands. */
#ifndef PTX_CHECK_JUDGE_H
#define PTX_CHECK_JUDGE_H

#include "check/check.h"
#include "isa/isa.h"
#include "parser/ast.h"

#include <stdbool.h>
#include <string.h>

typedef enum Wrong {
    WRONG_NOTHING,
    WRONG_BRACKETS,
    WRONG_NO_BRACKETS,
    WRONG_RESULT,
    WRONG_REGISTER,
    WRONG_NUMBER,
    WRONG_ADDRESS,
    WRONG_SINK,
    WRONG_SIGN,
    WRONG_OFFSET,
    WRONG_COUNT,
    WRONG_ELEMENTS,
    WRONG_SPACE,
    WRONG_IMMEDIATE_ADDRESS,
    WRONG_ADDRESS_SHAPE,
    WRONG_VARIABLE,
    WRONG_SREG,
    WRONG_SELECTOR,
    WRONG_SHAPE,
    WRONG_VECTOR,
    WRONG_NO_VECTOR,
    WRONG_NO_PAIR,
    WRONG_PAIR,
    WRONG_PAIR_PREDICATE,
    WRONG_VECTORS,
    WRONG_SIZE,
    WRONG_VALUE,
    WRONG_MORE,
    WRONG_INPUT,
    WRONG_OUTPUT,
    WRONG_ARGUMENT,
    WRONG_HANDLE
} Wrong;

/* What is wrong with the operands of an instruction, as one form of it sees them. */
typedef struct CheckFinding {
    Wrong wrong;
    const AstOperand *at;
    const FormOperand *shape;
    Type type;                  /* wanted */
    const Operand *operand;
} CheckFinding;

/* check_report.c */
void ptx_check_report(const OperandCheck *check, const CheckFinding *finding);

/* An address in brackets. at: the operands of its position begin there, in c->operands; wanted: the
 * space that the instruction says for it, SPACE_GENERIC where it says none, SPACE__COUNT where any
 * will do. Type and space of what stands first in the brackets, and how it is written. */
Wrong ptx_judge_address(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                        uint32_t at, Space wanted);

/* check_texture.c: of an address that holds coordinates, or that names a texture or surface: its
 * parts. */
Wrong ptx_judge_coordinates(const OperandCheck *c, const FormInfo *form, const FormOperand *shape,
                            const AstOperand *ast, uint32_t at);

/* Whether a variable may be reached by an instruction for a space. */
bool ptx_space_takes(Space wanted, Space have);

/* name+4, be the number 0. */
static inline bool ptx_has_offset(const char *text, const AstOperand *name)
{
    const char *behind = text + name->name + name->name_length + name->suffix_length;
    return name->value || (name->kind == AST_NAME && behind[strspn(behind, " \t\r\n")] == '+');
}

/* The letters behind the name of a register or special register, .x or .b0: those that the form and
 * the register have. */
Wrong ptx_judge_selector(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                         const Operand *operand);

/* An element of a vector, in brackets or not: what is wrong whatever its type. child: as it is
 * written, or NULL. */
Wrong ptx_judge_element(const OperandCheck *c, const FormOperand *shape, const AstOperand *child,
                        const Operand *operand);

#endif
