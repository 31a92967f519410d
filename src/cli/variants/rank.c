/* rank.c -- variants of one kernel, fastest by prediction first: those of one name in several
 * files, else all kernels of the inputs. Each runs as it is launched; nothing shows that two do the
 * same work. */
#include "cli/cli.h"
#include "cli/rule_json.h"
#include "cli/variants/rank.h"
#include "support/choice.h"
#include "support/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* that blocks are evaluated for: a quarter of what a report takes */
enum { STEPS = 1 << 19 };

typedef struct RankCommand {
    const Options *options;
    CliSubject subject;
    ptxlint_module **modules; /* by file; NULL: not read */
    RankRow *rows;
    size_t count, capacity;
    bool is_part;         /* a kernel of the inputs cannot be run */
    bool is_by_name;      /* a group for each name; else one for all kernels */
    bool is_optspace;     /* by metrics instead of time */
    size_t folder_length; /* of the folders that all paths begin with; text leaves them out */
    Matched matched;
} RankCommand;

enum {
    TABLE_COLUMNS = 80,
    NAME_LEAST = 15             /* of them that are left to a name */
};

/* ---- the variants ---------------------------------------------------------------------------- */

static const char *title_of(const RankRow *row)
{
    return ptx_text_or(row->kernel->demangled, row->kernel->name);
}

static bool is_timed(const RankRow *row)
{
    return isfinite(row->estimated.time.predicted_us);
}

static ExitCode append_rank_row(RankCommand *rank, const RankRow *row)
{
    if (!ptx_list_reserve(&rank->rows, &rank->capacity, rank->count + 1, sizeof *rank->rows))
        return ptx_complain_memory();
    rank->rows[rank->count++] = *row;
    return EXIT_CLEAN;
}

static size_t find_gpu_index(const RankCommand *rank, const char *gpu)
{
    size_t next = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const RankRow *row = &rank->rows[i];
        if (!strcmp(row->gpu, gpu))
            return row->gpu_index;
        next = row->gpu_index >= next ? row->gpu_index + 1 : next;
    }
    return next;
}

/* The others are ranked without it. */
static void complain_of_code(RankCommand *rank, const char *path, const ptxlint_kernel *kernel)
{
    char text[480];
    snprintf(text, sizeof text,
             "kernel `%.300s` is not ranked: its code has errors, see ptxlint check", kernel->name);
    ptx_complain(path, text);
    rank->is_part = true;
}

static ExitCode rank_kernel(RankCommand *rank, const ptxlint_module *module, const char *path,
                            const ptxlint_kernel *kernel)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    ExitCode code = EXIT_CLEAN;
    for (size_t g = 0; g < info->gpu_count && code == EXIT_CLEAN; g++) {
        RankRow row = { .path = path, .kernel = kernel, .index = rank->count };
        ptxlint_trial trial;
        ptxlint_trial_init(&trial);
        trial.steps = STEPS;
        row.gpu = ptxlint_gpu_get_info(info->gpus[g])->name;
        row.gpu_index = find_gpu_index(rank, row.gpu);
        row.estimated.size = sizeof row.estimated;
        ptxlint_status status = ptxlint_estimate(module, kernel->name, g, &trial, &row.estimated);
        if (status == PTXLINT_BAD_ARGUMENT) {
            complain_of_code(rank, path, kernel);
            break;
        }
        if (status == PTXLINT_OK && rank->is_optspace)
            ptx_optspace_measure(&row);
        if (status == PTXLINT_OK)
            code = append_rank_row(rank, &row);
        else
            code = ptx_complain_status(path, status);
    }
    return code;
}

static ExitCode complain_of_launch(const char *path, const ptxlint_kernel *kernel)
{
    char text[600];
    snprintf(text, sizeof text, "kernel `%.300s`: %s", kernel->name, ptx_launch_missing(kernel));
    ptx_complain(path, text);
    return EXIT_USAGE;
}

static ExitCode complain_of_gpu(const char *path)
{
    ptx_complain(path, "no file describes the GPU of its target; give --gpu");
    return EXIT_USAGE;
}

static ExitCode rank_module(RankCommand *rank, const ptxlint_module *module, const char *path)
{
    size_t count;
    ExitCode code = EXIT_CLEAN;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    if (count && !ptxlint_module_get_info(module)->gpu_count)
        return complain_of_gpu(path);
    for (size_t k = 0; k < count && code == EXIT_CLEAN; k++) {
        const ptxlint_launch *launch = &kernels[k].launch;
        if (!ptx_is_asked(rank->options, &kernels[k]))
            continue;
        if (launch->blocks <= 0 || launch->block_is_assumed)
            code = complain_of_launch(path, &kernels[k]);
        else
            code = rank_kernel(rank, module, path, &kernels[k]);
    }
    return code;
}

