#include "analysis/sim/loop_exit.h"

enum {
    MOST_LOOPS = 16,            /* that are climbed out of */
    MOST_BACK = 64,             /* instructions from a use to its definition */
    MOST_STEPS = 5,             /* from a predicate to what it rests on */
    MOST_VISITS = 40,           /* of instructions on these ways */
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

typedef struct Search {
    const Func *func;
    bool (*wanted)(const Insn *);
    unsigned visits;            /* that may still be made */
} Search;

static InsnId search(Search *s, RegId reg, InsnId at, unsigned steps)
{
    InsnId found = NO_ID, def = steps && s->visits ? definition_before(s->func, reg, at) : NO_ID;
    if (def == NO_ID || s->wanted(&s->func->insns[def]))
        return def;
    s->visits--;
    const Operand *operands = ptx_insn_operands(s->func, &s->func->insns[def]);
    for (uint32_t o = 0; found == NO_ID && s->visits && o < s->func->insns[def].operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
            found = search(s, operands[o].id, def, steps - 1);
    return found;
}

/* The first wanted instruction on the way back from what guards a branch. */
static InsnId look_back(const Func *func, InsnId branch, bool (*wanted)(const Insn *))
{
    return search(&(Search){ func, wanted, MOST_VISITS }, func->insns[branch].guard, branch, MOST_STEPS);
}

static bool is_swap(const Insn *insn)
{
    return insn->op->kind == OPK_ATOM && ptx_op_has(insn->op, MOD_CAS);
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

static InsnId target_of(const Func *func, InsnId branch)
{
    const Operand *to = ptx_insn_operands(func, &func->insns[branch]);
    return func->insns[branch].operand_count && to->kind == OPERAND_TARGET ? func->labels[to->id].insn : NO_ID;
}

/* Whether a branch hangs on a counter, and not on data. */
static bool hangs_on_counter(const Func *func, InsnId branch)
{
    const Insn *insn = &func->insns[branch];
    if (insn->op->kind != OPK_BRA || insn->guard == NO_ID || target_of(func, branch) == NO_ID)
        return false;
    InsnId test = look_back(func, branch, is_test);
    return test != NO_ID && tests_counter(func, test) && look_back(func, branch, is_data) == NO_ID;
}

static bool leaves(const Routine *routine, LoopId loop, InsnId branch)
{
    return ptx_loop_has(routine, loop, target_of(routine->func, branch)) != ptx_loop_has(routine, loop, branch + 1);
}

static void count_counter_exits(const Routine *routine)
{
    const Cfg *cfg = routine->cfg;
    routine->counter_exits[routine->loops->loop_count] = 1;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        InsnId branch = cfg->blocks[b].end - 1;
        LoopId loop = routine->loops->loop_of[b];
        if (loop == NO_LOOP || !hangs_on_counter(routine->func, branch))
            continue;
        for (unsigned climbed = 0; loop != NO_LOOP && climbed < MOST_LOOPS; climbed++, loop = routine->loops->loops[loop].parent)
            routine->counter_exits[loop] += leaves(routine, loop, branch);
    }
}

/* By another branch than this one, which leaves the loop by data. */
static bool ends_by_counter(const Routine *routine, LoopId loop, InsnId other)
{
    if (!routine->counter_exits[routine->loops->loop_count])
        count_counter_exits(routine);
    uint32_t exits = loop == NO_LOOP ? 0 : routine->counter_exits[loop];
    return exits > 1 || (exits == 1 && !(leaves(routine, loop, other) && hangs_on_counter(routine->func, other)));
}

static Stay find(const Routine *routine, InsnId branch, InsnId target)
{
    const Func *func = routine->func;
    const Insn *insn = &func->insns[branch];
    InsnId test = insn->guard == NO_ID ? NO_ID : look_back(func, branch, is_test);
    Lanewise op;
    if (test == NO_ID)
        return STAY_FEW;
    if (look_back(func, branch, is_swap) != NO_ID)
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
