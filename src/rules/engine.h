/* engine.h -- rules over facts: evaluates the conditions and makes the findings. */
#ifndef PTX_RULES_ENGINE_H
#define PTX_RULES_ENGINE_H

#include "support/diag.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct RuleSet RuleSet;
typedef struct Session Session;
typedef struct Sessions Sessions;

enum { RULE_SETS = 2 };

/* What a user wants of one rule. */
typedef struct RuleChoice {
    bool is_enabled;
    Severity severity;
} RuleChoice;

/* Rules of the tree and of a user, and what is wanted of them. */
typedef struct Rulebook {
    const RuleSet *sets[RULE_SETS];
    uint32_t set_count;
    /* per set and rule; NULL: as the rules say, without previews */
    const RuleChoice *choices[RULE_SETS];
    /* per set and threshold, in its order; NULL: as the rules say */
    const double *thresholds[RULE_SETS];
} Rulebook;

/* Time of each rule, added to; the clock is the caller's. */
typedef struct RuleTimes {
    double (*now)(void);                /* seconds */
    double *seconds[RULE_SETS];
    uint64_t *counts[RULE_SETS];
} RuleTimes;

typedef struct Engine Engine;

/* All that is kept is of the arena of the sessions. times may be NULL. */
Engine *ptx_engine_new(Sessions *sessions, const Rulebook *book, const RuleTimes *times);

/* Adds the findings in the function in hand; none where it has a syntax error or no
 * instructions. */
void ptx_engine_run(Engine *engine, Session *session);

/* Adds those about the module and its variables. */
void ptx_engine_finish(Engine *engine);

#endif
