/* Facts of a register: where it is written and read. */
#include "rules/facts/facts.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"
#include "ir/module.h"
#include "session/session.h"
#include "support/choice.h"
#include "support/minmax.h"

#include <stdio.h>

static void note_read(InsnId *first, RegId reg, InsnId insn)
{
    if (reg != NO_ID && first[reg] == NO_ID)
        first[reg] = insn;
}

const InsnId *ptx_measure_first_reads(FactCache *q)
{
    const Func *func = q->func;
    if (q->first_reads)
        return q->first_reads;
    InsnId *first = ptx_arena_array(q->arena, InsnId, func->reg_count + 1);
    for (RegId r = 0; r <= func->reg_count; r++)
        first[r] = NO_ID;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        if (!ptx_block_is_reachable(q->cfg, q->cfg->block_of[i]))
            continue;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
                note_read(first, operands[o].id, i);
        note_read(first, insn->guard, i);
    }
    return q->first_reads = first;
}

/* A compiler packs an undefined half beside a value that matters, merges undefined values that no
 * path uses, and passes a structure without members as one undefined byte, on the stack or to a
 * function. */
static bool may_not_matter(const Func *func, const Insn *insn, RegId reg)
{
    const Op *op = insn->op;
    bool is_own = op->space == SPACE_GENERIC || op->space == SPACE_LOCAL || op->space == SPACE_PARAM
                  || op->space == SPACE_PARAM_FUNC;
    bool is_byte = op->kind == OPK_ST && insn->access_bytes == 1 && is_own
                   && ptx_type_info[func->regs[reg].type].bits < 32;
    return insn->guard != reg
           && (op->insn_class == CLASS_MOVE || op->insn_class == CLASS_LOGIC || is_byte);
}

static bool is_register_written(const Reg *reg)
{
    return reg->is_written || reg->is_result || reg->is_param;
}

enum { PEERS_NAMED = 3, PEER_BYTES = 60 };

/* What an instruction reads, number o: its operands, then its guard; NO_ID: nothing. */
static RegId read_at(const Func *func, const Insn *insn, uint32_t o)
{
    if (o == insn->operand_count)
        return insn->guard;
    const Operand *operand = &ptx_insn_operands(func, insn)[o];
    return operand->kind == OPERAND_REG && operand->role & ROLE_USE ? operand->id : NO_ID;
}

static bool is_read_before(const Func *func, const Insn *insn, uint32_t o)
{
    for (uint32_t i = 0; i < o; i++)
        if (read_at(func, insn, i) == read_at(func, insn, o))
            return true;
    return false;
}

/* Of the others at most `room` into peers. Returns how many there are. */
static uint32_t find_peers(FactCache *q, RegId reg, RegId *peers, uint32_t room)
{
    const Func *func = q->func;
    const InsnId *first = ptx_measure_first_reads(q), insn = first[reg];
    uint32_t count = 0;
    for (uint32_t o = 0; insn != NO_ID && o <= func->insns[insn].operand_count; o++) {
        const RegId other = read_at(func, &func->insns[insn], o);
        if (other == NO_ID || other == reg || first[other] != insn
            || is_register_written(&func->regs[other])
            || is_read_before(func, &func->insns[insn], o))
            continue;
        if (count < room)
            peers[count] = other;
        count++;
    }
    return count;
}

const char *ptx_measure_peers(FactCache *q, RegId reg)
{
    RegId peers[PEERS_NAMED];
    char text[PEERS_NAMED * (PEER_BYTES + 16) + 40] = "";
    const uint32_t count = find_peers(q, reg, peers, PEERS_NAMED),
                   named = count > PEERS_NAMED ? PEERS_NAMED - 1 : count;
    size_t length = 0;
    for (uint32_t i = 0; i < named; i++) {
        const Span name = ptx_reg_name(&q->func->regs[peers[i]]);
        const uint32_t bytes = ptx_span_length(name);
        const char *before = i ? ", `" : ", like `";
        if (i && i + 1 == count)
            before = " and `";
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%.*s%s`", before,
                                   (int)ptx_u32_min(bytes, PEER_BYTES),
                                   q->shared->module->text + name.begin,
                                   ptx_text_if(bytes > PEER_BYTES, "..."));
    }
    if (count > named)
        length += (size_t)snprintf(text + length, sizeof text - length, " and %u more",
                                   (unsigned)(count - named));
    return ptx_arena_strndup(q->arena, text, length);
}

double ptx_measure_register(FactCache *q, const Subjects *s, FactId fact)
{
    const Reg *reg = &q->func->regs[s->reg];
    InsnId first = NO_ID;
    switch (fact) {
    case FACT_REGISTER_type:        return reg->type;
    case FACT_REGISTER_is_written:
        return q->func->has_unknown ? UNKNOWN : is_register_written(reg);
    case FACT_REGISTER_is_read:
        return q->func->has_unknown ? UNKNOWN
                                    : reg->is_result || ptx_measure_first_reads(q)[s->reg] != NO_ID;
    case FACT_REGISTER_is_of_range: return reg->is_of_range;
    case FACT_REGISTER_is_merged:
        first = ptx_measure_first_reads(q)[s->reg];
        return first != NO_ID && may_not_matter(q->func, &q->func->insns[first], s->reg);
    default:                        return UNKNOWN;
    }
}

bool ptx_measure_is_never_false(const FactCache *q, uint32_t fact)
{
    if (fact != FACT_REGISTER_is_written)
        return false;
    for (RegId reg = 0; reg < q->func->reg_count && !q->func->has_unknown; reg++)
        if (!is_register_written(&q->func->regs[reg]))
            return false;
    return true;
}
