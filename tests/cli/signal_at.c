/* signal_at.c -- put before a program by LD_PRELOAD: around each call that changes files it may be
 * interrupted. SIGNAL_AT: at which of these places, from 1, before or behind a call, it gets signal
 * SIGNAL; SIGNAL_COUNT: the file that says how many there were. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_ulong count;
static unsigned long at;
static int number, to = -1;             /* opened before a sandbox is entered */

static unsigned long given(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

/* Programs that this one runs are left alone. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SIGNAL_COUNT");
    at = given("SIGNAL_AT");
    number = (int)given("SIGNAL");
    to = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    unsetenv("LD_PRELOAD");
    atomic_store(&count, 0);
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%lu", atomic_load(&count));
    if (to >= 0 && dprintf(to, "%s", text) != length)
        abort();
}

static void pass(void)
{
    if (atomic_fetch_add(&count, 1) + 1 == at)
        raise(number);
}

#define CALL(type, name, parameters, arguments) \
    type name parameters                        \
    {                                           \
        type(*call) parameters;                 \
        *(void **)&call = dlsym(RTLD_NEXT, #name); \
        pass();                                 \
        type result = call arguments;           \
        pass();                                 \
        return result;                          \
    }

CALL(ssize_t, write, (int handle, const void *bytes, size_t length), (handle, bytes, length))
CALL(int, mkstemp, (char *name), (name))
CALL(char *, mkdtemp, (char *name), (name))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(int, fchmod, (int handle, mode_t mode), (handle, mode))
CALL(int, fchown, (int handle, uid_t user, gid_t group), (handle, user, group))
CALL(int, close, (int handle), (handle))
CALL(int, rename, (const char *from, const char *path), (from, path))
CALL(int, link, (const char *from, const char *path), (from, path))
CALL(int, unlink, (const char *path), (path))
CALL(int, rmdir, (const char *path), (path))
