/* verify.c -- measured times against what the GPU can do: a verdict for each row of a file. */
#include "cli/measured/measured_inputs.h"
#include "cli/rule_json.h"
#include "support/choice.h"
#include "support/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct VerifyRow {
    ptxlint_measurement said;
    size_t number;                      /* in the file, from 1 */
    const char *path, *gpu;             /* NULL: no kernel is held to it */
    const ptxlint_kernel *kernel;
    const ptxlint_diagnostic *finding;  /* whose repair gains most; NULL */
    int64_t grid[3], block[3];
    ptxlint_verified verified;
} VerifyRow;

typedef struct VerifyCommand {
    const Options *options;
    MeasuredInputs inputs;
    VerifyRow *rows;
    size_t count, capacity;
    size_t counts[PTXLINT_VERDICT_SLOWER + 1];
    size_t too_slow;                    /* beyond --max-slowdown */
} VerifyCommand;

/* ---- a row ----------------------------------------------------------------------------------- */

static ExitCode append_verify_row(VerifyCommand *verify, const VerifyRow *row)
{
    const ptxlint_verified *v = &row->verified;
    const double most = verify->options->max_slowdown;
    if (!ptx_list_reserve(&verify->rows, &verify->capacity, verify->count + 1,
                          sizeof *verify->rows))
        return ptx_complain_memory();
    verify->rows[verify->count++] = *row;
    verify->counts[v->verdict]++;
    verify->too_slow += v->verdict == PTXLINT_VERDICT_SLOWER && most > 0 && v->slowdown > most;
    return EXIT_CLEAN;
}

/* A row that no kernel is held to. */
static ExitCode append_unknown(VerifyCommand *verify, VerifyRow *row, const char *why)
{
    const double unknown = (double)NAN;
    row->verified = (ptxlint_verified){ .measured_us = row->said.us,
                                        .least_us = unknown,
                                        .least_warm_us = unknown,
                                        .slowdown = unknown,
                                        .time = { .bound_us = unknown,
                                                  .predicted_us = unknown,
                                                  .low_us = unknown,
                                                  .high_us = unknown } };
    snprintf(row->verified.reason, sizeof row->verified.reason, "Nothing can be said: %s.", why);
    return append_verify_row(verify, row);
}

/* Of the kernel, by what repairing it gains. */
static const ptxlint_diagnostic *find_best_finding(const ptxlint_module *module,
                                           const ptxlint_kernel *kernel)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count), *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool is_of_kernel = all[i].kernel && !strcmp(all[i].kernel, kernel->name);
        if (is_of_kernel && !all[i].suppression && all[i].gain_percent > 0
            && (!best || all[i].gain_percent > best->gain_percent))
            best = &all[i];
    }
    return best;
}

static void set_extents(const int64_t said[3], const int64_t known[3], int64_t out[3])
{
    memcpy(out, said[0] > 0 ? said : known, 3 * sizeof *out);
}

static ExitCode hold_row(VerifyCommand *verify, const ptxlint_module *module, VerifyRow *row,
                         size_t g)
{
    const Options *options = verify->options;
    ptxlint_verify_options with;
    ptxlint_verify_options_init(&with);
    with.gpu = g;
    with.is_warm = options->is_warm;
    with.clock_mhz = options->clock_mhz;
    row->verified.size = sizeof row->verified;
    set_extents(row->said.grid, row->kernel->launch.grid, row->grid);
    set_extents(row->said.block, row->kernel->launch.block, row->block);
    ptxlint_status status = ptxlint_verify(module, row->kernel->name, verify->inputs.measurements,
                                           row->number - 1, &with, &row->verified);
    if (status == PTXLINT_BAD_ARGUMENT)
        return append_unknown(verify, row, "its code has errors, see ptxlint check");
    if (status != PTXLINT_OK)
        return ptx_complain_status(row->path, status);
    if (row->verified.verdict == PTXLINT_VERDICT_SLOWER)
        row->finding = find_best_finding(module, row->kernel);
    return append_verify_row(verify, row);
}

