/* What reads and writes shared memory after its instruction is done, in the async proxy: bulk
 * copies, stores that an mbarrier completes, multiplications. */
#include "analysis/sim/machine.h"
#include "analysis/sim/race/race.h"
#include "support/minmax.h"

#include <string.h>

enum {
    CORE_ROW = 16,              /* bytes: matrices lie in shared memory by units of so many */
    CORE_ROWS = 8,
    LINE_BYTES = CORE_ROW * CORE_ROWS,
    /* of K, in a row of A or B: whatever the type, wgmma takes so many */
    OPERAND_BYTES = 32,
    MATRIX_ROWS = 64,           /* of A, a quarter for each warp */
    RANGES_A_STEP = 8,          /* so many cost as much as an instruction */
};

static const Operand *operand_at(const Func *func, const Insn *insn, unsigned position)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].position == position)
            return &operands[o];
    return NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Positions of operands. A tensor copy has its coordinates in the brackets of the tensor map, and
 * no size. */
typedef struct CopyShape {
    uint8_t place, size, mbarrier;      /* NONE: there is none */
    bool is_write, is_tensor, is_store;
    uint8_t bytes;                      /* that it always brings */
} CopyShape;

enum { NONE = UINT8_MAX };

static CopyShape shape_of(const Op *op)
{
    bool is_tensor = ptx_op_has(op, MOD_TENSOR),
         completes = ptx_op_has(op, MOD_MBARRIER_COMPLETE_TX_BYTES);
    if (op->family == OP_CLUSTERLAUNCHCONTROL)
        return (CopyShape){ 0, NONE, 1, .is_write = true, .bytes = CORE_ROW };
    if (op->kind == OPK_ST || op->kind == OPK_RED)
        return (CopyShape){ 0, NONE, completes ? 2 : NONE, .is_write = true, .is_store = true };
    bool is_write = op->space_count && ptx_space_is_shared(op->spaces[0]);
    CopyShape shape = is_tensor ? (CopyShape){ 0, NONE, 2, .is_tensor = true }
                                : (CopyShape){ 0, 2, 3, .is_tensor = false };
    if (ptx_op_has(op, MOD_IGNORE_OOB))
        shape.mbarrier = 5;     /* behind how many bytes it leaves out at both ends */
    shape.is_write = is_write;
    shape.place = !is_write;
    if (!completes)
        shape.mbarrier = NONE;
    return shape;
}

/* One lane's. False: what it completes on, or how much it brings, is not known. */
static bool transfer(Race *r, Warp *w, const Insn *insn, CopyShape shape, unsigned lane,
                     uint8_t doubt)
{
    const Func *func = w->frame->func_state->func;
    const Operand *place = operand_at(func, insn, shape.place);
    const uint32_t only = UINT32_C(1) << lane;
    uint64_t address = 0, bytes = shape.bytes, at = 0;
    if (shape.is_store)
        bytes = (uint64_t)insn->access_bytes * ptx_u32_max(insn->op->vector, 1);
    Mbarrier *b = NULL;
    r->has_assumed = false;
    if (shape.mbarrier != NONE) {
        const Operand *mbarrier = operand_at(func, insn, shape.mbarrier);
        b = mbarrier && ptx_race_number(r, w, mbarrier, only, &address)
                ? ptx_mbarrier_at(r, address)
                : NULL;
        if (!b)
            return false;
    }
    const Operand *size = shape.size == NONE ? NULL : operand_at(func, insn, shape.size);
    if (shape.size != NONE && (!size || !ptx_race_number(r, w, size, only, &bytes)))
        return false;
    bool is_placed = place && ptx_race_number(r, w, place, only, &at);
    Touch like = { .queue = QUEUE_BULK,
                   .is_write = shape.is_write,
                   .is_strong = insn->op->kind == OPK_RED,
                   .level = r->has_assumed ? RACE_ASSUMED : RACE_CERTAIN };
    if (b) {
        like.queue = QUEUE_MBARRIER;
        like.group = b->completed + 1;
        like.mbarrier = (uint8_t)(b - r->mbarriers);
    } else {
        like.group = ptx_race_copies(r, QUEUE_BULK, w->index)->committed;
    }
    TouchId touch = is_placed ? ptx_race_begin_async(r, w, insn, doubt, &like) : 0;
    r->is_blind |= !touch || (shape.is_tensor && !b);
    if (touch)
        ptx_race_range(r, touch + lane, (uint32_t)at, shape.is_tensor ? CORE_ROW : bytes);
    if (!b)
        return true;
    if (ptx_op_has(insn->op, MOD_IGNORE_OOB))
        r->is_blind = b->is_open = true;        /* which bytes it leaves is not known */
    if (!shape.is_tensor)
        ptx_mbarrier_complete_tx(b, (int64_t)bytes);
    else if (!touch || !ptx_mbarrier_complete_tensor(b, (uint32_t)at, touch + lane))
        r->is_blind = b->is_open = true;
    return true;
}

