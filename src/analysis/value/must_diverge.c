#include "analysis/value/must_diverge.h"
#include "analysis/value/lane_condition.h"

#include "analysis/value/ssa.h"
#include "support/minmax.h"
#include "analysis/value/symbolic.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"

enum {
    STEPS_PER_INSN = 16,        /* budget of Reach, as for trip counts ... */
    STEPS_FLOOR = 1 << 14,
    /* budget of nodes evaluated, and of nodes and blocks walked: each so much for an instruction
     * ... */
    WORK_PER_INSN = 512,
    WORK_FLOOR = 1 << 17,       /* ... this for small functions ... */
    WORK_PER_FUNC = 1 << 22,    /* ... and this for large ones */
    MAX_WARPS = 32,            /* of a block */
    MAX_MASKS = 1 << 20,       /* blocks times warps; beyond, only the first warp */
    MAX_PASSES = 16,           /* over the blocks, until no more lanes come anywhere */
    MAX_LEAVING = 8,           /* blocks in a row that do nothing but leave */
};

static bool spend(DivergeWalk *sp, uint64_t count)
{
    return ptx_diverge_spend(&sp->work, count);
}

static const Insn *last_insn(const DivergeWalk *sp, BlockId block)
{
    return &sp->func->insns[sp->cfg->blocks[block].end - 1];
}

/* What holds for one row of threads alone is not proven. */
static void find_varying(DivergeWalk *sp, const Uniforms *uniforms)
{
    for (uint32_t i = 0; i < sp->cfg->rpo_count; i++) {
        BlockId block = sp->cfg->rpo[i];
        const Affine *condition = &uniforms->branches[block];
        sp->branches[block].varies =
            ptx_diverge_is_choice(sp, block)
            && (!ptx_affine_is_uniform(*condition) || condition->is_assumed);
    }
}

/* The guards of so many blocks as expressions. False: the budget is spent. */
static bool find_guards(DivergeWalk *sp, uint32_t count)
{
    for (; sp->guarded < count; sp->guarded++) {
        BlockId block = sp->cfg->rpo[sp->guarded];
        InsnId last = sp->cfg->blocks[block].end - 1;
        bool is_guard = sp->func->insns[last].guard != NO_ID
                        && sp->func->insns[last].op->kind != OPK_BRX;
        if (ptx_diverge_is_choice(sp, block) && is_guard)
            sp->branches[block].guard = ptx_ssa_guard(sp->reach, last);
    }
    return !ptx_ssa_is_spent(sp->reach);
}

/* ---- control dependence ---------------------------------------------------------------------- */

typedef struct Stack {
    BlockId *blocks;
    uint32_t count;
} Stack;

static void push_new(DivergeWalk *sp, bool *marks, Stack *stack, BlockId block)
{
    if (marks[block])
        return;
    marks[block] = true;
    if (ptx_diverge_is_choice(sp, block))
        stack->blocks[stack->count++] = block;
}

/* Marks what is control dependent on a block: Ferrante, Ottenstein and Warren, "The Program
 * Dependence Graph and Its Use in Optimization" (TOPLAS 1987): up the post-dominator tree from each
 * successor to the block's own post-dominator. */
static void mark_dependent(DivergeWalk *sp, bool *marks, Stack *stack, BlockId block)
{
    const Block *b = &sp->cfg->blocks[block];
    for (uint32_t e = 0; e < b->succ_count; e++) {
        BlockId at = sp->cfg->succs[b->succ_first + e];
        for (; at != EXIT_BLOCK && at != sp->dom->ipdom[block] && spend(sp, 1);
             at = sp->dom->ipdom[at])
            push_new(sp, marks, stack, at);
    }
}

/* Marks the blocks that depend on a branch for which `is` holds, or on one in such a block. False:
 * too much work. */
