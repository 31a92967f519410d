/* installed.c -- files that ptxlint is installed with, and runs or hands on. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *try_installed(const char *folder, const char *tail, const char *name)
{
    char *inner = ptx_path_join(folder, tail), *path = inner ? ptx_path_join(inner, name) : NULL;
    free(inner);
    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *ptx_installed_find(const char *name)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *found = NULL;
    if (length > 0) {
        self[length] = 0;
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = 0;
        found = try_installed(self, ".", name);
        found = found ? found : try_installed(self, "../lib/ptxlint", name);
    }
    return found ? found : try_installed(PTX_LIBRARY_DIR, ".", name);
}
