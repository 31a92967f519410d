#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PTX names its sources freely, so what it names is distrusted: regular files only, and not without
 * end. */
enum {
    /* of one file: the largest generated CUDA sources are a few MiB */
    SOURCE_BYTES = 16 << 20,
    SOURCES_BYTES = 256 << 20           /* of all that one document holds */
};

static void file_free(SourceFile *file)
{
    free(file->path);
    free(file->bytes);
    free(file->line_begins);
    free(file->hashes.lines);
    free(file);
}

void ptx_sources_free(Sources *sources)
{
    for (SourceFile *file = sources->files, *next; file; file = next) {
        next = file->next;
        file_free(file);
    }
    *sources = (Sources){ 0 };
}

static size_t read_all(int fd, char *bytes, size_t size)
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

/* Leaves bytes NULL where the file is not one to be read. */
static ptxlint_status file_read(SourceFile *file, size_t most_bytes)
{
    int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return PTXLINT_OK;
    struct stat st;
    ptxlint_status status = PTXLINT_OK;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0
        && (uintmax_t)st.st_size <= most_bytes) {
        file->bytes = malloc((size_t)st.st_size + 1);
        if (file->bytes)
            file->length = read_all(fd, file->bytes, (size_t)st.st_size);
        else
            status = PTXLINT_NO_MEMORY;
    }
    close(fd);
    return status;
}

static ptxlint_status file_index(SourceFile *file)
{
    uint32_t count = 1;
    for (size_t i = 0; i < file->length; i++)
        count += file->bytes[i] == '\n';
    file->line_begins = malloc(count * sizeof *file->line_begins);
    if (!file->line_begins)
        return PTXLINT_NO_MEMORY;
    file->line_begins[0] = 0;
    file->line_count = 1;
    for (size_t i = 0; i < file->length; i++)
        if (file->bytes[i] == '\n')
            /* at most SOURCE_BYTES */
            file->line_begins[file->line_count++] = (uint32_t)(i + 1);
    return PTXLINT_OK;
}

static ptxlint_status file_new(char *path, size_t most_bytes, SourceFile **out)
{
    SourceFile *file = calloc(1, sizeof *file);
    *out = file;
    if (!file) {
        free(path);
        return PTXLINT_NO_MEMORY;
    }
    file->path = path;
    ptxlint_status status = file_read(file, most_bytes);
    if (status == PTXLINT_OK && file->bytes)
        status = file_index(file);
    if (status != PTXLINT_OK) {
        file_free(file);
        *out = NULL;
    }
    return status;
}

/* "folder of beside" + path, or path alone where beside is NULL. NULL: no memory. */
static char *path_join(const char *beside, const char *path)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - beside) + 1 : 0, length = strlen(path);
    char *joined = malloc(folder + length + 1);
    if (!joined)
        return NULL;
    if (folder)
        memcpy(joined, beside, folder);
    memcpy(joined + folder, path, length + 1);
    return joined;
}

static ptxlint_status source_open(Sources *sources, const char *beside, const char *path,
                                  SourceFile **out)
{
    char *joined = path_join(beside, path);
    *out = NULL;
    if (!joined)
        return PTXLINT_NO_MEMORY;
    for (SourceFile *file = sources->files; file; file = file->next)
        if (!strcmp(file->path, joined)) {
            free(joined);
            *out = file;
            return PTXLINT_OK;
        }
    size_t left = SOURCES_BYTES - sources->bytes;
    ptxlint_status status = file_new(joined, left < SOURCE_BYTES ? left : SOURCE_BYTES, out);
    if (status == PTXLINT_OK) {
        sources->bytes += (*out)->length;
        (*out)->next = sources->files;
        sources->files = *out;
    }
    return status;
}

ptxlint_status ptx_sources_open(Sources *sources, const char *path, const char *ptx_path,
                                SourceFile **out)
{
    SourceFile *beside;
    ptxlint_status status = source_open(sources, NULL, path, out);
    if (status != PTXLINT_OK || (*out)->bytes || path[0] == '/' || !strchr(ptx_path, '/'))
        return status;
    status = source_open(sources, ptx_path, path, &beside);
    if (status == PTXLINT_OK && beside->bytes)
        *out = beside;
    return status;
}

const char *ptx_source_line(const SourceFile *file, uint32_t line, size_t *length)
{
    if (!file->bytes || line == 0 || line > file->line_count)
        return NULL;
    size_t begin = file->line_begins[line - 1];
    size_t end = line < file->line_count ? file->line_begins[line] - 1 : file->length;
    *length = end - begin;
    return file->bytes + begin;
}
