/* Loads and stores: the layout of memory, and what it holds. */
#include "analysis/sim/initial.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/stride/lane_groups.h"
#include "analysis/sim/request.h"
#include "ir/module.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"
#include "analysis/value/launch.h"

enum {
    MAX_SLOTS = 4096,          /* places in local memory that are kept apart */
    SLOTS_A_STEP = 128,         /* looking through so many costs as much as an instruction */
    /* through all of a function, to look for regions; beyond, a block counts as an instruction that
     * is executed ... */
    WALKS_FREE = 128,
    REGS_A_STEP = 1024,         /* ... and so do so many registers of a region, each time */
};

/* ---- layout ---------------------------------------------------------------------------------- */

static void place(Machine *m, VarId var, uint64_t address)
{
    if (m->placed_count == m->placed_capacity)
        m->placed = ptx_arena_grow(m->arena, m->placed, m->placed_count, &m->placed_capacity,
                                   sizeof *m->placed);
    m->placed[m->placed_count++] = (PlacedVar){ var, address, NULL };
    *ptx_hash_map_at(&m->placed_of, m->arena, var) = m->placed_count;
}

/* The same for all runs of the kernel. */
static const SharedUnit *unit_of_kernel(Machine *m)
{
    const Func *kernel = &m->module->funcs[m->kernel];
    PlanMemo *memo = m->run_count ? m->states[0]->memo : NULL;
    if (memo && memo->unit)
        return memo->unit;
    Arena *arena = memo ? memo->arena : m->arena;
    SharedUnit *unit = ptx_arena_new(arena, SharedUnit);
    *unit = ptx_shared_unit_of(arena, m->module, &m->program->code.shared_units[kernel->unit],
                               kernel);
    if (memo)
        memo->unit = unit;
    return unit;
}

static void lay_out_shared(Machine *m)
{
    const SimCode *code = &m->program->code;
    if (m->has_shared)
        return;
    m->has_shared = true;
    m->shared_layout = ptx_shared_layout_make(m->arena, m->module, unit_of_kernel(m),
                                              code->own_first[m->kernel], code->own_end[m->kernel]);
    const int64_t dynamic = m->launch->dynamic_shared_bytes;
    const uint64_t end = ptx_align_up(m->shared_layout.end, 16)
                         + (uint64_t)(dynamic < 0 ? 49152 : dynamic);
    m->shared_size = (uint32_t)(end < LARGEST_SHARED ? end : LARGEST_SHARED);
}

static void take_pointer(Machine *m, uint64_t at, unsigned bytes, uint32_t index)
{
    uint64_t address = (uint64_t)(index + 1) << (bytes == 8 ? ARRAY_SHIFT : 24);
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
        at = ptx_align_up(at, var->align);
        place(m, func->params[p], at);
        at += var->bytes < LARGEST_SHARED ? var->bytes : 0;
    }
    m->param_size = (uint32_t)(at < LARGEST_SHARED ? at : LARGEST_SHARED);
    m->param_bytes = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    m->param_known = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    m->param_addend = ptx_arena_array(m->arena, AddendId, m->param_size + 16);
    m->param_guess = ptx_arena_array(m->arena, uint8_t, m->param_size + 16);
    for (uint32_t p = 0; p < func->param_count && p < m->launch->param_count; p++) {
        const LaunchParam *given = &m->launch->params[p];
        if (func->params[p] == NO_ID)
            continue;
        uint64_t offset = ptx_machine_placed(m, func->params[p])->address,
                 bytes = m->module->vars[func->params[p]].bytes;
        if (given->is_pointer && bytes >= 4 && offset + bytes <= m->param_size) {
            take_pointer(m, offset, bytes >= 8 ? 8 : 4, p);
            continue;
        }
        for (uint32_t b = 0;
             given->bytes && b < given->length && b < bytes && offset + b < m->param_size; b++) {
            m->param_bytes[offset + b] = given->bytes[b];
            m->param_known[offset + b] = 1;
        }
    }
}

uint64_t ptx_machine_array(const Machine *m, uint32_t param)
{
    const Func *func = &m->module->funcs[m->kernel];
    if (param < m->launch->param_count && m->launch->params[param].is_pointer)
        return (uint64_t)(param + 1) << ARRAY_SHIFT;
    const PlacedVar *placed = func->params[param] == NO_ID
                                  ? NULL
                                  : ptx_machine_placed(m, func->params[param]);
    return placed ? ptx_machine_guess(placed->address, 8, false) : 0;
}

