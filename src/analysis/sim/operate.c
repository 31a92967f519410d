/* What an instruction does to the lanes of a warp, memory and control apart. */
#include "analysis/sim/machine.h"
#include "analysis/sim/stride/drawn.h"
#include "analysis/sim/stride/lane_groups.h"
#include "ir/reg.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"

/* ---- operations on numbers ------------------------------------------------------------------- */

enum { MAX_ARGS = 5, LANE_ARGS = 4 };

/* What an operation takes, and the lanes that do it. */
typedef struct LaneInputs {
    const Value *const *args;
    unsigned count;
    uint32_t lanes;
    uint8_t doubt;
} LaneInputs;

/* Of a result that is not known in any lane. False: its number is 0. */
static bool follow_groups(const Machine *m, const Decoded *code, Value *out, const LaneInputs *in)
{
    return code->action == ACTION_CHOOSE
               ? ptx_groups_choose(&m->blocks, out, in->args, in->lanes)
               : ptx_groups_follow(&m->blocks, &code->lanewise, out, in->args, in->count,
                                   in->lanes);
}

static DrawnInputs drawn_inputs(const Machine *m, const Decoded *code, const LaneInputs *in)
{
    return (DrawnInputs){ &code->lanewise, in->args, in->count, in->lanes, m->steps - m->begun };
}

/* Of a result that is not known in some lanes. True: its numbers are set. */
static bool draw_numbers(const Machine *m, const Decoded *code, Scratch *out, const LaneInputs *in)
{
    const DrawnInputs from = drawn_inputs(m, code, in);
    return code->action == ACTION_CHOOSE ? ptx_drawn_choose(&m->blocks, out, &from)
                                         : ptx_drawn_cut(out, &from);
}

/* How it grows, too. */
static bool follow_drawn(Machine *m, const Decoded *code, Value *out, const LaneInputs *in)
{
    const DrawnInputs from = drawn_inputs(m, code, in);
    return code->action != ACTION_CHOOSE && ptx_drawn_follow(&m->blocks, out, &from);
}

static void choose_growth(Machine *m, Value *out, const LaneInputs *in)
{
    const Value *const *args = in->args;
    uint32_t unknown, first = ptx_lanes_where(m, args[2], in->lanes, &unknown);
    ptx_block_stride_choose(&m->blocks, out, args[0], args[1], first,
                            in->lanes & ~first & ~unknown);
}

static void follow_drawn_choice(const Machine *m, const Decoded *code, Value *out,
                                const LaneInputs *in)
{
    const DrawnInputs from = drawn_inputs(m, code, in);
    ptx_drawn_follow_choice(&m->blocks, out, &from);
}

static void compute(Machine *m, const Decoded *code, Scratch *out, const LaneInputs *in)
{
    const Value *const *args = in->args;
    const unsigned count = in->count;
    const uint32_t lanes = in->lanes;
    const Lanewise *op = &code->lanewise;
    uint64_t x[MAX_ARGS] = { 0 };
    bool is_uniform = true, grows = false;
    uint8_t groups = 0;
    for (unsigned a = 0; a < count; a++) {
        grows |= args[a]->grows != 0;
        groups |= args[a]->group;
        is_uniform &= !args[a]->lanes;
        x[a] = args[a]->all;
    }
    if (code->action == ACTION_CHOOSE)
        ptx_value_choose(&out->value, args[0], args[1], args[2], lanes);
    else
        ptx_value_follow(op, &out->value, args, count, lanes);
    const bool is_drawn = groups && out->value.unknown & lanes
                          && follow_drawn(m, code, &out->value, in);
    if (grows && code->action == ACTION_CHOOSE)
        choose_growth(m, &out->value, in);
    else if (grows && !is_drawn)
        ptx_block_stride_follow(&m->blocks, op, &out->value, args, count, lanes);
    if (groups && out->value.unknown & lanes && code->action == ACTION_CHOOSE)
        follow_drawn_choice(m, code, &out->value, in);
    if (groups && !out->value.group && (out->value.unknown & lanes) == lanes
        && !follow_groups(m, code, &out->value, in))
        return;
    if (out->value.unknown & lanes && !out->value.group && draw_numbers(m, code, out, in))
        return;
    if (out->value.unknown == UINT32_MAX && !out->value.group)
        return;                 /* no number of it is ever asked for */
    if (is_uniform) {
        out->value.all = op->fn(op, x[0], x[1], x[2], x[3]);
        return;
    }
    const uint64_t *lists[MAX_ARGS] = { NULL };
    for (unsigned a = 0; a < count; a++)
        lists[a] = args[a]->lanes;
    out->value.lanes = out->lanes;
    ptx_lanewise_run(op, out->lanes, lists, x);
}

