/* calibrate.c -- figures of a GPU, fitted to times that were measured.
 *
 * Rows are predicted in passes: each launch is evaluated once, and predicted on all GPUs that the
 * trials of a fit ask for, which differ in figures of predictions alone. */
#include "api/estimate.h"
#include "api/calibrate/fit.h"
#include "api/module.h"
#include "api/own_gpu.h"
#include "input/measured.h"
#include "model/gpu.h"
#include "support/grow.h"
#include "support/minmax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    ROWS_MAX = 2000,
    GPUS_MAX = FIT_TRIALS_MAX * (FIT_CONSTANTS_MAX + 1),
    PASSES_FORESEEN = 6,
    REASON_BYTES = 240
};

/* Of a constant, for a row's sensitivity to it. */
static const double nudge = 1.1;

typedef struct CalibrateRow {
    size_t index;               /* in the file, from 0 */
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    double us, predicted;
    double of_one_block;        /* predicted by verify, which may look at more, over this; 1 */
    uint32_t group;             /* with the variants of its kernel */
} CalibrateRow;

typedef struct CalibrateConstant {
    FigureId figure;
    double value;
} CalibrateConstant;

struct ptxlint_calibration {
    CalibrateConstant constants[FIT_CONSTANTS_MAX];
    /* the constants that rows rest on, which are those of fit, and their numbers in it */
    size_t candidates[FIT_CONSTANTS_MAX], candidate_count;
    FitResult fit;
    ptxlint_calibration_info info;
    ptxlint_gpu *gpu;           /* fitted; NULL */
    char reason[REASON_BYTES];
};

typedef struct TrialGpu {
    Gpu gpu;
    GpuFacts facts;             /* its own */
} TrialGpu;

typedef struct CalibrateCall {
    const ptxlint_module *const *modules;
    size_t module_count;
    const ptxlint_measurements *measurements;
    const ptxlint_calibrate_options *options;
    const Gpu *gpu;
    ptxlint_calibration *out;
    CalibrateRow *rows;
    size_t count, capacity;
    TrialGpu *gpus;             /* of a pass, and where they are */
    const Gpu **gpu_list;
    double *us;                 /* of a row on each of these */
    /* by row: what is left of it, and its sensitivities; of the beginning, of trials */
    double *apart, *sensitivity, *trial_apart, *trial_sensitivity;
    uint32_t *group;
    size_t groups;
    size_t done;                /* predictions of rows */
} CalibrateCall;

void ptxlint_calibrate_options_init(ptxlint_calibrate_options *options)
{
    if (options)
        *options = (ptxlint_calibrate_options){ .size = sizeof *options };
}

/* ---- rows ------------------------------------------------------------------------------------ */

int ptxlint_gpu_is_called(const ptxlint_gpu *gpu, const char *name)
{
    const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
    return info && name && *name
           && (!strcasecmp(info->name, name)
               || (*info->product && !strncasecmp(info->product, name, strlen(name))));
}

/* Of a GPU that is known, and is not the one that is calibrated. */
static bool is_of_other_gpu(const CalibrateCall *c, const char *name)
{
    const ptxlint_gpu *gpu;
    if (!name || ptxlint_gpu_is_called(c->options->gpu, name))
        return false;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++)
        if (ptxlint_gpu_is_called(gpu, name))
            return true;
    return false;
}

static bool is_kernel_wanted(const CalibrateCall *c, const ptxlint_kernel *kernel)
{
    const char *glob = c->options->kernel_glob;
    return kernel->is_entry && (!glob || ptxlint_name_fits(glob, kernel->name));
}

/* How many kernels it may be of; the last one into row. */
static size_t find_kernels_of_row(const CalibrateCall *c, CalibrateRow *row)
{
    size_t found = 0;
    for (size_t m = 0; m < c->module_count; m++)
        for (size_t k = 0; k < c->modules[m]->kernel_count; k++) {
            const ptxlint_kernel *kernel = &c->modules[m]->kernels[k];
            if (!kernel->is_entry
                || !ptxlint_measurement_is_of(c->measurements, row->index, c->modules[m], kernel))
                continue;
            row->module = c->modules[m];
            row->kernel = kernel;
            found++;
        }
    return found;
}

