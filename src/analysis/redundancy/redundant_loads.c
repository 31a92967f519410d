#include "analysis/redundancy/redundant_loads.h"

#include "analysis/flow/defs.h"
#include "analysis/redundancy/local_value_numbering.h"
#include "analysis/redundancy/loop_exits.h"
#include "analysis/redundancy/loop_invariance.h"
#include "support/hash.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

#include <stdlib.h>

enum {
    MAX_TRIES = 16,            /* places of a table that are looked at */
    WORD_BYTES = 4,             /* a store is noted by the words that it touches */
};

typedef struct LoadSlot {
    NumberedValue at;
    uint32_t guard;             /* its number, twice, and 1 where negated; 0: none */
    InsnId insn;                /* + 1; 0: free */
    uint8_t space, bytes;
    bool is_nc;                 /* of the load that ptxas keeps, as epoch */
    uint32_t epoch;             /* the same for two: nothing between them writes such memory */
} LoadSlot;

typedef struct WordSlot {       /* the last store to a word behind a base */
    NumberedValue at;                   /* offset: in words */
    InsnId insn;                /* + 1; 0: free */
} WordSlot;

typedef struct RedundantLoadsAccess {         /* for neighbours */
    NumberedValue at;
    uint32_t op;                /* Op.id */
    uint32_t epoch;             /* the same for two: nothing between them is in the way */
    InsnId insn;
} RedundantLoadsAccess;

/* Of one kind of memory, in the block. Times are instructions, + 1. */
typedef struct MemoryState {
    uint32_t last_base;         /* of the last write; NUMBER_NONE: anywhere */
    InsnId last_write, other_write;     /* the last one, and the last one with another base */
    uint32_t write_count, store_epoch;
    uint32_t store_base, store_op;      /* of the last store */
} MemoryState;

typedef struct RedundantLoadsWalk {
    const Func *func;
    const Cfg *cfg;
    Numbers numbers;
    LoadSlot *loads;
    WordSlot *stores;
    uint32_t load_mask, store_mask;
    RedundantLoadsAccess *accesses;           /* of the block */
    uint32_t access_count;
    MemoryState memory[MEMORY_COUNT];
    InsnId barrier;             /* nothing was done since; NO_ID */
    NumberedValue barrier_threads;
    uint32_t barrier_guard;
    InsnId *earlier, *barriers;
    bool *merged;
    uint8_t *neighbours;
} RedundantLoadsWalk;

/* An access with an address of which a number is known. */
typedef struct RedundantLoadsPlace {
    NumberedValue at;
    uint8_t memory, space, bytes;
    bool is_known;
} RedundantLoadsPlace;

static bool is_param_load(const Op *op)
{
    return op->insn_class == CLASS_PARAM;
}

static uint32_t guard_key(RedundantLoadsWalk *w, const Insn *insn)
{
    return insn->guard == NO_ID
               ? 0
               : 2 * ptx_value_numbers_get(&w->numbers, insn->guard).base + insn->guard_negated;
}

static RedundantLoadsPlace place_of(RedundantLoadsWalk *w, const Insn *insn)
{
    const Op *op = insn->op;
    RedundantLoadsPlace place = { .at = ptx_value_numbers_address(
                                      &w->numbers, ptx_effect_address(w->func, insn)),
                                  .memory = ptx_effect_memory((Space)op->space),
                                  .space = op->space,
                                  .bytes = insn->access_bytes };
    bool is_atomic = (op->kind == OPK_ATOM || op->kind == OPK_RED) && !ptx_op_has(op, MOD_ASYNC);
    place.is_known = place.at.base != NUMBER_NONE && place.bytes
                     && (ptx_effect_is_plain(op) || is_atomic);
    return place;
}

static bool is_current(const RedundantLoadsWalk *w, InsnId insn_after)
{
    return insn_after && w->cfg->block_of[insn_after - 1] == w->numbers.block;
}

/* ---- writes ---------------------------------------------------------------------------------- */

