/* rules.c -- rules and facts behind the public interface. */
#include "findings/rules.h"

#include "gpu/gpu.h"
#include "rules/lang/load.h"
#include "support/guard.h"
#include "support/words.h"

#include <stdio.h>
#include <stdlib.h>

/* a longer name that is misspelt is near no other */
enum { SUGGEST_BYTES_MAX = 48 };

struct ptxlint_rules {
    Arena arena;                        /* texts, tables and views of all files */
    RuleBuilder builder;
    const ptxlint_rule *views;          /* per rule of builder.set */
};

static const char *text_of_unit(const Unit *unit)
{
    for (int i = 0; i < UNIT__COUNT; i++)
        if (unit->of[i])
            return ptx_unit_text[i];
    return "";
}

/* ---- views ----------------------------------------------------------------------------------- */

static const ptxlint_example *view_examples(Arena *arena, const RuleSet *set, const Rule *rule)
{
    ptxlint_example *views = ptx_arena_array(arena, ptxlint_example, rule->example_count);
    for (uint32_t i = 0; i < rule->example_count; i++) {
        const Example *e = &set->examples[rule->example_first + i];
        views[i] = (ptxlint_example){ e->title,     e->bad,    e->good, e->cuda_bad,
                                      e->cuda_good, e->launch, e->gpu };
    }
    return views;
}

static const ptxlint_threshold *view_thresholds(Arena *arena, const RuleSet *set, const Rule *rule)
{
    ptxlint_threshold *views = ptx_arena_array(arena, ptxlint_threshold, rule->threshold_count);
    for (uint32_t i = 0; i < rule->threshold_count; i++) {
        const Threshold *t = &set->thresholds[rule->threshold_first + i];
        views[i] = (ptxlint_threshold){ t->name, t->what, text_of_unit(&t->unit), t->value };
    }
    return views;
}

/* The same for the rules of the tree is done by tools/gen_rules.c. */
static ptxlint_rule view_rule(Arena *arena, const RuleSet *set, const Rule *r)
{
    return (ptxlint_rule){
        .code = r->info.code,
        .name = r->info.name,
        .group = r->info.group,
        .severity = (int)r->info.severity,
        .certainty = r->needs,
        .subject = ptx_subject_text[r->subject],
        .is_preview = r->is_preview,
        .is_front_end = r->is_front_end,
        .condition = r->condition,
        .summary = r->summary,
        .doc = r->doc,
        .examples = view_examples(arena, set, r),
        .example_count = r->example_count,
        .thresholds = view_thresholds(arena, set, r),
        .threshold_count = r->threshold_count,
        .sources = set->sources ? set->sources + r->source_first : NULL,
        .source_count = r->source_count,
    };
}

static const ptxlint_rule *view_set(Arena *arena, const RuleSet *set)
{
    ptxlint_rule *views = ptx_arena_array(arena, ptxlint_rule, set->rule_count);
    for (uint32_t i = 0; i < set->rule_count; i++)
        views[i] = view_rule(arena, set, &set->rules[i]);
    return views;
}

/* ---- a user's rules -------------------------------------------------------------------------- */

typedef struct RulesStart {
    ptxlint_rules *rules;
    ptxlint_status result;
} RulesStart;

static void start_rules_guarded(void *context)
{
    RulesStart *call = context;
    ptx_rule_builder_init(&call->rules->builder, &call->rules->arena);
    call->result = PTXLINT_OK;
}

static ptxlint_status start_rule_set(ptxlint_rules *rules)
{
    RulesStart call = { rules, PTXLINT_NO_MEMORY };
    ptx_arena_init(&rules->arena, (size_t)1 << 30, NULL);
    ptx_run_guarded_in(&rules->arena, start_rules_guarded, &call);
    return call.result;
}

ptxlint_status ptxlint_rules_new(ptxlint_rules **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_rules *rules = calloc(1, sizeof *rules);
    if (!rules)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = start_rule_set(rules);
    if (status != PTXLINT_OK) {
        ptxlint_rules_free(rules);
        return status;
    }
    *out = rules;
    return PTXLINT_OK;
}

typedef struct RulesAdd {
    ptxlint_rules *rules;
    const char *yaml;
    size_t length;
    RuleError *error;
    ptxlint_status result;
} RulesAdd;

static void add_guarded(void *context)
{
    RulesAdd *call = context;
    ptxlint_rules *rules = call->rules;
    call->result = PTXLINT_BAD_FILE;
    if (!ptx_rules_load(&rules->builder, &ptx_rules, call->yaml, call->length, call->error))
        return;
    ptx_rules_finish(&rules->builder);
    rules->views = view_set(&rules->arena, &rules->builder.set);
    call->result = PTXLINT_OK;
}

