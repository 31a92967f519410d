/* check_memo.h -- the check of operands, once for each way in which an instruction is written.
 *
 * Modules have few: `add.s32` of three registers of type .b32 thousands of times. What passed is
 * kept by what the check looks at: the operation, its form and, per operand, the register's type or
 * the kind of number, in brackets or not. Operands of which it looks at more (vectors, variables,
 * special registers, numbers that have limits, registers with a selector) are checked each time. */
#ifndef PTX_CHECK_CHECK_MEMO_H
#define PTX_CHECK_CHECK_MEMO_H

#include "check/check.h"
#include "isa/isa.h"
#include "support/arena.h"

typedef struct CheckMemo CheckMemo;

CheckMemo *ptx_check_memo_new(Arena *arena);

/* ptx_check_operands, and ptx_form_fitting of check_form.h. */
void ptx_check_memo_operands(CheckMemo *memo, const OperandCheck *check, FormId form);
FormId ptx_check_memo_fitting(CheckMemo *memo, const Module *module, const Op *op, uint32_t count);

#endif
