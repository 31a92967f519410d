/* eval.h -- the value of a compiled expression for one subject. */
#ifndef PTX_RULES_EVAL_H
#define PTX_RULES_EVAL_H

#include "rules/facts/measure.h"

/* What a quantifier has found in the function in hand. */
typedef struct Found {
    bool is_done;
    Certainty certainty;        /* of the facts its predicate has read */
    uint32_t count, total;
    bool *hits;                 /* per instruction, or per loop or parameter */
    /* per loop, inner loops included; NULL: not asked for yet */
    const uint32_t *loop_counts, *loop_totals;
    /* per block, of instructions; NULL: not asked for yet; and the first and last in those that
     * have one */
    const bool *has_hit;
    const InsnId *first, *last;
    /* per block: some path to it from the entry has a hit; some path has none */
    const bool *some_before, *none_before;
    /* per block: the same from its end to an exit; NULL: not asked for yet */
    const bool *some_after, *none_after;
} Found;

/* One set of rules, in one function. */
typedef struct Evaluator {
    FactCache *q;
    const RuleSet *set;
    Found *found;               /* per quantifier; zeroed for each function */
    int8_t **
        op_hits; /* per quantifier whose predicate asks for the opcode text alone, and Op.id: 0 not asked for yet, 1 true, 2 not;
                                 * NULL: not made yet. For the module */
} Evaluator;

typedef struct Ask {
    Evaluator *evaluator;
    const double *thresholds;   /* of the rule */
    Subjects at;
    Certainty certainty;        /* of the facts read so far: the worst */
} Ask;

/* NaN: unknown. An empty program is unknown. */
double ptx_eval(Ask *ask, Program program);

/* The same of codes that are none of the set's programs. */
double ptx_eval_codes(Ask *ask, const Code *codes, uint32_t count);

/* What a condition still asks. */
typedef struct Rest {
    const Code *codes;
    uint32_t count;
    bool is_open;               /* codes decide */
    bool is_true;               /* else */
} Rest;

/* For all instructions with the text of that in ask; an empty program is true. codes has room for
 * all of the program's. Values and certainties of what is asked in the end are those of the whole
 * program. */
Rest ptx_eval_narrow(Ask *ask, Program program, Code *codes);

#endif
