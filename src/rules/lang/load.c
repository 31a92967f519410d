/* load.c -- a file of rules, key by key. Tables say which keys there are; every complaint says
 * where it is. The tree of the file is the arena's, and so the rules keep its texts as they are. */
#include "rules/lang/loader.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const rule_keys[KEY__COUNT] = {
    "code",      "name",       "severity", "preview", "minor",
    "on",        "when",       "needs",    "note_if",
    "fold",      "at",         "message",  "label",   "help",     "related", "gain",      "gain_of",
    "gain_fold", "gain_is",    "thresholds", "summary", "doc",    "examples", "sources",
    "front_end", "remove",
};

/* The place of each key: must it be there in a rule, may it in one of the front end, must it. */
static const struct { bool is_needed, may_front_end, is_front_end_needed; } uses[KEY__COUNT] = {
    [KEY_CODE] = { true, true, true },      [KEY_NAME] = { true, true, false },     [KEY_SEVERITY] = { true, true, false },
    [KEY_ON] = { true, false, false },      [KEY_WHEN] = { true, false, false },    [KEY_MESSAGE] = { true, false, false },
    [KEY_SUMMARY] = { true, true, true },   [KEY_DOC] = { true, true, true },       [KEY_EXAMPLES] = { false, true, false },
    [KEY_SOURCES] = { false, true, false }, [KEY_FRONT_END] = { false, true, false },
};

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
    if (!ptx_loader_text(l, node, "`at`", &text))
        return false;
    for (uint32_t i = 0; i < FACT__COUNT; i++) {
        const FactInfo *fact = &ptx_fact_info[i];
        if (!is_fact(node, fact))
            continue;
        *out = (uint16_t)i;
        if (fact->type != FACT_PLACE)
            return LOADER_FAIL(l, node, "'%s' is not a place", text);
        return scopes_of[rule->subject] >> fact->scope & 1
               || LOADER_FAIL(l, node, "'%s' is not a fact of a rule on %s", text,
                              ptx_subject_text[rule->subject]);
    }
    return LOADER_FAIL(l, node, "unknown fact '%.60s'", text);
}

static bool read_related(RuleLoader *l, const YamlNode *mapping, Rule *rule)
{
    static const char *const keys[] = { "at", "message" };
    YamlNode *values[2] = { 0 };
    if (!ptx_loader_keys(l, mapping, "`related`", keys, 2, values))
        return false;
    if (!values[0] || !values[1])
        return LOADER_FAIL(l, mapping, "`related` has `at` and `message`");
    return read_place(l, values[0], rule, &rule->related_at)
           && ptx_loader_template(l, values[1], "the message of `related`", &rule->related);
}

/* ---- examples and sources -------------------------------------------------------------------- */

static bool read_example(RuleLoader *l, const YamlNode *mapping, Rule *rule)
{
    enum { TITLE, BAD, GOOD, CUDA_BAD, CUDA_GOOD, LAUNCH, GPU, COUNT };
    static const char *const keys[COUNT] = { "title",     "bad",    "good", "cuda_bad",
                                             "cuda_good", "launch", "gpu" };
    YamlNode *values[COUNT] = { 0 };
    const char *texts[COUNT] = { "" };
    if (!ptx_loader_keys(l, mapping, "an example", keys, COUNT, values))
        return false;
    for (int i = 0; i < COUNT; i++) {
        char what[24];
        snprintf(what, sizeof what, "`%s`", keys[i]);
        bool is_line = i == TITLE || i == GPU;
        if (values[i]
            && !(is_line ? ptx_loader_line(l, values[i], what, &texts[i])
                         : ptx_loader_text(l, values[i], what, &texts[i])))
            return false;
    }
    if (!texts[BAD] && !texts[GOOD] && !texts[CUDA_BAD] && !texts[CUDA_GOOD])
        return LOADER_FAIL(l, mapping,
                           "an example without `bad`, `good`, `cuda_bad` and `cuda_good`");
    LOADER_PUSH(l, Example, examples, example_count,
                (Example){ texts[TITLE], texts[BAD], texts[GOOD], texts[CUDA_BAD], texts[CUDA_GOOD],
                           texts[LAUNCH], texts[GPU] });
    rule->example_count++;
    return true;
}

static bool read_rule_source(RuleLoader *l, YamlNode *node, Rule *rule)
{
    const char *text;
    if (!ptx_loader_line(l, node, "a source", &text))
        return false;
    LOADER_PUSH(l, const char *, sources, source_count, text);
    rule->source_count++;
    return true;
}

