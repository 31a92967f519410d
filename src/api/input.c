/* input.c -- files that hold PTX, as the public header has them. */
#include "api/module.h"
#include "input/container/container.h"
#include "input/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 48, TARGET_BYTES = 24, TROUBLE_BYTES = 128, NO_PTX_BYTES = 256 };

typedef struct InputName {
    char name[NAME_BYTES], target[TARGET_BYTES];
} InputName;

struct ptxlint_input {
    Container container;
    char *path;                         /* of the file */
    int file;                           /* open while it is looked through; -1 */
    bool is_reopened;                   /* entries are read from the file */
    char *bytes;
    ptxlint_input_info info;
    ptxlint_input_entry *entries;
    InputName *names;
    char *paths;                        /* of the entries, one behind the other */
    size_t first;                       /* that entries[0] is in the container */
    char (*troubles)[TROUBLE_BYTES];
    char no_ptx[NO_PTX_BYTES];
};

void ptxlint_input_options_init(ptxlint_input_options *options)
{
    if (options)
        *options = (ptxlint_input_options){ .size = sizeof *options };
}

/* ---- a file without PTX ---------------------------------------------------------------------- */

static void put_target(const FatbinEntry *entry, const char *prefix, char *out, size_t room)
{
    enum { FLAG_ARCH = 0x100000, FLAG_FAMILY = 0x200000 };
    const char *suffix = entry->flags & FLAG_FAMILY ? "f" : "";
    if (entry->flags & FLAG_ARCH)
        suffix = "a";
    snprintf(out, room, "%s%u%s", prefix, entry->arch, suffix);
}

static const char *lacking_text(const Container *c)
{
    switch (c->kind) {
    case CONTAINER_CUBIN:
        return "holds machine code alone, no PTX; compile with `nvcc -ptx -lineinfo` instead";
    case CONTAINER_TILE_IR: return "holds Tile IR, which is no PTX: there is nothing to analyse";
    case CONTAINER_BITCODE:
        return "holds LLVM bitcode, no PTX; `llc -march=nvptx64 -mcpu=sm_90 FILE` makes some";
    case CONTAINER_TRACE:
        return "is a trace of events without PTX; tritonparse keeps it of compilations";
    case CONTAINER_THIN: return "is a thin archive: name the objects that it leads to";
    case CONTAINER_BINARY: return "is binary, and no format that ptxlint looks for PTX in";
    default: return "holds no GPU code, so no PTX";
    }
}

/* Entries of other kinds, most telling first. */
static void put_no_ptx(ptxlint_input *input)
{
    const Container *c = &input->container;
    char real[TARGET_BYTES], line[96] = "";
    const char *what = NULL;
    put_target(&c->newest, "compute_", real, sizeof real);
    snprintf(line, sizeof line, "-gencode arch=%s,code=%s", real, real);
    if (c->kind_counts[FATBIN_CUBIN])
        what = "machine code alone";
    else if (c->kind_counts[FATBIN_NVVM])
        what = "code for link-time optimization alone";
    if (what)
        snprintf(input->no_ptx, sizeof input->no_ptx,
                 "holds %s, no PTX; add %s to nvcc's options", what, line);
    else if (c->kind_counts[FATBIN_TILE_IR])
        snprintf(input->no_ptx, sizeof input->no_ptx,
                 "holds Tile IR alone, which is no PTX: there is nothing to analyse");
    else
        snprintf(input->no_ptx, sizeof input->no_ptx, "%s", lacking_text(c));
}

static bool has_ending(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && !strcmp(path + length - tail, suffix);
}

/* By its name, since CUDA C++ has no other mark; but PTX is PTX under any name. */
static bool is_cuda_source(const ptxlint_input *input)
{
    const ByteSource *source = &input->container.source;
    const ByteRange all = { 0, source->length };
    if (!has_ending(input->path, ".cu") && !has_ending(input->path, ".cuh"))
        return false;
    return ptx_bytes_find(source, all, ".version", 8, 1) == source->length;
}

