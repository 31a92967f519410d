/* diff_write.c -- a diff for people: text, laid out like bloaty's, and Markdown for a comment on a
 * pull request. */
#include "compare/diff.h"
#include "compare/diff_html.h"
#include "compare/diff_json.h"
#include "support/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMMENT_BYTES = 60000,      /* GitHub's comments end at 65,536 characters */
    TAIL_BYTES = 1024,          /* of them for what ends the comment */
    FINDINGS_SHOWN = 20         /* of a kernel, in text */
};

void ptxlint_diff_options_init(ptxlint_diff_options *options)
{
    if (options)
        *options = (ptxlint_diff_options){ .size = sizeof *options, .format = PTXLINT_TEXT };
}

/* ---- figures --------------------------------------------------------------------------------- */

static Figure signed_figure(double number)
{
    Figure f = { "" }, plain = ptx_figure_number(fabs(number));
    snprintf(f.text, sizeof f.text, "%s%.30s", number < 0 ? "-" : "+", plain.text);
    return f;
}

/* "+12.5 %"; "" of nothing. */
static Figure percent_figure(const Change *c)
{
    Figure f = { "" };
    if (isfinite(c->percent)) {
        Figure plain = ptx_figure_fixed(fabs(c->percent), 1);
        snprintf(f.text, sizeof f.text, "%s%.26s %%", c->percent < 0 ? "-" : "+", plain.text);
    }
    return f;
}

static double rounded(double number)
{
    double unit = fabs(number) > 0 ? pow(10, floor(log10(fabs(number))) - 3) : 1;
    return fabs(number) >= 1000 || fabs(number - floor(number)) <= 0
               ? number
               : floor(number / unit + 0.5) * unit;
}

static Figure delta_figure(const Change *c)
{
    Figure none = { "" };
    return isnan(c->old_value) || isnan(c->new_value)
               ? none
               : signed_figure(rounded(c->new_value - c->old_value));
}

static Figure value_figure(double value)
{
    return ptx_figure_number(isnan(value) ? value : rounded(value));
}

static const char *verdict_text(const Change *c)
{
    static const char *const texts[] = {
        [VERDICT_SAME] = "",      [VERDICT_BETTER] = "better",
        [VERDICT_WORSE] = "",     [VERDICT_REGRESSED] = "REGRESSED",
        [VERDICT_NOW_KNOWN] = "", [VERDICT_NOW_UNKNOWN] = "not known any more"
    };
    return c->excuse ? c->excuse : texts[c->verdict];
}

