/* lane.h -- what the files of alu/ share. */
#ifndef PTX_ANALYSIS_SIM_LANE_H
#define PTX_ANALYSIS_SIM_LANE_H

#include "analysis/sim/value.h"
#include "isa/isa.h"

/* A function takes them all, whatever it needs. */
#define LANE_OPERANDS                                                               \
    __attribute__((unused)) const Lanewise *op, __attribute__((unused)) uint64_t a, \
        __attribute__((unused)) uint64_t b, __attribute__((unused)) uint64_t c,     \
        __attribute__((unused)) uint64_t d

/* The low bits of a register; all from 64 on. */
static inline uint64_t ptx_lane_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Lanewise.usual: what all_lanes.c has a loop for; of integers, and without a modifier. */
typedef enum Usual {
    USUAL_NONE,
    USUAL_ADD,
    USUAL_SUB,
    USUAL_MUL,
    USUAL_MAD,
    USUAL_AND,
    USUAL_OR,
    USUAL_XOR,
    USUAL_SHL,
    USUAL_EXTEND,
    USUAL_MOVE,
    USUAL_COMPARE
} Usual;

/* lanefloat.c: of a float in any format that has at most 64 bits for each: exact, then rounded as
 * op says. NULL: there is no such function, or what it gives is not defined to the bit. */
LaneFn *ptx_lane_float(const Lanewise *op, Operation operation);
/* small floats and a single one */
LaneFn *ptx_lane_mixed(const Lanewise *op, Operation operation);
/* two of each, side by side; up to single floats or down from them */
LaneFn *ptx_lane_mixed_pair(Lanewise *op, const Op *from);
/* of two numbers at once it makes op->each */
LaneFn *ptx_lane_conversion(Lanewise *op);

/* The number of a float, which a double can hold; formats of half a word too. */
double ptx_lane_double(uint64_t a, Type type);
bool ptx_lane_is_format(Type type);

/* lanevideo.c: NULL: it is no video instruction. Where their operands lie, ptx_lanewise_take_parts
 * says. */
LaneFn *ptx_lane_video(const Op *op, Lanewise *out);

/* lanewise.c: cvt to integers. */
uint64_t ptx_lane_integer(const Lanewise *op, double value);

/* Of two integers or floats side by side; TYPE_NONE: it is no such type. */
Type ptx_lane_half(Type type);

/* Two halves of op->bits, each by op->each. */
uint64_t ptx_lane_pair(const Lanewise *op, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#endif
