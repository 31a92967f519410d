/* server.h -- what the files of the language server share. */
#ifndef PTX_LSP_SERVER_H
#define PTX_LSP_SERVER_H

#include "lsp/frame.h"
#include "lsp/lsp.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- documents ------------------------------------------------------------------------------- */

typedef enum LspLanguage { LANGUAGE_OTHER, LANGUAGE_PTX, LANGUAGE_CONFIG } LspLanguage;

/* A change of the text, so that places found before it are still known behind it. */
typedef struct TextEdit {
    uint64_t revision;             /* that it made */
    uint32_t begin, end, inserted; /* bytes that went, and how many came */
} TextEdit;

/* Of one with a body. */
typedef struct FunctionPlace {
    uint32_t begin, open, end; /* open: behind the brace that opens the body */
} FunctionPlace;

enum { NO_FUNCTION = SIZE_MAX };

/* The text as it is with the bodies of two functions: the one that was edited since the whole was
 * read, and one that was asked about. */
typedef struct LspPart {
    ptxlint_module *module; /* NULL: there is none */
    ptxlint_tokens *tokens;
    uint64_t revision;
    FunctionPlace *functions; /* all of them, in the text as it is */
    size_t count, edited, asked;
    int64_t moved; /* bytes: what stands behind the edit */
} LspPart;

typedef struct LspDocument LspDocument;
typedef struct LspBasis LspBasis;

struct LspDocument {
    LspDocument *next;
    char *uri, *path; /* path: NULL where it is no file */
    LspLanguage language;
    json_int_t version; /* the client's */
    /* ours, of this document alone: one more with each edit, and with what it is analysed for */
    uint64_t revision;
    char *text;
    size_t length, capacity;
    uint32_t *lines; /* where each begins */
    uint32_t line_count;
    size_t line_capacity;
    bool has_lines;  /* of the text as it is */
    TextEdit *edits; /* since `analysed` */
    size_t edit_count, edit_capacity;
    uint64_t lost_revision; /* of an edit that there was no room for; 0 */
    double edited;          /* seconds: when the last edit came */

    LspBasis *basis; /* of what is found; NULL: none yet, or settings have changed */
    /* the front end's, with names and tokens, of the text as it was when it was asked for */
    ptxlint_module *syntax;
    ptxlint_tokens *tokens;
    uint64_t syntax_revision, tokens_revision;
    LspPart part; /* edited since `syntax` */
    /* with findings, and maybe figures, of the revision; NULL: not yet */
    ptxlint_module *analysed;
    uint64_t analysed_revision;
    uint64_t failed_revision; /* that there was no memory for; 0 */
    bool has_figures;
    bool is_published; /* all that is known */
    bool is_unsaved;   /* edited since it was opened or saved */
    json_t *sources;   /* an object: the URIs of CUDA files with findings */
};

/* ---- workers --------------------------------------------------------------------------------- */

typedef enum WorkerPhase { PHASE_FINDINGS, PHASE_FIGURES, PHASE__COUNT } WorkerPhase;

/* One analysis; the text is its own. */
typedef struct WorkerTask {
    char *uri, *path, *text;
    size_t length;
    uint64_t revision;
    LspBasis *basis;
    ptxlint_options options;
    ptxlint_module *module; /* NULL: no memory, or stopped */
    ptxlint_status status;
    atomic_bool is_stopped; /* its result is out of date */
} WorkerTask;

/* A thread with at most one task. */
typedef struct LspWorker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    WorkerTask *task; /* in hand */
    bool is_started, is_busy, is_done, is_stopped;
    int wake; /* that a byte is written to once the task is done */
    double began;
    bool has_progress; /* the client sees that it takes time */
} LspWorker;

/* ---- the session ----------------------------------------------------------------------------- */

typedef enum LspState { STATE_NEW, STATE_RUNNING, STATE_SHUT_DOWN } LspState;

typedef struct LspClient {
    bool has_utf8;
    bool has_pull_diagnostics;
    bool has_related, has_code_description, has_version;
    bool has_symbol_tree, has_markdown;
    bool has_progress, has_lens_refresh, has_hint_refresh, has_diagnostic_refresh;
} LspClient;

typedef struct LspServer LspServer;

