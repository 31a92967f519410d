#include "rules/eval.h"

#include "support/assert.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "rules/facts/measure.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

#include <math.h>

#define UNKNOWN ((double)NAN)

/* ---- patterns -------------------------------------------------------------------------------- */

static bool fits_pattern(const RuleSet *set, const Pattern *pattern, const Op *op)
{
    if (pattern->opcode != op->opcode)
        return false;
    for (uint32_t m = 0; m < pattern->modifier_count; m++)
        if (!ptx_op_has_word(op, set->modifiers[pattern->modifier_first + m]))
            return false;
    return true;
}

static bool fits_any(const Ask *ask, const Code *code)
{
    const RuleSet *set = ask->evaluator->set;
    const Op *op = ask->evaluator->q->func->insns[ask->at.insn].op;
    for (uint32_t p = 0; p < code->count; p++)
        if (fits_pattern(set, &set->patterns[code->arg + p], op))
            return true;
    return false;
}

/* ---- over many ------------------------------------------------------------------------------- */

static double eval_at(Ask *ask, Program program, Subjects at)
{
    Ask inner = { ask->evaluator, ask->thresholds, at, CERTAINTY_EXACT };
    double value = ptx_eval(&inner, program);
    if (inner.certainty > ask->certainty)
        ask->certainty = inner.certainty;
    return value;
}

static Subjects at_insn(const FactCache *q, InsnId insn)
{
    BlockId block = q->cfg->block_of[insn];
    return (Subjects){ insn, block, q->loops->loop_of[block], NO_ID, NO_ID };
}

/* The predicate asks for the opcode text alone: once for each that the module has. Per Op.id. */
static int8_t *hits_of_ops(const Evaluator *e, uint32_t quantifier)
{
    const ModuleFacts *shared = e->q->shared;
    if (!e->op_hits[quantifier])
        e->op_hits[quantifier] = ptx_arena_array(shared->arena, int8_t,
                                                 shared->module->op_count + 1);
    return e->op_hits[quantifier];
}

static bool belongs(Subject over, const Insn *insn)
{
    switch (over) {
    case SUBJECT_ACCESS:    return ptx_insn_is_access(insn);
    case SUBJECT_BRANCH:    return insn->op->kind == OPK_BRA && insn->guard != NO_ID;
    default:                return true;
    }
}

static bool is_hit(Ask *ask, Program predicate, InsnId insn)
{
    return eval_at(ask, predicate, at_insn(ask->evaluator->q, insn)) == 1;
}

static void find_in_block(Ask *ask, const Quantifier *quantifier, const Block *block, Found *found)
{
    const Insn *insns = ask->evaluator->q->func->insns;
    for (InsnId i = block->first; i < block->end; i++) {
        if (!belongs((Subject)quantifier->over, &insns[i]))
            continue;
        found->hits[i] = is_hit(ask, quantifier->predicate, i);
        found->count += found->hits[i];
        found->total++;
    }
}

/* The same where the opcode text decides; of_ops: 1 for a hit, 2 for none, 0 where it was not asked
 * for yet. */
static void find_ops_in_block(Ask *ask, const Quantifier *quantifier, const Block *block,
                              int8_t *of_ops, Found *found)
{
    const Insn *insns = ask->evaluator->q->func->insns;
    for (InsnId i = block->first; i < block->end; i++) {
        int8_t *known = &of_ops[insns[i].op->id];
        if (!*known)
            *known = is_hit(ask, quantifier->predicate, i) ? 1 : 2;
        if (*known != 1)
            continue;
        found->hits[i] = true;
        found->count++;
    }
    found->total += block->end - block->first;
}

static void find_insns(Ask *ask, uint32_t id, Found *found)
{
    const FactCache *q = ask->evaluator->q;
    const Quantifier *quantifier = &ask->evaluator->set->quantifiers[id];
    const Cfg *cfg = q->cfg;
    bool by_op = quantifier->level <= LEVEL_OP && quantifier->over == SUBJECT_INSTRUCTION;
    int8_t *of_ops = by_op ? hits_of_ops(ask->evaluator, id) : NULL;
    found->hits = ptx_arena_array(q->arena, bool, q->func->insn_count + 1);
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        if (quantifier->in_loop && q->loops->loop_of[cfg->rpo[r]] == NO_LOOP)
            continue;
        if (by_op)
            find_ops_in_block(ask, quantifier, &cfg->blocks[cfg->rpo[r]], of_ops, found);
        else
            find_in_block(ask, quantifier, &cfg->blocks[cfg->rpo[r]], found);
    }
}

