/* fuzz_edits.c -- bytes as what a user does to an open document: edits, settings, requests that are
 * cancelled, messages that make no sense. Whenever the script says so, and in the end, what the
 * server says of the document is what it says of the same text opened anew.
 *
 * The input: a script, and behind a NUL the text to begin with. The first byte says whether
 * findings are looked for, or the front end alone is asked, how places are counted, and whether
 * each edit is followed by a comparison. */
#include "fuzz.h"

#include "lsp/frame.h"
#include "lsp/lsp.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_MAX = 60, TEXT_MAX = 1 << 14, NEVER_SECONDS = 1000000000, EDITED = 'a', FRESH = 'b' };

static const char some_text[] =
    ".version 8.7\n.target sm_90\n.address_size 64\n"
    ".global .align 4 .u32 counter;\n"
    ".func (.reg .b32 %out) scale(.reg .b32 %in)\n{\n"
    "shl.b32 %out, %in, 2;\nret;\n}\n"
    ".visible .entry race(.param .u64 a)\n.reqntid 64\n{\n"
    ".reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n.shared .align 4 .b8 tile[1024];\n"
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n"
    "mad.lo.u32 %r3, %r1, 4, %r2;\nst.shared.u32 [%r3], %r1;\nld.shared.u32 %r4, [%r3+4];\n"
    "call.uni (%r5), scale, (%r4);\n"
    "mul.wide.u32 %rd2, %r1, 128;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r5;\n"
    "ret;\n}\n"
    ".func none()\n{\n// nothing\nret;\n}\n"
    ".entry wrong(.param .u64 a)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.shared .b32 own;\n"
    "mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1;\nL: ld.global.b32 %r9, [%rd1];\nbra M;\nret;\n}\n"
    ".weak .func (.param .b32 out) other(.param .b32 in)\n{ /* { */\n.reg .b32 %r<3>;\n"
    "ld.param.b32 %r1, [in];\nst.param.b32 [out], %r1;\nret\n}\n"
    ".entry loop(.param .u32 n)\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\n"
    "ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %p, %r2, %r1;\n@%p bra LOOP;\nst.global.u32 [counter], %r2;\nret;\n}\n";

/* Behind it where each edit is compared: most of a text then stands in other functions. */
static const char more_text[] =
    ".func first() /* { **/ // {\n{\n.reg .b32 %r<5>;\nadd.u32 %r1, %r2, %r3;\nret;\n}\n"
    ".func second() /*/ { /*/\n{\n.pragma \"}\"; // }\n.reg .f32 %f<5>;\nret;\n}\n"
    ".entry third(.param .u64 a)\n.maxntid 64 // \"{\n{\n.reg .b64 %rd<5>;\n.reg .b32 %r<3>;\n"
    "ld.param.u64 %rd1, [a];\n{\n.reg .b32 %q;\nmov.u32 %q, %tid.x;\n"
    "st.global.u32 [%rd1], %q;\n}\nbra DONE;\nDONE: ret;\n}\n"
    ".entry fourth()\n{\n.reg .pred %p<2>;\nL: setp.eq.u32 %p1, 1, 2;\n@%p1 bra L;\n"
    "add.u32 %p1, 1, 2;\nfoo.u32 %p1;\nret;\n}\n";

static const char *const pieces[] = {
    "", "\n", ";", "{", "}", "}}", "\"", "/*", "*/", "// \xC3\xA9\xF0\x9F\x98\x80\n", "\r\n", "\r",
    "%r1", ".f32", "ld.global", "0f3F800000", "add.u32 %r1, %r1, %r2;\n", "bar.sync 0;\n",
    "ret;\n}\n", ".entry more()\n{\nret;\n}\n", ".func late;\n", ".shared .b8 own[64];\n", "LOOP:",
    ".target sm_70\n", ".global .u32 counter;\n", "@%p", "\t", "x", "<9>", ".reg .b32 %q<5>;\n",
    "ret;", "st.global.u32 [%rd3], %r4;\n",
};

/* ---- the script ------------------------------------------------------------------------------ */

typedef struct Text {
    char *bytes;
    size_t length;
} Text;

