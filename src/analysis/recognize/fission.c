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
    bool computes_again;        /* what several parts need, each of them may compute */
    const char *why;            /* no parts; NULL */
    InsnId why_insn;
} FissionSearch;

/* The first reason is kept. Always false. */
static bool refuse_fission(FissionSearch *s, const char *why, InsnId insn)
{
    if (!s->why) {
        s->why = why;
        s->why_insn = insn;
    }
    return false;
}

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

/* A barrier that threads wait at, and that gives no value: each part may have it, too. */
static bool is_barrier_of_parts(const Func *func, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->kind != OPK_BAR || !ptx_op_has(op, MOD_SYNC) || ptx_op_has(op, MOD_CLUSTER))
        return false;
    for (uint32_t i = 0; i < insn->operand_count; i++)
        if (ptx_insn_operands(func, insn)[i].role & ROLE_DEF)
            return false;
    return true;
}

static bool can_be_followed(FissionSearch *s)
{
    const Recognizer *r = s->r;
    const Func *func = s->func;
    if (!func->is_entry || func->has_syntax_error || func->has_unknown)
        return false;
    if (func->has_calls || r->flow->cfg->has_unknown_target)
        return refuse_fission(s, "it calls functions, or branches to where a register says", NO_ID);
    if (!r->has_arrays)
        return refuse_fission(s, "it is too large to look at", NO_ID);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        if (is_local(insn->op))
            return refuse_fission(s, "it uses local memory", i);
        if (!is_followed_insn(r, insn) && !is_barrier_of_parts(func, insn))
            return refuse_fission(s, "an instruction does more than compute, load and store", i);
    }
    return !r->has_local || refuse_fission(s, "the module has variables in local memory", NO_ID);
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

/* False: there is a store to an array that is not known. */
static bool require_stores(FissionSearch *s)
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
            return refuse_fission(s, "which array it stores to is not known", i);
        s->stored |= bit;
        require(s, i, bit);
    }
    return true;
}

/* False: there is such a store, or too much to look at. */
static bool find_needs(FissionSearch *s)
{
    if (!require_stores(s))
        return false;
    for (InsnId i = 0; i < s->func->insn_count; i++)
        if (s->func->insns[i].op->kind == OPK_BAR)
            require(s, i, s->stored);
    while (s->depth) {
        const InsnId id = s->stack[--s->depth];
        s->is_waiting[id] = false;
        if (!ptx_recognizer_spend(s->r, 1 + s->r->first[id + 1] - s->r->first[id]))
            return refuse_fission(s, "it is too large to look at", NO_ID);
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
    if (op->kind == OPK_BRA || op->kind == OPK_RET || op->kind == OPK_EXIT || op->kind == OPK_BAR)
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

/* Whether several parts need it, and it is more than an index. */
static bool is_shared_value(const FissionSearch *s, InsnId id, uint64_t needs)
{
    return needs & (needs - 1) && !is_cheap(s->r, id);
}

/* A thread of another kernel would have the same. */
static bool can_be_again(const FissionSearch *s, InsnId id)
{
    const Insn *insn = &s->func->insns[id];
    return s->computes_again
           && (ptx_effect_is_pure(s->r->flow->module, s->func, insn) || insn->op->kind == OPK_LD);
}

static void join_all(FissionSearch *s)
{
    for (uint8_t a = 0; a < MAX_ARRAYS; a++)
        s->group[a] = a;
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const uint64_t needs = s->needs[i], loaded = needs ? stored_that_it_loads(s, i) : 0;
        const bool is_shared = is_shared_value(s, i, needs) && !can_be_again(s, i);
        if (loaded && (needs | loaded) & ((needs | loaded) - 1))
            refuse_fission(s, "a part would load what another stores", i);
        else if (is_shared && s->computes_again)
            refuse_fission(s, "its arrays need one value that lanes or an atomic give", i);
        if (loaded || is_shared)
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

static bool is_of_one_part(const FissionSearch *s, uint64_t arrays)
{
    for (uint8_t g = 0; g < MAX_ARRAYS; g++)
        if (arrays & arrays_of_group(s, g))
            return !(arrays & ~arrays_of_group(s, g));
    return true;
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
    if (count > MAX_FISSION_PARTS)
        refuse_fission(s, "it has too many parts", NO_ID);
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

static bool is_array_of_block(const FissionSearch *s, uint8_t array)
{
    const VarId var = ptx_subscript_var(s->r->arrays[array]);
    return var != NO_ID && s->r->flow->module->vars[var].space == SPACE_SHARED;
}

/* Whether each part stores to global memory: else a kernel of its own would do nothing. */
static bool are_seen(const FissionSearch *s)
{
    for (uint8_t g = 0; g < MAX_ARRAYS; g++) {
        const uint64_t arrays = arrays_of_group(s, g);
        bool is_seen = !arrays;
        for (uint8_t a = 0; a < MAX_ARRAYS; a++)
            is_seen = is_seen || (arrays >> a & 1 && !is_array_of_block(s, a));
        if (!is_seen)
            return false;
    }
    return true;
}

/* What of more than one part is computed, or loaded, again. */
static void note_computed_again(const FissionSearch *s, Fission *out)
{
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        if (!is_shared_value(s, i, s->needs[i]) || is_of_one_part(s, s->needs[i]))
            continue;
        out->again = out->again_count++ ? out->again : i;
        if (s->func->insns[i].op->kind == OPK_LD && out->loaded_again == NO_ID)
            out->loaded_again = i;
    }
}

static void find_parts(FissionSearch *s, Arena *arena, Fission *out)
{
    join_all(s);
    if (are_seen(s))
        collect_parts(s, arena, out);
    else
        refuse_fission(s, "a part stores to shared memory alone", NO_ID);
    note_computed_again(s, out);
    if (out->count && is_worth_it(out))
        return;
    if (out->count)
        refuse_fission(s, "each part would compute again more than it has of its own", NO_ID);
    *out = (Fission){ .why_insn = NO_ID, .again = NO_ID, .loaded_again = NO_ID };
}

static void search_parts(FissionSearch *s, Arena *arena, Fission *out)
{
    const uint32_t count = s->func->insn_count;
    s->needs = ptx_arena_array(s->r->scratch, uint64_t, count + 1);
    s->stack = ptx_arena_array(s->r->scratch, InsnId, count + 1);
    s->is_waiting = ptx_arena_array(s->r->scratch, bool, count + 1);
    if (!find_needs(s))
        return;
    if (!(s->stored & (s->stored - 1))) {
        refuse_fission(s, "it stores to one array", NO_ID);
        return;
    }
    find_parts(s, arena, out);
    if (out->count)
        return;
    s->computes_again = true;
    s->why = NULL;
    find_parts(s, arena, out);
}

void ptx_recognizer_fission(Recognizer *r, Fission *out)
{
    FissionSearch s = { .r = r, .func = r->flow->func, .why_insn = NO_ID };
    *out = (Fission){ .why_insn = NO_ID, .again = NO_ID, .loaded_again = NO_ID };
    if (can_be_followed(&s))
        search_parts(&s, r->arena, out);
    if (out->count)
        return;
    out->why = s.why;
    out->why_insn = s.why_insn;
}
