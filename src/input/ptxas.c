/* ptxas.c -- the log of `ptxas -v`, line by line:
 *
 *     ptxas info    : Compiling entry function 'saxpy' for 'sm_90'
 *     ptxas info    : Function properties for saxpy
 *         0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *     ptxas info    : Used 16 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]
 *
 * Words before these (a build tool's) do not matter, nor do other lines. Functions that a kernel
 * calls have properties too, of their own; those lines stand before or after the one with the
 * kernel's registers. Logs of translations that ran side by side may be mixed by line: the name in
 * the second line then names the owner of the next two. */
#include "input/ptxas.h"

#include "support/limits.h"
#include "session/residency.h"
#include "support/grow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct PtxasEntry {
    const char *name, *sm;      /* "sm_90"; one allocation */
    PtxasUsage usage;
    size_t name_length;
    size_t order;               /* a later one replaces an earlier one */
} PtxasEntry;

struct ptxlint_ptxas {
    /* sorted by name, sm, order; between two calls no two of the same name and sm */
    PtxasEntry *entries;
    size_t count, capacity;
    size_t next_order;
};

enum { MAX_MIXED_AT = 64 };    /* kernels whose lines may be mixed */

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct PtxasLine {
    const char *at, *end;       /* without its end */
    bool is_whole;              /* a line end follows */
} PtxasLine;

static bool next_line(const char **at, const char *end, PtxasLine *line)
{
    if (*at == end)
        return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *line = (PtxasLine){ *at, stop ? stop : end, stop != NULL };
    *at = stop ? stop + 1 : end;
    while (line->end > line->at && (line->end[-1] == '\r' || line->end[-1] == ' '))
        line->end--;
    return true;
}

/* Behind the first place where the word stands; NULL: nowhere. Words are short, so that this is
 * linear in the line. */
static const char *find_after(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, word[0], (size_t)(end - at) - length + 1);
        if (!at)
            return NULL;
        if (!memcmp(at, word, length))
            return at + length;
    }
    return NULL;
}

/* "24+16", which ptxas writes for sm_1x, is 40. Behind the number; NULL: there is none, or one of
 * more than 15 digits. */
static const char *read_count(const char *at, const char *end, int64_t *out)
{
    *out = 0;
    for (;;) {
        int64_t number = 0;
        const char *first = at;
        for (; at < end && *at >= '0' && *at <= '9' && at - first < 16; at++)
            number = number * 10 + (*at - '0');
        if (at == first || at - first == 16 || *out > INT64_MAX / 2)
            return NULL;
        *out += number;
        if (at == end || *at != '+')
            return at;
        at++;
    }
}

