#include "analysis/registers/list_schedule.h"

#include "analysis/sass/value_graph.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/registers/block_liveness.h"
#include "analysis/sass/sass.h"
#include "gpu/gpu.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "support/minmax.h"

enum {
    /* candidates that are looked at where registers decide: bounds the time of a choice */
    WINDOW = 48,
    MAX_ACCESSES = 16,         /* loads and stores each that an access is held against */
    MAX_UNROLLED = 400,        /* machine instructions of a loop that are put in order together */
    MAX_FACTORS = 8,           /* constants that products ask a register for */
    LOADS_PARAMETERS_SM = 90,   /* from here on parameters are loaded */
    /* where structures of a few members and rows with shuffles come nearest to ptxas */
    LATE = 8,
    /* of registers, by their parity: operands of an instruction out of one bank take a cycle more
     * */
    BANKS = 2,
    ANY_BANK = BANKS,
    SCATTERED = 16,             /* registers that places take beyond what is live: hardly more */
    WORDS = 4,                  /* of 64 registers */
    NOWHERE = UINT8_MAX,
    STACK_POINTER = 1,          /* its register, which nothing else gets */
    TAKEN = UINT32_MAX >> 1,
    PASSING = 3,                /* wider ones are locals */
    MAX_PARTS = 16,
    MAX_TEMPORARIES = 8,       /* between the steps of one instruction */
};

/* Cycles until a result can be used, as far as an order takes them into account: what a cache hit
 * takes of memory. */
static const uint8_t latencies[MACHINE__COUNT] = {
    [MACHINE_FP32] = 4, [MACHINE_FP16] = 5, [MACHINE_FP64] = 8, [MACHINE_IMAD] = 4, [MACHINE_IMAD_WIDE] = 5, [MACHINE_IADD] = 4, [MACHINE_ALU] = 5,
    [MACHINE_SHIFT] = 5, [MACHINE_BITS] = 14, [MACHINE_XU] = 18, [MACHINE_CVT] = 14, [MACHINE_CVT_FAST] = 6, [MACHINE_CVT64] = 18, [MACHINE_DOT] = 5,
    [MACHINE_VIDEO] = 6, [MACHINE_SHUFFLE] = 24, [MACHINE_VOTE] = 10, [MACHINE_REDUX] = 12, [MACHINE_GLOBAL] = 200, [MACHINE_SHARED] = 30,
    [MACHINE_MATRIX] = 30, [MACHINE_CONST] = 20, [MACHINE_ATOMIC] = 200, [MACHINE_ATOMIC_SHARED] = 60, [MACHINE_TEXTURE] = 200, [MACHINE_TENSOR] = 18,
    [MACHINE_BRANCH] = 2, [MACHINE_BARRIER] = 10, [MACHINE_MOVE] = 10, [MACHINE_OTHER] = 6,
};

/* One value of the block: what one instruction of it writes, or what comes in. */
typedef struct Local {
    uint32_t uses;              /* instructions that read it, each once */
    uint32_t left;              /* of them, not yet in the order */
    uint8_t units;
    bool is_out, is_live;
    bool is_temporary;          /* between the steps of one instruction */
} Local;

typedef struct ListScheduleStep {
    uint32_t use_first;         /* into BlockWork.locals_of */
    uint16_t use_count, def_count;
    uint32_t edge;              /* successors: index + 1 into edges */
    uint32_t pred_count, succ_count, left;
    uint32_t height;            /* cycles to the block's end */
    uint32_t ready_at;
} ListScheduleStep;

typedef struct ListScheduleEdge {
    uint32_t to, next;
    uint32_t from, next_pred;
    bool is_order;              /* only the order is asked for; else a result */
} ListScheduleEdge;

struct BlockWork {
    Arena *arena;
    const Lowered *lowered;
    const LoweredLive *live;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    BlockId *last;              /* per block that begins a region */
    /* values that go through the region untouched, by the registers that each takes: they are no
     * locals */
    uint32_t passing[PASSING];
    uint32_t *insn_of;          /* per step */
    uint32_t *local_of;         /* per value: local + 1 in this block */
    uint32_t *stamp;            /* per value: the build that local_of is of */
    uint32_t build;
    Local *locals;
    uint32_t local_count;
    uint32_t *locals_of;        /* per step: uses, then defs */
    uint32_t locals_of_count;
    uint32_t *maker;            /* per local: step + 1; 0: comes in */
    uint32_t *readers;          /* steps: those of a local one behind the other */
    uint32_t *readers_end;      /* per local: into readers, behind its last */
    int32_t *change;            /* per step: registers more, less those that it frees */
    ListScheduleStep *steps;
    uint32_t step_count;
    ListScheduleEdge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t *pred_edge;        /* per step: index + 1 */
    uint32_t *heap, *waiting;
    uint32_t heap_count, waiting_count;
    uint32_t clock;
    uint32_t now, now_wide, most, most_wide;
    uint32_t *last_reader;      /* per local: the step that reads it last so far + 1 */
    uint32_t *sequence;         /* the order: steps */
    uint32_t sequence_count;
    /* per local: slots, one before each step of the order and one behind all */
    uint32_t *birth, *death;
    uint8_t *home;              /* per local: its register */
    uint64_t *slots[WORDS];     /* registers that are taken, a word of them in each slot */
    uint64_t anywhere[WORDS];   /* that are taken by any value, ... */
    uint64_t through[WORDS];    /* ... by one that lives as long as the region */
    uint32_t top;               /* the highest that was taken + 1 */
    uint32_t highest[ORDER__COUNT];     /* of all regions so far */
    const Defs *defs;
    unsigned sm;
    const uint8_t *units;       /* per value, then per factor: registers that it takes */
    int64_t factors[MAX_FACTORS];
    uint32_t factor_count;
};

/* ---- what takes registers -------------------------------------------------------------------- */

