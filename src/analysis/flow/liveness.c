#include "analysis/flow/liveness.h"

#include "analysis/flow/live_out.h"
#include "support/assert.h"
#include "support/limits.h"
#include "support/minmax.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "support/diag.h"

#include <stdbool.h>
#include <stdint.h>

/* The sites of a block are contiguous. */
typedef struct Sites {
    LiveSite *items;
    uint32_t count, capacity;
    uint32_t *head;             /* per register: index + 1 */
} Sites;

/* What is still needed of a register's earlier value, walking backwards through a block: nothing,
 * its value where a guard holds, or all of it. A definition under a guard leaves the need for its
 * complement; one under the same guard, not written anew in between, ends it. */
typedef enum NeedKind { NEED_NOTHING, NEED_GUARDED, NEED_ALL } NeedKind;

typedef struct LivenessNeed {
    uint32_t stamp;             /* block + 1: of this block; else it is as at the block's end */
    uint8_t kind;               /* NeedKind */
    bool negated;
    RegId guard;
    uint32_t version;           /* of the guard */
} LivenessNeed;

typedef struct LivenessSolver {
    Arena *scratch;
    const Func *func;
    const Cfg *cfg;
    /* upward-exposed uses; blocks that end a range; blocks with any definition, once has_defs: they
     * are only asked for where a register may be undefined */
    Sites uses, kills, defs;
    bool has_defs;
    bool *is_defined;           /* per register */
    uint32_t *use_first;        /* per block: first of its uses */
    uint32_t *def_stamp;        /* per register: block + 1 */
    /* per register: of the uses in the block; of what is behind it */
    LivenessNeed *use_need, *out_need;
    RegId *touched;             /* registers with a use_need in this block */
    uint32_t touched_count;
    uint32_t *version;          /* per register: definitions walked over so far */
    uint32_t *reached_stamp;    /* per block: register + 1 */
    BlockId *stack;             /* as many as blocks: free between two questions */
    Explorer live;
} LivenessSolver;

static void add_site(LivenessSolver *s, Sites *sites, RegId reg, BlockId block)
{
    if (sites->count == sites->capacity)
        sites->items = ptx_arena_grow(s->scratch, sites->items, sites->count, &sites->capacity,
                                      sizeof *sites->items);
    sites->items[sites->count] = (LiveSite){ reg, sites->head[reg], block };
    sites->head[reg] = ++sites->count;
}

/* Of about so many: what grows is copied. */
static void make_room_for_sites(LivenessSolver *s, Sites *sites, uint32_t count)
{
    sites->items = ptx_arena_array(s->scratch, LiveSite, count);
    sites->capacity = count;
}

static LivenessNeed *need_at(LivenessNeed *needs, RegId reg, BlockId block, NeedKind at_end)
{
    LivenessNeed *need = &needs[reg];
    if (need->stamp != block + 1)
        *need = (LivenessNeed){ .stamp = block + 1, .kind = (uint8_t)at_end };
    return need;
}

static bool same_guard(const LivenessNeed *need, const Insn *insn, const uint32_t *version)
{
    return insn->guard == need->guard && version[insn->guard] == need->version;
}

static void need_read(LivenessNeed *need, const Insn *insn, const uint32_t *version)
{
    if (need->kind == NEED_ALL)
        return;
    if (insn->guard == NO_ID) {
        need->kind = NEED_ALL;
    } else if (need->kind == NEED_NOTHING) {
        need->kind = NEED_GUARDED;
        need->guard = insn->guard;
        need->negated = insn->guard_negated;
        need->version = version[insn->guard];
    } else if (!same_guard(need, insn, version) || need->negated != insn->guard_negated) {
        need->kind = NEED_ALL;
    }
}

