/* The warps of a block: branches, barriers, loops whose end is not known. */
#include "analysis/recognize/block_choice.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"

#include <string.h>

/* ---- where threads exchange values ----------------------------------------------------------- */

static bool is_of_shared(const Op *op)
{
    return op->space == SPACE_SHARED
           && (op->flags & (OPF_LOAD | OPF_STORE) || op->kind == OPK_LD || op->kind == OPK_ST
               || op->kind == OPK_ATOM || op->kind == OPK_RED);
}

static bool exchanges(const Op *op)
{
    return op->kind == OPK_BAR || op->operation == OP_SHFL || op->operation == OP_REDUX
           || is_of_shared(op);
}

/* ---- whether there is something to combine --------------------------------------------------- */

/* Operations, each done once, that combine a value of each thread of a block to one: each at most
 * doubles what a thread has. */
static uint32_t least_operations(const Recognizer *r)
{
    uint32_t threads = r->has_shape ? r->shape[0] * r->shape[1] * r->shape[2] : MIN_BLOCK_THREADS;
    uint32_t count = 0;
    while (threads >>= 1)
        count++;
    return count;
}

/* Copies of values, and what makes a combination of them. */
static bool passes_on(const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_MOV || op->operation == OP_CVTA || op->operation == OP_SELP
           || op->operation == OP_SHFL || ptx_block_step(insn) != STEP_OTHER;
}

/* What one thread may have of another: registers that are given by one. */
static bool is_given(const Op *op)
{
    bool is_load = op->kind == OPK_LD
                   && (op->space == SPACE_SHARED || op->space == SPACE_GENERIC);
    return is_load || op->operation == OP_SHFL || op->operation == OP_REDUX;
}

static bool reads_given(const Func *func, const Insn *insn, const bool *given)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && !ptx_operand_is_def(&operands[o])
            && given[operands[o].id])
            return true;
    return false;
}

/* Whether a register became one that is given. */
static bool give_results(const Func *func, const Insn *insn, bool *given)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    bool is_new = false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&operands[o]) || given[operands[o].id])
            continue;
        given[operands[o].id] = is_new = true;
    }
    return is_new;
}

/* Registers that may hold what several threads made; a few rounds more than chains against the
 * text need: after these all are taken to. */
static bool find_given_registers(const Func *func, bool *given)
{
    enum { MAX_GIVEN_ROUNDS = 16 };
    bool is_new = true;
    for (int round = 0; round < MAX_GIVEN_ROUNDS && is_new; round++) {
        is_new = false;
        for (InsnId i = 0; i < func->insn_count; i++) {
            const Insn *insn = &func->insns[i];
            if (is_given(insn->op) || (passes_on(insn) && reads_given(func, insn, given)))
                is_new |= give_results(func, insn, given);
        }
    }
    return !is_new;
}

/* A comparison that may decide a minimum or maximum. */
static bool compares_registers(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    const unsigned cases = ptx_block_order(insn);
    return cases && cases != ORDER_EQUAL && cases != (ORDER_LESS | ORDER_GREATER)
           && operands[1].kind == OPERAND_REG && operands[2].kind == OPERAND_REG;
}

/* As many operations of what threads gave each other as a block's row takes; a loop counts for
 * all of them. */
static bool may_combine(const Recognizer *r)
{
    const FuncFlow *flow = r->flow;
    const ArenaMark mark = ptx_arena_mark(r->scratch);
    bool *given = ptx_arena_array(r->scratch, bool, flow->func->reg_count + 1);
    const uint32_t least = least_operations(r);
    bool is_known = find_given_registers(flow->func, given);
    uint32_t count = 0;
    for (InsnId i = 0; i < flow->func->insn_count && count < least; i++) {
        const Insn *insn = &flow->func->insns[i];
        bool is_step = ptx_block_step(insn) != STEP_OTHER || compares_registers(flow->func, insn);
        bool combines = insn->op->operation == OP_REDUX
                        || (is_step && reads_given(flow->func, insn, given));
        bool is_again = flow->loops->loop_of[flow->cfg->block_of[i]] != NO_LOOP
                        || insn->op->operation == OP_REDUX;
        if (combines)
            count += is_again ? least : 1;
    }
    ptx_arena_release(r->scratch, mark);
    return !is_known || count >= least;
}

