#include "analysis/race/hazard.h"

#include "analysis/value/points_to.h"
#include "analysis/race/lost_update.h"
#include "analysis/race/repair.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/race/search.h"
#include "analysis/sim/race/race.h"
#include "analysis/sim/sim.h"
#include "analysis/value/launch.h"
#include "support/demangle.h"
#include "support/arena.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/block_stride.h"
#include "support/minmax.h"

#include <stdio.h>

enum {
    /* instructions of each warp where the launch is not given: so many, and one for each of the
     * kernel; */
    STEPS_FLOOR = 128,
    /* half of that for more warps where the shape of the block is not; */
    WARPS_FEW = 2,
    STEPS_LAUNCH = 1 << 18,     /* where it is */
    MAX_STAYS_ASSUMED = 4,
    MAX_GRANULES = 5,          /* 16 bytes to 1 */
    MAX_HAZARDS = 32,
    MAX_POSSIBLE = 4,
    MAX_UPDATES = 16,
    MAX_TRIED_RUNS = 4,        /* without barriers, as long as runs may be */
    MAX_THREADS = 1024,
    MAX_REDUNDANT = 32,        /* barriers that are tried */
    MAX_BLOCKS = 16,
    /* from this target on lanes of a warp need not run together: CUDA C++ Programming Guide,
     * "Independent Thread Scheduling" */
    INDEPENDENT_LANES = 70,
};

/* ---- whether there is anything to look at ---------------------------------------------------- */

/* Something writes shared memory, or may, and a barrier says that there is more than a warp; with a
 * launch one of them will do. */
static bool is_worth(const Func *func, const Launch *launch)
{
    bool writes = false, has_barrier = false;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        bool is_shared_op = ptx_space_is_shared((Space)op->space) || op->space == SPACE_GENERIC;
        bool is_async = ptx_op_is_bulk(op) || op->family == OP_MBARRIER;
        writes |= (op->flags & OPF_STORE && is_shared_op) || op->kind == OPK_CP_ASYNC
                  || op->kind == OPK_CALL || is_async;
        has_barrier |= op->kind == OPK_BAR || op->kind == OPK_CALL || is_async;
    }
    return launch && launch->block[0] ? writes || has_barrier : writes && has_barrier;
}

/* ---- running --------------------------------------------------------------------------------- */

uint64_t ptx_search_steps(const Search *s)
{
    const SimShape *shape = &s->shape;
    const uint64_t few = shape->warp_count * (STEPS_FLOOR + (uint64_t)s->func->insn_count);
    if (!shape->grid_is_assumed)
        return STEPS_LAUNCH;
    return shape->block_is_assumed && shape->warp_count > WARPS_FEW ? few / 2 : few;
}

void ptx_search_run_block(Search *s, const uint32_t at[3])
{
    Race *r = s->race;
    r->puts = s->puts;
    r->put_count = s->put_count;
    for (unsigned tries = 0; tries < MAX_GRANULES; tries++) {
        ptx_machine_allow(s->machine, ptx_search_steps(s));
        ptx_machine_run(s->machine, at, 0, s->shape.warp_count);
        if (r->granule_wanted == r->granule)
            return;
    }
}

void ptx_search_run(Search *s)
{
    uint32_t at[3];
    for (unsigned d = 0; d < 3; d++)
        at[d] = s->shape.grid[d] / 2;
    ptx_search_run_block(s, at);
}

static void close_machine(Search *s)
{
    ptx_arena_release(s->work, s->mark);
}

/* A machine with blocks of that shape, NULL: of the one that is given or assumed. */
static void open_machine(Search *s, const uint32_t shape[3])
{
    Launch *launch = ptx_arena_new(s->work, Launch);
    *launch = s->launch;
    if (shape)
        memcpy(launch->block, shape, sizeof launch->block);
    s->machine = ptx_machine_new(s->work, s->scratch, s->program, s->kernel, launch);
    if (shape)
        ptx_machine_assume_block(s->machine);
    s->shape = ptx_machine_shape(s->machine);
    if (s->shape.grid_is_assumed)
        ptx_machine_config(s->machine)->most_stays = MAX_STAYS_ASSUMED;
    s->race = ptx_race_new(s->machine, s->orders);
    s->race->is_trial = s->is_trial;
}

/* A run with that shape in place of the one in hand. */
void ptx_search_try_shape(Search *s, const uint32_t shape[3])
{
    close_machine(s);
    open_machine(s, shape);
    ptx_search_run(s);
}

/* ---- what is reported ------------------------------------------------------------------------ */

static void set_thread(const Search *s, uint32_t thread, uint32_t out[3])
{
    const uint32_t *block = s->shape.block;
    out[0] = thread % block[0];
    out[1] = thread / block[0] % block[1];
    out[2] = thread / block[0] / block[1];
}

static HazardAccess access_of(const Search *s, const Seen *seen)
{
    const Site *site = &s->race->sites[seen->site];
    bool is_own = site->func == s->func;
    HazardAccess access = { .func = site->func,
                            .insn = site->insn,
                            .place = is_own ? site->insn : NO_ID,
                            .loops = { NO_ID, NO_ID },
                            .is_write = seen->is_write,
                            .is_by_data = seen->is_by_data,
                            .queue = seen->queue };
    set_thread(s, seen->thread, access.thread);
    return access;
}

static uint8_t level_of(const Search *s, const Seen *seen)
{
    const Site *site = &s->race->sites[seen->site];
    const SimFunc ran = ptx_machine_func(s->machine, (FuncId)(site->func - s->module->funcs));
    const uint8_t doubt = ran.counts[site->insn].doubt;
    uint8_t level = RACE_CERTAIN;
    if (doubt >= UNCERTAIN_PARAMETER)
        level = doubt >= UNCERTAIN_DATA ? RACE_DATA : RACE_GUESSED;
    return level > seen->level ? level : seen->level;
}

