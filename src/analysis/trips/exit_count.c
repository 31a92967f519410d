#include "analysis/trips/exit_condition.h"
#include "analysis/trips/recurrence.h"
#include "ir/sreg.h"
#include "analysis/value/symbolic.h"
#include "analysis/flow/loop.h"
#include "analysis/trips/trip.h"
#include "analysis/value/ssa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    /* parts that the threads and outer iterations are divided into, for one loop */
    MAX_PARTS = 1 << 16,
    MAX_STACK = 1024,          /* of them, waiting: each division leaves one behind */
    MAX_OUTER = 3,             /* loops around one whose iterations its count depends on */
    MAX_RUN = 1 << 16,         /* iterations of a recurrence that is run */
    MAX_PROGRAM = 2048,        /* nodes that a count depends on */
    MAX_ROOTS = (MAX_OUTER + 1) * (MAX_TESTS * 2 * MAX_STATES + MAX_GUARDS),
    MAX_BELOW = MAX_TESTS * 2 * MAX_STATES,     /* of one node; a sum has fewer */
    DIM_THREADS = 6,            /* %tid.x y z, %ctaid.x y z ... */
    DIMS = DIM_THREADS + MAX_OUTER,    /* ... and the iterations of outer loops */
};

/* Threads and outer iterations from low to high, both counted. */
typedef struct ExitCountPart {
    uint64_t low[DIMS], high[DIMS];
    uint32_t outer;             /* loops around whose iterations are set */
} ExitCountPart;

typedef struct CountBuffers {
    SymId program[MAX_PROGRAM];
    ExitCountPart *stack;                /* MOST_STACK; NULL: not needed so far */
} CountBuffers;

/* ---- evaluation: what is to be computed ------------------------------------------------------ */

static bool is_known(const Counter *c, SymId id)
{
    return !(ptx_sym(c->s, id)->uses & USES_UNKNOWN);
}

/* The nodes that the tests of a loop are evaluated from. */
static uint32_t add_roots(const Counter *c, LoopId loop, SymId *roots, uint32_t count)
{
    const ExitPlan *plan = &c->plans[loop];
    for (uint32_t i = 0; i < plan->test_count; i++) {
        const Test *test = &plan->tests[i];
        if (test->method == METHOD_NONE)
            continue;
        if (test->method == METHOD_RUN) {
            for (uint32_t p = 0; p < test->run->count; p++)
                roots[count++] = test->run->starts[p];
            for (uint32_t p = 0; p < test->run->place_count; p++)
                roots[count++] = test->run->places[p];
            continue;
        }
        const SymId own[] = { test->ahead,  test->behind, test->step,  test->a.base,
                              test->a.step, test->b.base, test->b.step };
        memcpy(roots + count, own, sizeof own);
        count += sizeof own / sizeof *own;
        for (uint32_t w = 0; w < test->widened_count; w++) {
            roots[count++] = test->widened[w].inner.base;
            roots[count++] = test->widened[w].inner.step;
        }
    }
    return count;
}

static CountBuffers *buffers_of(Counter *c)
{
    if (!c->buffers)
        c->buffers = ptx_arena_new(c->scratch, CountBuffers);
    return c->buffers;
}

static bool add_count_node(Counter *c, SymId *ids, uint32_t *count, uint32_t stamp, SymId id)
{
    if (c->s->nodes[id].stamp == stamp)
        return true;
    if (*count == MAX_PROGRAM || !ptx_ssa_spend(c->reach, 1))
        return false;
    c->s->nodes[id].stamp = stamp;
    ids[(*count)++] = id;
    return true;
}

/* What a node is computed from. */
static uint32_t nodes_below(const Counter *c, SymId id, SymId below[MAX_BELOW])
{
    const Sym *sym = ptx_sym(c->s, id);
    if (sym->kind == SYM_LAST)
        return add_roots(c, sym->a, below, 0);
    uint32_t count = sym->kind == SYM_SUM ? sym->b : ptx_sym_operands(sym);
    const SymId operands[3] = { sym->a, sym->b, sym->c };
    for (uint32_t i = 0; i < count; i++)
        below[i] = sym->kind == SYM_SUM ? c->s->terms[sym->a + i].atom : operands[i];
    return count;
}

/* All nodes below the roots, operands before what uses them: ids ascend with construction. NULL:
 * too many. Good until the next call. */
