#include "analysis/value/affine.h"
#include "support/minmax.h"
#include "isa/isa.h"
#include "support/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>

enum { LAST_LANE = 31 };

/* ---- values ---------------------------------------------------------------------------------- */

static unsigned bits_of_number(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static unsigned zeros_of(int64_t number)
{
    return number ? (unsigned)__builtin_ctzll((uint64_t)number) : MAX_AFFINE_ALIGN;
}

static uint8_t least_align(unsigned a, unsigned b)
{
    return (uint8_t)(a < b ? a : b);
}

static uint8_t most(unsigned a, unsigned b)
{
    return (uint8_t)(a > b ? a : b);
}

Affine ptx_affine_number(int64_t number)
{
    return (Affine){ .uniformity = UNIFORMITY_BLOCK,
                     .base = number,
                     .is_known = true,
                     .align = (uint8_t)zeros_of(number),
                     .bits = number < 0 ? MAX_AFFINE_BITS
                                        : (uint8_t)bits_of_number((uint64_t)number) };
}

Affine ptx_affine_lane(unsigned align, unsigned bits)
{
    bool is_known = align >= MAX_AFFINE_ALIGN;
    return (Affine){ .uniformity = UNIFORMITY_AFFINE,
                     .stride = 1,
                     .align = (uint8_t)align,
                     .bits = (uint8_t)bits,
                     .is_known = is_known,
                     .is_of_warp = !is_known };
}

static bool is_followed(const Affine *a)
{
    return ptx_affine_is_uniform(*a) || a->uniformity == UNIFORMITY_AFFINE;
}

/* The kind that stride and base make. */
static Affine classified(Affine a)
{
    a.uniformity = a.is_of_warp ? UNIFORMITY_WARP : UNIFORMITY_BLOCK;
    if (a.stride)
        a.uniformity = UNIFORMITY_AFFINE;
    if (a.is_known)
        a.align = (uint8_t)zeros_of(a.base);
    if (a.is_known && a.stride != AFFINE_STRIDE_UNKNOWN) {
        int64_t last;
        bool fits = !__builtin_mul_overflow(a.stride, LAST_LANE, &last)
                    && !__builtin_add_overflow(last, a.base, &last);
        bool is_positive = fits && a.base >= 0 && last >= 0;
        a.bits = MAX_AFFINE_BITS;
        if (is_positive)
            a.bits = (uint8_t)bits_of_number((uint64_t)ptx_i64_max(last, a.base));
    }
    return a;
}

Affine ptx_affine_of_warp(Affine a)
{
    if (!is_followed(&a))
        return a;
    a.is_known = false;
    a.is_of_warp = true;
    return classified(a);
}

Affine ptx_affine_blur(const Affine *args, unsigned count)
{
    Affine out = ptx_affine_uniform(UNIFORMITY_BLOCK);
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = args[i].uniformity == UNIFORMITY_AFFINE ? UNIFORMITY_DIVERGENT
                                                                : args[i].uniformity;
        if (kind == UNIFORMITY_NONE)
            return (Affine){ 0 };
        bool is_unknown_beside = kind == UNIFORMITY_UNKNOWN
                                 && out.uniformity == UNIFORMITY_DIVERGENT;
        if (kind > out.uniformity && !is_unknown_beside)
            out.uniformity = (uint8_t)kind;
        if (out.uniformity == UNIFORMITY_UNKNOWN && kind == UNIFORMITY_DIVERGENT)
            out.uniformity = UNIFORMITY_DIVERGENT;
        out.is_assumed |= args[i].is_assumed;
    }
    out.is_of_warp = out.uniformity != UNIFORMITY_BLOCK;
    return out;
}

