#include "analysis/sass/executed.h"

#include "analysis/sass/unroll.h"
#include "gpu/costs.h"
#include "support/assert.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/sim/count.h"

#include <math.h>

#define SLACK 1e-9              /* of sums of weighted counts */

enum { FRAME_WORDS = 4, REST_ALU = 6, REST_BRANCHES = 4, REST_BRANCHES_PARTING = 8, MAX_SPARE = 8 };

typedef struct FlopsRow {
    Operation operation;
    Modifier modifier;
    Type type;
    float fp32, fp64;
} FlopsRow;

static const FlopsRow flops_rows[] = {
#define FLOPS(opcode, modifier, type, fp32, fp64) \
    { OP_##opcode, MOD_##modifier, TYPE_##type, fp32, fp64 },
#include "analysis/sass/flops.def"
#undef FLOPS
};

/* ---- operations of one thread ---------------------------------------------------------------- */

static void add_expansion(Executed *to, const Op *op, double lanes)
{
    for (size_t i = 0; i < sizeof flops_rows / sizeof *flops_rows; i++) {
        const FlopsRow *row = &flops_rows[i];
        if (row->type != (Type)op->type || row->operation != (Operation)op->operation
            || !ptx_op_has(op, row->modifier))
            continue;
        to->flops_fp32 += lanes * (double)row->fp32;
        to->flops_fp64 += lanes * (double)row->fp64;
        return;
    }
}

/* What saturates or flushes, but is not made whole. */
static bool is_sum_with_zero(const Op *op)
{
    static const uint8_t whole[] = { MOD_RNI, MOD_RZI, MOD_RMI, MOD_RPI, MOD_NONE };
    return op->operation == OP_CVT && op->type == TYPE_F32 && op->dst_type == TYPE_F32
           && !ptx_op_has_any(op, whole);
}

/* Of one element: a fused multiply and add is two. */
static double flops_each(const Op *op, bool is_fused)
{
    if (op->kind == OPK_FMA || is_fused)
        return 2;
    return op->kind == OPK_ADD || op->kind == OPK_SUB || op->kind == OPK_MUL
           || is_sum_with_zero(op);
}

static void add_executed_flops(Executed *to, const Op *op, bool is_fused, double lanes,
                               double warps)
{
    unsigned packed = op->type == TYPE_F16X2 || op->type == TYPE_BF16X2 || op->type == TYPE_F32X2
                          ? 2
                          : 1;
    bool is_float = ptx_type_info[op->type].kind == KIND_FLOAT;
    if (op->insn_class == CLASS_TENSOR && warps > 0)
        to->flops_tensor += 2 * ptx_cost_tensor_fmas(op) * warps;
    if (!is_float)
        return;
    double each = flops_each(op, is_fused);
    if (op->type == TYPE_F64)
        to->flops_fp64 += each * lanes;
    else if (op->type == TYPE_F32 || op->type == TYPE_F32X2)
        to->flops_fp32 += packed * each * lanes;
    else
        to->flops_fp16 += packed * each * lanes;
    if (each <= 0)
        add_expansion(to, op, lanes);
}

/* Sine and cosine of an angle share a product. */
static bool is_angle(const Op *op)
{
    return op->operation == OP_SIN || op->operation == OP_COS;
}

/* ---- unrolled loops -------------------------------------------------------------------------- */

/* A function as it ran. */
typedef struct ExecutedRun {
    const Compiled *code;
    const Evaluated *own;       /* of the kernel; NULL: it is called */
    const CalledCount *called;
} ExecutedRun;

static CalledCount count_of(const ExecutedRun *run, InsnId insn)
{
    return run->own ? (CalledCount){ ptx_probable_warps(&run->own[insn]),
                                     ptx_probable_lanes(&run->own[insn]) }
                    : run->called[insn];
}

static double warps_in(const ExecutedRun *run, BlockId block)
{
    return count_of(run, run->code->cfg->blocks[block].first).warps;
}

/* Times that warps come to a loop from outside: through blocks that it may be passed by from,
 * too. */
static double entries_of(const ExecutedRun *run, LoopId loop)
{
    const Cfg *cfg = run->code->cfg;
    const Loops *loops = run->code->loops;
    const Block *header = &cfg->blocks[loops->loops[loop].header];
    double entries = 0;
    for (uint32_t p = 0; p < header->pred_count; p++) {
        BlockId pred = cfg->preds[header->pred_first + p];
        if (loops->loop_of[pred] != loop)
            entries += warps_in(run, pred);
    }
    return entries;
}

/* Lanes may leave a loop one after the other: what its test reads is not in uniform registers. */
static bool is_parting(const Lowered *lowered, const LoweredInsn *insn)
{
    bool found = false;
    for (unsigned u = 0; u < insn->use_count; u++) {
        LoweredFile file =
            (LoweredFile)lowered
                ->values[lowered->operands[insn->operand_first + insn->def_count + u]]
                .file;
        found |= file == LOWERED_REG;
    }
    return found;
}

/* What becomes of the iterations of a block that is a loop. */
typedef struct Joined {
    /* executions of what is there once for those that are joined, for each iteration */
    double overhead;
    double alu, branches;       /* of the way around, for all that come to it */
    double spare;               /* iterations that run under a predicate which holds for no lane */
} Joined;

/* ptxas 13.0 goes through as many iterations as are joined while there are so many, then through
 * two once, then through one; a short last one is there under a predicate. Between stand tests and
 * branches, and where lanes may part BSSY and BSYNC. */
static Joined join_iterations(const ExecutedRun *run, BlockId block)
{
    const Lowered *lowered = run->code->lowered;
    LoopId loop = run->code->loops->loop_of[block];
    const Unrolling *unrolled = loop == NO_LOOP ? NULL : &lowered->unrolled[loop];
    Joined out = { 1, 0, 0, 0 };
    if (!unrolled || unrolled->times <= 1)
        return out;
    double iterations = warps_in(run, block), entries = entries_of(run, loop);
    double trips = entries > 0 && iterations > 0 ? iterations / entries : 1,
           whole = floor(trips / unrolled->times), rest = trips - whole * unrolled->times, body = 0;
    bool parts = false;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        body += lowered->insns[i].is_overhead ? 0 : (double)lowered->insns[i].count;
        parts |= lowered->insns[i].is_overhead && lowered->insns[i].machine == MACHINE_ALU
                 && is_parting(lowered, &lowered->insns[i]);
    }
    if (unrolled->is_whole)
        out.overhead = 0;
    else if (trips >= 1)
        out.overhead = (whole + fmin(rest, 1)) / trips;
    if (unrolled->has_rest) {
        out.alu = REST_ALU * entries;
        out.branches = (parts ? REST_BRANCHES_PARTING : REST_BRANCHES) * entries;
        out.spare = body <= MAX_SPARE && fmod(floor(rest), 2) < 1 ? entries : 0;
    }
    return out;
}

