/* calibrate.c -- constants of a GPU's file, fitted to times that were measured. */
#include "cli/measured/fit.h"
#include "cli/measured/gpu_text.h"
#include "cli/measured/measured_inputs.h"
#include "cli/rule_json.h"
#include "support/choice.h"
#include "support/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 400,             /* that are looked at, evenly over the file */
    SCREEN_ROWS = 40,           /* by which constants are chosen */
    SOURCE_BYTES = 320
};

static const double nudge = 1.1;                /* of a constant, for a row's sensitivity to it */
static const double screen_sensitivity = 0.02;
static const double least_of_before = 0.98;     /* of the error, that may be left at the most */

typedef struct CalibrateRow {
    size_t index;               /* in the file, from 0 */
    MeasuredKernel of;
    double us, predicted;
    uint32_t group;             /* number of its kernel */
} CalibrateRow;

/* A constant, and the GPU that has more of it. */
typedef struct CalibrateConstant {
    char key[64];
    double value;
    ptxlint_gpu *gpu;
    bool is_wanted;
    size_t number;              /* of that GPU in the modules; 0: it is not there */
} CalibrateConstant;

typedef struct CalibrateCommand {
    const Options *options;
    const ptxlint_gpu *gpu;             /* that is calibrated */
    const Inputs *given;
    Book *book;
    MeasuredInputs inputs;
    CalibrateConstant constants[FIT_CONSTANTS_MAX];
    size_t constant_count;
    CalibrateRow *rows;
    size_t count, capacity, groups;
    /* rows that are not fitted to: of no kernel, of another GPU, without a prediction, below the
     * least; beyond ROWS_MAX */
    size_t foreign, unknown, impossible, beyond;
    double *sensitivity;
    double *apart;              /* by row, and its kernel's number */
    uint32_t *group;
    FitResult fit;
    double left_out, after;     /* as of fit, by predictions */
    ptxlint_gpu *trials[FIT_FOLDS + 1];         /* with what each fold was fitted to, and all */
    Progress progress;
} CalibrateCommand;

/* ---- constants ------------------------------------------------------------------------------- */

/* What a certain bound rests on, or a bound of a report, stays. */
static bool is_for_bounds(const char *key)
{
    static const char *const keys[] = { "global_latency_min", "first_miss_share",
                                        "memory_ceiling_gb_per_s" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i], key))
            return true;
    return false;
}

/* Figures that were measured or fitted, and predictions rest on. */
static bool is_calibrated(const ptxlint_figure *figure)
{
    const bool is_section = !strcmp(figure->section, "sustained")
                            || !strcmp(figure->section, "latency")
                            || !strncmp(figure->key, "tensor_mma", 10);
    return is_section && !is_for_bounds(figure->key);
}

/* The GPU's, or the H200's where that is what predictions take. */
static double value_of_constant(const ptxlint_gpu *gpu, const char *key)
{
    const double own = ptxlint_gpu_value(gpu, key);
    return isnan(own) ? ptxlint_gpu_value(ptxlint_gpu_find("h200"), key) : own;
}

/* The GPU with these figures. */
static ExitCode make_trial_gpu(const ptxlint_gpu *gpu, const GpuLine *lines, size_t count,
                               ptxlint_gpu **out)
{
    const char *name = "trial";
    Text text = { 0 };
    char error[256] = "";
    ptx_gpu_put_text(&text, gpu, lines, count);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (!text.has_failed)
        status = ptxlint_gpu_new(name, text.bytes, text.length, out, error, sizeof error);
    ptx_text_free(&text);
    if (status == PTXLINT_OK)
        return EXIT_CLEAN;
    if (*error)
        ptx_complain(name, error);
    return *error ? EXIT_INTERNAL : ptx_complain_status(NULL, status);
}

static ExitCode add_trial_gpu(CalibrateCommand *c, const char *key)
{
    CalibrateConstant *constant = &c->constants[c->constant_count];
    snprintf(constant->key, sizeof constant->key, "%s", key);
    constant->value = value_of_constant(c->gpu, key);
    const GpuLine line = { key, "a trial", constant->value * nudge };
    ExitCode code = make_trial_gpu(c->gpu, &line, 1, &constant->gpu);
    c->constant_count += code == EXIT_CLEAN;
    return code;
}

