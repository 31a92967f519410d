/* Blocks are run one after the other, each as if it were the first, and what they leave in memory
 * is compared. */
#include "analysis/race/block_race.h"

#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/race/global_ranges.h"
#include "analysis/sim/race/shadow_memory.h"
#include "analysis/sim/sim.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/sim/count.h"
#include "analysis/sim/observer.h"
#include "analysis/value/launch.h"
#include "analysis/access/kernel_run.h"

#include <stdint.h>

enum {
    STEPS = 1 << 16,            /* instructions of warps for all blocks */
    STEPS_AHEAD = 3 << 12,      /* the same to count what one of them takes; ... */
    FORWARD_AHEAD = 1 << 6,     /* ... in a loop before it is looked at */
    MAX_BLOCKS = 24,
    WORD_BYTES = 4,
};

typedef struct GlobalRaceSearch {
    Arena *work;
    const Module *module;
    const Func *func;           /* the kernel */
    const KernelRun *of;
    Machine *machine;
    Machine *ahead;             /* that counts what a block takes */
    bool is_ahead_lost;         /* it cannot say, ... */
    bool is_open;               /* ... as data may decide on what runs */
    /* the first block alone takes all steps: with contents it takes no fewer */
    bool is_first_cut;
    SimShape shape;
    Observer memory;
    uint32_t blocks[MAX_BLOCKS][3];
    uint32_t block_count;
    Word word;                  /* where two blocks meet, ... */
    Toucher writer, other;      /* ... and who they are */
    bool is_read;
} GlobalRaceSearch;

/* ---- whether there is anything to look at ---------------------------------------------------- */

/* It says that blocks talk to each other, or writes global memory in a way that is not followed. */
static bool is_in_the_way(const Op *op)
{
    bool is_atomic = op->kind == OPK_ATOM || op->kind == OPK_RED;
    if (op->flags & OPF_UNKNOWN
        || (!ptx_space_is_shared((Space)op->space) && (is_atomic || ptx_op_is_ordered(op))))
        return true;
    switch ((Operation)op->operation) {
    case OP_FENCE:
    case OP_FENCE_PROXY_ASYNC:
    case OP_FENCE_PROXY_ASYNC_GLOBAL:
    case OP_FENCE_PROXY_ASYNC_GENERIC:
    case OP_MEMBAR:
    case OP_BARRIER_CLUSTER:
    case OP_BARRIER_CLUSTER_ARRIVE:
    case OP_BARRIER_CLUSTER_WAIT:
    case OP_ST_ASYNC:
    case OP_ST_BULK:
    case OP_RED_ASYNC:
    case OP_MULTIMEM:
    case OP_GRIDDEPCONTROL:
    case OP_GRIDDEPCONTROL_LAUNCH_DEPENDENTS:
    case OP_GRIDDEPCONTROL_WAIT:
    case OP_SUST:
    case OP_SURED:
    case OP_TENSORMAP: case OP_WMMA_STORE: case OP_CP_REDUCE_ASYNC_BULK:
        return true;
    default:
        return ptx_op_is_bulk(op) || op->family == OP_FABRIC;
    }
}

static bool writes_global(const Op *op)
{
    return op->kind == OPK_ST && (op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC);
}

bool ptx_block_race_is_plain(const Op *op)
{
    return !is_in_the_way(op);
}

static bool writes_no_global(const Op *op)
{
    return !writes_global(op);
}

/* It stores plainly to global memory, and nothing else does. */
static bool is_worth(Arena *scratch, const Module *module, FuncId kernel)
{
    return !ptx_block_race_holds(scratch, module, kernel, writes_no_global)
           && ptx_block_race_holds(scratch, module, kernel, ptx_block_race_is_plain);
}

/* ---- which blocks ---------------------------------------------------------------------------- */