static void find_variable(const Search *s, uint64_t address, Hazard *out)
{
    out->var = NO_ID;
    out->offset = address;
    for (uint32_t i = 0; i < ptx_machine_var_count(s->machine); i++) {
        const SimVar placed = ptx_machine_var(s->machine, i);
        const Var *var = &s->module->vars[placed.var];
        if (ptx_space_is_shared((Space)var->space) && placed.address <= address
            && (address - placed.address < var->bytes || !var->bytes)) {
            out->var = placed.var;
            out->offset = address - placed.address;
            return;
        }
    }
}

/* ---- evidence against a race ----------------------------------------------------------------- */

static const Operand *address_of(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS)
            return &operands[o];
    return NULL;
}

static bool loads_from(const Func *func, const Insn *load, const Operand *place)
{
    const Operand *from = load->op->kind == OPK_LD ? address_of(func, load) : NULL;
    return from && from->kind == place->kind && from->id == place->id
           && from->value == place->value;
}

/* What wrote reg last of [first, end): a load from place, in *is_loaded. False: nothing did for
 * certain. */
static bool find_writer(const Func *func, InsnId first, InsnId end, RegId reg, const Operand *place,
                        bool *is_loaded)
{
    for (InsnId i = end; i-- > first && !*is_loaded;) {
        const Insn *insn = &func->insns[i];
        if (!ptx_insn_defines(func, insn, reg))
            continue;
        *is_loaded = loads_from(func, insn, place);
        if (insn->guard == NO_ID)
            return true;
    }
    return *is_loaded;
}

/* On some path it stores what was loaded from there: s[i] = c ? x : s[i]. Such a write is
 * not observable. */
static bool may_write_back(Arena *scratch, const Cfg *cfg, const Func *func, InsnId store)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[store]),
                  *place = address_of(func, &func->insns[store]), *value = NULL;
    for (unsigned o = 0; o < func->insns[store].operand_count && !value; o++)
        if (operands[o].position == 1 && operands[o].kind == OPERAND_REG)
            value = &operands[o];
    if (!value || !place)
        return false;
    ArenaMark mark = ptx_arena_mark(scratch);
    bool *is_seen = ptx_arena_array(scratch, bool, cfg->block_count), is_loaded = false;
    BlockId *open = ptx_arena_array(scratch, BlockId, cfg->block_count),
            block = cfg->block_of[store];
    uint32_t count = 0;
    /* backwards */
    for (InsnId end = store;; block = open[--count], end = cfg->blocks[block].end) {
        bool is_written = find_writer(func, cfg->blocks[block].first, end, value->id, place,
                                      &is_loaded);
        for (uint32_t p = 0; p < cfg->blocks[block].pred_count && !is_written; p++) {
            BlockId pred = cfg->preds[cfg->blocks[block].pred_first + p];
            if (!is_seen[pred])
                open[count++] = pred;
            is_seen[pred] = true;
        }
        if (is_loaded || !count)
            break;
    }
    ptx_arena_release(scratch, mark);
    return is_loaded;
}

/* The address is not in the variable that it is made from: what was assumed cannot be. */
static bool is_astray(const Search *s, const PointsToSet *bases, const HazardAccess *access,
                      uint64_t address)
{
    PointsTo base;
    uint64_t from;
    if (!ptx_points_to_of_access(bases, s->module, s->func, &s->func->insns[access->insn], &base)
        || base.kind != BASE_VAR || !ptx_machine_address(s->machine, base.id, &from))
        return false;
    const uint64_t bytes = s->module->vars[base.id].bytes;
    return address < from || (bytes && address - from >= bytes);
}

/* They stay as long as the machine. */
static const PointsToSet *bases_of(const Search *s)
{
    Race *r = s->race;
    if (!r->bases)
        r->bases = ptx_points_to_sets_compute(s->work, s->scratch, s->module, s->func);
    return r->bases;
}

static bool is_excused(const Search *s, const Hazard *h, uint64_t address)
{
    const HazardAccess *const accesses[] = { &h->first, &h->second };
    for (unsigned a = 0; a < 2; a++) {
        const Cfg *cfg =
            ptx_machine_func(s->machine, (FuncId)(accesses[a]->func - s->module->funcs)).cfg;
        if (accesses[a]->is_write
            && may_write_back(s->scratch, cfg, accesses[a]->func, accesses[a]->insn))
            return true;
    }
    if (h->certainty == CERTAINTY_EXACT)
        return false;
    if (h->first.func != s->func || h->second.func != s->func)
        return true;            /* what its callers pass is not known */
    const PointsToSet *bases = bases_of(s);
    return is_astray(s, bases, &h->first, address) || is_astray(s, bases, &h->second, address);
}

HazardKind ptx_search_kind(uint8_t queue)
{
    switch (queue) {
    case QUEUE_MATRIX: return HAZARD_MATRIX;
    case QUEUE_COPY:   return HAZARD_COPY;
    default:           return HAZARD_BULK;
    }
}

/* Of accesses that happen if data say so, where is_possible. */
static HazardKind kind_of_pair(const RacePair *pair, uint8_t queue)
{
    if (pair->is_unfenced)
        return HAZARD_PROXY;
    if (pair->is_open)
        return ptx_search_kind(queue);
    bool is_in_warp = pair->first.thread / WARP_LANES == pair->second.thread / WARP_LANES;
    return is_in_warp ? HAZARD_WARP : HAZARD_BLOCK;
}

