/* load_names.c -- codes and names of rules: how they look, and which are taken. */
#include "rules/lang/loader.h"

static bool is_code(const char *text)
{
    size_t letters = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
           digits = strspn(text + letters, "0123456789");
    return letters >= 2 && letters <= 4 && digits == 3 && !text[letters + digits];
}

/* Two to four letters and three digits: case does not count where rules are looked for, so no name
 * may be that. */
static bool is_like_code(const char *text)
{
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz"),
           digits = strspn(text + letters, "0123456789");
    return letters >= 2 && letters <= 4 && digits == 3 && !text[letters + digits];
}

bool ptx_loader_is_name(const char *text, bool with_digits)
{
    const char *allowed =
        with_digits ? "abcdefghijklmnopqrstuvwxyz-0123456789" : "abcdefghijklmnopqrstuvwxyz-";
    const size_t length = strlen(text);
    return *text >= 'a' && *text <= 'z' && text[length - 1] != '-' && !text[strspn(text, allowed)];
}

/* Whether the two have a code or name in common; says which. */
static bool is_clash(const DiagInfo *a, const DiagInfo *b, const char **what, const char **text)
{
    bool by_code = !strcmp(a->code, b->code), by_name = !by_code && !strcmp(a->name, b->name);
    *what = by_code ? "code" : "name";
    *text = by_code ? a->code : a->name;
    return by_code || by_name;
}

static bool check_set(RuleLoader *l, const Rule *rule, YamlNode **v, const RuleSet *set,
                      const char *where)
{
    const char *what, *text;
    for (uint32_t i = 0; i < set->rule_count; i++) {
        const Rule *other = &set->rules[i];
        if (!is_clash(&rule->info, &other->info, &what, &text))
            continue;
        const YamlNode *at = *what == 'n' && v[KEY_NAME] ? v[KEY_NAME] : v[KEY_CODE];
        if (set == &l->builder->set && i >= l->first_rule) {
            uint32_t line, column;
            ptx_yaml_place(l->source, l->places[i - l->first_rule], &line, &column);
            return LOADER_FAIL(l, at, "the %s '%.60s' is taken: line %u of this file", what, text,
                               (unsigned)line);
        }
        return LOADER_FAIL(l, at, "the %s '%.60s' is taken by %s %s, %s", what, text, where,
                           other->info.code, other->info.name);
    }
    return true;
}

static bool check_taken(RuleLoader *l, const Rule *rule, YamlNode **v)
{
    const char *what, *text;
    for (int i = 1; i < DIAG__COUNT && !rule->is_front_end; i++)
        if (is_clash(&rule->info, &ptx_diag_info[i], &what, &text))
            return LOADER_FAIL(l, *what == 'n' ? v[KEY_NAME] : v[KEY_CODE],
                               "the %s '%.60s' is taken: the front end says %s, %s", what, text,
                               ptx_diag_info[i].code, ptx_diag_info[i].name);
    return (!l->known || check_set(l, rule, v, l->known, "a rule of ptxlint:"))
        && check_set(l, rule, v, &l->builder->set, "a rule of an earlier file:");
}

static const char *const severities[] = { "", "note", "warning", "error" };

/* What diags.def says of a code of the front end; the file may say it again. */
static bool read_front_end_info(RuleLoader *l, YamlNode **v, DiagInfo *info)
{
    uint8_t severity;
    const char *code = info->code;
    *info = (DiagInfo){ 0 };
    for (int i = 1; i < DIAG__COUNT; i++)
        if (!strcmp(ptx_diag_info[i].code, code))
            *info = ptx_diag_info[i];
    if (!info->code)
        return LOADER_FAIL(l, v[KEY_CODE], "the front end does not say '%s'", code);
    if (strcmp(info->group, l->group))
        return LOADER_FAIL(l, l->group_node, "%s is of the group '%s'", code, info->group);
    if (v[KEY_NAME] && !ptx_yaml_is(v[KEY_NAME], info->name))
        return LOADER_FAIL(l, v[KEY_NAME], "the name of %s is '%s'", code, info->name);
    if (v[KEY_SEVERITY]
        && !ptx_loader_word(l, v[KEY_SEVERITY], "severity", severities, 4, &severity))
        return false;
    return !v[KEY_SEVERITY] || severity == info->severity
           || LOADER_FAIL(l, v[KEY_SEVERITY], "the severity of %s is '%s'", code,
                          severities[info->severity]);
}

static bool read_own_info(RuleLoader *l, YamlNode **v, DiagInfo *info)
{
    uint8_t severity;
    info->group = l->group;
    if (!ptx_loader_text(l, v[KEY_NAME], "`name`", &info->name))
        return false;
    if (!ptx_loader_is_name(info->name, true))
        return LOADER_FAIL(
            l, v[KEY_NAME],
            "a name is of small letters, digits and `-`, such as full-precision-in-loop");
    if (is_like_code(info->name))
        return LOADER_FAIL(l, v[KEY_NAME], "a name that looks like a code");
    if (!ptx_loader_word(l, v[KEY_SEVERITY], "severity", severities, 4, &severity))
        return false;
    info->severity = (Severity)severity;
    return true;
}

bool ptx_loader_info(RuleLoader *l, YamlNode **v, Rule *rule)
{
    if (!ptx_loader_text(l, v[KEY_CODE], "`code`", &rule->info.code))
        return false;
    if (!is_code(rule->info.code))
        return LOADER_FAIL(l, v[KEY_CODE],
                           "a code is two to four capitals and three digits, such as THR102");
    if (!(rule->is_front_end ? read_front_end_info(l, v, &rule->info)
                             : read_own_info(l, v, &rule->info)))
        return false;
    return check_taken(l, rule, v);
}
