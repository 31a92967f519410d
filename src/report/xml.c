/* Checkstyle's and JUnit's XML, which neither of them has a standard for: what Jenkins, GitLab,
 * reviewdog and others read of it. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *entity_of(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default:  return NULL;
    }
}

/* An attribute's value. Control characters, which XML cannot hold, are shown as on a terminal. */
static void put_xml_escaped(Out *out, const char *text)
{
    for (size_t left = strlen(text); left;) {
        Glyph glyph = ptx_glyph_read(text, left, 0);
        for (uint8_t i = 0; i < glyph.length; i++) {
            const char *entity = entity_of(glyph.text[i]);
            if (entity)
                ptx_out_text(out, entity);
            else
                ptx_out_bytes(out, &glyph.text[i], 1);
        }
        text += glyph.source_bytes;
        left -= glyph.source_bytes;
    }
}

static void put_attribute(Out *out, const char *name, const char *value)
{
    ptx_out_format(out, " %s=\"", name);
    put_xml_escaped(out, value);
    ptx_out_text(out, "\"");
}

void ptx_xml_head(Out *out, ptxlint_format format)
{
    ptx_out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    ptx_out_text(out, format == PTXLINT_CHECKSTYLE ? "<checkstyle version=\"4.3\">\n"
                                                   : "<testsuites name=\"ptxlint\">\n");
}

void ptx_xml_tail(Out *out, ptxlint_format format)
{
    ptx_out_text(out, format == PTXLINT_CHECKSTYLE ? "</checkstyle>\n" : "</testsuites>\n");
}

/* ---- Checkstyle: findings in one file that follow each other are in one element -------------- */

void ptx_checkstyle_close(Xml *xml, Out *out)
{
    if (xml->file)
        ptx_out_text(out, "</file>\n");
    free(xml->file);
    xml->file = NULL;
}

static bool file_open(Xml *xml, Out *out, const char *path)
{
    if (xml->file && !strcmp(xml->file, path))
        return true;
    ptx_checkstyle_close(xml, out);
    xml->file = strdup(path);
    ptx_out_text(out, "<file");
    put_attribute(out, "name", path);
    ptx_out_text(out, ">\n");
    return xml->file;
}

ptxlint_status ptx_checkstyle_finding(Xml *xml, Out *out, const Finding *finding)
{
    static const char *const severities[] = { "", "info", "warning", "error" };
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    if (!file_open(xml, out, finding->path))
        return PTXLINT_NO_MEMORY;
    ptx_out_format(out, "<error line=\"%" PRIu32 "\" column=\"%" PRIu32 "\" severity=\"%s\"",
                   finding->region.line, finding->region.column, severities[diagnostic->severity]);
    ptx_out_text(out, " message=\"");
    put_xml_escaped(out, diagnostic->message);
    ptx_out_others(out, finding, "; ");
    ptx_out_text(out, "\"");
    ptx_out_text(out, " source=\"ptxlint.");
    put_xml_escaped(out, diagnostic->rule);
    ptx_out_text(out, "\"/>\n");
    return PTXLINT_OK;
}

/* ---- JUnit: a suite for each PTX file, a case for each finding; a note fails nothing --------- */

/* Several readers take a suite without a case for a failure. */
void ptx_junit_begin(Out *out, const char *path, const size_t counts[4])
{
    size_t failed = counts[PTXLINT_WARNING] + counts[PTXLINT_ERROR],
           all = failed + counts[PTXLINT_NOTE];
    ptx_out_text(out, "<testsuite");
    put_attribute(out, "name", path);
    ptx_out_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
                   all ? all : 1, failed);
    if (all)
        return;
    ptx_out_text(out, "<testcase");
    put_attribute(out, "classname", path);
    ptx_out_text(out, " name=\"ptxlint\"/>\n");
}

static void put_xml_place(Out *out, const Finding *finding)
{
    put_xml_escaped(out, finding->path);
    ptx_out_format(out, ":%" PRIu32 ":%" PRIu32, finding->region.line, finding->region.column);
}

/* What a failure says below its message. */
static void put_details(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    put_xml_place(out, finding);
    ptx_out_format(out, ": %s: ", ptx_report_severity(diagnostic->severity));
    put_xml_escaped(out, diagnostic->message);
    if (finding->is_source) {
        ptx_out_text(out, "\nPTX: ");
        put_xml_escaped(out, finding->ptx_path);
        ptx_out_format(out, ":%" PRIu32 ":%" PRIu32, finding->ptx.line, finding->ptx.column);
    }
    if (diagnostic->kernel) {
        ptx_out_text(out, "\nkernel: ");
        put_xml_escaped(out, ptx_kernel_title(diagnostic->kernel).text);
    }
    if (diagnostic->help) {
        ptx_out_text(out, "\nhelp: ");
        put_xml_escaped(out, diagnostic->help);
    }
    ptx_out_others(out, finding, "\n");
}

void ptx_junit_finding(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    bool is_failure = diagnostic->severity != PTXLINT_NOTE;
    ptx_out_text(out, "<testcase");
    put_attribute(out, "classname", finding->path);
    ptx_out_text(out, " name=\"");
    put_xml_escaped(out, diagnostic->rule);
    ptx_out_text(out, " ");
    put_xml_escaped(out, diagnostic->name);
    ptx_out_format(out, " at %" PRIu32 ":%" PRIu32 "\">", finding->region.line,
                   finding->region.column);
    if (is_failure) {
        ptx_out_format(out, "<failure type=\"%s\"", ptx_report_severity(diagnostic->severity));
        put_attribute(out, "message", diagnostic->message);
        ptx_out_text(out, ">");
    } else {
        ptx_out_text(out, "<system-out>");
    }
    put_details(out, finding);
    ptx_out_text(out, is_failure ? "</failure></testcase>\n" : "</system-out></testcase>\n");
}

void ptx_junit_end(Out *out)
{
    ptx_out_text(out, "</testsuite>\n");
}
