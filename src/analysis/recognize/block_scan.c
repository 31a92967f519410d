/* Scans of a block: each thread, or word, has what all before it have together.
 *
 * Elements of thread t: those computed at the same places by each thread. A scan is inclusive of a
 * thread's own elements, exclusive of them, or has the first few of them. */
#include "analysis/recognize/block_run.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"

#include <stdlib.h>

enum { MAX_SCAN_SITES = 16 };

/* What the last of all has: which places its elements are of. */
typedef struct ScanShape {
    uint64_t sites[MAX_SCAN_SITES];     /* keys of thread 0 */
    bool is_own[MAX_SCAN_SITES];        /* the last thread's own is there, too */
    bool is_shifted[MAX_SCAN_SITES];    /* thread 0 has none: it takes 0, where others load */
    bool is_carried[MAX_SCAN_SITES];    /* the first thread has those of all threads */
    uint32_t site_count, own_count;
    uint8_t step, type;
} ScanShape;

/* Keys of one place: of threads 0 to the last, or to the one before; or of 1 to the last. */
static bool take_site(const BlockRun *run, const uint64_t *keys, uint32_t count, ScanShape *out)
{
    const uint32_t from = ptx_block_key_thread(keys[0]) == 1;
    const bool is_own = from + count == run->threads;
    for (uint32_t i = 0; i < count; i++)
        if (ptx_block_key_thread(keys[i]) != from + i || keys[i] - i != keys[0])
            return false;
    if (out->site_count == MAX_SCAN_SITES || count + 1 < run->threads || count > run->threads
        || (from && !is_own))
        return false;
    out->sites[out->site_count] = keys[0] - from;
    out->is_shifted[out->site_count] = from;
    out->is_own[out->site_count++] = is_own;
    out->own_count += is_own;
    return true;
}

static bool take_sites(const BlockRun *run, const uint64_t *keys, uint32_t count, ScanShape *out)
{
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && keys[next] >> 11 == keys[i] >> 11;)
            next++;
        if (!take_site(run, keys + i, next - i, out))
            return false;
    }
    return out->site_count > 0;
}

static bool read_scan_shape(const BlockRun *run, BlockValue last, ScanShape *out)
{
    const BlockNode *node = &run->nodes.items[last.number];
    *out = (ScanShape){ .step = node->step, .type = node->type };
    if (node->count + 1 < run->threads || node->count > run->threads * MAX_SCAN_SITES)
        return false;
    const ArenaMark mark = ptx_arena_mark(run->arena);
    uint64_t *keys = ptx_arena_array(run->arena, uint64_t, node->count);
    bool is_read = ptx_block_elements(&run->nodes, last, keys, node->count) == node->count;
    if (is_read)
        qsort(keys, node->count, sizeof *keys, ptx_block_compare_keys);
    is_read = is_read && take_sites(run, keys, node->count, out);
    ptx_arena_release(run->arena, mark);
    return is_read;
}

/* What the scan begins with: sums of what was scanned before. */
static bool read_carried(const BlockRun *run, BlockValue first, ScanShape *out)
{
    const BlockNode *node = &run->nodes.items[first.number];
    const ArenaMark mark = ptx_arena_mark(run->arena);
    if (first.kind != BLOCK_COMBINED || node->count < run->threads)
        return true;
    if (node->count > run->threads * MAX_SCAN_SITES)
        return false;
    uint64_t *keys = ptx_arena_array(run->arena, uint64_t, node->count);
    bool is_read = ptx_block_elements(&run->nodes, first, keys, node->count) == node->count;
    bool has_other = false;
    for (uint32_t s = 0; s < out->site_count; s++) {
        for (uint32_t i = 0; i < node->count && is_read; i++)
            out->is_carried[s] |= keys[i] == out->sites[s] + run->threads - 1;
        has_other |= !out->is_carried[s];
    }
    ptx_arena_release(run->arena, mark);
    return is_read && has_other;
}

/* Elements with a sum of hashes, by the scan's operation. */
typedef struct ScanWanted {
    uint64_t signature;
    uint32_t count;
} ScanWanted;

