/* test_engine.c -- rules that a user adds, without compiling anything: conditions over every
 * subject, quantifiers, paths, folding, severities, gains, thresholds. Each row is a rule in a few
 * words and the lines of the module below that it fires on. */
#include "kit.h"

#include <math.h>

/* Lines count from 1: the first directive. */
static const char module_text[] =
    ".version 8.0\n"                                                            /* 1 */
    ".target sm_90\n"
    ".address_size 64\n"
    ".shared .align 16 .b8 tile[256];\n"                                        /* 4 */
    ".global .align 4 .u32 unused;\n"
    ".visible .entry first(.param .u64 p, .param .u32 n, .param .f32 f)\n"      /* 6 */
    "{\n"
    "    .reg .pred %p<4>;\n"
    "    .reg .b32 %r<8>;\n"
    "    .reg .b64 %rd<4>;\n"                                                   /* 10 */
    "    .reg .f32 %f<8>;\n"
    "    ld.param.u64 %rd1, [p];\n"
    "    ld.param.u32 %r1, [n];\n"
    "    cvta.to.global.u64 %rd2, %rd1;\n"
    "    mov.u32 %r2, 0;\n"                                                     /* 15 */
    "    mov.f32 %f1, 0f00000000;\n"
    "OUTER:\n"
    "    mov.u32 %r3, 0;\n"
    "INNER:\n"
    "    ld.global.f32 %f2, [%rd2];\n"                                          /* 20 */
    "    div.rn.f32 %f1, %f2, %f1;\n"
    "    div.rn.f32 %f1, %f1, %f2;\n"
    "    add.s32 %r3, %r3, 1;\n"
    "    setp.lt.s32 %p1, %r3, 100;\n"
    "    @%p1 bra INNER;\n"                                                     /* 25 */
    "    bar.sync 0;\n"
    "    add.s32 %r2, %r2, 1;\n"
    "    setp.lt.s32 %p2, %r2, %r1;\n"
    "    @%p2 bra OUTER;\n"
    "    div.rn.f32 %f1, %f1, %f2;\n"                                           /* 30 */
    "    st.global.f32 [%rd2], %f1;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry second(.param .u64 q) .reqntid 48\n"                       /* 34 */
    "{\n"
    "    .reg .b32 %r<4>;\n"
    "    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [q];\n"
    "    mov.u32 %r1, tile;\n"
    "    st.shared.u32 [%r1+256], %r1;\n"                                       /* 40 */
    "    cp.async.wait_all;\n"
    "    st.global.u32 [%rd1], %r2;\n"
    "    ret;\n"
    "}\n";

static ptxlint_rules *read_rules(const char *yaml)
{
    ptxlint_rules *rules;
    char error[512] = "";
    assert_int_equal(ptxlint_rules_new(&rules), PTXLINT_OK);
    if (ptxlint_rules_add(rules, "user.yaml", yaml, strlen(yaml), error, sizeof error)
        != PTXLINT_OK)
        fail_msg("%s\n%s", error, yaml);
    return rules;
}

/* The module with the rules of yaml alone. Sets are freed with what is returned. */
typedef struct Case {
    ptxlint_rules *rules;
    ptxlint_config *config;
    ptxlint_module *module;
} Case;

