/* Loads, stores, and what they cost. */
#include "warp/machine.h"

enum {
    GUESS_INTEGER = 4096,       /* for a scalar parameter that the launch does not give: a multiple of every tile, larger than a block */
    GUESS_FLOAT = 0x3f800000,
    MOST_SHARED = 1 << 20,      /* bytes; no GPU has as many */
    MOST_SLOTS = 4096,          /* places in local memory that are kept apart */
    GRANULE = 128,              /* an unknown addend of so many bytes changes no sector and no line */
    BANK_BYTES = 4,
};

static uint64_t align_up(uint64_t at, uint64_t align)
{
    return align ? (at + align - 1) / align * align : at;
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static bool is_shared(Space space)
{
    return space == SPACE_SHARED || space == SPACE_SHARED_CTA || space == SPACE_SHARED_CLUSTER;
}

static bool is_param(Space space)
{
    return space == SPACE_PARAM || space == SPACE_PARAM_ENTRY || space == SPACE_PARAM_FUNC;
}

/* Shared variables in the order of their declarations, those of unknown size behind them all. */
static void lay_out_shared(Machine *m)
{
    uint64_t at = 0;
    for (int is_unsized = 0; is_unsized < 2; is_unsized++) {
        for (VarId v = 0; v < m->module->var_count; v++) {
            const Var *var = &m->module->vars[v];
            if (!is_shared((Space)var->space) || (var->bytes == 0) != is_unsized)
                continue;
            m->addresses[v] = is_unsized ? align_up(at, 16) : align_up(at, var->align);
            if (!is_unsized && var->bytes < MOST_SHARED && at < MOST_SHARED)
                at = m->addresses[v] + var->bytes;
        }
    }
    int64_t dynamic = m->launch->dynamic_shared_bytes;
    at = align_up(at, 16) + (uint64_t)(dynamic > 0 ? dynamic : dynamic < 0 ? 49152 : 0);
    m->shared_size = (uint32_t)(at < MOST_SHARED ? at : MOST_SHARED);
    m->shared = ptx_arena_array(m->arena, uint8_t, m->shared_size + 16);
    m->shared_known = ptx_arena_array(m->arena, uint8_t, m->shared_size / 8 + 16);
}

static void take_pointer(Machine *m, uint64_t at, unsigned bytes, uint32_t index)
{
    uint64_t address = (uint64_t)(index + 1) << (bytes == 8 ? 40 : 24);
    m->param_addend[at] = m->next_addend++;
    for (unsigned b = 0; b < bytes; b++) {
        m->param_bytes[at + b] = (uint8_t)(address >> (8 * b));
        m->param_known[at + b] = 2;
    }
}

static void lay_out_params(Machine *m)
{
    const Func *func = &m->module->funcs[m->kernel];
    uint64_t at = 0;
    for (uint32_t p = 0; p < func->param_count; p++) {
        if (func->params[p] == NO_ID)
            continue;
        const Var *var = &m->module->vars[func->params[p]];
        at = align_up(at, var->align);
        m->addresses[func->params[p]] = at;
        at += var->bytes < MOST_SHARED ? var->bytes : 0;
    }
    m->param_size = (uint32_t)(at < MOST_SHARED ? at : MOST_SHARED);
    m->param_bytes = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    m->param_known = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    m->param_addend = ptx_arena_array(m->arena, AddendId, m->param_size + 16);
    for (uint32_t p = 0; p < func->param_count && p < m->launch->param_count; p++) {
        const LaunchParam *given = &m->launch->params[p];
        if (func->params[p] == NO_ID)
            continue;
        uint64_t offset = m->addresses[func->params[p]], bytes = m->module->vars[func->params[p]].bytes;
        if (given->is_pointer && bytes >= 4 && offset + bytes <= m->param_size) {
            take_pointer(m, offset, bytes >= 8 ? 8 : 4, p);
            continue;
        }
        for (uint32_t b = 0; given->bytes && b < given->length && b < bytes && offset + b < m->param_size; b++) {
            m->param_bytes[offset + b] = given->bytes[b];
            m->param_known[offset + b] = 1;
        }
    }
}

void ptx_memory_lay_out(Machine *m)
{
    m->addresses = ptx_arena_array(m->arena, uint64_t, m->module->var_count + 1);
    uint64_t global = UINT64_C(1) << 50, local = 0, constant = 0;
    for (VarId v = 0; v < m->module->var_count; v++) {
        const Var *var = &m->module->vars[v];
        uint64_t bytes = var->bytes < (UINT64_C(1) << 40) ? var->bytes : 0;
        uint64_t *at = var->space == SPACE_LOCAL ? &local : var->space == SPACE_CONST ? &constant : &global;
        if (is_param((Space)var->space)) {
            m->addresses[v] = (uint64_t)v << 32 | UINT64_C(1) << 59;    /* of a call: a place of its own */
            continue;
        }
        *at = align_up(*at, at == &global && var->align < 256 ? 256 : var->align);
        m->addresses[v] = *at;
        *at += bytes;
    }
    lay_out_shared(m);
    lay_out_params(m);
}

uint64_t ptx_memory_address(Machine *m, VarId var)
{
    return m->addresses[var];
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static const Operand *nth_address(const Func *func, const Insn *insn, unsigned n)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && !n--)
            return &operands[o];
    return NULL;
}

