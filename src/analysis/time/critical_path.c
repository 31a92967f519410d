#include "analysis/time/critical_path.h"
#include "analysis/sass/unroll.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/sass/sass.h"
#include "analysis/time/in_flight.h"
#include "analysis/time/latency.h"
#include "analysis/time/matrix_rate.h"
#include "analysis/time/memory/store_order.h"
#include "analysis/time/throughput.h"
#include "analysis/time/waiting_chain.h"
#include "gpu/gpu.h"
#include "support/arena.h"
#include "support/minmax.h"
#include "isa/isa.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/count.h"

#include <math.h>

enum {
    LOOP_WALKS = 3,
    STAGE_WALKS = 24,           /* of a loop with stages; the later half of them counts */
    /* that loads of joined iterations go into at once: ptxas has 14 to 16 in 32 registers */
    WORDS_AHEAD = 16,
    LITTLE_REGISTERS = 32,
    /* machine instructions that ptxas looks ahead of what waits for a function unit: of the bodies
     * of n-body kernels (18 instructions each) two are on their way at once, 2 to 8 side by side */
    WINDOW = 36,
    WINDOW_PLACES = 64,
};



/* Loads that go ahead of the uses of others, as far as registers reach. */
typedef struct LoadsAhead {
    uint32_t number, words, count;
    uint32_t taken;             /* words, and registers of their addresses */
    LoweredValueId address;     /* of the last of them */
    double first;               /* when the first of them is there */
    bool is_used;               /* something reads what one of them brings */
} LoadsAhead;

/* Of what waits for a function unit, the latest start among all that stand before a place. */
typedef struct LateWindow {
    double issued[WINDOW_PLACES], start[WINDOW_PLACES];
    double count, held;         /* instructions so far; of those before the window */
    uint32_t head, tail;
} LateWindow;

/* What each walk asks of a machine instruction: the same each time. */
typedef struct WalkedInsn {
    double latency;             /* ptx_result_clocks */
    const Op *fence;            /* NULL: it is none */
    uint32_t words;             /* registers that a load of global memory brings; 0: it is none */
    uint32_t gathers;           /* whose operands it waits for too, and one: gathered_ready; 0 */
    uint8_t orders;             /* ptx_store_orders */
    bool is_light;              /* computes integers: no barrier keeps it behind */
    bool is_float;
    bool is_in_order;           /* issues as long as its latency is: issue_of */
    bool is_late;               /* see is_late */
    bool hands_on;
} WalkedInsn;

/* What a basic block of ptxas leaves to those of the function that it goes on with. */
typedef struct StraightCode {
    double begin, start, open, last, issued, next, made;
} StraightCode;

typedef struct CriticalPathWalker {
    const CriticalPathInput *in;
    ResultClocks of;
    const WalkedInsn *facts;    /* per machine instruction */
    double words_ahead;         /* that registers reach for */
    uint32_t *held;             /* per block: registers of its variables */
    double room;                /* of the block at hand: those that they leave */
    uint32_t pipes[MACHINE__COUNT];     /* a bit for each pipeline that use_pipes counts */
    double *ready;              /* per value */
    bool *is_late;              /* per value: see is_late */
    double *own;                /* per block: the clocks of its latest walk */
    const BlockId *straight;    /* per block: see find_straight */
    const bool *goes_on_behind; /* per block: the next one is straight code with it */
    BlockId walked;             /* the latest block */
    StraightCode code;
    double now;
    double stored[STORE_ORDERS];    /* the last store of the order has started */
    bool is_stored;             /* to global memory, since the last fence */
    const InFlightInsn *steps;  /* per instruction of the function; NULL: no loop goes in steps */
    const bool *in_steps;       /* per loop */
    const bool *is_spin;        /* per loop: it does nothing but wait */
    const bool *is_inner;       /* per loop: those inside it do nothing but wait */
    double *sum;                /* per block: clocks of several walks */
    InFlight flight;
    double port, tensor;        /* when the SM has its sectors, and its asynchronous products */
    double busy[PIPE__COUNT];   /* of each pipeline, by all warps of the block, in this phase */
    double phase;               /* its begin */
    double xu_free;             /* when the warp's own function unit takes its next one */
    double asked;               /* of load-store units in this phase, in front of those to come */
    double mma;                 /* when the matrix units have what was asked for */
    uint32_t side_by_side;      /* joined iterations whose loads go out together */
    bool is_next;               /* of those, not the first */
    uint32_t *batch;            /* per value: the number of the loads that brought it; 0: none */
    LoadsAhead ahead;
    LateWindow window;
    WaitingChain *chain;        /* NULL: who waits for whom is not asked for */
} CriticalPathWalker;

/* ---- one block ------------------------------------------------------------------------------- */

/* fmax, without a call. */
static inline double later(double a, double b)
{
    return b > a || isnan(a) ? b : a;
}

/* Floating point stays in program order: ptxas moves what addresses come from ahead, but little
 * else. */
static bool is_float(MachineOp machine)
{
    return machine == MACHINE_FP32 || machine == MACHINE_FP16 || machine == MACHINE_FP64
           || machine == MACHINE_XU || machine == MACHINE_TENSOR;
}

/* Clocks after its start in which an instruction's own ones issue. */
static double issue_of(const CriticalPathWalker *w, const WalkedInsn *facts, double latency)
{
    return facts->is_in_order
               ? later(0, latency - (double)w->in->latencies->machine[MACHINE_ALU])
               : 0;
}

static bool is_in_order(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_REDUX
           || (insn->origin != NO_ID && w->of.sequences[insn->origin].is_in_order);
}

static double operands_ready(const CriticalPathWalker *w, const LoweredInsn *insn, double start)
{
    const LoweredValueId *uses = &w->in->lowered->operands[insn->operand_first + insn->def_count];
    double at = start;
    for (unsigned u = 0; u < insn->use_count; u++)
        at = later(at, w->ready[uses[u]]);
    return at;
}

/* What lanes do first for an atomic that one of them does for all reads its operands, which the
 * last instruction of the expansion has. end: of the block's. That, and one; 0: it does not. */
static uint32_t gathers(const CriticalPathWalker *w, uint32_t first, uint32_t end)
{
    const LoweredInsn *insns = w->in->lowered->insns;
    const InsnId origin = insns[first].origin;
    uint32_t last = first;
    if (!ptx_is_gathering(w->in->func, &insns[first]))
        return 0;
    while (last + 1 < end && !insns[last].def_count && insns[last + 1].origin == origin)
        last++;
    return last + 1;
}

