/* ptxas.h -- what `ptxas -v` said of kernels. */
#ifndef PTX_API_PTXAS_H
#define PTX_API_PTXAS_H

#include "ptxlint/ptxlint.h"

/* PTXLINT_UNKNOWN where the log does not give a figure. */
typedef struct PtxasKernel {
    const char *name, *sm;      /* "sm_90" */
    int64_t registers;          /* per thread */
    int64_t barriers;           /* named barriers */
    int64_t shared_bytes;       /* static */
    int64_t spill_store_bytes, spill_load_bytes;        /* per thread */
    int64_t stack_bytes;        /* per thread: with those of called functions where the log has it, else the kernel's own frame */
} PtxasKernel;

/* What was said last of a kernel for that target, or else for the same number with another suffix: "sm_90a" for "sm_90". NULL: nothing.
 * ptxas may be NULL. */
const PtxasKernel *ptx_ptxas_find(const ptxlint_ptxas *ptxas, const char *kernel, const char *sm);

#endif