static void need_written(LivenessNeed *need, const Insn *insn, const uint32_t *version)
{
    if (insn->guard == NO_ID) {
        need->kind = NEED_NOTHING;
    } else if (need->kind == NEED_ALL) {
        need->kind = NEED_GUARDED;
        need->guard = insn->guard;
        need->negated = !insn->guard_negated;
        need->version = version[insn->guard];
    } else if (need->kind == NEED_GUARDED && same_guard(need, insn, version)
               && need->negated == insn->guard_negated) {
        need->kind = NEED_NOTHING;
    }
}

static bool is_liveness_use(const Operand *operand)
{
    return operand->kind == OPERAND_REG && (operand->role & ROLE_USE);
}

static void note_live_in_block(LivenessSolver *s, RegId reg, BlockId block)
{
    if (s->use_need[reg].stamp != block + 1)
        s->touched[s->touched_count++] = reg;
    need_at(s->use_need, reg, block, NEED_NOTHING);
}

/* A guard is read under no guard. */
static const Insn unguarded = { .guard = NO_ID };

/* Before anything is asked of the versions of a guard. */
static void count_versions(LivenessSolver *s, const Insn *insn, const Operand *operands)
{
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]))
            s->version[operands[o].id]++;
}

/* Backwards over a block: its upward-exposed uses, and the registers whose value behind it does not
 * come from before. */
static void scan_block(LivenessSolver *s, BlockId block)
{
    const Block *b = &s->cfg->blocks[block];
    s->use_first[block] = s->uses.count;
    s->touched_count = 0;
    for (InsnId i = b->end; i-- > b->first;) {
        const Insn *insn = &s->func->insns[i];
        const Operand *operands = ptx_insn_operands(s->func, insn);
        const bool is_guarded = insn->guard != NO_ID;
        if (is_guarded)
            count_versions(s, insn, operands);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!ptx_operand_is_def(&operands[o]))
                continue;
            RegId reg = operands[o].id;
            s->is_defined[reg] = true;
            s->version[reg] += !is_guarded;
            if (operands[o].role & ROLE_USE)
                continue;
            note_live_in_block(s, reg, block);
            need_written(&s->use_need[reg], insn, s->version);
            LivenessNeed *out = need_at(s->out_need, reg, block, NEED_ALL);
            bool was_needed = out->kind != NEED_NOTHING;
            need_written(out, insn, s->version);
            if (was_needed && out->kind == NEED_NOTHING)
                add_site(s, &s->kills, reg, block);
        }
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!is_liveness_use(&operands[o]))
                continue;
            note_live_in_block(s, operands[o].id, block);
            need_read(&s->use_need[operands[o].id], insn, s->version);
        }
        if (insn->guard != NO_ID) {
            note_live_in_block(s, insn->guard, block);
            need_read(&s->use_need[insn->guard], &unguarded, s->version);
        }
    }
    for (uint32_t t = 0; t < s->touched_count; t++) {
        if (s->use_need[s->touched[t]].kind != NEED_NOTHING)
            add_site(s, &s->uses, s->touched[t], block);
    }
}

static void find_defs_in(LivenessSolver *s, BlockId block)
{
    const Block *b = &s->cfg->blocks[block];
    for (InsnId i = b->first; i < b->end; i++) {
        const Operand *operands = ptx_insn_operands(s->func, &s->func->insns[i]);
        for (uint32_t o = 0; o < s->func->insns[i].operand_count; o++) {
            const RegId reg = operands[o].id;
            if (!ptx_operand_is_def(&operands[o]) || s->def_stamp[reg] == block + 1)
                continue;
            s->def_stamp[reg] = block + 1;
            add_site(s, &s->defs, reg, block);
        }
    }
}

static void find_defs(LivenessSolver *s)
{
    for (BlockId block = 0; !s->has_defs && block < s->cfg->block_count; block++)
        find_defs_in(s, block);
    s->has_defs = true;
}

/* A register that is live into the function was not defined on some path: keep it only where a
 * definition reaches. False at the limit. */