static void compute_other(Machine *m, Warp *w, const Lanewise *lanewise, const Operand *to,
                          const LaneInputs *in)
{
    const Decoded other = { .lanewise = *lanewise, .action = ACTION_LANEWISE };
    Scratch out;
    compute(m, &other, &out, in);
    ptx_machine_write(m, w, to, &out.value, in->lanes, in->doubt);
}

/* The right side of d|p. */
static void write_second(Machine *m, Warp *w, const Lanewise *op, const Operand *to,
                         const Value *first, const LaneInputs *in)
{
    const Value zero = ptx_value_const(0);
    Lanewise second;
    if (op->transfer == TRANSFER_COMPARE) {
        second = ptx_lanewise_other(op);
        compute_other(m, w, &second, to, in);
    } else if (op->transfer == TRANSFER_LOGIC && in->count == MAX_ARGS) {
        const Value *const args[] = { first, &zero, in->args[LANE_ARGS] };
        second = ptx_lanewise_nonzero(op);
        compute_other(m, w, &second, to, &(LaneInputs){ args, 3, in->lanes, in->doubt });
    } else {
        ptx_machine_write(m, w, to, &(Value){ .unknown = UINT32_MAX, .align = ALIGN_EXACT },
                          in->lanes, in->doubt);
    }
}

static void write_carry(Machine *m, Warp *w, const Lanewise *op, const LaneInputs *in)
{
    Decoded code = { .lanewise = *op, .action = ACTION_LANEWISE };
    Scratch out;
    code.lanewise.fn = op->carry;
    code.lanewise.transfer = TRANSFER_OPAQUE;
    code.lanewise.usual = 0;
    compute(m, &code, &out, in);
    ptx_machine_write_carry(m, w, &out.value, in->lanes, in->doubt);
}

/* Parts of operands, of which a minus takes the opposite. */
static void run_video(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                      uint8_t doubt)
{
    const Operand *operands = insn->operands;
    const Value *args[LANE_ARGS];
    Decoded own = *insn->code;
    Scratch room[LANE_ARGS], out;
    unsigned count = 0;
    ptx_lanewise_take_parts(&own.lanewise, operands, insn->operand_count);
    for (unsigned o = 1; o < insn->operand_count && count < LANE_ARGS; o++) {
        Operand whole = operands[o];    /* but a value that stands behind its operand stays there */
        whole.flags &= (uint8_t)~OPERAND_MINUS;
        args[count] = ptx_machine_read(m, w, whole.value_at ? &operands[o] : &whole, &room[count]);
        count++;
    }
    if (!count)
        return;
    if (!own.lanewise.fn) {
        ptx_machine_forget(m, w, insn, lanes, doubt);
        return;
    }
    compute(m, &own, &out, &(LaneInputs){ args, count, lanes, doubt });
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
}

/* A third operand goes into the result as the second went into the first. */
static void compute_chained(Machine *m, const SimInsn *insn, Scratch *out, const Value *third,
                            uint32_t lanes)
{
    Scratch first = *out;
    const Value *const rest[LANE_ARGS] = { &first.value, third };
    first.value.lanes = out->value.lanes ? first.lanes : NULL;
    compute(m, insn->code, out, &(LaneInputs){ rest, 2, lanes, UNCERTAIN_NONE });
}

