/* module.h -- what a ptxlint_module holds. */
#ifndef PTX_API_MODULE_H
#define PTX_API_MODULE_H

#include "ir/ir.h"
#include "ptxlint/ptxlint.h"
#include "session/session.h"

typedef struct Estimator Estimator;
typedef Estimator *_Atomic EstimatorSlot;

struct ptxlint_module {
    Arena arena;                /* everything below */
    char *text;                 /* length bytes and a NUL; malloc'ed */
    size_t length;
    DiagSink diags;
    const Module *ir;
    Sessions *sessions;
    const CallGraph *calls;
    ptxlint_module_info info;
    const ptxlint_diagnostic *diagnostics;
    size_t diagnostic_count;
    ptxlint_kernel *kernels;
    size_t kernel_count;
    const Gpu **gpus;           /* that figures are for */
    size_t gpu_count;
    EstimatorSlot *estimator;           /* estimate.c's, while no call has it; NULL: none yet */
};

void ptx_estimator_free(ptxlint_module *module);

/* As diagnostics show it. */
static inline const char *ptx_options_path(const ptxlint_options *options)
{
    return options->path ? options->path : "-";
}

static inline Session *ptx_session_at(const ptxlint_module *m, FuncId func)
{
    return ptx_sessions_of(m->sessions, func);
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

/* view.c: the public structures over IR and facts. First begin, then each function with a body in order, then kernels, for what takes all functions,
 * then, all findings being in the sink, finish. */
void ptx_view_begin(ptxlint_module *module);
void ptx_view_func(ptxlint_module *module, const ptxlint_options *options, FuncId func);
void ptx_view_kernels(ptxlint_module *module);
void ptx_view_finish(ptxlint_module *module, const ptxlint_options *options);

static inline ptxlint_span ptx_view_span(Span span)
{
    return (ptxlint_span){ span.begin, span.end };
}

/* The instruction of func that holds a byte, or NULL. Instructions stand in source order. */
const Insn *ptx_view_find_insn(const Func *func, uint32_t offset);

/* budget.c: findings about kernels that take more than a budget (NULL: none) allows; once kernels and all other findings are there. */
void ptx_check_budget(ptxlint_module *module, Arena *scratch, const ptxlint_budget *budget);

/* view_access.c: its accesses, those of what it calls, and its branches; once all functions are analysed. */
void ptx_view_accesses(ptxlint_module *module, FuncId func, ptxlint_kernel *view);

/* assumed.c: what figures of an entry rest on that was not given. evaluation: NULL: none was made. */
void ptx_view_assumed(ptxlint_module *module, const Evaluation *evaluation, ptxlint_kernel *view);

/* project.c: what a kernel and its loops are on each GPU. view: the rest of the kernel, filled. */
void ptx_project_kernel(ptxlint_module *module, const ptxlint_options *options, FuncId func, ptxlint_kernel *view);
ptxlint_time ptx_project_time(const Prediction *prediction);

ptxlint_bottleneck ptx_project_bottleneck(const Prediction *prediction, double waves);

void ptx_project_loop(ptxlint_module *module, Session *session, LoopId loop, ptxlint_loop *view);

#endif