static bool drop_undefined(LivenessSolver *s, RegId reg, uint32_t first)
{
    uint32_t stamp = reg + 1, depth = 0, kept = first;
    find_defs(s);
    for (uint32_t d = s->defs.head[reg]; d; d = s->defs.items[d - 1].next) {
        BlockId block = s->defs.items[d - 1].block;
        if (s->reached_stamp[block] == stamp)
            continue;
        s->reached_stamp[block] = stamp;
        s->stack[depth++] = block;
        while (depth) {
            const Block *b = &s->cfg->blocks[s->stack[--depth]];
            if (s->live.steps_left < b->succ_count)
                return false;
            s->live.steps_left -= b->succ_count;
            for (uint32_t n = 0; n < b->succ_count; n++) {
                BlockId succ = s->cfg->succs[b->succ_first + n];
                if (succ == EXIT_BLOCK || s->reached_stamp[succ] == stamp)
                    continue;
                s->reached_stamp[succ] = stamp;
                s->stack[depth++] = succ;
            }
        }
    }
    for (uint32_t i = first; i < s->live.set_count; i++) {
        if (s->reached_stamp[s->live.sets[i].block] == stamp)
            s->live.sets[kept++] = s->live.sets[i];
        else
            s->live.pair_count--;       /* there is nothing else in it */
    }
    s->live.set_count = kept;
    return true;
}

/* The batch that was collected, in the order of its registers. False at a limit. */
static bool explore(LivenessSolver *s)
{
    uint64_t done = 0, undefined = 0;
    if (!ptx_explorer_walk(&s->live, s->uses.items, s->kills.items))
        return false;
    for (uint32_t t = 0; t < s->live.thing_count; t++)
        undefined |= (uint64_t)!s->func->regs[s->live.things[t].id].is_param << t;
    for (undefined &= s->live.bits[0].in; undefined; undefined &= undefined - 1) {
        const uint64_t own = undefined & -undefined;
        if (!ptx_explorer_emit(&s->live, (own - 1) & ~done))
            return false;
        const uint32_t first = s->live.set_count;
        if (!ptx_explorer_emit(&s->live, own)
            || !drop_undefined(s, s->live.things[__builtin_ctzll(own)].id, first))
            return false;
        done |= own | (own - 1);
    }
    if (!ptx_explorer_emit(&s->live, ~done))
        return false;
    ptx_explorer_clear(&s->live);
    return true;
}

/* False at a limit. */
static bool explore_all(LivenessSolver *s)
{
    for (RegId reg = 0; reg < s->func->reg_count; reg++) {
        const uint32_t use = s->uses.head[reg];
        if (!use || (!s->is_defined[reg] && !s->func->regs[reg].is_param))
            continue;           /* never read across blocks; never written: not live anywhere */
        ptx_explorer_add(&s->live, (LiveThing){ reg, use, s->kills.head[reg] });
        if (s->live.thing_count == LIVE_BATCH && !explore(s))
            return false;
    }
    return explore(s);
}

/* ---- pressure: one walk from the end of each block ------------------------------------------- */

typedef struct LivenessWalk {
    LivenessSolver *s;
    Live *live;
    uint16_t *pressure;
    InsnId *dead;
    /* per register; for classes those of 64 bits once more, from WIDE_SHIFT on */
    uint32_t *units;
    LiveClasses *classes;       /* NULL: pressure is wanted */
    LivenessNeed *needs;                /* per register: what is live, and how */
    RegId *listed;              /* registers that became live in this block: to be cleared */
    uint32_t listed_count;
    uint32_t now, predicates;   /* units and predicates live */
} LivenessWalk;

static bool is_reg_live(const LivenessWalk *w, RegId reg)
{
    return w->needs[reg].kind != NEED_NOTHING;
}

/* Counts a register in or out after its need was updated. */
static void count_change(LivenessWalk *w, RegId reg, bool was_live)
{
    bool lives = is_reg_live(w, reg), predicate = w->s->func->regs[reg].type == TYPE_PRED;
    if (lives && !was_live) {
        w->listed[w->listed_count++] = reg;
        w->now += w->units[reg];
        w->predicates += predicate;
    } else if (!lives && was_live) {
        w->now -= w->units[reg];
        w->predicates -= predicate;
    }
}

