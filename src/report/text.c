/* Diagnostics for people, laid out like rustc's: a title, the place, the PTX lines with carets, the
 * CUDA line that it came from, and what else is to be said. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    VIEW_COLUMNS = 160,         /* of a source line; real PTX has lines of 468,000 bytes */
    VIEW_LEAD_COLUMNS = 60,     /* kept before the caret in a line that is cut */
    VIEW_BYTES = 4 * VIEW_COLUMNS,
    MARKS_MAX = 9               /* the place itself and 8 related ones */
};

/* ---- views: the part of a line that is shown ------------------------------------------------- */

typedef struct View {
    const char *line;
    size_t begin, end;          /* bytes of line */
    bool cut_left, cut_right;   /* "..." stands there */
} View;

/* Columns from the left edge up to byte to; prints them where out is given. */
static size_t view_walk(const View *view, size_t to, Out *out)
{
    size_t column = view->cut_left ? 3 : 0;
    for (size_t i = view->begin; i < to && i < view->end;) {
        Glyph glyph = ptx_glyph_read(view->line + i, view->end - i, column);
        if (out)
            ptx_out_bytes(out, glyph.text, glyph.length);
        column += glyph.width;
        i += glyph.source_bytes;
    }
    return column;
}

/* The largest end for which the view is at most columns wide, with the "..." that an end before
 * length needs. */
