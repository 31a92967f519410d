/* What is told of requests to memory: to a footprint, and to a trace. */
#include "analysis/sim/machine.h"

enum { MAX_KEPT = 1 << 12 };

typedef struct KeptRequest {
    RequestLog noted;
    Request request;
    Value address;
    uint64_t lanes[WARP_LANES];
} KeptRequest;

static void tell(Machine *m, const Warp *w, const RequestLog *n, uint32_t warp, double share)
{
    uint64_t places[WARP_LANES];
    if (n->is_traced) {
        ptx_trace_note(m->trace, w->frame->func_state->func, n->insn, warp, (Space)n->space, n->request, n->address, n->doubt);
        return;
    }
    ptx_value_places(n->address, places);
    if (ptx_footprint_note(m->footprint, warp, places, n->lanes, n->request->bytes, (FootprintKind)n->kind, n->address->is_data))
        n->count->waits += share;
    if (ptx_footprint_is_probed(m->footprint))
        m->most_steps = m->steps;       /* nothing is left to be found */
}

static void keep(Machine *m, const RequestLog *n)
{
    if (m->kept_count == m->kept_capacity)
        m->kept = ptx_arena_grow(m->arena, m->kept, m->kept_count, &m->kept_capacity, sizeof *m->kept);
    KeptRequest *k = &m->kept[m->kept_count++];
    k->noted = *n;
    k->request = *n->request;
    k->address = *n->address;
    for (unsigned i = 0; i < WARP_LANES && n->address->lanes; i++)
        k->lanes[i] = n->address->lanes[i];
}

void ptx_request_log_emit(Machine *m, const Warp *w, const RequestLog *n)
{
    if (n->request->from || m->kept_count == MAX_KEPT)
        m->blocks.count[GROWTH_WARP] = 1;
    if (m->blocks.count[GROWTH_WARP] > 1) {
        keep(m, n);
        return;
    }
    ptx_request_log_close(m, w);
    tell(m, w, n, w->index, 1);
}

void ptx_request_log_close(Machine *m, const Warp *w)
{
    const uint32_t count = m->blocks.count[GROWTH_WARP];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < m->kept_count; n++) {
            KeptRequest *k = &m->kept[n];
            uint64_t by = i ? ptx_blocks_between_warps(&m->blocks, &k->address) : 0;
            k->address.all += by;
            for (unsigned l = 0; l < WARP_LANES && k->address.lanes && by; l++)
                k->lanes[l] += by;
            k->address.lanes = k->address.lanes ? k->lanes : NULL;
            k->noted.request = &k->request;
            k->noted.address = &k->address;
            tell(m, w, &k->noted, w->index + i * m->blocks.step[GROWTH_WARP], 1.0 / count);
        }
    m->steps += (uint64_t)(count - 1) * m->kept_count;
    m->kept_count = 0;
}