static void find_loops(Ask *ask, const Quantifier *quantifier, Found *found)
{
    const FactCache *q = ask->evaluator->q;
    const Loops *loops = q->loops;
    bool *hits = ptx_arena_array(q->arena, bool, loops->loop_count + 1);
    for (LoopId l = 0; l < loops->loop_count; l++) {
        hits[l] = eval_at(ask, quantifier->predicate,
                          (Subjects){ NO_ID, loops->loops[l].header, l, NO_ID, NO_ID })
                  == 1;
        found->count += hits[l];
    }
    found->total = loops->loop_count;
    found->hits = hits;
}

static void find_params(Ask *ask, const Quantifier *quantifier, Found *found)
{
    const Func *func = ask->evaluator->q->func;
    for (uint32_t p = 0; p < func->param_count; p++)
        found->count += eval_at(ask, quantifier->predicate,
                                (Subjects){ NO_ID, NO_ID, NO_LOOP, NO_ID, func->params[p] })
                        == 1;
    found->total = func->param_count;
}

static Found *find_answer(Ask *ask, uint32_t id)
{
    Evaluator *e = ask->evaluator;
    Found *found = &e->found[id];
    const Quantifier *quantifier = &e->set->quantifiers[id];
    if (!found->is_done && e->q->cfg) {
        Ask own = { e, ask->thresholds, { NO_ID, NO_ID, NO_LOOP, NO_ID, NO_ID }, CERTAINTY_EXACT };
        if (quantifier->over == SUBJECT_LOOP)
            find_loops(&own, quantifier, found);
        else if (quantifier->over == SUBJECT_PARAMETER)
            find_params(&own, quantifier, found);
        else
            find_insns(&own, id, found);
        found->certainty = own.certainty;
        found->is_done = true;
    }
    if (found->certainty > ask->certainty)
        ask->certainty = found->certainty;
    return found;
}

/* Each item counts in its innermost loop; then every loop in the one around it, which comes before
 * it. */
static void count_in_loops(const FactCache *q, const Quantifier *quantifier, Found *found)
{
    const Loops *loops = q->loops;
    uint32_t *counts = ptx_arena_array(q->arena, uint32_t, loops->loop_count + 1);
    uint32_t *totals = ptx_arena_array(q->arena, uint32_t, loops->loop_count + 1);
    bool over_loops = quantifier->over == SUBJECT_LOOP;
    for (uint32_t i = 0; i < (over_loops ? loops->loop_count : q->func->insn_count); i++) {
        LoopId loop = over_loops ? loops->loops[i].parent : loops->loop_of[q->cfg->block_of[i]];
        if (loop == NO_LOOP
            || (!over_loops && !belongs((Subject)quantifier->over, &q->func->insns[i])))
            continue;
        counts[loop] += found->hits[i];
        totals[loop]++;
    }
    for (LoopId l = loops->loop_count; l-- > 0;) {
        LoopId parent = loops->loops[l].parent;
        if (parent == NO_LOOP)
            continue;
        counts[parent] += counts[l];
        totals[parent] += totals[l];
    }
    found->loop_counts = counts;
    found->loop_totals = totals;
}

static double quantify(Ask *ask, const Code *code)
{
    const Evaluator *e = ask->evaluator;
    const Quantifier *quantifier = &e->set->quantifiers[code->arg];
    Found *found = find_answer(ask, code->arg);
    uint32_t count = found->count, total = found->total;
    if (quantifier->in_loop) {
        if (ask->at.loop == NO_LOOP || !found->is_done)
            return UNKNOWN;
        if (!found->loop_counts)
            count_in_loops(e->q, quantifier, found);
        count = found->loop_counts[ask->at.loop];
        total = found->loop_totals[ask->at.loop];
    }
    if (code->kind == CODE_COUNT)
        return count;
    return code->kind == CODE_ANY ? count > 0 : count == total;
}

/* ---- paths ----------------------------------------------------------------------------------- */

