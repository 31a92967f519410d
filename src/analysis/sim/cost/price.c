/* What a request of a warp costs, and its pattern. */
#include "analysis/sim/machine.h"
#include "analysis/sim/cost/price.h"

#include "analysis/sim/cost/fragment.h"
#include "analysis/sim/cost/l1_passes.h"
#include "analysis/sim/cost/row_sectors.h"
#include "analysis/sim/cost/traffic.h"
#include "analysis/sim/stride/lane_groups.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/joinable_row.h"
#include "analysis/sim/request.h"
#include "analysis/sim/value.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "support/hash.h"

#include <stdint.h>

enum {
    MAX_MATRICES = 4,           /* of one request */
    LOW_BITS = 31,              /* of addresses, that Count.low_bits holds */
    /* an unknown addend of so many bytes changes no sector and no line */
    GRANULE = 128,
    BANK_BYTES = 4,
    /* neighbours are swizzled in different ways, and iterations begin elsewhere in a period */
    COPIED_WARPS = 4,
    COPIED_SLOTS = 32,
    COPIED_TABLES_MAX = 256,            /* a table takes 20 KB: later instructions share the last */
    /* where requests of an instruction were not like the last so often, those before it are kept:
     * one for each word of a line that they may begin at */
    KEPT_AFTER = 256,
    KEPT_SLOTS = (LINE_MASK + 1) / BANK_BYTES,
};

typedef double TrafficFn(const Gpu *gpu, const Request *request);

typedef struct CostUnit {           /* that requests are counted in */
    TrafficFn *traffic;
    double (*ideal)(const Gpu *gpu, const Request *request, double real);
    unsigned granule;           /* bytes: an unknown addend of a multiple makes no difference */
    uint8_t side;               /* of an instruction's two */
} CostUnit;

static const CostUnit sectors = { ptx_traffic_sectors, ptx_traffic_ideal_sectors, GRANULE, 1 };
static const CostUnit wavefronts = { ptx_traffic_wavefronts, ptx_traffic_ideal_wavefronts,
                                     BANK_BYTES, 0 };

/* Requests alike cost alike: the same lanes at the same distances from each other, moved by a
 * multiple of a line. */
typedef struct Traffic {
    uint64_t first;
    uint64_t apart[WARP_LANES];
    uint32_t lanes, bytes;
    double figure, ideal, used;
    double lines, segments, passes;     /* Count's words */
    unsigned joined_bytes;      /* of a lane, once ptxas has joined the access */
    double taken;               /* of wavefronts: ptx_traffic_taken */
    double joined;              /* an access's share of those, once ptxas has joined it */
    int64_t stride;
    uint8_t pattern;            /* AccessPattern */
    bool is_firm;               /* figure_of's word */
    /* bytes: the figure is the same for addresses a multiple of so many further on; 0: not asked
     * for yet */
    uint16_t period;
    bool is_modelled;           /* the figure follows a rule that is not certain for this GPU */
    uint8_t align;
    bool is_common;
    bool is_one;                /* all lanes at one address */
    bool is_of_other;           /* the address's addend is ADDEND_OTHER */
    uint8_t low_bits;           /* Count's word */
    uint16_t misses;            /* requests that were not like the one before */
    struct Traffic *kept;       /* KEPT_SLOTS earlier ones; NULL: there were few of these */
} Traffic;

/* The shared side of a copy. One whose two sides lie a multiple of PERIOD further on costs the
 * same. */
typedef struct Copied {
    Request request;
    uint64_t to[WARP_LANES], from[WARP_LANES];
    double figure, ideal;
    uint8_t align;              /* of the address that it writes to */
    bool is_common;
    bool is_firm;               /* figure_of's word */
    bool is_modelled;
} Copied;

typedef union Priced {          /* what the last request of one side of an instruction came to */
    Traffic *traffic;
    RowSectors *rows;           /* one whose address is not known */
    Copied *copied;             /* of the shared side of cp.async: COPIED_SLOTS of them */
} Priced;

