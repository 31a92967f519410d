/* The documents: which modules, kernels and diagnostics go into one, and what stands between
 * them. */
#include "report/writer/writer.h"

#include "support/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

void ptxlint_write_options_init(ptxlint_write_options *options)
{
    if (!options)
        return;
    *options = (ptxlint_write_options){ .size = sizeof *options,
                                        .format = PTXLINT_TEXT,
                                        .min_gain_percent = (double)NAN };
}

/* ---- documents ------------------------------------------------------------------------------- */

static bool is_sound(ptxlint_document document, const ptxlint_write_options *options)
{
    if (options->size != sizeof *options
        || !ptx_words_are_given(options->groups, options->group_count))
        return false;
    const unsigned format = (unsigned)options->format;
    const bool is_of_all = format == PTXLINT_TEXT || format == PTXLINT_JSON;
    switch (document) {
    case PTXLINT_DIAGNOSTICS:   return format <= PTXLINT_MARKDOWN;
    case PTXLINT_REPORT:        return is_of_all || format == PTXLINT_CSV
                                       || format == PTXLINT_MARKDOWN || format == PTXLINT_HTML;
    case PTXLINT_ANNOTATION:    return is_of_all;
    }
    return false;
}

static void put_json_head(Out *out, ptxlint_document document)
{
    static const char *const schemas[] = { [PTXLINT_DIAGNOSTICS] = "ptxlint-diagnostics/1",
                                           [PTXLINT_REPORT] = "ptxlint-report/1",
                                           [PTXLINT_ANNOTATION] = "ptxlint-annotation/1" };
    ptx_out_text(out, "{");
    ptx_json_head(out, schemas[document]);
    ptx_out_text(out, document == PTXLINT_DIAGNOSTICS ? "\"diagnostics\":[" : "\"files\":[");
}

static void put_report_head(ptxlint_writer *writer)
{
    bool is_report = writer->document == PTXLINT_REPORT;
    ptxlint_format format = writer->options.format;
    Out *out = &writer->out;
    switch (format) {
    case PTXLINT_CSV:           (is_report ? ptx_csv_head : ptx_csv_findings_head)(out); break;
    case PTXLINT_JSON:          put_json_head(out, writer->document); break;
    case PTXLINT_GITLAB:        ptx_out_text(out, "["); break;
    case PTXLINT_RDJSON:        ptx_rdjson_head(out); break;
    case PTXLINT_CHECKSTYLE: case PTXLINT_JUNIT:
        ptx_xml_head(out, format);
        break;
    default:
        break;
    }
}

static void put_report_tail(ptxlint_writer *writer)
{
    ptx_out_text(&writer->out, "],\n");
    ptx_writer_put_gpus(writer);
    ptx_out_text(&writer->out, ",\"diagnostics\":[");
    ptx_out_bytes(&writer->out, writer->late_bytes.bytes, writer->late_bytes.length);
}

static void put_attached(const ptxlint_writer *writer, Out *out)
{
    ptx_out_text(out, ptx_text_if(writer->attached.length, "],\n"));
    ptx_out_text(out, ptx_text_if(!writer->attached.length, "]"));
    ptx_out_bytes(out, writer->attached.bytes, writer->attached.length);
}

static void put_tail(ptxlint_writer *writer)
{
    bool is_report = writer->document == PTXLINT_REPORT;
    ptxlint_format format = writer->options.format;
    Out *out = &writer->out;
    if (writer->overview) {
        ptx_writer_put_overview(writer);
        return;
    }
    switch (format) {
    case PTXLINT_SARIF:         ptx_sarif_finish(writer->sarif, out, &writer->attached); break;
    case PTXLINT_GITHUB:        ptx_github_finish(writer->github, out); break;
    case PTXLINT_MARKDOWN:      ptx_markdown_finish(writer->markdown, out, &writer->totals); break;
    case PTXLINT_HTML:          ptx_html_finish(writer->page, out); break;
    case PTXLINT_GITLAB:        ptx_out_text(out, "]\n"); break;
    case PTXLINT_RDJSON:        ptx_out_text(out, "]}\n"); break;
    case PTXLINT_CHECKSTYLE: case PTXLINT_JUNIT:
        ptx_checkstyle_close(&writer->xml, out);
        ptx_xml_tail(out, format);
        break;
    case PTXLINT_JSON:
        if (is_report)
            put_report_tail(writer);
        put_attached(writer, out);
        ptx_out_text(out, "}\n");
        break;
    case PTXLINT_TEXT:
        if (writer->document == PTXLINT_DIAGNOSTICS && !writer->options.no_summary)
            ptx_text_summary(out, &writer->totals);
        break;
    default:
        break;
    }
}

