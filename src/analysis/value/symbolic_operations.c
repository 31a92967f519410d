/* Operations that are no sums, and what they become of operands that are partly known. */
#include "analysis/value/symbolic_build.h"

#include "support/minmax.h"

enum { MAX_NEGATED = 3 };       /* levels of and and or */

/* A predicate widened to 0 and 1, or 0 and -1. */
static bool is_widened(const Symbols *s, SymId id)
{
    const Sym *sym = &s->nodes[id];
    return (sym->kind == SYM_ZEXT || sym->kind == SYM_SEXT) && s->nodes[sym->a].width == 1;
}

static SymId widen_predicate(Symbols *s, const Sym *like, SymId predicate)
{
    return ptx_sym_resize(s, predicate, like->width, like->kind == SYM_SEXT);
}

/* x + ((x >> 31) >>u (32 - n)): the first half of a signed division by 2^n. Gives x and n. */
static bool is_biased(Symbols *s, SymId id, SymId *x, unsigned *n)
{
    const Sym sum = s->nodes[id];
    for (uint32_t t = 0; sum.kind == SYM_SUM && t < sum.b; t++) {
        SymTerm bias = s->terms[sum.a + t];
        const Sym right = s->nodes[bias.atom];
        uint64_t amount, last;
        if (bias.factor != 1 || right.kind != SYM_SHR_U || !ptx_sym_is_const(s, right.b, &amount)
            || amount >= sum.width)
            continue;
        const Sym sign = s->nodes[right.a];
        *x = right.a;                   /* by two: the sign bit itself */
        if (amount < sum.width - 1u || sign.kind == SYM_SHR_S) {
            if (sign.kind != SYM_SHR_S || !ptx_sym_is_const(s, sign.b, &last)
                || last < sum.width - 1u)
                continue;
            *x = sign.a;
        }
        *n = (unsigned)(sum.width - amount);
        if (ptx_sym_sub(s, id, bias.atom) == *x)
            return true;
    }
    return false;
}

static SymId build_shift(Symbols *s, SymKind kind, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width, n;
    uint64_t amount, inner;
    SymId x;
    if (!ptx_sym_is_const(s, b, &amount))
        return ptx_sym_make(s, kind, width, a, b);
    if (!amount)
        return a;
    if (amount >= width && kind != SYM_SHR_S)
        return ptx_sym_const(s, width, 0);
    if (kind == SYM_SHL)
        return ptx_sym_scale(s, a, UINT64_C(1) << amount);
    if (kind == SYM_SHR_U && s->nodes[a].kind == SYM_SHR_U
        && ptx_sym_is_const(s, s->nodes[a].b, &inner))
        return build_shift(s, kind, s->nodes[a].a, ptx_sym_const(s, width, inner + amount));
    if (kind == SYM_SHR_S && is_biased(s, a, &x, &n) && n == amount)
        return ptx_sym_binary(s, SYM_DIV_S, x, ptx_sym_const(s, width, UINT64_C(1) << n));
    return ptx_sym_make(s, kind, width, a, b);
}

static SymId build_division(Symbols *s, SymKind kind, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t divisor;
    bool is_rem = kind == SYM_REM_U || kind == SYM_REM_S;
    if (!ptx_sym_is_const(s, b, &divisor))
        return ptx_sym_make(s, kind, width, a, b);
    if (divisor == 1)
        return is_rem ? ptx_sym_const(s, width, 0) : a;
    if (kind == SYM_REM_U && ptx_number_is_power(divisor))
        return ptx_sym_binary(s, SYM_AND, a, ptx_sym_const(s, width, divisor - 1));
    if (kind == SYM_DIV_U && ptx_number_is_power(divisor))
        return build_shift(s, SYM_SHR_U, a,
                           ptx_sym_const(s, width, ptx_number_zeros(width, divisor)));
    return ptx_sym_make(s, kind, width, a, b);
}

