/* rules.h -- rules behind the public interface: those compiled in (tables that tools/gen_rules.c
 * writes), and a user's. */
#ifndef PTX_FINDINGS_RULES_H
#define PTX_FINDINGS_RULES_H

#include "ptxlint/ptxlint.h"
#include "rules/lang/rule.h"

/* Public views of ptx_rules.rules, in their order. */
extern const ptxlint_rule ptx_rule_views[];

/* A user's, by code; NULL of NULL. It changes when more files are added. */
const RuleSet *ptx_rules_set(const ptxlint_rules *rules);

/* Where a rule is: *set 0 for ptx_rules, 1 for rules, and its index there. False: in neither. By
 * code, so a view from before more files were added is good too. */
bool ptx_rule_index(const ptxlint_rules *rules, const ptxlint_rule *rule, uint32_t *set,
                    uint32_t *index);

#endif
