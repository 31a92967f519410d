#include "ir/check.h"

#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

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
        return ptx_type_info[type].kind != KIND_FLOAT && type != TYPE_U16X2 && type != TYPE_S16X2;
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

/* The type that a form gives an operand; TYPE_NONE: any, or none that can be told. */
static Type operand_type(const OperandCheck *c, const FormInfo *form, const FormOperand *shape)
{
    if (shape->type == OPERAND_OWN)
        return (Type)c->op->type;
    if (shape->type < TYPE__COUNT)
        return (Type)shape->type;
    if (shape->type < OPERAND_GROUP)
        return TYPE_NONE;
    const GroupInfo *group = &ptx_group_info[ptx_form_modifiers[form->modifier_first + shape->type - OPERAND_GROUP].group];
    Type found = TYPE_NONE;
    for (uint32_t m = 0; m < c->op->modifier_count; m++) {
        for (uint32_t v = 0; v < group->count; v++) {
            if (c->op->modifiers[m] != ptx_group_values[group->first + v])
                continue;
            const char *text = ptx_modifier_texts[c->op->modifiers[m]];
            Type type = ptx_type_find(text, strlen(text));
            if (found && type != found)
                return TYPE_NONE;               /* several could be meant */
            found = type;
        }
    }
    return found;
}

/* ld, ldu, st, cvt take wider registers. */
static bool is_relaxed(const Op *op)
{
    return op->kind == OPK_LD || op->kind == OPK_ST || op->kind == OPK_CVT;
}

/* Forms whose operand types are all in the table; the others tell of widths that the text does not say. */
static bool has_typed_operands(const Op *op, const FormInfo *form)
{
    switch ((FormClass)form->class) {
    case FORM_INT: case FORM_LOGIC: case FORM_CMP: case FORM_ARITH: case FORM_FP32: case FORM_FP64: case FORM_HALF: case FORM_FMA:
    case FORM_CVT: case FORM_SFU: case FORM_DIV: case FORM_MOVE: case FORM_WARP:
        return true;
    default:
        return op->kind == OPK_LD || op->kind == OPK_ST || op->kind == OPK_ATOM || op->kind == OPK_RED;
    }
}

/* ---- one operand ------------------------------------------------------------------------------------------------- */

typedef enum Wrong {
    WRONG_NOTHING, WRONG_BRACKETS, WRONG_NO_BRACKETS, WRONG_RESULT, WRONG_REGISTER, WRONG_NUMBER, WRONG_ADDRESS, WRONG_SINK, WRONG_SIGN,
    WRONG_OFFSET, WRONG_COUNT, WRONG_ELEMENTS
} Wrong;

typedef struct Finding {
    Wrong wrong;
    const AstOperand *at;
    const FormOperand *shape;
    Type type;                  /* wanted */
    const Operand *operand;
} Finding;

static bool is_address(const AstOperand *ast)
{
    return ast->flags & AST_BRACKETS || ast->kind == AST_ADDRESS;
}

static bool is_number(const Operand *operand)
{
    return operand->kind == OPERAND_INT || operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64;
}

static uint32_t count_elements(const AstOperand *ast)
{
    uint32_t count = 0;
    for (const AstOperand *child = ast->child; child; child = child->next)
        count++;
    return count;
}