static double gathered_ready(const CriticalPathWalker *w, const WalkedInsn *facts, double at)
{
    return facts->gathers ? operands_ready(w, &w->in->lowered->insns[facts->gathers - 1], at) : at;
}

/* In a loop, where a body is often several iterations side by side, floats that rest on a sequence
 * without a branch let those behind them go first. */
static bool begins_late(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    const Sequence *sequence = insn->origin == NO_ID ? NULL : &w->of.sequences[insn->origin];
    return sequence && sequence->each > 0 && !sequence->has_branch;
}

static bool is_late(const CriticalPathWalker *w, const LoweredInsn *insn, const WalkedInsn *facts,
                    BlockId block)
{
    const LoweredValueId *uses = &w->in->lowered->operands[insn->operand_first + insn->def_count];
    bool late = facts->is_late;
    for (unsigned u = 0; u < insn->use_count; u++)
        late |= w->is_late[uses[u]];
    return late && w->in->loops->loop_of[block] != NO_LOOP;
}

/* Registers that a load of global memory brings; 0: it is none. */
static uint32_t words_of_load(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    enum { WORD_BYTES = 4 };
    return insn->def_count && ptx_is_load_of_global(w->in->func, insn)
               ? ((uint32_t)w->in->func->insns[insn->origin].access_bytes + WORD_BYTES - 1)
                     / WORD_BYTES
               : 0;
}

static bool is_light(const LoweredInsn *insn)
{
    return insn->machine == MACHINE_ALU || insn->machine == MACHINE_IADD
           || insn->machine == MACHINE_IMAD || insn->machine == MACHINE_IMAD_WIDE;
}

/* Nothing that the launch writes is in it, nor in what addresses come from: no barrier keeps it
 * behind. Of what ptxas made of
 * kernels with four steps of a loop side by side, the loads of all four stood first. */
static bool passes_barriers(const CriticalPathWalker *w, const WalkedInsn *facts)
{
    return facts->is_light
           || (facts->words && !facts->orders && w->ahead.words + facts->words <= w->words_ahead);
}

/* Registers that a load takes: loads side by side from one address share that of it. */
static uint32_t registers_of_load(const CriticalPathWalker *w, const LoweredInsn *insn,
                                  uint32_t words)
{
    const LoweredValueId address = w->in->lowered->operands[insn->operand_first + insn->def_count];
    const LoweredValue *value = &w->in->lowered->values[address];
    const bool is_shared = !insn->use_count || value->is_variable || address == w->ahead.address;
    return words + (is_shared ? 0 : value->units);
}

/* Whether registers reach for one more: what the loop carries around holds its own. ptxas puts what
 * they do not reach for behind uses of others, wherever it stands, but has two under way. */
static bool has_registers_for(const CriticalPathWalker *w, const LoweredInsn *insn,
                              uint32_t words)
{
    const LoadsAhead *ahead = &w->ahead;
    const uint32_t taken = ahead->taken + registers_of_load(w, insn, words);
    const bool fits = ahead->count < 2 || taken <= w->room;
    return fits && !(ahead->is_used && ahead->words + words > w->words_ahead);
}

/* A load behind the uses of others starts with them where registers reach for all, else when the
 * first of them is there. */
static double behind_loads(CriticalPathWalker *w, const LoweredInsn *insn,
                           const WalkedInsn *facts, double at)
{
    LoadsAhead *ahead = &w->ahead;
    const uint32_t words = facts->words;
    if (words && !has_registers_for(w, insn, words)) {
        at = later(at, ahead->first);
        *ahead = (LoadsAhead){ .number = ahead->number + 1 };
    }
    return at;
}

static void note_loads(CriticalPathWalker *w, const LoweredInsn *insn, uint32_t words,
                       double ready)
{
    LoadsAhead *ahead = &w->ahead;
    const LoweredValueId *operands = &w->in->lowered->operands[insn->operand_first];
    if (words && !ahead->words)
        ahead->first = ready;
    if (words) {
        ahead->count++;
        ahead->taken += registers_of_load(w, insn, words);
        ahead->address = insn->use_count ? operands[insn->def_count] : 0;
    }
    ahead->words += words;
    for (unsigned u = 0; !words && u < insn->use_count; u++)
        ahead->is_used |= w->batch[operands[insn->def_count + u]] == ahead->number;
    for (unsigned d = 0; d < insn->def_count; d++)
        w->batch[operands[d]] = words ? ahead->number : 0;
}

/* What stands so far behind waits for what waits for a function unit. */
static double behind_window(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    LateWindow *window = &w->window;
    window->count += (double)insn->count;
    while (window->tail != window->head
           && window->issued[window->tail % WINDOW_PLACES] + WINDOW <= window->count) {
        window->held = later(window->held, window->start[window->tail % WINDOW_PLACES]);
        window->tail++;
    }
    return later(at, window->held);
}

static void note_late(CriticalPathWalker *w, double at)
{
    LateWindow *window = &w->window;
    if (window->head - window->tail >= WINDOW_PLACES)
        window->held = fmax(window->held, window->start[window->tail++ % WINDOW_PLACES]);
    window->issued[window->head % WINDOW_PLACES] = window->count;
    window->start[window->head++ % WINDOW_PLACES] = at;
}

static void define(CriticalPathWalker *w, const LoweredInsn *insn, double ready, bool late)
{
    const LoweredValueId *defs = &w->in->lowered->operands[insn->operand_first];
    for (unsigned d = 0; d < insn->def_count; d++) {
        w->ready[defs[d]] = ready;
        w->is_late[defs[d]] = late;
    }
}

/* membar and fence of a scope above the block; those of other proxies were not measured. */
static const Op *fence_of(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    static const uint8_t others[] = { MOD_CTA, MOD_PROXY, MOD_MBARRIER_INIT, MOD_NONE };
    const Op *op = insn->origin == NO_ID ? NULL : w->in->func->insns[insn->origin].op;
    bool is_fence = op && (op->operation == OP_MEMBAR || op->operation == OP_FENCE);
    return is_fence && !ptx_op_has_any(op, others) ? op : NULL;
}

/* The warp waits until its accesses have come as far as the scope goes. */
static double fence_clocks(CriticalPathWalker *w, const Op *fence)
{
    const Latencies *l = w->in->latencies;
    double stores = w->is_stored ? (double)l->fence_store : 0;
    w->is_stored = false;
    return ptx_op_has(fence, MOD_SYS) ? (double)l->fence_sys : (double)l->fence + stores;
}

