#include "analysis/trips/trip.h"

#include "analysis/trips/exit_condition.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/minmax.h"
#include "support/span.h"
#include "ir/module.h"
#include "analysis/value/interval.h"
#include "analysis/value/symbolic.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"
#include "analysis/value/ssa.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    STEPS_PER_INSN = 16,        /* budget of a function: of questions, nodes and edges ... */
    STEPS_FLOOR = 1 << 14,      /* ... and for small ones */
    WORK_PER_FUNC = 1 << 22,    /* nodes evaluated */
    TEXT_BYTES = 256,           /* of an expression */
};

/* ---- for people: the count as an expression -------------------------------------------------- */

typedef struct TripText {
    char bytes[TEXT_BYTES];
    bool is_cut;
} TripText;

static void put(TripText *t, const char *text)
{
    size_t length = strlen(t->bytes);
    if (length + strlen(text) < sizeof t->bytes)
        strcpy(t->bytes + length, text);
    else
        t->is_cut = true;
}

static void put_number(TripText *t, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    put(t, digits);
}

static void put_magnitude(TripText *t, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, ptx_i64_magnitude(value));
    put(t, digits);
}

static void put_node(const Counter *c, TripText *t, SymId id, bool tight)
{
    t->is_cut |= !ptx_sym_print(c->s, id, tight, t->bytes, sizeof t->bytes);
}

/* " + 2", " - 1", nothing for 0. */
static void put_offset(TripText *t, int64_t offset)
{
    if (offset)
        put(t, offset < 0 ? " - " : " + ");
    if (offset)
        put_magnitude(t, offset);
}

static const char *print_alone(Counter *c, SymId id)
{
    TripText t = { .is_cut = false };
    if (ptx_exit_is_opaque(c, id))
        return NULL;
    put_node(c, &t, id, false);
    return t.is_cut ? NULL : ptx_arena_strndup(c->arena, t.bytes, strlen(t.bytes));
}

/* x, where id clears the low `bits` bits of it and leaves the others, the sign perhaps aside. */
static SymId rounded_down(const Counter *c, SymId id, unsigned bits)
{
    const Sym *sym = ptx_sym(c->s, id);
    uint64_t mask, high = ptx_width_mask(sym->width) & ~((UINT64_C(1) << bits) - 1);
    if (sym->kind != SYM_AND || !ptx_sym_is_const(c->s, sym->b, &mask))
        return 0;
    return mask == high || mask == (high & (uint64_t)ptx_width_signed_top(sym->width)) ? sym->a : 0;
}

/* ceil(id / step) where the terms are multiples of step, the constant aside; 0: they are not. */
static SymId quotient(Counter *c, SymId id, int64_t step)
{
    const Sym sum = *ptx_sym(c->s, id);
    SymTerm alone = { id, 1 };
    uint32_t count = sum.kind == SYM_CONST ? 0 : 1;
    if (sum.kind == SYM_SUM)
        count = sum.b;
    uint64_t constant = sum.kind == SYM_SUM || sum.kind == SYM_CONST ? sum.value : 0;
    int64_t rest = ptx_width_signed(sum.width, constant), up = rest / step + (rest % step > 0);
    SymId whole = ptx_sym_const(c->s, sum.width, (uint64_t)up);
    for (uint32_t t = 0; t < count; t++) {
        SymTerm term = sum.kind == SYM_SUM ? c->s->terms[sum.a + t] : alone;
        int64_t factor = ptx_width_signed(sum.width, term.factor);
        unsigned bits = ptx_number_zeros(63, (uint64_t)step);
        SymId atom = term.atom,
              x = ptx_number_is_power((uint64_t)step) ? rounded_down(c, atom, bits) : 0;
        if (factor % step == 0)
            factor /= step;
        else if (x)
            atom = ptx_sym_binary(c->s, SYM_SHR_U, x, ptx_sym_const(c->s, sum.width, bits));
        else
            return 0;
        whole = ptx_sym_add(c->s, whole, ptx_sym_scale(c->s, atom, (uint64_t)factor));
    }
    return whole;
}