static ExitCode read_files(RankCommand *rank)
{
    ExitCode code = ptx_matched_begin(&rank->matched, rank->options);
    rank->modules = calloc(rank->subject.files.count + 1, sizeof(ptxlint_module *));
    if (!rank->modules)
        return ptx_complain_memory();
    for (size_t i = 0; i < rank->subject.files.count && code == EXIT_CLEAN; i++) {
        const char *path = rank->subject.files.items[i].path;
        const Settings *settings = ptx_book_file(&rank->subject.book, path);
        if (!settings || settings->code != EXIT_CLEAN)
            return settings ? settings->code : EXIT_INTERNAL;
        const ModuleSource source = { rank->options, &rank->subject.inputs,
                                      &settings->inputs, !rank->is_optspace, false };
        code = ptx_inputs_open(&source, &rank->subject.files.items[i], &rank->modules[i]);
        if (code == EXIT_INPUT) {               /* the others are ranked */
            rank->is_part = true;
            code = EXIT_CLEAN;
            continue;
        }
        if (code == EXIT_CLEAN)
            code = ptx_matched_add(&rank->matched, ptx_inputs_launches(&source), rank->modules[i]);
        if (code == EXIT_CLEAN)
            code = rank_module(rank, rank->modules[i], path);
    }
    return code == EXIT_CLEAN ? ptx_matched_report(&rank->matched) : code;
}

/* ---- the order ------------------------------------------------------------------------------- */

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_times(const RankRow *a, const RankRow *b)
{
    const double x = a->estimated.time.predicted_us, y = b->estimated.time.predicted_us;
    if (!is_timed(a) || !is_timed(b))
        return (int)is_timed(b) - (int)is_timed(a);
    return (x > y) - (x < y);
}

static int compare_predictions(const void *left, const void *right)
{
    const RankRow *a = left, *b = right;
    int order = compare_times(a, b);
    return order ? order : compare_sizes(a->index, b->index);
}

static int compare_rank_names(const void *left, const void *right)
{
    const RankRow *a = left, *b = right;
    int order = compare_sizes(a->gpu_index, b->gpu_index);
    if (!order)
        order = strcmp(a->kernel->name, b->kernel->name);
    return order ? order : compare_sizes(a->index, b->index);
}

static int compare_gpus(const void *left, const void *right)
{
    const RankRow *a = left, *b = right;
    int order = compare_sizes(a->gpu_index, b->gpu_index);
    return order ? order : compare_sizes(a->index, b->index);
}

static bool is_one_group(const RankCommand *rank, const RankRow *a, const RankRow *b)
{
    return a->gpu_index == b->gpu_index
           && (!rank->is_by_name || !strcmp(a->kernel->name, b->kernel->name));
}

static size_t group_length(const RankCommand *rank, size_t begin)
{
    size_t end = begin + 1;
    while (end < rank->count && is_one_group(rank, &rank->rows[begin], &rank->rows[end]))
        end++;
    return end - begin;
}

static void rank_group(RankRow *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, compare_predictions);
    for (size_t i = 0; i < count; i++) {
        const double best = rows[0].estimated.time.predicted_us;
        rows[i].place = is_timed(&rows[i]) ? i + 1 : 0;
        rows[i].ratio = best > 0 ? rows[i].estimated.time.predicted_us / best : (double)NAN;
    }
}

static void rank_rows(RankCommand *rank)
{
    qsort(rank->rows, rank->count, sizeof *rank->rows, compare_rank_names);
    for (size_t i = 1; i < rank->count; i++) {
        const RankRow *a = &rank->rows[i - 1], *b = &rank->rows[i];
        rank->is_by_name |=
            a->gpu_index == b->gpu_index && !strcmp(a->kernel->name, b->kernel->name);
    }
    if (!rank->is_by_name)
        qsort(rank->rows, rank->count, sizeof *rank->rows, compare_gpus);
    for (size_t i = 0; i < rank->count; i += group_length(rank, i))
        rank_group(&rank->rows[i], group_length(rank, i));
    for (size_t i = 0; rank->is_optspace && i < rank->count; i += group_length(rank, i))
        ptx_optspace_order(&rank->rows[i], group_length(rank, i));
}

