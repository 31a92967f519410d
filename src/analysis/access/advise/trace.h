/* trace.h -- the requests of a kernel's warps, one by one, so that their cost can be computed for
 * another layout of what they access.
 *
 * Some blocks are run once more, and each distinct request is kept: which instruction, which lanes,
 * at which addresses. A change of layout moves the addresses and nothing else, so its cost is that
 * of the same requests at the places where they would go. */
#ifndef PTX_ANALYSIS_ACCESS_ADVISE_TRACE_H
#define PTX_ANALYSIS_ACCESS_ADVISE_TRACE_H

#include "analysis/sim/shared_layout.h"
#include "analysis/sim/value.h"
#include "ir/types.h"
#include "analysis/sim/request.h"
#include "support/hash.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Gpu Gpu;
typedef struct Request Request;
typedef struct KernelRun KernelRun;

typedef struct Traced {            /* a request, made `times` times */
    Request request;            /* its addresses are those below */
    uint64_t addresses[WARP_LANES];
    double times;
    uint32_t access;            /* into Trace.accesses */
    /* of a global access: which of the blocks run made it, and which of its warps */
    uint32_t block, warp;
    struct Traced *next;        /* of the same access */
} Traced;

typedef struct TracedAccess {   /* what an instruction does to one memory */
    const Func *func;
    const Insn *insn;
    Traced *first, *last;
    uint64_t low, high;         /* addresses from, and behind */
    double times;               /* requests in all */
    uint32_t count;             /* distinct ones */
    /* SPACE_SHARED, SPACE_GLOBAL; SPACE_GENERIC: of a generic address that is unknown */
    uint8_t space;
    bool is_unknown;            /* the address of some request is unknown */
    /* rests on what was taken for a parameter or the block's shape, or on which way data part the
     * lanes */
    bool is_assumed;
    bool is_part;               /* there were more distinct requests than are kept */
    /* already the first block made too many; else its warps' later ones are left out, or other
     * blocks' */
    bool is_full;
    /* of an access to global memory: requests that each warp of the block made */
    uint16_t *turns;
    VarId param;                /* that the address is made from; NO_ID: not known */
} TracedAccess;

typedef struct Untraced {       /* what was not traced of a variable */
    uint32_t unreached_bytes;   /* the widest of plain accesses that no warp came to; 0: none */
    bool is_opaque;             /* something else may touch it */
} Untraced;

typedef struct UntracedSet {
    Arena *arena;
    HashMap at;                 /* per variable, or parameter that points to it: its item + 1 */
    Untraced *items;
    uint32_t count, capacity;
    bool is_shared_opaque, is_global_opaque;    /* any of shared memory, of global memory */
} UntracedSet;

struct Trace {
    Arena *arena;
    const Module *module;
    const Gpu *gpu;
    TracedAccess *accesses;
    uint32_t access_count, access_capacity;
    HashTable table;            /* by hash: of traced, + 1 */
    Traced **traced;
    uint32_t traced_count;
    uint32_t block;             /* that runs */
    /* index + 1: per instruction of the kernel and memory; per function, instruction and memory for
     * what it calls */
    const Func *kernel;
    uint32_t *of_kernel;
    HashMap access_of;
    const Func **funcs;         /* that were run */
    uint32_t func_count;
    SharedLayout shared;        /* nothing in it: none is asked for */
    UntracedSet untraced;
    uint32_t warp_count;        /* of a block */
    uint32_t shared_bytes;      /* of a block */
    bool is_whole;              /* every block of the launch was run */
    bool is_cut;                /* not even the first one to its end */
    bool block_is_assumed;
    uint32_t threads[3];        /* of a block */
    /* requests at other places whose cost may be asked for, and may still be */
    uint32_t tries, *tries_left;
};

Untraced ptx_untraced_find(const UntracedSet *set, VarId var);

/* All that is recorded is: which parameter each access goes by, and what is left out. */
void ptx_trace_find_untraced(Trace *trace, const KernelRun *run);

/* NULL where it was not executed, or touches no such memory. */
const TracedAccess *ptx_trace_find(const Trace *trace, const Func *func, InsnId insn, Space space);

#endif
