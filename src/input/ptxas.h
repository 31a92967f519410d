/* ptxas.h -- what `ptxas -v` said of kernels. */
#ifndef PTX_INPUT_PTXAS_H
#define PTX_INPUT_PTXAS_H

#include "ptxlint/ptxlint.h"

typedef struct PtxasUsage PtxasUsage;

/* What was said last of a kernel for that target, or else for the same number with another suffix:
 * "sm_90a" for "sm_90". NULL: nothing. ptxas may be NULL. */
const PtxasUsage *ptx_ptxas_find(const ptxlint_ptxas *ptxas, const char *kernel, const char *sm);

#endif
