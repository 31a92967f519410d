/* fuzz_module.c -- one input through everything that the public interface does.
 *
 * Any bytes are a module: the library may refuse them for lack of memory and for nothing else. What
 * it then says must hold together: spans inside the text, diagnostics sorted, the same bytes each
 * time. A breach is an abort. */
#include "fuzz.h"

#include "ptxlint/ptxlint.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The same bytes each time are seen by the replay without sanitizers, and by libFuzzer. */
#ifdef SANITIZED_REPLAY
enum { IS_SANITIZED_REPLAY = 1 };
#else
enum { IS_SANITIZED_REPLAY = 0 };
#endif

enum { MEMORY_BYTES = 256 << 20, LAUNCHED_BYTES = 1 << 16 };

typedef struct Count {
    uint64_t bytes, hash;
} Count;

/* FNV-1a, by words of eight bytes: what is written is cut the same way each time. */
static uint64_t fnv(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001B3);
}

static int count_bytes(void *context, const char *bytes, size_t length)
{
    Count *count = context;
    size_t i = 0;
    count->bytes += length;
    for (uint64_t word; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        count->hash = fnv(count->hash, word);
    }
    for (; i < length; i++)
        count->hash = fnv(count->hash, (unsigned char)bytes[i]);
    return 0;
}

static void check_span(ptxlint_span span, size_t length)
{
    require(span.begin <= span.end && span.end <= length, "a span lies inside the text");
}

static void check_diagnostics(const ptxlint_module *module, size_t length)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++) {
        const ptxlint_diagnostic *diagnostic = &diagnostics[i];
        check_span(diagnostic->span, length);
        require(!i || diagnostics[i - 1].severity >= diagnostic->severity,
                "the worst diagnostics come first");
        require(diagnostic->rule && diagnostic->name && diagnostic->group && diagnostic->message,
                "a diagnostic has its texts");
        for (size_t r = 0; r < diagnostic->related_count; r++)
            check_span(diagnostic->related[r].span, length);
        ptxlint_place place = ptxlint_module_place(module, diagnostic->span.begin);
        require(place.line >= 1 && place.column >= 1 && place.line_begin <= place.line_end
                    && place.line_end <= length,
                "a place is a line and a column");
    }
}

static void check_kernels(const ptxlint_module *module, size_t length)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++) {
        const ptxlint_kernel *kernel = &kernels[k];
        check_span(kernel->span, length);
        check_span(kernel->name_span, length);
        check_span(kernel->pressure.where, length);
        for (size_t i = 0; i < kernel->loop_count; i++) {
            check_span(kernel->loops[i].header, length);
            require(kernel->loops[i].parent < (int64_t)i,
                    "an outer loop stands before its inner ones");
        }
        for (size_t i = 0; i < kernel->access_count; i++)
            check_span(kernel->accesses[i].span, length);
    }
}

static Count write_all(const ptxlint_module *module)
{
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_ONELINE, PTXLINT_JSON };
    const ptxlint_module *const modules[] = { module };
    Count count = { 0, UINT64_C(0xCBF29CE484222325) };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        ptxlint_write_options options;
        ptxlint_write_options_init(&options);
        options.format = formats[i];
        options.color = formats[i] == PTXLINT_TEXT;
        ptxlint_status status = ptxlint_write_diagnostics(modules, 1, &options, count_bytes,
                                                          &count);
        require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "diagnostics can be written");
        if (formats[i] == PTXLINT_ONELINE)
            continue;
        status = ptxlint_write_report(modules, 1, &options, count_bytes, &count);
        require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "a report can be written");
    }
    return count;
}

static Count run(const uint8_t *data, size_t size, bool syntax_only)
{
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = "fuzz.ptx";
    options.max_memory_bytes = MEMORY_BYTES;
    options.syntax_only = syntax_only;
    ptxlint_module *module = NULL;
    Count count = { 0, 0 };
    ptxlint_status status = ptxlint_module_new((const char *)data, size, &options, &module);
    require((status == PTXLINT_OK) == (module != NULL),
            "a module comes with success, and only then");
    require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "any bytes are a module");
    if (module) {
        check_diagnostics(module, size);
        check_kernels(module, size);
        count = write_all(module);
    }
    ptxlint_module_free(module);
    return count;
}