/* What an address operand names, its offset added. */
static void read_address(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    Scratch room;
    const Value *base = ptx_machine_read(m, w, operand, &room);
    uint64_t offset = operand->kind == OPERAND_REG ? (uint64_t)operand->value : 0;
    s->value = *base;
    s->value.all += offset;
    if (!base->lanes)
        return;
    for (unsigned i = 0; i < WARP_LANES; i++)
        s->lanes[i] = base->lanes[i] + offset;
    s->value.lanes = s->lanes;
}

/* Where the lanes' addresses lie: an address of a space is turned into what its generic window holds. */
static Space space_of(const Insn *insn, const Value *address, uint32_t lanes)
{
    Space space = (Space)insn->op->space;
    if (space != SPACE_GENERIC)
        return is_shared(space) ? SPACE_SHARED : is_param(space) ? SPACE_PARAM : space;
    switch (WINDOW_OF(ptx_value_lane(address, lanes ? (unsigned)__builtin_ctz(lanes) : 0))) {
    case WINDOW_SHARED: return SPACE_SHARED;
    case WINDOW_LOCAL:  return SPACE_LOCAL;
    case WINDOW_CONST:  return SPACE_CONST;
    case WINDOW_PARAM:  return SPACE_PARAM;
    default:            return SPACE_GLOBAL;
    }
}

static uint64_t without_window(uint64_t address)
{
    return address & ~(UINT64_C(7) << 60);
}

static bool is_one_place(const Value *address, uint32_t lanes)
{
    if (address->unknown & lanes || (address->align != ALIGN_EXACT && !address->is_common))
        return false;
    if (!address->lanes)
        return true;
    uint64_t first = address->lanes[__builtin_ctz(lanes)];
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && address->lanes[i] != first)
            return false;
    return true;
}

/* ---- places: local memory and parameters of calls ----------------------------------------------------------------- */

static Slot *find_slot(const Slots *slots, uint64_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->items[i].address == address && slots->items[i].bytes == bytes)
            return &slots->items[i];
    return NULL;
}

static Slot *make_slot(Machine *m, Slots *slots, uint64_t address, uint32_t bytes)
{
    Slot *slot = find_slot(slots, address, bytes);
    if (slot)
        return slot;
    /* Another width at the same bytes: what was there is gone. */
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->items[i].address < address + bytes && address < slots->items[i].address + slots->items[i].bytes)
            slots->items[i].held.value.unknown = UINT32_MAX;
    if (slots->count >= MOST_SLOTS)
        return NULL;
    if (slots->count == slots->capacity) {
        uint32_t wanted = slots->capacity ? 2 * slots->capacity : 8;
        Slot *copy = ptx_arena_array(m->arena, Slot, wanted);
        if (slots->count)
            memcpy(copy, slots->items, slots->count * sizeof *copy);
        slots->items = copy;
        slots->capacity = wanted;
    }
    slot = &slots->items[slots->count++];
    uint64_t *slab = slot->held.slab;
    *slot = (Slot){ .address = address, .bytes = bytes, .held = { .slab = slab } };
    return slot;
}