static void add_block(GlobalRaceSearch *s, unsigned d, uint32_t at)
{
    uint32_t block[3] = { 0, 0, 0 };
    block[d] = at;
    for (uint32_t b = 0; b < s->block_count; b++)
        if (!memcmp(s->blocks[b], block, sizeof block))
            return;
    if (s->block_count < MAX_BLOCKS)
        memcpy(s->blocks[s->block_count++], block, sizeof block);
}

/* The first, its neighbours, the last, and those that are powers of two away: a remainder, a tile
 * that is too small, an index that was forgotten bring two of them together. */
static void choose_blocks(GlobalRaceSearch *s)
{
    const uint32_t *grid = s->shape.grid;
    add_block(s, 0, 0);
    for (uint32_t step = 1; step; step *= 2)
        for (unsigned d = 0; d < 3; d++) {
            if (step < grid[d])
                add_block(s, d, step);
            if (step == 1)
                add_block(s, d, grid[d] - 1);
        }
}

/* ---- running --------------------------------------------------------------------------------- */

/* As the so many-th of these. False: what it leaves is not known. */
static bool run(GlobalRaceSearch *s, ShadowMemory *contents, uint32_t run)
{
    ptx_shadow_memory_observe(&s->memory, contents);
    ptx_shadow_memory_begin(contents, run);
    return ptx_machine_run(s->machine, s->blocks[run - 1], 0, s->shape.warp_count)
           && !contents->is_lost;
}

/* ---- what a block takes ---------------------------------------------------------------------- */

/* It may end a thread early, or run what is not counted here. */
static bool counts_ahead(const Op *op)
{
    return op->kind != OPK_TRAP && op->kind != OPK_CALL && op->kind != OPK_BRX;
}

/* Looks at no contents, so that one warp stands for others and one iteration for many. */
static void open_ahead(GlobalRaceSearch *s)
{
    const KernelRun *of = s->of;
    s->is_open = !ptx_machine_func(s->machine, of->kernel).func
                 || !ptx_block_race_holds(of->scratch, s->module, of->kernel, counts_ahead);
    s->is_ahead_lost = s->is_open;
    s->ahead = ptx_machine_new(s->work, of->scratch, of->program, of->kernel, of->launch);
    ptx_machine_config(s->ahead)->forward_steps = FORWARD_AHEAD;
}

/* Steps of the machine with contents, by what the other counted. 0: data may decide on them. */
static uint64_t sum_steps(SimFunc counted, const uint16_t *plain)
{
    double steps = 0, warps = 0;
    for (InsnId i = 0, end = 0, next = 0; i < counted.func->insn_count; i++) {
        const Count *count = ptx_count_of(counted.sums, i);
        if (i >= end) {
            end = i + (counted.plain[i] ? counted.plain[i] : 1u);
            warps = count->warps;
        }
        if (count->doubt && counted.func->insns[i].op->kind == OPK_BRA)
            return 0;
        if (i < next)
            continue;
        steps += warps;
        next = i + (plain[i] ? plain[i] : 1u);
    }
    return (uint64_t)steps;
}

/* What the so many-th block takes at least; 0: not known. */
static uint64_t steps_of(GlobalRaceSearch *s, uint32_t run)
{
    const FuncId kernel = s->of->kernel;
    if (s->is_ahead_lost)
        return 0;
    ptx_machine_allow(s->ahead, STEPS_AHEAD);
    const bool is_whole = ptx_machine_run(s->ahead, s->blocks[run - 1], 0, s->shape.warp_count);
    const SimFunc own = ptx_machine_func(s->machine, kernel),
                  counted = ptx_machine_func(s->ahead, kernel);
    const uint64_t steps = is_whole ? sum_steps(counted, own.plain) : 0;
    s->is_ahead_lost = !steps;
    s->is_open = is_whole && !steps;
    ptx_machine_discard(s->ahead);
    return steps;
}

/* Where it takes as much as the last, and that would not do, it is counted. */
static bool is_affordable(GlobalRaceSearch *s, uint32_t run, uint64_t last)
{
    const uint64_t left = ptx_machine_steps_left(s->machine);
    return last <= left || steps_of(s, run) <= left;
}

