/* The documents: which modules, kernels and diagnostics go into one, and what stands between them. */
#include "report/report.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef struct Buffer {
    char *bytes;
    size_t length, capacity;
} Buffer;

struct ptxlint_writer {
    ptxlint_document document;
    ptxlint_write_options options;
    Out out;
    Sources sources;
    Totals totals;
    bool has_item;              /* the JSON array being written has an element */

    /* JSON reports: "diagnostics" comes after all files, so it waits here. */
    Out late;
    Buffer late_bytes;
    bool has_late;
    Buffer gpus;                /* members "gpu" and "gpus" of the modules so far; they outlive neither module nor GPU */
    bool has_module;
    bool has_different_gpus;
};

static int buffer_write(void *context, const char *bytes, size_t length)
{
    Buffer *buffer = context;
    if (length > buffer->capacity - buffer->length) {
        size_t capacity = 2 * buffer->capacity + length;
        char *grown = capacity >= length ? realloc(buffer->bytes, capacity) : NULL;
        if (!grown)
            return -1;
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return 0;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

void ptxlint_write_options_init(ptxlint_write_options *options)
{
    *options = (ptxlint_write_options){ .size = sizeof *options, .format = PTXLINT_TEXT };
}

static bool is_kernel_selected(const ptxlint_write_options *options, const char *name)
{
    return !options->kernel_glob || fnmatch(options->kernel_glob, name, 0) == 0;
}

/* One outside any function concerns every kernel, so no kernel_glob hides it. */
static bool is_selected(const ptxlint_write_options *options, const ptxlint_diagnostic *diagnostic)
{
    if (diagnostic->kernel && !is_kernel_selected(options, diagnostic->kernel))
        return false;
    if (!options->groups)
        return true;
    for (size_t i = 0; i < options->group_count; i++)
        if (!strcmp(options->groups[i], diagnostic->group))
            return true;
    return false;
}

const char *ptx_report_severity(ptxlint_severity severity)
{
    return severity == PTXLINT_ERROR ? "error" : severity == PTXLINT_WARNING ? "warning" : "note";
}

const char *ptx_report_certainty(ptxlint_certainty certainty)
{
    switch (certainty) {
    case PTXLINT_EXACT:     return "exact";
    case PTXLINT_BOUND:     return "bound";
    case PTXLINT_ESTIMATE:  return "estimate";
    case PTXLINT_NOT_KNOWN: break;
    }
    return "unknown";
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static void count_module(const ptxlint_module *module, const ptxlint_write_options *options, size_t counts[4])
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (is_selected(options, &diagnostics[i]))
            counts[diagnostics[i].severity]++;
}

void ptxlint_count_diagnostics(const ptxlint_module *const *modules, size_t count, const ptxlint_write_options *options,
                               size_t counts[4])
{
    ptxlint_write_options defaults;
    if (!options) {
        ptxlint_write_options_init(&defaults);
        options = &defaults;
    }
    memset(counts, 0, 4 * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        count_module(modules[i], options, counts);
}

/* Diagnostics and functions both come by position, so one walk along the two finds the functions with diagnostics. */
static void totals_add(Totals *totals, const ptxlint_module *module, const ptxlint_write_options *options)
{
    size_t diagnostic_count, kernel_count, d = 0;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &diagnostic_count);
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &kernel_count);
    count_module(module, options, totals->counts);
    for (size_t k = 0; k < kernel_count; k++) {
        if (!is_kernel_selected(options, kernels[k].name))
            continue;
        totals->kernel_count++;
        totals->func_count += !kernels[k].is_entry;
        bool is_found = false;
        for (; d < diagnostic_count && diagnostics[d].span.begin < kernels[k].span.end; d++)
            is_found |= diagnostics[d].span.begin >= kernels[k].span.begin && is_selected(options, &diagnostics[d]);
        totals->found_count += is_found;
    }
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static void put_separator(Out *out, bool *has_item)
{
    ptx_out_text(out, *has_item ? ",\n" : "\n");
    *has_item = true;
}

static void add_diagnostics(ptxlint_writer *writer, const ptxlint_module *module, Out *out, bool *has_item)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count && out->status == PTXLINT_OK; i++) {
        if (!is_selected(&writer->options, &diagnostics[i]))
            continue;
        switch (writer->options.format) {
        case PTXLINT_TEXT:
            ptx_text_diagnostic(out, &writer->sources, module, &diagnostics[i]);
            break;
        case PTXLINT_ONELINE:
            ptx_text_oneline(out, module, &diagnostics[i]);
            break;
        case PTXLINT_JSON:
            put_separator(out, has_item);
            ptx_json_diagnostic(out, module, &diagnostics[i]);
            break;
        case PTXLINT_CSV:               /* has none: is_sound */
            break;
        }
    }
}

