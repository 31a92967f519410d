/* test_api.c -- the public interface: arguments, statuses, limits, places, writing. */
#include "kit.h"

#include <errno.h>

#define PTX                                                                                       \
    ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; mov.u64 %rd1, " \
    "0;\nst.global.u32 [%rd1], %r2;\nret; }\n"

static ptxlint_module *const unset = (ptxlint_module *)&(char){ 0 };

/* ---- arguments ------------------------------------------------------------------------------- */

static void test_arguments(void **state)
{
    (void)state;
    ptxlint_module *module = unset;
    ptxlint_options options;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), NULL, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_module_new(NULL, 3, NULL, &module), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_module_open(NULL, NULL, &module), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_module_open("x.ptx", NULL, NULL), PTXLINT_BAD_ARGUMENT);
    static const size_t sizes[] = { 0, 1, sizeof options - 1, sizeof options + 1, SIZE_MAX };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        ptxlint_options_init(&options);
        assert_int_equal(options.size, sizeof options);
        options.size = sizes[i];
        module = unset;
        assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module),
                         PTXLINT_BAD_ARGUMENT);
        assert_null(module);
        module = unset;
        assert_int_equal(ptxlint_module_open("/nonexistent", &options, &module),
                         PTXLINT_BAD_ARGUMENT);
        assert_null(module);
    }
    ptxlint_module_free(NULL);
    ptxlint_launches_free(NULL);
    ptxlint_writer_free(NULL);
}

/* Of options only the size is read before it is known to be right: here nothing lies behind it. */
static void test_short_options(void **state)
{
    (void)state;
    ptxlint_module *module = unset;
    size_t *size = malloc(sizeof *size);
    assert_non_null(size);
    *size = sizeof *size;
    assert_int_equal(ptxlint_module_open(PTXLINT_SOURCE_ROOT "/testdata/ptx/saxpy.sm_90.ptx",
                                         (const ptxlint_options *)(const void *)size, &module),
                     PTXLINT_BAD_ARGUMENT);
    assert_null(module);
    free(size);
}

/* What a function fills must say how large it is; of arrays the library says how far elements lie
 * apart. */
static void test_sizes(void **state)
{
    (void)state;
    ptxlint_resources resources;
    ptxlint_trial trial;
    ptxlint_estimated estimated = { .size = sizeof estimated - 1 };
    ptxlint_thread_index index = { .size = 0 };
    ptxlint_occupancy occupancy = { .size = sizeof occupancy + 1 };
    ptxlint_module *module = kit_open("testdata/ptx/loops.sm_90.ptx");
    ptxlint_resources_init(&resources);
    ptxlint_trial_init(&trial);
    size_t count, diagnostics;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    const ptxlint_diagnostic *found = ptxlint_module_diagnostics(module, &diagnostics);
    assert_int_equal(ptxlint_occupancy_compute(ptxlint_gpu_find("h200"), &resources, &occupancy),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_estimate(module, kernels->name, 0, &trial, &estimated),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_thread_index_find(module, kernels->name, &index),
                     PTXLINT_BAD_ARGUMENT);
    occupancy.size = sizeof occupancy;
    estimated.size = sizeof estimated;
    index.size = sizeof index;
    assert_int_equal(ptxlint_occupancy_compute(ptxlint_gpu_find("h200"), &resources, &occupancy),
                     PTXLINT_OK);
    assert_int_equal(ptxlint_estimate(module, kernels->name, 0, &trial, &estimated), PTXLINT_OK);
    assert_int_equal(ptxlint_thread_index_find(module, kernels->name, &index), PTXLINT_OK);
    assert_int_equal(occupancy.size + estimated.size + index.size,
                     sizeof occupancy + sizeof estimated + sizeof index);
    assert_int_equal(ptxlint_module_get_info(module)->size, sizeof(ptxlint_module_info));
    assert_true(count && kernels->loop_count && kernels->access_count && kernels->branch_count
                && kernels->projection_count && diagnostics);
    for (size_t k = 0; k < count; k++) {
        const ptxlint_kernel *kernel = &kernels[k];
        assert_int_equal(kernel->size, sizeof *kernel);
        for (size_t i = 0; i < kernel->loop_count; i++)
            assert_int_equal(kernel->loops[i].size, sizeof *kernel->loops);
        for (size_t i = 0; i < kernel->access_count; i++)
            assert_int_equal(kernel->accesses[i].size, sizeof *kernel->accesses);
        for (size_t i = 0; i < kernel->branch_count; i++)
            assert_int_equal(kernel->branches[i].size, sizeof *kernel->branches);
        for (size_t i = 0; i < kernel->projection_count; i++)
            assert_int_equal(kernel->projections[i].size, sizeof *kernel->projections);
        for (size_t i = 0; i < kernel->param_count; i++)
            assert_int_equal(kernel->params[i].size, sizeof *kernel->params);
    }
    for (size_t i = 0; i < diagnostics; i++)
        assert_int_equal(found[i].size, sizeof *found);
    ptxlint_module_free(module);
}