bool ptx_search_make_hazard(const Search *s, const RacePair *pair, bool is_possible, Hazard *out)
{
    uint8_t first = level_of(s, &pair->first), second = level_of(s, &pair->second),
            level = first > second ? first : second;
    if ((level == RACE_DATA) != is_possible
        || (level == RACE_GUESSED && s->shape.block_is_assumed)) /* two guesses are one too many */
        return false;
    const uint8_t queue = pair->is_open && !pair->first.queue ? pair->second.queue
                                                              : pair->first.queue;
    HazardKind kind = kind_of_pair(pair, queue);
    bool are_copies = pair->is_open && pair->first.queue && pair->second.queue;
    if ((kind != HAZARD_BLOCK && is_possible)
        || (are_copies
            && level != RACE_CERTAIN)) /* a pitch that is taken for 0 lets them come to one place */
        return false;
    if (kind == HAZARD_WARP && (level != RACE_CERTAIN || s->module->target.sm < INDEPENDENT_LANES))
        return false;
    *out = (Hazard){ .first = access_of(s, &pair->first),
                     .second = access_of(s, &pair->second),
                     .kind = kind,
                     .queue = queue,
                     .is_committed = pair->is_committed,
                     .newer = pair->newer,
                     .certainty = level == RACE_CERTAIN && kind != HAZARD_WARP
                                      ? CERTAINTY_EXACT
                                      : CERTAINTY_ESTIMATE };
    find_variable(s, pair->address, out);
    return !is_excused(s, out, pair->address);
}

static bool is_found(const Search *s)
{
    Hazard made;
    for (uint32_t p = 0; p < s->race->pair_count; p++)
        if (ptx_search_make_hazard(s, &s->race->pairs[p], false, &made))
            return true;
    return false;
}

/* ---- the same accesses ----------------------------------------------------------------------- */

static bool is_one(const HazardAccess *a, const HazardAccess *b)
{
    return a->func == b->func && a->insn == b->insn;
}

bool ptx_search_are_alike(const Hazard *a, const Hazard *b)
{
    return (is_one(&a->first, &b->first) && is_one(&a->second, &b->second))
           || (is_one(&a->first, &b->second) && is_one(&a->second, &b->first));
}

static void set_place(const Search *s, const Watch *watch, HazardAccess *out)
{
    const SimFunc kernel = ptx_machine_func(s->machine, s->kernel);
    out->place = watch->place;
    LoopId loop = watch->place == NO_ID
                      ? NO_LOOP
                      : kernel.loops->loop_of[kernel.cfg->block_of[watch->place]];
    for (unsigned i = 0; i < 2 && loop != NO_LOOP; i++, loop = kernel.loops->loops[loop].parent) {
        out->loops[i] = kernel.cfg->blocks[kernel.loops->loops[loop].header].first;
        out->rounds[i] = watch->rounds[loop];
    }
}

/* Where in the kernel, and in which round of which loop: in a run like the one before. False: they
 * were not come to. */
static bool locate(Search *s, Seen first, Seen second, Hazard *h)
{
    Race *r = s->race;
    ArenaMark mark = ptx_arena_mark(s->scratch);
    const uint32_t loops = ptx_machine_func(s->machine, s->kernel).loops->loop_count;
    Watch watches[2] = {
        { .site = first.site, .turn = first.turn, .thread = first.thread, .place = NO_ID },
        { .site = second.site, .turn = second.turn, .thread = second.thread, .place = NO_ID }
    };
    for (unsigned i = 0; i < 2; i++)
        watches[i].rounds = ptx_arena_array(s->scratch, uint32_t, loops + 1);
    r->watches = watches;
    ptx_search_run(s);
    r->watches = NULL;
    set_place(s, &watches[0], &h->first);
    set_place(s, &watches[1], &h->second);
    ptx_arena_release(s->scratch, mark);
    return h->first.place != NO_ID && h->second.place != NO_ID;
}

/* The smaller the better: what is missing, and an access of a thread's own rather than one of the
 * tensor core, which is seen by its descriptor alone. */
static unsigned witness_rank(const Hazard *h)
{
    return 2u * h->kind + (h->first.queue == QUEUE_MATRIX || h->second.queue == QUEUE_MATRIX);
}

/* The surest that races; NULL: nothing does. */
static const RacePair *find_worst(const Search *s, bool is_possible, Hazard *h)
{
    const Race *r = s->race;
    const RacePair *worst = NULL;
    Hazard made;
    for (uint32_t p = 0; p < r->pair_count; p++)
        if (ptx_search_make_hazard(s, &r->pairs[p], is_possible, &made)
            && (!worst || witness_rank(&made) < witness_rank(h))) {
            *h = made;
            worst = &r->pairs[p];
        }
    return worst;
}

static bool is_turned(const Hazard *h)
{
    return h->first.place > h->second.place;
}

/* In the order of the text. */
static void turn(Hazard *h)
{
    HazardAccess first = h->first;
    h->first = h->second;
    h->second = first;
}

/* Accesses of the kernel's own that race if data let them happen: of one run, with the launch
 * given. */
static void collect_possible(const Search *s, Hazards *out, Hazard *items)
{
    const Race *r = s->race;
    for (uint32_t p = 0;
         p < r->pair_count && out->possible_count < MAX_POSSIBLE && !s->shape.grid_is_assumed;
         p++) {
        Hazard *h = &items[out->possible_count];
        if (!ptx_search_make_hazard(s, &r->pairs[p], true, h) || h->first.place == NO_ID
            || h->second.place == NO_ID)
            continue;
        if (is_turned(h))
            turn(h);
        out->possible_count++;
    }
    out->possible = items;
}

/* What a copy or multiplication reads is written behind it in the text: it may be that the
 * machine's order alone lets the write come first. */
static void find_reader(Hazard *h)
{
    const HazardAccess *second = &h->second;
    if (h->queue || (second->queue != QUEUE_BULK && second->queue != QUEUE_MATRIX)
        || second->place >= h->first.place)
        return;
    h->queue = second->queue;
    h->is_committed = true;
}

/* Barriers are put where they help, one after the other, until nothing races any more. */
static void collect(Search *s, Hazards *out, Hazard *items)
{
    uint32_t owned[MAX_HAZARDS] = { 0 };
    ptx_repair_begin(s);
    for (bool goes_on = true; goes_on && out->count < MAX_HAZARDS;) {
        Hazard *h = &items[out->count];
        const RacePair *pair = find_worst(s, false, h);
        if (!pair || !locate(s, pair->first, pair->second, h))
            break;
        find_reader(h);
        if (is_turned(h))
            turn(h);
        if (h->kind != HAZARD_PROXY)
            owned[out->count] = ptx_repair_find(s, h);
        goes_on = owned[out->count++] != 0;
    }
    ptx_repair_settle(s, items, owned, out->count);
    s->put_count = 0;
}

