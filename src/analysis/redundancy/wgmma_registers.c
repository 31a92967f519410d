#include "analysis/redundancy/wgmma_registers.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"

#include <stdlib.h>
#include <string.h>
#include <stdbool.h>

enum {
    MAX_STATES = 1 << 21,      /* registers x blocks */
    MAX_ROUNDS = 64,
    IN_NO_GROUP = 1,            /* Flight.age; a group of the newest: 2 */
    OLDEST = 2 + 8,
};

typedef struct Flight {
    InsnId by;                  /* wgmma.mma_async */
    uint8_t age;                /* 0: not in flight */
    bool is_maybe;              /* there is a path on which it is not */
} Flight;

typedef struct WgmmaRegistersState {          /* of a register */
    Flight out, in;             /* as accumulator, as A */
    InsnId writer;              /* since the last fence, + 1; 0: none */
    bool is_writer_maybe;
} WgmmaRegistersState;

typedef struct WgmmaRegistersFlow {
    const Func *func;
    const Cfg *cfg;
    uint32_t *slot_of;          /* per register: its state, + 1; 0: it has none */
    uint32_t slot_count;
    /* per block and slot: at its beginning; at an instruction */
    WgmmaRegistersState *states, *now;
    bool *was_entered;          /* per block */
    /* per block: no fence has come, on 1: all, 2: some paths; 0: none */
    uint8_t *unfenced;
    uint8_t unfenced_now;
    MatrixFault *faults;        /* NULL: not the last round */
    uint32_t fault_count;
} WgmmaRegistersFlow;

/* ---- instructions ---------------------------------------------------------------------------- */

typedef enum WgmmaRegistersPart {
    PART_OTHER,
    PART_MMA,
    PART_FENCE,
    PART_COMMIT,
    PART_WAIT,
    PART_MOVE,
    PART_CALL,
    PART_LOAD,                  /* tcgen05.ld, */
    PART_LOADED                 /* and what waits for it */
} WgmmaRegistersPart;

static WgmmaRegistersPart part_of(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_WGMMA_MMA_ASYNC:    return PART_MMA;
    case OP_WGMMA_FENCE:        return PART_FENCE;
    case OP_WGMMA_COMMIT_GROUP: return PART_COMMIT;
    case OP_WGMMA_WAIT_GROUP:   return PART_WAIT;
    case OP_MOV:                return PART_MOVE;
    case OP_CALL:               return PART_CALL;
    case OP_TCGEN05_LD:         return PART_LOAD;
    case OP_TCGEN05_WAIT_LD:    return PART_LOADED;
    default:                    return PART_OTHER;
    }
}

static bool is_accumulator(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->position == 0;
}

/* Descriptors and the predicate stand alone. */
static bool is_of_a(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->position == 1
           && operand->flags & OPERAND_ELEMENT;
}

static bool has_asynchronous_results(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (func->insns[i].op->operation == OP_WGMMA_MMA_ASYNC
            || func->insns[i].op->operation == OP_TCGEN05_LD)
            return true;
    return false;
}

static WgmmaRegistersState *state_of(const WgmmaRegistersFlow *f, const Operand *operand)
{
    uint32_t slot = operand->kind == OPERAND_REG ? f->slot_of[operand->id] : 0;
    return slot ? &f->now[slot - 1] : NULL;
}

/* ---- which registers ------------------------------------------------------------------------- */

static bool give_slot(WgmmaRegistersFlow *f, const Operand *operand)
{
    if (operand->kind != OPERAND_REG || f->slot_of[operand->id])
        return false;
    f->slot_of[operand->id] = ++f->slot_count;
    return true;
}

/* The instruction gives the register to the tensor core, or waits for what loads it. */
static bool is_given_away(WgmmaRegistersPart part, const Operand *operand)
{
    if (part == PART_LOAD)
        return operand->kind == OPERAND_REG && operand->role & ROLE_DEF;
    return part == PART_MMA && (is_accumulator(operand) || is_of_a(operand));
}

