/* The report for people: one block of tables a kernel, at most about 80 columns wide. What is not known says so.
 * Numbers with a fraction are written by hand: printf would ask the caller's locale for the decimal point. */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMES_SHOWN = 16,           /* registers listed as live at the peak */
    LINE_COLUMNS = 80,
    KEY_COLUMNS = 13
};

typedef struct Figure {
    char text[32];
} Figure;

static Figure figure_int(int64_t number)
{
    Figure f = { "unknown" };
    if (number != PTXLINT_UNKNOWN)
        snprintf(f.text, sizeof f.text, "%" PRId64, number);
    return f;
}

/* With one decimal: 12.5 */
static Figure figure_tenth(double number)
{
    Figure f = { "unknown" };
    if (number >= 0 && number < 1e12) {
        int64_t tenths = (int64_t)(10 * number + 0.5);
        snprintf(f.text, sizeof f.text, "%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
    } else if (number - number == 0) {
        snprintf(f.text, sizeof f.text, "%.0e", number);
    }
    return f;
}

/* part of whole; NaN where there is no whole. */
static Figure figure_percent(double part, double whole)
{
    Figure f = figure_tenth(100 * part / whole);
    if (strcmp(f.text, "unknown"))
        strcat(f.text, " %");
    return f;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_key(Out *out, const char *key)
{
    ptx_out_format(out, "  %-*s", KEY_COLUMNS, key);
}

static void put_heading(Out *out, const char *heading)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, heading);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

/* ---- module and head of a kernel --------------------------------------------------------------------------------- */

void ptx_table_module(Out *out, const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_clean(out, info->path);
    ptx_out_style(out, STYLE_NONE);
    if (info->version_major)
        ptx_out_format(out, ": PTX %d.%d", info->version_major, info->version_minor);
    else
        ptx_out_text(out, ": PTX version unknown");
    ptx_out_text(out, ", target ");
    ptx_out_clean(out, info->target && *info->target ? info->target : "unknown");
    ptx_out_format(out, ", %d-bit addresses", info->address_size);
    if (info->gpu && *info->gpu && (!info->target || strcmp(info->gpu, info->target))) {
        ptx_out_text(out, ", for ");
        ptx_out_clean(out, info->gpu);
    }
    ptx_out_text(out, "\n");
}

static bool has_dims(const int64_t dims[3])
{
    return dims[0] != PTXLINT_UNKNOWN || dims[1] != PTXLINT_UNKNOWN || dims[2] != PTXLINT_UNKNOWN;
}

static void put_dims(Out *out, const int64_t dims[3])
{
    if (!has_dims(dims))
        ptx_out_text(out, "unknown");
    else
        ptx_out_format(out, "%s x %s x %s", figure_int(dims[0]).text, figure_int(dims[1]).text, figure_int(dims[2]).text);
}

static void put_launch(Out *out, const ptxlint_launch *launch)
{
    static const char *const sources[] = { "assumed", "from directives", "from the launch file" };
    put_key(out, "launch");
    if (!has_dims(launch->grid) && !has_dims(launch->block)) {
        ptx_out_text(out, "unknown\n");
        return;
    }
    ptx_out_text(out, "grid ");
    put_dims(out, launch->grid);
    ptx_out_text(out, ", block ");
    put_dims(out, launch->block);
    ptx_out_format(out, " (%s)\n", sources[launch->source]);
}

static void put_names(Out *out, const char *const *names, size_t count)
{
    size_t shown = count < NAMES_SHOWN ? count : NAMES_SHOWN, column = KEY_COLUMNS + 2;
    put_key(out, "live there");
    for (size_t i = 0; i < shown; i++) {
        size_t width = strlen(names[i]) + 2;
        bool is_full = column + width > LINE_COLUMNS;
        if (i)
            ptx_out_text(out, is_full ? ",\n" : ", ");
        if (i && is_full) {
            put_key(out, "");
            column = KEY_COLUMNS + 2;
        }
        ptx_out_clean(out, names[i]);
        column += width;
    }
    if (shown < count)
        ptx_out_format(out, " and %zu more", count - shown);
    ptx_out_text(out, "\n");
}

static void put_pressure(Out *out, const ptxlint_module *module, const ptxlint_pressure *pressure)
{
    put_key(out, "registers");
    if (pressure->max_live == PTXLINT_UNKNOWN) {
        ptx_out_text(out, "unknown\n");
        return;
    }
    ptx_out_format(out, "%" PRId64 " live at most, at line %" PRIu32, pressure->max_live,
                   ptxlint_module_place(module, pressure->where.begin).line);
    ptx_out_format(out, " (64-bit values %s, 8- and 16-bit %s)\n", figure_int(pressure->max_live_64).text,
                   figure_int(pressure->max_live_16).text);
    if (pressure->live_count)
        put_names(out, pressure->live, pressure->live_count);
    put_key(out, "predicates");
    ptx_out_format(out, "%s live at most\n", figure_int(pressure->max_live_predicates).text);
}

static void put_bytes(Out *out, const char *what, int64_t bytes, const char *after)
{
    ptx_out_format(out, "%s %s%s%s", what, figure_int(bytes).text, bytes == PTXLINT_UNKNOWN ? "" : " B", after);
}

static void put_memory(Out *out, const ptxlint_kernel *kernel)
{
    put_key(out, "memory");
    put_bytes(out, "static shared", kernel->static_shared_bytes, ", ");
    put_bytes(out, "dynamic", kernel->launch.dynamic_shared_bytes, ", ");
    put_bytes(out, "local", kernel->local_bytes, ", ");
    put_bytes(out, "parameters", kernel->param_bytes, "\n");
}

static void put_ntid(Out *out, const char **separator, const char *directive, const uint32_t dims[3])
{
    if (!dims[0])
        return;
    ptx_out_format(out, "%s%s %" PRIu32 " x %" PRIu32 " x %" PRIu32, *separator, directive, dims[0], dims[1] ? dims[1] : 1,
                   dims[2] ? dims[2] : 1);
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
    put_ntid(out, &separator, ".maxntid", kernel->maxntid);
    put_ntid(out, &separator, ".reqntid", kernel->reqntid);
    put_given(out, &separator, ".minnctapersm", kernel->minnctapersm);
    put_given(out, &separator, ".maxnreg", kernel->maxnreg);
    ptx_out_text(out, *separator ? "\n" : "none\n");
}

static void put_code(Out *out, const ptxlint_kernel *kernel)
{
    put_key(out, "code");
    ptx_out_format(out, "%" PRIu64 " instruction%s, ", kernel->mix.instruction_count, plural(kernel->mix.instruction_count));
    ptx_out_format(out, "%" PRIu64 " block%s, ", kernel->block_count, plural(kernel->block_count));
    ptx_out_format(out, "%" PRIu64 " edge%s", kernel->edge_count, plural(kernel->edge_count));
    if (kernel->unreachable_block_count)
        ptx_out_format(out, ", %" PRIu64 " unreachable", kernel->unreachable_block_count);
    ptx_out_format(out, ", %zu loop%s%s\n", kernel->loop_count, plural(kernel->loop_count),
                   kernel->is_recursive ? ", recursive" : "");
}

static void put_fma(Out *out, const ptxlint_mix *mix)
{
    put_key(out, "FMA");
    ptx_out_format(out, "fused %" PRIu64 " of %" PRIu64 " instruction%s", mix->fused_count, mix->instruction_count,
                   plural(mix->instruction_count));
    if (mix->instruction_count)
        ptx_out_format(out, " = %s", figure_percent(mix->fma_fraction, 1).text);
    ptx_out_format(out, ", weighted %s\n", figure_percent(mix->weighted_fma_fraction, 1).text);
    put_key(out, "fusable");
    ptx_out_format(out, "%" PRIu64 " pair%s of mul and add\n", mix->fusable_count, plural(mix->fusable_count));
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void put_mix_row(Out *out, const char *name, uint64_t count, double weighted, uint64_t all, double all_weighted)
{
    ptx_out_text(out, "  ");
    ptx_out_padded(out, name, KEY_COLUMNS);
    ptx_out_format(out, "%8" PRIu64 "  %8s  %12s  %8s\n", count, figure_percent((double)count, (double)all).text,
                   figure_tenth(weighted).text, figure_percent(weighted, all_weighted).text);
}

/* Classes that do not occur are left out. */
static void put_mix(Out *out, const ptxlint_mix *mix)
{
    double weighted = 0;
    if (!mix->instruction_count)
        return;
    for (size_t i = 0; i < mix->class_count; i++)
        weighted += mix->classes[i].weighted_count;
    put_heading(out, "  class          static     share      weighted     share");
    for (size_t i = 0; i < mix->class_count; i++)
        if (mix->classes[i].static_count)
            put_mix_row(out, mix->classes[i].name, mix->classes[i].static_count, mix->classes[i].weighted_count,
                        mix->instruction_count, weighted);
    put_mix_row(out, "total", mix->instruction_count, weighted, mix->instruction_count, weighted);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* 8 instructions, 1 FMA (1/8), 12.5 % */
static void put_loop_mix(Out *out, const ptxlint_mix *mix)
{
    uint64_t all = mix->instruction_count, fused = mix->fused_count;
    ptx_out_format(out, "%" PRIu64 " instruction%s, %" PRIu64 " FMA", all, plural(all), fused);
    if (fused) {
        uint64_t divisor = common_divisor(all, fused);
        ptx_out_format(out, " (%" PRIu64 "/%" PRIu64 "), %s", fused / divisor, all / divisor,
                       figure_percent((double)fused, (double)all).text);
    }
    ptx_out_text(out, "\n");
}

static void put_loops(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    if (!kernel->loop_count)
        return;
    put_heading(out, "  loop line  label             depth  body");
    for (size_t i = 0; i < kernel->loop_count; i++) {
        const ptxlint_loop *loop = &kernel->loops[i];
        ptx_out_format(out, "  %9" PRIu32 "  ", ptxlint_module_place(module, loop->header.begin).line);
        ptx_out_padded(out, loop->label && *loop->label ? loop->label : "-", 16);
        ptx_out_format(out, "  %5" PRIu32 "  ", loop->depth);
        if (loop->is_irreducible)
            ptx_out_text(out, "irreducible, ");
        put_loop_mix(out, &loop->mix);
    }
}

static int access_compare(const void *pa, const void *pb)
{
    const ptxlint_access *a = *(const ptxlint_access *const *)pa, *b = *(const ptxlint_access *const *)pb;
    int order = strcmp(a->space, b->space);
    if (!order)
        order = strcmp(a->op, b->op);
    return order ? order : a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* Accesses of one space, operation and width are one row. */
static void put_accesses(Out *out, const ptxlint_kernel *kernel)
{
    size_t count = kernel->access_count;
    if (!count)
        return;
    const ptxlint_access **sorted = malloc(count * sizeof(const ptxlint_access *));
    if (!sorted) {
        out->status = PTXLINT_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &kernel->accesses[i];
    qsort(sorted, count, sizeof *sorted, access_compare);
    put_heading(out, "  access to    operation      bytes     count");
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !access_compare(&sorted[i], &sorted[next]);)
            next++;
        ptx_out_text(out, "  ");
        ptx_out_padded(out, sorted[i]->space, 11);
        ptx_out_text(out, "  ");
        ptx_out_padded(out, sorted[i]->op, 12);
        ptx_out_format(out, "  %6s  %8zu\n", figure_int(sorted[i]->bytes).text, next - i);
    }
    free(sorted);
}

void ptx_table_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, kernel->is_entry ? "kernel " : "function ");
    ptx_out_clean(out, kernel->name);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_format(out, " (line %" PRIu32 ")\n", ptxlint_module_place(module, kernel->name_span.begin).line);
    if (kernel->has_syntax_error)
        ptx_out_text(out, "  has syntax errors: figures that need its data flow are unknown\n");
    if (kernel->is_entry)
        put_launch(out, &kernel->launch);
    put_pressure(out, module, &kernel->pressure);
    put_memory(out, kernel);
    put_bounds(out, kernel);
    put_code(out, kernel);
    put_fma(out, &kernel->mix);
    put_mix(out, &kernel->mix);
    put_loops(out, module, kernel);
    put_accesses(out, kernel);
}
