/* Documents for programs. */
#include "report/json_writer.h"
#include "support/minmax.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_BYTES = 160 };      /* of an instruction's text in a chain */

/* ---- diagnostics ----------------------------------------------------------------------------- */

/* Lines and columns count from 1: a place of zeros, which is none, has null for all four. */
static void set_span(Json *json, ptxlint_place begin, ptxlint_place end)
{
    ptx_json_given(json, "line", begin.line);
    ptx_json_given(json, "column", begin.column);
    ptx_json_given(json, "end_line", end.line);
    ptx_json_given(json, "end_column", end.column);
}

static void put_related(Json *json, const char *key, const ptxlint_module *module,
                        const ptxlint_diagnostic *diagnostic)
{
    ptx_json_array(json, key);
    for (size_t i = 0; i < diagnostic->related_count; i++) {
        ptx_json_object(json, NULL);
        ptxlint_span span = diagnostic->related[i].span;
        ptxlint_place begin = { 0 }, end = { 0 };
        if (span.end) {
            begin = ptxlint_module_place(module, span.begin);
            end = ptxlint_module_place(module, span.end);
        }
        ptx_json_text(json, "message", diagnostic->related[i].message);
        set_span(json, begin, end);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_fix(Json *json, const char *key, const ptxlint_module *module,
                    const ptxlint_fix *fix)
{
    if (!ptx_json_optional(json, key, fix != NULL))
        return;
    set_span(json, ptxlint_module_place(module, fix->span.begin),
             ptxlint_module_place(module, fix->span.end));
    ptx_json_text(json, "replacement", fix->replacement);
    ptx_json_bool(json, "certain", fix->is_certain);
    ptx_json_end(json);
}

static void put_repair(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    if (!ptx_json_optional(json, key, diagnostic->repair_count != 0))
        return;
    ptx_json_bool(json, "tried", true);
    ptx_json_array(json, "insert");
    for (size_t i = 0; i < diagnostic->repair_count; i++) {
        ptx_json_object(json, NULL);
        ptx_json_int(json, "line", diagnostic->repair[i].line);
        ptx_json_text(json, "text", diagnostic->repair[i].text);
        ptx_json_end(json);
    }
    ptx_json_end(json);
    ptx_json_end(json);
}

void ptx_json_source(Json *json, const char *key, ptxlint_source_place place)
{
    if (!ptx_json_optional(json, key, place.path != NULL))
        return;
    ptx_json_text(json, "path", place.path);
    ptx_json_given(json, "line", place.line);
    ptx_json_given(json, "column", place.column);
    ptx_json_end(json);
}

/* From the line of the instruction outwards. */
static void put_inlined(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    ptx_json_array(json, key);
    if (diagnostic->inlined_count)
        ptx_json_source(json, NULL,
                   (ptxlint_source_place){ diagnostic->source_path, diagnostic->source_line,
                                           diagnostic->source_column });
    for (size_t i = 0; i < diagnostic->inlined_count; i++)
        ptx_json_source(json, NULL, diagnostic->inlined_into[i]);
    ptx_json_end(json);
}

static void put_suppression(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    const char *kind = ptx_report_suppression(diagnostic->suppression);
    if (!ptx_json_optional(json, key, kind != NULL))
        return;
    ptx_json_text(json, "kind", kind);
    ptx_json_text(json, "reason", diagnostic->suppression_reason);
    ptx_json_end(json);
}

/* Findings of one rule in one CUDA line have the same. */
static void put_cause(Json *json, const char *key, const Finding *finding)
{
    char text[24];
    uint64_t hash = ptx_cause_hash(finding);
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    ptx_json_text(json, key, hash ? text : NULL);
}

static void put_also(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    ptx_json_array(json, key);
    for (size_t i = 0; i < diagnostic->also_count; i++)
        ptx_json_source(json, NULL, diagnostic->also[i]);
    ptx_json_end(json);
}

static void put_statement(Json *json, const char *key, const ptxlint_module *module,
                          const ptxlint_diagnostic *diagnostic)
{
    char statement[STATEMENT_BYTES];
    ptxlint_module_statement(module, diagnostic->span.begin, statement, sizeof statement);
    ptx_json_text(json, key, statement);
}

void ptx_json_diagnostic(Out *out, const Finding *finding)
{
    const ptxlint_module *module = finding->module;
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "rule", diagnostic->rule);
    ptx_json_text(json, "name", diagnostic->name);
    ptx_json_text(json, "group", diagnostic->group);
    ptx_json_text(json, "severity", ptx_report_severity(diagnostic->severity));
    ptx_json_text(json, "message", diagnostic->message);
    ptx_json_text(json, "path", ptxlint_module_get_info(module)->path);
    set_span(json, ptxlint_module_place(module, diagnostic->span.begin),
             ptxlint_module_place(module, diagnostic->span.end));
    ptx_json_text(json, "kernel", diagnostic->kernel);
    ptx_json_text(json, "kernel_demangled", diagnostic->kernel_demangled);
    ptx_json_text(json, "gpu", diagnostic->gpu);
    put_statement(json, "statement", module, diagnostic);
    ptx_json_text(json, "certainty", ptx_report_certainty(diagnostic->certainty));
    ptx_json_text(json, "label", diagnostic->label);
    ptx_json_text(json, "help", diagnostic->help);
    put_fix(json, "fix", module, diagnostic->fix);
    put_repair(json, "repair", diagnostic);
    put_related(json, "related", module, diagnostic);
    ptx_json_source(json, "source", finding->source.named);
    put_inlined(json, "inlined", diagnostic);
    put_cause(json, "cause", finding);
    put_also(json, "also", diagnostic);
    ptx_json_text(json, "primary", finding->is_source ? "source" : "ptx");
    ptx_json_int(json, "repeats", diagnostic->repeat_count);
    ptx_json_real(json, "gain_percent", diagnostic->gain_percent);
    ptx_json_text(json, "gain_of", diagnostic->gain_of);
    put_suppression(json, "suppression", diagnostic);
    ptx_json_end(json);
}

/* ---- head and file --------------------------------------------------------------------------- */

void ptx_json_head(Out *out, const char *schema)
{
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_text(json, "schema", schema);
    ptx_json_object(json, "tool");
    ptx_json_text(json, "name", "ptxlint");
    ptx_json_text(json, "version", ptxlint_version());
    ptx_json_end(json);
    ptx_out_text(out, ",");
}

/* NULL: no GPU, or not the same for all files; all four are null then. */
static void put_gpu(Json *json, const char *key, const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = gpu ? ptxlint_gpu_get_info(gpu) : NULL;
    ptx_json_object(json, key);
    ptx_json_name(json, "name", info ? info->name : NULL);
    ptx_json_name(json, "sm", info ? info->sm : NULL);
    ptx_json_name(json, "product", info ? info->product : NULL);
    ptx_json_name(json, "architecture", info ? info->architecture : NULL);
    ptx_json_reasons(json, ptx_reason_gpu, info);
    ptx_json_end(json);
}

static void set_gpus(Json *json, const ptxlint_gpu *const *gpus, size_t count)
{
    put_gpu(json, "gpu", count ? gpus[0] : NULL);
    ptx_json_array(json, "gpus");
    for (size_t i = 0; i < count; i++)
        put_gpu(json, NULL, gpus[i]);
    ptx_json_end(json);
}

void ptx_json_gpus(Out *out, const ptxlint_gpu *const *gpus, size_t count)
{
    Json own;
    set_gpus(ptx_json_init(&own, out), gpus, count);
}

static void put_version(Json *json, const char *key, const ptxlint_module_info *info)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", info->version_major, info->version_minor);
    ptx_json_text(json, key, info->version_major ? version : NULL);
}

