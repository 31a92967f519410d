#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/block_log.h"
#include "analysis/access/advise/trace.h"

#include "analysis/sim/cost/price.h"
#include "analysis/sim/sim.h"
#include "analysis/value/points_to.h"
#include "support/hash.h"
#include "support/minmax.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/access/evaluate.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/value/launch.h"
#include "analysis/access/kernel_run.h"

enum {
    MAX_TRACED = 4096,         /* distinct requests that are kept of a kernel, */
    MAX_OF_ACCESS = 256,       /* and of one instruction */
    /* requests of one warp of a block, by one instruction to global memory */
    MAX_TURNS = 8,
    MAX_BLOCKS = 64,
    MAX_LOGS = 4,              /* blocks that may stand for others */
    MAX_WARPS = 64,            /* of a block: no GPU holds more */
    MAX_STEPS = 1 << 16,       /* instructions of warps; */
    STEPS_FLOOR = 1 << 12,      /* where the grid is unknown, one block, so many ... */
    STEPS_PER_INSN = 24,        /* ... and so many for an instruction */
    /* a run ends where all warps might have come through the code twice, and each made so many
     * steps more, without a request that is new */
    QUIET_FLOOR = 1 << 8,
    MAX_STAYS = 4,             /* SimConfig.most_stays */
    TRIES_FLOOR = 1 << 12,      /* Trace.tries_left: some 2 ms ... */
    TRIES_PER_INSN = 64,
};

/* Of a machine's runs. */
typedef struct Recorder {
    Observer observer;
    Machine *machine;
    Trace *trace;
    uint64_t end;               /* steps: of all that may be made */
    uint64_t quiet;             /* of a warp, without anything new */
    uint32_t warps;             /* that run */
    uint64_t replayed;          /* steps of blocks that others stood for */
    uint64_t begun;             /* steps at the begin of the block */
    BlockLog logs[MAX_LOGS];
    uint32_t log_count, logs_left;
    BlockLog *log;              /* of the block that runs; NULL: it stands for none */
} Recorder;

/* ---- recording ------------------------------------------------------------------------------- */

static uint64_t access_key(const Trace *t, const Func *func, InsnId insn, Space space)
{
    return (uint64_t)(func - t->module->funcs) << 32 | 2 * insn | (space == SPACE_GLOBAL);
}

/* The kernel's own, which are nearly all. */
static uint32_t *kernel_access(const Trace *t, const Func *func, InsnId insn, Space space)
{
    return func == t->kernel ? &t->of_kernel[2 * (size_t)insn + (space == SPACE_GLOBAL)] : NULL;
}

/* Of an access that was recorded, + 1; 0: it was not. */
static uint32_t access_number(const Trace *t, const Func *func, InsnId insn, Space space)
{
    const uint32_t *own = kernel_access(t, func, insn, space);
    return own ? *own : ptx_hash_map_get(&t->access_of, access_key(t, func, insn, space));
}

static TracedAccess *access_of(Trace *t, const Func *func, const Insn *insn, Space space)
{
    const InsnId id = (InsnId)(insn - func->insns);
    uint32_t *index = kernel_access(t, func, id, space);
    if (!index)
        index = ptx_hash_map_at(&t->access_of, t->arena, access_key(t, func, id, space));
    if (*index)
        return &t->accesses[*index - 1];
    if (t->access_count == t->access_capacity)
        t->accesses = ptx_arena_grow(t->arena, t->accesses, t->access_count, &t->access_capacity,
                                     sizeof *t->accesses);
    t->accesses[t->access_count] = (TracedAccess){
        .func = func, .insn = insn, .space = (uint8_t)space, .low = UINT64_MAX, .param = NO_ID
    };
    *index = ++t->access_count;
    return &t->accesses[t->access_count - 1];
}

