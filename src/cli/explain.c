/* explain.c -- what rules say of themselves. */
#include "cli/cli.h"
#include "cli/rule_json.h"

#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *examples_json(const ptxlint_rule *rule)
{
    json_t *all = json_array();
    for (size_t i = 0; i < rule->example_count; i++) {
        const ptxlint_example *e = &rule->examples[i];
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "title", json_string(e->title),
                           "bad", ptx_text_json(e->bad), "good", ptx_text_json(e->good), "cuda_bad",
                           ptx_text_json(e->cuda_bad), "cuda_good", ptx_text_json(e->cuda_good),
                           "launch", ptx_text_json(e->launch), "gpu", ptx_text_json(e->gpu)));
    }
    return all;
}

static json_t *thresholds_json(const ptxlint_rule *rule)
{
    json_t *all = json_array();
    for (size_t i = 0; i < rule->threshold_count; i++) {
        const ptxlint_threshold *t = &rule->thresholds[i];
        json_array_append_new(all, json_pack("{s:s, s:f, s:s, s:s}", "name", t->name, "value",
                                             t->value, "unit", t->unit, "what", t->what));
    }
    return all;
}

static json_t *sources_json(const ptxlint_rule *rule)
{
    json_t *all = json_array();
    for (size_t i = 0; i < rule->source_count; i++)
        json_array_append_new(all, json_string(rule->sources[i]));
    return all;
}

json_t *ptx_rule_json(const ptxlint_rule *rule)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:s, s:o, s:o, s:o}",
                     "code", rule->code, "name", rule->name, "group", rule->group, "severity",
                     ptx_severity_word(rule->severity), "certainty",
                     rule->is_front_end ? "exact" : ptx_certainty_word(rule->certainty), "subject",
                     rule->subject, "preview", rule->is_preview, "front_end", rule->is_front_end,
                     "condition", rule->condition, "summary", rule->summary, "doc", rule->doc,
                     "thresholds", thresholds_json(rule), "examples", examples_json(rule),
                     "sources", sources_json(rule));
}

static int add_bytes(const char *bytes, size_t length, void *context)
{
    ptx_text_add(context, bytes, length);
    return 0;
}

void ptx_json_write(Text *out, json_t *value)
{
    out->has_failed |= !value || json_dump_callback(value, add_bytes, out, JSON_INDENT(2));
    json_decref(value);
    ptx_text_put(out, "\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

static const ptxlint_rule *find_rule(const ptxlint_rules *rules, const char *word)
{
    char text[256];
    const ptxlint_rule *rule = ptxlint_rule_find(rules, word);
    const char *near = rule ? NULL : ptxlint_rule_suggest(rules, word);
    if (rule)
        return rule;
    if (near)
        snprintf(text, sizeof text,
                 "unknown rule '%.80s'; did you mean %.60s? `ptxlint rules` lists them all", word,
                 near);
    else
        snprintf(text, sizeof text, "unknown rule '%.80s'; `ptxlint rules` lists them all", word);
    ptx_complain(NULL, text);
    return NULL;
}

/* Rules after one another; the pages with an empty line between. */
static void write_pages(const Options *options, const ptxlint_rule *const *found, size_t count,
                        Text *out)
{
    Text page = { 0 }, shown = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (i)
            ptx_text_put(&page, "\n");
        ptx_page_write(&page, found[i]);
    }
    if (options->output.format == FORMAT_MARKDOWN)
        ptx_text_append(out, &page);
    else
        ptx_text_show_lines(&shown, &page);
    if (shown.length)
        out->has_failed |= !ptx_paint(out, shown.bytes, shown.length,
                                      ptx_options_has_color(options, options->output.path));
    out->has_failed |= page.has_failed || shown.has_failed;
    ptx_text_free(&page);
    ptx_text_free(&shown);
}

static void write_json(const ptxlint_rule *const *found, size_t count, Text *out)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, ptx_rule_json(found[i]));
    ptx_json_write(out, json_pack("{s:s, s:o}", "schema", "ptxlint-rules/1", "rules", all));
}

enum { RULES_MAX = 1000 };      /* that are explained at once */

static ExitCode explain(const Options *options, const ptxlint_rules *rules)
{
    const ptxlint_rule *found[RULES_MAX];
    ExitCode code = EXIT_CLEAN;
    size_t count = 0;
    Text out = { 0 };
    for (size_t i = 0; options->paths[i] && count < RULES_MAX; i++) {
        const ptxlint_rule *rule = find_rule(rules, options->paths[i]);
        if (rule)
            found[count++] = rule;
        else
            code = EXIT_USAGE;
    }
    if (options->output.format == FORMAT_JSON)
        write_json(found, count, &out);
    else
        write_pages(options, found, count, &out);
    if (count || code == EXIT_CLEAN)
        code = exit_code_max(code, ptx_output_text(options, &out));
    ptx_text_free(&out);
    return code;
}

ExitCode ptx_explain(const Options *options)
{
    Book book;
    ExitCode code = ptx_book_open(&book, options);
    const Settings *settings = code == EXIT_CLEAN ? ptx_book_folder(&book, ".") : NULL;
    code = exit_code_max(code, book.code);
    if (code == EXIT_CLEAN && settings)
        code = explain(options, settings->rules);
    ptx_book_free(&book);
    return code;
}
