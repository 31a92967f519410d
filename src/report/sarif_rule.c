#include "report/sarif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ----------------------------------------------------------------------------------- */

void ptx_sarif_message(Json *json, const char *key, const char *text, const char *other)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "text", text && *text ? text : other);
    ptx_json_end(json);
}

void ptx_sarif_text(Json *json, const char *key, Out *out, Buffer *buffer)
{
    ptx_out_bytes(out, "", 1);          /* the NUL */
    ptx_out_flush(out);
    if (out->status == PTXLINT_OK)
        ptx_json_text(json, key, buffer->bytes);
    else if (json->out->status == PTXLINT_OK)
        json->out->status = PTXLINT_NO_MEMORY;
    free(buffer->bytes);
    *buffer = (Buffer){ 0 };
}

/* The first length bytes, line ends as blanks, cut where a description may not be longer. */
static void put_description(Json *json, const char *key, const char *text, size_t length)
{
    static const char dots[] = "...";
    char line[SARIF_TEXT_BYTES + 1];
    bool is_cut = length > SARIF_TEXT_BYTES;
    if (is_cut)
        for (length = SARIF_TEXT_BYTES - strlen(dots);
             ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;                   /* not within a character */
    for (size_t i = 0; i < length; i++)
        line[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    line[length] = '\0';
    if (is_cut)
        memcpy(line + length, dots, sizeof dots);
    ptx_json_object(json, key);
    ptx_json_text(json, "text", line);
    ptx_json_end(json);
}

/* The first paragraph. */
static void put_full_description(Json *json, const char *key, const ptxlint_rule *rule)
{
    const char *doc = rule->doc ? rule->doc : "";
    const char *end = strstr(doc, "\n\n");
    size_t length = end ? (size_t)(end - doc) : strlen(doc);
    while (length && doc[length - 1] == '\n')
        length--;
    const char *text = rule->summary && *rule->summary ? rule->summary : rule->name;
    if (length && *doc != '#')
        put_description(json, key, doc, length);
    else
        put_description(json, key, text, strlen(text));
}

/* ---- help ------------------------------------------------------------------------------------ */

static void put_code(Out *out, const char *title, const char *language, const char *code)
{
    if (!code)
        return;
    ptx_out_format(out, "\n%s:\n\n```%s\n", title, language);
    ptx_out_text(out, code);
    ptx_out_text(out, *code && code[strlen(code) - 1] == '\n' ? "```\n" : "\n```\n");
}

static void put_sarif_rule_example(Out *out, const ptxlint_example *example)
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

static void put_sarif_rule_sources(Out *out, const ptxlint_rule *rule)
{
    if (rule->source_count)
        ptx_out_text(out, "\n## Sources\n\n");
    for (size_t i = 0; i < rule->source_count; i++) {
        ptx_out_text(out, "- ");
        ptx_out_text(out, rule->sources[i]);
        ptx_out_text(out, "\n");
    }
}

static void put_markdown(Json *json, const char *key, const ptxlint_rule *rule)
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
        put_sarif_rule_example(&out, &rule->examples[i]);
    put_sarif_rule_sources(&out, rule);
    ptx_sarif_text(json, key, &out, &buffer);
}

static void put_help(Json *json, const char *key, const ptxlint_rule *rule)
{
    const char *summary = rule->summary && *rule->summary ? rule->summary : rule->name;
    ptx_json_object(json, key);
    ptx_json_text(json, "text", rule->doc && *rule->doc ? rule->doc : summary);
    put_markdown(json, "markdown", rule);
    ptx_json_end(json);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void put_level(Json *json, const char *key, ptxlint_severity severity)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "level", ptx_report_severity(severity));
    ptx_json_end(json);
}

/* What is no more than estimated is medium: its text says what was assumed. */
static const char *precision(ptxlint_certainty certainty, bool is_front_end)
{
    if (is_front_end)
        return "very-high";
    switch (certainty) {
    case PTXLINT_EXACT:    return "very-high";
    case PTXLINT_BOUND:    return "high";
    case PTXLINT_ESTIMATE: return "medium";
    default:               return "low";
    }
}

static void put_sarif_rule_properties(Json *json, const char *key, const char *group,
                                      const char *precise, ptxlint_severity severity)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "precision", precise);
    ptx_json_text(json, "problem.severity",
                  severity == PTXLINT_NOTE ? "recommendation" : ptx_report_severity(severity));
    ptx_json_array(json, "tags");
    ptx_json_text(json, NULL, "ptx");
    if (*group)
        ptx_json_text(json, NULL, group);
    ptx_json_end(json);
    ptx_json_end(json);
}

/* A user's rule has no page. */
static void put_help_uri(Json *json, const ptxlint_rule *rule, const char *docs_url)
{
    char uri[1024];
    size_t length = docs_url ? strlen(docs_url) : 0;
    while (length && docs_url[length - 1] == '/')
        length--;
    if (!length || length > sizeof uri / 2 || ptxlint_rule_find(NULL, rule->code) != rule)
        return;
    snprintf(uri, sizeof uri, "%.*s/rules/%.64s.html", (int)length, docs_url, rule->code);
    ptx_json_text(json, "helpUri", uri);
}

void ptx_sarif_rule(Json *json, const ptxlint_rule *rule, const char *docs_url)
{
    ptxlint_severity severity = (ptxlint_severity)rule->severity;
    const char *summary = rule->summary && *rule->summary ? rule->summary : rule->name;
    const char *precise = precision((ptxlint_certainty)rule->certainty, rule->is_front_end);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "id", rule->code);
    ptx_json_text(json, "name", rule->name);
    put_description(json, "shortDescription", summary, strlen(summary));
    put_full_description(json, "fullDescription", rule);
    put_help(json, "help", rule);
    put_help_uri(json, rule, docs_url);
    put_level(json, "defaultConfiguration", severity);
    put_sarif_rule_properties(json, "properties", rule->group, precise, severity);
    ptx_json_end(json);
}

void ptx_sarif_rule_of(Json *json, const ptxlint_diagnostic *diagnostic)
{
    const char *message = *diagnostic->message ? diagnostic->message : diagnostic->name;
    const char *precise = precision(diagnostic->certainty, false);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "id", diagnostic->rule);
    ptx_json_text(json, "name", diagnostic->name);
    put_description(json, "shortDescription", diagnostic->name, strlen(diagnostic->name));
    put_description(json, "fullDescription", message, strlen(message));
    ptx_sarif_message(json, "help", diagnostic->help, message);
    put_level(json, "defaultConfiguration", diagnostic->severity);
    put_sarif_rule_properties(json, "properties", diagnostic->group, precise, diagnostic->severity);
    ptx_json_end(json);
}