bool ptx_block_is_worth_it(const Recognizer *r)
{
    const Func *func = r->flow->func;
    bool has_barrier = false, has_exchange = false;
    if (!func->is_entry || !r->has_arrays || func->has_calls || func->has_unknown
        || func->has_syntax_error || r->flow->cfg->has_unknown_target)
        return false;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        has_barrier |= op->kind == OPK_BAR;
        has_exchange |= is_of_shared(op) && op->kind == OPK_LD;
        if (op->kind == OPK_BRX)
            return false;
    }
    return has_barrier && has_exchange && may_combine(r);
}

static bool makes_generic(const Op *op)
{
    return op->operation == OP_CVTA && op->space == SPACE_SHARED && !ptx_op_has(op, MOD_TO);
}

static void find_talks(BlockRun *run)
{
    for (InsnId i = 0; i < run->func->insn_count; i++) {
        run->has_generic |= makes_generic(run->func->insns[i].op);
        if (exchanges(run->func->insns[i].op))
            run->talks[run->r->flow->cfg->block_of[i]] = true;
    }
}

/* ---- branches that are not known ------------------------------------------------------------- */

typedef struct BlockRegion {
    const BlockRun *run;
    BlockId branch, end;        /* where to stop */
} BlockRegion;

/* Blocks from one on; true: threads exchange values there. */
static bool walk_exchanges(const BlockRegion *region, BlockId from)
{
    const Cfg *cfg = region->run->r->flow->cfg;
    bool *seen = region->run->seen, talks = false;
    BlockId *stack = region->run->stack;
    uint32_t depth = 0;
    if (from == region->end || from == EXIT_BLOCK || seen[from])
        return false;
    stack[depth++] = from;
    seen[from] = true;
    while (depth) {
        const BlockId at = stack[--depth];
        const Block *block = &cfg->blocks[at];
        if (at == region->branch)
            continue;
        talks |= region->run->talks[at];
        for (uint32_t s = 0; s < block->succ_count; s++) {
            const BlockId next = cfg->succs[block->succ_first + s];
            if (next == EXIT_BLOCK || next == region->end || seen[next])
                continue;
            seen[next] = true;
            stack[depth++] = next;
        }
    }
    return talks;
}

static BlockRegion begin_region(const BlockRun *run, BlockId branch)
{
    memset(run->seen, 0, run->r->flow->cfg->block_count * sizeof *run->seen);
    return (BlockRegion){ .run = run, .branch = branch,
                          .end = run->r->flow->dom->ipdom[branch] };
}

static bool talks_from(const BlockRun *run, BlockId branch, BlockId from)
{
    const BlockRegion region = begin_region(run, branch);
    return walk_exchanges(&region, from);
}

/* The loop of a branch that one of the ways leaves and the other stays in; NO_LOOP: none. */
static LoopId loop_that_is_left(const BlockRun *run, BlockId branch, BlockId stay, BlockId leave)
{
    const Loops *loops = run->r->flow->loops;
    for (LoopId l = loops->loop_of[branch]; l != NO_LOOP; l = loops->loops[l].parent) {
        if (ptx_loop_holds(loops, l, stay) && !ptx_loop_holds(loops, l, leave))
            return l;
    }
    return NO_LOOP;
}

static BlockChoice choose_in_loop(BlockRun *run, LoopId loop, BlockId stay, bool stays_taken)
{
    if (!run->is_open[loop]) {
        run->is_open[loop] = true;
        run->must_restart = true;
    }
    if (stay == run->r->flow->loops->loops[loop].header)
        return stays_taken ? CHOICE_LEAVE_FALL : CHOICE_LEAVE_TAKEN;
    return stays_taken ? CHOICE_STAY_TAKEN : CHOICE_STAY_FALL;
}