static double behind_stores(const CriticalPathWalker *w, unsigned orders)
{
    double at = 0;
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        at = orders >> o & 1 ? later(at, w->stored[o]) : at;
    return at;
}

static void note_store(CriticalPathWalker *w, const LoweredInsn *insn, unsigned orders, double at)
{
    for (unsigned o = 0; o < STORE_ORDERS; o++)
        w->stored[o] = orders >> o & 1 ? at : w->stored[o];
    w->is_stored |= insn->machine == MACHINE_GLOBAL || insn->machine == MACHINE_ATOMIC;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool is_in_steps(const CriticalPathWalker *w, BlockId block)
{
    LoopId loop = w->in->loops->loop_of[block];
    return w->steps && loop != NO_LOOP && w->in_steps[loop];
}

/* Of a block, the warps that come here. */
static double active_warps(const CriticalPathWalker *w, InsnId insn)
{
    const Count *total = &w->in->evaluation->insns[insn].total;
    return total->most > 0 ? fmin(w->in->warps_per_block, total->warps / total->most)
                           : w->in->warps_per_block;
}

static double block_sectors(const CriticalPathWalker *w, InsnId insn)
{
    const Count *total = &w->in->evaluation->insns[insn].total;
    return total->warps > 0 ? total->sectors / total->warps * active_warps(w, insn) : 0;
}

/* When the SM has them. */
static double transfer_sectors(CriticalPathWalker *w, double at, double sectors)
{
    w->port = later(w->port, at) + sectors * w->in->tiles.sector;
    return w->port;
}

static double matrix_clocks(const CriticalPathWalker *w, InsnId id)
{
    const Insn *insn = &w->in->func->insns[id];
    return ptx_matrix_clocks(w->in->gpu, w->in->func, insn,
                             (double)w->in->ops[insn->op->id].pipes[PIPE_TENSOR]);
}

static bool is_product(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_TENSOR && w->steps[insn->origin].step == IN_FLIGHT_NONE;
}

static void use_pipes(CriticalPathWalker *w, const LoweredInsn *insn, bool is_first)
{
    const Gpu *gpu = w->in->gpu;
    double warps = insn->origin == NO_ID ? w->in->warps_per_block : active_warps(w, insn->origin);
    double count = warps * (double)insn->count;
    if (insn->machine == MACHINE_SHARED && is_first)
        count *= ptx_joined_share(&w->in->evaluation->insns[insn->origin]);
    for (uint32_t left = w->pipes[insn->machine]; left; left &= left - 1) {
        const Pipe *pipe = &gpu->pipes[__builtin_ctz(left)];
        w->busy[__builtin_ctz(left)] += count * 32 / pipe->lanes
                                        * (double)pipe->takes[insn->machine];
    }
    if (!is_first)
        return;
    const Count *total = &w->in->evaluation->insns[insn->origin].total;
    if (total->warps > 0 && !ptx_in_flight_is_begin(w->steps[insn->origin].step))
        w->busy[PIPE_SHARED] += warps * (total->wavefronts - total->spared_wavefronts)
                                / total->warps;
    if (is_product(w, insn))
        w->busy[PIPE_TENSOR] += warps * matrix_clocks(w, insn->origin);
}

/* A scheduler's own function unit takes its warp's instructions one after the other: measured on
 * an H200 (matrix.py), 32 and 64 ex2 behind 32 and 64 maxima take what both do. */
static double through_function_unit(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    const Gpu *gpu = w->in->gpu;
    const Pipe *xu = &gpu->pipes[PIPE_XU];
    if (insn->origin != NO_ID && w->of.sequences[insn->origin].each > 0)
        return at;              /* that is in its latency */
    if (!(xu->lanes > 0) || !(xu->takes[insn->machine] > 0) || !ptx_gpu_has(gpu, FIGURE_PARTITIONS))
        return at;
    at = later(at, w->xu_free);
    w->xu_free = at + (double)insn->count * 32 * gpu->figures[FIGURE_PARTITIONS] / xu->lanes
                          * (double)xu->takes[insn->machine];
    return at;
}

/* Lines of L1 that a warp's request passes. */
static double lines_of(const CriticalPathWalker *w, const Count *total)
{
    const Evaluation *evaluation = w->in->evaluation;
    const Traffics *t = &evaluation->traffics;
    enum { SECTORS_OF_LINE = 4 };
    double least = total->sectors / SECTORS_OF_LINE;
    return total->warps > 0 && t->load_lines > 0 ? fmax(least, total->requests) / total->warps : 0;
}

/* What the warps of a block ask for behind a barrier comes one after the other: a scheduler's first
 * warp waits for those of the other schedulers, its second one while that one works. Measured on an
 * H100 (mixes.cu), 16 ldmatrix.x4 and 64 products of m16n8k16 of a warp between barriers: 584
 * clocks for 4 warps and 1,059 for 8, of which the products take 384 and 768; two blocks of 4
 * warps, 808. Six copies of 16 bytes before them add 40 to 90, and 110 to 240. */
static double wait_in_line(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    const Count *total = &w->in->evaluation->insns[insn->origin].total;
    const double partitions = ptx_gpu_has(w->in->gpu, FIGURE_PARTITIONS)
                                  ? w->in->gpu->figures[FIGURE_PARTITIONS]
                                  : 1;
    if (!(total->warps > 0))
        return 0;
    double own = insn->machine == MACHINE_SHARED || insn->machine == MACHINE_MATRIX
                     ? (total->wavefronts - total->spared_wavefronts) / total->warps
                     : lines_of(w, total);
    w->asked += own * fmin(partitions, active_warps(w, insn->origin));
    return later(0, w->phase + w->asked - own - at);
}

/* A warp does not go on before the matrix units have its product. */
static double wait_for_products(CriticalPathWalker *w, const LoweredInsn *insn, double at)
{
    double start = fmax(at, w->mma);
    w->mma = start + matrix_clocks(w, insn->origin) * active_warps(w, insn->origin);
    return start;
}

/* All of its warps meet: the phase takes what the busiest pipeline does. */
static double end_phase(CriticalPathWalker *w, double at)
{
    double end = at;
    for (unsigned p = 0; p < PIPE__COUNT; p++) {
        if (w->chain && w->phase + w->busy[p] > end)
            w->chain->pipe = (PipeId)p;
        end = later(end, w->phase + w->busy[p]);
        w->busy[p] = 0;
    }
    w->phase = end;
    w->asked = 0;
    return end;
}

static double product_clocks(const CriticalPathWalker *w, InsnId insn)
{
    return matrix_clocks(w, insn) * active_warps(w, insn);
}

/* When the warp goes on. */
static double begin_product(CriticalPathWalker *w, InsnId insn, double at)
{
    w->tensor = fmax(w->tensor, at) + product_clocks(w, insn);
    const double done = w->tensor + ptx_gpu_figure(w->in->gpu, FIGURE_PRODUCTS_LATENCY);
    ptx_in_flight_begin(&w->flight, w->steps[insn].queue, done);
    return w->in->products_are_serial ? done : at;
}

/* What the instruction begins, or waits for: when it is over. */
static double run_step(CriticalPathWalker *w, InsnId insn, double at)
{
    enum { SECTOR_BYTES = 32 };
    const InFlightInsn *step = &w->steps[insn];
    const TileClocks *tiles = &w->in->tiles;
    switch (step->step) {
    case IN_FLIGHT_COPY:
        ptx_in_flight_begin(&w->flight, step->queue,
                            transfer_sectors(w, at, block_sectors(w, insn)) + tiles->copy);
        return at;
    case IN_FLIGHT_ANNOUNCE:
        ptx_in_flight_begin(&w->flight, step->queue,
                            transfer_sectors(w, at, step->bytes / SECTOR_BYTES) + tiles->copy);
        ptx_in_flight_close(&w->flight, step->queue);
        return at;
    case IN_FLIGHT_MULTIPLY:
        return begin_product(w, insn, at);
    case IN_FLIGHT_CLOSE:
        ptx_in_flight_close(&w->flight, step->queue);
        return at;
    case IN_FLIGHT_WAIT: case IN_FLIGHT_WAIT_ALL: case IN_FLIGHT_WAIT_NEXT:
        return fmax(at, ptx_in_flight_wait(&w->flight, step));
    default:
        return at;
    }
}

/* A load in a step comes with those of the other warps. */
static double step_latency(CriticalPathWalker *w, const LoweredInsn *insn, double at,
                           double latency)
{
    const Op *op = insn->origin == NO_ID ? NULL : w->in->func->insns[insn->origin].op;
    if (!op)
        return latency;
    if (w->steps[insn->origin].step == IN_FLIGHT_MULTIPLY)
        return (double)w->in->latencies->machine[MACHINE_ALU];
    const Count *total = &w->in->evaluation->insns[insn->origin].total;
    bool is_load = insn->machine == MACHINE_GLOBAL && op->kind == OPK_LD && total->requests > 0;
    double missed = is_load ? fmin(1, (total->waits + total->data_requests) / total->requests) : 0;
    if (ptx_op_bypasses_l1(op))
        missed = is_load;
    if (!(missed > 0))
        return latency;
    return transfer_sectors(w, at, missed * block_sectors(w, insn->origin)) - at
           + fmax(latency, missed * w->in->tiles.load);
}

typedef struct StepTimes { double at, latency; bool is_ahead; } StepTimes;

/* Its latency. */
static double run_in_step(CriticalPathWalker *w, const LoweredInsn *insn, bool is_first,
                        StepTimes times)
{
    use_pipes(w, insn, is_first);
    if (!is_first)
        return times.latency;
    bool is_copy = w->steps[insn->origin].step == IN_FLIGHT_COPY;
    bool is_through_lsu = insn->machine == MACHINE_SHARED || insn->machine == MACHINE_MATRIX
                          || insn->machine == MACHINE_GLOBAL || is_copy;
    double waits = is_through_lsu && !times.is_ahead ? wait_in_line(w, insn, times.at) : 0;
    return step_latency(w, insn, times.at, times.latency) + waits;
}

/* When what stands behind it may start: 0, where it does not wait. */
static double wait_until(CriticalPathWalker *w, InsnId insn, double at, bool in_steps)
{
    if (w->steps[insn].step == IN_FLIGHT_NONE)
        return 0;
    double over = run_step(w, insn, at);
    if (w->steps[insn].step == IN_FLIGHT_MULTIPLY)
        return w->in->products_are_serial ? over : 0;
    if (!ptx_in_flight_is_wait(w->steps[insn].step))
        return 0;
    return in_steps ? end_phase(w, over) : over;
}

/* ---- iterations that ptxas joins ------------------------------------------------------------- */

/* Whether it leads to the uncommon path of a sequence: a division that may be of denormals. ptxas
 * has a basic block end there, and moves nothing ahead of it. */
static bool leaves_block(const CriticalPathWalker *w, const LoweredInsn *insn)
{
    return insn->machine == MACHINE_BRANCH && insn->origin != NO_ID
           && w->of.sequences[insn->origin].has_branch;
}

/* Whether ptxas asks at the shuffle which lanes are there, which ends a basic block too. Behind the
 * first one of a block it does not ask again. */
static bool asks_for_lanes(const CriticalPathWalker *w, BlockId block, const LoweredInsn *insn)
{
    enum { ASKING_SM = 70 };    /* before, all lanes of a warp are at one instruction */
    const LoopId loop = w->in->loops->loop_of[block];
    return insn->machine == MACHINE_SHUFFLE && w->in->gpu->target.sm >= ASKING_SM
           && loop != NO_LOOP && w->in->are_left_apart[loop];
}

/* Whether what the block loads in the next iterations may go ahead of what it does in this one:
 * no barrier, fence, store or other path keeps it behind. */
static bool may_load_ahead(const CriticalPathWalker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    unsigned stored = 0, loaded = 0;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const unsigned orders = ptx_store_orders(w->in->func, insn);
        if (insn->machine == MACHINE_BARRIER || fence_of(w, insn) || leaves_block(w, insn)
            || asks_for_lanes(w, block, insn))
            return false;
        *(ptx_is_ordering_store(insn) ? &stored : &loaded) |= orders;
    }
    return !(stored & loaded);
}

