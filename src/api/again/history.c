#include "api/again/history.h"

#include "api/module.h"
#include "api/again/moved.h"
#include "ir/func.h"
#include "ir/module.h"
#include "support/diag.h"
#include "support/grow.h"
#include "support/guard.h"
#include "support/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What the last analysis did not ask for is kept, too: so much, and some times what it did. */
enum { UNUSED_BYTES = 1 << 20, UNUSED_TIMES = 3 };

/* What was found in a function for a GPU; in one piece of memory with all that it holds. */
typedef struct HistoryEntry {
    HistoryKey key;
    uint64_t used;              /* by the analysis of that number */
    size_t bytes;
    uint32_t begin, line;       /* of the function, when it was found */
    DiagSink found;
} HistoryEntry;

struct ptxlint_history {
    pthread_mutex_t lock;
    HistoryEntry **entries;
    size_t count, capacity;
    HashMap by_key;             /* half of a key -> the place of its entry, + 1 */
    uint64_t analyses;          /* so far */
};

/* A function for a GPU. */
typedef struct RecallRow {
    HistoryKey key;
    DiagSink found;             /* by the rules */
    DiagSink before;            /* the sink when they began: its counts */
    bool is_known, is_noted;
} RecallRow;

struct Recall {
    ptxlint_module *m;
    ptxlint_history *history;
    RecallRow *rows;            /* per function, and for each per GPU */
    uint64_t analysis;          /* number of this one */
};

/* ---- the history ----------------------------------------------------------------------------- */

ptxlint_status ptxlint_history_new(ptxlint_history **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return PTXLINT_NO_MEMORY;
    pthread_mutex_init(&(*out)->lock, NULL);
    return PTXLINT_OK;
}

void ptxlint_history_free(ptxlint_history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->count; i++)
        free(history->entries[i]);
    free(history->entries);
    ptx_hash_map_free(&history->by_key);
    pthread_mutex_destroy(&history->lock);
    free(history);
}

/* Keys of a map are below UINT64_MAX. */
static uint64_t map_key(HistoryKey key)
{
    return key.low >> 1;
}

/* Where some text names a line of the PTX, what was found is good for one place alone. */
static HistoryKey key_at_line(HistoryKey key, uint32_t line)
{
    return (HistoryKey){ ptx_hash_mix(key.low + line + 1), key.high };
}

static HistoryEntry *find_entry(const ptxlint_history *history, HistoryKey key)
{
    const uint32_t place = ptx_hash_map_get(&history->by_key, map_key(key));
    HistoryEntry *entry = place ? history->entries[place - 1] : NULL;
    return entry && entry->key.low == key.low && entry->key.high == key.high ? entry : NULL;
}

/* ---- before the analysis --------------------------------------------------------------------- */

/* What its entry says, at the place of the function. */
static void recall_row(const Recall *recall, FuncId f, RecallRow *row)
{
    ptxlint_module *m = recall->m;
    const uint32_t line = ptx_func_line(m->ir, f);
    HistoryEntry *entry = find_entry(recall->history, row->key);
    if (!entry)
        entry = find_entry(recall->history, key_at_line(row->key, line));
    if (!entry)
        return;
    FindingMover mover = { .arena = &m->arena,
                           .bytes = (int64_t)m->ir->funcs[f].span.begin - entry->begin,
                           .lines = (int64_t)line - entry->line };
    row->found = ptx_move_findings(&mover, &entry->found);
    for (uint32_t i = 0; i < row->found.count; i++)
        row->found.items[i]->func = (int32_t)f;
    row->is_known = true;
    entry->used = recall->analysis;
}

static void recall_rows(void *context)
{
    Recall *recall = context;
    const size_t gpus = ptx_history_gpus(recall->m);
    recall->analysis = ++recall->history->analyses;
    for (FuncId f = 0; f < recall->m->ir->func_count; f++)
        for (size_t g = 0; g < gpus && recall->m->ir->funcs[f].has_body; g++)
            recall_row(recall, f, &recall->rows[f * gpus + g]);
}

/* A profile counts what rules are asked. */
static bool may_recall(const ptxlint_module *m, const ptxlint_options *options)
{
    return options->history && m->calls && !options->profile
           && (options->findings_only || !options->estimates_only);
}

Recall *ptx_recall_new(ptxlint_module *m, const ptxlint_options *options, const SimCode *code,
                       Arena *scratch)
{
    const HistoryKey *keys = may_recall(m, options) ? ptx_history_keys(m, options, code, scratch)
                                                    : NULL;
    if (!keys)
        return NULL;
    const size_t count = m->ir->func_count * ptx_history_gpus(m);
    Recall *recall = ptx_arena_new(&m->arena, Recall);
    *recall = (Recall){ m, options->history, ptx_arena_array(&m->arena, RecallRow, count + 1), 0 };
    for (size_t i = 0; i < count; i++)
        recall->rows[i].key = keys[i];
    pthread_mutex_lock(&recall->history->lock);
    const bool is_complete = ptx_run_guarded_in(&m->arena, recall_rows, recall);
    pthread_mutex_unlock(&recall->history->lock);
    if (!is_complete)
        ptx_arena_fail(&m->arena);
    return recall;
}