static const char *diff_key_of(size_t id)
{
    ptxlint_metric metric;
    ptxlint_metric_at(id, &metric);
    return metric.key;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_diff_row(Out *out, const char *indent, const char *key, const Change *c)
{
    Figure from = value_figure(c->old_value), to = value_figure(c->new_value),
           delta = delta_figure(c), percent = percent_figure(c);
    const char *words = verdict_text(c);
    ptx_out_format(out, "%s%-*s %14s %14s", indent, (int)(24 - strlen(indent)), key, from.text,
                   to.text);
    if (*delta.text || *words)
        ptx_out_format(out, " %14s", delta.text);
    if (*percent.text || *words)
        ptx_out_format(out, " %10s", percent.text);
    if (*words) {
        ptx_out_style(out, c->verdict == VERDICT_REGRESSED ? STYLE_ERROR : STYLE_NONE);
        ptx_out_format(out, "  %s", words);
        ptx_out_style(out, STYLE_NONE);
    }
    ptx_out_text(out, "\n");
}

static void put_place(Out *out, const ReportKernel *kernel)
{
    ptx_out_text(out, " (");
    ptx_out_clean(out, kernel->path);
    if (kernel->line)
        ptx_out_format(out, ":%u", (unsigned)kernel->line);
    if (*kernel->gpu) {
        ptx_out_text(out, ", ");
        ptx_out_clean(out, kernel->gpu);
    }
    ptx_out_text(out, ")");
}

static const char *launch_or_unknown(const ReportKernel *kernel)
{
    return *kernel->launch ? kernel->launch : "not known";
}

/* Where the names differ in the source, too: not by what a compiler hashed into one. */
static void put_old_name(Out *out, const Pair *pair)
{
    if (!pair->old_kernel || !pair->new_kernel)
        return;
    KernelTitle was = ptx_kernel_title(pair->old_kernel->name),
                now = ptx_kernel_title(pair->new_kernel->name);
    if (!strcmp(was.text, now.text))
        return;
    ptx_out_text(out, pair->matched_by == MATCHED_SHAPE ? "\n  taken for another version of "
                                                        : "\n  was ");
    ptx_out_clean(out, was.text);
}

static void put_title(Out *out, const Pair *pair)
{
    const ReportKernel *kernel = ptx_pair_kernel(pair);
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, ptx_text_if(!pair->old_kernel, "[NEW] "));
    ptx_out_text(out, ptx_text_if(pair->old_kernel && !pair->new_kernel, "[DEL] "));
    ptx_out_clean(out, ptx_kernel_title(kernel->name).text);
    ptx_out_style(out, STYLE_NONE);
    put_place(out, kernel);
    put_old_name(out, pair);
    if (pair->old_kernel && pair->new_kernel
        && strcmp(pair->old_kernel->launch, pair->new_kernel->launch) != 0)
        ptx_out_format(out, "\n  the launch differs: %.100s, now %.100s",
                       launch_or_unknown(pair->old_kernel), launch_or_unknown(pair->new_kernel));
    if (pair->old_kernel && pair->new_kernel
        && strcmp(pair->old_kernel->gpu, pair->new_kernel->gpu) != 0) {
        ptx_out_text(out, "\n  the GPU differs: it was ");
        ptx_out_clean(out, *pair->old_kernel->gpu ? pair->old_kernel->gpu : "not known");
    }
    ptx_out_text(out, "\n");
}

Change ptx_pair_class(const Pair *pair, uint32_t index)
{
    const ReportClass *to = &pair->new_kernel->classes[index];
    Change c = { .old_value = ptx_report_class_count(pair->old_kernel, to->name),
                     .new_value = to->count };
    c.percent = c.old_value > 0 ? 100 * (c.new_value - c.old_value) / c.old_value : (double)NAN;
    return c;
}

static void put_diff_classes(Out *out, const Pair *pair)
{
    for (uint32_t i = 0; i < pair->new_kernel->class_count && i < 64; i++) {
        Change c = ptx_pair_class(pair, i);
        char name[24];
        snprintf(name, sizeof name, "%.18s", pair->new_kernel->classes[i].name);
        if (fabs(c.new_value - c.old_value) > 0)
            put_diff_row(out, "    ", name, &c);
    }
}

static void put_finding(Out *out, const char *what, const ReportFinding *f)
{
    ptx_out_format(out, "  %s ", what);
    ptx_out_text(out, ptx_report_severity(f->severity));
    ptx_out_text(out, "[");
    ptx_out_clean(out, f->rule);
    ptx_out_text(out, "] ");
    ptx_out_clean(out, f->message);
    if (f->line)
        ptx_out_format(out, " (line %u)", (unsigned)f->line);
    if (f->count > 1)
        ptx_out_format(out, " and %u similar", (unsigned)(f->count - 1));
    ptx_out_text(out, "\n");
}

static void put_diff_findings(Out *out, const Pair *pair)
{
    for (uint32_t i = 0; i < pair->new_count + pair->fixed_count; i++) {
        bool is_new = i < pair->new_count;
        uint32_t at = is_new ? i : i - pair->new_count;
        uint32_t count = is_new ? pair->new_count : pair->fixed_count;
        if (at < FINDINGS_SHOWN)
            put_finding(out, is_new ? "new  " : "fixed", pair->findings[i]);
        else if (at == FINDINGS_SHOWN)
            ptx_out_format(out, "  ... and %u more\n", (unsigned)(count - FINDINGS_SHOWN));
    }
}

