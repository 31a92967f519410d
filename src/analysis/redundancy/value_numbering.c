#include "analysis/redundancy/value_numbering.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/liveness.h"

#include <stdbool.h>

#include "support/hash.h"

enum { MAX_PLACES = 16 };       /* of the table that are tried */

typedef struct Numberer {
    const Func *func;
    /* per register: what it holds, as of the last definition in the text */
    uint32_t *value_of;
    bool *is_constant;          /* per register: that is a number which was moved into it */
    bool *is_number;            /* per operand: the same when its instruction was numbered */
    /* per operand: what it held when its instruction was numbered; what it was given */
    uint32_t *sources, *results;
    HashTable firsts;           /* of each value the first instruction, + 1 */
    uint32_t value_count;
    bool *redundant;
} Numberer;

static bool is_float(const Op *op)
{
    return ptx_type_info[op->type].kind == KIND_FLOAT;
}

#define SAME_PRODUCT UINT32_MAX
#define SAME_DIVISOR (UINT32_MAX - 1)

/* The halves of a 32-bit product, signed or not, are the same operation here; so are divisions and
 * remainders. */
static uint32_t operation_of(const Op *op)
{
    if (op->kind == OPK_DIV)
        return SAME_DIVISOR;
    return op->kind == OPK_MUL && !is_float(op) && ptx_type_info[op->type].bits == 32 ? SAME_PRODUCT
                                                                                      : op->id;
}

/* Of a division only the divisor counts: its reciprocal is what is dear. */
static bool counts(const Insn *insn, uint32_t operand)
{
    return insn->op->kind != OPK_DIV || operand + 1 == insn->operand_count;
}

/* What stands in an operand, as far as it decides the result. */
static uint64_t operand_key(const Numberer *n, const Operand *operand)
{
    uint64_t key = (uint64_t)operand->kind << 56 | (uint64_t)operand->flags << 48
                   | (uint64_t)operand->position << 40 | (uint64_t)operand->role << 32;
    if (ptx_operand_is_def(operand))
        return key;
    return key | n->sources[operand - n->func->operands];
}

/* Factors in either order; numbers are all alike, for they stand in instructions of either half in
 * different ways. */
static uint64_t product_key(const Numberer *n, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(n->func, insn);
    uint64_t key = 0;
    for (uint32_t o = 1; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && !n->is_number[operands + o - n->func->operands])
            key += (n->sources[operands + o - n->func->operands] + UINT64_C(1))
                   * UINT64_C(0x9E3779B97F4A7C15);
    return key;
}

static uint32_t hash_insn(const Numberer *n, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(n->func, insn);
    uint64_t hash = operation_of(insn->op);
    if (hash == SAME_PRODUCT)
        return (uint32_t)(product_key(n, insn) >> 32);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (counts(insn, o))
            hash = (hash ^ operand_key(n, &operands[o])
                    ^ (uint64_t)ptx_operand_value(&operands[o]) << 7)
                   * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

static bool is_same(const void *owner, uint32_t number, const void *key)
{
    const Numberer *n = owner;
    const Insn *a = key, *b = &n->func->insns[number - 1];
    const Operand *x = ptx_insn_operands(n->func, a), *y = ptx_insn_operands(n->func, b);
    if (operation_of(a->op) != operation_of(b->op) || a->operand_count != b->operand_count)
        return false;
    if (operation_of(a->op) == SAME_PRODUCT)
        return product_key(n, a) == product_key(n, b);
    for (uint32_t o = 0; o < a->operand_count; o++)
        if (counts(a, o)
            && (operand_key(n, &x[o]) != operand_key(n, &y[o])
                || ptx_operand_value(&x[o]) != ptx_operand_value(&y[o])))
            return false;
    return true;
}

/* The results of insn are those of first; NULL: they are new. */
static void set_values(Numberer *n, const Insn *insn, const Insn *first)
{
    const Operand *mine = ptx_insn_operands(n->func, insn),
                  *theirs = first ? ptx_insn_operands(n->func, first) : NULL;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&mine[o]))
            continue;
        n->value_of[mine[o].id] = theirs ? n->results[theirs + o - n->func->operands]
                                         : n->value_count++;
        n->results[mine + o - n->func->operands] = n->value_of[mine[o].id];
        n->is_constant[mine[o].id] = false;
    }
}