static WordSlot *find_loaded_word(RedundantLoadsWalk *w, uint32_t base, int64_t word, bool may_add)
{
    uint32_t slot = (uint32_t)(ptx_hash_add(base, (uint64_t)word) >> 32) & w->store_mask;
    WordSlot *free_slot = NULL;
    for (uint32_t tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) & w->store_mask) {
        WordSlot *s = &w->stores[slot];
        bool current = is_current(w, s->insn);
        if (current && s->at.base == base && s->at.offset == word)
            return s;
        if (!current && !free_slot)
            free_slot = s;
        if (!s->insn)
            break;
    }
    return may_add ? free_slot : NULL;
}

static int64_t word_of(int64_t offset)
{
    return offset >= 0 ? offset / WORD_BYTES : -((-(offset + 1)) / WORD_BYTES) - 1;
}

static int64_t last_word(const RedundantLoadsPlace *place)
{
    return word_of((int64_t)((uint64_t)place->at.offset + place->bytes - 1));
}

/* False where the table has no room: then the store is one to anywhere. */
static bool note_words(RedundantLoadsWalk *w, const RedundantLoadsPlace *place, InsnId id)
{
    for (int64_t word = word_of(place->at.offset); word <= last_word(place); word++) {
        WordSlot *slot = find_loaded_word(w, place->at.base, word, true);
        if (!slot)
            return false;
        *slot = (WordSlot){ { place->at.base, word }, id + 1 };
    }
    return true;
}

static void note_write(RedundantLoadsWalk *w, uint8_t memory, const RedundantLoadsPlace *place,
                       InsnId id)
{
    bool is_known = place->is_known && note_words(w, place, id);
    for (unsigned m = 0; m < MEMORY_COUNT; m++) {
        MemoryState *s = &w->memory[m];
        if (!(memory >> m & 1))
            continue;
        s->write_count++;
        if (!is_known || s->last_base != place->at.base)
            s->other_write = is_known ? s->last_write : id + 1;
        s->last_base = is_known ? place->at.base : NUMBER_NONE;
        s->last_write = id + 1;
    }
}

/* Whether something behind the load at `since` (+ 1) may have written there. */
static bool is_overwritten(RedundantLoadsWalk *w, const RedundantLoadsPlace *place, InsnId since)
{
    for (unsigned m = 0; m < MEMORY_COUNT; m++) {
        const MemoryState *s = &w->memory[m];
        if (place->memory >> m & 1
            && (s->last_base == place->at.base ? s->other_write : s->last_write) > since)
            return true;
    }
    for (int64_t word = word_of(place->at.offset); place->memory && word <= last_word(place);
         word++) {
        const WordSlot *slot = find_loaded_word(w, place->at.base, word, false);
        if (slot && slot->insn > since)
            return true;
    }
    return false;
}

/* ---- loads that were there before ------------------------------------------------------------ */

static bool is_same_load(const LoadSlot *slot, const RedundantLoadsPlace *place, uint32_t guard)
{
    return slot->at.base == place->at.base && slot->at.offset == place->at.offset
           && slot->space == place->space && slot->bytes == place->bytes && slot->guard == guard;
}

static uint32_t load_epoch(const RedundantLoadsWalk *w, uint8_t memory)
{
    uint32_t epoch = 0;
    for (unsigned m = 0; m < MEMORY_COUNT; m++)
        epoch += memory >> m & 1 ? w->memory[m].write_count : 0;
    return epoch;
}

/* A load that ptxas does not merge with an earlier one is what later ones are merged with. */
static void note_repeated_load(RedundantLoadsWalk *w, LoadSlot *slot, InsnId id)
{
    const Op *op = w->func->insns[id].op;
    const uint32_t epoch = load_epoch(w, ptx_effect_reads(op));
    w->earlier[id] = slot->insn - 1;
    w->merged[id] = slot->is_nc == ptx_op_has(op, MOD_NC) && slot->epoch == epoch;
    slot->is_nc = ptx_op_has(op, MOD_NC);
    slot->epoch = epoch;
}

