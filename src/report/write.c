/* The documents: which modules, kernels and diagnostics go into one, and what stands between
 * them. */
#include "report/html/html.h"
#include "report/report.h"

#include "report/annotate/annotate.h"
#include "report/overview/overview.h"
#include "support/demangle.h"
#include "support/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ptxlint_writer {
    ptxlint_document document;
    ptxlint_write_options options;
    Out out;
    Locator locator;
    Totals totals;
    bool has_item;              /* the JSON array being written has an element */
    bool is_finished;           /* nothing more may be added */
    Sarif *sarif;               /* NULL in other formats */
    Github *github;             /* the same */
    Markdown *markdown;         /* the same */
    HtmlPage *page;             /* the same */
    Xml xml;
    Once *once;                 /* formats that fold findings of one CUDA line; NULL */
    HashMap rule_counts;        /* of findings that are written */

    /* reports as text or Markdown; NULL in others */
    Overview *overview;
    /* JSON reports: "diagnostics" comes after all files, so it waits here. Other reports: figures
     * of kernels come after the overview. */
    Out late;
    Buffer late_bytes;
    bool has_late;
    /* members "gpu" and "gpus" of the modules so far; they outlive neither module nor GPU */
    Buffer gpus;
    bool has_module;
    bool has_different_gpus;
    Buffer attached;            /* a member of the document's last object; empty: none */
};

/* ---- options --------------------------------------------------------------------------------- */

void ptxlint_write_options_init(ptxlint_write_options *options)
{
    if (!options)
        return;
    *options = (ptxlint_write_options){ .size = sizeof *options,
                                        .format = PTXLINT_TEXT,
                                        .min_gain_percent = (double)NAN };
}

static bool is_kernel_selected(const ptxlint_write_options *options, const char *name)
{
    return !options->kernel_glob || ptx_name_fits(options->kernel_glob, name);
}

/* One outside any function concerns every kernel, so no kernel_glob hides it. */
static bool is_reported_kernel(const ptxlint_write_options *options,
                               const ptxlint_diagnostic *diagnostic)
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
    switch (severity) {
    case PTXLINT_ERROR:   return "error";
    case PTXLINT_WARNING: return "warning";
    default:              return "note";
    }
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

const char *ptx_report_split(ptxlint_split split)
{
    switch (split) {
    case PTXLINT_SPLIT_NEVER:   return "never";
    case PTXLINT_SPLIT_PERHAPS: return "perhaps";
    case PTXLINT_SPLIT_CERTAIN: return "certainly";
    case PTXLINT_SPLIT_UNKNOWN: break;
    }
    return "unknown";
}

const char *ptx_report_suppression(ptxlint_suppression suppression)
{
    switch (suppression) {
    case PTXLINT_SUPPRESSED_INLINE:     return "inline";
    case PTXLINT_SUPPRESSED_BY_CONFIG:  return "config";
    case PTXLINT_SUPPRESSED_BY_BASELINE: return "baseline";
    case PTXLINT_NOT_SUPPRESSED:        break;
    }
    return NULL;
}

bool ptx_report_has_gain(const ptxlint_diagnostic *diagnostic)
{
    /* not with a NaN; below, it would be shown as 0 */
    return diagnostic->gain_of && diagnostic->gain_percent >= 0.5;
}

/* ---- what is worth a reader's time ----------------------------------------------------------- */

static bool is_for_people(ptxlint_format format)
{
    return format != PTXLINT_JSON && format != PTXLINT_JSONL && format != PTXLINT_SARIF
           && format != PTXLINT_CSV;
}

static double min_gain(const ptxlint_write_options *options, const ptxlint_module *module)
{
    enum { MIN_GAIN_PERCENT = 1 };
    double of_config = ptxlint_module_get_info(module)->min_gain_percent;
    if (!isnan(options->min_gain_percent))
        return options->min_gain_percent;
    return isnan(of_config) ? MIN_GAIN_PERCENT : of_config;
}

/* A note that is counted only: its gain is small, or unknown and of a group whose notes seldom make
 * code faster. */