/* Operands that no constant bank and no uniform register can stand for. */
static bool reads_vectors(const Lowered *l, const LoweredInsn *insn)
{
    bool is_vector = !insn->def_count
                     || l->values[ptx_lowered_defs(l, insn)[0]].file == LOWERED_REG;
    return is_vector
           && (insn->machine == MACHINE_IMAD_WIDE || insn->machine == MACHINE_IADD
               || insn->machine == MACHINE_GLOBAL || insn->machine == MACHINE_ATOMIC);
}

/* Of 75 kernels for sm_75 to sm_86 two have a block's number in a uniform register; what follows
 * from it stands in others. From sm_90 on parameters of 64 bits that vector instructions take are
 * loaded into pairs. */
static const uint8_t *find_units(Arena *arena, const Lowered *l, unsigned sm)
{
    uint8_t *units = ptx_arena_array(arena, uint8_t, l->value_count + MAX_FACTORS);
    for (LoweredValueId v = 0; v < l->value_count; v++)
        if (l->values[v].file == LOWERED_REG
            || (l->values[v].file == LOWERED_UNIFORM && sm < LOADS_PARAMETERS_SM))
            units[v] = l->values[v].units;
    for (uint32_t f = 0; f < MAX_FACTORS; f++)
        units[l->value_count + f] = 1;
    for (uint32_t i = 0; sm >= LOADS_PARAMETERS_SM && i < l->insn_count; i++)
        for (uint32_t u = 0; u < l->insns[i].use_count && reads_vectors(l, &l->insns[i]); u++) {
            LoweredValueId v = ptx_lowered_uses(l, &l->insns[i])[u];
            if (l->values[v].file == LOWERED_UNIFORM && l->values[v].units == 2)
                units[v] = 2;
        }
    return units;
}

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
            return is_shift ? (int64_t)1 << (operand->value & 31) : operand->value;
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

/* A step that stands for no instruction of the function moves a constant. */
static const LoweredInsn *insn_at(const BlockWork *w, uint32_t s)
{
    static const LoweredInsn move = { .origin = NO_ID, .machine = MACHINE_MOVE, .count = 1 };
    return w->insn_of[s] == NO_ID ? &move : &w->lowered->insns[w->insn_of[s]];
}

/* ---- the graph of a block -------------------------------------------------------------------- */

