#include "estimate/pressure_block.h"

enum {
    WINDOW = 48,                /* candidates that are looked at where registers decide: bounds the time of a choice */
    READERS_MOST = 16,          /* loads that a store waits for */
    SIDE_MOST = 8,              /* machine instructions of a side that goes under a predicate */
    UNROLLED_MOST = 400,        /* machine instructions of a loop that are put in order together */
    NOWHERE = UINT8_MAX,
    STACK_POINTER = 1,          /* its register, which nothing else gets */
};

/* Cycles until a result can be used, as far as an order takes them into account: what a cache hit takes of memory. */
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
    uint8_t place;              /* the register it begins in, while it is live; NOWHERE */
    bool is_out, is_live;
} Local;

typedef struct Step {
    uint32_t use_first;         /* into BlockWork.locals_of */
    uint16_t use_count, def_count;
    uint32_t edge;              /* successors: index + 1 into edges */
    uint32_t pred_count, succ_count, left;
    uint32_t height;            /* cycles to the block's end */
    uint32_t ready_at;
} Step;

typedef struct Edge {
    uint32_t to, next;
    uint32_t from, next_pred;
} Edge;

struct BlockWork {
    Arena *arena;
    const Lowered *lowered;
    const LoweredLive *live;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Unrolling *unrolled;  /* per loop */
    BlockId *last;              /* per block that begins a region */
    uint32_t *insn_of;          /* per step */
    uint32_t *local_of;         /* per value: local + 1 in this block */
    uint32_t *stamp;            /* per value: the build that local_of is of */
    uint32_t build;
    Local *locals;
    uint32_t local_count;
    uint32_t *locals_of;        /* per step: uses, then defs */
    uint32_t locals_of_count;
    uint32_t *maker;            /* per local: step + 1; 0: comes in */
    Step *steps;
    uint32_t step_count;
    Edge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t *pred_edge;        /* per step: index + 1 */
    uint32_t *heap, *waiting;
    uint32_t heap_count, waiting_count;
    uint32_t clock;
    uint32_t now, now_wide, most, most_wide;
    uint64_t taken[4];          /* registers, by bit */
    uint32_t top;               /* the highest that was taken + 1 */
    uint32_t *last_reader;      /* per local: the step that reads it last so far + 1 */
};

static uint8_t units_of(const LoweredValue *value)
{
    return value->file == LOWERED_REG ? value->units : 0;
}

/* ---- the graph of a block ---------------------------------------------------------------------------------------- */

static void add_edge(BlockWork *w, uint32_t from, uint32_t to)
{
    if (from == to || w->edge_count == w->edge_capacity)
        return;
    if (w->pred_edge[to] && w->edges[w->pred_edge[to] - 1].from == from)
        return;
    w->edges[w->edge_count] = (Edge){ to, w->steps[from].edge, from, w->pred_edge[to] };
    w->steps[from].edge = w->pred_edge[to] = ++w->edge_count;
    w->steps[from].succ_count++;
    w->steps[to].pred_count++;
}

