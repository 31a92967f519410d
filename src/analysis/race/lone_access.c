#include "analysis/race/lone_access.h"

#include "analysis/sim/program.h"
#include "analysis/sim/race/allocation.h"
#include "analysis/sim/sim.h"
#include "analysis/value/launch.h"
#include "ir/func.h"
#include "ir/module.h"

#include <stdio.h>

enum {
    STEPS = 1 << 16,            /* instructions of warps for all blocks */
    CORNERS = 8,
    FEW_BLOCKS = 64,            /* all of which are run */
};

typedef struct BeyondSearch {
    Machine *machine;
    SimShape shape;
    AllocationEnds ends;
    uint32_t block[3];          /* that ran last */
} BeyondSearch;

/* ---- blocks ---------------------------------------------------------------------------------- */

static void run_at(BeyondSearch *s, const uint32_t at[3])
{
    if (s->ends.func)
        return;
    memcpy(s->block, at, sizeof s->block);
    ptx_machine_run(s->machine, at, 0, s->shape.warp_count);
}

/* The last block first: a guard that is missing shows there. */
static void run_grid_corners(BeyondSearch *s)
{
    const uint32_t *grid = s->shape.grid;
    for (unsigned corner = CORNERS; corner-- > 0;) {
        bool is_new = true;
        uint32_t at[3];
        for (unsigned d = 0; d < 3; d++) {
            at[d] = corner >> d & 1 ? grid[d] - 1 : 0;
            is_new &= grid[d] > 1 || corner >> d & 1;
        }
        if (is_new)
            run_at(s, at);
    }
    run_at(s, (const uint32_t[]){ grid[0] / 2, grid[1] / 2, grid[2] / 2 });
}

static void search_blocks(BeyondSearch *s)
{
    const uint32_t *grid = s->shape.grid;
    const double blocks = (double)grid[0] * grid[1] * grid[2];
    ptx_machine_allow(s->machine, STEPS);
    run_grid_corners(s);
    for (uint32_t b = 0; blocks <= FEW_BLOCKS && b < (uint32_t)blocks; b++)
        run_at(s, (const uint32_t[]){ b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1] });
}

static bool has_sizes(const Func *func, const Launch *launch)
{
    bool has_size = false;
    for (uint32_t p = 0; launch && p < launch->param_count; p++)
        has_size |= launch->params[p].allocated != 0;
    return has_size && func->has_body && !func->has_syntax_error && !func->has_unknown
           && launch->grid[0] && launch->block[0];
}

static const LoneAccess *make_found(Arena *arena, const BeyondSearch *s)
{
    const AllocationEnds *found = &s->ends;
    LoneAccess *out = ptx_arena_new(arena, LoneAccess);
    *out = (LoneAccess){ .kind = LONE_BEYOND_ALLOCATION,
                         .func = found->func,
                     .insn = found->insn,
                     .place = found->place,
                     .bytes = found->bytes,
                     .is_write = found->is_write,
                     .var = found->kernel->params[found->param],
                     .offset = found->offset,
                     .end = found->launch->params[found->param].allocated };
    ptx_thread_of_block(s->shape.block, found->thread, out->thread);
    memcpy(out->block, s->block, sizeof s->block);
    return out;
}

const LoneAccess *ptx_beyond_allocation_find(const KernelRun *in)
{
    const Module *module = ptx_program_module(in->program);
    const Func *func = &module->funcs[in->kernel];
    if (!has_sizes(func, in->launch))
        return NULL;
    const ArenaMark mark = ptx_arena_mark(in->work);
    Machine *machine = ptx_machine_new(in->work, in->scratch, in->program, in->kernel, in->launch);
    BeyondSearch s = { .machine = machine,
                       .shape = ptx_machine_shape(machine),
                       .ends = { .machine = machine, .kernel = func, .launch = in->launch } };
    ptx_allocation_ends_attach(&s.ends);
    if (!s.shape.block_is_assumed && !s.shape.grid_is_assumed)
        search_blocks(&s);
    const LoneAccess *out = s.ends.func ? make_found(in->arena, &s) : NULL;
    ptx_arena_release(in->work, mark);
    return out;
}

void ptx_thread_of_block(const uint32_t block[3], uint32_t number, uint32_t out[3])
{
    out[0] = number % block[0];
    out[1] = number / block[0] % block[1];
    out[2] = number / block[0] / block[1];
}

/* ---- in words -------------------------------------------------------------------------------- */

typedef char Words[160];

static void write_bytes(Words out, const LoneAccess *b)
{
    if (b->is_before)
        snprintf(out, sizeof(Words), "%u byte%s, %llu before the start", b->bytes,
                 b->bytes == 1 ? "" : "s", (unsigned long long)b->offset);
    else if (b->bytes == 1)
        snprintf(out, sizeof(Words), "byte %llu", (unsigned long long)b->offset);
    else
        snprintf(out, sizeof(Words), "bytes %llu to %llu", (unsigned long long)b->offset,
                 (unsigned long long)(b->offset + b->bytes - 1));
}

static void write_who(Words out, const LoneAccess *b)
{
    const uint32_t *thread = b->thread, *block = b->block;
    const int count = snprintf(out, sizeof(Words), "thread (%u, %u, %u)", thread[0], thread[1],
                               thread[2]);
    if (b->kind == LONE_BEYOND_ALLOCATION)
        snprintf(out + count, sizeof(Words) - (size_t)count, " of block (%u, %u, %u)", block[0],
                 block[1], block[2]);
}

static void write_end(Words out, const LoneAccess *b, const char *name)
{
    const unsigned long long end = b->end;
    if (b->kind == LONE_UNWRITTEN)
        snprintf(out, sizeof(Words), "%s, which no thread of the block has written before", name);
    else if (b->kind == LONE_BEYOND_ALLOCATION)
        snprintf(out, sizeof(Words), "what %s points to: beyond its allocation of %llu bytes", name,
                 end);
    else if (b->var == NO_ID)
        snprintf(out, sizeof(Words), "%s, beyond what the block has", name);
    else if (b->is_before)
        snprintf(out, sizeof(Words), "%s, outside the block's shared memory", name);
    else
        snprintf(out, sizeof(Words), "%s, which has %llu bytes: beyond the block's shared memory",
                 name, end);
}

const char *ptx_lone_access_describe(Arena *arena, const Module *module, const LoneAccess *b)
{
    Words thread, bytes, end;
    char name[65], quoted[72] = "shared memory", text[3 * sizeof(Words)];
    if (b->var != NO_ID) {
        ptx_var_title(module, &module->vars[b->var], name, sizeof name);
        snprintf(quoted, sizeof quoted, "`%s`", name);
    }
    write_who(thread, b);
    write_bytes(bytes, b);
    write_end(end, b, quoted);
    const int count = snprintf(text, sizeof text, "%s %s %s of %s", thread,
                               b->is_write ? "writes" : "reads", bytes, end);
    return ptx_arena_strndup(arena, text, (size_t)count);
}
