#include "analysis/race/lost_update.h"

#include "analysis/redundancy/effect.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/func.h"
#include "analysis/flow/cfg.h"
#include "ir/reg.h"

enum { MAX_CONDITION_DEPTH = 8 };

typedef struct UpdateSearch {
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
    CountTable counts;
    const Defs *defs;
    /* per register, when it was last come to; turn: of the walk in hand */
    uint32_t *visited;
    uint32_t turn;
    RegId *open;                /* still to be followed; each register once a walk */
    uint32_t open_count;
} UpdateSearch;

static bool is_shared_plain(const Insn *insn, OpKind kind)
{
    return insn->op->kind == kind && ptx_space_is_own_shared((Space)insn->op->space)
           && ptx_effect_is_plain(insn->op);
}

/* ---- walks over what registers are made of --------------------------------------------------- */

static void begin_walk(UpdateSearch *s)
{
    s->turn++;
    s->open_count = 0;
}

static void open_register(UpdateSearch *s, RegId reg)
{
    if (s->visited[reg] == s->turn)
        return;
    s->visited[reg] = s->turn;
    s->open[s->open_count++] = reg;
}

static void open_sources(UpdateSearch *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
            open_register(s, operands[o].id);
    if (insn->guard != NO_ID)
        open_register(s, insn->guard);
}

typedef struct IndexSources {        /* of a value */
    bool is_of_thread;          /* something may differ from thread to thread by itself */
    InsnId data;                /* a load of global memory; NO_ID: none */
} IndexSources;

static bool is_same_in_block(SregId id)
{
    switch (id) {
    case SREG_CTAID: case SREG_NCTAID: case SREG_NTID: case SREG_CLUSTERID: case SREG_NCLUSTERID:
    case SREG_CLUSTER_CTAID: case SREG_CLUSTER_NCTAID: case SREG_CLUSTER_CTARANK:
    case SREG_CLUSTER_NCTARANK: case SREG_DYNAMIC_SMEM_SIZE: case SREG_GRIDID:
        return true;
    default:
        return false;
    }
}

static bool has_thread_register(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_SREG && !is_same_in_block((SregId)operands[o].id))
            return true;
    return false;
}

/* A table in constant memory differs as its index does. */
static void follow_def(UpdateSearch *s, InsnId id, IndexSources *out)
{
    const Insn *insn = &s->func->insns[id];
    const Op *op = insn->op;
    if (op->flags & OPF_LOAD && op->kind == OPK_LD && op->space == SPACE_GLOBAL) {
        out->data = out->data == NO_ID ? id : out->data;
        return;
    }
    bool is_read_only = op->kind == OPK_LD
                        && (ptx_space_is_param((Space)op->space) || op->space == SPACE_CONST);
    bool is_opaque = op->flags & (OPF_LOAD | OPF_STORE | OPF_SIDE_EFFECT | OPF_UNKNOWN | OPF_WARP)
                     && !is_read_only;
    if (is_opaque || has_thread_register(s->func, insn))
        out->is_of_thread = true;
    else
        open_sources(s, insn);
}

/* Of the registers that are open. */
static IndexSources find_sources(UpdateSearch *s)
{
    IndexSources out = { .data = NO_ID };
    while (s->open_count && !out.is_of_thread) {
        const RegId reg = s->open[--s->open_count];
        out.is_of_thread |= !ptx_defs_count(s->defs, reg);
        for (uint32_t d = s->defs->first[reg]; d < s->defs->first[reg + 1]; d++)
            follow_def(s, s->defs->insns[d], &out);
    }
    return out;
}

static IndexSources sources_of(UpdateSearch *s, RegId reg)
{
    begin_walk(s);
    open_register(s, reg);
    return find_sources(s);
}

/* ---- conditions that choose one thread ------------------------------------------------------- */

static bool is_equality(const Op *op, bool holds)
{
    return holds ? ptx_op_has(op, MOD_EQ) || ptx_op_has(op, MOD_EQU)
                 : ptx_op_has(op, MOD_NE) || ptx_op_has(op, MOD_NEU);
}

