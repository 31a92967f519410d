/* test_rules.c -- files of rules: what is read, every complaint with its place, and the rules
 * behind the public interface. */
#include "kit.h"

#include "findings/rules.h"
#include "rules/lang/load.h"

/* Lines 1 and 2; 3 and 4; 5 to 10. */
#define TOP "group: mine\nrules:\n"
#define HEAD "- code: MIN101\n  name: my-rule\n"
#define REST                                                                                      \
    "  severity: note\n  on: instruction\n  when: insn.is_load\n  message: a load\n  summary: A " \
    "load.\n  doc: It loads.\n"
#define GOOD TOP HEAD REST
#define SECOND "- code: MIN102\n  name: other\n" REST
#define NO_MESSAGE                                                                               \
    TOP HEAD "  severity: note\n  on: instruction\n  when: insn.is_load\n  summary: A load.\n  " \
             "doc: It loads.\n"
#define NO_WHEN                                                                                    \
    TOP HEAD "  severity: note\n  on: instruction\n  message: a load\n  summary: A load.\n  doc: " \
             "It loads.\n"

static ptxlint_rules *new_rules(void)
{
    ptxlint_rules *rules;
    assert_int_equal(ptxlint_rules_new(&rules), PTXLINT_OK);
    return rules;
}

static void add_good(ptxlint_rules *rules, const char *yaml)
{
    char error[512] = "";
    if (ptxlint_rules_add(rules, "f.yaml", yaml, strlen(yaml), error, sizeof error) != PTXLINT_OK)
        fail_msg("%s", error);
}

typedef struct Case {
    const char *yaml;
    unsigned line, column;
    const char *message;
} Case;

static void check(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char error[512] = "", place[64];
        ptxlint_rules *rules = new_rules();
        ptxlint_status status = ptxlint_rules_add(rules, "f.yaml", cases[i].yaml,
                                                  strlen(cases[i].yaml), error, sizeof error);
        snprintf(place, sizeof place, "f.yaml:%u:%u: error: ", cases[i].line, cases[i].column);
        if (status != PTXLINT_BAD_FILE || strncmp(error, place, strlen(place))
            || !strstr(error, cases[i].message))
            fail_msg("case %zu:\n%s\nstatus %d, '%s', want '%s%s'", i, cases[i].yaml, (int)status,
                     error, place, cases[i].message);
        assert_int_equal(ptx_rules_set(rules)->rule_count, 0);
        ptxlint_rules_free(rules);
    }
}

/* ---- complaints ------------------------------------------------------------------------------ */

static void test_file(void **state)
{
    (void)state;
    static const Case cases[] = {
        { "", 1, 1, "a file of rules is a mapping with `group` and `rules`" },
        { "# nothing\n\n", 1, 1, "a file of rules is a mapping" },
        { "- a\n", 1, 1, "a file of rules is a mapping" },
        { "group: [a\n", 2, 1, "not YAML" },
        { "group: mine\n\tx: y\n", 2, 1, "not YAML" },
        { "group: 'mine\n", 2, 1, "not YAML: found unexpected end of stream" },
        { "group: mine\nrules: \xFF\n", 2, 8, "not YAML: invalid leading UTF-8 octet" },
        { "group: mine\nrules: []\n---\ngroup: mine\n", 3, 1, "a second document" },
        { "group: mine\n", 1, 1, "`rules` is not there" },
        { "rules: []\n", 1, 1, "`group` is not there" },
        { "group: mine\nrule: []\n", 2, 1, "unknown key of a file of rules 'rule'; did you mean 'rules'?" },
        { "group: mine\nrules: []\ngroup: mine\n", 3, 1, "'group' is given twice" },
        { "group: mine\nrules: {}\n", 2, 8, "`rules` is a list" },
        { "group: Mine\nrules: []\n", 1, 8, "a group has a name of small letters" },
        { "group: mine2\nrules: []\n", 1, 8, "a group has a name of small letters" },
        { "group: ''\nrules: []\n", 1, 8, "`group` is empty" },
        { "group: [mine]\nrules: []\n", 1, 8, "`group` is a text" },
        { "? [a]\n: b\n", 1, 3, "expected a key of a file of rules" },
        { TOP "- 1\n", 3, 3, "a rule is a mapping" },
        { "group: &a mine\nrules: []\n", 1, 8, "no anchors and tags" },
        { "group: !!str mine\nrules: []\n", 1, 8, "no anchors and tags" },
        { "group: mine\nrules: &a []\n", 2, 8, "no anchors and tags" },
        { "group: mine\nrules: *a\n", 2, 8, "no aliases" },
        { "group: \"mi\\0ne\"\nrules: []\n", 1, 8, "a NUL" },
        { "group: mine\nrules: [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]\n", 2, 23, "nested deeper than 16" },
        { "\xEF\xBB\xBFgroup: Mine\nrules: []\n", 1, 8, "a group has a name" },
        { "group: mine\r\nrules: {}\r\n", 2, 8, "`rules` is a list" },
        { "# \xC3\xA9\xC3\xA9\ngroup: mine\n\"r\xC3\xBCles\": []\n", 3, 1, "unknown key" },
        { "{ \"group\": mine, rules: [], \"\xC3\xBC\": 1, x: 1 }", 1, 29, "unknown key" },
    };
    check(cases, COUNT(cases));
}