/* A lower bound of what an operation makes of x, where x >= bound >= 0: rounding down, division,
 * minimum. -1: none. */
static int64_t bound_through(const Counter *c, SymId id, SymId x, int64_t bound)
{
    const Sym *sym = ptx_sym(c->s, id);
    uint64_t value;
    SymId other = sym->a == x ? sym->b : sym->a;
    if (id == x)
        return bound;
    switch (sym->kind) {
    case SYM_AND:
        return sym->a == x && rounded_down(c, id, sym->zeros)
                   ? (int64_t)((uint64_t)bound >> sym->zeros << sym->zeros)
                   : -1;
    case SYM_SHR_U: case SYM_SHR_S:
        return sym->a == x && ptx_sym_is_const(c->s, sym->b, &value) && value < 63 ? bound >> value
                                                                                   : -1;
    case SYM_DIV_U: case SYM_DIV_S:
        return sym->a == x && ptx_sym_is_const(c->s, sym->b, &value) && value && value < INT32_MAX
                   ? bound / (int64_t)value
                   : -1;
    case SYM_MIN_U: case SYM_MIN_S:
        if ((sym->a != x && sym->b != x) || ptx_sym(c->s, other)->range.smin < 0)
            return -1;
        return ptx_sym(c->s, other)->range.smin < bound ? ptx_sym(c->s, other)->range.smin : bound;
    default:
        return -1;
    }
}

/* A fact: part >= bound, where part has no constant. */
typedef struct Fact {
    SymId part;
    int64_t bound;
} Fact;

/* Whether factor * atom + constant >= least follows, with what the atom is made of the fact's
 * part. */
static bool follows_through(const Counter *c, const Sym *total, int64_t least, Fact fact)
{
    SymTerm term = c->s->terms[total->a];
    int64_t low = bound_through(c, term.atom, fact.part, fact.bound), product;
    int64_t factor = ptx_width_signed(total->width, term.factor),
            constant = ptx_width_signed(total->width, total->value);
    return total->b == 1 && low >= 0 && factor > 0 && !__builtin_mul_overflow(factor, low, &product)
           && !__builtin_add_overflow(product, constant, &product) && product >= least;
}

/* Whether total >= least follows from a fact, of which total is a positive multiple but for a
 * constant. */
static bool follows(Counter *c, SymId total, int64_t least, Fact fact)
{
    const Sym all = *ptx_sym(c->s, total), own = *ptx_sym(c->s, fact.part);
    int64_t product;
    uint64_t rest;
    if (fact.bound < 0)
        return false;
    if (own.width < all.width && own.kind != SYM_SUM)
        fact.part = ptx_sym_resize(c->s, fact.part, all.width, true);
    if (ptx_sym(c->s, fact.part)->width != all.width)
        return false;
    if (all.kind != SYM_SUM)
        return bound_through(c, total, fact.part, fact.bound) >= least;
    if (follows_through(c, &all, least, fact))
        return true;
    int64_t factor = ptx_width_signed(all.width, c->s->terms[all.a].factor);
    int64_t part = own.kind == SYM_SUM ? ptx_width_signed(own.width, c->s->terms[own.a].factor) : 1;
    if (factor == INT64_MIN || part == INT64_MIN || factor % part || factor / part <= 0)
        return false;
    factor /= part;
    SymId left = ptx_sym_sub(c->s, total, ptx_sym_scale(c->s, fact.part, (uint64_t)factor));
    return ptx_sym_is_const(c->s, left, &rest)
           && !__builtin_mul_overflow(factor, fact.bound, &product)
           && !__builtin_add_overflow(product, ptx_width_signed(all.width, rest), &product)
           && product >= least;
}

