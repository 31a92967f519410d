/* message.c -- JSON-RPC out: answers, notifications, requests; and small readers of JSON. */
#include "lsp/server.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- out ------------------------------------------------------------------------------------- */

/* False: the client is gone. */
static bool send_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t wrote = write(fd, bytes, length);
        if (wrote > 0) {
            bytes += wrote;
            length -= (size_t)wrote;
        } else if (wrote < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
        } else if (wrote < 0 && errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Takes message. */
static void send_frame(LspServer *server, json_t *message)
{
    char head[64];
    char *body = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!body)
        return;
    int head_length = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", strlen(body));
    if (!send_all(server->out, head, (size_t)head_length)
        || !send_all(server->out, body, strlen(body))) {
        server->is_over = true;
        server->exit_code = 1;
    }
    free(body);
}

void ptx_lsp_answer(LspServer *server, const json_t *id, LspAnswer *answer)
{
    json_t *copy = id ? json_deep_copy(id) : json_null();
    if (answer->error)
        send_frame(server, json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", copy,
                                     "error", "code", answer->error, "message", answer->message));
    else
        send_frame(server, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", copy, "result",
                                     answer->result ? json_incref(answer->result) : json_null()));
    json_decref(answer->result);
    *answer = (LspAnswer){ 0 };
}

void ptx_lsp_notify(LspServer *server, const char *method, json_t *params)
{
    send_frame(server,
               json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

json_int_t ptx_lsp_ask(LspServer *server, const char *method, json_t *params)
{
    json_int_t id = ++server->next_request;
    json_t *message = json_pack("{s:s, s:I, s:s}", "jsonrpc", "2.0", "id", id, "method", method);
    if (params)
        json_object_set_new(message, "params", params);
    send_frame(server, message);
    return id;
}

void ptx_lsp_fail(LspAnswer *answer, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->message, sizeof answer->message, format, arguments);
    va_end(arguments);
    answer->error = error;
}

/* ---- in -------------------------------------------------------------------------------------- */

const json_t *ptx_lsp_at(const json_t *value, const char *path)
{
    char key[64];
    while (value && *path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_object_get(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

const char *ptx_lsp_text(const json_t *value, const char *path)
{
    return json_string_value(ptx_lsp_at(value, path));
}

bool ptx_lsp_is(const json_t *value, const char *path)
{
    return json_is_true(ptx_lsp_at(value, path));
}

/* ---- memory -------------------------------------------------------------------------------- */

void ptx_lsp_no_memory(void)
{
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    release(allocate(PTRDIFF_MAX));
}

void *ptx_lsp_heard(void *memory)
{
    if (!memory)
        ptx_lsp_no_memory();
    return memory;
}

void ptx_lsp_close_text(FILE *out, char *const *text)
{
    bool is_whole = !ferror(out);
    if (fclose(out) || !is_whole || !*text)
        ptx_lsp_no_memory();
}

/* ---- text ------------------------------------------------------------------------------------ */

json_t *ptx_lsp_string(const char *text, size_t length)
{
    json_t *string = json_stringn(text, length);
    if (string)
        return string;
    char *copy = ptx_lsp_heard(malloc(length + 1));
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    string = copy ? json_stringn(copy, length) : NULL;
    free(copy);
    return string ? string : json_string("");
}

json_t *ptx_lsp_markup(const LspServer *server, const char *text)
{
    return json_pack("{s:s, s:o}", "kind", server->client.has_markdown ? "markdown" : "plaintext",
                     "value", ptx_lsp_string(text, strlen(text)));
}
