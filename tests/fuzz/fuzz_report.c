/* fuzz_report.c -- one input as a module with a launch: what is said of it must agree with itself.
 *
 * The findings of a lint are those of a report, with any number of threads. Documents are of their
 * format: JSON parses, places of SARIF lie inside the text, tags of XML are closed. Figures fit
 * together: bounds below predictions, fewest below actual, shares add up to the whole. */
#include "document.h"

#include "ptxlint/ptxlint.h"

#include <math.h>
#include <stdbool.h>

enum { MEMORY_BYTES = 256 << 20, MAX_TAGS = 256, MAX_TAG = 32 };

typedef ptxlint_status (*WriteFn)(const ptxlint_module *const *modules, size_t count,
                                  const ptxlint_write_options *options, ptxlint_write_fn write,
                                  void *context);

static Document written_as(WriteFn write, const ptxlint_module *module, ptxlint_format format)
{
    const ptxlint_module *const modules[] = { module };
    Document d = { 0 };
    ptxlint_write_options how;
    ptxlint_write_options_init(&how);
    how.format = format;
    require(write(modules, 1, &how, keep, &d) == PTXLINT_OK, "a document can be written");
    return d;
}

/* ---- documents ------------------------------------------------------------------------------- */

static size_t length_of(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    require(json_is_array(list), "a list");
    return json_array_size(list);
}

static void check_json(const ptxlint_module *module)
{
    size_t count;
    ptxlint_module_diagnostics(module, &count);
    json_t *lint = parsed(written_as(ptxlint_write_diagnostics, module, PTXLINT_JSON));
    json_t *report = parsed(written_as(ptxlint_write_report, module, PTXLINT_JSON));
    require(length_of(lint, "diagnostics") <= count, "no finding that the module has not");
    require(json_equal(json_object_get(lint, "diagnostics"),
                       json_object_get(report, "diagnostics")),
            "findings of a lint are those of its report");
    json_decref(lint);
    json_decref(report);
    json_decref(parsed(written_as(ptxlint_write_diagnostics, module, PTXLINT_GITLAB)));
    json_decref(parsed(written_as(ptxlint_write_diagnostics, module, PTXLINT_RDJSON)));
}

static json_int_t number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    require(json_is_integer(number), "a number");
    return json_integer_value(number);
}

static void check_region(const json_t *result)
{
    const json_t *place = json_object_get(
        json_array_get(json_object_get(result, "locations"), 0), "physicalLocation");
    const json_t *region = json_object_get(place, "region");
    if (!region)
        return;
    const json_int_t first = number_of(region, "startLine");
    require(first >= 1, "a region begins in a line");
    if (json_object_get(region, "endLine"))
        require(number_of(region, "endLine") >= first, "a region ends behind its beginning");
}

static void check_sarif(const ptxlint_module *module)
{
    json_t *log = parsed(written_as(ptxlint_write_diagnostics, module, PTXLINT_SARIF));
    const json_t *run = json_array_get(json_object_get(log, "runs"), 0), *result;
    const json_t *rules = json_object_get(
        json_object_get(json_object_get(run, "tool"), "driver"), "rules");
    size_t i;
    require(json_is_array(rules) && json_is_array(json_object_get(run, "results")),
            "a run has rules and results");
    json_array_foreach(json_object_get(run, "results"), i, result) {
        const json_t *rule = json_array_get(rules, (size_t)number_of(result, "ruleIndex"));
        require(json_equal(json_object_get(rule, "id"), json_object_get(result, "ruleId")),
                "a result names its rule");
        require(json_is_string(json_object_get(json_object_get(result, "message"), "text")),
                "a result has a message");
        check_region(result);
    }
    json_decref(log);
}

static void check_lines(const ptxlint_module *module, ptxlint_format format)
{
    Document d = written_as(ptxlint_write_diagnostics, module, format);
    for (char *line = d.bytes, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        require(end != NULL, "each line ends");
        json_t *json = json_loadb(line, (size_t)(end - line), JSON_ALLOW_NUL, NULL);
        require(json_is_object(json), "each line is an object");
        json_decref(json);
    }
    free(d.bytes);
}

