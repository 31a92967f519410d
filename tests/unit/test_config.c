/* test_config.c -- .ptxlint.yaml and single settings: what is wanted of each rule, and what is
 * wrong with a file. */
#include "config_rules.h"
#include "kit.h"

#include <math.h>

static ptxlint_config *new_config(void)
{
    ptxlint_config *config = test_config();
    assert_non_null(config);
    return config;
}

/* ---- files that are good --------------------------------------------------------------------- */

/* "COR101 THR102=error OCC103(32,50)": enabled rules that nothing locks (of the others, those that
 * are off), with a severity that is not the rule's, thresholds that differ. */
static void describe(const ptxlint_config *config, Text *out)
{
    static const char *const severities[] = { "", "note", "warning", "error" };
    kit_put(out, "", 0);
    for (RuleId id = 0; id < config->selectors->rule_count; id++) {
        const Rule *rule = config->selectors->rules[id];
        const ptxlint_rule view = { .code = rule->info.code };
        ptxlint_rule_state state;
        assert_int_equal(ptxlint_config_state(config, &view, &state), PTXLINT_OK);
        if (rule->is_locked ? state.is_enabled : !state.is_enabled)
            continue;
        kit_print(out, "%s%s", out->length ? " " : "", rule->info.code);
        if (state.severity != (int)rule->info.severity)
            kit_print(out, "=%s", severities[state.severity]);
        for (uint32_t t = 0; t < rule->threshold_count; t++)
            if (!(state.thresholds[t] == test_thresholds[t].value))
                kit_print(out, "(%s %g)", test_thresholds[t].name, state.thresholds[t]);
    }
}

#define DEFAULTS "COR101 COR102 LCH101 OCC103 SUP101 SUP102 THR101 THR102 THR110 USR101"

