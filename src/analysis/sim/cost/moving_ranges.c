#include "analysis/sim/cost/moving_ranges.h"

#include "support/minmax.h"

static bool moves_alike(const MovingRange *a, const MovingRange *b)
{
    bool is_alike = a->array == b->array && a->side == b->side;
    for (unsigned d = 0; d < 3; d++)
        is_alike &= a->shift.by[d] == b->shift.by[d] && a->shift.step[d] == b->shift.step[d];
    return is_alike;
}

void ptx_moving_ranges_add(MovingRanges *ranges, const MovingRange *range)
{
    if (ranges->is_incomplete)
        return;
    for (uint32_t i = 0; i < ranges->count; i++) {
        MovingRange *known = &ranges->items[i];
        if (!moves_alike(known, range))
            continue;
        known->first = ptx_u64_min(known->first, range->first);
        known->last = ptx_u64_max(known->last, range->last);
        return;
    }
    if (ranges->count == MAX_MOVING_RANGES)
        ranges->is_incomplete = true;
    else
        ranges->items[ranges->count++] = *range;
}

/* Steps are multiples of those that came before, and blocks that a run stands for lie apart by
 * multiples of the last. */
bool ptx_shift_way(const FootprintShift *shift, const int64_t blocks[3], int64_t *bytes)
{
    *bytes = 0;
    for (unsigned d = 0; d < 3; d++) {
        const int64_t step = shift->step[d];
        if (!blocks[d])
            continue;
        if (!step || blocks[d] % step)
            return false;
        *bytes += blocks[d] / step * shift->by[d];
    }
    return true;
}
