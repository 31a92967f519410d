/* isa.c -- the instruction table as a manual: pages, lists, JSON. */
#include "cli/pages/isa_page.h"
#include "cli/rule_json.h"
#include "support/choice.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- GPUs ------------------------------------------------------------------------------------ */

/* Those of --gpu, else all architectures. */
static void choose_gpus(IsaGpus *gpus, const Inputs *inputs)
{
    const ptxlint_gpu *gpu;
    gpus->is_default = !inputs->gpu_count;
    for (size_t i = 0; i < inputs->gpu_count && gpus->count < ISA_GPUS_MAX; i++)
        gpus->items[gpus->count++] = inputs->gpus[i];
    for (size_t i = 0; gpus->is_default && (gpu = ptxlint_gpu_at(i)) && gpus->count < ISA_GPUS_MAX;
         i++)
        if (!*ptxlint_gpu_get_info(gpu)->product)
            gpus->items[gpus->count++] = gpu;
}

bool ptx_isa_is_listed(const IsaGpus *gpus, const ptxlint_isa_opcode *opcode)
{
    for (size_t i = 0; i < gpus->count && !gpus->is_default; i++)
        if (ptxlint_isa_has(opcode->text, strlen(opcode->text), gpus->items[i]))
            return true;
    return gpus->is_default;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *number_or_null(double value)
{
    return isnan(value) || isinf(value) ? json_null() : json_real(value);
}

static json_t *need_json(const ptxlint_isa_need *need)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", need->version_major, need->version_minor);
    return json_pack("{s:s, s:s}", "version", version, "target", need->target);
}

static json_t *modifier_json(const ptxlint_isa_modifier *modifier)
{
    json_t *values = json_array();
    for (size_t i = 0; i < modifier->value_count; i++)
        json_array_append_new(values, json_string(modifier->values[i]));
    return json_pack("{s:o, s:o, s:b}", "group", ptx_text_json(modifier->name), "values", values,
                     "optional", modifier->is_optional);
}

static json_t *elements_json(const ptxlint_isa_operand *o)
{
    json_t *counts = o->element_set ? json_array() : json_null();
    for (unsigned n = 0; o->element_set && n < 64; n++)
        if (o->element_set >> n & 1)
            json_array_append_new(counts, json_integer((json_int_t)n));
    return o->is_counted ? json_string("modifiers") : counts;
}

static json_t *range_json(int is_said, const ptxlint_isa_range *r)
{
    return !is_said ? json_null()
                    : json_pack("{s:I, s:I, s:I, s:I}", "low", (json_int_t)r->low, "high",
                                (json_int_t)r->high, "step", (json_int_t)r->step, "factor",
                                (json_int_t)r->factor);
}

static json_t *pair_json(const ptxlint_isa_operand *o)
{
    return !o->pair ? json_null()
                    : json_pack("{s:s, s:s, s:b}", "name", o->pair, "type", o->pair_type, "written",
                                o->is_pair_written);
}

static json_t *operand_json(const ptxlint_isa_operand *o)
{
    return json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:o, s:i, s:o, s:o, s:o}", "name",
                     o->name, "type", o->type, "read", o->is_read, "written", o->is_written,
                     "address", o->is_address, "optional", o->is_optional, "negatable",
                     o->is_negatable, "register", o->is_register, "elements", elements_json(o),
                     "element_count", (int)o->element_count, "range",
                     range_json(o->has_range, &o->range), "next_range",
                     range_json(o->has_next_range, &o->next_range), "pair", pair_json(o));
}

static json_t *form_json(const ptxlint_isa_form *form)
{
    ptxlint_isa_class class = { "", "" };
    json_t *modifiers = json_array(), *operands = json_array(), *needs = json_array();
    for (size_t i = 0; i < form->modifier_count; i++)
        json_array_append_new(modifiers, modifier_json(&form->modifiers[i]));
    for (size_t i = 0; i < form->operand_count; i++)
        json_array_append_new(operands, operand_json(&form->operands[i]));
    for (size_t i = 0; i < form->need_count; i++)
        json_array_append_new(needs, need_json(&form->needs[i]));
    ptxlint_isa_class_at(form->class_index, &class);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "syntax", form->modifiers_text,
                     "operands_syntax", form->operands_text, "summary", form->summary, "class",
                     class.key, "modifiers", modifiers, "operands", operands, "needs", needs);
}

