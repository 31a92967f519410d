#include "analysis/value/symbolic.h"

#include "support/assert.h"
#include "support/hash.h"
#include "support/minmax.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/sreg.h"
#include "support/span.h"
#include "ir/reg.h"
#include "analysis/flow/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stddef.h>

enum {
    MAX_TERMS = 12,            /* of a sum; addresses of compilers have up to six */
    MAX_DEPTH = 100,           /* bounds every recursion over a node */
    MAX_NEGATED = 3,           /* levels of and and or */
    MAX_DISTRIBUTED = 8,       /* terms that a product of sums is multiplied out to */
};

/* ---- ranges ---------------------------------------------------------------------------------- */

static Interval range_at(const Symbols *s, const Interval *ranges, SymId id)
{
    return ranges ? ranges[id] : s->nodes[id].range;
}

static Interval range_of_sum(const Symbols *s, const Sym *sym, const Interval *ranges)
{
    Interval sum = ptx_interval_point(sym->width, sym->value);
    for (uint32_t t = 0; t < sym->b; t++) {
        const SymTerm *term = &s->terms[sym->a + t];
        sum = ptx_interval_add(
            sym->width, sum,
            ptx_interval_scale(sym->width, range_at(s, ranges, term->atom), term->factor));
    }
    return sum;
}

static Interval range_of(const Symbols *s, const Sym *sym, const Interval *ranges)
{
    unsigned width = sym->width;
    if (sym->kind == SYM_SUM)
        return range_of_sum(s, sym, ranges);
    Interval a = range_at(s, ranges, sym->a);
    switch (sym->kind) {
    case SYM_SEXT: return ptx_interval_signed(width, a.smin, a.smax);
    case SYM_ZEXT: return ptx_interval_unsigned(width, a.umin, a.umax);
    case SYM_TRUNC: return ptx_interval_truncate(width, a);
    default: break;
    }
    Interval b = range_at(s, ranges, sym->b);
    if (sym->kind == SYM_SELECT) {
        Interval c = range_at(s, ranges, sym->c);
        if (!ptx_interval_is_point(&a))
            return ptx_interval_join(b, c);
        return a.umin ? b : c;
    }
    if (sym->kind == SYM_LANE) {
        Interval c = range_at(s, ranges, sym->c);
        return ptx_interval_lane(width, &a, &b, &c);
    }
    return ptx_interval_binary((SymKind)sym->kind, s->nodes[sym->a].width, &a, &b);
}

Interval ptx_sym_range(const Symbols *s, SymId id, const Interval *ranges)
{
    return range_of(s, &s->nodes[id], ranges);
}

/* ---- the table of nodes ---------------------------------------------------------------------- */

Symbols *ptx_symbols_new(Arena *arena, const Module *module, const Func *func, const Loops *loops,
                         uint32_t limit)
{
    Symbols *s = ptx_arena_new(arena, Symbols);
    s->arena = arena;
    s->module = module;
    s->func = func;
    s->loops = loops;
    s->limit = limit;
    s->capacity = 128;
    s->term_capacity = 128;
    s->nodes = ptx_arena_array(arena, Sym, s->capacity);
    ptx_hash_init(&s->table, arena, s->capacity);
    s->terms = ptx_arena_array(arena, SymTerm, s->term_capacity);
    s->nodes[0] =
        (Sym){ .width = 1, .scope = NO_LOOP, .uses = USES_UNKNOWN, .range = ptx_interval_full(1) };
    s->count = 1;
    return s;
}

unsigned ptx_sym_operands(const Sym *sym)
{
    if (sym->kind <= SYM_SUM)
        return 0;
    if (sym->kind == SYM_SELECT || sym->kind == SYM_LANE)
        return 3;
    return sym->kind >= SYM_SEXT && sym->kind <= SYM_TRUNC ? 1 : 2;
}

static uint64_t hash_node(const Sym *sym, const SymTerm *terms)
{
    uint64_t h = sym->value * UINT64_C(0x9E3779B97F4A7C15) ^ (sym->kind * 257u + sym->width);
    if (sym->kind != SYM_SUM)
        return ptx_hash_mix(h ^ ((uint64_t)sym->a << 32 | sym->b) * UINT64_C(0xC2B2AE3D27D4EB4F)
                            ^ (uint64_t)sym->c << 17);
    for (uint32_t t = 0; t < sym->b; t++)
        h = (h ^ terms[t].factor ^ (uint64_t)terms[t].atom << 20) * UINT64_C(0xC2B2AE3D27D4EB4F);
    return ptx_hash_mix(h);
}

