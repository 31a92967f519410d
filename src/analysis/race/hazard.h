/* hazard.h -- accesses of a kernel's threads to shared memory that nothing orders, and what
 * would. */
#ifndef PTX_ANALYSIS_RACE_HAZARD_H
#define PTX_ANALYSIS_RACE_HAZARD_H

#include "analysis/race/lone_access.h"
#include "support/diag.h"
#include "analysis/sim/program.h"
#include "ir/types.h"
#include "analysis/access/kernel_run.h"

typedef struct Launch Launch;

typedef struct HazardAccess {
    const Func *func;           /* the kernel, or one that it calls */
    InsnId insn;                /* of func */
    /* in the kernel's own function: the access itself, or the call that leads to it */
    InsnId place;
    /* where the innermost loop around that place begins, and the one around it; NO_ID: there is
     * none */
    InsnId loops[2];
    uint32_t rounds[2];         /* of these, from 1 on */
    uint32_t thread[3];
    bool is_write;
    bool is_by_data;            /* data decide where: it may be there */
    /* race.h's Queue: what it is waited for by, where it goes on behind its instruction */
    uint8_t queue;
} HazardAccess;

typedef enum HazardKind {
    HAZARD_BLOCK,               /* of two warps: a barrier of the block is missing */
    HAZARD_WARP,                /* of two lanes of a warp: one of the warp */
    HAZARD_COPY,                /* of a cp.async: a wait for it */
    HAZARD_BULK,                /* of a bulk copy, or what else completes on an mbarrier */
    HAZARD_MATRIX,              /* of shared memory that a multiplication reads: a wait for it */
    /* second stores what first loaded and something was done to, at an index that data give: two
     * threads may update one element, lost_update.h */
    HAZARD_UPDATE,
    HAZARD_PROXY,               /* of what is written, and read through the async proxy: a fence */
    /* first: where the mbarrier is made; second waits for it, and arrivals or bytes are not those
     * that it takes */
    HAZARD_STUCK,
    /* first arrives at an mbarrier; second waits there for the phase before */
    HAZARD_STALE,
    /* first: where the mbarrier is made; second arrives there with more lanes than a phase takes */
    HAZARD_CROWD,
    HAZARD_UNMADE,              /* second: of an mbarrier that nothing has made, as first */
    /* second loads tensor memory, and no multiplication as first is known to be done; or frees it
     * while first may load */
    HAZARD_TENSOR,
} HazardKind;

typedef enum Repair {
    REPAIR_NONE,                /* it was not looked for */
    REPAIR_FOUND,
    REPAIR_NO_PLACE,            /* no barrier orders the two where all threads of the block come */
    REPAIR_TOO_LONG,            /* the runs that may be made were not enough */
} Repair;

typedef struct Hazard {         /* something is missing that puts two accesses in order */
    HazardKind kind;
    HazardAccess first, second; /* second: where it is reported */
    VarId var;                  /* that the address lies in; NO_ID: none has it */
    uint64_t offset;            /* bytes from its beginning, or of shared memory */
    DiagRepair edits;           /* where repair is REPAIR_FOUND */
    uint8_t repair;             /* Repair */
    Certainty certainty;
    uint8_t queue;              /* race.h's Queue, of the copy */
    bool is_begun;              /* whoever came later knew that the other had begun */
    bool is_committed;          /* the copy is in a group, */
    uint32_t newer;             /* behind which so many others were committed when it was met */
    /* of HAZARD_STUCK: arrivals, and those that are missing; bytes that are owed. Of HAZARD_CROWD:
     * arrivals, and those that come */
    uint32_t wanted, pending;
    bool is_miscounted;         /* of HAZARD_STUCK: race.h's BLAME_COUNT */
    bool is_in_warp;            /* both accesses are of one warp */
    int64_t owed;
    InsnId index;               /* of HAZARD_UPDATE: the load that gives it */
    InsnId ignored_wait;        /* in the kernel, whose result nothing reads; NO_ID */
} Hazard;

/* A barrier that threads of the block wait at without others. */
typedef struct Divergence {
    /* other: where another thread goes on, or waits; NULL: all wait here */
    const Func *func, *other_func;
    InsnId insn, place, other;  /* as of HazardAccess */
    uint32_t thread[3], other_thread[3];
    bool hangs;                 /* it is never complete; else lanes of one warp part */
} Divergence;

typedef struct Hazards {
    /* certain, of the block's shape that is given; NULL: none was found */
    const Divergence *divergence;
    /* as certain, of shared memory; NULL: none was found */
    const LoneAccess *beyond, *unwritten;
    const Hazard *items;        /* one for each barrier that is missing */
    uint32_t count;
    const Hazard *possible;     /* accesses that nothing orders, if data let them happen */
    uint32_t possible_count;
    /* barriers of the block without which there would be no hazard either: proved for the launch */
    const InsnId *redundant;
    uint32_t redundant_count;
} Hazards;

/* NULL where nothing could be looked at. */
const Hazards *ptx_hazards_find(const KernelRun *run);

/* A clause: thread (0, 1, 0) reads byte 12 of `s`, which thread (0, 0, 0) writes. */
const char *ptx_hazard_describe(Arena *arena, const Module *module, const Func *kernel,
                                const Hazard *hazard);

const char *ptx_divergence_describe(Arena *arena, const Module *module,
                                    const Divergence *divergence);

/* What would put the two in order. */
const char *ptx_hazard_advise(Arena *arena, const Module *module, const Func *kernel,
                              const Hazard *hazard);

#endif
