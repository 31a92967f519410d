/* The program and its rules: which findings are wanted, config files, a user's rules, the commands
 * that show them, and threads. */
#include "program.h"

/* ---- the files ------------------------------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(name)                                                                          \
    ".visible .entry " name                                                                   \
    "(.param .u64 out)\n.maxntid 128, 1, 1\n{\n\t.reg .b32 \t%r<2>;\n\t.reg .b64 \t%rd<2>;\n" \
    "\tld.param.u64 \t%rd1, [out];\n\tmov.u32 \t%r1, %tid.x;\n\tst.global.u32 \t[%rd1], "     \
    "%r1;\n\tret;\n}\n"

/* OWN101 fires on each entry, OWN102 is a preview, OWN103 has a threshold that no kernel
 * reaches. */
#define RULES                                                                                      \
    "group: own\nrules:\n"                                                                         \
    "  - code: OWN101\n    name: an-entry\n    severity: warning\n    on: kernel\n    when: "      \
    "kernel.is_entry\n"                                                                            \
    "    message: \"`{kernel.name}` is an entry\"\n    summary: A kernel is an entry.\n"           \
    "    doc: |\n      All *kernels* are.\n\n      ## When not\n\n      - never, as `far | wide` " \
    "as one looks, and this item is long enough to be filled\n"                                    \
    "        over two lines\n      - nowhere\n\n      1. at all\n\n      > so it is said\n"        \
    "    examples:\n      - title: The least\n        bad: |\n          .visible .entry k()\n    " \
    "      {\n              ret;\n          }\n"                                                   \
    "    sources:\n      - PTX ISA, \"Kernel and Function Directives\"\n"                          \
    "  - code: OWN102\n    name: on-trial\n    severity: note\n    preview: true\n    on: "        \
    "kernel\n    when: kernel.is_entry\n"                                                          \
    "    message: \"on trial\"\n    summary: On trial.\n    doc: Text.\n"                          \
    "  - code: OWN103\n    name: a-long-kernel\n    severity: error\n    on: kernel\n"             \
    "    when: kernel.instructions > threshold.size\n    message: \"long\"\n    summary: A long "  \
    "kernel.\n    doc: Text.\n"                                                                    \
    "    thresholds:\n      size: { value: 1000 instructions, what: \"more than this | it "        \
    "speaks\" }\n"

#define ESCAPE_RULES                                                                         \
    "group: odd\nrules:\n  - code: ODD101\n    name: odd-text\n    severity: note\n    on: " \
    "kernel\n    when: kernel.is_entry\n"                                                    \
    "    message: \"odd\"\n    summary: \"Odd \\e[31mtext\\a.\"\n    doc: Text.\n"

/* Of one kernel, whose band by the model begins above what is live at once. */
#define LEAST_RULES                                                                          \
    "group: least\nrules:\n  - code: LST101\n    name: least\n    severity: note\n    on: " \
    "kernel\n    when: kernel.registers_low > kernel.live_registers and "                    \
    "kernel.registers_least == kernel.live_registers\n"                                      \
    "    message: \"at least {kernel.registers_least}\"\n    summary: X.\n    doc: Text.\n"

