#include "analysis/redundancy/recognize.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/dependence.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/reg.h"

#include <stdlib.h>

/* What an instruction makes of the variable. */
typedef enum Step {
    STEP_OTHER,
    STEP_COPY,
    STEP_ADD,
    STEP_MUL,
    STEP_SHIFT,                 /* v << c */
    STEP_LINEAR,                /* v * a + b */
    STEP_MIN, STEP_MAX, STEP_AND, STEP_OR, STEP_XOR,
    STEP__COUNT
} Step;

typedef struct Recognizer {
    Arena *arena, *scratch;
    const FuncFlow *flow;
    const Defs *defs;
    Dependences all;
    uint32_t *first;            /* per instruction and one more: into all.items, by `to` */
    LoopId *outer;              /* per loop: what holds it at the level in hand; NO_LOOP */
    LoopId *below;              /* the same one level deeper */
    uint32_t *component;        /* per instruction; 0: none yet */
    uint32_t *reg_component;    /* per register: the last component that sets it */
    uint32_t *order, *low, *next;       /* per instruction, of Tarjan's walk */
    InsnId *stack, *calls;
    uint32_t stack_count, component_count, order_count;
    bool *is_linear;            /* per instruction: of a linear induction */
    Recognized *items;
    uint32_t *item_component;
    uint32_t count, capacity, id_capacity;
} Recognizer;

/* A component in hand. */
typedef struct Cycle {
    const InsnId *insns;
    uint32_t count, id;
    LoopId loop;
    RegId carried;
    bool has_constants, has_step;       /* all that is added or multiplied is constant, a number */
    bool has_induction;         /* what is added is one linear induction */
    int64_t step;
    uint32_t step_count;        /* instructions but copies */
} Cycle;

static LoopId level_loop(const Recognizer *r, InsnId insn)
{
    LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[insn]];
    return loop == NO_LOOP ? NO_LOOP : r->outer[loop];
}

/* ---- one instruction ------------------------------------------------------------------------- */

static bool is_of_cycle(const Recognizer *r, const Cycle *c, const Operand *operand)
{
    return operand->kind == OPERAND_REG && r->reg_component[operand->id] == c->id;
}

static Step step_of_operation(const Insn *insn)
{
    switch ((Operation)insn->op->operation) {
    case OP_MOV: return STEP_COPY;
    case OP_ADD: case OP_SUB: case OP_MAD: case OP_FMA: return STEP_ADD;
    case OP_MUL: return STEP_MUL;
    case OP_SHL: return STEP_SHIFT;
    case OP_MIN: return STEP_MIN;
    case OP_MAX: return STEP_MAX;
    case OP_AND: return STEP_AND;
    case OP_OR: return STEP_OR;
    case OP_XOR: return STEP_XOR;
    default: return STEP_OTHER;
    }
}

/* Adds and products that keep all bits, and do not saturate or carry. */
static bool keeps_all_bits(const Insn *insn)
{
    static const uint8_t others[] = { MOD_SAT, MOD_CC, MOD_HI, MOD_WIDE, MOD_ABS, MOD_RELU,
                                      MOD_NONE };
    const Op *op = insn->op;
    bool is_wide_mad = op->operation == OP_MAD && ptx_op_has(op, MOD_WIDE);
    return is_wide_mad ? !ptx_op_has(op, MOD_CC) && !ptx_op_has(op, MOD_SAT)
                       : !ptx_op_has_any(op, others);
}

/* The position of the one operand of the cycle among the sources; -1: none, or several. */
static int place_of_variable(const Recognizer *r, const Cycle *c, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    int place = -1, count = 0;
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        if (!is_of_cycle(r, c, &operands[o]))
            continue;
        place = (int)o;
        count++;
    }
    return count == 1 ? place : -1;
}

/* Where it stands decides: a product of it is no sum. */
static Step step_at_place(const Insn *insn, Step step, int place)
{
    switch ((Operation)insn->op->operation) {
    case OP_SUB: case OP_SHL:
        return place == 1 ? step : STEP_OTHER;
    case OP_MAD: case OP_FMA:
        return place == 3 ? STEP_ADD : STEP_LINEAR;
    default:
        return step;
    }
}

