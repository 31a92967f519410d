/* What puts the warps of a block in order: barriers of the block, mbarriers, and waiting for copies. */
#include "warp/race.h"

static void join(uint32_t *into, const uint32_t *from, uint32_t count)
{
    for (uint32_t w = 0; w < count; w++)
        into[w] = from[w] > into[w] ? from[w] : into[w];
}

/* The number of a constant operand, or of a register that holds one; false: nobody knows. */
static bool number_of(Machine *m, Warp *w, const Operand *operand, uint32_t lanes, uint64_t *out)
{
    Scratch room;
    const Value *value = ptx_machine_read(m, w, operand, &room);
    ptx_blocks_pin(&m->blocks, value);
    *out = ptx_value_lane(value, (unsigned)__builtin_ctz(lanes));
    if (value->unknown & lanes || value->align != ALIGN_EXACT)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && ptx_value_lane(value, i) != *out)
            return false;
    return true;
}

/* bar.sync a, b: a is the barrier, b how many threads. bar.red has a result before them, and a predicate behind. */
static bool read_barrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *number, uint64_t *threads)
{
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned at = 0;
    *number = *threads = 0;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        bool is_predicate = operands[o].kind == OPERAND_REG && func->regs[operands[o].id].type == TYPE_PRED;
        if (operands[o].role & ROLE_DEF || is_predicate || at == 2)
            continue;
        if (!number_of(m, w, &operands[o], lanes, at ? threads : number))
            return false;
        at++;
    }
    return *number < BARRIER_CLUSTER;
}

/* Others will know what the warp has done up to here. */
static void tell(Race *r, Warp *w, BarrierState *barrier)
{
    uint32_t *known = ptx_race_known(r, w->index);
    join(barrier->known, known, r->warp_count);
    known[w->index]++;
}

static Stop stop_of(const Machine *m, const Warp *w, const Insn *insn, uint32_t lanes)
{
    const Func *func = w->frame->routine->func;
    InsnId id = (InsnId)(insn - func->insns);
    return (Stop){ func, id, ptx_machine_place(m, w, id), w->index * WARP_LANES + (uint32_t)__builtin_ctz(lanes) };
}

/* bar, and barrier with .aligned: all lanes of a warp that have not ended must come to the same one. PTX ISA, "bar, barrier". */
static void note_parting(Machine *m, const Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    bool is_aligned = !strncmp(insn->op->text, "bar.", 4) || ptx_op_has_modifier(insn->op, "aligned");
    if (is_aligned && doubt < DOUBT_ORDER && !w->entries[w->entry_count - 1].is_loose)
        m->race->parting = (Parting){ .at = stop_of(m, w, insn, lanes), .warp = w->index, .others = w->live & ~lanes };
}

/* What lanes do that did not come to the barrier with the others of their warp: they come later, or do something else. That they end is no matter, whether at
 * once or by a branch to the end. */
void ptx_race_go_on(Machine *m, const Warp *w, const Insn *insn, uint32_t lanes)
{
    Parting *p = &m->race->parting;
    const uint32_t here = lanes & p->others;
    if (p->warp != w->index || !here)
        return;
    if (w->frame->routine->func == p->at.func && (InsnId)(insn - p->at.func->insns) == p->at.insn) {
        p->others &= ~here;
        return;
    }
    if (!(p->gone & p->others))
        p->other = stop_of(m, w, insn, here);
    p->gone |= here;
}

void ptx_race_barrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Race *r = m->race;
    uint64_t number, threads;
    bool is_arrival = ptx_op_has_modifier(insn->op, "arrive");
    w->is_waiting = !is_arrival;
    if (r->left_out && r->func == w->frame->routine->func && r->left_out[insn - r->func->insns]) {
        w->is_waiting = false;
        return;
    }
    if (r->parting.at.func)
        ptx_race_go_on(m, w, insn, lanes);
    if (r->is_lost)
        return;
    r->is_doubtful |= doubt >= DOUBT_PARAMETER;
    if (lanes != w->live)
        note_parting(m, w, insn, lanes, doubt);
    if (lanes != w->live || !read_barrier(m, w, insn, lanes, &number, &threads)) {
        r->is_lost = true;
        return;
    }
    BarrierState *barrier = &r->barriers[number];
    tell(r, w, barrier);
    barrier->threads += WARP_LANES;             /* of a warp that is not full as well: PTX ISA, "bar" */
    barrier->wanted = (uint32_t)threads;
    r->is_partial |= is_arrival || (threads && threads < (uint64_t)r->warp_count * WARP_LANES);
    w->barrier = (uint8_t)(is_arrival ? w->barrier : 1 + number);
}

