/* The report for people: one block of lines and tables a kernel. Prose is at most 80 columns wide,
 * tables about 100. What is not known says so. */
#include "report/report.h"
#include "support/minmax.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 16 };      /* registers listed as live at the peak */

/* of one thread's flops: a mean below it is another number */
static const double MOST_ALIKE = 0.99;

static void put_key(Out *out, const char *key)
{
    ptx_out_format(out, "  %-*s", KEY_COLUMNS, key);
}

/* ---- module and head of a kernel ------------------------------------------------------------- */

const ptxlint_gpu *ptx_report_gpu(const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    return info->gpu_count ? info->gpus[0] : NULL;
}

const char *ptx_report_gpu_name(const ptxlint_gpu *gpu)
{
    const ptxlint_gpu_info *info = gpu ? ptxlint_gpu_get_info(gpu) : NULL;
    return info && info->name ? info->name : "unknown";
}

void ptx_table_module(Out *out, const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_clean(out, info->path);
    ptx_out_style(out, STYLE_NONE);
    Line line = { .out = out, .column = strlen(info->path), .indent = 2 };
    if (info->version_major)
        ptx_line_format(&line, ": PTX %d.%d", info->version_major, info->version_minor);
    else
        ptx_line_words(&line, ": PTX version unknown");
    ptx_line_words(&line, ", target ");
    ptx_line_words(&line, info->target && *info->target ? info->target : "unknown");
    ptx_line_format(&line, ", %d-bit addresses", info->address_size);
    for (size_t i = 0; i < info->gpu_count; i++) {
        ptx_line_words(&line, i ? ", " : "; figures for ");
        ptx_line_words(&line, ptx_report_gpu_name(info->gpus[i]));
    }
    ptx_line_end(&line);
}

static bool has_dims(const int64_t dims[3])
{
    return dims[0] != PTXLINT_UNKNOWN || dims[1] != PTXLINT_UNKNOWN || dims[2] != PTXLINT_UNKNOWN;
}

static void put_table_dims(Out *out, const int64_t dims[3])
{
    if (!has_dims(dims))
        ptx_out_text(out, "unknown");
    else
        ptx_out_format(out, "%s x %s x %s", ptx_figure_int(dims[0]).text,
                       ptx_figure_int(dims[1]).text, ptx_figure_int(dims[2]).text);
}

/* Warps of a block and of the grid, and what of the last warp of a block has no thread. */
static void put_warps(Out *out, const ptxlint_launch *launch)
{
    Line line = ptx_line_begin(out, "");
    if (launch->blocks != PTXLINT_UNKNOWN)
        ptx_line_format(&line, "%" PRId64 " block%s", launch->blocks,
                        ptx_plural((uint64_t)launch->blocks));
    else
        ptx_line_words(&line, "blocks");
    if (launch->warps_per_block != PTXLINT_UNKNOWN)
        ptx_line_format(&line, " of %" PRId64 " warp%s", launch->warps_per_block,
                        ptx_plural((uint64_t)launch->warps_per_block));
    if (launch->warps != PTXLINT_UNKNOWN)
        ptx_line_format(&line, " = %" PRId64 " warps", launch->warps);
    if (launch->idle_lanes != PTXLINT_UNKNOWN && launch->idle_lanes > 0)
        ptx_line_format(&line, "; the last warp of a block is partial, %" PRId64 " lane%s idle",
                        launch->idle_lanes, ptx_plural((uint64_t)launch->idle_lanes));
    ptx_line_end(&line);
}

bool ptx_report_has_cluster(const ptxlint_launch *launch)
{
    for (int i = 0; i < 3; i++)
        if (launch->cluster[i] != PTXLINT_UNKNOWN && launch->cluster[i] > 1)
            return true;
    return false;
}

/* What was not given, and which option gives it. */
static void put_table_assumed(Out *out, const ptxlint_launch *launch)
{
    Line line = ptx_line_begin(out, "assumed");
    for (size_t i = 0; i < launch->assumed_count; i++)
        ptx_line_item(&line, launch->assumed[i]);
    if (launch->assumed_options) {
        ptx_line_words(&line, "; give ");
        ptx_line_words(&line, launch->assumed_options);
    }
    ptx_line_end(&line);
}

