/* Who observes a run. */
#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"

void ptx_machine_observe(Machine *m, Observer *observer)
{
    observer->slot = (uint8_t)m->attached_count;
    m->attached[m->attached_count++] = observer;
}

void ptx_observers_begin(Machine *m)
{
    m->orderer = m->contents = NULL;
    m->requester_count = 0;
    for (uint32_t i = 0; i < m->attached_count; i++) {
        const Observer *observer = m->attached[i];
        if (observer->is_paused)
            continue;
        if (observer->begin)
            observer->begin(observer->self);
        if (observer->order)
            m->orderer = observer;
        if (observer->load)
            m->contents = observer;
        if (observer->request)
            m->requesters[m->requester_count++] = observer;
    }
}

void ptx_observers_mark(const Machine *m, uint32_t warp, void *marks[MAX_OBSERVERS])
{
    for (uint32_t i = 0; i < m->requester_count; i++) {
        const Observer *observer = m->requesters[i];
        if (observer->mark)
            marks[observer->slot] = observer->mark(observer->self, warp, marks[observer->slot]);
    }
}

void ptx_observers_repeat(const Machine *m, void *const marks[MAX_OBSERVERS], double times)
{
    for (uint32_t i = 0; i < m->requester_count; i++) {
        const Observer *observer = m->requesters[i];
        if (observer->repeat)
            observer->repeat(observer->self, marks[observer->slot], times);
    }
}
