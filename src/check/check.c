#include "check/check.h"

#include "check/check_form.h"
#include "check/judge.h"
#include "check/sreg.h"
#include "support/minmax.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "ir/module.h"

#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_integer_kind(uint8_t kind)
{
    return kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

/* Packed and narrow formats have no registers of their own: those of their width do. */
static bool has_own_registers(Type type)
{
    switch (type) {
    case TYPE_F16: case TYPE_F16X2: case TYPE_F32: case TYPE_F64:
        return true;
    default:
        return ptx_type_info[type].kind != KIND_FLOAT && !ptx_type_is_packed(type);
    }
}

bool ptx_type_takes(Type wanted, Type given, bool is_relaxed)
{
    const TypeInfo *want = &ptx_type_info[wanted], *have = &ptx_type_info[given];
    if (wanted == given)
        return true;
    if (want->kind == KIND_PREDICATE || have->kind == KIND_PREDICATE)
        return given == TYPE_F16X2;             /* ptxas does */
    if (have->bits < want->bits || (have->bits > want->bits && !is_relaxed))
        return false;
    if (have->kind == KIND_BITS || !has_own_registers(wanted))
        return true;
    if (want->kind == KIND_BITS)
        return true;
    if (is_integer_kind(want->kind))
        return is_integer_kind(have->kind) || given == TYPE_F16X2;
    return false;
}

/* The form names the operand's type, whatever the instruction's; that of the wide result of mul and
 * mad follows from it. */
static bool is_fixed(const OperandCheck *c, const FormOperand *shape)
{
    return shape->type < TYPE__COUNT && shape->type != OPERAND_OWN && c->op->kind != OPK_MUL
           && c->op->kind != OPK_FMA;
}

/* The type that a form gives an operand; TYPE_NONE: any, or none that is known. */
static Type operand_type(const OperandCheck *c, const FormInfo *form, const FormOperand *shape)
{
    if (form->class == FORM_VIDEO)
        return TYPE_S32;                        /* each operand is one of .u32 and .s32 */
    if (shape->type == OPERAND_OWN)
        return (Type)c->op->type;
    if (shape->type < TYPE__COUNT)
        return (Type)shape->type;
    switch (shape->type) {
    case OPERAND_ANY32: case OPERAND_BITS32:
        return TYPE_B32;
    case OPERAND_BITS16:
        return TYPE_B16;
    case OPERAND_COORDS:
        return (Type)c->op->type;
    default:
        break;
    }
    uint32_t place = shape->type - OPERAND_GROUP;
    return shape->type >= OPERAND_GROUP && place < c->op->type_count ? (Type)c->op->types[place]
                                                                     : TYPE_NONE;
}

/* ld, ldu, st, cvt and the surface instructions take wider registers. */
static bool is_relaxed(const Op *op)
{
    return op->kind == OPK_LD || (op->kind == OPK_ST && !ptx_op_has(op, MOD_ASYNC))
           || op->kind == OPK_CVT || op->kind == OPK_SURFACE;
}

/* ---- one operand ----------------------------------------------------------------------------- */

static bool is_address_operand(const AstOperand *ast)
{
    return ast->flags & AST_BRACKETS || ast->kind == AST_ADDRESS;
}

static bool is_number_operand(const Operand *operand)
{
    return operand->kind == OPERAND_INT || operand->kind == OPERAND_F32
           || operand->kind == OPERAND_F64;
}

/* mov packs: {a, b} of half the width each. */
static Type element_type(const OperandCheck *c, const AstOperand *ast, Type type)
{
    uint32_t count = ptx_element_count(ast);
    if (c->op->kind != OPK_MOV || c->op->vector > 1)
        return type;
    switch (count ? ptx_type_info[type].bits / count : 0) {
    case 8:     return TYPE_B8;
    case 16:    return TYPE_B16;
    case 32:    return TYPE_B32;
    case 64:    return TYPE_B64;
    default:    return TYPE_NONE;
    }
}

/* add, sub and fma of .f32 and .bf16 */
static bool is_mixed_precision(const Op *op)
{
    return op->kind != OPK_CVT && op->type_count == 2 && op->types[0] == TYPE_F32
           && op->types[1] == TYPE_BF16;
}

/* Coordinates are as wide as they are, and so is what is converted from or to a format without
 * registers of its own: .bf16, .tf32, pairs of 8 bits and less. */
static bool takes_wider(const Op *op, const FormOperand *shape)
{
    for (unsigned t = 0; op->kind == OPK_CVT && t < op->type_count; t++) {
        if (!has_own_registers((Type)op->types[t]))
            return false;
    }
    return is_relaxed(op) && !(shape->role & ROLE_ADDRESS);
}

/* Floats take floats of either width, as textures do; bits take those of their own; packed and half
 * formats take no number at all. */
static bool takes_number(const OperandCheck *c, Type wanted, const Operand *operand)
{
    const TypeInfo *want = &ptx_type_info[wanted];
    bool is_float = operand->kind != OPERAND_INT;
    if (wanted == TYPE_F32 || wanted == TYPE_F64)
        return is_float;
    if (want->kind == KIND_BITS)
        return !is_float || ptx_form_info[c->op->form].class == FORM_TEX
               || want->bits == (operand->kind == OPERAND_F32 ? 32 : 64);
    if (wanted == TYPE_BF16 && is_mixed_precision(c->op))
        return !is_float;
    if (want->kind == KIND_FLOAT && want->bits == 32 && wanted != TYPE_F16X2
        && c->op->family == OP_MULTIMEM)
        return operand->kind != OPERAND_F64;
    if (!has_own_registers(wanted) || want->kind == KIND_FLOAT)
        return ptx_form_info[c->op->form].class == FORM_TENSOR;
    return !is_float;
}

/* bf16 and bf16x2 want .b16 and .b32. Results of set, and bf16 beside .f32, take integers too;
 * results of set and conversions of ue8m0x2 anything of 32 bits, and predicates. */
static bool takes_bfloat(const OperandCheck *c, const FormOperand *shape, Type wanted, Type given)
{
    const TypeInfo *have = &ptx_type_info[given];
    bool is_comparison = ptx_form_info[c->op->form].class == FORM_CMP && shape->role == ROLE_DEF;
    if (have->kind == KIND_BITS)
        return have->bits == ptx_type_info[wanted].bits;
    if (wanted == TYPE_BF16)
        return have->bits == 16 && is_integer_kind(have->kind)
               && (is_comparison || is_mixed_precision(c->op));
    bool is_any = is_comparison || ptx_op_has(c->op, MOD_UE8M0X2);
    return is_any && (have->bits == 32 || given == TYPE_PRED);
}

/* ptxas takes f16x2 for the integers and predicates that the instruction names, not for those that
 * a form has of itself; formats without registers of their own want .b of their width, where
 * arithmetic and conversions work on them. */
static bool takes_register(const OperandCheck *c, const FormOperand *shape, Type wanted, Type given)
{
    uint8_t class = ptx_form_info[c->op->form].class;
    bool is_memory = class == FORM_MEM || class == FORM_ATOMIC || class == FORM_TEX
                     || class == FORM_TENSOR;
    uint8_t kind = ptx_type_info[wanted].kind;
    if (given == TYPE_F16X2 && is_fixed(c, shape)
        && (is_integer_kind(kind) || kind == KIND_PREDICATE))
        return false;
    if ((wanted == TYPE_BF16 || wanted == TYPE_BF16X2) && (!is_memory || class == FORM_ATOMIC))
        return takes_bfloat(c, shape, wanted, given);
    if (is_memory || has_own_registers(wanted))
        return ptx_type_takes(wanted, given, takes_wider(c->op, shape));
    if (wanted == TYPE_U16X2 || wanted == TYPE_S16X2)
        return given == TYPE_B32 || given == TYPE_F16X2;
    return ptx_type_info[given].kind == KIND_BITS
           && ptx_type_info[given].bits == ptx_type_info[wanted].bits;
}

/* What works on bf16 and bf16x2 and is no access takes a vector of one, two or four for an operand,
 * but for approximations of bf16x2. */
static bool takes_bfloat_vector(const FormInfo *form, Type type)
{
    bool is_access = form->class == FORM_TENSOR || form->class == FORM_ATOMIC
                     || form->class == FORM_MEM || form->class == FORM_TEX;
    return !is_access && (type == TYPE_BF16 || (type == TYPE_BF16X2 && form->class != FORM_SFU));
}

/* A register of several elements, named whole: mov, ld and st take it, of as many as they say, and
 * mov packs it into a .b type. */
static Wrong judge_whole_vector(const OperandCheck *c, const Reg *reg, Type type)
{
    const Op *op = c->op;
    bool packs = op->kind == OPK_MOV && op->vector == 1 && ptx_type_info[type].kind == KIND_BITS;
    if (packs)
        return reg->vector * ptx_type_info[reg->type].bits == ptx_type_info[type].bits
                   ? WRONG_NOTHING
                   : WRONG_VECTOR;
    uint8_t class = ptx_form_info[op->form].class;
    if (class == FORM_TEX || class == FORM_TENSOR || class == FORM_ATOMIC
        || (class == FORM_MEM && op->kind != OPK_LD && op->kind != OPK_ST))
        return WRONG_NOTHING;
    if (takes_bfloat_vector(&ptx_form_info[op->form], type))
        return ptx_type_info[reg->type].bits == ptx_type_info[type].bits ? WRONG_NOTHING
                                                                         : WRONG_REGISTER;
    if (op->kind != OPK_MOV && op->kind != OPK_LD && op->kind != OPK_ST)
        return WRONG_VECTOR;
    if (reg->vector != op->vector)
        return WRONG_VECTOR;
    return ptx_type_takes(type, (Type)reg->type, is_relaxed(op)) ? WRONG_NOTHING : WRONG_REGISTER;
}

/* In the vectors of memory and texture instructions integers may stand for floats. */
static bool takes_integer_elements(const OperandCheck *c, Type type)
{
    uint8_t class = ptx_form_info[c->op->form].class;
    bool is_float = type == TYPE_F16 || type == TYPE_F32 || type == TYPE_F64;
    return is_float && (class == FORM_MEM || class == FORM_ATOMIC || class == FORM_TEX);
}

/* Whether a form's own word on registers is narrower, or wider, than what its type takes. */
static bool takes_exactly(const FormOperand *shape, Type type)
{
    if (shape->type == OPERAND_BITS16)
        return ptx_type_info[type].bits == 16 && ptx_type_info[type].kind != KIND_FLOAT;
    if (shape->type == OPERAND_BITS32)
        return type == TYPE_B32;
    return shape->type == OPERAND_ANY32 && type == TYPE_PRED;
}

/* A vector that begins with a number is of any type, says ptxas. */
static bool is_of_any_type(const OperandCheck *c, uint8_t position)
{
    uint32_t o = 0;
    while (o < c->count
           && (c->operands[o].position != position || !(c->operands[o].flags & OPERAND_ELEMENT)))
        o++;
    return o < c->count && is_number_operand(&c->operands[o]);
}

/* An element has the type of its vector; TYPE__COUNT: any. */
static Type given_type(const OperandCheck *c, const Operand *operand, Type of_vector)
{
    if (operand->flags & OPERAND_ELEMENT && of_vector)
        return of_vector;
    return operand->kind == OPERAND_REG ? (Type)c->regs[operand->id].type : TYPE_NONE;
}

static Wrong judge_value(const OperandCheck *c, const FormOperand *shape, const Operand *operand,
                         Type type, Type given)
{
    const bool in_vector = operand->flags & OPERAND_ELEMENT;
    if (!type || operand->flags & OPERAND_IMPLICIT)
        return WRONG_NOTHING;
    if (operand->kind == OPERAND_REG) {
        const Reg *reg = &c->regs[operand->id];
        if (reg->vector > 1 && !in_vector && !(operand->flags & OPERAND_COMPONENT)
            && !shape->elements)
            return judge_whole_vector(c, reg, type);
        if (!given || given == TYPE__COUNT || takes_exactly(shape, given))
            return WRONG_NOTHING;
        if (shape->type == OPERAND_BITS16 || shape->type == OPERAND_BITS32)
            return WRONG_REGISTER;
        if (takes_register(c, shape, type, given))
            return WRONG_NOTHING;
        bool is_same_size = ptx_type_info[given].bits == ptx_type_info[type].bits
                            && is_integer_kind(ptx_type_info[given].kind);
        return in_vector && is_same_size && takes_integer_elements(c, type) ? WRONG_NOTHING
                                                                            : WRONG_REGISTER;
    }
    return is_number_operand(operand) && !in_vector && !takes_number(c, type, operand)
               ? WRONG_NUMBER
               : WRONG_NOTHING;
}

static bool has_register(const OperandCheck *c, uint8_t position)
{
    for (uint32_t o = 0; o < c->count; o++) {
        if (c->operands[o].position == position
            && (c->operands[o].kind == OPERAND_REG || c->operands[o].kind == OPERAND_UNKNOWN))
            return true;
    }
    return false;
}

/* A vector is allowed in mov (which packs into .b types), in loads and stores, and where the form
 * says how many elements. */
static Wrong judge_vector(const OperandCheck *c, const FormInfo *form, const AstOperand *ast,
                          Type type, uint8_t position)
{
    uint32_t count = ptx_element_count(ast);
    bool is_sunk = c->op->kind == OPK_MOV || c->op->kind == OPK_LD;
    for (const AstOperand *child = ast->child; child && is_sunk; child = child->next)
        is_sunk = child->kind == AST_NAME && child->name_length == 1 && c->text[child->name] == '_';
    if (is_sunk)
        return WRONG_SINK;
    if (c->op->kind == OPK_LD || c->op->kind == OPK_ST)
        return count == ptx_u32_max(c->op->vector, 1) ? WRONG_NOTHING : WRONG_COUNT;
    if (c->op->kind == OPK_MOV) {
        if (c->op->vector > 1)
            return count == c->op->vector ? WRONG_NOTHING : WRONG_COUNT;
        if (ptx_type_info[type].kind != KIND_BITS)
            return WRONG_VECTORS;
        return count == 1 || count == 2 || count == 4 || count == 8 ? WRONG_NOTHING : WRONG_COUNT;
    }
    bool may_have = form->class == FORM_TENSOR || form->class == FORM_ATOMIC
                    || form->class == FORM_MEM || form->class == FORM_TEX
                    || (takes_bfloat_vector(form, type) && has_register(c, position));
    return may_have && count != 3 && count <= 4 ? WRONG_NOTHING : WRONG_COUNT;
}

/* Elements are names, with a component at most, and numbers. */
static bool are_plain(const OperandCheck *c, const AstOperand *child)
{
    const uint8_t signs = AST_NOT | AST_NEGATIVE | AST_BRACKETS | AST_PARENTHESES | AST_INDEXED;
    for (; child; child = child->next) {
        bool is_plain = child->kind == AST_NAME
                            ? !ptx_has_offset(c->text, child) && !(child->flags & signs)
                            : (child->kind == AST_INT && !(child->flags & AST_BRACKETS))
                                  || child->kind == AST_F32 || child->kind == AST_F64;
        if (!is_plain && child->kind != AST_BAD)
            return false;
    }
    return true;
}

/* What is wrong whatever the type: a sign, an offset or a sink where none may be. */
static Wrong judge_shape(const OperandCheck *c, const FormInfo *form, const FormOperand *shape,
                         const AstOperand *ast, const Operand *operand)
{
    bool is_element = operand->flags & OPERAND_ELEMENT, is_register = operand->kind == OPERAND_REG;
    bool is_plain = is_register && !is_element, is_def = shape->role & ROLE_DEF;
    bool is_predicate = is_register && c->regs[operand->id].type == TYPE_PRED;
    if (operand->flags & OPERAND_NEGATED && is_register && (!is_predicate || is_def))
        return WRONG_SIGN;
    if (operand->flags & OPERAND_MINUS && !shape->takes_minus
        && (is_plain || operand->kind == OPERAND_VAR || operand->kind == OPERAND_SREG))
        return WRONG_SIGN;
    /* may leave elements alone */
    bool is_wide = c->op->kind == OPK_ST && c->op->vector * ptx_type_info[c->op->type].bits == 256;
    if (operand->kind == OPERAND_SINK && !is_def && !shape->takes_sink && !is_wide)
        return WRONG_SINK;
    bool is_arrival = form->class == FORM_BARRIER
                      && (ptx_op_has(c->op, MOD_ARRIVE) || ptx_op_has(c->op, MOD_ARRIVE_DROP));
    if (operand->kind == OPERAND_SINK && !is_element && !shape->takes_sink
        && form->class != FORM_ATOMIC && !is_arrival)
        return WRONG_SINK;
    return is_plain && is_def && ast->kind == AST_NAME && !ast->suffix_length
                   && !(ast->flags & AST_INDEXED) && ast->value
               ? WRONG_OFFSET
               : WRONG_NOTHING;
}

/* No special register is converted to a float at once. */
static bool is_to_float(const Op *op)
{
    return op->kind == OPK_CVT && ptx_type_info[op->types[0]].kind == KIND_FLOAT;
}

/* A variable's name stands for its address, a special register for its value: where the form takes
 * them. */
static Wrong judge_symbol(const OperandCheck *c, const FormInfo *form, const FormOperand *shape,
                          const AstOperand *ast, const Operand *operand, Type type)
{
    const Op *op = c->op;
    if (operand->kind == OPERAND_SREG) {
        if (shape->role & ROLE_DEF)
            return WRONG_RESULT;
        if (!shape->takes_sreg || is_to_float(op))
            return WRONG_SREG;
        bool is_whole = ptx_sreg_info[operand->id].vector > 1 && !ast->suffix_length;
        if (is_whole)
            return op->vector == 4 || type == TYPE_B128 ? WRONG_NOTHING : WRONG_VECTOR;
        return ptx_sreg_fits((SregId)operand->id, type, is_relaxed(op)) ? WRONG_NOTHING
                                                                        : WRONG_SREG;
    }
    /* its address, says ptxas: of the instruction's type */
    if (operand->kind == OPERAND_FUNCTION) {
        bool takes_function = !is_fixed(c, shape) || form->class == FORM_TEX;
        if (shape->role & ROLE_DEF)
            return WRONG_RESULT;
        return takes_function ? WRONG_NOTHING : WRONG_SHAPE;
    }
    if (operand->kind != OPERAND_VAR)
        return WRONG_NOTHING;
    if (shape->role & ROLE_DEF)
        return WRONG_RESULT;
    uint8_t kind = ptx_type_info[type].kind;
    /* g+4: a number */
    bool is_sum = ast->kind == AST_NAME && ast->value
                  && !(ast->flags & (AST_INDEXED | AST_NEGATIVE | AST_NOT));
    if (!(shape->takes_variable || is_sum) || kind == KIND_FLOAT || kind == KIND_PREDICATE)
        return WRONG_VARIABLE;
    const Var *var = &c->module->vars[operand->id];
    if (var->space == SPACE_PARAM && !var->is_parameter)
        return WRONG_ARGUMENT;
    const bool is_opaque = ptx_type_info[var->type].kind == KIND_OPAQUE;
    if (is_opaque && op->kind == OPK_MOV && type != TYPE_U64)
        return WRONG_HANDLE;
    if (is_sum)
        return WRONG_NOTHING;
    /* cvta; mapa, getctarank */
    Space wanted = op->space_count ? (Space)op->spaces[0] : SPACE_SHARED;
    return op->kind == OPK_MOV || ptx_space_takes(wanted, (Space)var->space) ? WRONG_NOTHING
                                                                             : WRONG_SPACE;
}

/* d|_, which ptxas takes for the result of any instruction. */
static bool is_idle_pair(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast)
{
    const AstOperand *left = ast->child, *right = left->next;
    return shape->role == ROLE_DEF && left->kind == AST_NAME && !left->flags
           && !ptx_is_sink(c->text, left)
           && ptx_is_sink(c->text, right);
}

/* d|p: the right side is a predicate. at: the operands of the position begin there. */
static Wrong judge_pair(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                        uint32_t at)
{
    if (ast->kind != AST_PAIR)
        return shape->pair_role && !shape->pair_optional ? WRONG_NO_PAIR : WRONG_NOTHING;
    const AstOperand *left = ast->child, *right = left->next;
    if (!shape->pair_role)
        return is_idle_pair(c, shape, ast) ? WRONG_NOTHING : WRONG_PAIR;
    if ((left->kind == AST_NAME && left->flags) || right->flags)
        return WRONG_SHAPE;
    const Operand *last = NULL, *first = at < c->count ? &c->operands[at] : NULL;
    for (uint32_t o = at; o < c->count && c->operands[o].position == first->position; o++)
        last = &c->operands[o];
    if (!last)
        return WRONG_NOTHING;
    if (last->kind == OPERAND_SINK) {
        if (first->kind == OPERAND_SINK && left->kind == AST_NAME)
            return WRONG_SHAPE;
        return shape->pair_takes_sink ? WRONG_NOTHING : WRONG_PAIR_PREDICATE;
    }
    bool is_predicate = last->kind == OPERAND_REG && c->regs[last->id].type == TYPE_PRED;
    return is_predicate || last->kind == OPERAND_UNKNOWN ? WRONG_NOTHING : WRONG_PAIR_PREDICATE;
}

typedef struct CheckPlace {          /* of one operand */
    uint32_t at;                /* its first one in OperandCheck.operands */
    uint32_t address_index;     /* so many addresses stand before it */
    uint8_t position;
} CheckPlace;

/* A copy of a tensor: registers, whatever their type, names in shared memory, numbers of floating
 * point. */
static bool is_bare_of_tensor(const OperandCheck *c, const AstOperand *ast, const Operand *operand)
{
    if (ast->flags & (AST_NOT | AST_NEGATIVE | AST_PARENTHESES) || ast->suffix_length)
        return false;
    if (operand->kind == OPERAND_REG)
        return ast->kind == AST_NAME && c->regs[operand->id].type != TYPE_PRED;
    if (operand->kind == OPERAND_VAR)
        return c->module->vars[operand->id].space == SPACE_SHARED;
    return operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64;
}

/* The barrier of another bulk copy: what ptxas takes for a cache policy or a mask of blocks, where
 * the copy has neither. */
static bool is_bare_of_bulk(const OperandCheck *c, const AstOperand *ast, const Operand *operand)
{
    if (ptx_op_has(c->op, MOD_L2_CACHE_HINT) || ptx_op_has(c->op, MOD_MULTICAST_CLUSTER)
        || ast->flags & (AST_NOT | AST_PARENTHESES) || ast->suffix_length)
        return false;
    if (operand->kind != OPERAND_REG || ast->kind != AST_NAME)
        return operand->kind == OPERAND_INT && ast->kind == AST_INT;
    const TypeInfo *type = &ptx_type_info[c->regs[operand->id].type];
    bool is_mask = type->bits == 16 && c->op->operation == OP_CP_ASYNC_BULK;
    return type->kind != KIND_FLOAT && !(ast->flags & AST_NEGATIVE) && !ast->value
           && (type->bits == 64 || is_mask);
}

/* What ptxas takes as an address without brackets: g[1] in loads and stores, operands of bulk
 * copies; in PTX 1.0 and 1.1 any name. */
static bool takes_either(const OperandCheck *c, const AstOperand *ast, const CheckPlace *place,
                         bool wants_address)
{
    const Op *op = c->op;
    bool is_first_ptx = c->module->version == 10 || c->module->version == 11;
    if (is_first_ptx && wants_address && ast->kind == AST_NAME
        && (op->kind == OPK_LD || op->kind == OPK_ST || op->kind == OPK_ATOM))
        return true;
    if (ast->flags & AST_INDEXED && (op->kind == OPK_LD || op->kind == OPK_ST))
        return true;
    if (!wants_address || place->at >= c->count
        || !ptx_op_has(op, place->address_index < 2 ? MOD_TENSOR : MOD_BULK))
        return false;
    const Operand *operand = &c->operands[place->at];
    return operand->kind == OPERAND_UNKNOWN
           || (ptx_op_has(op, MOD_TENSOR) ? is_bare_of_tensor(c, ast, operand)
                                          : is_bare_of_bulk(c, ast, operand));
}

/* The space that the instruction says for its index-th address: of two, copies write both; a third
 * is a barrier, in shared memory. */
static Space address_space(const Op *op, const FormInfo *form, uint32_t index)
{
    if (form->class == FORM_TEX)
        return SPACE__COUNT;                    /* textures are in any */
    if (!op->space_count)
        return op->family == OP_MBARRIER ? SPACE_SHARED : SPACE_GENERIC;
    if (op->space_count == 1)
        return (Space)op->spaces[0];
    return index < op->space_count ? (Space)op->spaces[index] : SPACE_SHARED;
}

/* Of a register: v has those of its vector, v.x is one. */
static uint32_t whole_elements(const OperandCheck *c, const Operand *operand)
{
    return operand->flags & OPERAND_COMPONENT ? 1 : c->regs[operand->id].vector;
}

/* What the elements and range columns say. */
static Wrong judge_columns(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                           uint8_t position)
{
    if (shape->elements) {
        uint32_t register_elements = 0;
        for (uint32_t o = 0; o < c->count; o++)
            if (c->operands[o].position == position && c->operands[o].kind == OPERAND_REG
                && !(c->operands[o].flags & OPERAND_RIGHT))
                /* the last one: of an address, its coordinates */
                register_elements = whole_elements(c, &c->operands[o]);
        if (!ptx_elements_fit(c, shape, ast, register_elements))
            return WRONG_SIZE;
    }
    if (ast->kind == AST_PAIR && !shape->pair_role && !is_idle_pair(c, shape, ast))
        return WRONG_PAIR;
    bool has_limits = shape->range || shape->is_register || shape->type == OPERAND_IMM;
    return has_limits && ptx_number_judge(shape, ast) != NUMBER_FITS ? WRONG_VALUE : WRONG_NOTHING;
}

/* The type that a form gives an address, or the vector in it, which has the type of_vector. */
static void judge_inside(const OperandCheck *c, const FormOperand *shape, uint8_t position,
                         Type of_vector, CheckFinding *found)
{
    bool is_vector = shape->elements != ELEMENTS_UNSAID;
    if (is_vector && of_vector == TYPE__COUNT)
        return;                                 /* two vectors, each of its own type */
    for (uint32_t o = 0; o < c->count && !found->wrong; o++) {
        const Operand *operand = &c->operands[o];
        if (operand->position != position || is_vector != ((operand->flags & OPERAND_ELEMENT) != 0)
            || operand->kind != OPERAND_REG)
            continue;
        found->operand = operand;
        found->wrong = judge_value(c, shape, operand, found->type,
                                   given_type(c, operand, of_vector));
    }
}

/* [x, {..}]: the elements, whatever their type. */
static void judge_coordinates(const OperandCheck *c, const FormOperand *shape,
                              const AstOperand *ast, uint8_t position, CheckFinding *found)
{
    const AstOperand *last = NULL;
    for (const AstOperand *child = ast->kind == AST_ADDRESS ? ast->child : NULL; child;
         child = child->next)
        last = child;
    if (!last || last->kind != AST_VECTOR)
        return;
    if (!are_plain(c, last->child))
        found->wrong = WRONG_SHAPE;
    const AstOperand *child = last->child;
    uint32_t index = 0;
    for (uint32_t o = 0; o < c->count && !found->wrong; o++) {
        if (c->operands[o].position != position || !(c->operands[o].flags & OPERAND_ELEMENT))
            continue;
        found->operand = &c->operands[o];
        found->wrong = ptx_judge_element(c, shape, child, found->operand);
        if (!found->wrong && ptx_is_layer(c, shape, index++)
            && !ptx_is_layer_number(c, found->operand)) {
            found->wrong = is_number_operand(found->operand) ? WRONG_NUMBER : WRONG_REGISTER;
            found->type = TYPE_U32;
        }
        child = child ? child->next : NULL;
    }
}

/* mov.v2 to one register: what it reads may be one. */
static bool lacks_vector(const OperandCheck *c, const FormOperand *shape, const Operand *operand)
{
    return c->op->kind == OPK_MOV && c->op->vector > 1 && shape->role & ROLE_DEF
           && operand->kind == OPERAND_REG && whole_elements(c, operand) <= 1;
}

/* of_vector: the type of the vector that it is an element of. */
static Wrong judge_operand(const OperandCheck *c, const FormInfo *form, const CheckFinding *found,
                           Type of_vector)
{
    const FormOperand *shape = found->shape;
    const AstOperand *ast = found->at;
    const Operand *operand = found->operand;
    bool in_vector = operand->flags & OPERAND_ELEMENT;
    const Type given = given_type(c, operand, of_vector);
    Wrong wrong = judge_shape(c, form, shape, ast, operand);
    if (!wrong && !in_vector && ast->kind == AST_NAME)
        wrong = ptx_judge_selector(c, shape, ast, operand);
    if (!wrong && !in_vector)
        wrong = judge_symbol(c, form, shape, ast, operand, found->type);
    if (!wrong && !in_vector && lacks_vector(c, shape, operand))
        wrong = WRONG_NO_VECTOR;
    if (wrong)
        return wrong;
    if (is_number_operand(operand) && shape->role & ROLE_DEF)
        return WRONG_RESULT;
    bool is_value = shape->type != OPERAND_ANY && shape->type != OPERAND_IMM;
    return is_value ? judge_value(c, shape, operand, found->type, given) : WRONG_NOTHING;
}

/* The operands of one position. */
static CheckFinding judge_position(const OperandCheck *c, const FormInfo *form,
                                   const FormOperand *shape, const AstOperand *ast,
                                   CheckPlace place)
{
    CheckFinding found = { WRONG_NOTHING, ast, shape, operand_type(c, form, shape), NULL };
    bool wants_address = shape->role & ROLE_ADDRESS;
    if (shape->type == OPERAND_LABEL || shape->type == OPERAND_FUNC
        || shape->type == OPERAND_PARAMS)
        return found;
    /* vectors of their own types in one address */
    const char *name = ptx_form_operand_name(shape);
    bool is_mixed = wants_address && strchr(name, '{') != strrchr(name, '{');
    Type of_vector = ptx_vector_type(c, shape, place.position);
    found.wrong = !is_mixed && of_vector == TYPE__COUNT ? WRONG_ELEMENTS : WRONG_NOTHING;
    if (is_mixed || (of_vector && is_of_any_type(c, place.position)))
        of_vector = TYPE__COUNT;
    if (!found.wrong)
        found.wrong = judge_columns(c, shape, ast, place.position);
    if (found.wrong)
        return found;
    if (wants_address || is_address_operand(ast)) {
        found.operand = place.at < c->count ? &c->operands[place.at] : NULL;
        if (wants_address != is_address_operand(ast)
            && !takes_either(c, ast, &place, wants_address))
            found.wrong = wants_address ? WRONG_NO_BRACKETS : WRONG_BRACKETS;
        else if (wants_address && ast->kind == AST_ADDRESS && ast->child && ast->child->next
                 && !strchr(name, ','))
            found.wrong = WRONG_MORE;
        else if (wants_address)
            found.wrong = ptx_judge_coordinates(c, form, shape, ast, place.at);
        if (!found.wrong && wants_address)
            found.wrong = ptx_judge_address(c, shape, ast, place.at,
                                            address_space(c->op, form, place.address_index));
        if (!found.wrong && wants_address)
            judge_coordinates(c, shape, ast, place.position, &found);
        if (!found.wrong && wants_address && shape->type != OPERAND_OWN)
            judge_inside(c, shape, place.position, of_vector, &found);
        return found;
    }
    if (ast->kind == AST_LIST || (ast->kind == AST_NAME && ast->flags & AST_PARENTHESES)
        || (ast->kind == AST_VECTOR && !are_plain(c, ast->child)))
        found.wrong = WRONG_SHAPE;
    else
        found.wrong = judge_pair(c, shape, ast, place.at);
    bool in_vector = ast->kind == AST_VECTOR;
    if (in_vector && !found.wrong && !shape->elements)
        found.wrong = judge_vector(c, form, ast, found.type, place.position);
    if (in_vector)
        found.type = element_type(c, ast, found.type);
    const AstOperand *child = in_vector ? ast->child : NULL;
    for (uint32_t o = place.at;
         o < c->count && c->operands[o].position == place.position && !found.wrong; o++) {
        if (c->operands[o].flags & OPERAND_RIGHT)
            continue;
        found.operand = &c->operands[o];
        found.wrong = in_vector ? ptx_judge_element(c, shape, child, found.operand) : WRONG_NOTHING;
        child = child ? child->next : NULL;
        if (found.wrong)
            break;
        found.wrong = judge_operand(c, form, &found, of_vector);
    }
    return found;
}

static CheckFinding judge_form(const OperandCheck *c, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    const FormOperand *shape = ptx_form_operands + form->operand_first;
    CheckFinding found = { WRONG_NOTHING, NULL, NULL, TYPE_NONE, NULL };
    CheckPlace place = { 0, 0, 0 };
    const AstOperand *ast = c->stmt->operands;
    if (c->op->kind == OPK_MOV && c->op->vector == 1 && ast->kind == AST_VECTOR && ast->next
        && ast->next->kind == AST_VECTOR)
        return (CheckFinding){ WRONG_VECTORS, ast, shape, TYPE_NONE, NULL };
    for (; ast && place.position < form->operand_count && !found.wrong;
         ast = ast->next, place.position++) {
        while (place.at < c->count && c->operands[place.at].position < place.position)
            place.at++;
        found = judge_position(c, form, &shape[place.position], ast, place);
        place.address_index += (shape[place.position].role & ROLE_ADDRESS) != 0;
    }
    return found;
}

/* ---- the instruction ------------------------------------------------------------------------- */

bool ptx_check_operands(const OperandCheck *c, FormId form)
{
    CheckFinding first = judge_form(c, form);
    if (!first.wrong)
        ptx_check_beyond_row(c);
    bool is_newer = c->op->flags & OPF_TOO_NEW;         /* said already */
    if (!first.wrong && (is_newer || ptx_form_is_allowed(c->module, form)))
        return true;
    FormId gated = first.wrong ? 0 : form;
    for (FormId other = c->op->form; other; other = ptx_form_next(c->op, other)) {
        if (other == form || !ptx_form_takes(other, c->operand_count) || judge_form(c, other).wrong)
            continue;
        if (is_newer || ptx_form_is_allowed(c->module, other))
            return false;
        gated = gated ? gated : other;
    }
    if (gated)
        ptx_report_gate(c->diags, c->module, c->op, gated, c->stmt->span);
    else
        ptx_check_report(c, &first);
    return false;
}