bool ptx_race_transfer(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Machine *m = r->machine;
    const CopyShape shape = shape_of(insn->op);
    if (ptx_op_is_multicast(insn->op) || ptx_op_has(insn->op, MOD_CTA_GROUP_2))
        return false;           /* it comes to other blocks, and theirs to this one */
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        if (lanes >> lane & 1 && !transfer(r, w, insn, shape, lane, doubt))
            return shape.mbarrier == NONE;
    if (shape.is_write)
        ptx_memory_forget_shared(m);
    return true;
}

/* ---- multiplications ------------------------------------------------------------------------- */

/* Where a matrix lies: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions: Matrix
 * Descriptor Format" and "Shared Memory Matrix Layout". */
typedef struct RaceAsyncLayout {
    uint32_t start, leading, stride;    /* bytes */
    /* of CORE_ROW bytes in a row of the swizzle's pattern: 1, 2, 4, 8 */
    uint32_t units;
} RaceAsyncLayout;

/* False: the pattern begins elsewhere than at a multiple of its size. */
static bool read_descriptor(uint64_t descriptor, RaceAsyncLayout *out)
{
    static const uint8_t units[] = { 1, 8, 4, 2 };
    out->start = (uint32_t)(descriptor & 0x3fff) << 4;
    out->leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4;
    out->stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4;
    out->units = units[descriptor >> 62];
    return !(descriptor >> 49 & 7);
}

static uint32_t swizzled(const RaceAsyncLayout *l, uint32_t at)
{
    return at ^ ((at >> 7 & (l->units - 1)) << 4);
}

/* The last units that were read, in a line of the swizzle's widest pattern: neighbours are one
 * range. */
typedef struct LineUnits {
    uint32_t line, units;       /* units: a bit each */
} LineUnits;

static void read_line(Race *r, TouchId touch, const LineUnits *l)
{
    for (uint32_t left = l->units, behind; left; left &= behind) {
        behind = left + (left & -left);         /* the bit behind those from the first on */
        const uint32_t first = (uint32_t)__builtin_ctz(left), end = (uint32_t)__builtin_ctz(behind);
        ptx_race_range_on(r, touch, l->line + first * CORE_ROW, (end - first) * CORE_ROW);
    }
}

static void read_unit(Race *r, TouchId touch, LineUnits *l, uint32_t at)
{
    const uint32_t line = at & ~(uint32_t)(LINE_BYTES - 1);
    if (line != l->line) {
        read_line(r, touch, l);
        *l = (LineUnits){ .line = line };
    }
    l->units |= 1u << at % LINE_BYTES / CORE_ROW;
}

/* Rows, each with its units of K. */
static void read_units_by_rows(Race *r, TouchId touch, const RaceAsyncLayout *l, uint32_t first,
                               uint32_t rows)
{
    const uint32_t pitch = l->units * CORE_ROW, apart = l->units == 1 ? l->leading : CORE_ROW;
    LineUnits last = { .line = 0 };
    for (uint32_t row = first; row < first + rows; row++) {
        const uint32_t at = l->start + row / CORE_ROWS * l->stride + row % CORE_ROWS * pitch;
        for (uint32_t unit = 0; unit < OPERAND_BYTES / CORE_ROW; unit++)
            read_unit(r, touch, &last, swizzled(l, at + unit * apart));
    }
    read_line(r, touch, &last);
}

/* The swizzle's widest pattern has a row in each line, and leaves its two units side by side. */
static bool has_rows_of_lines(const RaceAsyncLayout *l, uint32_t first, uint32_t rows)
{
    return l->units == CORE_ROWS && !((l->start | l->stride) % OPERAND_BYTES)
           && !((first | rows) % CORE_ROWS);
}

static void read_rows_of_lines(Race *r, TouchId touch, const RaceAsyncLayout *l, uint32_t first,
                               uint32_t rows)
{
    uint32_t lines[CORE_ROWS];
    for (uint32_t at = l->start + first / CORE_ROWS * l->stride; rows; rows -= CORE_ROWS) {
        for (uint32_t row = 0; row < CORE_ROWS; row++)
            lines[row] = swizzled(l, at + row * LINE_BYTES) & ~(uint32_t)(OPERAND_BYTES - 1);
        ptx_race_read_rows(r, touch, lines, CORE_ROWS, OPERAND_BYTES);
        at += l->stride;
    }
}

