/* What follows from a class, where facts show that it can be done. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"

enum {
    APART = 32,                 /* bytes between lanes from which on each has a sector of its own */
    SHUFFLED_STEPS = 5,         /* of a tree, that are within a warp */
    SHUFFLE_SM = 30             /* the first that has shuffles: PTX ISA, "shfl" */
};

/* What a block can declare without asking for more; 0: not known. */
static uint64_t shared_bytes_of_block(const Module *module)
{
    const Gpu *gpu = ptx_gpu_find_target(module->target);
    return gpu ? (uint64_t)ptx_gpu_count_of(gpu, FIGURE_SHARED_PER_BLOCK, 0) : 0;
}

/* The bytes from the first to the last element that it may reach; 0: not known. */
static uint64_t find_extent(const Recognizer *r, InsnId id)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    const Subscript *of = r->subscripts[id];
    uint64_t bytes = r->flow->func->insns[id].access_bytes;
    for (uint32_t i = 0; i < of->count && bytes; i++) {
        const SubscriptTerm *term = &of->terms[i];
        if (term->kind == TERM_FIXED)
            continue;
        uint64_t part = 0;
        bool is_bounded = term->kind == TERM_DATA && !term->by && term->factor > 0
                          && !__builtin_mul_overflow(ptx_sym(s, term->id)->range.umax,
                                                     (uint64_t)term->factor, &part)
                          && !__builtin_add_overflow(bytes, part, &bytes);
        bytes = is_bounded ? bytes : 0;
    }
    return bytes;
}

/* %ctaid * %ntid + %tid, and what is the same for all. */
static bool is_plain_index(const Symbols *s, SymId id)
{
    const Sym *sym = ptx_sym(s, id);
    if (sym->kind != SYM_SUM || !(sym->uses & USES_TID_X) || !(sym->uses & USES_CTAID_X))
        return false;
    for (uint32_t t = 0; t < sym->b; t++) {
        const Sym *atom = ptx_sym(s, s->terms[sym->a + t].atom);
        bool is_product = atom->kind == SYM_MUL && ptx_sym(s, atom->a)->kind == SYM_SREG
                          && ptx_sym(s, atom->b)->kind == SYM_SREG;
        if (atom->kind != SYM_SREG && !is_product)
            return false;
    }
    return true;
}

/* A bounds check: a thread's index against what is the same for all of them. */
static bool is_bounds_check(const Recognizer *r, InsnId branch)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    const Sym *sym = ptx_sym(s, ptx_ssa_guard(r->reader.ssa, branch));
    if (sym->kind < SYM_LT_U || sym->kind > SYM_LE_S)
        return false;
    bool is_left = is_plain_index(s, sym->a);
    const SymId bound = is_left ? sym->b : sym->a;
    return (is_left || is_plain_index(s, sym->b)) && ptx_sym(s, bound)->kind == SYM_PARAM;
}

/* Whether bounds checks alone decide which lanes come there. */
static bool is_by_all_lanes(const Recognizer *r, InsnId id)
{
    const Cfg *cfg = r->flow->cfg;
    const InsnId first = cfg->blocks[cfg->block_of[id]].first;
    if (r->flow->func->insns[id].guard != NO_ID)
        return false;
    for (uint32_t d = r->first[first]; d < r->first[first + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        if (item->kind != DEPENDENCE_CONTROL)
            continue;
        /* of that branch alone: it stands in the first block */
        if (cfg->block_of[item->from] || !is_bounds_check(r, item->from))
            return false;
    }
    return true;
}

static void advise_atomic(const Recognizer *r, Recognized *row)
{
    const Op *op = r->flow->func->insns[row->insn].op;
    if ((op->kind != OPK_ATOM && op->kind != OPK_RED) || op->space != SPACE_GLOBAL)
        return;
    const uint64_t extent = row->class == RECOGNIZED_HISTOGRAM ? find_extent(r, row->insn) : 0;
    if (extent && extent <= shared_bytes_of_block(r->flow->module)) {
        row->advice = ADVICE_PRIVATIZE;
        row->extent = (uint32_t)extent;
    }
    if (row->class == RECOGNIZED_REDUCTION && row->loop == NO_LOOP
        && ptx_type_info[op->type].kind == KIND_FLOAT && is_by_all_lanes(r, row->insn))
        row->advice = ADVICE_SHUFFLE;
}

/* A subscript that memory says, in shared memory: which banks, data decide. */
static void advise_shared(const Recognizer *r, Recognized *row)
{
    bool is_by_data = row->class == RECOGNIZED_HISTOGRAM || row->class == RECOGNIZED_SCATTER
                      || row->class == RECOGNIZED_GATHER;
    if (is_by_data && r->flow->func->insns[row->insn].op->space == SPACE_SHARED)
        row->advice = ADVICE_CONFLICT;
    if (row->class == RECOGNIZED_TREE && row->ends_at_neighbours
        && row->insn_count >= SHUFFLED_STEPS && r->flow->module->target.sm >= SHUFFLE_SM)
        row->advice = ADVICE_TREE_SHUFFLE;
}

/* Whether one iteration may run beside another: nothing goes from one to the next but inductions
 * and reductions, and no loaded value ends the loop. */
static bool has_free_iterations(Recognizer *r, LoopId loop)
{
    const uint64_t free_classes =
        UINT64_C(1) << RECOGNIZED_LINEAR | UINT64_C(1) << RECOGNIZED_POLYNOMIAL
        | UINT64_C(1) << RECOGNIZED_GEOMETRIC | UINT64_C(1) << RECOGNIZED_REDUCTION
        | UINT64_C(1) << RECOGNIZED_ASSIGNMENT | UINT64_C(1) << RECOGNIZED_STENCIL
        | UINT64_C(1) << RECOGNIZED_ARRAY_REDUCTION | UINT64_C(1) << RECOGNIZED_GATHER;
    if (!ptx_recognizer_spend(r, r->count + r->flow->func->insn_count))
        return false;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->items[i].loop == loop && !(free_classes >> r->items[i].class & 1))
            return false;
    for (InsnId i = 0; i < r->flow->func->insn_count; i++)
        if (r->flow->func->insns[i].op->kind == OPK_BRA && r->marks[i] & MARK_DATA
            && ptx_loop_holds(r->flow->loops, loop, r->flow->cfg->block_of[i]))
            return false;
    return true;
}