static bool is_reported(const ptxlint_writer *writer, const ptxlint_kernel *kernel, bool is_entry)
{
    return !kernel->is_entry == !is_entry && is_kernel_selected(&writer->options, kernel->name);
}

static void add_json_kernels(ptxlint_writer *writer, const ptxlint_module *module, bool is_entry)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    bool has_item = false;
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        if (is_reported(writer, &kernels[i], is_entry)) {
            put_separator(&writer->out, &has_item);
            ptx_json_kernel(&writer->out, module, &kernels[i]);
        }
}

static bool gpus_render(const ptxlint_module_info *info, Buffer *buffer)
{
    Out out;
    ptx_out_init(&out, buffer_write, buffer);
    ptx_json_gpus(&out, info->gpus, info->gpu_count);
    ptx_out_flush(&out);
    return out.status == PTXLINT_OK;
}

/* As bytes: modules, and GPUs of the user's own, may be freed before the end of the document. */
static void note_gpus(ptxlint_writer *writer, const ptxlint_module_info *info)
{
    Buffer own = { 0 };
    Buffer *buffer = writer->has_module ? &own : &writer->gpus;
    bool is_rendered = gpus_render(info, buffer);
    if (!is_rendered && writer->out.status == PTXLINT_OK)
        writer->out.status = PTXLINT_NO_MEMORY;
    if (is_rendered && writer->has_module)
        writer->has_different_gpus |= own.length != writer->gpus.length || memcmp(own.bytes, writer->gpus.bytes, own.length);
    writer->has_module = true;
    free(own.bytes);
}

static void put_gpus(ptxlint_writer *writer)
{
    if (writer->has_module && !writer->has_different_gpus)
        ptx_out_bytes(&writer->out, writer->gpus.bytes, writer->gpus.length);
    else
        ptx_json_gpus(&writer->out, NULL, 0);
}

static void add_json_report(ptxlint_writer *writer, const ptxlint_module *module)
{
    Out *out = &writer->out;
    note_gpus(writer, ptxlint_module_get_info(module));
    put_separator(out, &writer->has_item);
    ptx_out_text(out, "{");
    ptx_json_file(out, module);
    ptx_out_text(out, "\"kernels\":[");
    add_json_kernels(writer, module, true);
    ptx_out_text(out, "],\"functions\":[");
    add_json_kernels(writer, module, false);
    ptx_out_text(out, "]}");
    add_diagnostics(writer, module, &writer->late, &writer->has_late);
    ptx_out_flush(&writer->late);
    if (out->status == PTXLINT_OK)
        out->status = writer->late.status;
}

static void add_text_report(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    if (writer->has_item)
        ptx_out_text(&writer->out, "\n");
    writer->has_item = true;
    ptx_table_module(&writer->out, module);
    for (int is_entry = 1; is_entry >= 0; is_entry--)
        for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
            if (is_reported(writer, &kernels[i], is_entry))
                ptx_table_kernel(&writer->out, module, &kernels[i]);
}

