/* check_beyond.c -- what the columns of the table cannot say of operands: a number that another
 * bounds, and what .unified stands behind. */
#include "check/check.h"
#include "ir/module.h"
#include "ir/operand.h"

enum { RANGE_OPERANDS = 4 };    /* of createpolicy.range; its kin has fewer */

bool ptx_check_compares_numbers(const Op *op)
{
    return op->kind == OPK_CP_ASYNC || op->operation == OP_CREATEPOLICY;
}

/* cp.async: what it reads is no more than what it writes; the rest is zeros. */
static void check_source_size(const OperandCheck *c)
{
    const AstOperand *size = c->stmt->operands->next->next, *source = size ? size->next : NULL;
    bool is_policy = source && !source->next && ptx_op_has(c->op, MOD_L2_CACHE_HINT);
    bool are_numbers = source && !is_policy && size->kind == AST_INT && source->kind == AST_INT;
    if (are_numbers && source->value > size->value)
        ptx_diag(c->diags, DIAG_OPERAND_FORM, source->span,
                 "`%.*s` copies %u bytes here, and cannot read %u of them", (int)c->op->length,
                 c->op->text, (unsigned)size->value, (unsigned)source->value)
            ->help = "the size of the source is at most that of the copy";
}

/* createpolicy.range: the primary part is no more than the whole. */
static void check_primary_size(const OperandCheck *c)
{
    if (c->operand_count != RANGE_OPERANDS)
        return;
    const AstOperand *primary = c->stmt->operands->next->next, *total = primary->next;
    if (primary->kind != AST_INT || total->kind != AST_INT
        || (uint32_t)primary->value <= (uint32_t)total->value)
        return;
    ptx_diag(c->diags, DIAG_OPERAND_FORM, primary->span,
             "the primary size of `%.*s` is %u bytes, and all of it are %u", (int)c->op->length,
             c->op->text, (unsigned)primary->value, (unsigned)total->value)
        ->help = "the primary size is at most the total size";
}

/* The variable that an address names; NULL: it is a register's. */
static const Var *var_at(const OperandCheck *c, uint8_t position)
{
    for (uint32_t o = 0; o < c->count; o++) {
        if (c->operands[o].position == position && c->operands[o].kind == OPERAND_VAR)
            return &c->module->vars[c->operands[o].id];
    }
    return NULL;
}

/* [a].unified: a load through a generic or global address, of a variable that says so too. */
static void check_unified(const OperandCheck *c, const AstOperand *ast, uint8_t position)
{
    bool is_reached = c->op->space == SPACE_NONE || c->op->space == SPACE_GENERIC
                      || c->op->space == SPACE_GLOBAL;
    bool is_load = c->op->kind == OPK_LD || c->op->kind == OPK_ATOM;
    const Var *var = var_at(c, position);
    if (is_reached && is_load && (!var || var->has_attribute))
        return;
    Diag *diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span,
                          "`.unified` is for loads through global and generic addresses%s",
                          is_reached && is_load ? ", of variables with .attribute(.unified)" : "");
    if (var)
        ptx_diag_relate(c->diags, diag, var->name, "declared here");
}

void ptx_check_beyond_row(const OperandCheck *c)
{
    uint8_t position = 0;
    for (const AstOperand *ast = c->stmt->operands; ast; ast = ast->next, position++) {
        if (ast->modifier_length)
            check_unified(c, ast, position);
    }
    if (c->op->kind == OPK_CP_ASYNC)
        check_source_size(c);
    else if (c->op->operation == OP_CREATEPOLICY)
        check_primary_size(c);
}