static SymId build_and(Symbols *s, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width, n;
    uint64_t mask, inner;
    SymId x;
    if (a == b)
        return a;
    if (s->nodes[a].kind == SYM_CONST)
        return build_and(s, b, a);
    if (!ptx_sym_is_const(s, b, &mask)) {
        if (is_widened(s, a) && is_widened(s, b) && s->nodes[a].kind == s->nodes[b].kind) {
            Sym like = s->nodes[a];
            return widen_predicate(s, &like, ptx_sym_binary(s, SYM_AND, like.a, s->nodes[b].a));
        }
        return ptx_sym_make_sorted(s, SYM_AND, width, a, b);
    }
    uint64_t low = UINT64_C(1) << (s->nodes[a].zeros < 64 ? s->nodes[a].zeros : 63);
    if ((mask & ~(low - 1) & ptx_width_mask(width)) == 0)
        return ptx_sym_const(s, width, 0);
    if (ptx_number_is_power(mask + 1) && s->nodes[a].range.umax <= mask)
        return a;
    if (ptx_number_is_power((~mask & ptx_width_mask(width)) + 1)
        && (~mask & ptx_width_mask(width)) < low)
        return a;
    if (s->nodes[a].kind == SYM_AND && ptx_sym_is_const(s, s->nodes[a].b, &inner))
        return build_and(s, s->nodes[a].a, ptx_sym_const(s, width, mask & inner));
    if (is_biased(s, a, &x, &n) && mask == (ptx_width_mask(width) & ~((UINT64_C(1) << n) - 1)))
        return ptx_sym_scale(
            s, ptx_sym_binary(s, SYM_DIV_S, x, ptx_sym_const(s, width, UINT64_C(1) << n)),
            UINT64_C(1) << n);
    return ptx_sym_make(s, SYM_AND, width, a, b);
}

static SymId build_or(Symbols *s, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t bits;
    if (a == b)
        return a;
    if (s->nodes[a].kind == SYM_CONST)
        return build_or(s, b, a);
    if (ptx_sym_is_const(s, b, &bits)) {
        if (!bits || bits == ptx_width_mask(width))
            return bits ? b : a;
        if (width > 1 && s->nodes[a].zeros < 64
            && bits < UINT64_C(1) << s->nodes[a].zeros) /* nothing in common: a sum */
            return ptx_sym_add(s, a, b);
        return ptx_sym_make(s, SYM_OR, width, a, b);
    }
    if (is_widened(s, a) && is_widened(s, b) && s->nodes[a].kind == s->nodes[b].kind) {
        Sym like = s->nodes[a];
        return widen_predicate(s, &like, ptx_sym_binary(s, SYM_OR, like.a, s->nodes[b].a));
    }
    return ptx_sym_make_sorted(s, SYM_OR, width, a, b);
}

static SymId build_xor(Symbols *s, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t bits;
    if (a == b)
        return ptx_sym_const(s, width, 0);
    if (s->nodes[a].kind == SYM_CONST)
        return build_xor(s, b, a);
    if (!ptx_sym_is_const(s, b, &bits))
        return ptx_sym_make_sorted(s, SYM_XOR, width, a, b);
    if (!bits)
        return a;
    if (width == 1)
        return ptx_sym_not(s, a);
    if (bits == ptx_width_mask(width))                /* ~x is -1 - x */
        return ptx_sym_sub(s, b, a);
    Sym like = s->nodes[a];
    if (bits == 1 && like.kind == SYM_ZEXT && s->nodes[like.a].width == 1)
        return widen_predicate(s, &like, ptx_sym_not(s, like.a));
    return ptx_sym_make(s, SYM_XOR, width, a, b);
}

/* A comparison of something that has two values only with a constant: true or false for each. */
static bool compare_each(Symbols *s, SymKind kind, SymId a, SymId b, bool swapped, SymId *out)
{
    const Sym sym = s->nodes[a];
    uint64_t bound, first, second, yes, no;
    SymId predicate = sym.a;
    if (!ptx_sym_is_const(s, b, &bound))
        return false;
    if (is_widened(s, a)) {
        first = sym.kind == SYM_ZEXT ? 1 : ptx_width_mask(sym.width);
        second = 0;
    } else if (sym.kind != SYM_SELECT || !ptx_sym_is_const(s, sym.b, &first)
               || !ptx_sym_is_const(s, sym.c, &second)) {
        return false;
    }
    if (swapped) {
        ptx_number_fold(kind, sym.width, bound, first, &yes);
        ptx_number_fold(kind, sym.width, bound, second, &no);
    } else {
        ptx_number_fold(kind, sym.width, first, bound, &yes);
        ptx_number_fold(kind, sym.width, second, bound, &no);
    }
    *out = ptx_sym_select(s, predicate, ptx_sym_const(s, 1, yes), ptx_sym_const(s, 1, no));
    return true;
}

