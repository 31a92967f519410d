/* view.h -- the public structures of a function, filled from IR and facts; they lie in the arena of
 * the sessions. */
#ifndef PTX_MODEL_VIEW_H
#define PTX_MODEL_VIEW_H

#include "ptxlint/ptxlint.h"
#include "analysis/flow/types.h"
#include "analysis/value/affine.h"
#include "support/span.h"

typedef struct Insn Insn;
typedef struct Evaluation Evaluation;
typedef struct Prediction Prediction;
typedef struct Session Session;
typedef struct Sessions Sessions;
typedef struct DiagSink DiagSink;
typedef struct Span Span;

enum { VAR_TITLE_BYTES = 48 };

/* A variable as its function calls it, "part", "param_2", no longer than that. */
const char *ptx_view_var_title(Arena *arena, const Module *module, VarId var);

static inline ptxlint_span ptx_view_span(Span span)
{
    return (ptxlint_span){ span.begin, span.end };
}

/* All of the function in hand, which has a body. */
void ptx_view_func(Sessions *all, FuncId func, ptxlint_kernel *out);

/* What is left of it once its figures are taken, and it is no longer in hand. */
void ptx_view_taken(Sessions *all, FuncId func, ptxlint_kernel *out);

/* As many as there are. */
const ptxlint_diagnostic *ptx_view_diagnostics(Sessions *all, const DiagSink *diags);

/* The CUDA line of an instruction. */
ptxlint_source_place ptx_view_source(Sessions *all, const Insn *insn);

/* view_access.c: how the lanes of a warp differ in a value. */
ptxlint_uniformity ptx_view_uniformity(Uniformity uniformity);

/* view_access.c: its accesses, those of what it calls, and its branches. */
void ptx_view_accesses(Sessions *all, FuncId func, ptxlint_kernel *view);
void ptx_view_hot_lines(Sessions *all, FuncId func, ptxlint_kernel *view);

/* view_instruction.c: of each of the entry's projections, once its time is predicted. */
void ptx_view_instructions(Sessions *all, FuncId func, ptxlint_projection *projections);

/* assumed.c: what figures of an entry rest on that was not given. evaluation: NULL: none was
 * made. */
void ptx_view_assumed(Sessions *all, const Evaluation *evaluation, ptxlint_kernel *view);

/* project.c: what a kernel and its loops are on each GPU. view: the rest of the kernel, filled. */
void ptx_project_kernel(Sessions *all, FuncId func, ptxlint_kernel *view);
void ptx_project_loop(Sessions *all, Session *session, LoopId loop, ptxlint_loop *view);
ptxlint_time ptx_project_time(const Prediction *prediction);
ptxlint_bottleneck ptx_project_bottleneck(const Prediction *prediction, double waves);

#endif