/* Of a transposed matrix: rows of K, each with its units along M or N. */
static void read_units_by_columns(Race *r, TouchId touch, const RaceAsyncLayout *l, uint32_t first,
                                  uint32_t units)
{
    const uint32_t pitch = l->units * CORE_ROW;
    /* bytes from as many units as the pattern has to the next, and from eight rows to the next */
    const bool is_plain = l->units == 1;
    const uint32_t over = is_plain ? l->stride : l->leading;
    const uint32_t down = is_plain ? l->leading : l->stride;
    LineUnits last = { .line = 0 };
    for (uint32_t row = 0; row < OPERAND_BYTES / 2; row++) {
        const uint32_t at = l->start + row % CORE_ROWS * pitch + row / CORE_ROWS * down;
        for (uint32_t unit = first; unit < first + units; unit++)
            read_unit(r, touch, &last,
                      swizzled(l, at + (unit & (l->units - 1)) * CORE_ROW
                                      + (unit >> __builtin_ctz(l->units)) * over));
    }
    read_line(r, touch, &last);
}

/* Units of a row of K that are read, and that the swizzle leaves side by side; 0: not all do. */
static uint32_t units_side_by_side(const RaceAsyncLayout *l, uint32_t first, uint32_t units)
{
    const uint32_t side_by_side = ptx_u32_min(units, l->units), bytes = side_by_side * CORE_ROW;
    const bool are_whole = side_by_side > 2 && !(side_by_side & (side_by_side - 1))
                           && !((first | units) % side_by_side)
                           && !((l->start | l->stride | l->leading) % bytes);
    return are_whole ? side_by_side : 0;
}

/* As read_units_by_columns, so many units at once. */
static void read_stretches(Race *r, TouchId touch, const RaceAsyncLayout *l, uint32_t first,
                           uint32_t units, uint32_t side_by_side)
{
    const uint32_t pitch = l->units * CORE_ROW, bytes = side_by_side * CORE_ROW;
    uint32_t found[CORE_ROWS], count = 0;
    for (uint32_t row = 0; row < OPERAND_BYTES / 2; row++) {
        const uint32_t at = l->start + row % CORE_ROWS * pitch + row / CORE_ROWS * l->stride;
        for (uint32_t unit = first; unit < first + units; unit += side_by_side) {
            const uint32_t over = (unit >> __builtin_ctz(l->units)) * l->leading;
            found[count++] =
                swizzled(l, at + (unit & (l->units - 1)) * CORE_ROW + over) & ~(bytes - 1);
            if (count < CORE_ROWS)
                continue;
            ptx_race_read_rows(r, touch, found, count, bytes);
            count = 0;
        }
    }
}

static void read_by_columns(Race *r, TouchId touch, const RaceAsyncLayout *l, uint32_t first_row,
                            uint32_t rows)
{
    const uint32_t first = first_row / CORE_ROWS, units = (first_row + rows) / CORE_ROWS - first,
                   side_by_side = units_side_by_side(l, first, units);
    if (side_by_side)
        read_stretches(r, touch, l, first, units, side_by_side);
    else
        read_units_by_columns(r, touch, l, first, units);
}

static void read_matrix(Race *r, TouchId touch, const RaceAsyncLayout *l, uint32_t first_row,
                        uint32_t rows, bool is_transposed)
{
    if (is_transposed)
        read_by_columns(r, touch, l, first_row, rows);
    else if (has_rows_of_lines(l, first_row, rows))
        read_rows_of_lines(r, touch, l, first_row, rows);
    else
        read_units_by_rows(r, touch, l, first_row, rows);
    r->machine->steps += rows * OPERAND_BYTES / CORE_ROW / RANGES_A_STEP;
}

static bool is_set(const Func *func, const Insn *insn, unsigned position)
{
    const Operand *operand = operand_at(func, insn, position);
    return operand && operand->kind == OPERAND_INT && ptx_operand_value(operand);
}

static bool read_operand(Race *r, Warp *w, const Insn *insn, uint32_t lanes, unsigned position,
                         RaceAsyncLayout *out)
{
    uint64_t descriptor;
    const Operand *operand = operand_at(w->frame->func_state->func, insn, position);
    return operand && ptx_race_number(r, w, operand, lanes, &descriptor)
           && read_descriptor(descriptor, out);
}

