/* view.c -- the public structures of a module, filled from IR and facts. */
#include "model/gpu.h"
#include "model/view.h"
#include "check/check_loc.h"
#include "support/choice.h"
#include "support/demangle.h"
#include "analysis/redundancy/mix.h"
#include "analysis/trips/trip.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "ptxlint/ptxlint.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/liveness.h"
#include "ir/reg.h"
#include "session/residency.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"
#include "session/session.h"

#include <math.h>
#include <string.h>
#include <stdio.h>

static const char *copy_view_text(Sessions *all, Span span)
{
    return ptx_arena_strndup(all->arena, all->module->text + span.begin, ptx_span_length(span));
}

/* NULL: it is not mangled. */
static const char *copy_signature(Sessions *all, const char *name)
{
    char text[4096];
    size_t length = ptx_demangle(name, NAME_SIGNATURE, text, sizeof text);
    return length ? ptx_arena_strndup(all->arena, text, strlen(text)) : NULL;
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

/* path is NULL where no .file says which it is. */
static ptxlint_source_place view_loc(Sessions *all, const Loc *loc)
{
    const File *file = ptx_loc_file(all->module, loc);
    if (!file)
        return (ptxlint_source_place){ NULL, 0, 0 };
    return (ptxlint_source_place){ copy_view_text(all, file->path), loc->line, loc->column };
}

ptxlint_source_place ptx_view_source(Sessions *all, const Insn *insn)
{
    const Loc *loc = &all->module->locs[ptx_insn_loc(all->module, insn)];
    if (!loc->line)
        return (ptxlint_source_place){ NULL, 0, 0 };
    return view_loc(all, loc);
}

/* Of the first instruction that has one. */
static ptxlint_source_place block_source(Sessions *all, const Func *func, const Block *block)
{
    ptxlint_source_place place = { NULL, 0, 0 };
    for (InsnId i = block->first; i < block->end && !place.path; i++)
        place = ptx_view_source(all, &func->insns[i]);
    return place;
}

static void find_view_source(Sessions *all, const Func *func, const Diag *diag,
                             ptxlint_diagnostic *out)
{
    const Insn *insn = ptx_insn_at(func, diag->span.begin);
    const uint32_t loc = insn ? ptx_insn_loc(all->module, insn) : 0;
    if (!loc)
        return;
    Loc chain[MAX_LOC_CHAIN];
    uint32_t count = ptx_loc_chain(all->module, loc, chain);
    const ptxlint_source_place place = view_loc(all, &chain[0]);
    out->source_path = place.path;
    out->source_line = place.line;
    out->source_column = place.column;
    ptxlint_source_place *into = ptx_arena_array(all->arena, ptxlint_source_place, count);
    out->inlined_into = into;
    for (uint32_t i = 1; i < count; i++) {
        into[out->inlined_count] = view_loc(all, &chain[i]);
        out->inlined_count += into[out->inlined_count].path != NULL;
    }
}

static bool has_line_of(const ptxlint_diagnostic *out, const ptxlint_source_place *place)
{
    if (out->source_line == place->line && !strcmp(out->source_path, place->path))
        return true;
    for (size_t i = 0; i < out->also_count; i++)
        if (out->also[i].line == place->line && !strcmp(out->also[i].path, place->path))
            return true;
    return false;
}

/* The other CUDA lines of what was folded into it. */
static void find_also(Sessions *all, const Func *func, const Diag *diag, ptxlint_diagnostic *out)
{
    enum { ALSO_MAX = 4 };
    ptxlint_source_place *also = NULL;
    for (uint32_t i = 0; i < diag->repeats && i < DIAG_REPEATS_MAX && out->source_path; i++) {
        const Insn *insn = diag->repeat_at[i] ? ptx_insn_at(func, diag->repeat_at[i]) : NULL;
        const uint32_t loc = insn ? ptx_insn_loc(all->module, insn) : 0;
        Loc chain[MAX_LOC_CHAIN];
        if (!loc || !ptx_loc_chain(all->module, loc, chain))
            continue;
        const ptxlint_source_place place = view_loc(all, &chain[0]);
        if (!place.path || !place.line || out->also_count == ALSO_MAX || has_line_of(out, &place))
            continue;
        also = also ? also : ptx_arena_array(all->arena, ptxlint_source_place, ALSO_MAX);
        out->also = also;
        also[out->also_count++] = place;
    }
}

static void view_related(Sessions *all, const Diag *diag, ptxlint_diagnostic *out)
{
    for (const DiagRelated *r = diag->related; r; r = r->next)
        out->related_count++;
    if (!out->related_count)
        return;
    ptxlint_related *related = ptx_arena_array(all->arena, ptxlint_related, out->related_count);
    out->related = related;
    for (const DiagRelated *r = diag->related; r; r = r->next)
        *related++ = (ptxlint_related){ ptx_view_span(r->span), r->message };
}

const char *ptx_view_var_title(Arena *arena, const Module *module, VarId var)
{
    char text[VAR_TITLE_BYTES];
    if (ptx_var_title(module, &module->vars[var], text, sizeof text) >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    char *function = strstr(text, " in ");
    if (function)
        *function = '\0';
    return ptx_arena_strndup(arena, text, strlen(text));
}

static const ptxlint_fix *view_fix(Sessions *all, const DiagFix *fix)
{
    if (!fix)
        return NULL;
    ptxlint_fix *out = ptx_arena_new(all->arena, ptxlint_fix);
    *out = (ptxlint_fix){ ptx_view_span(fix->span), fix->replacement, fix->is_certain };
    return out;
}

static void view_repair(Sessions *all, const DiagRepair *repair, ptxlint_diagnostic *out)
{
    if (!repair->count)
        return;
    ptxlint_insertion *insertions = ptx_arena_array(all->arena, ptxlint_insertion, repair->count);
    for (uint32_t i = 0; i < repair->count; i++)
        insertions[i] = (ptxlint_insertion){ repair->insertions[i].line,
                                             repair->insertions[i].text };
    out->repair = insertions;
    out->repair_count = repair->count;
}

/* The begin of a line, which may be the end of the text. */
static uint32_t insertion_offset(const Module *module, uint32_t line)
{
    if (line < 2)
        return 0;
    return line <= module->line_count ? ptx_line_start(module, line - 1) : module->length;
}

/* A line of its own, indented as the one that it comes before. */
static ptxlint_fix view_insertion(Sessions *all, const DiagInsertion *insertion)
{
    const Module *module = all->module;
    const uint32_t at = insertion_offset(module, insertion->line);
    const size_t indent = strspn(module->text + at, " \t"), length = strlen(insertion->text);
    char *line = ptx_arena_array(all->arena, char, indent + length + 2);
    memcpy(line, module->text + at, indent);
    memcpy(line + indent, insertion->text, length);
    line[indent + length] = '\n';
    return (ptxlint_fix){ { at, at }, line, 1 };
}

/* A repair was tried: it is certain. */
static void view_edits(Sessions *all, const DiagRepair *repair, ptxlint_diagnostic *out)
{
    out->edits = out->fix;
    out->edit_count = out->fix != NULL;
    if (out->fix || !repair->count)
        return;
    ptxlint_fix *edits = ptx_arena_array(all->arena, ptxlint_fix, repair->count);
    for (uint32_t i = 0; i < repair->count; i++)
        edits[i] = view_insertion(all, &repair->insertions[i]);
    out->edits = edits;
    out->edit_count = repair->count;
}

/* Else the front end's, or of a limit: for no GPU. */
static bool is_of_rule(const Diag *diag)
{
    return diag->info < ptx_diag_info || diag->info >= ptx_diag_info + DIAG__COUNT;
}

/* Findings of a function follow each other. */
typedef struct SignatureMemo {
    int32_t func;
    const char *signature;
} SignatureMemo;

static const char *signature_of(Sessions *all, int32_t func, const char *name, SignatureMemo *last)
{
    if (last->func != func)
        *last = (SignatureMemo){ func, copy_signature(all, name) };
    return last->signature;
}

const ptxlint_diagnostic *ptx_view_diagnostics(Sessions *all, const DiagSink *diags)
{
    static const ptxlint_certainty certainties[] = { PTXLINT_NOT_KNOWN, PTXLINT_EXACT,
                                                     PTXLINT_BOUND, PTXLINT_ESTIMATE,
                                                     PTXLINT_NOT_KNOWN };
    static const ptxlint_suppression suppressions[] = {
        [SUPPRESSION_NONE] = PTXLINT_NOT_SUPPRESSED,
        [SUPPRESSION_INLINE] = PTXLINT_SUPPRESSED_INLINE,
        [SUPPRESSION_CONFIG] = PTXLINT_SUPPRESSED_BY_CONFIG,
        [SUPPRESSION_BASELINE] = PTXLINT_SUPPRESSED_BY_BASELINE
    };
    ptxlint_diagnostic *items = ptx_arena_array(all->arena, ptxlint_diagnostic, diags->count + 1),
                       *out = items;
    SignatureMemo last = { .func = -1 };
    for (uint32_t i = 0; i < diags->count; i++, out++) {
        const Diag *diag = diags->items[i];
        out->size = sizeof *out;
        out->rule = diag->info->code;
        out->name = diag->info->name;
        out->group = diag->info->group;
        out->is_minor = diag->info->is_minor;
        out->is_gain_most = diag->info->is_gain_most;
        out->message = diag->message;
        out->label = diag->label;
        out->help = diag->help;
        out->span = ptx_view_span(diag->span);
        out->severity = (ptxlint_severity)diag->severity;
        out->certainty = certainties[diag->certainty];
        out->repeat_count = diag->repeats;
        out->gain_percent = diag->gain_percent;
        out->gain_of = diag->gain_of;
        out->suppression = suppressions[diag->suppression];
        out->suppression_reason = diag->reason;
        out->gpu = is_of_rule(diag) && all->gpu_count ? ptx_text_or(diag->gpu, all->gpus[0]->name)
                                                       : NULL;
        out->fix = view_fix(all, diag->fix);
        view_repair(all, &diag->repair, out);
        view_edits(all, &diag->repair, out);
        view_related(all, diag, out);
        if (diag->func < 0)
            continue;
        const Func *func = &all->module->funcs[diag->func];
        out->kernel = copy_view_text(all, func->name);
        out->kernel_demangled = signature_of(all, diag->func, out->kernel, &last);
        find_view_source(all, func, diag, out);
        find_also(all, func, diag, out);
    }
    return items;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* With unknown trip counts, shares may be estimated; how much there is of a thing may not. */
static double amount(const Mix *mix, double weighted)
{
    return mix->has_assumed_trips ? (double)NAN : weighted;
}

static double fraction(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static ptxlint_mix view_mix(Sessions *all, const Mix *mix)
{
    ptxlint_mix_class classes[CLASS__COUNT - 1];
    memset(classes, 0, sizeof classes);
    for (int c = 1; c < CLASS__COUNT; c++)
        classes[c - 1] = (ptxlint_mix_class){ ptx_class_info[c].text, mix->counts[c],
                                              mix->weighted[c] };
    return (ptxlint_mix){
        .classes = ptx_sessions_share(all, classes, sizeof classes),
        .class_count = CLASS__COUNT - 1,
        .instruction_count = mix->insn_count,
        .fused_count = mix->fused_count,
        .fusable_count = mix->fusable_count,
        .fma_fraction = fraction(mix->fused_count, mix->insn_count),
        .weighted_fma_fraction = fraction(mix->weighted_fused_count, mix->weighted_insn_count),
        .weighted_instruction_count = mix->weighted_insn_count,
        .flops_fp32 = amount(mix, mix->weighted_flops[FLOPS_FP32]),
        .flops_fp64 = amount(mix, mix->weighted_flops[FLOPS_FP64]),
        .flops_fp16 = amount(mix, mix->weighted_flops[FLOPS_FP16]),
        .flops_tensor = amount(mix, mix->weighted_flops[FLOPS_TENSOR]),
        .global_bytes = amount(mix, mix->weighted_global_bytes),
        .has_assumed_trips = mix->has_assumed_trips,
        .has_assumed_branches = mix->has_assumed_branches,
        .stops = amount(mix, mix->weighted_stops),
        .has_unknown_shapes = mix->has_unknown_shapes,
    };
}

static ptxlint_certainty certainty_of_trip(const Trip *trip)
{
    if (trip->is_exact)
        return PTXLINT_EXACT;
    if (trip->is_upper)
        return PTXLINT_BOUND;
    return isnan(trip->count) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE;
}

/* trip may be NULL: only findings were asked for. */
static ptxlint_trip view_trip(Sessions *all, const Func *func, const Trip *trip)
{
    if (!trip)
        return (ptxlint_trip){ .count = (double)NAN,
                               .count_min = (double)NAN,
                               .count_max = (double)NAN,
                               .certainty = PTXLINT_NOT_KNOWN,
                               .step = PTXLINT_UNKNOWN,
                               .why = "only findings were asked for" };
    static const ptxlint_trip_source sources[] = { [TRIP_UNKNOWN] = PTXLINT_TRIP_UNKNOWN,
                                                   [TRIP_CODE] = PTXLINT_TRIP_CODE,
                                                   [TRIP_LAUNCH] = PTXLINT_TRIP_LAUNCH,
                                                   [TRIP_USER] = PTXLINT_TRIP_USER,
                                                   [TRIP_SYMBOLIC] = PTXLINT_TRIP_SYMBOLIC };
    ptxlint_trip view = {
        .source = sources[trip->source],
        .count = trip->count,
        .count_min = trip->count_min,
        .count_max = trip->count_max,
        .certainty = certainty_of_trip(trip),
        .expression = trip->expression,
        .start = trip->start,
        .bound = trip->bound,
        .step = PTXLINT_UNKNOWN,
        .why = trip->why,
    };
    if (trip->induction != NO_ID) {
        view.induction = copy_view_text(all, ptx_reg_name(&func->regs[trip->induction]));
        view.step = trip->step ? trip->step : PTXLINT_UNKNOWN;
    }
    return view;
}

static void view_loops(Sessions *all, const Func *func, Session *session, ptxlint_kernel *out)
{
    const Loops *loops = ptx_session_loops(session);
    const Cfg *cfg = ptx_session_cfg(session);
    const Mixes *mixes = ptx_session_mixes(session);
    const Trips *trips = all->has_figures ? ptx_session_trips(session) : NULL;
    ptxlint_loop *view = ptx_arena_array(all->arena, ptxlint_loop, loops->loop_count);
    out->loops = view;
    out->loop_count = loops->loop_count;
    for (LoopId i = 0; i < loops->loop_count; i++) {
        const Loop *loop = &loops->loops[i];
        InsnId first = cfg->blocks[loop->header].first;
        view[i] = (ptxlint_loop){
            .size = sizeof *view,
            .header = ptx_view_span(func->insns[first].span),
            .source = block_source(all, func, &cfg->blocks[loop->header]),
            .label = "",
            .depth = loop->depth,
            .parent = -1,
            .is_irreducible = loop->is_irreducible,
            .is_innermost = loop->is_innermost,
            .mix = view_mix(all, &mixes->loops[i]),
            .trip = view_trip(all, func, trips ? &trips->trips[i] : NULL),
        };
        if (loop->parent != NO_LOOP)
            view[i].parent = (int64_t)loop->parent;
        ptx_project_loop(all, session, i, &view[i]);
    }
    for (uint32_t l = 0; l < func->label_count && loops->loop_count; l++) {
        const Label *label = &func->labels[l];
        if (label->insn >= func->insn_count)
            continue;
        LoopId loop = loops->loop_of[cfg->block_of[label->insn]];       /* of a header: its own */
        if (loop != NO_LOOP && cfg->blocks[loops->loops[loop].header].first == label->insn
            && !*view[loop].label)
            view[loop].label = copy_view_text(all, label->name);
    }
}

static ptxlint_pressure view_pressure(Sessions *all, const Func *func, const Live *live)
{
    ptxlint_pressure view = { .max_live = PTXLINT_UNKNOWN,
                              .max_live_predicates = PTXLINT_UNKNOWN,
                              .max_live_64 = PTXLINT_UNKNOWN,
                              .max_live_16 = PTXLINT_UNKNOWN };
    if (!live || live->max_insn == NO_ID || func->has_syntax_error)
        return view;
    const char **names = ptx_arena_array(all->arena, const char *,
                                         live->max_reg_count ? live->max_reg_count : 1);
    for (uint32_t i = 0; i < live->max_reg_count; i++)
        names[i] = copy_view_text(all, ptx_reg_name(&func->regs[live->max_regs[i]]));
    view.max_live = live->max_pressure;
    view.max_live_predicates = live->max_predicates;
    view.max_live_64 = live->max_64;
    view.max_live_16 = live->max_16;
    view.where = ptx_view_span(func->insns[live->max_insn].span);
    view.live = names;
    view.live_count = live->max_reg_count;
    return view;
}

/* Each aligned as it asks, one behind the other: PTX ISA, "Kernel Function Parameters". */
static void view_params(Sessions *all, const Func *func, ptxlint_kernel *out)
{
    uint64_t end = 0;
    bool has_place = true;
    if (!func->is_entry || !func->param_count)
        return;
    ptxlint_param *params = ptx_arena_array(all->arena, ptxlint_param, func->param_count);
    out->params = params;
    out->param_count = func->param_count;
    for (uint32_t i = 0; i < func->param_count; i++) {
        const Var *var = &all->module->vars[func->params[i]];
        uint32_t align = var->align ? var->align : 1;
        uint64_t offset = (end + align - 1) / align * align;
        params[i] = (ptxlint_param){ .size = sizeof *params,
                                     .name = copy_view_text(all, var->name),
                                     .type = ptx_text_or(ptx_type_info[var->type].text, ""),
                                     .bytes = PTXLINT_UNKNOWN,
                                     .offset = PTXLINT_UNKNOWN,
                                     .align = align,
                                     .source_name = var->source_name };
        if (var->bytes <= INT64_MAX)
            params[i].bytes = (int64_t)var->bytes;
        if (has_place)
            params[i].offset = (int64_t)offset;
        has_place = has_place && !__builtin_add_overflow(offset, var->bytes, &end)
                    && end <= INT64_MAX / 2;
    }
}

static ptxlint_launch view_launch(Session *session)
{
    const LaunchShape *shape = ptx_session_shape(session);
    const Launch *launch = ptx_session_launch(session);
    ptxlint_launch out = {
        .source = PTXLINT_LAUNCH_ASSUMED,
        .block_is_assumed = shape->is_block_assumed,
        .error = shape->error,
        .dynamic_shared_bytes = ptx_view_number(shape->dynamic_shared_bytes),
        .blocks = ptx_view_number(shape->blocks),
        .threads_per_block = ptx_view_number(shape->threads_per_block),
        .warps_per_block = ptx_view_number(shape->warps_per_block),
        .warps = ptx_view_number(shape->warps),
        .idle_lanes = ptx_view_number(shape->idle_lanes),
    };
    for (int i = 0; i < 3; i++) {
        out.grid[i] = ptx_view_number(shape->grid[i]);
        out.block[i] = ptx_view_number(shape->block[i]);
        out.cluster[i] = ptx_view_number(shape->cluster[i]);
    }
    if (ptx_session_func(session)->bounds.reqntid[0])
        out.source = PTXLINT_LAUNCH_DIRECTIVE;
    if (launch->is_given)
        out.source = launch->is_found ? PTXLINT_LAUNCH_METADATA : PTXLINT_LAUNCH_FILE;
    return out;
}

/* What the text says of it. */
static void view_head(Sessions *all, FuncId id, ptxlint_kernel *out)
{
    const Func *func = &all->module->funcs[id];
    out->size = sizeof *out;
    out->name = copy_view_text(all, func->name);
    out->demangled = copy_signature(all, out->name);
    out->span = ptx_view_span(func->span);
    out->name_span = ptx_view_span(func->name);
    out->is_entry = func->is_entry;
    out->launch_number = all->launches[id]->number;
    out->launch_count = all->launches[id]->count;
    out->has_syntax_error = func->has_syntax_error;
    out->minnctapersm = func->bounds.minnctapersm;
    out->maxnreg = func->bounds.maxnreg;
    memcpy(out->maxntid, func->bounds.maxntid, sizeof out->maxntid);
    memcpy(out->reqntid, func->bounds.reqntid, sizeof out->reqntid);
}

static void view_kernel(Sessions *all, FuncId id, ptxlint_kernel *out)
{
    const Func *func = &all->module->funcs[id];
    view_head(all, id, out);
    Session *session = ptx_sessions_of(all, id);
    const Demand *demand = ptx_session_demand(session);
    const Cfg *cfg = ptx_session_cfg(session);
    out->static_shared_bytes = ptx_view_number(demand->static_shared_bytes);
    out->local_bytes = ptx_view_number(demand->local_bytes);
    out->param_bytes = ptx_view_number(demand->param_bytes);
    out->barriers = ptx_view_number(demand->barriers);
    view_params(all, func, out);
    out->launch = view_launch(session);
    out->pressure = view_pressure(all, func, ptx_session_live(session));
    const Insn *fullest = ptx_insn_at(func, out->pressure.where.begin);
    if (fullest)
        out->live_source = ptx_view_source(all, fullest);
    if (all->is_for_estimates)
        return;
    if (!cfg) {
        out->mix = view_mix(all, &(const Mix){ 0 });
        if (func->is_entry)
            ptx_view_assumed(all, NULL, out);
        ptx_project_kernel(all, id, out);
        return;
    }
    for (InsnId i = 0; i < func->insn_count && !out->source.path; i++)
        out->source = ptx_view_source(all, &func->insns[i]);
    out->is_recursive = ptx_session_calls(session)->is_recursive;
    out->block_count = cfg->block_count;
    out->unreachable_block_count = cfg->block_count - cfg->rpo_count;
    out->edge_count = cfg->succ_count;
    out->mix = view_mix(all, &ptx_session_mixes(session)->func);
    ptx_project_kernel(all, id, out);
    view_loops(all, func, session, out);
    if (func->is_entry)
        ptx_view_assumed(all,
                         ptx_session_is_projected(session)
                             ? ptx_session_evaluation(session, BUDGET_FIGURES)
                             : NULL,
                         out);
}

void ptx_view_taken(Sessions *all, FuncId func, ptxlint_kernel *out)
{
    *out = (ptxlint_kernel){ .size = 0 };
    view_head(all, func, out);
}

void ptx_view_func(Sessions *all, FuncId func, ptxlint_kernel *out)
{
    view_kernel(all, func, out);
    if (!all->is_for_estimates)
        ptx_view_accesses(all, func, out);
    if (!all->is_for_estimates)
        ptx_view_hot_lines(all, func, out);
}
