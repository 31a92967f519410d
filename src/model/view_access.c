/* view_access.c -- what a kernel's instructions do to memory and to the lanes of warps, in the
 * public structures. */
#include "model/view.h"
#include "analysis/time/memory/indexed.h"
#include "analysis/value/launch.h"
#include "analysis/access/describe.h"
#include "analysis/access/divergence.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"
#include "ptxlint/ptxlint.h"
#include "support/diag.h"
#include "analysis/flow/cfg.h"
#include "analysis/sim/guess.h"
#include "session/residency.h"
#include "session/session.h"
#include "analysis/flow/dom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 512, SECTOR_BYTES = 32 };

#define ROUNDING 1e-9           /* of sums */

static const char *operation(const Op *op)
{
    switch ((OpKind)op->kind) {
    case OPK_ATOM:                      return "atomic";
    case OPK_RED:                       return "reduce";
    case OPK_CP_ASYNC:                  return "async-copy";
    case OPK_ST: case OPK_STMATRIX:     return "store";
    case OPK_LD: case OPK_LDMATRIX:     return "load";
    default:                            break;
    }
    if (op->flags & OPF_STORE)
        return "store";
    return (op->flags & OPF_LOAD) ? "load" : NULL;
}

static const char *space_name(Space space)
{
    switch (space) {
    case SPACE_SHARED: case SPACE_SHARED_CTA: case SPACE_SHARED_CLUSTER:    return "shared";
    case SPACE_PARAM: case SPACE_PARAM_ENTRY: case SPACE_PARAM_FUNC:        return "param";
    default:
        return ptx_space_text[space];
    }
}

static ptxlint_certainty to_certainty(Certainty certainty)
{
    switch (certainty) {
    case CERTAINTY_EXACT:    return PTXLINT_EXACT;
    case CERTAINTY_BOUND:    return PTXLINT_BOUND;
    case CERTAINTY_ESTIMATE: return PTXLINT_ESTIMATE;
    default:                 return PTXLINT_NOT_KNOWN;
    }
}

/* ---- why ------------------------------------------------------------------------------------- */

/* As much of it as there is room for. */
static void append_reason(char why[WHY_BYTES], const char *text)
{
    const size_t used = strlen(why), length = strlen(text), room = WHY_BYTES - 1 - used;
    const size_t part = length < room ? length : room;
    memcpy(why + used, text, part);
    why[used + part] = 0;
}

/* What was said so far, and what else is to be said. */
static void say(char why[WHY_BYTES], const char *reason)
{
    if (*why)
        append_reason(why, "; ");
    append_reason(why, reason);
}

/* "param 2, param 3": those that have a value by assumption, each once. */
static void name_pointer_params(const Evaluation *evaluation, char *out, size_t room)
{
    size_t length = 0;
    *out = 0;
    for (uint32_t i = 0; i < evaluation->assumed_count && length + 1 < room; i++)
        if (!i || evaluation->assumed[i].position != evaluation->assumed[i - 1].position)
            length += (size_t)snprintf(out + length, room - length, "%sparam %u",
                                       length ? ", " : "",
                                       (unsigned)evaluation->assumed[i].position);
}

/* What of the launch was taken for something. */
static void list_assumed(char text[WHY_BYTES], const Evaluation *evaluation)
{
    char params[128];
    name_pointer_params(evaluation, params, sizeof params);
    const struct { bool is_assumed; const char *what; } given[] = {
        { evaluation->block_is_assumed, "the block" }, { evaluation->grid_is_assumed, "the grid" }, { *params, params },
        { evaluation->initial_is_assumed, "variables' first values" }, { evaluation->warpid_is_assumed, "%warpid" },
    };
    *text = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].is_assumed) {
            append_reason(text, *text ? ", " : "rests on what was assumed of ");
            append_reason(text, given[i].what);
        }
    if (!*text)
        append_reason(text, "rests on the unknown base of a pointer");
}