static void note_load(RedundantLoadsWalk *w, const RedundantLoadsPlace *place, uint32_t guard,
                      InsnId id)
{
    const Op *op = w->func->insns[id].op;
    uint64_t hash = ptx_hash_add(place->at.base, (uint64_t)place->at.offset);
    hash = ptx_hash_add(hash, (uint64_t)place->space << 8 | place->bytes);
    uint32_t slot = (uint32_t)(hash >> 32);
    for (uint32_t tries = 0; tries < MAX_TRIES; tries++) {
        LoadSlot *s = &w->loads[(slot + tries) & w->load_mask];
        bool current = is_current(w, s->insn);
        if (current && !is_same_load(s, place, guard))
            continue;
        if (current && !is_overwritten(w, place, s->insn))
            note_repeated_load(w, s, id);
        else
            *s = (LoadSlot){ place->at, guard, id + 1, place->space, place->bytes,
                             ptx_op_has(op, MOD_NC), load_epoch(w, ptx_effect_reads(op)) };
        return;
    }
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* Two stores have the same epoch where only stores of their text and base are between. */
static uint32_t store_epoch(RedundantLoadsWalk *w, const RedundantLoadsPlace *place, uint32_t op)
{
    uint32_t epoch = 0;
    for (unsigned m = 0; m < MEMORY_COUNT; m++) {
        MemoryState *s = &w->memory[m];
        if (!(place->memory >> m & 1))
            continue;
        s->store_epoch += s->store_base != place->at.base || s->store_op != op;
        s->store_base = place->at.base;
        s->store_op = op;
        epoch += s->store_epoch;
    }
    return epoch;
}

static void end_stores(RedundantLoadsWalk *w, uint8_t memory)
{
    for (unsigned m = 0; m < MEMORY_COUNT; m++)
        if (memory >> m & 1)
            w->memory[m].store_base = NUMBER_NONE;
}

static void note_access(RedundantLoadsWalk *w, const RedundantLoadsPlace *place, const Insn *insn,
                        InsnId id)
{
    bool is_store = insn->op->kind == OPK_ST;
    if (insn->guard != NO_ID) {
        end_stores(w, is_store ? place->memory : 0);
        return;
    }
    uint32_t epoch = is_store ? store_epoch(w, place, insn->op->id)
                              : load_epoch(w, ptx_effect_reads(insn->op));
    w->accesses[w->access_count++] = (RedundantLoadsAccess){ place->at, insn->op->id, epoch, id };
}

static int by_load_place(const void *a, const void *b)
{
    const RedundantLoadsAccess *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->at.base != y->at.base)
        return x->at.base < y->at.base ? -1 : 1;
    if (x->epoch != y->epoch)
        return x->epoch < y->epoch ? -1 : 1;
    if (x->at.offset != y->at.offset)
        return x->at.offset < y->at.offset ? -1 : 1;
    return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static bool are_together(const RedundantLoadsAccess *a, const RedundantLoadsAccess *b)
{
    return a->op == b->op && a->at.base == b->at.base && a->epoch == b->epoch;
}

/* The same address twice counts once; a gap, or an overlap, ends a run. */
static void find_runs(RedundantLoadsWalk *w)
{
    if (w->access_count > 1)
        qsort(w->accesses, w->access_count, sizeof *w->accesses, by_load_place);
    for (uint32_t a = 0, next; a < w->access_count; a = next) {
        const RedundantLoadsAccess *first = &w->accesses[a];
        uint64_t end = (uint64_t)first->at.offset + w->func->insns[first->insn].access_bytes;
        uint32_t count = 1;
        for (next = a + 1; next < w->access_count && are_together(first, &w->accesses[next]);
             next++) {
            const RedundantLoadsAccess *access = &w->accesses[next];
            if (access->at.offset == w->accesses[next - 1].at.offset)
                continue;
            if ((uint64_t)access->at.offset != end)
                break;
            end += w->func->insns[access->insn].access_bytes;
            count++;
        }
        w->neighbours[first->insn] = (uint8_t)(count < UINT8_MAX ? count : UINT8_MAX);
    }
    w->access_count = 0;
}

/* ---- barriers -------------------------------------------------------------------------------- */

static bool is_barrier(const Op *op)
{
    return op->kind == OPK_BAR && op->form && ptx_op_has(op, MOD_SYNC) && !ptx_op_has(op, MOD_WARP)
        && !ptx_op_has(op, MOD_CLUSTER);
}

/* NUMBER_NONE: all threads of the block. */
static NumberedValue max_threads_of(RedundantLoadsWalk *w, const Insn *insn,
                                    const Operand *operands)
{
    if (insn->operand_count < 2)
        return (NumberedValue){ NUMBER_NONE, 0 };
    if (operands[1].kind == OPERAND_REG)
        return ptx_value_numbers_get(&w->numbers, operands[1].id);
    return (NumberedValue){ NUMBER_VARIABLE, ptx_operand_value(&operands[1]) };
}

static void note_barrier(RedundantLoadsWalk *w, const Insn *insn, InsnId id)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    if (!insn->operand_count || operands[0].kind != OPERAND_INT) {
        w->barrier = NO_ID;
        return;
    }
    NumberedValue threads = max_threads_of(w, insn, operands);
    uint32_t guard = guard_key(w, insn);
    bool is_same = w->barrier != NO_ID
                   && ptx_operand_value(&ptx_insn_operands(w->func, &w->func->insns[w->barrier])[0])
                          == ptx_operand_value(&operands[0])
                   && threads.base == w->barrier_threads.base
                   && threads.offset == w->barrier_threads.offset && guard == w->barrier_guard;
    if (is_same)
        w->barriers[id] = w->barrier;
    w->barrier = id;
    w->barrier_threads = threads;
    w->barrier_guard = guard;
}

