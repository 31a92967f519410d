/* The class of a component: its instructions as a function of the value at the loop's header. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/reg.h"

enum { CONSTANT_DEPTH = 6 };     /* instructions that a constant is followed through */

/* ---- one instruction ------------------------------------------------------------------------- */

bool ptx_recognizer_is_of_cycle(const Recognizer *r, const Cycle *c, const Operand *operand)
{
    return operand->kind == OPERAND_REG && r->reg_component[operand->id] == c->id;
}

/* The position of the one operand of the cycle among the sources; -1: none, or several. */
static int place_of_variable(const Recognizer *r, const Cycle *c, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    int place = -1, count = 0;
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        if (!ptx_recognizer_is_of_cycle(r, c, &operands[o]))
            continue;
        place = (int)o;
        count++;
    }
    return count == 1 ? place : -1;
}

/* Between two values of the variable, by a predicate that does not rest on it. */
static bool is_choice_of_cycle(const Recognizer *r, const Cycle *c, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    return insn->op->operation == OP_SELP && insn->operand_count == 4 && insn->guard == NO_ID
           && ptx_recognizer_is_of_cycle(r, c, &operands[1]) && !operands[1].flags
           && ptx_recognizer_is_of_cycle(r, c, &operands[2]) && !operands[2].flags
           && !ptx_recognizer_is_of_cycle(r, c, &operands[3]);
}

static Step step_of_insn(const Recognizer *r, const Cycle *c, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    if (is_choice_of_cycle(r, c, insn))
        return STEP_COPY;
    const Step step = ptx_recognizer_step(insn);
    const uint32_t wanted = step == STEP_COPY ? 2 : 3;
    bool is_guarded_by_it = insn->guard != NO_ID && r->reg_component[insn->guard] == c->id;
    if (step == STEP_OTHER || is_guarded_by_it)
        return STEP_OTHER;
    if (insn->operand_count < wanted || insn->operand_count > wanted + 1
        || (step == STEP_COPY && insn->operand_count != 2))
        return STEP_OTHER;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].flags || operands[o].kind == OPERAND_SINK || operands[o].position != o)
            return STEP_OTHER;
    const int place = place_of_variable(r, c, insn);
    return place < 0 ? STEP_OTHER : ptx_recognizer_step_at(insn, place);
}

/* ---- what it is combined with ---------------------------------------------------------------- */

static bool is_set_to_number(const Insn *insn, const Operand *operands)
{
    const uint8_t kind = operands[insn->operand_count - 1].kind;
    return insn->op->operation == OP_MOV && insn->operand_count == 2 && insn->guard == NO_ID
           && (kind == OPERAND_INT || kind == OPERAND_F32 || kind == OPERAND_F64);
}

static bool is_constant_in_loop(const Recognizer *r, const Cycle *c, InsnId insn,
                                const Operand *operand, unsigned depth);

/* What the loop computes anew in each iteration, and yet always the same. */
static bool is_set_to_constant(const Recognizer *r, const Cycle *c, InsnId id, unsigned depth)
{
    const FuncFlow *flow = r->flow;
    const Insn *insn = &flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(flow->func, insn);
    if (depth > CONSTANT_DEPTH || insn->guard != NO_ID
        || !ptx_effect_is_pure(flow->module, flow->func, insn))
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (!ptx_operand_is_def(&operands[o])
            && !is_constant_in_loop(r, c, id, &operands[o], depth + 1))
            return false;
    return true;
}

static bool is_constant_in_loop(const Recognizer *r, const Cycle *c, InsnId insn,
                                const Operand *operand, unsigned depth)
{
    InsnId last;
    switch ((OperandKind)operand->kind) {
    case OPERAND_INT: case OPERAND_F32: case OPERAND_F64: case OPERAND_VAR:
        return true;
    case OPERAND_SREG:
        return ptx_effect_is_fixed((SregId)operand->id);
    case OPERAND_REG:
        if (!ptx_defs_in_loop(r->defs, c->loop, operand->id, &last))
            return true;
        last = ptx_recognizer_source(r, insn, operand->id);
        return last != NO_ID && is_set_to_constant(r, c, last, depth);
    default:
        return false;
    }
}

