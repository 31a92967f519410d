/* warp.h -- a warp, an instruction at a time, up to its next barrier or its end. */
#ifndef PTX_ANALYSIS_SIM_CONTROL_WARP_H
#define PTX_ANALYSIS_SIM_CONTROL_WARP_H

#include "analysis/sim/machine.h"

void ptx_warp_run(Machine *m, Warp *w);

#endif
