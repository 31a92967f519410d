/* What puts the warps of a block in order: barriers of the block, mbarriers, and waiting for
 * copies. */
#include "analysis/sim/machine.h"
#include "analysis/sim/race/race.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/value.h"

bool ptx_race_number(Race *r, Warp *w, const Operand *operand, uint32_t lanes, uint64_t *out)
{
    Machine *m = r->machine;
    Scratch room;
    const Value *value = ptx_machine_read(m, w, operand, &room);
    ptx_blocks_pin(&m->blocks, value);
    *out = ptx_value_lane(value, (unsigned)__builtin_ctz(lanes))
           + (operand->role & ROLE_ADDRESS && operand->kind == OPERAND_REG
                  ? (uint64_t)ptx_operand_value(operand)
                  : 0);
    r->has_assumed |= value->is_assumed;
    if (value->unknown & lanes || value->align != ALIGN_EXACT)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1
            && ptx_value_lane(value, i) != ptx_value_lane(value, (unsigned)__builtin_ctz(lanes)))
            return false;
    return true;
}

/* bar.sync a, b: a is the barrier, b how many threads. bar.red has a result before them, and a
 * predicate behind. */
static bool read_barrier(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *number,
                         uint64_t *threads)
{
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned at = 0;
    *number = *threads = 0;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        bool is_predicate = operands[o].kind == OPERAND_REG
                            && func->regs[operands[o].id].type == TYPE_PRED;
        if (operands[o].role & ROLE_DEF || is_predicate || at == 2)
            continue;
        if (!ptx_race_number(r, w, &operands[o], lanes, at ? threads : number))
            return false;
        at++;
    }
    return *number < BARRIER_CLUSTER;
}

void ptx_race_meet_warp(Race *r, uint32_t warp)
{
    const uint32_t clock = ++ptx_race_known(r, warp)[warp];
    if (r->met_all[warp] != UINT32_MAX)
        r->met_all[warp] = clock;
}

/* Each of these lanes knows from here on what any of them knew, and did up to here. */
static void meet_some_lanes(Race *r, uint32_t warp, uint32_t lanes)
{
    const uint32_t clock = ++ptx_race_known(r, warp)[warp];
    uint32_t joined[WARP_LANES] = { 0 };
    if (!r->met_some[warp])
        r->met_some[warp] = ptx_arena_new(r->arena, LaneClocks);
    LaneClocks *some = r->met_some[warp];
    for (uint32_t left = lanes; left; left &= left - 1)
        ptx_race_join(joined, some->known[__builtin_ctz(left)], WARP_LANES);
    for (uint32_t left = lanes; left; left &= left - 1)
        joined[__builtin_ctz(left)] = clock;
    for (uint32_t left = lanes; left; left &= left - 1)
        memcpy(some->known[__builtin_ctz(left)], joined, sizeof joined);
}

/* Others will know what the warp has done up to here. */
static void release_to(Race *r, Warp *w, BarrierState *barrier)
{
    ptx_race_join(barrier->known, ptx_race_known(r, w->index), r->width);
    ptx_race_meet_warp(r, w->index);
}

static Stop stop_of(const Machine *m, const Warp *w, const Insn *insn, uint32_t lanes)
{
    const Func *func = w->frame->func_state->func;
    InsnId id = (InsnId)(insn - func->insns);
    return (Stop){ func, id, ptx_machine_place(m, w, id),
                   w->index * WARP_LANES + (uint32_t)__builtin_ctz(lanes) };
}

/* bar, and barrier with .aligned: all lanes of a warp that have not ended must come to the same
 * one. PTX ISA, "bar, barrier". */
static void note_parting(Race *r, const Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Machine *m = r->machine;
    bool is_aligned = insn->op->family == OP_BAR || ptx_op_has(insn->op, MOD_ALIGNED);
    if (is_aligned && doubt < UNCERTAIN_ORDER && !w->entries[w->entry_count - 1].is_loose)
        r->parting = (Parting){ .at = stop_of(m, w, insn, lanes),
                                .warp = w->index,
                                .others = w->live & ~lanes };
}

/* What lanes do that did not come to the barrier with the others of their warp: they come later, or
 * do something else. That they end is no matter, whether at once or by a branch to the end. */