static SymId *make_program(Counter *c, const SymId *roots, uint32_t root_count, uint32_t *count)
{
    SymId *ids = buffers_of(c)->program, below[MAX_BELOW];
    uint32_t stamp = ++c->s->stamp;
    bool fits = true;
    *count = 0;
    for (uint32_t r = 0; r < root_count; r++)
        fits &= add_count_node(c, ids, count, stamp, roots[r]);
    for (uint32_t done = 0; done < *count && fits; done++) {
        uint32_t below_count = nodes_below(c, ids[done], below);
        for (uint32_t i = 0; i < below_count; i++)
            fits &= add_count_node(c, ids, count, stamp, below[i]);
    }
    qsort(ids, *count, sizeof *ids, ptx_sym_by_id);
    return fits ? ids : NULL;
}

/* Adds the registers of the loop that a program reads. False: it reads something else that is not
 * known. */
static bool add_phis(const Counter *c, LoopId loop, Run *run)
{
    for (uint32_t i = 0; i < run->program_count; i++) {
        const Sym *sym = ptx_sym(c->s, run->program[i]);
        bool is_new = sym->kind == SYM_PHI && sym->a == loop;
        if (sym->kind > SYM_EXIT || !(sym->uses & USES_UNKNOWN))
            continue;
        if (!is_new)
            return false;
        for (uint32_t p = 0; p < run->count && is_new; p++)
            is_new = run->phis[p] != run->program[i];
        if (is_new && run->count == MAX_STATES)
            return false;
        if (is_new)
            run->phis[run->count++] = run->program[i];
    }
    return true;
}

/* What differs between the parts that a recurrence is run for. */
static bool collect_places(const Counter *c, LoopId loop, Run *run)
{
    for (uint32_t i = 0; i < run->program_count; i++) {
        const Sym *sym = ptx_sym(c->s, run->program[i]);
        run->uses |= sym->uses;
        bool is_thread = sym->kind == SYM_SREG && sym->uses & USES_THREAD,
             is_outer = sym->kind == SYM_ITER && sym->a != loop;
        if (sym->kind == SYM_LAST || ((is_thread || is_outer) && run->place_count == MAX_STATES))
            return false;
        if (!is_thread && !is_outer)
            continue;
        run->places[run->place_count++] = run->program[i];
    }
    return true;
}

/* The recurrence that a condition depends on, until nothing new comes. False: something is not
 * known. */
static bool collect_states(Counter *c, LoopId loop, Run *run)
{
    SymId roots[MAX_STATES + 1] = { run->stay };
    for (uint32_t done = 0;;) {
        run->program = make_program(c, roots, 1 + done, &run->program_count);
        if (!run->program || !add_phis(c, loop, run))
            return false;
        if (done == run->count)
            break;
        for (; done < run->count; done++) {
            Phi phi = ptx_ssa_phi(c->reach, run->phis[done]);
            run->starts[done] = ptx_exit_in_iterations(c, ptx_exit_known_values(c, phi.start));
            run->nexts[done] = roots[1 + done] = ptx_exit_in_iterations(
                c, ptx_exit_known_values(c, phi.next));
            if (!is_known(c, run->starts[done]))
                return false;
        }
    }
    SymId *program = ptx_arena_array(c->scratch, SymId, run->program_count);
    memcpy(program, run->program, run->program_count * sizeof *program);
    run->program = program;
    return collect_places(c, loop, run);
}

static const char *describe_count(Counter *c, const char *what, SymId id)
{
    const char *why = ptx_sym_why(c->s, id);
    char text[128];
    snprintf(text, sizeof text, "%s %s", what, why ? why : "is not known");
    return ptx_arena_strndup(c->arena, text, strlen(text));
}

/* Whether what a register is next depends on the path taken. */
static bool differs(const Counter *c, SymId next)
{
    const Sym *sym = ptx_sym(c->s, next);
    for (uint32_t t = 0; sym->kind == SYM_SUM && t < sym->b; t++) {
        if (ptx_sym(c->s, c->s->terms[sym->a + t].atom)->kind == SYM_SELECT)
            return true;
    }
    return sym->kind == SYM_SELECT || (sym->kind == SYM_OPAQUE && sym->a == WHY_PATHS);
}