static bool mark_all_dependent(DivergeWalk *sp, bool *marks, bool (*is)(const Branch *))
{
    ArenaMark mark = ptx_arena_mark(sp->scratch);
    Stack stack = { .blocks = ptx_arena_array(sp->scratch, BlockId, sp->cfg->block_count) };
    for (uint32_t i = 0; i < sp->cfg->rpo_count; i++)
        if (ptx_diverge_is_choice(sp, sp->cfg->rpo[i]) && is(&sp->branches[sp->cfg->rpo[i]]))
            mark_dependent(sp, marks, &stack, sp->cfg->rpo[i]);
    while (stack.count && sp->work)
        mark_dependent(sp, marks, &stack, stack.blocks[--stack.count]);
    ptx_arena_release(sp->scratch, mark);
    return sp->work != 0;
}

static bool branch_parts_lanes(const Branch *branch)
{
    return branch->varies && !branch->is_together;
}

static bool branch_hides(const Branch *branch)
{
    return branch->hides;
}

/* ---- which lanes may come -------------------------------------------------------------------- */

/* Over the e-th edge out of a block; the first is the one taken. */
static uint32_t lanes_over(const DivergeWalk *sp, BlockId block, uint32_t e, uint32_t warp)
{
    const Branch *branch = &sp->branches[block];
    uint32_t lanes = sp->arrive[(size_t)block * sp->warp_count + warp];
    if (!branch->never)
        return lanes;
    return lanes & ~(e == 0 ? branch->never[warp] : branch->always[warp]);
}

static bool propagate_divergence(DivergeWalk *sp, BlockId block)
{
    const Block *b = &sp->cfg->blocks[block];
    bool changed = false;
    for (uint32_t e = 0; e < b->succ_count; e++) {
        BlockId to = sp->cfg->succs[b->succ_first + e];
        for (uint32_t warp = 0; to != EXIT_BLOCK && warp < sp->warp_count; warp++) {
            uint32_t *lanes = &sp->arrive[(size_t)to * sp->warp_count + warp], before = *lanes;
            *lanes |= lanes_over(sp, block, e, warp);
            changed |= *lanes != before;
        }
    }
    return changed;
}

/* The least solution, from all lanes at the entry. False: it takes too many passes. */
static bool find_arriving(DivergeWalk *sp)
{
    sp->arrive = ptx_arena_array(sp->scratch, uint32_t,
                                 (size_t)sp->cfg->block_count * sp->warp_count);
    for (uint32_t warp = 0; warp < sp->warp_count; warp++)
        sp->arrive[warp] = ptx_lanes_of_warp(sp, warp);
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        bool changed = false;
        for (uint32_t i = 0; i < sp->cfg->rpo_count; i++)
            changed |= propagate_divergence(sp, sp->cfg->rpo[i]);
        if (!changed)
            return true;
    }
    return false;
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Lanes of a warp that certainly go another way than side e, which others certainly go; 0: no warp
 * has such. block: NO_ID, or one that some of the latter come to, of the warp in *of. */
static uint32_t lanes_elsewhere(const DivergeWalk *sp, BlockId b, uint32_t e, BlockId block,
                                uint8_t *of)
{
    const Branch *branch = &sp->branches[b];
    for (uint32_t warp = 0; warp < sp->warp_count; warp++) {
        uint32_t lanes = sp->arrive[(size_t)b * sp->warp_count + warp];
        uint32_t here = lanes & (e == 0 ? branch->always[warp] : branch->never[warp]);
        uint32_t there = lanes & (e == 0 ? branch->never[warp] : branch->always[warp]);
        if (block != NO_ID)
            here &= sp->arrive[(size_t)block * sp->warp_count + warp];
        *of = (uint8_t)warp;
        if (here && there)
            return there;
    }
    return 0;
}

static bool does_nothing(const Insn *insn)
{
    return !(insn->op->flags & (OPF_SIDE_EFFECT | OPF_LOAD | OPF_STORE | OPF_WARP | OPF_UNKNOWN));
}

