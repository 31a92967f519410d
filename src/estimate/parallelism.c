#include "estimate/parallelism.h"

#include "estimate/predict.h"

#include <math.h>

/* The first iterations warm up; what two more take beyond is what each goes on to take. */
enum { WARM_WALKS = 2, MORE_WALKS = 2 };

/* How far an instruction is down the chains that lead to it. */
typedef struct Chains {
    double instructions, clocks, loads;
} Chains;

typedef struct Walker {
    const Func *func;
    const Lowered *lowered;
    const Evaluation *evaluation;
    Latencies latencies;
    Chains *values;              /* per value of lowered: when it is there */
    Chains stored[2];            /* when the last store to a space could start */
    Chains barrier;              /* when the last barrier let go */
    Chains started, ended;       /* the latest of all */
} Walker;

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static void wait_for(Chains *to, const Chains *by)
{
    to->instructions = fmax(to->instructions, by->instructions);
    to->clocks = fmax(to->clocks, by->clocks);
    to->loads = fmax(to->loads, by->loads);
}

static bool is_shared(MachineOp machine)
{
    return machine == MACHINE_SHARED || machine == MACHINE_ATOMIC_SHARED || machine == MACHINE_MATRIX;
}

static bool is_global(MachineOp machine)
{
    return machine == MACHINE_GLOBAL || machine == MACHINE_ATOMIC;
}

static bool is_store(const LoweredInsn *insn)
{
    return !insn->def_count || insn->machine == MACHINE_ATOMIC || insn->machine == MACHINE_ATOMIC_SHARED;
}

static Chains start_of(const Walker *w, const LoweredInsn *insn)
{
    const LoweredValueId *uses = &w->lowered->operands[insn->operand_first] + insn->def_count;
    MachineOp machine = (MachineOp)insn->machine;
    Chains at = w->barrier;
    for (unsigned u = 0; u < insn->use_count; u++)
        wait_for(&at, &w->values[uses[u]]);
    if (is_shared(machine) || is_global(machine))
        wait_for(&at, &w->stored[is_shared(machine)]);
    if (machine == MACHINE_BARRIER)
        wait_for(&at, &w->started);
    return at;
}

static bool is_load(const Walker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_GLOBAL && insn->def_count && insn->origin != NO_ID && w->func->insns[insn->origin].op->kind == OPK_LD;
}

/* Nobody waits for a store. */
static double clocks_of(const Walker *w, const LoweredInsn *insn)
{
    bool is_waited_for = insn->def_count || insn->machine == MACHINE_BARRIER;
    double simple = (double)w->latencies.machine[MACHINE_ALU], rest = insn->count > 1 ? ((double)insn->count - 1) * simple : 0;
    return rest + (is_waited_for ? (double)w->latencies.machine[insn->machine] : simple);
}

static void walk_insn(Walker *w, const LoweredInsn *insn)
{
    const LoweredValueId *defs = &w->lowered->operands[insn->operand_first];
    MachineOp machine = (MachineOp)insn->machine;
    const Chains at = start_of(w, insn);
    const Chains end = { at.instructions + (double)insn->count, at.clocks + clocks_of(w, insn), at.loads + is_load(w, insn) };
    for (unsigned d = 0; d < insn->def_count; d++)
        w->values[defs[d]] = end;
    if (machine == MACHINE_BARRIER)
        w->barrier = end;
    if ((is_shared(machine) || is_global(machine)) && is_store(insn))
        w->stored[is_shared(machine)] = at;
    wait_for(&w->started, &at);
    wait_for(&w->ended, &end);
}

/* ---- an iteration ------------------------------------------------------------------------------------------------ */

/* Blocks that belong together, of an innermost loop or in none, in reverse postorder. */
typedef struct Region {
    const BlockId *blocks;
    uint32_t count;
} Region;

static void walk_region(Walker *w, const Region *region)
{
    for (uint32_t b = 0; b < region->count; b++)
        for (uint32_t i = w->lowered->first[region->blocks[b]]; i < w->lowered->first[region->blocks[b] + 1]; i++)
            walk_insn(w, &w->lowered->insns[i]);
}

