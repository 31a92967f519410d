#include "report/sarif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 8 };             /* to other places that a message has */

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* RFC 3986: all but what stands for itself anywhere in a path. */
static json_t *uri_value(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    Out out;
    Buffer buffer = { 0 };
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    ptx_out_text(&out, *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (strchr(plain, *path))
            ptx_out_bytes(&out, path, 1);
        else
            ptx_out_format(&out, "%%%02X", (unsigned)(unsigned char)*path);
    return ptx_sarif_text(&out, &buffer);
}

static json_t *artifact_value(const char *path)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "uri", uri_value(path));
    if (*path != '/')
        ptx_json_set(&json, "uriBaseId", json_string("%SRCROOT%"));
    return ptx_json_finish(&json);
}

static json_t *region_value(const Region *region)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "startLine", json_integer(region->line));
    ptx_json_set(&json, "startColumn", json_integer(region->column));
    ptx_json_set(&json, "endLine", json_integer(region->end_line));
    ptx_json_set(&json, "endColumn", json_integer(region->end_column));
    return ptx_json_finish(&json);
}

static json_t *physical_value(const char *path, const Region *region)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "artifactLocation", artifact_value(path));
    ptx_json_set(&json, "region", region_value(region));
    return ptx_json_finish(&json);
}

static json_t *logical_value(const char *kernel)
{
    Json all = ptx_json_make(json_array()), json = ptx_json_make(json_object());
    ptx_json_set(&json, "name", ptx_value_text(kernel));
    ptx_json_set(&json, "kind", json_string("function"));
    ptx_json_append(&all, ptx_json_finish(&json));
    return ptx_json_finish(&all);
}

/* One alone: GitHub looks at no other. */
static json_t *locations_value(const Finding *finding)
{
    const char *kernel = finding->diagnostic->kernel;
    Json all = ptx_json_make(json_array()), json = ptx_json_make(json_object());
    ptx_json_set(&json, "physicalLocation", physical_value(finding->path, &finding->region));
    if (kernel && *kernel)
        ptx_json_set(&json, "logicalLocations", logical_value(kernel));
    ptx_json_append(&all, ptx_json_finish(&json));
    return ptx_json_finish(&all);
}

static json_t *related_location(size_t id, const char *path, const Region *region, const char *message)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "id", json_integer((json_int_t)id));
    ptx_json_set(&json, "physicalLocation", physical_value(path, region));
    ptx_json_set(&json, "message", ptx_sarif_message(message, "another place"));
    return ptx_json_finish(&json);
}

/* The place that is not primary, where there are two, has id 1; then those of the rule, in order. */
static json_t *related_value(const Finding *finding, bool *is_cut)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    size_t id = 0;
    Json all = ptx_json_make(json_array());
    if (finding->is_source)
        ptx_json_append(&all, related_location(++id, finding->ptx_path, &finding->ptx, "the PTX instruction"));
    else if (finding->source.path)
        ptx_json_append(&all, related_location(++id, finding->source.path, &finding->source.region, "the CUDA line"));
    for (size_t i = 0; i < diagnostic->related_count; i++) {
        const ptxlint_related *related = &diagnostic->related[i];
        if (!related->span.end)
            continue;
        if (id == SARIF_LOCATIONS) {
            *is_cut = true;
            break;
        }
        Region region = ptx_region_of(&finding->locator->columns, finding->module, related->span);
        ptx_json_append(&all, related_location(++id, finding->ptx_path, &region, related->message));
    }
    return ptx_json_finish(&all);
}

/* ---- the message: plain text with links, SARIF 3.11.6 ------------------------------------------------------------ */

/* is_link: between the brackets of a link. Elsewhere a bracket stands for itself but where it would make a link. */
static void put_text(Out *out, const char *text, bool is_link)
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

static void put_sentence(Out *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    ptx_out_text(out, before);
    put_text(out, text, false);
    if (!ends_sentence(text))
        ptx_out_text(out, ".");
}

static void put_link(Out *out, const char *text, size_t id)
{
    ptx_out_text(out, "[");
    put_text(out, text, true);
    ptx_out_format(out, "](%zu)", id);
}

/* Ids as in related_value. */
static void put_links(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    size_t id = 0, linked = 0;
    if (finding->source.path) {
        ptx_out_text(out, " See ");
        put_link(out, finding->is_source ? "the PTX instruction" : "the CUDA line", ++id);
        ptx_out_text(out, ".");
    }
    for (size_t i = 0; i < diagnostic->related_count && id < SARIF_LOCATIONS && linked < LINKS; i++)
        if (diagnostic->related[i].span.end) {
            const char *text = diagnostic->related[i].message;
            ptx_out_text(out, linked++ ? ", " : " Also ");
            put_link(out, text && *text ? text : "another place", ++id);
        }
    if (linked)
        ptx_out_text(out, ".");
}

static void put_remarks(Out *out, const ptxlint_diagnostic *diagnostic)
{
    for (size_t i = 0; i < diagnostic->related_count; i++)
        if (!diagnostic->related[i].span.end)
            put_sentence(out, " Note: ", diagnostic->related[i].message);
    put_sentence(out, " Help: ", diagnostic->help);
    if (ptx_report_has_gain(diagnostic))
        ptx_out_format(out, " Gain: about %.0f %% of the %s.", diagnostic->gain_percent, diagnostic->gain_of);
    if (diagnostic->repeat_count)
        ptx_out_format(out, " And %" PRIu32 " similar in this %s.", diagnostic->repeat_count, diagnostic->kernel ? "kernel" : "file");
}