/* The model cannot distinguish it from the best. */
static bool is_tied(const RankRow *row)
{
    return row->place > 1 && row->ratio <= PTX_MODEL_ERROR;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_mark(const RankRow *row, Text *out)
{
    char mark = row->place == 1 ? '*' : ' ';
    ptx_text_print(out, "%c ", is_tied(row) ? '=' : mark);
}

static void put_register_count(const RankRow *row, Text *out)
{
    if (row->estimated.registers >= 0)
        ptx_text_print(out, " %5ld", (long)row->estimated.registers);
    else
        ptx_text_print(out, " %5s", "-");
}

static size_t find_folder_length(const FileList *files)
{
    size_t length = 0, same = 0;
    for (const char *first = files->items[0].path; first[same]; same++) {
        for (size_t i = 1; i < files->count; i++)
            if (files->items[i].path[same] != first[same])
                return length;
        length = first[same] == '/' ? same + 1 : length;
    }
    return length;
}

static void put_variant(const RankCommand *rank, const RankRow *row, Text *out)
{
    ptx_text_show(out, row->path + rank->folder_length);
    ptx_text_print(out, "%s%s", ptx_text_if(!rank->is_by_name, ": "),
                   ptx_text_if(!rank->is_by_name, title_of(row)));
}

static void put_rank_row(const RankCommand *rank, const RankRow *row, Text *out)
{
    const ptxlint_estimated *e = &row->estimated;
    char band[32] = "-";
    put_mark(row, out);
    if (!is_timed(row)) {
        ptx_text_put(out, "not known: ");
        put_variant(rank, row, out);
        ptx_text_print(out, ": %s\n", ptx_why_untimed(&row->estimated));
        return;
    }
    if (isfinite(e->time.low_us) && isfinite(e->time.high_us))
        snprintf(band, sizeof band, "%.4g-%.4g", e->time.low_us, e->time.high_us);
    ptx_text_print(out, "%8.4g us %13s %6.2f", e->time.predicted_us, band, row->ratio);
    put_register_count(row, out);
    ptx_text_print(out, " %4.3g %% %-9s ", e->occupancy.percent, ptx_text_or(e->time.limiter, "-"));
    put_variant(rank, row, out);
    ptx_text_put(out, "\n");
}

/* What does not fit behind the figures of its line is left out in its middle: variants differ in
 * how they begin and end. JSON and CSV have all of it. */
static void put_short_variant(const RankCommand *rank, const RankRow *row, size_t begin, Text *out)
{
    Text name = { 0 };
    put_variant(rank, row, &name);
    const size_t used = out->length - begin,
                 room = used + NAME_LEAST < TABLE_COLUMNS ? TABLE_COLUMNS - used : NAME_LEAST,
                 head = (room - 3) / 2, tail = room - 3 - head;
    bool is_long = name.length > room && !name.has_failed;
    for (size_t i = 0; i < name.length && is_long; i++)
        is_long = name.bytes[i] >= ' ' && name.bytes[i] <= '~';
    if (is_long)
        ptx_text_print(out, "%.*s...%s", (int)head, name.bytes, name.bytes + name.length - tail);
    else
        ptx_text_put(out, ptx_text_or(name.bytes, ""));
    out->has_failed |= name.has_failed;
    ptx_text_free(&name);
}

/* The same for optspace. */
static void put_space_row(const RankCommand *rank, const RankRow *row, Text *out)
{
    const size_t begin = out->length;
    if (ptx_optspace_put(row, out)) {
        put_short_variant(rank, row, begin, out);
        ptx_text_put(out, "\n");
        return;
    }
    put_variant(rank, row, out);
    ptx_text_print(out, ": %s\n", ptx_optspace_why(row));
}

static void put_notes(const RankCommand *rank, const RankRow *rows, size_t count, Text *out)
{
    size_t tied = 0, assumed = 0;
    for (size_t i = 0; i < count; i++) {
        tied += !rank->is_optspace && is_tied(&rows[i]);
        assumed += is_timed(&rows[i]) && !rows[i].estimated.knows_params;
    }
    if (tied)
        ptx_text_print(out, "  =: within %.0f %% of the best, the model's error: a tie.\n",
                       100 * (PTX_MODEL_ERROR - 1));
    if (assumed)
        ptx_text_put(
            out, "  The times rest on numbers that were assumed for parameters: see --param.\n");
}

static void put_group(const RankCommand *rank, const RankRow *rows, size_t count, Text *out)
{
    if (rank->is_by_name)
        ptx_text_print(out, "%s on %s\n", title_of(rows), rows->gpu);
    else
        ptx_text_print(out, "On %s\n", rows->gpu);
    if (rank->is_optspace)
        ptx_optspace_head(out);
    else if (rows->place)
        ptx_text_print(out, "  %11s %13s %6s %5s %6s %-9s %s\n", "predicted", "band", "ratio",
                       "regs", "occup.", "limiter", "variant");
    for (size_t i = 0; i < count; i++)
        (rank->is_optspace ? put_space_row : put_rank_row)(rank, &rows[i], out);
    if (rank->is_optspace)
        ptx_optspace_notes(rows, count, out);
    put_notes(rank, rows, count, out);
}

static void put_rank_text(const RankCommand *rank, Text *out)
{
    Text lines = { 0 };
    size_t single = 0;
    for (size_t i = 0; i < rank->count; i += group_length(rank, i)) {
        if (rank->is_by_name && group_length(rank, i) == 1)
            single++;
        else
            put_group(rank, &rank->rows[i], group_length(rank, i), &lines);
    }
    if (single)
        ptx_text_print(&lines, "Left out: %zu kernel%s without another variant.\n", single,
                       ptx_plural(single));
    if (lines.length)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

static json_t *count_json(int64_t value)
{
    return value >= 0 ? json_integer((json_int_t)value) : json_null();
}

/* What both JSON and CSV have of a variant, in this order. */
static json_t *row_json(const RankCommand *rank, const RankRow *row)
{
    const ptxlint_estimated *e = &row->estimated;
    json_t *value =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s?}", "gpu", row->gpu,
                  "kernel", row->kernel->name, "path", row->path, "place",
                  row->place ? json_integer((json_int_t)row->place) : json_null(),
                  "predicted_time_us", ptx_json_number(e->time.predicted_us), "low_time_us",
                  ptx_json_number(e->time.low_us), "high_time_us", ptx_json_number(e->time.high_us),
                  "bound_time_us", ptx_json_number(e->time.bound_us), "ratio",
                  ptx_json_number(row->ratio), "is_tied", is_tied(row), "limiter", e->time.limiter);
    json_object_set_new(value, "registers", count_json(e->registers));
    json_object_set_new(value, "registers_low", count_json(e->registers_low));
    json_object_set_new(value, "registers_high", count_json(e->registers_high));
    json_object_set_new(value, "occupancy_percent", ptx_json_number(e->occupancy.percent));
    json_object_set_new(value, "occupancy_limiter",
                        e->occupancy.limiter ? json_string(e->occupancy.limiter) : json_null());
    json_object_set_new(value, "waves", ptx_json_number(e->waves));
    json_object_set_new(value, "knows_params", json_boolean(e->knows_params));
    const char *why = is_timed(row) ? NULL : ptx_why_untimed(e);
    json_object_set_new(value, "why", ptx_text_json(why));
    json_object_set_new(
        value, "bound_why",
        ptx_text_json(why || isfinite(e->time.bound_us) ? why : ptx_why_unbound(e)));
    if (rank->is_optspace)
        ptx_optspace_json(row, value);
    return value;
}

