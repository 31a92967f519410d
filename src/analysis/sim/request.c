/* What a request of a warp costs, and its pattern. */
#include "analysis/sim/request.h"

enum { LOW_BITS = 31 };         /* of addresses, that Count.low_bits tells of */

/* What shared memory has no instruction for is a loop around cas, whose rounds hang on who else is there. Only figures of wavefronts ask. */
static bool is_spun(const Insn *insn)
{
    const Op *op = insn->op;
    bool is_float = ptx_type_info[op->type].kind == KIND_FLOAT;
    return insn->access_bytes < 4 || is_float || (insn->access_bytes == 8 && !ptx_op_has(op, MOD_EXCH));
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
        bool is_one = ptx_op_has(op, MOD_ADD) && value < insn->operand_count && operands[value].kind == OPERAND_INT && operands[value].value == 1;
        return is_one && (op->kind == OPK_RED || is_unused(func_state->func, &operands[0])) ? REQUEST_INCREMENT : REQUEST_ATOMIC;
    }
    default:            return REQUEST_LOAD;
    }
}

/* Loads that do not go through L1, where plain ones do: PTX ISA, "Cache Operators"; read-only ones have a cache of their own. */
static bool is_past_l1(const Op *op)
{
    return op->kind == OPK_LD && (ptx_op_has(op, MOD_CG) || ptx_op_has(op, MOD_CV) || ptx_op_has(op, MOD_NC));
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
    uint8_t count = ptx_op_has(op, MOD_X4) ? 4 : ptx_op_has(op, MOD_X2) ? 2 : 1;
    return ptx_op_has(op, MOD_M16N16) ? (uint8_t)(2 * count) : count;      /* of 16 rows each */
}

bool ptx_request_figure(const Machine *m, Request *r, const Value *address, unsigned granule, TrafficFn *traffic, double *out)
{
    uint64_t lanes[WARP_LANES];
    ptx_value_places(address, lanes);
    r->addresses = lanes;
    *out = traffic(m->gpu, r);
    if (address->align == ALIGN_EXACT || UINT64_C(1) << address->align >= granule)
        return true;
    if (!address->is_common)
        return false;
    for (unsigned by = 1u << address->align; by < granule; by += 1u << address->align) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] += UINT64_C(1) << address->align;
        if (traffic(m->gpu, r) != *out)
            return false;
    }
    return true;
}

/* The figure, which is the same for addresses that lie `period` bytes further on, is so for a part of that. */
static bool repeats_every(const Machine *m, const Traffic *t, const Request *r, const Value *address, TrafficFn *traffic, unsigned bytes, unsigned period)
{
    uint64_t lanes[WARP_LANES];
    Request there = *r;
    there.addresses = lanes;
    for (unsigned by = bytes; by < period; by += bytes) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] = ptx_request_place(ptx_value_lane(address, i)) + by;
        if (traffic(m->gpu, &there) != t->figure)
            return false;
    }
    return true;
}

/* Blocks whose addresses lie elsewhere, at the same distances, but for which the figure is another are not among those that the run stands for. */
static void narrow(Machine *m, Traffic *t, Count *count, const Request *r, const Value *address, TrafficFn *traffic)
{
    if (!address->grows || ptx_value_is_aligned(&m->blocks, address, PERIOD))
        return;
    if (!t->period) {
        bool are_sectors = traffic == ptx_traffic_sectors;
        unsigned period = are_sectors ? ptx_traffic_sector_period(m->gpu, r) : ptx_traffic_bank_period(m->gpu, r);
        t->period = (uint16_t)period;
        while (are_sectors && t->period > 1 && repeats_every(m, t, r, address, traffic, t->period / 2, period))
            t->period /= 2;
    }
    ptx_blocks_align(&m->blocks, address, t->period);
    count->low_bits |= (uint8_t)(ptx_blocks_steps(&m->blocks, address) & LOW_BITS);
}

static bool is_alike(const Traffic *t, const Request *r, const Value *address, uint64_t first)
{
    if (t->lanes != r->lanes || t->bytes != r->bytes || (t->first ^ first) & LINE_MASK || t->align != address->align || t->is_common != address->is_common)
        return false;
    if (!address->lanes)
        return t->is_one;
    if (t->is_one)
        return false;
    uint64_t difference = 0;
    for (unsigned i = 0; i < WARP_LANES && r->lanes == UINT32_MAX; i++)
        difference |= (address->lanes[i] - first) ^ t->apart[i];
    for (unsigned i = 0; i < WARP_LANES && r->lanes != UINT32_MAX; i++)
        difference |= ((address->lanes[i] - first) ^ t->apart[i]) & (0 - (uint64_t)(r->lanes >> i & 1));
    return !difference;
}

static void remember(Traffic *t, const Request *r, const Value *address, uint64_t first)
{
    t->first = first;
    t->lanes = r->lanes;
    t->bytes = r->bytes;
    t->align = address->align;
    t->is_common = address->is_common;
    t->is_one = !address->lanes;
    t->period = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        t->apart[i] = ptx_value_lane(address, i) - first;
}

