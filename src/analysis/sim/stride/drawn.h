/* drawn.h -- numbers that data choose among a few that are known.
 *
 * A selp by a predicate that data make, a register that one side of such a branch writes, what a
 * mask leaves of a loaded number: the lanes are unknown, but each holds one of few numbers. One of
 * these is drawn for each lane, all alike, and what follows from it is computed. The lanes stay
 * unknown: no branch, no figure of an access and no bound rests on them. Requests at addresses that
 * were drawn are taken for those of the launch where its traffic is estimated. */
#ifndef PTX_ANALYSIS_SIM_STRIDE_DRAWN_H
#define PTX_ANALYSIS_SIM_STRIDE_DRAWN_H

#include "analysis/sim/machine.h"
#include "analysis/sim/value.h"

/* Value.group of such numbers: ptx_groups_pack gives no such byte. */
enum { GROUP_DRAWN = 0x10 };

static inline bool ptx_value_is_drawn(const Value *value)
{
    return value->group == GROUP_DRAWN;
}

/* Each of these lanes is known, or drawn. */
static inline bool ptx_value_is_told(const Value *value, uint32_t lanes)
{
    return !(value->unknown & lanes) || ptx_value_is_drawn(value);
}

typedef struct DrawnInputs {
    const Lanewise *op;
    const Value *const *args;
    unsigned count;
    uint32_t lanes;
    uint64_t key;               /* the same draws for the same key */
} DrawnInputs;

enum { MAX_DRAWN_ARGS = 8 };

/* Whether out's unknown lanes follow from numbers that were drawn: those of out are then what op
 * makes of them. Sets its group, and how it grows. */
bool ptx_drawn_follow(Blocks *blocks, Value *out, const DrawnInputs *in);
/* The same of a choice by a predicate that is known or drawn; how known lanes grow is set. */
void ptx_drawn_follow_choice(const Blocks *blocks, Value *out, const DrawnInputs *in);

/* Draws the unknown lanes of a choice, or of what op leaves of an unknown number; the others hold
 * what op made of known ones. False: they are not among few known numbers, and nothing is set. */
bool ptx_drawn_choose(const Blocks *blocks, Scratch *out, const DrawnInputs *in);
bool ptx_drawn_cut(Scratch *out, const DrawnInputs *in);

/* What a register held, before one side of a doubtful branch wrote it. */
void ptx_drawn_keep(Machine *m, ModRef *ref, const Register *r);

/* That, or what it holds now, in each of these lanes. False: one of both is not known. */
bool ptx_drawn_join(Machine *m, Register *r, ModRef *ref, uint32_t lanes, uint64_t key);

/* The other side begins, where these lanes hold what they held before: what they hold now is kept
 * in its place. False: that is not known. */
bool ptx_drawn_exchange(Machine *m, Register *r, ModRef *ref, uint32_t lanes);

/* Value.group of a register, some of whose live lanes get another value. */
uint8_t ptx_drawn_blend(const Value *old, const Value *other, uint32_t lanes, uint32_t live);

#endif
