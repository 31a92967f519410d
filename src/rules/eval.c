#include "rules/eval.h"

#include <math.h>

#define UNKNOWN ((double)NAN)

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static bool has_modifier(const Op *op, int16_t modifier)
{
    for (uint32_t m = 0; m < op->modifier_count; m++)
        if (op->modifiers[m] == modifier)
            return true;
    return false;
}

static bool fits(const RuleSet *set, const Pattern *pattern, const Op *op)
{
    if (pattern->opcode != op->opcode)
        return false;
    for (uint32_t m = 0; m < pattern->modifier_count; m++)
        if (!has_modifier(op, set->modifiers[pattern->modifier_first + m]))
            return false;
    return true;
}

static bool fits_any(const Ask *ask, const Code *code)
{
    const RuleSet *set = ask->evaluator->set;
    const Op *op = ask->evaluator->q->func->insns[ask->at.insn].op;
    for (uint32_t p = 0; p < code->count; p++)
        if (fits(set, &set->patterns[code->arg + p], op))
            return true;
    return false;
}

/* ---- over many --------------------------------------------------------------------------------------------------- */

static double eval_at(Ask *ask, Program program, Subjects at)
{
    Ask inner = { ask->evaluator, ask->thresholds, at, CERTAINTY_EXACT };
    double value = ptx_eval(&inner, program);
    if (inner.certainty > ask->certainty)
        ask->certainty = inner.certainty;
    return value;
}

static Subjects at_insn(const Inquiry *q, InsnId insn)
{
    BlockId block = q->facts->cfg->block_of[insn];
    return (Subjects){ insn, block, q->facts->loops->loop_of[block], NO_ID, NO_ID };
}

/* The predicate asks for the opcode text alone: once for each that the module has. */
static bool hits_op(Ask *ask, uint32_t quantifier, InsnId insn)
{
    Evaluator *e = ask->evaluator;
    ModuleInquiry *shared = e->q->shared;
    uint32_t id = e->q->func->insns[insn].op->id;
    if (!e->op_hits[quantifier])
        e->op_hits[quantifier] = ptx_arena_array(shared->arena, int8_t, shared->module->op_count + 1);
    int8_t *known = &e->op_hits[quantifier][id];
    if (!*known)
        *known = eval_at(ask, e->set->quantifiers[quantifier].predicate, at_insn(e->q, insn)) == 1 ? 1 : 2;
    return *known == 1;
}

static bool belongs(Subject over, const Insn *insn)
{
    switch (over) {
    case SUBJECT_ACCESS:    return ptx_insn_is_access(insn);
    case SUBJECT_BRANCH:    return insn->op->kind == OPK_BRA && insn->guard != NO_ID;
    default:                return true;
    }
}

static void find_insns(Ask *ask, uint32_t id, Found *found)
{
    const Inquiry *q = ask->evaluator->q;
    const Quantifier *quantifier = &ask->evaluator->set->quantifiers[id];
    const Cfg *cfg = q->facts->cfg;
    bool *hits = ptx_arena_array(q->arena, bool, q->func->insn_count + 1);
    bool by_op = quantifier->level <= LEVEL_OP && quantifier->over == SUBJECT_INSTRUCTION;
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        const Block *block = &cfg->blocks[cfg->rpo[r]];
        for (InsnId i = block->first; i < block->end; i++) {
            if (!belongs((Subject)quantifier->over, &q->func->insns[i]))
                continue;
            hits[i] = by_op ? hits_op(ask, id, i) : eval_at(ask, quantifier->predicate, at_insn(q, i)) == 1;
            found->count += hits[i];
            found->total++;
        }
    }
    found->hits = hits;
}

