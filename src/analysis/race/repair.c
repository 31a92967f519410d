/* Where barriers and waits would go: places before and behind the two accesses, on the way up the
 * dominators and down the post-dominators, and at the ends of loops around them. Each is executed
 * by the machine as if it stood there. */
#include "analysis/race/repair.h"

#include "support/arena.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "support/diag.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/race/hazard.h"
#include "analysis/race/search.h"
#include "analysis/sim/race/race.h"
#include "analysis/sim/sim.h"
#include "analysis/flow/loop.h"
#include "support/minmax.h"

#include <stdio.h>
#include <stdint.h>

enum {
    MAX_CANDIDATES = 24,
    /* of a place that threads of some launch might pass by; more than the depth of any loop */
    COST_PARTIAL = 1 << 16,
    MAX_CLIMBS = 4,            /* blocks on the way up, and on the way down */
    MAX_LOOPS = 3,             /* around an access, from the inside */
    MAX_RUNS = 16,             /* for the repairs of a kernel, as long as runs may be, */
    FEWEST_STEPS = 1 << 20,     /* and so many instructions where those are short */
    MAX_MET = 1 << 22,        /* and so many pairs of accesses that are compared */
    MAX_BARRIERS = 16,         /* of a block: PTX ISA, "bar, barrier" */
    BARRIER_NONE = MAX_BARRIERS,
};

typedef struct Candidates {
    Put items[MAX_CANDIDATES];
    uint32_t count;
} Candidates;

typedef struct RepairVerdict {
    /* all threads that matter reach every put together, and nothing new waits for ever */
    bool is_valid;
    bool is_gone;               /* the race */
    uint32_t left;              /* races that are reported */
} RepairVerdict;

/* ---- places ---------------------------------------------------------------------------------- */

/* Whether text in front of its line is text in front of it. */
static bool begins_line(const Module *module, const Insn *insn)
{
    uint32_t from = ptx_line_start(module, ptx_line_of(module, insn->span.begin));
    while (from < insn->span.begin && (module->text[from] == ' ' || module->text[from] == '\t'))
        from++;
    return from == insn->span.begin;
}

static bool is_argument(const Func *func, InsnId insn)
{
    const Op *op = func->insns[insn].op;
    return op->kind == OPK_ST && (op->space == SPACE_PARAM || op->space == SPACE_PARAM_FUNC);
}

/* Arguments are stored right before their call, and results loaded right behind: PTX ISA,
 * "Parameterized State Spaces". In front of all of them. */
static InsnId before_call(const Func *func, InsnId first, InsnId insn)
{
    while (insn > first && (is_argument(func, insn) || func->insns[insn].op->kind == OPK_CALL)
           && is_argument(func, insn - 1))
        insn--;
    return insn;
}

static bool is_result(const Func *func, InsnId first, InsnId insn)
{
    const Op *op = func->insns[insn].op;
    if (op->kind != OPK_LD || (op->space != SPACE_PARAM && op->space != SPACE_PARAM_FUNC))
        return false;
    while (insn > first && func->insns[insn].op->kind == OPK_LD)
        insn--;
    return func->insns[insn].op->kind == OPK_CALL;
}

/* Instructions that the machine takes several at a time are not stopped at. */
static bool is_stop(const SimFunc *ran, InsnId first, InsnId insn)
{
    return insn == first || !ran->plain[insn] || !ran->plain[insn - 1];
}

/* Which the machine executes again once it may go on. */
static bool is_wait(const Op *op)
{
    return op->operation == OP_MBARRIER_TRY_WAIT || op->operation == OP_MBARRIER_TEST_WAIT;
}

static void add(const Search *s, Candidates *c, const Put *like, const SimFunc *ran,
                InsnId insn)
{
    const Func *func = ran->func;
    const InsnId first = ran->cfg->blocks[ran->cfg->block_of[insn]].first;
    insn = before_call(func, first, insn);
    if (c->count == MAX_CANDIDATES || is_result(func, first, insn)
        || !is_stop(ran, first, insn) || !begins_line(s->module, &func->insns[insn])
        || is_wait(func->insns[insn].op))
        return;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->items[i].insn == insn)
            return;
    c->items[c->count] = *like;
    c->items[c->count].func = func;
    c->items[c->count++].insn = insn;
}

