/* cuda_kernel.h -- names of the parameters of kernels, as a CUDA source has them.
 *
 * `__global__ ... name(TYPE name, ...) {`, by what stands there: nothing is preprocessed. A name
 * that macros, directives or a pack may change is left out. */
#ifndef PTX_FINDINGS_CUDA_KERNEL_H
#define PTX_FINDINGS_CUDA_KERNEL_H

#include "ir/module.h"
#include "ptxlint/ptxlint.h"
#include "support/arena.h"
#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CudaParam {
    Span name;                  /* empty: it has none, or it is not known */
    bool is_pointer;
} CudaParam;

typedef struct CudaKernel {
    Span name;
    uint32_t line;              /* of `__global__`, from 1 */
    CudaParam *params;
    uint32_t param_count;
} CudaKernel;

typedef struct CudaKernels {
    CudaKernel *items;          /* by line; those that have parameters */
    uint32_t count, capacity, param_count;
} CudaKernels;

/* length bytes and a NUL; what is returned lies in the arena. Linear. */
CudaKernels ptx_cuda_kernels_read(Arena *arena, const char *text, uint32_t length);

/* Sets Var.source_name of the parameters of entries whose .loc leads to a kernel of their name in a
 * source of the book, with as many parameters. */
void ptx_cuda_name_params(Arena *arena, Arena *scratch, const Module *module,
                          ptxlint_sources *book, const char *path);

#endif
