/* The document about GPUs: figures, pipelines and their sources; gpus_text.c has it for people.
 * Without a GPU: which there are. */
#include "report/csv.h"
#include "report/json_writer.h"

#include <math.h>
#include <stdio.h>

/* What the list of all GPUs has of each. */
static const char *const list_keys[] = { "sms", "clock_mhz", "memory_gb_per_s" };

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_figures(Json *json, const char *key, const ptxlint_gpu *gpu)
{
    ptxlint_figure figure;
    ptx_json_object(json, key);
    for (size_t i = 0; ptxlint_gpu_figure(gpu, i, &figure); i++) {
        ptx_json_object(json, figure.key);
        ptx_json_real(json, "value", figure.value);
        ptx_json_name(json, "unit", figure.unit);
        ptx_json_name(json, "section", figure.section);
        ptx_json_name(json, "what", figure.what);
        ptx_json_name(json, "source", figure.source);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_gpu_rates(Json *json, const char *key, const ptxlint_gpu *gpu, size_t pipe)
{
    const char *class;
    ptx_json_object(json, key);
    for (size_t c = 0;; c++) {
        double rate = ptxlint_gpu_rate(gpu, pipe, c, &class);
        if (!class)
            break;
        if (isfinite(rate))
            ptx_json_real(json, class, rate);
    }
    ptx_json_end(json);
}

static void put_pipes(Json *json, const char *key, const ptxlint_gpu *gpu)
{
    ptxlint_pipe pipe;
    ptx_json_object(json, key);
    for (size_t i = 0; ptxlint_gpu_pipe(gpu, i, &pipe); i++) {
        ptx_json_object(json, pipe.key);
        ptx_json_real(json, "lanes", pipe.lanes);
        ptx_json_name(json, "what", pipe.what);
        ptx_json_name(json, "source", pipe.source);
        put_gpu_rates(json, "rates", gpu, i);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_json(Out *out, const ptxlint_gpu *gpu, bool is_list)
{
    const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_object(json, NULL);
    ptx_json_name(json, "name", info->name);
    ptx_json_name(json, "sm", info->sm);
    ptx_json_name(json, "product", info->product);
    ptx_json_name(json, "architecture", info->architecture);
    for (size_t i = 0; is_list && i < sizeof list_keys / sizeof *list_keys; i++)
        ptx_json_real(json, list_keys[i], ptxlint_gpu_value(gpu, list_keys[i]));
    if (!is_list) {
        put_figures(json, "figures", gpu);
        put_pipes(json, "pipes", gpu);
    }
    ptx_json_end(json);
}

/* one of the count given, or of all GPUs where count is 0; NULL behind the last */
static const ptxlint_gpu *listed_gpu(const ptxlint_gpu *const *gpus, size_t count, size_t i)
{
    if (!count)
        return ptxlint_gpu_at(i);
    return i < count ? gpus[i] : NULL;
}

static void write_gpu_json(Out *out, const ptxlint_gpu *const *gpus, size_t count)
{
    const ptxlint_gpu *gpu;
    ptx_out_text(out, "{");
    ptx_json_head(out, "ptxlint-gpus/1");
    ptx_out_text(out, "\"gpus\":[");
    for (size_t i = 0; (gpu = listed_gpu(gpus, count, i)); i++) {
        ptx_out_text(out, i ? ",\n" : "\n");
        put_json(out, gpu, !count);
    }
    ptx_out_text(out, "]}\n");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void put_gpu_row(Csv *csv, const char *name, const ptxlint_figure *figure)
{
    ptx_csv_text(csv, name);
    ptx_csv_text(csv, figure->section);
    ptx_csv_text(csv, figure->key);
    ptx_csv_real(csv, figure->value);
    ptx_csv_text(csv, figure->unit);
    ptx_csv_text(csv, figure->what);
    ptx_csv_text(csv, figure->source);
    ptx_csv_end(csv);
}

static void put_csv_rates(Csv *csv, const char *name, const ptxlint_gpu *gpu, size_t pipe,
                          const ptxlint_pipe *of)
{
    const char *key;
    for (size_t c = 0;; c++) {
        char text[64];
        double rate = ptxlint_gpu_rate(gpu, pipe, c, &key);
        if (!key)
            return;
        snprintf(text, sizeof text, "%s.%s", of->key, key);
        if (isfinite(rate))
            put_gpu_row(
                csv, name,
                &(ptxlint_figure){ text, "rate", "operations/clk/SM", "", rate, of->source });
    }
}

static void put_csv(Csv *csv, const ptxlint_gpu *gpu)
{
    const char *name = ptx_report_gpu_name(gpu);
    ptxlint_figure figure;
    ptxlint_pipe pipe;
    for (size_t i = 0; ptxlint_gpu_figure(gpu, i, &figure); i++)
        put_gpu_row(csv, name, &figure);
    for (size_t i = 0; ptxlint_gpu_pipe(gpu, i, &pipe); i++) {
        put_gpu_row(csv, name,
                    &(ptxlint_figure){ pipe.key, "pipe", "results/clk/SM", pipe.what, pipe.lanes,
                                       pipe.source });
        put_csv_rates(csv, name, gpu, i, &pipe);
    }
}

static void put_csv_list(Csv *csv)
{
    const ptxlint_gpu *gpu;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        const ptxlint_gpu_info *info = ptxlint_gpu_get_info(gpu);
        ptx_csv_text(csv, info->name);
        ptx_csv_text(csv, info->product);
        ptx_csv_text(csv, info->architecture);
        ptx_csv_text(csv, info->sm);
        for (size_t k = 0; k < sizeof list_keys / sizeof *list_keys; k++)
            ptx_csv_real(csv, ptxlint_gpu_value(gpu, list_keys[k]));
        ptx_csv_end(csv);
    }
}

static void write_csv(Out *out, const ptxlint_gpu *const *gpus, size_t count)
{
    Csv csv = { .out = out };
    ptx_out_text(out, count ? "gpu,section,key,value,unit,what,source\r\n"
                            : "gpu,product,architecture,sm,sms,clock_mhz,memory_gb_per_s\r\n");
    if (!count)
        put_csv_list(&csv);
    for (size_t i = 0; i < count; i++)
        put_csv(&csv, gpus[i]);
}

/* ---- the document ---------------------------------------------------------------------------- */

static bool is_sound(const ptxlint_gpu *const *gpus, size_t count,
                     const ptxlint_write_options *options)
{
    if (count && !gpus)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!gpus[i])
            return false;
    return options->size == sizeof *options
           && (options->format == PTXLINT_TEXT || options->format == PTXLINT_JSON
               || options->format == PTXLINT_CSV);
}

ptxlint_status ptxlint_write_gpus(const ptxlint_gpu *const *gpus, size_t count,
                                  const ptxlint_write_options *options, ptxlint_write_fn write,
                                  void *context)
{
    ptxlint_write_options defaults;
    Out out;
    if (!options) {
        ptxlint_write_options_init(&defaults);
        options = &defaults;
    }
    if (!write || !is_sound(gpus, count, options))
        return PTXLINT_BAD_ARGUMENT;
    ptx_out_init(&out, write, context);
    out.has_color = options->color;
    if (options->format == PTXLINT_JSON)
        write_gpu_json(&out, gpus, count);
    else if (options->format == PTXLINT_CSV)
        write_csv(&out, gpus, count);
    else if (count)
        ptx_table_figures(&out, gpus, count);
    else
        ptx_table_all_gpus(&out);
    ptx_out_flush(&out);
    return out.status;
}
