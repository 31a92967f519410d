/* isa_rates.c -- how fast instructions are: costs.txt over the pipelines of rules/gpus/, for the
 * instruction table. */
#include "model/gpu.h"
#include "api/isa.h"

#include "analysis/time/throughput.h"
#include "gpu/costs.h"
#include "gpu/gpu.h"

#include <stdio.h>

/* ---- one instruction on one GPU -------------------------------------------------------------- */

static bool gpu_has(const Gpu *gpu, const Op *op)
{
    for (FormId id = ptx_form_next(op, 0); id; id = ptx_form_next(op, id))
        if (ptx_isa_gpu_has_form(gpu->target, id))
            return true;
    return false;
}

/* Whether no pipeline but issue is known to do it: then its speed is not known. Of arithmetic issue
 * alone may be the limit, where several pipelines share it. */
static bool is_untold(const CostTerm *term, const Gpu *gpu)
{
    switch (term->machine) {
    case MACHINE_GLOBAL:
    case MACHINE_SHARED:
    case MACHINE_CONST:
    case MACHINE_ATOMIC:
    case MACHINE_ATOMIC_SHARED:
    case MACHINE_TEXTURE:
    case MACHINE_BRANCH: case MACHINE_BARRIER: case MACHINE_OTHER:
        for (int p = 0; p < PIPE__COUNT; p++)
            if (p != PIPE_ISSUE && gpu->pipes[p].lanes > 0
                && gpu->pipes[p].takes[term->machine] > 0)
                return false;
        return true;
    default:
        return false;
    }
}

/* The pipeline that it holds longest; PIPE__COUNT: none, or it is not known. */
static int most_loaded(const OpCycles *cycles)
{
    int most = PIPE__COUNT;
    for (int p = 0; p < PIPE__COUNT; p++) {
        if (isnan(cycles->pipes[p]))
            return PIPE__COUNT;
        if (cycles->pipes[p] > 0
            && (most == PIPE__COUNT || cycles->pipes[p] >= cycles->pipes[most]))
            most = p;           /* of equals the later one: issue, which all take, is the first */
    }
    return most;
}

static void rate_op(const Op *op, const Gpu *gpu, ptxlint_isa_rate *out)
{
    const Cost *cost = ptx_cost_find(op, gpu->target);
    OpCycles cycles = { { 0 } };
    double warp = ptx_gpu_has(gpu, FIGURE_WARP_SIZE) ? gpu->figures[FIGURE_WARP_SIZE] : 32;
    ptx_throughput_op(&cycles, op, gpu);
    int pipe = most_loaded(&cycles);
    *out = (ptxlint_isa_rate){ (double)NAN, (double)NAN, "", "", "", true };
    if (!cost->term_count)
        out->results_per_clock = (double)INFINITY;
    for (unsigned t = 0; t < cost->term_count && pipe == PIPE_ISSUE; t++)
        pipe = is_untold(&cost->terms[t], gpu) ? PIPE__COUNT : pipe;
    if (pipe == PIPE__COUNT)
        return;
    out->pipe = ptx_pipe_info[pipe].key;
    out->pipe_what = ptx_pipe_info[pipe].what;
    out->results_per_clock = warp / (double)cycles.pipes[pipe];
    out->is_bound = !ptx_throughput_is_of_several(op, &cycles);
    out->source = gpu->sources[pipe == PIPE_TENSOR ? gpu->figure_sources[ptx_cost_tensor_rate(op)]
                                                   : gpu->pipes[pipe].source];
    if (cycles.pipes[PIPE_TENSOR] > 0)
        out->fmas_per_clock = ptx_cost_tensor_fmas(op) / (double)cycles.pipes[pipe];
}

int ptxlint_isa_get_rate(const char *text, size_t length, const ptxlint_gpu *handle,
                         ptxlint_isa_rate *out)
{
    const Gpu *gpu = ptx_gpu_of(handle);
    Op op;
    if (!text || length > UINT16_MAX || !gpu || !out)
        return 0;
    ptx_op_resolve(&op, text, length);
    if (!op.form || !gpu_has(gpu, &op) || !ptx_cost_find(&op, gpu->target))
        return 0;
    rate_op(&op, gpu, out);
    return 1;
}

