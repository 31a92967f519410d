/* What runs only where a comparison of several threads' values holds: both ways are run, and each
 * register and word becomes one of two values by the predicate. */
#include "analysis/recognize/block_choice.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"

enum {
    MAX_WAY_BLOCKS = 8,         /* between a branch and where its ways meet */
    MAX_WAY_INSNS = 64,
    MAX_MERGED = 4              /* registers that an instruction sets */
};

/* ---- one instruction ------------------------------------------------------------------------- */

/* A register that an instruction may set, as it was. */
typedef struct MergedReg {
    const Operand *operand;
    BlockValue before[BLOCK_WARP];
} MergedReg;

static unsigned keep_registers(const BlockRun *run, const BlockWarp *w, InsnId id,
                               MergedReg merged[MAX_MERGED])
{
    const Insn *insn = &run->func->insns[id];
    const Operand *operands = ptx_insn_operands(run->func, insn);
    unsigned count = 0;
    for (uint32_t o = 0; o < insn->operand_count && count < MAX_MERGED; o++) {
        if (!ptx_operand_is_def(&operands[o]) || operands[o].kind != OPERAND_REG)
            continue;
        merged[count].operand = &operands[o];
        for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
            merged[count].before[lane] = ptx_block_reg(run, operands[o].id,
                                                       ptx_block_thread(run, w, lane));
        count++;
    }
    return count;
}

/* where ? after : before */
static BlockValue merge_predicates(BlockRun *run, uint64_t key, BlockValue where, BlockValue after,
                                   BlockValue before)
{
    const BlockValue not_there = ptx_block_logic(run, LOGIC_NOT, key, where, where);
    return ptx_block_logic(run, LOGIC_OR, key,
                           ptx_block_logic(run, LOGIC_AND, key, where, after),
                           ptx_block_logic(run, LOGIC_AND, key, not_there, before));
}

static void merge_register(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                           const MergedReg *merged)
{
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t thread = ptx_block_thread(run, w, lane);
        const BlockOperation of = { .insn = id, .key = ptx_block_merged_key(run, merged->operand,
                                                                            w->visits[id],
                                                                            thread) };
        if (!(lanes >> lane & 1) || merged->before[lane].kind == BLOCK_UNSET)
            continue;
        const BlockValue after = ptx_block_reg(run, merged->operand->id, thread);
        const BlockValue before = merged->before[lane], where = run->where[lane];
        ptx_block_write(run, merged->operand, thread,
                        ptx_block_reg_bits(run, merged->operand->id) == 1
                            ? merge_predicates(run, of.key, where, after, before)
                            : ptx_block_choose(run, &of, where, after, before));
    }
}

void ptx_block_execute_where(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                             const BlockValue *where)
{
    MergedReg merged[MAX_MERGED];
    const BlockValue *outer = run->where;
    const unsigned count = keep_registers(run, w, id, merged);
    run->where = where;
    ptx_block_execute_lanes(run, w, id, lanes, 0);
    for (unsigned i = 0; i < count; i++)
        merge_register(run, w, id, lanes, &merged[i]);
    run->where = outer;
}

/* Nothing that lanes do together, and no more results than are kept. */
static bool can_run_where(const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned results = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        results += ptx_operand_is_def(&operands[o]);
    bool is_access = op->kind == OPK_LD || op->kind == OPK_ST;
    bool has_effect = op->flags & (OPF_WARP | OPF_SIDE_EFFECT | OPF_UNKNOWN | OPF_STORE)
                      || op->kind == OPK_BAR || op->kind == OPK_ATOM || op->kind == OPK_RED
                      || op->operation == OP_SHFL || op->operation == OP_REDUX
                      || op->kind == OPK_BRA || op->kind == OPK_RET || op->kind == OPK_EXIT
                      || op->kind == OPK_TRAP || op->kind == OPK_CALL;
    return results <= MAX_MERGED && (is_access || !has_effect);
}

