/* Facts that rest on an evaluation of the kernel's warps: what accesses cost, and what branches
 * that part warps do. */
#include "gpu/occupancy.h"
#include "analysis/value/pitch.h"
#include "rules/facts/measure.h"
#include "analysis/access/describe.h"
#include "support/minmax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN ((double)NAN)

enum { SECTOR = 32, WARP = 32 };

static const Evaluation *evaluation_of(Inquiry *q)
{
    return ptx_session_evaluation(q->session, BUDGET_FINDINGS);
}

/* ---- the accesses around one ----------------------------------------------------------------- */

static const Operand *address_of(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS)
            return operands[o].kind == OPERAND_REG ? &operands[o] : NULL;
    return NULL;
}

static bool writes(const Func *func, const Insn *insn, RegId reg)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF && operands[o].id == reg)
            return true;
    return false;
}

typedef struct Siblings {
    uint32_t count;
    int64_t stride;
    uint64_t used[64];          /* bytes of one period that some lane uses, as bits */
} Siblings;

enum {
    MAX_PERIOD = 64 * 64,
    NEAR = 2048,                /* instructions before and behind an access that are looked at */
};

static void add_sibling(Siblings *s, int64_t offset, int64_t own, uint32_t bytes)
{
    s->count += offset > own - SECTOR && offset < own + SECTOR;
    for (uint32_t b = 0; b < bytes && s->stride; b++) {
        int64_t at = (offset + (int64_t)b) % s->stride;
        at += at < 0 ? s->stride : 0;
        s->used[at / 64] |= UINT64_C(1) << (at % 64);
    }
}

/* Registers that one instruction alone writes. */
static const uint8_t *written_of(Inquiry *q)
{
    if (q->written)
        return q->written;
    uint8_t *written = ptx_arena_array(q->arena, uint8_t, q->func->reg_count + 1);
    for (uint32_t o = 0; o < q->func->operand_count; o++) {
        const Operand *operand = &q->func->operands[o];
        if (operand->kind == OPERAND_REG && operand->role & ROLE_DEF && written[operand->id] < 2)
            written[operand->id]++;
    }
    return q->written = written;
}

/* As long as nothing writes the base register: of the basic block, or of what stands near where one
 * instruction alone writes it. */
static void find_siblings(Inquiry *q, const Subjects *subject, const Operand *address, Siblings *s)
{
    const Func *func = q->func;
    const Insn *own = &func->insns[subject->insn];
    const Block *block = &q->cfg->blocks[subject->block];
    bool is_single = written_of(q)[address->id] == 1;
    InsnId first = block->first, end = block->end;
    if (is_single) {
        first = subject->insn > NEAR ? subject->insn - NEAR : 0;
        end = func->insn_count - subject->insn > NEAR ? subject->insn + NEAR : func->insn_count;
    }
    for (int step = -1; step <= 1; step += 2) {
        for (InsnId i = step < 0 ? subject->insn - 1 : subject->insn; i >= first && i < end;
             i += (InsnId)step) {
            const Insn *insn = &func->insns[i];
            if (step < 0 && !is_single && writes(func, insn, address->id))
                break;
            bool is_like = own->op->kind == insn->op->kind || insn->op->kind == OPK_LD
                           || insn->op->kind == OPK_ST;
            const Operand *other = is_like && insn->access_bytes ? address_of(func, insn) : NULL;
            if (other && other->id == address->id)
                add_sibling(s, other->value, address->value, insn->access_bytes);
            if (step > 0 && !is_single && writes(func, insn, address->id))
                break;
        }
    }
}

/* Whole sectors that hold a byte in use: where the period is no multiple of a sector, lanes lie at
 * all offsets, and all of it is moved. */
static double share_in_use(const Siblings *s)
{
    unsigned used = 0, moved = 0;
    for (int64_t sector = 0; sector < s->stride; sector += SECTOR) {
        unsigned here = 0;
        for (int64_t b = sector; b < sector + SECTOR && b < s->stride; b++)
            here += s->used[b / 64] >> (b % 64) & 1;
        used += here;
        if (here || s->stride % SECTOR)
            moved += (unsigned)ptx_i64_min(s->stride - sector, SECTOR);
    }
    return moved ? 100.0 * used / moved : UNKNOWN;
}