static bool compares_thread(UpdateSearch *s, const Insn *insn)
{
    if (has_thread_register(s->func, insn))
        return true;
    begin_walk(s);
    open_sources(s, insn);
    return find_sources(s).is_of_thread;
}

/* Whether a condition that a predicate is made of may be true in one thread alone, where either of
 * its two outcomes may be the one that counts. */
static bool may_choose(UpdateSearch *s, RegId pred, unsigned depth)
{
    if (!depth || !ptx_defs_count(s->defs, pred))
        return true;
    for (uint32_t d = s->defs->first[pred]; d < s->defs->first[pred + 1]; d++) {
        const Insn *insn = &s->func->insns[s->defs->insns[d]];
        const Operand *operands = ptx_insn_operands(s->func, insn);
        bool is_logic = insn->op->type == TYPE_PRED;
        bool is_ordering = insn->op->operation == OP_SETP && !is_equality(insn->op, true)
                           && !is_equality(insn->op, false);
        if (insn->op->flags & (OPF_WARP | OPF_LOAD | OPF_SIDE_EFFECT)
            || (!is_logic && !is_ordering && compares_thread(s, insn)))
            return true;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
                && s->func->regs[operands[o].id].type == TYPE_PRED
                && may_choose(s, operands[o].id, depth - 1))
                return true;
    }
    return false;
}

/* The same of a predicate that is known to be true, or false. */
static bool chooses_one(UpdateSearch *s, RegId pred, bool holds)
{
    if (ptx_defs_count(s->defs, pred) == 1) {
        const Insn *insn = &s->func->insns[s->defs->insns[s->defs->first[pred]]];
        bool is_simple = insn->op->operation == OP_SETP && insn->operand_count == 3
                         && insn->guard == NO_ID;
        if (is_simple)
            return is_equality(insn->op, holds) && compares_thread(s, insn);
    }
    return may_choose(s, pred, MAX_CONDITION_DEPTH);
}

/* Whether the edge from a block to its successor is the only way to `to` from outside of what that
 * successor dominates. */
static bool leads_to(const UpdateSearch *s, BlockId from, BlockId succ, BlockId to)
{
    if (succ == EXIT_BLOCK || !ptx_dom_dominates(s->dom, succ, to))
        return false;
    const Block *block = &s->cfg->blocks[succ];
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const BlockId pred = s->cfg->preds[block->pred_first + p];
        if (pred != from && ptx_block_is_reachable(s->cfg, pred)
            && !ptx_dom_dominates(s->dom, succ, pred))
            return false;
    }
    return true;
}

static bool is_for_one_thread(UpdateSearch *s, InsnId access)
{
    const Insn *insn = &s->func->insns[access];
    const BlockId to = s->cfg->block_of[access];
    if (insn->guard != NO_ID && chooses_one(s, insn->guard, !insn->guard_negated))
        return true;
    for (BlockId b = s->dom->idom[to]; b != EXIT_BLOCK; b = s->dom->idom[b]) {
        const Block *block = &s->cfg->blocks[b];
        const Insn *last = &s->func->insns[block->end - 1];
        if (last->guard == NO_ID || block->succ_count != 2)
            continue;
        bool is_taken = leads_to(s, b, s->cfg->succs[block->succ_first], to),
             is_passed = leads_to(s, b, s->cfg->succs[block->succ_first + 1], to);
        if (is_taken != is_passed && chooses_one(s, last->guard, is_taken != last->guard_negated))
            return true;
    }
    return false;
}

/* ---- updates --------------------------------------------------------------------------------- */

static bool is_passed_on(const Op *op)
{
    return op->operation == OP_MOV || op->operation == OP_CVT || op->operation == OP_SELP;
}

/* Whether the registers that are open are computed from what the load gave; not where they are
 * that itself, copied, which as good as leaves the element alone. */
