/* unified_diff.c -- two texts as diff -u writes them, with the path on both sides.
 *
 * Lines that differ are found by Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its
 * Variations", Algorithmica 1986) between the first and the last line that differ. Where more than
 * MAX_EDITS lines do, all between these two are shown as replaced. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT_LINES = 3, MAX_EDITS = 2000 };

typedef struct Lines {
    const char *text;
    size_t *begins;             /* count + 1 of them: the last is the end of the text */
    size_t count;
} Lines;

typedef struct LineDiff {
    Lines old_lines, new_lines;
    bool *is_removed, *is_added;        /* per line of the one and of the other */
    Text *out;
} LineDiff;

static bool split_lines(Lines *lines, const char *text, size_t length)
{
    size_t count = 1;
    for (const char *p = text; (p = memchr(p, '\n', length - (size_t)(p - text))); p++)
        count++;
    *lines = (Lines){ .text = text, .begins = calloc(count + 1, sizeof *lines->begins) };
    if (!lines->begins)
        return false;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        at = end ? (size_t)(end - text) + 1 : length;
        lines->begins[++lines->count] = at;
    }
    return true;
}

static size_t line_length(const Lines *lines, size_t i)
{
    return lines->begins[i + 1] - lines->begins[i];
}

static bool is_same_line(const LineDiff *diff, size_t i, size_t j)
{
    const Lines *a = &diff->old_lines, *b = &diff->new_lines;
    const size_t length = line_length(a, i);
    return length == line_length(b, j)
           && !memcmp(a->text + a->begins[i], b->text + b->begins[j], length);
}

/* ---- which lines ----------------------------------------------------------------------------- */

typedef struct Middle {
    size_t begin;               /* lines that both begin with */
    long old_count, new_count;  /* between these and those that both end with */
} Middle;

static Middle find_middle(const LineDiff *diff)
{
    const size_t n = diff->old_lines.count, m = diff->new_lines.count;
    size_t begin = 0, end = 0;
    while (begin < n && begin < m && is_same_line(diff, begin, begin))
        begin++;
    while (end < n - begin && end < m - begin && is_same_line(diff, n - 1 - end, m - 1 - end))
        end++;
    return (Middle){ begin, (long)(n - begin - end), (long)(m - begin - end) };
}

/* Whether the path to diagonal k, of d edits, comes from above: by a line that is added. */
static bool is_from_above(const long *furthest, long k, long d)
{
    return k == -d || (k != d && furthest[k - 1] < furthest[k + 1]);
}

/* One more edit: row is that of d - 1, and becomes that of d. True: the end is reached. */
static bool extend(const LineDiff *diff, const Middle *middle, long *row, long d)
{
    for (long k = -d; k <= d; k += 2) {
        long x = is_from_above(row, k, d) ? row[k + 1] : row[k - 1] + 1;
        while (x < middle->old_count && x - k < middle->new_count && x - k >= 0
               && is_same_line(diff, middle->begin + (size_t)x, middle->begin + (size_t)(x - k)))
            x++;
        row[k] = x;
        if (x >= middle->old_count && x - k >= middle->new_count)
            return true;
    }
    return false;
}

/* Back along the rows that were kept, of which number i has that of i - 1 edits. */
static void mark_path(LineDiff *diff, const Middle *middle, long *const *rows, long d)
{
    long x = middle->old_count, y = middle->new_count;
    for (; d > 0; d--) {
        const long *row = rows[d] + d + 1;
        const bool is_add = is_from_above(row, x - y, d);
        const long k = x - y + (is_add ? 1 : -1);
        x = row[k];
        y = x - k;
        if (is_add)
            diff->is_added[middle->begin + (size_t)y] = true;
        else
            diff->is_removed[middle->begin + (size_t)x] = true;
    }
}

static void mark_all(LineDiff *diff, const Middle *middle)
{
    memset(diff->is_removed + middle->begin, true, (size_t)middle->old_count);
    memset(diff->is_added + middle->begin, true, (size_t)middle->new_count);
}