static void read_in_walk(LivenessWalk *w, RegId reg, const Insn *insn)
{
    if (!w->s->func->regs[reg].is_written)
        return;                 /* no definition can have reached it */
    bool was_live = is_reg_live(w, reg);
    need_read(&w->needs[reg], insn, w->s->version);
    count_change(w, reg, was_live);
}

static void write_in_walk(LivenessWalk *w, RegId reg, const Insn *insn)
{
    bool was_live = is_reg_live(w, reg);
    need_written(&w->needs[reg], insn, w->s->version);
    count_change(w, reg, was_live);
}

static void note_maximum(LivenessWalk *w, InsnId insn, uint32_t units, uint32_t predicates)
{
    w->pressure[insn] = (uint16_t)(units > UINT16_MAX ? UINT16_MAX : units);
    if (predicates > w->live->max_predicates)
        w->live->max_predicates = predicates;
    if (units > w->live->max_pressure
        || (units == w->live->max_pressure
            && (w->live->max_insn == NO_ID || insn < w->live->max_insn))) {
        w->live->max_pressure = units;
        w->live->max_insn = insn;
    }
}

enum { WIDE_SHIFT = 16, UNITS_MASK = (1 << WIDE_SHIFT) - 1 };

/* units: before the instruction, and after it. */
static void note_classes(LivenessWalk *w, InsnId insn, const uint32_t units[2], uint32_t predicates)
{
    const bool is_after = (units[1] & UNITS_MASK) > (units[0] & UNITS_MASK);
    w->classes[insn] = (LiveClasses){ .registers = (uint16_t)(units[is_after] & UNITS_MASK),
                                      .wide = (uint16_t)(units[is_after] >> WIDE_SHIFT),
                                      .predicates = (uint16_t)predicates };
}

/* Backwards over one instruction: from what is live after it to what is live before. */
static void step_backwards(LivenessWalk *w, InsnId i, bool record)
{
    const Func *func = w->s->func;
    const Insn *insn = &func->insns[i];
    const Operand *operands = ptx_insn_operands(func, insn);
    uint32_t written = 0, written_predicates = 0, defs = 0, live_defs = 0, def_end = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&operands[o]))
            continue;
        def_end = o + 1;
        RegId reg = operands[o].id;
        w->s->version[reg]++;
        defs++;
        if (is_reg_live(w, reg)) {
            live_defs++;
            continue;
        }
        written += w->units[reg];
        written_predicates += func->regs[reg].type == TYPE_PRED;
    }
    uint32_t after = w->now + written, after_predicates = w->predicates + written_predicates;
    for (uint32_t o = 0; o < def_end; o++) {
        if (ptx_operand_is_def(&operands[o]) && !(operands[o].role & ROLE_USE))
            write_in_walk(w, operands[o].id, insn);
    }
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (is_liveness_use(&operands[o]))
            read_in_walk(w, operands[o].id, insn);
    }
    if (insn->guard != NO_ID)
        read_in_walk(w, insn->guard, &unguarded);
    if (!record)
        return;
    if (w->classes) {
        note_classes(w, i, (uint32_t[]){ w->now, after },
                     ptx_u32_max(w->predicates, after_predicates));
        return;
    }
    note_maximum(w, i, ptx_u32_max(w->now, after), ptx_u32_max(w->predicates, after_predicates));
    if (defs && !live_defs && !(insn->op->flags & OPF_SIDE_EFFECT))
        w->dead[w->live->dead_count++] = i;
}

