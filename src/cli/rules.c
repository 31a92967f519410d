/* rules.c -- which rules there are, and what they may ask. */
#include "cli/cli.h"
#include "cli/rule_json.h"
#include "support/choice.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which of them --------------------------------------------------------------------------- */

/* As a selector of the config does: ALL, a group, a code or its beginning, a name. */
static bool is_selected_by(const ptxlint_rule *rule, const char *word, size_t length)
{
    const char *const whole[] = { rule->group, rule->name };
    if (length == 3 && !strncasecmp(word, "ALL", 3))
        return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strlen(whole[i]) == length && !strncasecmp(word, whole[i], length))
            return true;
    return length && strlen(rule->code) >= length && !strncasecmp(word, rule->code, length);
}

static bool is_selected(const Options *options, const ptxlint_rule *rule)
{
    const StringList *lists = &options->choices[CHOICE_SELECT];
    for (size_t i = 0; i < lists->count; i++) {
        for (const char *begin = lists->items[i];;) {
            size_t length = strcspn(begin, ",");
            if (is_selected_by(rule, begin, length))
                return true;
            if (!begin[length])
                break;
            begin += length + 1;
        }
    }
    return !lists->count;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *rule_certainty(const ptxlint_rule *rule)
{
    return rule->is_front_end ? "exact" : ptx_certainty_word(rule->certainty);
}

static void add_rows(const Options *options, const ptxlint_rules *rules, int width, Text *out)
{
    const ptxlint_rule *rule;
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++)
        if (is_selected(options, rule))
            ptx_text_print(out, "%-7s  %-*s  %-8s  %-12s  %-9s  %s%s\n", rule->code, width,
                           rule->name, ptx_severity_word(rule->severity), rule->group,
                           rule_certainty(rule), ptx_text_if(rule->is_preview, "(preview) "),
                           rule->summary);
}

static void write_text(const Options *options, const ptxlint_rules *rules, Text *out)
{
    const ptxlint_rule *rule;
    Text table = { 0 };
    int width = 4;
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++)
        if (is_selected(options, rule) && (int)strlen(rule->name) > width)
            width = (int)strlen(rule->name);
    ptx_text_print(&table, "%-7s  %-*s  %-8s  %-12s  %-9s  %s\n", "code", width, "name",
                   "severity", "group", "certainty", "summary");
    add_rows(options, rules, width, &table);
    ptx_text_show_lines(out, &table);
    ptx_text_free(&table);
}

/* ---- Markdown: docs/rules/README.md ---------------------------------------------------------- */

/* Groups in order of their first rules. */
static bool is_first_of_group(const ptxlint_rules *rules, size_t index, const char *group)
{
    for (size_t i = 0; i < index; i++)
        if (!strcmp(ptxlint_rule_at(rules, i)->group, group))
            return false;
    return true;
}

static void write_group(const Options *options, const ptxlint_rules *rules, const char *group,
                        Text *out)
{
    const ptxlint_rule *rule;
    bool has_head = false;
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++) {
        if (strcmp(rule->group, group) || !is_selected(options, rule))
            continue;
        if (!has_head)
            ptx_text_print(out,
                           "\n## %s\n\n| code | name | severity | certainty | what |\n| --- | --- "
                           "| --- | --- | --- |\n",
                           group);
        has_head = true;
        ptx_text_print(out, "| [%s](%s.md) | %s | %s | %s | %s", rule->code, rule->code, rule->name,
                       ptx_severity_word(rule->severity),
                       rule_certainty(rule), ptx_text_if(rule->is_preview, "(preview) "));
        ptx_put_cell(out, rule->summary);
        ptx_text_put(out, " |\n");
    }
}

