#include "analysis/time/throughput.h"

#include "analysis/time/work.h"
#include "gpu/costs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/trips/trip.h"
#include "isa/isa.h"

#include <float.h>

/* of loops: a function with deeper ones is unknown, so that an edge out of many costs little */
enum { DEPTH_MAX = 32 };

#define NONE UINT32_MAX
#define UNKNOWN ((double)NAN)

typedef struct Vector {
    double pipes[PIPE__COUNT];
} Vector;

/* A block, or an inner loop as a whole, within the loop that is being added up. */
typedef struct LoadNode {
    Vector all, sure;           /* instructions of the block; sure: without the guarded ones */
    Vector longest, shortest;   /* of the paths from the region's entry to its beginning */
    bool is_reached;
} LoadNode;

typedef struct LoopSum {        /* of one entry of the loop, all its iterations */
    Vector total, longest, shortest;
} LoopSum;

typedef struct End {            /* an edge back to the header of a region, or out of it */
    BlockId block, succ;
} End;

typedef struct Adder {
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Trips *trips;
    const uint8_t *work;
    const OpCycles *ops;
    LoadNode *nodes;                /* per block; an inner loop's is its header's */
    LoopSum *sums;              /* per loop */
    PipeCycles *iterations;     /* per loop */
    /* blocks by region: those of a loop, inner headers included, in reverse postorder */
    BlockId *order;
    uint32_t *order_first;      /* per loop and one more, the function last */
    LoopId *last;               /* per loop: the last one inside it */
    End *ends;                  /* edges, by the regions whose paths they end */
    uint32_t *end_first;        /* per region and one more */
    bool has_call;
    bool is_irreducible;        /* somewhere: then all edges count as feasible */
} Adder;

/* ---- the cost of an operation ---------------------------------------------------------------- */

static void add_tensor(OpCycles *out, const Op *op, const Gpu *gpu)
{
    double rate = gpu->figures[ptx_cost_tensor_rate(op)], fmas = ptx_cost_tensor_fmas(op);
    out->pipes[PIPE_TENSOR] += fmas > 0 && rate > 0 ? (float)(fmas / rate) : NAN;
}

/* Accesses of shared memory are counted in what its banks serve at a time: several of one
 * instruction, which is one elsewhere. */
static double operations(PipeId pipe, const CostTerm *term)
{
    bool is_served = term->machine == MACHINE_SHARED || term->machine == MACHINE_MATRIX;
    return is_served && pipe != PIPE_SHARED && term->count > 1 ? 1 : (double)term->count;
}

void ptx_throughput_op(OpCycles *out, const Op *op, const Gpu *gpu)
{
    const Cost *cost = ptx_cost_find(op, gpu->target);
    double warp = ptx_gpu_has(gpu, FIGURE_WARP_SIZE) ? gpu->figures[FIGURE_WARP_SIZE] : 32;
    for (int p = 0; p < PIPE__COUNT && !cost; p++)
        out->pipes[p] = NAN;
    for (unsigned t = 0; cost && t < cost->term_count; t++) {
        const CostTerm *term = &cost->terms[t];
        for (int p = 0; p < PIPE__COUNT; p++) {
            const Pipe *pipe = &gpu->pipes[p];
            if (pipe->lanes > 0 && pipe->takes[term->machine] > 0)
                out->pipes[p] += (float)(warp / pipe->lanes * (double)pipe->takes[term->machine]
                                         * operations((PipeId)p, term));
        }
        if (term->machine == MACHINE_TENSOR)
            add_tensor(out, op, gpu);
    }
}

bool ptx_throughput_is_of_several(const Op *op, const OpCycles *cycles)
{
    bool has_other = false;
    for (unsigned p = 0; p < PIPE__COUNT; p++)
        has_other |= p != PIPE_ISSUE && p != PIPE_TENSOR && cycles->pipes[p] > 0;
    return has_other && op->family == OP_MMA;
}

