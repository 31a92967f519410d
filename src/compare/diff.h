/* diff.h -- two reports side by side: ptxlint_diff.
 *
 * Kernels are matched by name, the same path and target first; those left by ptx_key_kernel of
 * their names, then by body, and then, among kernels whose names begin alike (templates), by how
 * much of their instructions by class they share. Each step looks each kernel up once. */
#ifndef PTX_COMPARE_DIFF_H
#define PTX_COMPARE_DIFF_H

#include "compare/report.h"

typedef enum Verdict {
    VERDICT_SAME,
    VERDICT_BETTER,
    VERDICT_WORSE,
    VERDICT_REGRESSED,
    VERDICT_NOW_KNOWN,
    VERDICT_NOW_UNKNOWN
} Verdict;

typedef enum MatchedBy {
    MATCHED_NONE,
    MATCHED_NAME,
    MATCHED_KEY,
    MATCHED_BODY,
    MATCHED_SHAPE
} MatchedBy;

typedef struct Change {
    double old_value, new_value;        /* NaN: not known */
    double percent;             /* of the old one; NaN */
    Verdict verdict;
    ptxlint_certainty certainty;
    /* why it is worse, beyond its tolerance, and no regression; NULL */
    const char *excuse;
} Change;

typedef struct Pair {
    const ReportKernel *old_kernel, *new_kernel;        /* NULL: added; removed */
    MatchedBy matched_by;
    Change changes[METRIC__COUNT];
    ReportFinding **findings;   /* new ones, then those that are gone */
    uint32_t new_count, fixed_count;
    double weight;              /* what comes first */
    bool is_regressed, is_better, is_changed;
} Pair;

typedef struct Tolerance {
    double value;
    bool is_percent, is_off;
    bool is_asked;              /* by the user, not the metric's own */
} Tolerance;

struct ptxlint_diff {
    Arena arena;
    Tolerance tolerances[METRIC__COUNT];
    Pair *pairs;                /* most significant first */
    uint32_t count;
    ptxlint_diff_info info;
    /* of kernels whose figure is known on both sides, where a sum means something */
    Change totals[METRIC__COUNT];
};

bool ptx_diff_has_total(MetricId id);

/* One of the two, for what is said of the kernel as a whole. */
static inline const ReportKernel *ptx_pair_kernel(const Pair *pair)
{
    return pair->new_kernel ? pair->new_kernel : pair->old_kernel;
}

#endif
