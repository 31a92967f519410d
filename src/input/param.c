#include "input/param.h"

#include "analysis/value/pointer.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "analysis/value/launch.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct ParamNumber {
    bool is_real, is_negative;
    uint64_t magnitude;         /* of an integer */
    double real;                /* finite */
} ParamNumber;

bool ptx_digits_read(const char *text, uint64_t *out)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (is_hex)
        text += 2;
    if (!*text || strspn(text, is_hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(text))
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, is_hex ? 16 : 10);
    *out = value;
    return !errno && value <= UINT64_MAX;
}

static bool read_json_number(const json_t *value, ParamNumber *out)
{
    *out = (ParamNumber){ 0 };
    if (json_is_integer(value)) {
        json_int_t integer = json_integer_value(value);
        out->is_negative = integer < 0;
        out->magnitude = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    } else if (json_is_real(value)) {
        out->is_real = true;
        out->real = json_real_value(value);
    }
    return json_is_number(value);
}

/* An integer of 64 bits, more than JSON numbers hold here, or a JSON number. */
static bool read_number(const char *text, ParamNumber *out)
{
    *out = (ParamNumber){ .is_negative = *text == '-' };
    if (ptx_digits_read(text + out->is_negative, &out->magnitude))
        return true;
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    bool is_number = read_json_number(value, out);
    json_decref(value);
    return is_number;
}

/* ---- what a value may be --------------------------------------------------------------------- */

const char ptx_param_wanted[] = "a number of at most 64 bits, null for a pointer, {\"data\": "
                                "\"sorted\"}, \"local\" or \"random\" for one to indices, "
                                "or {\"bytes\": \"00ff...\"} with two hexadecimal digits a byte";

/* PTX ISA, "Kernel Function Parameters": 32,764 bytes at most for all of them. */
static bool is_hex(const char *text)
{
    size_t length = strlen(text);
    return length % 2 == 0 && length / 2 <= 32764
           && strspn(text, "0123456789abcdefABCDEF") == length;
}

const char *const ptx_locality_words[] = { "random", "local", "sorted", NULL };

Locality ptx_param_locality(const json_t *value)
{
    const char *data = json_string_value(json_object_get(value, "data"));
    for (size_t w = 0; data && ptx_locality_words[w]; w++)
        if (!strcmp(data, ptx_locality_words[w]))
            return (Locality)(LOCALITY_RANDOM + w);
    return LOCALITY_UNKNOWN;
}

uint64_t ptx_param_allocated(const json_t *value)
{
    return (uint64_t)json_integer_value(json_object_get(value, "allocated"));
}

/* {"allocated": 4096} of a recorder, {"data": "sorted"}, or both. */
static bool is_pointer_object(const json_t *value)
{
    const json_t *data = json_object_get(value, "data"),
                 *allocated = json_object_get(value, "allocated");
    bool is_good = (!data || ptx_param_locality(value) != LOCALITY_UNKNOWN)
                   && (!allocated || json_integer_value(allocated) > 0);
    return is_good && json_object_size(value) > 0
           && json_object_size(value) == (data != NULL) + (size_t)(allocated != NULL);
}

bool ptx_param_may_point(const json_t *value)
{
    return json_is_null(value) || is_pointer_object(value);
}

bool ptx_param_is(const json_t *value)
{
    ParamNumber number;
    if (json_is_object(value)) {
        const char *hex = json_string_value(json_object_get(value, "bytes"));
        return is_pointer_object(value) || (json_object_size(value) == 1 && hex && is_hex(hex));
    }
    return json_is_number(value) || json_is_null(value) ||
           (json_is_string(value) && read_number(json_string_value(value), &number));
}

/* A number stays text: it may have 64 bits. */
json_t *ptx_param_parse(const char *text)
{
    ParamNumber number;
    if (read_number(text, &number))
        return json_string(text);
    json_t *value = *text == '@' ? json_pack("{s:s}", "data", text + 1)
                                 : json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (value && ptx_param_is(value))
        return value;
    json_decref(value);
    return NULL;
}

/* ---- as bytes -------------------------------------------------------------------------------- */

static bool store_bits(uint64_t bits, uint32_t length, uint8_t *out)
{
    for (uint32_t i = 0; i < length; i++)
        out[i] = (uint8_t)(bits >> (8 * i));
    return true;
}

/* An integer goes straight to float: by way of double it would be rounded twice. */
static bool store_float(const ParamNumber *number, uint8_t *out)
{
    uint32_t bits;
    if (number->is_real && fabs(number->real) > (double)FLT_MAX)
        return false;
    float single = number->is_real ? (float)number->real : (float)number->magnitude;
    if (number->is_negative)
        single = -single;
    memcpy(&bits, &single, sizeof bits);
    return store_bits(bits, 4, out);
}

