/* groups.c -- --only: which groups of findings are shown. */
#include "cli/run/run.h"

#include <stdio.h>
#include <string.h>

static bool has_group(const StringList *groups, const char *group)
{
    for (size_t i = 0; i < groups->count; i++)
        if (!strcmp(groups->items[i], group))
            return true;
    return false;
}

/* One that some rule has, or that the front end reports by. */
static bool is_group(const ptxlint_rules *rules, const char *text)
{
    static const char *const own[] = { "syntax", "limit", "suppression" };
    const ptxlint_rule *rule;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i], text))
            return true;
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++)
        if (!strcmp(rule->group, text))
            return true;
    return false;
}

static void complain_group(CliRun *run, const ptxlint_rules *rules, const char *group)
{
    char text[256];
    const char *near = ptxlint_rule_suggest(rules, group);
    const ptxlint_rule *rule = near ? ptxlint_rule_find(rules, near) : NULL;
    if (rule)                           /* a code or a name is meant for --select */
        snprintf(text, sizeof text,
                 "'%.80s' is not a group of rules; --select takes single ones, as %.60s", group,
                 near);
    else if (near)
        snprintf(text, sizeof text, "'%.80s' is not a group of rules; did you mean %.60s?", group,
                 near);
    else
        snprintf(text, sizeof text,
                 "'%.80s' is not a group of rules; --select takes rules; `ptxlint rules` lists "
                 "both",
                 group);
    ptx_complain("--only", text);
    ptx_run_raise(run, EXIT_USAGE);
}

static void add_group(CliRun *run, const char *group)
{
    if (!has_group(&run->groups, group))
        ptx_run_raise(run, ptx_strings_add(&run->groups, group, strlen(group)));
}

void ptx_run_choose_groups(CliRun *run, const ptxlint_rules *rules)
{
    const StringList *only = &run->options->only;
    bool is_front_end = only->count && run->options->command == COMMAND_CHECK;
    for (size_t i = 0; i < only->count; i++) {
        const char *group = only->items[i];
        if (!is_group(rules, group))
            complain_group(run, rules, group);
        add_group(run, group);
        if (!strcmp(group, "syntax"))
            add_group(run, "limit");
        is_front_end &= !strcmp(group, "syntax") || !strcmp(group, "limit");
    }
    run->is_syntax_only = is_front_end && has_group(&run->groups, "syntax");
    run->write_options.groups = run->groups.count ? (const char *const *)run->groups.items : NULL;
    run->write_options.group_count = run->groups.count;
}
