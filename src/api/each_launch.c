/* each_launch.c -- kernels that are launched in several ways: the module is analysed again for each
 * launch behind the first. What is found there and not in the launches before it, by rule and
 * place, is a finding that says in which launch. */
#include "api/module.h"
#include "input/launch.h"

#include "ir/func.h"
#include "ir/module.h"
#include "support/choice.h"
#include "support/hash.h"
#include "support/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct LaunchMerge {
    ptxlint_module *m;
    Diag **items;               /* of all launches so far */
    uint32_t count;
    HashTable table;            /* into items, from 1 on */
} LaunchMerge;

/* Figures in messages differ from launch to launch: they make no further finding. */
static bool is_same_place(const void *owner, uint32_t number, const void *key)
{
    const Diag *a = ((const LaunchMerge *)owner)->items[number - 1], *b = key;
    return a->info == b->info && a->span.begin == b->span.begin && a->span.end == b->span.end;
}

/* False: it is there already. */
static bool note_finding(LaunchMerge *merge, Diag *diag)
{
    uint64_t hash = ptx_hash_mix(((uint64_t)diag->span.begin << 32)
                                 ^ ptx_hash_bytes(diag->info->code, strlen(diag->info->code)));
    uint32_t *slot = ptx_hash_find(&merge->table, (uint32_t)hash, is_same_place, merge, diag);
    if (*slot)
        return false;
    merge->items[merge->count++] = diag;
    *slot = merge->count;
    return true;
}

/* "4096 x 1 x 1" without the ones behind the first. */
static void write_extents(char *out, size_t room, const int64_t extents[3])
{
    size_t used = 0;
    int last = 2;
    while (last && extents[last] <= 1)
        last--;
    for (int i = 0; i <= last && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%" PRId64, i ? " x " : "",
                                 extents[i]);
}

static const char *in_launch(ptxlint_module *m, const ptxlint_kernel *kernel, const char *message)
{
    char grid[80] = "?", block[80] = "?";
    if (kernel->launch.grid[0] > 0)
        write_extents(grid, sizeof grid, kernel->launch.grid);
    if (kernel->launch.block[0] > 0)
        write_extents(block, sizeof block, kernel->launch.block);
    return ptx_diag_text(&m->diags, "in launch %u of %u (grid %s, block %s): %s",
                         (unsigned)kernel->launch_number + 1, (unsigned)kernel->launch_count, grid,
                         block, message);
}

/* The kernel that each function is; NULL: it has no body. */
static const ptxlint_kernel **kernels_by_function(Arena *arena, const ptxlint_module *m)
{
    const ptxlint_kernel *kernel = m->kernels,
                         **of = ptx_arena_array(arena, const ptxlint_kernel *,
                                                m->ir->func_count + 1);
    for (FuncId f = 0; f < m->ir->func_count; f++)
        of[f] = m->ir->funcs[f].has_body ? kernel++ : NULL;
    return of;
}

static void take_launch(LaunchMerge *merge, const ptxlint_kernel *const *kernels,
                        const ptxlint_module *other, uint32_t number)
{
    for (uint32_t i = 0; i < other->diags.count; i++) {
        Diag *diag = other->diags.items[i];
        const ptxlint_kernel *kernel = diag->func < 0 ? NULL : kernels[diag->func];
        if (!kernel || kernel->launch_number != number || !note_finding(merge, diag))
            continue;
        Diag *own = ptx_module_copy_finding(merge->m, diag);
        if (!ptx_diag_is_dropped(&merge->m->diags, own))
            own->message = in_launch(merge->m, kernel, diag->message);
    }
}

/* The same text for launches of one number. NULL: no memory. */
static ptxlint_module *analyse_launch(ptxlint_module *m, const ptxlint_options *options,
                                      uint32_t number)
{
    ptxlint_options one = *options;
    ptxlint_module *other = NULL;
    ptxlint_launches *found = m->found ? ptx_launches_share(m->found) : NULL;
    char *text = malloc(m->length + 1);
    if (!text || (m->found && !found)) {
        ptxlint_launches_free(found);
        free(text);
        return NULL;
    }
    memcpy(text, m->text, m->length + 1);
    one.metadata_path = NULL;
    one.has_each_launch = 0;
    one.launch_number = number;
    one.has_symbols = 0;
    one.baseline = NULL;
    one.budget = NULL;
    one.profile = NULL;
    one.sources = NULL;
    return ptx_module_take(text, m->length, found, &one, &other) == PTXLINT_OK ? other : NULL;
}

static uint32_t count_launches(const ptxlint_module *m)
{
    uint32_t most = 0;
    for (size_t k = 0; k < m->kernel_count; k++)
        most = m->kernels[k].launch_count > most ? m->kernels[k].launch_count : most;
    return most;
}

static bool make_launched(ptxlint_module *m, const ptxlint_options *options, uint32_t count)
{
    m->launched = calloc(count, sizeof(ptxlint_module *));
    for (uint32_t n = 1; m->launched && n < count; n++) {
        ptxlint_module *other = m->launched[m->launched_count++] = analyse_launch(m, options, n);
        if (!other)
            return false;
        other->launch_of = m;
    }
    return m->launched != NULL;
}

bool ptx_find_for_each_launch(ptxlint_module *m, const ptxlint_options *options, Arena *scratch)
{
    const uint32_t count = options->has_each_launch ? count_launches(m) : 0;
    const ArenaMark mark = ptx_arena_mark(scratch);
    if (count < 2 || !ptx_module_has_findings(m))
        return true;
    if (!make_launched(m, options, count))
        return false;
    uint64_t most = m->diags.count;
    for (uint32_t i = 0; i < m->launched_count; i++)
        most += m->launched[i]->diags.count;
    LaunchMerge merge = { .m = m };
    merge.items = ptx_arena_array(scratch, Diag *, most + 1);
    ptx_hash_init(&merge.table, scratch, most + 1);
    for (uint32_t i = 0; i < m->diags.count; i++)
        note_finding(&merge, m->diags.items[i]);
    for (uint32_t i = 0; i < m->launched_count; i++)
        take_launch(&merge, kernels_by_function(scratch, m->launched[i]), m->launched[i], i + 1);
    ptx_arena_release(scratch, mark);
    return true;
}

const ptxlint_module *ptxlint_module_launch(const ptxlint_module *m, uint32_t number)
{
    return m && number && number <= m->launched_count ? m->launched[number - 1] : NULL;
}
