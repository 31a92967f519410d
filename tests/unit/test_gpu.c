/* test_gpu.c -- GPUs as data: figures of the founding documents, what every file must hold, and the
 * reader's complaints. */
#include "kit.h"

#include <math.h>

static double figure(const char *gpu_name, const char *key)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find(gpu_name);
    if (!gpu)
        fail_msg("there is no GPU %s", gpu_name);
    return ptxlint_gpu_value(gpu, key);
}

/* Lanes of a pipe for one class of machine operations. */
static double rate(const char *gpu_name, const char *pipe_name, const char *class_name)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find(gpu_name);
    ptxlint_pipe pipe;
    const char *key;
    for (size_t p = 0; ptxlint_gpu_pipe(gpu, p, &pipe); p++) {
        for (size_t c = 0; ptxlint_gpu_rate(gpu, p, c, NULL), !strcmp(pipe.key, pipe_name); c++) {
            double lanes = ptxlint_gpu_rate(gpu, p, c, &key);
            if (!key)
                break;
            if (!strcmp(key, class_name))
                return lanes;
        }
    }
    fail_msg("%s: pipe %s has no class %s", gpu_name, pipe_name, class_name);
    return 0;
}

/* The H200 stands in for other GPUs, so its file has all that the model of time asks for. */
static void test_measured(void **state)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_figure f;
    (void)state;
    for (size_t i = 0; ptxlint_gpu_figure(gpu, i, &f); i++) {
        bool is_of_time = !strcmp(f.section, "latency") || !strcmp(f.section, "sustained");
        if (is_of_time && isnan(f.value) && strcmp(f.key, "texture_latency_min") != 0)
            fail_msg("h200 has no %s", f.key);
    }
}

/* ---- the founding documents ------------------------------------------------------------------ */

/* S0: Ryoo et al., PPoPP 2008. S1: slides on it. S3: Torres et al., "CUDA tuning and configuration
 * parameters on Fermi architecture". S4: Micikevicius, "GPU Performance Analysis and Optimization",
 * GTC 2012. The number is the row of our list of seed numbers. */
