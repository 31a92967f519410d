/* Video instructions, one pair of operands or two or four at once. PTX ISA, "Video
 * Instructions". */
#include "analysis/sim/lane.h"
#include "ir/operand.h"
#include "isa/isa.h"

#include <string.h>

typedef __int128 Long;

enum {
    ALL_HALVES = 0x10 | PART_HALVES | 2 << PART_COUNT_SHIFT,
    ALL_BYTES = 0x3210 | PART_BYTES | 4 << PART_COUNT_SHIFT
};
enum { DIGIT_BITS = 4, WORD_BITS = 32 };

/* ---- parts of a word ------------------------------------------------------------------------- */

static unsigned bits_of(uint32_t part)
{
    if (part & PART_HALVES)
        return 16;
    return part & PART_BYTES ? 8 : WORD_BITS;
}

static int64_t extended(uint64_t word, unsigned bits, bool is_signed)
{
    uint64_t sign = UINT64_C(1) << (bits - 1), low = word & ((sign << 1) - 1);
    return is_signed ? (int64_t)((low ^ sign) - sign) : (int64_t)low;
}

static int64_t part_of(uint64_t word, uint32_t part, unsigned digit, bool is_signed)
{
    unsigned bits = bits_of(part),
             place = bits < WORD_BITS ? (part & PART_DIGITS) >> (DIGIT_BITS * digit) & 7 : 0;
    return extended(word >> (bits * place), bits, is_signed);
}

static uint64_t with_part(uint64_t word, uint64_t value, unsigned bits, unsigned place)
{
    uint64_t mask = ((UINT64_C(1) << bits) - 1) << (bits * place);
    return (word & ~mask) | (value << (bits * place) & mask);
}

/* ---- one operation --------------------------------------------------------------------------- */

