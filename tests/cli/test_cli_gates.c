/* test_cli_gates.c -- the program where only some of what it finds counts: baselines, budgets,
 * diffs. */
#include "program.h"

/* ---- the files ------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(name, body)                                                                    \
    ".visible .entry " name                                                                   \
    "(.param .u64 out)\n.maxntid 128, 1, 1\n{\n\t.reg .b32 \t%r<9>;\n\t.reg .b64 \t%rd<2>;\n" \
    "\tld.param.u64 \t%rd1, [out];\n" body "\tst.global.u32 \t[%rd1], %r1;\n\tret;\n}\n"
#define UNSET "\tadd.s32 \t%r1, %r2, 1;\n"      /* %r2 is never written */
#define CLEAN "\tmov.u32 \t%r1, 1;\n"

static const File files[] = {
    { "dirty.ptx", HEAD KERNEL("first", UNSET) KERNEL("second", UNSET) },
    { "clean.ptx", HEAD KERNEL("first", CLEAN) KERNEL("second", CLEAN) },
    { "moved.ptx", HEAD "\n// moved\n" KERNEL("second", "\tadd.s32 \t%r1, %r7, 1;\n") KERNEL("first", UNSET) },
    { "more.ptx", HEAD KERNEL("first", UNSET "\txor.b32 \t%r4, %r1, %r5;\n\tst.global.u32 \t[%rd1], %r4;\n") KERNEL("third", UNSET) },
    { "broken.ptx", HEAD "nonsense\n" },
    { "bad.json", "{\"schema\": \"ptxlint-baseline/1\",\n\"findings\": [{]}" },
    { "none.json", "{\"schema\":\"ptxlint-baseline/1\",\"findings\":[]}\n" },
    { "bad.yaml", "budgets:\n- { kernel: \"first\",      register: 3 }\n" },
    { "gpu.yaml", "budgets:\n- { kernel: first, gpu: h2000 }\n" },
    { "roomy.yaml", "budgets:\n- { kernel: \"*\", instructions: 100000 }\n" },
    { "time.yaml", "budgets:\n- { kernel: \"*\", predicted_time_us: 3 }\n" },
    { "budgeted/.ptxlint.yaml", "budget: small.yaml\n" },
    { "budgeted/small.yaml", "budgets: [{kernel: 'f*', instructions: 4}]\n" },
    { "budgeted/k.ptx", HEAD KERNEL("first", CLEAN CLEAN) },
    { "tolerant/.ptxlint.yaml", "tolerances: { findings: 1 }\n" },
    { "tree/.ptxlint.yaml", "baseline: known.json\n" },
    { "tree/dirty.ptx", HEAD KERNEL("first", UNSET) },
};

