#include "analysis/time/memory/data_source.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/count.h"
#include "analysis/sim/value.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "isa/isa.h"

#include <limits.h>
#include <math.h>

enum { WALKS = 3, MOST_LEADERS = 8, WARP = 32, MOST_ELEMENT = 16 };

typedef struct DataState {      /* of a register */
    InsnId leader;
    uint32_t param;
    double scale;
    bool has_lane;
    /* bytes from one thread of x to the next; 0: not known, or there is none */
    double lane_scale;
    /* the same, of a thread's number that was added to what was loaded */
    double added_scale;
    /* without a leader: it was counted, by lanes or threads together */
    bool is_rank;
    uint8_t grid_dims;
} DataState;

typedef struct DataWalk {
    const Func *func;
    const Lanewise *ops;        /* per instruction */
    DataState *states;          /* per register */
    DataState shared;           /* what was last stored to shared memory, of what data lead */
    bool is_counted;            /* what was last stored there no data lead */
    bool has_copies;            /* of global memory to shared: who loads there loads data */
    InsnId *handed;             /* per load of shared memory: what leads what it loads; NO_ID */
} DataWalk;

static const DataState no_state = { .leader = NO_ID, .param = NO_ID };

/* ---- registers ------------------------------------------------------------------------------- */

static DataState state_of_operand(const DataWalk *w, const Operand *operand)
{
    DataState out = no_state;
    if (operand->kind == OPERAND_REG)
        return w->states[operand->id];
    if (operand->kind == OPERAND_SREG)
        out.has_lane = operand->id == SREG_TID || operand->id == SREG_LANEID;
    if (out.has_lane)
        out.lane_scale = ptx_operand_value(operand) ? 0 : 1;
    if (operand->kind == OPERAND_SREG && operand->id == SREG_CTAID)
        out.grid_dims = (uint8_t)(1u << ptx_operand_value(operand));
    return out;
}

/* Of two leaders the later one: what a loop loads leads what comes after, whatever began it. */
static void merge_state(DataState *to, const DataState *from)
{
    if (from->leader != NO_ID && (to->leader == NO_ID || from->leader > to->leader)) {
        to->leader = from->leader;
        to->scale = from->scale;
    } else if (to->leader == NO_ID && from->is_rank) {
        to->scale = from->scale;
    }
    to->is_rank |= from->is_rank;
    if (from->lane_scale > 0)   /* a warp's number times its bytes, and a lane's */
        to->lane_scale = to->lane_scale > 0 ? fmin(to->lane_scale, from->lane_scale)
                                            : from->lane_scale;
    to->added_scale = to->added_scale > 0 ? to->added_scale : from->added_scale;
    to->param = to->param == NO_ID ? from->param : to->param;
    to->has_lane |= from->has_lane;
    to->grid_dims |= from->grid_dims;
}

/* What a factor makes of the bytes between two indices: only a constant is known. */
static double scaled(double scale, Transfer transfer, const Operand *by)
{
    if (!(scale > 0))
        return 0;
    bool is_number = by && by->kind == OPERAND_INT && ptx_operand_value(by) >= 0;
    switch (transfer) {
    case TRANSFER_MUL: case TRANSFER_MAD:
        return is_number ? scale * (double)ptx_operand_value(by) : (double)INFINITY;
    case TRANSFER_SHL: case TRANSFER_INSERT:    /* from that bit on */
        return is_number && ptx_operand_value(by) < 64 ? ldexp(scale, (int)ptx_operand_value(by))
                                                       : (double)INFINITY;
    case TRANSFER_SHR:          /* by more it is a sign, or a hash's */
        return is_number && ptx_operand_value(by) <= PACKED_BITS
                   ? ldexp(scale, -(int)ptx_operand_value(by))
                   : scale;
    default:
        return scale;
    }
}

static bool is_factor(Transfer transfer, unsigned use)
{
    return transfer == TRANSFER_MUL || transfer == TRANSFER_SHL
           || (transfer == TRANSFER_MAD && use < 2);
}

static bool is_sum(Transfer transfer)
{
    return transfer == TRANSFER_ADD || transfer == TRANSFER_MAD;
}