/* A number, or a register that the instruction before it in the same iteration sets to one. */
static bool find_added_number(const Recognizer *r, InsnId insn, const Operand *operand,
                              int64_t *number)
{
    if (operand->kind == OPERAND_REG) {
        const InsnId from = ptx_recognizer_source(r, insn, operand->id);
        if (from == NO_ID)
            return false;
        const Insn *set = &r->flow->func->insns[from];
        const Operand *operands = ptx_insn_operands(r->flow->func, set);
        if (!is_set_to_number(set, operands))
            return false;
        operand = &operands[1];
    }
    *number = ptx_operand_value(operand);
    return operand->kind == OPERAND_INT;
}

static bool is_linear_in_loop(const Recognizer *r, const Cycle *c, const Operand *operand)
{
    InsnId last;
    return operand->kind == OPERAND_REG
           && ptx_defs_in_loop(r->defs, c->loop, operand->id, &last) == 1 && r->is_linear[last]
           && ptx_recognizer_level_loop(r, last) == c->loop;
}

static void note_cycle_operands(const Recognizer *r, Cycle *c, InsnId id)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        int64_t number = 0;
        if (ptx_recognizer_is_of_cycle(r, c, &operands[o]))
            continue;
        c->has_induction |= insn->operand_count == 3 && is_linear_in_loop(r, c, &operands[o]);
        c->has_constants &= is_constant_in_loop(r, c, id, &operands[o], 0);
        c->has_step &= insn->operand_count == 3 && find_added_number(r, id, &operands[o], &number);
        const uint64_t by = (uint64_t)number, sum = (uint64_t)c->step;
        c->step = (int64_t)(insn->op->operation == OP_SUB ? sum - by : sum + by);
    }
}

/* ---- the cycle as a whole -------------------------------------------------------------------- */

/* The register that the loop carries; NO_ID: there are several. */
static RegId find_carried_register(const Recognizer *r, const Cycle *c)
{
    RegId reg = NO_ID;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t d = r->first[c->insns[i]]; d < r->first[c->insns[i] + 1]; d++) {
            const Dependence *item = &r->all.items[d];
            bool is_back = item->kind == DEPENDENCE_REGISTER && item->is_carried
                           && r->component[item->from] == c->id;
            if (is_back && reg != NO_ID && reg != item->name)
                return NO_ID;
            if (is_back)
                reg = item->name;
        }
    return reg;
}

/* Whether all that sets a register of the cycle within the loop is of the cycle. */
static bool owns_register(const Recognizer *r, const Cycle *c, RegId reg)
{
    if (ptx_defs_count(r->defs, reg) > RECOGNIZE_DEFS)
        return false;
    for (uint32_t d = r->defs->first[reg]; d < r->defs->first[reg + 1]; d++) {
        const InsnId at = r->defs->insns[d];
        bool is_inside = ptx_loop_holds(r->flow->loops, c->loop, r->flow->cfg->block_of[at]);
        if (is_inside && r->component[at] != c->id)
            return false;
    }
    return true;
}

/* Claims what the cycle sets; false: something else sets it, too. */
static bool claim_registers(Recognizer *r, const Cycle *c)
{
    bool is_own = true;
    for (uint32_t i = 0; i < c->count; i++) {
        const Insn *insn = &r->flow->func->insns[c->insns[i]];
        const Operand *operands = ptx_insn_operands(r->flow->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (!ptx_operand_is_def(&operands[o]))
                continue;
            r->reg_component[operands[o].id] = c->id;
            is_own &= owns_register(r, c, operands[o].id);
        }
    }
    return is_own;
}

/* Whether each iteration of the next outer loop sets it to a number before the loop. */
static bool is_reinitialized(const Recognizer *r, const Cycle *c)
{
    const LoopId parent = r->flow->loops->loops[c->loop].parent;
    bool is_set = false;
    for (uint32_t i = 0; i < c->count && parent != NO_LOOP; i++)
        for (uint32_t d = r->first[c->insns[i]]; d < r->first[c->insns[i] + 1]; d++) {
            const Dependence *item = &r->all.items[d];
            const Insn *from = &r->flow->func->insns[item->from];
            const BlockId block = r->flow->cfg->block_of[item->from];
            if (item->kind != DEPENDENCE_REGISTER || item->name != c->carried
                || ptx_loop_holds(r->flow->loops, c->loop, block))
                continue;
            if (!ptx_loop_holds(r->flow->loops, parent, block) || item->is_carried
                || !is_set_to_number(from, ptx_insn_operands(r->flow->func, from)))
                return false;
            is_set = true;
        }
    return is_set;
}

