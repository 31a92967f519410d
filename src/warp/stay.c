#include "warp/stay.h"

enum {
    MOST_LOOPS = 16,            /* that are climbed out of */
    MOST_BACK = 64,             /* instructions from a use to its definition */
    MOST_STEPS = 5,             /* from a predicate to what it rests on */
};

/* ---- leaving a loop ---------------------------------------------------------------------------------------------- */

bool ptx_loop_has(const Routine *routine, LoopId loop, InsnId insn)
{
    if (insn >= routine->func->insn_count)
        return false;
    LoopId inner = routine->loops->loop_of[routine->cfg->block_of[insn]];
    for (unsigned climbed = 0; inner != NO_LOOP && climbed < MOST_LOOPS; climbed++) {
        if (inner == loop)
            return true;
        if (routine->loops->loops[inner].depth <= routine->loops->loops[loop].depth)
            return false;
        inner = routine->loops->loops[inner].parent;
    }
    return false;
}

int ptx_stay_side(const Routine *routine, InsnId branch, InsnId target)
{
    LoopId loop = routine->loops->loop_of[routine->cfg->block_of[branch]];
    for (unsigned climbed = 0; loop != NO_LOOP && climbed < MOST_LOOPS; climbed++, loop = routine->loops->loops[loop].parent) {
        bool taken = ptx_loop_has(routine, loop, target), falls = ptx_loop_has(routine, loop, branch + 1);
        if (taken != falls)
            return taken ? 1 : -1;
    }
    return 0;
}

/* ---- what a predicate rests on ----------------------------------------------------------------------------------- */

/* The nearest one before, in the text. */
static InsnId definition_before(const Func *func, RegId reg, InsnId at)
{
    for (InsnId i = at; i-- > (at > MOST_BACK ? at - MOST_BACK : 0);) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF && operands[o].id == reg)
                return i;
    }
    return NO_ID;
}

typedef bool (*Wanted)(const Insn *);

/* The first wanted instruction on the way back from a register. */
static InsnId look_back(const Func *func, RegId reg, InsnId at, unsigned steps, Wanted wanted)
{
    InsnId found = NO_ID, def = steps ? definition_before(func, reg, at) : NO_ID;
    if (def == NO_ID || wanted(&func->insns[def]))
        return def;
    const Operand *operands = ptx_insn_operands(func, &func->insns[def]);
    for (uint32_t o = 0; found == NO_ID && o < func->insns[def].operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
            found = look_back(func, operands[o].id, def, steps - 1, wanted);
    return found;
}

static bool is_swap(const Insn *insn)
{
    return insn->op->kind == OPK_ATOM && ptx_op_has_modifier(insn->op, "cas");
}

static bool is_test(const Insn *insn)
{
    return insn->op->kind == OPK_SETP;
}

/* Nobody knows what comes out of memory, but for parameters. */
static bool is_data(const Insn *insn)
{
    return insn->op->kind == OPK_ATOM || (insn->op->flags & OPF_LOAD && insn->op->space != SPACE_PARAM);
}

static bool is_step(const Insn *insn)
{
    return insn->op->kind == OPK_ADD || insn->op->kind == OPK_SUB;
}

/* A register that a constant was added to, against something. */
static bool tests_counter(const Func *func, InsnId test)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[test]);
    for (uint32_t o = 0; o < func->insns[test].operand_count; o++) {
        if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_USE))
            continue;
        InsnId def = definition_before(func, operands[o].id, test);
        if (def == NO_ID || !is_step(&func->insns[def]) || ptx_type_info[func->insns[def].op->type].kind == KIND_FLOAT)
            continue;
        const Operand *step = ptx_insn_operands(func, &func->insns[def]);
        for (uint32_t s = 0; s < func->insns[def].operand_count; s++)
            if (step[s].kind == OPERAND_INT)
                return true;
    }
    return false;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* By another branch than this one, which does not hang on data. */
static bool ends_by_counter(const Routine *routine, LoopId loop, InsnId other)
{
    const Func *func = routine->func;
    for (BlockId b = 0; b < routine->cfg->block_count; b++) {
        InsnId branch = routine->cfg->blocks[b].end - 1;
        const Insn *insn = &func->insns[branch];
        const Operand *to = ptx_insn_operands(func, insn);
        if (branch == other || insn->op->kind != OPK_BRA || insn->guard == NO_ID || !insn->operand_count || to->kind != OPERAND_TARGET || !ptx_loop_has(routine, loop, branch)
            || ptx_loop_has(routine, loop, func->labels[to->id].insn) == ptx_loop_has(routine, loop, branch + 1))
            continue;
        InsnId test = look_back(func, insn->guard, branch, MOST_STEPS, is_test);
        if (test != NO_ID && tests_counter(func, test) && look_back(func, insn->guard, branch, MOST_STEPS, is_data) == NO_ID)
            return true;
    }
    return false;
}

static Stay find(const Routine *routine, InsnId branch, InsnId target)
{
    const Func *func = routine->func;
    const Insn *insn = &func->insns[branch];
    InsnId test = insn->guard == NO_ID ? NO_ID : look_back(func, insn->guard, branch, MOST_STEPS, is_test);
    Lanewise op;
    if (test == NO_ID)
        return STAY_FEW;
    if (look_back(func, insn->guard, branch, MOST_STEPS, is_swap) != NO_ID)
        return STAY_NONE;
    ptx_lanewise_make(func->insns[test].op, &op);
    bool is_equal = op.compare == COMPARE_EQ || op.compare == COMPARE_EQU, is_other = op.compare == COMPARE_NE || op.compare == COMPARE_NEU;
    bool stays_where_true = (ptx_stay_side(routine, branch, target) > 0) != insn->guard_negated;
    if ((is_equal && stays_where_true) || (is_other && !stays_where_true))
        return STAY_FEW;
    return ends_by_counter(routine, routine->loops->loop_of[routine->cfg->block_of[branch]], branch) ? STAY_LONG : STAY_FEW;
}

Stay ptx_stay_find(const Routine *routine, InsnId branch, InsnId target)
{
    uint8_t *known = &routine->kinds[branch];
    if (!*known)
        *known = (uint8_t)find(routine, branch, target);
    return (Stay)*known;
}
