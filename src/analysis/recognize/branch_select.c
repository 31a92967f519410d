/* Minima and maxima that a branch makes, and where they were.
 *
 *     setp.leu p, x, v;  @p bra L;  mov v, x;  L:
 *
 * The copy needs nothing of the variable that it sets: it is in no component. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"

/* A block that a branch goes around, and when it runs. */
typedef struct GoneAround {
    InsnId branch;
    bool where;                 /* of the branch's predicate */
} GoneAround;

/* False: its block has another way in or out. */
static bool find_branch_around(const Recognizer *r, BlockId block, GoneAround *out)
{
    const Cfg *cfg = r->flow->cfg;
    const Block *of = &cfg->blocks[block];
    if (of->pred_count != 1 || of->succ_count != 1)
        return false;
    const Block *before = &cfg->blocks[cfg->preds[of->pred_first]];
    const Insn *last = &r->flow->func->insns[before->end - 1];
    const BlockId meet = cfg->succs[of->succ_first];
    const BlockId *ways = &cfg->succs[before->succ_first];
    if (last->op->kind != OPK_BRA || last->guard == NO_ID || before->succ_count != 2
        || ways[0] == ways[1])
        return false;
    bool is_taken = ways[0] == block && ways[1] == meet;
    bool is_fall = ways[1] == block && ways[0] == meet;
    *out = (GoneAround){ before->end - 1, is_taken != last->guard_negated };
    return is_taken || is_fall;
}

/* The comparison in the block of the branch that decides; NO_ID: there is none. */
static InsnId find_branch_comparison(const Recognizer *r, const GoneAround *around)
{
    const uint32_t *block_of = r->flow->cfg->block_of;
    const RegId predicate = r->flow->func->insns[around->branch].guard;
    const InsnId from = ptx_recognizer_source(r, around->branch, predicate);
    return from != NO_ID && block_of[from] == block_of[around->branch] ? from : NO_ID;
}

static bool is_only_in_loop(const Recognizer *r, LoopId loop, RegId reg)
{
    InsnId last;
    return ptx_defs_in_loop(r->defs, loop, reg, &last) == 1;
}

/* mov v, x, in a block of its own of the loop. */
static bool is_copy_gone_around(const Recognizer *r, InsnId id, LoopId loop, GoneAround *around)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    return insn->op->operation == OP_MOV && insn->guard == NO_ID && insn->operand_count == 2
           && operands[0].kind == OPERAND_REG && !operands[0].flags
           && find_branch_around(r, r->flow->cfg->block_of[id], around)
           && is_only_in_loop(r, loop, operands[0].id);
}

/* Kept in selection of the comparison, if it is one of an order of both. */
static InsnId take_branch_extreme(Recognizer *r, InsnId id, LoopId loop)
{
    GoneAround around;
    if (!is_copy_gone_around(r, id, loop, &around))
        return NO_ID;
    const InsnId compare = find_branch_comparison(r, &around);
    CompareSelect selection = { true, around.where, false, NO_ID, loop, 0, 1 };
    if (compare == NO_ID || r->selection[compare].is_known
        || !ptx_recognizer_compares_copied(r, compare, id, &selection))
        return NO_ID;
    r->selection[compare] = selection;
    return compare;
}

static LoopId innermost_at(const Recognizer *r, InsnId id, uint32_t depth)
{
    const LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[id]];
    bool is_there = loop != NO_LOOP && r->flow->loops->loops[loop].depth == depth
                    && !r->flow->loops->loops[loop].is_irreducible;
    return is_there ? loop : NO_LOOP;
}

/* That block's copies, and the comparison, are of the comparison's number plus 1; false: more is
 * done there. */
static bool mark_gone_around(const Recognizer *r, InsnId copy, InsnId compare, uint32_t *of)
{
    const Cfg *cfg = r->flow->cfg;
    const Block *block = &cfg->blocks[cfg->block_of[copy]];
    bool is_plain = true;
    of[compare] = compare + 1;
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &r->flow->func->insns[i];
        is_plain = is_plain && insn->guard == NO_ID
                   && (insn->op->operation == OP_MOV || insn->op->kind == OPK_BRA);
        of[i] = compare + 1;
    }
    return is_plain;
}

/* What else of the loop reads of it may come back into what is compared. */
static void drop_read_extremes(const Recognizer *r, const uint32_t *of)
{
    for (uint32_t d = 0; d < r->all.count; d++) {
        const Dependence *item = &r->all.items[d];
        const LoopId loop = ptx_recognizer_level_loop(r, item->to);
        if (!of[item->from] || item->kind != DEPENDENCE_REGISTER || loop == NO_LOOP
            || loop != ptx_recognizer_level_loop(r, item->from))
            continue;
        const InsnId compare = of[item->from] - 1;
        bool is_compared = item->to == compare && item->name == r->selection[compare].variable;
        bool is_branch = item->from == compare && r->flow->func->insns[item->to].op->kind == OPK_BRA
                         && r->flow->cfg->block_of[item->to] == r->flow->cfg->block_of[compare];
        if (!is_compared && !is_branch)
            r->selection[compare].is_known = false;
    }
}

/* The copy of the variable, and others as that of where it was. */
static void add_branch_row(Recognizer *r, InsnId id, InsnId compare)
{
    const CompareSelect *of = &r->selection[compare];
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    if (id == compare || insn->op->operation != OP_MOV || operands[0].kind != OPERAND_REG
        || operands[0].flags || !is_only_in_loop(r, of->loop, operands[0].id))
        return;
    bool is_variable = operands[0].id == of->variable;
    const char *const texts[2][2] = { { "argmin", "argmax" }, { "min", "max" } };
    const Recognized item = {
        .loop = of->loop, .insn = id, .reg = operands[0].id, .array = NO_ID,
        .insn_count = 1 + is_variable,
        .class = is_variable ? RECOGNIZED_REDUCTION : RECOGNIZED_LOCATION,
        .operation = texts[is_variable][of->is_max],
        .is_conditional = is_variable && !ptx_recognizer_is_unconditional(r, compare),
    };
    r->is_location[id] = !is_variable;
    r->owner[id] = r->count + 1;
    if (is_variable)
        r->owner[compare] = r->count + 1;
    ptx_recognizer_add(r, &item, 0);
}

void ptx_recognizer_branch_extremes(Recognizer *r, uint32_t depth)
{
    const uint32_t count = r->flow->func->insn_count;
    uint32_t *of = NULL;
    for (InsnId i = 0; i < count; i++) {
        const LoopId loop = innermost_at(r, i, depth);
        const InsnId compare = loop == NO_LOOP ? NO_ID : take_branch_extreme(r, i, loop);
        if (compare == NO_ID)
            continue;
        if (!of)
            of = ptx_arena_array(r->scratch, uint32_t, count + 1);
        r->selection[compare].is_known = mark_gone_around(r, i, compare, of);
    }
    if (!of)
        return;
    drop_read_extremes(r, of);
    for (InsnId i = 0; i < count; i++)
        if (of[i] && r->selection[of[i] - 1].is_known)
            add_branch_row(r, i, of[i] - 1);
}
