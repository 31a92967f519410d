/* Where a finding is, as programs want it that show it beside the source: paths of the repository, UTF-16 columns. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* As ptxlint_module_column_utf16 counts. */
static uint32_t count_units(const char *text, size_t begin, size_t end)
{
    uint32_t count = 0;
    for (size_t i = begin; i < end; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xC0) != 0x80)
            count += byte >= 0xF0 ? 2 : 1;
    }
    return count;
}

static uint32_t column_of(ColumnMemo *columns, const char *text, ptxlint_place place)
{
    uint32_t offset = place.line_begin + place.column - 1;
    bool is_ahead = columns->column && columns->line_begin == place.line_begin && columns->offset <= offset;
    uint32_t from = is_ahead ? columns->offset : place.line_begin, column = is_ahead ? columns->column : 1;
    *columns = (ColumnMemo){ place.line_begin, offset, column + count_units(text, from, offset) };
    return columns->column;
}

Region ptx_region_of(ColumnMemo *columns, const ptxlint_module *module, ptxlint_span span)
{
    const char *text = ptxlint_module_get_info(module)->text;
    ptxlint_place begin = ptxlint_module_place(module, span.begin);
    ptxlint_place end = ptxlint_module_place(module, span.end > span.begin ? span.end : span.begin);
    Region region = { .line = begin.line, .end_line = end.line };
    region.column = column_of(columns, text, begin);
    region.end_column = column_of(columns, text, end);
    return region;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static const char *path_below(const char *folder, const char *path)
{
    size_t length = folder ? strlen(folder) : 0;
    return length > 1 && !strncmp(path, folder, length) && path[length] == '/' ? path + length : path;
}

/* shown..end is a path so far, each part with a slash behind it: where its last part begins, or end where that is ".." or missing. */
static char *last_part(char *shown, char *end)
{
    if (end == shown || (end == shown + 1 && *shown == '/'))
        return end;
    char *part = end - 1;
    while (part > shown && part[-1] != '/')
        part--;
    return end - part == 3 && !memcmp(part, "..", 2) ? end : part;
}

/* Only what the path says counts: a link that ".." follows is not read. */
char *ptx_path_show(const char *folder, const char *path)
{
    const char *rest = path_below(folder, path);
    bool is_absolute = rest == path && *path == '/';
    char *shown = malloc(strlen(rest) + 3), *end = shown;
    if (!shown)
        return NULL;
    if (is_absolute)
        *end++ = '/';
    while (*rest) {
        size_t length = strcspn(rest, "/");
        bool is_up = length == 2 && !memcmp(rest, "..", 2);
        char *last = is_up ? last_part(shown, end) : end;
        if (last < end) {
            end = last;
        } else if (length && !(length == 1 && *rest == '.') && !(is_up && is_absolute)) {
            memcpy(end, rest, length);
            end += length;
            *end++ = '/';
        }
        rest += length + (rest[length] == '/');
    }
    if (end == shown)
        *end++ = '-';                   /* a path of nothing: what there is has come from no file */
    else if (end > shown + 1)
        end--;
    *end = '\0';
    return shown;
}

bool ptx_path_is_inside(const char *shown)
{
    return *shown != '/' && strncmp(shown, "../", 3) != 0 && strcmp(shown, "..") != 0;
}

/* ---- CUDA source ------------------------------------------------------------------------------------------------- */

/* The column of .loc is in bytes. */
static Region source_region(const char *text, size_t length, uint32_t line, uint32_t column)
{
    while (length && (text[length - 1] == '\r' || text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    size_t begin = column && column <= length ? column - 1 : 0;
    uint32_t units = 1 + count_units(text, 0, begin);
    return (Region){ line, units, line, units + count_units(text, begin, length) };
}

ptxlint_status ptx_source_place(Sources *sources, const char *folder, const ptxlint_module *module, const ptxlint_diagnostic *diagnostic,
                                SourcePlace *out)
{
    uint32_t line = diagnostic->source_line, column = diagnostic->source_column ? diagnostic->source_column : 1;
    SourceFile *file;
    size_t length;
    *out = (SourcePlace){ .region = { line, column, line, column } };
    if (!diagnostic->source_path || !*diagnostic->source_path || !line)
        return PTXLINT_OK;
    ptxlint_status status = ptx_sources_open(sources, diagnostic->source_path, ptxlint_module_get_info(module)->path, &file);
    if (status != PTXLINT_OK)
        return status;
    const char *text = ptx_source_line(file, line, &length);
    if (text) {
        out->file = file;
        out->region = source_region(text, length, line, diagnostic->source_column);
    }
    out->path = ptx_path_show(folder, text ? file->path : diagnostic->source_path);
    return out->path ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}
