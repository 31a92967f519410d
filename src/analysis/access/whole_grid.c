#include "analysis/access/evaluator.h"

#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/cost/touched.h"

enum { MAX_PIECES = 1 << 12, MAX_FAR_ENDS = 16, CORNERS = 8 };

typedef struct AccessPiece {          /* of the grid: blocks of block_stride.h */
    uint32_t first[3], step[3], count[3];
} AccessPiece;

typedef struct Pieces {         /* that no run stands for yet */
    Arena *arena;
    AccessPiece *items;
    uint32_t count, capacity;
} Pieces;

typedef struct Corners {        /* of the grid */
    uint64_t steps[CORNERS];    /* of the run that says where each of them ends; 0: none does */
} Corners;

static bool push_piece(Pieces *pieces, const AccessPiece *from, unsigned d, uint32_t first,
                       uint32_t step, uint32_t count)
{
    if (!count)
        return true;
    if (pieces->count == MAX_PIECES)
        return false;
    if (pieces->count == pieces->capacity)
        pieces->items = ptx_arena_grow(pieces->arena, pieces->items, pieces->count,
                                       &pieces->capacity, sizeof *pieces->items);
    AccessPiece *to = &pieces->items[pieces->count++];
    *to = *from;
    to->first[d] = first;
    to->step[d] = step;
    to->count[d] = count;
    return true;
}

/* What is left of a piece once some of its blocks, from its first on, are done. */
static bool push_rest(Pieces *pieces, AccessPiece piece, const Blocks *done)
{
    for (unsigned d = 0; d < 3; d++) {
        uint32_t first = piece.first[d], step = piece.step[d], count = piece.count[d],
                 times = done->step[d] / step, reach = (count + times - 1) / times;
        for (uint32_t i = 1; i < times && i < count; i++)       /* between those that are done */
            if (!push_piece(pieces, &piece, d, first + i * step, done->step[d],
                            (count - i + times - 1) / times))
                return false;
        if (!push_piece(pieces, &piece, d, first + done->count[d] * done->step[d], done->step[d],
                        reach - done->count[d]))
            return false;
        piece.step[d] = done->step[d];
        piece.count[d] = done->count[d];
    }
    return true;
}

/* The first warp of the grid and the last, for nothing: so that the ends of what is touched are
 * seen. Once more in a hurry: what is behind their loops too. */
void ptx_evaluator_run_ends(AccessEvaluator *e, uint64_t most_steps)
{
    const uint32_t *grid = e->shape.grid, first[3] = { 0, 0, 0 },
                   last[3] = { grid[0] - 1, grid[1] - 1, grid[2] - 1 };
    for (unsigned i = 0; i < 4; i++) {
        ptx_machine_config(e->machine)->is_hurried = i >= 2;
        ptx_evaluator_allow(e, most_steps / 4);
        if (i & 1)
            ptx_evaluator_run(e, last, e->shape.warp_count - 1, 1);
        else
            ptx_evaluator_run(e, first, 0, 1);
        ptx_evaluator_collect_all(e, 0, false);
    }
    ptx_machine_config(e->machine)->is_hurried = false;
}

/* The run says of a block that it stands for all but where that begins and ends to touch memory;
 * this is noted. False: it does not, or is not known to. */
static bool note_ends(const AccessEvaluator *e, const Blocks *blocks, const uint32_t at[3])
{
    int64_t apart[3];
    for (unsigned d = 0; d < 3; d++) {
        apart[d] = (int64_t)at[d] - blocks->first[d];
        if (apart[d] < 0 || apart[d] % blocks->step[d]
            || apart[d] / blocks->step[d] >= blocks->count[d])
            return false;
    }
    return ptx_footprint_note_ends(ptx_evaluator_footprint(e), apart);
}

/* False: the grid has no such corner that is not another one too. */
static bool find_corner(const uint32_t grid[3], unsigned corner, uint32_t at[3])
{
    bool is_own = true;
    for (unsigned d = 0; d < 3; d++) {
        at[d] = corner >> d & 1 ? grid[d] - 1 : 0;
        is_own &= !(corner >> d & 1) || grid[d] > 1;
    }
    return is_own;
}

/* Those that a run stands for, where the budget of run_corners does for all: steps of the run. */
static void note_corners(const AccessEvaluator *e, const Blocks *blocks, uint64_t steps,
                         uint64_t most_steps, Corners *corners)
{
    const uint32_t *grid = e->shape.grid;
    const uint64_t all = steps << ((grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1));
    uint32_t at[3];
    for (unsigned c = 0; c < CORNERS && all <= most_steps; c++)
        if (!corners->steps[c] && find_corner(grid, c, at) && note_ends(e, blocks, at))
            corners->steps[c] = steps;
}