/* A barrier that the code does not have: before an instruction. */
bool ptx_race_is_put(Machine *m, Warp *w, const Insn *insn)
{
    Race *r = m->race;
    const Entry *top = &w->entries[w->entry_count - 1];
    bool is_put = false;
    for (uint32_t p = 0; p < r->put_count && w->frame->routine->func == r->func; p++)
        is_put |= r->puts[p] == (InsnId)(insn - r->func->insns);
    if (!is_put || r->is_lost)
        return false;
    w->is_at_put = !w->is_at_put;
    if (!w->is_at_put)          /* behind it */
        return false;
    r->put_partly += top->lanes != w->live;
    tell(r, w, &r->barriers[0]);
    r->barriers[0].threads += WARP_LANES;
    r->barriers[0].wanted = 0;
    w->barrier = 1;
    w->is_waiting = true;
    return true;
}

/* A function of another file might hold barriers; those of the run-time library do not. */
void ptx_race_call(Machine *m, const Operand *callee)
{
    static const char *const library[] = { "vprintf", "malloc", "free", "__assertfail" };
    bool is_known = false;
    for (size_t i = 0; callee && callee->kind == OPERAND_FUNCTION && i < sizeof library / sizeof *library; i++) {
        const Span name = m->module->funcs[callee->id].name;
        is_known |= strlen(library[i]) == ptx_span_length(name) && !memcmp(m->module->text + name.begin, library[i], ptx_span_length(name));
    }
    m->race->is_lost |= !is_known;
}

/* ---- copies ------------------------------------------------------------------------------------------------------- */

/* All groups but the last `left` are done. */
static void wait_for(Race *r, uint32_t warp, uint32_t left)
{
    Copies *c = &r->copies[warp];
    if (c->committed < left || c->committed - left <= c->done)
        return;
    c->done = c->committed - left;
    if (c->wait_count == c->upto_capacity) {
        c->upto = ptx_machine_grow(r->arena, c->upto, c->wait_count, &c->upto_capacity, sizeof *c->upto);
        c->clocks = ptx_machine_grow(r->arena, c->clocks, c->wait_count, &c->clock_capacity, sizeof *c->clocks);
    }
    c->upto[c->wait_count] = c->done;
    c->clocks[c->wait_count++] = ptx_race_known(r, warp)[warp];
}

uint32_t ptx_race_done(const Race *r, uint32_t warp, uint32_t group)
{
    const Copies *c = &r->copies[warp];
    uint32_t low = 0, high = c->wait_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (c->upto[middle] > group)
            high = middle;
        else
            low = middle + 1;
    }
    return low < c->wait_count ? c->clocks[low] : UINT32_MAX;
}

/* ---- mbarriers ----------------------------------------------------------------------------------------------------- */

/* The operand of that number, by its position in the text; NULL. */
static const Operand *operand_at(const Func *func, const Insn *insn, unsigned position)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == position)
            return &operands[o];
    return NULL;
}

/* Where it lies, and what stands behind it in the text: a count, a parity. False: nobody knows. */
static bool read_mbarrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *address, uint64_t *number)
{
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned place = UINT32_MAX;
    Scratch s;
    for (unsigned o = 0; o < insn->operand_count && place == UINT32_MAX; o++)
        if (operands[o].role & ROLE_ADDRESS)
            place = operands[o].position;
    if (!ptx_memory_read_address(m, w, insn, 0, &s) || s.value.unknown & lanes || s.value.align != ALIGN_EXACT || place == UINT32_MAX)
        return false;
    *address = (uint32_t)ptx_value_lane(&s.value, (unsigned)__builtin_ctz(lanes));
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && (uint32_t)ptx_value_lane(&s.value, i) != *address)
            return false;
    const Operand *behind = operand_at(func, insn, place + 1);
    return !number || !behind || number_of(m, w, behind, lanes, number);
}

static Mbarrier *mbarrier_at(Race *r, uint64_t address)
{
    for (uint32_t i = 0; i < r->mbarrier_count; i++)
        if (r->mbarriers[i].address == address)
            return &r->mbarriers[i];
    return NULL;
}

static bool init_mbarrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes)
{
    Race *r = m->race;
    uint64_t address, count = 0;
    if (!read_mbarrier(m, w, insn, lanes, &address, &count) || !count || count > UINT32_MAX)
        return false;
    Mbarrier *b = mbarrier_at(r, address);
    if (!b && r->mbarrier_count == MBARRIERS)
        return false;
    if (!b)
        b = &r->mbarriers[r->mbarrier_count++];
    if (!b->known) {
        b->known = ptx_arena_array(r->arena, uint32_t, r->warp_count);
        b->done = ptx_arena_array(r->arena, uint32_t, r->warp_count);
        b->tokens = ptx_arena_array(r->arena, uint32_t, r->warp_count);
    }
    memset(b->known, 0, r->warp_count * sizeof *b->known);
    memset(b->done, 0, r->warp_count * sizeof *b->done);
    memset(b->tokens, 0, r->warp_count * sizeof *b->tokens);
    b->address = address;
    b->wanted = b->pending = (uint32_t)count;
    b->phase = 0;
    return true;
}

