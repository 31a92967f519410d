/* effect.h -- what memory an instruction may read or write, by its text alone.
 *
 * Memory that does not overlap is a bit each: what the state spaces say. Const and parameter memory
 * is read-only, so it has none; neither have loads that promise that nothing writes there
 * while the kernel runs (ld.global.nc, ldu). A generic address may be in any of them. A barrier, a
 * fence, a wait, and a load or atomic that orders memory or is volatile let other threads' writes
 * be seen, in global and shared memory; local memory is the thread's own. A call, and an
 * instruction that the tables lack, may write all. PTX ISA, "Memory Consistency Model". */
#ifndef PTX_ANALYSIS_REDUNDANCY_EFFECT_H
#define PTX_ANALYSIS_REDUNDANCY_EFFECT_H

#include "ir/types.h"
#include "ir/sreg.h"
#include "isa/isa.h"

#include <stdbool.h>

enum {
    MEMORY_GLOBAL = 1, MEMORY_SHARED = 2, MEMORY_LOCAL = 4,
    MEMORY_COMMON = MEMORY_GLOBAL | MEMORY_SHARED,
    MEMORY_ALL = MEMORY_COMMON | MEMORY_LOCAL,
};

enum { MEMORY_COUNT = 3 };

/* Bits of memory that a space is. */
uint8_t ptx_effect_memory(Space space);

/* MEMORY_ bits that something other than the instruction's registers may have changed in when it is
 * over. */
uint8_t ptx_effect_writes(const Op *op);

/* MEMORY_ bits that it may read. */
uint8_t ptx_effect_reads(const Op *op);

/* An ld or st of one thread that is neither volatile nor ordered, atomic or asynchronous. */
bool ptx_effect_is_plain(const Op *op);

/* The only address operand; NULL where there is none, or more than one. */
const Operand *ptx_effect_address(const Func *func, const Insn *insn);

/* Special registers that hold the same whenever a thread reads them. */
bool ptx_effect_is_fixed(SregId id);

/* Its results depend on its operands alone, and it does nothing else: no memory but the function's
 * parameters, no clock, no carry, no other lane. Guards are not looked at. */
bool ptx_effect_is_pure(const Module *module, const Func *func, const Insn *insn);

#endif
