/* Registers and what stands for one: constants, special registers, names. */
#include "analysis/sim/machine.h"
#include "analysis/sim/stride/drawn.h"
#include "analysis/sim/stride/lane_groups.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"
#include "analysis/value/launch.h"

/* What a write mostly does without: it is not to save registers for it. */
#define SELDOM __attribute__((noinline))

/* ---- registers ------------------------------------------------------------------------------- */

/* What is loaded, or follows from what is unknown. One number for all lanes: some addend. */
Value ptx_machine_unknown(Machine *m, bool is_uniform)
{
    if (!is_uniform)
        return (Value){ .unknown = UINT32_MAX, .align = ALIGN_EXACT, .is_common = true };
    return (Value){ .addend = m->next_addend++, .align = 0, .is_common = true, .is_data = true };
}

enum { MAX_KEPT_BEFORE = 256 };         /* registers, from the outermost region on */

SELDOM static void log_written(Machine *m, Warp *w, RegId reg, const Register *r)
{
    if (w->log_count == w->log_capacity)
        w->log = ptx_arena_grow(m->arena, w->log, w->log_count, &w->log_capacity, sizeof *w->log);
    ModRef *ref = &w->log[w->log_count++];
    ref->frame = w->frame;
    ref->reg = reg;
    ref->is_kept = false;
    if (w->entries[w->entry_count - 1].is_forward && w->log_count <= MAX_KEPT_BEFORE)
        ptx_drawn_keep(m, ref, r);
}

static inline void note_written(Machine *m, Warp *w, RegId reg, Register *r)
{
    const uint32_t region = w->entries[w->entry_count - 1].region;
    if (!region || r->region == region)
        return;
    r->region = region;
    log_written(m, w, reg, r);
}

/* In doubtful control; is_first: in this region. */
SELDOM static void note_step(Register *r, const Value *next, uint32_t lanes, bool is_first)
{
    const uint8_t step = r->is_written && (next->group || next->is_data)
                             ? ptx_groups_step(&r->value, next, lanes)
                             : 0;
    if (is_first || step < r->step)
        r->step = step;
}

static uint64_t *slab_of(Machine *m, Register *r)
{
    if (!r->slab)
        r->slab = ptx_arena_array(m->arena, uint64_t, WARP_LANES);
    return r->slab;
}

static void spread(Machine *m, Register *r)
{
    if (r->value.lanes)
        return;
    uint64_t *lanes = slab_of(m, r);
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes[i] = r->value.all;
    r->value.lanes = lanes;
}

SELDOM static void set_lanes(Machine *m, Register *r, const Value *value, uint64_t mask)
{
    const uint64_t *from = value->lanes, first = from[0] & mask;
    uint64_t *lanes = slab_of(m, r), difference = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        lanes[i] = from[i] & mask;
        difference |= lanes[i] ^ first;
    }
    r->value.lanes = !difference && !value->unknown ? NULL : lanes;
    r->value.all = first;
}

static inline void set_whole(Machine *m, Register *r, const Value *value, uint64_t mask)
{
    ptx_value_copy(&r->value, value);
    r->is_written = true;
    r->value.all &= mask;
    if (value->lanes)
        set_lanes(m, r, value, mask);
}

SELDOM static void set_some(Machine *m, Register *r, const Value *value, uint64_t mask,
                            uint32_t lanes, uint32_t live)
{
    uint8_t group = r->value.group | value->group
                        ? ptx_groups_blend(&r->value, value, lanes, live)
                        : 0;
    if (!group && r->value.group | value->group)
        group = ptx_drawn_blend(&r->value, value, lanes, live);
    ptx_block_stride_choose(&m->blocks, &r->value, &r->value, value, live & ~lanes, lanes);
    bool is_same = !r->value.lanes && !value->lanes && r->value.all == (value->all & mask);
    r->value.unknown = (r->value.unknown & ~lanes) | (value->unknown & lanes);
    if (!is_same) {
        spread(m, r);
        for (uint32_t left = lanes; left; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            r->value.lanes[i] = ptx_value_lane(value, i) & mask;
        }
    }
    ptx_value_blend(&r->value, value);
    r->value.group = group;
}

