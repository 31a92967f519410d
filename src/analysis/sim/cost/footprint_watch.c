/* The requests of a run, for its footprint. */
#include "analysis/sim/machine.h"
#include "analysis/sim/cost/footprint_watch.h"

#include "analysis/sim/stride/drawn.h"
#include "analysis/sim/request.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/cost/leading_loads.h"
#include "analysis/sim/cost/store_runs.h"
#include "isa/isa.h"

#include <stdint.h>
#include <string.h>

static FootprintKind footprint_kind(const Request *r, const Op *op)
{
    switch ((RequestKind)r->kind) {
    case REQUEST_STORE:
        return FOOTPRINT_STORE;
    case REQUEST_INCREMENT: case REQUEST_ATOMIC: case REQUEST_CAS: case REQUEST_SPIN:
        return ptx_type_info[op->type].kind == KIND_FLOAT ? FOOTPRINT_ATOMIC_SERIAL
                                                          : FOOTPRINT_ATOMIC;
    default:
        return r->kind == REQUEST_COPY || (r->is_uncached && !ptx_op_has(op, MOD_NC))
                   ? FOOTPRINT_LOAD_PAST_L1
                   : FOOTPRINT_LOAD;
    }
}

/* Where what is kept of the function lies, or has room; MAX_LEADING_FUNCS: nowhere. */
static unsigned kept_at(const FootprintWatch *f, const Func *func)
{
    unsigned i = 0;
    while (i < MAX_LEADING_FUNCS && f->leading[i] && f->leading[i]->func != func)
        i++;
    return i;
}

/* NULL: none is kept of the function. */
static LeadingTable *leading_of(const FootprintWatch *f, const Func *func)
{
    const unsigned i = kept_at(f, func);
    return i < MAX_LEADING_FUNCS ? f->leading[i] : NULL;
}

/* 0: it is not known. */
static uint32_t store_run_of(const FootprintWatch *f, const RequestEvent *e)
{
    const unsigned i = kept_at(f, e->func);
    return i < MAX_LEADING_FUNCS && f->leading[i] ? f->runs[i][e->insn - e->func->insns] : 0;
}

static void keep_leading(FootprintWatch *f, const FuncState *func_state)
{
    const unsigned i = kept_at(f, func_state->func);
    if (i == MAX_LEADING_FUNCS || f->leading[i])
        return;
    f->leading[i] = ptx_leading_loads_compute(f->machine->arena, func_state->func,
                                              func_state->cfg, func_state->loops);
    f->runs[i] = ptx_store_runs_compute(f->machine->arena, func_state->func, func_state->cfg);
}

/* What leads a request whose address is data; 0: it is not known, or the address is none. */
static uint32_t leader_of(FootprintWatch *f, uint32_t warp, const RequestEvent *e, uint64_t place)
{
    LeadingTable *table = leading_of(f, e->func);
    const InsnId insn = (InsnId)(e->insn - e->func->insns);
    if (!table)
        return 0;
    if (e->insn->op->kind == OPK_LD)
        ptx_leading_note(table, insn, warp, place);
    return e->address->is_data ? ptx_leading_identity(table, insn, warp) : 0;
}

/* Whether data lead the request to where they led one before: by one pointer, which the loop around
 * it does not load anew. */
static bool is_moved_again(FootprintWatch *f, const LoggedRequest *n, const uint64_t *places,
                           uint32_t leader)
{
    const Value *address = n->event->address;
    const FootprintMoved here = { leader ? leader : address->addend, n->lanes,
                                  places[__builtin_ctz(n->lanes)], n->note == FOOTPRINT_STORE };
    if (!address->is_data || here.leader == ADDEND_OTHER)
        return false;
    FootprintMoved *last = &f->moved[(here.leader + here.place / sizeof here.place) % MAX_MOVED];
    const bool is_again = last->leader == here.leader && last->lanes == here.lanes
                          && last->place == here.place && last->is_store == here.is_store;
    *last = here;
    return is_again;
}