/* The figure for an address whose unknown addend is a multiple of 2^align; false: it depends on
 * that addend. */
static bool find_figure(const Price *p, Request *r, const Value *address, unsigned granule,
                        TrafficFn *traffic, double *out)
{
    uint64_t lanes[WARP_LANES];
    ptx_value_places(address, lanes);
    r->addresses = lanes;
    *out = traffic(p->gpu, r);
    if (address->align == ALIGN_EXACT || UINT64_C(1) << address->align >= granule)
        return true;
    if (!address->is_common)
        return false;
    for (unsigned by = 1u << address->align; by < granule; by += 1u << address->align) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] += UINT64_C(1) << address->align;
        if (traffic(p->gpu, r) != *out)
            return false;
    }
    return true;
}

/* The figure, which is the same for addresses that lie `period` bytes further on, is so for half of
 * t->period. */
static bool repeats_in_half(const Price *p, const Traffic *t, const Request *r,
                            const Value *address, TrafficFn *traffic, unsigned period)
{
    const unsigned bytes = t->period / 2;
    uint64_t lanes[WARP_LANES];
    Request there = *r;
    there.addresses = lanes;
    for (unsigned by = bytes; by < period; by += bytes) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] = ptx_request_place(ptx_value_lane(address, i)) + by;
        if (traffic(p->gpu, &there) != t->figure
            || (traffic == ptx_traffic_sectors && ptx_traffic_lines(&there) != t->lines))
            return false;
    }
    return true;
}

/* Blocks whose addresses lie elsewhere, at the same distances, but for which the figure is another
 * are not among those that the run stands for. */
static void narrow(Price *p, Traffic *t, Count *count, const Request *r, const Value *address,
                   TrafficFn *traffic)
{
    if (!address->grows || ptx_value_is_aligned(&p->machine->blocks, address, PERIOD))
        return;
    if (!t->period) {
        bool are_sectors = traffic == ptx_traffic_sectors;
        unsigned period = are_sectors ? ptx_traffic_sector_period(p->gpu, r)
                                      : ptx_traffic_bank_period(p->gpu, r);
        if (are_sectors && period <= LINE_MASK)
            period = LINE_MASK + 1;     /* lines are counted, too */
        t->period = (uint16_t)period;
        while (are_sectors && t->period > 1 && repeats_in_half(p, t, r, address, traffic, period))
            t->period /= 2;
    }
    ptx_blocks_align(&p->machine->blocks, address, t->period);
    count->low_bits |= (uint8_t)(ptx_blocks_steps(&p->machine->blocks, address) & LOW_BITS);
}

static bool is_alike(const Traffic *t, const Request *r, const Value *address, uint64_t first)
{
    if (t->lanes != r->lanes || t->bytes != r->bytes || (t->first ^ first) & LINE_MASK
        || t->align != address->align || t->is_common != address->is_common)
        return false;
    if (!address->lanes)
        return t->is_one;
    if (t->is_one)
        return false;
    uint64_t difference = 0;
    for (unsigned i = 0; i < WARP_LANES && r->lanes == UINT32_MAX; i++)
        difference |= (address->lanes[i] - first) ^ t->apart[i];
    for (unsigned i = 0; i < WARP_LANES && r->lanes != UINT32_MAX; i++)
        difference |= ((address->lanes[i] - first) ^ t->apart[i])
                      & (0 - (uint64_t)(r->lanes >> i & 1));
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
    t->is_of_other = address->addend == ADDEND_OTHER;
    t->period = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        t->apart[i] = ptx_value_lane(address, i) - first;
}

/* How many of these are the same at the most: the first such. */
static unsigned most_of(const int64_t *distances, unsigned count, int64_t *first)
{
    int64_t distinct[WARP_LANES];
    uint8_t times[WARP_LANES];
    unsigned found = 0, best = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned k = 0;
        while (k < found && distinct[k] != distances[i])
            k++;
        if (k == found) {
            distinct[found] = distances[i];
            times[found++] = 0;
        }
        times[k]++;
    }
    for (unsigned k = 0; k < found; k++)
        if (times[k] > best) {
            best = times[k];
            *first = distinct[k];
        }
    return best;
}

