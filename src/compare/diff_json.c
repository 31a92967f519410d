#include "compare/diff_json.h"

#include "report/value.h"

#include <math.h>
#include <string.h>

static json_t *change_value(const Change *c)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "old", ptx_value_real(c->old_value));
    ptx_json_set(&json, "new", ptx_value_real(c->new_value));
    ptx_json_set(&json, "delta", ptx_value_real(c->new_value - c->old_value));
    ptx_json_set(&json, "percent", ptx_value_real(c->percent));
    return ptx_json_finish(&json);
}

static json_t *metric_value(const Change *c)
{
    static const char *const verdicts[] = { [VERDICT_SAME] = "same", [VERDICT_BETTER] = "better", [VERDICT_WORSE] = "worse",
        [VERDICT_REGRESSED] = "regressed", [VERDICT_NOW_KNOWN] = "now-known", [VERDICT_NOW_UNKNOWN] = "now-unknown" };
    Json json = ptx_json_make(change_value(c));
    ptx_json_set(&json, "verdict", json_string(verdicts[c->verdict]));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(c->certainty)));
    return ptx_json_finish(&json);
}

static json_t *metrics_value(const Change *changes)
{
    ptxlint_metric metric;
    Json json = ptx_json_make(json_object());
    for (size_t i = 0; ptxlint_metric_at(i, &metric); i++)
        if (changes[i].verdict != VERDICT_SAME)
            ptx_json_set(&json, metric.key, metric_value(&changes[i]));
    return ptx_json_finish(&json);
}

static json_t *classes_value(const Pair *pair)
{
    Json json = ptx_json_make(json_object());
    for (uint32_t i = 0; pair->old_kernel && pair->new_kernel && i < pair->new_kernel->class_count && i < 64; i++) {
        Change c = ptx_pair_class(pair, i);
        if (fabs(c.new_value - c.old_value) > 0)
            ptx_json_set(&json, pair->new_kernel->classes[i].name, change_value(&c));
    }
    return ptx_json_finish(&json);
}

static json_t *findings_value(ReportFinding *const *findings, uint32_t count)
{
    Json all = ptx_json_make(json_array());
    for (uint32_t i = 0; i < count; i++) {
        const ReportFinding *f = findings[i];
        Json one = ptx_json_make(json_object());
        ptx_json_set(&one, "rule", ptx_value_text(f->rule));
        ptx_json_set(&one, "name", ptx_value_text(f->name));
        ptx_json_set(&one, "severity", json_string(ptx_report_severity(f->severity)));
        ptx_json_set(&one, "message", ptx_value_text(f->message));
        ptx_json_set(&one, "statement", ptx_value_text(f->statement));
        ptx_json_set(&one, "line", ptx_value_given(f->line));
        ptx_json_set(&one, "count", json_integer(f->count));
        ptx_json_append(&all, ptx_json_finish(&one));
    }
    return ptx_json_finish(&all);
}

static json_t *side_value(const ReportKernel *kernel)
{
    if (!kernel)
        return json_null();
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "name", ptx_value_text(kernel->name));
    ptx_json_set(&json, "path", ptx_value_text(kernel->path));
    ptx_json_set(&json, "line", ptx_value_given(kernel->line));
    ptx_json_set(&json, "target", ptx_value_name(kernel->target));
    ptx_json_set(&json, "launch", ptx_value_name(kernel->launch));
    return ptx_json_finish(&json);
}

static json_t *kernel_value(const Pair *pair)
{
    static const char *const by[] = { [MATCHED_NAME] = "name", [MATCHED_KEY] = "name-without-hash", [MATCHED_BODY] = "body", [MATCHED_SHAPE] = "similarity" };
    const char *status = !pair->old_kernel ? "added" : !pair->new_kernel ? "removed" : pair->is_regressed ? "regressed"
                       : pair->is_changed ? "changed" : "same";
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "name", ptx_value_text(ptx_pair_kernel(pair)->name));
    ptx_json_set(&json, "gpu", ptx_value_name(ptx_pair_kernel(pair)->gpu));
    ptx_json_set(&json, "status", json_string(status));
    ptx_json_set(&json, "regressed", ptx_value_bool(pair->is_regressed));
    ptx_json_set(&json, "matched_by", ptx_value_text(pair->old_kernel && pair->new_kernel ? by[pair->matched_by] : NULL));
    ptx_json_set(&json, "old", side_value(pair->old_kernel));
    ptx_json_set(&json, "new", side_value(pair->new_kernel));
    ptx_json_set(&json, "metrics", metrics_value(pair->changes));
    ptx_json_set(&json, "classes", classes_value(pair));
    ptx_json_set(&json, "new_findings", findings_value(pair->findings, pair->new_count));
    ptx_json_set(&json, "fixed_findings", findings_value(pair->findings + pair->new_count, pair->fixed_count));
    return ptx_json_finish(&json);
}

static json_t *summary_value(const ptxlint_diff_info *info)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "kernels", ptx_value_count(info->kernel_count));
    ptx_json_set(&json, "regressed", ptx_value_count(info->regressed_count));
    ptx_json_set(&json, "better", ptx_value_count(info->better_count));
    ptx_json_set(&json, "added", ptx_value_count(info->added_count));
    ptx_json_set(&json, "removed", ptx_value_count(info->removed_count));
    ptx_json_set(&json, "same", ptx_value_count(info->same_count));
    ptx_json_set(&json, "new_findings", ptx_value_count(info->new_findings));
    ptx_json_set(&json, "fixed_findings", ptx_value_count(info->fixed_findings));
    ptx_json_set(&json, "unknown", ptx_value_count(info->unknown_count));
    return ptx_json_finish(&json);
}

/* A kernel at a time: there may be many. */
void ptx_diff_json(Out *out, const ptxlint_diff *d, const ptxlint_diff_options *options)
{
    Json head = ptx_json_make(json_object());
    ptx_out_text(out, "{");
    ptx_json_head(out, "ptxlint-diff/1");
    ptx_json_set(&head, "old", ptx_value_text(options->old_name));
    ptx_json_set(&head, "new", ptx_value_text(options->new_name));
    ptx_json_set(&head, "regressed", ptx_value_bool(d->info.regressed_count > 0));
    ptx_json_set(&head, "accept", ptx_value_text(d->info.regressed_count ? options->accept : NULL));
    ptx_json_set(&head, "summary", summary_value(&d->info));
    ptx_json_set(&head, "totals", metrics_value(d->totals));
    ptx_json_dump(out, &head, JSON_EMBED);
    ptx_out_text(out, ",\"kernels\":[");
    for (uint32_t p = 0; p < d->count && out->status == PTXLINT_OK; p++) {
        Json one = ptx_json_make(kernel_value(&d->pairs[p]));
        ptx_out_text(out, p ? ",\n" : "\n");
        ptx_json_dump(out, &one, 0);
    }
    ptx_out_text(out, "]}\n");
}
