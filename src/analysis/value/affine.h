/* affine.h -- how a value differs from lane to lane of a warp, and what operations make of that.
 *
 * A value is  base + stride * lane  where base is the same in all lanes of the warp, or in all
 * of the block; else it may differ in any way. This is the domain of Sampaio, Souza, Collange
 * and Pereira, "Divergence Analysis" (TOPLAS 2013). Of the base an alignment is kept, so that
 * tid / 32 and tid < 64 are seen to be the same in a warp, of all of it how many bits it takes
 * at the most. */
#ifndef PTX_ANALYSIS_VALUE_AFFINE_H
#define PTX_ANALYSIS_VALUE_AFFINE_H

#include "ir/types.h"
#include "isa/isa.h"
#include "support/arena.h"

typedef enum Uniformity {
    UNIFORMITY_NONE,            /* nothing reaches it yet */
#define UF(id, public, text, what) UNIFORMITY_##id,
#include "analysis/value/uniformity.def"

#include <stdbool.h>
#undef UF
    UNIFORMITY__COUNT
} Uniformity;

enum {
    MAX_AFFINE_ALIGN = 63,
    MAX_AFFINE_BITS = 64,      /* nothing known, or negative */
};

#define AFFINE_STRIDE_UNKNOWN INT64_MIN         /* affine, by a distance that is not known */

typedef struct Affine {
    int64_t stride;             /* 0: uniform */
    int64_t base;               /* where is_known */
    uint8_t uniformity;         /* Uniformity */
    uint8_t align;              /* base is a multiple of 2^align */
    uint8_t bits;               /* in each lane 0 <= value < 2^bits */
    bool is_known;              /* base is a number */
    bool is_of_warp;            /* base may differ between the warps of a block */
    /* rests on the shape of the block, on lanes that load from memory at once, or on sums that do
     * not overflow */
    bool is_assumed;
} Affine;

Affine ptx_affine_number(int64_t number);
/* of which no more is known; of any kind but AFFINE */
static inline Affine ptx_affine_uniform(Uniformity uniformity)
{
    return (Affine){ .uniformity = (uint8_t)uniformity,
                     .bits = MAX_AFFINE_BITS,
                     .is_of_warp = uniformity != UNIFORMITY_BLOCK };
}
/* lane, plus a base of the warp that is a multiple of 2^align */
Affine ptx_affine_lane(unsigned align, unsigned bits);

/* The same, where warps may have reached it in different ways. */
Affine ptx_affine_of_warp(Affine a);

/* What holds of both. */
Affine ptx_affine_join(Affine a, Affine b);

static inline bool ptx_affine_is_uniform(Affine a)
{
    return a.uniformity == UNIFORMITY_BLOCK || a.uniformity == UNIFORMITY_WARP;
}

/* A clause, as "lane stride 4"; owned by arena, or fixed. */
const char *ptx_affine_describe(Arena *arena, const Affine *a);

/* What an operation that cannot be followed makes of its sources: the same where all of them
 * are. */
Affine ptx_affine_blur(const Affine *args, unsigned count);

/* The first result of an instruction that goes to no memory, from its sources in order. */
Affine ptx_affine_apply(const Op *op, const Affine *args, unsigned count);

#endif
