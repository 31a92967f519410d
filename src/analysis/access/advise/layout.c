#include "analysis/access/advise/layout.h"
#include "ir/module.h"
#include "analysis/access/advise/trace.h"
#include "analysis/sim/cost/traffic.h"
#include "analysis/sim/request.h"

#include <math.h>

/* ---- costs as they are ----------------------------------------------------------------------- */

static double cost(const Array *a, const Request *r)
{
    return a->space == SPACE_SHARED ? ptx_traffic_wavefronts(a->trace->gpu, r)
                                    : ptx_traffic_sectors(a->trace->gpu, r);
}

static double ideal_cost(const Array *a, const Request *r, double real)
{
    return a->space == SPACE_SHARED ? ptx_traffic_ideal_wavefronts(a->trace->gpu, r, real)
                                    : ptx_traffic_ideal_sectors(a->trace->gpu, r, real);
}

bool ptx_array_add(Array *a, const TracedAccess *access)
{
    if (a->count == MAX_ACCESSES)
        return false;
    a->accesses[a->count] = access;
    for (const Traced *r = access->first; r; r = r->next) {
        double here = cost(a, &r->request);
        uint32_t bytes = ptx_traced_bytes(r);
        a->before[a->count] += r->times * here;
        a->ideal[a->count] += r->times * ideal_cost(a, &r->request, here);
        a->widest = bytes > a->widest ? bytes : a->widest;
    }
    a->count++;
    return true;
}

double ptx_array_total(const Array *a)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->count; i++)
        sum += a->before[i];
    return sum;
}

/* ---- costs by a layout ----------------------------------------------------------------------- */

/* Rows begin with the variable, or with what is touched of an array that the kernel cuts out of a
 * variable without size. */
uint64_t ptx_array_origin(const Array *a, uint32_t pitch)
{
    if (a->space == SPACE_GLOBAL)
        return a->start;
    if (!a->trace->module->vars[a->var].bytes)
        return a->low;
    return a->start + (a->low - a->start) / pitch * pitch;
}

enum { MEMBER_APART = 27 };     /* log2 of bytes: arrays of members lie apart, and aligned */

uint64_t ptx_layout_move(const Layout *layout, uint64_t offset)
{
    uint64_t row = offset / layout->pitch, column = offset % layout->pitch;
    switch (layout->kind) {
    case LAYOUT_PAD: case LAYOUT_PITCH:
        return offset + row * layout->pad + layout->lead;
    case LAYOUT_SWIZZLE:
        return offset ^ (row % layout->turns * layout->granule);
    case LAYOUT_MEMBERS: case LAYOUT_INTERLEAVED: {
        uint32_t member = layout->member_first[column];
        return ((uint64_t)(member + 1) << MEMBER_APART) + row * layout->member_bytes[member]
               + column - member;
    }
    default:
        return offset;
    }
}

/* Bytes that stay side by side from where the offset is. */
static uint64_t piece_left(const Layout *layout, uint64_t offset)
{
    uint64_t column = offset % layout->pitch;
    if (layout->kind == LAYOUT_SWIZZLE)
        return layout->granule - offset % layout->granule;
    if (layout->kind == LAYOUT_MEMBERS || layout->kind == LAYOUT_INTERLEAVED)
        return layout->member_first[column] + layout->member_bytes[layout->member_first[column]]
               - column;
    return layout->pitch - column;
}

static bool move_request(const Array *a, const Layout *layout, const Traced *from, Request *r,
                         uint64_t *addresses)
{
    uint64_t origin = ptx_array_origin(a, layout->pitch);
    uint32_t bytes = ptx_traced_bytes(from);
    *r = from->request;
    r->addresses = addresses;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        addresses[i] = 0;
        if (!(r->lanes >> i & 1))
            continue;
        uint64_t offset = from->addresses[i] - origin;
        if (piece_left(layout, offset) < bytes)
            return false;
        addresses[i] = origin + ptx_layout_move(layout, offset);
    }
    return true;
}

/* Of an access; infinite where the layout does not suit it. */
static double cost_by(const Array *a, const Layout *layout, const TracedAccess *access)
{
    uint64_t addresses[WARP_LANES];
    double sum = 0;
    for (const Traced *from = access->first; from; from = from->next) {
        Request r;
        if (!*a->trace->tries_left || !move_request(a, layout, from, &r, addresses))
            return (double)INFINITY;
        --*a->trace->tries_left;
        sum += from->times * cost(a, &r);
    }
    return sum;
}

/* Of all accesses; infinite where one of them costs more than before. */
static double total_by(const Array *a, const Layout *layout, double best)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->count && sum <= best; i++) {
        double here = cost_by(a, layout, a->accesses[i]);
        if (here > a->before[i])
            return (double)INFINITY;
        sum += here;
    }
    return sum;
}

uint64_t ptx_layout_more_bytes(const Array *a, const Layout *layout)
{
    uint64_t bytes = a->trace->module->vars[a->var].bytes, all = bytes ? bytes : a->high - a->low;
    return layout->kind == LAYOUT_PAD ? (all + layout->pitch - 1) / layout->pitch * layout->pad : 0;
}

void ptx_layout_try(const Array *a, const Layout *layout, Best *best)
{
    double total = total_by(a, layout, best->total);
    bool is_smaller = best->layout.kind != LAYOUT_SAME
                      && ptx_layout_more_bytes(a, layout) < ptx_layout_more_bytes(a, &best->layout);
    if (total < best->total || (total <= best->total && is_smaller))
        *best = (Best){ *layout, total };
}

static double times_of(const TracedAccess *access)
{
    double sum = 0;
    for (const Traced *r = access->first; r; r = r->next)
        sum += r->times;
    return sum;
}

static Certainty certainty_of(const Array *a)
{
    bool is_exact = a->trace->is_whole && !a->trace->block_is_assumed;
    for (uint32_t i = 0; i < a->count && is_exact; i++)
        is_exact = !a->accesses[i]->is_assumed && !a->accesses[i]->is_part;
    return is_exact ? CERTAINTY_EXACT : CERTAINTY_ESTIMATE;
}

bool ptx_layout_weigh(const Array *a, const TracedAccess *access, const Best *best, double share,
                      Proposal *out)
{
    double requests = 0, own = times_of(access), before = 0, ideal = 0, all = ptx_array_total(a);
    if (best->layout.kind == LAYOUT_SAME || !(best->total <= share * all))
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        requests += times_of(a->accesses[i]);
        before += a->accesses[i] == access ? a->before[i] : 0;
        ideal += a->accesses[i] == access ? a->ideal[i] : 0;
    }
    double after = cost_by(a, &best->layout, access);
    if (!(after <= before / 2 || after <= ideal) || !(own > 0))
        return false;
    *out = (Proposal){
        .layout = best->layout,
        .var = a->var,
        .access_count = a->count,
        .before = before / own,
        .after = after / own,
        .all_before = all / requests,
        .all_after = best->total / requests,
        .more_bytes = ptx_layout_more_bytes(a, &best->layout),
        .origin = ptx_array_origin(a, best->layout.pitch),
        .certainty = certainty_of(a),
    };
    if (a->trace->block_is_assumed)
        memcpy(out->block, a->trace->threads, sizeof out->block);
    return true;
}
