/* ptxlint.c -- the pipeline as one function, and the life of a module. */
#include "api/config.h"
#include "api/gpu.h"
#include "api/launch.h"
#include "api/module.h"
#include "api/profile.h"
#include "api/suppress.h"

#include "analysis/work.h"
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

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

static const Throughput **analyse_throughput(ptxlint_module *m, Arena *scratch, const Func *func, const Facts *f)
{
    const Throughput **per_gpu = ptx_arena_array(&m->arena, const Throughput *, m->gpu_count + 1);
    for (size_t g = 0; g < m->gpu_count; g++)
        per_gpu[g] = ptx_throughput_compute(&m->arena, scratch, func, f->cfg, f->loops, f->trips, f->work, m->op_cycles[g], m->gpus[g]);
    return per_gpu;
}

#define TIMED(stage, action) \
    do { \
        ptx_profile_begin(options->profile, PROFILE_##stage); \
        action; \
        ptx_profile_end(options->profile, PROFILE_##stage); \
    } while (0)

static const Evaluation *evaluate(ptxlint_module *m, Arena *work, Arena *scratch, const Func *func, const Launch *launch)
{
    if (!m->program)
        m->program = ptx_program_new(&m->arena, m->ir, m->calls);
    return ptx_evaluate(&m->arena, work, scratch, m->program, (FuncId)(func - m->ir->funcs), launch, m->gpus[0], EVALUATE_STEPS_REPORT, DEPTH_WHOLE);
}

const Compiled *ptx_called_code(const ptxlint_module *m, Arena *arena, Arena *scratch, const Evaluation *evaluation, Target target)
{
    uint32_t count = evaluation ? evaluation->func_count : 0;
    Compiled *codes = ptx_arena_array(arena, Compiled, count + 1);
    for (uint32_t c = 0; c < count; c++) {
        FuncId id = evaluation->funcs[c].func;
        const Func *func = &m->ir->funcs[id];
        Facts f = m->facts[id];
        if (!f.cfg && (f.cfg = ptx_cfg_build(arena, scratch, m->ir, func))) {       /* defined behind the kernel */
            f.dom = ptx_dom_compute(arena, scratch, f.cfg);
            f.loops = ptx_loops_compute(arena, scratch, f.cfg, f.dom);
        }
        if (f.cfg && !f.uniforms)
            f.uniforms = ptx_uniform_compute(arena, scratch, m->ir, func, f.cfg, f.dom, f.loops, NULL);
        codes[c] = (Compiled){ func, f.cfg, f.loops, f.cfg ? ptx_lowered_compute(arena, scratch, m->ir, func, f.cfg, f.dom, f.loops, f.uniforms, target) : NULL };
    }
    return codes;
}

/* What ptxas makes of a kernel on each GPU, and what the launch executes of it. */
static void estimate(ptxlint_module *m, Arena *scratch, const Func *func, Facts *f)
{
    const Lowered **lowered = ptx_arena_array(&m->arena, const Lowered *, m->gpu_count);
    Executed *executed = ptx_arena_array(&m->arena, Executed, m->gpu_count);
    Pressure *pressures = ptx_arena_array(&m->arena, Pressure, m->gpu_count);
    const Parallelisms **parallelisms = ptx_arena_array(&m->arena, const Parallelisms *, m->gpu_count);
    for (size_t g = 0; g < m->gpu_count; g++) {
        lowered[g] = ptx_lowered_compute(&m->arena, scratch, m->ir, func, f->cfg, f->dom, f->loops, f->uniforms, m->gpus[g]->target);
        parallelisms[g] = ptx_parallelism_compute(&m->arena, scratch, func, f->cfg, f->loops, lowered[g], f->evaluation, NULL, m->gpus[g]);
        const Compiled own = { func, f->cfg, f->loops, lowered[g] };
        executed[g] = ptx_executed_compute(&own, ptx_called_code(m, &m->arena, scratch, f->evaluation, m->gpus[g]->target), f->evaluation);
        pressures[g] = ptx_pressure_compute(scratch, m->ir, func, f->cfg, f->loops, f->live, lowered[g], m->gpus[g]);
    }
    f->lowered = lowered;
    f->executed = executed;
    f->parallelisms = parallelisms;
    f->pressures = pressures;
}

/* Findings on occupancy rest on registers, and are made where the block is known. */
static void find_registers(ptxlint_module *m, Arena *scratch, const Func *func, Facts *f)
{
    const Lowered **lowered = ptx_arena_array(&m->arena, const Lowered *, m->gpu_count);
    Pressure *pressures = ptx_arena_array(&m->arena, Pressure, m->gpu_count);
    for (size_t g = 0; g < m->gpu_count; g++) {
        lowered[g] = ptx_lowered_compute(&m->arena, scratch, m->ir, func, f->cfg, f->dom, f->loops, f->uniforms, m->gpus[g]->target);
        pressures[g] = ptx_pressure_compute(scratch, m->ir, func, f->cfg, f->loops, f->live, lowered[g], m->gpus[g]);
    }
    f->lowered = lowered;
    f->pressures = pressures;
}

/* One line per stage. Each result is const to the stages below. */
static void analyse_func(ptxlint_module *m, const ptxlint_options *options, Arena *work, Arena *scratch, const Func *func, Facts *facts)
{
    Arena *a = &m->arena;
    TIMED(FLOW, facts->launch = ptx_launch_build(a, options->launches, m->ir, func));
    TIMED(FLOW, facts->cfg = ptx_cfg_build(a, scratch, m->ir, func));
    if (!facts->cfg)
        return;
    TIMED(FLOW, facts->dom = ptx_dom_compute(a, scratch, facts->cfg));
    TIMED(FLOW, facts->loops = ptx_loops_compute(a, scratch, facts->cfg, facts->dom));
    TIMED(LIVE, facts->live = ptx_live_compute(a, scratch, &m->diags, func, facts->cfg));
    if (!options->findings_only)
        TIMED(TRIPS, facts->trips = ptx_trips_compute(a, scratch, m->ir, func, facts->cfg, facts->dom, facts->loops, facts->launch));
    TIMED(MIX, facts->mixes = ptx_mix_compute(a, scratch, func, facts->cfg, facts->loops, facts->trips));
    if (!options->findings_only && m->gpu_count)
        TIMED(THROUGHPUT, facts->work = ptx_work_compute(a, scratch, func, facts->cfg, facts->loops, facts->live));
    if (!options->findings_only)
        TIMED(THROUGHPUT, facts->throughputs = analyse_throughput(m, scratch, func, facts));
    bool has_registers = func->is_entry && m->gpu_count && facts->launch->block[0];
    if (!options->findings_only || has_registers)
        TIMED(FLOW, facts->uniforms = ptx_uniform_compute(a, scratch, m->ir, func, facts->cfg, facts->dom, facts->loops, facts->launch));
    if (!options->findings_only && func->is_entry && m->gpu_count)
        TIMED(EVALUATE, facts->evaluation = evaluate(m, work, scratch, func, facts->launch));
    if (!options->findings_only && func->is_entry && m->gpu_count)
        TIMED(ESTIMATE, estimate(m, scratch, func, facts));
    else if (has_registers)
        TIMED(ESTIMATE, find_registers(m, scratch, func, facts));
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

static void analyse(ptxlint_module *m, const ptxlint_options *options, Arena *work, Arena *scratch)
{
    Facts *facts = ptx_arena_array(&m->arena, Facts, m->ir->func_count ? m->ir->func_count : 1);
    TIMED(CALLS, m->calls = ptx_callgraph_build(&m->arena, scratch, m->ir));
    RuleTimes *times = begin_times(m, options);
    Engine *engine = ptx_engine_new(&m->arena, work, scratch, &m->diags, m->ir, m->calls, m->gpu_count ? m->gpus[0] : NULL,
                                    ptx_config_rulebook(options->config), times);
    m->facts = facts;
    m->estimator = ptx_arena_new(&m->arena, EstimatorSlot);
    m->op_cycles = ptx_arena_array(&m->arena, const OpCycles *, m->gpu_count + 1);
    for (size_t g = 0; g < m->gpu_count && !options->findings_only; g++)
        TIMED(THROUGHPUT, m->op_cycles[g] = ptx_throughput_ops(&m->arena, m->ir, m->gpus[g]));
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        const Func *func = &m->ir->funcs[f];
        m->diags.func = (int32_t)f;
        facts[f].calls = &m->calls->nodes[f];
        analyse_func(m, options, work, scratch, func, &facts[f]);
        if (!func->has_body)
            continue;
        TIMED(VIEW, ptx_view_func(m, options, scratch, f, &facts[f].figures));
        TIMED(RULES, ptx_engine_run(engine, func, &facts[f]));
    }
    m->diags.func = -1;
    TIMED(RULES, ptx_engine_finish(engine));
    end_times(times, options);
}

/* The front end alone. */
static void view_syntax(ptxlint_module *m, const ptxlint_options *options, Arena *scratch)
{
    Figures unused;
    for (FuncId f = 0; f < m->ir->func_count; f++)
        if (m->ir->funcs[f].has_body)
            ptx_view_func(m, options, scratch, f, &unused);
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
static bool run(ptxlint_module *m, const ptxlint_options *options, Arena *items, Arena *vectors, Arena *scratch)
{
    jmp_buf on_failure;
    const size_t limit = memory_limit(m, options);
    ptx_arena_init(&m->arena, limit, &on_failure);
    ptx_arena_init(items, limit, &on_failure);
    ptx_arena_init(vectors, limit, &on_failure);
    ptx_arena_init(scratch, limit, &on_failure);
    if (setjmp(on_failure))
        return false;
    ptx_diag_init(&m->diags, &m->arena);
    ptx_profile_module(options->profile);
    TIMED(PARSE, read_source(m, items, vectors, scratch));
    ptx_arena_free(items);
    ptx_arena_free(vectors);
    ptx_arena_init(vectors, limit, &on_failure);        /* from here on: what the rules need of one function */
    choose_gpus(m, options);
    ptx_view_begin(m);
    if (options->syntax_only) {
        view_syntax(m, options, scratch);
    } else {
        analyse(m, options, vectors, scratch);
        TIMED(SUPPRESS, ptx_suppress(&m->arena, scratch, &m->diags, m->ir, options->path ? options->path : "-", options->config));
    }
    ptx_suppress_known(scratch, &m->diags, m->ir, options->baseline);
    TIMED(VIEW, ptx_view_kernels(m));
    if (!options->syntax_only && !options->findings_only)
        ptx_check_budget(m, scratch, options->budget);
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
    Arena items, vectors, scratch;
    bool complete = run(m, options, &items, &vectors, &scratch);
    ptx_arena_free(&items);
    ptx_arena_free(&vectors);
    ptx_arena_free(&scratch);
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