/* What is seen outside of the thread, or reads a clock. */
static bool does_something(const RedundantLoadsWalk *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    if (insn->op->flags & (OPF_SIDE_EFFECT | OPF_WARP | OPF_UNKNOWN))
        return true;
    if (insn->op->space && !is_param_load(insn->op) && insn->op->insn_class != CLASS_CONST)
        return true;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_SREG && !ptx_effect_is_fixed((SregId)operands[o].id))
            return true;
    return false;
}

/* ---- a block --------------------------------------------------------------------------------- */

static void step_over_insn(RedundantLoadsWalk *w, InsnId id)
{
    const Insn *insn = &w->func->insns[id];
    const Op *op = insn->op;
    uint8_t writes = ptx_effect_writes(op), reads = ptx_effect_reads(op);
    RedundantLoadsPlace place = { 0 };
    if (op->flags & (OPF_LOAD | OPF_STORE))
        place = place_of(w, insn);
    bool is_plain =
        place.is_known && !is_param_load(op) && (op->kind == OPK_LD || op->kind == OPK_ST);
    if (is_plain && op->kind == OPK_LD && op->insn_class != CLASS_CONST)
        note_load(w, &place, guard_key(w, insn), id);
    if (is_barrier(op))
        note_barrier(w, insn, id);
    else if (does_something(w, insn))
        w->barrier = NO_ID;
    end_stores(w, is_plain ? reads : reads | writes);
    if (is_plain)
        note_access(w, &place, insn, id);
    if (writes & ~place.memory)
        place.is_known = false;         /* others' writes come into view */
    if (writes)
        note_write(w, writes, &place, id);
    ptx_value_numbers_step(&w->numbers, id);
}

/* Two of them at least, or there is nothing to compare. */
static bool is_worthwhile(const RedundantLoadsWalk *w, const Block *block)
{
    unsigned accesses = 0, barriers = 0;
    for (InsnId i = block->first; i < block->end; i++) {
        const Op *op = w->func->insns[i].op;
        accesses += op->flags & (OPF_LOAD | OPF_STORE) && !is_param_load(op);
        barriers += op->kind == OPK_BAR;
        if (accesses > 1 || barriers > 1)
            return true;
    }
    return false;
}

static void note_single(RedundantLoadsWalk *w, const Block *block)
{
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &w->func->insns[i];
        if (insn->op->flags & (OPF_LOAD | OPF_STORE) && !is_param_load(insn->op)
            && insn->guard == NO_ID && insn->access_bytes && ptx_effect_is_plain(insn->op)
            && ptx_effect_address(w->func, insn))
            w->neighbours[i] = 1;
    }
}

