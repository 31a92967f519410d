#include "rules/facts/measure.h"

#include "rules/facts/facts.h"
#include "ir/module.h"

static double measure_module(const Module *module, FactId fact)
{
    switch (fact) {
    case FACT_MODULE_version:
        return module->version ? module->version / 10.0 : UNKNOWN;
    case FACT_MODULE_target:                return ptx_known_word(module->target.sm);
    case FACT_MODULE_is_target_specific:    return module->target.suffix != 0;
    case FACT_MODULE_is_debug:              return module->is_debug;
    case FACT_MODULE_address_size:          return module->address_size;
    default:                                return UNKNOWN;
    }
}

double ptx_measure(FactCache *q, const Subjects *s, uint32_t fact, Certainty *certainty)
{
    Certainty own = CERTAINTY_EXACT;
    double value = UNKNOWN;
    if (fact >= FACT__COUNT) {
        return q->shared->gpu ? q->shared->gpu->figures[fact - FACT__COUNT] : UNKNOWN;
    }
    if (ptx_fact_info[fact].certainty)
        own = (Certainty)ptx_fact_info[fact].certainty;
    switch ((Scope)ptx_fact_info[fact].scope) {
    case SCOPE_MODULE:      value = measure_module(q->shared->module, (FactId)fact);    break;
    case SCOPE_KERNEL:      value = ptx_measure_kernel(q, (FactId)fact, &own);          break;
    case SCOPE_VARIABLE:    value = ptx_measure_variable(q, s, (FactId)fact);           break;
    case SCOPE_PARAMETER:   value = ptx_measure_parameter(q, s, (FactId)fact);          break;
    case SCOPE_REGISTER:    value = ptx_measure_register(q, s, (FactId)fact);           break;
    case SCOPE_BLOCK:       value = ptx_measure_block(q, s, (FactId)fact);              break;
    case SCOPE_LOOP:        value = ptx_measure_loop(q, s, (FactId)fact, &own);         break;
    case SCOPE_BRANCH:      value = ptx_measure_branch(q, s, (FactId)fact, &own);       break;
    case SCOPE_INSN:        value = ptx_measure_insn(q, s, (FactId)fact, &own);         break;
    case SCOPE_ACCESS:      value = ptx_measure_access(q, s, (FactId)fact, &own);       break;
    default:                break;
    }
    if (own > *certainty)
        *certainty = own;
    return value;
}
