/* block_race.h -- blocks of one launch that touch the same memory in no order, and what then
 * depends on it. */
#ifndef PTX_ANALYSIS_RACE_BLOCK_RACE_H
#define PTX_ANALYSIS_RACE_BLOCK_RACE_H

#include "analysis/sim/program.h"
#include "ir/types.h"
#include "analysis/access/kernel_run.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Launch Launch;
typedef struct Machine Machine;
typedef struct Op Op;

typedef struct BlockAccess {
    const Func *func;           /* the kernel, or one that it calls */
    InsnId insn;                /* of func */
    /* in the kernel's own function: the access itself, or the call that leads to it */
    InsnId place;
    uint32_t block[3], thread[3];
    bool is_write;
} BlockAccess;

typedef enum BlockRaceKind {
    BLOCK_RACE_GLOBAL,          /* on global memory */
    BLOCK_RACE_CLUSTER,         /* on shared memory of a block of their cluster */
    /* an access to shared memory of a block that may not have begun, that may have ended; `first`
     * is the same */
    BLOCK_RACE_EARLY, BLOCK_RACE_LATE,
    BLOCK_RACE_INSIDE,          /* on global memory, of two threads of one block */
} BlockRaceKind;

/* one of them writes, the first where one alone does; in the order of the text where both do */
typedef struct BlockRace {
    BlockAccess first, second;
    uint8_t kind;               /* BlockRaceKind */
    uint32_t owner[3];          /* the block whose shared memory it is */
    VarId var;                  /* a parameter that points there, or a variable; NO_ID: neither */
    uint64_t offset;            /* bytes from there on, or of shared memory */
} BlockRace;

/* All of these are for a launch that is given, and give one race that is certain, or NULL. */

/* Two blocks leave different numbers in global memory; or one stores what depends on a number that
 * it reads before or after the other wrote it. For some contents of memory. */
const BlockRace *ptx_global_race_find(const KernelRun *run);

/* Two blocks of a cluster access shared memory of one of them with no barrier.cluster between; or
 * one does with none since that block began, or before it ends. */
const BlockRace *ptx_cluster_race_find(const KernelRun *run);

/* Two threads of two warps of one block touch the same bytes of global memory between two of its
 * barriers, one writes and the other reads. Warps whose order data may decide, or anything but
 * barriers of the whole block, are not looked at; nor are writes of a number that is the same in
 * all lanes, or of several warps. */
const BlockRace *ptx_interval_race_find(const KernelRun *run);

static inline bool ptx_block_race_is_global(const BlockRace *race)
{
    return race->kind == BLOCK_RACE_GLOBAL || race->kind == BLOCK_RACE_INSIDE;
}

/* A clause. */
const char *ptx_block_race_describe(Arena *arena, const Module *module, const BlockRace *race);

/* ---- shared by the files that look for them -------------------------------------------------- */

/* Whether this holds for every instruction that the kernel may come to, in functions of this file
 * alone. */
bool ptx_block_race_holds(Arena *scratch, const Module *module, FuncId kernel,
                          bool (*holds)(const Op *));

/* The same launch, in which each parameter that is used as a pointer and has no value is one:
 * blocks meet in what it points to, wherever that lies. Its parameters are arena's. */
Launch ptx_block_race_launch(Arena *arena, const Module *module, FuncId kernel,
                             const Launch *given);

/* global_race.c: it orders no other block, and writes global memory by plain stores alone. */
bool ptx_block_race_is_plain(const Op *op);

typedef struct GlobalPlace {    /* as the machine counts */
    uint32_t addend;            /* AddendId */
    uint64_t address;
} GlobalPlace;

/* The pointer that it counts from, or the variable that it lies in, to out. */
void ptx_block_race_name(const Machine *machine, const Module *module, const Func *kernel,
                         const GlobalPlace *place, BlockRace *out);

/* Others may look at it while it happens: volatile, or with an order of its own. */
bool ptx_op_is_ordered(const Op *op);

BlockRace *ptx_block_race_new(Arena *arena, BlockRaceKind kind, BlockAccess first,
                              BlockAccess second);

#endif
