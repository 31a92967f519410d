#include "analysis/sim/slice.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"

#include <string.h>
#include <stdbool.h>

typedef struct Slicer {
    const Func *func;
    bool *is_needed;            /* per instruction */
    bool *is_read;              /* per register, by what is needed */
    bool reads_carry;           /* something needed takes the condition code */
    /* something needed is loaded from shared memory; from local memory or parameters of calls */
    bool reads_shared, reads_private;
    /* per register and one more, into definitions: the instructions that write it */
    const uint32_t *first;
    const InsnId *definitions;
    /* a barrier gives back a number, of all warps */
    bool has_reduction;
    InsnId swept;               /* needed ones from here on are looked at, but for the stack's */
    InsnId *stack;
    uint32_t depth;
} Slicer;

static void need(Slicer *s, InsnId insn)
{
    if (s->is_needed[insn])
        return;
    s->is_needed[insn] = true;
    if (insn > s->swept)
        s->stack[s->depth++] = insn;
}

static void read_register(Slicer *s, RegId reg)
{
    if (s->is_read[reg])
        return;
    s->is_read[reg] = true;
    for (uint32_t d = s->first[reg]; d < s->first[reg + 1]; d++)
        need(s, s->definitions[d]);
}

static bool is_shared(const Op *op)
{
    return op->space == SPACE_SHARED || op->space == SPACE_SHARED_CTA
           || op->space == SPACE_SHARED_CLUSTER || op->space == SPACE_GENERIC;
}

static bool is_private(const Op *op)
{
    return op->space == SPACE_LOCAL || op->space == SPACE_PARAM || op->space == SPACE_PARAM_FUNC
           || op->space == SPACE_GENERIC;
}

static bool is_control(const Op *op)
{
    switch ((OpKind)op->kind) {
    case OPK_BRA:
    case OPK_BRX:
    case OPK_CALL:
    case OPK_RET:
    case OPK_EXIT:
    case OPK_TRAP:
    case OPK_BAR:
        return true;
    default:
        return false;
    }
}

/* A barrier that gives back a number, of all warps. */
static bool reduces(const Insn *insn, const Operand *operands)
{
    return insn->op->kind == OPK_BAR && insn->operand_count && operands->role & ROLE_DEF;
}

/* What every instruction needs whatever it does: its guard, its addresses, what steers control. */
static void read_always(Slicer *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    bool reads_all = is_control(insn->op) || insn->op->kind == OPK_CP_ASYNC
                     || insn->op->family == OP_MBARRIER || insn->op->family == OP_CP
                     || insn->op->family == OP_TENSORMAP;
    const bool is_multiplication = insn->op->family == OP_WGMMA
                                   || insn->op->operation == OP_TCGEN05_MMA
                                   || insn->op->operation == OP_WMMA_LOAD
                                   || insn->op->operation == OP_WMMA_STORE;
    s->has_reduction |= reduces(insn, operands);
    if (insn->guard != NO_ID)
        read_register(s, insn->guard);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG
            && (operands[o].role & ROLE_ADDRESS || (reads_all && operands[o].role & ROLE_USE)
                || (is_multiplication && operands[o].position
                    && !(operands[o].flags & OPERAND_ELEMENT))))
            read_register(s, operands[o].id);
}

/* addc, subc, madc. */
static bool takes_carry(const Op *op)
{
    return op->operation == OP_ADDC || op->operation == OP_SUBC || op->operation == OP_MADC;
}

static bool makes_carry(const Op *op)
{
    return op->flags & OPF_SIDE_EFFECT && op->insn_class == CLASS_INT && ptx_op_has(op, MOD_CC);
}

static bool stores_read(const Slicer *s, const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_ST
           && ((s->reads_shared && is_shared(op)) || (s->reads_private && is_private(op)));
}

/* What is loaded brings in all that is stored to its space. */
static void take_stores(Slicer *s)
{
    for (InsnId i = 0; i < s->func->insn_count; i++)
        if (stores_read(s, &s->func->insns[i]))
            need(s, i);
}

