#include "analysis/trips/exit_condition.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "analysis/flow/types.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/value/ssa.h"
#include "analysis/value/symbolic.h"

enum {
    MAX_NESTED = 16,           /* loops that are looked at for the sake of another */
    MAX_LINEAR_DEPTH = 24,     /* operations between a comparison and its counter */
    MAX_DOMINATORS = 256,      /* blocks above a loop that are looked at */
};

/* ---- the ways out ---------------------------------------------------------------------------- */

static bool is_trap_edge(const Counter *c, BlockId from, BlockId to)
{
    const Insn *last = &c->func->insns[c->cfg->blocks[from].end - 1];
    return to == EXIT_BLOCK ? last->op->kind == OPK_TRAP || last->op->kind == OPK_CALL
                            : ptx_block_ends_in_trap(c->cfg, c->func, to);
}

static void add_leaving(Counter *c, LoopId loop, BlockId block, uint32_t side)
{
    ExitPlan *plan = &c->plans[loop];
    if (plan->leaving_count++ >= MAX_LEAVING)
        return;
    if (c->leaving_count == c->leaving_capacity)
        c->leaving = ptx_arena_grow(c->scratch, c->leaving, c->leaving_count, &c->leaving_capacity,
                                    sizeof *c->leaving);
    c->leaving[c->leaving_count] = (Leaving){ block, side, plan->leaving_first };
    plan->leaving_first = c->leaving_count++;
}

static bool is_latch_branch(const Counter *c, LoopId loop, BlockId block)
{
    const Block *b = &c->cfg->blocks[block];
    for (uint32_t e = 0; e < b->succ_count; e++) {
        if (c->cfg->succs[b->succ_first + e] == c->loops->loops[loop].header)
            return true;
    }
    return false;
}

/* Whether an instruction does more than a loop needs to count. */
static bool is_work(const Insn *insn)
{
    switch (insn->op->insn_class) {
    case CLASS_INT:
    case CLASS_LOGIC:
    case CLASS_CVT:
    case CLASS_MOVE:
    case CLASS_PARAM:
    case CLASS_CONTROL:
        return insn->op->kind == OPK_CALL;
    default:
        return true;
    }
}

static void find_work(Counter *c)
{
    c->works = ptx_arena_array(c->scratch, uint8_t, c->cfg->block_count);
    for (uint32_t i = 0; i < c->cfg->rpo_count; i++) {
        BlockId b = c->cfg->rpo[i];
        LoopId loop = c->loops->loop_of[b];
        for (InsnId insn = c->cfg->blocks[b].first;
             insn < c->cfg->blocks[b].end && !c->works[b] && loop != NO_LOOP; insn++)
            c->works[b] = is_work(&c->func->insns[insn]);
        if (c->works[b] && c->loops->loops[loop].header != b)
            c->plans[loop].rest_works = true;
    }
    for (LoopId loop = c->loops->loop_count; loop-- > 0;) {
        const Loop *inner = &c->loops->loops[loop];
        if (inner->parent != NO_LOOP)
            c->plans[inner->parent].rest_works |= c->plans[loop].rest_works
                                                  || c->works[inner->header];
    }
}

/* Whether a test stands before the body of the loop: what is counted then is how often it lets it
 * run. A header that works before it tests is run once more than the rest; if the rest only counts,
 * that header is the body. */
static bool is_before_body(Counter *c, LoopId loop, BlockId block)
{
    BlockId header = c->loops->loops[loop].header;
    bool works = false;
    if (is_latch_branch(c, loop, block))
        return false;
    for (BlockId b = block; !works && ptx_ssa_spend(c->reach, 1); b = c->dom->idom[b]) {
        works = c->works[b];
        if (b == header)
            break;
    }
    return !works || (block == header && c->plans[loop].rest_works);
}

void ptx_exit_find_edges(Counter *c)
{
    find_work(c);
    c->leaving_capacity = 64;
    c->leaving = ptx_arena_array(c->scratch, Leaving, c->leaving_capacity);
    for (uint32_t i = c->cfg->rpo_count; i-- > 0;) {
        BlockId b = c->cfg->rpo[i];
        const Block *block = &c->cfg->blocks[b];
        for (uint32_t e = 0; e < block->succ_count && c->loops->loop_of[b] != NO_LOOP; e++) {
            BlockId to = c->cfg->succs[block->succ_first + e];
            for (LoopId loop = c->loops->loop_of[b]; loop != NO_LOOP;
                 loop = c->loops->loops[loop].parent) {
                if (!ptx_ssa_spend(c->reach, 1)
                    || (to != EXIT_BLOCK && ptx_ssa_holds(c->reach, loop, to)))
                    break;
                if (!is_trap_edge(c, b, to))
                    add_leaving(c, loop, b, e);
            }
        }
    }
}

