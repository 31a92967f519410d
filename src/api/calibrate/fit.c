#include "api/calibrate/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIT_ROUNDS = 8 };

/* Huber's: as in the normal distribution 95 % as good as least squares. */
static const double huber_width = 1.345;
static const double prior_sd = 0.3;             /* of a factor's logarithm */
static const double least_sensitivity = 0.03;   /* a row that has it rests on the constant */
static const double least_share = 0.01;         /* of the loss, that one more constant takes away */
static const double least_t = 3;
static const double same_share = 0.9;           /* of the sensitivities' variance */
/* of the error of rows left out: what moves it less was seen to make other kernels worse */
static const double least_gain = 0.1;
static const double most_factor = 8;
static const double most_step = 2;              /* that a factor grows by */
static const double same_step = 0.02;           /* of a deviation: so small a step is the last */
static const double nearest_step = 1e-4;
static const double most_width = 2;             /* of an interval: its end over its beginning */

typedef struct FitWork {
    const FitData *data;
    bool *is_out;                       /* by row */
    double *left, *sorted, *weight;     /* by row: what is left; room */
    double *apart;                      /* room */
    bool is_barred[FIT_CONSTANTS_MAX];  /* it was taken, and not shown */
    size_t folds;
    bool is_by_group;
} FitWork;

enum { NO_FOLD = FIT_FOLDS };

typedef struct FitSystem {
    double a[FIT_TAKEN_MAX][2 * FIT_TAKEN_MAX];         /* beside it its inverse */
    double b[FIT_TAKEN_MAX];
} FitSystem;

static double sensitivity_of(const FitData *data, size_t row, size_t constant)
{
    return data->sensitivity[row * data->constants + constant];
}

/* ---- one fit --------------------------------------------------------------------------------- */

static void find_left(const FitWork *work, const FitSet *set)
{
    for (size_t r = 0; r < work->data->rows; r++) {
        work->left[r] = work->data->apart[r];
        for (size_t k = 0; k < set->count; k++)
            work->left[r] -= sensitivity_of(work->data, r, set->items[k]) * set->x[k];
    }
}

static int compare_left(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By the median of what is left; no time is better than that. */
static double find_scale(const FitWork *work)
{
    size_t count = 0;
    for (size_t r = 0; r < work->data->rows; r++)
        if (!work->is_out[r])
            work->sorted[count++] = fabs(work->left[r]);
    if (!count)
        return 1;
    qsort(work->sorted, count, sizeof *work->sorted, compare_left);
    return fmax(0.01, 1.4826 * work->sorted[count / 2]);
}

static void weigh_rows(const FitWork *work, double scale)
{
    for (size_t r = 0; r < work->data->rows; r++) {
        const double beyond = fabs(work->left[r]) / (huber_width * scale);
        work->weight[r] = work->is_out[r] ? 0 : 1 / fmax(1, beyond);
    }
}

static double huber_loss(const FitWork *work, double scale)
{
    double sum = 0;
    for (size_t r = 0; r < work->data->rows; r++) {
        const double z = fabs(work->left[r]) / scale;
        if (!work->is_out[r])
            sum += z < huber_width ? z * z / 2 : huber_width * (z - huber_width / 2);
    }
    return sum;
}

static void build_system(const FitWork *work, const FitSet *set, FitSystem *system)
{
    const double prior = set->scale * set->scale / (prior_sd * prior_sd);
    memset(system, 0, sizeof *system);
    for (size_t i = 0; i < set->count; i++) {
        system->a[i][i] = prior;
        system->a[i][FIT_TAKEN_MAX + i] = 1;
    }
    for (size_t r = 0; r < work->data->rows; r++)
        for (size_t i = 0; work->weight[r] > 0 && i < set->count; i++) {
            const double s = work->weight[r] * sensitivity_of(work->data, r, set->items[i]);
            system->b[i] += s * work->data->apart[r];
            for (size_t j = 0; j < set->count; j++)
                system->a[i][j] += s * sensitivity_of(work->data, r, set->items[j]);
        }
}

/* Gauss-Jordan; the matrix is positive definite by its prior. */
static void invert_system(FitSystem *system, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double pivot = system->a[i][i];
        for (size_t j = 0; j < 2 * FIT_TAKEN_MAX; j++)
            system->a[i][j] /= pivot;
        for (size_t other = 0; other < count; other++) {
            const double times = system->a[other][i];
            for (size_t j = 0; other != i && j < 2 * FIT_TAKEN_MAX; j++)
                system->a[other][j] -= times * system->a[i][j];
        }
    }
}

