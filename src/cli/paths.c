#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static ExitCode complain_memory(void)
{
    ptx_complain(NULL, "no memory");
    return EXIT_INTERNAL;
}

ExitCode ptx_strings_add(StringList *list, const char *text, size_t length)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        char **grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown)
            return complain_memory();
        list->items = grown;
        list->capacity = capacity;
    }
    char *copy = malloc(length + 1);
    if (!copy)
        return complain_memory();
    memcpy(copy, text, length);
    copy[length] = 0;
    list->items[list->count++] = copy;
    return EXIT_CLEAN;
}

void ptx_strings_free(StringList *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

static ExitCode add_item(StringList *list, const char *path)
{
    return ptx_strings_add(list, path, strlen(path));
}

/* ---- directories ----------------------------------------------------------------------------- */

static int is_visible(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char *ptx_path_join(const char *folder, const char *name)
{
    size_t length = strlen(folder), room = length + strlen(name) + 2;
    char *path = malloc(room);
    if (!path)
        return NULL;
    memcpy(path, folder, length);
    if (length && folder[length - 1] != '/')
        path[length++] = '/';
    strcpy(path + length, name);
    return path;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix);
}

ExitCode ptx_folder_list(StringList *list, const char *folder, const char *suffix)
{
    struct dirent **entries;
    ExitCode code = EXIT_CLEAN;
    int count = scandir(folder, &entries, is_visible, compare_names);
    if (count < 0) {
        ptx_complain(folder, strerror(errno));
        return EXIT_INPUT;
    }
    for (int i = 0; i < count; i++) {
        if (has_suffix(entries[i]->d_name, suffix))
            code = exit_code_max(code, add_item(list, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* A walk over folders. */
typedef struct PathsWalk {
    StringList *list;
    Book *book;
    size_t excluded;            /* files and folders that the config keeps out */
} PathsWalk;

static ExitCode add_folder(PathsWalk *walk, const char *folder);

/* Links to files are followed; links to directories are not, so there are no cycles, and no file
 * comes twice. */
static ExitCode add_entry(PathsWalk *walk, const char *folder, const char *name)
{
    struct stat st;
    ExitCode code = EXIT_CLEAN;
    char *path = ptx_path_join(folder, name);
    if (!path)
        return complain_memory();
    bool is_folder = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
    bool is_file = !is_folder && has_suffix(name, ".ptx")
                   && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
    if ((is_folder || is_file) && ptx_book_excludes(walk->book, folder, name))
        walk->excluded++;
    else if (is_folder)
        code = add_folder(walk, path);
    else if (is_file)                   /* a dangling link is one, and unreadable */
        code = add_item(walk->list, path);
    free(path);
    return code;
}

/* The depth is bounded by the system: a path of more than PATH_MAX bytes cannot be opened. */
static ExitCode add_folder(PathsWalk *walk, const char *folder)
{
    struct dirent **entries;
    ExitCode code = EXIT_CLEAN;
    int count = scandir(folder, &entries, is_visible, compare_names);
    if (count < 0) {
        ptx_complain(folder, strerror(errno));
        return EXIT_INPUT;
    }
    for (int i = 0; i < count; i++) {
        code = exit_code_max(code, add_entry(walk, folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static ExitCode add_named(PathsWalk *walk, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return add_folder(walk, path);
    return add_item(walk->list, path);  /* one that is not there is reported when it is opened */
}

static ExitCode add_pattern(PathsWalk *walk, const char *pattern)
{
    glob_t found;
    ExitCode code = EXIT_CLEAN;
    switch (glob(pattern, 0, NULL, &found)) {
    case 0:
        for (size_t i = 0; i < found.gl_pathc; i++)
            code = exit_code_max(code, add_named(walk, found.gl_pathv[i]));
        globfree(&found);
        return code;
    case GLOB_NOMATCH:
        return EXIT_CLEAN;
    default:
        return complain_memory();
    }
}

ExitCode ptx_paths_add(StringList *list, const char *path, Book *book)
{
    struct stat st;
    size_t before = list->count;
    PathsWalk walk = { .list = list, .book = book };
    bool is_pattern = strpbrk(path, "*?[") && lstat(path, &st) != 0;
    if (!strcmp(path, "-"))
        return add_item(list, path);
    ExitCode code = is_pattern ? add_pattern(&walk, path) : add_named(&walk, path);
    if (code == EXIT_CLEAN && list->count == before) {
        const char *trouble = is_pattern ? "matches no PTX file" : "holds no .ptx file";
        if (walk.excluded)
            trouble = "holds no .ptx file that the config does not exclude";
        ptx_complain(path, trouble);
        return EXIT_USAGE;
    }
    return code;
}
