#include "cli/cli.h"
#include "mcp/mcp.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In any thread; what it came to is EXIT_INTERNAL then, whatever else is wrong. */
static atomic_bool was_without_memory, is_memory_told;

void ptx_note_no_memory(void)
{
    atomic_store(&was_without_memory, true);
}

bool ptx_was_without_memory(void)
{
    return atomic_load(&was_without_memory);
}

void ptx_leave_without_memory(void)
{
    ptx_beside_unlink_all();
    fputs("ptxlint: no memory\n", stderr);
    _exit(EXIT_INTERNAL);
}

/* jansson without memory gives less of a document than was asked for, and reads behind its buffer
 * where a string does not fit (2.14: lex_scan_string): it never sees the end of memory. */
static void *alloc_or_leave(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        ptx_leave_without_memory();
    return memory;
}

static ExitCode exit_code_with_memory(ExitCode code)
{
    if (!ptx_was_without_memory())
        return code;
    if (!atomic_load(&is_memory_told))
        fputs("ptxlint: no memory\n", stderr);
    return EXIT_INTERNAL;
}

static void add_complaint(Text *to, const char *subject, const char *text)
{
    ptx_text_put(to, "ptxlint: ");
    if (subject) {
        ptx_text_show(to, subject);
        ptx_text_put(to, ": ");
    }
    ptx_text_show(to, text);
    ptx_text_put(to, "\n");
}

static void say(Text *line)
{
    fputs(line->has_failed ? "ptxlint: no memory\n" : line->bytes, stderr);
    ptx_text_free(line);
}

void ptx_complain_to(Text *to, const char *subject, const char *text)
{
    Text line = { 0 };
    if (!strcmp(text, strerror(ENOMEM)))
        ptx_note_no_memory();
    add_complaint(to ? to : &line, subject, text);
    if (!to)
        say(&line);
}

void ptx_complain(const char *subject, const char *text)
{
    ptx_complain_to(NULL, subject, text);
}

void ptx_complain_at(const char *path, unsigned line, unsigned column, const char *text)
{
    Text whole = { 0 };
    ptx_text_show(&whole, path);
    ptx_text_print(&whole, ":%u:%u: error: ", line, column);
    ptx_text_show(&whole, text);
    ptx_text_put(&whole, "\n");
    say(&whole);
}

void ptx_complain_line(const char *text)
{
    Text line = { 0 };
    ptx_text_show(&line, text);
    ptx_text_put(&line, "\n");
    say(&line);
}

ExitCode ptx_complain_status_to(Text *to, const char *subject, ptxlint_status status, int error)
{
    char room[128];
    ptx_complain_to(to, subject,
                    status == PTXLINT_IO ? ptx_error_text(error, room, sizeof room)
                                         : ptxlint_status_text(status));
    bool is_input = (status == PTXLINT_IO && error != ENOMEM) || status == PTXLINT_TOO_LARGE;
    if (!is_input) {
        ptx_note_no_memory();
        atomic_store(&is_memory_told, true);
    }
    return is_input ? EXIT_INPUT : EXIT_INTERNAL;
}

ExitCode ptx_complain_status(const char *subject, ptxlint_status status)
{
    return ptx_complain_status_to(NULL, subject, status, errno);
}

/* Until its input ends, or its output is closed. */
static ExitCode serve_mcp(const Options *options)
{
    ExitCode code = ptx_sandbox_enter(options, &(SandboxNeeds){ .read = "." });
    if (code != EXIT_CLEAN)
        return code;
    int error = ptx_mcp_serve(stdin, stdout);
    if (!error || error == EPIPE)
        return EXIT_CLEAN;
    ptx_complain("mcp", strerror(error));
    return EXIT_INPUT;
}

