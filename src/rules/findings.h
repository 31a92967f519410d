/* findings.h -- the first rules: one function each, facts in, diagnostics out. No rule reports from a function with a
 * syntax error, and none that needs all definitions from one with an instruction the tables lack. */
#ifndef PTX_RULES_FINDINGS_H
#define PTX_RULES_FINDINGS_H

#include "rules/facts.h"

void ptx_findings_report(DiagSink *diags, Arena *scratch, const Module *module, const Func *func, const Facts *facts);

#endif
