/* engine_state.h -- rules at work on a module, for the parts of the engine. */
#ifndef PTX_RULES_ENGINE_STATE_H
#define PTX_RULES_ENGINE_STATE_H

#include "rules/engine.h"
#include "rules/eval.h"
#include "rules/facts/measure.h"

/* A finding that further ones are folded into. What it says is found once the function is done: of
 * the worst alone. */
typedef struct Folded {
    Diag *diag;
    double best_gain;           /* of those in it */
    Relief *relief;             /* of all of them; NULL: gains are not predicted together */
    Subjects worst;
    Severity severity;          /* of that */
    struct Folded *next;
} Folded;

/* Whether the part of a rule's condition that asks for the function in hand alone is true. */
typedef enum KernelState { KERNEL_NOT_ASKED, KERNEL_HOLDS, KERNEL_FAILS } KernelState;

/* A rule that is wanted, and what is known of it by now. */
typedef struct Active {
    const Rule *rule;
    uint32_t set, number;       /* of it: rule number */
    Severity severity;
    const double *thresholds;
    Certainty module_certainty, kernel_certainty;
    Folded *folded;             /* those that there are */
    /* the fact that its condition begins with, which must be true (or with is_lead_false false) for
     * the rest to matter; FACT__COUNT: none */
    uint16_t lead;
    bool is_lead_false;
    /* per loop, and one more for outside, or per statement; NULL: none yet */
    Folded *folds;
} Active;

/* A rule that an opcode text leaves, and what is left of its condition. */
typedef struct OpRule {
    uint16_t active;
    Subject subject;
    const Code *codes;          /* count 0: always true */
    uint32_t count;
} OpRule;

typedef struct OpRules {
    bool is_done;
    const OpRule *rules;        /* count of them */
    uint32_t count;
} OpRules;

struct Engine {
    Arena *arena, *work;
    DiagSink *diags;
    ModuleFacts shared;
    FactCache inquiry;            /* of the function in hand */
    Evaluator evaluators[RULE_SETS];
    uint32_t set_count;
    Active *actives;
    uint32_t active_count;
    uint8_t *kernel_states;     /* KernelState, per active: instructions ask for it alone */
    uint32_t subject_first[SUBJECT__COUNT + 1]; /* into actives, which are in order of subject */
    OpRules *op_rules;          /* per Op.id */
    OpRule *left;               /* while the rules of one are found: per rule ... */
    Code *codes;                /* ... and what is left of its condition */
    const RuleTimes *times;
    bool is_unfolded;
};

/* The template filled in, of the module's arena; NULL for none. */
const char *ptx_engine_fill(Engine *e, Ask *ask, const Template *template);

/* All that a finding says of the place in hand. */
void ptx_engine_describe(Engine *e, const Active *active, Ask *ask, Severity severity, Diag *diag);

void ptx_engine_add(Engine *e, Active *active, Ask *ask);

#endif
