/* Loads, stores, and what they cost. */
#include "analysis/sim/shadow_memory.h"
#include "analysis/sim/initial.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/request.h"

enum {
    MAX_SHARED = 1 << 20,      /* bytes; no GPU has as many */
    MAX_SLOTS = 4096,          /* places in local memory that are kept apart */
    WALKS_FREE = 128,           /* through all of a function, to look for regions; beyond, a block counts as an instruction that is executed ... */
    REGS_A_STEP = 1024,         /* ... and so do so many registers of a region, each time */
    GRANULE = 128,              /* an unknown addend of so many bytes changes no sector and no line */
    BANK_BYTES = 4,
    MATRIX_ROW = 16,            /* bytes that an address of ldmatrix stands for */
};

static uint64_t align_up(uint64_t at, uint64_t align)
{
    return align ? (at + align - 1) / align * align : at;
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static bool is_param(Space space)
{
    return space == SPACE_PARAM || space == SPACE_PARAM_ENTRY || space == SPACE_PARAM_FUNC;
}

static void place(Machine *m, VarId var, uint64_t address)
{
    if (m->placed_count == m->placed_capacity)
        m->placed = ptx_arena_grow(m->arena, m->placed, m->placed_count, &m->placed_capacity, sizeof *m->placed);
    m->placed[m->placed_count++] = var;
    m->program->addresses[var] = address + 1;
}

static uint64_t place_shared(Machine *m, VarId id, bool is_unsized, uint64_t at)
{
    const Var *var = &m->module->vars[id];
    if (!ptx_space_is_shared((Space)var->space) || (var->bytes == 0) != is_unsized)
        return at;
    uint64_t here = align_up(at, is_unsized && var->align < 16 ? 16 : var->align);
    place(m, id, here);
    return var->bytes >= MAX_SHARED || at >= MAX_SHARED || here >= MAX_SHARED ? at : here + var->bytes;
}

/* Shared variables in the order of their declarations, those of unknown size behind them all. Other kernels' own are not there when this one runs. */
static void lay_out_shared(Machine *m)
{
    const SimProgram *program = m->program;
    uint64_t at = 0;
    if (m->has_shared)
        return;
    m->has_shared = true;
    for (int is_unsized = 0; is_unsized < 2; is_unsized++) {
        for (uint32_t i = 0; i < program->shared_count; i++)
            if (m->module->vars[program->shared[i]].unit == m->module->funcs[m->kernel].unit)
                at = place_shared(m, program->shared[i], is_unsized, at);
        for (VarId v = program->own_first[m->kernel]; v < program->own_end[m->kernel]; v++)
            at = place_shared(m, v, is_unsized, at);
    }
    int64_t dynamic = m->launch->dynamic_shared_bytes;
    at = align_up(at, 16) + (uint64_t)(dynamic > 0 ? dynamic : dynamic < 0 ? 49152 : 0);
    m->shared_size = (uint32_t)(at < MAX_SHARED ? at : MAX_SHARED);
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
        place(m, func->params[p], at);
        at += var->bytes < MAX_SHARED ? var->bytes : 0;
    }
    m->param_size = (uint32_t)(at < MAX_SHARED ? at : MAX_SHARED);
    m->param_bytes = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    m->param_known = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    m->param_addend = ptx_arena_array(m->arena, AddendId, m->param_size + 16);
    m->param_guess = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    for (uint32_t p = 0; p < func->param_count && p < m->launch->param_count; p++) {
        const LaunchParam *given = &m->launch->params[p];
        if (func->params[p] == NO_ID)
            continue;
        uint64_t offset = m->program->addresses[func->params[p]] - 1, bytes = m->module->vars[func->params[p]].bytes;
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
    m->next_global = UINT64_C(1) << 50;
    lay_out_params(m);
}

/* Where a variable lies that is neither in shared memory nor the kernel's own parameter: behind those asked for before. */
static uint64_t take_place(Machine *m, const Var *var)
{
    uint64_t bytes = var->bytes < (UINT64_C(1) << 40) ? var->bytes : 0;
    uint64_t *next = var->space == SPACE_LOCAL ? &m->next_local : var->space == SPACE_CONST ? &m->next_const : &m->next_global;
    uint64_t at = align_up(*next, next == &m->next_global && var->align < 256 ? 256 : var->align);
    *next = at + bytes;
    return at;
}

uint64_t ptx_memory_address(Machine *m, VarId id)
{
    const Var *var = &m->module->vars[id];
    if (ptx_space_is_shared((Space)var->space))
        lay_out_shared(m);
    if (!m->program->addresses[id])             /* a parameter of a call has a place of its own */
        place(m, id, is_param((Space)var->space) ? (uint64_t)id << 32 | UINT64_C(1) << 59 : take_place(m, var));
    return m->program->addresses[id] - 1;
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

/* Registers of 32 bits are addresses of 32 bits: what an offset carries out of them is gone. */
static void wrap_address(Machine *m, const Warp *w, const Operand *operand, Scratch *s)
{
    uint64_t bits = s->value.lanes ? 0 : s->value.all;
    for (unsigned i = 0; s->value.lanes && i < WARP_LANES; i++)
        bits |= s->value.lanes[i];
    if (!(bits >> 32) || s->value.align != ALIGN_EXACT || ptx_type_info[w->frame->func_state->func->regs[operand->id].type].bits != 32)
        return;
    ptx_blocks_pin(&m->blocks, &s->value);
    s->value.all = (uint32_t)s->value.all;
    for (unsigned i = 0; s->value.lanes && i < WARP_LANES; i++)
        s->lanes[i] = (uint32_t)s->lanes[i];
}

static void add_offset(Machine *m, const Warp *w, const Operand *operand, const Value *base, Scratch *s)
{
    uint64_t offset = operand->kind == OPERAND_REG ? (uint64_t)operand->value : 0;
    s->value = *base;
    s->value.all += offset;
    for (unsigned i = 0; base->lanes && i < WARP_LANES; i++)
        s->lanes[i] = base->lanes[i] + offset;
    if (base->lanes)
        s->value.lanes = s->lanes;
    if (offset)
        wrap_address(m, w, operand, s);
}

/* What an address operand names, its offset added. */
static void read_address(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    Scratch room;
    add_offset(m, w, operand, ptx_machine_read(m, w, operand, &room), s);
}

/* The same, where nothing is written before it is no longer looked at: without a copy if there is no offset. */
static void look_at_address(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    const Value *base = ptx_machine_read(m, w, operand, s);
    if (operand->kind == OPERAND_REG && operand->value)
        add_offset(m, w, operand, base, s);
    else
        s->value = *base;
}

/* Where the lanes' addresses lie: an address of a space is turned into what its generic window holds. */
static Space space_of(const Insn *insn, const Value *address, uint32_t lanes)
{
    Space space = (Space)insn->op->space;
    if (space != SPACE_GENERIC)
        return ptx_space_is_shared(space) ? SPACE_SHARED : is_param(space) ? SPACE_PARAM : space;
    switch (WINDOW_OF(ptx_value_lane(address, lanes ? (unsigned)__builtin_ctz(lanes) : 0))) {
    case WINDOW_SHARED: return SPACE_SHARED;
    case WINDOW_LOCAL:  return SPACE_LOCAL;
    case WINDOW_CONST:  return SPACE_CONST;
    case WINDOW_PARAM:  return SPACE_PARAM;
    default:            return SPACE_GLOBAL;
    }
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
    if (slots->count >= MAX_SLOTS)
        return NULL;
    if (slots->count == slots->capacity)
        slots->items = ptx_arena_grow(m->arena, slots->items, slots->count, &slots->capacity, sizeof *slots->items);
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
    if (!is_whole)
        ptx_block_stride_choose(&m->blocks, &r->value, &r->value, value, live & ~lanes, lanes);
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
    const Func *func = frame->func_state->func;
    *argument = var;
    if (!frame->caller || !frame->call)
        return &w->frame->params;
    for (unsigned is_result = 0; is_result < 2; is_result++) {
        const VarId *list = is_result ? func->results : func->params;
        uint32_t count = is_result ? func->result_count : func->param_count;
        for (uint32_t p = 0; p < count; p++) {
            if (list[p] != var)
                continue;
            const Func *caller = frame->caller->func_state->func;
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
    ptx_machine_note_guess(m, offset, bytes, is_float);
    value.all = known ? value.all : ptx_machine_guess(offset, bytes, is_float);
    if (is_float || known) {
        value.addend = ADDEND_NONE;
        return value;
    }
    value.align = bytes == 8 ? ALIGN_POINTER : 0;
    return value;
}

static bool is_known_byte(const Machine *m, uint64_t at)
{
    return at / 8 >= m->shared_low && at / 8 < m->shared_high && m->shared_known[at / 8] >> (at % 8) & 1;
}

enum { THREAD_BITS = 10, MAX_CLOCK = 1 << (32 - THREAD_BITS) };

/* Past the end nothing that is stored gets settled any more. */
uint32_t ptx_memory_tick(Machine *m)
{
    return m->clock += m->clock + 1 < MAX_CLOCK;
}

/* What another thread wrote is sure to be there only behind a barrier. */
static bool is_settled(const Machine *m, const Warp *w, unsigned lane, uint64_t at)
{
    uint32_t thread = m->shared_by[at] & ((1u << THREAD_BITS) - 1), when = m->shared_by[at] >> THREAD_BITS;
    return when < m->round || thread == w->index * WARP_LANES + lane || (thread / WARP_LANES == w->index && when < w->synced);
}

static void load_shared(Machine *m, const Warp *w, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    out->value = (Value){ .lanes = out->lanes, .align = ALIGN_EXACT, .is_common = true, .is_assumed = address->is_assumed || m->contents };
    if (address->align != ALIGN_EXACT)
        out->value.unknown = UINT32_MAX;
    else
        out->value.unknown = address->unknown;
    if (m->shared_low == m->shared_high) {
        out->value.lanes = NULL;
        out->value.unknown = UINT32_MAX;
    }
    for (unsigned i = 0; i < WARP_LANES && out->value.lanes; i++) {
        uint64_t at = ptx_request_place(ptx_value_lane(address, i)), number = 0;
        bool is_known = true;
        for (unsigned b = 0; b < bytes; b++) {
            is_known &= is_known_byte(m, at + b) && is_settled(m, w, i, at + b);
            number |= is_known ? (uint64_t)m->shared[at + b] << (8 * b) : 0;
        }
        out->lanes[i] = ptx_lane_extend(number, type);
        out->value.unknown |= (uint32_t)!is_known << i;
    }
    if ((out->value.unknown & lanes) && is_one_place(address, lanes))
        out->value = ptx_machine_unknown(m, true);
}

/* Of local memory, where each lane says. */
static void gather_slots(Machine *m, const Warp *w, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    out->value = (Value){ .lanes = out->lanes, .align = ALIGN_EXACT, .is_common = true, .is_assumed = address->is_assumed, .unknown = ~lanes };
    for (unsigned i = 0; i < WARP_LANES; i++) {
        out->lanes[i] = 0;
        if (!(lanes >> i & 1))
            continue;
        const Slot *slot = find_slot(&w->local, ptx_request_place(ptx_value_lane(address, i)), bytes);
        if (!slot || !slot->held.is_written || slot->held.value.unknown >> i & 1 || slot->held.value.align != ALIGN_EXACT) {
            out->value.unknown |= UINT32_C(1) << i;
            continue;
        }
        ptx_blocks_pin(&m->blocks, &slot->held.value);
        out->lanes[i] = ptx_lane_extend(ptx_value_lane(&slot->held.value, i), type);
        out->value.is_assumed |= slot->held.value.is_assumed;
    }
}

static void load_slot(Machine *m, Warp *w, Space space, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    out->value = ptx_machine_unknown(m, false);
    if (address->unknown & lanes || address->align != ALIGN_EXACT)
        return;
    if (!is_one_place(address, lanes)) {
        if (space == SPACE_LOCAL)
            gather_slots(m, w, address, bytes, type, lanes, out);
        return;
    }
    uint64_t at = ptx_request_place(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    const Slots *slots = slots_at(w, space, &at);
    const Slot *slot = slots ? find_slot(slots, at, bytes) : NULL;
    if (!slot || !slot->held.is_written)
        return;
    out->value = slot->held.value;
    if (ptx_type_info[type].kind == KIND_SIGNED && bytes < 8)
        ptx_blocks_pin(&m->blocks, &out->value);        /* its sign may be another */
    out->value.all = ptx_lane_extend(out->value.all, type);
    if (!out->value.lanes)
        return;
    for (unsigned i = 0; i < WARP_LANES; i++)
        out->lanes[i] = ptx_lane_extend(slot->held.value.lanes[i], type);
    out->value.lanes = out->lanes;
}

/* The variable of the module that a number lies in; NO_ID. */
static VarId variable_at(const Machine *m, Space space, uint64_t at)
{
    for (uint32_t i = 0; i < m->placed_count; i++) {
        const Var *var = &m->module->vars[m->placed[i]];
        uint64_t first = m->program->addresses[m->placed[i]] - 1;
        if (var->space == space && at >= first && at - first < var->bytes)
            return m->placed[i];
    }
    return NO_ID;
}

/* What a variable of the module begins with, for all that is known the host writes something else there. False: none has what these lanes load. */
static bool load_initial(Machine *m, Space space, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    uint64_t first = ptx_request_place(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    if (address->unknown & lanes || address->is_data || (address->align != ALIGN_EXACT && address->addend == ADDEND_NONE))
        return false;
    VarId id = variable_at(m, space, first);
    if (id == NO_ID || !ptx_span_length(m->module->vars[id].numbers))
        return false;
    static const uint8_t nothing[1];
    if (!m->program->initial[id]) {
        const uint8_t *read = ptx_initial_read(m->program->arena, m->module, id);
        m->program->initial[id] = read ? read : nothing;
        m->program->begun[m->program->begun_count++] = id;
    }
    const uint8_t *from = m->program->initial[id];
    if (from == nothing)
        return false;
    m->initial_is_assumed = true;
    uint64_t begin = m->program->addresses[id] - 1, size = m->module->vars[id].bytes;
    out->value = (Value){ .lanes = out->lanes, .align = ALIGN_EXACT, .is_common = true, .is_assumed = true, .unknown = ~lanes };
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t at = ptx_request_place(ptx_value_lane(address, i)) - begin, number = 0;
        bool is_inside = at < size && bytes <= size - at;
        for (unsigned b = 0; b < bytes && is_inside; b++)
            number |= (uint64_t)from[at + b] << (8 * b);
        out->lanes[i] = ptx_lane_extend(number, type);
        out->value.unknown |= (uint32_t)!is_inside << i;
    }
    return !(out->value.unknown & lanes);
}

static void load_element(Machine *m, Warp *w, Space space, const Value *address, unsigned bytes, Type type, uint32_t lanes, Scratch *out)
{
    bool is_place = is_one_place(address, lanes);
    uint64_t first = ptx_request_place(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    bool is_initial = (space == SPACE_CONST || space == SPACE_GLOBAL) && m->program->has_initial && load_initial(m, space, address, bytes, type, lanes, out);
    if (space != SPACE_GLOBAL || is_initial)
        ptx_blocks_pin(&m->blocks, address);
    if (is_initial)
        return;
    if (space == SPACE_PARAM && is_place && first < m->param_size && address->align == ALIGN_EXACT)
        out->value = load_kernel_param(m, first, bytes, type);
    else if (space == SPACE_PARAM || space == SPACE_LOCAL)
        load_slot(m, w, space, address, bytes, type, lanes, out);
    else if (space == SPACE_SHARED)
        load_shared(m, w, address, bytes, type, lanes, out);
    else if (space == SPACE_GLOBAL && m->contents)
        ptx_shadow_memory_load(m, w, address, bytes, type, lanes, out);
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
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn), *place = nth_address(func, insn, 0);
    Type type = (Type)insn->op->type;
    unsigned bytes = (ptx_type_info[type].bits + 7u) / 8;
    Scratch address, out;
    if (!place)
        return;
    if (m->contents)
        m->contents->insn = insn;
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

void ptx_memory_forget_shared(Machine *m)
{
    if (m->shared_high > m->shared_low)
        memset(m->shared_known + m->shared_low, 0, m->shared_high - m->shared_low);
    m->shared_low = m->shared_high = 0;
}

/* Bytes from here on may be known from now on. */
static void open_shared(Machine *m, uint64_t at, unsigned bytes)
{
    uint32_t low = (uint32_t)(at / 8), high = (uint32_t)((at + bytes - 1) / 8 + 1);
    if (!m->shared) {
        m->shared = ptx_arena_array(m->arena, uint8_t, m->shared_size + 16);
        m->shared_known = ptx_arena_array(m->arena, uint8_t, m->shared_size / 8 + 16);
        m->shared_by = ptx_arena_array(m->arena, uint32_t, m->shared_size + 16);
    }
    bool is_empty = m->shared_low == m->shared_high;
    m->shared_low = is_empty || low < m->shared_low ? low : m->shared_low;
    m->shared_high = is_empty || high > m->shared_high ? high : m->shared_high;
}

static void store_lane(Machine *m, uint32_t thread, uint64_t at, unsigned bytes, uint64_t number, bool is_known)
{
    if (at >= m->shared_size)
        return;
    if (is_known)
        open_shared(m, at, at + bytes <= m->shared_size ? bytes : (unsigned)(m->shared_size - at));
    else if (at / 8 >= m->shared_high || (at + bytes - 1) / 8 < m->shared_low)
        return;
    for (unsigned b = 0; b < bytes && at + b < m->shared_size; b++) {
        uint8_t bit = (uint8_t)(1u << ((at + b) % 8)), *byte = &m->shared_known[(at + b) / 8];
        m->shared[at + b] = is_known ? (uint8_t)(number >> (8 * b)) : 0;
        m->shared_by[at + b] = m->clock << THREAD_BITS | thread;
        *byte = is_known ? *byte | bit : *byte & (uint8_t)~bit;
    }
}

static void store_shared(Machine *m, const Warp *w, const Value *address, unsigned bytes, const Value *value, uint32_t lanes, uint8_t doubt)
{
    bool is_known = value && value->align == ALIGN_EXACT && (!value->is_assumed || m->contents) && !doubt && !address->is_assumed && !m->shared_is_lost;
    if (address->unknown & lanes || address->align != ALIGN_EXACT) {
        ptx_memory_forget_shared(m);
        return;
    }
    if (!is_known && m->shared_low == m->shared_high)
        return;
    ptx_blocks_pin(&m->blocks, address);
    if (is_known)
        ptx_blocks_pin(&m->blocks, value);
    lay_out_shared(m);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        bool is_lane_known = is_known && !(value->unknown >> i & 1);
        store_lane(m, w->index * WARP_LANES + i, ptx_request_place(ptx_value_lane(address, i)), bytes, is_lane_known ? ptx_value_lane(value, i) : 0, is_lane_known);
    }
}

static void store_element(Machine *m, Warp *w, const Insn *insn, Space space, const Value *address, unsigned bytes, const Value *value, uint32_t lanes, uint8_t doubt)
{
    if (space == SPACE_GLOBAL && m->contents)
        ptx_shadow_memory_store(m, w, insn, address, bytes, value, lanes, doubt);
    if (space == SPACE_SHARED) {
        store_shared(m, w, address, bytes, value, lanes, doubt);
        return;
    }
    if (space != SPACE_LOCAL && space != SPACE_PARAM)
        return;
    ptx_blocks_pin(&m->blocks, address);
    if (!is_one_place(address, lanes) || address->align != ALIGN_EXACT) {
        w->local.count = 0;     /* some place in local memory: none is known any more */
        return;
    }
    uint64_t at = ptx_request_place(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
    Slots *slots = slots_at(w, space, &at);
    Slot *slot = slots ? make_slot(m, slots, at, bytes) : NULL;
    if (!slot)
        return;
    Value made = *value;
    made.is_assumed |= doubt == UNCERTAIN_PARAMETER;
    if (doubt >= UNCERTAIN_DATA)
        made.unknown = UINT32_MAX;
    store_slot(m, slot, &made, lanes, w->live);
}

/* What an atomic operation leaves is not followed; of shared memory it changes its own bytes only. */
void ptx_memory_atomic(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn), *place = nth_address(func, insn, 0);
    Scratch address;
    if (place) {
        read_address(m, w, place, &address);
        if (space_of(insn, &address.value, lanes) == SPACE_SHARED)
            store_shared(m, w, &address.value, insn->access_bytes, NULL, lanes, doubt);
    }
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_DEF) {
            Value value = ptx_machine_unknown(m, false);
            ptx_machine_write(m, w, &operands[o], &value, lanes, doubt);
        }
}

void ptx_memory_store(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn), *place = nth_address(func, insn, 0);
    unsigned bytes = (ptx_type_info[insn->op->type].bits + 7u) / 8;
    Scratch address, room;
    if (!place)
        return;
    read_address(m, w, place, &address);
    if (insn->op->kind == OPK_CP_ASYNC) {
        store_shared(m, w, &address.value, insn->access_bytes, NULL, lanes, doubt);
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
        store_element(m, w, insn, space, &address.value, bytes, value, lanes, doubt);
    }
}

/* ---- what rests on an assumption ---------------------------------------------------------------------------------- */

/* Lanes left, or may have: who is anywhere behind hangs on that. */
void ptx_memory_doubt(Warp *w, uint8_t doubt)
{
    for (uint32_t e = 0; doubt && e < w->entry_count; e++)
        if (w->entries[e].doubt < doubt)
            w->entries[e].doubt = doubt;
}

/* A store that an assumption rules out in some lanes: what local memory holds is not sure. */
static void assume_stored(Warp *w)
{
    for (uint32_t s = 0; s < w->local.count; s++)
        w->local.items[s].held.value.is_assumed = true;
}

static bool may_be_shared(const Op *op)
{
    return ptx_space_is_shared((Space)op->space) || op->space == SPACE_GENERIC;
}

/* Not executed, by an assumption, in some lanes. */
void ptx_memory_assume_written(Machine *m, Warp *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_DEF && operands[o].kind == OPERAND_REG)
            w->frame->regs[operands[o].id].value.is_assumed = true;
    if (insn->op->kind == OPK_ST && insn->op->space != SPACE_GLOBAL && insn->op->space != SPACE_SHARED)
        assume_stored(w);
    if (insn->op->kind != OPK_LD && may_be_shared(insn->op))
        ptx_memory_forget_shared(m);
}

/* A branch took the side that an assumption says: what the other one would have written is not sure any more. */
void ptx_memory_assume(Machine *m, Warp *w, InsnId branch, BlockId reconvergence, uint8_t doubt)
{
    if (m->orderer && m->orderer->needs_shape && m->block_is_assumed && doubt <= UNCERTAIN_PARAMETER)
        return;                 /* whatever races is an estimate anyway */
    FuncState *func_state = w->frame->func_state;
    SliceRegion **place = &func_state->regions[branch];
    if (!*place) {
        *place = ptx_region_compute(m->arena, &func_state->finder, func_state->cfg->block_of[branch], reconvergence);
        func_state->walked += (*place)->block_count;
        m->steps += func_state->walked > (uint64_t)WALKS_FREE * func_state->cfg->block_count ? (*place)->block_count : 0;
    }
    SliceRegion *region = *place;
    m->steps += region->reg_count / REGS_A_STEP;
    for (uint32_t i = 0; i < region->reg_count; i++)
        w->frame->regs[region->regs[i]].value.is_assumed = true;
    for (uint32_t i = 0; region->doubt < doubt && i < region->access_count; i++)    /* lanes may come there that did not, or once more */
        ptx_count_doubt(&func_state->counts[region->accesses[i]], doubt);
    region->doubt = region->doubt < doubt ? doubt : region->doubt;
    if (region->stores_private)
        assume_stored(w);
    if (region->stores_shared)
        ptx_memory_forget_shared(m);
    if (region->leaves) {
        ptx_memory_doubt(w, doubt);
        m->shared_is_lost = true;
        ptx_memory_forget_shared(m);
    }
}

/* ---- what an access costs ---------------------------------------------------------------------------------------- */

/* cp.async reads as many bytes as its fourth operand says, none where a predicate says so. Lanes that read any; *bytes: how many; r: what else
 * the shared side is to know. */
static uint32_t copied_lanes(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, Request *r)
{
    const Func *func = w->frame->func_state->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned whole = r->bytes;
    Scratch room;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (operands[o].position != 3 || ptx_op_has(insn->op, MOD_L2_CACHE_HINT))
            continue;
        const Value *size = ptx_machine_read(m, w, &operands[o], &room);
        ptx_blocks_pin(&m->blocks, size);
        bool is_predicate = operands[o].kind == OPERAND_REG && func->regs[operands[o].id].type == TYPE_PRED;
        uint32_t reading = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            uint64_t here = ptx_value_lane(size, i);
            reading |= (uint32_t)(is_predicate ? !here : here != 0) << i;
            if (!is_predicate && here && here < r->bytes && lanes >> i & 1)
                r->bytes = (uint32_t)here;
        }
        r->is_part = r->bytes < whole;
        r->is_empty = operands[o].kind == OPERAND_INT && !operands[o].value;
        return lanes & (reading | size->unknown);
    }
    return lanes;
}