static bool arrive(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, bool is_by_copies)
{
    Race *r = m->race;
    uint64_t address, count = 1;
    bool has_count = !is_by_copies && !ptx_op_has_modifier(insn->op, "expect_tx");
    Mbarrier *b = read_mbarrier(m, w, insn, lanes, &address, has_count ? &count : NULL) ? mbarrier_at(r, address) : NULL;
    if (!b || ptx_op_has_modifier(insn->op, "arrive_drop") || ptx_op_has_modifier(insn->op, "shared::cluster"))
        return false;
    r->is_partial = true;
    uint64_t arrivals = count * ptx_lanes_count(lanes);
    if (is_by_copies && !ptx_op_has_modifier(insn->op, "noinc"))
        arrivals = 0;           /* one more is waited for, and one more comes */
    uint32_t *known = ptx_race_known(r, w->index);
    b->tokens[w->index] = b->phase;
    join(b->known, known, r->warp_count);
    known[w->index]++;
    for (; arrivals >= b->pending; arrivals -= b->pending, b->pending = b->wanted) {
        b->phase++;
        join(b->done, b->known, r->warp_count);
        if (arrivals == b->pending) {
            b->pending = b->wanted;
            return true;
        }
    }
    b->pending -= (uint32_t)arrivals;
    return true;
}

static bool is_past(const Mbarrier *b, uint32_t phase)
{
    return b->phase >= phase;
}

/* False: what it waits for is not known. */
static bool wait_at(Machine *m, Warp *w, const Insn *insn, uint32_t lanes)
{
    Race *r = m->race;
    uint64_t address, parity = 0;
    bool is_parity = ptx_op_has_modifier(insn->op, "parity");
    Mbarrier *b = read_mbarrier(m, w, insn, lanes, &address, is_parity ? &parity : NULL) ? mbarrier_at(r, address) : NULL;
    if (!b)
        return false;
    uint32_t phase = is_parity ? b->phase + ((b->phase & 1) == (parity & 1)) : b->tokens[w->index] + 1;
    if (is_past(b, phase)) {
        join(ptx_race_known(r, w->index), b->done, r->warp_count);
        return true;
    }
    w->is_waiting = true;
    w->barrier = AT_MBARRIER;
    w->mbarrier = (uint32_t)(b - r->mbarriers);
    w->phase = phase;
    return true;
}

/* ---- all of them ---------------------------------------------------------------------------------------------------- */

static uint8_t order_of(const Op *op)
{
    static const struct { const char *begins; uint8_t order; } rows[] = {
        { "cp.async.commit_group", ORDER_COMMIT }, { "cp.async.wait_group", ORDER_WAIT_GROUP }, { "cp.async.wait_all", ORDER_WAIT_ALL },
        { "cp.async.mbarrier.arrive", ORDER_COPIES_ARRIVE }, { "cp.async.bulk", ORDER_BLIND }, { "cp.reduce.async", ORDER_BLIND }, { "wgmma", ORDER_BLIND },
        { "tcgen05", ORDER_BLIND }, { "st.async", ORDER_BLIND }, { "st.bulk", ORDER_BLIND }, { "red.async", ORDER_BLIND }, { "mbarrier.init", ORDER_INIT },
        { "mbarrier.arrive", ORDER_ARRIVE }, { "mbarrier.test_wait", ORDER_WAIT }, { "mbarrier.try_wait", ORDER_WAIT }, { "mbarrier.inval", ORDER_NONE },
        { "mbarrier.expect_tx", ORDER_NONE }, { "mbarrier.pending_count", ORDER_NONE }, { "mbarrier", ORDER_LOST },
        { "barrier.cluster.arrive", ORDER_CLUSTER_ARRIVE }, { "barrier.cluster.wait", ORDER_CLUSTER_WAIT }, { "bar.warp.sync", ORDER_LANES },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(op->text, rows[i].begins, strlen(rows[i].begins)))
            return rows[i].order;
    bool is_access = op->flags & (OPF_LOAD | OPF_STORE);
    return op->flags & OPF_WARP && op->kind != OPK_BAR && !is_access ? ORDER_LANES : ORDER_NONE;
}

static void arrive_at_cluster(Race *r, Warp *w)
{
    r->is_blind = true;         /* other blocks may touch this one's memory */
    tell(r, w, &r->barriers[BARRIER_CLUSTER]);
    r->barriers[BARRIER_CLUSTER].threads += WARP_LANES;
}