static void walk_block(RedundantLoadsWalk *w, BlockId b)
{
    const Block *block = &w->cfg->blocks[b];
    if (!is_worthwhile(w, block)) {
        note_single(w, block);
        return;
    }
    memset(w->memory, 0, sizeof w->memory);
    w->barrier = NO_ID;
    ptx_value_numbers_enter(&w->numbers, b);
    for (InsnId i = block->first; i < block->end; i++)
        step_over_insn(w, i);
    find_runs(w);
}

static uint32_t table_size(uint64_t count)
{
    uint32_t size = 16;
    while (size < 2 * count && size < 1u << 30)
        size *= 2;
    return size;
}

/* Room for the blocks: tables are shared by all, for what another block left in them is free. */
static void size_tables(RedundantLoadsWalk *w, Arena *scratch)
{
    uint32_t most_accesses = 0, most_words = 0;
    for (BlockId b = 0; b < w->cfg->block_count; b++) {
        uint32_t accesses = 0, words = 0;
        for (InsnId i = w->cfg->blocks[b].first; i < w->cfg->blocks[b].end; i++) {
            const Insn *insn = &w->func->insns[i];
            accesses += (insn->op->flags & (OPF_LOAD | OPF_STORE)) != 0;
            words += insn->op->flags & OPF_STORE ? insn->access_bytes / WORD_BYTES + 2u : 0;
        }
        most_accesses = accesses > most_accesses ? accesses : most_accesses;
        most_words = words > most_words ? words : most_words;
    }
    w->load_mask = table_size(most_accesses) - 1;
    w->store_mask = table_size(most_words) - 1;
    w->loads = ptx_arena_array(scratch, LoadSlot, w->load_mask + (size_t)1);
    w->stores = ptx_arena_array(scratch, WordSlot, w->store_mask + (size_t)1);
    w->accesses = ptx_arena_array(scratch, RedundantLoadsAccess, most_accesses + 1);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool is_address_invariant(const FuncFlow *flow, const Defs *defs, const Insn *insn,
                                 LoopId loop)
{
    const Operand *operands = ptx_insn_operands(flow->func, insn);
    bool has_address = false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_ADDRESS))
            continue;
        has_address = true;
        if (operands[o].kind == OPERAND_UNKNOWN
            || (operands[o].kind == OPERAND_REG
                && !ptx_loop_keeps_reg(flow, defs, operands[o].id, loop)))
            return false;
    }
    return has_address;
}

/* Per loop: what its instructions do to memory. */
typedef struct LoopWrites {
    uint8_t memory;             /* MEMORY_ bits that an instruction in it may write, */
    uint8_t stored;             /* and that a store or an atomic may */
    bool sees_others;           /* what threads of other blocks write is asked for, or a call may */
} LoopWrites;

/* Barriers of the block, and waits for copies of the thread's own, ask for none of other blocks. */
static bool may_see_others(const Op *op)
{
    if (op->flags & OPF_UNKNOWN || op->kind == OPK_CALL)
        return true;
    if (op->flags & OPF_STORE)
        return ptx_effect_writes(op) != ptx_effect_memory((Space)op->space);
    if (op->flags & OPF_LOAD)
        return ptx_effect_writes(op) != 0;
    return op->operation == OP_FENCE || op->operation == OP_MEMBAR
           || op->family == OP_GRIDDEPCONTROL;
}

static LoopWrites *loop_writes(Arena *arena, const Func *func, const Cfg *cfg, const Loops *loops)
{
    LoopWrites *out = ptx_arena_array(arena, LoopWrites, loops->loop_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        LoopId loop = loops->loop_of[cfg->block_of[i]];
        if (loop == NO_LOOP)
            continue;
        out[loop].sees_others |= may_see_others(op);
        out[loop].memory |= ptx_effect_writes(op);
        if (op->flags & OPF_STORE)
            out[loop].stored |= ptx_effect_writes(op);
    }
    for (LoopId loop = loops->loop_count; loop-- > 0;) {
        const LoopId parent = loops->loops[loop].parent;
        if (parent == NO_LOOP)
            continue;
        out[parent].memory |= out[loop].memory;
        out[parent].stored |= out[loop].stored;
        out[parent].sees_others |= out[loop].sees_others;
    }
    return out;
}