/* The distance that most neighbouring lanes have, and how many of them; *pairs: of so many. */
static unsigned most_frequent(const Traffic *t, int64_t *stride, unsigned *pairs)
{
    int64_t distances[WARP_LANES];
    unsigned count = 0, best = 0, last = WARP_LANES;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(t->lanes >> i & 1))
            continue;
        if (last < i && i - last == 1)
            distances[count++] = (int64_t)(t->apart[i] - t->apart[last]);
        last = i;
    }
    unsigned alike = 0;
    while (alike < count && distances[alike] == distances[0])
        alike++;
    *pairs = count;
    if (count && alike == count) {
        *stride = distances[0];
        return count;
    }
    for (unsigned i = 0; i < count && best < count - i; i++) {
        unsigned same = 0;
        for (unsigned k = i; k < count; k++)
            same += distances[k] == distances[i];
        if (same > best) {
            best = same;
            *stride = distances[i];
        }
    }
    return best;
}

static void classify(Traffic *t, uint32_t bytes)
{
    int64_t stride = 0, own = bytes;
    unsigned pairs, same = most_frequent(t, &stride, &pairs);
    t->stride = stride;
    if (!pairs)
        t->pattern = PATTERN_NONE;
    else if (same == pairs && !stride)
        t->pattern = PATTERN_BROADCAST;
    else if (same == pairs && (stride == own || stride == -own))
        t->pattern = t->figure > t->ideal ? PATTERN_OFFSET : PATTERN_CONTIGUOUS;
    else if (same == pairs)
        t->pattern = PATTERN_STRIDED;
    else
        t->pattern = 2 * same >= pairs && stride == own ? PATTERN_ROWS : PATTERN_IRREGULAR;
}

/* Of all addresses, or-ed; an addend that nobody knows may have any bit from its alignment on. Of what is more than one pointer no more is known than
 * that the access is allowed. */
static uint8_t low_bits_of(const Request *r, const Value *address)
{
    uint64_t bits = address->align < 5 ? UINT64_C(1) << address->align : address->addend == ADDEND_OTHER ? r->bytes : 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        bits |= r->lanes >> i & 1 ? r->addresses[i] : 0;
    return (uint8_t)(bits & LOW_BITS);
}

/* The same lanes again, each at the element behind: a thread has a stretch of its own. */
static void note_walk(Traffic *t, const Request *r, uint64_t first)
{
    if (t->pattern == PATTERN_STRIDED && t->lanes == r->lanes && first - t->first == r->bytes)
        t->pattern = PATTERN_PER_THREAD;
}

void ptx_request_count(Machine *m, Traffic **place, Count *count, Request *r, const Value *address, unsigned granule, TrafficFn *traffic, IdealFn *ideal,
                       double *figure, double *ideal_figure)
{
    if (!*place)
        *place = ptx_arena_new(m->arena, Traffic);
    Traffic *t = *place;
    uint64_t first = ptx_value_lane(address, (unsigned)__builtin_ctz(r->lanes));
    bool was_walk = t->pattern == PATTERN_PER_THREAD;
    note_walk(t, r, first);
    was_walk |= t->pattern == PATTERN_PER_THREAD;
    if (!is_alike(t, r, address, first)) {
        remember(t, r, address, first);
        t->is_firm = ptx_request_figure(m, r, address, granule, traffic, &t->figure);
        uint64_t lanes[WARP_LANES];
        ptx_value_places(address, lanes);
        r->addresses = lanes;
        t->is_modelled = traffic == ptx_traffic_wavefronts && !ptx_traffic_is_certain(m->gpu, r);
        t->ideal = ideal(m->gpu, r, t->figure);
        t->used = traffic == ptx_traffic_sectors ? ptx_traffic_used_bytes(r) : 0;
        t->low_bits = low_bits_of(r, address);
        classify(t, r->bytes);
        if (was_walk && t->pattern == PATTERN_STRIDED)
            t->pattern = PATTERN_PER_THREAD;
    } else {
        t->first = first;
    }
    double share = t->figure / ptx_lanes_count(r->lanes);
    if (share > count->worst || !count->pattern || (t->pattern == PATTERN_PER_THREAD && count->pattern == PATTERN_STRIDED)) {
        count->worst = share > count->worst ? share : count->worst;
        count->pattern = t->pattern;
        count->stride = t->stride;
    }
    narrow(m, t, count, r, address, traffic);
    ptx_count_scales(count, address);
    if (t->is_modelled)
        ptx_count_doubt(count, UNCERTAIN_MODEL);
    if (!t->is_firm)
        ptx_count_doubt(count, address->is_data ? UNCERTAIN_DATA : UNCERTAIN_PARAMETER);
    count->used_bytes += t->used;
    count->low_bits |= t->low_bits;
    *figure += t->figure;
    *ideal_figure += t->ideal;
}