/* ---- mbarriers ------------------------------------------------------------------------------- */

/* Everything is known of who arrives: by the code and the launch alone, with no other block and no
 * unit of the SM that could. */
static bool is_certain(const Search *s)
{
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    bool is_certain = !s->shape.block_is_assumed && ptx_machine_is_complete(s->machine)
                      && !s->race->is_doubtful
                      && !s->race->has_others;
    for (InsnId i = 0; is_certain && i < s->func->insn_count; i++)
        is_certain = ran.counts[i].doubt < UNCERTAIN_PARAMETER;
    return is_certain;
}

static HazardAccess access_at(const Search *s, InsnId insn, uint32_t warp)
{
    const uint32_t *block = s->shape.block, thread = warp * WARP_LANES;
    return (HazardAccess){ .func = s->func,
                           .insn = insn,
                           .place = insn,
                           .loops = { NO_ID, NO_ID },
                           .thread = { thread % block[0], thread / block[0] % block[1],
                                       thread / block[0] / block[1] } };
}

/* Of the run that was made last. What races behind such a wait follows from it. */
static bool collect_waits(const Search *s, Hazards *out, Hazard *items)
{
    const StaleWait *stale = &s->race->stale;
    const Stuck *stuck = &s->race->stuck;
    /* with races, arrivals depend on the order of the warps */
    bool is_stuck = stuck->wait != NO_ID && !s->race->pair_count;
    if ((stale->wait == NO_ID && !is_stuck) || !is_certain(s))
        return false;
    Hazard *h = &items[out->count++];
    *h = (Hazard){ .kind = stale->wait != NO_ID ? HAZARD_STALE : HAZARD_STUCK,
                   .certainty = CERTAINTY_EXACT,
                   .wanted = stuck->wanted,
                   .pending = stuck->pending,
                   .owed = stuck->owed };
    h->first = h->kind == HAZARD_STALE ? access_at(s, stale->arrival, stale->warp)
                                       : access_at(s, stuck->made, stuck->warp);
    h->second = h->kind == HAZARD_STALE ? access_at(s, stale->wait, stale->warp)
                                        : access_at(s, stuck->wait, stuck->warp);
    find_variable(s, h->kind == HAZARD_STALE ? stale->address : stuck->address, h);
    return true;
}

/* ---- an unknown block size ------------------------------------------------------------------- */

/* Shapes that blocks often have, of several warps: a barrier is there for these. */
static const uint32_t rows[][3] = { { 64, 1, 1 }, { 128, 1, 1 }, { 512, 1, 1 }, { 1024, 1, 1 } };
static const uint32_t planes[][3] = { { 32, 8, 1 }, { 16, 16, 1 }, { 32, 4, 1 }, { 32, 32, 1 },
                                      { 8, 8, 1 },  { 64, 4, 1 },  { 16, 8, 1 }, { 32, 2, 1 } };

/* What holds in all shapes holds in a small one, which takes the least time. */
static bool may_hold(Search *s)
{
    static const uint32_t row[3] = { WARPS_FEW * WARP_LANES, 1, 1 },
                          plane[3] = { WARP_LANES, WARPS_FEW, 1 };
    if (s->shape.warp_count < WARPS_FEW)
        return true;
    ptx_search_try_shape(s, ptx_func_takes_row(s->func) ? row : plane);
    return s->race->is_crowded || is_found(s);
}

/* In every shape in which the kernel can be meant, so that whatever it is launched with, the
 * barrier is missing. Leaves the machine with one of them. */
static bool holds_for_all(Search *s)
{
    bool is_row = ptx_func_takes_row(s->func), is_possible = false, holds = true;
    size_t count = is_row ? sizeof rows / sizeof *rows : sizeof planes / sizeof *planes;
    uint32_t most = s->func->bounds.maxntid[0]
                        ? s->shape.block[0] * s->shape.block[1] * s->shape.block[2]
                        : MAX_THREADS;
    const uint32_t *shown = NULL;
    s->is_trial = true;
    if (!may_hold(s))
        return false;
    if (is_row || s->func->bounds.maxntid[1] > 1) {
        ptx_search_try_shape(s, NULL);
        is_possible = !s->race->is_crowded;
        holds = !is_possible || is_found(s);
        s->shapes[0] = NULL;
        s->shape_count = is_possible;
    }
    for (size_t i = 0; holds && i < count; i++) {
        const uint32_t *shape = (is_row ? rows : planes)[i];
        if (shape[0] * shape[1] * shape[2] > most)
            continue;
        ptx_search_try_shape(s, shape);
        if (s->race->is_crowded)
            continue;
        shown = is_possible ? shown : shape;
        is_possible = true;
        holds = is_found(s);
        s->shapes[s->shape_count++] = shape;
    }
    if (!holds || !is_possible)
        return false;
    s->is_trial = false;
    ptx_search_try_shape(s, shown);
    return true;
}

/* ---- barriers that nothing needs ------------------------------------------------------------- */

static bool is_global_write(const Op *op)
{
    bool writes = op->flags & OPF_STORE || op->kind == OPK_ST || op->kind == OPK_ATOM
                  || op->kind == OPK_RED;
    return writes && !ptx_space_is_shared((Space)op->space) && op->space != SPACE_LOCAL
           && op->space != SPACE_PARAM && op->space != SPACE_PARAM_FUNC;
}

/* A barrier orders accesses to global memory too; fences, and what orders by other means, show
 * that other threads read them. */
static bool has_other_use(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        if (op->family == OP_MEMBAR || op->family == OP_FENCE || op->kind == OPK_CALL)
            return true;
    }
    return false;
}

