/* fuzz_compare.c -- any bytes as what holds versions together: a baseline, a budget, a saved
 * report.
 *
 * The library may refuse them, with a reason. What it takes must be usable, and what it writes of
 * it must read back. */
#include "fuzz.h"

#include "ptxlint/ptxlint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxntid "
    "64\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nadd.s32 %r1, %r2, 1;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

static ptxlint_module *module_with(const ptxlint_baseline *baseline, const ptxlint_budget *budget)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.baseline = baseline;
    options.budget = budget;
    require(ptxlint_module_new(kernel, sizeof kernel - 1, &options, &module) == PTXLINT_OK,
            "the kernel is read");
    return module;
}

static void try_baseline(const char *text, size_t length)
{
    ptxlint_baseline *known = NULL, *found = NULL;
    char error[256] = "";
    size_t count;
    require(ptxlint_baseline_new(&known) == PTXLINT_OK
                && ptxlint_baseline_new(&found) == PTXLINT_OK,
            "empty baselines");
    ptxlint_status status = ptxlint_baseline_read(known, "fuzz", text, length, error, sizeof error);
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && *error), "a refusal says why");
    ptxlint_module *module = module_with(known, NULL);
    require(ptxlint_baseline_add(found, module) == PTXLINT_OK, "findings are taken");
    require(ptxlint_baseline_prune(known, found, NULL, &count) == PTXLINT_OK,
            "a baseline is pruned");
    require(ptxlint_baseline_stale(known, found, NULL, &count) == PTXLINT_OK && !count,
            "what is pruned is not stale");
    require(ptxlint_baseline_write(known, drop, NULL) == PTXLINT_OK, "a baseline is written");
    ptxlint_module_free(module);
    ptxlint_baseline_free(known);
    ptxlint_baseline_free(found);
}

static void try_budget(const char *text, size_t length)
{
    ptxlint_budget *budget;
    char error[512] = "";
    ptxlint_status status = ptxlint_budget_new("fuzz", text, length, &budget, error, sizeof error);
    require((status == PTXLINT_OK) == (budget != NULL), "a budget, or a reason");
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && *error), "a refusal says why");
    if (budget)
        ptxlint_module_free(module_with(NULL, budget));
    ptxlint_budget_free(budget);
}

static void try_report(const char *text, size_t length)
{
    ptxlint_report *saved = NULL, *now = NULL;
    ptxlint_diff *diff;
    ptxlint_diff_options how;
    char error[256] = "";
    require(ptxlint_report_new(&saved) == PTXLINT_OK && ptxlint_report_new(&now) == PTXLINT_OK,
            "empty reports");
    ptxlint_status status = ptxlint_report_read(saved, "fuzz", text, length, error, sizeof error);
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && *error), "a refusal says why");
    if (status == PTXLINT_OK) {
        static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_MARKDOWN, PTXLINT_JSON };
        ptxlint_module *module = module_with(NULL, NULL);
        require(ptxlint_report_add(now, module) == PTXLINT_OK, "a module is taken");
        ptxlint_module_free(module);
        require(ptxlint_diff_new(saved, now, NULL, 0, &diff, error, sizeof error) == PTXLINT_OK,
                "reports are compared");
        ptxlint_diff_options_init(&how);
        for (int i = 0; i < 3; i++) {
            how.format = formats[i];
            require(ptxlint_write_diff(diff, &how, drop, NULL) == PTXLINT_OK, "a diff is written");
        }
        ptxlint_diff_free(diff);
    }
    ptxlint_report_free(saved);
    ptxlint_report_free(now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    try_baseline(text, size);
    try_budget(text, size);
    try_report(text, size);
    free(text);
    return 0;
}
