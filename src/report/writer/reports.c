/* reports.c -- the kernels of a module in a report, in each format, and annotated text. */
#include "report/writer/writer.h"

#include "report/annotate/annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_reported(const ptxlint_writer *writer, const ptxlint_kernel *kernel, bool is_entry)
{
    return !kernel->is_entry == !is_entry && ptx_writer_has_kernel(&writer->options, kernel->name);
}

/* A row of a report: a kernel in one of its launches. The text is the module's in all of them. */
typedef struct ReportRow {
    const ptxlint_module *module, *launched;
    const ptxlint_kernel *kernel;       /* of launched */
} ReportRow;

/* Row number of a kernel, as far as it has launches. */
static bool find_launch_row(const ptxlint_module *module, size_t kernel, uint32_t number,
                            ReportRow *row)
{
    size_t count;
    row->launched = number ? ptxlint_module_launch(module, number) : module;
    row->module = module;
    row->kernel = row->launched ? &ptxlint_module_kernels(row->launched, &count)[kernel] : NULL;
    return row->kernel && row->kernel->launch_number == number;
}

/* What was gathered beside the document. */
static void take_late_status(ptxlint_writer *writer)
{
    ptx_out_flush(&writer->late);
    if (writer->out.status == PTXLINT_OK)
        writer->out.status = writer->late.status;
}

/* What loops compute takes long: only where it is asked for, once for all launches of a kernel
 * whose blocks are alike. Text says nothing of the parts of a kernel. */
static void recognize_row(const ptxlint_writer *writer, const ReportRow *row, Out *out,
                          ptxlint_recognition **of)
{
    const bool is_json = writer->options.format == PTXLINT_JSON;
    if (!writer->options.has_details && (is_json || !writer->options.kernel_glob))
        return;
    const ptxlint_status status =
        ptxlint_recognition_relaunch(of, row->launched, row->kernel, is_json);
    if (status != PTXLINT_OK && out->status == PTXLINT_OK)
        out->status = status;
}

/* All launches of a kernel. */
static void add_json_kernel_rows(ptxlint_writer *writer, const ptxlint_module *module,
                                 size_t kernel, bool *has_item)
{
    ptxlint_recognition *of = NULL;
    ReportRow row;
    for (uint32_t n = 0; find_launch_row(module, kernel, n, &row); n++) {
        ptx_out_separator(&writer->out, has_item);
        recognize_row(writer, &row, &writer->out, &of);
        ptx_json_kernel(&writer->out, row.module, row.kernel, of);
    }
    ptxlint_recognition_free(of);
}

static void add_json_kernels(ptxlint_writer *writer, const ptxlint_module *module, bool is_entry)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        if (is_reported(writer, &kernels[i], is_entry))
            add_json_kernel_rows(writer, module, i, &writer->taken.has_row);
}

static bool gpus_render(const ptxlint_module_info *info, Buffer *buffer)
{
    Out out;
    ptx_out_init(&out, ptx_buffer_write, buffer);
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
        writer->has_different_gpus |= own.length != writer->gpus.length
                                      || memcmp(own.bytes, writer->gpus.bytes, own.length);
    writer->has_module = true;
    free(own.bytes);
}

void ptx_writer_put_gpus(ptxlint_writer *writer)
{
    if (writer->has_module && !writer->has_different_gpus)
        ptx_out_bytes(&writer->out, writer->gpus.bytes, writer->gpus.length);
    else
        ptx_json_gpus(&writer->out, NULL, 0);
}

static void begin_json_file(ptxlint_writer *writer, const ptxlint_module *module)
{
    Out *out = &writer->out;
    note_gpus(writer, ptxlint_module_get_info(module));
    ptx_out_separator(out, &writer->has_item);
    ptx_out_text(out, "{");
    ptx_json_file(out, module);
    ptx_out_text(out, "\"kernels\":[");
    writer->taken = (TakenRows){ .is_begun = true };
}

static void begin_json_functions(ptxlint_writer *writer)
{
    ptx_out_text(&writer->out, "],\"functions\":[");
    writer->taken.has_kernels = true;
    writer->taken.has_row = false;
}

static void end_json_file(ptxlint_writer *writer)
{
    if (!writer->taken.has_kernels)
        begin_json_functions(writer);
    ptx_same_rows_free(&writer->same);
    ptx_out_text(&writer->out, "]}");
    writer->taken = (TakenRows){ .is_begun = false };
}