static size_t number_in_module(const CalibrateCall *c, const ptxlint_module *m)
{
    size_t i = 0;
    while (i < m->gpu_count && m->gpus[i] != c->gpu)
        i++;
    return i;
}

static ptxlint_status verify_measured(const CalibrateCall *c, const CalibrateRow *row,
                                      bool is_quick, ptxlint_verified *out)
{
    ptxlint_verify_options with;
    ptxlint_verify_options_init(&with);
    with.gpu = number_in_module(c, row->module);
    with.is_quick = is_quick;
    with.clock_mhz = c->options->clock_mhz;
    *out = (ptxlint_verified){ .size = sizeof *out };
    return ptxlint_verify(row->module, row->kernel->name, c->measurements, row->index, &with, out);
}

/* A time that cannot be says nothing of the GPU. */
static bool is_impossible(const CalibrateCall *c, const CalibrateRow *row)
{
    ptxlint_verified verified;
    return verify_measured(c, row, false, &verified) == PTXLINT_OK
           && verified.verdict == PTXLINT_VERDICT_IMPOSSIBLE;
}

/* Apart from numbers: what a tuner makes of one kernel is left out together. */
static bool is_variant(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static uint32_t group_of_kernel(CalibrateCall *c, const ptxlint_kernel *kernel)
{
    for (size_t i = 0; i < c->count; i++)
        if (is_variant(c->rows[i].kernel->name, kernel->name))
            return c->rows[i].group;
    return (uint32_t)c->groups++;
}

static bool is_first_row(const CalibrateCall *c, const ptxlint_kernel *kernel)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->rows[i].kernel->name, kernel->name))
            return false;
    return true;
}

static ptxlint_status keep_calibrate_row(CalibrateCall *c, CalibrateRow *row)
{
    if (!ptx_list_reserve(&c->rows, &c->capacity, c->count + 1, sizeof *c->rows))
        return PTXLINT_NO_MEMORY;
    row->group = group_of_kernel(c, row->kernel);
    c->out->info.kernels += is_first_row(c, row->kernel);
    c->rows[c->count++] = *row;
    return PTXLINT_OK;
}

/* Of an entry that cannot be estimated nothing is predicted. */
static ptxlint_status take_calibrate_row(CalibrateCall *c, size_t index)
{
    const ptxlint_measurement *said = &c->measurements->items[index].view;
    CalibrateRow row = { .index = index, .us = said->us, .of_one_block = 1 };
    ptxlint_verified verified;
    ptxlint_calibration_info *info = &c->out->info;
    if (find_kernels_of_row(c, &row) != 1 || is_of_other_gpu(c, said->gpu)
        || !is_kernel_wanted(c, row.kernel)) {
        info->foreign++;
        return PTXLINT_OK;
    }
    const ptxlint_status status = verify_measured(c, &row, true, &verified);
    if (status == PTXLINT_NO_MEMORY)
        return status;
    row.predicted = verified.time.predicted_us;
    if (status != PTXLINT_OK || verified.verdict == PTXLINT_VERDICT_UNKNOWN
        || !(row.predicted > 0) || !(row.us > 0)) {
        info->unknown++;
        return PTXLINT_OK;
    }
    if (verified.verdict == PTXLINT_VERDICT_FASTER && is_impossible(c, &row)) {
        info->impossible++;
        return PTXLINT_OK;
    }
    return keep_calibrate_row(c, &row);
}

/* Before each row. */
static bool may_go_on(CalibrateCall *c, size_t passes)
{
    const ptxlint_calibrate_options *o = c->options;
    const size_t rows = c->count ? c->count : c->measurements->count;
    if (o->is_stopped && o->is_stopped(o->stop_context))
        return false;
    if (o->progress && c->done < rows * passes)
        o->progress(o->progress_context, c->done, rows * passes);
    c->done++;
    return true;
}

