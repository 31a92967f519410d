/* Documents for programs, with jansson. Only one diagnostic, kernel head, access or loop is held as jansson values at a
 * time: a module may have 300,000 accesses, and each would take two kilobytes. */
#include "report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Text as JSON can hold it: each byte that is not UTF-8 becomes U+FFFD. NULL: no memory. */
static json_t *clean_value(const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *clean = length < SIZE_MAX / 3 ? malloc(3 * length + 1) : NULL;
    size_t used = 0;
    if (!clean)
        return NULL;
    while (length) {
        utf8proc_int32_t codepoint;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, length < 4 ? (utf8proc_ssize_t)length : 4,
                                                  &codepoint);
        size_t step = bytes > 0 ? (size_t)bytes : 1;
        memcpy(clean + used, bytes > 0 ? text : replacement, bytes > 0 ? step : 3);
        used += bytes > 0 ? step : 3;
        text += step;
        length -= step;
    }
    json_t *value = json_stringn(clean, used);
    free(clean);
    return value;
}

static json_t *text_value(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return value ? value : clean_value(text, strlen(text));
}

static json_t *int_value(int64_t number)
{
    return number == PTXLINT_UNKNOWN ? json_null() : json_integer(number);
}

/* A directive's number: 0 says that it is not given. */
static json_t *given_value(uint32_t number)
{
    return number ? json_integer(number) : json_null();
}

static json_t *real_value(double number)
{
    return number - number == 0 ? json_real(number) : json_null();      /* neither NaN nor infinite */
}

static json_t *bool_value(int is_set)
{
    return is_set ? json_true() : json_false();
}

/* An object or an array under construction; a failure is kept for the end. */
typedef struct Json {
    json_t *value;
    bool is_failed;
} Json;

static Json json_make(json_t *value)
{
    return (Json){ value, !value };
}

static void set(Json *json, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(json->value, key, value))
        json->is_failed = true;
}

static void append(Json *json, json_t *value)
{
    if (json_array_append_new(json->value, value))
        json->is_failed = true;
}

/* The finished value; NULL, which the enclosing set takes as a failure, where a part of it failed. */
static json_t *finish(Json *json)
{
    if (!json->is_failed)
        return json->value;
    json_decref(json->value);
    return NULL;
}

static int dump_bytes(const char *bytes, size_t length, void *context)
{
    Out *out = context;
    ptx_out_bytes(out, bytes, length);
    return out->status == PTXLINT_OK ? 0 : -1;
}

/* Writes and frees. flags: JSON_EMBED leaves the braces out. */
static void dump(Out *out, Json *json, size_t flags)
{
    json_t *value = finish(json);
    flags |= JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(10);
    if ((!value || json_dump_callback(value, dump_bytes, out, flags)) && out->status == PTXLINT_OK)
        out->status = PTXLINT_NO_MEMORY;
    json_decref(value);
}

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

/* Lines and columns count from 1: a place of zeros, which is none, has null for all four. */
static void set_span(Json *json, ptxlint_place begin, ptxlint_place end)
{
    set(json, "line", given_value(begin.line));
    set(json, "column", given_value(begin.column));
    set(json, "end_line", given_value(end.line));
    set(json, "end_column", given_value(end.column));
}

static json_t *related_value(const ptxlint_module *module, const ptxlint_diagnostic *diagnostic)
{
    Json all = json_make(json_array());
    for (size_t i = 0; i < diagnostic->related_count; i++) {
        Json one = json_make(json_object());
        ptxlint_span span = diagnostic->related[i].span;
        ptxlint_place begin = { 0 }, end = { 0 };
        if (span.end) {
            begin = ptxlint_module_place(module, span.begin);
            end = ptxlint_module_place(module, span.end);
        }
        set(&one, "message", text_value(diagnostic->related[i].message));
        set_span(&one, begin, end);
        append(&all, finish(&one));
    }
    return finish(&all);
}

