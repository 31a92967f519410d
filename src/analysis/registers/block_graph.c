#include "analysis/registers/block_work.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/registers/block_liveness.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "support/minmax.h"

enum { MAX_ACCESSES = 16 };     /* loads and stores each that an access is held against */

/* Cycles until a result can be used, as far as an order takes them into account: what a cache hit
 * takes of memory. */
static const uint8_t latencies[MACHINE__COUNT] = {
    [MACHINE_FP32] = 4, [MACHINE_FP16] = 5, [MACHINE_FP64] = 8, [MACHINE_IMAD] = 4, [MACHINE_IMAD_WIDE] = 5, [MACHINE_IADD] = 4, [MACHINE_ALU] = 5,
    [MACHINE_SHIFT] = 5, [MACHINE_BITS] = 14, [MACHINE_XU] = 18, [MACHINE_CVT] = 14, [MACHINE_CVT_FAST] = 6, [MACHINE_CVT64] = 18, [MACHINE_DOT] = 5,
    [MACHINE_VIDEO] = 6, [MACHINE_SHUFFLE] = 24, [MACHINE_VOTE] = 10, [MACHINE_REDUX] = 12, [MACHINE_GLOBAL] = 200, [MACHINE_SHARED] = 30,
    [MACHINE_MATRIX] = 30, [MACHINE_CONST] = 20, [MACHINE_ATOMIC] = 200, [MACHINE_ATOMIC_SHARED] = 60, [MACHINE_TEXTURE] = 200, [MACHINE_TENSOR] = 18,
    [MACHINE_BRANCH] = 2, [MACHINE_BARRIER] = 10, [MACHINE_MOVE] = 10, [MACHINE_OTHER] = 6,
};

/* The constant that a product or shift to the left multiplies by; 0: none. */
static int64_t factor_in(const BlockWork *w, RegId reg)
{
    const Insn *def = ptx_defs_count(w->defs, reg) == 1
                          ? &w->func->insns[w->defs->insns[w->defs->first[reg]]]
                          : NULL;
    bool is_shift = def && def->op->operation == OP_SHL;
    for (uint32_t o = 0;
         def && o < def->operand_count
         && (is_shift || def->op->operation == OP_MUL || def->op->operation == OP_MAD);
         o++) {
        const Operand *operand = &ptx_insn_operands(w->func, def)[o];
        if (operand->kind == OPERAND_INT)
            return is_shift ? (int64_t)1 << (ptx_operand_value(operand) & 31)
                            : ptx_operand_value(operand);
    }
    return 0;
}

/* Where the third operand of IMAD.WIDE is in a constant bank its factor, if a constant, is in a
 * register: the value that stands for it; NO_ID: none. */
static LoweredValueId factor_of(BlockWork *w, const LoweredInsn *insn)
{
    bool has_bank = false;
    uint32_t regs = 0;
    if (w->sm >= LOADS_PARAMETERS_SM || insn->machine != MACHINE_IMAD_WIDE || insn->origin == NO_ID)
        return NO_ID;
    for (uint32_t u = 0; u < insn->use_count; u++) {
        const LoweredValue *value = &w->lowered->values[ptx_lowered_uses(w->lowered, insn)[u]];
        has_bank |= value->file == LOWERED_CONSTANT && value->units == 2;
        regs += value->file == LOWERED_REG;
    }
    const Insn *sum = &w->func->insns[insn->origin];
    for (uint32_t o = 0; has_bank && regs < 2 && o < sum->operand_count; o++) {
        const Operand *operand = &ptx_insn_operands(w->func, sum)[o];
        int64_t factor = operand->kind == OPERAND_REG && operand->role & ROLE_USE
                             ? factor_in(w, operand->id)
                             : 0;
        uint32_t f = 0;
        while (f < w->factor_count && w->factors[f] != factor)
            f++;
        if (!factor || f == MAX_FACTORS)
            continue;
        w->factors[f] = factor;
        w->factor_count += f == w->factor_count;
        return w->lowered->value_count + f;
    }
    return NO_ID;
}

