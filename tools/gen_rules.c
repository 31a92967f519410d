/* gen_rules FILE.yaml... > rules.c -- the files of rules as C tables, written with the reader that
 * reads a user's files at run time: the RuleSet that the engine evaluates, the views of the public
 * interface (src/findings/rules.h), and what can name a rule (src/rules/lang/selector.h). */
#include "rules/lang/selector.h"
#include "rules/lang/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading --------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(RULE_FILE_BYTES_MAX + 1);
    if (!file || !bytes) {
        perror(path);
        exit(1);
    }
    *length = fread(bytes, 1, RULE_FILE_BYTES_MAX + 1, file);
    fclose(file);
    return bytes;
}

/* True: all could be read. Goes on behind a bad file, so that one build tells of all. */
static bool load_all(RuleBuilder *builder, int count, char **paths)
{
    bool is_good = true;
    for (int i = 0; i < count; i++) {
        RuleError error = { 0 };
        size_t length;
        char *yaml = read_file(paths[i], &length);
        if (!ptx_rules_load(builder, NULL, yaml, length, &error)) {
            fprintf(stderr, "%s:%u:%u: error: %s\n", paths[i], (unsigned)error.line,
                    (unsigned)error.column, error.text);
            is_good = false;
        }
        free(yaml);
    }
    return is_good;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A new literal for each line of the text and every 100 bytes; what may be read otherwise, in
 * octal. */
static void put_text(const char *text)
{
    if (!text) {
        fputs("NULL", stdout);
        return;
    }
    putchar('"');
    for (int column = 1; *text; text++, column++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '\n')
            fputs("\\n", stdout);
        else if (c < ' ' || c >= 0x7F)
            printf("\\%03o", (unsigned)c);
        else
            printf(c == '"' || c == '\\' || c == '?' ? "\\%c" : "%c", c);
        if (text[1] && (c == '\n' || column >= 100)) {
            fputs("\"\n        \"", stdout);
            column = 0;
        }
    }
    putchar('"');
}

static void put_texts(const char *const *texts, int count)
{
    for (int i = 0; i < count; i++) {
        put_text(texts[i]);
        fputs(i + 1 < count ? ", " : "", stdout);
    }
}

static void put_number(double value)
{
    if (isnan(value))
        fputs("(double)NAN", stdout);
    else if (isinf(value))
        fputs(value < 0 ? "-(double)INFINITY" : "(double)INFINITY", stdout);
    else
        printf("%.17g", value);
}

static void put_unit(const Unit *unit)
{
    fputs("{ {", stdout);
    for (size_t i = 0; i < sizeof unit->of; i++)
        printf(" %d,", unit->of[i]);
    fputs(" } }", stdout);
}

static const char *text_of_unit(const Unit *unit)
{
    for (int i = 0; i < UNIT__COUNT; i++)
        if (unit->of[i])
            return ptx_unit_text[i];
    return "";
}

static void put_program(const Program *program)
{
    printf("{ %u, %u }", (unsigned)program->first, (unsigned)program->count);
}

static void put_template(const char *name, const Template *template)
{
    printf(" .%s = { %u, %u },", name, (unsigned)template->first, (unsigned)template->count);
}

/* ---- tables: each ends with an empty row, for C has no empty arrays -------------------------- */

static void put_codes(const RuleSet *set)
{
    printf("static const Code codes[] = {\n");
    for (uint32_t i = 0; i < set->code_count; i++)
        printf("    { %u, %u, %u },\n", (unsigned)set->codes[i].kind, (unsigned)set->codes[i].count,
               (unsigned)set->codes[i].arg);
    printf("    { 0 },\n};\n\nstatic const double constants[] = {\n");
    for (uint32_t i = 0; i < set->constant_count; i++) {
        fputs("    ", stdout);
        put_number(set->constants[i]);
        fputs(",\n", stdout);
    }
    printf("    0,\n};\n\n");
}

static void put_patterns(const RuleSet *set)
{
    printf("static const Pattern patterns[] = {\n");
    for (uint32_t i = 0; i < set->pattern_count; i++)
        printf("    { %u, %u, %u },\n", (unsigned)set->patterns[i].opcode,
               (unsigned)set->patterns[i].modifier_first,
               (unsigned)set->patterns[i].modifier_count);
    printf("    { 0 },\n};\n\nstatic const int16_t modifiers[] = {\n");
    for (uint32_t i = 0; i < set->modifier_count; i++)
        printf("    %d,\n", set->modifiers[i]);
    printf("    0,\n};\n\nstatic const Quantifier quantifiers[] = {\n");
    for (uint32_t i = 0; i < set->quantifier_count; i++) {
        const Quantifier *q = &set->quantifiers[i];
        fputs("    { ", stdout);
        put_program(&q->predicate);
        printf(", %u, %d, %u },\n", (unsigned)q->over, q->in_loop, (unsigned)q->level);
    }
    printf("    { { 0 } },\n};\n\n");
}

