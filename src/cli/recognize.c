/* recognize.c -- what the loops of kernels compute: inductions, reductions, recurrences. */
#include "cli/cli.h"

/* What is asked for, and what of it was found. */
typedef struct RecognizeRun {
    const Options *options;
    size_t count;               /* of kernels and functions */
    Text out[FORMAT__COUNT];    /* in each format that is wanted */
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

static ptxlint_status recognize_in(RecognizeRun *run, Format format, const ptxlint_module *module)
{
    Text *out = &run->out[format];
    if (format == FORMAT_JSON)
        ptx_text_put(out, out->length ? ",\n" : "[\n");
    return ptxlint_write_recognition(module, run->options->kernel_glob,
                                     format == FORMAT_JSON ? PTXLINT_JSON : PTXLINT_TEXT,
                                     ptx_text_write, out);
}

static ExitCode recognize_module(void *self, const ModuleSource *source,
                                 const ptxlint_module *module)
{
    RecognizeRun *run = self;
    ptxlint_status status = PTXLINT_OK;
    count_recognized(run, module);
    for (int format = 0; format < FORMAT__COUNT && status == PTXLINT_OK; format++)
        if (ptx_output_is_wanted(source->options, (Format)format))
            status = recognize_in(run, (Format)format, module);
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

static void put_recognized(void *self, const Options *options, Text *out)
{
    const RecognizeRun *run = self;
    const Text *found = &run->out[options->output.format];
    ptx_text_append(out, found);
    if (found->length && options->output.format == FORMAT_JSON)
        ptx_text_put(out, "\n]\n");
}

ExitCode ptx_recognize_command(const Options *options)
{
    RecognizeRun run = { .options = options };
    CliSubject subject;
    ExitCode code = ptx_subject_open(&subject, options, (const char *const *)options->paths);
    if (code == EXIT_CLEAN) {
        run.code = ptx_subject_each(&subject, &(ModuleSource){ 0 }, recognize_module, &run);
        code = judge_recognized(&run);
    }
    code = exit_code_max(code, ptx_output_each(options, put_recognized, &run));
    for (int i = 0; i < FORMAT__COUNT; i++)
        ptx_text_free(&run.out[i]);
    ptx_subject_free(&subject);
    return code;
}
