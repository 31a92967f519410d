/* For spreadsheets: a row for each kernel and GPU of a report, or for each finding. */
#include "report/csv.h"
#include "report/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_comma(Csv *csv)
{
    if (csv->has_cell)
        ptx_out_text(csv->out, ",");
    csv->has_cell = true;
}

void ptx_csv_reason(Csv *csv, const char *what, const char *why)
{
    csv->what = what;
    csv->why = why;
}

/* Cells of one kind have one note. */
static void note_empty(Csv *csv)
{
    size_t room = sizeof csv->notes - csv->noted;
    if (!csv->what)
        return;
    int length = snprintf(csv->notes + csv->noted, room, "%s%s: %s",
                          ptx_text_if(csv->noted, "; "), csv->what,
                          ptx_text_or(csv->why, "not known"));
    csv->noted += length > 0 && (size_t)length < room ? (size_t)length : 0;
    csv->what = NULL;
}

void ptx_csv_notes(Csv *csv)
{
    csv->what = NULL;
    csv->notes[csv->noted] = 0;
    ptx_csv_text(csv, csv->notes);
}

/* Text inside quotes, or without any special byte. */
static void put_escaped(Out *out, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        utf8proc_int32_t codepoint;
        utf8proc_ssize_t bytes = utf8proc_iterate(
            (const utf8proc_uint8_t *)text, left < 4 ? (utf8proc_ssize_t)left : 4, &codepoint);
        size_t step = bytes > 0 ? (size_t)bytes : 1;
        if (*text == '"')
            ptx_out_text(out, "\"");
        if (bytes > 0)
            ptx_out_bytes(out, text, step);
        else
            ptx_out_text(out, "\xef\xbf\xbd");
        text += step;
        left -= step;
    }
}

void ptx_csv_text(Csv *csv, const char *text)
{
    put_comma(csv);
    if (!text || !*text) {
        note_empty(csv);
        return;
    }
    bool is_formula = strchr("=+-@\t\r\n", *text) != NULL;
    bool is_quoted = is_formula || strpbrk(text, ",\"\r\n") != NULL;
    ptx_out_text(csv->out, ptx_text_if(is_quoted, "\""));
    ptx_out_text(csv->out, ptx_text_if(is_formula, "'"));
    put_escaped(csv->out, text);
    ptx_out_text(csv->out, is_quoted ? "\"" : "");
}

void ptx_csv_int(Csv *csv, int64_t number)
{
    put_comma(csv);
    if (number != PTXLINT_UNKNOWN)
        ptx_out_format(csv->out, "%" PRId64, number);
    else
        note_empty(csv);
}

void ptx_csv_real(Csv *csv, double number)
{
    put_comma(csv);
    if (isfinite(number))
        ptx_out_text(csv->out, ptx_figure_number(number).text);
    else
        note_empty(csv);
}

