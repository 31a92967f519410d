/* server.c -- the life of a session: messages in order, analyses when the client rests, requests
 * that wait for them. */
#include "lsp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PROGRESS_SECONDS = 0.5, PARENT_SECONDS = 2, HOUR_SECONDS = 3600;

double ptx_lsp_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- methods --------------------------------------------------------------------------------- */

static void start_session(LspServer *server, LspDocument *document, const json_t *params,
                          LspAnswer *answer)
{
    (void)document;
    if (server->state != STATE_NEW) {
        ptx_lsp_fail(answer, ERROR_INVALID, "initialize was sent before");
        return;
    }
    ptx_lsp_read_client(server, params);
    server->parent = (pid_t)json_integer_value(json_object_get(params, "processId"));
    server->state = STATE_RUNNING;
    ptx_lsp_wish(server, json_object_get(params, "initializationOptions"));
    ptx_settings_open(server);
    answer->result = ptx_lsp_capabilities(server);
}

static void shut_down(LspServer *server, LspDocument *document, const json_t *params,
                      LspAnswer *answer)
{
    (void)document, (void)params, (void)answer;
    server->state = STATE_SHUT_DOWN;
}

static const LspMethod requests[] = {
    { "initialize", start_session, NEED_NOTHING },
    { "shutdown", shut_down, NEED_NOTHING },
    { "textDocument/hover", ptx_lsp_hover, NEED_DOCUMENT },
    { "textDocument/definition", ptx_lsp_definition, NEED_DOCUMENT },
    { "textDocument/declaration", ptx_lsp_declaration, NEED_DOCUMENT },
    { "textDocument/implementation", ptx_lsp_implementation, NEED_DOCUMENT },
    { "textDocument/references", ptx_lsp_references, NEED_DOCUMENT },
    { "textDocument/documentHighlight", ptx_lsp_highlight, NEED_DOCUMENT },
    { "textDocument/prepareRename", ptx_lsp_prepare_rename, NEED_DOCUMENT },
    { "textDocument/rename", ptx_lsp_rename, NEED_DOCUMENT },
    { "textDocument/documentSymbol", ptx_lsp_symbols, NEED_DOCUMENT },
    { "textDocument/foldingRange", ptx_lsp_folding, NEED_DOCUMENT },
    { "textDocument/semanticTokens/full", ptx_lsp_semantic, NEED_DOCUMENT },
    { "textDocument/semanticTokens/range", ptx_lsp_semantic, NEED_DOCUMENT },
    { "textDocument/completion", ptx_lsp_completion, NEED_DOCUMENT },
    { "textDocument/signatureHelp", ptx_lsp_signature, NEED_DOCUMENT },
    { "textDocument/codeAction", ptx_lsp_actions, NEED_DOCUMENT },
    { "textDocument/diagnostic", ptx_lsp_pull, NEED_FINDINGS },
    { "textDocument/codeLens", ptx_lsp_lens, NEED_FIGURES },
    { "textDocument/inlayHint", ptx_lsp_hints, NEED_FIGURES },
    { "ptxlint/report", ptx_lsp_report, NEED_FIGURES },
    { "workspace/executeCommand", ptx_lsp_execute, NEED_NOTHING },
};

static const LspMethod *find_request(const char *name)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (!strcmp(requests[i].name, name))
            return &requests[i];
    return NULL;
}

/* ---- requests that wait ---------------------------------------------------------------------- */

static void let_wait(LspServer *server, const LspMethod *method, const json_t *id,
                     const json_t *params)
{
    LspWaiting *waiting = ptx_lsp_heard(calloc(1, sizeof *waiting)), **last = &server->waiting;
    if (!waiting)
        return;
    *waiting = (LspWaiting){ .id = json_deep_copy(id),
                             .params = json_deep_copy(params),
                             .method = method };
    while (*last)
        last = &(*last)->next;
    *last = waiting;
}