static double measure_siblings(Inquiry *q, const Subjects *subject, FactId fact, const Count *total)
{
    const Operand *address = address_of(q->func, &q->func->insns[subject->insn]);
    int64_t stride = total ? total->stride : 0;
    Siblings s = { .stride = stride < 0 ? -stride : stride };
    if (fact == FACT_ACCESS_used_together
        && (!total || total->is_free || s.stride == 0 || s.stride > MAX_PERIOD))
        return UNKNOWN;
    if (s.stride > MAX_PERIOD)
        s.stride = 0;
    if (!address)
        return fact == FACT_ACCESS_siblings ? 1 : UNKNOWN;
    find_siblings(q, subject, address, &s);
    return fact == FACT_ACCESS_siblings ? s.count : share_in_use(&s);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static const Evaluated *evaluated(Inquiry *q, InsnId insn)
{
    const Evaluation *evaluation = evaluation_of(q);
    const Evaluated *found = evaluation ? &evaluation->insns[insn] : NULL;
    return found && found->certainty != CERTAINTY_UNKNOWN && found->total.requests > 0 ? found
                                                                                       : NULL;
}

/* .maxntid says how many threads, and nothing of their shape where a kernel asks for more than
 * %tid.x. */
static bool is_block_known(const Func *func, const Evaluation *evaluation)
{
    return !evaluation->block_is_assumed
           || (func->bounds.maxntid[0] && (func->bounds.maxntid[1] > 1 || evaluation->is_row));
}

static bool crosses_rows(const Evaluation *evaluation, const Func *func, const Count *total)
{
    for (InsnId i = 0; total->free_by && i < func->insn_count; i++) {
        const Count *other = &evaluation->insns[i].total;
        bool is_row = (other->pattern == PATTERN_CONTIGUOUS || other->pattern == PATTERN_OFFSET)
                      && other->sectors > 0 && !other->is_free;
        if (is_row && other->rows_by & total->free_by)
            return true;
    }
    return false;
}

/* Of all that the launch takes of the same kind. */
static double cost_share(Inquiry *q, const Count *own)
{
    const Evaluation *evaluation = evaluation_of(q);
    double *all = q->access_sums;
    for (InsnId i = 0; !q->has_access_sums && i < q->func->insn_count; i++) {
        all[0] += evaluation->insns[i].total.sectors;
        all[1] += evaluation->insns[i].total.wavefronts;
    }
    q->has_access_sums = true;
    double sectors = own->sectors > 0 ? 100 * own->sectors / all[0] : 0;
    double wavefronts = own->wavefronts > 0 ? 100 * own->wavefronts / all[1] : 0;
    return fmax(sectors, wavefronts);
}

/* ---- rows of a length that is a parameter ---------------------------------------------------- */

static Pitch pitch_of(Inquiry *q, InsnId insn)
{
    return ptx_pitch_find(q->shared->scratch, q->shared->module, q->func,
                          ptx_session_defs(q->session), insn);
}

static double measure_pitch(Inquiry *q, InsnId insn, FactId fact)
{
    const Pitch pitch = pitch_of(q, insn);
    const Launch *launch = ptx_session_launch(q->session);
    if (pitch.param == NO_ID)
        return UNKNOWN;
    if (fact == FACT_ACCESS_pitch)
        return pitch.least;
    return launch && launch->block[0] && launch->block[0] < WARP ? launch->block[0] : WARP;
}

static const char *name_pitch(Inquiry *q, InsnId insn)
{
    const Pitch pitch = pitch_of(q, insn);
    const Module *module = q->shared->module;
    if (pitch.param == NO_ID)
        return "";
    Span name = module->vars[q->func->params[pitch.param]].name;
    size_t size = ptx_span_length(name) + sizeof "`` (param 4294967295)";
    char *text = ptx_arena_array(q->arena, char, size);
    snprintf(text, size, "`%.*s` (param %u)", (int)ptx_span_length(name), module->text + name.begin,
             (unsigned)pitch.param);
    return text;
}

/* Bytes of a lane in the request that ptxas makes of this access and its neighbours. */
static unsigned joined_bytes(Inquiry *q, const Subjects *s, const Count *total)
{
    return ptx_joinable_bytes(&q->func->insns[s->insn], total,
                              ptx_session_joinable(q->session)[s->insn]);
}

/* Requests cost more or less with the shape of the block: the best one counts where it is
 * not known. */
double ptx_measure_traffic(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    const Evaluated *insn = evaluated(q, s->insn);
    if (fact == FACT_ACCESS_siblings)
        return measure_siblings(q, s, fact, insn ? &insn->total : NULL);
    if (fact == FACT_ACCESS_pitch || fact == FACT_ACCESS_pitch_rows)
        return measure_pitch(q, s->insn, fact);
    if (!insn)
        return UNKNOWN;
    const Count *total = &insn->total;
    double lanes = total->active / total->requests,
           share = (total->sectors + total->wavefronts + total->addresses) / total->active;
    double best = insn->best_share < share ? insn->best_share / share : 1;
    bool is_global = total->sectors > 0, is_shared = total->wavefronts > 0;
    *certainty = insn->certainty;
    switch (fact) {
    case FACT_ACCESS_pattern:           return total->pattern ? (double)total->pattern : UNKNOWN;
    case FACT_ACCESS_stride:            return total->pattern ? (double)total->stride : UNKNOWN;
    case FACT_ACCESS_active_lanes:      return lanes;
    case FACT_ACCESS_sectors:
        return is_global ? total->sectors / total->requests : UNKNOWN;
    case FACT_ACCESS_least_sectors:
        return is_global ? best * total->sectors / total->requests : UNKNOWN;
    case FACT_ACCESS_ideal_sectors:
        return is_global ? total->ideal_sectors / total->requests : UNKNOWN;
    case FACT_ACCESS_wavefronts:
        return is_shared ? total->wavefronts / total->requests : UNKNOWN;
    case FACT_ACCESS_least_wavefronts:
        return is_shared ? best * total->wavefronts / total->requests
                               * q->func->insns[s->insn].access_bytes / joined_bytes(q, s, total)
                         : UNKNOWN;
    case FACT_ACCESS_ideal_wavefronts:
        return is_shared ? total->ideal_wavefronts / total->requests : UNKNOWN;
    case FACT_ACCESS_addresses:
        return total->addresses > 0 ? total->addresses / total->requests : UNKNOWN;
    case FACT_ACCESS_least_addresses:
        return total->addresses > 0 ? best * total->addresses / total->requests : UNKNOWN;
    case FACT_ACCESS_used_bytes:
        return is_global ? total->used_bytes / total->requests : UNKNOWN;
    case FACT_ACCESS_efficiency:
        if (is_global)
            return 100 * total->used_bytes / (SECTOR * total->sectors);
        return is_shared ? 100 * total->ideal_wavefronts / total->wavefronts : UNKNOWN;
    case FACT_ACCESS_has_free_stride:   return total->is_free;
    case FACT_ACCESS_crosses_rows:      return crosses_rows(evaluation_of(q), q->func, total);
    case FACT_ACCESS_address_alignment:
        return is_global || is_shared ? (double)((total->low_bits | 32u) & -(total->low_bits | 32u))
                                      : UNKNOWN;
    case FACT_ACCESS_is_firm:
        return total->doubt <= UNCERTAIN_PARAMETER && !total->is_free
               && is_block_known(q->func, evaluation_of(q));
    case FACT_ACCESS_cost_share:        return cost_share(q, total);
    case FACT_ACCESS_used_together:     return measure_siblings(q, s, fact, total);
    default:                            return UNKNOWN;
    }
}

/* ---- other layouts --------------------------------------------------------------------------- */

double ptx_measure_block_use(Inquiry *q, const Subjects *s, FactId fact)
{
    const Trace *trace = ptx_session_trace(q->session);
    const BlockUse use = trace ? ptx_trace_count(q->arena, trace, q->func, s->insn)
                               : (BlockUse){ 0 };
    if (!(use.requests > 0))
        return UNKNOWN;
    return fact == FACT_ACCESS_block_sectors ? use.warp_sectors : use.distinct_sectors;
}

/* That with the most lanes; NO_ID: none was executed. */
static InsnId busiest_atomic(Inquiry *q, const Evaluation *evaluation)
{
    InsnId busiest = NO_ID;
    for (InsnId i = 0; evaluation && i < q->func->insn_count; i++) {
        const Op *op = q->func->insns[i].op;
        bool is_global = (op->kind == OPK_ATOM || op->kind == OPK_RED)
                         && !ptx_space_is_shared((Space)op->space);
        const double lanes = is_global ? evaluation->insns[i].total.lanes : 0;
        if (lanes > (busiest == NO_ID ? 0 : evaluation->insns[busiest].total.lanes))
            busiest = i;
    }
    return busiest;
}

const char *ptx_measure_atomic_advice(Inquiry *q)
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
    const Trace *trace = ptx_session_trace(q->session);
    const InsnId atomic = busiest_atomic(q, evaluation_of(q));
    const double updates = trace && atomic != NO_ID
                               ? ptx_trace_updates_per_word(q->arena, trace, q->func, atomic)
                               : 0;
    const double warps = ceil(ptx_measure_block_threads(q) / WARP);
    if (updates > 0 && updates <= 1)
        return fewer;
    return updates > 0 && updates <= warps ? by_warp : by_lane;
}