static void put_table_launch(Out *out, const ptxlint_launch *launch)
{
    static const char *const sources[] = { "assumed", "from directives", "as given",
                                           "from metadata" };
    put_key(out, "launch");
    if (!has_dims(launch->grid) && !has_dims(launch->block)) {
        ptx_out_text(out, "unknown\n");
        return;
    }
    ptx_out_text(out, "grid ");
    put_table_dims(out, launch->grid);
    ptx_out_text(out, ", block ");
    put_table_dims(out, launch->block);
    if (ptx_report_has_cluster(launch)) {
        ptx_out_text(out, ", cluster ");
        put_table_dims(out, launch->cluster);
    }
    bool is_mixed = launch->block_is_assumed && launch->source != PTXLINT_LAUNCH_ASSUMED;
    ptx_out_format(out, " (%s%s)\n", sources[launch->source],
                   is_mixed ? ", the block assumed" : "");
    if (launch->blocks != PTXLINT_UNKNOWN || launch->warps_per_block != PTXLINT_UNKNOWN)
        put_warps(out, launch);
    if (launch->error)
        ptx_out_format(out, "               such a launch fails: %s\n", launch->error);
    if (launch->assumed_count)
        put_table_assumed(out, launch);
}

static void put_assumed_names(Out *out, const char *const *names, size_t count)
{
    size_t shown = count < NAMES_SHOWN ? count : NAMES_SHOWN;
    Line line = ptx_line_begin(out, "live there");
    for (size_t i = 0; i < shown; i++)
        ptx_line_item(&line, names[i]);
    if (shown < count)
        ptx_line_format(&line, " and %zu more", count - shown);
    ptx_line_end(&line);
}

static void put_pressure(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    const ptxlint_pressure *pressure = &kernel->pressure;
    if (pressure->max_live == PTXLINT_UNKNOWN) {
        put_key(out, "registers");
        ptx_out_text(out, "unknown\n");
        return;
    }
    Line line = ptx_line_begin(out, "registers");
    ptx_line_format(&line, "%" PRId64 " live at most, at line %" PRIu32, pressure->max_live,
                    ptxlint_module_place(module, pressure->where.begin).line);
    ptx_line_words(&line, kernel->live_source.path ? ", " : "");
    ptx_line_source(&line, &kernel->live_source, "");
    ptx_line_format(&line, " (64-bit values %s, 8- and 16-bit %s)",
                    ptx_figure_int(pressure->max_live_64).text,
                    ptx_figure_int(pressure->max_live_16).text);
    ptx_line_end(&line);
    if (pressure->live_count)
        put_assumed_names(out, pressure->live, pressure->live_count);
    put_key(out, "predicates");
    ptx_out_format(out, "%s live at most\n", ptx_figure_int(pressure->max_live_predicates).text);
}

static void put_bytes(Out *out, const char *what, int64_t bytes, const char *after)
{
    ptx_out_format(out, "%s %s%s%s", what, ptx_figure_int(bytes).text,
                   bytes == PTXLINT_UNKNOWN ? "" : " B", after);
}

/* As CUDA has them, by position. */
static void put_param_names(Out *out, const ptxlint_kernel *kernel)
{
    bool has_any = false;
    for (size_t i = 0; i < kernel->param_count; i++)
        has_any |= kernel->params[i].source_name != NULL;
    if (!has_any)
        return;
    put_key(out, "parameters");
    for (size_t i = 0; i < kernel->param_count; i++) {
        ptx_out_format(out, "%s%zu ", ptx_text_if(i, ", "), i);
        ptx_out_clean(out, ptx_text_or(kernel->params[i].source_name, "?"));
    }
    ptx_out_text(out, "\n");
}

static void put_memory(Out *out, const ptxlint_kernel *kernel)
{
    put_key(out, "memory");
    put_bytes(out, "static shared", kernel->static_shared_bytes, ", ");
    put_bytes(out, "dynamic", kernel->launch.dynamic_shared_bytes, ", ");
    put_bytes(out, "local", kernel->local_bytes, ", ");
    put_bytes(out, "parameters", kernel->param_bytes, "\n");
    put_param_names(out, kernel);
}

