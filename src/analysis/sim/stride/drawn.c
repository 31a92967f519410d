#include "analysis/sim/stride/drawn.h"

#include "analysis/sim/stride/growth.h"
#include "support/hash.h"

enum { FEW_NUMBERS = 16 };

static uint64_t draw_lane(uint64_t key, unsigned lane)
{
    return ptx_hash_add(ptx_hash_add(key, lane), key) >> WARP_LANES;
}

/* ---- what follows ---------------------------------------------------------------------------- */

static bool grow_alike(const Blocks *blocks, const Value *a, const Value *b)
{
    for (unsigned d = 0; (a->grows | b->grows) && d < GROWTH_DIMS; d++)
        if (ptx_growth(blocks, a, d) != ptx_growth(blocks, b, d))
            return false;
    return true;
}

/* As if all lanes were known. What a comparison of drawn numbers gives is another in each block. */
static void follow_growth(Blocks *blocks, Value *out, const DrawnInputs *in)
{
    if (in->op->transfer == TRANSFER_COMPARE) {
        ptx_block_stride_follow(blocks, in->op, out, in->args, in->count, in->lanes);
        return;
    }
    Value known[MAX_DRAWN_ARGS];
    const Value *args[MAX_DRAWN_ARGS];
    const uint32_t unknown = out->unknown;
    for (unsigned i = 0; i < in->count; i++) {
        known[i] = *in->args[i];
        known[i].unknown = 0;
        args[i] = &known[i];
    }
    out->unknown = 0;
    ptx_block_stride_follow(blocks, in->op, out, args, in->count, in->lanes);
    out->unknown = unknown;
}

static bool is_drawn_result(const Value *out, const DrawnInputs *in)
{
    uint32_t drawn = 0;
    for (unsigned i = 0; i < in->count; i++) {
        if (!ptx_value_is_told(in->args[i], in->lanes))
            return false;
        drawn |= in->args[i]->unknown;
    }
    return !(out->unknown & in->lanes & ~drawn) && in->count <= MAX_DRAWN_ARGS;
}

bool ptx_drawn_follow(Blocks *blocks, Value *out, const DrawnInputs *in)
{
    bool grows = false;
    if (!is_drawn_result(out, in))
        return false;
    for (unsigned i = 0; i < in->count; i++)
        grows |= in->args[i]->grows != 0;
    if (grows)
        follow_growth(blocks, out, in);
    out->group = GROUP_DRAWN;
    return true;
}

void ptx_drawn_follow_choice(const Blocks *blocks, Value *out, const DrawnInputs *in)
{
    const Value *a = in->args[0], *b = in->args[1];
    if (!is_drawn_result(out, in) || !grow_alike(blocks, a, b))
        return;
    if (a->grows)
        ptx_growth_take(out, a);
    out->group = GROUP_DRAWN;
}

/* ---- choices --------------------------------------------------------------------------------- */

static void take_either(Value *out, const Value *a, const Value *b)
{
    const uint32_t unknown = out->unknown;
    uint64_t *lanes = out->lanes;
    *out = *a;
    out->lanes = lanes;
    out->unknown = unknown;
    ptx_value_blend(out, b);
    out->group = GROUP_DRAWN;
}

/* One number for all lanes decides, which is not known: it is the same wherever it is asked for. */
static bool is_one_predicate(const Value *predicate)
{
    return !predicate->lanes && predicate->is_common && predicate->align != ALIGN_EXACT;
}

/* Those for which the predicate holds. */
static uint32_t lanes_of_first(const Value *predicate, uint64_t key)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t drawn = draw_lane(key, i) & 1, known = ptx_value_lane(predicate, i) != 0;
        lanes |= (uint32_t)(predicate->unknown >> i & 1 ? drawn : known) << i;
    }
    return lanes;
}

bool ptx_drawn_choose(const Blocks *blocks, Scratch *out, const DrawnInputs *in)
{
    const Value *a = in->args[0], *b = in->args[1], *predicate = in->args[2];
    const bool is_one = is_one_predicate(predicate);
    if (!ptx_value_is_told(a, in->lanes) || !ptx_value_is_told(b, in->lanes)
        || (predicate->align != ALIGN_EXACT && !is_one) || a->is_data || b->is_data
        || !grow_alike(blocks, a, b))
        return false;
    const uint32_t firsts = is_one ? 0 - (uint32_t)(draw_lane(predicate->addend, 0) & 1)
                                   : lanes_of_first(predicate, in->key);
    for (unsigned i = 0; i < WARP_LANES; i++)
        out->lanes[i] = ptx_value_lane(firsts >> i & 1 ? a : b, i);
    out->value.lanes = out->lanes;
    take_either(&out->value, a, b);
    return true;
}