/* Those of multiplications and loads, and what moves from one or to one. */
static void find_slots(WgmmaRegistersFlow *f)
{
    const Func *func = f->func;
    bool has_changed = true;
    for (unsigned round = 0; has_changed && round < MAX_ROUNDS; round++) {
        has_changed = false;
        for (InsnId i = 0; i < func->insn_count; i++) {
            const Insn *insn = &func->insns[i];
            const Operand *operands = ptx_insn_operands(func, insn);
            WgmmaRegistersPart part = part_of(insn->op);
            bool is_any = false;
            for (unsigned o = 0; o < insn->operand_count && part == PART_MOVE; o++)
                is_any |= operands[o].kind == OPERAND_REG && f->slot_of[operands[o].id];
            for (unsigned o = 0; o < insn->operand_count; o++)
                if (is_any || is_given_away(part, &operands[o]))
                    has_changed |= give_slot(f, &operands[o]);
        }
    }
}

/* ---- joining paths --------------------------------------------------------------------------- */

/* The youngest that may be in flight. */
static bool join_flight(Flight *into, const Flight *from)
{
    const Flight was = *into;
    if (!into->age || (from->age && from->age < into->age)) {
        into->age = from->age;
        into->by = from->by;
    }
    into->is_maybe = into->age && (was.is_maybe || from->is_maybe || !was.age || !from->age);
    return was.age != into->age || was.is_maybe != into->is_maybe || was.by != into->by;
}

static bool join_state(WgmmaRegistersState *into, const WgmmaRegistersState *from)
{
    const WgmmaRegistersState was = *into;
    bool has_changed = join_flight(&into->out, &from->out);
    has_changed |= join_flight(&into->in, &from->in);
    into->writer = was.writer ? was.writer : from->writer;
    into->is_writer_maybe = into->writer
                            && (was.is_writer_maybe || from->is_writer_maybe || !was.writer
                                || !from->writer);
    return has_changed || was.writer != into->writer
           || was.is_writer_maybe != into->is_writer_maybe;
}

static bool enter_wgmma_block(WgmmaRegistersFlow *f, BlockId block)
{
    WgmmaRegistersState *states = f->states + (size_t)block * f->slot_count;
    bool has_changed = !f->was_entered[block];
    uint8_t unfenced = f->unfenced[block];
    if (has_changed) {
        memcpy(states, f->now, f->slot_count * sizeof *states);
        f->unfenced[block] = f->unfenced_now;
        f->was_entered[block] = true;
        return true;
    }
    for (uint32_t s = 0; s < f->slot_count; s++)
        has_changed |= join_state(&states[s], &f->now[s]);
    f->unfenced[block] = unfenced == f->unfenced_now ? unfenced : 2;
    return has_changed || unfenced != f->unfenced[block];
}

/* ---- what instructions do -------------------------------------------------------------------- */

static void note_fault(WgmmaRegistersFlow *f, MatrixFault fault)
{
    if (f->faults && !(f->fault_count && f->faults[f->fault_count - 1].insn == fault.insn))
        f->faults[f->fault_count++] = fault;
}

static void note_flight(WgmmaRegistersFlow *f, InsnId insn, MatrixFaultKind kind,
                        const Operand *operand, const Flight *flight)
{
    const bool is_load = flight->age
                         && f->func->insns[flight->by].op->operation == OP_TCGEN05_LD;
    if (!flight->age || (is_load && kind != MATRIX_READ))
        return;
    MatrixFault fault = { .insn = insn,
                          .with = flight->by,
                          .reg = operand->id,
                          .kind = (uint8_t)(is_load ? MATRIX_LOADED : kind),
                          .is_committed = flight->age > IN_NO_GROUP,
                          .is_on_all_paths = !flight->is_maybe };
    if (fault.is_committed)
        fault.newer = (uint8_t)(flight->age - IN_NO_GROUP - 1);
    note_fault(f, fault);
}