static void put_table_ntid(Out *out, const char **separator, const char *directive,
                           const uint32_t dims[3])
{
    if (!dims[0])
        return;
    ptx_out_format(out, "%s%s %" PRIu32 " x %" PRIu32 " x %" PRIu32, *separator, directive, dims[0],
                   ptx_u32_max(dims[1], 1), ptx_u32_max(dims[2], 1));
    *separator = ", ";
}

static void put_given(Out *out, const char **separator, const char *directive, uint32_t number)
{
    if (!number)
        return;
    ptx_out_format(out, "%s%s %" PRIu32, *separator, directive, number);
    *separator = ", ";
}

static void put_bounds(Out *out, const ptxlint_kernel *kernel)
{
    const char *separator = "";
    put_key(out, "bounds");
    put_table_ntid(out, &separator, ".maxntid", kernel->maxntid);
    put_table_ntid(out, &separator, ".reqntid", kernel->reqntid);
    put_given(out, &separator, ".minnctapersm", kernel->minnctapersm);
    put_given(out, &separator, ".maxnreg", kernel->maxnreg);
    ptx_out_text(out, *separator ? "\n" : "none\n");
}

static void put_code(Out *out, const ptxlint_kernel *kernel)
{
    put_key(out, "code");
    ptx_out_format(out, "%" PRIu64 " instruction%s, ", kernel->mix.instruction_count,
                   ptx_plural(kernel->mix.instruction_count));
    ptx_out_format(out, "%" PRIu64 " block%s, ", kernel->block_count,
                   ptx_plural(kernel->block_count));
    ptx_out_format(out, "%" PRIu64 " edge%s", kernel->edge_count, ptx_plural(kernel->edge_count));
    if (kernel->unreachable_block_count)
        ptx_out_format(out, ", %" PRIu64 " unreachable", kernel->unreachable_block_count);
    ptx_out_format(out, ", %zu loop%s%s\n", kernel->loop_count, ptx_plural(kernel->loop_count),
                   kernel->is_recursive ? ", recursive" : "");
}

static void put_fma(Out *out, const ptxlint_mix *mix)
{
    Line line = ptx_line_begin(out, "FMA");
    ptx_line_format(&line, "fused %" PRIu64 " of %" PRIu64 " instruction%s", mix->fused_count,
                    mix->instruction_count, ptx_plural(mix->instruction_count));
    if (mix->instruction_count)
        ptx_line_format(&line, " = %s", ptx_figure_percent(mix->fma_fraction, 1).text);
    ptx_line_format(&line, ", weighted %s", ptx_figure_percent(mix->weighted_fma_fraction, 1).text);
    if (mix->has_assumed_trips)
        ptx_line_words(&line, " (10 trips where unknown)");
    ptx_line_end(&line);
    put_key(out, "fusable");
    ptx_out_format(out, "%" PRIu64 " pair%s of mul and add\n", mix->fusable_count,
                   ptx_plural(mix->fusable_count));
}

static void put_flops(Line *line, const char *what, double flops)
{
    char text[64];
    if (!(flops > 0))
        return;
    snprintf(text, sizeof text, "%s %s flops", ptx_figure_short(flops).text, what);
    ptx_line_item(line, text);
}

/* Of all threads of the launch. NaN: not known. */
static double mean_fp32(const ptxlint_kernel *kernel)
{
    const ptxlint_launch *launch = &kernel->launch;
    double threads = 1;
    for (unsigned d = 0; d < 3; d++)
        threads *= (double)launch->grid[d] * (double)launch->block[d];
    const bool is_known = kernel->projection_count && launch->grid[0] > 0 && launch->block[0] > 0;
    return is_known ? kernel->projections[0].executed.flops_fp32 / threads : (double)NAN;
}

/* The mix is of a thread that takes each side of a branch that threads take differently. */
static void put_mean(Line *line, const ptxlint_kernel *kernel)
{
    const double mean = mean_fp32(kernel);
    if (!(mean < MOST_ALIKE * kernel->mix.flops_fp32))
        return;
    ptx_line_format(line, "; %s fp32 flops on average over all threads of the launch",
                    ptx_figure_short(mean).text);
}

