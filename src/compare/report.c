#include "compare/report.h"
#include "support/choice.h"
#include "support/guard.h"
#include "support/minmax.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_FILE_BYTES_MAX = 1 << 30 };

#define REPORT_ARENA_BYTES ((size_t)8 << 30)

/* ---- the life of one ------------------------------------------------------------------------- */

ptxlint_status ptxlint_report_new(ptxlint_report **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return PTXLINT_NO_MEMORY;
    ptx_arena_init(&(*out)->arena, REPORT_ARENA_BYTES, NULL);
    return PTXLINT_OK;
}

void ptxlint_report_free(ptxlint_report *r)
{
    if (!r)
        return;
    ptx_arena_free(&r->arena);
    free(r);
}

size_t ptxlint_report_size(const ptxlint_report *r)
{
    return r ? r->count : 0;
}

static const char *copy_report_text(ptxlint_report *r, const char *text)
{
    return text ? ptx_arena_strndup(&r->arena, text, strlen(text)) : "";
}

static ReportKernel *add_kernel(ptxlint_report *r, const char *name, const char *path)
{
    if (r->count == r->capacity)
        r->kernels = ptx_arena_grow(&r->arena, r->kernels, r->count, &r->capacity,
                                    sizeof *r->kernels);
    ReportKernel *kernel = &r->kernels[r->count++];
    *kernel = (ReportKernel){
        .name = copy_report_text(r, name), .path = path, .target = "", .gpu = "", .launch = ""
    };
    kernel->key = ptx_key_kernel(&r->arena, kernel->name, strlen(kernel->name));
    for (int i = 0; i < METRIC__COUNT; i++)
        kernel->metrics[i] = (ptxlint_measure){ (double)NAN, PTXLINT_NOT_KNOWN };
    return kernel;
}

static void add_reported_finding(ptxlint_report *r, ReportKernel *kernel,
                                 const ReportFinding *finding)
{
    ReportFinding *kept = ptx_arena_new(&r->arena, ReportFinding);
    *kept = *finding;
    kept->rule = copy_report_text(r, finding->rule);
    kept->name = copy_report_text(r, finding->name);
    kept->statement = copy_report_text(r, finding->statement);
    kept->message = copy_report_text(r, finding->message);
    kept->next = kernel->findings;
    kernel->findings = kept;
    if (kept->severity >= PTXLINT_WARNING)
        kernel->metrics[METRIC_FINDINGS].value++;
}

static void begin_findings(ReportKernel *kernel)
{
    kernel->is_first_gpu = true;
    kernel->metrics[METRIC_FINDINGS] = (ptxlint_measure){ 0, PTXLINT_EXACT };
}

static const char *launch_text(ptxlint_report *r, const int64_t grid[3], const int64_t block[3])
{
    char text[160];
    if (grid[0] == PTXLINT_UNKNOWN || block[0] == PTXLINT_UNKNOWN)
        return "";
    snprintf(text, sizeof text,
             "%" PRId64 " x %" PRId64 " x %" PRId64 " blocks of %" PRId64 " x %" PRId64
             " x %" PRId64,
             grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    return copy_report_text(r, text);
}

/* ---- from a module --------------------------------------------------------------------------- */

static const ReportClass *classes_of(ptxlint_report *r, const ptxlint_mix *mix)
{
    ReportClass *classes = ptx_arena_array(&r->arena, ReportClass, mix->class_count + 1);
    for (size_t i = 0; i < mix->class_count; i++)
        classes[i] = (ReportClass){ mix->classes[i].name, (double)mix->classes[i].static_count };
    return classes;
}

static void add_module_kernel(ptxlint_report *r, const ptxlint_module *m, const char *path,
                              const ptxlint_kernel *k)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(m);
    const ReportClass *classes = classes_of(r, &k->mix);
    const char *target = copy_report_text(r, info->target),
               *launch = launch_text(r, k->launch.grid, k->launch.block);
    uint64_t body = ptxlint_module_body(m, k);
    for (size_t p = 0; p < k->projection_count || !p; p++) {
        const ptxlint_projection *projection = p < k->projection_count ? &k->projections[p] : NULL;
        ReportKernel *kernel = add_kernel(r, k->name, path);
        ptx_metrics_measure(k, projection, kernel->metrics);
        kernel->target = target;
        kernel->launch = launch;
        kernel->gpu =
            projection ? copy_report_text(r, ptxlint_gpu_get_info(projection->gpu)->name) : "";
        kernel->body = body;
        kernel->line = ptxlint_module_place(m, k->name_span.begin).line;
        kernel->classes = classes;
        kernel->class_count = (uint32_t)k->mix.class_count;
        if (!p)
            begin_findings(kernel);
    }
}

