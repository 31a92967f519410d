/* tune.c -- the command: which block to launch a kernel with, its shapes side by side, and why one
 * of them; then how many registers and how much dynamic shared memory. */
#include "cli/variants/tune.h"
#include "cli/rule_json.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    STEPS_CLOSE = 1 << 19,      /* a quarter of what a report takes */
    KERNELS_CLOSE = 4           /* of a file: further ones share the steps of so many */
};

typedef struct Tried {
    size_t tuned, left;         /* kernels */
    Text why;                   /* of the first of those that are left */
} Tried;

static void leave_out(Tried *tried, const ptxlint_kernel *kernel)
{
    enum { MAX_LINES = 8 };
    char text[600];
    snprintf(text, sizeof text, "kernel `%.300s`: %s", kernel->name, ptx_launch_missing(kernel));
    if (++tried->left <= MAX_LINES)
        ptx_complain_to(&tried->why, NULL, text);
}

/* Where some are tuned, the others are none of the question; else what each lacks. */
static void tell_left_out(const Tried *tried)
{
    char text[120];
    if (!tried->tuned && !tried->left)
        ptx_complain("tune", "the inputs have no kernel");
    if (!tried->tuned && tried->why.length)
        fputs(tried->why.bytes, stderr);
    if (!tried->left || (!tried->tuned && tried->left == 1))
        return;
    snprintf(text, sizeof text, "%zu of %zu kernels left out: block or grid is not known",
             tried->left, tried->left + tried->tuned);
    ptx_complain("tune", text);
}

/* Where the kernels go. */
typedef struct TuneOutput {
    json_t *all;
    Text text;
    ExitCode code;
    Tried tried;
    Matched matched;
} TuneOutput;

/* For each shape of a kernel. */
static int64_t steps_close(const Options *options, const ptxlint_kernel *kernels, size_t count)
{
    int64_t tunable = 0;
    for (size_t k = 0; k < count; k++)
        tunable += ptx_is_asked(options, &kernels[k]) && ptx_tune_is_tunable(&kernels[k]);
    return tunable > KERNELS_CLOSE ? STEPS_CLOSE * KERNELS_CLOSE / tunable + 1 : STEPS_CLOSE;
}

/* On each GPU that is asked for; without any, it is said once that none is known. */
static void tune_kernel(const Options *options, Tune *t, TuneOutput *out)
{
    const Tune start = *t;
    const size_t count = ptxlint_module_get_info(t->module)->gpu_count;
    for (size_t gpu = 0; !gpu || gpu < count; gpu++) {
        *t = start;
        t->gpu = gpu;
        ptx_tune_try(t);
        if (ptx_output_is_wanted(options, FORMAT_JSON))
            json_array_append_new(out->all, ptx_tune_json(t));
        if (ptx_output_is_wanted(options, FORMAT_TEXT))
            ptx_tune_put_text(t, &out->text);
    }
}

static ExitCode tune_module(const Options *options, const ptxlint_module *module, TuneOutput *out)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    Tune *t = malloc(sizeof *t);
    const int64_t steps = steps_close(options, kernels, count);
    for (size_t k = 0; t && k < count; k++) {
        if (!ptx_is_asked(options, &kernels[k]))
            continue;
        if (!ptx_tune_is_tunable(&kernels[k]) && !kernels[k].reqntid[0]) {
            leave_out(&out->tried, &kernels[k]);
            continue;
        }
        *t = (Tune){ .module = module, .kernel = &kernels[k], .steps_close = steps };
        tune_kernel(options, t, out);
        out->tried.tuned++;
    }
    free(t);
    return t ? EXIT_CLEAN : ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
}

static ExitCode tune_taken(void *self, const ModuleSource *source, const ptxlint_module *module)
{
    TuneOutput *out = self;
    return exit_code_max(tune_module(source->options, module, out),
                         ptx_matched_add(&out->matched, ptx_inputs_launches(source), module));
}

static ExitCode tune_files(CliSubject *subject, TuneOutput *out)
{
    const ModuleSource like = { 0 };
    ExitCode code = ptx_matched_begin(&out->matched, subject->options);
    if (code < EXIT_INTERNAL)
        code = exit_code_max(code, ptx_subject_each(subject, &like, tune_taken, out));
    if (code < EXIT_INPUT)
        code = exit_code_max(code, ptx_matched_report(&out->matched));
    if (code == EXIT_CLEAN)
        tell_left_out(&out->tried);
    ptx_text_free(&out->tried.why);
    ptx_matched_free(&out->matched);
    return exit_code_max(code, out->tried.tuned ? EXIT_CLEAN : EXIT_USAGE);
}

/* An input that cannot be read leaves the others. */
static void put_tuned(void *self, const Options *options, Text *out)
{
    TuneOutput *to = self;
    if (options->output.format != FORMAT_JSON) {
        ptx_text_append(out, &to->text);
    } else if (to->code == EXIT_CLEAN || to->code == EXIT_INPUT) {
        ptx_json_write(out, json_pack("{s:s, s:O}", "schema", "ptxlint-tune/1", "kernels",
                                      to->all));
    }
}

ExitCode ptx_tune(const Options *options)
{
    TuneOutput to = { .all = json_array() };
    CliSubject subject;
    to.code = ptx_subject_open(&subject, options, (const char *const *)options->paths);
    if (to.code == EXIT_CLEAN)
        to.code = tune_files(&subject, &to);
    ExitCode code = exit_code_max(to.code, ptx_output_each(options, put_tuned, &to));
    json_decref(to.all);
    ptx_text_free(&to.text);
    ptx_subject_free(&subject);
    return code;
}
