/* Requests that warps make: of one that stands for others, they are kept until its end. */
#include "analysis/sim/machine.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"

enum { MAX_KEPT = 1 << 12 };

typedef struct KeptRequest {
    LoggedRequest noted;
    RequestEvent event;
    Request request;
    Value address;
    uint64_t lanes[WARP_LANES];
} KeptRequest;

static void emit_logged(const LoggedRequest *n, uint32_t warp, double share)
{
    n->observer->logged(n->observer->self, n, warp, share);
}

static void keep(Machine *m, const LoggedRequest *n)
{
    if (m->kept_count == m->kept_capacity)
        m->kept = ptx_arena_grow(m->arena, m->kept, m->kept_count, &m->kept_capacity,
                                 sizeof *m->kept);
    KeptRequest *k = &m->kept[m->kept_count++];
    k->noted = *n;
    k->event = *n->event;
    k->request = *n->event->request;
    k->address = *n->event->address;
    for (unsigned i = 0; i < WARP_LANES && n->event->address->lanes; i++)
        k->lanes[i] = n->event->address->lanes[i];
}

void ptx_request_log_emit(Machine *m, const Warp *w, const LoggedRequest *n)
{
    if (n->event->request->from || m->kept_count == MAX_KEPT)
        m->blocks.count[GROWTH_WARP] = 1;
    if (m->blocks.count[GROWTH_WARP] > 1) {
        keep(m, n);
        return;
    }
    ptx_request_log_close(m, w);
    emit_logged(n, w->index, 1);
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
            k->noted.event = &k->event;
            k->event.request = &k->request;
            k->event.address = &k->address;
            emit_logged(&k->noted, w->index + i * m->blocks.step[GROWTH_WARP], 1.0 / count);
        }
    m->steps += (uint64_t)(count - 1) * m->kept_count;
    m->kept_count = 0;
}
