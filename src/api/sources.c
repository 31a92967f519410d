/* sources.c -- what is wrong with comments for ptxlint in CUDA sources, as a module each: its text
 * is the source, so that all formats show it there. */
#include "api/module.h"
#include "findings/suppress_cuda.h"
#include "ir/module.h"
#include "model/view.h"
#include "report/report.h"
#include "session/session.h"
#include "support/guard.h"
#include "support/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of files before it, by name: the order in which modules named them is not kept. */
static size_t name_rank(const ptxlint_sources *book, const BookFile *file)
{
    size_t rank = 0;
    for (const BookFile *other = book->files; other; other = other->next)
        rank += other->comments.count && strcmp(other->real, file->real) < 0;
    return rank;
}

static const BookFile *file_at(const ptxlint_sources *book, size_t index)
{
    for (const BookFile *file = book->files; file; file = file->next)
        if (file->comments.count && name_rank(book, file) == index)
            return file;
    return NULL;
}

typedef struct SourceModuleRun {
    ptxlint_module *m;
    const BookFile *file;
    const ptxlint_config *config;
} SourceModuleRun;

static void build_guarded_source(void *context)
{
    SourceModuleRun *call = context;
    ptxlint_module *m = call->m;
    ptx_module_hold_text(m);
    m->diags.func = -1;
    ptx_suppress_cuda_unused(&m->diags, call->file, call->config);
    ptx_diag_finish(&m->diags);
    m->diagnostics = ptx_view_diagnostics(m->sessions, &m->diags);
    m->diagnostic_count = m->diags.count;
    m->paths = ptx_arena_array(&m->arena, const char *, 1);
    char here[4096], *shown = ptx_path_show(getcwd(here, sizeof here), call->file->path);
    const char *path = shown ? shown : call->file->path;
    m->info = (ptxlint_module_info){
        .size = sizeof m->info,
        .path = ptx_arena_strndup(&m->arena, path, strlen(path)),
        .text = m->text,
        .length = m->length,
        .target = "",
        .gpus = ptx_arena_array(&m->arena, const ptxlint_gpu *, 1),
        .min_gain_percent = ptx_config_min_gain(call->config)
    };
    free(shown);
}

static ptxlint_status build_source(const BookFile *file, const ptxlint_config *config,
                                   ptxlint_module **out)
{
    ptxlint_module *m = calloc(1, sizeof *m);
    SourceModuleRun call = { m, file, config };
    if (!m || !(m->text = malloc(file->length + 1))) {
        free(m);
        return PTXLINT_NO_MEMORY;
    }
    memcpy(m->text, file->bytes, file->length + 1);
    m->length = file->length;
    ptx_arena_init(&m->arena, LIMIT_ARENA_FLOOR, NULL);
    if (!ptx_run_guarded_in(&m->arena, build_guarded_source, &call)) {
        ptxlint_module_free(m);
        return PTXLINT_NO_MEMORY;
    }
    *out = m;
    return PTXLINT_OK;
}

const char *ptxlint_sources_path(const ptxlint_sources *sources, size_t index)
{
    const BookFile *file = sources ? file_at(sources, index) : NULL;
    return file ? file->path : NULL;
}

ptxlint_status ptxlint_sources_module(const ptxlint_sources *sources, size_t index,
                                      const ptxlint_config *config, ptxlint_module **out)
{
    ptxlint_config *plain = NULL;
    if (!sources || !out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    const BookFile *file = file_at(sources, index);
    if (!file)
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_status status = config ? PTXLINT_OK : ptxlint_config_new(NULL, &plain);
    if (status == PTXLINT_OK)
        status = build_source(file, config ? config : plain, out);
    ptxlint_config_free(plain);
    return status;
}