static uint32_t hash_of(const Traced *request)
{
    const uint64_t *at = request->addresses;    /* what differs in few lanes alone is rare */
    uint64_t h = ptx_hash_mix((uint64_t)request->access << 32 | request->request.lanes);
    h = ptx_hash_mix(h ^ at[0] ^ at[1] << 16 ^ at[WARP_LANES - 1] << 32);
    return (uint32_t)ptx_hash_mix(h ^ request->block ^ (uint64_t)request->warp << 56 ^ at[7] << 16
                                  ^ at[16] << 32);
}

static bool is_same(const void *owner, uint32_t number, const void *key)
{
    const Traced *a = ((const Trace *)owner)->traced[number - 1], *b = key;
    return a->access == b->access && a->block == b->block && a->warp == b->warp
           && a->request.lanes == b->request.lanes && a->request.bytes == b->request.bytes
           && !a->request.from && !b->request.from
           && !memcmp(a->addresses, b->addresses, sizeof a->addresses);
}

static Traced *keep(Trace *t, TracedAccess *access, const Traced *made)
{
    Traced *kept = t->traced[t->traced_count++] = ptx_arena_new(t->arena, Traced);
    *kept = *made;
    kept->request.addresses = kept->addresses;
    if (made->request.from) {
        uint64_t *from = ptx_arena_array(t->arena, uint64_t, WARP_LANES);
        memcpy(from, made->request.from, sizeof kept->addresses);
        kept->request.from = from;
    }
    if (access->last)
        access->last->next = kept;
    else
        access->first = kept;
    access->last = kept;
    access->count++;
    kept->times++;
    return kept;
}

static uint64_t steps_done(const Recorder *r)
{
    return ptx_machine_steps(r->machine) + r->replayed;
}

/* Steps that may be made in all from here on. */
static void allow(Recorder *r, uint64_t steps)
{
    r->end = steps_done(r) + steps;
    const uint64_t quiet = r->quiet * r->warps;
    ptx_machine_allow(r->machine, steps < quiet ? steps : quiet);
}

static uint64_t steps_left(const Recorder *r)
{
    const uint64_t done = steps_done(r);
    return done < r->end ? r->end - done : 0;
}

static void note_extent(TracedAccess *access, uint64_t low, uint64_t high)
{
    access->low = ptx_u64_min(access->low, low);
    access->high = ptx_u64_max(access->high, high);
}

static void find_request_extent(BlockRequest *request)
{
    request->low = UINT64_MAX;
    request->high = 0;
    for (uint32_t left = request->made->request.lanes; left; left &= left - 1) {
        const uint64_t at = request->made->addresses[__builtin_ctz(left)];
        request->low = ptx_u64_min(request->low, at);
        request->high = ptx_u64_max(request->high, at + request->made->request.bytes);
    }
}

/* No more distinct requests of it are kept. */
static bool keeps_no_more(const Trace *t, const TracedAccess *access)
{
    return access->count >= MAX_OF_ACCESS || t->traced_count >= MAX_TRACED;
}

static void note_left_out(const Trace *t, TracedAccess *access)
{
    access->is_part = true;
    access->is_full |= !t->block;
}

/* Whether it is new. */
static bool add_times(Trace *t, TracedAccess *access, BlockRequest *out)
{
    const Traced *made = out->made;
    uint32_t *number = ptx_hash_find(&t->table, hash_of(made), is_same, t, made);
    const uint64_t low = access->low, high = access->high;
    out->kept = *number ? t->traced[*number - 1] : NULL;
    if (out->kept) {
        out->kept->times++;
        return false;
    }
    find_request_extent(out);
    note_extent(access, out->low, out->high);
    if (keeps_no_more(t, access)) {
        note_left_out(t, access);
        return access->low != low || access->high != high;
    }
    out->kept = keep(t, access, made);
    *number = t->traced_count;
    return true;
}

