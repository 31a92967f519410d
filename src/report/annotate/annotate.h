/* annotate.h -- code with figures beside it: the PTX of a kernel by instruction, or the CUDA source
 * that it comes from by line. */
#ifndef PTX_REPORT_ANNOTATE_H
#define PTX_REPORT_ANNOTATE_H

#include "report/report.h"

typedef struct Annotator {
    Out *out;
    Sources *sources;
    bool is_by_source;
    size_t width;
} Annotator;

/* A kernel in one launch, on each of its GPUs. has_item: something was written before. */
void ptx_annotate_kernel(const Annotator *annotator, const ptxlint_module *module,
                         const ptxlint_kernel *kernel, bool *has_item);

/* annotate_json.c: the file up to its kernels, which are to be followed by "]}". */
void ptx_annotate_json_file(const Annotator *annotator, const ptxlint_module *module,
                            bool *has_file);
void ptx_annotate_json_kernel(const Annotator *annotator, const ptxlint_module *module,
                              const ptxlint_kernel *kernel, bool *has_kernel);

/* ---- source_lines.c: figures by CUDA line ---------------------------------------------------- */

typedef struct SourceLine {
    const char *path;           /* as .loc has it */
    uint32_t line;
    uint32_t instruction_count;
    int64_t live_registers;     /* the most; PTXLINT_UNKNOWN */
    /* of the instruction that runs most often; sums of what is known; NaN: nothing is */
    double executions, sectors, ideal_sectors, wavefronts, ideal_wavefronts, time_share;
    ptxlint_certainty executions_certainty, access_certainty;   /* the least */
} SourceLine;

/* By path and line; free() them. NULL: no memory, or there is none. */
SourceLine *ptx_source_lines(const ptxlint_projection *projection, size_t *count);

#endif