static Step step_of_insn(const Recognizer *r, const Cycle *c, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    const Step step = step_of_operation(insn);
    const uint32_t wanted = step == STEP_COPY ? 2 : 3;
    bool is_guarded_by_it = insn->guard != NO_ID && r->reg_component[insn->guard] == c->id;
    if (step == STEP_OTHER || is_guarded_by_it || !keeps_all_bits(insn))
        return STEP_OTHER;
    if (insn->operand_count < wanted || insn->operand_count > wanted + 1
        || (step == STEP_COPY && insn->operand_count != 2))
        return STEP_OTHER;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].flags || operands[o].kind == OPERAND_SINK || operands[o].position != o)
            return STEP_OTHER;
    const int place = place_of_variable(r, c, insn);
    return place < 0 ? STEP_OTHER : step_at_place(insn, step, place);
}

/* ---- what it is combined with ---------------------------------------------------------------- */

static bool is_constant_in_loop(const Recognizer *r, const Cycle *c, const Operand *operand)
{
    InsnId last;
    switch ((OperandKind)operand->kind) {
    case OPERAND_INT: case OPERAND_F32: case OPERAND_F64:
        return true;
    case OPERAND_REG:
        return !ptx_defs_in_loop(r->defs, c->loop, operand->id, &last);
    default:
        return false;
    }
}

static bool is_linear_in_loop(const Recognizer *r, const Cycle *c, const Operand *operand)
{
    InsnId last;
    return operand->kind == OPERAND_REG
           && ptx_defs_in_loop(r->defs, c->loop, operand->id, &last) == 1 && r->is_linear[last]
           && level_loop(r, last) == c->loop;
}

static void note_cycle_operands(const Recognizer *r, Cycle *c, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        if (is_of_cycle(r, c, &operands[o]))
            continue;
        c->has_induction |= insn->operand_count == 3 && is_linear_in_loop(r, c, &operands[o]);
        c->has_constants &= is_constant_in_loop(r, c, &operands[o]);
        c->has_step &= operands[o].kind == OPERAND_INT && insn->operand_count == 3;
        const uint64_t by = (uint64_t)operands[o].value, sum = (uint64_t)c->step;
        c->step = (int64_t)(insn->op->operation == OP_SUB ? sum - by : sum + by);
    }
}

/* ---- the cycle as a whole -------------------------------------------------------------------- */

static bool dominates_latches(const Recognizer *r, BlockId block, LoopId loop)
{
    const Cfg *cfg = r->flow->cfg;
    const Block *header = &cfg->blocks[r->flow->loops->loops[loop].header];
    for (uint32_t p = 0; p < header->pred_count; p++) {
        const BlockId from = cfg->preds[header->pred_first + p];
        if (ptx_loop_holds(r->defs, loop, from) && !ptx_dom_dominates(r->flow->dom, block, from))
            return false;
    }
    return true;
}

/* Whether each iteration of the innermost loop around it executes it. */
static bool is_unconditional(const Recognizer *r, InsnId insn)
{
    const BlockId block = r->flow->cfg->block_of[insn];
    return r->flow->func->insns[insn].guard == NO_ID
           && dominates_latches(r, block, r->flow->loops->loop_of[block]);
}

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
        bool is_inside = ptx_loop_holds(r->defs, c->loop, r->flow->cfg->block_of[at]);
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

static bool is_set_to_number(const Insn *insn, const Operand *operands)
{
    const uint8_t kind = operands[insn->operand_count - 1].kind;
    return insn->op->operation == OP_MOV && insn->operand_count == 2 && insn->guard == NO_ID
           && (kind == OPERAND_INT || kind == OPERAND_F32 || kind == OPERAND_F64);
}