static void put_rank_json(const RankCommand *rank, Text *out)
{
    json_t *variants = json_array();
    for (size_t i = 0; i < rank->count; i++) {
        json_t *row = row_json(rank, &rank->rows[i]);
        json_object_set_new(row, "grid", ptx_json_sizes(rank->rows[i].kernel->launch.grid));
        json_object_set_new(row, "block", ptx_json_sizes(rank->rows[i].kernel->launch.block));
        json_array_append_new(variants, row);
    }
    ptx_json_write(out,
                   json_pack("{s:s, s:b, s:o}", "schema",
                             rank->is_optspace ? "ptxlint-optspace/1" : "ptxlint-rank/1",
                             "is_by_name", rank->is_by_name, "variants", variants));
}

static void put_rank_csv(const RankCommand *rank, Text *out)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < rank->count; i++)
        json_array_append_new(rows, row_json(rank, &rank->rows[i]));
    ptx_json_csv(out, rows);
    json_decref(rows);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void put_rank(void *self, const Options *options, Text *out)
{
    const RankCommand *rank = self;
    if (options->output.format == FORMAT_JSON)
        put_rank_json(rank, out);
    else if (options->output.format == FORMAT_CSV)
        put_rank_csv(rank, out);
    else
        put_rank_text(rank, out);
}

static ExitCode write_rows(RankCommand *rank)
{
    rank_rows(rank);
    rank->folder_length = find_folder_length(&rank->subject.files);
    return ptx_output_each(rank->options, put_rank, rank);
}

static void free_rank(RankCommand *rank)
{
    for (size_t i = 0; rank->modules && i < rank->subject.files.count; i++)
        ptxlint_module_free(rank->modules[i]);
    free(rank->modules);
    free(rank->rows);
    ptx_matched_free(&rank->matched);
    ptx_subject_free(&rank->subject);
}

ExitCode ptx_rank(const Options *options)
{
    RankCommand rank = { .options = options,
                         .is_optspace = options->command == COMMAND_OPTSPACE };
    ExitCode code = ptx_subject_open(&rank.subject, options, (const char *const *)options->paths);
    if (code == EXIT_CLEAN)
        code = read_files(&rank);
    if (code == EXIT_CLEAN && !rank.count && !rank.is_part) {
        ptx_complain(ptx_command_words[options->command], "the inputs have no kernel");
        code = EXIT_USAGE;
    }
    if (code == EXIT_CLEAN && rank.count)
        code = write_rows(&rank);
    if (code == EXIT_CLEAN && rank.is_part)
        code = EXIT_INPUT;
    free_rank(&rank);
    return code;
}
