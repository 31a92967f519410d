/* fit.h -- factors of constants that make predicted times agree with measured ones.
 *
 * A row's logarithm of measured over predicted is taken as a sum over constants: the row's
 * sensitivity to a constant, times the logarithm of that constant's factor. Factors are found by
 * least squares with Huber's weights, one constant after another as long as rows distinguish it. */
#ifndef PTX_CLI_MEASURED_FIT_H
#define PTX_CLI_MEASURED_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIT_CONSTANTS_MAX = 128, FIT_TAKEN_MAX = 8, FIT_ROWS_LEAST = 10, FIT_FOLDS = 10 };

typedef struct FitData {
    size_t rows, constants;
    const double *apart;                /* by row: ln(measured / predicted) */
    /* by row, then constant: d ln(predicted) / d ln(constant) */
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

typedef struct FitResult {
    FitConstant constants[FIT_CONSTANTS_MAX];
    size_t taken, folds;                /* folds: 0: too few rows for any of this */
    bool is_by_group;                   /* whole kernels were left out, not single rows */
    /* mean of |ln(measured / predicted)|: as it was; of rows left out; of all with the factors. The
     * two are of the sum over constants: predictions by the factors may come to other times. */
    double before, left_out, after;
    /* what is fitted without a fold: by it, then constant */
    double fold_factors[FIT_FOLDS][FIT_CONSTANTS_MAX];
} FitResult;

/* The fold that a row is left out with; folds > 0. */
size_t ptx_fit_fold(const FitData *data, const FitResult *fit, size_t row);

/* Nothing is taken after all. */
void ptx_fit_drop(FitResult *fit);

/* False: no memory. Where rows left out are not predicted better, nothing is taken. */
bool ptx_fit(const FitData *data, FitResult *out);

#endif