static ptxlint_status add(ptxlint_rules *rules, const char *yaml, size_t length, RuleError *error)
{
    RulesAdd call = { rules, yaml, length, error, PTXLINT_NO_MEMORY };
    bool is_complete = ptx_run_guarded_in(&rules->arena, add_guarded, &call);
    return is_complete ? call.result : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_rules_add(ptxlint_rules *rules, const char *path, const char *yaml,
                                 size_t length, char *error, size_t error_size)
{
    RuleError wrong = { 0 };
    if (!rules || (!yaml && length))
        return PTXLINT_BAD_ARGUMENT;
    const RuleBuilder before = rules->builder;
    const ArenaMark mark = ptx_arena_mark(&rules->arena);
    ptxlint_status status = add(rules, yaml ? yaml : "", length, &wrong);
    if (status == PTXLINT_OK)
        return status;
    rules->builder = before;            /* views is set last, and only when all is well */
    ptx_arena_release(&rules->arena, mark);
    if (status == PTXLINT_BAD_FILE && error && error_size)
        snprintf(error, error_size, "%s:%u:%u: error: %s", path ? path : "-", (unsigned)wrong.line,
                 (unsigned)wrong.column, wrong.text);
    return status;
}

void ptxlint_rules_free(ptxlint_rules *rules)
{
    if (!rules)
        return;
    ptx_arena_free(&rules->arena);
    free(rules);
}

const RuleSet *ptx_rules_set(const ptxlint_rules *rules)
{
    return rules ? &rules->builder.set : NULL;
}

/* ---- finding --------------------------------------------------------------------------------- */

const ptxlint_rule *ptxlint_rule_at(const ptxlint_rules *rules, size_t index)
{
    if (index < ptx_rules.rule_count)
        return &ptx_rule_views[index];
    index -= ptx_rules.rule_count;
    return rules && index < rules->builder.set.rule_count ? &rules->views[index] : NULL;
}

static bool is_same(const char *a, const char *b)
{
    while (*a && ptx_ascii_lower(*a) == ptx_ascii_lower(*b)) {
        a++;
        b++;
    }
    return ptx_ascii_lower(*a) == ptx_ascii_lower(*b);
}

const ptxlint_rule *ptxlint_rule_find(const ptxlint_rules *rules, const char *code_or_name)
{
    const ptxlint_rule *rule;
    for (size_t i = 0; code_or_name && (rule = ptxlint_rule_at(rules, i)); i++)
        if (is_same(rule->code, code_or_name) || is_same(rule->name, code_or_name))
            return rule;
    return NULL;
}

/* Index of a code in a set, which is sorted by them; rule_count: it is not there. */
static uint32_t find_code(const RuleSet *set, const char *code)
{
    uint32_t low = 0, high = set->rule_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(set->rules[middle].info.code, code);
        if (!order)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return set->rule_count;
}

bool ptx_rule_index(const ptxlint_rules *rules, const ptxlint_rule *rule, uint32_t *set,
                    uint32_t *index)
{
    const RuleSet *const sets[] = { &ptx_rules, ptx_rules_set(rules) };
    for (*set = 0; rule && *set < 2; ++*set) {
        if (!sets[*set])
            continue;
        *index = find_code(sets[*set], rule->code);
        if (*index < sets[*set]->rule_count)
            return true;
    }
    return false;
}

/* In small letters, so that case makes no distance; 0: too long. */
static size_t lower(const char *text, char out[SUGGEST_BYTES_MAX])
{
    size_t n = strlen(text);
    if (n > SUGGEST_BYTES_MAX)
        return 0;
    for (size_t i = 0; i < n; i++)
        out[i] = ptx_ascii_lower(text[i]);
    return n;
}

const char *ptxlint_rule_suggest(const ptxlint_rules *rules, const char *text)
{
    char wanted[SUGGEST_BYTES_MAX], word[SUGGEST_BYTES_MAX];
    const size_t length = text ? lower(text, wanted) : 0;
    const char *near = NULL;
    /* of a short text, nearly all that is left would be near */
    unsigned best = 2;
    if (length > 3)
        best = length > 6 ? 4 : 3;
    const ptxlint_rule *rule;
    for (size_t i = 0; length && (rule = ptxlint_rule_at(rules, i)); i++) {
        const char *const words[] = { rule->code, rule->name, rule->group };
        for (size_t w = 0; w < 3; w++) {
            size_t n = lower(words[w], word);
            unsigned distance = ptx_edit_distance(wanted, length, word, n);
            if (n && distance < best) {
                best = distance;
                near = words[w];
            }
        }
    }
    return near;
}

/* ---- facts ----------------------------------------------------------------------------------- */

int ptxlint_fact_at(size_t index, ptxlint_fact *out)
{
    static const char *const types[] = { "truth", "number", "word", "text", "place" };
    static const char *const certainties[] = { "", "exact", "bound", "estimate" };
    if (!out || index >= (size_t)FACT__COUNT + FIGURE__COUNT)
        return 0;
    if (index >= FACT__COUNT) {
        const FigureInfo *figure = &ptx_figure_info[index - FACT__COUNT];
        *out = (ptxlint_fact){ "gpu", figure->key, "number", figure->unit, "exact", figure->what };
        return 1;
    }
    const FactInfo *fact = &ptx_fact_info[index];
    *out = (ptxlint_fact){ ptx_scope_text[fact->scope],
                           fact->name,
                           types[fact->type],
                           fact->domain ? ptx_domain_text[fact->domain] : text_of_unit(&fact->unit),
                           certainties[fact->certainty],
                           fact->what };
    return 1;
}
