/* analyse.c -- the functions of a module, each analysed by one of several threads, the largest
 * first. What threads share is const; what they find is put together in the order of the functions,
 * so that it is the same for any number of them. */
#include "findings/config.h"
#include "input/launch.h"
#include "api/again/history.h"
#include "api/module.h"
#include "api/profile.h"
#include "api/again/same_code.h"
#include "input/ptxas.h"
#include "model/view.h"

#include "rules/engine.h"
#include "support/guard.h"
#include "support/limits.h"
#include "analysis/sim/program.h"
#include "analysis/value/launch.h"
#include "ir/module.h"
#include "analysis/flow/callgraph.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "session/session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_JOBS = 256 };

typedef struct Crew Crew;

/* Of a thread, for a GPU behind the first: findings alone. */
typedef struct BesideFinder {
    Sessions sessions;
    DiagSink sink;              /* of the function in hand */
    Engine *engine;
} BesideFinder;

/* One thread's. */
typedef struct AnalysisThread {
    Crew *crew;
    Arena *kept;                /* the module's own, or one of its parts */
    Arena work, temp, scratch;
    Arena figures;              /* that are taken, of the function in hand */
    ArenaRegion region;         /* of these four; the first thread has the caller's */
    Sessions *sessions;
    DiagSink sink;              /* of the function in hand */
    Engine *engine;             /* NULL: the front end alone is wanted */
    SameFindings *same;         /* of kernels with the code of others; NULL: there are none */
    BesideFinder *beside;       /* per GPU behind the first, where findings are wanted */
    pthread_t thread;
    bool is_complete;
} AnalysisThread;

struct Crew {
    ptxlint_module *module;
    const ptxlint_options *options;
    const Launch *const *launches;      /* per function */
    const PtxasUsage *const *said;      /* per function and GPU; NULL: there is no log */
    const RuleTimes *times;     /* NULL: not wanted */
    const SimCode *code;        /* NULL: nothing is run */
    Recall *recall;             /* NULL: nothing is known from before */
    const SameCode *same;       /* kernels with the same code; NULL: there are none */
    bool is_taken;              /* the caller takes figures, none are kept */
    bool is_overview;           /* of figures the caller wants registers and occupancy alone */
    FuncId *order;              /* largest first; of taken figures: of a document */
    size_t *kernel_of;          /* per function with a body: its number among them */
    DiagSink *found;            /* per function: what was found in it */
    /* per GPU behind the first, what is here per function; NULL: there is none */
    DiagSink **found_beside;
    const PtxasUsage *const **said_beside;
    const Sessions ***known_beside;
    const Sessions **known_by;  /* per function */
    AnalysisThread *workers;
    unsigned worker_count;
    atomic_size_t next;         /* of order: the first that no worker has taken */
};

/* ---- one function ---------------------------------------------------------------------------- */

/* Asks for what figures rest on. */
static void ask_for_figures(const Sessions *all, const ptxlint_options *options, Session *session)
{
    TIMED(TRIPS, ptx_session_trips(session));
    TIMED(MIX, ptx_session_mixes(session));
    for (size_t g = 0; g < all->gpu_count; g++)
        TIMED(THROUGHPUT, ptx_session_throughput(session, g));
    TIMED(FLOW, ptx_session_uniforms(session));
    if (!ptx_session_is_projected(session))
        return;
    TIMED(EVALUATE, ptx_session_evaluation(session, BUDGET_FIGURES));
    for (size_t g = 0; g < all->gpu_count; g++)
        TIMED(ESTIMATE, ptx_session_executed(session, g));
}

