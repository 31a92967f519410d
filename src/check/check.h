/* check.h -- whether the operands of an instruction are what its form asks for: an address where
 * there are brackets, a register for the result, registers and numbers of the right type.
 *
 * Types are ptxas's, which is laxer than the manual [1]: `.b` types take any register of their
 * width, integers take either sign and `.b`, floats take themselves and `.b`; loads, stores and
 * conversions take wider registers too. An instruction passes if any form with its modifiers and so
 * many operands takes it.
 *
 * An address is [name], [name+number] or [number]; a variable in it is in the space that the
 * instruction says, or in one that has a generic address; only .local takes a bare number. Names of
 * variables stand outside brackets where the form says so (mov, cvta, mapa), special registers in
 * mov and cvt.
 * [1] PTX ISA, "Operand Size Exceeding Instruction-Type Size", tables "Relaxed Type-checking
 *     Rules" */
#ifndef PTX_CHECK_CHECK_H
#define PTX_CHECK_CHECK_H

#include "ir/types.h"
#include "isa/isa.h"
#include "parser/ast.h"
#include "support/diag.h"

#include <stdbool.h>

typedef struct OperandCheck {
    DiagSink *diags;
    const char *text;
    const Reg *regs;
    const Op *op;
    const AstStmt *stmt;
    const Operand *operands;    /* as lowered, count of them */
    uint32_t count, operand_count;      /* operand_count: as written */
    /* variables and their spaces; its version and target: rows that they do not allow do not count
     * */
    const Module *module;
} OperandCheck;

/* At most one diagnostic. form: a row of the table that takes so many operands; true: it takes
 * these, and nothing is to be said. */
bool ptx_check_operands(const OperandCheck *check, FormId form);

/* ---- check_size.c, check_range.c: columns of the table that any operand may have ------------- */

/* Whether an operand has as many elements as its row says. Of an address: its last vector. */
bool ptx_elements_fit(const OperandCheck *check, const FormOperand *shape, const AstOperand *ast,
                      uint32_t register_elements);
void ptx_elements_report(const OperandCheck *check, const FormOperand *shape,
                         const AstOperand *ast);

/* What each thread accesses; 0: not known. operands: the instruction's own. */
uint8_t ptx_access_bytes(const Insn *insn, const Operand *operands, const Reg *regs);

/* check_beyond.c: what the columns cannot say of operands that they take. */
void ptx_check_beyond_row(const OperandCheck *check);

/* Whether it looks at the numbers of an instruction. */
bool ptx_check_compares_numbers(const Op *op);

typedef enum NumberFault {
    NUMBER_FITS, NUMBER_OUT_OF_RANGE, NUMBER_NO_INTEGER, NUMBER_WANTED, NUMBER_UNWANTED
} NumberFault;

/* Whether an operand is a number where there must be one, a register where none may be, and within
 * its range. */
NumberFault ptx_number_judge(const FormOperand *shape, const AstOperand *ast);
void ptx_number_report(const OperandCheck *check, const FormOperand *shape, const AstOperand *ast,
                       NumberFault fault);

/* The type of the vector {..} or of the coordinates at a position, as its registers make it:
 * TYPE_NONE where there are none, TYPE__COUNT where they do not go together. The layer of a texture
 * is as wide, and else a number of its own. */
Type ptx_vector_type(const OperandCheck *check, const FormOperand *shape, uint8_t position);
/* Of a vector's elements the index-th says a texture's layer; what says one is an integer. */
bool ptx_is_layer(const OperandCheck *check, const FormOperand *shape, uint32_t index);
bool ptx_is_layer_number(const OperandCheck *check, const Operand *operand);

/* Whether a register of a type may stand where an instruction works on another; is_relaxed: wider
 * ones too. */
bool ptx_type_takes(Type wanted, Type given, bool is_relaxed);

/* .h1, .b3210: whether it may stand there is ptx_judge_selector's to say. False: it is something
 * else. */
bool ptx_part_read(const char *suffix, uint32_t length, int64_t *value);

/* The operand is `_`, alone. */
static inline bool ptx_is_sink(const char *text, const AstOperand *ast)
{
    return ast->kind == AST_NAME && ast->name_length == 1 && text[ast->name] == '_';
}

/* of a vector, or of a list */
static inline uint32_t ptx_element_count(const AstOperand *list)
{
    uint32_t count = 0;
    for (const AstOperand *child = list->child; child; child = child->next)
        count++;
    return count;
}

#endif