typedef struct SymKey {
    const Sym *sym;
    const SymTerm *terms;       /* of a sum */
} SymKey;

static bool is_node(const void *owner, uint32_t id, const void *key)
{
    const Symbols *s = owner;
    const Sym *a = &s->nodes[id], *b = ((const SymKey *)key)->sym;
    const SymTerm *b_terms = ((const SymKey *)key)->terms;
    if (a->kind != b->kind || a->width != b->width || a->value != b->value || a->b != b->b)
        return false;
    if (a->kind != SYM_SUM)
        return a->a == b->a && a->c == b->c;
    for (uint32_t t = 0; t < a->b; t++) {
        const SymTerm *x = &s->terms[a->a + t], *y = &b_terms[t];
        if (x->atom != y->atom || x->factor != y->factor)
            return false;
    }
    return true;
}

static void grow(Symbols *s)
{
    if (s->count == s->capacity) {
        Sym *nodes = ptx_arena_array(s->arena, Sym, 2 * (size_t)s->capacity);
        memcpy(nodes, s->nodes, s->count * sizeof *nodes);
        s->nodes = nodes;
        s->capacity *= 2;
    }
    if (s->term_count + MAX_TERMS > s->term_capacity) {
        SymTerm *terms = ptx_arena_array(s->arena, SymTerm, 2 * (size_t)s->term_capacity);
        memcpy(terms, s->terms, s->term_count * sizeof *terms);
        s->terms = terms;
        s->term_capacity *= 2;
    }
    if (!ptx_hash_is_full(&s->table, s->count))
        return;
    ptx_hash_init(&s->table, s->arena, 2 * (uint64_t)s->count);
    for (SymId id = 1; id < s->count; id++) {
        const Sym *node = &s->nodes[id];
        *ptx_hash_free(&s->table, (uint32_t)hash_node(node, s->terms + node->a)) = id;
    }
}

static LoopId deeper(const Symbols *s, LoopId a, LoopId b)
{
    if (a == NO_LOOP || b == NO_LOOP)
        return a == NO_LOOP ? b : a;
    return s->loops->loops[a].depth >= s->loops->loops[b].depth ? a : b;
}

static void take_from(const Symbols *s, Sym *sym, SymId operand)
{
    ASSERT(operand < s->count);
    const Sym *from = &s->nodes[operand];
    sym->uses |= from->uses;
    sym->scope = deeper(s, sym->scope, from->scope);
    sym->depth = from->depth >= sym->depth ? (uint8_t)(from->depth + 1) : sym->depth;
}

static uint8_t zeros_of(const Symbols *s, const Sym *sym, const SymTerm *terms)
{
    unsigned count = ptx_sym_operands(sym), zeros = 0;
    unsigned a = count ? s->nodes[sym->a].zeros : 0;
    unsigned b = count > 1 ? s->nodes[sym->b].zeros : 0;
    switch (sym->kind) {
    case SYM_CONST:
        zeros = ptx_number_zeros(sym->width, sym->value);
        break;
    case SYM_SUM:
        zeros = ptx_number_zeros(sym->width, sym->value);
        for (uint32_t t = 0; t < sym->b; t++) {
            unsigned own = ptx_number_zeros(sym->width, terms[t].factor)
                           + s->nodes[terms[t].atom].zeros;
            zeros = own < zeros ? own : zeros;
        }
        break;
    case SYM_MUL:
        zeros = a + b;
        break;
    case SYM_AND:
        zeros = a > b ? a : b;
        break;
    case SYM_SELECT:
        a = s->nodes[sym->c].zeros;
        /* fallthrough */
    case SYM_OR: case SYM_XOR: case SYM_MIN_U: case SYM_MIN_S: case SYM_MAX_U: case SYM_MAX_S:
        zeros = a < b ? a : b;
        break;
    case SYM_SEXT: case SYM_ZEXT: case SYM_TRUNC:
        zeros = a;
        break;
    default:
        break;
    }
    return (uint8_t)(zeros < sym->width ? zeros : sym->width);
}