/* What a guard says; part 0: nothing of use. */
static Fact fact_of(Counter *c, SymId id, bool is_unsigned)
{
    const Sym guard = *ptx_sym(c->s, id);
    bool less = guard.kind == SYM_LT_S || guard.kind == SYM_LT_U,
         not_more = guard.kind == SYM_LE_S || guard.kind == SYM_LE_U;
    uint64_t zero;
    Fact fact = { 0, not_more ? 0 : 1 };
    if (guard.kind == SYM_NE) {
        bool positive = is_unsigned || ptx_sym(c->s, guard.a)->range.smin >= 0;
        fact.part = positive && ptx_sym_is_const(c->s, guard.b, &zero) && !zero ? guard.a : 0;
        return fact;
    }
    if (!less && !not_more)
        return fact;
    fact.part = ptx_sym_sub(c->s, guard.b, guard.a);
    const Sym sum = *ptx_sym(c->s, fact.part);
    if (sum.kind == SYM_CONST)
        fact.part = 0;
    if (sum.kind == SYM_SUM) {
        fact.bound -= ptx_width_signed(sum.width, sum.value);
        fact.part = ptx_sym_sub(c->s, fact.part, ptx_sym_const(c->s, sum.width, sum.value));
    }
    return fact;
}

/* Whether a value is at least so much wherever the loop is entered: by its range, or by a guard
 * before the loop. */
static bool is_at_least(Counter *c, const ExitPlan *plan, SymId total, int64_t least,
                        bool is_unsigned)
{
    if (ptx_sym(c->s, total)->range.smin >= least)
        return true;
    for (uint32_t g = 0; g < plan->guard_count; g++) {
        Fact fact = fact_of(c, plan->guards[g], is_unsigned);
        if (fact.part && follows(c, total, least, fact))
            return true;
    }
    return false;
}

/* How far the counter has to go, and how far an iteration takes it. False: why says what stands
 * against it. */
static bool distance_of(Counter *c, const Test *test, SymId *distance, SymId *step,
                        const char **why)
{
    const Sym stay = *ptx_sym(c->s, test->stay);
    SymId ahead = ptx_sym_sub(c->s, test->own_b.base, test->own_a.base);
    SymId gain = ptx_sym_sub(c->s, test->own_a.step, test->own_b.step);
    unsigned width = ptx_sym(c->s, gain)->width;
    uint64_t value = 1;
    bool is_const = ptx_sym_is_const(c->s, gain, &value), order = stay.kind >= SYM_LT_U;
    int64_t speed = ptx_width_signed(width, value);
    *distance = ahead;
    *step = gain;
    if (is_const && !value)
        *why = "the condition does not change in the loop";
    else if (stay.kind == SYM_EQ)
        *why = "the loop goes on while two values are equal";
    else if (order && speed < 0)
        *why = "the counter moves away from the bound until it wraps around";
    else if (!order && !is_const)
        *why = "the step may miss the bound";
    else if (order) {
        if (stay.kind == SYM_LE_U || stay.kind == SYM_LE_S)
            *distance = ptx_sym_add(c->s, ahead, ptx_sym_const(c->s, width, 1));
        return true;
    } else {
        *distance = speed < 0 ? ptx_sym_scale(c->s, ahead, UINT64_MAX) : ahead;
        *step = ptx_sym_const(c->s, width, speed < 0 ? 0 - value : value);
        SymId total = test->at_end ? ptx_sym_add(c->s, *distance, *step) : *distance;
        if (ptx_sym_is_multiple(c->s, total, speed < 0 ? 0 - (uint64_t)speed : (uint64_t)speed))
            return true;
        *why = "the step may miss the bound";
    }
    return false;
}

/* The last iteration of a loop. Where it has one way out and is left when two values meet, an
 * expression, exact modulo 2^width. */
static SymId find_last(Counter *c, LoopId loop, const ExitPlan *plan)
{
    const Test *test = &plan->tests[0];
    SymId distance, step;
    const char *why;
    uint64_t speed;
    if (plan->has_other_exit || plan->test_count != 1 || !test->is_linear
        || ptx_sym(c->s, test->stay)->kind != SYM_NE
        || !distance_of(c, test, &distance, &step, &why) || !ptx_sym_is_const(c->s, step, &speed)
        || !ptx_number_is_power(speed))
        return ptx_count_last(c, loop);
    unsigned width = ptx_sym(c->s, distance)->width;
    return ptx_sym_binary(c->s, SYM_SHR_U, distance,
                          ptx_sym_const(c->s, width, ptx_number_zeros(width, speed)));
}