/* The first requests of each warp stand for the later ones; how many it made. */
static bool takes_turn(Trace *t, TracedAccess *access, uint32_t warp)
{
    if (!access->turns)
        access->turns = ptx_arena_array(t->arena, uint16_t, t->warp_count);
    bool is_early = access->turns[warp] < MAX_TURNS;
    access->turns[warp] = (uint16_t)(access->turns[warp] + is_early);
    access->is_part |= !is_early;
    return is_early;
}

/* Whether it says anything new. */
static bool record_placed(Trace *t, TracedAccess *access, BlockRequest *out)
{
    out->is_global = access->space == SPACE_GLOBAL;
    out->is_late = out->is_global && !takes_turn(t, access, out->warp);
    if (out->is_late)
        return false;
    out->made->block = out->is_global ? t->block : 0;
    out->made->warp = out->is_global ? out->warp : 0;
    return add_times(t, access, out) || out->is_global;
}

static Traced made_of(const RequestEvent *e, uint32_t access)
{
    Traced made = { .request = *e->request, .access = access };
    ptx_value_places(e->address, made.addresses);
    for (unsigned i = 0; i < WARP_LANES && made.request.lanes != UINT32_MAX; i++)
        made.addresses[i] &= 0 - (uint64_t)(made.request.lanes >> i & 1);
    return made;
}

/* Whether it says anything new; out: what was asked for. */
static bool record(Trace *t, const LoggedRequest *n, BlockRequest *out)
{
    const Space space = (Space)n->event->space;
    const Value *address = n->event->address;
    TracedAccess *access = access_of(t, n->event->func, n->event->insn, space);
    const bool is_first = access->times++ == 0;
    access->is_assumed |= address->is_assumed || n->note;
    out->is_placed = ptx_value_is_place(address, n->event->request->lanes, space == SPACE_GLOBAL);
    out->access = (uint32_t)(access - t->accesses);
    if (!out->is_placed) {
        access->is_unknown = true;
        return is_first;
    }
    *out->made = made_of(n->event, out->access);
    return record_placed(t, access, out);
}

static void take_logged(void *self, const LoggedRequest *n, uint32_t warp, double share)
{
    Recorder *r = self;
    Traced own = { .access = 0 };
    BlockRequest made = { .made = &own,
                          .warp = warp,
                          .count = n->event->count,
                          .doubt = n->note };
    (void)share;
    const bool is_new = record(r->trace, n, &made);
    made.is_new = is_new && n->event->space == SPACE_GLOBAL && made.is_placed;
    made.after = ptx_machine_steps(r->machine) - r->begun;
    if (r->log)
        ptx_block_log_add(r->log, ptx_machine_blocks(r->machine), n->event->address, &made);
    if (is_new)
        allow(r, steps_left(r));
}

static void take_request(void *self, Warp *w, const RequestEvent *e)
{
    const Recorder *recorder = self;
    const LoggedRequest noted = { .observer = &recorder->observer,
                                  .event = e,
                                  .note = e->count->doubt };
    if (e->space == SPACE_SHARED || e->space == SPACE_GLOBAL || e->space == SPACE_GENERIC)
        ptx_request_log_emit(recorder->machine, w, &noted);
}

