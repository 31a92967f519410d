/* config_rules.h -- some rules for tests of what selects and suppresses them; the rules of the tree
 * may change. */
#ifndef PTX_TESTS_CONFIG_RULES_H
#define PTX_TESTS_CONFIG_RULES_H

#include "findings/config.h"

static const Threshold test_thresholds[] = {
    { .name = "threads", .what = "threads of a block", .value = 64 },
    { .name = "percent", .what = "occupancy", .value = 50 }
};

enum {
    RULE_COR101,
    RULE_COR102,
    RULE_LCH101,
    RULE_LIM103,
    RULE_OCC103,
    RULE_SUP101,
    RULE_SUP102,
    RULE_SYN101,
    RULE_THR101,
    RULE_THR102,
    RULE_THR103,
    RULE_THR110,
    RULE_USR101
};

static const Rule test_rules_of_tree[] = {
    { .info = { "COR101", "never-written-register", SEVERITY_WARNING, "correctness", false, false } },
    { .info = { "COR102", "dead-write", SEVERITY_WARNING, "correctness", false, false } },
    { .info = { "LCH101", "block-of-no-warps", SEVERITY_NOTE, "launch", false, false } },
    { .info = { "LIM103", "too-many-diagnostics", SEVERITY_NOTE, "limit", false, false },
      .is_front_end = true, .is_locked = true },
    { .info = { "OCC103", "small-block", SEVERITY_NOTE, "occupancy", false, false }, .threshold_count = 2 },
    { .info = { "SUP101", "unused-suppression", SEVERITY_WARNING, "suppression", false, false }, .is_front_end = true },
    { .info = { "SUP102", "bad-suppression", SEVERITY_WARNING, "suppression", false, false }, .is_front_end = true },
    { .info = { "SYN101", "bad-byte", SEVERITY_ERROR, "syntax", false, false },
      .is_front_end = true, .is_locked = true },
    { .info = { "THR101", "unfused-multiply-add", SEVERITY_NOTE, "throughput", false, false } },
    { .info = { "THR102", "full-precision-in-loop", SEVERITY_NOTE, "throughput", false, false } },
    { .info = { "THR103", "narrow-access", SEVERITY_NOTE, "throughput", false, false }, .is_preview = true },
    { .info = { "THR110", "redundant-load", SEVERITY_WARNING, "throughput", false, false } },
};

static const Rule test_rules_of_user[] = {
    { .info = { "USR101", "house-style", SEVERITY_NOTE, "ours", false, false }, .threshold_count = 1 },
};

static const RuleSet test_sets[] = {
    { .rules = test_rules_of_tree, .rule_count = sizeof test_rules_of_tree / sizeof *test_rules_of_tree,
      .thresholds = test_thresholds, .threshold_count = 2 },
    { .rules = test_rules_of_user, .rule_count = 1, .thresholds = test_thresholds, .threshold_count = 1 },
};

static inline ptxlint_config *test_config(void)
{
    const RuleSet *const sets[] = { &test_sets[0], &test_sets[1] };
    ptxlint_config *config;
    return ptx_config_new_of(sets, 2, &config) == PTXLINT_OK ? config : NULL;
}

#endif
