/* Whether a loop loads the elements of an array before it stores to them, as a prefix sum in place
 * does: then none of its loads sees what it has stored. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "support/minmax.h"

#define MOST_BYTES (INT64_C(1) << 40)   /* between elements, and from one iteration to the next */

enum { MAX_ACCESSES = 64 };     /* of the array in the loop, that are compared */

typedef struct ArrayAccesses {
    const Recognizer *r;
    LoopId loop;
    InsnId loads[MAX_ACCESSES], stores[MAX_ACCESSES];
    uint32_t load_count, store_count;
} ArrayAccesses;

/* Whether an iteration comes to the load first. */
static bool is_loaded_first(const Recognizer *r, InsnId load, InsnId store)
{
    const BlockId from = r->flow->cfg->block_of[load], to = r->flow->cfg->block_of[store];
    return from == to ? load < store : ptx_dom_dominates(r->flow->dom, from, to);
}

/* Whether a load so many bytes from a store meets what the store has left in an earlier iteration,
 * each of which moves both by `step`. */
static bool meets_earlier(int64_t apart, int64_t step, int64_t bytes)
{
    const int64_t nearest = -apart / step;
    for (int64_t ago = nearest - 1; ago <= nearest + 1; ago++)
        if (ago >= 1 && ptx_i64_magnitude(apart + ago * step) < (uint64_t)bytes)
            return true;
    return ptx_i64_magnitude(apart + step) < (uint64_t)bytes;
}

/* Whether the load never meets what the store has left; false: or it is not known. */
static bool is_ahead(const ArrayAccesses *a, InsnId load, InsnId store)
{
    const Recognizer *r = a->r;
    const Subscript *from = r->subscripts[load], *to = r->subscripts[store];
    const SubscriptTerm *term = ptx_subscript_term(to, TERM_LOOP, a->loop);
    const Insn *insns = r->flow->func->insns;
    int64_t apart, bytes = insns[load].access_bytes;
    if (!term || term->by || !term->factor || !ptx_subscript_is_apart(to, from, &apart)
        || ptx_i64_magnitude(apart) > MOST_BYTES || ptx_i64_magnitude(term->factor) > MOST_BYTES)
        return false;
    bytes = bytes > insns[store].access_bytes ? bytes : insns[store].access_bytes;
    if (ptx_i64_magnitude(apart) < (uint64_t)bytes && !is_loaded_first(r, load, store))
        return false;
    return !meets_earlier(apart, term->factor, bytes);
}

/* False: it may touch the array in a way that is not followed. */
static bool note_array_access(ArrayAccesses *a, InsnId id, uint64_t array)
{
    const Recognizer *r = a->r;
    const Insn *insn = &r->flow->func->insns[id];
    const Subscript *of = r->subscripts[id];
    if (!of && !(ptx_effect_reads(insn->op) | ptx_effect_writes(insn->op)))
        return true;
    if (!of || !of->array || !ptx_effect_is_plain(insn->op))
        return false;
    if (of->array != array)
        return true;
    if (a->load_count == MAX_ACCESSES || a->store_count == MAX_ACCESSES
        || r->flow->loops->loop_of[r->flow->cfg->block_of[id]] != a->loop)
        return false;
    if (insn->op->kind == OPK_LD)
        a->loads[a->load_count++] = id;
    else
        a->stores[a->store_count++] = id;
    return true;
}

static bool collect_accesses(ArrayAccesses *a, uint64_t array)
{
    const FuncFlow *flow = a->r->flow;
    for (BlockId b = 0; b < flow->cfg->block_count; b++) {
        const Block *block = &flow->cfg->blocks[b];
        if (!ptx_loop_holds(flow->loops, a->loop, b))
            continue;
        for (InsnId i = block->first; i < block->end; i++)
            if (!note_array_access(a, i, array))
                return false;
    }
    return true;
}

bool ptx_recognizer_other_store_meets(Recognizer *r, InsnId store, InsnId load)
{
    const FuncFlow *flow = r->flow;
    const Subscript *to = r->subscripts[store];
    const ArrayAccesses a = { .r = r, .loop = flow->loops->loop_of[flow->cfg->block_of[store]] };
    if (!ptx_recognizer_spend(r, flow->func->insn_count))
        return true;
    for (InsnId i = 0; i < flow->func->insn_count; i++) {
        const Subscript *of = r->subscripts[i];
        bool is_other = i != store && flow->func->insns[i].op->kind != OPK_LD && of
                        && of->array == to->array
                        && ptx_loop_holds(flow->loops, a.loop, flow->cfg->block_of[i]);
        if (is_other && !is_ahead(&a, load, i))
            return true;
    }
    return false;
}

bool ptx_recognizer_loads_ahead(Recognizer *r, InsnId store, InsnId load)
{
    const Subscript *to = r->subscripts[store];
    ArrayAccesses a = { .r = r,
                        .loop = r->flow->loops->loop_of[r->flow->cfg->block_of[store]] };
    if (a.loop == NO_LOOP || r->flow->loops->loops[a.loop].is_irreducible || !to || !to->array
        || !ptx_recognizer_spend(r, r->flow->func->insn_count) || !collect_accesses(&a, to->array))
        return false;
    for (uint32_t s = 0; s < a.store_count; s++)
        for (uint32_t l = 0; l < a.load_count; l++)
            if ((load == NO_ID || load == a.loads[l]) && !is_ahead(&a, a.loads[l], a.stores[s]))
                return false;
    return true;
}
