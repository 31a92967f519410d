#include "analysis/time/work.h"

#include "analysis/flow/defs.h"
#include "analysis/redundancy/needed.h"
#include "analysis/redundancy/value_numbering.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"

#include <stdbool.h>

/* over the function until nothing changes; real code needs two or three */
enum { PASSES_MAX = 6 };

typedef struct RegWork {
    bool is_defined;            /* by an instruction that was looked at */
    bool is_varying;            /* may differ between threads of a warp */
    bool feeds_address;         /* in an address, or in arithmetic that ends in one */
    bool is_constant;           /* every definition moves a constant into it */
    bool is_product;            /* its one definition multiplies integers */
    bool feeds_sum;             /* of floats, which could take a multiplication in */
} RegWork;

/* Instructions that a pass is still to look at. */
typedef struct WorkList {
    InsnId *insns;
    uint32_t count;
} WorkList;

typedef struct Worker {
    const Func *func;
    const Cfg *cfg;
    const Loops *loops;
    RegWork *regs;
    const Defs *defs;
    bool is_settled;            /* the passes reached their end: feeds_address is complete */
} Worker;

static bool is_reg(const Operand *operand)
{
    return operand->kind == OPERAND_REG;
}

static bool is_immediate(const Operand *operand)
{
    return operand->kind == OPERAND_INT || operand->kind == OPERAND_F32
           || operand->kind == OPERAND_F64;
}

static bool is_integer_op(const Op *op)
{
    return op->insn_class == CLASS_INT || op->insn_class == CLASS_LOGIC
           || op->insn_class == CLASS_MOVE || op->insn_class == CLASS_CVT;
}

/* ---- what registers are ---------------------------------------------------------------------- */

/* The lanes of a warp may read different values; of the others, and of clocks, they read one. */
static bool is_lane_register(SregId id)
{
    switch (id) {
    case SREG_TID:
    case SREG_LANEID:
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
        return true;
    default:
        return false;
    }
}

static bool is_varying_source(const Worker *w, const Operand *operand)
{
    if (operand->kind == OPERAND_SREG)
        return is_lane_register((SregId)operand->id);
    return is_reg(operand) && (operand->role & ROLE_USE || operand->role & ROLE_ADDRESS)
           && w->regs[operand->id].is_varying;
}

static bool reads_varying(const Worker *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    if (insn->op->kind == OPK_ATOM || insn->op->kind == OPK_CALL || (insn->op->flags & OPF_WARP))
        return true;
    if (!w->func->is_entry && insn->op->insn_class == CLASS_PARAM)
        return true;                    /* what a caller passes, or what a call gives back */
    if (insn->guard != NO_ID && w->regs[insn->guard].is_varying)
        return true;
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (is_varying_source(w, &operands[i]))
            return true;
    return false;
}

/* Whether anything changed. *is_left: it may in another pass. */
static bool spread_varying(Worker *w, const Insn *insn, bool *is_left)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    bool changed = false;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (!is_reg(&operands[i]) || !(operands[i].role & ROLE_DEF)
            || w->regs[operands[i].id].is_varying)
            continue;
        if (!changed && !reads_varying(w, insn)) {
            *is_left = true;
            return false;
        }
        w->regs[operands[i].id].is_varying = changed = true;
    }
    return changed;
}

static bool writes_address(const Worker *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (is_reg(&operands[i]) && (operands[i].role & ROLE_DEF)
            && w->regs[operands[i].id].feeds_address)
            return true;
    return false;
}

/* The same. */
static bool spread_address(Worker *w, const Insn *insn, bool *is_left)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    const bool is_integer = is_integer_op(insn->op), inside = is_integer && writes_address(w, insn);
    bool changed = false;
    *is_left = is_integer && !inside;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (!is_reg(&operands[i])
            || !((operands[i].role & ROLE_ADDRESS) || (inside && (operands[i].role & ROLE_USE))))
            continue;
        changed |= !w->regs[operands[i].id].feeds_address;
        w->regs[operands[i].id].feeds_address = true;
    }
    return changed;
}

