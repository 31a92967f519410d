#include "analysis/time/time_share.h"

#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/sass/executed.h"
#include "analysis/sass/sass.h"
#include "analysis/sim/count.h"
#include "analysis/time/matrix_rate.h"
#include "analysis/time/memory/cache.h"
#include "analysis/time/memory/local_memory.h"
#include "analysis/time/relief.h"
#include "analysis/time/throughput.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/arena.h"

#include <math.h>
#include <string.h>

/* ---- the functions that run ------------------------------------------------------------------ */

/* What is known of a called function, as of a kernel's own instructions. */
static const Evaluated *gather_called(Arena *arena, const Func *func, const CalledFunc *called,
                                      const Evaluation *evaluation)
{
    Evaluated *out = ptx_arena_array(arena, Evaluated, func->insn_count + 1);
    Count *totals = ptx_arena_array(arena, Count, func->insn_count + 1);
    for (uint32_t a = 0; a < evaluation->called_count; a++)
        if (evaluation->called[a].func == called->func)
            out[evaluation->called[a].insn] = evaluation->called[a].figures;
    for (InsnId i = 0; i < func->insn_count; i++) {
        totals[i] = out[i].total ? *out[i].total : ptx_count_none;
        totals[i].warps = called->insns[i].warps;
        totals[i].lanes = called->insns[i].lanes;
        out[i].total = &totals[i];
        out[i].share = 1;
        out[i].is_reached |= called->insns[i].warps > 0;
    }
    return out;
}

static RunCode run_code_new(Arena *arena, const Compiled *code, const Evaluated *insns,
                            const CalledCount *called)
{
    const uint32_t machine_count = code->lowered ? code->lowered->insn_count : 0;
    double *executions = ptx_arena_array(arena, double, machine_count + 1);
    if (code->lowered)
        ptx_executed_counts(code, called ? NULL : insns, called, executions);
    return (RunCode){ code, insns, executions,
                      ptx_arena_array(arena, double, code->func->insn_count + 1) };
}

TimeShares *ptx_time_shares_new(Arena *arena, const Compiled *kernel, const Compiled *called,
                                const Evaluation *evaluation)
{
    TimeShares *out = ptx_arena_new(arena, TimeShares);
    out->codes = ptx_arena_array(arena, RunCode, evaluation->func_count + 1);
    out->codes[out->code_count++] = run_code_new(arena, kernel, evaluation->insns, NULL);
    for (uint32_t c = 0; c < evaluation->func_count; c++) {
        const CalledFunc *func = &evaluation->funcs[c];
        const Evaluated *insns = gather_called(arena, called[c].func, func, evaluation);
        if (called[c].cfg)
            out->codes[out->code_count++] = run_code_new(arena, &called[c], insns, func->insns);
    }
    out->waits = ptx_arena_array(arena, double, kernel->func->insn_count + 1);
    out->code_us = (double)NAN;
    return out;
}

/* ---- what an instruction takes of a part ----------------------------------------------------- */

typedef struct Sharer {
    const ShareInput *input;
    const Prediction *prediction;
    const RunCode *run;         /* in hand */
    double *taken;              /* per instruction of run: of the part in hand */
} Sharer;

/* By machine instructions; of a pipe that none of them holds nothing. */
static void take_machine(Sharer *s, PipeId pipe)
{
    const Lowered *lowered = s->run->code->lowered;
    const Pipe *p = &s->input->in->gpu->pipes[pipe];
    for (uint32_t i = 0; lowered && i < lowered->insn_count; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        if (insn->origin == NO_ID)
            continue;
        double share = insn->machine == MACHINE_SHARED
                           ? ptx_joined_share(&s->run->insns[insn->origin])
                           : 1;
        s->taken[insn->origin] += (double)p->takes[insn->machine] * s->run->executions[i] * share;
    }
}

static void take_local_lines(Sharer *s)
{
    const Compiled *code = s->run->code;
    if (!code->lowered || !ptx_local_memory_has_arrays(code->func, code->lowered))
        return;
    for (InsnId i = 0; i < code->func->insn_count; i++)
        s->taken[i] += ptx_local_memory_traffic(&code->func->insns[i], &s->run->insns[i]).passes;
}

/* Those that go where data lead, too. */
static double sectors_beyond_l1(const Sharer *s, InsnId i)
{
    const Count *count = s->run->insns[i].total;
    const Cached *cached = s->input->cached;
    const Op *op = s->run->code->func->insns[i].op;
    const bool is_own = s->run->insns == s->input->in->evaluation->insns;
    const double missed = is_own && cached->data_missed ? cached->data_missed[i] : 1,
                 by_data = count->data_lanes * missed;
    return ptx_relief_beyond_l1(op, count, cached->lost) + by_data;
}

static double tensor_taken(const Sharer *s, InsnId i)
{
    const PredictInput *in = s->input->in;
    const Insn *insn = &s->run->code->func->insns[i];
    const double each = (double)in->ops[insn->op->id].pipes[PIPE_TENSOR];
    return each > 0 ? ptx_matrix_clocks(in->gpu, s->run->code->func, insn, each)
                          * ptx_probable_warps(&s->run->insns[i])
                    : 0;
}