static void test_documents(void **state)
{
    (void)state;
    static const struct { int row; const char *gpu, *key; double value; } rows[] = {
        { 1, "g80", "sms", 16 },                    { 1, "g80", "clock_mhz", 1350 },
        { 1, "g80", "registers_per_sm", 8192 },     /* S0 section 1 prints 8096; its section 3.2 and S1 have 8192 */
        { 1, "g80", "threads_per_sm", 768 },        { 1, "g80", "blocks_per_sm", 8 },
        { 1, "g80", "threads_per_block", 512 },     { 1, "g80", "warp_size", 32 },
        { 1, "g80", "shared_per_sm", 16384 },       { 1, "g80", "shared_banks", 16 },
        { 1, "g80", "const_bytes", 65536 },         { 1, "g80", "const_cache_bytes", 8192 },
        { 1, "g80", "texture_cache_bytes", 16384 }, { 1, "g80", "texture_cache_sms", 2 },
        { 1, "g80", "memory_mib", 768 },            { 1, "g80", "grid_x", 65535 },
        { 1, "g80", "grid_y", 65535 },              { 1, "g80", "grid_z", 1 },
        { 5, "g80", "memory_gb_per_s", 86.4 },
        { 39, "g80", "global_latency_min", 200 },   { 39, "g80", "global_latency_max", 300 },
        { 39, "g80", "texture_latency_min", 100 },
        { 49, "c2050", "threads_per_block", 1024 }, { 49, "c2050", "threads_per_sm", 1536 },
        { 54, "k20", "registers_per_sm", 65536 },   { 54, "k20", "shared_per_sm", 49152 },
        { 54, "k20", "threads_per_sm", 2048 },      { 54, "k20", "blocks_per_sm", 16 },
        { 54, "c2050", "registers_per_thread", 63 }, { 54, "k10", "registers_per_thread", 63 },
        { 54, "k20", "registers_per_thread", 255 }, { 54, "c2050", "registers_per_sm", 32768 },
        { 54, "c2050", "threads_per_sm", 1536 },    { 54, "c2050", "blocks_per_sm", 8 },
        { 74, "c2050", "store_bytes", 32 },         { 74, "c2050", "load_uncached_bytes", 32 },
        { 74, "c2050", "load_bytes", 128 },         { 74, "k20", "store_bytes", 32 },
        { 97, "k10", "sms", 8 },                    { 97, "k10", "l2_bytes", 512 << 10 },
        { 97, "k40", "l2_bytes", 1536 << 10 },      { 97, "c2050", "l2_bytes", 768 << 10 },
        { 97, "k10", "memory_gb_per_s", 160 },      { 97, "k20", "concurrent_kernels", 32 },
        { 97, "k10", "loads_past_l1", 1 },          { 97, "k40", "loads_past_l1", 1 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!(figure(rows[i].gpu, rows[i].key) == rows[i].value))
            fail_msg("row %d: %s.%s is %g, want %g", rows[i].row, rows[i].gpu, rows[i].key,
                     figure(rows[i].gpu, rows[i].key), rows[i].value);
}

/* Rows 1 to 6, 49, 55: 8 cores an SM; 172.8 G op/s, 345.6 GFLOPS with multiply-adds, 388.8 with the
 * two function units; 4 B a clock and SM; a quarter of multiply-adds gives 86.4 GFLOPS. 32 cores on
 * Fermi, 192 on Kepler. */
static void test_rates(void **state)
{
    (void)state;
    double sms = figure("g80", "sms"), ghz = figure("g80", "clock_mhz") / 1000;
    double lanes = rate("g80", "fma", "fp32"), xu = rate("g80", "xu", "xu"),
           issue = rate("g80", "issue", "fp32");
    assert_true(lanes == 8);
    assert_true(fabs(sms * issue * ghz - 172.8) < 1e-9);
    assert_true(fabs(2 * sms * lanes * ghz - 345.6) < 1e-9);
    assert_true(fabs(sms * (2 * lanes + xu) * ghz - 388.8) < 1e-9);     /* S0 prints "GLOPS" */
    assert_true(fabs(figure("g80", "memory_gb_per_s") / sms / ghz - 4.0) < 1e-9);
    assert_true(fabs(2 * sms * lanes * ghz / 4 - 86.4) < 1e-9);
    assert_true(rate("c2050", "fma", "fp32") == 32);
    assert_true(rate("k20", "fma", "fp32") == 192);
}

/* Rows 55, 56, 86, 87: what must be in flight to saturate a pipe or memory, by Little's law. */
static void test_little(void **state)
{
    (void)state;
    assert_true(rate("k10", "fma", "fp32") * figure("k10", "arithmetic_latency") == 1728);
    double bytes_per_clk = figure("k10", "memory_gb_per_s") * 1000 / figure("k10", "clock_mhz")
                           / figure("k10", "sms");
    static const struct {
        double latency;
        int lines;
    } cases[] = { { 400, 84 }, { 600, 126 }, { 800, 168 } };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal((int)round(bytes_per_clk * cases[i].latency / figure("k10", "line_bytes")),
                         cases[i].lines);
    assert_true(figure("k10", "shared_bytes_per_clk") == 256);
    assert_true(fabs(8 * 256 * 0.745 - 1525.76) < 1e-9);
}

/* ---- every file ------------------------------------------------------------------------------ */

static const char *const products[] = { "g80",  "gtx280",  "gtx480",  "c2050",   "k10",
                                        "k20",  "k40",     "gtx980",  "p100",    "gtx1080",
                                        "v100", "t4",      "a100",    "rtx3090", "orin",
                                        "l40s", "rtx4080", "rtx4090", "h100",    "h100-pcie",
                                        "h200", "b200",    "rtx5090", "l4",        "a10",
                                        "a30",  "a40",     "a6000" };

static void test_products(void **state)
{
    (void)state;
    static const char *const keys[] = { "sms", "clock_mhz", "memory_gb_per_s" };
    for (size_t i = 0; i < COUNT(products); i++) {
        assert_non_null(ptxlint_gpu_find(products[i]));
        assert_true(*ptxlint_gpu_get_info(ptxlint_gpu_find(products[i]))->product);
        for (size_t k = 0; k < COUNT(keys); k++)
            if (!(figure(products[i], keys[k]) > 0))
                fail_msg("%s has no %s", products[i], keys[k]);
    }
}

/* What occupancy and throughput cannot do without is there; every figure has a source. */
static void test_all(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "warp_size",     "threads_per_block",  "threads_per_sm",      "warps_per_sm",
        "blocks_per_sm", "registers_per_sm",   "registers_per_block", "registers_per_thread",
        "register_unit", "registers_by_block", "shared_per_sm",       "shared_per_block",
        "shared_unit"
    };
    const ptxlint_gpu *gpu;
    ptxlint_figure f;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        const char *name = ptxlint_gpu_get_info(gpu)->name;
        assert_ptr_equal(gpu, ptxlint_gpu_find(name));
        for (size_t k = 0; k < COUNT(keys); k++)
            if (isnan(ptxlint_gpu_value(gpu, keys[k])))
                fail_msg("%s has no %s", name, keys[k]);
        for (size_t n = 0; ptxlint_gpu_figure(gpu, n, &f); n++)
            if (!isnan(f.value) && !*f.source)
                fail_msg("%s: %s has no source", name, f.key);
        if (!(rate(name, "issue", "fp32") > 0))
            fail_msg("%s: nothing says how much it issues", name);
    }
}

