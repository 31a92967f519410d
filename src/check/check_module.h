/* check_module.h -- what holds for the module and for the head of a function: performance
 * directives, what a .version and a .target allow.
 *
 * PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives", "Miscellaneous
 * Directives"; which directive stands where, from which version and target on, and what excludes
 * what, is as ptxas 13.0 has it, and so is the line that is blamed: what is known only when the
 * function is closed is reported at its `}`. */
#ifndef PTX_CHECK_CHECK_MODULE_H
#define PTX_CHECK_CHECK_MODULE_H

#include "ir/types.h"
#include "parser/ast.h"
#include "ir/func.h"
#include "support/diag.h"

typedef struct ModuleCheck {
    DiagSink *diags;
    const char *text;
    const Module *module;
} ModuleCheck;

/* Reports what needs a newer .version or .target than the module's; what: its name, quoted or not.
 * True if there was nothing to report. */
bool ptx_check_gate(const ModuleCheck *check, Span where, const char *what, unsigned version,
                    unsigned sm);

void ptx_bounds_read(const ModuleCheck *check, const AstAttribute *attribute, Bounds *bounds);

/* Whether a directive that bounds the launch is given twice. */
bool ptx_bounds_repeat(const ModuleCheck *check, const AstAttribute *attribute);

void ptx_check_bounds(const ModuleCheck *check, const AstFunc *ast, const Bounds *bounds);

/* The directives behind a .callprototype. */
void ptx_check_prototype(const ModuleCheck *check, const AstFunc *prototype);

/* A word of the language that cannot be declared as a name. True if it is none. */
bool ptx_check_name(const ModuleCheck *check, Span name);

/* The same of a variable of the module, or a function: those cannot have the name of a special
 * register. */
bool ptx_check_module_name(const ModuleCheck *check, Span name);

#endif