static json_t *source_value(const ptxlint_diagnostic *diagnostic)
{
    if (!diagnostic->source_path)
        return json_null();
    Json source = json_make(json_object());
    set(&source, "path", text_value(diagnostic->source_path));
    set(&source, "line", given_value(diagnostic->source_line));
    set(&source, "column", given_value(diagnostic->source_column));
    return finish(&source);
}

void ptx_json_diagnostic(Out *out, const ptxlint_module *module, const ptxlint_diagnostic *diagnostic)
{
    Json json = json_make(json_object());
    set(&json, "rule", text_value(diagnostic->rule));
    set(&json, "name", text_value(diagnostic->name));
    set(&json, "group", text_value(diagnostic->group));
    set(&json, "severity", json_string(ptx_report_severity(diagnostic->severity)));
    set(&json, "message", text_value(diagnostic->message));
    set(&json, "path", text_value(ptxlint_module_get_info(module)->path));
    set_span(&json, ptxlint_module_place(module, diagnostic->span.begin), ptxlint_module_place(module, diagnostic->span.end));
    set(&json, "kernel", text_value(diagnostic->kernel));
    set(&json, "certainty", json_string(ptx_report_certainty(diagnostic->certainty)));
    set(&json, "label", text_value(diagnostic->label));
    set(&json, "help", text_value(diagnostic->help));
    set(&json, "related", related_value(module, diagnostic));
    set(&json, "source", source_value(diagnostic));
    set(&json, "repeats", json_integer(diagnostic->repeat_count));
    dump(out, &json, 0);
}

/* ---- head and file ----------------------------------------------------------------------------------------------- */

void ptx_json_head(Out *out, const char *schema)
{
    Json json = json_make(json_object()), tool = json_make(json_object());
    set(&tool, "name", json_string("ptxlint"));
    set(&tool, "version", text_value(ptxlint_version()));
    set(&json, "schema", json_string(schema));
    set(&json, "tool", finish(&tool));
    dump(out, &json, JSON_EMBED);
    ptx_out_text(out, ",");
}

static json_t *gpu_value(const char *name, const char *sm)
{
    if (!name || !*name)
        return json_null();
    Json json = json_make(json_object());
    set(&json, "name", text_value(name));
    set(&json, "sm", text_value(sm));
    return finish(&json);
}

void ptx_json_gpu(Out *out, const char *name, const char *sm)
{
    Json json = json_make(gpu_value(name, sm));
    dump(out, &json, 0);
}

static json_t *version_value(const ptxlint_module_info *info)
{
    return info->version_major ? json_sprintf("%d.%d", info->version_major, info->version_minor) : json_null();
}