void ptx_memory_lay_out(Machine *m)
{
    m->next_global = UINT64_C(1) << (ARRAY_SHIFT - 1);        /* below the first pointer's */
    lay_out_params(m);
}

/* Where a variable lies that is neither in shared memory nor the kernel's own parameter: behind
 * those asked for before. */
static uint64_t take_place(Machine *m, const Var *var)
{
    uint64_t bytes = var->bytes < (UINT64_C(1) << 40) ? var->bytes : 0;
    uint64_t *next = &m->next_global;
    if (var->space == SPACE_LOCAL)
        next = &m->next_local;
    else if (var->space == SPACE_CONST)
        next = &m->next_const;
    const bool is_global = next == &m->next_global;
    uint64_t at = ptx_align_up(*next, is_global && var->align < 256 ? 256 : var->align);
    *next = at + bytes;
    return at;
}

uint64_t ptx_memory_address(Machine *m, VarId id)
{
    const Var *var = &m->module->vars[id];
    if (ptx_space_is_shared((Space)var->space))
        lay_out_shared(m);
    const PlacedVar *placed = ptx_machine_placed(m, id);
    uint64_t address;
    if (placed)
        return placed->address;
    if (m->has_shared && ptx_shared_layout_find(&m->shared_layout, id, &address))
        return address;
    /* a parameter of a call has a place of its own */
    place(m, id,
          ptx_space_is_param((Space)var->space) ? (uint64_t)id << 32 | UINT64_C(1) << 59
                                                : take_place(m, var));
    return m->placed[m->placed_count - 1].address;
}

/* Where the first of the lanes says. */
static uint64_t first_place(const Value *address, uint32_t lanes)
{
    return ptx_request_place(ptx_value_lane(address, (unsigned)__builtin_ctz(lanes)));
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

/* ---- places: local memory and parameters of calls -------------------------------------------- */

/* The newest first: arguments are stored shortly before they are loaded. */
static Slot *find_slot(Machine *m, const Slots *slots, uint64_t address, uint32_t bytes)
{
    m->steps += slots->count / SLOTS_A_STEP;
    for (uint32_t i = slots->count; i-- > 0;)
        if (slots->items[i].address == address && slots->items[i].bytes == bytes)
            return &slots->items[i];
    return NULL;
}

static Slot *make_slot(Machine *m, Slots *slots, uint64_t address, uint32_t bytes)
{
    Slot *slot = find_slot(m, slots, address, bytes);
    if (slot)
        return slot;
    /* Another width at the same bytes: what was there is gone. */
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->items[i].address < address + bytes
            && address < slots->items[i].address + slots->items[i].bytes)
            ptx_value_forget(&slots->items[i].held.value, UINT32_MAX);
    if (slots->count >= MAX_SLOTS)
        return NULL;
    if (slots->count == slots->capacity)
        slots->items = ptx_arena_grow(m->arena, slots->items, slots->count, &slots->capacity,
                                      sizeof *slots->items);
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
        r->slab[i] = is_whole || lanes >> i & 1 ? ptx_value_lane(value, i)
                                                : ptx_value_lane(&old, i);
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

/* ---- loads ----------------------------------------------------------------------------------- */

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
    return at / 8 >= m->shared_low && at / 8 < m->shared_high
           && m->shared_known[at / 8] >> (at % 8) & 1;
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
    uint32_t thread = m->shared_by[at] & ((1u << THREAD_BITS) - 1),
             when = m->shared_by[at] >> THREAD_BITS;
    return when < m->round || thread == w->index * WARP_LANES + lane
           || (thread / WARP_LANES == w->index && when < w->synced);
}

/* Bits of bytes from one on, as shared_known has them. */
static uint32_t known_bits(uint64_t at, unsigned bytes)
{
    return ((1u << bytes) - 1) << at % 8;
}

/* Of the bytes of a number, all of them by one store: whether they are known and settled, and the
 * number. False: one byte after the other is to be looked at. */