/* Why no count follows from a test: the first of its parts that cannot be named. */
static const char *blame(Counter *c, LoopId loop, const Test *test)
{
    const Sym stay = *ptx_sym(c->s, test->stay);
    if (!ptx_exit_is_comparison(&stay))
        return describe_count(c, "the condition", test->stay);
    if (test->is_linear) {
        bool left = ptx_sym_varies(c->s, stay.a, loop);
        const Linear *moves = left ? &test->own_a : &test->own_b;
        const Linear *rests = left ? &test->own_b : &test->own_a;
        if (ptx_exit_is_opaque(c, rests->base))
            return describe_count(c, "the bound", rests->base);
        if (ptx_exit_is_opaque(c, moves->step))
            return describe_count(c, "the step", moves->step);
        return describe_count(c, "the start", moves->base);
    }
    SymId sides[2] = { stay.a, stay.b };
    for (int i = 0; i < 2; i++) {
        if (ptx_sym_varies(c->s, sides[i], loop) && ptx_exit_is_opaque(c, sides[i]))
            return describe_count(c, "what is compared", sides[i]);
    }
    for (int i = 0; i < 2; i++) {
        const Sym *sym = ptx_sym(c->s, sides[i]);
        if (!ptx_sym_varies(c->s, sides[i], loop) && ptx_exit_is_opaque(c, sides[i]))
            return describe_count(c, "the bound", sides[i]);
        if (ptx_sym_varies(c->s, sides[i], loop) && differs(c, sides[i]))
            return "the step differs between paths";
        if (sym->kind != SYM_PHI)
            continue;
        SymId next = ptx_ssa_phi(c->reach, sides[i]).next;
        if (differs(c, next))
            return "the step differs between paths";
        if (ptx_exit_is_opaque(c, next))
            return describe_count(c, "the step", next);
    }
    return "the counter changes in no regular way";
}

static Method choose_linear(Counter *c, Test *test)
{
    const Sym stay = *ptx_sym(c->s, test->stay);
    unsigned width = ptx_sym(c->s, stay.a)->width;
    if (!is_known(c, test->step))
        return METHOD_NONE;
    for (uint32_t w = 0; w < test->widened_count; w++) {
        if (!is_known(c, test->widened[w].inner.base) || !is_known(c, test->widened[w].inner.step))
            return METHOD_NONE;
    }
    if (stay.kind == SYM_EQ || stay.kind == SYM_NE)
        return is_known(c, test->ahead) ? METHOD_UNEQUAL : METHOD_NONE;
    if (is_known(c, test->a.base) && is_known(c, test->b.base))
        return METHOD_ORDER;
    return width == 64 && is_known(c, test->ahead) ? METHOD_DIFFERENCE : METHOD_NONE;
}

/* Decides how a test can be evaluated. */
void ptx_count_prepare(Counter *c, LoopId loop, Test *test)
{
    if (test->is_linear) {
        test->a = (Linear){ ptx_exit_in_iterations(c, test->own_a.base),
                            ptx_exit_in_iterations(c, test->own_a.step) };
        test->b = (Linear){ ptx_exit_in_iterations(c, test->own_b.base),
                            ptx_exit_in_iterations(c, test->own_b.step) };
        test->ahead = ptx_sym_sub(c->s, test->b.base, test->a.base);
        test->behind = ptx_sym_sub(c->s, test->a.base, test->b.base);
        test->step = ptx_sym_sub(c->s, test->a.step, test->b.step);
        for (uint32_t w = 0; w < test->widened_count; w++) {
            Linear *inner = &test->widened[w].inner;
            *inner = (Linear){ ptx_exit_in_iterations(c, inner->base),
                               ptx_exit_in_iterations(c, inner->step) };
        }
        test->method = choose_linear(c, test);
    }
    if (test->method == METHOD_NONE && !(test->is_linear && test->phi)) {
        test->run = ptx_arena_new(c->scratch, Run);
        test->run->stay = ptx_exit_in_iterations(c, test->stay);
        if (collect_states(c, loop, test->run))
            test->method = METHOD_RUN;
    }
    if (test->method == METHOD_NONE)
        test->why = blame(c, loop, test);
}

/* ---- evaluation: parts of the threads and of outer iterations -------------------------------- */

