#include "rules/facts/measure.h"

#include "gpu/costs.h"
#include "support/hash.h"
#include "support/minmax.h"
#include "support/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN ((double)NAN)

/* ---- what is computed on demand -------------------------------------------------------------- */

/* Times that a thread executes the body of each loop; outer loops come before inner ones. */
static const double *loop_weights_of(Inquiry *q)
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

static double weight_of(Inquiry *q, BlockId block)
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

static double machine_instructions(ModuleInquiry *shared, const Op *op)
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
static double weighted_block(Inquiry *q, BlockId id)
{
    const Block *block = &q->cfg->blocks[id];
    double own = 0;
    for (InsnId i = block->first; i < block->end; i++) {
        double cost = machine_instructions(q->shared, q->func->insns[i].op);
        own += isnan(cost) ? 1 : cost;
    }
    return own * weight_of(q, id);
}

static double weighted_instructions(Inquiry *q)
{
    const Cfg *cfg = q->cfg;
    if (q->weighted_instructions > 0)
        return q->weighted_instructions;
    double sum = 0;
    for (uint32_t r = 0; r < cfg->rpo_count; r++)
        sum += weighted_block(q, cfg->rpo[r]);
    return q->weighted_instructions = sum > 1 ? sum : 1;
}

/* ---- reading registers ----------------------------------------------------------------------- */

static void note_read(InsnId *first, RegId reg, InsnId insn)
{
    if (reg != NO_ID && first[reg] == NO_ID)
        first[reg] = insn;
}

static const InsnId *first_reads_of(Inquiry *q)
{
    const Func *func = q->func;
    if (q->first_reads)
        return q->first_reads;
    InsnId *first = ptx_arena_array(q->arena, InsnId, func->reg_count + 1);
    for (RegId r = 0; r <= func->reg_count; r++)
        first[r] = NO_ID;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        if (!ptx_block_is_reachable(q->cfg, q->cfg->block_of[i]))
            continue;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
                note_read(first, operands[o].id, i);
        note_read(first, insn->guard, i);
    }
    return q->first_reads = first;
}

/* A compiler packs an undefined half beside a value that matters, merges undefined values that no
 * path uses, and passes a structure without members as one undefined byte, on the stack or to a
 * function. */
static bool may_not_matter(const Func *func, const Insn *insn, RegId reg)
{
    const Op *op = insn->op;
    bool is_own = op->space == SPACE_GENERIC || op->space == SPACE_LOCAL || op->space == SPACE_PARAM
                  || op->space == SPACE_PARAM_FUNC;
    bool is_byte = op->kind == OPK_ST && insn->access_bytes == 1 && is_own
                   && ptx_type_info[func->regs[reg].type].bits < 32;
    return insn->guard != reg
           && (op->insn_class == CLASS_MOVE || op->insn_class == CLASS_LOGIC || is_byte);
}

static bool is_written(const Reg *reg)
{
    return reg->is_written || reg->is_result || reg->is_param;
}

static double measure_register(Inquiry *q, const Subjects *s, FactId fact)
{
    const Reg *reg = &q->func->regs[s->reg];
    InsnId first = NO_ID;
    switch (fact) {
    case FACT_REGISTER_type:        return reg->type;
    case FACT_REGISTER_is_written:  return q->func->has_unknown ? UNKNOWN : is_written(reg);
    case FACT_REGISTER_is_read:
        return q->func->has_unknown ? UNKNOWN
                                    : reg->is_result || first_reads_of(q)[s->reg] != NO_ID;
    case FACT_REGISTER_is_of_range: return reg->is_of_range;
    case FACT_REGISTER_is_merged:
        first = first_reads_of(q)[s->reg];
        return first != NO_ID && may_not_matter(q->func, &q->func->insns[first], s->reg);
    default:                        return UNKNOWN;
    }
}

/* ---- dead writes ----------------------------------------------------------------------------- */

/* Values that change by themselves: reading one and dropping it may be meant as a delay or a fence
 * for the compiler. And what a call returned: a result that the source ignores is its business. */
static bool may_be_meant(const Inquiry *q, const Insn *insn)
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

static const InsnId *find_dead(Inquiry *q, uint32_t *count)
{
    const Live *live = ptx_session_live(q->session);
    InsnId *dead = ptx_arena_array(q->arena, InsnId, (live ? live->dead_count : 0) + 1);
    *count = 0;
    for (uint32_t d = 0; live && d < live->dead_count; d++)
        if (!may_be_meant(q, &q->func->insns[live->dead[d]]))
            dead[(*count)++] = live->dead[d];
    return dead;
}

static const bool *dead_of(Inquiry *q)
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

/* ---- lanes, barriers, divisors --------------------------------------------------------------- */

/* Operand in a position of the form, the first of a vector; NULL. */
static const Operand *operand_at(const Func *func, const Insn *insn, uint32_t position)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].position == position && !(operands[o].flags & OPERAND_RIGHT))
            return &operands[o];
    return NULL;
}

static const Operand *last_operand(const Func *func, const Insn *insn)
{
    return insn->operand_count ? ptx_insn_operands(func, insn) + insn->operand_count - 1 : NULL;
}

static bool takes_mask(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_SHFL: case OP_VOTE: case OP_MATCH: case OP_REDUX:
        return ptx_op_has(op, MOD_SYNC);
    default:
        return op->kind == OPK_BAR && ptx_op_has(op, MOD_WARP);
    }
}

/* Lanes 0 up to the highest of the mask execute it, or no mask could name that lane; with the
 * block's size known, all that there are in its first warp. Only where every lane of a warp comes
 * here together. */
