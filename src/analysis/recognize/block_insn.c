/* One instruction for the lanes of a warp: numbers, what is combined, shuffles. */
#include "analysis/recognize/block_run.h"

#include "analysis/sim/value.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "ir/sreg.h"

#include <stdlib.h>

enum { BLOCK_ARGS = 4 };

typedef struct BlockStep {
    BlockRun *run;
    BlockWarp *w;
    const Insn *insn;
    const Operand *operands;
    InsnId id;
    uint32_t lanes, maybe, visit;
} BlockStep;

/* ---- registers ------------------------------------------------------------------------------- */

static unsigned bits_of_reg(const BlockRun *run, RegId reg)
{
    const uint8_t type = run->func->regs[reg].type;
    return type == TYPE_PRED ? 1 : ptx_type_info[type].bits;
}

static bool is_whole_reg(const BlockRun *run, const Operand *operand)
{
    const uint8_t others = OPERAND_COMPONENT | OPERAND_PART | OPERAND_MINUS | OPERAND_IMPLICIT;
    return operand->kind == OPERAND_REG && !(operand->flags & others)
           && run->func->regs[operand->id].vector <= 1;
}

static uint64_t number_of_sreg(const BlockRun *run, const Operand *operand, uint32_t thread,
                               bool *is_known)
{
    const uint32_t lane = thread % BLOCK_WARP, bit = UINT32_C(1) << lane;
    const uint32_t at[3] = { thread % run->shape[0], thread / run->shape[0] % run->shape[1],
                             thread / run->shape[0] / run->shape[1] };
    *is_known = true;
    switch ((SregId)operand->id) {
    case SREG_TID: return operand->value < 3 ? at[operand->value] : 0;
    case SREG_NTID: return operand->value < 3 ? run->shape[operand->value] : 0;
    case SREG_LANEID: return lane;
    case SREG_LANEMASK_EQ: return bit;
    case SREG_LANEMASK_LT: return bit - 1;
    case SREG_LANEMASK_LE: return bit | (bit - 1);
    case SREG_LANEMASK_GT: return ~(bit | (bit - 1));
    case SREG_LANEMASK_GE: return ~(bit - 1);
    default: *is_known = false; return 0;
    }
}

/* Of a register that was never set nothing is known. */
static BlockValue read_reg(const BlockRun *run, const Operand *operand, uint32_t thread)
{
    const uint64_t site = (uint64_t)run->func->operand_count + operand->id;
    const BlockValue unknown = ptx_block_element(ptx_block_key(site, 0, NO_THREAD));
    if (!is_whole_reg(run, operand))
        return unknown;
    BlockValue value = *ptx_block_reg(run, operand->id, thread);
    if (value.kind == BLOCK_UNSET || (operand->flags & OPERAND_NEGATED
                                      && value.kind != BLOCK_NUMBER))
        return unknown;
    if (operand->flags & OPERAND_NEGATED)
        value.number = !value.number;
    return value;
}

BlockValue ptx_block_read(const BlockRun *run, const Operand *operand, uint32_t thread)
{
    const uint64_t site = (uint64_t)(operand - run->func->operands);
    bool is_known = false;
    uint64_t number = 0;
    if (operand->kind == OPERAND_REG)
        return read_reg(run, operand, thread);
    if (operand->kind == OPERAND_SREG)
        number = number_of_sreg(run, operand, thread, &is_known);
    if (operand->kind == OPERAND_VAR && (number = ptx_block_shared_address(run, operand->id))) {
        number += (uint64_t)operand->value;
        is_known = true;
    }
    if (operand->kind == OPERAND_INT || operand->kind == OPERAND_F32
        || operand->kind == OPERAND_F64)
        return ptx_block_number((uint64_t)operand->value);
    return is_known ? ptx_block_number(number)
                    : ptx_block_element(ptx_block_key(site, 0, NO_THREAD));
}