static SymId build_comparison(Symbols *s, SymKind kind, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    SymId out;
    uint64_t difference;
    bool holds_equal = kind == SYM_EQ || kind == SYM_LE_U || kind == SYM_LE_S;
    if (a == b)
        return ptx_sym_const(s, 1, holds_equal);
    if (width == 1) {
        SymId differ = build_xor(s, a, b);
        if (kind == SYM_NE)
            return differ;
        return kind == SYM_EQ ? ptx_sym_not(s, differ) : ptx_sym_make(s, kind, 1, a, b);
    }
    if (compare_each(s, kind, a, b, false, &out) || compare_each(s, kind, b, a, true, &out))
        return out;
    if ((kind == SYM_EQ || kind == SYM_NE)
        && ptx_sym_is_const(s, ptx_sym_sub(s, a, b), &difference))
        return ptx_sym_const(s, 1, (difference == 0) == (kind == SYM_EQ));
    return ptx_sym_make(s, kind, 1, a, b);
}

SymId ptx_sym_binary(Symbols *s, SymKind kind, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t x, y, value;
    if (ptx_sym_is_const(s, a, &x) && ptx_sym_is_const(s, b, &y)
        && ptx_number_fold(kind, width, x, y, &value))
        return ptx_sym_const(s, kind >= SYM_EQ ? 1 : width, value);
    switch (kind) {
    case SYM_MUL: return ptx_sym_mul(s, a, b);
    case SYM_SHL: case SYM_SHR_U: case SYM_SHR_S: return build_shift(s, kind, a, b);
    case SYM_DIV_U:
    case SYM_DIV_S:
    case SYM_REM_U:
    case SYM_REM_S:
        return build_division(s, kind, a, b);
    case SYM_AND: return build_and(s, a, b);
    case SYM_OR:  return build_or(s, a, b);
    case SYM_XOR: return build_xor(s, a, b);
    case SYM_MIN_U: case SYM_MIN_S: case SYM_MAX_U: case SYM_MAX_S:
        return a == b ? a : ptx_sym_make_sorted(s, kind, width, a, b);
    case SYM_EQ:
    case SYM_NE:
    case SYM_LT_U:
    case SYM_LT_S:
    case SYM_LE_U:
    case SYM_LE_S:
        return build_comparison(s, kind, a, b);
    default: return ptx_sym_make(s, kind, width, a, b);
    }
}

/* By De Morgan's laws, a few levels down: a graph may have many more ways than nodes. */
static SymId negate_condition(Symbols *s, SymId predicate, unsigned levels)
{
    const Sym sym = s->nodes[predicate];
    switch (sym.kind) {
    case SYM_CONST: return ptx_sym_const(s, 1, !sym.value);
    case SYM_EQ:    return ptx_sym_binary(s, SYM_NE, sym.a, sym.b);
    case SYM_NE:    return ptx_sym_binary(s, SYM_EQ, sym.a, sym.b);
    case SYM_LT_U:  return ptx_sym_binary(s, SYM_LE_U, sym.b, sym.a);
    case SYM_LT_S:  return ptx_sym_binary(s, SYM_LE_S, sym.b, sym.a);
    case SYM_LE_U:  return ptx_sym_binary(s, SYM_LT_U, sym.b, sym.a);
    case SYM_LE_S:  return ptx_sym_binary(s, SYM_LT_S, sym.b, sym.a);
    case SYM_AND: case SYM_OR:
        if (!levels)
            break;
        return ptx_sym_binary(s, sym.kind == SYM_AND ? SYM_OR : SYM_AND,
                              negate_condition(s, sym.a, levels - 1),
                              negate_condition(s, sym.b, levels - 1));
    case SYM_XOR:
        if (s->nodes[sym.b].kind == SYM_CONST)
            return sym.a;
        break;
    default: break;
    }
    return ptx_sym_make(s, SYM_XOR, 1, predicate, ptx_sym_const(s, 1, 1));
}

SymId ptx_sym_not(Symbols *s, SymId predicate)
{
    return negate_condition(s, predicate, MAX_NEGATED);
}