static uint32_t new_local(BlockWork *w, LoweredValueId value, uint32_t maker)
{
    w->locals[w->local_count] = (Local){ .units = units_of(&w->lowered->values[value]) };
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

/* A vector that is stored stands in registers side by side: of what it has twice there is a copy. */
static void read_value(BlockWork *w, uint32_t s, LoweredValueId value, bool is_packed)
{
    uint32_t local = local_of(w, value);
    if (w->maker[local])
        add_edge(w, w->maker[local] - 1, s);
    if (w->last_reader[local] == s + 1) {
        w->locals[local].units = (uint8_t)(w->locals[local].units + (is_packed ? units_of(&w->lowered->values[value]) : 0));
        return;
    }
    w->last_reader[local] = s + 1;
    w->locals[local].uses++;
    w->locals_of[w->locals_of_count++] = local;
    w->steps[s].use_count++;
}

static void write_value(BlockWork *w, uint32_t s, LoweredValueId value)
{
    if (w->stamp[value] == w->build && w->last_reader[w->local_of[value]] && w->lowered->values[value].is_variable)
        add_edge(w, w->last_reader[w->local_of[value]] - 1, s);     /* it keeps its register */
    w->stamp[value] = w->build;
    w->local_of[value] = new_local(w, value, s + 1);
    w->locals_of[w->locals_of_count++] = w->local_of[value];
    w->steps[s].def_count++;
}

/* What order memory asks for: by kind of memory, a load behind the last store, a store behind the loads before it; barriers and calls part all. */
typedef struct MemoryOrder {
    uint32_t store[2];          /* step + 1, of global and of shared memory */
    uint32_t readers[2][READERS_MOST];
    uint32_t reader_count[2];
    uint32_t fence;
} MemoryOrder;

static void order_memory(BlockWork *w, MemoryOrder *m, uint32_t s, const Op *op)
{
    bool is_fence = op->insn_class == CLASS_BARRIER || op->kind == OPK_CALL;
    if (!is_fence && !(op->flags & (OPF_LOAD | OPF_STORE)) && op->kind != OPK_ATOM && op->kind != OPK_RED)
        return;
    bool is_const = op->space == SPACE_CONST || op->space == SPACE_PARAM || ptx_op_has_modifier(op, "nc");
    bool is_shared = op->space == SPACE_SHARED || op->space == SPACE_SHARED_CTA;
    bool is_store = is_fence || !(op->flags & OPF_LOAD) || op->kind == OPK_ATOM || op->flags & OPF_SIDE_EFFECT;
    if (is_const)
        return;
    if (m->fence)
        add_edge(w, m->fence - 1, s);
    for (unsigned k = 0; k < 2; k++) {
        if (!is_fence && k != is_shared && op->space != SPACE_GENERIC)
            continue;
        if (m->store[k])
            add_edge(w, m->store[k] - 1, s);
        for (uint32_t r = 0; is_store && r < m->reader_count[k]; r++)
            add_edge(w, m->readers[k][r], s);
        if (is_store) {
            m->store[k] = s + 1;
            m->reader_count[k] = 0;
        } else {
            m->readers[k][m->reader_count[k] < READERS_MOST ? m->reader_count[k]++ : READERS_MOST - 1] = s;
        }
    }
    if (is_fence)
        m->fence = s + 1;
}

/* What a side writes, and what came before it, are one value behind it. */
static void add_step(BlockWork *w, MemoryOrder *memory, uint32_t i, bool is_side)
{
    const LoweredInsn *insn = &w->lowered->insns[i];
    bool is_packed = insn->origin != NO_ID && w->func->insns[insn->origin].op->flags & OPF_STORE && w->func->insns[insn->origin].op->vector > 1;
    uint32_t s = w->step_count++;
    w->insn_of[s] = i;
    w->steps[s] = (Step){ .use_first = w->locals_of_count };
    w->pred_edge[s] = 0;
    if (s && insn->origin != NO_ID && w->lowered->insns[w->insn_of[s - 1]].origin == insn->origin)
        add_edge(w, s - 1, s);          /* of one instruction: the first reads, the last writes */
    for (uint32_t u = 0; u < insn->use_count; u++)
        read_value(w, s, ptx_lowered_uses(w->lowered, insn)[u], is_packed);
    for (uint32_t d = 0; d < insn->def_count; d++) {
        LoweredValueId value = ptx_lowered_defs(w->lowered, insn)[d];
        if ((is_side || insn->is_predicated) && w->lowered->values[value].is_variable && w->stamp[value] == w->build)
            read_value(w, s, value, false);
    }
    for (uint32_t d = 0; d < insn->def_count; d++)
        write_value(w, s, ptx_lowered_defs(w->lowered, insn)[d]);
    if (insn->origin != NO_ID)
        order_memory(w, memory, s, w->func->insns[insn->origin].op);
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
                    add_step(w, &memory, i, block != first && w->cfg->blocks[block].pred_count == 1);
    for (uint32_t o = w->live->first[last]; o < w->live->first[last + 1]; o++)
        w->locals[local_of(w, w->live->out[o])].is_out = true;
}

static uint32_t latency_of(const BlockWork *w, uint32_t s)
{
    const LoweredInsn *insn = &w->lowered->insns[w->insn_of[s]];
    uint32_t repeat = insn->count > 1 && insn->count < 1000 ? (uint32_t)insn->count - 1 : 0;
    return latencies[insn->machine] + 4 * repeat;
}

static void find_heights(BlockWork *w)
{
    for (uint32_t s = w->step_count; s-- > 0;) {
        uint32_t most = 0;
        for (uint32_t e = w->steps[s].edge; e; e = w->edges[e - 1].next)
            most = w->steps[w->edges[e - 1].to].height > most ? w->steps[w->edges[e - 1].to].height : most;
        w->steps[s].height = most + latency_of(w, s);
    }
}

/* ---- registers while an order grows ------------------------------------------------------------------------------ */

static uint64_t bits_at(uint32_t place, uint32_t units)
{
    return (((uint64_t)1 << units) - 1) << place % 64;
}

/* The first registers that are free: a pair at an even one, more than two at a multiple of four. */
static uint8_t find_place(const BlockWork *w, uint32_t units)
{
    uint32_t step = units > 2 ? 4 : units ? units : 1;
    for (uint32_t place = 0; units && units <= 8 && place + units < NOWHERE; place += step)
        if (place % 64 + units <= 64 && !(w->taken[place / 64] & bits_at(place, units)))
            return (uint8_t)place;
    return NOWHERE;
}

static void take_place(BlockWork *w, Local *local, uint8_t place)
{
    local->place = place;
    if (place == NOWHERE)
        return;
    w->taken[place / 64] |= bits_at(place, local->units);
    w->top = (uint32_t)place + local->units > w->top ? (uint32_t)place + local->units : w->top;
}

static void leave_place(BlockWork *w, Local *local)
{
    if (local->place != NOWHERE)
        w->taken[local->place / 64] &= ~bits_at(local->place, local->units);
    local->place = NOWHERE;
}

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
    w->now = w->now_wide = w->most = w->most_wide = w->top = 0;
    memset(w->taken, 0, sizeof w->taken);
    w->taken[0] = (uint64_t)1 << STACK_POINTER;
    for (uint32_t v = 0; v < w->local_count; v++) {
        w->locals[v].left = w->locals[v].uses;
        w->locals[v].is_live = false;
        w->locals[v].place = NOWHERE;
        if (from_end ? w->locals[v].is_out : !w->maker[v] && (w->locals[v].uses || w->locals[v].is_out)) {
            count_in(w, &w->locals[v]);
            if (!from_end)
                take_place(w, &w->locals[v], find_place(w, w->locals[v].units));
        }
    }
    note_most(w);
    for (uint32_t s = 0; s < w->step_count; s++) {
        w->steps[s].left = from_end ? w->steps[s].succ_count : w->steps[s].pred_count;
        w->steps[s].ready_at = 0;
    }
}

