#include "mcp/mcp.h"

#include "support/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* JSON-RPC 2.0, "Error object". */
enum { PARSE_ERROR = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602,
       INTERNAL_ERROR = -32603 };

static const char instructions[] =
    "ptxlint analyses NVIDIA PTX without a GPU. Use check for mistakes and slow code, report for "
    "registers, occupancy and predicted time, what_if before changing a launch or GPU, compare "
    "after a change, explain for a rule, isa for an instruction. Every figure says whether it is "
    "exact, a bound or an estimate; null is not known.";

enum { REQUEST_FLAGS = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY };

/* ---- messages -------------------------------------------------------------------------------- */

/* Takes what, which is result or error. */
static char *make_response(const json_t *id, const char *key, json_t *what)
{
    json_t *response = json_object();
    json_object_set_new(response, "jsonrpc", json_string("2.0"));
    json_object_set_new(response, "id", id ? json_deep_copy(id) : json_null());
    json_object_set_new(response, key, what);
    char *text = ptx_mcp_dump(response);
    json_decref(response);
    return text;
}

static char *make_error(const json_t *id, int code, const char *message)
{
    json_t *error = json_object();
    json_object_set_new(error, "code", json_integer(code));
    json_object_set_new(error, "message", ptx_mcp_text(message, MCP_ERROR_BYTES));
    return make_response(id, "error", error);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* The client's revision where it is one of ours, else the newest. */
static const char *choose_revision(const json_t *params)
{
    static const char *const revisions[] = { "2025-11-25", "2025-06-18", "2025-03-26",
                                             "2024-11-05" };
    const char *wanted = json_string_value(json_object_get(params, "protocolVersion"));
    for (size_t i = 0; wanted && i < sizeof revisions / sizeof *revisions; i++)
        if (!strcmp(wanted, revisions[i]))
            return revisions[i];
    return revisions[0];
}

static json_t *answer_initialize(const json_t *params)
{
    json_t *result = json_object(), *capabilities = json_object(), *info = json_object();
    json_object_set_new(capabilities, "tools", json_object());
    json_object_set_new(info, "name", json_string("ptxlint"));
    json_object_set_new(info, "version", json_string(ptxlint_version()));
    json_object_set_new(result, "protocolVersion", json_string(choose_revision(params)));
    json_object_set_new(result, "capabilities", capabilities);
    json_object_set_new(result, "serverInfo", info);
    json_object_set_new(result, "instructions", json_string(instructions));
    return result;
}

/* What a tool cannot do is part of its result, so that a model sees it. Takes answer. */
static json_t *make_tool_result(json_t *answer, const char *error)
{
    json_t *result = json_object(), *content = json_array(), *item = json_object();
    char *text = answer ? ptx_mcp_dump(answer) : NULL;
    json_object_set_new(item, "type", json_string("text"));
    json_object_set_new(item, "text", answer && text ? json_string(text)
                                                     : ptx_mcp_text(error, MCP_ERROR_BYTES));
    json_array_append_new(content, item);
    json_object_set_new(result, "content", content);
    json_object_set_new(result, "isError", json_boolean(!answer || !text));
    free(text);
    json_decref(answer);
    return result;
}

static char *call_tool(const json_t *id, const json_t *params)
{
    char error[MCP_ERROR_BYTES] = "out of memory";
    const char *name = json_string_value(json_object_get(params, "name"));
    json_t *none = json_object();
    const json_t *arguments = json_object_get(params, "arguments");
    McpTool tool = name ? ptx_mcp_find_tool(name) : NULL;
    char *response;
    if (!arguments || json_is_null(arguments))
        arguments = none;
    if (!tool) {
        ptx_mcp_fail(error, "unknown tool '%.60s'; tools/list names them", name ? name : "");
        response = make_error(id, BAD_PARAMS, error);
    } else if (!json_is_object(arguments)) {
        response = make_error(id, BAD_PARAMS, "arguments is not an object");
    } else {
        json_t *answer = tool(arguments, error);
        response = make_response(id, "result", make_tool_result(answer, error));
    }
    json_decref(none);
    return response;
}

static char *answer_method(const json_t *id, const char *method, const json_t *params)
{
    if (!strcmp(method, "initialize"))
        return make_response(id, "result", answer_initialize(params));
    if (!strcmp(method, "ping"))
        return make_response(id, "result", json_object());
    if (!strcmp(method, "tools/list"))
        return make_response(id, "result", ptx_mcp_list_tools());
    if (!strcmp(method, "tools/call"))
        return call_tool(id, params);
    return make_error(id, NO_METHOD, "there is no such method");
}

/* ---- requests -------------------------------------------------------------------------------- */

/* A notification has no id, and gets no answer; nor does an answer, for nothing is asked here. */
static char *answer_request(const json_t *request)
{
    const json_t *id = json_object_get(request, "id"), *params = json_object_get(request, "params");
    const char *version = json_string_value(json_object_get(request, "jsonrpc")),
               *method = json_string_value(json_object_get(request, "method"));
    const bool is_answer = !method
                           && (json_object_get(request, "result")
                               || json_object_get(request, "error"));
    if (is_answer)
        return NULL;
    if (id && !json_is_string(id) && !json_is_integer(id))
        return make_error(NULL, BAD_REQUEST, "id is neither a string nor an integer");
    if (!version || strcmp(version, "2.0") != 0 || !method)
        return make_error(id, BAD_REQUEST, "this is no request of JSON-RPC 2.0");
    if (!id)
        return NULL;
    if (params && !json_is_object(params))
        return make_error(id, BAD_PARAMS, "params is not an object");
    return answer_method(id, method, params);
}

char *ptx_mcp_answer(const char *message, size_t length)
{
    json_error_t error;
    json_t *request = json_loadb(message, length, REQUEST_FLAGS, &error);
    char *response;
    if (!request)
        return make_error(NULL, PARSE_ERROR, error.text);
    response = json_is_object(request)
                   ? answer_request(request)
                   : make_error(NULL, BAD_REQUEST, "a message is one object, not a batch");
    json_decref(request);
    return response;
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct McpLine {
    char *bytes;
    size_t length, capacity;
    bool is_too_long;           /* then its bytes are not kept */
    bool has_failed;            /* no memory */
} McpLine;

static bool grow_line(McpLine *line)
{
    return ptx_list_reserve(&line->bytes, &line->capacity, line->length + 1, 1);
}

/* Up to the next end of a line, or the end of the input. False: there is none, or no memory. */
static bool read_mcp_line(McpLine *line, FILE *in)
{
    int c;
    line->length = 0;
    line->is_too_long = false;
    while ((c = getc_unlocked(in)) != EOF && c != '\n') {
        line->is_too_long |= line->length == MCP_LINE_BYTES_MAX;
        if (line->is_too_long)
            continue;
        line->has_failed = line->length == line->capacity && !grow_line(line);
        if (line->has_failed)
            return false;
        line->bytes[line->length++] = (char)c;
    }
    return c != EOF || line->length;
}

static bool is_blank_line(const McpLine *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (!strchr(" \t\r", line->bytes[i]))
            return false;
    return !line->is_too_long;
}

static bool send_line(FILE *out, char *response)
{
    bool is_good = !response || (fputs(response, out) >= 0 && putc('\n', out) != EOF);
    free(response);
    return is_good && !fflush(out);
}

int ptx_mcp_serve(FILE *in, FILE *out)
{
    McpLine line = { 0 };
    bool is_good = true;
    errno = 0;
    while (is_good && read_mcp_line(&line, in))
        if (line.is_too_long)
            is_good = send_line(out, make_error(NULL, BAD_REQUEST, "the message is too long"));
        else if (!is_blank_line(&line))
            is_good = send_line(out, ptx_mcp_answer(line.bytes, line.length));
    free(line.bytes);
    if (line.has_failed)
        return ENOMEM;
    return is_good && !ferror(in) ? 0 : errno;
}
