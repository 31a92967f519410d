/* budget.h -- what kernels may take at most: ptxlint_budget.
 *
 *     budgets:
 *     - { kernel: "gemm_*", gpu: h200, registers: 128, spill_bytes: 0, occupancy_percent: 50 }
 *
 * An entry applies to kernels by name or pattern, on one GPU or any, with one launch or any. A
 * metric that is better when it is higher has a minimum there, the others a maximum. Reading makes
 * all of it; what checks only reads it, so modules may be made in parallel. */
#ifndef PTX_COMPARE_BUDGET_H
#define PTX_COMPARE_BUDGET_H

#include "ptxlint/ptxlint.h"

#include <stdbool.h>

/* What is wrong with one figure of a kernel. */
typedef struct Overrun {
    bool is_unknown;            /* it cannot be checked */
    ptxlint_certainty certainty;
    char message[512], help[512];
} Overrun;

typedef void (*OverrunFn)(void *context, const Overrun *overrun);

/* findings: the kernel's warnings and errors. */
void ptx_budget_check(const ptxlint_budget *budget, const ptxlint_kernel *kernel, double findings,
                      OverrunFn report, void *context);

#endif
