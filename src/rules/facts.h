/* facts.h -- what the analyses know of one function: each pointer written once, by the pass of that name, then const.
 * This is all that crosses from the analyses to the rules and the report. */
#ifndef PTX_RULES_FACTS_H
#define PTX_RULES_FACTS_H

#include "analysis/callgraph.h"
#include "analysis/cfg.h"
#include "analysis/dom.h"
#include "analysis/live.h"
#include "analysis/loop.h"
#include "analysis/mix.h"
#include "analysis/throughput.h"
#include "analysis/trip.h"

typedef struct Facts {
    const Cfg *cfg;             /* NULL: the function has no instructions; then all are */
    const Dom *dom;
    const Loops *loops;
    const Live *live;           /* NULL too at a limit */
    const Trips *trips;
    const Mixes *mixes;
    const Throughput **throughputs;     /* per GPU that figures are for */
    const CallNode *calls;
} Facts;

#endif