static void multiply(WgmmaRegistersFlow *f, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    if (f->unfenced_now)
        note_fault(f, (MatrixFault){ .insn = id,
                                     .with = NO_ID,
                                     .reg = NO_ID,
                                     .kind = MATRIX_NO_FENCE,
                                     .is_on_all_paths = f->unfenced_now == 1 });
    for (unsigned o = 0; o < insn->operand_count; o++) {
        WgmmaRegistersState *s = is_accumulator(&operands[o]) || is_of_a(&operands[o])
                                     ? state_of(f, &operands[o])
                                     : NULL;
        if (s && s->writer)
            note_fault(f, (MatrixFault){ .insn = id,
                                         .with = s->writer - 1,
                                         .reg = operands[o].id,
                                         .kind = MATRIX_STALE_FENCE,
                                         .is_on_all_paths = !s->is_writer_maybe });
        if (s && is_of_a(&operands[o]))
            note_flight(f, id, MATRIX_READ, &operands[o], &s->out);
    }
    for (unsigned o = 0; o < insn->operand_count; o++) {
        WgmmaRegistersState *s = state_of(f, &operands[o]);
        if (s && (is_accumulator(&operands[o]) || is_of_a(&operands[o])))
            *(is_accumulator(&operands[o]) ? &s->out : &s->in) =
                (Flight){ id, IN_NO_GROUP, insn->guard != NO_ID };
    }
}

/* tcgen05.ld: what it writes is there behind a tcgen05.wait::ld. */
static void load_tensor(WgmmaRegistersFlow *f, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (is_given_away(PART_LOAD, &operands[o]))
            state_of(f, &operands[o])->out = (Flight){ id, IN_NO_GROUP, insn->guard != NO_ID };
}

static void age(Flight *flight)
{
    if (flight->age && flight->age < OLDEST)
        flight->age++;
}

/* All groups but the newest so many are done. */
static void land(Flight *flight, int64_t left)
{
    if (flight->age > IN_NO_GROUP && flight->age - IN_NO_GROUP - 1 >= left)
        *flight = (Flight){ .age = 0 };
}

/* The state goes where the value does: of several the youngest. */
static void move(WgmmaRegistersFlow *f, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    WgmmaRegistersState moved = { .writer = 0 };
    bool is_first = true;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        const WgmmaRegistersState *s = operands[o].role & ROLE_USE ? state_of(f, &operands[o])
                                                                   : NULL;
        if (!s)
            continue;
        if (is_first)
            moved = *s;
        else
            join_state(&moved, s);
        is_first = false;
    }
    for (unsigned o = 0; o < insn->operand_count; o++) {
        WgmmaRegistersState *s = operands[o].role & ROLE_DEF ? state_of(f, &operands[o]) : NULL;
        if (s && insn->guard == NO_ID)
            *s = moved;
        else if (s)
            join_state(s, &moved);
    }
}

static void touch_accumulators(WgmmaRegistersFlow *f, InsnId id, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(f->func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++) {
        const WgmmaRegistersState *s = state_of(f, &operands[o]);
        if (!s)
            continue;
        bool is_def = operands[o].role & ROLE_DEF;
        note_flight(f, id, is_def ? MATRIX_WRITTEN : MATRIX_READ, &operands[o], &s->out);
        if (is_def)
            note_flight(f, id, MATRIX_WRITTEN, &operands[o], &s->in);
    }
    for (unsigned o = 0; o < insn->operand_count; o++) {
        WgmmaRegistersState *s = operands[o].role & ROLE_DEF ? state_of(f, &operands[o]) : NULL;
        if (s)
            *s = (WgmmaRegistersState){ .writer = id + 1, .is_writer_maybe = insn->guard != NO_ID };
    }
}