static void put_holes(const RuleSet *set)
{
    printf("static const Hole holes[] = {\n");
    for (uint32_t i = 0; i < set->hole_count; i++) {
        const Hole *hole = &set->holes[i];
        fputs("    { ", stdout);
        put_text(hole->text);
        fputs(", ", stdout);
        put_program(&hole->program);
        printf(", %u, %u, ", (unsigned)hole->type, (unsigned)hole->domain);
        put_unit(&hole->unit);
        printf(", %u },\n", (unsigned)hole->fact);
    }
    printf("    { 0 },\n};\n\n");
}

static void put_thresholds(const RuleSet *set)
{
    printf("static const Threshold thresholds[] = {\n");
    for (uint32_t i = 0; i < set->threshold_count; i++) {
        const Threshold *t = &set->thresholds[i];
        fputs("    { ", stdout);
        put_texts((const char *const[]){ t->name, t->what }, 2);
        fputs(", ", stdout);
        put_number(t->value);
        fputs(", ", stdout);
        put_unit(&t->unit);
        fputs(" },\n", stdout);
    }
    printf("    { 0 },\n};\n\nstatic const ptxlint_threshold threshold_views[] = {\n");
    for (uint32_t i = 0; i < set->threshold_count; i++) {
        const Threshold *t = &set->thresholds[i];
        fputs("    { ", stdout);
        put_texts((const char *const[]){ t->name, t->what, text_of_unit(&t->unit) }, 3);
        fputs(", ", stdout);
        put_number(t->value);
        fputs(" },\n", stdout);
    }
    printf("    { 0 },\n};\n\n");
}

/* The two structures have the same members. */
static void put_examples(const RuleSet *set, const char *type, const char *name)
{
    printf("static const %s %s[] = {\n", type, name);
    for (uint32_t i = 0; i < set->example_count; i++) {
        const Example *e = &set->examples[i];
        fputs("    { ", stdout);
        put_texts((const char *const[]){ e->title, e->bad, e->good, e->cuda_bad, e->cuda_good,
                                         e->launch, e->gpu },
                  7);
        fputs(" },\n", stdout);
    }
    printf("    { 0 },\n};\n\n");
}

static void put_sources(const RuleSet *set)
{
    printf("static const char *const sources[] = {\n");
    for (uint32_t i = 0; i < set->source_count; i++) {
        fputs("    ", stdout);
        put_text(set->sources[i]);
        fputs(",\n", stdout);
    }
    printf("    NULL,\n};\n\n");
}

static void put_rule(const Rule *r)
{
    fputs("    { .info = { ", stdout);
    put_texts((const char *const[]){ r->info.code, r->info.name }, 2);
    printf(", %u, ", (unsigned)r->info.severity);
    put_text(r->info.group);
    printf(", %d, %d", r->info.is_minor, r->info.is_gain_most);
    printf(" }, .subject = %u, .needs = %u, .fold = %u, .gain_of = %u, .gain_fold = %u, "
           ".removal = %u, .is_preview = %d, .is_front_end = %d, .is_locked = %d,\n      .when = {",
           (unsigned)r->subject, (unsigned)r->needs, (unsigned)r->fold, (unsigned)r->gain_of,
           (unsigned)r->gain_fold, (unsigned)r->removal, r->is_preview, r->is_front_end,
           r->is_locked);
    for (int i = 0; i < LEVEL__COUNT; i++) {
        fputs(" ", stdout);
        put_program(&r->when[i]);
        fputs(",", stdout);
    }
    fputs(" }, .note_if = ", stdout);
    put_program(&r->note_if);
    fputs(", .gain = ", stdout);
    put_program(&r->gain);
    fputs(",\n     ", stdout);
    put_template("message", &r->message);
    put_template("label", &r->label);
    put_template("help", &r->help);
    put_template("related", &r->related);
    printf(" .at = %u, .related_at = %u,\n      .threshold_first = %u, .threshold_count = %u, "
           ".example_first = %u, .example_count = %u,"
           " .source_first = %u, .source_count = %u,\n      .summary = ",
           (unsigned)r->at, (unsigned)r->related_at, (unsigned)r->threshold_first,
           (unsigned)r->threshold_count, (unsigned)r->example_first, (unsigned)r->example_count,
           (unsigned)r->source_first, (unsigned)r->source_count);
    put_text(r->summary);
    fputs(",\n      .doc = ", stdout);
    put_text(r->doc);
    fputs(",\n      .condition = ", stdout);
    put_text(r->condition);
    fputs(" },\n", stdout);
}