typedef struct Play {
    const uint8_t *script;
    size_t left;
    bool is_quiet, has_utf8;
    bool compares_each;         /* after each edit: it is then in one function */
    size_t near;                /* where the last edit was */
    Text text, before;
    json_int_t version, next_id;
    json_t *open;               /* ids of requests without an answer */
    json_t *published;          /* per URI, the last that was said of it */
    int to, from;
    FrameReader frames;
} Play;

static unsigned take(Play *p)
{
    if (!p->left)
        return 0;
    p->left--;
    return *p->script++;
}

static size_t pick(Play *p, size_t below)
{
    const unsigned high = take(p);
    return below ? (high << 8 | take(p)) % below : 0;
}

/* ---- the text, as we understand it ----------------------------------------------------------- */

static void set_text(Text *to, const char *bytes, size_t length)
{
    char *copy = text_of((const uint8_t *)bytes, length);
    free(to->bytes);
    *to = (Text){ copy, length };
}

static void replace(Text *text, size_t begin, size_t end, const char *piece)
{
    const size_t n = strlen(piece), length = text->length - (end - begin) + n;
    char *out = malloc(length + 1);
    require(out != NULL, "there is memory");
    memcpy(out, text->bytes, begin);
    memcpy(out + begin, piece, n);
    memcpy(out + begin + n, text->bytes + end, text->length - end);
    out[length] = 0;
    free(text->bytes);
    *text = (Text){ out, length };
}

/* A place that a client can name: not within a character, nor within \r\n. */
static size_t place_in(const Text *text, size_t at)
{
    while (at && at < text->length && ((unsigned char)text->bytes[at] & 0xC0) == 0x80)
        at--;
    if (at && at < text->length && text->bytes[at] == '\n' && text->bytes[at - 1] == '\r')
        at--;
    return at;
}

static json_t *position_of(const Play *p, size_t at)
{
    const char *text = p->text.bytes;
    json_int_t line = 0, character = 0;
    for (size_t i = 0; i < at; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '\n' || (c == '\r' && text[i + 1] != '\n')) {
            line++;
            character = 0;
        } else if (c != '\r') {
            character += p->has_utf8 ? 1 : ((c & 0xC0) != 0x80) + (c >= 0xF0);
        }
    }
    return json_pack("{s:I, s:I}", "line", line, "character", character);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void take_answer(Play *p, json_t *message)
{
    char key[32];
    const json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    if (method && !strcmp(method, "textDocument/publishDiagnostics")) {
        json_t *params = json_object_get(message, "params");
        json_object_set(p->published, json_string_value(json_object_get(params, "uri")), params);
    }
    if (method || json_is_null(id))
        return;
    snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
    const json_t *slot = json_object_get(p->open, key);
    require(slot && json_is_null(slot), "one answer to each request");
    json_object_set(p->open, key, message);
}

/* What has come, waiting for it if asked to. */
static void receive(Play *p, bool waits)
{
    char bytes[4096];
    struct pollfd end = { .fd = p->from, .events = POLLIN };
    if (poll(&end, 1, waits ? -1 : 0) < 1)
        return;
    const ssize_t got = read(p->from, bytes, sizeof bytes);
    require(got > 0 || !waits, "the server goes on");
    if (got > 0)
        ptx_frame_push(&p->frames, bytes, (size_t)got);
    for (LspFrame frame; (frame = ptx_frame_next(&p->frames)).body;) {
        json_t *message = json_loadb(frame.body, frame.length, JSON_ALLOW_NUL, NULL);
        require(json_is_object(message), "the server sends JSON");
        take_answer(p, message);
        json_decref(message);
    }
}

static void send_bytes(Play *p, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t wrote = write(p->to, bytes, length);
        if (wrote > 0) {
            bytes += wrote;
            length -= (size_t)wrote;
            continue;
        }
        require(wrote < 0 && (errno == EAGAIN || errno == EINTR), "the server reads");
        struct pollfd ends[2] = { { .fd = p->to, .events = POLLOUT },
                                  { .fd = p->from, .events = POLLIN } };
        poll(ends, 2, -1);
        if (ends[1].revents)
            receive(p, false);
    }
}