static bool is_slight(const ptxlint_write_options *options, const ptxlint_module *module,
                      const ptxlint_diagnostic *diagnostic)
{
    if (options->show_all || !is_for_people(options->format)
        || diagnostic->severity != PTXLINT_NOTE)
        return false;
    double least = min_gain(options, module);
    if (diagnostic->gain_of && !isnan(diagnostic->gain_percent))
        return diagnostic->gain_percent < least;
    bool is_minor = diagnostic->is_minor || !strcmp(diagnostic->group, "hygiene")
                    || !strcmp(diagnostic->group, "portability");
    return is_minor && least > 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

static bool is_finding_shown(const ptxlint_write_options *options,
                             const ptxlint_diagnostic *diagnostic)
{
    return diagnostic->suppression == PTXLINT_NOT_SUPPRESSED
           && is_reported_kernel(options, diagnostic);
}

static void count_module(const ptxlint_module *module, const ptxlint_write_options *options,
                         size_t counts[4])
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (is_finding_shown(options, &diagnostics[i]))
            counts[diagnostics[i].severity]++;
}

void ptxlint_count_diagnostics(const ptxlint_module *const *modules, size_t count,
                               const ptxlint_write_options *options, size_t counts[4])
{
    ptxlint_write_options defaults;
    if (!options) {
        ptxlint_write_options_init(&defaults);
        options = &defaults;
    }
    if (!counts)
        return;
    memset(counts, 0, 4 * sizeof *counts);
    if (!ptx_words_are_given(options->groups, options->group_count))
        return;
    for (size_t i = 0; modules && i < count; i++)
        if (modules[i])
            count_module(modules[i], options, counts);
}

size_t ptx_report_kernel_at(const ptxlint_kernel *kernels, size_t count, uint32_t offset)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kernels[middle].span.end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && kernels[low].span.begin <= offset ? low : count;
}

/* is_found: per kernel, and one more, zeroed. */
static void mark_found(const ptxlint_module *module, const ptxlint_write_options *options,
                       const ptxlint_kernel *kernels, size_t kernel_count, bool *is_found)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (is_finding_shown(options, &diagnostics[i])
            && !is_slight(options, module, &diagnostics[i]))
            is_found[ptx_report_kernel_at(kernels, kernel_count, diagnostics[i].span.begin)] = true;
}

static size_t count_suppressed(const ptxlint_module *module, const ptxlint_write_options *options)
{
    size_t count, suppressed = 0;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        suppressed += diagnostics[i].suppression != PTXLINT_NOT_SUPPRESSED
                      && is_reported_kernel(options, &diagnostics[i]);
    return suppressed;
}

static ptxlint_status totals_add(Totals *totals, const ptxlint_module *module,
                                 const ptxlint_write_options *options)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    bool *is_found = calloc(count + 1, sizeof *is_found);
    if (!is_found)
        return PTXLINT_NO_MEMORY;
    mark_found(module, options, kernels, count, is_found);
    for (size_t k = 0; k < count; k++) {
        bool is_selected_one = is_kernel_selected(options, kernels[k].name);
        totals->kernel_count += is_selected_one;
        totals->func_count += is_selected_one && !kernels[k].is_entry;
        totals->found_count += is_selected_one && is_found[k];
    }
    free(is_found);
    totals->suppressed_count += count_suppressed(module, options);
    return PTXLINT_OK;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* What only documents for programs contain. */
static bool has_suppressed(ptxlint_format format)
{
    return format == PTXLINT_JSON || format == PTXLINT_JSONL || format == PTXLINT_SARIF;
}

