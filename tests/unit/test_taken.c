/* test_taken.c -- kernels that are taken while their module is made: what is written of them, and
 * what is left. */
#include "kit.h"

/* A function before and behind the kernel that calls it: documents have kernels first. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 out) twice(.param .b32 in) {\n.reg .b32 %r<3>;\n"
    "ld.param.u32 %r1, [in];\nshl.b32 %r2, %r1, 1;\nst.param.b32 [out], %r2;\nret;\n}\n"
    ".visible .entry first(.param .u64 a) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "mov.u32 %r1, %tid.x;\n{ .param .b32 x; .param .b32 y;\nst.param.b32 [x], %r1;\n"
    "call.uni (y), twice, (x);\nld.param.b32 %r2, [y]; }\nld.param.u64 %rd1, [a];\n"
    "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
    "LOOP:\nst.global.u32 [%rd3], %r1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1000;\n"
    "@%p1 bra LOOP;\nret;\n}\n"
    ".visible .entry second(.param .u64 a) {\n.reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
    "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r1, 128;\n"
    "add.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
    ".func idle() {\nret;\n}\n";

static const char *const files[] = { "testdata/ptx/loops_hand.ptx",
                                     "testdata/ptx/printf_calls.sm_75.ptx",
                                     "testdata/ptx/producers/rust_kernels.sm_80.ptx" };

static ptxlint_writer *new_writer(Text *out)
{
    ptxlint_writer *writer;
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = PTXLINT_JSON;
    assert_int_equal(ptxlint_writer_new(PTXLINT_REPORT, &options, kit_write, out, &writer),
                     PTXLINT_OK);
    return writer;
}

typedef struct Taker {
    ptxlint_writer *writer;
    Text names;
    size_t stop_after;          /* so many; 0: never */
    size_t count, same_count;
} Taker;

static void take(void *context, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    Taker *taker = context;
    kit_print(&taker->names, "%s ", kernel->name);
    assert_int_equal(ptxlint_writer_take(taker->writer, module, kernel), PTXLINT_OK);
    taker->count++;
}

static int is_enough(void *context)
{
    const Taker *taker = context;
    return taker->stop_after && taker->count >= taker->stop_after;
}

static ptxlint_options options_with(Taker *taker)
{
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.take_kernel = taker ? take : NULL;
    options.take_context = taker;
    options.is_stopped = taker ? is_enough : NULL;
    options.stop_context = taker;
    return options;
}

static void add(ptxlint_writer *writer, const char *ptx, const ptxlint_options *options)
{
    ptxlint_module *module;
    assert_int_equal(ptxlint_module_new(ptx, strlen(ptx), options, &module), PTXLINT_OK);
    assert_int_equal(ptxlint_writer_add(writer, module), PTXLINT_OK);
    ptxlint_module_free(module);
}

static void finish(ptxlint_writer *writer)
{
    assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_OK);
    ptxlint_writer_free(writer);
}

/* Twice, so that something is left of a module for the next one to trip over. */
static void expect_same(const char *ptx, unsigned jobs, bool is_called)
{
    Text kept = { 0 }, taken = { 0 };
    ptxlint_writer *writer = new_writer(&kept);
    Taker taker = { .writer = new_writer(&taken) };
    ptxlint_options keeping = options_with(NULL), taking = options_with(&taker);
    keeping.jobs = taking.jobs = jobs;
    for (int i = 0; i < 2; i++) {
        add(writer, ptx, &keeping);
        add(taker.writer, ptx, &taking);
    }
    finish(writer);
    finish(taker.writer);
    assert_int_equal(taker.count != 0, is_called);
    assert_int_equal(taken.length, kept.length);
    assert_memory_equal(taken.bytes, kept.bytes, kept.length);
    free(taker.names.bytes);
    free(kept.bytes);
    free(taken.bytes);
}

static void test_same_document(void **state)
{
    (void)state;
    expect_same(text, 1, true);
    expect_same(text, 2, false);
    for (size_t i = 0; i < COUNT(files); i++) {
        char *ptx = kit_read(files[i], &(size_t){ 0 });
        expect_same(ptx, 1, true);
        free(ptx);
    }
}