static void put_work(Out *out, const ptxlint_kernel *kernel)
{
    const ptxlint_mix *mix = &kernel->mix;
    char text[64];
    Line line = ptx_line_begin(out, "work");
    if (mix->has_assumed_trips) {
        ptx_line_words(&line, "unknown: it takes the trips of every loop");
        ptx_line_end(&line);
        return;
    }
    put_flops(&line, "fp32", mix->flops_fp32);
    put_flops(&line, "fp64", mix->flops_fp64);
    put_flops(&line, "fp16", mix->flops_fp16);
    if (mix->has_unknown_shapes)
        ptx_line_item(&line, "unknown tensor flops");
    put_flops(&line, "tensor", mix->flops_tensor);
    snprintf(text, sizeof text, "%s bytes of global memory",
             ptx_figure_short(mix->global_bytes).text);
    ptx_line_item(&line, text);
    ptx_line_words(&line, " a thread");
    put_mean(&line, kernel);
    if (mix->has_assumed_branches)
        ptx_line_words(&line, " (an estimate: sides of a branch run equally often)");
    ptx_line_end(&line);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_mix_row(Out *out, const char *name, uint64_t count, double weighted, uint64_t all,
                        double all_weighted)
{
    ptx_out_text(out, "  ");
    ptx_out_padded(out, name, KEY_COLUMNS);
    ptx_out_format(out, "%8" PRIu64 "  %8s  %12s  %8s\n", count,
                   ptx_figure_percent((double)count, (double)all).text,
                   ptx_figure_fixed(weighted, 1).text,
                   ptx_figure_percent(weighted, all_weighted).text);
}

/* Classes that do not occur are left out. */
static void put_table_mix(Out *out, const ptxlint_mix *mix)
{
    double weighted = 0;
    if (!mix->instruction_count)
        return;
    for (size_t i = 0; i < mix->class_count; i++)
        weighted += mix->classes[i].weighted_count;
    ptx_put_heading(out, "  class          static     share      weighted     share");
    for (size_t i = 0; i < mix->class_count; i++)
        if (mix->classes[i].static_count)
            put_mix_row(out, mix->classes[i].name, mix->classes[i].static_count,
                        mix->classes[i].weighted_count, mix->instruction_count, weighted);
    put_mix_row(out, "total", mix->instruction_count, weighted, mix->instruction_count, weighted);
}

/* A .func has no launch: what its instructions take is all there is. */
static void put_gpus(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    if (!kernel->projection_count) {
        put_key(out, "GPU");
        ptx_out_text(out, "unknown: no figures for this target; --gpu takes those of another\n");
    } else if (!kernel->is_entry) {
        ptx_table_cycles(out, kernel);
    } else if (kernel->projection_count == 1) {
        ptx_table_gpu(out, module, kernel, &kernel->projections[0]);
    } else {
        ptx_table_gpus(out, kernel);
    }
}

void ptx_table_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                      const ptxlint_recognition *recognition)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, kernel->is_entry ? "kernel " : "function ");
    ptx_out_clean(out, ptx_kernel_title(kernel->name).text);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_format(out, " (line %" PRIu32 ")",
                   ptxlint_module_place(module, kernel->name_span.begin).line);
    if (kernel->launch_count > 1)
        ptx_out_format(out, ", launch %" PRIu32 " of %" PRIu32, kernel->launch_number + 1,
                       kernel->launch_count);
    ptx_out_text(out, "\n");
    if (kernel->demangled) {
        Line line = ptx_line_begin(out, "mangled");
        ptx_line_item(&line, kernel->name);
        ptx_line_end(&line);
    }
    if (kernel->has_syntax_error)
        ptx_out_text(out, "  has syntax errors: figures that need its data flow are unknown\n");
    if (kernel->is_entry)
        put_table_launch(out, &kernel->launch);
    put_pressure(out, module, kernel);
    put_memory(out, kernel);
    put_bounds(out, kernel);
    put_code(out, kernel);
    put_fma(out, &kernel->mix);
    put_work(out, kernel);
    ptx_table_computes(out, module, recognition);
    put_gpus(out, module, kernel);
    put_table_mix(out, &kernel->mix);
    ptx_table_loops(out, module, kernel);
    ptx_table_accesses(out, module, kernel);
    ptx_table_branches(out, module, kernel);
    ptx_table_hot_lines(out, kernel);
}
