/* What the kernels of a module share while they are run. */
#include "analysis/sim/code.h"
#include "analysis/sim/initial.h"

/* Variables of a function come one after the other. */
static void find_variables(SimProgram *program, Arena *arena)
{
    const Module *module = program->module;
    program->own_first = ptx_arena_array(arena, VarId, module->func_count + 1);
    program->own_end = ptx_arena_array(arena, VarId, module->func_count + 1);
    program->shared = ptx_arena_array(arena, VarId, module->var_count + 1);
    for (VarId v = 0; v < module->var_count; v++) {
        const Var *var = &module->vars[v];
        bool is_shared = var->space == SPACE_SHARED || var->space == SPACE_SHARED_CTA
                         || var->space == SPACE_SHARED_CLUSTER;
        program->has_initial |= ptx_span_length(var->numbers) != 0;
        if (var->func != NO_ID) {
            if (!program->own_end[var->func])
                program->own_first[var->func] = v;
            program->own_end[var->func] = v + 1;
        }
        if (is_shared && (var->func == NO_ID || !module->funcs[var->func].is_entry))
            program->shared[program->shared_count++] = v;
    }
}

SimProgram *ptx_program_new(Arena *arena, const Module *module, const CallGraph *calls)
{
    SimProgram *program = ptx_arena_new(arena, SimProgram);
    program->module = module;
    program->definition_of = calls->definition_of;
    program->codes = ptx_arena_array(arena, Decoded, module->op_count + 1);
    program->plans = ptx_arena_array(arena, const Plan *, module->func_count + 1);
    program->planned = ptx_arena_array(arena, FuncId, module->func_count + 1);
    program->initial = ptx_arena_array(arena, const uint8_t *, module->var_count + 1);
    program->begun = ptx_arena_array(arena, VarId, module->var_count + 1);
    for (uint32_t i = 0; i < module->op_count; i++)
        ptx_code_decode(module->ops[i], &program->codes[module->ops[i]->id]);
    find_variables(program, arena);
    return program;
}

/* ---- plans ----------------------------------------------------------------------------------- */

const Plan *ptx_plan_make(Arena *arena, Arena *scratch, const Module *module, const Func *func,
                          bool follows_global)
{
    const Cfg *cfg = func->has_body ? ptx_cfg_build(arena, scratch, module, func) : NULL;
    if (!cfg)
        return NULL;
    Plan *plan = ptx_arena_new(arena, Plan);
    const Dom *dom = ptx_dom_compute(arena, scratch, cfg);
    const Loops *loops = ptx_loops_compute(arena, scratch, cfg, dom);
    LoopId *headed = ptx_arena_array(arena, LoopId, func->insn_count);
    for (LoopId l = 0; l < loops->loop_count; l++)
        headed[cfg->blocks[loops->loops[l].header].first] = l + 1;
    *plan = (Plan){ cfg, dom, ptx_reconvergence_compute(arena, scratch, func, cfg), loops,
                    ptx_slice_compute(arena, scratch, func, cfg, follows_global), headed };
    return plan;
}

void ptx_program_keep(SimProgram *program, Arena *arena)
{
    for (uint32_t i = 0; i < program->planned_count; i++)
        program->plans[program->planned[i]] = NULL;
    for (uint32_t i = 0; i < program->begun_count; i++)
        program->initial[program->begun[i]] = NULL;
    program->planned_count = program->begun_count = 0;
    program->kept = arena;
}

const uint8_t ptx_initial_unknown[1] = { 0 };

static void read_initial(SimProgram *program, VarId id)
{
    if (program->initial[id] || !ptx_span_length(program->module->vars[id].numbers))
        return;
    const uint8_t *bytes = ptx_initial_read(program->kept, program->module, id);
    program->initial[id] = bytes ? bytes : ptx_initial_unknown;
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

/* First bytes of the variables that these functions name. */
static void plan_initial(SimProgram *program, uint32_t first)
{
    const Module *module = program->module;
    bool are_needed = false;
    for (uint32_t i = first; program->has_initial && i < program->planned_count; i++)
        are_needed |= needs_initial(&module->funcs[program->planned[i]],
                                    &program->plans[program->planned[i]]->slice);
    for (uint32_t i = first; are_needed && i < program->planned_count; i++) {
        const Func *func = &module->funcs[program->planned[i]];
        for (uint32_t o = 0; o < func->operand_count; o++)
            if (func->operands[o].kind == OPERAND_VAR)
                read_initial(program, func->operands[o].id);
    }
}

static void plan_func(SimProgram *program, Arena *scratch, FuncId id)
{
    if (!program->plans[id]
        && (program->plans[id] = ptx_plan_make(program->kept, scratch, program->module,
                                               &program->module->funcs[id], false)))
        program->planned[program->planned_count++] = id;
}

static void plan_callees(SimProgram *program, Arena *scratch, const Func *func)
{
    for (InsnId i = 0; func->has_calls && i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (unsigned o = 0;
             func->insns[i].op->kind == OPK_CALL && o < func->insns[i].operand_count; o++)
            if (operands[o].position == 1 && operands[o].kind == OPERAND_FUNCTION)
                plan_func(program, scratch, program->definition_of[operands[o].id]);
    }
}

void ptx_program_plan(SimProgram *program, Arena *scratch, FuncId kernel)
{
    const uint32_t first = program->planned_count;
    const FuncId id = program->definition_of[kernel];
    const Func *func = &program->module->funcs[id];
    if (!program->kept || program->plans[id] || !func->insn_count || func->has_syntax_error)
        return;
    plan_func(program, scratch, id);
    for (uint32_t i = first; i < program->planned_count; i++)
        plan_callees(program, scratch, &program->module->funcs[program->planned[i]]);
    plan_initial(program, first);
}