static Traffic **traffic_of(const Warp *w, const Insn *insn, unsigned side)
{
    const FuncState *func_state = w->frame->func_state;
    return &func_state->traffic[2 * (size_t)(insn - func_state->func->insns) + side];
}

static void trace(Machine *m, const Warp *w, const Insn *insn, Space space, Request *r, const Value *address, Count *count)
{
    const RequestLog noted = { .insn = insn, .count = count, .request = r, .address = address, .is_traced = true, .space = (uint8_t)space, .doubt = count->doubt };
    if (m->trace && (space == SPACE_SHARED || space == SPACE_GLOBAL || space == SPACE_GENERIC))
        ptx_request_log_emit(m, w, &noted);
}

static FootprintKind footprint_kind(const Request *r, const Op *op)
{
    switch ((RequestKind)r->kind) {
    case REQUEST_STORE:
        return FOOTPRINT_STORE;
    case REQUEST_INCREMENT: case REQUEST_ATOMIC: case REQUEST_CAS: case REQUEST_SPIN:
        return ptx_type_info[op->type].kind == KIND_FLOAT ? FOOTPRINT_ATOMIC_SERIAL : FOOTPRINT_ATOMIC;
    default:
        return r->kind == REQUEST_COPY || (r->is_uncached && !ptx_op_has(op, MOD_NC)) ? FOOTPRINT_LOAD_PAST_L1 : FOOTPRINT_LOAD;
    }
}