/* The predicate under which a block is left over one of its edges; 0: not one that a guard
 * decides. */
static SymId edge_predicate(Counter *c, BlockId b, uint32_t side)
{
    const Block *block = &c->cfg->blocks[b];
    const Insn *last = &c->func->insns[block->end - 1];
    uint8_t kind = last->op->kind;
    bool decides = kind == OPK_BRA || kind == OPK_RET || kind == OPK_EXIT || kind == OPK_TRAP;
    if (!decides || last->guard == NO_ID || block->succ_count != 2)
        return 0;
    SymId guard = ptx_ssa_guard(c->reach, block->end - 1);
    return side ? ptx_sym_not(c->s, guard) : guard;
}

/* Whether every iteration that is followed by another one passes the block. */
static bool is_in_every_iteration(Counter *c, LoopId loop, BlockId block)
{
    const Block *header = &c->cfg->blocks[c->loops->loops[loop].header];
    if (c->loops->loop_of[block] != loop)
        return false;
    for (uint32_t p = 0; p < header->pred_count; p++) {
        BlockId pred = c->cfg->preds[header->pred_first + p];
        if (!ptx_ssa_spend(c->reach, 1))
            return false;
        if (ptx_ssa_holds(c->reach, loop, pred) && !ptx_dom_dominates(c->dom, block, pred))
            return false;
    }
    return true;
}

/* ---- what lies behind other loops ------------------------------------------------------------ */

typedef struct AtLast {
    Counter *c;
    LoopId loop;
} AtLast;

static SymId replace_at_last(void *context, SymId leaf)
{
    const AtLast *at = context;
    const Sym sym = *ptx_sym(at->c->s, leaf);
    Linear l;
    if (sym.kind == SYM_EXIT)
        return ptx_exit_known_values(at->c, leaf);
    if (sym.a != at->loop || !ptx_exit_counter_find(at->c, leaf, &l))
        return leaf;
    SymId last = ptx_sym_resize(at->c->s, at->c->plans[at->loop].last, sym.width, false);
    return ptx_sym_add(at->c->s, ptx_exit_known_values(at->c, l.base),
                       ptx_sym_mul(at->c->s, l.step, last));
}

static SymId replace_exit(void *context, SymId leaf)
{
    Counter *c = context;
    const Sym sym = *ptx_sym(c->s, leaf);
    if (sym.kind != SYM_EXIT || c->nested >= MAX_NESTED || !ptx_ssa_spend(c->reach, 4))
        return leaf;
    c->nested++;
    ptx_exit_count_find(c, sym.a);
    SymId value = leaf;
    if (c->plans[sym.a].last) {
        AtLast at = { c, sym.a };
        value = ptx_sym_rebuild(c->s, sym.b, replace_at_last, &at);
        value = ptx_sym_varies(c->s, value, sym.a) ? leaf : value;
    }
    c->nested--;
    return value;
}

/* With the values that loops leave whose count is an expression. */
SymId ptx_exit_known_values(Counter *c, SymId id)
{
    return ptx_sym_rebuild(c->s, id, replace_exit, c);
}

/* ---- induction variables --------------------------------------------------------------------- */

/* start and step of a register that every iteration changes by the same amount. */
bool ptx_exit_counter_find(Counter *c, SymId phi, Linear *out)
{
    LoopId loop = ptx_sym(c->s, phi)->a;
    Phi values = ptx_ssa_phi(c->reach, phi);
    SymId step = ptx_sym_sub(c->s, ptx_exit_known_values(c, values.next), phi);
    *out = (Linear){ values.start, step };
    return !ptx_sym_varies(c->s, step, loop);
}

static SymId replace_outer(void *context, SymId leaf)
{
    Counter *c = context;
    const Sym sym = *ptx_sym(c->s, leaf);
    Linear l;
    if (sym.kind != SYM_PHI || c->nested >= MAX_NESTED || !ptx_exit_counter_find(c, leaf, &l))
        return leaf;
    c->nested++;
    SymId start = ptx_sym_rebuild(c->s, ptx_exit_known_values(c, l.base), replace_outer, c);
    SymId step = ptx_sym_rebuild(c->s, l.step, replace_outer, c);
    SymId iter = ptx_sym_leaf(c->s, (Sym){ .kind = SYM_ITER,
                                           .width = sym.width,
                                           .scope = sym.a,
                                           .a = sym.a,
                                           .range = ptx_interval_full(sym.width) });
    c->nested--;
    return ptx_sym_add(c->s, start, ptx_sym_mul(c->s, step, iter));
}

