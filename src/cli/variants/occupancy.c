/* occupancy.c -- how many blocks an SM holds for plain numbers: registers of a thread, threads and
 * shared memory of a block. One combination with its next steps, several as a table. */
#include "cli/cli.h"
#include "cli/rule_json.h"
#include "support/choice.h"
#include "support/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMBINATIONS_MAX = 4096, WARP = 32, DIGITS_MAX = 12 };

typedef struct CountList {
    int64_t *items;
    size_t count, capacity;
} CountList;

typedef struct OccupancyCommand {
    const Options *options;
    Inputs inputs;
    CountList registers, threads, shared;       /* what is not given is one 0: it limits nothing */
} OccupancyCommand;

/* Of one GPU and one combination. */
typedef struct OccupancyRow {
    const ptxlint_gpu *gpu;
    int64_t registers, threads, shared;
    ptxlint_occupancy occupancy;
} OccupancyRow;

/* ---- values ---------------------------------------------------------------------------------- */

static ExitCode add_count(CountList *list, int64_t count)
{
    if (list->count >= COMBINATIONS_MAX) {
        ptx_complain("occupancy", "more than 4096 values are given");
        return EXIT_USAGE;
    }
    if (!ptx_list_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return ptx_complain_memory();
    list->items[list->count++] = count;
    return EXIT_CLEAN;
}

/* Digits at *at, and behind them; false where there are none, or too many. */
static bool take_digits(const char **at, int64_t *out)
{
    size_t digits = strspn(*at, "0123456789");
    if (!digits || digits > DIGITS_MAX)
        return false;
    *out = strtoll(*at, NULL, 10);
    *at += digits;
    return true;
}

static ExitCode complain_count(const char *option, const char *value, const char *wanted)
{
    char text[320];
    snprintf(text, sizeof text, "'%.100s' is not %s", value, wanted);
    ptx_complain(option, text);
    return EXIT_USAGE;
}

/* From first to last by step; the last is taken in any case. */
static ExitCode add_count_range(CountList *list, int64_t first, int64_t last, int64_t step)
{
    ExitCode code = EXIT_CLEAN;
    for (int64_t count = first; count < last && code == EXIT_CLEAN; count += step - count % step)
        code = add_count(list, count);
    return code == EXIT_CLEAN ? add_count(list, last) : code;
}

/* "10", "9,10,11", "8-16" and mixtures. */
static ExitCode add_register_value(CountList *list, const char *value)
{
    static const char wanted[] = "a number of registers, from 1, as 10, 9,10,11 or 8-16";
    ExitCode code = EXIT_CLEAN;
    for (const char *at = value; code == EXIT_CLEAN; at++) {
        int64_t first, last;
        bool is_good = take_digits(&at, &first);
        last = first;
        is_good = is_good && (*at != '-' || (at++, take_digits(&at, &last)));
        if (!is_good || first < 1 || last < first || (*at && *at != ','))
            return complain_count("--registers", value, wanted);
        code = add_count_range(list, first, last, 1);
        if (!*at)
            break;
    }
    return code;
}

/* "2048", "48k", with commas. */
static ExitCode add_shared_value(CountList *list, const char *value)
{
    ExitCode code = EXIT_CLEAN;
    for (const char *at = value; code == EXIT_CLEAN; at++) {
        int64_t bytes = 0;
        bool is_good = take_digits(&at, &bytes), is_kib = *at == 'k' || *at == 'K';
        at += is_kib;
        if (!is_good || (*at && *at != ','))
            return complain_count("--shared", value, "a number of bytes, as 2048, 48k or 0,8k,16k");
        code = add_count(list, is_kib ? 1024 * bytes : bytes);
        if (!*at)
            break;
    }
    return code;
}

/* "256", "16,16", or "64-512": a range in whole warps. */
static ExitCode add_block_value(CountList *list, const char *value)
{
    static const char wanted[] = "a block, as 256, 16,16 or 32-512 (a range, by whole warps)";
    const char *at = value;
    int64_t size, threads = 1;
    int dimensions = 0;
    do {
        at += dimensions > 0;
        if (!take_digits(&at, &size) || size < 1 || size > INT32_MAX || threads > INT32_MAX)
            return complain_count("--block", value, wanted);
        threads *= size;
    } while (*at == ',' && ++dimensions < 3);
    if (!*at)
        return add_count(list, threads);
    bool is_range = !dimensions && *at++ == '-' && take_digits(&at, &size) && !*at;
    if (!is_range || size < threads)
        return complain_count("--block", value, wanted);
    return add_count_range(list, threads, size, WARP);
}

typedef ExitCode AddCount(CountList *list, const char *value);

static ExitCode read_counts(CountList *list, const StringList *values, AddCount *add)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < values->count && code == EXIT_CLEAN; i++)
        code = add(list, values->items[i]);
    if (code == EXIT_CLEAN && !list->count)
        code = add_count(list, 0);
    return code;
}

