/* overview.h -- the first table of a report: all kernels, the slowest first. */
#ifndef PTX_REPORT_OVERVIEW_H
#define PTX_REPORT_OVERVIEW_H

#include "report/report.h"

typedef struct Overview Overview;

Overview *ptx_overview_new(void);       /* NULL: no memory */
void ptx_overview_free(Overview *overview);

/* A kernel in one launch, on each of its GPUs. worst: of its findings; NULL: it has none. */
ptxlint_status ptx_overview_add(Overview *overview, const ptxlint_module *module,
                                const ptxlint_kernel *kernel, const ptxlint_diagnostic *worst);

/* How many kernels were added, and in how many launches, whatever their GPUs. */
size_t ptx_overview_kernels(const Overview *overview);
size_t ptx_overview_launches(const Overview *overview);

/* One that is no kernel. */
void ptx_overview_count_function(Overview *overview);

/* has_hint: how to get more is said. */
void ptx_overview_put(Overview *overview, Out *out, size_t width, bool has_hint);
void ptx_overview_put_markdown(Overview *overview, Out *out);

/* "354 us", "1.80 ms". */
typedef struct TimeText {
    char text[32];
} TimeText;

TimeText ptx_time_text(double us);

#endif