static void add_module_findings(ptxlint_report *r, const ptxlint_module *m, const uint32_t *numbers)
{
    size_t count, kernel_count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(m, &kernel_count);
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(m, &count);
    for (size_t i = 0; i < count; i++) {
        char statement[STATEMENT_BYTES] = "";
        size_t k = ptx_report_kernel_at(kernels, kernel_count, all[i].span.begin);
        if (all[i].suppression != PTXLINT_NOT_SUPPRESSED || k == kernel_count
            || numbers[k] == UINT32_MAX)
            continue;
        ptxlint_module_statement(m, all[i].span.begin, statement, sizeof statement);
        ReportFinding finding = { .rule = all[i].rule,
                                  .name = all[i].name,
                                  .message = all[i].message,
                                  .statement = statement,
                                  .severity = all[i].severity,
                                  .line = ptxlint_module_place(m, all[i].span.begin).line,
                                  .count = 1 + all[i].repeat_count };
        add_reported_finding(r, &r->kernels[numbers[k]], &finding);
    }
}

typedef struct ReportAdd {
    ptxlint_report *r;
    const ptxlint_module *m;
} ReportAdd;

static void add_report_module(void *context)
{
    const ReportAdd *call = context;
    ptxlint_report *r = call->r;
    const ptxlint_module *m = call->m;
    size_t count;
    const char *path = copy_report_text(r, ptxlint_module_get_info(m)->path);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(m, &count);
    uint32_t *numbers = ptx_arena_array(&r->arena, uint32_t, count + 1);
    for (size_t k = 0; k < count; k++) {
        numbers[k] = kernels[k].is_entry ? r->count : UINT32_MAX;
        if (kernels[k].is_entry)
            add_module_kernel(r, m, path, &kernels[k]);
    }
    add_module_findings(r, m, numbers);
}

ptxlint_status ptxlint_report_add(ptxlint_report *r, const ptxlint_module *m)
{
    ReportAdd call = { r, m };
    if (!r || !m)
        return PTXLINT_BAD_ARGUMENT;
    return ptx_run_guarded_in(&r->arena, add_report_module, &call) ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

/* ---- from a saved report --------------------------------------------------------------------- */

static const char *report_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int64_t whole_of(const json_t *value)
{
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : PTXLINT_UNKNOWN;
}

static ptxlint_certainty certainty_of(const char *text)
{
    static const char *const words[] = {
        [PTXLINT_EXACT] = "exact", [PTXLINT_BOUND] = "bound", [PTXLINT_ESTIMATE] = "estimate"
    };
    for (int i = PTXLINT_EXACT; i <= PTXLINT_ESTIMATE; i++)
        if (!strcmp(text, words[i]))
            return (ptxlint_certainty)i;
    return PTXLINT_NOT_KNOWN;
}

static void read_metrics(ReportKernel *kernel, const json_t *metrics)
{
    ptxlint_metric metric;
    for (size_t i = 0; ptxlint_metric_at(i, &metric); i++) {
        const json_t *one = json_object_get(metrics, metric.key),
                     *value = json_object_get(one, "value");
        ptxlint_certainty certainty = certainty_of(report_text_of(one, "certainty"));
        if (json_is_number(value) && certainty != PTXLINT_NOT_KNOWN)
            kernel->metrics[i] = (ptxlint_measure){ json_number_value(value), certainty };
    }
}

static void read_classes(ptxlint_report *r, ReportKernel *kernel, const json_t *classes)
{
    ReportClass *out = ptx_arena_array(&r->arena, ReportClass, json_object_size(classes) + 1);
    const char *name;
    json_t *value;
    kernel->classes = out;
    /* the iteration does not write; jansson has no form of it for const */
    json_object_foreach((json_t *)(uintptr_t)classes, name, value) {
        const json_t *count = json_object_get(value, "static");
        out[kernel->class_count++] =
            (ReportClass){ copy_report_text(r, name),
                           json_is_integer(count) ? (double)json_integer_value(count) : 0 };
    }
}

static const char *read_launch(ptxlint_report *r, const json_t *launch)
{
    int64_t dims[2][3];
    const json_t *lists[] = { json_object_get(launch, "grid"), json_object_get(launch, "block") };
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < 3; i++)
            dims[l][i] = whole_of(json_array_get(lists[l], (size_t)i));
    return launch_text(r, dims[0], dims[1]);
}