static inline void set(Machine *m, Register *r, const Value *value, uint64_t mask, uint32_t lanes,
                       uint32_t live)
{
    if (!r->is_written || (lanes & live) == live)
        set_whole(m, r, value, mask);
    else
        set_some(m, r, value, mask, lanes, live);
}

void ptx_machine_set(Machine *m, Register *r, const Value *value, unsigned bits, uint32_t lanes,
                     uint32_t live)
{
    set(m, r, value, ptx_truncated(UINT64_MAX, bits), lanes, live);
}

SimResult ptx_machine_result(const FuncState *func_state, const Operand *operand)
{
    const uint32_t place = operand->kind == OPERAND_REG ? func_state->slice.places[operand->id] : 0;
    if (!place)
        return (SimResult){ .place = 0 };
    const Reg *reg = &func_state->func->regs[operand->id];
    return (SimResult){ .place = place & INT32_MAX,
                        .is_fresh = operand->role & ROLE_DEF
                                    && place >= func_state->slice.first_shared,
                        .reg = operand->id & INT32_MAX,
                        .mask = ptx_truncated(UINT64_MAX, ptx_type_info[reg->type].bits),
                        .is_part = operand->flags & OPERAND_COMPONENT || reg->vector > 1 };
}

/* A number made of data that is the same in all lanes is one number for all who read it. */
static inline void name_addend(Machine *m, Value *made)
{
    if (made->addend == ADDEND_OTHER && made->is_data && made->is_common && !made->align)
        made->addend = m->next_addend++;
}

void ptx_machine_put(Machine *m, Warp *w, const SimResult *result, const Value *value,
                     uint32_t lanes, uint8_t doubt)
{
    Value made;
    if (!result->place)
        return;
    Register *r = ptx_frame_place(m, w->frame, result->place);
    const uint32_t region = w->entries[w->entry_count - 1].region, before = r->region;
    note_written(m, w, result->reg, r);
    if (region)
        note_step(r, value, lanes, before != region);
    if (result->is_part) {
        ptx_value_copy(&made, value);
        made.unknown = UINT32_MAX;
        made.group = 0;
        value = &made;
    }
    set(m, r, value, result->mask, lanes, w->live);
    name_addend(m, &r->value);
    r->value.is_assumed |= doubt == UNCERTAIN_PARAMETER;
}

void ptx_machine_write(Machine *m, Warp *w, const Operand *operand, const Value *value,
                       uint32_t lanes, uint8_t doubt)
{
    const SimResult result = ptx_machine_result(w->frame->func_state, operand);
    ptx_machine_put(m, w, &result, value, lanes, doubt);
}

static RegId carry_of(const Warp *w)
{
    return w->frame->func_state->func->reg_count;
}

const Register *ptx_machine_carry(const Warp *w)
{
    return ptx_frame_register(w->frame, carry_of(w));
}

void ptx_machine_write_carry(Machine *m, Warp *w, const Value *value, uint32_t lanes, uint8_t doubt)
{
    const RegId carry = carry_of(w);
    Register *r = ptx_frame_place(m, w->frame, w->frame->func_state->slice.places[carry]);
    Value made = *value;
    made.is_assumed |= doubt == UNCERTAIN_PARAMETER;
    note_written(m, w, carry, r);
    ptx_machine_set(m, r, &made, 1, lanes, w->live);
}

/* ---- operands -------------------------------------------------------------------------------- */

static Value linear(Scratch *s, uint64_t first, uint64_t step)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        s->lanes[i] = first + step * i;
    return (Value){ .lanes = s->lanes, .align = ALIGN_EXACT, .is_common = true };
}

static Value of_lanes(Scratch *s, const uint64_t numbers[WARP_LANES])
{
    memcpy(s->lanes, numbers, sizeof s->lanes);
    return (Value){ .lanes = s->lanes, .align = ALIGN_EXACT, .is_common = true };
}

static uint32_t lane_mask(SregId id, unsigned lane)
{
    const uint32_t own = UINT32_C(1) << lane, below = own - 1;
    switch (id) {
    case SREG_LANEMASK_EQ: return own;
    case SREG_LANEMASK_LT: return below;
    case SREG_LANEMASK_LE: return below | own;
    case SREG_LANEMASK_GT: return ~(below | own);
    default:               return ~below;
    }
}