/* How often two divides all that a sum is written with, and the step. */
static unsigned common_zeros(const Counter *c, SymId id, int64_t step)
{
    const Sym *sum = ptx_sym(c->s, id);
    unsigned zeros = ptx_number_zeros(62, (uint64_t)step), own;
    if (sum->kind != SYM_SUM)
        return 0;
    own = ptx_number_zeros(64, sum->value);
    zeros = sum->value && own < zeros ? own : zeros;
    for (uint32_t t = 0; t < sum->b; t++) {
        own = ptx_number_zeros(64, c->s->terms[sum->a + t].factor);
        zeros = own < zeros ? own : zeros;
    }
    return zeros;
}

static bool put_linear(Counter *c, const ExitPlan *plan, Test *test, TripText *t)
{
    SymId distance, step;
    uint64_t value;
    if (!distance_of(c, test, &distance, &step, &test->why))
        return false;
    if (test->at_end)
        distance = ptx_sym_add(c->s, distance, step);
    if (ptx_exit_is_opaque(c, distance) || ptx_exit_is_opaque(c, step))
        return false;
    SymKind kind = (SymKind)ptx_sym(c->s, test->stay)->kind;
    bool is_const = ptx_sym_is_const(c->s, step, &value),
         is_unsigned = kind == SYM_LT_U || kind == SYM_LE_U;
    bool clamp = kind >= SYM_LT_U
                 && !is_at_least(c, plan, distance, test->at_end ? 1 : 0, is_unsigned);
    int64_t speed = is_const ? ptx_width_signed(ptx_sym(c->s, step)->width, value) : 0;
    SymId whole = speed > 0 ? quotient(c, distance, speed) : 0;
    unsigned common = speed > 0 && !whole ? common_zeros(c, distance, speed) : 0;
    if (common) {                       /* 8 n / 16 is n / 2 */
        distance = quotient(c, distance, INT64_C(1) << common);
        step = ptx_sym_const(c->s, ptx_sym(c->s, step)->width, value >> common);
    }
    if (clamp)
        put(t, test->at_end ? "max(1, " : "max(0, ");
    if (whole) {
        put_node(c, t, whole, false);
    } else {
        put(t, "ceil(");
        put_node(c, t, distance, true);
        put(t, " / ");
        put_node(c, t, step, true);
        put(t, ")");
    }
    if (clamp)
        put(t, ")");
    return !t->is_cut;
}

/* x, where id is x divided by 2^bits. */
static SymId part_of(const Counter *c, SymId id, unsigned *bits)
{
    const Sym *sym = ptx_sym(c->s, id);
    uint64_t amount;
    bool shifts = sym->kind == SYM_SHR_U || sym->kind == SYM_SHR_S;
    if ((!shifts && sym->kind != SYM_DIV_S) || !ptx_sym_is_const(c->s, sym->b, &amount)
        || (!shifts && !ptx_number_is_power(amount)))
        return 0;
    *bits = shifts ? (unsigned)amount : ptx_number_zeros(64, amount);
    return *bits ? sym->a : 0;
}

static SymId double_of(const Counter *c, SymId id)
{
    const Sym *sym = ptx_sym(c->s, id);
    bool is_double = sym->kind == SYM_SUM && sym->b == 1 && !sym->value
                     && c->s->terms[sym->a].factor == 2;
    return is_double ? c->s->terms[sym->a].atom : 0;
}

/* A counter that is multiplied or divided. late: what is compared is the next iteration's. */
typedef struct GeometricCounter {
    SymId phi, start;
    bool late;
} GeometricCounter;

/* while (s > bound) s >>= n. With bound + 1 = 2^e, s >> n * (k + late) > bound until k =
 * floor((log2(s) - e) / n) - late + 1. */