/* The node with these operands; terms are a sum's. Leaves bring scope, uses and range. */
static SymId intern(Symbols *s, Sym sym, const SymTerm *terms)
{
    ASSERT(sym.kind > SYM_NONE && sym.kind < SYM__COUNT && sym.width <= 64);
    uint32_t hash = (uint32_t)hash_node(&sym, terms);
    SymId found = *ptx_hash_find(&s->table, hash, is_node, s, &(SymKey){ &sym, terms });
    if (found)
        return found;
    s->is_full |= s->count >= s->limit;
    if (s->is_full && sym.kind != SYM_CONST)
        return ptx_sym_const(s, sym.width, 0);
    if (sym.kind >= SYM_SUM) {
        SymId operands[3] = { sym.a, sym.b, sym.c };
        for (unsigned i = 0; i < ptx_sym_operands(&sym); i++)
            take_from(s, &sym, operands[i]);
        for (uint32_t t = 0; sym.kind == SYM_SUM && t < sym.b; t++)
            take_from(s, &sym, terms[t].atom);
        if (sym.depth > MAX_DEPTH)
            return ptx_sym_opaque(s, sym.width, WHY_SIZE, NO_ID, sym.scope);
    }
    grow(s);
    sym.zeros = zeros_of(s, &sym, terms);
    if (sym.kind == SYM_SUM) {
        memcpy(s->terms + s->term_count, terms, sym.b * sizeof *terms);
        sym.a = s->term_count;
        s->term_count += sym.b;
    }
    if (sym.kind >= SYM_SUM)
        sym.range = range_of(s, &sym, NULL);
    ASSERT(s->count < s->capacity);
    ASSERT(sym.range.umin <= sym.range.umax && sym.range.smin <= sym.range.smax);
    s->nodes[s->count] = sym;
    return *ptx_hash_free(&s->table, hash) = s->count++;
}

/* A full table still has something to return: a zero of each width. */
SymId ptx_sym_const(Symbols *s, unsigned width, uint64_t value)
{
    value = s->is_full || s->count >= s->limit ? 0 : value & ptx_width_mask(width);
    return intern(s,
                  (Sym){ .kind = SYM_CONST,
                         .width = (uint8_t)width,
                         .scope = NO_LOOP,
                         .value = value,
                         .range = ptx_interval_point(width, value) },
                  NULL);
}

SymId ptx_sym_leaf(Symbols *s, Sym leaf)
{
    return intern(s, leaf, NULL);
}

SymId ptx_sym_opaque(Symbols *s, unsigned width, SymWhy why, RegId reg, LoopId scope)
{
    return intern(s,
                  (Sym){ .kind = SYM_OPAQUE,
                         .width = (uint8_t)width,
                         .uses = USES_UNKNOWN | USES_OPAQUE,
                         .scope = scope,
                         .a = why,
                         .b = reg,
                         .value = ++s->opaque_count,
                         .range = ptx_interval_full(width) },
                  NULL);
}

bool ptx_sym_is_const(const Symbols *s, SymId id, uint64_t *value)
{
    if (s->nodes[id].kind != SYM_CONST)
        return false;
    *value = s->nodes[id].value;
    return true;
}

bool ptx_sym_varies(const Symbols *s, SymId id, LoopId loop)
{
    LoopId scope = s->nodes[id].scope;
    uint32_t depth = s->loops->loops[loop].depth;
    while (scope != NO_LOOP && scope != loop && s->loops->loops[scope].depth > depth)
        scope = s->loops->loops[scope].parent;
    return scope == loop;
}

/* ---- sums ------------------------------------------------------------------------------------ */

typedef struct SymbolicLinear {
    uint64_t constant;
    uint32_t count;
    SymTerm terms[MAX_TERMS];  /* ascending by atom */
} SymbolicLinear;

/* Terms beyond count are not set: sums are made all the time. */
static void linear_of(const Symbols *s, SymId id, SymbolicLinear *l)
{
    const Sym *sym = &s->nodes[id];
    l->constant = sym->kind == SYM_CONST || sym->kind == SYM_SUM ? sym->value : 0;
    if (sym->kind == SYM_SUM) {
        l->count = sym->b;
        memcpy(l->terms, s->terms + sym->a, sym->b * sizeof *l->terms);
        return;
    }
    l->count = sym->kind == SYM_CONST ? 0 : 1;
    l->terms[0] = (SymTerm){ id, 1 };
}

/* sum += factor * l. False where that has too many terms. */
static bool add_linear(SymbolicLinear *sum, const SymbolicLinear *l, uint64_t factor,
                       unsigned width)
{
    SymbolicLinear out;
    out.constant = sum->constant + factor * l->constant;
    out.count = 0;
    for (uint32_t i = 0, j = 0; i < sum->count || j < l->count;) {
        SymTerm term;
        if (j == l->count || (i < sum->count && sum->terms[i].atom < l->terms[j].atom)) {
            term = sum->terms[i++];
        } else {
            term = (SymTerm){ l->terms[j].atom, factor * l->terms[j].factor };
            if (i < sum->count && sum->terms[i].atom == term.atom)
                term.factor += sum->terms[i++].factor;
            j++;
        }
        term.factor &= ptx_width_mask(width);
        if (term.factor && out.count == MAX_TERMS)
            return false;
        if (term.factor)
            out.terms[out.count++] = term;
    }
    *sum = out;
    return true;
}

