/* Documents for programs, with jansson. Only one diagnostic, kernel head, access or loop is held as jansson values at a
 * time: a module may have 300,000 accesses, and each would take two kilobytes. */
#include "report/value.h"

#include <inttypes.h>
#include <string.h>

enum { LINK_BYTES = 160 };      /* of an instruction's text in a chain */

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

/* Lines and columns count from 1: a place of zeros, which is none, has null for all four. */
static void set_span(Json *json, ptxlint_place begin, ptxlint_place end)
{
    ptx_json_set(json, "line", ptx_value_given(begin.line));
    ptx_json_set(json, "column", ptx_value_given(begin.column));
    ptx_json_set(json, "end_line", ptx_value_given(end.line));
    ptx_json_set(json, "end_column", ptx_value_given(end.column));
}

static json_t *related_value(const ptxlint_module *module, const ptxlint_diagnostic *diagnostic)
{
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; i < diagnostic->related_count; i++) {
        Json one = ptx_json_make(json_object());
        ptxlint_span span = diagnostic->related[i].span;
        ptxlint_place begin = { 0 }, end = { 0 };
        if (span.end) {
            begin = ptxlint_module_place(module, span.begin);
            end = ptxlint_module_place(module, span.end);
        }
        ptx_json_set(&one, "message", ptx_value_text(diagnostic->related[i].message));
        set_span(&one, begin, end);
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

static json_t *fix_value(const ptxlint_module *module, const ptxlint_fix *fix)
{
    if (!fix)
        return json_null();
    Json json = ptx_json_make(json_object());
    set_span(&json, ptxlint_module_place(module, fix->span.begin), ptxlint_module_place(module, fix->span.end));
    ptx_json_set(&json, "replacement", ptx_value_text(fix->replacement));
    ptx_json_set(&json, "certain", ptx_value_bool(fix->is_certain));
    return ptx_json_finish(&json);
}

static json_t *repair_value(const ptxlint_diagnostic *diagnostic)
{
    if (!diagnostic->repair_count)
        return json_null();
    Json repair = ptx_json_make(json_object()), all = ptx_json_make(json_array());
    for (size_t i = 0; i < diagnostic->repair_count; i++) {
        Json insertion = ptx_json_make(json_object());
        ptx_json_set(&insertion, "line", json_integer(diagnostic->repair[i].line));
        ptx_json_set(&insertion, "text", ptx_value_text(diagnostic->repair[i].text));
        ptx_json_append(&all, ptx_json_finish(&insertion));
    }
    ptx_json_set(&repair, "tried", json_true());
    ptx_json_set(&repair, "insert", ptx_json_finish(&all));
    return ptx_json_finish(&repair);
}

static json_t *source_value(ptxlint_source_place place)
{
    if (!place.path)
        return json_null();
    Json source = ptx_json_make(json_object());
    ptx_json_set(&source, "path", ptx_value_text(place.path));
    ptx_json_set(&source, "line", ptx_value_given(place.line));
    ptx_json_set(&source, "column", ptx_value_given(place.column));
    return ptx_json_finish(&source);
}

/* From the line of the instruction outwards. */
static json_t *inlined_value(const ptxlint_diagnostic *diagnostic)
{
    Json all = ptx_json_make(json_array());
    if (diagnostic->inlined_count)
        ptx_json_append(&all, source_value((ptxlint_source_place){ diagnostic->source_path, diagnostic->source_line, diagnostic->source_column }));
    for (size_t i = 0; i < diagnostic->inlined_count; i++)
        ptx_json_append(&all, source_value(diagnostic->inlined_into[i]));
    return ptx_json_finish(&all);
}

static json_t *suppression_value(const ptxlint_diagnostic *diagnostic)
{
    const char *kind = ptx_report_suppression(diagnostic->suppression);
    if (!kind)
        return json_null();
    Json suppression = ptx_json_make(json_object());
    ptx_json_set(&suppression, "kind", json_string(kind));
    ptx_json_set(&suppression, "reason", ptx_value_text(diagnostic->suppression_reason));
    return ptx_json_finish(&suppression);
}

static json_t *statement_value(const ptxlint_module *module, const ptxlint_diagnostic *diagnostic)
{
    char statement[STATEMENT_BYTES];
    ptxlint_module_statement(module, diagnostic->span.begin, statement, sizeof statement);
    return ptx_value_text(statement);
}

void ptx_json_diagnostic(Out *out, const Finding *finding)
{
    const ptxlint_module *module = finding->module;
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "rule", ptx_value_text(diagnostic->rule));
    ptx_json_set(&json, "name", ptx_value_text(diagnostic->name));
    ptx_json_set(&json, "group", ptx_value_text(diagnostic->group));
    ptx_json_set(&json, "severity", json_string(ptx_report_severity(diagnostic->severity)));
    ptx_json_set(&json, "message", ptx_value_text(diagnostic->message));
    ptx_json_set(&json, "path", ptx_value_text(ptxlint_module_get_info(module)->path));
    set_span(&json, ptxlint_module_place(module, diagnostic->span.begin), ptxlint_module_place(module, diagnostic->span.end));
    ptx_json_set(&json, "kernel", ptx_value_text(diagnostic->kernel));
    ptx_json_set(&json, "statement", statement_value(module, diagnostic));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(diagnostic->certainty)));
    ptx_json_set(&json, "label", ptx_value_text(diagnostic->label));
    ptx_json_set(&json, "help", ptx_value_text(diagnostic->help));
    ptx_json_set(&json, "fix", fix_value(module, diagnostic->fix));
    ptx_json_set(&json, "repair", repair_value(diagnostic));
    ptx_json_set(&json, "related", related_value(module, diagnostic));
    ptx_json_set(&json, "source", source_value(finding->source.named));
    ptx_json_set(&json, "inlined", inlined_value(diagnostic));
    ptx_json_set(&json, "primary", json_string(finding->is_source ? "source" : "ptx"));
    ptx_json_set(&json, "repeats", json_integer(diagnostic->repeat_count));
    ptx_json_set(&json, "gain_percent", ptx_value_real(diagnostic->gain_percent));
    ptx_json_set(&json, "gain_of", ptx_value_text(diagnostic->gain_of));
    ptx_json_set(&json, "suppression", suppression_value(diagnostic));
    ptx_json_dump(out, &json, 0);
}