/* For evaluation: counters of the loops around as start + iteration * step. */
SymId ptx_exit_in_iterations(Counter *c, SymId id)
{
    return id ? ptx_sym_rebuild(c->s, id, replace_outer, c) : 0;
}

static bool linear_in(Counter *c, LoopId loop, SymId id, Test *test, unsigned depth, Linear *out);

static bool linear_sum(Counter *c, LoopId loop, const Sym *sum, Test *test, unsigned depth,
                       Linear *out)
{
    *out = (Linear){ ptx_sym_const(c->s, sum->width, sum->value), ptx_sym_const(c->s, sum->width, 0) };
    for (uint32_t t = 0; t < sum->b; t++) {
        SymTerm term = c->s->terms[sum->a + t];
        Linear part;
        if (!linear_in(c, loop, term.atom, test, depth + 1, &part))
            return false;
        out->base = ptx_sym_add(c->s, out->base, ptx_sym_scale(c->s, part.base, term.factor));
        out->step = ptx_sym_add(c->s, out->step, ptx_sym_scale(c->s, part.step, term.factor));
    }
    return true;
}

static bool linear_product(Counter *c, LoopId loop, const Sym *sym, Test *test, unsigned depth,
                           Linear *out)
{
    SymId moves = ptx_sym_varies(c->s, sym->a, loop) ? sym->a : sym->b;
    SymId still = moves == sym->a ? sym->b : sym->a;
    if (ptx_sym_varies(c->s, still, loop) || !linear_in(c, loop, moves, test, depth + 1, out))
        return false;
    out->base = ptx_sym_mul(c->s, out->base, still);
    out->step = ptx_sym_mul(c->s, out->step, still);
    return true;
}

/* A step is a signed number whatever the conversion: counters that run down are unsigned too. */
static bool linear_widened(Counter *c, LoopId loop, const Sym *sym, Test *test, unsigned depth,
                           Linear *out)
{
    Linear inner;
    if (test->widened_count == MAX_WIDENED || !linear_in(c, loop, sym->a, test, depth + 1, &inner))
        return false;
    test->widened[test->widened_count++] = (Widened){ inner, sym->kind == SYM_SEXT };
    *out = (Linear){ ptx_sym_resize(c->s, inner.base, sym->width, sym->kind == SYM_SEXT),
                     ptx_sym_resize(c->s, inner.step, sym->width, true) };
    return true;
}

/* The low bits of a register that only these are taken of again: an int that a 64-bit size is added
 * to. */
static bool linear_low(Counter *c, LoopId loop, SymId id, Test *test, Linear *out)
{
    const Sym sym = *ptx_sym(c->s, id), wide = *ptx_sym(c->s, sym.a);
    if (wide.kind != SYM_PHI || wide.a != loop)
        return false;
    const Phi values = ptx_ssa_phi(c->reach, sym.a);
    const SymId next = ptx_exit_known_values(c, values.next),
                step = ptx_sym_sub(c->s, ptx_sym_resize(c->s, next, sym.width, false), id);
    if (ptx_sym_varies(c->s, step, loop))
        return false;
    test->phi = test->phi ? test->phi : sym.a;
    *out = (Linear){ ptx_sym_resize(c->s, ptx_exit_known_values(c, values.start), sym.width, false),
                     step };
    return true;
}

