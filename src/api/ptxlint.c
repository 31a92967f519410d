/* ptxlint.c -- the pipeline as one function, and the life of a module. */
#include "findings/config.h"
#include "model/gpu.h"
#include "api/module.h"
#include "api/profile.h"
#include "api/read.h"
#include "findings/stale.h"
#include "findings/suppress.h"
#include "findings/suppress_cuda.h"
#include "model/view.h"

#include "input/metadata/metadata.h"
#include "support/guard.h"
#include "support/limits.h"
#include "ir/module.h"
#include "support/diag.h"
#include "gpu/gpu.h"
#include "support/grow.h"
#include "support/pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *ptxlint_version(void)
{
    return PTXLINT_VERSION_STRING;
}

const char *ptxlint_status_text(ptxlint_status status)
{
    static const char *const texts[] = {
        [PTXLINT_OK] = "success",
        [PTXLINT_NO_MEMORY] = "out of memory, or over the memory limit",
        [PTXLINT_TOO_LARGE] = "larger than 1 GiB",
        [PTXLINT_IO] = "cannot be read",
        [PTXLINT_BAD_ARGUMENT] = "bad argument",
        [PTXLINT_BAD_FILE] = "not in the format expected",
        [PTXLINT_WRITE] = "cannot be written",
        [PTXLINT_STOPPED] = "stopped",
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

void ptxlint_options_init(ptxlint_options *options)
{
    if (options)
        *options = (ptxlint_options){ .size = sizeof *options };
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

/* Those asked for, or what the file's target says. */
static void choose_module_gpus(ptxlint_module *m, const ptxlint_options *options)
{
    size_t count = options->gpu_count ? options->gpu_count : 1;
    m->gpus = ptx_arena_array(&m->arena, const Gpu *, count);
    for (size_t g = 0; g < options->gpu_count; g++)
        m->gpus[m->gpu_count++] = ptx_gpu_of(options->gpus[g]);
    if (!options->gpu_count && m->ir->target.sm
        && (m->gpus[0] = ptx_gpu_find_target(m->ir->target)))
        m->gpu_count = 1;
}

/* Of a text without any sign of PTX, five errors are enough: one more stands for the rest. */
static void sum_up_other_text(DiagSink *diags, const Module *ir)
{
    enum { SHOWN = 5 };
    bool has_ptx = ir->version || ir->target.sm || ir->func_count || ir->var_count;
    if (has_ptx || diags->count <= SHOWN + 1)
        return;
    const uint32_t left = diags->count - SHOWN + diags->dropped;
    const Span span = diags->items[SHOWN]->span;
    diags->count = SHOWN;
    diags->dropped = 0;
    Diag *diag = ptx_diag(diags, DIAG_NOT_PTX, span, "this is not PTX: %u more errors follow",
                          (unsigned)left);
    diag->help = "PTX begins with `.version`; of CUDA C++, `nvcc -ptx -lineinfo FILE.cu` makes it";
}

static size_t memory_limit(const ptxlint_module *m, const ptxlint_options *options)
{
    if (options->max_memory_bytes)
        return options->max_memory_bytes;
    return m->length > (size_t)LIMIT_ARENA_FLOOR / LIMIT_ARENA_FACTOR
               ? m->length * LIMIT_ARENA_FACTOR
               : (size_t)LIMIT_ARENA_FLOOR;
}

/* Memory that it holds. */
static size_t module_bytes(const ptxlint_module *m)
{
    size_t bytes = ptx_arena_bytes(&m->arena) + ptx_arena_bytes(&m->front) + m->length;
    for (unsigned i = 0; i < m->part_count; i++)
        bytes += ptx_arena_bytes(&m->parts[i]);
    return bytes;
}

static void copy_paths(ptxlint_module *m)
{
    m->paths = ptx_arena_array(&m->arena, const char *, m->ir->file_count + 1);
    for (uint32_t f = 0; f < m->ir->file_count; f++)
        m->paths[f] = ptx_arena_strndup(&m->arena, m->text + m->ir->files[f].path.begin,
                                        ptx_span_length(m->ir->files[f].path));
}

static void view_info(ptxlint_module *m, const ptxlint_options *options)
{
    ptxlint_module_info *info = &m->info;
    char sm[16] = "";
    Target target = m->ir->target;
    if (target.sm)
        snprintf(sm, sizeof sm, "sm_%u%.1s", (unsigned)target.sm,
                 target.suffix ? &target.suffix : "");
    const char *path = ptx_options_path(options);
    info->size = sizeof *info;
    info->path = ptx_arena_strndup(&m->arena, path, strlen(path));
    info->text = m->text;
    info->length = m->length;
    info->target = ptx_arena_strndup(&m->arena, sm, strlen(sm));
    const ptxlint_gpu **gpus = ptx_arena_array(&m->arena, const ptxlint_gpu *, m->gpu_count + 1);
    for (size_t g = 0; g < m->gpu_count; g++)
        gpus[g] = ptx_gpu_handle(m->gpus[g]);
    info->gpus = gpus;
    info->gpu_count = m->gpu_count;
    info->version_major = m->ir->version / 10;
    info->version_minor = m->ir->version % 10;
    info->address_size = (int)m->ir->address_size;
    info->min_gain_percent = ptx_config_min_gain(options->config);
    info->metadata = m->metadata;
    info->metadata_error = m->metadata_error;
    info->is_generated = m->found && m->found->is_generated;
}

static void begin_scratch(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas)
{
    ptx_arena_begin(&arenas->scratch, memory_limit(m, options), options);
    if (ptx_module_is_worth_region(m, options))
        arenas->scratch.region = &arenas->region;
}

/* The analysis takes the chunks that reading had from the region. */
static void end_reading(ReadArenas *arenas)
{
    ptx_arena_free(&arenas->items);
    ptx_arena_free(&arenas->vectors);
}

typedef struct ModuleRun {
    ptxlint_module *m;
    const ptxlint_options *options;
    ReadArenas *arenas;
    bool is_complete;
} ModuleRun;

static void run_guarded(void *context)
{
    ModuleRun *call = context;
    ptxlint_module *m = call->m;
    const ptxlint_options *options = call->options;
    ReadArenas *arenas = call->arenas;
    ptx_diag_init(&m->diags, &m->arena);
    m->uses.arena = &m->arena;
    m->diags.uses = &m->uses;
    ptx_profile_module(options->profile);
    TIMED(PARSE, ptx_module_read(m, options, arenas, memory_limit(m, options)));
    sum_up_other_text(&m->diags, m->ir);
    end_reading(arenas);
    choose_module_gpus(m, options);
    if (options->sources && !options->syntax_only)
        ptx_cuda_name_params(&m->arena, &arenas->scratch, m->ir, options->sources,
                             ptx_options_path(options));
    view_info(m, options);
    if (!ptx_analyse(m, options, memory_limit(m, options), arenas->scratch.region))
        return;
    if (m->beside)
        ptx_find_for_each_gpu(m, &arenas->scratch);
    if (!ptx_find_for_each_launch(m, options, &arenas->scratch))
        return;
    if (ptx_module_has_findings(m))
        TIMED(SUPPRESS, ptx_suppress(&m->arena, &arenas->scratch, &m->diags, m->ir,
                                     ptx_options_path(options), options->config));
    if (ptx_module_has_findings(m) && options->sources)
        TIMED(SUPPRESS, ptx_suppress_cuda(&arenas->scratch, &m->diags, m->ir,
                                          ptx_options_path(options), options->config,
                                          options->sources));
    if (ptx_module_has_findings(m))
        ptx_stale_note_seen(&arenas->scratch, &m->diags, m->ir, options->config);
    ptx_suppress_known(&arenas->scratch, &m->diags, m->ir, options->baseline);
    if (ptx_module_has_findings(m) && ptx_module_has_figures(m))
        ptx_check_budget(m, &arenas->scratch, options->budget);
    ptx_diag_finish(&m->diags);
    TIMED(VIEW, m->diagnostics = ptx_view_diagnostics(m->sessions, &m->diags));
    m->diagnostic_count = m->diags.count;
    copy_paths(m);
    if (options->has_symbols)
        ptx_symbols_build(m, &arenas->scratch);
    m->info.memory_bytes = module_bytes(m);
    call->is_complete = true;
}

/* Of the IR of a byte of text: at most, and half of these at least, but for a few texts. */
enum { MAX_IR_BYTES = 3, MIN_IR_HALVES = 3 };

/* False: memory ran out; the module is then only good for ptxlint_module_free. */
static bool run(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas)
{
    const size_t limit = memory_limit(m, options);
    ModuleRun call = { m, options, arenas, false };
    ptx_arena_begin(&m->arena, limit, options);
    ptx_arena_begin(&arenas->items, limit, options);
    ptx_arena_begin(&arenas->vectors, limit, options);
    begin_scratch(m, options, arenas);
    if (m->length >= LONG_TEXT_BYTES) {
        m->arena.expected_bytes = MAX_IR_BYTES * m->length;
        ptx_arena_foresee(&m->arena, m->length / 2 * MIN_IR_HALVES);
    }
    arenas->vectors.region = arenas->scratch.region;
    Arena *const guarded[GUARD_ARENAS_MAX] = { &m->arena, &arenas->items, &arenas->vectors,
                               &arenas->scratch };
    ptx_run_guarded(guarded, run_guarded, &call);
    return call.is_complete;
}

/* ---- modules --------------------------------------------------------------------------------- */

static void find_metadata(ptxlint_module *m, const char *path)
{
    char error[512];
    m->found = ptx_metadata_find(path, &m->metadata, error, sizeof error);
    m->metadata_error = *error ? strdup(error) : NULL;
}

/* What asks for memory later is not stopped. */
static void end_stops(ptxlint_module *m)
{
    m->arena.is_stopped = m->front.is_stopped = NULL;
    for (unsigned i = 0; i < m->part_count; i++)
        m->parts[i].is_stopped = NULL;
}

/* Takes text and found, which it frees on failure. options->config is there. */
static ptxlint_status build_module(char *text, size_t length, ptxlint_launches *found,
                                   const ptxlint_options *options, ptxlint_module **out)
{
    ptxlint_module *m = calloc(1, sizeof *m);
    if (!m) {
        free(text);
        ptxlint_launches_free(found);
        return PTXLINT_NO_MEMORY;
    }
    m->found = found;
    m->text = text;
    m->length = length;
    ptxlint_options chosen = *options;
    if (!m->found && options->metadata_path && !options->syntax_only)
        find_metadata(m, options->metadata_path);
    if (m->found && m->found->is_generated && options->generated_config)
        chosen.config = options->generated_config(options->generated_context);
    ReadArenas arenas = { .items = { .limit_bytes = 0 } };
    bool complete = chosen.config && run(m, &chosen, &arenas);
    ptx_arena_free(&arenas.items);
    ptx_arena_free(&arenas.vectors);
    ptx_arena_free(&arenas.scratch);
    ptx_region_close(&arenas.region);
    if (!complete) {
        ptxlint_module_free(m);
        return ptx_is_stopped(options) ? PTXLINT_STOPPED : PTXLINT_NO_MEMORY;
    }
    end_stops(m);
    *out = m;
    return PTXLINT_OK;
}

size_t ptx_text_length(const char *text, size_t length)
{
    size_t end = length;
    while (end && !text[end - 1])
        end--;
    return end ? end : length;
}

/* The same with or without a config: without one all rules but previews. */
static ptxlint_status module_from(char *text, size_t length, ptxlint_launches *found,
                                  const ptxlint_options *options, ptxlint_module **out)
{
    ptxlint_options chosen = *options;
    ptxlint_config *config = NULL;
    if (!options->config && ptxlint_config_new(NULL, &config) != PTXLINT_OK) {
        free(text);
        ptxlint_launches_free(found);
        return PTXLINT_NO_MEMORY;
    }
    if (config)
        chosen.config = config;
    ptxlint_status status = build_module(text, ptx_text_length(text, length), found, &chosen,
                                         out);
    ptxlint_config_free(config);
    return status;
}

/* With one byte more; NULL. A long one lies in huge pages, as it is touched from end to end: all of
 * it but a short end, which would leave most of its page unused. */
static char *room_for_text(size_t bytes)
{
    if (bytes < LONG_TEXT_BYTES)
        return malloc(bytes + 1);
    const size_t end = bytes % HUGE_PAGE_BYTES, room = bytes - end + HUGE_PAGE_BYTES;
    char *text = aligned_alloc(HUGE_PAGE_BYTES, room);
    if (!text)
        return NULL;
    ptx_pages_make_huge(text, end < LONG_TEXT_BYTES ? bytes - end : room);
    ptx_pages_make_ready(text, bytes + 1);
    return text;
}

static ptxlint_status check_module_options(const ptxlint_options *options)
{
    if (options->size != sizeof *options || (options->gpu_count && !options->gpus))
        return PTXLINT_BAD_ARGUMENT;
    for (size_t g = 0; g < options->gpu_count; g++)
        if (!options->gpus[g])
            return PTXLINT_BAD_ARGUMENT;
    return PTXLINT_OK;
}

ptxlint_status ptxlint_module_new(const char *text, size_t length, const ptxlint_options *options,
                                  ptxlint_module **out)
{
    ptxlint_options defaults;
    if (!out || (!text && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (!options) {
        ptxlint_options_init(&defaults);
        options = &defaults;
    }
    ptxlint_status status = check_module_options(options);
    if (status != PTXLINT_OK)
        return status;
    if (length > LIMIT_SOURCE_BYTES)
        return PTXLINT_TOO_LARGE;
    char *copy = room_for_text(length);
    if (!copy)
        return PTXLINT_NO_MEMORY;
    if (length)
        memcpy(copy, text, length);
    copy[length] = 0;
    return module_from(copy, length, NULL, options, out);
}

ptxlint_status ptx_module_take(char *text, size_t length, ptxlint_launches *found,
                               const ptxlint_options *options, ptxlint_module **out)
{
    ptxlint_status status = check_module_options(options);
    if (status == PTXLINT_OK && length > LIMIT_SOURCE_BYTES)
        status = PTXLINT_TOO_LARGE;
    if (status == PTXLINT_OK)
        return module_from(text, length, found, options, out);
    free(text);
    ptxlint_launches_free(found);
    return status;
}

void ptx_module_hold_text(ptxlint_module *m)
{
    Module *ir = ptx_arena_new(&m->arena, Module);
    ir->text = m->text;
    ir->length = (uint32_t)m->length;
    ptx_lines_find(&m->arena, ir);
    m->ir = ir;
    m->sessions = ptx_arena_new(&m->arena, Sessions);
    *m->sessions = (Sessions){ .module = ir, .arena = &m->arena };
    ptx_diag_init(&m->diags, &m->arena);
}

/* Bytes that a regular file has left, or a guess to begin with. */
static size_t expected_bytes(FILE *file)
{
    struct stat status;
    if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode) || status.st_size < 0
        || status.st_size > LIMIT_SOURCE_BYTES)
        return 1 << 16;
    /* one more, so that the end shows at the first try */
    return (size_t)status.st_size + 1;
}

ptxlint_status ptx_stream_read(FILE *file, char **out, size_t *length)
{
    size_t capacity = expected_bytes(file), n = 0;
    char *text = room_for_text(capacity);
    while (text) {
        n += fread(text + n, 1, capacity - n, file);
        if (ferror(file) || n < capacity || n > LIMIT_SOURCE_BYTES)
            break;
        if (!ptx_list_reserve(&text, &capacity, 2 * capacity + 1, 1)) {
            free(text);
            text = NULL;
        }
    }
    if (!text)
        return PTXLINT_NO_MEMORY;
    if (ferror(file) || n > LIMIT_SOURCE_BYTES) {
        free(text);
        return ferror(file) ? PTXLINT_IO : PTXLINT_TOO_LARGE;
    }
    text[n] = 0;
    *out = text;
    *length = n;
    return PTXLINT_OK;
}

ptxlint_status ptxlint_module_open(const char *path, const ptxlint_options *options,
                                   ptxlint_module **out)
{
    if (!out || !path)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_options chosen;
    ptxlint_options_init(&chosen);
    ptxlint_status status = check_module_options(options ? options : &chosen);
    if (status != PTXLINT_OK)
        return status;
    if (options)
        chosen = *options;
    if (!chosen.path)
        chosen.path = path;
    bool standard_input = !strcmp(path, "-");
    FILE *file = standard_input ? stdin : fopen(path, "rb");
    if (!file)
        return PTXLINT_IO;
    char *text = NULL;
    size_t length = 0;
    status = ptx_stream_read(file, &text, &length);
    int saved = errno;
    if (!standard_input)
        fclose(file);
    errno = saved;
    return status == PTXLINT_OK ? module_from(text, length, NULL, &chosen, out) : status;
}

void ptxlint_module_free(ptxlint_module *m)
{
    if (!m)
        return;
    ptx_estimator_free(m);
    for (unsigned i = 0; i < m->part_count; i++)
        ptx_arena_free(&m->parts[i]);
    free(m->parts);
    for (uint32_t i = 0; i < m->launched_count; i++)
        ptxlint_module_free(m->launched[i]);
    free(m->launched);
    ptx_arena_free(&m->front);
    ptx_arena_free(&m->arena);
    ptxlint_launches_free(m->found);
    free(m->metadata);
    free(m->metadata_error);
    free(m->text);
    free(m);
}

const ptxlint_module_info *ptxlint_module_get_info(const ptxlint_module *m)
{
    return m ? &m->info : NULL;
}

const ptxlint_diagnostic *ptxlint_module_diagnostics(const ptxlint_module *m, size_t *count)
{
    if (count)
        *count = m ? m->diagnostic_count : 0;
    return m ? m->diagnostics : NULL;
}

const ptxlint_kernel *ptxlint_module_kernels(const ptxlint_module *m, size_t *count)
{
    if (count)
        *count = m ? m->kernel_count : 0;
    return m ? m->kernels : NULL;
}