/* selp after setp is how a minimum is written where there is no min. */
static SymId select_order(Symbols *s, const Sym *test, SymId a, SymId b)
{
    bool is_signed = test->kind == SYM_LT_S || test->kind == SYM_LE_S;
    if (!is_signed && test->kind != SYM_LT_U && test->kind != SYM_LE_U)
        return 0;
    if (test->a == a && test->b == b)
        return ptx_sym_binary(s, is_signed ? SYM_MIN_S : SYM_MIN_U, a, b);
    if (test->a == b && test->b == a)
        return ptx_sym_binary(s, is_signed ? SYM_MAX_S : SYM_MAX_U, a, b);
    return 0;
}

/* x == 0 ? a : a + c * x is a + c * x: a loop of x iterations that a guard passes by. */
static SymId select_passed(Symbols *s, const Sym *test, SymId a, SymId b)
{
    uint64_t zero;
    if ((test->kind != SYM_EQ && test->kind != SYM_NE) || !ptx_sym_is_const(s, test->b, &zero)
        || zero)
        return 0;
    SymId all = test->kind == SYM_EQ ? b : a;
    SymbolicLinear rest, x;
    ptx_sym_linear(s, ptx_sym_sub(s, all, test->kind == SYM_EQ ? a : b), &rest);
    ptx_sym_linear(s, test->a, &x);
    if (rest.count != 1 || rest.constant || x.count != 1 || x.constant)
        return 0;
    const Sym *atom = &s->nodes[rest.terms[0].atom];
    bool widened = (atom->kind == SYM_ZEXT || atom->kind == SYM_SEXT) && atom->a == x.terms[0].atom;
    return x.terms[0].factor == 1 && (widened || rest.terms[0].atom == x.terms[0].atom) ? all : 0;
}

SymId ptx_sym_select(Symbols *s, SymId predicate, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t known, x, y;
    if (a == b)
        return a;
    if (ptx_sym_is_const(s, predicate, &known))
        return known ? a : b;
    if (ptx_sym_is_const(s, a, &x) && ptx_sym_is_const(s, b, &y)) {
        uint64_t all = ptx_width_mask(width);
        if (width == 1)
            return x ? predicate : ptx_sym_not(s, predicate);
        if (!y && (x == 1 || x == all))
            return ptx_sym_resize(s, predicate, width, x == all);
        if (!x && (y == 1 || y == all))
            return ptx_sym_resize(s, ptx_sym_not(s, predicate), width, y == all);
    }
    Sym test = s->nodes[predicate];
    SymId other = select_order(s, &test, a, b);
    other = other || width == 1 ? other : select_passed(s, &test, a, b);
    if (other)
        return other;
    return ptx_sym_intern(s,
                  (Sym){ .kind = SYM_SELECT,
                         .width = (uint8_t)width,
                         .scope = NO_LOOP,
                         .a = predicate,
                         .b = a,
                         .c = b },
                  NULL);
}

SymId ptx_sym_lane(Symbols *s, SymId x, SymId y, SymId z)
{
    return ptx_sym_intern(
        s, (Sym){ .kind = SYM_LANE, .width = 32, .scope = NO_LOOP, .a = x, .b = y, .c = z }, NULL);
}

static SymId truncate_sum(Symbols *s, SymId a, unsigned width)
{
    SymbolicLinear l;
    ptx_sym_linear(s, a, &l);
    SymId sum = ptx_sym_const(s, width, l.constant);
    for (uint32_t t = 0; t < l.count; t++)
        sum = ptx_sym_add_scaled(s, sum, ptx_sym_resize(s, l.terms[t].atom, width, false),
                         l.terms[t].factor & ptx_width_mask(width));
    return sum;
}

static SymId truncate(Symbols *s, SymId a, unsigned width)
{
    Sym sym = s->nodes[a];
    switch (sym.kind) {
    case SYM_CONST: return ptx_sym_const(s, width, sym.value);
    case SYM_SUM:   return truncate_sum(s, a, width);
    case SYM_SEXT: case SYM_ZEXT:
        return ptx_sym_resize(s, sym.a, width, sym.kind == SYM_SEXT);
    case SYM_MUL: case SYM_AND: case SYM_OR: case SYM_XOR:
        return ptx_sym_binary(s, (SymKind)sym.kind, truncate(s, sym.a, width),
                              truncate(s, sym.b, width));
    case SYM_PARAM: case SYM_CONSTANT:          /* little-endian: the same place */
        if (sym.range.umin != sym.range.umax)
            sym.range = ptx_interval_full(width);
        else
            sym.range = ptx_interval_point(width, sym.range.umin);
        sym.width = (uint8_t)width;
        return ptx_sym_leaf(s, sym);
    case SYM_TRUNC:
        return truncate(s, sym.a, width);
    default:
        return ptx_sym_make(s, SYM_TRUNC, width, a, 0);
    }
}