static ExitCode add_trial_gpus(CalibrateCommand *c)
{
    ptxlint_figure figure;
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; code == EXIT_CLEAN && ptxlint_gpu_figure(c->gpu, i, &figure); i++)
        if (is_calibrated(&figure) && value_of_constant(c->gpu, figure.key) > 0
            && c->constant_count < FIT_CONSTANTS_MAX)
            code = add_trial_gpu(c, figure.key);
    return code;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* NaN: nothing is predicted. GPU number 0 is the one that is calibrated. */
static double predict_row(const CalibrateCommand *c, const CalibrateRow *row, size_t gpu,
                          ptxlint_verified *out)
{
    ptxlint_verify_options with;
    ptxlint_verify_options_init(&with);
    *out = (ptxlint_verified){ .size = sizeof *out };
    with.gpu = gpu;
    with.is_quick = 1;
    with.clock_mhz = c->options->clock_mhz;
    ptxlint_status status = ptxlint_verify(row->of.module, row->of.kernel->name,
                                           c->inputs.measurements, row->index, &with, out);
    if (status == PTXLINT_NO_MEMORY)
        ptx_note_no_memory();
    return status == PTXLINT_OK ? out->time.predicted_us : (double)NAN;
}

/* A time that cannot be says nothing of the GPU. */
static bool is_below_least(const CalibrateCommand *c, const CalibrateRow *row)
{
    ptxlint_verify_options with;
    ptxlint_verified verified = { .size = sizeof verified };
    ptxlint_verify_options_init(&with);
    with.clock_mhz = c->options->clock_mhz;
    return ptxlint_verify(row->of.module, row->of.kernel->name, c->inputs.measurements, row->index,
                          &with, &verified) == PTXLINT_OK
           && verified.verdict == PTXLINT_VERDICT_IMPOSSIBLE;
}

static bool is_of_other_gpu(const CalibrateCommand *c, const char *name)
{
    return name && ptx_is_known_gpu(name) && !ptx_is_gpu_called(c->gpu, name);
}

static uint32_t group_of(CalibrateCommand *c, const ptxlint_kernel *kernel)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->rows[i].of.kernel->name, kernel->name))
            return c->rows[i].group;
    return (uint32_t)c->groups++;
}

static ExitCode take_measured_row(CalibrateCommand *c, size_t index)
{
    ptxlint_measurement said = { .size = sizeof said };
    ptxlint_verified verified;
    ptxlint_measurement_at(c->inputs.measurements, index, &said);
    CalibrateRow row = { .index = index, .of = ptx_measured_kernel(&c->inputs, index),
                         .us = said.us };
    if (row.of.count != 1 || is_of_other_gpu(c, said.gpu)
        || !ptx_is_asked(c->options, row.of.kernel)) {
        c->foreign++;
        return EXIT_CLEAN;
    }
    row.predicted = predict_row(c, &row, 0, &verified);
    if (verified.verdict == PTXLINT_VERDICT_UNKNOWN || !(row.predicted > 0) || !(row.us > 0)) {
        c->unknown++;
        return EXIT_CLEAN;
    }
    if (verified.verdict == PTXLINT_VERDICT_FASTER && is_below_least(c, &row)) {
        c->impossible++;
        return EXIT_CLEAN;
    }
    if (!ptx_list_reserve(&c->rows, &c->capacity, c->count + 1, sizeof *c->rows))
        return ptx_complain_memory();
    row.group = group_of(c, row.of.kernel);
    c->rows[c->count++] = row;
    return EXIT_CLEAN;
}

static size_t count_measurements(const CalibrateCommand *c)
{
    ptxlint_measurement said = { .size = sizeof said };
    size_t count = 0;
    while (ptxlint_measurement_at(c->inputs.measurements, count, &said))
        count++;
    return count;
}

