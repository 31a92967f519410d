/* local_value_numbering.h -- value numbers of registers inside a basic block.
 *
 * A value is a base, which is a number of its own or a variable, and a constant offset in bytes:
 * two registers hold the same where both are equal. A copy keeps its source's value, adding a
 * constant moves the offset, and what else is pure and of integers has the number of the first
 * instruction of the block that computes the same from the same (local value numbering; Cocke and
 * Schwartz, "Programming Languages and Their Compilers", 1970). Anything else that may write a
 * register gives it a new number. */
#ifndef PTX_ANALYSIS_REDUNDANCY_LOCAL_VALUE_NUMBERING_H
#define PTX_ANALYSIS_REDUNDANCY_LOCAL_VALUE_NUMBERING_H

#include "analysis/flow/types.h"
#include "support/arena.h"

enum { NUMBER_NONE = 0 };       /* no base */

#define NUMBER_VARIABLE UINT32_C(0x80000000)    /* | VarId: the address of a variable */

typedef struct NumberedValue {
    uint32_t base;
    int64_t offset;
} NumberedValue;

typedef struct Numbers {
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    struct RegValue *regs;
    /* per operand of the block, from operand_first on: what it held when its instruction was
     * numbered */
    NumberedValue *sources;
    struct Computed *slots;     /* by hash; what another block left in it is free */
    uint32_t slot_mask, next, operand_first;
    BlockId block;
} Numbers;

/* Working memory is arena's. The others must outlive it. */
Numbers ptx_value_numbers_new(Arena *arena, const Module *module, const Func *func, const Cfg *cfg);

/* What is known of registers ends: another block begins. */
void ptx_value_numbers_enter(Numbers *numbers, BlockId block);

/* Of a register now. */
NumberedValue ptx_value_numbers_get(Numbers *numbers, RegId reg);

/* Of an address [a + offset] now; base NUMBER_NONE: not known. */
NumberedValue ptx_value_numbers_address(Numbers *numbers, const Operand *operand);

/* An instruction of the block, each in turn: its results get their values. */
void ptx_value_numbers_step(Numbers *numbers, InsnId insn);

#endif
