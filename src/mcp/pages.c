/* pages.c -- explain and isa: what is known of a rule and of an instruction. */
#include "mcp/mcp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOC_BYTES = 1500, EXAMPLE_BYTES = 700, SUMMARY_BYTES = 400, FORM_BYTES = 200 };

static const char *const severities[] = { "", "note", "warning", "error" };

static void add_example(json_t *answer, const ptxlint_rule *rule)
{
    for (size_t i = 0; i < rule->example_count; i++)
        if (rule->examples[i].bad) {
            json_object_set_new(answer, "bad", ptx_mcp_text(rule->examples[i].bad, EXAMPLE_BYTES));
            if (rule->examples[i].good)
                json_object_set_new(answer, "good",
                                    ptx_mcp_text(rule->examples[i].good, EXAMPLE_BYTES));
            return;
        }
}

static json_t *show_rule(const ptxlint_rule *rule)
{
    json_t *answer = json_object();
    json_object_set_new(answer, "rule", json_string(rule->code));
    json_object_set_new(answer, "name", json_string(rule->name));
    json_object_set_new(answer, "group", json_string(rule->group));
    json_object_set_new(answer, "severity", json_string(severities[rule->severity]));
    json_object_set_new(answer, "certainty",
                        json_string(ptx_mcp_certainty((ptxlint_certainty)rule->certainty)));
    json_object_set_new(answer, "summary", ptx_mcp_text(rule->summary, SUMMARY_BYTES));
    json_object_set_new(answer, "doc", ptx_mcp_text(rule->doc, DOC_BYTES));
    add_example(answer, rule);
    return answer;
}

/* Says that there is none, and which rules have the word in their name. */
static void refuse_rule(const char *name, char error[MCP_ERROR_BYTES])
{
    enum { NAMED_MAX = 6 };
    const char *near = ptxlint_rule_suggest(NULL, name);
    const ptxlint_rule *rule;
    size_t named = 0, length;
    ptx_mcp_fail(error, "there is no rule '%.60s'", name);
    length = strlen(error);
    if (near) {
        snprintf(error + length, MCP_ERROR_BYTES - length, "; did you mean %.60s?", near);
        return;
    }
    for (size_t i = 0; *name && named < NAMED_MAX && (rule = ptxlint_rule_at(NULL, i)); i++)
        if (strstr(rule->name, name)) {
            length += (size_t)snprintf(error + length, MCP_ERROR_BYTES - length, "%s %.16s %.40s",
                                       named++ ? "," : "; by name:", rule->code, rule->name);
        }
}

json_t *ptx_mcp_explain(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const char *name = json_string_value(json_object_get(arguments, "rule"));
    const ptxlint_rule *rule = name ? ptxlint_rule_find(NULL, name) : NULL;
    if (rule)
        return show_rule(rule);
    if (!name)
        ptx_mcp_fail(error, "`rule` is missing: a code, as MEM201, or a name");
    else
        refuse_rule(name, error);
    return NULL;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static json_t *show_form(const ptxlint_isa_form *form)
{
    char text[FORM_BYTES + 100];
    json_t *out = json_object(), *needs = json_array();
    snprintf(text, sizeof text, "%.200s %.90s", form->modifiers_text, form->operands_text);
    json_object_set_new(out, "syntax", ptx_mcp_text(text, sizeof text));
    for (size_t i = 0; i < form->need_count; i++) {
        const ptxlint_isa_need *need = &form->needs[i];
        snprintf(text, sizeof text, "PTX %d.%d %s", need->version_major, need->version_minor,
                 need->target);
        json_array_append_new(needs, json_string(text));
    }
    json_object_set_new(out, "needs_one_of", needs);
    return out;
}

/* What a name of the syntax stands for: "rn rz rm rp". */
static json_t *show_groups(const ptxlint_isa_info *info)
{
    char text[FORM_BYTES];
    json_t *out = json_object();
    for (size_t i = 0; i < info->group_count; i++) {
        const ptxlint_isa_modifier *group = &info->groups[i];
        size_t used = 0;
        for (size_t v = 0; v < group->value_count && used < sizeof text - 60; v++)
            used += (size_t)snprintf(text + used, sizeof text - used, used ? " %.50s" : "%.50s",
                                     group->values[v]);
        json_object_set_new(out, group->name, json_string(text));
    }
    return out;
}

static void add_rate(json_t *answer, const char *text, const ptxlint_gpu *gpu)
{
    ptxlint_isa_rate rate;
    if (!gpu || !ptxlint_isa_get_rate(text, strlen(text), gpu, &rate))
        return;
    json_object_set_new(answer, "gpu", json_string(ptxlint_gpu_get_info(gpu)->name));
    json_object_set_new(answer, "results_per_clock_and_sm", ptx_mcp_number(rate.results_per_clock));
    json_object_set_new(answer, "is_bound", json_boolean(rate.is_bound));
    json_object_set_new(answer, "pipe", json_string(rate.pipe));
}

static json_t *show_instruction(const ptxlint_isa *isa, const char *text, const ptxlint_gpu *gpu)
{
    const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
    json_t *answer = json_object(), *forms = json_array();
    json_object_set_new(answer, "instruction", ptx_mcp_text(text, FORM_BYTES));
    json_object_set_new(answer, "summary", ptx_mcp_text(info->summary, SUMMARY_BYTES));
    json_object_set_new(answer, "is_whole", json_boolean(info->is_whole));
    add_rate(answer, text, gpu);
    json_object_set_new(answer, "groups", show_groups(info));
    for (size_t i = 0; i < info->form_count; i++)
        json_array_append_new(forms, show_form(&info->forms[i]));
    ptx_mcp_fit(answer, "forms", forms);
    return answer;
}

json_t *ptx_mcp_isa(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const char *text = json_string_value(json_object_get(arguments, "instruction"));
    const ptxlint_gpu *gpu = NULL;
    char why[MCP_ERROR_BYTES / 2] = "";
    ptxlint_isa *isa = NULL;
    if (!text)
        ptx_mcp_fail(error, "`instruction` is missing: an opcode, as ld, and maybe modifiers");
    else if (ptx_mcp_gpu(arguments, &gpu, error)
             && ptxlint_isa_new(text, strlen(text), &isa, why, sizeof why) != PTXLINT_OK)
        ptx_mcp_fail(error, "%s", *why ? why : "not an instruction");
    json_t *answer = isa ? show_instruction(isa, text, gpu) : NULL;
    ptxlint_isa_free(isa);
    return answer;
}