typedef struct SavedFile {
    const char *path, *target, *gpu;
} SavedFile;

static ReportKernel *read_projection(ptxlint_report *r, const SavedFile *file, const json_t *item,
                                     const json_t *projection)
{
    ReportKernel *kernel = add_kernel(r, report_text_of(item, "name"), file->path);
    int64_t line = whole_of(json_object_get(item, "line"));
    kernel->target = file->target;
    kernel->launch = read_launch(r, json_object_get(item, "launch"));
    kernel->gpu = projection ? copy_report_text(r, report_text_of(projection, "gpu")) : file->gpu;
    kernel->body = strtoull(report_text_of(item, "body"), NULL, 16);
    kernel->line = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
    read_metrics(kernel, json_object_get(projection ? projection : item, "metrics"));
    read_classes(r, kernel, json_object_get(json_object_get(item, "mix"), "classes"));
    return kernel;
}

static const char *read_kernel(ptxlint_report *r, const SavedFile *file, const json_t *item)
{
    const json_t *projections = json_object_get(item, "projections");
    size_t count = json_array_size(projections);
    if (!json_is_object(item) || !*report_text_of(item, "name"))
        return "a kernel is an object with a name";
    if (!json_is_object(json_object_get(item, "metrics")))
        return "a kernel has no \"metrics\"; write the report again with this version";
    for (size_t p = 0; p < count || !p; p++) {
        uint32_t number = r->count;
        read_projection(r, file, item, count ? json_array_get(projections, p) : NULL);
        if (!p)
            begin_findings(&r->kernels[number]);
    }
    return NULL;
}

static const char *read_file(ptxlint_report *r, const json_t *item)
{
    const json_t *kernels = json_object_get(item, "kernels");
    SavedFile file = { copy_report_text(r, report_text_of(item, "path")),
                       copy_report_text(r, report_text_of(item, "target")),
                       copy_report_text(r, report_text_of(json_object_get(item, "gpu"), "name")) };
    const char *wrong = json_is_array(kernels) ? NULL : "a file has no list of kernels";
    for (size_t i = 0; i < json_array_size(kernels) && !wrong; i++)
        wrong = read_kernel(r, &file, json_array_get(kernels, i));
    return wrong;
}

static ptxlint_severity severity_of(const char *text)
{
    if (!strcmp(text, "error"))
        return PTXLINT_ERROR;
    return !strcmp(text, "warning") ? PTXLINT_WARNING : PTXLINT_NOTE;
}

enum { MAX_NAMESAKES = 256 };  /* kernels of one name that are compared for a finding */

static uint64_t place_hash(const char *path, const char *kernel)
{
    return ptx_key_hash(ptx_key_hash(KEY_HASH, path), kernel);
}

/* Of kernels of one name in one file that one has a finding which begins last before it. */
static bool is_nearer(const ReportKernel *kernel, const ReportKernel *found, uint32_t line)
{
    return !found || (kernel->line <= line && (kernel->line > found->line || found->line > line));
}