/* Of one evaluation. */
typedef struct FiguresOf {
    const Evaluation *evaluation;
    char assumed[WHY_BYTES];    /* list_assumed */
} FiguresOf;

static void say_doubt(char why[WHY_BYTES], const FiguresOf *of, Uncertainty doubt)
{
    switch (doubt) {
    case UNCERTAIN_ADDRESS:     say(why, "data-dependent address"); break;
    case UNCERTAIN_DATA:        say(why, "data-dependent control flow or offset"); break;
    case UNCERTAIN_REPEAT:      say(why, "some iterations of a long loop are taken for all"); break;
    case UNCERTAIN_PARAMETER:   say(why, of->assumed); break;
    case UNCERTAIN_ORDER:
        say(why, "which lanes run together depends on how the GPU schedules diverged lanes");
        break;
    case UNCERTAIN_MODEL:
        say(why, "how the GPU serves such an access is not documented: a rule measured on another "
                 "GPU, or an approximation");
        break;
    case UNCERTAIN_NONE:        break;
    }
}

/* What the figures rest on, or why there are none. "": they are exact. */
static void explain_figures(char why[WHY_BYTES], const FiguresOf *of, const Evaluated *insn)
{
    const Evaluation *evaluation = of->evaluation;
    char text[96];
    if (!insn->is_reached) {
        const bool is_part = evaluation->is_cut || evaluation->has_left_early
                             || evaluation->is_by_warps;
        say(why, is_part ? "not reached within the budget of the evaluation"
                         : "no thread reaches it in this launch");
        return;
    }
    say_doubt(why, of, (Uncertainty)insn->total->doubt);
    if (insn->certainty != CERTAINTY_ESTIMATE)
        return;
    if (evaluation->is_cut) {
        say(why, "the budget of the evaluation ended");
    } else if (!evaluation->is_whole && !evaluation->grid_is_assumed) {
        snprintf(text, sizeof text, "a sample of the blocks: %u of %.0f",
                 (unsigned)evaluation->blocks_run, evaluation->blocks);
        say(why, text);
    }
    if (insn->total->doubt == UNCERTAIN_PARAMETER)       /* which has named them */
        return;
    if (evaluation->grid_is_assumed && !evaluation->is_cut && !evaluation->is_whole)
        say(why, "the grid is not known");
    if (evaluation->block_is_assumed)
        say(why, "the block was assumed");
}

/* ---- accesses -------------------------------------------------------------------------------- */

static const ptxlint_access no_figures = {
    .active_threads = (double)NAN,
    .lines_per_request = (double)NAN,
    .segments_per_request = (double)NAN,
    .sectors_per_request = (double)NAN,
    .ideal_sectors_per_request = (double)NAN,
    .used_bytes_per_request = (double)NAN,
    .moved_bytes_per_request = (double)NAN,
    .wavefronts_per_request = (double)NAN,
    .ideal_wavefronts_per_request = (double)NAN,
    .addresses_per_request = (double)NAN,
    .efficiency = (double)NAN,
    .stride_bytes = PTXLINT_UNKNOWN,
    .certainty = PTXLINT_NOT_KNOWN,
    .why = "addresses are not evaluated",
};

static void fill_global(const Count *total, ptxlint_access *out)
{
    out->sectors_per_request = total->sectors / total->requests;
    out->lines_per_request = total->lines / total->requests;
    out->segments_per_request = total->segments / total->requests;
    out->ideal_sectors_per_request = total->ideal_sectors / total->requests;
    out->used_bytes_per_request = total->used_bytes / total->requests;
    out->moved_bytes_per_request = SECTOR_BYTES * out->sectors_per_request;
    out->efficiency = total->used_bytes / (SECTOR_BYTES * total->sectors);
}

