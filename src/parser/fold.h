/* fold.h -- operators on constants: PTX ISA, "Constant Expressions". */
#ifndef PTX_PARSER_FOLD_H
#define PTX_PARSER_FOLD_H

#include "parser/ast.h"

typedef struct Constant { uint64_t value; bool is_unsigned; } Constant;

/* PTX ISA, "Integer Constant Expression Evaluation" and "Summary of Constant Expression Evaluation
 * Rules": usual arithmetic conversions on .s64 and .u64; comparisons and logical operators give
 * .s64, shifts take the left operand's type. Checked against what ptxas 13.0 puts into
 * initialisers. False: division by zero or no operator of integers. */
bool ptx_fold_integers(int operator, Constant a, Constant b, Constant *out);

/* Of two AST_F64, into the left one. False: they are not, or the operator is none of floats. */
bool ptx_fold_reals(AstOperand *left, int operator, const AstOperand *right);

#endif
