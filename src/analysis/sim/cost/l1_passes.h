/* l1_passes.h -- clocks that a load of global memory holds the data of L1: as shared memory, one word
 * of each bank at a time, and the tags of four lines.
 *
 * Measured on an H200 (1980 MHz) by tools/measure-times/lines.cu, 4 and 8 bytes a lane: 32 words side
 * by side from any byte of a line on take 1.0 clock, two rows half a line apart 1.0, eight rows at one
 * bank 8.0, 32 lines at different banks 8.0 to 8.8. */
#ifndef PTX_ANALYSIS_SIM_COST_L1_PASSES_H
#define PTX_ANALYSIS_SIM_COST_L1_PASSES_H

#include <stdint.h>

/* lines: distinct ones that the lanes touch. */
unsigned ptx_l1_passes(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, unsigned lines);

#endif