static bool is_computed_from(UpdateSearch *s, const Insn *load)
{
    while (s->open_count) {
        const RegId reg = s->open[--s->open_count];
        for (uint32_t d = s->defs->first[reg]; d < s->defs->first[reg + 1]; d++) {
            const Insn *insn = &s->func->insns[s->defs->insns[d]];
            const Operand *operands = ptx_insn_operands(s->func, insn);
            if (insn->op->flags & (OPF_LOAD | OPF_STORE | OPF_SIDE_EFFECT | OPF_UNKNOWN))
                continue;
            for (uint32_t o = 0; o < insn->operand_count && !is_passed_on(insn->op); o++)
                if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
                    && ptx_insn_defines(s->func, load, operands[o].id))
                    return true;
            open_sources(s, insn);
        }
    }
    return false;
}

static bool stores_update_of(UpdateSearch *s, const Insn *load, const Insn *store)
{
    const Operand *operands = ptx_insn_operands(s->func, store);
    begin_walk(s);
    for (uint32_t o = 0; o < store->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
            && !(operands[o].role & ROLE_ADDRESS))
            open_register(s, operands[o].id);
    return is_computed_from(s, load);
}

/* The load of what a store writes back, in the same round of the loops around; NO_ID: none. */
static InsnId find_load(UpdateSearch *s, InsnId id, const Operand *place)
{
    const Insn *store = &s->func->insns[id];
    const BlockId block = s->cfg->block_of[id];
    for (InsnId i = id; i-- > 0;) {
        const Insn *insn = &s->func->insns[i];
        const BlockId from = s->cfg->block_of[i];
        const Operand *at =
            is_shared_plain(insn, OPK_LD) ? ptx_effect_address(s->func, insn) : NULL;
        if (at && at->kind == OPERAND_REG && at->id == place->id
            && ptx_operand_value(at) == ptx_operand_value(place)
            && s->loops->loop_of[from] == s->loops->loop_of[block]
            && ptx_dom_dominates(s->dom, from, block) && stores_update_of(s, insn, store))
            return i;
    }
    return NO_ID;
}

static bool had_one_lane(const Count *count)
{
    return count->warps > 0 && count->lanes <= count->warps;
}

static bool find_update(UpdateSearch *s, InsnId id, LostUpdate *out)
{
    const Insn *store = &s->func->insns[id];
    const Operand *place =
        is_shared_plain(store, OPK_ST) ? ptx_effect_address(s->func, store) : NULL;
    if (!place || place->kind != OPERAND_REG || ptx_defs_count(s->defs, place->id) != 1
        || !ptx_block_is_reachable(s->cfg, s->cfg->block_of[id])
        || (s->counts && had_one_lane(ptx_count_of(s->counts, id))))
        return false;
    const IndexSources sources = sources_of(s, place->id);
    if (sources.is_of_thread || sources.data == NO_ID)
        return false;
    const InsnId load = find_load(s, id, place);
    if (load == NO_ID || is_for_one_thread(s, load) || is_for_one_thread(s, id))
        return false;
    *out = (LostUpdate){ .load = load, .store = id, .index = sources.data };
    return true;
}

/* An atomic swap may be a lock. */
static bool has_lock(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (ptx_op_has(func->insns[i].op, MOD_CAS) || ptx_op_has(func->insns[i].op, MOD_EXCH))
            return true;
    return false;
}

uint32_t ptx_lost_updates_find(Arena *scratch, const LostUpdateInput *input, LostUpdate *out,
                               uint32_t most)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    UpdateSearch s = { .func = input->flow->func,
                       .cfg = input->flow->cfg,
                       .dom = input->flow->dom,
                       .loops = input->flow->loops,
                       .counts = input->counts };
    uint32_t count = 0;
    if (has_lock(s.func))
        return 0;
    s.defs = ptx_defs_of(scratch, input->flow);
    s.visited = ptx_arena_array(scratch, uint32_t, s.func->reg_count);
    s.open = ptx_arena_array(scratch, RegId, s.func->reg_count);
    for (InsnId i = 0; i < s.func->insn_count && count < most; i++)
        count += find_update(&s, i, &out[count]);
    ptx_arena_release(scratch, mark);
    return count;
}
