/* emit.c -- a typed tree as Code. A predicate is a program of its own, so those inside an
 * expression are written before it. */
#include "rules/lang/expr.h"

/* A program being written. */
typedef struct Emitter {
    Expr *e;
    uint32_t first;             /* into codes */
    uint32_t height;            /* values on the stack */
} Emitter;

/* ---- arrays that grow ------------------------------------------------------------------------ */

/* The arrays of a set are const to all but its builder. */
static void *writable(const void *array)
{
    return (void *)(uintptr_t)array;
}

/* The array, or a larger copy, with room for one more behind count. */
static void *grow(Arena *arena, const void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return writable(array);
    uint32_t larger = *capacity ? 2 * *capacity : 64;
    if (larger <= *capacity)
        ptx_arena_fail(arena);
    char *copy = ptx_arena_alloc_array(arena, larger, size);
    if (count)
        memcpy(copy, array, count * size);
    *capacity = larger;
    return copy;
}

#define ADD(builder, array, count, capacity, T, item)                                  \
    do {                                                                               \
        T *grown_ = grow((builder)->arena, (builder)->set.array, (builder)->set.count, \
                         &(builder)->capacity, sizeof(T));                             \
        grown_[(builder)->set.count++] = (item);                                       \
        (builder)->set.array = grown_;                                                 \
    } while (0)

void ptx_rule_add_hole(RuleBuilder *builder, const Hole *hole)
{
    ADD(builder, holes, hole_count, hole_capacity, Hole, *hole);
}

/* An index that Code.arg can hold. */
static bool fits_code_arg(Expr *e, const Node *node, uint32_t index)
{
    return index <= UINT16_MAX
           || ptx_expr_fail(e, node->span,
                            "too large: the rules have more than %d constants or patterns",
                            UINT16_MAX);
}

static bool add_code(Emitter *em, const Node *node, CodeKind kind, uint32_t count, uint32_t arg)
{
    RuleBuilder *b = em->e->builder;
    if (!fits_code_arg(em->e, node, arg))
        return false;
    const Code code = { (uint8_t)kind, (uint8_t)count, (uint16_t)arg };
    ADD(b, codes, code_count, code_capacity, Code, code);
    return true;
}

