#include "analysis/registers/register_count.h"

#include "analysis/registers/list_schedule.h"
#include "analysis/registers/register_grants.h"
#include "analysis/registers/tree.h"
#include "support/assert.h"
#include "analysis/flow/defs.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/sass/sass.h"
#include "gpu/gpu.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/registers/block_liveness.h"
#include "support/minmax.h"
#include "analysis/flow/func_flow.h"

enum {
    /* registers that ptxas may save beyond the frugal order, where it computes values again: by
     * judgement */
    REBUILT = 6,
    /* what ptxas adds to what it uses: of 564 kernels for sm_75, sm_80 and sm_90 in 558 */
    BEYOND = 2,
    FIXED = BEYOND + 1,         /* and the stack pointer */
    /* by judgement: where the model holds more than the PTX does, ptxas computes again all but so
     * much */
    HELD = 8,
    OVER_ZERO = 128,            /* of a figure that is what the guess is */
    USUAL_LEAST = 8,            /* few kernels take fewer */
    HELD_FIRST = 24,            /* the first register of results of wgmma */
    MAX_REGISTERS = 255,
    MIN_CAP = 24,               /* ptxas 13.0 takes a .maxnreg below it for it, sm_75 to sm_120 */
    REGISTERS_LEAST = 4,        /* of a kernel that does nothing */
    /* by the calling convention: measured on vprintf, pointers and recursion, sm_75 to sm_120 */
    CALLING_LEAST = 24,
    /* the first of the machine that the trees are of: before, what is live at most stands */
    MODELLED_SM = 70,
    CALIBRATED_SM = 75,         /* the first target of the fit */
    ENOUGH = 6,                 /* so far beyond the cap, spills are likely: a judgement */
};

typedef struct Gathering {
    const FuncFlow *flow;
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Lowered *lowered;
    const Gpu *gpu;
    uint32_t *f;                /* per PressureFeature */
    const uint16_t *granted;    /* per block, of register_grants.h; NULL: nothing is released */
    bool is_starved;            /* a block needs more than it is granted */
} Gathering;

static void at_least(uint32_t *f, PressureFeature feature, uint32_t value)
{
    if (f[feature] < value)
        f[feature] = value;
}

/* ---- what directives leave ------------------------------------------------------------------- */

static uint32_t block_threads_of(const uint32_t dims[3])
{
    uint64_t threads = dims[0];
    for (int i = 1; i < 3; i++)
        threads *= dims[i] && threads < UINT32_MAX ? dims[i] : 1;
    return threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
}

static uint32_t figure(const Gpu *gpu, FigureId id, uint32_t otherwise)
{
    return ptx_gpu_has(gpu, id) ? (uint32_t)gpu->figures[id] : otherwise;
}

/* Registers a thread where so many threads share an SM's, in the unit of allocation. */
static uint32_t share_of(const Gpu *gpu, uint64_t threads)
{
    uint32_t share =
        (uint32_t)(figure(gpu, FIGURE_REGISTERS_PER_SM, 65536) / (threads ? threads : 1)) / 8 * 8;
    return ptx_u32_min(ptx_u32_max(share, 8), MAX_REGISTERS);
}

/* Of a block, in whole warps; 0: no bound on them is given. */
static uint64_t bounded_threads(const Bounds *bounds)
{
    const uint32_t threads = block_threads_of(bounds->reqntid[0] ? bounds->reqntid
                                                                 : bounds->maxntid);
    return ((uint64_t)threads + 31) / 32 * 32;
}

/* Blocks of an SM by .minnctapersm; 0: ptxas 13.0 ignores it, as without a bound on the threads, or
 * where no SM holds as many blocks or threads. */
static uint32_t heeded_blocks(const Gpu *gpu, const Bounds *bounds)
{
    const uint64_t threads = bounded_threads(bounds);
    const uint64_t blocks = bounds->minnctapersm;
    const bool is_held = blocks <= figure(gpu, FIGURE_BLOCKS_PER_SM, UINT32_MAX)
                         && threads * blocks <= figure(gpu, FIGURE_THREADS_PER_SM, UINT32_MAX);
    return threads && is_held ? (uint32_t)blocks : 0;
}

/* By .maxnreg; 0: none is given, or one that is more than there are, which is ignored. */
static uint32_t heeded_registers(const Gpu *gpu, const Bounds *bounds)
{
    const uint32_t most = figure(gpu, FIGURE_REGISTERS_PER_THREAD, MAX_REGISTERS);
    if (!bounds->maxnreg || bounds->maxnreg > most)
        return 0;
    return ptx_u32_max(bounds->maxnreg, ptx_u32_min(MIN_CAP, most));
}