/* Of the parts that single instructions are known to take. */
static double taken_by(const Sharer *s, SharedPart part, InsnId i)
{
    const Count *count = s->run->insns[i].total;
    const Op *op = s->run->code->func->insns[i].op;
    const bool is_own = s->run->insns == s->input->in->evaluation->insns,
               is_atomic = op->kind == OPK_ATOM || op->kind == OPK_RED;
    switch (part) {
    case SHARED_PART_TURNS:
        return tensor_taken(s, i);
    case SHARED_PART_SHARED:
        return fmax(0, count->wavefronts - count->spared_wavefronts)
               + (is_own ? s->input->by_chance[i] : 0);
    case SHARED_PART_L1:
        if (count->sectors > 0)
            return fmax(count->passes, count->requests);
        return op->insn_class == CLASS_GLOBAL ? count->data_lanes : 0;
    case SHARED_PART_L2: case SHARED_PART_DRAM:
        return op->insn_class == CLASS_GLOBAL || count->sectors > 0 ? sectors_beyond_l1(s, i) : 0;
    case SHARED_PART_ATOMIC:
        return is_atomic && count->wavefronts <= 0 ? count->lanes : 0;
    default:
        return 0;
    }
}

static double constants_taken(const Sharer *s, InsnId i)
{
    const Count *count = s->run->insns[i].total;
    return count->addresses + count->data_lanes
               * (s->run->code->func->insns[i].op->space == SPACE_CONST);
}

static void take_each(Sharer *s, SharedPart part)
{
    for (InsnId i = 0; i < s->run->code->func->insn_count; i++)
        s->taken[i] += taken_by(s, part, i);
}

/* A pipeline by its name, of which the matrix units and the constant cache are none that machine
 * instructions say. */
static void take_pipe(Sharer *s, const char *name)
{
    for (unsigned p = 0; p < PIPE__COUNT && name; p++)
        if (p != PIPE_TENSOR && name == ptx_pipe_info[p].key)
            take_machine(s, (PipeId)p);
    for (InsnId i = 0; name && i < s->run->code->func->insn_count; i++)
        if (name == ptx_pipe_info[PIPE_TENSOR].key)
            s->taken[i] += tensor_taken(s, i);
        else if (name == ptx_constant_pipe)
            s->taken[i] += constants_taken(s, i);
}

static void take_fetched(Sharer *s)
{
    const Lowered *lowered = s->run->code->lowered;
    for (uint32_t i = 0; lowered && i < lowered->insn_count; i++)
        if (lowered->insns[i].origin != NO_ID && s->run->executions[i] > 0)
            s->taken[lowered->insns[i].origin] += (double)lowered->insns[i].count;
}

static void take_shared_part(Sharer *s, SharedPart part, const double *waits)
{
    switch (part) {
    case SHARED_PART_ISSUE:     take_machine(s, PIPE_ISSUE); break;
    case SHARED_PART_LSU:       take_machine(s, PIPE_LSU); break;
    case SHARED_PART_FIRST:     take_pipe(s, s->prediction->first_pipe); break;
    case SHARED_PART_SECOND:    take_pipe(s, s->prediction->second_pipe); break;
    case SHARED_PART_FETCH:     take_fetched(s); break;
    case SHARED_PART_L1:
        take_each(s, part);
        take_local_lines(s);
        break;
    case SHARED_PART_LATENCY:
        for (InsnId i = 0; waits && i < s->run->code->func->insn_count; i++)
            s->taken[i] += waits[i];
        break;
    default:                    take_each(s, part); break;
    }
}

/* ---- all parts ------------------------------------------------------------------------------- */

static double take_of_all(TimeShares *shares, Sharer *s, SharedPart part, double *const *taken)
{
    double all = 0;
    for (uint32_t c = 0; c < shares->code_count; c++) {
        s->run = &shares->codes[c];
        s->taken = taken[c];
        const uint32_t count = s->run->code->func->insn_count;
        memset(s->taken, 0, count * sizeof *s->taken);
        take_shared_part(s, part, c ? NULL : shares->waits);
        for (InsnId i = 0; i < count; i++)
            all += s->taken[i];
    }
    return all;
}

static double *const *taken_new(Arena *scratch, const TimeShares *shares)
{
    double **taken = ptx_arena_array(scratch, double *, shares->code_count);
    for (uint32_t c = 0; c < shares->code_count; c++)
        taken[c] = ptx_arena_array(scratch, double, shares->codes[c].code->func->insn_count + 1);
    return taken;
}

/* Parts that no instruction takes, as the end of code where all of it is dead, are left out. */
static void scale_shares(TimeShares *shares, double factor)
{
    for (uint32_t c = 0; c < shares->code_count; c++)
        for (InsnId i = 0; i < shares->codes[c].code->func->insn_count; i++)
            shares->codes[c].shares[i] *= factor;
}

void ptx_time_shares_fill(Arena *scratch, TimeShares *shares, const ShareInput *input,
                          const Prediction *prediction)
{
    Sharer s = { .input = input, .prediction = prediction };
    const ArenaMark mark = ptx_arena_mark(scratch);
    double *const *taken = taken_new(scratch, shares), whole = 0, untaken = 0;
    for (unsigned p = 0; p < SHARED_PART__COUNT; p++)
        whole += input->us[p];
    shares->code_us = whole;
    for (unsigned p = 0; p < SHARED_PART__COUNT; p++) {
        if (!(input->us[p] > 0))
            continue;
        double all = take_of_all(shares, &s, (SharedPart)p, taken);
        if (!(all > 0))
            all = take_of_all(shares, &s, SHARED_PART_ISSUE, taken);
        untaken += all > 0 ? 0 : input->us[p];
        for (uint32_t c = 0; c < shares->code_count && all > 0; c++)
            for (InsnId i = 0; i < shares->codes[c].code->func->insn_count; i++)
                shares->codes[c].shares[i] += input->us[p] / whole * taken[c][i] / all;
    }
    if (untaken > 0 && untaken < whole)
        scale_shares(shares, whole / (whole - untaken));
    ptx_arena_release(scratch, mark);
}
