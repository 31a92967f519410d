#include "analysis/sim/initial.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/arena.h"

#include <ctype.h>
#include <string.h>
#include <stdbool.h>

enum { MAX_BYTES = 1 << 20, NO_DIGIT = 16 };

static unsigned digit_of(char byte)
{
    const unsigned digit = (unsigned char)byte - (unsigned)'0',
                   letter = ((unsigned char)byte | 0x20u) - (unsigned)'a';
    if (digit < 10)
        return digit;
    return letter < 6 ? letter + 10 : NO_DIGIT;
}

/* PTX ISA, "Constants": decimal, hexadecimal, octal, binary; floats by their bits. False: none of
 * these. */
static bool read_number(const char **at, const char *end, Type type, uint64_t *out)
{
    bool is_negative = *at < end && **at == '-', is_float = ptx_type_info[type].kind == KIND_FLOAT;
    unsigned base = 10, digits = 0;
    *at += is_negative;
    if (*at < end && **at == '0') {
        char mark = *at + 1 < end ? (char)tolower((unsigned char)(*at)[1]) : ' ';
        bool is_bits = mark == 'f' || mark == 'd';
        base = mark == 'b' ? 2 : 8;
        if (mark == 'x' || is_bits)
            base = 16;
        if (is_bits && (!is_float || (mark == 'f') != (ptx_type_info[type].bits == 32)))
            return false;
        *at += base == 8 ? 0 : 2;
        is_float &= !is_bits;
    }
    uint64_t number = 0;
    for (unsigned digit; *at < end && (digit = digit_of(**at)) < NO_DIGIT; ++*at, digits++) {
        if (digit >= base)
            return false;
        number = number * base + digit;
    }
    *at += *at < end && (**at == 'U' || **at == 'u');
    *out = is_negative ? 0 - number : number;
    return digits && !(is_float && *out);       /* a decimal fraction, or an integer for a float */
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* What is not said is 0. */
static bool read_list(const char *at, const char *end, const Var *var, uint8_t *bytes)
{
    unsigned size = ptx_type_info[var->type].bits / 8;
    at = skip_blanks(at, end);
    bool is_list = at < end && *at == '{';
    at += is_list;
    for (uint64_t place = 0;; place += size) {
        uint64_t number;
        at = skip_blanks(at, end);
        if (at < end && is_list && *at == '}')
            return true;
        if (place + size > var->bytes || !read_number(&at, end, (Type)var->type, &number))
            return false;
        for (unsigned b = 0; b < size; b++)
            bytes[place + b] = (uint8_t)(number >> (8 * b));
        at = skip_blanks(at, end);
        if (!is_list)
            return at == end;
        if (at < end && *at == ',')
            at++;
        else if (at == end || *at != '}')
            return false;
    }
}

const uint8_t *ptx_initial_read(Arena *arena, const Module *module, VarId id)
{
    const Var *var = &module->vars[id];
    unsigned bits = ptx_type_info[var->type].bits;
    uint32_t length = ptx_span_length(var->numbers);
    if (!length || !var->bytes || var->bytes > MAX_BYTES || var->vector > 1 || bits < 8
        || bits > 64)
        return NULL;
    uint8_t *bytes = ptx_arena_array(arena, uint8_t, var->bytes);
    const char *text = module->text + var->numbers.begin;
    return read_list(text, text + length, var, bytes) ? bytes : NULL;
}