static void add_edge(BlockWork *w, uint32_t from, uint32_t to, bool is_order)
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
    w->locals[w->local_count] = (Local){ .units = w->units[value] };
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
static void read_value(BlockWork *w, uint32_t s, LoweredValueId value, bool is_packed)
{
    uint32_t local = local_of(w, value);
    if (w->maker[local])
        add_edge(w, w->maker[local] - 1, s, false);
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
        add_edge(w, w->last_reader[w->local_of[value]] - 1, s, true);
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
                return (ListScheduleAccess){ s, w->local_of[value], (uint64_t)address->value,
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
            add_edge(w, before[i].step, access->step, true);
}

/* Of more than ACCESSES_MOST the last takes the place of the one before it. */
static void note_access(ListScheduleAccess *accesses, uint32_t *count,
                        const ListScheduleAccess *access)
{
    *count += *count < MAX_ACCESSES;
    accesses[*count - 1] = *access;
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
                    || op->flags & OPF_SIDE_EFFECT;
    if (is_const)
        return;
    ListScheduleAccess access = is_fence || (op->flags & OPF_LOAD && is_store)
                                    ? (ListScheduleAccess){ s, NO_ID, 0, 0 }
                                    : access_of(w, s, insn);
    if (m->fence)
        add_edge(w, m->fence - 1, s, true);
    for (unsigned k = 0; k < 2; k++) {
        if (!is_fence && k != is_shared && op->space != SPACE_GENERIC)
            continue;
        follow(w, m->stores[k], m->store_count[k], &access);
        if (is_store)
            follow(w, m->loads[k], m->load_count[k], &access);
        if (is_fence)
            m->store_count[k] = m->load_count[k] = 0;
        else if (is_store)
            note_access(m->stores[k], &m->store_count[k], &access);
        else
            note_access(m->loads[k], &m->load_count[k], &access);
    }
    if (is_fence)
        m->fence = s + 1;
}

static uint32_t new_step(BlockWork *w, uint32_t insn)
{
    w->insn_of[w->step_count] = insn;
    w->steps[w->step_count] = (ListScheduleStep){ .use_first = w->locals_of_count };
    w->pred_edge[w->step_count] = 0;
    return w->step_count++;
}

/* What a side writes, and what came before it, are one value behind it. */
static void add_step(BlockWork *w, MemoryOrder *memory, uint32_t i, bool is_side)
{
    const LoweredInsn *insn = &w->lowered->insns[i];
    LoweredValueId factor = factor_of(w, insn);
    if (factor != NO_ID && w->stamp[factor] != w->build)
        write_value(w, new_step(w, NO_ID), factor);
    bool is_packed = insn->origin != NO_ID && w->func->insns[insn->origin].op->flags & OPF_STORE
                     && w->func->insns[insn->origin].op->vector > 1;
    /* of one instruction: the first reads, the last writes */
    bool is_further = w->step_count && insn->origin != NO_ID
                      && insn_at(w, w->step_count - 1)->origin == insn->origin;
    uint32_t between = is_further && !insn->use_count ? hand_on(w, insn) : 0,
             handed = w->local_count, s = new_step(w, i);
    if (is_further)
        add_edge(w, s - 1, s, false);
    for (uint32_t b = 0; b < between; b++)
        read_local(w, s, handed - 1 - b);
    for (uint32_t u = 0; u < insn->use_count; u++)
        read_value(w, s, ptx_lowered_uses(w->lowered, insn)[u], is_packed);
    if (factor != NO_ID)
        read_value(w, s, factor, false);
    for (uint32_t d = 0; d < insn->def_count; d++) {
        LoweredValueId value = ptx_lowered_defs(w->lowered, insn)[d];
        if ((is_side || insn->is_predicated) && w->lowered->values[value].is_variable
            && w->stamp[value] == w->build)
            read_value(w, s, value, false);
    }
    for (uint32_t d = 0; d < insn->def_count; d++)
        write_value(w, s, ptx_lowered_defs(w->lowered, insn)[d]);
    if (insn->origin != NO_ID)
        order_memory(w, memory, s, insn);
}

/* A counter or pointer that goes on by a constant: unrolled, all but the last become offsets. */
static bool is_increment(const BlockWork *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_IADD && insn->def_count == 1 && insn->use_count == 1
        && ptx_lowered_defs(w->lowered, insn)[0] == ptx_lowered_uses(w->lowered, insn)[0];
}

static void build_region(BlockWork *w, BlockId first, uint32_t repeat)
{
    MemoryOrder memory = { 0 };
    BlockId last = w->last[first];
    w->build++;
    w->local_count = w->locals_of_count = w->edge_count = w->step_count = 0;
    for (uint32_t r = 0; r < repeat; r++)
        for (BlockId block = first; block <= last; block++)
            for (uint32_t i = w->lowered->first[block]; i < w->lowered->first[block + 1]; i++)
                if (r + 1 == repeat || !is_increment(w, &w->lowered->insns[i]))
                    add_step(w, &memory, i,
                             block != first && w->cfg->blocks[block].pred_count == 1);
    memset(w->passing, 0, sizeof w->passing);
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++) {
        LoweredValueId value = w->live->out[o];
        if (w->stamp[value] != w->build && w->units[value] < PASSING)
            w->passing[w->units[value]]++;
        else
            w->locals[local_of(w, value)].is_out = true;
    }
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

static uint32_t latency_of(const BlockWork *w, uint32_t s)
{
    const LoweredInsn *insn = insn_at(w, s);
    uint32_t repeat = insn->count > 1 && insn->count < 1000 ? (uint32_t)insn->count - 1 : 0;
    return ptx_lowered_is_copy(insn) ? 0 : latencies[insn->machine] + 4 * repeat;
}

static void find_heights(BlockWork *w)
{
    for (uint32_t s = w->step_count; s-- > 0;) {
        uint32_t latency = latency_of(w, s), most = latency;
        for (uint32_t e = w->steps[s].edge; e; e = w->edges[e - 1].next) {
            const ListScheduleEdge *edge = &w->edges[e - 1];
            uint32_t height = w->steps[edge->to].height + (edge->is_order ? 1 : latency);
            most = height > most ? height : most;
        }
        w->steps[s].height = most;
    }
}

/* ---- registers while an order grows ---------------------------------------------------------- */

static void count_in(BlockWork *w, Local *local)
{
    local->is_live = true;
    w->now += local->units;
    w->now_wide += local->units > 1 ? local->units : 0;
}

static void count_out(BlockWork *w, Local *local)
{
    local->is_live = false;
    w->now -= local->units;
    w->now_wide -= local->units > 1 ? local->units : 0;
}

static void note_most(BlockWork *w)
{
    if (w->now > w->most)
        w->most_wide = w->now_wide;
    w->most = w->now > w->most ? w->now : w->most;
}

static void begin_order(BlockWork *w, bool from_end)
{
    w->most = w->most_wide = w->sequence_count = 0;
    w->now_wide = 2 * w->passing[2];
    w->now = w->now_wide + w->passing[1];
    for (uint32_t v = 0; v < w->local_count; v++) {
        w->locals[v].left = w->locals[v].uses;
        w->locals[v].is_live = false;
        if (from_end ? w->locals[v].is_out
                     : !w->maker[v] && (w->locals[v].uses || w->locals[v].is_out))
            count_in(w, &w->locals[v]);
    }
    note_most(w);
    for (uint32_t s = 0; s < w->step_count; s++) {
        w->steps[s].left = from_end ? w->steps[s].succ_count : w->steps[s].pred_count;
        w->steps[s].ready_at = 0;
    }
}

static void change_readers(BlockWork *w, uint32_t local)
{
    const uint32_t end = w->readers_end[local];
    for (uint32_t r = end - w->locals[local].uses; r < end; r++)
        w->change[w->readers[r]] -= w->locals[local].units;
}

/* A step frees what no step but it still reads. */
static void begin_changes_forward(BlockWork *w)
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        const ListScheduleStep *step = &w->steps[s];
        const uint32_t *locals = w->locals_of + step->use_first;
        int32_t change = 0;
        for (uint32_t u = 0; u < step->use_count; u++)
            change -= w->locals[locals[u]].left == 1 && !w->locals[locals[u]].is_out
                          ? w->locals[locals[u]].units
                          : 0;
        for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
            change += w->locals[locals[d]].units;
        w->change[s] = change;
    }
}

/* Forward: what dies at s, then what it makes. */
static void take_forward(BlockWork *w, uint32_t s)
{
    const ListScheduleStep *step = &w->steps[s];
    w->sequence[w->sequence_count++] = s;
    const uint32_t *locals = w->locals_of + step->use_first;
    for (uint32_t u = 0; u < step->use_count; u++) {
        Local *local = &w->locals[locals[u]];
        local->left--;
        if (!local->left && !local->is_out && local->is_live)
            count_out(w, local);
        if (local->left == 1 && !local->is_out)
            change_readers(w, locals[u]);
    }
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        count_in(w, &w->locals[locals[d]]);
    note_most(w);
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        if (!w->locals[locals[d]].uses && !w->locals[locals[d]].is_out)
            count_out(w, &w->locals[locals[d]]);
}

/* Backward a step needs what it reads from there on, and its maker frees it. */
static void begin_changes_backward(BlockWork *w)
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        const ListScheduleStep *step = &w->steps[s];
        const uint32_t *locals = w->locals_of + step->use_first;
        int32_t change = 0;
        for (uint32_t u = 0; u < step->use_count; u++)
            change += w->locals[locals[u]].is_live ? 0 : w->locals[locals[u]].units;
        for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
            change -= w->locals[locals[d]].is_live ? w->locals[locals[d]].units : 0;
        w->change[s] = change;
    }
}

