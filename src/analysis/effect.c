#include "analysis/effect.h"

enum { MOST_RESULTS = 4 };      /* of a function that are looked at; compilers give it one */

static int modifier(const char *text)
{
    return ptx_modifier_find(text, strlen(text));
}

static OpcodeId opcode(const char *text)
{
    return ptx_opcode_find(text, strlen(text));
}

EffectWords ptx_effect_words(void)
{
    return (EffectWords){ .strong = { modifier("volatile"), modifier("relaxed"), modifier("acquire"), modifier("release"),
                                      modifier("acq_rel"), modifier("mmio") },
                          .nc = modifier("nc"), .async = modifier("async"), .prefetch = opcode("prefetch"), .prefetchu = opcode("prefetchu"),
                          .createpolicy = opcode("createpolicy"), .applypriority = opcode("applypriority"), .ldu = opcode("ldu"), .addc = opcode("addc"), .subc = opcode("subc"),
                          .madc = opcode("madc") };
}

static bool has(const Op *op, int wanted)
{
    for (unsigned m = 0; m < op->modifier_count; m++)
        if (op->modifiers[m] == wanted && wanted >= 0)
            return true;
    return false;
}

static bool is_strong(const EffectWords *words, const Op *op)
{
    for (unsigned i = 0; i < sizeof words->strong / sizeof *words->strong; i++)
        if (has(op, words->strong[i]))
            return true;
    return false;
}

/* An atomic is relaxed unless it says more. */
static bool orders_atomic(const EffectWords *words, const Op *op)
{
    return has(op, words->strong[2]) || has(op, words->strong[4]);
}

uint8_t ptx_effect_memory(Space space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return MEMORY_GLOBAL;
    case SPACE_SHARED: case SPACE_SHARED_CTA: case SPACE_SHARED_CLUSTER:
        return MEMORY_SHARED;
    case SPACE_LOCAL:
        return MEMORY_LOCAL;
    case SPACE_GENERIC:
        return MEMORY_ALL;
    default:
        return 0;
    }
}

static bool only_hints(const EffectWords *words, const Op *op)
{
    return op->opcode == words->prefetch || op->opcode == words->prefetchu || op->opcode == words->applypriority;
}

/* Neither loads nor stores as far as the tables tell, and yet does something. */
static uint8_t writes_of_other(const EffectWords *words, const Op *op)
{
    switch (op->insn_class) {
    case CLASS_BARRIER:
        return MEMORY_COMMON;
    case CLASS_GLOBAL: case CLASS_SHARED: case CLASS_LOCAL: case CLASS_ATOMIC: case CLASS_TEXTURE: case CLASS_OTHER:
        return op->flags & OPF_SIDE_EFFECT && !only_hints(words, op) ? MEMORY_COMMON : 0;
    default:
        return 0;
    }
}

uint8_t ptx_effect_writes(const EffectWords *words, const Op *op)
{
    if (op->flags & OPF_UNKNOWN || op->kind == OPK_CALL)
        return MEMORY_ALL;
    if (op->kind == OPK_CP_ASYNC)
        return MEMORY_SHARED;
    if (op->flags & OPF_STORE) {
        uint8_t own = ptx_effect_memory((Space)op->space);
        return op->flags & OPF_LOAD && orders_atomic(words, op) ? own | MEMORY_COMMON : own;
    }
    if (op->flags & OPF_LOAD)
        return is_strong(words, op) ? MEMORY_COMMON : 0;
    return writes_of_other(words, op);
}

uint8_t ptx_effect_reads(const EffectWords *words, const Op *op)
{
    if (op->flags & OPF_UNKNOWN || op->kind == OPK_CALL)
        return MEMORY_ALL;
    if (op->kind == OPK_CP_ASYNC)
        return MEMORY_GLOBAL;
    if (op->flags & OPF_LOAD)
        return op->opcode == words->ldu || has(op, words->nc) ? 0 : ptx_effect_memory((Space)op->space);
    return op->flags & OPF_STORE ? 0 : writes_of_other(words, op);
}

bool ptx_effect_is_plain(const EffectWords *words, const Op *op)
{
    return (op->kind == OPK_LD || op->kind == OPK_ST) && !(op->flags & OPF_UNKNOWN) && !has(op, words->async) && !is_strong(words, op);
}

const Operand *ptx_effect_address(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn), *found = NULL;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_ADDRESS))
            continue;
        if (found)
            return NULL;
        found = &operands[o];
    }
    return found;
}

bool ptx_effect_is_fixed(SregId id)
{
    switch (id) {
    case SREG_TID: case SREG_NTID: case SREG_CTAID: case SREG_NCTAID: case SREG_LANEID:
        return true;
    default:
        return false;
    }
}

static bool reads_fixed(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_UNKNOWN || (operands[o].kind == OPERAND_SREG && !ptx_effect_is_fixed((SregId)operands[o].id)))
            return false;
    return true;
}

/* What the function itself gives back, and what calls give back, comes through parameter memory too, and changes. */
static bool is_argument(const Module *module, const Func *func, VarId var)
{
    if (func->result_count > MOST_RESULTS)
        return false;
    for (uint32_t r = 0; r < func->result_count; r++)
        if (func->results[r] == var)
            return false;
    return module->vars[var].is_parameter;
}

static bool reads_argument(const Module *module, const Func *func, const Insn *insn)
{
    if (insn->op->kind != OPK_LD || insn->op->insn_class != CLASS_PARAM)
        return false;
    const Operand *address = ptx_effect_address(func, insn);
    return address && address->kind == OPERAND_VAR && is_argument(module, func, address->id);
}

bool ptx_effect_is_pure(const EffectWords *words, const Module *module, const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->flags & (OPF_SIDE_EFFECT | OPF_WARP | OPF_UNKNOWN))
        return false;
    if (op->opcode == words->addc || op->opcode == words->subc || op->opcode == words->madc)
        return false;                   /* reads the carry */
    if (op->space || op->flags & (OPF_LOAD | OPF_STORE))
        return reads_argument(module, func, insn);
    bool is_other = op->insn_class == CLASS_OTHER && op->opcode != words->createpolicy;
    return op->insn_class != CLASS_TEXTURE && !is_other && reads_fixed(func, insn);
}