static void waiting_free(LspWaiting *waiting)
{
    json_decref(waiting->id);
    json_decref(waiting->params);
    free(waiting);
}

static void cancel(LspServer *server, const json_t *id)
{
    for (LspWaiting **place = &server->waiting; *place; place = &(*place)->next) {
        LspWaiting *waiting = *place;
        if (!json_equal(waiting->id, id))
            continue;
        LspAnswer answer = { 0 };
        *place = waiting->next;
        ptx_lsp_fail(&answer, ERROR_CANCELLED, "cancelled");
        ptx_lsp_answer(server, waiting->id, &answer);
        waiting_free(waiting);
        return;
    }
}

static bool is_ready(const LspDocument *d, LspNeed need)
{
    if (need < NEED_FINDINGS || d->language != LANGUAGE_PTX)
        return true;
    return ptx_document_analysed(d, need == NEED_FIGURES) != NULL;
}

/* Answers, or lets wait. */
static void run_request(LspServer *server, const LspMethod *method, const json_t *id,
                        const json_t *params)
{
    LspAnswer answer = { 0 };
    LspDocument *d = ptx_document_of(server, params);
    if (method->need != NEED_NOTHING && !d) {
        ptx_lsp_fail(&answer, ERROR_PARAMS, "no such document is open");
    } else if (method->need >= NEED_FINDINGS && d->failed_revision == d->revision) {
        server->is_short = true;
    } else if (method->need != NEED_NOTHING && !is_ready(d, method->need)) {
        let_wait(server, method, id, params);
        return;
    } else {
        method->run(server, d, params, &answer);
    }
    if (server->is_short) {
        json_decref(answer.result);
        ptx_lsp_fail(&answer, ERROR_INTERNAL, "no memory for this document");
    }
    server->is_short = false;
    ptx_lsp_answer(server, id, &answer);
}

/* Those whose document is there by now, or gone. */
static void run_waiting(LspServer *server)
{
    LspWaiting *waiting = server->waiting;
    server->waiting = NULL;
    while (waiting) {
        LspWaiting *next = waiting->next;
        run_request(server, waiting->method, waiting->id, waiting->params);
        waiting_free(waiting);
        waiting = next;
    }
}

/* ---- notifications --------------------------------------------------------------------------- */

void ptx_lsp_reconfigure(LspServer *server)
{
    for (LspDocument *d = server->documents; d; d = d->next)
        ptx_document_forget(d);
    ptx_settings_open(server);
}

/* A config file, or what one names, may have changed on disk. */
static void saved(LspServer *server, LspDocument *document)
{
    if (!document)
        return;
    document->is_unsaved = false;
    if (document->language == LANGUAGE_CONFIG)
        ptx_lsp_reconfigure(server);
    else if (document->language == LANGUAGE_OTHER)
        document->is_published = false;
}