static double excluded_lanes(Inquiry *q, const Subjects *s)
{
    const Insn *insn = &q->func->insns[s->insn];
    int64_t mask;
    if (!takes_mask(insn->op) || insn->guard != NO_ID
        || !ptx_points_to_constant(ptx_session_bases(q->session), last_operand(q->func, insn),
                                   &mask))
        return UNKNOWN;
    uint32_t bits = (uint32_t)mask, active = bits;
    if (bits == UINT32_MAX)
        return 0;
    if (ptx_session_splits(q->session)->may[s->block])
        return UNKNOWN;
    for (int shift = 1; shift < 32; shift *= 2)
        active |= active >> shift;
    double threads = ptx_measure_block_threads(q);
    if (threads >= 32)
        active = UINT32_MAX;
    else if (threads > 0)
        active = (UINT32_C(1) << (unsigned)threads) - 1;
    return __builtin_popcount(active & ~bits);
}

/* The number of threads of bar.sync a, b: the operand behind the barrier's name. */
static double barrier_threads(Inquiry *q, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(q->func, insn);
    int64_t value;
    if (insn->op->kind != OPK_BAR || ptx_op_has(insn->op, MOD_WARP)
        || ptx_op_has(insn->op, MOD_CLUSTER) || ptx_op_has(insn->op, MOD_RED))
        return UNKNOWN;
    return insn->operand_count == 2
                   && ptx_points_to_constant(ptx_session_bases(q->session), &operands[1], &value)
                   && value >= 0
               ? (double)value
               : UNKNOWN;
}

static bool is_integer(const Op *op)
{
    uint8_t kind = ptx_type_info[op->type].kind;
    return kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

static double divisor(Inquiry *q, const Insn *insn, bool wants_zero)
{
    const Operand *operand = insn->op->kind == OPK_DIV ? operand_at(q->func, insn, 2) : NULL;
    int64_t value;
    if (!operand)
        return 0;
    if (!wants_zero && (operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64))
        return 1;
    bool is_constant = ptx_points_to_constant(ptx_session_bases(q->session), operand, &value);
    return wants_zero ? is_constant && !value && is_integer(insn->op) : is_constant;
}

/* A branch by the lane whose ways meet again, not before it. */
static bool parts_ways(const Cfg *cfg, const Dom *dom, const bool *is_by_lane, BlockId block)
{
    BlockId join = dom->ipdom[block];
    return is_by_lane[block] && cfg->blocks[block].succ_count > 1 && join != EXIT_BLOCK
           && !ptx_dom_dominates(dom, join, block);
}

/* Per block: whether it lies between a conditional branch by the lane that dominates it and that
 * branch's immediate post-dominator: only there can a part of a warp be known to be elsewhere.
 * Spares most functions the evaluation of their branches. Down the dominator tree: each such branch
 * counts behind it, until its ways meet. */
static const bool *conditional_of(Inquiry *q)
{
    const Cfg *cfg = q->cfg;
    if (q->is_conditional)
        return q->is_conditional;
    const Dom *dom = ptx_session_dom(q->session);
    const bool *is_by_lane = ptx_session_lane_branches(q->session);
    bool *out = ptx_arena_array(q->arena, bool, cfg->block_count + 1);
    ArenaMark mark = ptx_arena_mark(q->shared->scratch);
    /* such branches */
    uint32_t *inside = ptx_arena_array(q->shared->scratch, uint32_t, cfg->block_count + 1);
    /* those whose ways meet here */
    uint32_t *meeting = ptx_arena_array(q->shared->scratch, uint32_t, cfg->block_count + 1);
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r];
        if (parts_ways(cfg, dom, is_by_lane, block)
            && ptx_dom_dominates(dom, block, dom->ipdom[block]))
            meeting[dom->ipdom[block]]++;
    }
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r], above = dom->idom[block];
        if (above == EXIT_BLOCK)
            continue;
        inside[block] = inside[above] + parts_ways(cfg, dom, is_by_lane, above) - meeting[block];
        out[block] = inside[block] > 0;
    }
    ptx_arena_release(q->shared->scratch, mark);
    return q->is_conditional = out;
}

/* Whether a branch above the block parts a warp by itself: only then is it worth asking which lanes
 * come there. */
static bool may_be_parted(Inquiry *q, BlockId block)
{
    enum { MOST_ABOVE = 64 };   /* beyond, ask */
    const Dom *dom = ptx_session_dom(q->session);
    const bool *is_by_lane = ptx_session_lane_branches(q->session);
    uint32_t seen = 0;
    for (BlockId above = dom->idom[block]; above != EXIT_BLOCK; above = dom->idom[above])
        if (++seen > MOST_ABOVE
            || (is_by_lane[above]
                && ptx_lane_splits_may(ptx_session_lane_splits(q->session), above)))
            return true;
    return false;
}

static Certainty split_certainty(Inquiry *q)
{
    return ptx_session_splits(q->session)->is_assumed ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
}

static double measure_split(Inquiry *q, BlockId block, Certainty *certainty)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    if (!conditional_of(q)[block] || !may_be_parted(q, block)
        || ptx_session_splits(q->session)->by[block] == NO_ID)
        return 0;
    *certainty = split_certainty(q);
    return 1;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_number_conversion(const Op *op)
{
    bool is_float = ptx_type_info[op->type].kind == KIND_FLOAT
                    || ptx_type_info[op->dst_type].kind == KIND_FLOAT;
    return op->kind == OPK_CVT && is_float && op->type != op->dst_type;
}

static double word(uint32_t number)
{
    return number ? (double)number : UNKNOWN;
}

