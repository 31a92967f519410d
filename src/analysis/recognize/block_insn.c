/* One instruction for the lanes of a warp: numbers, what is combined, shuffles. */
#include "analysis/recognize/block_choice.h"

#include "analysis/flow/cfg.h"
#include "analysis/sim/value.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"

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

/* ---- results ------------------------------------------------------------------------------- */

static uint64_t key_of_result(const BlockStep *s, const Operand *operand, uint32_t thread)
{
    return ptx_block_key((uint64_t)(operand - s->run->func->operands), s->visit, thread);
}

/* Those from one on are the thread's own, and nothing more is known. */
static void write_elements_from(const BlockStep *s, uint32_t first, uint32_t lanes)
{
    for (uint32_t o = first; lanes && o < s->insn->operand_count; o++) {
        if (!ptx_operand_is_def(&s->operands[o]))
            continue;
        const BlockResult result = ptx_block_result(s->run, s->w, &s->operands[o], s->visit);
        for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
            if (lanes >> lane & 1)
                ptx_block_put(&result, lane,
                              ptx_block_element(ptx_block_result_key(&result, lane)));
    }
}

static void write_elements(const BlockStep *s, uint32_t lanes)
{
    write_elements_from(s, 0, lanes);
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

BlockId ptx_block_within(const BlockRun *run, InsnId id)
{
    return run->where_block == EXIT_BLOCK ? run->r->flow->cfg->block_of[id] : run->where_block;
}

static void note_combined(BlockRun *run, InsnId id, BlockValue value)
{
    const BlockNode *node = &run->nodes.items[value.number];
    if (run->found_count == MAX_BLOCK_FOUND || node->count < run->threads
        || node->count % run->threads || node->count / run->threads > MAX_ELEMENTS_OF_THREAD
        || ptx_block_key_thread(node->key) != NO_THREAD)
        return;
    for (uint32_t i = 0; i < run->found_count; i++)
        if (run->found[i].signature == node->signature && run->found[i].count == node->count
            && !run->found[i].is_location)
            return;
    if (is_of_whole_block(run, value, node->count))
        run->found[run->found_count++] = (BlockFound){ .value = value, .insn = id,
                                                       .step = node->step, .count = node->count,
                                                       .within = ptx_block_within(run, id),
                                                       .signature = node->signature };
}

void ptx_block_note(BlockRun *run, InsnId id, BlockValue value)
{
    if (value.kind == BLOCK_COMBINED)
        note_combined(run, id, value);
    else if (value.kind == BLOCK_CHOSEN)
        ptx_block_note_location(run, id, value);
}

/* key: of the result where it is no combination. */
static BlockValue combine_in_thread(BlockStep *s, uint8_t step, BlockValue a, BlockValue b,
                                    uint64_t key)
{
    const BlockOperation of = { .step = step, .type = s->insn->op->type, .insn = s->id,
                                .key = key };
    const BlockValue value = s->insn->op->operation == OP_SUB
                                 ? ptx_block_subtract(s->run->arena, &s->run->nodes, &of, a, b)
                                 : ptx_block_combine(s->run->arena, &s->run->nodes, &of, a, b);
    if (!ptx_block_value_is_same(value, a) && !ptx_block_value_is_same(value, b))
        ptx_block_note(s->run, s->id, value);
    return value;
}

Step ptx_block_step(const Insn *insn)
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

/* Two operands, of which not both are numbers. */
static BlockValue operate_on_two(BlockStep *s, Step step, const BlockValue *args, uint64_t key)
{
    uint64_t number = 0;
    if (is_decided_by_one(s->insn, args, &number))
        return ptx_block_number(number);
    return step == STEP_OTHER ? ptx_block_element(key)
                              : combine_in_thread(s, (uint8_t)step, args[0], args[1], key);
}

/* Of predicates, or what makes one of two values; BLOCK_UNSET: it is another operation. */
static BlockValue operate_on_predicates(BlockStep *s, const BlockValue *args, uint64_t key)
{
    const BlockOperation of = { .step = (uint8_t)ptx_block_order(s->insn), .insn = s->id,
                                .type = s->insn->op->type, .key = key };
    if (of.step)
        return ptx_block_compare(s->run, &of, args[0], args[1]);
    if (s->insn->op->type != TYPE_PRED
        || (args[0].kind != BLOCK_COMPARED && args[1].kind != BLOCK_COMPARED))
        return (BlockValue){ 0 };
    switch ((Operation)s->insn->op->operation) {
    case OP_AND: return ptx_block_logic(s->run, LOGIC_AND, key, args[0], args[1]);
    case OP_OR: return ptx_block_logic(s->run, LOGIC_OR, key, args[0], args[1]);
    case OP_NOT: return ptx_block_logic(s->run, LOGIC_NOT, key, args[0], args[0]);
    default: return (BlockValue){ 0 };
    }
}

static void note_other_uses(const BlockStep *s, const BlockValue *args, unsigned count)
{
    for (unsigned a = 0; a < count; a++)
        if (args[a].kind == BLOCK_COMBINED)
            s->run->nodes.items[args[a].number].has_other_use = true;
}

/* What an instruction computes of its operands. */
typedef struct BlockFunction {
    Lanewise op;
    BlockArg args[BLOCK_ARGS];
    unsigned count;             /* of operands: there may be more than are kept */
    Step step;
    bool is_plain;
} BlockFunction;

static void begin_function(const BlockStep *s, BlockFunction *f)
{
    f->count = 0;
    f->step = ptx_block_step(s->insn);
    for (uint32_t o = 1; o < s->insn->operand_count; o++) {
        if (!s->operands[o].position)
            continue;
        if (f->count < BLOCK_ARGS)
            f->args[f->count] = ptx_block_arg(s->run, s->w, &s->operands[o]);
        f->count++;
    }
    f->is_plain = f->count <= BLOCK_ARGS && ptx_lanewise_make(s->insn->op, &f->op)
                  && is_plain_operation(&f->op);
}

/* The result of numbers, or of values. */
static BlockValue operate_in_lane(BlockStep *s, const BlockFunction *f, unsigned lane,
                                  uint64_t key)
{
    const uint32_t first = ptx_block_thread(s->run, s->w, 0);
    const unsigned count = f->count < BLOCK_ARGS ? f->count : BLOCK_ARGS;
    BlockValue args[BLOCK_ARGS] = { { 0 } };
    bool is_known = f->is_plain;
    for (unsigned a = 0; a < count; a++) {
        args[a] = ptx_block_arg_read(s->run, &f->args[a], first, lane);
        is_known = is_known && args[a].kind == BLOCK_NUMBER;
    }
    if (is_known)
        return ptx_block_number(f->op.fn(&f->op, args[0].number, args[1].number, args[2].number,
                                         args[3].number));
    BlockValue result = operate_on_predicates(s, args, key);
    if (result.kind == BLOCK_UNSET)
        result = f->count == 2 ? operate_on_two(s, f->step, args, key) : ptx_block_element(key);
    if (result.kind == BLOCK_ELEMENT)
        note_other_uses(s, args, count);
    return result;
}

static void run_operation(BlockStep *s)
{
    BlockFunction f;
    if (!s->insn->operand_count || !ptx_operand_is_def(&s->operands[0])) {
        write_elements(s, s->lanes);
        return;
    }
    begin_function(s, &f);
    const BlockResult result = ptx_block_result(s->run, s->w, &s->operands[0], s->visit);
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
        if (s->lanes >> lane & 1)
            ptx_block_put(&result, lane, operate_in_lane(s, &f, lane,
                                                         ptx_block_result_key(&result, lane)));
    write_elements_from(s, 1, s->lanes);
}

/* d = p ? a : b */
static void select_in_lanes(BlockStep *s)
{
    const uint32_t first = ptx_block_thread(s->run, s->w, 0);
    const BlockResult result = ptx_block_result(s->run, s->w, &s->operands[0], s->visit);
    BlockArg args[3];
    for (unsigned a = 0; a < 3; a++)
        args[a] = ptx_block_arg(s->run, s->w, &s->operands[a + 1]);
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++) {
        if (!(s->lanes >> lane & 1))
            continue;
        const BlockValue p = ptx_block_arg_read(s->run, &args[2], first, lane);
        const BlockOperation of = { .insn = s->id, .key = ptx_block_result_key(&result, lane) };
        ptx_block_put(&result, lane,
                      ptx_block_choose(s->run, &of, p,
                                       ptx_block_arg_read(s->run, &args[0], first, lane),
                                       ptx_block_arg_read(s->run, &args[1], first, lane)));
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
        is_pair = ptx_block_is_whole_reg(s->run, &s->operands[o])
                  && ptx_block_reg_bits(s->run, s->operands[o].id) == 32;
    return is_pair;
}

static void copy_in_lanes(BlockStep *s)
{
    const uint32_t first = ptx_block_thread(s->run, s->w, 0);
    const BlockArg from = ptx_block_arg(s->run, s->w, &s->operands[1]);
    const BlockResult to = ptx_block_result(s->run, s->w, &s->operands[0], s->visit);
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
        if (s->lanes >> lane & 1)
            ptx_block_put(&to, lane, ptx_block_arg_read(s->run, &from, first, lane));
}

static void move_in_lanes(BlockStep *s)
{
    bool splits = is_pair_of_words(s, 0) && s->operands[1].position == 0;
    bool joins = is_pair_of_words(s, 1) && s->operands[1].position == 1;
    if (!splits && !joins) {
        if (s->insn->operand_count == 2)
            copy_in_lanes(s);
        else
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
            ptx_block_write(s->run, &s->operands[0], thread, join_halves(s, thread));
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
    if (members >> lane & 1 && members >> from & 1)
        ptx_block_write(s->run, &s->operands[0], thread, values[from]);
    if (s->operands[1].flags & OPERAND_RIGHT)
        ptx_block_write(s->run, &s->operands[1], thread, ptx_block_number(is_inside));
}

static void shuffle_lanes(BlockStep *s)
{
    const Operand *source = lane_operand_at(s, 1);
    BlockValue values[BLOCK_WARP] = { { 0 } };
    uint32_t numbers[BLOCK_WARP][3], known = 0;
    for (unsigned lane = 0; lane < BLOCK_WARP && source; lane++) {
        const uint32_t thread = ptx_block_thread(s->run, s->w, lane);
        if (!(s->lanes >> lane & 1))
            continue;
        values[lane] = ptx_block_read(s->run, source, thread);
        known |= (uint32_t)read_lane_numbers(s, thread, numbers[lane]) << lane;
    }
    write_elements(s, s->lanes);
    for (unsigned lane = 0; lane < BLOCK_WARP; lane++)
        if (known >> lane & 1)
            shuffle_lane(s, lane, values, numbers[lane]);
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
        all = combine_in_thread(s, (uint8_t)step, all, values[lane],
                                key_of_result(s, &s->operands[0], first + lane));
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

void ptx_block_execute_lanes(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes,
                             uint32_t maybe)
{
    const Insn *insn = &run->func->insns[id];
    BlockStep s = { .run = run, .w = w, .insn = insn, .id = id, .visit = w->visits[id],
                    .lanes = lanes, .maybe = maybe,
                    .operands = ptx_insn_operands(run->func, insn) };
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
}

void ptx_block_execute(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes)
{
    uint32_t maybe;
    const uint32_t where = ptx_block_guard(run, w, id, lanes, &maybe);
    if (!maybe || !ptx_block_execute_guarded(run, w, id, where, maybe))
        ptx_block_execute_lanes(run, w, id, where, maybe);
    if (w->visits[id] < MAX_ELEMENT_VISITS)
        w->visits[id]++;
    else
        run->is_lost = true;
}
