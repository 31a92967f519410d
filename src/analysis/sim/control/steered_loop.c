#include "analysis/sim/control/steered_loop.h"

#include "analysis/sim/control/loop_exit.h"
#include "ir/reg.h"
#include "ir/sreg.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/value.h"
#include "support/assert.h"
#include "support/hash.h"
#include "support/minmax.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_STEERED_STEPS = 1 << 12,        /* instructions of one walk */
    MAX_ENTRY_DEPTH = 6,                /* from a register at the loop's entry to constants */
    MAX_FN_ARGS = 4,
    MAX_OUTSIDE = 64,           /* definitions before the loop that what it begins with rests on */
    LOOKED_LANES = 3,           /* a warp stays as long as the lane that stays longest */
    SAMPLES = 64,
    /* of a sample: so often a number of 64 bits is halved, and a remainder of two taken, at most
     * [1]; what goes on for longer counts */
    MAX_SAMPLED_STAYS = 96,
};

typedef enum Knowledge { KNOWN_NOT, KNOWN, KNOWN_CHOSEN } Knowledge;

typedef enum Outcome { OUTCOME_FALSE, OUTCOME_TRUE, OUTCOME_MIXED, OUTCOME__COUNT } Outcome;

typedef struct LaneNumber {
    uint64_t number;
    uint8_t known;              /* Knowledge */
} LaneNumber;

typedef struct Steering {
    Machine *machine;
    Warp *warp;
    const FuncState *func_state;
    const Func *func;
    LoopId loop;
    unsigned lane;
    Outcome outcome;
    uint32_t chosen;            /* so far */
    bool is_ordered;            /* SteeredLoop's */
    unsigned sample;            /* what was loaded is this random number, + 1; 0: not known */
    unsigned depth;             /* of sampled_number */
    bool *is_own;               /* per register: an instruction of the loop writes it */
    bool *is_written, *is_written_again;        /* per register: some instruction does; another */
    /* per register: its definition before the loop is followed, for a block in the middle of the
     * grid: the first one, which runs, may have next to nothing to search */
    bool *is_outside;
    InsnId outside[MAX_OUTSIDE];        /* those definitions, in order */
    unsigned outside_count;
    LaneNumber *regs;               /* per register that is either */
} Steering;

/* ---- operands -------------------------------------------------------------------------------- */

static LaneNumber machine_number(const Steering *s, const Operand *operand, Type type)
{
    Scratch room;
    const Value *value = ptx_machine_read(s->machine, s->warp, operand, &room);
    if (operand->kind == OPERAND_F64)
        ptx_machine_narrow(operand, type, &room);
    bool is_known = !(value->unknown >> s->lane & 1) && !value->addend;
    return (LaneNumber){ ptx_value_lane(value, s->lane), is_known ? KNOWN : KNOWN_NOT };
}

static LaneNumber sampled_number(const Steering *s, RegId reg);

static LaneNumber steered_number(const Steering *s, const Operand *operand, Type type)
{
    const bool is_block = operand->kind == OPERAND_SREG && operand->id == SREG_CTAID && !s->sample
                          && !s->machine->grid_is_assumed;
    const int64_t dim = is_block ? ptx_operand_value(operand) : -1;
    if (dim >= 0 && dim < 3)
        return (LaneNumber){ s->machine->grid[dim] / 2, KNOWN };
    if (operand->kind != OPERAND_REG || !(s->is_own[operand->id] || s->is_outside[operand->id])) {
        LaneNumber known = machine_number(s, operand, type);
        bool is_sampled = s->sample && known.known == KNOWN_NOT && operand->kind == OPERAND_REG
                          && !operand->flags;
        return is_sampled ? sampled_number(s, operand->id) : known;
    }
    LaneNumber out = s->regs[operand->id];
    if (operand->flags & (OPERAND_COMPONENT | OPERAND_MINUS))
        out.known = KNOWN_NOT;
    if (operand->flags & OPERAND_NEGATED)
        out.number = !out.number;
    return out;
}