static void note_sum(Worker *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    if ((insn->op->kind != OPK_ADD && insn->op->kind != OPK_SUB)
        || ptx_type_info[insn->op->type].kind != KIND_FLOAT)
        return;
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (is_reg(&operands[i]) && (operands[i].role & ROLE_USE))
            w->regs[operands[i].id].feeds_sum = true;
}

static void note_definitions(Worker *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (!is_reg(&operands[i]) || !(operands[i].role & ROLE_DEF))
            continue;
        RegWork *reg = &w->regs[operands[i].id];
        bool is_constant = insn->op->kind == OPK_MOV && insn->operand_count == 2
                           && is_immediate(&operands[1]);
        reg->is_product = insn->op->kind == OPK_MUL && !reg->is_defined
                          && ptx_type_info[insn->op->type].kind != KIND_FLOAT;
        reg->is_constant = is_constant && (reg->is_constant || !reg->is_defined);
        reg->is_defined = true;
    }
}

/* False: it did not come to an end. From the first instruction on; is_back: from the last. */
static bool run_passes(Worker *w, WorkList *list, bool is_back,
                       bool (*from)(Worker *, const Insn *, bool *is_left))
{
    bool changed = true;
    list->count = w->func->insn_count;
    for (InsnId i = 0; i < list->count; i++)
        list->insns[i] = is_back ? list->count - 1 - i : i;
    for (int pass = 0; pass < PASSES_MAX && changed; pass++) {
        uint32_t left = 0;
        changed = false;
        for (uint32_t i = 0; i < list->count; i++) {
            bool is_left = false;
            changed |= from(w, &w->func->insns[list->insns[i]], &is_left);
            list->insns[left] = list->insns[i];
            left += is_left;
        }
        list->count = left;
    }
    return !changed;
}

static void find_regs(Worker *w, Arena *scratch)
{
    const Func *func = w->func;
    WorkList list = { ptx_arena_array(scratch, InsnId, func->insn_count + 1), 0 };
    for (uint32_t r = 0; r < func->reg_count; r++)
        w->regs[r] = (RegWork){ .is_varying = func->regs[r].is_param };
    for (InsnId i = 0; i < func->insn_count; i++) {
        note_definitions(w, &func->insns[i]);
        note_sum(w, &func->insns[i]);
    }
    run_passes(w, &list, false, spread_varying);
    w->is_settled = run_passes(w, &list, true, spread_address);
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* Whether no iteration of the loop gives the register another value; one that is written in very
 * many places may stay the same in any loop. */
static bool is_fixed(const Worker *w, const Operand *operand, LoopId loop)
{
    InsnId last;
    uint32_t count = ptx_defs_in_loop(w->defs, loop, operand->id, &last);
    return !count || count == UINT32_MAX;
}

/* Whether a loop gives the instruction the same inputs in every iteration. */
static bool is_invariant(const Worker *w, const Insn *insn, LoopId loop)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    if (loop == NO_LOOP || insn->guard != NO_ID)
        return false;
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (is_reg(&operands[i]) && operands[i].role & (ROLE_USE | ROLE_ADDRESS)
            && (operands[i].role & ROLE_DEF || !is_fixed(w, &operands[i], loop)))
            return false;
    return true;
}

/* Neighbours join up to 16 bytes. */
static uint8_t access_share(const Insn *insn)
{
    unsigned bytes = insn->access_bytes;
    return bytes && bytes < 16 ? (uint8_t)(WORK_WHOLE * bytes / 16) : WORK_WHOLE;
}

static bool writes(const Worker *w, const Insn *insn, bool (*is)(const RegWork *))
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (is_reg(&operands[i]) && (operands[i].role & ROLE_DEF) && is(&w->regs[operands[i].id]))
            return true;
    return false;
}

static bool is_varying(const RegWork *reg)
{
    return reg->is_varying;
}

