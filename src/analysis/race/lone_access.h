/* lone_access.h -- accesses that are wrong whatever other threads do: behind the end of the block's
 * shared memory, or of the allocation that a parameter points to; of what nothing has written. */
#ifndef PTX_ANALYSIS_RACE_LONE_ACCESS_H
#define PTX_ANALYSIS_RACE_LONE_ACCESS_H

#include "ir/types.h"
#include <stdbool.h>
#include <stdint.h>
#include "analysis/access/kernel_run.h"

typedef enum LoneKind {
    LONE_BEYOND_SHARED, LONE_BEYOND_ALLOCATION, LONE_UNWRITTEN,
} LoneKind;

typedef struct LoneAccess {     /* of a thread that certainly makes it */
    LoneKind kind;
    const Func *func;           /* the kernel, or one that it calls */
    InsnId insn;                /* of func */
    /* in the kernel's own function: the access itself, or the call that leads to it */
    InsnId place;
    uint32_t thread[3], block[3], bytes;
    bool is_write, is_before;
    /* that the address is made from: a variable in shared memory, or the parameter; NO_ID: it is
     * not known */
    VarId var;
    uint64_t offset;            /* from its begin, back where is_before; or of shared memory */
    uint64_t end;               /* bytes that it has, from there on; 0: not known */
} LoneAccess;

/* In global memory, where the launch says how large what a parameter points to is
 * (LaunchParam.allocated). The blocks at the corners of the grid are run, the one in the middle,
 * and all where they are few. NULL: nothing was found. */
const LoneAccess *ptx_beyond_allocation_find(const KernelRun *run);

/* %tid of a block's so many-th thread. */
void ptx_thread_of_block(const uint32_t block[3], uint32_t number, uint32_t out[3]);

/* A clause: thread (5, 0, 0) reads bytes 256 to 259 of `s`, which has 256: ... */
const char *ptx_lone_access_describe(Arena *arena, const Module *module, const LoneAccess *beyond);

#endif
