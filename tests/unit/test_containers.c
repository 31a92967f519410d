/* test_containers.c -- PTX inside of other files: what tools/make-containers.sh has made, and what
 * no tool would make. */
#include "kit.h"

#include <unistd.h>

#define FOLDER PTXLINT_SOURCE_ROOT "/testdata/containers/"

static ptxlint_input *open_path(const char *path, uint64_t most, char *error, size_t room)
{
    ptxlint_input *input = NULL;
    ptxlint_input_options options;
    ptxlint_input_options_init(&options);
    options.max_unpacked_bytes = most;
    ptxlint_status status = ptxlint_input_open(path, &options, &input, error, room);
    if (status != PTXLINT_OK && status != PTXLINT_BAD_FILE)
        fail_msg("%s: %s", path, ptxlint_status_text(status));
    return input;
}

/* Names of the entries, or why there is none: "1.sm_80.ptx 2.sm_90a.ptx". */
static char *list_entries(const ptxlint_input *input)
{
    const ptxlint_input_entry *entry;
    const ptxlint_input_info *info = ptxlint_input_get_info(input);
    Text text = { 0 };
    kit_print(&text, "%s", info->no_ptx ? info->no_ptx : "");
    for (size_t i = 0; (entry = ptxlint_input_at(input, i)); i++)
        kit_print(&text, "%s%s", i ? " " : "", *entry->name ? entry->name : "itself");
    return text.bytes;
}

/* Kernels of all entries, each of which must be sound: "column column row row". */
static char *list_kernels(const ptxlint_input *input)
{
    Text text = { 0 };
    kit_print(&text, "%s", "");
    for (size_t i = 0; ptxlint_input_at(input, i); i++) {
        ptxlint_module *module = NULL;
        char error[128] = "", name[64];
        size_t count;
        if (ptxlint_input_module(input, i, NULL, &module, error, sizeof error) != PTXLINT_OK) {
            kit_print(&text, "%s%s", text.length ? " " : "", error);
            continue;
        }
        const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
        for (size_t k = 0; k < count; k++) {
            if (!ptxlint_demangle(kernels[k].name, PTXLINT_NAME_PLAIN, name, sizeof name))
                snprintf(name, sizeof name, "%s", kernels[k].name);
            kit_print(&text, "%s%s", text.length ? " " : "", name);
        }
        const char *path = ptxlint_module_get_info(module)->path;
        assert_string_equal(path, ptxlint_input_at(input, i)->path);
        ptxlint_module_free(module);
    }
    return text.bytes;
}

/* ---- files that compilers made --------------------------------------------------------------- */

#define PAIR "1.sm_80.ptx 2.sm_90a.ptx"
#define FOUR PAIR " 3.sm_80.ptx 4.sm_90a.ptx"
#define FOUR_KERNELS "column column row row"

static const struct {
    const char *file, *entries, *kernels;
} files[] = {
    { "column.default.fatbin", PAIR, "column column" },
    { "column.speed.fatbin", PAIR, "column column" },
    { "column.none.fatbin", PAIR, "column column" },
    { "column.o", PAIR, "column column" },
    { "row.rdc.o", PAIR, "row row" },
    { "librow.so", FOUR, FOUR_KERNELS },
    { "librow.a", FOUR, FOUR_KERNELS },
    { "librow.so.xz", FOUR, FOUR_KERNELS },
    { "librow.so!3.sm_80.ptx", "3.sm_80.ptx", "row" },
    { "librow.so.xz!2.sm_90a.ptx", "2.sm_90a.ptx", "column" },
    { "concatenated.fatbin", "1.sm_80.ptx 2.sm_80.ptx", "a b" },
    { "windows.dll", "1.sm_80.ptx 2.sm_80.ptx", "k k" },
    { "macos.dylib", "1.sm_80.ptx 2.sm_80.ptx", "k k" },
    { "row.ptx.gz", "itself", "row" },
    { "row.ptx.zst", "itself", "row" },
    { "row.ptx.xz", "itself", "row" },
    { "row.cubin", "holds machine code alone, no PTX; compile with `nvcc -ptx -lineinfo` instead",
      "" },
    { "cubins.fatbin",
      "holds machine code alone, no PTX; add -gencode arch=compute_90,code=compute_90 to nvcc's "
      "options", "" },
    { "lto.o",
      "holds code for link-time optimization alone, no PTX; add -gencode "
      "arch=compute_80,code=compute_80 to nvcc's options", "" },
    { "tile.fatbin", "holds Tile IR alone, which is no PTX: there is nothing to analyse", "" },
};

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[256], error[128];
        snprintf(path, sizeof path, FOLDER "%s", files[i].file);
        ptxlint_input *input = open_path(path, 0, error, sizeof error);
        if (!input)
            fail_msg("%s: %s", files[i].file, error);
        char *entries = list_entries(input), *kernels = list_kernels(input);
        if (strcmp(entries, files[i].entries) != 0 || strcmp(kernels, files[i].kernels) != 0)
            fail_msg("%s: %s: %s", files[i].file, entries, kernels);
        assert_int_equal(ptxlint_input_get_info(input)->trouble_count, 0);
        free(entries);
        free(kernels);
        ptxlint_input_free(input);
    }
}