static void store_slot(Machine *m, Slot *slot, const Value *value, uint32_t lanes, uint32_t live)
{
    Register *r = &slot->held;
    if (!r->slab)
        r->slab = ptx_arena_array(m->arena, uint64_t, WARP_LANES);
    bool is_whole = !r->is_written || (lanes & live) == live;
    Value old = r->value;
    for (unsigned i = 0; i < WARP_LANES; i++)
        r->slab[i] = is_whole || lanes >> i & 1 ? ptx_value_lane(value, i) : ptx_value_lane(&old, i);
    if (is_whole) {
        r->value = *value;
    } else {
        r->value.unknown = (old.unknown & ~lanes) | (value->unknown & lanes);
        ptx_value_blend(&r->value, value);
    }
    r->value.lanes = value->lanes || !is_whole ? r->slab : NULL;
    r->is_written = true;
}

/* A function's own parameter is its caller's argument. */
static Slots *param_place(Warp *w, VarId var, VarId *argument)
{
    const Frame *frame = w->frame;
    const Func *func = frame->routine->func;
    *argument = var;
    if (!frame->caller || !frame->call)
        return &w->frame->params;
    for (unsigned is_result = 0; is_result < 2; is_result++) {
        const VarId *list = is_result ? func->results : func->params;
        uint32_t count = is_result ? func->result_count : func->param_count;
        for (uint32_t p = 0; p < count; p++) {
            if (list[p] != var)
                continue;
            const Func *caller = frame->caller->routine->func;
            const Operand *operands = ptx_insn_operands(caller, frame->call);
            uint32_t index = p;
            for (unsigned o = 0; o < frame->call->operand_count; o++)
                if (operands[o].position == (is_result ? 0 : 2) && !index--) {
                    *argument = operands[o].kind == OPERAND_VAR ? operands[o].id : NO_ID;
                    return &w->frame->caller->params;
                }
            *argument = NO_ID;
            return &w->frame->caller->params;
        }
    }
    return &w->frame->params;
}

static Slots *slots_at(Warp *w, Space space, uint64_t *address)
{
    if (space == SPACE_LOCAL)
        return &w->local;
    VarId argument, var = (VarId)(*address >> 32 & 0x7ffffff);
    Slots *slots = param_place(w, var, &argument);
    if (argument == NO_ID)
        return NULL;
    *address = (uint64_t)argument << 32 | (*address & UINT32_MAX);
    return slots;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static Value load_kernel_param(Machine *m, uint64_t offset, unsigned bytes, Type type)
{
    if (offset + bytes > m->param_size)
        return ptx_machine_unknown(m, true);
    uint64_t number = 0;
    unsigned known = 0, of_pointer = 0;
    for (unsigned b = 0; b < bytes; b++) {
        number |= (uint64_t)m->param_bytes[offset + b] << (8 * b);
        known += m->param_known[offset + b] != 0;
        of_pointer += m->param_known[offset + b] == 2;
    }
    Value value = ptx_value_const(ptx_lane_extend(number, type));
    if (known == bytes && !of_pointer)
        return value;
    bool is_float = ptx_type_info[type].kind == KIND_FLOAT;
    if (!m->param_addend[offset])
        m->param_addend[offset] = m->next_addend++;
    value.addend = m->param_addend[offset];
    if (known == bytes && of_pointer == bytes && bytes * 8 >= m->module->address_size) {
        value.align = ALIGN_POINTER;
        return value;
    }
    value.is_assumed = is_float || bytes == 8 || known;
    if (is_float || known) {
        value.addend = ADDEND_NONE;
        value.all = known ? value.all : bytes == 4 ? GUESS_FLOAT : UINT64_C(0x3ff0000000000000);
        return value;
    }
    value.align = bytes == 8 ? ALIGN_POINTER : 0;
    value.all = bytes == 8 ? (offset / 4 + 1) << 40 : bytes == 4 ? GUESS_INTEGER : 64;
    return value;
}

static bool is_known_byte(const Machine *m, uint64_t at)
{
    return at < m->shared_size && m->shared_known[at / 8] >> (at % 8) & 1;
}

static void load_shared(Machine *m, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    out->value = (Value){ .lanes = out->lanes, .align = ALIGN_EXACT, .is_common = true, .is_assumed = address->is_assumed };
    if (address->align != ALIGN_EXACT)
        out->value.unknown = UINT32_MAX;
    else
        out->value.unknown = address->unknown;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t at = without_window(ptx_value_lane(address, i)), number = 0;
        bool is_known = true;
        for (unsigned b = 0; b < bytes; b++) {
            is_known &= is_known_byte(m, at + b);
            number |= is_known ? (uint64_t)m->shared[at + b] << (8 * b) : 0;
        }
        out->lanes[i] = ptx_lane_extend(number, type);
        out->value.unknown |= (uint32_t)!is_known << i;
    }
    if ((out->value.unknown & lanes) && is_one_place(address, lanes))
        out->value = ptx_machine_unknown(m, true);
}

