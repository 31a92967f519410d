/* The blocks that a run stands for, and how they become fewer. What was found for more of them
 * holds for fewer. */
#include "analysis/sim/stride/growth.h"
#include "support/assert.h"
#include "support/minmax.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

Blocks ptx_blocks_new(const uint32_t first[3], const uint32_t step[3], const uint32_t count[3])
{
    Blocks blocks = { .epoch = 0 };
    for (unsigned d = GROWTH_WARP; d < GROWTH_DIMS; d++)
        blocks.step[d] = blocks.count[d] = blocks.steps[0][d] = 1;
    for (unsigned d = 0; d < GROWTH_WARP; d++) {
        blocks.first[d] = first[d];
        blocks.step[d] = blocks.steps[0][d] = step[d];
        blocks.count[d] = count[d];
    }
    return blocks;
}

double ptx_blocks_size(const Blocks *blocks)
{
    return (double)blocks->count[0] * blocks->count[1] * blocks->count[2]
           * blocks->count[GROWTH_WARP];
}

double ptx_blocks_size_with_trips(const Blocks *blocks)
{
    double size = ptx_blocks_size(blocks);
    for (unsigned d = GROWTH_TRIPS; d < GROWTH_DIMS; d++)
        size *= blocks->count[d];
    return size;
}

bool ptx_value_has_block_stride(const Blocks *blocks, const Value *value)
{
    return ptx_grows(blocks, value);
}

void ptx_blocks_pin(Blocks *blocks, const Value *value)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (value->grows >> d & 1)
            blocks->count[d] = 1;
}

void ptx_blocks_index(const Blocks *blocks, Value *out, unsigned d, int64_t by)
{
    if (blocks->count[d] <= 1)
        return;
    Wide all[GROWTH_DIMS] = { 0 };
    all[d] = by;
    ptx_growth_set(blocks, out, all);
}

uint64_t ptx_blocks_steps(const Blocks *blocks, const Value *value)
{
    uint64_t steps = 0;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        steps |= (uint64_t)ptx_growth(blocks, value, d);
    return steps;
}

uint64_t ptx_blocks_between_warps(const Blocks *blocks, const Value *value)
{
    return (uint64_t)ptx_growth(blocks, value, GROWTH_WARP);
}

/* ---- trips ----------------------------------------------------------------------------------- */

unsigned ptx_blocks_open_trips(Blocks *blocks, uint32_t most)
{
    for (unsigned d = GROWTH_TRIPS; d < GROWTH_DIMS; d++)
        if (blocks->count[d] == 1 && blocks->step[d] == 1) {
            blocks->count[d] = most;
            return d;
        }
    return 0;
}

uint32_t ptx_blocks_trips(const Blocks *blocks, unsigned d, uint32_t *step)
{
    *step = blocks->step[d];
    return blocks->count[d];
}

void ptx_blocks_widen_trips(Blocks *blocks, unsigned d, uint32_t trips, uint32_t step)
{
    blocks->count[d] = trips;
    blocks->step[d] = step;
    for (unsigned e = 0; e <= blocks->epoch; e++)
        if (blocks->steps[e][d] > step)
            blocks->steps[e][d] = step;
}

void ptx_blocks_close_trips(Blocks *blocks, unsigned d)
{
    blocks->count[d] = blocks->step[d] = 1;
    for (unsigned e = 0; e <= blocks->epoch; e++)
        blocks->steps[e][d] = 1;
}

void ptx_block_stride_set(const Blocks *blocks, Value *value, unsigned dimension, int64_t along)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = d == dimension ? along : ptx_growth(blocks, value, d);
    ptx_growth_set(blocks, value, by);
}

int64_t ptx_block_stride_along(const Blocks *blocks, const Value *value, unsigned dimension)
{
    return (int64_t)ptx_growth(blocks, value, dimension);
}

void ptx_blocks_keep_common(Blocks *blocks, const Value *a, const Value *b, unsigned but)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (d != but && ptx_growth(blocks, a, d) != ptx_growth(blocks, b, d))
            blocks->count[d] = 1;
}

