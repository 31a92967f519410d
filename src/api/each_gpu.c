/* each_gpu.c -- findings for each GPU that is named: the module is analysed again for those behind
 * the first, and what is found for some of them alone says for which. */
#include "api/module.h"

#include "findings/config.h"
#include "gpu/gpu.h"
#include "support/choice.h"
#include "support/hash.h"
#include "support/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A finding, and the GPUs that have it. */
typedef struct GpuFinding {
    Diag *diag;
    const char *names;          /* "h100, a100" */
    uint32_t count;
    size_t last;                /* the GPU that was added last */
} GpuFinding;

typedef struct GpuMerge {
    ptxlint_module *m;
    Arena *scratch;
    GpuFinding *items;
    uint32_t count;
    HashTable table;            /* into items, from 1 on */
} GpuMerge;

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_finding(const void *owner, uint32_t number, const void *key)
{
    const Diag *a = ((const GpuMerge *)owner)->items[number - 1].diag, *b = key;
    return a->info == b->info && a->severity == b->severity && a->span.begin == b->span.begin
           && a->span.end == b->span.end && a->repeats == b->repeats
           && is_same_text(a->message, b->message) && is_same_text(a->help, b->help);
}

static uint32_t *slot_of(GpuMerge *merge, const Diag *diag)
{
    uint64_t hash = ptx_hash_mix(((uint64_t)diag->span.begin << 32)
                                 ^ ptx_hash_bytes(diag->message, strlen(diag->message)));
    return ptx_hash_find(&merge->table, (uint32_t)hash, is_same_finding, merge, diag);
}

/* What no GPU changes is found once. */
static bool is_of_gpu(const Diag *diag)
{
    return strcmp(diag->info->group, "syntax") != 0 && strcmp(diag->info->group, "limit") != 0
           && strcmp(diag->info->group, "suppression") != 0;
}

static void add_gpu(GpuMerge *merge, GpuFinding *finding, size_t gpu)
{
    const char *name = merge->m->gpus[gpu]->name;
    char text[512];
    if (finding->count && finding->last == gpu)        /* twice in one place */
        return;
    snprintf(text, sizeof text, "%s%s%s", ptx_text_or(finding->names, ""),
             ptx_text_if(finding->count, ", "), name);
    finding->names = ptx_arena_strndup(merge->scratch, text, strlen(text));
    finding->count++;
    finding->last = gpu;
}

Diag *ptx_module_copy_finding(ptxlint_module *m, const Diag *from)
{
    m->diags.func = from->func;
    Diag *diag = ptx_diag_of(&m->diags, from->info, from->severity, from->span, from->message);
    if (!ptx_diag_is_dropped(&m->diags, diag)) {
        const uint32_t order = diag->order;
        *diag = *from;
        diag->order = order;
        diag->suppression = SUPPRESSION_NONE;
        diag->reason = NULL;
    }
    m->diags.func = -1;
    return diag;
}

static void take_finding(GpuMerge *merge, Diag *diag, size_t gpu)
{
    uint32_t *slot = slot_of(merge, diag);
    if (!*slot) {
        Diag *own = gpu ? ptx_module_copy_finding(merge->m, diag) : diag;
        if (gpu && ptx_diag_is_dropped(&merge->m->diags, own))
            return;
        own->gpu = merge->m->gpus[gpu]->name;
        merge->items[merge->count++] = (GpuFinding){ .diag = own };
        *slot = merge->count;
    }
    add_gpu(merge, &merge->items[*slot - 1], gpu);
}

static void take_findings(GpuMerge *merge, const DiagSink *diags, size_t gpu)
{
    const uint32_t count = diags->count;        /* copies come behind them */
    for (uint32_t i = 0; i < count; i++)
        if (is_of_gpu(diags->items[i]))
            take_finding(merge, diags->items[i], gpu);
}

static void name_gpus(const GpuMerge *merge)
{
    for (uint32_t i = 0; i < merge->count; i++) {
        const GpuFinding *finding = &merge->items[i];
        if (finding->count < merge->m->gpu_count)
            finding->diag->message = ptx_diag_text(&merge->m->diags, "on %s: %s", finding->names,
                                                   finding->diag->message);
    }
}

/* The same text for one GPU. NULL: no memory. */
static ptxlint_module *analyse_for(ptxlint_module *m, const ptxlint_options *options, size_t gpu)
{
    ptxlint_options one = *options;
    ptxlint_module *other = NULL;
    one.gpus = &options->gpus[gpu];
    one.gpu_count = 1;
    one.findings_only = 1;
    one.has_symbols = 0;
    one.has_each_launch = 0;
    one.baseline = NULL;
    one.budget = NULL;
    one.profile = NULL;
    one.sources = NULL;
    return ptxlint_module_new(m->text, m->length, &one, &other) == PTXLINT_OK ? other : NULL;
}

static bool make_others(ptxlint_module *m, const ptxlint_options *options)
{
    m->others = calloc(m->gpu_count, sizeof(ptxlint_module *));
    for (size_t g = 1; m->others && g < m->gpu_count; g++)
        if (!(m->others[m->other_count++] = analyse_for(m, options, g)))
            return false;
    return m->others != NULL;
}

bool ptx_find_for_each_gpu(ptxlint_module *m, const ptxlint_options *options, Arena *scratch)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    if (m->gpu_count < 2)
        return true;
    if (!make_others(m, options))
        return false;
    uint64_t most = m->diags.count;
    for (size_t i = 0; i < m->other_count; i++)
        most += m->others[i]->diags.count;
    GpuMerge merge = { .m = m, .scratch = scratch };
    merge.items = ptx_arena_array(scratch, GpuFinding, most + 1);
    ptx_hash_init(&merge.table, scratch, most + 1);
    take_findings(&merge, &m->diags, 0);
    for (size_t i = 0; i < m->other_count; i++)
        take_findings(&merge, &m->others[i]->diags, i + 1);
    name_gpus(&merge);
    ptx_arena_release(scratch, mark);
    return true;
}