/* Of two blocks: one alone shows nothing. */
static bool are_too_long(GlobalRaceSearch *s, ShadowMemory *contents)
{
    ptx_machine_allow(s->machine, 0);
    run(s, contents, 1);        /* for its decoded function alone */
    open_ahead(s);
    const uint64_t first = steps_of(s, 1);
    return first > STEPS / 4 && first + steps_of(s, 2) > STEPS;
}

/* ---- blocks that are apart ------------------------------------------------------------------- */

/* Data may decide on some branch, and so on what is touched. */
static bool has_open_branch(const Machine *m)
{
    for (uint32_t f = 0; f < ptx_machine_func_count(m); f++) {
        const SimFunc ran = ptx_machine_func_at(m, f);
        for (InsnId i = 0; i < ran.func->insn_count; i++)
            if (ptx_count_of(ran.sums, i)->doubt && ran.func->insns[i].op->kind == OPK_BRA)
                return true;
    }
    return false;
}

static bool is_stood_for(const Blocks *ran, const uint32_t block[3])
{
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t from_first = block[d] - ran->first[d];
        if (block[d] < ran->first[d] || from_first % ran->step[d]
            || from_first / ran->step[d] >= ran->count[d])
            return false;
    }
    return true;
}

/* What the so many-th block touches, and those after it that its run stands for. False: not
 * known. */
static bool place_from(GlobalRaceSearch *s, Machine *m, GlobalRanges *ranges, uint32_t number,
                       bool are_placed[MAX_BLOCKS])
{
    static const uint32_t one[3] = { 1, 1, 1 };
    const uint32_t *grid = s->shape.grid, *at = s->blocks[number];
    const uint32_t left[3] = { grid[0] - at[0], grid[1] - at[1], grid[2] - at[2] };
    Blocks ran = ptx_blocks_new(at, one, left);
    const bool is_whole = ptx_machine_run_for(m, &ran, 0, s->shape.warp_count);
    if (!ptx_global_ranges_end_run(ranges, &ran))
        return false;
    s->is_first_cut = !number && !ptx_machine_steps_left(m);
    if (!is_whole)
        return false;
    for (uint32_t b = number; b < s->block_count; b++)
        if (!are_placed[b] && is_stood_for(&ran, s->blocks[b])) {
            are_placed[b] = true;
            if (!ptx_global_ranges_add(ranges, &ran, s->blocks[b], b))
                return false;
        }
    return true;
}

static bool place_all_blocks(GlobalRaceSearch *s, Machine *m, GlobalRanges *ranges)
{
    bool are_placed[MAX_BLOCKS] = { false };
    ptx_machine_allow(m, STEPS);
    for (uint32_t b = 0; b < s->block_count; b++)
        if (!are_placed[b] && !place_from(s, m, ranges, b, are_placed))
            return false;
    return !has_open_branch(m);
}

/* None of them touches what another one writes, or none comes to its end: their contents need not
 * be looked at. */
static bool are_blocks_apart(GlobalRaceSearch *s)
{
    const KernelRun *of = s->of;
    if (s->is_open)
        return false;
    Machine *m = ptx_machine_new(s->work, of->scratch, of->program, of->kernel, of->launch);
    GlobalRanges *ranges = ptx_global_ranges_new(s->work, m);
    if (!place_all_blocks(s, m, ranges))
        return s->is_first_cut && !has_open_branch(m);
    if (ptx_global_ranges_lack_loads(ranges)) {
        ptx_global_ranges_keep_loads(ranges);
        if (!place_all_blocks(s, m, ranges))
            return false;
    }
    return ptx_global_ranges_are_apart(ranges);
}

/* ---- what they leave ------------------------------------------------------------------------- */