void ptx_race_advance(Race *r, const Warp *w, const Insn *insn, uint32_t lanes)
{
    Machine *m = r->machine;
    Parting *p = &r->parting;
    const uint32_t here = lanes & p->others;
    if (p->warp != w->index || !here)
        return;
    if (w->frame->func_state->func == p->at.func
        && (InsnId)(insn - p->at.func->insns) == p->at.insn) {
        p->others &= ~here;
        return;
    }
    if (!(p->gone & p->others))
        p->other = stop_of(m, w, insn, here);
    p->gone |= here;
}

static void arrive_at_barrier(Race *r, Warp *w, BarrierState *barrier)
{
    barrier->warps |= (uint64_t)1 << w->index % 64;
    release_to(r, w, barrier);
    /* of a warp that is not full as well: PTX ISA, "bar" */
    barrier->threads += WARP_LANES;
}

/* A warp that comes again before the phase is complete, in which it has arrived, may be early or
 * late: time decides. It is late here where the others complete the phase without it, for then it
 * passes on the least. */
static bool is_too_early(const BarrierState *barrier, const Warp *w)
{
    return barrier->warps >> w->index % 64 & 1;
}

static void arrive_late(Race *r, Warp *w, uint64_t number, bool is_arrival)
{
    r->is_doubtful = true;
    r->late[w->index] = (LateArrival){ (uint8_t)(1 + number), is_arrival };
    w->barrier = AT_PHASE_END;
    w->is_waiting = true;
}

void ptx_race_barrier(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Race *r = self;
    uint64_t number, threads;
    bool is_arrival = ptx_op_has(insn->op, MOD_ARRIVE);
    w->is_waiting = !is_arrival;
    if (r->left_out && r->func == w->frame->func_state->func
        && r->left_out[insn - r->func->insns]) {
        w->is_waiting = false;
        return;
    }
    if (r->parting.at.func)
        ptx_race_advance(r, w, insn, lanes);
    if (r->is_lost)
        return;
    r->is_doubtful |= doubt >= UNCERTAIN_PARAMETER;
    if (lanes != w->live)
        note_parting(r, w, insn, lanes, doubt);
    if (lanes != w->live || !read_barrier(r, w, insn, lanes, &number, &threads)) {
        r->is_lost = true;
        return;
    }
    BarrierState *barrier = &r->barriers[number];
    r->touched[w->index] |= lanes;
    r->has_asked[w->index] = false;
    r->partial_barriers |= (uint32_t)(is_arrival || threads) << number;
    r->is_partial |= is_arrival || (threads && threads < (uint64_t)r->warp_count * WARP_LANES);
    barrier->wanted = (uint32_t)threads;
    if (is_too_early(barrier, w)) {
        arrive_late(r, w, number, is_arrival);
        return;
    }
    arrive_at_barrier(r, w, barrier);
    w->barrier = (uint8_t)(is_arrival ? w->barrier : 1 + number);
}

