/* Facts that rest on an evaluation of the kernel's warps: what accesses cost. */
#include "rules/facts/facts.h"

#include "analysis/flow/defs.h"
#include "analysis/value/pitch.h"
#include "analysis/value/points_to.h"
#include "analysis/value/uniform.h"
#include "analysis/sass/joinable.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"
#include "analysis/value/launch.h"
#include "session/session.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/time/memory/constant_cache.h"
#include "analysis/time/memory/data_source.h"
#include "analysis/access/advise/advise.h"
#include "analysis/race/block_race.h"

#include <math.h>
#include <stdio.h>

enum { SECTOR_BYTES = 32, WARP_LANES = 32 };

const Evaluation *ptx_measure_evaluation(FactCache *q)
{
    if (!q->has_evaluation)
        q->evaluation = ptx_session_evaluation(q->session, BUDGET_FINDINGS);
    q->has_evaluation = true;
    return q->evaluation;
}

const Evaluation *ptx_measure_in_shapes(FactCache *q)
{
    return ptx_session_evaluation(q->session, BUDGET_SHAPES);
}

const Evaluated *ptx_measure_evaluated(FactCache *q, InsnId insn)
{
    const Evaluation *evaluation = ptx_measure_evaluation(q);
    const Evaluated *found = evaluation ? &evaluation->insns[insn] : NULL;
    return found && found->certainty != CERTAINTY_UNKNOWN && found->total->requests > 0 ? found
                                                                                       : NULL;
}

/* .maxntid says how many threads, and nothing of their shape where a kernel asks for more than
 * %tid.x. */
static bool is_block_known(const Func *func, const Evaluation *evaluation)
{
    return !evaluation->block_is_assumed
           || (func->bounds.maxntid[0] && (func->bounds.maxntid[1] > 1 || evaluation->is_row));
}

static bool is_address_register(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->role & ROLE_ADDRESS;
}

/* Whether all that writes the register differs from lane to lane by the one distance, a number. */
static bool has_lane_stride(const Uniforms *uniforms, RegId reg)
{
    const Defs *defs = uniforms->defs;
    const Affine *first = NULL;
    for (uint32_t d = defs->first[reg]; d < defs->first[reg + 1]; d++) {
        const Affine *value = &uniforms->insns[defs->insns[d]];
        if (value->uniformity != UNIFORMITY_AFFINE || value->stride == AFFINE_STRIDE_UNKNOWN
            || (first && first->stride != value->stride))
            return false;
        first = value;
    }
    return first != NULL;
}

/* Such distances come from %tid.x alone: no %ntid is in them. */
static bool is_any_block(FactCache *q, InsnId insn)
{
    const Uniforms *uniforms = ptx_session_uniforms(q->session);
    const Operand *operands = ptx_insn_operands(q->func, &q->func->insns[insn]);
    bool has_address = false;
    for (uint32_t o = 0; o < q->func->insns[insn].operand_count; o++) {
        if (!is_address_register(&operands[o]))
            continue;
        has_address = true;
        if (!has_lane_stride(uniforms, operands[o].id))
            return false;
    }
    return has_address && ptx_measure_evaluation(q)->is_row;
}

static bool crosses_rows(FactCache *q, const Count *total)
{
    const Evaluation *evaluation = ptx_measure_evaluation(q);
    for (InsnId i = 0; total->free_by && !q->has_rows_by && i < q->func->insn_count; i++) {
        const Count *other = evaluation->insns[i].total;
        bool is_row = (other->pattern == PATTERN_CONTIGUOUS || other->pattern == PATTERN_OFFSET)
                      && other->sectors > 0 && !other->is_free;
        q->rows_by |= is_row ? other->rows_by : 0;
    }
    q->has_rows_by |= total->free_by != 0;
    return q->rows_by & total->free_by;
}

/* Of all that the launch takes of the same kind. */
static double cost_share(FactCache *q, const Count *own)
{
    const Evaluation *evaluation = ptx_measure_evaluation(q);
    double *all = q->access_sums;
    for (InsnId i = 0; !q->has_access_sums && i < q->func->insn_count; i++) {
        all[0] += evaluation->insns[i].total->sectors;
        all[1] += evaluation->insns[i].total->wavefronts;
    }
    q->has_access_sums = true;
    double sectors = own->sectors > 0 ? 100 * own->sectors / all[0] : 0;
    double wavefronts = own->wavefronts > 0 ? 100 * own->wavefronts / all[1] : 0;
    return fmax(sectors, wavefronts);
}