/* Sizes and offsets as ptxas 13.0 writes them into the cubin (.nv.info) for (char, double, struct {
 * float x; char c[3]; }, short, float4, int *). */
static void test_params(void **state)
{
    (void)state;
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k(.param .u8 a, .param .f64 b, .param .align 4 .b8 "
                               "c[8], .param .u16 d, .param .align 16 .b8 e[16],\n"
                               ".param .u64 .ptr .global .align 4 f)\n{ ret; }\n.entry none() { "
                               "ret; }\n.func g(.param .b32 x) { ret; }\n";
    static const struct {
        const char *name, *type;
        int64_t bytes, offset;
        uint32_t align;
    } wanted[] = {
        { "a", "u8", 1, 0, 1 },   { "b", "f64", 8, 8, 8 },   { "c", "b8", 8, 16, 4 },
        { "d", "u16", 2, 24, 2 }, { "e", "b8", 16, 32, 16 }, { "f", "u64", 8, 48, 8 },
    };
    ptxlint_module *module = kit_module(text);
    const ptxlint_kernel *kernel = kit_kernel(module, "k");
    assert_int_equal(kernel->param_count, COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const ptxlint_param *p = &kernel->params[i];
        if (strcmp(p->name, wanted[i].name) || strcmp(p->type, wanted[i].type)
            || p->bytes != wanted[i].bytes || p->offset != wanted[i].offset
            || p->align != wanted[i].align)
            fail_msg("%s: %s .%s, %lld bytes at %lld, align %u", wanted[i].name, p->name, p->type,
                     (long long)p->bytes, (long long)p->offset, p->align);
    }
    assert_int_equal(kernel->param_bytes, 56);
    assert_int_equal(kit_kernel(module, "none")->param_count, 0);
    assert_int_equal(kit_kernel(module, "g")->param_count, 0);
    ptxlint_module_free(module);
}

/* Figures are for the GPUs asked for, or for the one that .target names. */
static void test_gpus(void **state)
{
    (void)state;
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module), PTXLINT_OK);
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    assert_int_equal(info->gpu_count, 1);
    assert_string_equal(ptxlint_gpu_get_info(info->gpus[0])->name, "sm_90");
    ptxlint_module_free(module);

    const ptxlint_gpu *gpus[] = { ptxlint_gpu_find("g80"), ptxlint_gpu_find("h200") };
    options.gpus = gpus;
    options.gpu_count = 2;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module), PTXLINT_OK);
    info = ptxlint_module_get_info(module);
    assert_int_equal(info->gpu_count, 2);
    assert_ptr_equal(info->gpus[0], gpus[0]);
    assert_ptr_equal(info->gpus[1], gpus[1]);
    assert_string_equal(info->target, "sm_90");
    ptxlint_module_free(module);

    gpus[1] = NULL;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module), PTXLINT_BAD_ARGUMENT);
    options.gpus = NULL;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module), PTXLINT_BAD_ARGUMENT);
}

static void test_statuses(void **state)
{
    (void)state;
    for (int a = PTXLINT_OK; a <= PTXLINT_WRITE; a++) {
        assert_true(strlen(ptxlint_status_text((ptxlint_status)a)) > 0);
        for (int b = PTXLINT_OK; b < a; b++)
            assert_string_not_equal(ptxlint_status_text((ptxlint_status)a),
                                    ptxlint_status_text((ptxlint_status)b));
    }
    assert_non_null(ptxlint_status_text((ptxlint_status)99));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PTXLINT_VERSION_NUMBER / 10000,
             PTXLINT_VERSION_NUMBER / 100 % 100, PTXLINT_VERSION_NUMBER % 100);
    assert_string_equal(ptxlint_version(), version);
    assert_string_equal(ptxlint_version(), PTXLINT_VERSION_STRING);
}