/* A function of another file might hold barriers; those of the run-time library do not. */
void ptx_race_call(void *self, const Operand *callee)
{
    Race *r = self;
    Machine *m = r->machine;
    static const char *const library[] = { "vprintf", "malloc", "free", "__assertfail" };
    bool is_known = false;
    for (size_t i = 0;
         callee && callee->kind == OPERAND_FUNCTION && i < sizeof library / sizeof *library; i++) {
        const Span name = m->module->funcs[callee->id].name;
        is_known |= strlen(library[i]) == ptx_span_length(name)
                    && !memcmp(m->module->text + name.begin, library[i], ptx_span_length(name));
    }
    r->is_lost |= !is_known;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* All groups but the last `left` are done. */
static void wait_for(Race *r, Queue queue, uint32_t warp, uint32_t left)
{
    Copies *c = ptx_race_copies(r, queue, warp);
    if (c->committed < left || c->committed - left <= c->done)
        return;
    c->done = c->committed - left;
    if (c->wait_count == c->upto_capacity) {
        c->upto = ptx_arena_grow(r->arena, c->upto, c->wait_count, &c->upto_capacity,
                                 sizeof *c->upto);
        c->clocks = ptx_arena_grow(r->arena, c->clocks, c->wait_count, &c->clock_capacity,
                                   sizeof *c->clocks);
    }
    c->upto[c->wait_count] = c->done;
    c->clocks[c->wait_count++] = ptx_race_known(r, warp)[warp];
}

uint32_t ptx_race_done(const Race *r, Queue queue, uint32_t warp, uint32_t group)
{
    const Copies *c = ptx_race_copies(r, queue, warp);
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

static bool is_put_at(const Put *put, const Warp *w, InsnId pc)
{
    return put->insn == pc && put->func == w->frame->func_state->func;
}

/* Lanes with which the warp began that are not at the place, but for those that ended without
 * having touched anything. */
static uint32_t lanes_missing(const Race *r, const Warp *w, uint32_t lanes)
{
    const Machine *m = r->machine;
    const uint32_t threads = m->block[0] * m->block[1] * m->block[2] - w->index * WARP_LANES;
    const uint32_t begun = threads >= WARP_LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    return begun & ~lanes & (w->live | r->touched[w->index]);
}

static void wait_at_put(Race *r, Warp *w, const Put *put)
{
    w->barrier = (uint8_t)(1 + put->barrier);
    w->is_waiting = true;
    release_to(r, w, &r->barriers[put->barrier]);
    r->barriers[put->barrier].threads += WARP_LANES;
    r->barriers[put->barrier].wanted = 0;
}

bool ptx_race_is_put(void *self, Warp *w, InsnId pc)
{
    Race *r = self;
    const Entry *top = &w->entries[w->entry_count - 1];
    if (r->is_lost)
        return false;
    if (w->is_at_put) {         /* behind it */
        w->is_at_put = false;
        return false;
    }
    const Put *barrier = NULL;  /* behind all waits */
    for (uint32_t p = 0; p < r->put_count; p++) {
        const Put *put = &r->puts[p];
        if (!is_put_at(put, w, pc))
            continue;
        if (put->waits) {
            ptx_race_copies(r, QUEUE_COPY, w->index)->committed += put->commits;
            wait_for(r, QUEUE_COPY, w->index, put->groups_left);
        }
        if (put->is_warp)
            ptx_race_meet_warp(r, w->index);
        bool is_partial = (put->is_block || put->is_warp) && lanes_missing(r, w, top->lanes);
        r->partial_puts |= (uint32_t)is_partial << p;
        r->doubtful_puts |= (uint32_t)(top->doubt >= UNCERTAIN_ORDER) << p;
        r->touched[w->index] |= top->lanes;
        barrier = put->is_block ? put : barrier;
    }
    if (barrier)
        wait_at_put(r, w, barrier);
    w->is_at_put = barrier != NULL;
    return w->is_at_put;
}

/* Of a barrier that is complete: all threads of the block must be at the same put, where one is
 * there. */
static void check_puts(Race *r, unsigned barrier, uint32_t first, uint32_t count)
{
    Machine *m = r->machine;
    uint32_t here = 0;
    bool is_mixed = false;
    for (uint32_t i = 0; i < count; i++) {
        const Warp *w = &m->warps[first + i];
        uint32_t own = 0;
        for (uint32_t p = 0; p < r->put_count && w->barrier == 1 + barrier && w->is_at_put; p++)
            own |= (uint32_t)(r->puts[p].is_block
                              && is_put_at(&r->puts[p], w, w->entries[w->entry_count - 1].pc))
                   << p;
        is_mixed |= (w->is_done || w->barrier != 1 + barrier)
                        ? r->touched[w->index] != 0 || !w->is_done
                        : (here && own != here) || !own;
        here |= own;
    }
    if (is_mixed && !m->is_cut)
        r->partial_puts |= here;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static uint8_t order_of_other(const Op *op)
{
    bool is_access = op->flags & (OPF_LOAD | OPF_STORE);
    if ((is_access || op->family == OP_CLUSTERLAUNCHCONTROL)
        && ptx_op_has(op, MOD_MBARRIER_COMPLETE_TX_BYTES))
        return ORDER_TRANSFER;
    return op->flags & OPF_WARP && op->kind != OPK_BAR && !is_access ? ORDER_LANES : ORDER_NONE;
}

/* Other GPUs, other blocks or conditions decide when a phase is over. */
static bool is_order_unknown(const Op *op)
{
    return op->family == OP_FABRIC
           || (op->family == OP_MBARRIER
               && (ptx_op_is_multicast(op) || ptx_op_has(op, MOD_PHASE_TYPE_CONDITIONAL)));
}

/* Of cta_group::2 both blocks of the pair do something in each other's memory. */
static uint8_t order_of_tensor(const Op *op)
{
    const bool is_of_pair = ptx_op_has(op, MOD_CTA_GROUP_2) || ptx_op_is_multicast(op);
    switch ((Operation)op->operation) {
    case OP_TCGEN05_ALLOC:   return ORDER_ALLOC;
    case OP_TCGEN05_DEALLOC: return ORDER_FREE_TENSOR;
    case OP_TCGEN05_LD:      return ORDER_LOAD_TENSOR;
    case OP_TCGEN05_COMMIT:  return is_of_pair ? ORDER_OTHERS : ORDER_COMMIT_TENSOR;
    case OP_TCGEN05_MMA:     return is_of_pair ? ORDER_OTHERS : ORDER_MULTIPLY_TENSOR;
    default:                 return is_of_pair ? ORDER_OTHERS : ORDER_BLIND;
    }
}

static uint8_t order_of(const Op *op)
{
    if (is_order_unknown(op))
        return ORDER_LOST;
    switch ((Operation)op->operation) {
    case OP_CP_ASYNC_COMMIT_GROUP:                          return ORDER_COMMIT;
    case OP_CP_ASYNC_WAIT_GROUP:                            return ORDER_WAIT_GROUP;
    case OP_CP_ASYNC_WAIT_ALL:                              return ORDER_WAIT_ALL;
    case OP_CP_ASYNC_MBARRIER_ARRIVE:                       return ORDER_COPIES_ARRIVE;
    case OP_CP_ASYNC_BULK: case OP_CP_REDUCE_ASYNC_BULK:
    case OP_MULTIMEM_CP_ASYNC_BULK: case OP_MULTIMEM_CP_REDUCE_ASYNC_BULK:
        return ORDER_TRANSFER;
    case OP_CP_ASYNC_BULK_COMMIT_GROUP:                     return ORDER_COMMIT_BULK;
    case OP_CP_ASYNC_BULK_WAIT_GROUP:                       return ORDER_WAIT_BULK;
    case OP_WGMMA_COMMIT_GROUP:                             return ORDER_COMMIT_MATRIX;
    case OP_WGMMA_WAIT_GROUP:                               return ORDER_WAIT_MATRIX;
    case OP_WGMMA_MMA_ASYNC:                                return ORDER_MULTIPLY;
    case OP_WMMA_LOAD: case OP_WMMA_STORE:                  return ORDER_FRAGMENT;
    case OP_FENCE_PROXY_ASYNC: case OP_FENCE_PROXY_ASYNC_GENERIC:
        return ORDER_PROXY;
    case OP_FENCE: case OP_MEMBAR:                          return ORDER_FENCE;
    case OP_TCGEN05_MMA: case OP_TCGEN05_CP: case OP_TCGEN05_COMMIT: case OP_TCGEN05_ALLOC:
    case OP_TCGEN05_DEALLOC: case OP_TCGEN05_LD: case OP_TCGEN05_ST:
        return order_of_tensor(op);
    case OP_MAPA:                                           return ORDER_OTHERS;
    case OP_ST_BULK: case OP_TENSORMAP:                     return ORDER_BLIND;
    case OP_MBARRIER:                                       return ORDER_LOST;
    case OP_MBARRIER_INIT:                                  return ORDER_INIT;
    case OP_MBARRIER_ARRIVE: case OP_MBARRIER_ARRIVE_DROP:  return ORDER_ARRIVE;
    case OP_MBARRIER_TEST_WAIT: case OP_MBARRIER_TRY_WAIT:  return ORDER_WAIT;
    case OP_MBARRIER_EXPECT_TX: case OP_MBARRIER_COMPLETE_TX:
        return ORDER_EXPECT;
    case OP_BARRIER_CLUSTER_ARRIVE:                         return ORDER_CLUSTER_ARRIVE;
    case OP_BARRIER_CLUSTER_WAIT:                           return ORDER_CLUSTER_WAIT;
    case OP_BAR_WARP:                                       return ORDER_LANES;
    case OP_CP_ASYNC_BULK_PREFETCH:
    case OP_APPLYPRIORITY_ASYNC_BULK:
    case OP_MBARRIER_CHECK_LAYOUT:
    case OP_WGMMA_FENCE:
    case OP_FENCE_PROXY_ASYNC_GLOBAL:
    case OP_MBARRIER_INVAL:
    case OP_MBARRIER_PENDING_COUNT:
        return ORDER_NONE;
    default:                                                return order_of_other(op);
    }
}

static void arrive_at_cluster(Race *r, Warp *w)
{
    r->is_blind = r->has_others = true; /* other blocks may touch this one's memory */
    release_to(r, w, &r->barriers[BARRIER_CLUSTER]);
    r->barriers[BARRIER_CLUSTER].threads += WARP_LANES;
}

/* How many groups a wait leaves. */
static uint32_t groups_left(const Func *func, const Insn *insn)
{
    return insn->operand_count ? (uint32_t)ptx_operand_value(ptx_insn_operands(func, insn)) : 0;
}

/* Lanes that name the same mbarrier as the first of them; 0: not known. */
static uint32_t lanes_together(Machine *m, Warp *w, const Insn *insn, uint32_t lanes)
{
    Scratch s;
    uint32_t together = 0;
    if (!ptx_memory_read_address(m, w, insn, 0, &s) || s.value.unknown & lanes
        || s.value.align != ALIGN_EXACT)
        return 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        together |= (uint32_t)(ptx_value_lane(&s.value, i)
                               == ptx_value_lane(&s.value, (unsigned)__builtin_ctz(lanes)))
                    << i;
    return together & lanes;
}

static bool order_together(Race *r, Warp *w, const Insn *insn, Order order, uint32_t lanes,
                           uint8_t doubt)
{
    switch (order) {
    case ORDER_INIT:    return ptx_mbarrier_init(r, w, insn, lanes);
    case ORDER_EXPECT:  return doubt < UNCERTAIN_DATA && ptx_mbarrier_expect(r, w, insn, lanes);
    case ORDER_WAIT:    return ptx_mbarrier_wait(r, w, insn, lanes, doubt);
    case ORDER_COMMIT_TENSOR:
        /* what stands behind a loop that was left too early says nothing of its phases */
        return doubt < UNCERTAIN_PARAMETER && ptx_mbarrier_commit(r, w, insn, lanes);
    default:
        return doubt < UNCERTAIN_DATA
               && ptx_mbarrier_arrive(r, w, insn, lanes, order == ORDER_COPIES_ARRIVE, doubt);
    }
}

static bool order_mbarrier(Race *r, Warp *w, const Insn *insn, Order order, uint32_t lanes,
                           uint8_t doubt)
{
    Machine *m = r->machine;
    bool is_followed = true;
    ptx_race_touch(r, w, insn, lanes, doubt, order != ORDER_INIT);
    r->has_assumed = false;
    while (lanes && is_followed) {
        uint32_t together = lanes_together(m, w, insn, lanes);
        is_followed = together && (order != ORDER_WAIT || together == lanes)
                      && order_together(r, w, insn, order, together, doubt);
        lanes &= ~together;
    }
    r->is_doubtful |= r->has_assumed;
    return is_followed;
}

/* Which lanes meet is the last operand of these. */
static bool has_member_mask(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_BAR_WARP:
        return true;
    case OP_SHFL: case OP_VOTE: case OP_MATCH: case OP_REDUX: case OP_ELECT:
        return ptx_op_has(op, MOD_SYNC);
    default:
        return false;
    }
}

/* Lanes that the warp began with. */
static uint32_t lanes_of_warp(const Race *r, const Warp *w)
{
    const uint32_t *block = r->machine->block;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2],
                   left = threads - (uint64_t)w->index * WARP_LANES;
    return left >= WARP_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

/* Of each of these lanes the mask says which lanes it meets. Those that have ended are met where it
 * names them: else nothing says that they were ahead. */
static void meet_by_masks(Race *r, const Warp *w, const Value *mask, uint32_t lanes)
{
    for (uint32_t left = lanes; left;) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint32_t named = (uint32_t)ptx_value_lane(mask, lane), members = named & w->live;
        const uint32_t here = members & left;
        if (members & ~lanes)
            r->met_all[w->index] = UINT32_MAX;  /* the others come elsewhere */
        else if (members == w->live && !(lanes_of_warp(r, w) & ~named))
            ptx_race_meet_warp(r, w->index);
        else
            meet_some_lanes(r, w->index, here);
        left &= ~(here | UINT32_C(1) << lane);
    }
}

/* That a barrier is not needed takes more than shuffles, which PTX says order no memory. */
static void meet_lanes_of(Race *r, Warp *w, const Insn *insn, uint32_t lanes)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn);
    Scratch room;
    if (r->left_out && insn->op->operation != OP_BAR_WARP)
        return;
    const Value *mask = has_member_mask(insn->op) && insn->operand_count
                            ? ptx_machine_read(r->machine, w, &operands[insn->operand_count - 1],
                                               &room)
                            : NULL;
    if (!mask || mask->unknown & lanes || mask->align != ALIGN_EXACT) {
        ptx_race_meet_warp(r, w->index);
        return;
    }
    meet_by_masks(r, w, mask, lanes);
}