/* The distance that most neighbouring lanes have, and how many of them; *pairs: of so many. */
static unsigned most_frequent(const Traffic *t, int64_t *stride, unsigned *pairs)
{
    int64_t distances[WARP_LANES];
    unsigned count = 0, last = WARP_LANES;
    uint64_t step;
    if (t->lanes == UINT32_MAX && ptx_places_have_step(t->apart, &step)) {
        *stride = (int64_t)step;
        return *pairs = WARP_LANES - 1;
    }
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
    return most_of(distances, count, stride);
}

/* Lanes between the first and the last that take no part. */
static bool has_gaps(uint32_t lanes)
{
    const uint32_t row = lanes >> __builtin_ctz(lanes);
    return row & (row + 1);
}

/* Of lanes side by side, so far as neighbours both take part. What gaps alone cost is no offset. */
static AccessPattern row_pattern(const Price *p, const Traffic *t, const Request *r,
                                 const CostUnit *unit)
{
    uint64_t addresses[WARP_LANES];
    const unsigned first = (unsigned)__builtin_ctz(t->lanes),
                   last = WARP_LANES - 1 - (unsigned)__builtin_clz(t->lanes);
    Request row = *r;
    row.addresses = addresses;
    row.lanes = UINT32_MAX >> (WARP_LANES - 1 - last) & UINT32_MAX << first;
    for (unsigned i = first; has_gaps(t->lanes) && i <= last; i++) {
        addresses[i] = r->addresses[first] + (i - first) * (uint64_t)t->stride;
        if (t->lanes >> i & 1 && addresses[i] != r->addresses[i])
            return PATTERN_ROWS;
    }
    if (t->figure <= t->ideal)
        return PATTERN_CONTIGUOUS;
    if (!has_gaps(t->lanes))
        return PATTERN_OFFSET;
    const double figure = unit->traffic(p->gpu, &row);
    return figure > unit->ideal(p->gpu, &row, figure) ? PATTERN_OFFSET : PATTERN_CONTIGUOUS;
}

static void classify(const Price *p, Traffic *t, const Request *r, const CostUnit *unit)
{
    int64_t stride = 0, own = r->bytes;
    unsigned pairs, same = most_frequent(t, &stride, &pairs);
    t->stride = stride;
    if (!pairs)
        t->pattern = PATTERN_NONE;
    else if (same == pairs && !stride)
        t->pattern = PATTERN_BROADCAST;
    else if (same == pairs && (stride == own || stride == -own))
        t->pattern = (uint8_t)row_pattern(p, t, r, unit);
    else if (same == pairs)
        t->pattern = PATTERN_STRIDED;
    else
        t->pattern = 2 * same >= pairs && stride == own ? PATTERN_ROWS : PATTERN_IRREGULAR;
}

/* Of all addresses, or-ed; an unknown addend may have any bit from its alignment on. Of
 * what is more than one pointer no more is known than that the access is allowed. */
static uint8_t low_bits_of(const Request *r, const Value *address)
{
    uint64_t bits = address->addend == ADDEND_OTHER ? r->bytes : 0;
    if (address->align < 5)
        bits = UINT64_C(1) << address->align;
    for (unsigned i = 0; i < WARP_LANES; i++)
        bits |= r->addresses[i] & (0 - (uint64_t)(r->lanes >> i & 1));
    return (uint8_t)(bits & LOW_BITS);
}

/* The same lanes again, each at the element behind: a thread has a stretch of its own. */
static void note_walk(Traffic *t, const Request *r, uint64_t first)
{
    if (t->pattern == PATTERN_STRIDED && t->lanes == r->lanes && first - t->first == r->bytes)
        t->pattern = PATTERN_PER_THREAD;
}

