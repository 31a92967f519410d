#include "support/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder ------------------------------------------------------------------------------ */

static bool holds_name(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    struct stat st;
    size_t length = strlen(folder), extra = strlen(name) + 2;
    if (length + extra > sizeof path)
        return false;
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, name, extra - 1);
    return stat(path, &st) == 0;
}

/* Cuts folder, an absolute path, to the nearest one from it upward with that name in it. False:
 * there is none. */
static bool cut_to(char *folder, const char *name)
{
    while (!holds_name(folder, name)) {
        char *slash = strrchr(folder, '/');
        if (!slash || !folder[1])
            return false;
        slash[slash == folder] = '\0';
    }
    return true;
}

static char *find_upward(const char *here, bool *has_memory)
{
    static const char *const names[] = { ".git", ".ptxlint.yaml" };
    char *folder = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        free(folder);
        folder = strdup(here);
        if (folder && cut_to(folder, names[i]))
            return folder;
    }
    free(folder);
    folder = strdup(here);
    *has_memory = folder != NULL;
    return folder;
}

char *ptx_source_root_find(const char *given, bool *has_memory)
{
    char *real = realpath(given ? given : ".", NULL);
    struct stat st;
    *has_memory = real || errno != ENOMEM;
    if (real && given && (stat(real, &st) || !S_ISDIR(st.st_mode))) {
        free(real);
        return NULL;
    }
    if (!real || given)
        return real;
    char *folder = find_upward(real, has_memory);
    free(real);
    return folder;
}

/* ---- files ----------------------------------------------------------------------------------- */

char *ptx_source_path_join(const char *beside, const char *path)
{
    const char *slash = beside && *path != '/' ? strrchr(beside, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - beside) + 1 : 0, length = strlen(path);
    char *joined = malloc(folder + length + 1);
    if (!joined)
        return NULL;
    if (folder)
        memcpy(joined, beside, folder);
    memcpy(joined + folder, path, length + 1);
    return joined;
}

static bool is_below_root(const char *root, const char *real)
{
    size_t length = strlen(root);
    return !strncmp(root, real, length) && (real[length] == '/' || length == 1);
}

/* The path has no link in it, and none may come in between. -1: it is not one to be read. */
static int open_below(const char *root, const char *path, bool *has_memory)
{
    char *real = realpath(path, NULL);
    int fd = -1;
    *has_memory = real || errno != ENOMEM;
    if (real && is_below_root(root, real))
        fd = open(real, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
    free(real);
    return fd;
}

static size_t read_whole(int fd, char *bytes, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t got = read(fd, bytes + length, size - length);
        if (got > 0)
            length += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    return length;
}

bool ptx_source_file_read(const char *root, const char *path, size_t max_bytes, char **bytes,
                          size_t *length)
{
    bool has_memory;
    struct stat st;
    int fd = open_below(root, path, &has_memory);
    *bytes = NULL;
    if (fd < 0)
        return has_memory;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0
        && (uintmax_t)st.st_size <= max_bytes) {
        *bytes = malloc((size_t)st.st_size + 1);
        has_memory = *bytes != NULL;
        *length = *bytes ? read_whole(fd, *bytes, (size_t)st.st_size) : 0;
        if (*bytes)
            (*bytes)[*length] = '\0';
    }
    close(fd);
    return has_memory;
}