static bool put_shrinking(Counter *c, const Test *test, GeometricCounter s, uint64_t bound,
                          TripText *t)
{
    unsigned n = 1, e = ptx_number_zeros(64, bound + 1);
    if (part_of(c, ptx_ssa_phi(c->reach, s.phi).next, &n) != s.phi
        || !ptx_number_is_power(bound + 1) || e % n)
        return false;
    put(t, "floor(log2(");
    put_node(c, t, s.start, false);
    put(t, ")");
    if (n > 1)
        put(t, " / ");
    if (n > 1)
        put_number(t, n);
    put(t, ")");
    put_offset(t, 1 - (int64_t)(e / n) - s.late + test->at_end);
    return !t->is_cut;
}

/* while (s < bound) s *= 2. */
static bool put_doubling(Counter *c, const Test *test, GeometricCounter s, SymId bound,
                         TripText *t)
{
    SymKind kind = (SymKind)ptx_sym(c->s, test->stay)->kind;
    bool less = kind == SYM_LT_S || kind == SYM_LT_U;
    uint64_t one;
    if (double_of(c, ptx_ssa_phi(c->reach, s.phi).next) != s.phi)
        return false;
    put(t, less ? "ceil(log2(" : "floor(log2(");
    bool from_one = ptx_sym_is_const(c->s, s.start, &one) && one == 1;
    put_node(c, t, bound, !from_one);
    if (!from_one) {
        put(t, " / ");
        put_node(c, t, s.start, true);
    }
    put(t, "))");
    put_offset(t, !less - (int64_t)s.late + test->at_end);
    return !t->is_cut;
}

static bool put_geometric(Counter *c, LoopId loop, Test *test, TripText *t)
{
    const Sym stay = *ptx_sym(c->s, test->stay);
    if (!ptx_exit_is_comparison(&stay) || stay.kind == SYM_EQ)
        return false;
    bool left = ptx_sym_varies(c->s, stay.a, loop);
    SymId moves = left ? stay.a : stay.b;
    SymId rests = left ? stay.b : stay.a;
    unsigned bits;
    SymId halved = part_of(c, moves, &bits), doubled = double_of(c, moves), phi = moves;
    if (halved)
        phi = halved;
    else if (doubled)
        phi = doubled;
    uint64_t bound = 0;
    if (ptx_sym_varies(c->s, rests, loop) || ptx_sym(c->s, phi)->kind != SYM_PHI
        || ptx_sym(c->s, phi)->a != loop)
        return false;
    SymId start = ptx_exit_known_values(c, ptx_ssa_phi(c->reach, phi).start);
    test->phi = phi;
    if (ptx_exit_is_opaque(c, start) || ptx_exit_is_opaque(c, rests))
        return false;
    if (left && stay.kind != SYM_NE)
        return !halved
               && put_doubling(c, test, (GeometricCounter){ phi, start, doubled != 0 }, rests, t);
    if (doubled || !ptx_sym_is_const(c->s, rests, &bound) || (stay.kind == SYM_NE && bound))
        return false;
    if (stay.kind == SYM_LE_S || stay.kind == SYM_LE_U)
        bound--;
    return put_shrinking(c, test, (GeometricCounter){ phi, start, halved != 0 }, bound, t);
}

/* The count as an expression over all tests that have one; NULL. others: whether some have none. */
static const char *print_count(Counter *c, LoopId loop, ExitPlan *plan, bool *others)
{
    const char *texts[MAX_TESTS];
    uint32_t count = 0;
    *others = plan->has_other_exit;
    for (uint32_t i = 0; i < plan->test_count; i++) {
        Test *test = &plan->tests[i];
        TripText t = { .is_cut = false };
        if (test->is_linear ? put_linear(c, plan, test, &t) : put_geometric(c, loop, test, &t))
            texts[count++] = ptx_arena_strndup(c->scratch, t.bytes, strlen(t.bytes));
        else
            *others = true;
    }
    TripText all = { .is_cut = false };
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(&all, ", ");
        else if (count > 1)
            put(&all, "min(");
        put(&all, texts[i]);
    }
    put(&all, count > 1 ? ")" : "");
    return count && !all.is_cut ? ptx_arena_strndup(c->arena, all.bytes, strlen(all.bytes)) : NULL;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* the phi that the test counts by, or the first of the run that it follows; or 0 */
