/* Requests that touch more sectors than they have to: records, rows that begin between sectors, and
 * what shared memory could turn round. */
#include "support/hash.h"
#include "analysis/access/advise/layout.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "analysis/access/advise/trace.h"
#include "analysis/sim/request.h"
#include "analysis/sim/cost/traffic.h"

enum {
    MAX_RECORD = 4096,         /* bytes of one */
    MAX_MEMBERS_RECORD = 256,  /* of one that is a structure */
    MAX_SECTORS = 1 << 13,     /* of a block that are counted */
    SECTOR = 32,
    LINE = 128,
    MAX_ARRAYS = 1 << 13,
    MAX_ROW = 1 << 16,
    MAX_ROWS = 6,
    MAX_LOOKS = 16,            /* requests that rows are looked for in */
};

#define WORTH_A_CHANGE 0.95     /* of what all accesses took before */

/* ---- the array ------------------------------------------------------------------------------- */

/* What parameter's memory; addresses may lie before it. 0: none. */
static uint64_t array_at(uint64_t address)
{
    uint64_t array = (address + (UINT64_C(1) << (ARRAY_SHIFT - 1))) >> ARRAY_SHIFT;
    return array <= MAX_ARRAYS ? array : 0;
}

static bool find_array(Array *a, const TracedAccess *access)
{
    const Trace *t = a->trace;
    const uint64_t array = access->first ? array_at(access->low) : 0;
    if (access->is_unknown || access->param == NO_ID || !array || t->untraced.is_global_opaque
        || ptx_untraced_find(&t->untraced, access->param).is_opaque)
        return false;
    a->var = access->param;
    a->start = array << ARRAY_SHIFT;
    a->low = access->low;
    a->high = access->high;
    for (uint32_t i = 0; i < t->access_count; i++) {
        const TracedAccess *other = &t->accesses[i];
        if (other->space != SPACE_GLOBAL || other->is_unknown || array_at(other->low) != array)
            continue;
        if (!ptx_array_add(a, other))
            return false;
        a->low = other->low < a->low ? other->low : a->low;
        a->high = other->high > a->high ? other->high : a->high;
    }
    return a->low >= a->start && array_at(a->high) == array;
}

/* How far neighbouring lanes lie apart in the first request; 0: not all as far. */
static uint64_t stride_of(const Traced *r)
{
    uint64_t stride = 0;
    for (unsigned i = 0; i + 1 < WARP_LANES; i++) {
        uint64_t from = r->addresses[i], to = r->addresses[i + 1],
                 apart = to > from ? to - from : from - to;
        if ((r->request.lanes >> i & 3) != 3)
            continue;
        if (stride && apart != stride)
            return 0;
        stride = apart;
    }
    return stride;
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct Record {
    uint8_t is_used[MAX_RECORD];
    /* some access takes this byte and the one behind it together */
    uint8_t is_joined[MAX_RECORD];
} Record;

/* False: an access crosses from one record to the next. */
static bool mark_members(const Array *a, uint64_t bytes, Record *record)
{
    for (uint32_t i = 0; i < a->count; i++) {
        for (const Traced *r = a->accesses[i]->first; r; r = r->next) {
            for (unsigned lane = 0; lane < WARP_LANES; lane++) {
                uint64_t column = (r->addresses[lane] - a->start) % bytes;
                if (!(r->request.lanes >> lane & 1))
                    continue;
                if (column + r->request.bytes > bytes)
                    return false;
                memset(record->is_used + column, 1, r->request.bytes);
                memset(record->is_joined + column, 1, r->request.bytes - 1);
            }
        }
    }
    return true;
}

/* Bytes that no access takes go with the member before them. */
static Layout layout_of(Arena *arena, const Record *record, uint32_t bytes)
{
    uint16_t *first = ptx_arena_array(arena, uint16_t, bytes),
             *size = ptx_arena_array(arena, uint16_t, bytes);
    uint32_t members = 0, begin = 0;
    for (uint32_t b = 0; b < bytes; b++) {
        bool is_new = record->is_used[b] && !(b && record->is_joined[b - 1]);
        members += is_new;
        begin = is_new ? b : begin;
        first[b] = (uint16_t)begin;
        size[begin] = (uint16_t)(size[begin] + (b == begin || record->is_used[b]));
    }
    return (
        Layout){ .pitch = bytes, .member_first = first, .member_bytes = size, .members = members };
}

/* Accesses that no warp came to lie in one member each, wherever they are. */
static bool suits_unreached(const Array *a, const Layout *layout)
{
    uint32_t bytes = ptx_untraced_find(&a->trace->untraced, a->var).unreached_bytes;
    for (uint32_t b = 0; bytes && b < layout->pitch; b++)
        if (layout->member_first[b] == b && (layout->member_bytes[b] % bytes || b % bytes))
            return false;
    return true;
}

/* It goes through several of a record's elements. */
static bool walks(const Array *a, const TracedAccess *access, const Layout *layout)
{
    uint64_t own = UINT64_MAX;
    for (const Traced *r = access->first; r; r = r->next) {
        uint64_t here =
            layout->member_first[(r->addresses[__builtin_ctz(r->request.lanes)] - a->start)
                                 % layout->pitch];
        if (own != UINT64_MAX && own != here)
            return true;
        own = here;
    }
    return false;
}

/* One instruction does: an array of the thread's own, not a structure. */
static bool are_walked(const Array *a, const Layout *layout)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (walks(a, a->accesses[i], layout))
            return true;
    return false;
}