static void add_csv_report(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        if (is_reported(writer, &kernels[i], true))
            ptx_csv_kernel(&writer->out, module, &kernels[i]);
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static bool is_sound(ptxlint_document document, const ptxlint_write_options *options)
{
    bool is_known = options->format == PTXLINT_TEXT || options->format == PTXLINT_JSON ||
                    (options->format == PTXLINT_ONELINE && document == PTXLINT_DIAGNOSTICS) ||
                    (options->format == PTXLINT_CSV && document == PTXLINT_REPORT);
    return options->size == sizeof *options && is_known && (document == PTXLINT_DIAGNOSTICS || document == PTXLINT_REPORT);
}

static void put_head(ptxlint_writer *writer)
{
    if (writer->options.format == PTXLINT_CSV)
        ptx_csv_head(&writer->out);
    if (writer->options.format != PTXLINT_JSON)
        return;
    bool is_report = writer->document == PTXLINT_REPORT;
    ptx_out_text(&writer->out, "{");
    ptx_json_head(&writer->out, is_report ? "ptxlint-report/1" : "ptxlint-diagnostics/1");
    ptx_out_text(&writer->out, is_report ? "\"files\":[" : "\"diagnostics\":[");
}

static void put_tail(ptxlint_writer *writer)
{
    Out *out = &writer->out;
    if (writer->options.format == PTXLINT_JSON) {
        if (writer->document == PTXLINT_REPORT) {
            ptx_out_text(out, "],\n");
            put_gpus(writer);
            ptx_out_text(out, ",\"diagnostics\":[");
            ptx_out_bytes(out, writer->late_bytes.bytes, writer->late_bytes.length);
        }
        ptx_out_text(out, "]}\n");
    } else if (writer->document == PTXLINT_DIAGNOSTICS && writer->options.format == PTXLINT_TEXT && !writer->options.no_summary) {
        ptx_text_summary(out, &writer->totals);
    }
}

ptxlint_status ptxlint_writer_new(ptxlint_document document, const ptxlint_write_options *options, ptxlint_write_fn write,
                                  void *context, ptxlint_writer **out)
{
    ptxlint_write_options defaults;
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (!options) {
        ptxlint_write_options_init(&defaults);
        options = &defaults;
    }
    if (!write || !is_sound(document, options))
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return PTXLINT_NO_MEMORY;
    writer->document = document;
    writer->options = *options;
    ptx_out_init(&writer->out, write, context);
    ptx_out_init(&writer->late, buffer_write, &writer->late_bytes);
    writer->out.has_color = options->color;
    put_head(writer);
    *out = writer;
    return PTXLINT_OK;
}

ptxlint_status ptxlint_writer_add(ptxlint_writer *writer, const ptxlint_module *module)
{
    if (!writer || !module)
        return PTXLINT_BAD_ARGUMENT;
    if (writer->document == PTXLINT_DIAGNOSTICS) {
        totals_add(&writer->totals, module, &writer->options);
        add_diagnostics(writer, module, &writer->out, &writer->has_item);
    } else if (writer->options.format == PTXLINT_JSON) {
        add_json_report(writer, module);
    } else if (writer->options.format == PTXLINT_CSV) {
        add_csv_report(writer, module);
    } else {
        add_text_report(writer, module);
    }
    if (writer->late.status == PTXLINT_WRITE)           /* its only way to fail: buffer_write had no memory */
        writer->out.status = PTXLINT_NO_MEMORY;
    return writer->out.status;
}

ptxlint_status ptxlint_writer_finish(ptxlint_writer *writer)
{
    if (!writer)
        return PTXLINT_BAD_ARGUMENT;
    put_tail(writer);
    ptx_out_flush(&writer->out);
    return writer->out.status;
}

void ptxlint_writer_free(ptxlint_writer *writer)
{
    if (!writer)
        return;
    ptx_sources_free(&writer->sources);
    free(writer->late_bytes.bytes);
    free(writer->gpus.bytes);
    free(writer);
}

static ptxlint_status write_document(ptxlint_document document, const ptxlint_module *const *modules, size_t count,
                                     const ptxlint_write_options *options, ptxlint_write_fn write, void *context)
{
    ptxlint_writer *writer;
    ptxlint_status status = ptxlint_writer_new(document, options, write, context, &writer);
    for (size_t i = 0; i < count && status == PTXLINT_OK; i++)
        status = ptxlint_writer_add(writer, modules[i]);
    if (status == PTXLINT_OK)
        status = ptxlint_writer_finish(writer);
    ptxlint_writer_free(writer);
    return status;
}

ptxlint_status ptxlint_write_diagnostics(const ptxlint_module *const *modules, size_t count,
                                         const ptxlint_write_options *options, ptxlint_write_fn write, void *context)
{
    return write_document(PTXLINT_DIAGNOSTICS, modules, count, options, write, context);
}

ptxlint_status ptxlint_write_report(const ptxlint_module *const *modules, size_t count,
                                    const ptxlint_write_options *options, ptxlint_write_fn write, void *context)
{
    return write_document(PTXLINT_REPORT, modules, count, options, write, context);
}
