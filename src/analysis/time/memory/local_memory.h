/* local_memory.h -- what accesses to local memory move: arrays of a thread that ptxas does not keep
 * in registers.
 *
 * The words of a warp's lanes lie side by side, so that a request moves a line for each word that
 * some lane asks for (sim/access.c). L1 holds them, and writes each store through to L2. Measured
 * on an H200 (tools/measure-times/arrays.cu): a store takes L2 as long as one of global memory that
 * touches as many sectors and lines; L1 looks up four lines a clock. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_LOCAL_MEMORY_H
#define PTX_ANALYSIS_TIME_MEMORY_LOCAL_MEMORY_H

#include "ir/types.h"

#include <stdbool.h>

typedef struct Evaluated Evaluated;
typedef struct Lowered Lowered;

typedef struct LocalTraffic {
    double passes;              /* through L1 */
    double lines, sectors;
    bool is_store;
} LocalTraffic;

/* ptxas keeps the arrays of the function in local memory. */
bool ptx_local_memory_has_arrays(const Func *func, const Lowered *lowered);

/* Of one instruction, where it does; all zero: none of local memory. */
LocalTraffic ptx_local_memory_traffic(const Insn *insn, const Evaluated *evaluated);

#endif