/* "N WORD" at the beginning of an item; the rest of it does not matter. */
static bool read_item(const char *at, const char *end, const char *word, int64_t *out)
{
    int64_t number;
    size_t length = strlen(word);
    at = read_count(at, end, &number);
    if (!at || (size_t)(end - at) < length || memcmp(at, word, length) != 0)
        return false;
    *out = number;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct PtxasReader {
    ptxlint_ptxas *ptxas;
    size_t first;               /* of the entries that this log adds */
    size_t current;             /* the kernel whose registers are awaited; count: none */
    /* the properties in hand are the kernel's, not those of a function it calls */
    bool is_own;
} PtxasReader;

/* "sm_90a": at most four digits and a letter. */
static bool is_sm(const char *at, size_t length)
{
    size_t digits = 3;
    while (digits < length && at[digits] >= '0' && at[digits] <= '9')
        digits++;
    return length > 3 && !memcmp(at, "sm_", 3) && digits > 3 && digits <= 7 &&
           (digits == length || (digits + 1 == length && at[digits] >= 'a' && at[digits] <= 'z'));
}

static bool grow(ptxlint_ptxas *ptxas)
{
    return ptx_list_reserve(&ptxas->entries, &ptxas->capacity, ptxas->count + 1,
                            sizeof *ptxas->entries);
}

static bool add_entry(ptxlint_ptxas *ptxas, const char *name, size_t length, const char *sm,
                      size_t sm_length)
{
    char *text = grow(ptxas) ? malloc(length + sm_length + 2) : NULL;
    if (!text)
        return false;
    memcpy(text, name, length);
    text[length] = 0;
    memcpy(text + length + 1, sm, sm_length);
    text[length + 1 + sm_length] = 0;
    ptxas->entries[ptxas->count++] = (PtxasEntry){
        .name = text,
        .sm = text + length + 1,
        .usage = { -1, -1, -1, -1, -1, -1 },
        .name_length = length,
        .order = ptxas->next_order++,
    };
    return true;
}

/* Compiling entry function 'NAME' for 'sm_NN'. False: no memory. */
static bool read_entry(PtxasReader *r, const char *name, const char *end)
{
    const char *sm = find_after(name, end, "' for '");
    const char *quote = sm ? memchr(sm, '\'', (size_t)(end - sm)) : NULL;
    r->is_own = false;
    r->current = r->ptxas->count;
    if (!quote || !is_sm(sm, (size_t)(quote - sm)))
        return true;
    size_t length = (size_t)(sm - name) - (sizeof "' for '" - 1);
    if (!length || length > LIMIT_NAME_BYTES || memchr(name, 0, length))
        return true;
    return add_entry(r->ptxas, name, length, sm, (size_t)(quote - sm));
}

/* Function properties for NAME: of the kernel in hand, of another one that has no registers yet, or
 * of a function. */
static void read_owner(PtxasReader *r, const char *name, const char *end)
{
    const ptxlint_ptxas *ptxas = r->ptxas;
    size_t length = (size_t)(end - name);
    r->is_own = false;
    for (size_t i = ptxas->count; i > r->first && ptxas->count - i < MAX_MIXED_AT; i--) {
        const PtxasEntry *entry = &ptxas->entries[i - 1];
        if (entry->usage.registers < 0 && entry->name_length == length
            && !memcmp(entry->name, name, length)) {
            r->current = i - 1;
            r->is_own = true;
            return;
        }
    }
}

/* N bytes stack frame, N bytes spill stores, N bytes spill loads */
static void read_spills(PtxasReader *r, const char *at, const char *end)
{
    if (!r->is_own)
        return;
    PtxasUsage *usage = &r->ptxas->entries[r->current].usage;
    r->is_own = false;
    if (!read_item(at, end, " bytes stack frame, ", &usage->stack_bytes))
        return;
    at = find_after(at, end, ", ");
    if (!read_item(at, end, " bytes spill stores, ", &usage->spill_store_bytes))
        return;
    at = find_after(at, end, ", ");
    read_item(at, end, " bytes spill loads", &usage->spill_load_bytes);
}

/* Used N registers, used N barriers, N bytes cumulative stack size, N bytes smem, N bytes cmem[0].
 * What is 0 is left out, barriers also by ptxas before CUDA 12. */
static void read_used(PtxasReader *r, const PtxasLine *line, const char *at)
{
    if (r->current >= r->ptxas->count)
        return;
    PtxasUsage *usage = &r->ptxas->entries[r->current].usage;
    if (!read_item(at, line->end, " registers", &usage->registers))
        return;
    r->current = r->ptxas->count;
    for (; at; at = find_after(at, line->end, ", ")) {
        const char *barriers = find_after(at, line->end - at > 5 ? at + 5 : line->end, "used ");
        if (barriers)
            read_item(barriers, line->end, " barriers", &usage->barriers);
        read_item(at, line->end, " bytes cumulative stack size", &usage->stack_bytes);
        read_item(at, line->end, " bytes smem", &usage->shared_bytes);
    }
    if (usage->shared_bytes < 0 && line->is_whole)
        usage->shared_bytes = 0;
}

/* False: no memory. */
static bool read_line(PtxasReader *r, const PtxasLine *line)
{
    const char *after = find_after(line->at, line->end, "Compiling entry function '");
    if (after)
        return read_entry(r, after, line->end);
    if ((after = find_after(line->at, line->end, "Function properties for "))) {
        read_owner(r, after, line->end);
    } else if ((after = find_after(line->at, line->end, ": Used "))) {
        read_used(r, line, after);
    } else if ((after = find_after(line->at, line->end, " bytes stack frame, "))) {
        after -= sizeof " bytes stack frame, " - 1;
        while (after > line->at && after[-1] >= '0' && after[-1] <= '9')
            after--;
        read_spills(r, after, line->end);
    }
    return true;
}

/* ---- entries --------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const PtxasEntry *left = a, *right = b;
    int names = strcmp(left->name, right->name);
    int sms = names ? names : strcmp(left->sm, right->sm);
    return sms ? sms : (left->order > right->order) - (left->order < right->order);
}

static bool is_same(const PtxasEntry *a, const PtxasEntry *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->sm, b->sm);
}

static void entry_free(PtxasEntry *entry)
{
    free((char *)(uintptr_t)entry->name);
}

/* Drops kernels without registers: the log ends before that line. Returns how many of this log are
 * left. */
static size_t drop_incomplete(ptxlint_ptxas *ptxas, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < ptxas->count; i++) {
        if (ptxas->entries[i].usage.registers >= 0)
            ptxas->entries[kept++] = ptxas->entries[i];
        else
            entry_free(&ptxas->entries[i]);
    }
    ptxas->count = kept;
    return kept - first;
}

