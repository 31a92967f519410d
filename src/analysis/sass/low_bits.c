#include "analysis/sass/low_bits.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/sass/unroll.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "support/arena.h"

enum {
    MAX_LOW_BITS = 31,
    MAX_LOW_BITS_ROUNDS = 16,   /* through the function, until no register changes; else none */
    NOTHING_YET = UINT8_MAX,
};

static LowBits surely(uint32_t known, uint32_t value)
{
    known = known < MAX_LOW_BITS ? known : MAX_LOW_BITS;
    return (LowBits){ (uint8_t)known, value & ((UINT32_C(1) << known) - 1) };
}

/* Of how many zeros at the end it is sure. */
static uint32_t zeros_at_end(LowBits a)
{
    return a.value ? (uint32_t)__builtin_ctz(a.value) : a.known;
}

static uint32_t known_of_both(LowBits a, LowBits b)
{
    return a.known < b.known ? a.known : b.known;
}

static LowBits multiple_of_both(LowBits a, LowBits b)
{
    const uint32_t x = zeros_at_end(a), y = zeros_at_end(b);
    return surely(x < y ? x : y, 0);
}

/* What both have in common. */
static LowBits bits_in_common(LowBits a, LowBits b)
{
    const uint32_t differ = a.value ^ b.value, known = known_of_both(a, b);
    const uint32_t same = differ ? (uint32_t)__builtin_ctz(differ) : known;
    return surely(same < known ? same : known, a.value);
}

static LowBits bits_of_product(LowBits a, LowBits b)
{
    return surely(zeros_at_end(a) + zeros_at_end(b), 0);
}

/* A bit that a mask clears is known, whatever stood there. */
static LowBits bits_behind_mask(LowBits a, LowBits b)
{
    const uint32_t x = zeros_at_end(a), y = zeros_at_end(b), zeros = x > y ? x : y,
                   known = known_of_both(a, b);
    return zeros > known ? surely(zeros, 0) : surely(known, a.value & b.value);
}

static LowBits shifted_right(LowBits a, LowBits by)
{
    if (by.known < MAX_LOW_BITS || by.value >= a.known)
        return surely(0, 0);
    return surely(a.known - by.value, a.value >> by.value);
}

static LowBits shifted_left(LowBits a, LowBits by)
{
    if (by.known < MAX_LOW_BITS || by.value >= MAX_LOW_BITS)
        return surely(zeros_at_end(a), 0);
    return surely(a.known + by.value, a.value << by.value);
}

static LowBits bits_of_operation(const Op *op, const LowBits *args)
{
    const uint32_t both = known_of_both(args[0], args[1]);
    switch (op->operation) {
    case OP_MOV: case OP_CVTA: case OP_CVT:
        return args[0];
    case OP_ADD:    return surely(both, args[0].value + args[1].value);
    case OP_SUB:    return surely(both, args[0].value - args[1].value);
    case OP_OR:     return surely(both, args[0].value | args[1].value);
    case OP_XOR:    return surely(both, args[0].value ^ args[1].value);
    case OP_AND:    return bits_behind_mask(args[0], args[1]);
    case OP_MUL:    return bits_of_product(args[0], args[1]);
    case OP_SHL:    return shifted_left(args[0], args[1]);
    case OP_SHR:    return shifted_right(args[0], args[1]);
    case OP_MAD: {
        const LowBits scaled = bits_of_product(args[0], args[1]);
        return surely(known_of_both(scaled, args[2]), scaled.value + args[2].value);
    }
    case OP_MAX: case OP_MIN: case OP_SELP:
        return multiple_of_both(args[0], args[1]);
    default:        return surely(0, 0);
    }
}

static LowBits bits_of_operand(const LowBits *regs, const Operand *operand)
{
    if (operand->flags)
        return surely(0, 0);
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG:
        return regs[operand->id].known == NOTHING_YET ? surely(0, 0) : regs[operand->id];
    case OPERAND_INT: case OPERAND_VAR:
        return surely(MAX_LOW_BITS, (uint32_t)ptx_operand_value(operand));
    default:                return surely(0, 0);
    }
}