/* ---- which instructions differ --------------------------------------------------------------- */

enum { PER_FORM_MAX = 64, SAMPLES_MAX = 24, TEXT_BYTES_MAX = 256, ALIKE_BYTES_MAX = 512 };

typedef struct Sampler {
    ptxlint_isa *isa;
    /* per sample and GPU: equal for the same cost; 0: it has none */
    uint64_t *costs;
    uint64_t *cost;                     /* of the instruction in hand */
    unsigned type_counts[SAMPLES_MAX];
    char alike[SAMPLES_MAX][ALIKE_BYTES_MAX];
} Sampler;

static uint64_t cost_on(const Op *op, const Gpu *gpu)
{
    const Cost *cost = ptx_cost_find(op, gpu->target);
    bool is_tensor = cost && cost->term_count
                     && cost->terms[cost->term_count - 1].machine == MACHINE_TENSOR;
    if (!cost)
        return 0;
    double rate = is_tensor ? gpu->figures[ptx_cost_tensor_rate(op)] : 0;
    return (uint64_t)(cost - ptx_costs) + 1 + (rate > 0 ? (uint64_t)rate << 20 : 0);
}

/* Costs on all architectures; false: it has none. */
static bool find_costs(const Op *op, uint64_t *costs)
{
    bool has_some = false;
    memset(costs, 0, ptx_gpu_count * sizeof *costs);
    for (FormId id = ptx_form_next(op, 0); id; id = ptx_form_next(op, id))
        for (uint32_t i = 0; i < ptx_gpu_count; i++)
            if (!costs[i] && !*ptx_gpus[i].product && ptx_isa_gpu_has_form(ptx_gpus[i].target, id))
                costs[i] = cost_on(op, &ptx_gpus[i]);
    for (uint32_t i = 0; i < ptx_gpu_count; i++)
        has_some |= costs[i] != 0;
    return has_some;
}

/* Whether the instruction in hand is as fast as the sample wherever there is such an
 * instruction. */
static bool is_like(const Sampler *s, size_t sample)
{
    const uint64_t *costs = s->costs + sample * ptx_gpu_count;
    for (uint32_t i = 0; i < ptx_gpu_count; i++)
        if (s->cost[i] && s->cost[i] != costs[i])
            return false;
    return true;
}

static unsigned type_count(const Op *op)
{
    unsigned count = 0;
    for (unsigned m = 0; m < op->modifier_count; m++) {
        const char *text = op->modifiers[m] < 0 ? "" : ptx_modifier_texts[op->modifiers[m]];
        count += ptx_type_find(text, strlen(text)) != TYPE_NONE;
    }
    return count;
}

static bool has_rate_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if (at[length] == ' ' || !at[length])
            return true;
    return false;
}

/* The type of an instruction that is like sample number i. */
static void add_alike(Sampler *s, size_t i, const Op *op)
{
    char word[64];
    if (!op->type)
        return;
    snprintf(word, sizeof word, ".%s", ptx_type_info[op->type].text);
    const char *dot = strrchr(s->isa->samples[i].text, '.');
    size_t length = strlen(s->alike[i]);
    if ((dot && !strcmp(dot, word)) || has_rate_word(s->alike[i], word)
        || length + strlen(word) + 2 > ALIKE_BYTES_MAX)
        return;
    snprintf(s->alike[i] + length, ALIKE_BYTES_MAX - length, "%s%s", length ? " " : "", word);
}

static void add_sample(Sampler *s, const char *text)
{
    ptxlint_isa *isa = s->isa;
    Op op;
    ptx_op_resolve(&op, text, strlen(text));
    if (!op.form || !find_costs(&op, s->cost))
        return;
    for (size_t i = 0; i < isa->sample_count; i++)
        if (s->type_counts[i] == type_count(&op) && is_like(s, i)) {
            add_alike(s, i, &op);
            return;
        }
    if (isa->sample_count == SAMPLES_MAX)
        return;
    memcpy(s->costs + isa->sample_count * ptx_gpu_count, s->cost, ptx_gpu_count * sizeof *s->cost);
    s->type_counts[isa->sample_count] = type_count(&op);
    isa->samples[isa->sample_count++].text = ptx_arena_strndup(&isa->arena, text, strlen(text));
}

