/* diff_git.c -- both sides of a diff from commits: each is built in a worktree of its own.
 *
 * A child does the work, in a process group of its own with what it runs. The parent waits, hands
 * on the signals that would end it, and removes the worktrees however the child has ended. */
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- running git ----------------------------------------------------------------------------- */

/* Runs words; its standard output goes to file out, standard error too where is_quiet. The exit
 * status; -1: it cannot be started, with errno. */
static int run_words(const char *const *words, int out, bool is_quiet)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status, error;
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (is_quiet)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words,
                         environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    if (error)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What it prints, without the line end; NULL: it has failed. malloc'ed. */
static char *ask_git(const char *const *words)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = tmpfile();
    if (!file)
        return NULL;
    bool is_good = !run_words(words, fileno(file), true);
    rewind(file);
    ssize_t got = is_good ? getdelim(&text, &length, 0, file) : -1;
    if (is_good && got < 0) {           /* it prints nothing */
        free(text);
        text = strdup("");
        got = 0;
    }
    fclose(file);
    if (got > 0 && text[got - 1] == '\n')
        text[got - 1] = 0;
    if (is_good)
        return text;
    free(text);
    return NULL;
}

/* ---- which commits --------------------------------------------------------------------------- */

/* The nearest name of a branch or tag to a misspelt one, at most 2 edits away; "". */
static void find_near_ref(const char *name, char out[64])
{
    const char *const words[] = { "git", "for-each-ref", "--format=%(refname:short)", NULL };
    char *refs = ask_git(words), *rest = NULL;
    unsigned least = 3;
    out[0] = 0;
    for (char *ref = refs ? strtok_r(refs, "\n", &rest) : NULL; ref;
         ref = strtok_r(NULL, "\n", &rest)) {
        unsigned apart = ptx_word_distance(name, ref);
        if (apart < least && apart < strlen(ref)) {
            least = apart;
            snprintf(out, 64, "%.60s", ref);
        }
    }
    free(refs);
}

static char *find_commit(const char *name)
{
    char text[200], near[64], full[256];
    snprintf(full, sizeof full, "%.200s^{commit}", name);
    const char *const words[] = { "git", "rev-parse", "--verify", "--quiet", "--end-of-options",
                                  full, NULL };
    char *commit = ask_git(words);
    if (commit)
        return commit;
    find_near_ref(name, near);
    snprintf(text, sizeof text,
             *near ? "'%.80s' is no commit, branch or tag; did you mean %s?"
                   : "'%.80s' is no commit, branch or tag here",
             name, near);
    ptx_complain("--git", text);
    return NULL;
}

static ExitCode find_sides(GitSides *sides, const char *base)
{
    const char *const where[] = { "git", "rev-parse", "--show-prefix", NULL },
               *const changes[] = { "git", "status", "--porcelain", "--untracked-files=no", NULL };
    sides->prefix = ask_git(where);
    if (!sides->prefix) {
        ptx_complain("--git", "the working directory is in no git repository, or there is no git");
        return EXIT_USAGE;
    }
    sides->names[0] = base;
    sides->names[1] = "HEAD";
    for (int side = 0; side < 2; side++)
        if (!(sides->commits[side] = find_commit(sides->names[side])))
            return EXIT_USAGE;
    char *changed = ask_git(changes);
    if (changed && *changed)
        ptx_complain("--git", "HEAD is compared: changes that are not committed are not in it");
    free(changed);
    return EXIT_CLEAN;
}

/* ---- a side ---------------------------------------------------------------------------------- */

static void side_folder(const GitSides *sides, int side, Text *out)
{
    ptx_text_print(out, "%s/%s", sides->folder, side ? "new" : "base");
}

static ExitCode add_worktree(const GitSides *sides, int side, const char *folder)
{
    char text[200];
    const char *const words[] = { "git", "worktree", "add", "--quiet", "--detach", "--force",
                                  folder, sides->commits[side], NULL };
    int status = run_words(words, STDERR_FILENO, false);
    if (!status)
        return EXIT_CLEAN;
    snprintf(text, sizeof text, "no worktree of %.100s: `git worktree add` has failed",
             sides->names[side]);
    ptx_complain("--git", text);
    return EXIT_INPUT;
}