static void run_lanewise(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    static const Value unknown = { .unknown = UINT32_MAX, .align = ALIGN_EXACT, .is_common = true };
    const Lanewise *op = &insn->code->lanewise;
    const Value *args[MAX_ARGS];
    Scratch room[MAX_ARGS], out;
    unsigned count = insn->arg_count;
    if (!count)
        return;
    for (unsigned a = 0; a < count; a++)
        args[a] = ptx_machine_read_arg(m, w, &insn->args[a], &room[a]);
    if (op->takes_carry && count < MAX_ARGS) {
        const Register *carry = ptx_machine_carry(w);
        args[count++] = ptx_register_is_written(carry) ? &carry->value : &unknown;
    }
    const bool is_chained = op->is_chained && count > 2;
    unsigned first_count = count < LANE_ARGS ? count : LANE_ARGS;
    if (is_chained)
        first_count = 2;
    const LaneInputs all = { args, count, lanes, doubt };
    const LaneInputs first = { args, first_count, lanes, doubt };
    compute(m, insn->code, &out, &first);
    if (is_chained)
        compute_chained(m, insn, &out, args[2], lanes);
    if (insn->pair)
        write_second(m, w, op, insn->pair, &out.value, &all);
    if (op->carry)
        write_carry(m, w, op, &first);
    ptx_machine_put(m, w, insn->results, &out.value, lanes, doubt);
}

static unsigned bits_of(const Warp *w, const Operand *operand)
{
    return operand->kind == OPERAND_REG
               ? ptx_type_info[w->frame->func_state->func->regs[operand->id].type].bits
               : 32;
}

/* How many of the first operands are results. */
static unsigned result_operands(const SimInsn *insn)
{
    unsigned count = 0;
    while (count < insn->operand_count && insn->operands[count].position == 0)
        count++;
    return count;
}

/* {a, b} = x: the parts of a number, the lowest first. Of an addend only the lowest part is
 * known. */
static void unpack(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *to = insn->operands;
    const unsigned count = result_operands(insn);
    Scratch room;
    const Value *from = ptx_machine_read(m, w, &to[count], &room);
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
                out.value.align = ALIGN_EXACT, out.value.addend = ADDEND_NONE,
                out.value.is_assumed = true;
        }
        out.value.group = part ? 0 : from->group;
        ptx_block_stride_part(&m->blocks, &out.value, from, shift & 63, lanes);
        shift += bits_of(w, &to[part]);
        ptx_machine_write(m, w, &to[part], &out.value, lanes, doubt);
    }
}

/* x = {a, b} */
static void pack(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *to = insn->operands, *from = to + 1;
    const unsigned count = insn->operand_count - 1;
    Scratch out, room;
    unsigned shift = 0;
    out.value = (Value){ .lanes = out.lanes, .align = ALIGN_EXACT, .is_common = true };
    memset(out.lanes, 0, sizeof out.lanes);
    for (unsigned part = 0; part < count; part++) {
        const Value *value = ptx_machine_read(m, w, &from[part], &room);
        unsigned bits = bits_of(w, &from[part]);
        for (unsigned i = 0; i < WARP_LANES; i++)
            out.lanes[i] |= ptx_truncated(ptx_value_lane(value, i), bits) << (shift & 63);
        out.value.unknown |= value->unknown;
        out.value.is_assumed |= value->is_assumed;
        if (value->align != ALIGN_EXACT && part == 0) {
            out.value.align = value->align;
            out.value.addend = ADDEND_OTHER;
            out.value.is_common = value->is_common;
            out.value.is_data = value->is_data;
        } else if (value->align != ALIGN_EXACT && out.value.align == ALIGN_EXACT) {
            out.value.align = (uint8_t)(value->align + shift < ALIGN_EXACT ? value->align + shift
                                                                           : ALIGN_EXACT - 1);
            out.value.addend = ADDEND_OTHER;
            out.value.is_common = value->is_common;
            out.value.is_data = value->is_data;
        }
        ptx_block_stride_join(&m->blocks, &out.value, value, shift & 63, bits, lanes);
        shift += bits;
    }
    ptx_machine_write(m, w, to, &out.value, lanes, doubt);
}