static bool is_shown(const Pair *pair)
{
    return pair->is_changed || !pair->old_kernel || !pair->new_kernel;
}

static void put_pair(Out *out, const Pair *pair)
{
    bool is_both = pair->old_kernel && pair->new_kernel;
    put_title(out, pair);
    for (int i = 0; i < METRIC__COUNT; i++) {
        if (pair->changes[i].verdict == VERDICT_SAME)
            continue;
        put_diff_row(out, "  ", diff_key_of((size_t)i), &pair->changes[i]);
        if (i == METRIC_INSTRUCTIONS && is_both)
            put_diff_classes(out, pair);
    }
    put_diff_findings(out, pair);
}

static void put_counts(Out *out, const ptxlint_diff_info *info)
{
    size_t other = info->kernel_count - info->regressed_count - info->better_count
                   - info->added_count - info->removed_count - info->same_count;
    ptx_out_format(out, "%zu of %zu kernel%s regressed", info->regressed_count, info->kernel_count,
                   ptx_plural(info->kernel_count));
    const struct { size_t count; const char *words; } parts[] = {
        { info->better_count, "better" },
        { other <= info->kernel_count ? other : 0, "changed" },
        { info->added_count, "new" },
        { info->removed_count, "removed" },
        { info->same_count, "the same" },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            ptx_out_format(out, ", %zu %s", parts[i].count, parts[i].words);
    ptx_out_format(out, "; findings: %zu new, %zu fixed", info->new_findings, info->fixed_findings);
    if (info->unknown_count)
        ptx_out_format(out, "; %zu figure%s not known any more", info->unknown_count,
                       info->unknown_count == 1 ? " is" : "s are");
}

static void put_totals(Out *out, const ptxlint_diff *d)
{
    bool has_any = false;
    for (int i = 0; i < METRIC__COUNT; i++) {
        if (!ptx_diff_has_total((MetricId)i) || d->totals[i].verdict == VERDICT_SAME)
            continue;
        if (!has_any)
            ptx_put_heading(out, "TOTAL, of kernels where it is known");
        has_any = true;
        put_diff_row(out, "  ", diff_key_of((size_t)i), &d->totals[i]);
    }
}

static void put_diff_names(Out *out, const ptxlint_diff_options *options)
{
    ptx_out_clean(out, options->old_name ? options->old_name : "old");
    ptx_out_text(out, " -> ");
    ptx_out_clean(out, options->new_name ? options->new_name : "new");
}

static void write_text(Out *out, const ptxlint_diff *d, const ptxlint_diff_options *options)
{
    bool has_any = false;
    for (uint32_t p = 0; p < d->count && out->status == PTXLINT_OK; p++) {
        if (!is_shown(&d->pairs[p]))
            continue;
        if (!has_any) {
            put_diff_names(out, options);
            ptx_out_format(out, "\n%-24s %14s %14s %14s\n", "", "old", "new", "change");
        }
        has_any = true;
        put_pair(out, &d->pairs[p]);
    }
    if (has_any)
        put_totals(out, d);
    ptx_out_text(out, has_any ? "\n" : "");
    put_counts(out, &d->info);
    ptx_out_text(out, "\n");
    if (d->info.regressed_count && options->accept) {
        ptx_out_text(out, "to accept it: ");
        ptx_out_clean(out, options->accept);
        ptx_out_text(out, "\n");
    }
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* As code, where it is what PTX allows for a name. */
static void put_diff_kernel(Out *out, const Pair *pair)
{
    const char *name = ptx_pair_kernel(pair)->name;
    bool is_plain = strlen(name) < 120;
    for (const char *p = name; *p; p++)
        is_plain &= (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')
                    || strchr("_$%.", *p) != NULL;
    ptx_out_text(out, is_plain ? "`" : "");
    if (is_plain)
        ptx_out_text(out, name);
    else
        ptx_markdown_name(out, name, 120);
    ptx_out_text(out, is_plain ? "`" : "");
}

static void put_cells(Out *out, const Pair *pair, const char *key, const Change *c)
{
    ptx_out_text(out, "| ");
    put_diff_kernel(out, pair);
    ptx_out_format(out, " | %s | %s | %s | %s | %s | %s |\n", key, value_figure(c->old_value).text,
                   value_figure(c->new_value).text, delta_figure(c).text, percent_figure(c).text,
                   verdict_text(c));
}

static void put_item(Out *out, const Pair *pair, const char *what, const ReportFinding *f)
{
    ptx_out_format(out, "- %s %s ", what, ptx_report_severity(f->severity));
    ptx_markdown_name(out, f->rule, 20);
    ptx_out_text(out, " in ");
    put_diff_kernel(out, pair);
    if (f->line)
        ptx_out_format(out, ", line %u", (unsigned)f->line);
    ptx_out_text(out, ": ");
    ptx_markdown_name(out, f->message, 200);
    ptx_out_text(out, "\n");
}

/* Lines that wait; those beyond the limit are counted. */
typedef struct Page {
    Buffer buffer;
    size_t max_bytes;
    size_t left_out;
    bool has_failed;
} Page;

typedef struct DiffWritePiece {
    Buffer buffer;
    Out out;
} DiffWritePiece;

static void piece_begin(DiffWritePiece *piece)
{
    piece->buffer = (Buffer){ 0 };
    ptx_out_init(&piece->out, ptx_buffer_write, &piece->buffer);
}

static void piece_end(Page *page, DiffWritePiece *piece)
{
    ptx_out_flush(&piece->out);
    page->has_failed |= piece->out.status != PTXLINT_OK;
    if (page->buffer.length + piece->buffer.length > page->max_bytes)
        page->left_out++;
    else if (!page->has_failed && piece->buffer.length)
        page->has_failed |=
            ptx_buffer_write(&page->buffer, piece->buffer.bytes, piece->buffer.length) != 0;
    free(piece->buffer.bytes);
}

static void page_text(Page *page, const char *text)
{
    page->has_failed |= ptx_buffer_write(&page->buffer, text, strlen(text)) != 0;
}

static const char table_head[] = "\n| kernel | metric | old | new | change | | |\n| --- | --- | "
                                 "---: | ---: | ---: | ---: | --- |\n";

/* is_regressed: rows of regressions, or the others. Returns how many there are. */
static size_t page_rows(Page *page, const ptxlint_diff *d, bool is_regressed)
{
    size_t count = 0;
    for (uint32_t p = 0; p < d->count && !page->has_failed; p++)
        for (int i = 0; i < METRIC__COUNT; i++) {
            const Change *c = &d->pairs[p].changes[i];
            DiffWritePiece piece;
            if (c->verdict == VERDICT_SAME || (c->verdict == VERDICT_REGRESSED) != is_regressed)
                continue;
            if (!count++)
                page_text(page, table_head);
            piece_begin(&piece);
            put_cells(&piece.out, &d->pairs[p], diff_key_of((size_t)i), c);
            piece_end(page, &piece);
        }
    return count;
}

static void page_findings(Page *page, const ptxlint_diff *d)
{
    bool has_any = false;
    for (uint32_t p = 0; p < d->count && !page->has_failed; p++)
        for (uint32_t i = 0; i < d->pairs[p].new_count + d->pairs[p].fixed_count; i++) {
            DiffWritePiece piece;
            page_text(page, has_any ? "" : "\n");
            has_any = true;
            piece_begin(&piece);
            put_item(&piece.out, &d->pairs[p], i < d->pairs[p].new_count ? "new" : "fixed",
                     d->pairs[p].findings[i]);
            piece_end(page, &piece);
        }
}

static void page_kernels(Page *page, const ptxlint_diff *d)
{
    bool has_any = false;
    for (uint32_t p = 0; p < d->count && !page->has_failed; p++) {
        DiffWritePiece piece;
        if (d->pairs[p].old_kernel && d->pairs[p].new_kernel)
            continue;
        page_text(page, has_any ? "" : "\n");
        has_any = true;
        piece_begin(&piece);
        ptx_out_text(&piece.out, d->pairs[p].new_kernel ? "- new kernel " : "- removed kernel ");
        put_diff_kernel(&piece.out, &d->pairs[p]);
        ptx_out_text(&piece.out, "\n");
        piece_end(page, &piece);
    }
}

static bool has_others(const ptxlint_diff *d)
{
    for (uint32_t p = 0; p < d->count; p++)
        for (int i = 0; i < METRIC__COUNT; i++)
            if (d->pairs[p].changes[i].verdict != VERDICT_SAME
                && d->pairs[p].changes[i].verdict != VERDICT_REGRESSED)
                return true;
    return false;
}

static void page_summary(Page *page, const ptxlint_diff *d, const ptxlint_diff_options *options)
{
    DiffWritePiece piece;
    piece_begin(&piece);
    ptx_out_text(&piece.out, "### ptxlint: ");
    put_counts(&piece.out, &d->info);
    ptx_out_text(&piece.out, "\n\n");
    ptx_markdown_name(&piece.out, options->old_name ? options->old_name : "old", 120);
    ptx_out_text(&piece.out, " &rarr; ");
    ptx_markdown_name(&piece.out, options->new_name ? options->new_name : "new", 120);
    ptx_out_text(&piece.out, "\n");
    piece_end(page, &piece);
}

static void write_diff_markdown(Out *out, const ptxlint_diff *d,
                                const ptxlint_diff_options *options)
{
    size_t limit = options->max_bytes ? options->max_bytes : COMMENT_BYTES;
    Page page = { .max_bytes = limit > 2 * TAIL_BYTES ? limit - TAIL_BYTES : limit };
    bool is_folded = has_others(d);
    page_summary(&page, d, options);
    page_rows(&page, d, true);
    page_findings(&page, d);
    page_kernels(&page, d);
    if (is_folded)
        page_text(&page, "\n<details><summary>All other changes</summary>\n");
    page_rows(&page, d, false);
    if (is_folded)
        page_text(&page, "\n</details>\n");
    if (page.has_failed)
        out->status = PTXLINT_NO_MEMORY;
    else
        ptx_out_bytes(out, page.buffer.bytes, page.buffer.length);
    free(page.buffer.bytes);
    if (page.left_out)
        ptx_out_format(out, "\n%zu more line%s left out: this may be %zu bytes long.\n",
                       page.left_out, page.left_out == 1 ? " is" : "s are", limit);
    if (d->info.regressed_count && options->accept && strlen(options->accept) < TAIL_BYTES / 2) {
        ptx_out_text(out, "\nTo accept it:\n\n    ");
        ptx_out_clean(out, options->accept);
        ptx_out_text(out, "\n");
    }
}

/* ---- the document ---------------------------------------------------------------------------- */

ptxlint_status ptxlint_write_diff(const ptxlint_diff *d, const ptxlint_diff_options *options,
                                  ptxlint_write_fn write, void *context)
{
    Out out;
    if (!d || !options || options->size != sizeof *options || !write)
        return PTXLINT_BAD_ARGUMENT;
    ptx_out_init(&out, write, context);
    out.has_color = options->color;
    if (options->format == PTXLINT_TEXT)
        write_text(&out, d, options);
    else if (options->format == PTXLINT_MARKDOWN)
        write_diff_markdown(&out, d, options);
    else if (options->format == PTXLINT_JSON)
        ptx_diff_json(&out, d, options);
    else if (options->format == PTXLINT_HTML)
        ptx_diff_html(&out, d, options);
    else
        return PTXLINT_BAD_ARGUMENT;
    ptx_out_flush(&out);
    return out.status;
}
