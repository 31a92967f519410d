/* pitch.h -- accesses in which each lane has a row of its own, as a[i * n + j] with i from %tid.x:
 * of rows whose length is a parameter.
 *
 * An address is followed back as a sum of products of special registers, parameters and counters of
 * loops. A parameter that %tid.x is multiplied by is taken for the length of rows, and not for a
 * stride as BLAS's incx, where something else runs along the row: a counter of a loop that the
 * parameter ends, or %tid.y, %tid.z or %ctaid that it does not multiply. */
#ifndef PTX_ANALYSIS_VALUE_PITCH_H
#define PTX_ANALYSIS_VALUE_PITCH_H

#include "analysis/flow/types.h"
#include "support/arena.h"

typedef struct Pitch {
    uint32_t param;             /* into Func.params; NO_ID: there is none */
    /* from so many elements on, rows of neighbouring lanes share no sector */
    uint32_t least;
} Pitch;

/* What the accesses of a function share. */
typedef struct PitchFacts {
    /* per register: whether its sum may hold a product of %tid.x and a parameter; where it does
     * not, no access by it has rows */
    const bool *products;
    VarId param;                /* that was asked for last; NO_ID: none */
    bool *derived;              /* per register: it goes into it */
} PitchFacts;

/* Owned by arena. */
PitchFacts *ptx_pitch_facts_new(Arena *arena, const Func *func);

/* Of a load or store by an address in a register. */
Pitch ptx_pitch_find(PitchFacts *facts, const Func *func, const Defs *defs, InsnId access);

#endif