/* ---- with a launch --------------------------------------------------------------------------- */

static ptxlint_launches *some_launch(size_t size)
{
    static const char *const settings[][3] = { { "grid", "4", "33,2" },
                                               { "block", "64", "32,4,2" },
                                               { "dynamic_shared", "1024", "49152" } };
    ptxlint_launches *launches;
    char error[256];
    require(ptxlint_launches_new(NULL, 0, &launches, NULL, 0) == PTXLINT_OK,
            "no file is nothing known");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        require(ptxlint_launches_set(launches, settings[i][0], settings[i][1 + size % 2], error,
                                     sizeof error)
                    == PTXLINT_OK,
                error);
    return launches;
}

/* What `tune` asks: each kernel in other blocks, and under a cap. */
static void try_launches(const ptxlint_module *module)
{
    static const int64_t blocks[][3] = { { 32, 1, 1 }, { 16, 16, 1 }, { 1024, 1, 1 } };
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count && k < 4; k++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
            ptxlint_trial trial;
            ptxlint_estimated out = { .size = sizeof out };
            ptxlint_trial_init(&trial);
            for (int i = 0; i < 3; i++)
                trial.block[i] = blocks[b][i];
            trial.max_registers = b == 1 ? 32 : 0;
            ptxlint_status status = ptxlint_estimate(module, kernels[k].name, 0, &trial, &out);
            require(status == PTXLINT_OK || status == PTXLINT_BAD_ARGUMENT
                        || status == PTXLINT_NO_MEMORY,
                    "a launch can be tried");
        }
}

static void gate(const ptxlint_module *module, size_t size)
{
    ptxlint_baseline *baseline = NULL;
    ptxlint_report *before = NULL, *after = NULL;
    ptxlint_diff *diff = NULL;
    ptxlint_diff_options how;
    char error[256];
    require(ptxlint_baseline_new(&baseline) == PTXLINT_OK
                && ptxlint_report_new(&before) == PTXLINT_OK
                && ptxlint_report_new(&after) == PTXLINT_OK,
            "empty");
    bool fits = ptxlint_baseline_add(baseline, module) == PTXLINT_OK
                && ptxlint_report_add(before, module) == PTXLINT_OK
                && ptxlint_report_add(after, module) == PTXLINT_OK
                && ptxlint_budget_draft(module, 5, drop, NULL) == PTXLINT_OK;
    require(fits || size > MEMORY_BYTES >> 10, "a module of this size is taken");
    require(ptxlint_baseline_write(baseline, drop, NULL) == PTXLINT_OK, "a baseline is written");
    require(ptxlint_diff_new(before, after, NULL, 0, &diff, error, sizeof error) == PTXLINT_OK,
            "a module is compared with itself");
    require(!ptxlint_diff_get_info(diff)->regressed_count, "a module is no worse than itself");
    ptxlint_diff_options_init(&how);
    how.format = PTXLINT_TEXT;
    require(ptxlint_write_diff(diff, &how, drop, NULL) == PTXLINT_OK, "a diff is written");
    ptxlint_diff_free(diff);
    ptxlint_report_free(before);
    ptxlint_report_free(after);
    ptxlint_baseline_free(baseline);
}

static void run_launched(const uint8_t *data, size_t size)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_launches *launches = some_launch(size);
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.path = "fuzz.ptx";
    options.max_memory_bytes = MEMORY_BYTES;
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    ptxlint_status status = ptxlint_module_new((const char *)data, size, &options, &module);
    require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "any bytes are a module");
    if (module) {
        check_diagnostics(module, size);
        check_kernels(module, size);
        write_all(module);
        try_launches(module);
        gate(module, size);
    }
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Count first = run(data, size, false);
    /* a third of the cost for a quarter of the inputs */
    if (size % 4 == 0 && !IS_SANITIZED_REPLAY) {
        Count again = run(data, size, false);
        require(first.bytes == again.bytes && first.hash == again.hash,
                "the output is a function of the input");
    } else if (size % 4 == 1) {
        run(data, size, true);
    }
    if (size <= LAUNCHED_BYTES)
        run_launched(data, size);
    return 0;
}
