#include "analysis/sim/machine.h"
#include "analysis/sim/race/race_places.h"

#include "ir/module.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/value/points_to.h"

enum {
    MAX_SITES = UINT16_MAX,
    MAX_RANGE_PLACES = 1 << 24, /* of ranges in a run: what is copied at once takes time */
    MAX_GRANULE = 16,
    GRANULE_OF_CALLS = 4,      /* what is called may access so many bytes */
    MAX_DATA_PLACES = 1 << 22, /* of a run: compared with accesses that data may lead there */
};

/* Without mbarriers and what goes through the async proxy the clocks of warps are all there is. */
static bool has_protocols(const Module *module)
{
    for (uint32_t i = 0; i < module->op_count; i++) {
        const Op *op = module->ops[i];
        if (op->family == OP_MBARRIER || op->family == OP_WGMMA || op->family == OP_TCGEN05
            || op->family == OP_FABRIC || ptx_op_is_bulk(op))
            return true;
    }
    return false;
}

static bool may_be_shared(const Op *op)
{
    return op->kind == OPK_CP_ASYNC || op->space == SPACE_SHARED || op->space == SPACE_SHARED_CTA
           || op->space == SPACE_SHARED_CLUSTER || op->space == SPACE_GENERIC;
}

/* What the sizes of all accesses are multiples of. */
static uint32_t granule_of(const Func *func, bool is_plain)
{
    uint32_t granule = is_plain ? MAX_GRANULE : MAX_GRANULE / 2;
    if (func->has_calls)
        granule = GRANULE_OF_CALLS;
    for (InsnId i = 0; i < func->insn_count; i++)
        while (func->insns[i].access_bytes & (granule - 1) && may_be_shared(func->insns[i].op))
            granule /= 2;
    return granule;
}

Race *ptx_race_new(Machine *m, uint8_t *orders)
{
    const bool is_plain = !has_protocols(m->module);
    const unsigned mbarriers = is_plain ? 0 : MBARRIERS;
    Race *r = ptx_arena_new(m->arena, Race);
    *r = (Race){ .machine = m,
                 .orders = orders,
                 .arena = m->arena,
                 .warp_count = m->warp_count,
                 .alike = 1,
                 .most_mbarriers = mbarriers,
                 .width = is_plain ? m->warp_count : 2 * m->warp_count + mbarriers };
    r->known = ptx_arena_array(m->arena, uint32_t, (size_t)m->warp_count * r->width);
    for (unsigned b = 0; b < BARRIERS; b++)
        r->barriers[b].known = ptx_arena_array(m->arena, uint32_t, r->width);
    r->mbarriers = ptx_arena_array(m->arena, Mbarrier, mbarriers);
    r->late = ptx_arena_array(m->arena, LateArrival, m->warp_count);
    r->met_all = ptx_arena_array(m->arena, uint32_t, m->warp_count);
    r->met_some = ptx_arena_array(m->arena, LaneClocks *, m->warp_count);
    r->copies = ptx_arena_array(m->arena, Copies, (size_t)QUEUE_COUNT * m->warp_count);
    r->table = ptx_arena_array(m->arena, uint32_t, TABLE_SIZE);
    r->touched = ptx_arena_array(m->arena, uint32_t, m->warp_count);
    r->has_asked = ptx_arena_array(m->arena, bool, m->warp_count);
    r->touches = ptx_arena_grow(m->arena, NULL, 0, &r->touch_capacity, sizeof *r->touches);
    ptx_race_attach(r);
    return r;
}

static void set_granule(Race *r)
{
    const Machine *m = r->machine;
    r->granule = r->granule_wanted = granule_of(&m->module->funcs[m->kernel], !r->most_mbarriers);
}

/* Nothing is seen yet. */
static void clear_places(Race *r)
{
    if (!r->granule)
        set_granule(r);
    if (r->granule_wanted < r->granule) { /* places are other ones now */
        r->granule = r->granule_wanted;
        r->page_count = 0;
        r->pages = NULL;
        r->lasts = NULL;
    }
    r->run++;
    for (uint32_t p = 0; p < r->page_count; p++)
        if (r->pages[p]) {
            r->pages[p]->cell = PLACES_PER_PAGE;
            r->pages[p]->places[0] = (Place){ .marks = { 0 } };
        }
    r->touch_count = 1;
    r->by_data_count = 0;
    r->by_data_places = MAX_DATA_PLACES;
}

