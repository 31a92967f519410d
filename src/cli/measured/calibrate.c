/* calibrate.c -- constants of a GPU's file, fitted to times that were measured. */
#include "cli/measured/measured_inputs.h"
#include "cli/rule_json.h"
#include "support/choice.h"

#include <stdlib.h>
#include <string.h>

typedef struct CalibrateCommand {
    const Options *options;
    const ptxlint_gpu *gpu;             /* that is calibrated */
    MeasuredInputs inputs;
    ptxlint_calibration *fit;
    ptxlint_calibration_info info;
    Progress progress;
} CalibrateCommand;

/* ---- text ------------------------------------------------------------------------------------ */

static void put_fitted(Text *out, const CalibrateCommand *c)
{
    ptxlint_calibrated k = { .size = sizeof k };
    if (!c->info.fitted)
        return;
    ptx_text_print(out, "%-27s %8s %8s  90 %% interval\n", "constant", "was", "is");
    for (size_t i = 0; ptxlint_calibration_at(c->fit, i, &k); i++)
        if (k.verdict == PTXLINT_CALIBRATE_FITTED)
            ptx_text_print(out, "%-27s %8.4g %8.4g  %.4g-%.4g\n", k.key, k.was, k.is, k.low,
                           k.high);
}

static void put_errors(Text *out, const CalibrateCommand *c)
{
    const ptxlint_calibration_info *info = &c->info;
    ptx_text_print(out, "Predictions are %.1f %% off in the mean.\n", info->error_percent);
    if (info->fitted)
        ptx_text_print(out,
                       "Of rows left out, by %s in %zu parts, a fit leaves %.1f %%. With all rows "
                       "fitted to, %.1f %% are left.\n",
                       info->is_by_kernel ? "whole kernels" : "single rows", info->folds,
                       info->left_out_error_percent, info->fitted_error_percent);
    if (info->fitted && !info->has_converged)
        ptx_text_print(out,
                       "The fit has not come to an end in %u steps: calibrate the written file "
                       "again.\n", info->steps);
    if (info->reason)
        ptx_text_print(out, "%s\n", info->reason);
}

/* The keys that have this verdict, in one line; title has what is said of them. */
static void put_verdict_keys(Text *out, const CalibrateCommand *c,
                             ptxlint_calibrate_verdict verdict, const char *title)
{
    size_t count = 0;
    ptxlint_calibrated k = { .size = sizeof k };
    for (size_t i = 0; ptxlint_calibration_at(c->fit, i, &k); i++) {
        if (k.verdict != verdict)
            continue;
        ptx_text_print(out, "%s%s", count++ ? ", " : title, k.key);
        if (k.same_as)
            ptx_text_print(out, " (from %s)", k.same_as);
    }
    ptx_text_put(out, ptx_text_if(count > 0, ".\n"));
}

static void put_left_out(Text *out, const CalibrateCommand *c)
{
    const ptxlint_calibration_info *info = &c->info;
    ptx_text_print(out, "%zu row%s of %zu kernel%s, on %s", info->rows, ptx_plural(info->rows),
                   info->kernels, ptx_plural(info->kernels), ptxlint_gpu_get_info(c->gpu)->name);
    if (info->foreign)
        ptx_text_print(out, "; %zu of no kernel of the inputs, or of another GPU", info->foreign);
    if (info->unknown)
        ptx_text_print(out, "; %zu without a prediction", info->unknown);
    if (info->impossible)
        ptx_text_print(out, "; %zu that are impossible", info->impossible);
    if (info->beyond)
        ptx_text_print(out, "; %zu not looked at, evenly over the file", info->beyond);
    ptx_text_put(out, ".\n");
}