static const File files[] = {
    { "least.yaml", LEAST_RULES },
    { "k.ptx", HEAD KERNEL("first") KERNEL("second") },
    { "lint/own.yaml", RULES },
    { "lint/notes.txt", "no rules\n" },
    { "odd.yaml", ESCAPE_RULES },
    { "bad.yaml", "group: bad\nrules:\n  - code: bad\n" },
    { "broken.ptx", HEAD "nonsense\n" },
    { "suppressed.ptx", HEAD "// ptxlint: ignore-file[OWN101] as it should be\n" KERNEL("quiet") },
    /* a tree with config files of its own */
    { ".git/HEAD", "ref: refs/heads/main\n" },
    { "tree/.ptxlint.yaml", "rules: [../lint]\nselect: [OWN101]\nexclude: [\"old/*\", skipped.ptx]\n" },
    { "tree/k.ptx", HEAD KERNEL("tree_k") },
    { "tree/skipped.ptx", HEAD KERNEL("tree_skipped") },
    { "tree/old/k.ptx", HEAD KERNEL("tree_old") },
    { "tree/deep/er/k.ptx", HEAD KERNEL("tree_deeper") },
    { "tree/inner/.ptxlint.yaml", "rules: [../../lint/own.yaml]\nignore: [an-entry]\n" },
    { "tree/inner/k.ptx", HEAD KERNEL("tree_inner") },
    { "gpu/.ptxlint.yaml", "gpu: [mine.yaml]\nlaunch: launches.json\n" },
    { "gpu/mine.yaml", "base: sm_80\nproduct: Mine\n" },
    { "gpu/launches.json", "{\"kernels\": {\"gpu_k\": {\"grid\": [7, 1, 1], \"block\": [64, 1, 1]}}}" },
    { "gpu/k.ptx", HEAD KERNEL("gpu_k") },
    { "wrong/.ptxlint.yaml", "select: [OWN999]\n" },
    { "wrong/k.ptx", HEAD KERNEL("wrong_k") },
    { "wrong-gpu/.ptxlint.yaml", "gpu: [h2000]\n" },
    { "wrong-gpu/k.ptx", HEAD KERNEL("wrong_gpu_k") },
    { "named.yaml", "rules: [lint]\nselect: [OWN103]\nthresholds: { OWN103.size: 2 }\n" },
    { "bin/ptxas", "#!/bin/sh\necho 'ptxas fatal   : no' >&2\nexit 255\n" },
};

