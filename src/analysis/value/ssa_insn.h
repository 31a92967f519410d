/* ssa_insn.h -- what ssa.c, which finds definitions, and ssa_insn.c, which says what they compute,
 * share. Private to this folder. */
#ifndef PTX_ANALYSIS_VALUE_SSA_INSN_H
#define PTX_ANALYSIS_VALUE_SSA_INSN_H

#include "analysis/value/ssa.h"
#include "analysis/flow/defs.h"
#include "support/hash.h"

struct Ssa {
    Arena *arena;
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    const Defs *defs;
    const Launch *launch;
    Symbols *symbols;
    HashMap of_def, at_entry, phis;        /* phis: index into phi_values */
    Phi *phi_values;
    uint32_t phi_count, phi_capacity;
    uint32_t block_shape[3], grid_shape[3];
    bool block_is_code;         /* .reqntid, not the launch */
    uint64_t steps;             /* left */
    unsigned nested;
};

/* ssa_insn.c: what an instruction writes to a register, the guard aside. */
SymId ptx_ssa_translate(Ssa *ssa, InsnId id, const Operand *def);

unsigned ptx_ssa_reg_width(const Ssa *ssa, RegId reg);

/* A value of which nothing is known but that it is the same wherever it is asked for. */
SymId ptx_ssa_opaque(Ssa *ssa, unsigned width, SymWhy why, RegId reg, BlockId block);

#endif