static void add_dependence(BlockWork *w, uint32_t from, uint32_t to, bool is_order)
{
    if (from == to)
        return;
    if (w->pred_edge[to] && w->edges[w->pred_edge[to] - 1].from == from)
        return;
    if (w->edge_count == w->edge_capacity)
        w->edges = ptx_arena_grow(w->arena, w->edges, w->edge_count, &w->edge_capacity,
                                  sizeof *w->edges);
    w->edges[w->edge_count] = (ListScheduleEdge){ to, w->steps[from].edge, from, w->pred_edge[to],
                                                  is_order };
    w->steps[from].edge = w->pred_edge[to] = ++w->edge_count;
    w->steps[from].succ_count++;
    w->steps[to].pred_count++;
}

static uint32_t new_local(BlockWork *w, LoweredValueId value, uint32_t maker)
{
    w->locals[w->local_count] = (Local){ .units = w->units[value],
                                         .is_held = w->held && w->held[value] };
    w->maker[w->local_count] = maker;
    w->last_reader[w->local_count] = 0;
    return w->local_count++;
}

static uint32_t local_of(BlockWork *w, LoweredValueId value)
{
    if (w->stamp[value] != w->build) {
        w->stamp[value] = w->build;
        w->local_of[value] = new_local(w, value, 0);
    }
    return w->local_of[value];
}

static void read_local(BlockWork *w, uint32_t s, uint32_t local)
{
    w->last_reader[local] = s + 1;
    w->locals[local].uses++;
    w->locals_of[w->locals_of_count++] = local;
    w->steps[s].use_count++;
}

/* What the last step leaves to the next one of its instruction, in single registers: how many. */
static uint32_t hand_on(BlockWork *w, const LoweredInsn *insn)
{
    static const uint8_t temporaries[EXPANSION__COUNT] = { 1, 3, 2, 6, 6, 4, 8 };
    ListScheduleStep *step = &w->steps[w->step_count - 1];
    uint32_t count = step->def_count || !step->use_count
                         ? 0
                         : temporaries[ptx_op_expansion(w->func->insns[insn->origin].op)];
    for (uint32_t i = 0; i < count; i++) {
        w->locals[w->local_count] = (Local){ .units = 1, .is_temporary = true };
        w->maker[w->local_count] = w->step_count;
        w->locals_of[w->locals_of_count++] = w->local_count++;
        step->def_count++;
    }
    return count;
}

/* A vector that is stored stands in registers side by side: of what it has twice there is a
 * copy. */
static void use_value(BlockWork *w, uint32_t s, LoweredValueId value, bool is_packed)
{
    uint32_t local = local_of(w, value);
    if (w->maker[local])
        add_dependence(w, w->maker[local] - 1, s, false);
    if (w->last_reader[local] == s + 1) {
        w->locals[local].units = (uint8_t)(w->locals[local].units
                                           + (is_packed ? w->units[value] : 0));
        return;
    }
    read_local(w, s, local);
}

static void write_value(BlockWork *w, uint32_t s, LoweredValueId value)
{
    if (w->stamp[value] == w->build && w->last_reader[w->local_of[value]]
        && w->lowered->values[value].is_variable)
        /* it keeps its register */
        add_dependence(w, w->last_reader[w->local_of[value]] - 1, s, true);
    w->stamp[value] = w->build;
    w->local_of[value] = new_local(w, value, s + 1);
    w->locals_of[w->locals_of_count++] = w->local_of[value];
    w->steps[s].def_count++;
}

/* What an instruction accesses: bytes from a base. */
typedef struct ListScheduleAccess {
    uint32_t step;
    uint32_t base;              /* a local; NO_ID: unknown */
    uint64_t from;              /* addresses wrap */
    uint32_t bytes;
} ListScheduleAccess;

/* What order memory asks for: accesses of one kind of memory that may meet, one of them a store,
 * keep theirs; barriers and calls part all. */
typedef struct MemoryOrder {
    /* of global and of shared memory */
    ListScheduleAccess stores[2][MAX_ACCESSES], loads[2][MAX_ACCESSES];
    uint32_t store_count[2], load_count[2];
    uint32_t fence;             /* step + 1 */
} MemoryOrder;

