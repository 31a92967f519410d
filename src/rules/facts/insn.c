/* Facts of an instruction by its code: opcode, dead results, divisors, special registers. */
#include "rules/facts/facts.h"
#include "analysis/flow/liveness.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "isa/isa.h"
#include "analysis/redundancy/fuse.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/flow/cfg.h"
#include "analysis/value/affine.h"
#include "analysis/value/points_to.h"
#include "session/session.h"
#include "analysis/value/uniform.h"

/* ---- dead writes ----------------------------------------------------------------------------- */

/* Values that change by themselves: reading one and dropping it may be meant as a delay or a fence
 * for the compiler. And what a call returned: a result that the source ignores is its business. */
static bool may_be_meant(const FactCache *q, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(q->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind == OPERAND_VAR) {
            const Var *var = &q->shared->module->vars[operands[o].id];
            if (var->space == SPACE_PARAM && !var->is_parameter)
                return true;
        }
        if (operands[o].kind != OPERAND_SREG)
            continue;
        switch (operands[o].id) {
        case SREG_CLOCK:
        case SREG_CLOCK64:
        case SREG_CLOCK_HI:
        case SREG_GLOBALTIMER:
        case SREG_GLOBALTIMER_HI:
        case SREG_GLOBALTIMER_LO: case SREG_PM: case SREG_PM_64: case SREG_SMID: case SREG_WARPID:
            return true;
        default:
            break;
        }
    }
    return false;
}

static const InsnId *find_dead(FactCache *q, uint32_t *count)
{
    const Live *live = ptx_session_live(q->session);
    InsnId *dead = ptx_arena_array(q->arena, InsnId, (live ? live->dead_count : 0) + 1);
    *count = 0;
    for (uint32_t d = 0; live && d < live->dead_count; d++)
        if (!may_be_meant(q, &q->func->insns[live->dead[d]]))
            dead[(*count)++] = live->dead[d];
    return dead;
}

static const bool *dead_of(FactCache *q)
{
    if (q->dead)
        return q->dead;
    bool *dead = ptx_arena_array(q->arena, bool, q->func->insn_count + 1);
    uint32_t count;
    const InsnId *list = find_dead(q, &count);
    for (uint32_t d = 0; d < count; d++)
        dead[list[d]] = true;
    return q->dead = dead;
}

bool ptx_measure_is_listed(uint32_t fact)
{
    return fact == FACT_INSN_is_dead || fact == FACT_INSN_is_global_race
           || fact == FACT_INSN_is_cluster_race || fact == FACT_INSN_is_interval_race
           || fact == FACT_INSN_is_beyond_shared
           || fact == FACT_INSN_is_beyond_allocation || fact == FACT_INSN_is_unwritten;
}

const InsnId *ptx_measure_list(FactCache *q, uint32_t fact, uint32_t *count)
{
    *count = 0;
    if (fact == FACT_INSN_is_global_race || fact == FACT_INSN_is_cluster_race
        || fact == FACT_INSN_is_interval_race)
        return ptx_measure_block_race_place(q, (FactId)fact, count);
    if (fact == FACT_INSN_is_beyond_shared || fact == FACT_INSN_is_beyond_allocation
        || fact == FACT_INSN_is_unwritten)
        return ptx_measure_lone_place(q, (FactId)fact, count);
    return fact == FACT_INSN_is_dead && !q->func->has_unknown ? find_dead(q, count) : NULL;
}

static double measure_unused(FactCache *q, InsnId insn)
{
    if (!ptx_session_live(q->session) || q->func->has_unknown)
        return UNKNOWN;
    return ptx_session_unused_results(q->session)[insn];
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Operand in a position of the form, the first of a vector; NULL. */
static const Operand *fact_operand_at(const Func *func, const Insn *insn, uint32_t position)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].position == position && !(operands[o].flags & OPERAND_RIGHT))
            return &operands[o];
    return NULL;
}