/* Before an instruction, at the beginning of its block, before the branches that lead there. */
static void climb(const Search *s, Candidates *c, const Put *like, const SimFunc *ran,
                  InsnId insn)
{
    BlockId block = ran->cfg->block_of[insn];
    add(s, c, like, ran, insn);
    for (unsigned i = 0; i < MAX_CLIMBS; i++) {
        add(s, c, like, ran, ran->cfg->blocks[block].first);
        block = ran->dom->idom[block];
        if (block == EXIT_BLOCK)
            return;
        add(s, c, like, ran, ran->cfg->blocks[block].end - 1);
    }
}

/* Behind an instruction, and where its ways meet again. */
static void descend(const Search *s, Candidates *c, const Put *like, const SimFunc *ran,
                    InsnId insn)
{
    BlockId block = ran->cfg->block_of[insn];
    if (insn + 1 < ran->cfg->blocks[block].end)
        add(s, c, like, ran, insn + 1);
    for (unsigned i = 0; i < MAX_CLIMBS; i++) {
        block = ran->dom->ipdom[block];
        if (block == EXIT_BLOCK)
            return;
        add(s, c, like, ran, ran->cfg->blocks[block].first);
    }
}

/* Before the branches that begin another iteration. */
static void add_latches(const Search *s, Candidates *c, const Put *like,
                        const SimFunc *ran, InsnId insn)
{
    const Cfg *cfg = ran->cfg;
    LoopId loop = ran->loops->loop_of[cfg->block_of[insn]];
    for (unsigned depth = 0; depth < MAX_LOOPS && loop != NO_LOOP;
         depth++, loop = ran->loops->loops[loop].parent) {
        const Block *header = &cfg->blocks[ran->loops->loops[loop].header];
        for (uint32_t p = 0; p < header->pred_count; p++) {
            BlockId pred = cfg->preds[header->pred_first + p];
            if (ptx_dom_dominates(ran->dom, ran->loops->loops[loop].header, pred))
                add(s, c, like, ran, cfg->blocks[pred].end - 1);
        }
        add(s, c, like, ran, header->first);
    }
}

static void list(const Search *s, const Hazard *h, const Put *like, Candidates *c)
{
    const Func *callee = h->first.func == h->second.func && h->first.func != s->func ? h->first.func
                                                                                     : NULL;
    const Func *func = callee ? callee : s->func;
    const SimFunc ran = ptx_machine_func(s->machine, (FuncId)(func - s->module->funcs));
    const InsnId first = callee ? h->first.insn : h->first.place;
    const InsnId second = callee ? h->second.insn : h->second.place;
    c->count = 0;
    climb(s, c, like, &ran, second);
    descend(s, c, like, &ran, first);
    climb(s, c, like, &ran, first);
    add_latches(s, c, like, &ran, second);
    add_latches(s, c, like, &ran, first);
    descend(s, c, like, &ran, second);
}

/* ---- judging --------------------------------------------------------------------------------- */

static bool is_for_all(Search *s, const Put *put)
{
    return put->func == s->func && ptx_search_is_for_all(s, put->insn);
}

/* A barrier of the kernel stands in the same basic block: whoever comes to one comes to the other,
 * and what is said of one holds for the other. */
static bool is_beside_barrier(const Search *s, const Put *put)
{
    const Cfg *cfg = ptx_machine_func(s->machine, s->kernel).cfg;
    if (put->func != s->func)
        return false;
    const Block *block = &cfg->blocks[cfg->block_of[put->insn]];
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &s->func->insns[i];
        if (insn->op->family == OP_BAR && insn->op->kind == OPK_BAR && insn->guard == NO_ID
            && insn->operand_count == 1 && ptx_op_has(insn->op, MOD_SYNC)
            && !ptx_op_has(insn->op, MOD_WARP))
            return true;
    }
    return false;
}