void ptx_json_file(Out *out, const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_text(json, "path", info->path);
    put_version(json, "ptx_version", info);
    ptx_json_name(json, "target", info->target);
    ptx_json_int(json, "address_size", info->address_size);
    ptx_json_reasons(json, ptx_reason_file, NULL);
    set_gpus(json, info->gpus, info->gpu_count);
    ptx_out_text(out, ",");
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void put_json_dims(Json *json, const char *key, const int64_t dims[3])
{
    ptx_json_array(json, key);
    for (int i = 0; i < 3; i++)
        ptx_json_int(json, NULL, dims[i]);
    ptx_json_end(json);
}

/* .maxntid and .reqntid: a dimension that is left out is 1. */
static void put_ntid(Json *json, const char *key, const uint32_t dims[3])
{
    if (dims[0])
        put_json_dims(
            json, key,
            (const int64_t[3]){ dims[0], ptx_u32_max(dims[1], 1), ptx_u32_max(dims[2], 1) });
    else
        ptx_json_null(json, key);
}

static void put_assumed(Json *json, const char *key, const ptxlint_launch *launch)
{
    ptx_json_array(json, key);
    for (size_t i = 0; i < launch->assumed_count; i++)
        ptx_json_text(json, NULL, launch->assumed[i]);
    ptx_json_end(json);
}

static const char *source_word(ptxlint_launch_source source)
{
    static const char *const words[] = { "assumed", "directive", "file", "metadata" };
    return words[source];
}

void ptx_json_launch(Json *json, const char *key, const ptxlint_kernel *kernel)
{
    const ptxlint_launch *launch = &kernel->launch;
    ptx_json_object(json, key);
    ptx_json_count(json, "number", kernel->launch_number + 1);
    ptx_json_count(json, "count", kernel->launch_count ? kernel->launch_count : 1);
    put_json_dims(json, "grid", launch->grid);
    put_json_dims(json, "block", launch->block);
    put_json_dims(json, "cluster", launch->cluster);
    ptx_json_int(json, "dynamic_shared", launch->dynamic_shared_bytes);
    ptx_json_text(json, "source", source_word(launch->source));
    ptx_json_bool(json, "block_assumed", launch->block_is_assumed);
    put_assumed(json, "assumed", launch);
    ptx_json_text(json, "error", launch->error);
    ptx_json_int(json, "blocks", launch->blocks);
    ptx_json_int(json, "threads_per_block", launch->threads_per_block);
    ptx_json_int(json, "warps_per_block", launch->warps_per_block);
    ptx_json_int(json, "warps", launch->warps);
    ptx_json_int(json, "idle_lanes", launch->idle_lanes);
    ptx_json_reasons(json, ptx_reason_launch, kernel);
    ptx_json_end(json);
}

static void put_json_classes(Json *json, const char *key, const ptxlint_mix *mix)
{
    ptx_json_object(json, key);
    for (size_t i = 0; i < mix->class_count; i++) {
        ptx_json_object(json, mix->classes[i].name);
        ptx_json_count(json, "static", mix->classes[i].static_count);
        ptx_json_real(json, "weighted", mix->classes[i].weighted_count);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_json_mix(Json *json, const char *key, const ptxlint_mix *mix)
{
    ptx_json_object(json, key);
    ptx_json_count(json, "instructions", mix->instruction_count);
    ptx_json_count(json, "fused", mix->fused_count);
    ptx_json_count(json, "fusable", mix->fusable_count);
    ptx_json_real(json, "fma_fraction", mix->fma_fraction);
    ptx_json_real(json, "weighted_fma_fraction", mix->weighted_fma_fraction);
    ptx_json_real(json, "weighted_instructions", mix->weighted_instruction_count);
    ptx_json_real(json, "flops_fp32", mix->flops_fp32);
    ptx_json_real(json, "flops_fp64", mix->flops_fp64);
    ptx_json_real(json, "flops_fp16", mix->flops_fp16);
    ptx_json_real(json, "flops_tensor", mix->flops_tensor);
    ptx_json_real(json, "global_bytes", mix->global_bytes);
    ptx_json_real(json, "stops", mix->stops);
    ptx_json_why(json, ptx_why_mix(mix));
    ptx_json_bool(json, "trips_assumed", mix->has_assumed_trips);
    ptx_json_bool(json, "branches_assumed", mix->has_assumed_branches);
    put_json_classes(json, "classes", mix);
    ptx_json_end(json);
}

static void put_cfg(Json *json, const char *key, const ptxlint_kernel *kernel)
{
    ptx_json_object(json, key);
    ptx_json_count(json, "blocks", kernel->block_count);
    ptx_json_count(json, "edges", kernel->edge_count);
    ptx_json_count(json, "unreachable", kernel->unreachable_block_count);
    ptx_json_end(json);
}

/* As the driver lays them out. */
static void put_params(Json *json, const char *key, const ptxlint_kernel *kernel)
{
    ptx_json_array(json, key);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const ptxlint_param *param = &kernel->params[i];
        ptx_json_object(json, NULL);
        ptx_json_text(json, "name", param->name);
        ptx_json_text(json, "source_name", param->source_name);
        ptx_json_text(json, "type", param->type);
        ptx_json_int(json, "size", param->bytes);
        ptx_json_int(json, "offset", param->offset);
        ptx_json_int(json, "align", param->align);
        bool is_placed = param->bytes != PTXLINT_UNKNOWN && param->offset != PTXLINT_UNKNOWN;
        ptx_json_why(json, is_placed ? NULL : "the parameters are larger than 2^62 bytes");
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_resources(Json *json, const char *key, const ptxlint_kernel *kernel)
{
    ptx_json_object(json, key);
    ptx_json_int(json, "static_shared_bytes", kernel->static_shared_bytes);
    ptx_json_int(json, "local_bytes", kernel->local_bytes);
    ptx_json_int(json, "param_bytes", kernel->param_bytes);
    ptx_json_int(json, "barriers", kernel->barriers);
    put_ntid(json, "maxntid", kernel->maxntid);
    put_ntid(json, "reqntid", kernel->reqntid);
    ptx_json_given(json, "minnctapersm", kernel->minnctapersm);
    ptx_json_given(json, "maxnreg", kernel->maxnreg);
    ptx_json_reasons(json, ptx_reason_resources, &(ReasonContext){ kernel, NULL });
    ptx_json_end(json);
}

enum { LINK_HEADS = 256, ACCESS_REASONS = 8 };

/* What accesses and branches of a kernel have in common. */
typedef struct CommonParts {
    JsonLinkHead heads[LINK_HEADS];     /* by place: most instructions are links of many chains */
    JsonReasons reasons[ACCESS_REASONS];        /* by how many members are null */
} CommonParts;

/* NULL: no memory, which is no failure. */
static CommonParts *common_parts_new(void)
{
    CommonParts *parts = malloc(sizeof *parts);
    for (size_t i = 0; parts && i < LINK_HEADS; i++)
        parts->heads[i].begin = parts->heads[i].end = parts->heads[i].length = 0;
    for (size_t i = 0; parts && i < ACCESS_REASONS; i++)
        parts->reasons[i].length = 0;
    return parts;
}

static JsonLinkHead *link_head_at(CommonParts *parts, ptxlint_span span)
{
    const uint64_t hash = ptx_hash_mix(span.begin);
    JsonLinkHead *head = &parts->heads[hash % LINK_HEADS];
    if (head->begin != span.begin || head->end != span.end)
        head->length = 0;
    head->begin = span.begin;
    head->end = span.end;
    return head;
}

/* What made an address or a condition: where, in which words, and what that does to lanes. */
static void put_chain(Json *json, const char *key, const ptxlint_module *module, CommonParts *parts,
                      const ptxlint_related *chain, size_t count)
{
    const char *text = ptxlint_module_get_info(module)->text;
    ptx_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        const ptxlint_span span = chain[i].span;
        const size_t length = span.end - span.begin;
        JsonLinkHead own = { .length = 0 }, *head = parts ? link_head_at(parts, span) : &own;
        JsonLink link = { .what = chain[i].message };
        if (!head->length) {
            const ptxlint_place place = ptxlint_module_place(module, span.begin);
            link.line = place.line;
            link.column = place.column;
            link.text = text + span.begin;
            link.length = length < LINK_BYTES ? length : LINK_BYTES;
        }
        ptx_json_link(json, &link, head);
    }
    ptx_json_end(json);
}

static void put_branch(Json *json, const ptxlint_module *module, CommonParts *parts,
                       const ptxlint_kernel *kernel, const ptxlint_branch *branch)
{
    ptxlint_place place = ptxlint_module_place(module, branch->span.begin);
    ptx_json_object(json, NULL);
    ptx_json_int(json, "line", place.line);
    ptx_json_int(json, "column", place.column);
    ptx_json_source(json, "source", branch->source);
    ptx_json_text(json, "condition", ptxlint_uniformity_text(branch->condition));
    ptx_json_text(json, "splits", ptx_report_split(branch->splits));
    ptx_json_text(json, "certainty", ptx_report_certainty(branch->certainty));
    ptx_json_real(json, "divergent_percent", branch->divergent_percent);
    ptx_json_real(json, "wasted_slots", branch->wasted_slots);
    ptx_json_real(json, "wasted_percent", branch->wasted_percent);
    ptx_json_given(json, "meets_line",
                   branch->meeting.end ? ptxlint_module_place(module, branch->meeting.begin).line
                                       : 0);
    put_chain(json, "chain", module, parts, branch->chain, branch->chain_count);
    ptx_json_reasons(json, ptx_reason_branch, &(ReasonContext){ kernel, NULL });
    ptx_json_end(json);
}

static void put_shapes(Json *json, const char *key, const ptxlint_access *access)
{
    ptx_json_array(json, key);
    for (size_t i = 0; i < access->shape_count; i++) {
        const ptxlint_shaped *shape = &access->shapes[i];
        ptx_json_object(json, NULL);
        ptx_json_array(json, "block");
        for (unsigned d = 0; d < 3; d++)
            ptx_json_int(json, NULL, shape->block[d]);
        ptx_json_end(json);
        ptx_json_real(json, "active_threads", shape->active_threads);
        ptx_json_real(json, "sectors_per_request", shape->sectors_per_request);
        ptx_json_real(json, "wavefronts_per_request", shape->wavefronts_per_request);
        ptx_json_real(json, "addresses_per_request", shape->addresses_per_request);
        ptx_json_real(json, "efficiency", shape->efficiency);
        ptx_json_text(json, "pattern", shape->pattern);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_hot_line(Json *json, const ptxlint_hot_line *line)
{
    ptx_json_object(json, NULL);
    ptx_json_source(json, "source", line->source);
    ptx_json_real(json, "issue_percent", line->issue_percent);
    ptx_json_text(json, "issue_certainty", ptx_report_certainty(PTXLINT_ESTIMATE));
    ptx_json_real(json, "sectors", line->sectors);
    ptx_json_real(json, "ideal_sectors", line->ideal_sectors);
    ptx_json_real(json, "sectors_percent", line->sectors_percent);
    ptx_json_real(json, "conflict_wavefronts", line->conflict_wavefronts);
    ptx_json_real(json, "conflict_percent", line->conflict_percent);
    ptx_json_text(json, "access_certainty", ptx_report_certainty(line->certainty));
    ptx_json_real(json, "time_percent", line->time_percent);
    ptx_json_text(json, "time_certainty",
                  ptx_report_certainty(isnan(line->time_percent) ? PTXLINT_NOT_KNOWN
                                                                 : PTXLINT_ESTIMATE));
    ptx_json_reasons(json, ptx_reason_hot_line, line);
    ptx_json_end(json);
}

static void put_access_reasons(Json *json, const ptxlint_access *access, CommonParts *parts)
{
    const uint32_t state = isfinite(access->active_threads) ? 1 + (access->pattern != NULL) : 0;
    const unsigned nulls = json->levels[json->depth].null_count;
    if (parts)
        ptx_json_reasons_kept(json, ptx_reason_access, access, state,
                              &parts->reasons[nulls % ACCESS_REASONS]);
    else
        ptx_json_reasons(json, ptx_reason_access, access);
}

static void put_access(Json *json, const ptxlint_module *module, CommonParts *parts,
                       const ptxlint_access *access)
{
    ptxlint_place place = ptxlint_module_place(module, access->span.begin);
    ptx_json_object(json, NULL);
    ptx_json_int(json, "line", place.line);
    ptx_json_int(json, "column", place.column);
    ptx_json_source(json, "source", access->source);
    ptx_json_text(json, "function", access->function);
    ptx_json_text(json, "space", access->space);
    ptx_json_text(json, "op", access->op);
    ptx_json_int(json, "bytes", access->bytes);
    ptx_json_real(json, "active_threads", access->active_threads);
    ptx_json_real(json, "sectors_per_request", access->sectors_per_request);
    ptx_json_real(json, "ideal_sectors_per_request", access->ideal_sectors_per_request);
    ptx_json_real(json, "lines_per_request", access->lines_per_request);
    ptx_json_real(json, "segments_per_request", access->segments_per_request);
    ptx_json_real(json, "wavefronts_per_request", access->wavefronts_per_request);
    ptx_json_real(json, "ideal_wavefronts_per_request", access->ideal_wavefronts_per_request);
    ptx_json_real(json, "addresses_per_request", access->addresses_per_request);
    ptx_json_real(json, "used_bytes_per_request", access->used_bytes_per_request);
    ptx_json_real(json, "moved_bytes_per_request", access->moved_bytes_per_request);
    ptx_json_real(json, "efficiency", access->efficiency);
    ptx_json_text(json, "pattern", access->pattern);
    ptx_json_int(json, "stride_bytes", access->stride_bytes);
    ptx_json_text(json, "certainty", ptx_report_certainty(access->certainty));
    ptx_json_why(json, access->why);
    put_chain(json, "chain", module, parts, access->chain, access->chain_count);
    put_shapes(json, "shapes", access);
    put_access_reasons(json, access, parts);
    ptx_json_end(json);
}

static const char *trip_source(ptxlint_trip_source source)
{
    switch (source) {
    case PTXLINT_TRIP_CODE:     return "code";
    case PTXLINT_TRIP_LAUNCH:   return "launch";
    case PTXLINT_TRIP_USER:     return "user";
    case PTXLINT_TRIP_SYMBOLIC: return "symbolic";
    case PTXLINT_TRIP_UNKNOWN:  break;
    }
    return "unknown";
}

static void put_trip(Json *json, const char *key, const ptxlint_trip *trip)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "source", trip_source(trip->source));
    ptx_json_real(json, "count", trip->count);
    ptx_json_real(json, "min", trip->count_min);
    ptx_json_real(json, "max", trip->count_max);
    ptx_json_text(json, "certainty", ptx_report_certainty(trip->certainty));
    ptx_json_text(json, "expression", trip->expression);
    ptx_json_text(json, "induction", trip->induction);
    ptx_json_text(json, "start", trip->start);
    /* 0: it is not a constant */
    ptx_json_int(json, "step", trip->step ? trip->step : PTXLINT_UNKNOWN);
    ptx_json_text(json, "bound", trip->bound);
    ptx_json_why(json, ptx_why_trip(trip));
    ptx_json_reasons(json, ptx_reason_trip, trip);
    ptx_json_end(json);
}

static void put_loop(Json *json, const ptxlint_module *module, const ptxlint_loop *loop)
{
    bool has_gpu = ptxlint_module_get_info(module)->gpu_count != 0;
    ptx_json_object(json, NULL);
    ptx_json_int(json, "line", ptxlint_module_place(module, loop->header.begin).line);
    ptx_json_source(json, "source", loop->source);
    ptx_json_text(json, "label", loop->label && *loop->label ? loop->label : NULL);
    ptx_json_int(json, "depth", loop->depth);
    ptx_json_int(json, "parent", loop->parent >= 0 ? loop->parent : PTXLINT_UNKNOWN);
    ptx_json_bool(json, "irreducible", loop->is_irreducible);
    ptx_json_bool(json, "innermost", loop->is_innermost);
    ptx_json_reasons(json, ptx_reason_loop, loop);
    put_trip(json, "trip", &loop->trip);
    put_json_mix(json, "mix", &loop->mix);
    ptx_json_cycles(json, "throughput", loop->cycles && has_gpu ? &loop->cycles[0] : NULL);
    ptx_json_peak(json, "peak", loop->peaks && has_gpu ? &loop->peaks[0] : NULL);
    ptx_json_parallelism(json, "parallelism",
                         loop->parallelism && has_gpu ? &loop->parallelism[0] : NULL);
    ptx_json_loop_projections(json, "projections", module, loop);
    ptx_json_end(json);
}

static void put_body(Json *json, const char *key, uint64_t hash)
{
    char body[17];
    snprintf(body, sizeof body, "%016" PRIx64, hash);
    ptx_json_text(json, key, body);
}

static void put_kernel_head(Json *json, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    const ptxlint_projection *first = kernel->projection_count ? &kernel->projections[0] : NULL;
    ptx_json_text(json, "name", kernel->name);
    ptx_json_text(json, "name_demangled", kernel->demangled);
    ptx_json_int(json, "line", ptxlint_module_place(module, kernel->name_span.begin).line);
    ptx_json_bool(json, "recursive", kernel->is_recursive);
    ptx_json_bool(json, "syntax_error", kernel->has_syntax_error);
    put_body(json, "body", ptxlint_module_body(module, kernel));
    put_params(json, "params", kernel);
    ptx_json_launch(json, "launch", kernel);
    ptx_json_registers(json, "registers", module, kernel, first);
    put_resources(json, "resources", kernel);
    ptx_json_occupancy(json, "occupancy", kernel, first);
    ptx_json_waves(json, "waves", first);
    ptx_json_cycles(json, "throughput", first ? &first->cycles : NULL);
    ptx_json_peak(json, "peak", first ? &first->peak : NULL);
    ptx_json_estimate(json, "estimate", first);
    ptx_json_metrics(json, "metrics", kernel, first);
    ptx_json_projections(json, "projections", module, kernel);
    put_cfg(json, "cfg", kernel);
    put_json_mix(json, "mix", &kernel->mix);
}

static void put_memory_and_branches(Json *json, const ptxlint_module *module,
                                    const ptxlint_kernel *kernel)
{
    const Out *out = json->out;
    CommonParts *parts = common_parts_new();
    ptx_json_array(json, "accesses");
    for (size_t i = 0; i < kernel->access_count && out->status == PTXLINT_OK; i++)
        put_access(json, module, parts, &kernel->accesses[i]);
    ptx_json_end(json);
    ptx_json_array(json, "branches");
    for (size_t i = 0; i < kernel->branch_count && out->status == PTXLINT_OK; i++)
        put_branch(json, module, parts, kernel, &kernel->branches[i]);
    ptx_json_end(json);
    free(parts);
}

void ptx_json_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                     const ptxlint_recognition *recognition)
{
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_object(json, NULL);
    put_kernel_head(json, module, kernel);
    ptx_json_array(json, "loops");
    for (size_t i = 0; i < kernel->loop_count && out->status == PTXLINT_OK; i++)
        put_loop(json, module, &kernel->loops[i]);
    ptx_json_end(json);
    put_memory_and_branches(json, module, kernel);
    ptx_json_array(json, "hot_lines");
    for (size_t i = 0; i < kernel->hot_line_count && out->status == PTXLINT_OK; i++)
        put_hot_line(json, &kernel->hot_lines[i]);
    ptx_json_end(json);
    if (recognition) {
        ptx_json_object(json, "recognition");
        ptx_json_recognition(json, module, recognition);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}