enum { SHARED_WITHOUT_OPT_IN = 48 << 10 };

#define SAME_FIGURE 0.25

/* Bytes of shared memory that a block may take more without fewer blocks on an SM, and without a
 * launch that has to ask for them. */
static uint64_t room_of(Inquiry *q)
{
    const double threads = ptx_measure_block_threads(q);
    /* without a block no limit rests on registers */
    Resources resources = ptx_measure_shared(q);
    if (threads >= 0) {
        resources.threads_per_block = (int64_t)threads;
        resources.registers_per_thread = ptx_measure_whole_registers(q);
    }
    int64_t room = SHARED_WITHOUT_OPT_IN - resources.dynamic_shared_bytes
                   - (resources.static_shared_bytes > 0 ? resources.static_shared_bytes : 0);
    Occupancy fit;
    if (q->shared->gpu && ptx_occupancy_compute(q->shared->gpu, &resources, &fit)
        && fit.shared_free >= 0 && fit.shared_free < room)
        room = fit.shared_free;
    return room > 0 ? (uint64_t)room : 0;
}

/* Another layout that was found to cost less; general words where there is none. */
static const char *advise(Inquiry *q, InsnId insn, bool is_shared, const Count *total)
{
    const Trace *trace = is_shared || !total->is_free ? ptx_session_trace(q->session) : NULL;
    Proposal found = { .layout = { .kind = LAYOUT_SAME } };
    if (trace && is_shared)
        found = ptx_advise_shared(trace, q->func, insn, room_of(q));
    else if (trace)
        found = ptx_advise_global(q->arena, trace, q->func, insn, room_of(q));
    double cost = (is_shared ? total->wavefronts : total->sectors) / total->requests;
    if (!found.block[0] && !(fabs(found.before - cost) <= SAME_FIGURE * cost))
        /* the requests that were traced are not like those of the launch */
        found.layout.kind = LAYOUT_SAME;
    const char *text = ptx_proposal_describe(q->arena, q->shared->module, &found);
    if (text)
        return text;
    return is_shared ? "let the lanes of a warp take neighbouring words" : ptx_count_advise(total);
}