static bool is_fragment(const Op *op)
{
    return op->operation == OP_WMMA_LOAD || op->operation == OP_WMMA_STORE;
}

/* Elements from a row of a matrix to the next: the last operand, where it is there and known; else rows follow each other. */
static uint64_t fragment_pitch(Machine *m, Warp *w, const Insn *insn)
{
    Scratch room;
    const Operand *last = ptx_insn_operands(w->frame->func_state->func, insn) + insn->operand_count - 1;
    const Value *pitch = last->role & ROLE_ADDRESS || last->role & ROLE_DEF ? NULL : ptx_machine_read(m, w, last, &room);
    return pitch && !pitch->lanes && !(pitch->unknown & 1) && pitch->align == ALIGN_EXACT ? pitch->all & UINT32_MAX : 16;
}

/* A 16 x 16 fragment is four machine accesses, each of two elements a lane in eight rows: read off the machine code of ptxas 13.0 for sm_90. */
static void note_fragment(Machine *m, Warp *w, const Insn *insn, Count *count, const Request *r, const Value *address)
{
    uint64_t lanes[WARP_LANES], first, pitch = fragment_pitch(m, w, insn);
    uint32_t bytes = ptx_type_info[insn->op->type].bits / 8u ? ptx_type_info[insn->op->type].bits / 8u : 1;
    FootprintKind kind = insn->op->operation == OP_WMMA_STORE ? FOOTPRINT_STORE : FOOTPRINT_LOAD;
    bool waits = false;
    m->blocks.count[GROWTH_WARP] = 1;
    ptx_request_log_close(m, w);
    ptx_value_places(address, lanes);
    first = lanes[0];
    for (uint64_t quarter = 0; quarter < 4; quarter++) {
        for (uint64_t i = 0; i < WARP_LANES; i++)
            lanes[i] = first + ((i / 4 + 8 * (quarter & 1)) * pitch + 2 * (i % 4) + 8 * (quarter >> 1)) * bytes;
        waits |= ptx_footprint_note(m->footprint, w->index, lanes, r->lanes, 2 * bytes, kind, address->is_data);
    }
    count->waits += waits;
}