bool ptx_race_order(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Race *r = self;
    const Func *func = w->frame->func_state->func;
    const uint32_t warp = w->index;
    bool is_followed = true;
    uint8_t *order = &r->orders[insn->op->id];
    if (!*order)
        *order = order_of(insn->op);
    if (r->is_lost && *order == ORDER_INIT)
        ptx_mbarrier_note_made(r, w, insn, lanes);
    if (*order == ORDER_NONE || r->is_lost)
        return true;
    switch ((Order)*order) {
    case ORDER_LANES:           meet_lanes_of(r, w, insn, lanes); break;
    case ORDER_COMMIT:          ptx_race_copies(r, QUEUE_COPY, warp)->committed++; break;
    case ORDER_COMMIT_BULK:     ptx_race_copies(r, QUEUE_BULK, warp)->committed++; break;
    case ORDER_COMMIT_MATRIX:   ptx_race_copies(r, QUEUE_MATRIX, warp)->committed++; break;
    case ORDER_WAIT_GROUP:      wait_for(r, QUEUE_COPY, warp, groups_left(func, insn)); break;
    case ORDER_WAIT_BULK:       wait_for(r, QUEUE_BULK, warp, groups_left(func, insn)); break;
    case ORDER_WAIT_MATRIX:     wait_for(r, QUEUE_MATRIX, warp, groups_left(func, insn)); break;
    case ORDER_WAIT_ALL:
        ptx_race_copies(r, QUEUE_COPY, warp)->committed++;
        wait_for(r, QUEUE_COPY, warp, 0);
        break;
    case ORDER_TRANSFER:
        r->has_transfers = true;
        is_followed = doubt < UNCERTAIN_DATA && ptx_race_transfer(r, w, insn, lanes, doubt);
        break;
    case ORDER_MULTIPLY:        ptx_race_multiply(r, w, insn, lanes, doubt); break;
    case ORDER_MULTIPLY_TENSOR:
        r->is_blind = true;     /* in tensor memory, as all of these */
        ptx_race_multiply_tensor(r, w, insn, lanes, doubt);
        break;
    case ORDER_FRAGMENT:        ptx_race_fragment(r, w, insn, lanes, doubt); break;
    case ORDER_PROXY:           ptx_race_fence(r, warp); break;
    case ORDER_FENCE:           is_followed = !r->has_asked[warp]; break;
    case ORDER_COPIES_ARRIVE:
        is_followed = order_mbarrier(r, w, insn, ORDER_COPIES_ARRIVE, lanes, doubt);
        break;
    case ORDER_INIT: case ORDER_EXPECT: case ORDER_ARRIVE: case ORDER_WAIT:
    case ORDER_COMMIT_TENSOR:
        is_followed = order_mbarrier(r, w, insn, (Order)*order, lanes, doubt);
        break;
    case ORDER_ALLOC:
        ptx_race_touch(r, w, insn, lanes & -lanes, doubt, false);
        meet_lanes_of(r, w, insn, lanes);
        break;
    case ORDER_LOAD_TENSOR:
        r->is_blind = true;
        ptx_race_tensor_load(r, w, insn, doubt);
        break;
    case ORDER_FREE_TENSOR:
        r->is_blind = true;
        ptx_race_tensor_free(r, w, insn, doubt);
        break;
    case ORDER_CLUSTER_ARRIVE:  arrive_at_cluster(r, w); break;
    case ORDER_CLUSTER_WAIT:
        w->is_waiting = true;
        w->barrier = 1 + BARRIER_CLUSTER;
        break;
    case ORDER_OTHERS:          r->is_blind = r->has_others = true; break;
    case ORDER_BLIND:           r->is_blind = true; break;
    default:                    is_followed = false; break;
    }
    r->is_lost |= !is_followed;
    return !(w->barrier == AT_MBARRIER);
}

