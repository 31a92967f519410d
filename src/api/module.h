/* module.h -- what a ptxlint_module holds. */
#ifndef PTX_API_MODULE_H
#define PTX_API_MODULE_H

#include "analysis/flow/types.h"
#include "ptxlint/ptxlint.h"
#include "session/session.h"
#include "findings/use_log.h"
#include "support/diag.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct Gpu Gpu;
typedef struct Session Session;
typedef struct Sessions Sessions;

typedef struct Estimator Estimator;
typedef struct Arena Arena;
typedef struct DiagSink DiagSink;

typedef Estimator *_Atomic EstimatorSlot;

/* An occurrence, and whose it is. */
typedef struct SymbolPlace {
    ptxlint_span span;
    uint32_t symbol;
} SymbolPlace;

struct ptxlint_module {
    Arena arena;                /* everything below */
    /* what was found by other threads than the one that made the module; malloc'ed */
    Arena *parts;
    unsigned part_count;
    Arena front;                /* of a parser in a thread of its own */
    /* per GPU behind the first: what was found for it; NULL: there is none */
    DiagSink *beside;
    /* the same text with the launches behind the first; malloc'ed */
    ptxlint_module **launched;
    uint32_t launched_count;
    const ptxlint_module *launch_of;    /* the one that has this among its launched; NULL */
    char *text;                 /* length bytes and a NUL; malloc'ed */
    /* beside the file: launches, the file they are of, why it could not be read; NULL */
    ptxlint_launches *found;
    char *metadata, *metadata_error;
    size_t length;
    DiagSink diags;
    UseLog uses;                /* what of a config and of CUDA sources it has used */
    const Module *ir;
    Sessions *sessions;
    const CallGraph *calls;
    ptxlint_module_info info;
    const ptxlint_diagnostic *diagnostics;
    size_t diagnostic_count;
    ptxlint_kernel *kernels;
    size_t kernel_count;
    FuncId *kernel_funcs;       /* of each kernel; where there is ir */
    const Gpu **gpus;           /* that figures are for */
    size_t gpu_count;
    const char **paths;                 /* of Module.files */
    /* symbols.c's, where options ask for them; else empty */
    const ptxlint_symbol *symbols;
    const SymbolPlace *places;          /* of all occurrences, in order */
    size_t symbol_count, place_count;
    EstimatorSlot *estimator;           /* estimate.c's, while no call has it; NULL: none yet */
};

void ptx_estimator_free(ptxlint_module *module);

/* ptxlint.c: as ptxlint_module_new, of malloc'ed text with a NUL behind it, which is taken; so is
 * found, launches that the file of the text has; NULL. */
ptxlint_status ptx_module_take(char *text, size_t length, ptxlint_launches *found,
                               const ptxlint_options *options, ptxlint_module **out);

/* NULs behind a text are those of a dump: they say where it ends. */
size_t ptx_text_length(const char *text, size_t length);

/* saved.c: of what lies beside the file; 0: nothing. */
uint64_t ptx_launches_hash(const ptxlint_launches *found);

/* For text that is not analysed: its lines, no functions, no findings yet. */
void ptx_module_hold_text(ptxlint_module *module);

/* All that is left of a file, and a NUL; malloc'ed. */
ptxlint_status ptx_stream_read(FILE *file, char **out, size_t *length);

/* As diagnostics show it. */
static inline const char *ptx_options_path(const ptxlint_options *options)
{
    return options->path ? options->path : "-";
}

static inline Session *ptx_session_at(const ptxlint_module *m, FuncId func)
{
    return ptx_sessions_of(m->sessions, func);
}

/* The caller wants no more of the analysis. */
static inline bool ptx_is_stopped(const ptxlint_options *options)
{
    return options->is_stopped && options->is_stopped(options->stop_context);
}

/* Begins an arena of an analysis, so that it fails once the analysis is stopped. */
/* Of a text that takes so much memory, read and analysed, that huge pages are worth it. */
enum { LONG_TEXT_BYTES = 256 << 10 };

static inline void ptx_arena_begin(Arena *arena, size_t limit, const ptxlint_options *options)
{
    ptx_arena_init(arena, limit, NULL);
    arena->is_stopped = options->is_stopped;
    arena->stop_context = options->stop_context;
}

static inline bool ptx_wants_figures(const ptxlint_options *options)
{
    return !options->findings_only && !options->syntax_only;
}

/* It takes so much memory that a region is worth being mapped. */
static inline bool ptx_module_is_worth_region(const ptxlint_module *m,
                                              const ptxlint_options *options)
{
    return m->length >= LONG_TEXT_BYTES
           || (ptx_wants_figures(options) && !options->estimates_only);
}

/* More than the front end was asked for. */
static inline bool ptx_module_is_analysed(const ptxlint_module *m)
{
    return m->sessions->calls != NULL;
}

/* What figures rest on is there, and can be asked for by any thread once the module is made. */
static inline bool ptx_module_has_figures(const ptxlint_module *m)
{
    return m->sessions->has_figures;
}

/* There are findings beyond those of the front end. */
static inline bool ptx_module_has_findings(const ptxlint_module *m)
{
    return m->sessions->calls && !m->sessions->is_for_estimates;
}

/* analyse.c: calls, sessions, kernels and diagnostics of all functions, by as many threads as
 * options say. limit: bytes of each arena. False: memory ran out. */
bool ptx_analyse(ptxlint_module *module, const ptxlint_options *options, size_t limit,
                 ArenaRegion *region);

/* each_gpu.c: adds what was found for GPUs behind the first, and says where GPUs differ. */
void ptx_find_for_each_gpu(ptxlint_module *module, Arena *scratch);

/* each_launch.c: adds what is found in launches behind the first, and says in which. False: memory
 * ran out. */
bool ptx_find_for_each_launch(ptxlint_module *module, const ptxlint_options *options,
                              Arena *scratch);

/* A copy of another module's finding that is the module's own, whose suppression is decided anew;
 * it may be dropped. */
Diag *ptx_module_copy_finding(ptxlint_module *module, const Diag *from);

/* graph.c: the function of one of the module's kernels; NULL: it is none of them. Kernels are
 * functions with a body, in order. */
const Func *ptx_kernel_func(const ptxlint_module *m, const ptxlint_kernel *kernel);

/* symbols.c: what the public view of names needs, from what lowering noted. */
void ptx_symbols_build(ptxlint_module *module, Arena *scratch);

/* budget.c: findings about kernels that take more than a budget (NULL: none) allows; once kernels
 * and all other findings are there. */
void ptx_check_budget(ptxlint_module *module, Arena *scratch, const ptxlint_budget *budget);

#endif