static void run_move(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = insn->operands;
    Scratch room;
    if (insn->operand_count == 2 && operands[0].position == 0 && operands[1].position) {
        ptx_machine_put(m, w, insn->results,
                        ptx_machine_read_arg(m, w, &insn->args[0], &room), lanes, doubt);
        return;
    }
    const unsigned to = result_operands(insn), from = insn->operand_count - to;
    if (to > 1 && from == 1) {
        unpack(m, w, insn, lanes, doubt);
    } else if (to == 1 && from > 1) {
        pack(m, w, insn, lanes, doubt);
    } else {
        for (unsigned i = 0; i < to && i < from; i++) {
            const Value *value = ptx_machine_read(m, w, &operands[to + i], &room);
            ptx_machine_narrow(&operands[to + i], (Type)insn->op->type, &room);
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

/* Generic addresses of a window are those of the space plus where the window begins. */
static void run_convert_address(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                                uint8_t doubt)
{
    const Operand *operands = insn->operands;
    Scratch room, out;
    if (insn->operand_count < 2)
        return;
    const Value *from = ptx_machine_read(m, w, &operands[1], &room);
    uint64_t window = window_of_space(insn->op->spaces[0]);
    uint64_t change = insn->code->action == ACTION_TO_SPACE ? 0 - window : window;
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

/* Nothing of what is put there in those lanes shows but the value: in all that run, at no place
 * that is looked at again. */
static bool is_put_plainly(const Warp *w, uint32_t lanes, uint8_t doubt)
{
    return (lanes & w->live) == w->live && doubt != UNCERTAIN_PARAMETER
           && !w->entries[w->entry_count - 1].region;
}

/* The value, one number that is the same in all blocks, is there already. */
static inline bool is_put_there(const Register *r, const Value *value)
{
    return ptx_register_is_written(r) && !memcmp(&r->value, value, offsetof(Value, by));
}

void ptx_machine_forget(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = insn->operands;
    bool is_uniform = insn->operand_count != 0 && insn->op->opcode && !(insn->op->flags & OPF_WARP)
                      && insn->op->flags & OPF_SIDE_EFFECT && !insn->op->space;
    if (insn->op->flags & OPF_SIDE_EFFECT && insn->op->kind != OPK_BAR)
        ptx_memory_forget_shared(m);
    Value value = ptx_machine_unknown(m, false);
    /* of results of mma, over and over */
    const bool may_hold = !is_uniform && is_put_plainly(w, lanes, doubt);
    for (unsigned o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_DEF))
            continue;
        if (is_uniform)
            value = ptx_machine_unknown(m, true);
        if (o >= insn->result_count)
            ptx_machine_write(m, w, &operands[o], &value, lanes, doubt);
        else if (!may_hold || !is_put_there(w->frame->regs[insn->results[o].place], &value))
            ptx_machine_put(m, w, &insn->results[o], &value, lanes, doubt);
    }
}

/* ---- across lanes ---------------------------------------------------------------------------- */

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

/* Data of few lanes for all of them: all sources are here, and nothing of them is known. */
static void set_shuffled_groups(Scratch *out, const Value *from, const uint8_t source[WARP_LANES],
                                uint32_t lanes)
{
    uint32_t sources = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        sources |= UINT32_C(1) << source[__builtin_ctz(left)];
    if ((from->unknown & sources) != sources || sources & ~lanes)
        return;
    out->value.group = ptx_groups_shuffle(from, source, lanes);
    if (from->group)
        return;
    out->value.lanes = NULL;
    out->value.all = 0;
}

static void run_shuffle(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                        uint8_t doubt)
{
    const Operand *operands = insn->operands, *pair = NULL,
                  *sources[3] = { NULL, NULL, NULL };
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
    const Value *a = ptx_machine_read(m, w, sources[0], &rooms[0]),
                *b = ptx_machine_read(m, w, sources[1], &rooms[1]);
    const Value *c = ptx_machine_read(m, w, sources[2], &rooms[2]);
    ptx_blocks_pin(&m->blocks, b);
    ptx_blocks_pin(&m->blocks, c);
    out.value = *a;
    out.value.lanes = out.lanes;
    out.value.unknown = 0;
    out.value.group = 0;
    out.value.is_assumed |= b->is_assumed || c->is_assumed;
    valid.value = (Value){ .lanes = valid.lanes, .align = ALIGN_EXACT, .is_common = true };
    const uint8_t mode = insn->code->mode;
    bool is_known = b->align == ALIGN_EXACT && c->align == ALIGN_EXACT;
    uint8_t source[WARP_LANES] = { 0 };
    const bool is_pair_read = pair && ptx_machine_result(w->frame->func_state, pair).place;
    const bool is_all_data = a->unknown == UINT32_MAX && !a->lanes;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        bool is_valid;
        unsigned from = shuffle_source(mode, i, ptx_value_lane(b, i), ptx_value_lane(c, i),
                                       &is_valid);
        source[i] = (uint8_t)from;
        out.lanes[i] = ptx_value_lane(a, from);
        valid.lanes[i] = is_valid;
        bool is_off = !is_known || (b->unknown | c->unknown) >> i & 1 || a->unknown >> from & 1
                      || !(lanes >> from & 1);
        out.value.unknown |= (uint32_t)is_off << i;
    }
    if (is_all_data) {          /* from whatever lane */
        out.value.lanes = NULL;
        out.value.unknown = UINT32_MAX;
    } else if (!a->lanes && ptx_value_is_uniform(a)) {
        out.value = *a;
    }
    /* One lane's data for all is the same in all. */
    if (mode == 'i' && is_known && !b->lanes && !b->unknown && out.value.unknown == UINT32_MAX
        && (ptx_value_lane(c, 0) >> 8 & 31) == 0)
        out.value = ptx_machine_unknown(m, true);
    else if (is_known && !((b->unknown | c->unknown) & lanes))
        set_shuffled_groups(&out, a, source, lanes);
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
    if (is_pair_read)
        ptx_machine_write(m, w, pair, &valid.value, lanes, doubt);
}

/* Lanes of `lanes` whose predicate holds, and those for which it is unknown. */
uint32_t ptx_lanes_where(Machine *m, const Value *predicate, uint32_t lanes, uint32_t *unknown)
{
    uint32_t where = predicate->all & 1 ? UINT32_MAX : 0;
    if (predicate->grows)
        ptx_blocks_pin(&m->blocks, predicate);
    if (predicate->lanes) {
        where = 0;
        for (unsigned i = 0; i < WARP_LANES; i++)
            where |= (uint32_t)(predicate->lanes[i] & 1) << i;
    }
    *unknown = predicate->align != ALIGN_EXACT ? lanes : predicate->unknown & lanes;
    return where & lanes & ~*unknown;
}

/* Whether all lanes that an operation waits for are here: those of its mask, where it has one. What
 * others bring is not known. */
static bool are_all_here(Machine *m, Warp *w, const SimInsn *insn, unsigned sources, uint32_t lanes,
                         uint8_t doubt)
{
    const Operand *operands = insn->operands,
                  *last = &operands[insn->operand_count - 1];
    Scratch room;
    if (doubt >= UNCERTAIN_DATA)
        return false;
    if (last->position != sources + 1u)
        return true;
    const Value *mask = ptx_machine_read(m, w, last, &room);
    ptx_blocks_pin(&m->blocks, mask);
    if (mask->lanes || mask->unknown || mask->align != ALIGN_EXACT)
        /* each lane names itself, and those that are not here are gone */
        return lanes == w->live;
    return !(mask->all & w->live & ~lanes);
}

static uint64_t voted(uint8_t mode, uint32_t where, uint32_t lanes)
{
    switch (mode) {
    case 'b':   return where;
    case 'l':   return where == lanes;
    case 'n':   return !where || where == lanes;
    default:    return where != 0;
    }
}

/* Whether lanes that are not known make no difference. */
static bool is_decided(uint8_t mode, uint32_t where, uint32_t unknown, uint32_t lanes)
{
    switch (mode) {
    case 'b': case 'n': return !unknown;
    case 'l':           return !unknown || (where | unknown) != lanes;
    default:            return !unknown || where;
    }
}

static void run_vote(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                     uint8_t doubt)
{
    const Operand *operands = insn->operands;
    Scratch room;
    uint32_t unknown;
    if (insn->operand_count < 2)
        return;
    const Value *a = ptx_machine_read(m, w, &operands[1], &room);
    uint32_t where = ptx_lanes_where(m, a, lanes, &unknown);
    Value out = ptx_value_const(voted(insn->code->mode, where, lanes));
    out.is_assumed = a->is_assumed;
    if (!is_decided(insn->code->mode, where, unknown, lanes)
        || !are_all_here(m, w, insn, 1, lanes, doubt))
        out = ptx_machine_unknown(m, true);
    ptx_machine_write(m, w, &operands[0], &out, lanes, doubt);
}

/* The same number in all of these lanes but for what is the same anyway; where each is known. */
static bool are_comparable(const Value *value, uint32_t lanes)
{
    return !(value->unknown & lanes) && (value->align == ALIGN_EXACT || value->is_common);
}

/* match.any: which lanes have the same number; match.all: all, or none. */
static void run_match(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                      uint8_t doubt)
{
    const Operand *operands = insn->operands, *pair = NULL;
    unsigned source = 1;
    if (insn->operand_count > 2 && operands[1].position == 0)
        pair = &operands[source++];
    if (insn->operand_count <= source)
        return;
    Scratch room, out;
    const Value *a = ptx_machine_read(m, w, &operands[source], &room);
    bool is_known = are_comparable(a, lanes) && are_all_here(m, w, insn, 1, lanes, doubt);
    uint32_t same = 0;
    ptx_blocks_pin(&m->blocks, a);
    out.value = (Value){
        .lanes = out.lanes, .align = ALIGN_EXACT, .is_common = true, .is_assumed = a->is_assumed
    };
    for (unsigned i = 0; i < WARP_LANES; i++) {
        same = 0;
        for (unsigned k = 0; k < WARP_LANES; k++)
            same |= (uint32_t)(lanes >> k & 1 && ptx_value_lane(a, i) == ptx_value_lane(a, k)) << k;
        out.lanes[i] = insn->code->mode == 'l' && same != lanes ? 0 : same;
    }
    unsigned first = (unsigned)__builtin_ctz(lanes);
    if (insn->code->mode == 'l')
        out.value = (Value){ .all = out.lanes[first],
                             .align = ALIGN_EXACT,
                             .is_common = true,
                             .is_assumed = a->is_assumed };
    Value holds = out.value;
    holds.all = holds.all != 0;
    if (!is_known)
        out.value = holds = ptx_machine_unknown(m, insn->code->mode == 'l');
    if (pair)
        ptx_machine_write(m, w, pair, &holds, lanes, doubt);
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
}

static uint64_t reduced(const Lanewise *op, uint64_t a, uint64_t b)
{
    bool is_less = op->is_signed ? (int32_t)(uint32_t)a < (int32_t)(uint32_t)b : a < b;
    if (op->fn)
        return op->fn(op, a, b, 0, 0);
    switch (op->mode) {
    case 'm': return is_less ? a : b;
    case 'M': return is_less ? b : a;
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    default:  return a + b;
    }
}

static void run_redux(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes,
                      uint8_t doubt)
{
    const Operand *operands = insn->operands;
    Scratch room;
    if (insn->operand_count < 2)
        return;
    const Value *a = ptx_machine_read(m, w, &operands[1], &room);
    unsigned first = (unsigned)__builtin_ctz(lanes);
    Value out = ptx_value_const(ptx_value_lane(a, first));
    bool is_float = ptx_type_info[insn->op->type].kind == KIND_FLOAT;
    ptx_blocks_pin(&m->blocks, a);
    for (unsigned i = is_float ? first : first + 1; i < WARP_LANES; i++)
        if (lanes >> i & 1)
            out.all = reduced(&insn->code->lanewise, out.all, ptx_value_lane(a, i));
    out.all = (uint32_t)out.all;
    out.is_assumed = a->is_assumed;
    bool is_known = !(a->unknown & lanes) && a->align == ALIGN_EXACT
                    && (!is_float || insn->code->lanewise.fn);
    if (!is_known || !are_all_here(m, w, insn, 1, lanes, doubt))
        out = ptx_machine_unknown(m, true);
    ptx_machine_write(m, w, &operands[0], &out, lanes, doubt);
}

/* Which window a generic address is in. That pointers from outside point to global memory is taken
 * for granted. */
static void run_is_space(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = insn->operands;
    uint64_t window = window_of_space(insn->op->spaces[0]);
    Scratch room, out;
    if (insn->operand_count < 2)
        return;
    const Value *a = ptx_machine_read(m, w, &operands[1], &room);
    ptx_blocks_pin(&m->blocks, a);
    out.value = (Value){ .lanes = out.lanes,
                         .align = ALIGN_EXACT,
                         .is_common = true,
                         .unknown = a->unknown,
                         .is_assumed = a->is_assumed || a->align != ALIGN_EXACT };
    for (unsigned i = 0; i < WARP_LANES; i++)
        out.lanes[i] = ptx_window_of(ptx_value_lane(a, i)) == window;
    if (a->align != ALIGN_EXACT && a->is_data)
        out.value = ptx_machine_unknown(m, false);
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
}

static void run_elect(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Operand *operands = insn->operands;
    unsigned leader = (unsigned)__builtin_ctz(lanes);
    Scratch out;
    out.value = (Value){ .lanes = out.lanes, .align = ALIGN_EXACT, .is_common = true };
    for (unsigned i = 0; i < WARP_LANES; i++)
        out.lanes[i] = i == leader;
    Value number = ptx_value_const(leader);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == 0)
            ptx_machine_write(m, w, &operands[o],
                              operands[o].flags & OPERAND_RIGHT ? &out.value : &number, lanes,
                              doubt);
}

