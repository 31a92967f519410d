#include "warp/machine.h"

enum {
    DOUBTFUL_STAYS = 4,         /* iterations of a loop that lanes stay in when nobody knows whether they do */
    ASSUMED_STAYS = 64,         /* and when that rests on an assumption */
    MOST_FRAMES = 64,           /* calls inside each other */
    MOST_ENTRIES = 4096,
};

static void *grown(Arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
    uint32_t wanted = *capacity ? 2 * *capacity : 16;
    char *copy = ptx_arena_alloc_array(arena, wanted, size);
    if (count)
        memcpy(copy, items, count * size);
    *capacity = wanted;
    return copy;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* What is loaded, or follows from what nobody knows. One number for all lanes: some addend. */
Value ptx_machine_unknown(Machine *m, bool is_uniform)
{
    if (!is_uniform)
        return (Value){ .unknown = UINT32_MAX, .align = ALIGN_EXACT, .is_common = true };
    return (Value){ .addend = m->next_addend++, .align = 0, .is_common = true, .is_data = true };
}

static void note_written(Machine *m, Warp *w, RegId reg, Register *r)
{
    const Entry *top = &w->entries[w->entry_count - 1];
    if (!top->region || r->region == top->region)
        return;
    r->region = top->region;
    if (w->log_count == w->log_capacity)
        w->log = grown(m->arena, w->log, w->log_count, &w->log_capacity, sizeof *w->log);
    w->log[w->log_count++] = (Written){ w->frame, reg };
}

static uint64_t truncated(uint64_t number, unsigned bits)
{
    return bits >= 64 || !bits ? number : number & ((UINT64_C(1) << bits) - 1);
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

static void set_whole(Machine *m, Register *r, const Value *value, unsigned bits)
{
    r->value = *value;
    r->is_written = true;
    if (!value->lanes) {
        r->value.all = truncated(value->all, bits);
        return;
    }
    uint64_t *lanes = slab_of(m, r);
    bool is_same = true;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        lanes[i] = truncated(value->lanes[i], bits);
        is_same &= lanes[i] == lanes[0];
    }
    r->value.lanes = is_same && !value->unknown ? NULL : lanes;
    r->value.all = lanes[0];
}

static void set_some(Machine *m, Register *r, const Value *value, unsigned bits, uint32_t lanes)
{
    bool is_same = !r->value.lanes && !value->lanes && r->value.all == truncated(value->all, bits);
    r->value.unknown = (r->value.unknown & ~lanes) | (value->unknown & lanes);
    if (!is_same) {
        spread(m, r);
        for (unsigned i = 0; i < WARP_LANES; i++)
            if (lanes >> i & 1)
                r->value.lanes[i] = truncated(ptx_value_lane(value, i), bits);
    }
    ptx_value_blend(&r->value, value);
}

static void set_register(Machine *m, Register *r, const Value *value, unsigned bits, uint32_t lanes, uint32_t live)
{
    if (!r->is_written || (lanes & live) == live)
        set_whole(m, r, value, bits);
    else
        set_some(m, r, value, bits, lanes);
}

void ptx_machine_write(Machine *m, Warp *w, const Operand *operand, const Value *value, uint32_t lanes, uint8_t doubt)
{
    if (operand->kind != OPERAND_REG)
        return;
    const Reg *reg = &w->frame->routine->func->regs[operand->id];
    Register *r = &w->frame->regs[operand->id];
    Value made = *value;
    if (operand->flags & OPERAND_COMPONENT || reg->vector > 1)
        made.unknown = UINT32_MAX;
    if (doubt == DOUBT_PARAMETER)
        made.is_assumed = true;
    note_written(m, w, operand->id, r);
    set_register(m, r, &made, ptx_type_info[reg->type].bits, lanes, w->live);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static Value linear(Scratch *s, uint64_t first, uint64_t step)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        s->lanes[i] = first + step * i;
    return (Value){ .lanes = s->lanes, .align = ALIGN_EXACT, .is_common = true };
}

static Value lane_masks(Scratch *s, SregId id)
{
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint32_t own = UINT32_C(1) << i, below = own - 1;
        s->lanes[i] = id == SREG_LANEMASK_EQ ? own : id == SREG_LANEMASK_LT ? below : id == SREG_LANEMASK_LE ? below | own
                    : id == SREG_LANEMASK_GT ? ~(below | own) : ~below;
    }
    return (Value){ .lanes = s->lanes, .align = ALIGN_EXACT, .is_common = true };
}

static Value assumed(uint64_t number, bool is_assumed)
{
    Value value = ptx_value_const(number);
    value.is_assumed = is_assumed;
    return value;
}

static uint32_t cluster_dim(const Machine *m, unsigned d)
{
    return m->launch->cluster[d] ? m->launch->cluster[d] : 1;
}

/* Row-major order of blocks in a cluster, as of threads in a block. */
static uint32_t cluster_rank(const Machine *m)
{
    uint32_t rank = 0;
    for (unsigned d = 3; d-- > 0;)
        rank = rank * cluster_dim(m, d) + m->ctaid[d] % cluster_dim(m, d);
    return rank;
}

