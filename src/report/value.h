/* value.h -- JSON values under construction, with jansson.
 *
 * A builder of a value that has no memory gives NULL; the Json that takes it in remembers the failure, so that callers look
 * once, in ptx_json_dump. */
#ifndef PTX_REPORT_VALUE_H
#define PTX_REPORT_VALUE_H

#include "report/report.h"

#include <jansson.h>

/* An object or an array; a failure is kept for the end. */
typedef struct Json {
    json_t *value;
    bool is_failed;
} Json;

Json ptx_json_make(json_t *value);
void ptx_json_set(Json *json, const char *key, json_t *value);
void ptx_json_append(Json *json, json_t *value);

/* The finished value; NULL, which the enclosing set takes as a failure, where a part of it failed. */
json_t *ptx_json_finish(Json *json);

/* Sets "reasons": of each member that is null, or holds a null that nothing explains, what reason_of says of its key; NULL: nothing. */
typedef const char *ReasonOf(const char *key, const void *of);
void ptx_json_reasons(Json *json, ReasonOf *reason_of, const void *of);

/* Writes and frees. flags: JSON_EMBED leaves the braces out. */
void ptx_json_dump(Out *out, Json *json, size_t flags);

/* Text as JSON can hold it: each byte that is not UTF-8 becomes U+FFFD. NULL: null. */
json_t *ptx_value_text(const char *text);

/* null for "" too. */
json_t *ptx_value_name(const char *text);
json_t *ptx_value_names(const char *const *names, size_t count);

/* null for PTXLINT_UNKNOWN, for what is not finite, and for a directive's 0, which says that it is not given. */
json_t *ptx_value_int(int64_t number);
json_t *ptx_value_count(uint64_t number);
json_t *ptx_value_real(double number);
json_t *ptx_value_given(uint32_t number);
json_t *ptx_value_bool(int is_set);

/* ---- projection.c: what a kernel is on one GPU ------------------------------------------------------------------- */

/* For each: projection NULL, where no GPU is described: every figure is null. */
json_t *ptx_value_registers(const ptxlint_module *module, const ptxlint_kernel *kernel, const ptxlint_projection *projection);
json_t *ptx_value_occupancy(const ptxlint_kernel *kernel, const ptxlint_projection *projection);
json_t *ptx_value_waves(const ptxlint_projection *projection);
json_t *ptx_value_estimate(const ptxlint_projection *projection);
json_t *ptx_value_cycles(const ptxlint_cycles *cycles);
json_t *ptx_value_peak(const ptxlint_peak *peak);

/* bottleneck.c */
json_t *ptx_value_parallelism(const ptxlint_parallelism *parallelism);
json_t *ptx_value_bottleneck(const ptxlint_projection *projection);
json_t *ptx_value_roofline(const ptxlint_projection *projection);
json_t *ptx_value_concurrency(const ptxlint_projection *projection);

/* metric.c: what budgets limit and diffs compare, by key. */
json_t *ptx_value_metrics(const ptxlint_kernel *kernel, const ptxlint_projection *projection);

/* All of them for each GPU, with its name; [] where there are not two. */
json_t *ptx_value_projections(const ptxlint_module *module, const ptxlint_kernel *kernel);

/* Of a loop: cycles, peak and parallelism for each GPU. */
json_t *ptx_value_loop_projections(const ptxlint_module *module, const ptxlint_loop *loop);

/* ---- reasons.c: why members are null; `of` is what the object was made of ---------------------------------------- */

typedef struct ReasonContext {
    const ptxlint_kernel *kernel;
    const ptxlint_projection *projection;       /* NULL: on no GPU */
} ReasonContext;

ReasonOf ptx_reason_gpu, ptx_reason_file;                       /* ptxlint_gpu_info, nothing */
ReasonOf ptx_reason_launch;                                     /* ptxlint_kernel */
ReasonOf ptx_reason_registers, ptx_reason_resources, ptx_reason_occupancy, ptx_reason_branch;      /* ReasonContext */
ReasonOf ptx_reason_bound, ptx_reason_peak;                     /* ptxlint_cycles, ptxlint_peak */
ReasonOf ptx_reason_estimate, ptx_reason_bottleneck, ptx_reason_roofline, ptx_reason_concurrency;  /* ptxlint_projection */
ReasonOf ptx_reason_parallelism, ptx_reason_loop, ptx_reason_trip, ptx_reason_access;
const char *ptx_reason_ceiling(const ptxlint_peak *peak, const char *name);

#endif
