#include "report/report.h"

#include "support/source_file.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES_BYTES = 256 << 20 };     /* of all that one document holds */

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
    free(sources->root);
    *sources = (Sources){ 0 };
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
            /* at most SOURCE_FILE_BYTES_MAX */
            file->line_begins[file->line_count++] = (uint32_t)(i + 1);
    return PTXLINT_OK;
}

static ptxlint_status file_new(const char *root, char *path, size_t max_bytes, SourceFile **out)
{
    SourceFile *file = calloc(1, sizeof *file);
    *out = file;
    if (!file) {
        free(path);
        return PTXLINT_NO_MEMORY;
    }
    file->path = path;
    ptxlint_status status = PTXLINT_OK;
    if (root && !ptx_source_file_read(root, path, max_bytes, &file->bytes, &file->length))
        status = PTXLINT_NO_MEMORY;
    if (status == PTXLINT_OK && file->bytes)
        status = file_index(file);
    if (status != PTXLINT_OK) {
        file_free(file);
        *out = NULL;
    }
    return status;
}

static ptxlint_status source_open(Sources *sources, const char *beside, const char *path,
                                  SourceFile **out)
{
    char *joined = ptx_source_path_join(beside, path);
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
    ptxlint_status status = file_new(sources->root, joined,
                                     left < SOURCE_FILE_BYTES_MAX ? left : SOURCE_FILE_BYTES_MAX,
                                     out);
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

size_t ptxlint_source_root(const char *given, char *out, size_t size)
{
    bool has_memory;
    char *root = ptx_source_root_find(given, &has_memory);
    size_t length = root ? strlen(root) : 0;
    if (size && out) {
        size_t shown = length < size ? length : size - 1;
        memcpy(out, root ? root : "", shown);
        out[shown] = '\0';
    }
    free(root);
    return length;
}
