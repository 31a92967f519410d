#include "report/sarif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 8 };             /* to other places that a message has */

/* ---- places ---------------------------------------------------------------------------------- */

/* RFC 3986: all but what stands for itself anywhere in a path. */
static void put_uri(Json *json, const char *key, const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    Out out;
    Buffer buffer = { 0 };
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    ptx_out_text(&out, *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (strchr(plain, *path))
            ptx_out_bytes(&out, path, 1);
        else
            ptx_out_format(&out, "%%%02X", (unsigned)(unsigned char)*path);
    ptx_sarif_text(json, key, &out, &buffer);
}

static void put_artifact(Json *json, const char *key, const char *path)
{
    ptx_json_object(json, key);
    put_uri(json, "uri", path);
    if (*path != '/')
        ptx_json_text(json, "uriBaseId", "%SRCROOT%");
    ptx_json_end(json);
}

static void put_region(Json *json, const char *key, const Region *region)
{
    ptx_json_object(json, key);
    ptx_json_int(json, "startLine", region->line);
    ptx_json_int(json, "startColumn", region->column);
    ptx_json_int(json, "endLine", region->end_line);
    ptx_json_int(json, "endColumn", region->end_column);
    ptx_json_end(json);
}

static void put_physical(Json *json, const char *key, const char *path, const Region *region)
{
    ptx_json_object(json, key);
    put_artifact(json, "artifactLocation", path);
    put_region(json, "region", region);
    ptx_json_end(json);
}

static void put_logical(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    ptx_json_array(json, key);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "name", diagnostic->kernel);
    if (diagnostic->kernel_demangled) {
        ptx_json_text(json, "fullyQualifiedName", diagnostic->kernel_demangled);
        ptx_json_text(json, "decoratedName", diagnostic->kernel);
    }
    ptx_json_text(json, "kind", "function");
    ptx_json_end(json);
    ptx_json_end(json);
}

/* One alone: GitHub looks at no other. */
static void put_locations(Json *json, const char *key, const Finding *finding)
{
    const char *kernel = finding->diagnostic->kernel;
    ptx_json_array(json, key);
    ptx_json_object(json, NULL);
    put_physical(json, "physicalLocation", finding->path, &finding->region);
    if (kernel && *kernel)
        put_logical(json, "logicalLocations", finding->diagnostic);
    ptx_json_end(json);
    ptx_json_end(json);
}

static void put_sarif_related_location(Json *json, const char *key, size_t id, const char *path,
                                       const Region *region, const char *message)
{
    ptx_json_object(json, key);
    ptx_json_int(json, "id", (int64_t)id);
    put_physical(json, "physicalLocation", path, region);
    ptx_sarif_message(json, "message", message, "another place");
    ptx_json_end(json);
}

/* The place that is not primary, where there are two, has id 1; then those of the rule, in
 * order. */
static void put_sarif_related(Json *json, const char *key, const Finding *finding, bool *is_cut)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    size_t id = 0;
    ptx_json_array(json, key);
    if (finding->is_source)
        put_sarif_related_location(json, NULL, ++id, finding->ptx_path, &finding->ptx,
                                   "the PTX instruction");
    else if (finding->source.path)
        put_sarif_related_location(json, NULL, ++id, finding->source.path, &finding->source.region,
                                   "the CUDA line");
    for (size_t i = 0; i < diagnostic->related_count; i++) {
        const ptxlint_related *related = &diagnostic->related[i];
        if (!related->span.end)
            continue;
        if (id == SARIF_LOCATIONS) {
            *is_cut = true;
            break;
        }
        Region region = ptx_region_of(&finding->locator->columns, finding->module, related->span);
        put_sarif_related_location(json, NULL, ++id, finding->ptx_path, &region, related->message);
    }
    ptx_json_end(json);
}

/* ---- the message: plain text with links, SARIF 3.11.6 ---------------------------------------- */

/* is_link: between the brackets of a link. Elsewhere a bracket stands for itself but where it would
 * make a link. */
