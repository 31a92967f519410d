/* address_distribution.h -- over how many bytes an access may reach whose address depends on data.
 *
 * What is loaded lies within its type; masks, shifts, remainders and fields narrow that, products
 * with constants widen it. The definitions are walked in the order of the text, a few times: a
 * register of several holds what the walk before found of them, and anything where that still
 * grows. In a variable of the program it reaches no further than the variable. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_ADDRESS_DISTRIBUTION_H
#define PTX_ANALYSIS_TIME_MEMORY_ADDRESS_DISTRIBUTION_H

#include "ir/types.h"
#include "support/arena.h"

typedef struct Launch Launch;
typedef struct PointsToSet PointsToSet;

/* A number that is shifted right by so many at the most is that of a word for a bit, of a sector
 * for a byte. */
enum { PACKED_BITS = 6 };

typedef struct AddressDistribution {
    /* bytes from the first to the last that data may lead it to; infinite: not known; 0: by the way
     * that control takes alone */
    double reach;
    /* of its lanes, those that ask for a sector which no load beside it, at a distance that is
     * known, asks for */
    double own;
    bool is_pointer;            /* the address was loaded as such */
} AddressDistribution;

/* Per instruction that accesses memory. bases, of the function; NULL: no variables are looked at.
 * launch: whose numbers are masks and factors; NULL. Owned by arena; scratch is left as found. */
const AddressDistribution *ptx_address_distribution_compute(Arena *arena, Arena *scratch,
                                                            const PointsToSet *bases,
                                                            const Module *module,
                                                            const Func *func,
                                                            const Launch *launch);

/* The n-th of a sequence of numbers below count that look like chance: the finaliser of splitmix64,
 * Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014). */
static inline uint64_t ptx_draw(uint64_t n, uint64_t count)
{
    uint64_t z = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % count;
}

#endif
