/* width.h -- the bits of an address where `.address_size` does not stand.
 *
 * PTX ISA, "PTX Module Directives: .address_size", makes them 32. ptxas 13.0 does not, asked with
 * 48 modules of sm_75 and sm_90: it takes 64 unless an instruction shows 32. These are accesses to
 * global or generic memory through a 32-bit register, cvta.u32, and mov of a global variable into
 * 32 bits. Addresses in other spaces show nothing: they may be 32 bits wide in any module. */
#ifndef PTX_RESOLVE_WIDTH_H
#define PTX_RESOLVE_WIDTH_H

#include "ir/types.h"
#include <stdint.h>

typedef struct Insn Insn;
typedef struct Module Module;
typedef struct Operand Operand;
typedef struct Reg Reg;

/* The 32-bit register that the instruction accesses global or generic memory through, or NULL. */
const Operand *ptx_narrow_address(const Insn *insn, const Operand *operands, const Reg *regs);

/* 32 or 64. */
uint32_t ptx_address_width(const Module *module);

#endif