static void add_text(Out *out, const char *text, bool is_link)
{
    bool is_escaped = is_link || strstr(text, "](");
    for (; *text; text++) {
        if (is_escaped && strchr("[]\\", *text))
            ptx_out_text(out, "\\");
        ptx_out_bytes(out, *text == '\n' || *text == '\r' ? " " : text, 1);
    }
}

static bool ends_sentence(const char *text)
{
    return *text && strchr(".?!", text[strlen(text) - 1]);
}

static void add_sentence(Out *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    ptx_out_text(out, before);
    add_text(out, text, false);
    if (!ends_sentence(text))
        ptx_out_text(out, ".");
}

static void add_sarif_link(Out *out, const char *text, size_t id)
{
    ptx_out_text(out, "[");
    add_text(out, text, true);
    ptx_out_format(out, "](%zu)", id);
}

/* Ids as in related_value. */
static void add_links(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    size_t id = 0, linked = 0;
    if (finding->source.path) {
        ptx_out_text(out, " See ");
        add_sarif_link(out, finding->is_source ? "the PTX instruction" : "the CUDA line", ++id);
        ptx_out_text(out, ".");
    }
    for (size_t i = 0; i < diagnostic->related_count && id < SARIF_LOCATIONS && linked < LINKS; i++)
        if (diagnostic->related[i].span.end) {
            const char *text = diagnostic->related[i].message;
            ptx_out_text(out, linked++ ? ", " : " Also ");
            add_sarif_link(out, text && *text ? text : "another place", ++id);
        }
    if (linked)
        ptx_out_text(out, ".");
}

static void add_remarks(Out *out, const ptxlint_diagnostic *diagnostic)
{
    for (size_t i = 0; i < diagnostic->related_count; i++)
        if (!diagnostic->related[i].span.end)
            add_sentence(out, " Note: ", diagnostic->related[i].message);
    add_sentence(out, " Help: ", diagnostic->help);
    if (ptx_report_has_gain(diagnostic))
        ptx_out_format(out, " Gain: %s %.0f %% of the %s.", ptx_report_gain_measure(diagnostic),
                       diagnostic->gain_percent, diagnostic->gain_of);
    if (diagnostic->repeat_count)
        ptx_out_format(out, " And %" PRIu32 " similar in this %s.", diagnostic->repeat_count,
                       diagnostic->kernel ? "kernel" : "file");
}

static void put_text(Json *json, const char *key, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    const char *message = *diagnostic->message ? diagnostic->message : diagnostic->name;
    bool has_label = diagnostic->label && *diagnostic->label;
    Out out;
    Buffer buffer = { 0 };
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    add_text(&out, message, false);
    if (has_label) {
        ptx_out_text(&out, " (");
        add_text(&out, diagnostic->label, false);
        ptx_out_text(&out, ")");
    }
    if (has_label || !ends_sentence(message))
        ptx_out_text(&out, ".");
    add_links(&out, finding);
    add_remarks(&out, diagnostic);
    ptx_sarif_text(json, key, &out, &buffer);
}