static bool is_copy_insn(const Insn *insn, const Operand *operands)
{
    return insn->op->kind == OPK_MOV && insn->operand_count == 2 && insn->guard == NO_ID
           && ptx_operand_is_def(&operands[0]) && !operands[0].flags && !operands[1].flags;
}

/* The first instruction of the same value; NULL: insn is it now. */
static const Insn *find_first(Numberer *n, InsnId id)
{
    const Insn *insn = &n->func->insns[id];
    const HashPlace place = ptx_hash_find_near(&n->firsts, hash_insn(n, insn), MAX_PLACES, is_same,
                                               n, insn);
    if (place.is_found)
        return &n->func->insns[*place.slot - 1];
    /* a full neighbourhood forgets one of its values: then less is found */
    *place.slot = id + 1;
    return NULL;
}

/* What the operands hold now: is_same asks when the registers hold other values. */
static void keep_numbered_sources(Numberer *n, const Insn *insn)
{
    for (uint32_t o = insn->operand_first; o < insn->operand_first + insn->operand_count; o++) {
        const Operand *operand = &n->func->operands[o];
        bool is_reg = operand->kind == OPERAND_REG;
        n->sources[o] = is_reg ? n->value_of[operand->id] : operand->id;
        n->is_number[o] = is_reg && n->is_constant[operand->id];
    }
}

static void number_insn(Numberer *n, InsnId id)
{
    const Insn *insn = &n->func->insns[id];
    const Operand *operands = ptx_insn_operands(n->func, insn);
    const Insn *first = NULL;
    keep_numbered_sources(n, insn);
    if (is_copy_insn(insn, operands) && operands[1].kind == OPERAND_REG) {
        n->value_of[operands[0].id] = n->value_of[operands[1].id];
        n->is_constant[operands[0].id] = n->is_constant[operands[1].id];
        return;
    }
    if (!(insn->op->flags & (OPF_SIDE_EFFECT | OPF_WARP)) && insn->guard == NO_ID
        && insn->operand_count)
        first = find_first(n, id);
    n->redundant[id] = first != NULL;
    set_values(n, insn,
               first && first->op == insn->op && operation_of(insn->op) != SAME_DIVISOR ? first
                                                                                        : NULL);
    if (is_copy_insn(insn, operands) && operands[1].kind == OPERAND_INT)
        n->is_constant[operands[0].id] = true;
}

const bool *ptx_value_numbering_compute(Arena *arena, Arena *scratch, const Func *func,
                                        const Live *live)
{
    bool *redundant = ptx_arena_array(arena, bool, func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    Numberer n = { .func = func,
                   .value_of = ptx_arena_array(scratch, uint32_t, func->reg_count + 1),
                   .is_constant = ptx_arena_array(scratch, bool, func->reg_count + 1),
                   .sources = ptx_arena_array(scratch, uint32_t, func->operand_count + 1),
                   .results = ptx_arena_array(scratch, uint32_t, func->operand_count + 1),
                   .is_number = ptx_arena_array(scratch, bool, func->operand_count + 1),
                   .value_count = func->reg_count,
                   .redundant = redundant };
    ptx_hash_init(&n.firsts, scratch, func->insn_count);
    for (uint32_t r = 0; r < func->reg_count; r++)
        n.value_of[r] = r;
    for (InsnId i = 0, d = 0; i < func->insn_count; i++) {
        if (live && d < live->dead_count && live->dead[d] == i)
            d++;                        /* a dead result repeats no other */
        else
            number_insn(&n, i);
    }
    ptx_arena_release(scratch, mark);
    return redundant;
}
