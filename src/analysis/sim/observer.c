/* Who is told of a run. */
#include "analysis/sim/machine.h"

void ptx_machine_observe(Machine *m, Observer *observer)
{
    observer->slot = (uint8_t)m->attached_count;
    m->attached[m->attached_count++] = observer;
}

void ptx_observers_begin(Machine *m)
{
    m->orderer = NULL;
    for (uint32_t i = 0; i < m->attached_count; i++) {
        const Observer *observer = m->attached[i];
        if (observer->is_paused)
            continue;
        if (observer->begin)
            observer->begin(observer->self);
        if (observer->order)
            m->orderer = observer;
    }
}
