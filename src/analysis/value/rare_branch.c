#include "analysis/value/rare_branch.h"
#include "ir/func.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/insn.h"
#include "ir/module.h"

#include <math.h>
#include <string.h>

#define LARGE 32768.0
#define DENORMAL 2.3509887e-38          /* twice the least normal number of 32 bits */

enum { LOOK_BACK = 32 };                /* instructions between a comparison and its branch */

/* ---- numbers that programs hardly have ------------------------------------------------------- */

static InsnId comparison_of(const Func *func, InsnId branch)
{
    for (InsnId i = branch; i-- > 0 && branch - i <= LOOK_BACK;) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                && operands[o].id == func->insns[branch].guard)
                return func->insns[i].op->kind == OPK_SETP ? i : NO_ID;
    }
    return NO_ID;
}

static bool number_of(const Operand *operand, double *out)
{
    const int64_t number = ptx_operand_value(operand);
    uint32_t bits = (uint32_t)number;
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    if (operand->kind == OPERAND_F32)
        *out = (double)narrow;
    else if (operand->kind == OPERAND_F64)
        memcpy(out, &number, sizeof *out);
    else
        return false;
    return true;
}

/* Modifiers of a comparison come in pairs: lt, and ltu, which holds for what is no number too. */
static bool compares(const Op *op, Modifier with, Modifier or_unordered)
{
    return ptx_op_has(op, with) || ptx_op_has(op, or_unordered);
}

/* 1: it hardly ever holds, -1: it nearly always does. */
static int outcome(bool is_rare)
{
    return is_rare ? 1 : -1;
}

static int rare_outcome(const Op *op, double number)
{
    bool is_less = compares(op, MOD_LT, MOD_LTU) || compares(op, MOD_LE, MOD_LEU),
         is_more = compares(op, MOD_GT, MOD_GTU) || compares(op, MOD_GE, MOD_GEU),
         is_equal = compares(op, MOD_EQ, MOD_EQU);
    if (is_less || is_more) {
        if (fabs(number) >= LARGE)
            return outcome(is_more == (number > 0));
        return number > 0 && number <= DENORMAL ? outcome(is_less) : 0;
    }
    if (!isfinite(number) && (is_equal || compares(op, MOD_NE, MOD_NEU)))
        return outcome(is_equal);
    return 0;
}

/* Of a branch whose guard that instruction makes. */
static int rare_side(const Func *func, InsnId branch, InsnId id)
{
    if (id == NO_ID || func->insns[id].op->kind != OPK_SETP
        || ptx_type_info[func->insns[id].op->type].kind != KIND_FLOAT)
        return 0;
    const Insn *insn = &func->insns[id];
    const Operand *operands = ptx_insn_operands(func, insn);
    double number;
    int rare = 0;
    if (insn->operand_count != 3)
        return 0;
    if (number_of(&operands[2], &number))
        rare = rare_outcome(insn->op, number);
    else if (ptx_op_has(insn->op, MOD_NAN) || ptx_op_has(insn->op, MOD_NUM))
        rare = outcome(ptx_op_has(insn->op, MOD_NAN));
    return func->insns[branch].guard_negated ? -rare : rare;
}

int ptx_branch_rare_side(const Func *func, InsnId branch)
{
    InsnId id = func->insns[branch].guard == NO_ID ? NO_ID : comparison_of(func, branch);
    return rare_side(func, branch, id);
}

/* ---- blocks and functions -------------------------------------------------------------------- */

/* Per register: the only instruction that writes it; NO_ID: none, or several. */
static InsnId *find_makers(Arena *scratch, const Func *func)
{
    InsnId *makers = ptx_arena_array(scratch, InsnId, func->reg_count + 1);
    bool *is_made = ptx_arena_array(scratch, bool, func->reg_count + 1);
    for (uint32_t r = 0; r < func->reg_count; r++)
        makers[r] = NO_ID;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++) {
            if (!ptx_operand_is_def(&operands[o]))
                continue;
            makers[operands[o].id] = is_made[operands[o].id] ? NO_ID : i;
            is_made[operands[o].id] = true;
        }
    }
    return makers;
}

/* A predicate that is made once may be made anywhere before. */
static int rare_side_of(const Func *func, InsnId branch, const InsnId *makers)
{
    const RegId guard = func->insns[branch].guard;
    if (guard == NO_ID || makers[guard] == NO_ID)
        return ptx_branch_rare_side(func, branch);
    return rare_side(func, branch, makers[guard]);
}