/* Of the predicted time, what is saved did the access move no more than its bytes need, or the
 * sectors that its lanes touch. */
static double relieved_percent(FactCache *q, const Subjects *s, FactId fact, const Count *total)
{
    const Prediction *of = ptx_measure_prediction(q);
    const double together = ptx_measure_siblings(q, s, FACT_ACCESS_used_together, total);
    const bool is_ideal = fact == FACT_ACCESS_ideal_gain;
    IdealAccess ideal = { .sectors = is_ideal ? total->ideal_sectors : total->segments,
                          .wavefronts = total->ideal_wavefronts };
    if (is_ideal && isfinite(together))
        ideal.used_together = together / 100;
    if (of->certainty == CERTAINTY_UNKNOWN)
        return UNKNOWN;
    q->relief = ptx_relief_of_access(q->shared->gpu, of, q->func->insns[s->insn].op, total, &ideal);
    return ptx_relief_percent(of, &q->relief);
}

/* ---- constants ------------------------------------------------------------------------------- */

static bool is_constant_load(const Op *op)
{
    return op->kind == OPK_LD && (op->space == SPACE_CONST || op->space == SPACE_PARAM);
}

/* Over how many bytes data lead the load. */
static double access_reach_of(FactCache *q, InsnId insn)
{
    const PointsToSet *bases = q->func->has_unknown ? NULL : ptx_session_points_to(q->session);
    if (!q->distribution)
        q->distribution = ptx_address_distribution_compute(q->arena, q->shared->scratch, bases,
                                                           q->shared->module, q->func, NULL);
    return q->distribution[insn].reach;
}

/* Of the lanes, those that one number each leads. */
static double groups_of_lanes(FactCache *q, InsnId insn)
{
    if (!q->sources)
        q->sources = ptx_data_sources_compute(q->arena, q->shared->scratch, q->func,
                                              ptx_session_cfg(q->session),
                                              ptx_session_loops(q->session));
    return ptx_data_groups(q->sources, q->func, ptx_measure_evaluation(q)->insns, insn);
}

/* Of a parameter that all lanes read alike the machine has an operand. */
static double constant_addresses(FactCache *q, InsnId insn)
{
    const Op *op = q->func->insns[insn].op;
    const Count *count = ptx_measure_evaluation(q)->insns[insn].total;
    bool is_alike = !(count->data_lanes > 0) && !(count->addresses > count->requests);
    if (!is_constant_load(op) || (op->space == SPACE_PARAM && is_alike))
        return 0;
    return ptx_constant_addresses(count, access_reach_of(q, insn),
                                  q->func->insns[insn].access_bytes, groups_of_lanes(q, insn));
}

static double measure_constants(FactCache *q, InsnId insn, FactId fact)
{
    const Evaluation *evaluation = ptx_measure_evaluation(q);
    const Count *count = evaluation ? evaluation->insns[insn].total : NULL;
    if (!count || !is_constant_load(q->func->insns[insn].op))
        return UNKNOWN;
    if (fact == FACT_ACCESS_addresses_by_chance)
        return count->data_requests > 0
                   ? (constant_addresses(q, insn) - count->addresses) / count->data_requests
                   : UNKNOWN;
    for (InsnId i = 0; !q->has_constant_addresses && i < q->func->insn_count; i++)
        q->constant_addresses += constant_addresses(q, i);
    q->has_constant_addresses = true;
    return q->constant_addresses > 0 ? 100 * constant_addresses(q, insn) / q->constant_addresses
                                     : UNKNOWN;
}

/* ---- rows of a length that is a parameter ---------------------------------------------------- */

static Pitch pitch_of(FactCache *q, InsnId insn)
{
    if (!q->pitch)
        q->pitch = ptx_pitch_facts_new(q->arena, q->func);
    return ptx_pitch_find(q->pitch, q->func, ptx_session_defs(q->session), insn);
}

