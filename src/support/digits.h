/* digits.h -- the number that a name ends in, by all of eight bytes at once.
 *
 * Each function reads the eight bytes before end, which must be there. */
#ifndef PTX_SUPPORT_DIGITS_H
#define PTX_SUPPORT_DIGITS_H

#include <stdint.h>
#include <string.h>

typedef struct LastDigits {
    unsigned count;             /* 8: there may be more */
    uint32_t value;
} LastDigits;

/* The last count of them, 1 to 8, the first lowest. */
static inline uint64_t ptx_bytes_before(const char *end, unsigned count)
{
    uint64_t word;
    memcpy(&word, end - sizeof word, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word >> (64 - 8 * count);
}

/* Neighbours are joined into numbers of two digits, those into numbers of four, of eight. */
static inline uint32_t ptx_digits_value(uint64_t digits)
{
    digits = (digits * (1 + (10 << 8))) >> 8 & UINT64_C(0x00FF00FF00FF00FF);
    digits = (digits * (1 + (100 << 16))) >> 16 & UINT64_C(0x0000FFFF0000FFFF);
    return (uint32_t)((digits * (1 + (UINT64_C(10000) << 32))) >> 32);
}

static inline LastDigits ptx_digits_before(const char *end)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    const uint64_t bytes = ptx_bytes_before(end, 8) ^ each * '0';
    /* bits of bytes that are no digits: those above 9 reach the upper half when 6 are added */
    const uint64_t others = (bytes | ((bytes & each * 0x0F) + each * 6)) & each * 0xF0;
    const unsigned count = others ? (unsigned)__builtin_clzll(others) / 8 : 8;
    if (!count)
        return (LastDigits){ 0, 0 };
    return (LastDigits){ count, ptx_digits_value(bytes & UINT64_MAX << (64 - 8 * count)) };
}

#endif