static ExitCode take_measured_rows(CalibrateCommand *c)
{
    const size_t all = count_measurements(c), wanted = all < ROWS_MAX ? all : ROWS_MAX;
    ExitCode code = EXIT_CLEAN;
    c->beyond = all - wanted;
    for (size_t i = 0; i < wanted && code == EXIT_CLEAN; i++)
        code = take_measured_row(c, i * all / wanted);
    if (code != EXIT_CLEAN || c->count)
        return code;
    ptx_complain(c->options->measured_path,
                 c->unknown + c->impossible ? "no row can be fitted to; see ptxlint verify"
                                            : "no row is of a kernel in the inputs on that GPU");
    return EXIT_USAGE;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* The files of every row, or of those that constants are chosen by. NULL: no memory. */
static bool *files_of_rows(const CalibrateCommand *c, size_t count)
{
    bool *wanted = calloc(c->inputs.files.count + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < count; i++)
        wanted[c->rows[i * c->count / count].of.file] = true;
    return wanted;
}

/* The GPU is number 0; behind it is each that has more of a constant which is wanted. */
static size_t number_gpus(CalibrateCommand *c, const ptxlint_gpu **all)
{
    size_t count = 0;
    all[count++] = c->gpu;
    for (size_t k = 0; k < c->constant_count; k++) {
        c->constants[k].number = c->constants[k].is_wanted ? count : 0;
        if (c->constants[k].is_wanted)
            all[count++] = c->constants[k].gpu;
    }
    return count;
}

/* Modules of the files that are wanted, anew; rows are of these then. */
static ExitCode open_with_gpus(CalibrateCommand *c, const ptxlint_gpu **all, size_t count,
                               const bool *wanted)
{
    Inputs with = *c->given;
    with.gpus = all;
    with.gpu_count = count;
    const MeasuredOpening how = { &with, true, wanted };
    ptx_measured_close(&c->inputs);
    ExitCode code = ptx_measured_open(&c->inputs, &how, c->book);
    for (size_t i = 0; i < c->count && code == EXIT_CLEAN; i++)
        if (!wanted || wanted[c->rows[i].of.file])
            c->rows[i].of = ptx_measured_kernel(&c->inputs, c->rows[i].index);
    return code;
}

/* For the first of count equal parts of the rows. */
static ExitCode open_for_rows(CalibrateCommand *c, size_t count)
{
    const ptxlint_gpu *all[FIT_CONSTANTS_MAX + 1];
    bool *wanted = files_of_rows(c, count);
    const size_t gpus = number_gpus(c, all);
    ExitCode code = wanted ? open_with_gpus(c, all, gpus, wanted) : ptx_complain_memory();
    free(wanted);
    return code;
}

/* ---- sensitivities --------------------------------------------------------------------------- */

static void show_fitting(CalibrateCommand *c, size_t done, size_t count)
{
    if (!c->progress.is_wanted)
        return;
    fprintf(stderr, "\r\033[K %zu of %zu rows", done, count);
    fflush(stderr);
    c->progress.is_shown = true;
}

static double row_sensitivity(const CalibrateCommand *c, const CalibrateRow *row, size_t constant)
{
    ptxlint_verified verified;
    const size_t number = c->constants[constant].number;
    const double more = number ? predict_row(c, row, number, &verified) : 0;
    return more > 0 ? log(more / row->predicted) / log(nudge) : 0;
}

static size_t screen_count(const CalibrateCommand *c)
{
    return c->count < SCREEN_ROWS ? c->count : SCREEN_ROWS;
}

/* Constants that some of the rows rest on, by a part of them. */
static void screen_constants(CalibrateCommand *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        show_fitting(c, i, count);
        const CalibrateRow *row = &c->rows[i * c->count / count];
        for (size_t k = 0; k < c->constant_count; k++)
            c->constants[k].is_wanted |= fabs(row_sensitivity(c, row, k)) >= screen_sensitivity;
    }
}

static ExitCode find_sensitivities(CalibrateCommand *c)
{
    c->sensitivity = calloc(c->count * c->constant_count + 1, sizeof *c->sensitivity);
    if (!c->sensitivity)
        return ptx_complain_memory();
    for (size_t i = 0; i < c->count; i++) {
        show_fitting(c, i, c->count);
        for (size_t k = 0; k < c->constant_count; k++)
            c->sensitivity[i * c->constant_count + k] = row_sensitivity(c, &c->rows[i], k);
    }
    return EXIT_CLEAN;
}

static FitData data_of(const CalibrateCommand *c)
{
    return (FitData){ c->count, c->constant_count, c->apart, c->sensitivity, c->group, c->groups };
}

static ExitCode fit_constants(CalibrateCommand *c)
{
    c->apart = calloc(c->count + 1, sizeof *c->apart);
    c->group = calloc(c->count + 1, sizeof *c->group);
    for (size_t i = 0; c->apart && c->group && i < c->count; i++) {
        c->apart[i] = log(c->rows[i].us / c->rows[i].predicted);
        c->group[i] = c->rows[i].group;
    }
    const FitData data = data_of(c);
    if (!c->apart || !c->group || !ptx_fit(&data, &c->fit))
        return ptx_complain_memory();
    c->left_out = c->fit.left_out;
    c->after = c->fit.after;
    return EXIT_CLEAN;
}

/* ---- what the factors predict ---------------------------------------------------------------- */