static json_t *text_value(const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    const char *message = *diagnostic->message ? diagnostic->message : diagnostic->name;
    bool has_label = diagnostic->label && *diagnostic->label;
    Out out;
    Buffer buffer = { 0 };
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    put_text(&out, message, false);
    if (has_label) {
        ptx_out_text(&out, " (");
        put_text(&out, diagnostic->label, false);
        ptx_out_text(&out, ")");
    }
    if (has_label || !ends_sentence(message))
        ptx_out_text(&out, ".");
    put_links(&out, finding);
    put_remarks(&out, diagnostic);
    return ptx_sarif_text(&out, &buffer);
}

static json_t *message_value(const Finding *finding)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "text", text_value(finding));
    return ptx_json_finish(&json);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static json_t *fingerprints_value(const Finding *finding, const char *line_hash)
{
    char own[40];
    snprintf(own, sizeof own, "%016" PRIx64 ":%" PRIu32, finding->hash, finding->ordinal);
    Json json = ptx_json_make(json_object());
    if (*line_hash)
        ptx_json_set(&json, "primaryLocationLineHash", json_string(line_hash));
    ptx_json_set(&json, "ptxlint/v1", json_string(own));
    return ptx_json_finish(&json);
}

static void append_replacement(Json *all, const Region *region, const char *text)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "deletedRegion", region_value(region));
    if (*text)
        ptx_json_set(&json, "insertedContent", ptx_sarif_message(text, ""));
    ptx_json_append(all, ptx_json_finish(&json));
}

/* Statements on lines of their own. */
static void append_insertions(Json *all, const ptxlint_diagnostic *diagnostic)
{
    char line[256];
    for (size_t i = 0; i < diagnostic->repair_count; i++) {
        const Region region = { .line = diagnostic->repair[i].line, .column = 1, .end_line = diagnostic->repair[i].line, .end_column = 1 };
        snprintf(line, sizeof line, "%s\n", diagnostic->repair[i].text);
        append_replacement(all, &region, line);
    }
}

/* SARIF 3.55: what is deleted may be empty, then the text is inserted there. */
static json_t *fixes_value(const Finding *finding)
{
    const ptxlint_fix *fix = finding->diagnostic->fix;
    Json all = ptx_json_make(json_array()), json = ptx_json_make(json_object());
    Json changes = ptx_json_make(json_array()), change = ptx_json_make(json_object()), replacements = ptx_json_make(json_array());
    if (fix) {
        Region region = ptx_region_of(&finding->locator->columns, finding->module, fix->span);
        append_replacement(&replacements, &region, fix->replacement);
    } else {
        append_insertions(&replacements, finding->diagnostic);
    }
    ptx_json_set(&change, "artifactLocation", artifact_value(finding->ptx_path));
    ptx_json_set(&change, "replacements", ptx_json_finish(&replacements));
    ptx_json_append(&changes, ptx_json_finish(&change));
    ptx_json_set(&json, "description", ptx_sarif_message(finding->diagnostic->help, "the edit that repairs it"));
    ptx_json_set(&json, "artifactChanges", ptx_json_finish(&changes));
    ptx_json_append(&all, ptx_json_finish(&json));
    return ptx_json_finish(&all);
}

/* [] says that it is not silenced; where it were absent, nobody would know (SARIF 3.27.23). */
static json_t *suppressions_value(const ptxlint_diagnostic *diagnostic)
{
    Json all = ptx_json_make(json_array()), json = ptx_json_make(json_object());
    bool is_inline = diagnostic->suppression == PTXLINT_SUPPRESSED_INLINE;
    const char *reason = diagnostic->suppression_reason;
    ptx_json_set(&json, "kind", json_string(is_inline ? "inSource" : "external"));
    if (reason && *reason)
        ptx_json_set(&json, "justification", ptx_value_text(reason));
    json_t *value = ptx_json_finish(&json);
    if (diagnostic->suppression == PTXLINT_NOT_SUPPRESSED)
        json_decref(value);
    else
        ptx_json_append(&all, value);
    return ptx_json_finish(&all);
}

static json_t *properties_value(const ptxlint_diagnostic *diagnostic)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(diagnostic->certainty)));
    ptx_json_set(&json, "gainPercent", ptx_value_real(diagnostic->gain_percent));
    ptx_json_set(&json, "gainOf", ptx_value_text(diagnostic->gain_of));
    ptx_json_set(&json, "repeats", json_integer(diagnostic->repeat_count));
    return ptx_json_finish(&json);
}

void ptx_sarif_result(Out *out, const Finding *finding, const char *line_hash, bool *is_cut)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "level", json_string(ptx_report_severity(diagnostic->severity)));
    ptx_json_set(&json, "message", message_value(finding));
    ptx_json_set(&json, "locations", locations_value(finding));
    ptx_json_set(&json, "relatedLocations", related_value(finding, is_cut));
    if (diagnostic->fix || diagnostic->repair_count)
        ptx_json_set(&json, "fixes", fixes_value(finding));
    ptx_json_set(&json, "partialFingerprints", fingerprints_value(finding, line_hash));
    ptx_json_set(&json, "suppressions", suppressions_value(diagnostic));
    ptx_json_set(&json, "properties", properties_value(diagnostic));
    ptx_json_dump(out, &json, JSON_EMBED);
}