static Value lane_masks(Scratch *s, SregId id)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        s->lanes[i] = lane_mask(id, i);
    return (Value){ .lanes = s->lanes, .align = ALIGN_EXACT, .is_common = true };
}

static Value assumed(uint64_t number, bool is_assumed)
{
    Value value = ptx_value_const(number);
    value.is_assumed = is_assumed;
    return value;
}

/* A size of the grid: as unknown a factor as a parameter is, and a stride that rests on it is not
 * known either. */
static Value grid_size(Machine *m, unsigned d, uint32_t blocks)
{
    m->sizes_read |= d < 3 ? (uint8_t)(1u << d) : 0;
    Value value = assumed(d < 3 ? m->grid[d] / blocks : 0, m->grid_is_assumed);
    if (m->grid_is_assumed)
        value.rows_by = UINT32_C(1) << (SCALE_GRID + (d < 3 ? d : 0));
    return value;
}

static uint32_t cluster_dim(const Machine *m, unsigned d)
{
    return m->launch->cluster[d] ? m->launch->cluster[d] : 1;
}

/* Along a dimension; of blocks so far apart that each is at the same place of its cluster, so many
 * clusters. */
static Value block_index(Machine *m, unsigned d, uint32_t cluster, bool is_in_cluster)
{
    if (d > 2)
        return assumed(0, m->grid_is_assumed);
    m->shape_is_read = true;
    Value own = assumed(m->blocks.first[d], m->grid_is_assumed), divisor = ptx_value_const(cluster);
    ptx_blocks_index(&m->blocks, &own, d, m->blocks.step[d]);
    if (cluster <= 1 && !is_in_cluster)
        return own;
    Value out = assumed(is_in_cluster ? own.all % cluster : own.all / cluster, m->grid_is_assumed);
    const Lanewise divide = { .transfer = is_in_cluster ? TRANSFER_REM : TRANSFER_DIV,
                              .bits = 32,
                              .type = TYPE_U32 };
    ptx_block_stride_follow(&m->blocks, &divide, &out, (const Value *[]){ &own, &divisor }, 2,
                            UINT32_MAX);
    return out;
}

/* Row-major order of blocks in a cluster, as of threads in a block. */
static Value cluster_rank(Machine *m)
{
    Value rank = assumed(0, m->grid_is_assumed);
    for (unsigned d = 3; d-- > 0;) {
        Value index = block_index(m, d, cluster_dim(m, d), true);
        ptx_blocks_pin(&m->blocks, &index);
        rank.all = rank.all * cluster_dim(m, d) + index.all;
    }
    return rank;
}

/* Of warps that lie as far apart as Machine.spacing says, or times as far. */
static Value thread_index(const Machine *m, const Warp *w, unsigned d)
{
    Value own = w->tid[d];
    uint32_t times = m->spacing ? m->blocks.step[GROWTH_WARP] / m->spacing : 1;
    ptx_blocks_index(&m->blocks, &own, GROWTH_WARP, (int64_t)m->tid_by[d] * times);
    return own;
}

static Value warp_index(Machine *m, const Warp *w)
{
    Value own = assumed(w->index, true);
    m->warpid_is_assumed = true;                /* PTX ISA: volatile, to be computed from %tid */
    ptx_blocks_index(&m->blocks, &own, GROWTH_WARP, m->blocks.step[GROWTH_WARP]);
    return own;
}