const bool *ptx_rare_blocks_compute(Arena *arena, Arena *scratch, const Func *func, const Cfg *cfg)
{
    bool *is_rare = ptx_arena_array(arena, bool, cfg->block_count);
    const ArenaMark mark = ptx_arena_mark(scratch);
    BlockId *open = ptx_arena_array(scratch, BlockId, cfg->block_count);
    const InsnId *makers = find_makers(scratch, func);
    uint32_t count = 0;
    for (BlockId b = 0; b < cfg->block_count; b++)
        is_rare[b] = b && ptx_block_is_reachable(cfg, b);
    open[count++] = 0;
    while (count) {
        const Block *block = &cfg->blocks[open[--count]];
        const InsnId last = block->end - 1;
        bool is_branch = block->succ_count == 2 && func->insns[last].op->kind == OPK_BRA;
        const int rare = is_branch ? rare_side_of(func, last, makers) : 0;
        for (uint32_t e = 0; e < block->succ_count; e++) {
            const BlockId to = cfg->succs[block->succ_first + e];
            /* the edge of the fall-through is the last */
            if (to == EXIT_BLOCK || !is_rare[to] || rare == (e == 0 ? 1 : -1))
                continue;
            is_rare[to] = false;
            open[count++] = to;
        }
    }
    ptx_arena_release(scratch, mark);
    return is_rare;
}

/* What is known of the callers of each function. */
typedef struct RareCalls {
    Arena *work, *scratch;
    const Module *module;
    const CallGraph *calls;
    bool *is_rare;              /* per function: no call was found that is not rare */
} RareCalls;

/* Nothing outside the module knows of it, and it is called, by not too many. */
static bool may_be_rare(const RareCalls *r, FuncId id, uint32_t callers)
{
    const Func *func = &r->module->funcs[id];
    const CallNode *node = &r->calls->nodes[id];
    return !func->is_entry && func->linkage == LINKAGE_NONE && !node->is_address_taken
           && !node->is_recursive && callers && callers <= MAX_RARE_CALLERS;
}

static void find_candidates(const RareCalls *r)
{
    const ArenaMark mark = ptx_arena_mark(r->scratch);
    uint32_t *callers = ptx_arena_array(r->scratch, uint32_t, r->module->func_count + 1);
    for (FuncId by = 0; by < r->module->func_count; by++) {
        const CallNode *node = &r->calls->nodes[by];
        for (uint32_t c = 0; c < node->callee_count; c++)
            callers[r->calls->callees[node->callee_first + c]]++;
    }
    for (FuncId f = 0; f < r->module->func_count; f++)
        r->is_rare[f] = may_be_rare(r, f, callers[f]);
    ptx_arena_release(r->scratch, mark);
}

static bool calls_candidate(const RareCalls *r, FuncId by)
{
    const CallNode *node = &r->calls->nodes[by];
    for (uint32_t c = 0; c < node->callee_count; c++)
        if (r->is_rare[r->calls->callees[node->callee_first + c]])
            return true;
    return false;
}

/* Rare blocks not known: all of its calls are taken to be often made. */
static void take_calls(const RareCalls *r, FuncId by, const Cfg *cfg, const bool *is_rare)
{
    const Func *func = &r->module->funcs[by];
    const CallNode *node = &r->calls->nodes[by];
    for (uint32_t c = 0; c < node->callee_count && !is_rare; c++)
        r->is_rare[r->calls->callees[node->callee_first + c]] = false;
    for (InsnId i = 0; i < func->insn_count && is_rare; i++) {
        const Insn *insn = &func->insns[i];
        const FuncId to = insn->op->kind == OPK_CALL ? ptx_call_find_callee(func, insn) : NO_ID;
        if (to != NO_ID && !is_rare[cfg->block_of[i]])
            r->is_rare[r->calls->definition_of[to]] = false;
    }
}

static void take_caller(const RareCalls *r, FuncId by)
{
    const ArenaMark mark = ptx_arena_mark(r->work);
    const Func *func = &r->module->funcs[by];
    const Cfg *cfg = ptx_cfg_build(r->work, r->scratch, r->module, func);
    take_calls(r, by, cfg, cfg ? ptx_rare_blocks_compute(r->work, r->scratch, func, cfg) : NULL);
    ptx_arena_release(r->work, mark);
}

const bool *ptx_rare_funcs_compute(Arena *arena, Arena *work, Arena *scratch, const Module *module,
                                   const CallGraph *calls)
{
    const RareCalls r = { work, scratch, module, calls,
                          ptx_arena_array(arena, bool, module->func_count + 1) };
    find_candidates(&r);
    for (FuncId by = 0; by < module->func_count; by++)
        if (calls_candidate(&r, by))
            take_caller(&r, by);
    return r.is_rare;
}
