/* Fragments of matrices in shared memory. Which lane has which element wmma does not say: all of
 * the matrix is one access of the warp, whose lanes meet there. */
#include "analysis/sim/machine.h"
#include "analysis/sim/race/race.h"

enum { LINES_A_STEP = 8 };      /* so many cost as much as an instruction */

/* Of elements that lie side by side: rows, or columns where they do by columns. */
typedef struct FragmentLines {
    uint64_t first;             /* address */
    uint32_t count, bytes, pitch;
} FragmentLines;

static FragmentLines fragment_of(const Op *op, uint64_t pitch)
{
    const uint32_t m = op->shape[0], n = op->shape[1], k = op->shape[2],
                   bits = ptx_type_info[op->type].bits;
    const uint32_t rows = ptx_op_has(op, MOD_B) ? k : m;
    const uint32_t columns = ptx_op_has(op, MOD_A) ? k : n;
    const bool is_by_columns = ptx_op_has(op, MOD_COL);
    const uint32_t side_by_side = is_by_columns ? rows : columns;
    const uint64_t apart = pitch ? pitch : side_by_side;
    return (FragmentLines){ .count = is_by_columns ? columns : rows,
                            .bytes = side_by_side * bits / 8,
                            .pitch = (uint32_t)(apart * bits / 8) };
}

/* Elements from one line to the next; 0: as many as a line has. False: not known. */
static bool read_pitch(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *pitch)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn),
                  *last = operands + insn->operand_count - 1;
    const bool has_pitch = !(last->role & (ROLE_ADDRESS | ROLE_DEF))
                           && !(last->flags & OPERAND_ELEMENT);
    *pitch = 0;
    return !has_pitch || ptx_race_number(r, w, last, lanes, pitch);
}

static bool find_fragment(Race *r, Warp *w, const Insn *insn, uint32_t lanes, FragmentLines *out)
{
    const Operand *place = ptx_address_nth(w->frame->func_state->func, insn, 0);
    uint64_t first, pitch;
    if (!place || !ptx_race_number(r, w, place, lanes, &first)
        || !read_pitch(r, w, insn, lanes, &pitch))
        return false;
    *out = fragment_of(insn->op, pitch);
    out->first = (uint32_t)first;
    return out->count && out->bytes;
}

static bool is_fragment_shared(Machine *m, Warp *w, const Insn *insn, uint32_t lanes)
{
    Scratch address;
    return ptx_memory_read_address(m, w, insn, 0, &address)
           && ptx_address_space(insn, &address.value, lanes) == SPACE_SHARED;
}

/* That the lanes meet there orders nothing for a proof: then it is two of them that touch all. */
static void touch_line(Race *r, TouchId touch, uint64_t at, uint32_t bytes)
{
    ptx_race_range_on(r, touch, at, bytes);
    const bool is_overwritten = r->is_overwritten;
    if (r->left_out)
        ptx_race_range_on(r, touch + 1, at, bytes);
    r->is_overwritten = is_overwritten;
}

void ptx_race_fragment(Race *r, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    FragmentLines lines;
    uint32_t *own = &ptx_race_known(r, w->index)[w->index];
    r->has_assumed = false;
    if (!is_fragment_shared(r->machine, w, insn, lanes))
        return;
    if (!find_fragment(r, w, insn, lanes, &lines)) {
        r->is_blind = true;
        return;
    }
    *own += !r->left_out;
    const Touch like = { .queue = QUEUE_NONE,
                         .level = r->has_assumed ? RACE_ASSUMED : RACE_CERTAIN,
                         .is_write = insn->op->operation == OP_WMMA_STORE };
    const TouchId touch = ptx_race_begin_async(r, w, insn, doubt, &like);
    ptx_race_begin_ranges(r);
    for (uint32_t i = 0; touch && i < lines.count; i++)
        touch_line(r, touch, lines.first + (uint64_t)i * lines.pitch, lines.bytes);
    r->machine->steps += lines.count / LINES_A_STEP;
    *own += !r->left_out;
}