/* On each GPU that it may be of. */
static ExitCode hold_on_gpus(VerifyCommand *verify, const ptxlint_module *module, VerifyRow *row)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    const char *name = row->said.gpu;
    const bool is_named = name && ptx_is_known_gpu(name);
    size_t held = 0;
    ExitCode code = EXIT_CLEAN;
    for (size_t g = 0; g < info->gpu_count && code == EXIT_CLEAN; g++) {
        if (is_named && !ptx_is_gpu_called(info->gpus[g], name))
            continue;
        row->gpu = ptxlint_gpu_get_info(info->gpus[g])->name;
        held++;
        code = hold_row(verify, module, row, g);
    }
    if (!held && code == EXIT_CLEAN)
        code = append_unknown(verify, row,
                              is_named ? "--gpu leaves out the GPU that the row names"
                                       : "no file describes the GPU of the target; give --gpu");
    return code;
}

static ExitCode verify_row(VerifyCommand *verify, size_t index, size_t *matched)
{
    VerifyRow row = { .number = index + 1, .said = { .size = sizeof row.said } };
    ptxlint_measurement_at(verify->inputs.measurements, index, &row.said);
    const MeasuredKernel found = ptx_measured_kernel(&verify->inputs, index);
    if (found.module && !ptx_is_asked(verify->options, found.kernel))
        return EXIT_CLEAN;
    *matched += found.count > 0;
    if (!found.count)
        return append_unknown(verify, &row, "no input has such a kernel");
    if (found.count > 1)
        return append_unknown(verify, &row,
                              "several kernels of the inputs fit; a column `file` tells which");
    row.kernel = found.kernel;
    row.path = found.path;
    return hold_on_gpus(verify, found.module, &row);
}