/* What another number leads to is somewhere else in the array. */
static void move_apart(uint64_t places[WARP_LANES], uint32_t leader)
{
    enum { APART_BITS = 20, APART_SHIFT = 20 };
    const uint64_t apart = (uint64_t)(leader >> 1 & ((1 << APART_BITS) - 1)) << APART_SHIFT;
    for (unsigned i = 0; i < WARP_LANES; i++)
        places[i] += apart;
}

static FootprintShift find_shift(const FootprintWatch *f, const Value *address)
{
    const Blocks *blocks = &f->machine->blocks;
    FootprintShift shift;
    for (unsigned d = 0; d < 3; d++) {
        shift.by[d] = ptx_block_stride_along(blocks, address, d);
        shift.step[d] = blocks->count[d] > 1 ? blocks->step[d] : 0;
    }
    return shift;
}

/* Where data lead is no matter of the block. */
static void follow_place(FootprintWatch *f, const Value *address, uint64_t place)
{
    if (address->is_data)
        ptx_blocks_pin(&f->machine->blocks, address);
    const FootprintShift shift = find_shift(f, address);
    ptx_footprint_follow(f->footprint, place, &shift);
}

/* How often the warp has come to the instruction. */
static uint32_t turn_of(FootprintWatch *f, uint32_t warp, const RequestEvent *e)
{
    const uint32_t insn = (uint32_t)(e->insn - e->func->insns) * MAX_TURNS + warp;
    FootprintTurn *turn = &f->turns[(insn ^ insn / MAX_TURNS * 31) % MAX_TURNS];
    if (turn->insn != insn || turn->block != f->block)
        *turn = (FootprintTurn){ insn, f->block, 0 };
    return ++turn->count;
}

/* Whether it waits for L2. */
static bool note_request(FootprintWatch *f, uint32_t warp, const LoggedRequest *n,
                         uint64_t places[WARP_LANES], uint32_t bytes, uint32_t turn)
{
    const Value *address = n->event->address;
    const uint32_t leader = leader_of(f, warp, n->event, places[__builtin_ctz(n->lanes)]);
    if (f->is_following) {
        for (uint32_t left = n->lanes; left; left &= left - 1)
            follow_place(f, address, places[__builtin_ctz(left)]);
        return false;
    }
    const FootprintShift shift = find_shift(f, address);
    if (!ptx_footprint_is_probing(f->footprint)) {
        move_apart(places, leader);
        const FootprintRequest request = {
            places, n->lanes, bytes, warp, turn, store_run_of(f, n->event), (FootprintKind)n->note,
            address->is_data,
            is_moved_again(f, n, places, leader), ptx_value_is_drawn(address),
            f->is_for_many ? &shift : NULL
        };
        return ptx_footprint_note(f->footprint, &request);
    }
    ptx_footprint_note_probe(f->footprint, places[__builtin_ctz(n->lanes)], shift.by);
    return false;
}

/* A 16 x 16 fragment is four machine accesses, each of two elements a lane in eight rows: read off
 * the machine code of ptxas 13.0 for sm_90. */
static void note_fragment(FootprintWatch *f, Warp *w, const RequestEvent *e)
{
    Machine *m = f->machine;
    const Insn *insn = e->insn;
    uint64_t lanes[WARP_LANES], first, pitch = ptx_request_pitch(m, w, insn);
    uint32_t bytes = ptx_type_info[insn->op->type].bits / 8u
                         ? ptx_type_info[insn->op->type].bits / 8u
                         : 1;
    const FootprintKind kind = insn->op->operation == OP_WMMA_STORE ? FOOTPRINT_STORE
                                                                    : FOOTPRINT_LOAD;
    const LoggedRequest noted = { .event = e, .lanes = e->request->lanes, .note = (uint8_t)kind };
    const uint32_t turn = turn_of(f, w->index, e);
    bool waits = false;
    m->blocks.count[GROWTH_WARP] = 1;
    ptx_request_log_close(m, w);
    ptx_value_places(e->address, lanes);
    first = lanes[0];
    for (uint64_t quarter = 0; quarter < 4; quarter++) {
        for (uint64_t i = 0; i < WARP_LANES; i++)
            lanes[i] = first
                       + ((i / 4 + 8 * (quarter & 1)) * pitch + 2 * (i % 4) + 8 * (quarter >> 1))
                             * bytes;
        waits |= note_request(f, w->index, &noted, lanes, 2 * bytes, turn);
    }
    e->count->waits += waits;
}