/* Asks for what trials take whatever the launch. */
static void ask_for_estimates(const Sessions *all, const ptxlint_options *options, Session *session)
{
    if (!ptx_session_cfg(session))
        return;
    TIMED(LIVE, ptx_session_live(session));
    TIMED(TRIPS, ptx_session_trips(session));
    TIMED(FLOW, ptx_session_uniforms(session));
    TIMED(FLOW, ptx_session_work(session));
    TIMED(FLOW, ptx_session_demand(session));
    for (size_t g = 0; g < all->gpu_count && ptx_session_has_model(session); g++)
        TIMED(ESTIMATE, ptx_session_pressure(session, g));
}

/* A session computes what it is asked for, whoever asks. The stages in order, so that a profile
 * says what each of them takes. */
static void ask_by_stage(const Sessions *all, const ptxlint_options *options, Session *session)
{
    TIMED(FLOW, ptx_session_cfg(session));
    if (!ptx_session_cfg(session))
        return;
    TIMED(LIVE, ptx_session_live(session));
    if (all->has_figures)
        ask_for_figures(all, options, session);
    TIMED(MIX, ptx_session_mixes(session));
    for (size_t g = 0; g < all->gpu_count && ptx_session_has_model(session); g++)
        TIMED(ESTIMATE, ptx_session_pressure(session, g));
}

/* Called once the sink is that of the kernel. */
static void tell_of_calls(AnalysisThread *w, FuncId kernel)
{
    const Crew *crew = w->crew;
    if (crew->code && ptx_code_skips_calls(crew->code, kernel))
        ptx_diag(&w->sink, DIAG_CALLS_LIMIT, crew->module->ir->funcs[kernel].name,
                 "calls of this kernel are not followed: kernels of this file call more than "
                 "%u instructions, and %u for each of the file",
                 (unsigned)LIMIT_CALLED_INSNS, (unsigned)LIMIT_CALLED_INSNS_PER_INSN);
}

/* For the only GPU. */
static void find_once(AnalysisThread *w, Session *session)
{
    const FuncId f = (FuncId)w->sink.func;
    const DiagSink before = w->sink;
    if (ptx_same_findings_add(w->same, f, &w->sink))
        return;
    ptx_engine_run(w->engine, session);
    ptx_same_findings_note(w->same, f, &before, &w->sink);
}

/* What rules find in the function in hand, for one of the GPUs. */
static void find_by_rules(const Crew *crew, Engine *engine, Session *session, size_t gpu,
                          DiagSink *sink)
{
    const FuncId f = (FuncId)sink->func;
    if (ptx_recall_add(crew->recall, f, gpu, sink))
        return;
    ptx_engine_run(engine, session);
    ptx_recall_note(crew->recall, f, gpu, sink);
}

static void find_in_function(AnalysisThread *w, Session *session)
{
    if (w->same)
        find_once(w, session);
    else
        find_by_rules(w->crew, w->engine, session, 0, &w->sink);
}

/* As a lint for that GPU would. */
static void analyse_beside(AnalysisThread *w, Session *first, FuncId f, size_t gpu)
{
    const Crew *crew = w->crew;
    BesideFinder *b = &w->beside[gpu - 1];
    Session *session = ptx_sessions_of(&b->sessions, f);
    ptx_diag_init(&b->sink, w->kept);
    b->sink.func = (int32_t)f;
    ptx_session_begin_beside(session, first, gpu);
    if (ptx_session_has_model(session))
        ptx_session_pressure(session, 0);
    find_by_rules(crew, b->engine, session, gpu, &b->sink);
    ptx_session_end(session);
    crew->found_beside[gpu - 1][f] = b->sink;
    crew->known_beside[gpu - 1][f] = &b->sessions;
}

/* The same as an earlier one: the caller took it, and rules find what they found there. */
static bool take_as_first(const AnalysisThread *w, FuncId f, ptxlint_kernel *kernel)
{
    const Crew *crew = w->crew;
    const FuncId *firsts = ptx_same_code_firsts(crew->same);
    if (!crew->is_taken || !crew->options->take_same || !firsts || firsts[f] == NO_ID
        || firsts[f] == f
        || !ptx_same_findings_are_all(w->same, firsts[f], &crew->found[firsts[f]])
        || !ptx_same_code_keeps_columns(crew->same, f))
        return false;
    const ptxlint_kernel *first = &crew->module->kernels[crew->kernel_of[firsts[f]]];
    ptx_view_taken(w->sessions, f, kernel);
    kernel->same_count = ptx_same_code_count(crew->same, f);
    return crew->options->take_same(crew->options->take_context, crew->module, kernel, first) != 0;
}

