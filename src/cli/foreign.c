/* Inputs that are links out of the source root: whoever made the tree chose where they lead. */
#include "cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_link(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* How much of the path is the root itself and the slashes behind it; 0: it is named otherwise. */
static size_t root_part(const char *path, const char *root, size_t length)
{
    if (!length || strncmp(root, path, length) != 0 || (path[length] != '/' && length > 1))
        return 0;
    return length + strspn(path + length, "/");
}

/* Behind the first bytes of the path one of its folders is a link, or it is one itself. */
static bool has_link(const char *path, size_t first)
{
    bool has = is_link(path);
    char *part = has ? NULL : strdup(path);
    char *slash = part ? strchr(part + first, '/') : NULL;
    for (; slash && !has; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        has = *part && is_link(part);
        *slash = '/';
    }
    free(part);
    return has;
}

bool ptx_leads_out(const char *path, const char *source_root)
{
    char root[PATH_MAX];
    size_t length = ptxlint_source_root(source_root, root, sizeof root);
    length = length < sizeof root ? length : 0;
    const size_t first = root_part(path, root, length);
    const bool is_named_inside = first || *path != '/';
    if (is_named_inside ? !has_link(path, first) : !is_link(path))
        return false;
    char *real = realpath(path, NULL);
    const bool is_out = real && !root_part(real, root, length);
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
    return ptx_leads_out(path, source_root) && !stat(path, &st) && S_ISREG(st.st_mode)
           && !begins_as_ptx(path);
}
