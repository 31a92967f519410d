/* each_gpu.c -- findings for each GPU that is named: what was found for some of them alone says for
 * which. */
#include "api/module.h"

#include "gpu/gpu.h"
#include "support/choice.h"
#include "support/hash.h"

#include <stdio.h>
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

static uint32_t *gpu_slot_of(GpuMerge *merge, const Diag *diag)
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
    uint32_t *slot = gpu_slot_of(merge, diag);
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

void ptx_find_for_each_gpu(ptxlint_module *m, Arena *scratch)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    uint64_t most = m->diags.count;
    for (size_t g = 1; g < m->gpu_count; g++)
        most += m->beside[g - 1].count;
    GpuMerge merge = { .m = m, .scratch = scratch };
    merge.items = ptx_arena_array(scratch, GpuFinding, most + 1);
    ptx_hash_init(&merge.table, scratch, most + 1);
    take_findings(&merge, &m->diags, 0);
    for (size_t g = 1; g < m->gpu_count; g++) {
        ptx_diag_finish(&m->beside[g - 1]);
        take_findings(&merge, &m->beside[g - 1], g);
    }
    name_gpus(&merge);
    ptx_arena_release(scratch, mark);
}