typedef struct ExitCountEvaluation {
    Counter *c;
    LoopId loop, outer[MAX_OUTER];     /* outermost first */
    uint32_t outer_count;
    /* of each outer loop and of the loop itself: those that are known */
    SymId *program, *guards[MAX_OUTER + 1];
    uint32_t program_count, guard_count[MAX_OUTER + 1];
    bool uses_dim[DIM_THREADS];
    bool is_sampled;
    double weight, sum, least, most;
    const char *why;
} ExitCountEvaluation;

static Interval leaf_range(const ExitCountEvaluation *e, const ExitCountPart *part, const Sym *sym)
{
    if (sym->kind == SYM_SREG && (sym->a == SREG_TID || sym->a == SREG_CTAID)) {
        uint32_t dim = sym->b + (sym->a == SREG_TID ? 0 : 3);
        return ptx_interval_unsigned(sym->width, part->low[dim], part->high[dim]);
    }
    for (uint32_t o = 0; sym->kind == SYM_ITER && o < part->outer; o++) {
        if (e->outer[o] == sym->a && part->high[DIM_THREADS + o] <= ptx_width_mask(sym->width))
            return ptx_interval_unsigned(sym->width, part->low[DIM_THREADS + o],
                                         part->high[DIM_THREADS + o]);
    }
    return sym->range;
}

static void reserve_ranges(Counter *c)
{
    if (c->range_capacity >= c->s->count)
        return;
    c->range_capacity = 2 * c->s->count;
    c->ranges = ptx_arena_array(c->scratch, Interval, c->range_capacity);
}

static Solution solve_tests(ExitCountEvaluation *e, const ExitCountPart *part, LoopId loop,
                            bool bodies);

static Interval last_range(ExitCountEvaluation *e, const ExitCountPart *part, const Sym *sym)
{
    Solution got = solve_tests(e, part, sym->a, false);
    return got.status == SOLVED && got.max != FOREVER ? ptx_interval_unsigned(64, got.min, got.max)
                                                      : ptx_interval_full(64);
}

static bool evaluate(ExitCountEvaluation *e, const ExitCountPart *part)
{
    Counter *c = e->c;
    if (c->work < e->program_count)
        return false;
    c->work -= e->program_count;
    for (uint32_t i = 0; i < e->program_count; i++) {
        SymId id = e->program[i];
        const Sym *sym = ptx_sym(c->s, id);
        if (sym->kind == SYM_LAST)
            c->ranges[id] = last_range(e, part, sym);
        else if (sym->kind <= SYM_EXIT)
            c->ranges[id] = leaf_range(e, part, sym);
        else
            c->ranges[id] = ptx_sym_range(c->s, id, c->ranges);
    }
    return true;
}

/* Whether base + k * step stays a number of the width for all k up to last. */
static bool stays_inside(const Counter *c, const Widened *widened, uint64_t last)
{
    unsigned width = ptx_sym(c->s, widened->inner.base)->width;
    const Interval *base = &c->ranges[widened->inner.base], *step = &c->ranges[widened->inner.step];
    int64_t moved, low, high;
    if (!ptx_interval_is_point(step) || last > INT64_MAX)
        return false;
    if (__builtin_mul_overflow(step->smin, (int64_t)last, &moved))
        return false;
    if (widened->is_signed)
        return !__builtin_add_overflow(base->smin, moved, &low)
               && !__builtin_add_overflow(base->smax, moved, &high) && ptx_width_fits(width, low)
               && ptx_width_fits(width, high);
    if (moved < 0)
        return base->umin >= 0 - (uint64_t)moved;
    return base->umax <= ptx_width_mask(width)
           && (uint64_t)moved <= ptx_width_mask(width) - base->umax;
}