static void put_cuda_source(ptxlint_input *input)
{
    const char *slash = strrchr(input->path, '/');
    snprintf(input->no_ptx, sizeof input->no_ptx,
             "is CUDA C++, not PTX; `nvcc -ptx -lineinfo %.120s` makes some",
             slash ? slash + 1 : input->path);
}

/* ---- entries --------------------------------------------------------------------------------- */

static const char *packing_word(uint64_t flags)
{
    enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
    if (flags & FLAG_ZSTD)
        return "zstd";
    return flags & FLAG_LZ4 ? "lz4" : "";
}

/* *path moves behind what is written there. */
static void view_entry(ptxlint_input *input, size_t index, char **path)
{
    const FatbinEntry *entry = &input->container.entries[index];
    InputName *name = &input->names[index];
    put_target(entry, "sm_", name->target, sizeof name->target);
    snprintf(name->name, sizeof name->name, "%zu.%s.ptx", index + 1, name->target);
    input->entries[index] = (ptxlint_input_entry){
        .size = sizeof *input->entries,
        .path = *path,
        .name = name->name,
        .target = name->target,
        .version_major = (int)entry->version_major,
        .version_minor = (int)entry->version_minor,
        .packed_bytes = entry->packed_bytes,
        .unpacked_bytes = *packing_word(entry->flags) ? entry->unpacked_bytes : entry->packed_bytes,
        .packing = packing_word(entry->flags),
    };
    if (entry->end)
        input->entries[index].unpacked_bytes = entry->end - entry->begin;
    const size_t file = strlen(input->path), tail = strlen(name->name) + 1;
    memcpy(*path, input->path, file);
    (*path)[file] = '!';
    memcpy(*path + file + 1, name->name, tail);
    *path += file + 1 + tail;
}

static ptxlint_status view_entries(ptxlint_input *input)
{
    const size_t count = input->container.entry_count;
    const size_t room = strlen(input->path) + 1 + NAME_BYTES;
    input->entries = calloc(count + 1, sizeof *input->entries);
    input->names = calloc(count + 1, sizeof *input->names);
    input->paths = count < SIZE_MAX / room ? malloc(count * room + 1) : NULL;
    if (!input->entries || !input->names || !input->paths)
        return PTXLINT_NO_MEMORY;
    char *path = input->paths;
    for (size_t i = 0; i < count; i++)
        view_entry(input, i, &path);
    input->info.entry_count = count;
    return PTXLINT_OK;
}

/* PTX that is no container's: one entry, called like the file. */
static ptxlint_status view_file(ptxlint_input *input)
{
    const uint64_t length = input->container.source.length;
    input->entries = calloc(1, sizeof *input->entries);
    if (!input->entries)
        return PTXLINT_NO_MEMORY;
    *input->entries = (ptxlint_input_entry){
        .size = sizeof *input->entries, .path = input->path, .name = "", .target = "",
        .packed_bytes = length, .unpacked_bytes = length, .packing = ""
    };
    input->info.entry_count = 1;
    return PTXLINT_OK;
}

static ptxlint_status view_troubles(ptxlint_input *input)
{
    const Container *c = &input->container;
    size_t count = c->trouble_count < CONTAINER_TROUBLES ? c->trouble_count : CONTAINER_TROUBLES;
    input->troubles = calloc(count + 1, sizeof *input->troubles);
    if (!input->troubles)
        return PTXLINT_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        snprintf(input->troubles[i], sizeof *input->troubles, "at byte %llu: %s; the rest is read",
                 (unsigned long long)c->troubles[i].offset, c->troubles[i].why);
    return PTXLINT_OK;
}

