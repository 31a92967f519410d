/* view.c -- the public structures of a module, filled from IR and facts. */
#include "api/gpu.h"
#include "api/module.h"
#include "check/check_loc.h"
#include "ir/normal.h"

#include <math.h>
#include <string.h>
#include <stdio.h>

static const char *copy_text(ptxlint_module *m, Span span)
{
    return ptx_arena_strndup(&m->arena, m->text + span.begin, ptx_span_length(span));
}

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

const Insn *ptx_view_find_insn(const Func *func, uint32_t offset)
{
    uint32_t low = 0, high = func->insn_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (func->insns[middle].span.end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < func->insn_count && func->insns[low].span.begin <= offset ? &func->insns[low] : NULL;
}

/* path is NULL where no .file says which it is. */
static ptxlint_source_place view_loc(ptxlint_module *m, const Loc *loc)
{
    const File *file = ptx_loc_file(m->ir, loc);
    if (!file)
        return (ptxlint_source_place){ NULL, 0, 0 };
    return (ptxlint_source_place){ copy_text(m, file->path), loc->line, loc->column };
}

static void find_source(ptxlint_module *m, const Func *func, const Diag *diag, ptxlint_diagnostic *out)
{
    const Insn *insn = ptx_view_find_insn(func, diag->span.begin);
    if (!insn || !insn->loc)
        return;
    Loc chain[MAX_LOC_CHAIN];
    uint32_t count = ptx_loc_chain(m->ir, insn->loc, chain);
    const ptxlint_source_place place = view_loc(m, &chain[0]);
    out->source_path = place.path;
    out->source_line = place.line;
    out->source_column = place.column;
    ptxlint_source_place *into = ptx_arena_array(&m->arena, ptxlint_source_place, count);
    out->inlined_into = into;
    for (uint32_t i = 1; i < count; i++) {
        into[out->inlined_count] = view_loc(m, &chain[i]);
        out->inlined_count += into[out->inlined_count].path != NULL;
    }
}

static void view_related(ptxlint_module *m, const Diag *diag, ptxlint_diagnostic *out)
{
    for (const DiagRelated *r = diag->related; r; r = r->next)
        out->related_count++;
    if (!out->related_count)
        return;
    ptxlint_related *related = ptx_arena_array(&m->arena, ptxlint_related, out->related_count);
    out->related = related;
    for (const DiagRelated *r = diag->related; r; r = r->next)
        *related++ = (ptxlint_related){ ptx_view_span(r->span), r->message };
}

static const ptxlint_fix *view_fix(ptxlint_module *m, const DiagFix *fix)
{
    if (!fix)
        return NULL;
    ptxlint_fix *out = ptx_arena_new(&m->arena, ptxlint_fix);
    *out = (ptxlint_fix){ ptx_view_span(fix->span), fix->replacement, fix->is_certain };
    return out;
}

static void view_repair(ptxlint_module *m, const DiagRepair *repair, ptxlint_diagnostic *out)
{
    if (!repair->count)
        return;
    ptxlint_insertion *insertions = ptx_arena_array(&m->arena, ptxlint_insertion, repair->count);
    for (uint32_t i = 0; i < repair->count; i++)
        insertions[i] = (ptxlint_insertion){ repair->insertions[i].line, repair->insertions[i].text };
    out->repair = insertions;
    out->repair_count = repair->count;
}

static void view_diagnostics(ptxlint_module *m)
{
    static const ptxlint_certainty certainties[] = { PTXLINT_NOT_KNOWN, PTXLINT_EXACT, PTXLINT_BOUND, PTXLINT_ESTIMATE, PTXLINT_NOT_KNOWN };
    static const ptxlint_suppression suppressions[] = { [SUPPRESSION_NONE] = PTXLINT_NOT_SUPPRESSED, [SUPPRESSION_INLINE] = PTXLINT_SUPPRESSED_INLINE,
                                                        [SUPPRESSION_CONFIG] = PTXLINT_SUPPRESSED_BY_CONFIG,
                                                        [SUPPRESSION_BASELINE] = PTXLINT_SUPPRESSED_BY_BASELINE };
    m->diagnostic_count = m->diags.count;
    ptxlint_diagnostic *out = ptx_arena_array(&m->arena, ptxlint_diagnostic, m->diags.count ? m->diags.count : 1);
    m->diagnostics = out;
    for (uint32_t i = 0; i < m->diags.count; i++, out++) {
        const Diag *diag = m->diags.items[i];
        out->size = sizeof *out;
        out->rule = diag->info->code;
        out->name = diag->info->name;
        out->group = diag->info->group;
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
        out->fix = view_fix(m, diag->fix);
        view_repair(m, &diag->repair, out);
        view_related(m, diag, out);
        if (diag->func < 0)
            continue;
        const Func *func = &m->ir->funcs[diag->func];
        out->kernel = copy_text(m, func->name);
        find_source(m, func, diag, out);
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

size_t ptxlint_module_statement(const ptxlint_module *m, uint32_t offset, char *out, size_t size)
{
    Normal normal = ptx_normal_statement(m->text, m->length, offset < m->length ? offset : (uint32_t)m->length);
    if (size)
        snprintf(out, size, "%s", normal.text);
    return strlen(normal.text);
}

uint64_t ptxlint_module_body(const ptxlint_module *m, const ptxlint_kernel *kernel)
{
    return ptx_normal_body(m->text, (Span){ kernel->span.begin, kernel->span.end });
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* With trips that nobody knows, shares may be estimated; how much there is of a thing may not. */
static double amount(const Mix *mix, double weighted)
{
    return mix->has_assumed_trips ? (double)NAN : weighted;
}

static ptxlint_mix view_mix(ptxlint_module *m, const Mix *mix)
{
    ptxlint_mix_class *classes = ptx_arena_array(&m->arena, ptxlint_mix_class, CLASS__COUNT - 1);
    for (int c = 1; c < CLASS__COUNT; c++)
        classes[c - 1] = (ptxlint_mix_class){ ptx_class_info[c].text, mix->counts[c], mix->weighted[c] };
    return (ptxlint_mix){
        .classes = classes, .class_count = CLASS__COUNT - 1, .instruction_count = mix->insn_count,
        .fused_count = mix->fused_count, .fusable_count = mix->fusable_count,
        .fma_fraction = mix->insn_count ? (double)mix->fused_count / mix->insn_count : (double)NAN,
        .weighted_fma_fraction = mix->weighted_insn_count > 0 ? mix->weighted_fused_count / mix->weighted_insn_count : (double)NAN,
        .weighted_instruction_count = mix->weighted_insn_count, .flops_fp32 = amount(mix, mix->weighted_flops[FLOPS_FP32]),
        .flops_fp64 = amount(mix, mix->weighted_flops[FLOPS_FP64]), .flops_fp16 = amount(mix, mix->weighted_flops[FLOPS_FP16]),
        .flops_tensor = amount(mix, mix->weighted_flops[FLOPS_TENSOR]), .global_bytes = amount(mix, mix->weighted_global_bytes),
        .has_assumed_trips = mix->has_assumed_trips,
    };
}

/* trip may be NULL: only findings were asked for. */
static ptxlint_trip view_trip(ptxlint_module *m, const Func *func, const Trip *trip)
{
    if (!trip)
        return (ptxlint_trip){ .count = (double)NAN, .count_min = (double)NAN, .count_max = (double)NAN, .certainty = PTXLINT_NOT_KNOWN,
                               .step = PTXLINT_UNKNOWN, .why = "only findings were asked for" };
    static const ptxlint_trip_source sources[] = { [TRIP_UNKNOWN] = PTXLINT_TRIP_UNKNOWN, [TRIP_CODE] = PTXLINT_TRIP_CODE,
        [TRIP_LAUNCH] = PTXLINT_TRIP_LAUNCH, [TRIP_USER] = PTXLINT_TRIP_USER, [TRIP_SYMBOLIC] = PTXLINT_TRIP_SYMBOLIC };
    bool has_induction = trip->induction != NO_ID;
    return (ptxlint_trip){
        .source = sources[trip->source], .count = trip->count, .count_min = trip->count_min, .count_max = trip->count_max,
        .certainty = trip->is_exact ? PTXLINT_EXACT : trip->is_upper ? PTXLINT_BOUND : isnan(trip->count) ? PTXLINT_NOT_KNOWN : PTXLINT_ESTIMATE,
        .expression = trip->expression, .induction = has_induction ? copy_text(m, func->regs[trip->induction].name) : NULL,
        .start = trip->start, .bound = trip->bound, .step = has_induction && trip->step ? trip->step : PTXLINT_UNKNOWN, .why = trip->why,
    };
}

static void view_loops(ptxlint_module *m, const Func *func, Session *session, ptxlint_kernel *out)
{
    const Loops *loops = ptx_session_loops(session);
    const Cfg *cfg = ptx_session_cfg(session);
    const Mixes *mixes = ptx_session_mixes(session);
    const Trips *trips = ptx_module_has_figures(m) ? ptx_session_trips(session) : NULL;
    ptxlint_loop *view = ptx_arena_array(&m->arena, ptxlint_loop, loops->loop_count ? loops->loop_count : 1);
    out->loops = view;
    out->loop_count = loops->loop_count;
    for (LoopId i = 0; i < loops->loop_count; i++) {
        const Loop *loop = &loops->loops[i];
        InsnId first = cfg->blocks[loop->header].first;
        view[i] = (ptxlint_loop){
            .size = sizeof *view, .header = ptx_view_span(func->insns[first].span), .label = "", .depth = loop->depth,
            .parent = loop->parent == NO_LOOP ? -1 : (int64_t)loop->parent, .is_irreducible = loop->is_irreducible,
            .is_innermost = loop->is_innermost, .mix = view_mix(m, &mixes->loops[i]),
            .trip = view_trip(m, func, trips ? &trips->trips[i] : NULL),
        };
        ptx_project_loop(m, session, i, &view[i]);
    }
    for (uint32_t l = 0; l < func->label_count && loops->loop_count; l++) {
        const Label *label = &func->labels[l];
        if (label->insn >= func->insn_count)
            continue;
        LoopId loop = loops->loop_of[cfg->block_of[label->insn]];       /* of a header: its own */
        if (loop != NO_LOOP && cfg->blocks[loops->loops[loop].header].first == label->insn && !*view[loop].label)
            view[loop].label = copy_text(m, label->name);
    }
}

static ptxlint_pressure view_pressure(ptxlint_module *m, const Func *func, const Live *live)
{
    ptxlint_pressure view = { .max_live = PTXLINT_UNKNOWN, .max_live_predicates = PTXLINT_UNKNOWN, .max_live_64 = PTXLINT_UNKNOWN,
                              .max_live_16 = PTXLINT_UNKNOWN };
    if (!live || live->max_insn == NO_ID || func->has_syntax_error)
        return view;
    const char **names = ptx_arena_array(&m->arena, const char *, live->max_reg_count ? live->max_reg_count : 1);
    for (uint32_t i = 0; i < live->max_reg_count; i++)
        names[i] = copy_text(m, func->regs[live->max_regs[i]].name);
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
static void view_params(ptxlint_module *m, const Func *func, ptxlint_kernel *out)
{
    uint64_t end = 0;
    bool has_place = true;
    if (!func->is_entry || !func->param_count)
        return;
    ptxlint_param *params = ptx_arena_array(&m->arena, ptxlint_param, func->param_count);
    out->params = params;
    out->param_count = func->param_count;
    for (uint32_t i = 0; i < func->param_count; i++) {
        const Var *var = &m->ir->vars[func->params[i]];
        uint32_t align = var->align ? var->align : 1;
        uint64_t offset = (end + align - 1) / align * align;
        params[i] = (ptxlint_param){ sizeof *params, copy_text(m, var->name), ptx_type_info[var->type].text ? ptx_type_info[var->type].text : "",
                                     var->bytes <= INT64_MAX ? (int64_t)var->bytes : PTXLINT_UNKNOWN,
                                     has_place ? (int64_t)offset : PTXLINT_UNKNOWN, align };
        has_place = has_place && !__builtin_add_overflow(offset, var->bytes, &end) && end <= INT64_MAX / 2;
    }
}

static int64_t to_public(int64_t value)
{
    return value < 0 ? PTXLINT_UNKNOWN : value;
}

static ptxlint_launch view_launch(Session *session)
{
    const LaunchShape *shape = ptx_session_shape(session);
    const Launch *launch = ptx_session_launch(session);
    ptxlint_launch out = {
        .source = PTXLINT_LAUNCH_ASSUMED, .block_is_assumed = shape->is_block_assumed, .error = shape->error,
        .dynamic_shared_bytes = to_public(shape->dynamic_shared_bytes), .blocks = to_public(shape->blocks),
        .threads_per_block = to_public(shape->threads_per_block), .warps_per_block = to_public(shape->warps_per_block),
        .warps = to_public(shape->warps), .idle_lanes = to_public(shape->idle_lanes),
    };
    for (int i = 0; i < 3; i++) {
        out.grid[i] = to_public(shape->grid[i]);
        out.block[i] = to_public(shape->block[i]);
        out.cluster[i] = to_public(shape->cluster[i]);
    }
    if (ptx_session_func(session)->bounds.reqntid[0])
        out.source = PTXLINT_LAUNCH_DIRECTIVE;
    if (launch->is_given)
        out.source = PTXLINT_LAUNCH_FILE;
    return out;
}

static void view_kernel(ptxlint_module *m, const ptxlint_options *options, FuncId id, ptxlint_kernel *out)
{
    const Func *func = &m->ir->funcs[id];
    out->size = sizeof *out;
    out->name = copy_text(m, func->name);
    out->span = ptx_view_span(func->span);
    out->name_span = ptx_view_span(func->name);
    out->is_entry = func->is_entry;
    out->has_syntax_error = func->has_syntax_error;
    out->minnctapersm = func->bounds.minnctapersm;
    out->maxnreg = func->bounds.maxnreg;
    memcpy(out->maxntid, func->bounds.maxntid, sizeof out->maxntid);
    memcpy(out->reqntid, func->bounds.reqntid, sizeof out->reqntid);
    Session *session = ptx_session_at(m, id);
    const Demand *demand = ptx_session_demand(session);
    const Cfg *cfg = ptx_session_cfg(session);
    out->static_shared_bytes = to_public(demand->static_shared_bytes);
    out->local_bytes = to_public(demand->local_bytes);
    out->param_bytes = to_public(demand->param_bytes);
    out->barriers = to_public(demand->barriers);
    view_params(m, func, out);
    out->launch = view_launch(session);
    out->pressure = view_pressure(m, func, ptx_session_live(session));
    if (!cfg) {
        out->mix = view_mix(m, &(const Mix){ 0 });
        if (func->is_entry)
            ptx_view_assumed(m, NULL, out);
        ptx_project_kernel(m, options, id, out);
        return;
    }
    out->is_recursive = ptx_session_calls(session)->is_recursive;
    out->block_count = cfg->block_count;
    out->unreachable_block_count = cfg->block_count - cfg->rpo_count;
    out->edge_count = cfg->succ_count;
    out->mix = view_mix(m, &ptx_session_mixes(session)->func);
    ptx_project_kernel(m, options, id, out);
    view_loops(m, func, session, out);
    if (func->is_entry)
        ptx_view_assumed(m, ptx_session_is_projected(session) ? ptx_session_evaluation(session, BUDGET_FIGURES) : NULL, out);
}

void ptx_view_begin(ptxlint_module *m)
{
    size_t count = 0;
    for (FuncId f = 0; f < m->ir->func_count; f++)
        count += m->ir->funcs[f].has_body;
    m->kernels = ptx_arena_array(&m->arena, ptxlint_kernel, count ? count : 1);
}

void ptx_view_func(ptxlint_module *m, const ptxlint_options *options, FuncId func)
{
    view_kernel(m, options, func, &m->kernels[m->kernel_count++]);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void view_info(ptxlint_module *m, const ptxlint_options *options)
{
    ptxlint_module_info *info = &m->info;
    char sm[16] = "";
    Target target = m->ir->target;
    if (target.sm)
        snprintf(sm, sizeof sm, "sm_%u%.1s", (unsigned)target.sm, target.suffix ? &target.suffix : "");
    const char *path = ptx_options_path(options);
    info->size = sizeof *info;
    info->path = ptx_arena_strndup(&m->arena, path, strlen(path));
    info->text = m->text;
    info->length = m->length;
    info->target = ptx_arena_strndup(&m->arena, sm, strlen(sm));
    const ptxlint_gpu **gpus = ptx_arena_array(&m->arena, const ptxlint_gpu *, m->gpu_count + 1);
    for (size_t g = 0; g < m->gpu_count; g++)
        gpus[g] = ptx_gpu_handle(m->gpus[g]);
    info->gpus = gpus;
    info->gpu_count = m->gpu_count;
    info->version_major = m->ir->version / 10;
    info->version_minor = m->ir->version % 10;
    info->address_size = (int)m->ir->address_size;
    info->memory_bytes = m->arena.used_bytes + m->length;
}

void ptx_view_kernels(ptxlint_module *m)
{
    size_t kernel = 0;
    for (FuncId f = 0; f < m->ir->func_count; f++)
        if (m->ir->funcs[f].has_body)
            ptx_view_accesses(m, f, &m->kernels[kernel++]);
}

void ptx_view_finish(ptxlint_module *m, const ptxlint_options *options)
{
    view_diagnostics(m);
    view_info(m, options);
}