static LaneNumber steered_guard(const Steering *s, const Insn *insn)
{
    const Operand guard = { .kind = OPERAND_REG,
                            .id = insn->guard,
                            .flags = insn->guard_negated ? OPERAND_NEGATED : 0 };
    return steered_number(s, &guard, TYPE_PRED);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool choose_outcome(Steering *s)
{
    uint32_t n = s->chosen++;
    bool is_mixed = (n * UINT32_C(2654435769) >> 30 & 1) != 0;
    return s->outcome == OUTCOME_MIXED ? is_mixed : s->outcome == OUTCOME_TRUE;
}

static LaneNumber lanewise_result(const Steering *s, const Insn *insn, const Decoded *code)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    const Lanewise *op = &code->lanewise;
    const unsigned count = insn->operand_count - 1;
    uint64_t x[MAX_FN_ARGS] = { 0 };
    uint8_t known = KNOWN;
    if (!op->fn || op->takes_carry || (op->is_chained && count > 2) || !count
        || count > MAX_FN_ARGS)
        return (LaneNumber){ 0 };
    for (unsigned o = 0; o < count; o++) {
        if (operands[o + 1].flags & OPERAND_RIGHT)
            return (LaneNumber){ 0 };
        LaneNumber arg = steered_number(s, &operands[o + 1], (Type)op->type);
        bool is_choice = code->action == ACTION_CHOOSE && o == 2;
        if (arg.known == KNOWN_NOT)
            return (LaneNumber){ 0 };
        known = arg.known == KNOWN_CHOSEN && !is_choice ? KNOWN_CHOSEN : known;
        x[o] = arg.number;
    }
    return (LaneNumber){ op->fn(op, x[0], x[1], x[2], x[3]), known };
}

static LaneNumber moved_number(const Steering *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    bool is_plain = insn->operand_count == 2
                    && !((operands[0].flags | operands[1].flags) & OPERAND_COMPONENT);
    return is_plain ? steered_number(s, &operands[1], (Type)insn->op->type) : (LaneNumber){ 0 };
}

/* What it leaves in its first operand. */
static LaneNumber insn_result(const Steering *s, const Insn *insn)
{
    const Decoded *code = ptx_machine_code(s->machine, insn->op);
    switch ((Action)code->action) {
    case ACTION_LANEWISE: case ACTION_CHOOSE:
        return lanewise_result(s, insn, code);
    case ACTION_MOVE:
        return moved_number(s, insn);
    default:
        return (LaneNumber){ 0 };
    }
}

/* Of a comparison whose outcome is not known: whether one side is, and stays as it is. */
static bool compares_with_known(const Steering *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    bool is_any = false;
    for (uint32_t o = 1; o < insn->operand_count && insn->op->kind == OPK_SETP; o++)
        is_any |= !(operands[o].kind == OPERAND_REG && s->is_own[operands[o].id])
                  && machine_number(s, &operands[o], (Type)insn->op->type).known == KNOWN;
    return is_any;
}

static void steer_insn(Steering *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    bool is_conditional = insn->guard != NO_ID;
    LaneNumber guard = is_conditional ? steered_guard(s, insn) : (LaneNumber){ 1, KNOWN };
    if (guard.known != KNOWN_NOT && !guard.number)
        return;
    LaneNumber result = { 0 };
    if (guard.known != KNOWN_NOT && insn->operand_count)
        result = insn_result(s, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&operands[o]))
            continue;
        LaneNumber *to = &s->regs[operands[o].id];
        bool is_predicate = s->func->regs[operands[o].id].type == TYPE_PRED;
        *to = result;
        if (o)
            *to = (LaneNumber){ 0 };
        if (to->known == KNOWN_NOT && is_predicate && !s->sample) {
            *to = (LaneNumber){ choose_outcome(s), KNOWN_CHOSEN };
            s->is_ordered &= compares_with_known(s, insn);
        }
    }
}

/* ---- at the loop's entry --------------------------------------------------------------------- */

static InsnId header_of(const Steering *s)
{
    return s->func_state->cfg->blocks[s->func_state->loops->loops[s->loop].header].first;
}

static InsnId entry_definition(const Steering *s, RegId reg, InsnId before)
{
    for (InsnId i = before; i-- > 0;) {
        const Operand *operands = ptx_insn_operands(s->func, &s->func->insns[i]);
        for (uint32_t o = 0; o < s->func->insns[i].operand_count; o++)
            if (ptx_operand_is_def(&operands[o]) && operands[o].id == reg)
                return i;
    }
    return NO_ID;
}

/* It is passed on each way to the loop. */
static bool is_plain_definition(const Steering *s, InsnId def)
{
    return def != NO_ID && s->func->insns[def].guard == NO_ID
           && ptx_insn_operands(s->func, &s->func->insns[def])->kind == OPERAND_REG
           && ptx_dom_dominates(s->func_state->dom, s->func_state->cfg->block_of[def],
                                s->func_state->loops->loops[s->loop].header);
}

