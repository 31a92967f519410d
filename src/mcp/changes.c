/* changes.c -- compare: what two versions differ in, regressions first. */
#include "mcp/mcp.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

/* A document in memory. */
typedef struct McpDocument {
    char *bytes;
    size_t length, capacity;
} McpDocument;

static int keep_bytes(void *context, const char *bytes, size_t length)
{
    McpDocument *document = context;
    if (!ptx_list_reserve(&document->bytes, &document->capacity, document->length + length, 1))
        return 1;
    memcpy(document->bytes + document->length, bytes, length);
    document->length += length;
    return 0;
}

/* Figures that changed, and what of them is known. */
static json_t *changed_metrics(const json_t *metrics)
{
    static const char *const keys[] = { "old", "new", "percent", "verdict", "certainty" };
    json_t *out = json_object(), *metric;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)metrics, name, metric) {
        const json_t *delta = json_object_get(metric, "delta");
        const double by = json_number_value(delta);
        if (json_is_number(delta) && !(by < 0 || by > 0))
            continue;
        json_t *kept = json_object();
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            json_object_set(kept, keys[i], json_object_get(metric, keys[i]));
        json_object_set_new(out, name, kept);
    }
    return out;
}

static json_t *short_findings(const json_t *findings)
{
    json_t *out = json_array(), *finding;
    size_t i;
    json_array_foreach(findings, i, finding) {
        json_t *kept = json_object();
        json_object_set(kept, "rule", json_object_get(finding, "rule"));
        json_object_set(kept, "line", json_object_get(finding, "line"));
        json_object_set_new(kept, "message",
                            ptx_mcp_text(json_string_value(json_object_get(finding, "message")),
                                         200));
        json_array_append_new(out, kept);
    }
    return out;
}

static json_t *short_kernel(const json_t *kernel)
{
    json_t *out = json_object();
    json_object_set_new(out, "kernel",
                        ptx_mcp_text(json_string_value(json_object_get(kernel, "name")), 200));
    json_object_set(out, "status", json_object_get(kernel, "status"));
    json_object_set_new(out, "metrics", changed_metrics(json_object_get(kernel, "metrics")));
    json_object_set_new(out, "new_findings",
                        short_findings(json_object_get(kernel, "new_findings")));
    json_object_set_new(out, "fixed_findings",
                        short_findings(json_object_get(kernel, "fixed_findings")));
    return out;
}

static bool is_same_kernel(const json_t *kernel)
{
    const char *status = json_string_value(json_object_get(kernel, "status"));
    return status && !strcmp(status, "same");
}

/* Regressed kernels before the others, in the order of the document. */
static json_t *short_diff(const json_t *document)
{
    json_t *answer = json_object(), *kernels = json_array(), *kernel;
    const json_t *all = json_object_get(document, "kernels");
    size_t i;
    json_object_set(answer, "regressed", json_object_get(document, "regressed"));
    json_object_set(answer, "summary", json_object_get(document, "summary"));
    for (int pass = 1; pass >= 0; pass--)
        json_array_foreach(all, i, kernel)
            if (json_is_true(json_object_get(kernel, "regressed")) == pass
                && !is_same_kernel(kernel))
                json_array_append_new(kernels, short_kernel(kernel));
    ptx_mcp_fit(answer, "kernels", kernels);
    return answer;
}

static json_t *write_changes(const ptxlint_diff *diff)
{
    ptxlint_diff_options options;
    McpDocument document = { 0 };
    json_t *whole = NULL, *answer = NULL;
    ptxlint_diff_options_init(&options);
    options.format = PTXLINT_JSON;
    if (ptxlint_write_diff(diff, &options, keep_bytes, &document) == PTXLINT_OK)
        whole = json_loadb(document.bytes, document.length, 0, NULL);
    if (whole)
        answer = short_diff(whole);
    json_decref(whole);
    free(document.bytes);
    return answer;
}

static json_t *compare_modules(const ptxlint_module *old_module, const ptxlint_module *new_module)
{
    ptxlint_report *before = NULL, *after = NULL;
    ptxlint_diff *diff = NULL;
    json_t *answer = NULL;
    if (ptxlint_report_new(&before) == PTXLINT_OK && ptxlint_report_new(&after) == PTXLINT_OK
        && ptxlint_report_add(before, old_module) == PTXLINT_OK
        && ptxlint_report_add(after, new_module) == PTXLINT_OK
        && ptxlint_diff_new(before, after, NULL, 0, &diff, NULL, 0) == PTXLINT_OK)
        answer = write_changes(diff);
    ptxlint_diff_free(diff);
    ptxlint_report_free(before);
    ptxlint_report_free(after);
    return answer;
}

json_t *ptx_mcp_compare(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const json_t *sources[] = { json_object_get(arguments, "old"),
                                json_object_get(arguments, "new") };
    McpInput inputs[2] = { { 0 } };
    json_t *answer = NULL;
    if (!json_is_object(sources[0]) || !json_is_object(sources[1]))
        ptx_mcp_fail(error, "`old` and `new` are objects with `ptx` or `path`");
    else if (ptx_mcp_open(&inputs[0], sources[0], arguments, false, error)
             && ptx_mcp_open(&inputs[1], sources[1], arguments, false, error))
        answer = compare_modules(inputs[0].module, inputs[1].module);
    ptx_mcp_close(&inputs[0]);
    ptx_mcp_close(&inputs[1]);
    return answer;
}