/* How many others may be taken as this one is. */
static size_t count_same_as(const AnalysisThread *w, FuncId f)
{
    const Crew *crew = w->crew;
    const FuncId *firsts = ptx_same_code_firsts(crew->same);
    return crew->options->take_same && firsts && firsts[f] == f
                   && ptx_same_findings_are_all(w->same, f, &w->sink)
               ? ptx_same_code_count(crew->same, f)
               : 0;
}

static void hand_out(const AnalysisThread *w, FuncId f, ptxlint_kernel *kernel)
{
    const ptxlint_options *options = w->crew->options;
    kernel->same_count = count_same_as(w, f);
    options->take_kernel(options->take_context, w->crew->module, kernel);
}

static void analyse_func(AnalysisThread *w, FuncId f)
{
    const Crew *crew = w->crew;
    const ptxlint_options *options = crew->options;
    ptxlint_module *m = crew->module;
    Session *session = ptx_sessions_of(w->sessions, f);
    ptxlint_kernel *kernel = m->ir->funcs[f].has_body ? &m->kernels[crew->kernel_of[f]] : NULL;
    ptx_diag_init(&w->sink, w->kept);
    w->sink.func = (int32_t)f;
    tell_of_calls(w, f);
    ptx_session_begin(session);
    const bool is_taken = kernel && crew->is_taken,
               is_same = is_taken && take_as_first(w, f, kernel);
    if (w->engine && !is_same)
        ask_by_stage(w->sessions, options, session);
    else if (w->sessions->is_for_estimates)
        ask_for_estimates(w->sessions, options, session);
    if (kernel) {
        if (!is_same)
            TIMED(VIEW, ptx_view_func(w->sessions, f, kernel));
        if (w->engine)
            TIMED(RULES, find_in_function(w, session));
        for (size_t g = 1; w->beside && g < m->gpu_count; g++)
            TIMED(RULES, analyse_beside(w, session, f, g));
    }
    if (is_taken && !is_same)
        TIMED(VIEW, hand_out(w, f, kernel));
    ptx_session_end(session);
    if (is_taken)
        ptx_view_taken(w->sessions, f, kernel);
    crew->found[f] = w->sink;
    crew->known_by[f] = w->sessions;
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Arenas but kept are gone when the module is made: what was found lies in it. */
static void begin_sessions(AnalysisThread *w)
{
    const Crew *crew = w->crew;
    ptxlint_module *m = crew->module;
    const bool has_figures = ptx_wants_figures(crew->options) && !crew->is_overview;
    w->sessions = ptx_arena_new(w->kept, Sessions);
    *w->sessions = (Sessions){
        .module = m->ir,
        .calls = m->calls,
        .code = crew->code,
        .launches = crew->launches,
        .said = crew->said,
        .gpus = m->gpus,
        .gpu_count = m->gpu_count,
        .has_figures = has_figures,
        .has_overview = crew->is_overview,
        .first_of_code = ptx_same_code_firsts(crew->same),
        /* ptxlint_coverage looks lines up in loops */
        .is_for_estimates = has_figures && crew->options->estimates_only,
        .keeps_live = has_figures && crew->options->has_symbols,
        .has_instructions = has_figures && crew->options->has_instructions,
        .is_unfolded = crew->options->is_unfolded,
        .diags = &w->sink,
        .arena = w->kept,
        .work = &w->work,
        .temp = &w->temp,
        .scratch = &w->scratch,
    };
    if (crew->is_taken)
        w->sessions->figures = &w->figures;
    ptx_sessions_begin(w->sessions);
}

static void begin_beside(AnalysisThread *w)
{
    const Crew *crew = w->crew;
    const ptxlint_module *m = crew->module;
    w->beside = ptx_arena_array(w->kept, BesideFinder, m->gpu_count - 1);
    for (size_t g = 1; g < m->gpu_count; g++) {
        BesideFinder *b = &w->beside[g - 1];
        b->sessions = (Sessions){
            .module = m->ir,
            .calls = m->calls,
            .code = crew->code,
            .launches = crew->launches,
            .said = crew->said_beside[g - 1],
            .gpus = m->gpus + g,
            .gpu_count = 1,
            .is_unfolded = crew->options->is_unfolded,
            .diags = &b->sink,
            .arena = w->kept,
            .work = &w->work,
            .temp = &w->temp,
            .scratch = &w->scratch,
        };
        ptx_sessions_begin(&b->sessions);
        b->engine = ptx_engine_new(&b->sessions, ptx_config_rulebook(crew->options->config), NULL);
    }
}

static void analyse_functions(AnalysisThread *w)
{
    Crew *crew = w->crew;
    const ptxlint_options *options = crew->options;
    const size_t count = crew->module->ir->func_count;
    TIMED(FLOW, begin_sessions(w));
    if (!options->syntax_only && !w->sessions->is_for_estimates)
        w->engine = ptx_engine_new(w->sessions, ptx_config_rulebook(options->config), crew->times);
    if (w->engine && crew->same)
        w->same = ptx_same_findings_new(w->kept, crew->same);
    if (w->engine && crew->found_beside)
        begin_beside(w);
    for (size_t i; (i = atomic_fetch_add(&crew->next, 1)) < count;) {
        if (ptx_is_stopped(options))
            ptx_arena_fail(w->kept);
        analyse_func(w, crew->order[i]);
    }
}

typedef struct AnalysisStep {
    AnalysisThread *thread;
    void (*run)(AnalysisThread *);
} AnalysisStep;

static void run_analysis_step(void *context)
{
    const AnalysisStep *step = context;
    step->run(step->thread);
}

/* False: memory ran out. */
static bool attempt(AnalysisThread *w, void (*step)(AnalysisThread *))
{
    AnalysisStep call = { w, step };
    Arena *const arenas[GUARD_ARENAS_MAX] = { w->kept, &w->work, &w->temp, &w->scratch,
                                              &w->figures };
    return ptx_run_guarded(arenas, run_analysis_step, &call);
}

static void *run_analysis_thread(void *context)
{
    AnalysisThread *w = context;
    w->is_complete = attempt(w, analyse_functions);
    if (!w->is_complete)
        /* no other need be started */
        atomic_store(&w->crew->next, w->crew->module->ir->func_count);
    return NULL;
}

/* The first worker is the calling thread. Fewer threads than asked for will do. */
static void run_workers(Crew *crew)
{
    unsigned begun = 1;
    while (begun < crew->worker_count
           && !pthread_create(&crew->workers[begun].thread, NULL, run_analysis_thread,
                              &crew->workers[begun]))
        begun++;
    run_analysis_thread(&crew->workers[0]);
    for (unsigned i = 1; i < begun; i++)
        pthread_join(crew->workers[i].thread, NULL);
    crew->worker_count = begun;
}

static bool all_complete(const Crew *crew)
{
    for (unsigned i = 0; i < crew->worker_count; i++)
        if (!crew->workers[i].is_complete)
            return false;
    return true;
}

/* ---- before: what they share ----------------------------------------------------------------- */

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
                ptx_profile_rule(options->profile, book->sets[s]->rules[r].info.code,
                                 times->seconds[s][r], times->counts[s][r]);
}