/* ---- head and file ----------------------------------------------------------------------------------------------- */

void ptx_json_head(Out *out, const char *schema)
{
    Json json = ptx_json_make(json_object()), tool = ptx_json_make(json_object());
    ptx_json_set(&tool, "name", json_string("ptxlint"));
    ptx_json_set(&tool, "version", ptx_value_text(ptxlint_version()));
    ptx_json_set(&json, "schema", json_string(schema));
    ptx_json_set(&json, "tool", ptx_json_finish(&tool));
    ptx_json_dump(out, &json, JSON_EMBED);
    ptx_out_text(out, ",");
}

/* NULL: no GPU, or not the same for all files; all four are null then. */
static json_t *gpu_value(const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = gpu ? ptxlint_gpu_get_info(gpu) : NULL;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "name", ptx_value_name(info ? info->name : NULL));
    ptx_json_set(&json, "sm", ptx_value_name(info ? info->sm : NULL));
    ptx_json_set(&json, "product", ptx_value_name(info ? info->product : NULL));
    ptx_json_set(&json, "architecture", ptx_value_name(info ? info->architecture : NULL));
    ptx_json_reasons(&json, ptx_reason_gpu, info);
    return ptx_json_finish(&json);
}

static void set_gpus(Json *json, const ptxlint_gpu *const *gpus, size_t count)
{
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; i < count; i++)
        ptx_json_append(&all, gpu_value(gpus[i]));
    ptx_json_set(json, "gpu", gpu_value(count ? gpus[0] : NULL));
    ptx_json_set(json, "gpus", ptx_json_finish(&all));
}

void ptx_json_gpus(Out *out, const ptxlint_gpu *const *gpus, size_t count)
{
    Json json = ptx_json_make(json_object());
    set_gpus(&json, gpus, count);
    ptx_json_dump(out, &json, JSON_EMBED);
}

static json_t *version_value(const ptxlint_module_info *info)
{
    return info->version_major ? json_sprintf("%d.%d", info->version_major, info->version_minor) : json_null();
}

