/* Where a finding is, as programs want it that show it beside the source: paths of the repository,
 * UTF-16 columns. */
#include "report/report.h"

#include "support/source_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- columns --------------------------------------------------------------------------------- */

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
    bool is_ahead = columns->column && columns->line_begin == place.line_begin
                    && columns->offset <= offset;
    uint32_t from = place.line_begin, column = 1;
    if (is_ahead) {
        from = columns->offset;
        column = columns->column;
    }
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

Region ptx_region_of_bytes(const ptxlint_module *module, ptxlint_span span)
{
    ptxlint_place begin = ptxlint_module_place(module, span.begin);
    ptxlint_place end = ptxlint_module_place(module, span.end > span.begin ? span.end : span.begin);
    return (Region){ begin.line, begin.column, end.line, end.column };
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const char *path_below(const char *folder, const char *path)
{
    size_t length = folder ? strlen(folder) : 0;
    return length > 1 && !strncmp(path, folder, length) && path[length] == '/' ? path + length
                                                                               : path;
}

/* shown..end is a path so far, each part with a slash behind it: where its last part begins, or end
 * where that is ".." or missing. */
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

const char *ptx_path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool ptx_path_is_inside(const char *shown)
{
    return *shown != '/' && strncmp(shown, "../", 3) != 0 && strcmp(shown, "..") != 0;
}

/* ---- CUDA source ----------------------------------------------------------------------------- */

/* The column of .loc is in bytes. */
static void set_regions(SourcePlace *out, const char *text, size_t length, uint32_t line,
                        uint32_t column)
{
    while (length
           && (text[length - 1] == '\r' || text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    size_t begin = column && column <= length ? column - 1 : 0;
    uint32_t units = 1 + count_units(text, 0, begin);
    out->region = (Region){ line, units, line, units + count_units(text, begin, length) };
    out->bytes = (Region){ line, (uint32_t)begin + 1, line, (uint32_t)length + 1 };
}

static ptxlint_status open_place(Sources *sources, const char *folder, const ptxlint_module *module,
                                 ptxlint_source_place named, SourcePlace *out)
{
    uint32_t line = named.line, column = named.column ? named.column : 1;
    SourceFile *file;
    size_t length;
    *out = (SourcePlace){ .named = named,
                          .region = { line, column, line, column },
                          .bytes = { line, column, line, column } };
    if (!named.path || !*named.path || !line)
        return PTXLINT_OK;
    ptxlint_status status = ptx_sources_open(sources, named.path,
                                             ptxlint_module_get_info(module)->path, &file);
    if (status != PTXLINT_OK)
        return status;
    const char *text = ptx_source_line(file, line, &length);
    if (text) {
        out->file = file;
        set_regions(out, text, length, line, named.column);
    }
    out->path = ptx_path_show(folder, text ? file->path : named.path);
    return out->path ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

/* A reader can see it beside what is his own. */
static bool is_own(const SourcePlace *place)
{
    return place->path && place->file && ptx_path_is_inside(place->path);
}

/* The line that .loc names; where that is not below the folder, the nearest call that is and that
 * it was inlined by: of __shfl_sync() in CUDA's header the user's. */
ptxlint_status ptx_source_place(Sources *sources, const char *folder, const ptxlint_module *module,
                                const ptxlint_diagnostic *diagnostic, SourcePlace *out)
{
    const ptxlint_source_place innermost = { diagnostic->source_path, diagnostic->source_line,
                                             diagnostic->source_column };
    ptxlint_status status = open_place(sources, folder, module, innermost, out);
    for (size_t i = 0; i < diagnostic->inlined_count && status == PTXLINT_OK && !is_own(out); i++) {
        SourcePlace outer;
        status = open_place(sources, folder, module, diagnostic->inlined_into[i], &outer);
        outer.outward = i + 1;
        if (status == PTXLINT_OK && is_own(&outer)) {
            free(out->path);
            *out = outer;
        } else {
            free(outer.path);
        }
    }
    return status;
}

/* ---- findings -------------------------------------------------------------------------------- */

ptxlint_status ptx_locator_init(Locator *locator, ptxlint_primary primary, bool has_sources,
                                const char *root)
{
    bool has_memory = true;
    *locator = (Locator){ .primary = primary, .has_sources = has_sources };
    if (!getcwd(locator->folder, sizeof locator->folder))
        *locator->folder = '\0';
    if (has_sources)
        locator->sources.root = ptx_source_root_find(root, &has_memory);
    return has_memory ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

static void module_end(Locator *locator)
{
    free(locator->path);
    free(locator->hashes.lines);
    ptx_hash_map_free(&locator->counts);
    locator->path = NULL;
    locator->hashes = (LineHashes){ 0 };
    locator->columns = (ColumnMemo){ 0 };
}

ptxlint_status ptx_locator_begin(Locator *locator, const ptxlint_module *module)
{
    module_end(locator);
    locator->module = module;
    locator->path = ptx_path_show(locator->folder, ptxlint_module_get_info(module)->path);
    return locator->path ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

void ptx_locator_free(Locator *locator)
{
    module_end(locator);
    ptx_sources_free(&locator->sources);
    ptx_hash_map_free(&locator->ids);
}

/* By default a CUDA line is where a finding is shown if there is no doubt which file is meant, and
 * that a review can show it. */
static bool is_source_primary(const Locator *locator, const SourcePlace *source)
{
    if (!source->path || locator->primary == PTXLINT_PRIMARY_PTX)
        return false;
    return locator->primary == PTXLINT_PRIMARY_SOURCE || is_own(source);
}

/* FNV-1a goes on over the path, and what comes out the same is numbered. */
static bool set_id(Locator *locator, Finding *finding)
{
    uint64_t hash = finding->hash;
    for (const char *p = locator->path; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001B3);
    uint32_t number = ptx_hash_counts_add(&locator->ids, hash);
    snprintf(finding->id, sizeof finding->id, "%016" PRIx64 "%08" PRIx32, hash, number);
    return number != 0;
}

ptxlint_status ptx_finding_open(Locator *locator, const ptxlint_diagnostic *diagnostic,
                                Finding *out)
{
    const ptxlint_module *module = locator->module;
    *out = (Finding){
        .locator = locator, .module = module, .diagnostic = diagnostic, .ptx_path = locator->path
    };
    out->hash = ptx_finding_hash(module, diagnostic);
    out->ordinal = ptx_hash_counts_add(&locator->counts, out->hash);
    if (!out->ordinal || !set_id(locator, out))
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = PTXLINT_OK;
    out->source.named = (ptxlint_source_place){ diagnostic->source_path, diagnostic->source_line,
                                                diagnostic->source_column };
    if (locator->has_sources)
        status = ptx_source_place(&locator->sources, locator->folder, module, diagnostic,
                                  &out->source);
    if (status != PTXLINT_OK)
        return status;
    out->ptx = ptx_region_of(&locator->columns, module, diagnostic->span);
    out->ptx_bytes = ptx_region_of_bytes(module, diagnostic->span);
    out->is_source = is_source_primary(locator, &out->source);
    out->path = out->is_source ? out->source.path : out->ptx_path;
    out->region = out->is_source ? out->source.region : out->ptx;
    out->bytes = out->is_source ? out->source.bytes : out->ptx_bytes;
    return PTXLINT_OK;
}

void ptx_finding_close(Finding *finding)
{
    free(finding->source.path);
    finding->source.path = NULL;
}

/* The whole text is looked at, so that is done only for who asks. */
static ptxlint_status hashes_need(const Finding *finding, LineHashes *hashes)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(finding->module);
    const SourceFile *file = finding->is_source ? finding->source.file : NULL;
    if (hashes->is_built)
        return PTXLINT_OK;
    return file ? ptx_line_hashes_build(hashes, file->bytes, file->length)
                : ptx_line_hashes_build(hashes, info->text, info->length);
}

ptxlint_status ptx_finding_line_hash(const Finding *finding, Fingerprint *out)
{
    *out = (Fingerprint){ "" };
    if (finding->is_source && !finding->source.file)
        return PTXLINT_OK;
    LineHashes *hashes = finding->is_source ? &finding->source.file->hashes
                                            : &finding->locator->hashes;
    ptxlint_status status = hashes_need(finding, hashes);
    if (status == PTXLINT_OK)
        *out = ptx_line_hashes_find(hashes, finding->region.line);
    return status;
}
