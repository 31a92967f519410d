/* wrap.h -- arithmetic modulo 2^64, as addresses and registers have it: offsets of a text may be
 * any number of 64 bits. */
#ifndef PTX_SUPPORT_WRAP_H
#define PTX_SUPPORT_WRAP_H

#include <stdint.h>

static inline int64_t ptx_wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t ptx_wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t ptx_wrap_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

#endif
