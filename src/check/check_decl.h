/* check_decl.h -- declarations and initialisers: which type, vector, array, alignment and linkage
 * may stand in which state space and place.
 *
 * PTX ISA, "State Spaces", "Types", "Variables"; where the manual is silent, as ptxas 13.0 takes
 * it. One diagnostic for a declaration. */
#ifndef PTX_CHECK_CHECK_DECL_H
#define PTX_CHECK_CHECK_DECL_H

#include "check/check_module.h"
#include "ir/names.h"

typedef enum DeclPlace {
    DECL_MODULE, DECL_BODY,
    /* of an .entry; of a .func or a .callprototype */
    DECL_ENTRY_PARAM, DECL_PARAM, DECL_RESULT,
} DeclPlace;

/* False if it is wrong. */
bool ptx_check_decl(const ModuleCheck *check, const AstDecl *decl, DeclPlace place);

/* Parameters and results of a function, or of a .callprototype. */
void ptx_check_params(const ModuleCheck *check, const AstFunc *ast);

/* What stands after `=`. One diagnostic. */
void ptx_check_init(const ModuleCheck *check, const Names *names, const AstDecl *decl);

/* Two declarations of a variable of the module: one type and size; the one .extern, and the other
 * not hidden from other modules. The state space may differ, says ptxas. */
bool ptx_decl_may_repeat(const Var *first, const Var *second);

#endif