static json_t *rates_json(const ptxlint_isa *isa, const IsaGpus *gpus)
{
    json_t *all = json_array();
    ptxlint_isa_sample sample;
    ptxlint_isa_rate rate;
    for (size_t i = 0; ptxlint_isa_sample_at(isa, i, &sample); i++)
        for (size_t g = 0; g < gpus->count; g++)
            if (ptxlint_isa_get_rate(sample.text, strlen(sample.text), gpus->items[g], &rate))
                json_array_append_new(
                    all, json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:s, s:b}", "instruction",
                                   sample.text, "alike", sample.alike, "gpu",
                                   ptxlint_gpu_get_info(gpus->items[g])->name, "results_per_clock",
                                   number_or_null(rate.results_per_clock), "fmas_per_clock",
                                   number_or_null(rate.fmas_per_clock), "is_free",
                                   isinf(rate.results_per_clock), "pipe", rate.pipe, "source",
                                   rate.source, "is_bound", rate.is_bound));
    return all;
}

static json_t *isa_json(const ptxlint_isa *isa, const IsaGpus *gpus)
{
    const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
    json_t *operations = json_array(), *forms = json_array();
    for (size_t i = 0; i < info->operation_count; i++)
        json_array_append_new(operations, json_pack("{s:s, s:s}", "text", info->operations[i].text,
                                                    "summary", info->operations[i].summary));
    for (size_t i = 0; i < info->form_count; i++)
        json_array_append_new(forms, form_json(&info->forms[i]));
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o}", "text", info->text, "opcode",
                     info->opcode, "summary", info->summary, "is_whole", info->is_whole,
                     "operations", operations, "forms", forms, "rates", rates_json(isa, gpus));
}

static json_t *opcode_json(const ptxlint_isa_opcode *opcode)
{
    ptxlint_isa_class class;
    json_t *classes = json_array();
    for (size_t c = 0; ptxlint_isa_class_at(c, &class); c++)
        if (opcode->classes >> c & 1)
            json_array_append_new(classes, json_string(class.key));
    return json_pack("{s:s, s:s, s:o, s:o}", "opcode", opcode->text, "summary", opcode->summary,
                     "classes", classes, "first", need_json(&opcode->first));
}

/* ---- all opcodes ----------------------------------------------------------------------------- */

static void write_list_json(const IsaGpus *gpus, Text *out)
{
    json_t *all = json_array();
    ptxlint_isa_opcode opcode;
    for (size_t i = 0; ptxlint_isa_opcode_at(i, &opcode); i++)
        if (ptx_isa_is_listed(gpus, &opcode))
            json_array_append_new(all, opcode_json(&opcode));
    ptx_json_write(out, json_pack("{s:s, s:o}", "schema", "ptxlint-isa-list/1", "opcodes", all));
}

static void write_list(const IsaGpus *gpus, bool is_markdown, Text *out)
{
    ptxlint_isa_opcode o;
    ptx_text_put(out, is_markdown
                          ? "| opcode | PTX | target | what it does |\n| --- | --- | --- | --- |\n"
                          : "");
    for (size_t i = 0; ptxlint_isa_opcode_at(i, &o); i++)
        if (ptx_isa_is_listed(gpus, &o))
            ptx_text_print(
                out, is_markdown ? "| `%s` | %d.%d | %s | %s |\n" : "%-20s  %d.%d  %-7s  %s\n",
                o.text, o.first.version_major, o.first.version_minor, o.first.target, o.summary);
}

/* What is not written as a page is Markdown. */
static void write_pages(const Options *options, const Text *page, Text *out)
{
    if (options->output.format == FORMAT_MARKDOWN && page->length)
        ptx_text_add(out, page->bytes, page->length);
    else if (page->length)
        out->has_failed |= !ptx_paint(out, page->bytes, page->length,
                                      ptx_options_has_color(options, options->output.path));
    out->has_failed |= page->has_failed;
}