/* What gathers findings until the end. */
static bool make_gatherer(ptxlint_writer *writer, const ptxlint_write_options *options)
{
    switch (options->format) {
    case PTXLINT_SARIF:         return (writer->sarif = ptx_sarif_new(options)) != NULL;
    case PTXLINT_GITHUB:        return (writer->github = ptx_github_new()) != NULL;
    case PTXLINT_MARKDOWN:      return (writer->markdown = ptx_markdown_new()) != NULL;
    case PTXLINT_HTML:          return (writer->page = ptx_html_new(options)) != NULL;
    default:                    return true;
    }
}

/* Formats for people who read PTX, and for programs that want all there is, show both places; in
 * those for reviews the one that is primary counts. */
static ptxlint_status init_locator(ptxlint_writer *writer, const ptxlint_write_options *options)
{
    bool is_plain = options->format == PTXLINT_TEXT || options->format == PTXLINT_ONELINE
                    || options->format == PTXLINT_JSON || options->format == PTXLINT_JSONL
                    || options->format == PTXLINT_CSV;
    bool is_ptx = is_plain && options->format != PTXLINT_TEXT
                  && options->primary == PTXLINT_PRIMARY_AUTO;
    bool has_sources = !is_plain || options->primary == PTXLINT_PRIMARY_SOURCE
                       || options->format == PTXLINT_TEXT;
    return ptx_locator_init(&writer->locator, is_ptx ? PTXLINT_PRIMARY_PTX : options->primary,
                            has_sources, options->source_root);
}

ptxlint_status ptxlint_writer_new(ptxlint_document document, const ptxlint_write_options *options,
                                  ptxlint_write_fn write, void *context, ptxlint_writer **out)
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
    bool has_memory = init_locator(writer, options) == PTXLINT_OK;
    bool is_folded = document == PTXLINT_DIAGNOSTICS && ptx_writer_is_for_people(options->format)
                     && options->format != PTXLINT_ONELINE
                     && options->primary != PTXLINT_PRIMARY_PTX;
    if (is_folded)
        writer->once = ptx_once_new(options->format, write, context);
    const bool has_overview = document == PTXLINT_REPORT
                              && (options->format == PTXLINT_TEXT
                                  || options->format == PTXLINT_MARKDOWN);
    if (has_overview)
        has_memory &= (writer->overview = ptx_overview_new()) != NULL;
    if (!has_memory || !make_gatherer(writer, options) || (is_folded && !writer->once)) {
        ptxlint_writer_free(writer);
        return PTXLINT_NO_MEMORY;
    }
    writer->document = document;
    writer->options = *options;
    ptx_out_init(&writer->out, write, context);
    if (is_folded)
        ptx_out_init(&writer->out, ptx_once_write, writer->once);
    ptx_out_init(&writer->late, ptx_buffer_write, &writer->late_bytes);
    writer->out.has_color = options->color;
    writer->late.has_color = options->color && options->format == PTXLINT_TEXT;
    put_report_head(writer);
    *out = writer;
    return PTXLINT_OK;
}