static void take_carries(Slicer *s)
{
    s->reads_carry = true;
    for (InsnId i = 0; i < s->func->insn_count; i++)
        if (makes_carry(s->func->insns[i].op))
            need(s, i);
}

/* Of the block: what a load asks of other blocks is not known, wherever it lies. */
static bool loads_shared(const Op *op)
{
    return is_shared(op) && !(op->space == SPACE_GENERIC && ptx_op_asks_other_blocks(op));
}

static void take(Slicer *s, InsnId id)
{
    const Insn *insn = &s->func->insns[id];
    const Operand *operands = ptx_insn_operands(s->func, insn);
    bool read_shared = s->reads_shared, read_private = s->reads_private;
    if (insn->op->kind == OPK_LD) {
        s->reads_shared |= loads_shared(insn->op);
        s->reads_private |= is_private(insn->op);
    }
    if (s->reads_shared != read_shared || s->reads_private != read_private)
        take_stores(s);
    if (!s->reads_carry && insn->op->insn_class == CLASS_INT && takes_carry(insn->op))
        take_carries(s);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
            read_register(s, operands[o].id);
}

static uint16_t *count_plain(Arena *arena, const Func *func, const Cfg *cfg, const bool *is_needed)
{
    uint16_t *plain = ptx_arena_array(arena, uint16_t, func->insn_count);
    for (BlockId b = 0; b < cfg->block_count; b++)
        for (InsnId i = cfg->blocks[b].end; i-- > cfg->blocks[b].first;) {
            const Insn *insn = &func->insns[i];
            bool must_run = is_needed[i] || insn->guard != NO_ID || is_control(insn->op)
                            || ptx_insn_is_access(insn)
                            || insn->op->flags & (OPF_SIDE_EFFECT | OPF_WARP);
            uint16_t behind = i + 1 < cfg->blocks[b].end ? plain[i + 1] : 0;
            plain[i] = must_run ? 0 : (uint16_t)(behind + (behind < UINT16_MAX));
        }
    return plain;
}

/* ---- places of registers --------------------------------------------------------------------- */

/* What is known of the registers of a function while they are given places. In a loop lanes that
 * do not run keep what an earlier turn left in a register, and figures may show it. */
typedef struct PlaceFinder {
    const Func *func;
    const Slice *slice;
    const Loops *loops;         /* outside of which places are shared */
    /* per register: the basic block, + 1, in which alone it is written, once, and then read;
     * 0: none has named it; ELSEWHERE: there is more to it */
    BlockId *home;
    InsnId *last;               /* per register: where it is named last; NO_ID: its place is free */
    uint32_t *free;             /* places that hold nothing that is read any more */
    uint32_t free_count;
    uint32_t shared_count;      /* places that are shared */
} PlaceFinder;

static const BlockId ELSEWHERE = UINT32_MAX;

static bool may_run(const Slice *slice, const Insn *insn, InsnId id)
{
    return slice->is_needed[id] || is_control(insn->op)
           || insn->op->flags & (OPF_SIDE_EFFECT | OPF_WARP);
}

/* It does no more than to compute its results, all at once. */
static bool only_computes(const PlaceFinder *f, InsnId id)
{
    const Insn *insn = &f->func->insns[id];
    return f->slice->is_needed[id] && insn->guard == NO_ID && !is_control(insn->op)
           && !(insn->op->flags & (OPF_SIDE_EFFECT | OPF_WARP));
}

static bool is_one_number(const Reg *reg)
{
    return reg->vector <= 1 && !reg->is_param && !reg->is_result;
}

static void note_place_read(PlaceFinder *f, RegId reg, BlockId block, InsnId id)
{
    f->home[reg] = f->home[reg] == block + 1 ? block + 1 : ELSEWHERE;
    f->last[reg] = id;
}