static Case analyse(const char *yaml, const char *key, const char *value)
{
    Case c;
    char error[512] = "";
    ptxlint_options options;
    c.rules = read_rules(yaml);
    assert_int_equal(ptxlint_config_new(c.rules, &c.config), PTXLINT_OK);
    assert_int_equal(ptxlint_config_set(c.config, "select", "USR", error, sizeof error),
                     PTXLINT_OK);
    if (key && ptxlint_config_set(c.config, key, value, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s", error);
    ptxlint_options_init(&options);
    options.config = c.config;
    assert_int_equal(ptxlint_module_new(module_text, strlen(module_text), &options, &c.module),
                     PTXLINT_OK);
    return c;
}

static void free_case(Case c)
{
    ptxlint_module_free(c.module);
    ptxlint_config_free(c.config);
    ptxlint_rules_free(c.rules);
}

static const char frame[] =
    "group: user\n"
    "rules:\n"
    "  - code: USR101\n"
    "    name: of-mine\n"
    "    severity: warning\n"
    "    message: \"%s\"\n"
    "    summary: A rule of mine.\n"
    "    doc: Text.\n"
    "    on: %s\n"
    "%s"
    "    when: >\n"
    "      %s\n";

static char *rule_text(const char *on, const char *when, const char *message, const char *more)
{
    Text text = { 0 };
    kit_print(&text, frame, message, on, more, when);
    return text.bytes;
}

/* "21+1 30": lines, and how many were folded into each; worst first. */
static char *lines_of(const ptxlint_module *module)
{
    size_t count;
    Text text = { 0 };
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    kit_put(&text, "", 0);
    for (size_t d = 0; d < count; d++) {
        kit_print(&text, "%s%u", d ? " " : "", (unsigned)kit_line(module, diags[d].span.begin));
        if (diags[d].repeat_count)
            kit_print(&text, "+%u", (unsigned)diags[d].repeat_count);
    }
    return text.bytes;
}

static const struct { const char *on, *when, *want; } cases[] = {
    /* subjects */
    { "module", "module.target == 90", "2" },
    { "module", "module.version < 8.0", "" },
    { "variable", "variable.space == \"shared\"", "4" },
    { "variable", "not variable.is_named and not variable.is_local", "5" },
    { "kernel", "kernel.is_entry", "6 34" },
    { "kernel", "kernel.block_threads % 32 != 0", "34" },
    { "kernel", "known(kernel.block_threads)", "34" },
    { "kernel", "kernel.loops == 2", "6" },
    { "parameter", "not parameter.is_used", "6" },
    { "parameter", "parameter.bytes == 8 bytes", "6 34" },
    { "register", "not register.is_written and register.is_read", "42" },
    { "block", "block.instructions == 1", "18" },
    { "loop", "loop.is_innermost", "20" },
    { "loop", "loop.trips == 100", "20" },
    { "loop", "not known(loop.trips)", "18" },
    { "branch", "branch.is_loop_exit", "25 29" },
    { "instruction", "insn is \"div.rn\"", "21+1 30" },
    { "instruction", "insn is [\"bar.sync\", \"st.global\"]", "26 31 42" },
    { "instruction", "insn.opcode == \"setp\"", "24 28" },
    { "instruction", "insn.opcode in [\"setp\", \"bar\"] and loop.depth == 1", "26+1" },
    { "instruction", "insn is not \"ld.param\" and insn.is_load and insn.space == \"global\"", "20" },
    { "access", "access.overrun > 0", "40" },
    { "access", "access.bytes == 4 bytes and insn.is_store", "31 40+1" },
    /* logic of the unknown */
    { "kernel", "kernel.grid_blocks > 0 or true", "6 34" },
    { "kernel", "kernel.grid_blocks > 0 and true", "" },
    { "kernel", "not (kernel.grid_blocks > 0 and false)", "6 34" },
    { "kernel", "not (kernel.grid_blocks > 0)", "" },
    { "kernel", "1 / 0 == 1 or not known(1 / 0)", "6 34" },
    /* over many */
    { "kernel", "any(instructions: insn is \"bar.sync\")", "6" },
    { "kernel", "not any(instructions: insn is \"bar.sync\")", "34" },
    { "kernel", "count(instructions: insn is \"div.rn\") == 3", "6" },
    { "kernel", "all(instructions: insn.type != \"f64\" or not known(insn.type))", "6 34" },
    { "kernel", "any(loops: loop.depth == 2)", "6" },
    { "kernel", "count(accesses: insn.is_store) == 2", "34" },
    { "kernel", "any(parameters: not parameter.is_used)", "6" },
    { "kernel", "any(branches: branch.is_loop_exit)", "6" },
    { "loop", "any(loop.instructions: insn is \"bar.sync\")", "18" },
    { "loop", "count(loop.instructions: insn is \"div.rn\") == 2", "18 20" },
    { "loop", "count(loop.loops: true) == 1", "18" },
    { "loop", "all(loop.accesses: insn.is_load)", "18 20" },
    { "instruction", "insn is \"bar.sync\" and count(loop.instructions: insn is \"setp\") == 2", "26" },
    /* paths */
    { "instruction", "insn is \"div.rn\" and ever_after(insn is \"bar.sync\")", "21+1" },
    { "instruction", "insn is \"div.rn\" and always_before(insn is \"bar.sync\")", "30" },
    { "instruction", "insn is \"div.rn\" and always_after(insn is \"st.global\")", "21+1 30" },
    { "instruction", "insn is \"ld.global\" and ever_before(insn is \"bar.sync\")", "20" },
    { "instruction", "insn is \"ld.global\" and always_before(insn is \"bar.sync\")", "" },
    { "instruction", "insn is \"cp.async.wait_all\" and not ever_before(insn is \"cp.async\")", "41" },
    { "instruction", "insn is \"ret\" and always_before(insn is \"st\")", "32 43" },
};

static void test_conditions(void **state)
{
    (void)state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *yaml = rule_text(cases[i].on, cases[i].when, "m", "");
        Case c = analyse(yaml, NULL, NULL);
        char *got = lines_of(c.module);
        if (strcmp(got, cases[i].want))
            kit_print(&trouble, "on %s when %s: lines %s, want %s\n", cases[i].on, cases[i].when,
                      got, cases[i].want);
        free(got);
        free(yaml);
        free_case(c);
    }
    if (trouble.length)
        fail_msg("\n%s", trouble.bytes);
}

static const struct { const char *on, *when, *more, *message, *want; } messages[] = {
    { "instruction", "insn is \"bar.sync\"", "", "`{insn.op}` at depth {loop.depth} of `{kernel.name}`", "`bar.sync` at depth 1 of `first`" },
    { "kernel", "known(kernel.block_threads)", "", "{kernel.block_threads / 32} warps, {kernel.block_threads % 32} lanes", "1.5 warps, 16 lanes" },
    { "variable", "variable.space == \"shared\"", "", "{variable.name} is {variable.bytes} bytes of {variable.space}", "tile is 256 bytes of shared" },
    { "access", "access.overrun > 0", "", "{access.overrun} beyond {access.variable}, {access.offset} {{}}", "4 beyond tile, 256 {}" },
    { "kernel", "kernel.loops == 2", "", "{kernel.grid_blocks} blocks", "unknown blocks" },
    { "loop", "loop.is_innermost", "", "{loop.label}: {1 / 3}, {-2 / 3}, {1e16}, {0.0001}, {loop.trips == 100}", "INNER: 0.333, -0.667, 10000000000000000, 0, true" },
};

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(messages); i++) {
        size_t count;
        char *yaml = rule_text(messages[i].on, messages[i].when, messages[i].message,
                               messages[i].more);
        Case c = analyse(yaml, NULL, NULL);
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(c.module, &count);
        assert_int_equal(count, 1);
        assert_string_equal(diags[0].message, messages[i].want);
        assert_string_equal(diags[0].rule, "USR101");
        assert_string_equal(diags[0].group, "user");
        free(yaml);
        free_case(c);
    }
}

