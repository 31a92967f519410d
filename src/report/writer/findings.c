/* findings.c -- the findings of a module, in each format. */
#include "report/writer/writer.h"

#include <string.h>

/* What only documents for programs contain. */
static bool has_suppressed(ptxlint_format format)
{
    return format == PTXLINT_JSON || format == PTXLINT_JSONL || format == PTXLINT_SARIF;
}

static ptxlint_status write_finding(ptxlint_writer *writer, const Finding *finding, Out *out,
                                    bool *has_item)
{
    switch (writer->options.format) {
    case PTXLINT_TEXT:
        (writer->options.verbose ? ptx_text_diagnostic : ptx_text_short)(out, finding);
        break;
    case PTXLINT_ONELINE:       ptx_text_oneline(out, finding); break;
    case PTXLINT_JSON:
        ptx_out_separator(out, has_item), ptx_json_diagnostic(out, finding);
        break;
    case PTXLINT_JSONL:         ptx_json_diagnostic(out, finding), ptx_out_text(out, "\n"); break;
    case PTXLINT_CSV:           ptx_csv_finding(out, finding); break;
    case PTXLINT_GITLAB:
        ptx_out_separator(out, has_item), ptx_gitlab_finding(out, finding);
        break;
    case PTXLINT_RDJSON:
        ptx_out_separator(out, has_item), ptx_rdjson_finding(out, finding);
        break;
    case PTXLINT_RDJSONL:       ptx_rdjson_finding(out, finding), ptx_out_text(out, "\n"); break;
    case PTXLINT_JUNIT:         ptx_junit_finding(out, finding); break;
    case PTXLINT_CHECKSTYLE:    return ptx_checkstyle_finding(&writer->xml, out, finding);
    case PTXLINT_SARIF:         return ptx_sarif_add(writer->sarif, finding);
    case PTXLINT_GITHUB:        return ptx_github_add(writer->github, finding);
    case PTXLINT_MARKDOWN:      return ptx_markdown_add(writer->markdown, finding);
    case PTXLINT_HTML: case PTXLINT_DOT: case PTXLINT_SVG: break;
    }
    return PTXLINT_OK;
}

/* What is written below one that it is like is not; nor are notes of a rule that has many. */
static ptxlint_status is_first_written(ptxlint_writer *writer, Finding *finding, bool *is_first)
{
    enum { TEXT_OF_RULE_MAX = 20 };
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    ptxlint_status status = PTXLINT_OK;
    *is_first = true;
    if (writer->once)
        status = ptx_once_add(writer->once, finding, &finding->cause, is_first);
    bool is_note = diagnostic->severity == PTXLINT_NOTE;
    if (status != PTXLINT_OK || !*is_first || !is_note || writer->options.show_all
        || writer->options.format != PTXLINT_TEXT)
        return status;
    uint32_t times = ptx_hash_counts_add(&writer->rule_counts, ptx_rule_hash(diagnostic->rule));
    *is_first = times <= TEXT_OF_RULE_MAX;
    writer->totals.hidden_counts[diagnostic->severity] += !*is_first;
    return times ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

static ptxlint_status add_diagnostic(ptxlint_writer *writer, const ptxlint_diagnostic *diagnostic,
                                     Out *out, bool *has_item)
{
    Finding finding;
    bool is_first = false;
    ptxlint_status status = ptx_finding_open(&writer->locator, diagnostic, &finding);
    if (status == PTXLINT_OK)
        status = is_first_written(writer, &finding, &is_first);
    if (status == PTXLINT_OK && is_first) {
        writer->totals.counts[diagnostic->severity]++;
        status = write_finding(writer, &finding, out, has_item);
    }
    ptx_finding_close(&finding);
    return status;
}

static bool is_worth_showing(ptxlint_writer *writer, const ptxlint_module *module,
                      const ptxlint_diagnostic *diagnostic)
{
    bool is_all = has_suppressed(writer->options.format);
    if (!(is_all ? ptx_writer_has_finding : ptx_writer_shows)(&writer->options, diagnostic))
        return false;
    bool is_hidden = ptx_writer_is_slight(&writer->options, module, diagnostic);
    writer->totals.hidden_counts[diagnostic->severity] += is_hidden;
    return !is_hidden;
}

void ptx_writer_add_diagnostics(ptxlint_writer *writer, const ptxlint_module *module, Out *out,
                                bool *has_item)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    ptxlint_status status = ptx_locator_begin(&writer->locator, module);
    for (size_t i = 0; i < count && out->status == PTXLINT_OK && status == PTXLINT_OK; i++)
        if (is_worth_showing(writer, module, &diagnostics[i]))
            status = add_diagnostic(writer, &diagnostics[i], out, has_item);
    if (status != PTXLINT_OK && out->status == PTXLINT_OK)
        out->status = status;
}

/* Its head counts what is in it. */
static void add_suite(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t counts[4];
    memcpy(counts, writer->totals.counts, sizeof counts);
    writer->late_bytes.length = 0;
    ptx_writer_add_diagnostics(writer, module, &writer->late, &writer->has_item);
    ptx_out_flush(&writer->late);
    for (int severity = 0; severity < 4; severity++)
        counts[severity] = writer->totals.counts[severity] - counts[severity];
    ptx_junit_begin(&writer->out, ptxlint_module_get_info(module)->path, counts);
    ptx_out_bytes(&writer->out, writer->late_bytes.bytes, writer->late_bytes.length);
    ptx_junit_end(&writer->out);
    if (writer->late.status != PTXLINT_OK && writer->out.status == PTXLINT_OK)
        writer->out.status = writer->late.status;
}

void ptx_writer_add_findings(ptxlint_writer *writer, const ptxlint_module *module)
{
    ptxlint_status status = ptx_writer_count(&writer->totals, module, &writer->options);
    if (status != PTXLINT_OK && writer->out.status == PTXLINT_OK)
        writer->out.status = status;
    if (writer->sarif)
        ptx_sarif_begin(writer->sarif, module);
    if (writer->options.format == PTXLINT_JUNIT)
        add_suite(writer, module);
    else
        ptx_writer_add_diagnostics(writer, module, &writer->out, &writer->has_item);
}
