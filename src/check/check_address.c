#include "check/judge.h"

#include "check/sreg.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "parser/ast.h"

#include <string.h>
#include <stdbool.h>

bool ptx_space_takes(Space wanted, Space have)
{
    switch (wanted) {
    case SPACE_GENERIC: case SPACE_NONE:
        return have != SPACE_CONST && have != SPACE_PARAM;
    case SPACE_SHARED: case SPACE_SHARED_CTA: case SPACE_SHARED_CLUSTER:
        return have == SPACE_SHARED;
    case SPACE_PARAM: case SPACE_PARAM_ENTRY: case SPACE_PARAM_FUNC:
        return have == SPACE_PARAM;
    case SPACE_GLOBAL:
        return have == SPACE_GLOBAL || have == SPACE_TEX;
    case SPACE__COUNT:
        return true;
    default:
        return have == wanted;
    }
}

/* Addresses are integers of the width of an address, or less. */
static Wrong judge_register(const Reg *reg)
{
    const TypeInfo *type = &ptx_type_info[reg->type];
    if (type->kind == KIND_PREDICATE || type->kind == KIND_FLOAT || type->bits > 64)
        return WRONG_ADDRESS;
    return reg->vector > 1 ? WRONG_ADDRESS_SHAPE : WRONG_NOTHING;
}

/* Of textures the parts are more or fewer; plain copies of tensors have two. */
static bool has_exact_parts(const FormOperand *shape)
{
    const char *name = ptx_form_operand_name(shape);
    return strchr(name, ',') && (strchr(name, '{') || !shape->elements);
}

/* Parts of an operand "[a, b, {c}]" of a form, as they are written: a name, or a vector where
 * braces stand. A part that is a register or variable is no vector. */
static bool lists_parts(const char *name, const AstOperand *part)
{
    for (const char *at = name; at; part = part->next) {
        if (!part || (at[strspn(at, ", ")] == '{') != (part->kind == AST_VECTOR))
            return false;
        at = strchr(at + strspn(at, ", "), ',');
        if (!at)
            return !part->next;
    }
    return false;
}

static bool has_its_parts(const Op *op, const FormOperand *shape, const AstOperand *first)
{
    if (has_exact_parts(shape))
        return lists_parts(ptx_form_operand_name(shape), first);
    bool is_plain_copy = ptx_op_has(op, MOD_TENSOR) && strchr(ptx_form_operand_name(shape), ',');
    return !is_plain_copy || lists_parts("map, {c}", first);
}

/* [name], [name+number] and [number] are all that brackets hold; those of textures, surfaces and
 * tensors hold coordinates too. */
static bool has_shape(const Op *op, const FormOperand *shape, const AstOperand *ast)
{
    if (ast->kind == AST_ADDRESS) {
        const AstOperand *first = ast->child;
        bool takes_more = strchr(ptx_form_operand_name(shape), ',') != NULL;
        return first->kind == AST_NAME
               && !(first->flags
                    & (AST_NOT | AST_NEGATIVE | AST_BRACKETS | AST_PARENTHESES | AST_INDEXED))
               && !first->suffix_length && takes_more == (first->next != NULL)
               && has_its_parts(op, shape, first);
    }
    return ast->kind != AST_NAME
           || !(ast->flags & (AST_PARENTHESES | AST_INDEXED) || ast->suffix_length);
}

/* Textures and surfaces are not loaded and stored, but for elements of arrays. */
static bool is_opaque_to(const Op *op, const Var *var)
{
    return ptx_type_info[var->type].kind == KIND_OPAQUE && !var->is_array
           && (op->kind == OPK_LD || op->kind == OPK_ST);
}

/* Bulk copies take the name of a texture or surface for an address of any space. */
static bool is_handle_of_bulk(const Op *op, const Var *var)
{
    return ptx_type_info[var->type].kind == KIND_OPAQUE && op->operation == OP_CP_ASYNC_BULK;
}

/* What a function is given it loads, what it returns it stores. */
static Wrong judge_direction(const Op *op, const Var *var)
{
    if (op->kind == OPK_ST && var->is_input)
        return WRONG_INPUT;
    return op->kind == OPK_LD && var->is_parameter && !var->is_input ? WRONG_OUTPUT : WRONG_NOTHING;
}

/* An address in tensor memory: 32 bits, whatever the module's have. */
static bool is_in_tensor_memory(const FormOperand *shape)
{
    return shape->type == OPERAND_BITS32 || (shape->type == TYPE_U32 && !shape->elements);
}

Wrong ptx_judge_address(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                        uint32_t at, Space wanted)
{
    if (shape->type == OPERAND_ANY)
        return WRONG_NOTHING;
    bool is_bare = !(ast->flags & AST_BRACKETS) && ast->kind != AST_ADDRESS;
    if (is_bare && !(ast->flags & AST_INDEXED))
        return WRONG_NOTHING;                   /* a register, where bulk copies take it */
    if (ast->kind == AST_ADDRESS && ast->child->kind == AST_BAD)
        return WRONG_NOTHING;                   /* diagnosed already */
    if (!is_bare && !has_shape(c->op, shape, ast))             /* bare: g[1] */
        return WRONG_ADDRESS_SHAPE;
    const Operand *operand = &c->operands[at];
    if (at >= c->count)
        return WRONG_NOTHING;
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG:
        return ast->kind == AST_NAME ? judge_register(&c->regs[operand->id]) : WRONG_NOTHING;
    case OPERAND_SREG:
        return shape->type == OPERAND_BITS32
                       || (ptx_sreg_info[operand->id].vector > 1 && ast->kind == AST_NAME
                           && !ast->suffix_length)
                   ? WRONG_SREG
                   : WRONG_NOTHING;
    case OPERAND_VAR:
        if (is_in_tensor_memory(shape))
            return WRONG_VARIABLE;              /* its address has 64 */
        if (!ptx_space_takes(wanted, (Space)c->module->vars[operand->id].space)
            && !is_handle_of_bulk(c->op, &c->module->vars[operand->id]))
            return WRONG_SPACE;
        if (is_opaque_to(c->op, &c->module->vars[operand->id]))
            return WRONG_ADDRESS_SHAPE;
        return judge_direction(c->op, &c->module->vars[operand->id]);
    case OPERAND_FUNCTION: case OPERAND_SINK:
        return WRONG_ADDRESS_SHAPE;
    case OPERAND_INT:
        return ast->kind == AST_ADDRESS || wanted == SPACE_LOCAL || wanted == SPACE__COUNT
                   ? WRONG_NOTHING
                   : WRONG_IMMEDIATE_ADDRESS;
    default:
        return WRONG_NOTHING;
    }
}
