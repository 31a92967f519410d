/* shown.c -- which findings are shown, and how many there are. */
#include "report/writer/writer.h"

#include "support/demangle.h"
#include "support/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ptx_writer_has_kernel(const ptxlint_write_options *options, const char *name)
{
    return !options->kernel_glob || ptx_name_fits(options->kernel_glob, name);
}

bool ptx_writer_has_finding(const ptxlint_write_options *options,
                            const ptxlint_diagnostic *diagnostic)
{
    if (diagnostic->kernel && !ptx_writer_has_kernel(options, diagnostic->kernel))
        return false;
    if (!options->groups)
        return true;
    for (size_t i = 0; i < options->group_count; i++)
        if (!strcmp(options->groups[i], diagnostic->group))
            return true;
    return false;
}

bool ptx_writer_is_for_people(ptxlint_format format)
{
    return format != PTXLINT_JSON && format != PTXLINT_JSONL && format != PTXLINT_SARIF
           && format != PTXLINT_CSV;
}

static double min_gain(const ptxlint_write_options *options, const ptxlint_module *module)
{
    enum { MIN_GAIN_PERCENT = 1 };
    double of_config = ptxlint_module_get_info(module)->min_gain_percent;
    if (!isnan(options->min_gain_percent))
        return options->min_gain_percent;
    return isnan(of_config) ? MIN_GAIN_PERCENT : of_config;
}

bool ptx_writer_is_slight(const ptxlint_write_options *options, const ptxlint_module *module,
                          const ptxlint_diagnostic *diagnostic)
{
    if (options->show_all || !ptx_writer_is_for_people(options->format)
        || diagnostic->severity != PTXLINT_NOTE)
        return false;
    double least = min_gain(options, module);
    if (diagnostic->gain_of && !isnan(diagnostic->gain_percent))
        return diagnostic->gain_percent < least;
    bool is_minor = diagnostic->is_minor || !strcmp(diagnostic->group, "hygiene")
                    || !strcmp(diagnostic->group, "portability");
    return is_minor && least > 0;
}

bool ptx_writer_shows(const ptxlint_write_options *options, const ptxlint_diagnostic *diagnostic)
{
    return diagnostic->suppression == PTXLINT_NOT_SUPPRESSED
           && ptx_writer_has_finding(options, diagnostic);
}

static void count_module(const ptxlint_module *module, const ptxlint_write_options *options,
                         size_t counts[4])
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (ptx_writer_shows(options, &diagnostics[i]))
            counts[diagnostics[i].severity]++;
}

void ptxlint_count_diagnostics(const ptxlint_module *const *modules, size_t count,
                               const ptxlint_write_options *options, size_t counts[4])
{
    ptxlint_write_options defaults;
    if (!options) {
        ptxlint_write_options_init(&defaults);
        options = &defaults;
    }
    if (!counts)
        return;
    memset(counts, 0, 4 * sizeof *counts);
    if (!ptx_words_are_given(options->groups, options->group_count))
        return;
    for (size_t i = 0; modules && i < count; i++)
        if (modules[i])
            count_module(modules[i], options, counts);
}

size_t ptx_report_kernel_at(const ptxlint_kernel *kernels, size_t count, uint32_t offset)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kernels[middle].span.end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && kernels[low].span.begin <= offset ? low : count;
}

/* is_found: per kernel, and one more, zeroed. */
static void mark_found(const ptxlint_module *module, const ptxlint_write_options *options,
                       const ptxlint_kernel *kernels, size_t kernel_count, bool *is_found)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (ptx_writer_shows(options, &diagnostics[i])
            && !ptx_writer_is_slight(options, module, &diagnostics[i]))
            is_found[ptx_report_kernel_at(kernels, kernel_count, diagnostics[i].span.begin)] = true;
}

static size_t count_suppressed(const ptxlint_module *module, const ptxlint_write_options *options)
{
    size_t count, suppressed = 0;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        suppressed += diagnostics[i].suppression != PTXLINT_NOT_SUPPRESSED
                      && ptx_writer_has_finding(options, &diagnostics[i]);
    return suppressed;
}

ptxlint_status ptx_writer_count(Totals *totals, const ptxlint_module *module,
                                const ptxlint_write_options *options)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    bool *is_found = calloc(count + 1, sizeof *is_found);
    if (!is_found)
        return PTXLINT_NO_MEMORY;
    mark_found(module, options, kernels, count, is_found);
    for (size_t k = 0; k < count; k++) {
        bool is_selected_one = ptx_writer_has_kernel(options, kernels[k].name);
        totals->kernel_count += is_selected_one;
        totals->func_count += is_selected_one && !kernels[k].is_entry;
        totals->found_count += is_selected_one && is_found[k];
    }
    free(is_found);
    totals->suppressed_count += count_suppressed(module, options);
    return PTXLINT_OK;
}