bool ptx_race_order(Machine *m, Warp *w, const Insn *insn, Decoded *code, uint32_t lanes, uint8_t doubt)
{
    Race *r = m->race;
    uint32_t *own = &ptx_race_known(r, w->index)[w->index];
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    bool is_followed = true;
    if (!code->order)
        code->order = order_of(insn->op);
    if (code->order == ORDER_NONE || r->is_lost)
        return true;
    switch ((Order)code->order) {
    case ORDER_LANES:           (*own)++; break;
    case ORDER_COMMIT:          r->copies[w->index].committed++; break;
    case ORDER_WAIT_GROUP:      wait_for(r, w->index, insn->operand_count ? (uint32_t)operands->value : 0); break;
    case ORDER_WAIT_ALL:
        r->copies[w->index].committed++;
        wait_for(r, w->index, 0);
        break;
    case ORDER_COPIES_ARRIVE:
        r->copies[w->index].committed++;
        wait_for(r, w->index, 0);
        ptx_race_touch(m, w, insn, lanes, doubt, true);
        is_followed = arrive(m, w, insn, lanes, true);
        break;
    case ORDER_INIT:
        ptx_race_touch(m, w, insn, lanes, doubt, false);
        is_followed = init_mbarrier(m, w, insn, lanes);
        break;
    case ORDER_ARRIVE:
        ptx_race_touch(m, w, insn, lanes, doubt, true);
        is_followed = doubt < DOUBT_DATA && arrive(m, w, insn, lanes, false);
        break;
    case ORDER_WAIT:
        ptx_race_touch(m, w, insn, lanes, doubt, true);
        is_followed = wait_at(m, w, insn, lanes);
        break;
    case ORDER_CLUSTER_ARRIVE:  arrive_at_cluster(r, w); break;
    case ORDER_CLUSTER_WAIT:
        w->is_waiting = true;
        w->barrier = 1 + BARRIER_CLUSTER;
        break;
    case ORDER_BLIND:           r->is_blind = true; break;
    default:                    is_followed = false; break;
    }
    r->is_lost |= !is_followed;
    return !(w->barrier == AT_MBARRIER);
}

/* All that have not ended wait at barriers of the block, and none is complete. */
static void note_stops(Machine *m, uint32_t first, uint32_t count)
{
    Race *r = m->race;
    Stop stops[2] = { { .func = NULL }, { .func = NULL } };
    if (r->is_lost || r->is_doubtful || m->is_cut || count != m->warp_count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const Warp *w = &m->warps[first + i];
        if (w->is_done)
            continue;
        if (!w->barrier || w->barrier > BARRIER_CLUSTER)
            return;
        const Entry *top = &w->entries[w->entry_count - 1];
        const Stop stop = stop_of(m, w, &w->frame->routine->func->insns[top->pc - 1], top->lanes);
        bool is_new = !stops[0].func || stops[0].func != stop.func || stops[0].insn != stop.insn;
        if (is_new && !stops[1].func)
            stops[stops[0].func != NULL] = stop;
    }
    memcpy(r->stops, stops, sizeof stops);
}

static bool is_complete(const BarrierState *barrier, uint32_t running)
{
    return barrier->threads && barrier->threads >= (barrier->wanted ? barrier->wanted : running * WARP_LANES);
}

bool ptx_race_release(Machine *m, uint32_t first, uint32_t count)
{
    Race *r = m->race;
    uint32_t running = 0;
    bool goes_on = false;
    for (uint32_t i = 0; i < count; i++)
        running += !m->warps[first + i].is_done;
    for (unsigned b = 0; b < BARRIERS; b++) {
        BarrierState *barrier = &r->barriers[b];
        if (!is_complete(barrier, running))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            Warp *w = &m->warps[first + i];
            if (w->barrier != 1 + b)
                continue;
            join(ptx_race_known(r, w->index), barrier->known, r->warp_count);
            w->barrier = 0;
            goes_on = true;
        }
        barrier->threads = 0;
        memset(barrier->known, 0, r->warp_count * sizeof *barrier->known);
    }
    for (uint32_t i = 0; i < count; i++) {
        Warp *w = &m->warps[first + i];
        if (w->barrier == AT_MBARRIER && is_past(&r->mbarriers[w->mbarrier], w->phase)) {
            w->barrier = 0;
            goes_on = true;
        }
    }
    for (uint32_t i = 0; i < count && !goes_on; i++)
        goes_on = !m->warps[first + i].is_done && !m->warps[first + i].barrier;
    if (running && !goes_on)
        note_stops(m, first, count);
    for (uint32_t i = 0; running && i < count && !goes_on; i++) {    /* nobody can: the barriers do not fit each other */
        r->is_lost = true;
        m->warps[first + i].barrier = 0;
    }
    return running > 0;
}