static void take_backward(BlockWork *w, uint32_t s)
{
    const ListScheduleStep *step = &w->steps[s];
    const uint32_t *locals = w->locals_of + step->use_first;
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        if (!w->locals[locals[d]].is_live)
            count_in(w, &w->locals[locals[d]]);
    note_most(w);
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        count_out(w, &w->locals[locals[d]]);
    for (uint32_t u = 0; u < step->use_count; u++) {
        Local *local = &w->locals[locals[u]];
        if (local->is_live)
            continue;
        count_in(w, local);
        change_readers(w, locals[u]);
        if (w->maker[locals[u]])
            w->change[w->maker[locals[u]] - 1] -= local->units;
    }
    note_most(w);
}

/* ---- the orders ------------------------------------------------------------------------------ */

/* What the slow path of an operation takes beyond what is live when it is called: ptxas 13.0, with
 * 2 to 16 values live. 0: it has none. */
static uint32_t registers_of_call(const BlockWork *w, const Op *op)
{
    /* of two operands, of one; before sm_90, since */
    static const uint8_t registers[2][2][EXPANSION__COUNT] = {
        { { 0, 12, 7, 17, 13, 0, 12 }, { 0, 12, 6, 15, 12, 0, 12 } },
        { { 0, 10, 7, 9, 10, 0, 12 }, { 0, 9, 6, 8, 9, 0, 12 } },
    };
    return registers[op->operation == OP_RCP || op->operation == OP_RSQRT]
                    [w->sm >= LOADS_PARAMETERS_SM][ptx_op_expansion(op)];
}

/* Notes the registers where expansions stand. */
static void note_expansion(BlockWork *w, uint32_t s, BlockPressure *out)
{
    const LoweredInsn *insn = insn_at(w, s);
    if (insn->origin == NO_ID || (s && insn_at(w, s - 1)->origin == insn->origin))
        return;
    const Op *op = w->func->insns[insn->origin].op;
    Expansion kind = ptx_op_expansion(op);
    uint32_t call = registers_of_call(w, op);
    out->at[kind] = w->now > out->at[kind] ? w->now : out->at[kind];
    out->called = call && w->now + call > out->called ? w->now + call : out->called;
    if (insn->count >= EXPANSION_LEAST && w->now > out->at_expansion)
        out->at_expansion = w->now;
}

static void order_as_written(BlockWork *w, BlockPressure *out)
{
    out->at_expansion = out->called = 0;
    memset(out->at, 0, sizeof out->at);
    for (uint32_t s = 0; s < w->step_count; s++) {
        note_expansion(w, s, out);
        take_forward(w, s);
    }
}

/* The ready instruction that needs the fewest registers among the latest WINDOW ones; of equals the
 * last in the program. */
static void order_frugally(BlockWork *w)
{
    uint32_t count = 0;
    begin_changes_backward(w);
    for (uint32_t s = 0; s < w->step_count; s++)
        if (!w->steps[s].left)
            w->heap[count++] = s;
    while (count) {
        uint32_t best = count - 1, from = count > WINDOW ? count - WINDOW : 0;
        int32_t least = INT32_MAX;
        for (uint32_t c = from; c < count; c++) {
            int32_t change = w->change[w->heap[c]];
            if (change < least || (change == least && w->heap[c] > w->heap[best])) {
                least = change;
                best = c;
            }
        }
        uint32_t s = w->heap[best];
        w->heap[best] = w->heap[--count];
        take_backward(w, s);
        for (uint32_t e = w->pred_edge[s]; e; e = w->edges[e - 1].next_pred)
            if (!--w->steps[w->edges[e - 1].from].left)
                w->heap[count++] = w->edges[e - 1].from;
    }
}

/* heap: ready, the highest first; waiting: operands under way, the earliest first. */
static bool comes_first(const BlockWork *w, const uint32_t *heap, uint32_t a, uint32_t b)
{
    const ListScheduleStep *x = &w->steps[a], *y = &w->steps[b];
    if (heap == w->waiting && x->ready_at != y->ready_at)
        return x->ready_at < y->ready_at;
    return x->height != y->height ? x->height > y->height : a < b;
}

static void sift_down(const BlockWork *w, uint32_t *heap, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            return;
        if (child + 1 < count && comes_first(w, heap, heap[child + 1], heap[child]))
            child++;
        if (!comes_first(w, heap, heap[child], heap[i]))
            return;
        uint32_t s = heap[i];
        heap[i] = heap[child];
        heap[child] = s;
        i = child;
    }
}

static void sift_up(const BlockWork *w, uint32_t *heap, uint32_t i)
{
    while (i && comes_first(w, heap, heap[i], heap[(i - 1) / 2])) {
        uint32_t s = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = s;
        i = (i - 1) / 2;
    }
}

static void heap_push(const BlockWork *w, uint32_t *heap, uint32_t *count, uint32_t s)
{
    heap[*count] = s;
    sift_up(w, heap, (*count)++);
}

static uint32_t heap_take(const BlockWork *w, uint32_t *heap, uint32_t *count, uint32_t i)
{
    uint32_t s = heap[i];
    heap[i] = heap[--*count];
    if (i < *count) {
        sift_up(w, heap, i);
        sift_down(w, heap, *count, i);
    }
    return s;
}

/* Of the first WINDOW of a heap, the one that adds the fewest registers. */
static uint32_t find_thrifty(const BlockWork *w, const uint32_t *heap, uint32_t count,
                             int32_t *least)
{
    uint32_t best = 0;
    *least = INT32_MAX;
    for (uint32_t i = 0; i < count && i < WINDOW; i++) {
        if (w->change[heap[i]] < *least) {
            *least = w->change[heap[i]];
            best = i;
        }
    }
    return best;
}

static bool fits(const BlockWork *w, int32_t change, uint32_t target)
{
    return w->now + (uint32_t)(change > 0 ? change : 0) <= target;
}

/* Of what is under way, once its operands are there. */
static uint32_t take_waiting(BlockWork *w, uint32_t i)
{
    uint32_t s = heap_take(w, w->waiting, &w->waiting_count, i);
    w->clock = w->steps[s].ready_at > w->clock ? w->steps[s].ready_at : w->clock;
    return s;
}