/* Nothing is live yet: end_block left it so. */
static void begin_live_block(LivenessWalk *w, BlockId block)
{
    const Reg *regs = w->s->func->regs;
    for (uint32_t o = w->live->out_first[block]; o < w->live->out_first[block + 1]; o++) {
        const RegId reg = w->live->out[o];
        if (!regs[reg].is_written)
            continue;           /* no definition can have reached it */
        w->needs[reg].kind = NEED_ALL;
        w->listed[w->listed_count++] = reg;
        w->now += w->units[reg];
        w->predicates += regs[reg].type == TYPE_PRED;
    }
}

static void end_block(LivenessWalk *w)
{
    while (w->listed_count)
        w->needs[w->listed[--w->listed_count]].kind = NEED_NOTHING;
    w->now = w->predicates = 0;
}

static void list_maximum(LivenessWalk *w, Arena *arena)
{
    Live *live = w->live;
    const Func *func = w->s->func;
    BlockId block = w->s->cfg->block_of[live->max_insn];
    begin_live_block(w, block);
    for (InsnId i = w->s->cfg->blocks[block].end; i-- > live->max_insn + 1;)
        step_backwards(w, i, false);
    const Insn *insn = &func->insns[live->max_insn];
    const Operand *operands = ptx_insn_operands(func, insn);
    step_backwards(w, live->max_insn, false);
    /* the maximum is behind it: what is live there and what it writes */
    if (w->now < live->max_pressure) {
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (ptx_operand_is_def(&operands[o]))
                read_in_walk(w, operands[o].id, &unguarded);
        }
    }
    RegId *regs = ptx_arena_array(arena, RegId, func->reg_count ? func->reg_count : 1);
    for (RegId reg = 0; reg < func->reg_count; reg++) {
        if (!is_reg_live(w, reg))
            continue;
        regs[live->max_reg_count++] = reg;
        uint32_t bits = ptx_type_info[func->regs[reg].type].bits;
        live->max_64 += bits == 64;
        live->max_16 += bits == 16 || bits == 8;
    }
    live->max_regs = regs;
    end_block(w);
}

