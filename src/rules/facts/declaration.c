/* Facts of what the file declares: parameters, variables. */
#include "rules/facts/facts.h"
#include "analysis/redundancy/usage.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "session/session.h"

static const bool *named_params_of(FactCache *q)
{
    const Func *func = q->func;
    if (q->named_params)
        return q->named_params;
    bool *named = ptx_arena_array(q->arena, bool, func->param_count + 1);
    /* declared together, one behind the other */
    VarId first = func->param_count ? func->params[0] : 0;
    for (uint32_t o = 0; o < func->operand_count; o++)
        if (func->operands[o].kind == OPERAND_VAR
            && func->operands[o].id - first < func->param_count)
            named[func->operands[o].id - first] = true;
    return q->named_params = named;
}

double ptx_measure_parameter(FactCache *q, const Subjects *s, FactId fact)
{
    const Var *var = &q->shared->module->vars[s->var];
    switch (fact) {
    case FACT_PARAMETER_bytes:      return (double)var->bytes;
    case FACT_PARAMETER_is_used:
        return q->func->has_unknown ? UNKNOWN : named_params_of(q)[s->var - q->func->params[0]];
    default:                        return UNKNOWN;
    }
}

double ptx_measure_variable(FactCache *q, const Subjects *s, FactId fact)
{
    ModuleFacts *shared = q->shared;
    const Var *var = &shared->module->vars[s->var];
    switch (fact) {
    case FACT_VARIABLE_space:       return ptx_known_word(var->space);
    case FACT_VARIABLE_bytes:       return (double)var->bytes;
    case FACT_VARIABLE_is_local:    return var->func != NO_ID;
    case FACT_VARIABLE_is_visible:  return var->linkage != LINKAGE_NONE;
    case FACT_VARIABLE_is_named:
        return shared->has_broken_func ? UNKNOWN
                                       : ptx_sessions_usage(shared->sessions)->is_named[s->var];
    case FACT_VARIABLE_is_read:
        return shared->has_broken_func ? UNKNOWN
                                       : ptx_sessions_usage(shared->sessions)->is_read[s->var];
    case FACT_VARIABLE_is_written:
        return shared->has_broken_func ? UNKNOWN
                                       : ptx_sessions_usage(shared->sessions)->is_written[s->var];
    default:                        return UNKNOWN;
    }
}
