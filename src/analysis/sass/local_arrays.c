#include "analysis/sass/local_arrays.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/trips/trip.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "support/hash.h"
#include "support/minmax.h"

enum {
    MAX_ROUNDS = 8,             /* through the function, for values that loops carry */
    MAX_UNROLLED = 1000,        /* iterations of a counted loop that may all be unrolled */
    MIN_IN_LOOP = 6,            /* elements that an index in a loop does not select from */
    MAX_SELECTED = 256,         /* elements of an array that an index selects from */
};

/* With so many indices ptxas leaves an array of so many elements. */
static const struct { uint32_t indices, elements; } ARRAY_LIMITS[] = {
    { 8, 8 }, { 6, 12 }, { 5, 24 }, { 1, MAX_SELECTED }
};

typedef struct LocalArray {
    uint64_t bytes;
    uint32_t element_bytes;             /* of the narrowest access */
    uint32_t indices, loop_indices;     /* accesses at offsets that are not constant */
    /* a loop that is not counted stores at constant offsets: each iteration may have its own */
    bool is_filled_in_loop;
    bool is_kept;
} LocalArray;

typedef struct LocalArrays {
    const LocalArraysInput *in;
    HashMap slots;              /* VarId -> index into arrays, + 1 */
    LocalArray *arrays;
    uint32_t count, capacity;
    bool *is_loaded;            /* per register: made from what memory held */
    Arena *scratch;
} LocalArrays;

static LocalArray *array_of(LocalArrays *a, VarId var)
{
    uint32_t *slot = ptx_hash_map_at(&a->slots, a->scratch, var);
    if (!*slot) {
        if (a->count == a->capacity)
            a->arrays = ptx_arena_grow(a->scratch, a->arrays, a->count, &a->capacity,
                                       sizeof *a->arrays);
        a->arrays[a->count++] = (LocalArray){ .bytes = a->in->module->vars[var].bytes,
                                              .element_bytes = UINT32_MAX };
        *slot = a->count;
    }
    return &a->arrays[*slot - 1];
}

static bool is_local_access(const Insn *insn)
{
    return (insn->op->kind == OPK_LD || insn->op->kind == OPK_ST)
           && insn->op->space == SPACE_LOCAL;
}

static bool has_local(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (is_local_access(&func->insns[i]))
            return true;
    return false;
}

/* ---- what comes out of memory ---------------------------------------------------------------- */

static bool loads_variable_memory(const Op *op)
{
    if (op->kind == OPK_ATOM)
        return true;
    return op->kind == OPK_LD && op->space != SPACE_CONST && !ptx_space_is_param((Space)op->space)
           && !ptx_op_has(op, MOD_NC);
}

static bool reads_loaded(const LocalArrays *a, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(a->in->func, insn);
    if (loads_variable_memory(insn->op))
        return true;
    if (insn->op->flags & OPF_LOAD)
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
            && a->is_loaded[operands[o].id])
            return true;
    return false;
}

/* Whether anything was new. */
static bool mark_results(LocalArrays *a, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(a->in->func, insn);
    bool is_new = false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!ptx_operand_is_def(&operands[o]) || a->is_loaded[operands[o].id])
            continue;
        a->is_loaded[operands[o].id] = is_new = true;
    }
    return is_new;
}