static bool is_global_read(const Op *op)
{
    return (op->kind == OPK_LD || op->kind == OPK_CP_ASYNC) && !ptx_op_has(op, MOD_NC)
           && (op->kind == OPK_CP_ASYNC || op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC);
}

/* The parameter or variable that an access starts from; of a copy, where it reads. False: not
 * known. */
static bool find_base(const Search *s, const PointsToSet *bases, const Insn *insn, uint32_t *out)
{
    PointsTo base;
    bool is_known = insn->op->kind != OPK_CP_ASYNC
                    && ptx_points_to_of_access(bases, s->module, s->func, insn, &base)
                    && (base.kind == BASE_VAR || base.kind == BASE_PARAM);
    *out = is_known ? base.id : NO_ID;
    return is_known;
}

/* Per instruction: it writes global memory, or reads what some instruction may write, by the
 * pointer that both start from: a barrier may keep such accesses in order too. */
static bool *mark_global(const Search *s)
{
    const Func *func = s->func;
    const PointsToSet *bases = bases_of(s);
    bool *marks = ptx_arena_array(s->work, bool, func->insn_count),
         *is_written = ptx_arena_array(s->work, bool, s->module->var_count + 1),
         is_any_written = false, is_any = false;
    uint32_t base;
    for (InsnId i = 0; i < func->insn_count; i++) {
        marks[i] = is_global_write(func->insns[i].op);
        is_any |= marks[i];
        if (marks[i] && find_base(s, bases, &func->insns[i], &base))
            is_written[base] = true;
        else
            is_any_written |= marks[i];
    }
    for (InsnId i = 0; i < func->insn_count; i++)
        if (is_global_read(func->insns[i].op))
            marks[i] |= find_base(s, bases, &func->insns[i], &base)
                            ? is_any_written || is_written[base]
                            : is_any;
    return marks;
}

/* Per block: an access that is marked may have come before its end, and before its beginning. */
static void spread_marks(const Cfg *cfg, const bool *marks, bool *behind, bool *before)
{
    for (BlockId b = 0; b < cfg->block_count; b++)
        for (InsnId i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++)
            behind[b] |= marks[i];
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t n = 0; n < cfg->rpo_count; n++) {
            BlockId b = cfg->rpo[n];
            for (uint32_t e = 0; behind[b] && e < cfg->blocks[b].succ_count; e++) {
                BlockId to = cfg->succs[cfg->blocks[b].succ_first + e];
                if (to == EXIT_BLOCK || before[to])
                    continue;
                before[to] = behind[to] = has_changed = true;
            }
        }
    }
}

static bool follows_mark(const Cfg *cfg, const bool *marks, const bool *before, InsnId barrier)
{
    BlockId block = cfg->block_of[barrier];
    bool follows = before[block];
    for (InsnId i = cfg->blocks[block].first; i < barrier; i++)
        follows |= marks[i];
    return follows;
}

/* The run says of each access where it lies and that it happens, and nothing is unordered. */
static bool is_clean(const Search *s)
{
    const Race *r = s->race;
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    bool is_clean = !r->pair_count && !r->is_lost && !r->is_blind && !r->is_doubtful
                    && !r->is_overwritten && !(r->has_dropped && r->is_partial)
                    && ptx_machine_is_complete(s->machine);
    for (InsnId i = 0; is_clean && i < s->func->insn_count; i++)
        is_clean = ran.counts[i].doubt < UNCERTAIN_PARAMETER;
    return is_clean && r->granule_wanted == r->granule;
}

/* The same of every block: one run that stands for all, or, of few, a run of each. */
static bool is_clean_everywhere(Search *s)
{
    static const uint32_t first[3] = { 0, 0, 0 }, one[3] = { 1, 1, 1 };
    const uint32_t *grid = s->shape.grid;
    Blocks blocks = ptx_blocks_new(first, one, grid);
    const double count = ptx_blocks_size(&blocks);
    ptx_machine_allow(s->machine, ptx_search_steps(s));
    ptx_machine_run_for(s->machine, &blocks, 0, s->shape.warp_count);
    if (!is_clean(s))
        return false;
    bool stands_for_all = ptx_blocks_size(&blocks) >= count;
    for (uint32_t b = 1; !stands_for_all && count <= MAX_BLOCKS && b < count; b++) {
        const uint32_t at[3] = { b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1] };
        ptx_machine_run(s->machine, at, 0, s->shape.warp_count);
        if (!is_clean(s))
            return false;
    }
    return stands_for_all || count <= MAX_BLOCKS;
}

static bool is_plain_barrier(const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_BAR && ptx_op_has(op, MOD_SYNC) && !ptx_op_has(op, MOD_WARP)
           && insn->guard == NO_ID;
}

/* Each in turn is passed by, with those before it that nothing needs: all together may go. */
static void find_redundant(Arena *arena, Search *s, Hazards *out)
{
    const Machine *m = s->machine;
    const Func *func = s->func;
    if (s->shape.block_is_assumed || s->shape.grid_is_assumed || has_other_use(func)
        || !is_clean(s))
        return;
    const Cfg *cfg = ptx_machine_func(s->machine, s->kernel).cfg;
    bool *behind = ptx_arena_array(s->work, bool, cfg->block_count),
         *before = ptx_arena_array(s->work, bool, cfg->block_count);
    InsnId *found = ptx_arena_array(arena, InsnId, MAX_REDUNDANT);
    const uint64_t most = ptx_machine_steps(m) + MAX_TRIED_RUNS * ptx_search_steps(s);
    uint32_t tried = 0;
    const bool *marks = mark_global(s);
    spread_marks(cfg, marks, behind, before);
    s->race->func = func;
    s->race->left_out = ptx_arena_array(s->work, bool, func->insn_count);
    for (InsnId i = 0;
         i < func->insn_count && tried < MAX_REDUNDANT && ptx_machine_steps(m) < most; i++) {
        bool is_executed = ptx_machine_func(s->machine, s->kernel).counts[i].warps > 0;
        if (!is_plain_barrier(&func->insns[i]) || !is_executed
            || follows_mark(cfg, marks, before, i))
            continue;
        tried++;
        s->race->left_out[i] = true;
        s->race->left_out[i] = is_clean_everywhere(s);
        if (s->race->left_out[i])
            found[out->redundant_count++] = i;
    }
    out->redundant = found;
}