/* settings: "key value", one after the other, at most four. */
static const struct { const char *yaml, *settings[4], *want; } good[] = {
    { "", { 0 }, DEFAULTS },
    { "# nothing\n", { 0 }, DEFAULTS },
    { "---\n", { 0 }, DEFAULTS },
    { "{}", { 0 }, DEFAULTS },
    { "select: []\n", { 0 }, "" },
    { "select: [THR]\n", { 0 }, "THR101 THR102 THR110" },
    { "select: THR\n", { 0 }, "THR101 THR102 THR110" },
    { "select: [thr1, cor101]\n", { 0 }, "COR101 THR101 THR102 THR110" },
    { "select: [THR10]\n", { 0 }, "THR101 THR102" },
    { "select: [throughput]\n", { 0 }, "THR101 THR102 THR110" },
    { "select: [Full-Precision-In-Loop]\n", { 0 }, "THR102" },
    { "select: [all]\n", { 0 }, DEFAULTS },
    { "select: [SYN101, THR102]\n", { 0 }, "THR102" },
    { "select: [ours]\n", { 0 }, "USR101" },
    { "select:\n  - THR102   # one\n  - COR\n", { 0 }, "COR101 COR102 THR102" },
    /* previews */
    { "preview: true\nselect: [THR]\n", { 0 }, "THR101 THR102 THR103 THR110" },
    { "select: [THR103]\n", { 0 }, "THR103" },
    { "select: [narrow-access]\n", { 0 }, "THR103" },
    { "select: [THR10, ALL]\npreview: false\n", { 0 }, DEFAULTS },
    { "select: [THR]\nignore: [THR103]\npreview: true\n", { 0 }, "THR101 THR102 THR110" },
    { "preview: true\nselect: [THR]\n", { "preview false" }, "THR101 THR102 THR110" },
    { "select: [THR]\n", { "preview true" }, "THR101 THR102 THR103 THR110" },
    /* what is narrower wins; of equals ignore */
    { "ignore: [THR]\n", { 0 }, "COR101 COR102 LCH101 OCC103 SUP101 SUP102 USR101" },
    { "ignore: [ALL]\n", { 0 }, "" },
    { "select: [THR102]\nignore: [ALL]\n", { 0 }, "THR102" },
    { "select: [THR]\nignore: [THR10]\n", { 0 }, "THR110" },
    { "select: [THR10]\nignore: [THR]\n", { 0 }, "THR101 THR102" },
    { "select: [throughput]\nignore: [THR1]\n", { 0 }, "" },
    { "select: [THR1]\nignore: [throughput]\n", { 0 }, "THR101 THR102 THR110" },
    { "select: [THR]\nignore: [THR]\n", { 0 }, "" },
    { "select: [THR102]\nignore: [full-precision-in-loop]\n", { 0 }, "" },
    { "select: [THR, THR102]\nignore: [THR1]\n", { 0 }, "THR102" },
    { "ignore: [suppression]\n", { 0 }, "COR101 COR102 LCH101 OCC103 THR101 THR102 THR110 USR101" },
    { "ignore: [SUP101]\nselect: [SUP]\n", { 0 }, "SUP102" },
    /* settings over files */
    { "select: [THR]\n", { "select COR" }, "COR101 COR102" },
    { "select: [THR]\n", { "select COR101", "select lch,COR102" }, "COR101 COR102 LCH101" },
    { "ignore: [COR101]\n", { "ignore THR , LCH" }, "COR102 OCC103 SUP101 SUP102 USR101" },
    { "ignore: [COR101]\n", { "select COR" }, "COR102" },
    { "select: [THR]\n", { "ignore THR102" }, "THR101 THR110" },
    /* severity */
    { "select: [THR]\nseverity: { THR102: error }\n", { 0 }, "THR101 THR102=error THR110" },
    { "select: [THR]\nseverity: { THR: error, THR102: warning }\n", { 0 }, "THR101=error THR102=warning THR110=error" },
    { "select: [THR]\nseverity: { THR102: warning, throughput: error, ALL: note }\n", { 0 }, "THR101=error THR102=warning THR110=error" },
    { "select: [THR]\nseverity: { THR102: error }\n", { "severity THR=warning" }, "THR101=warning THR102=warning THR110" },
    { "select: [THR102]\nseverity: { THR102: error, full-precision-in-loop: warning }\n", { 0 }, "THR102=warning" },
    { "select: [THR102]\n", { "severity THR102=error", "severity THR102=warning" }, "THR102=warning" },
    { "select: [THR102]\nseverity: { THR102: 'error' }\n", { 0 }, "THR102=error" },
    /* thresholds */
    { "select: [OCC]\nthresholds: { OCC103.threads: 32 }\n", { 0 }, "OCC103(threads 32)" },
    { "select: [OCC]\nthresholds: { small-block.percent: -12.5, OCC103.threads: .5 }\n", { 0 }, "OCC103(threads 0.5)(percent -12.5)" },
    { "select: [OCC]\nthresholds: { OCC103.threads: 32 }\n", { "threshold occ103.threads=16,OCC103.percent=25" }, "OCC103(threads 16)(percent 25)" },
    { "select: [USR101]\nthresholds: { USR101.threads: 1 }\n", { 0 }, "USR101(threads 1)" },
    /* anchors */
    { "select: &a [THR102]\nignore: [COR]\nper-kernel-ignore: { k: *a }\n", { 0 }, "THR102" },
};