static const Launch *const *build_launches(ptxlint_module *m, const ptxlint_options *options)
{
    const Launch **launches = ptx_arena_array(&m->arena, const Launch *, m->ir->func_count + 1);
    const LaunchSource source = { options->launches, m->found, ptx_options_path(options),
                                  options->launch_number };
    for (FuncId f = 0; f < m->ir->func_count; f++)
        launches[f] = ptx_launch_build(&m->arena, &source, m->ir, &m->ir->funcs[f]);
    return launches;
}

/* What a log says per function, and for each per GPU from the first on; NULL without one. */
static const PtxasUsage *const *find_said(ptxlint_module *m, const ptxlint_options *options,
                                          size_t first, size_t count)
{
    const Module *ir = m->ir;
    if (!options->ptxas)
        return NULL;
    const PtxasUsage **said = ptx_arena_array(&m->arena, const PtxasUsage *,
                                              ir->func_count * count + 1);
    for (FuncId f = 0; f < ir->func_count; f++) {
        const char *name = ptx_arena_strndup(&m->arena, ir->text + ir->funcs[f].name.begin,
                                             ptx_span_length(ir->funcs[f].name));
        for (size_t g = 0; g < count; g++)
            said[f * count + g] = ptx_ptxas_find(options->ptxas, name, m->gpus[first + g]->sm);
    }
    return said;
}

