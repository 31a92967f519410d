/* compile.c -- conditions, expressions and templates: the steps from text to Code, and where a
 * condition is cut. */
#include "rules/lang/expr.h"

void ptx_rule_builder_init(RuleBuilder *builder, Arena *arena)
{
    *builder = (RuleBuilder){ .arena = arena };
}

/* ---- undoing --------------------------------------------------------------------------------- */

/* What a failed text has added goes; the arrays may have moved and stay. */
static void fall_back(RuleBuilder *builder, const RuleSet *before)
{
    RuleSet *set = &builder->set;
    set->code_count = before->code_count;
    set->constant_count = before->constant_count;
    set->pattern_count = before->pattern_count;
    set->modifier_count = before->modifier_count;
    set->quantifier_count = before->quantifier_count;
    set->hole_count = before->hole_count;
}

/* ---- one expression -------------------------------------------------------------------------- */

static Span span_to(size_t length)
{
    return (Span){ 0, (uint32_t)length };
}

/* Text to typed tree. whole: what the caller has. */
static bool read_expression(Expr *e, RuleBuilder *builder, const ExprScope *scope,
                            const char *whole, Span part, ExprError *error)
{
    const size_t length = ptx_span_length(part);
    *e = (Expr){ .builder = builder,
                 .scope = scope,
                 .offset = part.begin,
                 .error = error,
                 .subject = scope->subject };
    if (length > EXPR_BYTES_MAX)
        return ptx_expr_fail(e, (Span){ 0, 0 }, "too large: an expression has at most %d bytes",
                             EXPR_BYTES_MAX);
    e->text = ptx_arena_strndup(builder->arena, whole + part.begin, length);
    e->cur = (const unsigned char *)e->text;
    e->end = e->cur + length;
    return ptx_expr_parse(e) && ptx_expr_type(e, e->root);
}