static void load_slot(Machine *m, Warp *w, Space space, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    out->value = ptx_machine_unknown(m, false);
    if (!is_one_place(address, lanes) || address->align != ALIGN_EXACT)
        return;
    uint64_t at = without_window(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    const Slots *slots = slots_at(w, space, &at);
    const Slot *slot = slots ? find_slot(slots, at, bytes) : NULL;
    if (!slot || !slot->held.is_written)
        return;
    out->value = slot->held.value;
    out->value.all = ptx_lane_extend(out->value.all, type);
    if (!out->value.lanes)
        return;
    for (unsigned i = 0; i < WARP_LANES; i++)
        out->lanes[i] = ptx_lane_extend(slot->held.value.lanes[i], type);
    out->value.lanes = out->lanes;
}

static void load_element(Machine *m, Warp *w, Space space, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    bool is_place = is_one_place(address, lanes);
    uint64_t first = without_window(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    if (space == SPACE_PARAM && is_place && first < m->param_size && address->align == ALIGN_EXACT)
        out->value = load_kernel_param(m, first, bytes, type);
    else if (space == SPACE_PARAM || space == SPACE_LOCAL)
        load_slot(m, w, space, address, bytes, type, lanes, out);
    else if (space == SPACE_SHARED)
        load_shared(m, address, bytes, type, lanes, out);
    else
        out->value = ptx_machine_unknown(m, is_place);
}

static void shift_address(Scratch *address, uint64_t by)
{
    address->value.all += by;
    for (unsigned i = 0; i < WARP_LANES && address->value.lanes; i++)
        address->lanes[i] += by;
}

void ptx_memory_load(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn), *place = nth_address(func, insn, 0);
    Type type = (Type)insn->op->type;
    unsigned bytes = (ptx_type_info[type].bits + 7u) / 8;
    Scratch address, out;
    if (!place)
        return;
    read_address(m, w, place, &address);
    Space space = space_of(insn, &address.value, lanes);
    for (unsigned o = 0; o < insn->operand_count && operands[o].position == 0; o++) {
        if (o)
            shift_address(&address, bytes);
        if (bytes > 8 || insn->op->flags & OPF_WARP)
            out.value = ptx_machine_unknown(m, false);
        else
            load_element(m, w, space, &address.value, bytes, type, lanes, &out);
        ptx_machine_write(m, w, &operands[o], &out.value, lanes, doubt);
    }
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

static void forget_shared(Machine *m)
{
    memset(m->shared_known, 0, m->shared_size / 8 + 1);
}

static void store_shared(Machine *m, const Value *address, unsigned bytes, const Value *value, uint32_t lanes, uint8_t doubt)
{
    bool is_known = value && value->align == ALIGN_EXACT && !value->is_assumed && !doubt;
    if (address->unknown & lanes || address->align != ALIGN_EXACT) {
        forget_shared(m);
        return;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        uint64_t at = without_window(ptx_value_lane(address, i));
        bool is_lane_known = is_known && !(value->unknown >> i & 1);
        for (unsigned b = 0; b < bytes && at + b < m->shared_size; b++) {
            m->shared[at + b] = is_lane_known ? (uint8_t)(ptx_value_lane(value, i) >> (8 * b)) : 0;
            uint8_t bit = (uint8_t)(1u << ((at + b) % 8)), *byte = &m->shared_known[(at + b) / 8];
            *byte = is_lane_known ? *byte | bit : *byte & (uint8_t)~bit;
        }
    }
}

static void store_element(Machine *m, Warp *w, Space space, const Value *address, unsigned bytes, const Value *value, uint32_t lanes, uint8_t doubt)
{
    if (space == SPACE_SHARED) {
        store_shared(m, address, bytes, value, lanes, doubt);
        return;
    }
    if (space != SPACE_LOCAL && space != SPACE_PARAM)
        return;
    if (!is_one_place(address, lanes) || address->align != ALIGN_EXACT) {
        w->local.count = 0;     /* some place in local memory: none is known any more */
        return;
    }
    uint64_t at = without_window(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    Slots *slots = slots_at(w, space, &at);
    Slot *slot = slots ? make_slot(m, slots, at, bytes) : NULL;
    if (!slot)
        return;
    Value made = *value;
    made.is_assumed |= doubt == DOUBT_PARAMETER;
    if (doubt >= DOUBT_DATA)
        made.unknown = UINT32_MAX;
    store_slot(m, slot, &made, lanes, w->live);
}

void ptx_memory_store(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn), *place = nth_address(func, insn, 0);
    unsigned bytes = (ptx_type_info[insn->op->type].bits + 7u) / 8;
    Scratch address, room;
    if (!place)
        return;
    read_address(m, w, place, &address);
    if (insn->op->kind == OPK_CP_ASYNC) {
        store_shared(m, &address.value, insn->access_bytes, NULL, lanes, doubt);
        return;
    }
    Space space = space_of(insn, &address.value, lanes);
    bool is_first = true;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (operands[o].position != 1)
            continue;
        if (!is_first)
            shift_address(&address, bytes);
        is_first = false;
        const Value *value = ptx_machine_read(m, w, &operands[o], &room);
        store_element(m, w, space, &address.value, bytes, value, lanes, doubt);
    }
}

/* ---- what an access costs ---------------------------------------------------------------------------------------- */

static uint8_t kind_of(const Routine *routine, const Insn *insn)
{
    const Op *op = insn->op;
    const Operand *operands = ptx_insn_operands(routine->func, insn);
    switch ((OpKind)op->kind) {
    case OPK_ST:        return REQUEST_STORE;
    case OPK_CP_ASYNC:  return REQUEST_COPY;
    case OPK_LDMATRIX: case OPK_STMATRIX:
        return REQUEST_MATRIX;
    case OPK_RED: case OPK_ATOM: {
        if (ptx_op_has_modifier(op, "cas"))
            return REQUEST_CAS;
        unsigned value = op->kind == OPK_ATOM ? 2 : 1;
        bool is_one = ptx_op_has_modifier(op, "add") && value < insn->operand_count && operands[value].kind == OPERAND_INT && operands[value].value == 1;
        bool is_unused = op->kind == OPK_RED || operands[0].kind == OPERAND_SINK;
        if (op->kind == OPK_ATOM && operands[0].kind == OPERAND_REG) {
            is_unused = true;
            for (uint32_t o = 0; o < routine->func->operand_count && is_unused; o++) {
                const Operand *other = &routine->func->operands[o];
                is_unused = !(other->kind == OPERAND_REG && other->id == operands[0].id && other->role & ROLE_USE);
            }
        }
        return is_one && is_unused ? REQUEST_INCREMENT : REQUEST_ATOMIC;
    }
    default:            return REQUEST_LOAD;
    }
}

static uint8_t matrices_of(const Op *op)
{
    return ptx_op_has_modifier(op, "x4") ? 4 : ptx_op_has_modifier(op, "x2") ? 2 : 1;
}

typedef double TrafficFn(const Gpu *gpu, const Request *request);

/* The figure for an address whose unknown addend is a multiple of 2^align; false: it hangs on that addend. */
static bool figure_of(const Machine *m, Request *r, const Value *address, unsigned granule, TrafficFn *traffic, double *out)
{
    uint64_t lanes[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++)
        lanes[i] = without_window(ptx_value_lane(address, i));
    r->addresses = lanes;
    *out = traffic(m->gpu, r);
    if (address->align == ALIGN_EXACT || UINT64_C(1) << address->align >= granule)
        return true;
    if (!address->is_common)
        return false;
    for (unsigned by = 1u << address->align; by < granule; by += 1u << address->align) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] += UINT64_C(1) << address->align;
        if (traffic(m->gpu, r) != *out)
            return false;
    }
    return true;
}

