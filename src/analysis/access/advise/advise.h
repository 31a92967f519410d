/* advise.h -- other layouts of what a kernel accesses, each proposed only after its cost was found
 * for every request of a trace.
 *
 * A layout says where a byte of an array would lie. It is proposed where the access in hand
 * costs at most half as much or as little as can be, all accesses to the array together less,
 * and none of them more than before; where each access stays in one piece and as aligned as it
 * is; and where nothing may touch the array that was not traced. Costs are wavefronts of shared
 * memory and sectors of global memory. How many layouts are tried is bounded; past that there
 * is no proposal. */
#ifndef PTX_ANALYSIS_ACCESS_ADVISE_ADVISE_H
#define PTX_ANALYSIS_ACCESS_ADVISE_ADVISE_H

#include "analysis/sim/program.h"
#include "ir/types.h"
#include "support/diag.h"
#include "analysis/access/kernel_run.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Evaluation Evaluation;
typedef struct Arena Arena;
typedef struct Gpu Gpu;
typedef struct Launch Launch;
typedef struct PointsToSet PointsToSet;

/* The requests of some blocks: all blocks where there are few. */
typedef struct Trace Trace;

/* evaluation: of the same kernel, for findings. Where the block's shape is unknown, rows of 32
 * threads are taken, unless its threads are one row. NULL for a function without instructions. */
const Trace *ptx_trace_make(const KernelRun *run, const Gpu *gpu, const Evaluation *evaluation);

/* The same, before anything was asked of it. */
const Trace *ptx_trace_again(Arena *arena, const Trace *trace);

/* Arrays that no other layout is proposed for: something may touch them whose place is not known.
 * What the evaluation shows of that without a trace. Owned by arena. */
typedef struct UntracedSet UntracedSet;
const UntracedSet *ptx_untraced_by_evaluation(Arena *arena, const Func *func,
                                              const PointsToSet *bases,
                                              const Evaluation *evaluation);

/* Whether what the access touches is among them; is_shared: of its places the one there. */
bool ptx_untraced_has(const UntracedSet *set, const PointsToSet *bases, const Func *func,
                      InsnId insn, bool is_shared);

typedef enum LayoutKind {
    LAYOUT_SAME,                /* no other is better */
    LAYOUT_PAD,                 /* in shared memory: offset + offset / pitch * pad */
    LAYOUT_SWIZZLE,             /* offset ^ (offset / pitch % turns * granule) */
    /* in global memory: as LAYOUT_PAD, and `lead` bytes in front of it all */
    LAYOUT_PITCH,
    LAYOUT_MEMBERS,             /* records of `pitch` bytes: an array for each member */
    /* the same where one access goes through the elements of such a record */
    LAYOUT_INTERLEAVED,
    /* as it is, but each sector moved once for a block, by way of shared memory */
    LAYOUT_STAGED,
} LayoutKind;

typedef struct Layout {
    LayoutKind kind;
    uint32_t pitch, pad, granule, turns, lead;
    /* of LAYOUT_PAD: pitch is a distance between lanes; else it suits the banks */
    bool is_row;
    /* per byte of a record: where its member begins; per such beginning */
    const uint16_t *member_first, *member_bytes;
    uint32_t members;
} Layout;

typedef struct Proposal {
    Layout layout;
    Layout other;               /* a swizzle that does as well as the padding; LAYOUT_SAME */
    VarId var;                  /* in shared memory, or the parameter that points to the array */
    double before, after;       /* cost of one request of the access in hand */
    double all_before, all_after;       /* of one request of any access to the array */
    uint32_t access_count;      /* of the array */
    uint64_t more_bytes;        /* of shared memory */
    uint64_t origin;            /* that offsets of the layout count from */
    Certainty certainty;
    uint32_t block[3];          /* that was taken; 0: it is known */
} Proposal;

/* Of an access to shared memory with conflicts. room_bytes: that a block may take more. */
Proposal ptx_advise_shared(const Trace *trace, const Func *func, InsnId insn, uint64_t room_bytes);

/* Of an access to global memory that touches more sectors than it has to. What is found of a record
 * is owned by arena. */
Proposal ptx_advise_global(Arena *arena, const Trace *trace, const Func *func, InsnId insn,
                           uint64_t room_bytes);

/* What a block touches of global memory by one instruction, in the first requests of each of its
 * warps. */
typedef struct BlockUse {
    double requests;            /* 0: nothing is known */
    double sectors, ideal_sectors;
    double warp_sectors;        /* distinct ones of each warp, added up */
    double distinct_sectors;    /* of the block */
} BlockUse;

/* How often a block updates each word that an atomic operation on global memory reaches, on
 * average; once a warp where ptxas lets one of its lanes act for all. 0: not known. */
double ptx_trace_updates_per_word(Arena *arena, const Trace *trace, const Func *func, InsnId insn);

BlockUse ptx_trace_count(Arena *arena, const Trace *trace, const Func *func, InsnId insn);

/* Of several accesses of one text that make one run of bytes: accesses as wide as their addresses
 * allow in their place. */
typedef struct Widening {
    uint32_t bytes;             /* of a wide one; 0: none fits, or where they lie is not known */
    uint32_t count;             /* of the accesses then */
    double before, after;       /* sectors of all of them, in one request each */
    Certainty certainty;
    uint32_t block[3];          /* as in Proposal */
} Widening;

/* insn: the first of them. */
Widening ptx_advise_wider(const Trace *trace, const Func *func, InsnId insn, uint32_t count);

/* A sentence without a full stop; NULL where there is no proposal. Owned by arena. */
const char *ptx_proposal_describe(Arena *arena, const Module *module, const Proposal *proposal);
/* assumed: the evaluation that took parameters for something which the address rests on; NULL:
 * none. */
const char *ptx_widening_describe(Arena *arena, const Widening *widening, uint32_t count,
                                  uint32_t bytes, const Evaluation *assumed);

#endif