static SymId phi_of(const Test *test)
{
    if (test->phi)
        return test->phi;
    return test->run && test->run->count ? test->run->phis[0] : 0;
}

/* What the counter comes to where what is compared, own, comes to bound: what they differ by is
 * taken off, but for constants, as of a test of the next value. 0: they do not go side by side. */
static SymId bound_of(Counter *c, SymId bound, const Linear *own, const Linear *counter,
                      bool is_next)
{
    const unsigned width = ptx_sym(c->s, counter->base)->width;
    if (ptx_sym(c->s, own->base)->width != width || ptx_sym(c->s, bound)->width != width)
        return bound;
    const SymId step = ptx_exit_known_values(c, counter->step);
    if (ptx_exit_known_values(c, own->step) != step)
        return 0;
    SymId ahead = ptx_sym_sub(c->s, ptx_exit_known_values(c, own->base),
                              ptx_exit_known_values(c, counter->base));
    uint64_t by;
    if (ahead == step || ptx_sym_is_const(c->s, ahead, &by))
        return bound;
    if (is_next)
        ahead = ptx_sym_sub(c->s, ahead, step);
    return ptx_sym_sub(c->s, bound, ahead);
}

/* Register, step, start and bound of the test that says most. */
static void describe_test(Counter *c, LoopId loop, const Test *test, Trip *trip)
{
    SymId phi = phi_of(test);
    const Sym stay = *ptx_sym(c->s, test->stay);
    Linear l;
    uint64_t step;
    if (!phi)
        return;
    unsigned width = ptx_sym(c->s, phi)->width;
    trip->induction = ptx_sym(c->s, phi)->b;
    trip->start = print_alone(c, ptx_exit_known_values(c, ptx_ssa_phi(c->reach, phi).start));
    bool is_linear = ptx_exit_counter_find(c, phi, &l) && test->is_linear;
    if (ptx_exit_counter_find(c, phi, &l) && ptx_sym_is_const(c->s, l.step, &step))
        trip->step = ptx_width_signed(width, step);
    if (!ptx_exit_is_comparison(&stay))
        return;
    const bool is_first = !ptx_sym_varies(c->s, stay.a, loop);
    if (!is_first && ptx_sym_varies(c->s, stay.b, loop))
        return;
    SymId bound = is_first ? stay.a : stay.b;
    if (is_linear)
        bound = bound_of(c, bound, is_first ? &test->own_b : &test->own_a, &l,
                         test->at_end);
    trip->bound = bound ? print_alone(c, bound) : NULL;
}

/* Whether some exit may be taken before the body's end: then the first iteration may be cut
 * short. */
static bool leaves_early(const ExitPlan *plan)
{
    for (uint32_t i = 0; i < plan->test_count; i++)
        if (!plan->tests[i].at_end)
            return true;
    return plan->has_other_exit;
}

/* Of the test that ends the count; of the first one where none does. */
static bool tests_first(const ExitPlan *plan)
{
    for (uint32_t i = 0; i < plan->test_count; i++)
        if (plan->tests[i].method != METHOD_NONE)
            return !plan->tests[i].at_end;
    return plan->test_count && !plan->tests[0].at_end;
}

static bool count_numbers(Counter *c, LoopId loop, ExitPlan *plan, Trip *trip)
{
    bool numeric = false, others = plan->has_other_exit;
    for (uint32_t i = 0; i < plan->test_count; i++) {
        numeric |= plan->tests[i].method != METHOD_NONE;
        others |= plan->tests[i].method == METHOD_NONE;
    }
    if (!numeric || !ptx_count_loop(c, loop, trip))
        return false;
    trip->is_upper = others;
    if (others) {
        trip->count = NAN;
        trip->count_min = leaves_early(plan) ? 0 : 1;
        trip->is_exact = false;
    }
    if (trip->source == TRIP_CODE && trip->is_exact && plan->test_count == 1 && trip->count >= 1)
        plan->last = ptx_sym_const(c->s, 64, (uint64_t)trip->count - plan->tests[0].at_end);
    return true;
}