static void put_calibrate_text(Text *out, const CalibrateCommand *c)
{
    Text lines = { 0 };
    put_left_out(&lines, c);
    put_fitted(&lines, c);
    put_errors(&lines, c);
    put_verdict_keys(&lines, c, PTXLINT_CALIBRATE_SAME, "Not distinguished: ");
    put_verdict_keys(&lines, c, PTXLINT_CALIBRATE_NO_GAIN,
                     "Kept, since another value gains nothing: ");
    put_verdict_keys(&lines, c, PTXLINT_CALIBRATE_NO_ROWS, "No three rows rest on: ");
    if (lines.bytes)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *constant_json(const ptxlint_calibrated *k)
{
    json_t *value = json_pack("{s:s, s:s, s:s?}", "key", k->key, "verdict",
                              ptxlint_calibrate_verdict_name(k->verdict), "same_as", k->same_as);
    json_object_set_new(value, "was", ptx_json_number(k->was));
    json_object_set_new(value, "is", ptx_json_number(k->is));
    json_object_set_new(value, "low", ptx_json_number(k->low));
    json_object_set_new(value, "high", ptx_json_number(k->high));
    return value;
}

static void put_calibrate_json(Text *out, const CalibrateCommand *c)
{
    const ptxlint_calibration_info *info = &c->info;
    ptxlint_calibrated k = { .size = sizeof k };
    json_t *constants = json_array(),
           *value = json_pack("{s:s, s:s, s:I, s:I}", "schema", "ptxlint-calibrate/1", "gpu",
                              ptxlint_gpu_get_info(c->gpu)->name, "rows", (json_int_t)info->rows,
                              "kernels", (json_int_t)info->kernels);
    for (size_t i = 0; ptxlint_calibration_at(c->fit, i, &k); i++)
        json_array_append_new(constants, constant_json(&k));
    json_object_set_new(value, "folds", json_integer((json_int_t)info->folds));
    json_object_set_new(value, "by_kernel", json_boolean(info->is_by_kernel));
    json_object_set_new(value, "steps", json_integer(info->steps));
    json_object_set_new(value, "has_converged", json_boolean(info->has_converged));
    json_object_set_new(value, "error_percent", ptx_json_number(info->error_percent));
    json_object_set_new(value, "left_out_error_percent",
                        ptx_json_number(info->left_out_error_percent));
    json_object_set_new(value, "fitted_error_percent", ptx_json_number(info->fitted_error_percent));
    json_object_set_new(value, "reason", ptx_text_json(info->reason));
    json_object_set_new(value, "constants", constants);
    ptx_json_write(out, value);
}

/* ---- the command ----------------------------------------------------------------------------- */

static ExitCode put_calibrate_document(const CalibrateCommand *c, const Document *document)
{
    Options with = *c->options;
    Text out = { 0 };
    with.output = *document;
    if (document->format == FORMAT_JSON)
        put_calibrate_json(&out, c);
    else
        put_calibrate_text(&out, c);
    ExitCode code = ptx_output_text(&with, &out);
    ptx_text_free(&out);
    return code;
}

static ExitCode write_calibrated_file(const CalibrateCommand *c)
{
    Options with = *c->options;
    Text out = { 0 };
    const Document table = { FORMAT_TEXT, NULL };
    ExitCode code = put_calibrate_document(c, &table);
    with.output = c->options->outputs[0];
    if (!c->info.gpu) {
        ptx_complain(with.output.path, "is not written: nothing could be fitted");
        return exit_code_max(code, EXIT_FOUND);
    }
    ptx_text_put(&out, "# Written by `ptxlint calibrate`; read by `ptxlint --gpu FILE`.\n");
    ptxlint_gpu_write(c->info.gpu, ptx_text_write, &out);
    code = exit_code_max(code, ptx_output_text(&with, &out));
    ptx_text_free(&out);
    return code;
}

static ExitCode write_calibration(const CalibrateCommand *c)
{
    ExitCode code = c->inputs.is_part ? EXIT_INPUT : EXIT_CLEAN;
    if (!c->info.rows) {
        ptx_complain(c->options->measured_path,
                     c->info.unknown + c->info.impossible
                         ? "no row can be fitted to; see ptxlint verify"
                         : "no row is of a kernel in the inputs on that GPU");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < c->options->output_count; i++)
        code = exit_code_max(code, ptx_writes_gpu_file(c->options, i)
                                       ? write_calibrated_file(c)
                                       : put_calibrate_document(c, &c->options->outputs[i]));
    return code;
}

static void show_fitting(void *context, size_t done, size_t count)
{
    Progress *progress = context;
    if (!progress->is_wanted)
        return;
    fprintf(stderr, "\r\033[K %zu of %zu predictions at most", done, count);
    fflush(stderr);
    progress->is_shown = true;
}

/* Of the modules that could be read. */
static ExitCode fit_modules(CalibrateCommand *c)
{
    ptxlint_calibrate_options with;
    const ptxlint_module **modules = calloc(c->inputs.files.count + 1, sizeof *modules);
    size_t count = 0;
    for (size_t i = 0; modules && i < c->inputs.files.count; i++)
        if (c->inputs.modules[i])
            modules[count++] = c->inputs.modules[i];
    ptxlint_calibrate_options_init(&with);
    with.gpu = c->gpu;
    with.kernel_glob = c->options->kernel_glob;
    with.clock_mhz = c->options->clock_mhz;
    with.progress = show_fitting;
    with.progress_context = &c->progress;
    ptxlint_status status = modules ? ptxlint_calibrate(modules, count, c->inputs.measurements,
                                                        &with, &c->fit)
                                    : PTXLINT_NO_MEMORY;
    free(modules);
    ptx_progress_clear(&c->progress);
    c->info.size = sizeof c->info;
    if (status != PTXLINT_OK)
        return ptx_complain_status(NULL, status);
    ptxlint_calibration_get_info(c->fit, &c->info);
    return EXIT_CLEAN;
}

static ExitCode calibrate(CalibrateCommand *c, const Inputs *inputs, Book *book)
{
    const MeasuredOpening how = { inputs, true };
    if (inputs->gpu_count != 1) {
        ptx_complain("calibrate", "give one GPU to calibrate: --gpu NAME or --gpu FILE.yaml");
        return EXIT_USAGE;
    }
    c->gpu = inputs->gpus[0];
    ExitCode code = ptx_measured_read(&c->inputs, book);
    if (code == EXIT_CLEAN)
        code = ptx_measured_open(&c->inputs, &how, book);
    if (code == EXIT_CLEAN)
        code = fit_modules(c);
    return code == EXIT_CLEAN ? write_calibration(c) : code;
}

ExitCode ptx_calibrate(const Options *options)
{
    Inputs inputs = { 0 };
    Book book = { 0 };
    CalibrateCommand command = { .options = options, .inputs = { .options = options } };
    ptx_progress_begin(&command.progress);
    ExitCode code = exit_code_max(ptx_inputs_read(&inputs, options), ptx_book_open(&book, options));
    if (code == EXIT_CLEAN)
        code = calibrate(&command, &inputs, &book);
    ptx_progress_clear(&command.progress);
    ptxlint_calibration_free(command.fit);
    ptx_measured_free(&command.inputs);
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}
