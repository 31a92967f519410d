#include "analysis/sim/cost/leading_loads.h"

#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/hash.h"

typedef struct LeadingWalk {
    const Func *func;
    const Defs *defs;
    RegId regs[MAX_LEADING_REGS];
    uint32_t count;             /* of regs: come to */
    LeadingLoads found;
    bool is_lost;
} LeadingWalk;

static void come_to(LeadingWalk *w, RegId reg)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->regs[i] == reg)
            return;
    if (w->count == MAX_LEADING_REGS)
        w->is_lost = true;
    else
        w->regs[w->count++] = reg;
}

static void come_to_operands(LeadingWalk *w, const Insn *insn, unsigned role)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & role)
            come_to(w, operands[o].id);
}

static void lead_by(LeadingWalk *w, InsnId load)
{
    for (unsigned i = 0; i < w->found.count; i++)
        if (w->found.loads[i] == load)
            return;
    if (w->found.count == MAX_LEADING_LOADS)
        w->is_lost = true;
    else
        w->found.loads[w->found.count++] = load;
}

static bool is_of_launch(const Op *op)
{
    return op->space == SPACE_PARAM || op->space == SPACE_CONST;
}

/* Loads of other memory, atomics, shuffles and calls hand over what no place says. */
static void go_to_sources(LeadingWalk *w, InsnId id)
{
    const Insn *insn = &w->func->insns[id];
    const Op *op = insn->op;
    if (op->kind == OPK_LD && is_of_launch(op))
        return;
    if (op->kind == OPK_LD && (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC))
        lead_by(w, id);
    else if (op->kind == OPK_LD || op->kind == OPK_ATOM || op->kind == OPK_CALL
             || op->kind == OPK_LDMATRIX || op->kind == OPK_SURFACE || op->operation == OP_SHFL)
        w->is_lost = true;
    else
        come_to_operands(w, insn, ROLE_USE);
}

static LeadingLoads find_leading(const Func *func, const Defs *defs, const Insn *insn)
{
    LeadingWalk w = { .func = func, .defs = defs };
    come_to_operands(&w, insn, ROLE_ADDRESS);
    for (uint32_t i = 0; i < w.count && !w.is_lost; i++) {
        w.is_lost |= ptx_defs_count(defs, w.regs[i]) > MAX_DEFS;
        for (uint32_t d = defs->first[w.regs[i]]; d < defs->first[w.regs[i] + 1] && !w.is_lost; d++)
            go_to_sources(&w, defs->insns[d]);
    }
    w.found.count = w.is_lost ? 0 : w.found.count;
    return w.found;
}

static bool may_be_led(const Op *op)
{
    return (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC)
           && (op->kind == OPK_LD || op->kind == OPK_ST || op->kind == OPK_ATOM
               || op->kind == OPK_RED || op->kind == OPK_CP_ASYNC);
}

LeadingTable *ptx_leading_loads_compute(Arena *arena, const Func *func, const Cfg *cfg,
                                        const Loops *loops)
{
    const Defs *defs = ptx_defs_compute(arena, func, cfg, loops);
    LeadingTable *table = ptx_arena_new(arena, LeadingTable);
    *table = (LeadingTable){ .func = func,
                             .of = ptx_arena_array(arena, LeadingLoads, func->insn_count + 1),
                             .places = ptx_arena_array(arena, uint32_t *, func->insn_count + 1) };
    for (InsnId i = 0; i < func->insn_count; i++) {
        if (!func->insns[i].op || !may_be_led(func->insns[i].op))
            continue;
        const LeadingLoads found = find_leading(func, defs, &func->insns[i]);
        table->of[i] = found;
        for (unsigned l = 0; l < found.count; l++)
            if (!table->places[found.loads[l]])
                table->places[found.loads[l]] = ptx_arena_array(arena, uint32_t,
                                                                MAX_LEADING_WARPS);
    }
    return table;
}

uint32_t ptx_leading_identity(const LeadingTable *table, InsnId insn, uint32_t warp)
{
    const LeadingLoads *leading = &table->of[insn];
    uint64_t identity = 0;
    for (unsigned l = 0; l < leading->count; l++) {
        const uint32_t place = table->places[leading->loads[l]][warp % MAX_LEADING_WARPS];
        if (!place)
            return 0;
        identity = ptx_hash_add(identity, place);
    }
    return leading->count ? (uint32_t)identity | 1 : 0;
}

void ptx_leading_note(LeadingTable *table, InsnId insn, uint32_t warp, uint64_t place)
{
    if (!table->places[insn])
        return;
    const uint64_t led = ptx_hash_add(place, ptx_leading_identity(table, insn, warp));
    table->places[insn][warp % MAX_LEADING_WARPS] = (uint32_t)ptx_hash_mix(led) | 1;
}
