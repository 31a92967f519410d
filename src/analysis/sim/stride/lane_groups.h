/* lane_groups.h -- groups of lanes that share what is unknown of a number: of rows whose numbers
 * were loaded, neighbouring lanes take a part each, so that they lie at known distances from each
 * other.
 *
 * Value.group holds it for the lanes that are unknown: the true value is then the number there plus
 * an unknown multiple of 2^align, the same in lanes whose indices differ in `bits` only. By how
 * much the number grows from one of the blocks that a run stands for to the next (block_stride.h)
 * is part of that multiple. 32-bit numbers are taken not to overflow, as in value.h. */
#ifndef PTX_ANALYSIS_SIM_STRIDE_LANE_GROUPS_H
#define PTX_ANALYSIS_SIM_STRIDE_LANE_GROUPS_H

#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/value.h"

typedef struct LaneGroups {
    uint32_t bits;              /* of a lane's index, side by side; 0: nothing is known */
    unsigned align;             /* log2; packed, 7 at the most */
    /* lanes have gone around a loop as often as each other, which is not known: an estimate */
    bool is_loose;
} LaneGroups;

/* As Value.group holds it. */
uint8_t ptx_groups_pack(LaneGroups groups);
LaneGroups ptx_groups_unpack(uint8_t packed);

/* The lanes among `lanes` in the group of this one. */
uint32_t ptx_groups_lanes(LaneGroups groups, unsigned lane, uint32_t lanes);

/* Value.group of what lanes load there, where that is not known. */
uint8_t ptx_groups_load(const Blocks *blocks, const Value *address, uint32_t lanes);

/* Sets out's group, of op's result, or of a choice, that is unknown in all of these lanes. False:
 * its number is 0, whatever op makes of the numbers. */
bool ptx_groups_follow(const Blocks *blocks, const Lanewise *op, Value *out,
                       const Value *const *args, unsigned count, uint32_t lanes);
bool ptx_groups_choose(const Blocks *blocks, Value *out, const Value *const args[3],
                       uint32_t lanes);

/* from: of each lane, the lane whose value it gets. */
uint8_t ptx_groups_shuffle(const Value *value, const uint8_t from[WARP_LANES], uint32_t lanes);

/* Value.group of a register, some of whose live lanes get another value. */
uint8_t ptx_groups_blend(const Value *old, const Value *other, uint32_t lanes, uint32_t live);

/* A lane that steps over what its group covers comes to none of the others' places: most lanes go
 * around such a loop equally often. 1 + the log2 of what divides the step from a register's number
 * to the next; 0: it is no such step. */
uint8_t ptx_groups_step(const Value *old, const Value *next, uint32_t lanes);

/* Value.group behind a loop of such steps, of lanes of which it is not known how often they went
 * around. */
uint8_t ptx_groups_leave(const Value *value, uint8_t step, uint32_t lanes);

/* Of a register that a loop carries: as it is in all iterations, had each moved it as it has moved
 * since then. */
uint8_t ptx_groups_widen(const Value *now, const Value *then, uint32_t lanes);

#endif