static void sort(ptxlint_ptxas *ptxas)
{
    size_t kept = 0;
    if (ptxas->count)
        qsort(ptxas->entries, ptxas->count, sizeof *ptxas->entries, compare_entries);
    for (size_t i = 0; i < ptxas->count; i++) {
        if (i + 1 < ptxas->count && is_same(&ptxas->entries[i], &ptxas->entries[i + 1]))
            entry_free(&ptxas->entries[i]);
        else
            ptxas->entries[kept++] = ptxas->entries[i];
    }
    ptxas->count = kept;
}

/* ---- the interface --------------------------------------------------------------------------- */

ptxlint_status ptxlint_ptxas_new(ptxlint_ptxas **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = calloc(1, sizeof **out);
    return *out ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_ptxas_add(ptxlint_ptxas *ptxas, const char *log, size_t length,
                                 size_t *kernels)
{
    if (!ptxas || (!log && length))
        return PTXLINT_BAD_ARGUMENT;
    PtxasReader reader = { ptxas, ptxas->count, SIZE_MAX, false };
    PtxasLine line;
    bool has_memory = true;
    for (const char *at = log, *end = length ? log + length : log;
         has_memory && next_line(&at, end, &line);)
        has_memory = read_line(&reader, &line);
    size_t kernel_count = drop_incomplete(ptxas, reader.first);
    sort(ptxas);
    if (kernels)
        *kernels = kernel_count;
    return has_memory ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

void ptxlint_ptxas_free(ptxlint_ptxas *ptxas)
{
    if (!ptxas)
        return;
    for (size_t i = 0; i < ptxas->count; i++)
        entry_free(&ptxas->entries[i]);
    free(ptxas->entries);
    free(ptxas);
}

/* Length of "sm_90" in "sm_90a". */
static size_t number_end(const char *sm)
{
    return strncmp(sm, "sm_", 3) ? strlen(sm) : 3 + strspn(sm + 3, "0123456789");
}

/* The first entry that does not stand before kernel and the first length bytes of sm. */
static size_t lower_bound(const ptxlint_ptxas *ptxas, const char *kernel, const char *sm,
                          size_t length)
{
    size_t low = 0, high = ptxas->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const PtxasEntry *at = &ptxas->entries[middle];
        int names = strcmp(at->name, kernel);
        if (names < 0 || (!names && strncmp(at->sm, sm, length) < 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Few entries begin with the same number: is_sm sees to it. */
const PtxasUsage *ptx_ptxas_find(const ptxlint_ptxas *ptxas, const char *kernel, const char *sm)
{
    const PtxasEntry *found = NULL;
    size_t length = number_end(sm);
    for (size_t i = ptxas ? lower_bound(ptxas, kernel, sm, length) : 0; ptxas && i < ptxas->count;
         i++) {
        const PtxasEntry *entry = &ptxas->entries[i];
        if (strcmp(entry->name, kernel) || strncmp(entry->sm, sm, length))
            break;
        if (!strcmp(entry->sm, sm))
            return &entry->usage;
        if (number_end(entry->sm) == length && (!found || entry->order > found->order))
            found = entry;
    }
    return found ? &found->usage : NULL;
}
