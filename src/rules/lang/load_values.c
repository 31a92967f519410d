/* load_values.c -- what keys of a rule hold: words, texts, lists, expressions, templates. */
#include "rules/lang/loader.h"

#include "support/words.h"

#include <stdarg.h>
#include <stdio.h>

void *ptx_loader_room(Arena *arena, const void *items, uint32_t count, size_t size)
{
    if (count % 8 || (count & (count - 1)))
        return (void *)(uintptr_t)items;
    char *more = ptx_arena_alloc_array(arena, count ? 2 * (size_t)count : 8, size);
    if (count)
        memcpy(more, items, count * size);
    return more;
}

bool ptx_loader_fail(RuleLoader *l, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->error->text, sizeof l->error->text, format, args);
    va_end(args);
    ptx_yaml_place(l->source, at, &l->error->line, &l->error->column);
    return false;
}

/* Index in names; count where it is none of them. */
static size_t find_word_index(const YamlNode *node, const char *const *names, size_t count)
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
    return near ? LOADER_FAIL(l, node, "unknown %s '%.60s'; did you mean '%s'?", what, node->text,
                              near)
                : LOADER_FAIL(l, node, "unknown %s '%.60s'", what, node->text);
}

bool ptx_loader_expect(RuleLoader *l, const YamlNode *node, YamlKind kind, const char *what)
{
    static const char *const kinds[] = { "", "a text", "a list", "a mapping" };
    return node->kind == kind || LOADER_FAIL(l, node, "%s is %s", what, kinds[kind]);
}

bool ptx_loader_word(RuleLoader *l, const YamlNode *node, const char *what,
                     const char *const *names, size_t count, uint8_t *out)
{
    if (!ptx_loader_expect(l, node, YAML_TEXT, what))
        return false;
    *out = (uint8_t)(1 + find_word_index(node, names + 1, count - 1));
    return *out < count || fail_word(l, node, what, names + 1, count - 1);
}

bool ptx_loader_truth(RuleLoader *l, const YamlNode *node, const char *what, bool *out)
{
    *out = ptx_yaml_is(node, "true");
    return (node->style == YAML_PLAIN && (*out || ptx_yaml_is(node, "false")))
           || LOADER_FAIL(l, node, "%s is true or false", what);
}

bool ptx_loader_text(RuleLoader *l, const YamlNode *node, const char *what, const char **out)
{
    if (!ptx_loader_expect(l, node, YAML_TEXT, what))
        return false;
    *out = node->text;
    return node->text[strspn(node->text, " \t\n")] || LOADER_FAIL(l, node, "%s is empty", what);
}

/* Without the break that a block ends with. */
static void trim(YamlNode *node)
{
    while (node->length && strchr(" \t\n", node->text[node->length - 1]))
        node->text[--node->length] = 0;
}

bool ptx_loader_line(RuleLoader *l, YamlNode *node, const char *what, const char **out)
{
    if (!ptx_loader_text(l, node, what, out))
        return false;
    trim(node);
    const char *end = strchr(node->text, '\n');
    return !end
           || ptx_loader_fail(l, ptx_yaml_position(l->source, node, (uint32_t)(end - node->text)),
                              "%s is one line", what);
}

bool ptx_loader_keys(RuleLoader *l, const YamlNode *mapping, const char *what,
                     const char *const *names, size_t count, YamlNode **values)
{
    if (!ptx_loader_expect(l, mapping, YAML_MAPPING, what))
        return false;
    for (YamlNode *key = mapping->first; key; key = key->next->next) {
        if (key->kind != YAML_TEXT)
            return LOADER_FAIL(l, key, "expected a key of %s", what);
        size_t which = find_word_index(key, names, count);
        if (which == count) {
            char kind[64];
            snprintf(kind, sizeof kind, "key of %s", what);
            return fail_word(l, key, kind, names, count);
        }
        if (values[which])
            return LOADER_FAIL(l, key, "'%s' is given twice", names[which]);
        values[which] = key->next;
    }
    return true;
}

/* A text that was compiled, or a complaint at its place in it. */
static bool compiled(RuleLoader *l, const YamlNode *node, bool is_good,
                                const ExprError *error)
{
    return is_good
           || ptx_loader_fail(l, ptx_yaml_position(l->source, node, error->at), "%s", error->text);
}

bool ptx_loader_condition(RuleLoader *l, YamlNode *node, Rule *rule)
{
    ExprError error = { 0 };
    if (!ptx_loader_text(l, node, "`when`", &rule->condition))
        return false;
    trim(node);
    return compiled(
        l, node,
        ptx_compile_condition(l->builder, &l->scope, node->text, node->length, rule->when, &error),
        &error);
}

bool ptx_loader_expression(RuleLoader *l, const YamlNode *node, const char *what, FactType type,
                           const Unit *unit, Program *out)
{
    ExprError error = { 0 };
    const char *text;
    if (!ptx_loader_text(l, node, what, &text))
        return false;
    const ExprSource source = { text, node->length, type, unit };
    return compiled(
        l, node, ptx_compile_expression(l->builder, &l->scope, &source, out, &error), &error);
}

bool ptx_loader_template(RuleLoader *l, YamlNode *node, const char *what, Template *out)
{
    ExprError error = { 0 };
    const char *text;
    if (!ptx_loader_line(l, node, what, &text))
        return false;
    return compiled(
        l, node, ptx_compile_template(l->builder, &l->scope, text, node->length, out, &error),
        &error);
}