/* Registers that an iteration loads into, out of shared memory and the like. */
static uint32_t loaded_words(const CriticalPathWalker *w, BlockId block)
{
    enum { WORD_BYTES = 4 };
    const Lowered *lowered = w->in->lowered;
    uint32_t words = 0;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const bool is_load = insn->def_count && ptx_store_orders(w->in->func, insn)
                             && !ptx_is_load_of_global(w->in->func, insn);
        if (is_load && insn->origin != NO_ID)
            words += ((uint32_t)w->in->func->insns[insn->origin].access_bytes + WORD_BYTES - 1)
                     / WORD_BYTES;
    }
    return words;
}

/* Iterations of a loop of one block that stand side by side: their loads go out together. */
static uint32_t joined_iterations(const CriticalPathWalker *w, LoopId loop, BlockId block)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    if (unrolled->is_whole || unrolled->times < 2 || w->in->loops->loops[loop].block_count > 1
        || is_in_steps(w, block) || !may_load_ahead(w, block))
        return 1;
    const uint32_t words = loaded_words(w, block);
    return words ? ptx_u32_max(1, ptx_u32_min(unrolled->times, WORDS_AHEAD / words))
                 : unrolled->times;
}

/* One that misses keeps the others waiting. */
static double joined_latency(const CriticalPathWalker *w, const LoweredInsn *insn, double latency)
{
    if (w->side_by_side < 2 || !ptx_is_load_of_global(w->in->func, insn))
        return latency;
    const double near = ptx_gpu_figure(w->in->gpu, FIGURE_L1_LATENCY);
    if (latency < near)
        return latency;
    return fmin(fmax(latency, w->in->missed_clocks), near + w->side_by_side * (latency - near));
}

