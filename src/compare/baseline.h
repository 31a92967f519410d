/* baseline.h -- findings that were there before: ptxlint_baseline.
 *
 * An entry is a rule, a kernel (ptx_key_kernel) and a statement in its normal form, and how many
 * such findings one module may have. Findings that others are folded into (of one loop, of one
 * kernel) have a statement that changes with the worst of them, so their entry has none and counts
 * them all. What the pipeline asks while a module is made reads the baseline alone, so modules may
 * be made in parallel. */
#ifndef PTX_COMPARE_BASELINE_H
#define PTX_COMPARE_BASELINE_H

#include "ptxlint/ptxlint.h"
#include "support/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* What a finding is matched by. */
typedef struct FindingKey {
    const char *rule;
    const char *kernel;         /* ptx_key_kernel; "": none */
    const char *statement;      /* "": a folded one, or one of a kernel as a whole */
    uint32_t count;             /* it, and those folded into it */
} FindingKey;

/* Whether findings of a group may be in one: not what says that an input was cut short, nor
 * budgets, which have a file of their own. */
bool ptx_baseline_takes(const char *group);

/* taken: per entry, zeroed before the first finding of a module: how many it has taken. True: the
 * baseline has this one. */
bool ptx_baseline_take(const ptxlint_baseline *baseline, uint64_t *taken, const FindingKey *key);
uint32_t ptx_baseline_count(const ptxlint_baseline *baseline);

/* "in ptxlint-baseline.json"; lives as long as the baseline. */
const char *ptx_baseline_reason(const ptxlint_baseline *baseline);

#endif
