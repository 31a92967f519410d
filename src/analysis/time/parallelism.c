#include "analysis/time/parallelism.h"

#include "analysis/time/latency.h"
#include "analysis/time/memory/store_order.h"
#include "ir/func.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/types.h"
#include "analysis/sass/sass.h"
#include "analysis/sim/count.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

#include <math.h>
#include <string.h>

/* The first iterations warm up; what two more take beyond is what each goes on to take. */
enum {
    WARM_WALKS = 2, MORE_WALKS = 2,
    /* bounds the walks over deep nests of loops; beyond, nothing is known of the outer ones */
    STEPS_PER_INSN = 64,
    MOVES_PER_INSN = 1024,      /* of what inner loops make, likewise */
};

/* How far an instruction is down the chains that lead to it. */
typedef struct Chains {
    double instructions, clocks, loads;
} Chains;

typedef struct ParallelismWalker {
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Lowered *lowered;
    const Evaluation *evaluation;
    ResultClocks of;
    Latencies latencies;
    /* blocks by the loop that no inner one is around, a loop's with those of its inner ones behind
     * each other */
    const BlockId *sorted;
    const uint32_t *first;       /* per loop and two more: into sorted; those in no loop last */
    uint32_t *from, *to;         /* per loop: its first and last block in reverse postorder */
    /* per loop: iterations for one of the loop around it; NaN: not known */
    double *turns;
    Chains *carried;             /* per loop: what an iteration adds to the chains that go round */
    uint64_t steps;              /* instructions that may still be walked over */
    uint64_t moves;              /* that may still be moved as an inner loop is left */
    uint32_t *shifted;           /* per value: the last leave that it was moved by */
    uint32_t leaves;             /* of inner loops, so far */
    /* per value of lowered: when it is there; when it was after the first iterations */
    Chains *values, *kept;
    Chains stored[STORE_ORDERS]; /* when the last store of an order could start */
    Chains barrier;              /* when the last barrier let go */
    Chains made;                 /* when what the last instruction makes is there */
    Chains started, ended;       /* the latest of all */
} ParallelismWalker;