void ptx_json_file(Out *out, const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "path", ptx_value_text(info->path));
    ptx_json_set(&json, "ptx_version", version_value(info));
    ptx_json_set(&json, "target", ptx_value_name(info->target));
    ptx_json_set(&json, "address_size", json_integer(info->address_size));
    ptx_json_reasons(&json, ptx_reason_file, NULL);
    set_gpus(&json, info->gpus, info->gpu_count);
    ptx_json_dump(out, &json, JSON_EMBED);
    ptx_out_text(out, ",");
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static json_t *dims_value(const int64_t dims[3])
{
    Json json = ptx_json_make(json_array());
    for (int i = 0; i < 3; i++)
        ptx_json_append(&json, ptx_value_int(dims[i]));
    return ptx_json_finish(&json);
}

/* .maxntid and .reqntid: a dimension that is left out is 1. */
static json_t *ntid_value(const uint32_t dims[3])
{
    if (!dims[0])
        return json_null();
    return dims_value((const int64_t[3]){ dims[0], dims[1] ? dims[1] : 1, dims[2] ? dims[2] : 1 });
}

static json_t *assumed_value(const ptxlint_launch *launch)
{
    Json json = ptx_json_make(json_array());
    for (size_t i = 0; i < launch->assumed_count; i++)
        ptx_json_append(&json, json_string(launch->assumed[i]));
    return ptx_json_finish(&json);
}

static json_t *launch_value(const ptxlint_kernel *kernel)
{
    const ptxlint_launch *launch = &kernel->launch;
    const char *source = launch->source == PTXLINT_LAUNCH_FILE ? "file"
                       : launch->source == PTXLINT_LAUNCH_DIRECTIVE ? "directive" : "assumed";
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "grid", dims_value(launch->grid));
    ptx_json_set(&json, "block", dims_value(launch->block));
    ptx_json_set(&json, "cluster", dims_value(launch->cluster));
    ptx_json_set(&json, "dynamic_shared", ptx_value_int(launch->dynamic_shared_bytes));
    ptx_json_set(&json, "source", json_string(source));
    ptx_json_set(&json, "block_assumed", ptx_value_bool(launch->block_is_assumed));
    ptx_json_set(&json, "assumed", assumed_value(launch));
    ptx_json_set(&json, "error", ptx_value_text(launch->error));
    ptx_json_set(&json, "blocks", ptx_value_int(launch->blocks));
    ptx_json_set(&json, "threads_per_block", ptx_value_int(launch->threads_per_block));
    ptx_json_set(&json, "warps_per_block", ptx_value_int(launch->warps_per_block));
    ptx_json_set(&json, "warps", ptx_value_int(launch->warps));
    ptx_json_set(&json, "idle_lanes", ptx_value_int(launch->idle_lanes));
    ptx_json_reasons(&json, ptx_reason_launch, kernel);
    return ptx_json_finish(&json);
}

static json_t *classes_value(const ptxlint_mix *mix)
{
    Json all = ptx_json_make(json_object());
    for (size_t i = 0; i < mix->class_count; i++) {
        Json one = ptx_json_make(json_object());
        ptx_json_set(&one, "static", ptx_value_count(mix->classes[i].static_count));
        ptx_json_set(&one, "weighted", ptx_value_real(mix->classes[i].weighted_count));
        ptx_json_set(&all, mix->classes[i].name, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

static json_t *mix_value(const ptxlint_mix *mix)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "instructions", ptx_value_count(mix->instruction_count));
    ptx_json_set(&json, "fused", ptx_value_count(mix->fused_count));
    ptx_json_set(&json, "fusable", ptx_value_count(mix->fusable_count));
    ptx_json_set(&json, "fma_fraction", ptx_value_real(mix->fma_fraction));
    ptx_json_set(&json, "weighted_fma_fraction", ptx_value_real(mix->weighted_fma_fraction));
    ptx_json_set(&json, "weighted_instructions", ptx_value_real(mix->weighted_instruction_count));
    ptx_json_set(&json, "flops_fp32", ptx_value_real(mix->flops_fp32));
    ptx_json_set(&json, "flops_fp64", ptx_value_real(mix->flops_fp64));
    ptx_json_set(&json, "flops_fp16", ptx_value_real(mix->flops_fp16));
    ptx_json_set(&json, "flops_tensor", ptx_value_real(mix->flops_tensor));
    ptx_json_set(&json, "global_bytes", ptx_value_real(mix->global_bytes));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_mix(mix)));
    ptx_json_set(&json, "trips_assumed", ptx_value_bool(mix->has_assumed_trips));
    ptx_json_set(&json, "classes", classes_value(mix));
    return ptx_json_finish(&json);
}