static bool is_of_sum(const RegWork *reg)
{
    return reg->feeds_sum;
}

/* A product takes the sum with it: IMAD. */
static bool adds_product(const Worker *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    bool adds = (insn->op->kind == OPK_ADD || insn->op->kind == OPK_SUB) && is_integer_op(insn->op);
    for (uint32_t i = 0; adds && i < insn->operand_count; i++)
        if (is_reg(&operands[i]) && (operands[i].role & ROLE_USE)
            && w->regs[operands[i].id].is_product)
            return true;
    return false;
}

/* Division by a constant is a multiplication and some shifts; the reciprocal of a divisor that a
 * loop does not change is taken once, before it. */
static bool divides_cheaply(const Worker *w, const Insn *insn, LoopId loop)
{
    if (insn->op->kind != OPK_DIV || !insn->operand_count)
        return false;
    const Operand *divisor = ptx_insn_operands(w->func, insn) + insn->operand_count - 1;
    if (!is_reg(divisor))
        return is_immediate(divisor);
    return w->regs[divisor->id].is_constant || (loop != NO_LOOP && is_fixed(w, divisor, loop));
}

static uint8_t share_of(const Worker *w, const Insn *insn, LoopId loop)
{
    const Op *op = insn->op;
    bool is_pure = !(op->flags & (OPF_SIDE_EFFECT | OPF_WARP));
    if (op->insn_class == CLASS_CONTROL || op->insn_class == CLASS_MOVE)
        return op->flags & OPF_WARP ? WORK_WHOLE : 0;
    if (op->insn_class == CLASS_LOCAL)
        return 0;                       /* ptxas moves arrays to registers where it can */
    if (op->kind == OPK_LD || op->kind == OPK_ST)
        return is_pure && is_invariant(w, insn, loop) ? 0 : access_share(insn);
    if (!is_pure)
        return WORK_WHOLE;
    if (is_invariant(w, insn, loop) || !writes(w, insn, is_varying)
        || divides_cheaply(w, insn, loop) || adds_product(w, insn))
        return 0;
    if (is_integer_op(op) && op->insn_class != CLASS_CVT
        && (!w->is_settled || writes_address(w, insn)))
        return 0;
    if (op->kind == OPK_MUL && ptx_type_info[op->type].kind == KIND_FLOAT
        && !(op->flags & OPF_ROUNDED) && writes(w, insn, is_of_sum))
        return 0;
    if (op->flags & OPF_FOLDS)
        return 0;
    return op->flags & OPF_JOINS ? WORK_WHOLE / 2 : WORK_WHOLE;
}

const uint8_t *ptx_work_compute(Arena *arena, Arena *scratch, const FuncFlow *flow,
                                const Live *live)
{
    const Func *func = flow->func;
    const Cfg *cfg = flow->cfg;
    const Loops *loops = flow->loops;
    ArenaMark mark = ptx_arena_mark(scratch);
    Worker worker = { .func = func,
                      .cfg = cfg,
                      .loops = loops,
                      .regs = ptx_arena_array(scratch, RegWork, func->reg_count + 1) };
    worker.defs = ptx_defs_of(scratch, flow);
    uint8_t *shares = ptx_arena_array(arena, uint8_t, func->insn_count + 1);
    find_regs(&worker, scratch);
    for (InsnId i = 0; i < func->insn_count; i++)
        shares[i] = share_of(&worker, &func->insns[i], loops->loop_of[cfg->block_of[i]]);
    const bool *redundant = ptx_value_numbering_compute(scratch, scratch, func, live);
    const bool *needed = ptx_needed_compute(scratch, scratch, func, worker.defs);
    for (InsnId i = 0; i < func->insn_count; i++)
        if (redundant[i] || !needed[i])
            shares[i] = 0;
    for (uint32_t d = 0; live && d < live->dead_count; d++)
        shares[live->dead[d]] = 0;
    ptx_arena_release(scratch, mark);
    return shares;
}
