/* report.h -- figures of kernels apart from their modules: ptxlint_report, from modules or from a
 * saved report (docs/report.md).
 *
 * A kernel is there once for each GPU. What is kept of it is what can be compared: metrics,
 * instructions by class, findings, the hash of its body. All of it lies in one arena. */
#ifndef PTX_COMPARE_REPORT_H
#define PTX_COMPARE_REPORT_H

#include "compare/key.h"
#include "report/report.h"

typedef struct ReportClass {
    const char *name;
    double count;               /* static */
} ReportClass;

typedef struct ReportFinding {
    struct ReportFinding *next;
    const char *rule, *name, *statement, *message;
    ptxlint_severity severity;
    uint32_t line;              /* 0: not known */
    uint32_t count;             /* with those folded into it */
    bool is_matched;
} ReportFinding;

typedef struct ReportKernel {
    const char *name, *key;     /* key: ptx_key_kernel */
    const char *path, *target, *gpu;    /* gpu: "": none */
    const char *launch;         /* "4096 x 1 x 1 blocks of 256 x 1 x 1"; "": not known */
    uint64_t body;
    uint32_t line;
    bool is_first_gpu;          /* findings, and what no GPU changes, are reported for it alone */
    ptxlint_measure metrics[METRIC__COUNT];
    const ReportClass *classes;
    uint32_t class_count;
    ReportFinding *findings;    /* of the first GPU */
} ReportKernel;

struct ptxlint_report {
    Arena arena;
    ReportKernel *kernels;
    uint32_t count, capacity;
};

/* The figure depends on the GPU; others are reported once, for the first. */
static inline bool ptx_metric_is_of_gpu(MetricId id)
{
    return id != METRIC_MAX_LIVE && id != METRIC_LOCAL_BYTES && id != METRIC_INSTRUCTIONS
           && id != METRIC_FINDINGS;
}

/* Instructions of a class in a kernel; 0: it has none. */
double ptx_report_class_count(const ReportKernel *kernel, const char *name);

#endif