/* Runs a recurrence from single values. */
static Solution run_test(ExitCountEvaluation *e, const ExitCountPart *part, const Test *test)
{
    Counter *c = e->c;
    const Run *run = test->run;
    Interval state[MAX_STATES];
    for (uint32_t p = 0; p < run->count; p++) {
        state[p] = c->ranges[run->starts[p]];
        if (!ptx_interval_is_point(&state[p]))
            return (Solution){ .status = SOLVED_WIDE };
    }
    for (uint64_t k = 0; k < MAX_RUN && c->work >= run->program_count; k++) {
        bool same = true;
        c->work -= run->program_count;
        for (uint32_t p = 0; p < run->count; p++)
            c->ranges[run->phis[p]] = state[p];
        for (uint32_t i = 0; i < run->program_count; i++) {
            SymId id = run->program[i];
            const Sym *sym = ptx_sym(c->s, id);
            if (sym->kind == SYM_ITER && sym->a == e->loop)
                c->ranges[id] = ptx_interval_point(sym->width, k);
            else if (sym->kind > SYM_EXIT)
                c->ranges[id] = ptx_sym_range(c->s, id, c->ranges);
            else if (sym->kind != SYM_PHI)
                c->ranges[id] = leaf_range(e, part, sym);
            same &= sym->kind != SYM_ITER || sym->a != e->loop;
        }
        if (!ptx_interval_is_point(&c->ranges[run->stay]))
            return (Solution){ .status = SOLVED_WIDE };
        if (!c->ranges[run->stay].umin)
            return (Solution){ .status = SOLVED, .min = k, .max = k };
        for (uint32_t p = 0; p < run->count; p++) {
            Interval next = c->ranges[run->nexts[p]];
            if (!ptx_interval_is_point(&next))
                return (Solution){ .status = SOLVED_WIDE };
            same &= next.umin == state[p].umin;
            state[p] = next;
        }
        if (same)
            return (Solution){ .status = SOLVED, .min = FOREVER, .max = FOREVER };
    }
    return (Solution){ .status = SOLVED_NOT, .why = "the recurrence is too long to run" };
}

static Solution solve_test(ExitCountEvaluation *e, const ExitCountPart *part, const Test *test)
{
    const Counter *c = e->c;
    const Sym *stay = ptx_sym(c->s, test->stay);
    if (test->method == METHOD_RUN)
        return run_test(e, part, test);
    unsigned width = ptx_sym(c->s, stay->a)->width;
    SymKind kind = (SymKind)stay->kind;
    const Interval *ranges = c->ranges, zero = ptx_interval_point(width, 0);
    const Interval *ahead = &ranges[test->ahead], *step = &ranges[test->step];
    Solution got;
    if (kind == SYM_EQ) {
        if (!ptx_interval_is_point(step) || (!ptx_interval_is_point(ahead) && !ahead->umin))
            return (Solution){ .status = SOLVED_WIDE };
        got = ptx_recurrence_solve_values(kind, width, 0, step->umin, ahead->umin, 0);
    } else if (kind == SYM_NE) {
        uint64_t speed = step->smin < 0 ? 0 - (uint64_t)step->smin : (uint64_t)step->smin;
        SymId distance = step->smin < 0 ? test->behind : test->ahead;
        got = ptx_recurrence_solve_unequal(width, ahead, &ranges[test->behind], step,
                                           speed && ptx_sym_is_multiple(c->s, distance, speed));
    } else if (test->method == METHOD_DIFFERENCE) {
        const SymKind order = kind == SYM_LT_U || kind == SYM_LT_S ? SYM_LT_S : SYM_LE_S;
        got = ptx_recurrence_solve_order(order, width, &zero, step, ahead, &zero);
    } else {
        got = ptx_recurrence_solve_order(kind, width, &ranges[test->a.base], &ranges[test->a.step],
                                         &ranges[test->b.base], &ranges[test->b.step]);
    }
    for (uint32_t w = 0; w < test->widened_count && got.status == SOLVED; w++) {
        if (!stays_inside(c, &test->widened[w], got.max))
            got = got.min == got.max
                      ? (Solution){ .status = SOLVED_WIDE, .why = "the counter may wrap around" }
                      : (Solution){ .status = SOLVED_WIDE };
    }
    return got;
}

/* The iterations of a loop in a part: those of the test that ends it first. bodies: how often the
 * body runs; else which iteration, from 0, is left. */
static Solution solve_tests(ExitCountEvaluation *e, const ExitCountPart *part, LoopId loop,
                            bool bodies)
{
    const ExitPlan *plan = &e->c->plans[loop];
    Solution all = { .status = SOLVED, .min = FOREVER, .max = FOREVER };
    for (uint32_t i = 0; i < plan->test_count; i++) {
        const Test *test = &plan->tests[i];
        if (test->method == METHOD_NONE)
            continue;
        Solution one = solve_test(e, part, test);
        if (one.status != SOLVED)
            return one;
        one.min += bodies && test->at_end && one.min != FOREVER;
        one.max += bodies && test->at_end && one.max != FOREVER;
        all.min = one.min < all.min ? one.min : all.min;
        all.max = one.max < all.max ? one.max : all.max;
    }
    return all;
}