static bool take_whole(const Machine *m, const Warp *w, unsigned lane, uint64_t at, unsigned bytes,
                       uint64_t *number)
{
    const uint64_t end = 8 * (uint64_t)m->shared_high;
    if (at / 8 < m->shared_low || at >= end || end - at < bytes || bytes > sizeof *number)
        return false;
    const uint32_t *by = &m->shared_by[at], bits = known_bits(at, bytes);
    const uint8_t *from = &m->shared[at];
    for (unsigned i = 0; bits >> 8 * i; i++)
        if (~(uint32_t)m->shared_known[at / 8 + i] & (bits >> 8 * i & 0xff))
            return false;
    for (unsigned b = 1; b < bytes; b++)
        if (by[b] != by[0])
            return false;
    for (unsigned b = 0; b < bytes; b++)
        *number |= (uint64_t)from[b] << (8 * b);
    return is_settled(m, w, lane, at);
}

/* What no run knows the bytes of: the same in all lanes where they load one place, and in groups
 * of them that load one each. */
typedef struct UnknownLoad {
    bool is_place;
    bool is_assumed;            /* that these are groups */
    uint8_t group;              /* Value.group */
} UnknownLoad;

static UnknownLoad unknown_load(const Machine *m, const Value *address, uint32_t lanes)
{
    const bool is_place = is_one_place(address, lanes), are_apart = is_place || m->ctaids;
    const uint8_t group = are_apart ? 0 : ptx_groups_load(&m->blocks, address, lanes);
    return (UnknownLoad){ is_place, group && address->is_assumed, group };
}

static Value loaded_unknown(Machine *m, const UnknownLoad *load)
{
    Value value = ptx_machine_unknown(m, load->is_place);
    value.is_assumed = load->is_assumed;
    value.group = load->group;
    return value;
}

/* Some bytes may be known: the lanes of a group then need not be alike. */
static void set_partly_known(Machine *m, const LaneLoad *load)
{
    const UnknownLoad what = unknown_load(m, load->address, load->lanes);
    const bool is_all_unknown = (load->out->value.unknown & load->lanes) == load->lanes;
    if (what.is_place || (what.group && is_all_unknown))
        load->out->value = loaded_unknown(m, &what);
}

static void load_shared(Machine *m, const Warp *w, const LaneLoad *load)
{
    const Value *address = load->address;
    Scratch *out = load->out;
    out->value = (Value){ .lanes = out->lanes,
                          .align = ALIGN_EXACT,
                          .is_common = true,
                          .is_assumed = address->is_assumed || m->contents };
    if (address->align != ALIGN_EXACT)
        out->value.unknown = UINT32_MAX;
    else
        out->value.unknown = address->unknown;
    if (m->shared_low == m->shared_high || m->is_blind) {
        out->value.lanes = NULL;
        out->value.unknown = UINT32_MAX;
    }
    for (unsigned i = 0; i < WARP_LANES && out->value.lanes; i++) {
        uint64_t at = ptx_request_place(ptx_value_lane(address, i)), number = 0;
        bool is_known = true;
        const bool is_whole = take_whole(m, w, i, at, load->bytes, &number);
        number = is_whole ? number : 0;
        for (unsigned b = 0; b < load->bytes && !is_whole; b++) {
            is_known &= is_known_byte(m, at + b) && is_settled(m, w, i, at + b);
            number |= is_known ? (uint64_t)m->shared[at + b] << (8 * b) : 0;
        }
        out->lanes[i] = ptx_lane_extend(number, load->type);
        out->value.unknown |= (uint32_t)!is_known << i;
    }
    if (out->value.unknown & load->lanes)
        set_partly_known(m, load);
}

/* Of local memory, where each lane says. */
static void gather_slots(Machine *m, const Warp *w, const LaneLoad *load)
{
    Scratch *out = load->out;
    out->value = (Value){ .lanes = out->lanes,
                          .align = ALIGN_EXACT,
                          .is_common = true,
                          .is_assumed = load->address->is_assumed,
                          .unknown = ~load->lanes };
    for (unsigned i = 0; i < WARP_LANES; i++) {
        out->lanes[i] = 0;
        if (!(load->lanes >> i & 1))
            continue;
        uint64_t at = ptx_request_place(ptx_value_lane(load->address, i));
        const Slot *slot = find_slot(m, &w->local, at, load->bytes);
        if (!slot || !slot->held.is_written || slot->held.value.unknown >> i & 1
            || slot->held.value.align != ALIGN_EXACT) {
            out->value.unknown |= UINT32_C(1) << i;
            continue;
        }
        ptx_blocks_pin(&m->blocks, &slot->held.value);
        out->lanes[i] = ptx_lane_extend(ptx_value_lane(&slot->held.value, i), load->type);
        out->value.is_assumed |= slot->held.value.is_assumed;
    }
}