static void try_records(Arena *arena, const Array *a, const TracedAccess *access, Best *best)
{
    uint64_t bytes = stride_of(access->first);
    Record *record = ptx_arena_new(arena, Record);
    if (bytes <= access->first->request.bytes || bytes > MAX_RECORD
        || !mark_members(a, bytes, record))
        return;
    Layout layout = layout_of(arena, record, (uint32_t)bytes);
    bool is_walk = are_walked(a, &layout);
    layout.kind = is_walk ? LAYOUT_INTERLEAVED : LAYOUT_MEMBERS;
    if (suits_unreached(a, &layout) && (is_walk || bytes <= MAX_MEMBERS_RECORD))
        ptx_layout_try(a, &layout, best);
}

/* ---- rows that begin between sectors --------------------------------------------------------- */

static uint64_t first_of(const Traced *r)
{
    return r->addresses[__builtin_ctz(r->request.lanes)];
}

/* Distances from the first request's first address to those of the next ones that are no whole
 * sectors. */
static unsigned find_rows(const TracedAccess *access, uint32_t *rows)
{
    unsigned count = 0, looked = 0;
    uint64_t from = first_of(access->first);
    for (const Traced *r = access->first->next; r && count < MAX_ROWS && looked < MAX_LOOKS;
         r = r->next, looked++) {
        uint64_t to = first_of(r), apart = to > from ? to - from : from - to;
        bool is_row = r->block == access->first->block && apart % SECTOR
                      && apart > (uint64_t)WARP_LANES * r->request.bytes && apart <= MAX_ROW;
        for (unsigned k = 0; k < count; k++)
            is_row = is_row && rows[k] != apart;
        if (is_row)
            rows[count++] = (uint32_t)apart;
    }
    return count;
}

/* So that the first address of the access begins a line. */
static uint32_t lead_for(const Array *a, const TracedAccess *access, uint32_t pitch, uint32_t pad)
{
    uint64_t offset = access->low - a->start;
    return (uint32_t)((LINE - (offset + offset / pitch * pad) % LINE) % LINE);
}

static void try_rows(const Array *a, const TracedAccess *access, Best *best)
{
    uint32_t rows[MAX_ROWS + 1];
    unsigned count = find_rows(access, rows);
    rows[count++] = 1u << 31;           /* one row */
    for (unsigned k = count; k-- > 0;) {
        uint32_t pad = (LINE - rows[k] % LINE) % LINE, lead = lead_for(a, access, rows[k], pad);
        const Layout layout = { .kind = LAYOUT_PITCH, .pitch = rows[k], .pad = pad, .lead = lead },
                     plain = { .kind = LAYOUT_PITCH, .pitch = rows[k], .pad = pad };
        ptx_layout_try(a, &layout, best);
        if (lead && pad)
            ptx_layout_try(a, &plain, best);
    }
}

/* ---- through shared memory ------------------------------------------------------------------- */

/* Pieces of memory of so many bytes that a request touches; own: apart from what other warps
 * touch. Neighbouring lanes are mostly in one. */
