#include "report/overview/overview.h"

#include "report/overview/grid.h"
#include "support/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHYS_SHOWN = 6 };

typedef enum OverviewText {
    TEXT_KERNEL, TEXT_PLACE, TEXT_GPU, TEXT_LIMITER, TEXT_RULE, TEXT_FINDING, TEXT_WHY,
    OVERVIEW_TEXT__COUNT
} OverviewText;

/* A kernel, a launch and a GPU. Modules may be gone by the time that it is written. */
typedef struct OverviewRow {
    char *texts[OVERVIEW_TEXT__COUNT];  /* NULL: none */
    size_t gpu, order;          /* gpu: which, in the order in which they came */
    double us, low_us, high_us, occupancy_percent;
    int64_t registers;
    char spills[4];             /* "s": ptxas said so, "s?": likely */
    ptxlint_severity severity;  /* of the finding */
    bool is_further;            /* launch of a kernel */
} OverviewRow;

struct Overview {
    OverviewRow *rows;
    size_t count, capacity;
    size_t kernel_count, launch_count, function_count;
    bool has_assumed_block, has_architecture;   /* some row is for one */
    bool has_failed;            /* no memory */
};

Overview *ptx_overview_new(void)
{
    return calloc(1, sizeof(Overview));
}

void ptx_overview_free(Overview *overview)
{
    if (!overview)
        return;
    for (size_t i = 0; i < overview->count; i++)
        for (unsigned t = 0; t < OVERVIEW_TEXT__COUNT; t++)
            free(overview->rows[i].texts[t]);
    free(overview->rows);
    free(overview);
}

size_t ptx_overview_kernels(const Overview *overview)
{
    return overview->kernel_count;
}

size_t ptx_overview_launches(const Overview *overview)
{
    return overview->launch_count;
}

void ptx_overview_count_function(Overview *overview)
{
    overview->function_count++;
}

