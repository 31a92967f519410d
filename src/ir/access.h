/* access.h -- how many bytes a memory instruction accesses. */
#ifndef PTX_IR_ACCESS_H
#define PTX_IR_ACCESS_H

#include "ir/ir.h"

/* Bytes a thread, as of Insn.access_bytes: 0 where unknown. operands: those of insn; regs: all of the function. */
uint8_t ptx_access_bytes(const Insn *insn, const Operand *operands, const Reg *regs);

#endif