/* ---- the launch ------------------------------------------------------------------------------ */

static double executions_of(const LoweredInsn *insn, const Joined *joined, double warps)
{
    return (double)insn->count
           * (insn->is_overhead ? warps * joined->overhead : warps + joined->spare);
}

void ptx_executed_counts(const Compiled *code, const Evaluated *own, const CalledCount *called,
                         double *counts)
{
    const ExecutedRun run = { code, own, called };
    const Lowered *lowered = code->lowered;
    for (BlockId b = 0; b < code->cfg->block_count; b++) {
        const double warps = warps_in(&run, lowered->runs_with[b]);
        const Joined joined = join_iterations(&run, b);
        for (uint32_t i = lowered->first[b]; i < lowered->first[b + 1]; i++)
            counts[i] = executions_of(&lowered->insns[i], &joined, warps);
    }
}

/* The machine instruction of a PTX instruction that counts for it: that which writes its result. A
 * product in tensor memory writes no register. */
static bool is_operation(const LoweredInsn *insn, const Op *op)
{
    return insn->def_count ? !ptx_lowered_is_copy(insn)
                           : op->operation == OP_TCGEN05_MMA && insn->machine == MACHINE_TENSOR;
}

static void add_block(Executed *to, const ExecutedRun *run, BlockId block)
{
    const Func *func = run->code->func;
    const Cfg *cfg = run->code->cfg;
    const Lowered *lowered = run->code->lowered;
    const CalledCount own = count_of(run, cfg->blocks[block].first);
    double warps = warps_in(run, lowered->runs_with[block]);
    const Joined joined = join_iterations(run, block);
    to->warp_instructions += joined.alu + joined.branches;
    to->machine[MACHINE_ALU] += joined.alu;
    to->machine[MACHINE_BRANCH] += joined.branches;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        double count = executions_of(insn, &joined, warps);
        to->warp_instructions += count;
        to->machine[insn->machine] += count;
        if (insn->origin == NO_ID)
            continue;
        const Op *op = func->insns[insn->origin].op;
        const CalledCount at = cfg->block_of[insn->origin] == block ? count_of(run, insn->origin)
                                                                    : own;
        if (is_operation(insn, op)) {
            add_executed_flops(to, op, insn->is_fused, at.lanes, at.warps);
            to->flops_fp32 += insn->more_flops * at.lanes;
        }
        else if (insn->machine == MACHINE_FP32 && is_angle(op))
            to->flops_fp32 += at.lanes;
    }
}