static bool store_double(const ParamNumber *number, uint8_t *out)
{
    uint64_t bits;
    double value = number->is_real ? number->real : (double)number->magnitude;
    if (number->is_negative)
        value = -value;
    memcpy(&bits, &value, sizeof bits);
    return store_bits(bits, 8, out);
}

/* the largest magnitude that an integer of these bits holds */
static uint64_t largest_magnitude(unsigned bits, bool is_signed, bool is_negative)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    if (is_negative)
        return sign;
    return is_signed ? sign - 1 : sign | (sign - 1);
}

/* bits: 8, 16, 32 or 64. Two's complement. Compilers write .u32 for int too, so that an unsigned
 * type takes negative numbers. */
static bool store_integer(ParamNumber number, unsigned bits, bool is_signed, uint8_t *out)
{
    if (number.is_real) {               /* 1e6; beyond 2^53 a double is no longer every integer */
        if (number.real != floor(number.real) || fabs(number.real) > 9007199254740992.0)
            return false;
        number.is_negative = number.real < 0;
        number.magnitude = (uint64_t)fabs(number.real);
    }
    if (number.magnitude > largest_magnitude(bits, is_signed, number.is_negative))
        return false;
    return store_bits(number.is_negative ? 0 - number.magnitude : number.magnitude, bits / 8, out);
}

/* Bits as they are: halves, packed types, and those in an array of .b8, as compilers declare half2.
 * length: 1 to 8 bytes. */
static bool store_raw(const ParamNumber *number, uint32_t length, uint8_t *out)
{
    if (number->is_real || number->is_negative || (length < 8 && number->magnitude >> (8 * length)))
        return false;
    return store_bits(number->magnitude, length, out);
}

/* Into 8 bytes of room; false: it does not fit the type. */
static bool store_number(const Var *var, const ParamNumber *number, uint8_t *out)
{
    const TypeInfo *type = &ptx_type_info[var->type];
    if (var->type == TYPE_B8 && (var->bytes == 2 || var->bytes == 4 || var->bytes == 8))
        return store_raw(number, (uint32_t)var->bytes, out);
    if (type->bits < 8 || type->bits > 64 || var->bytes != type->bits / 8)
        return false;
    if (var->type == TYPE_F32 || (var->type == TYPE_B32 && number->is_real))
        return store_float(number, out);
    if (var->type == TYPE_F64 || (var->type == TYPE_B64 && number->is_real))
        return store_double(number, out);
    if (type->kind == KIND_FLOAT)
        return store_raw(number, type->bits / 8, out);
    if (type->kind == KIND_BITS && number->is_real)
        return false;
    if (type->kind == KIND_SIGNED || type->kind == KIND_UNSIGNED || type->kind == KIND_BITS)
        return store_integer(*number, type->bits, type->kind == KIND_SIGNED, out);
    return false;
}

static uint8_t hex_digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static void build_bytes(Arena *arena, const char *hex, const Var *var, LaunchParam *out)
{
    if (strlen(hex) / 2 != var->bytes)
        return;
    uint32_t length = (uint32_t)var->bytes;     /* is_hex bounds it */
    uint8_t *bytes = ptx_arena_alloc(arena, length);
    for (uint32_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    *out = (LaunchParam){ .bytes = bytes, .length = length };
}

static bool read_value(const json_t *value, ParamNumber *number)
{
    return json_is_string(value) ? read_number(json_string_value(value), number)
                                 : read_json_number(value, number);
}

bool ptx_param_fits(const Var *var, const json_t *value)
{
    ParamNumber number;
    uint8_t bytes[8];
    const char *hex = json_string_value(json_object_get(value, "bytes"));
    if (hex)
        return strlen(hex) / 2 == var->bytes;
    return ptx_param_may_point(value)
           || (read_value(value, &number) && store_number(var, &number, bytes));
}

bool ptx_param_is_pointer(const Var *var, uint32_t address_size, uint64_t pointers,
                          uint32_t position)
{
    return var->bytes == address_size / 8 && (position >= MAX_POINTERS || pointers >> position & 1);
}

void ptx_param_build(Arena *arena, const Var *var, const json_t *value, LaunchParam *out)
{
    ParamNumber number;
    const char *hex = json_string_value(json_object_get(value, "bytes"));
    if (hex) {
        build_bytes(arena, hex, var, out);
    } else if (read_value(value, &number)) {
        uint8_t *bytes = ptx_arena_alloc(arena, 8);
        if (store_number(var, &number, bytes))
            *out = (LaunchParam){ .bytes = bytes, .length = (uint32_t)var->bytes };
    }
}