static void test_open(void **state)
{
    (void)state;
    ptxlint_module *module = unset;
    errno = 0;
    assert_int_equal(ptxlint_module_open("/nonexistent/file.ptx", NULL, &module), PTXLINT_IO);
    assert_null(module);
    assert_int_equal(errno, ENOENT);
    module = unset;
    assert_int_equal(ptxlint_module_open(PTXLINT_SOURCE_ROOT, NULL, &module), PTXLINT_IO);
    assert_null(module);
    const char *path = PTXLINT_SOURCE_ROOT "/testdata/ptx/saxpy.sm_90.ptx";
    assert_int_equal(ptxlint_module_open(path, NULL, &module), PTXLINT_OK);
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    assert_string_equal(info->path, path);
    assert_string_equal(info->target, "sm_90");
    assert_int_equal(info->address_size, 64);
    assert_int_equal(info->text[info->length], 0);
    assert_int_equal(strlen(info->text), info->length);
    assert_true(info->memory_bytes >= info->length);
    ptxlint_module_free(module);
}

/* The text is copied: the caller may overwrite his. */
static void test_text_is_copied(void **state)
{
    (void)state;
    char text[] = PTX;
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    memset(text, 'x', sizeof text);
    assert_string_equal(ptxlint_module_get_info(module)->text, PTX);
    assert_string_equal(ptxlint_module_get_info(module)->path, "-");
    assert_string_equal(kit_kernel(module, NULL)->name, "k");
    ptxlint_module_free(module);
}

static void test_syntax_only(void **state)
{
    (void)state;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.syntax_only = 1;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &module), PTXLINT_OK);
    char *got = kit_list(module, false);
    assert_string_equal(got, "");
    free(got);
    assert_true(kit_kernel(module, NULL)->pressure.max_live == PTXLINT_UNKNOWN);
    ptxlint_module_free(module);
    module = kit_module(PTX);
    got = kit_list(module, false);
    assert_string_equal(got, "COR101:4");
    free(got);
    ptxlint_module_free(module);
}

/* ---- limits and odd input -------------------------------------------------------------------- */

static void sweep(const char *path)
{
    size_t length, refused = 0, accepted = 0;
    char *text = kit_read(path, &length);
    for (size_t limit = 1; limit < (size_t)64 << 20 && accepted < 3; limit += limit / 5 + 1) {
        ptxlint_options options;
        ptxlint_module *module = unset;
        ptxlint_options_init(&options);
        options.max_memory_bytes = limit;
        ptxlint_status status = ptxlint_module_new(text, length, &options, &module);
        if (status == PTXLINT_OK) {
            assert_true(ptxlint_module_get_info(module)->memory_bytes <= limit + length);
            ptxlint_module_free(module);
            accepted++;
        } else {
            assert_int_equal(status, PTXLINT_NO_MEMORY);
            assert_null(module);
            assert_int_equal(accepted, 0);
            refused++;
        }
    }
    assert_int_equal(accepted, 3);
    assert_true(refused > 5);
    free(text);
}

static void test_memory_limits(void **state)
{
    (void)state;
    sweep("testdata/ptx/saxpy.sm_90.lineinfo.ptx");
    sweep("testdata/ptx/gemm.sm_90.ptx");
    sweep("testdata/ptx/softmax.sm_120.ptx");
    sweep("tests/golden/report/findings.ptx");
    sweep("tests/golden/LIM101-201-braces.ptx");
}

static void test_odd_input(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        const char *bytes;
        size_t length;
        const char *rule;
    } cases[] = {
        { "nothing", "", 0, "SYN301" },
        { "blanks", " \n\t\n", 4, "SYN301" },
        { "a comment", "// x", 4, "SYN301" },
        { "XML", "<?xml version=\"1.0\"?><a>b</a>", 30, "SYN106" },
        { "ELF",
          "\x7f"
          "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\276\0\1\0\0\0",
          24, "SYN106" },
        { "a fat binary", "\x50\xed\x55\xba\1\0\20\0\0\0\0\0", 12, "SYN106" },
        { "an archive", "!<arch>\nx.o/  ", 14, "SYN106" },
        { "a NUL", "\0", 1, "SYN101" },
        { "bytes", "\xff\xfe\xfd", 3, "SYN101" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = NULL;
        assert_int_equal(ptxlint_module_new(cases[i].bytes, cases[i].length, NULL, &module),
                         PTXLINT_OK);
        char *got = kit_list(module, true);
        if (!strstr(got, cases[i].rule))
            fail_msg("%s: %s, want %s", cases[i].what, got, cases[i].rule);
        size_t count;
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        if (!strcmp(cases[i].rule, "SYN106"))
            assert_int_equal(count, 1);         /* said once, and nothing of its bytes */
        for (size_t d = 0; d < count; d++)
            assert_true(diags[d].span.begin <= diags[d].span.end
                        && diags[d].span.end <= cases[i].length);
        ptxlint_module_kernels(module, &count);
        assert_int_equal(count, 0);
        free(got);
        ptxlint_module_free(module);
    }
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(NULL, 0, NULL, &module), PTXLINT_OK);
    ptxlint_module_free(module);
}

