/* cuda.c -- what is asked about a CUDA file: figures of the kernels that PTX which is open has from
 * it, through .loc, and what a line has become. */
#include "lsp/server.h"

#include "support/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel of an open PTX file, with the name that .file gives the CUDA file. */
typedef struct SourcedKernel {
    const LspDocument *ptx;
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    const char *name;
} SourcedKernel;

typedef void (*SourcedKernelFn)(void *context, const SourcedKernel *kernel);

static bool is_name_of(const LspDocument *ptx, const char *name, const LspDocument *source)
{
    char *path = name ? ptx_lsp_source_path(ptx, name) : NULL;
    const bool is_same = path && !strcmp(path, source->path);
    free(path);
    return is_same;
}

/* NULL: nothing of the kernel is from there. */
static const char *name_in(const LspDocument *ptx, const ptxlint_kernel *kernel,
                           const LspDocument *source)
{
    if (is_name_of(ptx, kernel->source.path, source))
        return kernel->source.path;
    for (size_t i = 0; i < kernel->hot_line_count; i++)
        if (is_name_of(ptx, kernel->hot_lines[i].source.path, source))
            return kernel->hot_lines[i].source.path;
    return NULL;
}

/* Those whose figures are there. */
static void each_kernel(const LspServer *server, const LspDocument *source, SourcedKernelFn take,
                        void *context)
{
    for (const LspDocument *d = server->documents; d && source->path; d = d->next) {
        size_t count = 0;
        const ptxlint_module *module = ptx_document_analysed(d, true);
        const ptxlint_kernel *all = module ? ptxlint_module_kernels(module, &count) : NULL;
        for (size_t i = 0; i < count; i++) {
            const bool has_figures =
                all[i].is_entry && all[i].projection_count && !all[i].has_syntax_error;
            const char *name = has_figures ? name_in(d, &all[i], source) : NULL;
            if (name)
                take(context, &(SourcedKernel){ d, module, &all[i], name });
        }
    }
}

static const char *shown_kernel(const ptxlint_kernel *kernel)
{
    return kernel->demangled ? kernel->demangled : kernel->name;
}

/* ---- code lens ------------------------------------------------------------------------------- */

enum { LENSES_MAX = 64 };

typedef struct CudaLens {
    const LspServer *server;
    const LspDocument *source;
    json_t *list;
} CudaLens;

static void add_cuda_lens(void *context, const SourcedKernel *k)
{
    CudaLens *lens = context;
    char title[512], launch[160];
    const json_int_t line = (json_int_t)k->kernel->source.line - 1;
    if (json_array_size(lens->list) >= LENSES_MAX || line < 0
        || !is_name_of(k->ptx, k->kernel->source.path, lens->source))
        return;
    ptx_lsp_kernel_title(k->kernel, title, sizeof title);
    ptx_lsp_launch_words(k->kernel, launch, sizeof launch);
    const bool is_newer = ptx_lsp_is_source_newer(lens->server, k->ptx, lens->source->path);
    json_array_append_new(
        lens->list,
        json_pack("{s:{s:{s:I,s:i}, s:{s:I,s:i}}, s:{s:o, s:s, s:[s]}}", "range", "start", "line",
                  line, "character", 0, "end", "line", line, "character", 0, "command", "title",
                  json_sprintf("%s%s%s (%s%s)", shown_kernel(k->kernel),
                               ptx_text_if(*title, ": "), title, launch,
                               ptx_text_if(is_newer, "; of PTX that is older than this file")),
                  "command", "", "arguments", k->ptx->uri));
}

json_t *ptx_cuda_lens(LspServer *server, LspDocument *source)
{
    CudaLens lens = { server, source, json_array() };
    each_kernel(server, source, add_cuda_lens, &lens);
    return lens.list;
}

/* ---- hover ----------------------------------------------------------------------------------- */

enum { PLACES_MAX = 4096, KERNELS_SHOWN = 4 };

typedef struct CudaHover {
    const LspServer *server;
    const LspDocument *source;
    uint32_t line;
    unsigned count;
    FILE *out;
} CudaHover;

/* Instructions of the kernel that come from the line. */
static size_t count_instructions(const SourcedKernel *k, uint32_t line)
{
    size_t count = 0;
    uint32_t *offsets = ptx_lsp_heard(calloc(PLACES_MAX, sizeof *offsets));
    size_t found = offsets ? ptxlint_module_source_find(k->module, k->name, line, offsets,
                                                        PLACES_MAX)
                           : 0;
    for (size_t i = 0; i < found && i < PLACES_MAX; i++)
        count += offsets[i] >= k->kernel->span.begin && offsets[i] < k->kernel->span.end;
    free(offsets);
    return count;
}

static void put_line_cost(const CudaHover *h, const SourcedKernel *k)
{
    for (size_t i = 0; i < k->kernel->hot_line_count; i++) {
        const ptxlint_hot_line *hot = &k->kernel->hot_lines[i];
        if (hot->source.line != h->line || !hot->source.path || strcmp(hot->source.path, k->name))
            continue;
        if (hot->issue_percent >= 1)
            fprintf(h->out, "\n- About %.0f %% of the kernel's issue slots", hot->issue_percent);
        if (!isnan(hot->sectors) && hot->sectors > 0)
            fprintf(h->out, "\n- %.0f sectors of global memory%s; the same bytes need %.0f",
                    hot->sectors, hot->certainty == PTXLINT_ESTIMATE ? " (an estimate)" : "",
                    hot->ideal_sectors);
    }
}

static void put_cuda_kernel(void *context, const SourcedKernel *k)
{
    CudaHover *h = context;
    char title[512], launch[160];
    const size_t count = count_instructions(k, h->line);
    if (!count || h->count++ >= KERNELS_SHOWN)
        return;
    ptx_lsp_kernel_title(k->kernel, title, sizeof title);
    ptx_lsp_launch_words(k->kernel, launch, sizeof launch);
    if (h->count > 1)
        fputs("\n\n", h->out);
    fprintf(h->out, "**%s** (%s)", shown_kernel(k->kernel), launch);
    if (*title)
        fprintf(h->out, "\n\n- %s", title);
    else
        fputc('\n', h->out);
    fprintf(h->out, "\n- Line %u: %zu PTX instruction%s", (unsigned)h->line, count,
            ptx_text_if(count != 1, "s"));
    put_line_cost(h, k);
    if (ptx_lsp_is_source_newer(h->server, k->ptx, h->source->path))
        fputs("\n- The PTX is older than this file: the line may be another one by now", h->out);
}

void ptx_cuda_hover(LspServer *server, LspDocument *source, const json_t *params, LspAnswer *answer)
{
    char *text = NULL;
    size_t length = 0;
    const uint32_t at = ptx_lsp_offset(server, source, json_object_get(params, "position"));
    CudaHover h = { .server = server,
                    .source = source,
                    .line = ptx_lsp_line(source, at) + 1,
                    .out = ptx_lsp_heard(open_memstream(&text, &length)) };
    if (!h.out)
        return;
    each_kernel(server, source, put_cuda_kernel, &h);
    if (h.count > KERNELS_SHOWN)
        fprintf(h.out, "\n\nand %u more kernels", h.count - KERNELS_SHOWN);
    ptx_lsp_close_text(h.out, &text);
    if (text && length)
        answer->result = json_pack("{s:o}", "contents", ptx_lsp_markup(server, text));
    free(text);
}
