/* Findings as a table in GitHub's and GitLab's Markdown, for a comment of a pull request or a job's
 * summary. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A comment on GitHub has at most 65,536 characters; a summary has 1 MiB. */
enum { TEXT_BYTES = 60000, ROW_BYTES_LEAST = 40 };

struct Markdown {
    Keep keep;
};

Markdown *ptx_markdown_new(void)
{
    Markdown *markdown = calloc(1, sizeof *markdown);
    if (markdown)
        markdown->keep.limit = TEXT_BYTES / ROW_BYTES_LEAST;
    return markdown;
}

void ptx_markdown_free(Markdown *markdown)
{
    if (!markdown)
        return;
    ptx_top_k_free(&markdown->keep);
    free(markdown);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Single ones, in pairs. CommonMark pairs runs of them by their length, whatever stands between;
 * and in a table a backslash may not stand before a bar, in code either. */
static bool has_pairs(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        if (!strncmp(text, "``", 2) || !strncmp(text, "\\|", 2))
            return false;
        count += *text == '`';
    }
    return count % 2 == 0;
}

/* Where GitHub would see an address without a scheme. */
static bool is_www(const char *start, const char *dot)
{
    return *dot == '.' && dot - start >= 3 && !strncasecmp(dot - 3, "www", 3);
}

void ptx_markdown_text(Out *out, const char *text)
{
    const char *const start = text;
    bool has_code = has_pairs(text), is_code = false;
    for (size_t left = strlen(text); left;) {
        Glyph glyph = ptx_glyph_read(text, left, 0);
        bool is_switch = *text == '`' && has_code;
        is_code ^= is_switch;
        bool is_escaped = *text == '|'
                          || (!is_code && !is_switch
                              && (strchr("\\`*_{}[]()<>#~@&!:", *text) || is_www(start, text)));
        for (uint8_t i = 0; i < glyph.length; i++) {
            bool is_special = is_escaped
                              || (!is_code && glyph.length > 1
                                  && (glyph.text[i] == '<' || glyph.text[i] == '>'));
            ptx_out_text(out, is_special ? "\\" : "");
            ptx_out_bytes(out, &glyph.text[i], 1);
        }
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
}

static void put_markdown_row(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    ptx_out_format(out, "| %s | ", ptx_report_severity(diagnostic->severity));
    ptx_markdown_text(out, finding->path);
    ptx_out_format(out, ":%" PRIu32 " | ", finding->region.line);
    ptx_markdown_text(out, ptx_kernel_title(ptx_text_or(diagnostic->kernel, "")).text);
    ptx_out_text(out, " | ");
    ptx_markdown_text(out, diagnostic->message);
    ptx_out_others(out, finding, "; ");
    ptx_out_text(out, " \\[");
    ptx_markdown_text(out, diagnostic->rule);
    ptx_out_text(out, "\\] |\n");
}

/* ---- the document ---------------------------------------------------------------------------- */

ptxlint_status ptx_markdown_add(Markdown *markdown, const Finding *finding)
{
    Rank rank;
    Out out;
    Buffer buffer = { 0 };
    if (!ptx_top_k_offer(&markdown->keep, finding->diagnostic, &rank))
        return PTXLINT_OK;
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    put_markdown_row(&out, finding);
    ptx_out_flush(&out);
    if (out.status == PTXLINT_OK)
        return ptx_top_k_add(&markdown->keep, &rank, 0, &buffer);
    free(buffer.bytes);
    return PTXLINT_NO_MEMORY;
}

void ptx_markdown_finish(Markdown *markdown, Out *out, const Totals *totals)
{
    Keep *keep = &markdown->keep;
    size_t used = 0, shown = 0;
    ptx_top_k_close(keep);
    ptx_out_text(out, "**ptxlint:** ");
    if (!keep->seen)
        ptx_out_text(out, "nothing found\n");
    else
        ptx_text_summary(out, totals);
    if (keep->count)
        ptx_out_text(out, "\n| | place | kernel | finding |\n| --- | --- | --- | --- |\n");
    for (; shown < keep->count && used + keep->items[shown].length <= TEXT_BYTES; shown++) {
        ptx_out_bytes(out, keep->items[shown].text, keep->items[shown].length);
        used += keep->items[shown].length;
    }
    if (shown < keep->seen)
        ptx_out_format(out, "\n%" PRIu64 " more are not shown.\n", keep->seen - shown);
}
