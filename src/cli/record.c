/* record.c -- runs a program with libptxlint-record.so (src/record) before its libraries, and makes
 * a launch file of the lines that this has written. */
#define _GNU_SOURCE
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char library_name[] = "libptxlint-record.so", first_variable[] = "PTXLINT_RECORD=";

typedef struct Recording {
    const Options *options;
    char *library, *lines_path;
    bool has_run;               /* the program did */
    json_t *launches;           /* by its line without the count: that */
    ExitCode code;
} Recording;

/* ---- the program ----------------------------------------------------------------------------- */

/* "NAME=VALUE" of both, and all others; for free(), like the two new ones. */
static char **make_environment(const char *preload, const char *lines)
{
    extern char **environ;
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **out = calloc(count + 3, sizeof *out);
    for (size_t i = 0; out && i < count; i++) {
        bool is_ours = !strncmp(environ[i], "LD_PRELOAD=", 11)
                       || !strncmp(environ[i], first_variable, sizeof first_variable - 1);
        if (!is_ours)
            out[kept++] = environ[i];
    }
    if (out) {
        out[kept++] = (char *)(uintptr_t)preload;
        out[kept] = (char *)(uintptr_t)lines;
    }
    return out;
}

static int spawn_recorded(const Recording *r, char **environment, pid_t *child)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char **words = (char **)(uintptr_t)(r->options->paths + 1);
    int error = posix_spawnattr_init(&attributes);
    if (error)
        return error;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    error = posix_spawnattr_setsigdefault(&attributes, &defaults);
    error = error ? error : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    error = error ? error : posix_spawnp(child, words[0], NULL, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static void tell_end(Recording *r, int status)
{
    char text[64];
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    if (status == 0)
        return;
    ptx_complain(r->options->paths[1], text);
    r->code = exit_code_max(r->code, EXIT_INPUT);
}

static void run_recorded(Recording *r)
{
    const char *before = getenv("LD_PRELOAD");
    Text preload = { 0 }, lines = { 0 };
    int status = 0;
    pid_t child;
    ptx_text_print(&preload, "LD_PRELOAD=%s%s%s", r->library, before && *before ? ":" : "",
                   ptx_text_or(before, ""));
    ptx_text_print(&lines, "%s%s", first_variable, r->lines_path);
    char **environment = preload.has_failed || lines.has_failed
                             ? NULL
                             : make_environment(preload.bytes, lines.bytes);
    int error = environment ? spawn_recorded(r, environment, &child) : ENOMEM;
    if (error) {
        ptx_complain(r->options->paths[1], strerror(error));
        r->code = error == ENOMEM ? EXIT_INTERNAL : EXIT_INPUT;
    } else {
        r->has_run = true;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        tell_end(r, status);
    }
    free(environment);
    ptx_text_free(&preload);
    ptx_text_free(&lines);
}

/* ---- its launches ---------------------------------------------------------------------------- */

/* A line: a launch, and how often it was made; 0: it is the first sign of it. */
static void take_recorded(Recording *r, const char *line, size_t length)
{
    json_t *launch = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    json_int_t count = json_integer_value(json_object_get(launch, "count"));
    json_object_del(launch, "count");
    char *key = launch ? json_dumps(launch, JSON_COMPACT) : NULL;
    if (key) {
        json_int_t before = json_integer_value(json_object_get(r->launches, key));
        json_object_set_new(r->launches, key, json_integer(before + count));
    }
    free(key);
    json_decref(launch);
}

static void take_all_recorded(Recording *r)
{
    char *text;
    size_t length;
    ExitCode code = ptx_file_read(r->lines_path, &text, &length);
    r->code = exit_code_max(r->code, code);
    if (code != EXIT_CLEAN)
        return;
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1)
        take_recorded(r, at, (size_t)(end - at));
    free(text);
}

typedef struct Launched {
    const char *line;
    json_int_t count;
    size_t index;
} Launched;