/* Every target of the instruction tables has a file, under each of its names. */
static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *name, *sm;
    } cases[] = { { "sm_90a", "sm_90" },   { "compute_90", "sm_90" }, { "sm_100f", "sm_100" },
                  { "sm_13", "sm_13" },    { "h100-pcie", "sm_90" },  { "b200", "sm_100" },
                  { "rtx5090", "sm_120" }, { "orin", "sm_87" } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_non_null(ptxlint_gpu_find(cases[i].name));
        assert_string_equal(ptxlint_gpu_get_info(ptxlint_gpu_find(cases[i].name))->sm, cases[i].sm);
    }
#define TG(number, ...) assert_non_null(ptxlint_gpu_find("sm_" #number));
#define VR(major, minor)
#include "isa/targets.def"
#undef TG
#undef VR
    assert_null(ptxlint_gpu_find("h2000"));
    assert_null(ptxlint_gpu_find("sm_91"));
    assert_null(ptxlint_gpu_find(""));
}

/* ---- the reader ------------------------------------------------------------------------------ */

#define GOOD "target: sm_90\n"

static void test_errors(void **state)
{
    (void)state;
    static const struct { const char *yaml, *error; } cases[] = {
        { "", "a GPU file is a mapping" },
        { "[1, 2]", "line 1, column 1: a GPU file is a mapping" },
        { "target: [", "line 1, column 10" },
        { "target: sm_ninety\n", "line 1, column 9: `target` is an architecture" },
        { "figures: []\n", "neither `target` nor `base`" },
        { "base: h9000\n", "line 1, column 7: there is no GPU 'h9000'" },
        { GOOD "figurs: []\n", "line 2, column 1: unknown key 'figurs'; did you mean 'figures'?" },
        { GOOD "target: sm_80\n", "line 2, column 1: 'target' is given twice" },
        { GOOD "figures:\n  - warps_per_sm: 64\n", "line 3, column 5: these figures name no `source`" },
        { GOOD "figures:\n  - source: ''\n", "line 3, column 13: a source needs a text" },
        { GOOD "figures:\n  - source: x\n    warp_per_sm: 64\n", "line 4, column 5: unknown figure 'warp_per_sm'; did you mean 'warps_per_sm'?" },
        { GOOD "figures:\n  - source: x\n    warps_per_sm: many\n", "line 4, column 19: 'many' is not a number" },
        { GOOD "figures:\n  - source: x\n    warps_per_sm: -1\n", "'-1' is not a number" },
        { GOOD "figures:\n  - source: x\n    warps_per_sm: [1]\n", "expected a number" },
        { GOOD "figures:\n  - source: x\n    sms: 0\n", "line 4, column 10: sms must be a whole" },
        { GOOD "figures:\n  - source: x\n    sms: 2147483648\n", "sms must be a whole number" },
        { GOOD "figures:\n  - source: x\n    clock_mhz: 0\n", "clock_mhz must be a number above 0" },
        { GOOD "figures:\n  - source: x\n    sms: 1\n  - source: y\n    sms: 2\n", "line 6, column 5: 'sms' is given twice" },
        { GOOD "figures:\n  source: x\n", "expected a list of groups" },
        { GOOD "pipes:\n  - source: x\n    fna: { lanes: 1 }\n", "unknown pipe 'fna'; did you mean 'fma'?" },
        { GOOD "pipes:\n  - source: x\n    fma: { lane: 1 }\n", "unknown key of a pipe 'lane'; did you mean 'lanes'?" },
        { GOOD "pipes:\n  - source: x\n    fma: { takes: { fp32: 1 } }\n", "a pipe needs `lanes` above 0" },
        { GOOD "pipes:\n  - source: x\n    fma: { lanes: 1, takes: { fp23: 1 } }\n", "unknown machine operation 'fp23'; did you mean 'fp32'?" },
        { GOOD "carveouts:\n  source: x\n  kib: [8, 8]\n", "sizes ascend" },
        { GOOD "carveouts:\n  kib: [8]\n", "name no `source`" },
        { "a: &a x\ntarget: *a\n", "unknown key 'a'" },
        { "target: &a \"sm_90\"\nproduct: *b\n", "undefined alias" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_gpu *gpu;
        char error[256] = "";
        ptxlint_status status = ptxlint_gpu_new("mine", cases[i].yaml, strlen(cases[i].yaml), &gpu,
                                                error, sizeof error);
        if (status != PTXLINT_BAD_FILE || !strstr(error, cases[i].error))
            fail_msg("case %zu: status %d, '%s', want '%s'", i, (int)status, error, cases[i].error);
        assert_null(gpu);
    }
}

static void test_own_file(void **state)
{
    (void)state;
    static const char yaml[] =
        "base: h200\nproduct: My own\nfigures:\n  - source: measured\n    clock_mhz: 1755.5\n";
    ptxlint_gpu *gpu;
    assert_int_equal(ptxlint_gpu_new("mine", yaml, sizeof yaml - 1, &gpu, NULL, 0), PTXLINT_OK);
    assert_string_equal(ptxlint_gpu_get_info(gpu)->name, "mine");
    assert_string_equal(ptxlint_gpu_get_info(gpu)->product, "My own");
    assert_string_equal(ptxlint_gpu_get_info(gpu)->sm, "sm_90");
    assert_true(ptxlint_gpu_value(gpu, "clock_mhz") == 1755.5);
    assert_true(ptxlint_gpu_value(gpu, "sms") == 132);          /* inherited */
    assert_true(isnan(ptxlint_gpu_value(gpu, "nothing")));
    ptxlint_gpu_free(gpu);
    ptxlint_gpu_free(NULL);
}

/* Aliases share a text, however long it is. */
static void test_aliases(void **state)
{
    (void)state;
    Text yaml = { 0 };
    ptxlint_gpu *gpu;
    char error[256] = "";
    kit_print(&yaml, GOOD "product: &long \"%0500d\"\nfigures:\n", 1);
    for (int i = 0; i < 100; i++)
        kit_print(&yaml, "  - source: *long\n");
    assert_int_equal(ptxlint_gpu_new("mine", yaml.bytes, yaml.length, &gpu, error, sizeof error),
                     PTXLINT_OK);
    ptxlint_gpu_free(gpu);
    free(yaml.bytes);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static ptxlint_gpu *copy_of(const ptxlint_gpu *gpu)
{
    ptxlint_gpu *copy;
    assert_int_equal(ptxlint_gpu_copy(gpu, "copy", NULL, &copy), PTXLINT_OK);
    return copy;
}

static Text written(const ptxlint_gpu *gpu)
{
    Text text = { 0 };
    assert_int_equal(ptxlint_gpu_write(gpu, kit_write, &text), PTXLINT_OK);
    return text;
}

static void check_same_rates(const ptxlint_gpu *a, const ptxlint_gpu *b, size_t pipe)
{
    const char *key = "";
    for (size_t c = 0; key; c++) {
        const double x = ptxlint_gpu_rate(a, pipe, c, &key), y = ptxlint_gpu_rate(b, pipe, c, &key);
        if (!(fabs(x - y) <= 0 || (isnan(x) && isnan(y))))
            fail_msg("%s: a rate of %s is %g, want %g", ptxlint_gpu_get_info(a)->name, key, y, x);
    }
}

static void check_same_gpu(const ptxlint_gpu *a, const ptxlint_gpu *b)
{
    ptxlint_figure f, g;
    ptxlint_pipe p, q;
    const ptxlint_gpu_info *of_a = ptxlint_gpu_get_info(a), *of_b = ptxlint_gpu_get_info(b);
    assert_string_equal(of_a->product, of_b->product);
    assert_string_equal(of_a->architecture, of_b->architecture);
    assert_string_equal(of_a->sm, of_b->sm);
    for (size_t i = 0; ptxlint_gpu_figure(a, i, &f) && ptxlint_gpu_figure(b, i, &g); i++)
        if (!(fabs(f.value - g.value) <= 1e-15 || (isnan(f.value) && isnan(g.value)))
            || strcmp(f.source, g.source) != 0)
            fail_msg("%s: %s is %.17g (%s), want %.17g (%s)", of_a->name, f.key, g.value, g.source,
                     f.value, f.source);
    for (size_t i = 0; ptxlint_gpu_pipe(a, i, &p) && ptxlint_gpu_pipe(b, i, &q); i++) {
        assert_string_equal(p.source, q.source);
        check_same_rates(a, b, i);
    }
}

/* Written, and read again. */
static void check_file(const ptxlint_gpu *gpu)
{
    char error[256] = "";
    ptxlint_gpu *read;
    Text text = written(gpu);
    if (ptxlint_gpu_new("read", text.bytes, text.length, &read, error, sizeof error))
        fail_msg("%s: %s", error, text.bytes);
    check_same_gpu(gpu, read);
    Text again = written(read);
    assert_string_equal(again.bytes, text.bytes);
    free(text.bytes);
    free(again.bytes);
    ptxlint_gpu_free(read);
}

static void test_files_of_copies(void **state)
{
    (void)state;
    static const char *const sources[] = { "mine: \"\\\n\x7f\xc2\x85\xe2\x98\xba", "other" };
    static const double values[] = { 1, 7, 0.1, 2.0 / 3, 1234.5678, 1e-7, 999999999 };
    const ptxlint_gpu *gpu;
    ptxlint_figure f;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        ptxlint_gpu *copy = copy_of(gpu);
        check_same_gpu(gpu, copy);
        check_file(copy);
        for (size_t k = i; ptxlint_gpu_figure(copy, k, &f); k += 7) {
            const double value = values[(i + k) % COUNT(values)];
            (void)ptxlint_gpu_set(copy, f.key, value, sources[k % 2], NULL, 0);
        }
        check_file(copy);
        ptxlint_gpu_free(copy);
    }
}

/* Without a base all of it stands in the file. */
static void test_file_without_base(void **state)
{
    (void)state;
    static const char yaml[] =
        "target: sm_86\narchitecture: Mine\nfigures:\n  - source: x\n    sms: 3\n"
        "carveouts:\n  source: y\n  kib: [0, 8.5, 16]\n"
        "pipes:\n  - source: z\n    fma: { lanes: 12.5, takes: { fp32: 0.1, imad: 3 } }\n";
    ptxlint_gpu *gpu;
    assert_int_equal(ptxlint_gpu_new("mine", yaml, sizeof yaml - 1, &gpu, NULL, 0), PTXLINT_OK);
    check_file(gpu);
    ptxlint_gpu *copy = copy_of(gpu);
    ptxlint_gpu_free(gpu);
    Text text = written(copy);
    assert_string_equal(text.bytes,
                        "target: \"sm_86\"\narchitecture: \"Mine\"\n\nfigures:\n  - source: \"x\"\n"
                        "    sms: 3\n\ncarveouts:\n  source: \"y\"\n  kib: [0, 8.5, 16]\n\npipes:\n"
                        "  - source: \"z\"\n"
                        "    fma: { lanes: 12.5, takes: { fp32: 0.1, imad: 3 } }\n");
    free(text.bytes);
    ptxlint_gpu_free(copy);
}

static void test_refused_figures(void **state)
{
    (void)state;
    static const struct { const char *key; double value; const char *source, *error; } cases[] = {
        { "sms", 0, "x", "sms must be a whole number from 1 to 2147483647" },
        { "sms", 1.5, "x", "a whole number" },       { "sms", 2147483648.0, "x", "a whole number" },
        { "sms", -1, "x", "a whole number" },        { "sms", NAN, "x", "a whole number" },
        { "coalesce_in_order", 2, "x", "must be 0 or 1" },
        { "registers_by_block", 0.5, "x", "must be 0 or 1" },
        { "memory_gb_per_s", 0, "x", "a number above 0, up to 1e9" },
        { "clock_mhz", INFINITY, "x", "a number above 0" },
        { "launch_ns", -0.5, "x", "launch_ns must be a number from 0 to 1e9" },
        { "launch_ns", NAN, "x", "from 0 to 1e9" },
        { "launch_ns", INFINITY, "x", "from 0 to 1e9" },
        { "launch_ns", 1e10, "x", "from 0 to 1e9" },
        { "global_latency_min", -1, "x", "from 0 to 1e9" },
        { "launch_n", 1, "x", "there is no such figure" },
        { "", 1, "x", "there is no such figure" },
        { "launch_ns", 1, "", "a source is a text" },
        { "launch_ns", 1, "\xff", "a source is a text in UTF-8" },
    };
    ptxlint_gpu *copy = copy_of(ptxlint_gpu_find("h200"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char error[128] = "";
        assert_int_equal(ptxlint_gpu_set(copy, cases[i].key, cases[i].value, cases[i].source, error,
                                         sizeof error), PTXLINT_BAD_ARGUMENT);
        if (!strstr(error, cases[i].error))
            fail_msg("case %zu: '%s', want '%s'", i, error, cases[i].error);
    }
    check_same_gpu(ptxlint_gpu_find("h200"), copy);
    assert_int_equal(ptxlint_gpu_set(copy, "shared_reserved", 0, "x", NULL, 0), PTXLINT_OK);
    ptxlint_gpu_free(copy);
}

/* value -1: it is not known. */
static void test_settings(void **state)
{
    static const struct Row { const char *gpu, *settings, *key; double value; } rows[] = {
        { "c2050", "shared=16k", "shared_per_sm", 16384 },
        { "c2050", "shared=16k", "shared_per_block", 16384 },
        { "c2050", "shared=16k", "l1_split_bytes", 49152 },
        { "c2050", "shared=49152", "l1_split_bytes", 16384 },
        { "c2050", "shared=16k", "load_bytes", 128 },
        { "c2050", "dlcm=cg", "load_bytes", 32 },
        { "c2050", "dlcm=cg", "loads_past_l1", 1 },
        { "c2050", "dlcm=cg:shared=16k", "shared_per_sm", 16384 },
        { "h200", "shared=100k", "shared_per_block", 49152 },
        { "h200", "shared=100k", "shared_per_block_optin", 101376 },
        { "h200", "shared=100k", "l1_split_bytes", 159744 },
        { "h200", "dlcm=cg", "l1_split_bytes", -1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char error[128];
        ptxlint_gpu *set;
        assert_int_equal(ptxlint_gpu_with(ptxlint_gpu_find(rows[i].gpu), rows[i].settings, &set,
                                          error, sizeof error), PTXLINT_OK);
        const double value = ptxlint_gpu_value(set, rows[i].key);
        if ((value >= 0) != (rows[i].value >= 0)
            || (value >= 0 && fabs(value - rows[i].value) > 0))
            fail_msg("row %zu: %s is %g", i, rows[i].key, value);
        ptxlint_gpu_free(set);
    }
}

static void test_wrong_settings(void **state)
{
    static const struct Row { const char *gpu, *settings, *error; } rows[] = {
        { "c2050", "shared=17k", "shared=17k: of an SM of sm_20 shared memory can have 16k, 48k" },
        { "c2050", "shared=", "shared memory can have 16k, 48k" },
        { "c2050", "shared=16kb", "shared memory can have 16k, 48k" },
        { "c2050", "shared=99999999999999999999", "shared memory can have" },
        { "g80", "shared=16k", "sm_10 has no L1 that shares its store with shared memory" },
        { "g80", "dlcm=cg", "no L1 that loads of global memory could pass" },
        { "c2050", "dlcm=ca", "it is dlcm=cg" },
        { "c2050", "", "'' is no setting of a GPU" },
        { "c2050", "shared=16k:", "'' is no setting of a GPU" },
        { "c2050", "l1=16k", "'l1=16k' is no setting of a GPU" },
        { "c2050", "shared=16k:shared=16k:shared=16k:shared=16k:shared=16k:shared=16k",
          "settings are longer than 64 bytes" },
        { "c2050", "\xff", "is no setting" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char error[256] = "";
        ptxlint_gpu *set;
        assert_int_equal(ptxlint_gpu_with(ptxlint_gpu_find(rows[i].gpu), rows[i].settings, &set,
                                          error, sizeof error), PTXLINT_BAD_ARGUMENT);
        assert_null(set);
        if (!strstr(error, rows[i].error) && *rows[i].settings != '\xff')
            fail_msg("row %zu: '%s'", i, error);
    }
    assert_int_equal(ptxlint_gpu_with(NULL, "shared=16k", NULL, NULL, 0), PTXLINT_BAD_ARGUMENT);
}

static void test_wrong_copies(void **state)
{
    (void)state;
    ptxlint_gpu *copy = (ptxlint_gpu *)(uintptr_t)ptxlint_gpu_find("h200");
    char error[64] = "";
    assert_int_equal(ptxlint_gpu_set(copy, "sms", 1, "x", error, sizeof error),
                     PTXLINT_BAD_ARGUMENT);
    assert_string_equal(error, "a GPU that is compiled in stays as it is");
    assert_int_equal(ptxlint_gpu_set(NULL, "sms", 1, "x", NULL, 0), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_gpu_copy(NULL, "x", NULL, &copy), PTXLINT_BAD_ARGUMENT);
    assert_null(copy);
    assert_int_equal(ptxlint_gpu_copy(ptxlint_gpu_at(0), NULL, NULL, &copy), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_gpu_copy(ptxlint_gpu_at(0), "x", "\xff", &copy), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_gpu_write(NULL, kit_write, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_gpu_write(ptxlint_gpu_at(0), NULL, NULL), PTXLINT_BAD_ARGUMENT);
    assert_int_equal(ptxlint_gpu_figure_kind(NULL), PTXLINT_FIGURE_NONE);
    assert_int_equal(ptxlint_gpu_figure_kind("launch"), PTXLINT_FIGURE_NONE);
    assert_int_equal(ptxlint_gpu_figure_kind("sms"), PTXLINT_FIGURE_BOUND);
    assert_int_equal(ptxlint_gpu_figure_kind("global_latency_min"), PTXLINT_FIGURE_BOUND);
    assert_int_equal(ptxlint_gpu_figure_kind("launch_ns"), PTXLINT_FIGURE_SUSTAINED);
}

/* Sources end somewhere. */
static void test_many_sources(void **state)
{
    (void)state;
    ptxlint_gpu *copy = copy_of(ptxlint_gpu_find("sm_90"));
    ptxlint_status status = PTXLINT_OK;
    char source[16], error[64] = "";
    for (int i = 0; status == PTXLINT_OK && i < 2000; i++) {
        snprintf(source, sizeof source, "source %d", i);
        status = ptxlint_gpu_set(copy, "launch_ns", i, source, error, sizeof error);
    }
    assert_string_equal(error, "too many sources");
    check_file(copy);
    ptxlint_gpu_free(copy);
}

UNIT(gpu)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents), cmocka_unit_test(test_rates),
        cmocka_unit_test(test_little),    cmocka_unit_test(test_products),
        cmocka_unit_test(test_all),       cmocka_unit_test(test_targets),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_own_file),
        cmocka_unit_test(test_aliases),   cmocka_unit_test(test_measured),
        cmocka_unit_test(test_files_of_copies), cmocka_unit_test(test_file_without_base),
        cmocka_unit_test(test_refused_figures), cmocka_unit_test(test_wrong_copies),
        cmocka_unit_test(test_settings), cmocka_unit_test(test_wrong_settings),
        cmocka_unit_test(test_many_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