/* Atomics of integers at one address for all lanes: ptxas lets one of them act. */
static bool is_joined(const Request *r, const Op *op, const Value *address)
{
    return (r->kind == REQUEST_ATOMIC || r->kind == REQUEST_INCREMENT) && !address->lanes && ptx_type_info[op->type].kind != KIND_FLOAT;
}

static void note_footprint(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    if (!m->footprint || w->entries[w->entry_count - 1].is_rare)
        return;
    if (is_fragment(insn->op)) {
        note_fragment(m, w, insn, count, r, address);
        return;
    }
    if (address->grows)
        ptx_blocks_align_trips(&m->blocks, address, LINE_MASK + 1);
    uint32_t taking_part = is_joined(r, insn->op, address) ? r->lanes & -r->lanes : r->lanes;
    const RequestLog noted = { .insn = insn, .count = count, .request = r, .address = address, .lanes = taking_part, .kind = (uint8_t)footprint_kind(r, insn->op) };
    ptx_request_log_emit(m, w, &noted);
}

static void count_global(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    Request read = *r;
    if (r->kind == REQUEST_COPY)
        read.lanes = copied_lanes(m, w, insn, r->lanes, &read);
    if (!read.lanes)
        return;
    note_footprint(m, w, insn, count, &read, address);
    if (!m->is_traced_only)
        ptx_request_count(m, traffic_of(w, insn, 1), count, &read, address, GRANULE, ptx_traffic_sectors, ptx_traffic_ideal_sectors, &count->sectors, &count->ideal_sectors);
    trace(m, w, insn, SPACE_GLOBAL, &read, address, count);
}

