/* sim.h -- runs a kernel's warps as a GPU would, and says what was counted: the interface of this
 * folder.
 *
 * A machine runs blocks of one launch. The caller sets how much it may run, attaches observers
 * (observer.h), runs blocks one at a time and reads what was counted. How a machine is made is
 * known in this folder alone: machine.h. */
#ifndef PTX_ANALYSIS_SIM_SIM_H
#define PTX_ANALYSIS_SIM_SIM_H

#include "analysis/flow/types.h"
#include "analysis/sim/count.h"
#include "analysis/sim/shared_layout.h"
#include "analysis/sim/value.h"

typedef struct AssumedParam AssumedParam;
typedef struct Blocks Blocks;
typedef struct GuessedTrips GuessedTrips;
typedef struct Launch Launch;
typedef struct Machine Machine;
typedef struct SimProgram SimProgram;

/* Lays out memory and parameters for a kernel with a body. A block or grid that the launch does not
 * give is assumed. The machine lies in arena; the caller releases it. */
Machine *ptx_machine_new(Arena *arena, Arena *scratch, const SimProgram *program, FuncId kernel,
                         const Launch *launch);

/* ---- what may be run, and how ---------------------------------------------------------------- */

typedef struct SimConfig {
    uint64_t forward_steps;     /* instructions in a loop before forward.h looks at it; 0: never */
    /* all loops are left after some iterations: for what stands behind them */
    bool is_hurried;
    /* iterations that are not proved to be the same may stand for others */
    bool may_be_loose;
    /* what other warps store in shared memory, and say at barriers, is not known: each warp runs by
     * itself, so that its long loops can be looked at */
    bool is_blind;
    /* once an eighth of a warp's steps is spent, a loop that it left before on an assumption is
     * left at its first chance: loops inside loops do not use up the rest */
    bool is_brief;
    /* iterations of a loop that lanes stay in when how many there are is assumed */
    uint8_t most_stays;
} SimConfig;

enum {
    FORWARD_STEPS = 1 << 12,    /* instructions of a warp in a loop before it is looked at */
    FORWARD_STEPS_FEW = 1 << 9, /* the same where the budget did not do for that */
};

/* Of the runs to come. */
SimConfig *ptx_machine_config(Machine *machine);

/* The budget, in instructions of warps: so many from here on; so many more than were allowed. */
void ptx_machine_allow(Machine *machine, uint64_t steps);
void ptx_machine_extend(Machine *machine, uint64_t steps);
/* Of so many that are asked for: all. Fuzz targets have a function of their own in its place, which
 * allows fewer: tests/fuzz/few_steps.c. */
uint64_t ptx_machine_allowed(uint64_t steps);
/* So many count as executed. */
void ptx_machine_charge(Machine *machine, uint64_t steps);
uint64_t ptx_machine_steps(const Machine *machine);             /* executed so far */
uint64_t ptx_machine_steps_left(const Machine *machine);
bool ptx_machine_has_left_early(const Machine *machine);    /* a loop, by is_brief */

/* Runs one block; counts go to SimFunc.sums, added up from block to block unless the caller empties
 * them. first, count: the warps that run. False: the budget did not do for it. */
bool ptx_machine_run(Machine *machine, const uint32_t ctaid[3], uint32_t first_warp,
                     uint32_t warp_count);

/* Runs the first of these blocks; *blocks: those for which every count is the same. */
bool ptx_machine_run_for(Machine *machine, Blocks *blocks, uint32_t first_warp,
                         uint32_t warp_count);

/* Those that the run in hand stands for, as far as it has come. */
const Blocks *ptx_machine_blocks(const Machine *machine);

/* The last run was not cut short by the budget. */
bool ptx_machine_is_complete(const Machine *machine);

/* Another shape of as many threads. */
void ptx_machine_reshape(Machine *machine, const uint32_t block[3]);

/* ---- what is run ----------------------------------------------------------------------------- */

typedef struct SimShape {
    uint32_t block[3], grid[3], warp_count;     /* warps: of a block */
    bool block_is_assumed, grid_is_assumed;
} SimShape;

SimShape ptx_machine_shape(const Machine *machine);

/* The block of the launch is one of several that are tried. */
void ptx_machine_assume_block(Machine *machine);

/* Where the array lies, as runs have it, that the kernel's parameter of this position points to; 0:
 * it holds no pointer. */
uint64_t ptx_machine_array(const Machine *machine, uint32_t param);

/* Bytes of a block's shared memory, as far as variables were asked for. */
uint32_t ptx_machine_shared_bytes(const Machine *machine);

/* Of variables in shared memory; NULL: nothing has asked for one. */
const SharedLayout *ptx_machine_shared_layout(const Machine *machine);

/* Other variables, and parameters, that have addresses, in the order in which they were asked
 * for. */
typedef struct SimVar {
    VarId var;
    uint64_t address;
} SimVar;

uint32_t ptx_machine_var_count(const Machine *machine);
SimVar ptx_machine_var(const Machine *machine, uint32_t at);

/* False: nothing has asked where it lies. */
bool ptx_machine_address(const Machine *machine, VarId var, uint64_t *address);

/* The pointer that a parameter holds; False: it holds none with that addend. */
bool ptx_machine_pointer(const Machine *machine, VarId param, AddendId addend, uint64_t *number);

/* ---- what was run ---------------------------------------------------------------------------- */

typedef struct SimFunc {        /* a function that was run */
    const Func *func;           /* NULL: it has not run */
    const Cfg *cfg;
    const Dom *dom;
    const BlockId *reconvergence;       /* per block: where lanes meet again */
    const Loops *loops;
    /* per instruction: so many from here on run as often as this one; 0: it is counted alone */
    const uint16_t *plain;
    CountTable counts;          /* of the warps that ran last */
    /* the same of the blocks that ran, until the caller empties them */
    CountTable sums;
} SimFunc;

/* In the order in which they were first called: the kernel is the first. */
uint32_t ptx_machine_func_count(const Machine *machine);
FuncId ptx_machine_func_id(const Machine *machine, uint32_t at);
SimFunc ptx_machine_func_at(const Machine *machine, uint32_t at);
SimFunc ptx_machine_func(const Machine *machine, FuncId func);

/* Sets what was counted of an instruction of the so-many-th function. */
void ptx_machine_put_sum(Machine *machine, uint32_t at, InsnId insn, const Count *sum);

/* Empties the sums of all functions. */
void ptx_machine_discard(const Machine *machine);

/* Fills in the shares of instructions of a function that was run: branch_probability.h. */
void ptx_machine_find_shares(const Machine *machine, uint32_t at, Evaluated *insns);

/* What the runs rest on. */
typedef struct SimAssumptions {
    /* a load of a variable that begins with numbers; %warpid; the size of dynamic shared memory;
     * %ctaid or %nctaid was read */
    bool initial, warpid, dynamic, shape_is_read;
    uint8_t sizes_read;         /* of the grid: a bit for each dimension */
} SimAssumptions;

SimAssumptions ptx_machine_assumptions(const Machine *machine);

/* Parameters and trips that were assumed; the lists are arena's. */
const AssumedParam *ptx_machine_assumed_params(const Machine *machine, Arena *arena,
                                               uint32_t *count);
const GuessedTrips *ptx_machine_guessed_trips(const Machine *machine, Arena *arena,
                                              uint32_t *count);

/* Nothing that a warp does depends on the other warps of its block. */
bool ptx_machine_warps_are_independent(const Machine *machine);

#endif
