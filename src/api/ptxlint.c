/* ptxlint.c -- the pipeline as one function, and the life of a module. */
#include "api/config.h"
#include "api/gpu.h"
#include "api/launch.h"
#include "api/module.h"
#include "api/profile.h"
#include "api/ptxas.h"
#include "api/suppress.h"

#include "parser/parser.h"
#include "rules/engine.h"
#include "support/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

void ptxlint_options_init(ptxlint_options *options)
{
    *options = (ptxlint_options){ .size = sizeof *options };
}

/* Of one thread, while a module is made. */
typedef struct Arenas {
    Arena work, temp, scratch;
} Arenas;

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

#define TIMED(stage, action) \
    do { \
        ptx_profile_begin(options->profile, PROFILE_##stage); \
        action; \
        ptx_profile_end(options->profile, PROFILE_##stage); \
    } while (0)

/* Asks for what figures rest on. */
static void ask_for_figures(const ptxlint_module *m, const ptxlint_options *options, Session *session)
{
    TIMED(TRIPS, ptx_session_trips(session));
    TIMED(MIX, ptx_session_mixes(session));
    for (size_t g = 0; g < m->gpu_count; g++)
        TIMED(THROUGHPUT, ptx_session_throughput(session, g));
    TIMED(FLOW, ptx_session_uniforms(session));
    if (!ptx_session_is_projected(session))
        return;
    TIMED(EVALUATE, ptx_session_evaluation(session, BUDGET_FIGURES));
    for (size_t g = 0; g < m->gpu_count; g++)
        TIMED(ESTIMATE, ptx_session_executed(session, g));
}

/* A session computes what it is asked for, whoever asks. The stages in order, so that a profile says what each of them takes. */
static void ask_by_stage(const ptxlint_module *m, const ptxlint_options *options, Session *session)
{
    TIMED(FLOW, ptx_session_cfg(session));
    if (!ptx_session_cfg(session))
        return;
    TIMED(LIVE, ptx_session_live(session));
    if (m->sessions->has_figures)
        ask_for_figures(m, options, session);
    TIMED(MIX, ptx_session_mixes(session));
    for (size_t g = 0; g < m->gpu_count && ptx_session_has_model(session); g++)
        TIMED(ESTIMATE, ptx_session_pressure(session, g));
}

/* Those asked for, or what the file's target says. */
static void choose_gpus(ptxlint_module *m, const ptxlint_options *options)
{
    size_t count = options->gpu_count ? options->gpu_count : 1;
    m->gpus = ptx_arena_array(&m->arena, const Gpu *, count);
    for (size_t g = 0; g < options->gpu_count; g++)
        m->gpus[m->gpu_count++] = ptx_gpu_of(options->gpus[g]);
    if (!options->gpu_count && m->ir->target.sm && (m->gpus[0] = ptx_gpu_find_target(m->ir->target)))
        m->gpu_count = 1;
}

/* NULL without a profile. */
static RuleTimes *begin_times(ptxlint_module *m, const ptxlint_options *options)
{
    const Rulebook *book = ptx_config_rulebook(options->config);
    if (!options->profile)
        return NULL;
    RuleTimes *times = ptx_arena_new(&m->arena, RuleTimes);
    times->now = ptx_profile_clock;
    for (uint32_t s = 0; s < book->set_count; s++) {
        times->seconds[s] = ptx_arena_array(&m->arena, double, book->sets[s]->rule_count + 1);
        times->counts[s] = ptx_arena_array(&m->arena, uint64_t, book->sets[s]->rule_count + 1);
    }
    return times;
}

static void end_times(const RuleTimes *times, const ptxlint_options *options)
{
    const Rulebook *book = ptx_config_rulebook(options->config);
    for (uint32_t s = 0; times && s < book->set_count; s++)
        for (uint32_t r = 0; r < book->sets[s]->rule_count; r++)
            if (times->counts[s][r])
                ptx_profile_rule(options->profile, book->sets[s]->rules[r].info.code, times->seconds[s][r], times->counts[s][r]);
}

static const Launch *const *build_launches(ptxlint_module *m, const ptxlint_options *options)
{
    const Launch **launches = ptx_arena_array(&m->arena, const Launch *, m->ir->func_count + 1);
    for (FuncId f = 0; f < m->ir->func_count; f++)
        launches[f] = ptx_launch_build(&m->arena, options->launches, ptx_options_path(options), m->ir, &m->ir->funcs[f]);
    return launches;
}

/* NULL without a log. */
static const PtxasUsage *const *find_said(ptxlint_module *m, const ptxlint_options *options)
{
    const Module *ir = m->ir;
    if (!options->ptxas)
        return NULL;
    const PtxasUsage **said = ptx_arena_array(&m->arena, const PtxasUsage *, ir->func_count * m->gpu_count + 1);
    for (FuncId f = 0; f < ir->func_count; f++) {
        const char *name = ptx_arena_strndup(&m->arena, ir->text + ir->funcs[f].name.begin, ptx_span_length(ir->funcs[f].name));
        for (size_t g = 0; g < m->gpu_count; g++)
            said[f * m->gpu_count + g] = ptx_ptxas_find(options->ptxas, name, m->gpus[g]->sm);
    }
    return said;
}

/* Arenas but the module's are this thread's, and gone when the module is made: what was found lies in it. */
static void begin_sessions(ptxlint_module *m, const ptxlint_options *options, Arenas *arenas)
{
    bool wants_figures = !options->findings_only && !options->syntax_only;
    m->sessions = ptx_arena_new(&m->arena, Sessions);
    *m->sessions = (Sessions){
        .module = m->ir, .calls = m->calls, .launches = build_launches(m, options), .said = find_said(m, options),
        .gpus = m->gpus, .gpu_count = m->gpu_count, .has_figures = wants_figures,
        .diags = &m->diags, .arena = &m->arena, .work = &arenas->work, .temp = wants_figures ? &arenas->temp : &m->arena, .scratch = &arenas->scratch,
    };
    ptx_sessions_begin(m->sessions);
}

static void analyse_func(ptxlint_module *m, const ptxlint_options *options, Engine *engine, FuncId f)
{
    Session *session = ptx_session_at(m, f);
    m->diags.func = (int32_t)f;
    ptx_session_begin(session);
    ask_by_stage(m, options, session);
    if (m->ir->funcs[f].has_body) {
        TIMED(VIEW, ptx_view_func(m, options, f));
        TIMED(RULES, ptx_engine_run(engine, session));
    }
    ptx_session_end(session);
}

static void analyse(ptxlint_module *m, const ptxlint_options *options, Arenas *arenas)
{
    TIMED(CALLS, m->calls = ptx_callgraph_build(&m->arena, &arenas->scratch, m->ir));
    TIMED(FLOW, begin_sessions(m, options, arenas));
    RuleTimes *times = begin_times(m, options);
    Engine *engine = ptx_engine_new(m->sessions, ptx_config_rulebook(options->config), times);
    m->estimator = ptx_arena_new(&m->arena, EstimatorSlot);
    for (FuncId f = 0; f < m->ir->func_count; f++)
        analyse_func(m, options, engine, f);
    m->diags.func = -1;
    TIMED(RULES, ptx_engine_finish(engine));
    end_times(times, options);
}

/* The front end alone. */
static void view_syntax(ptxlint_module *m, const ptxlint_options *options, Arenas *arenas)
{
    begin_sessions(m, options, arenas);
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        if (!m->ir->funcs[f].has_body)
            continue;
        Session *session = ptx_session_at(m, f);
        ptx_session_begin(session);
        ptx_view_func(m, options, f);
        ptx_session_end(session);
    }
}

static void read_source(ptxlint_module *m, Arena *items, Arena *vectors, Arena *scratch)
{
    Parser *parser = ptx_parser_new(&m->arena, items, &m->diags, m->text, m->length);
    Lower *lower = ptx_lower_new(&m->arena, vectors, scratch, &m->diags, m->text, m->length);
    for (const AstItem *item; (item = ptx_parser_next(parser));)
        ptx_lower_item(lower, ptx_parser_header(parser), item);
    m->ir = ptx_lower_finish(lower, ptx_parser_header(parser));
}

static size_t memory_limit(const ptxlint_module *m, const ptxlint_options *options)
{
    if (options->max_memory_bytes)
        return options->max_memory_bytes;
    return m->length > (size_t)LIMIT_ARENA_FLOOR / LIMIT_ARENA_FACTOR ? m->length * LIMIT_ARENA_FACTOR : (size_t)LIMIT_ARENA_FLOOR;
}

/* False: memory ran out; the module is then only good for ptxlint_module_free. */
static bool run(ptxlint_module *m, const ptxlint_options *options, Arenas *arenas)
{
    jmp_buf on_failure;
    const size_t limit = memory_limit(m, options);
    ptx_arena_init(&m->arena, limit, &on_failure);
    ptx_arena_init(&arenas->temp, limit, &on_failure);
    ptx_arena_init(&arenas->work, limit, &on_failure);
    ptx_arena_init(&arenas->scratch, limit, &on_failure);
    if (setjmp(on_failure))
        return false;
    ptx_diag_init(&m->diags, &m->arena);
    ptx_profile_module(options->profile);
    TIMED(PARSE, read_source(m, &arenas->temp, &arenas->work, &arenas->scratch));
    ptx_arena_free(&arenas->temp);
    ptx_arena_free(&arenas->work);
    ptx_arena_init(&arenas->temp, limit, &on_failure);
    ptx_arena_init(&arenas->work, limit, &on_failure);
    choose_gpus(m, options);
    ptx_view_begin(m);
    if (options->syntax_only) {
        view_syntax(m, options, arenas);
    } else {
        analyse(m, options, arenas);
        TIMED(SUPPRESS, ptx_suppress(&m->arena, &arenas->scratch, &m->diags, m->ir, ptx_options_path(options), options->config));
    }
    ptx_suppress_known(&arenas->scratch, &m->diags, m->ir, options->baseline);
    TIMED(VIEW, ptx_view_kernels(m));
    if (!options->syntax_only && !options->findings_only)
        ptx_check_budget(m, &arenas->scratch, options->budget);
    ptx_diag_finish(&m->diags);
    TIMED(VIEW, ptx_view_finish(m, options));
    return true;
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/* Takes text, which it frees on failure. options->config is there. */
static ptxlint_status build_module(char *text, size_t length, const ptxlint_options *options, ptxlint_module **out)
{
    ptxlint_module *m = calloc(1, sizeof *m);
    if (!m) {
        free(text);
        return PTXLINT_NO_MEMORY;
    }
    m->text = text;
    m->length = length;
    Arenas arenas;
    bool complete = run(m, options, &arenas);
    ptx_arena_free(&arenas.temp);
    ptx_arena_free(&arenas.work);
    ptx_arena_free(&arenas.scratch);
    if (!complete) {
        ptxlint_module_free(m);
        return PTXLINT_NO_MEMORY;
    }
    *out = m;
    return PTXLINT_OK;
}

/* The same with or without a config: without one all rules but previews. */
static ptxlint_status module_from(char *text, size_t length, const ptxlint_options *options, ptxlint_module **out)
{
    ptxlint_options chosen = *options;
    ptxlint_config *config = NULL;
    if (!options->config && ptxlint_config_new(NULL, &config) != PTXLINT_OK) {
        free(text);
        return PTXLINT_NO_MEMORY;
    }
    if (config)
        chosen.config = config;
    ptxlint_status status = build_module(text, length, &chosen, out);
    ptxlint_config_free(config);
    return status;
}

static ptxlint_status check_options(const ptxlint_options *options)
{
    if (options->size != sizeof *options || (options->gpu_count && !options->gpus))
        return PTXLINT_BAD_ARGUMENT;
    for (size_t g = 0; g < options->gpu_count; g++)
        if (!options->gpus[g])
            return PTXLINT_BAD_ARGUMENT;
    return PTXLINT_OK;
}

ptxlint_status ptxlint_module_new(const char *text, size_t length, const ptxlint_options *options, ptxlint_module **out)
{
    ptxlint_options defaults;
    if (!out || (!text && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (!options) {
        ptxlint_options_init(&defaults);
        options = &defaults;
    }
    ptxlint_status status = check_options(options);
    if (status != PTXLINT_OK)
        return status;
    if (length > LIMIT_SOURCE_BYTES)
        return PTXLINT_TOO_LARGE;
    char *copy = malloc(length + 1);
    if (!copy)
        return PTXLINT_NO_MEMORY;
    if (length)
        memcpy(copy, text, length);
    copy[length] = 0;
    return module_from(copy, length, options, out);
}

/* Bytes that a regular file has left, or a guess to begin with. */
static size_t expected_bytes(FILE *file)
{
    struct stat status;
    if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode) || status.st_size < 0 || status.st_size > LIMIT_SOURCE_BYTES)
        return 1 << 16;
    return (size_t)status.st_size + 1;          /* one more, so that the end shows at the first try */
}

static ptxlint_status read_stream(FILE *file, char **out, size_t *length)
{
    size_t capacity = expected_bytes(file), n = 0;
    char *text = malloc(capacity + 1);
    while (text) {
        n += fread(text + n, 1, capacity - n, file);
        if (ferror(file) || n < capacity || n > LIMIT_SOURCE_BYTES)
            break;
        capacity *= 2;
        char *larger = realloc(text, capacity + 1);
        if (!larger)
            free(text);
        text = larger;
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

ptxlint_status ptxlint_module_open(const char *path, const ptxlint_options *options, ptxlint_module **out)
{
    if (!out || !path)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_options chosen;
    ptxlint_options_init(&chosen);
    ptxlint_status status = check_options(options ? options : &chosen);
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
    status = read_stream(file, &text, &length);
    int saved = errno;
    if (!standard_input)
        fclose(file);
    errno = saved;
    return status == PTXLINT_OK ? module_from(text, length, &chosen, out) : status;
}

void ptxlint_module_free(ptxlint_module *m)
{
    if (!m)
        return;
    ptx_estimator_free(m);
    ptx_arena_free(&m->arena);
    free(m->text);
    free(m);
}

const ptxlint_module_info *ptxlint_module_get_info(const ptxlint_module *m)
{
    return &m->info;
}

const ptxlint_diagnostic *ptxlint_module_diagnostics(const ptxlint_module *m, size_t *count)
{
    *count = m->diagnostic_count;
    return m->diagnostics;
}

const ptxlint_kernel *ptxlint_module_kernels(const ptxlint_module *m, size_t *count)
{
    *count = m->kernel_count;
    return m->kernels;
}

ptxlint_place ptxlint_module_place(const ptxlint_module *m, uint32_t offset)
{
    const Module *ir = m->ir;
    if (offset > m->length)
        offset = (uint32_t)m->length;
    uint32_t line = ptx_line_of(ir, offset);
    ptxlint_place place = { .line = line + 1, .column = offset - ir->lines[line] + 1, .line_begin = ir->lines[line] };
    place.line_end = line + 1 < ir->line_count ? ir->lines[line + 1] - 1 : (uint32_t)m->length;
    if (place.line_end > place.line_begin && m->text[place.line_end - 1] == '\r')
        place.line_end--;
    return place;
}

uint32_t ptxlint_module_column_utf16(const ptxlint_module *m, uint32_t offset)
{
    ptxlint_place place = ptxlint_module_place(m, offset);
    uint32_t column = 1;
    for (uint32_t i = place.line_begin; i < place.line_begin + place.column - 1; i++) {
        unsigned char c = (unsigned char)m->text[i];
        if ((c & 0xC0) != 0x80)         /* not a continuation byte: one unit, or two beyond the basic plane */
            column += c >= 0xF0 ? 2 : 1;
    }
    return column;
}
