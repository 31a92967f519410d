/* type.c -- types, units and levels of an expression; facts, words and functions by their names. */
#include "rules/lang/expr.h"

#include "gpu/gpu.h"
#include "support/words.h"

#include <stdio.h>

enum { DESCRIPTION = 112 };

static bool word_equals(const Expr *e, Span span, const char *word)
{
    return strlen(word) == ptx_span_length(span)
           && !memcmp(e->text + span.begin, word, strlen(word));
}

/* ---- what to call things --------------------------------------------------------------------- */

const char *const ptx_domain_text[DOMAIN__COUNT] = { "",      "opcode",  "space",   "type",
                                                     "class", "limiter", "pattern", "uniformity",
                                                     "part",  "pipe" };

static bool is_plain(const Unit *unit)
{
    static const Unit plain;
    return !memcmp(unit, &plain, sizeof plain);
}

/* Factors of one sign, "bytes*warps" and the like, to out; returns its new length. */
static size_t put_factors(const Unit *unit, int sign, char *out, size_t length, size_t size)
{
    bool is_first = true;
    for (int u = 0; u < UNIT__COUNT; u++) {
        int exponent = sign * unit->of[u];
        if (exponent <= 0 || length >= size)
            continue;
        const char *lead = is_first ? "" : "*";
        if (sign < 0)
            lead = "/";
        int n = exponent > 1
                    ? snprintf(out + length, size - length, "%s%s^%d", lead, ptx_unit_text[u],
                               exponent)
                    : snprintf(out + length, size - length, "%s%s", lead, ptx_unit_text[u]);
        length += n > 0 ? (size_t)n : 0;
        is_first = false;
    }
    return length < size ? length : size - 1;
}

static const char *describe_unit(const Unit *unit, char out[DESCRIPTION])
{
    size_t length = (size_t)snprintf(out, DESCRIPTION, "%s",
                                     is_plain(unit) ? "a plain number" : "a number of ");
    size_t begin = length;
    length = put_factors(unit, 1, out, length, DESCRIPTION);
    if (length == begin && !is_plain(unit))
        out[length++] = '1';
    out[length] = 0;
    put_factors(unit, -1, out, length, DESCRIPTION);
    return out;
}

static const char *describe_node(const Node *node, char out[DESCRIPTION])
{
    switch (node->type) {
    case FACT_TRUTH:  return "a truth";
    case FACT_NUMBER: return describe_unit(&node->unit, out);
    case FACT_WORD:
        if (node->domain)
            snprintf(out, DESCRIPTION, "a word (%s)", ptx_domain_text[node->domain]);
        return node->domain ? out : "a word";
    case FACT_TEXT:   return "text";
    default:          return "a place";
    }
}

/* ---- what is seen ---------------------------------------------------------------------------- */

#define SEES(scope) (1u << SCOPE_##scope)
#define SEES_MODULE (SEES(MODULE) | SEES(GPU))
#define SEES_KERNEL (SEES(KERNEL) | SEES_MODULE)
#define SEES_INSN (SEES(INSN) | SEES(BLOCK) | SEES(LOOP) | SEES_KERNEL)

/* docs/rules.md, "Subjects". */
static const uint16_t sees[SUBJECT__COUNT] = {
    [SUBJECT_NONE] = SEES_MODULE,
    [SUBJECT_MODULE] = SEES_MODULE,
    [SUBJECT_VARIABLE] = SEES(VARIABLE) | SEES_MODULE,
    [SUBJECT_KERNEL] = SEES_KERNEL,
    [SUBJECT_PARAMETER] = SEES(PARAMETER) | SEES_KERNEL,
    [SUBJECT_REGISTER] = SEES(REGISTER) | SEES_KERNEL,
    [SUBJECT_BLOCK] = SEES(BLOCK) | SEES(LOOP) | SEES_KERNEL,
    [SUBJECT_LOOP] = SEES(LOOP) | SEES_KERNEL,
    [SUBJECT_BRANCH] = SEES(BRANCH) | SEES_INSN,
    [SUBJECT_INSTRUCTION] = SEES_INSN,
    [SUBJECT_ACCESS] = SEES(ACCESS) | SEES_INSN,
};