static void put_rules(const RuleSet *set)
{
    printf("static const Rule rules[] = {\n");
    for (uint32_t i = 0; i < set->rule_count; i++)
        put_rule(&set->rules[i]);
    printf("    { .related_at = 0 },\n};\n\nconst RuleSet ptx_rules = {\n"
           "    rules, codes, constants, patterns, modifiers, quantifiers, holes, thresholds, "
           "examples, sources,\n"
           "    %u, %u, %u, %u, %u, %u, %u, %u, %u, %u,\n};\n\n",
           (unsigned)set->rule_count, (unsigned)set->code_count, (unsigned)set->constant_count,
           (unsigned)set->pattern_count, (unsigned)set->modifier_count,
           (unsigned)set->quantifier_count, (unsigned)set->hole_count,
           (unsigned)set->threshold_count, (unsigned)set->example_count,
           (unsigned)set->source_count);
}

static void put_view(const Rule *r)
{
    fputs("    { ", stdout);
    put_texts((const char *const[]){ r->info.code, r->info.name, r->info.group }, 3);
    printf(", %u, %u, ", (unsigned)r->info.severity, (unsigned)r->needs);
    put_text(ptx_subject_text[r->subject]);
    printf(", %d, %d, ", r->is_preview, r->is_front_end);
    put_texts((const char *const[]){ r->condition, r->summary, r->doc }, 3);
    printf(",\n      example_views + %u, %u, threshold_views + %u, %u, sources + %u, %u },\n",
           (unsigned)r->example_first, (unsigned)r->example_count, (unsigned)r->threshold_first,
           (unsigned)r->threshold_count, (unsigned)r->source_first, (unsigned)r->source_count);
}

static void put_selectors(Arena *arena, const RuleSet *set)
{
    const Selectors *s = ptx_selectors_build(arena, &set, 1);
    printf("static const Rule *const rules_by_id[] = {\n");
    for (uint32_t i = 0; i < s->rule_count; i++)
        printf("    &rules[%u],\n", (unsigned)i);
    printf("    NULL,\n};\n\nstatic const Selector selectors[] = {\n");
    for (uint32_t i = 0; i < s->item_count; i++) {
        const Selector *item = &s->items[i];
        fputs("    { ", stdout);
        put_text(item->text);
        printf(", %u, %u, %u, %d, UINT32_C(%u) },\n", (unsigned)item->length, (unsigned)item->kind,
               (unsigned)item->weight, item->is_locked, (unsigned)item->rule);
    }
    printf("};\n\nstatic const uint32_t selector_slots[] = {\n");
    for (uint32_t i = 0; i <= s->table.mask; i++)
        printf("    %u,\n", (unsigned)s->table.slots[i]);
    printf("};\n\nconst Selectors ptx_rule_selectors = {\n"
           "    { &ptx_rules }, 1, %u, rules_by_id, selectors, %u, { selector_slots, %u },\n};\n\n",
           (unsigned)s->rule_count, (unsigned)s->item_count, (unsigned)s->table.mask);
}

static void put_tables(Arena *arena, const RuleSet *set)
{
    printf("#include \"findings/rules.h\"\n#include \"rules/lang/selector.h\"\n\n"
           "#include <math.h>\n\n");
    put_codes(set);
    put_patterns(set);
    put_holes(set);
    put_thresholds(set);
    put_examples(set, "Example", "examples");
    put_examples(set, "ptxlint_example", "example_views");
    put_sources(set);
    put_rules(set);
    put_selectors(arena, set);
    printf("const ptxlint_rule ptx_rule_views[] = {\n");
    for (uint32_t i = 0; i < set->rule_count; i++)
        put_view(&set->rules[i]);
    printf("    { 0 },\n};\n");
}

int main(int argc, char **argv)
{
    static Arena arena;
    static RuleBuilder builder;
    jmp_buf on_failure;
    ptx_arena_init(&arena, (size_t)1 << 30, &on_failure);
    if (setjmp(on_failure)) {
        fprintf(stderr, "gen_rules: no memory\n");
        return 1;
    }
    ptx_rule_builder_init(&builder, &arena);
    if (!load_all(&builder, argc - 1, argv + 1))
        return 1;
    ptx_rules_finish(&builder);
    put_tables(&arena, &builder.set);
    ptx_arena_free(&arena);
    return fflush(stdout) ? 1 : 0;
}
