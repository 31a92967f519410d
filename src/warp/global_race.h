/* global_race.h -- blocks of one launch that touch the same global memory in no order, and what then depends on it. */
#ifndef PTX_WARP_GLOBAL_RACE_H
#define PTX_WARP_GLOBAL_RACE_H

#include "warp/evaluate.h"

typedef struct GlobalAccess {
    const Func *func;           /* the kernel, or one that it calls */
    InsnId insn;                /* of func */
    InsnId place;               /* in the kernel's own function: the access itself, or the call that leads to it */
    uint32_t block[3], thread[3];
} GlobalAccess;

/* Two blocks leave different numbers at an address; or one stores what hangs on a number that it reads before or after the other wrote it. */
typedef struct GlobalRace {
    GlobalAccess first, second; /* the first writes; in the order of the text where both do */
    bool is_read;               /* by the second */
    VarId var;                  /* a parameter that points there, or a variable; NO_ID: neither */
    uint64_t offset;            /* bytes from there on */
} GlobalRace;

/* One of a launch that is given, certain for some contents of memory; NULL: none was found. Owned by arena; work and scratch, two others, are left as found. */
const GlobalRace *ptx_global_race_find(Arena *arena, Arena *work, Arena *scratch, Program *program, const Module *module, FuncId kernel, const Launch *launch);

/* A clause. */
const char *ptx_global_race_describe(Arena *arena, const Module *module, const GlobalRace *race);

#endif
