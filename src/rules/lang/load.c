/* load.c -- a file of rules, key by key. Tables say which keys there are; every complaint says
 * where it is. The tree of the file is the arena's, and so the rules keep its texts as they are. */
#include "rules/lang/load.h"

#include "support/yaml.h"
#include "support/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { RULES_MAX = 4096, THRESHOLDS_MAX = 32 };         /* of all files; of a rule */

enum {
    KEY_CODE,
    KEY_NAME,
    KEY_SEVERITY,
    KEY_PREVIEW,
    KEY_MINOR,
    KEY_ON,
    KEY_WHEN,
    KEY_NEEDS,
    KEY_NOTE_IF,
    KEY_FOLD,
    KEY_AT,
    KEY_MESSAGE,
    KEY_LABEL,
    KEY_HELP,
    KEY_RELATED,
    KEY_GAIN,
    KEY_GAIN_OF,
    KEY_GAIN_FOLD,
    KEY_THRESHOLDS,
    KEY_SUMMARY,
    KEY_DOC,
    KEY_EXAMPLES,
    KEY_SOURCES,
    KEY_FRONT_END,
    KEY_REMOVE,
    KEY__COUNT
};

static const char *const rule_keys[KEY__COUNT] = {
    "code",      "name",       "severity", "preview", "minor",
    "on",        "when",       "needs",    "note_if",
    "fold",      "at",         "message",  "label",   "help",     "related", "gain",      "gain_of",
    "gain_fold", "thresholds", "summary",  "doc",     "examples", "sources", "front_end",
    "remove",
};

/* The place of each key: must it be there in a rule, may it in one of the front end, must it. */
static const struct { bool is_needed, may_front_end, is_front_end_needed; } uses[KEY__COUNT] = {
    [KEY_CODE] = { true, true, true },      [KEY_NAME] = { true, true, false },     [KEY_SEVERITY] = { true, true, false },
    [KEY_ON] = { true, false, false },      [KEY_WHEN] = { true, false, false },    [KEY_MESSAGE] = { true, false, false },
    [KEY_SUMMARY] = { true, true, true },   [KEY_DOC] = { true, true, true },       [KEY_EXAMPLES] = { false, true, false },
    [KEY_SOURCES] = { false, true, false }, [KEY_FRONT_END] = { false, true, false },
};

typedef struct RuleLoader {
    RuleBuilder *builder;
    const RuleSet *known;
    YamlSource source;
    RuleError *error;
    const char *group;
    const YamlNode *group_node;
    uint32_t first_rule;        /* of this file, in builder */
    uint32_t *places;           /* where the code of each rule of this file stands */
    ExprScope scope;            /* of the rule in hand */
} RuleLoader;

static bool fail_rule_at(RuleLoader *l, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail_rule_at(RuleLoader *l, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->error->text, sizeof l->error->text, format, args);
    va_end(args);
    ptx_yaml_place(l->source, at, &l->error->line, &l->error->column);
    return false;
}

#define fail(l, node, ...) fail_rule_at((l), (node)->at, __VA_ARGS__)

/* items with room for one more behind count; room is for 8, 16, 32, ... */
static void *room_for_one(Arena *arena, const void *items, uint32_t count, size_t size)
{
    if (count % 8 || (count & (count - 1)))
        return (void *)(uintptr_t)items;
    char *more = ptx_arena_alloc_array(arena, count ? 2 * (size_t)count : 8, size);
    if (count)
        memcpy(more, items, count * size);
    return more;
}

#define PUSH(l, T, array, count_, ...) do { \
        RuleSet *set_ = &(l)->builder->set; \
        T *items_ = room_for_one((l)->builder->arena, set_->array, set_->count_, sizeof(T)); \
        items_[set_->count_++] = (__VA_ARGS__); \
        set_->array = items_; \
    } while (0)

/* ---- words and texts ------------------------------------------------------------------------- */

/* Index in names; count where it is none of them. */
static size_t find_rule_word(const YamlNode *node, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ptx_yaml_is(node, names[i]))
            return i;
    return count;
}