static void write_all(const Options *options, const IsaGpus *gpus, Text *out)
{
    Text page = { 0 };
    if (options->output.format == FORMAT_JSON) {
        write_list_json(gpus, out);
    } else if (options->has_list) {
        write_list(gpus, options->output.format == FORMAT_MARKDOWN, out);
    } else {
        ptx_isa_overview_write(&page, gpus);
        write_pages(options, &page, out);
    }
    ptx_text_free(&page);
}

/* ---- what is new ----------------------------------------------------------------------------- */

static unsigned number_of_version(const ptxlint_isa_need *need)
{
    return 10u * (unsigned)need->version_major + (unsigned)need->version_minor;
}

/* The first .version that has it, of these targets or of any. */
static unsigned first_version(const ptxlint_isa_form *form)
{
    unsigned first = UINT_MAX;
    for (size_t i = 0; i < form->need_count; i++) {
        unsigned version = number_of_version(&form->needs[i]);
        first = version < first ? version : first;
    }
    return first;
}

/* A cell of a table ends at a bar that has no stroke before it. */
static void write_cell(const char *text, Text *out)
{
    ptx_text_put(out, "| `");
    for (; *text; text++) {
        ptx_text_put(out, ptx_text_if(*text == '|', "\\"));
        ptx_text_add(out, text, 1);
    }
    ptx_text_put(out, "` ");
}

static void write_new_form(const ptxlint_isa_form *form, bool is_markdown, Text *out)
{
    if (is_markdown) {
        write_cell(form->modifiers_text, out);
        if (*form->operands_text)
            write_cell(form->operands_text, out);
        ptx_text_put(out, *form->operands_text ? "|" : "| |");
    } else {
        ptx_text_print(out, "%s  %s\n    //", form->modifiers_text, form->operands_text);
    }
    for (size_t i = 0; i < form->need_count; i++)
        ptx_text_print(out, " %s", form->needs[i].target);
    ptx_text_put(out, is_markdown ? " |\n" : "\n");
}

/* The opcodes, each with all its forms; NULL behind the last. */
typedef struct OpenedIsa {
    ptxlint_isa *opcodes[1024];
} OpenedIsa;

static void open_all(OpenedIsa *all)
{
    ptxlint_isa_opcode opcode;
    size_t count = 0;
    for (size_t i = 0; ptxlint_isa_opcode_at(i, &opcode) && count + 1 < 1024; i++)
        count += ptxlint_isa_new(opcode.text, strlen(opcode.text), &all->opcodes[count], NULL, 0)
                 == PTXLINT_OK;
    all->opcodes[count] = NULL;
}

static void close_all(OpenedIsa *all)
{
    for (size_t i = 0; all->opcodes[i]; i++)
        ptxlint_isa_free(all->opcodes[i]);
}

static void write_version_head(unsigned version, bool is_markdown, Text *out)
{
    ptx_text_put(out, ptx_text_if(out->length != 0, "\n"));
    ptx_text_print(out, is_markdown ? "## PTX %u.%u\n\n" : "PTX %u.%u\n\n", version / 10,
                   version % 10);
    ptx_text_put(out, ptx_text_if(is_markdown, "| form | operands | targets |\n"
                                               "| --- | --- | --- |\n"));
}

static void write_version(const OpenedIsa *all, unsigned version, bool is_markdown, Text *out)
{
    bool has_head = false;
    for (size_t i = 0; all->opcodes[i]; i++) {
        const ptxlint_isa_info *info = ptxlint_isa_get_info(all->opcodes[i]);
        for (size_t f = 0; f < info->form_count; f++) {
            if (first_version(&info->forms[f]) != version)
                continue;
            if (!has_head)
                write_version_head(version, is_markdown, out);
            has_head = true;
            write_new_form(&info->forms[f], is_markdown, out);
        }
    }
}

