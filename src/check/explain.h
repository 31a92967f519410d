/* explain.h -- what may have been meant by a name, an opcode or a modifier that there is not.
 *
 * Adds help, related places and a fix to a diagnostic that stands already. A fix here is a guess,
 * never certain. Nothing is added where several names are equally near, and none once a file has
 * had a thousand diagnostics. Text is the sink's arena's. */
#ifndef PTX_CHECK_EXPLAIN_H
#define PTX_CHECK_EXPLAIN_H

#include "ir/types.h"
#include "ir/names.h"
#include "isa/isa.h"
#include "support/diag.h"

/* An undeclared name of registers, variables and functions: the range that is too short for it, or
 * the nearest name in scope. */
void ptx_explain_name(DiagSink *sink, Diag *diag, const Names *names, Span name);

/* A label that no scope around has: the one of that name in another scope of the function, or the
 * nearest one. */
void ptx_explain_label(DiagSink *sink, Diag *diag, const Names *names, Span name,
                       const Label *labels, uint32_t label_count);

/* An opcode or modifier that the table lacks. where: its text in the module, the opcode's first
 * byte on, where no blank divides it. */
void ptx_explain_op(DiagSink *sink, Diag *diag, const Op *op, Span where);

/* What operands the first form of op has, by the names of the manual. */
void ptx_explain_operands(DiagSink *sink, Diag *diag, const Op *op);

/* A module that is too old for an instruction: where it says so, and what it would say. was: the
 * number or target as written. */
void ptx_explain_gate(DiagSink *sink, Diag *diag, Span was, const char *needed);

#endif