/* Whether each iteration of the next outer loop sets it to a number before the loop. */
static bool is_reinitialized(const Recognizer *r, const Cycle *c)
{
    const Loop *loop = &r->flow->loops->loops[c->loop];
    bool is_set = false;
    if (loop->parent == NO_LOOP)
        return false;
    for (uint32_t d = r->defs->first[c->carried]; d < r->defs->first[c->carried + 1]; d++) {
        const InsnId at = r->defs->insns[d];
        const Insn *insn = &r->flow->func->insns[at];
        const BlockId block = r->flow->cfg->block_of[at];
        if (!ptx_loop_holds(r->defs, loop->parent, block)
            || ptx_loop_holds(r->defs, c->loop, block))
            continue;
        if (!is_set_to_number(insn, ptx_insn_operands(r->flow->func, insn)))
            return false;
        is_set |= ptx_dom_dominates(r->flow->dom, block, loop->header);
    }
    return is_set;
}

/* ---- classes --------------------------------------------------------------------------------- */

static const char *const step_text[STEP__COUNT] = {
    [STEP_ADD] = "add", [STEP_MUL] = "mul", [STEP_SHIFT] = "shl", [STEP_LINEAR] = "fma",
    [STEP_MIN] = "min", [STEP_MAX] = "max", [STEP_AND] = "and", [STEP_OR] = "or",
    [STEP_XOR] = "xor",
};

/* The one step of all instructions but copies; a mixture of sums and products is linear. */
static Step join_steps(Step a, Step b)
{
    const unsigned linear = 1u << STEP_ADD | 1u << STEP_MUL | 1u << STEP_SHIFT | 1u << STEP_LINEAR;
    if (a == STEP_COPY || a == b)
        return b;
    if (b == STEP_COPY)
        return a;
    return linear >> a & linear >> b & 1 ? STEP_LINEAR : STEP_OTHER;
}

