/* Parts of a kernel that can be kernels of their own (fission): what each array that it stores to
 * rests on, by dependences backwards, and which arrays need more of each other than indices. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"

typedef struct FissionSearch {
    Recognizer *r;
    const Func *func;
    uint64_t *needs;            /* per instruction: a bit an array whose stores rest on it */
    InsnId *stack;
    uint32_t depth;
    bool *is_waiting;           /* per instruction: it is on the stack */
    uint8_t group[MAX_ARRAYS];  /* per array: the first that is of its part */
    uint64_t stored;            /* arrays that are stored to */
} FissionSearch;

/* ---- which kernels --------------------------------------------------------------------------- */

static bool is_array_sink(const Op *op)
{
    return op->kind == OPK_ST || op->kind == OPK_RED || op->kind == OPK_ATOM;
}

static bool is_of_lanes(const Op *op)
{
    return op->operation == OP_SHFL || op->operation == OP_VOTE || op->operation == OP_MATCH
           || op->operation == OP_REDUX || op->operation == OP_ACTIVEMASK;
}

/* Whether it does nothing but give results, store, or go on elsewhere. */
static bool is_followed_insn(const Recognizer *r, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->flags & OPF_UNKNOWN)
        return false;
    if (op->kind == OPK_BRA || op->kind == OPK_RET || op->kind == OPK_EXIT)
        return true;
    if (op->kind == OPK_RED || op->kind == OPK_ATOM)
        return op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC;
    return ptx_effect_is_plain(op) || is_of_lanes(op)
           || ptx_effect_is_pure(r->flow->module, r->flow->func, insn);
}

static bool is_local(const Op *op)
{
    return op->space == SPACE_LOCAL && op->flags & (OPF_LOAD | OPF_STORE);
}

static bool can_be_followed(const Recognizer *r)
{
    const Func *func = r->flow->func;
    bool is_known = func->is_entry && r->has_arrays && !r->has_local && !func->has_syntax_error
                    && !func->has_unknown && !func->has_calls
                    && !r->flow->cfg->has_unknown_target;
    for (InsnId i = 0; i < func->insn_count && is_known; i++)
        is_known = is_followed_insn(r, &func->insns[i]) && !is_local(func->insns[i].op);
    return is_known;
}

/* ---- slices ---------------------------------------------------------------------------------- */

static void require(FissionSearch *s, InsnId id, uint64_t arrays)
{
    if (!(arrays & ~s->needs[id]))
        return;
    s->needs[id] |= arrays;
    if (!s->is_waiting[id])
        s->stack[s->depth++] = id;
    s->is_waiting[id] = true;
}

static void need_sources(FissionSearch *s, InsnId id)
{
    const Recognizer *r = s->r;
    const InsnId first = r->flow->cfg->blocks[r->flow->cfg->block_of[id]].first;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++)
        require(s, r->all.items[d].from, s->needs[id]);
    for (uint32_t d = r->first[first]; d < r->first[first + 1] && first != id; d++)
        if (r->all.items[d].kind == DEPENDENCE_CONTROL)
            require(s, r->all.items[d].from, s->needs[id]);
}

/* False: there is a store to an array that is not known, or too much to look at. */
static bool find_needs(FissionSearch *s)
{
    const Recognizer *r = s->r;
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        if (!is_array_sink(s->func->insns[i].op)
            || !ptx_block_is_reachable(r->flow->cfg, r->flow->cfg->block_of[i]))
            continue;
        const uint64_t bit = r->subscripts[i]
                                 ? ptx_recognizer_array_bit(r, r->subscripts[i]->array)
                                 : UINT64_C(1) << OTHER_ARRAY;
        if (bit == UINT64_C(1) << OTHER_ARRAY)
            return false;
        s->stored |= bit;
        require(s, i, bit);
    }
    while (s->depth) {
        const InsnId id = s->stack[--s->depth];
        s->is_waiting[id] = false;
        if (!ptx_recognizer_spend(s->r, 1 + r->first[id + 1] - r->first[id]))
            return false;
        need_sources(s, id);
    }
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void join_arrays(FissionSearch *s, uint64_t arrays)
{
    uint8_t least = MAX_ARRAYS;
    bool is_joined[MAX_ARRAYS] = { false };
    for (uint8_t a = 0; a < MAX_ARRAYS; a++)
        if (arrays >> a & 1) {
            is_joined[s->group[a]] = true;
            least = s->group[a] < least ? s->group[a] : least;
        }
    for (uint8_t a = 0; a < MAX_ARRAYS; a++)
        if (is_joined[s->group[a]])
            s->group[a] = least;
}

static bool stands_in_loop(const Recognizer *r, InsnId id)
{
    return r->flow->loops->loop_of[r->flow->cfg->block_of[id]] != NO_LOOP;
}

/* Indices, addresses, parameters and what decides how far they go: cheaper to compute again than to
 * keep. */
