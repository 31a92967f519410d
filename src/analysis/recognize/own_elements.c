/* Whether each thread of a block has an element of its own where its address is no sum of products,
 * as in a tile that is turned or swizzled: addresses are evaluated for all threads. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "ir/func.h"
#include "ir/sreg.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* of all targets: CUDA C++ Programming Guide, "Compute Capabilities" */
    MAX_BLOCK_THREADS = 1024,
    MAX_FACTORS_OF_LAUNCH = 4,  /* values of the launch that indices are multiplied by */
    MAX_CONDITIONS = 32,        /* of a thread that goes to an instruction */
    EVALUATED_DEPTH = 64        /* operations one on the other */
};

/* What a thread adds to the address: bytes, and how many times each value of the launch. */
typedef struct ThreadElement {
    uint64_t times[MAX_FACTORS_OF_LAUNCH];
    int64_t bytes;
} ThreadElement;

typedef struct ThreadEvaluation {
    Recognizer *r;
    const Symbols *s;
    uint32_t thread[3];
    uint32_t *stamps, stamp;    /* per node: of the thread that `values` is of */
    uint64_t *values;
    SymId factors[MAX_FACTORS_OF_LAUNCH];
    uint32_t factor_count;
    SymId conditions[MAX_CONDITIONS];
    uint32_t condition_count;
} ThreadEvaluation;

/* ---- one value ------------------------------------------------------------------------------- */

static bool evaluate_node(ThreadEvaluation *e, SymId id, unsigned depth, uint64_t *out);

static bool evaluate_terms(ThreadEvaluation *e, const Sym *sym, unsigned depth, uint64_t *out)
{
    *out = sym->value;
    for (uint32_t t = 0; t < sym->b; t++) {
        const SymTerm term = e->s->terms[sym->a + t];
        uint64_t value = 0;
        if (!evaluate_node(e, term.atom, depth, &value))
            return false;
        *out += term.factor * value;
    }
    return true;
}

static bool evaluate_resized(ThreadEvaluation *e, const Sym *sym, unsigned depth, uint64_t *out)
{
    if (!evaluate_node(e, sym->a, depth, out))
        return false;
    if (sym->kind == SYM_SEXT)
        *out = (uint64_t)ptx_width_signed(ptx_sym(e->s, sym->a)->width, *out);
    return true;
}

static bool evaluate_pair(ThreadEvaluation *e, const Sym *sym, unsigned depth, uint64_t *out)
{
    uint64_t a = 0, b = 0;
    return ptx_sym_operands(sym) == 2 && evaluate_node(e, sym->a, depth, &a)
           && evaluate_node(e, sym->b, depth, &b)
           && ptx_number_fold((SymKind)sym->kind, ptx_sym(e->s, sym->a)->width, a, b, out);
}

static bool evaluate_new(ThreadEvaluation *e, const Sym *sym, unsigned depth, uint64_t *out)
{
    uint64_t yes = 0;
    switch (sym->kind) {
    case SYM_CONST:
        *out = sym->value;
        return true;
    case SYM_SREG:
        *out = sym->a == SREG_TID && sym->b < 3 ? e->thread[sym->b] : 0;
        return sym->a == SREG_TID && sym->b < 3;
    case SYM_SUM:
        return evaluate_terms(e, sym, depth, out);
    case SYM_SEXT: case SYM_ZEXT: case SYM_TRUNC:
        return evaluate_resized(e, sym, depth, out);
    case SYM_SELECT:
        return evaluate_node(e, sym->a, depth, &yes)
               && evaluate_node(e, yes ? sym->b : sym->c, depth, out);
    default:
        return evaluate_pair(e, sym, depth, out);
    }
}

/* False: it rests on more than the thread's index. */
static bool evaluate_node(ThreadEvaluation *e, SymId id, unsigned depth, uint64_t *out)
{
    const Sym sym = *ptx_sym(e->s, id);
    if (!depth || !e->r->evaluations)
        return false;
    if (e->stamps[id] != e->stamp) {
        e->r->evaluations--;
        if (!evaluate_new(e, &sym, depth - 1, &e->values[id]))
            return false;
        e->values[id] &= ptx_width_mask(sym.width);
        e->stamps[id] = e->stamp;
    }
    *out = e->values[id];
    return true;
}