/* Rows of one kernel say much the same: at most four count as one. */
static double repeated_rows(const FitData *data)
{
    return sqrt(fmin(4, fmax(1, (double)data->rows / (double)data->groups)));
}

static void take_solution(const FitData *data, const FitSystem *system, FitSet *set)
{
    for (size_t i = 0; i < set->count; i++) {
        double x = 0;
        for (size_t j = 0; j < set->count; j++)
            x += system->a[i][FIT_TAKEN_MAX + j] * system->b[j];
        set->x[i] = fmax(-log(most_factor), fmin(log(most_factor), x));
        set->sd[i] = repeated_rows(data) * set->scale
                     * sqrt(fmax(0, system->a[i][FIT_TAKEN_MAX + i]));
    }
}

/* Of the rows that are not left out. */
static void fit_set(const FitWork *work, FitSet *set)
{
    FitSystem system;
    find_left(work, set);
    for (int round = 0; round < FIT_ROUNDS; round++) {
        set->scale = find_scale(work);
        weigh_rows(work, set->scale);
        build_system(work, set, &system);
        invert_system(&system, set->count);
        take_solution(work->data, &system, set);
        find_left(work, set);
    }
}

/* ---- which constants ------------------------------------------------------------------------- */

static bool has_sensitive_rows(const FitWork *work, size_t constant)
{
    size_t count = 0;
    for (size_t r = 0; r < work->data->rows; r++)
        count += !work->is_out[r] && fabs(sensitivity_of(work->data, r, constant))
                                         >= least_sensitivity;
    return count >= 3;
}

static bool is_in_fit(const FitSet *set, size_t constant)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == constant)
            return true;
    return false;
}

static bool is_significant(const FitSet *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (!(fabs(set->x[i]) >= least_t * set->sd[i]))
            return false;
    return true;
}

/* With the one constant more that takes most of the loss away; the same where none is worth it.
 * Losses are compared at one scale. */
static FitSet with_one_more(const FitWork *work, const FitSet *set)
{
    FitSet best = *set;
    find_left(work, set);
    const double scale = find_scale(work), was = huber_loss(work, scale);
    double least = was * (1 - least_share);
    for (size_t k = 0; k < work->data->constants; k++) {
        FitSet tried = *set;
        if (is_in_fit(set, k) || work->is_barred[k] || !has_sensitive_rows(work, k))
            continue;
        tried.items[tried.count++] = k;
        fit_set(work, &tried);
        tried.loss = huber_loss(work, scale);
        if (tried.loss < least && is_significant(&tried)) {
            least = tried.loss;
            best = tried;
        }
    }
    return best;
}

static FitSet select_set(const FitWork *work, const FitSet *from)
{
    FitSet set = *from;
    fit_set(work, &set);
    while (set.count < FIT_TAKEN_MAX) {
        const FitSet more = with_one_more(work, &set);
        if (more.count == set.count)
            break;
        set = more;
    }
    return set;
}

/* ---- rows that are left out ------------------------------------------------------------------ */

static void leave_out_folds(const FitWork *work, size_t one, size_t other)
{
    for (size_t r = 0; r < work->data->rows; r++) {
        const size_t unit = work->is_by_group ? work->data->group[r] : r;
        work->is_out[r] = unit % work->folds == one || unit % work->folds == other;
    }
}

static double mean_left(const FitWork *work)
{
    double sum = 0;
    for (size_t r = 0; r < work->data->rows; r++)
        sum += fabs(work->left[r]);
    return sum / (double)work->data->rows;
}

/* The jackknife over the folds but one, into sd. */
static void find_deviations(const FitWork *work, size_t but, FitSet *set)
{
    double sum[FIT_TAKEN_MAX] = { 0 }, squares[FIT_TAKEN_MAX] = { 0 };
    const double folds = (double)work->folds - (but < work->folds);
    for (size_t fold = 0; fold < work->folds; fold++) {
        FitSet again = *set;
        leave_out_folds(work, but, fold);
        if (fold != but)
            fit_set(work, &again);
        for (size_t i = 0; fold != but && i < set->count; i++) {
            sum[i] += again.x[i];
            squares[i] += again.x[i] * again.x[i];
        }
    }
    leave_out_folds(work, but, but);
    for (size_t i = 0; i < set->count; i++) {
        const double spread = fmax(0, squares[i] - sum[i] * sum[i] / folds);
        set->sd[i] = fmax(set->sd[i], sqrt((folds - 1) / folds * spread));
    }
}

