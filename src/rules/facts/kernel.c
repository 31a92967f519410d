/* Facts of a kernel or function as a whole. */
#include "rules/facts/facts.h"

#include "support/minmax.h"
#include "analysis/flow/liveness.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "support/span.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "isa/isa.h"
#include "session/session.h"

#include <string.h>

static double required_cluster(const Bounds *bounds)
{
    const uint32_t *shape = bounds->reqnctapercluster;
    if (!shape[0])
        return UNKNOWN;
    return (double)shape[0] * ptx_u32_max(shape[1], 1) * ptx_u32_max(shape[2], 1);
}

static double live_registers(FactCache *q)
{
    const Live *live = ptx_session_live(q->session);
    return live ? live->max_pressure : UNKNOWN;
}

/* Once a function: rules ask it for each access. */
static double prints(FactCache *q)
{
    static const char name[] = "vprintf";
    const Module *module = q->shared->module;
    const Func *func = q->func;
    if (q->prints)
        return q->prints - 1;
    q->prints = 1;
    for (uint32_t o = 0; func->has_calls && o < func->operand_count; o++) {
        const Span span = func->operands[o].kind == OPERAND_FUNCTION
                              ? module->funcs[func->operands[o].id].name
                              : (Span){ 0 };
        if (ptx_span_length(span) == sizeof name - 1
            && !memcmp(module->text + span.begin, name, sizeof name - 1))
            q->prints = 2;
    }
    return q->prints - 1;
}

/* The first function that it names and whose code the file lacks; NULL. */
static const Func *outside_function(const FactCache *q)
{
    const Module *module = q->shared->module;
    const FuncId *definition_of = ptx_session_call_graph(q->session)->definition_of;
    for (uint32_t o = 0; q->func->has_calls && o < q->func->operand_count; o++) {
        const Operand *operand = &q->func->operands[o];
        if (operand->kind == OPERAND_FUNCTION
            && !module->funcs[definition_of[operand->id]].has_body)
            return &module->funcs[operand->id];
    }
    return NULL;
}

Span ptx_measure_outside_call(const FactCache *q)
{
    const Func *func = outside_function(q);
    return func ? func->name : (Span){ 0 };
}

static bool leads_to_end(const FactCache *q)
{
    const Cfg *cfg = q->cfg;
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        const Block *block = &cfg->blocks[cfg->rpo[r]];
        for (uint32_t s = 0; s < block->succ_count; s++)
            if (cfg->succs[block->succ_first + s] == EXIT_BLOCK)
                return true;
    }
    return false;
}

double ptx_measure_kernel(FactCache *q, FactId fact, Certainty *certainty)
{
    const Func *func = q->func;
    const CallNode *calls = ptx_session_calls(q->session);
    switch (fact) {
    case FACT_KERNEL_is_entry:              return func->is_entry;
    case FACT_KERNEL_is_called:
        if (func->linkage != LINKAGE_NONE || calls->is_called || calls->is_address_taken)
            return true;
        return q->shared->has_broken_func ? UNKNOWN : false;
    case FACT_KERNEL_returns:               return q->cfg ? leads_to_end(q) : UNKNOWN;
    case FACT_KERNEL_is_recursive:          return calls->is_recursive;
    case FACT_KERNEL_has_calls:             return func->has_calls;
    case FACT_KERNEL_prints:                return prints(q);
    case FACT_KERNEL_calls_outside:         return outside_function(q) != NULL;
    case FACT_KERNEL_instructions:          return func->insn_count;
    case FACT_KERNEL_weighted_instructions:
        return q->cfg ? ptx_measure_weighted_instructions(q) : UNKNOWN;
    case FACT_KERNEL_loops:                 return q->cfg ? q->loops->loop_count : 0;
    case FACT_KERNEL_matrix_faults:         return ptx_measure_matrix_faults(q);
    case FACT_KERNEL_tensor_columns:        return ptx_measure_kernel_columns(q);
    case FACT_KERNEL_races: case FACT_KERNEL_redundant_barriers:
        return ptx_measure_hazards(q, fact);
    case FACT_KERNEL_has_launch_bounds:
        return func->bounds.maxntid[0] || func->bounds.reqntid[0] || func->bounds.maxnreg;
    case FACT_KERNEL_has_repeated_bound:    return func->bounds.is_repeated;
    case FACT_KERNEL_required_cluster:      return required_cluster(&func->bounds);
    case FACT_KERNEL_live_registers:        return live_registers(q);
    case FACT_KERNEL_registers_low:
    case FACT_KERNEL_registers_least:
    case FACT_KERNEL_best_occupancy:
    case FACT_KERNEL_best_block:
    case FACT_KERNEL_predicted_us:
    case FACT_KERNEL_time_limiter:
    case FACT_KERNEL_busy:
    case FACT_KERNEL_spread_gain:
    case FACT_KERNEL_time_pipe:
    case FACT_KERNEL_time_gain:
    case FACT_KERNEL_compute_use:
    case FACT_KERNEL_memory_use:
    case FACT_KERNEL_issue_use:
    case FACT_KERNEL_spills_likely:
    case FACT_KERNEL_registers_allowed:
    case FACT_KERNEL_unbounded_registers:
    case FACT_KERNEL_unbounded_low:
    case FACT_KERNEL_unbounded_high:
    case FACT_KERNEL_busiest_block:
    case FACT_KERNEL_busiest_instructions:
    case FACT_KERNEL_global_use: case FACT_KERNEL_dram_use: case FACT_KERNEL_shared_use:
    case FACT_KERNEL_constant_gain:
    case FACT_KERNEL_latency_gain:
    case FACT_KERNEL_tail_share:
    case FACT_KERNEL_pipe_use:
    case FACT_KERNEL_active_lanes:
    case FACT_KERNEL_bytes_in_flight:
    case FACT_KERNEL_bytes_needed:
        return ptx_measure_time(q, fact, certainty);
    default:                                return ptx_measure_launch(q, fact, certainty);
    }
}