static void test_rule(void **state)
{
    (void)state;
    static const Case cases[] = {
        { TOP "- code: MIN1\n  name: my-rule\n" REST, 3, 9, "a code is two to four capitals and three digits" },
        { TOP "- code: M101\n  name: my-rule\n" REST, 3, 9, "a code is" },
        { TOP "- code: MINES101\n  name: my-rule\n" REST, 3, 9, "a code is" },
        { TOP "- code: min101\n  name: my-rule\n" REST, 3, 9, "a code is" },
        { TOP "- code: MIN1011\n  name: my-rule\n" REST, 3, 9, "a code is" },
        { TOP "- code: [MIN101]\n  name: my-rule\n" REST, 3, 9, "`code` is a text" },
        { TOP "- code:\n  name: my-rule\n" REST, 3, 8, "`code` is empty" },
        { TOP "- code: MIN101\n  name: My-rule\n" REST, 4, 9, "a name is of small letters, digits and `-`" },
        { TOP "- code: MIN101\n  name: my_rule\n" REST, 4, 9, "a name is" },
        { TOP "- code: MIN101\n  name: my-rule-\n" REST, 4, 9, "a name is" },
        { TOP "- code: MIN101\n  name: min101\n" REST, 4, 9, "a name that looks like a code" },
        { TOP "- code: MIN101\n  name: bad-byte\n" REST, 4, 9, "the name 'bad-byte' is taken: the front end says SYN101" },
        { TOP "- code: SYN101\n  name: my-rule\n" REST, 3, 9, "the code 'SYN101' is taken: the front end says SYN101, bad-byte" },
        { GOOD HEAD REST, 11, 9, "the code 'MIN101' is taken: line 3 of this file" },
        { GOOD "- code: MIN102\n  name: my-rule\n" REST, 12, 9, "the name 'my-rule' is taken: line 3 of this file" },
        { TOP "- name: my-rule\n" REST, 3, 3, "a rule without `code`" },
        { TOP "- code: MIN101\n" REST, 3, 3, "rule 'MIN101' has no `name`" },
        { TOP HEAD "  on: instruction\n", 3, 3, "rule 'MIN101' has no `severity`" },
        { TOP HEAD "  severity: note\n", 3, 3, "rule 'MIN101' has no `on`" },
        { NO_WHEN, 3, 3, "rule 'MIN101' has no `when`" },
        { NO_MESSAGE, 3, 3, "rule 'MIN101' has no `message`" },
        { TOP HEAD "  severity: note\n  on: access\n  when: true\n  message: x\n  doc: x\n", 3, 3, "has no `summary`" },
        { TOP HEAD "  severity: note\n  on: access\n  when: true\n  message: x\n  summary: x\n", 3, 3, "has no `doc`" },
        { TOP HEAD "  severity: warn\n  on: kernel\n  when: true\n  message: x\n  summary: x\n  doc: x\n", 5, 13, "unknown severity 'warn'; did you mean 'warning'?" },
        { TOP HEAD "  severity: {}\n  on: kernel\n  when: true\n  message: x\n  summary: x\n  doc: x\n", 5, 13, "severity is a text" },
        { TOP HEAD "  severity: ''\n  on: kernel\n  when: true\n  message: x\n  summary: x\n  doc: x\n", 5, 13, "unknown severity ''" },
        { TOP HEAD "  severity: note\n  on: kernal\n  when: true\n  message: x\n  summary: x\n  doc: x\n", 6, 7, "unknown subject 'kernal'; did you mean 'kernel'?" },
        { TOP HEAD "  severity: note\n  on: ''\n  when: true\n  message: x\n  summary: x\n  doc: x\n", 6, 7, "unknown subject ''" },
        { GOOD "  sumary: x\n", 11, 3, "unknown key of a rule 'sumary'; did you mean 'summary'?" },
        { GOOD "  frobnicate: x\n", 11, 3, "unknown key of a rule 'frobnicate'" },
        { GOOD "  doc: x\n", 11, 3, "'doc' is given twice" },
        { GOOD "  preview: yes\n", 11, 12, "`preview` is true or false" },
        { GOOD "  preview: 'true'\n", 11, 12, "`preview` is true or false" },
        { GOOD "  needs: sure\n", 11, 10, "unknown certainty 'sure'" },
        { GOOD "  needs: exactly\n", 11, 10, "did you mean 'exact'?" },
        { GOOD "  fold: lop\n", 11, 9, "unknown fold 'lop'; did you mean 'loop'?" },
        { GOOD "  remove: saef\n", 11, 11, "unknown kind of removal 'saef'; did you mean 'safe'?" },
        { GOOD "  fold: ''\n", 11, 9, "unknown fold ''" },
        { TOP HEAD "  severity: note\n  on: kernel\n  when: true\n  message: x\n  summary: x\n  doc: x\n  fold: loop\n", 11, 9, "a kernel is in no loop" },
        { TOP HEAD "  severity: note\n  on: module\n  when: true\n  message: x\n  summary: x\n  doc: x\n  fold: kernel\n", 11, 9, "a module is in no kernel" },
        { NO_MESSAGE "  message: a load.\n", 10, 18, "a message ends without a full stop" },
        { NO_MESSAGE "  message: |\n    one\n    two\n", 11, 8, "`message` is one line" },
        { NO_MESSAGE "  message: \"one\\ntwo\"\n", 10, 16, "`message` is one line" },
        { NO_MESSAGE "  message: ' '\n", 10, 12, "`message` is empty" },
        { NO_WHEN "  when: ''\n", 10, 9, "`when` is empty" },
        { GOOD "  label: [a]\n", 11, 10, "`label` is a text" },
        { GOOD "  help: {a: b}\n", 11, 9, "`help` is a text" },
        { GOOD "  gain: []\n", 11, 9, "`gain` is a text" },
        { GOOD "  note_if: ''\n", 11, 12, "`note_if` is empty" },
    };
    check(cases, COUNT(cases));
}