/* The last run met no thread that waits without others. */
static bool is_sound(const Search *s)
{
    const Race *r = s->race;
    bool parts = r->parting.at.func && r->parting.gone & r->parting.others;
    return !r->is_lost && !parts && !r->stops[0].func && r->stale.wait == NO_ID
           && r->stuck.wait == NO_ID;
}

static bool are_puts_good(Search *s)
{
    const Race *r = s->race;
    bool are_good = !r->partial_puts;
    for (uint32_t p = 0; p < s->put_count && are_good; p++) {
        bool is_barrier = s->puts[p].is_block || s->puts[p].is_warp;
        are_good = !is_barrier || !(r->doubtful_puts >> p & 1) || is_for_all(s, &s->puts[p])
                   || is_beside_barrier(s, &s->puts[p]);
    }
    return are_good;
}

static bool is_access(const HazardAccess *a, const HazardAccess *b)
{
    return a->func == b->func && a->insn == b->insn;
}

/* The access that a race is reported with at the place of h, the later of its two in the text;
 * NULL: it is reported elsewhere. */
static const HazardAccess *partner_of(const Hazard *made, const Hazard *h)
{
    const HazardAccess *a = &made->first, *b = &made->second;
    bool is_turned = a->func == b->func && a->insn > b->insn;
    const HazardAccess *later = is_turned ? a : b;
    const HazardAccess *earlier = is_turned ? b : a;
    return is_access(later, &h->second) ? earlier : NULL;
}

/* What races with the second access by the run that was made last. */
static void note_known(Search *s, const Hazard *h)
{
    const Race *r = s->race;
    s->known_count = 0;
    for (uint32_t p = 0; p < r->pair_count && s->known_count < MAX_KNOWN; p++) {
        Hazard made;
        const HazardAccess *partner = ptx_search_make_hazard(s, &r->pairs[p], false, &made)
                                          ? partner_of(&made, h)
                                          : NULL;
        if (partner)
            s->known[s->known_count++] = *partner;
    }
}

/* A race that another one hid may not take its place. */
static bool is_new(const Search *s, const HazardAccess *partner)
{
    bool is_new = true;
    for (uint32_t i = 0; i < s->known_count; i++)
        is_new &= !is_access(&s->known[i], partner);
    return is_new;
}

/* Of the run that was made last. is_strict: nothing at all is reported at its place; else nothing
 * new. */
static RepairVerdict judge(Search *s, const Hazard *h, bool is_strict)
{
    const Race *r = s->race;
    RepairVerdict v = { .is_valid = is_sound(s) && are_puts_good(s),
                        .is_gone = !r->has_dropped_sought && r->met <= r->max_met };
    for (uint32_t p = 0; p < r->pair_count && v.is_valid; p++) {
        Hazard made;
        bool is_told = ptx_search_make_hazard(s, &r->pairs[p], false, &made);
        if (!is_told && !ptx_search_make_hazard(s, &r->pairs[p], true, &made))
            continue;
        v.left += is_told;
        const HazardAccess *partner = is_told ? partner_of(&made, h) : NULL;
        v.is_gone &= !ptx_search_are_alike(&made, h)
                     && !(partner && (is_strict || is_new(s, partner)));
    }
    v.is_gone &= v.is_valid;
    return v;
}

static void seek(Search *s, const Hazard *h)
{
    s->race->sought_func = h->second.func;
    s->race->sought = h->second.insn;
}

/* A further run in which these two accesses alone are noted: what another one hid shows. False,
 * too, where it takes too long. */
static bool is_gone_alone(Search *s, const Hazard *h)
{
    Race *r = s->race;
    bool is_gone = true;
    r->only_funcs[0] = h->first.func;
    r->only[0] = h->first.insn;
    r->only_funcs[1] = h->second.func;
    r->only[1] = h->second.insn;
    ptx_search_run(s);
    r->only_funcs[0] = r->only_funcs[1] = NULL;
    if (r->met > r->max_met)
        return false;
    for (uint32_t p = 0; p < r->pair_count; p++) {
        Hazard made;
        bool races = ptx_search_make_hazard(s, &r->pairs[p], false, &made)
                     || ptx_search_make_hazard(s, &r->pairs[p], true, &made);
        is_gone &= !races || !ptx_search_are_alike(&made, h);
    }
    return is_gone;
}

