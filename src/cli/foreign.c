/* Inputs that are links out of the source root: whoever made the tree chose where they lead. */
#include "cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A path that cannot be followed is reported when it is opened. */
static bool leads_out(const char *path, const char *source_root)
{
    struct stat st;
    char root[PATH_MAX];
    if (lstat(path, &st) || !S_ISLNK(st.st_mode))
        return false;
    const size_t length = ptxlint_source_root(source_root, root, sizeof root);
    char *real = realpath(path, NULL);
    const bool is_below = real && length && length < sizeof root && !strncmp(root, real, length)
                          && (real[length] == '/' || length == 1);
    const bool is_out = real && !is_below;
    free(real);
    return is_out;
}

/* Behind blanks and one comment. NULL: there is none. */
static const char *past_comment(const char *at)
{
    at += strspn(at, " \t\r\n");
    const bool is_line = !strncmp(at, "//", 2);
    if (!is_line && strncmp(at, "/*", 2) != 0)
        return NULL;
    const char *close = is_line ? "\n" : "*/", *end = strstr(at + 2, close);
    return end ? end + strlen(close) : at + strlen(at);
}

static bool begins_as_ptx(const char *path)
{
    enum { HEAD_BYTES = 64 << 10 };
    char *head = calloc(1, HEAD_BYTES + 1);
    FILE *file = head ? fopen(path, "rb") : NULL;
    if (file) {
        (void)!fread(head, 1, HEAD_BYTES, file);
        fclose(file);
    }
    const char *at = head;
    for (const char *next = at; next; next = past_comment(at))
        at = next;
    const bool begins = at && !strncmp(at + strspn(at, " \t\r\n"), ".version", strlen(".version"));
    free(head);
    return begins;
}

bool ptx_is_foreign(const char *path, const char *source_root)
{
    struct stat st;
    return leads_out(path, source_root) && !stat(path, &st) && S_ISREG(st.st_mode)
           && !begins_as_ptx(path);
}
