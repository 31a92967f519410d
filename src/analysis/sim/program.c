/* What the kernels of a module share while they are run. */
#include "analysis/sim/code.h"
#include "analysis/sim/initial.h"
#include "ir/func.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "support/limits.h"
#include "support/span.h"
#include "analysis/flow/callgraph.h"

#include <stdint.h>

enum {
    LASTING_BYTES = 4,  /* of a variable, for each byte of the text that begins it */
    FUNC_INSNS = 8      /* that a called function counts for beside its own */
};

/* Variables of a function come one after the other. */
static void find_variables(SimCode *code, Arena *arena)
{
    const Module *module = code->module;
    VarId *first = ptx_arena_array(arena, VarId, module->func_count + 1),
          *end = ptx_arena_array(arena, VarId, module->func_count + 1);
    for (VarId v = 0; v < module->var_count; v++) {
        const Var *var = &module->vars[v];
        code->has_initial |= ptx_span_length(var->numbers) != 0;
        if (var->func != NO_ID) {
            if (!end[var->func])
                first[var->func] = v;
            end[var->func] = v + 1;
        }
    }
    code->own_first = first;
    code->own_end = end;
    code->shared_units = ptx_shared_units_new(arena, module);
}

/* ---- what calls lead to ---------------------------------------------------------------------- */

typedef struct Reach {
    const Module *module;
    const CallGraph *calls;
    FuncId *open;               /* functions whose callees are still to be looked at */
    uint32_t *reached_by;       /* per function: 1 + the last kernel that was found to reach it */
    uint64_t left;              /* that may still be followed */
} Reach;

/* False: more is reached from the kernel than may still be followed. */
static bool take_reached(Reach *r, FuncId kernel)
{
    uint32_t count = 1;
    r->open[0] = kernel;
    r->reached_by[kernel] = kernel + 1;
    while (count) {
        const CallNode *node = &r->calls->nodes[r->open[--count]];
        for (uint32_t c = 0; c < node->callee_count; c++) {
            const FuncId callee = r->calls->callees[node->callee_first + c];
            const uint64_t cost = FUNC_INSNS + r->module->funcs[callee].insn_count;
            if (r->reached_by[callee] == kernel + 1)
                continue;
            if (cost > r->left)
                return false;
            r->left -= cost;
            r->reached_by[callee] = kernel + 1;
            r->open[count++] = callee;
        }
    }
    return true;
}

/* n kernels may call one function of n instructions, and each of them runs it. */
static const bool *find_skipped(Arena *arena, const Module *module, const CallGraph *calls)
{
    bool *skips = ptx_arena_array(arena, bool, module->func_count + 1), is_beyond = false;
    const ArenaMark mark = ptx_arena_mark(arena);
    Reach reach = { .module = module,
                    .calls = calls,
                    .open = ptx_arena_array(arena, FuncId, module->func_count + 1),
                    .reached_by = ptx_arena_array(arena, uint32_t, module->func_count + 1),
                    .left = LIMIT_CALLED_INSNS };
    for (FuncId f = 0; f < module->func_count; f++)
        reach.left += (uint64_t)LIMIT_CALLED_INSNS_PER_INSN * module->funcs[f].insn_count;
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].is_entry && calls->nodes[f].callee_count) {
            is_beyond = is_beyond || !take_reached(&reach, f);
            skips[f] = is_beyond;
        }
    ptx_arena_release(arena, mark);
    return skips;
}

const SimCode *ptx_code_new(Arena *arena, const Module *module, const CallGraph *calls)
{
    SimCode *code = ptx_arena_new(arena, SimCode);
    Decoded *codes = ptx_arena_array(arena, Decoded, module->op_count + 1);
    for (uint32_t i = 0; i < module->op_count; i++)
        ptx_code_decode(module->ops[i], &codes[module->ops[i]->id]);
    code->module = module;
    code->definition_of = calls->definition_of;
    code->codes = codes;
    code->skips_calls = find_skipped(arena, module, calls);
    find_variables(code, arena);
    return code;
}

SimProgram *ptx_program_new(Arena *arena, const SimCode *code)
{
    const Module *module = code->module;
    SimProgram *program = ptx_arena_new(arena, SimProgram);
    program->code = *code;
    program->plans = ptx_arena_array(arena, const Plan *, module->func_count + 1);
    program->lasting = arena;
    program->called = ptx_arena_array(arena, FuncId, module->func_count + 1);
    program->kernels = ptx_arena_array(arena, FuncId, module->func_count + 1);
    program->initial = ptx_arena_array(arena, const uint8_t *, module->var_count + 1);
    program->begun = ptx_arena_array(arena, VarId, module->var_count + 1);
    return program;
}

bool ptx_code_skips_calls(const SimCode *code, FuncId kernel)
{
    return code->skips_calls[kernel];
}

