/* Addresses that hold coordinates, and what textures and surfaces are named by: a variable of their
 * type, or a register of 64 bits. PTX ISA, "Texture Instructions", "Surface Instructions". */
#include "check/judge.h"

#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "parser/ast.h"

#include <string.h>

enum { MAX_PARTS = 3 };         /* [texture, sampler, {coordinates}] */

/* Coordinates stand behind a name without an offset. */
static bool has_coordinates(const OperandCheck *c, const AstOperand *ast)
{
    return ast->kind == AST_ADDRESS && ast->child->next && !ptx_has_offset(c->text, ast->child);
}

/* [a, {c}], [a, c], [a, b, {c}]. */
static bool has_texture_parts(const OperandCheck *c, const AstOperand *ast)
{
    unsigned count = 0;
    const AstOperand *last = NULL;
    for (const AstOperand *part = ast->child; part; part = part->next, count++) {
        bool is_name = part->kind == AST_NAME && !ptx_has_offset(c->text, part) && !part->flags;
        if (!is_name && (part->kind != AST_VECTOR || part->next))
            return false;
        last = part;
    }
    return count < MAX_PARTS || (count == MAX_PARTS && last->kind == AST_VECTOR);
}

/* What is asked of a sampler, where textures have none of their own; the last of any. */
static bool asks_sampler(const OperandCheck *c)
{
    static const uint8_t words[] = { MOD_FILTER_MODE, MOD_ADDR_MODE_0, MOD_ADDR_MODE_1,
                                     MOD_ADDR_MODE_2, MOD_NONE };
    return (c->module->is_texmode_independent && ptx_op_has_any(c->op, words))
           || ptx_op_has(c->op, MOD_FORCE_UNNORMALIZED_COORDS);
}

static Type handle_type(const OperandCheck *c)
{
    switch ((Operation)c->op->family) {
    case OP_TEX: case OP_TLD4:
        return TYPE_TEXREF;
    case OP_TXQ:
        return asks_sampler(c) ? TYPE_SAMPLERREF : TYPE_TEXREF;
    default:
        return TYPE_SURFREF;
    }
}

/* Where textures have samplers of their own, what stands for one is not looked at. */
static bool is_sampler(const OperandCheck *c, Type type)
{
    return c->module->is_texmode_independent ? type == TYPE_SAMPLERREF
                                             : ptx_type_info[type].kind == KIND_OPAQUE;
}

/* Textures of the first versions were variables in .tex. */
static bool is_handle(const OperandCheck *c, const Operand *operand, bool of_sampler)
{
    if (operand->kind == OPERAND_REG)
        return ptx_type_info[c->regs[operand->id].type].bits == 64
               && ptx_type_info[c->regs[operand->id].type].kind != KIND_FLOAT;
    if (operand->kind != OPERAND_VAR)
        return operand->kind == OPERAND_UNKNOWN;
    const Var *var = &c->module->vars[operand->id];
    if (var->is_array && ptx_type_info[var->type].kind == KIND_OPAQUE)
        return false;                   /* its elements are loaded */
    if (of_sampler)
        return is_sampler(c, (Type)var->type);
    return var->space == SPACE_TEX || (Type)var->type == handle_type(c);
}

/* [texture, sampler, {coordinates}]: of surfaces never, of textures where they have none. */
static bool suits_sampler(const OperandCheck *c, bool has_sampler)
{
    const bool is_texture = c->op->family == OP_TEX || c->op->family == OP_TLD4;
    return has_sampler ? is_texture : !is_texture || !c->module->is_texmode_independent;
}

static Wrong judge_handles(const OperandCheck *c, const AstOperand *ast, uint32_t at)
{
    const AstOperand *second = ast->kind == AST_ADDRESS ? ast->child->next : NULL;
    const bool has_sampler = second && second->next;
    if (!suits_sampler(c, has_sampler))
        return WRONG_ADDRESS_SHAPE;
    if (second && !has_sampler && at + 1 < c->count && c->operands[at + 1].kind == OPERAND_VAR)
        return WRONG_ADDRESS_SHAPE;
    if (at < c->count && !is_handle(c, &c->operands[at], false))
        return WRONG_ADDRESS_SHAPE;
    if (has_sampler && at + 1 < c->count && !is_handle(c, &c->operands[at + 1], true))
        return WRONG_ADDRESS_SHAPE;
    return WRONG_NOTHING;
}

Wrong ptx_judge_coordinates(const OperandCheck *c, const FormInfo *form, const FormOperand *shape,
                            const AstOperand *ast, uint32_t at)
{
    const bool is_texture = form->class == FORM_TEX;
    if (ast->kind == AST_ADDRESS && ast->child->kind == AST_BAD)
        return WRONG_NOTHING;                   /* diagnosed already */
    if (strchr(ptx_form_operand_name(shape), ',') && !has_coordinates(c, ast))
        return WRONG_ADDRESS_SHAPE;
    if (is_texture && ast->kind == AST_ADDRESS && !has_texture_parts(c, ast))
        return WRONG_ADDRESS_SHAPE;
    if (is_texture && ast->kind == AST_NAME && ptx_has_offset(c->text, ast))
        return WRONG_ADDRESS_SHAPE;
    return is_texture ? judge_handles(c, ast, at) : WRONG_NOTHING;
}
