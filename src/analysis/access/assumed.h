/* assumed.h -- what a run took for values of the launch that it was not given, as a list of the
 * evaluation. */
#ifndef PTX_ANALYSIS_ACCESS_ASSUMED_H
#define PTX_ANALYSIS_ACCESS_ASSUMED_H

#include "analysis/access/evaluate.h"

typedef struct Machine Machine;

/* Into out. Owned by arena. */
void ptx_assumed_collect(Arena *arena, const Machine *machine, Evaluation *out);

#endif
