/* fission.h -- the parts of a kernel (recognize.h) as kernels of their own: registers and occupancy
 * of each, beside those of the whole. */
#ifndef PTX_MODEL_FISSION_H
#define PTX_MODEL_FISSION_H

#include "analysis/recognize/recognize.h"
#include "ptxlint/ptxlint.h"

typedef struct CallGraph CallGraph;
typedef struct Gpu Gpu;
typedef struct Launch Launch;

typedef struct FissionInput {
    const FuncFlow *flow;
    const Fission *fission;
    const Gpu *gpu;
    const Launch *launch;
    const CallGraph *calls;     /* NULL: what is called is not known */
} FissionInput;

/* Owned by arena; scratch, another arena, is left as found. NULL: there are no parts, or a figure
 * of them is not known. */
const ptxlint_fission *ptx_fission_view(Arena *arena, Arena *scratch, const FissionInput *in);

#endif