/* Takes message. */
static void send_message(Play *p, json_t *message)
{
    char head[64];
    char *body = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    require(body != NULL, "a message");
    const int n = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", strlen(body));
    send_bytes(p, head, (size_t)n);
    send_bytes(p, body, strlen(body));
    free(body);
}

static void tell(Play *p, const char *method, json_t *params)
{
    send_message(p, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params",
                              params));
}

static json_int_t ask(Play *p, const char *method, json_t *params)
{
    char key[32];
    const json_int_t id = ++p->next_id;
    snprintf(key, sizeof key, "%lld", (long long)id);
    json_object_set_new(p->open, key, json_null());
    send_message(p, json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method", method,
                              "params", params));
    return id;
}

/* The whole message that answers it, for json_decref. */
static json_t *answer_to(Play *p, json_int_t id)
{
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)id);
    while (json_is_null(json_object_get(p->open, key)))
        receive(p, true);
    json_t *message = json_incref(json_object_get(p->open, key));
    require(message != NULL, "the answer is kept");
    return message;
}

/* ---- documents ------------------------------------------------------------------------------- */

static const char *uri_of(int document)
{
    return document == FRESH ? "file:///nowhere/b.ptx" : "file:///nowhere/a.ptx";
}

static json_t *params_of(int document)
{
    return json_pack("{s:{s:s}}", "textDocument", "uri", uri_of(document));
}

static void open_document(Play *p, int document)
{
    tell(p, "textDocument/didOpen",
         json_pack("{s:{s:s, s:s, s:I, s:o}}", "textDocument", "uri", uri_of(document),
                   "languageId", "ptx", "version", p->version, "text",
                   json_stringn(p->text.bytes, p->text.length)));
}

static void send_changes(Play *p, json_t *changes)
{
    p->version += 1 + (json_int_t)pick(p, 3);
    tell(p, "textDocument/didChange",
         json_pack("{s:{s:s, s:I}, s:o}", "textDocument", "uri", uri_of(EDITED), "version",
                   p->version, "contentChanges", changes));
}

/* ---- what is said of a document -------------------------------------------------------------- */

/* Without what differs from one document of that text to the other. */
static char *words_of(json_t *value)
{
    json_object_del(value, "resultId");
    char *text = json_dumps(value, JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_INDENT(1));
    require(text != NULL, "words");
    for (char *at = text; (at = strstr(at, "/b.ptx"));)
        at[1] = EDITED;
    return text;
}

static char *answer_words(Play *p, int document, const char *method, json_t *more)
{
    json_t *params = params_of(document);
    if (more)
        json_object_update(params, more);
    json_t *message = answer_to(p, ask(p, method, params));
    char *words = words_of(json_object_get(message, "result"));
    json_decref(message);
    return words;
}

static void same_answer(Play *p, const char *method, json_t *more)
{
    char *fresh = answer_words(p, FRESH, method, more),
         *edited = answer_words(p, EDITED, method, more);
    if (strcmp(fresh, edited) != 0)
        fprintf(stderr, "%s\n%s: edited:\n%s\nfresh:\n%s\n", p->text.bytes, method, edited, fresh);
    require(!strcmp(fresh, edited), "an edited text is as a new one");
    free(fresh);
    free(edited);
}

static int by_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In whatever order they are. */
static char *sorted_words(json_t *list)
{
    size_t count = json_array_size(list), length = 1;
    char **words = calloc(count + 1, sizeof *words);
    require(words != NULL, "there is memory");
    for (size_t i = 0; i < count; i++) {
        words[i] = words_of(json_array_get(list, i));
        length += strlen(words[i]) + 1;
    }
    qsort(words, count, sizeof *words, by_words);
    char *all = calloc(length, 1), *to = all;
    require(all != NULL, "there is memory");
    for (size_t i = 0; i < count; i++) {
        to += sprintf(to, "%s\n", words[i]);
        free(words[i]);
    }
    free(words);
    return all;
}