/* ---- an address ------------------------------------------------------------------------------ */

/* Where a factor stands among those of the launch; MAX_FACTORS_OF_LAUNCH: there are more. */
static uint32_t place_of_factor(ThreadEvaluation *e, SymId by)
{
    for (uint32_t f = 0; f < e->factor_count; f++)
        if (e->factors[f] == by)
            return f;
    if (e->factor_count < MAX_FACTORS_OF_LAUNCH)
        e->factors[e->factor_count++] = by;
    else
        return MAX_FACTORS_OF_LAUNCH;
    return e->factor_count - 1;
}

static bool add_index(ThreadEvaluation *e, const SubscriptTerm *term, ThreadElement *out)
{
    uint64_t index = term->kind == TERM_THREAD ? e->thread[term->id] : 0;
    if (term->kind == TERM_OTHER) {
        if (!evaluate_node(e, term->id, EVALUATED_DEPTH, &index))
            return false;
        index = (uint64_t)ptx_width_signed(ptx_sym(e->s, term->id)->width, index);
    }
    if (!term->by) {
        out->bytes = (int64_t)((uint64_t)out->bytes + (uint64_t)term->factor * index);
        return true;
    }
    const uint32_t place = place_of_factor(e, term->by);
    if (place == MAX_FACTORS_OF_LAUNCH)
        return false;
    out->times[place] += (uint64_t)term->factor * index;
    return true;
}

static bool evaluate_element(ThreadEvaluation *e, const Subscript *of, ThreadElement *out)
{
    *out = (ThreadElement){ 0 };
    for (uint32_t i = 0; i < of->count; i++) {
        const SubscriptTerm *term = &of->terms[i];
        if (term->kind == TERM_FIXED || term->kind == TERM_CTA)
            continue;
        bool is_of_thread = term->kind == TERM_THREAD || term->kind == TERM_OTHER;
        if (!is_of_thread || !add_index(e, term, out))
            return false;
    }
    return true;
}

static int compare_elements(const void *a, const void *b)
{
    const ThreadElement *x = a, *y = b;
    for (unsigned f = 0; f < MAX_FACTORS_OF_LAUNCH; f++)
        if (x->times[f] != y->times[f])
            return x->times[f] < y->times[f] ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Rows of a pitch that the launch gives are taken not to overlap. */
static bool are_all_apart(const ThreadElement *elements, uint32_t count, uint64_t bytes)
{
    for (uint32_t i = 1; i < count; i++) {
        const ThreadElement *a = &elements[i - 1], *b = &elements[i];
        bool is_same_row = true;
        for (unsigned f = 0; f < MAX_FACTORS_OF_LAUNCH; f++)
            is_same_row = is_same_row && a->times[f] == b->times[f];
        if (is_same_row && (uint64_t)b->bytes - (uint64_t)a->bytes < bytes)
            return false;
    }
    return true;
}

/* ---- all threads ----------------------------------------------------------------------------- */

/* Of a block; without .reqntid the most along x alone. False: they are not known. */
static bool find_threads(const Recognizer *r, uint32_t shape[3])
{
    const Bounds *bounds = &r->flow->func->bounds;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        shape[i] = bounds->reqntid[0] && bounds->reqntid[i] ? bounds->reqntid[i] : 1;
        threads *= shape[i];
    }
    if (!bounds->reqntid[0])
        shape[0] = MAX_BLOCK_THREADS;
    return threads <= MAX_BLOCK_THREADS && (bounds->reqntid[0] || !r->asks_for_row);
}

/* What holds for a thread that goes there: the guard of the instruction, and branches before.
 * False: the guard is not known. */
static bool find_conditions(ThreadEvaluation *e, InsnId id)
{
    const BlockId own = e->r->flow->cfg->block_of[id];
    const SymId guard = ptx_ssa_guard(e->r->reader.ssa, id);    /* may make nodes */
    e->conditions[e->condition_count++] = guard;
    for (BlockId block = own; block && e->condition_count < MAX_CONDITIONS;) {
        const BlockId up = e->r->flow->dom->idom[block];
        if (up == EXIT_BLOCK)
            break;
        const SymId condition = ptx_recognizer_condition(e->r, up, own);
        if (condition)
            e->conditions[e->condition_count++] = condition;
        block = up;
    }
    return guard != 0;
}

