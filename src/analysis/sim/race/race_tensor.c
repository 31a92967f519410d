/* Tensor memory of sm_100: who loads it, and who frees it. Which columns an instruction touches is
 * not followed. PTX ISA, "Tensor Core 5th Generation Family Instructions: Memory Consistency
 * Model". */
#include "analysis/sim/machine.h"
#include "analysis/sim/race/race.h"

static bool is_plain_kernel(const Func *func)
{
    uint32_t allocations = 0, releases = 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        allocations += func->insns[i].op->operation == OP_TCGEN05_ALLOC;
        releases += func->insns[i].op->operation == OP_TCGEN05_DEALLOC;
    }
    return !func->has_calls && allocations == 1 && releases == 1;
}

/* Nothing but multiplications writes tensor memory. Of several, the first; NO_ID: others write. */
static InsnId only_multiplication(const Func *func)
{
    InsnId first = NO_ID;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        if (op->operation == OP_TCGEN05_ST || op->operation == OP_TCGEN05_CP)
            return NO_ID;
        if (op->operation == OP_TCGEN05_MMA && first == NO_ID)
            first = i;
    }
    return func->has_calls ? NO_ID : first;
}

static void look_at_kernel(Race *r, const Func *func)
{
    TensorMemory *t = &r->tensor;
    if (t->is_known)
        return;
    t->is_known = true;
    t->has_one_allocation = is_plain_kernel(func);
    t->multiplication = only_multiplication(func);
    t->loads = ptx_arena_array(r->arena, TensorAccess, r->warp_count);
}

/* The warp knows of some phase that it is over in which a tcgen05.commit arrived, or was asked
 * before. */
static bool knows_multiplication(const Race *r, uint32_t warp)
{
    if (r->tensor.loads[warp].clock)
        return true;
    const uint32_t *known = ptx_race_known(r, warp) + r->warp_count;
    for (uint32_t w = 0; w < r->warp_count; w++) {
        const Copies *c = ptx_race_copies(r, QUEUE_TENSOR, w);
        for (uint32_t d = 0; d < c->delivery_count; d++)
            if (c->deliveries[d].phase <= known[c->deliveries[d].mbarrier])
                return true;
    }
    return false;
}

static InsnId tensor_place_of(const Warp *w, const Insn *insn)
{
    return (InsnId)(insn - w->frame->func_state->func->insns);
}

void ptx_race_tensor_load(Race *r, const Warp *w, const Insn *insn, uint8_t doubt)
{
    TensorMemory *t = &r->tensor;
    look_at_kernel(r, w->frame->func_state->func);
    const TensorAccess load = { tensor_place_of(w, insn), w->index,
                                ptx_race_known(r, w->index)[w->index] };
    const TensorAccess *freed = &t->freed;
    /* a warp's first load alone: it knows no less later */
    if (t->early.insn == NO_ID && t->multiplication != NO_ID && doubt < UNCERTAIN_PARAMETER
        && !knows_multiplication(r, w->index)) {
        t->early = load;
        t->early_with = (TensorAccess){ .insn = t->multiplication };
    }
    if (t->early.insn == NO_ID && freed->clock && freed->warp != w->index
        && freed->clock > ptx_race_known(r, w->index)[freed->warp]) {
        t->early = *freed;
        t->early_with = load;
    }
    t->loads[w->index] = load;
}

void ptx_race_tensor_free(Race *r, const Warp *w, const Insn *insn, uint8_t doubt)
{
    TensorMemory *t = &r->tensor;
    const uint32_t *known = ptx_race_known(r, w->index);
    look_at_kernel(r, w->frame->func_state->func);
    if (!t->has_one_allocation || doubt >= UNCERTAIN_PARAMETER)
        return;
    t->freed = (TensorAccess){ tensor_place_of(w, insn), w->index, known[w->index] };
    for (uint32_t v = 0; v < r->warp_count && t->early.insn == NO_ID; v++)
        if (v != w->index && t->loads[v].clock > known[v]) {
            t->early = t->freed;
            t->early_with = t->loads[v];
        }
}

void ptx_race_tensor_begin(Race *r)
{
    TensorMemory *t = &r->tensor;
    t->early.insn = NO_ID;
    t->freed = (TensorAccess){ .clock = 0 };
    for (uint32_t w = 0; w < r->warp_count && t->loads; w++)
        t->loads[w] = t->freed;
}