static void load_slot(Machine *m, Warp *w, const LaneLoad *load)
{
    const Value *address = load->address;
    Scratch *out = load->out;
    out->value = ptx_machine_unknown(m, false);
    if (address->unknown & load->lanes || address->align != ALIGN_EXACT)
        return;
    if (!is_one_place(address, load->lanes)) {
        if (load->space == SPACE_LOCAL)
            gather_slots(m, w, load);
        return;
    }
    uint64_t at = first_place(address, load->lanes);
    const Slots *slots = slots_at(w, load->space, &at);
    const Slot *slot = slots ? find_slot(m, slots, at, load->bytes) : NULL;
    if (!slot || !slot->held.is_written)
        return;
    out->value = slot->held.value;
    out->value.group = load->bytes < sizeof(uint32_t) ? 0 : out->value.group;
    if (ptx_type_info[load->type].kind == KIND_SIGNED && load->bytes < 8)
        ptx_blocks_pin(&m->blocks, &out->value);        /* its sign may be another */
    out->value.all = ptx_lane_extend(out->value.all, load->type);
    if (!out->value.lanes)
        return;
    for (unsigned i = 0; i < WARP_LANES; i++)
        out->lanes[i] = ptx_lane_extend(slot->held.value.lanes[i], load->type);
    out->value.lanes = out->lanes;
}

/* The variable of the module that a number lies in; NULL. */
static PlacedVar *variable_at(const Machine *m, Space space, uint64_t at)
{
    for (uint32_t i = 0; i < m->placed_count; i++) {
        const Var *var = &m->module->vars[m->placed[i].var];
        if (var->space == space && at >= m->placed[i].address
            && at - m->placed[i].address < var->bytes)
            return &m->placed[i];
    }
    return NULL;
}

/* Its first bytes; NULL: they are not known. */
static const uint8_t *initial_of(Machine *m, PlacedVar *placed)
{
    if (!placed->initial)
        placed->initial = m->program->initial[placed->var];
    if (!placed->initial) {
        const uint8_t *read = ptx_initial_read(m->arena, m->module, placed->var);
        placed->initial = read ? read : ptx_initial_unknown;
    }
    return placed->initial == ptx_initial_unknown ? NULL : placed->initial;
}

/* What a variable of the module begins with, for all that is known the host writes something else
 * there. False: none has what these lanes load. */
static bool load_initial(Machine *m, const LaneLoad *load)
{
    const Value *address = load->address;
    Scratch *out = load->out;
    if (address->unknown & load->lanes || address->is_data
        || (address->align != ALIGN_EXACT && address->addend == ADDEND_NONE))
        return false;
    PlacedVar *placed = variable_at(m, load->space, first_place(address, load->lanes));
    const uint8_t *from = placed && ptx_span_length(m->module->vars[placed->var].numbers)
                              ? initial_of(m, placed)
                              : NULL;
    if (!from)
        return false;
    m->initial_is_assumed = true;
    uint64_t begin = placed->address, size = m->module->vars[placed->var].bytes;
    out->value = (Value){ .lanes = out->lanes,
                          .align = ALIGN_EXACT,
                          .is_common = true,
                          .is_assumed = true,
                          .unknown = ~load->lanes };
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t at = ptx_request_place(ptx_value_lane(address, i)) - begin, number = 0;
        bool is_inside = at < size && load->bytes <= size - at;
        for (unsigned b = 0; b < load->bytes && is_inside; b++)
            number |= (uint64_t)from[at + b] << (8 * b);
        out->lanes[i] = ptx_lane_extend(number, load->type);
        out->value.unknown |= (uint32_t)!is_inside << i;
    }
    return !(out->value.unknown & load->lanes);
}

static void load_any(Machine *m, const LaneLoad *load)
{
    const UnknownLoad what = unknown_load(m, load->address, load->lanes);
    load->out->value = loaded_unknown(m, &what);
}