const Module *ptx_program_module(const SimProgram *program)
{
    return program->code.module;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static SimFlow build_flow(Arena *arena, Arena *scratch, const Module *module, const Func *func)
{
    SimFlow flow = { .cfg = func->has_body ? ptx_cfg_build(arena, scratch, module, func) : NULL };
    if (flow.cfg) {
        flow.dom = ptx_dom_compute(arena, scratch, flow.cfg);
        flow.loops = ptx_loops_compute(arena, scratch, flow.cfg, flow.dom);
    }
    return flow;
}

PlanMemo *ptx_plan_memo_new(Arena *arena, const Func *func, const Cfg *cfg)
{
    PlanMemo *memo = ptx_arena_new(arena, PlanMemo);
    *memo = (PlanMemo){ .arena = arena,
                        .finder = ptx_region_finder(arena, func, cfg),
                        .regions = ptx_arena_array(arena, const SliceRegion *, func->insn_count),
                        .insns = ptx_arena_array(arena, const SimInsn *, func->insn_count) };
    return memo;
}

Plan *ptx_plan_make(Arena *arena, Arena *scratch, const Module *module, const Func *func,
                    SimFlow flow)
{
    if (!flow.cfg)
        flow = build_flow(arena, scratch, module, func);
    if (!flow.cfg)
        return NULL;
    const SliceWish wish = { .defs = flow.defs, .sharing = flow.is_brief ? flow.loops : NULL };
    Plan *plan = ptx_arena_new(arena, Plan);
    LoopId *headed = ptx_arena_array(arena, LoopId, func->insn_count);
    for (LoopId l = 0; l < flow.loops->loop_count; l++)
        headed[flow.cfg->blocks[flow.loops->loops[l].header].first] = l + 1;
    *plan = (Plan){ .cfg = flow.cfg,
                    .dom = flow.dom,
                    .reconvergence = ptx_reconvergence_compute(arena, scratch, func, flow.cfg,
                                                                flow.dom),
                    .loops = flow.loops,
                    .slice = ptx_slice_compute(arena, scratch, func, flow.cfg, wish),
                    .headed = headed };
    return plan;
}

const Plan *ptx_plan_with_contents(Arena *arena, Arena *scratch, const Func *func,
                                   const Plan *plan)
{
    Plan *own = ptx_arena_new(arena, Plan);
    *own = *plan;
    own->slice = ptx_slice_compute(arena, scratch, func, plan->cfg,
                                   (SliceWish){ .has_contents = true });
    own->memo = NULL;           /* which registers a frame keeps is another matter */
    return own;
}

void ptx_program_keep(SimProgram *program, Arena *arena)
{
    for (uint32_t i = 0; i < program->kernel_count; i++)
        program->plans[program->kernels[i]] = NULL;
    for (uint32_t i = 0; i < program->begun_count; i++)
        program->initial[program->begun[i]] = NULL;
    program->kernel_count = program->begun_count = 0;
    program->kept = arena;
}

const uint8_t ptx_initial_unknown[1] = { 0 };

static void read_initial(SimProgram *program, VarId id)
{
    const Var *var = &program->code.module->vars[id];
    const uint32_t length = ptx_span_length(var->numbers);
    if (program->initial[id] || !length)
        return;
    /* mostly zeros, which are not written: it goes with the kernel */
    const bool is_large = var->bytes / LASTING_BYTES > length;
    const uint8_t *bytes = ptx_initial_read(is_large ? program->kept : program->lasting,
                                            program->code.module, id);
    program->initial[id] = bytes ? bytes : ptx_initial_unknown;
    if (is_large)
        program->begun[program->begun_count++] = id;
}

/* It loads something that may be a variable's first bytes, and an address or a branch rests on
 * it. */
static bool needs_initial(const Func *func, const Slice *slice)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        if (slice->is_needed[i] && op->flags & OPF_LOAD
            && (op->space == SPACE_CONST || op->space == SPACE_GLOBAL
                || op->space == SPACE_GENERIC))
            return true;
    }
    return false;
}

/* First bytes of the variables that it names. */
static void plan_initial(SimProgram *program, FuncId id)
{
    const Func *func = &program->code.module->funcs[id];
    for (uint32_t o = 0; program->needs_initial && o < func->operand_count; o++)
        if (func->operands[o].kind == OPERAND_VAR)
            read_initial(program, func->operands[o].id);
}

/* A function that may be called by several kernels is planned once. */
static void plan_func(SimProgram *program, Arena *scratch, FuncId id, SimFlow flow)
{
    const Func *func = &program->code.module->funcs[id];
    if (program->plans[id])
        return;
    /* a flow that is given goes with the kernel */
    Plan *plan = func->is_entry
                     ? ptx_plan_make(program->kept, scratch, program->code.module, func, flow)
                     : ptx_plan_make(program->lasting, scratch, program->code.module, func,
                                     (SimFlow){ 0 });
    if (!plan)
        return;
    program->plans[id] = plan;
    if (func->is_entry) {
        plan->memo = ptx_plan_memo_new(program->kept, func, plan->cfg);
        program->kernels[program->kernel_count++] = id;
    } else {
        program->called[program->called_count++] = id;  /* a memo would last for all the module */
    }
    program->needs_initial |= program->code.has_initial && needs_initial(func, &plan->slice);
}

static void plan_callees(SimProgram *program, Arena *scratch, const Func *func)
{
    for (InsnId i = 0; func->has_calls && i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (unsigned o = 0;
             func->insns[i].op->kind == OPK_CALL && o < func->insns[i].operand_count; o++)
            if (operands[o].position == 1 && operands[o].kind == OPERAND_FUNCTION)
                plan_func(program, scratch, program->code.definition_of[operands[o].id],
                          (SimFlow){ 0 });
    }
}

void ptx_program_plan(SimProgram *program, Arena *scratch, FuncId kernel, SimFlow flow)
{
    const uint32_t first = program->called_count;
    const FuncId id = program->code.definition_of[kernel];
    const Func *func = &program->code.module->funcs[id];
    const bool follows = !program->code.skips_calls[id];
    if (!program->kept || program->plans[id] || !func->insn_count || func->has_syntax_error)
        return;
    plan_func(program, scratch, id, flow);
    if (follows)
        plan_callees(program, scratch, func);
    for (uint32_t i = first; i < program->called_count; i++)
        plan_callees(program, scratch, &program->code.module->funcs[program->called[i]]);
    plan_initial(program, id);
    for (uint32_t i = first; i < program->called_count; i++)
        plan_initial(program, program->called[i]);
}
