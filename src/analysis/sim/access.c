/* The requests that an access makes to memory: one for each side of it. */
#include "analysis/sim/machine.h"
#include "analysis/sim/stride/drawn.h"
#include "analysis/sim/request.h"
#include "ir/reg.h"
#include "analysis/sim/observer.h"
#include "analysis/value/launch.h"

#include <math.h>

/* ---- what kind ------------------------------------------------------------------------------- */

/* An atomic that shared memory has no instruction for is a CAS loop; its trips depend on
 * contention. Only wavefront counts ask. */
static bool is_spun(const Insn *insn)
{
    const Op *op = insn->op;
    bool is_float = ptx_type_info[op->type].kind == KIND_FLOAT;
    return insn->access_bytes < 4 || is_float
           || (insn->access_bytes == 8 && !ptx_op_has(op, MOD_EXCH));
}

static bool is_unused(const Func *func, const Operand *result)
{
    for (uint32_t o = 0; o < func->operand_count && result->kind == OPERAND_REG; o++) {
        const Operand *other = &func->operands[o];
        if (other->kind == OPERAND_REG && other->id == result->id && other->role & ROLE_USE)
            return false;
    }
    return result->kind == OPERAND_REG || result->kind == OPERAND_SINK;
}

static uint8_t find_kind(const FuncState *func_state, const Insn *insn)
{
    const Op *op = insn->op;
    const Operand *operands = ptx_insn_operands(func_state->func, insn);
    switch ((OpKind)op->kind) {
    case OPK_ST:        return REQUEST_STORE;
    case OPK_CP_ASYNC:  return REQUEST_COPY;
    case OPK_LDMATRIX: case OPK_STMATRIX:
        return REQUEST_MATRIX;
    case OPK_RED: case OPK_ATOM: {
        if (ptx_op_has(op, MOD_CAS))
            return insn->access_bytes < 4 ? REQUEST_SPIN : REQUEST_CAS;
        if (is_spun(insn))
            return REQUEST_SPIN;
        unsigned value = op->kind == OPK_ATOM ? 2 : 1;
        bool is_one = ptx_op_has(op, MOD_ADD) && value < insn->operand_count
                      && operands[value].kind == OPERAND_INT
                      && ptx_operand_value(&operands[value]) == 1;
        return is_one && (op->kind == OPK_RED || is_unused(func_state->func, &operands[0]))
                   ? REQUEST_INCREMENT
                   : REQUEST_ATOMIC;
    }
    default:            return REQUEST_LOAD;
    }
}

/* Loads that do not go through L1, where plain ones do: PTX ISA, "Cache Operators"; read-only ones
 * have a cache of their own. */
static bool is_past_l1(const Op *op)
{
    return op->kind == OPK_LD
           && (ptx_op_has(op, MOD_CG) || ptx_op_has(op, MOD_CV) || ptx_op_has(op, MOD_NC));
}

enum { PAST_L1 = 0x80 };        /* beside the kind */

void ptx_request_classify(const FuncState *func_state, const Insn *insn, Request *r)
{
    uint8_t *kind = &func_state->kinds[insn - func_state->func->insns];
    if (!*kind)
        *kind = (uint8_t)((1 + find_kind(func_state, insn)) | (is_past_l1(insn->op) ? PAST_L1 : 0));
    r->kind = (uint8_t)((*kind & ~PAST_L1) - 1);
    r->is_uncached = *kind & PAST_L1;
}

uint8_t ptx_request_matrices(const Op *op)
{
    uint8_t count = 1;
    if (ptx_op_has(op, MOD_X4))
        count = 4;
    else if (ptx_op_has(op, MOD_X2))
        count = 2;
    return ptx_op_has(op, MOD_M16N16) ? (uint8_t)(2 * count) : count;      /* of 16 rows each */
}

/* Elements from a row of a matrix to the next: the last operand, where it is there and known; else
 * rows follow each other. */
