#include "analysis/value/uniform.h"
#include "support/minmax.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"
#include "isa/isa.h"

#include <string.h>
#include <stdint.h>

enum {
    LANES = 32,
    MAX_PASSES = 24,           /* over the instructions */
    /* budget of definitions looked at and of steps up the post-dominator tree: so many for an
     * instruction ... */
    WORK_PER_INSN = 256,
    WORK_FLOOR = 1 << 14,       /* ... and so many for any function */
    MAX_ARGS = 4,
};

/* Who may go different ways; AMONG_DOUBT: lanes, if what was assumed does not hold. */
typedef enum Among { AMONG_LANES, AMONG_WARPS, AMONG_DOUBT, AMONG__COUNT } Among;

typedef struct RegList {
    RegId *items;
    uint32_t count, capacity;
} RegList;

typedef struct Diverger {
    const Module *module;
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    const Defs *defs;
    Affine *insns, *branches;   /* the results */
    Affine *regs;               /* per register: what holds of all its definitions */
    Affine *here;               /* per register: of its last definition in the block in hand ... */
    BlockId *here_block;        /* ... if this is that block, + 1 */
    /* per block: the nearest block that not all come to, though it dominates this one; NO_ID: none
     * */
    BlockId *side[AMONG__COUNT];
    bool *parts[AMONG__COUNT];          /* per loop: they may leave it in different iterations */
    uint32_t block[3];          /* of threads; 0: not known */
    bool is_row;                /* %tid.x alone is asked for */
    uint32_t *read_in;          /* per register: the pass in which `regs` was read last, + 1 */
    uint32_t pass;
    bool has_changed;           /* what this pass had read before: it has to be read again */
    bool has_marked;            /* side, parts: likewise */
    /* the block's run by number; of the last change of side or parts, of each register's `regs` and
     * of the last run of each block; 0: none */
    uint64_t run, marked_at, *changed_at, *ran_at;
    bool *asks_marks;           /* per block: its last run looked at side or parts */
    /* per block: registers that it reads of others, or that others write as well */
    RegList *outer;
    BlockId *listed_in;         /* per register: the last block in whose list it is, + 1 */
    Arena *scratch;
    uint64_t work;              /* left */
    uint64_t climbs;            /* out of loops, left */
} Diverger;

/* ---- special registers ----------------------------------------------------------------------- */

/* Threads are numbered x first: PTX ISA, "%laneid", and CUDA C++ Programming Guide, "Thread
 * Hierarchy". */
static Affine thread_index_affine(const Diverger *d, int64_t component)
{
    const uint32_t *block = d->block;
    bool is_known = block[0] != 0;
    if (component < 0 || component > 2 || (is_known && block[component] == 1))
        return ptx_affine_number(0);
    if (!is_known) {
        Affine out = component ? ptx_affine_uniform(UNIFORMITY_UNKNOWN) : ptx_affine_lane(5, 10);
        out.is_assumed = true;
        return component || d->is_row ? out : ptx_affine_uniform(UNIFORMITY_DIVERGENT);
    }
    uint32_t threads_below = 1;
    for (int64_t i = 0; i < component; i++)
        threads_below *= block[i];
    bool is_row = component == 0 && (block[0] % LANES == 0 || block[1] * block[2] == 1);
    if (is_row)
        return block[0] <= LANES ? ptx_affine_lane(MAX_AFFINE_ALIGN, 5) : ptx_affine_lane(5, 10);
    return ptx_affine_uniform(component && threads_below % LANES == 0 ? UNIFORMITY_WARP
                                                                      : UNIFORMITY_DIVERGENT);
}