static int setup(void **state)
{
    static const char *const folders[] = { "tree", "adopt", "budgeted", "tolerant", NULL };
    (void)state;
    return enter_folder(folders, files, sizeof files / sizeof *files);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

/* ---- a row a behaviour ----------------------------------------------------------------------- */

#define LINT "$PTXLINT --no-config --only correctness "
#define BASE "$PTXLINT baseline --no-config "

static const Case cases[] = {
    /* adoption in one command */
    { "cp dirty.ptx adopt; cd adopt; $PTXLINT --only correctness .", 1, "COR101", "", NULL },
    { "cd adopt; $PTXLINT baseline write .",           0, "ptxlint-baseline.json: 2 entries\n", "", NULL },
    { "cd adopt; $PTXLINT .",                          0, "", "", "COR101" },
    { "cd adopt; $PTXLINT --no-baseline .",            1, "COR101", "", NULL },
    { "cd adopt; $PTXLINT --no-config .",              1, "COR101", "", NULL },
    { "cd adopt; $PTXLINT --format sarif .",           0, "\"kind\":\"external\",\"justification\":\"in ptxlint-baseline.json\"", "", NULL },
    { "cd adopt; $PTXLINT --format json .",            0, "\"suppression\":{\"kind\":\"baseline\",\"reason\":\"in ptxlint-baseline.json\"}", "", NULL },
    { "cd adopt; $PTXLINT --format oneline .",         0, "", "", NULL },
    { "cd adopt; $PTXLINT --statistics --format jsonl --select COR101 .", 0, "\"count\": 0, \"suppressed\": 2", "", NULL },
    { "cd adopt; $PTXLINT report --format json .",     0, "\"suppression\":null", "", "baseline" },

    /* written, used, stale, pruned */
    { BASE "--baseline b.json write dirty.ptx",        0, "b.json: 2 entries\n", "", NULL },
    { LINT "--baseline b.json dirty.ptx",              0, "", "", NULL },
    { LINT "--baseline b.json moved.ptx",              0, "", "", NULL },
    { LINT "--baseline b.json more.ptx",               1, "1 warning", "", "second" },
    { LINT "--baseline b.json dirty.ptx moved.ptx dirty.ptx", 0, "", "", NULL },
    { LINT "--baseline b.json clean.ptx",              0, "", "b.json: 2 entries stand for more findings than there are; `ptxlint baseline prune", NULL },
    { LINT "--baseline b.json --ignore COR101 clean.ptx", 0, "", "", NULL },
    { "$PTXLINT --no-config --baseline b.json --only syntax clean.ptx", 0, "", "", NULL },
    { BASE "--baseline b.json prune dirty.ptx",        0, "b.json: 2 entries, 0 pruned\n", "", NULL },
    { BASE "--baseline b.json prune clean.ptx",        0, "b.json: 0 entries, 2 pruned\n", "", NULL },
    { LINT "--baseline b.json dirty.ptx",              1, "COR101", "", NULL },
    { "cmp b.json none.json",                          0, "", "", NULL },
    { BASE "--baseline b.json write broken.ptx",       0, "b.json: ", "", NULL },
    { "$PTXLINT --no-config --baseline b.json broken.ptx", 0, "", "", NULL },

    /* from the config */
    { "cd tree; $PTXLINT baseline write dirty.ptx",    0, "known.json: 1 entry\n", "", NULL },
    { "$PTXLINT tree",                                 0, "", "", NULL },
    { "$PTXLINT --baseline none.json tree",            1, "COR101", "", NULL },
    { "$PTXLINT config show tree",                     0, "known.json", "", NULL },
    { "$PTXLINT config show --format json tree",       0, "\"baseline\"", "", NULL },

    /* budgets */
    { "$PTXLINT budget init --no-config --gpu sm_80 --output b.yaml clean.ptx", 0, "", "", NULL },
    { "cat b.yaml",                                    0, "budgets:\n- kernel: \"first\"\n  gpu: \"sm_80\"\n", "", NULL },
    { "$PTXLINT --no-config --budget b.yaml clean.ptx", 0, NULL, "", "BUD" },
    { "$PTXLINT --no-config --budget b.yaml --kernel first clean.ptx", 0, NULL, "", "BUD" },
    { "$PTXLINT --no-config --budget b.yaml --only budget dirty.ptx", 1, "`first` on sm_80: findings 1, 1 over the budget of 0 (exact)", "", NULL },
    { "$PTXLINT --no-config --budget b.yaml --format github dirty.ptx", 1, "title=BUD101 over-budget::", "", NULL },
    { "$PTXLINT --no-config --budget b.yaml --format sarif dirty.ptx", 1, "\"ruleId\":\"BUD101\"", "", NULL },
    { "$PTXLINT --no-config --budget b.yaml --only budget more.ptx", 1, "`first` on sm_80: instructions 6, 2 over the budget of 4 (exact)",
      "b.yaml:13:3: not checked: `second` on sm_80: no kernel has this name", "third" },
    { "$PTXLINT --no-config --budget b.yaml --gpu h200 --only budget clean.ptx", 0, "", "b.yaml:2:3: not checked: `first` on sm_80: not asked for on this GPU", NULL },
    { "$PTXLINT --no-config --budget bad.yaml clean.ptx", 2, "", "bad.yaml:2:27: error: unknown key 'register'; did you mean 'registers'?", NULL },
    { "$PTXLINT --no-config --budget gpu.yaml clean.ptx", 2, "", "gpu.yaml:2:3: error: no GPU is called 'h2000'", NULL },
    { "$PTXLINT --no-config --budget time.yaml --only budget clean.ptx", 1, "BUD102", "", NULL },
    { "$PTXLINT --no-config --budget missing.yaml clean.ptx", 3, "", "missing.yaml: No such file", NULL },
    { "$PTXLINT --no-config --budget b.yaml --baseline none.json dirty.ptx", 1, "BUD101", "", NULL },
    { "cd budgeted; $PTXLINT --only budget k.ptx",     1, "= help: to accept it, write `instructions: 5` at small.yaml:1:40", "", NULL },
    { "$PTXLINT budget init",                          2, "", "budget: missing subcommand or PATH (init PATH...)", NULL },
    { "$PTXLINT budget init --slack 100 clean.ptx",    2, "", "--slack: '100' is not a whole number from 0 to 99", NULL },

    /* diffs */
    { "$PTXLINT diff --no-config clean.ptx clean.ptx", 0, "0 of 2 kernels regressed, 2 the same; findings: 0 new, 0 fixed\n", "", NULL },
    { "$PTXLINT diff --no-config clean.ptx dirty.ptx", 1, "new   warning[COR101]", "", NULL },
    { "$PTXLINT diff --no-config clean.ptx dirty.ptx", 1, "to accept it: ptxlint diff --no-config --tolerance findings=1 clean.ptx dirty.ptx\n", "", NULL },
    { "$PTXLINT diff --no-config --tolerance findings=1 clean.ptx dirty.ptx", 0, "0 of 2 kernels regressed", "", "to accept" },
    { "$PTXLINT diff --no-config dirty.ptx clean.ptx", 0, "fixed warning[COR101]", "", NULL },
    { "$PTXLINT diff --no-config --ignore COR101 clean.ptx dirty.ptx", 0, "0 new, 0 fixed", "", NULL },
    { "$PTXLINT diff --no-config clean.ptx tree",      1, "[DEL] second", "", NULL },
    { "$PTXLINT report --no-config --format json --output clean.json clean.ptx", 0, "", "", NULL },
    { "$PTXLINT diff --no-config clean.json clean.ptx", 0, "2 the same", "", NULL },
    { "$PTXLINT diff --no-config clean.json dirty.ptx", 1, "to accept it: ptxlint report --format json --output clean.json --no-config dirty.ptx\n", "", NULL },
    { "$PTXLINT report --no-config --format json --output clean.json --no-config dirty.ptx && $PTXLINT diff --no-config clean.json dirty.ptx", 0, "2 the same", "", NULL },
    { "$PTXLINT diff --no-config clean.json clean.json", 0, "2 the same", "", NULL },
    { "$PTXLINT diff --no-config --format markdown clean.ptx dirty.ptx", 1, "### ptxlint: 2 of 2 kernels regressed", "", NULL },
    { "$PTXLINT diff --no-config --format json clean.ptx dirty.ptx", 1, "{\"schema\":\"ptxlint-diff/1\"", "", NULL },
    { "$PTXLINT diff --no-config --format markdown=c.md --format json=c.json clean.ptx dirty.ptx && false || cat c.md", 0, "### ptxlint", "", NULL },
    { "cd tolerant; $PTXLINT diff ../clean.ptx ../dirty.ptx", 0, "0 of 2 kernels regressed", "", NULL },
    { "cd tolerant; $PTXLINT diff --tolerance findings=0 ../clean.ptx ../dirty.ptx", 1, "2 of 2 kernels regressed", "", NULL },
    { "$PTXLINT diff clean.ptx",                       2, "", "diff: OLD and NEW are missing", NULL },
    { "$PTXLINT diff a b c",                           2, "", "diff: OLD and NEW are missing", NULL },
    { "$PTXLINT diff none.json clean.ptx",             2, "", "none.json:1:1: error: no report", NULL },
    { "$PTXLINT diff missing.ptx clean.ptx",           3, "", "missing.ptx: No such file", NULL },
    { "$PTXLINT diff --tolerance register=5 clean.ptx clean.ptx", 2, "", "--tolerance: 'register=5' names no metric", NULL },
    { "$PTXLINT diff --format sarif clean.ptx clean.ptx", 2, "", "--format: 'sarif' is not one of", NULL },
    { "$PTXLINT diff --output no/where clean.ptx clean.ptx", 3, "", "no/where: No such file", NULL },

    /* mistakes */
    { "$PTXLINT baseline",                             2, "", "baseline: missing subcommand or PATH (write PATH..., prune PATH...)", NULL },
    { "$PTXLINT baseline write",                       2, "", "baseline: missing subcommand or PATH (write PATH..., prune PATH...)", NULL },
    { "$PTXLINT baseline keep dirty.ptx",              2, "", "baseline: 'keep' is not one of write, prune\n", NULL },
    { LINT "--baseline bad.json dirty.ptx",            2, "", "bad.json:2:", NULL },
    { LINT "--baseline missing.json dirty.ptx",        3, "", "missing.json: No such file", NULL },
    { BASE "--baseline missing.json prune dirty.ptx",  3, "", "missing.json: No such file", NULL },
    { BASE "--baseline no/where.json write dirty.ptx", 3, "", "no/where.json: No such file", NULL },
    { LINT "--baseline none.json --no-baseline dirty.ptx", 2, "", "--baseline and --no-baseline exclude each other", NULL },
    { BASE "--baseline b.json write nothing.ptx",      3, "", "nothing.ptx: No such file", NULL },
    { BASE "--baseline none.json prune nothing.ptx dirty.ptx", 3, "", "baseline: not written, because not all inputs could be read", NULL },
    { "$PTXLINT baseline --help",                      0, "prune PATH...", "", NULL },
};

static void test_cases(void **state)
{
    (void)state;
    check_cases(cases, sizeof cases / sizeof *cases);
}

/* The same bytes for any number of threads. */
static void test_jobs(void **state)
{
    (void)state;
    char *one = NULL;
    for (int jobs = 1; jobs <= 8; jobs *= 2) {
        char command[512];
        snprintf(command, sizeof command,
                 BASE "--jobs %d --baseline j.json write dirty.ptx clean.ptx more.ptx moved.ptx "
                      "broken.ptx tree && "
                      "{ $PTXLINT diff --no-config --jobs %d --format json . . ; $PTXLINT budget "
                      "init --no-config --jobs %d . ; } >> j.json",
                 jobs, jobs, jobs);
        Result result = run(command);
        assert_int_equal(result.status, 0);
        result_free(&result);
        char *got = read_file("j.json", NULL);
        if (one)
            assert_string_equal(got, one);
        free(one);
        one = got;
    }
    free(one);
}

/* Findings of a file that ran over the budget of a lint, of one that needs no launch, and of one
 * whose gains are predicted. */
#define LOOPS "'" PTXLINT_SOURCE_ROOT "/testdata/ptx/loops.sm_90.ptx'"
#define ROWS "'" PTXLINT_SOURCE_ROOT "/tests/golden/MEM202-rows.ptx'"
#define TRANSPOSE "--grid 64 --block 128 '" PTXLINT_SOURCE_ROOT "/testdata/ptx/transpose.sm_90.ptx'"

typedef struct Other {
    const char *command;        /* with the input for %s */
    bool has_exit_of_check;     /* else it is 0 */
} Other;

static void compare_findings(const json_t *alone, const char *command, int status)
{
    json_t *beside = run_json(command, status);
    if (!json_equal(json_object_get(alone, "diagnostics"), json_object_get(beside, "diagnostics")))
        fail_msg("%s: other findings than those of a check", command);
    json_decref(beside);
}

/* The findings of a check are those of a report, of a check with a budget, and those that a
 * baseline knows. */
static void test_one_set(void **state)
{
    (void)state;
    static const struct { const char *input; int status; } inputs[] = {
        { LOOPS, 0 }, { "--block 128 --grid 64 " LOOPS, 1 }, { ROWS, 0 }, { "--grid 8 " ROWS, 0 }, { TRANSPOSE, 1 },
    };
    static const Other others[] = {
        { "$PTXLINT report --no-config --format json %s", false },
        { "$PTXLINT report --no-config --gpu sm_90 --format csv=figures.csv --format json %s", false },
        { "$PTXLINT check --no-config --format json --budget roomy.yaml %s", true },
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char command[1024];
        snprintf(command, sizeof command, "$PTXLINT check --no-config --format json %s",
                 inputs[i].input);
        json_t *alone = run_json(command, inputs[i].status);
        assert_true(json_array_size(json_object_get(alone, "diagnostics")) > 0);
        for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
            snprintf(command, sizeof command, others[o].command, inputs[i].input);
            compare_findings(alone, command, others[o].has_exit_of_check ? inputs[i].status : 0);
        }
        json_decref(alone);
        snprintf(command, sizeof command,
                 "$PTXLINT baseline --no-config --baseline same.json write %s && $PTXLINT "
                 "--no-config --baseline same.json --budget roomy.yaml %s",
                 inputs[i].input, inputs[i].input);
        Result known = run(command);
        if (known.status || strstr(known.out, "warning[") || strstr(known.out, "note["))
            fail_msg("%s: %d %s%s", command, known.status, known.out, known.err);
        result_free(&known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, setup, teardown),
        cmocka_unit_test_setup_teardown(test_jobs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_set, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
