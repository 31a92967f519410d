/* profile.h -- where the time goes: seconds of wall clock per stage and rule, added up over the
 * modules that one profile is given to.
 *
 * Each function takes NULL and does nothing then, without a look at the clock. Stages do not nest.
 * Rules are identified by their codes, so that modules with different rules of a user may share a
 * profile. Without memory a rule's time is lost, and nothing else. */
#ifndef PTX_API_PROFILE_H
#define PTX_API_PROFILE_H

#include "ptxlint/ptxlint.h"

/* In the order in which they are shown. */
typedef enum ProfileStage {
    PROFILE_PARSE,              /* scanner, parser, lowering */
    PROFILE_FLOW,               /* launch, control flow, dominators, loops */
    PROFILE_LIVE,
    PROFILE_TRIPS,
    PROFILE_MIX,
    PROFILE_THROUGHPUT,
    PROFILE_EVALUATE,
    PROFILE_ESTIMATE,
    PROFILE_CALLS,
    /* conditions, findings, and analyses that a rule was the first to ask for */
    PROFILE_RULES,
    PROFILE_SUPPRESS,
    PROFILE_VIEW,               /* the public structures, occupancy */
    PROFILE__COUNT
} ProfileStage;

/* An action as a part of a stage; options are in scope. */
#define TIMED(stage, action) \
    do { \
        ptx_profile_begin(options->profile, PROFILE_##stage); \
        action; \
        ptx_profile_end(options->profile, PROFILE_##stage); \
    } while (0)

/* A module begins: what is added to a stage until the next one counts as one. */
void ptx_profile_module(ptxlint_profile *profile);

void ptx_profile_begin(ptxlint_profile *profile, ProfileStage stage);
void ptx_profile_end(ptxlint_profile *profile, ProfileStage stage);

/* Seconds of a clock that only goes forward. */
double ptx_profile_clock(void);

/* Adds to the rule of this code, best once a module: count evaluations that took so long. */
void ptx_profile_rule(ptxlint_profile *profile, const char *code, double seconds, uint64_t count);

#endif