static void note_doubt(Count *count, uint8_t doubt)
{
    if (doubt > count->doubt)
        count->doubt = doubt;
}

enum { LINE_MASK = 127 };

static bool is_alike(const Traffic *t, const Request *r, const Value *address, uint64_t first)
{
    if (t->lanes != r->lanes || t->bytes != r->bytes || (t->first ^ first) & LINE_MASK || t->align != address->align || t->is_common != address->is_common)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (r->lanes >> i & 1 && ptx_value_lane(address, i) - first != t->apart[i])
            return false;
    return true;
}

static void remember(Traffic *t, const Request *r, const Value *address, uint64_t first)
{
    t->first = first;
    t->lanes = r->lanes;
    t->bytes = r->bytes;
    t->align = address->align;
    t->is_common = address->is_common;
    for (unsigned i = 0; i < WARP_LANES; i++)
        t->apart[i] = ptx_value_lane(address, i) - first;
}

/* The distance that most neighbouring lanes have, and how many of them; *pairs: of so many. */
static unsigned most_frequent(const Traffic *t, int64_t *stride, unsigned *pairs)
{
    int64_t distances[WARP_LANES];
    unsigned count = 0, best = 0, last = WARP_LANES;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(t->lanes >> i & 1))
            continue;
        if (last < i && i - last == 1)
            distances[count++] = (int64_t)(t->apart[i] - t->apart[last]);
        last = i;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned same = 0;
        for (unsigned k = i; k < count; k++)
            same += distances[k] == distances[i];
        if (same > best) {
            best = same;
            *stride = distances[i];
        }
    }
    *pairs = count;
    return best;
}