typedef struct EvalWalk {
    const Cfg *cfg;
    const bool *has_hit;        /* per block */
    bool *reached;
    BlockId *stack;
    uint32_t depth;
} EvalWalk;

static void reach(EvalWalk *w, BlockId block)
{
    if (block == EXIT_BLOCK || !ptx_block_is_reachable(w->cfg, block) || w->reached[block])
        return;
    w->reached[block] = true;
    w->stack[w->depth++] = block;
}

static void reach_next(EvalWalk *w, BlockId block, bool backward)
{
    const Block *b = &w->cfg->blocks[block];
    if (backward) {
        for (uint32_t e = 0; e < b->pred_count; e++)
            reach(w, w->cfg->preds[b->pred_first + e]);
    } else {
        for (uint32_t e = 0; e < b->succ_count; e++)
            reach(w, w->cfg->succs[b->succ_first + e]);
    }
}

static bool leaves_function(const Cfg *cfg, BlockId block)
{
    const Block *b = &cfg->blocks[block];
    for (uint32_t e = 0; e < b->succ_count; e++)
        if (cfg->succs[b->succ_first + e] == EXIT_BLOCK)
            return true;
    return false;
}

/* Blocks at whose edge (entry, or with backward the end) a path that began at a hit, or with avoid
 * at the entry or an exit and without a hit so far, arrives. */
static const bool *walk(const FactCache *q, const bool *has_hit, bool backward, bool avoid)
{
    const Cfg *cfg = q->cfg;
    Arena *scratch = q->shared->scratch;
    bool *reached = ptx_arena_array(q->arena, bool, cfg->block_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    EvalWalk w = { cfg, has_hit, reached, ptx_arena_array(scratch, BlockId, cfg->block_count + 1),
                   0 };
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r];
        if (!avoid && has_hit[block])
            reach_next(&w, block, backward);
        else if (avoid && (backward ? leaves_function(cfg, block) : block == 0))
            reach(&w, block);
    }
    while (w.depth) {
        BlockId block = w.stack[--w.depth];
        if (!avoid || !has_hit[block])
            reach_next(&w, block, backward);
    }
    ptx_arena_release(scratch, mark);
    return reached;
}

/* Per block the first and the last hit. */
static void find_code_ends(const FactCache *q, Found *found)
{
    const Cfg *cfg = q->cfg;
    InsnId *first = ptx_arena_array(q->arena, InsnId, cfg->block_count + 1),
           *last = ptx_arena_array(q->arena, InsnId, cfg->block_count + 1);
    bool *has_hit = ptx_arena_array(q->arena, bool, cfg->block_count + 1);
    for (InsnId i = 0; i < q->func->insn_count; i++) {
        BlockId block = cfg->block_of[i];
        if (!found->hits[i])
            continue;
        first[block] = has_hit[block] ? first[block] : i;
        last[block] = i;
        has_hit[block] = true;
    }
    found->has_hit = has_hit;
    found->first = first;
    found->last = last;
}

static bool hits_in_block(const Found *found, const Ask *ask, bool after)
{
    BlockId block = ask->at.block;
    return found->has_hit[block]
           && (after ? found->last[block] > ask->at.insn : found->first[block] < ask->at.insn);
}

/* where the result of such a walk is kept */
static const bool **walk_result(Found *found, bool after, bool always)
{
    if (always)
        return after ? &found->none_after : &found->none_before;
    return after ? &found->some_after : &found->some_before;
}

static double follow_paths(Ask *ask, const Code *code)
{
    const FactCache *q = ask->evaluator->q;
    Found *found = find_answer(ask, code->arg);
    bool after = code->kind == CODE_EVER_AFTER || code->kind == CODE_ALWAYS_AFTER;
    bool always = code->kind == CODE_ALWAYS_BEFORE || code->kind == CODE_ALWAYS_AFTER;
    if (!found->is_done || ask->at.insn == NO_ID || q->cfg->has_unknown_target
        || q->func->has_unknown)
        return UNKNOWN;
    if (!found->has_hit)
        find_code_ends(q, found);
    if (hits_in_block(found, ask, after))
        return 1;
    const bool **known = walk_result(found, after, always);
    if (!*known)
        *known = walk(q, found->has_hit, after, always);
    return (*known)[ask->at.block] != always;
}