static void count_loop(Counter *c, LoopId loop, ExitPlan *plan, Trip *trip)
{
    bool others;
    ptx_exit_find_guards(c, loop, plan);
    ptx_exit_find_conditions(c, loop, plan, &trip->why);
    if (!plan->leaving_count) {
        trip->why = "no exit: the loop is endless";
        return;
    }
    for (uint32_t i = 0; i < plan->test_count; i++)
        ptx_count_prepare(c, loop, &plan->tests[i]);
    for (uint32_t i = plan->test_count; i-- > 0;)
        describe_test(c, loop, &plan->tests[i], trip);
    const char *why = trip->why;
    trip->tests_first = tests_first(plan);
    bool counted = count_numbers(c, loop, plan, trip);
    if (!counted && trip->why && trip->why != why)      /* evaluated, and there is no count */
        return;
    trip->expression = print_count(c, loop, plan, &others);
    if (counted) {
        if (trip->source == TRIP_CODE && trip->is_exact) {
            TripText t = { .is_cut = false };
            put_number(&t, (int64_t)trip->count);
            trip->expression = ptx_arena_strndup(c->arena, t.bytes, strlen(t.bytes));
        }
        return;
    }
    if (trip->expression) {
        trip->source = TRIP_SYMBOLIC;
        trip->is_upper = others;
        trip->why = NULL;
        return;
    }
    trip->why = why ? why : "the count is too long to write";
    if (plan->test_count && plan->tests[0].why)
        trip->why = plan->tests[0].why;
}

static const Trip unknown = {
    .count = NAN, .count_min = NAN, .count_max = NAN, .induction = NO_ID
};

void ptx_exit_count_find(Counter *c, LoopId loop)
{
    ExitPlan *plan = &c->plans[loop];
    Trip *trip = &c->trips[loop];
    if (plan->stage != STAGE_NEW)
        return;
    plan->stage = STAGE_BUSY;
    if (c->loops->loops[loop].is_irreducible)
        trip->why = "the loop is entered in several places: it is irreducible";
    else
        count_loop(c, loop, plan, trip);
    if (ptx_ssa_is_spent(c->reach)) {
        *trip = unknown;
        trip->why = "the function is too large for its loops to be followed";
        plan->last = 0;
        plan->test_count = 0;
    }
    plan->stage = STAGE_DONE;
    if (!plan->last && plan->test_count && trip->source != TRIP_UNKNOWN)
        plan->last = find_last(c, loop, plan);
}

/* ---- what the user says ---------------------------------------------------------------------- */

typedef struct Given {
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    int64_t *counts;
} Given;

static bool is_trip_name(const Module *module, Span name, const char *text)
{
    size_t length = strlen(text);
    return length == ptx_span_length(name) && !memcmp(module->text + name.begin, text, length);
}

static void give_by_label(const Given *g, const LaunchTrip *trip)
{
    for (LabelId l = 0; l < g->func->label_count; l++) {
        const Label *label = &g->func->labels[l];
        if (label->insn >= g->func->insn_count || !is_trip_name(g->module, label->name, trip->name))
            continue;
        BlockId block = g->cfg->block_of[label->insn];
        LoopId loop = g->loops->loop_of[block];
        if (loop != NO_LOOP && g->loops->loops[loop].header == block
            && g->cfg->blocks[block].first == label->insn)
            g->counts[loop] = trip->count;
    }
}

const int64_t *ptx_trips_given(Arena *arena, const Module *module, const Func *func, const Cfg *cfg,
                               const Loops *loops, const Launch *launch)
{
    Given g = { module, func, cfg, loops,
                ptx_arena_array(arena, int64_t, loops->loop_count ? loops->loop_count : 1) };
    for (LoopId loop = 0; loop < loops->loop_count; loop++)
        g.counts[loop] = -1;
    for (uint32_t t = 0; loops->loop_count && t < launch->trip_count; t++) {
        const LaunchTrip *trip = &launch->trips[t];
        LoopId loop = trip->line ? ptx_loop_at_line(module, func, cfg, loops, trip->line) : NO_LOOP;
        if (loop != NO_LOOP)
            g.counts[loop] = trip->count;
        if (!trip->line)
            give_by_label(&g, trip);
    }
    return g.counts;
}