static void classify(Traffic *t, uint32_t bytes)
{
    int64_t stride = 0, own = bytes;
    unsigned pairs, same = most_frequent(t, &stride, &pairs);
    t->stride = stride;
    if (!pairs)
        t->pattern = PATTERN_NONE;
    else if (same == pairs && !stride)
        t->pattern = PATTERN_BROADCAST;
    else if (same == pairs && (stride == own || stride == -own))
        t->pattern = t->figure > t->ideal ? PATTERN_OFFSET : PATTERN_CONTIGUOUS;
    else if (same == pairs)
        t->pattern = PATTERN_STRIDED;
    else
        t->pattern = 2 * same >= pairs && stride == own ? PATTERN_ROWS : PATTERN_IRREGULAR;
}

/* The same lanes again, each at the element behind: a thread has a stretch of its own. */
static void note_walk(Traffic *t, const Request *r, uint64_t first)
{
    if (t->pattern == PATTERN_STRIDED && t->lanes == r->lanes && first - t->first == r->bytes)
        t->pattern = PATTERN_PER_THREAD;
}

/* One side of an access: its figures, and what is in doubt of its address. */
static void count_side(Machine *m, Traffic **place, Count *count, Request *r, const Value *address, unsigned granule, TrafficFn *traffic, TrafficFn *ideal,
                       double *figure, double *ideal_figure)
{
    if (!*place)
        *place = ptx_arena_new(m->arena, Traffic);
    Traffic *t = *place;
    uint64_t first = ptx_value_lane(address, (unsigned)__builtin_ctz(r->lanes));
    bool was_walk = t->pattern == PATTERN_PER_THREAD;
    note_walk(t, r, first);
    was_walk |= t->pattern == PATTERN_PER_THREAD;
    if (!is_alike(t, r, address, first)) {
        remember(t, r, address, first);
        t->is_firm = figure_of(m, r, address, granule, traffic, &t->figure);
        uint64_t lanes[WARP_LANES];
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] = without_window(ptx_value_lane(address, i));
        r->addresses = lanes;
        t->ideal = ideal(m->gpu, r);
        classify(t, r->bytes);
        if (was_walk && t->pattern == PATTERN_STRIDED)
            t->pattern = PATTERN_PER_THREAD;
    } else {
        t->first = first;
    }
    double share = t->figure / __builtin_popcount(r->lanes);
    if (share > count->worst || !count->pattern || (t->pattern == PATTERN_PER_THREAD && count->pattern == PATTERN_STRIDED)) {
        count->worst = share > count->worst ? share : count->worst;
        count->pattern = t->pattern;
        count->stride = t->stride;
    }
    if (!t->is_firm)
        note_doubt(count, address->is_data ? DOUBT_DATA : DOUBT_PARAMETER);
    *figure += t->figure;
    *ideal_figure += t->ideal;
}

