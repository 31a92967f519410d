#include "estimate/spread.h"

#include "warp/value.h"

#include <math.h>
#include <string.h>

#define ANYWHERE ((double)INFINITY)

enum { NARROW_BITS = 31 };      /* data of more bits say nothing of how far they lead */

typedef struct Walk {
    const Func *func;
    const Lanewise *ops;        /* per instruction */
    double *reached;            /* per register: largest less least number that data make it hold, in the walk before; 0: data have no part in it */
    double *found;              /* in this one */
    uint32_t *definitions;      /* per register */
} Walk;

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static double of_operand(const Walk *w, const Operand *operand)
{
    return operand->kind == OPERAND_REG ? w->reached[operand->id] : 0;
}

static const Operand *nth_use(const Func *func, const Insn *insn, unsigned n)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_USE && !n--)
            return &operands[o];
    return NULL;
}

static bool constant_of(const Operand *operand, double *out)
{
    bool is_constant = operand && operand->kind == OPERAND_INT && operand->value >= 0;
    *out = is_constant ? (double)operand->value : 0;
    return is_constant;
}

static double within_bits(double reach, unsigned bits)
{
    return bits <= NARROW_BITS ? fmin(reach, (double)((UINT64_C(1) << bits) - 1)) : reach;
}

static double product(double a, double b, const Operand *x, const Operand *y)
{
    double factor;
    if (constant_of(y, &factor))
        return a * factor;
    if (constant_of(x, &factor))
        return b * factor;
    return a > 0 || b > 0 ? ANYWHERE : 0;
}

static double result_of(const Walk *w, const Insn *insn, const Lanewise *op)
{
    const Operand *use[3];
    double reach[3], all = 0, number;
    for (unsigned n = 0; n < 3; n++) {
        use[n] = nth_use(w->func, insn, n);
        reach[n] = use[n] ? of_operand(w, use[n]) : 0;
        all += reach[n];
    }
    if (!(all > 0))
        return 0;
    bool is_by = constant_of(use[1], &number);
    switch ((Transfer)op->transfer) {
    case TRANSFER_COPY:
        return within_bits(reach[0], op->bits);
    case TRANSFER_ADD: case TRANSFER_SUB: case TRANSFER_OR: case TRANSFER_XOR: case TRANSFER_NEGATE: case TRANSFER_INSERT: case TRANSFER_MAX:
        return all;
    case TRANSFER_MUL:
        return product(reach[0], reach[1], use[0], use[1]);
    case TRANSFER_MAD:
        return product(reach[0], reach[1], use[0], use[1]) + reach[2];
    case TRANSFER_SHL:
        return is_by && number < 64 ? ldexp(reach[0], (int)number) : ANYWHERE;
    case TRANSFER_SHR:
        return is_by && number < op->bits ? within_bits(ldexp(reach[0], -(int)number), op->bits - (unsigned)number) : ANYWHERE;
    case TRANSFER_AND: case TRANSFER_MIN:
        return is_by ? fmin(reach[0], number) : all;
    case TRANSFER_DIV:
        return is_by && number > 0 ? fmin(reach[0], ldexp(1, op->bits)) / number : ANYWHERE;
    case TRANSFER_REM:
        return is_by ? fmin(reach[0], number) : ANYWHERE;
    case TRANSFER_FIELD:
        return constant_of(use[2], &number) && number < NARROW_BITS ? within_bits(reach[0], (unsigned)number) : ANYWHERE;
    default:
        return ANYWHERE;
    }
}

/* What comes from memory, or from other lanes, may be anything of its type. */
static double defined_by(const Walk *w, const Insn *insn, InsnId id)
{
    const Op *op = insn->op;
    if (op->flags & OPF_LOAD || op->kind == OPK_ATOM)
        return op->space == SPACE_PARAM ? 0 : within_bits(ANYWHERE, ptx_type_info[op->type].bits);
    if (w->ops[id].fn)
        return result_of(w, insn, &w->ops[id]);
    for (unsigned n = 0; nth_use(w->func, insn, n); n++)
        if (of_operand(w, nth_use(w->func, insn, n)) > 0)
            return ANYWHERE;
    return 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

enum { WALKS = 4 };

/* In the order of the text: a register of one definition is settled there. One of several holds what the walk before found; what still grows may be anything. */
static void walk(Walk *w, bool is_first)
{
    memset(w->found, 0, (w->func->reg_count + 1) * sizeof *w->found);
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
                continue;
            RegId reg = operands[o].id;
            w->found[reg] = fmax(w->found[reg], defined_by(w, insn, i));
            if (w->definitions[reg] == 1)
                w->reached[reg] = w->found[reg];
        }
    }
    for (RegId r = 0; r < w->func->reg_count; r++)
        if (w->definitions[r] > 1 && w->found[r] > w->reached[r])
            w->reached[r] = is_first ? w->found[r] : ANYWHERE;
}

static void prepare(Walk *w, Lanewise *ops)
{
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        ptx_lanewise_make(insn->op, &ops[i]);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
                w->definitions[operands[o].id]++;
    }
}

static double of_address(const Walk *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && of_operand(w, &operands[o]) > 0)
            return of_operand(w, &operands[o]) + insn->access_bytes;
    return ANYWHERE;            /* if data lead it at all, they do by the way that control takes */
}

const double *ptx_spread_compute(Arena *arena, Arena *scratch, const Func *func)
{
    double *out = ptx_arena_array(arena, double, func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    Lanewise *ops = ptx_arena_array(scratch, Lanewise, func->insn_count + 1);
    Walk w = { .func = func, .ops = ops };
    w.reached = ptx_arena_array(scratch, double, func->reg_count + 1);
    w.found = ptx_arena_array(scratch, double, func->reg_count + 1);
    w.definitions = ptx_arena_array(scratch, uint32_t, func->reg_count + 1);
    prepare(&w, ops);
    for (unsigned n = 0; n < WALKS; n++)
        walk(&w, !n);
    for (InsnId i = 0; i < func->insn_count; i++)
        out[i] = func->insns[i].access_bytes ? of_address(&w, &func->insns[i]) : 0;
    ptx_arena_release(scratch, mark);
    return out;
}