/* What comes of accesses that meet. */
static void forget_pairs(Race *r)
{
    memset(r->table, 0, TABLE_SIZE * sizeof *r->table);
    r->pair_count = 0;
    r->is_crowded = r->is_overwritten = r->has_dropped = r->has_dropped_sought = false;
}

void ptx_race_begin(Race *r)
{
    for (uint32_t w = 0; w < r->warp_count; w++) {
        for (uint32_t v = 0; v < r->width; v++)
            ptx_race_known(r, w)[v] = v == w;
        r->met_all[w] = ptx_race_known(r, w)[w];
        if (r->met_some[w])
            *r->met_some[w] = (LaneClocks){ 0 };
    }
    for (unsigned b = 0; b < BARRIERS; b++) {
        r->barriers[b].threads = r->barriers[b].wanted = 0;
        r->barriers[b].warps = 0;
        memset(r->barriers[b].known, 0, r->width * sizeof *r->barriers[b].known);
    }
    for (uint32_t c = 0; c < QUEUE_COUNT * r->warp_count; c++)
        r->copies[c].committed = r->copies[c].done = r->copies[c].wait_count =
            r->copies[c].delivery_count = 0;
    r->mbarrier_count = 0;
    for (uint32_t i = 0; i < r->site_count; i++)
        memset(r->sites[i].turns, 0, r->warp_count * sizeof *r->sites[i].turns);
    r->parting = (Parting){ .warp = 0 };
    r->overreach = (Stray){ .func = NULL };
    r->unwritten_count = 0;
    r->has_transfers = false;
    r->stops[0] = r->stops[1] = (Stop){ .func = NULL };
    r->range_places = 0;
    r->max_met = r->met + RACE_MAX_MET;
    if (r->met_end && r->met_end < r->max_met)
        r->max_met = r->met_end;
    clear_places(r);
    memset(r->touched, 0, r->warp_count * sizeof *r->touched);
    memset(r->has_asked, 0, r->warp_count * sizeof *r->has_asked);
    r->partial_puts = r->doubtful_puts = 0;
    r->is_lost = r->is_blind = r->is_doubtful = r->is_partial = r->has_others = false;
    if (!r->watches)
        forget_pairs(r);
    ptx_race_tensor_begin(r);
    r->unmade.insn = r->stale.wait = r->stuck.wait = r->crowd.wait = r->ignored_wait = NO_ID;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static bool is_strong(const Op *op)
{
    static const uint8_t words[] = { MOD_VOLATILE, MOD_RELAXED, MOD_ACQUIRE,
                                     MOD_RELEASE,  MOD_MMIO,    MOD_NONE };
    return op->kind == OPK_ATOM || op->kind == OPK_RED || ptx_op_has_any(op, words);
}

static bool is_write(const Op *op)
{
    return op->kind == OPK_ST || op->kind == OPK_ATOM || op->kind == OPK_RED
           || op->kind == OPK_CP_ASYNC || op->kind == OPK_STMATRIX;
}

static uint32_t new_site(Race *r, FuncState *func_state, const Insn *insn)
{
    Machine *m = r->machine;
    const InsnId id = (InsnId)(insn - func_state->func->insns);
    uint32_t *sites = func_state->slots[r->observer.slot];
    if (!sites)
        sites = func_state->slots[r->observer.slot] =
            ptx_arena_array(m->arena, uint32_t, func_state->func->insn_count);
    if (r->site_count == MAX_SITES)
        return MAX_SITES;
    if (r->site_count == r->site_capacity)
        r->sites = ptx_arena_grow(m->arena, r->sites, r->site_count, &r->site_capacity,
                                  sizeof *r->sites);
    r->sites[r->site_count] = (Site){ .func = func_state->func,
                                      .insn = id,
                                      .is_write = is_write(insn->op),
                                      .is_strong = is_strong(insn->op),
                                      .is_swap = ptx_op_has(insn->op, MOD_CAS),
                                      .turns = ptx_arena_array(m->arena, uint32_t, r->warp_count) };
    sites[id] = ++r->site_count;
    return sites[id] - 1;
}

/* Index of the site; MAX_SITES: there are too many. */
static uint32_t site_of(Race *r, const Warp *w, const Insn *insn)
{
    FuncState *func_state = w->frame->func_state;
    const uint32_t *sites = func_state->slots[r->observer.slot],
                   site = sites ? sites[insn - func_state->func->insns] : 0;
    return site ? site - 1 : new_site(r, func_state, insn);
}

/* ---- an access once more --------------------------------------------------------------------- */

/* Rounds of the loops that begin here; those inside begin anew. */
void ptx_race_watch(Race *r, const Warp *w, InsnId pc)
{
    const FuncState *func_state = w->frame->func_state;
    BlockId block = func_state->cfg->block_of[pc];
    LoopId loop = func_state->loops->loop_of[block];
    if (w->frame->caller || loop == NO_LOOP || func_state->cfg->blocks[block].first != pc
        || func_state->loops->loops[loop].header != block)
        return;
    for (Watch *watch = r->watches; watch < r->watches + 2; watch++) {
        if (watch->place != NO_ID || watch->thread / WARP_LANES != w->index
            || !(w->entries[w->entry_count - 1].lanes >> watch->thread % WARP_LANES & 1))
            continue;
        watch->rounds[loop]++;
        for (LoopId inner = loop + 1;
             inner < func_state->loops->loop_count
             && func_state->loops->loops[inner].depth > func_state->loops->loops[loop].depth;
             inner++)
            watch->rounds[inner] = 0;
    }
}

static void meet_watches(const Race *r, const Warp *w, const Insn *insn, const Touch *now)
{
    const Machine *m = r->machine;
    for (Watch *watch = r->watches; watch < r->watches + 2; watch++)
        if (watch->site == now->site && watch->turn == now->turn
            && watch->thread / WARP_LANES == w->index)
            watch->place =
                ptx_machine_place(m, w, (InsnId)(insn - w->frame->func_state->func->insns));
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* What follows is of another touch. */
static void begin_meeting(Race *r)
{
    memset(r->ordered, 0, sizeof r->ordered);
    r->meeting++;
    r->has_numbers = false;
}

/* Whether what begins and ends at these multiples, or-ed, fills its places. */
static bool fills_places(Race *r, uint64_t multiples)
{
    while (multiples & (r->granule_wanted - 1))
        r->granule_wanted /= 2;
    return r->granule_wanted == r->granule;
}
static uint8_t level_of(const Machine *m, uint8_t doubt, const Value *address)
{
    if (doubt >= UNCERTAIN_DATA)
        return RACE_DATA;
    if (doubt >= UNCERTAIN_PARAMETER)
        return RACE_GUESSED;
    return address->is_assumed || m->block_is_assumed ? RACE_ASSUMED : RACE_CERTAIN;
}

static const DataExtent *extent_of(Race *r, const Insn *insn, uint32_t site)
{
    Machine *m = r->machine;
    Site *at = &r->sites[site];
    const Func *kernel = &m->module->funcs[m->kernel];
    bool is_plain = insn->op->kind == OPK_LD || insn->op->kind == OPK_ST
                    || insn->op->kind == OPK_ATOM || insn->op->kind == OPK_RED;
    if (!at->has_extent && at->func == kernel && is_plain) {
        r->bases = r->bases ? r->bases
                            : ptx_points_to_sets_compute(m->arena, m->scratch, m->module, kernel);
        at->extent = ptx_data_extent_find(m->module, kernel, r->bases, insn);
    }
    at->has_extent = true;
    return &at->extent;
}

/* The warp's at that site, NULL: it was noted since the last barrier. */
static DataTouch *new_by_data(Race *r, const Touch *now)
{
    uint32_t d = 0;
    while (d < r->by_data_count
           && (ptx_race_touch_of(r, r->by_data[d].touch)->site != now->site
               || ptx_race_touch_of(r, r->by_data[d].touch)->warp != now->warp))
        d++;
    if (d < r->by_data_count)
        return ptx_race_touch_of(r, r->by_data[d].touch)->clock == now->clock ? NULL
                                                                              : &r->by_data[d];
    if (d == r->by_data_capacity)
        r->by_data = ptx_arena_grow(r->arena, r->by_data, r->by_data_count, &r->by_data_capacity,
                                    sizeof *r->by_data);
    return &r->by_data[r->by_data_count++];
}

static void note_by_data(Race *r, const DataExtent *extent, uint32_t lanes, const Touch *now)
{
    uint64_t from;
    const bool is_placed = !r->watches && ptx_machine_address(r->machine, extent->var, &from);
    DataTouch *data = is_placed ? new_by_data(r, now) : NULL;
    if (!data)
        return;
    *data = (DataTouch){ ptx_race_add_touch(r, now) + (TouchId)__builtin_ctz(lanes),
                         from + extent->low, from + extent->high };
    const uint64_t first = data->low & ~(uint64_t)(r->granule - 1),
                   count = (data->high - first + r->granule - 1) / r->granule;
    if (count > r->by_data_places)
        return;
    r->by_data_places -= count;
    for (uint64_t at = first; at < data->high; at += r->granule)
        ptx_race_meet_place_by_data(r, at, data->touch);
}

/* What is of no use to the end, or takes too long, is not run to the end. */
static void end_if_useless(const Race *r)
{
    if (r->granule_wanted != r->granule || (r->is_trial && r->is_crowded) || r->met > r->max_met
        || r->range_places > MAX_RANGE_PLACES || (r->is_for_order && !ptx_race_is_in_order(r)))
        r->machine->most_steps = r->machine->steps;
}

/* Where a window begins has no bits in shared memory. */
static void place_lanes(LaneAccess *a, const Value *address, uint32_t bytes, uint32_t lanes)
{
    uint64_t multiples = bytes, last = 0;
    a->lanes = lanes;
    a->bytes = bytes;
    a->unwritten = 0;
    a->is_one_place = !address->lanes;
    for (unsigned lane = 0; a->is_one_place && lane < WARP_LANES; lane++)
        a->at[lane] = (uint32_t)address->all;
    for (uint32_t left = a->is_one_place ? lanes & -lanes : lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        a->at[lane] = (uint32_t)ptx_value_lane(address, lane);
        multiples |= a->at[lane];
        last = a->at[lane] > last ? a->at[lane] : last;
    }
    a->multiples = multiples;
    a->end = last + bytes;
}

/* value: NULL: it is not known. */
static void take_numbers(LaneAccess *a, const Value *value)
{
    const bool is_number = value && value->align == ALIGN_EXACT;
    a->known = is_number ? ~value->unknown : 0;
    a->is_one_write = a->touch->is_write && a->is_one_place
                      && (!(a->known & a->lanes) || (!value->lanes && !(a->lanes & ~a->known)));
    for (uint32_t left = a->known & a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        a->numbers[lane] = ptx_value_lane(value, lane);
    }
}

/* All lanes meet what was there before any of them is kept. */
static void note(Race *r, LaneAccess *a, const Value *value)
{
    if (r->watches)
        return;
    a->first = ptx_race_add_touch(r, a->touch);
    take_numbers(a, value);
    r->is_crowded |= a->end > r->machine->shared_size;
    begin_meeting(r);
    r->has_numbers = a->known & a->lanes;
    if (!fills_places(r, a->multiples))
        return;
    if (r->by_data_count)
        ptx_race_meet_all_by_data(r, a->at, a->bytes, a->lanes, a->first);
    ptx_race_note_lanes(r, a);
}

static Touch touch_by(Race *r, const Warp *w, const Insn *insn, uint8_t doubt, const Value *address,
                      uint32_t site)
{
    Machine *m = r->machine;
    uint8_t level = level_of(m, doubt, address);
    r->is_doubtful |= level != RACE_CERTAIN;
    const Touch now = { .clock = ptx_race_known(r, w->index)[w->index],
                        .turn = ++r->sites[site].turns[w->index],
                        .group = ptx_race_copies(r, QUEUE_COPY, w->index)->committed,
                        .site = (uint16_t)site,
                        .warp = (uint16_t)w->index,
                        .level = level,
                        .is_write = r->sites[site].is_write,
                        .is_strong = r->sites[site].is_strong,
                        .is_swap = r->sites[site].is_swap,
                        .queue = insn->op->kind == OPK_CP_ASYNC ? QUEUE_COPY : QUEUE_NONE };
    if (r->watches)
        meet_watches(r, w, insn, &now);
    return now;
}

static Stray stray_of(const Race *r, const Warp *w, const Insn *insn, const SharedAccess *access,
                      unsigned lane)
{
    const Func *func = w->frame->func_state->func;
    const InsnId id = (InsnId)(insn - func->insns);
    return (Stray){ .func = func,
                    .insn = id,
                    .place = ptx_machine_place(r->machine, w, id),
                    .thread = w->index * WARP_LANES + lane,
                    .bytes = access->bytes,
                    .address = (uint32_t)ptx_value_lane(access->address, lane),
                    .is_write = is_write(insn->op) };
}

/* Behind the last byte of the block's shared memory; UINT64_MAX: not known. */
static uint64_t end_of_shared(const Race *r)
{
    const Machine *m = r->machine;
    if (!m->has_shared || r->dynamic_shared < 0)
        return UINT64_MAX;
    return ptx_align_up(m->shared_layout.end, r->dynamic_shared ? 16 : 1)
           + (uint64_t)r->dynamic_shared;
}

static void note_overreach(Race *r, const Warp *w, const Insn *insn, const SharedAccess *access,
                           const LaneAccess *a)
{
    const uint64_t end = end_of_shared(r);
    uint32_t left = a->lanes;
    if (r->overreach.func || a->end <= end)
        return;
    while (a->at[__builtin_ctz(left)] + a->bytes <= end)
        left &= left - 1;
    r->overreach = stray_of(r, w, insn, access, (unsigned)__builtin_ctz(left));
}

bool ptx_race_is_unwritten(Race *r, const Stray *read)
{
    for (uint32_t b = 0; b < read->bytes; b += r->granule) {
        const Place *place = ptx_race_place_at(r, read->address + b);
        if (place && ptx_race_is_place_unwritten(place))
            return true;
    }
    return false;
}

/* What an exchange found there is mostly not used: it sets a flag. */
static bool is_read(const Op *op)
{
    return op->kind == OPK_LD || op->kind == OPK_LDMATRIX || op->kind == OPK_RED
           || (op->kind == OPK_ATOM && !ptx_op_has(op, MOD_EXCH));
}

/* Once its places were met. */
static void note_unwritten(Race *r, const Warp *w, const Insn *insn, const SharedAccess *access,
                           const LaneAccess *a)
{
    bool is_over = r->unwritten_count == MAX_UNWRITTEN || !a->unwritten || !is_read(insn->op);
    for (uint32_t i = 0; i < r->unwritten_count && !is_over; i++)
        is_over = &r->unwritten[i].func->insns[r->unwritten[i].insn] == insn;
    if (!is_over)
        r->unwritten[r->unwritten_count++] =
            stray_of(r, w, insn, access, (unsigned)__builtin_ctz(a->unwritten));
}

/* A flag, or a lock: whom the warp follows from the next fence on is not known. */
static void note_asking(Race *r, const Warp *w, const Insn *insn, const Site *site)
{
    static const uint8_t acquires[] = { MOD_ACQUIRE, MOD_ACQ_REL, MOD_NONE };
    const FuncState *func_state = w->frame->func_state;
    const BlockId block = func_state->cfg->block_of[insn - func_state->func->insns];
    const uint8_t kind = insn->op->kind;
    if ((kind != OPK_LD && kind != OPK_ATOM) || !site->is_strong
        || func_state->loops->loop_of[block] == NO_LOOP)
        return;
    r->has_asked[w->index] = true;
    r->is_lost |= ptx_op_has_any(insn->op, acquires);
}

static bool is_left_out(const Race *r, const Func *func, InsnId insn)
{
    bool is_one = (func == r->only_funcs[0] && insn == r->only[0])
                  || (func == r->only_funcs[1] && insn == r->only[1]);
    return r->only_funcs[0] && !is_one;
}

static void access_by_data(Race *r, const Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt,
                           uint32_t site)
{
    const DataExtent *extent = extent_of(r, insn, site);
    const Value place = { .is_assumed = true };
    if (extent->high <= extent->low)
        return;
    Touch now = touch_by(r, w, insn, doubt, &place, site);
    now.is_by_data = true;
    note_by_data(r, extent, lanes, &now);
}

/* A plain load from one place, of which nothing is in doubt: loops make most of these. False: it is
 * another access, or nothing orders what it meets. */
static bool read_plainly(Race *r, const Warp *w, const SharedAccess *access, uint32_t lanes,
                         uint8_t doubt, uint32_t site)
{
    const uint64_t at = (uint32_t)access->address->all, end = at + access->bytes;
    const bool is_plain = !access->address->lanes && !r->sites[site].is_write
                          && !r->sites[site].is_strong
                          && level_of(r->machine, doubt, access->address) == RACE_CERTAIN;
    return is_plain && !r->watches && !r->by_data_count && !r->only_funcs[0]
           && end <= r->machine->shared_size && end <= end_of_shared(r)
           && fills_places(r, at | access->bytes)
           && ptx_race_read_in_order(r, &(PlainRead){ at, access->bytes, lanes, w->index, site });
}

void ptx_race_access(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Race *r = self;
    Machine *m = r->machine;
    Scratch room;
    SharedAccess access;
    if (r->parting.at.func)
        ptx_race_advance(r, w, insn, lanes);
    const uint8_t order = r->orders[insn->op->id];
    if (r->is_lost || order == ORDER_TRANSFER || order == ORDER_FRAGMENT
        || !ptx_memory_find_shared(m, w, insn, lanes, &access))
        return;
    const Value *address = access.address;
    const uint32_t unknown = address->unknown & access.lanes, known = access.lanes & ~unknown;
    r->is_blind |= unknown || address->align != ALIGN_EXACT;
    if (address->align != ALIGN_EXACT || !access.lanes)
        return;
    r->touched[w->index] |= lanes;
    if (is_left_out(r, w->frame->func_state->func,
                    (InsnId)(insn - w->frame->func_state->func->insns)))
        return;
    uint32_t site = site_of(r, w, insn);
    r->is_blind |= site == MAX_SITES;
    if (site == MAX_SITES)
        return;
    if (unknown)
        access_by_data(r, w, insn, unknown, doubt, site);
    if (!known)
        return;
    if (address->grows)
        ptx_blocks_pin(&m->blocks, address);
    if (read_plainly(r, w, &access, known, doubt, site)) {
        if (r->met > r->max_met)
            end_if_useless(r);
        return;
    }
    const Touch now = touch_by(r, w, insn, doubt, address, site);
    const bool is_certain = now.level == RACE_CERTAIN && !r->watches;
    LaneAccess a;
    a.touch = &now;
    place_lanes(&a, address, access.bytes, known);
    if (is_certain)
        note_overreach(r, w, insn, &access, &a);
    note(r, &a, ptx_memory_stored(m, w, insn, &room));
    if (is_certain)
        note_unwritten(r, w, insn, &access, &a);
    note_asking(r, w, insn, &r->sites[site]);
    end_if_useless(r);
}

void ptx_race_touch(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt,
                    bool is_strong)
{
    Machine *m = r->machine;
    Scratch address;
    enum { MBARRIER_BYTES = 8, TENSOR_ADDRESS_BYTES = 4 };
    if (r->is_lost || !ptx_memory_read_address(m, w, insn, 0, &address)
        || address.value.unknown & lanes || address.value.align != ALIGN_EXACT)
        return;
    uint32_t site = site_of(r, w, insn);
    if (site == MAX_SITES)
        return;
    ptx_blocks_pin(&m->blocks, &address.value);
    Touch now = touch_by(r, w, insn, doubt, &address.value, site);
    now.is_write = true;
    now.is_strong = is_strong;
    now.queue = QUEUE_NONE;
    LaneAccess a;
    a.touch = &now;
    place_lanes(&a, &address.value,
                insn->op->operation == OP_TCGEN05_ALLOC ? TENSOR_ADDRESS_BYTES : MBARRIER_BYTES,
                lanes);
    note(r, &a, NULL);
    if (r->met > r->max_met)
        end_if_useless(r);
}

/* ---- what goes on behind its instruction ----------------------------------------------------- */

TouchId ptx_race_begin_async(Race *r, Warp *w, const Insn *insn, uint8_t doubt, const Touch *like)
{
    uint32_t site = site_of(r, w, insn);
    if (site == MAX_SITES)
        return 0;
    const Value place = { .is_assumed =
                              like->level == RACE_ASSUMED || like->level == RACE_GUESSED };
    Touch now = touch_by(r, w, insn, doubt, &place, site);
    now.queue = like->queue;
    now.group = like->group;
    now.mbarrier = like->mbarrier;
    now.is_write = like->is_write;
    now.is_strong = like->is_strong;
    return ptx_race_add_touch(r, &now);
}

void ptx_race_begin_ranges(Race *r)
{
    begin_meeting(r);
}

static void begin_range_reads(Race *r, TouchId touch)
{
    RangeRead *last = &r->range_read;
    if (last->touch != touch || last->meeting != r->meeting)
        *last = (RangeRead){ .touch = touch, .meeting = r->meeting, .before = { UINT32_MAX } };
}

/* Neighbours were mostly touched by the same: what became of the last of them becomes of them. */
static inline void read_range(Race *r, TouchId touch, uint64_t at, uint64_t end)
{
    RangeRead *last = &r->range_read;
    uint32_t step = 0;
    for (; at < end; at += step) {
        Place *place = ptx_race_cell_at(r, at, end - at, &step);
        if (!memcmp(last->before, place->marks, sizeof last->before)) {
            memcpy(place->marks + WRITERS, last->reads, sizeof last->reads);
            continue;
        }
        memcpy(last->before, place->marks, sizeof last->before);
        if (!ptx_race_is_settled(r, place, WRITERS, touch)) {
            ptx_race_meet_cell(r, place, step, 1, &(RaceMeeting){ .now = touch, .address = at });
            last->before[0] = UINT32_MAX;       /* each of them meets it */
        }
        ptx_race_keep_read(r, place, touch, 0);
        memcpy(last->reads, place->marks + WRITERS, sizeof last->reads);
    }
}

static void write_range(Race *r, TouchId touch, uint64_t at, uint64_t end)
{
    const bool is_strong = ptx_race_touch_of(r, touch)->is_strong;
    for (uint32_t step = 0; at < end; at += step) {
        Place *place = ptx_race_cell_at(r, at, end - at, &step);
        ptx_race_meet_cell(r, place, step, 1, &(RaceMeeting){ .now = touch, .address = at });
        ptx_race_keep_at(r, place, touch, NULL, true, is_strong);
    }
}

/* Places of ranges that are touched, `count` of `bytes` each. */
static void count_ranges(Race *r, uint64_t count, uint64_t bytes)
{
    r->range_places += count * (bytes >> __builtin_ctz(r->granule));
    if (r->range_places > MAX_RANGE_PLACES)
        end_if_useless(r);
}

void ptx_race_range_on(Race *r, TouchId touch, uint64_t at, uint64_t bytes)
{
    if (r->watches)
        return;
    if (!bytes || at >= MAX_SHARED || !fills_places(r, at | bytes))
        return;
    const uint64_t end = bytes < MAX_SHARED - at ? at + bytes : MAX_SHARED;
    count_ranges(r, 1, end - at);
    if (ptx_race_touch_of(r, touch)->is_write) {
        write_range(r, touch, at, end);
        return;
    }
    begin_range_reads(r, touch);
    read_range(r, touch, at, end);
}

void ptx_race_read_rows(Race *r, TouchId touch, const uint32_t *rows, uint32_t count,
                        uint32_t bytes)
{
    uint32_t multiples = bytes, highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        multiples |= rows[i];
        highest = rows[i] > highest ? rows[i] : highest;
    }
    if (r->watches || highest > MAX_SHARED - bytes || !fills_places(r, multiples)) {
        for (uint32_t i = 0; i < count; i++)
            ptx_race_range_on(r, touch, rows[i], bytes);
        return;
    }
    count_ranges(r, count, bytes);
    begin_range_reads(r, touch);
    for (uint32_t i = 0; i < count; i++)
        read_range(r, touch, rows[i], rows[i] + bytes);
}

void ptx_race_range(Race *r, TouchId touch, uint64_t at, uint64_t bytes)
{
    begin_meeting(r);
    ptx_race_range_on(r, touch, at, bytes);
}