uint32_t ptx_pressure_cap(const Gpu *gpu, const Bounds *bounds)
{
    uint32_t cap = figure(gpu, FIGURE_REGISTERS_PER_THREAD, MAX_REGISTERS);
    const uint64_t threads = bounded_threads(bounds);
    const uint32_t blocks = heeded_blocks(gpu, bounds);
    const uint32_t registers = heeded_registers(gpu, bounds);
    if (registers)
        cap = registers;
    if (blocks || (threads && !registers))
        cap = ptx_u32_min(cap, share_of(gpu, threads * (blocks ? blocks : 1)));
    return cap;
}

/* What ptxas keeps registers below while it hides latency: what lets all warps be resident, or the
 * cap where directives ask for registers or blocks. */
static uint32_t latency_target_of(const Gpu *gpu, const Bounds *bounds)
{
    return heeded_registers(gpu, bounds) || heeded_blocks(gpu, bounds)
               ? ptx_pressure_cap(gpu, bounds)
               : share_of(gpu, figure(gpu, FIGURE_THREADS_PER_SM, 2048));
}

/* ---- features -------------------------------------------------------------------------------- */

static void count_insn(Gathering *g, const LoweredInsn *insn)
{
    static const uint8_t features[MACHINE__COUNT] = {
        [MACHINE_FP32] = PRESSURE_FLOATS, [MACHINE_FP16] = PRESSURE_HALVES, [MACHINE_FP64] = PRESSURE_FP64, [MACHINE_IMAD] = PRESSURE_PRODUCTS,
        [MACHINE_IMAD_WIDE] = PRESSURE_WIDE_ADDS, [MACHINE_IADD] = PRESSURE_SUMS, [MACHINE_ALU] = PRESSURE_LOGIC, [MACHINE_SHIFT] = PRESSURE_SHIFTS,
        [MACHINE_BITS] = PRESSURE_XU, [MACHINE_XU] = PRESSURE_XU, [MACHINE_CVT] = PRESSURE_CONVERSIONS, [MACHINE_CVT_FAST] = PRESSURE_CONVERSIONS,
        [MACHINE_CVT64] = PRESSURE_CONVERSIONS, [MACHINE_DOT] = PRESSURE_PRODUCTS, [MACHINE_VIDEO] = PRESSURE_LOGIC, [MACHINE_SHUFFLE] = PRESSURE_SHUFFLES,
        [MACHINE_VOTE] = PRESSURE_SHUFFLES, [MACHINE_REDUX] = PRESSURE_SHUFFLES, [MACHINE_GLOBAL] = PRESSURE_GLOBAL, [MACHINE_SHARED] = PRESSURE_SHARED,
        [MACHINE_MATRIX] = PRESSURE_MATRIX, [MACHINE_CONST] = PRESSURE_CONSTANTS, [MACHINE_ATOMIC] = PRESSURE_ATOMICS,
        [MACHINE_ATOMIC_SHARED] = PRESSURE_ATOMICS, [MACHINE_TEXTURE] = PRESSURE_TEXTURE, [MACHINE_TENSOR] = PRESSURE_TENSOR,
        [MACHINE_BRANCH] = PRESSURE_BRANCHES, [MACHINE_BARRIER] = PRESSURE_BARRIERS, [MACHINE_MOVE] = PRESSURE_MOVES, [MACHINE_OTHER] = PRESSURE_MOVES,
    };
    static const uint8_t expansions[EXPANSION__COUNT] = {
        [EXPANSION_QUOTIENT] = PRESSURE_QUOTIENTS, [EXPANSION_ROOT] = PRESSURE_ROOTS, [EXPANSION_QUOTIENT64] = PRESSURE_QUOTIENTS64,
        [EXPANSION_ROOT64] = PRESSURE_ROOTS64, [EXPANSION_INTEGER] = PRESSURE_INTEGER, [EXPANSION_INTEGER64] = PRESSURE_INTEGER64,
    };
    g->f[features[insn->machine]] += !ptx_lowered_is_copy(insn);
    g->f[PRESSURE_WIDE_ADDS] += insn->machine == MACHINE_IADD && insn->count >= 2;
    at_least(g->f, PRESSURE_EXPANDED,
             insn->count > 1 && insn->count < 10000 ? (uint32_t)insn->count : 1);
    if (insn->origin == NO_ID)
        return;
    const Op *op = g->func->insns[insn->origin].op;
    Expansion expansion = ptx_op_expansion(op);
    g->f[PRESSURE_CALLS] += op->kind == OPK_CALL;
    g->f[PRESSURE_LOCAL] += op->space == SPACE_LOCAL;
    g->f[PRESSURE_STORES] += op->flags & OPF_STORE && op->space == SPACE_GLOBAL;
    if (expansion && insn->def_count)
        g->f[expansions[expansion]]++;
}

