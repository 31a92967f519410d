/* check.h -- whether the operands of an instruction are what its form asks for: an address where there are brackets, a register for the
 * result, registers and numbers of the right type.
 *
 * Types are ptxas's, which is laxer than the manual [1]: `.b` types take any register of their width, integers take either sign and
 * `.b`, floats take themselves and `.b`; loads, stores and conversions take wider registers too. An instruction passes if any form with
 * its modifiers and so many operands takes it.
 * [1] PTX ISA, "Operand Size Exceeding Instruction-Type Size", tables "Relaxed Type-checking Rules" */
#ifndef PTX_IR_CHECK_H
#define PTX_IR_CHECK_H

#include "ir/ir.h"

typedef struct OperandCheck {
    DiagSink *diags;
    const char *text;
    const Reg *regs;
    const Op *op;
    const AstStmt *stmt;
    const Operand *operands;    /* as lowered, count of them */
    uint32_t count, operand_count;      /* operand_count: as written */
} OperandCheck;

/* At most one diagnostic. form: a row of the table that takes so many operands. */
void ptx_check_operands(const OperandCheck *check, FormId form);

/* Whether a register of a type may stand where an instruction works on another; is_relaxed: wider ones too. */
bool ptx_type_takes(Type wanted, Type given, bool is_relaxed);

#endif
