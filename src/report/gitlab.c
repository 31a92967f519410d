/* GitLab's Code Quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. GitLab reads elements up to the
 * first that is wrong, and takes those of one fingerprint for one. */
#include "report/value.h"

static json_t *lines_value(const Region *region)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "begin", json_integer(region->line));
    ptx_json_set(&json, "end", json_integer(region->end_line));
    return ptx_json_finish(&json);
}

static json_t *location_value(const Finding *finding)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "path", ptx_value_text(finding->path));
    ptx_json_set(&json, "lines", lines_value(&finding->region));
    return ptx_json_finish(&json);
}

void ptx_gitlab_finding(Out *out, const Finding *finding)
{
    static const char *const severities[] = { "", "info", "major", "critical" };
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "type", json_string("issue"));
    ptx_json_set(&json, "check_name", ptx_value_text(diagnostic->rule));
    ptx_json_set(&json, "description", ptx_value_text(*diagnostic->message ? diagnostic->message : diagnostic->name));
    ptx_json_set(&json, "severity", json_string(severities[diagnostic->severity]));
    ptx_json_set(&json, "fingerprint", json_string(finding->id));
    ptx_json_set(&json, "location", location_value(finding));
    ptx_json_dump(out, &json, 0);
}