static void count_block_features(Gathering *g, BlockId block)
{
    const Lowered *l = g->lowered;
    uint32_t loads = 0, units = 0, shared = 0;
    for (uint32_t i = l->first[block]; i < l->first[block + 1]; i++) {
        const LoweredInsn *insn = &l->insns[i];
        count_insn(g, insn);
        bool is_load = insn->origin != NO_ID && g->func->insns[insn->origin].op->flags & OPF_LOAD;
        loads += is_load && insn->machine == MACHINE_GLOBAL;
        shared += is_load && insn->machine == MACHINE_SHARED;
        for (uint32_t d = 0; is_load && insn->machine == MACHINE_GLOBAL && d < insn->def_count; d++)
            units += l->values[ptx_lowered_defs(l, insn)[d]].units;
    }
    at_least(g->f, PRESSURE_LOADS, loads);
    at_least(g->f, PRESSURE_LOAD_UNITS, units);
    at_least(g->f, PRESSURE_SHARED_LOADS, shared);
    at_least(g->f, PRESSURE_LONGEST, l->first[block + 1] - l->first[block]);
}

/* The most registers that let as many blocks be resident as so many registers do; warps, where
 * the block is not known. */
static uint32_t step_above(const Gathering *g, uint32_t registers)
{
    uint32_t threads = block_threads_of(g->func->bounds.reqntid[0] ? g->func->bounds.reqntid
                                                                   : g->func->bounds.maxntid),
             step = MAX_REGISTERS;
    uint64_t block = threads > 32 ? ((uint64_t)threads + 31) / 32 * 32 : 32;
    for (uint64_t blocks = 1;
         block * blocks <= 2048 && share_of(g->gpu, block * blocks) >= registers; blocks++)
        step = share_of(g->gpu, block * blocks);
    return step > g->f[PRESSURE_CAP] ? g->f[PRESSURE_CAP] : step;
}

/* Of the loop that the region is: what it comes to when unrolled, and what of it asks for registers
 * then. */
static void note_unrolled(Gathering *g, const BlockWork *work, BlockId first, uint32_t repeat,
                          const BlockPressure *p)
{
    const Unrolling *unrolled = &g->lowered->unrolled[g->loops->loop_of[first]];
    uint32_t loads = 0, stores = 0, from = g->lowered->first[first],
             to = g->lowered->first[ptx_region_last(work, first) + 1];
    for (uint32_t i = from; i < to; i++) {
        const LoweredInsn *insn = &g->lowered->insns[i];
        uint16_t flags = insn->origin == NO_ID ? 0 : g->func->insns[insn->origin].op->flags;
        loads += flags & OPF_LOAD && insn->machine == MACHINE_GLOBAL;
        stores += flags & OPF_STORE && insn->machine == MACHINE_GLOBAL;
    }
    at_least(g->f, PRESSURE_UNROLLED, unrolled->times);
    at_least(g->f, PRESSURE_UNROLLED_WHOLE, unrolled->is_whole);
    at_least(g->f, PRESSURE_UNROLLED_LENGTH, repeat * (to - from));
    at_least(g->f, PRESSURE_UNROLLED_LOADS, repeat * loads);
    at_least(g->f, PRESSURE_UNROLLED_STORES, repeat * stores);
    at_least(g->f, PRESSURE_UNROLLED_FRUGAL, p->most[ORDER_FRUGAL]);
    at_least(g->f, PRESSURE_UNROLLED_AIMED, p->most[ORDER_TARGET]);
    at_least(g->f, PRESSURE_UNROLLED_PLACED, p->top[ORDER_TARGET]);
    at_least(g->f, PRESSURE_UNROLLED_STRAIGHT, p->top[ORDER_STRAIGHT]);
    at_least(g->f, PRESSURE_UNROLLED_EAGER, p->most[ORDER_EAGER]);
}

static void note_expansions(uint32_t *f, const BlockPressure *p)
{
    for (unsigned e = EXPANSION_NONE + 1; e < EXPANSION__COUNT; e++) {
        bool is_single = e == EXPANSION_QUOTIENT || e == EXPANSION_ROOT;
        if (e != EXPANSION_INTEGER)
            at_least(f, is_single ? PRESSURE_AT_QUOTIENT : PRESSURE_AT_QUOTIENT64, p->at[e]);
    }
}

/* Results of wgmma stand behind the registers that a call may change: of 40 kernels that hold 4 to
 * 128, with few other values, all take so many. 0: none is held. */
static uint32_t least_held(uint32_t held)
{
    return held ? HELD_FIRST + held + BEYOND : 0;
}

