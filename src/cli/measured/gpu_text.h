/* gpu_text.h -- GPU files that the program writes. */
#ifndef PTX_CLI_MEASURED_GPU_TEXT_H
#define PTX_CLI_MEASURED_GPU_TEXT_H

#include "cli/cli.h"

/* A figure of a file, and where it is from. */
typedef struct GpuLine {
    const char *key, *source;
    double value;
} GpuLine;

/* A scalar in double quotes. */
void ptx_yaml_put_string(Text *out, const char *text);

/* Digits and a point, as the reader of these files wants them. */
void ptx_gpu_put_line(Text *out, const char *key, double value);

/* A file of a GPU with other figures in place of its own. A GPU that is compiled in is its base; of
 * another one all figures are written that its architecture does not have. */
void ptx_gpu_put_text(Text *out, const ptxlint_gpu *gpu, const GpuLine *lines, size_t count);

/* Whether such a file can say what the GPU is: pipelines of its own are not written. */
bool ptx_gpu_has_text(const ptxlint_gpu *gpu);

#endif
