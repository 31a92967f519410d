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
    ptxlint_launches *launches;
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
    ptx_complain(subject, status == PTXLINT_IO ? strerror(errno) : ptxlint_status_text(status));
    raise_code(run, status == PTXLINT_IO || status == PTXLINT_TOO_LARGE ? EXIT_INPUT : EXIT_INTERNAL);
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

/* ---- the launch file and the GPU --------------------------------------------------------------------------------- */

/* The whole file, to be freed; NULL with errno set. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t capacity = 0;
    *length = 0;
    while (file && !ferror(file) && !feof(file)) {
        if (*length == capacity) {
            char *grown = realloc(bytes, capacity = 2 * capacity + 4096);
            if (!grown)
                break;
            bytes = grown;
        }
        *length += fread(bytes + *length, 1, capacity - *length, file);
    }
    if (file && feof(file) && !ferror(file)) {
        fclose(file);
        return bytes;
    }
    int error = errno;
    if (file)
        fclose(file);
    free(bytes);
    errno = error;
    return NULL;
}

static bool read_launches(Run *run)
{
    const char *path = run->options->launch_path;
    char error[256] = "";
    size_t length;
    if (!path)
        return true;
    char *json = read_file(path, &length);
    if (!json) {
        complain_status(run, path, errno == ENOMEM ? PTXLINT_NO_MEMORY : PTXLINT_IO);
        return false;
    }
    ptxlint_status status = ptxlint_launches_new(json, length, &run->launches, error, sizeof error);
    free(json);
    if (status == PTXLINT_BAD_FILE) {
        ptx_complain(path, *error ? error : ptxlint_status_text(status));
        raise_code(run, EXIT_USAGE);
    } else if (status != PTXLINT_OK) {
        complain_status(run, path, status);
    }
    run->module_options.launches = run->launches;
    return status == PTXLINT_OK;
}

/* Asked of an empty module, so that a wrong name is told once and before any work. */
static bool check_gpu(Run *run)
{
    ptxlint_options options = run->module_options;
    ptxlint_module *module;
    char text[128];
    options.syntax_only = 1;
    if (!options.gpu)
        return true;
    ptxlint_status status = ptxlint_module_new("", 0, &options, &module);
    ptxlint_module_free(module);
    if (status == PTXLINT_BAD_ARGUMENT) {
        snprintf(text, sizeof text, "unknown GPU '%.80s'", options.gpu);
        ptx_complain("--gpu", text);
        raise_code(run, EXIT_USAGE);
    } else if (status != PTXLINT_OK) {
        complain_status(run, NULL, status);
    }
    return status == PTXLINT_OK;
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
    if (run->options->document == PTXLINT_DIAGNOSTICS && (counts[PTXLINT_WARNING] || counts[PTXLINT_ERROR]))
        raise_code(run, EXIT_FOUND);
    if (is_cut_short(module))
        raise_code(run, EXIT_INPUT);
    if (run->options->kernel_glob)
        run->has_kernel |= has_kernel(module, run->options->kernel_glob);
}

/* False: the writing has failed, and what follows would fail alike. */
static bool run_module(Run *run, const char *path)
{
    ptxlint_module *module;
    errno = 0;
    ptxlint_status status = ptxlint_module_open(path, &run->module_options, &module);
    if (status != PTXLINT_OK) {
        complain_status(run, path, status);
        return true;
    }
    judge_module(run, module);
    status = ptxlint_writer_add(run->writer, module);
    ptxlint_module_free(module);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        complain_status(run, path, status);
    return status == PTXLINT_OK;
}

static void run_modules(Run *run, const PathList *list)
{
    ptxlint_status status = ptxlint_writer_new(run->options->document, &run->write_options, sink_write, &run->sink, &run->writer);
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
    return has_syntax && options->document == PTXLINT_DIAGNOSTICS;
}

static void run_begin(Run *run, const Options *options)
{
    *run = (Run){ .options = options };
    ptxlint_options_init(&run->module_options);
    run->module_options.gpu = options->gpu;
    run->module_options.syntax_only = is_syntax_only(options);
    ptxlint_write_options_init(&run->write_options);
    run->write_options.format = options->format;
    run->write_options.color = ptx_options_has_color(options);
    run->write_options.kernel_glob = options->kernel_glob;
    run->write_options.groups = options->group_count ? options->groups : NULL;
    run->write_options.group_count = options->group_count;
    run->write_options.no_summary = options->is_quiet;
}

ExitCode ptx_run(const Options *options)
{
    Run run;
    PathList list = { 0 };
    run_begin(&run, options);
    if (read_launches(&run) && check_gpu(&run)) {
        for (size_t i = 0; options->paths[i]; i++)
            raise_code(&run, ptx_paths_add(&list, options->paths[i]));
        if (list.count && open_output(&run)) {
            run_modules(&run, &list);
            sink_close(&run.sink);
            raise_code(&run, sink_judge(&run.sink, options->output_path ? options->output_path : "standard output"));
        }
    }
    ptx_paths_free(&list);
    ptxlint_launches_free(run.launches);
    return run.code;
}