/* The blocks at the corners of the grid, once more and for nothing: so that the ends of what is
 * touched are seen. Those whose ends are known are charged as if they had run. */
static void run_corners(AccessEvaluator *e, uint64_t most_steps, const Corners *corners)
{
    uint32_t at[3];
    for (unsigned c = 0; ptx_evaluator_footprint(e) && c < CORNERS; c++) {
        if (!find_corner(e->shape.grid, c, at))
            continue;
        if (corners->steps[c]) {
            ptx_machine_charge(e->machine, corners->steps[c]);
        } else {
            ptx_evaluator_run(e, at, 0, e->shape.warp_count);
            ptx_evaluator_collect(e, 0);
        }
    }
    if (e->is_cut)
        ptx_evaluator_run_ends(e, most_steps);
    e->is_cut = false;
}

uint32_t ptx_evaluator_block_index(const uint32_t grid[3], const uint32_t at[3])
{
    return (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

static void note_works(AccessEvaluator *e, double work, const Blocks *blocks)
{
    for (uint32_t z = 0; e->block_works && z < blocks->count[2]; z++)
        for (uint32_t y = 0; y < blocks->count[1]; y++)
            for (uint32_t x = 0; x < blocks->count[0]; x++) {
                const uint32_t at[3] = { blocks->first[0] + x * blocks->step[0],
                                         blocks->first[1] + y * blocks->step[1],
                                         blocks->first[2] + z * blocks->step[2] };
                e->block_works[ptx_evaluator_block_index(e->shape.grid, at)] = (float)work;
            }
}

/* The last of the blocks that a run stands for, once more and for nothing: where they end before
 * the grid does, as behind a guard, no corner shows the end of what they touch. steps: of the
 * run. */
static void run_far_end(AccessEvaluator *e, const Blocks *blocks, uint64_t steps)
{
    uint32_t at[3];
    bool is_inside = false;
    for (unsigned d = 0; d < 3; d++) {
        at[d] = blocks->first[d] + (blocks->count[d] - 1) * blocks->step[d];
        is_inside |= at[d] + blocks->step[d] < e->shape.grid[d];
    }
    if (!ptx_evaluator_footprint(e) || !is_inside || ptx_blocks_size(blocks) <= 1)
        return;
    const uint64_t before = ptx_machine_steps(e->machine);
    if (steps <= ptx_machine_steps_left(e->machine) && note_ends(e, blocks, at)) {
        ptx_machine_charge(e->machine, steps);
    } else {
        ptx_evaluator_run(e, at, 0, e->shape.warp_count);
        ptx_evaluator_collect(e, 0);
    }
    ptx_machine_extend(e->machine, ptx_machine_steps(e->machine) - before);
    e->is_cut = false;
}

/* As many runs as it takes for each block to be stood for by one that it would not differ from.
 * False: the budget does not do for that. */
bool ptx_evaluator_run_all(AccessEvaluator *e, uint64_t most_steps)
{
    const uint32_t *grid = e->shape.grid;
    const AccessPiece whole = { { 0, 0, 0 }, { 1, 1, 1 }, { grid[0], grid[1], grid[2] } };
    Pieces pieces = { .arena = e->arena };
    Corners corners = { { 0 } };
    push_piece(&pieces, &whole, 0, 0, 1, grid[0]);
    ptx_machine_allow(e->machine, most_steps);
    unsigned ends = 0;
    while (pieces.count) {
        const AccessPiece piece = pieces.items[--pieces.count];
        Blocks blocks = ptx_blocks_new(piece.first, piece.step, piece.count);
        const uint64_t before = ptx_machine_steps(e->machine);
        e->is_cut = !ptx_machine_run_for(e->machine, &blocks, 0, e->shape.warp_count);
        if (e->is_cut)
            return false;
        if (e->touched)
            ptx_touched_close(e->touched, &blocks);
        note_works(e, ptx_evaluator_collect(e, ptx_blocks_size(&blocks)), &blocks);
        e->out->blocks_run++;
        e->blocks_stood_for += ptx_blocks_size(&blocks);
        const uint64_t steps = ptx_machine_steps(e->machine) - before;
        if (ptx_evaluator_footprint(e))
            note_corners(e, &blocks, steps, most_steps / 8, &corners);
        if (ends++ < MAX_FAR_ENDS)
            run_far_end(e, &blocks, steps);
        if (!push_rest(&pieces, piece, &blocks))
            return false;
    }
    ptx_machine_extend(e->machine, most_steps / 8);
    run_corners(e, most_steps / 8, &corners);
    return true;
}
