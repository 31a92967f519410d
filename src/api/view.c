/* view.c -- the public structures of a module, filled from IR and facts. */
#include "api/gpu.h"
#include "api/launch.h"
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

/* Bytes of the function's variables in a space, each aligned as it asks; PTXLINT_UNKNOWN where one has no size. */
static int64_t laid_out_bytes(const ptxlint_module *m, FuncId id, Space space, uint32_t first, bool params)
{
    uint64_t bytes = 0;
    for (VarId v = first; v < m->ir->var_count && m->ir->vars[v].func == id; v++) {
        const Var *var = &m->ir->vars[v];
        if (var->space != space || var->is_parameter != params)
            continue;
        uint64_t align = var->align ? var->align : 1;
        if (__builtin_add_overflow((bytes + align - 1) / align * align, var->bytes, &bytes) || bytes > INT64_MAX / 2)
            return PTXLINT_UNKNOWN;
    }
    return (int64_t)bytes;
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

static void find_shared(ptxlint_module *m)
{
    m->unit_shared = ptx_arena_array(&m->arena, UnitShared, m->ir->unit_count);
    for (VarId v = 0; v < m->ir->var_count; v++) {
        const Var *var = &m->ir->vars[v];
        UnitShared *unit = &m->unit_shared[var->unit];
        if (var->space != SPACE_SHARED)
            continue;
        unit->has_unsized |= !var->bytes;
        unit->has_in_module |= var->bytes && var->func == NO_ID;
        unit->has_in_funcs |= var->bytes && var->func != NO_ID && !m->ir->funcs[var->func].is_entry;
        if (unit->has_in_module && !m->shared_seen)
            m->shared_seen = ptx_arena_array(&m->arena, uint32_t, m->ir->var_count);
    }
}

/* What the driver provides takes neither shared memory nor barriers: CUDA C++ Programming Guide, "Formatted Output", "Assertion",
 * "Dynamic Global Memory Allocation and Operations"; PTX Writer's Guide, "System Calls". */
static bool is_system_call(const ptxlint_module *m, FuncId id)
{
    static const char *const names[] = { "vprintf", "__assertfail", "malloc", "free" };
    const Func *func = &m->ir->funcs[id];
    for (size_t i = 0; i < sizeof names / sizeof *names && !func->has_body; i++)
        if (strlen(names[i]) == ptx_span_length(func->name) && !memcmp(m->text + func->name.begin, names[i], strlen(names[i])))
            return true;
    return false;
}

bool ptx_view_may_share(const ptxlint_module *m, FuncId id)
{
    const CallNode *calls = m->sessions ? ptx_session_calls(ptx_session_at(m, id)) : NULL;
    for (uint32_t c = 0; calls && c < calls->callee_count; c++)
        if (!is_system_call(m, m->calls->callees[calls->callee_first + c]))
            return true;
    return calls && calls->has_indirect_call;
}

/* Adds to a function's own bytes the variables of the module that its instructions name, as ptxas does. What it calls may
 * use more: unknown where anything that can be called does. */
static int64_t shared_bytes(const ptxlint_module *m, FuncId id, int64_t own)
{
    const Func *func = &m->ir->funcs[id];
    const UnitShared *unit = &m->unit_shared[func->unit];
    if (own == PTXLINT_UNKNOWN || (ptx_view_may_share(m, id) && (unit->has_in_module || unit->has_in_funcs)))
        return PTXLINT_UNKNOWN;
    if (!m->shared_seen)
        return own;
    uint64_t bytes = (uint64_t)own;
    for (uint32_t o = 0; o < func->operand_count; o++) {
        const Operand *operand = &func->operands[o];
        if (operand->kind != OPERAND_VAR || m->shared_seen[operand->id] == id + 1)
            continue;
        const Var *var = &m->ir->vars[operand->id];
        m->shared_seen[operand->id] = id + 1;
        if (var->space != SPACE_SHARED || var->func != NO_ID)
            continue;
        uint64_t align = var->align ? var->align : 1;
        if (__builtin_add_overflow((bytes + align - 1) / align * align, var->bytes, &bytes) || bytes > INT64_MAX / 2)
            return PTXLINT_UNKNOWN;
    }
    return (int64_t)bytes;
}

/* Products of what is known; PTXLINT_UNKNOWN where one is not, or where it goes beyond 2^62. */
static int64_t product(const int64_t dims[3])
{
    int64_t all = 1;
    for (int i = 0; i < 3; i++)
        if (dims[i] == PTXLINT_UNKNOWN || __builtin_mul_overflow(all, dims[i], &all) || all > INT64_MAX / 2)
            return PTXLINT_UNKNOWN;
    return all;
}

static void derive_launch(ptxlint_launch *launch)
{
    launch->blocks = product(launch->grid);
    launch->threads_per_block = product(launch->block);
    bool has_block = launch->threads_per_block != PTXLINT_UNKNOWN && launch->threads_per_block > 0;
    launch->warps_per_block = has_block ? (launch->threads_per_block + 31) / 32 : PTXLINT_UNKNOWN;
    launch->idle_lanes = has_block ? 32 * launch->warps_per_block - launch->threads_per_block : PTXLINT_UNKNOWN;
    launch->warps = PTXLINT_UNKNOWN;
    if (has_block && launch->blocks != PTXLINT_UNKNOWN && __builtin_mul_overflow(launch->blocks, launch->warps_per_block, &launch->warps))
        launch->warps = PTXLINT_UNKNOWN;
}

/* NVIDIA's guideline is 128 to 256 threads (CUDA C++ Best Practices Guide, "Thread and Block Heuristics"). */
enum { ASSUMED_THREADS = 256 };

static void assume_block(ptxlint_launch *launch, const ptxlint_kernel *kernel)
{
    const uint32_t nothing[3] = { ASSUMED_THREADS, 1, 1 }, *dims = kernel->maxntid[0] ? kernel->maxntid : nothing;
    for (int i = 0; i < 3; i++)
        launch->block[i] = dims[i] ? dims[i] : 1;
    launch->block_is_assumed = 1;
}

/* .reqntid binds every launch. */
static ptxlint_launch view_launch(const ptxlint_options *options, const Bounds *bounds, const ptxlint_kernel *kernel)
{
    ptxlint_launch launch = { .dynamic_shared_bytes = PTXLINT_UNKNOWN, .source = PTXLINT_LAUNCH_ASSUMED };
    const uint32_t *dims = kernel->reqntid;
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = PTXLINT_UNKNOWN;
        launch.cluster[i] = !bounds->reqnctapercluster[0] ? PTXLINT_UNKNOWN : bounds->reqnctapercluster[i] ? bounds->reqnctapercluster[i] : 1;
        launch.block[i] = !dims[0] ? PTXLINT_UNKNOWN : dims[i] ? (int64_t)dims[i] : 1;
    }
    if (kernel->reqntid[0])
        launch.source = PTXLINT_LAUNCH_DIRECTIVE;
    ptx_launch_find(options->launches, ptx_options_path(options), kernel->name, &launch);
    if (launch.block[0] == PTXLINT_UNKNOWN)
        assume_block(&launch, kernel);
    else
        launch.error = ptx_project_block_error(kernel->reqntid, kernel->maxntid, launch.block);
    derive_launch(&launch);
    return launch;
}