static json_t *cfg_value(const ptxlint_kernel *kernel)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "blocks", ptx_value_count(kernel->block_count));
    ptx_json_set(&json, "edges", ptx_value_count(kernel->edge_count));
    ptx_json_set(&json, "unreachable", ptx_value_count(kernel->unreachable_block_count));
    return ptx_json_finish(&json);
}

/* As the driver lays them out. */
static json_t *params_value(const ptxlint_kernel *kernel)
{
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; i < kernel->param_count; i++) {
        const ptxlint_param *param = &kernel->params[i];
        Json one = ptx_json_make(json_object());
        ptx_json_set(&one, "name", ptx_value_text(param->name));
        ptx_json_set(&one, "type", ptx_value_text(param->type));
        ptx_json_set(&one, "size", ptx_value_int(param->bytes));
        ptx_json_set(&one, "offset", ptx_value_int(param->offset));
        ptx_json_set(&one, "align", json_integer(param->align));
        bool is_placed = param->bytes != PTXLINT_UNKNOWN && param->offset != PTXLINT_UNKNOWN;
        ptx_json_set(&one, "why", ptx_value_text(is_placed ? NULL : "the parameters are larger than 2^62 bytes"));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

static json_t *resources_value(const ptxlint_kernel *kernel)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "static_shared_bytes", ptx_value_int(kernel->static_shared_bytes));
    ptx_json_set(&json, "local_bytes", ptx_value_int(kernel->local_bytes));
    ptx_json_set(&json, "param_bytes", ptx_value_int(kernel->param_bytes));
    ptx_json_set(&json, "barriers", ptx_value_int(kernel->barriers));
    ptx_json_set(&json, "maxntid", ntid_value(kernel->maxntid));
    ptx_json_set(&json, "reqntid", ntid_value(kernel->reqntid));
    ptx_json_set(&json, "minnctapersm", ptx_value_given(kernel->minnctapersm));
    ptx_json_set(&json, "maxnreg", ptx_value_given(kernel->maxnreg));
    ptx_json_reasons(&json, ptx_reason_resources, &(ReasonContext){ kernel, NULL });
    return ptx_json_finish(&json);
}

/* What made an address or a condition: where, in which words, and what that does to lanes. */
static json_t *chain_value(const ptxlint_module *module, const ptxlint_related *chain, size_t count)
{
    const char *text = ptxlint_module_get_info(module)->text;
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; i < count; i++) {
        Json one = ptx_json_make(json_object());
        ptxlint_span span = chain[i].span;
        ptxlint_place place = ptxlint_module_place(module, span.begin);
        uint32_t length = span.end - span.begin;
        char shown[LINK_BYTES + 1];
        length = length < LINK_BYTES ? length : LINK_BYTES;
        memcpy(shown, text + span.begin, length);
        shown[length] = 0;
        ptx_json_set(&one, "line", json_integer(place.line));
        ptx_json_set(&one, "column", json_integer(place.column));
        ptx_json_set(&one, "text", ptx_value_text(shown));
        ptx_json_set(&one, "what", ptx_value_text(chain[i].message));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

static void dump_branch(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel, const ptxlint_branch *branch)
{
    ptxlint_place place = ptxlint_module_place(module, branch->span.begin);
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "line", json_integer(place.line));
    ptx_json_set(&json, "column", json_integer(place.column));
    ptx_json_set(&json, "condition", json_string(ptxlint_uniformity_text(branch->condition)));
    ptx_json_set(&json, "splits", json_string(ptx_report_split(branch->splits)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(branch->certainty)));
    ptx_json_set(&json, "parted_percent", ptx_value_real(branch->parted_percent));
    ptx_json_set(&json, "wasted_slots", ptx_value_real(branch->wasted_slots));
    ptx_json_set(&json, "wasted_percent", ptx_value_real(branch->wasted_percent));
    ptx_json_set(&json, "meets_line", branch->meeting.end ? json_integer(ptxlint_module_place(module, branch->meeting.begin).line) : json_null());
    ptx_json_set(&json, "chain", chain_value(module, branch->chain, branch->chain_count));
    ptx_json_reasons(&json, ptx_reason_branch, &(ReasonContext){ kernel, NULL });
    ptx_json_dump(out, &json, 0);
}

