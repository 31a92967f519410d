#include "cli/cli.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 64 << 10 };

typedef struct Sink {
    FILE *file;
    int error;                  /* errno of the first write that failed */
} Sink;

typedef struct Run {
    const Options *options;
    ptxlint_options module_options;
    ptxlint_write_options write_options;
    Inputs inputs;
    char *ptxas;                /* the program; NULL: it is not to run */
    ptxlint_ptxas *said;        /* by ptxas, of the file in hand */
    ptxlint_writer *writer;
    Sink sink;
    bool has_kernel;            /* --kernel has matched one */
    ExitCode code;
} Run;

static void raise_code(Run *run, ExitCode code)
{
    run->code = exit_code_max(run->code, code);
}

static void complain_status(Run *run, const char *subject, ptxlint_status status)
{
    raise_code(run, ptx_complain_status(subject, status));
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static int sink_write(void *context, const char *bytes, size_t length)
{
    Sink *sink = context;
    if (fwrite(bytes, 1, length, sink->file) == length)
        return 0;
    sink->error = errno;
    return 1;
}

static void sink_close(Sink *sink)
{
    if (fclose(sink->file) && !sink->error)
        sink->error = errno;
}

/* A reader that has seen enough (ptxlint ... | head) is no failure. */
static ExitCode sink_judge(const Sink *sink, const char *name)
{
    if (!sink->error || sink->error == EPIPE)
        return EXIT_CLEAN;
    ptx_complain(name, strerror(sink->error));
    return EXIT_INPUT;
}

ExitCode ptx_stdout_close(void)
{
    Sink sink = { .file = stdout };
    sink_close(&sink);
    return sink_judge(&sink, "standard output");
}

static bool open_output(Run *run)
{
    const char *path = run->options->output_path;
    run->sink.file = path ? fopen(path, "wb") : stdout;
    if (!run->sink.file) {
        ptx_complain(path, strerror(errno));
        raise_code(run, EXIT_INPUT);
        return false;
    }
    setvbuf(run->sink.file, NULL, _IOFBF, BUFFER_BYTES);
    return true;
}

static void close_output(Run *run)
{
    const char *path = run->options->output_path;
    sink_close(&run->sink);
    raise_code(run, sink_judge(&run->sink, path ? path : "standard output"));
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* An error of group limit says that some of the input was not read. */
static bool is_cut_short(const ptxlint_module *module)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (diagnostics[i].severity == PTXLINT_ERROR && !strcmp(diagnostics[i].group, "limit"))
            return true;
    return false;
}

static bool has_kernel(const ptxlint_module *module, const char *glob_text)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count; i++)
        if (!fnmatch(glob_text, kernels[i].name, 0))
            return true;
    return false;
}

static void judge_module(Run *run, const ptxlint_module *module)
{
    size_t counts[4];
    ptxlint_count_diagnostics(&module, 1, &run->write_options, counts);
    if (run->options->command == COMMAND_CHECK && (counts[PTXLINT_WARNING] || counts[PTXLINT_ERROR]))
        raise_code(run, EXIT_FOUND);
    if (is_cut_short(module))
        raise_code(run, EXIT_INPUT);
    if (run->options->kernel_glob)
        run->has_kernel |= has_kernel(module, run->options->kernel_glob);
}

/* What the logs say, then what ptxas says now: it replaces what they say of the same kernel and architecture. */
static ptxlint_status ask_ptxas(Run *run, const char *path, const ptxlint_module *front)
{
    ptxlint_status status = ptxlint_ptxas_new(&run->said);
    if (status == PTXLINT_OK)
        status = ptxlint_ptxas_add(run->said, run->inputs.log_text, run->inputs.log_length, NULL);
    if (status == PTXLINT_OK)
        raise_code(run, ptx_ptxas_run(run->ptxas, path, front, run->said));
    return status;
}

/* The front end first, for the text, which may be there only once, and the target; then all of it with what ptxas says. */
static ptxlint_status open_with_ptxas(Run *run, const char *path, ptxlint_module **out)
{
    ptxlint_options options = run->module_options;
    ptxlint_module *front;
    options.path = path;
    options.syntax_only = 1;
    ptxlint_status status = ptxlint_module_open(path, &options, &front);
    if (status != PTXLINT_OK)
        return status;
    status = ask_ptxas(run, path, front);
    if (status == PTXLINT_OK) {
        const ptxlint_module_info *info = ptxlint_module_get_info(front);
        options.syntax_only = 0;
        options.ptxas = run->said;
        status = ptxlint_module_new(info->text, info->length, &options, out);
    }
    ptxlint_module_free(front);
    return status;
}

static ptxlint_status open_module(Run *run, const char *path, ptxlint_module **out)
{
    errno = 0;
    *out = NULL;
    return run->ptxas ? open_with_ptxas(run, path, out) : ptxlint_module_open(path, &run->module_options, out);
}