Affine ptx_affine_join(Affine a, Affine b)
{
    if (!a.uniformity || !b.uniformity)
        return a.uniformity ? a : b;
    const Affine both[] = { a, b };
    if (!is_followed(&a) || !is_followed(&b) || a.stride != b.stride
        || a.stride == AFFINE_STRIDE_UNKNOWN) {
        Affine out = ptx_affine_blur(both, 2);
        bool is_same = a.uniformity == b.uniformity && a.stride == b.stride;
        if (!is_same && out.uniformity <= UNIFORMITY_WARP)
            out.uniformity = UNIFORMITY_DIVERGENT;
        return is_same && a.stride ? a : out;
    }
    Affine out = a;
    bool is_same = a.is_known && b.is_known && a.base == b.base;
    out.is_known = is_same;
    out.align = is_same ? a.align : least_align(a.align, b.align);
    /* at once: what a loop counts would grow bit by bit */
    out.bits = a.bits == b.bits ? a.bits : MAX_AFFINE_BITS;
    out.is_of_warp |= b.is_of_warp;
    out.is_assumed |= b.is_assumed;
    return classified(out);
}

const char *ptx_affine_describe(Arena *arena, const Affine *a)
{
    static const char *const words[UNIFORMITY__COUNT] = {
#define UF(id, public, text, what) [UNIFORMITY_##id] = what,
#include "analysis/value/uniformity.def"
#undef UF
    };
    char text[64];
    if (a->uniformity != UNIFORMITY_AFFINE || a->stride == AFFINE_STRIDE_UNKNOWN)
        return words[a->uniformity] ? words[a->uniformity] : "";
    snprintf(text, sizeof text, "lane stride %" PRId64, a->stride);
    return ptx_arena_strndup(arena, text, strlen(text));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* What two's complement of so many bits makes of a number. */
static int64_t wrapped(int64_t number, unsigned width)
{
    return width >= 64 || !width ? number
                                 : (int64_t)((uint64_t)number << (64 - width)) >> (64 - width);
}

static Affine add(const Affine *a, const Affine *b, unsigned width, int sign)
{
    const Affine args[] = { *a, *b };
    if (!is_followed(a) || !is_followed(b))
        return ptx_affine_blur(args, 2);
    Affine out = { .is_known = a->is_known && b->is_known,
                   .align = least_align(a->align, b->align),
                   .bits = MAX_AFFINE_BITS,
                   .is_of_warp = a->is_of_warp || b->is_of_warp,
                   .is_assumed = a->is_assumed || b->is_assumed };
    bool is_free = a->stride == AFFINE_STRIDE_UNKNOWN || b->stride == AFFINE_STRIDE_UNKNOWN;
    uint64_t stride = (uint64_t)a->stride
                      + (sign < 0 ? 0 - (uint64_t)b->stride : (uint64_t)b->stride);
    out.stride = is_free ? AFFINE_STRIDE_UNKNOWN : wrapped((int64_t)stride, width);
    if (out.is_known)
        out.base = wrapped(
            (int64_t)((uint64_t)a->base + (sign < 0 ? 0 - (uint64_t)b->base : (uint64_t)b->base)),
            width);
    unsigned bits = most(a->bits, b->bits) + 1u;
    if (sign > 0 && bits <= width)
        out.bits = (uint8_t)bits;
    if (!b->bits && (!a->bits || b->is_known))
        out.bits = a->bits;
    else if (!a->bits)
        out.bits = sign > 0 ? b->bits : MAX_AFFINE_BITS;
    return classified(out);
}

static Affine scale(const Affine *a, int64_t factor, unsigned width)
{
    Affine out = *a;
    if (!is_followed(a))
        return *a;
    if (!factor)
        return ptx_affine_number(0);
    out.stride = a->stride == AFFINE_STRIDE_UNKNOWN
                     ? a->stride
                     : wrapped((int64_t)((uint64_t)a->stride * (uint64_t)factor), width);
    if (a->is_known)
        out.base = wrapped((int64_t)((uint64_t)a->base * (uint64_t)factor), width);
    out.align = least_align(a->align + zeros_of(factor), MAX_AFFINE_ALIGN);
    unsigned bits = factor > 0 ? a->bits + bits_of_number((uint64_t)factor) : MAX_AFFINE_BITS;
    out.bits = bits <= width ? (uint8_t)bits : MAX_AFFINE_BITS;
    return classified(out);
}

static bool is_affine_number(const Affine *a)
{
    return a->is_known && !a->stride && a->uniformity == UNIFORMITY_BLOCK;
}

static Affine multiply(const Affine *a, const Affine *b, unsigned width)
{
    const Affine args[] = { *a, *b };
    if (!a->uniformity || !b->uniformity)
        return (Affine){ 0 };
    if (is_affine_number(b) || is_affine_number(a))
        return is_affine_number(b) ? scale(a, b->base, width) : scale(b, a->base, width);
    Affine out = ptx_affine_blur(args, 2);
    if (!is_followed(a) || !is_followed(b) || (a->stride && b->stride))
        return out;
    out.is_of_warp = a->is_of_warp || b->is_of_warp;
    out.align = a->stride || b->stride ? 0 : least_align(a->align + b->align, MAX_AFFINE_ALIGN);
    out.bits = a->bits + b->bits <= (int)width ? (uint8_t)(a->bits + b->bits) : MAX_AFFINE_BITS;
    out.stride = a->stride || b->stride ? AFFINE_STRIDE_UNKNOWN : 0;
    return classified(out);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Bits that stride * lane takes; above 2^align it does not carry. AFFINE_BITS_MOST: negative, or
 * not known. */
static unsigned span_bits(const Affine *a)
{
    int64_t last;
    if (a->stride < 0 || __builtin_mul_overflow(a->stride, LAST_LANE, &last))
        return MAX_AFFINE_BITS;
    return bits_of_number((uint64_t)last);
}

/* base takes bits from `by` on, the lanes those below. */
static bool are_affine_apart(const Affine *a, unsigned by)
{
    return is_followed(a) && a->align >= by && span_bits(a) <= by;
}

static Affine without_lanes(const Affine *a)
{
    Affine out = *a;
    out.stride = 0;
    return classified(out);
}

static Affine shift_affine_right(const Affine *a, unsigned by, bool is_signed)
{
    const bool is_positive = a->bits < MAX_AFFINE_BITS;
    Affine out = *a;
    if (is_followed(a) && is_positive && by >= a->bits)
        return ptx_affine_number(0);
    if (is_affine_number(a) && (is_positive || is_signed))
        return ptx_affine_number(a->base >> by);
    bool divides = is_followed(a) && a->stride != AFFINE_STRIDE_UNKNOWN && a->align >= by
                   && a->stride % (INT64_C(1) << by) == 0;
    bool carries_not = divides && (is_positive || span_bits(a) <= a->align);
    if (!are_affine_apart(a, by) && !carries_not)
        return ptx_affine_blur(a, 1);
    if (!carries_not)
        out.stride = 0;
    out.stride /= INT64_C(1) << by;
    out.is_known = a->is_known && (is_positive || is_signed);
    out.base = a->base >> by;
    out.align = (uint8_t)(a->align < MAX_AFFINE_ALIGN ? a->align - by : MAX_AFFINE_ALIGN);
    out.bits = is_positive ? (uint8_t)(a->bits - by) : MAX_AFFINE_BITS;
    return classified(out);
}

/* a modulo 2^bits. */
static Affine low_bits(const Affine *a, unsigned bits)
{
    Affine out;
    if (!is_followed(a) || a->stride == AFFINE_STRIDE_UNKNOWN)
        out = ptx_affine_blur(a, 1);
    else if (a->bits <= bits)
        return *a;
    else if (a->align >= bits && span_bits(a) <= bits)
        out = classified(
            (Affine){ .stride = a->stride, .is_known = true, .is_assumed = a->is_assumed });
    else if (a->align >= bits && zeros_of(a->stride) >= bits)
        out = ptx_affine_number(0);
    else
        out = ptx_affine_blur(a, 1);
    out.bits = least_align(out.bits, bits);
    out.is_assumed = a->is_assumed;
    return out;
}

static Affine mask(const Affine *a, int64_t ones, unsigned width)
{
    uint64_t low = (uint64_t)ones, all = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    if (is_affine_number(a) && a->base >= 0)
        return ptx_affine_number((int64_t)((uint64_t)a->base & low & all));
    if (!(low & (low + 1)))
        return low == all ? *a : low_bits(a, bits_of_number(low));
    unsigned cleared = (unsigned)__builtin_ctzll(low);
    if ((low & all) != (all & ~((UINT64_C(1) << cleared) - 1)))
        return ptx_affine_blur(a, 1);
    if (is_followed(a) && a->align >= cleared && zeros_of(a->stride) >= cleared)
        return *a;
    if (are_affine_apart(a, cleared))
        return without_lanes(a);
    Affine out = ptx_affine_blur(a, 1);
    out.align = ptx_affine_is_uniform(out) ? (uint8_t)cleared : 0;
    return out;
}

static Affine and_of(const Affine *args, unsigned width)
{
    if (is_affine_number(&args[1]))
        return mask(&args[0], args[1].base, width);
    if (is_affine_number(&args[0]))
        return mask(&args[1], args[0].base, width);
    Affine out = ptx_affine_blur(args, 2);
    out.bits = least_align(args[0].bits, args[1].bits);
    return out;
}

/* Where no bit is in both, a sum. */
static Affine or_of(const Affine *args, unsigned width)
{
    for (unsigned i = 0; i < 2; i++) {
        const Affine *high = &args[i], *low = &args[1 - i];
        unsigned floor =
            high->stride ? least_align(high->align, zeros_of(high->stride)) : high->align;
        if (is_followed(high) && is_followed(low) && low->bits <= floor
            && high->stride != AFFINE_STRIDE_UNKNOWN)
            return add(high, low, width, 1);
    }
    return ptx_affine_blur(args, 2);
}

static Affine field(const Affine *args, bool is_signed)
{
    if (is_signed || !is_affine_number(&args[1]) || !is_affine_number(&args[2])
        || (uint64_t)args[1].base > 63 || (uint64_t)args[2].base > 63)
        return ptx_affine_blur(args, 3);
    Affine shifted = shift_affine_right(&args[0], (unsigned)args[1].base, false);
    return low_bits(&shifted, (unsigned)args[2].base);
}

static Affine divide(const Affine *args, bool is_signed, bool is_rest)
{
    bool is_power =
        is_affine_number(&args[1]) && args[1].base > 0 && !(args[1].base & (args[1].base - 1));
    bool is_positive = !is_signed || args[0].bits < MAX_AFFINE_BITS;
    if (!is_power || !is_positive)
        return ptx_affine_blur(args, 2);
    unsigned by = zeros_of(args[1].base);
    return is_rest ? low_bits(&args[0], by) : shift_affine_right(&args[0], by, false);
}

/* ---- widths, choices and comparisons --------------------------------------------------------- */

/* The value in a wider register: where the sum may have overflowed the narrow one, as if it had
 * not. */
static Affine widen(Affine a)
{
    if (a.uniformity != UNIFORMITY_AFFINE)
        return a;
    bool is_safe = a.bits < MAX_AFFINE_BITS
                   || (a.stride != AFFINE_STRIDE_UNKNOWN && span_bits(&a) <= a.align);
    a.is_assumed |= !is_safe;
    return a;
}

static Affine convert(const Op *op, const Affine *a)
{
    const TypeInfo *from = &ptx_type_info[op->type], *to = &ptx_type_info[op->dst_type];
    bool is_whole = from->kind != KIND_FLOAT && to->kind != KIND_FLOAT && !ptx_op_has(op, MOD_SAT)
                    && !ptx_op_has(op, MOD_PACK);
    if (!is_whole)
        return ptx_affine_blur(a, 1);
    if (to->bits >= from->bits) {
        Affine out = widen(*a);
        bool is_negative = out.is_known && out.bits == MAX_AFFINE_BITS && from->kind != KIND_SIGNED;
        out.is_known &= !is_negative;
        return out;
    }
    return low_bits(a, to->bits);
}

static Affine choose_affine(const Affine *args)
{
    Affine out = ptx_affine_join(args[0], args[1]);
    bool is_same =
        is_affine_number(&args[0]) && is_affine_number(&args[1]) && args[0].base == args[1].base;
    if (!args[2].uniformity)
        return (Affine){ 0 };
    if (ptx_affine_is_uniform(args[2])) {
        out.is_of_warp |= args[2].is_of_warp;
        out.is_assumed |= args[2].is_assumed;
        return is_followed(&out) ? classified(out) : out;
    }
    return is_same ? out : ptx_affine_blur(args, 3);
}

/* Of x < y or x >= y, where x + 1 takes part in place of x for <= and >. */
static bool is_affine_bound(const Affine *a, unsigned by, bool is_one_more)
{
    if (!is_one_more)
        return ptx_affine_is_uniform(*a) && a->align >= by;
    return is_affine_number(a) && zeros_of((int64_t)((uint64_t)a->base + 1)) >= by;
}

/* A warp lies on one side of a multiple of what its lanes span. */
static bool is_on_one_side(const Op *op, const Affine *a, const Affine *b)
{
    static const uint8_t words[] = {
        MOD_LT, MOD_LO, MOD_GE, MOD_HS, MOD_LE, MOD_LS, MOD_GT, MOD_HI
    };
    const bool is_swapped = ptx_affine_is_uniform(*a);
    const Affine *lanes = is_swapped ? b : a;
    const Affine *bound = is_swapped ? a : b;
    if (lanes->uniformity != UNIFORMITY_AFFINE || lanes->stride == AFFINE_STRIDE_UNKNOWN
        || !are_affine_apart(lanes, span_bits(lanes)))
        return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_op_has(op, (Modifier)words[i]))
            return is_affine_bound(bound, span_bits(lanes), (i >= 4) != is_swapped);
    return false;
}

static Affine compare(const Op *op, const Affine *args, unsigned count)
{
    Affine out = ptx_affine_blur(args, count);
    const Affine *a = &args[0], *b = &args[1];
    bool is_whole = ptx_type_info[op->type].kind != KIND_FLOAT
                    && (count < 3 || ptx_affine_is_uniform(args[2]) || !args[2].uniformity);
    if (!is_whole || !is_followed(a) || !is_followed(b) || ptx_affine_is_uniform(out))
        return out;
    bool cancels = a->stride == b->stride && a->stride != AFFINE_STRIDE_UNKNOWN;
    if (!cancels && !is_on_one_side(op, a, b))
        return out;
    out = ptx_affine_uniform(a->is_of_warp || b->is_of_warp || (count > 2 && args[2].is_of_warp)
                                 ? UNIFORMITY_WARP
                                 : UNIFORMITY_BLOCK);
    out.is_assumed = a->is_assumed || b->is_assumed || (count > 2 && args[2].is_assumed);
    return out;
}

/* ---- instructions ---------------------------------------------------------------------------- */

typedef enum AffineRule {
    RULE_BLUR,
    RULE_ADD,
    RULE_AND,
    RULE_COMPARE,
    RULE_CONVERT,
    RULE_COPY,
    RULE_DIVERGENT,
    RULE_DIVIDE,
    RULE_FIELD,
    RULE_MAD,
    RULE_MUL,
    RULE_OR,
    RULE_REST,
    RULE_SELECT,
    RULE_SHL,
    RULE_SHR,
    RULE_SUB,
    RULE_WARP,
} AffineRule;

/* Other operations give the same where their sources are the same. */
static const uint8_t rules[OP__COUNT] = {
    [OP_ACTIVEMASK] = RULE_WARP, [OP_ADD] = RULE_ADD, [OP_ADDC] = RULE_DIVERGENT, [OP_AND] = RULE_AND, [OP_BFE] = RULE_FIELD,
    [OP_CALL] = RULE_DIVERGENT, [OP_CVT] = RULE_CONVERT, [OP_CVTA] = RULE_COPY, [OP_DIV] = RULE_DIVIDE, [OP_ELECT] = RULE_WARP,
    [OP_MAD] = RULE_MAD, [OP_MADC] = RULE_DIVERGENT, [OP_MATCH] = RULE_DIVERGENT, [OP_MOV] = RULE_COPY, [OP_MUL] = RULE_MUL,
    [OP_OR] = RULE_OR, [OP_REDUX] = RULE_WARP, [OP_REM] = RULE_REST, [OP_SELP] = RULE_SELECT, [OP_SETP] = RULE_COMPARE,
    [OP_SHL] = RULE_SHL, [OP_SHR] = RULE_SHR, [OP_SUB] = RULE_SUB, [OP_SUBC] = RULE_DIVERGENT, [OP_VOTE] = RULE_WARP, [OP_XOR] = RULE_OR,
};

static AffineRule rule_of(const Op *op)
{
    AffineRule rule = (AffineRule)rules[op->operation];
    if (rule == RULE_DIVERGENT && ptx_op_has(op, MOD_ALL))
        return RULE_WARP;               /* match.all */
    if (rule == RULE_BLUR && op->flags & OPF_WARP)
        return RULE_DIVERGENT;
    bool is_float = ptx_type_info[op->type].kind == KIND_FLOAT;
    bool is_exact = rule == RULE_SELECT || rule == RULE_COMPARE || rule == RULE_CONVERT
                    || rule == RULE_COPY || rule == RULE_WARP || rule == RULE_DIVERGENT;
    bool is_other = is_float || ptx_op_has(op, MOD_SAT) || op->type == TYPE_PRED
                    || ptx_type_is_packed((Type)op->type);
    return is_other && !is_exact ? RULE_BLUR : rule;
}

static Affine product(const Op *op, const Affine *args, unsigned *width)
{
    if (ptx_op_has(op, MOD_HI))
        return ptx_affine_blur(args, 2);
    if (!ptx_op_has(op, MOD_WIDE))
        return multiply(&args[0], &args[1], *width);
    *width *= 2;
    Affine a = widen(args[0]), b = widen(args[1]);
    return multiply(&a, &b, *width);
}

static Affine shift(const Affine *args, unsigned width, bool is_left, bool is_signed)
{
    if (!is_affine_number(&args[1]))
        return ptx_affine_blur(args, 2);
    uint64_t by = (uint64_t)args[1].base;
    if (by >= width || by > 62) {
        if (!is_left && is_signed)
            return ptx_affine_blur(args, 1);
        return args[0].uniformity ? ptx_affine_number(0) : (Affine){ 0 };
    }
    return is_left ? scale(&args[0], INT64_C(1) << by, width)
                   : shift_affine_right(&args[0], (unsigned)by, is_signed);
}

Affine ptx_affine_apply(const Op *op, const Affine *args, unsigned count)
{
    unsigned width = ptx_type_info[op->type].bits;
    bool is_signed = ptx_type_info[op->type].kind == KIND_SIGNED;
    const AffineRule rule = rule_of(op);
    static const uint8_t needed[] = {
        [RULE_ADD] = 2,  [RULE_AND] = 2,    [RULE_COMPARE] = 2, [RULE_CONVERT] = 1,
        [RULE_COPY] = 1, [RULE_DIVIDE] = 2, [RULE_FIELD] = 3,   [RULE_MAD] = 3,
        [RULE_MUL] = 2,  [RULE_OR] = 2,     [RULE_REST] = 2,    [RULE_SELECT] = 3,
        [RULE_SHL] = 2,  [RULE_SHR] = 2,    [RULE_SUB] = 2,     [RULE_WARP] = 0
    };
    if (count < needed[rule])
        return ptx_affine_blur(args, count);
    switch (rule) {
    case RULE_ADD:          return add(&args[0], &args[1], width, 1);
    case RULE_SUB:          return add(&args[0], &args[1], width, -1);
    case RULE_AND:          return and_of(args, width);
    case RULE_OR:           return or_of(args, width);
    case RULE_COMPARE:      return compare(op, args, count);
    case RULE_CONVERT:      return convert(op, &args[0]);
    case RULE_COPY:         return count == 1 ? args[0] : ptx_affine_blur(args, count);
    case RULE_DIVIDE:       return divide(args, is_signed, false);
    case RULE_REST:         return divide(args, is_signed, true);
    case RULE_FIELD:        return field(args, is_signed);
    case RULE_SELECT:       return choose_affine(args);
    case RULE_SHL:          return shift(args, width, true, is_signed);
    case RULE_SHR:          return shift(args, width, false, is_signed);
    case RULE_MUL:          return product(op, args, &width);
    case RULE_MAD: {
        Affine scaled = product(op, args, &width);
        return add(&scaled, &args[2], width, 1);
    }
    case RULE_WARP:         return ptx_affine_uniform(UNIFORMITY_WARP);
    case RULE_DIVERGENT:    return ptx_affine_uniform(UNIFORMITY_DIVERGENT);
    default:                return ptx_affine_blur(args, count);
    }
}
