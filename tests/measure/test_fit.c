/* test_fit.c -- factors of constants from planted rows. */
#include "api/calibrate/fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ROWS = 60, CONSTANTS = 4 };

/* Rows rest on constants 0 and 1 by their number, on 2 as on 0, on 3 not at all. */
typedef struct PlantedFit {
    double factor[2], noise;
    size_t rows, groups;
    size_t wrong;               /* rows that are ten times as slow */
    size_t taken;
    FitVerdict verdict[CONSTANTS];
} PlantedFit;

static const PlantedFit planted[] = {
    { { 1.2, 1.5 }, 0.01, ROWS, ROWS, 0, 2, { FIT_TAKEN, FIT_TAKEN, FIT_SAME, FIT_NO_ROW } },
    { { 0.7, 1 }, 0.02, ROWS, 12, 0, 1, { FIT_TAKEN, FIT_NO_GAIN, FIT_SAME, FIT_NO_ROW } },
    { { 1, 1 }, 0.05, ROWS, ROWS, 0, 0, { FIT_NO_GAIN, FIT_NO_GAIN, FIT_NO_GAIN, FIT_NO_ROW } },
    /* a row that is wrong moves nothing */
    { { 1.2, 1.5 }, 0.01, ROWS, ROWS, 4, 2, { FIT_TAKEN, FIT_TAKEN, FIT_SAME, FIT_NO_ROW } },
    /* too few rows, one kernel, noise that hides it */
    { { 1.5, 1.5 }, 0.01, 9, 9, 0, 0, { FIT_NO_GAIN, FIT_NO_GAIN, FIT_NO_GAIN, FIT_NO_ROW } },
    { { 1.2, 1.5 }, 0.01, ROWS, 1, 0, 2, { FIT_TAKEN, FIT_TAKEN, FIT_SAME, FIT_NO_ROW } },
    { { 1.02, 1 }, 0.6, ROWS, ROWS, 0, 0, { FIT_NO_GAIN, FIT_NO_GAIN, FIT_NO_GAIN, FIT_NO_ROW } },
};

/* -1 to 1, the same each time. */
static double next_noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 30) - 1;
}

/* Of rows whose times are the sum that is fitted, steps till none is left. */
static void fit_all(const FitData *data, FitResult *out)
{
    double here[ROWS];
    double error[2] = { 0 };
    assert_true(ptx_fit_begin(data, out));
    for (size_t t = 0; out->folds && t <= out->folds; t++)
        while (!out->trials[t].is_done) {
            FitData now = *data;
            now.apart = here;
            for (size_t r = 0; r < data->rows; r++) {
                here[r] = data->apart[r];
                for (size_t k = 0; k < data->constants; k++)
                    here[r] -= data->sensitivity[r * data->constants + k] * out->trials[t].x[k];
            }
            assert_true(ptx_fit_step(&now, t, out));
        }
    for (size_t r = 0; out->folds && r < data->rows; r++)
        for (int all = 0; all < 2; all++) {
            const size_t t = all ? out->folds : ptx_fit_fold(data, out, r);
            double left = data->apart[r];
            for (size_t k = 0; k < data->constants; k++)
                left -= data->sensitivity[r * data->constants + k] * out->trials[t].x[k];
            error[all] += fabs(left) / (double)data->rows;
        }
    assert_true(ptx_fit_end(data, error[0], error[1], out));
}

static void check_fit(size_t number, const PlantedFit *fit)
{
    double apart[ROWS], sensitivity[ROWS * CONSTANTS] = { 0 };
    uint32_t group[ROWS];
    uint64_t state = 1;
    FitResult out;
    for (size_t r = 0; r < fit->rows; r++) {
        double *row = &sensitivity[r * CONSTANTS];
        row[0] = 0.1 + 0.8 * (double)(r % 7) / 7;
        row[1] = 0.9 - row[0] * 0.5 - 0.3 * (double)(r % 3);
        row[2] = row[0] * 0.8;
        apart[r] = row[0] * log(fit->factor[0]) + row[1] * log(fit->factor[1])
                   + fit->noise * next_noise(&state) + (r < fit->wrong ? log(10) : 0);
        group[r] = (uint32_t)(r % fit->groups);
    }
    const FitData data = { fit->rows, CONSTANTS, apart, sensitivity, group, fit->groups };
    fit_all(&data, &out);
    if (out.taken != fit->taken)
        fail_msg("case %zu: %zu taken", number, out.taken);
    if (out.constants[2].verdict == FIT_TAKEN) {        /* either of the two that are alike */
        const FitConstant kept = out.constants[0];
        out.constants[0] = out.constants[2];
        out.constants[2] = kept;
        out.constants[0].factor = pow(out.constants[0].factor, 0.8);
    }
    for (size_t k = 0; k < CONSTANTS; k++)
        if (out.constants[k].verdict != fit->verdict[k])
            fail_msg("case %zu: constant %zu: %d", number, k, (int)out.constants[k].verdict);
    for (size_t k = 0; k < 2 && out.constants[k].verdict == FIT_TAKEN; k++) {
        assert_true(fabs(out.constants[k].factor / fit->factor[k] - 1) < 0.1);
        assert_true(out.constants[k].low < out.constants[k].high);
    }
    if (out.taken)
        assert_true(out.left_out < out.before && out.after < out.before);
}

static void test_planted_factors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(planted); i++)
        check_fit(i, &planted[i]);
}

/* Nothing, and numbers without bounds. */
static void test_no_rows(void **state)
{
    FitResult out;
    (void)state;
    fit_all(&(FitData){ 0 }, &out);
    assert_int_equal(out.taken, 0);
    double apart[20], sensitivity[20];
    uint32_t group[20] = { 0 };
    for (size_t i = 0; i < COUNT(apart); i++) {
        apart[i] = i % 2 ? 700 : -700;
        sensitivity[i] = 1e6;
    }
    fit_all(&(FitData){ 20, 1, apart, sensitivity, group, 1 }, &out);
    assert_true(isfinite(out.constants[0].factor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_factors),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
