/* extract.c -- the PTX of a container as files. Their names are made here: nothing in the container
 * says where anything is written. */
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Extraction {
    const Options *options;
    const ptxlint_input *input;
    const char *folder;
    char base[128];             /* what names begin with */
    Text out;                   /* what is printed in the end */
} Extraction;

/* ---- names ----------------------------------------------------------------------------------- */

static bool drop_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    bool has_it = length > tail && !strcmp(name + length - tail, suffix);
    if (has_it)
        name[length - tail] = 0;
    return has_it;
}

/* The name of the file without its folder, in letters that are harmless anywhere. */
static void make_base(Extraction *e)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
    const ptxlint_input_info *info = ptxlint_input_get_info(e->input);
    const char *slash = strrchr(info->path, '/'), *name = slash ? slash + 1 : info->path;
    snprintf(e->base, sizeof e->base, "%s", strcmp(info->path, "-") ? name : "stdin");
    for (char *at = e->base; *at; at++)
        if (!strchr(plain, *at) || (at == e->base && strchr(".-", *at)))
            *at = '_';
    if (!info->is_container) {          /* kernel.ptx.gz: what is written is kernel.ptx */
        bool is_packed = drop_suffix(e->base, ".gz") || drop_suffix(e->base, ".zst")
                         || drop_suffix(e->base, ".xz");
        (void)is_packed;
        drop_suffix(e->base, ".ptx");
    }
}

