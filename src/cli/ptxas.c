#define _GNU_SOURCE /* pipe2 */

/* ptxas.c -- runs ptxas for what only it knows: the registers it allocates, and spills. */
#include "cli/cli.h"
#include "support/minmax.h"
#include "support/choice.h"
#include "support/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static ExitCode complain_memory(Text *messages)
{
    return ptx_complain_status_to(messages, NULL, PTXLINT_NO_MEMORY, 0);
}

static void complain_error(Text *messages, const char *subject, int error)
{
    char room[128];
    ptx_complain_to(messages, subject, ptx_error_text(error, room, sizeof room));
}

/* ---- where it is ----------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* folder/tail if it is a program, for free(); an empty folder is the working directory, as in
 * $PATH. */
static char *try_folder(const char *folder, size_t length, const char *tail)
{
    char *path = malloc(length + strlen(tail) + 3);
    if (!path)
        return NULL;
    if (!length) {                      /* an empty entry of $PATH is the working directory */
        folder = ".";
        length = 1;
    }
    memcpy(path, folder, length);
    path[length] = '/';
    strcpy(path + length + 1, tail);
    if (is_program(path))
        return path;
    free(path);
    return NULL;
}

static char *search(void)
{
    const char *path = getenv("PATH"), *home = getenv("CUDA_HOME");
    char *found = NULL;
    while (path && !found) {
        size_t length = strcspn(path, ":");
        found = try_folder(path, length, "ptxas");
        path = path[length] ? path + length + 1 : NULL;
    }
    if (!found && home && *home)
        found = try_folder(home, strlen(home), "bin/ptxas");
    return found ? found : try_folder("/usr/local/cuda", strlen("/usr/local/cuda"), "bin/ptxas");
}

char *ptx_ptxas_locate(const char *path, ExitCode *code)
{
    char *found = NULL;
    if (!*path)
        found = search();
    else if (is_program(path))
        found = strdup(path);
    if (found)
        return found;
    if (*path)
        ptx_complain(path, "is not a program");
    else
        ptx_complain("--ptxas", "there is no ptxas in $PATH, $CUDA_HOME/bin or "
                                "/usr/local/cuda/bin; --ptxas=PATH names one");
    *code = exit_code_max(*code, EXIT_USAGE);
    return NULL;
}

/* ---- running it ------------------------------------------------------------------------------ */

enum { PIPE_BYTES = 4096 };     /* least room for a read */

typedef struct Output {
    char *bytes;                /* NUL behind them */
    size_t length, capacity;
} Output;

/* To the end; false: no memory. */
static bool read_pipe(int in, Output *out)
{
    for (;;) {
        if (!ptx_list_reserve(&out->bytes, &out->capacity, out->length + PIPE_BYTES, 1))
            return false;
        ssize_t got = read(in, out->bytes + out->length, out->capacity - out->length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0)
            out->length += (size_t)got;
        out->bytes[out->length] = 0;
        if (got <= 0)
            return true;
    }
}