static void notify(LspServer *server, const char *method, const json_t *params)
{
    LspDocument *d = ptx_document_of(server, params);
    if (!strcmp(method, "exit")) {
        server->is_over = true;
        server->exit_code = server->state != STATE_SHUT_DOWN;
    } else if (server->state != STATE_RUNNING) {
        return;
    } else if (!strcmp(method, "textDocument/didOpen")) {
        ptx_document_open(server, json_object_get(params, "textDocument"));
    } else if (!strcmp(method, "textDocument/didChange") && d) {
        ptx_document_change(server, d, params);
    } else if (!strcmp(method, "textDocument/didClose") && d) {
        ptx_document_close(server, d);
    } else if (!strcmp(method, "textDocument/didSave")) {
        saved(server, d);
    } else if (!strcmp(method, "workspace/didChangeWatchedFiles")) {
        ptx_lsp_reconfigure(server);
    } else if (!strcmp(method, "workspace/didChangeConfiguration")) {
        ptx_lsp_wish(server, json_object_get(params, "settings"));
        ptx_lsp_reconfigure(server);
    } else if (!strcmp(method, "$/cancelRequest")) {
        cancel(server, json_object_get(params, "id"));
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void refuse(LspServer *server, const json_t *id, int error, const char *text)
{
    LspAnswer answer = { 0 };
    ptx_lsp_fail(&answer, error, "%s", text);
    ptx_lsp_answer(server, id, &answer);
}

static void request(LspServer *server, const char *name, const json_t *id, const json_t *params)
{
    const LspMethod *method = find_request(name);
    if (server->state == STATE_NEW && strcmp(name, "initialize") != 0)
        refuse(server, id, ERROR_NOT_READY, "the server is not initialized");
    else if (server->state == STATE_SHUT_DOWN)
        refuse(server, id, ERROR_INVALID, "the server is shut down");
    else if (!method)
        refuse(server, id, ERROR_NO_METHOD, "no such method");
    else
        run_request(server, method, id, params);
}

static void take_message(LspServer *server, LspFrame frame)
{
    json_t *message = json_loadb(frame.body, frame.length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    const json_t *id = json_object_get(message, "id");
    const char *method = ptx_lsp_text(message, "method");
    bool is_id = json_is_integer(id) || json_is_string(id);
    if (!message)
        refuse(server, NULL, ERROR_PARSE, "this is no JSON");
    else if (!json_is_object(message) || (!method && !is_id) || (id && !is_id && method))
        refuse(server, NULL, ERROR_INVALID, "this is no request and no notification");
    else if (!method)
        ptx_lsp_answer_gpu(server, message);
    else if (id)
        request(server, method, id, json_object_get(message, "params"));
    else
        notify(server, method, json_object_get(message, "params"));
    json_decref(message);
}

/* ---- analyses -------------------------------------------------------------------------------- */

static WorkerTask *make_task(LspServer *server, LspDocument *d, WorkerPhase phase)
{
    WorkerTask *task = ptx_lsp_heard(calloc(1, sizeof *task));
    if (!task)
        return NULL;
    task->uri = ptx_lsp_heard(strdup(d->uri));
    task->path = d->path ? ptx_lsp_heard(strdup(d->path)) : NULL;
    task->text = ptx_lsp_heard(malloc(d->length + 1));
    if (!task->uri || !task->text) {
        ptx_task_free(task);
        return NULL;
    }
    memcpy(task->text, d->text, d->length + 1);
    task->length = d->length;
    task->revision = d->revision;
    task->options = ptx_document_options(server, d);
    task->options.findings_only = phase == PHASE_FINDINGS;
    task->options.has_symbols = phase != PHASE_FINDINGS;
    /* the user waits for findings; figures may take their time */
    if (phase == PHASE_FIGURES)
        task->options.jobs = 1;
    task->basis = ptx_basis_hold(d->basis);
    task->options.history = ptx_basis_history(task->basis);
    return task;
}

/* The document that is longest without what the phase finds, and seconds until it is due; NULL:
 * none. */
static LspDocument *find_due(LspServer *server, WorkerPhase phase, double *seconds)
{
    LspDocument *due = NULL;
    double now = ptx_lsp_now();
    for (LspDocument *d = server->documents; d; d = d->next) {
        bool has_findings = ptx_document_analysed(d, false) != NULL;
        bool is_wanted = phase == PHASE_FINDINGS ? !has_findings : has_findings && !d->has_figures;
        is_wanted = is_wanted && d->failed_revision != d->revision;
        if (d->language == LANGUAGE_PTX && is_wanted && (!due || d->edited < due->edited))
            due = d;
    }
    double left = due ? due->edited + server->host->rest_seconds - now : 0;
    *seconds = left > 0 ? left : 0;
    return due;
}

/* Findings of a text that has changed since are still shown, figures are not. */
static bool is_task_wanted(const LspServer *server, const WorkerTask *task, WorkerPhase phase)
{
    const LspDocument *d = ptx_document_find(server, task->uri);
    return d && d->basis == task->basis
           && (phase == PHASE_FINDINGS || task->revision == d->revision);
}

static void stop_unwanted(LspServer *server, WorkerPhase phase)
{
    WorkerTask *task = ptx_worker_task(&server->workers[phase]);
    if (task && !is_task_wanted(server, task, phase))
        atomic_store(&task->is_stopped, true);
}

/* Seconds until there is something to do; negative: nothing. */
static double give_work(LspServer *server, WorkerPhase phase)
{
    double seconds;
    LspWorker *worker = &server->workers[phase];
    if (!ptx_worker_is_idle(worker))
        return -1;
    LspDocument *d = find_due(server, phase, &seconds);
    if (!d)
        return -1;
    if (seconds > 0)
        return seconds;
    WorkerTask *task = make_task(server, d, phase);
    if (task)
        ptx_worker_give(worker, task);
    return -1;
}

static void forget_edits(LspDocument *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->edit_count; i++)
        if (d->edits[i].revision > d->analysed_revision)
            d->edits[kept++] = d->edits[i];
    d->edit_count = kept;
}

static void refresh(LspServer *server)
{
    if (server->client.has_lens_refresh)
        ptx_lsp_ask(server, "workspace/codeLens/refresh", NULL);
    if (server->client.has_hint_refresh)
        ptx_lsp_ask(server, "workspace/inlayHint/refresh", NULL);
}

static void end_progress(LspServer *server, WorkerPhase phase)
{
    LspWorker *worker = &server->workers[phase];
    if (worker->has_progress)
        ptx_lsp_notify(
            server, "$/progress",
            json_pack("{s:i, s:{s:s}}", "token", (int)phase + 1, "value", "kind", "end"));
    worker->has_progress = false;
}

/* What was found of a text that has changed since still says more than nothing; its places
 * follow. */
static void take_task(LspServer *server, WorkerTask *task, WorkerPhase phase)
{
    LspDocument *d = ptx_document_find(server, task->uri);
    bool is_newer = task->module && is_task_wanted(server, task, phase)
                    && task->revision >= d->analysed_revision;
    if (is_newer) {
        ptxlint_module_free(d->analysed);
        d->analysed = task->module;
        task->module = NULL;
        d->analysed_revision = task->revision;
        d->has_figures = phase == PHASE_FIGURES;
        forget_edits(d);
        if (phase == PHASE_FINDINGS)
            ptx_diagnostics_publish(server, d);
        else if (!server->waiting)
            refresh(server);
    }
    if (d && task->status == PTXLINT_NO_MEMORY && task->revision == d->revision) {
        d->failed_revision = d->revision;
        server->is_short = true;
        ptx_lsp_show_short(server, d);
    }
    ptx_task_free(task);
}

static void take_results(LspServer *server)
{
    for (int i = 0; i < PHASE__COUNT; i++) {
        WorkerTask *task = ptx_worker_take(&server->workers[i]);
        if (!task)
            continue;
        end_progress(server, (WorkerPhase)i);
        take_task(server, task, (WorkerPhase)i);
    }
    run_waiting(server);
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Seconds until one is to be shown; negative: none. */
static double show_progress(LspServer *server, WorkerPhase phase)
{
    LspWorker *worker = &server->workers[phase];
    if (!server->client.has_progress || worker->has_progress || ptx_worker_is_idle(worker))
        return -1;
    double left = worker->began + PROGRESS_SECONDS - ptx_lsp_now();
    if (left > 0)
        return left;
    const char *what = phase == PHASE_FINDINGS ? "Looking for findings" : "Estimating figures";
    worker->has_progress = true;
    ptx_lsp_ask(server, "window/workDoneProgress/create",
                json_pack("{s:i}", "token", (int)phase + 1));
    ptx_lsp_notify(server, "$/progress",
                   json_pack("{s:i, s:{s:s, s:s}}", "token", (int)phase + 1, "value", "kind",
                             "begin", "title", what));
    return -1;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The front end is quick: what it says is published once no more edits wait to be read. */
static void publish_syntax(LspServer *server)
{
    for (LspDocument *d = server->documents; d; d = d->next)
        if (!d->is_published)
            ptx_diagnostics_publish(server, d);
}

static double sooner(double a, double b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

static int next_timeout(LspServer *server)
{
    double seconds = server->parent > 0 ? PARENT_SECONDS : -1;
    for (int i = 0; i < PHASE__COUNT; i++) {
        stop_unwanted(server, (WorkerPhase)i);
        seconds = sooner(seconds, give_work(server, (WorkerPhase)i));
        seconds = sooner(seconds, show_progress(server, (WorkerPhase)i));
    }
    if (seconds < 0)
        return -1;
    return seconds < HOUR_SECONDS ? (int)(1000 * seconds) + 1 : (int)(1000 * HOUR_SECONDS);
}

static bool is_parent_gone(const LspServer *server)
{
    return server->parent > 0 && kill(server->parent, 0) && errno == ESRCH;
}

/* False: there is no more. */
static bool read_input(LspServer *server)
{
    char bytes[1 << 16];
    ssize_t got = read(server->in, bytes, sizeof bytes);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (!got)
        return false;
    ptx_frame_push(&server->frames, bytes, (size_t)got);
    for (LspFrame frame; !server->is_over && (frame = ptx_frame_next(&server->frames)).body;)
        take_message(server, frame);
    return !server->frames.is_broken;
}

static bool has_input(const LspServer *server)
{
    return poll(&(struct pollfd){ .fd = server->in, .events = POLLIN }, 1, 0) > 0;
}

static void leave_session(LspServer *server)
{
    server->is_over = true;
    server->exit_code = server->state != STATE_SHUT_DOWN;
}

static void serve(LspServer *server)
{
    char bytes[64];
    while (!server->is_over) {
        if (!has_input(server))
            publish_syntax(server);
        struct pollfd ends[2] = { { .fd = server->in, .events = POLLIN },
                                  { .fd = server->wake[0], .events = POLLIN } };
        poll(ends, 2, next_timeout(server));
        if (is_parent_gone(server))
            leave_session(server);
        if (ends[1].revents && read(server->wake[0], bytes, sizeof bytes) > 0)
            take_results(server);
        if (ends[0].revents && !read_input(server))
            leave_session(server);
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* False: the system has no pipe or no thread. */
static bool open_server(LspServer *server)
{
    if (pipe(server->wake))
        return false;
    for (int i = 0; i < 2; i++)
        fcntl(server->wake[i], F_SETFL, O_NONBLOCK);
    for (int i = 0; i < PHASE__COUNT; i++)
        if (!ptx_worker_start(&server->workers[i], server->wake[1]))
            return false;
    return true;
}

/* An analysis that takes long is not waited for: the process ends under it. */
static void close_server(LspServer *server)
{
    for (int i = 0; i < PHASE__COUNT; i++)
        if (!ptx_worker_stop(&server->workers[i]))
            _exit(server->exit_code);
    for (LspWaiting *waiting = server->waiting, *next; waiting; waiting = next) {
        next = waiting->next;
        waiting_free(waiting);
    }
    for (LspDocument *d = server->documents, *next; d; d = next) {
        next = d->next;
        ptx_document_free(d);
    }
    ptx_settings_close(server);
    ptx_frame_free(&server->frames);
    ptx_wish_free(&server->wish);
    close(server->wake[0]);
    close(server->wake[1]);
}

int ptx_lsp_run(const LspHost *host, int in, int out)
{
    LspServer server = { .host = host, .in = in, .out = out, .exit_code = 1 };
    ptx_settings_open(&server);
    if (open_server(&server))
        serve(&server);
    else
        ptx_lsp_no_memory();
    if (server.frames.has_failed)
        ptx_lsp_no_memory();
    close_server(&server);
    return server.exit_code;
}