/* Whether it is certain, or nearly, that the region needs more registers than a setmaxnreg.dec
 * leaves it. */
static void note_grant(Gathering *g, BlockId first, const BlockPressure *p)
{
    const uint32_t granted = g->granted ? g->granted[first] : 0;
    const uint32_t held = least_held(p->held);
    g->is_starved |= granted
                     && (held > granted || p->most[ORDER_FRUGAL] + FIXED > granted + ENOUGH);
}

static void order_region(Gathering *g, BlockWork *work, BlockId first)
{
    BlockPressure p;
    uint32_t *f = g->f, depth = ptx_loop_depth(g->loops, first),
             through = ptx_region_out(work, first),
             repeat = ptx_region_repeat(work, first);
    ptx_region_pressure(work, first, 1, f[PRESSURE_TARGET] - FIXED, &p);
    at_least(f, PRESSURE_PROGRAM, p.most[ORDER_PROGRAM]);
    at_least(f, PRESSURE_THROUGH, through);
    at_least(f, PRESSURE_AT_EXPANSION, p.at_expansion);
    at_least(f, PRESSURE_CALLED, p.called);
    at_least(f, PRESSURE_HELD, p.held);
    note_expansions(f, &p);
    if (p.most[ORDER_FRUGAL] > f[PRESSURE_FRUGAL]) {
        f[PRESSURE_FRUGAL] = p.most[ORDER_FRUGAL];
        f[PRESSURE_FRUGAL_WIDE] = p.wide[ORDER_FRUGAL];
    }
    if (depth) {
        at_least(f, PRESSURE_LOOP_IN, through);
        at_least(f, PRESSURE_LOOP_FRUGAL, p.most[ORDER_FRUGAL]);
        at_least(f, PRESSURE_LOOP_AIMED, p.most[ORDER_TARGET]);
    }
    uint32_t frugal = p.most[ORDER_FRUGAL];
    note_grant(g, first, &p);
    if (repeat > 1) {
        ptx_region_pressure(work, first, repeat, f[PRESSURE_TARGET] - FIXED, &p);
        note_unrolled(g, work, first, repeat, &p);
    }
    at_least(f, PRESSURE_EAGER, p.most[ORDER_EAGER]);
    at_least(f, PRESSURE_PLACED_AIMED, p.top[ORDER_TARGET]);
    at_least(f, PRESSURE_STRAIGHT, p.most[ORDER_STRAIGHT]);
    at_least(f, PRESSURE_PLACED_STRAIGHT, p.top[ORDER_STRAIGHT]);
    at_least(f, PRESSURE_SECOND, ptx_u32_min(p.most[ORDER_TARGET], f[PRESSURE_AIMED]));
    if (p.most[ORDER_TARGET] > f[PRESSURE_AIMED]) {
        f[PRESSURE_AIMED] = p.most[ORDER_TARGET];
        f[PRESSURE_AIMED_WIDE] = p.wide[ORDER_TARGET];
        f[PRESSURE_AIMED_DEPTH] = depth;
        f[PRESSURE_AIMED_LENGTH] = repeat
                                   * (g->lowered->first[ptx_region_last(work, first) + 1]
                                      - g->lowered->first[first]);
    }
    if (frugal + FIXED > f[PRESSURE_TARGET])
        ptx_region_retarget(work, step_above(g, frugal + FIXED) - FIXED, &p);
    at_least(f, PRESSURE_STEPPED, p.most[ORDER_TARGET]);
}

static void count_values(Gathering *g)
{
    const Lowered *l = g->lowered;
    for (uint32_t v = 0; v < l->value_count; v++) {
        const LoweredValue *value = &l->values[v];
        g->f[PRESSURE_UNIFORM] += value->file == LOWERED_UNIFORM;
        g->f[PRESSURE_PREDICATES] += value->file == LOWERED_PREDICATE;
        g->f[PRESSURE_BANK_UNITS] += value->file == LOWERED_CONSTANT ? value->units : 0;
        g->f[PRESSURE_VARIABLES] += value->file == LOWERED_REG && value->is_variable ? value->units
                                                                                     : 0;
        if (value->file == LOWERED_REG)
            at_least(g->f, PRESSURE_WIDEST, value->units);
    }
}

/* NULL where more is live than anything is known of. */
static BlockWork *begin_regions(Gathering *g, Arena *scratch)
{
    return ptx_block_work_new(scratch, g->flow, g->lowered, ptx_defs_of(scratch, g->flow),
                              g->gpu->target.sm);
}

