/* gpu_measure.c -- gpu measure: runs our kernels on the GPU of this machine, and says what came of
 * it. */
#include "cli/measured/gpu_measure.h"
#include "cli/rule_json.h"
#include "support/choice.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_MS = 90000, PROBE_LIMIT_MS = 10000 };

/* ---- progress -------------------------------------------------------------------------------- */

static void show_measuring(void *context, const char *key, size_t done, size_t count)
{
    Progress *progress = context;
    if (!progress->is_wanted)
        return;
    fprintf(stderr, "\r\033[K %zu of %zu: %s", done, count, key);
    fflush(stderr);
    progress->is_shown = true;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_measured_number(Text *out, double value, int width)
{
    char text[32] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.4g", value);
    ptx_text_print(out, " %*s", width, text);
}

static void put_spread(Text *out, const MeasuredValue *value)
{
    char text[48];
    snprintf(text, sizeof text, "%.4g-%.4g", value->low, value->high);
    ptx_text_print(out, " %15s", text);
}

static void put_measured_row(Text *out, const MeasuredValue *value, const ptxlint_gpu *base)
{
    ptx_text_print(out, "%-17s", value->key);
    put_measured_number(out, value->value, 8);
    if (isfinite(value->value))
        put_spread(out, value);
    else
        ptx_text_print(out, " %15s", "-");
    put_measured_number(out, base ? ptx_measured_published(value, base) : (double)NAN, 8);
    ptx_text_print(out, " %s", value->unit);
    if (base && ptx_measured_contradicts(value, base))
        ptx_text_put(out, "  differs");
    ptx_text_put(out, "\n");
    if (!isfinite(value->value)) {
        ptx_text_put(out, "    not measured: ");
        ptx_text_show(out, value->why);
        ptx_text_put(out, "\n");
    }
}

static void put_device(Text *out, const MeasuredDevice *device)
{
    ptx_text_show(out, device->name);
    ptx_text_print(out, ", sm_%u%u, %.0f SMs, up to %.0f MHz, %.0f MiB, driver for CUDA %u.%u\n",
                   device->major, device->minor, device->sms, device->clock_most_mhz,
                   device->memory_mib, device->driver_version / 1000,
                   device->driver_version % 1000 / 10);
}

/* What the reader is to make of the column. */
static void put_contradictions(Text *out, const Measurement *m, const ptxlint_gpu *base)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!ptx_measured_contradicts(&m->values[i], base))
            continue;
        count++;
        ptx_text_print(out, "%s is %.3g times what %s has", m->values[i].key,
                       m->values[i].value / ptx_measured_published(&m->values[i], base),
                       ptxlint_gpu_get_info(base)->name);
        ptx_text_put(out, ptx_text_if(ptx_figure_is_kept(&m->values[i], base),
                                      "; a bound rests on that, and it stays"));
        ptx_text_put(out, ptx_text_if(!m->values[i].figure,
                                      "; that is the most it can be, and bounds rest on it: "
                                      "please report it"));
        ptx_text_put(out, ".\n");
    }
    ptx_text_print(out, "%zu figure%s of %s contradicted: beyond the spread and 5 %%.\n", count,
                   ptx_plural(count), ptxlint_gpu_get_info(base)->name);
}

static void put_measured_text(Text *out, const Measurement *m, const ptxlint_gpu *base)
{
    Text lines = { 0 };
    put_device(&lines, &m->device);
    ptx_text_print(&lines, "%-17s %8s %15s %8s unit\n", "figure", "median", "spread",
                   base ? ptxlint_gpu_get_info(base)->name : "-");
    for (size_t i = 0; i < m->count; i++)
        put_measured_row(&lines, &m->values[i], base);
    if (base)
        put_contradictions(&lines, m, base);
    if (lines.bytes)
        ptx_text_fold(out, lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

/* ---- documents ------------------------------------------------------------------------------- */

static json_t *measured_json(const MeasuredValue *value, const ptxlint_gpu *base)
{
    json_t *row = json_pack("{s:s, s:s?, s:s}", "key", value->key, "figure", value->figure, "unit",
                            value->unit);
    json_object_set_new(row, "value", ptx_json_number(value->value));
    json_object_set_new(row, "low", ptx_json_number(value->low));
    json_object_set_new(row, "high", ptx_json_number(value->high));
    json_object_set_new(row, "runs", json_integer(value->runs));
    json_object_set_new(row, "known",
                        ptx_json_number(base ? ptx_measured_published(value, base) : (double)NAN));
    json_object_set_new(row, "differs",
                        json_boolean(base && ptx_measured_contradicts(value, base)));
    json_object_set_new(row, "how", json_string(value->how));
    json_object_set_new(row, "why", *value->why ? ptx_text_json(value->why) : json_null());
    return row;
}

static json_t *device_json(const MeasuredDevice *device)
{
    json_t *value = json_pack("{s:o}", "name", ptx_text_json(device->name));
    json_object_set_new(value, "compute_capability",
                        json_integer(10 * (json_int_t)device->major + device->minor));
    json_object_set_new(value, "driver_version", json_integer(device->driver_version));
    json_object_set_new(value, "sms", ptx_json_number(device->sms));
    json_object_set_new(value, "clock_most_mhz", ptx_json_number(device->clock_most_mhz));
    json_object_set_new(value, "l2_bytes", ptx_json_number(device->l2_bytes));
    json_object_set_new(value, "memory_mib", ptx_json_number(device->memory_mib));
    json_object_set_new(value, "memory_gb_per_s", ptx_json_number(device->memory_gb_per_s));
    return value;
}

static json_t *measured_rows_json(const Measurement *m, const ptxlint_gpu *base)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < m->count; i++)
        json_array_append_new(rows, measured_json(&m->values[i], base));
    return rows;
}

