/* Whether a guess at a parameter decides which threads of a block come to an instruction.
 *
 * Conditions that it is control dependent on, after Ferrante, Ottenstein and Warren, "The Program
 * Dependence Graph and Its Use in Optimization" (TOPLAS 1987), are followed to what they are made
 * of. One that is uniform in the block diverges no threads, whatever is guessed. One that numbers
 * and the thread's index make is no guess. */
#include "analysis/race/search.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"

enum {
    MAX_CONTROL_BLOCKS = 1024,  /* of a function: more are not looked at */
    MAX_SOURCES = 64,           /* definitions behind one condition */
};

typedef struct GuessedControl {
    const Search *search;
    SimFunc ran;
    const Defs *defs;
    bool *is_seen;              /* per block: what it is control dependent on was asked for */
    BlockId *open;
    uint32_t open_count;
} GuessedControl;

/* ---- what a condition is made of ------------------------------------------------------------- */

typedef struct ConditionSources {
    RegId regs[MAX_SOURCES];
    uint32_t count;
    bool is_full;
} ConditionSources;

static void add_condition_source(ConditionSources *list, RegId reg)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->regs[i] == reg)
            return;
    list->is_full |= list->count == MAX_SOURCES;
    if (!list->is_full)
        list->regs[list->count++] = reg;
}

/* It computes, from registers, numbers and special registers alone. */
static bool take_condition_sources(const GuessedControl *g, InsnId insn, ConditionSources *list)
{
    const Func *func = g->search->func;
    const Insn *from = &func->insns[insn];
    const Operand *operands = ptx_insn_operands(func, from);
    const Op *op = from->op;
    if (op->kind == OPK_LD || op->kind == OPK_CALL
        || op->flags & (OPF_LOAD | OPF_UNKNOWN | OPF_WARP))
        return false;
    if (from->guard != NO_ID)
        add_condition_source(list, from->guard);
    for (uint32_t o = 0; o < from->operand_count; o++) {
        const bool is_register = operands[o].kind == OPERAND_REG;
        if (operands[o].role & ROLE_ADDRESS || operands[o].kind == OPERAND_VAR
            || operands[o].kind == OPERAND_UNKNOWN)
            return false;
        if (is_register && operands[o].role & ROLE_USE)
            add_condition_source(list, operands[o].id);
    }
    return true;
}

static bool is_made_of_threads(const GuessedControl *g, RegId condition)
{
    ConditionSources list = { .regs = { condition }, .count = 1 };
    for (uint32_t i = 0; i < list.count; i++) {
        const uint32_t count = ptx_defs_count(g->defs, list.regs[i]);
        if (!count || count > MAX_DEFS)
            return false;
        for (uint32_t d = 0; d < count; d++)
            if (!take_condition_sources(g, g->defs->insns[g->defs->first[list.regs[i]] + d], &list))
                return false;
        if (list.is_full)
            return false;
    }
    return true;
}

/* ---- control dependence ---------------------------------------------------------------------- */

/* A block that comes behind one way out of the branch for certain, and behind the branch not. */
static bool depends_on(const GuessedControl *g, BlockId block, BlockId branch)
{
    const Cfg *cfg = g->ran.cfg;
    const BlockId end = g->ran.dom->ipdom[branch];
    for (uint32_t e = 0; e < cfg->blocks[branch].succ_count; e++) {
        BlockId at = cfg->succs[cfg->blocks[branch].succ_first + e];
        for (; at != EXIT_BLOCK && at != end; at = g->ran.dom->ipdom[at])
            if (at == block)
                return true;
    }
    return false;
}

static bool is_guess(const GuessedControl *g, BlockId branch)
{
    const Insn *last = &g->search->func->insns[g->ran.cfg->blocks[branch].end - 1];
    const bool is_same = g->search->uniforms->branches[branch].uniformity == UNIFORMITY_BLOCK;
    return !is_same && (last->guard == NO_ID || !is_made_of_threads(g, last->guard));
}

static void open_block(GuessedControl *g, BlockId block)
{
    if (!g->is_seen[block])
        g->open[g->open_count++] = block;
    g->is_seen[block] = true;
}

static bool is_reached_by_guess(GuessedControl *g, BlockId block)
{
    const Cfg *cfg = g->ran.cfg;
    open_block(g, block);
    while (g->open_count) {
        const BlockId at = g->open[--g->open_count];
        for (uint32_t i = 0; i < cfg->rpo_count; i++) {
            const BlockId branch = cfg->rpo[i];
            if (cfg->blocks[branch].succ_count < 2 || !depends_on(g, at, branch))
                continue;
            if (is_guess(g, branch))
                return true;
            open_block(g, branch);
        }
    }
    return false;
}

bool ptx_search_depends_on_guess(Search *s, InsnId insn)
{
    if (ptx_search_is_for_all(s, insn))
        return false;
    const SimFunc ran = ptx_machine_func(s->machine, s->kernel);
    if (ran.cfg->block_count > MAX_CONTROL_BLOCKS || ran.cfg->has_unknown_target)
        return true;
    ArenaMark mark = ptx_arena_mark(s->scratch);
    GuessedControl g = { .search = s,
                         .ran = ran,
                         .defs = s->uniforms->defs,
                         .is_seen = ptx_arena_array(s->scratch, bool, ran.cfg->block_count),
                         .open = ptx_arena_array(s->scratch, BlockId, ran.cfg->block_count) };
    const Insn *at = &s->func->insns[insn];
    const bool is_guarded = at->guard != NO_ID && !is_made_of_threads(&g, at->guard);
    const bool depends = is_guarded || is_reached_by_guess(&g, ran.cfg->block_of[insn]);
    ptx_arena_release(s->scratch, mark);
    return depends;
}