static int setup(void **state)
{
    static const char *const folders[] = {
        ".git", "lint",  "tree",      "tree/old", "tree/deep", "tree/deep/er", "tree/inner", "gpu",
        "wrong", "wrong-gpu", "empty",    "new",       "bin",          NULL
    };
    (void)state;
    setenv("PTXLINT_DATA", PTXLINT_SOURCE_ROOT "/testdata/ptx", 1);
    return enter_folder(folders, files, sizeof files / sizeof *files) || chmod("bin/ptxas", 0777);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

/* ---- a row a behaviour ----------------------------------------------------------------------- */

#define OWN "$PTXLINT --no-config --rules lint --only own "

static const Case cases[] = {
    /* a user's rules */
    { OWN "k.ptx", 1, "warning[OWN101]: `first` is an entry", "", "OWN102" },
    { "$PTXLINT --rules lint/own.yaml --only own k.ptx", 1, "2 warnings in 2 of 2 kernels", "",
      NULL },
    { "$PTXLINT --rules least.yaml --select LST101 "
      "'" PTXLINT_SOURCE_ROOT "/testdata/ptx/gemm.sm_120.ptx'", 0,
      "note[LST101]: at least 23", "", NULL },
    { OWN "--rules odd.yaml k.ptx", 1, "OWN101", "", "ODD101" },
    { OWN "--rules odd.yaml --only odd k.ptx", 1, "ODD101", "", NULL },
    { "$PTXLINT --rules bad.yaml k.ptx", 2, "", "bad.yaml:3:", NULL },
    { "$PTXLINT --rules bad.yaml k.ptx", 2, "", ": error: ", NULL },
    { "$PTXLINT --rules none.yaml k.ptx", 3, "", "ptxlint: none.yaml: No such file", NULL },
    { "$PTXLINT --rules empty k.ptx", 2, "", "ptxlint: empty: holds no .yaml file", NULL },
    { OWN "--rules lint/own.yaml --rules ./lint k.ptx", 1, "OWN101", "", NULL },

    /* which findings are wanted */
    { OWN "--select OWN101 k.ptx", 1, "OWN101", "", NULL },
    { OWN "--select OWN103 k.ptx", 0, "", "", NULL },
    { OWN "--select own k.ptx", 1, "OWN101", "", NULL },
    { OWN "--select OWN102 k.ptx", 0, "OWN102", "", "OWN101" },
    { OWN "--select OWN102 --select OWN101 k.ptx", 1, "OWN102", "", NULL },
    { OWN "--select OWN102,an-entry k.ptx", 1, "OWN101", "", NULL },
    { OWN "--ignore OWN101 k.ptx", 0, "", "", NULL },
    { OWN "--ignore an-entry k.ptx", 0, "", "", NULL },
    { OWN "--ignore own --preview k.ptx", 0, "", "", NULL },
    { OWN "--preview k.ptx", 1, "note[OWN102]", "", NULL },
    { OWN "--severity OWN101=note k.ptx", 0, "note[OWN101]", "", NULL },
    { OWN "--severity OWN101=error k.ptx", 1, "error[OWN101]", "", NULL },
    { OWN "--severity OWN101=note --severity OWN102=warning --preview k.ptx", 1, "warning[OWN102]",
      "", NULL },
    { OWN "--threshold OWN103.size=2 k.ptx", 1, "error[OWN103]", "", NULL },
    { OWN "--per-kernel-ignore 'f*:OWN101' k.ptx", 1, "`second`", "", "`first`" },
    { OWN "--per-kernel-ignore '*:own' k.ptx", 0, NULL, "", "OWN101" },
    { OWN "--kernel second k.ptx", 1, "`second`", "", "`first`" },
    { OWN "suppressed.ptx", 0, NULL, "", "OWN101" },

    /* mistakes, with what was meant */
    { "$PTXLINT --rules lint --select OWN109 k.ptx", 2, "",
      "ptxlint: --select: unknown rule 'OWN109'; did you mean 'OWN10", NULL },
    { "$PTXLINT --ignore qqqqqqqq k.ptx", 2, "",
      "ptxlint: --ignore: unknown rule 'qqqqqqqq'; `ptxlint rules` lists them all\n", NULL },
    { "$PTXLINT --rules lint --severity OWN101=loud k.ptx", 2, "", "ptxlint: --severity: ", NULL },
    { "$PTXLINT --severity OWN101 k.ptx", 2, "", "ptxlint: --severity: ", NULL },
    { "$PTXLINT --rules lint --threshold OWN103.siz=2 k.ptx", 2, "",
      "ptxlint: --threshold: ", NULL },
    { "$PTXLINT --rules lint --threshold OWN103.size=x k.ptx", 2, "",
      "ptxlint: --threshold: ", NULL },
    { "$PTXLINT --per-kernel-ignore own k.ptx", 2, "", "ptxlint: --per-kernel-ignore: ", NULL },
    { "$PTXLINT --rules lint --only owm k.ptx", 2, "",
      "--only: 'owm' is not a group of rules; did you mean own?", NULL },
    { "$PTXLINT --rules lint --only OWN101 k.ptx", 2, "", "--select takes single ones, as OWN101",
      NULL },
    { "$PTXLINT --only syntax, k.ptx", 2, "", "--only: a group is missing", NULL },
    { "$PTXLINT --config named.yaml --no-config k.ptx", 2, "",
      "--config and --no-config exclude each other", NULL },
    { "$PTXLINT --jobs x k.ptx", 2, "", "--jobs: 'x' is not a whole number from 0 to 256", NULL },
    { "$PTXLINT --jobs 1000 k.ptx", 2, "", "--jobs: '1000' is not", NULL },
    { "$PTXLINT --jobs -1 k.ptx", 2, "", "--jobs: '-1' is not", NULL },
    { "$PTXLINT --format sarif --statistics k.ptx", 2, "", "--statistics needs", NULL },
    { "$PTXLINT --format markdown k.ptx", 0, "**ptxlint:** nothing found\n", "", NULL },

    /* config files */
    { "$PTXLINT --only own tree", 1, "`tree_k`", "", "tree_inner" },
    { "$PTXLINT --only own tree", 1, "`tree_deeper`", "", "tree_old" },
    { "$PTXLINT --only own tree", 1, "2 warnings in 2 of 3 kernels", "", "tree_skipped" },
    { "$PTXLINT --only own tree/skipped.ptx", 1, "`tree_skipped`", "", NULL },
    { "$PTXLINT --only own 'tree/*.ptx'", 1, "`tree_skipped`", "", NULL },
    { "$PTXLINT --only own tree/old", 2, "",
      "tree/old: holds no .ptx file that the config does not exclude", NULL },
    { "$PTXLINT --only own tree/old/k.ptx", 1, "`tree_old`", "", NULL },
    { "cd tree/deep/er && $PTXLINT --only own k.ptx", 1, "`tree_deeper`", "", NULL },
    { "cd tree/deep && $PTXLINT --only own - <er/k.ptx", 1, "--> -:", "", NULL },
    { "$PTXLINT --no-config --rules lint --only own tree", 1, "`tree_old`", "", NULL },
    { "$PTXLINT --only own --ignore OWN101 tree", 0, "", "", NULL },
    { "$PTXLINT --only own --select OWN102 tree/k.ptx", 0, "OWN102", "", "OWN101" },
    { "$PTXLINT --only own --config named.yaml tree/k.ptx", 1, "error[OWN103]", "", "OWN101" },
    { "$PTXLINT --only own --config named.yaml --threshold OWN103.size=100 tree/k.ptx", 0, "", "",
      NULL },
    { "$PTXLINT --config none.yaml k.ptx", 2, "", "ptxlint: none.yaml: No such file", NULL },
    { "$PTXLINT wrong/k.ptx", 2, "", "wrong/.ptxlint.yaml:1:10: error: ", NULL },
    { "$PTXLINT wrong k.ptx 2>&1 | grep -c wrong/.ptxlint.yaml", 0, "1\n", "", NULL },
    { "$PTXLINT --no-config --only syntax wrong/k.ptx", 0, "", "", NULL },
    { "$PTXLINT wrong-gpu", 2, "", "unknown GPU 'h2000'; did you mean h200?", NULL },
    { "$PTXLINT wrong-gpu", 2, "", "wrong-gpu/.ptxlint.yaml: ", NULL },
    { "$PTXLINT report --gpu h200 --csv wrong-gpu", 0, ",h200,", "", NULL },
    { "$PTXLINT report gpu", 0, "grid 7 x 1 x 1, block 64 x 1 x 1", "", NULL },
    { "$PTXLINT report gpu", 0, "mine", "", NULL },
    { "$PTXLINT report --block 96 gpu", 0, "grid 7 x 1 x 1, block 96 x 1 x 1", "", NULL },
    { "$PTXLINT report --gpu h200 --csv gpu", 0, ",h200,", "", "mine" },
    { "cd gpu && $PTXLINT report --csv k.ptx", 0, ",mine,", "", NULL },

    /* ptxlint config */
    { "$PTXLINT config", 2, "", "(show, files, init)", NULL },
    { "$PTXLINT config shaw", 2, "", "config: 'shaw' is not one of show, files, init", NULL },
    { "$PTXLINT config show a b", 2, "", "b: config takes one path", NULL },
    { "$PTXLINT config files tree/deep/er/k.ptx", 0, "tree/.ptxlint.yaml\n", "", NULL },
    { "$PTXLINT config files tree/inner", 0, "tree/inner/.ptxlint.yaml\n", "", NULL },
    { "$PTXLINT config files --no-config tree", 0, "", "", NULL },
    { "$PTXLINT config files --config named.yaml tree", 0, "named.yaml\n", "", NULL },
    { "$PTXLINT config files --format json tree", 0, "\"tree/.ptxlint.yaml\"", "", NULL },
    { "$PTXLINT config show tree/inner", 0, "OWN101  an-entry: off\n", "", NULL },
    { "$PTXLINT config show tree", 0, "exclude  old/*, skipped.ptx\n", "", NULL },
    { "$PTXLINT config show --config named.yaml", 0,
      "OWN103  a-long-kernel: on, size = 2 instead of 1000\n", "", NULL },
    { "$PTXLINT config show --no-config --rules lint --severity OWN101=error --preview", 0,
      "OWN101  an-entry: on, error instead of warning\n", "", NULL },
    { "$PTXLINT config show --no-config", 0, "config   none\n", "", "changed" },
    { "$PTXLINT config show wrong", 2, "", "wrong/.ptxlint.yaml:1:10: error: ", NULL },
    { "$PTXLINT config init new", 0, "new/.ptxlint.yaml\n", "", NULL },
    { "$PTXLINT config init new", 2, "", "new/.ptxlint.yaml: is there already", NULL },
    { "$PTXLINT config show new", 0, "config   new/.ptxlint.yaml\n", "", "changed" },
    { "sed -i 's/^#//; s/THR102/COR101/; /CODE.name/d; /correctness/d; /lint-rules/d; /launches/d' "
      "new/.ptxlint.yaml; "
      "sed -n '/^[a-z-]*:/p' new/.ptxlint.yaml >uncommented.yaml; $PTXLINT config show --config "
      "uncommented.yaml",
      0, "gpu      h200\n", "", NULL },
    { "$PTXLINT config init none", 3, "", "none/.ptxlint.yaml: No such file", NULL },

    /* ptxlint explain */
    { "$PTXLINT explain", 2, "", "explain: missing RULE", NULL },
    { "$PTXLINT explain --no-config --rules lint OWN101", 0,
      "OWN101 an-entry\n\nA kernel is an entry.\n\ngroup          own\nseverity       warning\n",
      "", "\033" },
    { "$PTXLINT explain --rules lint own101", 0,
      "\n- never, as `far | wide` as one looks, and this item is long enough to be filled\n  over "
      "two lines\n- nowhere\n",
      "", "##" },
    { "$PTXLINT explain --rules lint OWN101", 0, "\n1. at all\n", "", NULL },
    { "$PTXLINT explain --rules lint OWN101", 0, "\n| so it is said\n", "", NULL },
    { "$PTXLINT explain --rules lint OWN101", 0,
      "\nPTX with a finding:\n\n    .visible .entry k()\n    {\n        ret;\n    }\n", "", NULL },
    { "$PTXLINT explain --rules lint OWN101", 0, "`// ptxlint: ignore-file[OWN101] reason`", "",
      NULL },
    { "$PTXLINT explain --rules lint OWN101", 0, "- PTX ISA, \"Kernel and Function Directives\"\n",
      "", NULL },
    { "$PTXLINT explain --rules lint a-long-kernel", 0,
      "\n`size`  1000 instructions  more than this | it speaks\n", "", NULL },
    { "$PTXLINT explain --rules lint OWN102", 0, "on by default  no: a preview rule", "", NULL },
    { "$PTXLINT explain --rules lint OWN101 OWN102", 0, "\nOWN102 on-trial\n", "", NULL },
    { "$PTXLINT explain --color always --rules lint OWN101", 0, "\033[1;4mOWN101 an-entry\033[0m",
      "", NULL },
    { "$PTXLINT explain --color always --rules lint OWN101", 0, "\033[3mkernels\033[23m", "",
      "*kernels*" },
    { "$PTXLINT explain --rules odd.yaml ODD101", 0, "Odd <1b>[31mtext<07>.", "", "\033" },
    { "$PTXLINT explain --rules lint --format markdown OWN101", 0,
      "# OWN101 an-entry\n\nA kernel is an entry.\n", "", NULL },
    { "$PTXLINT explain --rules lint --format markdown OWN103", 0,
      "| `size` | 1000 instructions | more than this \\| it speaks |", "", NULL },
    { "$PTXLINT explain --rules lint OWN10", 2, "", "unknown rule 'OWN10'; did you mean OWN10",
      NULL },
    { "$PTXLINT explain --rules lint OWN109 OWN101", 2, "OWN101 an-entry", "unknown rule 'OWN109'",
      NULL },
    { "$PTXLINT explain --format csv THR102", 2, "", "'csv' is not one of text, json, markdown",
      NULL },
    { "$PTXLINT explain --rules lint --output told.txt OWN101; cat told.txt", 0, "OWN101 an-entry",
      "", NULL },
    { "cd tree && $PTXLINT explain OWN101", 0, "OWN101 an-entry", "", NULL },

    /* ptxlint rules */
    { "$PTXLINT rules --no-config", 0, "THR102", "", "OWN101" },
    { "$PTXLINT rules --rules lint", 0, "OWN101   an-entry", "", NULL },
    { "$PTXLINT rules --rules lint --select own", 0, "(preview) On trial.\n", "", "THR102" },
    { "$PTXLINT rules --rules lint --select OWN101,a-long-kernel", 0, "OWN103", "", "OWN102" },
    { "$PTXLINT rules --rules lint --format markdown --select own", 0,
      "\n## own\n\n| code | name |", "", "THR102" },
    { "$PTXLINT rules --rules lint --format markdown", 0,
      "| [OWN101](OWN101.md) | an-entry | warning | estimate | A kernel is an entry. |\n", "",
      NULL },
    { "$PTXLINT rules --select owm", 2, "", "--select: unknown rule 'owm'", NULL },
    { "$PTXLINT rules OWN101", 2, "", "rules takes no further words", NULL },
    { "$PTXLINT rules --facts", 0, "\nkernel.is_entry ", "", NULL },
    { "$PTXLINT rules --facts --format markdown", 0, "\n## kernel\n\n| fact | type |", "", NULL },

    /* counts and times */
    { OWN "--statistics k.ptx", 1, "       2           0  warning   OWN101 an-entry\n", "", NULL },
    { OWN "--statistics suppressed.ptx", 0, "       0           1  -         OWN101 an-entry\n", "",
      NULL },
    { OWN "--statistics --kernel first k.ptx", 1,
      "       1           0  warning   OWN101 an-entry\n", "", NULL },
    { OWN "--statistics --format jsonl k.ptx | tail -n 1", 0,
      "{\"rule\": \"OWN101\", \"name\": \"an-entry\", \"severity\": \"warning\", \"count\": 2, "
      "\"suppressed\": 0}\n",
      "", NULL },
    { OWN "--profile --jobs 2 --ignore OWN k.ptx k.ptx", 0, "", "stage ", NULL },

    /* formats */
    { OWN "--format jsonl k.ptx | wc -l", 0, "2\n", "", NULL },
    { OWN "--format github k.ptx", 1, "::warning file=k.ptx,line=4,", "", NULL },
    { OWN "--format sarif k.ptx", 1, "\"2.1.0\"", "", NULL },

    /* threads: their complaints are reported in order */
    { "$PTXLINT --jobs 8 --quiet --only syntax none1.ptx broken.ptx none2.ptx k.ptx none3.ptx 2>&1 "
      ">/dev/null | tr -d '\\n'",
      0,
      "ptxlint: none1.ptx: No such file or directoryptxlint: none2.ptx: No such file or "
      "directoryptxlint: none3.ptx: No such file or directory",
      "", NULL },
    { "$PTXLINT report --jobs 8 --ptxas=bin/ptxas k.ptx gpu/k.ptx tree/k.ptx 2>&1 >/dev/null | cut "
      "-d: -f2 | tr -d '\\n'",
      0, " k.ptx gpu/k.ptx tree/k.ptx", "", NULL },
    { "cat k.ptx | $PTXLINT --jobs 8 --format oneline --only syntax - - -", 1, "-:1:1: error: ", "",
      "k.ptx" },
    { OWN "--jobs 0 k.ptx", 1, "OWN101", "", NULL },
};

static void test_cases(void **state)
{
    (void)state;
    check_cases(cases, sizeof cases / sizeof *cases);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void test_rules_json(void **state)
{
    json_t *root = run_json("$PTXLINT rules --no-config --rules lint --select own --format json",
                            0),
           *all = json_object_get(root, "rules");
    (void)state;
    assert_string_equal(text_at(root, "schema"), "ptxlint-rules/1");
    assert_int_equal(json_array_size(all), 3);
    assert_string_equal(text_at(json_array_get(all, 0), "code"), "OWN101");
    assert_string_equal(text_at(json_array_get(all, 0), "condition"), "kernel.is_entry");
    assert_true(json_is_true(json_object_get(json_array_get(all, 1), "preview")));
    json_t *threshold = json_array_get(json_object_get(json_array_get(all, 2), "thresholds"), 0);
    assert_int_equal(json_number_value(json_object_get(threshold, "value")), 1000);
    assert_string_equal(
        text_at(json_array_get(json_object_get(json_array_get(all, 0), "examples"), 0), "title"),
        "The least");
    json_decref(root);
    root = run_json("$PTXLINT explain --no-config --rules lint --format json OWN103", 0);
    assert_string_equal(text_at(json_array_get(json_object_get(root, "rules"), 0), "name"),
                        "a-long-kernel");
    json_decref(root);
    root = run_json("$PTXLINT rules --facts --format json", 0);
    assert_true(json_array_size(json_object_get(root, "facts")) > 50);
    json_decref(root);
}

static void test_config_json(void **state)
{
    json_t *root = run_json("$PTXLINT config show --format json tree/inner", 0), *rule;
    size_t i, changed = 0;
    (void)state;
    assert_string_equal(text_at(root, "config"), "tree/inner/.ptxlint.yaml");
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "rules_from"), 0)),
                        "../../lint/own.yaml");
    json_array_foreach(json_object_get(root, "rules"), i, rule) {
        changed += json_is_true(json_object_get(rule, "changed"));
        if (!strcmp(text_at(rule, "code"), "OWN101"))
            assert_true(json_is_false(json_object_get(rule, "enabled")));
    }
    assert_int_equal(changed, 1);
    json_decref(root);
}