/* How far one is from being shown: 1 and more, it is not. */
static double doubt_of_factor(const FitSet *set, size_t i)
{
    const double half = 1.645 * set->sd[i];
    if (fabs(set->x[i]) >= log(most_factor))    /* it would go on */
        return INFINITY;
    return fmax(half / fmax(1e-9, fabs(set->x[i])), 2 * half / log(most_width));
}

/* Without the constant that is shown least, for good; false: all are shown. */
static bool drop_doubtful(FitWork *work, FitSet *set)
{
    size_t worst = 0;
    for (size_t i = 1; i < set->count; i++)
        if (doubt_of_factor(set, i) > doubt_of_factor(set, worst))
            worst = i;
    if (!set->count || doubt_of_factor(set, worst) < 1)
        return false;
    work->is_barred[set->items[worst]] = true;
    set->items[worst] = set->items[--set->count];
    return true;
}

/* What the rows of all folds but one select: each interval is narrow, and is not around 1. In the
 * place of a constant that is dropped others may show. */
static FitSet select_sure(FitWork *work, const FitSet *from, size_t but)
{
    FitSet set = *from;
    memset(work->is_barred, 0, sizeof work->is_barred);
    leave_out_folds(work, but, but);
    do {
        set = select_set(work, &set);
        fit_set(work, &set);
        find_deviations(work, but, &set);
    } while (drop_doubtful(work, &set));
    return set;
}

static void take_set(const FitSet *set, FitResult *out)
{
    for (size_t i = 0; i < set->count; i++) {
        const double half = 1.645 * set->sd[i];
        out->constants[set->items[i]] = (FitConstant){ FIT_TAKEN, 0, exp(set->x[i]),
                                                       exp(set->x[i] - half),
                                                       exp(set->x[i] + half) };
    }
    out->taken = set->count;
}

/* ---- why not --------------------------------------------------------------------------------- */