static bool is_integer_insn(const Op *op)
{
    uint8_t kind = ptx_type_info[op->type].kind;
    return kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

static double divisor(FactCache *q, const Insn *insn, bool wants_zero)
{
    const Operand *operand = insn->op->kind == OPK_DIV ? fact_operand_at(q->func, insn, 2) : NULL;
    int64_t value;
    if (!operand)
        return 0;
    if (!wants_zero && (operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64))
        return 1;
    bool is_constant = ptx_points_to_constant(ptx_session_points_to(q->session), operand, &value);
    return wants_zero ? is_constant && !value && is_integer_insn(insn->op) : is_constant;
}

/* ptxas 13.0, for sm_75 to sm_120: of a divisor that the loop does not change it takes this many
 * instructions ahead of the loop, among them the reciprocal. */
static double hoisted_division(FactCache *q, const Subjects *s, const Insn *insn)
{
    enum { HOISTED = 8, SIGNED_HOISTED = 11, ASKED_SM = 70 };
    const Operand *operand = insn->op->kind == OPK_DIV ? fact_operand_at(q->func, insn, 2) : NULL;
    const TypeInfo *type = &ptx_type_info[insn->op->type];
    if (!operand || operand->kind != OPERAND_REG || s->loop == NO_LOOP || type->bits != 32
        || !is_integer_insn(insn->op) || q->shared->module->target.sm < ASKED_SM)
        return 0;
    if (!ptx_session_loop_keeps(q->session, s->loop, operand->id))
        return 0;
    return type->kind == KIND_SIGNED ? SIGNED_HOISTED : HOISTED;
}

static bool reads_warp_index(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_SREG
            && (operands[o].id == SREG_WARPID || operands[o].id == SREG_NWARPID))
            return true;
    return false;
}

static bool reads_special(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_SREG)
            return true;
    return false;
}

static double measure_uniformity(FactCache *q, InsnId insn, FactId fact, Certainty *certainty)
{
    const Affine *value = &ptx_session_uniforms(q->session)->insns[insn];
    if (!value->uniformity || value->uniformity == UNIFORMITY_UNKNOWN)
        return UNKNOWN;
    *certainty = value->is_assumed ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
    if (fact == FACT_INSN_uniformity)
        return value->uniformity;
    bool has_step = value->uniformity != UNIFORMITY_DIVERGENT
                    && value->stride != AFFINE_STRIDE_UNKNOWN;
    return has_step ? (double)value->stride : UNKNOWN;
}

/* ---- the dictionary -------------------------------------------------------------------------- */

static double measure_op(FactCache *q, const Op *op, FactId fact)
{
    switch (fact) {
    case FACT_INSN_opcode:              return ptx_known_word(op->opcode);
    case FACT_INSN_type:                return ptx_known_word(op->type);
    case FACT_INSN_result_type:         return ptx_known_word(op->dst_type);
    case FACT_INSN_type_bits:           return ptx_known_word(ptx_type_info[op->type].bits);
    case FACT_INSN_result_bits:         return ptx_known_word(ptx_type_info[op->dst_type].bits);
    case FACT_INSN_class:               return ptx_known_word(op->insn_class);
    case FACT_INSN_space:               return ptx_known_word(op->space);
    case FACT_INSN_vector:              return op->vector ? op->vector : 1;
    case FACT_INSN_is_load:             return (op->flags & OPF_LOAD) != 0;
    case FACT_INSN_is_store:            return (op->flags & OPF_STORE) != 0;
    case FACT_INSN_is_conversion:       return ptx_measure_is_conversion(op);
    case FACT_INSN_is_full_precision:   return (op->flags & OPF_FULL_PRECISION) != 0;
    case FACT_INSN_is_unsettled:        return (op->flags & OPF_UNSETTLED) != 0;
    case FACT_INSN_machine_instructions: return ptx_measure_machine_instructions(q->shared, op);
    default:                            return UNKNOWN;
    }
}

static bool is_rounded_otherwise(const Op *op)
{
    return ptx_op_has(op, MOD_RZ) || ptx_op_has(op, MOD_RM) || ptx_op_has(op, MOD_RP);
}

static double measure_fusion_barred(FactCache *q, InsnId id)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    const InsnId with = ptx_session_fused(q->session)[id];
    if (with == NO_ID)
        return 0;
    const Insn *mul = &q->func->insns[id], *add = &q->func->insns[with];
    return ptx_fuse_is_barred(mul, add) && !is_rounded_otherwise(mul->op)
           && !is_rounded_otherwise(add->op) && !ptx_op_has(mul->op, MOD_SAT);
}