/* The shared side of a copy rests on both addresses: nothing that was counted before stands for it. */
static void count_copied(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    const Operand *place = nth_address(w->frame->func_state->func, insn, 1);
    uint64_t from[WARP_LANES], to[WARP_LANES];
    Scratch there;
    Request whole = *r;
    r->reading = copied_lanes(m, w, insn, r->lanes, &whole);
    r->is_part = whole.is_part;
    r->is_empty = whole.is_empty;
    r->is_uncached = ptx_op_has(insn->op, MOD_CG);
    read_address(m, w, place, &there);
    ptx_blocks_align(&m->blocks, address, PERIOD);
    ptx_blocks_align(&m->blocks, &there.value, PERIOD);
    if (!(there.value.unknown & r->lanes)) {
        ptx_value_places(&there.value, from);
        r->from = from;
    }
    if (m->is_traced_only) {
        trace(m, w, insn, SPACE_SHARED, r, address, count);
        return;
    }
    double figure = 0;
    bool is_firm = ptx_request_figure(m, r, address, BANK_BYTES, ptx_traffic_wavefronts, &figure);
    ptx_value_places(address, to);
    r->addresses = to;
    if (!ptx_traffic_is_certain(m->gpu, r))
        ptx_count_doubt(count, UNCERTAIN_MODEL);
    if (!is_firm || (there.value.align != ALIGN_EXACT && UINT64_C(1) << there.value.align <= LINE_MASK))
        ptx_count_doubt(count, UNCERTAIN_PARAMETER);
    count->wavefronts += figure;
    count->ideal_wavefronts += ptx_traffic_ideal_wavefronts(m->gpu, r, figure);
    trace(m, w, insn, SPACE_SHARED, r, address, count);
}