/* .loc still leads to the CUDA source. */
static void test_source_lines(void **state)
{
    (void)state;
    char error[128];
    size_t count;
    ptxlint_module *module;
    ptxlint_input *input = open_path(FOLDER "librow.so!3.sm_80.ptx", 0, error, sizeof error);
    assert_non_null(input);
    assert_int_equal(ptxlint_input_module(input, 0, NULL, &module, NULL, 0), PTXLINT_OK);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_int_equal(count, 1);
    assert_true(kernels[0].access_count > 0);
    const char *text = ptxlint_module_get_info(module)->text;
    assert_non_null(strstr(text, "row.cu"));
    assert_non_null(strstr(ptxlint_module_get_info(module)->path, "librow.so!3.sm_80.ptx"));
    ptxlint_module_free(module);
    ptxlint_input_free(input);
}

/* ---- files that lie -------------------------------------------------------------------------- */

/* A container of two entries of 64 + 80 bytes, made anew for each case. */
enum { FIRST = 16, SECOND = FIRST + 64 + 80, END = SECOND + 64 + 80 };

static void put_number(unsigned char *at, uint64_t number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

static void put_entry(unsigned char *at, char name)
{
    memset(at, 0, 64 + 80);
    put_number(at, 1, 2);
    put_number(at + 2, 0x101, 2);
    put_number(at + 4, 64, 4);
    put_number(at + 8, 80, 8);
    put_number(at + 26, 8, 2);
    put_number(at + 28, 80, 4);
    put_number(at + 40, 0x11, 8);
    snprintf((char *)at + 64, 80, ".version 8.0\n.target sm_80\n.entry %c()\n{\nret;\n}\n", name);
}

static void put_container(unsigned char *out)
{
    put_number(out, 0xBA55ED50, 4);
    put_number(out + 4, 1, 2);
    put_number(out + 6, 16, 2);
    put_number(out + 8, END - FIRST, 8);
    put_entry(out + FIRST, 'a');
    put_entry(out + SECOND, 'b');
}

static const struct {
    const char *what;
    size_t at, count;
    uint64_t number;
    size_t length;              /* of the file; 0: all */
    const char *kernels, *trouble;
} lies[] = {
    { "as it is", 0, 0, 0, 0, "a b", NULL },
    { "the container is longer than the file", 8, 8, 1 << 20, 0, "a b", "longer than what holds it" },
    { "and as long as a number can be", 8, 8, UINT64_MAX, 0, "a b", "longer than what holds it" },
    { "the container is cut off", 0, 0, 0, SECOND + 70, "a", "longer than what holds it" },
    { "in the header of an entry", 0, 0, 0, SECOND + 8, "a", "in the header of an entry" },
    { "in its own header", 0, 0, 0, 12, "", "the header of a container is cut off" },
    { "a payload beyond the end", SECOND + 8, 8, 1 << 20, 0, "a", "longer than its container" },
    { "a payload that wraps around", FIRST + 8, 8, UINT64_MAX - 63, 0, "", "longer than its container" },
    { "a header of nothing", SECOND + 4, 4, 0, 0, "a", "an impossible length" },
    { "a header beyond the end", FIRST + 4, 4, UINT32_MAX, 0, "", "an impossible length" },
    { "more packed bytes than bytes", FIRST + 16, 4, 81, 0, "b", "packed length of this entry" },
    { "another version", 4, 2, 7, 0, "", "a version that ptxlint does not know" },
    { "an unknown kind", FIRST, 2, 0x1234, 0, "b", NULL },
    { "machine code", FIRST, 2, 2, 0, "b", NULL },
    { "PTX that can be linked", FIRST, 2, 0x40, 0, "a b", NULL },
    { "zstd that is none", FIRST + 40, 8, 0x8011, 0, "its packed data is damaged or cut off b", NULL },
    { "LZ4 that is none", FIRST + 40, 8, 0x2011, 0, "its packed data is damaged or cut off b", NULL },
};

static bool has_trouble(const ptxlint_input *input, const char *wanted)
{
    const char *trouble;
    for (size_t i = 0; (trouble = ptxlint_input_trouble(input, i)); i++)
        if (strstr(trouble, wanted))
            return true;
    return false;
}

static void check_lie(size_t i, const char *path, int file)
{
    const size_t length = lies[i].length ? lies[i].length : END;
    unsigned char bytes[END];
    char error[128];
    put_container(bytes);
    put_number(bytes + lies[i].at, lies[i].number, lies[i].count);
    assert_int_equal(ftruncate(file, (off_t)length), 0);
    assert_int_equal(pwrite(file, bytes, length, 0), length);
    ptxlint_input *input = open_path(path, 0, error, sizeof error);
    assert_non_null(input);
    char *kernels = list_kernels(input);
    const char *trouble = ptxlint_input_trouble(input, 0);
    bool is_told = lies[i].trouble ? has_trouble(input, lies[i].trouble) : !trouble;
    if (strcmp(kernels, lies[i].kernels) != 0 || !is_told)
        fail_msg("%s: %s: %s", lies[i].what, kernels, trouble ? trouble : "no trouble");
    free(kernels);
    ptxlint_input_free(input);
}

static void test_lies(void **state)
{
    char path[] = "/tmp/ptxlint-container-XXXXXX";
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    for (size_t i = 0; i < COUNT(lies); i++)
        check_lie(i, path, file);
    close(file);
    unlink(path);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void test_limit(void **state)
{
    (void)state;
    char error[128] = "";
    assert_null(open_path(FOLDER "row.ptx.gz", 100, error, sizeof error));
    assert_string_equal(error, "it unpacks to more than the limit (--max-unpacked)");
    ptxlint_input *input = open_path(FOLDER "row.ptx.gz", 668, error, sizeof error);
    assert_non_null(input);             /* as many as it has */
    ptxlint_input_free(input);
    input = open_path(FOLDER "librow.so", 100, error, sizeof error);
    assert_non_null(input);
    ptxlint_module *module;
    assert_int_equal(ptxlint_input_module(input, 0, NULL, &module, error, sizeof error),
                     PTXLINT_BAD_FILE);
    assert_null(module);
    assert_string_equal(error, "it unpacks to more than the limit (--max-unpacked)");
    ptxlint_input_free(input);
}

static void test_arguments(void **state)
{
    (void)state;
    ptxlint_input *input;
    ptxlint_module *module;
    ptxlint_input_options options = { .size = 1 };
    char error[128];
    assert_int_equal(ptxlint_input_open(NULL, NULL, &input, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_input_open("x", &options, &input, NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_input_open("/none", NULL, &input, NULL, 0), PTXLINT_IO);
    assert_int_equal(ptxlint_input_open("/none!1.sm_80.ptx", NULL, &input, NULL, 0), PTXLINT_IO);
    assert_null(open_path(FOLDER "librow.so!9.sm_80.ptx", 0, error, sizeof error));
    assert_non_null(strstr(error, "no such entry"));
    input = open_path(FOLDER "row.cubin", 0, error, sizeof error);
    assert_int_equal(ptxlint_input_module(input, 0, NULL, &module, NULL, 0), PTXLINT_BAD_ARGUMENT);
    ptxlint_input_free(input);
    ptxlint_input_free(NULL);
}

/* A dump may end in NULs, as a buffer does. */
static void test_dump(void **state)
{
    (void)state;
    static const char dump[] = ".version 8.0\n.target sm_80\n.entry k()\n{\nret;\n}\n\0\0\0";
    ptxlint_module *module;
    size_t count;
    assert_int_equal(ptxlint_module_new(dump, sizeof dump, NULL, &module), PTXLINT_OK);
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        assert_int_not_equal(diagnostics[i].severity, PTXLINT_ERROR);
    assert_int_equal(ptxlint_module_get_info(module)->length, strlen(dump));
    ptxlint_module_free(module);
}

UNIT(containers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),     cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_lies),      cmocka_unit_test(test_limit),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