/* ---- a basic block --------------------------------------------------------------------------- */

static void note_in_chain(CriticalPathWalker *w, uint32_t insn, bool holds_others, bool is_last)
{
    ptx_waiting_chain_define(w->chain, insn);
    if (holds_others)
        w->chain->waited = insn + 1;
    if (is_last)
        w->chain->last = insn + 1;
}

/* Those that the instructions of each class take anything of. */
static void find_pipes_used(CriticalPathWalker *w)
{
    const Gpu *gpu = w->in->gpu;
    for (unsigned m = 0; m < MACHINE__COUNT; m++)
        for (unsigned p = 0; p < PIPE__COUNT; p++)
            if (gpu->pipes[p].lanes > 0 && gpu->pipes[p].takes[m] > 0 && p != PIPE_SHARED
                && p != PIPE_TENSOR)
                w->pipes[m] |= UINT32_C(1) << p;
}

static WalkedInsn walked_insn(const CriticalPathWalker *w, uint32_t i, uint32_t end)
{
    const LoweredInsn *insn = &w->in->lowered->insns[i];
    return (WalkedInsn){ .latency = ptx_result_clocks(&w->of, insn),
                         .fence = fence_of(w, insn),
                         .words = words_of_load(w, insn),
                         .gathers = gathers(w, i, end),
                         .orders = (uint8_t)ptx_store_orders(w->in->func, insn),
                         .is_light = is_light(insn),
                         .is_float = is_float((MachineOp)insn->machine),
                         .is_in_order = is_in_order(w, insn),
                         .is_late = begins_late(w, insn),
                         .hands_on = ptx_hands_on(w->in->func, insn) };
}

/* Registers of sums, counters and the like that the code of a loop's block reads: they hold theirs
 * from one iteration to the next. Loads of columns that ptxas 13.0 made wait for the additions of
 * others (16 to 32 sums, 40 to 64 registers) had what these left for words and addresses. */
static void find_held(CriticalPathWalker *w, Arena *scratch)
{
    const Lowered *lowered = w->in->lowered;
    uint32_t *seen = ptx_arena_array(scratch, uint32_t, lowered->value_count + 1);
    w->held = ptx_arena_array(scratch, uint32_t, w->in->cfg->block_count + 1);
    for (BlockId b = 0; b < w->in->cfg->block_count; b++)
        for (uint32_t i = lowered->first[b];
             w->in->loops->loop_of[b] != NO_LOOP && i < lowered->first[b + 1]; i++) {
            const LoweredInsn *insn = &lowered->insns[i];
            const LoweredValueId *operands = &lowered->operands[insn->operand_first];
            for (unsigned o = insn->def_count; o < insn->def_count + insn->use_count; o++) {
                const LoweredValue *value = &lowered->values[operands[o]];
                w->held[b] += value->is_variable && seen[operands[o]] != b + 1 ? value->units : 0;
                seen[operands[o]] = b + 1;
            }
            for (unsigned d = 0; d < insn->def_count; d++)
                seen[operands[d]] = b + 1;      /* what comes behind reads this one */
        }
}

/* Whether ptxas predicates a side of the branch that ends the block, so that there is no branch. */
static bool has_predicated_side(const CriticalPathWalker *w, BlockId block)
{
    const Block *of = &w->in->cfg->blocks[block];
    for (uint32_t n = 0; n < of->succ_count; n++) {
        const BlockId side = w->in->cfg->succs[of->succ_first + n];
        if (side != EXIT_BLOCK && side != block && w->in->lowered->runs_with[side] == block)
            return true;
    }
    return false;
}

/* The block that straight code begins with in which all ways to the block end; itself: none. */
static BlockId straight_before(const CriticalPathWalker *w, BlockId block, const BlockId *straight)
{
    const Cfg *cfg = w->in->cfg;
    const Block *of = &cfg->blocks[block];
    const BlockId with = w->in->lowered->runs_with[block];
    if (with != block)
        return straight[with];
    BlockId found = block;
    for (uint32_t p = 0; p < of->pred_count; p++) {
        const BlockId pred = cfg->preds[of->pred_first + p];
        const bool ends = w->in->lowered->runs_with[pred] == pred && !has_predicated_side(w, pred);
        if (ends || w->in->loops->loop_of[pred] != w->in->loops->loop_of[block]
            || (p > 0 && straight[pred] != found))
            return block;
        found = straight[pred];
    }
    return found;
}

/* Blocks that ptxas makes one of, by the first of them: a branch, its predicated sides and what
 * comes behind them. Loads of sides stand beside each other there (of a stencil, those of all its
 * margins), and what they bring is stored behind them all. */
static void find_straight(CriticalPathWalker *w, Arena *scratch)
{
    const Cfg *cfg = w->in->cfg;
    BlockId *straight = ptx_arena_array(scratch, BlockId, cfg->block_count + 1);
    bool *goes_on_behind = ptx_arena_array(scratch, bool, cfg->block_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++)
        straight[b] = b;
    for (uint32_t r = 1; r < cfg->rpo_count; r++) {
        const BlockId block = cfg->rpo[r], before = cfg->rpo[r - 1],
                      first = straight_before(w, block, straight);
        const bool goes_on = first != block && first == straight[before];
        straight[block] = goes_on ? first : block;
        goes_on_behind[before] = goes_on;
    }
    w->straight = straight;
    w->goes_on_behind = goes_on_behind;
}

