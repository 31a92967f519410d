/* beside.c -- files that are written beside their place and put there whole, so that a run that
 * fails or is interrupted leaves what was there. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- signals --------------------------------------------------------------------------------- */

enum { SLOTS = 64 };            /* files that a signal can find at a time */

typedef enum SlotState { SLOT_FREE, SLOT_FILLED, SLOT_SET } SlotState;

static struct {
    atomic_int state;
    char name[PATH_MAX];
} slots[SLOTS];
static atomic_uint next_slot;

/* A thread that a signal comes to waits for files that others are making, and none is begun. */
static atomic_bool is_leaving;
static atomic_int making;
static _Thread_local int own_making;

static const char pattern_end[] = ".XXXXXX";

/* Whether mkstemp has chosen a name: a file that is called like the pattern is not ours. */
static bool is_chosen(const char *name)
{
    return strcmp(name + strlen(name) - strlen(pattern_end), pattern_end) != 0;
}

void ptx_beside_unlink_all(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].state) == SLOT_SET && is_chosen(slots[i].name))
            unlink(slots[i].name);
}

/* As if it had not been caught, but for the files. */
static void leave(int number)
{
    atomic_store(&is_leaving, true);
    while (atomic_load(&making) > own_making)
        sched_yield();
    ptx_beside_unlink_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* What the caller ignores, as nohup does, stays ignored. */
static void catch_signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction before, leaving = { .sa_handler = leave, .sa_flags = SA_NODEFER };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &leaving, NULL);
}

/* For a file that is not there yet, so that no signal comes between: its name is chosen in the
 * slot. */
static int take_slot(const char *pattern)
{
    unsigned at = atomic_fetch_add(&next_slot, 1) % SLOTS;
    int free_state = SLOT_FREE;
    if (strlen(pattern) >= PATH_MAX
        || !atomic_compare_exchange_strong(&slots[at].state, &free_state, SLOT_FILLED))
        return -1;
    strcpy(slots[at].name, pattern);
    atomic_store(&slots[at].state, SLOT_SET);
    catch_signals();
    return (int)at;
}

static void leave_slot(const Beside *beside)
{
    if (beside->slot >= 0)
        atomic_store(&slots[beside->slot].state, SLOT_FREE);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The mode and, where that is allowed, the owner of the file that is there; else those of any new
 * file. */
static bool take_mode(int handle, const char *path)
{
    struct stat status;
    if (!stat(path, &status))
        return (!fchown(handle, status.st_uid, status.st_gid) || errno == EPERM)
               && !fchmod(handle, status.st_mode & 07777);
    mode_t mask = umask(0);
    umask(mask);
    return !fchmod(handle, 0666 & ~mask);
}

/* A handle, as of mkstemp; the name of the file is known to a signal, wherever it comes. */
static int make_file(char *name)
{
    own_making = 1;
    atomic_fetch_add(&making, 1);
    const int handle = atomic_load(&is_leaving) ? -1 : mkstemp(name);
    const int error = handle < 0 && atomic_load(&is_leaving) ? EINTR : errno;
    atomic_fetch_sub(&making, 1);
    own_making = 0;
    errno = error;
    return handle;
}

static void make_beside(Beside *beside)
{
    beside->slot = take_slot(beside->name);
    char *const name = beside->slot >= 0 ? slots[beside->slot].name : beside->name;
    beside->handle = make_file(name);
    beside->is_there = beside->handle >= 0;
    if (name != beside->name)
        strcpy(beside->name, name);
}

bool ptx_beside_open(Beside *beside, const char *path, bool is_followed)
{
    Text name = { 0 };
    *beside = (Beside){ .handle = -1, .slot = -1 };
    beside->path = is_followed ? realpath(path, NULL) : strdup(path);
    if (!beside->path && is_followed && errno == ENOENT)
        beside->path = strdup(path);
    ptx_text_print(&name, "%s%s", beside->path ? beside->path : "", pattern_end);
    if (!beside->path || name.has_failed) {
        ptx_text_free(&name);
        ptx_beside_drop(beside);
        return false;
    }
    beside->name = name.bytes;
    make_beside(beside);
    if (beside->is_there && !fcntl(beside->handle, F_SETFD, FD_CLOEXEC)
        && take_mode(beside->handle, beside->path))
        return true;
    ptx_beside_drop(beside);
    return false;
}

bool ptx_handle_write(int handle, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(handle, bytes, length);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

/* Ends the writing. */
static bool close_beside(Beside *beside)
{
    int handle = beside->handle;
    beside->handle = -1;
    return !close(handle);
}

void ptx_beside_drop(Beside *beside)
{
    int error = errno;
    if (beside->handle >= 0)
        close_beside(beside);
    if (beside->is_there)
        unlink(beside->name);
    leave_slot(beside);
    free(beside->path);
    free(beside->name);
    *beside = (Beside){ .handle = -1, .slot = -1 };
    errno = error;
}

static bool move_there(Beside *beside, int (*move)(const char *, const char *))
{
    bool is_good = (beside->handle < 0 || close_beside(beside))
                   && !move(beside->name, beside->path);
    beside->is_there = !is_good || move == link;
    ptx_beside_drop(beside);
    return is_good;
}

bool ptx_beside_place(Beside *beside)
{
    return move_there(beside, rename);
}

bool ptx_beside_place_new(Beside *beside)
{
    return move_there(beside, link);
}
