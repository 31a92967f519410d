/* few_steps.c -- in place of src/analysis/sim/allowed.c: a fuzzer is to try many inputs rather than
 * long runs (docs/fuzzing.md). */
#include "analysis/sim/sim.h"

enum { MOST_STEPS = 1 << 12 };

uint64_t ptx_machine_allowed(uint64_t steps)
{
    return steps < MOST_STEPS ? steps : MOST_STEPS;
}