/* Uniform: all bits of an integer, floating point from 0 to 1. */
static LaneNumber random_number(const Steering *s, RegId reg, Type type)
{
    uint64_t bits = ptx_hash_mix((uint64_t)reg << 32 | s->sample);
    const unsigned width = ptx_type_info[type].bits;
    const bool is_float = ptx_type_info[type].kind == KIND_FLOAT;
    if (width > 64 || (is_float && width < 32))
        return (LaneNumber){ 0 };
    if (is_float && width == 32) {
        float narrow = (float)(bits >> 40) * 0x1p-24f;
        uint32_t pattern;
        memcpy(&pattern, &narrow, sizeof pattern);
        bits = pattern;
    } else if (is_float) {
        double wide = (double)(bits >> 11) * 0x1p-53;
        memcpy(&bits, &wide, sizeof bits);
    }
    return (LaneNumber){ ptx_lane_extend(bits, type), KNOWN };
}

static bool loads_data(const Insn *insn)
{
    return insn->op->kind == OPK_LD && insn->op->space != SPACE_PARAM
           && insn->op->space != SPACE_PARAM_ENTRY;
}

/* A number of the launch, or what is taken for it. */
static LaneNumber param_number(const Steering *s, const Insn *insn)
{
    const Machine *m = s->machine;
    const Operand *from = ptx_address_nth(s->func, insn, 0);
    unsigned bytes = ptx_type_info[insn->op->type].bits / 8, known = 0;
    uint64_t number = 0;
    if (!from || from->kind != OPERAND_VAR || s->warp->frame->caller || !bytes || bytes > 8
        || insn->operand_count != 2 || !ptx_machine_placed(m, from->id))
        return (LaneNumber){ 0 };
    uint64_t at = ptx_machine_placed(m, from->id)->address + (uint64_t)ptx_operand_value(from);
    if (at > m->param_size || bytes > m->param_size - at)
        return (LaneNumber){ 0 };
    for (unsigned b = 0; b < bytes; b++) {
        number |= (uint64_t)m->param_bytes[at + b] << (8 * b);
        known += m->param_known[at + b] == 1;
    }
    if (known == bytes)
        return (LaneNumber){ ptx_lane_extend(number, (Type)insn->op->type), KNOWN };
    bool is_guess = m->param_guess[at] == bytes;        /* and named so already */
    return (LaneNumber){ ptx_machine_guess(at, bytes, false), is_guess ? KNOWN : KNOWN_NOT };
}

/* What a definition before the loop leaves in its first operand. */
static LaneNumber defined_number(const Steering *s, const Insn *insn)
{
    return insn->op->space == SPACE_PARAM || insn->op->space == SPACE_PARAM_ENTRY
               ? param_number(s, insn)
               : insn_result(s, insn);
}

static LaneNumber at_entry(Steering *s, RegId reg, InsnId before, unsigned depth)
{
    InsnId def = depth ? entry_definition(s, reg, before) : NO_ID;
    if (!is_plain_definition(s, def))
        return (LaneNumber){ 0 };
    const Insn *insn = &s->func->insns[def];
    const Operand *operands = ptx_insn_operands(s->func, insn);
    if (s->sample && loads_data(insn))
        return random_number(s, reg, (Type)insn->op->type);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
            && s->is_own[operands[o].id])
            s->regs[operands[o].id] = at_entry(s, operands[o].id, def, depth - 1);
    if (operands[0].kind != OPERAND_REG || operands[0].id != reg)
        return (LaneNumber){ 0 };
    return defined_number(s, insn);
}

static int by_insn_id(const void *a, const void *b)
{
    const InsnId x = *(const InsnId *)a, y = *(const InsnId *)b;
    return x < y ? -1 : x > y;
}

/* What a definition before the loop takes from others. */
static void follow_outside(Steering *s, InsnId def)
{
    const Insn *insn = &s->func->insns[def];
    const Operand *operands = ptx_insn_operands(s->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const RegId reg = operands[o].id;
        if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_USE) || s->is_own[reg]
            || s->is_written_again[reg] || s->is_outside[reg] || s->outside_count == MAX_OUTSIDE)
            continue;
        const InsnId from = entry_definition(s, reg, def);
        if (!is_plain_definition(s, from) || loads_data(&s->func->insns[from])
            || ptx_insn_operands(s->func, &s->func->insns[from])->id != reg)
            continue;
        s->is_outside[reg] = true;
        s->outside[s->outside_count++] = from;
    }
}

