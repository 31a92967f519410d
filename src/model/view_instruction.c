/* view_instruction.c -- figures of each instruction of a kernel, and of what it calls, in the
 * public structures. */
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/executed.h"
#include "analysis/sass/sass.h"
#include "analysis/sim/count.h"
#include "analysis/time/matrix_rate.h"
#include "analysis/time/throughput.h"
#include "analysis/time/time_share.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "model/view.h"
#include "session/session.h"

#include <math.h>

/* A function, and what is known of it on one GPU. */
typedef struct InstructionView {
    Sessions *all;
    const Gpu *gpu;
    const OpCycles *ops;        /* of the GPU */
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;         /* NULL: a called function's, which the kernel does not list */
    const Lowered *lowered;     /* NULL: not known */
    const LiveClasses *live;    /* NULL: not known */
    const Uniforms *uniforms;   /* NULL: not known */
    const Evaluation *evaluation;       /* of the kernel; NULL: there is none */
    const Evaluated *insns;     /* NULL: there are none of the launch */
    const double *shares;       /* NULL: not known */
    const char *name;           /* of a called one; NULL */
    ptxlint_certainty executions;
    ptxlint_instruction *out;
} InstructionView;

/* ---- an instruction -------------------------------------------------------------------------- */

static void view_live(const InstructionView *v, InsnId i, ptxlint_instruction *out)
{
    out->live_registers = out->live_32 = out->live_64 = out->live_predicates = PTXLINT_UNKNOWN;
    if (!v->live || v->live[i].registers == UINT16_MAX
        || !ptx_block_is_reachable(v->cfg, v->cfg->block_of[i]))
        return;
    const LiveClasses *live = &v->live[i];
    out->live_registers = live->registers;
    out->live_64 = live->wide;
    out->live_32 = live->registers - 2 * live->wide;
    out->live_predicates = live->predicates;
}

static ptxlint_certainty worse_certainty(ptxlint_certainty a, ptxlint_certainty b)
{
    return a > b ? a : b;
}

static void view_run(const InstructionView *v, InsnId i, ptxlint_instruction *out)
{
    const Evaluation *evaluation = v->evaluation;
    out->executions = out->thread_executions = (double)NAN;
    out->executions_certainty = PTXLINT_NOT_KNOWN;
    if (!v->insns || evaluation->grid_is_assumed || evaluation->is_part)
        return;
    out->executions = v->insns[i].total->warps;
    out->thread_executions = v->insns[i].total->lanes;
    out->executions_certainty = v->executions;
}

/* Of requests of the launch; where the grid is not known there are none. */
static void view_traffic(const InstructionView *v, InsnId i, ptxlint_instruction *out)
{
    static const ptxlint_certainty certainties[] = {
        [CERTAINTY_EXACT] = PTXLINT_EXACT, [CERTAINTY_BOUND] = PTXLINT_BOUND,
        [CERTAINTY_ESTIMATE] = PTXLINT_ESTIMATE, [CERTAINTY_UNKNOWN] = PTXLINT_NOT_KNOWN };
    out->sectors = out->ideal_sectors = out->wavefronts = out->ideal_wavefronts = (double)NAN;
    out->access_certainty = PTXLINT_NOT_KNOWN;
    if (isnan(out->executions) || !(v->func->insns[i].op->flags & (OPF_LOAD | OPF_STORE)))
        return;
    const Evaluated *at = &v->insns[i];
    if (at->certainty == CERTAINTY_UNKNOWN || !(at->total->requests > 0))
        return;
    out->access_certainty = worse_certainty(certainties[at->certainty], PTXLINT_EXACT);
    if (at->total->sectors > 0) {
        out->sectors = at->total->sectors;
        out->ideal_sectors = at->total->ideal_sectors;
    }
    if (at->total->wavefronts > 0) {
        out->wavefronts = at->total->wavefronts;
        out->ideal_wavefronts = at->total->ideal_wavefronts;
    }
}

