#include "analysis/sass/kept_loops.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/dead_code.h"
#include "analysis/sass/sass.h"
#include "analysis/sass/unroll.h"
#include "analysis/trips/trip.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"

#include <stdlib.h>

enum { LEAST_PERCENT = 30 };    /* of a loop's instructions, that are overhead */

/* What a joined iteration may not hold, or what takes so many machine instructions that the loop's
 * own are few. */
static bool is_kept_apart(const Insn *insn)
{
    const Op *op = insn->op;
    return insn->has_nounroll || op->kind == OPK_CALL || op->kind == OPK_BRX
           || op->insn_class == CLASS_BARRIER || op->insn_class == CLASS_TENSOR
           || ptx_op_expansion(op) != EXPANSION_NONE;
}

/* Whether an iteration that comes to the block goes on in one way only. */
static bool has_one_way(const FuncFlow *flow, const Defs *defs, LoopId loop, const Block *block)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < block->succ_count; s++) {
        const BlockId to = flow->cfg->succs[block->succ_first + s];
        count += ptx_loop_holds(defs->loops, loop, to);
    }
    return count == 1;
}

/* Of the loops' own blocks; is_apart: an iteration may leave some out, or is to stay as it is. */
static void count_loop_insns(const FuncFlow *flow, const Defs *defs, KeptLoop *out,
                               bool *is_apart)
{
    const Cfg *cfg = flow->cfg;
    for (uint32_t b = 0; b < cfg->rpo_count; b++) {
        const Block *block = &cfg->blocks[cfg->rpo[b]];
        const LoopId loop = flow->loops->loop_of[cfg->rpo[b]];
        if (loop == NO_LOOP)
            continue;
        out[loop].instructions += block->end - block->first;
        is_apart[loop] |= !has_one_way(flow, defs, loop, block);
        for (InsnId i = block->first; i < block->end; i++)
            is_apart[loop] |= is_kept_apart(&flow->func->insns[i]);
    }
}

/* Up to a number, from what is not known: from 0 on, as a thread's index. */
static bool may_be_short(const Trip *trip)
{
    char *end;
    const long long bound = trip->bound ? strtoll(trip->bound, &end, 10) : 0;
    return trip->step > 0 && trip->bound && end != trip->bound && !*end
           && bound / trip->step < KEPT_TRIPS;
}

/* One counter by a constant step decides, and there are enough iterations. */
static bool is_counted_long(const Trip *trip)
{
    if (trip->induction == NO_ID || !trip->step || trip->is_upper)
        return false;
    return trip->source == TRIP_CODE ? trip->count >= KEPT_TRIPS
                                     : trip->source == TRIP_SYMBOLIC && !may_be_short(trip);
}

/* Of what keeps a loop, is_kept_apart leaves shuffles alone. */
static bool is_loop_kept(const Unrolling *unrolled, const Trip *trip)
{
    bool is_by_counter = unrolled->kept_by == KEPT_BY_COUNTER && trip->source == TRIP_SYMBOLIC;
    return unrolled->times == 1
           && (is_by_counter || unrolled->kept_by == KEPT_BY_INSTRUCTION);
}

static bool is_worth_joining(const FuncFlow *flow, LoopId loop, KeptLoop kept)
{
    const Loop *of = &flow->loops->loops[loop];
    return of->is_innermost && !of->is_irreducible && kept.overhead
           && 100 * (uint64_t)kept.overhead >= LEAST_PERCENT * (uint64_t)kept.instructions;
}

/* Those that are worth it; false: there is none. */
static bool choose_loops(Arena *arena, Arena *scratch, const FuncFlow *flow, KeptLoop *out)
{
    const Defs *defs = ptx_defs_of(arena, flow);
    bool *is_apart = ptx_arena_array(arena, bool, flow->loops->loop_count + 1), has_any = false;
    count_loop_insns(flow, defs, out, is_apart);
    const uint32_t *overhead = ptx_loop_overhead_compute(arena, scratch, flow->func, flow->cfg,
                                                         flow->loops, defs);
    for (LoopId loop = 0; loop < flow->loops->loop_count; loop++) {
        out[loop].overhead = is_apart[loop] ? 0 : overhead[loop];
        if (!is_worth_joining(flow, loop, out[loop]))
            out[loop] = (KeptLoop){ 0 };
        has_any |= out[loop].overhead > 0;
    }
    return has_any;
}

/* Trips and ptxas are asked where a loop is left: that takes the most time. */
static void drop_unrolled(Arena *arena, Arena *scratch, const FuncFlow *flow, KeptLoop *out)
{
    const Trips *trips = ptx_trips_compute(arena, scratch, flow, NULL);
    const Uniforms *uniforms = ptx_uniform_compute(arena, scratch, flow, NULL, NULL);
    const Lowered *lowered = ptx_lowered_compute(arena, scratch, flow, uniforms,
                                                 flow->module->target);
    for (LoopId loop = 0; loop < flow->loops->loop_count; loop++) {
        const Unrolling *unrolled = &lowered->unrolled[loop];
        out[loop].is_by_shuffle = unrolled->kept_by == KEPT_BY_INSTRUCTION;
        if (!is_loop_kept(unrolled, &trips->trips[loop]) || !is_counted_long(&trips->trips[loop]))
            out[loop] = (KeptLoop){ 0 };
    }
}

KeptLoop *ptx_kept_loops_compute(Arena *arena, Arena *scratch, const FuncFlow *flow)
{
    KeptLoop *out = ptx_arena_array(arena, KeptLoop, flow->loops->loop_count + 1);
    if (flow->module->target.sm < UNROLLED_SM || flow->func->has_unknown
        || flow->func->has_syntax_error)
        return out;
    const ArenaMark mark = ptx_arena_mark(arena);
    if (choose_loops(arena, scratch, flow, out))
        drop_unrolled(arena, scratch, flow, out);
    ptx_arena_release(arena, mark);
    return out;
}
