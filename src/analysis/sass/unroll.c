#include "analysis/sass/unroll.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "gpu/gpu.h"

enum {
    TIMES = 4,                  /* of a loop whose trip count is not in the code */
    /* of its body, in instructions, memory and barriers twice; with loads of global memory */
    MAX_LENGTH = 50,
    LENGTH_BARE = 21,           /* without; ... */
    LENGTH_PER_SHARED = 5,      /* ... and for each load of shared memory more, ... */
    MAX_LENGTH_SHARED = 100,    /* ... up to this */
    /* of a body of a known trip count, where not all of it is unrolled, ... */
    MAX_PARTLY = 75,
    PARTLY_JOINED = 350,        /* ... and of what it becomes */
    SHUFFLES_SM = 90,
};

/* What of each loop is seen in one walk over the function. */
typedef struct UnrollBody {
    uint32_t length, shared_loads, exits, latches;
    BlockId exit;               /* whose branch leaves it */
    bool has_global_load, is_kept;
    bool compares_before_step;
} UnrollBody;

typedef struct Unroller {
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    const Defs *defs;
    const Lowered *lowered;
    unsigned sm;
} Unroller;

Expansion ptx_op_expansion(const Op *op)
{
    bool is_wide = ptx_type_info[op->type].bits == 64,
         is_root = op->operation == OP_SQRT || op->operation == OP_RSQRT;
    bool is_integer = ptx_type_info[op->type].kind == KIND_SIGNED
                      || ptx_type_info[op->type].kind == KIND_UNSIGNED;
    if (is_integer && op->kind == OPK_DIV)
        return is_wide ? EXPANSION_INTEGER64 : EXPANSION_INTEGER;
    if (!(op->flags & OPF_FULL_PRECISION) && !(is_wide && is_root))
        return EXPANSION_NONE;
    if (is_root)
        return is_wide ? EXPANSION_ROOT64 : EXPANSION_ROOT;
    return is_wide ? EXPANSION_QUOTIENT64 : EXPANSION_QUOTIENT;
}

static bool is_jump_to(const Func *func, const Cfg *cfg, BlockId id, BlockId to)
{
    const Block *block = &cfg->blocks[id];
    return block->end == block->first + 1 && block->succ_count == 1
           && cfg->succs[block->succ_first] == to
           && func->insns[block->first].op->kind == OPK_BRA;
}

bool ptx_loop_is_one_block(const Func *func, const Cfg *cfg, const Loops *loops, LoopId loop)
{
    const Loop *of = &loops->loops[loop];
    const Block *header = &cfg->blocks[of->header];
    bool has_jump = false;
    for (uint32_t p = 0; p < header->pred_count && of->block_count == 2; p++) {
        const BlockId from = cfg->preds[header->pred_first + p];
        has_jump |= loops->loop_of[from] == loop && is_jump_to(func, cfg, from, of->header);
    }
    return of->block_count == 1 || has_jump;
}

/* ---- the body -------------------------------------------------------------------------------- */

static bool keeps(const Unroller *u, const Insn *insn)
{
    Expansion expansion = ptx_op_expansion(insn->op);
    bool is_shuffle = insn->op->flags & OPF_WARP && insn->op->insn_class == CLASS_MOVE
                      && insn->op->operation != OP_ACTIVEMASK;
    return insn->has_nounroll || insn->op->kind == OPK_CALL || insn->op->kind == OPK_BRX
           || (expansion && expansion != EXPANSION_INTEGER) || (is_shuffle && u->sm < SHUFFLES_SM);
}

static void measure_block(const Unroller *u, BlockId block, UnrollBody *body)
{
    const Block *b = &u->cfg->blocks[block];
    LoopId loop = u->loops->loop_of[block];
    InsnId last = NO_ID;
    for (uint32_t i = u->lowered->first[block]; i < u->lowered->first[block + 1]; i++) {
        const LoweredInsn *insn = &u->lowered->insns[i];
        if (insn->origin == NO_ID || insn->origin == last || ptx_lowered_is_copy(insn))
            continue;
        const Op *op = u->func->insns[insn->origin].op;
        bool is_slow = op->flags & (OPF_LOAD | OPF_STORE) || op->insn_class == CLASS_BARRIER
                       || op->insn_class == CLASS_TENSOR || op->flags & OPF_WARP;
        last = insn->origin;
        body->length += is_slow ? 2 : 1;
        body->shared_loads += op->flags & OPF_LOAD && insn->machine == MACHINE_SHARED;
        body->has_global_load |= op->flags & OPF_LOAD && insn->machine == MACHINE_GLOBAL;
    }
    for (InsnId i = b->first; i < b->end; i++)
        body->is_kept |= keeps(u, &u->func->insns[i]);
    for (uint32_t s = 0; s < b->succ_count; s++) {
        BlockId to = u->cfg->succs[b->succ_first + s];
        body->latches += to == u->loops->loops[loop].header;
        if (to == EXIT_BLOCK || u->loops->loop_of[to] != loop) {
            body->exits++;
            body->exit = block;
        }
    }
}

