#include "cli/measured/measured_inputs.h"

#include <stdlib.h>
#include <string.h>

static ExitCode read_times(MeasuredInputs *inputs)
{
    const Options *options = inputs->options;
    char error[512] = "", *text = NULL;
    size_t length = 0;
    ExitCode code = ptx_file_read(options->measured_path, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_measurements_new(text, length, options->column,
                                                     &inputs->measurements, error, sizeof error);
    free(text);
    if (status == PTXLINT_BAD_FILE) {
        ptx_complain(options->measured_path, error);
        return EXIT_USAGE;
    }
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(options->measured_path, status);
}

ExitCode ptx_measured_read(MeasuredInputs *inputs, Book *book)
{
    ExitCode code = read_times(inputs);
    for (size_t i = 0; inputs->options->paths[i] && code == EXIT_CLEAN; i++)
        code = ptx_paths_add(&inputs->files, inputs->options->paths[i], book);
    return code == EXIT_CLEAN ? ptx_sandbox_enclose(inputs->options, &inputs->files, book) : code;
}

static ExitCode open_measured_file(MeasuredInputs *inputs, size_t file, const MeasuredOpening *how,
                          Book *book)
{
    const Settings *settings = ptx_book_file(book, inputs->files.items[file].path);
    if (!settings || settings->code != EXIT_CLEAN)
        return settings ? settings->code : EXIT_INTERNAL;
    const ModuleSource source = { inputs->options, how->given, &settings->inputs,
                                  how->has_estimates_only, false };
    ExitCode code = ptx_inputs_open(&source, &inputs->files.items[file], &inputs->modules[file]);
    inputs->is_part |= code == EXIT_INPUT;      /* the others are looked at */
    return code == EXIT_INPUT ? EXIT_CLEAN : code;
}

ExitCode ptx_measured_open(MeasuredInputs *inputs, const MeasuredOpening *how, Book *book)
{
    ExitCode code = EXIT_CLEAN;
    inputs->modules = calloc(inputs->files.count + 1, sizeof(ptxlint_module *));
    if (!inputs->modules)
        return ptx_complain_memory();
    for (size_t i = 0; i < inputs->files.count && code == EXIT_CLEAN; i++)
        code = open_measured_file(inputs, i, how, book);
    return code;
}

void ptx_measured_free(MeasuredInputs *inputs)
{
    for (size_t i = 0; inputs->modules && i < inputs->files.count; i++)
        ptxlint_module_free(inputs->modules[i]);
    free(inputs->modules);
    ptxlint_measurements_free(inputs->measurements);
    ptx_files_free(&inputs->files);
}

MeasuredKernel ptx_measured_kernel(const MeasuredInputs *inputs, size_t index)
{
    MeasuredKernel found = { 0 };
    for (size_t i = 0; i < inputs->files.count; i++) {
        size_t kernels;
        const ptxlint_module *module = inputs->modules[i];
        const ptxlint_kernel *all = module ? ptxlint_module_kernels(module, &kernels) : NULL;
        for (size_t k = 0; all && k < kernels; k++) {
            if (!all[k].is_entry
                || !ptxlint_measurement_is_of(inputs->measurements, index, module, &all[k]))
                continue;
            found = (MeasuredKernel){ module, inputs->files.items[i].path, &all[k],
                                      found.count + 1 };
        }
    }
    return found;
}

bool ptx_is_known_gpu(const char *name)
{
    const ptxlint_gpu *gpu;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++)
        if (ptxlint_gpu_is_called(gpu, name))
            return true;
    return false;
}
