#include "check/check_memo.h"

#include "check/check_form.h"
#include "support/hash.h"
#include "isa/isa.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"

enum {
    PASSED_SLOTS = 512,
    FITTING_SLOTS = 128,
    MOST_OPERANDS = 8,          /* a byte each */
    OF_REGISTER = 0x80, IN_BRACKETS = 0x40,     /* with a type */
    OF_INTEGER = 1, OF_F32 = 2, OF_F64 = 3,
};

typedef struct Passed {
    const Op *op;               /* NULL: free */
    uint64_t operands;
    FormId form;
} Passed;

typedef struct Fitting {
    const Op *op;
    uint32_t count;
    FormId form;
} Fitting;

struct CheckMemo {
    Passed passed[PASSED_SLOTS];        /* each in one slot: the last one stays */
    Fitting fitting[FITTING_SLOTS];
    uint16_t version;           /* of the module, for which they hold, */
    Target target;
};

_Static_assert((int)TYPE__COUNT <= (int)IN_BRACKETS, "a type fits under the bits");

CheckMemo *ptx_check_memo_new(Arena *arena)
{
    return ptx_arena_new(arena, CheckMemo);
}

/* Directives may stand behind what they are for. */
static void take_header(CheckMemo *memo, const Module *m)
{
    if (memo->version == m->version && memo->target.sm == m->target.sm
        && memo->target.suffix == m->target.suffix)
        return;
    *memo = (CheckMemo){ .version = (uint16_t)m->version, .target = m->target };
}

static uint8_t code_of_number(const FormOperand *shape, const AstOperand *ast)
{
    if (shape->range || shape->is_register || shape->type == OPERAND_IMM || ast->flags)
        return 0;
    switch (ast->kind) {
    case AST_INT: return OF_INTEGER;
    case AST_F32: return OF_F32;
    case AST_F64: return OF_F64;
    default:      return 0;
    }
}

/* 0: the check looks at more than that. */
static uint8_t code_of(const OperandCheck *c, const FormOperand *shape, const AstOperand *ast,
                       const Operand *operand)
{
    if (ast->modifier_length || ast->child)
        return 0;
    if (ast->kind != AST_NAME)
        return code_of_number(shape, ast);
    bool is_usual = ast->flags == AST_BRACKETS || (!ast->flags && !ast->value);
    if (!is_usual || ast->suffix_length || operand->kind != OPERAND_REG
        || c->regs[operand->id].vector != 1 || !c->regs[operand->id].type)
        return 0;
    return OF_REGISTER | (ast->flags ? IN_BRACKETS : 0) | c->regs[operand->id].type;
}

/* 0: not to be kept. */
static uint64_t memo_key_of(const OperandCheck *c, FormId form)
{
    const FormInfo *info = &ptx_form_info[form];
    const FormOperand *shape = ptx_form_operands + info->operand_first;
    const AstOperand *ast = c->stmt->operands;
    uint64_t key = 0;
    if (c->count > MOST_OPERANDS || c->count > info->operand_count
        || ptx_check_compares_numbers(c->op)
        || info->class == FORM_TEX)             /* whose addresses have no offset */
        return 0;
    for (uint32_t o = 0; o < c->count; o++, ast = ast->next) {
        uint8_t code = ast ? code_of(c, &shape[o], ast, &c->operands[o]) : 0;
        if (!code)
            return 0;
        key = key << 8 | code;
    }
    return ast ? 0 : key;
}

void ptx_check_memo_operands(CheckMemo *memo, const OperandCheck *c, FormId form)
{
    take_header(memo, c->module);
    const uint64_t key = memo_key_of(c, form);
    Passed *passed = &memo->passed[ptx_hash_mix(key ^ (uint64_t)c->op->id << 32) % PASSED_SLOTS];
    if (key && passed->op == c->op && passed->operands == key && passed->form == form)
        return;
    if (ptx_check_operands(c, form) && key)
        *passed = (Passed){ c->op, key, form };
}

FormId ptx_check_memo_fitting(CheckMemo *memo, const Module *module, const Op *op, uint32_t count)
{
    take_header(memo, module);
    Fitting *fitting = &memo->fitting[(op->id ^ count << 5) % FITTING_SLOTS];
    if (fitting->op != op || fitting->count != count)
        *fitting = (Fitting){ op, count, ptx_form_fitting(module, op, count) };
    return fitting->form;
}