static ptxlint_uniformity uniformity_of(const InstructionView *v, InsnId i)
{
    const Insn *insn = &v->func->insns[i];
    const Operand *operands = ptx_insn_operands(v->func, insn);
    for (unsigned o = 0; v->uniforms && o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
            return ptx_view_uniformity(ptx_kept_uniformity(ptx_value_keep(&v->uniforms->insns[i])));
    return PTXLINT_UNIFORMITY_UNKNOWN;
}

static void view_one(const InstructionView *v, InsnId i)
{
    ptxlint_instruction *out = &v->out[i];
    const Insn *insn = &v->func->insns[i];
    const uint32_t line = ptx_line_of(v->all->module, insn->span.begin);
    out->size = sizeof *out;
    out->span = ptx_view_span(insn->span);
    out->line = line + 1;
    out->column = insn->span.begin - ptx_line_start(v->all->module, line) + 1;
    out->function = v->name;
    out->source = ptx_view_source(v->all, insn);
    const LoopId loop = v->loops ? v->loops->loop_of[v->cfg->block_of[i]] : NO_LOOP;
    out->loop = loop == NO_LOOP ? -1 : (int64_t)loop;
    view_live(v, i, out);
    out->uniformity = uniformity_of(v, i);
    out->issue_cycles = out->pipe_cycles = out->machine_instructions =
        v->lowered ? 0 : (double)NAN;
    view_run(v, i, out);
    view_traffic(v, i, out);
    out->time_share = v->shares ? v->shares[i] : (double)NAN;
}

/* ---- pipelines ------------------------------------------------------------------------------- */

enum { WARP_LANES = 32 };

static void add_pipes(const InstructionView *v, double (*cycles)[PIPE__COUNT])
{
    for (uint32_t l = 0; l < v->lowered->insn_count; l++) {
        const LoweredInsn *insn = &v->lowered->insns[l];
        if (insn->origin == NO_ID)
            continue;
        v->out[insn->origin].machine_instructions += (double)insn->count;
        for (unsigned p = 0; p < PIPE__COUNT; p++)
            if (v->gpu->pipes[p].lanes > 0 && p != PIPE_TENSOR)
                cycles[insn->origin][p] += (double)insn->count
                                           * (double)v->gpu->pipes[p].takes[insn->machine]
                                           * WARP_LANES / v->gpu->pipes[p].lanes;
    }
    for (InsnId i = 0; i < v->func->insn_count; i++) {
        const Insn *insn = &v->func->insns[i];
        const double each = (double)v->ops[insn->op->id].pipes[PIPE_TENSOR];
        if (!(each <= 0))
            cycles[i][PIPE_TENSOR] = ptx_matrix_clocks(v->gpu, v->func, insn, each);
    }
}

/* Of several that it holds as long the first. */
static void choose_held_pipe(const double cycles[PIPE__COUNT], ptxlint_instruction *out)
{
    out->issue_cycles = cycles[PIPE_ISSUE];
    for (unsigned p = 0; p < PIPE__COUNT; p++)
        if (p != PIPE_ISSUE && cycles[p] > out->pipe_cycles) {
            out->pipe_cycles = cycles[p];
            out->pipe = ptx_pipe_info[p].key;
        }
}

static void view_pipes(const InstructionView *v)
{
    const ArenaMark mark = ptx_arena_mark(v->all->work);
    double(*cycles)[PIPE__COUNT] = ptx_arena_alloc(v->all->work, (v->func->insn_count + 1)
                                                                     * sizeof *cycles);
    memset(cycles, 0, (v->func->insn_count + 1) * sizeof *cycles);
    add_pipes(v, cycles);
    for (InsnId i = 0; i < v->func->insn_count; i++)
        choose_held_pipe(cycles[i], &v->out[i]);
    ptx_arena_release(v->all->work, mark);
}

static void view_code(const InstructionView *v)
{
    for (InsnId i = 0; i < v->func->insn_count; i++)
        view_one(v, i);
    if (v->lowered)
        view_pipes(v);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

/* Whether every branch that is come to goes where the launch says, so that all counts are. */
static bool follows_all(const Evaluation *e, const Func *func, const Cfg *cfg)
{
    bool is_assumed = e->block_is_assumed || e->grid_is_assumed || e->assumed_count
                      || e->guessed_count || e->initial_is_assumed || e->warpid_is_assumed
                      || e->dynamic_is_assumed;
    if (is_assumed || !e->is_whole || e->is_cut || e->func_count || func->has_calls)
        return false;
    for (BlockId b = 0; b < cfg->block_count; b++)
        if (cfg->blocks[b].succ_count > 1 && e->insns[cfg->blocks[b].end - 1].total->doubt)
            return false;
    for (InsnId i = 0; i < func->insn_count; i++)
        if (e->insns[i].total->doubt == UNCERTAIN_DATA
            || e->insns[i].total->doubt == UNCERTAIN_REPEAT
            || e->insns[i].total->doubt == UNCERTAIN_ORDER)
            return false;
    return true;
}

static InstructionView view_of_kernel(Sessions *all, Session *session, size_t gpu)
{
    InstructionView v = { .all = all,
                          .gpu = all->gpus[gpu],
                          .ops = ptx_sessions_ops(all, gpu),
                          .func = ptx_session_func(session),
                          .cfg = ptx_session_cfg(session),
                          .loops = ptx_session_loops(session),
                          .lowered = ptx_session_lowered(session, gpu),
                          .live = ptx_session_live_classes(session),
                          .uniforms = ptx_session_uniforms(session),
                          .executions = PTXLINT_ESTIMATE };
    if (!ptx_session_is_projected(session))
        return v;
    v.evaluation = ptx_session_evaluation_on(session, gpu);
    v.insns = v.evaluation ? v.evaluation->insns : NULL;
    if (v.evaluation && follows_all(v.evaluation, v.func, v.cfg))
        v.executions = PTXLINT_EXACT;
    const TimeShares *shares = ptx_session_time_shares(session, gpu);
    v.shares = shares && !isnan(shares->code_us) ? shares->codes[0].shares : NULL;
    return v;
}

static InstructionView view_of_called(const InstructionView *kernel, const RunCode *code)
{
    Sessions *all = kernel->all;
    InstructionView v = *kernel;
    const Span name = code->code->func->name;
    v.func = code->code->func;
    v.cfg = code->code->cfg;
    v.loops = NULL;
    v.uniforms = NULL;
    v.live = NULL;
    v.lowered = code->code->lowered;
    v.insns = code->insns;
    v.shares = code->shares;
    v.name = ptx_arena_strndup(all->arena, all->module->text + name.begin, ptx_span_length(name));
    const Live *live = ptx_live_compute(all->work, all->scratch, NULL, v.func, v.cfg);
    if (live)
        v.live = ptx_live_classes_compute(all->work, all->scratch, v.func, v.cfg, live);
    return v;
}

static void view_instructions(Sessions *all, Session *session, size_t gpu, ptxlint_projection *out)
{
    InstructionView v = view_of_kernel(all, session, gpu);
    const TimeShares *shares = v.shares ? ptx_session_time_shares(session, gpu) : NULL;
    size_t count = v.func->insn_count;
    for (uint32_t c = 1; shares && c < shares->code_count; c++)
        count += shares->codes[c].code->func->insn_count;
    ptxlint_instruction *items = ptx_arena_array(all->arena, ptxlint_instruction, count + 1);
    v.out = items;
    view_code(&v);
    ptxlint_instruction *next = items + v.func->insn_count;
    for (uint32_t c = 1; shares && c < shares->code_count; c++) {
        InstructionView called = view_of_called(&v, &shares->codes[c]);
        called.out = next;
        view_code(&called);
        next += called.func->insn_count;
    }
    out->instructions = items;
    out->instruction_count = count;
}

void ptx_view_instructions(Sessions *all, FuncId id, ptxlint_projection *projections)
{
    Session *session = ptx_sessions_of(all, id);
    for (size_t g = 0; g < all->gpu_count; g++) {
        const TimeShares *shares = ptx_session_is_projected(session)
                                       ? ptx_session_time_shares(session, g)
                                       : NULL;
        projections[g].code_us = shares ? shares->code_us : (double)NAN;
        if (all->has_instructions && ptx_session_cfg(session)
            && !all->module->funcs[id].has_syntax_error)
            view_instructions(all, session, g, &projections[g]);
    }
}