static void find_loaded(LocalArrays *a)
{
    const Func *func = a->in->func;
    bool is_new = true;
    for (uint32_t round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = 0; i < func->insn_count; i++)
            if (reads_loaded(a, &func->insns[i]))
                is_new |= mark_results(a, &func->insns[i]);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_short_counted(const LocalArraysInput *in, LoopId loop)
{
    const Trip *trip = &in->trips->trips[loop];
    return trip->source == TRIP_CODE && trip->count < MAX_UNROLLED;
}

/* An index that counts in a counted loop is a constant once that is unrolled, whatever loop is
 * around it. */
static bool is_in_open_loop(const LocalArraysInput *in, BlockId block)
{
    LoopId loop = in->loops->loop_of[block];
    return loop != NO_LOOP && !is_short_counted(in, loop);
}

static bool is_index_loaded(const LocalArrays *a, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(a->in->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_ADDRESS
            && a->is_loaded[operands[o].id])
            return true;
    return false;
}

static void note_local_access(LocalArrays *a, const Insn *insn, BlockId block, const PointsTo *base)
{
    LocalArray *array = array_of(a, base->id);
    uint32_t bytes = ptx_type_info[insn->op->type].bits / 8;
    array->element_bytes = ptx_u32_min(array->element_bytes, ptx_u32_max(bytes, 1));
    array->is_kept |= bytes == 1 || bytes >= 8;
    bool is_in_loop = is_in_open_loop(a->in, block);
    if (base->has_offset) {
        array->is_filled_in_loop |= is_in_loop && insn->op->kind == OPK_ST;
        return;
    }
    array->indices++;
    array->loop_indices += is_in_loop;
    array->is_kept |= is_index_loaded(a, insn);
}

/* An address that is stored, passed on, or accessed as a generic one. */
static void note_escapes(LocalArrays *a, const Insn *insn)
{
    const Op *op = insn->op;
    const Operand *operands = ptx_insn_operands(a->in->func, insn);
    if (op->kind != OPK_ST && op->kind != OPK_ATOM && op->kind != OPK_RED && op->kind != OPK_CALL
        && op->kind != OPK_LD)
        return;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind != OPERAND_REG || operands[o].role & ROLE_DEF
            || (is_local_access(insn) && operands[o].role & ROLE_ADDRESS))
            continue;
        const PointsTo *base = &a->in->bases->regs[operands[o].id];
        if (base->kind == BASE_VAR && a->in->module->vars[base->id].space == SPACE_LOCAL)
            array_of(a, base->id)->is_kept = true;
    }
}

static bool is_array_kept(const LocalArray *array)
{
    uint64_t elements = array->bytes / array->element_bytes;
    if (array->is_kept
        || (array->loop_indices && !array->is_filled_in_loop && elements >= MIN_IN_LOOP))
        return true;
    for (uint32_t i = 0; i < sizeof ARRAY_LIMITS / sizeof *ARRAY_LIMITS; i++)
        if (array->indices >= ARRAY_LIMITS[i].indices && elements >= ARRAY_LIMITS[i].elements)
            return true;
    return false;
}

static bool array_base(const LocalArrays *a, const Insn *insn, PointsTo *base)
{
    return ptx_points_to_of_access(a->in->bases, a->in->module, a->in->func, insn, base)
           && base->kind == BASE_VAR;
}

static void note_all(LocalArrays *a)
{
    const Func *func = a->in->func;
    PointsTo base;
    for (BlockId b = 0; b < a->in->cfg->block_count; b++)
        for (InsnId i = a->in->cfg->blocks[b].first; i < a->in->cfg->blocks[b].end; i++) {
            if (is_local_access(&func->insns[i]) && array_base(a, &func->insns[i], &base))
                note_local_access(a, &func->insns[i], b, &base);
            note_escapes(a, &func->insns[i]);
        }
}

const bool *ptx_local_arrays_compute(Arena *arena, Arena *scratch, const LocalArraysInput *in)
{
    const Func *func = in->func;
    bool *kept = ptx_arena_array(arena, bool, func->insn_count + 1);
    if (!has_local(func))
        return kept;
    ArenaMark mark = ptx_arena_mark(scratch);
    LocalArrays a = { .in = in, .scratch = scratch };
    a.is_loaded = ptx_arena_array(scratch, bool, func->reg_count + 1);
    find_loaded(&a);
    note_all(&a);
    PointsTo base;
    for (InsnId i = 0; i < func->insn_count; i++)
        kept[i] = is_local_access(&func->insns[i])
                  && (!array_base(&a, &func->insns[i], &base)
                      || is_array_kept(array_of(&a, base.id)));
    ptx_arena_release(scratch, mark);
    return kept;
}
