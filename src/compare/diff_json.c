#include "compare/diff_json.h"

#include "report/json_writer.h"

#include <math.h>
#include <string.h>

static void set_change(Json *json, const Change *c)
{
    ptx_json_real(json, "old", c->old_value);
    ptx_json_real(json, "new", c->new_value);
    ptx_json_real(json, "delta", c->new_value - c->old_value);
    ptx_json_real(json, "percent", c->percent);
}

static void put_metric(Json *json, const char *key, const Change *c)
{
    static const char *const verdicts[] = {
        [VERDICT_SAME] = "same",           [VERDICT_BETTER] = "better",
        [VERDICT_WORSE] = "worse",         [VERDICT_REGRESSED] = "regressed",
        [VERDICT_NOW_KNOWN] = "now-known", [VERDICT_NOW_UNKNOWN] = "now-unknown"
    };
    ptx_json_object(json, key);
    set_change(json, c);
    ptx_json_text(json, "verdict", verdicts[c->verdict]);
    if (c->excuse)
        ptx_json_text(json, "excuse", c->excuse);
    ptx_json_text(json, "certainty", ptx_report_certainty(c->certainty));
    ptx_json_end(json);
}

static void put_metrics(Json *json, const char *key, const Change *changes)
{
    ptxlint_metric metric;
    ptx_json_object(json, key);
    for (size_t i = 0; ptxlint_metric_at(i, &metric); i++)
        if (changes[i].verdict != VERDICT_SAME)
            put_metric(json, metric.key, &changes[i]);
    ptx_json_end(json);
}

static void put_diff_json_classes(Json *json, const char *key, const Pair *pair)
{
    ptx_json_object(json, key);
    for (uint32_t i = 0;
         pair->old_kernel && pair->new_kernel && i < pair->new_kernel->class_count && i < 64; i++) {
        Change c = ptx_pair_class(pair, i);
        if (!(fabs(c.new_value - c.old_value) > 0))
            continue;
        ptx_json_object(json, pair->new_kernel->classes[i].name);
        set_change(json, &c);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_findings(Json *json, const char *key, ReportFinding *const *findings,
                         uint32_t count)
{
    ptx_json_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        const ReportFinding *f = findings[i];
        ptx_json_object(json, NULL);
        ptx_json_text(json, "rule", f->rule);
        ptx_json_text(json, "name", f->name);
        ptx_json_text(json, "severity", ptx_report_severity(f->severity));
        ptx_json_text(json, "message", f->message);
        ptx_json_text(json, "statement", f->statement);
        ptx_json_given(json, "line", f->line);
        ptx_json_int(json, "count", f->count);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

static void put_side(Json *json, const char *key, const ReportKernel *kernel)
{
    if (!ptx_json_optional(json, key, kernel != NULL))
        return;
    ptx_json_text(json, "name", kernel->name);
    ptx_json_text(json, "path", kernel->path);
    ptx_json_given(json, "line", kernel->line);
    ptx_json_name(json, "target", kernel->target);
    ptx_json_name(json, "launch", kernel->launch);
    ptx_json_end(json);
}

static const char *status_of(const Pair *pair)
{
    if (!pair->old_kernel)
        return "added";
    if (!pair->new_kernel)
        return "removed";
    if (pair->is_regressed)
        return "regressed";
    return pair->is_changed ? "changed" : "same";
}

static void put_kernel(Json *json, const char *key, const Pair *pair)
{
    static const char *const by[] = { [MATCHED_NAME] = "name",
                                      [MATCHED_KEY] = "name-without-hash",
                                      [MATCHED_BODY] = "body",
                                      [MATCHED_SHAPE] = "similarity" };
    const char *status = status_of(pair);
    ptx_json_object(json, key);
    ptx_json_text(json, "name", ptx_pair_kernel(pair)->name);
    ptx_json_name(json, "gpu", ptx_pair_kernel(pair)->gpu);
    ptx_json_text(json, "status", status);
    ptx_json_bool(json, "regressed", pair->is_regressed);
    ptx_json_text(json, "matched_by",
                  pair->old_kernel && pair->new_kernel ? by[pair->matched_by] : NULL);
    put_side(json, "old", pair->old_kernel);
    put_side(json, "new", pair->new_kernel);
    put_metrics(json, "metrics", pair->changes);
    put_diff_json_classes(json, "classes", pair);
    put_findings(json, "new_findings", pair->findings, pair->new_count);
    put_findings(json, "fixed_findings", pair->findings + pair->new_count, pair->fixed_count);
    ptx_json_end(json);
}

static void put_summary(Json *json, const char *key, const ptxlint_diff_info *info)
{
    ptx_json_object(json, key);
    ptx_json_count(json, "kernels", info->kernel_count);
    ptx_json_count(json, "regressed", info->regressed_count);
    ptx_json_count(json, "better", info->better_count);
    ptx_json_count(json, "added", info->added_count);
    ptx_json_count(json, "removed", info->removed_count);
    ptx_json_count(json, "same", info->same_count);
    ptx_json_count(json, "new_findings", info->new_findings);
    ptx_json_count(json, "fixed_findings", info->fixed_findings);
    ptx_json_count(json, "unknown", info->unknown_count);
    ptx_json_end(json);
}

/* A kernel at a time: there may be many. */
void ptx_diff_json(Out *out, const ptxlint_diff *d, const ptxlint_diff_options *options)
{
    Json own, *json = ptx_json_init(&own, out);
    ptx_out_text(out, "{");
    ptx_json_head(out, "ptxlint-diff/1");
    ptx_json_text(json, "old", options->old_name);
    ptx_json_text(json, "new", options->new_name);
    ptx_json_bool(json, "regressed", d->info.regressed_count > 0);
    ptx_json_text(json, "accept", d->info.regressed_count ? options->accept : NULL);
    put_summary(json, "summary", &d->info);
    put_metrics(json, "totals", d->totals);
    ptx_out_text(out, ",\"kernels\":[");
    for (uint32_t p = 0; p < d->count && out->status == PTXLINT_OK; p++) {
        ptx_out_text(out, p ? ",\n" : "\n");
        put_kernel(ptx_json_init(&own, out), NULL, &d->pairs[p]);
    }
    ptx_out_text(out, "]}\n");
}