/* Results of one instruction stand side by side. */
static void place_results(BlockWork *w, const Step *step)
{
    const uint32_t *locals = w->locals_of + step->use_first + step->use_count;
    uint32_t units = 0;
    for (uint32_t d = 0; d < step->def_count; d++)
        units += w->locals[locals[d]].units;
    uint8_t place = find_place(w, units);
    for (uint32_t d = 0; d < step->def_count; d++) {
        Local *local = &w->locals[locals[d]];
        take_place(w, local, place == NOWHERE ? find_place(w, local->units) : place);
        if (place != NOWHERE)
            place = (uint8_t)(place + local->units);
    }
}

/* Forward: what dies at s, then what it makes. */
static void take_forward(BlockWork *w, uint32_t s)
{
    const Step *step = &w->steps[s];
    const uint32_t *locals = w->locals_of + step->use_first;
    for (uint32_t u = 0; u < step->use_count; u++) {
        Local *local = &w->locals[locals[u]];
        if (!--local->left && !local->is_out && local->is_live) {
            count_out(w, local);
            leave_place(w, local);
        }
    }
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        count_in(w, &w->locals[locals[d]]);
    place_results(w, step);
    note_most(w);
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        if (!w->locals[locals[d]].uses && !w->locals[locals[d]].is_out) {
            count_out(w, &w->locals[locals[d]]);
            leave_place(w, &w->locals[locals[d]]);
        }
}