static bool gather_features(Gathering *g, Arena *scratch)
{
    BlockWork *work = begin_regions(g, scratch);
    if (!work)
        return false;
    g->f[PRESSURE_INSNS] = g->lowered->insn_count;
    g->f[PRESSURE_BLOCKS] = g->cfg->rpo_count;
    g->f[PRESSURE_LOOPS] = g->loops->loop_count;
    count_values(g);
    for (uint32_t b = 0; b < g->cfg->rpo_count; b++)
        count_block_features(g, g->cfg->rpo[b]);
    for (BlockId b = 0; b < g->cfg->block_count; b = ptx_region_last(work, b) + 1)
        if (ptx_block_is_reachable(g->cfg, b))
            order_region(g, work, b);
    return true;
}

/* What places and steps of occupancy come to: as many as all warps leave, if that will do, else
 * what the next step leaves; never much more than is live in the PTX, as ptxas computes values
 * again rather than keeping what loops and branches share. Where directives ask, occupancy is no
 * limit, and less of the time that results take is filled. */
static uint32_t guess(const uint32_t *f)
{
    uint32_t step = f[PRESSURE_STEPPED] + FIXED,
             limit = f[PRESSURE_AIMED] + FIXED > f[PRESSURE_TARGET] && step > f[PRESSURE_TARGET]
                         ? step
                         : f[PRESSURE_TARGET];
    bool is_asked = f[PRESSURE_TARGET] == f[PRESSURE_CAP];
    uint32_t top = is_asked && f[PRESSURE_PLACED_STRAIGHT] < f[PRESSURE_PLACED_AIMED]
                       ? f[PRESSURE_PLACED_STRAIGHT]
                       : f[PRESSURE_PLACED_AIMED];
    uint32_t placed = top + BEYOND, live = f[PRESSURE_LIVE] + HELD;
    placed = placed < limit ? placed : limit;
    placed = f[PRESSURE_FRUGAL] > live && live < placed ? live : placed;
    placed = placed > USUAL_LEAST ? placed : USUAL_LEAST;
    placed = placed > f[PRESSURE_CALLED] ? placed : f[PRESSURE_CALLED];
    if (f[PRESSURE_HELD]) /* results that are waited for leave less to choose */
        placed = ptx_u32_max((placed + f[PRESSURE_PROGRAM]) / 2, least_held(f[PRESSURE_HELD]));
    return placed < f[PRESSURE_CAP] ? placed : f[PRESSURE_CAP];
}

/* How far figures are beyond the guess: it decides alike in small kernels and in large ones. */
static void compare_with_guess(uint32_t *f)
{
    static const uint8_t pairs[][2] = {
        { PRESSURE_OVER_LIVE, PRESSURE_LIVE },
        { PRESSURE_OVER_EAGER, PRESSURE_EAGER },
        { PRESSURE_OVER_STRAIGHT, PRESSURE_STRAIGHT },
        { PRESSURE_OVER_PLACED_STRAIGHT, PRESSURE_PLACED_STRAIGHT },
        { PRESSURE_OVER_AIMED, PRESSURE_AIMED },
        { PRESSURE_OVER_PLACED_AIMED, PRESSURE_PLACED_AIMED },
        { PRESSURE_OVER_PROGRAM, PRESSURE_PROGRAM },
        { PRESSURE_OVER_FRUGAL, PRESSURE_FRUGAL },
        { PRESSURE_OVER_THROUGH, PRESSURE_THROUGH },
        { PRESSURE_OVER_UNROLLED_PLACED, PRESSURE_UNROLLED_PLACED },
        { PRESSURE_OVER_TARGET, PRESSURE_TARGET },
        { PRESSURE_OVER_SECOND, PRESSURE_SECOND },
        { PRESSURE_OVER_LOOP_IN, PRESSURE_LOOP_IN },
        { PRESSURE_OVER_CALLED, PRESSURE_CALLED },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint32_t beyond = f[pairs[i][1]] + OVER_ZERO;
        f[pairs[i][0]] = beyond > f[PRESSURE_GUESS] ? beyond - f[PRESSURE_GUESS] : 0;
    }
    const uint32_t held = least_held(f[PRESSURE_HELD]) + OVER_ZERO;
    f[PRESSURE_OVER_HELD] = held > f[PRESSURE_GUESS] ? held - f[PRESSURE_GUESS] : 0;
}

/* Of targets that ptxas gives the same registers, or nearly, the one that was measured: of 179
 * kernels all are the same for sm_86 to sm_89 and for sm_120 and sm_121, 96 in 100 for sm_100 and
 * sm_103, 90 for sm_110 and sm_120. */
static uint32_t measured_sm(uint32_t sm)
{
    if (sm > 86 && sm < 90)
        return 86;
    if (sm > 100 && sm < 110)
        return 100;
    return sm >= 110 ? 120 : sm;
}