static void fill_figures(const Count *total, ptxlint_access *out)
{
    static const char *const patterns[] = {
#define PN(id, text, what) [PATTERN_##id] = text,
#include "analysis/sim/patterns.def"
#undef PN
    };
    if (total->sectors > 0)
        fill_global(total, out);
    if (total->wavefronts > 0) {
        out->wavefronts_per_request = total->wavefronts / total->requests;
        out->ideal_wavefronts_per_request = total->ideal_wavefronts / total->requests;
        if (!(total->sectors > 0))
            out->efficiency = total->ideal_wavefronts / total->wavefronts;
    }
    if (total->addresses > 0) {
        out->addresses_per_request = total->addresses / total->requests;
        out->efficiency = total->requests / total->addresses;
    }
    out->pattern = patterns[total->pattern];
    if (total->pattern && total->pattern != PATTERN_IRREGULAR && !total->is_free)
        out->stride_bytes = total->stride;
}

static const ptxlint_shaped *view_shapes(Sessions *all, const Evaluation *evaluation,
                                         const Count *shaped, size_t *count)
{
    ptxlint_shaped *out = ptx_arena_array(all->arena, ptxlint_shaped, evaluation->shape_count);
    *count = 0;
    for (uint32_t i = 0; i < evaluation->shape_count; i++) {
        ptxlint_access in_shape = no_figures;
        if (!(shaped[i].requests > 0))
            continue;
        fill_figures(&shaped[i], &in_shape);
        ptxlint_shaped *to = &out[(*count)++];
        *to = (ptxlint_shaped){ .active_threads = shaped[i].active / shaped[i].requests,
                                .sectors_per_request = in_shape.sectors_per_request,
                                .wavefronts_per_request = in_shape.wavefronts_per_request,
                                .addresses_per_request = in_shape.addresses_per_request,
                                .efficiency = in_shape.efficiency,
                                .pattern = in_shape.pattern };
        memcpy(to->block, evaluation->shapes[i], sizeof to->block);
    }
    return out;
}

static void fill_access(Sessions *all, const FiguresOf *of, const Evaluated *insn,
                        ptxlint_access *out)
{
    const Count *total = insn->total;
    const Evaluation *evaluation = of->evaluation;
    bool is_known = insn->certainty != CERTAINTY_UNKNOWN && total->requests > 0;
    char why[WHY_BYTES] = "";
    out->certainty = to_certainty(insn->certainty);
    if (total->requests > 0)
        out->active_threads = total->active / total->requests;
    if (is_known)
        fill_figures(total, out);
    const ArenaMark mark = ptx_arena_mark(all->scratch);
    if (is_known && (total->sectors > 0 || total->wavefronts > 0)) {
        const char *pattern = ptx_count_describe(all->scratch, total,
                                                 out->bytes > 0 ? (uint32_t)out->bytes : 0);
        if (*pattern)
            say(why, pattern);
    }
    if (is_known && insn->shaped)
        out->shapes = view_shapes(all, evaluation, insn->shaped, &out->shape_count);
    const char *shapes = is_known ? ptx_shapes_describe(all->scratch, evaluation, insn) : "";
    if (*shapes)
        say(why, shapes);
    ptx_arena_release(all->scratch, mark);
    explain_figures(why, of, insn);
    out->why = *why ? ptx_sessions_text(all, why) : "evaluated";
}