void ptx_json_file(Out *out, const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    Json json = json_make(json_object());
    set(&json, "path", text_value(info->path));
    set(&json, "ptx_version", version_value(info));
    set(&json, "target", text_value(info->target && *info->target ? info->target : NULL));
    set(&json, "address_size", json_integer(info->address_size));
    set(&json, "gpu", gpu_value(info->gpu, info->gpu_sm));
    dump(out, &json, JSON_EMBED);
    ptx_out_text(out, ",");
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static json_t *dims_value(const int64_t dims[3])
{
    Json json = json_make(json_array());
    for (int i = 0; i < 3; i++)
        append(&json, int_value(dims[i]));
    return finish(&json);
}

/* .maxntid and .reqntid: a dimension that is left out is 1. */
static json_t *ntid_value(const uint32_t dims[3])
{
    if (!dims[0])
        return json_null();
    return dims_value((const int64_t[3]){ dims[0], dims[1] ? dims[1] : 1, dims[2] ? dims[2] : 1 });
}

static json_t *launch_value(const ptxlint_launch *launch)
{
    const char *source = launch->source == PTXLINT_LAUNCH_FILE ? "file"
                       : launch->source == PTXLINT_LAUNCH_DIRECTIVE ? "directive" : "assumed";
    Json json = json_make(json_object());
    set(&json, "grid", dims_value(launch->grid));
    set(&json, "block", dims_value(launch->block));
    set(&json, "dynamic_shared", int_value(launch->dynamic_shared_bytes));
    set(&json, "source", json_string(source));
    return finish(&json);
}

static json_t *names_value(const char *const *names, size_t count)
{
    Json json = json_make(json_array());
    for (size_t i = 0; i < count; i++)
        append(&json, text_value(names[i]));
    return finish(&json);
}

/* No model predicts what ptxas allocates yet: "source" says "none". */
static json_t *registers_value(const ptxlint_module *module, const ptxlint_pressure *pressure)
{
    bool is_known = pressure->max_live != PTXLINT_UNKNOWN;
    Json json = json_make(json_object());
    set(&json, "predicted", json_null());
    set(&json, "low", json_null());
    set(&json, "high", json_null());
    set(&json, "max_live", int_value(pressure->max_live));
    set(&json, "max_live_line", is_known ? json_integer(ptxlint_module_place(module, pressure->where.begin).line) : json_null());
    set(&json, "source", json_string("none"));
    set(&json, "max_live_64", int_value(pressure->max_live_64));
    set(&json, "max_live_16", int_value(pressure->max_live_16));
    set(&json, "max_live_predicates", int_value(pressure->max_live_predicates));
    set(&json, "live", is_known ? names_value(pressure->live, pressure->live_count) : json_null());
    return finish(&json);
}

/* Nothing computes occupancy or time yet; the keys stand so that readers of the format need not ask for them. */
static json_t *unknown_value(const char *const *keys, bool has_limiters)
{
    Json json = json_make(json_object());
    for (; *keys; keys++)
        set(&json, *keys, json_null());
    set(&json, "limiter", json_string("unknown"));
    if (has_limiters)
        set(&json, "limiters", json_array());
    return finish(&json);
}

static json_t *occupancy_value(void)
{
    static const char *const keys[] = { "blocks_per_sm", "warps_per_sm", "percent", NULL };
    return unknown_value(keys, true);
}

static json_t *estimate_value(void)
{
    static const char *const keys[] = { "warp_instructions", "flops_fp32", "flops_fp64", "flops_fp16", "flops_tensor",
                                        "dram_bytes", "bound_time_us", "predicted_time_us", NULL };
    return unknown_value(keys, false);
}

static json_t *classes_value(const ptxlint_mix *mix)
{
    Json all = json_make(json_object());
    for (size_t i = 0; i < mix->class_count; i++) {
        Json one = json_make(json_object());
        set(&one, "static", json_integer((json_int_t)mix->classes[i].static_count));
        set(&one, "weighted", real_value(mix->classes[i].weighted_count));
        set(&all, mix->classes[i].name, finish(&one));
    }
    return finish(&all);
}

static json_t *mix_value(const ptxlint_mix *mix)
{
    Json json = json_make(json_object());
    set(&json, "instructions", json_integer((json_int_t)mix->instruction_count));
    set(&json, "fused", json_integer((json_int_t)mix->fused_count));
    set(&json, "fusable", json_integer((json_int_t)mix->fusable_count));
    set(&json, "fma_fraction", real_value(mix->fma_fraction));
    set(&json, "weighted_fma_fraction", real_value(mix->weighted_fma_fraction));
    set(&json, "classes", classes_value(mix));
    return finish(&json);
}

static json_t *cfg_value(const ptxlint_kernel *kernel)
{
    Json json = json_make(json_object());
    set(&json, "blocks", json_integer((json_int_t)kernel->block_count));
    set(&json, "edges", json_integer((json_int_t)kernel->edge_count));
    set(&json, "unreachable", json_integer((json_int_t)kernel->unreachable_block_count));
    return finish(&json);
}

static json_t *resources_value(const ptxlint_kernel *kernel)
{
    Json json = json_make(json_object());
    set(&json, "static_shared_bytes", int_value(kernel->static_shared_bytes));
    set(&json, "local_bytes", int_value(kernel->local_bytes));
    set(&json, "param_bytes", int_value(kernel->param_bytes));
    set(&json, "maxntid", ntid_value(kernel->maxntid));
    set(&json, "reqntid", ntid_value(kernel->reqntid));
    set(&json, "minnctapersm", given_value(kernel->minnctapersm));
    set(&json, "maxnreg", given_value(kernel->maxnreg));
    return finish(&json);
}

static void dump_access(Out *out, const ptxlint_module *module, const ptxlint_access *access)
{
    ptxlint_place place = ptxlint_module_place(module, access->span.begin);
    Json json = json_make(json_object());
    set(&json, "line", json_integer(place.line));
    set(&json, "column", json_integer(place.column));
    set(&json, "space", text_value(access->space));
    set(&json, "op", text_value(access->op));
    set(&json, "bytes", int_value(access->bytes));
    set(&json, "active_threads", real_value(access->active_threads));
    set(&json, "sectors_per_request", real_value(access->sectors_per_request));
    set(&json, "ideal_sectors_per_request", real_value(access->ideal_sectors_per_request));
    set(&json, "wavefronts_per_request", real_value(access->wavefronts_per_request));
    set(&json, "ideal_wavefronts_per_request", real_value(access->ideal_wavefronts_per_request));
    set(&json, "certainty", json_string(ptx_report_certainty(access->certainty)));
    set(&json, "why", text_value(access->why));
    dump(out, &json, 0);
}

static void dump_loop(Out *out, const ptxlint_module *module, const ptxlint_loop *loop)
{
    Json json = json_make(json_object());
    set(&json, "line", json_integer(ptxlint_module_place(module, loop->header.begin).line));
    set(&json, "label", text_value(loop->label && *loop->label ? loop->label : NULL));
    set(&json, "depth", json_integer(loop->depth));
    set(&json, "parent", loop->parent >= 0 ? json_integer(loop->parent) : json_null());
    set(&json, "irreducible", bool_value(loop->is_irreducible));
    set(&json, "innermost", bool_value(loop->is_innermost));
    set(&json, "mix", mix_value(&loop->mix));
    dump(out, &json, 0);
}

static void dump_kernel_head(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    Json json = json_make(json_object());
    set(&json, "name", text_value(kernel->name));
    set(&json, "line", json_integer(ptxlint_module_place(module, kernel->name_span.begin).line));
    set(&json, "recursive", bool_value(kernel->is_recursive));
    set(&json, "syntax_error", bool_value(kernel->has_syntax_error));
    set(&json, "launch", launch_value(&kernel->launch));
    set(&json, "registers", registers_value(module, &kernel->pressure));
    set(&json, "resources", resources_value(kernel));
    set(&json, "occupancy", occupancy_value());
    set(&json, "estimate", estimate_value());
    set(&json, "cfg", cfg_value(kernel));
    set(&json, "mix", mix_value(&kernel->mix));
    dump(out, &json, JSON_EMBED);
}

void ptx_json_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    ptx_out_text(out, "{");
    dump_kernel_head(out, module, kernel);
    ptx_out_text(out, ",\"loops\":[");
    for (size_t i = 0; i < kernel->loop_count && out->status == PTXLINT_OK; i++) {
        if (i)
            ptx_out_text(out, ",");
        dump_loop(out, module, &kernel->loops[i]);
    }
    ptx_out_text(out, "],\"accesses\":[");
    for (size_t i = 0; i < kernel->access_count && out->status == PTXLINT_OK; i++) {
        if (i)
            ptx_out_text(out, ",");
        dump_access(out, module, &kernel->accesses[i]);
    }
    ptx_out_text(out, "]}");
}