static Value special(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    unsigned d = operand->value < 0 || operand->value > 2 ? 3 : (unsigned)operand->value;
    uint32_t cluster = cluster_dim(m, 0) * cluster_dim(m, 1) * cluster_dim(m, 2);
    switch ((SregId)operand->id) {
    case SREG_TID:              return d < 3 ? w->tid[d] : ptx_value_const(0);
    case SREG_NTID:             return assumed(d < 3 ? m->block[d] : 0, m->block_is_assumed);
    case SREG_CTAID:            return assumed(d < 3 ? m->ctaid[d] : 0, m->grid_is_assumed);
    case SREG_NCTAID:           return assumed(d < 3 ? m->grid[d] : 0, m->grid_is_assumed);
    case SREG_LANEID:           return linear(s, 0, 1);
    case SREG_WARPID:           return ptx_value_const(w->index);
    case SREG_LANEMASK_EQ: case SREG_LANEMASK_LT: case SREG_LANEMASK_LE: case SREG_LANEMASK_GT: case SREG_LANEMASK_GE:
        return lane_masks(s, (SregId)operand->id);
    case SREG_CLUSTER_CTAID:    return assumed(d < 3 ? m->ctaid[d] % cluster_dim(m, d) : 0, m->grid_is_assumed);
    case SREG_CLUSTER_NCTAID:   return ptx_value_const(d < 3 ? cluster_dim(m, d) : 0);
    case SREG_CLUSTERID:        return assumed(d < 3 ? m->ctaid[d] / cluster_dim(m, d) : 0, m->grid_is_assumed);
    case SREG_NCLUSTERID:       return assumed(d < 3 ? m->grid[d] / cluster_dim(m, d) : 0, m->grid_is_assumed);
    case SREG_CLUSTER_CTARANK:  return assumed(cluster_rank(m), m->grid_is_assumed);
    case SREG_CLUSTER_NCTARANK: return ptx_value_const(cluster);
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
        value.align = ALIGN_POINTER;            /* the loader's word, as for memory that is allocated */
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
    if (from->align != ALIGN_EXACT)
        s->value.addend = ADDEND_OTHER;
}

const Value *ptx_machine_read(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG: {
        const Register *r = &w->frame->regs[operand->id];
        if (operand->flags & (OPERAND_COMPONENT) || !r->is_written) {
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
        s->value = ptx_value_const((uint64_t)operand->value);
        return &s->value;
    case OPERAND_SREG:
        s->value = special(m, w, operand, s);
        return &s->value;
    case OPERAND_VAR:
        s->value = address_of(m, operand->id);
        s->value.all += (uint64_t)operand->value;
        return &s->value;
    default:
        s->value = ptx_machine_unknown(m, false);
        return &s->value;
    }
}

/* A decimal constant is a double; instructions on single floats take it as such. */
static void narrow_constant(const Operand *operand, Type type, Scratch *s)
{
    double wide;
    float narrow;
    uint32_t bits;
    if (operand->kind != OPERAND_F64 || type != TYPE_F32)
        return;
    uint64_t number = (uint64_t)operand->value;
    memcpy(&wide, &number, sizeof wide);
    narrow = (float)wide;
    memcpy(&bits, &narrow, sizeof bits);
    s->value.all = bits;
}

/* ---- operations on numbers --------------------------------------------------------------------------------------- */

enum { MOST_ARGS = 4 };

static void compute(const Decoded *code, Scratch *out, const Value *const *args, unsigned count, uint32_t lanes)
{
    const Lanewise *op = &code->lanewise;
    uint64_t x[MOST_ARGS] = { 0 };
    bool is_uniform = true;
    for (unsigned a = 0; a < count; a++) {
        is_uniform &= !args[a]->lanes;
        x[a] = args[a]->all;
    }
    if (code->action == ACTION_CHOOSE)
        ptx_value_choose(&out->value, args[0], args[1], args[2], lanes);
    else
        ptx_value_follow(op, &out->value, args, count, lanes);
    if (is_uniform) {
        out->value.all = op->fn(op, x[0], x[1], x[2], x[3]);
        return;
    }
    out->value.lanes = out->lanes;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        for (unsigned a = 0; a < count; a++)
            x[a] = args[a]->lanes ? args[a]->lanes[i] : args[a]->all;
        out->lanes[i] = op->fn(op, x[0], x[1], x[2], x[3]);
    }
}

/* q of setp p|q is what the comparison would give if it had come out the other way. */
static void write_complement(Machine *m, Warp *w, const Decoded *code, const Operand *q, const Value *const *args, unsigned count, uint32_t lanes,
                             uint8_t doubt)
{
    static const uint8_t complements[] = {
        [COMPARE_EQ] = COMPARE_NE, [COMPARE_NE] = COMPARE_EQ, [COMPARE_LT] = COMPARE_GE, [COMPARE_LE] = COMPARE_GT, [COMPARE_GT] = COMPARE_LE,
        [COMPARE_GE] = COMPARE_LT, [COMPARE_LO] = COMPARE_HS, [COMPARE_LS] = COMPARE_HI, [COMPARE_HI] = COMPARE_LS, [COMPARE_HS] = COMPARE_LO,
        [COMPARE_EQU] = COMPARE_NE, [COMPARE_NEU] = COMPARE_EQ, [COMPARE_LTU] = COMPARE_GE, [COMPARE_LEU] = COMPARE_GT,
        [COMPARE_GTU] = COMPARE_LE, [COMPARE_GEU] = COMPARE_LT, [COMPARE_NUM] = COMPARE_NAN, [COMPARE_NAN] = COMPARE_NUM,
    };
    Decoded other = *code;
    Scratch out;
    other.lanewise.compare = complements[code->lanewise.compare];
    compute(&other, &out, args, count, lanes);
    ptx_machine_write(m, w, q, &out.value, lanes, doubt);
}

static void run_lanewise(Machine *m, Warp *w, const Insn *insn, const Decoded *code, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn), *pair = NULL;
    const Value *args[MOST_ARGS];
    Scratch room[MOST_ARGS], out;
    unsigned count = 0;
    for (unsigned o = 1; o < insn->operand_count && count < MOST_ARGS; o++) {
        if (operands[o].flags & OPERAND_RIGHT && operands[o].position == 0) {
            pair = &operands[o];
            continue;
        }
        args[count] = ptx_machine_read(m, w, &operands[o], &room[count]);
        narrow_constant(&operands[o], (Type)code->lanewise.type, &room[count]);
        count++;
    }
    if (!insn->operand_count || !count)
        return;
    compute(code, &out, args, count, lanes);
    if (pair && code->lanewise.transfer == TRANSFER_COMPARE)
        write_complement(m, w, code, pair, args, count, lanes, doubt);
    else if (pair)
        ptx_machine_write(m, w, pair, &(Value){ .unknown = UINT32_MAX, .align = ALIGN_EXACT }, lanes, doubt);
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
}

