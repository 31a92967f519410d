/* measured_inputs.h -- files of times, and the kernels that their rows are of: what verify and
 * calibrate share. */
#ifndef PTX_CLI_MEASURED_MEASURED_INPUTS_H
#define PTX_CLI_MEASURED_MEASURED_INPUTS_H

#include "cli/cli.h"

typedef struct MeasuredInputs {
    const Options *options;
    FileList files;
    ptxlint_module **modules;           /* by file; NULL: not read */
    ptxlint_measurements *measurements;
    bool is_part;                       /* an input cannot be read */
} MeasuredInputs;

typedef struct MeasuredKernel {
    const ptxlint_module *module;       /* NULL: none of the inputs has such a kernel */
    const char *path;
    const ptxlint_kernel *kernel;
    size_t count;                       /* how many the row may be of */
} MeasuredKernel;

/* The file of times, and which files there are; inputs zeroed before but for options. */
ExitCode ptx_measured_read(MeasuredInputs *inputs, Book *book);

/* Which modules are made, and how. */
typedef struct MeasuredOpening {
    const Inputs *given;                /* GPUs and launches */
    bool has_estimates_only;
} MeasuredOpening;

ExitCode ptx_measured_open(MeasuredInputs *inputs, const MeasuredOpening *how, Book *book);
void ptx_measured_free(MeasuredInputs *inputs);

/* Of row number index, from 0. */
MeasuredKernel ptx_measured_kernel(const MeasuredInputs *inputs, size_t index);

/* A row of a file names a GPU by our name, or as its maker does: "NVIDIA H200". */
bool ptx_is_known_gpu(const char *name);

#endif