/* Behind the last block of a loop and of those inside it, in sorted. */
static uint32_t end_of_blocks(const ParallelismWalker *w, LoopId loop)
{
    return w->first[loop < w->loops->loop_count ? w->loops->loops[loop].end : loop + 1];
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void wait_for(Chains *to, const Chains *by)
{
    to->instructions = fmax(to->instructions, by->instructions);
    to->clocks = fmax(to->clocks, by->clocks);
    to->loads = fmax(to->loads, by->loads);
}

static Chains start_of(const ParallelismWalker *w, const LoweredInsn *insn)
{
    const LoweredValueId *uses = &w->lowered->operands[insn->operand_first] + insn->def_count;
    MachineOp machine = (MachineOp)insn->machine;
    Chains at = w->barrier;
    for (unsigned u = 0; u < insn->use_count; u++)
        wait_for(&at, &w->values[uses[u]]);
    for (unsigned o = 0, orders = ptx_store_orders(w->func, insn); o < STORE_ORDERS; o++)
        if (orders >> o & 1)
            wait_for(&at, &w->stored[o]);
    if (machine == MACHINE_BARRIER)
        wait_for(&at, &w->started);
    return at;
}

static bool is_load(const ParallelismWalker *w, const LoweredInsn *insn)
{
    return insn->def_count && ptx_is_load_of_global(w->func, insn);
}

/* What follows in the same expansion reads it, though no register of the function holds it. */
static bool is_handed_on(const ParallelismWalker *w, const LoweredInsn *insn)
{
    return insn->def_count || ptx_hands_on(w->func, insn)
           || (insn->origin != NO_ID && w->of.sequences[insn->origin].each > 0);
}

/* No instruction waits for a store. */
static double clocks_of(const ParallelismWalker *w, const LoweredInsn *insn)
{
    bool is_waited_for = is_handed_on(w, insn) || insn->machine == MACHINE_BARRIER;
    double count = insn->count > 1 ? (double)insn->count : 1;
    if (ptx_lowered_is_copy(insn))
        return 0;
    return is_waited_for ? ptx_result_clocks(&w->of, insn)
                         : count * (double)w->latencies.machine[MACHINE_ALU];
}

static unsigned stored_by(const ParallelismWalker *w, const LoweredInsn *insn)
{
    return ptx_is_ordering_store(insn) ? ptx_store_orders(w->func, insn) : 0;
}

/* is_next: of the expansion that the instruction before it is of. */
static void walk_insn(ParallelismWalker *w, const LoweredInsn *insn, bool is_next)
{
    const LoweredValueId *defs = &w->lowered->operands[insn->operand_first];
    MachineOp machine = (MachineOp)insn->machine;
    Chains at = start_of(w, insn);
    if (is_next)
        wait_for(&at, &w->made);
    const Chains end = { at.instructions + (double)insn->count, at.clocks + clocks_of(w, insn),
                         at.loads + is_load(w, insn) };
    for (unsigned d = 0; d < insn->def_count; d++)
        w->values[defs[d]] = end;
    w->made = is_handed_on(w, insn) ? end : at;
    if (machine == MACHINE_BARRIER)
        w->barrier = end;
    for (unsigned o = 0, orders = stored_by(w, insn); o < STORE_ORDERS; o++)
        if (orders >> o & 1)
            w->stored[o] = at;
    wait_for(&w->started, &at);
    wait_for(&w->ended, &end);
}

/* ---- an inner loop --------------------------------------------------------------------------- */

static Chains times(const Chains *c, double n)
{
    return (Chains){ c->instructions * n, c->clocks * n, c->loads * n };
}

static void move_by(Chains *at, const Chains *by)
{
    *at = (Chains){ at->instructions + by->instructions, at->clocks + by->clocks,
                    at->loads + by->loads };
}

/* Behind a loop that was walked once: its other iterations follow each other as fast as the chains
 * that go round let them. */
static void leave_loop(ParallelismWalker *w, LoopId loop)
{
    if (!w->moves) {
        w->steps = 0;
        return;
    }
    Chains by = times(&w->carried[loop], w->turns[loop] - 1);
    bool has_barrier = false;
    unsigned stored = 0;
    w->leaves++;
    for (uint32_t b = w->first[loop]; b < end_of_blocks(w, loop) && w->turns[loop] > 1; b++)
        for (uint32_t i = w->lowered->first[w->sorted[b]]; i < w->lowered->first[w->sorted[b] + 1];
             i++, w->moves -= w->moves > 0) {
            const LoweredInsn *insn = &w->lowered->insns[i];
            has_barrier |= insn->machine == MACHINE_BARRIER;
            stored |= stored_by(w, insn);
            for (unsigned d = 0; d < insn->def_count; d++) {
                LoweredValueId value = w->lowered->operands[insn->operand_first + d];
                if (w->shifted[value] == w->leaves)
                    continue;
                w->shifted[value] = w->leaves;
                move_by(&w->values[value], &by);
                wait_for(&w->ended, &w->values[value]);
                wait_for(&w->started, &w->values[value]);
            }
        }
    if (has_barrier)
        move_by(&w->barrier, &by);
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        if (stored >> o & 1)
            move_by(&w->stored[o], &by);
}

/* ---- an iteration ---------------------------------------------------------------------------- */

static bool continues(const LoweredInsn *insn)
{
    return insn->origin != NO_ID && insn->origin == insn[-1].origin;
}

/* Some way leads out of the innermost loop that the block is in. */
static bool is_exit(const ParallelismWalker *w, BlockId block)
{
    const Block *b = &w->cfg->blocks[block];
    LoopId loop = w->loops->loop_of[block];
    for (uint32_t s = 0; s < b->succ_count && loop != NO_LOOP; s++)
        if (!ptx_loop_holds(w->loops, loop, w->cfg->succs[b->succ_first + s]))
            return true;
    return false;
}

/* A loop that is left as what it loads says goes on once that is there: nothing runs ahead of its
 * branch. That of a counter is gone where the loop is unrolled. */
static void wait_for_exit(ParallelismWalker *w, BlockId block)
{
    uint32_t end = w->lowered->first[block + 1];
    const LoweredInsn *branch = &w->lowered->insns[end - 1];
    if (end == w->lowered->first[block] || branch->machine != MACHINE_BRANCH
        || !is_exit(w, block))
        return;
    const LoweredValueId *uses = &w->lowered->operands[branch->operand_first] + branch->def_count;
    Chains at = { 0 };
    for (unsigned u = 0; u < branch->use_count; u++)
        wait_for(&at, &w->values[uses[u]]);
    at.instructions += (double)branch->count;
    at.clocks += (double)w->latencies.machine[MACHINE_BRANCH];
    if (at.loads > w->barrier.loads)
        wait_for(&w->barrier, &at);
}

static void walk_block(ParallelismWalker *w, BlockId block)
{
    uint32_t first = w->lowered->first[block];
    for (uint32_t i = first; i < w->lowered->first[block + 1]; i++)
        walk_insn(w, &w->lowered->insns[i], i > first && continues(&w->lowered->insns[i]));
    uint32_t steps = w->lowered->first[block + 1] - first + 1;
    wait_for_exit(w, block);
    w->steps -= steps < w->steps ? steps : w->steps;
}

/* What is in no loop: its own blocks alone. */
static void walk_rest(ParallelismWalker *w)
{
    for (uint32_t b = w->first[w->loops->loop_count]; b < w->first[w->loops->loop_count + 1]; b++)
        walk_block(w, w->sorted[b]);
}

/* One iteration, with those of the loops inside it. */
static void walk_loop(ParallelismWalker *w, LoopId loop)
{
    for (uint32_t r = w->from[loop]; r <= w->to[loop] && w->steps; r++) {
        LoopId at = w->loops->loop_of[w->cfg->rpo[r]];
        w->steps -= 1;
        if (!ptx_loop_holds_loop(w->loops, loop, at))
            continue;
        walk_block(w, w->cfg->rpo[r]);
        for (LoopId left = at; left != loop && w->to[left] == r;
             left = w->loops->loops[left].parent)
            leave_loop(w, left);
    }
}

static void walk(ParallelismWalker *w, LoopId loop)
{
    if (loop < w->loops->loop_count)
        walk_loop(w, loop);
    else
        walk_rest(w);
}

/* What comes from before the loop is there. */
static void begin(ParallelismWalker *w, LoopId loop)
{
    w->barrier = w->started = w->ended = (Chains){ 0 };
    memset(w->stored, 0, sizeof w->stored);
    for (uint32_t b = w->first[loop]; b < end_of_blocks(w, loop); b++)
        for (uint32_t i = w->lowered->first[w->sorted[b]]; i < w->lowered->first[w->sorted[b] + 1];
             i++) {
            const LoweredInsn *insn = &w->lowered->insns[i];
            for (unsigned o = 0; o < (unsigned)insn->def_count + insn->use_count; o++)
                w->values[w->lowered->operands[insn->operand_first + o]] = (Chains){ 0 };
        }
}

static double bytes_of(const ParallelismWalker *w, const LoweredInsn *insn)
{
    const Count *total = w->evaluation ? w->evaluation->insns[insn->origin].total : NULL;
    return total && total->requests > 0 && total->sectors > 0
               ? 32 * total->sectors / total->requests
               : 32.0 * w->func->insns[insn->origin].access_bytes;
}

/* The blocks that no inner loop holds. */
static void count_own(const ParallelismWalker *w, LoopId loop, Parallelism *out)
{
    for (uint32_t b = w->first[loop]; b < w->first[loop + 1]; b++)
        for (uint32_t i = w->lowered->first[w->sorted[b]]; i < w->lowered->first[w->sorted[b] + 1];
             i++) {
            const LoweredInsn *insn = &w->lowered->insns[i];
            out->instructions += (double)insn->count;
            if (!is_load(w, insn))
                continue;
            out->loads++;
            out->load_bytes += bytes_of(w, insn);
        }
}

/* Of the loops directly inside, which stand there already. */
static void count_inner(const ParallelismWalker *w, const Parallelism *of, LoopId loop,
                        Parallelism *out)
{
    const LoopId end = loop < w->loops->loop_count ? w->loops->loops[loop].end : 0;
    for (LoopId inner = loop + 1; inner < end; inner = w->loops->loops[inner].end) {
        out->instructions += w->turns[inner] * of[inner].instructions;
        out->loads += w->turns[inner] * of[inner].loads;
        out->load_bytes += w->turns[inner] * of[inner].load_bytes;
    }
}

static const Parallelism unknown = { (double)NAN, (double)NAN, (double)NAN, (double)NAN,
                                     (double)NAN, (double)NAN, (double)NAN, (double)NAN };

static void keep_value(ParallelismWalker *w, LoopId loop, LoweredValueId value)
{
    (void)loop;
    w->kept[value] = w->values[value];
}

/* By what a value comes later, an iteration on. */
static void note_growth(ParallelismWalker *w, LoopId loop, LoweredValueId value)
{
    const Chains *now = &w->values[value], *kept = &w->kept[value];
    const Chains growth = { now->instructions - kept->instructions, now->clocks - kept->clocks,
                            now->loads - kept->loads },
                 each = times(&growth, 1.0 / MORE_WALKS);
    wait_for(&w->carried[loop], &each);
}

/* What the loop writes. */
static void each_value(ParallelismWalker *w, LoopId loop,
                       void (*visit)(ParallelismWalker *, LoopId, LoweredValueId))
{
    for (uint32_t b = w->first[loop]; b < end_of_blocks(w, loop); b++)
        for (uint32_t i = w->lowered->first[w->sorted[b]]; i < w->lowered->first[w->sorted[b] + 1];
             i++)
            for (unsigned d = 0; d < w->lowered->insns[i].def_count; d++)
                visit(w, loop, w->lowered->operands[w->lowered->insns[i].operand_first + d]);
}

static Parallelism measure(ParallelismWalker *w, const Parallelism *of, LoopId loop)
{
    Parallelism out = { 0 };
    bool is_loop = loop < w->loops->loop_count,
         has_clocks = w->of.load_clocks || !isnan(w->latencies.machine[MACHINE_GLOBAL]);
    count_own(w, loop, &out);
    count_inner(w, of, loop, &out);
    if (isnan(out.instructions) || (is_loop && !w->steps))
        return unknown;
    begin(w, loop);
    walk(w, loop);
    out.path = w->ended.instructions;
    out.path_clocks = has_clocks || out.loads <= 0 ? w->ended.clocks : (double)NAN;
    out.load_path = w->ended.loads;
    out.carried_clocks = out.carried_loads = (double)NAN;
    if (!is_loop)
        return out;
    for (unsigned i = 1; i < WARM_WALKS; i++)
        walk(w, loop);
    each_value(w, loop, keep_value);
    for (unsigned i = 0; i < MORE_WALKS; i++)
        walk(w, loop);
    each_value(w, loop, note_growth);
    out.carried_clocks = has_clocks || out.loads <= 0 ? w->carried[loop].clocks : (double)NAN;
    out.carried_loads = w->carried[loop].loads;
    return w->steps ? out : unknown;
}

/* ---- the function ---------------------------------------------------------------------------- */

/* The blocks of each loop that no inner one holds, behind each other; those in no loop last. first:
 * per loop and two more. */
static const BlockId *sort_blocks(Arena *scratch, const Cfg *cfg, const Loops *loops,
                                  uint32_t *first)
{
    BlockId *sorted = ptx_arena_array(scratch, BlockId, cfg->rpo_count + 1);
    uint32_t *next = ptx_arena_array(scratch, uint32_t, loops->loop_count + 2);
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        LoopId loop = loops->loop_of[cfg->rpo[r]];
        first[(loop == NO_LOOP ? loops->loop_count : loop) + 1]++;
    }
    for (uint32_t l = 0; l <= loops->loop_count; l++) {
        first[l + 1] += first[l];
        next[l] = first[l];
    }
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        LoopId loop = loops->loop_of[cfg->rpo[r]];
        sorted[next[loop == NO_LOOP ? loops->loop_count : loop]++] = cfg->rpo[r];
    }
    return sorted;
}