/* Every tag that is opened is closed, in order; texts hold no bare `<` and no control byte. */
static void check_xml(const ptxlint_module *module, ptxlint_format format)
{
    Document d = written_as(ptxlint_write_diagnostics, module, format);
    char open[MAX_TAGS][MAX_TAG];
    size_t depth = 0;
    for (char *at = d.bytes ? strchr(d.bytes, '<') : NULL, *end; at; at = strchr(end, '<')) {
        end = strchr(at, '>');
        require(end != NULL, "a tag ends");
        const size_t length = strcspn(at + 1, " />\n");
        if (at[1] == '?' || at[1] == '!')
            continue;
        if (at[1] == '/') {
            const size_t name = strcspn(at + 2, " >\n");
            require(depth > 0 && name < MAX_TAG && !strncmp(open[depth - 1], at + 2, name)
                        && !open[depth - 1][name],
                    "the innermost tag is closed");
            depth--;
        } else if (end[-1] != '/') {
            require(depth < MAX_TAGS && length > 0 && length < MAX_TAG, "a tag has a name");
            snprintf(open[depth++], MAX_TAG, "%.*s", (int)length, at + 1);
        }
    }
    require(!depth, "every tag is closed");
    for (size_t i = 0; i < d.length; i++)
        require((unsigned char)d.bytes[i] >= 32 || strchr("\t\n\r", d.bytes[i]),
                "XML has no control bytes");
    free(d.bytes);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Not above it, but for rounding, where both are known. */
static bool is_most(double a, double b)
{
    return isnan(a) || isnan(b) || a <= b * (1 + 1e-9) + 1e-9;
}

static void check_time(const ptxlint_time *time)
{
    require(is_most(time->bound_us, time->predicted_us), "no prediction is below its bound");
    require(is_most(time->bound_us, time->low_us) && is_most(time->low_us, time->predicted_us)
                && is_most(time->predicted_us, time->high_us),
            "a prediction lies in its band");
    for (size_t i = 0; i < time->part_count; i++)
        require(!(time->parts[i].us < 0), "no part takes less than nothing");
}

static void check_instructions(const ptxlint_projection *p, size_t length)
{
    double share = 0;
    bool is_known = p->instruction_count > 0 && !isnan(p->code_us);
    for (size_t i = 0; i < p->instruction_count; i++) {
        const ptxlint_instruction *insn = &p->instructions[i];
        require(insn->span.begin <= insn->span.end && insn->span.end <= length && insn->line >= 1,
                "an instruction lies inside the text");
        require(is_most(insn->ideal_sectors, insn->sectors)
                    && is_most(insn->ideal_wavefronts, insn->wavefronts),
                "no access does with less than the fewest");
        require(is_most(insn->thread_executions, 32 * insn->executions),
                "a warp has 32 threads");
        is_known = is_known && !isnan(insn->time_share);
        share += insn->time_share;
    }
    require(!is_known || share < 1e-9 || fabs(share - 1) < 1e-6, "shares add up to the whole");
}

static void check_projection(const ptxlint_projection *p, size_t length)
{
    require(p->registers < 0 || p->registers_low < 0
                || p->register_source != PTXLINT_REGISTERS_MODEL
                || (p->registers_low <= p->registers && p->registers <= p->registers_high),
            "registers lie in their band");
    require(!(p->tail_percent < 0) && !(p->tail_percent > 100 + 1e-9), "a part of a wave");
    require(!(p->utilisation_percent < 0) && !(p->utilisation_percent > 100 + 1e-9),
            "no more than all");
    require(is_most(p->roofline.predicted_gflops, p->roofline.attainable_gflops)
                || isnan(p->roofline.attainable_gflops),
            "no rate above what can be attained");
    check_time(&p->time);
    check_instructions(p, length);
}

static void check_figures(const ptxlint_module *module, size_t length)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < kernels[k].projection_count; i++)
            check_projection(&kernels[k].projections[i], length);
    }
}

/* ---- modules --------------------------------------------------------------------------------- */

typedef struct Way {            /* to come to the same findings */
    int findings_only, has_instructions;
    unsigned jobs;
} Way;

static ptxlint_module *module_of(const char *text, size_t size, const ptxlint_launches *launches,
                                 Way way)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find(size % 2 ? "h200" : "rtx4090");
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.path = "fuzz.ptx";
    options.max_memory_bytes = MEMORY_BYTES;
    options.gpus = &gpu;
    options.gpu_count = gpu != NULL;
    options.launches = launches;
    options.findings_only = way.findings_only;
    options.has_instructions = way.has_instructions;
    options.jobs = way.jobs;
    ptxlint_status status = ptxlint_module_new(text, size, &options, &module);
    require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "any bytes are a module");
    return module;
}

static void check_same(const ptxlint_module *a, const ptxlint_module *b)
{
    if (!a || !b)
        return;
    require_same(written_as(ptxlint_write_diagnostics, a, PTXLINT_JSON),
                 written_as(ptxlint_write_diagnostics, b, PTXLINT_JSON),
                 "whatever else is asked for, the findings are the same");
}

/* Some of them: sizes of inputs vary more than anything else. */
static void check_documents(const ptxlint_module *module, size_t size)
{
    switch (size % 4) {
    case 0:
        check_json(module);
        break;
    case 1:
        check_sarif(module);
        check_lines(module, PTXLINT_JSONL);
        break;
    case 2:
        check_lines(module, PTXLINT_RDJSONL);
        check_xml(module, PTXLINT_CHECKSTYLE);
        check_xml(module, PTXLINT_JUNIT);
        break;
    default:
        free(written_as(ptxlint_write_report, module, PTXLINT_HTML).bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size), error[256];
    ptxlint_launches *launches;
    require(ptxlint_launches_new(NULL, 0, &launches, NULL, 0) == PTXLINT_OK, "nothing is known");
    require(ptxlint_launches_set(launches, "grid", size % 3 ? "7" : "200,2", error, sizeof error)
                    == PTXLINT_OK
                && ptxlint_launches_set(launches, "block", size % 5 ? "64" : "16,9", error,
                                        sizeof error)
                       == PTXLINT_OK,
            "a launch");
    ptxlint_module *whole = module_of(text, size, launches, (Way){ .has_instructions = 1 });
    ptxlint_module *lint = module_of(text, size, launches,
                                     (Way){ .findings_only = 1, .jobs = 1 + size % 2 });
    check_same(whole, lint);
    if (whole) {
        check_figures(whole, size);
        check_documents(whole, size);
    }
    ptxlint_module_free(whole);
    ptxlint_module_free(lint);
    ptxlint_launches_free(launches);
    free(text);
    return 0;
}