static DataState state_combined(const DataWalk *w, InsnId id)
{
    const Insn *insn = &w->func->insns[id];
    const Operand *operands = ptx_insn_operands(w->func, insn), *uses[3] = { NULL };
    const Transfer transfer = w->ops[id].fn ? (Transfer)w->ops[id].transfer : TRANSFER_OPAQUE;
    DataState out = no_state;
    unsigned count = 0;
    double added = 0;
    for (uint32_t o = 0; o < insn->operand_count && count < 3; o++)
        if (operands[o].role & ROLE_USE)
            uses[count++] = &operands[o];
    if (transfer == TRANSFER_COMPARE)
        return no_state;
    for (unsigned u = 0; u < count; u++) {
        DataState of = state_of_operand(w, uses[u]);
        if (is_factor(transfer, u))
            of.param = NO_ID;       /* a stride: no pointer is multiplied */
        if (u < 2 && transfer != TRANSFER_INSERT) {
            of.scale = scaled(of.scale, transfer, uses[u ? 0 : 1]);
            of.lane_scale = scaled(of.lane_scale, transfer, uses[u ? 0 : 1]);
            of.added_scale = scaled(of.added_scale, transfer, uses[u ? 0 : 1]);
        }
        if (!u && transfer == TRANSFER_INSERT) {
            of.scale = scaled(of.scale, transfer, uses[2]);
            of.lane_scale = scaled(of.lane_scale, transfer, uses[2]);
            of.added_scale = scaled(of.added_scale, transfer, uses[2]);
        }
        if (u && is_sum(transfer) && (out.leader == NO_ID) != (of.leader == NO_ID))
            added = out.leader == NO_ID ? out.lane_scale : of.lane_scale;
        merge_state(&out, &of);
    }
    out.added_scale = added > 0 ? added : out.added_scale;
    return out;
}

static uint32_t param_at(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        for (uint32_t p = 0; operands[o].kind == OPERAND_VAR && p < func->param_count; p++)
            if (func->params[p] == operands[o].id)
                return p;
    return NO_ID;
}

static bool hands_by_shared(const Op *op)
{
    return op->space == SPACE_SHARED || op->space == SPACE_SHARED_CTA;
}

/* Lanes hand indices over by way of shared memory: who loads one there goes where it says. Or sums
 * of what each of them counted. */
static DataState state_handed(DataWalk *w, InsnId id)
{
    w->handed[id] = w->shared.leader;
    if (w->shared.leader == NO_ID || w->is_counted)
        return (DataState){ .leader = NO_ID, .param = NO_ID, .scale = 1,
                            .is_rank = !w->has_copies };
    return (DataState){ .leader = id, .param = NO_ID, .scale = w->shared.scale };
}

/* Lanes that come next to each other have numbers next to each other: prefix sums of flags, or what
 * a counter of all of them held. */
static bool counts_lanes(const Op *op)
{
    return op->operation == OP_SHFL || op->operation == OP_VOTE || op->operation == OP_POPC;
}

static DataState state_of_address(const DataWalk *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    DataState at = no_state;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && operands[o].kind == OPERAND_REG) {
            const DataState of = state_of_operand(w, &operands[o]);
            merge_state(&at, &of);
        }
    return at;
}

static void note_stored(DataWalk *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    DataState stored = no_state;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_USE && !(operands[o].role & ROLE_ADDRESS)) {
            const DataState of = state_of_operand(w, &operands[o]);
            merge_state(&stored, &of);
        }
    if (stored.leader != NO_ID)
        w->shared = stored;
    w->is_counted = stored.leader == NO_ID;
}

static DataState state_defined_by(DataWalk *w, InsnId id)
{
    const Insn *insn = &w->func->insns[id];
    DataState out = no_state;
    if (!(insn->op->flags & OPF_LOAD) && insn->op->kind != OPK_ATOM) {
        out = state_combined(w, id);
        if (counts_lanes(insn->op) && out.leader == NO_ID && !out.is_rank) {
            out.scale = 1;
            out.is_rank = true;
        }
        return out;
    }
    if (insn->op->space == SPACE_PARAM || insn->op->space == SPACE_PARAM_ENTRY)
        out.param = param_at(w->func, insn);
    else if (insn->op->space == SPACE_GLOBAL || insn->op->space == SPACE_NONE
             || insn->op->space == SPACE_CONST)
        out = (DataState){ .leader = id, .param = NO_ID, .scale = 1,
                           .is_rank = ptx_op_has(insn->op, MOD_ADD)
                                      && state_of_address(w, insn).leader == NO_ID };
    else if (insn->op->kind == OPK_LD && hands_by_shared(insn->op))
        out = state_handed(w, id);
    return out;
}