/* Standard output and error into the pipe; no standard input. 0, or an errno. */
static int spawn(char *const *words, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);              /* main ignores it */
    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    int error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        error = error ? error : posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
        error = error ? error
                      : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                                         O_RDONLY, 0);
        error = error ? error : posix_spawnattr_setsigdefault(&attributes, &defaults);
        error = error ? error : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        error = error ? error : posix_spawn(pid, words[0], &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The status of waitpid; -1 with errno set: it could not be run. */
static int run_program(char *const *words, Output *out)
{
    int ends[2], status = -1;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC)) /* at once: another thread may be starting a program of its own */
        return -1;
    int error = spawn(words, ends[1], &pid);
    close(ends[1]);
    bool is_read = !error && read_pipe(ends[0], out);
    close(ends[0]);                             /* before waiting: it may still be writing */
    while (!error && waitpid(pid, &status, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    if (!error && !is_read)
        error = ENOMEM;
    errno = error;
    return errno ? -1 : status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A name for ptxas: one that begins with - would be an option of it. */
static char *plain_name(const char *path)
{
    char *name = malloc(strlen(path) + 3);
    if (name)
        sprintf(name, "%s%s", *path == '-' ? "./" : "", path);
    return name;
}

/* The name of a new file that holds text, for free(); NULL with errno set. */
static char *write_copy(const char *text, size_t length)
{
    static const char tail[] = "/ptxlint-XXXXXX";
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    char *name = malloc(strlen(folder) + sizeof tail + 2);
    if (!name)
        return NULL;
    sprintf(name, "%s%s%s", *folder == '-' ? "./" : "", folder, tail);
    int out = mkstemp(name);
    bool is_good = out >= 0 && ptx_handle_write(out, text, length);
    int error = errno;
    if (out >= 0 && close(out) && is_good) {
        is_good = false;
        error = errno;
    }
    if (is_good)
        return name;
    if (out >= 0)
        unlink(name);
    free(name);
    errno = error;
    return NULL;
}

static bool is_regular(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
}

/* ---- what it says ---------------------------------------------------------------------------- */

/* The first line that is more than information. */
static void complain_output(Text *messages, const char *path, const char *text)
{
    char line[512];
    size_t length = strcspn(text, "\n");
    while (text[length] && (!length || !strncmp(text, "ptxas info", 10))) {
        text += length + 1;
        length = strcspn(text, "\n");
    }
    snprintf(line, sizeof line, "ptxas failed%s%.*s", ptx_text_if(length, ": "),
             (int)ptx_size_min(length, 400), text);
    ptx_complain_to(messages, path, line);
}

/* For one architecture. What ptxas rejects is reported, and the report does without it. */
static ExitCode translate(const char *program, const char *path, const char *file, const char *arch,
                          ptxlint_ptxas *ptxas, Text *messages)
{
    char arch_word[64];
    Output out = { 0 };
    ExitCode code = EXIT_CLEAN;
    snprintf(arch_word, sizeof arch_word, "-arch=%.40s", arch);
    const char *const words[] = { program, "-v", arch_word, file, "-o", "/dev/null", NULL };
    int status = run_program((char *const *)(uintptr_t)words, &out);
    if (status < 0 && errno == ENOMEM)
        code = complain_memory(messages);
    else if (status < 0)
        complain_error(messages, program, errno);
    else if (!WIFEXITED(status) || WEXITSTATUS(status))
        complain_output(messages, path, out.bytes);
    else if (ptxlint_ptxas_add(ptxas, out.bytes, out.length, NULL) != PTXLINT_OK)
        code = complain_memory(messages);
    free(out.bytes);
    return code;
}

static bool is_same_number(const char *a, const char *b)
{
    size_t n = strcspn(a, "0123456789"), m = strcspn(b, "0123456789");
    size_t digits = strspn(a + n, "0123456789");
    return digits && strspn(b + m, "0123456789") == digits && !strncmp(a + n, b + m, digits);
}

/* sm_90a where that is the target and the GPU is an sm_90, so that the features of the target are
 * there. */
static const char *arch_for(const ptxlint_gpu *gpu, const char *target)
{
    const char *sm = ptxlint_gpu_get_info(gpu)->sm;
    return is_same_number(sm, target) ? target : sm;
}

/* Two products of one architecture need one run. */
static bool is_earlier(const ptxlint_module_info *info, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!strcmp(arch_for(info->gpus[i], info->target),
                    arch_for(info->gpus[index], info->target)))
            return true;
    return false;
}

static ExitCode translate_all(const char *program, const char *path, const char *file,
                              const ptxlint_module_info *info, ptxlint_ptxas *ptxas, Text *messages)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < info->gpu_count; i++)
        if (!is_earlier(info, i))
            code = exit_code_max(code,
                                 translate(program, path, file,
                                           arch_for(info->gpus[i], info->target), ptxas, messages));
    return code;
}

ExitCode ptx_ptxas_run(const char *program, const char *path, const ptxlint_module *module,
                       ptxlint_ptxas *ptxas, Text *messages)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    if (!info->gpu_count)
        return EXIT_CLEAN;              /* there is no figure that it could serve */
    bool is_copy = !is_regular(path);
    char *file = is_copy ? write_copy(info->text, info->length) : plain_name(path);
    if (!file && errno == ENOMEM)
        return complain_memory(messages);
    if (!file) {
        complain_error(messages, "a copy for ptxas", errno);
        return EXIT_INPUT;
    }
    ExitCode code = translate_all(program, path, file, info, ptxas, messages);
    if (is_copy)
        unlink(file);
    free(file);
    return code;
}