/* ---- values ---------------------------------------------------------------------------------- */

static double finite(double value)
{
    return isfinite(value) ? value : UNKNOWN;
}

static double combine_values(CodeKind kind, double a, double b)
{
    if (kind == CODE_AND && (a == 0 || b == 0))
        return 0;
    if (kind == CODE_OR && (a == 1 || b == 1))
        return 1;
    if (isnan(a) || isnan(b))
        return UNKNOWN;
    switch (kind) {
    case CODE_AND:  return 1;
    case CODE_OR:   return 0;
    case CODE_ADD:  return finite(a + b);
    case CODE_SUB:  return finite(a - b);
    case CODE_MUL:  return finite(a * b);
    case CODE_DIV:  return finite(a / b);
    case CODE_MOD:  return finite(fmod(a, b));
    case CODE_MIN:  return a < b ? a : b;
    case CODE_MAX:  return a > b ? a : b;
    case CODE_EQ:   return a == b;
    case CODE_NE:   return a != b;
    case CODE_LT:   return a < b;
    case CODE_LE:   return a <= b;
    case CODE_GT:   return a > b;
    case CODE_GE:   return a >= b;
    default:        return UNKNOWN;
    }
}

static double change(CodeKind kind, double a)
{
    switch (kind) {
    case CODE_KNOWN:    return !isnan(a);
    case CODE_NOT:      return isnan(a) ? UNKNOWN : a == 0;
    case CODE_NEGATE:   return -a;
    case CODE_FLOOR:    return floor(a);
    case CODE_CEIL:     return ceil(a);
    case CODE_ROUND:    return round(a);
    case CODE_ABS:      return fabs(a);
    default:            return UNKNOWN;
    }
}

static double is_in_set(const RuleSet *set, const Code *code, double value)
{
    for (uint32_t i = 0; i < code->count; i++)
        if (value == set->constants[code->arg + i])
            return 1;
    return isnan(value) ? UNKNOWN : 0;
}

/* The left side of an `and` or `or` leaves nothing to the right one. */
static inline bool decides(const Code *jump, double left)
{
    return left == (jump->kind == CODE_OR_JUMP) || (jump->count && isnan(left));
}

static inline double push_value(Ask *ask, const Code *code)
{
    const Evaluator *e = ask->evaluator;
    switch ((CodeKind)code->kind) {
    case CODE_CONST:        return e->set->constants[code->arg];
    case CODE_FACT:         return ptx_measure(e->q, &ask->at, code->arg, &ask->certainty);
    case CODE_THRESHOLD:    return ask->thresholds[code->arg];
    case CODE_IS:           return fits_any(ask, code);
    case CODE_ANY: case CODE_ALL: case CODE_COUNT:
        return quantify(ask, code);
    default:                return follow_paths(ask, code);
    }
}

double ptx_eval(Ask *ask, Program program)
{
    return ptx_eval_codes(ask, ask->evaluator->set->codes + program.first, program.count);
}

double ptx_eval_codes(Ask *ask, const Code *codes, uint32_t count)
{
    const RuleSet *set = ask->evaluator->set;
    double stack[CODE_STACK + 1];       /* [1..depth] */
    unsigned depth = 0;
    stack[0] = UNKNOWN;
    for (uint32_t at = 0; at < count; at++) {
        const Code *code = &codes[at];
        CodeKind kind = (CodeKind)code->kind;
        if (kind < CODE_NOT && kind != CODE_IN) {
            ASSERT(depth < CODE_STACK);
            stack[++depth] = push_value(ask, code);
        } else if (kind == CODE_IN) {
            stack[depth] = is_in_set(set, code, stack[depth]);
        } else if (kind < CODE_ADD) {
            stack[depth] = change(kind, stack[depth]);
        } else if (kind == CODE_AND_JUMP || kind == CODE_OR_JUMP) {
            ASSERT(depth && code->arg > at);            /* jumps go forward */
            if (decides(code, stack[depth]))
                at = code->arg - 1u;
        } else {
            ASSERT(depth > 1);
            depth--;
            stack[depth] = combine_values(kind, stack[depth], stack[depth + 1]);
        }
    }
    ASSERT(depth <= 1);
    return stack[depth];
}

/* ---- what is left where the opcode text is known --------------------------------------------- */