static double measure_op(Inquiry *q, const Op *op, FactId fact)
{
    switch (fact) {
    case FACT_INSN_opcode:              return word(op->opcode);
    case FACT_INSN_type:                return word(op->type);
    case FACT_INSN_result_type:         return word(op->dst_type);
    case FACT_INSN_type_bits:           return word(ptx_type_info[op->type].bits);
    case FACT_INSN_result_bits:         return word(ptx_type_info[op->dst_type].bits);
    case FACT_INSN_class:               return word(op->insn_class);
    case FACT_INSN_space:               return word(op->space);
    case FACT_INSN_vector:              return op->vector ? op->vector : 1;
    case FACT_INSN_is_load:             return (op->flags & OPF_LOAD) != 0;
    case FACT_INSN_is_store:            return (op->flags & OPF_STORE) != 0;
    case FACT_INSN_is_conversion:       return is_number_conversion(op);
    case FACT_INSN_is_full_precision:   return (op->flags & OPF_FULL_PRECISION) != 0;
    case FACT_INSN_machine_instructions: return machine_instructions(q->shared, op);
    default:                            return UNKNOWN;
    }
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

static double measure_fp64_trip(Inquiry *q, InsnId insn)
{
    if (q->func->has_unknown)
        return UNKNOWN;
    return ptx_session_fp64_trips(q->session)[insn];
}

static double measure_unused(Inquiry *q, InsnId insn)
{
    if (!ptx_session_live(q->session) || q->func->has_unknown)
        return UNKNOWN;
    return ptx_session_unused_results(q->session)[insn];
}

static double measure_uniformity(Inquiry *q, InsnId insn, FactId fact, Certainty *certainty)
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

static bool is_constant_move(const Func *func, InsnId insn)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[insn]);
    OperandKind kind = func->insns[insn].operand_count == 2 ? (OperandKind)operands[1].kind
                                                            : OPERAND_REG;
    return func->insns[insn].op->kind == OPK_MOV
           && (kind == OPERAND_INT || kind == OPERAND_F32 || kind == OPERAND_F64);
}

/* ptxas computes the others once, in front of the loop. */
static bool is_loop_conversion(Inquiry *q, const Subjects *s)
{
    const Insn *insn = &q->func->insns[s->insn];
    const Operand *operands = ptx_insn_operands(q->func, insn);
    bool changes = false;
    if (!is_number_conversion(insn->op))
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        bool is_source = operands[o].role & ROLE_USE;
        InsnId def = NO_ID;
        if (is_source && operands[o].kind == OPERAND_SREG)
            changes = true;
        if (!is_source || operands[o].kind != OPERAND_REG)
            continue;
        uint32_t inside = s->loop == NO_LOOP ? 0
                                             : ptx_defs_in_loop(ptx_session_defs(q->session),
                                                                s->loop, operands[o].id, &def);
        changes |= inside > 1 || (inside == 1 && !is_constant_move(q->func, def));
    }
    return changes;
}