const OpCycles *ptx_throughput_ops(Arena *arena, const Module *module, const Gpu *gpu)
{
    OpCycles *ops = ptx_arena_array(arena, OpCycles, module->op_count + 1);
    for (uint32_t i = 0; i < module->op_count; i++)
        ptx_throughput_op(&ops[i], module->ops[i], gpu);
    return ops;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void add(Vector *to, const Vector *what, double times)
{
    for (int p = 0; p < PIPE__COUNT; p++)
        to->pipes[p] += times * what->pipes[p];
}

/* What is unknown stays so. */
static void take_most(Vector *to, const Vector *what)
{
    for (int p = 0; p < PIPE__COUNT; p++)
        if (!(what->pipes[p] <= to->pipes[p]))
            to->pipes[p] = isnan(to->pipes[p]) ? to->pipes[p] : what->pipes[p];
}

static void take_least(Vector *to, const Vector *what)
{
    for (int p = 0; p < PIPE__COUNT; p++)
        if (what->pipes[p] < to->pipes[p])
            to->pipes[p] = what->pipes[p];
}

static Vector all_of(double value)
{
    Vector v;
    for (int p = 0; p < PIPE__COUNT; p++)
        v.pipes[p] = value;
    return v;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Neighbours that join are one instruction of up to 16 bytes; the banks serve 8 of them in the time
 * of 4 (lanes may read one address), and no more. */
static float share_of(uint8_t work, PipeId pipe)
{
    unsigned share = pipe == PIPE_SHARED ? 2u * work : work;
    return (float)(share < WORK_WHOLE ? share : WORK_WHOLE) / WORK_WHOLE;
}

static void add_block(Adder *a, BlockId b)
{
    const Block *block = &a->cfg->blocks[b];
    float all[PIPE__COUNT] = { 0 }, sure[PIPE__COUNT] = { 0 };
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &a->func->insns[i];
        const OpCycles *op = &a->ops[insn->op->id];
        a->has_call |= insn->op->kind == OPK_CALL;
        if (!a->work[i])
            continue;
        for (int p = 0; p < PIPE__COUNT; p++) {
            float cycles = share_of(a->work[i], (PipeId)p) * op->pipes[p];
            all[p] += cycles;
            sure[p] += insn->guard == NO_ID && !isnan(cycles) ? cycles : 0;
        }
    }
    for (int p = 0; p < PIPE__COUNT; p++) {
        a->nodes[b].all.pipes[p] = (double)all[p];
        a->nodes[b].sure.pipes[p] = (double)sure[p];
    }
}

/* ---- regions: a loop, or the function (loop_count) ------------------------------------------- */

static uint32_t region_of(const Adder *a, BlockId b)
{
    LoopId loop = a->loops->loop_of[b];
    return loop == NO_LOOP ? a->loops->loop_count : loop;
}

static uint32_t parent_of(const Adder *a, LoopId loop)
{
    LoopId parent = a->loops->loops[loop].parent;
    return parent == NO_LOOP ? a->loops->loop_count : parent;
}

static bool is_header(const Adder *a, BlockId b)
{
    LoopId loop = a->loops->loop_of[b];
    return loop != NO_LOOP && a->loops->loops[loop].header == b;
}

/* Blocks by region, by counting; the header of a loop stands in its own region and in the one
 * around it. */
static void sort_blocks(Adder *a, Arena *scratch)
{
    uint32_t regions = a->loops->loop_count + 1;
    uint32_t *first = a->order_first = ptx_arena_array(scratch, uint32_t, regions + 1);
    a->order = ptx_arena_array(scratch, BlockId, a->cfg->rpo_count + regions + 1);
    for (uint32_t i = 0; i < a->cfg->rpo_count; i++)
        first[region_of(a, a->cfg->rpo[i]) + 1]++;
    for (LoopId l = 0; l < a->loops->loop_count; l++)
        first[parent_of(a, l) + 1]++;
    for (uint32_t r = 0; r < regions; r++)
        first[r + 1] += first[r];
    uint32_t *next = ptx_arena_array(scratch, uint32_t, regions);
    memcpy(next, first, regions * sizeof *next);
    for (uint32_t i = 0; i < a->cfg->rpo_count; i++) {
        BlockId b = a->cfg->rpo[i];
        uint32_t region = region_of(a, b);
        a->order[next[region]++] = b;
        if (is_header(a, b)) {
            region = parent_of(a, region);
            a->order[next[region]++] = b;
        }
    }
}

/* The node that stands for a block in a region: itself, or the header of the inner loop that holds
 * it; NONE: outside. */
static BlockId stands_for(const Adder *a, BlockId b, uint32_t region)
{
    LoopId loop = a->loops->loop_of[b];
    uint32_t at = region_of(a, b);
    if (at == region)
        return b;
    for (int depth = 0; at != a->loops->loop_count && depth < DEPTH_MAX; depth++) {
        loop = at;
        at = parent_of(a, loop);
        if (at == region)
            return a->loops->loops[loop].header;
    }
    return NONE;
}

/* Whether the edge from -> to can be taken at all under the launch. */
static bool is_feasible(const Adder *a, BlockId from, BlockId to)
{
    const Block *block = &a->cfg->blocks[from];
    Taken taken = a->trips && !a->is_irreducible ? (Taken)a->trips->taken[from] : TAKEN_UNKNOWN;
    if (taken == TAKEN_UNKNOWN || block->succ_count != 2)
        return true;
    BlockId through = a->cfg->succs[block->succ_first + 1];     /* the fall-through edge is last */
    return (taken == TAKEN_NEVER) == (to == through);
}

/* What a node adds to a path. */
static void add_node(const Adder *a, BlockId b, uint32_t region, Vector *longest, Vector *shortest)
{
    const LoadNode *node = &a->nodes[b];
    if (region_of(a, b) != region) {
        const LoopSum *sum = &a->sums[a->loops->loop_of[b]];
        add(longest, &sum->longest, 1);
        add(shortest, &sum->shortest, 1);
    } else {
        add(longest, &node->all, 1);
        add(shortest, &node->sure, 1);
    }
}

/* Joins the paths that reach a node from its predecessors in the region. False: none does. */
static bool reach(Adder *a, BlockId b, uint32_t region)
{
    const Block *block = &a->cfg->blocks[b];
    LoadNode *node = &a->nodes[b];
    bool is_reached = false;
    node->longest = all_of(0);
    node->shortest = all_of(DBL_MAX);
    for (uint32_t i = 0; i < block->pred_count; i++) {
        BlockId pred = a->cfg->preds[block->pred_first + i];
        BlockId from = ptx_block_is_reachable(a->cfg, pred) ? stands_for(a, pred, region) : NONE;
        if (from == NONE || from == b || a->cfg->rpo_index[from] >= a->cfg->rpo_index[b]
            || !a->nodes[from].is_reached || !a->nodes[pred].is_reached || !is_feasible(a, pred, b))
            continue;
        Vector longest = a->nodes[from].longest, shortest = a->nodes[from].shortest;
        add_node(a, from, region, &longest, &shortest);
        take_most(&node->longest, &longest);
        take_least(&node->shortest, &shortest);
        is_reached = true;
    }
    return is_reached;
}

/* Control enters an irreducible loop beside its header too. */
static bool enters_anywhere(const Adder *a, BlockId b, uint32_t region)
{
    return region_of(a, b) != region && a->loops->loops[a->loops->loop_of[b]].is_irreducible;
}

/* Paths from the region's entry to each of its nodes. */
static void walk_region(Adder *a, uint32_t region, BlockId entry)
{
    for (uint32_t i = a->order_first[region]; i < a->order_first[region + 1]; i++) {
        BlockId b = a->order[i];
        LoadNode *node = &a->nodes[b];
        node->is_reached = reach(a, b, region);
        if (b == entry || (!node->is_reached && enters_anywhere(a, b, region))) {
            node->longest = node->shortest = all_of(0);
            node->is_reached = true;
        }
    }
}

/* ---- where paths end ------------------------------------------------------------------------- */

static bool contains(const Adder *a, LoopId loop, BlockId b)
{
    LoopId inner = b == EXIT_BLOCK ? NO_LOOP : a->loops->loop_of[b];
    return inner != NO_LOOP && inner >= loop && inner <= a->last[loop];
}

/* Calls note for every region that the edge ends a path of: the loops that it leaves, the one whose
 * header it goes back to, the function. */
static void for_each_region(Adder *a, BlockId b, BlockId succ, void (*note)(Adder *, uint32_t, End))
{
    uint32_t at = region_of(a, b);
    for (int depth = 0; depth < DEPTH_MAX && at != a->loops->loop_count; depth++) {
        bool is_back = a->loops->loops[at].header == succ;
        if (is_back || !contains(a, at, succ))
            note(a, at, (End){ b, succ });
        if (is_back || contains(a, at, succ))
            return;
        at = parent_of(a, at);
    }
    if (at == a->loops->loop_count && succ == EXIT_BLOCK)
        note(a, at, (End){ b, succ });
}

static void count_end(Adder *a, uint32_t region, End end)
{
    (void)end;
    a->end_first[region + 2]++;
}

static void keep_end(Adder *a, uint32_t region, End end)
{
    a->ends[a->end_first[region + 1]++] = end;
}

static void for_each_edge(Adder *a, void (*note)(Adder *, uint32_t, End))
{
    for (uint32_t i = 0; i < a->cfg->rpo_count; i++) {
        const Block *block = &a->cfg->blocks[a->cfg->rpo[i]];
        for (uint32_t s = 0; s < block->succ_count; s++)
            for_each_region(a, a->cfg->rpo[i], a->cfg->succs[block->succ_first + s], note);
    }
}

static void sort_ends(Adder *a, Arena *scratch)
{
    uint32_t count = a->loops->loop_count;
    a->last = ptx_arena_array(scratch, LoopId, count + 1);
    for (LoopId loop = count; loop-- > 0;) {    /* an inner loop comes after its outer one */
        LoopId parent = a->loops->loops[loop].parent;
        if (!a->last[loop])
            a->last[loop] = loop;
        if (parent != NO_LOOP && a->last[parent] < a->last[loop])
            a->last[parent] = a->last[loop];
    }
    a->end_first = ptx_arena_array(scratch, uint32_t, count + 3);
    for_each_edge(a, count_end);
    for (uint32_t r = 0; r <= count; r++)
        a->end_first[r + 2] += a->end_first[r + 1];
    a->ends = ptx_arena_array(scratch, End, a->end_first[count + 2] + 1);
    for_each_edge(a, keep_end);
}

typedef struct Ends {           /* of the paths through a region */
    Vector total;               /* of all its reached nodes, once */
    Vector latch_longest, latch_shortest, exit_longest, exit_shortest;
    bool has_latch, has_exit;
} Ends;

static void add_end(const Adder *a, uint32_t region, const End *end, Ends *ends)
{
    BlockId node = stands_for(a, end->block, region);
    bool is_latch = region != a->loops->loop_count && end->succ == a->loops->loops[region].header;
    if (node == NONE || !a->nodes[node].is_reached || !a->nodes[end->block].is_reached
        || (end->succ != EXIT_BLOCK && !is_feasible(a, end->block, end->succ)))
        return;
    Vector longest = a->nodes[node].longest, shortest = a->nodes[node].shortest;
    add_node(a, node, region, &longest, &shortest);
    take_most(is_latch ? &ends->latch_longest : &ends->exit_longest, &longest);
    take_least(is_latch ? &ends->latch_shortest : &ends->exit_shortest, &shortest);
    *(is_latch ? &ends->has_latch : &ends->has_exit) = true;
}

static void find_ends(const Adder *a, uint32_t region, Ends *ends)
{
    *ends = (Ends){ .total = all_of(0),
                    .latch_longest = all_of(0),
                    .latch_shortest = all_of(DBL_MAX),
                    .exit_longest = all_of(0),
                    .exit_shortest = all_of(DBL_MAX) };
    for (uint32_t i = a->order_first[region]; i < a->order_first[region + 1]; i++) {
        BlockId b = a->order[i];
        if (a->nodes[b].is_reached)
            add(&ends->total,
                region_of(a, b) != region ? &a->sums[a->loops->loop_of[b]].total : &a->nodes[b].all,
                1);
    }
    for (uint32_t i = a->end_first[region]; i < a->end_first[region + 1]; i++)
        add_end(a, region, &a->ends[i], ends);
}

/* ---- putting together ------------------------------------------------------------------------ */

static void set_pipes(PipeCycles *out, const Vector *total, const Vector *longest,
                      const Vector *shortest)
{
    for (int p = 0; p < PIPE__COUNT; p++)
        out->pipes[p] = (Cycles){ total->pipes[p], longest->pipes[p],
                                  shortest->pipes[p] < DBL_MAX ? shortest->pipes[p] : UNKNOWN };
}

/* The header runs once more than the body where it tests before. */
static void sum_loop(Adder *a, LoopId id, const Ends *ends)
{
    const Loop *loop = &a->loops->loops[id];
    const Trip *trip = a->trips ? &a->trips->trips[id] : NULL;
    LoopSum *sum = &a->sums[id];
    Vector end = ends->has_exit ? ends->exit_longest : all_of(UNKNOWN);
    double extra = trip && trip->tests_first ? 1 : 0;
    double count = trip ? trip->count : UNKNOWN;
    double most = trip ? trip->count_max : UNKNOWN;
    double least = trip && trip->count_min >= 1 - extra ? trip->count_min : 1 - extra;
    bool is_known = !loop->is_irreducible;
    sum->total = sum->longest = all_of(is_known ? 0 : UNKNOWN);
    sum->shortest = all_of(0);
    if (ends->has_latch)
        set_pipes(&a->iterations[id], &ends->total, &ends->latch_longest, &ends->latch_shortest);
    else
        set_pipes(&a->iterations[id], &ends->total, &end, &ends->exit_shortest);
    if (!is_known)
        return;
    add(&sum->total, &ends->total, count);
    if (extra > 0)
        add(&sum->total, &a->nodes[loop->header].all, 1);
    if (ends->has_latch && !(most + extra <= 1))
        add(&sum->longest, &ends->latch_longest, most + extra - 1);
    add(&sum->longest, &end, 1);
    if (ends->has_latch && least + extra > 1)
        add(&sum->shortest, &ends->latch_shortest, least + extra - 1);
    if (ends->has_exit)
        add(&sum->shortest, &ends->exit_shortest, 1);
}

static void add_regions(Adder *a, Arena *scratch, Throughput *out)
{
    Ends ends;
    sort_ends(a, scratch);
    /* an inner loop comes after its outer one */
    for (LoopId loop = a->loops->loop_count; loop-- > 0;) {
        walk_region(a, loop, a->loops->loops[loop].header);
        find_ends(a, loop, &ends);
        sum_loop(a, loop, &ends);
    }
    uint32_t top = a->loops->loop_count;
    walk_region(a, top, 0);
    find_ends(a, top, &ends);
    Vector total = a->has_call ? all_of(UNKNOWN) : ends.total;
    Vector longest = a->has_call || !ends.has_exit ? all_of(UNKNOWN) : ends.exit_longest;
    Vector shortest = ends.has_exit ? ends.exit_shortest : all_of(UNKNOWN);
    set_pipes(&out->func, &total, &longest, &shortest);
}

/* A pipe that the GPU's file leaves out holds no figure; all: none does. */
static void blank_pipes(PipeCycles *cycles, const Gpu *gpu, bool all)
{
    for (int p = 0; p < PIPE__COUNT; p++)
        if (all
            || (!(gpu->pipes[p].lanes > 0)
                && (p != PIPE_TENSOR || !(gpu->figures[FIGURE_TENSOR_F16] > 0))))
            cycles->pipes[p] = (Cycles){ UNKNOWN, UNKNOWN, UNKNOWN };
}

const Throughput *ptx_throughput_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                         const ThroughputInput *in)
{
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    ArenaMark mark = ptx_arena_mark(scratch);
    Throughput *out = ptx_arena_new(arena, Throughput);
    PipeCycles *iterations = ptx_arena_array(arena, PipeCycles, loops->loop_count);
    uint32_t depth = 0;
    Adder adder = { .func = flow->func,
                    .cfg = cfg,
                    .loops = loops,
                    .trips = in->trips,
                    .work = in->work,
                    .ops = in->ops,
                    .iterations = iterations,
                    .nodes = ptx_arena_array(scratch, LoadNode, cfg->block_count),
                    .sums = ptx_arena_array(scratch, LoopSum, loops->loop_count + 1) };
    for (LoopId loop = 0; loop < loops->loop_count; loop++) {
        depth = loops->loops[loop].depth > depth ? loops->loops[loop].depth : depth;
        adder.is_irreducible |= loops->loops[loop].is_irreducible;
    }
    for (uint32_t i = 0; i < cfg->rpo_count; i++)
        add_block(&adder, cfg->rpo[i]);
    if (depth <= DEPTH_MAX) {
        sort_blocks(&adder, scratch);
        add_regions(&adder, scratch, out);
    }
    blank_pipes(&out->func, in->gpu, depth > DEPTH_MAX);
    for (LoopId loop = 0; loop < loops->loop_count; loop++)
        blank_pipes(&iterations[loop], in->gpu, depth > DEPTH_MAX);
    out->loops = iterations;
    ptx_arena_release(scratch, mark);
    return out;
}
