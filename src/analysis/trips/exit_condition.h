/* exit_condition.h -- how the trip counts of a function are found: the workings that
 * exit_condition.c, count.c and trip.c share.
 *
 * exit_condition.c follows the conditions of a loop's exits to comparisons of linear sequences,
 * count.c evaluates them over threads and outer iterations, trip.c writes them as expressions. */
#ifndef PTX_ANALYSIS_TRIPS_EXIT_CONDITION_H
#define PTX_ANALYSIS_TRIPS_EXIT_CONDITION_H

#include "analysis/flow/types.h"
#include "analysis/value/interval.h"
#include "analysis/value/symbolic.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Ssa Ssa;
typedef struct Trip Trip;
typedef struct Arena Arena;
typedef struct Interval Interval;
typedef struct Launch Launch;
typedef struct Sym Sym;
typedef struct Symbols Symbols;

enum {
    MAX_TESTS = 8,             /* of a loop */
    MAX_LEAVING = 64,          /* edges out of a loop that are looked at */
    MAX_GUARDS = 24,           /* branches before a loop that are looked at */
    MAX_WIDENED = 4,           /* conversions of one comparison's operands */
    MAX_STATES = 8,            /* registers of a recurrence that is run */
};

/* base + k * step in iteration k. */
typedef struct Linear {
    SymId base, step;
} Linear;

/* A conversion to more bits that is linear only while what it converts does not wrap around. */
typedef struct Widened {
    Linear inner;
    bool is_signed;
} Widened;

/* A recurrence that is run, one iteration after the other. */
typedef struct Run {
    SymId stay;                 /* the condition, in iterations of the loops around */
    SymId phis[MAX_STATES], starts[MAX_STATES], nexts[MAX_STATES];
    SymId places[MAX_STATES];  /* threads and outer iterations that it reads */
    uint32_t count, place_count;
    uint32_t uses;              /* USES_* of all that it reads */
    SymId *program;             /* the condition and what is next, in terms of the phis */
    uint32_t program_count;
} Run;

typedef enum Method {
    METHOD_NONE,
    METHOD_ORDER,               /* the operands as they are */
    /* an order of addresses in one object: only their difference is known */
    METHOD_DIFFERENCE,
    METHOD_UNEQUAL,             /* their difference modulo 2^width */
    METHOD_RUN,
} Method;

/* One comparison; the loop goes on while it holds. */
typedef struct Test {
    SymId stay;
    Linear a, b;                /* its operands */
    SymId phi;                  /* the counter; 0: none */
    Widened widened[MAX_WIDENED];
    uint32_t widened_count;
    bool is_linear, at_end;     /* at_end: tested after the body, which then has run once more */
    /* how it is evaluated, with a and b in iterations of the loops around; NONE: it cannot be */
    Method method;
    SymId ahead, behind, step;  /* b - a, a - b, and how a gains on b in an iteration */
    Linear own_a, own_b;        /* a and b as written, for people */
    Run *run;
    const char *why;            /* METHOD_NONE: why */
} Test;

typedef enum Stage { STAGE_NEW, STAGE_BUSY, STAGE_DONE } Stage;

/* What is known of a loop beside its Trip. */
typedef struct ExitPlan {
    Stage stage;
    Test *tests;
    uint32_t test_count;
    bool has_other_exit;        /* not counted by any test */
    SymId last;                 /* the iteration, from 0, in which the loop is left; 0: not known */
    uint32_t leaving_first, leaving_count;      /* into Counter.leaving, a list; NO_ID */
    SymId *guards;              /* true where the loop is entered */
    uint32_t guard_count;
    /* some block beside the header does more than count; Counter.works */
    bool rest_works;
} ExitPlan;

typedef struct Leaving {        /* an edge out of a loop */
    BlockId block;
    uint32_t side;              /* which of its successors */
    uint32_t next;
} Leaving;

typedef struct Counter {
    Arena *arena, *scratch;
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Launch *launch;
    Ssa *reach;
    Symbols *s;
    Trip *trips;
    ExitPlan *plans;
    uint8_t *works;             /* per block: loads, stores, floating point, barriers, calls */
    Leaving *leaving;
    uint32_t leaving_count, leaving_capacity;
    Interval *ranges;           /* per node, while a part is evaluated */
    uint32_t range_capacity;
    struct CountBuffers *buffers;       /* count.c */
    uint64_t work;              /* left */
    unsigned nested;
} Counter;

static inline bool ptx_exit_is_comparison(const Sym *sym)
{
    return sym->kind >= SYM_EQ && sym->kind <= SYM_LE_S;
}

/* Whether a value has a part that no expression can name. */
static inline bool ptx_exit_is_opaque(const Counter *c, SymId id)
{
    return ptx_sym(c->s, id)->uses & USES_OPAQUE;
}

/* ---- exit_condition.c ------------------------------------------------------------------------ */

/* The edges out of every loop; those that end in a trap are left out. And which parts of the loops
 * work. */
void ptx_exit_find_edges(Counter *c);

/* The conditions under which a loop goes on, and those under which it is entered. why: of exits
 * that have none. */
void ptx_exit_find_conditions(Counter *c, LoopId loop, ExitPlan *plan, const char **why);
void ptx_exit_find_guards(Counter *c, LoopId loop, ExitPlan *plan);

/* start and step of a register that every iteration changes by the same amount; false: it is no
 * such register. */
bool ptx_exit_counter_find(Counter *c, SymId phi, Linear *out);

/* id with the values that loops leave whose last iteration is known. */
SymId ptx_exit_known_values(Counter *c, SymId id);

/* id with the counters of loops as start + iteration * step: what can be evaluated. */
SymId ptx_exit_in_iterations(Counter *c, SymId id);

/* ---- count.c --------------------------------------------------------------------------------- */

/* Decides how a test can be evaluated, or says why it cannot. */
void ptx_count_prepare(Counter *c, LoopId loop, Test *test);

/* The last iteration of a loop as a node that evaluation knows, where its tests can all be
 * evaluated; else 0. */
SymId ptx_count_last(Counter *c, LoopId loop);

/* Source, counts and exactness from the tests that can be evaluated; false: not so, and trip->why
 * may say why. */
bool ptx_count_loop(Counter *c, LoopId loop, Trip *trip);

/* ---- trip.c ---------------------------------------------------------------------------------- */

/* Fills c->trips and c->plans for a loop, once; while that is under way nothing is known of it. */
void ptx_exit_count_find(Counter *c, LoopId loop);

#endif