/* Of an address that its loop does not change, in memory that the loop does not write. */
static bool is_hoisted(const FuncFlow *flow, const LoopExits *exits, LoopId loop, InsnId id)
{
    const Insn *insn = &flow->func->insns[id];
    return insn->guard == NO_ID && insn->op->flags & OPF_LOAD
           && ptx_loop_exits_are_behind(flow, exits, loop, flow->cfg->block_of[id]);
}

/* What RedundantLoads says of loops, while it is found. */
typedef struct LoopAccesses {
    bool *invariant, *may_change, *may_be_stored, *hoisted;
} LoopAccesses;

static void look_at_loops(Arena *scratch, const FuncFlow *flow, const Defs *defs,
                          const LoopAccesses *out)
{
    const Func *func = flow->func;
    const LoopWrites *writes = loop_writes(scratch, func, flow->cfg, flow->loops);
    const LoopExits *exits = ptx_loop_exits_compute(scratch, flow);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        LoopId loop = flow->loops->loop_of[flow->cfg->block_of[i]];
        if (loop == NO_LOOP || !(insn->op->flags & (OPF_LOAD | OPF_STORE)))
            continue;
        out->invariant[i] = is_address_invariant(flow, defs, insn, loop);
        const uint8_t reads = insn->op->flags & OPF_LOAD ? ptx_effect_reads(insn->op) : 0;
        out->may_change[i] = writes[loop].memory & reads;
        out->may_be_stored[i] = !writes[loop].sees_others && writes[loop].stored & reads;
        out->hoisted[i] = out->invariant[i] && !out->may_change[i]
                          && is_hoisted(flow, exits, loop, i);
    }
}

static InsnId *no_insns(Arena *arena, const Func *func)
{
    InsnId *out = ptx_arena_array(arena, InsnId, func->insn_count + 1);
    memset(out, 0xff, (func->insn_count + (size_t)1) * sizeof *out);    /* NO_ID */
    return out;
}

const RedundantLoads *ptx_redundant_loads_compute(Arena *arena, Arena *scratch,
                                                  const FuncFlow *flow, const Defs *defs)
{
    const Func *func = flow->func;
    const Cfg *cfg = flow->cfg;
    ArenaMark mark = ptx_arena_mark(scratch);
    RedundantLoads *out = ptx_arena_new(arena, RedundantLoads);
    const LoopAccesses in_loops = { ptx_arena_array(arena, bool, func->insn_count + 1),
                                    ptx_arena_array(arena, bool, func->insn_count + 1),
                                    ptx_arena_array(arena, bool, func->insn_count + 1),
                                    ptx_arena_array(arena, bool, func->insn_count + 1) };
    RedundantLoadsWalk walk = { .func = func,
                                .cfg = cfg,
                                .numbers = ptx_value_numbers_new(scratch, flow->module, func, cfg),
                                .earlier = no_insns(arena, func),
                                .barriers = no_insns(arena, func),
                                .merged = ptx_arena_array(arena, bool, func->insn_count + 1),
                                .neighbours = ptx_arena_array(arena, uint8_t,
                                                              func->insn_count + 1) };
    size_tables(&walk, scratch);
    for (BlockId b = 0; b < cfg->block_count; b++)
        if (ptx_block_is_reachable(cfg, b))
            walk_block(&walk, b);
    if (flow->loops->loop_count)
        look_at_loops(scratch, flow, defs, &in_loops);
    *out = (RedundantLoads){ .earlier = walk.earlier,
                             .barrier = walk.barriers,
                             .merged = walk.merged,
                             .invariant = in_loops.invariant,
                             .may_change = in_loops.may_change,
                             .may_be_stored = in_loops.may_be_stored,
                             .hoisted = in_loops.hoisted,
                             .neighbours = walk.neighbours };
    ptx_arena_release(scratch, mark);
    return out;
}