/* Findings are wanted for more GPUs than one. */
static void prepare_beside(Crew *crew)
{
    ptxlint_module *m = crew->module;
    const size_t funcs = m->ir->func_count + 1, count = m->gpu_count - 1;
    m->beside = ptx_arena_array(&m->arena, DiagSink, count);
    crew->found_beside = ptx_arena_array(&m->arena, DiagSink *, count);
    crew->said_beside = ptx_arena_array(&m->arena, const PtxasUsage *const *, count);
    crew->known_beside = ptx_arena_array(&m->arena, const Sessions **, count);
    for (size_t g = 0; g < count; g++) {
        ptx_diag_init(&m->beside[g], &m->arena);
        ptx_diag_append(&m->beside[g], &m->diags);      /* the front end's */
        crew->found_beside[g] = ptx_arena_array(&m->arena, DiagSink, funcs);
        crew->known_beside[g] = ptx_arena_array(&m->arena, const Sessions *, funcs);
        crew->said_beside[g] = find_said(m, crew->options, g + 1, 1);
    }
}

typedef struct FuncSize {
    FuncId func;
    uint32_t insns;
} FuncSize;

static int by_size(const void *pa, const void *pb)
{
    const FuncSize *a = pa, *b = pb;
    if (a->insns != b->insns)
        return a->insns > b->insns ? -1 : 1;
    return a->func < b->func ? -1 : a->func > b->func;
}

/* As documents have them. */
static void order_kernels_first(Crew *crew)
{
    const Module *ir = crew->module->ir;
    size_t count = 0;
    for (int is_entry = 1; is_entry >= 0; is_entry--)
        for (FuncId f = 0; f < ir->func_count; f++)
            if (ir->funcs[f].is_entry == is_entry)
                crew->order[count++] = f;
}

static void order_functions(Crew *crew, Arena *scratch)
{
    const Module *ir = crew->module->ir;
    ArenaMark mark = ptx_arena_mark(scratch);
    FuncSize *sizes = ptx_arena_array(scratch, FuncSize, ir->func_count + 1);
    for (FuncId f = 0; f < ir->func_count; f++)
        sizes[f] = (FuncSize){ f, ir->funcs[f].insn_count };
    if (crew->worker_count > 1)
        qsort(sizes, ir->func_count, sizeof *sizes, by_size);
    for (FuncId f = 0; f < ir->func_count; f++)
        crew->order[f] = sizes[f].func;
    ptx_arena_release(scratch, mark);
}