/* ---- from features to registers -------------------------------------------------------------- */

/* Per feature of the trees: how many of its cuts the kernel is above; of PRESSURE_LEAF none. */
typedef struct PressureBins { uint8_t above[PRESSURE_LEAF + 1]; } PressureBins;

static void find_bins(const Pressure *p, PressureBins *bins)
{
    for (uint32_t f = 0; f < ptx_pressure_feature_count; f++) {
        const PressureCuts *row = &ptx_pressure_features[f];
        const uint16_t value = p->features[row->feature], *cuts = ptx_pressure_cuts + row->first;
        for (uint32_t c = 0; c < row->count; c++)
            bins->above[f] = (uint8_t)(bins->above[f] + (value > cuts[c]));
    }
}

static int leaf_of(const PressureBins *bins, uint32_t tree)
{
    const PressureNode *node = ptx_pressure_nodes + ptx_pressure_trees[tree];
    while (node->feature != PRESSURE_LEAF)
        node += bins->above[node->feature] > node->cut ? node->other : 1;
    return node->other;
}

enum { TREES_AT_ONCE = 8 };

/* The sum of so many leaves. Side by side, and by masks, since which way a tree goes is not
 * foreseen, and where it leads is far in memory: none waits for another. */
static int64_t sum_of_leaves(const PressureBins *bins, const uint32_t *trees)
{
    const PressureNode *at[TREES_AT_ONCE];
    bool are_leaves = false;
    int64_t sum = 0;
    for (unsigned t = 0; t < TREES_AT_ONCE; t++)
        at[t] = ptx_pressure_nodes + trees[t];
    while (!are_leaves) {
        are_leaves = true;
        for (unsigned t = 0; t < TREES_AT_ONCE; t++) {
            const bool is_above = bins->above[at[t]->feature] > at[t]->cut,
                       is_leaf = at[t]->feature == PRESSURE_LEAF;
            at[t] += (1 + ((at[t]->other - 1) & -(int)is_above)) & ((int)is_leaf - 1);
            are_leaves &= is_leaf;
        }
    }
    for (unsigned t = 0; t < TREES_AT_ONCE; t++)
        sum += at[t]->other;
    return sum;
}

/* Targets whose SMs hold as many warps have the same counts often: what lets so many be
 * resident. */
static const float *scale_of(const Gpu *gpu)
{
    uint32_t warps = figure(gpu, FIGURE_THREADS_PER_SM, 2048) / 32;
    if (warps <= 32)
        return ptx_pressure_scale[0];
    return ptx_pressure_scale[warps <= 48 ? 1 : 2];
}

static double middle_of(const float *scale, uint32_t registers)
{
    return registers ? ((double)scale[registers - 1] + (double)scale[registers]) / 2 : 0;
}