/* Whether all that a block leads to is the end of the thread. */
static bool only_leaves(DivergeWalk *sp, BlockId block)
{
    for (int n = 0; n < MAX_LEAVING && block != EXIT_BLOCK; n++) {
        const Block *b = &sp->cfg->blocks[block];
        for (InsnId i = b->first; i + 1 < b->end; i++)
            if (!spend(sp, 1) || !does_nothing(&sp->func->insns[i]))
                return false;
        const Insn *last = last_insn(sp, block);
        bool goes_on = last->op->kind == OPK_BRA || last->op->kind == OPK_RET
                       || last->op->kind == OPK_EXIT || does_nothing(last);
        if (b->succ_count != 1 || !goes_on)
            return false;
        block = sp->cfg->succs[b->succ_first];
    }
    return block == EXIT_BLOCK;
}

/* What the two sides of a branch reach before they meet again. */
typedef struct Sides {
    uint8_t *seen;              /* per block: bits of the sides */
    BlockId *blocks;            /* those seen, each once */
    uint32_t count;
} Sides;

/* False: a way leads back to the branch, or the work is too much. */
static bool walk_side(DivergeWalk *sp, Sides *sides, BlockId *stack, BlockId branch, uint32_t e)
{
    const Block *b = &sp->cfg->blocks[branch];
    uint32_t depth = 0;
    uint8_t bit = (uint8_t)(1u << e);
    stack[depth++] = sp->cfg->succs[b->succ_first + e];
    while (depth) {
        BlockId at = stack[--depth];
        if (at == sp->dom->ipdom[branch] || at == EXIT_BLOCK || sides->seen[at] & bit)
            continue;
        const Block *next = &sp->cfg->blocks[at];
        if (at == branch || !spend(sp, (uint64_t)1 + next->succ_count))
            return false;
        if (!sides->seen[at])
            sides->blocks[sides->count++] = at;
        sides->seen[at] |= bit;
        for (uint32_t s = 0; s < next->succ_count; s++) {
            BlockId succ = sp->cfg->succs[next->succ_first + s];
            if (succ != EXIT_BLOCK && !(sides->seen[succ] & bit))
                stack[depth++] = succ;
        }
    }
    return true;
}

/* What MustDiverge has of each block, as it is found. */
typedef struct DivergeMarks {
    uint8_t *splits;
    BlockId *by;
    uint32_t *absent;
    uint8_t *warp;
    bool *may;
} DivergeMarks;

static void mark_sides(DivergeWalk *sp, Sides *sides, BlockId *stack, BlockId branch,
                       const DivergeMarks *marks)
{
    if (sp->dom->ipdom[branch] == EXIT_BLOCK || only_leaves(sp, sp->dom->ipdom[branch]))
        return;
    sides->count = 0;
    bool is_plain = walk_side(sp, sides, stack, branch, 0)
                    && walk_side(sp, sides, stack, branch, 1);
    for (uint32_t i = 0; i < sides->count; i++) {
        BlockId block = sides->blocks[i];
        uint32_t e = sides->seen[block] >> 1;
        bool on_one_side = sides->seen[block] != 3;
        sides->seen[block] = 0;
        if (!is_plain || !on_one_side || !ptx_dom_dominates(sp->dom, branch, block))
            continue;
        uint8_t warp = 0;
        const uint32_t absent = lanes_elsewhere(sp, branch, e, block, &warp);
        if (absent) {
            marks->by[block] = branch;
            marks->absent[block] = absent;
            marks->warp[block] = warp;
        }
    }
}

/* In reverse postorder, so that the nearest branch has the last word. */
static void mark_blocks(DivergeWalk *sp, const bool *is_hidden, const DivergeMarks *marks)
{
    size_t edges = sp->cfg->succ_count;
    Sides sides = { .seen = ptx_arena_array(sp->scratch, uint8_t, sp->cfg->block_count),
                    .blocks = ptx_arena_array(sp->scratch, BlockId, sp->cfg->block_count) };
    BlockId *stack = ptx_arena_array(sp->scratch, BlockId, edges + 1);
    for (uint32_t i = 0; i < sp->cfg->rpo_count && sp->work; i++) {
        BlockId block = sp->cfg->rpo[i];
        uint8_t warp;
        const Branch *branch = &sp->branches[block];
        bool is_bra = last_insn(sp, block)->op->kind == OPK_BRA
                      && sp->cfg->blocks[block].succ_count == 2;
        if (!is_bra || !branch->never || is_hidden[block]
            || !lanes_elsewhere(sp, block, 0, NO_ID, &warp))
            continue;
        marks->splits[block] = 1;
        mark_sides(sp, &sides, stack, block, marks);
    }
}