/* Registers more, less those that die. */
static int32_t change_forward(const BlockWork *w, uint32_t s)
{
    const Step *step = &w->steps[s];
    const uint32_t *locals = w->locals_of + step->use_first;
    int32_t change = 0;
    for (uint32_t u = 0; u < step->use_count; u++)
        change -= w->locals[locals[u]].left == 1 && !w->locals[locals[u]].is_out ? w->locals[locals[u]].units : 0;
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        change += w->locals[locals[d]].units;
    return change;
}

static void take_backward(BlockWork *w, uint32_t s)
{
    const Step *step = &w->steps[s];
    const uint32_t *locals = w->locals_of + step->use_first;
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        if (!w->locals[locals[d]].is_live)
            count_in(w, &w->locals[locals[d]]);
    note_most(w);
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        count_out(w, &w->locals[locals[d]]);
    for (uint32_t u = 0; u < step->use_count; u++)
        if (!w->locals[locals[u]].is_live)
            count_in(w, &w->locals[locals[u]]);
    note_most(w);
}

static int32_t change_backward(const BlockWork *w, uint32_t s)
{
    const Step *step = &w->steps[s];
    const uint32_t *locals = w->locals_of + step->use_first;
    int32_t change = 0;
    for (uint32_t u = 0; u < step->use_count; u++)
        change += w->locals[locals[u]].is_live ? 0 : w->locals[locals[u]].units;
    for (uint32_t d = step->use_count; d < step->use_count + step->def_count; d++)
        change -= w->locals[locals[d]].is_live ? w->locals[locals[d]].units : 0;
    return change;
}

/* ---- the orders -------------------------------------------------------------------------------------------------- */

/* Notes the registers where expansions stand. */
static void order_as_written(BlockWork *w, BlockPressure *out)
{
    out->at_expansion = 0;
    memset(out->at, 0, sizeof out->at);
    for (uint32_t s = 0; s < w->step_count; s++) {
        const LoweredInsn *insn = &w->lowered->insns[w->insn_of[s]];
        Expansion kind = insn->origin == NO_ID ? EXPANSION_NONE : ptx_op_expansion(w->func->insns[insn->origin].op);
        out->at[kind] = w->now > out->at[kind] ? w->now : out->at[kind];
        if (insn->count >= EXPANSION_LEAST && w->now > out->at_expansion)
            out->at_expansion = w->now;
        take_forward(w, s);
    }
}