static json_t *shapes_value(const ptxlint_access *access)
{
    Json all = ptx_json_make(json_array());
    for (size_t i = 0; i < access->shape_count; i++) {
        const ptxlint_shaped *shape = &access->shapes[i];
        Json one = ptx_json_make(json_object());
        Json block = ptx_json_make(json_array());
        for (unsigned d = 0; d < 3; d++)
            ptx_json_append(&block, json_integer(shape->block[d]));
        ptx_json_set(&one, "block", ptx_json_finish(&block));
        ptx_json_set(&one, "active_threads", ptx_value_real(shape->active_threads));
        ptx_json_set(&one, "sectors_per_request", ptx_value_real(shape->sectors_per_request));
        ptx_json_set(&one, "wavefronts_per_request", ptx_value_real(shape->wavefronts_per_request));
        ptx_json_set(&one, "addresses_per_request", ptx_value_real(shape->addresses_per_request));
        ptx_json_set(&one, "efficiency", ptx_value_real(shape->efficiency));
        ptx_json_set(&one, "pattern", ptx_value_text(shape->pattern));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

static void dump_access(Out *out, const ptxlint_module *module, const ptxlint_access *access)
{
    ptxlint_place place = ptxlint_module_place(module, access->span.begin);
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "line", json_integer(place.line));
    ptx_json_set(&json, "column", json_integer(place.column));
    ptx_json_set(&json, "function", ptx_value_text(access->function));
    ptx_json_set(&json, "space", ptx_value_text(access->space));
    ptx_json_set(&json, "op", ptx_value_text(access->op));
    ptx_json_set(&json, "bytes", ptx_value_int(access->bytes));
    ptx_json_set(&json, "active_threads", ptx_value_real(access->active_threads));
    ptx_json_set(&json, "sectors_per_request", ptx_value_real(access->sectors_per_request));
    ptx_json_set(&json, "ideal_sectors_per_request", ptx_value_real(access->ideal_sectors_per_request));
    ptx_json_set(&json, "wavefronts_per_request", ptx_value_real(access->wavefronts_per_request));
    ptx_json_set(&json, "ideal_wavefronts_per_request", ptx_value_real(access->ideal_wavefronts_per_request));
    ptx_json_set(&json, "addresses_per_request", ptx_value_real(access->addresses_per_request));
    ptx_json_set(&json, "used_bytes_per_request", ptx_value_real(access->used_bytes_per_request));
    ptx_json_set(&json, "moved_bytes_per_request", ptx_value_real(access->moved_bytes_per_request));
    ptx_json_set(&json, "efficiency", ptx_value_real(access->efficiency));
    ptx_json_set(&json, "pattern", ptx_value_text(access->pattern));
    ptx_json_set(&json, "stride_bytes", ptx_value_int(access->stride_bytes));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(access->certainty)));
    ptx_json_set(&json, "why", ptx_value_text(access->why));
    ptx_json_set(&json, "chain", chain_value(module, access->chain, access->chain_count));
    ptx_json_set(&json, "shapes", shapes_value(access));
    ptx_json_reasons(&json, ptx_reason_access, access);
    ptx_json_dump(out, &json, 0);
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

