/* Commands that a GitHub workflow reads from its log and shows beside the changed lines. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* GitHub shows so many errors, warnings and notices of a step and drops the rest without a word
 * (actions/toolkit#734). */
enum { SHOWN_EACH = 10 };

struct Github {
    Keep keeps[4];              /* by severity */
};

Github *ptx_github_new(void)
{
    Github *github = calloc(1, sizeof *github);
    if (!github)
        return NULL;
    for (int severity = PTXLINT_NOTE; severity <= PTXLINT_ERROR; severity++)
        github->keeps[severity].limit = SHOWN_EACH;
    return github;
}

void ptx_github_free(Github *github)
{
    if (!github)
        return;
    for (int severity = 0; severity < 4; severity++)
        ptx_top_k_free(&github->keeps[severity]);
    free(github);
}

/* actions/toolkit, packages/core/src/command.ts: a property ends at a colon or comma, so these too
 * are written as hex. */
static void put_github_escaped(Out *out, const char *text, bool is_property)
{
    for (size_t left = strlen(text); left;) {
        bool is_special = *text == '%' || *text == '\r' || *text == '\n'
                          || (is_property && (*text == ':' || *text == ','));
        Glyph glyph = ptx_glyph_read(text, left, 0);
        if (is_special)
            ptx_out_format(out, "%%%02X", (unsigned)(unsigned char)*text);
        else
            ptx_out_bytes(out, glyph.text, glyph.length);
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
}

/* Columns only within a line: GitHub takes none across lines. */
static void put_github_place(Out *out, const char *path, const Region *region)
{
    ptx_out_text(out, " file=");
    put_github_escaped(out, path, true);
    ptx_out_format(out, ",line=%" PRIu32 ",endLine=%" PRIu32, region->line, region->end_line);
    if (region->line == region->end_line)
        ptx_out_format(out, ",col=%" PRIu32 ",endColumn=%" PRIu32, region->column,
                       region->end_column);
}

static void put_message(Out *out, const ptxlint_diagnostic *diagnostic)
{
    ptx_out_text(out, ",title=");
    put_github_escaped(out, diagnostic->rule, true);
    ptx_out_text(out, " ");
    put_github_escaped(out, diagnostic->name, true);
    ptx_out_text(out, "::");
    put_github_escaped(out, diagnostic->message, false);
    if (diagnostic->kernel) {
        ptx_out_text(out, "%0Akernel: ");
        put_github_escaped(out, ptx_kernel_title(diagnostic->kernel).text, false);
    }
    if (ptx_report_has_gain(diagnostic))
        ptx_out_format(out, "%%0Again: %s %.0f %%25 of the %s",
                       ptx_report_gain_measure(diagnostic), diagnostic->gain_percent,
                       diagnostic->gain_of);
    if (diagnostic->help) {
        ptx_out_text(out, "%0Ahelp: ");
        put_github_escaped(out, diagnostic->help, false);
    }
}

static void put_ptx(Out *out, const char *path, const Region *region)
{
    ptx_out_text(out, "%0APTX: ");
    put_github_escaped(out, path, false);
    ptx_out_format(out, ":%" PRIu32 ":%" PRIu32, region->line, region->column);
}

static void put_github_command(Out *out, const Finding *finding)
{
    static const char *const commands[] = { "", "notice", "warning", "error" };
    ptx_out_format(out, "::%s", commands[finding->diagnostic->severity]);
    put_github_place(out, finding->path, &finding->region);
    put_message(out, finding->diagnostic);
    if (finding->is_source)
        put_ptx(out, finding->ptx_path, &finding->ptx);
    ptx_out_others(out, finding, "%0A");
    ptx_out_text(out, "\n");
}

ptxlint_status ptx_github_add(Github *github, const Finding *finding)
{
    Rank rank;
    Out out;
    Buffer buffer = { 0 };
    Keep *keep = &github->keeps[finding->diagnostic->severity];
    if (!ptx_top_k_offer(keep, finding->diagnostic, &rank))
        return PTXLINT_OK;
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    put_github_command(&out, finding);
    ptx_out_flush(&out);
    if (out.status == PTXLINT_OK)
        return ptx_top_k_add(keep, &rank, 0, &buffer);
    free(buffer.bytes);
    return PTXLINT_NO_MEMORY;
}

/* ---- one annotation a line ------------------------------------------------------------------- */

typedef struct Shown {
    const Kept *items[3 * SHOWN_EACH];
    Buffer also[3 * SHOWN_EACH];        /* what others of its line say */
    size_t count;
} Shown;

/* " file=a.cu,line=3," of a command: its length; 0: it has none. */
static size_t place_length(const Kept *item, const char **begin)
{
    const char *at = memchr(item->text, ' ', item->length);
    const char *end = item->text + item->length, *line = at;
    while (line && end - line > 6 && memcmp(line, ",line=", 6) != 0)
        line++;
    line = line && end - line > 6 ? memchr(line + 6, ',', (size_t)(end - line - 6)) : NULL;
    *begin = at;
    return line ? (size_t)(line - at) : 0;
}

static bool has_same_place(const Kept *a, const Kept *b)
{
    const char *place_a, *place_b;
    size_t length = place_length(a, &place_a);
    return length && length == place_length(b, &place_b) && !memcmp(place_a, place_b, length);
}

/* Rule and message of an item, up to the first %0A. */
static bool add_also(Buffer *also, const Kept *item)
{
    static const char title[] = "title=", lead[] = "%0Aalso: ";
    const char *at = item->text, *end = at + item->length - 1;
    while (end - at > 6 && memcmp(at, title, 6) != 0)
        at++;
    at += 6;
    const char *stop = at;
    while (stop < end && (end - stop < 3 || memcmp(stop, "%0A", 3) != 0))
        stop++;
    return !ptx_buffer_write(also, lead, sizeof lead - 1)
           && (at >= stop || !ptx_buffer_write(also, at, (size_t)(stop - at)));
}

/* Worst first: false: no memory. */
static bool take_shown(Shown *shown, const Kept *item)
{
    for (size_t i = 0; i < shown->count; i++)
        if (has_same_place(shown->items[i], item))
            return add_also(&shown->also[i], item);
    shown->items[shown->count++] = item;
    return true;
}

static void put_annotations(Out *out, Shown *shown)
{
    for (size_t i = 0; i < shown->count; i++) {
        const Kept *item = shown->items[i];
        ptx_out_bytes(out, item->text, item->length - 1);
        ptx_out_bytes(out, shown->also[i].bytes, shown->also[i].length);
        ptx_out_text(out, "\n");
        free(shown->also[i].bytes);
    }
}

/* The last line is a notice as well, so it takes the place of one. */
void ptx_github_finish(Github *github, Out *out)
{
    uint64_t more = 0;
    Shown shown = { .count = 0 };
    for (int severity = PTXLINT_ERROR; severity >= PTXLINT_NOTE; severity--) {
        Keep *keep = &github->keeps[severity];
        if (severity == PTXLINT_NOTE && (more || keep->seen > keep->limit))
            keep->limit = SHOWN_EACH - 1;
        ptx_top_k_close(keep);
        for (size_t i = 0; i < keep->count; i++)
            if (!take_shown(&shown, &keep->items[i]) && out->status == PTXLINT_OK)
                out->status = PTXLINT_NO_MEMORY;
        more += keep->seen - keep->count;
    }
    put_annotations(out, &shown);
    if (more)
        ptx_out_format(out, "::notice title=ptxlint::%" PRIu64 " more not annotated\n", more);
}