static bool add_pieces(Arena *arena, HashMap *pieces, const Traced *r, uint32_t bytes, bool own)
{
    const uint64_t salt = own ? (uint64_t)(r->warp + 1) << 48 : 0;
    uint64_t newest = UINT64_MAX;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(r->request.lanes >> i & 1))
            continue;
        const uint64_t last = (r->addresses[i] + r->request.bytes - 1) / bytes;
        for (uint64_t piece = r->addresses[i] / bytes; piece <= last; piece++) {
            if (piece != newest)
                ptx_hash_map_at(pieces, arena, (piece + 1) ^ salt);
            newest = piece;
            if (pieces->count > MAX_SECTORS)
                return false;
        }
    }
    return true;
}

/* By the first requests of each warp. False: there are more than are kept, or their
 * addresses are not known. */
static bool count_block(Arena *arena, const Trace *t, const TracedAccess *access, BlockUse *use)
{
    ArenaMark mark = ptx_arena_mark(arena);
    HashMap sectors = { 0 }, own = { 0 };
    bool fits = !access->is_unknown && !access->is_full;
    *use = (BlockUse){ 0 };
    for (const Traced *r = access->first; r && fits; r = r->next) {
        if (r->block)
            continue;
        double here = ptx_traffic_sectors(t->gpu, &r->request);
        use->requests += r->times;
        use->sectors += r->times * here;
        use->ideal_sectors += r->times * ptx_traffic_ideal_sectors(t->gpu, &r->request, here);
        fits = add_pieces(arena, &sectors, r, SECTOR, false)
               && add_pieces(arena, &own, r, SECTOR, true);
    }
    use->distinct_sectors = sectors.count;
    use->warp_sectors = own.count;
    ptx_arena_release(arena, mark);
    return fits && use->requests > 0;
}

/* A block's warps touch the same sectors again and again: the block moves each of them once where
 * it loads them in the order of memory, and turns them round in shared memory. */
static bool stage(Arena *arena, const Trace *t, const TracedAccess *access, uint64_t room_bytes,
                  Proposal *out)
{
    BlockUse use;
    if (!count_block(arena, t, access, &use))
        return false;
    double after = use.distinct_sectors;
    if (after > use.sectors / 2 || after > 2 * use.ideal_sectors
        || after * SECTOR > (double)room_bytes)
        return false;
    *out = (Proposal){
        .layout = { .kind = LAYOUT_STAGED },
        .var = access->param,
        .before = use.sectors / use.requests,
        .after = after / use.requests,
        .access_count = 1,
        .more_bytes = (uint64_t)after * SECTOR,
        .certainty = CERTAINTY_ESTIMATE,
    };
    if (t->block_is_assumed)
        memcpy(out->block, t->threads, sizeof out->block);
    return true;
}

BlockUse ptx_trace_count(Arena *arena, const Trace *trace, const Func *func, InsnId insn)
{
    const TracedAccess *access = ptx_trace_find(trace, func, insn, SPACE_GLOBAL);
    BlockUse use = { 0 };
    if (!access || !count_block(arena, trace, access, &use))
        return (BlockUse){ 0 };
    return use;
}

/* Of atomics of integers at one address for all lanes ptxas lets one lane act. */
static unsigned updates_of(const Traced *r, const Op *op)
{
    const uint32_t lanes = r->request.lanes;
    const bool is_sum = r->request.kind == REQUEST_ATOMIC || r->request.kind == REQUEST_INCREMENT;
    bool is_joined = lanes && is_sum && ptx_type_info[op->type].kind != KIND_FLOAT;
    for (uint32_t rest = lanes; rest && is_joined; rest &= rest - 1)
        is_joined = r->addresses[__builtin_ctz(rest)] == r->addresses[__builtin_ctz(lanes)];
    return is_joined ? 1 : (unsigned)__builtin_popcount(lanes);
}

double ptx_trace_updates_per_word(Arena *arena, const Trace *trace, const Func *func, InsnId insn)
{
    const TracedAccess *access = ptx_trace_find(trace, func, insn, SPACE_GLOBAL);
    ArenaMark mark = ptx_arena_mark(arena);
    HashMap words = { 0 };
    double updates = 0;
    const uint32_t bytes = access ? access->insn->access_bytes : 0;
    bool fits = bytes && !access->is_unknown && !access->is_full;
    for (const Traced *r = fits ? access->first : NULL; r && fits; r = r->next) {
        if (r->block)
            continue;
        updates += r->times * updates_of(r, access->insn->op);
        fits = add_pieces(arena, &words, r, bytes, false);
    }
    const uint32_t count = words.count;
    ptx_arena_release(arena, mark);
    return fits && count ? updates / count : 0;
}

