/* uniform.h -- for each instruction, whether what it writes is the same in the lanes of a warp; for
 * each branch, whether it can part them.
 *
 * Divergence analysis after Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and
 * Optimizations" (PACT 2011), on values of affine.h and without SSA form: a register with several
 * definitions may differ where lanes meet that came over different ones, and any register behind a
 * loop that lanes leave in different iterations. Registers of one name are kept apart within a
 * basic block.
 *
 * "Can part" is what the analysis cannot rule out; that a branch certainly parts a warp is
 * must_diverge.h's, how often it does in a launch src/warp's. */
#ifndef PTX_ANALYSIS_VALUE_UNIFORM_H
#define PTX_ANALYSIS_VALUE_UNIFORM_H

#include "analysis/flow/types.h"
#include "analysis/value/affine.h"
#include "support/arena.h"

typedef struct Launch Launch;
#include "analysis/flow/func_flow.h"

typedef struct Uniforms {
    /* per instruction: its first result; UNIFORMITY_UNKNOWN without one, in unreachable code, and
     * past the bound of the work */
    const Affine *insns;
    /* per block: the condition of the branch that ends it, UNIFORMITY_NONE without one */
    const Affine *branches;
    /* per block: some threads of the block may pass it by, or leave a loop around it before others
     * */
    const bool *is_partial;
    const Defs *defs;
} Uniforms;

/* What is kept of a result: 256 times its stride, twice its uniformity, whether it is assumed. */
typedef struct KeptValue {
    int64_t packed;
} KeptValue;

#define KEPT_STRIDE_UNKNOWN (-(INT64_C(1) << 55))       /* that of no value that is kept */

static inline int64_t ptx_kept_stride(KeptValue value)
{
    return value.packed >> 8;
}

static inline Uniformity ptx_kept_uniformity(KeptValue value)
{
    return (Uniformity)(value.packed >> 1 & 0x7f);
}

static inline bool ptx_kept_is_assumed(KeptValue value)
{
    return value.packed & 1;
}

KeptValue ptx_value_keep(const Affine *value);

/* defs, which are kept, and launch may be NULL. Owned by arena; scratch, another arena, is left as
 * found. */
const Uniforms *ptx_uniform_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                    const Defs *defs, const Launch *launch);

/* An instruction that made a value, and what it made. */
typedef struct Link {
    InsnId insn;
    Affine value;
} Link;

enum { MAX_CHAIN = 8 };

/* How the registers that an instruction reads for its address (of a branch: its condition) were
 * made: what makes lanes differ first, the nearest first, then where the rest is from. Returns how
 * many links there are, CHAIN_MOST at the most. */
unsigned ptx_critical_path_find(const Uniforms *uniforms, const Func *func, InsnId insn,
                                Link links[MAX_CHAIN]);

#endif