/* False: it does not go there. What is not known of a condition may hold. */
static bool may_go_there(ThreadEvaluation *e)
{
    for (uint32_t i = 0; i < e->condition_count; i++) {
        uint64_t yes = 1;
        if (evaluate_node(e, e->conditions[i], EVALUATED_DEPTH, &yes) && !yes)
            return false;
    }
    return true;
}

/* Elements of all threads that may store; UINT32_MAX: some are not known. */
static uint32_t collect_elements(ThreadEvaluation *e, InsnId id, const uint32_t shape[3],
                                 ThreadElement *out)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < shape[0] * shape[1] * shape[2]; t++) {
        e->thread[0] = t % shape[0];
        e->thread[1] = t / shape[0] % shape[1];
        e->thread[2] = t / shape[0] / shape[1];
        e->stamp = t + 1;
        if (!may_go_there(e))
            continue;
        if (!evaluate_element(e, e->r->subscripts[id], &out[count]))
            return UINT32_MAX;
        count++;
    }
    return count;
}

/* Where all threads of a block store, in order. */
typedef struct BlockElements {
    ThreadElement *items;
    uint32_t count;             /* 0: they are not known */
    ArenaMark mark;             /* to release r->scratch to */
} BlockElements;

static BlockElements sort_elements(Recognizer *r, InsnId id, const uint32_t shape[3])
{
    ThreadEvaluation e = { .r = r, .s = ptx_ssa_symbols(r->reader.ssa) };
    const bool is_known = find_conditions(&e, id);
    BlockElements out = { .mark = ptx_arena_mark(r->scratch) }; /* behind nodes of conditions */
    if (!is_known)
        return out;
    out.items = ptx_arena_array(r->scratch, ThreadElement, MAX_BLOCK_THREADS);
    e.stamps = ptx_arena_array(r->scratch, uint32_t, e.s->count);
    e.values = ptx_arena_array(r->scratch, uint64_t, e.s->count);
    out.count = collect_elements(&e, id, shape, out.items);
    if (out.count == UINT32_MAX)
        out.count = 0;
    qsort(out.items, out.count, sizeof *out.items, compare_elements);
    return out;
}

bool ptx_recognizer_has_own_elements(Recognizer *r, InsnId id)
{
    const Subscript *of = r->subscripts[id];
    uint32_t shape[3];
    if (!of || of->is_lost || !find_threads(r, shape))
        return false;
    const BlockElements all = sort_elements(r, id, shape);
    bool is_own = all.count && are_all_apart(all.items, all.count,
                                             r->flow->func->insns[id].access_bytes);
    ptx_arena_release(r->scratch, all.mark);
    return is_own;
}

/* ---- two blocks ------------------------------------------------------------------------------ */

/* Whether an element of one block, so many bytes further, is also another's. */
static bool meets_itself(const ThreadElement *elements, uint32_t count, int64_t further,
                         int64_t bytes)
{
    for (uint32_t i = 0, k = 0; i < count; i++) {
        ThreadElement moved = elements[i];
        moved.bytes = (int64_t)((uint64_t)moved.bytes + (uint64_t)further);
        ThreadElement from = moved;
        from.bytes = (int64_t)((uint64_t)moved.bytes - (uint64_t)bytes + 1);
        while (k < count && compare_elements(&elements[k], &from) < 0)
            k++;
        from.bytes = (int64_t)((uint64_t)moved.bytes + (uint64_t)bytes - 1);
        if (k < count && !memcmp(elements[k].times, moved.times, sizeof moved.times)
            && compare_elements(&elements[k], &from) <= 0)
            return true;
    }
    return false;
}

bool ptx_recognizer_overlaps_neighbour(Recognizer *r, InsnId id)
{
    const Subscript *of = r->subscripts[id];
    bool overlaps = false;
    if (!of || of->is_lost || !r->has_shape)
        return false;
    const BlockElements all = sort_elements(r, id, r->shape);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const SubscriptTerm *block = ptx_subscript_term(of, TERM_CTA, axis);
        overlaps |= block && !block->by
                    && meets_itself(all.items, all.count, block->factor,
                                    r->flow->func->insns[id].access_bytes);
    }
    ptx_arena_release(r->scratch, all.mark);
    return overlaps;
}