/* With the puts in hand. */
static RepairVerdict run_and_judge(Search *s, const Hazard *h, bool is_strict)
{
    Race *r = s->race;
    r->met_end = s->repair_met_end;
    ptx_search_run(s);
    RepairVerdict v = judge(s, h, is_strict);
    v.is_gone = v.is_gone && is_gone_alone(s, h);
    r->met_end = 0;
    return v;
}

static bool has_steps(const Search *s)
{
    return ptx_machine_steps(s->machine) < s->repair_end && s->race->met < s->repair_met_end;
}

/* Of a run with some of the search's puts. */
static RepairVerdict try(Search *s, const Hazard *h, uint32_t puts, bool is_strict)
{
    Put all[MAX_PUTS];
    const uint32_t count = s->put_count;
    memcpy(all, s->puts, sizeof all);
    s->put_count = 0;
    for (uint32_t p = 0; p < count; p++)
        if (puts >> p & 1)
            s->puts[s->put_count++] = all[p];
    RepairVerdict v = run_and_judge(s, h, is_strict);
    memcpy(s->puts, all, sizeof all);
    s->put_count = count;
    return v;
}

/* Those without which it is there again, of `puts`; `kept` stay. The later ones go first. */
static uint32_t minimise(Search *s, const Hazard *h, uint32_t puts, uint32_t kept, bool is_strict)
{
    for (uint32_t p = s->put_count; p-- > 0 && has_steps(s);) {
        const uint32_t bit = UINT32_C(1) << p;
        if (puts & bit & ~kept && try(s, h, puts & ~bit, is_strict).is_gone)
            puts &= ~bit;
    }
    return puts;
}

/* ---- one race -------------------------------------------------------------------------------- */

/* The puts of the search. */
static uint32_t all_of(const Search *s)
{
    return s->put_count < 32 ? (UINT32_C(1) << s->put_count) - 1 : UINT32_MAX;
}

static uint32_t depth_of(const Search *s, const Func *func, InsnId insn)
{
    const SimFunc ran = ptx_machine_func(s->machine, (FuncId)(func - s->module->funcs));
    return ptx_loop_depth(ran.loops, ran.cfg->block_of[insn]);
}

/* Where its function is run, it is come to, but for early ends. */
static bool is_on_every_path(const Search *s, const Put *put)
{
    const SimFunc ran = ptx_machine_func(s->machine,
                                                   (FuncId)(put->func - s->module->funcs));
    const BlockId wanted = ran.cfg->block_of[put->insn];
    BlockId block = 0;
    while (block != wanted && block != EXIT_BLOCK)
        block = ran.reconvergence[block];
    return block == wanted;
}

/* The less the better; of equal ones the nearest to the second access. */
static uint32_t cost_of(Search *s, const Put *put)
{
    const uint32_t depth = depth_of(s, put->func, put->insn);
    bool is_whole = put->func == s->func ? is_for_all(s, put) : is_on_every_path(s, put);
    const uint32_t partial = is_whole ? 0 : COST_PARTIAL;
    return partial + ptx_u32_min(depth, COST_PARTIAL - 1);
}

/* Of the innermost loop around both: a barrier outside of it would rarely do. */
static uint32_t depth_of_loop(const Loops *loops, LoopId loop)
{
    return loop == NO_LOOP ? 0 : loops->loops[loop].depth;
}