static uint32_t choose(BlockWork *w, uint32_t target)
{
    int32_t ready, later;
    while (w->waiting_count && w->steps[w->waiting[0]].ready_at <= w->clock)
        heap_push(w, w->heap, &w->heap_count, heap_take(w, w->waiting, &w->waiting_count, 0));
    if (w->heap_count && fits(w, w->change[w->heap[0]], target))
        return heap_take(w, w->heap, &w->heap_count, 0);
    if (!w->heap_count && w->now < target)
        return take_waiting(w, 0);
    uint32_t r = find_thrifty(w, w->heap, w->heap_count, &ready);
    if (w->heap_count && (!w->waiting_count || fits(w, ready, target)))
        return heap_take(w, w->heap, &w->heap_count, r);
    uint32_t l = find_thrifty(w, w->waiting, w->waiting_count, &later);
    if (w->heap_count && ready <= later)
        return heap_take(w, w->heap, &w->heap_count, r);
    return take_waiting(w, w->now < target ? 0 : l);
}

/* A constant is moved into its register when the first reader comes. */
static bool is_lazy(const BlockWork *w, uint32_t s)
{
    const LoweredInsn *insn = insn_at(w, s);
    return insn->machine == MACHINE_MOVE && insn->origin != NO_ID && !w->steps[s].pred_count
           && w->steps[s].succ_count && !w->steps[s].use_count;
}

static void release_readers(BlockWork *w, uint32_t s)
{
    for (uint32_t e = w->steps[s].edge; e; e = w->edges[e - 1].next)
        if (!--w->steps[w->edges[e - 1].to].left)
            heap_push(w, w->heap, &w->heap_count, w->edges[e - 1].to);
}

/* Takes the constants that a step reads, then the step. */
static void take_with_constants(BlockWork *w, uint32_t s)
{
    for (uint32_t e = w->pred_edge[s]; e; e = w->edges[e - 1].next_pred) {
        uint32_t from = w->edges[e - 1].from;
        if (w->steps[from].left != TAKEN && is_lazy(w, from)) {
            take_forward(w, from);
            w->steps[from].left = TAKEN;
        }
    }
    take_forward(w, s);
}

/* What another instruction does too. */
static bool is_part(const BlockWork *w, uint32_t s)
{
    const LoweredInsn *insn = insn_at(w, s);
    return insn->count <= 0 && (insn->machine == MACHINE_ALU || insn->machine == MACHINE_MOVE)
           && w->steps[s].use_count;
}

/* What waited for a step alone may come; what is a part of it comes with it. */
static void release(BlockWork *w, uint32_t s, bool waits)
{
    uint32_t parts[MAX_PARTS + 1], count = 0;
    parts[count++] = s;
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t e = w->steps[parts[p]].edge; e; e = w->edges[e - 1].next) {
            uint32_t to = w->edges[e - 1].to;
            ListScheduleStep *next = &w->steps[to];
            uint32_t done = w->clock + (w->edges[e - 1].is_order ? 1 : latency_of(w, parts[p]));
            next->ready_at = waits && next->ready_at < done ? done : next->ready_at;
            if (--next->left)
                continue;
            if (is_part(w, to) && count <= MAX_PARTS) {
                take_with_constants(w, to);
                parts[count++] = to;
            } else if (waits) {
                heap_push(w, w->waiting, &w->waiting_count, to);
            } else {
                heap_push(w, w->heap, &w->heap_count, to);
            }
        }
}

/* Forward, by the longest way to the end, as results arrive, or as soon as they are under way;
 * beyond target registers, what needs the fewest. */
static void order_eagerly(BlockWork *w, uint32_t target, bool waits)
{
    w->clock = w->heap_count = w->waiting_count = 0;
    begin_changes_forward(w);
    for (uint32_t s = 0; s < w->step_count; s++)
        if (!w->steps[s].pred_count && !is_lazy(w, s))
            heap_push(w, w->heap, &w->heap_count, s);
    for (uint32_t s = 0; s < w->step_count; s++)
        if (is_lazy(w, s))
            release_readers(w, s);
    while (w->heap_count || w->waiting_count) {
        uint32_t s = choose(w, target);
        take_with_constants(w, s);
        release(w, s, waits);
        w->clock += !ptx_lowered_is_copy(insn_at(w, s));
    }
}

/* ---- registers of an order ------------------------------------------------------------------- */

/* What of a warp's registers it reads the machine learns late: they stay taken for LATE steps
 * more. */
static bool reads_late(uint8_t machine)
{
    return machine == MACHINE_GLOBAL || machine == MACHINE_SHARED || machine == MACHINE_SHUFFLE
           || machine == MACHINE_ATOMIC || machine == MACHINE_ATOMIC_SHARED || machine == MACHINE_XU
           || machine == MACHINE_CVT || machine == MACHINE_BITS;
}

static void find_lives(BlockWork *w)
{
    for (uint32_t v = 0; v < w->local_count; v++) {
        w->birth[v] = w->death[v] = 0;
        w->home[v] = NOWHERE;
    }
    for (uint32_t p = 0; p < w->sequence_count; p++) {
        const ListScheduleStep *step = &w->steps[w->sequence[p]];
        const uint32_t *locals = w->locals_of + step->use_first;
        uint32_t late = p + (reads_late(insn_at(w, w->sequence[p])->machine) ? LATE : 0);
        for (uint32_t u = 0; u < step->use_count; u++) {
            uint32_t end = w->locals[locals[u]].is_temporary ? p : late;
            w->death[locals[u]] = end > w->death[locals[u]] ? end : w->death[locals[u]];
        }
        for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
            w->birth[locals[d]] = w->death[locals[d]] = p + 1;
    }
    for (uint32_t v = 0; v < w->local_count; v++)
        if (w->locals[v].is_out || w->death[v] > w->sequence_count)
            w->death[v] = w->sequence_count;
    for (uint32_t k = 0; k < WORDS; k++)
        memset(w->slots[k], 0, (w->sequence_count + 1) * sizeof *w->slots[k]);
    memset(w->anywhere, 0, sizeof w->anywhere);
    memset(w->through, 0, sizeof w->through);
    w->anywhere[0] = w->through[0] = (uint64_t)1 << STACK_POINTER;
}