/* rows[d]: what extend saw when it began with d edits. False: no memory. */
static bool mark_lines(LineDiff *diff)
{
    const Middle middle = find_middle(diff);
    long *rows[MAX_EDITS + 1] = { 0 }, *room = calloc(2 * MAX_EDITS + 4, sizeof *room),
                             *row = room + MAX_EDITS + 1, d = 0;
    bool is_good = room != NULL, is_done = false;
    for (; is_good && !is_done && d <= MAX_EDITS; d++) {
        is_good = (rows[d] = calloc((size_t)(2 * d + 3), sizeof *row)) != NULL;
        if (is_good)
            memcpy(rows[d], row - d - 1, (size_t)(2 * d + 3) * sizeof *row);
        is_done = is_good && extend(diff, &middle, row, d);
    }
    if (is_done)
        mark_path(diff, &middle, rows, d - 1);
    else if (is_good)
        mark_all(diff, &middle);
    for (d = 0; d <= MAX_EDITS; d++)
        free(rows[d]);
    free(room);
    return is_good;
}

/* ---- hunks ----------------------------------------------------------------------------------- */

static void put_diff_line(LineDiff *diff, char mark, const Lines *lines, size_t i)
{
    const char *line = lines->text + lines->begins[i];
    const size_t length = line_length(lines, i);
    ptx_text_add(diff->out, &mark, 1);
    ptx_text_add(diff->out, line, length);
    if (line[length - 1] != '\n')
        ptx_text_put(diff->out, "\n\\ No newline at end of file\n");
}

typedef struct Hunk {
    size_t old_begin, old_end, new_begin, new_end;
} Hunk;

/* "12,3"; of no lines, the one before. */
static void put_hunk_range(Text *out, char mark, size_t begin, size_t end)
{
    ptx_text_print(out, "%c%zu", mark, begin + (end > begin));
    if (end - begin != 1)
        ptx_text_print(out, ",%zu", end - begin);
}

static void put_hunk(LineDiff *diff, const Hunk *hunk)
{
    size_t i = hunk->old_begin, j = hunk->new_begin;
    ptx_text_put(diff->out, "@@ ");
    put_hunk_range(diff->out, '-', i, hunk->old_end);
    ptx_text_put(diff->out, " ");
    put_hunk_range(diff->out, '+', j, hunk->new_end);
    ptx_text_put(diff->out, " @@\n");
    while (i < hunk->old_end || j < hunk->new_end) {
        if (i < hunk->old_end && diff->is_removed[i]) {
            put_diff_line(diff, '-', &diff->old_lines, i++);
        } else if (j < hunk->new_end && diff->is_added[j]) {
            put_diff_line(diff, '+', &diff->new_lines, j++);
        } else {
            put_diff_line(diff, ' ', &diff->old_lines, i++);
            j++;
        }
    }
}

/* Changes with at most two contexts between them are one hunk. */
static void put_hunks(LineDiff *diff)
{
    const size_t n = diff->old_lines.count, m = diff->new_lines.count;
    Hunk hunk = { 0 };
    bool is_open = false;
    size_t i = 0, j = 0, same = 0;
    while (i < n || j < m) {
        const bool is_old = i < n && diff->is_removed[i], is_new = j < m && diff->is_added[j];
        if (!is_open && (is_old || is_new)) {
            const size_t before = same < CONTEXT_LINES ? same : CONTEXT_LINES;
            hunk = (Hunk){ .old_begin = i - before, .new_begin = j - before };
            is_open = true;
        }
        same = is_old || is_new ? 0 : same + 1;
        i += is_old || !is_new;
        j += !is_old;
        if (is_open && same <= CONTEXT_LINES) {
            hunk.old_end = i;
            hunk.new_end = j;
        }
        if (is_open && same == 2 * CONTEXT_LINES) {
            put_hunk(diff, &hunk);
            is_open = false;
        }
    }
    if (is_open)
        put_hunk(diff, &hunk);
}

void ptx_unified_diff(Text *out, const char *path, const char *old_text, size_t old_length,
                      const char *new_text, size_t new_length)
{
    LineDiff diff = { .out = out };
    bool is_good = split_lines(&diff.old_lines, old_text, old_length)
                   && split_lines(&diff.new_lines, new_text, new_length);
    diff.is_removed = calloc(diff.old_lines.count + 1, sizeof *diff.is_removed);
    diff.is_added = calloc(diff.new_lines.count + 1, sizeof *diff.is_added);
    if (is_good && diff.is_removed && diff.is_added && mark_lines(&diff)) {
        ptx_text_print(out, "--- %s\n+++ %s\n", path, path);
        put_hunks(&diff);
    } else {
        out->has_failed = true;
    }
    free(diff.old_lines.begins);
    free(diff.new_lines.begins);
    free(diff.is_removed);
    free(diff.is_added);
}
