/* strata.h -- blocks that differ, sampled by what makes them differ.
 *
 * Which way control goes in a block, and how often around a loop, follows from values that are the
 * same in all its threads (b == 0, min(n - b * q, q), b % 7), from the thread and from memory.
 * Those values are computed for every block without running it: keys. Blocks with equal keys go the
 * same ways as far as neither thread nor memory decides. Blocks in the order of a key are a curve:
 * work over key. Some are run where the curve bends, and what lies between two of them is taken for
 * a mixture of both, by how near its key is to theirs: exact where counts are affine in the key, as
 * those of a loop are in its trips. (Adaptive quadrature: Gander and Gautschi, "Adaptive Quadrature
 * - Revisited", BIT 2000, in place of a uniform sample.) Keys prove nothing: they choose. */
#ifndef PTX_ANALYSIS_ACCESS_STRATA_H
#define PTX_ANALYSIS_ACCESS_STRATA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct BlockKeys BlockKeys;
typedef struct BlockPlace BlockPlace;
typedef struct Arena Arena;

enum { MAX_STRATA_PLACES = 1 << 16 };

/* The instructions of a place's block, once run; below 0: the budget does not do for it. */
typedef double StrataMeasure(void *context, const BlockPlace *place);

typedef struct Knot {           /* a block to be run, and how many it stands for */
    uint32_t place;
    double blocks;
} Knot;

typedef struct Knots {
    const Knot *items;
    uint32_t count;
    /* share of the work that mixtures may miss, as far as the knots show */
    double uncertain;
    bool differs;               /* some block's work from another's */
    uint32_t measured;          /* blocks */
    const float *works;         /* of every place: as run, or by the line between its knots */
} Knots;

/* No more than `most` are measured. Owned by arena. */
Knots ptx_strata_divide(Arena *arena, const BlockKeys *keys, StrataMeasure *measure, void *context,
                        uint32_t most);

#endif
