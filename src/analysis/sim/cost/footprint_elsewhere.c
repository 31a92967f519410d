/* footprint_elsewhere.c -- a footprint of one block, moved to others that are alike. */
#include "analysis/sim/cost/footprint_state.h"

#include "analysis/sim/request.h"
#include "support/minmax.h"

#include <string.h>

void ptx_footprint_follow(Footprint *f, uint64_t place, const FootprintShift *shift)
{
    const uint32_t known = f->array_count;
    Extent *array = ptx_footprint_array(f, place >> PIECE_SHIFT);
    f->has_lost |= f->array_count > known;
    if (!array)
        return;
    for (unsigned d = 0; d < 3 && array->is_followed; d++) {
        const bool is_asked = shift->step[d] && array->shift.step[d];
        array->is_torn[d] |= is_asked
                             && array->shift.by[d] * (shift->step[d] / array->shift.step[d])
                                    != shift->by[d];
    }
    array->is_followed = true;
    array->shift = *shift;
}

/* Bytes from where a block touches the array to where one so far from it does. False: this is not
 * known. */
static bool find_way(const Extent *array, const int64_t blocks[3], int64_t *bytes)
{
    for (unsigned d = 0; d < 3; d++)
        if (blocks[d] && (!array->is_followed || array->is_torn[d]))
            return false;
    return ptx_shift_way(&array->shift, blocks, bytes);
}

static bool has_extent(const Extent *array, unsigned side)
{
    return side < SIDE__PLACES && array->first[side] <= array->last[side];
}

/* What is counted rests on where an address lies in its line, and on the array. */
static bool is_alike_there(const Extent *array, const int64_t blocks[3])
{
    int64_t bytes;
    if (!find_way(array, blocks, &bytes) || bytes & LINE_MASK)
        return false;
    const uint64_t pieces = (uint64_t)(bytes / (1 << PIECE_SHIFT));
    for (unsigned s = 0; s < SIDE__COUNT; s++)
        if (has_extent(array, s)
            && ((array->first[s] + pieces) >> (ARRAY_SHIFT - PIECE_SHIFT) != array->key
                || (array->last[s] + pieces) >> (ARRAY_SHIFT - PIECE_SHIFT) != array->key))
            return false;
    return true;
}

bool ptx_footprint_can_move(const Footprint *f, const int64_t blocks[3])
{
    const bool has_boxes = f->here.box_rows > 0 || f->here.unknown_boxes > 0;
    bool can = !f->has_lost && !has_boxes && f->array_count < ARRAYS_MAX;
    for (uint32_t a = 0; a < f->array_count && can; a++)
        can = is_alike_there(&f->arrays[a], blocks);
    return can;
}

static void add_extent(Extent *to, const Extent *from, uint64_t pieces)
{
    for (unsigned s = 0; s < SIDE__COUNT; s++) {
        to->here[s] += from->here[s];
        if (!has_extent(from, s))
            continue;
        to->first[s] = ptx_u64_min(to->first[s], from->first[s] + pieces);
        to->last[s] = ptx_u64_max(to->last[s], from->last[s] + pieces);
    }
    to->missed_here += from->missed_here;
    to->reused_here += from->reused_here;
}

void ptx_footprint_add_moved(Footprint *f, const Footprint *run, const int64_t blocks[3])
{
    ptx_traffics_add(&f->here, &run->here, 1);
    f->has_lost |= run->has_lost;
    for (uint32_t a = 0; a < run->array_count; a++) {
        const Extent *from = &run->arrays[a];
        int64_t bytes = 0;
        Extent *to = ptx_footprint_array(f, from->key << (ARRAY_SHIFT - PIECE_SHIFT));
        if (to && find_way(from, blocks, &bytes))
            add_extent(to, from, (uint64_t)(bytes / (1 << PIECE_SHIFT)));
    }
}

static bool is_same_extent(const Extent *a, const Extent *b, uint64_t pieces)
{
    bool is_same = a->key == b->key && a->missed_here == b->missed_here
                   && a->reused_here == b->reused_here;
    for (unsigned s = 0; s < SIDE__COUNT && is_same; s++)
        is_same = a->here[s] == b->here[s]
                  && has_extent(a, s) == has_extent(b, s)
                  && (!has_extent(a, s)
                      || (a->first[s] + pieces == b->first[s]
                          && a->last[s] + pieces == b->last[s]));
    return is_same;
}

bool ptx_footprint_is_moved(const Footprint *run, const Footprint *there, const int64_t blocks[3])
{
    bool is_same = run->array_count == there->array_count && run->has_lost == there->has_lost
                   && !memcmp(&run->here, &there->here, sizeof run->here);
    for (uint32_t a = 0; a < run->array_count && is_same; a++) {
        int64_t bytes;
        is_same = find_way(&run->arrays[a], blocks, &bytes)
                  && is_same_extent(&run->arrays[a], &there->arrays[a],
                                    (uint64_t)(bytes / (1 << PIECE_SHIFT)));
    }
    return is_same;
}