static bool is_free(const uint64_t *taken, uint32_t place, uint32_t units)
{
    for (uint32_t r = place; r < place + units; r++)
        if (taken[r / 64] >> r % 64 & 1)
            return false;
    return true;
}

/* Whether it lives as long as the region: such values are not in the slots. */
static bool lives_through(const BlockWork *w, uint32_t local)
{
    return !w->birth[local] && w->death[local] == w->sequence_count;
}

/* Those of a word that a value at this place takes. */
static uint64_t bits_in(uint32_t place, uint32_t units, uint32_t word)
{
    uint64_t bits = 0;
    for (uint32_t r = place; r < place + units; r++)
        bits |= r / 64 == word ? (uint64_t)1 << r % 64 : 0;
    return bits;
}

static void settle(BlockWork *w, uint32_t local, uint32_t place)
{
    const uint32_t units = w->locals[local].units;
    const bool is_through = lives_through(w, local);
    w->home[local] = (uint8_t)place;
    for (uint32_t k = place / 64; units && k <= (place + units - 1) / 64; k++) {
        uint64_t bits = bits_in(place, units, k), *slots = w->slots[k];
        w->anywhere[k] |= bits;
        w->through[k] |= is_through ? bits : 0;
        for (uint32_t p = w->birth[local], last = w->death[local]; p <= last && !is_through; p++)
            slots[p] |= bits;
    }
    w->top = place + w->locals[local].units > w->top ? place + w->locals[local].units : w->top;
}

static uint64_t taken_between(const uint64_t *slots, uint32_t first, uint32_t last)
{
    uint64_t taken = 0;
    for (uint32_t p = first; p <= last; p++)
        taken |= slots[p];
    return taken;
}

/* The first place of so many free registers side by side: a pair at an even one, more than two at a
 * multiple of four, one alone at one of this bank, or of either. */
/* Where in a word of 64 registers a value of these units may begin. */
static uint64_t starts_in_bank(uint32_t units, unsigned bank)
{
    static const uint64_t even = UINT64_MAX / 3;
    if (units == 2 || bank == 0)
        return even;
    return bank < ANY_BANK ? ~even : UINT64_MAX;
}

static uint32_t free_place(const uint64_t *taken, uint32_t units, unsigned bank)
{
    const uint64_t mask = starts_in_bank(units, bank);
    for (uint32_t k = 0; k < WORDS && units <= 2; k++) {
        uint64_t open = ~(taken[k] | (units == 2 ? taken[k] >> 1 : 0)) & mask;
        if (open)
            return 64 * k + (uint32_t)__builtin_ctzll(open);
    }
    uint32_t place = units <= 2 ? NOWHERE : 0;
    while (place + units < NOWHERE && !is_free(taken, place, units))
        place += 4;
    return place;
}

/* Values that live as long as the region, which nothing in it reads. */
static void settle_passing(BlockWork *w, uint32_t units)
{
    for (uint32_t i = 0; i < w->passing[units]; i++) {
        uint32_t place = free_place(w->anywhere, units, ANY_BANK);
        if (place + units >= NOWHERE)
            return;
        uint64_t bits = (((uint64_t)1 << units) - 1) << place % 64;
        w->anywhere[place / 64] |= bits;
        w->through[place / 64] |= bits;
        w->top = place + units > w->top ? place + units : w->top;
    }
}

/* Puts values side by side, into the first registers that are free as long as they live. */
static void settle_group(BlockWork *w, const uint32_t *locals, uint32_t count, uint32_t units,
                         unsigned bank)
{
    uint64_t taken[WORDS];
    bool is_through = lives_through(w, locals[0]);
    memcpy(taken, is_through ? w->anywhere : w->through, sizeof taken);
    for (uint32_t i = 0; i < count && !is_through; i++)
        for (uint32_t k = 0; k <= w->top / 64; k++)
            taken[k] |= taken_between(w->slots[k], w->birth[locals[i]], w->death[locals[i]]);
    uint32_t place = free_place(taken, units, bank);
    for (uint32_t i = 0; i < count && place + units < NOWHERE; i++) {
        settle(w, locals[i], place);
        place += w->locals[locals[i]].units;
    }
}

/* Adds up in which banks the other operands of a step that reads a value are. */
static void count_banks(const BlockWork *w, uint32_t s, uint32_t local, uint32_t *seen)
{
    const ListScheduleStep *step = &w->steps[s];
    const uint32_t *uses = w->locals_of + step->use_first;
    bool is_read = false;
    for (uint32_t u = 0; u < step->use_count; u++)
        is_read |= uses[u] == local;
    for (uint32_t u = 0; is_read && u < step->use_count; u++)
        if (uses[u] != local && w->home[uses[u]] != NOWHERE && w->locals[uses[u]].units)
            seen[w->home[uses[u]] % BANKS]++;
}

/* The bank where it conflicts with no other. */
static unsigned bank_for(const BlockWork *w, uint32_t local)
{
    uint32_t seen[BANKS] = { 0 };
    for (uint32_t e = w->maker[local] ? w->steps[w->maker[local] - 1].edge : 0; e;
         e = w->edges[e - 1].next)
        count_banks(w, w->edges[e - 1].to, local, seen);
    return seen[0] == seen[1] ? ANY_BANK : seen[0] > seen[1];
}

/* What a step reads last stays taken for a while: before sm_90 not to what that very step
 * writes. */
static void hold_late(BlockWork *w, uint32_t p, bool is_held)
{
    const ListScheduleStep *step = &w->steps[w->sequence[p]];
    for (uint32_t u = 0; u < step->use_count; u++) {
        uint32_t local = w->locals_of[step->use_first + u];
        if (w->home[local] == NOWHERE
            || w->death[local] != (p + LATE < w->sequence_count ? p + LATE : w->sequence_count)
            || lives_through(w, local) || w->locals[local].is_out)
            continue;
        for (uint32_t r = w->home[local]; r < (uint32_t)w->home[local] + w->locals[local].units;
             r++)
            for (uint32_t q = p + 1; q <= w->death[local]; q++)
                w->slots[r / 64][q] = is_held ? w->slots[r / 64][q] | (uint64_t)1 << r % 64
                                              : w->slots[r / 64][q] & ~((uint64_t)1 << r % 64);
    }
}