static json_t *new_forms_of(const ptxlint_isa_info *info, unsigned since)
{
    json_t *forms = json_array();
    for (size_t f = 0; f < info->form_count; f++)
        if (first_version(&info->forms[f]) >= since)
            json_array_append_new(forms, form_json(&info->forms[f]));
    return forms;
}

static void write_new_json(const OpenedIsa *all, unsigned since, Text *out)
{
    json_t *list = json_array();
    for (size_t i = 0; all->opcodes[i]; i++) {
        const ptxlint_isa_info *info = ptxlint_isa_get_info(all->opcodes[i]);
        json_t *forms = new_forms_of(info, since);
        if (json_array_size(forms))
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:b, s:[], s:O, s:[]}", "text", info->text,
                                "opcode", info->opcode, "summary", info->summary, "is_whole", 0,
                                "operations", "forms", forms, "rates"));
        json_decref(forms);
    }
    ptx_json_write(out,
                   json_pack("{s:s, s:o}", "schema", "ptxlint-isa/1", "instructions", list));
}

static void write_newer_forms(const Options *options, Text *out)
{
    enum { NEWEST = 150 };              /* beyond every version there is */
    OpenedIsa all;
    open_all(&all);
    if (options->output.format == FORMAT_JSON)
        write_new_json(&all, options->since, out);
    else
        for (unsigned version = options->since; version < NEWEST; version++)
            write_version(&all, version, options->output.format == FORMAT_MARKDOWN, out);
    if (!out->length)
        ptx_text_put(out, "nothing is that new\n");
    close_all(&all);
}

/* ---- some of them ---------------------------------------------------------------------------- */

static ExitCode open_one(const char *word, ptxlint_isa **isa)
{
    char error[256], text[320];
    ptxlint_status status = ptxlint_isa_new(word, strlen(word), isa, error, sizeof error);
    if (status == PTXLINT_OK)
        return EXIT_CLEAN;
    if (status != PTXLINT_BAD_ARGUMENT)
        return ptx_complain_status(word, status);
    bool is_question = *error && error[strlen(error) - 1] == '?';
    snprintf(text, sizeof text, "%s%s `ptxlint isa --list` lists them all",
             *error ? error : "unknown instruction", ptx_text_if(!is_question, ";"));
    ptx_complain(NULL, text);
    return EXIT_USAGE;
}

static ExitCode write_some(const Options *options, const IsaGpus *gpus, Text *out)
{
    ExitCode code = EXIT_CLEAN;
    json_t *all = json_array();
    Text page = { 0 };
    for (size_t i = 0; options->paths[i]; i++) {
        ptxlint_isa *isa;
        ExitCode opened = open_one(options->paths[i], &isa);
        code = exit_code_max(code, opened);
        if (opened != EXIT_CLEAN)
            continue;
        ptx_text_put(&page, page.length ? "\n" : "");
        if (options->output.format == FORMAT_JSON)
            json_array_append_new(all, isa_json(isa, gpus));
        else
            ptx_isa_page_write(&page, isa, gpus);
        ptxlint_isa_free(isa);
    }
    if (options->output.format == FORMAT_JSON)
        ptx_json_write(out,
                       json_pack("{s:s, s:o}", "schema", "ptxlint-isa/1", "instructions", all));
    else
        json_decref(all);
    write_pages(options, &page, out);
    ptx_text_free(&page);
    return code;
}

ExitCode ptx_isa_command(const Options *options)
{
    Inputs inputs = { 0 };
    IsaGpus gpus = { .count = 0 };
    Text out = { 0 };
    bool has_words = options->paths && options->paths[0];
    ExitCode code = ptx_inputs_read(&inputs, options);
    choose_gpus(&gpus, &inputs);
    if (code == EXIT_CLEAN && has_words)
        code = write_some(options, &gpus, &out);
    else if (code == EXIT_CLEAN && options->since)
        write_newer_forms(options, &out);
    else if (code == EXIT_CLEAN)
        write_all(options, &gpus, &out);
    if (out.length || out.has_failed)
        code = exit_code_max(code, ptx_output_text(options, &out));
    ptx_text_free(&out);
    ptx_inputs_free(&inputs);
    return code;
}