/* mov packs: {a, b} of half the width each. */
static Type element_type(const OperandCheck *c, const AstOperand *ast, Type type)
{
    uint32_t count = count_elements(ast);
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

static bool takes_number(Type wanted, const Operand *operand)
{
    const TypeInfo *want = &ptx_type_info[wanted];
    bool is_float = operand->kind != OPERAND_INT;
    if (wanted == TYPE_F32 || wanted == TYPE_F64)
        return is_float;
    return !is_float || !is_integer_kind(want->kind);
}

static Wrong judge_value(const OperandCheck *c, const Operand *operand, Type type, bool in_vector)
{
    if (!type || operand->flags & (OPERAND_COMPONENT | OPERAND_IMPLICIT))
        return WRONG_NOTHING;
    if (operand->kind == OPERAND_REG) {
        const Reg *reg = &c->regs[operand->id];
        bool relaxed = is_relaxed(c->op);
        if (!reg->type || reg->vector > 1 || ptx_type_takes(type, (Type)reg->type, relaxed))
            return WRONG_NOTHING;
        bool is_same_size = ptx_type_info[reg->type].bits == ptx_type_info[type].bits && reg->type != TYPE_PRED;
        return in_vector && relaxed && is_same_size ? WRONG_NOTHING : WRONG_REGISTER;       /* ptxas asks for no more of elements */
    }
    return is_number(operand) && !in_vector && !takes_number(type, operand) ? WRONG_NUMBER : WRONG_NOTHING;
}

/* Addresses are integers of the width of an address, or less. */
static Wrong judge_address(const OperandCheck *c, const AstOperand *ast, uint8_t position)
{
    if (!(ast->flags & AST_BRACKETS) || ast->kind != AST_NAME)
        return WRONG_NOTHING;
    for (uint32_t o = 0; o < c->count; o++) {
        const Operand *operand = &c->operands[o];
        if (operand->position != position || operand->kind != OPERAND_REG)
            continue;
        const TypeInfo *type = &ptx_type_info[c->regs[operand->id].type];
        if (type->kind == KIND_PREDICATE || type->kind == KIND_FLOAT)
            return WRONG_ADDRESS;
    }
    return WRONG_NOTHING;
}

/* The registers of a vector are of one width. */
static Wrong judge_elements(const OperandCheck *c, uint8_t position)
{
    uint8_t bits = 0;
    for (uint32_t o = 0; o < c->count; o++) {
        const Operand *operand = &c->operands[o];
        if (operand->position != position || operand->kind != OPERAND_REG || !(operand->flags & OPERAND_ELEMENT))
            continue;
        Type type = (Type)c->regs[operand->id].type;
        uint8_t own = type == TYPE_PRED ? 32 : ptx_type_info[type].bits;        /* ptxas counts a predicate so */
        if (bits && own && own != bits)
            return WRONG_ELEMENTS;
        bits = own ? own : bits;
    }
    return WRONG_NOTHING;
}

/* Vectors have 1, 2, 4 or 8 elements; coordinates and the fragments of matrices have sizes of their own. */
static Wrong judge_vector(const OperandCheck *c, const FormInfo *form, const AstOperand *ast)
{
    uint32_t count = count_elements(ast);
    bool is_memory = c->op->kind == OPK_LD || c->op->kind == OPK_ST;
    if (is_memory)
        return count == (c->op->vector ? c->op->vector : 1) ? WRONG_NOTHING : WRONG_COUNT;
    if (form->class == FORM_TEX || form->class == FORM_TENSOR || form->class == FORM_MEM || form->class == FORM_MISC || form->class == FORM_ATOMIC)
        return WRONG_NOTHING;
    return count == 1 || count == 2 || count == 4 || count == 8 ? WRONG_NOTHING : WRONG_COUNT;
}

/* What is wrong whatever the type: a sign, an offset or a sink where none may be. */
static Wrong judge_shape(const OperandCheck *c, const FormInfo *form, const FormOperand *shape, const AstOperand *ast, const Operand *operand)
{
    bool is_plain = operand->kind == OPERAND_REG && !(operand->flags & OPERAND_ELEMENT);
    bool is_predicate = operand->kind == OPERAND_REG && c->regs[operand->id].type == TYPE_PRED;
    if (operand->flags & OPERAND_NEGATED && !is_predicate && operand->kind == OPERAND_REG)
        return WRONG_SIGN;
    if (operand->flags & OPERAND_MINUS && is_plain && !shape->negatable && form->class != FORM_VIDEO)
        return WRONG_SIGN;
    if (operand->kind == OPERAND_SINK && !(shape->role & ROLE_DEF) && has_typed_operands(c->op, form))
        return WRONG_SINK;
    bool discards = operand->kind == OPERAND_SINK && ast->kind == AST_NAME && !shape->pair_role;
    if (discards && (form->class == FORM_INT || form->class == FORM_FP32 || form->class == FORM_FP64 || form->class == FORM_FMA))
        return WRONG_SINK;
    return is_plain && shape->role & ROLE_DEF && ast->kind == AST_NAME && !ast->suffix_length && !(ast->flags & AST_INDEXED) && ast->value ? WRONG_OFFSET : WRONG_NOTHING;
}

/* g[1] may be meant either way; cp.async.bulk.tensor takes a register without brackets too, says ptxas. */
static bool takes_either(const Op *op, const AstOperand *ast)
{
    return ast->flags & AST_INDEXED || ptx_op_has_modifier(op, "tensor");
}

/* The operands of one position. */
static Finding judge_position(const OperandCheck *c, const FormInfo *form, const FormOperand *shape, const AstOperand *ast, uint8_t position)
{
    Finding found = { WRONG_NOTHING, ast, shape, operand_type(c, form, shape), NULL };
    bool wants_address = shape->role & ROLE_ADDRESS, is_typed = has_typed_operands(c->op, form);
    if (shape->type == OPERAND_LABEL || shape->type == OPERAND_FUNC || shape->type == OPERAND_PARAMS)
        return found;
    found.wrong = judge_elements(c, position);
    if (found.wrong)
        return found;
    if (wants_address || is_address(ast)) {
        if (wants_address != is_address(ast) && !takes_either(c->op, ast))
            found.wrong = wants_address ? WRONG_NO_BRACKETS : WRONG_BRACKETS;
        else if (wants_address)
            found.wrong = judge_address(c, ast, position);
        return found;
    }
    bool in_vector = ast->kind == AST_VECTOR;
    if (in_vector)
        found.wrong = judge_vector(c, form, ast);
    Type type = in_vector ? element_type(c, ast, found.type) : found.type;
    if (form->class == FORM_WARP && is_integer_kind(ptx_type_info[type].kind) && ptx_type_info[type].bits == 32)
        type = TYPE_B32;                        /* lanes, masks: any bits */
    for (uint32_t o = 0; o < c->count && !found.wrong; o++) {
        const Operand *operand = &c->operands[o];
        if (operand->position != position || operand->flags & OPERAND_RIGHT)
            continue;
        found.operand = operand;
        found.wrong = judge_shape(c, form, shape, ast, operand);
        if (found.wrong)
            continue;
        if (shape->role & ROLE_DEF && (is_number(operand) || operand->kind == OPERAND_SREG))
            found.wrong = WRONG_RESULT;
        else if (is_typed && shape->type != OPERAND_ANY && shape->type != OPERAND_IMM)
            found.wrong = judge_value(c, operand, type, in_vector);
    }
    found.type = type;
    return found;
}

static Finding judge(const OperandCheck *c, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    const FormOperand *shape = ptx_form_operands + form->operand_first;
    Finding found = { WRONG_NOTHING, NULL, NULL, TYPE_NONE, NULL };
    uint8_t position = 0;
    for (const AstOperand *ast = c->stmt->operands; ast && position < form->operand_count && !found.wrong; ast = ast->next, position++)
        found = judge_position(c, form, &shape[position], ast, position);
    return found;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static int shown(Span span)
{
    return ptx_span_length(span) > 80 ? 80 : (int)ptx_span_length(span);
}

static void report(const OperandCheck *c, const Finding *f)
{
    Span span = f->at->span;
    const char *operand = c->text + span.begin, *opcode = c->op->text;
    int length = shown(span), opcode_length = c->op->length > 80 ? 80 : (int)c->op->length;
    const char *type = ptx_type_info[f->type].text;
    Diag *diag;
    switch (f->wrong) {
    case WRONG_NO_BRACKETS:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "`%.*s` takes an address here, and `%.*s` is none", opcode_length, opcode, length, operand);
        diag->help = ptx_diag_text(c->diags, "write [%.*s]", length, operand);
        return;
    case WRONG_BRACKETS:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "`%.*s` takes no address here", opcode_length, opcode);
        diag->help = "load the value into a register first";
        return;
    case WRONG_RESULT:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "the result of `%.*s` goes to a register, not to `%.*s`", opcode_length, opcode, length,
                        operand);
        return;
    case WRONG_NUMBER:
        diag = ptx_diag(c->diags, DIAG_OPERAND_TYPE, span, "`%.*s` works on `.%s` here, and `%.*s` is %s", opcode_length, opcode, type, length,
                        operand, f->operand->kind == OPERAND_INT ? "an integer" : "a float");
        diag->help = f->operand->kind == OPERAND_INT ? "write it with a point, as 1.0, or as bits, 0f3F800000" : NULL;
        return;
    case WRONG_ADDRESS:
        ptx_diag(c->diags, DIAG_OPERAND_TYPE, span, "an address is an integer, and the register in `%.*s` is a %s", length, operand,
                 "predicate or a float");
        return;
    case WRONG_SINK:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "`%.*s` cannot do without this operand: `_` may not stand here", opcode_length, opcode);
        return;
    case WRONG_SIGN:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "`%.*s` takes no sign here: `%.*s`", opcode_length, opcode, length, operand);
        diag->help = "`!` is for predicates, `-` for numbers; use not or neg for registers";
        return;
    case WRONG_OFFSET:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "the result of an instruction goes to a register without an offset: `%.*s`", length, operand);
        return;
    case WRONG_ELEMENTS:
        ptx_diag(c->diags, DIAG_OPERAND_TYPE, span, "the registers of a vector are of one width, and those of `%.*s` are not", length, operand);
        return;
    case WRONG_COUNT:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, span, "`%.*s` does not take a vector of %u elements here", opcode_length, opcode,
                 (unsigned)count_elements(f->at));
        return;
    default:
        diag = ptx_diag(c->diags, DIAG_OPERAND_TYPE, span, "`%.*s` works on `.%s` here, and `%.*s` has a register of `.%s`", opcode_length, opcode,
                        type, length, operand, ptx_type_info[c->regs[f->operand->id].type].text);
        diag->help = "convert it (cvt), move its bits (mov), or write the type that it has";
    }
}