/* Of what runs at all. */
static void find_walked(CriticalPathWalker *w, Arena *scratch)
{
    const Lowered *lowered = w->in->lowered;
    WalkedInsn *facts = ptx_arena_array(scratch, WalkedInsn, lowered->insn_count + 1);
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        const uint32_t first = lowered->first[w->in->cfg->rpo[r]],
                       end = lowered->first[w->in->cfg->rpo[r] + 1];
        for (uint32_t i = first; i < end; i++)
            facts[i] = walked_insn(w, i, end);
    }
    w->facts = facts;
    find_held(w, scratch);
    find_straight(w, scratch);
    w->words_ahead = WORDS_AHEAD + fmax(0, w->in->registers - LITTLE_REGISTERS);
    find_pipes_used(w);
}

/* Whether the block is predicated, or what comes behind such blocks: no branch stands before it. */
static bool is_straight_on(const CriticalPathWalker *w, BlockId block)
{
    return w->straight[block] != block && w->straight[block] == w->straight[w->walked];
}

static void walk_block(CriticalPathWalker *w, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    const bool steps = is_in_steps(w, block), continues = is_straight_on(w, block);
    const double entered = w->now;
    if (!continues) {
        w->code = (StraightCode){ entered, entered, entered, entered, 0, entered, entered };
        w->phase = entered;
    }
    const double begin = w->code.begin;
    w->room = w->held[block] ? fmax(w->in->registers, LITTLE_REGISTERS) - w->held[block]
                             : (double)INFINITY;
    if (w->chain)
        ptx_waiting_chain_begin(w->chain);
    if (!w->is_next && !continues) {
        w->ahead = (LoadsAhead){ .number = w->ahead.number + 1 };
        w->window.count = w->window.held = 0;
        w->window.head = w->window.tail = 0;
    }
    double start = w->code.start, last = w->code.last, issued = w->code.issued,
           next = w->code.next, made = w->code.made,
           open = w->code.open; /* what no barrier keeps behind may start */
    bool has_asked = false;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        const WalkedInsn *facts = &w->facts[i];
        const bool passes = passes_barriers(w, facts);
        double at = operands_ready(w, insn, passes ? open : start),
               latency = joined_latency(w, insn, facts->latency),
               issue = issue_of(w, facts, latency);
        bool late = is_late(w, insn, facts, block), is_ordered = facts->is_float;
        unsigned orders = facts->orders;
        bool is_continued = i > lowered->first[block] && insn->origin != NO_ID
                            && insn->origin == insn[-1].origin;
        at = is_continued ? later(at, made) : gathered_ready(w, facts, at);
        const Op *fence = facts->fence;
        if (insn->machine == MACHINE_BARRIER || fence)
            at = later(at, last);
        at = later(at, behind_stores(w, orders));
        at = later(at, begin + issued);
        at = behind_loads(w, insn, facts, at);
        at = behind_window(w, insn, at);
        at = through_function_unit(w, insn, at);
        issued += (double)insn->count;
        bool is_first = insn->origin != NO_ID && !is_continued;
        if (w->chain)
            ptx_waiting_chain_note(
                w->chain, i, w->ready,
                &(WaitTimes){ .at = at, .begin = begin, .made = made, .start = start,
                              .last = last, .is_continued = is_continued,
                              .is_behind_all = insn->machine == MACHINE_BARRIER || fence });
        const double held = start;
        if (steps && is_first && is_product(w, insn))
            at = wait_for_products(w, insn, at);
        if (steps)
            latency = run_in_step(w, insn, is_first, (StepTimes){ at, latency, passes });
        if (w->steps && is_first)
            start = later(start, wait_until(w, insn->origin, at, steps));
        const bool asks = !has_asked && asks_for_lanes(w, block, insn);
        if (asks || leaves_block(w, insn))
            start = later(start, at);
        has_asked |= asks;
        if (insn->machine != MACHINE_BARRIER)
            open = later(open, start > held ? start : open);
        if (is_ordered && !late) {
            at = later(at, next);
            next = at + (double)insn->count;
        }
        if (ptx_is_ordering_store(insn))
            note_store(w, insn, orders, at);
        if (fence)
            start = open = at + fence_clocks(w, fence);
        if (late)
            note_late(w, at);
        note_loads(w, insn, facts->words, at + latency);
        if (steps && insn->machine == MACHINE_BARRIER)
            at = end_phase(w, at);
        if (insn->machine == MACHINE_BARRIER)
            start = at + latency
                    + (double)w->in->latencies->barrier_per_warp * w->in->warps_per_block;
        define(w, insn, at + latency, late);
        if (w->chain)
            note_in_chain(w, i, start > held, !ptx_lowered_is_copy(insn) && at + issue >= last);
        bool is_made = insn->def_count || issue > 0 || is_ordered
                       || facts->hands_on;
        made = is_made ? at + latency : at;
        last = ptx_lowered_is_copy(insn) ? last : later(last, at + issue);
    }
    w->now = later(later(last, start), begin + issued);
    w->code = (StraightCode){ begin, start, open, last, issued, next, made };
    w->walked = block;
    if (steps && !w->goes_on_behind[block])
        w->now = end_phase(w, w->now);
    if (w->chain)
        ptx_waiting_chain_close(w->chain, &(WalkedBlock){ block, entered, last, start, w->now });
    w->own[block] = w->now - entered;
}

/* ---- the function ---------------------------------------------------------------------------- */

/* How often the warp of any block runs it that runs it most. */
static double longest(const CriticalPathInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn =
        &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    return insn->total.warps > 0
               ? ptx_probable_warps(insn) / insn->total.warps * insn->total.longest
               : 0;
}

/* How often the warp of a block runs it that runs it most: a block makes room for the next when its
 * last warp ends. */
static double executions(const CriticalPathInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    if (in->are_left_out && loop != NO_LOOP && in->are_left_out[loop])
        return 0;
    const Evaluated *insn =
        &in->evaluation->insns[in->cfg->blocks[in->lowered->runs_with[block]].first];
    double usual = ptx_probable_warps(insn),
           share = insn->total.warps > 0 ? usual / insn->total.warps : 0;
    double all = usual / in->blocks,
           each = fmax(all / in->warps_per_block, share * insn->total.most / in->blocks);
    return each >= 1 ? each : fmin(1, all);
}

/* No iteration is shorter than the way back takes; joined ones share it. */
static void hold_iteration(CriticalPathWalker *w, uint32_t first, uint32_t end, LoopId loop)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    const BlockId *rpo = w->in->cfg->rpo;
    double clocks = 0;
    for (uint32_t k = first; k < end; k++)
        clocks += w->own[rpo[k]];
    if (unrolled->is_whole || !(clocks > 0))
        return;
    double least = (double)w->in->latencies->iteration / fmax(1, unrolled->times);
    for (uint32_t k = first; k < end && clocks < least; k++)
        w->own[rpo[k]] *= least / clocks;
}