static void reverse(InsnId *items, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        InsnId item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* What a walk takes but for units and what it fills. */
static LivenessWalk make_walk(LivenessSolver *s, Live *live)
{
    const size_t regs = s->func->reg_count + 1;
    LivenessWalk w = { .s = s,
                       .live = live,
                       .units = ptx_arena_array(s->scratch, uint32_t, regs),
                       .needs = ptx_arena_array(s->scratch, LivenessNeed, regs) };
    uint32_t most = 0;
    for (BlockId b = 0; b < s->cfg->block_count; b++) {
        uint32_t listed = live->out_first[b + 1] - live->out_first[b];
        for (InsnId i = s->cfg->blocks[b].first; i < s->cfg->blocks[b].end; i++)
            listed += s->func->insns[i].operand_count + 1u;
        most = listed > most ? listed : most;
    }
    w.listed = ptx_arena_array(s->scratch, RegId, most + 1);
    for (RegId reg = 0; reg < s->func->reg_count; reg++)
        w.units[reg] = ptx_reg_units(&s->func->regs[reg]);
    return w;
}

static void walk_blocks(LivenessSolver *s, Arena *arena, Live *live)
{
    LivenessWalk w = make_walk(s, live);
    w.pressure = ptx_arena_array(arena, uint16_t, s->func->insn_count);
    w.dead = ptx_arena_array(s->scratch, InsnId, s->func->insn_count);
    for (BlockId block = 0; block < s->cfg->block_count; block++) {
        if (!ptx_block_is_reachable(s->cfg, block))
            continue;
        uint32_t dead_first = live->dead_count;
        begin_live_block(&w, block);
        for (InsnId i = s->cfg->blocks[block].end; i-- > s->cfg->blocks[block].first;)
            step_backwards(&w, i, true);
        end_block(&w);
        reverse(w.dead + dead_first, live->dead_count - dead_first);
    }
    live->pressure = w.pressure;
    InsnId *dead = ptx_arena_array(arena, InsnId, live->dead_count ? live->dead_count : 1);
    memcpy(dead, w.dead, live->dead_count * sizeof *dead);
    live->dead = dead;
    if (live->max_insn != NO_ID)
        list_maximum(&w, arena);
}

const LiveClasses *ptx_live_classes_compute(Arena *arena, Arena *scratch, const Func *func,
                                            const Cfg *cfg, const Live *live)
{
    LiveClasses *out = ptx_arena_array(arena, LiveClasses, func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    LivenessSolver s = { .scratch = scratch, .func = func, .cfg = cfg };
    s.version = ptx_arena_array(scratch, uint32_t, func->reg_count + 1);
    Live walked = *live;
    LivenessWalk w = make_walk(&s, &walked);
    w.classes = out;
    for (RegId reg = 0; reg < func->reg_count; reg++)
        if (ptx_type_info[func->regs[reg].type].bits == 64)
            w.units[reg] += (uint32_t)func->regs[reg].vector << WIDE_SHIFT;
    for (BlockId block = 0; block < cfg->block_count; block++) {
        if (!ptx_block_is_reachable(cfg, block))
            continue;
        begin_live_block(&w, block);
        for (InsnId i = cfg->blocks[block].end; i-- > cfg->blocks[block].first;)
            step_backwards(&w, i, true);
        end_block(&w);
    }
    ptx_arena_release(scratch, mark);
    return out;
}

const Live *ptx_live_compute(Arena *arena, Arena *scratch, DiagSink *diags, const Func *func,
                             const Cfg *cfg)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    uint32_t regs = func->reg_count + 1, blocks = cfg->block_count + 1;
    LivenessSolver s = { .scratch = scratch, .func = func, .cfg = cfg };
    uint32_t *per_reg = ptx_arena_array(scratch, uint32_t, (size_t)regs * 6);
    s.uses.head = per_reg;
    s.kills.head = per_reg + regs;
    s.defs.head = per_reg + 2 * (size_t)regs;
    s.def_stamp = per_reg + 3 * (size_t)regs;
    s.version = per_reg + 4 * (size_t)regs;
    s.touched = per_reg + 5 * (size_t)regs;
    s.is_defined = ptx_arena_array(scratch, bool, regs);
    s.use_need = ptx_arena_array(scratch, LivenessNeed, regs);
    s.out_need = ptx_arena_array(scratch, LivenessNeed, regs);
    s.use_first = ptx_arena_array(scratch, uint32_t, blocks);
    s.reached_stamp = ptx_arena_array(scratch, uint32_t, blocks);
    s.stack = ptx_arena_array(scratch, BlockId, blocks);
    uint64_t limit = LIMIT_LIVE_ENTRIES
                     + (uint64_t)LIMIT_LIVE_ENTRIES_PER_BYTE * ptx_span_length(func->span);
    /* at most 2^31 + 2^20: LIMIT_SOURCE_BYTES */
    s.live = ptx_explorer_make(scratch, cfg, (uint32_t)limit, LIMIT_LIVE_STEPS_PER_ENTRY * limit);
    /* most registers are written once, and read in that block alone */
    make_room_for_sites(&s, &s.kills, regs + regs / 4);
    make_room_for_sites(&s, &s.uses, regs / 2 + 1);
    for (BlockId block = 0; block < cfg->block_count; block++)
        scan_block(&s, block);
    Live *live = ptx_arena_new(arena, Live);
    live->max_insn = NO_ID;
    if (explore_all(&s)) {
        live->out_first = ptx_explorer_sort(&s.live, arena, &live->out);
        walk_blocks(&s, arena, live);
        ASSERT(live->max_insn == NO_ID || live->max_insn < func->insn_count);
        ASSERT(live->dead_count <= func->insn_count && live->max_reg_count <= func->reg_count);
    } else {
        ptx_diag(diags, DIAG_LIVENESS_LIMIT, func->name,
                 "liveness of this function is over its limit of %u entries and is not computed",
                 (unsigned)s.live.pair_limit);
        live = NULL;
    }
    ptx_arena_release(scratch, mark);
    return live;
}
