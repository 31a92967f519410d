/* What follows from a class of an atomic, where facts show that it can be done. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"

/* Shared memory that a block can declare without asking for more: CUDA C++ Programming Guide,
 * "Technical Specifications per Compute Capability". */
static uint64_t shared_bytes_of_block(const Module *module)
{
    return module->target.sm >= 20 ? 48 << 10 : 16 << 10;
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

void ptx_recognizer_advise(const Recognizer *r, Recognized *row)
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