/* Named barriers 0 to 15: the highest number and one more, all where one stands in a register. */
static int64_t own_barriers(const Func *func)
{
    int64_t count = 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        if (insn->op->kind != OPK_BAR || ptx_op_has(insn->op, MOD_CLUSTER) || ptx_op_has(insn->op, MOD_WARP))
            continue;
        uint32_t at = 0;
        while (at < insn->operand_count && operands[at].role & ROLE_DEF)
            at++;                       /* bar.red writes its result first */
        int64_t number = at == insn->operand_count || operands[at].kind != OPERAND_INT ? 15 : operands[at].value;
        count = number >= 15 || number < 0 ? 16 : number + 1 > count ? number + 1 : count;
    }
    return count;
}

/* Those of all that it may come to call, too: unknown where some of that is not there to be looked at. */
static int64_t count_barriers(const ptxlint_module *m, Arena *scratch, FuncId id)
{
    int64_t most = own_barriers(&m->ir->funcs[id]);
    if (!ptx_view_may_share(m, id))
        return most;
    ArenaMark mark = ptx_arena_mark(scratch);
    FuncId *found = ptx_arena_array(scratch, FuncId, m->ir->func_count + 1);
    bool *is_found = ptx_arena_array(scratch, bool, m->ir->func_count + 1);
    uint32_t count = 1;
    found[0] = id;
    is_found[id] = true;
    for (uint32_t f = 0; f < count && most != PTXLINT_UNKNOWN; f++) {
        const CallNode *calls = &m->calls->nodes[found[f]];
        int64_t own = own_barriers(&m->ir->funcs[found[f]]);
        bool is_known = !calls->has_indirect_call && (m->ir->funcs[found[f]].has_body || is_system_call(m, found[f]));
        most = !is_known ? PTXLINT_UNKNOWN : own > most ? own : most;
        for (uint32_t c = 0; c < calls->callee_count; c++) {
            FuncId callee = m->calls->callees[calls->callee_first + c];
            if (!is_found[callee])
                found[count++] = callee;
            is_found[callee] = true;
        }
    }
    ptx_arena_release(scratch, mark);
    return most;
}

static void view_kernel(ptxlint_module *m, const ptxlint_options *options, Arena *scratch, FuncId id, VarId first_var, ptxlint_kernel *out)
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
    out->static_shared_bytes = shared_bytes(m, id, laid_out_bytes(m, id, SPACE_SHARED, first_var, false));
    out->local_bytes = laid_out_bytes(m, id, SPACE_LOCAL, first_var, false);
    out->param_bytes = laid_out_bytes(m, id, SPACE_PARAM, first_var, true);
    view_params(m, func, out);
    out->launch = view_launch(options, &func->bounds, out);
    Session *session = ptx_session_at(m, id);
    const Cfg *cfg = session ? ptx_session_cfg(session) : NULL;
    out->barriers = count_barriers(m, scratch, id);
    out->pressure = view_pressure(m, func, session ? ptx_session_live(session) : NULL);
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
    find_shared(m);
}

/* Variables of a function are contiguous, and in the order of the functions. */
void ptx_view_func(ptxlint_module *m, const ptxlint_options *options, Arena *scratch, FuncId func, Figures *figures)
{
    while (m->next_var < m->ir->var_count && (m->ir->vars[m->next_var].func == NO_ID || m->ir->vars[m->next_var].func < func))
        m->next_var++;
    ptxlint_kernel *out = &m->kernels[m->kernel_count++];
    view_kernel(m, options, scratch, func, m->next_var, out);
    ptx_project_figures(out, figures);
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