static void note_place_written(PlaceFinder *f, const Operand *operand, BlockId block, InsnId id)
{
    const bool is_home = !f->home[operand->id] && f->loops->loop_of[block] == NO_LOOP
                         && only_computes(f, id) && !operand->position
                         && !(operand->role & ROLE_USE)
                         && is_one_number(&f->func->regs[operand->id]);
    f->home[operand->id] = is_home ? block + 1 : ELSEWHERE;
    f->last[operand->id] = id;
}

static void note_named(PlaceFinder *f, BlockId block, InsnId id)
{
    const Insn *insn = &f->func->insns[id];
    const Operand *operands = ptx_insn_operands(f->func, insn);
    if (insn->guard != NO_ID)
        note_place_read(f, insn->guard, block, id);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && !ptx_operand_is_def(&operands[o]))
            note_place_read(f, operands[o].id, block, id);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]))
            note_place_written(f, &operands[o], block, id);
}

static void find_homes(Arena *scratch, const Cfg *cfg, PlaceFinder *f)
{
    f->home = ptx_arena_array(scratch, BlockId, f->func->reg_count + 1);
    f->last = ptx_arena_array(scratch, InsnId, f->func->reg_count + 1);
    f->free = ptx_arena_array(scratch, uint32_t, f->func->reg_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++)
        for (InsnId i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++)
            if (!f->slice->plain[i])
                note_named(f, b, i);
}

static bool has_home(const PlaceFinder *f, RegId reg)
{
    return f->home && f->home[reg] && f->home[reg] != ELSEWHERE;
}

/* Shared places are counted apart, until it is known how many others there are. */
static const uint32_t IS_SHARED = UINT32_C(1) << 31;

static uint32_t assign_place(PlaceFinder *f, RegId reg, uint32_t *own_count)
{
    if (!has_home(f, reg))
        return (*own_count)++;
    return f->free_count ? f->free[--f->free_count] : IS_SHARED | f->shared_count++;
}

/* Behind the instruction the place is free, if it is the last that names the register. */
static void release_place(PlaceFinder *f, const uint32_t *places, RegId reg, InsnId id)
{
    if (!has_home(f, reg) || f->last[reg] != id)
        return;
    f->free[f->free_count++] = places[reg];
    f->last[reg] = NO_ID;
}

static void release_read_places(PlaceFinder *f, const uint32_t *places, InsnId id)
{
    const Insn *insn = &f->func->insns[id];
    const Operand *operands = ptx_insn_operands(f->func, insn);
    if (insn->guard != NO_ID)
        release_place(f, places, insn->guard, id);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG)
            release_place(f, places, operands[o].id, id);
}

/* A frame keeps what a run may write, and no more: large kernels have tens of thousands of
 * registers, most of which hold data. Where places are shared, registers that are written and read
 * within one basic block take turns in them. */
static void number_places(Arena *arena, PlaceFinder *f, Slice *slice)
{
    const Func *func = f->func;
    uint32_t *places = ptx_arena_array(arena, uint32_t, func->reg_count + 1), count = 1;
    for (InsnId i = 0; i < func->insn_count; i++) {
        if (slice->plain[i])
            continue;
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        const bool is_run = may_run(slice, insn, i);
        for (unsigned o = 0; o < insn->operand_count && is_run; o++)
            if (ptx_operand_is_def(&operands[o]) && !places[operands[o].id])
                places[operands[o].id] = assign_place(f, operands[o].id, &count);
        if (f->home)
            release_read_places(f, places, i);
    }
    places[func->reg_count] = count++;
    for (RegId r = 0; r < func->reg_count; r++)
        if ((func->regs[r].is_param || func->regs[r].is_result) && !places[r])
            places[r] = count++;
    for (RegId r = 0; r < func->reg_count && f->shared_count; r++)
        if (places[r] & IS_SHARED)
            places[r] = count + (places[r] & ~IS_SHARED);
    slice->places = places;
    slice->first_shared = count;
    slice->place_count = count + f->shared_count;
}