/* All that have not ended wait at barriers of the block, and none is complete. */
static void note_stops(Race *r, uint32_t first, uint32_t count)
{
    Machine *m = r->machine;
    Stop stops[2] = { { .func = NULL }, { .func = NULL } };
    if (r->is_lost || r->is_doubtful || m->is_cut || count != m->warp_count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const Warp *w = &m->warps[first + i];
        if (w->is_at_put)       /* which is no barrier of the code */
            return;
        if (w->is_done)
            continue;
        if (!w->barrier || w->barrier > BARRIER_CLUSTER)
            return;
        const Entry *top = &w->entries[w->entry_count - 1];
        const Stop stop = stop_of(m, w, &w->frame->func_state->func->insns[top->pc - 1],
                                  top->lanes);
        bool is_new = !stops[0].func || stops[0].func != stop.func || stops[0].insn != stop.insn;
        if (is_new && !stops[1].func)
            stops[stops[0].func != NULL] = stop;
    }
    memcpy(r->stops, stops, sizeof stops);
}

static bool is_complete(const BarrierState *barrier, uint32_t running)
{
    return barrier->threads
           && barrier->threads >= (barrier->wanted ? barrier->wanted : running * WARP_LANES);
}

/* Those go on whose phases are complete. */
static bool release_mbarriers(Race *r, uint32_t first, uint32_t count)
{
    Machine *m = r->machine;
    bool is_any = false;
    for (uint32_t i = 0; i < count; i++) {
        Warp *w = &m->warps[first + i];
        if (w->barrier != AT_MBARRIER
            || !ptx_mbarrier_is_past(&r->mbarriers[w->mbarrier], w->phase))
            continue;
        w->barrier = 0;
        is_any = true;
    }
    return is_any;
}