static unsigned bits_of(const Warp *w, const Operand *operand)
{
    return operand->kind == OPERAND_REG ? ptx_type_info[w->frame->routine->func->regs[operand->id].type].bits : 32;
}

/* {a, b} = x: the parts of a number, the lowest first. Of an addend only the lowest part is known. */
static void unpack(Machine *m, Warp *w, const Operand *to, unsigned count, const Value *from, uint32_t lanes, uint8_t doubt)
{
    unsigned shift = 0;
    for (unsigned part = 0; part < count; part++) {
        Scratch out;
        out.value = *from;
        if (from->lanes) {
            out.value.lanes = out.lanes;
            for (unsigned i = 0; i < WARP_LANES; i++)
                out.lanes[i] = from->lanes[i] >> (shift & 63);
        } else {
            out.value.all = from->all >> (shift & 63);
        }
        if (part && from->align != ALIGN_EXACT) {
            if (from->is_data)
                out.value = ptx_machine_unknown(m, !from->lanes && from->is_common);
            else
                out.value.align = ALIGN_EXACT, out.value.addend = ADDEND_NONE, out.value.is_assumed = true;
        }
        shift += bits_of(w, &to[part]);
        ptx_machine_write(m, w, &to[part], &out.value, lanes, doubt);
    }
}

static void pack(Machine *m, Warp *w, const Operand *to, const Operand *from, unsigned count, uint32_t lanes, uint8_t doubt)
{
    Scratch out, room;
    unsigned shift = 0;
    out.value = (Value){ .lanes = out.lanes, .align = ALIGN_EXACT, .is_common = true };
    memset(out.lanes, 0, sizeof out.lanes);
    for (unsigned part = 0; part < count; part++) {
        const Value *value = ptx_machine_read(m, w, &from[part], &room);
        unsigned bits = bits_of(w, &from[part]);
        for (unsigned i = 0; i < WARP_LANES; i++)
            out.lanes[i] |= truncated(ptx_value_lane(value, i), bits) << (shift & 63);
        out.value.unknown |= value->unknown;
        out.value.is_assumed |= value->is_assumed;
        if (value->align != ALIGN_EXACT && part == 0) {
            out.value.align = value->align;
            out.value.addend = ADDEND_OTHER;
            out.value.is_common = value->is_common;
            out.value.is_data = value->is_data;
        } else if (value->align != ALIGN_EXACT && out.value.align == ALIGN_EXACT) {
            out.value.align = (uint8_t)(value->align + shift < ALIGN_EXACT ? value->align + shift : ALIGN_EXACT - 1);
            out.value.addend = ADDEND_OTHER;
            out.value.is_common = value->is_common;
            out.value.is_data = value->is_data;
        }
        shift += bits;
    }
    ptx_machine_write(m, w, to, &out.value, lanes, doubt);
}

static void run_move(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    unsigned to = 0, from = 0;
    Scratch room;
    while (to < insn->operand_count && operands[to].position == 0)
        to++;
    from = insn->operand_count - to;
    if (to > 1 && from == 1) {
        unpack(m, w, operands, to, ptx_machine_read(m, w, &operands[to], &room), lanes, doubt);
    } else if (to == 1 && from > 1) {
        pack(m, w, operands, operands + to, from, lanes, doubt);
    } else {
        for (unsigned i = 0; i < to && i < from; i++) {
            const Value *value = ptx_machine_read(m, w, &operands[to + i], &room);
            narrow_constant(&operands[to + i], (Type)insn->op->type, &room);
            ptx_machine_write(m, w, &operands[i], value, lanes, doubt);
        }
    }
}

static uint64_t window_of_space(uint8_t space)
{
    switch ((Space)space) {
    case SPACE_SHARED: case SPACE_SHARED_CTA: case SPACE_SHARED_CLUSTER: return WINDOW_SHARED;
    case SPACE_LOCAL: return WINDOW_LOCAL;
    case SPACE_CONST: return WINDOW_CONST;
    case SPACE_PARAM: case SPACE_PARAM_ENTRY: return WINDOW_PARAM;
    default: return 0;
    }
}

static uint8_t written_space(const Op *op)
{
    for (unsigned i = 0; i < op->modifier_count; i++) {
        if (op->modifiers[i] < 0)
            continue;
        const char *text = ptx_modifier_texts[op->modifiers[i]];
        Space space = ptx_space_find(text, strlen(text));
        if (space)
            return (uint8_t)space;
    }
    return SPACE_NONE;
}

/* Generic addresses of a window are those of the space plus where the window begins. */
static void run_convert_address(Machine *m, Warp *w, const Insn *insn, bool is_to_space, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    Scratch room, out;
    if (insn->operand_count < 2)
        return;
    const Value *from = ptx_machine_read(m, w, &operands[1], &room);
    uint64_t window = window_of_space(written_space(insn->op));
    uint64_t change = is_to_space ? 0 - window : window;
    out.value = *from;
    if (from->lanes) {
        out.value.lanes = out.lanes;
        for (unsigned i = 0; i < WARP_LANES; i++)
            out.lanes[i] = from->lanes[i] + change;
    } else {
        out.value.all = from->all + change;
    }
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
}