static BlockChoice make_choice(BlockRun *run, BlockId branch, BlockId taken, BlockId fall)
{
    bool at_taken = talks_from(run, branch, taken), at_fall = talks_from(run, branch, fall);
    if (!at_taken && !at_fall)
        return CHOICE_AROUND;
    const LoopId by_taken = at_taken ? loop_that_is_left(run, branch, taken, fall) : NO_LOOP;
    const LoopId by_fall = at_fall ? loop_that_is_left(run, branch, fall, taken) : NO_LOOP;
    if (by_taken != NO_LOOP)
        return choose_in_loop(run, by_taken, taken, true);
    if (by_fall != NO_LOOP)
        return choose_in_loop(run, by_fall, fall, false);
    if (at_taken && at_fall)
        return CHOICE_LOST;
    return at_taken ? CHOICE_TAKEN : CHOICE_FALL;
}

/* ---- what is not known any more -------------------------------------------------------------- */

static void forget_block(BlockRun *run, BlockWarp *w, BlockId block, uint32_t lanes)
{
    const Block *of = &run->r->flow->cfg->blocks[block];
    for (InsnId i = of->first; i < of->end; i++) {
        const Insn *insn = &run->func->insns[i];
        const Operand *operands = ptx_insn_operands(run->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (ptx_operand_is_def(&operands[o]))
                ptx_block_forget(run, w, operands[o].id, lanes);
    }
}

static void forget_region(BlockRun *run, BlockWarp *w, BlockId branch, const BlockId ways[2],
                          uint32_t lanes)
{
    const BlockRegion region = begin_region(run, branch);
    walk_exchanges(&region, ways[0]);
    walk_exchanges(&region, ways[1]);
    w->forgets++;
    for (BlockId b = 0; b < run->r->flow->cfg->block_count; b++)
        if (run->seen[b])
            forget_block(run, w, b, lanes);
}

static void enter_open_loop(BlockRun *run, BlockWarp *w, LoopId loop, uint32_t lanes)
{
    w->entries++;
    w->forgets++;
    for (BlockId b = 0; b < run->r->flow->cfg->block_count; b++)
        if (ptx_loop_holds(run->r->flow->loops, loop, b))
            forget_block(run, w, b, lanes);
}

/* ---- the stack of a warp --------------------------------------------------------------------- */

static void push_lanes(BlockRun *run, BlockWarp *w, InsnId pc, BlockId reconverge, uint32_t lanes)
{
    if (!lanes)
        return;
    if (w->depth == BLOCK_STACK) {
        run->is_lost = true;
        return;
    }
    w->stack[w->depth++] = (BlockEntry){ pc, reconverge, lanes };
}

static void push_way(BlockRun *run, BlockWarp *w, BlockId way, BlockId reconverge, uint32_t lanes)
{
    if (way == EXIT_BLOCK)
        w->live &= ~lanes;
    else if (way != reconverge)
        push_lanes(run, w, run->r->flow->cfg->blocks[way].first, reconverge, lanes);
}

static void part_lanes(BlockRun *run, BlockWarp *w, BlockId branch, const BlockId ways[2],
                    const uint32_t lanes[2])
{
    const BlockEntry entry = w->stack[--w->depth];
    BlockId meet = run->r->flow->dom->ipdom[branch];
    if (meet == EXIT_BLOCK)
        meet = entry.reconverge;
    if (lanes[0] && lanes[1] && meet != entry.reconverge)
        push_lanes(run, w, run->r->flow->cfg->blocks[meet].first, entry.reconverge, entry.lanes);
    if (!lanes[0] || !lanes[1])
        meet = entry.reconverge;
    push_way(run, w, ways[1], meet, lanes[1]);
    push_way(run, w, ways[0], meet, lanes[0]);
}

/* ---- one step of a warp ---------------------------------------------------------------------- */

/* Ways of a block's last instruction: taken, fall-through. */
static void find_ways(const BlockRun *run, BlockId block, BlockId ways[2])
{
    const Cfg *cfg = run->r->flow->cfg;
    const Block *of = &cfg->blocks[block];
    const Insn *last = &run->func->insns[of->end - 1];
    bool leaves = last->op->kind == OPK_RET || last->op->kind == OPK_EXIT
                  || last->op->kind == OPK_TRAP;
    ways[1] = of->end < run->func->insn_count ? cfg->block_of[of->end] : EXIT_BLOCK;
    ways[0] = leaves ? EXIT_BLOCK : cfg->succs[of->succ_first];
}

static void choose_unknown(BlockRun *run, BlockWarp *w, BlockId block, uint32_t lanes[2],
                           uint32_t maybe)
{
    BlockId ways[2];
    find_ways(run, block, ways);
    uint8_t *choice = &run->choices[block];
    if (*choice == CHOICE_NONE)
        *choice = (uint8_t)make_choice(run, block, ways[0], ways[1]);
    /* twice in all, so that races with the next iteration are seen */
    bool stays = w->stays[block] < 2, stays_at_end = !w->stays[block];
    const unsigned way = *choice == CHOICE_FALL || (*choice == CHOICE_LEAVE_FALL && !stays_at_end)
                         || (*choice == CHOICE_LEAVE_TAKEN && stays_at_end)
                         || (*choice == CHOICE_STAY_FALL && stays)
                         || (*choice == CHOICE_STAY_TAKEN && !stays);
    lanes[way] |= maybe;
    if (stays)
        w->stays[block]++;
    run->is_lost = run->is_lost || *choice == CHOICE_LOST;
}

static void go_on_at_meeting(BlockRun *run, BlockWarp *w, BlockId block)
{
    const BlockEntry entry = w->stack[--w->depth];
    push_way(run, w, run->r->flow->dom->ipdom[block], entry.reconverge, entry.lanes);
}

/* Lanes that go around a branch, with those for which it is known. */
static void go_around(BlockRun *run, BlockWarp *w, BlockId block)
{
    BlockId ways[2];
    find_ways(run, block, ways);
    forget_region(run, w, block, ways, w->stack[w->depth - 1].lanes);
    go_on_at_meeting(run, w, block);
}

static void run_branch(BlockRun *run, BlockWarp *w, InsnId id)
{
    const BlockId block = run->r->flow->cfg->block_of[id];
    const BlockEntry *entry = &w->stack[w->depth - 1];
    uint32_t lanes[2], maybe;
    BlockId ways[2];
    lanes[0] = ptx_block_guard(run, w, id, entry->lanes, &maybe);
    lanes[1] = entry->lanes & ~lanes[0] & ~maybe;
    if (maybe && ptx_block_run_both_ways(run, w, block)) {
        go_on_at_meeting(run, w, block);
        return;
    }
    if (maybe)
        choose_unknown(run, w, block, lanes, maybe);
    if (maybe && run->choices[block] == CHOICE_AROUND) {
        go_around(run, w, block);
        return;
    }
    find_ways(run, block, ways);
    part_lanes(run, w, block, ways, lanes);
}

static bool waits_for_block(const Op *op)
{
    return op->kind == OPK_BAR && op->operation != OP_BAR_WARP;
}

/* Barrier 0 of all threads; other ones are not followed. */
static void run_barrier(BlockRun *run, BlockWarp *w, InsnId id)
{
    const Insn *insn = &run->func->insns[id];
    const Operand *operands = ptx_insn_operands(run->func, insn);
    bool is_plain = insn->guard == NO_ID && ptx_op_has(insn->op, MOD_SYNC)
                    && insn->op->operation != OP_BARRIER_CLUSTER && insn->operand_count
                    && operands[0].kind == OPERAND_INT && !ptx_operand_value(&operands[0])
                    && (insn->operand_count == 1
                        || (operands[1].kind == OPERAND_INT
                            && ptx_operand_value(&operands[1]) == run->threads));
    BlockEntry *entry = &w->stack[w->depth - 1];
    if (!is_plain || entry->lanes != w->live)
        run->is_lost = true;
    entry->pc++;
    w->waits = true;
}

static bool is_way_out(const Op *op)
{
    return op->kind == OPK_BRA || op->kind == OPK_RET || op->kind == OPK_EXIT
           || op->kind == OPK_TRAP;
}

static void enter_block_of_insns(BlockRun *run, BlockWarp *w, BlockId block, uint32_t lanes)
{
    const Loops *loops = run->r->flow->loops;
    const LoopId loop = loops->loop_of[block];
    if (loop != NO_LOOP && loops->loops[loop].header == block && run->is_open[loop])
        enter_open_loop(run, w, loop, lanes);
}

static void step_warp(BlockRun *run, BlockWarp *w)
{
    const Cfg *cfg = run->r->flow->cfg;
    BlockEntry *entry = &w->stack[w->depth - 1];
    entry->lanes &= w->live;
    const BlockId block = entry->pc < run->func->insn_count ? cfg->block_of[entry->pc]
                                                            : EXIT_BLOCK;
    bool is_first = block != EXIT_BLOCK && cfg->blocks[block].first == entry->pc;
    if (block == EXIT_BLOCK)
        w->live &= ~entry->lanes;
    if (block == EXIT_BLOCK || !entry->lanes || (is_first && block == entry->reconverge)) {
        w->depth--;
        return;
    }
    if (is_first)
        enter_block_of_insns(run, w, block, entry->lanes);
    const InsnId id = entry->pc;
    const Op *op = run->func->insns[id].op;
    if (is_way_out(op))
        run_branch(run, w, id);
    else if (waits_for_block(op))
        run_barrier(run, w, id);
    else
        ptx_block_execute(run, w, id, entry->lanes), entry->pc++;
}

/* ---- the block ------------------------------------------------------------------------------- */

static bool begin_block_run(BlockRun *run)
{
    const FuncFlow *flow = run->r->flow;
    const uint32_t insns = flow->func->insn_count, blocks = flow->cfg->block_count;
    const size_t regs = (size_t)(flow->func->reg_count + 1) * run->threads;
    run->warp_count = (run->threads + BLOCK_WARP - 1) / BLOCK_WARP;
    if (regs > MAX_BLOCK_REGISTERS || !ptx_block_lay_out_shared(run))
        return false;
    run->regs = ptx_arena_array(run->arena, BlockValue *, flow->func->reg_count + 1);
    run->kept = ptx_arena_array(run->arena, BlockValue *, flow->func->reg_count + 1);
    run->warps = ptx_arena_array(run->arena, BlockWarp, run->warp_count);
    run->epoch = 1;
    run->where_block = EXIT_BLOCK;
    for (uint32_t i = 0; i < run->warp_count; i++) {
        BlockWarp *w = &run->warps[i];
        const uint32_t left = run->threads - i * BLOCK_WARP;
        w->live = left < BLOCK_WARP ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
        w->visits = ptx_arena_array(run->arena, uint16_t, insns + 1);
        w->stays = ptx_arena_array(run->arena, uint8_t, blocks + 1);
        push_lanes(run, w, 0, EXIT_BLOCK, w->live);
    }
    return true;
}

/* Until it waits or is done. */
static void run_warp(BlockRun *run, BlockWarp *w)
{
    w->waits = false;
    while (w->depth && !w->waits && !run->is_lost && !run->must_restart) {
        const uint32_t lanes = w->stack[w->depth - 1].lanes;
        if (run->r->block_steps < BLOCK_WARP || run->nodes.is_full
            || w->forgets > MAX_ELEMENT_VISITS)
            run->is_lost = true;
        if (run->is_lost)
            return;
        ptx_block_spend(run, lanes ? BLOCK_WARP : 0);
        step_warp(run, w);
    }
}

static bool run_epoch(BlockRun *run)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < run->warp_count; i++) {
        run_warp(run, &run->warps[i]);
        goes_on |= run->warps[i].depth != 0;
    }
    run->epoch++;
    return goes_on && !run->is_lost && !run->must_restart;
}

bool ptx_block_run(BlockRun *run)
{
    const FuncFlow *flow = run->r->flow;
    run->choices = ptx_arena_array(run->arena, uint8_t, flow->cfg->block_count + 1);
    run->talks = ptx_arena_array(run->arena, bool, flow->cfg->block_count + 1);
    run->seen = ptx_arena_array(run->arena, bool, flow->cfg->block_count + 1);
    run->stack = ptx_arena_array(run->arena, BlockId, flow->cfg->block_count + 1);
    run->is_open = ptx_arena_array(run->arena, bool, flow->loops->loop_count + 1);
    find_talks(run);
    const BlockRun fresh = *run;
    for (uint32_t i = 0; i <= flow->loops->loop_count && i < RECOGNIZE_DEPTH; i++) {
        *run = fresh;
        const ArenaMark mark = ptx_arena_mark(run->arena);
        if (!begin_block_run(run))
            return false;
        while (run_epoch(run))
            ;
        if (!run->must_restart)
            return !run->is_lost;
        ptx_arena_release(run->arena, mark);
    }
    run->found_count = 0;
    return false;
}