/* Every prefix of a module is read; what diagnostics say lies inside it, worst first, and every
 * kernel too. */
static void test_prefixes(void **state)
{
    (void)state;
    size_t length;
    char *text = kit_read("tests/golden/report/findings.ptx", &length);
    for (size_t n = 0; n <= length; n++) {
        ptxlint_module *module = NULL;
        assert_int_equal(ptxlint_module_new(text, n, NULL, &module), PTXLINT_OK);
        size_t count;
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        for (size_t d = 0; d < count; d++) {
            if (diags[d].span.begin > diags[d].span.end || diags[d].span.end > n)
                fail_msg("prefix of %zu: %s at %u..%u", n, diags[d].rule, diags[d].span.begin,
                         diags[d].span.end);
            if (d && diags[d].severity > diags[d - 1].severity)
                fail_msg("prefix of %zu: a diagnostic comes before a worse one", n);
        }
        const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
        for (size_t k = 0; k < count; k++)
            if (kernels[k].span.begin > kernels[k].span.end || kernels[k].span.end > n)
                fail_msg("prefix of %zu: kernel at %u..%u", n, kernels[k].span.begin,
                         kernels[k].span.end);
        ptxlint_module_free(module);
    }
    free(text);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void test_places(void **state)
{
    (void)state;
    /*                         0123 4 5  6 7 8     9 ... */
    static const char text[] = "ab\r\n//\xC3\xB6x\xF0\x9F\x98\x80y\n\nz";
    static const struct { uint32_t offset, line, column, utf16, begin, end; } cases[] = {
        { 0, 1, 1, 1, 0, 2 }, { 1, 1, 2, 2, 0, 2 }, { 2, 1, 3, 3, 0, 2 }, { 3, 1, 4, 4, 0, 2 },
        { 4, 2, 1, 1, 4, 14 }, { 6, 2, 3, 3, 4, 14 }, { 8, 2, 5, 4, 4, 14 }, { 9, 2, 6, 5, 4, 14 },
        { 13, 2, 10, 7, 4, 14 }, { 14, 2, 11, 8, 4, 14 }, { 15, 3, 1, 1, 15, 15 }, { 16, 4, 1, 1, 16, 17 }, { 17, 4, 2, 2, 16, 17 },
        { 99, 4, 2, 2, 16, 17 },
    };
    ptxlint_module *module = NULL;
    assert_int_equal(ptxlint_module_new(text, sizeof text - 1, NULL, &module), PTXLINT_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_place p = ptxlint_module_place(module, cases[i].offset);
        if (p.line != cases[i].line || p.column != cases[i].column || p.line_begin != cases[i].begin
            || p.line_end != cases[i].end)
            fail_msg("offset %u: line %u, column %u, %u..%u", cases[i].offset, p.line, p.column,
                     p.line_begin, p.line_end);
        assert_int_equal(ptxlint_module_column_utf16(module, cases[i].offset), cases[i].utf16);
    }
    ptxlint_module_free(module);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void test_launches(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "{}",
        "{\"kernels\": []}",
        "{\"kernels\": {\"k\": 1}}",
        "{\"kernels\": {\"k\": {\"grid\": [0]}}}",
        "{\"kernels\": {\"k\": {\"block\": [1, 2, 3, 4]}}}",
        "{\"kernels\": {\"k\": {\"block\": [-1]}}}",
        "{\"kernels\": {\"k\": {\"dynamic_shared\": -1}}}",
        "{\"kernels\": {\"k\": {\"params\": {}}}}",
        "{\"kernels\": {}, \"kernels\": {}}",
    };
    ptxlint_launches *launches;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char error[128] = "";
        launches = (ptxlint_launches *)&(char){ 0 };
        if (ptxlint_launches_new(bad[i], strlen(bad[i]), &launches, error, sizeof error)
            != PTXLINT_BAD_FILE)
            fail_msg("%s: is taken", bad[i]);
        assert_null(launches);
        assert_true(strlen(error) > 0);
        assert_int_equal(ptxlint_launches_new(bad[i], strlen(bad[i]), &launches, NULL, 0),
                         PTXLINT_BAD_FILE);
        assert_int_equal(ptxlint_launches_new(bad[i], strlen(bad[i]), &launches, error, 2),
                         PTXLINT_BAD_FILE);
        assert_int_equal(error[1], 0);
    }
    assert_int_equal(ptxlint_launches_new("{}", 2, NULL, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_launches_new(NULL, 2, &launches, NULL, 0), PTXLINT_BAD_ARGUMENT);
    const char *good =
        "{\"kernels\": {\"k\": {\"grid\": [64, 2], \"block\": [128], \"dynamic_shared\": 4096}}}";
    assert_int_equal(ptxlint_launches_new(good, strlen(good), &launches, NULL, 0), PTXLINT_OK);
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.launches = launches;
    const char *text =
        ".version 8.0\n.target sm_90\n.entry k() { ret; }\n.entry other() { ret; }\n";
    ptxlint_module *module;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    const ptxlint_launch *launch = &kit_kernel(module, "k")->launch;
    assert_int_equal(launch->source, PTXLINT_LAUNCH_FILE);
    assert_int_equal(launch->grid[0], 64);
    assert_int_equal(launch->grid[1], 2);
    assert_int_equal(launch->grid[2], 1);
    assert_int_equal(launch->block[0], 128);
    assert_int_equal(launch->block[2], 1);
    assert_int_equal(launch->dynamic_shared_bytes, 4096);
    launch = &kit_kernel(module, "other")->launch;
    assert_int_equal(launch->source, PTXLINT_LAUNCH_ASSUMED);
    assert_true(launch->grid[0] == PTXLINT_UNKNOWN
                && launch->dynamic_shared_bytes == PTXLINT_UNKNOWN);
    assert_int_equal(launch->block[0], 256);            /* assumed */
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
}

/* ---- writing --------------------------------------------------------------------------------- */

static int refuse(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    ++*(int *)context;
    return 1;
}

static void test_write_arguments(void **state)
{
    (void)state;
    ptxlint_writer *writer = NULL;
    ptxlint_write_options options;
    Text text = { 0 };
    ptxlint_write_options_init(&options);
    assert_int_equal(options.size, sizeof options);
    assert_int_equal(ptxlint_writer_new(PTXLINT_DIAGNOSTICS, &options, kit_write, &text, NULL),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_new(PTXLINT_DIAGNOSTICS, &options, NULL, NULL, &writer),
                     PTXLINT_BAD_ARGUMENT);
    assert_null(writer);
    assert_int_equal(ptxlint_writer_new((ptxlint_document)7, &options, kit_write, &text, &writer),
                     PTXLINT_BAD_ARGUMENT);
    options.format = PTXLINT_ONELINE;
    assert_int_equal(ptxlint_writer_new(PTXLINT_REPORT, &options, kit_write, &text, &writer),
                     PTXLINT_BAD_ARGUMENT);
    options.format = (ptxlint_format)9;
    assert_int_equal(ptxlint_writer_new(PTXLINT_REPORT, &options, kit_write, &text, &writer),
                     PTXLINT_BAD_ARGUMENT);
    ptxlint_write_options_init(&options);
    options.size--;
    assert_int_equal(ptxlint_writer_new(PTXLINT_REPORT, &options, kit_write, &text, &writer),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_add(NULL, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_finish(NULL), PTXLINT_BAD_ARGUMENT);
}

/* What is wrong in the order of calls, or in a list, is said and does no harm. */
static void test_misuse(void **state)
{
    (void)state;
    ptxlint_writer *writer = NULL;
    Text text = { 0 };
    ptxlint_module *module = kit_module(PTX);
    const ptxlint_module *const list[] = { module, NULL };
    assert_int_equal(ptxlint_write_report(list, COUNT(list), NULL, kit_write, &text),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_write_diagnostics(NULL, 1, NULL, kit_write, &text),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(text.length, 0);
    assert_int_equal(ptxlint_writer_new(PTXLINT_DIAGNOSTICS, NULL, kit_write, &text, &writer),
                     PTXLINT_OK);
    assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_OK);
    const size_t length = text.length;
    assert_int_equal(ptxlint_writer_add(writer, module), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_attach(writer, "key", "1", 1), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_BAD_ARGUMENT);
    ptxlint_writer_free(writer);
    assert_int_equal(text.length, length);
    free(text.bytes);
    ptxlint_module_free(module);
    for (size_t i = 0; ptxlint_gpu_at(i); i++)
        ptxlint_gpu_free((ptxlint_gpu *)(uintptr_t)ptxlint_gpu_at(i));
    assert_string_equal(ptxlint_gpu_get_info(ptxlint_gpu_at(0))->name,
                        ptxlint_gpu_get_info(ptxlint_gpu_find(
                            ptxlint_gpu_get_info(ptxlint_gpu_at(0))->name))->name);
}

/* A list with a hole in it is refused, or nothing is counted; one that is not there has no
 * items. */
static void test_holes(void **state)
{
    (void)state;
    static const char *const words[] = { "syntax", NULL };
    size_t counts[4] = { 7, 7, 7, 7 };
    Text text = { 0 };
    ptxlint_options options;
    ptxlint_write_options writes;
    ptxlint_fix_options fixing;
    ptxlint_fixes *fixes = (ptxlint_fixes *)(void *)unset;
    ptxlint_report *report = NULL, *other = NULL;
    ptxlint_diff *diff = NULL;
    ptxlint_module *module = kit_module(PTX);
    const ptxlint_module *const list[] = { module, NULL };
    const ptxlint_gpu *const gpus[] = { ptxlint_gpu_at(0), NULL };
    ptxlint_options_init(&options);
    ptxlint_write_options_init(&writes);
    ptxlint_fix_options_init(&fixing);
    writes.groups = fixing.groups = words;
    writes.group_count = fixing.group_count = COUNT(words);
    assert_int_equal(ptxlint_write_diagnostics(list, 1, &writes, kit_write, &text),
                     PTXLINT_BAD_ARGUMENT);
    ptxlint_count_diagnostics(list, 1, &writes, counts);
    assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3], 0);
    assert_int_equal(ptxlint_fixes_new(module, &options, &fixing, &fixes), PTXLINT_BAD_ARGUMENT);
    assert_null(fixes);
    fixing.groups = NULL;
    assert_int_equal(ptxlint_fixes_new(module, &options, &fixing, &fixes), PTXLINT_OK);
    ptxlint_fixes_free(fixes);
    assert_int_equal(ptxlint_write_gpus(gpus, COUNT(gpus), NULL, kit_write, &text),
                     PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_calibrate(list, COUNT(list), NULL, NULL, NULL), PTXLINT_BAD_ARGUMENT);
    options.gpus = gpus;
    options.gpu_count = COUNT(gpus);
    ptxlint_module *none = unset;
    assert_int_equal(ptxlint_module_new(PTX, strlen(PTX), &options, &none), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_report_new(&report), PTXLINT_OK);
    assert_int_equal(ptxlint_report_new(&other), PTXLINT_OK);
    assert_int_equal(ptxlint_diff_new(report, other, words + 1, 1, &diff, NULL, 0),
                     PTXLINT_BAD_ARGUMENT);
    assert_null(diff);
    ptxlint_report_free(report);
    ptxlint_report_free(other);
    free(text.bytes);
    ptxlint_module_free(module);
}