static void test_parts(void **state)
{
    (void)state;
    static const Case cases[] = {
        { GOOD "  related: x\n", 11, 12, "`related` is a mapping" },
        { GOOD "  related: { at: insn.fused_with }\n", 11, 12, "`related` has `at` and `message`" },
        { GOOD "  related: { att: insn.fused_with, message: x }\n", 11, 14, "unknown key of `related` 'att'; did you mean 'at'?" },
        { GOOD "  related: { at: insn.fused, message: x }\n", 11, 18, "unknown fact 'insn.fused'" },
        { GOOD "  related: { at: insn.type, message: x }\n", 11, 18, "'insn.type' is not a place" },
        { GOOD "  related: { at: access.earlier, message: x }\n", 11, 18, "'access.earlier' is not a fact of a rule on instruction" },
        { GOOD "  related: { at: insn.split_at, message: '' }\n", 11, 42, "the message of `related` is empty" },
        { GOOD "  thresholds: 3\n", 11, 15, "`thresholds` is a mapping" },
        { GOOD "  thresholds:\n    a: 3\n", 12, 8, "a threshold is a mapping" },
        { GOOD "  thresholds:\n    a: { value: 3 }\n", 12, 5, "a threshold has a `value` and says `what` it is" },
        { GOOD "  thresholds:\n    a: { value: 3, what: x, unit: y }\n", 12, 29, "unknown key of a threshold 'unit'" },
        { GOOD "  thresholds:\n    A: { value: 3, what: x }\n", 12, 5, "a threshold has a name of small letters" },
        { GOOD "  thresholds:\n    a: { value: 3, what: x }\n    a: { value: 3, what: x }\n", 13, 5, "'a' is given twice" },
        { GOOD "  thresholds:\n    a: { value: many, what: x }\n", 12, 17, "'many' is not a number" },
        { GOOD "  thresholds:\n    a: { value: 3., what: x }\n", 12, 17, "'3.' is not a number" },
        { GOOD "  thresholds:\n    a: { value: .5, what: x }\n", 12, 17, "'.5' is not a number" },
        { GOOD "  thresholds:\n    a: { value: 1e999, what: x }\n", 12, 17, "'1e999' is not a number" },
        { GOOD "  thresholds:\n    a: { value: 1e-, what: x }\n", 12, 17, "'1e-' is not a number" },
        { GOOD "  thresholds:\n    a: { value: 3 apples, what: x }\n", 12, 19, "unknown unit 'apples'" },
        { GOOD "  thresholds:\n    a: { value: [3], what: x }\n", 12, 17, "`value` is a text" },
        { GOOD "  thresholds:\n    [a]: { value: 3, what: x }\n", 12, 5, "the name of a threshold is a text" },
        { GOOD "  examples: x\n", 11, 13, "`examples` is a list" },
        { GOOD "  examples:\n    - x\n", 12, 7, "an example is a mapping" },
        { GOOD "  examples:\n    - title: x\n", 12, 7, "an example without `bad`, `good`" },
        { GOOD "  examples:\n    - bed: x\n", 12, 7, "unknown key of an example 'bed'; did you mean 'bad'?" },
        { GOOD "  examples:\n    - bad: ''\n", 12, 12, "`bad` is empty" },
        { GOOD "  examples:\n    - bad: x\n      launch: []\n", 13, 15, "`launch` is a text" },
        { GOOD "  examples:\n    - bad: x\n      bad: y\n", 13, 7, "'bad' is given twice" },
        { GOOD "  sources: x\n", 11, 12, "`sources` is a list" },
        { GOOD "  sources: [x, '']\n", 11, 16, "a source is empty" },
        { GOOD "  sources:\n  - a: b\n", 12, 5, "a source is a text" },
    };
    check(cases, COUNT(cases));
}

#define FRONT "- code: SYN101\n  front_end: true\n"
#define TEXTS "  summary: x\n  doc: x\n"

static void test_front_end_errors(void **state)
{
    (void)state;
    static const Case cases[] = {
        { "group: syntax\nrules:\n- code: SYN999\n  front_end: true\n" TEXTS, 3, 9, "the front end does not say 'SYN999'" },
        { "group: mine\nrules:\n" FRONT TEXTS, 1, 8, "SYN101 is of the group 'syntax'" },
        { "group: syntax\nrules:\n" FRONT TEXTS "  when: true\n", 7, 9, "a rule of the front end has no `when`" },
        { "group: syntax\nrules:\n" FRONT TEXTS "  preview: true\n", 7, 12, "a rule of the front end has no `preview`" },
        { "group: syntax\nrules:\n" FRONT TEXTS "  name: bad-bite\n", 7, 9, "the name of SYN101 is 'bad-byte'" },
        { "group: syntax\nrules:\n" FRONT TEXTS "  severity: note\n", 7, 13, "the severity of SYN101 is 'error'" },
        { "group: syntax\nrules:\n" FRONT "  doc: x\n", 3, 3, "rule 'SYN101' has no `summary`" },
        { "group: syntax\nrules:\n" FRONT TEXTS FRONT TEXTS, 3, 9, "the code 'SYN101' is taken by a rule of ptxlint: SYN101, bad-byte" },
        { "group: limit\nrules:\n" HEAD REST, 1, 8, "the group 'limit' is of ptxlint itself, and takes no rules" },
        { "group: syntax\nrules:\n- code: SYN101\n  front_end: 1\n" TEXTS, 4, 14, "`front_end` is true or false" },
    };
    check(cases, COUNT(cases));
}

/* A mistake inside an expression: where it stands in the file, in each of the ways to write a
 * text. */