/* False: the writing has failed, and what follows would fail alike. */
static bool run_module(Run *run, const char *path)
{
    ptxlint_module *module;
    ptxlint_status written = PTXLINT_OK, status = open_module(run, path, &module);
    if (status == PTXLINT_OK) {
        judge_module(run, module);
        status = written = ptxlint_writer_add(run->writer, module);
    }
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        complain_status(run, path, status);
    ptxlint_module_free(module);
    ptxlint_ptxas_free(run->said);
    run->said = NULL;
    return written == PTXLINT_OK;
}

static void run_modules(Run *run, const StringList *list)
{
    ptxlint_document document = run->options->command == COMMAND_CHECK ? PTXLINT_DIAGNOSTICS : PTXLINT_REPORT;
    ptxlint_status status = ptxlint_writer_new(document, &run->write_options, sink_write, &run->sink, &run->writer);
    if (status != PTXLINT_OK) {
        complain_status(run, NULL, status);
        return;
    }
    bool is_good = true;
    for (size_t i = 0; i < list->count && is_good; i++)
        is_good = run_module(run, list->items[i]);
    if (is_good)
        status = ptxlint_writer_finish(run->writer);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        complain_status(run, NULL, status);
    if (is_good && run->options->kernel_glob && !run->has_kernel && run->code < EXIT_INPUT) {
        ptx_complain(run->options->kernel_glob, "no kernel has a name like this");
        raise_code(run, EXIT_USAGE);
    }
    ptxlint_writer_free(run->writer);
}

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

static ExitCode add_named_gpus(Inputs *inputs, const char *const *names)
{
    ExitCode code = EXIT_CLEAN;
    size_t count = 0;
    while (names[count])
        count++;
    for (size_t i = 0; i < count; i++)
        code = exit_code_max(code, ptx_inputs_add_gpu(inputs, names[i], count));
    return code;
}

/* Without a name: which there are. */
static void run_gpus(Run *run)
{
    const Inputs *inputs = &run->inputs;
    if (run->options->paths)
        raise_code(run, add_named_gpus(&run->inputs, run->options->paths));
    if (run->code != EXIT_CLEAN || !open_output(run))
        return;
    ptxlint_status status = ptxlint_write_gpus(inputs->gpus, inputs->gpu_count, &run->write_options, sink_write, &run->sink);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        complain_status(run, NULL, status);
    close_output(run);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Only the front end need run where nothing is asked of the analyses. */
static bool is_syntax_only(const Options *options)
{
    bool has_syntax = false;
    for (size_t i = 0; i < options->group_count; i++) {
        has_syntax |= !strcmp(options->groups[i], "syntax");
        if (strcmp(options->groups[i], "syntax") && strcmp(options->groups[i], "limit"))
            return false;
    }
    return has_syntax && options->command == COMMAND_CHECK;
}

static void run_begin(Run *run, const Options *options)
{
    *run = (Run){ .options = options };
    ptxlint_options_init(&run->module_options);
    run->module_options.syntax_only = is_syntax_only(options);
    run->module_options.findings_only = options->command == COMMAND_CHECK && !options->ptxas;
    ptxlint_write_options_init(&run->write_options);
    run->write_options.format = options->format;
    run->write_options.color = ptx_options_has_color(options);
    run->write_options.kernel_glob = options->kernel_glob;
    run->write_options.groups = options->group_count ? options->groups : NULL;
    run->write_options.group_count = options->group_count;
    run->write_options.no_summary = options->is_quiet;
}

/* All that can be wrong before the first module is read. */
static bool read_inputs(Run *run)
{
    Inputs *inputs = &run->inputs;
    raise_code(run, ptx_inputs_read(inputs, run->options));
    if (run->options->ptxas && !run->module_options.syntax_only)
        run->ptxas = ptx_ptxas_locate(run->options->ptxas, &run->code);
    run->module_options.gpus = inputs->gpus;
    run->module_options.gpu_count = inputs->gpu_count;
    run->module_options.launches = inputs->launches;
    run->module_options.ptxas = inputs->logs;
    return run->code == EXIT_CLEAN;
}

static void run_paths(Run *run)
{
    StringList list = { 0 };
    if (!read_inputs(run))
        return;
    for (size_t i = 0; run->options->paths[i]; i++)
        raise_code(run, ptx_paths_add(&list, run->options->paths[i]));
    if (list.count && open_output(run)) {
        run_modules(run, &list);
        close_output(run);
    }
    ptx_strings_free(&list);
}

ExitCode ptx_run(const Options *options)
{
    Run run;
    run_begin(&run, options);
    if (options->command == COMMAND_GPU)
        run_gpus(&run);
    else
        run_paths(&run);
    ptx_inputs_free(&run.inputs);
    free(run.ptxas);
    return run.code;
}