/* Functions with a body, in order. */
static void number_kernels(Crew *crew)
{
    ptxlint_module *m = crew->module;
    crew->kernel_of = ptx_arena_array(&m->arena, size_t, m->ir->func_count + 1);
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        crew->kernel_of[f] = m->kernel_count;
        m->kernel_count += m->ir->funcs[f].has_body;
    }
    m->kernels = ptx_arena_array(&m->arena, ptxlint_kernel, m->kernel_count + 1);
    m->kernel_funcs = ptx_arena_array(&m->arena, FuncId, m->kernel_count + 1);
    for (FuncId f = 0; f < m->ir->func_count; f++)
        if (m->ir->funcs[f].has_body)
            m->kernel_funcs[crew->kernel_of[f]] = f;
}

/* The table of a report has no times where no grid is known; of one kernel it has all figures. */
static bool is_overview_enough(const Crew *crew)
{
    const ptxlint_options *options = crew->options;
    const Module *ir = crew->module->ir;
    size_t kernels = 0;
    if (!options->overview_only || !ptx_wants_figures(options) || options->estimates_only
        || options->has_instructions || options->has_symbols || options->budget)
        return false;
    for (FuncId f = 0; f < ir->func_count; f++) {
        if (crew->launches[f]->grid[0] || crew->launches[f]->count > 1)
            return false;
        kernels += ir->funcs[f].has_body && ir->funcs[f].is_entry;
    }
    return kernels > 1;
}

/* Nothing but a document asks for figures again, and that has the functions in this order. */
static bool are_figures_taken(const Crew *crew)
{
    const ptxlint_options *options = crew->options;
    if (!options->take_kernel || !ptx_wants_figures(options) || options->overview_only
        || options->estimates_only
        || options->has_symbols || options->budget || crew->module->found
        || crew->worker_count > 1)
        return false;
    for (FuncId f = 0; f < crew->module->ir->func_count; f++)
        if (crew->launches[f]->count > 1)
            return false;
    return true;
}

static void prepare(AnalysisThread *w)
{
    Crew *crew = w->crew;
    ptxlint_module *m = crew->module;
    const ptxlint_options *options = crew->options;
    if (!options->syntax_only)
        TIMED(CALLS, m->calls = ptx_callgraph_build(&m->arena, &w->scratch, m->ir));
    if (m->calls)
        TIMED(EVALUATE, crew->code = ptx_code_new(&m->arena, m->ir, m->calls));
    TIMED(FLOW, crew->launches = build_launches(m, options));
    crew->is_taken = are_figures_taken(crew);
    crew->is_overview = is_overview_enough(crew);
    crew->said = find_said(m, options, 0, m->gpu_count);
    crew->times = begin_times(m, options);
    crew->found = ptx_arena_array(&m->arena, DiagSink, m->ir->func_count + 1);
    crew->known_by = ptx_arena_array(&m->arena, const Sessions *, m->ir->func_count + 1);
    m->estimator = ptx_arena_new(&m->arena, EstimatorSlot);
    if (m->gpu_count > 1 && m->calls && !(ptx_wants_figures(options) && options->estimates_only))
        prepare_beside(crew);
    crew->recall = ptx_recall_new(m, options, crew->code, &w->scratch);
    TIMED(FLOW, crew->same = ptx_same_code_find(m, options, crew->launches, &w->scratch));
    number_kernels(crew);
    crew->order = ptx_arena_array(&m->arena, FuncId, m->ir->func_count + 1);
    if (crew->is_taken)
        order_kernels_first(crew);
    else
        order_functions(crew, &w->scratch);
}

/* ---- after: what they found ------------------------------------------------------------------ */

/* What the first thread's engine says of the module comes last. */
static void put_beside_together(AnalysisThread *w, size_t g)
{
    const Crew *crew = w->crew;
    DiagSink *to = &crew->module->beside[g];
    BesideFinder *b = &w->beside[g];
    for (FuncId f = 0; f < crew->module->ir->func_count; f++) {
        if (crew->known_beside[g][f])
            ptx_sessions_take(&b->sessions, crew->known_beside[g][f], f);
        ptx_diag_append(to, &crew->found_beside[g][f]);
    }
    ptx_diag_init(&b->sink, w->kept);
    ptx_engine_finish(b->engine);
    ptx_diag_append(to, &b->sink);
}

