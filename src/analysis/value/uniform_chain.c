/* What an address or a condition is made of, by the instructions that lead to it. */
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"

#include <stdint.h>

enum { MAX_LOOKED_AT = 64, MAX_WALKED_DEFS = 4 };

typedef struct UniformChain {
    const Uniforms *uniforms;
    const Func *func;
    InsnId insns[MAX_LOOKED_AT];       /* found, the nearest first */
    unsigned count;
    uint64_t may_be_there;      /* a bit for all instructions that are 64 apart */
} UniformChain;

static void add_link(UniformChain *chain, InsnId insn)
{
    const uint64_t bit = UINT64_C(1) << insn % 64;
    for (unsigned i = 0; i < chain->count && chain->may_be_there & bit; i++)
        if (chain->insns[i] == insn)
            return;
    chain->may_be_there |= bit;
    if (chain->count < MAX_LOOKED_AT)
        chain->insns[chain->count++] = insn;
}

/* The definition before `at` in its block; else those of the register. */
static void add_definitions(UniformChain *chain, RegId reg, InsnId at)
{
    const Defs *defs = chain->uniforms->defs;
    uint32_t low = defs->first[reg], high = defs->first[reg + 1], count = ptx_defs_count(defs, reg);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (defs->insns[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > defs->first[reg]
        && defs->cfg->block_of[defs->insns[low - 1]] == defs->cfg->block_of[at])
        add_link(chain, defs->insns[low - 1]);
    else
        for (uint32_t i = 0; i < count && count <= MAX_WALKED_DEFS; i++)
            add_link(chain, defs->insns[defs->first[reg] + i]);
}

/* Data loaded from memory is not followed further. */
static void add_sources(UniformChain *chain, InsnId at, bool is_root)
{
    const Insn *insn = &chain->func->insns[at];
    const Operand *operands = ptx_insn_operands(chain->func, insn);
    bool is_branch = insn->op->kind == OPK_BRA;
    if (!is_root && insn->op->space)
        return;
    if (is_branch && insn->guard != NO_ID)
        add_definitions(chain, insn->guard, at);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG
            && (is_root ? operands[o].role & ROLE_ADDRESS : operands[o].role & ROLE_USE))
            add_definitions(chain, operands[o].id, at);
}

unsigned ptx_critical_path_find(const Uniforms *uniforms, const Func *func, InsnId insn,
                                Link links[MAX_CHAIN])
{
    UniformChain chain = { .uniforms = uniforms, .func = func };
    unsigned count = 0;
    add_sources(&chain, insn, true);
    for (unsigned i = 0; i < chain.count; i++)
        add_sources(&chain, chain.insns[i], false);
    for (int is_uniform = 0; is_uniform < 2; is_uniform++)
        for (unsigned i = 0; i < chain.count && count < MAX_CHAIN; i++) {
            const Affine value = uniforms->insns[chain.insns[i]];
            if (chain.insns[i] != insn && ptx_affine_is_uniform(value) == is_uniform)
                links[count++] = (Link){ chain.insns[i], value };
        }
    return count;
}