static void walk_states(DataWalk *w)
{
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        const DataState state = state_defined_by(w, i);
        if (insn->op->kind == OPK_ST && hands_by_shared(insn->op))
            note_stored(w, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (ptx_operand_is_def(&operands[o]))
                merge_state(&w->states[operands[o].id], &state);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_before_loop(const Cfg *cfg, const Loops *loops, InsnId leader, InsnId access)
{
    LoopId loop = loops->loop_of[cfg->block_of[access]];
    return loop != NO_LOOP && !ptx_loop_holds(loops, loop, cfg->block_of[leader]);
}

/* What leads it is no index of a lane or thread: none, a counter of all of them, or one number that
 * all load alike, as where the part of an array begins. */
static bool is_led_alike(const DataWalk *w, InsnId leader)
{
    if (leader == NO_ID || w->func->insns[leader].op->kind == OPK_ATOM)
        return true;
    const DataState at = state_of_address(w, &w->func->insns[leader]);
    return at.leader == NO_ID && !at.has_lane && !at.is_rank;
}

static DataSource source_of(const DataWalk *w, InsnId id)
{
    const Insn *insn = &w->func->insns[id];
    DataState at = state_of_address(w, insn);
    if (w->handed[id] != NO_ID)
        at.leader = w->handed[id];
    return (DataSource){ .leader = at.leader,
                         .root = at.leader,
                         .scale = at.scale,
                         .param = at.param,
                         .has_lane = at.has_lane,
                         .grid_dims = at.grid_dims,
                         .is_rank = at.is_rank && at.scale > 0 && at.scale <= insn->access_bytes
                                    && is_led_alike(w, at.leader),
                         .is_run = at.leader != NO_ID && insn->access_bytes
                                   && fabs(at.added_scale - insn->access_bytes) < 0.5 };
}

const DataSource *ptx_data_sources_compute(Arena *arena, Arena *scratch, const Func *func,
                                           const Cfg *cfg, const Loops *loops)
{
    DataSource *out = ptx_arena_array(arena, DataSource, func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    Lanewise *ops = ptx_arena_array(scratch, Lanewise, func->insn_count + 1);
    DataWalk w = { .func = func,
                   .ops = ops,
                   .states = ptx_arena_array(scratch, DataState, func->reg_count + 1),
                   .shared = no_state,
                   .handed = ptx_arena_array(scratch, InsnId, func->insn_count + 1) };
    for (RegId r = 0; r < func->reg_count; r++)
        w.states[r] = no_state;
    for (InsnId i = 0; i < func->insn_count; i++) {
        ptx_lanewise_make(func->insns[i].op, &ops[i]);
        w.has_copies |= func->insns[i].op->kind == OPK_CP_ASYNC
                        || ptx_op_is_bulk(func->insns[i].op);
        w.handed[i] = NO_ID;
    }
    for (unsigned n = 0; n < WALKS; n++)
        walk_states(&w);
    for (InsnId i = 0; i < func->insn_count; i++)
        out[i] = source_of(&w, i);
    for (InsnId i = 0; i < func->insn_count; i++) {
        for (unsigned n = 0; out[i].root != NO_ID && n < MOST_LEADERS; n++)
            out[i].root = out[out[i].root].leader != NO_ID ? out[out[i].root].leader : out[i].root;
        out[i].is_run &= out[i].leader != NO_ID
                         && (hands_by_shared(func->insns[out[i].leader].op)
                             || out[out[i].leader].leader != NO_ID);
        out[i].is_walk = out[i].leader != NO_ID && cfg
                         && is_before_loop(cfg, loops, out[i].leader, i);
    }
    ptx_arena_release(scratch, mark);
    return out;
}

/* ---- figures --------------------------------------------------------------------------------- */

double ptx_data_groups(const DataSource *sources, const Func *func, const Evaluated *insns,
                       InsnId access)
{
    InsnId leader = sources[access].leader;
    for (unsigned n = 0; leader != NO_ID && n < MOST_LEADERS; n++) {
        const Count *count = insns[leader].total;
        double bytes = func->insns[leader].access_bytes;
        if (sources[leader].leader == NO_ID && func->insns[leader].op->space == SPACE_CONST)
            return count->addresses > 0 ? count->addresses / count->requests : WARP;
        if (sources[leader].leader == NO_ID || hands_by_shared(func->insns[leader].op))
            return count->used_bytes > 0 && count->requests > 0
                       ? fmin(WARP, fmax(1, count->used_bytes / bytes / count->requests))
                       : WARP;
        if (sources[leader].has_lane)
            return WARP;
        leader = sources[leader].leader;
    }
    return WARP;
}

double ptx_data_indices(const DataSource *sources, const Func *func, const Evaluated *insns,
                        InsnId access)
{
    const InsnId root = sources[access].root;
    const unsigned bits = root != NO_ID ? ptx_type_info[func->insns[root].op->type].bits : 0;
    return bits >= CHAR_BIT ? insns[root].total->used_bytes / (bits / CHAR_BIT) : 0;
}

bool ptx_data_is_list(const DataSource *source, uint32_t access_bytes)
{
    return source->is_walk && source->scale <= fmax(access_bytes, MOST_ELEMENT);
}
