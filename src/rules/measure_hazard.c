/* Facts about accesses that nothing orders. */
#include "rules/measure.h"

#include <math.h>

static const Hazards *hazards_of(Inquiry *q)
{
    if (!q->was_raced && q->func->is_entry && !q->func->has_unknown)
        q->hazards = ptx_hazards_find(q->arena, q->shared->arena, q->shared->scratch, ptx_measure_program(q), q->shared->module,
                                      (FuncId)(q->func - q->shared->module->funcs), q->facts->launch);
    q->was_raced = true;
    return q->hazards;
}

double ptx_measure_hazards(Inquiry *q, FactId fact)
{
    const Hazards *hazards = hazards_of(q);
    return !hazards ? (double)NAN : fact == FACT_KERNEL_races ? hazards->count : hazards->redundant_count;
}

double ptx_measure_redundant(Inquiry *q, InsnId insn)
{
    const Hazards *hazards = hazards_of(q);
    bool is_redundant = false;
    for (uint32_t i = 0; hazards && i < hazards->redundant_count; i++)
        is_redundant |= hazards->redundant[i] == insn;
    return is_redundant;
}

const Hazard *ptx_measure_hazard(Inquiry *q, InsnId insn)
{
    const Hazards *hazards = hazards_of(q);
    for (uint32_t h = 0; hazards && h < hazards->count; h++)
        if (hazards->items[h].second.insn == insn)
            return &hazards->items[h];
    return NULL;
}

double ptx_measure_race(Inquiry *q, InsnId insn, Certainty *certainty)
{
    const Hazard *hazard = ptx_measure_hazard(q, insn);
    if (!hazards_of(q))
        return (double)NAN;
    *certainty = hazard ? hazard->certainty : CERTAINTY_ESTIMATE;
    return hazard != NULL;
}