/* One that pushes a value. */
static bool add_push(Emitter *em, const Node *node, CodeKind kind, uint32_t count, uint32_t arg)
{
    if (++em->height > CODE_STACK)
        return ptx_expr_fail(em->e, node->span,
                             "too large: more than %d values wait for an operator here",
                             (int)CODE_STACK);
    return add_code(em, node, kind, count, arg);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void add_constant(RuleBuilder *b, double value)
{
    ADD(b, constants, constant_count, constant_capacity, double, value);
}

/* Its index; an equal one that was written lately serves too. */
static uint32_t find_emitted_constant(RuleBuilder *b, double value)
{
    enum { LATELY = 256 };
    const uint32_t count = b->set.constant_count;
    for (uint32_t i = count; i > 0 && count - i < LATELY; i--)
        if (!memcmp(&b->set.constants[i - 1], &value, sizeof value))
            return i - 1;
    add_constant(b, value);
    return count;
}

static bool emit_in(Emitter *em, Node *node)
{
    RuleBuilder *b = em->e->builder;
    const uint32_t first = b->set.constant_count;
    for (const Node *item = node->right; item; item = item->next)
        add_constant(b, item->number);
    return fits_code_arg(em->e, node, b->set.constant_count - 1)
           && add_code(em, node, CODE_IN, b->set.constant_count - first, first);
}

static bool emit_is(Emitter *em, Node *node)
{
    RuleBuilder *b = em->e->builder;
    const uint32_t first = b->set.pattern_count;
    for (const Node *word = node->right; word; word = word->next) {
        Pattern pattern;
        int16_t modifiers[OP_MAX_MODIFIERS];
        if (!ptx_expr_pattern(em->e, word, &pattern, modifiers)
            || !fits_code_arg(em->e, node, b->set.modifier_count)
            || !fits_code_arg(em->e, node, b->set.pattern_count))
            return false;
        pattern.modifier_first = (uint16_t)b->set.modifier_count;
        for (uint16_t m = 0; m < pattern.modifier_count; m++)
            ADD(b, modifiers, modifier_count, modifier_capacity, int16_t, modifiers[m]);
        ADD(b, patterns, pattern_count, pattern_capacity, Pattern, pattern);
    }
    return add_push(em, node, CODE_IS, b->set.pattern_count - first, first);
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool emit(Emitter *em, Node *node);

/* The left side decides where it is false (of and) or true (of or): then the jump leaves it on the
 * stack. */
static bool emit_junction(Emitter *em, Node *node, CodeKind jump)
{
    RuleBuilder *b = em->e->builder;
    if (!emit(em, node->left))
        return false;
    const uint32_t at = b->set.code_count;
    if (!add_code(em, node, jump, node->is_outermost, 0) || !emit(em, node->right)
        || !add_code(em, node, (CodeKind)node->code, 0, 0)
        || !fits_code_arg(em->e, node, b->set.code_count - em->first))
        return false;
    em->height--;
    Code *code = writable(&b->set.codes[at]);
    code->arg = (uint16_t)(b->set.code_count - em->first);
    return true;
}

static bool emit_binary(Emitter *em, Node *node)
{
    if (node->code == CODE_AND || node->code == CODE_OR)
        return emit_junction(em, node, node->code == CODE_AND ? CODE_AND_JUMP : CODE_OR_JUMP);
    if (!emit(em, node->left) || !emit(em, node->right))
        return false;
    em->height--;
    return add_code(em, node, (CodeKind)node->code, 0, 0);
}

static bool emit(Emitter *em, Node *node)
{
    switch ((NodeKind)node->kind) {
    case NODE_NUMBER: case NODE_TRUTH: case NODE_WORD:
        return add_push(em, node, CODE_CONST, 0,
                        find_emitted_constant(em->e->builder, node->number));
    case NODE_FACT:      return add_push(em, node, CODE_FACT, 0, node->index);
    case NODE_THRESHOLD: return add_push(em, node, CODE_THRESHOLD, 0, node->index);
    case NODE_OVER:      return add_push(em, node, (CodeKind)node->code, 0, node->index);
    case NODE_IS:        return emit_is(em, node);
    case NODE_IN:        return emit(em, node->left) && emit_in(em, node);
    case NODE_UNARY:
        return emit(em, node->left) && add_code(em, node, (CodeKind)node->code, 0, 0);
    default:             return emit_binary(em, node);
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Writes the predicates below node, inner ones first, each as a program and a quantifier. */
static bool emit_predicates(Expr *e, Node *node)
{
    if (node->kind != NODE_OVER) {
        if (node->left && !emit_predicates(e, node->left))
            return false;
        return !node->right || node->kind == NODE_IN || node->kind == NODE_IS
               || emit_predicates(e, node->right);
    }
    RuleBuilder *b = e->builder;
    Quantifier quantifier = { .over = node->over, .in_loop = node->in_loop, .level = node->level };
    if (!ptx_expr_emit(e, node->right, &quantifier.predicate)
        || !fits_code_arg(e, node, b->set.quantifier_count))
        return false;
    node->index = b->set.quantifier_count;
    ADD(b, quantifiers, quantifier_count, quantifier_capacity, Quantifier, quantifier);
    return true;
}

bool ptx_expr_emit(Expr *e, Node *node, Program *out)
{
    if (!emit_predicates(e, node))
        return false;
    Emitter em = { .e = e, .first = e->builder->set.code_count };
    if (!emit(&em, node))
        return false;
    *out = (Program){ em.first, e->builder->set.code_count - em.first };
    return true;
}