/* Every function that takes a handle takes NULL for it. */
static void test_null(void **state)
{
    (void)state;
    size_t count = 7, counts[4] = { 7, 7, 7, 7 };
    ptxlint_resources_init(NULL);
    ptxlint_options_init(NULL);
    ptxlint_verify_options_init(NULL);
    ptxlint_input_options_init(NULL);
    ptxlint_fix_options_init(NULL);
    ptxlint_trial_init(NULL);
    ptxlint_write_options_init(NULL);
    ptxlint_diff_options_init(NULL);
    const void *const nothing[] = {
        ptxlint_module_get_info(NULL),        ptxlint_gpu_get_info(NULL),
        ptxlint_isa_get_info(NULL),           ptxlint_input_get_info(NULL),
        ptxlint_fixes_get_info(NULL),         ptxlint_graph_get_info(NULL),
        ptxlint_diff_get_info(NULL),          ptxlint_input_at(NULL, 0),
        ptxlint_input_trouble(NULL, 0),       ptxlint_module_symbol_at(NULL, 0),
        ptxlint_module_launch(NULL, 1),       ptxlint_schema_text(NULL),
        ptxlint_module_symbols(NULL, &count), ptxlint_module_diagnostics(NULL, NULL),
        ptxlint_tokens_all(NULL, &count),     ptxlint_requests_all(NULL, &count),
        ptxlint_module_kernels(NULL, NULL),   ptxlint_module_kernels(NULL, &count),
        ptxlint_recognition_items(NULL, NULL),
        ptxlint_recognition_items(NULL, &count),
    };
    for (size_t i = 0; i < COUNT(nothing); i++)
        assert_null(nothing[i]);
    assert_int_equal(count, 0);
    assert_int_equal(ptxlint_tokens_find(NULL, 3), 0);
    assert_int_equal(ptxlint_recognition_is_cut(NULL), 0);
    assert_int_equal(ptxlint_measurement_at(NULL, 0, NULL), 0);
    assert_int_equal(ptxlint_measurement_is_of(NULL, 0, NULL, NULL), 0);
    assert_int_equal(ptxlint_verify(NULL, NULL, NULL, 0, NULL, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_recognition_new(NULL, NULL, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_module_place(NULL, 3).line, 0);
    assert_int_equal(ptxlint_module_column_utf16(NULL, 3), 1);
    assert_int_equal(ptxlint_module_statement(NULL, 0, NULL, 4), 0);
    assert_int_equal(ptxlint_module_source_at(NULL, 0, NULL), 0);
    assert_int_equal(ptxlint_module_source_find(NULL, NULL, 1, NULL, 0), 0);
    assert_int_equal(ptxlint_module_live_at(NULL, 0), PTXLINT_UNKNOWN);
    assert_int_equal(ptxlint_module_value_at(NULL, 0, NULL), 0);
    assert_int_equal(ptxlint_module_body(NULL, NULL), 0);
    assert_int_equal(ptxlint_fixes_at(NULL, 0, NULL), 0);
    assert_int_equal(ptxlint_diff_tolerance_at(NULL, 0, NULL, 0), 0);
    ptxlint_count_diagnostics(NULL, 1, NULL, NULL);
    ptxlint_count_diagnostics(NULL, 1, NULL, counts);
    assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3], 0);
}