static void test_statistics_json(void **state)
{
    json_t *root = run_json(OWN "--statistics --format json k.ptx suppressed.ptx", 1),
           *all = json_object_get(root, "statistics");
    (void)state;
    assert_string_equal(text_at(root, "schema"), "ptxlint-statistics/1");
    assert_int_equal(json_array_size(all), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(all, 0), "count")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(all, 0), "suppressed")), 1);
    json_decref(root);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* All of testdata/ptx and two files that are not there, before and behind. */
static void expect_equal(const char *options)
{
    char one[512], eight[512];
    snprintf(one, sizeof one, "$PTXLINT %s --jobs 1 none.ptx $PTXLINT_DATA none-either.ptx",
             options);
    snprintf(eight, sizeof eight, "$PTXLINT %s --jobs 8 none.ptx $PTXLINT_DATA none-either.ptx",
             options);
    Result a = run(one), b = run(eight);
    assert_int_equal(a.status, 3);
    assert_int_equal(b.status, 3);
    assert_true(a.out_length > 1000);
    assert_int_equal(a.out_length, b.out_length);
    assert_memory_equal(a.out, b.out, a.out_length);
    assert_string_equal(a.err, b.err);
    result_free(&a);
    result_free(&b);
}

static void test_jobs_are_equal(void **state)
{
    static const char *const options[] = { "--format text", "--format json", "--format sarif",
                                           "--format oneline --statistics",
                                           "report --format json" };
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        expect_equal(options[i]);
}