/* Of one fold, or of all rows. */
static double factor_in_trial(const CalibrateCommand *c, size_t trial, size_t constant)
{
    return trial < c->fit.folds ? c->fit.fold_factors[trial][constant]
                                : c->fit.constants[constant].factor;
}

static ExitCode make_fitted_gpu(CalibrateCommand *c, size_t trial)
{
    GpuLine lines[FIT_CONSTANTS_MAX];
    size_t count = 0;
    for (size_t k = 0; k < c->constant_count; k++) {
        const double factor = factor_in_trial(c, trial, k);
        if (fabs(factor - 1) > 0)
            lines[count++] = (GpuLine){ c->constants[k].key, "a trial",
                                        c->constants[k].value * factor };
    }
    return make_trial_gpu(c->gpu, lines, count, &c->trials[trial]);
}

/* Means over rows of |ln(measured / predicted)|. A row without a prediction counts as it was. */
static void predict_fitted(CalibrateCommand *c)
{
    const FitData data = data_of(c);
    ptxlint_verified verified;
    c->left_out = c->after = 0;
    for (size_t i = 0; i < c->count; i++) {
        const CalibrateRow *row = &c->rows[i];
        const size_t fold = ptx_fit_fold(&data, &c->fit, i);
        const double without = predict_row(c, row, fold, &verified),
                     with = predict_row(c, row, c->fit.folds, &verified);
        c->left_out += fabs(without > 0 ? log(row->us / without) : c->apart[i]);
        c->after += fabs(with > 0 ? log(row->us / with) : c->apart[i]);
    }
    c->left_out /= (double)c->count;
    c->after /= (double)c->count;
}

