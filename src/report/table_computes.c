/* What loops compute, a line for each loop: of the figures of a kernel in a report. */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_COMPUTED_KINDS = 32 };   /* of a loop */

/* Items of one loop, class and operation. */
typedef struct ComputedKind {
    const ptxlint_recognized *first, *last;
    size_t count;
} ComputedKind;

typedef struct ComputedKinds {
    ComputedKind items[MAX_COMPUTED_KINDS];
    size_t count, others;       /* items of further kinds */
} ComputedKinds;

/* Inductions, and what is not recognized, are counted only. */
static bool is_counted_only(const ptxlint_recognized *item)
{
    return item->recognized == PTXLINT_RECOGNIZED_NONE
           || item->recognized == PTXLINT_LINEAR_INDUCTION
           || item->recognized == PTXLINT_POLYNOMIAL_INDUCTION
           || item->recognized == PTXLINT_GEOMETRIC_INDUCTION;
}

static bool is_same_kind(const ptxlint_recognized *a, const ptxlint_recognized *b)
{
    if (a->recognized != b->recognized || is_counted_only(a))
        return a->recognized == b->recognized;
    return a->is_conditional == b->is_conditional && !strcmp(a->operation, b->operation);
}

static void note_computed(ComputedKinds *kinds, const ptxlint_recognized *item)
{
    size_t k = 0;
    while (k < kinds->count && !is_same_kind(kinds->items[k].first, item))
        k++;
    if (k == MAX_COMPUTED_KINDS) {
        kinds->others++;
        return;
    }
    if (k == kinds->count)
        kinds->items[kinds->count++].first = item;
    kinds->items[k].last = item;
    kinds->items[k].count++;
}

static void put_computed_place(Line *line, const ptxlint_module *module, const ComputedKind *kind)
{
    const uint32_t first = ptxlint_module_place(module, kind->first->span.begin).line;
    const uint32_t last = ptxlint_module_place(module, kind->last->span.begin).line;
    if (first == last)
        ptx_line_format(line, " (line %" PRIu32 ")", first);
    else
        ptx_line_format(line, " (lines %" PRIu32 " to %" PRIu32 ")", first, last);
}

static void put_computed_kind(Line *line, const ptxlint_module *module, const ComputedKind *kind)
{
    const ptxlint_recognized *item = kind->first;
    const bool is_counted = is_counted_only(item), is_one = kind->count == 1;
    if (!is_one || is_counted)
        ptx_line_format(line, "%zu ", kind->count);
    ptx_line_words(line, ptxlint_recognized_class_text(item->recognized));
    if (item->recognized != PTXLINT_RECOGNIZED_NONE)
        ptx_line_words(line, ptx_plural(kind->count));
    if (is_counted)
        return;
    if (*item->operation)
        ptx_line_format(line, ", %s", item->operation);
    if (is_one) {
        ptx_line_words(line, ptx_text_if(*item->operation != 0, ","));
        ptx_line_words(line, " of ");
        ptx_line_recognized(line, item);
    }
    if (item->is_conditional)
        ptx_line_words(line, ", conditional");
    put_computed_place(line, module, kind);
}

static void put_computed_kinds(Line *line, const ptxlint_module *module,
                               const ComputedKinds *kinds)
{
    const char *separator = "";
    for (int is_counted = 0; is_counted < 2; is_counted++)
        for (size_t k = 0; k < kinds->count; k++) {
            if (is_counted_only(kinds->items[k].first) != (is_counted != 0))
                continue;
            ptx_line_words(line, separator);
            put_computed_kind(line, module, &kinds->items[k]);
            separator = "; ";
        }
    if (kinds->others)
        ptx_line_format(line, "; %zu others", kinds->others);
}

/* Returns the first item of the next loop. */
static size_t put_computed_loop(Out *out, const ptxlint_module *module,
                                const ptxlint_recognized *items, size_t at, size_t count)
{
    ComputedKinds kinds = { .count = 0 };
    const ptxlint_recognized *first = &items[at];
    Line line = ptx_line_begin(out, ptx_text_if(!at, "computes"));
    if (first->loop == SIZE_MAX)
        ptx_line_words(&line, "grid: ");
    else
        ptx_line_format(&line, "loop at line %" PRIu32 ": ",
                        ptxlint_module_place(module, first->header.begin).line);
    for (; at < count && items[at].loop == first->loop; at++)
        note_computed(&kinds, &items[at]);
    put_computed_kinds(&line, module, &kinds);
    ptx_line_end(&line);
    return at;
}

void ptx_table_computes(Out *out, const ptxlint_module *module, const ptxlint_recognition *of)
{
    size_t count;
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    if (ptxlint_recognition_is_cut(of)) {
        Line line = ptx_line_begin(out, "computes");
        ptx_line_words(&line, "unknown: there are too many dependences");
        ptx_line_end(&line);
    }
    for (size_t i = 0; i < count;)
        i = put_computed_loop(out, module, items, i, count);
}