static ExitCode build_side(const GitSides *sides, int side, char **command)
{
    char text[400], room[100];
    int status = run_words((const char *const *)(uintptr_t)command, STDERR_FILENO, false);
    if (!status)
        return EXIT_CLEAN;
    if (status < 0)
        snprintf(text, sizeof text, "%.100s", ptx_error_text(errno, room, sizeof room));
    else
        snprintf(text, sizeof text, "has failed in %.100s (%.12s), with exit code %d",
                 sides->names[side], sides->commits[side], status);
    ptx_complain(command[0], text);
    return status < 0 ? EXIT_USAGE : EXIT_INPUT;
}

ExitCode ptx_git_enter(const GitSides *sides, int side)
{
    Text folder = { 0 };
    ExitCode code = EXIT_CLEAN;
    side_folder(sides, side, &folder);
    ptx_text_print(&folder, "/%s", sides->prefix);
    if (folder.has_failed || chdir(folder.bytes)) {
        ptx_complain(sides->prefix, strerror(errno));
        ptx_complain("--git", "the folder is not in that commit");
        code = EXIT_INPUT;
    }
    ptx_text_free(&folder);
    return code;
}

ExitCode ptx_git_build(const GitSides *sides, int side, char **command)
{
    Text folder = { 0 };
    side_folder(sides, side, &folder);
    ExitCode code = folder.has_failed ? ptx_complain_memory()
                                      : add_worktree(sides, side, folder.bytes);
    ptx_text_free(&folder);
    if (code == EXIT_CLEAN)
        code = ptx_git_enter(sides, side);
    return code == EXIT_CLEAN ? build_side(sides, side, command) : code;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)place;
    if (kind == FTW_DP || kind == FTW_DNR)
        rmdir(path);
    else
        unlink(path);
    return 0;
}

static void remove_worktrees(const GitSides *sides)
{
    enum { OPEN_FOLDERS = 32 };
    const char *const prune[] = { "git", "worktree", "prune", NULL };
    nftw(sides->folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    run_words(prune, STDERR_FILENO, true);
    struct stat st;
    if (!lstat(sides->folder, &st))
        ptx_complain(sides->folder, "cannot be removed whole");
}

/* Waits for the child, and hands signals on. *got: the last of these; 0. */
static int wait_for_child(pid_t child, const sigset_t *signals, int *got)
{
    for (int status = 0;;) {
        int number = sigwaitinfo(signals, NULL);
        if (number == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
            return status;
        if (number > 0 && number != SIGCHLD) {
            *got = number;
            kill(-child, number);
        }
    }
}

static ExitCode finish_child(const GitSides *sides, int status, int got)
{
    remove_worktrees(sides);
    if (got) {                          /* as if it had not been caught */
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, got);
        signal(got, SIG_DFL);
        raise(got);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
    return WIFEXITED(status) ? (ExitCode)WEXITSTATUS(status) : EXIT_INTERNAL;
}

static ExitCode run_child(const Options *options, GitSides *sides)
{
    sigset_t signals, before;
    int got = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    pid_t child = fork();
    if (child < 0) {
        ptx_complain("diff", strerror(errno));
        return finish_child(sides, EXIT_INTERNAL << 8, 0);
    }
    if (!child) {
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return ptx_diff_sides(options, sides);
    }
    setpgid(child, child);
    int status = wait_for_child(child, &signals, &got);
    return finish_child(sides, status, got);
}

ExitCode ptx_diff_git(const Options *options)
{
    GitSides sides = { 0 };
    const char *temporary = getenv("TMPDIR");
    ExitCode code = find_sides(&sides, options->git_base);
    Text folder = { 0 };
    ptx_text_print(&folder, "%s/ptxlint-diff.XXXXXX",
                   temporary && *temporary == '/' ? temporary : "/tmp");
    sides.folder = folder.bytes;
    if (code == EXIT_CLEAN && (folder.has_failed || !mkdtemp(folder.bytes))) {
        ptx_complain(ptx_text_or(folder.bytes, "diff"), strerror(errno));
        code = EXIT_INPUT;
    }
    if (code == EXIT_CLEAN)
        code = run_child(options, &sides);
    free(sides.prefix);
    free(sides.commits[0]);
    free(sides.commits[1]);
    ptx_text_free(&folder);
    return code;
}
