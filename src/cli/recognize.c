/* recognize.c -- what the loops of kernels compute: inductions, reductions, recurrences. */
#include "cli/cli.h"

/* What is asked for, and what of it was found. */
typedef struct RecognizeRun {
    const Options *options;
    Matched matched;
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

static ExitCode recognize_module(RecognizeRun *run, const ptxlint_module *module)
{
    const ptxlint_format format =
        run->options->output.format == FORMAT_JSON ? PTXLINT_JSON : PTXLINT_TEXT;
    count_recognized(run, module);
    if (format == PTXLINT_JSON)
        ptx_text_put(&run->out, run->out.length ? ",\n" : "[\n");
    ptxlint_status status = ptxlint_write_recognition(module, run->options->kernel_glob, format,
                                                      ptx_text_write, &run->out);
    if (status != PTXLINT_OK)
        return ptx_complain_status(ptxlint_module_get_info(module)->path, status);
    return EXIT_CLEAN;
}

static void recognize_file(RecognizeRun *run, const ModuleSource *source, const InputFile *file)
{
    ptxlint_module *module;
    ExitCode code = ptx_inputs_open(source, file, &module);
    if (code == EXIT_CLEAN) {
        code = exit_code_max(recognize_module(run, module),
                             ptx_matched_add(&run->matched, ptx_inputs_launches(source), module));
        ptxlint_module_free(module);
    }
    run->code = exit_code_max(run->code, code);
}

static void recognize_files(RecognizeRun *run, const Inputs *inputs, Book *book,
                            const FileList *files)
{
    for (size_t i = 0; i < files->count && run->code < EXIT_INTERNAL; i++) {
        const Settings *settings = ptx_book_file(book, files->items[i].path);
        if (!settings || settings->code != EXIT_CLEAN) {
            run->code = exit_code_max(run->code, settings ? settings->code : EXIT_INTERNAL);
            continue;
        }
        const ModuleSource source = { .options = run->options, .given = inputs,
                                      .config = &settings->inputs };
        recognize_file(run, &source, &files->items[i]);
    }
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
    if (code == EXIT_CLEAN)
        code = ptx_matched_begin(&run.matched, options);
    if (code == EXIT_CLEAN) {
        recognize_files(&run, &inputs, &book, &files);
        code = judge_recognized(&run);
    }
    if (run.out.length && options->output.format == FORMAT_JSON)
        ptx_text_put(&run.out, "\n]\n");
    if (run.out.length)
        code = exit_code_max(code, ptx_output_text(options, &run.out));
    ptx_matched_free(&run.matched);
    ptx_text_free(&run.out);
    ptx_files_free(&files);
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}