void ptx_writer_add_json(ptxlint_writer *writer, const ptxlint_module *module)
{
    if (!writer->taken.is_begun) {
        begin_json_file(writer, module);
        add_json_kernels(writer, module, true);
        begin_json_functions(writer);
        add_json_kernels(writer, module, false);
    }
    end_json_file(writer);
    ptx_writer_add_diagnostics(writer, module, &writer->late, &writer->has_late);
    take_late_status(writer);
}

/* Kept for the others, too. */
static void put_row_of_several(ptxlint_writer *writer, const ptxlint_module *module,
                               const ptxlint_kernel *kernel)
{
    Buffer text = { 0 };
    Out own;
    ptx_out_init(&own, ptx_buffer_write, &text);
    ptx_json_kernel(&own, module, kernel, NULL);
    ptx_out_flush(&own);
    ptx_out_bytes(&writer->out, text.bytes, text.length);
    if (own.status != PTXLINT_OK && writer->out.status == PTXLINT_OK)
        writer->out.status = PTXLINT_NO_MEMORY;
    if (own.status == PTXLINT_OK)
        ptx_same_rows_keep(&writer->same, module, kernel, &text);
    free(text.bytes);
}

bool ptx_writer_take_same_json(ptxlint_writer *writer, const ptxlint_module *module,
                               const ptxlint_kernel *kernel, const ptxlint_kernel *first)
{
    if (!writer->taken.is_begun || writer->taken.has_kernels
        || !is_reported(writer, kernel, true)
        || !ptx_same_rows_have(&writer->same, module, kernel, first))
        return false;
    ptx_out_separator(&writer->out, &writer->taken.has_row);
    ptx_same_rows_put(&writer->same, &writer->out, module, kernel, first);
    return true;
}

ptxlint_status ptx_writer_take_json(ptxlint_writer *writer, const ptxlint_module *module,
                                    const ptxlint_kernel *kernel)
{
    if (module && kernel->is_entry && writer->taken.has_kernels)
        return PTXLINT_BAD_ARGUMENT;
    if (module && !writer->taken.is_begun)
        begin_json_file(writer, module);
    if (module && !kernel->is_entry && !writer->taken.has_kernels)
        begin_json_functions(writer);
    if (module && is_reported(writer, kernel, kernel->is_entry)) {
        ptx_out_separator(&writer->out, &writer->taken.has_row);
        if (kernel->same_count)
            put_row_of_several(writer, module, kernel);
        else
            ptx_json_kernel(&writer->out, module, kernel, NULL);
    }
    if (!module && writer->taken.is_begun)
        end_json_file(writer);
    return writer->out.status;
}

static void add_kernel_details(ptxlint_writer *writer, const ptxlint_module *module, size_t kernel)
{
    ptxlint_recognition *of = NULL;
    ReportRow row;
    for (uint32_t n = 0; find_launch_row(module, kernel, n, &row); n++) {
        recognize_row(writer, &row, &writer->late, &of);
        ptx_table_kernel(&writer->late, row.module, row.kernel, of);
    }
    ptxlint_recognition_free(of);
}

/* All figures of each kernel. */
static void add_details(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    if (writer->has_item)
        ptx_out_text(&writer->late, "\n");
    writer->has_item = true;
    ptx_table_module(&writer->late, module);
    for (int is_entry = 1; is_entry >= 0; is_entry--)
        for (size_t i = 0; i < count && writer->late.status == PTXLINT_OK; i++)
            if (is_reported(writer, &kernels[i], is_entry))
                add_kernel_details(writer, module, i);
    take_late_status(writer);
}

/* The more severe, then the one that gains more. */
static bool is_worse_finding(const ptxlint_diagnostic *a, const ptxlint_diagnostic *b)
{
    if (!b || a->severity != b->severity)
        return !b || a->severity > b->severity;
    return a->gain_percent > b->gain_percent || (isnan(b->gain_percent) && a->gain_percent > 0);
}

/* Per kernel the worst of its findings that are shown. NULL: no memory. */
static const ptxlint_diagnostic **worst_findings(const ptxlint_writer *writer,
                                                 const ptxlint_module *module)
{
    size_t count, found;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &found);
    const ptxlint_diagnostic **worst = calloc(count + 1, sizeof(const ptxlint_diagnostic *));
    for (size_t i = 0; worst && i < found; i++) {
        const size_t k = ptx_writer_shows(&writer->options, &all[i]) && all[i].kernel
                             ? ptx_report_kernel_at(kernels, count, all[i].span.begin)
                             : count;
        if (k < count && is_worse_finding(&all[i], worst[k]))
            worst[k] = &all[i];
    }
    return worst;
}