static double measure_insn(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Insn *insn = &q->func->insns[s->insn];
    switch (fact) {
    case FACT_INSN_weight:              return weight_of(q, s->block);
    case FACT_INSN_is_reachable:        return ptx_block_is_reachable(q->cfg, s->block);
    case FACT_INSN_is_rare:             return ptx_session_rare_blocks(q->session)[s->block];
    case FACT_INSN_is_guarded:          return insn->guard != NO_ID;
    case FACT_INSN_is_dead:             return q->func->has_unknown ? UNKNOWN : dead_of(q)[s->insn];
    case FACT_INSN_is_result_unused:    return measure_unused(q, s->insn);
    case FACT_INSN_uniformity: case FACT_INSN_lane_step:
        return measure_uniformity(q, s->insn, fact, certainty);
    case FACT_INSN_is_loop_conversion:
        return q->func->has_unknown ? UNKNOWN : is_loop_conversion(q, s);
    case FACT_INSN_is_divisor_zero:     return divisor(q, insn, true);
    case FACT_INSN_is_divisor_constant: return divisor(q, insn, false);
    case FACT_INSN_is_fusable:
        return q->func->has_unknown ? UNKNOWN : ptx_session_fused(q->session)[s->insn] != NO_ID;
    case FACT_INSN_is_fp64_round_trip:  return measure_fp64_trip(q, s->insn);
    case FACT_INSN_is_split:            return measure_split(q, s->block, certainty);
    case FACT_INSN_is_barrier_redundant: return ptx_measure_redundant(q, s->insn);
    case FACT_INSN_is_race:
    case FACT_INSN_is_copy_in_flight:
    case FACT_INSN_is_operand_in_flight:
    case FACT_INSN_is_proxy_unfenced:
    case FACT_INSN_is_miscounted: case FACT_INSN_is_wait_stale:
        return ptx_measure_race(q, s->insn, fact, certainty);
    case FACT_INSN_is_matrix_in_flight: case FACT_INSN_is_matrix_unfenced:
        return ptx_measure_matrix(q, s->insn, fact, certainty);
    case FACT_INSN_is_barrier_divergent: return ptx_measure_divergent(q, s->insn);
    case FACT_INSN_is_possible_race:    return ptx_measure_possible_race(q, s->insn);
    case FACT_INSN_is_global_race: case FACT_INSN_is_cluster_race:
        return ptx_measure_block_race(q, s->insn, (FactId)fact);
    case FACT_INSN_barrier_clocks:      return ptx_measure_barrier_clocks(q, s->insn);
    case FACT_INSN_excluded_lanes:
        return q->func->has_unknown ? UNKNOWN : excluded_lanes(q, s);
    case FACT_INSN_is_barrier_repeated:
        return q->func->has_unknown ? UNKNOWN
                                    : ptx_session_repeats(q->session)->barrier[s->insn] != NO_ID;
    case FACT_INSN_barrier_threads:     return barrier_threads(q, insn);
    case FACT_INSN_reads_warp_index:    return reads_warp_index(q->func, insn);
    case FACT_INSN_reads_special:       return reads_special(q->func, insn);
    default:                            return measure_op(q, insn->op, fact);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool base_of(Inquiry *q, const Subjects *s, PointsTo *base)
{
    return !q->func->has_unknown
           && ptx_points_to_of_access(ptx_session_bases(q->session), q->shared->module, q->func,
                                      &q->func->insns[s->insn], base);
}

/* What the address without its offset is certainly a multiple of, at most the bytes accessed: a
 * number of any, a variable of its .align. 0: not known. */
static int64_t alignment_of(const Inquiry *q, const PointsTo *base, int64_t bytes)
{
    bool is_var = base->kind == BASE_VAR;
    if (bytes <= 0 || bytes & (bytes - 1) || (!is_var && base->kind != BASE_CONST))
        return 0;
    if (!is_var)
        return bytes;
    return ptx_i64_min(ptx_u32_max(q->shared->module->vars[base->id].align, 1), bytes);
}

/* Of global memory, where a run of the machine shows it: addresses that are multiples of 4 and of
 * no more are, some of them, 4 beyond a multiple of 8. */
static double measure_run_alignment(Inquiry *q, const Subjects *s, FactId fact,
                                    Certainty *certainty)
{
    double bytes = q->func->insns[s->insn].access_bytes,
           multiple = ptx_measure_traffic(q, s, FACT_ACCESS_address_alignment, certainty);
    Certainty of_sectors;
    if (!(multiple < bytes) || !(ptx_measure_traffic(q, s, FACT_ACCESS_sectors, &of_sectors) > 0))
        return UNKNOWN;
    return fact == FACT_ACCESS_alignment ? 2 * multiple : multiple;
}

static double measure_alignment(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    PointsTo base;
    int64_t bytes = q->func->insns[s->insn].access_bytes;
    int64_t align = base_of(q, s, &base) && base.has_offset ? alignment_of(q, &base, bytes) : 0;
    if (!align || align & (align - 1))
        return measure_run_alignment(q, s, fact, certainty);
    int64_t rest = ((base.offset % align) + align) % align;
    if (fact == FACT_ACCESS_alignment)
        return (double)align;
    return rest || align == bytes ? (double)rest : UNKNOWN;
}

/* Of a variable whose address, size and offset are known. */
static double measure_place(Inquiry *q, const Subjects *s, FactId fact)
{
    PointsTo base;
    int64_t bytes = q->func->insns[s->insn].access_bytes;
    if (!base_of(q, s, &base) || base.kind != BASE_VAR)
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

static double measure_read_only(Inquiry *q, InsnId insn)
{
    if (q->func->has_unknown || !q->func->is_entry)
        return UNKNOWN;
    return ptx_session_read_only(q->session)[insn];
}

/* Per load of global memory through a parameter: how many there are of that parameter in the same
 * innermost loop. */
static const uint32_t *array_loads_of(Inquiry *q)
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
        if (func->insns[i].op->kind != OPK_LD || !base_of(q, &at, &base) || base.kind != BASE_PARAM)
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

static double measure_access(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Insn *insn = &q->func->insns[s->insn];
    PointsTo base;
    switch (fact) {
    case FACT_ACCESS_bytes:             return insn->access_bytes ? insn->access_bytes : UNKNOWN;
    case FACT_ACCESS_address_space:     return base_of(q, s, &base) ? word(base.space) : UNKNOWN;
    case FACT_ACCESS_pointed_space:     return base_of(q, s, &base) ? word(base.pointed) : UNKNOWN;
    case FACT_ACCESS_is_repeated:
        return q->func->has_unknown ? UNKNOWN
                                    : ptx_session_repeats(q->session)->earlier[s->insn] != NO_ID;
    case FACT_ACCESS_is_invariant:
        return q->func->has_unknown || s->loop == NO_LOOP
                   ? UNKNOWN
                   : ptx_session_repeats(q->session)->invariant[s->insn];
    case FACT_ACCESS_may_change_in_loop:
        return q->func->has_unknown || s->loop == NO_LOOP
                   ? UNKNOWN
                   : ptx_session_repeats(q->session)->may_change[s->insn];
    case FACT_ACCESS_neighbours:
        return q->func->has_unknown ? UNKNOWN
                                    : ptx_session_repeats(q->session)->neighbours[s->insn];
    case FACT_ACCESS_is_read_only:      return measure_read_only(q, s->insn);
    case FACT_ACCESS_array_loads:
        return q->func->has_unknown ? UNKNOWN : array_loads_of(q)[s->insn];
    case FACT_ACCESS_block_sectors: case FACT_ACCESS_block_distinct:
        return ptx_measure_block_use(q, s, (FactId)fact);
    case FACT_ACCESS_address_alignment:
    case FACT_ACCESS_pattern:
    case FACT_ACCESS_stride:
    case FACT_ACCESS_active_lanes:
    case FACT_ACCESS_sectors:
    case FACT_ACCESS_least_sectors:
    case FACT_ACCESS_least_wavefronts:
    case FACT_ACCESS_least_addresses:
    case FACT_ACCESS_ideal_sectors:
    case FACT_ACCESS_wavefronts:
    case FACT_ACCESS_ideal_wavefronts:
    case FACT_ACCESS_addresses:
    case FACT_ACCESS_is_firm:
    case FACT_ACCESS_has_free_stride:
    case FACT_ACCESS_crosses_rows:
    case FACT_ACCESS_siblings:
    case FACT_ACCESS_used_together:
    case FACT_ACCESS_used_bytes:
    case FACT_ACCESS_efficiency:
    case FACT_ACCESS_cost_share:
    case FACT_ACCESS_pitch:
    case FACT_ACCESS_pitch_rows:
        return ptx_measure_traffic(q, s, fact, certainty);
    case FACT_ACCESS_misalignment: case FACT_ACCESS_alignment:
        return measure_alignment(q, s, fact, certainty);
    default:                            return measure_place(q, s, fact);
    }
}

/* ---- loops, blocks, branches ----------------------------------------------------------------- */

static Certainty trip_certainty(const Trip *trip)
{
    if (trip->is_exact)
        return CERTAINTY_EXACT;
    return trip->is_upper ? CERTAINTY_BOUND : CERTAINTY_ESTIMATE;
}

/* Each block counts in its innermost loop; then every loop in the one around it, which comes before
 * it. */
static double measure_loop_share(Inquiry *q, LoopId loop)
{
    const Loops *loops = q->loops;
    if (!q->loop_sums) {
        double *sums = ptx_arena_array(q->arena, double, loops->loop_count + 1);
        for (uint32_t r = 0; r < q->cfg->rpo_count; r++) {
            BlockId block = q->cfg->rpo[r];
            if (loops->loop_of[block] != NO_LOOP)
                sums[loops->loop_of[block]] += weighted_block(q, block);
        }
        for (LoopId l = loops->loop_count; l-- > 0;)
            if (loops->loops[l].parent != NO_LOOP)
                sums[loops->loops[l].parent] += sums[l];
        q->loop_sums = sums;
    }
    return 100 * q->loop_sums[loop] / weighted_instructions(q);
}

static bool may_store(const Op *op)
{
    bool is_control = op->kind == OPK_BRA || op->kind == OPK_BRX || op->kind == OPK_RET
                      || op->kind == OPK_EXIT;
    return op->flags & OPF_SIDE_EFFECT && !is_control;
}

static bool has_stores(Inquiry *q, LoopId loop)
{
    const Loops *loops = q->loops;
    if (!q->loop_stores) {
        bool *stores = ptx_arena_array(q->arena, bool, loops->loop_count + 1);
        for (InsnId i = 0; i < q->func->insn_count; i++) {
            LoopId at = loops->loop_of[q->cfg->block_of[i]];
            if (at != NO_LOOP && may_store(q->func->insns[i].op))
                stores[at] = true;
        }
        for (LoopId l = loops->loop_count; l-- > 0;)
            if (stores[l] && loops->loops[l].parent != NO_LOOP)
                stores[loops->loops[l].parent] = true;
        q->loop_stores = stores;
    }
    return q->loop_stores[loop];
}

static double measure_loop(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Loop *loop = s->loop == NO_LOOP ? NULL : &q->loops->loops[s->loop];
    const Trip *trip;
    if (fact == FACT_LOOP_depth)
        return loop ? loop->depth : 0;
    if (!loop)
        return UNKNOWN;
    switch (fact) {
    case FACT_LOOP_instructions:    return ptx_session_mixes(q->session)->loops[s->loop].insn_count;
    case FACT_LOOP_is_innermost:    return loop->is_innermost;
    case FACT_LOOP_share:           return measure_loop_share(q, s->loop);
    case FACT_LOOP_has_stores:      return has_stores(q, s->loop);
    case FACT_LOOP_ilp:
    case FACT_LOOP_path_clocks:
    case FACT_LOOP_carried_clocks:
    case FACT_LOOP_carried_loads:
    case FACT_LOOP_loads:
    case FACT_LOOP_load_path:
    case FACT_LOOP_loads_at_once:
        return ptx_measure_parallelism(q, s->loop, fact);
    case FACT_LOOP_busiest_warp: case FACT_LOOP_executed_share:
        return ptx_measure_loop_balance(q, s->loop, fact);
    case FACT_LOOP_overhead:
        return ptx_session_loop_overhead(q->session)[s->loop];
    case FACT_LOOP_trips:
        trip = &ptx_session_trips(q->session)->trips[s->loop];
        *certainty = trip_certainty(trip);
        return trip->count;
    default:                        return UNKNOWN;
    }
}

/* To a compiler inline assembly is no end of the function, whatever is in it, so code follows its
 * exit and trap. */
static bool is_behind_end(const Func *func, const Block *block)
{
    if (block->first == 0)
        return false;
    OpKind kind = (OpKind)func->insns[block->first - 1].op->kind;
    return kind == OPK_EXIT || kind == OPK_TRAP || kind == OPK_CALL;
}

static bool is_stub(const Func *func, const Block *block)
{
    for (InsnId i = block->first; i < block->end; i++) {
        OpKind kind = (OpKind)func->insns[i].op->kind;
        if (kind != OPK_BRA && kind != OPK_RET && kind != OPK_EXIT && kind != OPK_TRAP)
            return false;
    }
    return true;
}

static double measure_block(Inquiry *q, const Subjects *s, FactId fact)
{
    const Cfg *cfg = q->cfg;
    const Block *block = &cfg->blocks[s->block];
    switch (fact) {
    case FACT_BLOCK_instructions:   return block->end - block->first;
    case FACT_BLOCK_is_reachable:
        return cfg->has_unknown_target || q->func->has_unknown
                   ? UNKNOWN
                   : ptx_block_is_reachable(cfg, s->block);
    case FACT_BLOCK_is_stub:        return is_stub(q->func, block) || is_behind_end(q->func, block);
    default:                        return UNKNOWN;
    }
}

/* One of the ways leaves the innermost loop around it, or leads to its header. */
static bool is_loop_exit(Inquiry *q, const Subjects *s)
{
    const Cfg *cfg = q->cfg;
    const Loops *loops = q->loops;
    const Block *block = &cfg->blocks[s->block];
    for (uint32_t e = 0; e < block->succ_count && s->loop != NO_LOOP; e++) {
        BlockId to = cfg->succs[block->succ_first + e];
        if (to == EXIT_BLOCK || to == loops->loops[s->loop].header)
            return true;
        LoopId at = loops->loop_of[to];
        while (at != NO_LOOP && loops->loops[at].depth > loops->loops[s->loop].depth)
            at = loops->loops[at].parent;
        if (at != s->loop)
            return true;
    }
    return false;
}

static double measure_condition(Inquiry *q, BlockId block, FactId fact, Certainty *certainty)
{
    const Affine *condition = &ptx_session_uniforms(q->session)->branches[block];
    bool is_known = condition->uniformity && condition->uniformity != UNIFORMITY_UNKNOWN;
    *certainty = condition->is_assumed ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
    if (fact == FACT_BRANCH_condition)
        return is_known ? condition->uniformity : UNKNOWN;
    return is_known ? !ptx_affine_is_uniform(*condition) : UNKNOWN;
}

static double measure_branch(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    switch (fact) {
    case FACT_BRANCH_splits_warp:
        if (q->func->has_unknown)
            return UNKNOWN;
        *certainty = CERTAINTY_EXACT;
        if (!ptx_session_lane_branches(q->session)[s->block])
            return 0;
        *certainty = split_certainty(q);
        return ptx_session_splits(q->session)->splits[s->block];
    case FACT_BRANCH_condition: case FACT_BRANCH_may_split:
        return measure_condition(q, s->block, fact, certainty);
    case FACT_BRANCH_parted: case FACT_BRANCH_wasted:
        return ptx_measure_parted(q, s, fact, certainty);
    case FACT_BRANCH_is_loop_exit:  return is_loop_exit(q, s);
    default:                        return UNKNOWN;
    }
}

/* ---- kernels, parameters, variables, the module ---------------------------------------------- */

static double required_cluster(const Bounds *bounds)
{
    const uint32_t *shape = bounds->reqnctapercluster;
    if (!shape[0])
        return UNKNOWN;
    return (double)shape[0] * ptx_u32_max(shape[1], 1) * ptx_u32_max(shape[2], 1);
}

static double live_registers(Inquiry *q)
{
    const Live *live = ptx_session_live(q->session);
    return live ? live->max_pressure : UNKNOWN;
}

static double measure_kernel(Inquiry *q, FactId fact, Certainty *certainty)
{
    const Func *func = q->func;
    const CallNode *calls = ptx_session_calls(q->session);
    switch (fact) {
    case FACT_KERNEL_is_entry:              return func->is_entry;
    case FACT_KERNEL_is_called:
        return q->shared->has_broken_func
                   ? UNKNOWN
                   : calls->is_called || calls->is_address_taken || func->linkage != LINKAGE_NONE;
    case FACT_KERNEL_is_recursive:          return calls->is_recursive;
    case FACT_KERNEL_has_calls:             return func->has_calls;
    case FACT_KERNEL_instructions:          return func->insn_count;
    case FACT_KERNEL_weighted_instructions: return q->cfg ? weighted_instructions(q) : UNKNOWN;
    case FACT_KERNEL_loops:                 return q->cfg ? q->loops->loop_count : 0;
    case FACT_KERNEL_matrix_faults:         return ptx_measure_matrix_faults(q);
    case FACT_KERNEL_races: case FACT_KERNEL_redundant_barriers:
        return ptx_measure_hazards(q, fact);
    case FACT_KERNEL_has_launch_bounds:
        return func->bounds.maxntid[0] || func->bounds.reqntid[0] || func->bounds.maxnreg;
    case FACT_KERNEL_has_repeated_bound:    return func->bounds.is_repeated;
    case FACT_KERNEL_required_cluster:      return required_cluster(&func->bounds);
    case FACT_KERNEL_live_registers:        return live_registers(q);
    case FACT_KERNEL_registers_low:
    case FACT_KERNEL_best_occupancy:
    case FACT_KERNEL_best_block:
    case FACT_KERNEL_predicted_us:
    case FACT_KERNEL_time_limiter:
    case FACT_KERNEL_busy:
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
    case FACT_KERNEL_global_use: case FACT_KERNEL_shared_use: case FACT_KERNEL_latency_gain:
    case FACT_KERNEL_pipe_use:
    case FACT_KERNEL_active_lanes:
    case FACT_KERNEL_bytes_in_flight:
    case FACT_KERNEL_bytes_needed:
        return ptx_measure_time(q, fact, certainty);
    default:                                return ptx_measure_launch(q, fact, certainty);
    }
}

static const bool *named_params_of(Inquiry *q)
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

static double measure_parameter(Inquiry *q, const Subjects *s, FactId fact)
{
    const Var *var = &q->shared->module->vars[s->var];
    switch (fact) {
    case FACT_PARAMETER_bytes:      return (double)var->bytes;
    case FACT_PARAMETER_is_used:
        return q->func->has_unknown ? UNKNOWN : named_params_of(q)[s->var - q->func->params[0]];
    default:                        return UNKNOWN;
    }
}

static double measure_variable(Inquiry *q, const Subjects *s, FactId fact)
{
    ModuleInquiry *shared = q->shared;
    const Var *var = &shared->module->vars[s->var];
    switch (fact) {
    case FACT_VARIABLE_space:       return word(var->space);
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

static double measure_module(const Module *module, FactId fact)
{
    switch (fact) {
    case FACT_MODULE_version:
        return module->version ? module->version / 10.0 : UNKNOWN;
    case FACT_MODULE_target:                return word(module->target.sm);
    case FACT_MODULE_is_target_specific:    return module->target.suffix != 0;
    case FACT_MODULE_is_debug:              return module->is_debug;
    case FACT_MODULE_address_size:
        return module->has_address_size ? module->address_size : UNKNOWN;
    default:                                return UNKNOWN;
    }
}

const InsnId *ptx_measure_list(Inquiry *q, uint32_t fact, uint32_t *count)
{
    *count = 0;
    return fact == FACT_INSN_is_dead && !q->func->has_unknown ? find_dead(q, count) : NULL;
}

bool ptx_measure_is_never_false(const Inquiry *q, uint32_t fact)
{
    if (fact != FACT_REGISTER_is_written)
        return false;
    for (RegId reg = 0; reg < q->func->reg_count && !q->func->has_unknown; reg++)
        if (!is_written(&q->func->regs[reg]))
            return false;
    return true;
}

/* ---- the dictionary -------------------------------------------------------------------------- */

double ptx_measure(Inquiry *q, const Subjects *s, uint32_t fact, Certainty *certainty)
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
    case SCOPE_KERNEL:      value = measure_kernel(q, (FactId)fact, &own);              break;
    case SCOPE_VARIABLE:    value = measure_variable(q, s, (FactId)fact);               break;
    case SCOPE_PARAMETER:   value = measure_parameter(q, s, (FactId)fact);              break;
    case SCOPE_REGISTER:    value = measure_register(q, s, (FactId)fact);               break;
    case SCOPE_BLOCK:       value = measure_block(q, s, (FactId)fact);                  break;
    case SCOPE_LOOP:        value = measure_loop(q, s, (FactId)fact, &own);             break;
    case SCOPE_BRANCH:      value = measure_branch(q, s, (FactId)fact, &own);           break;
    case SCOPE_INSN:        value = measure_insn(q, s, (FactId)fact, &own);             break;
    case SCOPE_ACCESS:      value = measure_access(q, s, (FactId)fact, &own);                 break;
    default:                break;
    }
    if (own > *certainty)
        *certainty = own;
    return value;
}

static const char *span_text(const Inquiry *q, Span span, size_t *length)
{
    *length = ptx_span_length(span);
    return q->shared->module->text + span.begin;
}

static const char *fixed_text(const char *text, size_t *length)
{
    *length = text ? strlen(text) : 0;
    return text ? text : "";
}

static const char *target_text(Inquiry *q, size_t *length)
{
    Target target = q->shared->module->target;
    char text[16];
    int count = snprintf(text, sizeof text, "sm_%u%.1s", (unsigned)target.sm,
                         target.suffix ? &target.suffix : "");
    *length = (size_t)count;
    return ptx_arena_strndup(q->arena, text, (size_t)count);
}

static const LabelId *labels_of(Inquiry *q)
{
    const Func *func = q->func;
    if (q->label_before)
        return q->label_before;
    LabelId *before = ptx_arena_array(q->arena, LabelId, func->insn_count + 1);
    for (LabelId l = func->label_count; l-- > 0;)
        if (func->labels[l].insn <= func->insn_count)
            before[func->labels[l].insn] = l + 1;
    return q->label_before = before;
}

static const char *label_text(Inquiry *q, LoopId loop, size_t *length)
{
    InsnId first = loop == NO_LOOP ? q->func->insn_count
                                   : q->cfg->blocks[q->loops->loops[loop].header].first;
    LabelId label = loop == NO_LOOP ? 0 : labels_of(q)[first];
    return label ? span_text(q, q->func->labels[label - 1].name, length) : fixed_text("", length);
}

/* Why an access goes to local memory: what of its address the compiler could not resolve. */
static const char *local_cause(Inquiry *q, const Subjects *s)
{
    PointsTo base;
    if (!base_of(q, s, &base) || base.kind != BASE_VAR)
        return "its address is not that of one variable";
    if (!base.has_offset)
        return "it is indexed by a value that is known at run time only";
    return "other accesses to the same array are indexed at run time, or its address is taken";
}

/* Of an assumed block nothing is said. */
static const char *launch_error(Inquiry *q)
{
    bool is_known = q->shared->gpu && !ptx_session_shape(q->session)->is_block_assumed;
    return is_known ? ptx_launch_error_text[ptx_session_residency(q->session, 0)->occupancy.error]
                    : NULL;
}

const char *ptx_measure_text(Inquiry *q, const Subjects *s, uint32_t fact, size_t *length)
{
    const Module *module = q->shared->module;
    PointsTo base;
    switch (fact) {
    case FACT_MODULE_target_name:   return target_text(q, length);
    case FACT_KERNEL_name:          return span_text(q, q->func->name, length);
    case FACT_KERNEL_launch_error:  return fixed_text(launch_error(q), length);
    case FACT_KERNEL_time_advice:   return fixed_text(ptx_measure_time_advice(q), length);
    case FACT_KERNEL_atomic_advice: return fixed_text(ptx_measure_atomic_advice(q), length);
    case FACT_VARIABLE_name: case FACT_PARAMETER_name:
        return span_text(q, module->vars[s->var].name, length);
    case FACT_REGISTER_name:        return span_text(q, q->func->regs[s->reg].name, length);
    case FACT_LOOP_label:           return label_text(q, s->loop, length);
    case FACT_INSN_op:
        *length = q->func->insns[s->insn].op->length;
        return q->func->insns[s->insn].op->text;
    case FACT_ACCESS_variable: case FACT_ACCESS_parameter:
        if (base_of(q, s, &base)
            && base.kind == (fact == FACT_ACCESS_variable ? BASE_VAR : BASE_PARAM))
            return span_text(q, module->vars[base.id].name, length);
        return fixed_text("", length);
    case FACT_INSN_race_witness:
        return fixed_text(ptx_measure_hazard(q, s->insn) ? ptx_hazard_describe(
                              q->arena, module, q->func, ptx_measure_hazard(q, s->insn))
                                                         : "",
                          length);
    case FACT_INSN_barrier_witness:
        return fixed_text(ptx_measure_divergence_text(q, s->insn), length);
    case FACT_INSN_block_race_witness:
        return fixed_text(ptx_session_block_race(q->session) ? ptx_block_race_describe(
                              q->arena, module, ptx_session_block_race(q->session))
                                                             : "",
                          length);
    case FACT_INSN_race_advice:
        return fixed_text(ptx_measure_hazard(q, s->insn)
                              ? ptx_hazard_advise(q->arena, ptx_measure_hazard(q, s->insn),
                                                  ptx_session_launch(q->session) != NULL)
                              : "",
                          length);
    case FACT_INSN_matrix_fault: case FACT_INSN_matrix_advice:
        return fixed_text(ptx_measure_matrix_text(q, s->insn, fact), length);
    case FACT_ACCESS_local_cause:   return fixed_text(local_cause(q, s), length);
    case FACT_ACCESS_layout:
    case FACT_ACCESS_advice:
    case FACT_ACCESS_bank_advice:
    case FACT_ACCESS_vector_advice:
    case FACT_ACCESS_pitch_name:
        return fixed_text(ptx_measure_layout(q, s, fact), length);
    default:                        return fixed_text("", length);
    }
}

static InsnId find_place(Inquiry *q, const Subjects *s, uint32_t fact)
{
    BlockId by;
    switch (fact) {
    case FACT_INSN_fused_with:      return ptx_session_fused(q->session)[s->insn];
    case FACT_INSN_earlier_barrier: return ptx_session_repeats(q->session)->barrier[s->insn];
    case FACT_ACCESS_earlier:       return ptx_session_repeats(q->session)->earlier[s->insn];
    case FACT_INSN_matrix_with:     return ptx_measure_matrix_with(q, s->insn);
    case FACT_INSN_split_at:
        by = ptx_session_splits(q->session)->by[s->block];
        return by == NO_ID ? NO_ID : q->cfg->blocks[by].end - 1;
    default:                        return NO_ID;
    }
}

/* Those that make lanes differ. */
static unsigned find_chain(Inquiry *q, InsnId insn, RelatedPlace places[MAX_PLACES])
{
    Link links[MAX_CHAIN];
    unsigned found = ptx_critical_path_find(ptx_session_uniforms(q->session), q->func, insn, links),
             count = 0;
    for (unsigned i = 0; i < found && count < MAX_PLACES; i++)
        if (!ptx_affine_is_uniform(links[i].value))
            places[count++] = (RelatedPlace){ q->func->insns[links[i].insn].span,
                                              ptx_affine_describe(q->arena, &links[i].value) };
    return count;
}

unsigned ptx_measure_places(Inquiry *q, const Subjects *s, uint32_t fact,
                            RelatedPlace places[MAX_PLACES])
{
    if (fact == FACT_ACCESS_chain || fact == FACT_BRANCH_chain)
        return find_chain(q, s->insn, places);
    if (fact == FACT_INSN_race_with || fact == FACT_INSN_race_at
        || fact == FACT_INSN_block_race_with || fact == FACT_INSN_block_race_at
        || fact == FACT_INSN_divergent_at)
        return ptx_measure_race_places(q, s->insn, (FactId)fact, places);
    InsnId insn = find_place(q, s, fact);
    if (insn != NO_ID)
        places[0] = (RelatedPlace){ q->func->insns[insn].span, NULL };
    return insn != NO_ID;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Where an instruction says a name, from `from` on; all of the instruction where it does not. */
static Span find_name(const Module *module, Span within, uint32_t from, Span name)
{
    const char *text = module->text, *wanted = text + name.begin;
    uint32_t length = ptx_span_length(name);
    for (uint32_t at = from; at + length <= within.end; at++) {
        if (text[at] == *wanted && !memcmp(text + at, wanted, length)
            && !ptx_is_name_byte(text[at + length])
            && (at == within.begin || !ptx_is_name_byte(text[at - 1])))
            return (Span){ at, at + length };
    }
    return within;
}

/* From the last name found in the same instruction first: a call may have tens of thousands. */
static Span register_span(Inquiry *q, RegId reg)
{
    const Span name = q->func->regs[reg].name;
    InsnId first = first_reads_of(q)[reg];
    if (first == NO_ID)
        return name;
    const Span within = q->func->insns[first].span;
    uint32_t from = q->name_end > within.begin && q->name_end < within.end ? q->name_end
                                                                           : within.begin;
    Span found = find_name(q->shared->module, within, from, name);
    if (found.begin < from)
        found = find_name(q->shared->module, within, within.begin, name);
    q->name_end = found.end;
    return found;
}

Span ptx_subject_span(Inquiry *q, Subject subject, const Subjects *s)
{
    const Module *module = q->shared->module;
    const Cfg *cfg = q->func ? q->cfg : NULL;
    switch (subject) {
    case SUBJECT_MODULE:        return module->target_span;
    case SUBJECT_VARIABLE: case SUBJECT_PARAMETER:
        return module->vars[s->var].name;
    case SUBJECT_KERNEL:        return q->func->name;
    case SUBJECT_REGISTER:      return register_span(q, s->reg);
    case SUBJECT_BLOCK:         return q->func->insns[cfg->blocks[s->block].first].span;
    case SUBJECT_LOOP:
        return q->func->insns[cfg->blocks[q->loops->loops[s->loop].header].first].span;
    case SUBJECT_BRANCH: case SUBJECT_INSTRUCTION: case SUBJECT_ACCESS:
        return q->func->insns[s->insn].span;
    default:                    return (Span){ 0, 0 };
    }
}