static void put_sarif_message(Json *json, const char *key, const Finding *finding)
{
    ptx_json_object(json, key);
    put_text(json, "text", finding);
    ptx_json_end(json);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void put_fingerprints(Json *json, const char *key, const Finding *finding,
                             const char *line_hash)
{
    char own[40];
    snprintf(own, sizeof own, "%016" PRIx64 ":%" PRIu32, finding->hash, finding->ordinal);
    ptx_json_object(json, key);
    if (*line_hash)
        ptx_json_text(json, "primaryLocationLineHash", line_hash);
    ptx_json_text(json, "ptxlint/v1", own);
    ptx_json_end(json);
}

static void put_replacement(Json *json, const Region *region, const char *text)
{
    ptx_json_object(json, NULL);
    put_region(json, "deletedRegion", region);
    if (*text)
        ptx_sarif_message(json, "insertedContent", text, "");
    ptx_json_end(json);
}

/* Statements on lines of their own. */
static void put_insertions(Json *json, const ptxlint_diagnostic *diagnostic)
{
    char line[256];
    for (size_t i = 0; i < diagnostic->repair_count; i++) {
        const Region region = { .line = diagnostic->repair[i].line,
                                .column = 1,
                                .end_line = diagnostic->repair[i].line,
                                .end_column = 1 };
        snprintf(line, sizeof line, "%s\n", diagnostic->repair[i].text);
        put_replacement(json, &region, line);
    }
}

/* SARIF 3.55: what is deleted may be empty, then the text is inserted there. */
static void put_changes(Json *json, const char *key, const Finding *finding)
{
    const ptxlint_fix *fix = finding->diagnostic->fix;
    ptx_json_array(json, key);
    ptx_json_object(json, NULL);
    put_artifact(json, "artifactLocation", finding->ptx_path);
    ptx_json_array(json, "replacements");
    if (fix) {
        Region region = ptx_region_of(&finding->locator->columns, finding->module, fix->span);
        put_replacement(json, &region, fix->replacement);
    } else {
        put_insertions(json, finding->diagnostic);
    }
    ptx_json_end(json);
    ptx_json_end(json);
    ptx_json_end(json);
}

static void put_fixes(Json *json, const char *key, const Finding *finding)
{
    ptx_json_array(json, key);
    ptx_json_object(json, NULL);
    ptx_sarif_message(json, "description", finding->diagnostic->help, "the edit that repairs it");
    put_changes(json, "artifactChanges", finding);
    ptx_json_end(json);
    ptx_json_end(json);
}

static void put_sarif_suppression(Json *json, const ptxlint_diagnostic *diagnostic)
{
    bool is_inline = diagnostic->suppression == PTXLINT_SUPPRESSED_INLINE;
    const char *reason = diagnostic->suppression_reason;
    ptx_json_object(json, NULL);
    ptx_json_text(json, "kind", is_inline ? "inSource" : "external");
    if (reason && *reason)
        ptx_json_text(json, "justification", reason);
    ptx_json_end(json);
}

/* [] says that it is not suppressed; were it absent, this would be unknown (SARIF 3.27.23). */
static void put_suppressions(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    ptx_json_array(json, key);
    if (diagnostic->suppression != PTXLINT_NOT_SUPPRESSED)
        put_sarif_suppression(json, diagnostic);
    ptx_json_end(json);
}

static void put_properties(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "certainty", ptx_report_certainty(diagnostic->certainty));
    ptx_json_real(json, "gainPercent", diagnostic->gain_percent);
    ptx_json_text(json, "gainOf", diagnostic->gain_of);
    ptx_json_int(json, "repeats", diagnostic->repeat_count);
    ptx_json_end(json);
}

/* Results of one rule in one CUDA line have the same; as a UUID of version 5 is written. */
static void put_correlation(Json *json, const char *key, const Finding *finding)
{
    char text[40];
    uint64_t hash = ptx_cause_hash(finding), rest = ptx_hash_mix(hash);
    if (!hash)
        return;
    snprintf(text, sizeof text, "%08x-%04x-5%03x-8%03x-%012" PRIx64, (unsigned)(hash >> 32),
             (unsigned)(hash >> 16 & 0xffff), (unsigned)(hash & 0xfff),
             (unsigned)(rest >> 48 & 0xfff), rest & UINT64_C(0xffffffffffff));
    ptx_json_text(json, key, text);
}

void ptx_sarif_result(Out *out, const Finding *finding, const char *line_hash, bool *is_cut)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_text(json, "level", ptx_report_severity(diagnostic->severity));
    put_sarif_message(json, "message", finding);
    put_locations(json, "locations", finding);
    put_sarif_related(json, "relatedLocations", finding, is_cut);
    if (diagnostic->fix || diagnostic->repair_count)
        put_fixes(json, "fixes", finding);
    put_correlation(json, "correlationGuid", finding);
    put_fingerprints(json, "partialFingerprints", finding, line_hash);
    put_suppressions(json, "suppressions", diagnostic);
    put_properties(json, "properties", diagnostic);
}