static void apply(ptxlint_config *config, const char *setting)
{
    char key[64] = "", error[400] = "";
    size_t length = strcspn(setting, " ");
    assert_true(length < sizeof key);
    memcpy(key, setting, length);
    if (ptxlint_config_set(config, key, setting + length + 1, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s: %s", setting, error);
}

static void test_good(void **state)
{
    (void)state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(good); i++) {
        ptxlint_config *config = new_config();
        Text got = { 0 };
        char error[400] = "";
        if (ptxlint_config_read(config, "c.yaml", good[i].yaml, strlen(good[i].yaml), error,
                                sizeof error)
            != PTXLINT_OK)
            fail_msg("%s: %s", good[i].yaml, error);
        for (size_t s = 0; s < 4 && good[i].settings[s]; s++)
            apply(config, good[i].settings[s]);
        describe(config, &got);
        if (strcmp(got.bytes, good[i].want))
            kit_print(&trouble, "%s-> %s\nwant %s\n\n", good[i].yaml, got.bytes, good[i].want);
        free(got.bytes);
        ptxlint_config_free(config);
    }
    if (trouble.length)
        fail_msg("%s", trouble.bytes);
}

static void test_two_files(void **state)
{
    (void)state;
    static const char first[] = "select: [COR]\ngpu: [h200]\n",
                      second[] =
                          "select: [THR102]\nignore: [COR101]\ngpu: [a100, b200]\nlaunch: l.json\n";
    ptxlint_config *config = new_config();
    Text got = { 0 };
    assert_int_equal(ptxlint_config_read(config, "a", first, strlen(first), NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_config_read(config, "b", second, strlen(second), NULL, 0), PTXLINT_OK);
    describe(config, &got);
    assert_string_equal(got.bytes, "COR102 THR102");
    assert_string_equal(ptxlint_config_value(config, "gpu", 0), "h200");
    assert_string_equal(ptxlint_config_value(config, "gpu", 1), "a100");
    assert_string_equal(ptxlint_config_value(config, "gpu", 2), "b200");
    assert_null(ptxlint_config_value(config, "gpu", 3));
    assert_string_equal(ptxlint_config_value(config, "launch", 0), "l.json");
    assert_null(ptxlint_config_value(config, "launch", 1));
    assert_null(ptxlint_config_value(config, "rules", 0));
    assert_null(ptxlint_config_value(config, "select", 0));
    free(got.bytes);
    ptxlint_config_free(config);
}

/* What is bad changes nothing, not even what stood before the mistake. */
static void test_atomic(void **state)
{
    (void)state;
    static const char bad[] =
        "select: [COR]\ngpu: [h200]\nseverity: { THR: error }\nignore: [NOPE99]\n";
    ptxlint_config *config = new_config();
    Text got = { 0 };
    assert_int_equal(ptxlint_config_read(config, "a", bad, strlen(bad), NULL, 0), PTXLINT_BAD_FILE);
    assert_int_equal(ptxlint_config_set(config, "select", "COR,NOPE99", NULL, 0), PTXLINT_BAD_FILE);
    assert_int_equal(
        ptxlint_config_set(config, "threshold", "OCC103.threads=32,OCC103.threads=x", NULL, 0),
        PTXLINT_BAD_FILE);
    describe(config, &got);
    assert_string_equal(got.bytes, DEFAULTS);
    assert_null(ptxlint_config_value(config, "gpu", 0));
    free(got.bytes);
    ptxlint_config_free(config);
}

/* ---- files that are not ---------------------------------------------------------------------- */

/* part: of the message, which begins with "c.yaml:LINE:COLUMN: error: ". */
static const struct { const char *yaml; unsigned line, column; const char *part; } bad[] = {
    { "selct: [THR]\n", 1, 1, "unknown key 'selct'; did you mean 'select'?" },
    { "\n\n  x: 1\n", 3, 3, "unknown key 'x'" },
    { "per-kernel-ignor: {}\n", 1, 1, "did you mean 'per-kernel-ignore'?" },
    { "<<: {}\n", 1, 1, "unknown key '<<'" },
    { "select: [THR]\nselect: [COR]\n", 2, 1, "'select' is given twice" },
    { "[THR]\n", 1, 1, "expected a mapping from keys to values" },
    { "THR\n", 1, 1, "expected a mapping from keys to values" },
    { "''\n", 1, 1, "expected a mapping from keys to values" },
    { "? [a]\n: b\n", 1, 3, "expected a key" },
    { "select:\n", 1, 8, "expected a list of rules, such as [THR, COR101]" },
    { "select: { THR: 1 }\n", 1, 9, "expected a list of rules" },
    { "select: [[THR]]\n", 1, 10, "expected a rule, a group, a prefix of codes or ALL" },
    { "select: [THR, '']\n", 1, 15, "expected a rule, a group" },
    { "select: [THR, THR102x]\n", 1, 15, "unknown rule 'THR102x'; did you mean 'THR102'?" },
    { "select: [THR999]\n", 1, 10, "unknown rule 'THR999'" },
    { "select: [TH]\n", 1, 10, "unknown rule 'TH'; did you mean 'THR'?" },
    { "select:\n  - THR\n  - full-precison-in-loop\n", 3, 5, "did you mean 'full-precision-in-loop'?" },
    { "select: [thruput]\n", 1, 10, "unknown rule 'thruput'" },
    { "select: [\"\\0\"]\n", 1, 10, "a text with a NUL" },
    { "ignore: [THR, throughputt]\n", 1, 15, "did you mean 'throughput'?" },
    { "ignore: [SYN101]\n", 1, 10, "'SYN101' comes from the front end or a limit, and cannot be ignored" },
    { "ignore: [syn]\n", 1, 10, "'syn' comes from the front end" },
    { "ignore: [THR, limit]\n", 1, 15, "'limit' comes from the front end" },
    { "ignore: [bad-byte]\n", 1, 10, "cannot be ignored" },
    { "preview: yes\n", 1, 10, "'yes' is neither true nor false" },
    { "preview:\n", 1, 9, "expected true or false" },
    { "preview: [true]\n", 1, 10, "expected true or false" },
    { "severity: warning\n", 1, 11, "expected a mapping from rules to severities" },
    { "severity: { THR102: warn }\n", 1, 21, "unknown severity 'warn'; did you mean 'warning'?" },
    { "severity: { THR102: off }\n", 1, 21, "unknown severity 'off'; it is error, warning or note" },
    { "severity: { THR102: Error }\n", 1, 21, "did you mean 'error'?" },
    { "severity: { THR102: [error] }\n", 1, 21, "expected error, warning or note" },
    { "severity: { THR102: }\n", 1, 21, "expected error, warning or note" },
    { "severity: { THR120: error }\n", 1, 13, "unknown rule 'THR120'; did you mean 'THR1" },
    { "severity:\n  THR102: error\n  THR102: note\n", 3, 3, "'THR102' is given twice" },
    { "severity: { SYN101: warning }\n", 1, 13, "'SYN101' comes from the front end or a limit, and cannot be made less severe" },
    { "severity: { syntax: note }\n", 1, 13, "cannot be made less severe" },
    { "thresholds: { OCC103: 32 }\n", 1, 15, "'OCC103' is not CODE.THRESHOLD, such as OCC103.threads" },
    { "thresholds: { OCC103.thread: 32 }\n", 1, 15, "'OCC103' has no threshold 'thread'; did you mean 'threads'?" },
    { "thresholds: { OCC103.warps: 32 }\n", 1, 15, "'OCC103' has no threshold 'warps'" },
    { "thresholds: { USR101.x: 32 }\n", 1, 15, "did you mean 'threads'?" },
    { "thresholds: { THR102.threads: 32 }\n", 1, 15, "'THR102' has no thresholds" },
    { "thresholds: { OCC.threads: 32 }\n", 1, 15, "'OCC' is not one rule" },
    { "thresholds: { OCX103.threads: 32 }\n", 1, 15, "unknown rule 'OCX103'; did you mean 'OCC103'?" },
    { "thresholds: { OCC103.threads: many }\n", 1, 31, "'many' is not a number of digits" },
    { "thresholds: { OCC103.threads: 32 threads }\n", 1, 31, "'32 threads' is not a number" },
    { "thresholds: { OCC103.threads: 1.2.3 }\n", 1, 31, "'1.2.3' is not a number" },
    { "thresholds: { OCC103.threads: 1e3 }\n", 1, 31, "is not a number" },
    { "thresholds: { OCC103.threads: nan }\n", 1, 31, "is not a number" },
    { "thresholds: { OCC103.threads: . }\n", 1, 31, "is not a number" },
    { "thresholds: { OCC103.threads: - }\n", 1, 0, "" },
    { "thresholds: { OCC103.threads: 11111111111111111111111111111111 }\n", 1, 31, "is not a number" },
    { "thresholds: { OCC103.threads: [1] }\n", 1, 31, "expected a number" },
    { "thresholds: 32\n", 1, 13, "expected a mapping from thresholds to numbers" },
    { "per-kernel-ignore: [THR]\n", 1, 20, "expected a mapping from patterns to lists of rules" },
    { "per-kernel-ignore: { \"k*\": }\n", 1, 0, "expected a list of rules" },
    { "per-kernel-ignore: { \"\": [THR] }\n", 1, 22, "expected a pattern, such as cutlass_*" },
    { "per-kernel-ignore: { \"k*\": [THX] }\n", 1, 29, "unknown rule 'THX'; did you mean 'THR'?" },
    { "per-kernel-ignore: { \"k*\": [SYN] }\n", 1, 29, "cannot be ignored" },
    { "per-kernel-ignore: { \"k*\": [THR], \"k*\": [COR] }\n", 1, 35, "'k*' is given twice" },
    { "per-kernel-ignore: { \"k[ab\": [THR] }\n", 1, 22, "'k[ab' has a '[' that is not closed" },
    { "per-source-ignore: { \"a.cu:0\": [THR] }\n", 1, 22, "'0' is not a line or a range of lines, such as 12 or 40-55" },
    { "per-source-ignore: { \"a.cu:5-\": [THR] }\n", 1, 22, "'5-' is not a line" },
    { "per-source-ignore: { \"a.cu:5-x\": [THR] }\n", 1, 22, "'5-x' is not a line" },
    { "per-source-ignore: { \"a.cu:5,6\": [THR] }\n", 1, 22, "'5,6' is not a line" },
    { "per-source-ignore: { \"a.cu:55-40\": [THR] }\n", 1, 22, "lines 55-40: the range ends before it begins" },
    { "per-source-ignore: { \"a.cu:99999999999\": [THR] }\n", 1, 22, "is not a line" },
    { "per-source-ignore: { \"a.cu:\": [THR] }\n", 1, 22, "is not a line" },
    { "per-source-ignore: { \":12\": [THR] }\n", 1, 22, "expected a pattern" },
    { "per-file-ignore: third_party\n", 1, 18, "expected a mapping from patterns" },
    { "per-file-ignore: { x/*: [THR, LIM103] }\n", 1, 31, "cannot be ignored" },
    { "exclude: { a: b }\n", 1, 10, "expected a list of patterns" },
    { "exclude: [a, [b]]\n", 1, 14, "expected a name or a path" },
    { "exclude: [a, '']\n", 1, 14, "expected a name or a path" },
    { "gpu:\n", 1, 5, "expected a list of GPUs" },
    { "launch: [a, b]\n", 1, 9, "expected the path of a launch file" },
    { "rules: {}\n", 1, 8, "expected a list of folders of rules" },
    { "select: [THR\nignore: [COR]\n", 2, 0, "" },
    { "select: *none\n", 1, 9, "undefined alias" },
    { "select: [THR]\n---\nignore: [THR]\n", 2, 1, "a second document; a file has one" },
    { "select: [THR]\n...\n]\n", 3, 1, "" },
    { "a\tb: [\n", 2, 0, "" },
    { "select: [THR]\n\"\xff\": 1\n", 2, 2, "UTF-8" },
    { "exclude: [\"\xc3\xa9\xc3\xa9\", '']\n", 1, 19, "expected a name or a path" },
    { "exclude: [a]\r\n\r\nignore: [X]\r\n", 3, 10, "unknown rule 'X'" },
    { "exclude: &a [*a]\n", 1, 14, "alias 'a' of what it is a part of" },
    { "severity: &a { THR102: *a }\n", 1, 24, "alias 'a' of what it is a part of" },
};

static void test_bad(void **state)
{
    (void)state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ptxlint_config *config = new_config();
        char error[400] = "", want[64];
        ptxlint_status status = ptxlint_config_read(config, "c.yaml", bad[i].yaml,
                                                    strlen(bad[i].yaml), error, sizeof error);
        snprintf(want, sizeof want,
                 bad[i].column ? "c.yaml:%u:%u: error: " : "c.yaml:%u:", bad[i].line,
                 bad[i].column);
        if (status != PTXLINT_BAD_FILE || strncmp(error, want, strlen(want))
            || !strstr(error, bad[i].part))
            kit_print(&trouble, "%s-> %s\nwant %s%s\n\n", bad[i].yaml, error, want, bad[i].part);
        ptxlint_config_free(config);
    }
    if (trouble.length)
        fail_msg("%s", trouble.bytes);
}

static const struct { const char *key, *value, *part; } bad_settings[] = {
    { "select", "", "expected a rule" },
    { "select", "THR,,COR", "expected a rule" },
    { "select", "THX", "did you mean 'THR'?" },
    { "ignore", "SYN", "cannot be ignored" },
    { "severity", "LCH101", "'LCH101' is not RULE=SEVERITY" },
    { "severity", "LCH101=", "unknown severity ''" },
    { "severity", "=error", "expected a rule" },
    { "severity", "LCH10=errr", "did you mean 'error'?" },
    { "severity", "SYN101=note", "less severe" },
    { "threshold", "OCC103.threads", "is not CODE.THRESHOLD=NUMBER" },
    { "threshold", "OCC103=3", "is not CODE.THRESHOLD, such as" },
    { "threshold", "OCC103.threads=", "is not a number" },
    { "preview", "1", "neither true nor false" },
    { "per-kernel-ignore", "k*", "'k*' is not PATTERN:RULES" },
    { "per-kernel-ignore", ":THR", "is not PATTERN:RULES" },
    { "per-kernel-ignore", "k:", "expected a rule" },
    { "per-kernel-ignore", "k:THR,SYN", "cannot be ignored" },
    { "per-source-ignore", "a.cu:9-3:THR", "ends before it begins" },
};

static void test_bad_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_settings); i++) {
        ptxlint_config *config = new_config();
        char error[400] = "";
        ptxlint_status status = ptxlint_config_set(config, bad_settings[i].key,
                                                   bad_settings[i].value, error, sizeof error);
        if (status != PTXLINT_BAD_FILE || !strstr(error, bad_settings[i].part))
            fail_msg("%s %s: %d %s", bad_settings[i].key, bad_settings[i].value, (int)status,
                     error);
        ptxlint_config_free(config);
    }
}

