/* recognition.c -- what the loops of a function compute, found when a client asks for it. */
#include "ptxlint/ptxlint.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/func_flow.h"
#include "analysis/flow/loop.h"
#include "analysis/recognize/recognize.h"
#include "analysis/sass/kept_loops.h"
#include "analysis/value/launch.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "model/fission.h"
#include "model/view.h"
#include "support/guard.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECOGNIZE_BYTES_PER_INSN = 1 << 14, /* more than dependences and tables can take */
    RECOGNIZE_BYTES = 64 << 20
};

struct ptxlint_recognition {
    Arena arena;
    ptxlint_recognized *items;
    size_t count;
    ptxlint_link *links;
    size_t link_count;
    int is_cut, is_links_cut;
    /* of a launch: the module of the first, the function, the block, and what could be kernels of
     * their own, with an arena of its own */
    const ptxlint_module *first_launch;
    FuncId func;
    uint32_t block[3];
    bool has_block, has_parts;
    FuncFlow flow;
    Fission parts;
    Arena fission_arena;
    const ptxlint_fission *fission;
};

typedef struct RecognitionBuild {
    ptxlint_recognition *to;
    bool has_links, has_fission;
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    const Func *func;
    Arena scratch;
} RecognitionBuild;

static const char *text_of_register(const RecognitionBuild *b, RegId reg)
{
    if (reg == NO_ID)
        return "";
    const Span name = ptx_reg_name(&b->func->regs[reg]);
    return ptx_arena_strndup(&b->to->arena, b->module->ir->text + name.begin,
                             ptx_span_length(name));
}

static const char *text_of_array(const RecognitionBuild *b, VarId array)
{
    if (array == NO_ID)
        return "";
    const Span name = b->module->ir->vars[array].name;
    return ptx_arena_strndup(&b->to->arena, b->module->ir->text + name.begin,
                             ptx_span_length(name));
}

static const char *text_of_interchange(const Recognized *item)
{
    return item->is_array ? "give its iterations to lanes"
                          : "give its iterations to lanes, and combine these by shuffles";
}

static const char *text_of_figures(const RecognitionBuild *b, const Recognized *item)
{
    char text[160];
    if (item->advice == ADVICE_PRIVATIZE)
        snprintf(text, sizeof text,
                 "the bins take %" PRIu32 " bytes at most: count in shared memory first",
                 item->extent);
    else if (item->lane_bytes)
        snprintf(text, sizeof text,
                 "lanes are %" PRId64 " bytes apart, the loop goes by %" PRId64 ": %s",
                 item->lane_bytes, item->element_bytes, text_of_interchange(item));
    else
        snprintf(text, sizeof text,
                 "lanes are apart by a value of the launch, the loop goes by %" PRId64 " bytes: %s",
                 item->element_bytes, text_of_interchange(item));
    return ptx_arena_strndup(&b->to->arena, text, strlen(text));
}

static const char *text_of_advice(const RecognitionBuild *b, const Recognized *item)
{
    switch ((RecognizedAdvice)item->advice) {
    case ADVICE_SHUFFLE:
        return "every lane adds to one element: combine the warp first, by shuffles, or the block "
               "in shared memory";
    case ADVICE_TREE_SHUFFLE:
        return "the last five steps are within a warp: shuffles need no barriers there";
    case ADVICE_CONFLICT:
        return "data say which element: bank conflicts are possible, how many is not known";
    case ADVICE_PRIVATIZE: case ADVICE_INTERCHANGE:
        return text_of_figures(b, item);
    default:
        return "";
    }
}

static void view_loop(const RecognitionBuild *b, const FuncFlow *flow, LoopId loop,
                      ptxlint_recognized *out)
{
    out->loop = SIZE_MAX;
    if (loop == NO_LOOP)
        return;
    const Block *header = &flow->cfg->blocks[flow->loops->loops[loop].header];
    out->loop = loop;
    out->header = ptx_view_span(b->func->insns[header->first].span);
}