/* Per lane: the predicate of a guard, as it is meant; false: in no lane does it say an order. */
static bool read_lane_guards(BlockRun *run, const BlockWarp *w, InsnId id, uint32_t lanes,
                             BlockValue where[BLOCK_WARP])
{
    const Insn *insn = &run->func->insns[id];
    bool has_order = false;
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t thread = ptx_block_thread(run, w, lane);
        where[lane] = ptx_block_number(0);
        if (!(lanes >> lane & 1))
            continue;
        where[lane] = ptx_block_reg(run, insn->guard, thread);
        has_order |= ptx_block_says_order(run, where[lane]);
        if (insn->guard_negated)
            where[lane] = ptx_block_logic(run, LOGIC_NOT, where[lane].number, where[lane],
                                          where[lane]);
    }
    return has_order;
}

bool ptx_block_execute_guarded(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                               uint32_t maybe)
{
    BlockValue where[BLOCK_WARP];
    if (!can_run_where(run->func, &run->func->insns[id])
        || !read_lane_guards(run, w, id, maybe, where))
        return false;
    if (lanes)
        ptx_block_execute_lanes(run, w, id, lanes, 0);
    ptx_block_execute_where(run, w, id, maybe, where);
    return true;
}

/* ---- a branch -------------------------------------------------------------------------------- */

/* Blocks between a branch and where its ways meet, in reverse postorder; the branch is the first.
 * where: per block and lane, whether it is run. */
typedef struct BlockWays {
    BlockRun *run;
    BlockWarp *w;
    BlockId blocks[MAX_WAY_BLOCKS + 1], meet;
    unsigned count;
    BlockValue where[MAX_WAY_BLOCKS + 1][BLOCK_WARP];
} BlockWays;

static bool is_way_branch(const Insn *insn)
{
    return insn->op->kind == OPK_BRA;
}

static bool can_run_block(const BlockRun *run, BlockId block)
{
    const Block *of = &run->r->flow->cfg->blocks[block];
    for (InsnId i = of->first; i < of->end; i++) {
        const Insn *insn = &run->func->insns[i];
        if (i + 1 == of->end && is_way_branch(insn))
            continue;
        if (insn->guard != NO_ID || !can_run_where(run->func, insn))
            return false;
    }
    return true;
}

static unsigned place_of_way(const BlockWays *ways, BlockId block)
{
    unsigned place = 0;
    while (place < ways->count && ways->blocks[place] != block)
        place++;
    return place;
}

/* Behind the branch, in the same loop, and a block that can be run. */
static bool add_way(BlockWays *ways, BlockId from, BlockId to)
{
    const FuncFlow *flow = ways->run->r->flow;
    unsigned at = ways->count;
    if (to == ways->meet || place_of_way(ways, to) < ways->count)
        return to == ways->meet || flow->cfg->rpo_index[to] > flow->cfg->rpo_index[from];
    if (to == EXIT_BLOCK || ways->count > MAX_WAY_BLOCKS
        || flow->cfg->rpo_index[to] <= flow->cfg->rpo_index[from]
        || flow->loops->loop_of[to] != flow->loops->loop_of[ways->blocks[0]]
        || !can_run_block(ways->run, to))
        return false;
    for (; flow->cfg->rpo_index[ways->blocks[at - 1]] > flow->cfg->rpo_index[to]; at--)
        ways->blocks[at] = ways->blocks[at - 1];
    ways->blocks[at] = to;
    ways->count++;
    return true;
}

/* Those that are found go behind the ones that lead to them. */
static bool find_ways_between(BlockWays *ways, BlockId branch)
{
    const FuncFlow *flow = ways->run->r->flow;
    uint32_t insns = 0;
    ways->meet = flow->dom->ipdom[branch];
    ways->blocks[0] = branch;
    ways->count = 1;
    if (ways->meet == EXIT_BLOCK)
        return false;
    for (unsigned i = 0; i < ways->count; i++) {
        const Block *block = &flow->cfg->blocks[ways->blocks[i]];
        insns += i ? block->end - block->first : 0;
        for (uint32_t s = 0; s < block->succ_count; s++)
            if (!add_way(ways, ways->blocks[i], flow->cfg->succs[block->succ_first + s]))
                return false;
    }
    return insns <= MAX_WAY_INSNS;
}