static void add_machine(Executed *to, MachineOp machine, double count)
{
    to->machine[machine] += count;
    to->warp_instructions += count;
}

/* What calls others keeps its return address and some values on the stack: ptxas 13.0. */
static void add_frame(Executed *to, double entries)
{
    add_machine(to, MACHINE_IADD, 2 * entries);
    add_machine(to, MACHINE_GLOBAL, 2 * FRAME_WORDS * entries);
    add_machine(to, MACHINE_BRANCH, 2 * entries);       /* barriers of convergence, kept too */
    add_machine(to, MACHINE_MOVE, 3 * entries);
}

static void add_run(Executed *to, const ExecutedRun *run)
{
    for (BlockId b = 0; b < run->code->cfg->block_count; b++)
        add_block(to, run, b);
    if (!run->own && run->code->func->has_calls)
        add_frame(to, warps_in(run, 0));
}

/* Of calls from sides that hardly a lane takes, nothing counts. */
static void add_part(Executed *to, const Executed *from, double part)
{
    ASSERT(part >= 0 && from->warp_instructions >= 0);
    to->warp_instructions += part * from->warp_instructions;
    for (unsigned m = 0; m < MACHINE__COUNT; m++)
        to->machine[m] += part * from->machine[m];
    to->flops_fp32 += part * from->flops_fp32;
    to->flops_fp64 += part * from->flops_fp64;
    to->flops_fp16 += part * from->flops_fp16;
    to->flops_tensor += part > 0 ? part * from->flops_tensor : 0;
}

/* Calls that warps make in a function. */
static double calls_of(const ExecutedRun *run)
{
    double calls = 0;
    for (InsnId i = 0; i < run->code->func->insn_count; i++)
        calls += run->code->func->insns[i].op->kind == OPK_CALL ? count_of(run, i).warps : 0;
    return calls;
}

/* A call by a pointer: the machine follows none. */
static bool calls_by_pointer(const ExecutedRun *run)
{
    const Func *func = run->code->func;
    for (InsnId i = 0; i < func->insn_count; i++)
        if (func->insns[i].op->kind == OPK_CALL && count_of(run, i).warps > 0
            && ptx_call_find_callee(func, &func->insns[i]) == NO_ID)
            return true;
    return false;
}

