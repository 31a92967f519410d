/* GitLab's Code Quality report:
 * https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. GitLab reads
 * elements up to the first that is wrong, and takes those of one fingerprint for one. */
#include "report/json_writer.h"

static void put_lines(Json *json, const char *key, const Region *region)
{
    ptx_json_object(json, key);
    ptx_json_int(json, "begin", region->line);
    ptx_json_int(json, "end", region->end_line);
    ptx_json_end(json);
}

static void put_location(Json *json, const char *key, const Finding *finding)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "path", finding->path);
    put_lines(json, "lines", &finding->region);
    ptx_json_end(json);
}

void ptx_gitlab_finding(Out *out, const Finding *finding)
{
    static const char *const severities[] = { "", "info", "major", "critical" };
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "type", "issue");
    ptx_json_text(json, "check_name", diagnostic->rule);
    ptx_json_message(json, "description",
                     *diagnostic->message ? diagnostic->message : diagnostic->name, finding);
    ptx_json_text(json, "severity", severities[diagnostic->severity]);
    ptx_json_text(json, "fingerprint", finding->id);
    put_location(json, "location", finding);
    ptx_json_end(json);
}