static void run_unknown(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    bool is_uniform = insn->operand_count != 0 && insn->op->opcode && !(insn->op->flags & OPF_WARP) && insn->op->flags & OPF_SIDE_EFFECT
                      && !insn->op->space;
    if (insn->op->flags & OPF_SIDE_EFFECT && insn->op->kind != OPK_BAR)
        memset(m->shared_known, 0, m->shared_size / 8 + 1);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_DEF) {
            Value value = ptx_machine_unknown(m, is_uniform);
            ptx_machine_write(m, w, &operands[o], &value, lanes, doubt);
        }
}

/* ---- across lanes ------------------------------------------------------------------------------------------------ */

/* PTX ISA, "shfl.sync": c holds a clamp and a mask of segments. */
static unsigned shuffle_source(uint8_t mode, unsigned lane, uint64_t b, uint64_t c, bool *is_valid)
{
    unsigned segment = c >> 8 & 31, clamp = c & 31, by = b & 31;
    unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int source;
    switch (mode) {
    case 'u': source = (int)lane - (int)by; *is_valid = source >= (int)most; break;
    case 'd': source = (int)(lane + by); *is_valid = source <= (int)most; break;
    case 'x': source = (int)(lane ^ by); *is_valid = source <= (int)most; break;
    default: source = (int)(least | (by & ~segment)); *is_valid = source <= (int)most; break;
    }
    return *is_valid ? (unsigned)source & 31 : lane;
}

static void run_shuffle(Machine *m, Warp *w, const Insn *insn, const Decoded *code, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn), *pair = NULL, *sources[3] = { NULL, NULL, NULL };
    unsigned count = 0;
    for (unsigned o = 1; o < insn->operand_count; o++) {
        if (operands[o].flags & OPERAND_RIGHT)
            pair = &operands[o];
        else if (count < 3)
            sources[count++] = &operands[o];
    }
    if (count < 3)
        return;
    Scratch rooms[3], out, valid;
    const Value *a = ptx_machine_read(m, w, sources[0], &rooms[0]), *b = ptx_machine_read(m, w, sources[1], &rooms[1]);
    const Value *c = ptx_machine_read(m, w, sources[2], &rooms[2]);
    out.value = *a;
    out.value.lanes = out.lanes;
    out.value.unknown = 0;
    out.value.is_assumed |= b->is_assumed || c->is_assumed;
    valid.value = (Value){ .lanes = valid.lanes, .align = ALIGN_EXACT, .is_common = true };
    bool is_known = b->align == ALIGN_EXACT && c->align == ALIGN_EXACT;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        bool is_valid;
        unsigned from = shuffle_source(code->mode, i, ptx_value_lane(b, i), ptx_value_lane(c, i), &is_valid);
        out.lanes[i] = ptx_value_lane(a, from);
        valid.lanes[i] = is_valid;
        bool is_off = !is_known || (b->unknown | c->unknown) >> i & 1 || a->unknown >> from & 1 || !(lanes >> from & 1);
        out.value.unknown |= (uint32_t)is_off << i;
    }
    if (!a->lanes && ptx_value_is_uniform(a))
        out.value = *a;
    if (a->unknown && !out.value.lanes)
        out.value.unknown = a->unknown;
    /* One lane's data for all is the same in all. */
    if (code->mode == 'i' && is_known && !b->lanes && !b->unknown && out.value.unknown == UINT32_MAX && (ptx_value_lane(c, 0) >> 8 & 31) == 0)
        out.value = ptx_machine_unknown(m, true);
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
    if (pair)
        ptx_machine_write(m, w, pair, &valid.value, lanes, doubt);
}

/* Lanes of `lanes` whose predicate holds, and those of which nobody knows. */
static uint32_t lanes_where(const Value *predicate, uint32_t lanes, uint32_t *unknown)
{
    uint32_t where = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        where |= (uint32_t)(ptx_value_lane(predicate, i) & 1) << i;
    *unknown = predicate->align != ALIGN_EXACT ? lanes : predicate->unknown & lanes;
    return where & lanes & ~*unknown;
}

static void run_vote(Machine *m, Warp *w, const Insn *insn, const Decoded *code, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    Scratch room;
    uint32_t unknown;
    if (insn->operand_count < 2)
        return;
    const Value *a = ptx_machine_read(m, w, &operands[1], &room);
    uint32_t where = lanes_where(a, lanes, &unknown);
    Value out = ptx_value_const(code->mode == 'b' ? where : code->mode == 'l' ? where == lanes : code->mode == 'n' ? !where || where == lanes : where != 0);
    bool is_decided = !unknown || (code->mode == 'n' + 0 ? false : code->mode == 'l' ? (where | unknown) != lanes : code->mode != 'b' && where);
    out.is_assumed = a->is_assumed;
    if (!is_decided)
        out = ptx_machine_unknown(m, true);
    ptx_machine_write(m, w, &operands[0], &out, lanes, doubt);
}

static void run_elect(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    unsigned leader = (unsigned)__builtin_ctz(lanes);
    Scratch out;
    out.value = (Value){ .lanes = out.lanes, .align = ALIGN_EXACT, .is_common = true };
    for (unsigned i = 0; i < WARP_LANES; i++)
        out.lanes[i] = i == leader;
    Value number = ptx_value_const(leader);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == 0)
            ptx_machine_write(m, w, &operands[o], operands[o].flags & OPERAND_RIGHT ? &out.value : &number, lanes, doubt);
}

