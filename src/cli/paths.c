#include "cli/cli.h"
#include "support/choice.h"
#include "support/grow.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ExitCode ptx_strings_add(StringList *list, const char *text, size_t length)
{
    if (!ptx_list_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return ptx_complain_memory();
    char *copy = malloc(length + 1);
    if (!copy)
        return ptx_complain_memory();
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

/* ---- files and what they hold ---------------------------------------------------------------- */

/* file but for its path, of which there is a copy. */
static ExitCode add_file(FileList *list, const char *shown, InputFile file)
{
    if (!ptx_list_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return ptx_complain_memory();
    file.path = strdup(shown);
    if (!file.path)
        return ptx_complain_memory();
    list->items[list->count++] = file;
    return EXIT_CLEAN;
}

/* The list owns it from here on, in any case. */
static ExitCode add_entries(FileList *list, ptxlint_input *input)
{
    const ptxlint_input_info *info = ptxlint_input_get_info(input);
    const ptxlint_input_entry *entry;
    ExitCode code = EXIT_CLEAN;
    if (!ptx_list_reserve(&list->inputs, &list->input_capacity, list->input_count + 1,
                          sizeof *list->inputs)) {
        ptxlint_input_free(input);
        return ptx_complain_memory();
    }
    list->inputs[list->input_count++] = input;
    struct stat st;
    InputFile file = { .input = input };
    bool is_packed = stat(info->path, &st) == 0 && S_ISREG(st.st_mode);
    file.is_container = info->is_container || is_packed;
    for (; code == EXIT_CLEAN && (entry = ptxlint_input_at(input, file.index)); file.index++)
        code = add_file(list, entry->path, file);
    return code;
}

void ptx_files_free(FileList *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    for (size_t i = 0; i < list->input_count; i++)
        ptxlint_input_free(list->inputs[i]);
    free(list->items);
    free(list->inputs);
}

ptxlint_status ptx_file_module(const InputFile *file, const ptxlint_options *options,
                               ptxlint_module **out, Text *messages)
{
    char error[256];
    if (!file->input)
        return ptxlint_module_open(file->path, options, out);
    ptxlint_status status = ptxlint_input_module(file->input, file->index, options, out, error,
                                                 sizeof error);
    if (status == PTXLINT_BAD_FILE)
        ptx_complain_to(messages, file->path, error);
    return status;
}

static ExitCode complain_troubles(const char *path, const ptxlint_input *input)
{
    const char *trouble;
    char text[64];
    size_t count = ptxlint_input_get_info(input)->trouble_count, shown = 0;
    for (; (trouble = ptxlint_input_trouble(input, shown)); shown++)
        ptx_complain(path, trouble);
    if (count > shown) {
        snprintf(text, sizeof text, "%zu more places could not be read", count - shown);
        ptx_complain(path, text);
    }
    return count ? EXIT_INPUT : EXIT_CLEAN;
}

static ptxlint_status open_input(const Options *options, const char *path, ptxlint_input **out,
                                 char *error, size_t room)
{
    ptxlint_input_options with;
    ptxlint_input_options_init(&with);
    with.max_unpacked_bytes = options->max_unpacked_bytes;
    return ptxlint_input_open(path, &with, out, error, room);
}

ExitCode ptx_input_open(const Options *options, const char *path, ptxlint_input **out)
{
    char error[256];
    ptxlint_status status = open_input(options, path, out, error, sizeof error);
    if (status == PTXLINT_OK)
        return complain_troubles(path, *out);
    if (status != PTXLINT_BAD_FILE)
        return ptx_complain_status(path, status);
    ptx_complain(path, error);
    return EXIT_INPUT;
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
        const char *name = entries[i]->d_name;
        if (has_suffix(name, suffix))
            code = exit_code_max(code, ptx_strings_add(list, name, strlen(name)));
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* A walk over folders. */
typedef struct PathsWalk {
    FileList *list;
    Book *book;
    size_t excluded;            /* files and folders that the config keeps out */
    size_t without_ptx;         /* files with GPU code that is none */
} PathsWalk;

static ExitCode add_plain(PathsWalk *walk, const char *path)
{
    if (!ptx_is_foreign(path, walk->book->options->source_root))
        return add_file(walk->list, path, (InputFile){ .input = NULL });
    ptx_complain(path, "is a link out of the source root to what is no PTX");
    return EXIT_INPUT;
}

static ExitCode add_folder(PathsWalk *walk, const char *folder);

static bool is_packed_ptx(const char *name)
{
    static const char *const wanted[] = { ".ptx.gz", ".ptx.zst", ".ptx.xz", ".ndjson.gz" };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (has_suffix(name, wanted[i]))
            return true;
    return false;
}

/* What is packed and not called as PTX is no business of ours, and may be large. */
static bool may_hold_ptx(const char *name)
{
    static const char *const packed[] = { ".gz", ".zst", ".xz", ".tgz", ".txz" };
    if (is_packed_ptx(name))
        return true;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (has_suffix(name, packed[i]))
            return false;
    return true;
}

/* kernel.cubin where kernel.ptx lies beside it, as compilers leave them. */
static bool has_ptx_beside(const char *path)
{
    char beside[PATH_MAX];
    if (!has_suffix(path, ".cubin") || strlen(path) >= sizeof beside)
        return false;
    strcpy(beside, path);
    strcpy(beside + strlen(path) - strlen(".cubin"), ".ptx");
    return access(beside, F_OK) == 0;
}

/* A file below a folder that is not called .ptx: taken where its bytes say that it holds PTX. */
static ExitCode add_found_file(PathsWalk *walk, const char *path)
{
    ptxlint_input *input;
    char error[256];
    ptxlint_status status = open_input(walk->book->options, path, &input, error, sizeof error);
    if (status == PTXLINT_NO_MEMORY)
        return ptx_complain_memory();
    if (status == PTXLINT_BAD_FILE && is_packed_ptx(path))
        return ptx_complain(path, error), EXIT_INPUT;
    if (status != PTXLINT_OK)
        return EXIT_CLEAN;
    const ptxlint_input_info *info = ptxlint_input_get_info(input);
    ExitCode code = complain_troubles(path, input);
    if (info->entry_count && (info->is_container || is_packed_ptx(path)))
        return exit_code_max(code, add_entries(walk->list, input));
    bool has_code = info->cubin_count + info->lto_count + info->tile_ir_count > 0;
    walk->without_ptx += has_code && !has_ptx_beside(path);
    ptxlint_input_free(input);
    return code;
}

/* Links to files are followed; links to directories are not, so there are no cycles, and no file
 * comes twice. */
static ExitCode add_entry(PathsWalk *walk, const char *folder, const char *name)
{
    struct stat st;
    ExitCode code = EXIT_CLEAN;
    char *path = ptx_path_join(folder, name);
    if (!path)
        return ptx_complain_memory();
    bool is_folder = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
    bool is_regular = !is_folder && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    bool is_ptx = !is_folder && has_suffix(name, ".ptx") && (is_regular || stat(path, &st) != 0);
    bool is_other = is_regular && !is_ptx && may_hold_ptx(name);
    if ((is_folder || is_ptx || is_other) && ptx_book_excludes(walk->book, folder, name))
        walk->excluded += is_folder || is_ptx;
    else if (is_folder)
        code = add_folder(walk, path);
    else if (is_ptx)                    /* a dangling link is one, and unreadable */
        code = add_plain(walk, path);
    else if (is_other)
        code = add_found_file(walk, path);
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

/* A pipe that is called PTX: it is opened when it is its turn. */
static bool is_ptx_pipe(const char *path)
{
    struct stat st;
    return has_suffix(path, ".ptx") && stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* One that is not there is reported when it is opened. */
static ExitCode add_input(PathsWalk *walk, const char *path)
{
    ptxlint_input *input;
    char error[256];
    if (is_ptx_pipe(path))
        return add_plain(walk, path);
    ptxlint_status status = open_input(walk->book->options, path, &input, error, sizeof error);
    if (status == PTXLINT_NO_MEMORY)
        return ptx_complain_memory();
    if (status == PTXLINT_BAD_FILE)
        ptx_complain(path, error);
    if (status != PTXLINT_OK)
        return status == PTXLINT_BAD_FILE ? EXIT_INPUT : add_plain(walk, path);
    const ptxlint_input_info *info = ptxlint_input_get_info(input);
    ExitCode code = complain_troubles(path, input);
    if (info->entry_count && !info->is_plain)
        return exit_code_max(code, add_entries(walk->list, input));
    if (info->no_ptx)
        ptx_complain(path, info->no_ptx);
    code = exit_code_max(code, info->no_ptx ? EXIT_INPUT : add_plain(walk, path));
    ptxlint_input_free(input);
    return code;
}

static void tell_without_ptx(const PathsWalk *walk, const char *folder)
{
    char text[160];
    if (!walk->without_ptx || walk->book->options->is_quiet)
        return;
    snprintf(text, sizeof text,
             "%zu file%s here ha%s GPU code but no PTX; -gencode arch=compute_90,code=compute_90 "
             "adds it",
             walk->without_ptx, ptx_plural(walk->without_ptx), walk->without_ptx > 1 ? "ve" : "s");
    ptx_complain(folder, text);
}

static ExitCode add_named(PathsWalk *walk, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return add_input(walk, path);
    walk->without_ptx = 0;
    ExitCode code = add_folder(walk, path);
    tell_without_ptx(walk, path);
    return code;
}

/* Folder by folder: ** stands for any number of folders that are not hidden, at the end for all
 * that is below. */
static bool fits_folders(const char *pattern, const char *path)
{
    size_t length = strcspn(path, "/"), piece = strcspn(pattern, "/");
    bool is_any = piece == 2 && !memcmp(pattern, "**", 2), is_last = !path[length];
    char name[NAME_MAX + 1], wanted[NAME_MAX + 1];
    if (length > NAME_MAX || piece > NAME_MAX)
        return false;
    if (is_any && (!pattern[piece] || fits_folders(pattern + piece + 1, path)))
        return *path != '.';
    if (is_any)
        return !is_last && *path != '.' && fits_folders(pattern, path + length + 1);
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    snprintf(wanted, sizeof wanted, "%.*s", (int)piece, pattern);
    if (fnmatch(wanted, name, FNM_PERIOD) != 0 || is_last != !pattern[piece])
        return false;
    return is_last || fits_folders(pattern + piece + 1, path + length + 1);
}

static ExitCode add_fitting(PathsWalk *walk, const char *pattern, const char *folder);

/* shown: as the pattern would have it, without a "./" that it does not begin with. */
static ExitCode add_fitting_entry(PathsWalk *walk, const char *pattern, const char *folder,
                                  const char *name)
{
    struct stat st;
    ExitCode code = EXIT_CLEAN;
    char *path = *folder ? ptx_path_join(folder, name) : strdup(name);
    if (!path)
        return ptx_complain_memory();
    bool is_folder = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
    bool is_excluded = ptx_book_excludes(walk->book, *folder ? folder : ".", name);
    if (is_folder && *name != '.' && !is_excluded)
        code = add_fitting(walk, pattern, path);
    else if (!is_folder && fits_folders(pattern, path) && stat(path, &st) == 0
             && S_ISREG(st.st_mode)) {
        if (is_excluded)
            walk->excluded++;
        else
            code = has_suffix(name, ".ptx") ? add_plain(walk, path)
                                            : add_found_file(walk, path);
    }
    free(path);
    return code;
}

/* What is below folder ("": the working directory) and fits, in order of name. */
static ExitCode add_fitting(PathsWalk *walk, const char *pattern, const char *folder)
{
    struct dirent **entries;
    ExitCode code = EXIT_CLEAN;
    int count = scandir(*folder ? folder : ".", &entries, is_visible, compare_names);
    if (count < 0) {
        ptx_complain(folder, strerror(errno));
        return EXIT_INPUT;
    }
    for (int i = 0; i < count; i++) {
        code = exit_code_max(code, add_fitting_entry(walk, pattern, folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return code;
}

static bool has_any_folders(const char *pattern)
{
    const char *at = strstr(pattern, "**");
    return at && (at == pattern || at[-1] == '/') && (!at[2] || at[2] == '/');
}

/* From the last folder on that is called by its name. */
static ExitCode add_deep_pattern(PathsWalk *walk, const char *pattern)
{
    struct stat st;
    size_t plain = strcspn(pattern, "*?[");
    while (plain && pattern[plain - 1] != '/')
        plain--;
    char *folder = strndup(pattern, plain > 1 ? plain - 1 : plain);
    if (!folder)
        return ptx_complain_memory();
    bool is_there = !*folder || (stat(folder, &st) == 0 && S_ISDIR(st.st_mode));
    ExitCode code = is_there ? add_fitting(walk, pattern, folder) : EXIT_CLEAN;
    free(folder);
    return code;
}

static ExitCode add_pattern(PathsWalk *walk, const char *pattern)
{
    glob_t found;
    if (has_any_folders(pattern))
        return add_deep_pattern(walk, pattern);
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
        return ptx_complain_memory();
    }
}

/* XLA names what it dumps so, with or without PTX. */
static bool is_xla_dump(const char *folder)
{
    StringList names = { 0 };
    bool is_dump = ptx_folder_list(&names, folder, ".thunk_sequence.txt") == EXIT_CLEAN
                   && names.count;
    ptx_strings_free(&names);
    return is_dump;
}

/* Why a PATH stands for no file. */
static const char *nothing_there(const PathsWalk *walk, const char *path, bool is_pattern)
{
    if (walk->excluded)
        return "holds no .ptx file that the config does not exclude";
    if (is_pattern)
        return "matches no PTX file";
    if (is_xla_dump(path))
        return "is an XLA dump without PTX; add --xla_dump_emitter_re=.* to XLA_FLAGS";
    return "holds no .ptx file";
}

ExitCode ptx_paths_add(FileList *list, const char *path, Book *book)
{
    struct stat st;
    size_t before = list->count;
    PathsWalk walk = { .list = list, .book = book };
    bool is_pattern = strpbrk(path, "*?[") && lstat(path, &st) != 0;
    ExitCode code = is_pattern ? add_pattern(&walk, path) : add_named(&walk, path);
    if (code == EXIT_CLEAN && list->count == before) {
        ptx_complain(path, nothing_there(&walk, path, is_pattern));
        return EXIT_USAGE;
    }
    return code;
}