static uint32_t count_at(const Pressure *p, const float *scale, double at)
{
    uint32_t low = REGISTERS_LEAST, high = MAX_REGISTERS;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((double)scale[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->cap ? low : p->cap;
}

/* The function that an instruction calls by name, or NULL. */
static const Func *called_func_of(const Module *module, const Func *func, const Insn *insn)
{
    for (uint32_t o = 0; o < insn->operand_count && insn->op->kind == OPK_CALL; o++) {
        const Operand *operand = &ptx_insn_operands(func, insn)[o];
        if (operand->kind == OPERAND_FUNCTION)
            return &module->funcs[operand->id];
    }
    return NULL;
}

static bool calls_itself(const Module *module, const Func *func)
{
    for (InsnId i = 0; i < func->insn_count && func->has_calls; i++)
        if (called_func_of(module, func, &func->insns[i]) == func)
            return true;
    return false;
}

/* Whether it calls what ptxas knows by the calling convention alone: through a pointer, what has no
 * body here, or what calls itself. */
static bool calls_blindly(const Module *module, const Func *func)
{
    for (InsnId i = 0; i < func->insn_count && func->has_calls; i++) {
        const Func *callee = called_func_of(module, func, &func->insns[i]);
        if (func->insns[i].op->kind == OPK_CALL
            && (!callee || !callee->has_body || calls_itself(module, callee)))
            return true;
    }
    return false;
}

/* Where trees say that it is on the scale. */
static double fitted(const Pressure *p, const float *scale, const PressureBins *bins)
{
    int64_t steps = 0;
    uint32_t t = 0;
    uint32_t begin = p->features[PRESSURE_GUESS];
    double sum = middle_of(scale, begin < MAX_REGISTERS ? begin : MAX_REGISTERS);
    for (; t + TREES_AT_ONCE <= ptx_pressure_tree_count; t += TREES_AT_ONCE)
        steps += sum_of_leaves(bins, ptx_pressure_trees + t);
    for (; t < ptx_pressure_tree_count; t++)
        steps += leaf_of(bins, t);
    return sum + (double)steps / PRESSURE_UNIT;
}

static uint32_t capped(const Pressure *p, double registers)
{
    double count = registers < REGISTERS_LEAST ? REGISTERS_LEAST : registers;
    return count > p->cap ? p->cap : (uint32_t)count;
}

/* Trees know no more than the kernels that they were fitted to; what is live from one block to
 * another is, whatever the order of instructions. */
static void raise_to(Pressure *p, uint32_t least)
{
    p->low = p->low < least ? least : p->low;
    p->registers = p->registers < least ? least : p->registers;
    p->high = p->high < least ? least : p->high;
}

/* What is live in an order that takes few. */
static uint32_t least_of(const Pressure *p)
{
    const uint16_t *f = p->features;
    return (uint32_t)(f[PRESSURE_FRUGAL] < f[PRESSURE_LIVE] ? f[PRESSURE_FRUGAL] : f[PRESSURE_LIVE])
           + FIXED;
}

/* Where places come to what all warps leave, trees that say up to a quarter more are not believed:
 * ptxas orders otherwise rather than take it. */
static uint32_t in_step(const Pressure *p, uint32_t registers)
{
    uint32_t target = p->features[PRESSURE_TARGET];
    return p->features[PRESSURE_GUESS] == target && registers > target
                   && 4 * registers <= 5 * target
               ? target
               : registers;
}

bool ptx_pressure_is_alike(const Gpu *a, const Gpu *b)
{
    static const FigureId asked[] = { FIGURE_REGISTERS_PER_SM, FIGURE_REGISTERS_PER_THREAD,
                                      FIGURE_BLOCKS_PER_SM, FIGURE_THREADS_PER_SM };
    return ptx_target_is_same(a->target, b->target)
           && ptx_gpu_agrees_on(a, b, asked, sizeof asked / sizeof *asked);
}

bool ptx_pressure_is_calibrated(const Gpu *gpu, const Module *module)
{
    return measured_sm(gpu->target.sm) >= CALIBRATED_SM && !module->is_debug;
}

static void decide(Pressure *p, const Module *module, const Func *func, const Live *live,
                   const Gpu *gpu)
{
    PressureBins bins = { { 0 } };
    find_bins(p, &bins);
    const float *band = ptx_pressure_bands[leaf_of(&bins, ptx_pressure_tree_count)],
                *scale = scale_of(gpu);
    bool is_modelled = p->features[PRESSURE_SM] >= MODELLED_SM;
    p->is_calibrated = ptx_pressure_is_calibrated(gpu, module);
    double at = is_modelled ? fitted(p, scale, &bins) : 0;
    p->registers = is_modelled ? in_step(p, count_at(p, scale, at)) : capped(p, live->max_pressure);
    p->low = p->is_calibrated ? count_at(p, scale, at + (double)band[0])
                              : capped(p, 0.6 * p->registers - 4);
    p->high = p->is_calibrated ? count_at(p, scale, at + (double)band[1])
                               : capped(p, 1.5 * p->registers + 8);
    p->low = p->low < p->registers ? p->low : p->registers;
    raise_to(p, is_modelled ? capped(p, (double)p->features[PRESSURE_THROUGH] - REBUILT) : 0);
    raise_to(p, capped(p, least_held(p->features[PRESSURE_HELD])));
    if (p->registers < CALLING_LEAST && calls_blindly(module, func))
        p->registers = capped(p, CALLING_LEAST);
    p->high = p->high < p->registers ? p->registers : p->high;
}

/* The cap holds at launch alone: from there on each warpgroup has as many registers as it asks
 * for, if ptxas knows how many a thread begins with. */
static bool changes_cap(const Gpu *gpu, const Func *func)
{
    return (heeded_registers(gpu, &func->bounds) || heeded_blocks(gpu, &func->bounds))
           && ptx_register_grants_find(func).is_asked;
}

/* What ptxas gives such a kernel at launch. */
static void fix_count(Pressure *p, const Gathering *g)
{
    const RegisterGrants grants = ptx_register_grants_find(g->func);
    if (changes_cap(g->gpu, g->func) && !g->is_starved)
        p->registers = p->low = p->high = grants.most && grants.most < p->cap ? grants.most
                                                                              : p->cap;
}

/* least_of says no more than what is live in the PTX. */
bool ptx_pressure_may_spill(const Gpu *gpu, const Func *func, const Live *live)
{
    return live->max_pressure + FIXED > ptx_pressure_cap(gpu, &func->bounds) + ENOUGH
           && !changes_cap(gpu, func);
}

/* judge_spills: least_of, and whether what is live between blocks is the cap already. */
Spills ptx_pressure_find_spills(Arena *scratch, const FuncFlow *flow, const Live *live,
                                const Lowered *lowered, const Gpu *gpu)
{
    const uint32_t cap = ptx_pressure_cap(gpu, &flow->func->bounds);
    if (flow->func->has_syntax_error)
        return SPILLS_UNKNOWN;
    if (!ptx_pressure_may_spill(gpu, flow->func, live))
        return SPILLS_UNLIKELY;
    ArenaMark mark = ptx_arena_mark(scratch);
    Gathering g = { .flow = flow,
                    .func = flow->func,
                    .cfg = flow->cfg,
                    .loops = flow->loops,
                    .lowered = lowered,
                    .gpu = gpu };
    BlockWork *work = begin_regions(&g, scratch);
    bool exceeds = false;
    uint32_t through = 0;
    for (BlockId b = 0; work && b < g.cfg->block_count; b = ptx_region_last(work, b) + 1) {
        if (!ptx_block_is_reachable(g.cfg, b))
            continue;
        exceeds = exceeds || ptx_region_exceeds(work, b, cap + ENOUGH - FIXED);
        through = ptx_u32_max(through, ptx_region_out(work, b));
    }
    ptx_arena_release(scratch, mark);
    if (!work)
        return SPILLS_UNKNOWN;
    if (!exceeds)
        return SPILLS_UNLIKELY;
    bool is_full = measured_sm(gpu->target.sm) >= MODELLED_SM && through >= cap + REBUILT;
    return is_full ? SPILLS_LIKELY : SPILLS_POSSIBLE;
}

/* Where little goes beyond the cap, ptxas computes values again rather than keep them in memory. */
static uint32_t count_spilled(const Pressure *p)
{
    uint32_t least = least_of(p);
    return p->spills == SPILLS_LIKELY && least > p->cap ? least - p->cap : 0;
}

static Spills judge_spills(const Pressure *p, const Gpu *gpu, const Func *func)
{
    uint32_t least = least_of(p);
    if (least <= p->cap && p->registers < p->cap)
        return SPILLS_UNLIKELY;
    if (changes_cap(gpu, func))
        return SPILLS_UNKNOWN;
    bool is_full = p->registers >= p->cap;
    return least > p->cap + ENOUGH && is_full ? SPILLS_LIKELY : SPILLS_POSSIBLE;
}

Pressure ptx_pressure_compute(Arena *scratch, const FuncFlow *flow, const Live *live,
                              const Lowered *lowered, const Gpu *gpu)
{
    const Module *module = flow->module;
    const Func *func = flow->func;
    ArenaMark mark = ptx_arena_mark(scratch);
    uint32_t f[PRESSURE__COUNT] = { 0 };
    Pressure out = { .cap = ptx_pressure_cap(gpu, &func->bounds) };
    Gathering g = { .flow = flow,
                    .func = func,
                    .cfg = flow->cfg,
                    .loops = flow->loops,
                    .lowered = lowered,
                    .gpu = gpu,
                    .f = f };
    if (ptx_register_grants_find(func).releases)
        g.granted = ptx_register_grants_reach(scratch, func, flow->cfg);
    f[PRESSURE_TARGET] = latency_target_of(gpu, &func->bounds);
    f[PRESSURE_SM] = measured_sm(gpu->target.sm);
    f[PRESSURE_CAP] = out.cap;
    f[PRESSURE_LIVE] = live ? live->max_pressure : 0;
    f[PRESSURE_THREADS] =
        block_threads_of(func->bounds.reqntid[0] ? func->bounds.reqntid : func->bounds.maxntid);
    for (uint32_t i = 0; i < func->param_count; i++)
        f[PRESSURE_POINTERS] += func->params[i] != NO_ID
                                && module->vars[func->params[i]].bytes == 8;
    out.is_known = live && !func->has_syntax_error && gather_features(&g, scratch);
    f[PRESSURE_GUESS] = guess(f);
    compare_with_guess(f);
    for (unsigned i = 0; i < PRESSURE__COUNT; i++)
        out.features[i] = (uint16_t)(f[i] > UINT16_MAX ? UINT16_MAX : f[i]);
    if (out.is_known) {
        decide(&out, module, func, live, gpu);
        out.spills = judge_spills(&out, gpu, func);
        out.spilled = count_spilled(&out);
        fix_count(&out, &g);
        ASSERT(out.low <= out.registers && out.registers <= out.high);
    }
    ptx_arena_release(scratch, mark);
    return out;
}