static ptxlint_status write_finding(ptxlint_writer *writer, const Finding *finding, Out *out,
                                    bool *has_item)
{
    switch (writer->options.format) {
    case PTXLINT_TEXT:
        (writer->options.verbose ? ptx_text_diagnostic : ptx_text_short)(out, finding);
        break;
    case PTXLINT_ONELINE:       ptx_text_oneline(out, finding); break;
    case PTXLINT_JSON:
        ptx_out_separator(out, has_item), ptx_json_diagnostic(out, finding);
        break;
    case PTXLINT_JSONL:         ptx_json_diagnostic(out, finding), ptx_out_text(out, "\n"); break;
    case PTXLINT_CSV:           ptx_csv_finding(out, finding); break;
    case PTXLINT_GITLAB:
        ptx_out_separator(out, has_item), ptx_gitlab_finding(out, finding);
        break;
    case PTXLINT_RDJSON:
        ptx_out_separator(out, has_item), ptx_rdjson_finding(out, finding);
        break;
    case PTXLINT_RDJSONL:       ptx_rdjson_finding(out, finding), ptx_out_text(out, "\n"); break;
    case PTXLINT_JUNIT:         ptx_junit_finding(out, finding); break;
    case PTXLINT_CHECKSTYLE:    return ptx_checkstyle_finding(&writer->xml, out, finding);
    case PTXLINT_SARIF:         return ptx_sarif_add(writer->sarif, finding);
    case PTXLINT_GITHUB:        return ptx_github_add(writer->github, finding);
    case PTXLINT_MARKDOWN:      return ptx_markdown_add(writer->markdown, finding);
    case PTXLINT_HTML: case PTXLINT_DOT: case PTXLINT_SVG: break;
    }
    return PTXLINT_OK;
}

/* What is written below one that it is like is not; nor are notes of a rule that has many. */
static ptxlint_status is_first_written(ptxlint_writer *writer, Finding *finding, bool *is_first)
{
    enum { TEXT_OF_RULE_MAX = 20 };
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    ptxlint_status status = PTXLINT_OK;
    *is_first = true;
    if (writer->once)
        status = ptx_once_add(writer->once, finding, &finding->cause, is_first);
    bool is_note = diagnostic->severity == PTXLINT_NOTE;
    if (status != PTXLINT_OK || !*is_first || !is_note || writer->options.show_all
        || writer->options.format != PTXLINT_TEXT)
        return status;
    uint32_t times = ptx_hash_counts_add(&writer->rule_counts, ptx_rule_hash(diagnostic->rule));
    *is_first = times <= TEXT_OF_RULE_MAX;
    writer->totals.hidden_counts[diagnostic->severity] += !*is_first;
    return times ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

static ptxlint_status add_diagnostic(ptxlint_writer *writer, const ptxlint_diagnostic *diagnostic,
                                     Out *out, bool *has_item)
{
    Finding finding;
    bool is_first = false;
    ptxlint_status status = ptx_finding_open(&writer->locator, diagnostic, &finding);
    if (status == PTXLINT_OK)
        status = is_first_written(writer, &finding, &is_first);
    if (status == PTXLINT_OK && is_first) {
        writer->totals.counts[diagnostic->severity]++;
        status = write_finding(writer, &finding, out, has_item);
    }
    ptx_finding_close(&finding);
    return status;
}

static bool is_worth_showing(ptxlint_writer *writer, const ptxlint_module *module,
                      const ptxlint_diagnostic *diagnostic)
{
    bool is_all = has_suppressed(writer->options.format);
    if (!(is_all ? is_reported_kernel : is_finding_shown)(&writer->options, diagnostic))
        return false;
    bool is_hidden = is_slight(&writer->options, module, diagnostic);
    writer->totals.hidden_counts[diagnostic->severity] += is_hidden;
    return !is_hidden;
}

static void add_diagnostics(ptxlint_writer *writer, const ptxlint_module *module, Out *out,
                            bool *has_item)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    ptxlint_status status = ptx_locator_begin(&writer->locator, module);
    for (size_t i = 0; i < count && out->status == PTXLINT_OK && status == PTXLINT_OK; i++)
        if (is_worth_showing(writer, module, &diagnostics[i]))
            status = add_diagnostic(writer, &diagnostics[i], out, has_item);
    if (status != PTXLINT_OK && out->status == PTXLINT_OK)
        out->status = status;
}