void ptx_block_write(BlockRun *run, const Operand *operand, uint32_t thread, BlockValue value)
{
    if (operand->kind != OPERAND_REG)
        return;
    const unsigned bits = bits_of_reg(run, operand->id);
    if (value.kind == BLOCK_NUMBER && bits < 64)
        value.number &= (UINT64_C(1) << bits) - 1;
    if (operand->flags & OPERAND_COMPONENT || run->func->regs[operand->id].vector > 1)
        value = (BlockValue){ 0 };
    *ptx_block_reg(run, operand->id, thread) = value;
}

void ptx_block_forget(BlockRun *run, BlockWarp *w, RegId reg, uint32_t lanes)
{
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t thread = ptx_block_thread(run, w, lane);
        if (!(lanes >> lane & 1))
            continue;
        BlockValue *value = ptx_block_reg(run, reg, thread);
        run->kept[(size_t)reg * run->threads + thread] = *value;
        *value = ptx_block_element(
            ptx_block_key((uint64_t)run->func->operand_count + reg, w->forgets, thread));
    }
}

uint32_t ptx_block_guard(const BlockRun *run, const BlockWarp *w, InsnId id, uint32_t lanes,
                         uint32_t *maybe)
{
    const Insn *insn = &run->func->insns[id];
    uint32_t where = 0;
    *maybe = 0;
    if (insn->guard == NO_ID)
        return lanes;
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t bit = UINT32_C(1) << lane;
        if (!(lanes & bit))
            continue;
        const BlockValue p = *ptx_block_reg(run, insn->guard, ptx_block_thread(run, w, lane));
        if (p.kind != BLOCK_NUMBER)
            *maybe |= bit;
        else if (!p.number == insn->guard_negated)
            where |= bit;
    }
    return where;
}

static uint64_t key_of_result(const BlockStep *s, const Operand *operand, uint32_t thread)
{
    return ptx_block_key((uint64_t)(operand - s->run->func->operands), s->visit, thread);
}

/* All results are the thread's own, and nothing more is known. */
static void write_elements(const BlockStep *s, uint32_t lanes)
{
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t thread = ptx_block_thread(s->run, s->w, lane);
        for (uint32_t o = 0; lanes >> lane & 1 && o < s->insn->operand_count; o++)
            if (ptx_operand_is_def(&s->operands[o]))
                ptx_block_write(s->run, &s->operands[o], thread,
                                ptx_block_element(key_of_result(s, &s->operands[o], thread)));
    }
}

/* ---- what is combined ------------------------------------------------------------------------ */

/* Whether each thread of the block has gone in, all of them as often as one. */
static bool is_of_all_threads(const BlockRun *run, const uint64_t *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ptx_block_key_thread(keys[i]) != i % run->threads
            || keys[i] - i % run->threads != keys[i - i % run->threads])
            return false;
    return true;
}

static bool is_of_whole_block(BlockRun *run, BlockValue value, uint32_t count)
{
    const ArenaMark mark = ptx_arena_mark(run->arena);
    uint64_t *keys = ptx_arena_array(run->arena, uint64_t, count);
    ptx_block_spend(run, count);
    bool is_whole = ptx_block_elements(&run->nodes, value, keys, count) == count;
    if (is_whole)
        qsort(keys, count, sizeof *keys, ptx_block_compare_keys);
    is_whole = is_whole && is_of_all_threads(run, keys, count);
    ptx_arena_release(run->arena, mark);
    return is_whole;
}

enum { MAX_ELEMENTS_OF_THREAD = 64 };

static void note_combined(BlockRun *run, InsnId id, BlockValue value)
{
    const BlockNode *node = &run->nodes.items[value.number];
    if (run->found_count == MAX_BLOCK_FOUND || node->count < run->threads
        || node->count % run->threads || node->count / run->threads > MAX_ELEMENTS_OF_THREAD
        || ptx_block_key_thread(node->key) != NO_THREAD)
        return;
    for (uint32_t i = 0; i < run->found_count; i++)
        if (run->found[i].signature == node->signature && run->found[i].count == node->count)
            return;
    if (is_of_whole_block(run, value, node->count))
        run->found[run->found_count++] = (BlockFound){ .value = value, .insn = id,
                                                       .step = node->step, .count = node->count,
                                                       .signature = node->signature };
}