static bool read_lists(RuleLoader *l, YamlNode **v, Rule *rule)
{
    if ((v[KEY_EXAMPLES] && !ptx_loader_expect(l, v[KEY_EXAMPLES], YAML_LIST, "`examples`"))
        || (v[KEY_SOURCES] && !ptx_loader_expect(l, v[KEY_SOURCES], YAML_LIST, "`sources`")))
        return false;
    for (YamlNode *item = v[KEY_EXAMPLES] ? v[KEY_EXAMPLES]->first : NULL; item; item = item->next)
        if (!read_example(l, item, rule))
            return false;
    for (YamlNode *item = v[KEY_SOURCES] ? v[KEY_SOURCES]->first : NULL; item; item = item->next)
        if (!read_rule_source(l, item, rule))
            return false;
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool check_rule_keys(RuleLoader *l, const YamlNode *mapping, YamlNode **v, const Rule *rule)
{
    const bool has_code = v[KEY_CODE] && v[KEY_CODE]->kind == YAML_TEXT;
    for (int i = 0; i < KEY__COUNT; i++) {
        if (v[i] && rule->is_front_end && !uses[i].may_front_end)
            return LOADER_FAIL(l, v[i], "a rule of the front end has no `%s`", rule_keys[i]);
        const bool is_needed = rule->is_front_end ? uses[i].is_front_end_needed : uses[i].is_needed;
        if (!v[i] && is_needed && has_code)
            return LOADER_FAIL(l, mapping, "rule '%.20s' has no `%s`", v[KEY_CODE]->text,
                               rule_keys[i]);
        if (!v[i] && is_needed)
            return LOADER_FAIL(l, mapping, "a rule without `%s`", rule_keys[i]);
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
    if (!ptx_loader_word(l, node, "fold", folds, 6, &number))
        return false;
    rule->fold = (uint8_t)(number - 1);
    if ((rule->fold == FOLD_LOOP || rule->fold == FOLD_NEST) && !has_loop(subject))
        return LOADER_FAIL(l, node, "a %s is in no loop", ptx_subject_text[subject]);
    if (rule->fold == FOLD_STATEMENT && subject != SUBJECT_REGISTER)
        return LOADER_FAIL(l, node, "only registers share a statement");
    return rule->fold != FOLD_KERNEL || (subject != SUBJECT_MODULE && subject != SUBJECT_VARIABLE)
           || LOADER_FAIL(l, node, "a %s is in no kernel", ptx_subject_text[subject]);
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
        return LOADER_FAIL(l, node, "`remove` is for instructions and declarations, not for a %s",
                           ptx_subject_text[subject]);
    return ptx_loader_word(l, node, "kind of removal", words, 3, &rule->removal);
}

static bool read_message(RuleLoader *l, YamlNode *node, Rule *rule)
{
    if (!ptx_loader_template(l, node, "`message`", &rule->message))
        return false;
    return node->text[node->length - 1] != '.'
           || ptx_loader_fail(l, ptx_yaml_position(l->source, node, node->length - 1),
                              "a message ends without a full stop");
}

static bool read_gain(RuleLoader *l, YamlNode **v, Rule *rule)
{
    static const Unit percent = { { [UNIT_PERCENT] = 1 } };     /* or a plain number */
    static const char *const bases[] = { "", "issue-slots", "time" };
    static const char *const folds[] = { "", "sum", "most", "together" };
    static const char *const measures[] = { "", "mean", "most" };
    uint8_t base = 1 + GAIN_OF_SLOTS, fold = 1, measure = 1;
    if (!v[KEY_GAIN]) {
        const YamlNode *of_gain = v[KEY_GAIN_OF] ? v[KEY_GAIN_OF] : v[KEY_GAIN_FOLD];
        of_gain = of_gain ? of_gain : v[KEY_GAIN_IS];
        return !of_gain || LOADER_FAIL(l, of_gain, "there is no `gain`");
    }
    if (!ptx_loader_expression(l, v[KEY_GAIN], "`gain`", FACT_NUMBER, &percent, &rule->gain)
        || (v[KEY_GAIN_OF]
            && !ptx_loader_word(l, v[KEY_GAIN_OF], "basis of a gain", bases, 3, &base))
        || (v[KEY_GAIN_FOLD]
            && !ptx_loader_word(l, v[KEY_GAIN_FOLD], "fold of gains", folds, 4, &fold))
        || (v[KEY_GAIN_IS]
            && !ptx_loader_word(l, v[KEY_GAIN_IS], "measure of a gain", measures, 3, &measure)))
        return false;
    rule->info.is_gain_most = measure == 2;
    rule->gain_of = (uint8_t)(base - 1);
    rule->gain_fold = (uint8_t)(fold - 1);
    return true;
}

/* Expressions and templates; thresholds and the subject come first, for they may name them. */
static bool read_code(RuleLoader *l, YamlNode **v, Rule *rule)
{
    static const char *const needs[] = { "", "exact", "bound", "estimate" };
    rule->needs = CERTAINTY_ESTIMATE;
    if (!ptx_loader_word(l, v[KEY_ON], "subject", ptx_subject_text, SUBJECT__COUNT, &rule->subject))
        return false;
    return ptx_loader_thresholds(l, v[KEY_THRESHOLDS], rule)
           && (!v[KEY_NEEDS]
               || ptx_loader_word(l, v[KEY_NEEDS], "certainty", needs, 4, &rule->needs))
           && read_fold(l, v[KEY_FOLD], rule) && read_removal(l, v[KEY_REMOVE], rule)
           && ptx_loader_condition(l, v[KEY_WHEN], rule)
           && (!v[KEY_NOTE_IF]
               || ptx_loader_expression(l, v[KEY_NOTE_IF], "`note_if`", FACT_TRUTH, NULL,
                                        &rule->note_if))
           && read_message(l, v[KEY_MESSAGE], rule)
           && (!v[KEY_LABEL] || ptx_loader_template(l, v[KEY_LABEL], "`label`", &rule->label))
           && (!v[KEY_HELP] || ptx_loader_template(l, v[KEY_HELP], "`help`", &rule->help))
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
    if (!ptx_loader_keys(l, mapping, "a rule", rule_keys, KEY__COUNT, v))
        return false;
    if ((v[KEY_FRONT_END]
         && !ptx_loader_truth(l, v[KEY_FRONT_END], "`front_end`", &rule.is_front_end))
        || (v[KEY_PREVIEW] && !ptx_loader_truth(l, v[KEY_PREVIEW], "`preview`", &rule.is_preview)))
        return false;
    if (!check_rule_keys(l, mapping, v, &rule) || !ptx_loader_info(l, v, &rule)
        || (v[KEY_MINOR] && !ptx_loader_truth(l, v[KEY_MINOR], "`minor`", &rule.info.is_minor)))
        return false;
    if (!rule.is_front_end && is_front_end_group(l->group))
        return LOADER_FAIL(l, l->group_node,
                           "the group '%s' is of ptxlint itself, and takes no rules", l->group);
    rule.is_locked = rule.is_front_end && strcmp(l->group, "suppression") != 0;
    if (!rule.is_front_end && !read_code(l, v, &rule))
        return false;
    if (!ptx_loader_line(l, v[KEY_SUMMARY], "`summary`", &rule.summary)
        || !ptx_loader_text(l, v[KEY_DOC], "`doc`", &rule.doc) || !read_lists(l, v, &rule))
        return false;
    if (set->rule_count == RULES_MAX)
        return LOADER_FAIL(l, mapping, "more than %d rules", (int)RULES_MAX);
    l->places[set->rule_count - l->first_rule] = v[KEY_CODE]->at;
    LOADER_PUSH(l, Rule, rules, rule_count, rule);
    return true;
}

static bool read_file(RuleLoader *l, const YamlNode *root)
{
    static const char *const keys[] = { "group", "rules" };
    YamlNode *values[2] = { 0 };
    if (root->kind != YAML_MAPPING)
        return LOADER_FAIL(l, root, "a file of rules is a mapping with `group` and `rules`");
    if (!ptx_loader_keys(l, root, "a file of rules", keys, 2, values))
        return false;
    if (!values[0] || !values[1])
        return LOADER_FAIL(l, root, "a file of rules has `group` and `rules`: `%s` is not there",
                           keys[values[0] != NULL]);
    if (!ptx_loader_text(l, values[0], "`group`", &l->group)
        || !ptx_loader_expect(l, values[1], YAML_LIST, "`rules`"))
        return false;
    if (!ptx_loader_is_name(l->group, false))
        return LOADER_FAIL(l, values[0], "a group has a name of small letters and `-`");
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
        return ptx_loader_fail(&l, 0, "longer than %d bytes", (int)RULE_FILE_BYTES_MAX);
    l.source = (YamlSource){ .bytes = yaml, .length = (uint32_t)length };
    const YamlNode *root = ptx_yaml_read(builder->arena, l.source, &wrong);
    if (!root)
        return ptx_loader_fail(&l, wrong.at, "%s", wrong.text);
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
