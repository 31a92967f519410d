/* Conflicts of banks: padding and swizzles. */
#include "analysis/access/advise/layout.h"
#include "ir/module.h"
#include "analysis/access/advise/trace.h"

enum {
    MAX_ROUNDS = 16,           /* of looking for what overlaps */
    MAX_DISTANCES = 32,        /* different ones between lanes; more are not distinguished */
    MAX_PITCHES = 4,
    LARGEST_PITCH = 1 << 15,
    LARGEST_PAD = 64,
    BANKS_BYTES = 128,          /* all banks, 4 bytes each */
};

#define WORTH_A_CHANGE 0.95     /* of what all accesses took before */

/* ---- the array ------------------------------------------------------------------------------- */

static bool find_variable(Array *a)
{
    const Trace *t = a->trace;
    uint64_t offset = a->low;
    a->var = ptx_shared_layout_at(&t->shared, &offset);
    if (a->var == NO_ID)
        return false;
    const uint64_t bytes = t->module->vars[a->var].bytes;
    a->start = a->low - offset;
    a->end = bytes ? a->start + bytes : t->shared_bytes;
    return a->high <= a->end && !t->untraced.is_shared_opaque
           && !ptx_untraced_find(&t->untraced, a->var).is_opaque;
}

static bool is_in(const Array *a, const TracedAccess *access)
{
    return access->space == SPACE_SHARED && !access->is_unknown && access->low < a->high
           && access->high > a->low;
}

/* What overlaps, what overlaps that, and so on. */
static bool spread(Array *a)
{
    bool has_grown = true;
    for (unsigned round = 0; has_grown; round++) {
        if (round == MAX_ROUNDS)
            return false;
        has_grown = false;
        for (uint32_t i = 0; i < a->trace->access_count; i++) {
            const TracedAccess *access = &a->trace->accesses[i];
            if (!is_in(a, access) || (access->low >= a->low && access->high <= a->high))
                continue;
            a->low = access->low < a->low ? access->low : a->low;
            a->high = access->high > a->high ? access->high : a->high;
            has_grown = true;
        }
    }
    return true;
}

static bool gather(Array *a)
{
    a->widest = ptx_untraced_find(&a->trace->untraced, a->var).unreached_bytes;
    for (uint32_t i = 0; i < a->trace->access_count; i++)
        if (is_in(a, &a->trace->accesses[i]) && !ptx_array_add(a, &a->trace->accesses[i]))
            return false;
    return true;
}

static bool find_array(Array *a, const TracedAccess *access)
{
    a->low = access->low;
    a->high = access->high;
    return !access->is_unknown && access->first && spread(a) && find_variable(a) && gather(a);
}

/* ---- layouts to try -------------------------------------------------------------------------- */

typedef struct Distance {
    uint64_t bytes;
    double votes;
} Distance;

static void vote(Distance *seen, unsigned *count, uint64_t bytes, double times)
{
    unsigned k = 0;
    while (k < *count && seen[k].bytes != bytes)
        k++;
    if (k == MAX_DISTANCES)
        return;
    if (k == *count)
        seen[(*count)++] = (Distance){ .bytes = bytes };
    seen[k].votes += times;
}

static void vote_request(const Array *a, Distance *seen, unsigned *count, const Traced *r)
{
    for (unsigned i = 0; i + 1 < WARP_LANES; i++) {
        uint64_t from = r->addresses[i], to = r->addresses[i + 1],
                 apart = to > from ? to - from : from - to;
        bool is_pair = (r->request.lanes >> i & 3) == 3;
        if (is_pair && apart >= 2 * (uint64_t)a->widest && apart <= LARGEST_PITCH
            && apart % a->widest == 0)
            vote(seen, count, apart, r->times);
    }
}

/* How far neighbouring lanes lie apart in most requests: rows, where lanes go down a column. Behind
 * these, *rows of them, that of the banks. */
static unsigned find_pitches(const Array *a, uint32_t *pitches, unsigned *rows)
{
    Distance seen[MAX_DISTANCES];
    unsigned count = 0, found = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (const Traced *r = a->accesses[i]->first; r; r = r->next)
            vote_request(a, seen, &count, r);
    while (found + 1 < MAX_PITCHES) {
        unsigned most = 0;
        for (unsigned k = 1; k < count; k++)
            most = seen[k].votes > seen[most].votes ? k : most;
        if (!count || !(seen[most].votes > 0))
            break;
        pitches[found++] = (uint32_t)seen[most].bytes;
        seen[most].votes = 0;
    }
    *rows = found;
    for (unsigned k = 0; k < found; k++)
        if (pitches[k] == BANKS_BYTES)
            return found;
    pitches[found++] = BANKS_BYTES;
    return found;
}

/* Whole rows must be there to be turned. */
static bool has_whole_rows(const Array *a, const Layout *layout)
{
    uint64_t origin = ptx_array_origin(a, layout->pitch),
             whole = layout->granule * (uint64_t)layout->turns;
    return origin + (a->high - origin + whole - 1) / whole * whole <= a->end;
}

static void try_pads(const Array *a, uint32_t pitch, bool is_row, uint64_t room_bytes, Best *best)
{
    for (uint32_t pad = a->widest; pad <= LARGEST_PAD && pad < pitch; pad *= 2) {
        const Layout layout = { .kind = LAYOUT_PAD, .pitch = pitch, .pad = pad, .is_row = is_row };
        if (pitch % a->widest == 0 && ptx_layout_more_bytes(a, &layout) <= room_bytes)
            ptx_layout_try(a, &layout, best);
    }
}

/* Columns of a granule change places within a row, or within all banks where a row is longer; by
 * rows, or by as many as fill the banks. */
static void try_swizzles(const Array *a, uint32_t pitch, Best *best)
{
    if (pitch & (pitch - 1))
        return;
    for (uint32_t granule = a->widest; granule <= MATRIX_ROW;
         granule = granule < MATRIX_ROW ? MATRIX_ROW : granule + 1) {
        uint32_t turns = (pitch < BANKS_BYTES ? pitch : BANKS_BYTES) / granule;
        const Layout layout = { .kind = LAYOUT_SWIZZLE,
                                .pitch = pitch < BANKS_BYTES ? BANKS_BYTES : pitch,
                                .granule = granule,
                                .turns = turns };
        if (turns > 1 && has_whole_rows(a, &layout))
            ptx_layout_try(a, &layout, best);
    }
}

Proposal ptx_advise_shared(const Trace *trace, const Func *func, InsnId insn, uint64_t room_bytes)
{
    Proposal out = { .layout = { .kind = LAYOUT_SAME } };
    const TracedAccess *access = ptx_trace_find(trace, func, insn, SPACE_SHARED);
    Array array = { .trace = trace, .space = SPACE_SHARED };
    uint32_t pitches[MAX_PITCHES];
    if (!access || !find_array(&array, access))
        return out;
    double all = ptx_array_total(&array);
    Best pad = { .total = all }, swizzle = { .total = all };
    unsigned rows, count = find_pitches(&array, pitches, &rows);
    for (unsigned p = 0; p < count; p++) {
        try_pads(&array, pitches[p], p < rows, room_bytes, &pad);
        try_swizzles(&array, pitches[p], &swizzle);
    }
    bool is_pad = pad.total <= swizzle.total;
    if (ptx_layout_weigh(&array, access, is_pad ? &pad : &swizzle, WORTH_A_CHANGE, &out) && is_pad
        && swizzle.total <= pad.total)
        out.other = swizzle.layout;
    return out;
}
