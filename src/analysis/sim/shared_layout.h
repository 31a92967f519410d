/* shared_layout.h -- where a kernel's variables in shared memory lie.
 *
 * Those of the module come first, in the order of their declarations, then the kernel's own, and
 * behind them those of unknown size. What depends on the module alone is computed once. */
#ifndef PTX_ANALYSIS_SIM_SHARED_LAYOUT_H
#define PTX_ANALYSIS_SIM_SHARED_LAYOUT_H

#include "ir/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Func Func;
typedef struct Module Module;

enum { LARGEST_SHARED = 1 << 20 };      /* bytes; no GPU has as many */

static inline uint64_t ptx_align_up(uint64_t at, uint64_t align)
{
    return align ? (at + align - 1) / align * align : at;
}

typedef struct SharedPlace {
    VarId var;
    uint32_t align;             /* of SharedGroup.from, before the offset is added */
    uint64_t offset;
} SharedPlace;

typedef struct SharedGroup {    /* ascending, by variable and by address */
    SharedPlace *places;
    uint32_t count;
    uint64_t from;
} SharedGroup;

typedef struct SharedUnit {     /* of all functions of a unit; `from` of unsized is the kernel's */
    SharedGroup sized, unsized;
    uint64_t end;               /* of those with a size */
} SharedUnit;

/* Per unit. Other kernels' own variables are not there when a kernel runs. */
const SharedUnit *ptx_shared_units_new(Arena *arena, const Module *module);

/* Of those the ones that a kernel names: ptxas lays out no others. All of them where it calls. */
SharedUnit ptx_shared_unit_of(Arena *arena, const Module *module, const SharedUnit *unit,
                              const Func *func);

typedef struct SharedLayout {   /* of a kernel */
    SharedGroup groups[4];      /* one behind the other */
    uint64_t end;
} SharedLayout;

/* own: variables of the kernel, from first on and before end. */
SharedLayout ptx_shared_layout_make(Arena *arena, const Module *module, const SharedUnit *unit,
                                    VarId first, VarId end);

/* False: it is not one of the kernel's. */
bool ptx_shared_layout_find(const SharedLayout *layout, VarId var, uint64_t *address);

/* The last one that begins at an address or before; of those that begin there too, the first. *at
 * becomes the distance from its begin. NO_ID: none does. */
VarId ptx_shared_layout_at(const SharedLayout *layout, uint64_t *at);

/* A copy that lives as long as the arena. */
SharedLayout ptx_shared_layout_copy(Arena *arena, const SharedLayout *layout);

#endif
