/* minmax.h -- the smaller and the larger of two, for each type that needs it, how far two are apart
 * and one is from 0, what divides two. A NaN is not ordered: where one is compared, the second is
 * taken. */
#ifndef PTX_SUPPORT_MINMAX_H
#define PTX_SUPPORT_MINMAX_H

#include <stddef.h>
#include <stdint.h>

#define MINMAX(name, type)                                                                         \
    static inline type ptx_##name##_min(type a, type b)                                            \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    static inline type ptx_##name##_max(type a, type b)                                            \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }

MINMAX(i32, int32_t)
MINMAX(u32, uint32_t)
MINMAX(i64, int64_t)
MINMAX(u64, uint64_t)
MINMAX(size, size_t)
MINMAX(double, double)
#undef MINMAX

static inline uint32_t ptx_u32_distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* The greatest that divides both; of 0 and a number, the number. */
static inline uint64_t ptx_u64_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Without its sign; of the smallest, too. */
static inline uint64_t ptx_i64_magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

#endif