/* Lanes come to a block by one more edge. */
static void come_by_edge(BlockWays *ways, unsigned from, BlockId to, unsigned lane,
                         BlockValue taken)
{
    BlockRun *run = ways->run;
    const unsigned at = place_of_way(ways, to);
    const uint64_t key = ptx_block_key((uint64_t)run->func->operand_count, 0, NO_THREAD);
    if (at == ways->count)
        return;
    const BlockValue by = ptx_block_logic(run, LOGIC_AND, key, ways->where[from][lane], taken);
    ways->where[at][lane] = ptx_block_logic(run, LOGIC_OR, key, ways->where[at][lane], by);
}

static void leave_way_block(BlockWays *ways, unsigned place, uint32_t lanes)
{
    const Cfg *cfg = ways->run->r->flow->cfg;
    const Block *block = &cfg->blocks[ways->blocks[place]];
    const InsnId last = block->end - 1;
    bool is_open = ways->run->func->insns[last].guard != NO_ID && block->succ_count == 2
                   && is_way_branch(&ways->run->func->insns[last]);
    BlockValue taken[BLOCK_WARP];
    if (is_open)
        read_lane_guards(ways->run, ways->w, last, lanes, taken);
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        if (!is_open)
            taken[lane] = ptx_block_number(1);
        come_by_edge(ways, place, cfg->succs[block->succ_first], lane, taken[lane]);
        if (is_open)
            come_by_edge(ways, place, cfg->succs[block->succ_first + 1], lane,
                         ptx_block_logic(ways->run, LOGIC_NOT, taken[lane].number, taken[lane],
                                         taken[lane]));
    }
}

/* Of those that come to a block at all. */
static uint32_t lanes_in(const BlockWays *ways, unsigned place)
{
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const BlockValue where = ways->where[place][lane];
        if (where.kind != BLOCK_NUMBER || where.number)
            lanes |= UINT32_C(1) << lane;
    }
    return lanes;
}

static void run_way(BlockWays *ways, unsigned place)
{
    BlockRun *run = ways->run;
    const Block *block = &run->r->flow->cfg->blocks[ways->blocks[place]];
    const uint32_t lanes = lanes_in(ways, place);
    for (InsnId i = block->first; i < block->end && place && lanes; i++) {
        if (is_way_branch(&run->func->insns[i]))
            continue;
        ptx_block_execute_where(run, ways->w, i, lanes, ways->where[place]);
        ptx_block_spend(run, BLOCK_WARP);
        if (ways->w->visits[i] < MAX_ELEMENT_VISITS)
            ways->w->visits[i]++;
        else
            run->is_lost = true;
    }
    if (lanes)
        leave_way_block(ways, place, lanes);
}

bool ptx_block_run_both_ways(BlockRun *run, BlockWarp *w, BlockId branch)
{
    const uint32_t lanes = w->stack[w->depth - 1].lanes;
    const InsnId last = run->r->flow->cfg->blocks[branch].end - 1;
    BlockWays ways = { .run = run, .w = w };
    BlockValue taken[BLOCK_WARP];
    if (run->func->insns[last].guard == NO_ID || !read_lane_guards(run, w, last, lanes, taken)
        || !find_ways_between(&ways, branch))
        return false;
    for (unsigned i = 0; i < ways.count; i++)
        for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
            ways.where[i][lane] = ptx_block_number(!i && lanes >> lane & 1);
    run->where_block = branch;
    for (unsigned i = 0; i < ways.count && !run->is_lost; i++)
        run_way(&ways, i);
    run->where_block = EXIT_BLOCK;
    return true;
}