static BlockValue combine_in_thread(BlockStep *s, uint8_t step, BlockValue a, BlockValue b,
                                    uint32_t thread)
{
    const BlockOperation of = { .step = step, .type = s->insn->op->type, .insn = s->id,
                                .key = key_of_result(s, &s->operands[0], thread) };
    const BlockValue value = s->insn->op->operation == OP_SUB
                                 ? ptx_block_subtract(s->run->arena, &s->run->nodes, &of, a, b)
                                 : ptx_block_combine(s->run->arena, &s->run->nodes, &of, a, b);
    bool is_new = value.kind == BLOCK_COMBINED && !ptx_block_value_is_same(value, a)
                  && !ptx_block_value_is_same(value, b);
    if (is_new)
        note_combined(s->run, s->id, value);
    return value;
}

/* The operation of two operands, sums and differences alike; STEP_OTHER: it is none. */
static Step step_of_two(const Insn *insn)
{
    const Step step = ptx_recognizer_step(insn);
    bool is_plain = step == STEP_MUL || (step >= STEP_MIN && step <= STEP_XOR)
                    || insn->op->operation == OP_ADD || insn->op->operation == OP_SUB;
    return is_plain && insn->operand_count == 3 ? step : STEP_OTHER;
}

/* ---- one lane -------------------------------------------------------------------------------- */

/* What one number says, whatever the other operand is. */
static bool is_decided_by_one(const Insn *insn, const BlockValue *args, uint64_t *number)
{
    bool is_and = insn->op->operation == OP_AND || insn->op->operation == OP_MUL;
    bool is_or = insn->op->operation == OP_OR && insn->op->type == TYPE_PRED;
    if (ptx_type_info[insn->op->type].kind == KIND_FLOAT || (!is_and && !is_or))
        return false;
    *number = is_or;
    for (unsigned i = 0; i < 2; i++)
        if (args[i].kind == BLOCK_NUMBER && args[i].number == *number)
            return true;
    return false;
}

static bool is_plain_operation(const Lanewise *op)
{
    return op->fn && !op->is_chained && !op->makes_carry && !op->takes_carry && !op->video.kind;
}

/* The result of numbers, or of values. */
static BlockValue evaluate_lane(BlockStep *s, const Lanewise *op, const BlockValue *args,
                                unsigned count, uint32_t thread)
{
    const Step step = step_of_two(s->insn);
    uint64_t number = 0;
    bool is_known = op && count <= BLOCK_ARGS;
    for (unsigned a = 0; a < count && is_known; a++)
        is_known = args[a].kind == BLOCK_NUMBER;
    if (is_known)
        return ptx_block_number(op->fn(op, args[0].number, args[1].number, args[2].number,
                                       args[3].number));
    if (count == 2 && is_decided_by_one(s->insn, args, &number))
        return ptx_block_number(number);
    if (step != STEP_OTHER && count == 2)
        return combine_in_thread(s, (uint8_t)step, args[0], args[1], thread);
    return ptx_block_element(key_of_result(s, &s->operands[0], thread));
}

/* A lane's result, and what else it sets. */
static void write_result(const BlockStep *s, unsigned lane, BlockValue value)
{
    write_elements(s, UINT32_C(1) << lane);
    ptx_block_write(s->run, &s->operands[0], ptx_block_thread(s->run, s->w, lane), value);
}