/* Per register the instructions that write it. */
static void list_definitions(Slicer *s, Arena *scratch)
{
    const Func *func = s->func;
    uint32_t *first = ptx_arena_array(scratch, uint32_t, func->reg_count + 2);
    InsnId *insns = ptx_arena_array(scratch, InsnId, func->operand_count + 1);
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        for (InsnId i = func->insn_count; i-- > 0;) {
            const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
            for (unsigned o = 0; o < func->insns[i].operand_count; o++) {
                if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
                    continue;
                if (is_filling)
                    insns[--first[operands[o].id]] = i;
                else
                    first[operands[o].id]++;
            }
        }
        for (RegId r = 0; r <= func->reg_count && !is_filling; r++)
            /* where each ends, until it is filled from its end on */
            first[r + 1] += first[r];
    }
    s->first = first;
    s->definitions = insns;
}

static void take_global_stores(Slicer *s)
{
    for (InsnId i = 0; i < s->func->insn_count; i++)
        if (s->func->insns[i].op->kind == OPK_ST
            && (s->func->insns[i].op->space == SPACE_GLOBAL
                || s->func->insns[i].op->space == SPACE_GENERIC))
            need(s, i);
}

/* Most of what is needed stands before what needs it: one walk backwards finds it in the order in
 * which it lies in memory. */
static void take_needed(Slicer *s)
{
    for (s->swept = s->func->insn_count; s->swept-- > 0;) {
        if (!s->is_needed[s->swept])
            continue;
        take(s, s->swept);
        while (s->depth)
            take(s, s->stack[--s->depth]);
    }
}

Slice ptx_slice_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg,
                        SliceWish wish)
{
    bool *is_needed = ptx_arena_array(arena, bool, func->insn_count);
    ArenaMark mark = ptx_arena_mark(scratch);
    /* What a function gives back in .param, its callers may need; what it passes, those that it
     * calls. */
    Slicer s = { .func = func,
                 .is_needed = is_needed,
                 .is_read = ptx_arena_array(scratch, bool, func->reg_count + 1),
                 .swept = func->insn_count,
                 .stack = ptx_arena_array(scratch, InsnId, func->insn_count + 1),
                 .reads_private = func->result_count > 0 || func->has_calls };
    if (wish.defs) {
        s.first = wish.defs->first;
        s.definitions = wish.defs->insns;
    } else {
        list_definitions(&s, scratch);
    }
    for (InsnId i = 0; i < func->insn_count; i++)
        read_always(&s, &func->insns[i]);
    for (RegId r = 0; r < func->reg_count; r++)
        if (func->regs[r].is_result)
            read_register(&s, r);
    if (s.reads_private)
        take_stores(&s);
    if (wish.has_contents)
        take_global_stores(&s);
    take_needed(&s);
    Slice slice = { .is_needed = is_needed,
                    .plain = count_plain(arena, func, cfg, is_needed),
                    .is_apart = !s.reads_shared && !func->has_calls && !s.has_reduction };
    PlaceFinder finder = { .func = func, .slice = &slice, .loops = wish.sharing };
    if (wish.sharing)
        find_homes(scratch, cfg, &finder);
    number_places(arena, &finder, &slice);
    ptx_arena_release(scratch, mark);
    return slice;
}

static bool may_store_shared(const Op *op)
{
    switch ((Space)op->space) {
    case SPACE_GLOBAL:
    case SPACE_LOCAL:
    case SPACE_CONST:
    case SPACE_PARAM:
    case SPACE_PARAM_ENTRY:
    case SPACE_PARAM_FUNC:
        return op->kind == OPK_CP_ASYNC;
    default:
        return op->kind == OPK_CALL || (op->flags & OPF_SIDE_EFFECT && !is_control(op));
    }
}

