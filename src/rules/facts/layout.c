/* How the lanes of an access lie, and other layouts, blocks and widths that would cost less. */
#include "rules/facts/facts.h"

#include "analysis/access/describe.h"
#include "gpu/occupancy.h"
#include "ir/func.h"
#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"
#include "rules/lang/rule.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_WITHOUT_OPT_IN = 48 << 10 };

#define SAME_FIGURE 0.25

/* Bytes of shared memory that a block may take more without fewer blocks on an SM, and without a
 * launch that has to ask for them. */
static uint64_t room_of(FactCache *q)
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
static const char *advise(FactCache *q, InsnId insn, bool is_shared, const Count *total)
{
    const bool may_move = (is_shared || !total->is_free)
                          && ptx_session_may_lay_out(q->session, insn, is_shared);
    const Trace *trace = may_move ? ptx_session_trace(q->session) : NULL;
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

static const char *advise_wider(FactCache *q, const Subjects *s)
{
    Certainty certainty = CERTAINTY_NONE;
    double count = ptx_measure(q, s, FACT_ACCESS_neighbours, &certainty);
    const Trace *trace = count >= 2 ? ptx_session_trace(q->session) : NULL;
    const Widening found = trace
                               ? ptx_advise_wider(trace, q->func, s->insn, (uint32_t)count)
                               : (Widening){ 0 };
    const Evaluation *evaluation = ptx_measure_in_shapes(q);
    const bool is_assumed =
        evaluation && evaluation->insns[s->insn].total->doubt == UNCERTAIN_PARAMETER;
    const char *text = ptx_widening_describe(q->arena, &found, (uint32_t)count,
                                             q->func->insns[s->insn].access_bytes,
                                             is_assumed ? evaluation : NULL);
    return text ? text
                : "a vector access (float2, float4, int4) where the address is a multiple of its "
                  "width";
}

/* Each thread has a run of its own, and takes all of it, piece by piece: wider accesses move the
 * same in fewer requests. */
static bool is_run(FactCache *q, const Subjects *s, const Count *total)
{
    Certainty certainty = CERTAINTY_NONE;
    double neighbours = ptx_measure(q, s, FACT_ACCESS_neighbours, &certainty),
           multiple = ptx_measure_traffic(q, s, FACT_ACCESS_address_alignment, &certainty);
    uint32_t bytes = q->func->insns[s->insn].access_bytes;
    return neighbours >= 2 && bytes < 16 && multiple >= 2 * bytes
           && ptx_measure_siblings(q, s, FACT_ACCESS_used_together, total) >= 75;
}

/* Of a request that ptxas makes of several: its lanes are as far apart as theirs, so it takes as
 * many wavefronts as one of them, or as its bytes need. */
static const char *describe_joined(FactCache *q, const Count *total, uint32_t bytes,
                                   unsigned joined)
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

/* Of a copy where it reads; one that reads no more than it must costs by what it writes. */
static const char *describe_lanes(FactCache *q, const Insn *insn, const Count *total)
{
    if (insn->op->kind == OPK_CP_ASYNC && total->sectors <= total->ideal_sectors)
        return "lanes write to the same banks";
    const char *lanes = ptx_count_describe(q->arena, total, insn->access_bytes);
    return *lanes ? lanes : "lanes follow no pattern";
}

/* How lanes lie, what ptxas makes of it, and what other shapes of the block would. */
static const char *describe_layout(FactCache *q, const Subjects *s, const Evaluated *insn,
                                   uint32_t bytes)
{
    const Evaluation *in_shapes = ptx_measure_in_shapes(q);
    const char *joined = describe_joined(q, insn->total, bytes,
                                         ptx_measure_joined_bytes(q, s, insn->total));
    const char *lanes = describe_lanes(q, &q->func->insns[s->insn], insn->total),
               *shapes = ptx_shapes_describe(q->arena, in_shapes, &in_shapes->insns[s->insn]);
    if (!*shapes && !*joined)
        return lanes;
    size_t length = strlen(lanes) + strlen(joined) + strlen(shapes) + sizeof "; ";
    char *text = ptx_arena_array(q->arena, char, length);
    snprintf(text, length, "%s%s%s%s", lanes, joined, *shapes ? "; " : "", shapes);
    return text;
}

const char *ptx_measure_layout(FactCache *q, const Subjects *s, FactId fact)
{
    const Evaluated *insn = ptx_measure_evaluated(q, s->insn);
    uint32_t bytes = q->func->insns[s->insn].access_bytes;
    if (fact == FACT_ACCESS_vector_advice)
        return advise_wider(q, s);
    if (fact == FACT_ACCESS_pitch_name)
        return ptx_measure_pitch_name(q, s->insn);
    if (!insn)
        return "";
    switch (fact) {
    case FACT_ACCESS_layout:    return describe_layout(q, s, insn, bytes);
    case FACT_ACCESS_advice:
        if (is_run(q, s, insn->total))
            return advise_wider(q, s);
        return advise(q, s->insn, false, insn->total);
    default:                    return advise(q, s->insn, true, insn->total);
    }
}