/* Those that wait for it go on. Where more arrive than it takes, or none waits yet, time decides
 * which arrivals complete it. */
static bool open_barrier(Race *r, unsigned number, uint32_t first, uint32_t count)
{
    Machine *m = r->machine;
    BarrierState *barrier = &r->barriers[number];
    bool goes_on = false;
    for (uint32_t i = 0; i < count; i++) {
        Warp *w = &m->warps[first + i];
        if (w->barrier != 1 + number)
            continue;
        ptx_race_join(ptx_race_known(r, w->index), barrier->known, r->width);
        w->barrier = 0;
        goes_on = true;
    }
    r->is_doubtful |= barrier->wanted && (!goes_on || barrier->threads > barrier->wanted);
    barrier->threads = 0;
    barrier->warps = 0;
    memset(barrier->known, 0, r->width * sizeof *barrier->known);
    return goes_on;
}

/* Of warps that wait to arrive again: they do where the phase that they arrived in is complete, or
 * where nothing else goes on. */
static bool release_late(Race *r, uint32_t first, uint32_t count, bool is_forced)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < count; i++) {
        Warp *w = &r->machine->warps[first + i];
        const LateArrival late = r->late[w->index];
        if (w->barrier != AT_PHASE_END
            || (!is_forced && is_too_early(&r->barriers[late.barrier - 1], w)))
            continue;
        arrive_at_barrier(r, w, &r->barriers[late.barrier - 1]);
        w->barrier = late.goes_on ? 0 : late.barrier;
        goes_on = true;
    }
    return goes_on;
}