static json_t *trip_value(const ptxlint_trip *trip)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "source", json_string(trip_source(trip->source)));
    ptx_json_set(&json, "count", ptx_value_real(trip->count));
    ptx_json_set(&json, "min", ptx_value_real(trip->count_min));
    ptx_json_set(&json, "max", ptx_value_real(trip->count_max));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(trip->certainty)));
    ptx_json_set(&json, "expression", ptx_value_text(trip->expression));
    ptx_json_set(&json, "induction", ptx_value_text(trip->induction));
    ptx_json_set(&json, "start", ptx_value_text(trip->start));
    ptx_json_set(&json, "step", trip->step ? ptx_value_int(trip->step) : json_null());   /* 0: it is not a constant */
    ptx_json_set(&json, "bound", ptx_value_text(trip->bound));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_trip(trip)));
    ptx_json_reasons(&json, ptx_reason_trip, trip);
    return ptx_json_finish(&json);
}

static void dump_loop(Out *out, const ptxlint_module *module, const ptxlint_loop *loop)
{
    bool has_gpu = ptxlint_module_get_info(module)->gpu_count != 0;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "line", json_integer(ptxlint_module_place(module, loop->header.begin).line));
    ptx_json_set(&json, "label", ptx_value_text(loop->label && *loop->label ? loop->label : NULL));
    ptx_json_set(&json, "depth", json_integer(loop->depth));
    ptx_json_set(&json, "parent", loop->parent >= 0 ? json_integer(loop->parent) : json_null());
    ptx_json_set(&json, "irreducible", ptx_value_bool(loop->is_irreducible));
    ptx_json_set(&json, "innermost", ptx_value_bool(loop->is_innermost));
    ptx_json_reasons(&json, ptx_reason_loop, loop);
    ptx_json_set(&json, "trip", trip_value(&loop->trip));
    ptx_json_set(&json, "mix", mix_value(&loop->mix));
    ptx_json_set(&json, "throughput", ptx_value_cycles(loop->cycles && has_gpu ? &loop->cycles[0] : NULL));
    ptx_json_set(&json, "peak", ptx_value_peak(loop->peaks && has_gpu ? &loop->peaks[0] : NULL));
    ptx_json_set(&json, "parallelism", ptx_value_parallelism(loop->parallelism && has_gpu ? &loop->parallelism[0] : NULL));
    ptx_json_set(&json, "projections", ptx_value_loop_projections(module, loop));
    ptx_json_dump(out, &json, 0);
}

static void dump_kernel_head(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    const ptxlint_projection *first = kernel->projection_count ? &kernel->projections[0] : NULL;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "name", ptx_value_text(kernel->name));
    ptx_json_set(&json, "line", json_integer(ptxlint_module_place(module, kernel->name_span.begin).line));
    ptx_json_set(&json, "recursive", ptx_value_bool(kernel->is_recursive));
    ptx_json_set(&json, "syntax_error", ptx_value_bool(kernel->has_syntax_error));
    ptx_json_set(&json, "body", json_sprintf("%016" PRIx64, ptxlint_module_body(module, kernel)));
    ptx_json_set(&json, "params", params_value(kernel));
    ptx_json_set(&json, "launch", launch_value(kernel));
    ptx_json_set(&json, "registers", ptx_value_registers(module, kernel, first));
    ptx_json_set(&json, "resources", resources_value(kernel));
    ptx_json_set(&json, "occupancy", ptx_value_occupancy(kernel, first));
    ptx_json_set(&json, "waves", ptx_value_waves(first));
    ptx_json_set(&json, "throughput", ptx_value_cycles(first ? &first->cycles : NULL));
    ptx_json_set(&json, "peak", ptx_value_peak(first ? &first->peak : NULL));
    ptx_json_set(&json, "estimate", ptx_value_estimate(first));
    ptx_json_set(&json, "metrics", ptx_value_metrics(kernel, first));
    ptx_json_set(&json, "projections", ptx_value_projections(module, kernel));
    ptx_json_set(&json, "cfg", cfg_value(kernel));
    ptx_json_set(&json, "mix", mix_value(&kernel->mix));
    ptx_json_dump(out, &json, JSON_EMBED);
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
    ptx_out_text(out, "],\"branches\":[");
    for (size_t i = 0; i < kernel->branch_count && out->status == PTXLINT_OK; i++) {
        if (i)
            ptx_out_text(out, ",");
        dump_branch(out, module, kernel, &kernel->branches[i]);
    }
    ptx_out_text(out, "]}");
}
