/* recognize.c -- what the loops of kernels compute: inductions, reductions, recurrences. */
#include "cli/cli.h"

/* What is asked for, and what of it was found. */
typedef struct RecognizeRun {
    const Options *options;
    size_t count;               /* of kernels and functions */
    Text out;
    ExitCode code;
} RecognizeRun;

static void count_recognized(RecognizeRun *run, const ptxlint_module *module)
{
    size_t count;
    const char *glob = run->options->kernel_glob;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++)
        run->count += !glob || ptxlint_name_fits(glob, kernels[k].name);
}

static ExitCode recognize_module(void *self, const ModuleSource *source,
                                 const ptxlint_module *module)
{
    RecognizeRun *run = self;
    const char *glob = source->options->kernel_glob;
    const ptxlint_format format =
        source->options->output.format == FORMAT_JSON ? PTXLINT_JSON : PTXLINT_TEXT;
    count_recognized(run, module);
    if (format == PTXLINT_JSON)
        ptx_text_put(&run->out, run->out.length ? ",\n" : "[\n");
    ptxlint_status status = ptxlint_write_recognition(module, glob, format, ptx_text_write,
                                                      &run->out);
    if (status != PTXLINT_OK)
        return ptx_complain_status(ptxlint_module_get_info(module)->path, status);
    return EXIT_CLEAN;
}

static ExitCode judge_recognized(const RecognizeRun *run)
{
    if (run->code != EXIT_CLEAN || run->count)
        return run->code;
    ptx_complain("recognize", run->options->kernel_glob
                                  ? "no kernel or function has a name as --kernel gives it"
                                  : "the input has no kernel or function");
    return EXIT_USAGE;
}

ExitCode ptx_recognize_command(const Options *options)
{
    RecognizeRun run = { .options = options };
    Inputs inputs = { 0 };
    Book book = { 0 };
    FileList files = { 0 };
    ExitCode code = exit_code_max(ptx_inputs_read(&inputs, options), ptx_book_open(&book, options));
    for (size_t i = 0; options->paths[i] && code == EXIT_CLEAN; i++)
        code = ptx_paths_add(&files, options->paths[i], &book);
    if (code == EXIT_CLEAN) {
        const ModuleSource like = { .options = options, .given = &inputs };
        run.code = ptx_inputs_each(&like, &book, &files, recognize_module, &run);
        code = judge_recognized(&run);
    }
    if (run.out.length && options->output.format == FORMAT_JSON)
        ptx_text_put(&run.out, "\n]\n");
    if (run.out.length)
        code = exit_code_max(code, ptx_output_text(options, &run.out));
    ptx_text_free(&run.out);
    ptx_files_free(&files);
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}