static void operate_in_lane(BlockStep *s, unsigned lane, const Lanewise *op)
{
    const uint32_t thread = ptx_block_thread(s->run, s->w, lane);
    BlockValue args[BLOCK_ARGS] = { { 0 } };
    unsigned count = 0;
    for (uint32_t o = 1; o < s->insn->operand_count; o++) {
        if (!s->operands[o].position)
            continue;
        if (count < BLOCK_ARGS)
            args[count] = ptx_block_read(s->run, &s->operands[o], thread);
        count++;
    }
    const BlockValue result = evaluate_lane(s, op, args, count, thread);
    for (unsigned a = 0; a < count && a < BLOCK_ARGS && result.kind == BLOCK_ELEMENT; a++)
        if (args[a].kind == BLOCK_COMBINED)
            s->run->nodes.items[args[a].number].has_other_use = true;
    write_result(s, lane, result);
}

static void run_operation(BlockStep *s)
{
    Lanewise op;
    bool is_plain = ptx_lanewise_make(s->insn->op, &op) && is_plain_operation(&op);
    if (!s->insn->operand_count || !ptx_operand_is_def(&s->operands[0])) {
        write_elements(s, s->lanes);
        return;
    }
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
        if (s->lanes >> lane & 1)
            operate_in_lane(s, lane, is_plain ? &op : NULL);
}

