/* load_thresholds.c -- the numbers that a rule compares with. */
#include "rules/lang/loader.h"

#include <stdlib.h>

/* 64, -0.5, 1e3. By hand: strtod would ask the caller's locale for the decimal point. NULL: none
 * stands there; else behind it. */
static const char *scan_amount(const char *p, double *out)
{
    const bool is_negative = *p == '-';
    const char *first = p += is_negative;
    double value = 0;
    int power = 0, digits = 0, written = 0;
    for (bool has_point = false;
         digits < 32 && ((*p >= '0' && *p <= '9') || (*p == '.' && !has_point && digits)); p++) {
        if (*p == '.') {
            has_point = true;
            continue;
        }
        value = 10 * value + (*p - '0');
        power -= has_point;
        digits++;
    }
    if (!digits || p[-1] == '.' || p == first)
        return NULL;
    if (*p == 'e' && (p[1] == '-' || (p[1] >= '0' && p[1] <= '9'))) {
        const bool is_small = p[1] == '-';
        for (p += 1 + is_small; *p >= '0' && *p <= '9' && written < 1000; p++)
            written = 10 * written + (*p - '0');
        if (p[-1] == '-')
            return NULL;
        power += is_small ? -written : written;
    }
    double scale = 1;
    const int exponent = power < 0 ? -power : power;
    for (int i = 0; i < exponent && i < 400; i++)
        scale *= 10;
    value = power < 0 ? value / scale : value * scale;
    *out = is_negative ? -value : value;
    return p;
}

/* "64 threads", "48 KiB", "25%", "0.5". */
static bool read_amount(RuleLoader *l, const YamlNode *node, Threshold *out)
{
    static const struct { const char *text; BaseUnit unit; double factor; } others[] = {
        { "KiB", UNIT_BYTES, 1024 }, { "MiB", UNIT_BYTES, 1024 * 1024 }, { "%", UNIT_PERCENT, 1 },
    };
    if (!ptx_loader_expect(l, node, YAML_TEXT, "`value`"))
        return false;
    const char *p = scan_amount(node->text, &out->value);
    if (!p || !(out->value < 1e300 && out->value > -1e300))
        return LOADER_FAIL(l, node, "'%.40s' is not a number, such as 64 threads, 48 KiB or 0.5",
                           node->text);
    p += strspn(p, " ");
    for (int i = 0; *p && i < UNIT__COUNT; i++) {
        if (!strcmp(p, ptx_unit_text[i])) {
            out->unit.of[i] = 1;
            return true;
        }
    }
    for (size_t i = 0; *p && i < sizeof others / sizeof *others; i++) {
        if (!strcmp(p, others[i].text)) {
            out->unit.of[others[i].unit] = 1;
            out->value *= others[i].factor;
            return true;
        }
    }
    return !*p
           || ptx_loader_fail(l, ptx_yaml_position(l->source, node, (uint32_t)(p - node->text)),
                              "unknown unit '%.40s'", p);
}

static bool is_threshold_name(const char *name)
{
    return *name >= 'a' && *name <= 'z'
           && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool read_threshold(RuleLoader *l, const YamlNode *key, Rule *rule)
{
    static const char *const keys[] = { "value", "what" };
    YamlNode *values[2] = { 0 };
    Threshold threshold = { 0 };
    if (!ptx_loader_text(l, key, "the name of a threshold", &threshold.name))
        return false;
    if (!is_threshold_name(threshold.name))
        return LOADER_FAIL(l, key, "a threshold has a name of small letters, digits and `_`");
    for (uint32_t i = 0; i < rule->threshold_count; i++)
        if (!strcmp(l->builder->set.thresholds[rule->threshold_first + i].name, threshold.name))
            return LOADER_FAIL(l, key, "'%s' is given twice", threshold.name);
    if (rule->threshold_count == THRESHOLDS_MAX)
        return LOADER_FAIL(l, key, "a rule has at most %d thresholds", (int)THRESHOLDS_MAX);
    if (!ptx_loader_keys(l, key->next, "a threshold", keys, 2, values))
        return false;
    if (!values[0] || !values[1])
        return LOADER_FAIL(l, key, "a threshold has a `value` and says `what` it is");
    if (!read_amount(l, values[0], &threshold)
        || !ptx_loader_line(l, values[1], "`what`", &threshold.what))
        return false;
    LOADER_PUSH(l, Threshold, thresholds, threshold_count, threshold);
    rule->threshold_count++;
    return true;
}

bool ptx_loader_thresholds(RuleLoader *l, const YamlNode *mapping, Rule *rule)
{
    if (mapping && !ptx_loader_expect(l, mapping, YAML_MAPPING, "`thresholds`"))
        return false;
    for (const YamlNode *key = mapping ? mapping->first : NULL; key; key = key->next->next)
        if (!read_threshold(l, key, rule))
            return false;
    const RuleSet *set = &l->builder->set;
    l->scope = (ExprScope){ (Subject)rule->subject,
                            rule->threshold_count ? set->thresholds + rule->threshold_first : NULL,
                            rule->threshold_count };
    return true;
}
