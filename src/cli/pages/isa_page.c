/* isa_page.c -- an instruction in Markdown, as a manual has it: what `ptxlint isa` shows. */
#include "cli/pages/isa_page.h"
#include "support/choice.h"

#include <math.h>
#include <string.h>

enum { GPUS_WIDTH = 48, FORM_WIDTH = 66 };

static const char gpus_indent[] = "                          ";

/* In lines of that many columns that end behind commas and semicolons. */
static void put_in_lines(Text *out, const char *text, size_t width, const char *indent)
{
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, ",;");
        length += text[length] != 0;
        if (column && column + length > width) {
            ptx_text_print(out, "\n%s", indent);
            column = 0;
            length -= *text == ' ';
            text += *text == ' ';
        }
        ptx_text_add(out, text, length);
        column += length;
        text += length;
    }
    ptx_text_put(out, "\n");
}

/* ---- where it is legal ----------------------------------------------------------------------- */

static void put_needs(Text *out, const ptxlint_isa_form *form)
{
    for (size_t i = 0; i < form->need_count; i++) {
        const ptxlint_isa_need *need = &form->needs[i], *last = i ? need - 1 : NULL;
        if (last && last->version_major == need->version_major
            && last->version_minor == need->version_minor)
            ptx_text_print(out, ", %s", need->target);
        else
            ptx_text_print(out, "%sPTX %d.%d %s", i ? "; " : "", need->version_major,
                           need->version_minor, need->target);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

static void put_part(Text *out, const char *part)
{
    ptx_text_put(out, out->length ? ", " : "");
    ptx_text_put(out, part);
}

/* "0 or 4 elements": bits of the set; without braces it is one. */
static void put_elements(Text *out, uint64_t set)
{
    Text counts = { 0 };
    if (set & 1)
        ptx_text_put(&counts, "one register");
    for (unsigned n = 1; n < 64; n++)
        if (set >> n & 1)
            ptx_text_print(&counts, "%s{%u}", counts.length ? " or " : "", n);
    put_part(out, counts.length ? counts.bytes : "");
    out->has_failed |= counts.has_failed;
    ptx_text_free(&counts);
}

/* "0 to 31", "0 to 120 by 8", "4 to 16 by times 2". */
static void put_range(Text *out, const char *before, const ptxlint_isa_range *r)
{
    Text text = { 0 };
    ptx_text_print(&text, "%s%lld", before, (long long)r->low);
    if (r->low != r->high)
        ptx_text_print(&text, " to %lld", (long long)r->high);
    if (r->factor)
        ptx_text_print(&text, " by times %lld", (long long)r->factor);
    else if (r->step > 1)
        ptx_text_print(&text, " by %lld", (long long)r->step);
    put_part(out, text.length ? text.bytes : "");
    out->has_failed |= text.has_failed;
    ptx_text_free(&text);
}

static void put_count(Text *out, unsigned count)
{
    char text[32];
    snprintf(text, sizeof text, "{%u}", count);
    if (count > 1)
        put_part(out, text);
}

static bool is_pair_alike(const ptxlint_isa_operand *o)
{
    return o->pair && !strcmp(o->pair_type, o->type);
}

static void put_name(Text *out, const char *before, const ptxlint_isa_operand *o)
{
    ptx_text_print(out, "%s%s", before, o->name);
    if (is_pair_alike(o))
        ptx_text_print(out, "|%s", o->pair);
}

/* What the syntax does not say of an operand; "" nothing. */
static Text describe(const ptxlint_isa_operand *o)
{
    Text what = { 0 };
    if (*o->type)
        put_part(&what, o->type);
    if (o->is_written)
        put_part(&what, o->is_read ? "read and written" : "written");
    if (o->is_counted && o->element_count)
        put_count(&what, o->element_count);
    else if (o->is_counted)
        put_part(&what, "{..} by modifiers");
    if (o->element_set)
        put_elements(&what, o->element_set);
    if (o->has_range)
        put_range(&what, "", &o->range);
    if (o->has_next_range)
        put_range(&what, "then ", &o->next_range);
    if (o->is_register)
        put_part(&what, "a register");
    if (o->pair && *o->pair_type && !is_pair_alike(o)) {
        put_part(&what, o->pair);
        ptx_text_print(&what, " %s", o->pair_type);
    }
    return what;
}

/* "d: .f32, written; a, b: .f32". */
static void put_operands(Text *out, const ptxlint_isa_form *form)
{
    Text last = { 0 };
    bool has_some = false;
    for (size_t i = 0; i < form->operand_count; i++) {
        const ptxlint_isa_operand *o = &form->operands[i];
        Text what = describe(o);
        bool is_same = has_some && what.length && last.length && !strcmp(what.bytes, last.bytes);
        if (is_same)
            put_name(out, ", ", o);
        else if (last.length)
            ptx_text_print(out, ": %s", last.bytes);
        if (what.length && !is_same)
            put_name(out, "; ", o);
        has_some |= what.length > 0;
        out->has_failed |= what.has_failed;
        ptx_text_free(&last);
        last = what;
    }
    if (last.length)
        ptx_text_print(out, ": %s", last.bytes);
    ptx_text_free(&last);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_operations(Text *out, const ptxlint_isa_info *info)
{
    if (!info->operation_count)
        return;
    ptx_text_put(out, "## Operations\n\n| | |\n| --- | --- |\n");
    for (size_t i = 0; i < info->operation_count; i++)
        ptx_text_print(out, "| %s | %s |\n", info->operations[i].text, info->operations[i].summary);
    ptx_text_put(out, "\n");
}

static void put_forms(Text *out, const ptxlint_isa_info *info)
{
    ptx_text_put(out, "## Forms\n\n```ptx\n");
    for (size_t i = 0; i < info->form_count; i++) {
        const ptxlint_isa_form *form = &info->forms[i];
        Text notes = { 0 };
        ptx_text_print(out, "%s%s%s;\n    // ", form->modifiers_text,
                       *form->operands_text ? "  " : "", form->operands_text);
        put_needs(&notes, form);
        put_operands(&notes, form);
        put_in_lines(out, notes.length ? notes.bytes : "", FORM_WIDTH, "    // ");
        out->has_failed |= notes.has_failed;
        ptx_text_free(&notes);
    }
    ptx_text_put(out, "```\n\n");
}

static void put_groups(Text *out, const ptxlint_isa_info *info)
{
    if (!info->group_count)
        return;
    ptx_text_put(out, "## Modifiers\n\n| | |\n| --- | --- |\n");
    for (size_t i = 0; i < info->group_count; i++) {
        ptx_text_print(out, "| .%s | ", info->groups[i].name);
        for (size_t v = 0; v < info->groups[i].value_count; v++)
            ptx_text_print(out, "%s.%s", v ? " " : "", info->groups[i].values[v]);
        ptx_text_put(out, " |\n");
    }
    ptx_text_put(out, "\n");
}

/* ---- speed ----------------------------------------------------------------------------------- */

static bool is_same_rate(const ptxlint_isa_rate *a, const ptxlint_isa_rate *b)
{
    return a->results_per_clock >= b->results_per_clock
           && a->results_per_clock <= b->results_per_clock && a->is_bound == b->is_bound
           && !strcmp(a->pipe, b->pipe);
}

/* "128 fma", "1024 FMA tensor". */
static void put_rate(Text *out, const ptxlint_isa_rate *rate)
{
    bool is_matrix = rate->fmas_per_clock > 0;
    double value = is_matrix ? rate->fmas_per_clock : rate->results_per_clock;
    if (isinf(value)) {
        ptx_text_put(out, "no machine operation");
        return;
    }
    ptx_text_print(out, value < 100 ? "%.3g" : "%.0f", value);
    ptx_text_print(out, "%s %s%s", ptx_text_if(is_matrix, " FMA"), rate->pipe,
                   ptx_text_if(!rate->is_bound, " (new factors)"));
}

/* Names of the GPUs whose rate is that of number first; neighbours as a range. Those listed are
 * marked. */
static void put_gpus(Text *out, const IsaGpus *gpus, const ptxlint_isa_rate *rates, bool *is_listed,
                     size_t first)
{
    for (size_t i = first; i < gpus->count; i++) {
        size_t end = i;
        while (end < gpus->count && !is_listed[end] && is_same_rate(&rates[first], &rates[end]))
            is_listed[end++] = true;
        if (end == i)
            continue;
        ptx_text_print(out, "%s%s", i > first ? ", " : "",
                       ptxlint_gpu_get_info(gpus->items[i])->name);
        if (end > i + 2 && gpus->is_default)
            ptx_text_print(out, " to %s", ptxlint_gpu_get_info(gpus->items[end - 1])->name);
        else
            for (size_t k = i + 1; k < end; k++)
                ptx_text_print(out, ", %s", ptxlint_gpu_get_info(gpus->items[k])->name);
        i = end - 1;
    }
}

static void put_sample(Text *out, const IsaGpus *gpus, const ptxlint_isa_sample *sample)
{
    ptxlint_isa_rate rates[ISA_GPUS_MAX];
    bool is_listed[ISA_GPUS_MAX], is_first = true;
    for (size_t i = 0; i < gpus->count; i++)
        is_listed[i] = !ptxlint_isa_get_rate(sample->text, strlen(sample->text), gpus->items[i],
                                        &rates[i])
                  || isnan(rates[i].results_per_clock);
    for (size_t i = 0; i < gpus->count; i++) {
        Text rate = { 0 }, names = { 0 };
        if (is_listed[i])
            continue;
        if (is_first)
            ptx_text_print(out, "%s%s%s\n", sample->text, *sample->alike ? " " : "", sample->alike);
        is_first = false;
        put_rate(&rate, &rates[i]);
        put_gpus(&names, gpus, rates, is_listed, i);
        ptx_text_print(out, "    %-*s ", (int)sizeof gpus_indent - 6, ptx_text_or(rate.bytes, ""));
        put_in_lines(out, names.length ? names.bytes : "", GPUS_WIDTH, gpus_indent);
        out->has_failed |= rate.has_failed || names.has_failed;
        ptx_text_free(&rate);
        ptx_text_free(&names);
    }
}

static void put_rates(Text *out, const ptxlint_isa *isa, const IsaGpus *gpus)
{
    ptxlint_isa_sample sample;
    Text rows = { 0 };
    for (size_t i = 0; ptxlint_isa_sample_at(isa, i, &sample); i++)
        put_sample(&rows, gpus, &sample);
    if (rows.length)
        ptx_text_print(out,
                       "## Throughput\n\nResults in a clock of one SM, and the pipeline that "
                       "limits them.\n\n```text\n%s```\n\n",
                       rows.bytes);
    out->has_failed |= rows.has_failed;
    ptx_text_free(&rows);
    const char *text = ptxlint_isa_get_info(isa)->text;
    for (size_t i = 0; i < gpus->count && !gpus->is_default; i++)
        if (!ptxlint_isa_has(text, strlen(text), gpus->items[i]))
            ptx_text_print(out, "%s does not have %s.\n\n",
                           ptxlint_gpu_get_info(gpus->items[i])->name, text);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_classes(Text *out, const ptxlint_isa_info *info)
{
    ptxlint_isa_class class;
    uint32_t seen = 0;
    for (size_t i = 0; i < info->form_count; i++)
        seen |= (uint32_t)1 << info->forms[i].class_index;
    ptx_text_put(out, "| class | ");
    for (size_t c = 0, count = 0; ptxlint_isa_class_at(c, &class); c++)
        if (seen >> c & 1)
            ptx_text_print(out, "%s%s", count++ ? "; " : "", class.what);
    ptx_text_put(out, " |\n");
}

/* The first version and the lowest target of any form: of one and the same where that is so. */
static void put_since(Text *out, const ptxlint_isa_info *info)
{
    const ptxlint_isa_need *oldest = &info->forms[0].needs[0];
    for (size_t i = 0; i < info->form_count; i++)
        for (size_t n = 0; n < info->forms[i].need_count; n++) {
            const ptxlint_isa_need *need = &info->forms[i].needs[n];
            int version = 10 * need->version_major + need->version_minor,
                least = 10 * oldest->version_major + oldest->version_minor;
            oldest = version < least ? need : oldest;
        }
    ptx_text_print(out, "| since | PTX %d.%d %s |\n", oldest->version_major, oldest->version_minor,
                   oldest->target);
}

void ptx_isa_page_write(Text *out, const ptxlint_isa *isa, const IsaGpus *gpus)
{
    const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
    ptx_text_print(out, "# %s\n\n%s\n\n| | |\n| --- | --- |\n", info->text, info->summary);
    put_classes(out, info);
    put_since(out, info);
    ptx_text_put(out, "\n");
    put_operations(out, info);
    put_forms(out, info);
    put_groups(out, info);
    put_rates(out, isa, gpus);
    if (out->length && !out->has_failed)
        out->bytes[--out->length] = 0;  /* no empty line at the end */
}

void ptx_isa_overview_write(Text *out, const IsaGpus *gpus)
{
    ptxlint_isa_class class;
    ptxlint_isa_opcode opcode;
    ptx_text_put(out, "# Instructions of PTX\n\n| | |\n| --- | --- |\n");
    for (size_t c = 0; ptxlint_isa_class_at(c, &class); c++) {
        ptx_text_print(out, "| %s |", class.what);
        for (size_t i = 0; ptxlint_isa_opcode_at(i, &opcode); i++)
            if (opcode.classes >> c & 1 && ptx_isa_is_listed(gpus, &opcode))
                ptx_text_print(out, " %s", opcode.text);
        ptx_text_put(out, " |\n");
    }
    ptx_text_put(out, "\n`ptxlint isa OPCODE` describes one, `ptxlint isa OPCODE.MODIFIERS` the "
                      "forms that take these modifiers, "
                      "`ptxlint isa --list` has a line for each.\n");
}