static void load_element(Machine *m, Warp *w, const LaneLoad *load)
{
    const Value *address = load->address;
    const Space space = load->space;
    bool is_place = is_one_place(address, load->lanes);
    uint64_t first = first_place(address, load->lanes);
    bool is_initial = (space == SPACE_CONST || space == SPACE_GLOBAL)
                      && m->program->code.has_initial && load_initial(m, load);
    if (space != SPACE_GLOBAL || is_initial)
        ptx_blocks_pin(&m->blocks, address);
    if (is_initial)
        return;
    if (space == SPACE_PARAM && is_place && first < m->param_size && address->align == ALIGN_EXACT)
        load->out->value = load_kernel_param(m, first, load->bytes, load->type);
    else if (space == SPACE_PARAM || space == SPACE_LOCAL)
        load_slot(m, w, load);
    else if (space == SPACE_SHARED)
        load_shared(m, w, load);
    else if (space == SPACE_GLOBAL && m->contents)
        m->contents->load(m->contents->self, w, load);
    else
        load_any(m, load);
}

static void shift_address(Scratch *address, uint64_t by)
{
    address->value.all += by;
    for (unsigned i = 0; i < WARP_LANES && address->value.lanes; i++)
        address->lanes[i] += by;
}

static void load_unknown(Machine *m, Warp *w, const SimInsn *insn, const UnknownLoad *load,
                         uint32_t lanes, uint8_t doubt)
{
    for (unsigned o = 0; o < insn->result_count; o++) {
        const Value value = loaded_unknown(m, load);
        ptx_machine_put(m, w, &insn->results[o], &value, lanes, doubt);
    }
}