uint64_t ptx_request_pitch(Machine *m, Warp *w, const Insn *insn)
{
    Scratch room;
    const Operand *last = ptx_insn_operands(w->frame->func_state->func, insn) + insn->operand_count
                          - 1;
    const Value *pitch = last->role & ROLE_ADDRESS || last->role & ROLE_DEF
                             ? NULL
                             : ptx_machine_read(m, w, last, &room);
    return pitch && !pitch->lanes && !(pitch->unknown & 1) && pitch->align == ALIGN_EXACT
               ? pitch->all & UINT32_MAX
               : 16;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void tell_request(const Machine *m, Warp *w, const RequestEvent *event)
{
    for (uint32_t o = 0; o < m->requester_count; o++)
        m->requesters[o]->request(m->requesters[o]->self, w, event);
}

static void tell_lost(const Machine *m, Warp *w, const RequestEvent *event)
{
    for (uint32_t o = 0; o < m->requester_count; o++)
        if (m->requesters[o]->lost)
            m->requesters[o]->lost(m->requesters[o]->self, w, event);
}

static void tell_drawn(const Machine *m, Warp *w, const RequestEvent *event)
{
    for (uint32_t o = 0; o < m->requester_count; o++)
        if (m->requesters[o]->drawn)
            m->requesters[o]->drawn(m->requesters[o]->self, w, event);
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* cp.async reads as many bytes as its fourth operand says, none where a predicate says so. Lanes
 * that read any; *bytes: how many; r: what else the shared side is to know. */
static uint32_t copied_lanes(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, Request *r)
{
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned whole = r->bytes;
    Scratch room;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (operands[o].position != 3 || ptx_op_has(insn->op, MOD_L2_CACHE_HINT))
            continue;
        const Value *size = ptx_machine_read(m, w, &operands[o], &room);
        ptx_blocks_pin(&m->blocks, size);
        bool is_predicate = operands[o].kind == OPERAND_REG
                            && func->regs[operands[o].id].type == TYPE_PRED;
        /* the first stands for all where they are the same */
        const uint32_t alike = size->lanes ? 1 : UINT32_MAX;
        uint32_t reading = 0;
        for (unsigned i = 0; i < WARP_LANES && (size->lanes || !i); i++) {
            uint64_t here = ptx_value_lane(size, i);
            bool is_reading = is_predicate == !here;
            reading |= is_reading ? alike << i : 0;
            if (!is_predicate && here && here < r->bytes && lanes & alike << i)
                r->bytes = (uint32_t)here;
        }
        r->is_part = r->bytes < whole;
        r->is_empty = operands[o].kind == OPERAND_INT && !ptx_operand_value(&operands[o]);
        return lanes & (reading | size->unknown);
    }
    return lanes;
}

static void count_global(Machine *m, Warp *w, const RequestEvent *event)
{
    Request *r = event->request;
    if (r->kind == REQUEST_COPY)
        r->lanes = copied_lanes(m, w, event->insn, r->lanes, r);
    if (r->lanes)
        tell_request(m, w, event);
}

/* The shared side of a copy rests on both addresses: nothing that was counted before stands for
 * it. */
static void count_copied(Machine *m, Warp *w, const RequestEvent *event)
{
    const Operand *place = ptx_address_nth(event->func, event->insn, 1);
    Request *r = event->request, whole = *r;
    uint64_t from[WARP_LANES];
    RequestEvent own = *event;
    Scratch there;
    r->reading = copied_lanes(m, w, event->insn, r->lanes, &whole);
    r->is_part = whole.is_part;
    r->is_empty = whole.is_empty;
    r->is_uncached = ptx_op_has(event->insn->op, MOD_CG);
    ptx_address_read(m, w, place, &there);
    ptx_blocks_align(&m->blocks, event->address, PERIOD);
    ptx_blocks_align(&m->blocks, &there.value, PERIOD);
    if (!(there.value.unknown & r->lanes)) {
        ptx_value_places(&there.value, from);
        r->from = from;
    }
    own.from = &there.value;
    tell_request(m, w, &own);
}

static void count_shared(Machine *m, Warp *w, const RequestEvent *event)
{
    if (event->request->kind == REQUEST_COPY) {
        count_copied(m, w, event);
        return;
    }
    tell_request(m, w, event);
}

/* The constant cache serves one address at a time. */
static void count_constant(Machine *m, Count *count, const Value *address, uint32_t lanes)
{
    uint64_t seen[WARP_LANES] = { 0 };
    unsigned distinct = 0;
    if (!address->lanes && lanes)
        seen[distinct++] = address->all;
    for (unsigned i = 0; i < WARP_LANES && address->lanes; i++) {
        if (!(lanes >> i & 1))
            continue;
        unsigned k = distinct;
        while (k && seen[k - 1] != ptx_value_lane(address, i))
            k--;
        if (!k)
            seen[distinct++] = ptx_value_lane(address, i);
    }
    for (uint32_t o = 0; o < m->requester_count; o++)
        if (m->requesters[o]->constants)
            m->requesters[o]->constants(m->requesters[o]->self, address, seen, distinct);
    count->addresses += distinct;
    ptx_count_scales(count, address);
}

enum { WORD_BYTES = 4, LANES_OF_SECTOR = 8 };   /* of local memory */

/* Of local memory, words of 4 bytes of the lanes of a warp lie side by side: a line for each word
 * that some lane asks for, a sector for each that one of eight lanes does. */
static void count_local(Count *count, const Value *address, const Request *r)
{
    const unsigned words = r->bytes > WORD_BYTES ? r->bytes / WORD_BYTES : 1;
    unsigned lines = 0, sectors = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t word = ptx_value_lane(address, i) / WORD_BYTES;
        const unsigned first = i - i % LANES_OF_SECTOR;
        unsigned before = i;
        if (!(r->lanes >> i & 1))
            continue;
        while (before && !(r->lanes >> (before - 1) & 1
                           && ptx_value_lane(address, before - 1) / WORD_BYTES == word))
            before--;
        lines += !before;
        sectors += before <= first;
    }
    count->lines += lines * words;
    count->segments += sectors * words;
}