/* ---- during the analysis --------------------------------------------------------------------- */

static RecallRow *recall_row_of(const Recall *recall, FuncId f, size_t gpu)
{
    return &recall->rows[f * ptx_history_gpus(recall->m) + gpu];
}

bool ptx_recall_add(Recall *recall, FuncId f, size_t gpu, DiagSink *sink)
{
    if (!recall)
        return false;
    RecallRow *row = recall_row_of(recall, f, gpu);
    row->before = *sink;
    if (row->is_known)
        ptx_diag_append(sink, &row->found);
    return row->is_known;
}

void ptx_recall_note(Recall *recall, FuncId f, size_t gpu, const DiagSink *sink)
{
    if (!recall || sink->dropped)
        return;
    RecallRow *row = recall_row_of(recall, f, gpu);
    row->found = ptx_findings_since(sink, &row->before);
    row->is_noted = true;
}

/* ---- after it -------------------------------------------------------------------------------- */

static bool is_row_movable(const Recall *recall, FuncId f, const RecallRow *row)
{
    const Span span = recall->m->ir->funcs[f].span;
    bool is_movable = row->is_noted;
    for (uint32_t i = 0; is_movable && i < row->found.count; i++)
        is_movable = ptx_finding_is_within(span, row->found.items[i]);
    return is_movable;
}

/* NULL: no memory. */
static HistoryEntry *make_history_entry(const Recall *recall, FuncId f, const RecallRow *row)
{
    FindingMover count = { .used = 0 };
    ptx_move_findings(&count, &row->found);
    const size_t bytes = sizeof(HistoryEntry) + count.used;
    HistoryEntry *entry = malloc(bytes);
    if (!entry)
        return NULL;
    FindingMover mover = { .piece = (char *)(entry + 1) };
    *entry = (HistoryEntry){ .key = row->key, .used = recall->analysis, .bytes = bytes,
                             .begin = recall->m->ir->funcs[f].span.begin,
                             .line = ptx_func_line(recall->m->ir, f) };
    entry->found = ptx_move_findings(&mover, &row->found);
    bool has_lines = false;
    for (uint32_t i = 0; i < row->found.count && !has_lines; i++)
        has_lines = ptx_finding_names_line(row->found.items[i]);
    if (has_lines)
        entry->key = key_at_line(row->key, entry->line);
    return entry;
}

/* Takes the entry, in place of one of the same key. */
static bool put_history_entry(ptxlint_history *history, HistoryEntry *entry)
{
    if (!ptx_list_reserve(&history->entries, &history->capacity, history->count + 1,
                          sizeof *history->entries))
        return false;
    uint32_t *place = ptx_hash_map_at(&history->by_key, NULL, map_key(entry->key));
    if (!place)
        return false;
    if (*place) {
        free(history->entries[*place - 1]);
        history->entries[*place - 1] = entry;
        return true;
    }
    history->entries[history->count++] = entry;
    *place = (uint32_t)history->count;
    return true;
}

static void learn_row(Recall *recall, FuncId f, const RecallRow *row)
{
    if (!is_row_movable(recall, f, row))
        return;
    HistoryEntry *entry = make_history_entry(recall, f, row);
    if (entry && !put_history_entry(recall->history, entry))
        free(entry);
}

static int by_use(const void *pa, const void *pb)
{
    const HistoryEntry *a = *(HistoryEntry *const *)pa, *b = *(HistoryEntry *const *)pb;
    return a->used > b->used ? -1 : a->used < b->used;
}

/* What was not asked for lately goes, the oldest first; the map is made anew. */
static void forget_unused(ptxlint_history *history)
{
    size_t room = UNUSED_BYTES, kept = 0;
    if (history->count)
        qsort(history->entries, history->count, sizeof(HistoryEntry *), by_use);
    ptx_hash_map_free(&history->by_key);
    for (size_t i = 0; i < history->count; i++) {
        HistoryEntry *entry = history->entries[i];
        const bool is_used = entry->used == history->analyses;
        room += is_used ? UNUSED_TIMES * entry->bytes : 0;
        uint32_t *place = is_used || entry->bytes <= room
                              ? ptx_hash_map_at(&history->by_key, NULL, map_key(entry->key))
                              : NULL;
        if (!place) {
            room = is_used ? room : 0;
            free(entry);
            continue;
        }
        room -= is_used ? 0 : entry->bytes;
        history->entries[kept++] = entry;
        *place = (uint32_t)kept;
    }
    history->count = kept;
}

size_t ptx_recall_finish(Recall *recall)
{
    if (!recall)
        return 0;
    const size_t gpus = ptx_history_gpus(recall->m);
    size_t unchanged = 0;
    pthread_mutex_lock(&recall->history->lock);
    for (FuncId f = 0; f < recall->m->ir->func_count; f++) {
        unchanged += recall->rows[f * gpus].is_known;
        for (size_t g = 0; g < gpus; g++)
            learn_row(recall, f, &recall->rows[f * gpus + g]);
    }
    forget_unused(recall->history);
    pthread_mutex_unlock(&recall->history->lock);
    return unchanged;
}