/* ---- the shape of a block of threads --------------------------------------------------------- */

/* %tid and %ntid have other components than x, and the kernel reads one. */
static bool reads_other_dimensions(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            bool is_place = operands[o].kind == OPERAND_SREG
                            && (operands[o].id == SREG_TID || operands[o].id == SREG_NTID);
            if (is_place && (ptx_operand_value(&operands[o]) || insn->op->vector > 1))
                return true;
        }
    }
    return false;
}

/* Lanes of a warp where .maxntid allows for less than a whole one. PTX ISA, ".maxntid": a bound of
 * the product. */
static uint32_t lanes_at_most(const Func *func)
{
    uint64_t most = 1;
    for (int i = 0; i < 3; i++)
        most = ptx_u64_min(most * ptx_u32_max(func->bounds.maxntid[i], 1), LANES);
    return func->bounds.maxntid[0] && most < LANES ? (uint32_t)most : LANES;
}

/* One warp in a row. */
static void assume_shape(DivergeWalk *sp)
{
    const uint32_t *bound = sp->func->bounds.maxntid;
    sp->shape[0] = lanes_at_most(sp->func);
    sp->shape[1] = sp->shape[2] = 1;
    sp->warp_count = 1;
    sp->has_shape = false;
    sp->is_assumed = true;
    sp->has_tid = bound[1] <= 1 && bound[2] <= 1 && !reads_other_dimensions(sp->func);
}

static void find_shape(DivergeWalk *sp)
{
    uint32_t grid[3];
    ptx_ssa_shape(sp->reach, sp->shape, grid);
    uint64_t threads = (uint64_t)sp->shape[0] * sp->shape[1];
    threads = threads <= MAX_WARPS * LANES ? threads * sp->shape[2] : 0;
    if (!threads || threads > MAX_WARPS * LANES) {
        assume_shape(sp);
        return;
    }
    sp->warp_count = ((uint32_t)threads + LANES - 1) / LANES;
    sp->has_shape = sp->has_tid = true;
    if ((uint64_t)sp->warp_count * sp->cfg->block_count > MAX_MASKS) {
        sp->warp_count = 1;
        sp->has_shape = false;
    }
}

/* ---- the interface --------------------------------------------------------------------------- */

/* Nothing is certain yet, and everything possible. */
static DivergeMarks doubt(Arena *arena, const Cfg *cfg)
{
    DivergeMarks marks = { .splits = ptx_arena_array(arena, uint8_t, cfg->block_count),
                           .by = ptx_arena_array(arena, BlockId, cfg->block_count),
                           .absent = ptx_arena_array(arena, uint32_t, cfg->block_count),
                           .warp = ptx_arena_array(arena, uint8_t, cfg->block_count),
                           .may = ptx_arena_array(arena, bool, cfg->block_count) };
    memset(marks.by, 0xff, cfg->block_count * sizeof *marks.by);
    memset(marks.may, true, cfg->block_count);
    return marks;
}

static void find_may(DivergeWalk *sp, bool *may)
{
    bool *marks = ptx_arena_array(sp->scratch, bool, sp->cfg->block_count);
    if (!mark_all_dependent(sp, marks, branch_parts_lanes))
        return;
    for (uint32_t i = 0; i < sp->cfg->rpo_count; i++)
        may[sp->cfg->rpo[i]] = marks[sp->cfg->rpo[i]];
}