/* ---- what ptxas joins ------------------------------------------------------------------------ */

/* All lanes at one place of so many bytes, and the row fills it. */
static bool fills(const Request *r, const JoinableRow *row, unsigned widest)
{
    const uint64_t first = r->addresses[__builtin_ctz(r->lanes)];
    const unsigned place = (unsigned)(first % widest);
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (r->lanes >> i & 1 && (r->addresses[i] ^ first) % widest)
            return false;
    return row->before >= place && row->behind + place + r->bytes >= widest;
}

/* Those that it joins share the one that comes of them. */
static void find_joined(const Price *p, Traffic *t, const Request *r, const Insn *insn)
{
    t->joined_bytes = r->bytes;
    t->joined = t->taken;
    if (!p->rows || insn < p->func->insns || insn >= p->func->insns + p->func->insn_count
        || (r->kind != REQUEST_LOAD && r->kind != REQUEST_STORE))
        return;
    const JoinableRow *row = &p->rows[insn - p->func->insns];
    unsigned widest = row->widest;
    while (widest > r->bytes && !fills(r, row, widest))
        widest /= 2;
    if (widest <= r->bytes)
        return;
    uint64_t lanes[WARP_LANES];
    Request whole = *r;
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes[i] = r->addresses[i] & ~(uint64_t)(widest - 1);
    whole.addresses = lanes;
    whole.bytes = widest;
    t->joined_bytes = widest;
    t->joined = ptx_traffic_taken(p->gpu, &whole, ptx_traffic_wavefronts(p->gpu, &whole))
                * r->bytes / widest;
}

static void add_spared(Count *count, const Traffic *t)
{
    count->passes += t->taken;
    count->spared_wavefronts += t->figure - t->joined;
    if (t->joined_bytes > t->bytes)
        count->spared_requests += 1 - (double)t->bytes / t->joined_bytes;
}

/* Before Volta a line takes one, and so does a line of what is stored. */
static double passes_of(const Gpu *gpu, const Request *r, const Op *op, double lines)
{
    enum { VOLTA = 70 };
    return op->flags & OPF_LOAD && (!gpu || gpu->target.sm >= VOLTA)
               ? ptx_l1_passes(r->addresses, r->lanes, r->bytes, (unsigned)lines)
               : lines;
}

static void find_traffic(const Price *p, Traffic *t, const RequestEvent *e, Request *r,
                         const Value *address, const CostUnit *unit)
{
    uint64_t lanes[WARP_LANES];
    remember(t, r, address, ptx_value_lane(address, (unsigned)__builtin_ctz(r->lanes)));
    t->is_firm = find_figure(p, r, address, unit->granule, unit->traffic, &t->figure);
    ptx_value_places(address, lanes);
    r->addresses = lanes;
    t->is_modelled = unit == &wavefronts && !ptx_traffic_is_certain(p->gpu, r);
    t->ideal = unit->ideal(p->gpu, r, t->figure);
    t->taken = unit == &wavefronts ? ptx_traffic_taken(p->gpu, r, t->figure) : t->figure;
    find_joined(p, t, r, e->insn);
    t->used = unit == &sectors || e->insn->op->kind == OPK_LD ? ptx_traffic_used_bytes(r) : 0;
    t->lines = unit == &sectors ? ptx_traffic_lines(r) : 0;
    t->segments = unit == &sectors ? ptx_traffic_segments(p->gpu, r, t->figure) : 0;
    t->passes = unit == &sectors ? passes_of(p->gpu, r, e->insn->op, t->lines) : 0;
    t->low_bits = low_bits_of(r, address);
    classify(p, t, r, unit);
}

/* As an earlier request that it is like, where one is kept: iterations begin at other words of a
 * line, again and again. */