static ExitCode run_once(const Options *options)
{
    switch (options->command) {
    case COMMAND_EXPLAIN: return ptx_explain(options);
    case COMMAND_RULES:   return ptx_rules_list(options);
    case COMMAND_CONFIG:  return ptx_config_command(options);
    case COMMAND_ISA:     return ptx_isa_command(options);
    case COMMAND_DIFF:    return ptx_diff(options);
    case COMMAND_SCHEMA:  return ptx_schema_command(options);
    case COMMAND_MCP:     return serve_mcp(options);
    case COMMAND_COMPLETIONS: return ptx_completions(options);
    case COMMAND_MANUAL:  return ptx_manual(options);
    case COMMAND_LSP:     return ptx_lsp(options);
    case COMMAND_EXTRACT: return ptx_extract(options);
    case COMMAND_LAUNCH:  return ptx_launch_command(options);
    case COMMAND_OCCUPANCY: return ptx_occupancy(options);
    default:              return ptx_run(options);
    }
}

/* Those that read PTX once, and write all that is wanted of it. */
static ExitCode (*command_that_reads(Command command))(const Options *options)
{
    switch (command) {
    case COMMAND_CHECK: case COMMAND_REPORT: case COMMAND_ANNOTATE: return ptx_run;
    case COMMAND_TUNE:      return ptx_tune;
    case COMMAND_RANK: case COMMAND_OPTSPACE: return ptx_rank;
    case COMMAND_VERIFY:    return ptx_verify;
    case COMMAND_CALIBRATE: return ptx_calibrate;
    case COMMAND_RECOGNIZE: return ptx_recognize_command;
    case COMMAND_GRAPH:     return ptx_graph_command;
    default:                return NULL;
    }
}

/* What must write or run more than options name before it reads PTX, or makes a folder for what it
 * writes: these enter the sandbox themselves. */
static bool is_enclosed_later(const Options *options)
{
    switch (options->command) {
    case COMMAND_CHECK: case COMMAND_FIX: case COMMAND_REPORT: case COMMAND_ANNOTATE:
    case COMMAND_BASELINE: case COMMAND_BUDGET: case COMMAND_EXTRACT:
        return true;
    case COMMAND_DIFF:
        return options->git_base;
    case COMMAND_LAUNCH:
        return strcmp(options->paths[0], "init") != 0;
    case COMMAND_CONFIG:
        return !strcmp(options->paths[0], "init");
    default:
        return false;
    }
}

/* The others have a small document, and make it anew for each place. */
static ExitCode run(Options *options)
{
    ExitCode (*const reader)(const Options *) = command_that_reads(options->command);
    ExitCode code = EXIT_CLEAN;
    if (ptx_is_gpu_measure(options))
        return ptx_gpu_measure(options);
    if (!is_enclosed_later(options))
        code = ptx_sandbox_enter(options, &(SandboxNeeds){ .reads_anywhere = true });
    if (code != EXIT_CLEAN)
        return code;
    if (reader)
        return reader(options);
    if (options->command == COMMAND_MERGE)
        return ptx_merge(options);
    for (size_t i = 0; i < options->output_count && code == EXIT_CLEAN; i++) {
        options->output = options->outputs[i];
        code = run_once(options);
    }
    return code;
}

/* What is freed up to here stays in the heap: the memory of a small file is given back once, at the
 * end. */
enum { HEAP_KEPT_BYTES = 4 << 20 };

int main(int argc, char **argv)
{
    Options options;
    ExitCode code = EXIT_CLEAN;
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
#endif
    /* a reader that has gone is an error of write: see ptx_sink_close */
    signal(SIGPIPE, SIG_IGN);
    json_set_alloc_funcs(alloc_or_leave, free);
    signal(SIGXFSZ, SIG_IGN);           /* a file as large as may be: the same */
    switch (ptx_options_parse(&options, argc, argv)) {
    case PARSED_RUN:
        code = run(&options);
        break;
    case PARSED_DONE:
        code = ptx_stdout_close();
        break;
    case PARSED_BAD:
        code = EXIT_USAGE;
        break;
    case PARSED_FAILED:
        code = EXIT_INTERNAL;
        break;
    }
    ptx_options_free(&options);
    return (int)exit_code_with_memory(code);
}