static void find_outside(Steering *s)
{
    for (RegId r = 0; r < s->func->reg_count; r++) {
        const InsnId def = s->is_own[r] ? entry_definition(s, r, header_of(s)) : NO_ID;
        if (is_plain_definition(s, def))
            follow_outside(s, def);
    }
    for (unsigned i = 0; i < s->outside_count; i++)
        follow_outside(s, s->outside[i]);
    qsort(s->outside, s->outside_count, sizeof *s->outside, by_insn_id);
}

/* What cannot be followed is as in the block that runs. */
static void enter_outside(Steering *s)
{
    for (unsigned i = 0; i < s->outside_count; i++) {
        const Insn *insn = &s->func->insns[s->outside[i]];
        const Operand *to = ptx_insn_operands(s->func, insn);
        LaneNumber found = defined_number(s, insn);
        if (found.known == KNOWN_NOT)
            found = machine_number(s, to, (Type)insn->op->type);
        s->regs[to->id] = found;
    }
}

/* Of a register that no instruction of the loop writes, and that data make. */
static LaneNumber sampled_number(const Steering *s, RegId reg)
{
    Steering deeper = *s;
    InsnId def = entry_definition(s, reg, header_of(s));
    if (def == NO_ID || ++deeper.depth > MAX_ENTRY_DEPTH || s->func->insns[def].guard != NO_ID)
        return (LaneNumber){ 0 };
    const Insn *insn = &s->func->insns[def];
    const Operand *operands = ptx_insn_operands(s->func, insn);
    if (loads_data(insn))
        return random_number(s, reg, (Type)insn->op->type);
    return operands[0].kind == OPERAND_REG && operands[0].id == reg ? insn_result(&deeper, insn)
                                                                    : (LaneNumber){ 0 };
}

static void mark_own(Steering *s)
{
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(s->func, &s->func->insns[i]);
        bool is_inside = ptx_loop_has(s->func_state, s->loop, i);
        for (uint32_t o = 0; o < s->func->insns[i].operand_count; o++)
            if (ptx_operand_is_def(&operands[o])) {
                const RegId reg = operands[o].id;
                s->is_own[reg] |= is_inside;
                s->is_written_again[reg] |= s->is_written[reg];
                s->is_written[reg] = true;
            }
    }
}

static void enter_loop(Steering *s, LaneNumber *entry)
{
    enter_outside(s);
    for (unsigned i = 0; i < s->outside_count; i++) {
        const RegId reg = ptx_insn_operands(s->func, &s->func->insns[s->outside[i]])->id;
        entry[reg] = s->regs[reg];
    }
    for (RegId r = 0; r < s->func->reg_count; r++)
        if (s->is_own[r])
            entry[r] = at_entry(s, r, header_of(s), MAX_ENTRY_DEPTH);
}

/* ---- the way through ------------------------------------------------------------------------- */

static InsnId branch_target(const Steering *s, const Insn *insn)
{
    const Operand *to = ptx_insn_operands(s->func, insn);
    return insn->operand_count && to->kind == OPERAND_TARGET ? s->func->labels[to->id].insn
                                                             : NO_ID;
}

/* NO_ID: it leaves the loop; the branch itself: that is not known. */
static InsnId behind_branch(const Steering *s, InsnId at)
{
    const Insn *insn = &s->func->insns[at];
    const InsnId target = branch_target(s, insn);
    if (target == NO_ID)
        return at;
    bool stays_taken = ptx_loop_has(s->func_state, s->loop, target),
         stays_falling = ptx_loop_has(s->func_state, s->loop, at + 1);
    if (insn->guard == NO_ID)
        return stays_taken ? target : NO_ID;
    LaneNumber guard = steered_guard(s, insn);
    if (guard.known == KNOWN_NOT)
        return at;
    bool is_taken = guard.number != 0;
    /* what data may end goes on: it ends by what is known, or it is none of these loops */
    if (guard.known == KNOWN_CHOSEN && stays_taken != stays_falling)
        is_taken = stays_taken;
    if (!(is_taken ? stays_taken : stays_falling))
        return NO_ID;
    return is_taken ? target : at + 1;
}