/* What a rule says besides when: each row a line of YAML, a setting, and what must hold. */
static const struct {
    const char *on, *when, *more, *key, *value, *lines;
    ptxlint_severity severity;
    double gain;
    ptxlint_certainty certainty;
} settings[] = {
    { "instruction", "insn is \"div.rn\"", "    fold: none\n", NULL, NULL, "21 22 30",
      PTXLINT_WARNING, NAN, PTXLINT_EXACT },
    { "instruction", "insn is \"div.rn\"", "    fold: kernel\n", NULL, NULL, "21+2",
      PTXLINT_WARNING, NAN, PTXLINT_EXACT },
    { "instruction", "insn is \"div.rn\"", "    note_if: loop.depth > 0\n", NULL, NULL, "30 21+1",
      PTXLINT_WARNING, NAN, PTXLINT_EXACT },
    { "instruction", "insn is \"div.rn\"", "", "severity", "USR101=error", "21+1 30", PTXLINT_ERROR,
      NAN, PTXLINT_EXACT },
    { "instruction", "insn is \"div.rn\"", "    gain: 1 percent * loop.depth * 4\n", NULL, NULL,
      "21+1 30", PTXLINT_WARNING, 16, PTXLINT_EXACT },
    { "instruction", "insn is \"div.rn\"",
      "    fold: kernel\n    gain: 1 percent * (1 + loop.depth)\n", NULL, NULL, "21+2",
      PTXLINT_WARNING, 7, PTXLINT_EXACT },
    { "instruction", "insn is \"div.rn\"",
      "    fold: kernel\n    gain: 1 percent * (4 - loop.depth)\n", NULL, NULL, "30+2",
      PTXLINT_WARNING, 8, PTXLINT_EXACT },
    { "kernel", "kernel.loops >= threshold.most",
      "    thresholds: { most: { value: 2, what: loops } }\n", NULL, NULL, "6", PTXLINT_WARNING,
      NAN, PTXLINT_EXACT },
    { "kernel", "kernel.loops >= threshold.most",
      "    thresholds: { most: { value: 2, what: loops } }\n", "threshold", "USR101.most=0", "6 34",
      PTXLINT_WARNING, NAN, PTXLINT_EXACT },
    { "kernel", "kernel.loops == 2 and kernel.weighted_instructions > 0", "", NULL, NULL, "6",
      PTXLINT_WARNING, NAN, PTXLINT_ESTIMATE },
    { "kernel", "kernel.loops == 2 and kernel.weighted_instructions > 0", "    needs: exact\n",
      NULL, NULL, "", PTXLINT_WARNING, NAN, PTXLINT_EXACT },
    { "loop", "loop.trips == 100", "    needs: exact\n", NULL, NULL, "20", PTXLINT_WARNING, NAN,
      PTXLINT_EXACT },
    { "kernel", "true", "    preview: true\n", NULL, NULL, "", PTXLINT_WARNING, NAN,
      PTXLINT_EXACT },
    { "kernel", "kernel.loops == 2", "    preview: true\n", "preview", "true", "6", PTXLINT_WARNING,
      NAN, PTXLINT_EXACT },
};

