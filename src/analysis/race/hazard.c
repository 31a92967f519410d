#include "analysis/race/hazard.h"

#include "analysis/value/points_to.h"
#include "analysis/value/uniform.h"
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
#include "support/arena.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "support/minmax.h"

#include <stdlib.h>


enum {
    /* instructions of each warp where the launch is not given: so many, and one for each of the
     * kernel; */
    STEPS_FLOOR = 128,
    STEPS_OF_TENSOR = 1024,     /* and for each tcgen05.mma: a few rounds of its loop; */
    /* half of that for more warps where the shape of the block is not; */
    WARPS_FEW = 2,
    STEPS_LAUNCH = 1 << 18,     /* where it is */
    MAX_STAYS_ASSUMED = 4,
    MAX_GRANULES = 5,          /* 16 bytes to 1 */
    MAX_HAZARDS = 32,
    MAX_POSSIBLE = 4,
    MAX_UPDATES = 16,
    MAX_THREADS = 1024,
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

static uint64_t steps_of_tensors(const Func *func)
{
    uint64_t steps = 0;
    for (InsnId i = 0; i < func->insn_count && steps < STEPS_LAUNCH; i++)
        if (func->insns[i].op->operation == OP_TCGEN05_MMA)
            steps += STEPS_OF_TENSOR;
    return steps;
}

uint64_t ptx_search_steps(const Search *s)
{
    const SimShape *shape = &s->shape;
    if (!shape->grid_is_assumed)
        return STEPS_LAUNCH;
    const uint64_t few = shape->warp_count * (STEPS_FLOOR + (uint64_t)s->func->insn_count)
                         + steps_of_tensors(s->func);
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
        at[d] = s->is_first_block ? 0 : s->shape.grid[d] / 2;
    ptx_search_run_block(s, at);
}

static void close_machine(Search *s)
{
    ptx_arena_release(s->work, s->mark);
}

/* Of dynamic shared memory; where the kernel, which calls nothing, names none, it has none. -1: not
 * known. */
static int64_t dynamic_bytes(const Search *s)
{
    const Func *func = s->func;
    if (s->launch.dynamic_shared_bytes >= 0)
        return s->launch.dynamic_shared_bytes;
    for (uint32_t o = 0; o < func->operand_count; o++) {
        const Operand *operand = &func->operands[o];
        const Var *var = operand->kind == OPERAND_VAR ? &s->module->vars[operand->id] : NULL;
        if (operand->kind == OPERAND_FUNCTION
            || (var && ptx_space_is_shared((Space)var->space) && !var->bytes))
            return -1;
    }
    return 0;
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
    s->race->bases = s->bases;
    s->race->dynamic_shared = s->dynamic_shared;
}

/* A run with that shape in place of the one in hand. */
void ptx_search_try_shape(Search *s, const uint32_t shape[3])
{
    close_machine(s);
    open_machine(s, shape);
    ptx_search_run(s);
}

/* ---- what is reported ------------------------------------------------------------------------ */

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
    ptx_thread_of_block(s->shape.block, seen->thread, access.thread);
    return access;
}

static uint8_t level_of(const Search *s, const Seen *seen)
{
    const Site *site = &s->race->sites[seen->site];
    const SimFunc ran = ptx_machine_func(s->machine, (FuncId)(site->func - s->module->funcs));
    const uint8_t doubt = ptx_count_of(ran.counts, site->insn)->doubt;
    uint8_t level = RACE_CERTAIN;
    if (doubt >= UNCERTAIN_PARAMETER)
        level = doubt >= UNCERTAIN_DATA ? RACE_DATA : RACE_GUESSED;
    return level > seen->level ? level : seen->level;
}