static void test_write_fails(void **state)
{
    (void)state;
    static const struct { ptxlint_document document; ptxlint_format format; } cases[] = {
        { PTXLINT_DIAGNOSTICS, PTXLINT_TEXT }, { PTXLINT_DIAGNOSTICS, PTXLINT_ONELINE }, { PTXLINT_DIAGNOSTICS, PTXLINT_JSON },
        { PTXLINT_REPORT, PTXLINT_TEXT }, { PTXLINT_REPORT, PTXLINT_JSON },
    };
    ptxlint_module *module = kit_module(PTX);
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_writer *writer;
        ptxlint_write_options options;
        int calls = 0;
        ptxlint_write_options_init(&options);
        options.format = cases[i].format;
        assert_int_equal(ptxlint_writer_new(cases[i].document, &options, refuse, &calls, &writer),
                         PTXLINT_OK);
        ptxlint_writer_add(writer, module);
        assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_WRITE);
        assert_int_equal(ptxlint_writer_add(writer, module), PTXLINT_WRITE);
        assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_WRITE);
        assert_int_equal(calls, 1);
        ptxlint_writer_free(writer);
    }
    ptxlint_module_free(module);
}

static char *render(const ptxlint_module *const *modules, size_t count,
                    const ptxlint_write_options *options)
{
    Text text = { 0 };
    kit_put(&text, "", 0);
    assert_int_equal(ptxlint_write_diagnostics(modules, count, options, kit_write, &text),
                     PTXLINT_OK);
    return text.bytes;
}

