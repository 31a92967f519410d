/* facts.h -- what the files of this folder share: each gives the facts of one subject, and
 * measure.c asks them. */
#ifndef PTX_RULES_FACTS_FACTS_H
#define PTX_RULES_FACTS_FACTS_H

#include "rules/facts/measure.h"
#include "gpu/occupancy.h"

#include <math.h>

typedef struct Evaluation Evaluation;
typedef struct Hazard Hazard;
typedef struct Hazards Hazards;
typedef struct PointsTo PointsTo;
typedef struct Count Count;
typedef struct Evaluated Evaluated;

#define UNKNOWN ((double)NAN)

/* 0 is no word. */
static inline double ptx_known_word(uint32_t number)
{
    return number ? (double)number : UNKNOWN;
}

/* What is below 0 is not known. */
static inline double ptx_known_number(int64_t value)
{
    return value < 0 ? UNKNOWN : (double)value;
}

/* weight.c: times that a thread executes a block (loops of unknown trips: MIX_LOOP_WEIGHT each),
 * and machine instructions times that, at least 1 for a function. */
double ptx_measure_weight(FactCache *q, BlockId block);
double ptx_measure_machine_instructions(ModuleFacts *shared, const Op *op);
double ptx_measure_weighted_block(FactCache *q, BlockId id);
double ptx_measure_weighted_instructions(FactCache *q);

/* kernel.c, declaration.c, register.c. */
double ptx_measure_kernel(FactCache *q, FactId fact, Certainty *certainty);
double ptx_measure_parameter(FactCache *q, const Subjects *s, FactId fact);
double ptx_measure_variable(FactCache *q, const Subjects *s, FactId fact);
double ptx_measure_register(FactCache *q, const Subjects *s, FactId fact);
/* ", like `%r2` and `%r3`": others that are never written, and that the same statement reads first;
 * "" where there are none. */
const char *ptx_measure_peers(FactCache *q, RegId reg);

/* flow.c: loops, blocks, branches. */
double ptx_measure_loop(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty);
double ptx_measure_block(FactCache *q, const Subjects *s, FactId fact);
double ptx_measure_branch(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty);

/* divergence.c: whether some lanes of a warp bypass a block, what a branch does to a warp. */
double ptx_measure_split(FactCache *q, BlockId block, Certainty *certainty);
double ptx_measure_splits_warp(FactCache *q, BlockId block, Certainty *certainty);
double ptx_measure_condition(FactCache *q, BlockId block, FactId fact, Certainty *certainty);
double ptx_measure_divergence_cost(FactCache *q, const Subjects *s, FactId fact,
                                   Certainty *certainty);

/* insn.c, precision.c: an instruction by its code. */
double ptx_measure_insn(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty);
bool ptx_measure_is_conversion(const Op *op);
bool ptx_measure_is_loop_conversion(FactCache *q, const Subjects *s);
double ptx_measure_fp64_round_trip(FactCache *q, InsnId insn);

/* address.c: an access by its code. False: it is not known what its address points to. */
double ptx_measure_access(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty);
bool ptx_measure_base(FactCache *q, const Subjects *s, PointsTo *base);

/* access.c: an access by the requests of the kernel's warps. NULL: none is known. */
const Evaluation *ptx_measure_evaluation(FactCache *q);
/* The same, with what other shapes of the block cost. */
const Evaluation *ptx_measure_in_shapes(FactCache *q);
const Evaluated *ptx_measure_evaluated(FactCache *q, InsnId insn);
double ptx_measure_traffic(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty);
double ptx_measure_block_use(FactCache *q, const Subjects *s, FactId fact);
unsigned ptx_measure_joined_bytes(FactCache *q, const Subjects *s, const Count *total);
const char *ptx_measure_pitch_name(FactCache *q, InsnId insn);

/* siblings.c; total: of the access as evaluated, or NULL. layout.c: texts. */
double ptx_measure_siblings(FactCache *q, const Subjects *subject, FactId fact, const Count *total);
const char *ptx_measure_layout(FactCache *q, const Subjects *s, FactId fact);