/* id as base + k * step in iteration k of the loop. */
static bool linear_in(Counter *c, LoopId loop, SymId id, Test *test, unsigned depth, Linear *out)
{
    const Sym sym = *ptx_sym(c->s, id);
    *out = (Linear){ id, ptx_sym_const(c->s, sym.width, 0) };
    if (!ptx_sym_varies(c->s, id, loop))
        return true;
    if (depth > MAX_LINEAR_DEPTH || !ptx_ssa_spend(c->reach, 1))
        return false;
    switch (sym.kind) {
    case SYM_PHI:
        if (sym.a != loop || !ptx_exit_counter_find(c, id, out))
            return false;
        test->phi = test->phi ? test->phi : id;
        out->base = ptx_exit_known_values(c, out->base);
        return true;
    case SYM_SUM: return linear_sum(c, loop, &sym, test, depth, out);
    case SYM_MUL: return linear_product(c, loop, &sym, test, depth, out);
    case SYM_SEXT: case SYM_ZEXT:
        return sym.width > 1 && ptx_sym(c->s, sym.a)->width > 1
               && linear_widened(c, loop, &sym, test, depth, out);
    case SYM_TRUNC:
        if (linear_low(c, loop, id, test, out))
            return true;
        if (!linear_in(c, loop, sym.a, test, depth + 1, out))
            return false;
        out->base = ptx_sym_resize(c->s, out->base, sym.width, false);
        out->step = ptx_sym_resize(c->s, out->step, sym.width, false);
        return true;
    default: return false;
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Joins the parts of a condition: all must hold for the loop to go on. */
static void add_tests(Counter *c, LoopId loop, ExitPlan *plan, SymId stay, bool at_end)
{
    SymId waiting[MAX_TESTS];
    uint32_t count = 1;
    waiting[0] = stay;
    while (count) {
        SymId id = waiting[--count];
        const Sym sym = *ptx_sym(c->s, id);
        if (sym.kind == SYM_AND && count + 2 <= MAX_TESTS) {
            waiting[count++] = sym.b;
            waiting[count++] = sym.a;
            continue;
        }
        if (plan->test_count == MAX_TESTS) {
            plan->has_other_exit = true;
            return;
        }
        Test *test = &plan->tests[plan->test_count++];
        *test = (Test){ .stay = id, .at_end = at_end };
        if (ptx_exit_is_comparison(&sym) && ptx_sym(c->s, sym.a)->width > 1)
            test->is_linear = linear_in(c, loop, sym.a, test, 0, &test->own_a)
                              && linear_in(c, loop, sym.b, test, 0, &test->own_b);
    }
}

void ptx_exit_find_conditions(Counter *c, LoopId loop, ExitPlan *plan, const char **why)
{
    plan->tests = ptx_arena_array(c->scratch, Test, MAX_TESTS);
    plan->has_other_exit = plan->leaving_count > MAX_LEAVING;
    for (uint32_t i = plan->leaving_first; i != NO_ID; i = c->leaving[i].next) {
        Leaving way = c->leaving[i];
        if (!is_in_every_iteration(c, loop, way.block)) {
            plan->has_other_exit = true;
            *why = c->loops->loop_of[way.block] == loop
                       ? "the test that leaves the loop is not passed in every iteration"
                       : "the loop is left from inside an inner loop";
            continue;
        }
        SymId leave = edge_predicate(c, way.block, way.side);
        if (!leave) {
            plan->has_other_exit = true;
            *why = "the loop is left by a branch without a predicate";
            continue;
        }
        add_tests(c, loop, plan, ptx_exit_known_values(c, ptx_sym_not(c->s, leave)),
                  !is_before_body(c, loop, way.block));
    }
}

/* Each part of a conjunction is a guard of its own. */
static void add_guard(const Counter *c, ExitPlan *plan, SymId guard)
{
    SymId waiting[MAX_TESTS] = { guard };
    for (uint32_t count = 1; count && plan->guard_count < MAX_GUARDS;) {
        const Sym *sym = ptx_sym(c->s, waiting[--count]);
        if (sym->kind == SYM_AND && count + 2 <= MAX_TESTS) {
            waiting[count++] = sym->b;
            waiting[count++] = sym->a;
        } else {
            plan->guards[plan->guard_count++] = waiting[count];
        }
    }
}

/* Conditions under which the loop is entered: the branches of the blocks that dominate it. */
void ptx_exit_find_guards(Counter *c, LoopId loop, ExitPlan *plan)
{
    BlockId block = c->loops->loops[loop].header;
    plan->guards = ptx_arena_array(c->scratch, SymId, MAX_GUARDS);
    uint32_t seen = 0;
    for (BlockId d = c->dom->idom[block]; d != EXIT_BLOCK && plan->guard_count < MAX_GUARDS;
         block = d, d = c->dom->idom[d]) {
        const Block *b = &c->cfg->blocks[d];
        LoopId around = c->loops->loop_of[d];
        if (!ptx_ssa_spend(c->reach, 1) || ++seen > MAX_DOMINATORS)
            return;
        if (b->succ_count != 2 || (around != NO_LOOP && !ptx_ssa_holds(c->reach, around, block)))
            continue;
        for (uint32_t side = 0; side < 2; side++) {
            BlockId succ = c->cfg->succs[b->succ_first + side],
                    other = c->cfg->succs[b->succ_first + 1 - side];
            uint32_t ways = 0;
            if (succ == EXIT_BLOCK || other == succ || !ptx_dom_dominates(c->dom, succ, block))
                continue;
            /* only this edge leads in, loops back aside */
            const Block *next = &c->cfg->blocks[succ];
            for (uint32_t p = 0; p < next->pred_count && ptx_ssa_spend(c->reach, 1); p++) {
                BlockId pred = c->cfg->preds[next->pred_first + p];
                ways += ptx_block_is_reachable(c->cfg, pred)
                        && !ptx_dom_dominates(c->dom, succ, pred);
            }
            SymId guard = ways == 1 ? edge_predicate(c, d, side) : 0;
            if (guard)
                add_guard(c, plan, guard);
        }
    }
}