static void put_together(AnalysisThread *w)
{
    const Crew *crew = w->crew;
    const ptxlint_options *options = crew->options;
    ptxlint_module *m = crew->module;
    m->sessions = w->sessions;
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        ptx_sessions_take(m->sessions, crew->known_by[f], f);
        ptx_diag_append(&m->diags, &crew->found[f]);
    }
    m->info.unchanged_count = ptx_recall_finish(crew->recall);
    ptx_diag_init(&w->sink, w->kept);
    if (w->engine)
        TIMED(RULES, ptx_engine_finish(w->engine));
    if (crew->is_taken)
        m->sessions->has_figures = false;
    ptx_diag_append(&m->diags, &w->sink);
    for (size_t g = 1; w->beside && g < m->gpu_count; g++)
        put_beside_together(w, g - 1);
    end_times(crew->times, options);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A profile is one thread's, and there is no use for more threads than functions. */
static unsigned count_workers(const ptxlint_module *m, const ptxlint_options *options)
{
    unsigned jobs = options->jobs > 1 && !options->profile && !options->syntax_only ? options->jobs
                                                                                    : 1;
    jobs = jobs < MAX_JOBS ? jobs : MAX_JOBS;
    unsigned bodies = 0;
    for (FuncId f = 0; f < m->ir->func_count && bodies < jobs; f++)
        bodies += m->ir->funcs[f].has_body;
    return bodies ? bodies : 1;
}

/* False: no memory. */
static bool hire(Crew *crew, size_t limit, ArenaRegion *region)
{
    ptxlint_module *m = crew->module;
    crew->worker_count = count_workers(m, crew->options);
    crew->workers = calloc(crew->worker_count, sizeof *crew->workers);
    m->parts = calloc(crew->worker_count, sizeof *m->parts);
    if (!crew->workers || !m->parts)
        return false;
    m->part_count = crew->worker_count - 1;
    for (unsigned i = 0; i < crew->worker_count; i++) {
        AnalysisThread *w = &crew->workers[i];
        w->crew = crew;
        w->kept = i ? &m->parts[i - 1] : &m->arena;
        if (i)
            ptx_arena_begin(w->kept, limit, crew->options);
        ptx_arena_begin(&w->work, limit, crew->options);
        ptx_arena_begin(&w->temp, limit, crew->options);
        ptx_arena_begin(&w->scratch, limit, crew->options);
        ptx_arena_begin(&w->figures, limit, crew->options);
        ArenaRegion *const own = i ? &w->region : region;
        if (region)
            w->work.region = w->temp.region = w->scratch.region = w->figures.region = own;
    }
    return true;
}

static void dismiss(Crew *crew, unsigned count)
{
    for (unsigned i = 0; crew->workers && i < count; i++) {
        ptx_arena_free(&crew->workers[i].work);
        ptx_arena_free(&crew->workers[i].temp);
        ptx_arena_free(&crew->workers[i].scratch);
        ptx_arena_free(&crew->workers[i].figures);
        ptx_region_close(&crew->workers[i].region);
    }
    free(crew->workers);
}

bool ptx_analyse(ptxlint_module *m, const ptxlint_options *options, size_t limit,
                 ArenaRegion *region)
{
    Crew crew = { .module = m, .options = options };
    bool is_complete = hire(&crew, limit, region);
    const unsigned hired = crew.worker_count;
    if (is_complete && (is_complete = attempt(&crew.workers[0], prepare))) {
        run_workers(&crew);
        is_complete = all_complete(&crew) && attempt(&crew.workers[0], put_together);
    }
    dismiss(&crew, hired);
    return is_complete;
}