/* ---- the instruction --------------------------------------------------------------------------------------------- */

/* Numbers that the hardware has: barriers 0 to 15, asynchronous copies of 4, 8 or 16 bytes. */
static void check_ranges(const OperandCheck *c)
{
    const AstOperand *ast = c->stmt->operands;
    bool is_barrier = c->op->kind == OPK_BAR && !ptx_op_has_modifier(c->op, "warp") && !ptx_op_has_modifier(c->op, "cluster");
    uint32_t at = c->op->kind == OPK_CP_ASYNC ? 2 : is_barrier ? ptx_op_has_modifier(c->op, "red") : UINT32_MAX;
    if (at == UINT32_MAX)
        return;
    for (uint32_t i = 0; ast && i < at; i++)
        ast = ast->next;
    if (!ast || ast->kind != AST_INT || ast->flags & AST_BRACKETS)
        return;
    if (is_barrier && ast->value > 15)
        ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span, "there are barriers 0 to 15");
    bool is_copy = !is_barrier && !ptx_op_has_modifier(c->op, "bulk");
    bool is_size = ast->value == 16 || (!ptx_op_has_modifier(c->op, "cg") && (ast->value == 4 || ast->value == 8));
    if (is_copy && !is_size)
        ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span, "`cp.async` copies 4, 8 or 16 bytes, with `.cg` 16");
}

void ptx_check_operands(const OperandCheck *c, FormId form)
{
    check_ranges(c);
    Finding first = judge(c, form);
    if (!first.wrong)
        return;
    for (FormId other = c->op->form; other; other = ptx_form_next(c->op, other))
        if (other != form && ptx_form_takes(other, c->operand_count) && !judge(c, other).wrong)
            return;
    report(c, &first);
}