/* A fragment of elements of 16 bits, 16 x 16, comes out of shared memory as ldmatrix.x4 does: eight rows of 16 bytes four times. */
static bool is_halves(const Op *op)
{
    return op->operation == OP_WMMA_LOAD && ptx_type_info[op->type].bits == 16;
}

static void count_halves(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    enum { ROWS = 8, ROW_BYTES = 16 };
    uint64_t lanes[WARP_LANES], pitch = 2 * fragment_pitch(m, w, insn);
    Value rows = *address;
    ptx_value_places(address, lanes);
    for (uint64_t i = WARP_LANES; i--;)
        lanes[i] = lanes[0] + (i % ROWS + (i / ROWS & 1) * ROWS) * pitch + i / (2 * ROWS) * ROW_BYTES;
    rows.lanes = lanes;
    Request four = { .kind = REQUEST_MATRIX, .lanes = r->lanes, .bytes = r->bytes, .bank_bytes = r->bank_bytes, .matrices = 4 };
    ptx_count_doubt(count, UNCERTAIN_MODEL);
    if (!m->is_traced_only)
        ptx_request_count(m, traffic_of(w, insn, 0), count, &four, &rows, BANK_BYTES, ptx_traffic_wavefronts, ptx_traffic_ideal_wavefronts, &count->wavefronts, &count->ideal_wavefronts);
    trace(m, w, insn, SPACE_SHARED, r, address, count);
}