void ptx_memory_load(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *place = insn->addresses[0];
    Type type = (Type)insn->op->type;
    unsigned bytes = (ptx_type_info[type].bits + 7u) / 8;
    Scratch room, out;
    if (!place)
        return;
    const Value *address = ptx_address_look(m, w, place, &room);
    Space space = ptx_address_space(insn->insn, address, lanes);
    bool is_followed = bytes <= 8 && !(insn->op->flags & OPF_WARP)
                       && !(space == SPACE_SHARED && insn->op->space == SPACE_GENERIC
                            && ptx_op_asks_other_blocks(insn->op));
    if (!is_followed) {
        load_unknown(m, w, insn, &(UnknownLoad){ .group = 0 }, lanes, doubt);
        return;
    }
    if (space == SPACE_GLOBAL && !m->contents && !m->program->code.has_initial) {
        const UnknownLoad load = unknown_load(m, address, lanes);
        load_unknown(m, w, insn, &load, lanes, doubt);
        return;
    }
    if (insn->result_count > 1)         /* may write the address */
        address = ptx_address_keep(address, &room);
    const LaneLoad load = { insn->insn, address, &out, bytes, lanes, type, space };
    for (unsigned o = 0; o < insn->result_count; o++) {
        if (o)
            shift_address(&room, bytes);
        load_element(m, w, &load);
        ptx_machine_put(m, w, &insn->results[o], &out.value, lanes, doubt);
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

void ptx_memory_forget_shared(Machine *m)
{
    if (m->shared_high > m->shared_low)
        memset(m->shared_known + m->shared_low, 0, m->shared_high - m->shared_low);
    m->shared_low = m->shared_high = 0;
}

/* For what is declared at first: most kernels take no more. */
static void grow_shared(Machine *m, uint64_t end)
{
    const uint8_t *bytes = m->shared, *known = m->shared_known;
    const uint32_t *by = m->shared_by, had = m->shared_room;
    const bool is_declared = end <= m->shared_layout.end && m->shared_layout.end < m->shared_size;
    m->shared_room = is_declared ? (uint32_t)m->shared_layout.end : m->shared_size;
    m->shared = ptx_arena_array(m->arena, uint8_t, m->shared_room + 16);
    m->shared_known = ptx_arena_array(m->arena, uint8_t, m->shared_room / 8 + 16);
    m->shared_by = ptx_arena_array(m->arena, uint32_t, m->shared_room + 16);
    if (!had)
        return;
    memcpy(m->shared, bytes, had);
    memcpy(m->shared_known, known, had / 8 + 1);
    memcpy(m->shared_by, by, had * sizeof *by);
}

/* Bytes from here on may be known from now on. */
static void open_shared(Machine *m, uint64_t at, unsigned bytes)
{
    uint32_t low = (uint32_t)(at / 8), high = (uint32_t)((at + bytes - 1) / 8 + 1);
    bool is_empty = m->shared_low == m->shared_high;
    m->shared_low = is_empty || low < m->shared_low ? low : m->shared_low;
    m->shared_high = is_empty || high > m->shared_high ? high : m->shared_high;
}

static inline void keep_stored(Machine *m, uint64_t at, uint64_t number, uint32_t mark,
                               unsigned count)
{
    uint8_t *to = &m->shared[at];
    uint32_t *by = &m->shared_by[at];
    for (unsigned b = 0; b < count; b++) {
        to[b] = b < sizeof number ? (uint8_t)(number >> (8 * b)) : 0;
        by[b] = mark;
    }
}

static void store_lane(Machine *m, uint32_t thread, uint64_t at, unsigned bytes, uint64_t number,
                       bool is_known)
{
    if (at >= m->shared_size)
        return;
    if (is_known)
        open_shared(m, at, at + bytes <= m->shared_size ? bytes : (unsigned)(m->shared_size - at));
    else if (at / 8 >= m->shared_high || (at + bytes - 1) / 8 < m->shared_low)
        return;
    const unsigned count = at + bytes <= m->shared_size ? bytes : (unsigned)(m->shared_size - at);
    const uint32_t bits = known_bits(at, count), mark = m->clock << THREAD_BITS | thread;
    if (at + count > m->shared_room)
        grow_shared(m, at + count);
    uint8_t *known = &m->shared_known[at / 8];
    if (count == sizeof(uint32_t))
        keep_stored(m, at, number, mark, sizeof(uint32_t));
    else
        keep_stored(m, at, number, mark, count);
    for (unsigned i = 0; bits >> 8 * i; i++)
        known[i] = (uint8_t)(is_known ? known[i] | bits >> 8 * i : known[i] & ~(bits >> 8 * i));
}

static void store_shared(Machine *m, const Warp *w, const LaneStore *store)
{
    const Value *address = store->address, *value = store->value;
    bool is_known = value && value->align == ALIGN_EXACT && (!value->is_assumed || m->contents)
                    && !store->doubt && !address->is_assumed && !m->shared_is_lost;
    if (address->unknown & store->lanes || address->align != ALIGN_EXACT) {
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
        if (!(store->lanes >> i & 1))
            continue;
        bool is_lane_known = is_known && !(value->unknown >> i & 1);
        store_lane(m, w->index * WARP_LANES + i, ptx_request_place(ptx_value_lane(address, i)),
                   store->bytes, is_lane_known ? ptx_value_lane(value, i) : 0, is_lane_known);
    }
}

static void store_element(Machine *m, Warp *w, const LaneStore *store)
{
    const Value *address = store->address;
    const Space space = store->space;
    if (space == SPACE_GLOBAL && m->contents)
        m->contents->store(m->contents->self, w, store);
    if (space == SPACE_SHARED) {
        store_shared(m, w, store);
        return;
    }
    if (space != SPACE_LOCAL && space != SPACE_PARAM)
        return;
    ptx_blocks_pin(&m->blocks, address);
    if (!is_one_place(address, store->lanes) || address->align != ALIGN_EXACT) {
        w->local.count = 0;     /* some place in local memory: none is known any more */
        return;
    }
    uint64_t at = first_place(address, store->lanes);
    Slots *slots = slots_at(w, space, &at);
    Slot *slot = slots ? make_slot(m, slots, at, store->bytes) : NULL;
    if (!slot)
        return;
    Value made = *store->value;
    made.is_assumed |= store->doubt == UNCERTAIN_PARAMETER;
    if (store->doubt >= UNCERTAIN_DATA)
        ptx_value_forget(&made, UINT32_MAX);
    store_slot(m, slot, &made, store->lanes, w->live);
}

/* Of shared memory, a number that is not known. */
static void forget_stored(Machine *m, const Warp *w, const Insn *insn, const Value *address,
                          uint32_t lanes, uint8_t doubt)
{
    store_shared(m, w, &(LaneStore){ insn, address, NULL, insn->access_bytes, lanes, doubt,
                                     SPACE_SHARED });
}

/* What an atomic operation leaves is not followed; of shared memory it changes its own bytes
 * only. */
void ptx_memory_atomic(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = insn->operands, *place = insn->addresses[0];
    Scratch address;
    if (place) {
        ptx_address_read(m, w, place, &address);
        if (ptx_address_space(insn->insn, &address.value, lanes) == SPACE_SHARED)
            forget_stored(m, w, insn->insn, &address.value, lanes, doubt);
    }
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_DEF) {
            Value value = ptx_machine_unknown(m, false);
            ptx_machine_write(m, w, &operands[o], &value, lanes, doubt);
        }
}

void ptx_memory_store(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = insn->operands, *place = insn->addresses[0];
    unsigned bytes = (ptx_type_info[insn->op->type].bits + 7u) / 8;
    Scratch address, room;
    if (!place)
        return;
    ptx_address_read(m, w, place, &address);
    if (insn->op->kind == OPK_CP_ASYNC) {
        forget_stored(m, w, insn->insn, &address.value, lanes, doubt);
        return;
    }
    Space space = ptx_address_space(insn->insn, &address.value, lanes);
    bool is_first = true;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (operands[o].position != 1)
            continue;
        if (!is_first)
            shift_address(&address, bytes);
        is_first = false;
        const Value *value = ptx_machine_read(m, w, &operands[o], &room);
        store_element(m, w, &(LaneStore){ insn->insn, &address.value, value, bytes, lanes, doubt,
                                          space });
    }
}

