#include "analysis/access/advise/block_log.h"

#include "analysis/sim/count.h"
#include "analysis/sim/request.h"
#include "support/arena.h"
#include "support/minmax.h"

enum { MAX_LOGGED = 1 << 12 };

void ptx_block_log_add(BlockLog *log, const Blocks *blocks, const Value *address,
                       const BlockRequest *request)
{
    /* from where a copy reads moves in a way of its own */
    log->is_lost |= log->count == MAX_LOGGED || request->made->request.from;
    if (log->is_lost)
        return;
    if (log->count == log->capacity)
        log->requests = ptx_arena_grow(log->arena, log->requests, log->count, &log->capacity,
                                       sizeof *log->requests);
    BlockRequest *kept = &log->requests[log->count++];
    bool is_moved = false;
    *kept = *request;
    for (unsigned d = 0; d < 3; d++) {
        kept->by[d] = ptx_block_stride_along(blocks, address, d);
        kept->step[d] = blocks->step[d];
        is_moved |= kept->by[d] != 0;
    }
    kept->made = NULL;
    if (request->is_placed && !request->is_late && (is_moved || request->is_global)) {
        kept->made = ptx_arena_new(log->arena, Traced);
        *kept->made = *request->made;
    }
}

/* Steps may run out where for long none is allowed. */
static void find_gaps(BlockLog *log)
{
    uint64_t last = 0;
    bool is_first = true;
    for (uint32_t i = 0; i < log->count; i++) {
        const BlockRequest *r = &log->requests[i];
        if (!r->is_new)
            continue;
        if (is_first)
            log->head = r->after;
        else
            log->widest = ptx_u64_max(log->widest, r->after - last);
        last = r->after;
        is_first = false;
    }
    log->is_lost |= is_first;
    log->tail = log->steps - last;
}

void ptx_block_log_close(BlockLog *log, const Blocks *blocks, uint64_t steps)
{
    log->blocks = *blocks;
    log->steps = steps;
    /* a doubt that came later is one of the next block from the start */
    for (uint32_t i = 0; i < log->count; i++)
        log->is_lost |= log->requests[i].count->doubt > log->requests[i].doubt;
    find_gaps(log);
}

bool ptx_block_log_has(const BlockLog *log, const uint32_t at[3])
{
    const Blocks *b = &log->blocks;
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t from_first = at[d] - b->first[d];
        if (at[d] < b->first[d] || from_first % b->step[d]
            || from_first / b->step[d] >= b->count[d])
            return false;
    }
    return !log->is_lost;
}

uint64_t ptx_block_log_way(const BlockLog *log, const BlockRequest *request, const uint32_t at[3])
{
    uint64_t by = 0;
    for (unsigned d = 0; d < 3; d++)
        if (at[d] != log->blocks.first[d])
            by += (uint64_t)request->by[d]
                  * ((at[d] - log->blocks.first[d]) / request->step[d]);
    return by;
}

Traced ptx_block_log_move(const BlockRequest *request, uint64_t by)
{
    Traced made = *request->made;
    for (unsigned i = 0; i < WARP_LANES && by; i++)
        if (made.request.lanes >> i & 1)
            made.addresses[i] = ptx_request_place(made.addresses[i] + by);
    return made;
}
