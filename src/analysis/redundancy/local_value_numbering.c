#include "analysis/redundancy/local_value_numbering.h"
#include "support/hash.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/redundancy/effect.h"

enum { MAX_TRIES = 16 };       /* places of the table that are looked at */

typedef struct RegValue {
    NumberedValue value;
    uint32_t stamp;             /* the block, + 1 */
} RegValue;

typedef struct Computed {       /* what the first instruction of a block that computes it gave */
    InsnId insn;                /* + 1; 0: free */
    uint32_t base;
} Computed;

/* The operands of a block lie side by side. */
static uint32_t first_definition_of(const Func *func, const Cfg *cfg, BlockId block)
{
    return func->insns[cfg->blocks[block].first].operand_first;
}

static uint32_t end_of(const Func *func, const Cfg *cfg, BlockId block)
{
    const Insn *last = &func->insns[cfg->blocks[block].end - 1];
    return last->operand_first + last->operand_count;
}

Numbers ptx_value_numbers_new(Arena *arena, const Module *module, const Func *func, const Cfg *cfg)
{
    uint32_t size = 16, most_insns = 0, most_operands = 0;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        uint32_t insns = cfg->blocks[b].end - cfg->blocks[b].first,
                 operands = end_of(func, cfg, b) - first_definition_of(func, cfg, b);
        most_insns = insns > most_insns ? insns : most_insns;
        most_operands = operands > most_operands ? operands : most_operands;
    }
    while (size < 2 * (uint64_t)most_insns && size < 1u << 30)
        size *= 2;
    return (Numbers){ .module = module,
                      .func = func,
                      .cfg = cfg,
                      .next = NUMBER_NONE + 1,
                      .slot_mask = size - 1,
                      .regs = ptx_arena_array(arena, RegValue, func->reg_count + 1),
                      .slots = ptx_arena_array(arena, Computed, size),
                      .sources = ptx_arena_array(arena, NumberedValue, most_operands + 1) };
}

void ptx_value_numbers_enter(Numbers *n, BlockId block)
{
    n->block = block;
    n->operand_first = first_definition_of(n->func, n->cfg, block);
}

static uint32_t new_number(Numbers *n)
{
    return n->next++;                   /* far below NUMBER_VARIABLE: one an operand at most */
}

NumberedValue ptx_value_numbers_get(Numbers *n, RegId reg)
{
    if (n->regs[reg].stamp != n->block + 1)
        n->regs[reg] = (RegValue){ { new_number(n), 0 }, n->block + 1 };
    return n->regs[reg].value;
}

static unsigned bits_of(const Numbers *n, RegId reg)
{
    return ptx_type_info[n->func->regs[reg].type].bits;
}

/* Sums of 32-bit registers are the same modulo 2^32. */
static NumberedValue sum_with_constant(NumberedValue value, int64_t by, unsigned bits)
{
    int64_t offset = (int64_t)((uint64_t)value.offset + (uint64_t)by);
    return (NumberedValue){ value.base, bits == 64 ? offset : (int32_t)(uint32_t)offset };
}

NumberedValue ptx_value_numbers_address(Numbers *n, const Operand *operand)
{
    if (!operand || operand->flags)
        return (NumberedValue){ NUMBER_NONE, 0 };
    if (operand->kind == OPERAND_VAR)
        return (NumberedValue){ NUMBER_VARIABLE | operand->id, ptx_operand_value(operand) };
    if (operand->kind != OPERAND_REG || bits_of(n, operand->id) < 32)
        return (NumberedValue){ NUMBER_NONE, 0 };
    return sum_with_constant(ptx_value_numbers_get(n, operand->id), ptx_operand_value(operand),
                             bits_of(n, operand->id));
}

/* One whole register written, whatever the guard, and nothing else. */
static bool has_one_result(const Insn *insn, const Operand *operands)
{
    if (!insn->operand_count || !ptx_operand_is_def(&operands[0]) || operands[0].flags
        || operands[0].role & ROLE_USE)
        return false;
    for (uint32_t o = 1; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_DEF)
            return false;
    return true;
}