static ptxlint_recognized view_recognized(const RecognitionBuild *b, const FuncFlow *flow,
                                          const Recognized *item)
{
    bool is_known = item->class != RECOGNIZED_NONE;
    ptxlint_recognized out = {
        .size = sizeof(ptxlint_recognized),
        .recognized = (ptxlint_recognized_class)item->class,
        .span = ptx_view_span(b->func->insns[item->insn].span),
        .variable = text_of_register(b, item->reg),
        .operation = "",
        .why = "",
        .step = PTXLINT_UNKNOWN,
        .instruction_count = item->insn_count,
        .is_conditional = is_known && item->is_conditional,
        .is_reinitialized = is_known && item->is_reinitialized,
        .is_array = item->is_array,
        .array = text_of_array(b, item->array),
        .array_offset = item->array_offset,
        .lanes = item->lanes,
        .advice = text_of_advice(b, item),
        .array_title = item->array == NO_ID ? ""
                           : ptx_view_var_title(&b->to->arena, b->module->ir, item->array),
    };
    view_loop(b, flow, item->loop, &out);
    if (is_known && item->operation)
        out.operation = item->operation;
    if (item->why)
        out.why = item->why;
    if (is_known && item->has_step)
        out.step = item->step;
    return out;
}

static const char *text_of_unrolling(RecognitionBuild *b, KeptLoop loop)
{
    const char *why = loop.is_by_shuffle ? "loops whose lanes exchange values, before sm_90"
                                         : "a loop that compares its counter before the step";
    char text[256];
    int count = snprintf(text, sizeof text,
                         "%" PRIu32 " of %" PRIu32 " instructions an iteration count, compare, "
                         "branch or step addresses; unrolled by %d, %d iterations take %" PRIu32
                         ", not %" PRIu32 " (ptxas does not unroll %s)",
                         loop.overhead, loop.instructions, KEPT_FACTOR, KEPT_FACTOR,
                         ptx_kept_loop_joined(loop), KEPT_FACTOR * loop.instructions, why);
    return ptx_arena_strndup(&b->to->arena, text, (size_t)count);
}

/* Of each loop the first row of a class whose iterations can be joined. */
static void advise_unrolling(RecognitionBuild *b, const FuncFlow *flow)
{
    const uint32_t classes = 1u << PTXLINT_SCALAR_REDUCTION | 1u << PTXLINT_ARRAY_ASSIGNMENT
                             | 1u << PTXLINT_STENCIL | 1u << PTXLINT_ARRAY_REDUCTION;
    KeptLoop *loops = ptx_kept_loops_compute(&b->to->arena, &b->scratch, flow);
    for (size_t i = 0; i < b->to->count; i++) {
        ptxlint_recognized *item = &b->to->items[i];
        if (item->loop == SIZE_MAX || !loops[item->loop].overhead || *item->advice
            || !(classes >> item->recognized & 1))
            continue;
        item->advice = text_of_unrolling(b, loops[item->loop]);
        loops[item->loop].overhead = 0;
    }
}

static void view_links(RecognitionBuild *b, const RecognizedLinks *links)
{
    b->to->links = ptx_arena_array(&b->to->arena, ptxlint_link, links->count + 1);
    for (uint32_t i = 0; i < links->count; i++) {
        const RecognizedLink *link = &links->items[i];
        b->to->links[i] = (ptxlint_link){ .size = sizeof(ptxlint_link),
                                          .from = link->from,
                                          .to = link->to,
                                          .kind = (ptxlint_link_kind)link->kind,
                                          .is_by_memory = link->is_by_memory };
    }
    b->to->link_count = links->count;
    b->to->is_links_cut = links->is_cut;
}

/* As far as the kernel's figures say: true where there are none. */
static bool may_registers_limit(const ptxlint_kernel *kernel)
{
    if (!kernel->projection_count)
        return true;
    const ptxlint_occupancy *of = &kernel->projections[0].occupancy;
    bool is_named = of->percent < 0 || isnan(of->percent);
    for (size_t i = 0; i < of->limiter_count; i++)
        is_named |= !strcmp(of->limiters[i], "registers") || !strcmp(of->limiters[i], "unknown");
    return is_named;
}

/* Why there are no parts is of interest where registers limit occupancy. */
static void view_fission(void *context)
{
    RecognitionBuild *b = context;
    const ptxlint_module *m = b->module;
    if (!m->gpu_count || !m->sessions->launches
        || (!b->to->parts.count && !may_registers_limit(b->kernel)))
        return;
    const FissionInput in = { .flow = &b->to->flow, .fission = &b->to->parts, .gpu = m->gpus[0],
                              .launch = m->sessions->launches[b->func - m->ir->funcs],
                              .calls = m->calls };
    b->to->fission = ptx_fission_view(&b->to->fission_arena, &b->scratch, &in);
}