/* The branch back, behind all that the iteration issues. */
static void branch_back(CriticalPathWalker *w, LoopId loop, BlockId last)
{
    const Unrolling *unrolled = &w->in->lowered->unrolled[loop];
    double clocks = unrolled->is_whole
                        ? 0
                        : (double)w->in->latencies->branch_back / fmax(1, unrolled->times);
    w->now += clocks;
    w->own[last] += clocks;
}

static LoopId loop_at(const CriticalPathWalker *w, uint32_t r)
{
    return w->in->loops->loop_of[w->in->cfg->rpo[r]];
}

/* The loop that a block counts to: one that does nothing but wait is part of the one around it. */
static LoopId walked_loop(const CriticalPathWalker *w, uint32_t r)
{
    const Loops *loops = w->in->loops;
    LoopId loop = loop_at(w, r);
    bool is_spin = loop != NO_LOOP && w->steps && w->is_spin[loop]
                   && loops->loops[loop].parent != NO_LOOP;
    return is_spin ? loops->loops[loop].parent : loop;
}

/* Blocks of loops that hold others once more: what the first walk brought from outside does not
 * come again. */
static void walk_outer(CriticalPathWalker *w)
{
    const Loops *loops = w->in->loops;
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        BlockId block = w->in->cfg->rpo[r];
        LoopId loop = loop_at(w, r);
        bool is_nested = loop != NO_LOOP
                         && (!loops->loops[loop].is_innermost
                             || loops->loops[loop].parent != NO_LOOP);
        if (is_nested && executions(w->in, block) > 0)
            walk_block(w, block);
    }
}

/* The first and the last block's place, and how often the loop is walked again. */
typedef struct WalkedLoop { uint32_t first, end; unsigned walks; LoopId loop; } WalkedLoop;

static void walk_again(CriticalPathWalker *w, const WalkedLoop *of)
{
    const BlockId *rpo = w->in->cfg->rpo;
    const unsigned counted = of->walks / 2;
    for (unsigned again = 0; again < of->walks; again++) {
        for (uint32_t k = of->first; k < of->end; k++)
            walk_block(w, rpo[k]);
        branch_back(w, of->loop, rpo[of->end - 1]);
        for (uint32_t k = of->first; k < of->end && again >= counted; k++)
            w->sum[rpo[k]] += w->own[rpo[k]];
    }
    for (uint32_t k = of->first; k < of->end; k++)
        w->own[rpo[k]] = w->sum[rpo[k]] / (of->walks - counted);
}

/* The block as often as ptxas has it side by side, each behind what those before it issue. */
static void walk_joined(CriticalPathWalker *w, BlockId block, LoopId loop)
{
    const uint32_t times = joined_iterations(w, loop, block);
    const Lowered *lowered = w->in->lowered;
    const double begin = w->now;
    double issued = 0, end = begin;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++)
        issued += (double)lowered->insns[i].count;
    w->side_by_side = times;
    for (uint32_t copy = 0; copy < times; copy++) {
        w->now = begin + copy * issued;
        w->is_next = copy > 0;
        walk_block(w, block);
        end = fmax(end, w->now);
    }
    w->is_next = false;
    w->side_by_side = 1;
    w->now = end;
    w->own[block] = (end - begin) / times;
}

static bool is_walked_again(const CriticalPathWalker *w, LoopId loop)
{
    return w->steps ? w->is_inner[loop] : w->in->loops->loops[loop].is_innermost;
}

/* The blocks of innermost loops again, until an iteration takes what the one before took. */
static void walk_loops(CriticalPathWalker *w)
{
    const Cfg *cfg = w->in->cfg;
    for (uint32_t r = 0; r < cfg->rpo_count;) {
        LoopId loop = walked_loop(w, r);
        bool is_stepped = loop != NO_LOOP && w->steps && w->in_steps[loop];
        if (loop == NO_LOOP || !is_walked_again(w, loop)) {
            r++;
            continue;
        }
        WalkedLoop walked = { r, r, LOOP_WALKS - 1, loop };
        while (walked.end < cfg->rpo_count && walked_loop(w, walked.end) == loop)
            walked.end++;
        if (is_stepped) {
            walked.walks = STAGE_WALKS;
            walk_again(w, &walked);
        } else {
            for (unsigned again = 1; again < LOOP_WALKS; again++) {
                for (uint32_t k = r; k < walked.end; k++)
                    walk_joined(w, cfg->rpo[k], loop);
                branch_back(w, loop, cfg->rpo[walked.end - 1]);
            }
        }
        hold_iteration(w, r, walked.end, loop);
        r = walked.end;
    }
}

/* ---- which loops go in steps ----------------------------------------------------------------- */

/* What an instruction of a block waits for, if any: NEXT for an mbarrier, WAIT for others. */
static InFlightStep wait_of(const CriticalPathWalker *w, const InFlightInsn *steps, BlockId block)
{
    const Lowered *lowered = w->in->lowered;
    InFlightStep out = IN_FLIGHT_NONE;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        InFlightStep step = insn->origin == NO_ID ? IN_FLIGHT_NONE : steps[insn->origin].step;
        if (insn->machine == MACHINE_BARRIER)
            step = IN_FLIGHT_WAIT;
        if (ptx_in_flight_is_wait(step) && out != IN_FLIGHT_WAIT)
            out = step == IN_FLIGHT_WAIT_ALL ? IN_FLIGHT_WAIT : step;
    }
    return out;
}

/* A loop of a few instructions around a wait for an mbarrier. */
enum { MAX_SPIN_BLOCKS = 3 };