RegionFinder ptx_region_finder(Arena *arena, const Func *func, const Cfg *cfg)
{
    return (RegionFinder){ func,
                           cfg,
                           ptx_arena_array(arena, uint32_t, func->reg_count + 1),
                           ptx_arena_array(arena, uint32_t, cfg->block_count + 1),
                           ptx_arena_array(arena, RegId, func->reg_count + 1),
                           ptx_arena_array(arena, BlockId, cfg->block_count + 1),
                           0 };
}

static void note_reg(RegionFinder *f, RegId reg, SliceRegion *out)
{
    if (f->reg_turn[reg] == f->turn)
        return;
    f->reg_turn[reg] = f->turn;
    f->regs[out->reg_count++] = reg;
}

static void note_block(RegionFinder *f, const Block *block, SliceRegion *out)
{
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &f->func->insns[i];
        const Operand *operands = ptx_insn_operands(f->func, insn);
        OpKind kind = (OpKind)insn->op->kind;
        if (makes_carry(insn->op))
            /* the condition code is behind the registers */
            note_reg(f, f->func->reg_count, out);
        out->leaves |= kind == OPK_EXIT || kind == OPK_RET || kind == OPK_TRAP;
        out->stores_private |= kind == OPK_ST && is_private(insn->op);
        out->stores_shared |= may_store_shared(insn->op);
        for (unsigned o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
                note_reg(f, operands[o].id, out);
    }
}

static void list_accesses(Arena *arena, const RegionFinder *f, uint32_t blocks, SliceRegion *out)
{
    InsnId *accesses = NULL;
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        if (is_filling)
            accesses = ptx_arena_array(arena, InsnId, out->access_count + 1);
        out->access_count = 0;
        for (uint32_t b = 1; b < blocks; b++)
            for (InsnId i = f->cfg->blocks[f->queue[b]].first; i < f->cfg->blocks[f->queue[b]].end;
                 i++) {
                if (!ptx_insn_is_access(&f->func->insns[i]))
                    continue;
                if (is_filling)
                    accesses[out->access_count] = i;
                out->access_count++;
            }
    }
    out->accesses = accesses;
}

static void add_block(RegionFinder *f, BlockId block, uint32_t *count)
{
    if (f->block_turn[block] == f->turn)
        return;
    f->block_turn[block] = f->turn;
    f->queue[(*count)++] = block;
}

/* The blocks of the queue from `next` on, and what they lead to; meeting: EXIT_BLOCK for none. */
static void walk(RegionFinder *f, uint32_t next, uint32_t *count, BlockId reconvergence,
                 bool is_behind, SliceRegion *out)
{
    for (; next < *count; next++) {
        const Block *block = &f->cfg->blocks[f->queue[next]];
        if (next && !is_behind)
            note_block(f, block, out);
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = f->cfg->succs[block->succ_first + e];
            if (to != EXIT_BLOCK && to != reconvergence)
                add_block(f, to, count);
        }
    }
}

SliceRegion *ptx_region_compute(Arena *arena, RegionFinder *f, BlockId branch,
                                BlockId reconvergence)
{
    SliceRegion *out = ptx_arena_new(arena, SliceRegion);
    uint32_t count = 1;
    f->turn++;
    f->queue[0] = branch;       /* not in the region itself, unless it is come to again */
    walk(f, 0, &count, reconvergence, false, out);
    /* fewer lanes may come to what follows, or none */
    if (out->leaves && reconvergence != EXIT_BLOCK) {
        uint32_t behind = count;
        add_block(f, reconvergence, &count);
        walk(f, behind, &count, EXIT_BLOCK, true, out);
    }
    RegId *regs = ptx_arena_array(arena, RegId, out->reg_count + 1);
    if (out->reg_count)
        memcpy(regs, f->regs, out->reg_count * sizeof *regs);
    out->regs = regs;
    list_accesses(arena, f, count, out);
    out->block_count = count;
    return out;
}

/* ---- where lanes meet ------------------------------------------------------------------------ */