static bool is_seen(const Expr *e, Scope scope)
{
    return sees[e->subject] >> scope & 1;
}

/* "a rule on 'loop' sees loop, kernel, module, gpu", nearest first. */
static bool fail_unseen(Expr *e, Span at, const char *what)
{
    char list[DESCRIPTION] = "";
    size_t length = 0;
    for (int s = SCOPE__COUNT - 1; s >= 0; s--) {
        if (is_seen(e, (Scope)s) && length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length ? ", " : "", ptx_scope_text[s]);
    }
    return ptx_expr_fail(e, at, "%s is not seen here: %s on '%s' sees %s", what,
                         e->in_predicate ? "a predicate" : "a rule", ptx_subject_text[e->subject],
                         list);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* The name nearest to what was written; those that are not seen count as a little farther. */
typedef struct TypeNearest {
    const char *scope, *name;
    unsigned best;
} TypeNearest;

static void try_name(const Expr *e, Span at, const char *scope, const char *name, bool seen,
                     TypeNearest *nearest)
{
    char full[DESCRIPTION];
    int length = snprintf(full, sizeof full, "%s.%s", scope, name);
    unsigned distance =
        2 * ptx_edit_distance(e->text + at.begin, ptx_span_length(at), full, (size_t)length)
        + !seen;
    if (distance < nearest->best)
        *nearest = (TypeNearest){ scope, name, distance };
}

static TypeNearest nearest_fact(const Expr *e, Span at)
{
    TypeNearest nearest = { NULL, NULL, 6 };        /* a distance of at most 2 */
    for (int f = 0; f < FACT__COUNT; f++)
        try_name(e, at, ptx_scope_text[ptx_fact_info[f].scope], ptx_fact_info[f].name,
                 is_seen(e, (Scope)ptx_fact_info[f].scope), &nearest);
    for (int f = 0; f < FIGURE__COUNT; f++)
        try_name(e, at, ptx_scope_text[SCOPE_GPU], ptx_figure_info[f].key, true, &nearest);
    for (uint32_t t = 0; t < e->scope->threshold_count; t++)
        try_name(e, at, "threshold", e->scope->thresholds[t].name, true, &nearest);
    return nearest;
}

static bool fail_fact(Expr *e, Span at, Span scope_span, bool has_scope)
{
    TypeNearest nearest = nearest_fact(e, at);
    if (nearest.name)
        return ptx_expr_fail(e, at, "unknown fact '%.*s'; did you mean '%s.%s'?", EXPR_TEXT(e, at),
                             nearest.scope, nearest.name);
    if (has_scope)
        return ptx_expr_fail(e, at, "unknown fact '%.*s'; docs/facts.md has all of '%.*s'",
                             EXPR_TEXT(e, at), EXPR_TEXT(e, scope_span));
    return ptx_expr_fail(e, scope_span,
                         "unknown scope '%.*s'; there are module, gpu, kernel, variable, "
                         "parameter, register, block, loop, "
                         "branch, insn, access and threshold",
                         EXPR_TEXT(e, scope_span));
}

static Unit unit_of_figure(const char *text)
{
    Unit unit = { { 0 } };
    for (int u = 0; u < UNIT__COUNT; u++)
        if (!strcmp(text, ptx_unit_text[u]))
            unit.of[u] = 1;
    return unit;
}

static bool take_figure(Expr *e, Node *node, Span name)
{
    for (int f = 0; f < FIGURE__COUNT; f++) {
        if (!word_equals(e, name, ptx_figure_info[f].key))
            continue;
        node->type = FACT_NUMBER;
        node->unit = unit_of_figure(ptx_figure_info[f].unit);
        node->index = (uint32_t)(FACT__COUNT + f);
        node->asks = 1 << LEVEL_MODULE;
        return true;
    }
    return false;
}

static bool take_threshold(Expr *e, Node *node, Span name)
{
    for (uint32_t t = 0; t < e->scope->threshold_count; t++) {
        if (!word_equals(e, name, e->scope->thresholds[t].name))
            continue;
        node->kind = NODE_THRESHOLD;
        node->type = FACT_NUMBER;
        node->unit = e->scope->thresholds[t].unit;
        node->index = t;
        node->asks = 1 << LEVEL_MODULE;
        return true;
    }
    TypeNearest nearest = nearest_fact(e, node->at);
    if (nearest.name)
        return ptx_expr_fail(e, node->at, "unknown threshold '%.*s'; did you mean '%s.%s'?",
                             EXPR_TEXT(e, node->at), nearest.scope, nearest.name);
    return ptx_expr_fail(e, node->at, "unknown threshold '%.*s': this rule has %s",
                         EXPR_TEXT(e, node->at), e->scope->threshold_count ? "others" : "none");
}

static bool type_fact(Expr *e, Node *node)
{
    const char *text = e->text + node->at.begin,
               *dot = memchr(text, '.', ptx_span_length(node->at));
    Span scope = { node->at.begin, node->at.begin + (uint32_t)(dot - text) },
         name = { scope.end + 1, node->at.end };
    if (word_equals(e, scope, "threshold"))
        return take_threshold(e, node, name);
    if (word_equals(e, scope, ptx_scope_text[SCOPE_GPU]) && take_figure(e, node, name))
        return true;
    bool has_scope = false;
    for (int s = 0; s < SCOPE__COUNT; s++)
        has_scope |= word_equals(e, scope, ptx_scope_text[s]);
    for (int f = 0; f < FACT__COUNT; f++) {
        const FactInfo *info = &ptx_fact_info[f];
        if (!word_equals(e, name, info->name)
            || !word_equals(e, scope, ptx_scope_text[info->scope]))
            continue;
        node->type = info->type;
        node->unit = info->unit;
        node->domain = info->domain;
        node->index = (uint32_t)f;
        node->asks = (uint8_t)(1 << info->level);
        char what[DESCRIPTION];
        snprintf(what, sizeof what, "'%s.%s'", ptx_scope_text[info->scope], info->name);
        return is_seen(e, (Scope)info->scope) || fail_unseen(e, node->at, what);
    }
    return fail_fact(e, node->at, scope, has_scope);
}

static bool fail_name(Expr *e, const Node *node)
{
    for (int s = 0; s < SCOPE__COUNT; s++)
        if (word_equals(e, node->at, ptx_scope_text[s]))
            return ptx_expr_fail(e, node->at, "'%.*s' alone is not a value: a fact is '%.*s.NAME'",
                                 EXPR_TEXT(e, node->at), EXPR_TEXT(e, node->at));
    return ptx_expr_fail(
        e, node->at, "'%.*s' is not a fact: a fact is 'SCOPE.NAME', and a word stands in quotes",
        EXPR_TEXT(e, node->at));
}

/* ---- what is wanted -------------------------------------------------------------------------- */

/* A value that an expression can go on with: text and places are for messages. */
static bool want_value(Expr *e, const Node *node)
{
    if (node->type == FACT_TEXT)
        return ptx_expr_fail(e, node->span, "'%.*s' is text: it can only stand alone in a message",
                             EXPR_TEXT(e, node->span));
    if (node->type == FACT_PLACE)
        return ptx_expr_fail(e, node->span,
                             "'%.*s' is a place: it can only stand in 'at' of 'related'",
                             EXPR_TEXT(e, node->span));
    if (node->type == FACT_WORD && !node->domain)
        return ptx_expr_fail(e, node->span,
                             "a word alone is not a condition: compare it with a fact, as in "
                             "insn.space == \"global\"");
    return true;
}

bool ptx_expr_want(Expr *e, const Node *node, FactType type, const Unit *unit)
{
    char found[DESCRIPTION], wanted[DESCRIPTION];
    if (!want_value(e, node))
        return false;
    if (node->type != type)
        return ptx_expr_fail(e, node->span, "%s is wanted here, and this is %s",
                             type == FACT_TRUTH ? "a truth" : "a number",
                             describe_node(node, found));
    if (type == FACT_NUMBER && unit && !is_plain(&node->unit)
        && memcmp(unit, &node->unit, sizeof *unit) != 0)
        return ptx_expr_fail(e, node->span, "%s is wanted here, and this is %s",
                             describe_unit(unit, wanted), describe_node(node, found));
    return true;
}

/* Two numbers that meet: the unit of both. */
static bool join_units(Expr *e, Span at, const Node *left, const Node *right, Unit *out)
{
    char one[DESCRIPTION], other[DESCRIPTION];
    *out = is_plain(&left->unit) ? right->unit : left->unit;
    if (is_plain(&left->unit) || is_plain(&right->unit)
        || !memcmp(&left->unit, &right->unit, sizeof(Unit)))
        return true;
    return ptx_expr_fail(e, at, "'%.*s' takes numbers of one unit: left is %s, right is %s",
                         EXPR_TEXT(e, at), describe_node(left, one), describe_node(right, other));
}

/* ---- words ----------------------------------------------------------------------------------- */

static Span inside_quotes(const Node *word)
{
    return (Span){ word->at.begin + 1, word->at.end - 1 };
}

static bool fail_type_word(Expr *e, const Node *word, Span inside, Domain domain)
{
    const char *near = NULL, *text;
    unsigned best = ptx_span_length(inside) < 4 ? 2 : 3;
    for (uint32_t i = 0; (text = ptx_domain_word(domain, i)); i++) {
        unsigned distance = ptx_edit_distance(e->text + inside.begin, ptx_span_length(inside), text,
                                              strlen(text));
        if (*text && distance < best) {
            best = distance;
            near = text;
        }
    }
    if (near)
        return ptx_expr_fail(e, word->span, "unknown %s '%.*s'; did you mean '%s'?",
                             ptx_domain_text[domain], EXPR_TEXT(e, inside), near);
    return ptx_expr_fail(e, word->span, "unknown %s '%.*s'", ptx_domain_text[domain],
                         EXPR_TEXT(e, inside));
}

/* Gives a word the number that it has among those of the other side. */
static bool settle_word(Expr *e, Node *word, Domain domain)
{
    Span inside = inside_quotes(word);
    const char *text;
    word->domain = (uint8_t)domain;
    for (uint32_t i = 0; (text = ptx_domain_word(domain, i)); i++) {
        if (*text && word_equals(e, inside, text)) {
            word->number = i;
            return true;
        }
    }
    return fail_type_word(e, word, inside, domain);
}

/* ---- patterns of `is` ------------------------------------------------------------------------ */

static bool takes_modifier(OpcodeId opcode, int modifier)
{
    const OpcodeInfo *info = &ptx_opcode_info[opcode];
    for (unsigned f = 0; f < info->form_count; f++) {
        const FormInfo *form = &ptx_form_info[info->form_first + f];
        for (unsigned m = 0; m < form->modifier_count; m++) {
            const GroupInfo *group =
                &ptx_group_info[ptx_form_modifiers[form->modifier_first + m].group];
            for (unsigned v = 0; v < group->count; v++)
                if (ptx_group_values[group->first + v] == modifier)
                    return true;
        }
    }
    return false;
}

/* Up to the next dot or the end. */
static Span part_from(const Expr *e, uint32_t begin, uint32_t end)
{
    const char *dot = memchr(e->text + begin, '.', end - begin);
    return (Span){ begin, dot ? (uint32_t)(dot - e->text) : end };
}

static bool fail_opcode(Expr *e, Span at, Span whole)
{
    if (at.begin == at.end)
        return ptx_expr_fail(
            e, whole,
            "an opcode is missing: 'is' takes an opcode and modifiers, as in \"ld.global\"");
    const char *near = ptx_opcode_suggest(e->text + at.begin, ptx_span_length(at));
    return near ? ptx_expr_fail(e, at, "unknown opcode '%.*s'; did you mean '%s'?",
                                EXPR_TEXT(e, at), near)
                : ptx_expr_fail(e, at, "unknown opcode '%.*s'", EXPR_TEXT(e, at));
}

static bool fail_modifier(Expr *e, Span at, OpcodeId opcode)
{
    const Op op = { .opcode = opcode };
    const char *near = ptx_modifier_suggest(&op, e->text + at.begin, ptx_span_length(at)),
               *text = ptx_opcode_info[opcode].text;
    return near ? ptx_expr_fail(e, at, "'%s' takes no modifier '.%.*s'; did you mean '.%s'?", text,
                                EXPR_TEXT(e, at), near)
                : ptx_expr_fail(e, at, "'%s' takes no modifier '.%.*s'", text, EXPR_TEXT(e, at));
}

bool ptx_expr_pattern(Expr *e, const Node *word, Pattern *pattern, int16_t *modifiers)
{
    Span whole = inside_quotes(word), part = part_from(e, whole.begin, whole.end);
    *pattern = (Pattern){ .opcode = ptx_opcode_find(e->text + part.begin, ptx_span_length(part)) };
    if (!pattern->opcode)
        return fail_opcode(e, part, word->span);
    while (part.end < whole.end) {
        part = part_from(e, part.end + 1, whole.end);
        if (part.begin == part.end)
            return ptx_expr_fail(e, word->span, "a modifier is missing behind a dot");
        int modifier = ptx_modifier_find(e->text + part.begin, ptx_span_length(part));
        if (modifier < 0 || !takes_modifier(pattern->opcode, modifier))
            return fail_modifier(e, part, pattern->opcode);
        if (pattern->modifier_count == OP_MAX_MODIFIERS)
            return ptx_expr_fail(e, word->span, "more than %d modifiers", (int)OP_MAX_MODIFIERS);
        modifiers[pattern->modifier_count++] = (int16_t)modifier;
    }
    return true;
}

static bool type_is(Expr *e, Node *node)
{
    uint32_t count = 0;
    if (node->left->kind != NODE_NAME || !word_equals(e, node->left->at, "insn"))
        return ptx_expr_fail(e, node->left->span, "'is' is asked of insn: insn is \"ld.global\"");
    if (!is_seen(e, SCOPE_INSN))
        return fail_unseen(e, node->left->at, "'insn'");
    for (const Node *word = node->right; word; word = word->next) {
        Pattern pattern;
        int16_t modifiers[OP_MAX_MODIFIERS];
        if (word->kind != NODE_WORD || word->is_grouped)
            return ptx_expr_fail(e, word->span, "'is' takes words in quotes, as in \"ld.global\"");
        if (++count > EXPR_LIST_MAX)
            return ptx_expr_fail(e, word->span, "too large: a list has at most %d words",
                                 EXPR_LIST_MAX);
        if (!ptx_expr_pattern(e, word, &pattern, modifiers))
            return false;
    }
    node->type = FACT_TRUTH;
    node->asks = 1 << LEVEL_OP;
    return true;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* A number with or without a sign, or a word; the value of the first to item->number. */
static bool type_constant(Expr *e, Node *item)
{
    if (item->kind == NODE_UNARY && item->code == CODE_NEGATE && item->left->kind == NODE_NUMBER) {
        item->number = -item->left->number;
        item->unit = item->left->unit;
        item->type = FACT_NUMBER;
        return true;
    }
    if (item->kind != NODE_NUMBER && item->kind != NODE_WORD)
        return ptx_expr_fail(e, item->span, "a list of 'in' has constants only: numbers or words");
    return ptx_expr_type(e, item);
}

static bool type_in(Expr *e, Node *node)
{
    char found[DESCRIPTION], wanted[DESCRIPTION];
    uint32_t count = 0;
    Node *left = node->left;
    if (!ptx_expr_type(e, left) || !want_value(e, left))
        return false;
    if (left->type == FACT_TRUTH)
        return ptx_expr_fail(e, left->span,
                             "'in' is asked of a number or a word, and this is a truth");
    Node joined = *left;
    for (Node *item = node->right; item; item = item->next) {
        if (++count > EXPR_LIST_MAX)
            return ptx_expr_fail(e, item->span, "too large: a list has at most %d constants",
                                 EXPR_LIST_MAX);
        if (!type_constant(e, item))
            return false;
        if (item->type != left->type)
            return ptx_expr_fail(e, item->span, "%s is sought here, and this is %s",
                                 describe_node(left, wanted), describe_node(item, found));
        if (left->type == FACT_WORD ? !settle_word(e, item, (Domain)left->domain)
                                    : !join_units(e, node->at, &joined, item, &joined.unit))
            return false;
    }
    node->type = FACT_TRUTH;
    node->asks = left->asks;
    return true;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool type_equality(Expr *e, Node *node)
{
    char one[DESCRIPTION], other[DESCRIPTION];
    Node *left = node->left, *right = node->right;
    if (left->type == FACT_WORD && right->type == FACT_WORD) {
        if (!left->domain && right->domain)
            return settle_word(e, left, (Domain)right->domain);
        if (left->domain && !right->domain)
            return settle_word(e, right, (Domain)left->domain);
    }
    bool fits = left->type == right->type || (left->type == FACT_WORD && !left->domain)
                || (right->type == FACT_WORD && !right->domain);
    if (fits && (!want_value(e, left) || !want_value(e, right)))
        return false;
    if (left->type != right->type || left->domain != right->domain)
        return ptx_expr_fail(e, node->at, "'%.*s' takes two of a kind: left is %s, right is %s",
                             EXPR_TEXT(e, node->at), describe_node(left, one),
                             describe_node(right, other));
    return true;
}

static bool type_comparison(Expr *e, Node *node)
{
    char found[DESCRIPTION];
    Unit unit;
    Node *const sides[] = { node->left, node->right };
    node->type = FACT_TRUTH;
    node->unit = (Unit){ { 0 } };
    for (int i = 0; i < 2; i++) {
        if ((sides[i]->type == FACT_TEXT || sides[i]->type == FACT_PLACE)
            && !want_value(e, sides[i]))
            return false;
    }
    if (node->code == CODE_EQ || node->code == CODE_NE)
        return type_equality(e, node)
               && (node->left->type != FACT_NUMBER
                   || join_units(e, node->at, node->left, node->right, &unit));
    for (int i = 0; i < 2; i++) {
        if (sides[i]->type != FACT_NUMBER)
            return ptx_expr_fail(e, sides[i]->span, "'%.*s' compares numbers, and this is %s",
                                 EXPR_TEXT(e, node->at), describe_node(sides[i], found));
    }
    return join_units(e, node->at, node->left, node->right, &unit);
}

/* Units of a product or, with sign -1, of a quotient. */
static bool multiply_units(Expr *e, Node *node, int sign)
{
    for (int u = 0; u < UNIT__COUNT; u++) {
        int exponent = node->left->unit.of[u] + sign * node->right->unit.of[u];
        if (exponent > 100 || exponent < -100)
            return ptx_expr_fail(e, node->at, "too large: a unit to a power above 100");
        node->unit.of[u] = (int8_t)exponent;
    }
    return true;
}

static bool type_operator(Expr *e, Node *node)
{
    if (node->code == CODE_AND || node->code == CODE_OR) {
        node->type = FACT_TRUTH;
        return ptx_expr_want(e, node->left, FACT_TRUTH, NULL)
               && ptx_expr_want(e, node->right, FACT_TRUTH, NULL);
    }
    if (node->code >= CODE_EQ && node->code <= CODE_GE)
        return type_comparison(e, node);
    node->type = FACT_NUMBER;
    if (!ptx_expr_want(e, node->left, FACT_NUMBER, NULL)
        || !ptx_expr_want(e, node->right, FACT_NUMBER, NULL))
        return false;
    if (node->code == CODE_MUL || node->code == CODE_DIV)
        return multiply_units(e, node, node->code == CODE_MUL ? 1 : -1);
    return join_units(e, node->at, node->left, node->right, &node->unit);
}

static bool type_binary(Expr *e, Node *node)
{
    if (!ptx_expr_type(e, node->left) || !ptx_expr_type(e, node->right))
        return false;
    node->asks = node->left->asks | node->right->asks;
    return type_operator(e, node);
}

static bool type_unary(Expr *e, Node *node)
{
    if (!ptx_expr_type(e, node->left))
        return false;
    node->asks = node->left->asks;
    if (node->code == CODE_KNOWN) {
        node->type = FACT_TRUTH;
        return want_value(e, node->left);
    }
    node->type = node->code == CODE_NOT ? FACT_TRUTH : FACT_NUMBER;
    node->unit = node->left->unit;
    return ptx_expr_want(e, node->left, (FactType)node->type, NULL);
}

/* ---- functions ------------------------------------------------------------------------------- */

typedef struct Function {
    const char *text, *use;
    uint8_t code, arguments;    /* 0: looks over many */
} Function;

static const Function functions[] = {
    { "known", "known(a)", CODE_KNOWN, 1 }, { "floor", "floor(a)", CODE_FLOOR, 1 }, { "ceil", "ceil(a)", CODE_CEIL, 1 },
    { "round", "round(a)", CODE_ROUND, 1 }, { "abs", "abs(a)", CODE_ABS, 1 },
    { "min", "min(a, b)", CODE_MIN, 2 }, { "max", "max(a, b)", CODE_MAX, 2 },
    { "any", "any(instructions: p)", CODE_ANY, 0 }, { "all", "all(instructions: p)", CODE_ALL, 0 },
    { "count", "count(instructions: p)", CODE_COUNT, 0 },
    { "ever_before", "ever_before(p)", CODE_EVER_BEFORE, 1 }, { "ever_after", "ever_after(p)", CODE_EVER_AFTER, 1 },
    { "always_before", "always_before(p)", CODE_ALWAYS_BEFORE, 1 }, { "always_after", "always_after(p)", CODE_ALWAYS_AFTER, 1 },
};

typedef struct Many {
    const char *text;
    Subject subject;
} Many;

static const Many many[] = {
    { "instructions", SUBJECT_INSTRUCTION }, { "loops", SUBJECT_LOOP }, { "accesses", SUBJECT_ACCESS },
    { "branches", SUBJECT_BRANCH }, { "parameters", SUBJECT_PARAMETER },
};

static const Function *find_function(Expr *e, Span name)
{
    const Function *near = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const Function *f = &functions[i];
        if (word_equals(e, name, f->text))
            return f;
        unsigned distance = ptx_edit_distance(e->text + name.begin, ptx_span_length(name), f->text,
                                              strlen(f->text));
        if (distance < best && distance < strlen(f->text)) {
            best = distance;
            near = f;
        }
    }
    if (near)
        ptx_expr_fail(e, name, "unknown function '%.*s'; did you mean '%s'?", EXPR_TEXT(e, name),
                      near->use);
    else
        ptx_expr_fail(e, name, "unknown function '%.*s'", EXPR_TEXT(e, name));
    return NULL;
}

/* `instructions` or `loop.instructions`: to over and in_loop. */
static bool take_many(Expr *e, Node *node)
{
    Span span = node->domain_span, name = part_from(e, span.begin, span.end);
    if (name.end < span.end && word_equals(e, name, ptx_scope_text[SCOPE_LOOP])) {
        node->in_loop = true;
        name = (Span){ name.end + 1, span.end };
    } else {
        name = span;
    }
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        if (word_equals(e, name, many[i].text))
            node->over = (uint8_t)many[i].subject;
    if (!node->over || (node->in_loop && node->over == SUBJECT_PARAMETER))
        return ptx_expr_fail(e, span,
                             "'%.*s' is not something to look over: instructions, loops, accesses, "
                             "branches, parameters, or "
                             "loop.instructions and so on",
                             EXPR_TEXT(e, span));
    if (node->in_loop && !is_seen(e, SCOPE_LOOP))
        return fail_unseen(e, span, "'loop'");
    return is_seen(e, SCOPE_KERNEL) || fail_unseen(e, span, "'kernel'");
}

/* Types a predicate with its own subject in hand. */
static bool type_predicate(Expr *e, Node *node)
{
    const Subject subject = e->subject;
    const bool in_predicate = e->in_predicate;
    e->subject = (Subject)node->over;
    e->in_predicate = true;
    bool is_good = ptx_expr_type(e, node->right) && ptx_expr_want(e, node->right, FACT_TRUTH, NULL);
    e->subject = subject;
    e->in_predicate = in_predicate;
    node->level = (uint8_t)ptx_expr_level(node->right->asks);
    return is_good;
}

static bool type_over(Expr *e, Node *node, const Function *function)
{
    bool is_path = function->arguments;
    node->kind = NODE_OVER;
    node->code = function->code;
    node->type = function->code == CODE_COUNT ? FACT_NUMBER : FACT_TRUTH;
    if (is_path) {
        char what[DESCRIPTION];
        snprintf(what, sizeof what, "'%s' asks for an instruction, which", function->text);
        node->over = SUBJECT_INSTRUCTION;
        if (!is_seen(e, SCOPE_INSN))
            return fail_unseen(e, node->at, what);
    } else if (!take_many(e, node)) {
        return false;
    }
    node->asks = is_path || node->in_loop ? 1 << LEVEL_SUBJECT : 1 << LEVEL_KERNEL;
    return type_predicate(e, node);
}

static uint32_t operand_count_of(const Node *list)
{
    uint32_t count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

static bool type_call(Expr *e, Node *node)
{
    const Function *function = find_function(e, node->at);
    if (!function)
        return false;
    bool has_many = node->domain_span.begin < node->domain_span.end;
    if (has_many != !function->arguments
        || operand_count_of(node->right) != (function->arguments ? function->arguments : 1u))
        return ptx_expr_fail(e, node->span, "write %s", function->use);
    if (function->code >= CODE_ANY && function->code <= CODE_ALWAYS_AFTER)
        return type_over(e, node, function);
    node->code = function->code;
    node->left = node->right;
    node->right = node->left->next;
    node->kind = node->right ? NODE_BINARY : NODE_UNARY;
    return ptx_expr_type(e, node);
}

/* ---- all ------------------------------------------------------------------------------------- */

bool ptx_expr_type(Expr *e, Node *node)
{
    switch ((NodeKind)node->kind) {
    case NODE_NUMBER:
        node->type = FACT_NUMBER;
        return true;
    case NODE_TRUTH:
        node->type = FACT_TRUTH;
        return true;
    case NODE_WORD:
        node->type = FACT_WORD;
        return true;
    case NODE_FACT:   return type_fact(e, node);
    case NODE_IS:     return type_is(e, node);
    case NODE_IN:     return type_in(e, node);
    case NODE_CALL:   return type_call(e, node);
    case NODE_UNARY:  return type_unary(e, node);
    case NODE_BINARY: return type_binary(e, node);
    default:          return fail_name(e, node);
    }
}

Level ptx_expr_level(uint8_t asks)
{
    bool of_op = asks >> LEVEL_OP & 1, of_kernel = asks >> LEVEL_KERNEL & 1;
    if (asks >> LEVEL_SUBJECT & 1 || (of_op && of_kernel))
        return LEVEL_SUBJECT;
    if (of_kernel)
        return LEVEL_KERNEL;
    return of_op ? LEVEL_OP : LEVEL_MODULE;
}