double ptx_measure_insn(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Insn *insn = &q->func->insns[s->insn];
    switch (fact) {
    case FACT_INSN_weight:              return ptx_measure_weight(q, s->block);
    case FACT_INSN_is_reachable:        return ptx_block_is_reachable(q->cfg, s->block);
    case FACT_INSN_is_rare:             return ptx_session_rare_blocks(q->session)[s->block];
    case FACT_INSN_is_guarded:          return insn->guard != NO_ID;
    case FACT_INSN_is_dead:             return q->func->has_unknown ? UNKNOWN : dead_of(q)[s->insn];
    case FACT_INSN_is_result_unused:    return measure_unused(q, s->insn);
    case FACT_INSN_uniformity: case FACT_INSN_lane_step:
        return measure_uniformity(q, s->insn, fact, certainty);
    case FACT_INSN_is_loop_conversion:
        return q->func->has_unknown ? UNKNOWN : ptx_measure_is_loop_conversion(q, s);
    case FACT_INSN_is_divisor_zero:     return divisor(q, insn, true);
    case FACT_INSN_hoisted_instructions: return hoisted_division(q, s, insn);
    case FACT_INSN_is_divisor_constant: return divisor(q, insn, false);
    case FACT_INSN_is_fusable:
        return q->func->has_unknown ? UNKNOWN : ptx_session_fused(q->session)[s->insn] != NO_ID;
    case FACT_INSN_is_fusion_barred:    return measure_fusion_barred(q, s->insn);
    case FACT_INSN_is_fp64_round_trip:  return ptx_measure_fp64_round_trip(q, s->insn);
    case FACT_INSN_is_split:            return ptx_measure_split(q, s->block, certainty);
    case FACT_INSN_is_barrier_redundant: return ptx_measure_barrier_redundant(q, s->insn);
    case FACT_INSN_is_race:
    case FACT_INSN_is_copy_in_flight:
    case FACT_INSN_is_operand_in_flight:
    case FACT_INSN_is_proxy_unfenced:
    case FACT_INSN_is_miscounted: case FACT_INSN_is_wait_stale:
    case FACT_INSN_is_uninitialised: case FACT_INSN_is_tensor_unordered:
        return ptx_measure_race(q, s->insn, fact, certainty);
    case FACT_INSN_is_matrix_in_flight: case FACT_INSN_is_matrix_unfenced:
    case FACT_INSN_is_tensor_load_in_flight:
        return ptx_measure_matrix(q, s->insn, fact, certainty);
    case FACT_INSN_tensor_columns:      return ptx_measure_tensor_columns(q, insn);
    case FACT_INSN_is_barrier_divergent: return ptx_measure_barrier_divergent(q, s->insn);
    case FACT_INSN_is_beyond_shared: case FACT_INSN_is_beyond_allocation:
    case FACT_INSN_is_unwritten:
        return ptx_measure_lone(q, s->insn, (FactId)fact);
    case FACT_INSN_is_possible_race:    return ptx_measure_possible_race(q, s->insn);
    case FACT_INSN_is_global_race: case FACT_INSN_is_cluster_race:
    case FACT_INSN_is_interval_race:
        return ptx_measure_block_race(q, s->insn, (FactId)fact);
    case FACT_INSN_barrier_clocks:      return ptx_measure_barrier_clocks(q, s->insn);
    case FACT_INSN_excluded_lanes:
        return q->func->has_unknown ? UNKNOWN : ptx_measure_excluded_lanes(q, s);
    case FACT_INSN_absent_lanes:        return ptx_measure_absent_lanes(q, s, certainty);
    case FACT_INSN_is_barrier_repeated: return ptx_measure_barrier_repeated(q, s->insn);
    case FACT_INSN_barrier_threads:     return ptx_measure_barrier_threads(q, insn);
    case FACT_INSN_reads_warp_index:    return reads_warp_index(q->func, insn);
    case FACT_INSN_reads_special:       return reads_special(q->func, insn);
    default:                            return measure_op(q, insn->op, fact);
    }
}
