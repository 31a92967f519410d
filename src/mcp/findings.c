/* findings.c -- check: findings, worst first, each with its place and what repairs it. */
#include "mcp/mcp.h"

#include <math.h>
#include <string.h>

enum { MESSAGE_BYTES = 320, NAME_BYTES = 160, EDIT_BYTES = 400, EDITS_MAX = 6 };

static const char *const severities[] = { "", "note", "warning", "error" };

static json_t *make_edit(const ptxlint_module *module, const ptxlint_fix *fix)
{
    const ptxlint_place begin = ptxlint_module_place(module, fix->span.begin),
                        end = ptxlint_module_place(module, fix->span.end);
    json_t *edit = json_object();
    json_object_set_new(edit, "line", json_integer(begin.line));
    json_object_set_new(edit, "column", json_integer(begin.column));
    json_object_set_new(edit, "end_line", json_integer(end.line));
    json_object_set_new(edit, "end_column", json_integer(end.column));
    json_object_set_new(edit, "replacement", ptx_mcp_text(fix->replacement, EDIT_BYTES));
    json_object_set_new(edit, "certain", json_boolean(fix->is_certain));
    return edit;
}

/* Of the rule's page: its section "What to do", else what it says first. */
static const char *advice_of(const char *code)
{
    static const char heading[] = "## What to do\n\n";
    const ptxlint_rule *rule = ptxlint_rule_find(NULL, code);
    const char *section = rule ? strstr(rule->doc, heading) : NULL;
    if (section)
        return section + strlen(heading);
    return rule ? rule->doc : NULL;
}

static void add_finding_repair(json_t *out, const ptxlint_module *module,
                               const ptxlint_diagnostic *d)
{
    json_t *edits = json_array();
    for (size_t i = 0; i < d->edit_count && d->edit_count <= EDITS_MAX; i++)
        json_array_append_new(edits, make_edit(module, &d->edits[i]));
    if (json_array_size(edits))
        json_object_set(out, "edits", edits);
    json_decref(edits);
    json_object_set_new(out, "repair",
                        ptx_mcp_text(d->help ? d->help : advice_of(d->rule), MESSAGE_BYTES));
}

static json_t *make_finding(const ptxlint_module *module, const ptxlint_diagnostic *d)
{
    const ptxlint_place place = ptxlint_module_place(module, d->span.begin);
    json_t *out = json_object();
    json_object_set_new(out, "rule", json_string(d->rule));
    json_object_set_new(out, "name", json_string(d->name));
    json_object_set_new(out, "severity", json_string(severities[d->severity]));
    json_object_set_new(out, "certainty", json_string(ptx_mcp_certainty(d->certainty)));
    if (d->kernel)
        json_object_set_new(out, "kernel", ptx_mcp_text(d->kernel, NAME_BYTES));
    json_object_set_new(out, "line", json_integer(place.line));
    json_object_set_new(out, "column", json_integer(place.column));
    if (d->source_path) {
        json_object_set_new(out, "source", ptx_mcp_text(d->source_path, NAME_BYTES));
        json_object_set_new(out, "source_line", json_integer(d->source_line));
    }
    json_object_set_new(out, "message", ptx_mcp_text(d->message, MESSAGE_BYTES));
    add_finding_repair(out, module, d);
    if (isfinite(d->gain_percent) && d->gain_of) {
        json_object_set_new(out, "gain_percent", ptx_mcp_number(d->gain_percent));
        json_object_set_new(out, "gain_of", json_string(d->gain_of));
        if (d->is_gain_most)
            json_object_set_new(out, "gain_is", json_string("the most that is to be had"));
    }
    if (d->repeat_count)
        json_object_set_new(out, "similar", json_integer(d->repeat_count));
    return out;
}

static json_t *list_findings(const ptxlint_module *module, const char *kernel, size_t counts[4])
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    json_t *findings = json_array();
    for (size_t i = 0; i < count; i++)
        if (all[i].suppression == PTXLINT_NOT_SUPPRESSED
            && (!kernel || (all[i].kernel && !strcmp(all[i].kernel, kernel)))) {
            counts[all[i].severity]++;
            json_array_append_new(findings, make_finding(module, &all[i]));
        }
    return findings;
}

json_t *ptx_mcp_check(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const char *kernel = json_string_value(json_object_get(arguments, "kernel"));
    size_t counts[4] = { 0 };
    McpInput input;
    json_t *answer = NULL;
    if (ptx_mcp_open(&input, arguments, arguments, true, error)
        && (!kernel || ptx_mcp_find_kernel(input.module, kernel, error))) {
        json_t *findings = list_findings(input.module, kernel, counts);
        answer = json_object();
        json_object_set_new(answer, "errors", json_integer((json_int_t)counts[PTXLINT_ERROR]));
        json_object_set_new(answer, "warnings", json_integer((json_int_t)counts[PTXLINT_WARNING]));
        json_object_set_new(answer, "notes", json_integer((json_int_t)counts[PTXLINT_NOTE]));
        ptx_mcp_fit(answer, "findings", findings);
    }
    ptx_mcp_close(&input);
    return answer;
}