static void test_positions(void **state)
{
    (void)state;
    static const Case cases[] = {
        { NO_WHEN "  when: insn.nosuch\n", 10, 9, "nosuch" },
        { NO_WHEN "  when: insn.is_load and insn.nosuch\n", 10, 26, "nosuch" },
        { NO_WHEN "  when: insn.is_load\n    and insn.nosuch\n", 11, 9, "nosuch" },
        { NO_WHEN "  when: insn.is_load   \r\n\r\n\r\n    and insn.nosuch\r\n", 13, 9, "nosuch" },
        { NO_WHEN "  when: 'insn.is_load and insn.nosuch'\n", 10, 27, "nosuch" },
        { NO_MESSAGE "  message: 'it''s {insn.nosuch}'\n", 10, 20, "nosuch" },
        { NO_WHEN "  when: \"insn.is_load and insn.nosuch\"\n", 10, 27, "nosuch" },
        { NO_WHEN "  when: \"insn is \\\"ld\\\" and insn.nosuch\"\n", 10, 29, "nosuch" },
        { NO_WHEN "  when: \"insn is \\\"ld\\\"\n      and \\x69nsn.nosuch\"\n", 11, 11, "nosuch" },
        { NO_WHEN "  when: \"insn.is_load \\\n      and insn.nosuch\"\n", 11, 11, "nosuch" },
        { NO_WHEN "  when: >\n    insn.nosuch\n", 11, 5, "nosuch" },
        { NO_WHEN "  when: >\n    insn.is_load and\n    insn.nosuch\n", 12, 5, "nosuch" },
        { NO_WHEN "  when: >-  # a comment\n    insn.is_load\n    and insn.nosuch\n", 12, 9, "nosuch" },
        { NO_WHEN "  when: >\n    insn.is_load\n\n\n    and insn.nosuch\n", 14, 9, "nosuch" },
        { NO_WHEN "  when: >\n\n    insn.is_load\n      and insn.is_store\n    and insn.nosuch\n", 14, 9, "nosuch" },
        { NO_WHEN "  when: >\n    insn.is_load\n\n      and insn.is_store\n\n\n      and insn.nosuch\n    or true\n", 16, 11, "nosuch" },
        { NO_WHEN "  when: >\r\n    insn.is_load\r\n    and insn.nosuch\r\n", 12, 9, "nosuch" },
        { NO_WHEN "  when: |\n    insn.is_load\n    and insn.nosuch\n", 12, 9, "nosuch" },
        { NO_WHEN "  when: |\n    insn.is_load\n\n      and insn.nosuch\n", 13, 11, "nosuch" },
        { NO_WHEN "  when: |2+\n      insn.is_load\n    and insn.nosuch\n\n", 12, 9, "nosuch" },
        { NO_WHEN "  when: |-\n\n    insn.is_load\n  \n    and insn.nosuch", 14, 9, "nosuch" },
        { NO_WHEN "  note_if: >\n    insn.is_load\n    and insn.nosuch\n  when: true\n", 12, 9, "nosuch" },
        { NO_MESSAGE "  message: \"`{insn.op}` and {insn.nosuch}\"\n", 10, 30, "nosuch" },
        { NO_MESSAGE "  message: \"\\u00e9\\U0001F600\xC3\xA9 {insn.nosuch}\"\n", 10, 33, "nosuch" },
        { NO_MESSAGE "  message: >\n    a load\n    of {insn.nosuch}\n", 12, 9, "nosuch" },
        { GOOD "  help: '{insn.nosuch}'\n", 11, 11, "nosuch" },
        { GOOD "  label: a {insn.nosuch}\n", 11, 13, "nosuch" },
        { GOOD "  gain: 1 + insn.nosuch\n", 11, 13, "nosuch" },
        { GOOD "  related: { at: insn.split_at, message: 'x {insn.nosuch}' }\n", 11, 46, "nosuch" },
    };
    check(cases, COUNT(cases));
}

/* ---- what is read ---------------------------------------------------------------------------- */

static const char full[] = "rules:\n"
                           "  - code: MIND202\n"
                           "    name: zeta-2\n"
                           "    severity: error\n"
                           "    preview: true\n"
                           "    on: access\n"
                           "    when: >\n"
                           "      insn.is_load\n"
                           "      and access.bytes >= threshold.bytes\n"
                           "    needs: bound\n"
                           "    note_if: loop.depth == 0\n"
                           "    fold: kernel\n"
                           "    message: >\n"
                           "      `{insn.op}` of {access.bytes}\n"
                           "      bytes\n"
                           "    label: here\n"
                           "    help: 'as {{ it }}: \"is\"'\n"
                           "    related: { at: access.earlier, message: the other }\n"
                           "    gain: 2\n"
                           "    thresholds:\n"
                           "      bytes: { value: 4 KiB, what: of a thread }\n"
                           "      share: { value: 25%, what: of time }\n"
                           "      depth: { value: -1.5e1, what: a number }\n"
                           "      threads: { value: 64 threads, what: of a block }\n"
                           "    summary: |\n"
                           "      A line.\n"
                           "    doc: |\n"
                           "      Two\n\n"
                           "      paragraphs?? \"\\\n"
                           "    examples:\n"
                           "      - title: one\n"
                           "        bad: |\n"
                           "          ld;\n"
                           "        good: st\n"
                           "        cuda_bad: a\n"
                           "        cuda_good: b\n"
                           "        launch: '{}'\n"
                           "        gpu: h200\n"
                           "      - good: x\n"
                           "    sources: [a, b]\n"
                           "  - { code: MIN101, name: alpha, severity: warning, on: kernel, when: "
                           "kernel.is_entry, message: m, summary: s, doc: d }\n"
                           "group: mine-own\n";