static size_t view_find_end(const View *view, size_t length, size_t columns)
{
    size_t column = view->cut_left ? 3 : 0, fits = view->begin;
    for (size_t i = view->begin; i < length;) {
        Glyph glyph = ptx_glyph_read(view->line + i, length - i, column);
        column += glyph.width;
        i += glyph.source_bytes;
        if (column > columns)
            return fits;
        if (column <= columns - 3)
            fits = i;
    }
    return length;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Only bytes near the caret are looked at, so that many diagnostics in one huge line stay cheap. */
static View view_make(const char *line, size_t length, size_t caret)
{
    View view = { .line = line };
    while (length
           && (line[length - 1] == '\r' || line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    if (caret > length)
        caret = length;
    if (length <= VIEW_BYTES) {
        view.end = view_find_end(&view, length, VIEW_COLUMNS);
        if (view.end == length)
            return view;
    }
    view.begin = caret > VIEW_LEAD_COLUMNS ? caret - VIEW_LEAD_COLUMNS : 0;
    while (view.begin < caret && is_continuation(line[view.begin])
           && caret - view.begin > VIEW_LEAD_COLUMNS - 4)
        view.begin++;
    view.end = length;
    view.cut_left = view.begin > 0;
    /* wide or escaped characters before it */
    while (view_walk(&view, caret, NULL) > VIEW_LEAD_COLUMNS + 8) {
        view.begin += ptx_glyph_read(line + view.begin, caret - view.begin, 0).source_bytes;
        view.cut_left = true;
    }
    view.end = view_find_end(&view, length, VIEW_COLUMNS);
    view.cut_right = view.end < length;
    return view;
}

/* ---- gutter ---------------------------------------------------------------------------------- */

static void put_gutter(Out *out, unsigned gutter, const char *sign)
{
    ptx_out_style(out, STYLE_GUTTER);
    ptx_out_repeat(out, ' ', gutter);
    ptx_out_text(out, sign);
    ptx_out_style(out, STYLE_NONE);
}

static void put_text_number(Out *out, unsigned gutter, uint32_t line)
{
    ptx_out_style(out, STYLE_GUTTER);
    ptx_out_format(out, "%-*" PRIu32 " |", (int)gutter, line);
    ptx_out_style(out, STYLE_NONE);
}

static void put_view(Out *out, unsigned gutter, uint32_t line, const View *view)
{
    put_text_number(out, gutter, line);
    if (view->end > view->begin || view->cut_left)
        ptx_out_text(out, view->cut_left ? " ..." : " ");
    view_walk(view, view->end, out);
    ptx_out_text(out, view->cut_right ? "...\n" : "\n");
}

/* What is put under bytes begin..end of a line, at least one, and the label beside it. */
typedef struct Underline {
    size_t begin, end;
    char glyph;
    Style style;
    const char *label;          /* NULL: none */
} Underline;

static void put_underline(Out *out, unsigned gutter, const View *view, const Underline *under)
{
    size_t from = view_walk(view, under->begin, NULL), to = view_walk(view, under->end, NULL);
    put_gutter(out, gutter, " | ");
    ptx_out_repeat(out, ' ', from);
    ptx_out_style(out, under->style);
    ptx_out_repeat(out, under->glyph, to > from ? to - from : 1);
    if (under->label) {
        ptx_out_text(out, " ");
        ptx_out_clean(out, under->label);
    }
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

static void put_fact(Out *out, unsigned gutter, const char *key)
{
    put_gutter(out, gutter, " = ");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, key);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, ": ");
}

/* ---- snippet --------------------------------------------------------------------------------- */

typedef struct Mark {
    ptxlint_place place;
    uint32_t span_end;
    bool is_primary;
    const char *label;          /* or NULL */
} Mark;

static int mark_compare(const void *pa, const void *pb)
{
    const Mark *a = pa, *b = pb;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->is_primary != b->is_primary)
        return a->is_primary ? -1 : 1;
    return a->place.column < b->place.column ? -1 : a->place.column > b->place.column;
}

static Mark mark_make(const ptxlint_module *module, ptxlint_span span, bool is_primary,
                      const char *label)
{
    return (Mark){ ptxlint_module_place(module, span.begin), span.end, is_primary, label };
}

static bool has_place(const ptxlint_related *related)
{
    return related->span.end > 0;
}

static size_t marks_collect(const ptxlint_module *module, const ptxlint_diagnostic *diagnostic,
                            Mark marks[MARKS_MAX])
{
    size_t count = 0;
    marks[count++] = mark_make(module, diagnostic->span, true, diagnostic->label);
    for (size_t i = 0; i < diagnostic->related_count && count < MARKS_MAX; i++)
        if (has_place(&diagnostic->related[i]))
            marks[count++] = mark_make(module, diagnostic->related[i].span, false,
                                       diagnostic->related[i].message);
    qsort(marks, count, sizeof *marks, mark_compare);
    return count;
}

static Style severity_style(ptxlint_severity severity)
{
    switch (severity) {
    case PTXLINT_ERROR:   return STYLE_ERROR;
    case PTXLINT_WARNING: return STYLE_WARNING;
    default:              return STYLE_NOTE;
    }
}

/* A line with several marks is shown once, unless it is cut: then each mark has its own part of
 * it. */
static void put_snippet(Out *out, unsigned gutter, const char *text, const Mark *marks,
                        size_t count, Style style)
{
    View view = { 0 };
    for (size_t i = 0; i < count; i++) {
        const Mark *mark = &marks[i];
        uint32_t begin = mark->place.line_begin, line = mark->place.line;
        size_t length = mark->place.line_end - begin, caret = mark->place.column - 1;
        bool is_same = i && marks[i - 1].place.line == line;
        if (!is_same || view.cut_left || view.cut_right) {
            if (i && !is_same && line != marks[i - 1].place.line + 1)
                ptx_out_text(out, "...\n");
            view = view_make(text + begin, length, caret);
            put_view(out, gutter, line, &view);
        }
        Style own = mark->is_primary ? style : STYLE_GUTTER;
        const Underline under = { .begin = caret,
                                  .end = mark->span_end - begin,
                                  .glyph = mark->is_primary ? '^' : '-',
                                  .style = own,
                                  .label = mark->label };
        put_underline(out, gutter, &view, &under);
    }
}

/* ---- the parts of a diagnostic --------------------------------------------------------------- */

static void put_text_title(Out *out, const ptxlint_diagnostic *diagnostic)
{
    ptx_out_style(out, severity_style(diagnostic->severity));
    ptx_out_format(out, "%s[%s]", ptx_report_severity(diagnostic->severity), diagnostic->rule);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, ": ");
    ptx_out_clean(out, diagnostic->message);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

/* column 0: none is known. */
static void put_text_location(Out *out, unsigned gutter, const char *arrow, const char *path,
                              uint32_t line, uint32_t column)
{
    put_gutter(out, gutter, arrow);
    ptx_out_clean(out, path);
    ptx_out_format(out, ":%" PRIu32, line);
    if (column)
        ptx_out_format(out, ":%" PRIu32, column);
    ptx_out_text(out, "\n");
}

/* The CUDA line, where it can be read. */
static void put_text_source(Out *out, unsigned gutter, const Finding *finding, Style style)
{
    const SourceFile *file = finding->source.file;
    uint32_t line = finding->source.named.line, column = finding->source.named.column;
    size_t length;
    const char *text = file ? ptx_source_line(file, line, &length) : NULL;
    if (!text)
        return;
    View view = view_make(text, length, column ? column - 1 : 0);
    put_view(out, gutter, line, &view);
    const Underline under = { column - 1, column, '^', style, NULL };
    if (column && column <= length)
        put_underline(out, gutter, &view, &under);
}

static void put_text_facts(Out *out, unsigned gutter, const ptxlint_diagnostic *diagnostic,
                           size_t shown_count)
{
    const char *const keys[] = { "kernel", "certainty", "help" };
    const KernelTitle kernel = ptx_kernel_title(ptx_text_or(diagnostic->kernel, ""));
    const char *const texts[] = {
        kernel.text,
        diagnostic->certainty == PTXLINT_EXACT ? NULL : ptx_report_certainty(diagnostic->certainty),
        diagnostic->help,
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (texts[i] && *texts[i]) {
            put_fact(out, gutter, keys[i]);
            ptx_out_clean(out, texts[i]);
            ptx_out_text(out, "\n");
        }
    if (ptx_report_has_gain(diagnostic)) {
        put_fact(out, gutter, "gain");
        ptx_out_format(out, "%s %.0f %% of the %s\n", ptx_report_gain_measure(diagnostic),
                       diagnostic->gain_percent, diagnostic->gain_of);
    }
    size_t placed_count = 0;
    for (size_t i = 0; i < diagnostic->related_count; i++)
        if (has_place(&diagnostic->related[i])) {
            placed_count++;
        } else {
            put_fact(out, gutter, "note");
            ptx_out_clean(out, diagnostic->related[i].message);
            ptx_out_text(out, "\n");
        }
    if (placed_count > shown_count) {
        put_fact(out, gutter, "note");
        ptx_out_format(out, "and %zu more places\n", placed_count - shown_count);
    }
    if (diagnostic->repeat_count) {
        put_fact(out, gutter, "note");
        ptx_out_format(out, "and %" PRIu32 " similar in this %s\n", diagnostic->repeat_count,
                       diagnostic->kernel ? "kernel" : "file");
    }
}

/* The other end of what was inlined: the code in question, or the outermost call. */
static void put_text_inlined(Out *out, unsigned gutter, const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    if (!d->inlined_count)
        return;
    const ptxlint_source_place code = { d->source_path, d->source_line, d->source_column };
    const ptxlint_source_place *other = finding->source.outward
                                            ? &code
                                            : &d->inlined_into[d->inlined_count - 1];
    put_fact(out, gutter, "note");
    ptx_out_text(out, finding->source.outward ? "inlined there from " : "inlined at ");
    ptx_out_clean(out, other->path);
    ptx_out_format(out, ":%" PRIu32 ":%" PRIu32 "\n", other->line, other->column);
}

static unsigned digits(uint32_t number)
{
    unsigned count = 1;
    for (; number >= 10; number /= 10)
        count++;
    return count;
}

static void put_source_location(Out *out, unsigned gutter, const char *arrow,
                                const ptxlint_source_place *place)
{
    put_text_location(out, gutter, arrow, place->path, place->line, place->column);
}

/* The PTX, and below it the CUDA line. */
static void put_ptx_first(Out *out, unsigned gutter, const Finding *finding, const Mark *marks,
                          size_t count)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    const ptxlint_module_info *info = ptxlint_module_get_info(finding->module);
    put_text_location(out, gutter, "--> ", info->path, finding->ptx_bytes.line,
                      finding->ptx_bytes.column);
    put_gutter(out, gutter, " |\n");
    put_snippet(out, gutter, info->text, marks, count, severity_style(diagnostic->severity));
    put_gutter(out, gutter, " |\n");
    if (!finding->source.named.path || !finding->source.named.line)
        return;
    put_source_location(out, gutter, " ::: ", &finding->source.named);
    put_text_source(out, gutter, finding, STYLE_GUTTER);
}

static void put_source_first(Out *out, unsigned gutter, const Finding *finding, const Mark *marks,
                             size_t count)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(finding->module);
    Style style = severity_style(finding->diagnostic->severity);
    put_source_location(out, gutter, "--> ", &finding->source.named);
    put_gutter(out, gutter, " |\n");
    put_text_source(out, gutter, finding, style);
    put_gutter(out, gutter, " |\n");
    put_text_location(out, gutter, " ::: ", info->path, finding->ptx_bytes.line,
                      finding->ptx_bytes.column);
    put_snippet(out, gutter, info->text, marks, count, style);
}