/* What comes from before the loop is there. */
static void begin_region(Walker *w, const Region *region)
{
    w->barrier = w->started = w->ended = w->stored[0] = w->stored[1] = (Chains){ 0 };
    for (uint32_t b = 0; b < region->count; b++)
        for (uint32_t i = w->lowered->first[region->blocks[b]]; i < w->lowered->first[region->blocks[b] + 1]; i++) {
            const LoweredInsn *insn = &w->lowered->insns[i];
            for (unsigned o = 0; o < (unsigned)insn->def_count + insn->use_count; o++)
                w->values[w->lowered->operands[insn->operand_first + o]] = (Chains){ 0 };
        }
}

static double bytes_of(const Walker *w, const LoweredInsn *insn)
{
    const Count *total = w->evaluation ? &w->evaluation->insns[insn->origin].total : NULL;
    return total && total->requests > 0 && total->sectors > 0 ? 32 * total->sectors / total->requests : 32.0 * w->func->insns[insn->origin].access_bytes;
}

static void count_region(const Walker *w, const Region *region, Parallelism *out)
{
    for (uint32_t b = 0; b < region->count; b++)
        for (uint32_t i = w->lowered->first[region->blocks[b]]; i < w->lowered->first[region->blocks[b] + 1]; i++) {
            const LoweredInsn *insn = &w->lowered->insns[i];
            out->instructions += (double)insn->count;
            if (!is_load(w, insn))
                continue;
            out->loads++;
            out->load_bytes += bytes_of(w, insn);
        }
}

static Parallelism measure(Walker *w, const Region *region, bool is_loop)
{
    Parallelism out = { 0 };
    bool has_clocks = !isnan(w->latencies.machine[MACHINE_GLOBAL]);
    count_region(w, region, &out);
    begin_region(w, region);
    walk_region(w, region);
    out.path = w->ended.instructions;
    out.path_clocks = has_clocks || out.loads <= 0 ? w->ended.clocks : (double)NAN;
    out.load_path = w->ended.loads;
    if (!is_loop) {
        out.carried_clocks = (double)NAN;
        return out;
    }
    for (unsigned i = 1; i < WARM_WALKS; i++)
        walk_region(w, region);
    double warm = w->ended.clocks;
    for (unsigned i = 0; i < MORE_WALKS; i++)
        walk_region(w, region);
    out.carried_clocks = has_clocks || out.loads <= 0 ? (w->ended.clocks - warm) / MORE_WALKS : (double)NAN;
    return out;
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static const Parallelism unknown = { (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN };

/* The blocks of each loop that no inner one holds, behind each other; those in no loop last. first: per loop and two more. */
static const BlockId *sort_blocks(Arena *scratch, const Cfg *cfg, const Loops *loops, uint32_t *first)
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

const Parallelisms *ptx_parallelism_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg, const Loops *loops, const Lowered *lowered,
                                            const Evaluation *evaluation, const Gpu *gpu)
{
    Parallelisms *out = ptx_arena_new(arena, Parallelisms);
    Parallelism *of = ptx_arena_array(arena, Parallelism, loops->loop_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    Walker w = { .func = func, .lowered = lowered, .evaluation = evaluation };
    uint32_t *first = ptx_arena_array(scratch, uint32_t, loops->loop_count + 2);
    const BlockId *sorted = sort_blocks(scratch, cfg, loops, first);
    ptx_latencies_find(gpu, (gpu->figures[FIGURE_GLOBAL_LATENCY_MIN] + gpu->figures[FIGURE_GLOBAL_LATENCY_MAX]) / 2, &w.latencies);
    w.values = ptx_arena_array(scratch, Chains, lowered->value_count + 1);
    for (LoopId l = 0; l <= loops->loop_count; l++) {
        bool is_loop = l < loops->loop_count;
        const Region region = { sorted + first[l], first[l + 1] - first[l] };
        of[l] = is_loop && !loops->loops[l].is_innermost ? unknown : measure(&w, &region, is_loop);
    }
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