/* ---- barriers that threads wait at without others -------------------------------------------- */

/* Nothing of what runs is in doubt. */
static bool is_sure(const Machine *m)
{
    for (uint32_t r = 0; r < ptx_machine_func_count(m); r++) {
        const SimFunc ran = ptx_machine_func_at(m, r);
        for (InsnId i = 0; i < ran.func->insn_count; i++)
            if (ran.counts[i].doubt >= UNCERTAIN_PARAMETER)
                return false;
    }
    return true;
}

static const Divergence *find_divergence(Arena *arena, const Search *s)
{
    const Parting *p = &s->race->parting;
    bool parts = p->at.func && p->gone & p->others,
         hangs = !parts && s->race->stops[0].func && is_sure(s->machine);
    if (s->shape.block_is_assumed || (!parts && !hangs))
        return NULL;
    const Stop *at = parts ? &p->at : &s->race->stops[0];
    const Stop *other = parts ? &p->other : &s->race->stops[1];
    Divergence *out = ptx_arena_new(arena, Divergence);
    *out = (Divergence){ .func = at->func,
                         .insn = at->insn,
                         .place = at->place,
                         .other_func = other->func,
                         .other = other->insn,
                         .hangs = hangs };
    set_thread(s, at->thread, out->thread);
    set_thread(s, other->thread, out->other_thread);
    return out;
}

/* ---- updates that may be lost ---------------------------------------------------------------- */

static bool has_one_thread(const Search *s)
{
    const uint32_t *most = s->func->bounds.reqntid[0] ? s->func->bounds.reqntid
                                                      : s->func->bounds.maxntid,
                   *shape = s->shape.block;
    bool is_bounded = most[0] && most[0] <= 1 && most[1] <= 1 && most[2] <= 1;
    return is_bounded || (!s->shape.block_is_assumed && shape[0] * shape[1] * shape[2] == 1);
}

/* Of one variable one will do: loops are unrolled. */
static bool is_known_update(const Hazards *out, const Hazard *items, const Hazard *h)
{
    for (uint32_t i = 0; i < out->count; i++)
        if (items[i].second.place == h->second.place
            || (items[i].kind == HAZARD_UPDATE && items[i].var == h->var))
            return true;
    return false;
}

static void collect_updates(const Search *s, Hazards *out, Hazard *items)
{
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    const LostUpdateInput input = { s->func, ran.cfg, ran.dom, ran.loops, ran.counts };
    LostUpdate found[MAX_UPDATES];
    if (!ran.func || has_one_thread(s))
        return;
    const uint32_t count = ptx_lost_updates_find(s->scratch, &input, found, MAX_UPDATES);
    const PointsToSet *bases = count ? bases_of(s) : NULL;
    for (uint32_t i = 0; i < count && out->count < MAX_HAZARDS; i++) {
        PointsTo base;
        Hazard *h = &items[out->count];
        *h = (Hazard){ .kind = HAZARD_UPDATE,
                       .first = access_at(s, found[i].load, 0),
                       .second = access_at(s, found[i].store, 0),
                       .var = NO_ID,
                       .index = found[i].index,
                       .certainty = CERTAINTY_ESTIMATE };
        if (ptx_points_to_of_access(bases, s->module, s->func, &s->func->insns[found[i].store],
                                    &base)
            && base.kind == BASE_VAR)
            h->var = base.id;
        h->second.is_write = true;
        out->count += !is_known_update(out, items, h);
    }
}