/* The shape of the block, which conditions of branches are evaluated for. */
static void begin(DivergeWalk *sp, const FuncFlow *flow, const Launch *launch)
{
    uint64_t steps = (uint64_t)STEPS_PER_INSN * sp->func->insn_count + STEPS_FLOOR;
    sp->work = WORK_FLOOR + (uint64_t)WORK_PER_INSN * sp->func->insn_count;
    sp->work = sp->evaluations = sp->work < WORK_PER_FUNC ? sp->work : WORK_PER_FUNC;
    sp->reach = ptx_ssa_new(sp->scratch, flow, launch, steps);
    sp->s = ptx_ssa_symbols(sp->reach);
    sp->branches = ptx_arena_array(sp->scratch, Branch, sp->cfg->block_count);
    find_shape(sp);
}

static void find_divergent_blocks(DivergeWalk *sp, const Uniforms *uniforms,
                                  const DivergeMarks *marks)
{
    find_varying(sp, uniforms);
    bool *is_hidden = ptx_arena_array(sp->scratch, bool, sp->cfg->block_count);
    ptx_lane_branches_run(sp);
    find_may(sp, marks->may);
    if (find_arriving(sp) && mark_all_dependent(sp, is_hidden, branch_hides))
        mark_blocks(sp, is_hidden, marks);
}

static DivergeWalk walk_of(Arena *scratch, const FuncFlow *flow)
{
    return (DivergeWalk){
        .scratch = scratch, .func = flow->func, .cfg = flow->cfg, .dom = flow->dom
    };
}

const MustDiverge *ptx_must_diverge_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                            const Uniforms *uniforms, const Launch *launch)
{
    const Func *func = flow->func;
    const Cfg *cfg = flow->cfg;
    MustDiverge *splits = ptx_arena_new(arena, MustDiverge);
    const DivergeMarks marks = doubt(arena, cfg);
    *splits = (MustDiverge){ .splits = marks.splits,
                             .by = marks.by,
                             .absent = marks.absent,
                             .warp = marks.warp,
                             .may = marks.may };
    if (!func->is_entry || func->has_syntax_error || func->has_unknown || cfg->has_unknown_target)
        return splits;
    ArenaMark mark = ptx_arena_mark(scratch);
    DivergeWalk sp = walk_of(scratch, flow);
    begin(&sp, flow, launch);
    if (find_guards(&sp, cfg->rpo_count)) {
        find_divergent_blocks(&sp, uniforms, &marks);
        splits->is_assumed = sp.is_assumed;
    }
    ptx_arena_release(scratch, mark);
    return splits;
}

/* ---- branches one by one --------------------------------------------------------------------- */

struct LaneSplits {
    DivergeWalk walk;
    /* per block: 0: not looked at yet; 1: its branch does not; 2: it does, or may */
    uint8_t *found;
};

LaneSplits *ptx_lane_splits_new(Arena *arena, const FuncFlow *flow, const Launch *launch)
{
    LaneSplits *l = ptx_arena_new(arena, LaneSplits);
    l->walk = walk_of(arena, flow);
    l->found = ptx_arena_array(arena, uint8_t, flow->cfg->block_count + 1);
    begin(&l->walk, flow, launch);
    return l;
}

static bool parts_a_warp(DivergeWalk *sp, const LaneProgram *p)
{
    for (uint32_t warp = 0; warp < sp->warp_count; warp++) {
        uint32_t never, always;
        if (!ptx_lane_program_run(sp, p, warp, false, &never, &always) || (never && always))
            return true;
    }
    return false;
}

bool ptx_lane_splits_may(LaneSplits *l, BlockId block)
{
    LaneProgram p;
    DivergeWalk *sp = &l->walk;
    if (!ptx_block_is_reachable(sp->cfg, block)
        || !find_guards(sp, sp->cfg->rpo_index[block] + 1) || !sp->branches[block].guard)
        return false;
    ptx_diverge_reserve(sp);
    if (!l->found[block]) {
        bool is_made = ptx_lane_program_make(sp, sp->branches[block].guard, &p);
        bool parts = is_made ? p.has_lane && parts_a_warp(sp, &p) : !sp->work;
        l->found[block] = parts ? 2 : 1;
    }
    return l->found[block] == 2;
}