static ptxlint_status take_calibrate_rows(CalibrateCall *c)
{
    const size_t all = c->measurements->count,
                 most = c->options->max_rows ? c->options->max_rows : ROWS_MAX,
                 wanted = ptx_size_min(all, most);
    ptxlint_status status = PTXLINT_OK;
    c->out->info.beyond = all - wanted;
    for (size_t i = 0; i < wanted && status == PTXLINT_OK; i++) {
        const size_t index = (size_t)((double)i * (double)all / (double)wanted);
        if (c->options->is_stopped && c->options->is_stopped(c->options->stop_context))
            return PTXLINT_STOPPED;
        status = take_calibrate_row(c, index);
    }
    c->out->info.rows = c->count;
    return status;
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* On count GPUs, into c->us. */
static ptxlint_status predict_on_gpus(CalibrateCall *c, const CalibrateRow *row, size_t count)
{
    ptxlint_trial tried;
    ptxlint_estimated e = { .size = sizeof e };
    const GpuTrials others = { c->gpu_list, count, c->us };
    MeasuredTrial trial = { .entry = c->measurements->items[row->index].launch,
                            .others = &others, .suspect_us = (double)INFINITY };
    ptxlint_trial_init(&tried);
    for (size_t i = 0; i < count; i++)
        c->us[i] = (double)NAN;
    const ptxlint_status status = ptx_estimate_measured(
        row->module, row->kernel->name, number_in_module(c, row->module), &tried, &trial, &e);
    for (size_t i = 0; i < count; i++)
        c->us[i] *= row->of_one_block;
    return status;
}

/* The next row of a pass. */
static ptxlint_status predict_row(CalibrateCall *c, size_t r, size_t gpus)
{
    return may_go_on(c, PASSES_FORESEEN) ? predict_on_gpus(c, &c->rows[r], gpus) : PTXLINT_STOPPED;
}

/* The GPU with one constant times a factor. */
static void scale_constant(const CalibrateCall *c, TrialGpu *gpu, size_t constant, double factor)
{
    const CalibrateConstant *k = &c->out->constants[constant];
    gpu->facts.figures[k->figure] = k->value * factor;
}

static void find_calibrated_constants(CalibrateCall *c)
{
    ptxlint_calibration *out = c->out;
    for (int i = 0; i < FIGURE__COUNT && out->info.constants < FIT_CONSTANTS_MAX; i++) {
        const double value = ptx_gpu_figure(c->gpu, (FigureId)i);
        if (ptx_figure_kind((FigureId)i) == FIGURE_SUSTAINED && value > 0)
            out->constants[out->info.constants++] = (CalibrateConstant){ (FigureId)i, value };
    }
}

static double sensitivity_by(double more, double predicted)
{
    return more > 0 && predicted > 0 ? log(more / predicted) / log(nudge) : 0;
}

/* Those that three rows rest on, by fit.h; sensitivities to others are dropped. */
static void keep_candidates(CalibrateCall *c)
{
    const size_t constants = c->out->info.constants;
    size_t *count = &c->out->candidate_count;
    for (size_t k = 0; k < constants; k++)
        if (ptx_fit_has_rows(c->sensitivity, c->count, constants, k))
            c->out->candidates[(*count)++] = k;
    for (size_t r = 0; r < c->count; r++)
        for (size_t i = 0; i < *count; i++)
            c->sensitivity[r * *count + i] =
                c->sensitivity[r * constants + c->out->candidates[i]];
}

/* To each constant, as they are. */
static ptxlint_status find_sensitivities(CalibrateCall *c)
{
    const size_t constants = c->out->info.constants;
    ptxlint_status status = PTXLINT_OK;
    ptx_gpu_copy(&c->gpus[constants].gpu, &c->gpus[constants].facts, c->gpu);
    for (size_t k = 0; k < constants; k++) {
        ptx_gpu_copy(&c->gpus[k].gpu, &c->gpus[k].facts, c->gpu);
        scale_constant(c, &c->gpus[k], k, nudge);
    }
    for (size_t r = 0; r < c->count && status == PTXLINT_OK; r++) {
        CalibrateRow *row = &c->rows[r];
        status = predict_row(c, r, constants + 1);
        const double here = c->us[constants];
        row->of_one_block = here > 0 ? row->predicted / here : 1;
        for (size_t k = 0; k < constants; k++)
            c->sensitivity[r * constants + k] = sensitivity_by(c->us[k], here);
        c->apart[r] = log(row->us / row->predicted);
        c->group[r] = row->group;
    }
    if (status == PTXLINT_OK)
        keep_candidates(c);
    return status;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void set_trial_gpu(const CalibrateCall *c, const FitTrial *trial, TrialGpu *gpu)
{
    ptx_gpu_copy(&gpu->gpu, &gpu->facts, c->gpu);
    for (size_t i = 0; i < c->out->candidate_count; i++)
        if (fabs(trial->x[i]) > 0)
            scale_constant(c, gpu, c->out->candidates[i], exp(trial->x[i]));
}

/* Of a constant that the trial has moved sensitivities are found again where it is; of the others
 * those of the beginning do, which takes a tenth of the predictions. */
static bool is_moved(const FitTrial *trial, size_t candidate)
{
    return fabs(trial->x[candidate]) > 0;
}

/* Where each trial that is not done is, and beside it for sensitivities; is_last: where all are.
 * Returns how many. */
static size_t set_trial_gpus(CalibrateCall *c, bool is_last)
{
    size_t count = 0;
    for (size_t t = 0; t <= c->out->fit.folds; t++) {
        const FitTrial *trial = &c->out->fit.trials[t];
        if (trial->is_done && !is_last)
            continue;
        set_trial_gpu(c, trial, &c->gpus[count++]);
        for (size_t i = 0; !is_last && i < c->out->candidate_count; i++) {
            if (!is_moved(trial, i))
                continue;
            set_trial_gpu(c, trial, &c->gpus[count]);
            scale_constant(c, &c->gpus[count++], c->out->candidates[i],
                           nudge * exp(trial->x[i]));
        }
    }
    return count;
}

/* What is left of a row that cannot be predicted there is what was. */
static double left_of_row(const CalibrateCall *c, size_t r, double predicted)
{
    return predicted > 0 ? log(c->rows[r].us / predicted) : c->apart[r];
}

static void take_trial_row(CalibrateCall *c, size_t r)
{
    const size_t candidates = c->out->candidate_count;
    size_t at = 0;
    for (size_t t = 0; t <= c->out->fit.folds; t++) {
        const FitTrial *trial = &c->out->fit.trials[t];
        if (trial->is_done)
            continue;
        const size_t row = t * c->count + r;
        const double here = c->us[at++];
        c->trial_apart[row] = left_of_row(c, r, here);
        for (size_t i = 0; i < candidates; i++)
            c->trial_sensitivity[row * candidates + i] =
                is_moved(trial, i) ? sensitivity_by(c->us[at++], here)
                                   : c->sensitivity[r * candidates + i];
    }
}

static ptxlint_status predict_trials(CalibrateCall *c)
{
    const size_t gpus = set_trial_gpus(c, false);
    ptxlint_status status = PTXLINT_OK;
    for (size_t r = 0; r < c->count && status == PTXLINT_OK; r++) {
        status = predict_row(c, r, gpus);
        if (status == PTXLINT_OK)
            take_trial_row(c, r);
    }
    return status;
}

static ptxlint_status step_trials(CalibrateCall *c, const FitData *data)
{
    FitResult *fit = &c->out->fit;
    const ptxlint_status status = predict_trials(c);
    for (size_t t = 0; status == PTXLINT_OK && t <= fit->folds; t++) {
        FitData here = *data;
        here.apart = &c->trial_apart[t * c->count];
        here.sensitivity = &c->trial_sensitivity[t * c->count * data->constants];
        if (!fit->trials[t].is_done && !ptx_fit_step(&here, t, fit))
            return PTXLINT_NO_MEMORY;
    }
    return status;
}

/* All begin at the same place. Where all rows together show nothing, none goes on. */
static bool take_first_steps(const FitData *data, FitResult *fit)
{
    bool is_sound = !fit->folds || ptx_fit_step(data, fit->folds, fit);
    const bool is_nothing = !fit->trials[fit->folds].set.count;
    for (size_t t = 0; t < fit->folds && is_sound; t++) {
        fit->trials[t].is_done = is_nothing;
        is_sound = is_nothing || ptx_fit_step(data, t, fit);
    }
    return is_sound;
}

static bool is_trial_open(const FitResult *fit)
{
    for (size_t t = 0; t <= fit->folds; t++)
        if (fit->folds && !fit->trials[t].is_done)
            return true;
    return false;
}

/* Each row by what is fitted without it, and by what is fitted to all: means of what is left. */
static ptxlint_status find_errors(CalibrateCall *c, const FitData *data, double error[2])
{
    const FitResult *fit = &c->out->fit;
    const size_t gpus = set_trial_gpus(c, true);
    ptxlint_status status = PTXLINT_OK;
    error[0] = error[1] = 0;
    for (size_t r = 0; r < c->count && status == PTXLINT_OK; r++) {
        status = predict_row(c, r, gpus);
        error[0] += fabs(left_of_row(c, r, c->us[ptx_fit_fold(data, fit, r)])) / (double)c->count;
        error[1] += fabs(left_of_row(c, r, c->us[fit->folds])) / (double)c->count;
    }
    return status;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

static double as_percent(double log_error)
{
    return 100 * (exp(log_error) - 1);
}

static void say_why_nothing(ptxlint_calibration *out)
{
    const ptxlint_calibration_info *info = &out->info;
    const FitResult *fit = &out->fit;
    if (fit->taken)
        return;
    if (!info->rows)
        snprintf(out->reason, sizeof out->reason, "Nothing is fitted: there is no row to fit to.");
    else if (!fit->folds)
        snprintf(out->reason, sizeof out->reason, "Nothing is fitted: %d rows are the least.",
                 (int)FIT_ROWS_LEAST);
    else if (!fit->trials[fit->folds].set.count)
        snprintf(out->reason, sizeof out->reason,
                 "Nothing is fitted: these rows do not show which constant is wrong.");
    else
        snprintf(out->reason, sizeof out->reason,
                 "Nothing is fitted: rows that are left out would be %.1f %% off, and are %.1f %% "
                 "off as it is.", as_percent(fit->left_out), as_percent(fit->before));
}

/* To five digits, and what a GPU can have. */
static double to_five_digits(double value)
{
    const double unit = value > 0 ? pow(10, floor(log10(value)) - 4) : 1;
    return unit < 1 ? round(value / unit) / round(1 / unit) : round(value / unit) * unit;
}

/* A constant that no rows rest on is none of the fit's. */
static FitConstant fit_of_constant(const ptxlint_calibration *out, size_t k)
{
    for (size_t i = 0; i < out->candidate_count; i++)
        if (out->candidates[i] == k)
            return out->fit.constants[i];
    return (FitConstant){ FIT_NO_ROW, 0, 1, 1, 1 };
}

static double fitted_value(const ptxlint_calibration *out, size_t k)
{
    return to_five_digits(out->constants[k].value * fit_of_constant(out, k).factor);
}

static ptxlint_status set_fitted(const CalibrateCall *c, size_t k)
{
    const ptxlint_calibration *out = c->out;
    const FitConstant fit = fit_of_constant(out, k);
    char source[320];
    snprintf(source, sizeof source,
             "fitted by `ptxlint calibrate` to %zu measured launches of %zu kernels: %.4g times "
             "%.4g, 90 %% interval %.4g to %.4g times",
             out->info.rows, out->info.kernels, fit.factor, out->constants[k].value, fit.low,
             fit.high);
    return ptxlint_gpu_set(out->gpu, ptx_figure_info[out->constants[k].figure].key,
                           fitted_value(out, k), source, NULL, 0);
}

static ptxlint_status make_fitted_gpu(CalibrateCall *c)
{
    ptxlint_calibration *out = c->out;
    const ptxlint_gpu *gpu = c->options->gpu;
    if (!out->fit.taken)
        return PTXLINT_OK;
    ptxlint_status status = ptxlint_gpu_copy(gpu, ptxlint_gpu_get_info(gpu)->name, NULL,
                                             &out->gpu);
    for (size_t k = 0; k < out->info.constants && status == PTXLINT_OK; k++)
        if (fit_of_constant(out, k).verdict == FIT_TAKEN)
            status = set_fitted(c, k);
    return status;
}

static ptxlint_status conclude_fit(CalibrateCall *c)
{
    ptxlint_calibration *out = c->out;
    ptxlint_calibration_info *info = &out->info;
    const FitResult *fit = &out->fit;
    info->fitted = fit->taken;
    info->folds = fit->folds;
    info->is_by_kernel = fit->is_by_group;
    info->steps = fit->trials[fit->folds].steps;
    info->has_converged = fit->trials[fit->folds].has_converged;
    info->error_percent = as_percent(fit->before);
    info->left_out_error_percent = as_percent(fit->left_out);
    info->fitted_error_percent = as_percent(fit->after);
    say_why_nothing(out);
    info->reason = *out->reason ? out->reason : NULL;
    const ptxlint_status status = make_fitted_gpu(c);
    info->gpu = out->gpu;
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static bool make_calibrate_room(CalibrateCall *c)
{
    const size_t rows = c->count + 1;
    c->gpus = calloc(FIT_CONSTANTS_MAX, sizeof *c->gpus);
    c->gpu_list = calloc(GPUS_MAX, sizeof *c->gpu_list);
    c->us = calloc(GPUS_MAX, sizeof *c->us);
    c->apart = calloc(rows, sizeof *c->apart);
    c->group = calloc(rows, sizeof *c->group);
    c->sensitivity = calloc(rows * FIT_CONSTANTS_MAX, sizeof *c->sensitivity);
    for (size_t i = 0; c->gpus && c->gpu_list && i < FIT_CONSTANTS_MAX; i++)
        c->gpu_list[i] = &c->gpus[i].gpu;
    return c->gpus && c->gpu_list && c->us && c->apart && c->group && c->sensitivity;
}

/* Once it is known what rows rest on. */
static bool make_trial_room(CalibrateCall *c)
{
    const size_t rows = c->count + 1, candidates = c->out->candidate_count,
                 gpus = FIT_TRIALS_MAX * (candidates + 1);
    free(c->gpus);
    c->gpus = calloc(gpus, sizeof *c->gpus);
    c->trial_apart = calloc(rows * FIT_TRIALS_MAX, sizeof *c->trial_apart);
    c->trial_sensitivity = calloc(rows * FIT_TRIALS_MAX * (candidates + 1),
                                  sizeof *c->trial_sensitivity);
    for (size_t i = 0; c->gpus && i < gpus; i++)
        c->gpu_list[i] = &c->gpus[i].gpu;
    return c->gpus && c->trial_apart && c->trial_sensitivity;
}

static void free_calibrate_room(CalibrateCall *c)
{
    free(c->rows);
    free(c->gpus);
    free(c->gpu_list);
    free(c->us);
    free(c->apart);
    free(c->group);
    free(c->sensitivity);
    free(c->trial_apart);
    free(c->trial_sensitivity);
}

static ptxlint_status take_steps(CalibrateCall *c, const FitData *data)
{
    FitResult *fit = &c->out->fit;
    if (!ptx_fit_begin(data, fit) || !take_first_steps(data, fit))
        return PTXLINT_NO_MEMORY;
    double error[2] = { fit->before, fit->before };
    const bool is_fitted = is_trial_open(fit);
    ptxlint_status status = is_fitted && !make_trial_room(c) ? PTXLINT_NO_MEMORY : PTXLINT_OK;
    while (status == PTXLINT_OK && is_trial_open(fit))
        status = step_trials(c, data);
    if (is_fitted && status == PTXLINT_OK)
        status = find_errors(c, data, error);
    if (status == PTXLINT_OK && !ptx_fit_end(data, error[0], error[1], fit))
        status = PTXLINT_NO_MEMORY;
    return status;
}

static ptxlint_status fit_rows(CalibrateCall *c)
{
    const ptxlint_status status = find_sensitivities(c);
    const FitData data = { c->count, c->out->candidate_count, c->apart, c->sensitivity, c->group,
                           c->groups };
    return status == PTXLINT_OK ? take_steps(c, &data) : status;
}

static ptxlint_status run_calibration(CalibrateCall *c)
{
    find_calibrated_constants(c);
    ptxlint_status status = take_calibrate_rows(c);
    if (status == PTXLINT_OK)
        status = make_calibrate_room(c) ? fit_rows(c) : PTXLINT_NO_MEMORY;
    return status == PTXLINT_OK ? conclude_fit(c) : status;
}

static bool is_sound_call(const CalibrateCall *c)
{
    const ptxlint_calibrate_options *o = c->options;
    if (!c->measurements || !o || o->size != sizeof *o || !o->gpu || !(o->clock_mhz >= 0)
        || (c->module_count && !c->modules))
        return false;
    for (size_t i = 0; i < c->module_count; i++) {
        const ptxlint_module *m = c->modules[i];
        bool has_gpu = false;
        for (size_t g = 0; m && g < m->gpu_count; g++)
            has_gpu |= m->gpus[g] == ptx_gpu_of(o->gpu);
        if (!has_gpu || !ptx_module_has_figures(m))
            return false;
    }
    return true;
}

ptxlint_status ptxlint_calibrate(const ptxlint_module *const *modules, size_t count,
                                 const ptxlint_measurements *measurements,
                                 const ptxlint_calibrate_options *options,
                                 ptxlint_calibration **out)
{
    CalibrateCall call = { .modules = modules, .module_count = count,
                           .measurements = measurements, .options = options };
    if (out)
        *out = NULL;
    if (!out || !is_sound_call(&call))
        return PTXLINT_BAD_ARGUMENT;
    call.gpu = ptx_gpu_of(options->gpu);
    call.out = calloc(1, sizeof *call.out);
    if (!call.out)
        return PTXLINT_NO_MEMORY;
    const ptxlint_status status = run_calibration(&call);
    free_calibrate_room(&call);
    if (status == PTXLINT_OK)
        *out = call.out;
    else
        ptxlint_calibration_free(call.out);
    return status;
}

void ptxlint_calibration_free(ptxlint_calibration *calibration)
{
    if (!calibration)
        return;
    ptxlint_gpu_free(calibration->gpu);
    free(calibration);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

int ptxlint_calibration_get_info(const ptxlint_calibration *calibration,
                                 ptxlint_calibration_info *out)
{
    if (!calibration || !out || out->size != sizeof *out)
        return 0;
    *out = calibration->info;
    out->size = sizeof *out;
    return 1;
}

const char *ptxlint_calibrate_verdict_name(ptxlint_calibrate_verdict verdict)
{
    static const char *const names[] = { [PTXLINT_CALIBRATE_FITTED] = "fitted",
                                         [PTXLINT_CALIBRATE_NO_ROWS] = "no rows",
                                         [PTXLINT_CALIBRATE_SAME] = "not distinguished",
                                         [PTXLINT_CALIBRATE_NO_GAIN] = "no gain" };
    return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

int ptxlint_calibration_at(const ptxlint_calibration *c, size_t index, ptxlint_calibrated *out)
{
    if (!c || !out || out->size != sizeof *out || index >= c->info.constants)
        return 0;
    const FitConstant fit = fit_of_constant(c, index);
    const double was = c->constants[index].value;
    *out = (ptxlint_calibrated){ .size = sizeof *out,
                                 .key = ptx_figure_info[c->constants[index].figure].key,
                                 .verdict = (ptxlint_calibrate_verdict)fit.verdict,
                                 .was = was, .is = was, .low = was, .high = was };
    if (fit.verdict == FIT_SAME)
        out->same_as = ptx_figure_info[c->constants[c->candidates[fit.same]].figure].key;
    if (fit.verdict == FIT_TAKEN) {
        out->is = fitted_value(c, index);
        out->low = was * fit.low;
        out->high = was * fit.high;
    }
    return 1;
}
