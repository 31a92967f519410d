/* check_form.h -- whether a form of the instruction has its modifiers, and the module's .version
 * and .target have that form.
 *
 * Decided once for each distinct opcode text; what is wrong is said of each instruction. */
#ifndef PTX_CHECK_CHECK_FORM_H
#define PTX_CHECK_CHECK_FORM_H

#include "ir/types.h"
#include "ir/sreg.h"
#include "isa/isa.h"
#include "support/diag.h"
#include "support/span.h"

#include <stdbool.h>

/* Whether the module has the form, leaving aside gates of single modifiers. */
bool ptx_form_is_allowed(const Module *module, FormId form);

/* A form with so many operands, one that the module has if there is any; 0: there is none. */
FormId ptx_form_fitting(const Module *module, const Op *op, uint32_t count);

/* Says that no form of the op takes so many operands. */
void ptx_report_operand_count(DiagSink *diags, const Module *module, const Op *op, Span where,
                              uint32_t count);

/* Makes op->form the first that the module has; sets OPF_TOO_NEW if it has none, or lacks one of
 * the op's modifiers. */
void ptx_check_gates(const Module *module, Op *op);

/* Says what is wrong with an op that has OPF_UNKNOWN or OPF_TOO_NEW. */
void ptx_report_op(DiagSink *diags, const Module *module, const Op *op, Span where);

/* Says since when there is a form that the module does not have: one of the op's. */
void ptx_report_gate(DiagSink *diags, const Module *module, const Op *op, FormId form, Span where);

/* Says since when the op has a second result, if the module's is older; where: both of them. */
void ptx_check_pair_gate(DiagSink *diags, const Module *module, const Op *op, Span where);

/* Says since when there is a special register that the module does not have; where: its name. */
void ptx_check_sreg(DiagSink *diags, const Module *module, SregId sreg, Span where);

/* Beyond the newest version of the tables a gap is theirs, not the file's. */
void ptx_soften(const Module *module, Diag *diag);

#endif
