/* no_memory.c -- put before a program by LD_PRELOAD: allocation number FAIL_AT of all its threads
 * fails, with FAIL_ON all later ones too; memory mapped for arenas is one of them. FAIL_COUNT: the
 * file that says how many there were. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* what glibc has behind them */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static atomic_ulong count;
static unsigned long at;
static bool goes_on;
static int to = -1;                     /* opened before a sandbox is entered */

__attribute__((constructor)) static void begin(void)
{
    const char *given = getenv("FAIL_AT");
    at = given ? strtoul(given, NULL, 10) : 0;
    goes_on = getenv("FAIL_ON") != NULL;
    const char *path = getenv("FAIL_COUNT");
    to = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    atomic_store(&count, 0);
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%lu", atomic_load(&count));
    if (to >= 0 && write(to, text, (size_t)length) != length)
        abort();
}

static bool fails(void)
{
    unsigned long number = atomic_fetch_add(&count, 1) + 1;
    if (!at || number < at || (number > at && !goes_on))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *mmap(void *where, size_t bytes, int rights, int flags, int file, off_t from)
{
    void *(*call)(void *, size_t, int, int, int, off_t);
    *(void **)&call = dlsym(RTLD_NEXT, "mmap");
    return file < 0 && fails() ? MAP_FAILED : call(where, bytes, rights, flags, file, from);
}