/* add.s32 d, a, 4; sub too; mov d, a; mov d, variable. */
static bool find_sum(Numbers *n, const Insn *insn, NumberedValue *out)
{
    const Op *op = insn->op;
    const Operand *operands = ptx_insn_operands(n->func, insn);
    const Operand *a = &operands[1], *b = &operands[2];
    if (op->kind == OPK_MOV && insn->operand_count == 2 && a->kind == OPERAND_VAR && !a->flags
        && !n->module->vars[a->id].is_parameter) {
        *out = (NumberedValue){ NUMBER_VARIABLE | a->id, ptx_operand_value(a) };
        return true;
    }
    if (op->kind == OPK_MOV && insn->operand_count == 2 && a->kind == OPERAND_REG && !a->flags
        && bits_of(n, a->id) == bits_of(n, operands[0].id)) {
        *out = ptx_value_numbers_get(n, a->id);
        return true;
    }
    bool is_sum = (op->kind == OPK_ADD || op->kind == OPK_SUB) && op->modifier_count == 1
                  && insn->operand_count == 3;
    bool is_whole = op->type == TYPE_S32 || op->type == TYPE_U32 || op->type == TYPE_S64
                    || op->type == TYPE_U64;
    if (!is_sum || !is_whole || a->kind != OPERAND_REG || b->kind != OPERAND_INT || a->flags
        || bits_of(n, a->id) != ptx_type_info[op->type].bits)
        return false;
    const uint64_t number = (uint64_t)ptx_operand_value(b),
                   by = b->flags & OPERAND_MINUS ? -number : number;
    *out = sum_with_constant(ptx_value_numbers_get(n, a->id),
                             (int64_t)(op->kind == OPK_SUB ? -by : by),
                             ptx_type_info[op->type].bits);
    return true;
}

/* ---- what is computed again ------------------------------------------------------------------ */

static void keep_sources(Numbers *n, const Insn *insn)
{
    for (uint32_t o = insn->operand_first; o < insn->operand_first + insn->operand_count; o++) {
        const Operand *operand = &n->func->operands[o];
        NumberedValue *source = &n->sources[o - n->operand_first];
        if (ptx_operand_is_def(operand))
            *source = (NumberedValue){ NUMBER_NONE, 0 };
        else
            *source = operand->kind == OPERAND_REG ? ptx_value_numbers_get(n, operand->id)
                                                   : (NumberedValue){ operand->id, 0 };
    }
}

static uint32_t hash_of(const Numbers *n, const Insn *insn)
{
    uint64_t hash = insn->op->id;
    for (uint32_t o = insn->operand_first; o < insn->operand_first + insn->operand_count; o++) {
        const Operand *operand = &n->func->operands[o];
        const NumberedValue *source = &n->sources[o - n->operand_first];
        hash = ptx_hash_add(hash,
                     (uint64_t)operand->kind << 56 | (uint64_t)operand->flags << 48 | source->base);
        hash = ptx_hash_add(hash,
                            (uint64_t)source->offset ^ (uint64_t)ptx_operand_value(operand) << 20);
    }
    return (uint32_t)(hash >> 32);
}

static bool is_same(const Numbers *n, const Insn *a, const Insn *b)
{
    if (a->op != b->op || a->operand_count != b->operand_count)
        return false;
    for (uint32_t o = 0; o < a->operand_count; o++) {
        const Operand *x = &n->func->operands[a->operand_first + o],
                      *y = &n->func->operands[b->operand_first + o];
        const NumberedValue *u = &n->sources[a->operand_first - n->operand_first + o],
                            *v = &n->sources[b->operand_first - n->operand_first + o];
        if (x->kind != y->kind || x->flags != y->flags
            || ptx_operand_value(x) != ptx_operand_value(y) || u->base != v->base
            || u->offset != v->offset)
            return false;
    }
    return true;
}

/* The number of the first instruction of the block that computes the same; a new one. */
static uint32_t find_number(Numbers *n, InsnId id)
{
    const Insn *insn = &n->func->insns[id];
    keep_sources(n, insn);
    uint32_t slot = hash_of(n, insn) & n->slot_mask;
    for (uint32_t tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) & n->slot_mask) {
        Computed *c = &n->slots[slot];
        if (!c->insn || n->cfg->block_of[c->insn - 1] != n->block) {
            *c = (Computed){ id + 1, new_number(n) };
            return c->base;
        }
        if (is_same(n, insn, &n->func->insns[c->insn - 1]))
            return c->base;
    }
    return new_number(n);
}

/* Of these addresses and indices are made. */
static bool is_numbered(const Op *op)
{
    return op->insn_class == CLASS_INT || op->insn_class == CLASS_LOGIC
           || op->insn_class == CLASS_MOVE || op->insn_class == CLASS_CVT
           || op->insn_class == CLASS_PARAM;
}

void ptx_value_numbers_step(Numbers *n, InsnId id)
{
    const Insn *insn = &n->func->insns[id];
    const Operand *operands = ptx_insn_operands(n->func, insn);
    NumberedValue value = { NUMBER_NONE, 0 };
    if (insn->guard == NO_ID && has_one_result(insn, operands) && !find_sum(n, insn, &value)
        && is_numbered(insn->op) && ptx_effect_is_pure(n->module, n->func, insn))
        value.base = find_number(n, id);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&operands[o]))
            continue;
        if (value.base == NUMBER_NONE || o)
            value = (NumberedValue){ new_number(n), 0 };
        n->regs[operands[o].id] = (RegValue){ value, n->block + 1 };
    }
}