static void find_steps(CriticalPathWalker *w, Arena *scratch)
{
    const Loops *loops = w->in->loops;
    const Func *func = w->in->func;
    const uint32_t count = loops->loop_count;
    InFlightInsn *steps = ptx_arena_array(scratch, InFlightInsn, func->insn_count + 1);
    bool *in_steps = ptx_arena_array(scratch, bool, count + 1), any = false;
    bool *is_spin = ptx_arena_array(scratch, bool, count + 1);
    bool *is_inner = ptx_arena_array(scratch, bool, count + 1);
    for (InsnId i = 0; i < func->insn_count; i++)
        steps[i] = ptx_in_flight_insn(func, &func->insns[i]);
    for (uint32_t r = 0; r < w->in->cfg->rpo_count; r++) {
        LoopId loop = loop_at(w, r);
        InFlightStep wait = loop == NO_LOOP ? IN_FLIGHT_NONE
                                            : wait_of(w, steps, w->in->cfg->rpo[r]);
        if (wait == IN_FLIGHT_NONE)
            continue;
        is_spin[loop] |= wait == IN_FLIGHT_WAIT_NEXT && loops->loops[loop].is_innermost
                         && loops->loops[loop].block_count <= MAX_SPIN_BLOCKS;
        for (; loop != NO_LOOP && !in_steps[loop]; loop = loops->loops[loop].parent)
            in_steps[loop] = any = true;
    }
    for (LoopId l = 0; l < count; l++) {
        LoopId parent = loops->loops[l].parent;
        in_steps[l] |= parent != NO_LOOP && in_steps[parent];
        is_inner[l] = true;
        if (parent != NO_LOOP && !is_spin[l])
            is_inner[parent] = false;
    }
    w->in_steps = in_steps;
    w->is_spin = is_spin;
    w->is_inner = is_inner;
    w->steps = any ? steps : NULL;
}

/* ---- who waits for whom ---------------------------------------------------------------------- */

/* What an instruction takes of a pipeline, each time. */
static double pipeline_clocks(const CriticalPathWalker *w, const LoweredInsn *insn, PipeId pipe)
{
    if (insn->origin == NO_ID)
        return 0;
    const Count *total = &w->in->evaluation->insns[insn->origin].total;
    if (pipe == PIPE_SHARED)
        return total->warps > 0 ? total->wavefronts / total->warps : 0;
    if (pipe == PIPE_TENSOR)
        return insn->machine == MACHINE_TENSOR ? matrix_clocks(w, insn->origin) : 0;
    return (double)insn->count * (double)w->in->gpu->pipes[pipe].takes[insn->machine];
}

static void add_waits(CriticalPathWalker *w, const LoweredInsn *insn, double clocks)
{
    if (insn->origin != NO_ID)
        w->in->waits[insn->origin] += clocks;
}

/* Among those of the block that take the pipeline. */
static void share_waits(CriticalPathWalker *w, BlockId block, PipeId pipe, double clocks)
{
    const Lowered *lowered = w->in->lowered;
    double all = 0;
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1]; i++)
        all += pipeline_clocks(w, &lowered->insns[i], pipe);
    for (uint32_t i = lowered->first[block]; i < lowered->first[block + 1] && all > 0; i++)
        add_waits(w, &lowered->insns[i],
                  clocks * pipeline_clocks(w, &lowered->insns[i], pipe) / all);
}

/* clocks: of all executions of the block. */
static void sum_waits(CriticalPathWalker *w, BlockId block, double clocks)
{
    const Lowered *lowered = w->in->lowered;
    uint32_t count;
    const ChainLink *links = ptx_waiting_chain_links(w->chain, block, &count);
    double all = 0, held[PIPE__COUNT] = { 0 };
    for (uint32_t i = 0; i < count; i++)
        all += links[i].clocks;
    for (uint32_t i = 0; i < count; i++) {
        const double part = clocks * links[i].clocks / all;
        if (links[i].who < lowered->insn_count)
            add_waits(w, &lowered->insns[links[i].who], part);
        else
            held[links[i].who - lowered->insn_count] += part;
    }
    for (unsigned p = 0; p < PIPE__COUNT; p++)
        if (held[p] > 0)
            share_waits(w, block, (PipeId)p, held[p]);
}

/* What a block of the launch loads in a basic block, each time. */
static double loaded_sectors(const CriticalPathWalker *w, BlockId block, bool *stores)
{
    const Block *of = &w->in->cfg->blocks[block];
    double sectors = 0;
    for (InsnId i = of->first; i < of->end; i++) {
        const Op *op = w->in->func->insns[i].op;
        if (op->insn_class != CLASS_GLOBAL)
            continue;
        sectors += op->kind == OPK_LD ? block_sectors(w, i) : 0;
        *stores |= op->kind == OPK_ST;
    }
    return sectors;
}

static double find_turn_bytes(const CriticalPathWalker *w)
{
    enum { SECTOR_BYTES = 32 };
    const Cfg *cfg = w->in->cfg;
    bool stores = false;
    double sectors = 0, turns = 0;
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        const BlockId block = cfg->rpo[r];
        const double times = executions(w->in, block);
        if (!is_in_steps(w, block) || !(times > 0))
            continue;
        const double each = loaded_sectors(w, block, &stores);
        sectors += times * each;
        turns = each > 0 ? fmax(turns, times) : turns;
    }
    return stores && turns > 0 ? SECTOR_BYTES * sectors / turns : 0;
}

CriticalPath ptx_critical_path_compute(Arena *scratch, const CriticalPathInput *in)
{
    CriticalPath out = { 0 };
    ArenaMark mark = ptx_arena_mark(scratch);
    CriticalPathWalker w = { .in = in,
                             .of = { in->latencies, in->sequences, in->load_clocks, in->func } };
    w.ready = ptx_arena_array(scratch, double, in->lowered->value_count + 1);
    w.is_late = ptx_arena_array(scratch, bool, in->lowered->value_count + 1);
    w.batch = ptx_arena_array(scratch, uint32_t, in->lowered->value_count + 1);
    w.own = ptx_arena_array(scratch, double, in->cfg->block_count);
    w.sum = ptx_arena_array(scratch, double, in->cfg->block_count);
    if (in->waits)
        w.chain = ptx_waiting_chain_new(scratch, in->lowered, in->cfg->block_count);
    find_steps(&w, scratch);
    find_walked(&w, scratch);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++)
        if (executions(in, in->cfg->rpo[r]) > 0)
            walk_block(&w, in->cfg->rpo[r]);
    walk_outer(&w);
    walk_loops(&w);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++) {
        double clocks = w.own[in->cfg->rpo[r]] * executions(in, in->cfg->rpo[r]);
        out.clocks += clocks;
        if (w.chain)
            sum_waits(&w, in->cfg->rpo[r], clocks);
        out.step_share += is_in_steps(&w, in->cfg->rpo[r]) ? clocks : 0;
        out.longest_clocks += w.own[in->cfg->rpo[r]] * longest(in, in->cfg->rpo[r]);
    }
    out.step_share = out.clocks > 0 ? out.step_share / out.clocks : 0;
    out.turn_bytes = find_turn_bytes(&w);
    ptx_arena_release(scratch, mark);
    return out;
}
