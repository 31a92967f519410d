/* thread_index.h -- whether a kernel distinguishes its threads by %ctaid * %ntid + %tid alone, in
 * each dimension of the launch.
 *
 * A kernel of which that holds in a dimension does the same with any %ntid there, as long as %ntid
 * * %nctaid stays what it is: each thread finds the same index. The proof follows linear forms
 * free + t * tid + c * ctaid + n * ntid + g * nctaid + f * (ctaid * ntid)  through integer
 * arithmetic; a form is free where t = f and the rest is 0. Forms hold of all definitions of a
 * register, whatever the order. Whatever reaches memory, a branch or a guard must be free. Memory
 * that threads of a block share, barriers and calls bind every dimension: what the threads do
 * together is not followed. Sums are taken not to overflow. */
#ifndef PTX_ANALYSIS_VALUE_THREAD_INDEX_H
#define PTX_ANALYSIS_VALUE_THREAD_INDEX_H

#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>

/* Why a dimension is bound; those further down say more. */
typedef enum Binding {
    BINDING_NONE,               /* it is free */
    /* the function has an error, or a register takes a value that is not followed */
    BINDING_UNKNOWN,
    BINDING_CLOCK,              /* a clock, an SM or the like is asked for */
    BINDING_CALL,               /* another function may ask for anything */
    BINDING_COUNT,              /* %nctaid but in %ntid * %nctaid */
    BINDING_NUMBER,             /* %ctaid but in %ctaid * %ntid */
    BINDING_SIZE,               /* %ntid but in one of the two */
    BINDING_PLACE,              /* %tid but beside %ctaid * %ntid */
    BINDING_BARRIER,            /* threads of a block wait for each other */
    BINDING_SHARED,             /* threads of a block share memory */
    BINDING_CONSTANT,           /* a number stands for %ntid: number * ctaid + tid */
} Binding;

typedef struct ThreadIndex {
    uint8_t binding[3];         /* Binding */
    InsnId insn[3];             /* that binds it */
    int64_t number[3];          /* of BINDING_CONSTANT */
    bool asks_total[3];         /* for %ntid * %nctaid */
    bool asks_lane;             /* for lanes: the same only in warps along x */
    /* the first array in shared memory of a known size that is named; NO_ID */
    VarId shared;
} ThreadIndex;

/* Of a kernel with a body; arena is left as found. */
ThreadIndex ptx_thread_index_compute(Arena *arena, const Module *module, const Func *func);

#endif