/* Values of so many units, those that come in first. */
static void settle_values(BlockWork *w, uint32_t low, uint32_t high)
{
    for (uint32_t v = 0; v < w->local_count; v++)
        if (!w->maker[v] && (w->locals[v].uses || w->locals[v].is_out) && w->locals[v].units >= low
            && w->locals[v].units <= high)
            settle_group(w, &v, 1, w->locals[v].units, ANY_BANK);
    if (low < PASSING)
        settle_passing(w, low);
    for (uint32_t p = 0; p < w->sequence_count; p++) {
        const ListScheduleStep *step = &w->steps[w->sequence[p]];
        const uint32_t *defs = w->locals_of + step->use_first + step->use_count;
        uint32_t units = 0;
        bool is_group = step->def_count && !w->locals[defs[0]].is_temporary;
        for (uint32_t d = 0; d < step->def_count; d++) {
            units += w->locals[defs[d]].units;
            if (!is_group && low == 1)
                settle_group(w, &defs[d], 1, 1, ANY_BANK);
        }
        if (!is_group || units < low || units > high)
            continue;
        bool is_late = w->sm < LOADS_PARAMETERS_SM
                       && reads_late(insn_at(w, w->sequence[p])->machine);
        if (is_late)
            hold_late(w, p, false);
        settle_group(w, defs, step->def_count, units,
                     units == 1 && step->def_count == 1 ? bank_for(w, defs[0]) : ANY_BANK);
        if (is_late)
            hold_late(w, p, true);
    }
}

/* The wide ones first. The highest register that is taken, plus 1; 0 where an earlier region is
 * sure to take more. */
static uint32_t settle_all(BlockWork *w, uint32_t *highest)
{
    w->top = 0;
    if (w->most + SCATTERED < *highest)
        return 0;
    find_lives(w);
    settle_values(w, 3, UINT32_MAX);
    settle_values(w, 2, 2);
    settle_values(w, 1, 1);
    *highest = w->top > *highest ? w->top : *highest;
    return w->top;
}

static void note_order(BlockWork *w, IssueOrder order, BlockPressure *out)
{
    out->most[order] = w->most;
    out->wide[order] = w->most_wide;
    out->top[order] = order == ORDER_TARGET || order == ORDER_STRAIGHT
                          ? settle_all(w, &w->highest[order])
                          : 0;
}

static void order_within(BlockWork *w, IssueOrder order, uint32_t target, BlockPressure *out)
{
    begin_order(w, false);
    order_eagerly(w, target, order != ORDER_STRAIGHT);
    note_order(w, order, out);
}

/* No target is missed by more than what the frugal order takes. */
static void bound_target(uint32_t target, BlockPressure *out)
{
    if (out->most[ORDER_TARGET] <= target || out->most[ORDER_TARGET] <= out->most[ORDER_FRUGAL])
        return;
    out->most[ORDER_TARGET] = out->most[ORDER_FRUGAL] > target ? out->most[ORDER_FRUGAL] : target;
    out->wide[ORDER_TARGET] = out->wide[ORDER_FRUGAL];
}

void ptx_region_pressure(BlockWork *w, BlockId first, uint32_t repeat, uint32_t target,
                         BlockPressure *out)
{
    build_region(w, first, repeat);
    find_readers(w);
    find_heights(w);
    begin_order(w, false);
    order_as_written(w, out);
    note_order(w, ORDER_PROGRAM, out);
    begin_order(w, true);
    order_frugally(w);
    note_order(w, ORDER_FRUGAL, out);
    order_within(w, ORDER_EAGER, INT32_MAX, out);
    if (out->most[ORDER_EAGER] < target)
        note_order(w, ORDER_TARGET, out);       /* the same order */
    else
        order_within(w, ORDER_TARGET, target, out);
    order_within(w, ORDER_STRAIGHT, target, out);
    if (out->most[ORDER_FRUGAL] > out->most[ORDER_PROGRAM]) {
        out->most[ORDER_FRUGAL] = out->most[ORDER_PROGRAM];
        out->wide[ORDER_FRUGAL] = out->wide[ORDER_PROGRAM];
    }
    bound_target(target, out);
}

/* No order has more at once than all values that a region makes, reads and leaves behind. */
static bool may_exceed(const BlockWork *w, BlockId first, uint32_t registers)
{
    const Lowered *l = w->lowered;
    const BlockId last = w->last[first];
    uint32_t units = 0;
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++)
        units += w->units[w->live->out[o]];
    for (uint32_t i = l->first[first]; i < l->first[last + 1] && units <= registers; i++) {
        const LoweredInsn *insn = &l->insns[i];
        units += insn->use_count ? 1u : 1u + MAX_TEMPORARIES;       /* 1: a factor */
        for (uint32_t o = 0; o < (uint32_t)insn->def_count + insn->use_count; o++)
            units += w->units[l->operands[insn->operand_first + o]];
    }
    return units > registers;
}

bool ptx_region_exceeds(BlockWork *w, BlockId first, uint32_t registers)
{
    if (!may_exceed(w, first, registers))
        return false;
    build_region(w, first, 1);
    find_readers(w);
    begin_order(w, false);
    for (uint32_t s = 0; s < w->step_count; s++)
        take_forward(w, s);
    if (w->most <= registers)
        return false;
    begin_order(w, true);
    order_frugally(w);
    return w->most > registers;
}