static bool is_certain(const GlobalRaceSearch *s, const Toucher *by)
{
    const SimFunc ran = ptx_machine_func(s->machine, (FuncId)(by->func - s->module->funcs));
    return ptx_count_of(ran.counts, by->insn)->doubt < UNCERTAIN_PARAMETER;
}

/* The first byte that both know, and in which they are not the same; WORD_BYTES: none. */
static unsigned difference(const Stored *a, const Stored *b)
{
    uint8_t known = a->is_mixed || b->is_mixed ? 0 : a->mask & b->mask & a->known & b->known;
    unsigned i = 0;
    while (i < WORD_BYTES
           && !(known >> i & 1 && (uint8_t)(a->value >> (8 * i)) != (uint8_t)(b->value >> (8 * i))))
        i++;
    return i;
}

static bool differs(const Stored *a, const Stored *b)
{
    return difference(a, b) < WORD_BYTES;
}

static bool changes(const Word *word, const Stored *stored)
{
    const Stored old = { .value = ptx_shadow_memory_initial(word->addend, word->address),
                         .mask = 0xf,
                         .known = 0xf };
    return differs(stored, &old);
}

static void set(GlobalRaceSearch *s, const Word *word, const Toucher *writer, const Toucher *other,
                bool is_read)
{
    s->word = *word;
    s->writer = *writer;
    s->other = *other;
    s->is_read = is_read;
}

/* What the block that ran last left, beside what was left before. Two writes are proof; of a write
 * and a read the first is kept. True: proved. */
static bool compare_word(GlobalRaceSearch *s, const Word *word, uint32_t now)
{
    bool writes = word->last.by.run == now, reads = word->reader.run == now,
         was_written = word->first.by.run && word->first.by.run != now;
    bool was_read = word->first_reader.run && word->first_reader.run != now;
    if (writes && was_written && differs(&word->last, &word->first) && is_certain(s, &word->last.by)
        && is_certain(s, &word->first.by)) {
        unsigned byte = difference(&word->last, &word->first);
        set(s, word, &word->first.by, &word->last.by, false);
        s->word.address += byte;
        s->writer.thread = word->first.threads[byte];
        s->other.thread = word->last.threads[byte];
        return true;
    }
    if (!s->writer.run && reads && was_written && changes(word, &word->first))
        set(s, word, &word->first.by, &word->reader, true);
    if (!s->writer.run && writes && was_read && changes(word, &word->last))
        set(s, word, &word->last.by, &word->first_reader, true);
    return false;
}

static bool compare_and_keep(GlobalRaceSearch *s, Word *word, uint32_t now)
{
    if (compare_word(s, word, now))
        return true;
    if (!word->first.by.run && word->last.by.run == now)
        word->first = word->last;
    if (!word->first_reader.run && word->reader.run == now)
        word->first_reader = word->reader;
    return false;
}

/* In the order in which words were touched first. */
static bool compare(GlobalRaceSearch *s, const ShadowMemory *c)
{
    for (uint32_t i = 0; i < c->word_count; i += TOUCHED_BITS)
        for (uint64_t left = c->touched[i / TOUCHED_BITS]; left; left &= left - 1)
            if (compare_and_keep(s, &c->words[i + (uint32_t)__builtin_ctzll(left)], c->run))
                return true;
    return false;
}

/* The block that reads leaves something else once the other has written. */
static bool depends(GlobalRaceSearch *s)
{
    ShadowMemory *written = ptx_shadow_memory_new(s->work, s->machine),
                 *before = ptx_shadow_memory_new(s->work, s->machine),
                 *behind = ptx_shadow_memory_new(s->work, s->machine);
    behind->before = written;
    if (!run(s, written, s->writer.run) || !run(s, before, s->other.run)
        || !run(s, behind, s->other.run))
        return false;
    for (uint32_t i = 0; i < behind->word_count; i++) {
        const Word *a = &behind->words[i],
                   *b = ptx_shadow_memory_find(before, a->addend, a->address);
        if (b && differs(&a->last, &b->last))
            return is_certain(s, &s->writer) && is_certain(s, &s->other);
    }
    return false;
}

