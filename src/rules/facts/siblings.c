/* Facts of the accesses around one that share its base register. */
#include "rules/facts/facts.h"

#include "support/minmax.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"
#include "analysis/sim/count.h"

#include <math.h>

enum { SECTOR_BYTES = 32 };

static const Operand *address_of(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS)
            return operands[o].kind == OPERAND_REG ? &operands[o] : NULL;
    return NULL;
}

typedef struct Siblings {
    uint32_t count;
    int64_t stride;
    uint64_t used[64];          /* bytes of one period that some lane uses, as bits */
} Siblings;

enum {
    MAX_PERIOD = 64 * 64,
    NEAR = 2048,                /* instructions before and behind an access that are looked at */
};

static void add_sibling(Siblings *s, int64_t offset, int64_t own, uint32_t bytes)
{
    /* both may be near the ends of 64 bits */
    uint64_t apart = (uint64_t)offset - (uint64_t)own + SECTOR_BYTES - 1;
    s->count += apart < 2 * SECTOR_BYTES - 1;
    for (uint32_t b = 0; b < bytes && s->stride; b++) {
        int64_t at = (offset % s->stride + (int64_t)b) % s->stride;
        at += at < 0 ? s->stride : 0;
        s->used[at / 64] |= UINT64_C(1) << (at % 64);
    }
}

/* Registers that one instruction alone writes. */
static const uint8_t *written_of(FactCache *q)
{
    if (q->written)
        return q->written;
    uint8_t *written = ptx_arena_array(q->arena, uint8_t, q->func->reg_count + 1);
    for (uint32_t o = 0; o < q->func->operand_count; o++) {
        const Operand *operand = &q->func->operands[o];
        if (operand->kind == OPERAND_REG && operand->role & ROLE_DEF && written[operand->id] < 2)
            written[operand->id]++;
    }
    return q->written = written;
}

/* Registers that an instruction writes: an access behind it goes by another address, unless no
 * other instruction writes the register. */
static void end_chains(const Func *func, const Insn *insn, const uint8_t *written, InsnId *last)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
            && written[operands[o].id] != 1)
            last[operands[o].id] = 0;
}

static const BaseChain *chains_of(FactCache *q)
{
    const Func *func = q->func;
    if (q->base_chains)
        return q->base_chains;
    const uint8_t *written = written_of(q);
    BaseChain *chains = ptx_arena_array(q->arena, BaseChain, func->insn_count + 1);
    InsnId *last = ptx_arena_array(q->arena, InsnId, func->reg_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *address = address_of(func, &func->insns[i]);
        if (address && last[address->id]) {
            chains[i].before = last[address->id];
            chains[last[address->id] - 1].behind = i + 1;
        }
        if (address)
            last[address->id] = i + 1;
        end_chains(func, &func->insns[i], written, last);
    }
    return q->base_chains = chains;
}

static void take_other(const Func *func, const Insn *own, const Operand *address, InsnId other,
                       Siblings *s)
{
    const Insn *insn = &func->insns[other];
    bool is_like = own->op->kind == insn->op->kind || insn->op->kind == OPK_LD
                   || insn->op->kind == OPK_ST;
    if (is_like && insn->access_bytes)
        add_sibling(s, ptx_operand_value(address_of(func, insn)), ptx_operand_value(address),
                    insn->access_bytes);
}

/* As long as nothing writes the base register: of the basic block, or of what stands near where one
 * instruction alone writes it. */
static void find_siblings(FactCache *q, const Subjects *subject, const Operand *address,
                          Siblings *s)
{
    const Func *func = q->func;
    const Insn *own = &func->insns[subject->insn];
    const Block *block = &q->cfg->blocks[subject->block];
    const BaseChain *chains = chains_of(q);
    InsnId first = block->first, end = block->end;
    if (written_of(q)[address->id] == 1) {
        first = subject->insn > NEAR ? subject->insn - NEAR : 0;
        end = func->insn_count - subject->insn > NEAR ? subject->insn + NEAR : func->insn_count;
    }
    take_other(func, own, address, subject->insn, s);
    for (InsnId i = chains[subject->insn].before; i > first; i = chains[i - 1].before)
        take_other(func, own, address, i - 1, s);
    for (InsnId i = chains[subject->insn].behind; i && i <= end; i = chains[i - 1].behind)
        take_other(func, own, address, i - 1, s);
}

/* Whole sectors that hold a byte in use: where the period is no multiple of a sector, lanes lie at
 * all offsets, and all of it is moved. */
static double share_in_use(const Siblings *s)
{
    unsigned used = 0, moved = 0;
    for (int64_t sector = 0; sector < s->stride; sector += SECTOR_BYTES) {
        unsigned here = 0;
        for (int64_t b = sector; b < sector + SECTOR_BYTES && b < s->stride; b++)
            here += s->used[b / 64] >> (b % 64) & 1;
        used += here;
        if (here || s->stride % SECTOR_BYTES)
            moved += (unsigned)ptx_i64_min(s->stride - sector, SECTOR_BYTES);
    }
    return moved ? 100.0 * used / moved : UNKNOWN;
}

/* Of lanes in rows that lie apart: what the access itself uses, and as much for each that lies
 * beside it. */
static double share_in_rows(const Count *total, uint32_t siblings)
{
    double own = 100 * total->used_bytes / (SECTOR_BYTES * total->sectors);
    return total->sectors > 0 ? fmin(100, siblings * own) : UNKNOWN;
}

double ptx_measure_siblings(FactCache *q, const Subjects *subject, FactId fact, const Count *total)
{
    const Operand *address = address_of(q->func, &q->func->insns[subject->insn]);
    const uint64_t stride = total ? ptx_i64_magnitude(total->stride) : 0;
    Siblings s = { .stride = stride > MAX_PERIOD ? 0 : (int64_t)stride };
    if (fact == FACT_ACCESS_used_together && (!total || total->is_free || s.stride == 0))
        return UNKNOWN;
    if (!address)
        return fact == FACT_ACCESS_siblings ? 1 : UNKNOWN;
    find_siblings(q, subject, address, &s);
    if (fact == FACT_ACCESS_siblings)
        return s.count;
    return total->pattern == PATTERN_ROWS ? share_in_rows(total, s.count) : share_in_use(&s);
}
