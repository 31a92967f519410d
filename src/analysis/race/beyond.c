#include "analysis/race/beyond.h"

#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/sim.h"
#include "analysis/value/launch.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"

#include <stdio.h>

enum {
    STEPS = 1 << 16,            /* instructions of warps for all blocks */
    CORNERS = 8,
    FEW_BLOCKS = 64,            /* all of which are run */
    CP_ASYNC_OPERANDS = 3,      /* to, from and how many bytes */
};

typedef struct BeyondSearch {
    Machine *machine;
    const Func *func;           /* the kernel */
    const Launch *launch;
    SimShape shape;
    Observer observer;
    uint32_t block[3];          /* that runs */
    Beyond found;               /* func NULL: nothing yet */
} BeyondSearch;

/* ---- an access ------------------------------------------------------------------------------- */

/* It lies at so many bytes from what a parameter points to, whatever that is. */
static bool is_from_pointer(const Value *address)
{
    return address->align != ALIGN_EXACT && address->is_common && address->addend != ADDEND_NONE
           && address->addend != ADDEND_OTHER && !address->is_data && !address->is_assumed;
}

/* Position of the parameter that the address counts from, where its allocation is known;
 * param_count: of none. */
static uint32_t sized_param(const BeyondSearch *s, const Value *address, uint64_t *base)
{
    const Func *func = s->func;
    for (uint32_t p = 0; p < func->param_count && p < s->launch->param_count; p++)
        if (func->params[p] != NO_ID && s->launch->params[p].allocated
            && ptx_machine_pointer(s->machine, func->params[p], address->addend, base))
            return p;
    return func->param_count;
}

static bool is_plain_write(const Op *op)
{
    return op->kind == OPK_ST || op->kind == OPK_ATOM || op->kind == OPK_RED;
}

static void keep_found(BeyondSearch *s, const Warp *w, const Insn *insn, unsigned lane)
{
    Beyond *found = &s->found;
    found->func = w->frame->func_state->func;
    found->insn = (InsnId)(insn - found->func->insns);
    found->place = ptx_machine_place(s->machine, w, found->insn);
    found->bytes = insn->access_bytes;
    found->is_write = is_plain_write(insn->op);
    ptx_thread_of_block(s->shape.block, w->index * WARP_LANES + lane, found->thread);
    memcpy(found->block, s->block, sizeof s->block);
}

/* What comes before the pointer may be of the same allocation. */
static void look_for_end(BeyondSearch *s, const Warp *w, const Insn *insn, const Value *address,
                    uint32_t lanes)
{
    uint64_t base;
    const uint32_t none = s->func->param_count,
                   param = is_from_pointer(address) ? sized_param(s, address, &base) : none;
    if (param == none)
        return;
    const uint64_t end = s->launch->params[param].allocated;
    for (uint32_t left = lanes & ~address->unknown; left && !s->found.func; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t offset = ptx_value_lane(address, lane) - base;
        if (offset > INT64_MAX || offset + insn->access_bytes <= end)
            continue;
        s->found = (Beyond){ .var = s->func->params[param], .offset = offset, .end = end };
        keep_found(s, w, insn, lane);
    }
}

/* A prefetch may miss. A copy with a size of its source, or a predicate that leaves it out, reads
 * less than it writes. */
static bool reads_whole(const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_LD || is_plain_write(op)
           || (op->kind == OPK_CP_ASYNC && insn->operand_count <= CP_ASYNC_OPERANDS);
}

static void take_sized_access(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    BeyondSearch *s = self;
    Scratch address;
    const unsigned which = insn->op->kind == OPK_CP_ASYNC;
    if (s->found.func || !insn->access_bytes || doubt >= UNCERTAIN_PARAMETER || !reads_whole(insn)
        || !ptx_memory_read_address(s->machine, w, insn, which, &address))
        return;
    look_for_end(s, w, insn, &address.value, lanes);
}

/* Each warp goes on: what others do decides no address that is known. */
static bool goes_on(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    (void)self, (void)w, (void)insn, (void)lanes, (void)doubt;
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void run_at(BeyondSearch *s, const uint32_t at[3])
{
    memcpy(s->block, at, sizeof s->block);
    if (!s->found.func)
        ptx_machine_run(s->machine, s->block, 0, s->shape.warp_count);
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

const Beyond *ptx_beyond_allocation_find(const KernelRun *in)
{
    const Module *module = ptx_program_module(in->program);
    const Func *func = &module->funcs[in->kernel];
    if (!has_sizes(func, in->launch))
        return NULL;
    const ArenaMark mark = ptx_arena_mark(in->work);
    BeyondSearch s = { .func = func,
                       .launch = in->launch,
                       .machine = ptx_machine_new(in->work, in->scratch, in->program, in->kernel,
                                                  in->launch) };
    Beyond *out = NULL;
    s.observer = (Observer){ .self = &s, .order = goes_on, .access = take_sized_access };
    s.shape = ptx_machine_shape(s.machine);
    ptx_machine_observe(s.machine, &s.observer);
    if (!s.shape.block_is_assumed && !s.shape.grid_is_assumed)
        search_blocks(&s);
    if (s.found.func) {
        out = ptx_arena_new(in->arena, Beyond);
        *out = s.found;
    }
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

static void write_bytes(Words out, const Beyond *b)
{
    if (b->bytes == 1)
        snprintf(out, sizeof(Words), "byte %llu", (unsigned long long)b->offset);
    else
        snprintf(out, sizeof(Words), "bytes %llu to %llu", (unsigned long long)b->offset,
                 (unsigned long long)(b->offset + b->bytes - 1));
}

static void write_who(Words out, const Beyond *b)
{
    const uint32_t *thread = b->thread, *block = b->block;
    const int count = snprintf(out, sizeof(Words), "thread (%u, %u, %u)", thread[0], thread[1],
                               thread[2]);
    if (!b->is_shared)
        snprintf(out + count, sizeof(Words) - (size_t)count, " of block (%u, %u, %u)", block[0],
                 block[1], block[2]);
}

static void write_end(Words out, const Module *module, const Beyond *b)
{
    char name[65];
    if (b->var == NO_ID) {
        snprintf(out, sizeof(Words), "shared memory, beyond what the block has");
        return;
    }
    ptx_var_title(module, &module->vars[b->var], name, sizeof name);
    if (b->is_shared)
        snprintf(out, sizeof(Words), "`%s`, which has %llu bytes: beyond the block's shared memory",
                 name, (unsigned long long)b->end);
    else
        snprintf(out, sizeof(Words), "what `%s` points to: beyond its allocation of %llu bytes",
                 name, (unsigned long long)b->end);
}

const char *ptx_beyond_describe(Arena *arena, const Module *module, const Beyond *b)
{
    Words thread, bytes, end;
    char text[3 * sizeof(Words)];
    write_who(thread, b);
    write_bytes(bytes, b);
    write_end(end, module, b);
    const int count = snprintf(text, sizeof text, "%s %s %s of %s", thread,
                               b->is_write ? "writes" : "reads", bytes, end);
    return ptx_arena_strndup(arena, text, (size_t)count);
}