static double measure_pitch(FactCache *q, InsnId insn, FactId fact)
{
    const Pitch pitch = pitch_of(q, insn);
    const Launch *launch = ptx_session_launch(q->session);
    if (pitch.param == NO_ID)
        return UNKNOWN;
    if (fact == FACT_ACCESS_pitch)
        return pitch.least;
    bool is_narrow = launch && launch->block[0] && launch->block[0] < WARP_LANES;
    return is_narrow ? launch->block[0] : WARP_LANES;
}

const char *ptx_measure_pitch_name(FactCache *q, InsnId insn)
{
    const Pitch pitch = pitch_of(q, insn);
    const Module *module = q->shared->module;
    if (pitch.param == NO_ID)
        return "";
    char title[65], text[sizeof title + sizeof "`` (param 4294967295)"];
    ptx_var_title(module, &module->vars[q->func->params[pitch.param]], title, sizeof title);
    int length = snprintf(text, sizeof text, "`%s` (param %u)", title, (unsigned)pitch.param);
    return ptx_arena_strndup(q->arena, text, (size_t)length);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Bytes of a lane in the request that ptxas makes of this access and its neighbours. */
unsigned ptx_measure_joined_bytes(FactCache *q, const Subjects *s, const Count *total)
{
    const Insn *insn = &q->func->insns[s->insn];
    if (!ptx_joinable_may_be_wider(insn, total))
        return insn->access_bytes;
    return ptx_joinable_bytes(insn, total, ptx_session_joinable(q->session)[s->insn]);
}

/* Requests cost more or less with the shape of the block: of what they cost in a row of threads,
 * the part that they cost in the best one, where it is not known. */
static double best_part(FactCache *q, InsnId insn)
{
    const Evaluated *shaped = &ptx_measure_in_shapes(q)->insns[insn];
    const Count *total = shaped->total;
    double share = (total->sectors + total->wavefronts + total->addresses) / total->active;
    return shaped->best_share < share ? shaped->best_share / share : 1;
}

double ptx_measure_traffic(FactCache *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Evaluated *insn = ptx_measure_evaluated(q, s->insn);
    if (fact == FACT_ACCESS_siblings)
        return ptx_measure_siblings(q, s, fact, insn ? insn->total : NULL);
    if (fact == FACT_ACCESS_pitch || fact == FACT_ACCESS_pitch_rows)
        return measure_pitch(q, s->insn, fact);
    if (fact == FACT_ACCESS_addresses_by_chance || fact == FACT_ACCESS_constant_share)
        return measure_constants(q, s->insn, fact);
    if (!insn)
        return UNKNOWN;
    const Count *total = insn->total;
    double lanes = total->active / total->requests;
    bool is_global = total->sectors > 0, is_shared = total->wavefronts > 0;
    *certainty = insn->certainty;
    switch (fact) {
    case FACT_ACCESS_pattern:           return total->pattern ? (double)total->pattern : UNKNOWN;
    case FACT_ACCESS_stride:            return total->pattern ? (double)total->stride : UNKNOWN;
    case FACT_ACCESS_active_lanes:      return lanes;
    case FACT_ACCESS_sectors:
        return is_global ? total->sectors / total->requests : UNKNOWN;
    case FACT_ACCESS_segments:
        return is_global ? total->segments / total->requests : UNKNOWN;
    case FACT_ACCESS_least_sectors:
        return is_global ? best_part(q, s->insn) * total->sectors / total->requests : UNKNOWN;
    case FACT_ACCESS_ideal_sectors:
        return is_global ? total->ideal_sectors / total->requests : UNKNOWN;
    case FACT_ACCESS_wavefronts:
        return is_shared ? total->wavefronts / total->requests : UNKNOWN;
    case FACT_ACCESS_least_wavefronts:
        return is_shared ? best_part(q, s->insn) * total->wavefronts / total->requests
                               * q->func->insns[s->insn].access_bytes
                               / ptx_measure_joined_bytes(q, s, total)
                         : UNKNOWN;
    case FACT_ACCESS_ideal_wavefronts:
        return is_shared ? total->ideal_wavefronts / total->requests : UNKNOWN;
    case FACT_ACCESS_addresses:
        return total->addresses > 0 ? total->addresses / total->requests : UNKNOWN;
    case FACT_ACCESS_least_addresses:
        return total->addresses > 0
                   ? best_part(q, s->insn) * total->addresses / total->requests
                   : UNKNOWN;
    case FACT_ACCESS_used_bytes:
        return is_global ? total->used_bytes / total->requests : UNKNOWN;
    case FACT_ACCESS_efficiency:
        if (is_global)
            return 100 * total->used_bytes / (SECTOR_BYTES * total->sectors);
        return is_shared ? 100 * total->ideal_wavefronts / total->wavefronts : UNKNOWN;
    case FACT_ACCESS_has_free_stride:   return total->is_free;
    case FACT_ACCESS_crosses_rows:
        return crosses_rows(q, total);
    case FACT_ACCESS_address_alignment:
        return is_global || is_shared ? (double)((total->low_bits | 32u) & -(total->low_bits | 32u))
                                      : UNKNOWN;
    case FACT_ACCESS_is_firm:
        return total->doubt <= UNCERTAIN_PARAMETER && !total->is_free
               && is_block_known(q->func, ptx_measure_evaluation(q));
    case FACT_ACCESS_is_any_block:
        return total->doubt <= UNCERTAIN_PARAMETER && !total->is_free && is_any_block(q, s->insn);
    case FACT_ACCESS_cost_share:        return cost_share(q, total);
    case FACT_ACCESS_ideal_gain: case FACT_ACCESS_segments_gain:
        return relieved_percent(q, s, fact, total);
    case FACT_ACCESS_used_together:     return ptx_measure_siblings(q, s, fact, total);
    default:                            return UNKNOWN;
    }
}

double ptx_measure_block_use(FactCache *q, const Subjects *s, FactId fact)
{
    const Trace *trace = ptx_session_trace(q->session);
    const BlockUse use = trace ? ptx_trace_count(q->arena, trace, q->func, s->insn)
                               : (BlockUse){ 0 };
    if (!(use.requests > 0))
        return UNKNOWN;
    return fact == FACT_ACCESS_block_sectors ? use.warp_sectors : use.distinct_sectors;
}

/* That with the most lanes; NO_ID: none was executed. */
static InsnId busiest_atomic(FactCache *q, const Evaluation *evaluation)
{
    InsnId busiest = NO_ID;
    for (InsnId i = 0; evaluation && i < q->func->insn_count; i++) {
        const Op *op = q->func->insns[i].op;
        bool is_global = (op->kind == OPK_ATOM || op->kind == OPK_RED)
                         && !ptx_space_is_shared((Space)op->space);
        const double lanes = is_global ? evaluation->insns[i].total->lanes : 0;
        if (lanes > (busiest == NO_ID ? 0 : evaluation->insns[busiest].total->lanes))
            busiest = i;
    }
    return busiest;
}

const char *ptx_measure_atomic_advice(FactCache *q)
{
    static const char *const fewer =
        "a block updates each word once already: let fewer blocks take more elements each (a "
        "grid-stride loop), or spread the updates over several words and add those up at the end";
    static const char *const by_warp =
        "add up the sums of a block's warps in shared memory first, so that a block updates each "
        "word once; then let fewer blocks take more elements each";
    static const char *const by_lane =
        "add up in a warp (redux, shuffles) or in shared memory first, and spread what is left "
        "over several addresses";
    static const char *const by_data =
        "data decide which lanes reach them, and each way of such a branch is taken to be as "
        "likely: where many do, add up in a warp (redux, shuffles) or in shared memory first";
    const Trace *trace = ptx_session_trace(q->session);
    const Evaluation *evaluation = ptx_measure_evaluation(q);
    const InsnId atomic = busiest_atomic(q, evaluation);
    const double updates = trace && atomic != NO_ID
                               ? ptx_trace_updates_per_word(q->arena, trace, q->func, atomic)
                               : 0;
    const double warps = ceil(ptx_measure_block_threads(q) / WARP_LANES);
    if (atomic != NO_ID && evaluation->insns[atomic].total->doubt == UNCERTAIN_DATA)
        return by_data;
    if (updates > 0 && updates <= 1)
        return fewer;
    return updates > 0 && updates <= warps ? by_warp : by_lane;
}