/* Without --block: all sizes in whole warps. */
static ExitCode add_all_blocks(OccupancyCommand *command)
{
    double most = 0;
    for (size_t g = 0; g < command->inputs.gpu_count; g++)
        most = fmax(most, ptxlint_gpu_value(command->inputs.gpus[g], "threads_per_block"));
    if (!(most >= WARP)) {
        ptx_complain("occupancy", "the GPU has no largest block; give --block");
        return EXIT_USAGE;
    }
    return add_count_range(&command->threads, WARP, (int64_t)most, WARP);
}

static ExitCode check_count(const OccupancyCommand *command)
{
    size_t rows = command->registers.count * command->threads.count * command->shared.count;
    if (rows <= COMBINATIONS_MAX)
        return EXIT_CLEAN;
    ptx_complain("occupancy", "the values make more than 4096 combinations");
    return EXIT_USAGE;
}

static ExitCode read_command(OccupancyCommand *command)
{
    const Options *options = command->options;
    ExitCode code = ptx_inputs_read(&command->inputs, options);
    if (code == EXIT_CLEAN && !command->inputs.gpu_count) {
        ptx_complain("occupancy", "no GPU is given: --gpu NAME; `ptxlint gpu` lists them");
        code = EXIT_USAGE;
    }
    if (code == EXIT_CLEAN)
        code = read_counts(&command->registers, &options->registers, add_register_value);
    if (code == EXIT_CLEAN)
        code = read_counts(&command->shared, &options->shared, add_shared_value);
    if (code == EXIT_CLEAN)
        code = options->blocks.count
                   ? read_counts(&command->threads, &options->blocks, add_block_value)
                   : add_all_blocks(command);
    return code == EXIT_CLEAN ? check_count(command) : code;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void fill_occupancy(OccupancyRow *row)
{
    ptxlint_resources resources;
    ptxlint_resources_init(&resources);
    resources.threads_per_block = row->threads;
    resources.registers_per_thread = row->registers;
    resources.static_shared_bytes = row->shared;
    resources.dynamic_shared_bytes = 0;
    resources.barriers = 0;
    resources.cluster_blocks = 1;
    row->occupancy.size = sizeof row->occupancy;
    ptxlint_occupancy_compute(row->gpu, &resources, &row->occupancy);
}

static size_t combination_count(const OccupancyCommand *command)
{
    return command->registers.count * command->threads.count * command->shared.count;
}

/* Threads vary fastest, then shared memory. */
static OccupancyRow row_at(const OccupancyCommand *command, size_t gpu, size_t index)
{
    const size_t blocks = command->threads.count, sizes = command->shared.count;
    OccupancyRow row = { .gpu = command->inputs.gpus[gpu],
                         .threads = command->threads.items[index % blocks],
                         .shared = command->shared.items[index / blocks % sizes],
                         .registers = command->registers.items[index / blocks / sizes] };
    fill_occupancy(&row);
    return row;
}

static bool can_launch(const OccupancyRow *row)
{
    return !row->occupancy.error && row->occupancy.blocks_per_sm > 0;
}

static bool can_any_launch(const OccupancyCommand *command)
{
    for (size_t g = 0; g < command->inputs.gpu_count; g++)
        for (size_t i = 0; i < combination_count(command); i++) {
            OccupancyRow row = row_at(command, g, i);
            if (can_launch(&row))
                return true;
        }
    return false;
}

/* Why no block fits, with the figure of the GPU that it is about. */
static void put_why_none(const OccupancyRow *row, Text *out)
{
    const double threads = ptxlint_gpu_value(row->gpu, "threads_per_block"),
                 registers = ptxlint_gpu_value(row->gpu, "registers_per_thread"),
                 optin = ptxlint_gpu_value(row->gpu, "shared_per_block_optin"),
                 shared = optin > 0 ? optin : ptxlint_gpu_value(row->gpu, "shared_per_block");
    if ((double)row->threads > threads)
        ptx_text_print(out, "a block of %lld threads; the most is %.0f", (long long)row->threads,
                       threads);
    else if ((double)row->registers > registers)
        ptx_text_print(out, "%lld registers a thread; the most is %.0f", (long long)row->registers,
                       registers);
    else if ((double)row->shared > shared)
        ptx_text_print(out, "%lld bytes of shared memory a block; the most is %.0f",
                       (long long)row->shared, shared);
    else
        ptx_text_put(out, ptx_text_or(row->occupancy.error, "its figures are not known"));
}

static ExitCode complain_of_none(const OccupancyCommand *command)
{
    Text text = { 0 };
    OccupancyRow row = row_at(command, 0, 0);
    put_why_none(&row, &text);
    if (command->threads.count == 1 && row.threads > 1024)
        ptx_text_put(&text, "; X,Y,Z is one block, and --block may be repeated");
    ptx_complain(ptxlint_gpu_get_info(row.gpu)->name, ptx_text_or(text.bytes, "no memory"));
    ptx_text_free(&text);
    return EXIT_USAGE;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *const limit_names[PTXLINT_LIMITER_COUNT] = { "warps", "registers", "shared",
                                                                "blocks", "barriers" };

static void put_tied_limiters(const ptxlint_occupancy *o, Text *out)
{
    for (size_t i = 0; i < o->limiter_count; i++)
        ptx_text_print(out, "%s%s", ptx_text_if(i > 0, ", "), o->limiters[i]);
}

static void put_gpu_title(const ptxlint_gpu *gpu, Text *out)
{
    const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
    ptx_text_show(out, info->name);
    ptx_text_put(out, ": ");
    ptx_text_show(out, *info->product ? info->product : info->architecture);
    ptx_text_print(out, "\n  an SM has %.0f warps, %.0f registers, %.0f bytes of shared memory\n",
                   ptxlint_gpu_value(gpu, "warps_per_sm"),
                   ptxlint_gpu_value(gpu, "registers_per_sm"),
                   ptxlint_gpu_value(gpu, "shared_per_sm"));
}

/* What a combination that differs in one number would have; nothing where that is no launch. */
static void put_step(const OccupancyRow *row, const char *what, int64_t number, Text *out)
{
    OccupancyRow other = *row;
    fill_occupancy(&other);
    if (!can_launch(&other))
        return;
    ptx_text_print(out, "  at %lld %s: %lld block%s, %.1f %%, limited by ", (long long)number, what,
                   (long long)other.occupancy.blocks_per_sm,
                   ptx_plural((uint64_t)other.occupancy.blocks_per_sm), other.occupancy.percent);
    put_tied_limiters(&other.occupancy, out);
    ptx_text_put(out, "\n");
}

static void put_registers_at(const OccupancyRow *row, int64_t registers, Text *out)
{
    OccupancyRow other = *row;
    other.registers = registers;
    put_step(&other, "registers", registers, out);
}

static void put_shared_at(const OccupancyRow *row, int64_t shared, Text *out)
{
    OccupancyRow other = *row;
    other.shared = shared;
    put_step(&other, "bytes of shared memory", shared, out);
}

/* Where a block more fits, and where one less. */
static void put_next_steps(const OccupancyRow *row, Text *out)
{
    const ptxlint_occupancy *o = &row->occupancy;
    if (row->registers && o->registers_to_free > 0)
        put_registers_at(row, row->registers - o->registers_to_free, out);
    if (row->registers && o->registers_free >= 0)
        put_registers_at(row, row->registers + o->registers_free + 1, out);
    if (o->shared_to_free > 0)
        put_shared_at(row, row->shared - o->shared_to_free, out);
    if (o->shared_free >= 0)
        put_shared_at(row, row->shared + o->shared_free + 1, out);
}

static void put_allowed_blocks(const ptxlint_occupancy *o, Text *out)
{
    const char *comma = "";
    ptx_text_put(out, "  blocks that each allows: ");
    for (int i = 0; i < PTXLINT_LIMITER_COUNT; i++) {
        if (o->limits[i] < 0 || o->limits[i] == INT64_MAX)
            continue;
        ptx_text_print(out, "%s%s %lld", comma, limit_names[i], (long long)o->limits[i]);
        comma = ", ";
    }
    ptx_text_put(out, "\n");
}

static void put_best_blocks(const OccupancyRow *row, Text *out)
{
    ptxlint_resources resources;
    ptxlint_occupancy_point points[64];
    const char *comma = "";
    double percent = 0;
    ptxlint_resources_init(&resources);
    resources.registers_per_thread = row->registers;
    resources.static_shared_bytes = row->shared;
    resources.dynamic_shared_bytes = resources.barriers = 0;
    resources.cluster_blocks = 1;
    size_t count = ptxlint_occupancy_curve(row->gpu, &resources, points, 64);
    ptx_text_put(out, "  best blocks with that: ");
    for (size_t i = 0; i < count && i < 64; i++) {
        if (!points[i].is_best)
            continue;
        ptx_text_print(out, "%s%lld", comma, (long long)points[i].threads_per_block);
        percent = points[i].percent;
        comma = ", ";
    }
    ptx_text_print(out, " threads: %.1f %%\n", percent);
}

static void put_asked(const OccupancyRow *row, Text *out)
{
    ptx_text_print(out, "  %lld thread%s a block", (long long)row->threads,
                   ptx_plural((uint64_t)row->threads));
    if (row->registers)
        ptx_text_print(out, ", %lld register%s a thread", (long long)row->registers,
                       ptx_plural((uint64_t)row->registers));
    else
        ptx_text_put(out, ", registers not counted");
    if (row->shared)
        ptx_text_print(out, ", %lld bytes of shared memory a block", (long long)row->shared);
    ptx_text_put(out, "\n");
}

static void put_combination(const OccupancyRow *row, Text *out)
{
    const ptxlint_occupancy *o = &row->occupancy;
    put_asked(row, out);
    if (!can_launch(row)) {
        ptx_text_put(out, "  no block fits: ");
        put_why_none(row, out);
        ptx_text_put(out, "\n");
        return;
    }
    ptx_text_print(out, "  %lld block%s = %lld warps = %lld threads an SM: %.1f %%, limited by ",
                   (long long)o->blocks_per_sm, ptx_plural((uint64_t)o->blocks_per_sm),
                   (long long)o->warps_per_sm, (long long)o->threads_per_sm, o->percent);
    put_tied_limiters(o, out);
    ptx_text_put(out, "\n");
    put_allowed_blocks(o, out);
    put_next_steps(row, out);
    put_best_blocks(row, out);
}

static void put_combination_row(const OccupancyRow *row, Text *out)
{
    const ptxlint_occupancy *o = &row->occupancy;
    ptx_text_print(out, "  %7lld %9lld %7lld", (long long)row->threads, (long long)row->registers,
                   (long long)row->shared);
    if (can_launch(row)) {
        ptx_text_print(out, " %7lld %6lld %8lld %6.1f %%  ", (long long)o->blocks_per_sm,
                       (long long)o->warps_per_sm, (long long)o->threads_per_sm, o->percent);
        put_tied_limiters(o, out);
    } else {
        ptx_text_print(out, " %7s %6s %8s %8s  no block fits", "-", "-", "-", "-");
    }
    ptx_text_put(out, "\n");
}

static void put_occupancy_text(const OccupancyCommand *command, Text *out)
{
    const size_t count = combination_count(command);
    for (size_t g = 0; g < command->inputs.gpu_count; g++) {
        ptx_text_put(out, ptx_text_if(g > 0, "\n"));
        put_gpu_title(command->inputs.gpus[g], out);
        if (count > 1)
            ptx_text_print(out, "  %7s %9s %7s %7s %6s %8s %8s  %s\n", "threads", "registers",
                           "shared", "blocks", "warps", "resident", "percent", "limited by");
        for (size_t i = 0; i < count; i++) {
            OccupancyRow row = row_at(command, g, i);
            (count > 1 ? put_combination_row : put_combination)(&row, out);
        }
    }
}

/* ---- json and csv ---------------------------------------------------------------------------- */

static json_t *known_json(int64_t value)
{
    return value >= 0 && value != INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static json_t *limiters_json(const ptxlint_occupancy *o)
{
    Text names = { 0 };
    put_tied_limiters(o, &names);
    json_t *value = names.bytes && !names.has_failed ? json_string(names.bytes) : json_null();
    ptx_text_free(&names);
    return value;
}

/* What both have of a combination, in this order. */
static json_t *occupancy_json(const OccupancyRow *row)
{
    const ptxlint_occupancy *o = &row->occupancy;
    json_t *value = json_pack("{s:s, s:o, s:o, s:o}", "gpu", ptxlint_gpu_get_info(row->gpu)->name,
                              "threads_per_block", known_json(row->threads),
                              "registers_per_thread",
                              row->registers ? known_json(row->registers) : json_null(),
                              "shared_bytes", known_json(row->shared));
    json_object_set_new(value, "blocks_per_sm", known_json(o->blocks_per_sm));
    json_object_set_new(value, "warps_per_sm", known_json(o->warps_per_sm));
    json_object_set_new(value, "threads_per_sm", known_json(o->threads_per_sm));
    json_object_set_new(value, "occupancy_percent", ptx_json_number(o->percent));
    json_object_set_new(value, "limited_by", can_launch(row) ? limiters_json(o) : json_null());
    for (int i = 0; i < PTXLINT_LIMITER_COUNT; i++) {
        char key[32];
        snprintf(key, sizeof key, "blocks_by_%s", limit_names[i]);
        json_object_set_new(value, key, known_json(o->limits[i]));
    }
    json_object_set_new(value, "registers_to_free", known_json(o->registers_to_free));
    json_object_set_new(value, "registers_free", known_json(o->registers_free));
    json_object_set_new(value, "shared_to_free", known_json(o->shared_to_free));
    json_object_set_new(value, "shared_free", known_json(o->shared_free));
    json_object_set_new(value, "error", ptx_text_json(o->error));
    return value;
}

static json_t *occupancies_json(const OccupancyCommand *command)
{
    json_t *rows = json_array();
    for (size_t g = 0; g < command->inputs.gpu_count; g++)
        for (size_t i = 0; i < combination_count(command); i++) {
            OccupancyRow row = row_at(command, g, i);
            json_array_append_new(rows, occupancy_json(&row));
        }
    return rows;
}

static void put_occupancies(const OccupancyCommand *command, Text *out)
{
    if (command->options->output.format == FORMAT_TEXT) {
        put_occupancy_text(command, out);
        return;
    }
    json_t *rows = occupancies_json(command);
    if (command->options->output.format == FORMAT_CSV) {
        ptx_json_csv(out, rows);
        json_decref(rows);
    } else {
        ptx_json_write(out, json_pack("{s:s, s:o}", "schema", "ptxlint-occupancy/1", "occupancies",
                                      rows));
    }
}

ExitCode ptx_occupancy(const Options *options)
{
    OccupancyCommand command = { .options = options };
    Text out = { 0 };
    ExitCode code = read_command(&command);
    if (code == EXIT_CLEAN && !can_any_launch(&command))
        code = complain_of_none(&command);
    if (code == EXIT_CLEAN) {
        put_occupancies(&command, &out);
        code = ptx_output_text(options, &out);
    }
    ptx_text_free(&out);
    free(command.registers.items);
    free(command.threads.items);
    free(command.shared.items);
    ptx_inputs_free(&command.inputs);
    return code;
}