static ExitCode verify_rows(VerifyCommand *verify)
{
    ExitCode code = EXIT_CLEAN;
    size_t matched = 0;
    ptxlint_measurement said = { .size = sizeof said };
    const ptxlint_measurements *all = verify->inputs.measurements;
    for (size_t i = 0; code == EXIT_CLEAN && ptxlint_measurement_at(all, i, &said); i++)
        code = verify_row(verify, i, &matched);
    if (code == EXIT_CLEAN && !matched && !verify->inputs.is_part) {
        ptx_complain(verify->options->measured_path,
                     "no row is of a kernel that is asked for in the inputs");
        code = EXIT_USAGE;
    }
    return code;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *name_of_row(const VerifyRow *row)
{
    if (row->kernel)
        return ptx_text_or(row->kernel->demangled, row->kernel->name);
    return ptx_text_or(row->said.kernel, "(no name)");
}

static void put_verify_time(Text *out, double us, int width)
{
    char text[32] = "-";
    if (isfinite(us))
        snprintf(text, sizeof text, "%.4g", us);
    ptx_text_print(out, " %*s", width, text);
}

/* "4096x2" without the ones behind the first. */
static void put_extents(Text *out, const int64_t size[3])
{
    int last = 2;
    while (last && size[last] <= 1)
        last--;
    for (int i = 0; i <= last && size[0] > 0; i++)
        ptx_text_print(out, "%s%lld", ptx_text_if(i, "x"), (long long)size[i]);
    if (size[0] <= 0)
        ptx_text_put(out, "?");
}

static void put_launch(Text *out, const VerifyRow *row)
{
    ptx_text_put(out, " <<<");
    put_extents(out, row->grid);
    ptx_text_put(out, ", ");
    put_extents(out, row->block);
    ptx_text_put(out, ">>>");
}

static void put_verify_finding(Text *out, const ptxlint_diagnostic *finding)
{
    ptx_text_print(out, "    %s (%s) would gain up to %.3g %% of %s", finding->rule, finding->name,
                   finding->gain_percent, ptx_text_or(finding->gain_of, "time"));
    if (finding->source_path)
        ptx_text_print(out, ", line %u of the CUDA source", finding->source_line);
    ptx_text_put(out, ".\n");
}

static void put_verify_band(const ptxlint_verified *v, Text *out)
{
    char band[32] = "-";
    if (isfinite(v->time.low_us) && isfinite(v->time.high_us))
        snprintf(band, sizeof band, "%.4g-%.4g", v->time.low_us, v->time.high_us);
    ptx_text_print(out, " %13s ", band);
}

static void put_verify_row(const VerifyRow *row, bool has_gpu, Text *out)
{
    const ptxlint_verified *v = &row->verified;
    ptx_text_print(out, "%-12s", ptxlint_verdict_name(v->verdict));
    put_verify_time(out, v->measured_us, 8);
    put_verify_time(out, v->least_us, 6);
    put_verify_band(v, out);
    ptx_text_show(out, name_of_row(row));
    if (row->kernel)
        put_launch(out, row);
    if (has_gpu && row->gpu)
        ptx_text_print(out, " on %s", row->gpu);
    ptx_text_put(out, "\n");
    if (v->verdict == PTXLINT_VERDICT_PREDICTED)
        return;
    ptx_text_put(out, "    ");
    ptx_text_show(out, v->reason);
    ptx_text_put(out, "\n");
    if (row->finding)
        put_verify_finding(out, row->finding);
}

static void put_verify_summary(const VerifyCommand *verify, Text *out)
{
    const char *comma = "";
    ptx_text_print(out, "%zu row%s: ", verify->count, ptx_plural(verify->count));
    for (int v = PTXLINT_VERDICT_SLOWER; v >= 0; v--) {
        if (!verify->counts[v])
            continue;
        ptx_text_print(out, "%s%zu %s", comma, verify->counts[v],
                       ptxlint_verdict_name((ptxlint_verdict)v));
        comma = ", ";
    }
    ptx_text_put(out, ".\n");
}

/* Of all rows; NULL: of several, or none. */
static const char *only_gpu(const VerifyCommand *verify)
{
    const char *gpu = NULL;
    for (size_t i = 0; i < verify->count; i++) {
        const char *other = verify->rows[i].gpu;
        if (gpu && other && strcmp(gpu, other) != 0)
            return NULL;
        gpu = ptx_text_or(other, gpu);
    }
    return gpu;
}

static void put_verify_text(const VerifyCommand *verify, Text *out)
{
    Text lines = { 0 };
    const char *gpu = only_gpu(verify);
    ptx_text_print(&lines, "Times in us%s%s.\n", ptx_text_if(gpu != NULL, ", on "),
                   ptx_text_or(gpu, ""));
    ptx_text_print(&lines, "%-12s %8s %6s %13s %s\n", "verdict", "measured", "least", "predicted",
                   "kernel and launch");
    for (size_t i = 0; i < verify->count; i++)
        put_verify_row(&verify->rows[i], !gpu, &lines);
    put_verify_summary(verify, &lines);
    if (lines.bytes)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

/* ---- documents ------------------------------------------------------------------------------- */

static json_t *extents_json(const int64_t size[3])
{
    return size[0] > 0 ? ptx_json_sizes(size) : json_null();
}

/* What both JSON and CSV have of a row, in this order. */
static json_t *verify_json(const VerifyRow *row)
{
    const ptxlint_verified *v = &row->verified;
    json_t *value = json_pack("{s:I, s:s?, s:s?, s:s?, s:s}", "row", (json_int_t)row->number,
                              "kernel", row->kernel ? row->kernel->name : row->said.kernel, "path",
                              row->path, "gpu", row->gpu, "verdict",
                              ptxlint_verdict_name(v->verdict));
    json_object_set_new(value, "measured_us", ptx_json_number(v->measured_us));
    json_object_set_new(value, "least_us", ptx_json_number(v->least_us));
    json_object_set_new(value, "least_by", ptx_text_json(v->least_by));
    json_object_set_new(value, "least_warm_us", ptx_json_number(v->least_warm_us));
    json_object_set_new(value, "bound_time_us", ptx_json_number(v->time.bound_us));
    json_object_set_new(value, "low_time_us", ptx_json_number(v->time.low_us));
    json_object_set_new(value, "predicted_time_us", ptx_json_number(v->time.predicted_us));
    json_object_set_new(value, "high_time_us", ptx_json_number(v->time.high_us));
    json_object_set_new(value, "slowdown", ptx_json_number(v->slowdown));
    json_object_set_new(value, "limiter", ptx_text_json(v->time.limiter));
    json_object_set_new(value, "finding", ptx_text_json(row->finding ? row->finding->rule : NULL));
    json_object_set_new(value, "reason", json_string(v->reason));
    return value;
}

static void put_verify_json(const VerifyCommand *verify, Text *out)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < verify->count; i++) {
        json_t *row = verify_json(&verify->rows[i]);
        json_object_set_new(row, "grid", extents_json(verify->rows[i].grid));
        json_object_set_new(row, "block", extents_json(verify->rows[i].block));
        json_array_append_new(rows, row);
    }
    ptx_json_write(out, json_pack("{s:s, s:b, s:o}", "schema", "ptxlint-verify/1", "is_warm",
                                  verify->options->is_warm, "rows", rows));
}