/* ---- the counter ----------------------------------------------------------------------------- */

/* The definition of a register in an innermost loop, where it is the only one there. */
static const Insn *definition_in(const Unroller *u, LoopId loop, RegId reg)
{
    InsnId last = NO_ID;
    return ptx_defs_in_loop(u->defs, loop, reg, &last) == 1 ? &u->func->insns[last] : NULL;
}

/* The definition outside of it, where it is the only one there. */
static const Insn *definition_before_loop(const Unroller *u, LoopId loop, RegId reg)
{
    const Insn *found = NULL;
    for (uint32_t d = u->defs->first[reg];
         d < u->defs->first[reg + 1] && d < u->defs->first[reg] + MAX_DEFS; d++) {
        InsnId insn = u->defs->insns[d];
        if (u->loops->loop_of[u->cfg->block_of[insn]] == loop)
            continue;
        if (found)
            return NULL;
        found = &u->func->insns[insn];
    }
    return found;
}

static const Operand *operand_of(const Unroller *u, const Insn *insn, unsigned at)
{
    return insn->operand_count > at ? &ptx_insn_operands(u->func, insn)[at] : NULL;
}

static bool is_move(const Insn *insn)
{
    return insn->op->kind == OPK_MOV && insn->operand_count == 2 && insn->guard == NO_ID;
}

/* A register that each iteration changes by a constant: by how much, and the register that holds it
 * around the loop. */
static bool find_counter_step(const Unroller *u, LoopId loop, RegId reg, int64_t *step, RegId *phi)
{
    const Insn *insn = definition_in(u, loop, reg);
    if (insn && is_move(insn)
        && operand_of(u, insn, 1)->kind == OPERAND_REG) /* it holds the counter itself */
        insn = definition_in(u, loop, operand_of(u, insn, 1)->id);
    if (!insn || insn->guard != NO_ID || (insn->op->kind != OPK_ADD && insn->op->kind != OPK_SUB)
        || insn->operand_count != 3)
        return false;
    const Operand *result = operand_of(u, insn, 0), *from = operand_of(u, insn, 1),
                  *by = operand_of(u, insn, 2);
    if (from->kind != OPERAND_REG || by->kind != OPERAND_INT || !ptx_operand_value(by))
        return false;
    const Insn *carried = from->id == result->id ? NULL : definition_in(u, loop, from->id);
    if (from->id != result->id
        && (!carried || !is_move(carried) || operand_of(u, carried, 1)->kind != OPERAND_REG
            || operand_of(u, carried, 1)->id != result->id))
        return false;
    *step = insn->op->kind == OPK_SUB ? -ptx_operand_value(by) : ptx_operand_value(by);
    *phi = from->id;
    return true;
}

static bool find_constant(const Unroller *u, LoopId loop, const Operand *operand, int64_t *value)
{
    if (operand->kind == OPERAND_INT) {
        *value = ptx_operand_value(operand);
        return true;
    }
    const Insn *insn = operand->kind == OPERAND_REG ? definition_before_loop(u, loop, operand->id)
                                                    : NULL;
    if (!insn || !is_move(insn) || operand_of(u, insn, 1)->kind != OPERAND_INT)
        return false;
    *value = ptx_operand_value(operand_of(u, insn, 1));
    return true;
}

/* Iterations until start + k * step is no more what the comparison asks for; 0: not known. */
static uint64_t count_iterations(const Op *op, bool is_negated, double start, double step,
                                 double bound)
{
    static const uint8_t going_up[] = { MOD_LT, MOD_LO, MOD_LE, MOD_LS },
                         going_down[] = { MOD_GT, MOD_HI, MOD_GE, MOD_HS };
    double way = bound - start;
    bool is_up = step > 0;
    for (unsigned c = 0; c < 4; c++) {
        const Modifier word = (Modifier)(is_up != is_negated ? going_up : going_down)[c];
        bool takes_bound = (c >= 2) != is_negated;
        if (!ptx_op_has(op, word))
            continue;
        if (way / step <= 0)
            return 1;
        if (takes_bound)
            return (uint64_t)(way / step + 1);
        return (uint64_t)((way + step - (is_up ? 1 : -1)) / step);
    }
    bool is_unequal = ptx_op_has(op, is_negated ? MOD_EQ : MOD_NE);
    return is_unequal && way / step >= 1 && way / step < 1e9 ? (uint64_t)(way / step) : 0;
}

/* Whether its exit is decided by a counter. *trips: how often it runs, where that is in the code;
 * else 0. */