/* The last block where it does nothing but leave, and what stands before it runs into it: the end
 * that lanes meet at who do not leave early. */
static BlockId common_end(const Func *func, const Cfg *cfg)
{
    if (cfg->block_count < 2)
        return EXIT_BLOCK;
    BlockId last = cfg->block_count - 1;
    const Block *end = &cfg->blocks[last], *before = &cfg->blocks[last - 1];
    uint8_t kind = func->insns[end->first].op->kind;
    bool only_leaves = end->end - end->first == 1 && (kind == OPK_RET || kind == OPK_EXIT)
                       && ptx_block_is_reachable(cfg, last - 1);
    for (uint32_t e = 0; only_leaves && e < before->succ_count; e++)
        if (cfg->succs[before->succ_first + e] == last)
            return last;
    return EXIT_BLOCK;
}

static bool is_early_exit(const Cfg *cfg, BlockId from, BlockId to, BlockId end)
{
    return cfg->blocks[from].succ_count > 1 && (to == EXIT_BLOCK || (to == end && from + 1 != end));
}

static bool has_early_exit(const Cfg *cfg, BlockId end)
{
    for (BlockId b = 0; b < cfg->block_count; b++)
        for (uint32_t e = 0; e < cfg->blocks[b].succ_count; e++)
            if (is_early_exit(cfg, b, cfg->succs[cfg->blocks[b].succ_first + e], end))
                return true;
    return false;
}

static void fill_preds(Arena *arena, Cfg *cfg, Block *blocks, const BlockId *succs)
{
    BlockId *preds = ptx_arena_array(arena, BlockId, cfg->succ_count + 1);
    uint32_t at = 0;
    for (BlockId b = 0; b < cfg->block_count; b++)
        blocks[b].pred_count = 0;
    for (int is_filling = 0; is_filling < 2; is_filling++) {
        for (BlockId b = 0; b < cfg->block_count; b++)
            for (uint32_t e = 0; e < blocks[b].succ_count; e++) {
                BlockId to = succs[blocks[b].succ_first + e];
                if (to == EXIT_BLOCK)
                    continue;
                if (is_filling)
                    preds[blocks[to].pred_first + blocks[to].pred_count] = b;
                blocks[to].pred_count++;
            }
        for (BlockId b = 0; b < cfg->block_count && !is_filling; b++) {
            blocks[b].pred_first = at;
            at += blocks[b].pred_count;
            blocks[b].pred_count = 0;
        }
    }
    cfg->preds = preds;
}

/* Lanes that leave early are not waited for: the others meet where they would if none left (seen
 * on sm_90: ha_nested_exits of testdata/measured). */
const BlockId *ptx_reconvergence_compute(Arena *arena, Arena *scratch, const Func *func,
                                         const Cfg *cfg, const Dom *dom)
{
    BlockId end = common_end(func, cfg);
    if (!has_early_exit(cfg, end))
        return dom->ipdom;
    Cfg cut = *cfg;
    Block *blocks = ptx_arena_array(arena, Block, cfg->block_count);
    BlockId *succs = ptx_arena_array(arena, BlockId, cfg->succ_count + 1);
    uint32_t count = 0;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const Block *block = &cfg->blocks[b];
        blocks[b] = *block;
        blocks[b].succ_first = count;
        for (uint32_t e = 0; e < block->succ_count; e++) {
            BlockId to = cfg->succs[block->succ_first + e];
            if (!is_early_exit(cfg, b, to, end))
                succs[count++] = to;
        }
        if (count == blocks[b].succ_first)
            succs[count++] = EXIT_BLOCK;
        blocks[b].succ_count = count - blocks[b].succ_first;
    }
    cut.blocks = blocks;
    cut.succs = succs;
    cut.succ_count = count;
    fill_preds(arena, &cut, blocks, succs);
    return ptx_ipdom_compute(arena, scratch, &cut);
}