static bool is_cheap(const Recognizer *r, InsnId id)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Op *op = insn->op;
    if (op->kind == OPK_BRA || op->kind == OPK_RET || op->kind == OPK_EXIT)
        return true;
    if (!ptx_effect_is_pure(r->flow->module, r->flow->func, insn))
        return false;
    if (op->kind == OPK_MOV || op->kind == OPK_LD)
        return true;
    return ptx_type_info[op->type].kind != KIND_FLOAT
           && ((op->operation != OP_DIV && op->operation != OP_REM) || !stands_in_loop(r, id));
}

/* What an instruction reads of arrays that the kernel stores to. */
static uint64_t stored_that_it_loads(const FissionSearch *s, InsnId id)
{
    const Op *op = s->func->insns[id].op;
    if (op->kind != OPK_LD || !ptx_effect_reads(op))
        return 0;
    const Subscript *of = s->r->subscripts[id];
    const uint64_t bit = of ? ptx_recognizer_array_bit(s->r, of->array)
                            : UINT64_C(1) << OTHER_ARRAY;
    return bit == UINT64_C(1) << OTHER_ARRAY ? s->stored : bit & s->stored;
}

static void join_all(FissionSearch *s)
{
    for (uint8_t a = 0; a < MAX_ARRAYS; a++)
        s->group[a] = a;
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const uint64_t needs = s->needs[i], loaded = needs ? stored_that_it_loads(s, i) : 0;
        if (loaded || (needs & (needs - 1) && !is_cheap(s->r, i)))
            join_arrays(s, needs | loaded);
    }
}

static uint64_t arrays_of_group(const FissionSearch *s, uint8_t group)
{
    uint64_t arrays = 0;
    for (uint8_t a = 0; a < MAX_ARRAYS; a++)
        if (s->group[a] == group)
            arrays |= s->stored & UINT64_C(1) << a;
    return arrays;
}

/* ---- what they keep -------------------------------------------------------------------------- */

static void keep_part(const FissionSearch *s, Arena *arena, uint64_t arrays, FissionPart *out)
{
    bool *keeps = ptx_arena_array(arena, bool, s->func->insn_count + 1);
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        keeps[i] = (s->needs[i] & arrays) != 0;
        if (!keeps[i])
            continue;
        bool counts = stands_in_loop(s->r, i) || !s->r->flow->loops->loop_count;
        if (s->needs[i] & ~arrays)
            out->shared_count += counts;
        else
            out->own_count += counts;
        if (is_array_sink(s->func->insns[i].op) && !out->store_count++)
            out->store = i;
    }
    out->keeps = keeps;
}

static void name_arrays(const FissionSearch *s, Arena *arena, uint64_t arrays, FissionPart *out)
{
    out->arrays = ptx_arena_array(arena, VarId, MAX_ARRAYS);
    for (uint8_t a = 0; a < MAX_ARRAYS; a++) {
        const VarId var = ptx_subscript_var(s->r->arrays[a]);
        bool is_new = arrays >> a & 1;
        for (uint32_t n = 0; n < out->array_count; n++)
            is_new = is_new && out->arrays[n] != var;
        if (is_new)
            out->arrays[out->array_count++] = var;
    }
}

static void collect_parts(FissionSearch *s, Arena *arena, Fission *out)
{
    uint32_t count = 0;
    for (uint8_t g = 0; g < MAX_ARRAYS; g++)
        count += arrays_of_group(s, g) != 0;
    if (count < 2 || count > MAX_FISSION_PARTS)
        return;
    out->parts = ptx_arena_array(arena, FissionPart, count);
    for (uint8_t g = 0; g < MAX_ARRAYS; g++) {
        const uint64_t arrays = arrays_of_group(s, g);
        if (!arrays)
            continue;
        keep_part(s, arena, arrays, &out->parts[out->count]);
        name_arrays(s, arena, arrays, &out->parts[out->count++]);
    }
}

/* Each part does more of its own than it computes again: in loops, where there are any. */
static bool is_worth_it(const Fission *fission)
{
    for (uint32_t p = 0; p < fission->count; p++)
        if (fission->parts[p].own_count <= fission->parts[p].shared_count)
            return false;
    return fission->count > 0;
}

void ptx_recognizer_fission(Recognizer *r, Fission *out)
{
    const uint32_t count = r->flow->func->insn_count;
    *out = (Fission){ 0 };
    if (!can_be_followed(r))
        return;
    FissionSearch s = { .r = r, .func = r->flow->func };
    s.needs = ptx_arena_array(r->scratch, uint64_t, count + 1);
    s.stack = ptx_arena_array(r->scratch, InsnId, count + 1);
    s.is_waiting = ptx_arena_array(r->scratch, bool, count + 1);
    if (!find_needs(&s))
        return;
    join_all(&s);
    collect_parts(&s, r->arena, out);
    if (!is_worth_it(out))
        *out = (Fission){ 0 };
}
