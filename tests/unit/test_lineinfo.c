/* test_lineinfo.c -- debug directives change no figure: NAME.ptx and NAME.lineinfo.ptx are one
 * program compiled with and without -lineinfo. */
#include "kit.h"

#include <math.h>

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void compare_mix(const char *what, const ptxlint_mix *a, const ptxlint_mix *b)
{
    bool same = a->class_count == b->class_count && a->instruction_count == b->instruction_count
                && a->fused_count == b->fused_count && a->fusable_count == b->fusable_count
                && same_number(a->fma_fraction, b->fma_fraction)
                && same_number(a->weighted_fma_fraction, b->weighted_fma_fraction);
    for (size_t i = 0; same && i < a->class_count; i++)
        same = !strcmp(a->classes[i].name, b->classes[i].name)
               && a->classes[i].static_count == b->classes[i].static_count
               && same_number(a->classes[i].weighted_count, b->classes[i].weighted_count);
    if (!same)
        fail_msg("%s: the mix differs", what);
}

static void compare_kernels(const char *what, const ptxlint_kernel *a, const ptxlint_kernel *b)
{
#define SAME(field) if (a->field != b->field) fail_msg("%s: %s: " #field " differs", what, a->name)
    assert_string_equal(a->name, b->name);
    SAME(is_entry);
    SAME(is_recursive);
    SAME(has_syntax_error);
    SAME(block_count);
    SAME(edge_count);
    SAME(unreachable_block_count);
    SAME(static_shared_bytes);
    SAME(local_bytes);
    SAME(param_bytes);
    SAME(minnctapersm);
    SAME(maxnreg);
    SAME(pressure.max_live);
    SAME(pressure.max_live_predicates);
    SAME(pressure.live_count);
    SAME(pressure.max_live_64);
    SAME(pressure.max_live_16);
    SAME(loop_count);
    SAME(access_count);
#undef SAME
    assert_memory_equal(a->maxntid, b->maxntid, sizeof a->maxntid);
    assert_memory_equal(a->reqntid, b->reqntid, sizeof a->reqntid);
    for (size_t i = 0; i < a->pressure.live_count; i++)
        assert_string_equal(a->pressure.live[i], b->pressure.live[i]);
    compare_mix(what, &a->mix, &b->mix);
    for (size_t i = 0; i < a->loop_count; i++) {
        const ptxlint_loop *x = &a->loops[i], *y = &b->loops[i];
        if (strcmp(x->label, y->label) || x->depth != y->depth || x->parent != y->parent
            || x->is_irreducible != y->is_irreducible || x->is_innermost != y->is_innermost)
            fail_msg("%s: %s: loop %zu differs", what, a->name, i);
        compare_mix(what, &x->mix, &y->mix);
    }
    for (size_t i = 0; i < a->access_count; i++) {
        const ptxlint_access *x = &a->accesses[i], *y = &b->accesses[i];
        if (strcmp(x->space, y->space) || strcmp(x->op, y->op) || x->bytes != y->bytes
            || x->certainty != y->certainty || !same_number(x->active_threads, y->active_threads)
            || !same_number(x->sectors_per_request, y->sectors_per_request)
            || !same_number(x->wavefronts_per_request, y->wavefronts_per_request))
            fail_msg("%s: %s: access %zu differs", what, a->name, i);
    }
}

/* The text that a span covers: the same instruction in both, wherever it stands. */
static bool same_place(const ptxlint_module *a, ptxlint_span x, const ptxlint_module *b,
                       ptxlint_span y)
{
    uint32_t length = x.end - x.begin;
    return length == y.end - y.begin
           && !memcmp(ptxlint_module_get_info(a)->text + x.begin,
                      ptxlint_module_get_info(b)->text + y.begin, length);
}