/* ---- what rests on an assumption ------------------------------------------------------------- */

/* Lanes left, or may have: which lanes are active behind depends on that. */
void ptx_memory_add_uncertainty(Warp *w, uint8_t doubt)
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
void ptx_memory_assume_written(Machine *m, Warp *w, const SimInsn *insn)
{
    const Operand *operands = insn->operands;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        Register *r = operands[o].role & ROLE_DEF && operands[o].kind == OPERAND_REG
                          ? ptx_frame_register(w->frame, operands[o].id)
                          : NULL;
        if (r)
            r->value.is_assumed = true;
    }
    if (insn->op->kind == OPK_ST && insn->op->space != SPACE_GLOBAL
        && insn->op->space != SPACE_SHARED)
        assume_stored(w);
    if (insn->op->kind != OPK_LD && may_be_shared(insn->op))
        ptx_memory_forget_shared(m);
}

/* Most registers are of no interest to a run, and share one place. */
static void list_written_places(Arena *arena, const FuncState *func_state, SliceRegion *region)
{
    uint32_t *places = ptx_arena_array(arena, uint32_t, region->reg_count + 1);
    bool has_shared = false;
    for (uint32_t i = 0; i < region->reg_count; i++) {
        const uint32_t place = func_state->slice.places[region->regs[i]];
        if (place || !has_shared)
            places[region->place_count++] = place;
        has_shared |= !place;
    }
    region->places = places;
}

static const SliceRegion *assumed_region(const FuncState *func_state, InsnId branch,
                                    BlockId reconvergence)
{
    PlanMemo *memo = func_state->memo;
    if (!memo->regions[branch]) {
        SliceRegion *found = ptx_region_compute(memo->arena, &memo->finder,
                                                func_state->cfg->block_of[branch], reconvergence);
        list_written_places(memo->arena, func_state, found);
        memo->regions[branch] = found;
    }
    return memo->regions[branch];
}

/* A branch took the side that an assumption says: what the other one would have written is not sure
 * any more. */
void ptx_memory_assume(Machine *m, Warp *w, InsnId branch, BlockId reconvergence, uint8_t doubt)
{
    if (m->orderer && m->orderer->needs_shape && m->block_is_assumed
        && doubt <= UNCERTAIN_PARAMETER)
        return;                 /* whatever races is an estimate anyway */
    FuncState *func_state = w->frame->func_state;
    uint8_t *assumed = &func_state->assumed[branch];
    const SliceRegion *region = assumed_region(func_state, branch, reconvergence);
    if (!*assumed) {
        func_state->walked += region->block_count;
        m->steps += func_state->walked > (uint64_t)WALKS_FREE * func_state->cfg->block_count
                        ? region->block_count
                        : 0;
        *assumed = 1;
    }
    m->steps += region->reg_count / REGS_A_STEP;
    for (uint32_t i = 0; i < region->place_count; i++) {
        Register *r = w->frame->regs[region->places[i]];
        if (r)
            r->value.is_assumed = true;
    }
    for (uint32_t i = 0; *assumed <= doubt && i < region->access_count;
         i++) /* lanes may come there that did not, or once more */
        ptx_count_add_uncertainty(ptx_count_at(m, func_state->counts, region->accesses[i]), doubt);
    *assumed = *assumed <= doubt ? (uint8_t)(doubt + 1) : *assumed;
    if (region->stores_private)
        assume_stored(w);
    if (region->stores_shared)
        ptx_memory_forget_shared(m);
    if (region->leaves) {
        ptx_memory_add_uncertainty(w, doubt);
        m->shared_is_lost = true;
        ptx_memory_forget_shared(m);
    }
}