static ListScheduleAccess access_of(const BlockWork *w, uint32_t s, const LoweredInsn *insn)
{
    const Insn *origin = &w->func->insns[insn->origin];
    ListScheduleAccess access = { s, NO_ID, 0, 0 };
    for (uint32_t o = 0; o < origin->operand_count; o++) {
        const Operand *address = &ptx_insn_operands(w->func, origin)[o];
        if (!(address->role & ROLE_ADDRESS) || address->kind != OPERAND_REG)
            continue;
        for (uint32_t u = 0; u < insn->use_count; u++) {
            LoweredValueId value = ptx_lowered_uses(w->lowered, insn)[u];
            if (w->lowered->values[value].reg == address->id && w->stamp[value] == w->build
                && origin->access_bytes)
                return (ListScheduleAccess){ s, w->local_of[value],
                                             (uint64_t)ptx_operand_value(address),
                                             origin->access_bytes };
        }
    }
    return access;
}

static bool may_meet(const ListScheduleAccess *a, const ListScheduleAccess *b)
{
    return a->base == NO_ID || a->base != b->base || b->from - a->from < a->bytes
           || a->from - b->from < b->bytes;
}

static void follow(BlockWork *w, const ListScheduleAccess *before, uint32_t count,
                   const ListScheduleAccess *access)
{
    for (uint32_t i = 0; i < count; i++)
        if (may_meet(&before[i], access))
            add_dependence(w, before[i].step, access->step, true);
}

/* Of more than ACCESSES_MOST the last takes the place of the one before it. */
static void note_memory_order(ListScheduleAccess *accesses, uint32_t *count,
                              const ListScheduleAccess *access)
{
    *count += *count < MAX_ACCESSES;
    accesses[*count - 1] = *access;
}

/* What stands before it stays there. */
static void end_part(BlockWork *w, uint32_t from, uint32_t fence)
{
    for (uint32_t s = from; s < fence; s++)
        if (!w->steps[s].succ_count)
            add_dependence(w, s, fence, true);
}

/* It is more than a load of its thread's: volatile, say. That a load is the warp's does not bind
 * its place. */
static bool binds_order(const Op *op)
{
    return op->flags & OPF_SIDE_EFFECT && op->operation != OP_LDMATRIX
           && op->operation != OP_WMMA_LOAD;
}

static void order_memory(BlockWork *w, MemoryOrder *m, uint32_t s, const LoweredInsn *insn)
{
    const Op *op = w->func->insns[insn->origin].op;
    bool is_fence = op->insn_class == CLASS_BARRIER || op->kind == OPK_CALL;
    if (!is_fence && !(op->flags & (OPF_LOAD | OPF_STORE)) && op->kind != OPK_ATOM
        && op->kind != OPK_RED)
        return;
    bool is_const = op->space == SPACE_CONST || op->space == SPACE_PARAM || ptx_op_has(op, MOD_NC);
    bool is_shared = op->space == SPACE_SHARED || op->space == SPACE_SHARED_CTA;
    bool is_store = is_fence || !(op->flags & OPF_LOAD) || op->kind == OPK_ATOM
                    || binds_order(op);
    if (is_const)
        return;
    ListScheduleAccess access = is_fence || (op->flags & OPF_LOAD && is_store)
                                    ? (ListScheduleAccess){ s, NO_ID, 0, 0 }
                                    : access_of(w, s, insn);
    if (m->fence)
        add_dependence(w, m->fence - 1, s, true);
    for (unsigned k = 0; k < 2; k++) {
        if (!is_fence && k != is_shared && op->space != SPACE_GENERIC)
            continue;
        follow(w, m->stores[k], m->store_count[k], &access);
        if (is_store)
            follow(w, m->loads[k], m->load_count[k], &access);
        if (is_fence)
            m->store_count[k] = m->load_count[k] = 0;
        else if (is_store)
            note_memory_order(m->stores[k], &m->store_count[k], &access);
        else
            note_memory_order(m->loads[k], &m->load_count[k], &access);
    }
    if (!is_fence)
        return;
    w->may_save = true;
    if (w->is_saving)
        end_part(w, m->fence ? m->fence - 1 : 0, s);
    m->fence = s + 1;
}

static uint32_t new_step(BlockWork *w, uint32_t insn)
{
    w->insn_of[w->step_count] = insn;
    w->steps[w->step_count] = (ListScheduleStep){ .use_first = w->locals_of_count };
    w->pred_edge[w->step_count] = 0;
    return w->step_count++;
}

