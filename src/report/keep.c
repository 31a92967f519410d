#include "report/report.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

/* As a module orders its own findings; those that are suppressed go first where not all can
 * stay. */
static int rank_compare(const Rank *a, const Rank *b)
{
    if (a->is_suppressed != b->is_suppressed)
        return a->is_suppressed ? 1 : -1;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (a->is_wrong != b->is_wrong)
        return a->is_wrong ? -1 : 1;
    if (a->gain_percent < b->gain_percent || a->gain_percent > b->gain_percent)
        return a->gain_percent > b->gain_percent ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int kept_compare(const void *a, const void *b)
{
    return rank_compare(&((const Kept *)a)->rank, &((const Kept *)b)->rank);
}

static bool is_wrong(const ptxlint_diagnostic *diagnostic)
{
    static const char *const groups[] = { "syntax", "limit", "correctness" };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(diagnostic->group, groups[i]))
            return true;
    return false;
}

bool ptx_top_k_offer(Keep *keep, const ptxlint_diagnostic *diagnostic, Rank *rank)
{
    *rank = (Rank){
        .severity = diagnostic->severity,
        .is_suppressed = diagnostic->suppression != PTXLINT_NOT_SUPPRESSED,
        .is_wrong = is_wrong(diagnostic),
        .gain_percent = diagnostic->gain_percent >= 0 ? diagnostic->gain_percent : -1,
        .order = keep->seen++,
    };
    return keep->limit && !(keep->is_cut && rank_compare(rank, &keep->last) > 0);
}

/* Sorts, and lets go of what is beyond the limit. */
static void keep_cut(Keep *keep)
{
    if (keep->count)
        qsort(keep->items, keep->count, sizeof *keep->items, kept_compare);
    while (keep->count > keep->limit)
        free(keep->items[--keep->count].text);
    keep->is_cut = keep->count && keep->count == keep->limit;
    if (keep->is_cut)
        keep->last = keep->items[keep->count - 1].rank;
}

/* Cutting sorts, so it waits until a quarter more has gathered. */
static bool keep_has_room(Keep *keep)
{
    size_t most = keep->limit + keep->limit / 4 + 16;
    if (keep->count >= most)
        keep_cut(keep);
    return ptx_list_reserve(&keep->items, &keep->capacity, keep->count + 1, sizeof *keep->items);
}

ptxlint_status ptx_top_k_add(Keep *keep, const Rank *rank, uint32_t rule, Buffer *text)
{
    Buffer taken = *text;
    *text = (Buffer){ 0 };
    if (!keep_has_room(keep)) {
        free(taken.bytes);
        return PTXLINT_NO_MEMORY;
    }
    char *bytes = taken.length ? ptx_text_fit(taken.bytes, taken.length) : taken.bytes;
    keep->items[keep->count++] = (Kept){ *rank, rule, bytes, taken.length };
    return PTXLINT_OK;
}

void ptx_top_k_close(Keep *keep)
{
    keep_cut(keep);
}

void ptx_top_k_free(Keep *keep)
{
    for (size_t i = 0; i < keep->count; i++)
        free(keep->items[i].text);
    free(keep->items);
}