static void drop_term(SymbolicLinear *l, uint32_t at)
{
    memmove(&l->terms[at], &l->terms[at + 1], (l->count - at - 1) * sizeof *l->terms);
    l->count--;
}

/* Whether factor * id is among the terms, constants aside. */
static bool contains(const Symbols *s, const SymbolicLinear *l, SymId id, uint64_t factor,
                     unsigned width)
{
    SymbolicLinear part;
    linear_of(s, id, &part);
    for (uint32_t p = 0; p < part.count; p++) {
        bool found = false;
        for (uint32_t t = 0; t < l->count && !found; t++)
            found = l->terms[t].atom == part.terms[p].atom &&
                    l->terms[t].factor == ((factor * part.terms[p].factor) & ptx_width_mask(width));
        if (!found)
            return false;
    }
    return part.count > 0;
}

/* x - (x & 3) is x & ~3, and x - x % d is x / d * d: the shapes in which compilers round down. */
static bool round_down(Symbols *s, SymbolicLinear *l, unsigned width)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const Sym atom = s->nodes[l->terms[i].atom];
        uint64_t low = 0, factor = 0 - l->terms[i].factor;
        bool is_rem = atom.kind == SYM_REM_U || atom.kind == SYM_REM_S;
        if (!is_rem
            && !(atom.kind == SYM_AND && ptx_sym_is_const(s, atom.b, &low)
                 && ptx_number_is_power(low + 1)))
            continue;
        if (!contains(s, l, atom.a, factor, width))
            continue;
        SymKind division = atom.kind == SYM_REM_U ? SYM_DIV_U : SYM_DIV_S;
        SymId whole = is_rem ? ptx_sym_mul(s, ptx_sym_binary(s, division, atom.a, atom.b), atom.b)
                             : ptx_sym_binary(s, SYM_AND, atom.a, ptx_sym_const(s, width, ~low));
        SymbolicLinear all, rounded;
        linear_of(s, atom.a, &all);
        linear_of(s, whole, &rounded);
        drop_term(l, i);
        return add_linear(l, &all, 0 - factor, width) && add_linear(l, &rounded, factor, width);
    }
    return false;
}

static SymId sum_of(Symbols *s, SymbolicLinear *l, unsigned width)
{
    while (l->count > 1 && round_down(s, l, width))
        continue;
    l->constant &= ptx_width_mask(width);
    if (!l->count)
        return ptx_sym_const(s, width, l->constant);
    if (l->count == 1 && l->terms[0].factor == 1 && !l->constant)
        return l->terms[0].atom;
    Sym sum = { .kind = SYM_SUM,
                .width = (uint8_t)width,
                .scope = NO_LOOP,
                .b = l->count,
                .value = l->constant };
    return intern(s, sum, l->terms);
}

static SymId add_scaled(Symbols *s, SymId a, SymId b, uint64_t factor)
{
    unsigned width = s->nodes[a].width;
    const Sym *x = &s->nodes[a], *y = &s->nodes[b];
    SymbolicLinear sum, more;
    if (y->kind == SYM_CONST && !y->value)
        return a;
    if (x->kind == SYM_CONST && y->kind == SYM_CONST)
        return ptx_sym_const(s, width, x->value + factor * y->value);
    linear_of(s, a, &sum);
    linear_of(s, b, &more);
    if (!add_linear(&sum, &more, factor, width))
        return ptx_sym_opaque(s, width, WHY_SIZE, NO_ID,
                              deeper(s, s->nodes[a].scope, s->nodes[b].scope));
    return sum_of(s, &sum, width);
}

SymId ptx_sym_add(Symbols *s, SymId a, SymId b)
{
    return add_scaled(s, a, b, 1);
}

SymId ptx_sym_sub(Symbols *s, SymId a, SymId b)
{
    return add_scaled(s, a, b, UINT64_MAX);
}

SymId ptx_sym_scale(Symbols *s, SymId a, uint64_t factor)
{
    unsigned width = s->nodes[a].width;
    SymbolicLinear sum, more;
    if (factor == 1)
        return a;
    sum.count = 0;
    sum.constant = 0;
    linear_of(s, a, &more);
    add_linear(&sum, &more, factor, width);
    return sum_of(s, &sum, width);
}

static SymId make(Symbols *s, SymKind kind, unsigned width, SymId a, SymId b)
{
    return intern(
        s,
        (Sym){ .kind = (uint8_t)kind, .width = (uint8_t)width, .scope = NO_LOOP, .a = a, .b = b },
        NULL);
}