void ptx_text_diagnostic(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Mark marks[MARKS_MAX];
    size_t count = marks_collect(finding->module, diagnostic, marks);
    uint32_t last = marks[count - 1].place.line;
    if (finding->source.named.path && finding->source.named.line > last)
        last = finding->source.named.line;
    unsigned gutter = digits(last);
    put_text_title(out, diagnostic);
    (finding->is_source ? put_source_first : put_ptx_first)(out, gutter, finding, marks, count);
    put_text_facts(out, gutter, diagnostic, count - 1);
    put_text_inlined(out, gutter, finding);
    if (finding->cause) {
        ptx_out_others_begin(out, finding->cause);
        put_fact(out, gutter, "note");
        ptx_out_others_end(out, "\n");
    }
    ptx_out_text(out, "\n");
}

/* ---- the short form -------------------------------------------------------------------------- */

/* ", " between what stands in parentheses behind a place; ")" is the caller's. */
static void put_between(Out *out, bool *has_part)
{
    ptx_out_text(out, *has_part ? ", " : " (");
    *has_part = true;
}

static void put_short_part(Out *out, bool *has_part, const char *what, const char *path,
                           uint32_t line)
{
    put_between(out, has_part);
    ptx_out_text(out, what);
    ptx_out_clean(out, path);
    ptx_out_format(out, ":%" PRIu32, line);
}

