/* What lanes combine in a loop of one block that halves or doubles the distance of its shuffle. All
 * distances 1, 2, 4, ... together, in any order, make it a reduction or a scan, as a chain of as
 * many steps is one (lanes.c). */
#include "analysis/recognize/lanes.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"

/* A distance that a loop steps, and what it is at the end of the iteration. */
typedef struct LaneDistance {
    SymId phi, next;
    uint64_t at, then;
} LaneDistance;

static bool value_of_distance(const Symbols *s, const LaneDistance *of, SymId id, uint64_t *value)
{
    if (id == of->phi || id == of->next) {
        *value = id == of->phi ? of->at : of->then;
        return true;
    }
    return ptx_sym_is_const(s, id, value);
}

/* Whether the loop goes on; false also where that is not known. */
static bool is_next_shuffled(const Symbols *s, const LaneDistance *of, SymId condition,
                             bool *is_known)
{
    const Sym *sym = ptx_sym(s, condition);
    uint64_t a = 0, b = 0;
    *is_known = sym->kind >= SYM_EQ && sym->kind <= SYM_LE_S
                && value_of_distance(s, of, sym->a, &a) && value_of_distance(s, of, sym->b, &b);
    switch (*is_known ? (SymKind)sym->kind : SYM_NONE) {
    case SYM_EQ: return a == b;
    case SYM_NE: return a != b;
    case SYM_LT_U: case SYM_LT_S: return a < b;
    case SYM_LE_U: case SYM_LE_S: return a <= b;
    default: return false;
    }
}

/* The branch at the end of a loop of one block; 0: it is none. */
static SymId condition_to_go_on(const Recognizer *r, LoopId loop)
{
    const Cfg *cfg = r->flow->cfg;
    const BlockId header = r->flow->loops->loops[loop].header;
    const Block *block = &cfg->blocks[header];
    if (block->succ_count != 2 || r->flow->func->insns[block->end - 1].op->kind != OPK_BRA)
        return 0;
    const SymId taken = ptx_ssa_guard(r->reader.ssa, block->end - 1);
    if (cfg->succs[block->succ_first] == header)
        return taken;
    bool is_second = cfg->succs[block->succ_first + 1] == header;
    return is_second ? ptx_sym_not(ptx_ssa_symbols(r->reader.ssa), taken) : 0;
}

/* What the distance is halved or doubled to; false: neither. */
static bool step_distance(const Symbols *s, LaneDistance *of)
{
    const Sym *next = ptx_sym(s, of->next);
    uint64_t by = 0;
    if (next->kind == SYM_SHR_U || next->kind == SYM_SHR_S) {
        of->then = of->at >> 1;
        return next->a == of->phi && ptx_sym_is_const(s, next->b, &by) && by == 1;
    }
    const SymTerm *term = next->kind == SYM_SUM && next->b == 1 ? &s->terms[next->a] : NULL;
    of->then = of->at << 1;
    return term && term->atom == of->phi && term->factor == 2 && !next->value;
}