/* What a request is answered with: a result, or an error. */
typedef struct LspAnswer {
    json_t *result;
    int error; /* 0: none */
    char message[256];
} LspAnswer;

typedef void (*LspHandler)(LspServer *server, LspDocument *document, const json_t *params,
                           LspAnswer *answer);

typedef enum LspNeed { NEED_NOTHING, NEED_DOCUMENT, NEED_FINDINGS, NEED_FIGURES } LspNeed;

typedef struct LspMethod {
    const char *name;
    LspHandler run;
    LspNeed need;
} LspMethod;

/* A request that waits for an analysis. */
typedef struct LspWaiting {
    json_t *id, *params;
    const LspMethod *method;
    struct LspWaiting *next;
} LspWaiting;

struct LspServer {
    const LspHost *host;
    int in, out, wake[2];
    LspState state;
    bool is_over;
    bool is_short; /* the library had no memory for a document since this was last false */
    int exit_code;
    pid_t parent;
    FrameReader frames;
    LspClient client;
    LspWish wish;
    struct LspOpened *settings; /* that hold now; NULL: no memory */
    LspDocument *documents;
    uint64_t opened; /* documents so far */
    LspWorker workers[PHASE__COUNT];
    LspWaiting *waiting;
    json_int_t next_request; /* number of our next request to the client */
    json_int_t gpu_question; /* of the one that asks for a GPU; 0 */
};

enum {
    ERROR_PARSE = -32700,
    ERROR_INVALID = -32600,
    ERROR_NO_METHOD = -32601,
    ERROR_PARAMS = -32602,
    ERROR_INTERNAL = -32603,
    ERROR_NOT_READY = -32002,
    ERROR_CANCELLED = -32800,
    ERROR_MODIFIED = -32801,
    ERROR_FAILED = -32803
};

double ptx_lsp_now(void);

/* ---- message.c ------------------------------------------------------------------------------- */

