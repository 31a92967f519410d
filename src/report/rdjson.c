/* reviewdog's diagnostic format (reviewdog/reviewdog, proto/rdf/reviewdog.proto): lines and columns
 * from 1, columns in bytes of UTF-8, ends exclusive. */
#include "report/json_writer.h"

static void put_position(Json *json, const char *key, uint32_t line, uint32_t column)
{
    ptx_json_object(json, key);
    ptx_json_int(json, "line", line);
    ptx_json_int(json, "column", column);
    ptx_json_end(json);
}

static void put_rdjson_range(Json *json, const char *key, const Region *region)
{
    ptx_json_object(json, key);
    put_position(json, "start", region->line, region->column);
    put_position(json, "end", region->end_line, region->end_column);
    ptx_json_end(json);
}

static void put_rdjson_location(Json *json, const char *key, const char *path, const Region *region)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "path", path);
    put_rdjson_range(json, "range", region);
    ptx_json_end(json);
}

static void put_code(Json *json, const char *key, const ptxlint_diagnostic *diagnostic)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "value", diagnostic->rule);
    ptx_json_end(json);
}

static void put_related_location(Json *json, const char *key, const char *message, const char *path,
                                 const Region *region)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "message", message);
    put_rdjson_location(json, "location", path, region);
    ptx_json_end(json);
}

static void put_rdjson_related(Json *json, const char *key, const Finding *finding)
{
    const ptxlint_diagnostic *diagnostic = finding->diagnostic;
    ptx_json_array(json, key);
    if (finding->is_source)
        put_related_location(json, NULL, "the PTX instruction", finding->ptx_path,
                             &finding->ptx_bytes);
    else if (finding->source.path)
        put_related_location(json, NULL, "the CUDA line", finding->source.path,
                             &finding->source.bytes);
    for (size_t i = 0; i < diagnostic->related_count; i++)
        if (diagnostic->related[i].span.end) {
            Region region = ptx_region_of_bytes(finding->module, diagnostic->related[i].span);
            put_related_location(json, NULL, diagnostic->related[i].message, finding->ptx_path,
                                 &region);
        }
    ptx_json_end(json);
}

/* An edit is one of the file that the diagnostic is in. */
static void put_suggestions(Json *json, const char *key, const Finding *finding)
{
    const size_t count = finding->is_source ? 0 : finding->diagnostic->edit_count;
    ptx_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        const ptxlint_fix *fix = &finding->diagnostic->edits[i];
        Region region = ptx_region_of_bytes(finding->module, fix->span);
        ptx_json_object(json, NULL);
        put_rdjson_range(json, "range", &region);
        ptx_json_text(json, "text", fix->replacement);
        ptx_json_end(json);
    }
    ptx_json_end(json);
}

void ptx_rdjson_head(Out *out)
{
    ptx_out_text(out, "{\"source\":{\"name\":\"ptxlint\"},\"diagnostics\":[");
}

void ptx_rdjson_finding(Out *out, const Finding *finding)
{
    static const char *const severities[] = { "", "INFO", "WARNING", "ERROR" };
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_object(json, NULL);
    ptx_json_message(json, "message", finding->diagnostic->message, finding);
    put_rdjson_location(json, "location", finding->path, &finding->bytes);
    ptx_json_text(json, "severity", severities[finding->diagnostic->severity]);
    put_code(json, "code", finding->diagnostic);
    put_suggestions(json, "suggestions", finding);
    put_rdjson_related(json, "related_locations", finding);
    ptx_json_end(json);
}