static void write_number(Machine *m, Warp *w, const SimInsn *insn, uint64_t number, uint32_t lanes,
                         uint8_t doubt)
{
    const Operand *operands = insn->operands;
    Value value = ptx_value_const(number);
    if (insn->operand_count)
        ptx_machine_write(m, w, &operands[0], &value, lanes, doubt);
}

static void run_active_mask(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    write_number(m, w, insn, lanes, lanes, doubt);
}

static void run_true(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    write_number(m, w, insn, 1, lanes, doubt);
}

static void run_map(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const Observer *o = m->orderer;
    if (!o || !o->map || !o->map(o->self, w, insn->insn, lanes, doubt))
        ptx_machine_forget(m, w, insn, lanes, doubt);
}

static void run_nothing(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    (void)m;
    (void)w;
    (void)insn;
    (void)lanes;
    (void)doubt;
}

SimRun *ptx_machine_run_of(Action action)
{
    static SimRun *const runs[] = {
        [ACTION_LANEWISE] = run_lanewise,
        [ACTION_CHOOSE] = run_lanewise,
        [ACTION_VIDEO] = run_video,
        [ACTION_MOVE] = run_move,
        [ACTION_TO_SPACE] = run_convert_address,
        [ACTION_TO_GENERIC] = run_convert_address,
        [ACTION_LOAD] = ptx_memory_load,
        [ACTION_STORE] = ptx_memory_store,
        [ACTION_COPY] = ptx_memory_store,
        [ACTION_BULK] = ptx_bulk_copy,
        [ACTION_TENSOR_MAP] = ptx_bulk_make_map,
        [ACTION_ATOMIC] = ptx_memory_atomic,
        [ACTION_SHUFFLE] = run_shuffle,
        [ACTION_VOTE] = run_vote,
        [ACTION_MATCH] = run_match,
        [ACTION_REDUX] = run_redux,
        [ACTION_IS_SPACE] = run_is_space,
        [ACTION_ELECT] = run_elect,
        [ACTION_ACTIVE_MASK] = run_active_mask,
        [ACTION_TRUE] = run_true,
        [ACTION_MAP] = run_map,
        [ACTION_NOTHING] = run_nothing,
    };
    SimRun *run = action < sizeof runs / sizeof *runs ? runs[action] : NULL;
    return run ? run : ptx_machine_forget;
}