static Step walk_cycle(const Recognizer *r, Cycle *c, Recognized *out)
{
    Step step = STEP_COPY;
    for (uint32_t i = 0; i < c->count; i++) {
        const Insn *insn = &r->flow->func->insns[c->insns[i]];
        const Step next = step_of_insn(r, c, insn);
        step = join_steps(step, next);
        if (next == STEP_OTHER || step == STEP_OTHER)
            return STEP_OTHER;
        c->step_count += next != STEP_COPY;
        if (next != STEP_COPY)
            note_cycle_operands(r, c, insn);
        out->is_conditional |= !is_unconditional(r, c->insns[i]);
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

static RecognizedClass refuse_cycle(Recognized *out, const char *why)
{
    out->why = why;
    return RECOGNIZED_NONE;
}

static RecognizedClass classify_cycle(const Recognizer *r, Cycle *c, Recognized *out)
{
    const Step step = walk_cycle(r, c, out);
    if (step == STEP_OTHER || step == STEP_COPY)
        return refuse_cycle(out, "what it computes from one iteration to the next is no single "
                                 "operation");
    if (c->has_constants && step > STEP_LINEAR)
        return refuse_cycle(out, "every iteration combines it with the same value");
    out->operation = step_text[step];
    out->is_reinitialized = is_reinitialized(r, c);
    if (is_in_one_loop(r, c) && !out->is_conditional)
        return class_in_each(c, step, out);
    if (c->has_constants && !is_in_one_loop(r, c))
        return refuse_cycle(out, "loops inside this one step it, too");
    if (step == STEP_LINEAR || step == STEP_SHIFT)
        return refuse_cycle(out, "not every iteration computes it once");
    return RECOGNIZED_REDUCTION;
}

static void add_cycle(Recognizer *r, Cycle *c)
{
    const bool is_own = claim_registers(r, c);
    Recognized out = { .loop = c->loop, .insn = c->insns[0], .insn_count = c->count };
    for (uint32_t i = 1; i < c->count; i++)
        out.insn = c->insns[i] > out.insn ? c->insns[i] : out.insn;
    c->carried = out.reg = find_carried_register(r, c);
    if (r->flow->loops->loops[c->loop].is_irreducible || r->flow->cfg->has_unknown_target)
        out.class = (uint8_t)refuse_cycle(&out, "the loop has no single entry");
    else if (c->carried == NO_ID)
        out.class = (uint8_t)refuse_cycle(&out, "several registers carry it to the next iteration");
    else if (!is_own)
        out.class = (uint8_t)refuse_cycle(&out, "the loop also sets it in another way");
    else
        out.class = (uint8_t)classify_cycle(r, c, &out);
    for (uint32_t i = 0; i < c->count; i++)
        r->is_linear[c->insns[i]] = out.class == RECOGNIZED_LINEAR;
    if (r->count == r->id_capacity)
        r->item_component = ptx_arena_grow(r->scratch, r->item_component, r->count,
                                           &r->id_capacity, sizeof *r->item_component);
    if (r->count == r->capacity)
        r->items = ptx_arena_grow(r->arena, r->items, r->count, &r->capacity, sizeof *r->items);
    r->item_component[r->count] = c->id;
    r->items[r->count++] = out;
}

/* ---- components of a level ------------------------------------------------------------------- */

/* Whether some of them are in the loop itself, or in two of those inside: else these have them. */
static bool is_of_level(const Recognizer *r, const InsnId *insns, uint32_t count)
{
    LoopId only = NO_LOOP;
    for (uint32_t i = 0; i < count; i++) {
        const LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[insns[i]]];
        const LoopId below = r->below[loop];
        if (below == NO_LOOP || (i && below != only))
            return true;
        only = below;
    }
    return false;
}

static bool has_own_edge(const Recognizer *r, InsnId insn)
{
    for (uint32_t d = r->first[insn]; d < r->first[insn + 1]; d++)
        if (r->all.items[d].from == insn && r->all.items[d].kind == DEPENDENCE_REGISTER)
            return true;
    return false;
}

static void close_component(Recognizer *r, InsnId root)
{
    const uint32_t id = ++r->component_count;
    uint32_t at = r->stack_count;
    do
        r->component[r->stack[--at]] = id;
    while (r->stack[at] != root);
    const InsnId *insns = r->stack + at;
    const uint32_t count = r->stack_count - at;
    if ((count > 1 || has_own_edge(r, root)) && is_of_level(r, insns, count)) {
        Cycle cycle = { .insns = insns, .count = count, .id = id, .loop = level_loop(r, root),
                        .has_constants = true, .has_step = true };
        add_cycle(r, &cycle);
    }
    r->stack_count = at;
}

static void open_component(Recognizer *r, InsnId insn)
{
    r->order[insn] = r->low[insn] = ++r->order_count;
    r->next[insn] = r->first[insn];
    r->stack[r->stack_count++] = insn;
}

static uint32_t least_order(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The next instruction of the same loop that this one needs and that is new; NO_ID: none. */
static InsnId find_new_source(Recognizer *r, InsnId insn)
{
    while (r->next[insn] < r->first[insn + 1]) {
        const Dependence *item = &r->all.items[r->next[insn]++];
        if (item->kind != DEPENDENCE_REGISTER || level_loop(r, item->from) != level_loop(r, insn))
            continue;
        if (!r->order[item->from])
            return item->from;
        if (!r->component[item->from])
            r->low[insn] = least_order(r->low[insn], r->order[item->from]);
    }
    return NO_ID;
}

static void walk_components(Recognizer *r, InsnId start)
{
    uint32_t depth = 0;
    r->calls[depth++] = start;
    open_component(r, start);
    while (depth) {
        const InsnId insn = r->calls[depth - 1];
        const InsnId source = find_new_source(r, insn);
        if (source != NO_ID) {
            r->calls[depth++] = source;
            open_component(r, source);
            continue;
        }
        depth--;
        if (r->low[insn] == r->order[insn])
            close_component(r, insn);
        else
            r->low[r->calls[depth - 1]] = least_order(r->low[r->calls[depth - 1]], r->low[insn]);
    }
}

/* ---- who else reads it ----------------------------------------------------------------------- */

/* Per component: whether another instruction of the loop reads it. */
static bool *find_cycle_readers(const Recognizer *r)
{
    bool *readers = ptx_arena_array(r->scratch, bool, r->component_count + 1);
    for (uint32_t d = 0; d < r->all.count; d++) {
        const Dependence *item = &r->all.items[d];
        if (item->kind != DEPENDENCE_REGISTER || level_loop(r, item->from) == NO_LOOP
            || level_loop(r, item->from) != level_loop(r, item->to))
            continue;
        readers[r->component[item->from]] |=
            r->component[item->from] != r->component[item->to];
    }
    return readers;
}

/* What is read may come back through memory, a call or a branch: e may depend on it. */
static void judge_readers(Recognizer *r, uint32_t begin)
{
    const bool *readers = find_cycle_readers(r);
    for (uint32_t i = begin; i < r->count; i++) {
        Recognized *item = &r->items[i];
        bool rests_on_it = item->class == RECOGNIZED_REDUCTION
                           || item->class == RECOGNIZED_RECURRENCE;
        if (rests_on_it && readers[r->item_component[i]])
            item->class = (uint8_t)refuse_cycle(item, "the loop also reads it: a scan, or what is "
                                                      "combined with it depends on it");
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

static bool set_level(Recognizer *r, uint32_t depth)
{
    const Loops *loops = r->flow->loops;
    bool has_loop = false;
    for (LoopId l = 0; l < loops->loop_count; l++) {
        const Loop *loop = &loops->loops[l];
        r->outer[l] = loop->depth == depth ? l : NO_LOOP;
        r->below[l] = loop->depth == depth + 1 ? l : NO_LOOP;
        if (loop->depth > depth)
            r->outer[l] = r->outer[loop->parent];
        if (loop->depth > depth + 1)
            r->below[l] = r->below[loop->parent];
        has_loop |= loop->depth == depth;
    }
    return has_loop;
}

static void recognize_level(Recognizer *r)
{
    const uint32_t insn_count = r->flow->func->insn_count, begin = r->count;
    for (InsnId i = 0; i < insn_count; i++)
        r->order[i] = r->component[i] = 0;
    r->order_count = 0;
    for (InsnId i = 0; i < insn_count; i++)
        if (!r->order[i] && level_loop(r, i) != NO_LOOP)
            walk_components(r, i);
    judge_readers(r, begin);
}

static void index_dependences(Recognizer *r)
{
    for (uint32_t d = 0; d < r->all.count; d++)
        r->first[r->all.items[d].to + 1]++;
    for (InsnId i = 0; i < r->flow->func->insn_count; i++)
        r->first[i + 1] += r->first[i];
}

static void begin_recognizer(Recognizer *r)
{
    const uint32_t count = r->flow->func->insn_count;
    const uint32_t loop_count = r->flow->loops->loop_count;
    r->first = ptx_arena_array(r->scratch, uint32_t, count + 2);
    r->outer = ptx_arena_array(r->scratch, LoopId, loop_count + 1);
    r->below = ptx_arena_array(r->scratch, LoopId, loop_count + 1);
    r->component = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->reg_component = ptx_arena_array(r->scratch, uint32_t, r->flow->func->reg_count + 1);
    r->order = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->low = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->next = ptx_arena_array(r->scratch, uint32_t, count + 1);
    r->stack = ptx_arena_array(r->scratch, InsnId, count + 1);
    r->calls = ptx_arena_array(r->scratch, InsnId, count + 1);
    r->is_linear = ptx_arena_array(r->scratch, bool, count + 1);
    index_dependences(r);
}

static int compare_recognized(const void *a, const void *b)
{
    const Recognized *x = a, *y = b;
    int order = (x->loop > y->loop) - (x->loop < y->loop);
    return order ? order : (x->insn > y->insn) - (x->insn < y->insn);
}

Recognitions ptx_recognize(Arena *arena, Arena *scratch, const FuncFlow *flow)
{
    Recognizer r = { .arena = arena, .scratch = scratch, .flow = flow,
                     .defs = ptx_defs_of(scratch, flow) };
    if (!flow->loops->loop_count)
        return (Recognitions){ 0 };
    r.all = ptx_dependences_compute(arena, scratch, flow);
    if (r.all.is_cut)
        return (Recognitions){ .is_cut = true };
    const ArenaMark mark = ptx_arena_mark(scratch);
    begin_recognizer(&r);
    for (uint32_t depth = 1; depth <= RECOGNIZE_DEPTH && set_level(&r, depth); depth++)
        recognize_level(&r);
    if (r.count)
        qsort(r.items, r.count, sizeof *r.items, compare_recognized);
    ptx_arena_release(scratch, mark);
    return (Recognitions){ .items = r.items, .count = r.count };
}
