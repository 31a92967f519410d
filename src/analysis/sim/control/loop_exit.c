#include "analysis/sim/control/loop_exit.h"
#include "analysis/sim/guess.h"

enum {
    MAX_LOOPS = 16,            /* that are climbed out of */
    MAX_BACK = 64,             /* instructions from a use to its definition */
    MAX_STEPS = 5,             /* from a predicate to what it rests on */
    MAX_VISITS = 40,           /* of instructions on these ways */
};

/* ---- leaving a loop -------------------------------------------------------------------------- */

bool ptx_loop_has(const FuncState *func_state, LoopId loop, InsnId insn)
{
    return insn < func_state->func->insn_count
           && ptx_loop_holds(func_state->loops, loop, func_state->cfg->block_of[insn]);
}

static LoopId loop_at(const FuncState *func_state, InsnId insn)
{
    return insn < func_state->func->insn_count
               ? func_state->loops->loop_of[func_state->cfg->block_of[insn]]
               : NO_LOOP;
}

/* Outwards. */
int ptx_loop_exit_side(const FuncState *func_state, InsnId branch, InsnId target)
{
    LoopId loop = loop_at(func_state, branch);
    for (unsigned climbed = 0; loop != NO_LOOP && climbed < MAX_LOOPS;
         climbed++, loop = func_state->loops->loops[loop].parent) {
        const bool is_taken_in = ptx_loop_has(func_state, loop, target),
                   is_next_in = ptx_loop_has(func_state, loop, branch + 1);
        if (is_taken_in != is_next_in)
            return is_taken_in ? 1 : -1;
        if (is_taken_in)
            return 0;           /* so are the loops around it */
    }
    return 0;
}

/* ---- what a predicate rests on --------------------------------------------------------------- */

/* The nearest one before, in the text. */
static InsnId definition_before(const Func *func, RegId reg, InsnId at)
{
    for (InsnId i = at; i-- > (at > MAX_BACK ? at - MAX_BACK : 0);) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                && operands[o].id == reg)
                return i;
    }
    return NO_ID;
}

typedef bool (*Wanted)(const Insn *);

typedef struct LoopExitSearch {
    const Func *func;
    bool (*wanted)(const Insn *);
    unsigned visits;            /* that may still be made */
} LoopExitSearch;

static InsnId search(LoopExitSearch *s, RegId reg, InsnId at, unsigned steps)
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
    return search(&(LoopExitSearch){ func, wanted, MAX_VISITS }, func->insns[branch].guard, branch,
                  MAX_STEPS);
}

static bool is_swap(const Insn *insn)
{
    return insn->op->kind == OPK_ATOM && ptx_op_has(insn->op, MOD_CAS);
}

static bool is_test(const Insn *insn)
{
    return insn->op->kind == OPK_SETP;
}

/* What is loaded is not known, but for parameters. */
static bool is_data(const Insn *insn)
{
    return insn->op->kind == OPK_ATOM
           || (insn->op->flags & OPF_LOAD && insn->op->space != SPACE_PARAM);
}

static bool is_step(const Insn *insn)
{
    return insn->op->kind == OPK_ADD || insn->op->kind == OPK_SUB;
}

static uint64_t magnitude(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

/* Of a register that a constant was added to, against something: that constant; 0: of none. */
static uint64_t step_of_tested(const Func *func, InsnId test)
{
    const Operand *operands = ptx_insn_operands(func, &func->insns[test]);
    for (uint32_t o = 0; o < func->insns[test].operand_count; o++) {
        if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_USE))
            continue;
        InsnId def = definition_before(func, operands[o].id, test);
        if (def == NO_ID || !is_step(&func->insns[def])
            || ptx_type_info[func->insns[def].op->type].kind == KIND_FLOAT)
            continue;
        const Operand *step = ptx_insn_operands(func, &func->insns[def]);
        for (uint32_t s = 0; s < func->insns[def].operand_count; s++)
            if (step[s].kind == OPERAND_INT && ptx_operand_value(&step[s]))
                return magnitude(ptx_operand_value(&step[s]));
    }
    return 0;
}