/* ---- kernels with the same code -------------------------------------------------------------- */

/* Whose names, demangled, are copy<COUNT>(float*), with %s for names and %u for label numbers. */
static const char template_text[] =
    ".visible .entry %s(\n.param .u64 %s_param_0\n)\n{\n"
    ".reg .b32 %%r<9>; .reg .b64 %%rd<5>; .reg .pred %%p<2>; .reg .f32 %%f<4>;\n"
    ".shared .align 4 .b8 %s_rows[4096];\n"
    "\tld.param.u64 \t%%rd1, [%s_param_0];\n\tmov.u32 \t%%r1, %%tid.x;\n"
    "\tmul.wide.u32 \t%%rd2, %%r1, 128;\n\tadd.s64 \t%%rd3, %%rd1, %%rd2;\n"
    "\tmov.u32 \t%%r2, 0;\n\tmov.u32 \t%%r3, %s_rows;\n\tshl.b32 \t%%r4, %%r1, 7;\n"
    "\tadd.s32 \t%%r5, %%r3, %%r4;\n$L__BB%u_1:\n\tld.global.f32 \t%%f1, [%%rd3];\n"
    "\tst.shared.f32 \t[%%r5], %%f1;\n\tld.shared.f32 \t%%f2, [%%r5];\n"
    "\tadd.f32 \t%%f3, %%f1, %%f2;\n\tst.global.f32 \t[%%rd3], %%f3;\n"
    "\tadd.s32 \t%%r2, %%r2, 1;\n\tsetp.lt.u32 \t%%p1, %%r2, 8;\n"
    "\t@%%p1 bra \t$L__BB%u_1;\n%s\tret;\n}\n";