/* Those made most often first: of a kernel's launches the first counts in findings. */
static int compare_launched(const void *left, const void *right)
{
    const Launched *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Parameters are known from CUDA 12.4 on. */
static void put_recorded(Text *out, const Launched *launched, bool *has_params)
{
    json_t *launch = json_loads(launched->line, 0, NULL);
    char note[48];
    json_int_t count = launched->count ? launched->count : 1;
    snprintf(note, sizeof note, "launched %lld time%s", (long long)count,
             ptx_plural((size_t)count));
    if (json_array_size(json_object_get(launch, "params")))
        *has_params = true;
    else
        json_object_del(launch, "params");
    json_object_set_new(launch, "note", json_string(note));
    char *text = json_dumps(launch, 0);
    ptx_text_put(out, text ? text : "");
    out->has_failed |= !text;
    free(text);
    json_decref(launch);
}

static Launched *list_launched(const Recording *r, size_t count)
{
    const char *line;
    json_t *value;
    size_t used = 0;
    Launched *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return NULL;
    json_object_foreach(r->launches, line, value) {
        rows[used] = (Launched){ line, json_integer_value(value), used };
        used++;
    }
    qsort(rows, used, sizeof *rows, compare_launched);
    return rows;
}

static void put_launches(Recording *r, Text *out)
{
    size_t count = json_object_size(r->launches);
    bool has_params = false;
    Launched *rows = list_launched(r, count);
    if (!rows) {
        out->has_failed = true;
        return;
    }
    ptx_text_put(out, "{\n  \"launches\": [\n");
    for (size_t i = 0; i < count; i++) {
        ptx_text_put(out, "    ");
        put_recorded(out, &rows[i], &has_params);
        ptx_text_put(out, i + 1 < count ? ",\n" : "\n");
    }
    ptx_text_put(out, "  ]\n}\n");
    free(rows);
    if (!has_params)
        ptx_complain("record", "parameters are not known; a driver of CUDA 12.4 or later is "
                               "needed for them");
}

static void write_launches(Recording *r)
{
    Text out = { 0 };
    Options written = *r->options;
    char launches_path[] = "launches.json", text[64];
    size_t count = json_object_size(r->launches);
    if (!count && r->code != EXIT_INTERNAL) {
        ptx_complain(r->options->paths[1], "made no launch that could be recorded");
        r->code = exit_code_max(r->code, EXIT_INPUT);
    }
    if (!count || r->code == EXIT_INTERNAL)
        return;
    put_launches(r, &out);
    if (!written.output.path)
        written.output.path = launches_path;
    ExitCode code = ptx_output_text(&written, &out);
    ptx_text_free(&out);
    r->code = exit_code_max(r->code, code);
    snprintf(text, sizeof text, "%zu distinct launch%s", count, count > 1 ? "es" : "");
    if (code == EXIT_CLEAN && !r->options->is_quiet)
        ptx_complain(written.output.path, text);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void make_lines_file(Recording *r)
{
    const char *folder = getenv("TMPDIR");
    r->lines_path = ptx_path_join(folder && *folder ? folder : "/tmp", "ptxlint-record-XXXXXX");
    int file = r->lines_path ? mkstemp(r->lines_path) : -1;
    if (file < 0) {
        r->code = ptx_complain_status(r->lines_path, r->lines_path ? PTXLINT_IO
                                                                   : PTXLINT_NO_MEMORY);
        free(r->lines_path);
        r->lines_path = NULL;
        return;
    }
    close(file);
}

ExitCode ptx_record(const Options *options)
{
    Recording r = { .options = options,
                    .launches = json_object(),
                    .library = ptx_installed_find(library_name) };
    if (!r.library) {
        ptx_complain(library_name, "is not installed beside this program");
        r.code = EXIT_USAGE;
    }
    if (r.code == EXIT_CLEAN)
        make_lines_file(&r);
    if (r.code == EXIT_CLEAN)
        run_recorded(&r);
    if (r.has_run) {
        take_all_recorded(&r);
        write_launches(&r);
    }
    if (r.lines_path)
        unlink(r.lines_path);
    free(r.lines_path);
    free(r.library);
    json_decref(r.launches);
    return r.code;
}