/* A write into memory failed, which is no failure of the caller's. */
static void tell_no_memory(ptxlint_writer *writer)
{
    if (writer->late.status == PTXLINT_WRITE
        || (writer->once && ptx_once_has_no_memory(writer->once)))
        writer->out.status = PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_writer_add(ptxlint_writer *writer, const ptxlint_module *module)
{
    if (!writer || !module || writer->is_finished)
        return PTXLINT_BAD_ARGUMENT;
    if (writer->document == PTXLINT_DIAGNOSTICS) {
        ptx_writer_add_findings(writer, module);
    } else if (writer->document == PTXLINT_ANNOTATION) {
        ptx_writer_add_annotation(writer, module);
    } else if (writer->options.format == PTXLINT_JSON) {
        ptx_writer_add_json(writer, module);
    } else if (writer->options.format == PTXLINT_CSV) {
        ptx_writer_add_csv(writer, module);
    } else if (writer->options.format == PTXLINT_HTML) {
        ptx_writer_add_html(writer, module);
    } else {
        ptx_writer_add_text(writer, module);
    }
    tell_no_memory(writer);
    return writer->out.status;
}

ptxlint_status ptxlint_writer_take(ptxlint_writer *writer, const ptxlint_module *module,
                                   const ptxlint_kernel *kernel)
{
    if (!writer || !module != !kernel || writer->is_finished
        || writer->document != PTXLINT_REPORT || writer->options.format != PTXLINT_JSON
        || writer->options.has_details)
        return PTXLINT_BAD_ARGUMENT;
    return ptx_writer_take_json(writer, module, kernel);
}

int ptxlint_writer_take_same(ptxlint_writer *writer, const ptxlint_module *module,
                             const ptxlint_kernel *kernel, const ptxlint_kernel *first)
{
    return writer && module && kernel && first && !writer->is_finished
           && writer->document == PTXLINT_REPORT && writer->options.format == PTXLINT_JSON
           && !writer->options.has_details
           && ptx_writer_take_same_json(writer, module, kernel, first);
}

ptxlint_status ptxlint_writer_finish(ptxlint_writer *writer)
{
    if (!writer || writer->is_finished)
        return PTXLINT_BAD_ARGUMENT;
    if (writer->out.status == PTXLINT_OK)
        put_tail(writer);
    ptx_out_flush(&writer->out);
    tell_no_memory(writer);
    if (writer->once && writer->out.status == PTXLINT_OK)
        writer->out.status = ptx_once_finish(writer->once);
    writer->is_finished = writer->out.status == PTXLINT_OK;
    return writer->out.status;
}

ptxlint_status ptxlint_writer_attach(ptxlint_writer *writer, const char *key, const char *json,
                                     size_t length)
{
    if (!writer || !key || !json || writer->attached.length || writer->is_finished)
        return PTXLINT_BAD_ARGUMENT;
    Buffer *to = &writer->attached;
    bool is_lost = ptx_buffer_write(to, "\"", 1) || ptx_buffer_write(to, key, strlen(key))
                   || ptx_buffer_write(to, "\":", 2) || ptx_buffer_write(to, json, length);
    return is_lost ? PTXLINT_NO_MEMORY : PTXLINT_OK;
}

void ptxlint_writer_free(ptxlint_writer *writer)
{
    if (!writer)
        return;
    ptx_locator_free(&writer->locator);
    ptx_sarif_free(writer->sarif);
    ptx_github_free(writer->github);
    ptx_markdown_free(writer->markdown);
    ptx_html_free(writer->page);
    ptx_overview_free(writer->overview);
    ptx_once_free(writer->once);
    ptx_same_rows_free(&writer->same);
    ptx_hash_map_free(&writer->rule_counts);
    free(writer->xml.file);
    free(writer->late_bytes.bytes);
    free(writer->gpus.bytes);
    free(writer->attached.bytes);
    free(writer);
}

static ptxlint_status write_report_document(ptxlint_document document,
                                            const ptxlint_module *const *modules, size_t count,
                                            const ptxlint_write_options *options,
                                            ptxlint_write_fn write, void *context)
{
    ptxlint_writer *writer;
    for (size_t i = 0; i < count; i++)      /* before the first byte */
        if (!modules || !modules[i])
            return PTXLINT_BAD_ARGUMENT;
    ptxlint_status status = ptxlint_writer_new(document, options, write, context, &writer);
    for (size_t i = 0; i < count && status == PTXLINT_OK; i++)
        status = ptxlint_writer_add(writer, modules[i]);
    if (status == PTXLINT_OK)
        status = ptxlint_writer_finish(writer);
    ptxlint_writer_free(writer);
    return status;
}

ptxlint_status ptxlint_write_diagnostics(const ptxlint_module *const *modules, size_t count,
                                         const ptxlint_write_options *options,
                                         ptxlint_write_fn write, void *context)
{
    return write_report_document(PTXLINT_DIAGNOSTICS, modules, count, options, write, context);
}

ptxlint_status ptxlint_write_report(const ptxlint_module *const *modules, size_t count,
                                    const ptxlint_write_options *options, ptxlint_write_fn write,
                                    void *context)
{
    return write_report_document(PTXLINT_REPORT, modules, count, options, write, context);
}