const Hazards *ptx_hazards_find(const KernelRun *run)
{
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    Arena *arena = run->arena, *work = run->work;
    const Module *module = ptx_program_module(run->program);
    const Func *func = &module->funcs[run->kernel];
    if (!func->has_body || !func->insn_count || func->has_syntax_error || func->has_unknown
        || !is_worth(func, run->launch))
        return NULL;
    Hazards *out = ptx_arena_new(arena, Hazards);
    Hazard *items = ptx_arena_array(arena, Hazard, MAX_HAZARDS + MAX_POSSIBLE);
    Search s = { .arena = arena,
                 .work = work,
                 .scratch = run->scratch,
                 .program = run->program,
                 .module = module,
                 .kernel = run->kernel,
                 .func = func,
                 .launch = run->launch ? *run->launch : nothing };
    const ArenaMark mark = ptx_arena_mark(work);
    s.orders = ptx_arena_array(work, uint8_t, module->op_count + 1);
    s.mark = ptx_arena_mark(work);
    out->items = items;
    open_machine(&s, NULL);
    if (!s.shape.block_is_assumed || !s.shape.grid_is_assumed)
        ptx_search_run(&s);
    out->divergence = find_divergence(arena, &s);
    collect_possible(&s, out, items + MAX_HAZARDS);
    if (!collect_waits(&s, out, items) && (!s.shape.block_is_assumed || holds_for_all(&s)))
        collect(&s, out, items);
    if (!out->count)
        find_redundant(arena, &s, out);
    collect_updates(&s, out, items);
    close_machine(&s);
    ptx_arena_release(work, mark);
    return out;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *verb_of(const HazardAccess *access)
{
    if (access->is_by_data)
        return access->is_write ? "may write" : "may read";
    switch ((Queue)access->queue) {
    case QUEUE_BULK:    return "copies from";
    case QUEUE_MATRIX:  return "multiplies";
    case QUEUE_NONE:    return access->is_write ? "writes" : "reads";
    default:            return "copies to";
    }
}

static unsigned line_of(const Module *module, const Insn *insn)
{
    return ptx_line_of(module, insn->span.begin) + 1;
}

/* Which round of which loop, where there is one. */
static void write_round(char *out, size_t size, const Module *module, const Func *kernel,
                        const HazardAccess *access)
{
    static const char *const formats[2] = {
        " in round %u of the loop at line %u", ", round %u of the one at line %u"
    };
    int count = 0;
    *out = 0;
    for (unsigned i = 0; i < 2 && access->loops[i] != NO_ID; i++)
        count += snprintf(out + count, size - (size_t)count, formats[i],
                          (unsigned)access->rounds[i],
                          line_of(module, &kernel->insns[access->loops[i]]));
}

/* What is missing between the two. */
static const char *missing_of(const Hazard *h)
{
    switch (h->kind) {
    case HAZARD_BLOCK:  return "no barrier between";
    case HAZARD_WARP:   return "both in one warp, with no __syncwarp() between";
    case HAZARD_MATRIX: return "no wgmma.wait_group has waited for the multiplication";
    case HAZARD_PROXY:  return "no fence.proxy.async between";
    default:            break;
    }
    switch ((Queue)h->queue) {
    case QUEUE_MBARRIER:    return "a copy whose phase of its mbarrier is not waited for";
    case QUEUE_BULK:
        return h->is_committed ? "a copy whose group is not waited for: cp.async.bulk.wait_group"
                               : "a copy that is not waited for: it is in no group yet";
    default:
        return h->is_committed ? "a copy whose group is not waited for: cp.async.wait_group"
                               : "a copy that is not waited for: it is in no group yet";
    }
}

/* Of HAZARD_STUCK and HAZARD_STALE. */
static int write_wait(char *out, size_t size, const Hazard *h, const char *name)
{
    const uint32_t *thread = h->second.thread;
    int count = snprintf(out, size, "thread (%u, %u, %u) waits at %s ", thread[0], thread[1],
                         thread[2], name);
    out += count;
    size -= (size_t)count;
    if (h->kind == HAZARD_STALE)
        return count
               + snprintf(out, size,
                          "by the parity of the phase before the one in which it has arrived: that "
                          "returns at once, or never");
    if (h->pending)
        return count
               + snprintf(out, size,
                          "for a phase that never completes: of %u arrivals %u are missing",
                          (unsigned)h->wanted, (unsigned)h->pending);
    if (h->owed > 0)
        return count
               + snprintf(out, size,
                          "for a phase that never completes: copies bring %lld bytes less than are "
                          "expected",
                          (long long)h->owed);
    return count
           + snprintf(out, size,
                      "for a phase that may complete before its copies: they bring %lld bytes more "
                      "than are expected",
                      -(long long)h->owed);
}

/* The variable, or what it is where there is none of a name. */
static void write_variable(char *out, size_t size, const Module *module, VarId var,
                           const char *otherwise)
{
    Span name = var == NO_ID ? (Span){ 0, 0 } : module->vars[var].name;
    char title[65];
    if (ptx_source_title(module->text + name.begin, ptx_span_length(name), title, sizeof title))
        snprintf(out, size, "`%s`", title);
    else
        snprintf(out, size, "%s", otherwise);
}

static const char *describe_update(Arena *arena, const Module *module, const Func *kernel,
                                   const Hazard *h, const char *name)
{
    char text[512];
    int count = snprintf(text, sizeof text,
                         "%s is updated by a load and a store at an index from data (line %u): two "
                         "threads may have the same index, and then an update is lost",
                         name, line_of(module, &kernel->insns[h->index]));
    return ptx_arena_strndup(arena, text, (size_t)count);
}

const char *ptx_hazard_describe(Arena *arena, const Module *module, const Func *kernel,
                                const Hazard *h)
{
    char text[512], rounds[2][96], name[72];
    const HazardAccess *a = &h->second, *b = &h->first;
    int count;
    bool is_wait = h->kind >= HAZARD_STUCK;
    write_variable(name, sizeof name, module, h->var, is_wait ? "`an mbarrier`" : "shared memory");
    if (h->kind == HAZARD_UPDATE)
        return describe_update(arena, module, kernel, h, name);
    write_round(rounds[0], sizeof rounds[0], module, kernel, a);
    write_round(rounds[1], sizeof rounds[1], module, kernel, b);
    if (is_wait)
        count = write_wait(text, sizeof text, h, name);
    else
        count = snprintf(
            text, sizeof text,
            "thread (%u, %u, %u) %s byte %llu of %s%s, which thread (%u, %u, %u) %s%s: %s",
            a->thread[0], a->thread[1], a->thread[2], verb_of(a), (unsigned long long)h->offset,
            name, rounds[0], b->thread[0], b->thread[1], b->thread[2], verb_of(b), rounds[1],
            missing_of(h));
    if (count > 0 && (a->is_by_data || b->is_by_data))
        count += snprintf(
            text + count, sizeof text - (size_t)count,
            "; data decide which byte the access at line %u reaches",
            line_of(module, a->is_by_data ? &a->func->insns[a->insn] : &b->func->insns[b->insn]));
    return ptx_arena_strndup(arena, text, count > 0 ? (size_t)count : 0);
}

/* The wait that a copy lacks, and behind it a barrier where other threads are concerned. */
static int write_copy_wait(char *out, size_t size, const Hazard *h)
{
    bool is_own = !memcmp(h->first.thread, h->second.thread, sizeof h->first.thread),
         is_bulk = h->queue == QUEUE_BULK;
    const char *barrier = is_own ? "" : " by the copying thread, and a barrier";
    const char *queue = is_bulk ? "cp.async.bulk" : "cp.async";
    if (h->queue == QUEUE_MBARRIER)
        return snprintf(out, size,
                        "mbarrier.try_wait.parity in a loop, for the phase of the copy, by every "
                        "thread that reaches this point");
    if (!h->is_committed)
        return snprintf(out, size, "%s.commit_group, then %s.wait_group%s 0%s", queue, queue,
                        is_bulk ? ".read" : "", barrier);
    if (is_bulk)
        return snprintf(out, size, "cp.async.bulk.wait_group.read %u%s", (unsigned)h->newer,
                        barrier);
    return snprintf(out, size, "cp.async.wait_group %u (__pipeline_wait_prior(%u))%s",
                    (unsigned)h->newer, (unsigned)h->newer, barrier);
}

const char *ptx_divergence_describe(Arena *arena, const Module *module, const Divergence *d)
{
    char text[256];
    const unsigned line = d->other_func ? line_of(module, &d->other_func->insns[d->other]) : 0;
    const uint32_t *a = d->thread, *b = d->other_thread;
    int count = snprintf(text, sizeof text, "thread (%u, %u, %u) waits at this barrier", a[0], a[1],
                         a[2]);
    if (!d->hangs)
        count += snprintf(text + count, sizeof text - (size_t)count,
                          ", and thread (%u, %u, %u) of its warp bypasses it to line %u", b[0],
                          b[1], b[2], line);
    else if (d->other_func)
        count += snprintf(
            text + count, sizeof text - (size_t)count,
            ", thread (%u, %u, %u) at the one at line %u, and no other arrives: the block hangs",
            b[0], b[1], b[2], line);
    else
        count += snprintf(text + count, sizeof text - (size_t)count,
                          " for more threads than arrive: the block hangs");
    return ptx_arena_strndup(arena, text, (size_t)count);
}

/* What CUDA C++ calls it. */
static const char *cuda_of(const char *text)
{
    if (!strcmp(text, "bar.sync 0;"))
        return " (__syncthreads())";
    return !strncmp(text, "bar.warp.sync", 13) ? " (__syncwarp())" : "";
}

/* "before line 44", "before lines 44, 51 and 60": of the insertions with the text of the first. */
static const char *before_line(uint32_t i, uint32_t count)
{
    if (!i)
        return " ";
    return i + 1 == count ? " and " : ", ";
}

static int write_lines(char *out, size_t size, const Hazard *h, const char *text)
{
    uint32_t lines[MAX_PUTS], lines_count = 0;
    for (uint32_t i = 0; i < h->edits.count && lines_count < MAX_PUTS; i++)
        if (!strcmp(h->edits.insertions[i].text, text))
            lines[lines_count++] = h->edits.insertions[i].line;
    int count = snprintf(out, size, "`%s`%s before line%s", text, cuda_of(text),
                         lines_count > 1 ? "s" : "");
    for (uint32_t i = 0; i < lines_count; i++)
        count += snprintf(out + count, size - (size_t)count, "%s%u", before_line(i, lines_count),
                          (unsigned)lines[i]);
    return count;
}

/* Each text once, with the lines that it goes before. */
static const char *write_repair(Arena *arena, const Hazard *h, bool is_given)
{
    char text[768];
    const char *edits = h->edits.count > 1 ? "them" : "it";
    int count = snprintf(text, sizeof text, "insert ");
    for (uint32_t i = 0; i < h->edits.count; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < i; j++)
            is_new &= strcmp(h->edits.insertions[i].text, h->edits.insertions[j].text) != 0;
        if (is_new && i)
            count += snprintf(text + count, sizeof text - (size_t)count, ", and ");
        if (is_new)
            count += write_lines(text + count, sizeof text - (size_t)count, h,
                                 h->edits.insertions[i].text);
    }
    count += snprintf(text + count, sizeof text - (size_t)count,
                      "; tried: with %s this race is gone when the %s is run again",
                      edits, is_given ? "launch" : "assumed launch");
    return ptx_arena_strndup(arena, text, (size_t)count);
}

