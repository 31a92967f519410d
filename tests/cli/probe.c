/* probe.c -- put before a program by LD_PRELOAD: when it opens a file whose name has "trigger" in
 * it, what it could still do is tried, and a line about it goes to file PROBE_TO, which is open:
 * "read write run connect", each 1 or 0. PROBE_AT: a folder that the program has no business in,
 * with a file `secret`. */
#undef _FILE_OFFSET_BITS             /* which makes open of open64 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*OpenFunction)(const char *, int, ...);
typedef FILE *(*OpenFileFunction)(const char *, const char *);

static bool can_open(const char *name, int flags)
{
    char path[4096];
    OpenFunction real_open = (OpenFunction)dlsym(RTLD_NEXT, "open");
    snprintf(path, sizeof path, "%s/%s", getenv("PROBE_AT"), name);
    int file = real_open(path, flags, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool can_run(void)
{
    pid_t child;
    char *words[] = { (char[]){ "true" }, NULL }, *nothing[] = { NULL };
    bool is_run = !posix_spawn(&child, "/bin/true", NULL, NULL, words, nothing);
    if (is_run)
        waitpid(child, NULL, 0);
    return is_run;
}

static bool can_connect(void)
{
    const struct sockaddr_in nobody = { .sin_family = AF_INET, .sin_port = htons(9),
                                        .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int wire = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_denied = wire >= 0 && connect(wire, (const struct sockaddr *)&nobody, sizeof nobody)
                     && errno == EACCES;
    close(wire);
    return !is_denied;
}

static void probe(const char *path)
{
    const char *to = getenv("PROBE_TO");
    const int before = errno;
    if (!to || !path || !strstr(path, "trigger"))
        return;
    dprintf(atoi(to), "%d %d %d %d\n", can_open("secret", O_RDONLY),
            can_open("made", O_WRONLY | O_CREAT), can_run(), can_connect());
    errno = before;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    if (!(flags & O_PATH))              /* the sandbox names what may be read */
        probe(path);
    return ((OpenFunction)dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    return open(path, flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
    probe(path);
    return ((OpenFileFunction)dlsym(RTLD_NEXT, "fopen"))(path, how);
}

FILE *fopen64(const char *path, const char *how)
{
    return fopen(path, how);
}
