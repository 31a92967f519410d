/* Facts of an access by its code: what its address points to, its alignment, its repetitions. */
#include "rules/facts/facts.h"

#include "support/hash.h"
#include "support/minmax.h"
#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/module.h"
#include "rules/lang/rule.h"
#include "session/session.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/sass/low_bits.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

#include <math.h>

/* Several rules ask about an access, one after the other. */
bool ptx_measure_base(FactCache *q, const Subjects *s, PointsTo *base)
{
    if (q->func->has_unknown)
        return false;
    if (q->based_insn != s->insn + 1) {
        q->is_based = ptx_points_to_of_access(ptx_session_points_to(q->session), q->shared->module,
                                              q->func, &q->func->insns[s->insn], &q->base);
        q->based_insn = s->insn + 1;
    }
    *base = q->base;
    return q->is_based;
}

/* What the address without its offset is certainly a multiple of, at most the bytes accessed: a
 * number of any, a variable of its .align. 0: not known. */
static int64_t alignment_of(const FactCache *q, const PointsTo *base, int64_t bytes)
{
    bool is_var = base->kind == BASE_VAR;
    if (bytes <= 0 || bytes & (bytes - 1) || (!is_var && base->kind != BASE_CONST))
        return 0;
    if (!is_var)
        return bytes;
    return ptx_i64_min(ptx_u32_max(q->shared->module->vars[base->id].align, 1), bytes);
}

/* Where a run of the machine shows it: addresses that are multiples of 4 and of no more are, some
 * of them, 4 beyond a multiple of 8. cost: what such an access takes, known where it was
 * executed. */
static double measure_run_alignment(FactCache *q, const Subjects *s, FactId fact, FactId cost,
                                    Certainty *certainty)
{
    double bytes = q->func->insns[s->insn].access_bytes,
           multiple = ptx_measure_traffic(q, s, FACT_ACCESS_address_alignment, certainty);
    Certainty of_cost;
    if (!(multiple < bytes) || !(ptx_measure_traffic(q, s, cost, &of_cost) > 0))
        return UNKNOWN;
    return fact == FACT_ACCESS_alignment ? 2 * multiple : multiple;
}

static const Operand *address_register(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && operands[o].kind == OPERAND_REG)
            return &operands[o];
    return NULL;
}

/* Past a multiple of bytes, a power of two that the variable it points to is aligned to: lanes and
 * iterations may differ in the bits above. UNKNOWN: below, too. */
static double misalignment_by_low_bits(FactCache *q, const Insn *insn, int64_t bytes)
{
    const Operand *address = address_register(q->func, insn);
    bool is_settled;
    if (!address)
        return UNKNOWN;
    if (!q->low_bits) {
        const FuncFlow flow = ptx_session_flow(q->session);
        q->low_bits = ptx_low_bits_compute(q->arena, &flow, NULL, &is_settled);
    }
    const LowBits low = q->low_bits[address->id];
    return (INT64_C(1) << low.known) < bytes
               ? UNKNOWN
               : (double)((low.value + (uint64_t)ptx_operand_value(address))
                          & (uint64_t)(bytes - 1));
}

static double measure_alignment(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    PointsTo base;
    int64_t bytes = q->func->insns[s->insn].access_bytes;
    bool has_base = ptx_measure_base(q, s, &base);
    int64_t align = has_base ? alignment_of(q, &base, bytes) : 0;
    if (has_base && !base.has_offset && bytes > 1 && align == bytes) {
        double rest = misalignment_by_low_bits(q, &q->func->insns[s->insn], bytes);
        if (isnan(rest))
            return measure_run_alignment(q, s, fact, FACT_ACCESS_wavefronts, certainty);
        return fact == FACT_ACCESS_alignment ? (double)align : rest;
    }
    if (!align || !base.has_offset || align & (align - 1))
        return measure_run_alignment(q, s, fact, FACT_ACCESS_sectors, certainty);
    int64_t rest = ((base.offset % align) + align) % align;
    if (fact == FACT_ACCESS_alignment)
        return (double)align;
    return rest || align == bytes ? (double)rest : UNKNOWN;
}

/* Of a variable whose address, size and offset are known. */
static double measure_address_place(FactCache *q, const Subjects *s, FactId fact)
{
    PointsTo base;
    int64_t bytes = q->func->insns[s->insn].access_bytes;
    if (!ptx_measure_base(q, s, &base) || base.kind != BASE_VAR)
        return UNKNOWN;
    const Var *var = &q->shared->module->vars[base.id];
    if (fact == FACT_ACCESS_variable_bytes)
        return var->bytes ? (double)var->bytes : UNKNOWN;
    if (!base.has_offset)
        return UNKNOWN;
    if (fact == FACT_ACCESS_offset)
        return (double)base.offset;
    if (!bytes)
        return UNKNOWN;
    if (!var->bytes || var->bytes > INT64_MAX / 2)
        return UNKNOWN;
    double beyond = (double)base.offset + (double)bytes - (double)var->bytes;
    return base.offset < 0 ? -(double)base.offset : fmax(0, beyond);
}

static double measure_read_only(FactCache *q, InsnId insn)
{
    if (q->func->has_unknown || !q->func->is_entry)
        return UNKNOWN;
    return ptx_session_read_only(q->session)[insn];
}

/* Per load of global memory through a parameter: how many there are of that parameter in the same
 * innermost loop. */