static const char *advise_wider(Inquiry *q, const Subjects *s)
{
    Certainty certainty = CERTAINTY_NONE;
    double count = ptx_measure(q, s, FACT_ACCESS_neighbours, &certainty);
    const Trace *trace = count >= 2 ? ptx_session_trace(q->session) : NULL;
    const Widening found = trace
                               ? ptx_advise_wider(trace, q->func, s->insn, (uint32_t)count)
                               : (Widening){ 0 };
    const Evaluation *evaluation = evaluation_of(q);
    const bool is_assumed =
        evaluation && evaluation->insns[s->insn].total.doubt == UNCERTAIN_PARAMETER;
    const char *text = ptx_widening_describe(q->arena, &found, (uint32_t)count,
                                             q->func->insns[s->insn].access_bytes,
                                             is_assumed ? evaluation : NULL);
    return text ? text
                : "a vector access (float2, float4, int4) where the address is a multiple of its "
                  "width";
}

/* Each thread has a run of its own, and takes all of it, piece by piece: wider accesses move the
 * same in fewer requests. */
static bool is_run(Inquiry *q, const Subjects *s, const Count *total)
{
    Certainty certainty = CERTAINTY_NONE;
    double neighbours = ptx_measure(q, s, FACT_ACCESS_neighbours, &certainty),
           multiple = ptx_measure_traffic(q, s, FACT_ACCESS_address_alignment, &certainty);
    uint32_t bytes = q->func->insns[s->insn].access_bytes;
    return neighbours >= 2 && bytes < 16 && multiple >= 2 * bytes
           && measure_siblings(q, s, FACT_ACCESS_used_together, total) >= 75;
}

