/* The events of a machine that a race detector takes. */
#include "analysis/sim/machine.h"
#include "analysis/sim/race/race.h"

static bool take_step(void *self, Warp *w, InsnId pc)
{
    Race *r = self;
    if (r->put_count && ptx_race_is_put(r, w, pc))
        return true;
    ptx_race_watch(r, w, pc);
    return false;
}

static void begin(void *self)
{
    Race *r = self;
    ptx_race_begin(r);
    r->observer.step = r->put_count ? ptx_race_is_put : NULL;
    if (r->watches)
        r->observer.step = take_step;
}

void ptx_race_attach(Race *r)
{
    r->observer = (Observer){ .self = r,
                              .needs_shape = true,
                              .begin = begin,
                              .orders = r->orders,
                              .order = ptx_race_order,
                              .call = ptx_race_call,
                              .barrier = ptx_race_barrier,
                              .turn = ptx_race_release,
                              .access = ptx_race_access };
    ptx_machine_observe(r->machine, &r->observer);
}