static bool is_whole_number(const Op *op)
{
    return ptx_type_info[op->type].kind != KIND_FLOAT && !ptx_op_has(op, MOD_SAT)
           && !ptx_op_has(op, MOD_HI) && !ptx_type_is_packed((Type)op->type)
           && (op->operation != OP_CVT || ptx_type_info[op->dst_type].kind != KIND_FLOAT);
}

/* What an instruction leaves in the first register that it writes. */
static LowBits bits_of_result(const Func *func, const LowBits *regs, const Insn *insn)
{
    enum { MAX_SOURCES = 3 };
    const Operand *operands = ptx_insn_operands(func, insn);
    LowBits args[MAX_SOURCES] = { { 0, 0 } };
    if (!is_whole_number(insn->op) || insn->operand_count > 1 + MAX_SOURCES)
        return surely(0, 0);
    for (uint32_t o = 1; o < insn->operand_count; o++)
        args[o - 1] = bits_of_operand(regs, &operands[o]);
    return bits_of_operation(insn->op, args);
}

/* ---- registers ------------------------------------------------------------------------------- */

typedef struct LowBitsFinder {
    const FuncFlow *flow;
    const Unrolling *unrolled;
    uint8_t *defs;              /* per register: 0, 1, more */
    bool *is_whole;             /* per register: it is written in a loop that is unrolled whole */
    LowBits *regs;
    bool has_changed;
} LowBitsFinder;

static bool may_be_whole(const LowBitsFinder *f, BlockId block)
{
    const LoopId loop = f->flow->loops->loop_of[block];
    return loop != NO_LOOP && (!f->unrolled || f->unrolled[loop].is_whole);
}

static void note_writes(LowBitsFinder *f, BlockId block)
{
    const Block *b = &f->flow->cfg->blocks[block];
    const bool is_whole = may_be_whole(f, block);
    for (InsnId i = b->first; i < b->end; i++) {
        const Insn *insn = &f->flow->func->insns[i];
        const Operand *operands = ptx_insn_operands(f->flow->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!ptx_operand_is_def(&operands[o]))
                continue;
            f->defs[operands[o].id] = f->defs[operands[o].id] ? 2 : 1;
            f->is_whole[operands[o].id] |= is_whole;
        }
    }
}

/* One of its definitions gives a register so much; bits that were lost do not come back. */
static void note_definition(LowBitsFinder *f, RegId reg, LowBits now)
{
    LowBits *known = &f->regs[reg];
    if (f->defs[reg] > 1 && known->known != NOTHING_YET)
        now = f->is_whole[reg] ? bits_in_common(*known, now) : multiple_of_both(*known, now);
    f->has_changed |= now.known != known->known || now.value != known->value;
    *known = now;
}

static void go_through_block(LowBitsFinder *f, BlockId block)
{
    const Func *func = f->flow->func;
    const Block *b = &f->flow->cfg->blocks[block];
    for (InsnId i = b->first; i < b->end; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (ptx_operand_is_def(&operands[o]))
                note_definition(f, operands[o].id,
                       o || operands[o].flags ? surely(0, 0)
                                              : bits_of_result(func, f->regs, &func->insns[i]));
    }
}

const LowBits *ptx_low_bits_compute(Arena *arena, const FuncFlow *flow, const Unrolling *unrolled,
                                    bool *is_settled)
{
    const uint32_t count = flow->func->reg_count + 1;
    LowBitsFinder f = { flow, unrolled, ptx_arena_array(arena, uint8_t, count),
                        ptx_arena_array(arena, bool, count),
                        ptx_arena_array(arena, LowBits, count), true };
    for (RegId r = 0; r < count; r++)
        f.regs[r].known = NOTHING_YET;
    for (uint32_t b = 0; b < flow->cfg->rpo_count; b++)
        note_writes(&f, flow->cfg->rpo[b]);
    for (unsigned round = 0; round < MAX_LOW_BITS_ROUNDS && f.has_changed; round++) {
        f.has_changed = false;
        for (uint32_t b = 0; b < flow->cfg->rpo_count; b++)
            go_through_block(&f, flow->cfg->rpo[b]);
    }
    for (RegId r = 0; r < count; r++)
        if (f.has_changed || f.regs[r].known == NOTHING_YET)
            f.regs[r] = surely(0, 0);
    *is_settled = !f.has_changed;
    return f.regs;
}