static void test_full(void **state)
{
    (void)state;
    ptxlint_rules *rules = new_rules();
    add_good(rules, full);
    const ptxlint_rule *r = ptxlint_rule_find(rules, "zeta-2");
    assert_non_null(r);
    assert_string_equal(r->code, "MIND202");
    assert_string_equal(r->group, "mine-own");
    assert_int_equal(r->severity, PTXLINT_ERROR);
    assert_int_equal(r->certainty, PTXLINT_BOUND);
    assert_string_equal(r->subject, "access");
    assert_true(r->is_preview);
    assert_false(r->is_front_end);
    assert_string_equal(r->condition, "insn.is_load and access.bytes >= threshold.bytes");
    assert_string_equal(r->summary, "A line.");
    assert_string_equal(r->doc, "Two\n\nparagraphs?? \"\\\n");
    assert_int_equal(r->example_count, 2);
    assert_string_equal(r->examples[0].title, "one");
    assert_string_equal(r->examples[0].bad, "ld;\n");
    assert_string_equal(r->examples[0].good, "st");
    assert_string_equal(r->examples[0].cuda_bad, "a");
    assert_string_equal(r->examples[0].cuda_good, "b");
    assert_string_equal(r->examples[0].launch, "{}");
    assert_string_equal(r->examples[0].gpu, "h200");
    assert_string_equal(r->examples[1].title, "");
    assert_null(r->examples[1].bad);
    assert_int_equal(r->source_count, 2);
    assert_string_equal(r->sources[1], "b");
    static const struct { const char *name, *unit; double value; } thresholds[] = {
        { "bytes", "bytes", 4096 }, { "share", "percent", 25 }, { "depth", "", -15 }, { "threads", "threads", 64 },
    };
    assert_int_equal(r->threshold_count, COUNT(thresholds));
    for (size_t i = 0; i < COUNT(thresholds); i++) {
        assert_string_equal(r->thresholds[i].name, thresholds[i].name);
        assert_string_equal(r->thresholds[i].unit, thresholds[i].unit);
        assert_true(r->thresholds[i].value == thresholds[i].value);
    }
    ptxlint_rules_free(rules);
}

/* What the engine sees, and only it. */
static void test_inside(void **state)
{
    (void)state;
    ptxlint_rules *rules = new_rules();
    add_good(rules, full);
    const RuleSet *set = ptx_rules_set(rules);
    assert_int_equal(set->rule_count, 2);
    const Rule *alpha = &set->rules[0], *zeta = &set->rules[1];
    assert_string_equal(alpha->info.name, "alpha");
    assert_int_equal(alpha->fold, FOLD_NONE);
    assert_int_equal(alpha->needs, CERTAINTY_ESTIMATE);
    assert_int_equal(alpha->related_at, FACT__COUNT);
    assert_int_equal(zeta->info.severity, SEVERITY_ERROR);
    assert_int_equal(zeta->subject, SUBJECT_ACCESS);
    assert_int_equal(zeta->fold, FOLD_KERNEL);
    assert_int_equal(zeta->related_at, FACT_ACCESS_earlier);
    assert_int_equal(set->thresholds[zeta->threshold_first].unit.of[UNIT_BYTES], 1);
    ptxlint_rules_free(rules);
}

/* Entries of the front end are views like the others; a user's file has none, for all codes are
 * taken. */
static void test_front_end(void **state)
{
    (void)state;
    const ptxlint_rule *r = ptxlint_rule_find(NULL, "lim104");
    assert_non_null(r);
    assert_string_equal(r->name, "liveness-limit");
    assert_string_equal(r->group, "limit");
    assert_string_equal(r->subject, "");
    assert_string_equal(r->condition, "");
    assert_int_equal(r->severity, PTXLINT_NOTE);
    assert_true(r->is_front_end);
}

/* ---- the public interface -------------------------------------------------------------------- */

static void test_order(void **state)
{
    (void)state;
    ptxlint_rules *rules = new_rules();
    add_good(rules, TOP "- code: MIN300\n  name: c\n" REST "- code: MIN100\n  name: a\n" REST);
    const ptxlint_rule *early = ptxlint_rule_find(rules, "MIN300"), *r;
    add_good(rules, TOP "- code: MIN200\n  name: b\n" REST);
    size_t count = 0, own = 0;
    const char *last = "";
    for (; (r = ptxlint_rule_at(rules, count)); count++) {
        uint32_t set, index;
        if (count == ptx_rules.rule_count)
            last = "";
        own += !strcmp(r->group, "mine");
        assert_true(strcmp(last, r->code) < 0);
        last = r->code;
        assert_true(ptx_rule_index(rules, r, &set, &index));
        assert_int_equal(set, count >= ptx_rules.rule_count);
        assert_int_equal(index, count - (set ? ptx_rules.rule_count : 0));
        assert_string_equal((set ? ptx_rules_set(rules) : &ptx_rules)->rules[index].info.code,
                            r->code);
    }
    assert_int_equal(own, 3);
    assert_int_equal(count, ptx_rules.rule_count + 3);
    uint32_t set, index;
    assert_string_equal(early->name, "c");              /* a view from before is still one */
    assert_true(ptx_rule_index(rules, early, &set, &index));
    assert_int_equal(index, 2);
    assert_false(ptx_rule_index(NULL, early, &set, &index));
    ptxlint_rules_free(rules);
}