static void find_variable(const Search *s, uint64_t address, Hazard *out)
{
    const SharedLayout *layout = ptx_machine_shared_layout(s->machine);
    uint64_t offset = address;
    const VarId var = layout ? ptx_shared_layout_at(layout, &offset) : NO_ID;
    const bool is_in = var != NO_ID
                       && (!s->module->vars[var].bytes || offset < s->module->vars[var].bytes);
    out->var = is_in ? var : NO_ID;
    out->offset = is_in ? offset : address;
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
           && ptx_operand_value(from) == ptx_operand_value(place);
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

bool ptx_store_may_write_back(Arena *scratch, const Cfg *cfg, const Func *func, InsnId store)
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

const PointsToSet *ptx_search_bases(const Search *s)
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
            && ptx_store_may_write_back(s->scratch, cfg, accesses[a]->func, accesses[a]->insn))
            return true;
    }
    if (h->certainty == CERTAINTY_EXACT)
        return false;
    if (h->first.func != s->func || h->second.func != s->func)
        return true;            /* what its callers pass is not known */
    const PointsToSet *bases = ptx_search_bases(s);
    return is_astray(s, bases, &h->first, address) || is_astray(s, bases, &h->second, address);
}

HazardKind ptx_search_kind(uint8_t queue)
{
    switch (queue) {
    case QUEUE_MATRIX: case QUEUE_TENSOR: return HAZARD_MATRIX;
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

bool ptx_search_is_for_all(Search *s, InsnId insn)
{
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    const FuncFlow flow = { s->module, s->func, ran.cfg, ran.dom, ran.loops, s->defs };
    if (!s->uniforms)
        s->uniforms = ptx_uniform_compute(s->arena, s->scratch, &flow, s->defs, &s->launch);
    return !s->uniforms->is_partial[ran.cfg->block_of[insn]];
}

/* With a shape that is assumed, a guess at which threads come to an access is one too many. That a
 * loop goes on is none: it is there to do so. */
static bool is_guess_for_all(Search *s, const RacePair *pair)
{
    const Seen *const both[] = { &pair->first, &pair->second };
    for (unsigned i = 0; i < 2; i++) {
        const Site *site = &s->race->sites[both[i]->site];
        if (level_of(s, both[i]) == RACE_GUESSED
            && (site->func != s->func || ptx_search_depends_on_guess(s, site->insn)))
            return false;
    }
    return true;
}

bool ptx_search_make_hazard(Search *s, const RacePair *pair, bool is_possible, Hazard *out)
{
    uint8_t first = level_of(s, &pair->first), second = level_of(s, &pair->second),
            level = first > second ? first : second;
    if ((level == RACE_DATA) != is_possible
        || (level == RACE_GUESSED && s->shape.block_is_assumed && !is_guess_for_all(s, pair)))
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
                     .is_begun = pair->is_begun,
                     .is_in_warp = pair->first.thread / WARP_LANES
                                   == pair->second.thread / WARP_LANES,
                     .is_committed = pair->is_committed,
                     .newer = pair->newer,
                     .ignored_wait = s->race->ignored_wait,
                     .certainty = level == RACE_CERTAIN && kind != HAZARD_WARP
                                      ? CERTAINTY_EXACT
                                      : CERTAINTY_ESTIMATE };
    find_variable(s, pair->address, out);
    return !is_excused(s, out, pair->address);
}

static bool is_found(Search *s)
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
    return 2u * h->kind
           + (ptx_race_is_of_matrix(h->first.queue) || ptx_race_is_of_matrix(h->second.queue));
}