/* Whether the accesses of the loop like this one touch all elements: it may be unrolled. */
static bool touches_all_elements(Recognizer *r, InsnId id, LoopId loop, int64_t step)
{
    const int64_t bytes = r->flow->func->insns[id].access_bytes;
    int64_t count = 0, apart;
    for (InsnId i = 0; bytes && i < r->flow->func->insn_count && r->budget; i++, r->budget--) {
        const Subscript *of = r->subscripts[i];
        if (of && of->array == r->subscripts[id]->array
            && r->flow->func->insns[i].op->kind == r->flow->func->insns[id].op->kind
            && r->flow->loops->loop_of[r->flow->cfg->block_of[i]] == loop
            && r->flow->func->insns[i].access_bytes == bytes
            && ptx_subscript_is_apart(r->subscripts[id], of, &apart)
            && apart % bytes == 0
            && ptx_subscript_magnitude(apart) < ptx_subscript_magnitude(step))
            count++;
    }
    return (uint64_t)count * (uint64_t)bytes == ptx_subscript_magnitude(step);
}

/* Lanes are apart, where the iterations of the loop are element by element. */
static bool is_walked_by_threads(Recognizer *r, InsnId id, LoopId loop, Recognized *row)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Subscript *of = r->subscripts[id];
    if (insn->op->space != SPACE_GLOBAL || !of || of->is_lost
        || r->flow->loops->loop_of[r->flow->cfg->block_of[id]] != loop)
        return false;
    const SubscriptTerm *thread = ptx_subscript_term(of, TERM_THREAD, 0),
                        *step = ptx_subscript_term(of, TERM_LOOP, loop);
    if (!thread || !step || step->by
        || (!thread->by && ptx_subscript_magnitude(thread->factor) < APART)
        || !touches_all_elements(r, id, loop, step->factor) || !has_free_iterations(r, loop))
        return false;
    row->lane_bytes = thread->by ? 0 : (int64_t)ptx_subscript_magnitude(thread->factor);
    row->element_bytes = insn->access_bytes;
    return true;
}

/* A load that a reduction takes its values from. */
static bool reads_walked(Recognizer *r, InsnId id, Recognized *row)
{
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        if (item->kind == DEPENDENCE_REGISTER && !item->is_carried
            && r->flow->func->insns[item->from].op->kind == OPK_LD
            && is_walked_by_threads(r, item->from, row->loop, row))
            return true;
    }
    return false;
}

static void advise_walk(Recognizer *r, Recognized *row)
{
    bool is_walk = row->class == RECOGNIZED_ASSIGNMENT || row->class == RECOGNIZED_STENCIL
                   || row->class == RECOGNIZED_ARRAY_REDUCTION;
    if (is_walk && row->loop != NO_LOOP && !row->advice
        && is_walked_by_threads(r, row->insn, row->loop, row))
        row->advice = ADVICE_INTERCHANGE;
}

/* Of registers: by their instructions. */
static void advise_reductions(Recognizer *r)
{
    for (InsnId i = 0; i < r->flow->func->insn_count; i++) {
        Recognized *row = r->owner[i] ? &r->items[r->owner[i] - 1] : NULL;
        if (row && row->class == RECOGNIZED_REDUCTION && !row->is_array && !row->advice
            && reads_walked(r, i, row))
            row->advice = ADVICE_INTERCHANGE;
    }
}

void ptx_recognizer_advise(Recognizer *r)
{
    for (uint32_t i = 0; i < r->count && r->has_arrays; i++) {
        Recognized *row = &r->items[i];
        if (!row->is_array || row->class == RECOGNIZED_NONE)
            continue;
        advise_atomic(r, row);
        advise_shared(r, row);
        advise_walk(r, row);
    }
    if (r->has_arrays)
        advise_reductions(r);
}