static ptxlint_status view_input(ptxlint_input *input)
{
    const Container *c = &input->container;
    const bool is_source = c->kind == CONTAINER_NONE && is_cuda_source(input);
    input->info = (ptxlint_input_info){
        .size = sizeof input->info,
        .path = input->path,
        .is_container = c->kind != CONTAINER_NONE,
        .is_plain = c->kind == CONTAINER_NONE && !c->is_packed && input->file >= 0,
        .cubin_count = c->kind_counts[FATBIN_CUBIN] + (c->kind == CONTAINER_CUBIN),
        .lto_count = c->kind_counts[FATBIN_NVVM],
        .tile_ir_count = c->kind_counts[FATBIN_TILE_IR] + (c->kind == CONTAINER_TILE_IR),
        .trouble_count = c->trouble_count,
        .has_launches = c->kind == CONTAINER_TRACE,
    };
    ptxlint_status status = view_troubles(input);
    if (status == PTXLINT_OK && !is_source)
        status = input->info.is_container ? view_entries(input) : view_file(input);
    if (is_source)
        put_cuda_source(input);
    else if (!input->info.entry_count)
        put_no_ptx(input);
    if (!input->info.entry_count)
        input->info.no_ptx = input->no_ptx;
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A regular file is read where it lies; of anything else there is only one reading. */
static ptxlint_status open_source(ptxlint_input *input, const char *path, ByteSource *source)
{
    struct stat status;
    size_t length = 0;
    const bool is_standard = !strcmp(path, "-");
    input->file = is_standard ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (!is_standard && (input->file < 0 || fstat(input->file, &status)))
        return PTXLINT_IO;
    if (!is_standard && S_ISREG(status.st_mode)) {
        *source = (ByteSource){ .file = input->file, .length = (uint64_t)status.st_size };
        return PTXLINT_OK;
    }
    FILE *stream = is_standard ? stdin : fdopen(input->file, "rb");
    if (!stream)
        return PTXLINT_IO;
    input->file = -1;                   /* the stream's, where it is not standard input */
    ptxlint_status result = ptx_stream_read(stream, &input->bytes, &length);
    const int error = errno;
    if (!is_standard)
        fclose(stream);
    errno = error;
    if (result == PTXLINT_OK)
        *source = (ByteSource){ .memory = (unsigned char *)input->bytes, .file = -1,
                                .length = length };
    return result;
}

static void put_error(char *error, size_t room, const char *why)
{
    if (error && room)
        snprintf(error, room, "%s", why ? why : "it cannot be read");
}

/* A program may have thousands of inputs, and cannot have as many files open. */
static void close_file(ptxlint_input *input)
{
    const int error = errno;
    input->is_reopened = input->file >= 0 && !input->container.owned;
    if (input->file >= 0)
        close(input->file);
    input->file = -1;
    errno = error;
}

static ptxlint_status open_file(ptxlint_input *input, const char *path,
                                const ptxlint_input_options *options, char *error,
                                size_t error_size)
{
    ByteSource source;
    input->file = -1;
    input->path = strdup(path);
    if (!input->path)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = open_source(input, path, &source);
    if (status != PTXLINT_OK)
        return status;
    input->container.max_unpacked_bytes = options ? options->max_unpacked_bytes : 0;
    status = ptx_container_read(&input->container, &source);
    if (status == PTXLINT_BAD_FILE)
        put_error(error, error_size, input->container.why);
    if (!input->container.entry_count && has_ending(path, ".ptx"))
        input->container.kind = CONTAINER_NONE;         /* what is wrong in it are its findings */
    status = status == PTXLINT_OK ? view_input(input) : status;
    close_file(input);
    return status;
}

static ptxlint_status new_input(const char *path, const ptxlint_input_options *options,
                                ptxlint_input **out, char *error, size_t error_size)
{
    ptxlint_input *input = calloc(1, sizeof *input);
    if (!input)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = open_file(input, path, options, error, error_size);
    if (status == PTXLINT_OK) {
        *out = input;
        return PTXLINT_OK;
    }
    const int saved = errno;
    ptxlint_input_free(input);
    errno = saved;
    return status;
}

/* Leaves the entry of that name alone; false: there is none. */
static bool choose_entry(ptxlint_input *input, const char *name)
{
    for (size_t i = 0; i < input->info.entry_count; i++) {
        if (strcmp(input->entries[i].name, name) != 0)
            continue;
        input->first = i;
        input->entries[0] = input->entries[i];
        input->info.entry_count = 1;
        return true;
    }
    return false;
}

/* "libfoo.so!3.sm_90.ptx", where no file is called that. */
static ptxlint_status new_entry(const char *path, const ptxlint_input_options *options,
                                ptxlint_input **out, char *error, size_t error_size)
{
    const char *mark = strrchr(path, '!');
    char *file = mark ? strdup(path) : NULL;
    if (!file) {
        errno = ENOENT;
        return mark ? PTXLINT_NO_MEMORY : PTXLINT_IO;
    }
    file[mark - path] = 0;
    ptxlint_status status = new_input(file, options, out, error, error_size);
    free(file);
    if (status == PTXLINT_OK && !choose_entry(*out, mark + 1)) {
        ptxlint_input_free(*out);
        *out = NULL;
        put_error(error, error_size, "no such entry; `ptxlint extract --list` names them all");
        return PTXLINT_BAD_FILE;
    }
    return status;
}

ptxlint_status ptxlint_input_open(const char *path, const ptxlint_input_options *options,
                                  ptxlint_input **out, char *error, size_t error_size)
{
    if (!out || !path || (options && options->size != sizeof *options))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    put_error(error, error_size, "");
    ptxlint_status status = new_input(path, options, out, error, error_size);
    if (status == PTXLINT_IO && errno == ENOENT)
        status = new_entry(path, options, out, error, error_size);
    return status;
}

void ptxlint_input_free(ptxlint_input *input)
{
    if (!input)
        return;
    ptx_container_free(&input->container);
    if (input->file >= 0)
        close(input->file);
    free(input->bytes);
    free(input->entries);
    free(input->names);
    free(input->paths);
    free(input->troubles);
    free(input->path);
    free(input);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const ptxlint_input_info *ptxlint_input_get_info(const ptxlint_input *input)
{
    return input ? &input->info : NULL;
}

const ptxlint_input_entry *ptxlint_input_at(const ptxlint_input *input, size_t index)
{
    return input && index < input->info.entry_count ? &input->entries[index] : NULL;
}

const char *ptxlint_input_trouble(const ptxlint_input *input, size_t index)
{
    bool is_kept = input && index < input->info.trouble_count && index < CONTAINER_TROUBLES;
    return is_kept ? input->troubles[index] : NULL;
}

static ptxlint_status unpack_text(const ptxlint_input *input, size_t index, Unpacked *out,
                                  char *error, size_t error_size)
{
    if (!input || index >= input->info.entry_count)
        return PTXLINT_BAD_ARGUMENT;
    put_error(error, error_size, "");
    Container container = input->container;
    if (input->is_reopened)
        container.source.file = open(input->path, O_RDONLY | O_CLOEXEC);
    if (input->is_reopened && container.source.file < 0)
        return PTXLINT_IO;
    ptxlint_status status = ptx_container_text(&container, input->first + index, out);
    if (input->is_reopened)
        close(container.source.file);
    if (status == PTXLINT_BAD_FILE)
        put_error(error, error_size, out->why);
    return status;
}

ptxlint_status ptxlint_input_module(const ptxlint_input *input, size_t index,
                                    const ptxlint_options *options, ptxlint_module **out,
                                    char *error, size_t error_size)
{
    Unpacked text;
    ptxlint_options chosen;
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_options_init(&chosen);
    if (options)
        chosen = *options;
    ptxlint_status status = unpack_text(input, index, &text, error, error_size);
    if (status != PTXLINT_OK)
        return status;
    if (chosen.size == sizeof chosen && !chosen.path)
        chosen.path = input->entries[index].path;
    ptxlint_launches *found = NULL;
    json_t *root = ptx_container_launches(&input->container, input->first + index);
    if (root && ptx_launches_of(root, &found, NULL, 0) == PTXLINT_OK)
        found->is_generated = true;
    return ptx_module_take(text.text, text.length, found, &chosen, out);
}

ptxlint_status ptxlint_input_text(const ptxlint_input *input, size_t index, ptxlint_write_fn write,
                                  void *context, char *error, size_t error_size)
{
    Unpacked text;
    if (!write)
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_status status = unpack_text(input, index, &text, error, error_size);
    if (status != PTXLINT_OK)
        return status;
    if (write(context, text.text, text.length))
        status = PTXLINT_WRITE;
    free(text.text);
    return status;
}