/* ---- what is left of data -------------------------------------------------------------------- */

static bool is_small_number(const Value *value, uint32_t lanes, uint64_t below)
{
    return !value->lanes && value->all < below && ptx_value_is_exact(value, lanes);
}

/* Nothing is known of its unknown lanes, and they have no part in common. */
static bool is_loose_data(const Value *value)
{
    return value->align == ALIGN_EXACT && !value->group;
}

bool ptx_drawn_cut(Scratch *out, const DrawnInputs *in)
{
    if (in->op->transfer != TRANSFER_AND || in->count != 2 || in->op->is_pair)
        return false;
    const unsigned mask = is_small_number(in->args[1], in->lanes, FEW_NUMBERS) ? 1 : 0;
    const Value *by = in->args[mask], *from = in->args[1 - mask];
    if (!is_small_number(by, in->lanes, FEW_NUMBERS) || !is_loose_data(from))
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        out->lanes[i] = by->all
                        & (from->unknown >> i & 1 ? draw_lane(in->key, i)
                                                  : ptx_value_lane(from, i));
    out->value.lanes = out->lanes;
    out->value.group = GROUP_DRAWN;
    return true;
}

/* ---- sides of branches ----------------------------------------------------------------------- */

static bool is_told_register(const Register *r)
{
    return ptx_register_is_written(r) && !r->value.is_data
           && ptx_value_is_told(&r->value, UINT32_MAX);
}

static void copy_register(Machine *m, Register *to, const Value *from)
{
    to->value = *from;
    if (!from->lanes)
        return;
    if (!to->slab)
        to->slab = ptx_arena_array(m->arena, uint64_t, WARP_LANES);
    memcpy(to->slab, from->lanes, WARP_LANES * sizeof *to->slab);
    to->value.lanes = to->slab;
}

void ptx_drawn_keep(Machine *m, ModRef *ref, const Register *r)
{
    ref->is_kept = is_told_register(r);
    if (!ref->is_kept)
        return;
    if (!ref->before)
        ref->before = ptx_arena_new(m->arena, Register);
    copy_register(m, ref->before, &r->value);
}

static bool can_join(const Machine *m, const Register *r, const ModRef *ref)
{
    return ref->is_kept && is_told_register(r)
           && grow_alike(&m->blocks, &ref->before->value, &r->value);
}

/* lanes: of the first value; the others of the second. */
static void mix_lanes(Machine *m, Register *r, const Value *first, const Value *second,
                      uint32_t lanes)
{
    uint64_t mixed[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++)
        mixed[i] = ptx_value_lane(lanes >> i & 1 ? first : second, i);
    if (!r->slab)
        r->slab = ptx_arena_array(m->arena, uint64_t, WARP_LANES);
    memcpy(r->slab, mixed, sizeof mixed);
    r->value.lanes = r->slab;
}

bool ptx_drawn_join(Machine *m, Register *r, ModRef *ref, uint32_t lanes, uint64_t key)
{
    uint32_t firsts = 0;
    if (!can_join(m, r, ref))
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        firsts |= (uint32_t)(draw_lane(key, i) & 1) << i;
    mix_lanes(m, r, &ref->before->value, &r->value, firsts & lanes);
    r->value.unknown |= lanes;
    take_either(&r->value, &r->value, &ref->before->value);
    return true;
}

bool ptx_drawn_exchange(Machine *m, Register *r, ModRef *ref, uint32_t lanes)
{
    if (!can_join(m, r, ref)) {
        ptx_drawn_keep(m, ref, r);
        return false;
    }
    uint64_t numbers[WARP_LANES];
    Value now = r->value;
    for (unsigned i = 0; i < WARP_LANES; i++)
        numbers[i] = ptx_value_lane(&now, i);
    now.lanes = numbers;
    mix_lanes(m, r, &ref->before->value, &now, lanes);
    r->value.unknown |= lanes;
    take_either(&r->value, &r->value, &ref->before->value);
    copy_register(m, ref->before, &now);
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

uint8_t ptx_drawn_blend(const Value *old, const Value *other, uint32_t lanes, uint32_t live)
{
    const bool is_drawn = ptx_value_is_drawn(old) || ptx_value_is_drawn(other);
    return is_drawn && ptx_value_is_told(old, live & ~lanes) && ptx_value_is_told(other, lanes)
               ? GROUP_DRAWN
               : 0;
}