static void count_shared(Machine *m, Warp *w, const Insn *insn, Count *count, Request *r, const Value *address)
{
    if (r->kind == REQUEST_COPY) {
        count_copied(m, w, insn, count, r, address);
        return;
    }
    if (is_halves(insn->op)) {
        count_halves(m, w, insn, count, r, address);
        return;
    }
    if (!m->is_traced_only)
        ptx_request_count(m, traffic_of(w, insn, 0), count, r, address, BANK_BYTES, ptx_traffic_wavefronts, ptx_traffic_ideal_wavefronts, &count->wavefronts, &count->ideal_wavefronts);
    trace(m, w, insn, SPACE_SHARED, r, address, count);
}

/* The constant cache serves one address at a time. */
static void count_constant(Machine *m, Count *count, const Value *address, uint32_t lanes)
{
    uint64_t seen[WARP_LANES] = { 0 };
    unsigned distinct = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        unsigned k = distinct;
        while (k && seen[k - 1] != ptx_value_lane(address, i))
            k--;
        if (!k)
            seen[distinct++] = ptx_value_lane(address, i);
    }
    for (unsigned k = 0; m->footprint && k < distinct; k++)
        ptx_footprint_note_constant(m->footprint, seen[k]);
    count->addresses += distinct;
    ptx_count_scales(count, address);
}