/* A value on the stack of the codes written so far. */
typedef struct EvalHeld {
    uint32_t first;             /* of the codes that give it */
    bool is_known;
    double value;
} EvalHeld;

/* An `and` or `or` whose right side is being written. */
typedef struct Junction {
    uint32_t jump;              /* its jump */
    /* the left side leaves the decision to the right one, and is gone */
    bool is_dropped;
} Junction;

typedef struct Narrower {
    Ask *ask;
    Code *codes;
    uint32_t count;
    EvalHeld held[CODE_STACK + 1];  /* [1..depth] */
    Junction junctions[CODE_STACK];
    uint32_t depth, junction_count;
} Narrower;

/* The same for all instructions of one text; no other certainty comes with it. */
static bool is_of_op(const Code *code)
{
    switch ((CodeKind)code->kind) {
    case CODE_CONST: case CODE_THRESHOLD: case CODE_IS:
        return true;
    case CODE_FACT:
        return code->arg >= FACT__COUNT
               || (ptx_fact_info[code->arg].level <= LEVEL_OP
                   && ptx_fact_info[code->arg].certainty == CERTAINTY_EXACT);
    default:
        return false;
    }
}

static void hold(Narrower *n, const Code *code)
{
    bool is_known = is_of_op(code);
    n->held[++n->depth] =
        (EvalHeld){ n->count, is_known, is_known ? push_value(n->ask, code) : UNKNOWN };
    n->codes[n->count++] = *code;
}

static void replace_top(Narrower *n, const Code *code)
{
    EvalHeld *top = &n->held[n->depth];
    top->value = code->kind == CODE_IN ? is_in_set(n->ask->evaluator->set, code, top->value)
                                       : change((CodeKind)code->kind, top->value);
    n->codes[n->count++] = *code;
}

static void join_two(Narrower *n, const Code *code)
{
    const EvalHeld *right = &n->held[n->depth--];
    EvalHeld *left = &n->held[n->depth];
    left->is_known &= right->is_known;
    left->value = combine_values((CodeKind)code->kind, left->value, right->value);
    n->codes[n->count++] = *code;
}

/* Behind the left side. True: that decides, and the right side is not wanted. */
static bool begin_junction(Narrower *n, const Code *code)
{
    EvalHeld *left = &n->held[n->depth];
    double deciding = code->kind == CODE_OR_JUMP;
    if (left->is_known && decides(code, left->value))
        return true;
    bool is_dropped = left->is_known && left->value == 1 - deciding;
    n->junctions[n->junction_count++] = (Junction){ n->count, is_dropped };
    if (is_dropped) {
        n->count = left->first;
        n->depth--;
    } else {
        left->is_known = false;
        n->codes[n->count++] = *code;
    }
    return false;
}

static void end_junction(Narrower *n, const Code *code)
{
    const Junction *junction = &n->junctions[--n->junction_count];
    if (junction->is_dropped)
        return;
    const EvalHeld *right = &n->held[n->depth--];
    if (right->is_known && right->value == (code->kind == CODE_AND)) {
        n->count = junction->jump;      /* the left side decides alone */
        return;
    }
    n->codes[n->count++] = *code;
    n->codes[junction->jump].arg = (uint16_t)n->count;
}

Rest ptx_eval_narrow(Ask *ask, Program program, Code *codes)
{
    const Code *from = ask->evaluator->set->codes + program.first;
    Narrower n = { .ask = ask, .codes = codes };
    for (uint32_t at = 0; at < program.count; at++) {
        CodeKind kind = (CodeKind)from[at].kind;
        if (kind < CODE_NOT && kind != CODE_IN)
            hold(&n, &from[at]);
        else if (kind < CODE_ADD)
            replace_top(&n, &from[at]);
        else if (kind == CODE_AND || kind == CODE_OR)
            end_junction(&n, &from[at]);
        else if (kind != CODE_AND_JUMP && kind != CODE_OR_JUMP)
            join_two(&n, &from[at]);
        else if (begin_junction(&n, &from[at]))
            at = from[at].arg - 1u;
    }
    const EvalHeld *all = &n.held[1];
    return (Rest){ codes, n.count, program.count && !all->is_known,
                   !program.count || (all->is_known && all->value == 1) };
}