static void take_user_trips(Counter *c)
{
    if (!c->launch || !c->launch->trip_count)
        return;
    ArenaMark mark = ptx_arena_mark(c->scratch);
    const int64_t *given = ptx_trips_given(c->scratch, c->module, c->func, c->cfg, c->loops,
                                           c->launch);
    for (LoopId loop = 0; loop < c->loops->loop_count; loop++) {
        Trip *trip = &c->trips[loop];
        if (given[loop] < 0)
            continue;
        trip->source = TRIP_USER;
        trip->count = trip->count_min = trip->count_max = (double)given[loop];
        trip->is_exact = true;
        trip->is_upper = false;
        trip->why = NULL;
    }
    ptx_arena_release(c->scratch, mark);
}

/* ---- branches -------------------------------------------------------------------------------- */

static void decide_branches(Counter *c, uint8_t *taken)
{
    for (uint32_t i = 0; i < c->cfg->rpo_count && !ptx_ssa_is_spent(c->reach); i++) {
        const Block *block = &c->cfg->blocks[c->cfg->rpo[i]];
        const Insn *last = &c->func->insns[block->end - 1];
        if (last->op->kind != OPK_BRA || last->guard == NO_ID)
            continue;
        const Interval range = ptx_sym(c->s, ptx_ssa_guard(c->reach, block->end - 1))->range;
        if (!ptx_ssa_is_spent(c->reach) && ptx_interval_is_point(&range))
            taken[c->cfg->rpo[i]] = range.umin ? TAKEN_ALWAYS : TAKEN_NEVER;
    }
}

/* ---- the interface --------------------------------------------------------------------------- */

static const char *why_none(const Func *func, const Cfg *cfg)
{
    if (func->has_syntax_error)
        return "the function has a syntax error";
    if (func->has_unknown)
        return "the function has an instruction that is not known";
    return cfg->has_unknown_target ? "a branch of the function has an unknown target" : NULL;
}

static void analyse(Counter *c, const FuncFlow *flow, uint8_t *taken)
{
    uint64_t steps = (uint64_t)STEPS_PER_INSN * c->func->insn_count + STEPS_FLOOR;
    c->reach = ptx_ssa_new(c->scratch, flow, c->launch, steps);
    c->s = ptx_ssa_symbols(c->reach);
    c->work = WORK_PER_FUNC;
    c->plans = ptx_arena_array(c->scratch, ExitPlan,
                               c->loops->loop_count ? c->loops->loop_count : 1);
    for (LoopId loop = 0; loop < c->loops->loop_count; loop++)
        c->plans[loop].leaving_first = NO_ID;
    if (c->loops->loop_count)
        ptx_exit_find_edges(c);
    for (LoopId loop = 0; loop < c->loops->loop_count; loop++)
        ptx_exit_count_find(c, loop);
    if (c->launch)
        decide_branches(c, taken);
}

const Trips *ptx_trips_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                               const Launch *launch)
{
    const Loops *loops = flow->loops;
    Trips *result = ptx_arena_new(arena, Trips);
    uint8_t *taken = ptx_arena_array(arena, uint8_t, flow->cfg->block_count);
    Counter c = { .arena = arena,
                  .scratch = scratch,
                  .module = flow->module,
                  .func = flow->func,
                  .cfg = flow->cfg,
                  .dom = flow->dom,
                  .loops = loops,
                  .launch = launch };
    const char *why = why_none(flow->func, flow->cfg);
    c.trips = ptx_arena_array(arena, Trip, loops->loop_count);
    for (LoopId loop = 0; loop < loops->loop_count; loop++) {
        c.trips[loop] = unknown;
        c.trips[loop].why = why;
    }
    if (!why && (loops->loop_count || launch)) {
        ArenaMark mark = ptx_arena_mark(scratch);
        analyse(&c, flow, taken);
        ptx_arena_release(scratch, mark);
    }
    take_user_trips(&c);
    result->trips = c.trips;
    result->taken = taken;
    return result;
}