bool ptx_block_is_rebuilt(const Lowered *lowered, const LoweredInsn *insn)
{
    const bool is_cheap = insn->machine == MACHINE_ALU || insn->machine == MACHINE_SHIFT
                          || insn->machine == MACHINE_IADD || insn->machine == MACHINE_IMAD
                          || insn->machine == MACHINE_FP16 || insn->machine == MACHINE_CVT_FAST;
    if (!is_cheap || insn->def_count != 1 || insn->use_count != 1 || insn->origin == NO_ID
        || insn->is_predicated || insn->count <= 0 || insn->count > 1)
        return false;
    const LoweredValue *from = &lowered->values[ptx_lowered_uses(lowered, insn)[0]],
                       *to = &lowered->values[ptx_lowered_defs(lowered, insn)[0]];
    return from->file == LOWERED_REG && to->file == LOWERED_REG && !to->is_variable
           && to->units == 1;
}

/* The halves of a register are read where they are: they take none of their own. */
static bool names_halves(const BlockWork *w, const LoweredInsn *insn)
{
    const LoweredValueId *defs = ptx_lowered_defs(w->lowered, insn);
    const LoweredValueId *uses = ptx_lowered_uses(w->lowered, insn);
    bool are_halves = ptx_lowered_is_copy(insn) && insn->def_count == 2 && insn->use_count == 1
                      && !insn->is_predicated && w->units[uses[0]] == 1;
    for (uint32_t d = 0; d < insn->def_count && are_halves; d++)
        are_halves = w->units[defs[d]] == 1 && !w->lowered->values[defs[d]].is_variable;
    return are_halves;
}

static void name_halves(BlockWork *w, const LoweredInsn *insn)
{
    const uint32_t whole = local_of(w, ptx_lowered_uses(w->lowered, insn)[0]);
    for (uint32_t d = 0; d < insn->def_count; d++) {
        const LoweredValueId half = ptx_lowered_defs(w->lowered, insn)[d];
        w->stamp[half] = w->build;
        w->local_of[half] = whole;
    }
}

/* The value is in another register for each reader, made again of what it was made of; not where
 * lanes meet in between, as with sums over a row: there ptxas keeps it. */
static void rebuild_value(BlockWork *w, LoweredValueId value)
{
    const uint32_t local = w->stamp[value] == w->build ? w->local_of[value] : NO_ID;
    if (local == NO_ID || !w->maker[local] || !w->last_reader[local])
        return;
    const uint32_t maker = w->maker[local] - 1, insn = w->insn_of[maker];
    if (insn == NO_ID || maker < w->meeting
        || !ptx_block_is_rebuilt(w->lowered, &w->lowered->insns[insn]))
        return;
    w->may_save = true;
    if (!w->spare)
        return;
    w->spare--;
    const uint32_t from = w->locals_of[w->steps[maker].use_first], s = new_step(w, insn);
    if (w->maker[from])
        add_dependence(w, w->maker[from] - 1, s, false);
    read_local(w, s, from);
    write_value(w, s, value);
}

/* What a side writes, and what came before it, are one value behind it. */
static void add_address_step(BlockWork *w, MemoryOrder *memory, uint32_t i, bool is_side)
{
    const LoweredInsn *insn = &w->lowered->insns[i];
    if (names_halves(w, insn)) {
        name_halves(w, insn);
        return;
    }
    LoweredValueId factor = factor_of(w, insn);
    if (factor != NO_ID && w->stamp[factor] != w->build)
        write_value(w, new_step(w, NO_ID), factor);
    bool is_packed = insn->origin != NO_ID && w->func->insns[insn->origin].op->flags & OPF_STORE
                     && w->func->insns[insn->origin].op->vector > 1;
    /* of one instruction: the first reads, the last writes */
    bool is_further = w->step_count && insn->origin != NO_ID
                      && insn_at(w, w->step_count - 1)->origin == insn->origin;
    for (uint32_t u = 0; u < insn->use_count && !is_further; u++)
        rebuild_value(w, ptx_lowered_uses(w->lowered, insn)[u]);
    uint32_t between = is_further && !insn->use_count ? hand_on(w, insn) : 0,
             handed = w->local_count, s = new_step(w, i);
    if (is_further)
        add_dependence(w, s - 1, s, false);
    for (uint32_t b = 0; b < between; b++)
        read_local(w, s, handed - 1 - b);
    for (uint32_t u = 0; u < insn->use_count; u++)
        use_value(w, s, ptx_lowered_uses(w->lowered, insn)[u], is_packed);
    if (factor != NO_ID)
        use_value(w, s, factor, false);
    for (uint32_t d = 0; d < insn->def_count; d++) {
        LoweredValueId value = ptx_lowered_defs(w->lowered, insn)[d];
        if ((is_side || insn->is_predicated) && w->lowered->values[value].is_variable
            && w->stamp[value] == w->build)
            use_value(w, s, value, false);
    }
    for (uint32_t d = 0; d < insn->def_count; d++)
        write_value(w, s, ptx_lowered_defs(w->lowered, insn)[d]);
    if (insn->machine == MACHINE_SHUFFLE || insn->machine == MACHINE_BARRIER)
        w->meeting = s;
    if (insn->origin != NO_ID)
        order_memory(w, memory, s, insn);
}