static char *published_words(Play *p, int document)
{
    const char *uri = uri_of(document);
    json_t *said;
    while (!(said = json_object_get(p->published, uri))
           || json_integer_value(json_object_get(said, "version")) != p->version)
        receive(p, true);
    return sorted_words(json_object_get(said, "diagnostics"));
}

/* The front end's, as they are pushed. */
static void same_published(Play *p)
{
    char *fresh = published_words(p, FRESH), *edited = published_words(p, EDITED);
    if (strcmp(fresh, edited) != 0)
        fprintf(stderr, "%s\nedited:\n%s\nfresh:\n%s\n", p->text.bytes, edited, fresh);
    require(!strcmp(fresh, edited), "what is published of an edited text is as of a new one");
    free(fresh);
    free(edited);
}

static void same_hovers(Play *p)
{
    for (int i = 0; i < 4; i++) {
        json_t *more = json_pack("{s:o}", "position",
                                 position_of(p, place_in(&p->text, pick(p, p->text.length))));
        same_answer(p, "textDocument/hover", more);
        same_answer(p, "textDocument/definition", more);
        json_decref(more);
    }
}

/* Where the last edit was; seldom, since the answers are long. */
static void same_completion(Play *p)
{
    if (take(p) % 8 != 1)
        return;
    const size_t at = p->near < p->text.length ? p->near : p->text.length;
    json_t *more = json_pack("{s:o}", "position", position_of(p, place_in(&p->text, at)));
    same_answer(p, "textDocument/completion", more);
    json_decref(more);
}

