/* number.c -- numbers that do not look like what they are: floats as bits, 0f3F800000, and integers
 * in hexadecimal, octal and binary. PTX ISA, "Constants". */
#include "lsp/server.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest digits that read back as the same value, of a float or a double. */
static void put_float(double value, bool is_double, char *out, size_t size)
{
    int most = is_double ? 17 : 9;
    bool is_same = false;
    if (isnan(value)) {
        snprintf(out, size, "NaN");
        return;
    }
    for (int digits = 1; digits <= most && !is_same; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        is_same = is_double ? strtod(out, NULL) == value : strtof(out, NULL) == (float)value;
    }
    size_t length = strlen(out);
    if (!strpbrk(out, ".einf") && length + 2 < size)
        memcpy(out + length, ".0", 3);
}

static void decode_bits(uint64_t bits, bool is_double, char *out, size_t size)
{
    if (is_double) {
        double value;
        memcpy(&value, &bits, sizeof value);
        put_float(value, true, out, size);
    } else {
        uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        put_float((double)value, false, out, size);
    }
}

bool ptx_number_decode(const char *text, size_t length, char *out, size_t size)
{
    char copy[80];
    bool is_unsigned = length && text[length - 1] == 'U';
    length -= is_unsigned;
    if (length < 2 || length >= sizeof copy || text[0] != '0')
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char kind = copy[1];
    bool is_single = (kind == 'f' || kind == 'F') && length == 10,
         is_double = (kind == 'd' || kind == 'D') && length == 18;
    if (is_single || is_double) {
        decode_bits(strtoull(copy + 2, NULL, 16), is_double, out, size);
        return true;
    }
    if (strpbrk(copy, ".eE") && kind != 'x' && kind != 'X')
        return false;
    int base = kind == 'x' || kind == 'X' ? 16 : 8;
    base = kind == 'b' || kind == 'B' ? 2 : base;
    uint64_t value = strtoull(copy + (base == 8 ? 0 : 2), NULL, base);
    snprintf(out, size, "%" PRIu64, value);
    return true;
}