const char *ptx_hazard_advise(Arena *arena, const Hazard *h, bool is_given)
{
    static const char *const advice[] = {
        [HAZARD_BLOCK] = "bar.sync 0 (__syncthreads()) between the two, at a point that every "
                         "thread of the block reaches",
        [HAZARD_WARP] = "bar.warp.sync 0xffffffff (__syncwarp()) between the two, at a point "
                        "that every lane reaches: since sm_70 lanes of a warp need not run "
                        "together",
        [HAZARD_UPDATE] = "one atom.shared or red.shared (atomicAdd() or another) in place of the "
                          "load and the store; nothing where no index occurs twice in a block",
        [HAZARD_PROXY] = "fence.proxy.async.shared::cta by the threads that write, before the "
                         "barrier or mbarrier that orders the two",
        [HAZARD_STUCK] = "mbarrier.init with as many arrivals as there are, and "
                         "mbarrier.arrive.expect_tx with as many bytes as are copied",
        [HAZARD_STALE] = "flip the parity in each iteration: xor.b32 with 1 after the wait",
    };
    static const char *const reasons[] = {
        [REPAIR_NONE] = "",
        [REPAIR_FOUND] = "",
        [REPAIR_NO_PLACE] = "; no place was found where one removes the race",
        [REPAIR_TOO_LONG] = "; no place was found within the runs that are allowed",
    };
    char text[320];
    int count;
    if (h->edits.count)
        return write_repair(arena, h, is_given);
    if (h->kind == HAZARD_MATRIX)
        count = snprintf(text, sizeof text,
                         "wgmma.wait_group.sync.aligned %u, and behind it a barrier or mbarrier "
                         "where other threads are concerned",
                         (unsigned)h->newer);
    else if (h->kind == HAZARD_COPY || h->kind == HAZARD_BULK)
        count = write_copy_wait(text, sizeof text, h);
    else
        count = snprintf(text, sizeof text, "%s", advice[h->kind]);
    if (h->kind != HAZARD_PROXY && h->kind != HAZARD_UPDATE)
        snprintf(text + count, sizeof text - (size_t)count, "%s", reasons[h->repair]);
    return ptx_arena_strndup(arena, text, strlen(text));
}