SymId ptx_sym_resize(Symbols *s, SymId a, unsigned width, bool is_signed)
{
    const Sym sym = s->nodes[a];
    if (sym.width == width)
        return a;
    if (sym.width > width)
        return truncate(s, a, width);
    if (sym.kind == SYM_CONST)
        return ptx_sym_const(
            s, width, is_signed ? (uint64_t)ptx_width_signed(sym.width, sym.value) : sym.value);
    if (sym.width > 1 && sym.range.umax <= (uint64_t)ptx_width_signed_top(sym.width))
        /* both are the same: one of them, so that they meet */
        is_signed = false;
    if (sym.kind == SYM_ZEXT || (sym.kind == SYM_SEXT && is_signed))
        return ptx_sym_resize(s, sym.a, width, sym.kind == SYM_SEXT);
    if (sym.kind == SYM_TRUNC && s->nodes[sym.a].width == width && !is_signed &&
        s->nodes[sym.a].range.umax <= ptx_width_mask(sym.width))
        return sym.a;
    return ptx_sym_make(s, is_signed ? SYM_SEXT : SYM_ZEXT, width, a, 0);
}

typedef struct Rebuilding {
    Symbols *s;
    SymReplace replace;
    void *context;
    uint32_t stamp;
} Rebuilding;

static SymId rebuild(const Rebuilding *b, SymId id);

static SymId rebuild_sum(const Rebuilding *b, const Sym *sum)
{
    SymId value = ptx_sym_const(b->s, sum->width, sum->value);
    for (uint32_t t = 0; t < sum->b; t++) {
        SymTerm term = b->s->terms[sum->a + t];
        value = ptx_sym_add_scaled(b->s, value, rebuild(b, term.atom), term.factor);
    }
    return value;
}

static SymId rebuild_operation(const Rebuilding *b, const Sym *sym)
{
    SymId x = rebuild(b, sym->a), y = ptx_sym_operands(sym) > 1 ? rebuild(b, sym->b) : 0;
    if (sym->kind == SYM_SELECT)
        return ptx_sym_select(b->s, x, y, rebuild(b, sym->c));
    if (sym->kind == SYM_LANE)
        return ptx_sym_lane(b->s, x, y, rebuild(b, sym->c));
    if (sym->kind >= SYM_SEXT && sym->kind <= SYM_TRUNC)
        return ptx_sym_resize(b->s, x, sym->width, sym->kind == SYM_SEXT);
    return ptx_sym_binary(b->s, (SymKind)sym->kind, x, y);
}

/* As deep as the node at most. */
static SymId rebuild(const Rebuilding *b, SymId id)
{
    const Sym sym = b->s->nodes[id];
    SymId value = id;
    if (!(sym.uses & USES_UNKNOWN))
        return id;
    if (sym.stamp == b->stamp)
        return sym.image;
    if (sym.kind == SYM_PHI || sym.kind == SYM_EXIT)
        value = b->replace(b->context, id);
    else if (sym.kind == SYM_SUM)
        value = rebuild_sum(b, &sym);
    else if (sym.kind > SYM_SUM)
        value = rebuild_operation(b, &sym);
    b->s->nodes[id].stamp = b->stamp;
    return b->s->nodes[id].image = value;
}

SymId ptx_sym_rebuild(Symbols *s, SymId id, SymReplace replace, void *context)
{
    Rebuilding b = { s, replace, context, ++s->stamp };
    return rebuild(&b, id);
}

bool ptx_sym_is_multiple(const Symbols *s, SymId id, uint64_t factor)
{
    const Sym *sym = &s->nodes[id];
    uint64_t divisor;
    if (ptx_number_is_power(factor))
        return sym->zeros >= ptx_number_zeros(64, factor);
    if (sym->kind == SYM_CONST)
        return sym->value % factor == 0;
    if (sym->kind != SYM_SUM || sym->b != 1 || sym->value)
        return false;
    const SymTerm *term = &s->terms[sym->a];            /* x / d * d */
    const Sym *atom = &s->nodes[term->atom];
    return atom->kind == SYM_DIV_U && term->factor == factor
           && ptx_sym_is_const(s, atom->b, &divisor) && divisor == factor;
}