bool ptx_compile_expression(RuleBuilder *builder, const ExprScope *scope, const ExprSource *source,
                            Program *out, ExprError *error)
{
    const RuleSet before = builder->set;
    Expr e;
    if (read_expression(&e, builder, scope, source->text, span_to(source->length), error)
        && ptx_expr_want(&e, e.root, source->type, source->unit) && ptx_expr_emit(&e, e.root, out))
        return true;
    fall_back(builder, &before);
    return false;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Parts of the outermost `and`s in their order, those of one level joined again. */
static void cut_conjuncts(Expr *e, Node *node, Node *parts[LEVEL__COUNT])
{
    if (node->kind == NODE_BINARY && node->code == CODE_AND) {
        cut_conjuncts(e, node->left, parts);
        cut_conjuncts(e, node->right, parts);
        return;
    }
    Node **part = &parts[ptx_expr_level(node->asks)];
    bool is_first = !*part;
    *part = is_first ? node : ptx_expr_binary(e, CODE_AND, node->at, *part, node);
    (*part)->is_outermost = !is_first;
}

bool ptx_compile_condition(RuleBuilder *builder, const ExprScope *scope, const char *text,
                           size_t length, Program when[LEVEL__COUNT], ExprError *error)
{
    const RuleSet before = builder->set;
    Node *parts[LEVEL__COUNT] = { NULL };
    Expr e;
    for (int level = 0; level < LEVEL__COUNT; level++)
        when[level] = (Program){ 0, 0 };
    bool is_good = read_expression(&e, builder, scope, text, span_to(length), error)
                   && ptx_expr_want(&e, e.root, FACT_TRUTH, NULL);
    if (is_good)
        cut_conjuncts(&e, e.root, parts);
    for (int level = 0; is_good && level < LEVEL__COUNT; level++)
        is_good = !e.has_failed && (!parts[level] || ptx_expr_emit(&e, parts[level], &when[level]));
    if (!is_good)
        fall_back(builder, &before);
    return is_good;
}

/* ---- templates ------------------------------------------------------------------------------- */

typedef struct TemplateReader {
    RuleBuilder *builder;
    const ExprScope *scope;
    const char *text;
    size_t length, at;
    ExprError *error;
} TemplateReader;

/* Fails at one byte of the template. */
static bool fail_at(TemplateReader *r, size_t at, const char *why)
{
    Expr e = { .error = r->error };
    return ptx_expr_fail(&e, (Span){ (uint32_t)at, (uint32_t)at + 1 }, "%s", why);
}

/* Up to the next hole or the end; {{ and }} are braces. NULL: a brace that is alone. */
static const char *read_expression_text(TemplateReader *r)
{
    char *text = ptx_arena_alloc(r->builder->arena, r->length - r->at + 1), *out = text;
    for (; r->at < r->length; r->at++) {
        const char c = r->text[r->at];
        if (c == '{' || c == '}') {
            if (r->at + 1 < r->length && r->text[r->at + 1] == c) {
                r->at++;
            } else if (c == '}') {
                fail_at(r, r->at, "no '{' is open here; a brace in the text is written '}}'");
                return NULL;
            } else {
                break;
            }
        }
        *out++ = c;
    }
    return text;
}

/* The end of the hole whose text begins at begin: its brace, not one in a word. length: there is
 * none. */
static size_t find_close(const TemplateReader *r, size_t begin)
{
    bool in_word = false;
    for (size_t i = begin; i < r->length; i++) {
        if (r->text[i] == '"')
            in_word = !in_word;
        else if (r->text[i] == '{' && !in_word)
            return r->length;
        else if (r->text[i] == '}' && !in_word)
            return i;
    }
    return r->length;
}

/* A hole that begins with a blank may be code that was meant as text. */
static bool hint(TemplateReader *r, size_t begin)
{
    static const char what[] = " (a brace in the text is written '{{')";
    const size_t length = strlen(r->error->text);
    if (r->text[begin] == ' ' && length + sizeof what <= sizeof r->error->text)
        memcpy(r->error->text + length, what, sizeof what);
    return false;
}

static bool read_hole(TemplateReader *r, Hole *hole)
{
    Expr e;
    const size_t open = r->at, begin = open + 1, close = find_close(r, begin);
    if (close == r->length)
        return fail_at(r, open, "this '{' is not closed; a brace in the text is written '{{'");
    r->at = close + 1;
    const Span part = { (uint32_t)begin, (uint32_t)close };
    if (!read_expression(&e, r->builder, r->scope, r->text, part, r->error))
        return hint(r, begin);
    hole->type = e.root->type;
    hole->domain = e.root->domain;
    hole->unit = e.root->unit;
    if (e.root->type == FACT_TEXT) {
        hole->fact = (uint16_t)e.root->index;
        return true;
    }
    return ptx_expr_want(&e, e.root, (FactType)e.root->type, NULL)
           && ptx_expr_emit(&e, e.root, &hole->program);
}

static bool read_template(TemplateReader *r, Template *out)
{
    const uint32_t first = r->builder->set.hole_count;
    if (r->length > EXPR_BYTES_MAX)
        return fail_at(r, 0, "too large: a template has at most 65536 bytes");
    for (bool is_last = false; !is_last;) {
        Hole hole = { .text = read_expression_text(r), .fact = FACT__COUNT };
        is_last = r->at == r->length;
        if (!hole.text || (!is_last && !read_hole(r, &hole)))
            return false;
        ptx_rule_add_hole(r->builder, &hole);
    }
    *out = (Template){ first, r->builder->set.hole_count - first };
    return true;
}

bool ptx_compile_template(RuleBuilder *builder, const ExprScope *scope, const char *text,
                          size_t length, Template *out, ExprError *error)
{
    const RuleSet before = builder->set;
    TemplateReader reader = { builder, scope, text, length, 0, error };
    if (read_template(&reader, out))
        return true;
    fall_back(builder, &before);
    return false;
}