/* Rules of the tree have all that a view promises. */
static void test_tree(void **state)
{
    (void)state;
    const ptxlint_rule *r;
    size_t count = 0;
    for (; (r = ptxlint_rule_at(NULL, count)); count++) {
        assert_ptr_equal(ptxlint_rule_find(NULL, r->code), r);
        assert_ptr_equal(ptxlint_rule_find(NULL, r->name), r);
        assert_true(*r->summary && *r->doc && *r->group);
        assert_true(r->is_front_end ? !*r->subject && !*r->condition
                                    : *r->subject && *r->condition);
        assert_int_equal(r->example_count, ptx_rules.rules[count].example_count);
        for (size_t i = 0; i < r->threshold_count; i++)
            assert_true(*r->thresholds[i].name && *r->thresholds[i].what);
        for (size_t i = 0; i < r->source_count; i++)
            assert_true(*r->sources[i]);
    }
    assert_true(count > 0);
    assert_int_equal(count, ptx_rules.rule_count);
}

/* ---- the tables that are compiled in --------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void compare_holes(const RuleSet *a, const RuleSet *b)
{
    for (uint32_t i = 0; i < a->hole_count; i++) {
        const Hole *x = &a->holes[i], *y = &b->holes[i];
        assert_true(same_text(x->text, y->text) && x->program.first == y->program.first
                    && x->program.count == y->program.count);
        assert_true(x->type == y->type && x->domain == y->domain && x->fact == y->fact
                    && !memcmp(&x->unit, &y->unit, sizeof x->unit));
    }
}

static void compare_parts(const RuleSet *a, const RuleSet *b)
{
    for (uint32_t i = 0; i < a->code_count; i++)
        assert_true(a->codes[i].kind == b->codes[i].kind && a->codes[i].count == b->codes[i].count
                    && a->codes[i].arg == b->codes[i].arg);
    for (uint32_t i = 0; i < a->constant_count; i++)
        assert_memory_equal(&a->constants[i], &b->constants[i], sizeof(double));
    for (uint32_t i = 0; i < a->pattern_count; i++)
        assert_memory_equal(&a->patterns[i], &b->patterns[i], sizeof(Pattern));
    for (uint32_t i = 0; i < a->modifier_count; i++)
        assert_int_equal(a->modifiers[i], b->modifiers[i]);
    for (uint32_t i = 0; i < a->quantifier_count; i++) {
        const Quantifier *x = &a->quantifiers[i], *y = &b->quantifiers[i];
        assert_true(x->predicate.first == y->predicate.first
                    && x->predicate.count == y->predicate.count);
        assert_true(x->over == y->over && x->in_loop == y->in_loop && x->level == y->level);
    }
    for (uint32_t i = 0; i < a->threshold_count; i++) {
        const Threshold *x = &a->thresholds[i], *y = &b->thresholds[i];
        assert_true(same_text(x->name, y->name) && same_text(x->what, y->what)
                    && x->value == y->value && !memcmp(&x->unit, &y->unit, sizeof x->unit));
    }
    for (uint32_t i = 0; i < a->source_count; i++)
        assert_string_equal(a->sources[i], b->sources[i]);
}

static void compare_rule(const RuleSet *a, const RuleSet *b, uint32_t i)
{
    const Rule *x = &a->rules[i], *y = &b->rules[i];
    assert_string_equal(x->info.code, y->info.code);
    assert_true(same_text(x->info.name, y->info.name) && same_text(x->info.group, y->info.group)
                && x->info.severity == y->info.severity);
    assert_true(same_text(x->summary, y->summary) && same_text(x->doc, y->doc)
                && same_text(x->condition, y->condition));
    assert_true(x->subject == y->subject && x->needs == y->needs && x->fold == y->fold
                && x->related_at == y->related_at);
    assert_true(x->is_preview == y->is_preview && x->is_front_end == y->is_front_end
                && x->removal == y->removal);
    assert_memory_equal(x->when, y->when, sizeof x->when);
    assert_memory_equal(&x->note_if, &y->note_if, 2 * sizeof(Program) + 4 * sizeof(Template));
    assert_memory_equal(&x->threshold_first, &y->threshold_first, 6 * sizeof(uint32_t));
    for (uint32_t e = x->example_first; e < x->example_first + x->example_count; e++) {
        const Example *m = &a->examples[e], *n = &b->examples[e];
        assert_true(same_text(m->title, n->title) && same_text(m->bad, n->bad)
                    && same_text(m->good, n->good) && same_text(m->launch, n->launch));
        assert_true(same_text(m->cuda_bad, n->cuda_bad) && same_text(m->cuda_good, n->cuda_good)
                    && same_text(m->gpu, n->gpu));
    }
}

/* The files of rules/, in the order that the build has them. */
static void load_tree(RuleBuilder *builder)
{
    Paths files = kit_walk("rules", ".yaml");
    for (size_t i = 0; i < files.count; i++) {
        RuleError error;
        size_t length;
        if (strstr(files.paths[i], "rules/gpus/") || strstr(files.paths[i], "rules/presets/"))
            continue;
        char *yaml = kit_read(files.paths[i], &length);
        if (!ptx_rules_load(builder, NULL, yaml, length, &error))
            fail_msg("%s:%u:%u: %s", files.paths[i], (unsigned)error.line, (unsigned)error.column,
                     error.text);
        free(yaml);
    }
    kit_free_paths(files);
    ptx_rules_finish(builder);
}

static void test_tables(void **state)
{
    (void)state;
    Arena arena;
    RuleBuilder builder;
    jmp_buf on_failure;
    ptx_arena_init(&arena, 64 << 20, &on_failure);
    if (setjmp(on_failure))
        fail_msg("no memory");
    ptx_rule_builder_init(&builder, &arena);
    load_tree(&builder);
    const RuleSet *a = &builder.set, *b = &ptx_rules;
    assert_memory_equal(&a->rule_count, &b->rule_count, 10 * sizeof(uint32_t));
    compare_parts(a, b);
    compare_holes(a, b);
    for (uint32_t i = 0; i < a->rule_count; i++)
        compare_rule(a, b, i);
    ptx_arena_free(&arena);
}