/* ---- classes --------------------------------------------------------------------------------- */

static Step walk_cycle(const Recognizer *r, Cycle *c, Recognized *out)
{
    Step step = STEP_COPY;
    for (uint32_t i = 0; i < c->count; i++) {
        const Insn *insn = &r->flow->func->insns[c->insns[i]];
        const Step next = step_of_insn(r, c, insn);
        step = ptx_recognizer_join_steps(step, next);
        if (next == STEP_OTHER || step == STEP_OTHER)
            return STEP_OTHER;
        c->step_count += next != STEP_COPY;
        if (next != STEP_COPY)
            note_cycle_operands(r, c, c->insns[i]);
        out->is_conditional |= !ptx_recognizer_is_unconditional(r, c->insns[i])
                               || is_choice_of_cycle(r, c, insn);
    }
    return step;
}

/* In one loop alone, and in each iteration: its inductions. */
static RecognizedClass class_in_each(const Cycle *c, Step step, Recognized *out)
{
    if (step == STEP_ADD && c->has_constants) {
        out->has_step = c->has_step;
        out->step = c->step;
        return RECOGNIZED_LINEAR;
    }
    if (step == STEP_ADD && c->has_induction && c->step_count == 1)
        return RECOGNIZED_POLYNOMIAL;
    if (step == STEP_MUL || step == STEP_SHIFT)
        return c->has_constants ? RECOGNIZED_GEOMETRIC : RECOGNIZED_REDUCTION;
    return step == STEP_LINEAR ? RECOGNIZED_RECURRENCE : RECOGNIZED_REDUCTION;
}

static bool is_in_one_loop(const Recognizer *r, const Cycle *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (r->flow->loops->loop_of[r->flow->cfg->block_of[c->insns[i]]] != c->loop)
            return false;
    return true;
}

static RecognizedClass classify_cycle(const Recognizer *r, Cycle *c, Recognized *out)
{
    const Step step = walk_cycle(r, c, out);
    if (step == STEP_OTHER || step == STEP_COPY)
        return ptx_recognizer_refuse(out, "what it computes from one iteration to the next is no "
                                          "single operation");
    if (c->has_constants && step > STEP_LINEAR)
        return ptx_recognizer_refuse(out, "every iteration combines it with the same value");
    out->operation = ptx_recognizer_step_text(step);
    if (is_in_one_loop(r, c) && !out->is_conditional)
        return class_in_each(c, step, out);
    if (c->has_constants && !is_in_one_loop(r, c))
        return ptx_recognizer_refuse(out, "loops inside this one step it, too");
    if (step == STEP_LINEAR || step == STEP_SHIFT)
        return ptx_recognizer_refuse(out, "not every iteration computes it once");
    return RECOGNIZED_REDUCTION;
}

static RecognizedClass class_of_cycle(Recognizer *r, Cycle *c, Recognized *out, bool is_own)
{
    if (r->flow->loops->loops[c->loop].is_irreducible || r->flow->cfg->has_unknown_target)
        return ptx_recognizer_refuse(out, "the loop has no single entry");
    if (c->carried == NO_ID)
        return ptx_recognizer_refuse(out, "several registers carry it to the next iteration");
    if (!is_own)
        return ptx_recognizer_refuse(out, "the loop also sets it in another way");
    const RecognizedClass selected = ptx_recognizer_select(r, c, out);
    out->is_reinitialized = is_reinitialized(r, c);
    return selected ? selected : classify_cycle(r, c, out);
}

void ptx_recognizer_add_cycle(Recognizer *r, Cycle *c)
{
    const bool is_own = claim_registers(r, c);
    Recognized out = { .loop = c->loop, .insn = c->insns[0], .insn_count = c->count,
                       .array = NO_ID };
    for (uint32_t i = 1; i < c->count; i++)
        out.insn = c->insns[i] > out.insn ? c->insns[i] : out.insn;
    c->carried = out.reg = find_carried_register(r, c);
    out.class = (uint8_t)class_of_cycle(r, c, &out, is_own);
    for (uint32_t i = 0; i < c->count; i++) {
        r->is_linear[c->insns[i]] = out.class == RECOGNIZED_LINEAR;
        r->owner[c->insns[i]] = r->count + 1;
    }
    ptx_recognizer_add(r, &out, c->id);
}