/* The surest that races; NULL: nothing does. */
static const RacePair *find_worst(Search *s, bool is_possible, Hazard *h)
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
static void collect_possible(Search *s, Hazards *out, Hazard *items)
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
    if (h->queue || (second->queue != QUEUE_BULK && !ptx_race_is_of_matrix(second->queue))
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
        is_certain = ptx_count_of(ran.counts, i)->doubt < UNCERTAIN_PARAMETER;
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

static bool is_run_known(const Search *s)
{
    const Race *r = s->race;
    return !r->pair_count && !r->is_doubtful && !r->has_others && !s->shape.block_is_assumed;
}

/* Whatever comes behind it. */
static bool collect_unmade(const Search *s, Hazards *out, Hazard *items)
{
    const Unmade *unmade = &s->race->unmade;
    if (unmade->insn == NO_ID || !is_run_known(s) || s->func->has_calls
        || !ptx_machine_is_complete(s->machine))
        return false;
    Hazard *h = &items[out->count++];
    *h = (Hazard){ .kind = HAZARD_UNMADE,
                   .certainty = CERTAINTY_EXACT,
                   .first = access_at(s, unmade->insn, unmade->warp),
                   .second = access_at(s, unmade->insn, unmade->warp) };
    find_variable(s, unmade->address, h);
    return true;
}

static bool collect_tensor(const Search *s, Hazards *out, Hazard *items)
{
    const TensorMemory *t = &s->race->tensor;
    if (t->early.insn == NO_ID || !is_run_known(s))
        return false;
    Hazard *h = &items[out->count++];
    *h = (Hazard){ .kind = HAZARD_TENSOR,
                   .certainty = CERTAINTY_EXACT,
                   .var = NO_ID,
                   .first = access_at(s, t->early_with.insn, t->early_with.warp),
                   .second = access_at(s, t->early.insn, t->early.warp) };
    return true;
}

/* The first of the warps is enough: who comes later cannot make it good. */
static bool collect_crowd(const Search *s, Hazards *out, Hazard *items)
{
    const Stuck *crowd = &s->race->crowd;
    if (crowd->wait == NO_ID || s->race->pair_count || s->race->is_doubtful
        || s->shape.block_is_assumed)
        return false;
    Hazard *h = &items[out->count++];
    *h = (Hazard){ .kind = HAZARD_CROWD,
                   .certainty = CERTAINTY_EXACT,
                   .wanted = crowd->wanted,
                   .pending = crowd->pending,
                   .first = access_at(s, crowd->made, crowd->warp),
                   .second = access_at(s, crowd->wait, crowd->warp) };
    find_variable(s, crowd->address, h);
    return true;
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
                   .is_miscounted = stuck->blame == BLAME_COUNT,
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

/* ---- barriers that threads wait at without others -------------------------------------------- */

/* Nothing of what runs is in doubt. */
static bool is_sure(const Machine *m)
{
    for (uint32_t r = 0; r < ptx_machine_func_count(m); r++) {
        const SimFunc ran = ptx_machine_func_at(m, r);
        for (InsnId i = 0; i < ran.func->insn_count; i++)
            if (ptx_count_of(ran.counts, i)->doubt >= UNCERTAIN_PARAMETER)
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
    ptx_thread_of_block(s->shape.block, at->thread, out->thread);
    ptx_thread_of_block(s->shape.block, other->thread, out->other_thread);
    return out;
}

/* ---- accesses that are wrong by themselves --------------------------------------------------- */

/* The variable that the address is made from, where it is known. */
static void find_own_variable(const Search *s, const Stray *stray, LoneAccess *out)
{
    PointsTo base;
    uint64_t from;
    const PointsToSet *bases = stray->func == s->func ? ptx_search_bases(s) : NULL;
    const Insn *insn = &stray->func->insns[stray->insn];
    out->var = NO_ID;
    out->offset = stray->address;
    if (!bases || !ptx_points_to_of_access(bases, s->module, s->func, insn, &base)
        || base.kind != BASE_VAR || !s->module->vars[base.id].bytes
        || !ptx_machine_address(s->machine, base.id, &from))
        return;
    const int32_t offset = (int32_t)(uint32_t)(stray->address - from);  /* as addresses wrap */
    out->var = base.id;
    out->is_before = offset < 0;
    out->offset = (uint64_t)llabs((long long)offset);
    out->end = s->module->vars[base.id].bytes;
}

static const LoneAccess *make_lone_access(Arena *arena, const Search *s, LoneKind kind,
                                          const Stray *stray)
{
    LoneAccess *out = ptx_arena_new(arena, LoneAccess);
    *out = (LoneAccess){ .kind = kind,
                         .func = stray->func,
                         .insn = stray->insn,
                         .place = stray->place,
                         .bytes = stray->bytes,
                         .is_write = stray->is_write && kind != LONE_UNWRITTEN };
    ptx_thread_of_block(s->shape.block, stray->thread, out->thread);
    find_own_variable(s, stray, out);
    return out;
}

static const LoneAccess *find_beyond(Arena *arena, const Search *s)
{
    const Stray *stray = &s->race->overreach;
    return !s->shape.block_is_assumed && stray->func
               ? make_lone_access(arena, s, LONE_BEYOND_SHARED, stray)
               : NULL;
}

/* All that wrote shared memory was followed. */
static bool are_writes_known(const Search *s)
{
    const Race *r = s->race;
    return !s->shape.block_is_assumed && !r->overreach.func && !r->is_blind && !r->is_lost
           && !r->by_data_count && !r->has_transfers && ptx_machine_is_complete(s->machine)
           && is_sure(s->machine);
}

/* What is written behind the read is another thread's: in order behind it, or a race. */
static const LoneAccess *find_unwritten(Arena *arena, const Search *s)
{
    Race *r = s->race;
    if (!r->unwritten_count || !are_writes_known(s))
        return NULL;
    for (uint32_t i = 0; i < r->unwritten_count; i++)
        if (!r->pair_count || ptx_race_is_unwritten(r, &r->unwritten[i]))
            return make_lone_access(arena, s, LONE_UNWRITTEN, &r->unwritten[i]);
    return NULL;
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
    const FuncFlow flow = { s->module, s->func, ran.cfg, ran.dom, ran.loops, s->defs };
    const LostUpdateInput input = { &flow, ran.counts };
    LostUpdate found[MAX_UPDATES];
    if (!ran.func || has_one_thread(s))
        return;
    const uint32_t count = ptx_lost_updates_find(s->scratch, &input, found, MAX_UPDATES);
    const PointsToSet *bases = count ? ptx_search_bases(s) : NULL;
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

static bool has_assumed_params(const Search *s)
{
    ArenaMark mark = ptx_arena_mark(s->scratch);
    uint32_t count;
    ptx_machine_assumed_params(s->machine, s->scratch, &count);
    ptx_arena_release(s->scratch, mark);
    return count > 0;
}

/* Where a size is assumed, the block in the middle of the grid may have nothing to do: its threads
 * are beyond what was taken for n. The first block works whatever n is. */
static void turn_to_first_block(Search *s)
{
    if (s->shape.grid_is_assumed || s->race->pair_count || !has_assumed_params(s))
        return;
    s->is_first_block = true;
    ptx_search_run(s);
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
                 .bases = run->bases,
                 .defs = run->defs,
                 .launch = run->launch ? *run->launch : nothing };
    const ArenaMark mark = ptx_arena_mark(work);
    s.dynamic_shared = dynamic_bytes(&s);
    s.orders = ptx_arena_array(work, uint8_t, module->op_count + 1);
    s.mark = ptx_arena_mark(work);
    out->items = items;
    open_machine(&s, NULL);
    if (!s.shape.block_is_assumed || !s.shape.grid_is_assumed)
        ptx_search_run(&s);
    out->divergence = find_divergence(arena, &s);
    out->beyond = find_beyond(arena, &s);
    out->unwritten = find_unwritten(arena, &s);
    collect_possible(&s, out, items + MAX_HAZARDS);
    if (!collect_crowd(&s, out, items) && !collect_unmade(&s, out, items)
        && !collect_waits(&s, out, items) && !collect_tensor(&s, out, items)) {
        turn_to_first_block(&s);
        if (!s.shape.block_is_assumed || holds_for_all(&s))
            collect(&s, out, items);
    }
    if (!out->count)
        ptx_search_find_redundant(arena, &s, out);
    collect_updates(&s, out, items);
    close_machine(&s);
    ptx_arena_release(work, mark);
    return out;
}