void ptx_csv_end(Csv *csv)
{
    ptx_out_text(csv->out, "\r\n");
    csv->has_cell = false;
    csv->noted = 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Every pipeline that ptxlint knows, whether the GPU has it or not: all rows have the same
 * columns. */
static const char *pipe_key(size_t index)
{
    const ptxlint_gpu *any = ptxlint_gpu_at(0);
    ptxlint_pipe pipe;
    return any && ptxlint_gpu_pipe(any, index, &pipe) ? pipe.key : NULL;
}

static void put_pipe_names(Csv *csv)
{
    static const char *const paths[] = { "shortest", "longest", "total" };
    const char *key;
    for (size_t i = 0; (key = pipe_key(i)); i++)
        for (size_t p = 0; p < sizeof paths / sizeof *paths; p++)
            ptx_out_format(csv->out, ",%s_%s", key, paths[p]);
}

static void put_csv_names(Csv *csv, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ptx_csv_text(csv, names[i]);
}

/* columns before those of the pipelines, and after them */
static const char *const before_pipes[] = {
    "file",
    "kernel",
    "line",
    "gpu",
    "sm",
    "registers",
    "register_source",
    "max_live",
    "static_shared",
    "dynamic_shared",
    "local",
    "block_x",
    "block_y",
    "block_z",
    "grid_x",
    "grid_y",
    "grid_z",
    "blocks_per_sm",
    "warps_per_sm",
    "occupancy_percent",
    "limiter",
    "waves",
    "instructions",
    "fma_fraction",
    "weighted_fma_fraction",
    "flops_fp32",
    "global_bytes",
    "flops_per_byte",
    "accesses",
    "costly_accesses",
    "branches",
    "parting_branches",
};
static const char *const after_pipes[] = {
    "bound_shortest",
    "potential_gflops",
    "attainable_gflops",
    "ceiling",
    "demand_gb_per_s",
    "bound_time_us",
    "dram_bytes",
    "predicted_time_us",
    "predicted_low_us",
    "predicted_high_us",
    "time_limiter",
    "time_bound_by",
    "relieved_time_us",
    "next_limiter",
    "compute_busy_percent",
    "memory_busy_percent",
    "issue_busy_percent",
    "wave_us",
    "tail_us",
    "launch_flops",
    "launch_flops_per_byte",
    "predicted_gflops",
    "bytes_in_flight",
    "launch_number",
    "launch_count",
    "why",
};

void ptx_csv_head(Out *out)
{
    Csv csv = { .out = out };
    put_csv_names(&csv, before_pipes, sizeof before_pipes / sizeof *before_pipes);
    put_pipe_names(&csv);
    put_csv_names(&csv, after_pipes, sizeof after_pipes / sizeof *after_pipes);
    ptx_csv_end(&csv);
}

/* ---- findings -------------------------------------------------------------------------------- */

void ptx_csv_findings_head(Out *out)
{
    static const char *const names[] = {
        "file",       "line",         "column",      "end_line",      "end_column", "severity",
        "rule",       "name",         "group",       "certainty",     "message",    "kernel",
        "help",       "gain_percent", "gain_of",     "repeats",       "ptx_file",   "ptx_line",
        "ptx_column", "source_file",  "source_line", "source_column",
        "kernel_demangled", "gpu",
    };
    Csv csv = { .out = out };
    put_csv_names(&csv, names, sizeof names / sizeof *names);
    ptx_csv_end(&csv);
}

static void put_csv_place(Csv *csv, const char *path, uint32_t line, uint32_t column)
{
    ptx_csv_text(csv, path);
    ptx_csv_int(csv, line ? (int64_t)line : PTXLINT_UNKNOWN);
    ptx_csv_int(csv, column ? (int64_t)column : PTXLINT_UNKNOWN);
}

void ptx_csv_finding(Out *out, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    const char *ptx_path = ptxlint_module_get_info(finding->module)->path;
    Csv csv = { .out = out };
    put_csv_place(&csv, finding->is_source ? finding->source.named.path : ptx_path,
                  finding->bytes.line, finding->bytes.column);
    ptx_csv_int(&csv, finding->bytes.end_line);
    ptx_csv_int(&csv, finding->bytes.end_column);
    ptx_csv_text(&csv, ptx_report_severity(diagnostic->severity));
    ptx_csv_text(&csv, diagnostic->rule);
    ptx_csv_text(&csv, diagnostic->name);
    ptx_csv_text(&csv, diagnostic->group);
    ptx_csv_text(&csv, ptx_report_certainty(diagnostic->certainty));
    ptx_csv_text(&csv, diagnostic->message);
    ptx_csv_text(&csv, diagnostic->kernel);
    ptx_csv_text(&csv, diagnostic->help);
    ptx_csv_real(&csv, diagnostic->gain_percent);
    ptx_csv_text(&csv, diagnostic->gain_of);
    ptx_csv_int(&csv, diagnostic->repeat_count);
    put_csv_place(&csv, ptx_path, finding->ptx_bytes.line, finding->ptx_bytes.column);
    put_csv_place(&csv, finding->source.named.path, finding->source.named.line,
                  finding->source.named.column);
    ptx_csv_text(&csv, diagnostic->kernel_demangled);
    ptx_csv_text(&csv, diagnostic->gpu);
    ptx_csv_end(&csv);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_csv_kernel(Csv *csv, const ptxlint_module *module, const ptxlint_kernel *kernel,
                           const ptxlint_projection *projection)
{
    const ptxlint_gpu_info *info = projection && projection->gpu
                                       ? ptxlint_gpu_get_info(projection->gpu)
                                       : NULL;
    bool has_registers = projection && projection->register_source != PTXLINT_REGISTERS_UNKNOWN;
    ptx_csv_text(csv, ptxlint_module_get_info(module)->path);
    ptx_csv_text(csv, kernel->name);
    ptx_csv_int(csv, ptxlint_module_place(module, kernel->name_span.begin).line);
    ptx_csv_reason(csv, "gpu", ptx_why_no_gpu());
    ptx_csv_text(csv, info ? info->name : NULL);
    ptx_csv_text(csv, info ? info->sm : NULL);
    ptx_csv_reason(csv, "registers", ptx_metric_why(kernel, projection, METRIC_REGISTERS));
    ptx_csv_int(csv, projection ? projection->registers : PTXLINT_UNKNOWN);
    ptx_csv_text(csv, has_registers ? ptx_report_registers(projection) : NULL);
    ptx_csv_reason(csv, "max_live", ptx_metric_why(kernel, projection, METRIC_MAX_LIVE));
    ptx_csv_int(csv, kernel->pressure.max_live);
    ptx_csv_reason(csv, "static_shared", ptx_reason_resources("static_shared_bytes", NULL));
    ptx_csv_int(csv, kernel->static_shared_bytes);
    ptx_csv_reason(csv, "dynamic_shared", ptx_reason_launch("dynamic_shared", kernel));
    ptx_csv_int(csv, kernel->launch.dynamic_shared_bytes);
    ptx_csv_reason(csv, "local", ptx_reason_resources("local_bytes", NULL));
    ptx_csv_int(csv, kernel->local_bytes);
    ptx_csv_reason(csv, "block", ptx_reason_launch("block", kernel));
    for (int i = 0; i < 3; i++)
        ptx_csv_int(csv, kernel->launch.block[i]);
    ptx_csv_reason(csv, "grid", ptx_reason_launch("grid", kernel));
    for (int i = 0; i < 3; i++)
        ptx_csv_int(csv, kernel->launch.grid[i]);
}

static void put_occupancy(Csv *csv, const ptxlint_projection *projection)
{
    const ptxlint_occupancy *o = projection ? &projection->occupancy : NULL;
    ptx_csv_reason(csv, "occupancy", ptx_why_occupancy(projection));
    ptx_csv_int(csv, o ? o->blocks_per_sm : PTXLINT_UNKNOWN);
    ptx_csv_int(csv, o ? o->warps_per_sm : PTXLINT_UNKNOWN);
    ptx_csv_real(csv, o ? o->percent : (double)NAN);
    ptx_csv_text(csv, o && o->limiter && strcmp(o->limiter, "unknown") ? o->limiter : NULL);
    ptx_csv_reason(csv, "waves", ptx_why_waves(projection));
    ptx_csv_real(csv, projection ? projection->waves : (double)NAN);
}

static void put_mix(Csv *csv, const ptxlint_mix *mix, const ptxlint_projection *projection)
{
    ptx_csv_reason(csv, "mix", ptx_why_mix(mix));
    ptx_csv_int(csv, (int64_t)mix->instruction_count);
    ptx_csv_real(csv, mix->fma_fraction);
    ptx_csv_real(csv, mix->weighted_fma_fraction);
    ptx_csv_real(csv, mix->flops_fp32);
    ptx_csv_real(csv, mix->global_bytes);
    ptx_csv_reason(csv, "flops_per_byte",
                   projection ? "no bytes of global memory are counted" : ptx_why_no_gpu());
    ptx_csv_real(csv, projection ? projection->peak.flops_per_byte : (double)NAN);
}

static void put_csv_facts(Csv *csv, const ptxlint_kernel *kernel)
{
    int64_t costly = 0, parting = 0;
    for (size_t i = 0; i < kernel->access_count; i++)
        costly += ptx_access_excess(&kernel->accesses[i]) > 1;
    for (size_t i = 0; i < kernel->branch_count; i++)
        parting += kernel->branches[i].splits != PTXLINT_SPLIT_NEVER;
    ptx_csv_int(csv, (int64_t)kernel->access_count);
    ptx_csv_int(csv, costly);
    ptx_csv_int(csv, (int64_t)kernel->branch_count);
    ptx_csv_int(csv, parting);
}

static const ptxlint_pipe_cycles *find_pipe(const ptxlint_projection *projection, const char *key)
{
    for (size_t i = 0; projection && i < projection->cycles.pipe_count; i++)
        if (!strcmp(projection->cycles.pipes[i].pipe, key))
            return &projection->cycles.pipes[i];
    return NULL;
}

static void put_cycles(Csv *csv, const ptxlint_projection *projection)
{
    const char *key;
    for (size_t i = 0; (key = pipe_key(i)); i++) {
        const ptxlint_pipe_cycles *pipe = find_pipe(projection, key);
        if (pipe || !projection)
            ptx_csv_reason(csv, "pipelines",
                           ptx_why_cycles(projection ? &projection->cycles : NULL));
        else
            ptx_csv_reason(csv, key,
                           "the GPU has no such pipeline, or its rates are not published");
        ptx_csv_real(csv, pipe ? pipe->shortest : (double)NAN);
        ptx_csv_real(csv, pipe ? pipe->longest : (double)NAN);
        ptx_csv_real(csv, pipe ? pipe->total : (double)NAN);
    }
}

static void put_peak(Csv *csv, const ptxlint_projection *projection)
{
    const ptxlint_peak *peak = projection ? &projection->peak : NULL;
    ptx_csv_reason(csv, "bound_shortest",
                   ptx_reason_bound("shortest", projection ? &projection->cycles : NULL));
    ptx_csv_text(csv, projection ? projection->cycles.bound_shortest : NULL);
    ptx_csv_reason(csv, "peaks", ptx_why_peak(peak));
    ptx_csv_real(csv, peak ? peak->potential_gflops : (double)NAN);
    ptx_csv_real(csv, peak ? peak->attainable_gflops : (double)NAN);
    ptx_csv_text(csv, peak ? peak->ceiling : NULL);
    ptx_csv_real(csv, peak ? peak->demand_gb_per_s : (double)NAN);
}

static const char *either(const char *a, const char *b)
{
    return a ? a : b;
}

static void put_time(Csv *csv, const ptxlint_projection *projection)
{
    const ptxlint_time *time = projection ? &projection->time : NULL;
    const char *why = ptx_why_estimate(projection),
               *no_bound = either(why, ptx_reason_estimate("bound_time_us", projection));
    ptx_csv_reason(csv, "bound_time_us", no_bound);
    ptx_csv_real(csv, time ? time->bound_us : (double)NAN);
    ptx_csv_reason(csv, "time", why);
    ptx_csv_real(csv, time ? time->dram_bytes : (double)NAN);
    ptx_csv_real(csv, time ? time->predicted_us : (double)NAN);
    ptx_csv_real(csv, time ? time->low_us : (double)NAN);
    ptx_csv_real(csv, time ? time->high_us : (double)NAN);
    ptx_csv_text(csv, time ? time->limiter : NULL);
    ptx_csv_reason(csv, "time_bound_by", no_bound);
    ptx_csv_text(csv, time ? time->bound_by : NULL);
}

static void put_bottleneck(Csv *csv, const ptxlint_projection *projection)
{
    const ptxlint_bottleneck *b = projection ? &projection->bottleneck : NULL;
    const char *why = ptx_why_estimate(projection);
    ptx_csv_reason(csv, "relieved_time_us", why);
    ptx_csv_real(csv, b ? b->relieved_us : (double)NAN);
    ptx_csv_reason(csv, "next_limiter", either(why, ptx_reason_bottleneck("next", projection)));
    ptx_csv_text(csv, b ? b->next : NULL);
    ptx_csv_reason(csv, "busy", why);
    ptx_csv_real(csv, b ? b->compute_percent : (double)NAN);
    ptx_csv_real(csv, b ? b->memory_percent : (double)NAN);
    ptx_csv_real(csv, b ? b->issue_percent : (double)NAN);
    ptx_csv_reason(csv, "wave_us", either(why, ptx_reason_bottleneck("wave_us", projection)));
    ptx_csv_real(csv, b ? b->wave_us : (double)NAN);
    ptx_csv_reason(csv, "tail_us", either(why, ptx_reason_bottleneck("tail_us", projection)));
    ptx_csv_real(csv, b ? b->tail_us : (double)NAN);
}

static void put_launched(Csv *csv, const ptxlint_projection *projection)
{
    const ptxlint_roofline *r = projection ? &projection->roofline : NULL;
    ptx_csv_reason(csv, "roofline",
                   either(ptx_why_estimate(projection),
                          ptx_why_flops(projection ? projection->executed.flops_tensor : 0)));
    ptx_csv_real(csv, r ? r->flops : (double)NAN);
    ptx_csv_reason(csv, "launch_flops_per_byte", ptx_why_roofline(projection));
    ptx_csv_real(csv, r ? r->flops_per_byte : (double)NAN);
    ptx_csv_reason(csv, "predicted_gflops", ptx_why_roofline(projection));
    ptx_csv_real(csv, r ? r->predicted_gflops : (double)NAN);
    ptx_csv_reason(
        csv, "bytes_in_flight",
        either(ptx_why_concurrency(projection), ptx_reason_concurrency("bytes", projection)));
    ptx_csv_real(csv, projection ? projection->concurrency.bytes : (double)NAN);
}

void ptx_csv_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    size_t rows = kernel->projection_count ? kernel->projection_count : 1;
    Csv csv = { .out = out };
    for (size_t i = 0; i < rows; i++) {
        const ptxlint_projection *projection = kernel->projection_count ? &kernel->projections[i]
                                                                        : NULL;
        put_csv_kernel(&csv, module, kernel, projection);
        put_occupancy(&csv, projection);
        put_mix(&csv, &kernel->mix, projection);
        put_csv_facts(&csv, kernel);
        put_cycles(&csv, projection);
        put_peak(&csv, projection);
        put_time(&csv, projection);
        put_bottleneck(&csv, projection);
        put_launched(&csv, projection);
        ptx_csv_real(&csv, kernel->launch_number + 1);
        ptx_csv_real(&csv, kernel->launch_count ? kernel->launch_count : 1);
        ptx_csv_notes(&csv);
        ptx_csv_end(&csv);
    }
}