void ptx_race_multiply(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Func *func = w->frame->func_state->func;
    const Operand *a = operand_at(func, insn, 1);
    const bool is_a_shared = a && !(a->flags & OPERAND_ELEMENT),
               is_sparse = ptx_op_has(insn->op, MOD_SP);
    const uint32_t columns = insn->op->shape[1];
    RaceAsyncLayout layout_a, layout_b;
    r->has_assumed = false;
    bool has_a = is_a_shared && !is_sparse && read_operand(r, w, insn, lanes, 1, &layout_a);
    bool has_b = columns && !is_sparse && read_operand(r, w, insn, lanes, 2, &layout_b);
    r->is_blind |= has_a != is_a_shared || !has_b;
    if (!has_a && !has_b)
        return;
    const Touch like = { .queue = QUEUE_MATRIX,
                         .group = ptx_race_copies(r, QUEUE_MATRIX, w->index)->committed,
                         .level = r->has_assumed ? RACE_ASSUMED : RACE_CERTAIN };
    TouchId touch = ptx_race_begin_async(r, w, insn, doubt, &like);
    if (!touch)
        return;
    const uint32_t quarter = MATRIX_ROWS / WARPGROUP;
    ptx_race_begin_ranges(r);
    if (has_a)
        read_matrix(r, touch, &layout_a, w->index % WARPGROUP * quarter, quarter,
                    is_set(func, insn, 6));
    if (has_b)
        read_matrix(r, touch, &layout_b, 0, columns, is_set(func, insn, is_a_shared ? 7 : 6));
}

/* ---- multiplications of sm_100 --------------------------------------------------------------- */

/* PTX ISA, "Tensor Core 5th Generation Family Instructions: Shared memory descriptor". False: the
 * pattern begins elsewhere than at a multiple of its size, or is one whose bytes are not
 * followed. */
static bool read_tensor_descriptor(uint64_t descriptor, RaceAsyncLayout *out)
{
    enum { ABSOLUTE_STRIDE_BIT = 52, SWIZZLE_BIT = 61 };
    static const uint8_t units[8] = { [0] = 1, [2] = 8, [4] = 4, [6] = 2 };
    const uint8_t of_swizzle = units[descriptor >> SWIZZLE_BIT];
    const bool is_plain = read_descriptor(descriptor & (UINT64_MAX >> 2), out);
    out->units = of_swizzle;
    return is_plain && of_swizzle && !(descriptor >> ABSOLUTE_STRIDE_BIT & 1);
}

/* A, B or both in shared memory by rows of K of OPERAND_BYTES; else it is not known what is
 * read. */
static bool has_known_rows(Race *r, Warp *w, const Insn *insn, uint32_t lanes, Op *out)
{
    enum { TRANSPOSED = 3 << 15, LONG_K_BIT = 31 };
    uint64_t shape;
    const Operand *operand = operand_at(w->frame->func_state->func, insn, 3);
    *out = *insn->op;
    if (!operand || ptx_op_has(insn->op, MOD_SP) || !ptx_race_number(r, w, operand, lanes, &shape))
        return false;
    ptx_op_set_descriptor(out, (uint32_t)shape);
    return out->shape[1] && !(shape & TRANSPOSED) && !(shape >> LONG_K_BIT & 1);
}

static bool read_tensor_operand(Race *r, Warp *w, const Insn *insn, uint32_t lanes,
                                unsigned position, RaceAsyncLayout *out)
{
    uint64_t descriptor;
    const Operand *operand = operand_at(w->frame->func_state->func, insn, position);
    return operand && ptx_race_number(r, w, operand, lanes, &descriptor)
           && read_tensor_descriptor(descriptor, out);
}

void ptx_race_multiply_tensor(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Op op;
    RaceAsyncLayout layout_a, layout_b;
    const Operand *a = operand_at(w->frame->func_state->func, insn, 1);
    const bool is_a_shared = a && !(a->role & ROLE_ADDRESS);
    r->has_assumed = false;
    const bool is_known = has_known_rows(r, w, insn, lanes, &op),
               has_a = is_known && is_a_shared
                       && read_tensor_operand(r, w, insn, lanes, 1, &layout_a),
               has_b = is_known && read_tensor_operand(r, w, insn, lanes, 2, &layout_b);
    if (!has_a && !has_b)
        return;
    const Touch like = { .queue = QUEUE_TENSOR,
                         .group = ptx_race_copies(r, QUEUE_TENSOR, w->index)->committed,
                         .level = r->has_assumed ? RACE_ASSUMED : RACE_CERTAIN };
    const TouchId touch = ptx_race_begin_async(r, w, insn, doubt, &like);
    if (!touch)
        return;
    const TouchId lane = touch + (TouchId)__builtin_ctz(lanes);
    ptx_race_begin_ranges(r);
    if (has_a)
        read_matrix(r, lane, &layout_a, 0, op.shape[0], false);
    if (has_b)
        read_matrix(r, lane, &layout_b, 0, op.shape[1], false);
}

/* ---- proxies --------------------------------------------------------------------------------- */

/* What the warp knows of is there for the async proxy too: PTX ISA, "Memory Consistency Model:
 * Proxies". */
void ptx_race_fence(Race *r, uint32_t warp)
{
    ptx_race_join(ptx_race_fenced(r, warp), ptx_race_known(r, warp), r->warp_count);
    ptx_race_meet_warp(r, warp);
}
