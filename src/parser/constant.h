/* constant.h -- integer constant expressions. */
#ifndef PTX_PARSER_CONSTANT_H
#define PTX_PARSER_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Constant { uint64_t value; bool is_unsigned; } Constant;

/* PTX ISA, "Integer Constant Expression Evaluation" and "Summary of Constant Expression Evaluation Rules": usual
 * arithmetic conversions on .s64 and .u64; comparisons and logical operators give .s64, shifts take the left operand's
 * type. Checked against what ptxas 13.0 puts into initialisers. `operator` is a token of the grammar. False: division by zero or no operator of integers. */
bool ptx_constant_fold(int operator, Constant a, Constant b, Constant *out);

#endif