/* Of a request that ptxas makes of several: its lanes are as far apart as theirs, so it takes as
 * many wavefronts as one of them, or as its bytes need. */
static const char *describe_joined(Inquiry *q, const Count *total, uint32_t bytes, unsigned joined)
{
    char text[128];
    double ideal = total->ideal_wavefronts / total->requests * joined / bytes,
           wavefronts = fmax(total->wavefronts / total->requests, ideal);
    if (joined <= bytes || !(total->wavefronts > 0))
        return "";
    snprintf(text, sizeof text,
             "; ptxas joins it with its neighbours to %u bytes: %.4g where %.4g would do", joined,
             wavefronts, ideal);
    return ptx_arena_strndup(q->arena, text, strlen(text));
}

/* How lanes lie, what ptxas makes of it, and what other shapes of the block would. */
static const char *describe(Inquiry *q, const Subjects *s, const Evaluated *insn, uint32_t bytes)
{
    const char *joined = describe_joined(q, &insn->total, bytes, joined_bytes(q, s, &insn->total));
    const char *lanes = ptx_count_describe(q->arena, &insn->total, bytes),
               *shapes = ptx_shapes_describe(q->arena, evaluation_of(q), insn);
    if (!*lanes)
        lanes = "lanes follow no pattern";
    if (!*shapes && !*joined)
        return lanes;
    size_t length = strlen(lanes) + strlen(joined) + strlen(shapes) + sizeof "; ";
    char *text = ptx_arena_array(q->arena, char, length);
    snprintf(text, length, "%s%s%s%s", lanes, joined, *shapes ? "; " : "", shapes);
    return text;
}

const char *ptx_measure_layout(Inquiry *q, const Subjects *s, FactId fact)
{
    const Evaluated *insn = evaluated(q, s->insn);
    uint32_t bytes = q->func->insns[s->insn].access_bytes;
    if (fact == FACT_ACCESS_vector_advice)
        return advise_wider(q, s);
    if (fact == FACT_ACCESS_pitch_name)
        return name_pitch(q, s->insn);
    if (!insn)
        return "";
    switch (fact) {
    case FACT_ACCESS_layout:    return describe(q, s, insn, bytes);
    case FACT_ACCESS_advice:
        if (is_run(q, s, &insn->total))
            return advise_wider(q, s);
        return advise(q, s->insn, false, &insn->total);
    default:                    return advise(q, s->insn, true, &insn->total);
    }
}

/* ---- branches -------------------------------------------------------------------------------- */

double ptx_measure_parted(Inquiry *q, const Subjects *s, FactId fact, Certainty *certainty)
{
    DivergenceCosts *costs = ptx_session_parted(q->session);
    if (!costs)
        return UNKNOWN;
    DivergenceCost cost = ptx_divergence_measure(costs, s->block);
    *certainty = fact == FACT_BRANCH_parted ? cost.certainty : CERTAINTY_ESTIMATE;
    return fact == FACT_BRANCH_parted ? cost.percent : cost.wasted_percent;
}