/* ---- finding --------------------------------------------------------------------------------- */

static void test_taken(void **state)
{
    (void)state;
    char error[512], yaml[512];
    ptxlint_rules *rules = new_rules();
    const ptxlint_rule *tree = ptxlint_rule_at(NULL, 0);
    for (int by_name = 0; by_name < 2; by_name++) {
        snprintf(yaml, sizeof yaml, TOP "- code: %s\n  name: %s\n" REST,
                 by_name ? "ZZZZ999" : tree->code, by_name ? tree->name : "zzzz");
        assert_int_equal(ptxlint_rules_add(rules, "f", yaml, strlen(yaml), error, sizeof error),
                         PTXLINT_BAD_FILE);
        assert_non_null(
            strstr(error, by_name ? "f:4:9: error: the name '" : "f:3:9: error: the code '"));
        assert_non_null(strstr(error, tree->is_front_end ? "taken" : "a rule of ptxlint"));
    }
    add_good(rules, GOOD);
    assert_int_equal(ptxlint_rules_add(rules, NULL, GOOD, strlen(GOOD), error, sizeof error),
                     PTXLINT_BAD_FILE);
    assert_string_equal(
        error,
        "-:3:9: error: the code 'MIN101' is taken by a rule of an earlier file: MIN101, my-rule");
    assert_int_equal(
        ptxlint_rules_add(rules, NULL, TOP SECOND HEAD REST, strlen(TOP SECOND HEAD REST), NULL, 0),
        PTXLINT_BAD_FILE);
    assert_null(ptxlint_rule_find(rules, "other"));     /* a bad file adds nothing */
    assert_non_null(ptxlint_rule_find(rules, "my-rule"));
    ptxlint_rules_free(rules);
}

