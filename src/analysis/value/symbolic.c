/* The table of nodes, their ranges, and sums. */
#include "analysis/value/symbolic_build.h"

#include "support/assert.h"
#include "support/hash.h"
#include "support/minmax.h"
#include "ir/func.h"
#include "ir/module.h"
#include "support/span.h"
#include "ir/reg.h"
#include "analysis/flow/loop.h"

#include <stddef.h>

enum {
    MAX_DEPTH = 100,           /* bounds every recursion over a node */
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

static uint8_t trailing_zeros_of(const Symbols *s, const Sym *sym, const SymTerm *terms)
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

SymId ptx_sym_intern(Symbols *s, Sym sym, const SymTerm *terms)
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
    sym.zeros = trailing_zeros_of(s, &sym, terms);
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
    return ptx_sym_intern(s,
                  (Sym){ .kind = SYM_CONST,
                         .width = (uint8_t)width,
                         .scope = NO_LOOP,
                         .value = value,
                         .range = ptx_interval_point(width, value) },
                  NULL);
}

SymId ptx_sym_leaf(Symbols *s, Sym leaf)
{
    return ptx_sym_intern(s, leaf, NULL);
}

SymId ptx_sym_opaque(Symbols *s, unsigned width, SymWhy why, RegId reg, LoopId scope)
{
    return ptx_sym_intern(s,
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
    return ptx_loop_holds_loop(s->loops, loop, s->nodes[id].scope);
}

/* ---- sums ------------------------------------------------------------------------------------ */

void ptx_sym_linear(const Symbols *s, SymId id, SymbolicLinear *l)
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
static bool has_term(const Symbols *s, const SymbolicLinear *l, SymId id, uint64_t factor,
                     unsigned width)
{
    SymbolicLinear part;
    ptx_sym_linear(s, id, &part);
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
        if (!has_term(s, l, atom.a, factor, width))
            continue;
        SymKind division = atom.kind == SYM_REM_U ? SYM_DIV_U : SYM_DIV_S;
        SymId whole = is_rem ? ptx_sym_mul(s, ptx_sym_binary(s, division, atom.a, atom.b), atom.b)
                             : ptx_sym_binary(s, SYM_AND, atom.a, ptx_sym_const(s, width, ~low));
        SymbolicLinear all, rounded;
        ptx_sym_linear(s, atom.a, &all);
        ptx_sym_linear(s, whole, &rounded);
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
    return ptx_sym_intern(s, sum, l->terms);
}

SymId ptx_sym_add_scaled(Symbols *s, SymId a, SymId b, uint64_t factor)
{
    unsigned width = s->nodes[a].width;
    const Sym *x = &s->nodes[a], *y = &s->nodes[b];
    SymbolicLinear sum, more;
    if (y->kind == SYM_CONST && !y->value)
        return a;
    if (x->kind == SYM_CONST && y->kind == SYM_CONST)
        return ptx_sym_const(s, width, x->value + factor * y->value);
    ptx_sym_linear(s, a, &sum);
    ptx_sym_linear(s, b, &more);
    if (!add_linear(&sum, &more, factor, width))
        return ptx_sym_opaque(s, width, WHY_SIZE, NO_ID,
                              deeper(s, s->nodes[a].scope, s->nodes[b].scope));
    return sum_of(s, &sum, width);
}

SymId ptx_sym_add(Symbols *s, SymId a, SymId b)
{
    return ptx_sym_add_scaled(s, a, b, 1);
}

SymId ptx_sym_sub(Symbols *s, SymId a, SymId b)
{
    return ptx_sym_add_scaled(s, a, b, UINT64_MAX);
}

SymId ptx_sym_scale(Symbols *s, SymId a, uint64_t factor)
{
    unsigned width = s->nodes[a].width;
    SymbolicLinear sum, more;
    if (factor == 1)
        return a;
    sum.count = 0;
    sum.constant = 0;
    ptx_sym_linear(s, a, &more);
    add_linear(&sum, &more, factor, width);
    return sum_of(s, &sum, width);
}

SymId ptx_sym_make(Symbols *s, SymKind kind, unsigned width, SymId a, SymId b)
{
    return ptx_sym_intern(
        s,
        (Sym){ .kind = (uint8_t)kind, .width = (uint8_t)width, .scope = NO_LOOP, .a = a, .b = b },
        NULL);
}

SymId ptx_sym_make_sorted(Symbols *s, SymKind kind, unsigned width, SymId a, SymId b)
{
    return ptx_sym_make(s, kind, width, ptx_u32_min(a, b), ptx_u32_max(a, b));
}

/* (c0 + c1 x + ...) * atom */
static SymId multiply_out(Symbols *s, const SymbolicLinear *l, SymId atom, unsigned width)
{
    SymId sum = ptx_sym_scale(s, atom, l->constant);
    for (uint32_t t = 0; t < l->count; t++) {
        SymId x = l->terms[t].atom;
        SymId product = ptx_sym_make_sorted(s, SYM_MUL, width, x, atom);
        sum = ptx_sym_add_scaled(s, sum, product, l->terms[t].factor);
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
    ptx_sym_linear(s, a, &x);
    ptx_sym_linear(s, b, &y);
    if ((x.count + 1) * (y.count + 1) > MAX_DISTRIBUTED)
        return ptx_sym_make_sorted(s, SYM_MUL, width, a, b);
    SymId sum = ptx_sym_scale(s, a, y.constant);
    for (uint32_t t = 0; t < y.count; t++)
        sum = ptx_sym_add_scaled(s, sum, multiply_out(s, &x, y.terms[t].atom, width), y.terms[t].factor);
    return sum;
}
