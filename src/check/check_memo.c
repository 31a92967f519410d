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
    MOST_OPERANDS = 8,             /* a byte each */
    OF_REGISTER = 0x80, IN_BRACKETS = 0x40,     /* with a type */
    OF_VECTOR = 0x40,           /* with the type of its elements; how many comes next */
    OF_INTEGER = 1, OF_F32 = 2, OF_F64 = 3, OF_LABEL = 4,
    OF_PAIR = 5,                /* what its sides are comes next */
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
    const bool is_limited = shape->range || shape->is_register || shape->type == OPERAND_IMM;
    if (ast->flags || (is_limited && ptx_number_judge(shape, ast) != NUMBER_FITS))
        return 0;
    switch (ast->kind) {
    case AST_INT: return OF_INTEGER;
    case AST_F32: return OF_F32;
    case AST_F64: return OF_F64;
    default:      return 0;
    }
}

static bool is_single(const OperandCheck *c, const Operand *operand)
{
    return operand->kind == OPERAND_REG && c->regs[operand->id].vector == 1
           && c->regs[operand->id].type;
}

/* 0: the check looks at more than that. */
static inline uint8_t code_of(const OperandCheck *c, const FormOperand *shape,
                              const AstOperand *ast, const Operand *operand)
{
    if (shape->type == OPERAND_LABEL)
        return OF_LABEL;
    if (ast->kind != AST_NAME)
        return code_of_number(shape, ast);
    bool is_usual = ast->flags == AST_BRACKETS || (!ast->flags && !ast->value);
    if (!is_usual || ast->suffix_length || !is_single(c, operand))
        return 0;
    return OF_REGISTER | (ast->flags ? IN_BRACKETS : 0) | c->regs[operand->id].type;
}

/* What the check of an instruction looks at. */
typedef struct MemoKey {
    uint64_t codes;
    uint32_t count;
    uint32_t at;                /* of the operands: those before were taken */
} MemoKey;

static inline bool add_memo_code(MemoKey *key, uint8_t code)
{
    key->codes = key->codes << 8 | code;
    return code && key->count++ < MOST_OPERANDS;
}

/* Of registers of one type, by their names alone. */
static bool add_vector(MemoKey *key, const OperandCheck *c, const AstOperand *ast)
{
    const uint32_t first = key->at;
    for (const AstOperand *child = ast->child; child; child = child->next, key->at++) {
        const bool is_name = child->kind == AST_NAME && !child->flags
                             && ptx_span_length(child->span) == child->name_length;
        if (!is_name || key->at == c->count || !is_single(c, &c->operands[key->at])
            || c->regs[c->operands[key->at].id].type != c->regs[c->operands[first].id].type)
            return false;
    }
    const uint32_t count = key->at - first;
    return count && count <= UINT8_MAX && !ast->flags
           && add_memo_code(key, OF_VECTOR | c->regs[c->operands[first].id].type)
           && add_memo_code(key, (uint8_t)count);
}

static inline bool add_code_of(MemoKey *key, const OperandCheck *c, const FormOperand *shape,
                        const AstOperand *ast)
{
    return key->at < c->count && !ast->child && !ast->modifier_length
           && add_memo_code(key, code_of(c, shape, ast, &c->operands[key->at++]));
}

static bool add_pair_codes(MemoKey *key, const OperandCheck *c, const FormOperand *shape,
                           const AstOperand *ast)
{
    return !ast->flags && add_memo_code(key, OF_PAIR) && add_code_of(key, c, shape, ast->child)
           && add_code_of(key, c, shape, ast->child->next);
}

static inline bool add_operand_code(MemoKey *key, const OperandCheck *c, const FormOperand *shape,
                                    const AstOperand *ast)
{
    if (!ast->child)
        return add_code_of(key, c, shape, ast);
    if (ast->modifier_length)
        return false;
    return (ast->kind == AST_VECTOR && add_vector(key, c, ast))
           || (ast->kind == AST_PAIR && add_pair_codes(key, c, shape, ast));
}

/* 0: not to be kept. */
static uint64_t memo_key_of(const OperandCheck *c, FormId form)
{
    const FormInfo *info = &ptx_form_info[form];
    const FormOperand *shape = ptx_form_operands + info->operand_first,
                      *end = shape + info->operand_count;
    MemoKey key = { .codes = 0 };
    if (ptx_check_compares_numbers(c->op) || info->class == FORM_TEX)   /* no offset in addresses */
        return 0;
    for (const AstOperand *ast = c->stmt->operands; ast; ast = ast->next, shape++)
        if (shape == end || !add_operand_code(&key, c, shape, ast))
            return 0;
    return key.at == c->count ? key.codes : 0;
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
