/* selector.h -- how users name rules: ALL, a group, a prefix of codes, a code, a name.
 *
 * Everything that can name a rule of some sets is in one table, so that a name is found by one
 * probe, whatever the case of its letters. A prefix has all letters of its codes: THR and THR1, not
 * TH. Weights order selectors from the widest to the narrowest; where two of them disagree about a
 * rule, the larger one decides.
 *
 * Rules of the front end (syntax errors, limits) are locked: nothing suppresses them. Those of
 * group `suppression` are not. */
#ifndef PTX_RULES_LANG_SELECTOR_H
#define PTX_RULES_LANG_SELECTOR_H

#include "rules/lang/rule.h"
#include "support/arena.h"
#include "support/hash.h"

typedef uint32_t RuleId;        /* of the first set, then of the second */

#define NO_RULE UINT32_MAX

typedef enum SelectorKind {
    SELECTOR_NONE,
    SELECTOR_ALL,
    SELECTOR_GROUP,
    SELECTOR_PREFIX,
    SELECTOR_RULE
} SelectorKind;

typedef struct Selector {
    /* "THR1", "throughput", "full-precision-in-loop": length bytes of it */
    const char *text;
    uint16_t length;
    uint8_t kind;               /* SelectorKind */
    uint8_t weight;
    bool is_locked;             /* all that it names is */
    RuleId rule;                /* the rule, or one of those it names; NO_RULE of ALL */
} Selector;

typedef struct Selectors {
    const RuleSet *sets[2];
    uint32_t set_count, rule_count;
    const Rule **rules;         /* by RuleId */
    Selector *items;
    uint32_t item_count;
    HashTable table;            /* into items, + 1 */
} Selectors;

/* Of ptx_rules alone: a table that tools/gen_rules.c writes. */
extern const Selectors ptx_rule_selectors;

/* Owned by arena; points into the sets. */
const Selectors *ptx_selectors_build(Arena *arena, const RuleSet *const *sets, uint32_t set_count);

/* NULL: it names nothing. */
const Selector *ptx_selector_find(const Selectors *selectors, const char *text, size_t length);

/* The nearest text that names something; NULL where none is near. *length of the bytes at the
 * result. */
const char *ptx_selector_suggest(const Selectors *selectors, const char *text, size_t text_length,
                                 uint16_t *length);

/* Whether it names the rule. ALL names no locked rule. */
bool ptx_selector_has(const Selectors *selectors, const Selector *selector, RuleId rule);

/* The rule with the code of info; NO_RULE. */
RuleId ptx_rule_of(const Selectors *selectors, const DiagInfo *info);

#endif