/* ---- narrowing ------------------------------------------------------------------------------- */

bool ptx_blocks_are_held(const Blocks *blocks, const Wide by[GROWTH_DIMS], Wide up, Wide down)
{
    Wide rise = 0, fall = 0;
    for (unsigned d = 0; d < GROWTH_DIMS; d++) {
        if (blocks->count[d] <= 1 || !by[d])
            continue;
        const Wide reach = by[d] * (blocks->count[d] - 1);
        rise += reach > 0 ? reach : 0;
        fall -= reach < 0 ? reach : 0;
    }
    return rise <= up && fall <= down;
}

void ptx_blocks_hold(Blocks *blocks, const Wide by[GROWTH_DIMS], Wide up, Wide down)
{
    ASSERT(up >= 0 && down >= 0);
    if (ptx_blocks_are_held(blocks, by, up, down))
        return;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (;;) {
            Wide total = 0, most = 0, slack = sign > 0 ? up : down;
            unsigned at = 0;
            for (unsigned d = 0; d < GROWTH_DIMS; d++) {
                Wide reach = sign * by[d] * (blocks->count[d] - 1);
                total += reach > 0 ? reach : 0;
                if (reach > 0 && at < GROWTH_TRIPS && (d >= GROWTH_TRIPS || reach > most)) {
                    most = reach;
                    at = d;
                }
            }
            if (total <= slack)
                break;
            Wide left = slack - (total - most);
            blocks->count[at] = left < 0 ? 1 : (uint32_t)(left / (sign * by[at])) + 1;
        }
}

void ptx_blocks_hold_value(Blocks *blocks, const Value *value, Wide up, Wide down)
{
    Wide by[GROWTH_DIMS];
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        by[d] = ptx_growth(blocks, value, d);
    ptx_blocks_hold(blocks, by, up, down);
}

void ptx_blocks_stretch(Blocks *blocks, unsigned d, uint64_t times)
{
    if (times >= blocks->count[d] || blocks->epoch + 1 >= MAX_EPOCHS) {
        blocks->count[d] = 1;
        return;
    }
    blocks->count[d] = (uint32_t)((blocks->count[d] + times - 1) / times);
    blocks->step[d] *= (uint32_t)times;
    blocks->epoch++;
    for (unsigned i = 0; i < GROWTH_DIMS; i++)
        blocks->steps[blocks->epoch][i] = blocks->step[i];
}

static void align_from(Blocks *blocks, const Value *value, uint64_t multiple, unsigned first)
{
    for (unsigned d = first; d < GROWTH_DIMS; d++) {
        Wide by = ptx_growth(blocks, value, d);
        uint64_t rest = (uint64_t)((by < 0 ? -by : by) % multiple);
        if (rest)
            ptx_blocks_stretch(blocks, d, multiple / ptx_u64_divisor(multiple, rest));
    }
}

void ptx_blocks_align(Blocks *blocks, const Value *value, uint64_t multiple)
{
    align_from(blocks, value, multiple, 0);
}

void ptx_blocks_align_trips(Blocks *blocks, const Value *value, uint64_t multiple)
{
    align_from(blocks, value, multiple, GROWTH_TRIPS);
}

bool ptx_value_is_aligned(const Blocks *blocks, const Value *value, uint64_t multiple)
{
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        if (ptx_growth(blocks, value, d) % multiple)
            return false;
    return true;
}

/* ---- from several ---------------------------------------------------------------------------- */

void ptx_block_stride_choose(Blocks *blocks, Value *out, const Value *a, const Value *b,
                             uint32_t of_a, uint32_t of_b)
{
    of_a &= ~a->unknown;
    of_b &= ~b->unknown;
    for (unsigned d = 0; d < GROWTH_DIMS && of_a && of_b; d++)
        if (ptx_growth(blocks, a, d) != ptx_growth(blocks, b, d))
            blocks->count[d] = 1;
    if (of_a || of_b)
        ptx_growth_take(out, of_a ? a : b);
    else
        ptx_growth_stay(out);
}
