/* fuzz_rules.c -- any bytes as a file of rules.
 *
 * The library may refuse them, with a place and a reason, and is then as it was; what it takes must
 * be usable. */
#include "fuzz.h"

#include "ptxlint/ptxlint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_rules(const ptxlint_rules *rules)
{
    size_t count = 0;
    while (ptxlint_rule_at(rules, count))
        count++;
    return count;
}

/* Every text is there, and every rule is found. Names are compared with all others: of rules that
 * are built in, one is enough. */
static void use(const ptxlint_rules *rules, size_t built_in)
{
    const ptxlint_rule *rule;
    size_t bytes = 0;
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++) {
        require(ptxlint_rule_find(rules, rule->code) == rule, "a rule is found by its code");
        require(ptxlint_rule_find(rules, rule->name) == rule, "a rule is found by its name");
        if (!i || i >= built_in)
            require(ptxlint_rule_suggest(rules, rule->code) != NULL, "a code is near itself");
        bytes += strlen(rule->condition) + strlen(rule->summary) + strlen(rule->doc)
                 + strlen(rule->group) + strlen(rule->subject);
        for (size_t e = 0; e < rule->example_count; e++)
            bytes += strlen(rule->examples[e].title);
        for (size_t t = 0; t < rule->threshold_count; t++)
            bytes += strlen(rule->thresholds[t].name) + strlen(rule->thresholds[t].what)
                     + strlen(rule->thresholds[t].unit);
        for (size_t s = 0; s < rule->source_count; s++)
            bytes += strlen(rule->sources[s]);
    }
    require(bytes > 0 || !ptxlint_rule_at(rules, 0), "rules have text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ptxlint_rules *rules;
    char error[512] = "";
    char *text = text_of(data, size);
    require(ptxlint_rules_new(&rules) == PTXLINT_OK, "no rules yet");
    const size_t before = count_rules(rules);
    ptxlint_status status = ptxlint_rules_add(rules, "fuzz", text, size, error, sizeof error);
    free(text);                         /* nothing of it is kept */
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && !strncmp(error, "fuzz:", 5)),
            "a refusal says where and why");
    require(status == PTXLINT_OK || count_rules(rules) == before, "a bad file adds nothing");
    use(rules, before);
    ptxlint_rules_free(rules);
    return 0;
}