static void write_number(Machine *m, Warp *w, const Insn *insn, uint64_t number, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = ptx_insn_operands(w->frame->routine->func, insn);
    Value value = ptx_value_const(number);
    if (insn->operand_count)
        ptx_machine_write(m, w, &operands[0], &value, lanes, doubt);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static Routine *routine_of(Machine *m, FuncId id)
{
    if (m->routines[id])
        return m->routines[id];
    const Func *func = &m->module->funcs[id];
    if (func->alias_of && !func->has_body)
        return routine_of(m, func->alias_of - 1);
    const Cfg *cfg = func->has_body ? ptx_cfg_build(m->arena, m->scratch, m->module, func) : NULL;
    if (!cfg)
        return NULL;
    Routine *routine = m->routines[id] = ptx_arena_new(m->arena, Routine);
    routine->id = id;
    routine->func = func;
    routine->cfg = cfg;
    routine->dom = ptx_dom_compute(m->arena, m->scratch, cfg);
    routine->loops = ptx_loops_compute(m->arena, m->scratch, cfg, routine->dom);
    routine->slice = ptx_slice_compute(m->arena, m->scratch, func, cfg);
    routine->counts = ptx_arena_array(m->arena, Count, func->insn_count);
    routine->traffic = ptx_arena_array(m->arena, Traffic *, 2 * (size_t)func->insn_count);
    return routine;
}

static void push_entry(Machine *m, Warp *w, Entry entry)
{
    if (w->entry_count == w->entry_capacity)
        w->entries = grown(m->arena, w->entries, w->entry_count, &w->entry_capacity, sizeof *w->entries);
    w->entries[w->entry_count++] = entry;
}

static Frame *enter(Machine *m, Warp *w, Routine *routine, const Insn *call, Entry from)
{
    Frame *frame = routine->spare;
    if (frame) {
        routine->spare = frame->next;
        for (RegId r = 0; r < routine->func->reg_count; r++) {
            frame->regs[r].is_written = false;
            frame->regs[r].region = 0;
        }
        memset(frame->stays, 0, routine->func->insn_count);
        frame->params.count = 0;
    } else {
        frame = ptx_arena_new(m->arena, Frame);
        frame->regs = ptx_arena_array(m->arena, Register, routine->func->reg_count + 1);
        frame->stays = ptx_arena_array(m->arena, uint8_t, routine->func->insn_count);
    }
    frame->routine = routine;
    frame->caller = w->frame;
    frame->call = call;
    frame->entry_floor = w->entry_count;
    w->frame = frame;
    push_entry(m, w, (Entry){ .frame = frame, .pc = 0, .join = NO_ID, .lanes = from.lanes, .region = from.region, .doubt = from.doubt });
    return frame;
}

static void leave(Warp *w)
{
    Frame *frame = w->frame;
    w->frame = frame->caller;
    /* A log may still name its registers: it is not used again before the region ends. */
    if (!w->log_count) {
        Routine *routine = frame->routine;
        frame->next = routine->spare;
        routine->spare = frame;
    }
}

static const Operand *call_operand(const Func *func, const Insn *insn, unsigned position, unsigned index)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == position && !index--)
            return &operands[o];
    return NULL;
}

/* What a function that is not there gives back. */
static void forget_results(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operand;
    for (unsigned i = 0; (operand = call_operand(w->frame->routine->func, insn, 0, i)); i++) {
        Value value = ptx_machine_unknown(m, false);
        ptx_machine_write(m, w, operand, &value, lanes, doubt);
        for (uint32_t s = 0; operand->kind == OPERAND_VAR && s < w->frame->params.count; s++)
            if (w->frame->params.items[s].address >> 32 == operand->id)
                w->frame->params.items[s].held.value.unknown = UINT32_MAX;
    }
}

/* .reg parameters; those in .param are read from the caller's frame by memory.c. */
static void pass_registers(Machine *m, Warp *w, Frame *from, const Insn *insn, uint32_t lanes)
{
    const Func *func = w->frame->routine->func;
    unsigned index = 0;
    for (RegId r = 0; r < func->reg_count && func->params; r++) {
        if (!func->regs[r].is_param)
            continue;
        const Operand *operand = call_operand(from->routine->func, insn, 2, index++);
        if (!operand)
            return;
        Scratch room;
        Frame *own = w->frame;
        w->frame = from;
        Value value = *ptx_machine_read(m, w, operand, &room);
        w->frame = own;
        set_register(m, &own->regs[r], &value, ptx_type_info[func->regs[r].type].bits, lanes, lanes);
    }
}

static bool run_call(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *callee = call_operand(w->frame->routine->func, insn, 1, 0);
    Routine *routine = callee && callee->kind == OPERAND_FUNCTION ? routine_of(m, callee->id) : NULL;
    unsigned depth = 0;
    for (const Frame *frame = w->frame; frame; frame = frame->caller)
        depth++;
    if (!routine || depth >= MOST_FRAMES) {
        forget_results(m, w, insn, lanes, doubt);
        return false;
    }
    Frame *from = w->frame;
    Entry entry = w->entries[w->entry_count - 1];
    entry.lanes = lanes;
    entry.doubt = doubt;
    enter(m, w, routine, insn, entry);
    pass_registers(m, w, from, insn, lanes);
    return true;
}