static uint32_t common_depth(const Search *s, const Hazard *h)
{
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    const BlockId *block_of = ran.cfg->block_of;
    LoopId a = ran.loops->loop_of[block_of[h->first.place]],
           b = ran.loops->loop_of[block_of[h->second.place]];
    while (a != b && (a != NO_LOOP || b != NO_LOOP)) {
        const uint32_t depth_a = depth_of_loop(ran.loops, a),
                       depth_b = depth_of_loop(ran.loops, b);
        if (depth_a >= depth_b)
            a = ran.loops->loops[a].parent;
        if (depth_b >= depth_a)
            b = ran.loops->loops[b].parent;
    }
    return depth_of_loop(ran.loops, a);
}

/* One of them, else several together; those that are valid by themselves stay in c. */
static bool find_single(Search *s, const Hazard *h, Candidates *c)
{
    const uint32_t base = s->put_count;
    const uint32_t enough = common_depth(s, h);
    uint32_t valid = 0, least = UINT32_MAX;
    Put best = { .func = NULL };
    s->put_count = base + 1;
    for (uint32_t i = 0; i < c->count && least > enough && has_steps(s); i++) {
        s->puts[base] = c->items[i];
        RepairVerdict v = run_and_judge(s, h, false);
        if (!v.is_valid)
            continue;
        uint32_t cost = v.is_gone ? cost_of(s, &c->items[i]) : UINT32_MAX;
        if (cost < least) {
            least = cost;
            best = c->items[i];
        }
        c->items[valid++] = c->items[i];
    }
    c->count = valid;
    s->puts[base] = best;
    s->put_count = best.func ? base + 1 : base;
    return best.func != NULL;
}

static bool find_several(Search *s, const Hazard *h, const Candidates *c)
{
    const uint32_t base = s->put_count, kept = all_of(s);
    for (uint32_t i = 0; i < c->count && s->put_count < MAX_PUTS; i++)
        s->puts[s->put_count++] = c->items[i];
    uint32_t puts = s->put_count > base && has_steps(s) && try(s, h, all_of(s), false).is_gone
                        ? minimise(s, h, all_of(s), kept, false)
                        : kept;
    uint32_t count = 0;
    for (uint32_t p = 0; p < s->put_count; p++)
        if (puts >> p & 1)
            s->puts[count++] = s->puts[p];
    s->put_count = count;
    return count > base;
}

static bool find_like(Search *s, const Hazard *h, const Put *like)
{
    Candidates candidates;
    if (s->put_count == MAX_PUTS || !has_steps(s))
        return false;
    list(s, h, like, &candidates);
    return find_single(s, h, &candidates) || find_several(s, h, &candidates);
}

/* The lowest number that the code does not use for some threads only. */
static unsigned free_barrier(const Race *r)
{
    unsigned number = 0;
    while (number < MAX_BARRIERS && r->partial_barriers >> number & 1)
        number++;
    return number;
}

/* One of the two is a cp.async, whichever the machine ran first. */
static bool is_copy(const Hazard *h)
{
    return h->queue == QUEUE_COPY
           || (!h->queue && (h->first.queue == QUEUE_COPY || h->second.queue == QUEUE_COPY));
}

/* A barrier alone does where what goes on behind its instruction is waited for, but by its own
 * thread only; else that wait is missing too. */
static bool find_for_copy(Search *s, Hazard *h, const Put *barrier)
{
    h->kind = HAZARD_BLOCK;
    if (find_like(s, h, barrier))
        return true;
    if (h->queue)
        h->kind = ptx_search_kind(h->queue);
    if (!is_copy(h))
        return false;
    const uint32_t *a = h->first.thread, *b = h->second.thread;
    bool is_own = a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
    Put like = *barrier;
    like.is_block = !is_own;
    like.waits = true;
    like.commits = !h->queue || !h->is_committed;
    like.groups_left = like.commits ? 0 : h->newer;
    return find_like(s, h, &like);
}

static void allow_runs(Search *s)
{
    const uint64_t most = MAX_RUNS * ptx_search_steps(s);
    s->repair_end = ptx_machine_steps(s->machine) + (most > FEWEST_STEPS ? most : FEWEST_STEPS);
    s->repair_met_end = s->race->met + MAX_MET;
}

void ptx_repair_begin(Search *s)
{
    s->put_count = 0;
    allow_runs(s);
}