/* Of the sensitivity to one constant, what another's explains. */
static double shared_sensitivity(const FitData *data, size_t a, size_t b)
{
    double aa = 0, bb = 0, ab = 0;
    for (size_t r = 0; r < data->rows; r++) {
        const double x = sensitivity_of(data, r, a), y = sensitivity_of(data, r, b);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return aa > 0 && bb > 0 ? ab * ab / (aa * bb) : 0;
}

static FitConstant why_not_taken(const FitWork *work, const FitSet *set, size_t constant)
{
    FitConstant out = { FIT_NO_GAIN, 0, 1, 1, 1 };
    double most = same_share;
    if (!has_sensitive_rows(work, constant)) {
        out.verdict = FIT_NO_ROW;
        return out;
    }
    for (size_t i = 0; i < set->count; i++) {
        const double share = shared_sensitivity(work->data, constant, set->items[i]);
        if (share > most) {
            most = share;
            out.verdict = FIT_SAME;
            out.same = set->items[i];
        }
    }
    return out;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void choose_folds(FitWork *work)
{
    const FitData *data = work->data;
    work->is_by_group = data->groups >= FIT_FOLDS / 2;
    const size_t units = work->is_by_group ? data->groups : data->rows;
    work->folds = units < FIT_FOLDS ? units : FIT_FOLDS;
}

static void begin_trials(FitWork *work, FitResult *out)
{
    const FitSet none = { 0 };
    find_left(work, &none);
    out->before = out->left_out = out->after = mean_left(work);
    if (work->data->rows < FIT_ROWS_LEAST)
        return;
    choose_folds(work);
    out->folds = work->folds;
    out->is_by_group = work->is_by_group;
    for (size_t t = 0; t <= out->folds; t++)
        out->trials[t].error = (double)INFINITY;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Of the rows that are not left out; a row that is far off counts by its logarithm. */
static double error_here(const FitWork *work)
{
    double sum = 0;
    for (size_t r = 0; r < work->data->rows; r++)
        if (!work->is_out[r])
            sum += log1p(10 * fabs(work->data->apart[r]));
    return sum;
}

/* It was better where it came from: half of the way; after four of these it stays there. */
static void go_back(const FitData *data, FitTrial *trial)
{
    const double share = trial->halved < 4 ? 0.5 : 0;
    for (size_t k = 0; k < data->constants; k++)
        trial->x[k] = trial->before[k] + share * (trial->x[k] - trial->before[k]);
    trial->is_done = trial->has_converged = trial->halved == 4;
    trial->halved++;
}

/* With what the factors have taken away already. */
static void find_whole(const FitData *data, const FitTrial *trial, double *apart)
{
    for (size_t r = 0; r < data->rows; r++) {
        apart[r] = data->apart[r];
        for (size_t k = 0; k < data->constants; k++)
            apart[r] += sensitivity_of(data, r, k) * trial->x[k];
    }
}

/* From where it is to the solution, or a part of the way. */
static void take_fit_step(const FitData *data, FitTrial *trial)
{
    const FitSet *set = &trial->set;
    double next[FIT_CONSTANTS_MAX] = { 0 }, least[FIT_CONSTANTS_MAX] = { 0 };
    bool is_small = true;
    for (size_t i = 0; i < set->count; i++) {
        next[set->items[i]] = set->x[i];
        least[set->items[i]] = same_step * set->sd[i];
    }
    for (size_t k = 0; k < data->constants; k++) {
        const double was = trial->x[k];
        trial->before[k] = was;
        trial->x[k] = fmax(was - log(most_step), fmin(was + log(most_step), next[k]));
        is_small &= fabs(trial->x[k] - was) <= fmax(nearest_step, least[k]);
    }
    trial->halved = 0;
    trial->is_done = trial->has_converged = is_small;
}

static void step_trial(FitWork *work, size_t but, FitTrial *trial)
{
    const FitData *here = work->data;
    leave_out_folds(work, but, but);
    const double error = error_here(work);
    trial->steps++;
    if (error > trial->error * (1 + 1e-9)) {
        go_back(here, trial);
        return;
    }
    FitData whole = *here;
    whole.apart = work->apart;
    find_whole(here, trial, work->apart);
    FitWork of_whole = *work;
    of_whole.data = &whole;
    trial->error = error;
    trial->set = select_sure(&of_whole, &trial->set, but);
    take_fit_step(here, trial);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void free_work(FitWork *work)
{
    free(work->is_out);
    free(work->left);
    free(work->sorted);
    free(work->weight);
    free(work->apart);
}

/* False: no memory, and nothing is to be freed. */
static bool begin_work(FitWork *work, const FitData *data)
{
    const size_t room = data->rows + 1;
    *work = (FitWork){ .data = data, .is_out = calloc(room, sizeof(bool)),
                       .left = calloc(room, sizeof(double)),
                       .sorted = calloc(room, sizeof(double)),
                       .weight = calloc(room, sizeof(double)),
                       .apart = calloc(room, sizeof(double)) };
    if (work->is_out && work->left && work->sorted && work->weight && work->apart)
        return true;
    free_work(work);
    return false;
}

bool ptx_fit_has_rows(const double *sensitivity, size_t rows, size_t constants, size_t k)
{
    size_t count = 0;
    for (size_t r = 0; r < rows; r++)
        count += fabs(sensitivity[r * constants + k]) >= least_sensitivity;
    return count >= 3;
}

size_t ptx_fit_fold(const FitData *data, const FitResult *fit, size_t row)
{
    return (fit->is_by_group ? data->group[row] : row) % fit->folds;
}

bool ptx_fit_begin(const FitData *data, FitResult *out)
{
    FitWork work;
    *out = (FitResult){ 0 };
    if (!begin_work(&work, data))
        return false;
    if (data->rows && data->groups)
        begin_trials(&work, out);
    free_work(&work);
    return true;
}

bool ptx_fit_step(const FitData *here, size_t trial, FitResult *out)
{
    FitWork work;
    FitTrial *of = &out->trials[trial];
    if (!begin_work(&work, here))
        return false;
    work.folds = out->folds;
    work.is_by_group = out->is_by_group;
    step_trial(&work, trial < out->folds ? trial : NO_FOLD, of);
    of->is_done |= of->steps == FIT_STEPS_MAX;
    free_work(&work);
    return true;
}

/* Where it is, which may be a part of the way to what was solved for. */
static FitSet set_of_trial(const FitTrial *trial)
{
    FitSet set = trial->set;
    for (size_t i = 0; i < set.count; i++)
        set.x[i] = trial->x[set.items[i]];
    return set;
}

bool ptx_fit_end(const FitData *data, double left_out, double after, FitResult *out)
{
    FitWork work;
    FitSet set = { 0 };
    if (!begin_work(&work, data))
        return false;
    if (out->folds) {
        out->left_out = left_out;
        out->after = after;
        if (left_out <= out->before * (1 - least_gain) && after <= out->before)
            set = set_of_trial(&out->trials[out->folds]);
    }
    for (size_t k = 0; k < data->constants; k++)
        out->constants[k] = why_not_taken(&work, &set, k);
    take_set(&set, out);
    free_work(&work);
    return true;
}