/* .reg results go back when the last lane has returned. */
static void return_registers(Machine *m, Warp *w, const Frame *frame, uint32_t lanes)
{
    const Func *func = frame->routine->func;
    unsigned index = 0;
    for (RegId r = 0; r < func->reg_count && frame->call; r++) {
        if (!func->regs[r].is_result)
            continue;
        const Operand *operand = call_operand(w->frame->routine->func, frame->call, 0, index++);
        if (operand && frame->regs[r].is_written)
            ptx_machine_write(m, w, operand, &frame->regs[r].value, lanes, DOUBT_NONE);
    }
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static InsnId meeting_point(const Routine *routine, InsnId branch)
{
    BlockId block = routine->dom->ipdom[routine->cfg->block_of[branch]];
    return block == EXIT_BLOCK ? NO_ID : routine->cfg->blocks[block].first;
}

/* What was written in a region is not known in the lanes that may not have been there. */
static void cloud(Machine *m, Warp *w, const Entry *entry, uint32_t lanes)
{
    for (uint32_t i = entry->log_first; i < w->log_count; i++) {
        Register *r = &w->log[i].frame->regs[w->log[i].reg];
        r->value.unknown |= lanes;
        (void)m;
    }
}

/* Parts the lanes: entry waits at the meeting point, and two more run up to it. */
static void part(Machine *m, Warp *w, InsnId target, InsnId next, uint32_t taken, uint32_t falling, uint32_t maybe, uint8_t doubt)
{
    Entry *top = &w->entries[w->entry_count - 1];
    InsnId join = meeting_point(w->frame->routine, top->pc);
    bool is_open = join == NO_ID;               /* they meet where what is around them does */
    if (is_open)
        join = top->join;
    Entry base = *top;
    base.join = join;
    base.maybe = 0;
    base.is_second = false;
    base.doubt = doubt > base.doubt ? doubt : base.doubt;
    bool is_new_region = maybe && !(top->region && top->join == join);
    if (join == top->join && !is_new_region && !top->maybe) {
        w->entry_count--;                       /* nothing is left to do for it there */
    } else {
        top->pc = join;
        if (join == NO_ID)
            top->lanes = 0;
        if (is_new_region) {
            top->maybe = maybe;
            top->log_first = w->log_count;
            base.region = ++m->next_region;
        }
    }
    if (maybe && !is_new_region)
        for (uint32_t e = w->entry_count; e-- > 0;)
            if (w->entries[e].maybe) {
                w->entries[e].maybe |= maybe;
                break;
            }
    if (falling) {
        base.pc = next;
        base.lanes = falling;
        base.is_second = maybe && taken;
        base.maybe = base.is_second ? maybe : 0;
        base.log_first = w->log_count;
        push_entry(m, w, base);
    }
    if (taken) {
        base.pc = target;
        base.lanes = taken;
        base.is_second = false;
        base.maybe = 0;
        push_entry(m, w, base);
    }
}

static bool loop_holds(const Routine *routine, LoopId loop, InsnId insn)
{
    if (insn >= routine->func->insn_count)
        return false;
    for (LoopId inner = routine->loops->loop_of[routine->cfg->block_of[insn]]; inner != NO_LOOP; inner = routine->loops->loops[inner].parent)
        if (inner == loop)
            return true;
    return false;
}

/* Of a branch that some lanes leave a loop by: 1 where staying is to take it, -1 where it is to fall through; 0: no such branch. */
static int staying_side(const Routine *routine, InsnId branch, InsnId target)
{
    for (LoopId loop = routine->loops->loop_of[routine->cfg->block_of[branch]]; loop != NO_LOOP; loop = routine->loops->loops[loop].parent) {
        bool taken = loop_holds(routine, loop, target), falls = loop_holds(routine, loop, branch + 1);
        if (taken != falls)
            return taken ? 1 : -1;
    }
    return 0;
}

static void run_branch(Machine *m, Warp *w, const Insn *insn, uint32_t taken, uint32_t maybe, bool is_assumed)
{
    Entry *top = &w->entries[w->entry_count - 1];
    const Routine *routine = w->frame->routine;
    const Operand *operand = ptx_insn_operands(routine->func, insn);
    InsnId next = top->pc + 1;
    InsnId target = insn->operand_count && operand->kind == OPERAND_TARGET ? routine->func->labels[operand->id].insn : NO_ID;
    if (target == NO_ID) {
        top->lanes = 0;
        return;
    }
    uint32_t lanes = top->lanes, falling = lanes & ~(taken | maybe), goes = taken | maybe, stays_on = falling | maybe;
    uint8_t doubt = maybe ? DOUBT_DATA : is_assumed ? DOUBT_PARAMETER : DOUBT_NONE;
    int side = maybe || is_assumed ? staying_side(routine, top->pc, target) : 0;
    if (side) {
        uint8_t *stays = &w->frame->stays[top->pc];
        bool leaves = ++*stays > (maybe ? DOUBTFUL_STAYS : ASSUMED_STAYS);
        if (leaves)
            *stays = 0;
        if (maybe || leaves) {
            uint32_t undecided = maybe ? maybe : lanes;
            bool take = (side > 0) != leaves;
            goes = take ? taken | undecided : taken & ~undecided;
            stays_on = take ? falling & ~undecided : falling | undecided;
        }
    }
    if (goes && stays_on)
        w->frame->routine->counts[top->pc].parted++;
    if (doubt <= top->doubt && !maybe && (!goes || !stays_on)) {
        top->pc = goes ? target : next;
        return;
    }
    if (maybe && top->region && (!goes || !stays_on)) {        /* already in a doubtful region: no more to be said */
        top->pc = goes ? target : next;
        return;
    }
    part(m, w, target, next, goes, stays_on, maybe, doubt);
}

/* brx.idx: lanes by target. */
static void run_indexed(Machine *m, Warp *w, const Insn *insn)
{
    Entry *top = &w->entries[w->entry_count - 1];
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    Scratch room;
    const Value *index = insn->operand_count ? ptx_machine_read(m, w, &operands[0], &room) : NULL;
    const Table *table = NULL;
    for (unsigned o = 1; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_TARGET && func->labels[operands[o].id].table != NO_ID)
            table = &func->tables[func->labels[operands[o].id].table];
    uint64_t first = index ? ptx_value_lane(index, (unsigned)__builtin_ctz(top->lanes)) : 0;
    bool is_known = index && ptx_value_is_exact(index, top->lanes);
    for (unsigned i = 0; i < WARP_LANES && is_known; i++)
        is_known = !(top->lanes >> i & 1) || ptx_value_lane(index, i) == first;
    if (!table || !table->count || first >= table->count) {
        top->lanes = 0;
        return;
    }
    if (!is_known)
        top->doubt = DOUBT_DATA;
    top->pc = func->labels[func->table_ids[table->first + first]].insn;
}

/* Lanes that are done with the function, or with the kernel. */
static void retire(Warp *w, uint32_t lanes, bool exits)
{
    uint32_t floor = exits ? 0 : w->frame->entry_floor;
    for (uint32_t e = floor; e < w->entry_count; e++)
        w->entries[e].lanes &= ~lanes;
    if (exits)
        w->live &= ~lanes;
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static void execute(Machine *m, Warp *w, const Insn *insn, const Decoded *code, uint32_t lanes, uint8_t doubt)
{
    switch ((Action)code->action) {
    case ACTION_LANEWISE: case ACTION_CHOOSE:   run_lanewise(m, w, insn, code, lanes, doubt); return;
    case ACTION_MOVE:                           run_move(m, w, insn, lanes, doubt); return;
    case ACTION_TO_SPACE: case ACTION_TO_GENERIC:
        run_convert_address(m, w, insn, code->action == ACTION_TO_SPACE, lanes, doubt);
        return;
    case ACTION_LOAD:                           ptx_memory_load(m, w, insn, lanes, doubt); return;
    case ACTION_STORE: case ACTION_COPY:        ptx_memory_store(m, w, insn, lanes, doubt); return;
    case ACTION_SHUFFLE:                        run_shuffle(m, w, insn, code, lanes, doubt); return;
    case ACTION_VOTE:                           run_vote(m, w, insn, code, lanes, doubt); return;
    case ACTION_ELECT:                          run_elect(m, w, insn, lanes, doubt); return;
    case ACTION_ACTIVE_MASK:                    write_number(m, w, insn, lanes, lanes, doubt); return;
    case ACTION_TRUE:                           write_number(m, w, insn, 1, lanes, doubt); return;
    case ACTION_NOTHING:                        return;
    default:                                    run_unknown(m, w, insn, lanes, doubt); return;
    }
}

static void step(Machine *m, Warp *w)
{
    Entry *top = &w->entries[w->entry_count - 1];
    const Routine *routine = w->frame->routine;
    Count *count = &routine->counts[top->pc];
    if (routine->slice.plain[top->pc]) {
        count->warps++;
        count->lanes += __builtin_popcount(top->lanes);
        top->pc += routine->slice.plain[top->pc];
        return;
    }
    const Insn *insn = &routine->func->insns[top->pc];
    const Decoded *code = ptx_machine_code(m, insn->op);
    uint32_t lanes = top->lanes, maybe = 0;
    uint8_t doubt = top->doubt;
    bool is_assumed = false;
    if (insn->guard != NO_ID) {
        Scratch room;
        const Operand guard = { .kind = OPERAND_REG, .id = insn->guard, .flags = insn->guard_negated ? OPERAND_NEGATED : 0 };
        const Value *value = ptx_machine_read(m, w, &guard, &room);
        lanes = lanes_where(value, top->lanes, &maybe);
        is_assumed = value->is_assumed;
    }
    uint32_t active = lanes | maybe;
    count->warps++;
    count->lanes += __builtin_popcount(active);
    if (code->action == ACTION_BRANCH) {
        run_branch(m, w, insn, lanes, maybe, is_assumed);
        return;
    }
    if (maybe)
        doubt = DOUBT_DATA;
    else if (is_assumed && doubt < DOUBT_PARAMETER)
        doubt = DOUBT_PARAMETER;
    if (!active) {
        top->pc++;
        return;
    }
    switch ((Action)code->action) {
    case ACTION_INDEXED:
        run_indexed(m, w, insn);
        return;
    case ACTION_RETURN: case ACTION_EXIT:
        top->pc++;
        retire(w, active, code->action == ACTION_EXIT || !w->frame->caller);
        return;
    case ACTION_CALL:
        top->pc++;
        run_call(m, w, insn, active, doubt);
        return;
    case ACTION_BARRIER:
        top->pc++;
        w->is_waiting = true;
        run_unknown(m, w, insn, active, doubt);
        return;
    default:
        break;
    }
    if (ptx_insn_is_access(insn))
        ptx_memory_count(m, w, insn, count, active, doubt);
    if (routine->slice.is_needed[top->pc] || insn->op->flags & OPF_SIDE_EFFECT)
        execute(m, w, insn, code, active, doubt);
    if (maybe) {                /* the lanes of which nobody knows whether they wrote */
        const Operand *operands = ptx_insn_operands(routine->func, insn);
        for (unsigned o = 0; o < insn->operand_count; o++)
            if (operands[o].role & ROLE_DEF && operands[o].kind == OPERAND_REG)
                w->frame->regs[operands[o].id].value.unknown |= maybe;
    }
    w->entries[w->entry_count - 1].pc++;
}

/* Entries that are at their end or empty go; false: the warp is done. */
static bool settle(Machine *m, Warp *w)
{
    while (w->entry_count) {
        Entry *top = &w->entries[w->entry_count - 1];
        if (top->frame != w->frame) {
            Frame *done = w->frame;
            leave(w);
            return_registers(m, w, done, top->lanes);
            continue;
        }
        if (top->maybe) {       /* the region ends, or its other side begins */
            cloud(m, w, top, top->maybe);
            if (!top->is_second)
                w->log_count = top->region ? w->log_count : top->log_first;
            top->maybe = 0;
            top->is_second = false;
        }
        if (top->lanes && top->pc != top->join && top->pc < w->frame->routine->func->insn_count)
            return true;
        if (top->lanes && top->pc >= w->frame->routine->func->insn_count)
            retire(w, top->lanes, !w->frame->caller);
        w->entry_count--;
    }
    return false;
}

static void run_warp(Machine *m, Warp *w)
{
    w->is_waiting = false;
    while (!w->is_waiting) {
        if (!settle(m, w)) {
            w->is_done = true;
            return;
        }
        if (m->steps >= m->most_steps || w->entry_count > MOST_ENTRIES) {
            m->is_cut = true;
            w->is_done = true;
            return;
        }
        m->steps++;
        step(m, w);
    }
}

/* ---- a block ----------------------------------------------------------------------------------------------------- */

static void set_tid(Machine *m, Warp *w)
{
    uint64_t threads = (uint64_t)m->block[0] * m->block[1] * m->block[2];
    uint64_t *lanes[3];
    for (unsigned d = 0; d < 3; d++)
        lanes[d] = ptx_arena_array(m->arena, uint64_t, WARP_LANES);
    w->live = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t thread = (uint64_t)w->index * WARP_LANES + i;
        lanes[0][i] = thread % m->block[0];
        lanes[1][i] = thread / m->block[0] % m->block[1];
        lanes[2][i] = thread / m->block[0] / m->block[1];
        w->live |= (uint32_t)(thread < threads) << i;
    }
    for (unsigned d = 0; d < 3; d++) {
        bool is_same = true;
        for (unsigned i = 1; i < WARP_LANES; i++)
            is_same &= lanes[d][i] == lanes[d][0] || !(w->live >> i & 1);
        w->tid[d] = (Value){ .lanes = is_same ? NULL : lanes[d], .all = lanes[d][0], .align = ALIGN_EXACT, .is_common = true,
                             .is_assumed = m->block_is_assumed && d > 0 };
    }
}

void ptx_machine_run(Machine *m, const uint32_t ctaid[3], uint32_t first_warp, uint32_t warp_count)
{
    memcpy(m->ctaid, ctaid, sizeof m->ctaid);
    memset(m->shared_known, 0, m->shared_size / 8 + 1);
    Routine *routine = routine_of(m, m->kernel);
    if (!routine)
        return;
    for (uint32_t i = 0; i < warp_count; i++) {
        Warp *w = &m->warps[first_warp + i];
        w->index = first_warp + i;
        if (!w->tid[0].align)
            set_tid(m, w);
        uint64_t threads = (uint64_t)m->block[0] * m->block[1] * m->block[2], from = (uint64_t)w->index * WARP_LANES;
        w->live = threads - from >= WARP_LANES ? UINT32_MAX : (UINT32_C(1) << (threads - from)) - 1;
        w->entry_count = w->log_count = w->local.count = 0;
        while (w->frame)
            leave(w);
        w->is_done = w->is_waiting = false;
        enter(m, w, routine, NULL, (Entry){ .lanes = w->live });
    }
    for (bool is_running = true; is_running;) {
        is_running = false;
        for (uint32_t i = 0; i < warp_count; i++) {
            Warp *w = &m->warps[first_warp + i];
            if (w->is_done)
                continue;
            run_warp(m, w);
            is_running = true;
        }
    }
}

void ptx_machine_reshape(Machine *m, const uint32_t block[3])
{
    memcpy(m->block, block, sizeof m->block);
    for (uint32_t i = 0; i < m->warp_count; i++)
        m->warps[i].tid[0].align = 0;           /* to be set again */
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

enum { ASSUMED_BLOCK = 256, ASSUMED_GRID = 4096 };

static void take_shape(Machine *m)
{
    const Bounds *bounds = &m->module->funcs[m->kernel].bounds;
    const uint32_t *block = m->launch->block[0] ? m->launch->block : bounds->reqntid[0] ? bounds->reqntid : bounds->maxntid;
    m->block_is_assumed = !m->launch->block[0] && !bounds->reqntid[0];
    m->grid_is_assumed = !m->launch->grid[0];
    for (unsigned d = 0; d < 3; d++) {
        m->block[d] = block[0] ? (block[d] ? block[d] : 1) : d ? 1 : ASSUMED_BLOCK;
        m->grid[d] = m->launch->grid[0] ? (m->launch->grid[d] ? m->launch->grid[d] : 1) : ASSUMED_GRID;
    }
}

Machine *ptx_machine_new(Arena *arena, Arena *scratch, const Module *module, FuncId kernel, const Launch *launch, const Gpu *gpu)
{
    Machine *m = ptx_arena_new(arena, Machine);
    m->arena = arena;
    m->scratch = scratch;
    m->module = module;
    m->kernel = kernel;
    m->launch = launch;
    m->gpu = gpu;
    m->routines = ptx_arena_array(arena, Routine *, module->func_count);
    m->codes = ptx_arena_array(arena, Decoded, module->op_count + 1);
    m->next_addend = module->var_count + 1;
    take_shape(m);
    uint64_t threads = (uint64_t)m->block[0] * m->block[1] * m->block[2];
    m->warp_count = (uint32_t)((threads + WARP_LANES - 1) / WARP_LANES);
    m->warps = ptx_arena_array(arena, Warp, m->warp_count);
    ptx_memory_lay_out(m);
    return m;
}
