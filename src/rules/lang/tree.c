/* tree.c -- nodes of an expression as the grammar makes them, and what it says of a text that has
 * no such shape. */
#include "rules/lang/expr.h"

#include "support/words.h"

#include "expr_grammar.h"

#include <stdarg.h>
#include <stdio.h>

bool ptx_expr_fail(Expr *e, Span at, const char *format, ...)
{
    if (e->has_failed)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(e->error->text, sizeof e->error->text, format, args);
    va_end(args);
    e->error->at = e->offset + at.begin;
    e->error->length = ptx_span_length(at);
    e->has_failed = true;
    return false;
}

/* Not within a character of UTF-8. */
int ptx_expr_clip(const Expr *e, Span span)
{
    enum { LONGEST = 48 };
    uint32_t length = ptx_span_length(span);
    if (length <= LONGEST)
        return (int)length;
    length = LONGEST;
    while (length && ((unsigned char)e->text[span.begin + length] & 0xC0) == 0x80)
        length--;
    return (int)length;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint16_t tree_depth_of(const Node *node)
{
    return node ? node->depth : 0;
}

static Node *make(Expr *e, NodeKind kind, Span span, Span at, Node *left, Node *right)
{
    Node *node = ptx_arena_new(e->builder->arena, Node);
    uint16_t depth = tree_depth_of(left);
    for (const Node *item = right; item; item = item->next)
        depth = depth > item->depth ? depth : item->depth;
    *node = (Node){ .kind = (uint8_t)kind, .span = span, .at = at, .left = left, .right = right, .depth = (uint16_t)(depth + 1) };
    if (node->depth > EXPR_DEPTH)
        ptx_expr_fail(e, at, "nested deeper than %d", EXPR_DEPTH);
    return node;
}

Node *ptx_expr_leaf(Expr *e, NodeKind kind, Span at)
{
    return make(e, kind, at, at, NULL, NULL);
}

Node *ptx_expr_truth(Expr *e, Span at, bool value)
{
    Node *node = ptx_expr_leaf(e, NODE_TRUTH, at);
    node->number = value;
    return node;
}

Node *ptx_expr_unary(Expr *e, CodeKind code, Span at, Node *operand)
{
    Node *node = make(e, NODE_UNARY, ptx_span_join(at, operand->span), at, operand, NULL);
    node->code = (uint8_t)code;
    return node;
}

static bool is_comparison(const Node *node)
{
    if (node->kind == NODE_UNARY && node->code == CODE_NOT && node->left->at.begin < node->at.begin)
        return true;            /* not in, is not: the operator's sign stands behind its operand */
    return node->kind == NODE_IN || node->kind == NODE_IS
        || (node->kind == NODE_BINARY && node->code >= CODE_EQ && node->code <= CODE_GE);
}

static void refuse_chain(Expr *e, Span at, const Node *left)
{
    if (is_comparison(left) && !left->is_grouped)
        ptx_expr_fail(e, at, "comparisons do not chain; join two with 'and', or set parentheses");
}

Node *ptx_expr_binary(Expr *e, CodeKind code, Span at, Node *left, Node *right)
{
    Node *node = make(e, NODE_BINARY, ptx_span_join(left->span, right->span), at, left, right);
    node->code = (uint8_t)code;
    if (code >= CODE_EQ && code <= CODE_GE)
        refuse_chain(e, at, left);
    return node;
}

Node *ptx_expr_listed(Expr *e, NodeKind kind, Span at, Node *left, NodeList list, Span close)
{
    Node *node = make(e, kind, ptx_span_join(left->span, close), at, left, list.first);
    refuse_chain(e, at, left);
    return node;
}

Node *ptx_expr_not(Expr *e, Node *node, Span close)
{
    Node *negation = make(e, NODE_UNARY, node->span, close, node, NULL);
    negation->code = CODE_NOT;
    return negation;
}

Node *ptx_expr_call(Expr *e, Span name, NodeList arguments, Span close)
{
    return make(e, NODE_CALL, ptx_span_join(name, close), name, NULL, arguments.first);
}

Node *ptx_expr_over(Expr *e, Span name, Span over, Node *predicate, Span close)
{
    Node *node = make(e, NODE_CALL, ptx_span_join(name, close), name, NULL, predicate);
    node->domain_span = over;
    return node;
}

Node *ptx_expr_group(Span open, Node *node, Span close)
{
    node->is_grouped = true;
    node->span = ptx_span_join(open, close);
    return node;
}

NodeList ptx_expr_list(NodeList list, Node *node)
{
    if (list.last)
        list.last->next = node;
    else
        list.first = node;
    list.last = node;
    return list;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double power_of_ten(int exponent)
{
    double power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* The scanner has seen to its shape. By hand: strtod would ask the caller's locale for the decimal
 * point. Digits and a power of ten that are both exact give the nearest double. */
static double read_number(Expr *e, Span span)
{
    double digits = 0;
    int exponent = 0, written = 0;
    bool has_point = false, is_negative = false;
    uint32_t i = span.begin;
    for (; i < span.end && e->text[i] != 'e' && e->text[i] != 'E'; i++) {
        if (e->text[i] == '.') {
            has_point = true;
            continue;
        }
        digits = 10 * digits + (e->text[i] - '0');
        exponent -= has_point;
    }
    for (i++; i < span.end; i++) {
        if (e->text[i] == '-' || e->text[i] == '+')
            is_negative = e->text[i] == '-';
        else if (written < 1000)
            written = 10 * written + (e->text[i] - '0');
    }
    exponent += is_negative ? -written : written;
    if (ptx_span_length(span) > 40 || exponent > 100 || exponent < -100)
        ptx_expr_fail(e, span, "this number is too long, or its exponent too large");
    return exponent < 0 ? digits / power_of_ten(-exponent) : digits * power_of_ten(exponent);
}

typedef struct UnitRow {
    const char *text;
    BaseUnit unit;
    double factor;
} UnitRow;

static const UnitRow unit_rows[] = {
    { "bytes", UNIT_BYTES, 1 }, { "KiB", UNIT_BYTES, 1024 }, { "MiB", UNIT_BYTES, 1048576 }, { "threads", UNIT_THREADS, 1 },
    { "warps", UNIT_WARPS, 1 }, { "blocks", UNIT_BLOCKS, 1 }, { "registers", UNIT_REGISTERS, 1 },
    { "instructions", UNIT_INSTRUCTIONS, 1 }, { "cycles", UNIT_CYCLES, 1 }, { "percent", UNIT_PERCENT, 1 }, { "%", UNIT_PERCENT, 1 },
};

static void fail_unit(Expr *e, Span at)
{
    const char *near = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < sizeof unit_rows / sizeof *unit_rows; i++) {
        const char *text = unit_rows[i].text;
        unsigned distance = ptx_edit_distance(e->text + at.begin, ptx_span_length(at), text,
                                              strlen(text));
        if (distance < best && distance < strlen(text)) {
            best = distance;
            near = text;
        }
    }
    if (near)
        ptx_expr_fail(e, at, "unknown unit '%.*s'; did you mean '%s'?", EXPR_TEXT(e, at), near);
    else
        ptx_expr_fail(e, at,
                      "unknown unit '%.*s'; units are bytes, KiB, MiB, threads, warps, blocks, "
                      "registers, instructions, cycles, "
                      "percent",
                      EXPR_TEXT(e, at));
}

Node *ptx_expr_number(Expr *e, Span number, Span unit)
{
    Node *node = ptx_expr_leaf(e, NODE_NUMBER, ptx_span_join(number, unit));
    node->number = read_number(e, number);
    if (unit.begin == unit.end)
        return node;
    for (size_t i = 0; i < sizeof unit_rows / sizeof *unit_rows; i++) {
        const UnitRow *row = &unit_rows[i];
        if (strlen(row->text) == ptx_span_length(unit)
            && !memcmp(row->text, e->text + unit.begin, ptx_span_length(unit))) {
            node->unit.of[row->unit] = 1;
            node->number *= row->factor;
            return node;
        }
    }
    fail_unit(e, unit);
    return node;
}

/* ---- texts of another shape ------------------------------------------------------------------ */

/* Whether an operand may end with it. */
static bool ends_value(int kind)
{
    switch (kind) {
    case EXPR_NUMBER:
    case EXPR_PERCENTAGE:
    case EXPR_TRUE:
    case EXPR_FALSE:
    case EXPR_WORD:
    case EXPR_NAME:
    case EXPR_FACT:
    case EXPR_RPAREN: case EXPR_RBRACKET:
        return true;
    default:
        return false;
    }
}

static bool begins_value(int kind)
{
    switch (kind) {
    case EXPR_RPAREN: case EXPR_RBRACKET:
        return false;
    case EXPR_LPAREN: case EXPR_LBRACKET: case EXPR_NOT:
        return true;
    default:
        return ends_value(kind);
    }
}

/* Keeps the brackets that are open; false: one too many, or too few. */
bool ptx_expr_open(Expr *e, int kind, Span token)
{
    if (kind == EXPR_LPAREN || kind == EXPR_LBRACKET) {
        if (e->open_count == EXPR_DEPTH)
            return ptx_expr_fail(e, token, "nested deeper than %d", EXPR_DEPTH);
        e->open[e->open_count++] = token;
    } else if (kind == EXPR_RPAREN || kind == EXPR_RBRACKET) {
        char opening = kind == EXPR_RPAREN ? '(' : '[';
        if (!e->open_count)
            return ptx_expr_fail(e, token, "no '%c' is open here", opening);
        Span open = e->open[--e->open_count];
        if (e->text[open.begin] != opening)
            return ptx_expr_fail(e, token, "'%c' is open here, and '%c' does not close it",
                                 e->text[open.begin], e->text[token.begin]);
    } else if (!kind && e->open_count && ends_value(e->last_kind)) {
        Span open = e->open[e->open_count - 1];
        return ptx_expr_fail(e, open, "this '%c' is not closed: a '%c' is missing",
                             e->text[open.begin], e->text[open.begin] == '(' ? ')' : ']');
    }
    return true;
}

void ptx_expr_unexpected(Expr *e, int kind, Span token)
{
    if (!kind && !e->last_kind)
        ptx_expr_fail(e, token, "the expression is empty");
    else if (!kind && e->last_kind == EXPR_IS)
        ptx_expr_fail(e, e->last,
                      "'is' takes a word or a list of words, as in insn is \"ld.global\"");
    else if (!kind)
        ptx_expr_fail(e, e->last, "a value is missing behind '%.*s'", EXPR_TEXT(e, e->last));
    else if (e->last_kind == EXPR_IN)
        ptx_expr_fail(e, token,
                      "'in' takes a list of constants, as in insn.type in [\"f32\", \"f64\"]");
    else if (e->last_kind == EXPR_IS)
        ptx_expr_fail(e, token,
                      "'is' takes a word or a list of words, as in insn is \"ld.global\"");
    else if (ends_value(e->last_kind) && (kind == EXPR_COMMA || kind == EXPR_COLON))
        ptx_expr_fail(e, token, "'%.*s' does not belong here", EXPR_TEXT(e, token));
    else if (e->last_kind == EXPR_NAME && begins_value(kind) && e->open_count
             && e->open[e->open_count - 1].end == e->last.begin)
        ptx_expr_fail(e, token, "'%.*s' cannot follow '%.*s': a ':' is missing",
                      EXPR_TEXT(e, token), EXPR_TEXT(e, e->last));
    else if (ends_value(e->last_kind) && begins_value(kind))
        ptx_expr_fail(e, token, "'%.*s' cannot follow '%.*s': an operator is missing",
                      EXPR_TEXT(e, token), EXPR_TEXT(e, e->last));
    else
        ptx_expr_fail(e, token, "expected a value, not '%.*s'", EXPR_TEXT(e, token));
}