static void compare_diagnostics(const char *what, const ptxlint_module *plain,
                                const ptxlint_module *lined)
{
    size_t count, other;
    const ptxlint_diagnostic *a = ptxlint_module_diagnostics(plain, &count),
                             *b = ptxlint_module_diagnostics(lined, &other);
    if (count != other)
        fail_msg("%s: %zu diagnostics, %zu with line information", what, count, other);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(a[i].rule, b[i].rule) || strcmp(a[i].message, b[i].message)
            || a[i].severity != b[i].severity || a[i].repeat_count != b[i].repeat_count
            || !same_text(a[i].kernel, b[i].kernel)
            || !same_place(plain, a[i].span, lined, b[i].span))
            fail_msg("%s: diagnostic %zu differs: %s, %s", what, i, a[i].rule, b[i].rule);
        assert_null(a[i].source_path);
        if (strcmp(a[i].group, "launch")
            && (!b[i].source_path
                || !b[i].source_line)) /* those stand at a header, not in a body */
            fail_msg("%s: %s has no source line in spite of .loc", what, b[i].rule);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    size_t pairs = 0;
    Paths files = kit_walk("testdata/ptx", ".lineinfo.ptx");
    for (size_t i = 0; i < files.count; i++) {
        char path[512];
        snprintf(path, sizeof path, "%.*s.ptx",
                 (int)(strlen(files.paths[i]) - strlen(".lineinfo.ptx")), files.paths[i]);
        if (!kit_exists(path))
            continue;
        ptxlint_module *plain = kit_open(path), *lined = kit_open(files.paths[i]);
        size_t count, other;
        const ptxlint_kernel *a = ptxlint_module_kernels(plain, &count),
                             *b = ptxlint_module_kernels(lined, &other);
        assert_int_equal(count, other);
        assert_true(count > 0);
        for (size_t k = 0; k < count; k++)
            compare_kernels(path, &a[k], &b[k]);
        compare_diagnostics(path, plain, lined);
        ptxlint_module_free(plain);
        ptxlint_module_free(lined);
        pairs++;
    }
    kit_free_paths(files);
    assert_true(pairs >= 6);
}

/* The source place is the .loc before the instruction, through the .file of its index, wherever
 * that stands. */
static void test_place(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        ".version 8.0\n.target sm_90\n.file 1 \"first.cu\"\n"
        ".entry k() .maxntid 32 { .reg .b32 %r<9>; .reg .b64 %rd<2>; mov.u64 %rd1, 0;\n"
        "st.global.u32 [%rd1], %r1;\n"
        ".loc 2 60 1\n.loc 2 41 7\n"
        "st.global.u32 [%rd1], %r2;\n"
        ".loc 1 5 3, function_name $info, inlined_at 2 60 1\n"
        "st.global.u32 [%rd1], %r3;\n"
        ".loc 2 9 2, function_name $info, inlined_at 1 5 3\n"
        "st.global.u32 [%rd1], %r4;\n"
        "ret; }\n"
        ".file 2 \"dir/second.cuh\", 1700000000, 1234\n");
    size_t count;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    assert_int_equal(count, 4);
    assert_null(diags[0].source_path);
    assert_string_equal(diags[1].source_path, "dir/second.cuh");
    assert_int_equal(diags[1].source_line, 41);
    assert_int_equal(diags[1].source_column, 7);
    assert_string_equal(diags[2].source_path, "first.cu");
    assert_int_equal(diags[2].source_line, 5);
    assert_int_equal(diags[2].inlined_count, 1);
    assert_int_equal(diags[3].source_line, 9);
    assert_int_equal(diags[3].inlined_count, 2);        /* outwards */
    assert_string_equal(diags[3].inlined_into[0].path, "first.cu");
    assert_int_equal(diags[3].inlined_into[0].line, 5);
    assert_string_equal(diags[3].inlined_into[1].path, "dir/second.cuh");
    assert_int_equal(diags[3].inlined_into[1].line, 60);
    ptxlint_module_free(module);
}

UNIT(lineinfo)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