/* Times are no sums over constants: what is fitted must hold for real predictions, too. */
static ExitCode check_fit(CalibrateCommand *c)
{
    const ptxlint_gpu *all[FIT_FOLDS + 1];
    ExitCode code = EXIT_CLEAN;
    if (!c->fit.taken)
        return EXIT_CLEAN;
    for (size_t i = 0; i <= c->fit.folds && code == EXIT_CLEAN; i++) {
        code = make_fitted_gpu(c, i);
        all[i] = c->trials[i];
    }
    bool *wanted = files_of_rows(c, c->count);
    if (code == EXIT_CLEAN)
        code = wanted ? open_with_gpus(c, all, c->fit.folds + 1, wanted) : ptx_complain_memory();
    free(wanted);
    if (code != EXIT_CLEAN)
        return code;
    predict_fitted(c);
    if (c->left_out > c->fit.before * least_of_before || c->after > c->fit.before)
        ptx_fit_drop(&c->fit);
    return EXIT_CLEAN;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void describe_fit(const CalibrateCommand *c, size_t k, char source[SOURCE_BYTES])
{
    const FitConstant *fit = &c->fit.constants[k];
    snprintf(source, SOURCE_BYTES,
             "fitted by `ptxlint calibrate` to %zu measured launches of %zu kernels: %.4g times "
             "%.4g, 90 %% interval %.4g to %.4g times",
             c->count, c->groups, fit->factor, c->constants[k].value, fit->low, fit->high);
}

static void put_calibrated_file(Text *out, const CalibrateCommand *c)
{
    GpuLine lines[FIT_TAKEN_MAX];
    char sources[FIT_TAKEN_MAX][SOURCE_BYTES];
    size_t count = 0;
    for (size_t k = 0; k < c->constant_count && count < FIT_TAKEN_MAX; k++) {
        if (c->fit.constants[k].verdict != FIT_TAKEN)
            continue;
        describe_fit(c, k, sources[count]);
        lines[count] = (GpuLine){ c->constants[k].key, sources[count],
                                  c->constants[k].value * c->fit.constants[k].factor };
        count++;
    }
    ptx_text_put(out, "# Written by `ptxlint calibrate`; read by `ptxlint --gpu FILE`.\n");
    ptx_gpu_put_text(out, c->gpu, lines, count);
}

/* ---- text ------------------------------------------------------------------------------------ */

static double as_percent(double log_error)
{
    return 100 * (exp(log_error) - 1);
}

static void put_fitted(Text *out, const CalibrateCommand *c)
{
    if (!c->fit.taken)
        return;
    ptx_text_print(out, "%-27s %8s %8s  90 %% interval\n", "constant", "was", "is");
    for (size_t k = 0; k < c->constant_count; k++) {
        const FitConstant *fit = &c->fit.constants[k];
        const double was = c->constants[k].value;
        if (fit->verdict == FIT_TAKEN)
            ptx_text_print(out, "%-27s %8.4g %8.4g  %.4g-%.4g\n", c->constants[k].key, was,
                           was * fit->factor, was * fit->low, was * fit->high);
    }
}

static void put_errors(Text *out, const CalibrateCommand *c)
{
    const FitResult *fit = &c->fit;
    ptx_text_print(out, "Predictions are %.1f %% off in the mean.\n", as_percent(fit->before));
    if (!fit->folds) {
        ptx_text_print(out, "Nothing is fitted: %d rows are the least.\n", (int)FIT_ROWS_LEAST);
        return;
    }
    ptx_text_print(out, "Of rows left out, %s in %zu parts, a fit leaves %.1f %%.\n",
                   fit->is_by_group ? "by whole kernels" : "one by one", fit->folds,
                   as_percent(c->left_out));
    if (fit->taken)
        ptx_text_print(out,
                       "With all rows fitted to, %.1f %% are left. A fit is one step: calibrate "
                       "the written file again, until nothing is fitted.\n", as_percent(c->after));
    else
        ptx_text_put(out, "Nothing is fitted: these rows do not show which constant is wrong.\n");
}

/* The keys that have this verdict, in one line; title has what is said of them. */
static void put_verdict_keys(Text *out, const CalibrateCommand *c, FitVerdict verdict,
                             const char *title)
{
    size_t count = 0;
    for (size_t k = 0; k < c->constant_count; k++) {
        const FitConstant *fit = &c->fit.constants[k];
        if (fit->verdict != verdict)
            continue;
        ptx_text_print(out, "%s%s", count++ ? ", " : title, c->constants[k].key);
        if (verdict == FIT_SAME)
            ptx_text_print(out, " (from %s)", c->constants[fit->same].key);
    }
    ptx_text_put(out, ptx_text_if(count > 0, ".\n"));
}

static void put_left_out(Text *out, const CalibrateCommand *c)
{
    ptx_text_print(out, "%zu row%s of %zu kernel%s, on %s", c->count, ptx_plural(c->count),
                   c->groups, ptx_plural(c->groups), ptxlint_gpu_get_info(c->gpu)->name);
    if (c->foreign)
        ptx_text_print(out, "; %zu of no kernel of the inputs, or of another GPU", c->foreign);
    if (c->unknown)
        ptx_text_print(out, "; %zu without a prediction", c->unknown);
    if (c->impossible)
        ptx_text_print(out, "; %zu that are impossible", c->impossible);
    if (c->beyond)
        ptx_text_print(out, "; %zu not looked at, since %d do", c->beyond, (int)ROWS_MAX);
    ptx_text_put(out, ".\n");
}

static void put_calibrate_text(Text *out, const CalibrateCommand *c)
{
    Text lines = { 0 };
    put_left_out(&lines, c);
    put_fitted(&lines, c);
    put_errors(&lines, c);
    put_verdict_keys(&lines, c, FIT_SAME, "Not distinguished: ");
    put_verdict_keys(&lines, c, FIT_NO_GAIN, "Kept, since another value gains nothing: ");
    put_verdict_keys(&lines, c, FIT_NO_ROW, "No three rows rest on: ");
    if (lines.bytes)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *constant_json(const CalibrateCommand *c, size_t k)
{
    static const char *const words[] = { [FIT_TAKEN] = "fitted", [FIT_NO_ROW] = "no rows",
                                         [FIT_SAME] = "not distinguished",
                                         [FIT_NO_GAIN] = "no gain" };
    const FitConstant *fit = &c->fit.constants[k];
    const double was = c->constants[k].value;
    json_t *value = json_pack("{s:s, s:s}", "key", c->constants[k].key, "verdict",
                              words[fit->verdict]);
    json_object_set_new(value, "same_as", fit->verdict == FIT_SAME
                                              ? json_string(c->constants[fit->same].key)
                                              : json_null());
    json_object_set_new(value, "was", ptx_json_number(was));
    json_object_set_new(value, "is", ptx_json_number(was * fit->factor));
    json_object_set_new(value, "low", ptx_json_number(was * fit->low));
    json_object_set_new(value, "high", ptx_json_number(was * fit->high));
    return value;
}

static void put_calibrate_json(Text *out, const CalibrateCommand *c)
{
    json_t *constants = json_array(),
           *value = json_pack("{s:s, s:s, s:I, s:I}", "schema", "ptxlint-calibrate/1", "gpu",
                              ptxlint_gpu_get_info(c->gpu)->name, "rows", (json_int_t)c->count,
                              "kernels", (json_int_t)c->groups);
    for (size_t k = 0; k < c->constant_count; k++)
        json_array_append_new(constants, constant_json(c, k));
    json_object_set_new(value, "folds", json_integer((json_int_t)c->fit.folds));
    json_object_set_new(value, "by_kernel", json_boolean(c->fit.is_by_group));
    json_object_set_new(value, "error_percent", ptx_json_number(as_percent(c->fit.before)));
    json_object_set_new(value, "left_out_error_percent",
                        ptx_json_number(as_percent(c->left_out)));
    json_object_set_new(value, "fitted_error_percent", ptx_json_number(as_percent(c->after)));
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
    if (!c->fit.taken) {
        ptx_complain(with.output.path, "is not written: nothing could be fitted");
        return exit_code_max(code, EXIT_FOUND);
    }
    put_calibrated_file(&out, c);
    code = exit_code_max(code, ptx_output_text(&with, &out));
    ptx_text_free(&out);
    return code;
}

static ExitCode write_calibration(const CalibrateCommand *c)
{
    ExitCode code = c->inputs.is_part ? EXIT_INPUT : EXIT_CLEAN;
    for (size_t i = 0; i < c->options->output_count; i++)
        code = exit_code_max(code, ptx_writes_gpu_file(c->options, i)
                                       ? write_calibrated_file(c)
                                       : put_calibrate_document(c, &c->options->outputs[i]));
    return code;
}

static ExitCode choose_gpu(CalibrateCommand *c)
{
    if (c->given->gpu_count != 1) {
        ptx_complain("calibrate", "give one GPU to calibrate: --gpu NAME or --gpu FILE.yaml");
        return EXIT_USAGE;
    }
    c->gpu = c->given->gpus[0];
    if (ptx_gpu_has_text(c->gpu))
        return EXIT_CLEAN;
    ptx_complain(ptxlint_gpu_get_info(c->gpu)->name,
                 "has pipelines of its own; calibrate the GPU that is its base");
    return EXIT_USAGE;
}

/* Constants are chosen by some of the rows: each is one more GPU. */
static ExitCode choose_constants(CalibrateCommand *c)
{
    const size_t count = screen_count(c);
    for (size_t k = 0; k < c->constant_count; k++)
        c->constants[k].is_wanted = true;
    ExitCode code = open_for_rows(c, count);
    for (size_t k = 0; k < c->constant_count; k++)
        c->constants[k].is_wanted = false;
    if (code == EXIT_CLEAN)
        screen_constants(c, count);
    return code;
}

static ExitCode calibrate(CalibrateCommand *c)
{
    ExitCode code = choose_gpu(c);
    if (code == EXIT_CLEAN)
        code = ptx_measured_read(&c->inputs, c->book);
    if (code == EXIT_CLEAN)
        code = add_trial_gpus(c);
    if (code == EXIT_CLEAN)
        code = open_with_gpus(c, &c->gpu, 1, NULL);
    if (code == EXIT_CLEAN)
        code = take_measured_rows(c);
    if (code == EXIT_CLEAN)
        code = choose_constants(c);
    if (code == EXIT_CLEAN)
        code = open_for_rows(c, c->count);
    if (code == EXIT_CLEAN)
        code = find_sensitivities(c);
    ptx_progress_clear(&c->progress);
    if (code == EXIT_CLEAN)
        code = fit_constants(c);
    if (code == EXIT_CLEAN)
        code = check_fit(c);
    return code == EXIT_CLEAN ? write_calibration(c) : code;
}

ExitCode ptx_calibrate(const Options *options)
{
    Inputs inputs = { 0 };
    Book book = { 0 };
    CalibrateCommand command = { .options = options, .given = &inputs, .book = &book,
                                 .inputs = { .options = options } };
    ptx_progress_begin(&command.progress);
    ExitCode code = exit_code_max(ptx_inputs_read(&inputs, options), ptx_book_open(&book, options));
    if (code == EXIT_CLEAN)
        code = calibrate(&command);
    ptx_progress_clear(&command.progress);
    ptx_measured_free(&command.inputs);
    for (size_t k = 0; k < command.constant_count; k++)
        ptxlint_gpu_free(command.constants[k].gpu);
    for (size_t i = 0; i <= FIT_FOLDS; i++)
        ptxlint_gpu_free(command.trials[i]);
    free(command.apart);
    free(command.group);
    free(command.rows);
    free(command.sensitivity);
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}
