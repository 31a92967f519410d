/* How often a thread executes a block, and the machine instructions of that. */
#include "rules/facts/facts.h"

#include "gpu/costs.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/mix.h"
#include "session/session.h"
#include "analysis/trips/trip.h"

#include <math.h>

/* Times that a thread executes the body of each loop; outer loops come before inner ones. */
static const double *loop_weights_of(FactCache *q)
{
    const Loops *loops = q->loops;
    if (q->loop_weights)
        return q->loop_weights;
    double *weights = ptx_arena_array(q->arena, double, loops->loop_count + 1);
    for (LoopId l = 0; l < loops->loop_count; l++) {
        double trips = ptx_session_trips(q->session)->trips[l].count;
        LoopId parent = loops->loops[l].parent;
        weights[l] = isnan(trips) ? MIX_LOOP_WEIGHT : trips;
        if (parent != NO_LOOP)
            weights[l] *= weights[parent];
    }
    return q->loop_weights = weights;
}

double ptx_measure_weight(FactCache *q, BlockId block)
{
    LoopId loop = q->loops->loop_of[block];
    return loop == NO_LOOP ? 1 : loop_weights_of(q)[loop];
}

/* Machine operations of the shortest translation; a part of one is a share of instructions that
 * pairs of it join in. */
static float sum_cost(const Op *op, Target target)
{
    const Cost *cost = ptx_cost_find(op, target);
    float sum = 0;
    if (!cost)
        return (float)NAN;
    for (int t = 0; t < cost->term_count; t++)
        sum += cost->terms[t].count;
    return sum;
}

double ptx_measure_machine_instructions(ModuleFacts *shared, const Op *op)
{
    if (!shared->machine_instructions) {
        shared->machine_instructions = ptx_arena_array(shared->arena, float,
                                                       shared->module->op_count + 1);
        for (uint32_t i = 0; i <= shared->module->op_count; i++)
            shared->machine_instructions[i] = -1;
    }
    float *known = &shared->machine_instructions[op->id];
    if (*known < 0)
        *known = sum_cost(op, shared->module->target);
    return (double)*known;
}

/* An instruction of unknown cost counts as one. */
double ptx_measure_weighted_block(FactCache *q, BlockId id)
{
    const Block *block = &q->cfg->blocks[id];
    double own = 0;
    for (InsnId i = block->first; i < block->end; i++) {
        double cost = ptx_measure_machine_instructions(q->shared, q->func->insns[i].op);
        own += isnan(cost) ? 1 : cost;
    }
    return own * ptx_measure_weight(q, id);
}

double ptx_measure_weighted_instructions(FactCache *q)
{
    const Cfg *cfg = q->cfg;
    if (q->weighted_instructions > 0)
        return q->weighted_instructions;
    double sum = 0;
    for (uint32_t r = 0; r < cfg->rpo_count; r++)
        sum += ptx_measure_weighted_block(q, cfg->rpo[r]);
    return q->weighted_instructions = sum > 1 ? sum : 1;
}