static void compare(Play *p)
{
    json_object_del(p->published, uri_of(FRESH));
    open_document(p, FRESH);
    if (p->is_quiet) {
        same_published(p);
        /* the new one has been read as a whole */
        json_decref(answer_to(p, ask(p, "textDocument/documentSymbol", params_of(FRESH))));
    } else {
        same_answer(p, "textDocument/diagnostic", NULL);
        same_answer(p, "textDocument/codeLens", NULL);
    }
    same_hovers(p);
    same_completion(p);
    same_answer(p, "textDocument/documentSymbol", NULL);
    same_answer(p, "textDocument/semanticTokens/full", NULL);
    same_answer(p, "textDocument/foldingRange", NULL);
    tell(p, "textDocument/didClose", params_of(FRESH));
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Mostly near the last one. */
static size_t edit_place(Play *p)
{
    const unsigned how = take(p);
    if (how % 4 && p->near < p->text.length)
        return place_in(&p->text, p->near + how % 32 < p->text.length ? p->near + how % 32 : 0);
    p->near = pick(p, p->text.length + 1);
    return place_in(&p->text, p->near);
}

/* The change that is made of it. */
static json_t *edit(Play *p)
{
    static const unsigned char lengths[] = { 0, 0, 0, 1, 1, 2, 5, 20, 60, 255 };
    const size_t begin = edit_place(p);
    size_t end = begin + lengths[take(p) % sizeof lengths];
    end = place_in(&p->text, end < p->text.length ? end : p->text.length);
    const char *piece = pieces[take(p) % (sizeof pieces / sizeof *pieces)];
    if (end < begin)
        end = begin;
    json_t *change = json_pack("{s:{s:o, s:o}, s:s}", "range", "start", position_of(p, begin),
                               "end", position_of(p, end), "text", piece);
    if (p->text.length < TEXT_MAX)
        replace(&p->text, begin, end, piece);
    else
        json_object_set_new(change, "text", json_string("")), replace(&p->text, begin, end, "");
    return change;
}

static void edit_some(Play *p, unsigned count)
{
    json_t *changes = json_array();
    while (count--)
        json_array_append_new(changes, edit(p));
    send_changes(p, changes);
}

static void go_back(Play *p)
{
    Text now = p->text;
    p->text = p->before;
    p->before = now;
    send_changes(p, json_pack("[{s:o}]", "text", json_stringn(p->text.bytes, p->text.length)));
}

static void change_settings(Play *p)
{
    static const char *const gpus[] = { "", "h100", "a100", "sm_120" };
    const unsigned how = take(p);
    json_t *settings = json_pack("{s:s}", "gpu", gpus[how % 4]);
    if (how & 4)
        json_object_set_new(settings, "block", json_string(how & 8 ? "33" : "256"));
    tell(p, "workspace/didChangeConfiguration", json_pack("{s:o}", "settings", settings));
}

/* The answer is read once it comes. */
static void ask_something(Play *p)
{
    static const char *const methods[] = {
        "textDocument/hover", "textDocument/codeLens", "textDocument/inlayHint",
        "textDocument/diagnostic", "textDocument/references", "textDocument/rename",
        "textDocument/semanticTokens/range", "textDocument/codeAction",
        "textDocument/signatureHelp", "textDocument/prepareRename",
        "textDocument/documentHighlight", "ptxlint/report", "textDocument/documentSymbol",
        "nothing/known", "initialize",
    };
    const char *method = methods[take(p) % (sizeof methods / sizeof *methods)];
    json_t *params = params_of(EDITED);
    json_t *at = position_of(p, place_in(&p->text, pick(p, p->text.length + 1)));
    json_object_set(params, "position", at);
    json_object_set_new(params, "range", json_pack("{s:O, s:o}", "start", at, "end", at));
    json_object_set_new(params, "newName", json_string("%other"));
    json_object_set_new(params, "context", json_pack("{s:[]}", "diagnostics"));
    ask(p, method, params);
}

static void say_something(Play *p)
{
    static const char *const methods[] = { "textDocument/didSave", "nothing/known", "$/setTrace",
                                           "textDocument/didClose", "initialized", "$/x",
                                           "workspace/didChangeWatchedFiles" };
    const unsigned how = take(p) % 10;
    if (how < 7)
        tell(p, methods[how], how == 3 ? params_of(FRESH) : params_of(EDITED));
    else if (how == 7)
        send_message(p, json_pack("{s:s, s:i, s:[]}", "jsonrpc", "2.0", "id", 77, "result"));
    else if (how == 8)
        send_message(p, json_pack("[i]", 1));
    else
        tell(p, "textDocument/didChange", json_pack("{s:i}", "textDocument", 3));
}

static void reopen(Play *p)
{
    if (take(p) % 2)
        tell(p, "textDocument/didClose", params_of(EDITED));
    p->version++;
    open_document(p, EDITED);
}

static void nap(Play *p)
{
    nanosleep(&(struct timespec){ 0, 1000000L * (1 + take(p) % 8) }, NULL);
    receive(p, false);
}

static void cancel(Play *p)
{
    tell(p, "$/cancelRequest", json_pack("{s:I}", "id", p->next_id - take(p) % 4));
}

static void step(Play *p)
{
    const unsigned what = take(p) % 16;
    switch (what) {
    case 0: case 1: case 2: case 3: edit_some(p, 1); break;
    case 4:  edit_some(p, 1 + take(p) % 4); break;
    case 5:  compare(p); break;
    case 6:  set_text(&p->before, p->text.bytes, p->text.length); break;
    case 7:  change_settings(p); break;
    case 8: case 9: case 10: ask_something(p); break;
    case 11: cancel(p); break;
    case 12: take(p) % 2 ? go_back(p) : say_something(p); break;
    case 13: reopen(p); break;
    case 14: nap(p); break;
    default: compare(p); break;
    }
    if (p->compares_each && what < 4)
        compare(p);
}

/* ---- settings -------------------------------------------------------------------------------- */

typedef struct FuzzSettings {
    const ptxlint_gpu *gpu;
    ptxlint_launches *launches;
} FuzzSettings;

static void *open_settings(void *context, const LspWish *wish)
{
    (void)context;
    char text[128];
    FuzzSettings *settings = calloc(1, sizeof *settings);
    if (!settings)
        return NULL;
    settings->gpu = wish->gpu && *wish->gpu ? ptxlint_gpu_find(wish->gpu) : NULL;
    const int n = snprintf(text, sizeof text,
                           "{\"launches\": [{\"kernel\": \"*\", \"grid\": [9], \"block\": [%s]}]}",
                           wish->block ? wish->block : "64");
    if (wish->block)
        ptxlint_launches_new(text, (size_t)n, &settings->launches, NULL, 0);
    return settings;
}

static LspSettings find_settings(void *opened, const char *path)
{
    (void)path;
    const FuzzSettings *settings = opened;
    if (!settings)
        return (LspSettings){ 0 };
    return (LspSettings){ .gpus = settings->gpu ? &settings->gpu : NULL,
                          .gpu_count = settings->gpu != NULL,
                          .launches = settings->launches };
}

static void close_settings(void *opened)
{
    FuzzSettings *settings = opened;
    if (settings)
        ptxlint_launches_free(settings->launches);
    free(settings);
}

/* ---- a session ------------------------------------------------------------------------------- */

typedef struct Served {
    LspHost host;
    int in, out, status;
} Served;

static void *serve(void *context)
{
    Served *served = context;
    served->status = ptx_lsp_run(&served->host, served->in, served->out);
    close(served->out);
    return NULL;
}

static void begin(Play *p)
{
    json_t *capabilities = json_pack(
        "{s:{s:[s]}, s:{s:{s:[s]}, s:{s:b, s:b}, s:{s:b}}}", "general", "positionEncodings",
        p->has_utf8 ? "utf-8" : "utf-16", "textDocument", "hover", "contentFormat", "markdown",
        "publishDiagnostics", "relatedInformation", 1, "versionSupport", 1, "documentSymbol",
        "hierarchicalDocumentSymbolSupport", 1);
    if (!p->is_quiet)
        json_object_set_new(json_object_get(capabilities, "textDocument"), "diagnostic",
                            json_object());
    json_decref(answer_to(p, ask(p, "initialize",
                                 json_pack("{s:n, s:o}", "processId", "capabilities",
                                           capabilities))));
    p->version = 1;
    open_document(p, EDITED);
}

/* All that is still open is answered, but where findings are not looked for. */
static void end(Play *p)
{
    const char *key;
    json_t *value;
    compare(p);
    if (!p->is_quiet)
        json_object_foreach(p->open, key, value)
            while (json_is_null(json_object_get(p->open, key)))
                receive(p, true);
    json_decref(answer_to(p, ask(p, "shutdown", json_null())));
    tell(p, "exit", json_null());
}

static void play(Play *p)
{
    int to[2], from[2];
    pthread_t thread;
    require(!pipe(to) && !pipe(from), "pipes");
    Served served = { .in = to[0], .out = from[1] };
    served.host = (LspHost){ NULL, open_settings, find_settings, close_settings,
                             p->is_quiet ? NEVER_SECONDS : 0 };
    p->to = to[1];
    p->from = from[0];
    fcntl(p->to, F_SETFL, O_NONBLOCK);
    require(!pthread_create(&thread, NULL, serve, &served), "a thread");
    begin(p);
    for (int i = 0; i < STEPS_MAX && p->left; i++)
        step(p);
    end(p);
    pthread_join(thread, NULL);
    require(served.status == 0, "the session ends well");
    close(to[0]);
    close(to[1]);
    close(from[0]);
}

/* What stands behind the script, in characters that JSON carries. */
static void begin_text(Play *p, const uint8_t *data, size_t size)
{
    set_text(&p->text, some_text, sizeof some_text - 1);
    if (size && size < TEXT_MAX) {
        set_text(&p->text, (const char *)data, size);
        for (size_t i = 0; i < size; i++)
            p->text.bytes[i] = (char)(data[i] && data[i] < 0x80 ? data[i] : '?');
    }
    if (!size && p->compares_each)
        replace(&p->text, p->text.length, p->text.length, more_text);
    set_text(&p->before, p->text.bytes, p->text.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    Play p = { .script = data, .left = nul ? (size_t)(nul - data) : size,
               .open = json_object(), .published = json_object() };
    const unsigned how = take(&p);
    p.is_quiet = how & 1;
    p.has_utf8 = how & 2;
    p.compares_each = how & 8;
    begin_text(&p, nul ? nul + 1 : data, nul ? size - (size_t)(nul + 1 - data) : 0);
    play(&p);
    ptx_frame_free(&p.frames);
    json_decref(p.open);
    json_decref(p.published);
    free(p.text.bytes);
    free(p.before.bytes);
    return 0;
}
