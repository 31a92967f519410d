/* tally.c -- counts of findings, and times. */
#include "cli/cli.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- findings per rule ----------------------------------------------------------------------- */

static TallyRow *find_row(Tally *tally, const ptxlint_diagnostic *d)
{
    for (size_t i = 0; i < tally->count; i++)
        if (!strcmp(tally->rows[i].code, d->rule))
            return &tally->rows[i];
    if (!ptx_list_reserve(&tally->rows, &tally->capacity, tally->count + 1, sizeof *tally->rows)) {
        tally->has_failed = true;
        return NULL;
    }
    TallyRow *row = &tally->rows[tally->count++];
    *row = (TallyRow){ .count = 0 };
    snprintf(row->code, sizeof row->code, "%s", d->rule);
    snprintf(row->name, sizeof row->name, "%s", d->name);
    return row;
}

/* As the writer chooses them. */
static bool is_wanted(const ptxlint_diagnostic *d, const ptxlint_write_options *options)
{
    if (options->kernel_glob && d->kernel && !ptxlint_name_fits(options->kernel_glob, d->kernel))
        return false;
    for (size_t i = 0; options->groups && i < options->group_count; i++)
        if (!strcmp(d->group, options->groups[i]))
            return true;
    return !options->groups;
}

void ptx_tally_add(Tally *tally, const ptxlint_module *module, const ptxlint_write_options *options)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++) {
        TallyRow *row = is_wanted(&all[i], options) ? find_row(tally, &all[i]) : NULL;
        if (!row)
            continue;
        if (all[i].suppression != PTXLINT_NOT_SUPPRESSED) {
            row->suppressed++;
            continue;
        }
        row->count++;
        if (all[i].severity > row->severity)
            row->severity = all[i].severity;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const TallyRow *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(x->code, y->code);
}

static void write_table(const Tally *tally, Text *out)
{
    size_t total = 0, suppressed = 0;
    if (!tally->count)
        return;
    ptx_text_print(out, "%8s  %10s  %-8s  %s\n", "findings", "suppressed", "severity", "rule");
    for (size_t i = 0; i < tally->count; i++) {
        const TallyRow *row = &tally->rows[i];
        ptx_text_print(out, "%8zu  %10zu  %-8s  %s %s\n", row->count, row->suppressed,
                       ptx_severity_word((int)row->severity), row->code, row->name);
        total += row->count;
        suppressed += row->suppressed;
    }
    ptx_text_print(out, "%8zu  %10zu  %-8s  in all\n", total, suppressed, "");
}

/* Codes, names and severities need no escapes. */
static void write_object(const TallyRow *row, Text *out)
{
    ptx_text_print(out, "{\"rule\": \"%s\", \"name\": \"%s\", ", row->code, row->name);
    if (row->count)
        ptx_text_print(out, "\"severity\": \"%s\", ", ptx_severity_word((int)row->severity));
    else
        ptx_text_put(out, "\"severity\": null, ");
    ptx_text_print(out, "\"count\": %zu, \"suppressed\": %zu}", row->count, row->suppressed);
}

static void write_document(const Tally *tally, Text *out)
{
    ptx_text_put(out, "{\n  \"schema\": \"ptxlint-statistics/1\",\n  \"statistics\": [");
    for (size_t i = 0; i < tally->count; i++) {
        ptx_text_put(out, i ? ",\n    " : "\n    ");
        write_object(&tally->rows[i], out);
    }
    ptx_text_put(out, tally->count ? "\n  ]\n}\n" : "]\n}\n");
}

static void write_lines(const Tally *tally, Text *out)
{
    for (size_t i = 0; i < tally->count; i++) {
        write_object(&tally->rows[i], out);
        ptx_text_put(out, "\n");
    }
}

void ptx_tally_write(Tally *tally, Format format, Text *out)
{
    if (tally->count)
        qsort(tally->rows, tally->count, sizeof *tally->rows, compare_rows);
    if (format == FORMAT_JSON)
        write_document(tally, out);
    else if (format == FORMAT_JSONL)
        write_lines(tally, out);
    else
        write_table(tally, out);
    out->has_failed |= tally->has_failed;
}

void ptx_tally_free(Tally *tally)
{
    free(tally->rows);
}

/* ---- times ----------------------------------------------------------------------------------- */

typedef struct TallySum {
    double stages, rules;
} TallySum;

static TallySum sum_up(const ptxlint_profile *profile)
{
    ptxlint_profile_entry entry;
    TallySum sum = { 0, 0 };
    for (size_t i = 0; ptxlint_profile_at(profile, i, &entry); i++)
        *(entry.is_rule ? &sum.rules : &sum.stages) += entry.seconds;
    return sum;
}

static void write_times(const ptxlint_profile *profile, int is_rule, double sum, Text *out)
{
    ptxlint_profile_entry entry;
    for (size_t i = 0; ptxlint_profile_at(profile, i, &entry); i++)
        if (entry.is_rule == is_rule && entry.count)
            ptx_text_print(out, "%-16s  %10.3f  %5.1f  %12llu\n", entry.name, 1e3 * entry.seconds,
                           sum > 0 ? 100 * entry.seconds / sum : 0,
                           (unsigned long long)entry.count);
}

void ptx_profile_write(const ptxlint_profile *profile, Text *out)
{
    TallySum sum = sum_up(profile);
    ptx_text_print(out, "%-16s  %10s  %5s  %12s\n", "stage", "ms", "%", "modules");
    write_times(profile, 0, sum.stages, out);
    if (sum.rules > 0) {
        ptx_text_print(out, "\n%-16s  %10s  %5s  %12s\n", "rule", "ms", "%", "evaluations");
        write_times(profile, 1, sum.rules, out);
    }
}