/* Where groups of lanes take a row each, wherever that is, or lanes one of few addresses. */
static void fill_rows(Sessions *all, const FiguresOf *of, const Evaluated *insn,
                      ptxlint_access *out)
{
    const Count *total = insn->total;
    const Evaluation *evaluation = of->evaluation;
    const bool is_all_rows = (total->row_requests > 0 || total->is_drawn)
                             && total->row_requests >= (1 - ROUNDING) * total->data_requests,
               are_bounds = total->row_requests >= (1 - ROUNDING) * total->requests
                            && !total->row_doubt && evaluation->is_whole && !evaluation->is_cut
                            && !evaluation->block_is_assumed;
    char why[WHY_BYTES] = "";
    if (out->certainty != PTXLINT_NOT_KNOWN || !is_all_rows)
        return;
    const ArenaMark mark = ptx_arena_mark(all->scratch);
    say(why, ptx_rows_describe(all->scratch, total, are_bounds));
    ptx_arena_release(all->scratch, mark);
    say_doubt(why, of, (Uncertainty)total->row_doubt);
    out->sectors_per_request = (total->sectors + total->row_sectors) / total->requests;
    out->moved_bytes_per_request = SECTOR_BYTES * out->sectors_per_request;
    out->certainty = PTXLINT_ESTIMATE;
    out->why = ptx_sessions_text(all, why);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Of the value of each instruction of a function; NULL: it was not asked for yet. In
 * scratch. */
static const char **new_descriptions(Sessions *all, FuncId id)
{
    return ptx_arena_array(all->scratch, const char *, all->module->funcs[id].insn_count + 1);
}

static const char *description_of(Sessions *all, const char **descriptions, const Link *link)
{
    const char **text = &descriptions[link->insn];
    if (!*text) {
        const ArenaMark mark = ptx_arena_mark(all->scratch);
        *text = ptx_sessions_text(all, ptx_affine_describe(all->scratch, &link->value));
        ptx_arena_release(all->scratch, mark);
    }
    return *text;
}

static const ptxlint_related *view_chain(Sessions *all, FuncId id, const char **descriptions,
                                         InsnId insn, size_t *count)
{
    const Uniforms *uniforms = ptx_session_cfg(ptx_sessions_of(all, id))
                                   ? ptx_session_uniforms(ptx_sessions_of(all, id))
                                   : NULL;
    const Func *func = &all->module->funcs[id];
    Link links[MAX_CHAIN];
    *count = uniforms ? ptx_critical_path_find(uniforms, func, insn, links) : 0;
    if (!*count)
        return NULL;
    ptxlint_related *chain = ptx_arena_array(all->arena, ptxlint_related, *count);
    for (size_t i = 0; i < *count; i++)
        chain[i] = (ptxlint_related){ ptx_view_span(func->insns[links[i].insn].span),
                                      description_of(all, descriptions, &links[i]) };
    return chain;
}

static void begin_access(Sessions *all, FuncId id, const char **descriptions, InsnId i,
                         ptxlint_access *out)
{
    const Insn *insn = &all->module->funcs[id].insns[i];
    *out = no_figures;
    out->size = sizeof *out;
    out->span = ptx_view_span(insn->span);
    out->source = ptx_view_source(all, insn);
    out->space = space_name((Space)insn->op->space);
    out->op = operation(insn->op);
    out->bytes = insn->access_bytes ? insn->access_bytes : PTXLINT_UNKNOWN;
    if (all->has_figures)
        out->chain = view_chain(all, id, descriptions, i, &out->chain_count);
}

static int by_access_place(const void *pa, const void *pb)
{
    const ptxlint_access *a = pa, *b = pb;
    return a->span.begin < b->span.begin ? -1 : a->span.begin > b->span.begin;
}

static void view_called(Sessions *all, const FiguresOf *of, ptxlint_access *view)
{
    const Evaluation *evaluation = of->evaluation;
    FuncId before = NO_ID;
    const char *name = NULL, **descriptions = NULL;
    const ArenaMark mark = ptx_arena_mark(all->scratch);
    for (uint32_t c = 0; c < evaluation->called_count; c++) {
        const CalledAccess *called = &evaluation->called[c];
        Span span = all->module->funcs[called->func].name;
        if (called->func != before) {
            name = ptx_arena_strndup(all->arena, all->module->text + span.begin,
                                     ptx_span_length(span));
            ptx_arena_release(all->scratch, mark);
            descriptions = new_descriptions(all, called->func);
        }
        before = called->func;
        begin_access(all, called->func, descriptions, called->insn, &view[c]);
        view[c].function = name;
        fill_access(all, of, &called->figures, &view[c]);
        fill_rows(all, of, &called->figures, &view[c]);
    }
    ptx_arena_release(all->scratch, mark);
}

/* ---- where indices lie ----------------------------------------------------------------------- */

/* NULL: the launch does not say. */
static const LocatedAccess *located_accesses(Sessions *all, FuncId id,
                                             const Evaluation *evaluation)
{
    const Session *session = ptx_sessions_of(all, id);
    const LaunchShape *shape = ptx_session_shape(ptx_sessions_of(all, id));
    if (!evaluation || shape->warps_per_block <= 0)
        return NULL;
    const CacheInput in = { .func = &all->module->funcs[id],
                            .evaluation = evaluation,
                            .warps_per_block = (double)shape->warps_per_block,
                            .cfg = ptx_session_cfg(ptx_sessions_of(all, id)),
                            .loops = ptx_session_loops(ptx_sessions_of(all, id)),
                            .launch = ptx_session_launch(session) };
    return ptx_located_accesses(all->work, all->scratch, &in);
}

static void fill_located(Sessions *all, const LocatedAccess *at, ptxlint_access *out)
{
    static const char *const places[] = { [LOCALITY_RANDOM] = "anywhere",
                                          [LOCALITY_LOCAL] = "in a block's part of the table",
                                          [LOCALITY_SORTED] = "in ascending order" };
    char why[WHY_BYTES];
    if (out->certainty != PTXLINT_NOT_KNOWN || !(at->sectors > 0))
        return;
    snprintf(why, sizeof why, "data-dependent address; indices of parameter %u taken to lie %s",
             (unsigned)at->param, places[at->locality]);
    out->sectors_per_request = at->sectors;
    out->moved_bytes_per_request = SECTOR_BYTES * at->sectors;
    out->certainty = PTXLINT_ESTIMATE;
    out->why = ptx_sessions_text(all, why);
}

static void view_memory(Sessions *all, FuncId id, const char **descriptions, ptxlint_kernel *out)
{
    const Func *func = &all->module->funcs[id];
    const Evaluation *evaluation =
        all->has_figures ? ptx_session_evaluation(ptx_sessions_of(all, id), BUDGET_FIGURES) : NULL;
    FiguresOf figures = { .evaluation = evaluation };
    if (evaluation)
        list_assumed(figures.assumed, evaluation);
    const LocatedAccess *located = located_accesses(all, id, evaluation);
    uint32_t own = 0, called = evaluation ? evaluation->called_count : 0;
    for (InsnId i = 0; i < func->insn_count; i++)
        own += ptx_insn_is_access(&func->insns[i]);
    ptxlint_access *items = ptx_arena_array(all->arena, ptxlint_access, own + called + 1),
                   *view = items;
    out->accesses = items;
    out->access_count = own + called;
    for (InsnId i = 0; i < func->insn_count; i++) {
        if (!ptx_insn_is_access(&func->insns[i]))
            continue;
        begin_access(all, id, descriptions, i, view);
        if (evaluation)
            fill_access(all, &figures, &evaluation->insns[i], view);
        if (located)
            fill_located(all, &located[i], view);
        if (evaluation)
            fill_rows(all, &figures, &evaluation->insns[i], view);
        view++;
    }
    if (!called)
        return;
    view_called(all, &figures, view);
    qsort(items, out->access_count, sizeof *items, by_access_place);
}

/* ---- branches -------------------------------------------------------------------------------- */

ptxlint_uniformity ptx_view_uniformity(Uniformity uniformity)
{
    static const ptxlint_uniformity publics[UNIFORMITY__COUNT] = {
#define UF(id, public, text, what) [UNIFORMITY_##id] = public,
#include "analysis/value/uniformity.def"
#undef UF
    };
    return publics[uniformity];
}

/* What can be is the analysis's word; what is, that of the evaluation. */
static void judge_split(const Affine *condition, ptxlint_branch *out, const DivergenceCost *cost)
{
    bool is_seen = cost->certainty == CERTAINTY_EXACT && !isnan(cost->percent);
    out->certainty = condition->is_assumed ? PTXLINT_ESTIMATE : PTXLINT_EXACT;
    out->splits = ptx_affine_is_uniform(*condition) ? PTXLINT_SPLIT_NEVER : PTXLINT_SPLIT_PERHAPS;
    if (is_seen) {
        out->certainty = PTXLINT_EXACT;
        out->splits = cost->percent > 0 ? PTXLINT_SPLIT_CERTAIN : PTXLINT_SPLIT_NEVER;
    } else if (out->splits == PTXLINT_SPLIT_PERHAPS
               && condition->uniformity == UNIFORMITY_UNKNOWN) {
        out->splits = PTXLINT_SPLIT_UNKNOWN;
        out->certainty = PTXLINT_NOT_KNOWN;
    }
}

static void view_branch(Sessions *all, FuncId id, const char **descriptions, BlockId block,
                        DivergenceCosts *costs, ptxlint_branch *out)
{
    Session *session = ptx_sessions_of(all, id);
    const Func *func = &all->module->funcs[id];
    const Cfg *cfg = ptx_session_cfg(session);
    const Affine *condition = &ptx_session_uniforms(session)->branches[block];
    InsnId last = cfg->blocks[block].end - 1;
    BlockId meeting = ptx_session_dom(session)->ipdom[block];
    DivergenceCost cost = { (double)NAN, (double)NAN, (double)NAN, CERTAINTY_ESTIMATE };
    if (costs)
        cost = ptx_divergence_measure(costs, block);
    *out = (ptxlint_branch){ .size = sizeof *out,
                             .span = ptx_view_span(func->insns[last].span),
                             .source = ptx_view_source(all, &func->insns[last]),
                             .condition = ptx_view_uniformity((Uniformity)condition->uniformity),
                             .divergent_percent = cost.percent,
                             .wasted_slots = cost.wasted_slots,
                             .wasted_percent = cost.wasted_percent };
    if (meeting != EXIT_BLOCK)
        out->meeting = ptx_view_span(func->insns[cfg->blocks[meeting].first].span);
    judge_split(condition, out, &cost);
    out->chain = view_chain(all, id, descriptions, last, &out->chain_count);
}

static void view_branches(Sessions *all, FuncId id, const char **descriptions, ptxlint_kernel *out)
{
    Session *session = ptx_sessions_of(all, id);
    const Cfg *cfg = ptx_session_cfg(session);
    for (BlockId b = 0; cfg && b < cfg->block_count; b++)
        out->branch_count += cfg->blocks[b].succ_count > 1;
    if (!out->branch_count)
        return;
    const Evaluation *evaluation = ptx_session_evaluation(session, BUDGET_FIGURES);
    const FuncFlow flow = ptx_session_flow(session);
    DivergenceCosts *costs = evaluation ? ptx_divergence_new(all->work, evaluation, &flow) : NULL;
    ptxlint_branch *view = ptx_arena_array(all->arena, ptxlint_branch, out->branch_count);
    out->branches = view;
    for (BlockId b = 0; b < cfg->block_count; b++)
        if (cfg->blocks[b].succ_count > 1)
            view_branch(all, id, descriptions, b, costs, view++);
}

void ptx_view_accesses(Sessions *all, FuncId id, ptxlint_kernel *out)
{
    if (!all->has_figures)              /* they would say nothing but where they are */
        return;
    const ArenaMark mark = ptx_arena_mark(all->scratch);
    const char **descriptions = new_descriptions(all, id);
    view_memory(all, id, descriptions, out);
    view_branches(all, id, descriptions, out);
    ptx_arena_release(all->scratch, mark);
}
