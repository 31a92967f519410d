/* forward.h -- long loops: iterations that repeat are counted without being run.
 *
 * A warp that goes around a loop for long is looked at from one header to the next. The first
 * iterations say by how much each number that the loop carries grows from trip to trip; then they
 * are run once more with numbers that grow along a dimension of block_stride.h, as they do from
 * block to block. What narrows that dimension says for how many trips nothing would be different:
 * no comparison comes out otherwise, each request costs as much. Those trips are then counted, and
 * the numbers moved on, as if they had been run. The trips behind them, the last one too, are run.
 *
 * Addresses that cost the same only every so-many-th trip make as many iterations one. Where what a
 * loop carries is not followed (a product, a shift), but the trips are, its iterations are taken
 * for as many others: an estimate (DOUBT_REPEAT). What is loaded for the first time, and what
 * again, is taken to be as in the iterations that were looked at. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_FORWARD_H
#define PTX_ANALYSIS_SIM_CONTROL_FORWARD_H

#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"

/* The warp is about to run the first instruction of the loop's header. */
void ptx_forward_arrive(Machine *machine, Warp *warp, LoopId loop);

/* The warp is about to run an instruction while some loop is looked at whose iterations may vary:
 * only what says when it ends narrows its trips. */
void ptx_forward_watch(Machine *machine, const Warp *warp);

/* A block begins: what came to nothing in another, whose loops may be short, is tried again. */
void ptx_forward_begin(Machine *machine);

/* The warp begins, or ends. */
void ptx_forward_reset(Machine *machine);

#endif