/* Of a module with a kernel for each name; end: another statement. */
static char *text_of_same(const char *const names[], size_t count, const char *end)
{
    Text out = { 0 };
    kit_print(&out, "%s", ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (size_t i = 0; i < count; i++) {
        char rows[128];
        snprintf(rows, sizeof rows, "_ZZ%sE4", names[i] + 2);
        kit_print(&out, template_text, names[i], names[i], rows, names[i], rows, (unsigned)i + 8,
                  (unsigned)i + 8, end);
    }
    return out.bytes;
}

static int take_same(void *context, const ptxlint_module *module, const ptxlint_kernel *kernel,
                     const ptxlint_kernel *first)
{
    Taker *taker = context;
    const int is_taken = ptxlint_writer_take_same(taker->writer, module, kernel, first);
    taker->same_count += is_taken != 0;
    return is_taken;
}

/* The same document, and so many kernels were written as others were. */
static void expect_same_rows(const char *ptx, size_t same_count)
{
    Text kept = { 0 }, taken = { 0 };
    ptxlint_writer *writer = new_writer(&kept);
    Taker taker = { .writer = new_writer(&taken) };
    ptxlint_options keeping = options_with(NULL), taking = options_with(&taker);
    taking.take_same = take_same;
    for (int i = 0; i < 2; i++) {
        add(writer, ptx, &keeping);
        add(taker.writer, ptx, &taking);
    }
    finish(writer);
    finish(taker.writer);
    assert_int_equal(taker.same_count, 2 * same_count);
    assert_int_equal(taken.length, kept.length);
    assert_memory_equal(taken.bytes, kept.bytes, kept.length);
    free(taker.names.bytes);
    free(kept.bytes);
    free(taken.bytes);
}

static void test_same_code(void **state)
{
    (void)state;
    static const struct {
        const char *names[3], *end;
        size_t same_count;
    } cases[] = {
        { { "_Z4copyILi2EEvPf", "_Z4copyILi4EEvPf", "_Z4copyILi16EEvPf" }, "", 2 },
        { { "_Z4copyILi2EEvPf", "_Z6columnILi4EEvPf", "_Z4copyILi16EEvPf" }, "", 2 },
        /* other code, and a name in a place of its own */
        { { "_Z4copyILi2EEvPf", "_Z4copyILi4EEvPd", "_Z4copyILi16EEvPi" }, "", 2 },
        /* a line that is not of PTX alone */
        { { "_Z4copyILi2EEvPf", "_Z4copyILi4EEvPf", "_Z4copyILi16EEvPf" },
          "\t.loc 1 7 3\n\tadd.s32 \t%r6, %r2, 1;\n", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *ptx = text_of_same(cases[i].names, 3, cases[i].end);
        expect_same_rows(ptx, cases[i].same_count);
        free(ptx);
    }
}

static void test_what_is_left(void **state)
{
    (void)state;
    Text out = { 0 };
    size_t count, finding_count;
    ptxlint_module *module;
    ptxlint_trial trial;
    ptxlint_estimated estimated = { .size = sizeof estimated };
    Taker taker = { .writer = new_writer(&out) };
    ptxlint_options options = options_with(&taker);
    ptxlint_trial_init(&trial);
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    assert_string_equal(taker.names.bytes, "first second twice idle ");
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(count, 4);
    assert_string_equal(kernels[1].name, "first");
    assert_true(kernels[1].is_entry);
    assert_null(kernels[1].loops);
    assert_int_equal(kernels[1].access_count, 0);
    ptxlint_module_diagnostics(module, &finding_count);
    assert_true(finding_count);
    assert_int_equal(ptxlint_estimate(module, "first", 0, &trial, &estimated),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_add(taker.writer, module), PTXLINT_OK);
    finish(taker.writer);
    ptxlint_module_free(module);
    free(taker.names.bytes);
    free(out.bytes);
}

/* A module that could not be made leaves a document that can be read, and the next one is whole. */
static void test_failure(void **state)
{
    (void)state;
    Text out = { 0 };
    ptxlint_module *module;
    Taker taker = { .writer = new_writer(&out), .stop_after = 1 };
    ptxlint_options options = options_with(&taker);
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_STOPPED);
    assert_int_equal(ptxlint_writer_take(taker.writer, NULL, NULL), PTXLINT_OK);
    assert_int_equal(ptxlint_writer_take(taker.writer, NULL, NULL), PTXLINT_OK);
    taker.stop_after = 0;
    add(taker.writer, text, &options);
    finish(taker.writer);
    assert_string_equal(taker.names.bytes, "first first second twice idle ");
    assert_non_null(strstr(out.bytes, "],\"functions\":[]},"));
    assert_non_null(strstr(out.bytes, "\"name\":\"second\""));
    free(taker.names.bytes);
    free(out.bytes);
}

/* Other documents have no place for it. */
static void test_refusals(void **state)
{
    (void)state;
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_CSV, PTXLINT_JSON };
    Text out = { 0 };
    size_t count;
    ptxlint_writer *writer = new_writer(&out);
    ptxlint_module *module = kit_module(text);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(ptxlint_writer_take(NULL, module, kernels), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_take(writer, module, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_take(writer, module, &kernels[0]), PTXLINT_OK);
    /* behind a function */
    assert_int_equal(ptxlint_writer_take(writer, module, &kernels[1]), PTXLINT_BAD_ARGUMENT);
    ptxlint_writer_free(writer);
    for (size_t i = 0; i < COUNT(formats); i++) {
        ptxlint_write_options options;
        ptxlint_write_options_init(&options);
        options.format = formats[i];
        options.has_details = formats[i] == PTXLINT_JSON;
        assert_int_equal(ptxlint_writer_new(PTXLINT_REPORT, &options, kit_write, &out, &writer),
                         PTXLINT_OK);
        assert_int_equal(ptxlint_writer_take(writer, module, kernels), PTXLINT_BAD_ARGUMENT);
        ptxlint_writer_free(writer);
    }
    ptxlint_module_free(module);
    free(out.bytes);
}

UNIT(taken)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_document),
                                        cmocka_unit_test(test_same_code),
                                        cmocka_unit_test(test_what_is_left),
                                        cmocka_unit_test(test_failure),
                                        cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