static const char no_evaluation[] =
    "the kernel could not be evaluated: syntax errors, or no instructions";
static const char no_grid[] = "the grid is not known (--grid, --launch)";

/* NULL: the kernel itself is known. */
static const char *why_unknown(const Compiled *kernel, const Evaluation *evaluation)
{
    if (!evaluation)
        return no_evaluation;
    if (evaluation->grid_is_assumed)
        return no_grid;
    if (evaluation->is_part)
        return kernel->func->has_calls
                   ? "a warp runs longer than the budget of the evaluation: a loop, or a recursion "
                     "of what it calls, that is not proved to repeat"
                   : "a warp runs longer than the budget of the evaluation: a loop whose "
                     "iterations are not proved to repeat";
    return kernel->lowered ? NULL : "the machine instructions of this target are not modelled";
}

static const char by_pointer[] = "a function is called by a pointer: which one is not known";

double ptx_hottest_iterations(Arena *scratch, const Compiled *code, const Evaluated *insns)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    const Loops *loops = code->loops;
    const Lowered *lowered = code->lowered;
    double *issued = ptx_arena_array(scratch, double, loops->loop_count + 1), most = 0;
    double iterations = insns[0].total->warps;
    for (BlockId b = 0; b < code->cfg->block_count; b++)
        if (loops->loop_of[b] != NO_LOOP)
            issued[loops->loop_of[b]] += (lowered->first[b + 1] - lowered->first[b])
                                         * ptx_probable_warps(&insns[code->cfg->blocks[b].first]);
    for (LoopId l = 0; l < loops->loop_count; l++) {
        if (!loops->loops[l].is_innermost || issued[l] <= most)
            continue;
        most = issued[l];
        iterations = ptx_probable_warps(&insns[code->cfg->blocks[loops->loops[l].header].first]);
    }
    ptx_arena_release(scratch, mark);
    return iterations;
}

static Executed not_executed(const char *why)
{
    Executed unknown = { .certainty = CERTAINTY_UNKNOWN, .why = why };
    unknown.spill_instructions = (double)NAN;
    unknown.warp_instructions = unknown.flops_fp32 = unknown.flops_fp64 = unknown.flops_fp16 =
        unknown.flops_tensor = (double)NAN;
    for (unsigned m = 0; m < MACHINE__COUNT; m++)
        unknown.machine[m] = (double)NAN;
    return unknown;
}

Executed ptx_executed_without_grid(const Func *func)
{
    return not_executed(func->insn_count && !func->has_syntax_error ? no_grid : no_evaluation);
}

Executed ptx_executed_compute(const Compiled *kernel, const Compiled *called,
                              const Evaluation *evaluation)
{
    Executed unknown = not_executed(why_unknown(kernel, evaluation)),
             out = { .certainty = CERTAINTY_ESTIMATE }, behind = { 0 };
    if (unknown.why)
        return unknown;
    unknown.why = "a function is called that the file does not have";
    const ExecutedRun own = { kernel, evaluation->insns, NULL };
    if (calls_by_pointer(&own))
        unknown.why = by_pointer;
    double calls = calls_of(&own), entries = 0;
    add_run(&out, &own);
    for (uint32_t c = 0; c < evaluation->func_count; c++) {
        const ExecutedRun run = { called ? &called[c] : NULL, NULL, evaluation->funcs[c].insns };
        if (!run.code || !run.code->lowered)
            return unknown;
        calls += calls_of(&run);
        if (calls_by_pointer(&run))
            unknown.why = by_pointer;
        entries += warps_in(&run, 0);
        add_run(&behind, &run);
    }
    if (entries < calls * (1 - SLACK))          /* some called what is not there to be run */
        return unknown;
    add_part(&out, &behind, entries > 0 ? calls / entries : 0);
    return out;
}
