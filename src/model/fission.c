#include "model/fission.h"

#include "analysis/registers/part_registers.h"
#include "analysis/value/launch.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/module.h"
#include "model/gpu.h"
#include "model/view.h"
#include "session/residency.h"

#include <stdio.h>

typedef struct FissionView {
    Arena *arena, *scratch;
    const FissionInput *in;
    LaunchShape shape;
    Demand demand;
} FissionView;

/* Of what is kept; NULL: of all. */
static bool find_part_figures(const FissionView *v, const bool *keeps,
                              ptxlint_fission_figures *out, Occupancy *occupancy)
{
    PartRegisters part;
    const PartRegistersInput part_of = { v->in->flow, keeps, v->in->launch, v->in->gpu };
    if (!ptx_part_registers_compute(v->arena, v->scratch, &part_of, &part))
        return false;
    const ResidencyInput in = { .gpu = v->in->gpu, .shape = &v->shape, .demand = &v->demand,
                                .model = &part.pressure, .max_live = part.max_live };
    const Residency residency = ptx_residency_compute(&in);
    Resources high = residency.resources;
    Occupancy at_high;
    high.registers_per_thread = residency.registers_high;
    if (!ptx_occupancy_compute(v->in->gpu, &high, &at_high) || residency.occupancy.warps_per_sm < 0)
        return false;
    *occupancy = residency.occupancy;
    *out = (ptxlint_fission_figures){
        .max_live = part.max_live,
        .registers = residency.registers,
        .registers_low = residency.registers_low,
        .registers_high = residency.registers_high,
        .warps_per_sm = occupancy->warps_per_sm,
        .least_warps_per_sm = at_high.warps_per_sm,
        .occupancy_percent = occupancy->percent,
    };
    return true;
}

/* Each by its title, as many as a part has. */
static const char *text_of_arrays(const FissionView *v, const FissionPart *part)
{
    const size_t room = (size_t)part->array_count * (VAR_TITLE_BYTES + 2) + 1;
    char *text = ptx_arena_array(v->arena, char, room);
    size_t at = 0;
    for (uint32_t a = 0; a < part->array_count; a++) {
        const char *title = ptx_view_var_title(v->scratch, v->in->flow->module, part->arrays[a]);
        at += (size_t)snprintf(text + at, room - at, "%s%s", a ? ", " : "", title);
    }
    return text;
}

static bool view_part(const FissionView *v, const FissionPart *part, ptxlint_fission_part *out)
{
    Occupancy occupancy;
    *out = (ptxlint_fission_part){
        .size = sizeof *out,
        .arrays = text_of_arrays(v, part),
        .store = ptx_view_span(v->in->flow->func->insns[part->store].span),
        .store_count = part->store_count,
        .own_count = part->own_count,
        .shared_count = part->shared_count,
    };
    return find_part_figures(v, part->keeps, &out->figures, &occupancy);
}

/* The part that the fewest warps of are resident. */
static const ptxlint_fission_part *find_fullest(const ptxlint_fission_part *parts, size_t count)
{
    const ptxlint_fission_part *fullest = parts;
    for (size_t p = 1; p < count; p++)
        if (parts[p].figures.warps_per_sm < fullest->figures.warps_per_sm)
            fullest = &parts[p];
    return fullest;
}

/* Warps that the launch gives an SM at the most; INT64_MAX: not known. */
static int64_t warps_of_grid(const FissionView *v)
{
    const int64_t sms = ptx_gpu_count_of(v->in->gpu, FIGURE_SMS, 0);
    if (v->shape.blocks < 0 || sms < 1)
        return INT64_MAX;
    return (v->shape.blocks + sms - 1) / sms * v->shape.warps_per_block;
}

static bool may_be_below(const ptxlint_fission *of)
{
    for (size_t p = 0; p < of->part_count; p++)
        if (of->parts[p].figures.least_warps_per_sm < of->whole.warps_per_sm)
            return true;
    return false;
}

static const char *text_of_reason(const FissionView *v, const char *text, InsnId where)
{
    char out[160];
    if (where == NO_ID)
        return text;
    const Span span = v->in->flow->func->insns[where].span;
    const int length = snprintf(out, sizeof out, "%s (line %u)", text,
                                (unsigned)ptx_line_of(v->in->flow->module, span.begin) + 1);
    return ptx_arena_strndup(v->arena, out, (size_t)length);
}

/* Where warps limit it as well, it is full. */
static bool is_limited_by_registers(const Occupancy *occupancy)
{
    const unsigned limiters = occupancy->limiters;
    return limiters & 1u << LIMITER_REGISTERS && !(limiters & 1u << LIMITER_WARPS);
}

/* Why there is no advice; "": there is. */
static const char *text_against(const FissionView *v, const ptxlint_fission *of,
                                const Occupancy *occupancy)
{
    const int64_t warps = of->whole.warps_per_sm;
    const Fission *fission = v->in->fission;
    if (!fission->count)
        return text_of_reason(v, fission->why, fission->why_insn);
    if (!is_limited_by_registers(occupancy))
        return "registers do not limit occupancy";
    if (of->is_block_assumed)
        return "no block is given: occupancy is for one of a common size";
    if (find_fullest(of->parts, of->part_count)->figures.warps_per_sm <= warps)
        return "occupancy does not rise for all of them";
    if (may_be_below(of))
        return "within the estimate's band, occupancy may fall";
    if (warps_of_grid(v) <= warps)
        return "the grid has no more warps for an SM";
    if (fission->loaded_again != NO_ID)
        return text_of_reason(v, "parts would load the same again", fission->loaded_again);
    return "";
}

static void judge_fission(const FissionView *v, ptxlint_fission *of, const Occupancy *occupancy)
{
    of->why = text_against(v, of, occupancy);
    of->is_advised = !*of->why;
}

static void begin_fission(FissionView *v, ptxlint_fission *out)
{
    const Func *func = v->in->flow->func;
    const Module *ir = v->in->flow->module;
    v->shape = ptx_launch_shape_find(func, v->in->launch, true);
    v->demand = ptx_demand_compute(ptx_demand_scan_new(v->arena, ir), v->scratch, v->in->calls,
                                   (FuncId)(func - ir->funcs));
    out->size = sizeof *out;
    out->gpu = ptx_gpu_handle(v->in->gpu);
    out->threads_per_block = v->shape.threads_per_block;
    out->is_block_assumed = v->shape.is_block_assumed && !func->bounds.maxntid[0];
}

const ptxlint_fission *ptx_fission_view(Arena *arena, Arena *scratch, const FissionInput *in)
{
    const Fission *fission = in->fission;
    FissionView v = { .arena = arena, .scratch = scratch, .in = in };
    if (!fission->count && !fission->why)
        return NULL;
    ptxlint_fission *out = ptx_arena_new(arena, ptxlint_fission);
    ptxlint_fission_part *parts = ptx_arena_array(arena, ptxlint_fission_part, fission->count);
    Occupancy occupancy;
    begin_fission(&v, out);
    if (v.shape.error || !find_part_figures(&v, NULL, &out->whole, &occupancy))
        return NULL;
    if (!fission->count && !is_limited_by_registers(&occupancy))
        return NULL;
    for (uint32_t p = 0; p < fission->count; p++)
        if (!view_part(&v, &fission->parts[p], &parts[p]))
            return NULL;
    out->parts = parts;
    out->part_count = fission->count;
    out->again_count = fission->again_count;
    if (fission->again != NO_ID)
        out->again = ptx_view_span(in->flow->func->insns[fission->again].span);
    judge_fission(&v, out, &occupancy);
    return out;
}