static void test_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        size_t count;
        char *yaml = rule_text(settings[i].on, settings[i].when, "m", settings[i].more);
        Case c = analyse(yaml, settings[i].key, settings[i].value);
        char *got = lines_of(c.module);
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(c.module, &count);
        if (strcmp(got, settings[i].lines))
            fail_msg("row %zu: %s, want %s", i, got, settings[i].lines);
        if (count) {
            assert_int_equal(diags[0].severity, settings[i].severity);
            assert_int_equal(diags[0].certainty, settings[i].certainty);
            assert_true(isnan(settings[i].gain)
                            ? isnan(diags[0].gain_percent)
                            : fabs(diags[0].gain_percent - settings[i].gain) < 1e-9);
        }
        free(got);
        free(yaml);
        free_case(c);
    }
}

/* How sure a finding is depends on what its facts rest on: a block's shape that was taken, memory
 * of two parameters that may be one. */
static void test_certainty(void **state)
{
    (void)state;
    static const struct { const char *bounds, *rule; ptxlint_certainty want; } rows[] = {
        { "", "COR121", PTXLINT_ESTIMATE },
        { ".maxntid 128", "COR121", PTXLINT_ESTIMATE },
        { ".reqntid 128", "COR121", PTXLINT_EXACT },
        { ".reqntid 128", "MEM106", PTXLINT_ESTIMATE },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        Text text = { 0 };
        size_t count, found = 0;
        kit_print(&text,
                  ".version 8.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 "
                  "in, .param .u64 out) %s\n{\n"
                  ".reg .pred %%p<2>;\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n"
                  "ld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nmov.u32 %%r1, "
                  "%%tid.x;\nld.global.u32 %%r2, [%%rd1];\nld.global.u32 %%r3, [%%rd1+64];\n"
                  "setp.lt.u32 %%p1, %%r1, 16;\n@%%p1 bra JOIN;\nbar.sync 0;\nJOIN:\nst.global.u32 "
                  "[%%rd2], %%r2;\nret;\n}\n",
                  rows[i].bounds);
        ptxlint_module *module = kit_module(text.bytes);
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        for (size_t d = 0; d < count; d++) {
            if (strcmp(diags[d].rule, rows[i].rule))
                continue;
            found++;
            assert_int_equal(diags[d].certainty, rows[i].want);
        }
        if (found != 1)
            fail_msg("row %zu: %zu findings of %s", i, found, rows[i].rule);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* Every fact can be asked for everything that it is of, and every word can be written. */
static void test_every_fact(void **state)
{
    (void)state;
    static const char *const subjects[][2] = {
        { "module", "module" },     { "gpu", "module" },          { "kernel", "kernel" },
        { "variable", "variable" }, { "parameter", "parameter" }, { "register", "register" },
        { "block", "block" },       { "loop", "loop" },           { "branch", "branch" },
        { "insn", "instruction" },  { "access", "access" }
    };
    ptxlint_fact fact;
    for (size_t f = 0; ptxlint_fact_at(f, &fact); f++) {
        const char *subject = NULL;
        Text name = { 0 };
        for (size_t s = 0; s < COUNT(subjects); s++)
            if (!strcmp(subjects[s][0], fact.scope))
                subject = subjects[s][1];
        assert_non_null(subject);
        if (!strcmp(fact.type, "place"))
            continue;
        bool is_text = !strcmp(fact.type, "text");
        kit_print(&name, is_text ? "true" : "known(%s.%s) or true", fact.scope, fact.name);
        Text message = { 0 };
        kit_print(&message, "{%s.%s}", fact.scope, fact.name);
        char *yaml = rule_text(subject, name.bytes, message.bytes, "");
        Case c = analyse(yaml, NULL, NULL);
        size_t count;
        ptxlint_module_diagnostics(c.module, &count);
        assert_true(count > 0);
        free(yaml);
        free(name.bytes);
        free(message.bytes);
        free_case(c);
    }
}

UNIT(engine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_certainty),
        cmocka_unit_test(test_every_fact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