/* The distances that all iterations together shuffle by, a bit each; 0: not known. */
static uint32_t distances_of_loop(const Recognizer *r, SymId phi, LoopId loop)
{
    LaneDistance d = { .phi = phi };
    uint32_t all = 0;
    if (ptx_sym(ptx_ssa_symbols(r->reader.ssa), phi)->kind != SYM_PHI
        || ptx_sym(ptx_ssa_symbols(r->reader.ssa), phi)->a != loop)
        return 0;
    const Phi steps = ptx_ssa_phi(r->reader.ssa, phi);
    const SymId condition = condition_to_go_on(r, loop);
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    bool is_known = condition && ptx_sym_is_const(s, steps.start, &d.at);
    d.next = steps.next;
    for (unsigned i = 0; i <= LANE_STEPS && is_known; i++, d.at = d.then) {
        if (!d.at || d.at >= WARP || d.at & (d.at - 1) || all & d.at || !step_distance(s, &d))
            return 0;
        all |= (uint32_t)d.at;
        if (!is_next_shuffled(s, &d, condition, &is_known))
            return is_known ? all : 0;
    }
    return 0;
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* The distances of a shuffle in a loop of one block that sets the register once. */
static uint32_t distances_of_shuffle(const LaneWalk *w, InsnId shuffle, RegId carried, LoopId loop,
                                     SymId *distance)
{
    const Recognizer *r = w->r;
    InsnId last;
    const Operand *operand = ptx_lane_operand(r->flow->func, shuffle, 2);
    if (r->flow->cfg->block_of[shuffle] != r->flow->loops->loops[loop].header
        || ptx_defs_in_loop(r->defs, loop, carried, &last) != 1
        || !operand || operand->kind != OPERAND_REG || operand->flags)
        return 0;
    *distance = ptx_ssa_value_before(r->reader.ssa, operand->id, shuffle);
    const uint32_t all = distances_of_loop(r, *distance, loop);
    return ptx_ssa_is_spent(r->reader.ssa) || all & (all + 1) ? 0 : all;
}

/* x = x op shfl(x, d), x the register that the loop carries: what it combines. */
static uint32_t lanes_of_loop(const LaneWalk *w, InsnId id, unsigned x, LoopId loop)
{
    const Func *func = w->r->flow->func;
    const Operand *operands = ptx_insn_operands(func, &func->insns[id]);
    LaneStep step;
    SymId distance;
    const InsnId shuffle = ptx_lane_source(w, id, &operands[3 - x]);
    if (shuffle == NO_ID || !ptx_lane_read_shuffle(w, shuffle, &step) || step.mode == MOD_UP
        || operands[x].kind != OPERAND_REG || operands[x].id != operands[0].id
        || !ptx_lane_is_value_of(w, id, &operands[x], shuffle))
        return 0;
    const uint32_t all = distances_of_shuffle(w, shuffle, operands[0].id, loop, &distance);
    const uint32_t lanes = all + 1;
    bool is_whole = step.mode == MOD_BFLY ? lanes <= step.width : lanes == step.width;
    return all && is_whole ? lanes : 0;
}

/* ---- scans ----------------------------------------------------------------------------------- */

/* Whether a condition is lane < distance, or its opposite. */
static bool is_lane_below_distance(const Recognizer *r, SymId id, SymId distance, bool *is_below)
{
    const Sym *sym = ptx_sym(ptx_ssa_symbols(r->reader.ssa), id);
    bool is_less = sym->kind == SYM_LT_U || sym->kind == SYM_LT_S;
    bool is_at_most = sym->kind == SYM_LE_U || sym->kind == SYM_LE_S;
    *is_below = is_less;
    if (is_less)
        return sym->b == distance && ptx_lane_is_index(r, sym->a);
    return is_at_most && sym->a == distance && ptx_lane_is_index(r, sym->b);
}

/* A step of all distances below 32, where a selection takes what stands at a place from the
 * distance on. */
static bool is_scan_by(const LaneWalk *w, InsnId selection, unsigned place, InsnId shuffle,
                       RegId carried, LoopId loop)
{
    const Recognizer *r = w->r;
    const Operand *operands =
        ptx_insn_operands(r->flow->func, &r->flow->func->insns[selection]);
    LaneStep step;
    SymId distance;
    bool is_below;
    if (shuffle == NO_ID || !ptx_lane_read_shuffle(w, shuffle, &step) || step.mode != MOD_UP
        || step.width != WARP || operands[3].kind != OPERAND_REG
        || distances_of_shuffle(w, shuffle, carried, loop, &distance) != WARP - 1
        || !is_lane_below_distance(r, ptx_ssa_value_before(r->reader.ssa, operands[3].id,
                                                           selection), distance, &is_below))
        return false;
    bool is_negated = operands[3].flags & OPERAND_NEGATED;
    return place == (is_below == is_negated ? 1u : 2u);
}

static bool is_selection(const Insn *insn)
{
    return insn->op->operation == OP_SELP && insn->operand_count == 4 && insn->guard == NO_ID;
}

/* x = x + (lane < d ? 0 : shfl(x, d)) */
static bool is_added_scan(const LaneWalk *w, InsnId id, unsigned x, LoopId loop)
{
    const Func *func = w->r->flow->func;
    const Insn *insn = &func->insns[id];
    const Operand *operands = ptx_insn_operands(func, insn);
    const Step step = ptx_recognizer_step(insn);
    if ((step != STEP_ADD && step != STEP_OR && step != STEP_XOR)
        || operands[x].kind != OPERAND_REG || operands[x].id != operands[0].id)
        return false;
    const InsnId selection = ptx_lane_source(w, id, &operands[3 - x]);
    if (selection == NO_ID || !is_selection(&func->insns[selection]))
        return false;
    const Operand *of = ptx_insn_operands(func, &func->insns[selection]);
    for (unsigned place = 1; place <= 2; place++) {
        const InsnId shuffle = ptx_lane_source(w, selection, &of[place]);
        if (shuffle != NO_ID && of[3 - place].kind == OPERAND_INT
            && !ptx_operand_value(&of[3 - place])
            && is_scan_by(w, selection, place, shuffle, operands[0].id, loop)
            && ptx_lane_is_value_of(w, id, &operands[x], shuffle))
            return true;
    }
    return false;
}

/* x = lane < d ? x : x op shfl(x, d): the operation; NO_ID: it is none. */
static InsnId find_selected_scan(const LaneWalk *w, InsnId id, LoopId loop)
{
    const Func *func = w->r->flow->func;
    const Operand *operands = ptx_insn_operands(func, &func->insns[id]);
    for (unsigned n = 0; n < 4 && is_selection(&func->insns[id]); n++) {
        const unsigned place = 1 + n / 2, x = 1 + n % 2;
        const InsnId sum = ptx_lane_source(w, id, &operands[place]);
        if (sum == NO_ID || !ptx_lane_is_operation(&func->insns[sum])
            || func->insns[sum].guard != NO_ID || operands[3 - place].kind != OPERAND_REG
            || operands[3 - place].id != operands[0].id)
            continue;
        const Operand *of = ptx_insn_operands(func, &func->insns[sum]);
        const InsnId shuffle = ptx_lane_source(w, sum, &of[3 - x]);
        if (shuffle != NO_ID && is_scan_by(w, id, place, shuffle, operands[0].id, loop)
            && ptx_lane_is_value_of(w, sum, &of[x], shuffle)
            && ptx_lane_is_value_of(w, id, &operands[3 - place], shuffle))
            return sum;
    }
    return NO_ID;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The row of a register that a loop carries is of this class then; operation: what combines. */
static void name_loop_row(Recognizer *r, InsnId id, const Recognized *as, LoopId loop)
{
    const RegId reg = ptx_insn_operands(r->flow->func, &r->flow->func->insns[id])[0].id;
    for (uint32_t i = 0; i < r->count; i++) {
        Recognized *row = &r->items[i];
        if (row->loop != loop || row->reg != reg || row->class != RECOGNIZED_NONE)
            continue;
        row->class = as->class;
        row->why = NULL;
        row->lanes = as->lanes;
        row->operation = as->operation;
    }
}

static const char *text_of_operation(const Recognizer *r, InsnId id)
{
    return ptx_recognizer_step_text(ptx_recognizer_step(&r->flow->func->insns[id]));
}

/* Of class RECOGNIZED_NONE: it is no step. */
static Recognized read_loop_row(const LaneWalk *w, InsnId id, LoopId loop)
{
    Recognized row = { .class = RECOGNIZED_WARP_SCAN, .lanes = WARP };
    InsnId combines = find_selected_scan(w, id, loop);
    if (combines == NO_ID && ptx_lane_is_operation(&w->r->flow->func->insns[id])) {
        combines = id;
        row.class = is_added_scan(w, id, 1, loop) || is_added_scan(w, id, 2, loop)
                        ? RECOGNIZED_WARP_SCAN : RECOGNIZED_WARP_REDUCTION;
        if (row.class == RECOGNIZED_WARP_REDUCTION)
            row.lanes = lanes_of_loop(w, id, 1, loop);
        if (!row.lanes)
            row.lanes = lanes_of_loop(w, id, 2, loop);
    }
    if (combines == NO_ID || !row.lanes)
        return (Recognized){ .class = RECOGNIZED_NONE };
    row.operation = text_of_operation(w->r, combines);
    return row;
}

void ptx_lane_add_loop(LaneWalk *w, InsnId id)
{
    const FuncFlow *flow = w->r->flow;
    const LoopId loop = flow->loops->loop_of[flow->cfg->block_of[id]];
    const Insn *insn = &flow->func->insns[id];
    if (loop == NO_LOOP || flow->cfg->has_unknown_target
        || flow->loops->loops[loop].header != flow->cfg->block_of[id] || insn->guard != NO_ID
        || (!ptx_lane_is_operation(insn) && !is_selection(insn)))
        return;
    const Recognized row = read_loop_row(w, id, loop);
    if (row.class != RECOGNIZED_NONE)
        name_loop_row(w->r, id, &row, loop);
}