static void step_over_wgmma(WgmmaRegistersFlow *f, InsnId id)
{
    const Insn *insn = &f->func->insns[id];
    const Operand *operands = ptx_insn_operands(f->func, insn);
    WgmmaRegistersPart part = part_of(insn->op);
    switch (part) {
    case PART_MMA:      multiply(f, id, insn); return;
    case PART_LOAD:     load_tensor(f, id, insn); return;
    case PART_MOVE:     move(f, insn); return;
    case PART_OTHER:    touch_accumulators(f, id, insn); return;
    case PART_CALL:
        memset(f->now, 0, f->slot_count * sizeof *f->now);
        f->unfenced_now = 0;
        return;
    case PART_LOADED:           /* under a guard it is that of the loads */
        memset(f->now, 0, f->slot_count * sizeof *f->now);
        return;
    case PART_FENCE:    f->unfenced_now = 0; break;
    default:            break;
    }
    for (uint32_t s = 0; s < f->slot_count; s++) {
        WgmmaRegistersState *state = &f->now[s];
        if (part == PART_FENCE)
            state->writer = 0;
        if (part == PART_COMMIT) {
            age(&state->out);
            age(&state->in);
        }
        if (part == PART_WAIT) {
            land(&state->out, insn->operand_count ? ptx_operand_value(operands) : 0);
            land(&state->in, insn->operand_count ? ptx_operand_value(operands) : 0);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool walk(WgmmaRegistersFlow *f)
{
    bool has_changed = false;
    for (uint32_t n = 0; n < f->cfg->rpo_count; n++) {
        BlockId b = f->cfg->rpo[n];
        const Block *block = &f->cfg->blocks[b];
        if (!f->was_entered[b])
            continue;
        memcpy(f->now, f->states + (size_t)b * f->slot_count, f->slot_count * sizeof *f->now);
        f->unfenced_now = f->unfenced[b];
        for (InsnId i = block->first; i < block->end; i++)
            step_over_wgmma(f, i);
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = f->cfg->succs[block->succ_first + e];
            has_changed |= to != EXIT_BLOCK && enter_wgmma_block(f, to);
        }
    }
    return has_changed;
}

const MatrixFaults *ptx_matrix_faults_compute(Arena *arena, Arena *scratch, const Func *func,
                                              const Cfg *cfg)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    MatrixFaults *out = ptx_arena_new(arena, MatrixFaults);
    if (!has_asynchronous_results(func))
        return out;
    WgmmaRegistersFlow f = { .func = func,
                             .cfg = cfg,
                             .slot_of = ptx_arena_array(scratch, uint32_t, func->reg_count) };
    bool goes_on = true;
    find_slots(&f);
    if ((uint64_t)f.slot_count * cfg->block_count > MAX_STATES || cfg->has_unknown_target) {
        ptx_arena_release(scratch, mark);
        return NULL;
    }
    f.states = ptx_arena_array(scratch, WgmmaRegistersState,
                               (size_t)f.slot_count * cfg->block_count);
    f.now = ptx_arena_array(scratch, WgmmaRegistersState, f.slot_count);
    f.was_entered = ptx_arena_array(scratch, bool, cfg->block_count);
    f.unfenced = ptx_arena_array(scratch, uint8_t, cfg->block_count);
    f.was_entered[cfg->rpo[0]] = true;
    /* the caller of another function may have had one */
    f.unfenced[cfg->rpo[0]] = func->is_entry;
    for (unsigned round = 0; goes_on && round < MAX_ROUNDS; round++)
        goes_on = walk(&f);
    if (!goes_on) {
        f.faults = ptx_arena_array(arena, MatrixFault, func->insn_count);
        walk(&f);
    }
    *out = (MatrixFaults){ f.faults, f.fault_count };
    ptx_arena_release(scratch, mark);
    return out;
}

static int compare_fault(const void *key, const void *item)
{
    InsnId a = *(const InsnId *)key, b = ((const MatrixFault *)item)->insn;
    return (a > b) - (a < b);
}

const MatrixFault *ptx_matrix_fault_at(const MatrixFaults *faults, InsnId insn)
{
    return faults && faults->count
               ? bsearch(&insn, faults->items, faults->count, sizeof *faults->items, compare_fault)
               : NULL;
}