void ptx_memory_count(Machine *m, Warp *w, const Insn *insn, Count *count, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->func_state->func;
    const Operand *places[2] = { nth_address(func, insn, 0), insn->op->kind == OPK_CP_ASYNC ? nth_address(func, insn, 1) : NULL };
    bool is_copy = places[1] != NULL;
    Request r = { .lanes = lanes, .bytes = insn->access_bytes, .bank_bytes = m->launch->bank_bytes };
    Scratch address;
    if (!places[0] || !r.bytes)
        return;
    ptx_request_classify(w->frame->func_state, insn, &r);
    r.matrices = r.kind == REQUEST_MATRIX ? ptx_request_matrices(insn->op) : 1;
    count->requests++;
    count->active += ptx_lanes_count(lanes);
    ptx_count_doubt(count, doubt);
    for (unsigned side = 0; side < (is_copy ? 2 : 1); side++) {
        look_at_address(m, w, places[side], &address);
        Space space = is_copy ? side ? SPACE_GLOBAL : SPACE_SHARED : space_of(insn, &address.value, lanes);
        uint32_t addressed = r.kind == REQUEST_MATRIX && r.matrices < 4 ? lanes & ((UINT32_C(1) << (8 * r.matrices)) - 1) : lanes;
        if (address.value.unknown & addressed) {
            Request lost = { .lanes = addressed };
            ptx_count_doubt(count, UNCERTAIN_ADDRESS);
            trace(m, w, insn, is_copy ? space : (Space)insn->op->space, &lost, &address.value, count);
            if (space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_SHARED) {
                count->data_requests++;
                count->data_lanes += ptx_lanes_count(addressed);
            }
            continue;
        }
        if (address.value.is_assumed)
            ptx_count_doubt(count, UNCERTAIN_PARAMETER);
        Request here = r;
        here.lanes = addressed;
        if (space == SPACE_PARAM)
            ptx_blocks_pin(&m->blocks, &address.value);
        if (space == SPACE_SHARED)
            count_shared(m, w, insn, count, &here, &address.value);
        else if (space == SPACE_GLOBAL)
            count_global(m, w, insn, count, &here, &address.value);
        else if (space == SPACE_CONST || (space == SPACE_PARAM && ptx_request_place(ptx_value_lane(&address.value, 0)) < m->param_size))
            count_constant(m, count, &address.value, addressed);
    }
}

bool ptx_memory_find_shared(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, Scratch *address, uint32_t *addressed, uint32_t *bytes)
{
    const Operand *place = nth_address(w->frame->func_state->func, insn, 0);
    bool is_matrix = insn->op->kind == OPK_LDMATRIX || insn->op->kind == OPK_STMATRIX;
    unsigned matrices = is_matrix ? ptx_request_matrices(insn->op) : 4;
    if (!place || !insn->access_bytes)
        return false;
    look_at_address(m, w, place, address);
    *addressed = matrices < 4 ? lanes & ((UINT32_C(1) << (8 * matrices)) - 1) : lanes;
    *bytes = is_matrix ? MATRIX_ROW : insn->access_bytes;
    return *addressed && (insn->op->kind == OPK_CP_ASYNC || space_of(insn, &address->value, lanes) == SPACE_SHARED);
}

bool ptx_memory_read_address(Machine *m, Warp *w, const Insn *insn, unsigned which, Scratch *address)
{
    const Operand *place = nth_address(w->frame->func_state->func, insn, which);
    if (place)
        look_at_address(m, w, place, address);
    return place != NULL;
}

const Value *ptx_memory_stored(Machine *m, Warp *w, const Insn *insn, Scratch *room)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn), *value = NULL;
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == 1) {
            if (value)
                return NULL;
            value = &operands[o];
        }
    return insn->op->kind == OPK_ST && value ? ptx_machine_read(m, w, value, room) : NULL;
}