static bool is_wanted_rate(const Op *op, const ptxlint_isa_modifier *slot, size_t value)
{
    for (unsigned m = 0; m < op->modifier_count; m++)
        if (op->modifiers[m] >= 0
            && !strcmp(ptx_modifier_texts[op->modifiers[m]], slot->values[value]))
            return true;
    return false;
}

static bool is_space(const ptxlint_isa_modifier *slot)
{
    return ptx_space_find(slot->values[0], strlen(slot->values[0])) != SPACE_NONE;
}

/* How many ways there are to fill a slot, and way number n: an index into its values, or -1 to
 * leave it out. What is written fixes it. */
static size_t way_count(const Op *op, const ptxlint_isa_modifier *slot)
{
    for (size_t v = 0; v < slot->value_count; v++)
        if (is_wanted_rate(op, slot, v))
            return 1;
    if (!slot->is_optional)
        return slot->value_count;
    return is_space(slot) ? slot->value_count + 1 : 1;
}

/* Number n of the values, .rn being the first of the roundings. */
static size_t usual_first(const ptxlint_isa_modifier *slot, size_t n)
{
    size_t usual = 0;
    for (size_t v = 0; v < slot->value_count; v++)
        if (!strcmp(slot->values[v], "rn"))
            usual = v;
    if (n == 0)
        return usual;
    return n == usual ? 0 : n;
}

static int way(const Op *op, const ptxlint_isa_modifier *slot, size_t n)
{
    for (size_t v = 0; v < slot->value_count; v++)
        if (is_wanted_rate(op, slot, v))
            return (int)v;
    return slot->is_optional ? (int)n - 1 : (int)usual_first(slot, n);
}

/* Instruction number n of those that the form makes; "": its modifiers are too long. */
static void spell(const ptxlint_isa *isa, const ptxlint_isa_form *form, size_t n, char *text)
{
    int length = snprintf(text, TEXT_BYTES_MAX, "%s", isa->info.opcode);
    for (size_t m = 0; m < form->modifier_count && length < TEXT_BYTES_MAX; m++) {
        const ptxlint_isa_modifier *slot = &form->modifiers[m];
        size_t ways = way_count(&isa->op, slot), share = 1;
        for (size_t k = m + 1; k < form->modifier_count && share <= PER_FORM_MAX;
             k++) /* n is below that */
            share *= way_count(&isa->op, &form->modifiers[k]);
        int value = way(&isa->op, slot, n / share % ways);
        if (value >= 0)
            length += snprintf(text + length, (size_t)(TEXT_BYTES_MAX - length), ".%s",
                               slot->values[value]);
    }
    if (length >= TEXT_BYTES_MAX)
        *text = 0;
}

void ptx_isa_find_samples(ptxlint_isa *isa)
{
    Sampler *s = ptx_arena_new(&isa->arena, Sampler);
    char text[TEXT_BYTES_MAX];
    s->isa = isa;
    s->costs = ptx_arena_array(&isa->arena, uint64_t, SAMPLES_MAX * (size_t)ptx_gpu_count);
    s->cost = ptx_arena_array(&isa->arena, uint64_t, ptx_gpu_count);
    isa->samples = ptx_arena_array(&isa->arena, ptxlint_isa_sample, SAMPLES_MAX);
    for (size_t f = 0; f < isa->info.form_count; f++) {
        const ptxlint_isa_form *form = &isa->info.forms[f];
        size_t count = 1;
        for (size_t m = 0; m < form->modifier_count && count <= PER_FORM_MAX; m++)
            count *= way_count(&isa->op, &form->modifiers[m]);
        for (size_t n = 0; n < count && n < PER_FORM_MAX; n++) {
            spell(isa, form, n, text);
            add_sample(s, text);
        }
    }
    for (size_t i = 0; i < isa->sample_count; i++)
        isa->samples[i].alike = s->alike[i];
}