static double warps_at(const ParallelismWalker *w, LoopId loop)
{
    return w->evaluation ? w->evaluation->insns[w->cfg->blocks[w->loops->loops[loop].header].first]
                               .total->warps
                         : 0;
}

/* Which blocks are of each loop, and how often it goes round for once around it. */
static void find_extents(ParallelismWalker *w, Arena *scratch)
{
    uint32_t count = w->loops->loop_count;
    w->from = ptx_arena_array(scratch, uint32_t, count + 1);
    w->to = ptx_arena_array(scratch, uint32_t, count + 1);
    w->turns = ptx_arena_array(scratch, double, count + 1);
    for (uint32_t r = w->cfg->rpo_count; r-- > 0;) {
        LoopId loop = w->loops->loop_of[w->cfg->rpo[r]];
        if (loop == NO_LOOP)
            continue;
        w->from[loop] = r;
        w->to[loop] = w->to[loop] ? w->to[loop] : r;
    }
    for (LoopId l = count; l-- > 0;) {
        LoopId parent = w->loops->loops[l].parent;
        w->turns[l] = parent != NO_LOOP && warps_at(w, parent) > 0
                          ? warps_at(w, l) / warps_at(w, parent)
                          : (double)NAN;
        if (parent == NO_LOOP)
            continue;
        w->from[parent] = w->from[l] < w->from[parent] ? w->from[l] : w->from[parent];
        w->to[parent] = w->to[l] > w->to[parent] ? w->to[l] : w->to[parent];
    }
}

