/* store_order.h -- which accesses to memory stay behind which stores.
 *
 * ptxas keeps an access behind an earlier store that may write what it reads. It does not where the
 * spaces differ, and where what is read does not change while the kernel runs: constants,
 * parameters, ld.global.nc (PTX ISA, "ld.global.nc"). A generic address is global or local here:
 * those to shared memory are written as such. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_STORE_ORDER_H
#define PTX_ANALYSIS_TIME_MEMORY_STORE_ORDER_H

#include "analysis/sass/sass.h"
#include "analysis/flow/types.h"

#include <stdbool.h>

enum { STORE_ORDERS = 3 };

/* Bit n: the access is ordered among the accesses of kind n, of STORE_ORDERS. */
unsigned ptx_store_orders(const Func *func, const LoweredInsn *insn);

/* Accesses of its orders stay behind it. */
bool ptx_is_ordering_store(const LoweredInsn *insn);

#endif
