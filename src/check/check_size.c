/* check_size.c -- whether an operand has as many elements as its row of the table says, and what a
 * thread accesses. */
#include "check/check.h"
#include "support/choice.h"
#include "isa/isa.h"
#include "parser/ast.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/reg.h"

#include <stddef.h>

/* What is counted: the operand, of a pair the left side, of an address the vector in it. NULL:
 * there is none. */
static const AstOperand *counted(const FormOperand *shape, const AstOperand *ast)
{
    if (ast->kind == AST_PAIR)
        return ast->child;
    if (!(shape->role & ROLE_ADDRESS))
        return ast;
    const AstOperand *last = NULL;
    for (const AstOperand *child = ast->kind == AST_ADDRESS ? ast->child : NULL; child;
         child = child->next)
        last = child;
    return last;
}

/* The number that the modifiers give; 0: none. */
static uint32_t wanted(const Op *op, const FormOperand *shape)
{
    if (shape->elements == ELEMENTS_VEC)
        return op->vector;
    if (shape->elements == ELEMENTS_TEXELS)
        return op->vector > 1 ? op->vector : 0;
    return op->elements[shape->elements];
}

static bool takes(const Op *op, const FormOperand *shape, uint32_t count)
{
    if (shape->elements == ELEMENTS_SET)
        return count < 64 && shape->element_set >> count & 1;
    uint32_t number = wanted(op, shape);
    if (!number || count == number)
        return true;
    switch (shape->elements) {
    case ELEMENTS_VEC:
        return number == 1 && !count;
    case ELEMENTS_COORDS: case ELEMENTS_SHIFT:
        /* a bare one is spread, says ptxas */
        return !count || ((count == 2 || count == 4) && count > number);
    case ELEMENTS_TEXELS:
        return !count;
    case ELEMENTS_META: case ELEMENTS_KEPT: case ELEMENTS_DENSE:
        return number == 1 && !count;
    default:
        return false;
    }
}

bool ptx_elements_fit(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                      uint32_t register_elements)
{
    if (!shape->elements || ast->kind == AST_BAD)
        return true;
    const AstOperand *vector = counted(shape, ast);
    if (!vector)
        return true;
    if (ptx_is_sink(c->text, vector))
        return true;
    uint32_t count = register_elements > 1 ? register_elements : 0;
    if (vector->kind == AST_VECTOR)
        count = ptx_element_count(vector);
    return takes(c->op, shape, count);
}

/* "1, 2 or 4". */
static const char *set_text(const OperandCheck *c, uint64_t set)
{
    const char *text = "";
    for (uint32_t n = 1; n < 64; n++) {
        if (!(set >> n & 1))
            continue;
        const char *separator = set >> n >> 1 ? ", " : " or ";
        text = ptx_diag_text(c->diags, "%s%s%u", text, ptx_text_if(*text, separator), (unsigned)n);
    }
    return text;
}

void ptx_elements_report(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast)
{
    const AstOperand *vector = counted(shape, ast);
    Span span = vector->span;
    int length = c->op->length > 80 ? 80 : (int)c->op->length;
    bool is_bare = vector->kind != AST_VECTOR;
    const char *wanted_text = shape->elements == ELEMENTS_SET
                                  ? set_text(c, shape->element_set)
                                  : ptx_diag_text(c->diags, "%u", (unsigned)wanted(c->op, shape));
    Diag *diag;
    if (!*wanted_text || (!is_bare && shape->elements == ELEMENTS_VEC && c->op->vector == 1))
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "`%.*s` takes no vector here", length,
                        c->op->text);
    else if (is_bare && shape->elements == ELEMENTS_VEC && c->op->vector == 1) {
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span,
                        "`%.*s` takes one element here, not all of a vector", length, c->op->text);
        diag->help = "name one of them, as v.x, or write .v2 or .v4";
        return;
    } else if (is_bare)
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span,
                        "`%.*s` takes a vector of %s here: {...}", length, c->op->text,
                        wanted_text);
    else
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span,
                        "`%.*s` takes a vector of %s here, not of %u", length, c->op->text,
                        wanted_text, (unsigned)ptx_element_count(vector));
    if (shape->elements >= ELEMENTS_A && shape->elements <= ELEMENTS_C)
        diag->help = "the shape and the type say how much of the matrix each thread holds";
    else if (shape->elements >= ELEMENTS_REPEAT)
        diag->help = "the shape in the modifiers says how many";
}

/* wmma.load and wmma.store: a thread's share of the matrix is what its registers hold. */
static uint8_t fragment_bytes(const Insn *insn, const Operand *operands, const Reg *regs)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (operands[i].kind == OPERAND_REG && (operands[i].flags & OPERAND_ELEMENT))
            bytes += 4 * ptx_reg_units(&regs[operands[i].id]);
    }
    return (uint8_t)(bytes > UINT8_MAX ? 0 : bytes);
}

uint8_t ptx_access_bytes(const Insn *insn, const Operand *operands, const Reg *regs)
{
    const Op *op = insn->op;
    if (op->kind == OPK_CP_ASYNC) {
        for (uint32_t i = 0; i < insn->operand_count; i++) {
            if (operands[i].position == 2 && operands[i].kind == OPERAND_INT
                && ptx_operand_value(&operands[i]) > 0 && ptx_operand_value(&operands[i]) <= 16)
                return (uint8_t)ptx_operand_value(&operands[i]);
        }
        return 0;
    }
    if (op->kind == OPK_LDMATRIX || op->kind == OPK_STMATRIX)
        return 16;              /* a row of 8 b16 elements for each lane that gives an address */
    if (!op->space || !op->type)
        return 0;
    if (op->flags & OPF_WARP && op->kind == OPK_OTHER)
        return fragment_bytes(insn, operands, regs);
    return (uint8_t)((ptx_type_info[op->type].bits + 7) / 8 * op->vector);
}