static void test_selection(void **state)
{
    (void)state;
    static const char text[] = ".version 8.0\n.target sm_90\n.entry first() .reqntid 32 { ret; "
                               "}\n.entry second() .reqntid 32 { ret; }\n.global .b32 a[0];\n";
    static const char *const occupancy[] = { "occupancy" }, *const both[] = { "syntax",
                                                                              "occupancy" };
    static const struct {
        const char *glob;
        const char *const *groups;
        size_t group_count;
        const char *want;
        size_t notes, errors;
    } cases[] = {
        { NULL, NULL, 0,
          "-:5:1: error: `a` is an array without a bound, which needs an initialiser or .extern "
          "[SYN205]\n"
          "-:3:8: note: blocks of 32 threads: an SM holds at most 32 blocks [OCC103]\n-:4:8: note: "
          "blocks of 32 threads: an SM holds at most 32 blocks [OCC103]\n",
          2, 1 },
        { NULL, occupancy, 1,
          "-:3:8: note: blocks of 32 threads: an SM holds at most 32 blocks [OCC103]\n-:4:8: note: "
          "blocks of 32 threads: an SM holds at most 32 blocks [OCC103]\n",
          2, 0 },
        { "sec*", occupancy, 1,
          "-:4:8: note: blocks of 32 threads: an SM holds at most 32 blocks [OCC103]\n", 1, 0 },
        { "f?rst", both, 2,
          "-:5:1: error: `a` is an array without a bound, which needs an initialiser or .extern "
          "[SYN205]\n-:3:8: note: blocks of 32 threads: an SM holds at most 32 blocks [OCC103]\n",
          1, 1 },
        { "third", occupancy, 1, "", 0, 0 },
    };
    ptxlint_module *module = kit_module(text);
    const ptxlint_module *modules[] = { module };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_write_options options;
        size_t counts[4];
        ptxlint_write_options_init(&options);
        options.format = PTXLINT_ONELINE;
        options.kernel_glob = cases[i].glob;
        options.groups = cases[i].groups;
        options.group_count = cases[i].group_count;
        char *got = render(modules, 1, &options);
        assert_string_equal(got, cases[i].want);
        ptxlint_count_diagnostics(modules, 1, &options, counts);
        assert_int_equal(counts[PTXLINT_NOTE], cases[i].notes);
        assert_int_equal(counts[PTXLINT_WARNING], 0);
        assert_int_equal(counts[PTXLINT_ERROR], cases[i].errors);
        free(got);
    }
    ptxlint_module_free(module);
}