static void write_markdown(const Options *options, const ptxlint_rules *rules, Text *out)
{
    const ptxlint_rule *rule;
    ptx_text_put(out, "# Rules\n\nOne page each. The certainty is the least that a finding needs: "
                      "less certain ones are not reported. How rules are "
                      "written is in\n[../rules.md](../rules.md), how they are selected and "
                      "suppressed in [../config.md](../config.md).\n");
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++)
        if (is_first_of_group(rules, i, rule->group))
            write_group(options, rules, rule->group, out);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void write_facts_text(Text *out)
{
    ptxlint_fact fact;
    char name[128], type[96];
    for (size_t i = 0; ptxlint_fact_at(i, &fact); i++) {
        snprintf(name, sizeof name, "%s.%s", fact.scope, fact.name);
        snprintf(type, sizeof type, *fact.unit ? "%s (%s)" : "%s%s", fact.type, fact.unit);
        ptx_text_print(out, "%-32s  %-22s  %-8s  %s\n", name, type,
                       *fact.certainty ? fact.certainty : "varies", fact.what);
    }
}

static void write_facts_markdown(Text *out)
{
    ptxlint_fact fact;
    char scope[64] = "";
    ptx_text_put(out, "# Facts\n\nFacts that the expressions of rules may use "
                      "([rules.md](rules.md)). Where the certainty is empty it comes with each "
                      "value.\n");
    for (size_t i = 0; ptxlint_fact_at(i, &fact); i++) {
        if (strcmp(scope, fact.scope))
            ptx_text_print(out,
                           "\n## %s\n\n| fact | type | unit | certainty | meaning |\n| --- | --- | "
                           "--- | --- | --- |\n",
                           fact.scope);
        snprintf(scope, sizeof scope, "%s", fact.scope);
        ptx_text_print(out, "| `%s.%s` | %s | %s | %s | ", fact.scope, fact.name, fact.type,
                       fact.unit, fact.certainty);
        ptx_put_cell(out, fact.what);
        ptx_text_put(out, " |\n");
    }
}

static json_t *facts_json(void)
{
    ptxlint_fact fact;
    json_t *all = json_array();
    for (size_t i = 0; ptxlint_fact_at(i, &fact); i++)
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "scope", fact.scope,
                                        "name", fact.name, "type", fact.type, "unit", fact.unit,
                                        "certainty", fact.certainty, "what", fact.what));
    return json_pack("{s:s, s:o}", "schema", "ptxlint-facts/1", "facts", all);
}

/* ---- the command ----------------------------------------------------------------------------- */

static json_t *rules_json(const Options *options, const ptxlint_rules *rules)
{
    const ptxlint_rule *rule;
    json_t *all = json_array();
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++)
        if (is_selected(options, rule))
            json_array_append_new(all, ptx_rule_json(rule));
    return json_pack("{s:s, s:o}", "schema", "ptxlint-rules/1", "rules", all);
}

static void write_rules(const Options *options, const ptxlint_rules *rules, Text *out)
{
    if (options->output.format == FORMAT_JSON)
        ptx_json_write(out, options->has_facts ? facts_json() : rules_json(options, rules));
    else if (options->has_facts)
        (options->output.format == FORMAT_MARKDOWN ? write_facts_markdown : write_facts_text)(out);
    else
        (options->output.format == FORMAT_MARKDOWN ? write_markdown : write_text)(options, rules,
                                                                                  out);
}

ExitCode ptx_rules_list(const Options *options)
{
    Book book;
    Text out = { 0 };
    ExitCode code = ptx_book_open(&book, options);
    if (code == EXIT_CLEAN && options->paths && options->paths[0]) {
        ptx_complain(
            options->paths[0],
            "rules takes no further words; --select chooses, `ptxlint explain` describes one");
        code = EXIT_USAGE;
    }
    const Settings *settings = code == EXIT_CLEAN ? ptx_book_folder(&book, ".") : NULL;
    code = exit_code_max(code, book.code);
    if (code == EXIT_CLEAN && settings) {
        write_rules(options, settings->rules, &out);
        code = ptx_output_text(options, &out);
    }
    ptx_text_free(&out);
    ptx_book_free(&book);
    return code;
}