static void recall_traffic(const Price *p, Traffic *t, const RequestEvent *e, Request *r,
                           const Value *address, const CostUnit *unit)
{
    if (t->misses < KEPT_AFTER) {
        t->misses++;
        find_traffic(p, t, e, r, address, unit);
        return;
    }
    if (!t->kept)
        t->kept = ptx_arena_array(p->machine->arena, Traffic, KEPT_SLOTS);
    const uint64_t first = ptx_value_lane(address, (unsigned)__builtin_ctz(r->lanes));
    Traffic *kept = &t->kept[(first & LINE_MASK) / BANK_BYTES];
    if (!is_alike(kept, r, address, first)
        || kept->is_of_other != (address->addend == ADDEND_OTHER))
        find_traffic(p, kept, e, r, address, unit);
    struct Traffic *const all = t->kept;
    *t = *kept;
    t->first = first;
    t->misses = KEPT_AFTER;
    t->kept = all;
}

/* One side of an access: adds its figures, and notes what is in doubt of its address. *place keeps
 * what the last request came to. */
static void add_request(Price *p, const RequestEvent *e, Traffic **place, Request *r,
                        const Value *address, const CostUnit *unit)
{
    Count *count = e->count;
    if (!*place)
        *place = ptx_arena_new(p->machine->arena, Traffic);
    Traffic *t = *place;
    uint64_t first = ptx_value_lane(address, (unsigned)__builtin_ctz(r->lanes));
    bool was_walk = t->pattern == PATTERN_PER_THREAD;
    note_walk(t, r, first);
    was_walk |= t->pattern == PATTERN_PER_THREAD;
    if (!is_alike(t, r, address, first)) {
        recall_traffic(p, t, e, r, address, unit);
        if (was_walk && t->pattern == PATTERN_STRIDED)
            t->pattern = PATTERN_PER_THREAD;
    } else {
        t->first = first;
    }
    double excess = t->figure - t->ideal;
    if (excess > count->worst || !count->pattern
        || (t->pattern == PATTERN_PER_THREAD && count->pattern == PATTERN_STRIDED)) {
        count->worst = excess > count->worst ? excess : count->worst;
        count->pattern = t->pattern;
        count->stride = t->stride;
    }
    narrow(p, t, count, r, address, unit->traffic);
    ptx_count_scales(count, address);
    if (t->is_modelled)
        ptx_count_add_uncertainty(count, UNCERTAIN_MODEL);
    if (!t->is_firm)
        ptx_count_add_uncertainty(count, address->is_data ? UNCERTAIN_DATA : UNCERTAIN_PARAMETER);
    count->used_bytes += t->used;
    count->low_bits |= t->low_bits;
    if (unit == &sectors) {
        count->sectors += t->figure;
        count->lines += t->lines;
        count->segments += t->segments;
        count->passes += t->passes;
        count->ideal_sectors += t->ideal;
    } else {
        count->wavefronts += t->figure;
        count->ideal_wavefronts += t->ideal;
        add_spared(count, t);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

enum { PRICED_SIDES = 2, PRICED_ROWS = PRICED_SIDES, PRICED_EACH };

static Priced *priced_of(const Price *p, const Warp *w, const Insn *insn, unsigned which)
{
    FuncState *func_state = w->frame->func_state;
    Priced *all = func_state->slots[p->observer.slot];
    if (!all)
        all = func_state->slots[p->observer.slot] = ptx_arena_array(
            p->machine->arena, Priced, PRICED_EACH * (size_t)func_state->func->insn_count);
    return &all[PRICED_EACH * (size_t)(insn - func_state->func->insns) + which];
}

/* All lanes as far from there, and by a multiple of PERIOD. */
static bool are_moved(const uint64_t there[WARP_LANES], const uint64_t here[WARP_LANES])
{
    const uint64_t by = here[0] - there[0];
    uint64_t difference = by % PERIOD;
    for (unsigned i = 0; i < WARP_LANES; i++)
        difference |= (here[i] - there[i]) ^ by;
    return !difference;
}

static bool is_like_copied(const Copied *c, const Request *r, const Value *address)
{
    const Request *last = &c->request;
    return last->lanes == r->lanes && last->bytes == r->bytes && last->bank_bytes == r->bank_bytes
           && last->is_uncached == r->is_uncached && last->reading == r->reading
           && last->is_part == r->is_part && last->is_empty == r->is_empty
           && !last->from == !r->from && c->align == address->align
           && c->is_common == address->is_common && are_moved(c->to, r->addresses)
           && (!r->from || are_moved(c->from, r->from));
}

static void price_copied(const Price *p, Copied *c, Request *r, const Value *address)
{
    c->request = *r;
    memcpy(c->to, r->addresses, sizeof c->to);
    if (r->from)
        memcpy(c->from, r->from, sizeof c->from);
    c->align = address->align;
    c->is_common = address->is_common;
    bool is_certain;
    c->figure = ptx_traffic_copied(p->gpu, r, &is_certain);
    c->is_modelled = !is_certain;
    c->is_firm = address->align == ALIGN_EXACT
                 || find_figure(p, r, address, BANK_BYTES, ptx_traffic_wavefronts, &c->figure);
    c->ideal = ptx_traffic_ideal_wavefronts(p->gpu, r, c->figure);
}

static unsigned copied_slot(const Warp *w, const Request *r)
{
    const uint64_t to = r->addresses[0] % PERIOD, from = r->from ? r->from[0] % PERIOD : 0;
    return (unsigned)(ptx_hash_mix((to * PERIOD + from) * COPIED_WARPS + w->index % COPIED_WARPS)
                      % COPIED_SLOTS);
}

static Copied *copied_table(Price *p)
{
    if (p->copied_count < COPIED_TABLES_MAX) {
        p->copied_count++;
        p->copied = ptx_arena_array(p->machine->arena, Copied, COPIED_SLOTS);
    }
    return p->copied;
}

static void add_copied(Price *p, const Warp *w, Copied **place, const RequestEvent *e)
{
    Request *r = e->request;
    uint64_t to[WARP_LANES];
    ptx_value_places(e->address, to);
    r->addresses = to;
    if (!*place)
        *place = copied_table(p);
    Copied *c = &(*place)[copied_slot(w, r)];
    if (!is_like_copied(c, r, e->address)) {
        price_copied(p, c, r, e->address);
        r->addresses = to;
    }
    if (c->is_modelled)
        ptx_count_add_uncertainty(e->count, UNCERTAIN_MODEL);
    if (!c->is_firm
        || (e->from->align != ALIGN_EXACT && UINT64_C(1) << e->from->align <= LINE_MASK))
        ptx_count_add_uncertainty(e->count, UNCERTAIN_PARAMETER);
    e->count->wavefronts += c->figure;
    e->count->passes += c->figure;
    e->count->ideal_wavefronts += c->ideal;
}

/* The accesses of a fragment differ in where they begin, and cost the same. */
static void add_fragment(Price *p, Warp *w, const RequestEvent *e, const CostUnit *unit)
{
    const FragmentAccess f = ptx_fragment_access(e->insn->op);
    const uint32_t lanes_each = f.is_matrix ? 1 : WARP_LANES / f.lines;
    const uint64_t pitch = f.lines_apart * ptx_request_pitch(p->machine, w, e->insn)
                           * ptx_type_info[e->insn->op->type].bits / 8;
    uint64_t lanes[WARP_LANES];
    Value places = *e->address;
    ptx_value_places(e->address, lanes);
    for (uint64_t i = WARP_LANES; i--;)
        lanes[i] = lanes[0] + i / lanes_each % f.lines * pitch + i % lanes_each * f.bytes;
    places.lanes = lanes;
    const uint32_t matrices = f.is_matrix && f.count < MAX_MATRICES ? f.count : MAX_MATRICES;
    Request one = { .kind = f.is_matrix ? REQUEST_MATRIX : e->request->kind,
                    .lanes = e->request->lanes,
                    .bytes = f.bytes,
                    .bank_bytes = e->request->bank_bytes,
                    .matrices = (uint8_t)matrices };
    Traffic **place = &priced_of(p, w, e->insn, unit->side)->traffic;
    for (uint32_t i = 0; i < f.count; i += f.is_matrix ? matrices : 1)
        add_request(p, e, place, &one, &places, unit);
}

static void take_request(void *self, Warp *w, const RequestEvent *e)
{
    Price *p = self;
    const CostUnit *unit = e->space == SPACE_GLOBAL ? &sectors : &wavefronts;
    if (unit == &wavefronts && e->request->kind == REQUEST_COPY)
        add_copied(p, w, &priced_of(p, w, e->insn, unit->side)->copied, e);
    else if (ptx_request_is_fragment(e->insn->op) && ptx_fragment_access(e->insn->op).count)
        add_fragment(p, w, e, unit);
    else
        add_request(p, e, &priced_of(p, w, e->insn, unit->side)->traffic, e->request, e->address,
                    unit);
}

/* What is copied may be less than the bytes of the access. */
static bool may_be_part(const RequestEvent *e)
{
    return e->insn->op->kind == OPK_CP_ASYNC && e->insn->operand_count > 3;
}

static void add_row_doubt(Count *count, uint8_t doubt)
{
    count->row_doubt = doubt > count->row_doubt ? doubt : count->row_doubt;
}

/* Rows that data choose. */
static void price_lost_rows(void *self, Warp *w, const RequestEvent *e)
{
    Price *p = self;
    const uint32_t lanes = e->request->lanes;
    if (!ptx_groups_unpack(e->address->group).bits
        || (e->address->unknown & lanes) != lanes || may_be_part(e)
        || ptx_request_is_fragment(e->insn->op)
        || ptx_address_space(e->insn, e->address, lanes) != SPACE_GLOBAL)
        return;
    RowSectors **rows = &priced_of(p, w, e->insn, PRICED_ROWS)->rows;
    if (!*rows)
        *rows = ptx_arena_new(p->machine->arena, RowSectors);
    Request r = { .lanes = lanes, .bytes = e->insn->access_bytes };
    ptx_request_classify(w->frame->func_state, e->insn, &r);
    ptx_row_sectors_find(*rows, p->gpu, &r, e->address);
    ptx_row_sectors_add(*rows, e->count);
    add_row_doubt(e->count, e->doubt);
    if (e->address->is_assumed)
        add_row_doubt(e->count, UNCERTAIN_PARAMETER);
    if (ptx_groups_unpack(e->address->group).is_loose)
        add_row_doubt(e->count, UNCERTAIN_DATA);
}

/* Lanes that each were drawn one of few addresses: for times alone. */
static void price_drawn(void *self, Warp *w, const RequestEvent *e)
{
    Price *p = self;
    Count *count = e->count;
    uint64_t lanes[WARP_LANES];
    Request *r = e->request;
    (void)w;
    ptx_value_places(e->address, lanes);
    r->addresses = lanes;
    const double figure = ptx_traffic_sectors(p->gpu, r), lines = ptx_traffic_lines(r);
    count->is_drawn = true;
    add_row_doubt(count, e->doubt);
    count->sectors += figure;
    count->lines += lines;
    count->segments += ptx_traffic_segments(p->gpu, r, figure);
    count->passes += passes_of(p->gpu, r, e->insn->op, lines);
    count->ideal_sectors += ptx_traffic_ideal_sectors(p->gpu, r, figure);
    count->used_bytes += ptx_traffic_used_bytes(r);
}

void ptx_price_attach(Price *p, Machine *m, const Gpu *gpu)
{
    *p = (Price){
        .machine = m,
        .gpu = gpu,
        .observer = { .self = p, .request = take_request, .lost = price_lost_rows,
                      .drawn = price_drawn },
    };
    ptx_machine_observe(m, &p->observer);
}