static void test_find(void **state)
{
    (void)state;
    ptxlint_rules *rules = new_rules();
    add_good(rules, GOOD);
    static const char *const same[] = { "MIN101", "min101", "Min101", "my-rule", "MY-Rule" },
                             *const none[] = { "", "MIN10", "MIN1011", "my", "mine" };
    for (size_t i = 0; i < COUNT(same); i++)
        assert_non_null(ptxlint_rule_find(rules, same[i]));
    for (size_t i = 0; i < COUNT(none); i++)
        assert_null(ptxlint_rule_find(rules, none[i]));
    assert_null(ptxlint_rule_find(rules, NULL));
    assert_null(ptxlint_rule_find(NULL, "MIN101"));
    static const struct { const char *text, *near; } cases[] = {
        { "MIN110", "MIN101" }, { "min10", "MIN101" }, { "my-rul", "my-rule" }, { "MY-RULES", "my-rule" }, { "mien", "mine" }, { "", NULL },
        { "nothing-like-it-at-all", NULL }, { "x", NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *near = ptxlint_rule_suggest(rules, cases[i].text);
        if (cases[i].near ? !near || strcmp(near, cases[i].near) : near != NULL)
            fail_msg("'%s' suggests '%s', want '%s'", cases[i].text, near ? near : "-",
                     cases[i].near ? cases[i].near : "-");
    }
    assert_null(ptxlint_rule_suggest(rules, NULL));
    ptxlint_rules_free(rules);
}

static void test_arguments(void **state)
{
    (void)state;
    ptxlint_rules *rules = new_rules();
    assert_int_equal(ptxlint_rules_new(NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_rules_add(NULL, "f", "", 0, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_rules_add(rules, "f", NULL, 1, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_rules_add(rules, "f", NULL, 0, NULL, 0), PTXLINT_BAD_FILE);
    assert_null(ptx_rules_set(NULL));
    assert_int_equal(ptx_rules_set(rules)->rule_count, 0);
    assert_null(ptxlint_rule_at(rules, ptx_rules.rule_count));
    assert_int_equal(ptxlint_fact_at(0, NULL), 0);
    ptxlint_rules_free(rules);
    ptxlint_rules_free(NULL);
}

static void test_facts(void **state)
{
    (void)state;
    static const struct { const char *scope, *name, *type, *unit, *certainty; } rows[] = {
        { "module", "version", "number", "", "exact" },       { "kernel", "limiter", "word", "limiter", "" },
        { "kernel", "static_shared", "number", "bytes", "exact" }, { "insn", "op", "text", "", "exact" },
        { "insn", "is_load", "truth", "", "exact" },          { "access", "earlier", "place", "", "exact" },
        { "insn", "machine_instructions", "number", "instructions", "bound" }, { "gpu", "warps_per_sm", "number", "warps", "exact" },
        { "gpu", "sms", "number", "SMs", "exact" },           { "variable", "space", "word", "space", "exact" },
    };
    ptxlint_fact fact;
    for (size_t r = 0; r < COUNT(rows); r++) {
        size_t i = 0;
        while (ptxlint_fact_at(i, &fact)
               && (strcmp(fact.scope, rows[r].scope) || strcmp(fact.name, rows[r].name)))
            i++;
        if (!ptxlint_fact_at(i, &fact))
            fail_msg("there is no %s.%s", rows[r].scope, rows[r].name);
        if (strcmp(fact.type, rows[r].type) || strcmp(fact.unit, rows[r].unit)
            || strcmp(fact.certainty, rows[r].certainty) || !*fact.what)
            fail_msg("%s.%s: %s, '%s', '%s'", fact.scope, fact.name, fact.type, fact.unit,
                     fact.certainty);
    }
}

/* ---- hostile files --------------------------------------------------------------------------- */

/* At every limit of memory: all is read, or the arena's frame is reached; nothing leaks (a
 * sanitizer looks). */
static bool load_within(size_t limit)
{
    Arena arena;
    RuleBuilder builder;
    RuleError error;
    jmp_buf on_failure;
    ptx_arena_init(&arena, limit, &on_failure);
    if (setjmp(on_failure)) {
        ptx_arena_free(&arena);
        return false;
    }
    ptx_rule_builder_init(&builder, &arena);
    bool is_good = ptx_rules_load(&builder, NULL, full, sizeof full - 1, &error);
    ptx_rules_finish(&builder);
    ptx_arena_free(&arena);
    return is_good;
}

static void test_memory(void **state)
{
    (void)state;
    assert_false(load_within(0));
    assert_true(load_within(16 << 20));
    for (size_t limit = 1; limit < 1 << 20; limit *= 2)
        load_within(limit);
}

static void test_sizes(void **state)
{
    (void)state;
    char error[512];
    Text text = { 0 };
    ptxlint_rules *rules = new_rules();
    kit_print(&text, TOP);
    for (int i = 0; i < 900; i++)
        kit_print(&text, "- code: %c%c%03d\n  name: r-%d\n" REST, 'A' + i % 26, 'A' + i / 26 % 26,
                  i, i);
    add_good(rules, text.bytes);
    assert_int_equal(ptx_rules_set(rules)->rule_count, 900);
    assert_non_null(ptxlint_rule_find(rules, "r-899"));
    for (text.length = 0; text.length <= RULE_FILE_BYTES_MAX;)
        kit_print(&text, "# %0100d\n", 1);
    assert_int_equal(ptxlint_rules_add(rules, "f", text.bytes, text.length, error, sizeof error),
                     PTXLINT_BAD_FILE);
    assert_non_null(strstr(error, "f:1:1: error: longer than"));
    assert_int_equal(ptx_rules_set(rules)->rule_count, 900);
    static const char *const nests[] = { "[", "{", "- ", "? ", "a: {", "&a [", "'" };
    for (size_t n = 0; n < COUNT(nests); n++) {
        for (text.length = 0; text.length < 100000;)
            kit_print(&text, "%s", nests[n]);
        assert_int_equal(ptxlint_rules_add(rules, "f", text.bytes, text.length, NULL, 0),
                         PTXLINT_BAD_FILE);
    }
    free(text.bytes);
    ptxlint_rules_free(rules);
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Bytes of a good file exchanged, removed, doubled: refused with a place inside the file, or
 * read. */
static void mutate(Text *text, uint32_t *random)
{
    static const char bytes[] = " \n\r\t:-#'\"\\|>[]{}&*!%@?,aeiou0123\xC3\xA9";
    for (uint32_t n = 1 + next(random) % 4; n && text->length > 1; n--) {
        size_t at = next(random) % text->length, length = 1 + next(random) % 8;
        switch (next(random) % 3) {
        case 0:
            text->bytes[at] = bytes[next(random) % (sizeof bytes - 1)];
            break;
        case 1:
            if (at + length < text->length) {
                memmove(text->bytes + at, text->bytes + at + length, text->length - at - length);
                text->length -= length;
            }
            break;
        default:
            if (at + length < text->length)
                kit_put(text, text->bytes + at, length);
        }
    }
}

static void test_mutations(void **state)
{
    (void)state;
    uint32_t random = 1;
    unsigned good = 0;
    for (int i = 0; i < 4000; i++) {
        Text text = { 0 };
        char error[512] = "";
        ptxlint_rules *rules = new_rules();
        kit_put(&text, full, sizeof full - 1);
        mutate(&text, &random);
        unsigned lines = 1, line = 0, column = 0;
        for (size_t b = 0; b < text.length; b++)
            lines += text.bytes[b] == '\n' || text.bytes[b] == '\r';
        ptxlint_status status = ptxlint_rules_add(rules, "f", text.bytes, text.length, error,
                                                  sizeof error);
        good += status == PTXLINT_OK;
        if (status != PTXLINT_OK
            && (sscanf(error, "f:%u:%u: error: ", &line, &column) != 2 || !line || line > lines
                || !column || column > text.length + 1))
            fail_msg("round %d: '%s' of %u lines:\n%.*s", i, error, lines, (int)text.length,
                     text.bytes);
        free(text.bytes);
        ptxlint_rules_free(rules);
    }
    assert_true(good > 0);
}

/* An undefined byte that a compiler hands on is a note, one that is stored for others a warning. */
static void test_undefined_bytes(void **state)
{
    (void)state;
    static const struct { const char *store; ptxlint_severity severity; } cases[] = {
        { "st.global.u8 [%rd1], %rs1;", PTXLINT_WARNING }, { "st.local.u8 [room], %rs1;", PTXLINT_NOTE }, { "st.local.u16 [room], %rs1;", PTXLINT_WARNING },
        { "{ .param .b8 given; st.param.b8 [given], %rs1; }", PTXLINT_NOTE },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        size_t count;
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) "
                 "{\n.local .align 4 .b8 room[4]; .reg .b16 %%rs<2>; .reg .b64 %%rd<2>;\n"
                 "ld.param.u64 %%rd1, [out];\n%s\nret; }\n",
                 cases[i].store);
        ptxlint_module *module = kit_module(text);
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        size_t found = 0;
        for (size_t d = 0; d < count; d++)
            if (!strcmp(diags[d].rule, "COR101") && ++found)
                assert_int_equal(diags[d].severity, cases[i].severity);
        assert_int_equal(found, 1);
        ptxlint_module_free(module);
    }
}

UNIT(rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_front_end_errors),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_front_end),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_undefined_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