static void put_verify_csv(const VerifyCommand *verify, Text *out)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < verify->count; i++)
        json_array_append_new(rows, verify_json(&verify->rows[i]));
    ptx_json_csv(out, rows);
    json_decref(rows);
}

static void put_verify_markdown(const VerifyCommand *verify, Text *out)
{
    ptx_text_put(out, "| verdict | measured us | least us | predicted us | kernel | why |\n"
                      "| --- | ---: | ---: | ---: | --- | --- |\n");
    for (size_t i = 0; i < verify->count; i++) {
        const VerifyRow *row = &verify->rows[i];
        const ptxlint_verified *v = &row->verified;
        ptx_text_print(out, "| %s |", ptxlint_verdict_name(v->verdict));
        put_verify_time(out, v->measured_us, 0);
        ptx_text_put(out, " |");
        put_verify_time(out, v->least_us, 0);
        ptx_text_put(out, " |");
        put_verify_time(out, v->time.low_us, 0);
        ptx_text_put(out, " to");
        put_verify_time(out, v->time.high_us, 0);
        ptx_text_put(out, " | ");
        ptx_text_markdown(out, name_of_row(row), false);
        ptx_text_put(out, " | ");
        ptx_text_markdown(out, v->reason, true);
        ptx_text_put(out, " |\n");
    }
    ptx_text_put(out, "\n");
    put_verify_summary(verify, out);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void put_verdicts(void *self, const Options *options, Text *out)
{
    const VerifyCommand *verify = self;
    switch (options->output.format) {
    case FORMAT_JSON:
        put_verify_json(verify, out);
        break;
    case FORMAT_CSV:
        put_verify_csv(verify, out);
        break;
    case FORMAT_MARKDOWN:
        put_verify_markdown(verify, out);
        break;
    default:
        put_verify_text(verify, out);
    }
}

static ExitCode write_verdicts(VerifyCommand *verify)
{
    ExitCode code = ptx_output_each(verify->options, put_verdicts, verify);
    if (verify->counts[PTXLINT_VERDICT_IMPOSSIBLE] || verify->too_slow)
        code = exit_code_max(code, EXIT_FOUND);
    return verify->inputs.is_part ? exit_code_max(code, EXIT_INPUT) : code;
}

ExitCode ptx_verify(const Options *options)
{
    Inputs inputs = { 0 };
    Book book = { 0 };
    VerifyCommand verify = { .options = options, .inputs = { .options = options } };
    const MeasuredOpening how = { &inputs, false, NULL };
    ExitCode code = exit_code_max(ptx_inputs_read(&inputs, options), ptx_book_open(&book, options));
    if (code == EXIT_CLEAN)
        code = ptx_measured_read(&verify.inputs, &book);
    if (code == EXIT_CLEAN)
        code = ptx_measured_open(&verify.inputs, &how, &book);
    if (code == EXIT_CLEAN)
        code = verify_rows(&verify);
    if (code == EXIT_CLEAN)
        code = write_verdicts(&verify);
    free(verify.rows);
    ptx_measured_free(&verify.inputs);
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}