static bool fail_word(RuleLoader *l, const YamlNode *node, const char *what,
                      const char *const *names, size_t count)
{
    const char *near = NULL;
    unsigned best = 4;
    for (size_t i = 0; i < count; i++) {
        unsigned distance = ptx_edit_distance(node->text, node->length, names[i], strlen(names[i]));
        if (distance < best && distance < strlen(names[i])) {
            best = distance;
            near = names[i];
        }
    }
    return near ? fail(l, node, "unknown %s '%.60s'; did you mean '%s'?", what, node->text, near)
                : fail(l, node, "unknown %s '%.60s'", what, node->text);
}

static bool expect_kind(RuleLoader *l, const YamlNode *node, YamlKind kind, const char *what)
{
    static const char *const kinds[] = { "", "a text", "a list", "a mapping" };
    return node->kind == kind || fail(l, node, "%s is %s", what, kinds[kind]);
}

/* Number of the word, from 1: the names begin with an empty one. */
static bool read_rule_word(RuleLoader *l, const YamlNode *node, const char *what,
                           const char *const *names, size_t count, uint8_t *out)
{
    if (!expect_kind(l, node, YAML_TEXT, what))
        return false;
    *out = (uint8_t)(1 + find_rule_word(node, names + 1, count - 1));
    return *out < count || fail_word(l, node, what, names + 1, count - 1);
}

static bool read_truth(RuleLoader *l, const YamlNode *node, const char *what, bool *out)
{
    *out = ptx_yaml_is(node, "true");
    return (node->style == YAML_PLAIN && (*out || ptx_yaml_is(node, "false")))
           || fail(l, node, "%s is true or false", what);
}

/* Any text but an empty one. */
static bool read_rule_text(RuleLoader *l, const YamlNode *node, const char *what, const char **out)
{
    if (!expect_kind(l, node, YAML_TEXT, what))
        return false;
    *out = node->text;
    return node->text[strspn(node->text, " \t\n")] || fail(l, node, "%s is empty", what);
}

/* Without the break that a block ends with. */
static void trim(YamlNode *node)
{
    while (node->length && strchr(" \t\n", node->text[node->length - 1]))
        node->text[--node->length] = 0;
}

static bool read_rule_line(RuleLoader *l, YamlNode *node, const char *what, const char **out)
{
    if (!read_rule_text(l, node, what, out))
        return false;
    trim(node);
    const char *end = strchr(node->text, '\n');
    return !end
           || fail_rule_at(l, ptx_yaml_position(l->source, node, (uint32_t)(end - node->text)),
                           "%s is one line", what);
}

