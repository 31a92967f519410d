/* Findings as a table in GitHub's and GitLab's Markdown, for a comment of a pull request or a job's
 * summary. */
#include "report/report.h"
#include "support/markdown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void put_markdown_pieces(Out *out, MarkdownText text)
{
    char piece[MARKDOWN_PIECE_BYTES];
    for (size_t length; (length = ptx_markdown_next(&text, piece));)
        ptx_out_bytes(out, piece, length);
}

void ptx_markdown_text(Out *out, const char *text)
{
    put_markdown_pieces(out, ptx_markdown_begin(text, strlen(text), true));
}

void ptx_markdown_name(Out *out, const char *name, size_t most)
{
    size_t length = strnlen(name, most);
    while (name[length] && length && ((unsigned char)name[length] & 0xC0) == 0x80)
        length--;               /* a letter is not cut in two */
    put_markdown_pieces(out, ptx_markdown_begin(name, length, false));
    ptx_out_text(out, ptx_text_if(name[length] != 0, "..."));
}

static void put_markdown_row(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    ptx_out_format(out, "| %s | ", ptx_report_severity(diagnostic->severity));
    ptx_markdown_name(out, finding->path, SIZE_MAX);
    ptx_out_format(out, ":%" PRIu32 " | ", finding->region.line);
    ptx_markdown_name(out, ptx_kernel_title(ptx_text_or(diagnostic->kernel, "")).text, SIZE_MAX);
    ptx_out_text(out, " | ");
    ptx_markdown_text(out, diagnostic->message);
    ptx_out_others(out, finding, "; ");
    ptx_out_text(out, " \\[");
    ptx_markdown_name(out, diagnostic->rule, SIZE_MAX);
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