static char *name_of(const Extraction *e, const ptxlint_input_entry *entry)
{
    char name[256];
    snprintf(name, sizeof name, "%s.%s", e->base, *entry->name ? entry->name : "ptx");
    return ptx_path_join(e->folder, name);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_stream(void *context, const char *bytes, size_t length)
{
    FILE *file = context;
    return length && fwrite(bytes, length, 1, file) != 1;
}

static ExitCode complain_entry(const char *path, ptxlint_status status, const char *why)
{
    if (status != PTXLINT_BAD_FILE)
        return ptx_complain_status(path, status == PTXLINT_WRITE ? PTXLINT_IO : status);
    ptx_complain(path, why);
    return EXIT_INPUT;
}

static ExitCode fill_file(const Extraction *e, size_t index, const char *path, Beside *beside)
{
    char why[256] = "";
    FILE *file = fdopen(beside->handle, "wb");
    if (!file)
        return ptx_complain_status(path, PTXLINT_IO);
    beside->handle = -1;
    ptxlint_status status = ptxlint_input_text(e->input, index, write_stream, file, why,
                                               sizeof why);
    if (fclose(file) && status == PTXLINT_OK)
        status = PTXLINT_WRITE;
    const char *subject = status == PTXLINT_BAD_FILE ? ptxlint_input_at(e->input, index)->path
                                                     : path;
    return status == PTXLINT_OK ? EXIT_CLEAN : complain_entry(subject, status, why);
}

static ExitCode complain_unplaced(const char *path)
{
    if (errno != EEXIST)
        return ptx_complain_status(path, PTXLINT_IO);
    ptx_complain(path, "is there already; --force replaces it");
    return EXIT_USAGE;
}

/* A link is replaced, not followed. */
static ExitCode write_out(const Extraction *e, size_t index, const char *path)
{
    Beside beside;
    bool is_forced = e->options->is_forced;
    if (!is_forced && !access(path, F_OK)) {
        errno = EEXIST;
        return complain_unplaced(path);
    }
    if (!ptx_beside_open(&beside, path, false))
        return ptx_complain_status(path, PTXLINT_IO);
    ExitCode code = fill_file(e, index, path, &beside);
    if (code != EXIT_CLEAN)
        ptx_beside_drop(&beside);
    else if (is_forced ? !ptx_beside_place(&beside) : !ptx_beside_place_new(&beside))
        code = complain_unplaced(path);
    return code;
}

static ExitCode write_entry(Extraction *e, size_t index)
{
    char *path = name_of(e, ptxlint_input_at(e->input, index));
    if (!path)
        return ptx_complain_memory();
    ExitCode code = write_out(e, index, path);
    if (code == EXIT_CLEAN)
        ptx_text_print(&e->out, "%s\n", path);
    free(path);
    return code;
}

/* The folder may be there, and one is made where it is not. */
static ExitCode make_folder(const Extraction *e)
{
    struct stat st;
    if (!stat(e->folder, &st) && S_ISDIR(st.st_mode))
        return EXIT_CLEAN;
    return mkdir(e->folder, 0777) ? ptx_complain_status(e->folder, PTXLINT_IO) : EXIT_CLEAN;
}

/* What cannot be unpacked does not keep the rest from being written; what is there already does. */
static ExitCode write_entries(Extraction *e)
{
    ExitCode code = make_folder(e);
    size_t count = code == EXIT_CLEAN ? ptxlint_input_get_info(e->input)->entry_count : 0;
    for (size_t i = 0; i < count && code < EXIT_INTERNAL; i++)
        code = exit_code_max(code, write_entry(e, i));
    return code;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void list_entry(Text *out, const ptxlint_input_entry *entry)
{
    char version[24] = "-";
    if (entry->version_major)
        snprintf(version, sizeof version, "%d.%d", entry->version_major, entry->version_minor);
    const char *target = *entry->target ? entry->target : "-";
    const char *packing = *entry->packing ? entry->packing : "stored";
    ptx_text_print(out, "%-9s %-7s %12llu %12llu %-7s %s\n", target, version,
                   (unsigned long long)entry->unpacked_bytes,
                   (unsigned long long)entry->packed_bytes, packing, entry->path);
}

static void list_others(Text *out, const ptxlint_input_info *info)
{
    if (info->cubin_count)
        ptx_text_print(out, "and %zu of machine code\n", info->cubin_count);
    if (info->lto_count)
        ptx_text_print(out, "and %zu for link-time optimization\n", info->lto_count);
    if (info->tile_ir_count)
        ptx_text_print(out, "and %zu of Tile IR\n", info->tile_ir_count);
}

static void list_entries(Extraction *e)
{
    const ptxlint_input_entry *entry;
    ptx_text_print(&e->out, "%-9s %-7s %12s %12s %-7s %s\n", "target", "PTX", "bytes", "in file",
                   "packing", "entry");
    for (size_t i = 0; (entry = ptxlint_input_at(e->input, i)); i++)
        list_entry(&e->out, entry);
    list_others(&e->out, ptxlint_input_get_info(e->input));
}

/* ---- the command ----------------------------------------------------------------------------- */

static ExitCode extract_input(Extraction *e)
{
    const ptxlint_input_info *info = ptxlint_input_get_info(e->input);
    if (info->no_ptx) {
        ptx_complain(info->path, info->no_ptx);
        return EXIT_INPUT;
    }
    if (info->is_plain) {
        ptx_complain(info->path, "is in no container: there is nothing to extract");
        return EXIT_USAGE;
    }
    make_base(e);
    if (!e->options->has_list)
        return write_entries(e);
    list_entries(e);
    return EXIT_CLEAN;
}

/* The file of "libfoo.so!3.sm_90.ptx", for free(). */
static char *container_of(const char *path)
{
    struct stat st;
    char *file = strdup(path), *mark;
    while (file && stat(file, &st) && (mark = strrchr(file, '!')))
        *mark = 0;
    return file;
}

/* The container is all that is read, and the folder all that is written; that it is in, where it
 * is to be made. */
static ExitCode enter_extraction(const Options *options, const char *folder)
{
    struct stat st;
    char *parent = strdup(folder), *container = container_of(options->paths[0]);
    SandboxNeeds needs = { .read = container, .written = folder };
    if (options->has_list)
        needs.written = NULL;
    else if (parent && stat(folder, &st))
        needs.written = dirname(parent);
    const ExitCode code = parent && container ? ptx_sandbox_enter(options, &needs)
                                              : ptx_complain_memory();
    free(container);
    free(parent);
    return code;
}

ExitCode ptx_extract(const Options *options)
{
    ptxlint_input *input = NULL;
    Extraction e = { .options = options, .folder = ptx_text_or(options->output.path, ".") };
    ExitCode code = enter_extraction(options, e.folder);
    if (code == EXIT_CLEAN)
        code = ptx_input_open(options, options->paths[0], &input);
    if (!input)
        return code;
    e.input = input;
    code = exit_code_max(code, extract_input(&e));
    if (e.out.has_failed)
        code = exit_code_max(code, ptx_complain_memory());
    else if (e.out.length)
        fputs(e.out.bytes, stdout);
    ptx_text_free(&e.out);
    ptxlint_input_free(input);
    return exit_code_max(code, ptx_stdout_close());
}