/* kernel.c: the name of the first function that it calls and whose code the file lacks; empty. */
Span ptx_measure_outside_call(const FactCache *q);

/* launch.c: how the kernel is launched, and how it fits the first GPU. */
double ptx_measure_block_threads(FactCache *q);
double ptx_measure_registers(FactCache *q);
double ptx_measure_launch(FactCache *q, FactId fact, Certainty *certainty);
/* Why ptxas ignores .minnctapersm, a clause; NULL: it does not, or there is none. */
const char *ptx_measure_min_blocks_fault(FactCache *q);
/* launch_fault.c: why CUDA refuses block or cluster, a clause with its numbers; "": it does not. */
const char *ptx_measure_launch_fault(FactCache *q);

/* The first GPU has a model of the kernel's registers. */
bool ptx_measure_has_model(const FactCache *q);
bool ptx_measure_is_by_ptxas(FactCache *q);

/* ptx_measure_registers, -1 where they are unknown: the model of registers takes its time. */
int64_t ptx_measure_whole_registers(FactCache *q);

/* The shared memory of a block, but for dynamic shared memory that the launch does not give, which
 * counts as none. Threads and registers are left unknown. */
Resources ptx_measure_shared(FactCache *q);

/* time.c: what ptxas makes of the kernel, and the time that it takes. */
double ptx_measure_time(FactCache *q, FactId fact, Certainty *certainty);
double ptx_measure_parallelism(FactCache *q, LoopId loop, FactId fact);
double ptx_measure_loop_balance(FactCache *q, LoopId loop, FactId fact);
const char *ptx_measure_time_advice(FactCache *q);
const char *ptx_measure_atomic_advice(FactCache *q);

/* barrier.c. */
double ptx_measure_excluded_lanes(FactCache *q, const Subjects *s);
double ptx_measure_absent_lanes(FactCache *q, const Subjects *s, Certainty *certainty);
double ptx_measure_barrier_threads(FactCache *q, const Insn *insn);
double ptx_measure_barrier_clocks(FactCache *q, InsnId insn);
double ptx_measure_barrier_redundant(FactCache *q, InsnId insn);
double ptx_measure_barrier_repeated(FactCache *q, InsnId insn);

/* hazard.c: accesses that nothing orders, barriers that some lanes bypass. */
double ptx_measure_hazards(FactCache *q, FactId fact);
/* NULL: there are none, or the launch is refused. */
const Hazards *ptx_find_hazards(FactCache *q);
double ptx_measure_race(FactCache *q, InsnId insn, FactId fact, Certainty *certainty);
double ptx_measure_possible_race(FactCache *q, InsnId insn);
double ptx_measure_block_race(FactCache *q, InsnId insn, FactId fact);

/* The instruction for which it is true. */
const InsnId *ptx_measure_block_race_place(FactCache *q, FactId fact, uint32_t *count);
const Hazard *ptx_measure_hazard(FactCache *q, InsnId insn);
double ptx_measure_barrier_divergent(FactCache *q, InsnId insn);
const char *ptx_measure_barrier_text(FactCache *q, InsnId insn);
const InsnId *ptx_measure_lone_place(FactCache *q, FactId fact, uint32_t *count);
double ptx_measure_lone(FactCache *q, InsnId insn, FactId fact);
const char *ptx_measure_lone_text(FactCache *q, InsnId insn);

/* Of a race at an instruction of the kernel: itself, or in a function that is called there; the
 * other access, and the calls. */
unsigned ptx_measure_race_places(FactCache *q, InsnId insn, FactId fact,
                                 RelatedPlace places[MAX_PLACES]);

/* matrix.c: registers of multiplications in flight. */
double ptx_measure_matrix_faults(FactCache *q);
double ptx_measure_tensor_columns(FactCache *q, const Insn *insn);
double ptx_measure_kernel_columns(FactCache *q);
double ptx_measure_matrix(FactCache *q, InsnId insn, FactId fact, Certainty *certainty);
const char *ptx_measure_matrix_text(FactCache *q, InsnId insn, FactId fact);
InsnId ptx_measure_matrix_with(FactCache *q, InsnId insn);

#endif
