/* What the result of each instruction rests on: threads and iterations, loads, and which arrays,
 * directly or by what the function has stored. Found in passes over the dependences. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/sreg.h"

enum {
    RESTS_PASSES = 24,          /* a loop nest takes about its depth */
    SSA_STEPS_PER_INSN = 256,
    SSA_STEPS_FLOOR = 1 << 14,
};

/* ---- threads, iterations, data --------------------------------------------------------------- */

static bool reads_varying_sreg(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_SREG && operands[o].id != SREG_NTID
            && operands[o].id != SREG_NCTAID)
            return true;
    return false;
}

/* Memory that holds the same for all threads where they read the same place. */
static bool is_common_space(uint8_t space)
{
    return space == SPACE_GLOBAL || space == SPACE_CONST || ptx_space_is_param((Space)space);
}

/* Memory of the thread alone may hold anything, a counter as well as what was loaded. */
static bool may_be_local(const Recognizer *r, const Op *op)
{
    return op->space == SPACE_LOCAL || (op->space == SPACE_GENERIC && r->has_local);
}

/* From what its sources have. */
static uint8_t marks_of_insn(const Recognizer *r, const Insn *insn, uint8_t sources)
{
    const Op *op = insn->op;
    if (reads_varying_sreg(r->flow->func, insn))
        sources |= MARK_VARIES;
    if (op->kind == OPK_CALL || op->flags & OPF_UNKNOWN)
        return MARK_VARIES;
    if (!(op->flags & OPF_LOAD))
        return sources;
    if (may_be_local(r, op))
        return MARK_VARIES;
    if (op->kind != OPK_LD || !is_common_space(op->space))
        return MARK_VARIES | MARK_DATA;
    return sources & MARK_VARIES ? MARK_VARIES | MARK_DATA : sources;
}

static bool mark_insn(Recognizer *r, InsnId id)
{
    uint8_t sources = 0;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        if (item->kind != DEPENDENCE_REGISTER)
            continue;
        sources |= r->marks[item->from];
        if (item->is_carried)
            sources |= MARK_VARIES;
    }
    const uint8_t marks = marks_of_insn(r, &r->flow->func->insns[id], sources);
    bool is_new = marks != r->marks[id];
    r->marks[id] = marks;
    return is_new;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static uint32_t index_of_array(const Recognizer *r, uint64_t array)
{
    for (uint32_t at = 0; at < r->array_count; at++)
        if (r->arrays[at] == array)
            return at;
    return OTHER_ARRAY;
}

static void keep_array(Recognizer *r, uint64_t array)
{
    if (array && r->array_count < MAX_ARRAYS && index_of_array(r, array) == OTHER_ARRAY)
        r->arrays[r->array_count++] = array;
}

uint64_t ptx_recognizer_array_bit(const Recognizer *r, uint64_t array)
{
    return UINT64_C(1) << index_of_array(r, array);
}

static const uint64_t other_arrays = UINT64_C(1) << OTHER_ARRAY;

/* What an access touches, by its one address. */
static uint32_t array_of_access(const Recognizer *r, InsnId id)
{
    const Subscript *of = r->subscripts[id];
    return of ? index_of_array(r, of->array) : (uint32_t)OTHER_ARRAY;
}

static void store_to_array(Recognizer *r, InsnId id, uint64_t rests)
{
    r->array_rests[array_of_access(r, id)] |= rests;
}

/* Loads whose memory nothing of the kernel writes need no array. */
static bool is_tracked_load(const Op *op)
{
    return op->flags & OPF_LOAD && !ptx_space_is_param((Space)op->space)
           && op->space != SPACE_TEX && op->space != SPACE_CONST;
}

static uint64_t rests_of_load(const Recognizer *r, InsnId id)
{
    const uint32_t array = array_of_access(r, id);
    return UINT64_C(1) << array | r->array_rests[array];
}

/* Reads or writes memory in a way that is not followed. */
static bool is_untracked(const Op *op)
{
    switch ((OpKind)op->kind) {
    case OPK_CALL: case OPK_SURFACE: case OPK_CP_ASYNC:
        return true;
    case OPK_BRA: case OPK_BRX: case OPK_RET: case OPK_EXIT: case OPK_TRAP: case OPK_BAR:
    case OPK_LD: case OPK_ST: case OPK_ATOM: case OPK_RED:
        return op->flags & OPF_UNKNOWN;
    default:
        break;
    }
    if (op->operation == OP_SHFL || op->operation == OP_VOTE || op->operation == OP_MATCH
        || op->operation == OP_REDUX || op->operation == OP_ACTIVEMASK)
        return false;
    return op->flags & (OPF_UNKNOWN | OPF_SIDE_EFFECT | OPF_STORE)
           && op->insn_class != CLASS_BARRIER;
}

/* A parameter of the kernel is the same for the whole run; others come back from calls. */
static bool is_result_of_call(const Recognizer *r, const Insn *insn)
{
    const Operand *address = ptx_effect_address(r->flow->func, insn);
    if (insn->op->kind != OPK_LD || !ptx_space_is_param((Space)insn->op->space))
        return false;
    return !address || address->kind != OPERAND_VAR || !r->flow->func->is_entry
           || !r->flow->module->vars[address->id].is_parameter;
}