static Affine special_register_affine(const Diverger *d, const Operand *operand)
{
    const int64_t component = ptx_operand_value(operand);
    Affine out = ptx_affine_uniform(UNIFORMITY_BLOCK);
    switch ((SregId)operand->id) {
    case SREG_TID:
        return thread_index_affine(d, component);
    case SREG_NTID:
        out.bits = 11;
        return d->block[0] && component >= 0 && component < 3
                   ? ptx_affine_number(d->block[component])
                   : out;
    case SREG_CTAID:
    case SREG_NCTAID:
    case SREG_CLUSTERID:
    case SREG_NCLUSTERID:
    case SREG_CLUSTER_CTAID:
    case SREG_CLUSTER_NCTAID:
        out.bits = 31;
        return out;
    case SREG_CLUSTER_CTARANK:
    case SREG_CLUSTER_NCTARANK:
    case SREG_IS_EXPLICIT_CLUSTER:
    case SREG_DYNAMIC_SMEM_SIZE:
    case SREG_TOTAL_SMEM_SIZE:
    case SREG_AGGR_SMEM_SIZE:
    case SREG_GRIDID:
    case SREG_ENVREG:
    case SREG_CURRENT_GRAPH_EXEC:
    case SREG_NSMID:
    case SREG_NWARPID:
    case SREG_RESERVED_SMEM_OFFSET:
    case SREG_RESERVED_SMEM_OFFSET_BEGIN:
    case SREG_RESERVED_SMEM_OFFSET_CAP:
    case SREG_RESERVED_SMEM_OFFSET_END:
        return out;
    case SREG_LANEID:
        return ptx_affine_lane(MAX_AFFINE_ALIGN, 5);
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_GT:
    case SREG_LANEMASK_GE:
        return ptx_affine_uniform(UNIFORMITY_DIVERGENT);
    default:                    /* clocks, counters, %warpid: read once for a warp */
        return ptx_affine_uniform(UNIFORMITY_WARP);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Whether those that come to a block over different definitions of a register may meet there, or
 * left the loop of one in different iterations. */
static bool may_be_mixed(Diverger *d, Among among, RegId reg, BlockId block)
{
    const BlockId *side = d->side[among];
    uint32_t count = ptx_defs_count(d->defs, reg);
    const Loops *loops = d->defs->loops;
    for (uint32_t i = d->defs->first[reg]; i < d->defs->first[reg + 1]; i++) {
        BlockId at = d->cfg->block_of[d->defs->insns[i]];
        if (!d->work)
            return true;
        d->work--;
        for (LoopId loop = loops->loop_of[at];
             loop != NO_LOOP && !ptx_loop_holds(loops, loop, block);
             loop = loops->loops[loop].parent) {
            d->asks_marks[block] = true;
            if (d->parts[among][loop] || !d->climbs)
                return true;
            d->climbs--;
        }
        d->asks_marks[block] |= count > 1;
        bool meets = count > 1 && side[at] != NO_ID;
        if (meets && !ptx_dom_dominates(d->dom, at, block)
            && !ptx_dom_dominates(d->dom, side[at], block))
            return true;
    }
    return false;
}

/* The block's run rests on `regs` of the register. */
static void note_outer(Diverger *d, RegId reg, BlockId block)
{
    RegList *list = &d->outer[block];
    d->read_in[reg] = d->pass + 1;
    if (d->pass || d->listed_in[reg] == block + 1)
        return;
    d->listed_in[reg] = block + 1;
    if (list->count == list->capacity)
        list->items = ptx_arena_grow(d->scratch, list->items, list->count, &list->capacity,
                                     sizeof *list->items);
    list->items[list->count++] = reg;
}

static Affine read_affine_register(Diverger *d, RegId reg, BlockId block)
{
    if (d->here_block[reg] == block + 1)
        return d->here[reg];
    Affine value = d->regs[reg];
    note_outer(d, reg, block);
    if (!value.uniformity && !ptx_defs_count(d->defs, reg))
        return ptx_affine_uniform(UNIFORMITY_UNKNOWN);      /* the caller's, or undefined */
    bool is_fixed = value.is_known || value.uniformity >= UNIFORMITY_DIVERGENT;
    if (!value.uniformity || is_fixed)
        return value;
    if (may_be_mixed(d, AMONG_LANES, reg, block))
        return ptx_affine_uniform(UNIFORMITY_DIVERGENT);
    value.is_assumed = value.is_assumed || may_be_mixed(d, AMONG_DOUBT, reg, block);
    return value.is_of_warp || !may_be_mixed(d, AMONG_WARPS, reg, block)
               ? value
               : ptx_affine_of_warp(value);
}

static Affine read_affine_operand(Diverger *d, const Operand *operand, BlockId block)
{
    Affine out;
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG:
        out = read_affine_register(d, operand->id, block);
        if (operand->flags & (OPERAND_COMPONENT | OPERAND_MINUS))
            return ptx_affine_is_uniform(out) || !out.uniformity
                       ? ptx_affine_uniform((Uniformity)out.uniformity)
                       : ptx_affine_uniform(UNIFORMITY_DIVERGENT);
        return out;
    case OPERAND_SREG:
        return special_register_affine(d, operand);
    case OPERAND_INT:
        return ptx_affine_number(ptx_operand_value(operand));
    case OPERAND_VAR:
        out = ptx_affine_uniform(UNIFORMITY_BLOCK);
        if (d->module->vars[operand->id].space == SPACE_LOCAL)
            return ptx_affine_uniform(UNIFORMITY_DIVERGENT);
        out.align =
            ptx_operand_value(operand)
                ? 0
                : (uint8_t)__builtin_ctz(d->module->vars[operand->id].align | UINT32_C(1) << 30);
        return out;
    case OPERAND_UNKNOWN:
        return ptx_affine_uniform(UNIFORMITY_UNKNOWN);
    default:
        return ptx_affine_uniform(UNIFORMITY_BLOCK);
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* A parameter of the kernel; not one that a function is given, or that a call of one passes. */
static bool is_parameter(const Diverger *d, const Operand *place)
{
    return d->func->is_entry && place->kind == OPERAND_VAR
           && d->module->vars[place->id].is_parameter;
}

/* Lanes that read one address at once get one value. Parameters of a kernel, constants and
 * read-only data are the same for all its threads. */
static Affine loaded_affine(const Diverger *d, const Insn *insn, const Operand *place,
                            Affine address)
{
    Space space = (Space)insn->op->space;
    bool is_param = space == SPACE_PARAM || space == SPACE_PARAM_FUNC,
         is_fixed = space == SPACE_CONST || space == SPACE_PARAM_ENTRY || is_param;
    is_fixed |= space == SPACE_GLOBAL && ptx_op_has(insn->op, MOD_NC);
    bool is_plain = insn->op->kind == OPK_LD || insn->op->family == OP_MBARRIER;
    if (!address.uniformity)
        return (Affine){ 0 };
    if ((is_param && !is_parameter(d, place)) || address.uniformity == UNIFORMITY_UNKNOWN)
        return ptx_affine_uniform(UNIFORMITY_UNKNOWN);
    if (!is_plain || space == SPACE_LOCAL || !ptx_affine_is_uniform(address))
        return ptx_affine_uniform(UNIFORMITY_DIVERGENT);
    Affine out = ptx_affine_uniform(is_fixed ? (Uniformity)address.uniformity : UNIFORMITY_WARP);
    out.is_assumed = address.is_assumed || !is_fixed;
    return out;
}

/* One lane's value for all: PTX ISA, "shfl.sync", mode .idx with one index and no segments. */
static Affine shuffled(const Insn *insn, const Affine *args, unsigned count)
{
    if (count && (ptx_affine_is_uniform(args[0]) || !args[0].uniformity))
        return args[0];
    bool is_whole = count > 2 && ptx_op_has(insn->op, MOD_IDX) && ptx_affine_is_uniform(args[1])
                    && args[2].is_known && !(args[2].base >> 8 & 31);
    return ptx_affine_uniform(is_whole ? UNIFORMITY_WARP : UNIFORMITY_DIVERGENT);
}

static Affine affine_result_of(Diverger *d, const Insn *insn, BlockId block)
{
    const Operand *operands = ptx_insn_operands(d->func, insn);
    Affine args[MAX_ARGS], address = ptx_affine_uniform(UNIFORMITY_BLOCK), rest = address;
    unsigned count = 0;
    const Operand *place = NULL;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (operands[o].role & ROLE_DEF || operands[o].position == 0)
            continue;
        Affine value = read_affine_operand(d, &operands[o], block);
        if (operands[o].role & ROLE_ADDRESS && !place) {
            address = value;
            place = &operands[o];
        }
        if (count < MAX_ARGS)
            args[count++] = value;
        else
            rest = ptx_affine_join(rest, value);
    }
    if (insn->op->flags & OPF_UNKNOWN || !insn->op->opcode || insn->op->kind == OPK_CALL)
        return ptx_affine_uniform(UNIFORMITY_UNKNOWN);
    if (insn->op->space && place)
        return loaded_affine(d, insn, place, address);
    if (insn->op->kind == OPK_BAR)
        /* bar.red: one result for all */
        return ptx_affine_uniform(ptx_op_has(insn->op, MOD_WARP) ? UNIFORMITY_WARP
                                                                 : UNIFORMITY_BLOCK);
    if (insn->op->operation == OP_SHFL)
        return shuffled(insn, args, count);
    bool is_unpacked = operands[0].flags & OPERAND_ELEMENT;
    Affine out = is_unpacked ? ptx_affine_blur(args, count)
                             : ptx_affine_apply(insn->op, args, count);
    return ptx_affine_is_uniform(rest) || !out.uniformity
               ? out
               : ptx_affine_join(out, ptx_affine_uniform(UNIFORMITY_DIVERGENT));
}

/* Under a guard the old value stays where it does not hold. */
static Affine guarded(Diverger *d, const Insn *insn, RegId reg, BlockId block, Affine value)
{
    Affine guard = read_affine_register(d, insn->guard, block);
    bool is_here = d->here_block[reg] == block + 1;
    if (!is_here)
        note_outer(d, reg, block);
    if (guard.uniformity && !ptx_affine_is_uniform(guard))
        return ptx_affine_uniform(UNIFORMITY_DIVERGENT);
    Affine both = ptx_affine_join(is_here ? d->here[reg] : d->regs[reg], value);
    both.is_assumed |= guard.is_assumed && !both.is_known;
    return guard.is_of_warp && !both.is_known ? ptx_affine_of_warp(both) : both;
}

static bool is_same_affine(const Affine *a, const Affine *b)
{
    return a->uniformity == b->uniformity && a->stride == b->stride && a->base == b->base
           && a->align == b->align && a->bits == b->bits && a->is_known == b->is_known
           && a->is_of_warp == b->is_of_warp && a->is_assumed == b->is_assumed;
}

/* Most registers are written once: nothing is copied to and fro for those. */
static void write_register(Diverger *d, const Insn *insn, RegId reg, BlockId block,
                           const Affine *written)
{
    Affine *all = &d->regs[reg], *here = &d->here[reg];
    const bool is_shared = ptx_defs_count(d->defs, reg) > 1;
    if (insn->guard != NO_ID && is_shared)
        *here = guarded(d, insn, reg, block, *written);
    else
        *here = *written;
    d->here_block[reg] = block + 1;
    if (is_shared)
        note_outer(d, reg, block);
    if (is_same_affine(here, all))
        return;
    const Affine joined = all->uniformity ? ptx_affine_join(*all, *here) : *here;
    if (is_same_affine(&joined, all))
        return;
    d->has_changed |= d->read_in[reg] == d->pass + 1;
    d->changed_at[reg] = d->run;
    *all = joined;
}

/* The right one of d|p: one lane alone has it set (elect), or it says whether the lane's source was
 * there (shfl); of setp the opposite. */
static const Affine *paired(const Insn *insn, const Affine *value)
{
    static const Affine divergent = { .uniformity = UNIFORMITY_DIVERGENT,
                                      .bits = MAX_AFFINE_BITS,
                                      .is_of_warp = true };
    return insn->op->kind == OPK_SETP ? value : &divergent;
}

static void run_block(Diverger *d, BlockId block)
{
    const Block *b = &d->cfg->blocks[block];
    for (InsnId i = b->first; i < b->end; i++) {
        const Insn *insn = &d->func->insns[i];
        const Operand *operands = ptx_insn_operands(d->func, insn);
        bool has_def = false;
        for (unsigned o = 0; o < insn->operand_count; o++)
            has_def |= ptx_operand_is_def(&operands[o]);
        if (!has_def)
            continue;
        const Affine *value = &d->insns[i];
        d->insns[i] = affine_result_of(d, insn, block);
        for (unsigned o = 0; o < insn->operand_count; o++)
            if (ptx_operand_is_def(&operands[o]))
                write_register(d, insn, operands[o].id, block,
                               operands[o].flags & OPERAND_RIGHT ? paired(insn, value) : value);
    }
    const Insn *last = &d->func->insns[b->end - 1];
    if (b->succ_count < 2)
        return;
    d->branches[block] = last->guard != NO_ID ? read_affine_register(d, last->guard, block)
                                              : ptx_affine_uniform(UNIFORMITY_NONE);
    if (last->op->kind == OPK_BRX) {
        Affine index = last->operand_count
                           ? read_affine_operand(d, ptx_insn_operands(d->func, last), block)
                           : ptx_affine_uniform(UNIFORMITY_UNKNOWN);
        d->branches[block] = d->branches[block].uniformity
                                 ? ptx_affine_join(d->branches[block], index)
                                 : index;
    }
}

/* Whether anything that the block read has changed since it ran. */
static bool is_to_run(const Diverger *d, BlockId block)
{
    const RegList *list = &d->outer[block];
    bool is_stale = !d->pass || (d->asks_marks[block] && d->marked_at > d->ran_at[block]);
    for (uint32_t i = 0; i < list->count && !is_stale; i++)
        is_stale = d->changed_at[list->items[i]] >= d->ran_at[block];
    return is_stale;
}

static void run_stale_blocks(Diverger *d)
{
    for (uint32_t i = 0; i < d->cfg->rpo_count; i++) {
        const BlockId block = d->cfg->rpo[i];
        const RegList *list = &d->outer[block];
        if (is_to_run(d, block)) {
            d->ran_at[block] = ++d->run;
            d->asks_marks[block] = false;
            run_block(d, block);
        } else {
            for (uint32_t r = 0; r < list->count; r++)
                d->read_in[list->items[r]] = d->pass + 1;
        }
    }
}

/* ---- control --------------------------------------------------------------------------------- */

static bool may_part(const Affine *condition, Among among)
{
    return condition->uniformity >= (among == AMONG_WARPS ? UNIFORMITY_WARP : UNIFORMITY_AFFINE)
           || (among == AMONG_DOUBT && condition->is_assumed);
}

static bool is_dominated(const Dom *dom, BlockId upper, BlockId lower)
{
    return upper == NO_ID || ptx_dom_dominates(dom, upper, lower);
}

/* Blocks that are control dependent on a branch: Ferrante, Ottenstein and Warren, "The Program
 * Dependence Graph and Its Use in Optimization" (TOPLAS 1987). */
static void mark_divergent_sides(Diverger *d, Among among, BlockId branch, bool is_parting)
{
    const Block *b = &d->cfg->blocks[branch];
    BlockId *sides = d->side[among];
    for (uint32_t e = 0; e < b->succ_count; e++) {
        BlockId first = d->cfg->succs[b->succ_first + e];
        for (BlockId at = first; at != EXIT_BLOCK && at != d->dom->ipdom[branch] && d->work;
             at = d->dom->ipdom[at]) {
            BlockId side = is_parting ? first : sides[branch];
            d->work--;
            if (!ptx_dom_dominates(d->dom, side, at))
                side = at;
            if (side == sides[at] || !is_dominated(d->dom, sides[at], side))
                continue;
            sides[at] = side;
            d->has_marked = true;
        }
    }
}

/* Lanes leave the loops around a branch in different iterations where it parts them, or where not
 * all of them come to it. */
static void mark_loops(Diverger *d, Among among, BlockId branch, bool is_parting)
{
    const Block *b = &d->cfg->blocks[branch];
    const Loops *loops = d->defs->loops;
    for (LoopId loop = loops->loop_of[branch]; loop != NO_LOOP; loop = loops->loops[loop].parent) {
        bool is_exit = false;
        for (uint32_t e = 0; e < b->succ_count; e++) {
            BlockId to = d->cfg->succs[b->succ_first + e];
            is_exit |= !ptx_loop_holds(loops, loop, to);
        }
        if (!is_exit || !d->work)
            return;
        d->work--;
        BlockId side = d->side[among][branch];
        bool is_partial = side != NO_ID && side != loops->loops[loop].header
                          && ptx_loop_holds(loops, loop, side);
        if (d->parts[among][loop] || (!is_parting && !is_partial))
            continue;
        d->parts[among][loop] = d->has_marked = true;
    }
}

static void mark_control(Diverger *d, Among among)
{
    for (uint32_t i = 0; i < d->cfg->rpo_count; i++) {
        BlockId block = d->cfg->rpo[i];
        if (d->cfg->blocks[block].succ_count < 2)
            continue;
        bool is_parting = may_part(&d->branches[block], among);
        if (is_parting || d->side[among][block] != NO_ID)
            mark_divergent_sides(d, among, block, is_parting);
        mark_loops(d, among, block, is_parting);
    }
}

/* ---- the interface --------------------------------------------------------------------------- */

static void find_block(Diverger *d, const Launch *launch)
{
    const uint32_t *shape = launch && launch->block[0] ? launch->block : d->func->bounds.reqntid;
    for (unsigned i = 0; i < 3; i++)
        d->block[i] = shape[0] ? ptx_u32_max(shape[i], 1) : 0;
    d->is_row = !d->func->tid_component;
}

/* False: the bound of the work was reached. */
static bool solve(Diverger *d)
{
    for (d->pass = 0; d->pass < MAX_PASSES && d->work; d->pass++) {
        d->has_changed = d->has_marked = false;
        memset(d->here_block, 0, d->func->reg_count * sizeof *d->here_block);
        run_stale_blocks(d);
        for (Among among = 0; among < AMONG__COUNT; among++)
            mark_control(d, among);
        if (d->has_marked)
            d->marked_at = ++d->run;
        if (!d->has_changed && !d->has_marked)
            return true;
    }
    return false;
}

static void give_up(Affine *values, uint32_t count, bool is_all)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_all || !values[i].uniformity)
            values[i] = ptx_affine_uniform(UNIFORMITY_UNKNOWN);
}