/* A reader that has gone ends threads that are in the middle of something. */
static void test_closed_pipe(void **state)
{
    Result result = run("$PTXLINT --jobs 8 --format jsonl $PTXLINT_DATA | head -n 1");
    (void)state;
    assert_int_equal(result.status, 0);
    assert_string_equal(result.err, "");
    result_free(&result);
}

/* ---- progress -------------------------------------------------------------------------------- */

/* A terminal for stderr: what stands there after a run that takes longer than a second. */
static char *told_on_terminal(const char *command)
{
    static char text[8192];
    size_t length = 0;
    ssize_t got;
    int status, terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal) | unlockpt(terminal), 0);
    int err = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    pid_t pid = fork();
    assert_true(err >= 0 && pid >= 0);
    if (pid == 0) {
        int out = open("/dev/null", O_WRONLY);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(err);
    while (length < sizeof text - 1
           && (got = read(terminal, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(terminal);
    text[length] = 0;
    return text;
}

static void test_progress(void **state)
{
    (void)state;
    char *text = told_on_terminal(
        "mkfifo slow.ptx; timeout 60 sh -c 'sleep 1.2; cat k.ptx >slow.ptx' & $PTXLINT --jobs 1 "
        "--no-config slow.ptx k.ptx; wait");
    assert_non_null(strstr(text, "\r 1 of 2 files"));
    assert_non_null(strstr(text, "\r\033[K"));
    text = told_on_terminal("$PTXLINT --no-config k.ptx");
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_rules_json),
        cmocka_unit_test(test_config_json),
        cmocka_unit_test(test_statistics_json),
        cmocka_unit_test(test_jobs_are_equal),
        cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
