/* sass.h -- what ptxas makes of a function: machine instructions by basic block, and the values
 * that pass between them.
 *
 * A model, so an estimate throughout. Values are a graph in the manner of SSA: what one instruction
 * alone writes is a value, a register with several definitions is one value with several
 * definitions. What ptxas is seen to do with it: nothing for dead results, copies and casts;
 * once for what is computed twice; constants, parameters and block sizes as operands out of
 * constant banks (loaded first from sm_90 on); constant offsets into addresses; pairs into IMAD,
 * IMAD.WIDE, IADD3, LEA, LOP3, FFMA and compare-and-combine; what a loop does not change before it;
 * short sides of branches under predicates. Everything else becomes what costs.txt says.
 *
 * An instruction here is of a class of machine.def and may stand for several in a row (count).
 * Blocks keep the ids of the Cfg. */
#ifndef PTX_ANALYSIS_SASS_SASS_H
#define PTX_ANALYSIS_SASS_SASS_H

#include "analysis/flow/types.h"
#include "analysis/flow/func_flow.h"
#include "gpu/gpu.h"

#include <stdbool.h>

typedef struct Uniforms Uniforms;
typedef struct Arena Arena;
typedef struct Target Target;

typedef uint32_t LoweredValueId;

typedef enum LoweredFile {
    LOWERED_NONE,
    LOWERED_REG,
    LOWERED_UNIFORM,
    LOWERED_PREDICATE,
    LOWERED_CONSTANT
} LoweredFile;

typedef struct LoweredValue {
    /* LoweredFile; CONSTANT: an operand in a constant bank, which takes no register */
    uint8_t file;
    uint8_t units;              /* 32-bit registers; 0 for predicates */
    /* several definitions, or one under a guard: phis, accumulators, counters */
    bool is_variable;
    RegId reg;                  /* the PTX register that holds it; NO_ID: none */
} LoweredValue;

typedef struct LoweredInsn {
    InsnId origin;              /* NO_ID: the prologue */
    /* into Lowered.operands: def_count values that it writes, then use_count that it reads */
    uint32_t operand_first;
    uint8_t def_count, use_count;
    uint8_t machine;            /* MachineOp */
    /* its lanes are fewer than its block's: of a side that runs with the block before it, or under
     * a guard */
    bool is_predicated;
    /* of an unrolled loop: its exit, a counter or pointer that becomes offsets; once for what is
     * joined */
    bool is_overhead;
    bool is_fused;              /* a sum of floats that a product went into */
    /* of each lane, beside those of its opcode: a quotient whose divisor is scaled apart, one whose
     * last product went into sums */
    int8_t more_flops;
    /* machine instructions in a row; of an expansion, temporaries stay inside; 0: another one's
     * does it too, or none */
    float count;
} LoweredInsn;

/* What it reads goes on under another name: no instruction. */
static inline bool ptx_lowered_is_copy(const LoweredInsn *insn)
{
    return insn->machine == MACHINE_MOVE && insn->count <= 0;
}

typedef struct Lowered {
    /* by block, in program order within each; hoisted ones stand at the end of where they went */
    const LoweredInsn *insns;
    const LoweredValueId *operands;
    const LoweredValue *values;
    const uint32_t *first;      /* per block and one more: into insns */
    const struct Unrolling *unrolled;   /* per loop (unroll.h) */
    /* per block: the block whose warps execute it: itself, or the branch that it is predicated into
     * */
    const BlockId *runs_with;
    uint32_t insn_count, value_count;
} Lowered;

/* Owned by arena; scratch, another arena, is left as found. target: of the machine, not of the
 * module. */
const Lowered *ptx_lowered_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                   const Uniforms *uniforms, Target target);

#endif