static void read_finding(ptxlint_report *r, const Index *index, const json_t *item)
{
    uint32_t at = 0, number;
    const char *path = report_text_of(item, "path"), *kernel = report_text_of(item, "kernel");
    int64_t line = whole_of(json_object_get(item, "line")),
            repeats = whole_of(json_object_get(item, "repeats"));
    ReportFinding finding = { .rule = report_text_of(item, "rule"),
                              .name = report_text_of(item, "name"),
                              .message = report_text_of(item, "message"),
                              .statement = report_text_of(item, "statement"),
                              .severity = severity_of(report_text_of(item, "severity")),
                              .line = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0,
                              .count = 1 };
    finding.count += repeats > 0 && repeats < INT32_MAX ? (uint32_t)repeats : 0;
    if (json_is_object(json_object_get(item, "suppression")))
        return;
    ReportKernel *found = NULL;
    for (unsigned i = 0;
         i < MAX_NAMESAKES && ptx_index_next(index, place_hash(path, kernel), &at, &number); i++) {
        ReportKernel *other = &r->kernels[number];
        if (!strcmp(other->path, path) && !strcmp(other->name, kernel)
            && is_nearer(other, found, finding.line))
            found = other;
    }
    if (found)
        add_reported_finding(r, found, &finding);
}

static const char *read_report_stream(ptxlint_report *r, const json_t *root)
{
    Index index = { 0 };
    uint32_t first = r->count;
    const char *schema = report_text_of(root, "schema"), *wrong = NULL;
    const json_t *files = json_object_get(root, "files"),
                 *diagnostics = json_object_get(root, "diagnostics");
    if (strcmp(schema, "ptxlint-report/1") != 0 || !json_is_array(files))
        return "no report: `ptxlint report --format json` writes one";
    for (size_t i = 0; i < json_array_size(files) && !wrong; i++)
        wrong = read_file(r, json_array_get(files, i));
    for (uint32_t k = first; k < r->count; k++)
        if (r->kernels[k].is_first_gpu)
            ptx_index_add(&r->arena, &index, place_hash(r->kernels[k].path, r->kernels[k].name), k);
    for (size_t i = 0; i < json_array_size(diagnostics) && !wrong; i++)
        read_finding(r, &index, json_array_get(diagnostics, i));
    return wrong;
}

typedef struct ReportRead {
    ptxlint_report *r;
    const json_t *root;
    const char **wrong;
    ptxlint_status result;
} ReportRead;

static void read_root_guarded(void *context)
{
    ReportRead *call = context;
    *call->wrong = read_report_stream(call->r, call->root);
    call->result = *call->wrong ? PTXLINT_BAD_FILE : PTXLINT_OK;
}

static ptxlint_status read_report_root(ptxlint_report *r, const json_t *root, const char **wrong)
{
    ReportRead call = { r, root, wrong, PTXLINT_NO_MEMORY };
    ptx_run_guarded_in(&r->arena, read_root_guarded, &call);
    return call.result;
}

ptxlint_status ptxlint_report_read(ptxlint_report *r, const char *path, const char *json,
                                   size_t length, char *error, size_t error_size)
{
    json_error_t trouble;
    const char *wrong = "";
    if (!r || !path || (!json && length))
        return PTXLINT_BAD_ARGUMENT;
    if (length > REPORT_FILE_BYTES_MAX)
        return PTXLINT_TOO_LARGE;
    json_t *root = json_loadb(json ? json : "", length, JSON_REJECT_DUPLICATES, &trouble);
    if (!root && json_error_code(&trouble) == json_error_out_of_memory)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = root ? read_report_root(r, root, &wrong) : PTXLINT_BAD_FILE;
    if (!root && error && error_size)
        snprintf(error, error_size, "%s:%d:%d: error: %s", path, ptx_i32_max(trouble.line, 1),
                 ptx_i32_max(trouble.column, 1), ptx_without_excerpt(trouble.text));
    else if (status == PTXLINT_BAD_FILE && error && error_size)
        snprintf(error, error_size, "%s:1:1: error: %s", path, wrong);
    json_decref(root);
    return status;
}

double ptx_report_class_count(const ReportKernel *kernel, const char *name)
{
    for (uint32_t c = 0; c < kernel->class_count && c < 64; c++)
        if (!strcmp(kernel->classes[c].name, name))
            return kernel->classes[c].count;
    return 0;
}