static uint64_t rests_of_insn(const Recognizer *r, InsnId id, uint64_t rests)
{
    const Op *op = r->flow->func->insns[id].op;
    if (is_tracked_load(op))
        rests |= rests_of_load(r, id);
    if (is_untracked(op) || is_result_of_call(r, &r->flow->func->insns[id]))
        rests |= other_arrays;
    return rests;
}

/* Whatever is written in a way that is not followed may be in any of them. */
static void store_anywhere(Recognizer *r, uint64_t rests)
{
    for (uint32_t a = 0; a <= MAX_ARRAYS; a++)
        r->array_rests[a] |= rests;
}

static bool rest_insn(Recognizer *r, InsnId id)
{
    const Op *op = r->flow->func->insns[id].op;
    uint64_t rests = 0;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++)
        if (r->all.items[d].kind == DEPENDENCE_REGISTER)
            rests |= r->rests[r->all.items[d].from];
    rests = rests_of_insn(r, id, rests);
    bool is_new = rests != r->rests[id];
    r->rests[id] = rests;
    if (op->kind == OPK_ST || op->kind == OPK_ATOM || op->kind == OPK_RED)
        store_to_array(r, id, rests);
    else if (is_untracked(op))
        store_anywhere(r, rests);
    return is_new;
}

/* ---- control --------------------------------------------------------------------------------- */

/* Whether a branch that rests on memory decides that the instruction's block runs. */
static bool decide_block(Recognizer *r, InsnId id)
{
    const BlockId block = r->flow->cfg->block_of[id];
    bool is_decided = r->is_decided[block];
    if (r->flow->cfg->blocks[block].first != id || is_decided)
        return false;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        is_decided |= item->kind == DEPENDENCE_CONTROL
                      && (r->marks[item->from] & MARK_DATA
                          || r->is_decided[r->flow->cfg->block_of[item->from]]);
    }
    r->is_decided[block] = is_decided;
    return is_decided;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* False: they go on. */
static bool pass_until_settled(Recognizer *r, bool (*visit)(Recognizer *r, InsnId id))
{
    bool has_changed = true;
    for (unsigned pass = 0; has_changed && pass < RESTS_PASSES; pass++) {
        has_changed = false;
        for (InsnId i = 0; i < r->flow->func->insn_count; i++)
            has_changed |= visit(r, i);
    }
    return !has_changed;
}

static void read_subscripts(Recognizer *r)
{
    const Func *func = r->flow->func;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *address = ptx_effect_address(func, insn);
        bool is_access = insn->op->flags & (OPF_LOAD | OPF_STORE) && insn->op->space && address
                         && !ptx_space_is_param((Space)insn->op->space)
                         && ptx_block_is_reachable(r->flow->cfg, r->flow->cfg->block_of[i]);
        if (!is_access)
            continue;
        Subscript *of = ptx_arena_new(r->scratch, Subscript);
        ptx_subscript_read(&r->reader, i, address, of);
        r->subscripts[i] = of;
        keep_array(r, of->array);
    }
}

static void note_insn(Recognizer *r, InsnId id)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        r->asks_for_row |= operands[o].kind == OPERAND_SREG && operands[o].id == SREG_TID
                           && ptx_operand_value(&operands[o]);
    if (insn->op->kind != OPK_ATOM && insn->op->kind != OPK_RED)
        return;
    if (r->atomic_count < MAX_ATOMICS)
        r->atomics[r->atomic_count] = id;
    r->atomic_count++;
}

static void note_function(Recognizer *r)
{
    for (VarId v = 0; v < r->flow->module->var_count; v++)
        r->has_local |= r->flow->module->vars[v].space == SPACE_LOCAL;
    for (InsnId i = 0; i < r->flow->func->insn_count; i++)
        note_insn(r, i);
    for (uint32_t d = 0; d < r->all.count; d++)
        r->is_read[r->all.items[d].from] |= r->all.items[d].kind == DEPENDENCE_REGISTER;
}

void ptx_recognizer_rests(Recognizer *r)
{
    const FuncFlow flow = { r->flow->module, r->flow->func, r->flow->cfg, r->flow->dom,
                            r->flow->loops, r->defs };
    const uint64_t steps = SSA_STEPS_FLOOR
                           + (uint64_t)SSA_STEPS_PER_INSN * r->flow->func->insn_count;
    note_function(r);
    if (!pass_until_settled(r, mark_insn) || !pass_until_settled(r, decide_block))
        return;
    r->reader = (SubscriptReader){ .ssa = ptx_ssa_new(r->scratch, &flow, NULL, steps),
                                   .func = r->flow->func, .defs = r->defs, .marks = r->marks };
    read_subscripts(r);
    r->has_arrays = !ptx_ssa_is_spent(r->reader.ssa) && pass_until_settled(r, rest_insn);
}