void ptx_lsp_answer(LspServer *server, const json_t *id, LspAnswer *answer);
void ptx_lsp_notify(LspServer *server, const char *method, json_t *params);    /* takes params */
json_int_t ptx_lsp_ask(LspServer *server, const char *method, json_t *params); /* takes params */
void ptx_lsp_fail(LspAnswer *answer, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* NULL, 0 where the path of keys, with dots between, leads nowhere. */
const json_t *ptx_lsp_at(const json_t *value, const char *path);
const char *ptx_lsp_text(const json_t *value, const char *path);
bool ptx_lsp_is(const json_t *value, const char *path);

/* Markdown, or plain text where the client knows nothing else. */
json_t *ptx_lsp_markup(const LspServer *server, const char *text);

/* Text of length bytes; replaced by marks where it is no UTF-8. */
json_t *ptx_lsp_string(const char *text, size_t length);

/* There is none: heard where jansson's failures are (json_set_alloc_funcs), by which `ptxlint lsp`
 * ends. */
void ptx_lsp_no_memory(void);
/* memory, which NULL is heard of. */
void *ptx_lsp_heard(void *memory);
/* Of open_memstream, whose *text is NULL without memory. */
void ptx_lsp_close_text(FILE *out, char *const *text);

/* ---- position.c ------------------------------------------------------------------------------ */

uint32_t ptx_lsp_offset(const LspServer *server, LspDocument *document, const json_t *position);
ptxlint_span ptx_lsp_span(const LspServer *server, LspDocument *document, const json_t *range);
json_t *ptx_lsp_position(const LspServer *server, LspDocument *document, uint32_t offset);
json_t *ptx_lsp_range(const LspServer *server, LspDocument *document, ptxlint_span span);
uint32_t ptx_lsp_line(LspDocument *document, uint32_t offset); /* from 0 */
/* of bytes as the client counts them */
uint32_t ptx_lsp_units(const LspServer *server, const char *text, size_t length);
json_t *ptx_lsp_location(const LspServer *server, LspDocument *document, ptxlint_span span);

/* ---- document.c ------------------------------------------------------------------------------ */

LspDocument *ptx_document_find(const LspServer *server, const char *uri);
LspDocument *ptx_document_at(const LspServer *server, const char *path);
LspDocument *ptx_document_of(const LspServer *server, const json_t *params);
void ptx_document_open(LspServer *server, const json_t *item);
void ptx_document_change(LspServer *server, LspDocument *document, const json_t *params);
void ptx_document_close(LspServer *server, LspDocument *document);
void ptx_document_free(LspDocument *document);
/* What was analysed so far was for other settings. */
void ptx_document_forget(LspDocument *document);

/* A place of `analysed` in the text as it is; false: it is gone. */
bool ptx_document_follow(const LspDocument *document, ptxlint_span *span);

/* A place of some module in the text as it is; false: it is gone. */
typedef bool (*FollowFn)(const LspDocument *document, ptxlint_span *span);

/* The front end's view and the tokens of the text as it is; NULL: no memory. */
const ptxlint_module *ptx_document_syntax(LspServer *server, LspDocument *document);
const ptxlint_tokens *ptx_document_tokens(LspDocument *document);

/* part.c: the same, but bodies of functions without that place may be missing. */
const ptxlint_module *ptx_document_syntax_at(LspServer *server, LspDocument *document,
                                             uint32_t offset);
const ptxlint_tokens *ptx_document_tokens_at(LspDocument *document, uint32_t offset);
/* All bodies may be missing but that of a function that was edited. */
const ptxlint_module *ptx_document_head(LspServer *server, LspDocument *document);
/* Whether a finding of a part is of the function that was edited; the others are those of `syntax`
 * at places that ptx_part_follow moves. */
bool ptx_part_holds(const LspDocument *document, ptxlint_span span);
bool ptx_part_follow(const LspDocument *document, ptxlint_span *span);
void ptx_part_free(LspPart *part);

/* The analysed module where it is of the text as it is, and has figures if those are wanted; else
 * NULL. */
const ptxlint_module *ptx_document_analysed(const LspDocument *document, bool wants_figures);
ptxlint_options ptx_document_options(LspServer *server, LspDocument *document);

/* "file:///a%20b" as a path, and back; for free(), NULL: it is no file, no memory. */
char *ptx_uri_path(const char *uri);
char *ptx_path_uri(const char *path);

/* ---- worker.c -------------------------------------------------------------------------------- */

bool ptx_worker_start(LspWorker *worker, int wake);
/* Takes the task; the worker must be idle. */
void ptx_worker_give(LspWorker *worker, WorkerTask *task);
/* What it has done, for ptx_task_free; NULL: nothing. */
WorkerTask *ptx_worker_take(LspWorker *worker);
bool ptx_worker_is_idle(LspWorker *worker);
/* The task that it is at; NULL: none. */
WorkerTask *ptx_worker_task(LspWorker *worker);
/* False: it is in the middle of a task that takes long; it must not be freed then. */
bool ptx_worker_stop(LspWorker *worker);
void ptx_task_free(WorkerTask *task);

/* ---- settings.c ------------------------------------------------------------------------------ */

/* Opens settings again. Of the old ones, what tasks hold stays. */
void ptx_settings_open(LspServer *server);
void ptx_settings_close(LspServer *server);
LspSettings ptx_settings_find(const LspServer *server, const char *path);

/* Settings, and what was found before of one text with them; NULL: no memory. */
LspBasis *ptx_basis_new(LspServer *server);
LspBasis *ptx_basis_hold(LspBasis *basis);
void ptx_basis_release(LspBasis *basis);
ptxlint_history *ptx_basis_history(const LspBasis *basis);

/* ---- server.c -------------------------------------------------------------------------------- */

/* Settings have changed: everything is to be found again. */
void ptx_lsp_reconfigure(LspServer *server);

/* ---- the subjects ---------------------------------------------------------------------------- */

json_t *ptx_lsp_capabilities(const LspServer *server); /* capability.c */
void ptx_lsp_read_client(LspServer *server, const json_t *params);

json_t *ptx_diagnostics_of(LspServer *server, LspDocument *document); /* diagnostics.c */
void ptx_diagnostics_publish(LspServer *server, LspDocument *document);
/* Reports to the user that memory is short, where server->is_short. */
void ptx_lsp_show_short(LspServer *server, const LspDocument *document);
/* Whether the CUDA file at path is newer than the PTX. */
bool ptx_lsp_is_source_newer(const LspServer *server, const LspDocument *document,
                             const char *path);
void ptx_diagnostics_withdraw(LspServer *server, LspDocument *document);
void ptx_lsp_pull(LspServer *, LspDocument *, const json_t *, LspAnswer *);

/* An instruction's opcode with modifiers around a token; empty: none is there. */
ptxlint_span ptx_lsp_opcode_at(LspDocument *document, uint32_t offset); /* statement.c */

/* The statement that a place is in, as far as it is written. */
typedef struct Statement {
    ptxlint_span opcode; /* empty: none yet */
    ptxlint_span word;   /* before the place, as far as it is written */
    unsigned commas;     /* between the opcode and the place, outside brackets */
    bool is_begin;       /* the word is the first of a statement */
    bool has_directive;  /* a directive stands before the word */
    bool is_comment;     /* a comment or a string */
} Statement;

Statement ptx_lsp_statement_at(LspDocument *document, uint32_t offset);

/* That figures are for, and what .target says, which decides what is legal; NULL: not known. */
const ptxlint_gpu *ptx_document_gpu(LspServer *server, LspDocument *document);
const ptxlint_gpu *ptx_document_target(LspServer *server, LspDocument *document);

void ptx_lsp_hover(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* hover.c */
/* A number as the value that it stands for, "1.0", of size bytes; false: it is as it looks. */
bool ptx_lsp_number(const char *text, size_t length, char *out, size_t size);    /* number.c */
void ptx_lsp_kernel_title(const ptxlint_kernel *kernel, char *out, size_t size); /* lens.c */
void ptx_lsp_launch_words(const ptxlint_kernel *kernel, char *out, size_t size);
/* cuda.c: of a document that is no PTX, by what PTX that is open says of it. */
json_t *ptx_cuda_lens(LspServer *server, LspDocument *source);
void ptx_cuda_hover(LspServer *server, LspDocument *source, const json_t *params,
                    LspAnswer *answer);

void ptx_lsp_definition(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* navigate.c */
void ptx_lsp_declaration(LspServer *, LspDocument *, const json_t *, LspAnswer *);
void ptx_lsp_implementation(LspServer *, LspDocument *, const json_t *, LspAnswer *);
void ptx_lsp_references(LspServer *, LspDocument *, const json_t *, LspAnswer *);
void ptx_lsp_highlight(LspServer *, LspDocument *, const json_t *, LspAnswer *);
/* The file that .file names, seen from the document; for free(), NULL: it cannot be found. */
char *ptx_lsp_source_path(const LspDocument *document, const char *path);
void ptx_lsp_prepare_rename(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* rename.c */
void ptx_lsp_rename(LspServer *, LspDocument *, const json_t *, LspAnswer *);
void ptx_lsp_symbols(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* outline.c */
void ptx_lsp_folding(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* folding.c */
json_t *ptx_semantic_legend(void);                                             /* semantic.c */
void ptx_lsp_semantic(LspServer *, LspDocument *, const json_t *, LspAnswer *);
void ptx_lsp_completion(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* complete.c */
void ptx_lsp_signature(LspServer *, LspDocument *, const json_t *, LspAnswer *);  /* signature.c */
void ptx_lsp_lens(LspServer *, LspDocument *, const json_t *, LspAnswer *);       /* lens.c */
void ptx_lsp_hints(LspServer *, LspDocument *, const json_t *, LspAnswer *);      /* hint.c */
void ptx_lsp_actions(LspServer *, LspDocument *, const json_t *, LspAnswer *);    /* action.c */
void ptx_lsp_execute(LspServer *, LspDocument *, const json_t *, LspAnswer *);    /* command.c */
void ptx_lsp_answer_gpu(LspServer *server, const json_t *message);
void ptx_lsp_report(LspServer *, LspDocument *, const json_t *, LspAnswer *); /* report.c */
void ptx_lsp_wish(LspServer *server, const json_t *settings);                 /* settings.c */
void ptx_wish_free(LspWish *wish);
bool ptx_wish_set(char **place, const char *text);
json_t *ptx_lsp_config_diagnostics(LspServer *server, LspDocument *document); /* config.c */
json_t *ptx_lsp_config_completion(LspServer *server, LspDocument *document, uint32_t offset);

#endif