static Long clamped(Long x, unsigned bits, bool is_signed)
{
    Long most = ((Long)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    if (x > most)
        return most;
    return x < least ? least : x;
}

static bool holds(uint8_t compare, int64_t a, int64_t b)
{
    switch ((Compare)compare) {
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return a != b;
    case COMPARE_LT: return a < b;
    case COMPARE_LE: return a <= b;
    case COMPARE_GT: return a > b;
    default:         return a >= b;
    }
}

typedef enum VideoKind {
    VIDEO_NONE,
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_AVERAGE,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_COMPARE,
    VIDEO_MAD
} VideoKind;

/* By how much a shift goes; the operand is unsigned, and 32 shifts all of it out. */
static unsigned distance(const Lanewise *op, int64_t b)
{
    if (op->is_wrap)
        return (unsigned)(b & (WORD_BITS - 1));
    return (uint64_t)b > WORD_BITS ? WORD_BITS : (unsigned)b;
}

static int64_t operated(const Lanewise *op, int64_t a, int64_t b)
{
    switch ((VideoKind)op->video.kind) {
    case VIDEO_ADD:      return a + b;
    case VIDEO_SUB:      return a - b;
    case VIDEO_ABSDIFF:  return a < b ? b - a : a - b;
    case VIDEO_MIN:      return a < b ? a : b;
    case VIDEO_MAX:      return a < b ? b : a;
    case VIDEO_AVERAGE:  return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SHL:      return (int64_t)((uint64_t)a << distance(op, b));
    case VIDEO_SHR:      return a >> distance(op, b);
    default:            return holds(op->compare, a, b);
    }
}

/* What is done to the result and to c, which are of one type. */
static int64_t seconded(const Lanewise *op, int64_t x, uint64_t c)
{
    int64_t other = extended(c, WORD_BITS, op->is_signed),
            own = extended((uint64_t)x, WORD_BITS, op->is_signed);
    switch ((VideoKind)op->video.second) {
    case VIDEO_ADD:  return own + other;
    case VIDEO_MIN:  return own < other ? own : other;
    case VIDEO_MAX:  return own < other ? other : own;
    default:        return x;
    }
}

static uint64_t fn_one(LANE_OPERANDS)
{
    const Video *v = &op->video;
    uint32_t to = v->parts[0];
    int64_t x = operated(op, part_of(a, v->parts[1], 0, v->is_signed[0]),
                         part_of(b, v->parts[2], 0, v->is_signed[1]));
    if (op->is_saturating)
        x = (int64_t)clamped(x, WORD_BITS, op->is_signed);
    return v->merges ? with_part(c, (uint64_t)x, bits_of(to), to & 7)
                     : (uint64_t)seconded(op, x, c);
}

/* Each source element is one of those of a and b, a's first. */
static uint64_t fn_several(LANE_OPERANDS)
{
    const Video *v = &op->video;
    uint64_t both = b << WORD_BITS | (a & UINT32_MAX), out = c;
    unsigned bits = WORD_BITS / v->count, chosen = 0;
    for (unsigned i = 0; i < v->parts[0] >> PART_COUNT_SHIFT; i++)
        chosen |= 1u << (v->parts[0] >> (DIGIT_BITS * i) & 7);
    for (unsigned i = 0; i < v->count; i++) {
        int64_t x = operated(op, part_of(both, v->parts[1], i, v->is_signed[0]),
                             part_of(both, v->parts[2], i, v->is_signed[1]));
        if (op->is_saturating)
            x = (int64_t)clamped(x, bits, op->is_signed);
        if (chosen >> i & 1)
            out = v->second ? out + (uint64_t)x : with_part(out, (uint64_t)x, bits, i);
    }
    return out;
}

/* The sum has all its bits; it is signed where a or b is, or a minus stands somewhere. */
static uint64_t fn_mad(LANE_OPERANDS)
{
    const Video *v = &op->video;
    bool is_negative = (v->minus & 1) != (v->minus >> 1 & 1), minus_c = v->minus >> 2 & 1;
    bool is_signed = v->is_signed[0] || v->is_signed[1] || is_negative || minus_c;
    Long product = (Long)part_of(a, v->parts[1], 0, v->is_signed[0])
                   * part_of(b, v->parts[2], 0, v->is_signed[1]);
    Long addend = extended(c, WORD_BITS, is_signed);
    if (is_negative)
        product = -product;
    if (minus_c)
        addend = -addend;
    Long sum = (product + addend + v->adds_one) >> v->shift;
    return (uint64_t)(op->is_saturating ? clamped(sum, WORD_BITS, is_signed) : sum);
}

/* ---- from the text --------------------------------------------------------------------------- */

/* count: parts at once, 0: one */
static const struct { uint8_t kind, count; } rows[OP__COUNT] = {
    [OP_VABSDIFF] = { VIDEO_ABSDIFF, 0 }, [OP_VABSDIFF2] = { VIDEO_ABSDIFF, 2 }, [OP_VABSDIFF4] = { VIDEO_ABSDIFF, 4 },
    [OP_VADD] = { VIDEO_ADD, 0 },         [OP_VADD2] = { VIDEO_ADD, 2 },         [OP_VADD4] = { VIDEO_ADD, 4 },
    [OP_VMAX] = { VIDEO_MAX, 0 },         [OP_VMAX2] = { VIDEO_MAX, 2 },         [OP_VMAX4] = { VIDEO_MAX, 4 },
    [OP_VMIN] = { VIDEO_MIN, 0 },         [OP_VMIN2] = { VIDEO_MIN, 2 },         [OP_VMIN4] = { VIDEO_MIN, 4 },
    [OP_VSET] = { VIDEO_COMPARE, 0 },     [OP_VSET2] = { VIDEO_COMPARE, 2 },     [OP_VSET4] = { VIDEO_COMPARE, 4 },
    [OP_VSUB] = { VIDEO_SUB, 0 },         [OP_VSUB2] = { VIDEO_SUB, 2 },         [OP_VSUB4] = { VIDEO_SUB, 4 },
    [OP_VAVRG2] = { VIDEO_AVERAGE, 2 },   [OP_VAVRG4] = { VIDEO_AVERAGE, 4 },
    [OP_VMAD] = { VIDEO_MAD, 0 },         [OP_VSHL] = { VIDEO_SHL, 0 },          [OP_VSHR] = { VIDEO_SHR, 0 },
};

static bool is_signed(Type type)
{
    return ptx_type_info[type].kind == KIND_SIGNED;
}

/* Where an H200 gives what the manual says: not where .sat meets numbers of both kinds or a shift,
 * nor where vmad's sum is unsigned and is more than added. */
static bool is_told(const Lanewise *op)
{
    const Video *v = &op->video;
    if (v->kind == VIDEO_MAD)
        return v->is_signed[0] || v->is_signed[1] || !(op->is_saturating || v->shift);
    return v->count || !op->is_saturating
           || ((v->kind == VIDEO_ADD || v->kind == VIDEO_SUB)
               && v->is_signed[0] == v->is_signed[1]);
}

/* What the result and the last operand go into. */
static uint8_t second_of(const Op *op)
{
    if (ptx_op_has(op, MOD_ADD))
        return VIDEO_ADD;
    if (ptx_op_has(op, MOD_MIN))
        return VIDEO_MIN;
    return ptx_op_has(op, MOD_MAX) ? VIDEO_MAX : VIDEO_NONE;
}

static uint8_t shift_of(const Op *op)
{
    if (ptx_op_has(op, MOD_SHR7))
        return 7;
    return ptx_op_has(op, MOD_SHR15) ? 15 : 0;
}

LaneFn *ptx_lane_video(const Op *op, Lanewise *out)
{
    Video *v = &out->video;
    v->count = rows[op->operation].count;
    v->kind = rows[op->operation].kind;
    bool has_result = v->kind != VIDEO_COMPARE;          /* its type is the first */
    if (!v->kind || op->type_count < 2u + has_result)
        return NULL;
    v->is_signed[0] = is_signed((Type)op->types[has_result]);
    v->is_signed[1] = is_signed((Type)op->types[has_result + 1]);
    out->is_signed = has_result && is_signed((Type)op->types[0]);
    out->bits = WORD_BITS;
    v->second = second_of(op);
    v->shift = shift_of(op);
    v->adds_one = ptx_op_has(op, MOD_PO);
    if (!is_told(out))
        return NULL;
    if (v->kind == VIDEO_MAD)
        return fn_mad;
    return v->count ? fn_several : fn_one;
}

/* Whether a selector names parts of so many words: .h0 and .h1 are those of one. */
static bool is_within(uint32_t part, unsigned words)
{
    for (unsigned i = 0; part && i < part >> PART_COUNT_SHIFT; i++)
        if (((part >> (DIGIT_BITS * i) & 7) + 1) * bits_of(part) > words * WORD_BITS)
            return false;
    return true;
}

void ptx_lanewise_take_parts(Lanewise *op, const Operand *operands, unsigned count)
{
    Video *v = &op->video;
    for (unsigned i = 0; i < 3 && i < count; i++)
        v->parts[i] =
            operands[i].flags & OPERAND_PART ? (uint32_t)ptx_operand_value(&operands[i]) : 0;
    for (unsigned i = 1; i < 4 && i < count; i++)
        if (operands[i].flags & OPERAND_MINUS)
            v->minus |= (uint8_t)(1u << (i - 1));
    v->merges = count > 3 && !v->second && v->kind != VIDEO_MAD && !v->count;
    bool is_upper = v->parts[0] & PART_HALVES && v->parts[0] & PART_DIGITS;
    if (!v->count && v->parts[0] && (op->is_saturating || is_upper))
        /* an H200 neither clamps to the part nor fills the upper half */
        op->fn = NULL;
    unsigned words = v->count ? 2 : 1;
    if (!is_within(v->parts[0], 1) || !is_within(v->parts[1], words)
        || !is_within(v->parts[2], words))
        op->fn = NULL;
    uint32_t all = v->count == 2 ? ALL_HALVES : ALL_BYTES, by = v->count;
    if (!by)
        return;
    const uint32_t second = (all & ~(uint32_t)PART_DIGITS) | (by == 2 ? 0x32 : 0x7654);
    v->parts[0] = v->parts[0] ? v->parts[0] : all;
    v->parts[1] = v->parts[1] ? v->parts[1] : all;
    v->parts[2] = v->parts[2] ? v->parts[2] : second;
}