/* Atomics of integers at one address for all lanes: ptxas lets one of them act. */
static bool is_joined(const Request *r, const Op *op, const Value *address)
{
    return (r->kind == REQUEST_ATOMIC || r->kind == REQUEST_INCREMENT) && !address->lanes
           && ptx_type_info[op->type].kind != KIND_FLOAT;
}

static void take_request(void *self, Warp *w, const RequestEvent *e)
{
    FootprintWatch *f = self;
    const Request *r = e->request;
    if (e->space != SPACE_GLOBAL || w->entries[w->entry_count - 1].is_rare)
        return;
    if (ptx_request_is_fragment(e->insn->op)) {
        note_fragment(f, w, e);
        return;
    }
    keep_leading(f, w->frame->func_state);
    if (e->address->grows)
        ptx_blocks_align_trips(&f->machine->blocks, e->address, LINE_MASK + 1);
    const LoggedRequest noted = { .observer = &f->observer,
                                  .event = e,
                                  .note = (uint8_t)footprint_kind(r, e->insn->op),
                                  .lanes = is_joined(r, e->insn->op, e->address)
                                               ? r->lanes & -r->lanes
                                               : r->lanes };
    ptx_request_log_emit(f->machine, w, &noted);
}

static void take_logged(void *self, const LoggedRequest *n, uint32_t warp, double share)
{
    FootprintWatch *f = self;
    uint64_t places[WARP_LANES];
    ptx_value_places(n->event->address, places);
    if (note_request(f, warp, n, places, n->event->request->bytes, turn_of(f, warp, n->event)))
        n->event->count->waits += share;
    if (ptx_footprint_is_probed(f->footprint))
        f->machine->most_steps = f->machine->steps;     /* nothing is left to be found */
}

static void take_constants(void *self, const Value *address, const uint64_t *addresses,
                           uint32_t count)
{
    FootprintWatch *f = self;
    const FootprintShift shift = find_shift(f, address);
    for (uint32_t i = 0; i < count; i++)
        if (f->is_following)
            follow_place(f, address, addresses[i]);
        else
            ptx_footprint_note_constant(f->footprint, addresses[i],
                                        f->is_for_many ? &shift : NULL);
}

static void take_box(void *self, const BulkBox *box)
{
    FootprintWatch *f = self;
    ptx_footprint_note_box(f->footprint, box, f->is_for_many ? f->machine->blocks.step : NULL);
    if (ptx_footprint_is_probed(f->footprint))
        f->machine->most_steps = f->machine->steps;
}

static void begin(void *self)
{
    FootprintWatch *f = self;
    memset(f->moved, 0, sizeof f->moved);
    f->block++;
    f->is_for_many = ptx_blocks_size(&f->machine->blocks) > 1;
    ptx_footprint_begin(f->footprint, f->is_for_many);
}

static void *mark(void *self, uint32_t warp, void *last)
{
    const FootprintWatch *f = self;
    FootprintMark *out = last ? last : ptx_arena_new(f->machine->arena, FootprintMark);
    ptx_footprint_mark(f->footprint, warp, out);
    return out;
}

static void repeat(void *self, const void *since, double times)
{
    const FootprintWatch *f = self;
    if (!f->is_following)
        ptx_footprint_repeat(f->footprint, since, times);
}

void ptx_footprint_watch(FootprintWatch *f, Machine *m, Footprint *footprint)
{
    *f = (FootprintWatch){ .machine = m, .footprint = footprint };
    f->observer = (Observer){ .self = f,
                              .begin = begin,
                              .request = take_request,
                              .logged = take_logged,
                              .drawn = take_request,
                              .bulk = take_box,
                              .constants = take_constants,
                              .mark = mark,
                              .repeat = repeat };
    ptx_machine_observe(m, &f->observer);
}