/* Of a place in the CUDA source the other end of what was inlined. */
static void put_origin(Out *out, bool *has_part, const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    if (!d->inlined_count || !finding->is_source)
        return;
    const ptxlint_source_place *call = &d->inlined_into[d->inlined_count - 1];
    if (finding->source.outward)
        put_short_part(out, has_part, "from ", d->source_path, d->source_line);
    else
        put_short_part(out, has_part, "called at ", call->path, call->line);
}

/* "gemm.cu:12:9 (gemm.ptx:437, copy<float, 4>)" */
static void put_short_place(Out *out, unsigned gutter, const Finding *finding)
{
    const char *kernel = finding->diagnostic->kernel;
    const ptxlint_source_place *named = &finding->source.named;
    bool has_part = false, has_column = !finding->is_source || named->column;
    put_gutter(out, gutter, "--> ");
    ptx_out_clean(out, finding->path);
    ptx_out_format(out, ":%" PRIu32, finding->bytes.line);
    if (has_column)
        ptx_out_format(out, ":%" PRIu32, finding->bytes.column);
    if (finding->is_source)
        put_short_part(out, &has_part, "", finding->ptx_path, finding->ptx.line);
    else if (named->path && named->line)
        put_short_part(out, &has_part, "", named->path, named->line);
    put_origin(out, &has_part, finding);
    if (kernel && *kernel) {
        put_between(out, &has_part);
        ptx_out_clean(out, ptx_kernel_short(kernel).text);
    }
    ptx_out_text(out, has_part ? ")\n" : "\n");
}

typedef struct ShortNote {
    Out *out;
    unsigned gutter;
    bool has_part;
} ShortNote;

static void note_begin(ShortNote *note)
{
    if (note->has_part)
        ptx_out_text(note->out, "; ");
    else
        put_fact(note->out, note->gutter, "note");
    note->has_part = true;
}

static void note_also(ShortNote *note, const ptxlint_diagnostic *diagnostic)
{
    for (size_t i = 0; i < diagnostic->also_count; i++) {
        const ptxlint_source_place *place = &diagnostic->also[i];
        if (!i)
            note_begin(note);
        ptx_out_text(note->out, i ? ", " : "also ");
        ptx_out_clean(note->out, ptx_path_last(place->path));
        ptx_out_format(note->out, ":%" PRIu32, place->line);
    }
}

/* Of a mistake the other lines that belong to it, as a declaration. */
static void note_related(ShortNote *note, const Finding *finding)
{
    enum { RELATED_MAX = 2 };
    const ptxlint_diagnostic *d = finding->diagnostic;
    for (size_t i = 0; i < d->related_count && i < RELATED_MAX; i++) {
        const ptxlint_related *related = &d->related[i];
        if (d->severity != PTXLINT_ERROR)
            return;
        note_begin(note);
        if (has_place(related))
            ptx_out_format(note->out, "line %" PRIu32 ": ",
                           ptxlint_module_place(finding->module, related->span.begin).line);
        ptx_out_clean(note->out, related->message);
    }
}