static bool is_prefix_of(const BlockRun *run, const ScanShape *shape, const ScanWanted *wanted,
                      BlockValue value)
{
    if (!wanted->count)
        return true;
    if (value.kind == BLOCK_ELEMENT)
        return wanted->count == 1 && ptx_block_hash(value.number) == wanted->signature;
    if (value.kind != BLOCK_COMBINED)
        return false;
    const BlockNode *node = &run->nodes.items[value.number];
    return node->step == shape->step && node->type == shape->type
           && node->count == wanted->count && node->signature == wanted->signature;
}

static ScanWanted begin_wanted(const BlockRun *run, const ScanShape *shape)
{
    ScanWanted wanted = { 0, 0 };
    for (uint32_t i = 0; i < shape->site_count; i++)
        for (uint32_t t = shape->is_shifted[i]; t < run->threads && shape->is_carried[i];
             t++, wanted.count++)
            wanted.signature += ptx_block_hash(shape->sites[i] + t);
    return wanted;
}

static void add_thread(const ScanShape *shape, uint32_t thread, bool only_own, ScanWanted *to)
{
    for (uint32_t i = 0; i < shape->site_count; i++) {
        if (shape->is_carried[i] || (only_own && !shape->is_own[i])
            || (!thread && shape->is_shifted[i]))
            continue;
        to->signature += ptx_block_hash(shape->sites[i] + thread);
        to->count++;
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

static bool is_scan_of_reg(const BlockRun *run, RegId reg, const ScanShape *shape,
                           ScanWanted *before)
{
    for (uint32_t t = 0; t < run->threads; t++) {
        ScanWanted wanted = *before;
        const BlockValue kept = ptx_block_kept(run, reg, t);
        add_thread(shape, t, true, &wanted);
        if (!is_prefix_of(run, shape, &wanted, ptx_block_reg(run, reg, t))
            && !is_prefix_of(run, shape, &wanted, kept))
            return false;
        add_thread(shape, t, false, before);
    }
    return true;
}

static InsnId last_definition(const BlockRun *run, RegId reg)
{
    for (InsnId i = run->func->insn_count; i--;)
        if (ptx_insn_defines(run->func, &run->func->insns[i], reg))
            return i;
    return NO_ID;
}

static BlockValue value_in_the_end(const BlockRun *run, RegId reg, uint32_t thread)
{
    const BlockValue value = ptx_block_reg(run, reg, thread);
    return value.kind == BLOCK_COMBINED ? value : ptx_block_kept(run, reg, thread);
}

/* Whether thread 0 ends with a number where it has no element: another one would be missing. */
static bool is_first_empty(const BlockRun *run, RegId reg, const ScanShape *shape)
{
    bool is_shifted = false;
    for (uint32_t i = 0; i < shape->site_count; i++)
        is_shifted |= shape->is_shifted[i];
    const BlockValue value = ptx_block_reg(run, reg, 0);
    return !is_shifted || (shape->site_count == 1 && value.kind == BLOCK_NUMBER);
}

static bool read_reg_scan(const BlockRun *run, RegId reg, BlockScan *out)
{
    ScanShape shape;
    const BlockValue last = value_in_the_end(run, reg, run->threads - 1);
    if (last.kind != BLOCK_COMBINED || !read_scan_shape(run, last, &shape)
        || !read_carried(run, value_in_the_end(run, reg, 0), &shape)
        || !is_first_empty(run, reg, &shape))
        return false;
    ScanWanted before = begin_wanted(run, &shape);
    if (!is_scan_of_reg(run, reg, &shape, &before))
        return false;
    *out = (BlockScan){ .signature = run->nodes.items[last.number].signature,
                        .whole = before.signature, .count = before.count, .step = shape.step,
                        .insn = last_definition(run, reg), .reg = reg, .array = NO_ID };
    return out->insn != NO_ID;
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Words of a variable from the first on, that hold elements at first; beyond: what they hold in the
 * end, so many words further. */
typedef struct WordScan {
    const BlockCell *cells;
    uint32_t count, beyond, words;      /* words: of one value */
} WordScan;

static bool has_element_first(const BlockCell *cell, uint32_t words)
{
    return cell->has_first && cell->first.kind == BLOCK_ELEMENT
           && ptx_block_key_thread(cell->first.number) != NO_THREAD && cell->parts == words;
}

/* Which operation the last word's value is of. */
static bool begin_word_scan(const BlockRun *run, const WordScan *w, ScanShape *shape)
{
    const BlockValue last = w->cells[(w->beyond + w->count - 1) * w->words].value;
    if (last.kind != BLOCK_COMBINED)
        return false;
    shape->step = run->nodes.items[last.number].step;
    shape->type = run->nodes.items[last.number].type;
    return true;
}

static bool is_word_scan(const BlockRun *run, const WordScan *w, bool is_inclusive,
                         BlockScan *out)
{
    ScanShape shape = { 0 };
    ScanWanted before = { 0, 0 };
    if (!begin_word_scan(run, w, &shape))
        return false;
    for (uint32_t i = 0; i < w->count; i++) {
        const BlockCell *from = &w->cells[i * w->words];
        const BlockCell *at = &w->cells[(w->beyond + i) * w->words];
        ScanWanted with = { before.signature + ptx_block_hash(from->first.number),
                            before.count + 1 };
        if (!has_element_first(from, w->words) || !at->parts
            || !is_prefix_of(run, &shape, is_inclusive ? &with : &before, at->value))
            return false;
        out->signature = is_inclusive ? with.signature : before.signature;
        before = with;
        if (out->insn == NO_ID || at->store > out->insn)
            out->insn = at->store;
    }
    out->whole = before.signature;
    out->count = before.count;
    out->step = shape.step;
    return true;
}

/* Whether elements go on behind the words, that are no copies of theirs: then these are a part. */
static bool has_more_elements(const WordScan *w, uint32_t cells)
{
    const uint32_t size = w->count * w->words;
    for (uint32_t i = size; i < 2 * size && i < cells; i += w->words)
        if (has_element_first(&w->cells[i], w->words)
            && !ptx_block_value_is_same(w->cells[i].first, w->cells[i - size].first))
            return true;
    return false;
}

static bool read_word_scan(const BlockRun *run, VarId var, uint32_t cells, BlockScan *out)
{
    WordScan w = { .cells = &run->cells[run->cell_first[var]] };
    w.words = cells ? w.cells[0].parts : 0;
    if (!w.words)
        return false;
    for (uint32_t n = 0; n < 8; n++) {
        w.count = run->threads << !(n & 1);
        w.beyond = n & 2 ? w.count : 0;
        *out = (BlockScan){ .reg = NO_ID, .insn = NO_ID, .array = var };
        if ((w.beyond + w.count) * w.words <= cells && !has_more_elements(&w, cells)
            && is_word_scan(run, &w, n & 4, out))
            return true;
    }
    return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Of one and the same prefix the first counts, and of what shared memory has that alone. */
static void add_scan(BlockScan *out, uint32_t *count, uint32_t most, const BlockScan *scan)
{
    for (uint32_t i = 0; i < *count; i++)
        if (out[i].step == scan->step
            && (out[i].signature == scan->signature
                || (out[i].array != NO_ID && out[i].whole == scan->whole))) {
            if (scan->reg != NO_ID && out[i].reg != NO_ID && scan->insn < out[i].insn)
                out[i] = *scan;
            return;
        }
    if (*count < most)
        out[(*count)++] = *scan;
}

uint32_t ptx_block_scans(const BlockRun *run, BlockScan *out, uint32_t most)
{
    uint32_t count = 0;
    BlockScan scan;
    if (run->warp_count < 2)
        return 0;
    for (uint32_t i = 0; i < run->shared_count; i++) {
        const uint32_t end = i + 1 < run->shared_count ? run->cell_first[run->cell_vars[i + 1]]
                                                       : run->cell_count;
        if (read_word_scan(run, run->cell_vars[i], end - run->cell_first[run->cell_vars[i]],
                           &scan))
            add_scan(out, &count, most, &scan);
    }
    for (RegId reg = 0; reg < run->func->reg_count; reg++)
        if (read_reg_scan(run, reg, &scan))
            add_scan(out, &count, most, &scan);
    return count;
}