typedef enum ExitCountEntry { ENTRY_NEVER, ENTRY_ALWAYS, ENTRY_MIXED } ExitCountEntry;

static ExitCountEntry entry_of(const ExitCountEvaluation *e, uint32_t level)
{
    ExitCountEntry entry = ENTRY_ALWAYS;
    for (uint32_t g = 0; g < e->guard_count[level]; g++) {
        const Interval *guard = &e->c->ranges[e->guards[level][g]];
        if (!guard->umax)
            return ENTRY_NEVER;
        if (!guard->umin)
            entry = ENTRY_MIXED;
    }
    return entry;
}

/* Divides a part in two across its widest dimension: it keeps one half, other gets the other.
 * False: a single point. */
static bool divide(const ExitCountEvaluation *e, ExitCountPart *part, ExitCountPart *other)
{
    uint32_t widest = DIMS;
    for (uint32_t d = 0; d < DIM_THREADS + part->outer; d++) {
        uint64_t extent = d >= DIM_THREADS || e->uses_dim[d] ? part->high[d] - part->low[d] : 0;
        if (extent && (widest == DIMS || extent > part->high[widest] - part->low[widest]))
            widest = d;
    }
    if (widest == DIMS)
        return false;
    *other = *part;
    uint64_t middle = part->low[widest] + (part->high[widest] - part->low[widest]) / 2;
    part->high[widest] = middle;
    other->low[widest] = middle + 1;
    return true;
}

static double bytes_of_type(const ExitCountEvaluation *e, const ExitCountPart *part)
{
    double size = 1;
    for (uint32_t d = 0; d < DIM_THREADS + part->outer; d++)
        size *= d >= DIM_THREADS || e->uses_dim[d] ? (double)(part->high[d] - part->low[d]) + 1 : 1;
    return size;
}

static void count_part(ExitCountEvaluation *e, const ExitCountPart *part, Solution got)
{
    double size = bytes_of_type(e, part), least = (double)got.min, most = (double)got.max;
    e->sum += size * (least + most) / 2;
    e->weight += size;
    e->least = least < e->least ? least : e->least;
    e->most = most > e->most ? most : e->most;
    e->is_sampled |= got.min != got.max;
}

/* Takes the answer at the middle of a part for all of it. */
static bool sample(ExitCountEvaluation *e, ExitCountPart *part)
{
    ExitCountPart whole = *part, point = *part;
    for (uint32_t d = 0; d < DIM_THREADS + part->outer; d++)
        point.low[d] = point.high[d] = part->low[d] + (part->high[d] - part->low[d]) / 2;
    if (part->outer < e->outer_count || !evaluate(e, &point))
        return false;
    e->is_sampled = true;
    Solution got = solve_tests(e, &point, e->loop, true);
    if (got.status == SOLVED && got.max != FOREVER && entry_of(e, e->outer_count) != ENTRY_NEVER)
        count_part(e, &whole, got);
    return got.status == SOLVED;
}

typedef enum ExitCountStep { STEP_DONE, STEP_DIVIDE, STEP_DEEPER } ExitCountStep;

/* One part: its count, or what to do with it. */
static ExitCountStep take_part(ExitCountEvaluation *e, ExitCountPart *part)
{
    uint32_t level = part->outer;
    LoopId loop = level < e->outer_count ? e->outer[level] : e->loop;
    ExitCountEntry entry = entry_of(e, level);
    if (entry == ENTRY_NEVER)
        return STEP_DONE;
    Solution got = solve_tests(e, part, loop, true);
    e->why = got.why;
    if (got.status == SOLVED_NOT)
        return STEP_DIVIDE;             /* it may be a thread that does not come here at all */
    if (got.status != SOLVED || got.min != got.max || entry == ENTRY_MIXED)
        return STEP_DIVIDE;
    if (got.max == FOREVER) {
        e->why = "no test ends the loop: it is endless";
        return STEP_DIVIDE;
    }
    if (level == e->outer_count) {
        count_part(e, part, got);
        return STEP_DONE;
    }
    if (!got.max)
        return STEP_DONE;
    part->low[DIM_THREADS + level] = 0;
    part->high[DIM_THREADS + level] = got.max - 1;
    part->outer++;
    return STEP_DEEPER;
}