/* Its shape; NULL: not known. */
static const uint32_t *block_of_launch(const RecognitionBuild *b)
{
    const Launch *const *launches = b->module->sessions->launches;
    const Launch *launch = launches ? launches[b->func - b->module->ir->funcs] : NULL;
    return launch ? launch->block : NULL;
}

static const ptxlint_module *first_launch(const RecognitionBuild *b)
{
    return b->module->launch_of ? b->module->launch_of : b->module;
}

static void note_launch(RecognitionBuild *b, const FuncFlow *flow)
{
    const uint32_t *block = block_of_launch(b);
    b->to->first_launch = first_launch(b);
    b->to->func = (FuncId)(b->func - b->module->ir->funcs);
    b->to->flow = *flow;
    b->to->has_block = block != NULL;
    b->to->has_parts = b->has_fission;
    if (block)
        memcpy(b->to->block, block, sizeof b->to->block);
}

static void view_recognition(void *context)
{
    RecognitionBuild *b = context;
    Arena *arena = &b->to->arena;
    const Cfg *cfg = ptx_cfg_build(arena, &b->scratch, b->module->ir, b->func);
    if (!cfg)
        return;
    const Dom *dom = ptx_dom_compute(arena, &b->scratch, cfg);
    const FuncFlow flow = { b->module->ir, b->func, cfg, dom,
                            ptx_loops_compute(arena, &b->scratch, cfg, dom), NULL };
    RecognizedLinks links = { 0 };
    note_launch(b, &flow);
    Fission *parts = b->has_fission ? &b->to->parts : NULL;
    const Recognitions all = ptx_recognize(arena, &b->scratch, &flow, block_of_launch(b),
                                           b->has_links ? &links : NULL, parts);
    b->to->items = ptx_arena_array(arena, ptxlint_recognized, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++)
        b->to->items[i] = view_recognized(b, &flow, &all.items[i]);
    b->to->count = all.count;
    b->to->is_cut = all.is_cut;
    advise_unrolling(b, &flow);
    if (b->has_links)
        view_links(b, &links);
}

static size_t limit_of_recognition(const Func *func)
{
    return RECOGNIZE_BYTES + (size_t)RECOGNIZE_BYTES_PER_INSN * func->insn_count;
}

static bool make_fission(RecognitionBuild *b)
{
    ptx_arena_free(&b->to->fission_arena);
    b->to->fission = NULL;
    return !b->to->has_parts
           || ptx_run_guarded_with(&b->to->fission_arena, &b->scratch,
                                   limit_of_recognition(b->func), view_fission, b);
}

static ptxlint_status make_recognition(RecognitionBuild *b, ptxlint_recognition **out)
{
    b->to = calloc(1, sizeof *b->to);
    if (!b->to)
        return PTXLINT_NO_MEMORY;
    if (!ptx_run_guarded_with(&b->to->arena, &b->scratch, limit_of_recognition(b->func),
                              view_recognition, b)
        || !make_fission(b)) {
        ptxlint_recognition_free(b->to);
        return PTXLINT_NO_MEMORY;
    }
    *out = b->to;
    return PTXLINT_OK;
}

static bool begin_build(RecognitionBuild *b, const ptxlint_module *module,
                        const ptxlint_kernel *kernel)
{
    *b = (RecognitionBuild){ .module = module, .kernel = kernel };
    if (!module || !kernel || !module->ir)
        return false;
    b->func = ptx_kernel_func(module, kernel);
    return b->func != NULL;
}

static ptxlint_status new_recognition(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                      bool has_links, ptxlint_recognition **out)
{
    RecognitionBuild b;
    if (out)
        *out = NULL;
    if (!out || !begin_build(&b, module, kernel))
        return PTXLINT_BAD_ARGUMENT;
    b.has_links = has_links;
    b.has_fission = true;
    return make_recognition(&b, out);
}

ptxlint_status ptxlint_recognition_new(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                       ptxlint_recognition **out)
{
    return new_recognition(module, kernel, false, out);
}