/* d = p ? a : b */
static void select_in_lanes(BlockStep *s)
{
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t thread = ptx_block_thread(s->run, s->w, lane);
        if (!(s->lanes >> lane & 1))
            continue;
        const BlockValue p = ptx_block_read(s->run, &s->operands[3], thread);
        BlockValue value = ptx_block_element(key_of_result(s, &s->operands[0], thread));
        if (p.kind == BLOCK_NUMBER)
            value = ptx_block_read(s->run, &s->operands[p.number ? 1 : 2], thread);
        ptx_block_write(s->run, &s->operands[0], thread, value);
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* {low, high} = x */
static void split_value(BlockStep *s, uint32_t thread)
{
    const BlockValue from = ptx_block_read(s->run, &s->operands[2], thread);
    for (unsigned part = 0; part < 2; part++) {
        BlockValue half = ptx_block_number(from.number >> (32 * part));
        if (from.kind != BLOCK_NUMBER)
            half = ptx_block_half(s->run->arena, &s->run->nodes, from, part);
        ptx_block_write(s->run, &s->operands[part], thread, half);
    }
}

/* x = {low, high} */
static BlockValue join_halves(const BlockStep *s, uint32_t thread)
{
    return ptx_block_whole(&s->run->nodes, ptx_block_read(s->run, &s->operands[1], thread),
                           ptx_block_read(s->run, &s->operands[2], thread),
                           key_of_result(s, &s->operands[0], thread));
}

static bool is_pair_of_words(const BlockStep *s, uint32_t first)
{
    bool is_pair = s->insn->operand_count == 3 && ptx_type_info[s->insn->op->type].bits == 64;
    for (uint32_t o = first; o < first + 2 && is_pair; o++)
        is_pair = is_whole_reg(s->run, &s->operands[o])
                  && bits_of_reg(s->run, s->operands[o].id) == 32;
    return is_pair;
}

static void move_in_lanes(BlockStep *s)
{
    bool splits = is_pair_of_words(s, 0) && s->operands[1].position == 0;
    bool joins = is_pair_of_words(s, 1) && s->operands[1].position == 1;
    if (!splits && !joins && s->insn->operand_count != 2) {
        write_elements(s, s->lanes);
        return;
    }
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        const uint32_t thread = ptx_block_thread(s->run, s->w, lane);
        if (!(s->lanes >> lane & 1))
            continue;
        if (splits)
            split_value(s, thread);
        else
            ptx_block_write(s->run, &s->operands[0], thread,
                            joins ? join_halves(s, thread)
                                  : ptx_block_read(s->run, &s->operands[1], thread));
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Operand n, from 1 on: the destination and its predicate share a position. */
static const Operand *lane_operand_at(const BlockStep *s, unsigned n)
{
    for (uint32_t o = 0; o < s->insn->operand_count; o++)
        if (s->operands[o].position == n && !ptx_operand_is_def(&s->operands[o]))
            return &s->operands[o];
    return NULL;
}

/* The lane that a lane's value comes from, and whether it is in the segment: PTX ISA,
 * "shfl.sync". */
static unsigned source_lane(const Op *op, unsigned lane, uint32_t by, uint32_t control,
                            bool *is_inside)
{
    const unsigned segment = control >> 8 & 31, clamp = control & 31;
    const unsigned last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    unsigned from;
    by &= 31;
    if (ptx_op_has(op, MOD_UP))
        from = lane - by;
    else if (ptx_op_has(op, MOD_DOWN))
        from = lane + by;
    else if (ptx_op_has(op, MOD_BFLY))
        from = lane ^ by;
    else
        from = first | (by & ~segment);
    *is_inside = ptx_op_has(op, MOD_UP) ? (int)from >= (int)last : from <= last;
    return *is_inside ? from : lane;
}

static bool read_lane_numbers(const BlockStep *s, uint32_t thread, uint32_t numbers[3])
{
    bool is_sync = ptx_op_has(s->insn->op, MOD_SYNC);
    numbers[2] = UINT32_MAX;
    for (unsigned n = 0; n < 2u + is_sync; n++) {
        const Operand *operand = lane_operand_at(s, n + 2);
        const BlockValue value = operand ? ptx_block_read(s->run, operand, thread)
                                         : (BlockValue){ 0 };
        if (value.kind != BLOCK_NUMBER)
            return false;
        numbers[n] = (uint32_t)value.number;
    }
    return true;
}

/* What a lane is given: of lanes that go along and that the mask names. */
static void shuffle_lane(BlockStep *s, unsigned lane, const BlockValue *values,
                         const uint32_t numbers[3])
{
    const uint32_t thread = ptx_block_thread(s->run, s->w, lane);
    bool is_inside = false;
    const unsigned from = source_lane(s->insn->op, lane, numbers[0], numbers[1], &is_inside) & 31;
    const uint32_t members = numbers[2] & s->lanes;
    write_elements(s, UINT32_C(1) << lane);
    if (members >> lane & 1 && members >> from & 1)
        ptx_block_write(s->run, &s->operands[0], thread, values[from]);
    if (s->operands[1].flags & OPERAND_RIGHT)
        ptx_block_write(s->run, &s->operands[1], thread, ptx_block_number(is_inside));
}

static void shuffle_lanes(BlockStep *s)
{
    const Operand *source = lane_operand_at(s, 1);
    BlockValue values[BLOCK_WARP] = { { 0 } };
    for (unsigned lane = 0; lane < BLOCK_WARP && source; lane++)
        if (s->lanes >> lane & 1)
            values[lane] = ptx_block_read(s->run, source, ptx_block_thread(s->run, s->w, lane));
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        uint32_t numbers[3];
        if (!(s->lanes >> lane & 1))
            continue;
        if (source && read_lane_numbers(s, ptx_block_thread(s->run, s->w, lane), numbers))
            shuffle_lane(s, lane, values, numbers);
        else
            write_elements(s, UINT32_C(1) << lane);
    }
}

/* Of all lanes of the warp, by a mask that names them all. */
static void reduce_lanes(BlockStep *s)
{
    const Step step = ptx_recognizer_named_step(s->insn->op);
    const Operand *source = lane_operand_at(s, 1), *members = lane_operand_at(s, 2);
    const uint32_t first = ptx_block_thread(s->run, s->w, 0);
    const BlockValue mask = members ? ptx_block_read(s->run, members, first) : (BlockValue){ 0 };
    BlockValue all = { 0 }, values[BLOCK_WARP] = { { 0 } };
    bool is_whole = step != STEP_OTHER && source && s->lanes == UINT32_MAX
                    && mask.kind == BLOCK_NUMBER && (uint32_t)mask.number == UINT32_MAX;
    for (unsigned lane = 0; lane < BLOCK_WARP && is_whole; lane++)
        values[lane] = ptx_block_read(s->run, source, first + lane);
    write_elements(s, s->lanes);
    if (!is_whole)
        return;
    all = values[0];
    for (unsigned lane = 1; lane < BLOCK_WARP; lane++)
        all = combine_in_thread(s, (uint8_t)step, all, values[lane], first + lane);
    for (unsigned lane = 0; lane < BLOCK_WARP && all.kind == BLOCK_COMBINED; lane++)
        ptx_block_write(s->run, &s->operands[0], first + lane, all);
}

static void give_active_mask(BlockStep *s)
{
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
        if (s->lanes >> lane & 1)
            ptx_block_write(s->run, &s->operands[0], ptx_block_thread(s->run, s->w, lane),
                            ptx_block_number(s->lanes));
}

/* ---- one instruction ------------------------------------------------------------------------- */

static bool is_barrier_of_all_lanes(const BlockStep *s)
{
    const Operand *operand = s->insn->operand_count ? &s->operands[0] : NULL;
    bool is_all = operand && s->lanes == s->w->live && !s->maybe;
    for (unsigned lane = 0; lane < BLOCK_WARP && is_all; lane++) {
        if (!(s->lanes >> lane & 1))
            continue;
        const BlockValue mask = ptx_block_read(s->run, operand,
                                               ptx_block_thread(s->run, s->w, lane));
        is_all = mask.kind == BLOCK_NUMBER && !(s->w->live & ~(uint32_t)mask.number);
    }
    return is_all;
}

static void run_lane_exchange(BlockStep *s)
{
    const Op *op = s->insn->op;
    bool is_fence = op->operation == OP_MEMBAR || op->operation == OP_FENCE;
    if (op->operation == OP_BAR_WARP)
        s->w->syncs += is_barrier_of_all_lanes(s);
    else if (op->operation == OP_SHFL)
        shuffle_lanes(s);
    else if (op->operation == OP_REDUX)
        reduce_lanes(s);
    else if (op->operation == OP_ACTIVEMASK)
        give_active_mask(s);
    else if (op->flags & (OPF_UNKNOWN | OPF_STORE) || op->kind == OPK_BAR
             || (op->flags & OPF_SIDE_EFFECT && !is_fence && !(op->flags & OPF_WARP)))
        s->run->is_lost = true;
    else
        write_elements(s, s->lanes);
}

/* Copies of an address, or of a value to another type of the same bits. */
static bool is_value_copy(const Insn *insn)
{
    return insn->op->kind == OPK_MOV || insn->op->operation == OP_CVTA;
}

static void run_in_lanes(BlockStep *s)
{
    const Op *op = s->insn->op;
    if (is_value_copy(s->insn))
        move_in_lanes(s);
    else if (op->operation == OP_SELP && s->insn->operand_count == 4)
        select_in_lanes(s);
    else if (op->flags & (OPF_WARP | OPF_SIDE_EFFECT | OPF_UNKNOWN | OPF_STORE | OPF_LOAD)
             || op->space || op->kind == OPK_BAR)
        run_lane_exchange(s);
    else
        run_operation(s);
}

void ptx_block_execute(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes)
{
    const Insn *insn = &run->func->insns[id];
    BlockStep s = { .run = run, .w = w, .insn = insn, .id = id, .visit = w->visits[id],
                    .operands = ptx_insn_operands(run->func, insn) };
    s.lanes = ptx_block_guard(run, w, id, lanes, &s.maybe);
    bool is_access = insn->op->kind == OPK_LD || insn->op->kind == OPK_ST
                     || insn->op->kind == OPK_ATOM || insn->op->kind == OPK_RED;
    if (is_access)
        ptx_block_access(run, w, id, s.lanes, s.maybe);
    else if (s.lanes)
        run_in_lanes(&s);
    if (s.maybe && !is_access)
        write_elements(&s, s.maybe);
    if (s.maybe && insn->op->flags & OPF_WARP)
        write_elements(&s, s.lanes | s.maybe);
    if (w->visits[id] < MAX_ELEMENT_VISITS)
        w->visits[id]++;
    else
        run->is_lost = true;
}