TimeText ptx_time_text(double us)
{
    static const char *const units[] = { "us", "ms", "s" };
    TimeText out;
    unsigned unit = 0, decimals = 2;
    for (; us >= 1000 && unit < 2; unit++)
        us /= 1000;
    for (double least = 10; us >= least && decimals; least *= 10)
        decimals--;
    snprintf(out.text, sizeof out.text, "%.20s %s", ptx_figure_fixed(us, (int)decimals).text,
             units[unit]);
    return out;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void keep_row_text(Overview *overview, OverviewRow *row, OverviewText which,
                          const char *text)
{
    if (!text || !*text)
        return;
    row->texts[which] = strdup(text);
    overview->has_failed |= !row->texts[which];
}

/* The CUDA line where .loc names one, else that of the PTX. */
static void keep_place(Overview *overview, OverviewRow *row, const ptxlint_module *module,
                       const ptxlint_kernel *kernel)
{
    char text[256];
    const bool has_source = kernel->source.path != NULL;
    const char *path = has_source ? kernel->source.path : ptxlint_module_get_info(module)->path;
    const uint32_t line = has_source
                              ? kernel->source.line
                              : ptxlint_module_place(module, kernel->name_span.begin).line;
    snprintf(text, sizeof text, "%.200s:%" PRIu32, ptx_path_last(path), line);
    keep_row_text(overview, row, TEXT_PLACE, text);
}

static void keep_kernel(Overview *overview, OverviewRow *row, const ptxlint_kernel *kernel)
{
    char text[160];
    const KernelTitle title = ptx_kernel_short(kernel->name);
    if (kernel->launch_count > 1)
        snprintf(text, sizeof text, "%s, launch %" PRIu32 " of %" PRIu32, title.text,
                 kernel->launch_number + 1, kernel->launch_count);
    else
        snprintf(text, sizeof text, "%s", title.text);
    keep_row_text(overview, row, TEXT_KERNEL, text);
}

static void keep_finding(Overview *overview, OverviewRow *row, const ptxlint_diagnostic *worst)
{
    if (!worst)
        return;
    row->severity = worst->severity;
    keep_row_text(overview, row, TEXT_RULE, worst->rule);
    keep_row_text(overview, row, TEXT_FINDING, worst->message);
}

static size_t gpu_index(const Overview *overview, const char *name)
{
    size_t next = 0;
    for (size_t i = 0; i < overview->count; i++) {
        if (overview->rows[i].texts[TEXT_GPU] && !strcmp(overview->rows[i].texts[TEXT_GPU], name))
            return overview->rows[i].gpu;
        next = overview->rows[i].gpu >= next ? overview->rows[i].gpu + 1 : next;
    }
    return next;
}

static const char *spills_of(const ptxlint_projection *p)
{
    if (p->register_source == PTXLINT_REGISTERS_PTXAS)
        return ptx_text_if(p->spill_store_bytes > 0 || p->spill_load_bytes > 0, "s");
    return ptx_text_if(p->spills == PTXLINT_SPILLS_LIKELY, "s?");
}

static void fill_projection(Overview *overview, OverviewRow *row, const ptxlint_kernel *kernel,
                            const ptxlint_projection *p)
{
    overview->has_assumed_block |= kernel->launch.block_is_assumed != 0;
    overview->has_architecture |= !*ptxlint_gpu_get_info(p->gpu)->product;
    row->us = p->time.predicted_us;
    row->low_us = p->time.low_us;
    row->high_us = p->time.high_us;
    row->occupancy_percent = p->occupancy.percent;
    row->registers = p->registers;
    snprintf(row->spills, sizeof row->spills, "%s", spills_of(p));
    if (isfinite(row->us))
        keep_row_text(overview, row, TEXT_LIMITER, p->time.limiter);
    else
        keep_row_text(overview, row, TEXT_WHY,
                  ptx_text_or(kernel->launch.error, ptx_why_estimate(p)));
}

static OverviewRow *append_row(Overview *overview)
{
    if (!ptx_list_reserve(&overview->rows, &overview->capacity, overview->count + 1,
                          sizeof *overview->rows)) {
        overview->has_failed = true;
        return NULL;
    }
    OverviewRow *row = &overview->rows[overview->count++];
    *row = (OverviewRow){ .us = (double)NAN, .low_us = (double)NAN, .high_us = (double)NAN,
                          .occupancy_percent = (double)NAN, .registers = PTXLINT_UNKNOWN };
    row->order = overview->count;
    return row;
}

static void add_overview_row(Overview *overview, const ptxlint_module *module,
                           const ptxlint_kernel *kernel, const ptxlint_projection *p,
                           const ptxlint_diagnostic *worst)
{
    const char *gpu = p ? ptx_report_gpu_name(p->gpu) : "unknown";
    const size_t index = gpu_index(overview, gpu);
    OverviewRow *row = append_row(overview);
    if (!row)
        return;
    row->gpu = index;
    row->is_further = kernel->launch_number != 0;
    keep_row_text(overview, row, TEXT_GPU, gpu);
    keep_kernel(overview, row, kernel);
    keep_place(overview, row, module, kernel);
    keep_finding(overview, row, worst);
    if (p)
        fill_projection(overview, row, kernel, p);
    else
        keep_row_text(overview, row, TEXT_WHY,
                  "no figures for this target; --gpu takes those of another");
}

ptxlint_status ptx_overview_add(Overview *overview, const ptxlint_module *module,
                                const ptxlint_kernel *kernel, const ptxlint_diagnostic *worst)
{
    overview->launch_count++;
    overview->kernel_count += !kernel->launch_number;
    for (size_t g = 0; g < kernel->projection_count; g++)
        add_overview_row(overview, module, kernel, &kernel->projections[g], worst);
    if (!kernel->projection_count)
        add_overview_row(overview, module, kernel, NULL, worst);
    return overview->has_failed ? PTXLINT_NO_MEMORY : PTXLINT_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* GPU by GPU, the slowest first, then those without a time as they came. */
static int overview_compare(const void *pa, const void *pb)
{
    const OverviewRow *a = pa, *b = pb;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    const bool has_a = isfinite(a->us), has_b = isfinite(b->us);
    if (has_a != has_b)
        return has_a ? -1 : 1;
    if (has_a && (a->us < b->us || a->us > b->us))
        return a->us > b->us ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* SHORT: without the sentence of the finding. */
typedef enum OverviewForm { FORM_SHORT, FORM_TABLE, FORM_MARKDOWN } OverviewForm;

static void put_times(Grid *grid, const OverviewRow *row)
{
    if (!isfinite(row->us)) {
        ptx_grid_text(grid, NULL);
        ptx_grid_text(grid, NULL);
        return;
    }
    const double scale = row->us >= 1e6 ? 1e6 : 1;
    const double unit = scale > 1 || row->us < 1e3 ? scale : 1e3;
    ptx_grid_text(grid, ptx_time_text(row->us).text);
    const double low = row->low_us / unit, high = row->high_us / unit;
    const int decimals = high >= 100 ? 0 : 1 + (high < 10);
    ptx_grid_format(grid, "%.20s-%.20s", ptx_figure_fixed(low, low < 1 ? 2 : decimals).text,
                    ptx_figure_fixed(high, decimals).text);
}

static Style finding_style(ptxlint_severity severity)
{
    static const Style styles[] = { STYLE_NONE, STYLE_NOTE, STYLE_WARNING, STYLE_ERROR };
    return styles[severity];
}

/* "w MEM201", in Markdown "warning MEM201". */
static void put_rule(Grid *grid, const OverviewRow *row, bool is_markdown)
{
    char text[64];
    if (!row->texts[TEXT_RULE]) {
        ptx_grid_text(grid, NULL);
        return;
    }
    const char *severity = ptx_report_severity(row->severity);
    const int length = snprintf(text, sizeof text, "%.*s %.40s",
                                is_markdown ? (int)strlen(severity) : 1, severity,
                                row->texts[TEXT_RULE]);
    ptx_grid_cell(grid, text, (size_t)length, finding_style(row->severity));
}

static void put_overview_row(Grid *grid, const OverviewRow *row, OverviewForm form)
{
    ptx_grid_text(grid, row->texts[TEXT_KERNEL]);
    ptx_grid_text(grid, row->texts[TEXT_PLACE]);
    put_times(grid, row);
    ptx_grid_text(grid, row->texts[TEXT_LIMITER]);
    if (isfinite(row->occupancy_percent))
        ptx_grid_text(grid, ptx_figure_fixed(row->occupancy_percent, 0).text);
    else
        ptx_grid_text(grid, NULL);
    if (row->registers != PTXLINT_UNKNOWN)
        ptx_grid_format(grid, "%" PRId64 "%s%s", row->registers, ptx_text_if(*row->spills, " "),
                        row->spills);
    else
        ptx_grid_text(grid, NULL);
    put_rule(grid, row, form == FORM_MARKDOWN);
    ptx_grid_text(grid, form == FORM_SHORT ? NULL : row->texts[TEXT_FINDING]);
}

static const GridColumn overview_columns[] = {
    { "kernel", true, 10, false, 0 },       { "place", true, 9, true, 0 },
    { "time", false, 0, false, 0 },         { "90 % band", false, 0, false, 0 },
    { "limiter", true, 0, false, 0 },       { "occ%", false, 0, false, 0 },
    { "regs", false, 0, false, 0 },         { "worst", true, 0, false, 0 },
    { "finding", true, 20, false, 120 },
};

enum { OVERVIEW_COLUMNS = sizeof overview_columns / sizeof *overview_columns };

static size_t gpu_group_end(const Overview *overview, size_t first)
{
    size_t end = first;
    while (end < overview->count && overview->rows[end].gpu == overview->rows[first].gpu)
        end++;
    return end;
}

static void fill_grid(const Overview *overview, Grid *grid, size_t first, OverviewForm form)
{
    const size_t end = gpu_group_end(overview, first);
    ptx_grid_begin(grid, overview_columns, OVERVIEW_COLUMNS);
    for (size_t i = first; i < end && !grid->has_failed; i++)
        put_overview_row(grid, &overview->rows[i], form);
}

/* "3 kernels, 5 launches on ". */
static void put_group_count(const Overview *overview, Out *out, size_t first)
{
    const size_t end = gpu_group_end(overview, first), launches = end - first;
    size_t kernels = 0;
    for (size_t i = first; i < end; i++)
        kernels += !overview->rows[i].is_further;
    ptx_out_format(out, "%zu kernel%s", kernels, ptx_plural(kernels));
    if (launches > kernels)
        ptx_out_format(out, ", %zu launches", launches);
    ptx_out_text(out, " on ");
}

/* There are times, and more than one row. */
static bool is_sorted(const Overview *overview, size_t first)
{
    return isfinite(overview->rows[first].us) && gpu_group_end(overview, first) > first + 1;
}

static void put_group_head(const Overview *overview, Out *out, size_t first)
{
    put_group_count(overview, out, first);
    ptx_out_clean(out, overview->rows[first].texts[TEXT_GPU]);
    ptx_out_text(out, ptx_text_if(is_sorted(overview, first), ", slowest first"));
    ptx_out_text(out, "\n");
}

/* ---- what is not known ----------------------------------------------------------------------- */

static const char *why_of(const OverviewRow *row)
{
    return isfinite(row->us) ? NULL : row->texts[TEXT_WHY];
}

static bool was_said(const Overview *overview, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (why_of(&overview->rows[i])
            && !strcmp(why_of(&overview->rows[i]), why_of(&overview->rows[index])))
            return true;
    return false;
}

static size_t count_why(const Overview *overview, const char *why)
{
    size_t count = 0;
    for (size_t i = 0; i < overview->count; i++)
        count += why_of(&overview->rows[i]) && !strcmp(why_of(&overview->rows[i]), why);
    return count;
}

static void put_why(Out *out, size_t count, size_t all, const char *why)
{
    Line line = { .out = out, .indent = 2 };
    if (count == all)
        ptx_line_words(&line, "No times: ");
    else
        ptx_line_format(&line, "No time of %zu: ", count);
    ptx_line_words(&line, why);
    ptx_line_end(&line);
}

/* Each reason once. */
static void put_whys(const Overview *overview, Out *out)
{
    size_t shown = 0, unsaid = 0;
    bool is_product_named = false;
    for (size_t i = 0; i < overview->count; i++)
        unsaid += why_of(&overview->rows[i]) != NULL;
    for (size_t i = 0; i < overview->count && shown < WHYS_SHOWN && unsaid; i++) {
        const char *why = why_of(&overview->rows[i]);
        if (!why || was_said(overview, i))
            continue;
        const size_t count = count_why(overview, why);
        put_why(out, count, overview->count, why);
        is_product_named |= strstr(why, "--gpu") != NULL;
        unsaid -= count;
        shown++;
    }
    if (unsaid)
        ptx_out_format(out, "No time of %zu more, for other reasons.\n", unsaid);
    if (shown && overview->has_architecture && !is_product_named)
        ptx_out_text(out, "Times are of a product, as --gpu h200.\n");
    if (overview->has_assumed_block)
        ptx_out_text(out, "Where no block is given (--block), occupancy is for an assumed one.\n");
}

static bool has_spills(const Overview *overview)
{
    for (size_t i = 0; i < overview->count; i++)
        if (*overview->rows[i].spills)
            return true;
    return false;
}

static void sort_rows(Overview *overview)
{
    if (overview->count)
        qsort(overview->rows, overview->count, sizeof *overview->rows, overview_compare);
}

void ptx_overview_put(Overview *overview, Out *out, size_t width, bool has_hint)
{
    Grid grid;
    sort_rows(overview);
    for (size_t i = 0; i < overview->count && out->status == PTXLINT_OK;
         i = gpu_group_end(overview, i)) {
        put_group_head(overview, out, i);
        fill_grid(overview, &grid, i, width ? FORM_TABLE : FORM_SHORT);
        ptx_grid_put(&grid, out, width);
        ptx_out_text(out, "\n");
    }
    put_whys(overview, out);
    if (has_spills(overview))
        ptx_out_text(out, "Registers: s spills, s? are likely to spill.\n");
    if (overview->function_count && has_hint)
        ptx_out_format(out, "%zu .func function%s beside them.\n", overview->function_count,
                       ptx_plural(overview->function_count));
    if (has_hint)
        ptx_out_text(out, "All figures: --kernel NAME of one, --details of all.\n");
}

void ptx_overview_put_markdown(Overview *overview, Out *out)
{
    Grid grid;
    sort_rows(overview);
    for (size_t i = 0; i < overview->count && out->status == PTXLINT_OK;
         i = gpu_group_end(overview, i)) {
        ptx_out_text(out, "**ptxlint:** ");
        put_group_count(overview, out, i);
        ptx_markdown_name(out, overview->rows[i].texts[TEXT_GPU], SIZE_MAX);
        ptx_out_text(out, ptx_text_if(is_sorted(overview, i), ", slowest first"));
        ptx_out_text(out, "\n\n");
        fill_grid(overview, &grid, i, FORM_MARKDOWN);
        ptx_grid_put_markdown(&grid, out, OVERVIEW_COLUMNS - 1);
        ptx_out_text(out, "\n");
    }
    put_whys(overview, out);
}