ptxlint_status ptxlint_recognition_new_linked(const ptxlint_module *module,
                                              const ptxlint_kernel *kernel,
                                              ptxlint_recognition **out)
{
    return new_recognition(module, kernel, true, out);
}

/* Whether the recognition at hand is of another launch of the kernel with that block. */
static bool is_same_recognition(const RecognitionBuild *b)
{
    const ptxlint_recognition *old = b->to;
    const uint32_t *block = block_of_launch(b);
    bool is_same_kernel = old->first_launch == first_launch(b)
                          && b->module->ir->funcs + old->func == b->func;
    bool is_same_block = !block == !old->has_block
                         && (!block || !memcmp(block, old->block, sizeof old->block));
    return is_same_kernel && is_same_block && old->has_parts == b->has_fission;
}

ptxlint_status ptxlint_recognition_relaunch(ptxlint_recognition **of, const ptxlint_module *module,
                                            const ptxlint_kernel *kernel, int has_fission)
{
    RecognitionBuild b;
    if (!of || !begin_build(&b, module, kernel))
        return PTXLINT_BAD_ARGUMENT;
    b.to = *of;
    b.has_fission = has_fission != 0;
    if (b.to && is_same_recognition(&b))
        return make_fission(&b) ? PTXLINT_OK : PTXLINT_NO_MEMORY;
    ptxlint_recognition_free(*of);
    *of = NULL;
    return make_recognition(&b, of);
}

void ptxlint_recognition_free(ptxlint_recognition *recognition)
{
    if (recognition) {
        ptx_arena_free(&recognition->arena);
        ptx_arena_free(&recognition->fission_arena);
    }
    free(recognition);
}

const ptxlint_recognized *ptxlint_recognition_items(const ptxlint_recognition *of, size_t *count)
{
    if (count)
        *count = of ? of->count : 0;
    return of ? of->items : NULL;
}

int ptxlint_recognition_is_cut(const ptxlint_recognition *of)
{
    return of && of->is_cut;
}

const ptxlint_link *ptxlint_recognition_links(const ptxlint_recognition *of, size_t *count)
{
    if (count)
        *count = of ? of->link_count : 0;
    return of ? of->links : NULL;
}

int ptxlint_recognition_is_links_cut(const ptxlint_recognition *of)
{
    return of && of->is_links_cut;
}

const ptxlint_fission *ptxlint_recognition_fission(const ptxlint_recognition *of)
{
    return of ? of->fission : NULL;
}

const char *ptxlint_recognition_index_name(const ptxlint_recognition *of, size_t node)
{
    static const char *const names[LINK_INDICES] = { "%tid.x", "%tid.y", "%tid.z",
                                                     "%ctaid.x", "%ctaid.y", "%ctaid.z" };
    bool is_index = of && node >= of->count && node - of->count < LINK_INDICES;
    return is_index ? names[node - of->count] : NULL;
}

const char *ptxlint_recognized_class_text(ptxlint_recognized_class recognized)
{
    switch (recognized) {
    case PTXLINT_LINEAR_INDUCTION: return "linear induction";
    case PTXLINT_POLYNOMIAL_INDUCTION: return "polynomial induction";
    case PTXLINT_GEOMETRIC_INDUCTION: return "geometric induction";
    case PTXLINT_SCALAR_REDUCTION: return "scalar reduction";
    case PTXLINT_LINEAR_RECURRENCE: return "linear recurrence";
    case PTXLINT_LOCATION: return "location";
    case PTXLINT_ARRAY_ASSIGNMENT: return "array assignment";
    case PTXLINT_STENCIL: return "stencil";
    case PTXLINT_SCATTER: return "scatter";
    case PTXLINT_GATHER: return "gather";
    case PTXLINT_ARRAY_REDUCTION: return "array reduction";
    case PTXLINT_HISTOGRAM: return "histogram";
    case PTXLINT_SCAN: return "scan";
    case PTXLINT_WARP_REDUCTION: return "warp reduction";
    case PTXLINT_WARP_SCAN: return "warp scan";
    case PTXLINT_BLOCK_REDUCTION: return "block reduction";
    case PTXLINT_BLOCK_SCAN: return "block scan";
    default: return "not recognized";
    }
}