static const Sequence *sequences_of(Arena *scratch, const Gpu *gpu, const Func *func)
{
    Sequence *sequences = ptx_arena_array(scratch, Sequence, func->insn_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++)
        sequences[i] = ptx_sequence_find(gpu, func->insns[i].op);
    return sequences;
}

const Parallelisms *ptx_parallelism_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                            const ParallelismInput *in)
{
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    const Lowered *lowered = in->lowered;
    const double *figures = in->gpu->figures;
    Parallelisms *out = ptx_arena_new(arena, Parallelisms);
    Parallelism *of = ptx_arena_array(arena, Parallelism, loops->loop_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    ParallelismWalker w = { .func = flow->func,
                            .cfg = cfg,
                            .loops = loops,
                            .lowered = lowered,
                            .evaluation = in->evaluation };
    uint32_t *first = ptx_arena_array(scratch, uint32_t, loops->loop_count + 2);
    w.sorted = sort_blocks(scratch, cfg, loops, first);
    w.first = first;
    w.steps = STEPS_PER_INSN * ((uint64_t)lowered->insn_count + cfg->rpo_count + 64);
    w.moves = MOVES_PER_INSN * ((uint64_t)lowered->insn_count + 1);
    find_extents(&w, scratch);
    ptx_latencies_find(
        in->gpu, (figures[FIGURE_GLOBAL_LATENCY_MIN] + figures[FIGURE_GLOBAL_LATENCY_MAX]) / 2,
        &w.latencies);
    w.of = (ResultClocks){ &w.latencies, sequences_of(scratch, in->gpu, flow->func),
                           in->load_clocks, flow->func };
    w.values = ptx_arena_array(scratch, Chains, lowered->value_count + 1);
    w.kept = ptx_arena_array(scratch, Chains, lowered->value_count + 1);
    w.shifted = ptx_arena_array(scratch, uint32_t, lowered->value_count + 1);
    w.carried = ptx_arena_array(scratch, Chains, loops->loop_count + 1);
    for (LoopId l = loops->loop_count + 1; l-- > 0;)
        of[l] = measure(&w, of, l);
    out->loops = of;
    out->rest = of[loops->loop_count];
    ptx_arena_release(scratch, mark);
    return out;
}

double ptx_parallelism_ilp(const Parallelism *p)
{
    return p->path > 0 ? p->instructions / p->path : (double)NAN;
}

double ptx_parallelism_mlp(const Parallelism *p)
{
    return p->load_path > 0 ? p->loads / p->load_path : (double)NAN;
}
