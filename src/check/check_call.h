/* check_call.h -- whether a call is written as the grammar asks, and whether its arguments are what
 * the function, the .callprototype or every function of the .calltargets takes.
 *
 * Types are held as ptxas does: `.b` parameters take any argument of their width, integers either
 * sign, arrays any array of as many bytes; an argument in .param space has the alignment of its
 * parameter. [1]
 * [1] PTX ISA, "Function Declarations and Definitions", "Control Flow Instructions: call",
 *     "Control Flow Directives: .callprototype" */
#ifndef PTX_CHECK_CHECK_CALL_H
#define PTX_CHECK_CHECK_CALL_H

#include "check/check_module.h"
#include "ir/types.h"
#include "parser/ast.h"
#include "support/diag.h"

typedef struct Formal {         /* a parameter, or a result */
    Span name;
    uint64_t bytes;             /* 0: an array without a bound */
    uint32_t align;
    uint8_t type, vector, space;
    bool is_array;
} Formal;

typedef struct Signature {
    Span name;                  /* of the function, or `_` */
    const Formal *results, *params;
    uint32_t result_count, param_count;
} Signature;

/* The parts of a call as written; NULL for those that are missing. Lists are AST_LISTs, or one
 * operand in parentheses. */
typedef struct CallParts {
    const AstOperand *results, *target, *arguments, *table;
} CallParts;

typedef struct CallCheck {
    DiagSink *diags;
    const char *text;
    const Reg *regs;
    const Var *vars;
} CallCheck;

/* The signature of a function's declaration; its arrays are the arena's. */
Signature ptx_signature_new(Arena *arena, const AstFunc *ast);

/* .alias: name is NULL where no function is declared so. */
void ptx_check_alias(const ModuleCheck *check, const AstAlias *alias, const Func *name,
                     const Signature *given, const Func *target, const Signature *wanted);

/* Takes a call apart; false, with one diagnostic, if it is not written as a call is. */
bool ptx_call_parts(const CallCheck *check, const AstStmt *stmt, CallParts *parts);

/* As lowered, one for each written. */
typedef struct CallOperands {
    const Operand *results, *arguments;
    uint32_t result_count, argument_count;
} CallOperands;

/* False, with one diagnostic, if the signature does not take them. */
bool ptx_check_call(const CallCheck *check, const CallParts *parts, const Signature *signature,
                    const CallOperands *operands);

/* A function that is declared again. */
typedef struct RepeatCheck {
    DiagSink *diags;
    const char *text;
    const AstFunc *ast;
    Span earlier;               /* the first name */
    const Signature *signature; /* of ast */
} RepeatCheck;

/* Reports, at the end of its head as ptxas does, what may not differ; first and its signature: NULL
 * if the name is no function's. */
void ptx_check_repeat(const RepeatCheck *check, const Func *first, const Signature *signature);

static inline bool ptx_call_is_list(const AstOperand *ast)
{
    return ast && (ast->kind == AST_LIST || (ast->flags & AST_PARENTHESES));
}

#endif