static const uint32_t *array_loads_of(FactCache *q)
{
    const Func *func = q->func;
    if (q->array_loads)
        return q->array_loads;
    uint32_t *loads = ptx_arena_array(q->arena, uint32_t, func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(q->shared->scratch);
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)func->insn_count)
        slots *= 2;
    /* + 1 */
    InsnId *firsts = ptx_arena_array(q->shared->scratch, InsnId, slots),
           *first_of = ptx_arena_array(q->shared->scratch, InsnId, func->insn_count + 1);
    uint64_t *keys = ptx_arena_array(q->shared->scratch, uint64_t, slots);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Subjects at = { .insn = i };
        PointsTo base;
        if (func->insns[i].op->kind != OPK_LD || !ptx_measure_base(q, &at, &base)
            || base.kind != BASE_PARAM)
            continue;
        LoopId loop = q->loops->loop_of[q->cfg->block_of[i]];
        uint64_t key = (((uint64_t)loop + 1) << 32 | base.id) + 1,
                 slot = ptx_hash_mix(key) & (slots - 1);
        while (keys[slot] && keys[slot] != key)
            slot = (slot + 1) & (slots - 1);
        if (!keys[slot])
            firsts[slot] = i;
        keys[slot] = key;
        first_of[i] = firsts[slot] + 1;
        loads[firsts[slot]]++;
    }
    for (InsnId i = 0; i < func->insn_count; i++)
        loads[i] = first_of[i] ? loads[first_of[i] - 1] : 0;
    ptx_arena_release(q->shared->scratch, mark);
    return q->array_loads = loads;
}

double ptx_measure_access(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Insn *insn = &q->func->insns[s->insn];
    PointsTo base;
    switch (fact) {
    case FACT_ACCESS_bytes:             return insn->access_bytes ? insn->access_bytes : UNKNOWN;
    case FACT_ACCESS_address_space:
        return ptx_measure_base(q, s, &base) ? ptx_known_word(base.space) : UNKNOWN;
    case FACT_ACCESS_pointed_space:
        return ptx_measure_base(q, s, &base) ? ptx_known_word(base.pointed) : UNKNOWN;
    case FACT_ACCESS_is_repeated:
        return q->func->has_unknown
                   ? UNKNOWN
                   : ptx_session_redundant_loads(q->session)->earlier[s->insn] != NO_ID;
    case FACT_ACCESS_is_merged:
        return q->func->has_unknown ? UNKNOWN
                                    : ptx_session_redundant_loads(q->session)->merged[s->insn];
    case FACT_ACCESS_is_kept_local:
        return ptx_session_local_arrays(q->session)[s->insn];
    case FACT_ACCESS_is_hoisted:
        return q->func->has_unknown || s->loop == NO_LOOP || q->loops->loops[s->loop].is_irreducible
                   ? UNKNOWN
                   : ptx_session_redundant_loads(q->session)->hoisted[s->insn];
    case FACT_ACCESS_is_invariant:
        return q->func->has_unknown || s->loop == NO_LOOP
                   ? UNKNOWN
                   : ptx_session_redundant_loads(q->session)->invariant[s->insn];
    case FACT_ACCESS_may_change_in_loop:
        return q->func->has_unknown || s->loop == NO_LOOP
                   ? UNKNOWN
                   : ptx_session_redundant_loads(q->session)->may_change[s->insn];
    case FACT_ACCESS_may_be_stored_in_loop:
        return q->func->has_unknown || s->loop == NO_LOOP
                   ? UNKNOWN
                   : ptx_session_redundant_loads(q->session)->may_be_stored[s->insn];
    case FACT_ACCESS_neighbours:
        return q->func->has_unknown ? UNKNOWN
                                    : ptx_session_redundant_loads(q->session)->neighbours[s->insn];
    case FACT_ACCESS_is_read_only:      return measure_read_only(q, s->insn);
    case FACT_ACCESS_array_loads:
        return q->func->has_unknown ? UNKNOWN : array_loads_of(q)[s->insn];
    case FACT_ACCESS_block_sectors: case FACT_ACCESS_block_distinct:
        return ptx_measure_block_use(q, s, (FactId)fact);
    case FACT_ACCESS_address_alignment:
    case FACT_ACCESS_pattern:
    case FACT_ACCESS_stride:
    case FACT_ACCESS_active_lanes:
    case FACT_ACCESS_sectors: case FACT_ACCESS_segments:
    case FACT_ACCESS_least_sectors:
    case FACT_ACCESS_least_wavefronts:
    case FACT_ACCESS_least_addresses:
    case FACT_ACCESS_ideal_sectors:
    case FACT_ACCESS_wavefronts:
    case FACT_ACCESS_ideal_wavefronts:
    case FACT_ACCESS_addresses:
    case FACT_ACCESS_is_firm:
    case FACT_ACCESS_is_any_block:
    case FACT_ACCESS_has_free_stride:
    case FACT_ACCESS_crosses_rows:
    case FACT_ACCESS_siblings:
    case FACT_ACCESS_used_together:
    case FACT_ACCESS_used_bytes:
    case FACT_ACCESS_efficiency:
    case FACT_ACCESS_cost_share:
    case FACT_ACCESS_ideal_gain: case FACT_ACCESS_segments_gain:
    case FACT_ACCESS_addresses_by_chance: case FACT_ACCESS_constant_share:
    case FACT_ACCESS_pitch:
    case FACT_ACCESS_pitch_rows:
        return ptx_measure_traffic(q, s, fact, certainty);
    case FACT_ACCESS_misalignment: case FACT_ACCESS_alignment:
        return measure_alignment(q, s, fact, certainty);
    default:                            return measure_address_place(q, s, fact);
    }
}