static void find_loops(Ask *ask, const Quantifier *quantifier, Found *found)
{
    const Inquiry *q = ask->evaluator->q;
    const Loops *loops = q->facts->loops;
    bool *hits = ptx_arena_array(q->arena, bool, loops->loop_count + 1);
    for (LoopId l = 0; l < loops->loop_count; l++) {
        hits[l] = eval_at(ask, quantifier->predicate, (Subjects){ NO_ID, loops->loops[l].header, l, NO_ID, NO_ID }) == 1;
        found->count += hits[l];
    }
    found->total = loops->loop_count;
    found->hits = hits;
}

static void find_params(Ask *ask, const Quantifier *quantifier, Found *found)
{
    const Func *func = ask->evaluator->q->func;
    for (uint32_t p = 0; p < func->param_count; p++)
        found->count += eval_at(ask, quantifier->predicate, (Subjects){ NO_ID, NO_ID, NO_LOOP, NO_ID, func->params[p] }) == 1;
    found->total = func->param_count;
}

static Found *find(Ask *ask, uint32_t id)
{
    Evaluator *e = ask->evaluator;
    Found *found = &e->found[id];
    const Quantifier *quantifier = &e->set->quantifiers[id];
    if (!found->is_done && e->q->facts->cfg) {
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

/* Each item counts in its innermost loop; then every loop in the one around it, which comes before it. */
static void count_in_loops(const Inquiry *q, const Quantifier *quantifier, Found *found)
{
    const Loops *loops = q->facts->loops;
    uint32_t *counts = ptx_arena_array(q->arena, uint32_t, loops->loop_count + 1);
    uint32_t *totals = ptx_arena_array(q->arena, uint32_t, loops->loop_count + 1);
    bool over_loops = quantifier->over == SUBJECT_LOOP;
    for (uint32_t i = 0; i < (over_loops ? loops->loop_count : q->func->insn_count); i++) {
        LoopId loop = over_loops ? loops->loops[i].parent : loops->loop_of[q->facts->cfg->block_of[i]];
        if (loop == NO_LOOP || (!over_loops && !belongs((Subject)quantifier->over, &q->func->insns[i])))
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
    Found *found = find(ask, code->arg);
    uint32_t count = found->count, total = found->total;
    if (quantifier->in_loop) {
        if (ask->at.loop == NO_LOOP || !found->is_done)
            return UNKNOWN;
        if (!found->loop_counts)
            count_in_loops(e->q, quantifier, found);
        count = found->loop_counts[ask->at.loop];
        total = found->loop_totals[ask->at.loop];
    }
    return code->kind == CODE_COUNT ? count : code->kind == CODE_ANY ? count > 0 : count == total;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

typedef struct Walk {
    const Cfg *cfg;
    const bool *has_hit;        /* per block */
    bool *reached;
    BlockId *stack;
    uint32_t depth;
} Walk;

static void reach(Walk *w, BlockId block)
{
    if (block == EXIT_BLOCK || !ptx_block_is_reachable(w->cfg, block) || w->reached[block])
        return;
    w->reached[block] = true;
    w->stack[w->depth++] = block;
}

static void reach_next(Walk *w, BlockId block, bool backward)
{
    const Block *b = &w->cfg->blocks[block];
    for (uint32_t e = 0; e < (backward ? b->pred_count : b->succ_count); e++)
        reach(w, backward ? w->cfg->preds[b->pred_first + e] : w->cfg->succs[b->succ_first + e]);
}

static bool leaves(const Cfg *cfg, BlockId block)
{
    const Block *b = &cfg->blocks[block];
    for (uint32_t e = 0; e < b->succ_count; e++)
        if (cfg->succs[b->succ_first + e] == EXIT_BLOCK)
            return true;
    return false;
}

/* Blocks at whose edge (entry, or with backward the end) a path that began at a hit, or with avoid at the entry or an exit and
 * without a hit so far, arrives. */
static const bool *walk(const Inquiry *q, const bool *has_hit, bool backward, bool avoid)
{
    const Cfg *cfg = q->facts->cfg;
    Arena *scratch = q->shared->scratch;
    bool *reached = ptx_arena_array(q->arena, bool, cfg->block_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    Walk w = { cfg, has_hit, reached, ptx_arena_array(scratch, BlockId, cfg->block_count + 1), 0 };
    for (uint32_t r = 0; r < cfg->rpo_count; r++) {
        BlockId block = cfg->rpo[r];
        if (!avoid && has_hit[block])
            reach_next(&w, block, backward);
        else if (avoid && (backward ? leaves(cfg, block) : block == 0))
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

static const bool *blocks_with_hits(const Inquiry *q, const Found *found)
{
    bool *has_hit = ptx_arena_array(q->arena, bool, q->facts->cfg->block_count + 1);
    for (InsnId i = 0; i < q->func->insn_count; i++)
        has_hit[q->facts->cfg->block_of[i]] |= found->hits[i];
    return has_hit;
}

static bool hits_in_block(const Inquiry *q, const Found *found, const Ask *ask, bool after)
{
    const Block *block = &q->facts->cfg->blocks[ask->at.block];
    for (InsnId i = after ? ask->at.insn + 1 : block->first; i < (after ? block->end : ask->at.insn); i++)
        if (found->hits[i])
            return true;
    return false;
}

static double follow_paths(Ask *ask, const Code *code)
{
    const Inquiry *q = ask->evaluator->q;
    Found *found = find(ask, code->arg);
    bool after = code->kind == CODE_EVER_AFTER || code->kind == CODE_ALWAYS_AFTER;
    bool always = code->kind == CODE_ALWAYS_BEFORE || code->kind == CODE_ALWAYS_AFTER;
    if (!found->is_done || ask->at.insn == NO_ID || q->facts->cfg->has_unknown_target || q->func->has_unknown)
        return UNKNOWN;
    if (hits_in_block(q, found, ask, after))
        return 1;
    const bool **known = always ? (after ? &found->none_after : &found->none_before) : after ? &found->some_after : &found->some_before;
    if (!*known)
        *known = walk(q, blocks_with_hits(q, found), after, always);
    return (*known)[ask->at.block] != always;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double finite(double value)
{
    return isfinite(value) ? value : UNKNOWN;
}

static double combine(CodeKind kind, double a, double b)
{
    if (kind == CODE_AND)
        return a == 0 || b == 0 ? 0 : isnan(a) || isnan(b) ? UNKNOWN : 1;
    if (kind == CODE_OR)
        return a == 1 || b == 1 ? 1 : isnan(a) || isnan(b) ? UNKNOWN : 0;
    if (isnan(a) || isnan(b))
        return UNKNOWN;
    switch (kind) {
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

static double is_in(const RuleSet *set, const Code *code, double value)
{
    for (uint32_t i = 0; i < code->count; i++)
        if (value == set->constants[code->arg + i])
            return 1;
    return isnan(value) ? UNKNOWN : 0;
}

static double push(Ask *ask, const Code *code)
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
    const RuleSet *set = ask->evaluator->set;
    const Code *codes = set->codes + program.first;
    double stack[CODE_STACK + 1];       /* [1..depth] */
    unsigned depth = 0;
    stack[0] = UNKNOWN;
    for (uint32_t at = 0; at < program.count; at++) {
        const Code *code = &codes[at];
        CodeKind kind = (CodeKind)code->kind;
        if (kind < CODE_NOT && kind != CODE_IN) {
            stack[++depth] = push(ask, code);
        } else if (kind == CODE_IN) {
            stack[depth] = is_in(set, code, stack[depth]);
        } else if (kind < CODE_ADD) {
            stack[depth] = change(kind, stack[depth]);
        } else if (kind == CODE_AND_JUMP || kind == CODE_OR_JUMP) {
            if (stack[depth] == (kind == CODE_OR_JUMP))
                at = code->arg - 1u;
        } else {
            depth--;
            stack[depth] = combine(kind, stack[depth], stack[depth + 1]);
        }
    }
    return stack[depth];
}