static bool search(GlobalRaceSearch *s)
{
    ShadowMemory *contents = ptx_shadow_memory_new(s->work, s->machine);
    choose_blocks(s);
    if (s->block_count < 2 || are_too_long(s, contents) || are_blocks_apart(s))
        return false;
    uint64_t last = 0;
    ptx_machine_allow(s->machine, STEPS);
    for (uint32_t b = 1; b <= s->block_count; b++) {
        const uint64_t before = ptx_machine_steps(s->machine);
        if (b > 2 && !s->writer.run && !is_affordable(s, b, last))
            return false;
        bool is_known = run(s, contents, b);
        last = ptx_machine_steps(s->machine) - before;
        if (contents->is_lost)
            return false;
        if (!is_known)
            break;
        if (compare(s, contents))
            return true;
    }
    ptx_machine_allow(s->machine, STEPS);
    return s->writer.run && depends(s);
}

/* ---- what is reported ------------------------------------------------------------------------ */

static BlockAccess access_of(const GlobalRaceSearch *s, const Toucher *by, bool is_write)
{
    const uint32_t *block = s->shape.block;
    BlockAccess access = { .func = by->func,
                           .insn = by->insn,
                           .place = by->place,
                           .is_write = is_write,
                           .thread = { by->thread % block[0], by->thread / block[0] % block[1],
                                       by->thread / block[0] / block[1] } };
    memcpy(access.block, s->blocks[by->run - 1], sizeof access.block);
    return access;
}

void ptx_block_race_name(const Machine *machine, const Module *module, const Func *kernel,
                         const GlobalPlace *place, BlockRace *out)
{
    uint64_t base;
    out->offset = place->address;
    for (uint32_t p = 0; p < kernel->param_count && place->addend != ADDEND_NONE; p++) {
        const VarId param = kernel->params[p];
        if (param != NO_ID && ptx_machine_pointer(machine, param, place->addend, &base)) {
            out->var = param;
            out->offset = place->address - base;
        }
    }
    for (uint32_t i = 0; i < ptx_machine_var_count(machine); i++) {
        const SimVar placed = ptx_machine_var(machine, i);
        const Var *var = &module->vars[placed.var];
        if (var->space == SPACE_GLOBAL && place->address >= placed.address
            && place->address - placed.address < var->bytes) {
            out->var = placed.var;
            out->offset = place->address - placed.address;
        }
    }
}

const BlockRace *ptx_global_race_find(const KernelRun *run)
{
    const Module *module = ptx_program_module(run->program);
    const Func *func = &module->funcs[run->kernel];
    if (!run->launch || !run->launch->grid[0] || !func->has_body || func->has_syntax_error
        || func->has_unknown || !is_worth(run->scratch, module, run->kernel))
        return NULL;
    ArenaMark mark = ptx_arena_mark(run->work);
    const Launch launch = ptx_block_race_launch(run->work, module, run->kernel, run->launch);
    KernelRun of = *run;
    of.launch = &launch;
    GlobalRaceSearch s = { .work = run->work,
                           .of = &of,
                           .module = module,
                           .func = func,
                           .machine = ptx_machine_new(run->work, run->scratch, run->program,
                                                      run->kernel, &launch) };
    BlockRace *out = NULL;
    s.shape = ptx_machine_shape(s.machine);
    ptx_machine_observe(s.machine, &s.memory);
    if (!s.shape.block_is_assumed && !s.shape.grid_is_assumed && search(&s)) {
        out = ptx_block_race_new(run->arena, BLOCK_RACE_GLOBAL, access_of(&s, &s.writer, true),
                                 access_of(&s, &s.other, !s.is_read));
        ptx_block_race_name(s.machine, module, func,
                            &(GlobalPlace){ s.word.addend, s.word.address }, out);
    }
    ptx_arena_release(run->work, mark);
    return out;
}
