/* reviewdog's diagnostic format (reviewdog/reviewdog, proto/rdf/reviewdog.proto): lines and columns from 1, columns in bytes of UTF-8, ends
 * exclusive. */
#include "report/value.h"

static json_t *position_value(uint32_t line, uint32_t column)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "line", json_integer(line));
    ptx_json_set(&json, "column", json_integer(column));
    return ptx_json_finish(&json);
}

static json_t *range_value(const Region *region)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "start", position_value(region->line, region->column));
    ptx_json_set(&json, "end", position_value(region->end_line, region->end_column));
    return ptx_json_finish(&json);
}

static json_t *location_value(const char *path, const Region *region)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "path", ptx_value_text(path));
    ptx_json_set(&json, "range", range_value(region));
    return ptx_json_finish(&json);
}

static json_t *code_value(const ptxlint_diagnostic *diagnostic)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "value", ptx_value_text(diagnostic->rule));
    return ptx_json_finish(&json);
}

static json_t *related_location(const char *message, const char *path, const Region *region)
{
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "message", ptx_value_text(message));
    ptx_json_set(&json, "location", location_value(path, region));
    return ptx_json_finish(&json);
}

static json_t *related_value(const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    Json all = ptx_json_make(json_array());
    if (finding->is_source)
        ptx_json_append(&all, related_location("the PTX instruction", finding->ptx_path, &finding->ptx_bytes));
    else if (finding->source.path)
        ptx_json_append(&all, related_location("the CUDA line", finding->source.path, &finding->source.bytes));
    for (size_t i = 0; i < diagnostic->related_count; i++)
        if (diagnostic->related[i].span.end) {
            Region region = ptx_region_of_bytes(finding->module, diagnostic->related[i].span);
            ptx_json_append(&all, related_location(diagnostic->related[i].message, finding->ptx_path, &region));
        }
    return ptx_json_finish(&all);
}

/* An edit is one of the file that the diagnostic is in. */
static json_t *suggestions_value(const Finding *finding)
{
    const ptxlint_fix *fix = finding->is_source ? NULL : finding->diagnostic->fix;
    Json all = ptx_json_make(json_array()), json = ptx_json_make(json_object());
    if (fix) {
        Region region = ptx_region_of_bytes(finding->module, fix->span);
        ptx_json_set(&json, "range", range_value(&region));
        ptx_json_set(&json, "text", ptx_value_text(fix->replacement));
    }
    json_t *value = ptx_json_finish(&json);
    if (fix)
        ptx_json_append(&all, value);
    else
        json_decref(value);
    return ptx_json_finish(&all);
}

void ptx_rdjson_head(Out *out)
{
    ptx_out_text(out, "{\"source\":{\"name\":\"ptxlint\"},\"diagnostics\":[");
}

void ptx_rdjson_finding(Out *out, const Finding *finding)
{
    static const char *const severities[] = { "", "INFO", "WARNING", "ERROR" };
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "message", ptx_value_text(finding->diagnostic->message));
    ptx_json_set(&json, "location", location_value(finding->path, &finding->bytes));
    ptx_json_set(&json, "severity", json_string(severities[finding->diagnostic->severity]));
    ptx_json_set(&json, "code", code_value(finding->diagnostic));
    ptx_json_set(&json, "suggestions", suggestions_value(finding));
    ptx_json_set(&json, "related_locations", related_value(finding));
    ptx_json_dump(out, &json, 0);
}