Proposal ptx_advise_global(Arena *arena, const Trace *trace, const Func *func, InsnId insn,
                           uint64_t room_bytes)
{
    Proposal out = { .layout = { .kind = LAYOUT_SAME } };
    const TracedAccess *access = ptx_trace_find(trace, func, insn, SPACE_GLOBAL);
    Array array = { .trace = trace, .space = SPACE_GLOBAL };
    if (!access || !access->first || trace->module->address_size != 64)
        return out;
    Best records = { 0 }, rows = { 0 };
    bool is_array = find_array(&array, access);
    records.total = rows.total = ptx_array_total(&array);
    if (stride_of(access->first) == access->first->request.bytes) {
        if (is_array)
            try_rows(&array, access, &rows);
        ptx_layout_weigh(&array, access, &rows, WORTH_A_CHANGE, &out);
        return out;
    }
    if (is_array)
        try_records(arena, &array, access, &records);
    bool is_structure = records.layout.kind == LAYOUT_MEMBERS;
    if (is_structure && ptx_layout_weigh(&array, access, &records, WORTH_A_CHANGE, &out))
        return out;
    if (!stage(arena, trace, access, room_bytes, &out))
        ptx_layout_weigh(&array, access, &records, WORTH_A_CHANGE, &out);
    return out;
}

/* ---- wider accesses -------------------------------------------------------------------------- */

/* The widest that all addresses allow; 0: no wider one. */
static uint32_t width_for(const TracedAccess *access, uint32_t run)
{
    enum { WIDEST = 16 };
    uint64_t bits = WIDEST;
    for (const Traced *r = access->first; r; r = r->next)
        for (unsigned i = 0; i < WARP_LANES; i++)
            bits |= r->request.lanes >> i & 1 ? r->addresses[i] : 0;
    uint32_t width = (uint32_t)(bits & -bits);
    while (width > run)
        width /= 2;
    return width > access->insn->access_bytes ? width : 0;
}

/* Sectors of accesses side by side, each of so many bytes, from `from` to `to` behind the addresses
 * of a request. */
static double sectors_of_run(const Trace *t, const Traced *r, uint32_t bytes, uint32_t from,
                             uint32_t to)
{
    uint64_t addresses[WARP_LANES];
    Request moved = r->request;
    double sum = 0;
    moved.addresses = addresses;
    moved.bytes = bytes;
    for (uint32_t at = from; at + bytes <= to; at += bytes) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            addresses[i] = r->addresses[i] + at;
        sum += ptx_traffic_sectors(t->gpu, &moved);
    }
    return sum;
}

Widening ptx_advise_wider(const Trace *trace, const Func *func, InsnId insn, uint32_t count)
{
    const TracedAccess *access = ptx_trace_find(trace, func, insn, SPACE_GLOBAL);
    Widening out = { .certainty = CERTAINTY_ESTIMATE };
    if (!access || !access->first || access->is_unknown)
        return out;
    uint32_t own = access->insn->access_bytes, run = own * count, wide = 0;
    double requests = 0;
    if (trace->is_whole && !trace->block_is_assumed && !access->is_assumed && !access->is_part)
        out.certainty = CERTAINTY_EXACT;
    if (trace->block_is_assumed)
        memcpy(out.block, trace->threads, sizeof out.block);
    out.bytes = width_for(access, run);
    if (!out.bytes)
        return out;
    wide = run / out.bytes * out.bytes;
    out.count = run / out.bytes + (run - wide) / own;
    for (const Traced *r = access->first; r; r = r->next) {
        requests += r->times;
        out.before += r->times * sectors_of_run(trace, r, own, 0, run);
        out.after += r->times
                     * (sectors_of_run(trace, r, out.bytes, 0, wide)
                        + sectors_of_run(trace, r, own, wide, run));
    }
    out.before /= requests;
    out.after /= requests;
    return out;
}