static int64_t walk_steered(Steering *s, InsnId branch)
{
    InsnId at = header_of(s);
    int64_t stays = 0;
    for (unsigned step = 0; step < MAX_STEERED_STEPS; step++) {
        const Insn *insn = &s->func->insns[at];
        Action action = (Action)ptx_machine_code(s->machine, insn->op)->action;
        InsnId next = at + 1;
        if (action == ACTION_BRANCH)
            next = behind_branch(s, at);
        else if (action == ACTION_EXIT || action == ACTION_RETURN || action == ACTION_CALL
                 || action == ACTION_INDEXED)
            return -1;
        else
            steer_insn(s, insn);
        if (next == NO_ID || !ptx_loop_has(s->func_state, s->loop, next))
            return stays;
        if (next == at)
            return -1;
        stays += at == branch;
        at = next;
    }
    return -1;
}

/* How often the branch stays in its loop on average, where what was loaded before it is random;
 * -1: it does not come to an end by that alone, or goes on for long. */
static int64_t sampled_stays(Steering *s, InsnId branch)
{
    int64_t sum = 0;
    s->outcome = OUTCOME_FALSE;
    for (s->sample = 1; s->sample <= SAMPLES; s->sample++) {
        memset(s->regs, 0, (s->func->reg_count + 1) * sizeof *s->regs);
        LaneNumber *entry = ptx_arena_array(s->machine->scratch, LaneNumber,
                                            s->func->reg_count + 1);
        enter_loop(s, entry);
        memcpy(s->regs, entry, (s->func->reg_count + 1) * sizeof *entry);
        int64_t stays = walk_steered(s, branch);
        if (stays < 0 || stays > MAX_SAMPLED_STAYS)
            return -1;
        sum += stays;
    }
    return (sum + SAMPLES / 2) / SAMPLES;
}

/* Of one lane. */
static int64_t lane_stays(Steering *s, InsnId branch)
{
    ArenaMark mark = ptx_arena_mark(s->machine->scratch);
    LaneNumber *entry = ptx_arena_array(s->machine->scratch, LaneNumber, s->func->reg_count + 1);
    int64_t stays = 0;
    enter_loop(s, entry);
    for (unsigned o = 0; o < OUTCOME__COUNT && stays >= 0; o++) {
        s->outcome = (Outcome)o;
        memcpy(s->regs, entry, (s->func->reg_count + 1) * sizeof *entry);
        stays = walk_steered(s, branch);
    }
    ptx_arena_release(s->machine->scratch, mark);
    return stays;
}

/* The first, one in the middle, the last of those. */
static unsigned lane_at(uint32_t lanes, unsigned which)
{
    for (unsigned skip = which * (ptx_lanes_count(lanes) - 1) / (LOOKED_LANES - 1); skip; skip--)
        lanes &= lanes - 1;
    return (unsigned)__builtin_ctz(lanes);
}

SteeredLoop ptx_steered_loop_find(Machine *m, Warp *w, InsnId branch)
{
    const FuncState *func_state = w->frame->func_state;
    ASSERT(!ptx_slice_shares_places(&func_state->slice));
    ArenaMark mark = ptx_arena_mark(m->scratch);
    Steering s = { .machine = m,
                   .warp = w,
                   .func_state = func_state,
                   .func = func_state->func,
                   .is_ordered = true,
                   .loop = func_state->loops->loop_of[func_state->cfg->block_of[branch]] };
    s.is_own = ptx_arena_array(m->scratch, bool, s.func->reg_count + 1);
    s.regs = ptx_arena_array(m->scratch, LaneNumber, s.func->reg_count + 1);
    s.is_written = ptx_arena_array(m->scratch, bool, s.func->reg_count + 1);
    s.is_written_again = ptx_arena_array(m->scratch, bool, s.func->reg_count + 1);
    s.is_outside = ptx_arena_array(m->scratch, bool, s.func->reg_count + 1);
    mark_own(&s);
    if (!m->grid_is_assumed)
        find_outside(&s);
    const InsnId target = branch_target(&s, &s.func->insns[branch]);
    int64_t stays = ptx_loop_exit_side(func_state, branch, target) ? 0 : -1;
    const uint32_t lanes = w->entries[w->entry_count - 1].lanes;
    for (unsigned i = 0; i < LOOKED_LANES && stays >= 0; i++) {
        s.lane = lane_at(lanes, i);
        const int64_t found = lane_stays(&s, branch);
        stays = found < 0 ? found : ptx_i64_max(stays, found);
    }
    SteeredLoop out = { stays, s.is_ordered, false };
    if (stays < 0 && !ptx_loop_exit_counts(s.func, branch)) {
        out.stays = sampled_stays(&s, branch);
        out.is_sampled = out.stays >= 0;
    }
    ptx_arena_release(m->scratch, mark);
    return out;
}
