/* isa_page.h -- pages of `ptxlint isa`, in Markdown. */
#ifndef PTX_CLI_ISA_PAGE_H
#define PTX_CLI_ISA_PAGE_H

#include "cli/cli.h"

enum { ISA_GPUS_MAX = 128 };

/* GPUs that a page covers. */
typedef struct IsaGpus {
    const ptxlint_gpu *items[ISA_GPUS_MAX];
    size_t count;
    bool is_default;            /* none was asked for: all architectures */
} IsaGpus;

/* Whether a list for these GPUs has the opcode: one of them takes it. */
bool ptx_isa_is_listed(const IsaGpus *gpus, const ptxlint_isa_opcode *opcode);

void ptx_isa_page_write(Text *out, const ptxlint_isa *isa, const IsaGpus *gpus);

/* All opcodes, by class. */
void ptx_isa_overview_write(Text *out, const IsaGpus *gpus);

#endif