/* Its head counts what is in it. */
static void add_suite(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t counts[4];
    memcpy(counts, writer->totals.counts, sizeof counts);
    writer->late_bytes.length = 0;
    add_diagnostics(writer, module, &writer->late, &writer->has_item);
    ptx_out_flush(&writer->late);
    for (int severity = 0; severity < 4; severity++)
        counts[severity] = writer->totals.counts[severity] - counts[severity];
    ptx_junit_begin(&writer->out, ptxlint_module_get_info(module)->path, counts);
    ptx_out_bytes(&writer->out, writer->late_bytes.bytes, writer->late_bytes.length);
    ptx_junit_end(&writer->out);
    if (writer->late.status != PTXLINT_OK && writer->out.status == PTXLINT_OK)
        writer->out.status = writer->late.status;
}

/* A document of diagnostics. */
static void add_findings(ptxlint_writer *writer, const ptxlint_module *module)
{
    ptxlint_status status = totals_add(&writer->totals, module, &writer->options);
    if (status != PTXLINT_OK && writer->out.status == PTXLINT_OK)
        writer->out.status = status;
    if (writer->sarif)
        ptx_sarif_begin(writer->sarif, module);
    if (writer->options.format == PTXLINT_JUNIT)
        add_suite(writer, module);
    else
        add_diagnostics(writer, module, &writer->out, &writer->has_item);
}

static bool is_reported(const ptxlint_writer *writer, const ptxlint_kernel *kernel, bool is_entry)
{
    return !kernel->is_entry == !is_entry && is_kernel_selected(&writer->options, kernel->name);
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
    bool has_item = false;
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        if (is_reported(writer, &kernels[i], is_entry))
            add_json_kernel_rows(writer, module, i, &has_item);
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
    ptx_out_separator(out, &writer->has_item);
    ptx_out_text(out, "{");
    ptx_json_file(out, module);
    ptx_out_text(out, "\"kernels\":[");
    add_json_kernels(writer, module, true);
    ptx_out_text(out, "],\"functions\":[");
    add_json_kernels(writer, module, false);
    ptx_out_text(out, "]}");
    add_diagnostics(writer, module, &writer->late, &writer->has_late);
    take_late_status(writer);
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

/* By the functions that they stand in, which are in the order of the text. */
static size_t kernel_around(const ptxlint_kernel *kernels, size_t count, uint32_t offset)
{
    size_t from = 0, end = count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (kernels[middle].span.end <= offset)
            from = middle + 1;
        else
            end = middle;
    }
    return from < count && kernels[from].span.begin <= offset ? from : count;
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
        const size_t k = is_finding_shown(&writer->options, &all[i]) && all[i].kernel
                             ? kernel_around(kernels, count, all[i].span.begin)
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

/* Of several kernels figures are written where they are asked for; of one, always. */
static void add_text_report(ptxlint_writer *writer, const ptxlint_module *module)
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

/* Of one kernel in one launch its figures are all there is to say. */
static void put_overview(ptxlint_writer *writer)
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

static void add_csv_report(ptxlint_writer *writer, const ptxlint_module *module)
{
    size_t count;
    ReportRow row;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count && writer->out.status == PTXLINT_OK; i++)
        for (uint32_t n = 0;
             is_reported(writer, &kernels[i], true) && find_launch_row(module, i, n, &row); n++)
            ptx_csv_kernel(&writer->out, row.module, row.kernel);
}

/* Kernels alone: functions are in the JSON of the page. */
static void add_html_report(ptxlint_writer *writer, const ptxlint_module *module)
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

static void add_annotation(ptxlint_writer *writer, const ptxlint_module *module)
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
    put_gpus(writer);
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
        put_overview(writer);
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
    bool is_folded = document == PTXLINT_DIAGNOSTICS && is_for_people(options->format)
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
        add_findings(writer, module);
    } else if (writer->document == PTXLINT_ANNOTATION) {
        add_annotation(writer, module);
    } else if (writer->options.format == PTXLINT_JSON) {
        add_json_report(writer, module);
    } else if (writer->options.format == PTXLINT_CSV) {
        add_csv_report(writer, module);
    } else if (writer->options.format == PTXLINT_HTML) {
        add_html_report(writer, module);
    } else {
        add_text_report(writer, module);
    }
    tell_no_memory(writer);
    return writer->out.status;
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
