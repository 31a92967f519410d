#include "report/sarif.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------------------------------------- */

json_t *ptx_sarif_message(const char *text, const char *other)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "text", ptx_value_text(text && *text ? text : other));
    return ptx_json_finish(&json);
}

json_t *ptx_sarif_text(Out *out, Buffer *buffer)
{
    ptx_out_bytes(out, "", 1);          /* the NUL */
    ptx_out_flush(out);
    json_t *value = out->status == PTXLINT_OK ? ptx_value_text(buffer->bytes) : NULL;
    free(buffer->bytes);
    *buffer = (Buffer){ 0 };
    return value;
}

/* The first length bytes, line ends as blanks, cut where a description may not be longer. */
static json_t *description_value(const char *text, size_t length)
{
    static const char dots[] = "...";
    char line[SARIF_TEXT_BYTES + 1];
    bool is_cut = length > SARIF_TEXT_BYTES;
    if (is_cut)
        for (length = SARIF_TEXT_BYTES - strlen(dots); ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;                   /* not within a character */
    for (size_t i = 0; i < length; i++)
        line[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    memcpy(line + length, is_cut ? dots : "", is_cut ? sizeof dots : 1);
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "text", ptx_value_text(line));
    return ptx_json_finish(&json);
}

/* The first paragraph. */
static json_t *full_description(const ptxlint_rule *rule)
{
    const char *doc = rule->doc ? rule->doc : "";
    const char *end = strstr(doc, "\n\n");
    size_t length = end ? (size_t)(end - doc) : strlen(doc);
    while (length && doc[length - 1] == '\n')
        length--;
    if (length && *doc != '#')
        return description_value(doc, length);
    const char *text = rule->summary && *rule->summary ? rule->summary : rule->name;
    return description_value(text, strlen(text));
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

static void put_code(Out *out, const char *title, const char *language, const char *code)
{
    if (!code)
        return;
    ptx_out_format(out, "\n%s:\n\n```%s\n", title, language);
    ptx_out_text(out, code);
    ptx_out_text(out, *code && code[strlen(code) - 1] == '\n' ? "```\n" : "\n```\n");
}

static void put_example(Out *out, const ptxlint_example *example)
{
    if (example->title && *example->title) {
        ptx_out_text(out, "\n### ");
        ptx_out_text(out, example->title);
        ptx_out_text(out, "\n");
    }
    put_code(out, "CUDA with a finding", "cuda", example->cuda_bad);
    put_code(out, "PTX with a finding", "ptx", example->bad);
    put_code(out, "Better CUDA", "cuda", example->cuda_good);
    put_code(out, "Better PTX", "ptx", example->good);
}

static void put_sources(Out *out, const ptxlint_rule *rule)
{
    if (rule->source_count)
        ptx_out_text(out, "\n## Sources\n\n");
    for (size_t i = 0; i < rule->source_count; i++) {
        ptx_out_text(out, "- ");
        ptx_out_text(out, rule->sources[i]);
        ptx_out_text(out, "\n");
    }
}

static json_t *markdown_value(const ptxlint_rule *rule)
{
    Out out;
    Buffer buffer = { 0 };
    ptx_out_init(&out, ptx_buffer_write, &buffer);
    ptx_out_format(&out, "# %s %s\n\n", rule->code, rule->name);
    ptx_out_text(&out, rule->summary ? rule->summary : "");
    ptx_out_text(&out, "\n\n");
    ptx_out_text(&out, rule->doc ? rule->doc : "");
    if (rule->example_count)
        ptx_out_text(&out, "\n## Examples\n");
    for (size_t i = 0; i < rule->example_count; i++)
        put_example(&out, &rule->examples[i]);
    put_sources(&out, rule);
    return ptx_sarif_text(&out, &buffer);
}

static json_t *help_value(const ptxlint_rule *rule)
{
    const char *summary = rule->summary && *rule->summary ? rule->summary : rule->name;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "text", ptx_value_text(rule->doc && *rule->doc ? rule->doc : summary));
    ptx_json_set(&json, "markdown", markdown_value(rule));
    return ptx_json_finish(&json);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static json_t *level_value(ptxlint_severity severity)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "level", json_string(ptx_report_severity(severity)));
    return ptx_json_finish(&json);
}

/* What is no more than estimated is medium: its text says what was assumed. */
static const char *precision(ptxlint_certainty certainty, bool is_front_end)
{
    if (is_front_end || certainty == PTXLINT_EXACT)
        return "very-high";
    return certainty == PTXLINT_BOUND ? "high" : certainty == PTXLINT_ESTIMATE ? "medium" : "low";
}

static json_t *properties_value(const char *group, const char *precise, ptxlint_severity severity)
{
    Json json = ptx_json_make(json_object()), tags = ptx_json_make(json_array());
    ptx_json_append(&tags, json_string("ptx"));
    if (*group)
        ptx_json_append(&tags, ptx_value_text(group));
    ptx_json_set(&json, "precision", json_string(precise));
    ptx_json_set(&json, "problem.severity", json_string(severity == PTXLINT_NOTE ? "recommendation" : ptx_report_severity(severity)));
    ptx_json_set(&json, "tags", ptx_json_finish(&tags));
    return ptx_json_finish(&json);
}

json_t *ptx_sarif_rule(const ptxlint_rule *rule)
{
    ptxlint_severity severity = (ptxlint_severity)rule->severity;
    const char *summary = rule->summary && *rule->summary ? rule->summary : rule->name;
    const char *precise = precision((ptxlint_certainty)rule->certainty, rule->is_front_end);
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "id", ptx_value_text(rule->code));
    ptx_json_set(&json, "name", ptx_value_text(rule->name));
    ptx_json_set(&json, "shortDescription", description_value(summary, strlen(summary)));
    ptx_json_set(&json, "fullDescription", full_description(rule));
    ptx_json_set(&json, "help", help_value(rule));
    ptx_json_set(&json, "defaultConfiguration", level_value(severity));
    ptx_json_set(&json, "properties", properties_value(rule->group, precise, severity));
    return ptx_json_finish(&json);
}

json_t *ptx_sarif_rule_of(const ptxlint_diagnostic *diagnostic)
{
    const char *message = *diagnostic->message ? diagnostic->message : diagnostic->name;
    const char *precise = precision(diagnostic->certainty, false);
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "id", ptx_value_text(diagnostic->rule));
    ptx_json_set(&json, "name", ptx_value_text(diagnostic->name));
    ptx_json_set(&json, "shortDescription", description_value(diagnostic->name, strlen(diagnostic->name)));
    ptx_json_set(&json, "fullDescription", description_value(message, strlen(message)));
    ptx_json_set(&json, "help", ptx_sarif_message(diagnostic->help, message));
    ptx_json_set(&json, "defaultConfiguration", level_value(diagnostic->severity));
    ptx_json_set(&json, "properties", properties_value(diagnostic->group, precise, diagnostic->severity));
    return ptx_json_finish(&json);
}