const TracedAccess *ptx_trace_find(const Trace *t, const Func *func, InsnId insn, Space space)
{
    const uint32_t index = access_number(t, func, insn, space);
    return index ? &t->accesses[index - 1] : NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

/* One from inside, the first, the last; then the others, one after the other. */
/* The index-th to be traced: one inside of the grid, the first, the last, then those between. */
static uint64_t traced_block(uint64_t index, uint64_t inside, uint64_t blocks)
{
    if (index == 0)
        return inside;
    if (index == 1)
        return 0;
    if (index == 2)
        return blocks - 1;
    return index - 2 + (index - 2 >= inside);
}

static void choose_block(const uint32_t grid[3], uint64_t index, uint32_t at[3])
{
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    uint64_t inside = grid[0] / 2
                      + (uint64_t)grid[0] * (grid[1] / 2 + (uint64_t)grid[1] * (grid[2] / 2));
    uint64_t which = traced_block(index, inside, blocks);
    at[0] = (uint32_t)(which % grid[0]);
    at[1] = (uint32_t)(which / grid[0] % grid[1]);
    at[2] = (uint32_t)(which / grid[0] / grid[1]);
}

static void forget(Trace *t)
{
    t->access_of = (HashMap){ 0 };
    memset(t->of_kernel, 0, 2 * (size_t)t->kernel->insn_count * sizeof *t->of_kernel);
    memset(t->table.slots, 0, ((size_t)t->table.mask + 1) * sizeof *t->table.slots);
    t->access_count = t->traced_count = 0;
}

/* A warp of the first block without the others. Whether it came to its end. */
static bool run_alone(Recorder *r, const SimShape *shape, uint32_t warp, uint64_t share)
{
    uint32_t at[3];
    r->trace->block = 0;
    r->warps = 1;
    choose_block(shape->grid, 0, at);
    allow(r, share);
    return ptx_machine_run(r->machine, at, warp, 1);
}

/* The steps did not do for one block: its warps get as many each, so that none is left out. */
static void run_apart(Recorder *r, const SimShape *shape, uint32_t first, uint64_t share)
{
    for (uint32_t w = first; w < r->trace->warp_count; w++)
        run_alone(r, shape, w, share);
    r->trace->is_cut = true;
}

/* The block would come to its end within the steps that it may make. */
static bool is_within(const Recorder *r, const BlockLog *log)
{
    const uint64_t quiet = r->quiet * r->warps;
    return log->steps < steps_left(r) && log->head < ptx_machine_steps_left(r->machine)
           && log->widest < quiet && log->tail < quiet;
}

/* Where it lies once moved, of a request that is not kept. False: some lane passes the end of what
 * addresses may be, and others do not. */
static bool note_moved_extent(TracedAccess *access, BlockRequest *from, uint64_t by)
{
    if (!from->high)
        find_request_extent(from);
    const uint64_t low = ptx_request_place(from->low + by),
                   high = ptx_request_place(from->high + by);
    if (high - low != from->high - from->low || high < low)
        return false;
    note_extent(access, low, high);
    return true;
}

/* Of a block that the log stands for; what is at its limit and has kept nothing of the block yet is
 * not compared with what is kept. */
static void replay_request(Trace *t, const BlockLog *log, BlockRequest *from, const uint32_t at[3])
{
    TracedAccess *access = &t->accesses[from->access];
    access->times++;
    if (!from->is_placed || (from->is_global && !takes_turn(t, access, from->warp)))
        return;
    const uint64_t by = ptx_block_log_way(log, from, at);
    if (!from->is_global && !by) {
        if (from->kept)
            from->kept->times++;
        return;
    }
    const bool is_apart = !access->last || access->last->block != t->block;
    if (from->is_global && is_apart && keeps_no_more(t, access)
        && note_moved_extent(access, from, by)) {
        note_left_out(t, access);
        return;
    }
    Traced made = ptx_block_log_move(from, by);
    made.block = from->is_global ? t->block : 0;
    add_times(t, access, &(BlockRequest){ .made = &made, .warp = from->warp });
}

static void replay(Recorder *r, const BlockLog *log, const uint32_t at[3])
{
    for (uint32_t i = 0; i < log->count; i++)
        replay_request(r->trace, log, &log->requests[i], at);
    r->replayed += log->steps;
    const uint64_t left = steps_left(r), quiet = r->quiet * r->warps - log->tail;
    ptx_machine_allow(r->machine, left < quiet ? left : quiet);
}

/* Whether it came to its end. What it is like is kept for the blocks behind it. */
static bool run_for_others(Recorder *r, const SimShape *shape, const uint32_t at[3])
{
    static const uint32_t one[3] = { 1, 1, 1 };
    const uint32_t *grid = shape->grid,
                   left[3] = { grid[0] - at[0], grid[1] - at[1], grid[2] - at[2] };
    Blocks blocks = ptx_blocks_new(at, one, left);
    r->log = &r->logs[r->log_count++];
    r->logs_left--;
    r->begun = ptx_machine_steps(r->machine);
    const bool is_whole = ptx_machine_run_for(r->machine, &blocks, 0, r->trace->warp_count);
    ptx_block_log_close(r->log, &blocks, ptx_machine_steps(r->machine) - r->begun);
    r->log->is_lost |= !is_whole;
    r->log = NULL;
    return is_whole;
}

static bool take_block(Recorder *r, const SimShape *shape, const uint32_t at[3])
{
    for (uint32_t i = 0; i < r->log_count; i++)
        if (ptx_block_log_has(&r->logs[i], at) && is_within(r, &r->logs[i])) {
            replay(r, &r->logs[i], at);
            return true;
        }
    if (shape->grid_is_assumed || !r->logs_left)
        return ptx_machine_run(r->machine, at, 0, r->trace->warp_count);
    return run_for_others(r, shape, at);
}

static void run_blocks(Recorder *r, const SimShape *shape, uint64_t most_steps)
{
    Trace *t = r->trace;
    r->warps = t->warp_count;
    const double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    const uint32_t most = shape->grid_is_assumed ? 1 : MAX_BLOCKS;
    bool is_cut = false;
    allow(r, most_steps);
    for (t->block = 0; t->block < blocks && t->block < most && !is_cut; t->block++) {
        uint32_t at[3];
        const uint64_t before = steps_done(r);
        choose_block(shape->grid, t->block, at);
        for (uint32_t a = 0; a < t->access_count; a++)
            if (t->accesses[a].turns)
                memset(t->accesses[a].turns, 0, t->warp_count * sizeof *t->accesses[a].turns);
        is_cut = !take_block(r, shape, at);
        if (steps_done(r) - before > steps_left(r))
            allow(r, 0);        /* one like it would be cut */
    }
    t->is_whole = t->block >= blocks && !is_cut;
    if (is_cut && t->block <= 1) {
        const uint64_t share = r->end / t->warp_count;
        forget(t);
        run_apart(r, shape, 0, share);
    }
}

/* Whether its last warp and its first were cut, each alone; what is kept is of the first, and
 * nothing if not. Of independent warps one stands for others where all are run. */
static bool are_ends_cut(Recorder *r, const SimShape *shape, uint64_t share)
{
    bool is_cut = !run_alone(r, shape, r->trace->warp_count - 1, share);
    forget(r->trace);
    if (!is_cut || ptx_machine_warps_are_independent(r->machine))
        return false;
    is_cut = !run_alone(r, shape, 0, share);
    if (!is_cut)
        forget(r->trace);
    return is_cut;
}

/* Where the evaluation found a block to make more steps than are allowed, and the last warp and
 * the first do not come to their ends in their part of them, the block would be cut, and run for
 * nothing. */
static void trace_requests(Recorder *r, const SimShape *shape, const Evaluation *evaluation,
                           uint64_t most_steps)
{
    Trace *t = r->trace;
    const uint64_t share = most_steps / t->warp_count;
    const double steps = shape->grid_is_assumed ? evaluation->mean_work * t->warp_count
                                                : evaluation->mean_work;
    const bool may_be_cut = steps > (double)most_steps;
    if (evaluation->is_cut || 2 * steps > (double)most_steps)
        r->logs_left = 0;       /* there is no time for a block like it */
    if (shape->grid_is_assumed && t->warp_count > 2 && may_be_cut
        && are_ends_cut(r, shape, share))
        run_apart(r, shape, 1, share);
    else
        run_blocks(r, shape, most_steps);
}

/* .maxntid of one number says how many threads there are, and nothing of their shape. */
static void take_square(Machine *m)
{
    const SimShape shape = ptx_machine_shape(m);
    const uint32_t square[3] = { WARP_LANES, shape.block[0] / WARP_LANES, 1 };
    if (shape.block[0] % WARP_LANES == 0 && shape.block[1] == 1 && shape.block[2] == 1)
        ptx_machine_reshape(m, square);
}

static void note_machine(Trace *t, const Machine *m, const SimShape *shape)
{
    const uint32_t func_count = ptx_machine_func_count(m);
    const SharedLayout *shared = ptx_machine_shared_layout(m);
    t->funcs = ptx_arena_array(t->arena, const Func *, func_count + 1);
    for (uint32_t i = 0; i < func_count; i++)
        t->funcs[t->func_count++] = ptx_machine_func_at(m, i).func;
    if (shared)
        t->shared = ptx_shared_layout_copy(t->arena, shared);
    t->shared_bytes = ptx_machine_shared_bytes(m);
    t->block_is_assumed = shape->block_is_assumed;
    memcpy(t->threads, shape->block, sizeof t->threads);
}

/* ---- the whole ------------------------------------------------------------------------------- */

const Trace *ptx_trace_make(const KernelRun *run, const Gpu *gpu, const Evaluation *evaluation)
{
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    Arena *arena = run->arena, *work = run->work;
    const Module *module = ptx_program_module(run->program);
    const Func *func = &module->funcs[run->kernel];
    if (!func->has_body || !func->insn_count || func->has_syntax_error)
        return NULL;
    Trace *t = ptx_arena_new(arena, Trace);
    *t = (Trace){ .arena = arena,
                  .module = module,
                  .gpu = gpu,
                  .kernel = func,
                  .untraced = { .arena = arena },
                  .of_kernel = ptx_arena_array(arena, uint32_t, 2 * (size_t)func->insn_count) };
    ptx_hash_init(&t->table, arena, MAX_TRACED);
    t->traced = ptx_arena_array(arena, Traced *, MAX_TRACED);
    ArenaMark mark = ptx_arena_mark(work);
    Machine *m = ptx_machine_new(work, run->scratch, run->program, run->kernel,
                                 run->launch ? run->launch : &nothing);
    if (ptx_machine_shape(m).block_is_assumed && func->bounds.maxntid[1] <= 1
        && !evaluation->is_row)
        take_square(m);
    const SimShape shape = ptx_machine_shape(m);
    const bool is_exact = !shape.block_is_assumed && !shape.grid_is_assumed
                          && (double)shape.grid[0] * shape.grid[1] * shape.grid[2] <= MAX_BLOCKS;
    Recorder recorder = { .observer = { .self = &recorder,
                                        .request = take_request,
                                        .lost = take_request,
                                        .logged = take_logged },
                          .machine = m,
                          .trace = t,
                          .quiet = QUIET_FLOOR + 2 * (uint64_t)func->insn_count,
                          .logs_left = MAX_LOGS };
    for (unsigned i = 0; i < MAX_LOGS; i++)
        recorder.logs[i].arena = work;
    Price price;
    if (is_exact)               /* else no proposal is */
        ptx_price_attach(&price, m, gpu);
    ptx_machine_observe(m, &recorder.observer);
    t->warp_count = shape.warp_count < MAX_WARPS ? shape.warp_count : MAX_WARPS;
    ptx_machine_config(m)->most_stays = MAX_STAYS;
    trace_requests(&recorder, &shape, evaluation,
                   shape.grid_is_assumed ? STEPS_FLOOR + STEPS_PER_INSN * (uint64_t)func->insn_count
                                         : MAX_STEPS);
    note_machine(t, m, &shape);
    ptx_arena_release(work, mark);
    ptx_trace_find_untraced(t, run);
    t->tries = TRIES_FLOOR + TRIES_PER_INSN * func->insn_count;
    return ptx_trace_again(arena, t);
}

const Trace *ptx_trace_again(Arena *arena, const Trace *trace)
{
    Trace *t = ptx_arena_new(arena, Trace);
    *t = *trace;
    t->tries_left = ptx_arena_new(arena, uint32_t);
    *t->tries_left = t->tries;
    return t;
}