void ptx_region_retarget(BlockWork *w, uint32_t target, BlockPressure *out)
{
    order_within(w, ORDER_TARGET, target, out);
    order_within(w, ORDER_STRAIGHT, target, out);
    bound_target(target, out);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* A side that goes under a predicate, or ends the kernel, or a block where the ways of the region
 * meet. */
static bool joins_region(const BlockWork *w, BlockId first, BlockId block)
{
    const Block *b = &w->cfg->blocks[block];
    if (!ptx_block_is_reachable(w->cfg, block)
        || w->loops->loop_of[block] != w->loops->loop_of[first] || !b->pred_count)
        return false;
    for (uint32_t p = 0; p < b->pred_count; p++)
        if (w->cfg->preds[b->pred_first + p] < first || w->cfg->preds[b->pred_first + p] >= block)
            return false;
    bool is_side = b->pred_count == 1 && w->cfg->blocks[block - 1].succ_count > 1;
    bool is_exit = b->succ_count == 1 && w->cfg->succs[b->succ_first] == EXIT_BLOCK;
    return !is_side || is_exit || w->lowered->runs_with[block] != block;
}

uint32_t ptx_region_out(const BlockWork *w, BlockId first)
{
    const BlockId last = w->last[first];
    uint32_t units = 0;
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++) {
        const LoweredValue *value = &w->lowered->values[w->live->out[o]];
        units += value->file == LOWERED_REG ? value->units : 0;
    }
    return units;
}

BlockId ptx_region_last(const BlockWork *w, BlockId first)
{
    return w->last[first];
}

static uint32_t region_length(const BlockWork *w, BlockId first)
{
    return w->lowered->first[w->last[first] + 1] - w->lowered->first[first];
}

uint32_t ptx_region_repeat(const BlockWork *w, BlockId first)
{
    const Block *b = &w->cfg->blocks[w->last[first]];
    LoopId loop = w->loops->loop_of[first];
    bool loops = false;
    for (uint32_t s = 0; s < b->succ_count && loop != NO_LOOP;
         s++) /* code that nothing reaches is in no loop */
        loops |= w->cfg->succs[b->succ_first + s] == first;
    uint32_t times = loops ? w->lowered->unrolled[loop].times : 1, length = region_length(w, first);
    uint32_t most = 2;
    if (length < MAX_UNROLLED / 2)
        most = MAX_UNROLLED / ptx_u32_max(length, 1);
    return ptx_u32_min(times, most);
}

static void find_regions(BlockWork *w)
{
    for (BlockId first = 0; first < w->cfg->block_count; first = w->last[first] + 1) {
        BlockId last = first;
        while (last + 1 < w->cfg->block_count && joins_region(w, first, last + 1))
            last++;
        w->last[first] = last;
    }
}

/* The most that a region takes. */
typedef struct RegionRoom {
    uint32_t steps, operands, outs;
} RegionRoom;

static RegionRoom room_for_regions(const BlockWork *w)
{
    const Lowered *lowered = w->lowered;
    const LoweredLive *live = w->live;
    RegionRoom room = { 0, 0, 0 };
    for (BlockId b = 0; b < w->cfg->block_count; b = w->last[b] + 1) {
        uint32_t here = 0, out = live->first[w->last[b] + 1] - live->first[w->last[b]],
                 repeat = ptx_region_repeat(w, b);
        for (uint32_t i = lowered->first[b]; i < lowered->first[w->last[b] + 1]; i++)
            /* 1: a factor */
            here += 2u * lowered->insns[i].def_count + lowered->insns[i].use_count + 1
                    + (lowered->insns[i].use_count ? 0 : 2 * MAX_TEMPORARIES);
        room.steps = ptx_u32_max(room.steps, repeat * region_length(w, b));
        room.operands = ptx_u32_max(room.operands, repeat * here);
        room.outs = ptx_u32_max(room.outs, out);
    }
    room.steps += MAX_FACTORS;
    room.operands += MAX_FACTORS;
    return room;
}

BlockWork *ptx_block_work_new(Arena *arena, const FuncFlow *flow, const Lowered *lowered,
                              const Defs *defs, unsigned sm)
{
    const uint8_t *units = find_units(arena, lowered, sm);
    const LoweredLive *live = ptx_lowered_live_compute(arena, lowered, flow->cfg);
    if (!live)
        return NULL;
    BlockWork *w = ptx_arena_new(arena, BlockWork);
    *w = (BlockWork){ .arena = arena,
                      .lowered = lowered,
                      .live = live,
                      .units = units,
                      .func = flow->func,
                      .cfg = flow->cfg,
                      .loops = flow->loops,
                      .defs = defs,
                      .sm = sm };
    w->last = ptx_arena_array(arena, BlockId, flow->cfg->block_count + 1);
    find_regions(w);
    const RegionRoom room = room_for_regions(w);
    const uint32_t steps = room.steps, operands = room.operands, outs = room.outs;
    w->edge_capacity = 2 * steps;
    w->local_of = ptx_arena_array(arena, uint32_t, lowered->value_count + MAX_FACTORS);
    w->stamp = ptx_arena_array(arena, uint32_t, lowered->value_count + MAX_FACTORS);
    w->insn_of = ptx_arena_array(arena, uint32_t, steps + 1);
    w->locals = ptx_arena_array(arena, Local, operands + outs + 1);
    w->maker = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->last_reader = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->readers = ptx_arena_array(arena, uint32_t, operands + 1);
    w->readers_end = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->change = ptx_arena_array(arena, int32_t, steps + 1);
    w->locals_of = ptx_arena_array(arena, uint32_t, operands + 1);
    w->steps = ptx_arena_array(arena, ListScheduleStep, steps + 1);
    w->pred_edge = ptx_arena_array(arena, uint32_t, steps + 1);
    w->heap = ptx_arena_array(arena, uint32_t, steps + 1);
    w->waiting = ptx_arena_array(arena, uint32_t, steps + 1);
    w->edges = ptx_arena_array(arena, ListScheduleEdge, w->edge_capacity + 1);
    w->sequence = ptx_arena_array(arena, uint32_t, steps + 1);
    w->birth = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->death = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->home = ptx_arena_array(arena, uint8_t, operands + outs + 1);
    for (uint32_t k = 0; k < WORDS; k++)
        w->slots[k] = ptx_arena_array(arena, uint64_t, steps + 1);
    return w;
}