/* A counter or pointer that goes on by a constant: unrolled, all but the last become offsets. */
static bool is_increment(const BlockWork *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_IADD && insn->def_count == 1 && insn->use_count == 1
        && ptx_lowered_defs(w->lowered, insn)[0] == ptx_lowered_uses(w->lowered, insn)[0];
}

static void find_readers(BlockWork *w)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < w->local_count; v++) {
        w->readers_end[v] = count;
        count += w->locals[v].uses;
    }
    for (uint32_t s = 0; s < w->step_count; s++)
        for (uint32_t u = 0; u < w->steps[s].use_count; u++)
            w->readers[w->readers_end[w->locals_of[w->steps[s].use_first + u]]++] = s;
}

static uint32_t count_rebuilt(const BlockWork *w, BlockId first)
{
    uint32_t count = 0;
    for (uint32_t i = w->lowered->first[first]; i < w->lowered->first[w->last[first] + 1]; i++)
        count += ptx_block_is_rebuilt(w->lowered, &w->lowered->insns[i]);
    return count;
}

void ptx_block_graph_build(BlockWork *w, BlockId first, uint32_t repeat)
{
    MemoryOrder memory = { 0 };
    BlockId last = w->last[first];
    w->build++;
    w->may_save = false;
    w->meeting = 0;
    w->spare = w->is_saving ? repeat * count_rebuilt(w, first) : 0;
    w->local_count = w->locals_of_count = w->edge_count = w->step_count = 0;
    for (uint32_t r = 0; r < repeat; r++)
        for (BlockId block = first; block <= last; block++)
            for (uint32_t i = w->lowered->first[block]; i < w->lowered->first[block + 1]; i++)
                if (r + 1 == repeat || !is_increment(w, &w->lowered->insns[i]))
                    add_address_step(w, &memory, i,
                                     block != first && w->cfg->blocks[block].pred_count == 1);
    memset(w->passing, 0, sizeof w->passing);
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++) {
        LoweredValueId value = w->live->out[o];
        if (w->stamp[value] != w->build && w->units[value] < PASSING)
            w->passing[w->units[value]]++;
        else
            w->locals[local_of(w, value)].is_out = true;
    }
    find_readers(w);
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint32_t latency_of(const LoweredInsn *insn)
{
    uint32_t repeat = insn->count > 1 && insn->count < 1000 ? (uint32_t)insn->count - 1 : 0;
    return ptx_lowered_is_copy(insn) ? 0 : latencies[insn->machine] + 4 * repeat;
}

static void find_edge_kind(ListScheduleStep *step, const LoweredInsn *insn)
{
    const bool is_move = insn->machine == MACHINE_MOVE;
    step->latency = (uint16_t)latency_of(insn);
    step->is_lazy = is_move && insn->origin != NO_ID && !step->pred_count && step->succ_count
                    && !step->use_count;
    step->is_part = insn->count <= 0 && (insn->machine == MACHINE_ALU || is_move)
                    && step->use_count;
}

void ptx_block_graph_time(BlockWork *w)
{
    for (uint32_t s = w->step_count; s-- > 0;) {
        ListScheduleStep *step = &w->steps[s];
        find_edge_kind(step, insn_at(w, s));
        step->height = step->latency;
        for (uint32_t e = step->edge; e; e = w->edges[e - 1].next) {
            const ListScheduleEdge *edge = &w->edges[e - 1];
            uint32_t height = w->steps[edge->to].height + (edge->is_order ? 1 : step->latency);
            step->height = ptx_u32_max(step->height, height);
        }
    }
}