const Uniforms *ptx_uniform_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                    const Defs *defs, const Launch *launch)
{
    const Func *func = flow->func;
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    Uniforms *out = ptx_arena_new(arena, Uniforms);
    Diverger d = { .module = flow->module,
                   .func = func,
                   .cfg = cfg,
                   .dom = flow->dom,
                   .scratch = scratch,
                   .defs = defs ? defs : ptx_defs_compute(arena, func, cfg, loops) };
    d.insns = ptx_arena_array(arena, Affine, func->insn_count);
    d.branches = ptx_arena_array(arena, Affine, cfg->block_count);
    ArenaMark mark = ptx_arena_mark(scratch);
    d.regs = ptx_arena_array(scratch, Affine, func->reg_count + 1);
    d.here = ptx_arena_array(scratch, Affine, func->reg_count + 1);
    d.here_block = ptx_arena_array(scratch, BlockId, func->reg_count + 1);
    d.read_in = ptx_arena_array(scratch, uint32_t, func->reg_count + 1);
    d.changed_at = ptx_arena_array(scratch, uint64_t, func->reg_count + 1);
    d.listed_in = ptx_arena_array(scratch, BlockId, func->reg_count + 1);
    d.ran_at = ptx_arena_array(scratch, uint64_t, cfg->block_count);
    d.asks_marks = ptx_arena_array(scratch, bool, cfg->block_count);
    d.outer = ptx_arena_array(scratch, RegList, cfg->block_count);
    for (Among among = 0; among < AMONG__COUNT; among++) {
        d.side[among] = ptx_arena_array(scratch, BlockId, cfg->block_count);
        d.parts[among] = ptx_arena_array(scratch, bool, loops->loop_count + 1);
        memset(d.side[among], 0xff, cfg->block_count * sizeof *d.side[among]);
    }
    d.climbs = d.work = WORK_FLOOR + (uint64_t)WORK_PER_INSN * func->insn_count;
    find_block(&d, launch);
    bool is_done = !cfg->has_unknown_target && !func->has_syntax_error && solve(&d);
    bool *is_partial = ptx_arena_array(arena, bool, cfg->block_count);
    give_up(d.insns, func->insn_count, !is_done);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        is_partial[b] = !is_done || d.side[AMONG_WARPS][b] != NO_ID;
        if (cfg->blocks[b].succ_count > 1)
            give_up(&d.branches[b], 1, !is_done);
    }
    ptx_arena_release(scratch, mark);
    *out = (Uniforms){ d.insns, d.branches, is_partial, d.defs };
    return out;
}

KeptValue ptx_value_keep(const Affine *a)
{
    const bool is_stride = a->stride > KEPT_STRIDE_UNKNOWN && a->stride < -KEPT_STRIDE_UNKNOWN;
    const int64_t stride = is_stride ? a->stride : KEPT_STRIDE_UNKNOWN;
    return (KeptValue){ stride * 256 + 2 * a->uniformity + a->is_assumed };
}
