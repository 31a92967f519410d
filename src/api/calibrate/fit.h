/* fit.h -- factors of constants that make predicted times agree with measured ones.
 *
 * A row's logarithm of measured over predicted is taken as a sum over constants: the row's
 * sensitivity to a constant, times the logarithm of that constant's factor. Factors are found by
 * least squares with Huber's weights, one constant after another as long as rows distinguish it.
 *
 * Times are no such sums, so this is done again where the factors lead (Gauss and Newton), until a
 * step is small: of a trial of all rows, and of one without each fold of them. Each step
 * begins with what the one before has selected, adds to it, and drops what is not shown. */
#ifndef PTX_API_CALIBRATE_FIT_H
#define PTX_API_CALIBRATE_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FIT_CONSTANTS_MAX = 128,
    FIT_TAKEN_MAX = 8,
    FIT_ROWS_LEAST = 10,
    FIT_FOLDS = 10,
    FIT_TRIALS_MAX = FIT_FOLDS + 1,
    FIT_STEPS_MAX = 10
};

typedef struct FitData {
    size_t rows, constants;
    /* by row: ln(measured / predicted), with constants as they were */
    const double *apart;
    /* by row, then constant: d ln(predicted) / d ln(constant) there */
    const double *sensitivity;
    const uint32_t *group;              /* by row: rows of one kernel are left out together */
    size_t groups;
} FitData;

typedef enum FitVerdict {
    FIT_TAKEN,
    FIT_NO_ROW,                         /* no row rests on it */
    FIT_SAME,                           /* rows do not distinguish it from constant `same` */
    FIT_NO_GAIN                         /* its factor might as well be 1 */
} FitVerdict;

typedef struct FitConstant {
    FitVerdict verdict;
    size_t same;
    double factor, low, high;           /* with the 90 % interval, by leaving out folds; else 1 */
} FitConstant;

/* The constants that are fitted, in order, and the logarithms of their factors. */
typedef struct FitSet {
    size_t count;
    size_t items[FIT_TAKEN_MAX];
    double x[FIT_TAKEN_MAX], sd[FIT_TAKEN_MAX];
    double loss, scale;
} FitSet;

/* What is fitted without a fold, or, the last one, to all rows. */
typedef struct FitTrial {
    FitSet set;                 /* that the last step has solved for */
    /* by constant: the logarithm of its factor, where it is and where it came from */
    double x[FIT_CONSTANTS_MAX], before[FIT_CONSTANTS_MAX];
    double error;               /* where it came from; of its rows */
    unsigned steps, halved;     /* halved: times in a row */
    bool is_done, has_converged;
} FitTrial;

typedef struct FitResult {
    FitConstant constants[FIT_CONSTANTS_MAX];
    size_t taken, folds;                /* folds: 0: too few rows for any of this */
    bool is_by_group;                   /* whole kernels were left out, not single rows */
    /* mean of |ln(measured / predicted)|: as it was; of rows left out; of all with the factors */
    double before, left_out, after;
    FitTrial trials[FIT_TRIALS_MAX];    /* folds of them, and that of all rows behind these */
} FitResult;

/* Whether three of the rows rest on constant number k of so many. */
bool ptx_fit_has_rows(const double *sensitivity, size_t rows, size_t constants, size_t k);

/* The fold that a row is left out with; folds > 0. */
size_t ptx_fit_fold(const FitData *data, const FitResult *fit, size_t row);

/* Chooses folds; with few rows none. False: no memory. */
bool ptx_fit_begin(const FitData *data, FitResult *out);

/* A step of a trial that is not done, from what is left of rows and their sensitivities where it
 * is, as in FitData. False: no memory. */
bool ptx_fit_step(const FitData *here, size_t trial, FitResult *out);

/* What comes of it, once all are done; left_out, after: by predictions. Where rows left out are not
 * predicted better, nothing is taken. False: no memory. */
bool ptx_fit_end(const FitData *data, double left_out, double after, FitResult *out);

#endif
