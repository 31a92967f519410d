/* sass.h -- what ptxas makes of a function: machine instructions by basic block, and the values that pass between them.
 *
 * A model, so an estimate throughout. Values are a graph in the manner of SSA: what one instruction alone writes is a value, a register with
 * several definitions is one value with several definitions. What ptxas is seen to do with it: nothing for what nobody reads, copies and casts;
 * once for what is computed twice; constants, parameters and block sizes as operands out of constant banks (loaded first from sm_90 on);
 * constant offsets into addresses; pairs into IMAD, IMAD.WIDE, IADD3, LEA, LOP3, FFMA and compare-and-combine; what a loop does not
 * change before it; short sides of branches under predicates. Everything else becomes what costs.txt says.
 *
 * An instruction here is of a class of machine.def and may stand for several in a row (count). Blocks keep the ids of the Cfg. */
#ifndef PTX_ANALYSIS_SASS_SASS_H
#define PTX_ANALYSIS_SASS_SASS_H

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/value/uniform.h"
#include "gpu/gpu.h"

typedef uint32_t LoweredValueId;

typedef enum LoweredFile { LOWERED_NONE, LOWERED_REG, LOWERED_UNIFORM, LOWERED_PREDICATE, LOWERED_CONSTANT } LoweredFile;

typedef struct LoweredValue {
    uint8_t file;               /* LoweredFile; CONSTANT: an operand in a constant bank, which takes no register */
    uint8_t units;              /* 32-bit registers; 0 for predicates */
    bool is_variable;           /* several definitions, or one under a guard: phis, accumulators, counters */
    RegId reg;                  /* the PTX register that holds it; NO_ID: none */
} LoweredValue;

typedef struct LoweredInsn {
    InsnId origin;              /* NO_ID: the prologue */
    uint32_t operand_first;     /* into Lowered.operands: def_count values that it writes, then use_count that it reads */
    uint8_t def_count, use_count;
    uint8_t machine;            /* MachineOp */
    bool is_predicated;         /* its lanes are fewer than its block's: of a side that runs with the block before it, or under a guard */
    bool is_overhead;           /* of an unrolled loop: its exit, a counter or pointer that becomes offsets; once for what is joined */
    bool is_fused;              /* a sum of floats that a product went into */
    int8_t more_flops;          /* of each lane, beside those of its opcode: a quotient whose divisor is scaled apart, one whose last product went into sums */
    uint8_t lines;              /* of local memory: that a warp's access touches in L1 */
    float count;                /* machine instructions in a row; of an expansion, temporaries stay inside; 0: another one's does it too, or none */
} LoweredInsn;

/* What it reads goes on under another name: no instruction. */
static inline bool ptx_lowered_is_copy(const LoweredInsn *insn)
{
    return insn->machine == MACHINE_MOVE && insn->count <= 0;
}

typedef struct Lowered {
    const LoweredInsn *insns;   /* by block, in program order within each; hoisted ones stand at the end of where they went */
    const LoweredValueId *operands;
    const LoweredValue *values;
    const uint32_t *first;      /* per block and one more: into insns */
    const struct Unrolling *unrolled;   /* per loop (unroll.h) */
    const BlockId *runs_with;   /* per block: the block whose warps execute it: itself, or the branch that it is predicated into */
    uint32_t insn_count, value_count;
} Lowered;

/* Owned by arena; scratch, another arena, is left as found. target: of the machine, not of the module. */
const Lowered *ptx_lowered_compute(Arena *arena, Arena *scratch, const Module *module, const Func *func, const Cfg *cfg, const Dom *dom, const Loops *loops,
                                   const Uniforms *uniforms, Target target);

#endif