/* At a single point: a condition that is not decided counts as met. */
static bool take_point(ExitCountEvaluation *e, ExitCountPart *part)
{
    if (part->outer < e->outer_count)
        return false;
    Solution got = solve_tests(e, part, e->loop, true);
    if (got.status != SOLVED || got.max == FOREVER || got.min != got.max)
        return false;
    count_part(e, part, got);
    return true;
}

static bool evaluate_parts(ExitCountEvaluation *e, const ExitCountPart *all)
{
    CountBuffers *buffers = buffers_of(e->c);
    if (!buffers->stack)
        buffers->stack = ptx_arena_array(e->c->scratch, ExitCountPart, MAX_STACK);
    ExitCountPart *stack = buffers->stack;
    uint32_t waiting = 1;
    stack[0] = *all;
    for (uint32_t parts = 0; waiting; parts++) {
        ExitCountPart *part = &stack[waiting - 1];
        if (parts >= MAX_PARTS || waiting == MAX_STACK) {
            if (parts >= 2 * MAX_PARTS || !sample(e, part))
                return false;
            waiting--;
            continue;
        }
        if (!evaluate(e, part))
            return false;
        switch (take_part(e, part)) {
        case STEP_DONE:   waiting--; break;
        case STEP_DEEPER: break;
        case STEP_DIVIDE:
            if (divide(e, part, &stack[waiting]))
                waiting++;
            else if (take_point(e, part))
                waiting--;
            else
                return false;
            break;
        }
    }
    return true;
}

/* ---- evaluation: a loop ---------------------------------------------------------------------- */

/* Whether all ways out of a loop are tests in closed form. */
static bool is_closed(const ExitPlan *plan)
{
    bool closed = plan->stage == STAGE_DONE && plan->test_count && !plan->has_other_exit;
    for (uint32_t t = 0; t < plan->test_count; t++)
        closed &= plan->tests[t].method != METHOD_NONE && plan->tests[t].method != METHOD_RUN;
    return closed;
}

/* The loops around whose iterations the program asks for; they must be counted themselves. False:
 * one is not. */
static bool add_outer(ExitCountEvaluation *e, const SymId *program, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const Sym *sym = ptx_sym(e->c->s, program[i]);
        bool is_new = sym->kind == SYM_ITER && sym->a != e->loop;
        for (uint32_t o = 0; o < e->outer_count; o++)
            is_new &= e->outer[o] != sym->a;
        if (!is_new)
            continue;
        if (!is_closed(&e->c->plans[sym->a]) || e->outer_count == MAX_OUTER)
            return false;
        uint32_t at = e->outer_count++;
        for (; at && e->c->loops->loops[e->outer[at - 1]].depth > e->c->loops->loops[sym->a].depth;
             at--)
            e->outer[at] = e->outer[at - 1];
        e->outer[at] = sym->a;
    }
    return true;
}

/* Guards that are known, in iterations of loops that are among the outer ones. */
static uint32_t add_guards(ExitCountEvaluation *e, uint32_t level, LoopId loop, SymId *roots,
                           uint32_t root_count)
{
    Counter *c = e->c;
    const ExitPlan *plan = &c->plans[loop];
    e->guards[level] = ptx_arena_array(c->scratch, SymId, MAX_GUARDS);
    for (uint32_t g = 0; g < plan->guard_count; g++) {
        uint32_t count;
        SymId guard = ptx_exit_in_iterations(c, ptx_exit_known_values(c, plan->guards[g]));
        SymId *below = is_known(c, guard) ? make_program(c, &guard, 1, &count) : NULL;
        bool fits = below != NULL;
        for (uint32_t i = 0; fits && i < count; i++) {
            const Sym *sym = ptx_sym(c->s, below[i]);
            bool found = sym->kind != SYM_ITER;
            for (uint32_t o = 0; o < level && !found; o++)
                found = e->outer[o] == sym->a;
            fits = found;
        }
        if (fits)
            e->guards[level][e->guard_count[level]++] = roots[root_count++] = guard;
    }
    return root_count;
}