/* of an operation that commutes: one node for both orders */
static SymId make_sorted(Symbols *s, SymKind kind, unsigned width, SymId a, SymId b)
{
    return make(s, kind, width, ptx_u32_min(a, b), ptx_u32_max(a, b));
}
/* (c0 + c1 x + ...) * atom */
static SymId multiply_out(Symbols *s, const SymbolicLinear *l, SymId atom, unsigned width)
{
    SymId sum = ptx_sym_scale(s, atom, l->constant);
    for (uint32_t t = 0; t < l->count; t++) {
        SymId x = l->terms[t].atom;
        SymId product = make_sorted(s, SYM_MUL, width, x, atom);
        sum = add_scaled(s, sum, product, l->terms[t].factor);
    }
    return sum;
}

SymId ptx_sym_mul(Symbols *s, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t value;
    if (ptx_sym_is_const(s, a, &value))
        return ptx_sym_scale(s, b, value);
    if (ptx_sym_is_const(s, b, &value))
        return ptx_sym_scale(s, a, value);
    SymbolicLinear x, y;
    linear_of(s, a, &x);
    linear_of(s, b, &y);
    if ((x.count + 1) * (y.count + 1) > MAX_DISTRIBUTED)
        return make_sorted(s, SYM_MUL, width, a, b);
    SymId sum = ptx_sym_scale(s, a, y.constant);
    for (uint32_t t = 0; t < y.count; t++)
        sum = add_scaled(s, sum, multiply_out(s, &x, y.terms[t].atom, width), y.terms[t].factor);
    return sum;
}

/* ---- other operations ------------------------------------------------------------------------ */

/* A predicate widened to 0 and 1, or 0 and -1. */
static bool is_widened(const Symbols *s, SymId id)
{
    const Sym *sym = &s->nodes[id];
    return (sym->kind == SYM_ZEXT || sym->kind == SYM_SEXT) && s->nodes[sym->a].width == 1;
}

static SymId widen(Symbols *s, const Sym *like, SymId predicate)
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
        return make(s, kind, width, a, b);
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
    return make(s, kind, width, a, b);
}

static SymId build_division(Symbols *s, SymKind kind, SymId a, SymId b)
{
    unsigned width = s->nodes[a].width;
    uint64_t divisor;
    bool is_rem = kind == SYM_REM_U || kind == SYM_REM_S;
    if (!ptx_sym_is_const(s, b, &divisor))
        return make(s, kind, width, a, b);
    if (divisor == 1)
        return is_rem ? ptx_sym_const(s, width, 0) : a;
    if (kind == SYM_REM_U && ptx_number_is_power(divisor))
        return ptx_sym_binary(s, SYM_AND, a, ptx_sym_const(s, width, divisor - 1));
    if (kind == SYM_DIV_U && ptx_number_is_power(divisor))
        return build_shift(s, SYM_SHR_U, a,
                           ptx_sym_const(s, width, ptx_number_zeros(width, divisor)));
    return make(s, kind, width, a, b);
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
            return widen(s, &like, ptx_sym_binary(s, SYM_AND, like.a, s->nodes[b].a));
        }
        return make_sorted(s, SYM_AND, width, a, b);
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
    return make(s, SYM_AND, width, a, b);
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
        return make(s, SYM_OR, width, a, b);
    }
    if (is_widened(s, a) && is_widened(s, b) && s->nodes[a].kind == s->nodes[b].kind) {
        Sym like = s->nodes[a];
        return widen(s, &like, ptx_sym_binary(s, SYM_OR, like.a, s->nodes[b].a));
    }
    return make_sorted(s, SYM_OR, width, a, b);
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
        return make_sorted(s, SYM_XOR, width, a, b);
    if (!bits)
        return a;
    if (width == 1)
        return ptx_sym_not(s, a);
    if (bits == ptx_width_mask(width))                /* ~x is -1 - x */
        return ptx_sym_sub(s, b, a);
    Sym like = s->nodes[a];
    if (bits == 1 && like.kind == SYM_ZEXT && s->nodes[like.a].width == 1)
        return widen(s, &like, ptx_sym_not(s, like.a));
    return make(s, SYM_XOR, width, a, b);
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
        return kind == SYM_EQ ? ptx_sym_not(s, differ) : make(s, kind, 1, a, b);
    }
    if (compare_each(s, kind, a, b, false, &out) || compare_each(s, kind, b, a, true, &out))
        return out;
    if ((kind == SYM_EQ || kind == SYM_NE)
        && ptx_sym_is_const(s, ptx_sym_sub(s, a, b), &difference))
        return ptx_sym_const(s, 1, (difference == 0) == (kind == SYM_EQ));
    return make(s, kind, 1, a, b);
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
        return a == b ? a : make_sorted(s, kind, width, a, b);
    case SYM_EQ:
    case SYM_NE:
    case SYM_LT_U:
    case SYM_LT_S:
    case SYM_LE_U:
    case SYM_LE_S:
        return build_comparison(s, kind, a, b);
    default: return make(s, kind, width, a, b);
    }
}