static void put_measured_json(Text *out, const Measurement *m, const ptxlint_gpu *base)
{
    ptx_json_write(out, json_pack("{s:s, s:o, s:s?, s:o}", "schema", "ptxlint-gpu-measure/1",
                                  "device", device_json(&m->device), "base",
                                  base ? ptxlint_gpu_get_info(base)->name : NULL, "values",
                                  measured_rows_json(m, base)));
}

static void put_measured_csv(Text *out, const Measurement *m, const ptxlint_gpu *base)
{
    json_t *rows = measured_rows_json(m, base);
    ptx_json_csv(out, rows);
    json_decref(rows);
}

/* ---- the command ----------------------------------------------------------------------------- */

static ExitCode write_measured(const Options *options, const Document *document,
                               const Measurement *m, const ptxlint_gpu *base)
{
    Options with = *options;
    Text out = { 0 };
    with.output = *document;
    switch (document->format) {
    case FORMAT_JSON:
        put_measured_json(&out, m, base);
        break;
    case FORMAT_CSV:
        put_measured_csv(&out, m, base);
        break;
    default:
        put_measured_text(&out, m, base);
    }
    ExitCode code = ptx_output_text(&with, &out);
    ptx_text_free(&out);
    return code;
}

static ExitCode write_gpu_file(const Options *options, const Measurement *m,
                               const ptxlint_gpu *base)
{
    Options with = *options;
    Text out = { 0 };
    const Document table = { FORMAT_TEXT, NULL };
    ExitCode code = write_measured(options, &table, m, base);
    if (!base) {
        ptx_complain(m->device.name, "no GPU file is written: its architecture is not known");
        return exit_code_max(code, EXIT_INPUT);
    }
    with.output = options->outputs[0];
    ptx_gpu_file_put(&out, m, base);
    code = exit_code_max(code, ptx_output_text(&with, &out));
    ptx_text_free(&out);
    return code;
}

static ExitCode write_measurement(const Options *options, const Measurement *m)
{
    const ptxlint_gpu *base = ptx_measured_base(&m->device);
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < options->output_count; i++)
        code = exit_code_max(code, ptx_writes_gpu_file(options, i)
                                       ? write_gpu_file(options, m, base)
                                       : write_measured(options, &options->outputs[i], m, base));
    return code;
}

ExitCode ptx_gpu_measure(const Options *options)
{
    static const char program_name[] = "ptxlint-measure";
    static Measurement measurement;
    Progress progress;
    char *program = ptx_installed_find(program_name);
    if (!program) {
        ptx_complain(program_name, "is not installed beside this program");
        return EXIT_USAGE;
    }
    ptx_progress_begin(&progress);
    const MeasureRequest request = { program, LIMIT_MS, PROBE_LIMIT_MS, show_measuring, &progress };
    ptx_measure_run(&request, &measurement);
    ptx_progress_clear(&progress);
    free(program);
    if (*measurement.trouble)
        ptx_complain("gpu measure", measurement.trouble);
    if (!measurement.has_device)
        return EXIT_INPUT;
    ptx_measure_derive(&measurement, ptx_measured_base(&measurement.device));
    ExitCode code = write_measurement(options, &measurement);
    return *measurement.trouble ? exit_code_max(code, EXIT_INPUT) : code;
}