bool ptx_race_release(void *self, uint32_t first, uint32_t count)
{
    Race *r = self;
    Machine *m = r->machine;
    uint32_t running = 0;
    bool goes_on = false;
    for (uint32_t i = 0; i < count; i++)
        running += !m->warps[first + i].is_done;
    for (unsigned b = 0; b < BARRIERS; b++) {
        if (!is_complete(&r->barriers[b], running))
            continue;
        if (r->put_count)
            check_puts(r, b, first, count);
        goes_on |= open_barrier(r, b, first, count);
    }
    goes_on |= release_mbarriers(r, first, count);
    goes_on |= release_late(r, first, count, false);
    for (uint32_t i = 0; i < count && !goes_on; i++)
        goes_on = !m->warps[first + i].is_done && !m->warps[first + i].barrier;
    goes_on = goes_on || release_late(r, first, count, true);
    if (!goes_on && ptx_mbarrier_complete_pending(r))
        goes_on = release_mbarriers(r, first, count);
    if (running && !goes_on)
        note_stops(r, first, count);
    for (uint32_t i = 0; i < count && !goes_on; i++)
        ptx_mbarrier_note_stuck(r, &m->warps[first + i]);
    /* none can go on: the barriers do not fit each other */
    for (uint32_t i = 0; running && i < count && !goes_on; i++) {
        r->is_lost = true;
        m->warps[first + i].barrier = 0;
    }
    return running > 0;
}