/* Of `count` words, those that `lanes` lanes ask for by chance. */
static double words_by_chance(unsigned lanes, double count)
{
    return count * (1 - pow(1 - 1 / count, lanes));
}

/* The same where data say which word of all that the kernel has there. */
static void guess_local(const Machine *m, Count *count, const Request *r)
{
    const double words = fmax(1, r->bytes / (double)WORD_BYTES),
                 places = fmax(1, (double)m->next_local / WORD_BYTES / words);
    count->lines += words * words_by_chance(ptx_lanes_count(r->lanes), places);
    for (unsigned i = 0; i < WARP_LANES; i += LANES_OF_SECTOR)
        count->segments
            += words * words_by_chance(ptx_lanes_count(r->lanes & UINT32_C(0xff) << i), places);
}

/* Of global memory, by lanes each of which was drawn one of few addresses. */
static bool is_drawn_request(const Request *r, const Op *op, const Value *address, Space space)
{
    return ptx_value_is_drawn(address) && space == SPACE_GLOBAL && !address->is_data
           && (r->kind == REQUEST_LOAD || r->kind == REQUEST_STORE)
           && op->kind != OPK_CP_ASYNC && !ptx_request_is_fragment(op)
           && !ptx_op_asks_other_blocks(op);
}

void ptx_memory_count(Machine *m, Warp *w, const SimInsn *insn, Count *count, uint32_t lanes,
                      uint8_t doubt)
{
    static const Space copied[] = { SPACE_SHARED, SPACE_GLOBAL };      /* to, from */
    const Func *func = w->frame->func_state->func;
    const Operand *const *places = insn->addresses;
    bool is_copy = insn->op->kind == OPK_CP_ASYNC && places[1];
    Request r = { .lanes = lanes,
                  .bytes = insn->insn->access_bytes,
                  .bank_bytes = m->launch->bank_bytes };
    Scratch room;
    if (!places[0] || !r.bytes)
        return;
    ptx_request_classify(w->frame->func_state, insn->insn, &r);
    r.matrices = r.kind == REQUEST_MATRIX ? ptx_request_matrices(insn->op) : 1;
    count->requests++;
    count->active += ptx_lanes_count(lanes);
    ptx_count_add_uncertainty(count, doubt);
    if (ptx_request_is_fragment(insn->op))
        ptx_count_add_uncertainty(count, UNCERTAIN_MODEL);
    for (unsigned side = 0; side < (is_copy ? 2 : 1); side++) {
        const Value *address = ptx_address_look(m, w, places[side], &room);
        Space space = is_copy ? copied[side] : ptx_address_space(insn->insn, address, lanes);
        uint32_t addressed = r.kind == REQUEST_MATRIX && r.matrices < 4
                                 ? lanes & ((UINT32_C(1) << (8 * r.matrices)) - 1)
                                 : lanes;
        count->has_lost_place |= !ptx_value_is_place(address, addressed, space == SPACE_GLOBAL);
        if (address->unknown & addressed) {
            Request lost = { .lanes = addressed };
            ptx_count_add_uncertainty(count, UNCERTAIN_ADDRESS);
            tell_lost(
                m, w,
                &(RequestEvent){ .func = func,
                                 .insn = insn->insn,
                                 .count = count,
                                 .request = &lost,
                                 .address = address,
                                 .doubt = doubt,
                                 .space = (uint8_t)(is_copy ? space : (Space)insn->insn->space) });
            if (is_drawn_request(&r, insn->op, address, space)) {
                Request drawn = r;
                drawn.lanes = addressed;
                tell_drawn(m, w, &(RequestEvent){ .func = func,
                                                  .insn = insn->insn,
                                                  .count = count,
                                                  .request = &drawn,
                                                  .address = address,
                                                  .doubt = doubt,
                                                  .space = (uint8_t)space });
                continue;
            }
            if (space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_SHARED
                || (space == SPACE_PARAM && func->is_entry)) {
                count->data_requests++;
                count->data_lanes += ptx_lanes_count(addressed);
            }
            if (space == SPACE_LOCAL)
                guess_local(m, count, &(Request){ .lanes = addressed, .bytes = r.bytes });
            continue;
        }
        if (address->is_assumed)
            ptx_count_add_uncertainty(count, UNCERTAIN_PARAMETER);
        Request here = r;
        here.lanes = addressed;
        if (space == SPACE_PARAM)
            ptx_blocks_pin(&m->blocks, address);
        const RequestEvent event = { .func = func,
                                     .insn = insn->insn,
                                     .count = count,
                                     .request = &here,
                                     .address = address,
                                     .space = (uint8_t)space };
        if (space == SPACE_SHARED)
            count_shared(m, w, &event);
        else if (space == SPACE_GLOBAL)
            count_global(m, w, &event);
        else if (space == SPACE_LOCAL)
            count_local(count, address, &here);
        else if (space == SPACE_CONST
                 || (space == SPACE_PARAM
                     && ptx_request_place(ptx_value_lane(address, 0)) < m->param_size))
            count_constant(m, count, address, addressed);
    }
}