/* The ready instruction that needs the fewest registers among the latest WINDOW ones; of equals the last in the program. */
static void order_frugally(BlockWork *w)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < w->step_count; s++)
        if (!w->steps[s].left)
            w->heap[count++] = s;
    while (count) {
        uint32_t best = count - 1, from = count > WINDOW ? count - WINDOW : 0;
        int32_t least = INT32_MAX;
        for (uint32_t c = from; c < count; c++) {
            int32_t change = change_backward(w, w->heap[c]);
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
    const Step *x = &w->steps[a], *y = &w->steps[b];
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
static uint32_t find_thrifty(const BlockWork *w, const uint32_t *heap, uint32_t count, int32_t *least)
{
    uint32_t best = 0;
    *least = INT32_MAX;
    for (uint32_t i = 0; i < count && i < WINDOW; i++) {
        int32_t change = change_forward(w, heap[i]);
        if (change < *least) {
            *least = change;
            best = i;
        }
    }
    return best;
}

static uint32_t choose(BlockWork *w, uint32_t target)
{
    while (w->waiting_count && w->steps[w->waiting[0]].ready_at <= w->clock)
        heap_push(w, w->heap, &w->heap_count, heap_take(w, w->waiting, &w->waiting_count, 0));
    if (w->heap_count && w->now + (uint32_t)(change_forward(w, w->heap[0]) > 0 ? change_forward(w, w->heap[0]) : 0) <= target)
        return heap_take(w, w->heap, &w->heap_count, 0);
    int32_t ready, later;
    uint32_t r = find_thrifty(w, w->heap, w->heap_count, &ready), l = find_thrifty(w, w->waiting, w->waiting_count, &later);
    if (w->heap_count && (ready <= later || !w->waiting_count || w->now + (uint32_t)(ready > 0 ? ready : 0) <= target))
        return heap_take(w, w->heap, &w->heap_count, r);
    if (w->now < target)
        l = 0;
    uint32_t s = heap_take(w, w->waiting, &w->waiting_count, l);
    w->clock = w->steps[s].ready_at > w->clock ? w->steps[s].ready_at : w->clock;
    return s;
}

/* Forward, by the longest way to the end, as results arrive; beyond target registers, what needs the fewest. */
static void order_eagerly(BlockWork *w, uint32_t target)
{
    w->clock = w->heap_count = w->waiting_count = 0;
    for (uint32_t s = 0; s < w->step_count; s++)
        if (!w->steps[s].left)
            heap_push(w, w->heap, &w->heap_count, s);
    while (w->heap_count || w->waiting_count) {
        uint32_t s = choose(w, target);
        take_forward(w, s);
        uint32_t done = w->clock + latency_of(w, s);
        for (uint32_t e = w->steps[s].edge; e; e = w->edges[e - 1].next) {
            Step *next = &w->steps[w->edges[e - 1].to];
            next->ready_at = next->ready_at > done ? next->ready_at : done;
            if (!--next->left)
                heap_push(w, w->waiting, &w->waiting_count, w->edges[e - 1].to);
        }
        w->clock++;
    }
}

void ptx_region_pressure(BlockWork *w, BlockId first, uint32_t repeat, uint32_t target, BlockPressure *out)
{
    build_region(w, first, repeat);
    find_heights(w);
    for (unsigned order = 0; order < ORDER__COUNT; order++) {
        begin_order(w, order == ORDER_FRUGAL);
        switch ((Order)order) {
        case ORDER_PROGRAM:
            order_as_written(w, out);
            break;
        case ORDER_FRUGAL:
            order_frugally(w);
            break;
        default:
            order_eagerly(w, order == ORDER_TARGET ? target : INT32_MAX);
        }
        out->most[order] = w->most;
        out->wide[order] = w->most_wide;
        out->top[order] = w->top;
    }
    if (out->most[ORDER_FRUGAL] > out->most[ORDER_PROGRAM]) {
        out->most[ORDER_FRUGAL] = out->most[ORDER_PROGRAM];
        out->wide[ORDER_FRUGAL] = out->wide[ORDER_PROGRAM];
    }
    if (out->most[ORDER_TARGET] > target && out->most[ORDER_TARGET] > out->most[ORDER_FRUGAL]) {
        out->most[ORDER_TARGET] = out->most[ORDER_FRUGAL] > target ? out->most[ORDER_FRUGAL] : target;
        out->wide[ORDER_TARGET] = out->wide[ORDER_FRUGAL];
    }
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static bool has_fence(const BlockWork *w, BlockId block)
{
    const Block *b = &w->cfg->blocks[block];
    for (InsnId i = b->first; i < b->end; i++)
        if (w->func->insns[i].op->insn_class == CLASS_BARRIER || w->func->insns[i].op->kind == OPK_CALL)
            return true;
    return false;
}

/* A short side that only the region leads to, or a block where its ways meet. */
static bool joins_region(const BlockWork *w, BlockId first, BlockId block)
{
    const Block *b = &w->cfg->blocks[block];
    if (!ptx_block_is_reachable(w->cfg, block) || w->loops->loop_of[block] != w->loops->loop_of[first] || !b->pred_count)
        return false;
    for (uint32_t p = 0; p < b->pred_count; p++)
        if (w->cfg->preds[b->pred_first + p] < first || w->cfg->preds[b->pred_first + p] >= block)
            return false;
    bool is_exit = b->succ_count == 1 && w->cfg->succs[b->succ_first] == EXIT_BLOCK;
    bool is_side = b->pred_count == 1 && w->cfg->blocks[block - 1].succ_count > 1;
    return !is_side || is_exit || (w->lowered->first[block + 1] - w->lowered->first[block] <= SIDE_MOST && !has_fence(w, block));
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
    bool loops = false;
    for (uint32_t s = 0; s < b->succ_count; s++)
        loops |= w->cfg->succs[b->succ_first + s] == first;
    uint32_t times = loops ? w->unrolled[w->loops->loop_of[first]].times : 1, length = region_length(w, first);
    uint32_t most = length < UNROLLED_MOST / 2 ? UNROLLED_MOST / (length ? length : 1) : 2;
    return times < most ? times : most;
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

BlockWork *ptx_block_work_new(Arena *arena, const Lowered *lowered, const LoweredLive *live, const Func *func, const Cfg *cfg, const Loops *loops,
                              const Unrolling *unrolled)
{
    BlockWork *w = ptx_arena_new(arena, BlockWork);
    *w = (BlockWork){ .arena = arena, .lowered = lowered, .live = live, .func = func, .cfg = cfg, .loops = loops, .unrolled = unrolled };
    uint32_t steps = 0, operands = 0, outs = 0;
    w->last = ptx_arena_array(arena, BlockId, cfg->block_count + 1);
    find_regions(w);
    for (BlockId b = 0; b < cfg->block_count; b = w->last[b] + 1) {
        uint32_t here = 0, out = live->first[w->last[b] + 1] - live->first[w->last[b]], repeat = ptx_region_repeat(w, b);
        for (uint32_t i = lowered->first[b]; i < lowered->first[w->last[b] + 1]; i++)
            here += 2u * lowered->insns[i].def_count + lowered->insns[i].use_count;
        steps = repeat * region_length(w, b) > steps ? repeat * region_length(w, b) : steps;
        operands = repeat * here > operands ? repeat * here : operands;
        outs = out > outs ? out : outs;
    }
    w->edge_capacity = operands + (READERS_MOST + 5) * steps;
    w->local_of = ptx_arena_array(arena, uint32_t, lowered->value_count + 1);
    w->stamp = ptx_arena_array(arena, uint32_t, lowered->value_count + 1);
    w->insn_of = ptx_arena_array(arena, uint32_t, steps + 1);
    w->locals = ptx_arena_array(arena, Local, operands + outs + 1);
    w->maker = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->last_reader = ptx_arena_array(arena, uint32_t, operands + outs + 1);
    w->locals_of = ptx_arena_array(arena, uint32_t, operands + 1);
    w->steps = ptx_arena_array(arena, Step, steps + 1);
    w->pred_edge = ptx_arena_array(arena, uint32_t, steps + 1);
    w->heap = ptx_arena_array(arena, uint32_t, steps + 1);
    w->waiting = ptx_arena_array(arena, uint32_t, steps + 1);
    w->edges = ptx_arena_array(arena, Edge, w->edge_capacity + 1);
    return w;
}