/* Certainty, gain, and what is like it: one line. */
static void put_short_note(Out *out, unsigned gutter, const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    ShortNote note = { out, gutter, false };
    if (d->certainty != PTXLINT_EXACT) {
        note_begin(&note);
        ptx_out_text(out, ptx_report_certainty(d->certainty));
    }
    if (ptx_report_has_gain(d)) {
        note_begin(&note);
        ptx_out_format(out, "gain %s %.0f %% of the %s", ptx_report_gain_measure(d),
                       d->gain_percent, d->gain_of);
    }
    if (d->repeat_count) {
        note_begin(&note);
        ptx_out_format(out, "and %" PRIu32 " similar in this %s", d->repeat_count,
                       d->kernel ? "kernel" : "file");
    }
    note_also(&note, d);
    note_related(&note, finding);
    bool has_line = note.has_part;
    if (finding->cause) {
        ptx_out_others_begin(out, finding->cause);
        note_begin(&note);
        ptx_out_others_end(out, has_line ? "" : "\n");
    }
    if (has_line)
        ptx_out_text(out, "\n");
}

static void put_short_snippet(Out *out, unsigned gutter, const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    const Mark mark = mark_make(finding->module, d->span, true, d->label);
    put_gutter(out, gutter, " |\n");
    if (finding->is_source)
        put_text_source(out, gutter, finding, severity_style(d->severity));
    else
        put_snippet(out, gutter, ptxlint_module_get_info(finding->module)->text, &mark, 1,
                    severity_style(d->severity));
}

void ptx_text_short(Out *out, const Finding *finding)
{
    const char *help = finding->diagnostic->help;
    unsigned gutter = digits(finding->bytes.line);
    put_text_title(out, finding->diagnostic);
    put_short_place(out, gutter, finding);
    put_short_snippet(out, gutter, finding);
    if (help && *help) {
        put_fact(out, gutter, "help");
        ptx_out_clean(out, help);
        ptx_out_text(out, "\n");
    }
    put_short_note(out, gutter, finding);
    ptx_out_text(out, "\n");
}

/* ---- a line ---------------------------------------------------------------------------------- */

void ptx_text_oneline(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    ptx_out_clean(out, finding->is_source ? finding->source.named.path
                                          : ptxlint_module_get_info(finding->module)->path);
    ptx_out_format(out, ":%" PRIu32 ":%" PRIu32 ": %s: ", finding->bytes.line,
                   finding->bytes.column, ptx_report_severity(diagnostic->severity));
    ptx_out_clean(out, diagnostic->message);
    ptx_out_format(out, " [%s]\n", diagnostic->rule);
}

/* ---- summary --------------------------------------------------------------------------------- */

static size_t hidden_count(const Totals *totals)
{
    size_t count = 0;
    for (int severity = PTXLINT_NOTE; severity <= PTXLINT_ERROR; severity++)
        count += totals->hidden_counts[severity];
    return count;
}

static void put_hidden(Out *out, const Totals *totals, bool is_behind)
{
    size_t count = hidden_count(totals);
    bool is_of_notes = count == totals->hidden_counts[PTXLINT_NOTE];
    if (!count)
        return;
    ptx_out_text(out, ptx_text_if(is_behind, "; "));
    ptx_out_format(out, "%zu %s%s", count, is_of_notes ? "note" : "finding", ptx_plural(count));
    ptx_out_text(out, count == 1 ? " is not shown: see --all" : " are not shown: see --all");
}

void ptx_text_summary(Out *out, const Totals *totals)
{
    const char *separator = "";
    for (int severity = PTXLINT_ERROR; severity >= PTXLINT_NOTE; severity--) {
        size_t count = totals->counts[severity];
        if (!count)
            continue;
        ptx_out_format(out, "%s%zu %s%s", separator, count,
                       ptx_report_severity((ptxlint_severity)severity), count == 1 ? "" : "s");
        separator = ", ";
    }
    if (totals->found_count)
        ptx_out_format(out, " in %zu of %zu %s%s", totals->found_count, totals->kernel_count,
                       totals->func_count ? "function" : "kernel",
                       ptx_plural(totals->kernel_count));
    if (*separator && totals->suppressed_count)
        ptx_out_format(out, " (%zu suppressed)", totals->suppressed_count);
    put_hidden(out, totals, *separator);
    if (*separator || hidden_count(totals))
        ptx_out_text(out, "\n");
}
