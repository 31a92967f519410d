/* sandbox.c -- what the program gives up before it reads files that strangers may have sent: by
 * Landlock, where the kernel has it, writing anywhere but to what was asked for, reading outside of
 * the folders of its inputs and the source root, running programs, and the network.
 *
 * Options, configs and rules are read before. Reading is given up in a second step, once the inputs
 * are found. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* what sanitizers and coverage do at the end is not for it */
#if !defined WITHOUT_SANDBOX && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

/* Rights that came after the first version, and in which (linux/landlock.h may be older than the
 * kernel). */
#define ACCESS_TRUNCATE (1ULL << 14)    /* 3 */
#define NET_BIND_CONNECT 3ULL           /* 4 */

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITING                                                                                    \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR                                 \
     | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR \
     | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO   \
     | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
/* To make a file and to put it into its place. */
#define PLACING                                                                                    \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR  \
     | LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_TRUNCATE | READING)

/* linux/landlock.h has the first member only. */
typedef struct RulesetAttributes {
    uint64_t files, network;
} RulesetAttributes;

typedef struct Sandbox {
    int ruleset;
    uint64_t handled;           /* rights to files that are lost but where a rule gives them */
} Sandbox;

static int begin_ruleset(Sandbox *sandbox, bool has_programs, bool reads_anywhere)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return -1;
    sandbox->handled = WRITING | (version >= 3 ? ACCESS_TRUNCATE : 0);
    if (!has_programs)
        sandbox->handled |= LANDLOCK_ACCESS_FS_EXECUTE;
    if (!reads_anywhere)
        sandbox->handled |= READING;
    RulesetAttributes attributes = { sandbox->handled,
                                     version >= 4 && !has_programs ? NET_BIND_CONNECT : 0 };
    size_t size = version >= 4 ? sizeof attributes : sizeof attributes.files;
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
}

/* A path that is not there needs no right. */
static bool sandbox_allow(const Sandbox *sandbox, const char *path, uint64_t rights)
{
    enum { FOR_FILES = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE };
    struct stat st;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    if (fstat(file, &st) == 0 && !S_ISDIR(st.st_mode))
        rights &= FOR_FILES | ACCESS_TRUNCATE;
    struct landlock_path_beneath_attr rule = { .allowed_access = rights & sandbox->handled,
                                               .parent_fd = file };
    bool is_good = !rule.allowed_access
                   || !syscall(SYS_landlock_add_rule, sandbox->ruleset,
                               LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(file);
    return is_good;
}

/* The folder that a file is, or will be, in: of a link, that of what it leads to. */
static bool allow_folder(const Sandbox *sandbox, const char *path, uint64_t rights)
{
    if (!strcmp(path, "-"))
        return true;
    char *real = realpath(path, NULL), *name = real ? real : strdup(path);
    bool is_good = name && sandbox_allow(sandbox, dirname(name), rights);
    free(name);
    return is_good;
}

/* Links of a build system lead anywhere, also those of files beside. */
static bool has_links(const FileList *files)
{
    struct stat st;
    for (size_t i = 0; i < files->count; i++)
        if (!lstat(files->items[i].path, &st) && S_ISLNK(st.st_mode))
            return true;
    return false;
}

static bool allow_sources(const Sandbox *sandbox, const Options *options)
{
    char root[PATH_MAX];
    size_t length = ptxlint_source_root(options->source_root, root, sizeof root);
    return !length || length >= sizeof root || sandbox_allow(sandbox, root, READING);
}

static bool allow_inputs(const Sandbox *sandbox, const Options *options, const FileList *files)
{
    uint64_t rights = options->has_fix && !options->has_diff ? PLACING : READING;
    bool is_good = true;
    for (size_t i = 0; i < files->count && is_good; i++) {
        const char *path = files->items[i].path;
        if (!i || strcmp(path, files->items[i - 1].path))
            is_good = allow_folder(sandbox, path, rights);
    }
    for (size_t i = 0; i < files->input_count && is_good; i++)
        is_good = allow_folder(sandbox, ptxlint_input_get_info(files->inputs[i])->path, rights);
    return is_good;
}

static bool allow_outputs(const Sandbox *sandbox, const Options *options, const Gates *gates)
{
    bool is_good = !options->cache_path || sandbox_allow(sandbox, options->cache_path, PLACING);
    const bool is_folder = options->command == COMMAND_EXTRACT;     /* needs->written */
    for (size_t i = 0; i < options->output_count && is_good; i++)
        if (options->outputs[i].path && !is_folder)
            is_good = allow_folder(sandbox, options->outputs[i].path, PLACING);
    for (size_t i = 0; gates && i < gates->baseline_count && is_good; i++)
        if (options->command == COMMAND_BASELINE)
            is_good = allow_folder(sandbox, ptx_gates_path(gates, i), PLACING);
    return is_good;
}

/* ptxas reads its input from a file there. */
static bool allow_temporary(const Sandbox *sandbox)
{
    const char *folder = getenv("TMPDIR");
    return sandbox_allow(sandbox, folder && *folder ? folder : "/tmp", PLACING)
           && sandbox_allow(sandbox, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
}

static bool allow_needs(const Sandbox *sandbox, const Options *options, const SandboxNeeds *needs)
{
    bool is_good = allow_sources(sandbox, options) && allow_outputs(sandbox, options, needs->gates);
    for (int i = 0; i < 2 && is_good; i++)
        is_good = !needs->files[i] || allow_inputs(sandbox, options, needs->files[i]);
    if (needs->read && is_good)
        is_good = sandbox_allow(sandbox, needs->read, READING);
    if (needs->written && is_good)
        is_good = sandbox_allow(sandbox, needs->written, PLACING);
    return is_good && (!options->ptxas || allow_temporary(sandbox));
}

/* True also where the kernel has none, or the caller has forbidden it. */
static bool enter_needs(const Options *options, const SandboxNeeds *needs)
{
    Sandbox sandbox = { 0 };
    bool reads_anywhere = options->ptxas || needs->reads_anywhere
                          || (needs->files[0] && has_links(needs->files[0]))
                          || (needs->files[1] && has_links(needs->files[1]));
    sandbox.ruleset = begin_ruleset(&sandbox, options->ptxas, reads_anywhere);
    if (sandbox.ruleset < 0)
        return true;
    bool is_good = allow_needs(&sandbox, options, needs)
                   && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                   && !syscall(SYS_landlock_restrict_self, sandbox.ruleset, 0);
    close(sandbox.ruleset);
    return is_good;
}

ExitCode ptx_sandbox_enter(const Options *options, const SandboxNeeds *needs)
{
    if (options->has_no_sandbox || enter_needs(options, needs))
        return EXIT_CLEAN;
    ptx_complain(NULL, "the sandbox cannot be set up; --no-sandbox does without");
    return EXIT_INTERNAL;
}

#else
ExitCode ptx_sandbox_enter(const Options *options, const SandboxNeeds *needs)
{
    (void)options, (void)needs;
    return EXIT_CLEAN;
}
#endif