/* The nodes of a mapping's keys, each at most once; NULL where it is not there. */
static bool read_rule_keys(RuleLoader *l, const YamlNode *mapping, const char *what,
                           const char *const *names, size_t count, YamlNode **values)
{
    if (!expect_kind(l, mapping, YAML_MAPPING, what))
        return false;
    for (YamlNode *key = mapping->first; key; key = key->next->next) {
        if (key->kind != YAML_TEXT)
            return fail(l, key, "expected a key of %s", what);
        size_t which = find_rule_word(key, names, count);
        if (which == count) {
            char kind[64];
            snprintf(kind, sizeof kind, "key of %s", what);
            return fail_word(l, key, kind, names, count);
        }
        if (values[which])
            return fail(l, key, "'%s' is given twice", names[which]);
        values[which] = key->next;
    }
    return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* A text that was compiled, or a complaint at its place in it. */
static bool compiled(RuleLoader *l, const YamlNode *node, bool is_good, const ExprError *error)
{
    return is_good
           || fail_rule_at(l, ptx_yaml_position(l->source, node, error->at), "%s", error->text);
}

static bool read_condition(RuleLoader *l, YamlNode *node, Rule *rule)
{
    ExprError error = { 0 };
    if (!read_rule_text(l, node, "`when`", &rule->condition))
        return false;
    trim(node);
    return compiled(
        l, node,
        ptx_compile_condition(l->builder, &l->scope, node->text, node->length, rule->when, &error),
        &error);
}

static bool read_rule_expression(RuleLoader *l, const YamlNode *node, const char *what,
                                 FactType type, const Unit *unit, Program *out)
{
    ExprError error = { 0 };
    const char *text;
    if (!read_rule_text(l, node, what, &text))
        return false;
    const ExprSource source = { text, node->length, type, unit };
    return compiled(l, node,
                    ptx_compile_expression(l->builder, &l->scope, &source, out, &error), &error);
}

static bool read_rule_template(RuleLoader *l, YamlNode *node, const char *what, Template *out)
{
    ExprError error = { 0 };
    const char *text;
    if (!read_rule_line(l, node, what, &text))
        return false;
    return compiled(l, node,
                    ptx_compile_template(l->builder, &l->scope, text, node->length, out, &error),
                    &error);
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/* 64, -0.5, 1e3. By hand: strtod would ask the caller's locale for the decimal point. NULL: none
 * stands there; else behind it. */
static const char *scan_number(const char *p, double *out)
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
    if (!expect_kind(l, node, YAML_TEXT, "`value`"))
        return false;
    const char *p = scan_number(node->text, &out->value);
    if (!p || !(out->value < 1e300 && out->value > -1e300))
        return fail(l, node, "'%.40s' is not a number, such as 64 threads, 48 KiB or 0.5",
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
           || fail_rule_at(l, ptx_yaml_position(l->source, node, (uint32_t)(p - node->text)),
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
    if (!read_rule_text(l, key, "the name of a threshold", &threshold.name))
        return false;
    if (!is_threshold_name(threshold.name))
        return fail(l, key, "a threshold has a name of small letters, digits and `_`");
    for (uint32_t i = 0; i < rule->threshold_count; i++)
        if (!strcmp(l->builder->set.thresholds[rule->threshold_first + i].name, threshold.name))
            return fail(l, key, "'%s' is given twice", threshold.name);
    if (rule->threshold_count == THRESHOLDS_MAX)
        return fail(l, key, "a rule has at most %d thresholds", (int)THRESHOLDS_MAX);
    if (!read_rule_keys(l, key->next, "a threshold", keys, 2, values))
        return false;
    if (!values[0] || !values[1])
        return fail(l, key, "a threshold has a `value` and says `what` it is");
    if (!read_amount(l, values[0], &threshold)
        || !read_rule_line(l, values[1], "`what`", &threshold.what))
        return false;
    PUSH(l, Threshold, thresholds, threshold_count, threshold);
    rule->threshold_count++;
    return true;
}

static bool read_rule_thresholds(RuleLoader *l, const YamlNode *mapping, Rule *rule)
{
    if (mapping && !expect_kind(l, mapping, YAML_MAPPING, "`thresholds`"))
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

/* ---- related places -------------------------------------------------------------------------- */

#define OF(scope) (1u << SCOPE_##scope)
#define OF_FILE (OF(MODULE) | OF(GPU))
#define OF_CODE (OF_FILE | OF(KERNEL) | OF(BLOCK) | OF(LOOP))

static const uint16_t scopes_of[SUBJECT__COUNT] = {
    [SUBJECT_MODULE] = OF_FILE,
    [SUBJECT_VARIABLE] = OF_FILE | OF(VARIABLE),
    [SUBJECT_KERNEL] = OF_FILE | OF(KERNEL),
    [SUBJECT_PARAMETER] = OF_FILE | OF(KERNEL) | OF(PARAMETER),
    [SUBJECT_REGISTER] = OF_FILE | OF(KERNEL) | OF(REGISTER),
    [SUBJECT_BLOCK] = OF_CODE,
    [SUBJECT_LOOP] = OF_FILE | OF(KERNEL) | OF(LOOP),
    [SUBJECT_BRANCH] = OF_CODE | OF(INSN) | OF(BRANCH),
    [SUBJECT_INSTRUCTION] = OF_CODE | OF(INSN),
    [SUBJECT_ACCESS] = OF_CODE | OF(INSN) | OF(ACCESS),
};

static bool is_fact(const YamlNode *node, const FactInfo *fact)
{
    const char *scope = ptx_scope_text[fact->scope];
    const size_t n = strlen(scope);
    return node->length == n + 1 + strlen(fact->name) && !memcmp(node->text, scope, n)
           && node->text[n] == '.' && !strcmp(node->text + n + 1, fact->name);
}

static bool read_place(RuleLoader *l, const YamlNode *node, const Rule *rule, uint16_t *out)
{
    const char *text;
    if (!read_rule_text(l, node, "`at`", &text))
        return false;
    for (uint32_t i = 0; i < FACT__COUNT; i++) {
        const FactInfo *fact = &ptx_fact_info[i];
        if (!is_fact(node, fact))
            continue;
        *out = (uint16_t)i;
        if (fact->type != FACT_PLACE)
            return fail(l, node, "'%s' is not a place", text);
        return scopes_of[rule->subject] >> fact->scope & 1
               || fail(l, node, "'%s' is not a fact of a rule on %s", text,
                       ptx_subject_text[rule->subject]);
    }
    return fail(l, node, "unknown fact '%.60s'", text);
}

static bool read_related(RuleLoader *l, const YamlNode *mapping, Rule *rule)
{
    static const char *const keys[] = { "at", "message" };
    YamlNode *values[2] = { 0 };
    if (!read_rule_keys(l, mapping, "`related`", keys, 2, values))
        return false;
    if (!values[0] || !values[1])
        return fail(l, mapping, "`related` has `at` and `message`");
    return read_place(l, values[0], rule, &rule->related_at)
           && read_rule_template(l, values[1], "the message of `related`", &rule->related);
}

/* ---- examples and sources -------------------------------------------------------------------- */

static bool read_example(RuleLoader *l, const YamlNode *mapping, Rule *rule)
{
    enum { TITLE, BAD, GOOD, CUDA_BAD, CUDA_GOOD, LAUNCH, GPU, COUNT };
    static const char *const keys[COUNT] = { "title",     "bad",    "good", "cuda_bad",
                                             "cuda_good", "launch", "gpu" };
    YamlNode *values[COUNT] = { 0 };
    const char *texts[COUNT] = { "" };
    if (!read_rule_keys(l, mapping, "an example", keys, COUNT, values))
        return false;
    for (int i = 0; i < COUNT; i++) {
        char what[24];
        snprintf(what, sizeof what, "`%s`", keys[i]);
        bool is_line = i == TITLE || i == GPU;
        if (values[i]
            && !(is_line ? read_rule_line(l, values[i], what, &texts[i])
                         : read_rule_text(l, values[i], what, &texts[i])))
            return false;
    }
    if (!texts[BAD] && !texts[GOOD] && !texts[CUDA_BAD] && !texts[CUDA_GOOD])
        return fail(l, mapping, "an example without `bad`, `good`, `cuda_bad` and `cuda_good`");
    PUSH(l, Example, examples, example_count,
         (Example){ texts[TITLE], texts[BAD], texts[GOOD], texts[CUDA_BAD], texts[CUDA_GOOD],
                    texts[LAUNCH], texts[GPU] });
    rule->example_count++;
    return true;
}

static bool read_rule_source(RuleLoader *l, YamlNode *node, Rule *rule)
{
    const char *text;
    if (!read_rule_line(l, node, "a source", &text))
        return false;
    PUSH(l, const char *, sources, source_count, text);
    rule->source_count++;
    return true;
}

static bool read_lists(RuleLoader *l, YamlNode **v, Rule *rule)
{
    if ((v[KEY_EXAMPLES] && !expect_kind(l, v[KEY_EXAMPLES], YAML_LIST, "`examples`"))
        || (v[KEY_SOURCES] && !expect_kind(l, v[KEY_SOURCES], YAML_LIST, "`sources`")))
        return false;
    for (YamlNode *item = v[KEY_EXAMPLES] ? v[KEY_EXAMPLES]->first : NULL; item; item = item->next)
        if (!read_example(l, item, rule))
            return false;
    for (YamlNode *item = v[KEY_SOURCES] ? v[KEY_SOURCES]->first : NULL; item; item = item->next)
        if (!read_rule_source(l, item, rule))
            return false;
    return true;
}

/* ---- codes and names ------------------------------------------------------------------------- */

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

static bool is_rule_name(const char *text, bool with_digits)
{
    const char *allowed = with_digits ? "abcdefghijklmnopqrstuvwxyz-0123456789"
                                      : "abcdefghijklmnopqrstuvwxyz-";
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
            return fail(l, at, "the %s '%.60s' is taken: line %u of this file", what, text,
                        (unsigned)line);
        }
        return fail(l, at, "the %s '%.60s' is taken by %s %s, %s", what, text, where,
                    other->info.code, other->info.name);
    }
    return true;
}

static bool check_taken(RuleLoader *l, const Rule *rule, YamlNode **v)
{
    const char *what, *text;
    for (int i = 1; i < DIAG__COUNT && !rule->is_front_end; i++)
        if (is_clash(&rule->info, &ptx_diag_info[i], &what, &text))
            return fail(l, *what == 'n' ? v[KEY_NAME] : v[KEY_CODE],
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
        return fail(l, v[KEY_CODE], "the front end does not say '%s'", code);
    if (strcmp(info->group, l->group))
        return fail(l, l->group_node, "%s is of the group '%s'", code, info->group);
    if (v[KEY_NAME] && !ptx_yaml_is(v[KEY_NAME], info->name))
        return fail(l, v[KEY_NAME], "the name of %s is '%s'", code, info->name);
    if (v[KEY_SEVERITY]
        && !read_rule_word(l, v[KEY_SEVERITY], "severity", severities, 4, &severity))
        return false;
    return !v[KEY_SEVERITY] || severity == info->severity
        || fail(l, v[KEY_SEVERITY], "the severity of %s is '%s'", code, severities[info->severity]);
}

static bool read_own_info(RuleLoader *l, YamlNode **v, DiagInfo *info)
{
    uint8_t severity;
    info->group = l->group;
    if (!read_rule_text(l, v[KEY_NAME], "`name`", &info->name))
        return false;
    if (!is_rule_name(info->name, true))
        return fail(l, v[KEY_NAME],
                    "a name is of small letters, digits and `-`, such as full-precision-in-loop");
    if (is_like_code(info->name))
        return fail(l, v[KEY_NAME], "a name that looks like a code");
    if (!read_rule_word(l, v[KEY_SEVERITY], "severity", severities, 4, &severity))
        return false;
    info->severity = (Severity)severity;
    return true;
}

static bool read_info(RuleLoader *l, YamlNode **v, Rule *rule)
{
    if (!read_rule_text(l, v[KEY_CODE], "`code`", &rule->info.code))
        return false;
    if (!is_code(rule->info.code))
        return fail(l, v[KEY_CODE],
                    "a code is two to four capitals and three digits, such as THR102");
    if (!(rule->is_front_end ? read_front_end_info(l, v, &rule->info)
                             : read_own_info(l, v, &rule->info)))
        return false;
    return check_taken(l, rule, v);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool check_rule_keys(RuleLoader *l, const YamlNode *mapping, YamlNode **v, const Rule *rule)
{
    const bool has_code = v[KEY_CODE] && v[KEY_CODE]->kind == YAML_TEXT;
    for (int i = 0; i < KEY__COUNT; i++) {
        if (v[i] && rule->is_front_end && !uses[i].may_front_end)
            return fail(l, v[i], "a rule of the front end has no `%s`", rule_keys[i]);
        const bool is_needed = rule->is_front_end ? uses[i].is_front_end_needed : uses[i].is_needed;
        if (!v[i] && is_needed && has_code)
            return fail(l, mapping, "rule '%.20s' has no `%s`", v[KEY_CODE]->text, rule_keys[i]);
        if (!v[i] && is_needed)
            return fail(l, mapping, "a rule without `%s`", rule_keys[i]);
    }
    return true;
}

static bool has_loop(Subject subject)
{
    return subject == SUBJECT_BLOCK || subject == SUBJECT_LOOP || subject == SUBJECT_BRANCH
           || subject == SUBJECT_INSTRUCTION || subject == SUBJECT_ACCESS;
}

static bool read_fold(RuleLoader *l, const YamlNode *node, Rule *rule)
{
    static const char *const folds[] = { "", "loop", "nest", "kernel", "none", "statement" };
    const Subject subject = (Subject)rule->subject;
    uint8_t number;
    rule->fold = has_loop(subject) && subject != SUBJECT_LOOP ? FOLD_LOOP : FOLD_NONE;
    if (!node)
        return true;
    if (!read_rule_word(l, node, "fold", folds, 6, &number))
        return false;
    rule->fold = (uint8_t)(number - 1);
    if ((rule->fold == FOLD_LOOP || rule->fold == FOLD_NEST) && !has_loop(subject))
        return fail(l, node, "a %s is in no loop", ptx_subject_text[subject]);
    if (rule->fold == FOLD_STATEMENT && subject != SUBJECT_REGISTER)
        return fail(l, node, "only registers share a statement");
    return rule->fold != FOLD_KERNEL || (subject != SUBJECT_MODULE && subject != SUBJECT_VARIABLE)
        || fail(l, node, "a %s is in no kernel", ptx_subject_text[subject]);
}

/* Only what a finding marks as a statement, or declares, can go. */
static bool read_removal(RuleLoader *l, const YamlNode *node, Rule *rule)
{
    static const char *const words[] = { "", "safe", "unsafe" };
    const Subject subject = (Subject)rule->subject;
    if (!node)
        return true;
    if (subject != SUBJECT_INSTRUCTION && subject != SUBJECT_VARIABLE
        && subject != SUBJECT_REGISTER)
        return fail(l, node, "`remove` is for instructions and declarations, not for a %s",
                    ptx_subject_text[subject]);
    return read_rule_word(l, node, "kind of removal", words, 3, &rule->removal);
}

static bool read_message(RuleLoader *l, YamlNode *node, Rule *rule)
{
    if (!read_rule_template(l, node, "`message`", &rule->message))
        return false;
    return node->text[node->length - 1] != '.'
           || fail_rule_at(l, ptx_yaml_position(l->source, node, node->length - 1),
                           "a message ends without a full stop");
}

static bool read_gain(RuleLoader *l, YamlNode **v, Rule *rule)
{
    static const Unit percent = { { [UNIT_PERCENT] = 1 } };     /* or a plain number */
    static const char *const bases[] = { "", "issue-slots", "time" }, *const folds[] = { "", "sum",
                                                                                         "most" };
    uint8_t base = 1 + GAIN_OF_SLOTS, fold = 1;
    if (!v[KEY_GAIN]) {
        const YamlNode *of_gain = v[KEY_GAIN_OF] ? v[KEY_GAIN_OF] : v[KEY_GAIN_FOLD];
        return !of_gain || fail(l, of_gain, "there is no `gain`");
    }
    if (!read_rule_expression(l, v[KEY_GAIN], "`gain`", FACT_NUMBER, &percent, &rule->gain)
        || (v[KEY_GAIN_OF]
            && !read_rule_word(l, v[KEY_GAIN_OF], "basis of a gain", bases, 3, &base))
        || (v[KEY_GAIN_FOLD]
            && !read_rule_word(l, v[KEY_GAIN_FOLD], "fold of gains", folds, 3, &fold)))
        return false;
    rule->gain_of = (uint8_t)(base - 1);
    rule->takes_most = fold == 2;
    return true;
}

/* Expressions and templates; thresholds and the subject come first, for they may name them. */
static bool read_code(RuleLoader *l, YamlNode **v, Rule *rule)
{
    static const char *const needs[] = { "", "exact", "bound", "estimate" };
    rule->needs = CERTAINTY_ESTIMATE;
    if (!read_rule_word(l, v[KEY_ON], "subject", ptx_subject_text, SUBJECT__COUNT, &rule->subject))
        return false;
    return read_rule_thresholds(l, v[KEY_THRESHOLDS], rule)
           && (!v[KEY_NEEDS]
               || read_rule_word(l, v[KEY_NEEDS], "certainty", needs, 4, &rule->needs))
           && read_fold(l, v[KEY_FOLD], rule) && read_removal(l, v[KEY_REMOVE], rule)
           && read_condition(l, v[KEY_WHEN], rule)
           && (!v[KEY_NOTE_IF]
               || read_rule_expression(l, v[KEY_NOTE_IF], "`note_if`", FACT_TRUTH, NULL,
                                       &rule->note_if))
           && read_message(l, v[KEY_MESSAGE], rule)
           && (!v[KEY_LABEL] || read_rule_template(l, v[KEY_LABEL], "`label`", &rule->label))
           && (!v[KEY_HELP] || read_rule_template(l, v[KEY_HELP], "`help`", &rule->help))
           && (!v[KEY_AT] || read_place(l, v[KEY_AT], rule, &rule->at))
           && (!v[KEY_RELATED] || read_related(l, v[KEY_RELATED], rule)) && read_gain(l, v, rule);
}

static bool is_front_end_group(const char *group)
{
    for (int i = 1; i < DIAG__COUNT; i++)
        if (!strcmp(ptx_diag_info[i].group, group))
            return true;
    return false;
}

static bool read_rule_mapping(RuleLoader *l, const YamlNode *mapping)
{
    const RuleSet *set = &l->builder->set;
    YamlNode *v[KEY__COUNT] = { 0 };
    Rule rule = { .at = FACT__COUNT,
                  .related_at = FACT__COUNT,
                  .condition = "",
                  .threshold_first = set->threshold_count,
                  .example_first = set->example_count,
                  .source_first = set->source_count };
    if (!read_rule_keys(l, mapping, "a rule", rule_keys, KEY__COUNT, v))
        return false;
    if ((v[KEY_FRONT_END] && !read_truth(l, v[KEY_FRONT_END], "`front_end`", &rule.is_front_end))
        || (v[KEY_PREVIEW] && !read_truth(l, v[KEY_PREVIEW], "`preview`", &rule.is_preview)))
        return false;
    if (!check_rule_keys(l, mapping, v, &rule) || !read_info(l, v, &rule)
        || (v[KEY_MINOR] && !read_truth(l, v[KEY_MINOR], "`minor`", &rule.info.is_minor)))
        return false;
    if (!rule.is_front_end && is_front_end_group(l->group))
        return fail(l, l->group_node, "the group '%s' is of ptxlint itself, and takes no rules",
                    l->group);
    if (!rule.is_front_end && !read_code(l, v, &rule))
        return false;
    if (!read_rule_line(l, v[KEY_SUMMARY], "`summary`", &rule.summary)
        || !read_rule_text(l, v[KEY_DOC], "`doc`", &rule.doc) || !read_lists(l, v, &rule))
        return false;
    if (set->rule_count == RULES_MAX)
        return fail(l, mapping, "more than %d rules", (int)RULES_MAX);
    l->places[set->rule_count - l->first_rule] = v[KEY_CODE]->at;
    PUSH(l, Rule, rules, rule_count, rule);
    return true;
}

static bool read_file(RuleLoader *l, const YamlNode *root)
{
    static const char *const keys[] = { "group", "rules" };
    YamlNode *values[2] = { 0 };
    if (root->kind != YAML_MAPPING)
        return fail(l, root, "a file of rules is a mapping with `group` and `rules`");
    if (!read_rule_keys(l, root, "a file of rules", keys, 2, values))
        return false;
    if (!values[0] || !values[1])
        return fail(l, root, "a file of rules has `group` and `rules`: `%s` is not there",
                    keys[values[0] != NULL]);
    if (!read_rule_text(l, values[0], "`group`", &l->group)
        || !expect_kind(l, values[1], YAML_LIST, "`rules`"))
        return false;
    if (!is_rule_name(l->group, false))
        return fail(l, values[0], "a group has a name of small letters and `-`");
    l->group_node = values[0];
    l->places = ptx_arena_array(l->builder->arena, uint32_t, values[1]->count + 1);
    for (const YamlNode *item = values[1]->first; item; item = item->next)
        if (!read_rule_mapping(l, item))
            return false;
    return true;
}

bool ptx_rules_load(RuleBuilder *builder, const RuleSet *known, const char *yaml, size_t length,
                    RuleError *error)
{
    const RuleBuilder before = *builder;
    YamlError wrong = { 0 };
    RuleLoader l = {
        .builder = builder, .known = known, .error = error, .first_rule = builder->set.rule_count
    };
    if (length > RULE_FILE_BYTES_MAX)
        return fail_rule_at(&l, 0, "longer than %d bytes", (int)RULE_FILE_BYTES_MAX);
    l.source = (YamlSource){ .bytes = yaml, .length = (uint32_t)length };
    const YamlNode *root = ptx_yaml_read(builder->arena, l.source, &wrong);
    if (!root)
        return fail_rule_at(&l, wrong.at, "%s", wrong.text);
    if (read_file(&l, root))
        return true;
    *builder = before;
    return false;
}

static int by_code(const void *pa, const void *pb)
{
    const Rule *a = pa, *b = pb;
    return strcmp(a->info.code, b->info.code);
}

/* In a copy: whoever has a pointer to a rule keeps it. */
void ptx_rules_finish(RuleBuilder *builder)
{
    RuleSet *set = &builder->set;
    uint32_t room = 8;
    while (room < set->rule_count)
        room *= 2;
    Rule *sorted = ptx_arena_array(builder->arena, Rule, room);
    if (set->rule_count) {
        memcpy(sorted, set->rules, set->rule_count * sizeof *sorted);
        qsort(sorted, set->rule_count, sizeof *sorted, by_code);
    }
    set->rules = sorted;
}
