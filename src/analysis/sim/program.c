/* What the kernels of a module share while they are run. */
#include "analysis/sim/machine.h"

/* Variables of a function come one after the other. */
static void find_variables(SimProgram *program, Arena *arena)
{
    const Module *module = program->module;
    program->own_first = ptx_arena_array(arena, VarId, module->func_count + 1);
    program->own_end = ptx_arena_array(arena, VarId, module->func_count + 1);
    program->shared = ptx_arena_array(arena, VarId, module->var_count + 1);
    for (VarId v = 0; v < module->var_count; v++) {
        const Var *var = &module->vars[v];
        bool is_shared = var->space == SPACE_SHARED || var->space == SPACE_SHARED_CTA || var->space == SPACE_SHARED_CLUSTER;
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
    program->func_states = ptx_arena_array(arena, FuncState *, module->func_count + 1);
    program->plans = ptx_arena_array(arena, const Plan *, module->func_count + 1);
    program->planned = ptx_arena_array(arena, FuncId, module->func_count + 1);
    program->arena = arena;
    program->begun = ptx_arena_array(arena, VarId, module->var_count + 1);
    program->initial = ptx_arena_array(arena, const uint8_t *, module->var_count + 1);
    program->addresses = ptx_arena_array(arena, uint64_t, module->var_count + 1);
    find_variables(program, arena);
    return program;
}

void ptx_program_keep(SimProgram *program, Arena *arena)
{
    for (uint32_t i = 0; i < program->planned_count; i++)
        program->plans[program->planned[i]] = NULL;
    for (uint32_t i = 0; i < program->begun_count; i++)
        program->initial[program->begun[i]] = NULL;
    program->planned_count = program->begun_count = 0;
    program->kept = program->arena = arena;
}