static Value special(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    const int64_t component = ptx_operand_value(operand);
    unsigned d = component < 0 || component > 2 ? 3 : (unsigned)component;
    uint32_t cluster = cluster_dim(m, 0) * cluster_dim(m, 1) * cluster_dim(m, 2);
    switch ((SregId)operand->id) {
    case SREG_TID:              return d < 3 ? thread_index(m, w, d) : ptx_value_const(0);
    case SREG_NTID:             return assumed(d < 3 ? m->block[d] : 0, m->block_is_assumed);
    case SREG_CTAID:
        return m->ctaids && d < 3 ? of_lanes(s, m->ctaids[d]) : block_index(m, d, 1, false);
    case SREG_NCTAID:           m->shape_is_read = true; return grid_size(m, d, 1);
    case SREG_LANEID:           return linear(s, 0, 1);
    case SREG_WARPID:           return warp_index(m, w);
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_GT:
    case SREG_LANEMASK_GE:
        return lane_masks(s, (SregId)operand->id);
    case SREG_CLUSTER_CTAID:    return block_index(m, d, d < 3 ? cluster_dim(m, d) : 1, true);
    case SREG_CLUSTER_NCTAID:   return ptx_value_const(d < 3 ? cluster_dim(m, d) : 0);
    case SREG_CLUSTERID:        return block_index(m, d, d < 3 ? cluster_dim(m, d) : 1, false);
    case SREG_NCLUSTERID:       return grid_size(m, d, d < 3 ? cluster_dim(m, d) : 1);
    case SREG_CLUSTER_CTARANK:  return cluster_rank(m);
    case SREG_CLUSTER_NCTARANK: return ptx_value_const(cluster);
    case SREG_DYNAMIC_SMEM_SIZE:
        m->dynamic_is_assumed |= m->launch->dynamic_shared_bytes < 0;
        return assumed(
            (uint64_t)(m->launch->dynamic_shared_bytes > 0 ? m->launch->dynamic_shared_bytes : 0),
            m->launch->dynamic_shared_bytes < 0);
    case SREG_IS_EXPLICIT_CLUSTER: return ptx_value_const(cluster > 1);
    default:                    return ptx_machine_unknown(m, true);
    }
}

static Value address_of(Machine *m, VarId id)
{
    const Var *var = &m->module->vars[id];
    Value value = ptx_value_const(ptx_memory_address(m, id));
    if (var->space == SPACE_GLOBAL || var->space == SPACE_NONE) {
        value.addend = 1 + id;
        /* the loader's word, as for memory that is allocated */
        value.align = ALIGN_POINTER;
    }
    return value;
}

static void negate_predicate(Scratch *s, const Value *from)
{
    s->value = *from;
    if (!from->lanes) {
        s->value.all = !from->all;
        return;
    }
    for (unsigned i = 0; i < WARP_LANES; i++)
        s->lanes[i] = !from->lanes[i];
    s->value.lanes = s->lanes;
}

static void negate_number(Scratch *s, const Value *from)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        s->lanes[i] = 0 - ptx_value_lane(from, i);
    s->value = *from;
    s->value.lanes = s->lanes;
    for (unsigned d = 0; d < GROWTH_DIMS; d++)
        s->value.by[d] = (int64_t)(0 - (uint64_t)from->by[d]);
    if (from->align != ALIGN_EXACT)
        s->value.addend = ADDEND_OTHER;
}

const Value *ptx_machine_make(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG: {
        const Register *r = ptx_frame_register(w->frame, operand->id);
        if (operand->flags & (OPERAND_COMPONENT) || !ptx_register_is_written(r)) {
            s->value = ptx_machine_unknown(m, false);
            return &s->value;
        }
        if (operand->flags & OPERAND_NEGATED)
            negate_predicate(s, &r->value);
        else if (operand->flags & OPERAND_MINUS)
            negate_number(s, &r->value);
        else
            return &r->value;
        return &s->value;
    }
    case OPERAND_INT: case OPERAND_F32: case OPERAND_F64:
        s->value = ptx_value_const((uint64_t)ptx_operand_value(operand));
        return &s->value;
    case OPERAND_SREG:
        s->value = special(m, w, operand, s);
        return &s->value;
    case OPERAND_VAR:
        s->value = address_of(m, operand->id);
        s->value.all += (uint64_t)ptx_operand_value(operand);
        return &s->value;
    default:
        s->value = ptx_machine_unknown(m, false);
        return &s->value;
    }
}

/* A decimal constant is a double; instructions on single floats take it as such. */
void ptx_machine_narrow(const Operand *operand, Type type, Scratch *s)
{
    double wide;
    float narrow;
    uint32_t bits;
    if (operand->kind != OPERAND_F64 || type != TYPE_F32)
        return;
    uint64_t number = (uint64_t)ptx_operand_value(operand);
    memcpy(&wide, &number, sizeof wide);
    narrow = (float)wide;
    memcpy(&bits, &narrow, sizeof bits);
    s->value.all = bits;
}