static bool has_details(const ptxlint_writer *writer)
{
    return writer->options.has_details || writer->options.kernel_glob
           || ptx_overview_kernels(writer->overview) <= 1;
}

static void add_to_overview(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    ReportRow row;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    const ptxlint_diagnostic **worst = worst_findings(writer, module);
    ptxlint_status status = worst ? PTXLINT_OK : PTXLINT_NO_MEMORY;
    for (size_t i = 0; i < count && status == PTXLINT_OK; i++) {
        if (is_reported(writer, &kernels[i], false))
            ptx_overview_count_function(writer->overview);
        for (uint32_t n = 0; status == PTXLINT_OK && is_reported(writer, &kernels[i], true)
                             && find_launch_row(module, i, n, &row);
             n++)
            status = ptx_overview_add(writer->overview, row.module, row.kernel, worst[i]);
    }
    free(worst);
    if (status != PTXLINT_OK)
        writer->out.status = status;
}

void ptx_writer_add_text(ptxlint_writer *writer, const ptxlint_module *module)
{
    add_to_overview(writer, module);
    if (has_details(writer))
        add_details(writer, module);
    else
        writer->late_bytes.length = 0;
}

/* A fence around what holds no longer one. */
static void put_fenced(Out *out, const Buffer *text)
{
    size_t longest = 2, run = 0;
    for (size_t i = 0; i < text->length; i++) {
        run = text->bytes[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    ptx_out_text(out, "<details><summary>All figures</summary>\n\n");
    ptx_out_repeat(out, '`', longest + 1);
    ptx_out_text(out, "text\n");
    ptx_out_bytes(out, text->bytes, text->length);
    ptx_out_repeat(out, '`', longest + 1);
    ptx_out_text(out, "\n\n</details>\n");
}

void ptx_writer_put_overview(ptxlint_writer *writer)
{
    Out *out = &writer->out;
    const bool is_markdown = writer->options.format == PTXLINT_MARKDOWN,
               has_several = ptx_overview_launches(writer->overview) > 1;
    const Buffer *details = &writer->late_bytes;
    if (is_markdown)
        ptx_overview_put_markdown(writer->overview, out);
    else if (has_several)
        ptx_overview_put(writer->overview, out, writer->options.width, !details->length);
    if (is_markdown && details->length) {
        put_fenced(out, details);
    } else if (!is_markdown) {
        ptx_out_text(out, ptx_text_if(has_several && details->length, "\n"));
        ptx_out_bytes(out, details->bytes, details->length);
    }
}

void ptx_writer_add_csv(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    ReportRow row;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        for (uint32_t n = 0;
             is_reported(writer, &kernels[i], true) && find_launch_row(module, i, n, &row); n++)
            ptx_csv_kernel(&writer->out, row.module, row.kernel);
}

void ptx_writer_add_html(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    ReportRow row;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    ptxlint_status status = ptx_locator_begin(&writer->locator, module);
    for (size_t i = 0; i < count && status == PTXLINT_OK; i++)
        for (uint32_t n = 0; status == PTXLINT_OK && is_reported(writer, &kernels[i], true)
                             && find_launch_row(module, i, n, &row);
             n++)
            status = ptx_html_kernel(writer->page, row.module, row.kernel, &writer->locator);
    if (status == PTXLINT_OK)
        status = ptx_html_module(writer->page, module, &writer->locator);
    if (writer->out.status == PTXLINT_OK)
        writer->out.status = status;
}

void ptx_writer_add_annotation(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    ReportRow row;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    const bool is_json = writer->options.format == PTXLINT_JSON;
    const Annotator annotator = { &writer->out, &writer->locator.sources,
                                  writer->options.is_by_source, writer->options.width };
    bool has_entry = false, has_kernel = false;
    if (is_json)
        ptx_annotate_json_file(&annotator, module, &writer->has_item);
    for (size_t i = 0; i < count; i++)
        has_entry |= kernels[i].is_entry;
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        for (uint32_t n = 0; (kernels[i].is_entry || writer->options.kernel_glob || !has_entry)
                             && is_reported(writer, &kernels[i], kernels[i].is_entry)
                             && find_launch_row(module, i, n, &row);
             n++)
            if (is_json)
                ptx_annotate_json_kernel(&annotator, row.module, row.kernel, &has_kernel);
            else
                ptx_annotate_kernel(&annotator, row.module, row.kernel, &writer->has_item);
    ptx_out_text(&writer->out, ptx_text_if(is_json, "]}"));
}