uint32_t ptx_repair_find(Search *s, Hazard *h)
{
    const uint32_t before = all_of(s);
    const unsigned number = free_barrier(s->race);
    const Put block = { .is_block = true, .barrier = (uint8_t)number }, warp = { .is_warp = true };
    bool is_found = false;
    note_known(s, h);
    seek(s, h);
    if (h->kind == HAZARD_WARP)
        is_found = find_like(s, h, &warp) || (number != BARRIER_NONE && find_like(s, h, &block));
    else if (number != BARRIER_NONE)
        is_found = find_for_copy(s, h, &block);
    h->repair = has_steps(s) ? REPAIR_NO_PLACE : REPAIR_TOO_LONG;
    if (is_found) {
        h->repair = REPAIR_FOUND;
        ptx_search_run(s);
    }
    return all_of(s) & ~before;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* What removes it without the puts of others, so that nothing else is left at its place; 0: nothing
 * does. all: those that may be taken. */
static uint32_t settle_one(Search *s, const Hazard *h, uint32_t own, uint32_t all)
{
    seek(s, h);
    if (own && try(s, h, own, true).is_gone)
        return own;
    return own != all && has_steps(s) && try(s, h, all, true).is_gone
               ? minimise(s, h, all, own, true)
               : 0;
}

/* The puts without those that later ones do for as well. */
static uint32_t prune(Search *s, const Hazard *hazards)
{
    uint32_t puts = all_of(s);
    for (uint32_t p = 0; p < s->put_count && s->put_count > 1 && has_steps(s); p++) {
        const RepairVerdict v = try(s, &hazards[0], puts & ~(UINT32_C(1) << p), true);
        if (v.is_gone && !v.left)
            puts &= ~(UINT32_C(1) << p);
    }
    return puts;
}

/* Those of the hazards that are reported as one with this: at the same place. */
static uint32_t own_of(const Hazard *hazards, const uint32_t *owned, uint32_t count, uint32_t of)
{
    uint32_t own = 0;
    for (uint32_t i = of; i < count; i++)
        if (hazards[i].second.place == hazards[of].second.place)
            own |= owned[i];
    return own;
}

/* Takes the repairs back that do not hold in the run that was made last, with all puts. */
static void hold_against(Search *s, const Hazard *hazards, uint32_t *masks, uint32_t count)
{
    const Race *r = s->race;
    bool is_bad = !is_sound(s);
    for (uint32_t i = 0; i < count; i++)
        if (is_bad || masks[i] & r->partial_puts)
            masks[i] = 0;
    for (uint32_t p = 0; p < r->pair_count; p++) {
        Hazard made;
        for (uint32_t i = 0; i < count && ptx_search_make_hazard(s, &r->pairs[p], false, &made);
             i++)
            if (ptx_search_are_alike(&made, &hazards[i]))
                masks[i] = 0;
    }
}

/* In the first and the last block of the grid that is given; in all shapes of a block that is
 * not. */
static void check_elsewhere(Search *s, const Hazard *hazards, uint32_t *masks, uint32_t count)
{
    const uint32_t first[3] = { 0, 0, 0 }, *grid = s->shape.grid,
                   last[3] = { grid[0] - 1, grid[1] - 1, grid[2] - 1 };
    const uint32_t shapes = s->shape.block_is_assumed ? s->shape_count : 0;
    if (!s->shape.grid_is_assumed && (uint64_t)grid[0] * grid[1] * grid[2] > 1) {
        ptx_search_run_block(s, first);
        hold_against(s, hazards, masks, count);
        ptx_search_run_block(s, last);
        hold_against(s, hazards, masks, count);
    }
    for (uint32_t i = 0; i < shapes; i++) {
        ptx_search_try_shape(s, s->shapes[i]);
        hold_against(s, hazards, masks, count);
    }
}

static const char *text_of(Search *s, const Put *put)
{
    char wait[64] = "", text[128];
    if (put->waits && put->commits)
        snprintf(wait, sizeof wait, "cp.async.wait_all;");
    else if (put->waits)
        snprintf(wait, sizeof wait, "cp.async.wait_group %u;", (unsigned)put->groups_left);
    if (put->is_block)
        snprintf(text, sizeof text, "%s%sbar.sync %u;", wait, *wait ? " " : "",
                 (unsigned)put->barrier);
    else
        snprintf(text, sizeof text, "%s", put->is_warp ? "bar.warp.sync 0xffffffff;" : wait);
    return ptx_arena_strndup(s->arena, text, strlen(text));
}

/* A barrier before it does what one behind it does. */
static bool is_register_only(const Insn *insn)
{
    switch (insn->op->kind) {
    case OPK_FMA: case OPK_ADD: case OPK_SUB: case OPK_MUL: case OPK_MOV: case OPK_CVT:
    case OPK_SETP: case OPK_DIV:
        return !insn->access_bytes;
    default:
        return false;
    }
}

static bool has_label_between(const Func *func, uint32_t first, uint32_t last)
{
    for (LabelId l = 0; l < func->label_count; l++)
        if (func->labels[l].insn > first && func->labels[l].insn <= last)
            return true;
    return false;
}

/* "before a.cu:12" where what is ahead of it in its CUDA line, as far as looking back goes, works
 * on registers alone; else "inside a.cu:12". */
static const char *source_of(Search *s, const Put *put)
{
    enum { LOOKED_BACK = 64 };
    char line[LINE_TITLE_BYTES], text[LINE_TITLE_BYTES + 16];
    const Insn *insn = &put->func->insns[put->insn];
    const uint32_t first = put->insn > LOOKED_BACK ? put->insn - LOOKED_BACK : 0;
    bool is_first = true;
    uint32_t begin = put->insn;
    if (!ptx_source_line_title(s->module, insn, line))
        return NULL;
    const uint32_t line_number = s->module->locs[ptx_insn_loc(s->module, insn)].line;
    for (uint32_t i = put->insn; i-- > first;) {
        const Insn *before = &put->func->insns[i];
        if (s->module->locs[ptx_insn_loc(s->module, before)].line != line_number)
            continue;
        begin = i;
        is_first &= is_register_only(before);
    }
    is_first = is_first && !has_label_between(put->func, begin, put->insn);
    snprintf(text, sizeof text, "%s %s", is_first ? "before" : "inside", line);
    return ptx_arena_strndup(s->arena, text, strlen(text));
}

/* In the order of the lines. */
static void write_inserts(Search *s, Hazard *h, uint32_t mask)
{
    DiagInsertion *inserts = ptx_arena_array(s->arena, DiagInsertion, s->put_count + 1);
    for (uint32_t p = 0; p < s->put_count; p++) {
        if (!(mask >> p & 1))
            continue;
        const Put *put = &s->puts[p];
        const DiagInsertion made = {
            ptx_line_of(s->module, put->func->insns[put->insn].span.begin) + 1, text_of(s, put),
            source_of(s, put)
        };
        uint32_t at = h->edits.count++;
        for (; at && inserts[at - 1].line > made.line; at--)
            inserts[at] = inserts[at - 1];
        inserts[at] = made;
    }
    h->edits.insertions = inserts;
}

void ptx_repair_settle(Search *s, Hazard *hazards, const uint32_t *owned, uint32_t count)
{
    uint32_t *masks = ptx_arena_array(s->arena, uint32_t, count + 1), any = 0;
    allow_runs(s);
    const uint32_t puts = prune(s, hazards);
    for (uint32_t i = 0; i < count; i++)
        any |= masks[i] = owned[i] ? settle_one(s, &hazards[i],
                                                own_of(hazards, owned, count, i) & puts, puts)
                                   : 0;
    if (any)
        check_elsewhere(s, hazards, masks, count);
    for (uint32_t i = 0; i < count; i++) {
        if (owned[i] && !masks[i])
            hazards[i].repair = REPAIR_NO_PLACE;
        write_inserts(s, &hazards[i], masks[i]);
    }
}