static bool tests_counter(const Func *func, InsnId test)
{
    return step_of_tested(func, test) > 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Of an instruction that adds a constant to a register of its own; wider ones than an index may be
 * addresses, whose steps are bytes. 0: it does not. */
static uint64_t step_of_index(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    const TypeInfo *type = &ptx_type_info[insn->op->type];
    bool is_own = is_step(insn) && insn->operand_count == 3 && type->kind != KIND_FLOAT
                  && type->bits <= 32 && operands[1].kind == OPERAND_REG
                  && operands[1].id == operands[0].id && operands[2].kind == OPERAND_INT;
    return is_own ? magnitude(ptx_operand_value(&operands[2])) : 0;
}

/* A loop with a barrier, and those around it, are marked by a step of 0 until the end. */
const uint64_t *ptx_loop_exit_steps(Arena *arena, const FuncState *func_state)
{
    const Func *func = func_state->func;
    const Loops *loops = func_state->loops;
    uint64_t *steps = ptx_arena_array(arena, uint64_t, loops->loop_count + 1);
    const bool meet = ptx_lanes_meet(func);
    for (LoopId l = 0; l < loops->loop_count; l++)
        steps[l] = 1;
    for (InsnId i = 0; i < func->insn_count; i++) {
        LoopId loop = loops->loop_of[func_state->cfg->block_of[i]];
        if (func->insns[i].op->kind == OPK_BAR)
            for (; loop != NO_LOOP && steps[loop]; loop = loops->loops[loop].parent)
                steps[loop] = 0;
        else if (loop != NO_LOOP && steps[loop] && meet)
            steps[loop] = larger(steps[loop], step_of_index(func, &func->insns[i]));
    }
    return steps;
}

uint64_t ptx_loop_exit_list_step(const Func *func, InsnId branch)
{
    const InsnId test = func->insns[branch].guard == NO_ID ? NO_ID
                                                           : look_back(func, branch, is_test);
    Lanewise op;
    if (test == NO_ID)
        return 0;
    ptx_lanewise_make(func->insns[test].op, &op);
    const bool is_order = op.compare != COMPARE_EQ && op.compare != COMPARE_EQU
                          && op.compare != COMPARE_NE && op.compare != COMPARE_NEU;
    const uint64_t step = step_of_tested(func, test);
    /* what an unrolled loop leaves over is counted down by one */
    return is_order || step > 1 ? step : 0;
}

bool ptx_loop_exit_counts(const Func *func, InsnId branch)
{
    InsnId test = func->insns[branch].guard == NO_ID ? NO_ID : look_back(func, branch, is_test);
    return test == NO_ID || tests_counter(func, test);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static InsnId target_of(const Func *func, InsnId branch)
{
    const Operand *to = ptx_insn_operands(func, &func->insns[branch]);
    return func->insns[branch].operand_count && to->kind == OPERAND_TARGET
               ? func->labels[to->id].insn
               : NO_ID;
}

/* Whether a branch depends on a counter, and not on data. */
static bool hangs_on_counter(const Func *func, InsnId branch)
{
    const Insn *insn = &func->insns[branch];
    if (insn->op->kind != OPK_BRA || insn->guard == NO_ID || target_of(func, branch) == NO_ID)
        return false;
    InsnId test = look_back(func, branch, is_test);
    return test != NO_ID && tests_counter(func, test) && look_back(func, branch, is_data) == NO_ID;
}

static bool leaves(const FuncState *func_state, LoopId loop, InsnId branch)
{
    return ptx_loop_has(func_state, loop, target_of(func_state->func, branch))
           != ptx_loop_has(func_state, loop, branch + 1);
}

static void count_counter_exits(const FuncState *func_state)
{
    const Cfg *cfg = func_state->cfg;
    func_state->counter_exits[func_state->loops->loop_count] = 1;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        InsnId branch = cfg->blocks[b].end - 1;
        LoopId loop = func_state->loops->loop_of[b];
        if (loop == NO_LOOP || !hangs_on_counter(func_state->func, branch))
            continue;
        for (unsigned climbed = 0; loop != NO_LOOP && climbed < MAX_LOOPS;
             climbed++, loop = func_state->loops->loops[loop].parent)
            func_state->counter_exits[loop] += leaves(func_state, loop, branch);
    }
}

/* By another branch than this one, which leaves the loop by data. */
static bool ends_by_counter(const FuncState *func_state, LoopId loop, InsnId other)
{
    if (!func_state->counter_exits[func_state->loops->loop_count])
        count_counter_exits(func_state);
    uint32_t exits = loop == NO_LOOP ? 0 : func_state->counter_exits[loop];
    return exits > 1
           || (exits == 1
               && !(leaves(func_state, loop, other) && hangs_on_counter(func_state->func, other)));
}

static LoopExit find(const FuncState *func_state, InsnId branch, InsnId target)
{
    const Func *func = func_state->func;
    const Insn *insn = &func->insns[branch];
    InsnId test = insn->guard == NO_ID ? NO_ID : look_back(func, branch, is_test);
    Lanewise op;
    if (test == NO_ID)
        return LOOP_EXIT_FEW;
    if (look_back(func, branch, is_swap) != NO_ID)
        return LOOP_EXIT_NONE;
    ptx_lanewise_make(func->insns[test].op, &op);
    bool is_equal = op.compare == COMPARE_EQ || op.compare == COMPARE_EQU,
         is_other = op.compare == COMPARE_NE || op.compare == COMPARE_NEU;
    bool stays_where_true = (ptx_loop_exit_side(func_state, branch, target) > 0)
                            != insn->guard_negated;
    if ((is_equal && stays_where_true) || (is_other && !stays_where_true))
        return LOOP_EXIT_FEW;
    return ends_by_counter(func_state,
                           func_state->loops->loop_of[func_state->cfg->block_of[branch]], branch)
               ? LOOP_EXIT_LONG
               : LOOP_EXIT_DATA;
}

LoopExit ptx_loop_exit_find(const FuncState *func_state, InsnId branch, InsnId target)
{
    uint8_t *known = &func_state->kinds[branch];
    if (!*known)
        *known = (uint8_t)find(func_state, branch, target);
    return (LoopExit)*known;
}