/* cp.async reads as many bytes as its fourth operand says, none where a predicate says so. Lanes that read any; *bytes: how many. */
static uint32_t copied_lanes(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint32_t *bytes)
{
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    Scratch room;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (operands[o].position != 3 || ptx_op_has_modifier(insn->op, "L2::cache_hint"))
            continue;
        const Value *size = ptx_machine_read(m, w, &operands[o], &room);
        bool is_predicate = operands[o].kind == OPERAND_REG && func->regs[operands[o].id].type == TYPE_PRED;
        uint32_t reading = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            uint64_t here = ptx_value_lane(size, i);
            reading |= (uint32_t)(is_predicate ? !here : here != 0) << i;
            if (!is_predicate && here && here < *bytes && lanes >> i & 1)
                *bytes = (uint32_t)here;
        }
        return lanes & (reading | size->unknown);
    }
    return lanes;
}

static Traffic **traffic_of(const Warp *w, const Insn *insn, unsigned side)
{
    const Routine *routine = w->frame->routine;
    return &routine->traffic[2 * (size_t)(insn - routine->func->insns) + side];
}

static void count_global(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    Request read = *r;
    if (r->kind == REQUEST_COPY)
        read.lanes = copied_lanes(m, w, insn, r->lanes, &read.bytes);
    if (read.lanes)
        count_side(m, traffic_of(w, insn, 1), count, &read, address, GRANULE, ptx_traffic_sectors, ptx_traffic_ideal_sectors, &count->sectors, &count->ideal_sectors);
}

static void count_shared(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    count_side(m, traffic_of(w, insn, 0), count, r, address, BANK_BYTES, ptx_traffic_wavefronts, ptx_traffic_ideal_wavefronts, &count->wavefronts, &count->ideal_wavefronts);
}

void ptx_memory_count(Machine *m, Warp *w, const Insn *insn, Count *count, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->routine->func;
    const Operand *place = nth_address(func, insn, 0), *second = insn->op->kind == OPK_CP_ASYNC ? nth_address(func, insn, 1) : NULL;
    Request r = { .lanes = lanes, .bytes = insn->access_bytes, .kind = kind_of(w->frame->routine, insn), .matrices = matrices_of(insn->op) };
    Scratch address;
    if (!place || !r.bytes)
        return;
    count->requests++;
    count->active += __builtin_popcount(lanes);
    note_doubt(count, doubt);
    for (unsigned side = 0; side < (second ? 2 : 1); side++) {
        read_address(m, w, side ? second : place, &address);
        Space space = second ? side ? SPACE_GLOBAL : SPACE_SHARED : space_of(insn, &address.value, lanes);
        uint32_t addressed = r.kind == REQUEST_MATRIX && r.matrices < 4 ? lanes & ((UINT32_C(1) << (8 * r.matrices)) - 1) : lanes;
        if (address.value.unknown & addressed) {
            note_doubt(count, DOUBT_ADDRESS);
            continue;
        }
        if (address.value.is_assumed)
            note_doubt(count, DOUBT_PARAMETER);
        Request here = r;
        here.lanes = addressed;
        if (space == SPACE_SHARED)
            count_shared(m, w, insn, count, &here, &address.value);
        else if (space == SPACE_GLOBAL)
            count_global(m, w, insn, count, &here, &address.value);
    }
}