static bool is_counted(const Unroller *u, LoopId loop, UnrollBody *body, uint64_t *trips)
{
    const Block *block = &u->cfg->blocks[body->exit];
    const Insn *branch = &u->func->insns[block->end - 1];
    const Insn *test = branch->op->kind == OPK_BRA && branch->guard != NO_ID
                           ? definition_in(u, loop, branch->guard)
                           : NULL;
    if (!test || test->op->kind != OPK_SETP || test->operand_count < 3)
        return false;
    const Operand *a = operand_of(u, test, test->operand_count - 2u),
                  *b = operand_of(u, test, test->operand_count - 1u);
    int64_t step, start, bound;
    RegId phi;
    InsnId last;
    if (a->kind != OPERAND_REG || !find_counter_step(u, loop, a->id, &step, &phi))
        return false;
    if (b->kind == OPERAND_REG && ptx_defs_in_loop(u->defs, loop, b->id, &last) != 0)
        return false;
    bool is_at_end = false;
    for (uint32_t e = 0; e < block->succ_count; e++)
        is_at_end |= u->cfg->succs[block->succ_first + e] == u->loops->loops[loop].header;
    const Insn *changed = definition_in(u, loop, a->id);
    /* what the counter was before the iteration */
    body->compares_before_step = is_at_end && (is_move(changed) || changed > test);
    if (body->compares_before_step)
        return false;
    /* the one that falls through stands last */
    BlockId taken = u->cfg->succs[block->succ_first];
    bool stays = taken != EXIT_BLOCK && u->loops->loop_of[taken] == loop;
    const Insn *before = definition_before_loop(u, loop, phi);
    *trips = 0;
    if (before && is_move(before) && find_constant(u, loop, operand_of(u, before, 1), &start)
        && find_constant(u, loop, b, &bound))
        *trips = count_iterations(test->op, stays == branch->guard_negated, (double)start,
                                  (double)step, (double)bound);
    return true;
}

/* ---- how often ------------------------------------------------------------------------------- */

/* The longest body that so many iterations are unrolled of, all of them. */
static uint32_t whole_most(uint64_t trips)
{
    static const uint16_t rows[][2] = {
        { 3, 133 }, { 4, 108 }, { 6, 80 },  { 8, 66 },   { 10, 60 },
        { 16, 46 }, { 32, 33 }, { 64, 23 }, { 128, 17 }, { 256, 13 }
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (trips <= rows[r][0])
            return rows[r][1];
    return 0;
}

/* As many as fit, rather a divisor. */
static uint32_t partly(uint64_t trips, uint32_t length)
{
    uint32_t most = PARTLY_JOINED / (length > 3 ? length - 3 : 1), times = most;
    while (times > most / 2 && times > 1 && trips % times)
        times--;
    return times > 1 && trips % times == 0 ? times : most;
}

static Unrolling decide_unrolling(const Unroller *u, LoopId loop, UnrollBody *body)
{
    Unrolling as_is = { .times = 1 };
    if (body->is_kept)
        as_is.kept_by = KEPT_BY_INSTRUCTION;
    uint64_t trips;
    if (!u->loops->loops[loop].is_innermost || u->loops->loops[loop].is_irreducible || body->is_kept
        || body->exits != 1 || body->latches != 1)
        return as_is;
    if (!is_counted(u, loop, body, &trips)) {
        as_is.kept_by = body->compares_before_step ? KEPT_BY_COUNTER : KEPT_BY_OTHER;
        return as_is;
    }
    uint32_t shared = LENGTH_BARE + LENGTH_PER_SHARED * body->shared_loads
                      + (body->shared_loads ? 1 : 0);
    shared = shared < MAX_LENGTH_SHARED ? shared : MAX_LENGTH_SHARED;
    uint32_t limit = body->has_global_load && shared < MAX_LENGTH ? MAX_LENGTH : shared;
    if (!trips && body->length > limit)
        return as_is;
    if (!trips)
        return (Unrolling){ .times = TIMES, .has_rest = true };
    uint32_t whole = limit > MAX_LENGTH ? whole_most(trips) * limit / MAX_LENGTH
                                        : whole_most(trips);
    if (body->length <= whole)
        return (Unrolling){ .times = (uint32_t)trips, .is_whole = true };
    if (body->length > MAX_PARTLY)
        return as_is;
    return (Unrolling){ .times = partly(trips, body->length) };
}

const Unrolling *ptx_unroll_compute(Arena *arena, const FuncFlow *flow, const Defs *defs,
                                    const Lowered *lowered, unsigned sm)
{
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    Unroller u = { flow->func, cfg, loops, defs, lowered, sm };
    Unrolling *out = ptx_arena_array(arena, Unrolling, loops->loop_count + 1);
    UnrollBody *bodies = ptx_arena_array(arena, UnrollBody, loops->loop_count + 1);
    for (uint32_t b = 0; b < cfg->rpo_count; b++)
        if (loops->loop_of[cfg->rpo[b]] != NO_LOOP)
            measure_block(&u, cfg->rpo[b], &bodies[loops->loop_of[cfg->rpo[b]]]);
    for (LoopId loop = 0; loop < loops->loop_count; loop++) {
        out[loop] = (Unrolling){ .times = 1 };
        if (sm >= UNROLLED_SM)
            out[loop] = decide_unrolling(&u, loop, &bodies[loop]);
    }
    return out;
}