/* ---- the caller's mistakes, and hostile files ------------------------------------------------ */

static void test_arguments(void **state)
{
    (void)state;
    ptxlint_config *config = new_config();
    ptxlint_rule_state out;
    char error[200] = "", tiny[4];
    assert_int_equal(ptxlint_config_set(config, "colour", "red", error, sizeof error),
                     PTXLINT_BAD_ARGUMENT);
    assert_non_null(strstr(error, "'colour' is not one of select, ignore"));
    assert_int_equal(ptxlint_config_set(NULL, "select", "THR", NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_set(config, "select", NULL, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_read(config, NULL, "", 0, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_read(config, "c", NULL, 1, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_read(config, "c", NULL, 0, NULL, 0), PTXLINT_OK);
    assert_int_equal(ptxlint_config_read(config, "c", "x: 1", 4, tiny, sizeof tiny),
                     PTXLINT_BAD_FILE);
    assert_string_equal(tiny, "c:1");
    assert_int_equal(ptxlint_config_state(config, NULL, &out), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_state(config, &(ptxlint_rule){ .code = "NOPE99" }, &out),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_state(config, &(ptxlint_rule){ .code = "THR" }, &out),
                     PTXLINT_BAD_ARGUMENT);
    assert_null(ptxlint_config_value(NULL, "gpu", 0));
    ptxlint_config_free(config);
    ptxlint_config_free(NULL);
    assert_int_equal(ptxlint_config_new(NULL, NULL), PTXLINT_BAD_ARGUMENT);
}

/* The rules that are compiled in. */
static void test_public(void **state)
{
    (void)state;
    ptxlint_config *config;
    ptxlint_rule_state out;
    const ptxlint_rule *rule;
    assert_int_equal(ptxlint_config_new(NULL, &config), PTXLINT_OK);
    for (size_t i = 0; (rule = ptxlint_rule_at(NULL, i)); i++) {
        assert_int_equal(ptxlint_config_state(config, rule, &out), PTXLINT_OK);
        assert_int_equal(out.is_enabled, !rule->is_preview);
        assert_int_equal(out.severity, rule->severity);
        for (size_t t = 0; t < rule->threshold_count; t++)
            assert_true(out.thresholds[t] == rule->thresholds[t].value);
    }
    ptxlint_config_free(config);
}

static ptxlint_status read_text(const Text *text, char *error, size_t error_size)
{
    ptxlint_config *config = new_config();
    ptxlint_status status = ptxlint_config_read(config, "c", text->bytes, text->length, error,
                                                error_size);
    ptxlint_config_free(config);
    return status;
}

static int put_name(void *context, const char *bytes, size_t length)
{
    kit_print(context, "%s|", bytes);
    return strlen(bytes) != length || !strcmp(bytes, "stop");
}

/* The same reader as of the config: nesting ends where it says so, however long the file is. */
static void test_rules_named(void **state)
{
    static const struct {
        const char *yaml, *names;
        ptxlint_status status;
    } cases[] = {
        { "rules: [a, ../b]\nselect: [OWN101]", "a|../b|", PTXLINT_OK },
        { "gpu: h200\nrules: one", "one|", PTXLINT_OK },
        { "x: &l [a, b]\nrules: *l", "a|b|", PTXLINT_OK },
        { "rules: [{ a: b }, c]", "c|", PTXLINT_OK },
        { "x: { rules: a }", "", PTXLINT_OK },
        { "rules: [a", "", PTXLINT_OK },
        { "[rules]", "", PTXLINT_OK },
        { "", "", PTXLINT_OK },
        { "rules: [a, stop, b]", "a|stop|", PTXLINT_WRITE },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Text names = { 0 };
        ptxlint_status status = ptxlint_config_rules(cases[i].yaml, strlen(cases[i].yaml),
                                                     put_name, &names);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(names.length, strlen(cases[i].names));
        assert_memory_equal(names.length ? names.bytes : "", cases[i].names, names.length);
        free(names.bytes);
    }
    Text nested = { 0 }, names = { 0 };
    kit_print(&nested, "rules: ");
    for (int i = 0; i < 100000; i++)
        kit_put(&nested, "[", 1);
    assert_int_equal(ptxlint_config_rules(nested.bytes, nested.length, put_name, &names),
                     PTXLINT_OK);
    assert_int_equal(names.length, 0);
    assert_int_equal(ptxlint_config_rules(NULL, 1, put_name, &names), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_config_rules("", 0, NULL, &names), PTXLINT_BAD_ARGUMENT);
    free(nested.bytes);
}

static void test_hostile(void **state)
{
    (void)state;
    char error[400];
    Text text = { 0 };
    for (int i = 0; i < 60000; i++)         /* many keys */
        kit_print(&text, i ? ",\"k%d\":THR" : "per-kernel-ignore: {\"k%d\":THR", i);
    kit_print(&text, "}");
    assert_int_equal(read_text(&text, error, sizeof error), PTXLINT_OK);
    text.length = 0;
    kit_print(&text, "select: &a [THR");      /* aliases */
    for (int i = 0; i < 5000; i++)
        kit_print(&text, ",THR");
    kit_print(&text, "]\nper-kernel-ignore:\n");
    for (int i = 0; i < 5000; i++)
        kit_print(&text, "  k%d: *a\n", i);
    assert_int_equal(read_text(&text, error, sizeof error), PTXLINT_BAD_FILE);
    assert_non_null(strstr(error, "aliases make this longer than the file"));
    text.length = 0;
    for (int i = 0; i < 100000; i++)          /* nesting */
        kit_put(&text, "[", 1);
    assert_int_equal(read_text(&text, error, sizeof error), PTXLINT_BAD_FILE);
    assert_string_equal(error, "c:1:17: error: nested deeper than 16");
    while (text.length <= CONFIG_FILE_BYTES_MAX)
        kit_put(&text, "#######################\n", 24);
    assert_int_equal(read_text(&text, error, sizeof error), PTXLINT_BAD_FILE);
    assert_string_equal(error, "c:1:1: error: longer than 1048576 bytes");
    free(text.bytes);
}

UNIT(config)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),         cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_atomic),       cmocka_unit_test(test_bad),
        cmocka_unit_test(test_bad_settings), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_public),       cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_rules_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