/* By De Morgan's laws, a few levels down: a graph may have many more ways than nodes. */
static SymId negate(Symbols *s, SymId predicate, unsigned levels)
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
                              negate(s, sym.a, levels - 1), negate(s, sym.b, levels - 1));
    case SYM_XOR:
        if (s->nodes[sym.b].kind == SYM_CONST)
            return sym.a;
        break;
    default: break;
    }
    return make(s, SYM_XOR, 1, predicate, ptx_sym_const(s, 1, 1));
}

SymId ptx_sym_not(Symbols *s, SymId predicate)
{
    return negate(s, predicate, MAX_NEGATED);
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
    linear_of(s, ptx_sym_sub(s, all, test->kind == SYM_EQ ? a : b), &rest);
    linear_of(s, test->a, &x);
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
    return intern(s,
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
    return intern(
        s, (Sym){ .kind = SYM_LANE, .width = 32, .scope = NO_LOOP, .a = x, .b = y, .c = z }, NULL);
}

static SymId truncate_sum(Symbols *s, SymId a, unsigned width)
{
    SymbolicLinear l;
    linear_of(s, a, &l);
    SymId sum = ptx_sym_const(s, width, l.constant);
    for (uint32_t t = 0; t < l.count; t++)
        sum = add_scaled(s, sum, ptx_sym_resize(s, l.terms[t].atom, width, false),
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
        return make(s, SYM_TRUNC, width, a, 0);
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
    return make(s, is_signed ? SYM_SEXT : SYM_ZEXT, width, a, 0);
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
        value = add_scaled(b->s, value, rebuild(b, term.atom), term.factor);
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

/* ---- for people ------------------------------------------------------------------------------ */

typedef struct Printer {
    const Symbols *s;
    char *text;
    size_t length, size;
    bool is_cut;
} Printer;

static void put(Printer *p, const char *text, size_t length)
{
    if (length >= p->size - p->length) {
        p->is_cut = true;
        return;
    }
    memcpy(p->text + p->length, text, length);
    p->length += length;
    p->text[p->length] = 0;
}

static void put_text(Printer *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_number(Printer *p, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    put_text(p, digits);
}

/* Of `KERNEL_param_N` what follows the kernel's name. */
static void put_variable(Printer *p, VarId id)
{
    const Module *module = p->s->module;
    Span name = module->vars[id].name, func = p->s->func->name;
    size_t prefix = ptx_span_length(func), length = ptx_span_length(name);
    const char *text = module->text + name.begin;
    if (length > prefix + 7 && !memcmp(text, module->text + func.begin, prefix)
        && !memcmp(text + prefix, "_param_", 7)) {
        text += prefix + 1;
        length -= prefix + 1;
    }
    put(p, text, length);
}

static void put_loaded(Printer *p, const Sym *sym)
{
    if (!sym->value) {
        put_variable(p, sym->a);
        return;
    }
    put_text(p, "[");
    put_variable(p, sym->a);
    put_text(p, "+");
    put_number(p, (int64_t)sym->value);
    put_text(p, "]");
}

static void put_sreg(Printer *p, const Sym *sym)
{
    static const char *const names[] = {
#define SR(id, text, ...) [SREG_##id] = text,
#include "isa/sregs.def"
#undef SR
    };
    static const char components[] = "xyzw";
    bool is_vector = sym->a == SREG_TID || sym->a == SREG_NTID || sym->a == SREG_CTAID
                     || sym->a == SREG_NCTAID || sym->a == SREG_CLUSTERID
                     || sym->a == SREG_NCLUSTERID || sym->a == SREG_CLUSTER_CTAID
                     || sym->a == SREG_CLUSTER_NCTAID;
    put_text(p, "%");
    put_text(p, names[sym->a]);
    if (is_vector) {
        put_text(p, ".");
        put(p, &components[sym->b & 3], 1);
    }
}

static void put_reg(Printer *p, RegId reg)
{
    if (reg == NO_ID) {
        put_text(p, "?");
        return;
    }
    Span name = p->s->func->regs[reg].name;
    put(p, p->s->module->text + name.begin, ptx_span_length(name));
}

/* How tightly an operator binds; what stands inside a tighter one gets parentheses. */
enum { BINDS_CHOICE, BINDS_COMPARE, BINDS_BITS, BINDS_SHIFT, BINDS_SUM, BINDS_PRODUCT, BINDS_LEAF };

static void put_node(Printer *p, SymId id, int outside);

static void put_infix(Printer *p, const Sym *sym, const char *operator, int own, int outside)
{
    if (own < outside)
        put_text(p, "(");
    put_node(p, sym->a, own);
    put_text(p, operator);
    put_node(p, sym->b, own + 1);
    if (own < outside)
        put_text(p, ")");
}

static void put_call(Printer *p, const Sym *sym, const char *name)
{
    put_text(p, name);
    put_node(p, sym->a, BINDS_CHOICE);
    put_text(p, ", ");
    put_node(p, sym->b, BINDS_CHOICE);
    put_text(p, ")");
}

/* Whether the term looks better behind a minus. */
static bool is_minus(const Sym *sum, const SymTerm *term)
{
    int64_t factor = ptx_width_signed(sum->width, term->factor);
    return factor < 0 && factor > INT64_MIN;
}

static void put_term(Printer *p, const Sym *sum, const SymTerm *term, bool first)
{
    int64_t factor = ptx_width_signed(sum->width, term->factor);
    bool minus = is_minus(sum, term);
    if (first)
        put_text(p, minus ? "-" : "");
    else
        put_text(p, minus ? " - " : " + ");
    int binds = minus ? BINDS_PRODUCT : BINDS_SUM;
    factor = minus ? -factor : factor;
    if (factor != 1) {
        put_number(p, factor);
        put_text(p, " * ");
        binds = BINDS_PRODUCT + 1;
    }
    put_node(p, term->atom, binds);
}

/* What is added first, then what is subtracted, then the constant. */
static void put_sum(Printer *p, const Sym *sum, int outside)
{
    const SymTerm *terms = p->s->terms + sum->a;
    int64_t constant = ptx_width_signed(sum->width, sum->value);
    bool first = true, product = sum->b == 1 && !constant && !is_minus(sum, terms);
    bool any_plus = false;
    int own = product ? BINDS_PRODUCT : BINDS_SUM;
    for (uint32_t t = 0; t < sum->b; t++)
        any_plus |= !is_minus(sum, &terms[t]);
    if (own < outside)
        put_text(p, "(");
    if (!any_plus && constant > 0) {
        put_number(p, constant);
        first = false;
    }
    for (int minus = 0; minus < 2; minus++) {
        for (uint32_t t = 0; t < sum->b && !p->is_cut; t++) {
            if (is_minus(sum, &terms[t]) != (minus == 1))
                continue;
            put_term(p, sum, &terms[t], first);
            first = false;
        }
    }
    if (constant && (any_plus || constant < 0)) {
        put_text(p, constant < 0 ? " - " : " + ");
        put_number(p, constant < 0 && constant != INT64_MIN ? -constant : constant);
    }
    if (own < outside)
        put_text(p, ")");
}

/* A shift right by a constant is a division, which says more. */
static void put_shift_right(Printer *p, const Sym *sym, int outside)
{
    uint64_t amount;
    if (!ptx_sym_is_const(p->s, sym->b, &amount) || amount > 30) {
        put_infix(p, sym, " >> ", BINDS_SHIFT, outside);
        return;
    }
    if (BINDS_PRODUCT < outside)
        put_text(p, "(");
    put_node(p, sym->a, BINDS_PRODUCT);
    put_text(p, " / ");
    put_number(p, INT64_C(1) << amount);
    if (BINDS_PRODUCT < outside)
        put_text(p, ")");
}

static void put_choice(Printer *p, const Sym *sym, int outside)
{
    if (BINDS_CHOICE < outside)
        put_text(p, "(");
    put_node(p, sym->a, BINDS_CHOICE + 1);
    put_text(p, " ? ");
    put_node(p, sym->b, BINDS_CHOICE + 1);
    put_text(p, " : ");
    put_node(p, sym->c, BINDS_CHOICE);
    if (BINDS_CHOICE < outside)
        put_text(p, ")");
}

static void put_operation(Printer *p, const Sym *sym, int outside)
{
    switch (sym->kind) {
    case SYM_MUL:   put_infix(p, sym, " * ", BINDS_PRODUCT, outside); break;
    case SYM_DIV_U: case SYM_DIV_S: put_infix(p, sym, " / ", BINDS_PRODUCT, outside); break;
    case SYM_REM_U: case SYM_REM_S: put_infix(p, sym, " % ", BINDS_PRODUCT, outside); break;
    case SYM_SHL:   put_infix(p, sym, " << ", BINDS_SHIFT, outside); break;
    case SYM_SHR_U: case SYM_SHR_S: put_shift_right(p, sym, outside); break;
    case SYM_AND:   put_infix(p, sym, " & ", BINDS_BITS, outside); break;
    case SYM_OR:    put_infix(p, sym, " | ", BINDS_BITS, outside); break;
    case SYM_XOR:   put_infix(p, sym, " ^ ", BINDS_BITS, outside); break;
    case SYM_EQ:    put_infix(p, sym, " == ", BINDS_COMPARE, outside); break;
    case SYM_NE:    put_infix(p, sym, " != ", BINDS_COMPARE, outside); break;
    case SYM_LT_U: case SYM_LT_S: put_infix(p, sym, " < ", BINDS_COMPARE, outside); break;
    case SYM_LE_U: case SYM_LE_S: put_infix(p, sym, " <= ", BINDS_COMPARE, outside); break;
    case SYM_MIN_U: case SYM_MIN_S: put_call(p, sym, "min("); break;
    case SYM_MAX_U: case SYM_MAX_S: put_call(p, sym, "max("); break;
    case SYM_MULHI_U: case SYM_MULHI_S: put_call(p, sym, "mulhi("); break;
    case SYM_SEXT: case SYM_ZEXT: case SYM_TRUNC: put_node(p, sym->a, outside); break;
    case SYM_SELECT: put_choice(p, sym, outside); break;
    default:        put_text(p, "%laneid"); break;
    }
}

static void put_node(Printer *p, SymId id, int outside)
{
    const Sym *sym = &p->s->nodes[id];
    if (p->is_cut)
        return;
    switch (sym->kind) {
    case SYM_CONST:   put_number(p, ptx_width_signed(sym->width, sym->value)); break;
    case SYM_PARAM: case SYM_CONSTANT: put_loaded(p, sym); break;
    case SYM_ADDRESS: put_variable(p, sym->a); break;
    case SYM_SREG:    put_sreg(p, sym); break;
    case SYM_OPAQUE: case SYM_PHI: put_reg(p, sym->b); break;
    case SYM_EXIT:    put_node(p, sym->b, outside); break;
    case SYM_ITER: case SYM_LAST: case SYM_NONE: put_text(p, "?"); break;
    case SYM_SUM:     put_sum(p, sym, outside); break;
    default:          put_operation(p, sym, outside); break;
    }
}

bool ptx_sym_print(const Symbols *s, SymId id, bool tight, char *text, size_t size)
{
    Printer p = { .s = s, .text = text, .length = strlen(text), .size = size };
    put_node(&p, id, tight ? BINDS_LEAF : BINDS_CHOICE);
    return !p.is_cut;
}

const char *ptx_sym_why(const Symbols *s, SymId id)
{
    static const char *const words[WHY__COUNT] = {
        [WHY_NONE] = "is not known", [WHY_MEMORY] = "is loaded from memory", [WHY_ATOMIC] = "comes from an atomic operation",
        [WHY_CALL] = "comes from a call", [WHY_FLOAT] = "is computed in floating point", [WHY_WARP] = "comes from other lanes",
        [WHY_PATHS] = "differs between paths", [WHY_LOOP] = "is what another loop leaves", [WHY_UNDEFINED] = "is never written",
        [WHY_SPECIAL] = "is a special register that changes", [WHY_OTHER] = "comes from an instruction that is not followed",
        [WHY_SIZE] = "is too long an expression", [WHY_CHANGES] = "changes in no regular way",
    };
    for (;;) {
        const Sym *sym = &s->nodes[id];
        SymId operands[3] = { sym->a, sym->b, sym->c }, next = 0;
        if (!(sym->uses & USES_UNKNOWN))
            return NULL;
        if (sym->kind == SYM_OPAQUE)
            return words[sym->a];
        if (sym->kind == SYM_PHI)
            return words[WHY_CHANGES];
        if (sym->kind == SYM_EXIT)
            return words[WHY_LOOP];
        for (unsigned i = 0; i < ptx_sym_operands(sym) && !next; i++)
            next = s->nodes[operands[i]].uses & USES_UNKNOWN ? operands[i] : 0;
        for (uint32_t t = 0; sym->kind == SYM_SUM && t < sym->b && !next; t++)
            next = s->nodes[s->terms[sym->a + t].atom].uses & USES_UNKNOWN
                       ? s->terms[sym->a + t].atom
                       : 0;
        if (!next)
            return words[WHY_NONE];     /* a parameter without a value */
        id = next;
    }
}