static bool plan_evaluation(ExitCountEvaluation *e)
{
    Counter *c = e->c;
    SymId roots[MAX_ROOTS];
    uint32_t root_count = add_roots(c, e->loop, roots, 0), planned = 0;
    for (;;) {
        e->program = make_program(c, roots, root_count, &e->program_count);
        if (!e->program || !add_outer(e, e->program, e->program_count))
            return false;
        if (planned == e->outer_count)
            break;
        root_count = add_roots(c, e->loop, roots, 0);
        for (uint32_t o = 0; o < e->outer_count; o++)
            root_count = add_roots(c, e->outer[o], roots, root_count);
        planned = e->outer_count;
    }
    for (uint32_t level = 0; level <= e->outer_count; level++)
        root_count = add_guards(e, level, level < e->outer_count ? e->outer[level] : e->loop, roots,
                                root_count);
    e->program = make_program(c, roots, root_count, &e->program_count);
    return e->program != NULL;
}

/* Whether what the tests ask for comes from the launch. */
static bool uses_launch(const Counter *c, const ExitCountEvaluation *e)
{
    uint32_t uses = 0, count;
    SymId roots[MAX_ROOTS];
    count = add_roots(c, e->loop, roots, 0);
    for (uint32_t o = 0; o < e->outer_count; o++)
        count = add_roots(c, e->outer[o], roots, count);
    for (uint32_t i = 0; i < count; i++)
        uses |= ptx_sym(c->s, roots[i])->uses;
    const ExitPlan *plan = &c->plans[e->loop];
    for (uint32_t i = 0; i < plan->test_count; i++)
        uses |= plan->tests[i].method == METHOD_RUN ? plan->tests[i].run->uses : 0;
    return uses & USES_LAUNCH;
}

static ExitCountPart all_threads(ExitCountEvaluation *e)
{
    ExitCountPart all = { .outer = 0 };
    uint32_t block[3], grid[3];
    ptx_ssa_shape(e->c->reach, block, grid);
    for (int d = 0; d < 3; d++) {
        all.high[d] = block[d] ? block[d] - 1 : 0;
        all.high[3 + d] = grid[d] ? grid[d] - 1 : 0;
    }
    for (uint32_t i = 0; i < e->program_count; i++) {
        uint16_t uses = ptx_sym(e->c->s, e->program[i])->uses;
        for (int d = 0; d < DIM_THREADS; d++)
            e->uses_dim[d] |= uses >> d & 1;
    }
    return all;
}

SymId ptx_count_last(Counter *c, LoopId loop)
{
    SymId roots[MAX_BELOW];
    if (!is_closed(&c->plans[loop]))
        return 0;
    Sym leaf = { .kind = SYM_LAST,
                 .width = 64,
                 .uses = USES_OPAQUE,
                 .scope = NO_LOOP,
                 .a = loop,
                 .range = ptx_interval_full(64) };
    uint32_t count = add_roots(c, loop, roots, 0);
    for (uint32_t i = 0; i < count; i++) {
        const Sym *root = ptx_sym(c->s, roots[i]);
        const Loop *loops = c->loops->loops;
        leaf.uses |= root->uses & (USES_THREAD | USES_LAUNCH);
        if (leaf.scope == NO_LOOP
            || (root->scope != NO_LOOP && loops[root->scope].depth > loops[leaf.scope].depth))
            leaf.scope = root->scope;
    }
    return ptx_sym_leaf(c->s, leaf);
}

/* Counts a loop whose tests are known in every thread. */
bool ptx_count_loop(Counter *c, LoopId loop, Trip *trip)
{
    ExitCountEvaluation e = { .c = c, .loop = loop, .least = INFINITY, .most = 0 };
    bool done = plan_evaluation(&e);
    if (done) {
        ExitCountPart all = all_threads(&e);
        reserve_ranges(c);
        Solution whole = { .status = SOLVED_NOT };
        if (!e.outer_count && evaluate(&e, &all) && entry_of(&e, 0) != ENTRY_NEVER)
            /* if it is the same everywhere, who comes here does not matter */
            whole = solve_tests(&e, &all, loop, true);
        if (whole.status == SOLVED && whole.min == whole.max && whole.max != FOREVER)
            count_part(&e, &all, whole);
        else
            done = evaluate_parts(&e, &all);
    }
    trip->why = e.why;
    if (!done)
        return false;
    trip->source = uses_launch(c, &e) ? TRIP_LAUNCH : TRIP_CODE;
    trip->count = e.weight > 0 ? e.sum / e.weight : 0;
    trip->count_min = e.weight > 0 ? e.least : 0;
    trip->count_max = e.weight > 0 ? e.most : 0;
    trip->is_exact = !e.is_sampled && trip->count_min == trip->count_max;
    trip->why = NULL;
    return true;
}