/* A module at a time, each freed before the next is read, gives the bytes of all at once. */
static void test_streaming(void **state)
{
    (void)state;
    static const char *const paths[] = { "testdata/ptx/saxpy.sm_90.ptx",
                                         "tests/golden/report/findings.ptx",
                                         "testdata/ptx/gemm.sm_80.ptx" };
    for (int document = PTXLINT_DIAGNOSTICS; document <= PTXLINT_REPORT; document++) {
        for (int format = PTXLINT_TEXT; format <= PTXLINT_JSON; format++) {
            if (document == PTXLINT_REPORT && format == PTXLINT_ONELINE)
                continue;
            Text one = { 0 }, all = { 0 };
            ptxlint_write_options options;
            ptxlint_writer *writer;
            ptxlint_module *modules[COUNT(paths)];
            ptxlint_write_options_init(&options);
            options.format = (ptxlint_format)format;
            assert_int_equal(
                ptxlint_writer_new((ptxlint_document)document, &options, kit_write, &one, &writer),
                PTXLINT_OK);
            for (size_t i = 0; i < COUNT(paths); i++) {
                ptxlint_module *module = kit_open(paths[i]);
                assert_int_equal(ptxlint_writer_add(writer, module), PTXLINT_OK);
                ptxlint_module_free(module);
                modules[i] = kit_open(paths[i]);
            }
            assert_int_equal(ptxlint_writer_finish(writer), PTXLINT_OK);
            ptxlint_writer_free(writer);
            const ptxlint_module *const *view = (const ptxlint_module *const *)modules;
            assert_int_equal(
                document == PTXLINT_REPORT
                    ? ptxlint_write_report(view, COUNT(paths), &options, kit_write, &all)
                    : ptxlint_write_diagnostics(view, COUNT(paths), &options, kit_write, &all),
                PTXLINT_OK);
            assert_true(one.length > 0);
            assert_int_equal(one.length, all.length);
            assert_memory_equal(one.bytes, all.bytes, all.length);
            for (size_t i = 0; i < COUNT(paths); i++)
                ptxlint_module_free(modules[i]);
            free(one.bytes);
            free(all.bytes);
        }
    }
}

UNIT(api)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_short_options),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_gpus),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_text_is_copied),
        cmocka_unit_test(test_syntax_only),
        cmocka_unit_test(test_memory_limits),
        cmocka_unit_test(test_odd_input),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_write_arguments),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_streaming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
