#include "analysis/access/strata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ROUNDS = 16,           /* through the instructions, until nothing new is found */
    MAX_INSNS = 1 << 10,       /* that are executed for the keys of a block */
    /* blocks all over the grid that are run before an order is chosen */
    EVEN_PROBES = 7,
    KNOTS_LEAST = 32,
    /* blocks that no knot rests on, whose work is compared with what the order says */
    CHECKS = 32,
};

#define TOLERANCE 0.002         /* share of the work */
#define HOPELESS 0.1            /* after twice as many knots as there are at least */
#define CHECK_TOLERANCE 0.05    /* share of the work of the blocks that are checked */

/* ---- which values are the same in a block, and decide ---------------------------------------- */

typedef struct Keys {
    Machine *machine;
    const FuncState *func_state;
    const Func *func;
    bool *is_own;               /* per register: threads, loops or memory make it */
    bool *decides;              /* per register: what way control goes may rest on it */
    bool *is_wanted;            /* per instruction: it is executed for the keys */
    RegId regs[MAX_STRATA_KEYS];
    uint32_t count, wanted_count;
} Keys;

static bool is_use(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->role & (ROLE_USE | ROLE_ADDRESS);
}

static bool defines(const Keys *k, InsnId i, const bool *regs)
{
    const Operand *operands = ptx_insn_operands(k->func, &k->func->insns[i]);
    for (unsigned o = 0; o < k->func->insns[i].operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && regs[operands[o].id])
            return true;
    return false;
}

static bool is_param(const Op *op)
{
    return op->space == SPACE_PARAM || op->space == SPACE_PARAM_ENTRY;
}

/* Whether the same is computed in each thread, whatever memory holds. */
static bool is_of_block(const Keys *k, InsnId i)
{
    const Insn *insn = &k->func->insns[i];
    const Operand *operands = ptx_insn_operands(k->func, insn);
    Action action = (Action)ptx_machine_code(k->machine, insn->op)->action;
    bool is_plain = action == ACTION_LANEWISE || action == ACTION_CHOOSE || action == ACTION_MOVE
                    || (action == ACTION_LOAD && is_param(insn->op));
    if (!is_plain || k->func_state->loops->loop_of[k->func_state->cfg->block_of[i]] != NO_LOOP
        || (insn->guard != NO_ID && k->is_own[insn->guard]))
        return false;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        SregId sreg = operands[o].kind == OPERAND_SREG ? (SregId)operands[o].id : SREG_CTAID;
        if (sreg != SREG_CTAID && sreg != SREG_NCTAID && sreg != SREG_NTID)
            return false;
        if (is_use(&operands[o]) && k->is_own[operands[o].id])
            return false;
    }
    return true;
}

static bool mark_defs(const Keys *k, InsnId i, bool *regs)
{
    const Operand *operands = ptx_insn_operands(k->func, &k->func->insns[i]);
    bool is_new = false;
    for (unsigned o = 0; o < k->func->insns[i].operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && !regs[operands[o].id])
            is_new = regs[operands[o].id] = true;
    return is_new;
}

static bool mark_uses(const Keys *k, InsnId i, bool *regs)
{
    const Insn *insn = &k->func->insns[i];
    const Operand *operands = ptx_insn_operands(k->func, insn);
    bool is_new = false;
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (is_use(&operands[o]) && !regs[operands[o].id])
            is_new = regs[operands[o].id] = true;
    if (insn->guard != NO_ID && !regs[insn->guard])
        is_new = regs[insn->guard] = true;
    return is_new;
}

static bool find_own(const Keys *k)
{
    bool is_new = true;
    for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = 0; i < k->func->insn_count; i++)
            if (!is_of_block(k, i))
                is_new |= mark_defs(k, i, k->is_own);
    }
    return !is_new;
}

static bool is_control(const Insn *insn, Action action)
{
    return insn->guard != NO_ID
           && (action == ACTION_BRANCH || action == ACTION_EXIT || action == ACTION_RETURN);
}

/* Back from what guards branches; not through memory. */
static bool find_deciding(const Keys *k)
{
    bool is_new = true;
    for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = k->func->insn_count; i-- > 0;) {
            const Insn *insn = &k->func->insns[i];
            if (is_control(insn, (Action)ptx_machine_code(k->machine, insn->op)->action)
                && !k->decides[insn->guard])
                is_new = k->decides[insn->guard] = true;
            if (!ptx_insn_is_access(insn) && defines(k, i, k->decides) && defines(k, i, k->is_own))
                is_new |= mark_uses(k, i, k->decides);
        }
    }
    return !is_new;
}

/* What makes the keys, and the branches that choose between values of one. */
static bool find_wanted(Arena *scratch, Keys *k)
{
    bool *regs = ptx_arena_array(scratch, bool, k->func->reg_count + 1), is_new = true;
    for (uint32_t r = 0; r < k->count; r++)
        regs[k->regs[r]] = true;
    for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = k->func->insn_count; i-- > 0;) {
            const Insn *insn = &k->func->insns[i];
            bool is_branch = insn->op->kind == OPK_BRA && insn->guard != NO_ID
                             && !k->is_own[insn->guard];
            if (k->is_wanted[i] || !(is_branch || defines(k, i, regs))
                || k->func_state->loops->loop_of[k->func_state->cfg->block_of[i]] != NO_LOOP)
                continue;
            k->is_wanted[i] = is_new = true;
            k->wanted_count++;
            mark_uses(k, i, regs);
        }
    }
    return !is_new && k->wanted_count <= MAX_INSNS;
}

/* ---- their numbers --------------------------------------------------------------------------- */

/* Lanes, of which each is another block's, at each basic block. */
static void pass_on(const Keys *k, Warp *w, BlockId b, uint32_t *lanes)
{
    const Cfg *cfg = k->func_state->cfg;
    const Block *block = &cfg->blocks[b];
    const Insn *last = &k->func->insns[block->end - 1];
    uint32_t taken = lanes[b], falls = lanes[b], maybe;
    if (k->is_wanted[block->end - 1] && last->op->kind == OPK_BRA) {
        Scratch room;
        const Operand guard = { .kind = OPERAND_REG,
                                .id = last->guard,
                                .flags = last->guard_negated ? OPERAND_NEGATED : 0 };
        taken = ptx_lanes_where(k->machine, ptx_machine_read(k->machine, w, &guard, &room),
                                lanes[b], &maybe)
                | maybe;
        falls = lanes[b] & (~taken | maybe);
    }
    for (uint32_t e = 0; e < block->succ_count; e++) {
        BlockId to = cfg->succs[block->succ_first + e];
        if (to != EXIT_BLOCK)
            lanes[to] |= cfg->blocks[to].first == block->end ? falls : taken;
    }
}

static void execute_block(const Keys *k, Warp *w, BlockId b, uint32_t lanes)
{
    const Block *block = &k->func_state->cfg->blocks[b];
    for (InsnId i = block->first; i < block->end && lanes; i++) {
        const Insn *insn = &k->func->insns[i];
        uint32_t active = lanes, maybe = 0;
        if (!k->is_wanted[i] || insn->op->kind == OPK_BRA)
            continue;
        if (insn->guard != NO_ID) {
            Scratch room;
            const Operand guard = { .kind = OPERAND_REG,
                                    .id = insn->guard,
                                    .flags = insn->guard_negated ? OPERAND_NEGATED : 0 };
            active = ptx_lanes_where(k->machine, ptx_machine_read(k->machine, w, &guard, &room),
                                     lanes, &maybe);
        }
        if (active)
            ptx_machine_execute(k->machine, w, insn, ptx_machine_code(k->machine, insn->op), active,
                                UNCERTAIN_NONE);
        k->machine->steps++;
    }
}

/* As a number with its sign; what is not known is 0. */
static int64_t number_of(const Keys *k, const Warp *w, RegId reg, unsigned lane)
{
    const Register *r = ptx_frame_register(w->frame, reg);
    unsigned bits = reg < k->func->reg_count ? ptx_type_info[k->func->regs[reg].type].bits : 1;
    if (!r->is_written || r->value.unknown >> lane & 1)
        return 0;
    uint64_t number = ptx_value_lane(&r->value, lane);
    return bits > 1 && bits < 64 ? (int64_t)(number << (64 - bits)) >> (64 - bits)
                                 : (int64_t)number;
}

/* In the order of the text: what jumps back does so in loops, which are not gone around. */
static void compute_keys(const Keys *k, const StrataPlace *places, uint32_t first, uint32_t count,
                         uint32_t *lanes, Strata *out)
{
    uint64_t ctaids[3][WARP_LANES];
    uint32_t here = count - first < WARP_LANES ? count - first : WARP_LANES;
    for (unsigned d = 0; d < 3; d++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            ctaids[d][i] = places[first + (i < here ? i : 0)].at[d];
    k->machine->ctaids = ctaids;
    Warp *w = ptx_machine_begin(k->machine);
    memset(lanes, 0, k->func_state->cfg->block_count * sizeof *lanes);
    lanes[0] = UINT32_MAX;
    for (BlockId b = 0; b < k->func_state->cfg->block_count; b++) {
        execute_block(k, w, b, lanes[b]);
        pass_on(k, w, b, lanes);
    }
    for (uint32_t key = 0; key < k->count; key++)
        for (uint32_t i = 0; i < here; i++)
            out->keys[key][first + i] = number_of(k, w, k->regs[key], i);
    k->machine->ctaids = NULL;
}

static bool differs(const int64_t *key, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (key[i] != key[0])
            return true;
    return false;
}

/* Without those that are the same in all blocks, and those that are another plus a constant. */
static void drop_keys(Strata *s)
{
    uint32_t kept = 0;
    for (uint32_t key = 0; key < s->key_count; key++) {
        bool is_new = differs(s->keys[key], s->count);
        for (uint32_t other = 0; other < kept && is_new; other++) {
            uint32_t i = 1;
            uint64_t by = (uint64_t)s->keys[key][0] - (uint64_t)s->keys[other][0];
            while (i < s->count && (uint64_t)s->keys[key][i] - (uint64_t)s->keys[other][i] == by)
                i++;
            is_new = i < s->count;
        }
        if (is_new)
            s->keys[kept++] = s->keys[key];
    }
    s->key_count = kept;
}

static bool find_keys(Arena *scratch, Keys *k)
{
    const uint32_t regs = k->func->reg_count + 1;
    k->is_own = ptx_arena_array(scratch, bool, regs);
    k->decides = ptx_arena_array(scratch, bool, regs);
    k->is_wanted = ptx_arena_array(scratch, bool, k->func->insn_count);
    if (!find_own(k) || !find_deciding(k))
        return false;
    for (RegId r = 0; r < k->func->reg_count && k->count < MAX_STRATA_KEYS; r++)
        if (k->decides[r] && !k->is_own[r])
            k->regs[k->count++] = r;
    return k->count && find_wanted(scratch, k);
}

const Strata *ptx_strata_find(Arena *arena, Machine *m, const StrataPlace *places, uint32_t count)
{
    const FuncState *func_state = ptx_machine_func(m, m->kernel);
    Keys k = { .machine = m,
               .func_state = func_state,
               .func = func_state ? func_state->func : NULL };
    ArenaMark mark = ptx_arena_mark(m->scratch);
    Strata *out = NULL;
    if (func_state && count > 1 && find_keys(m->scratch, &k)) {
        uint32_t *lanes = ptx_arena_array(m->scratch, uint32_t, func_state->cfg->block_count);
        out = ptx_arena_new(arena, Strata);
        *out = (Strata){ .places = places, .count = count, .key_count = k.count };
        for (uint32_t key = 0; key < k.count; key++)
            out->keys[key] = ptx_arena_array(arena, int64_t, count);
        for (uint32_t first = 0; first < count; first += WARP_LANES)
            compute_keys(&k, places, first, count, lanes, out);
        drop_keys(out);
    }
    ptx_arena_release(m->scratch, mark);
    return out && out->key_count ? out : NULL;
}

/* ---- an order -------------------------------------------------------------------------------- */

typedef struct Ranked {
    int64_t key;
    uint32_t place;
} Ranked;

typedef struct Divider {
    const Strata *strata;
    StrataMeasure *measure;
    void *context;
    double *works;              /* per place; NaN: not run */
    Ranked *order;
    uint32_t *knots;            /* into order, ascending */
    /* per knot: by how much its work is off the line between its neighbours */
    double *bends;
    uint32_t knot_count, most, measured;
    bool is_over;               /* the budget */
} Divider;

/* A permutation of 32-bit numbers without order: multiplication by an odd number, and a shift. */
static uint32_t mixed(uint32_t place)
{
    uint32_t x = (place + 1) * UINT32_C(2654435769);
    return (x ^ x >> 15) * UINT32_C(2246822519);
}

/* Places of one key in no order: else ranks at even distances would be at one place of the grid's
 * other dimension. */
static int by_key(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    uint32_t first = mixed(x->place), second = mixed(y->place);
    return first < second ? -1 : first > second;
}

static void run_place(Divider *d, uint32_t place)
{
    if (d->is_over || !isnan(d->works[place]))
        return;
    double work = d->measured < d->most ? d->measure(d->context, &d->strata->places[place]) : -1;
    d->is_over = work < 0;
    d->works[place] = work < 0 ? (double)NAN : work;
    d->measured += work >= 0;
}

/* Blocks from all over the grid, and those with the least and the greatest number of each key. */
static void run_first(Divider *d)
{
    const Strata *s = d->strata;
    for (uint32_t i = 0; i < EVEN_PROBES; i++)
        run_place(d, (uint32_t)((uint64_t)(s->count - 1) * i / (EVEN_PROBES - 1)));
    for (uint32_t key = 0; key < s->key_count; key++) {
        uint32_t least = 0, most = 0;
        for (uint32_t i = 1; i < s->count; i++) {
            least = s->keys[key][i] < s->keys[key][least] ? i : least;
            most = s->keys[key][i] > s->keys[key][most] ? i : most;
        }
        run_place(d, least);
        run_place(d, most);
    }
}

/* A key, or how far two of them lie apart, as of a loop from one to the other. */
static int64_t number_at(const Strata *s, uint32_t key, uint32_t less, uint32_t place)
{
    uint64_t number = (uint64_t)s->keys[key][place];
    return (int64_t)(key == less ? number : number - (uint64_t)s->keys[less][place]);
}

static void sort_by(const Divider *d, uint32_t key, uint32_t less, const uint32_t *places,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = places ? places[i] : i;
        d->order[i] = (Ranked){ number_at(d->strata, key, less, place), place };
    }
    qsort(d->order, count, sizeof *d->order, by_key);
}

/* How much the work goes up and down along an order of the blocks that were run. */
static double variation_of(const Divider *d, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 1; i < count; i++)
        sum += fabs(d->works[d->order[i].place] - d->works[d->order[i - 1].place]);
    return sum;
}

/* The order in which the work of blocks that were run goes up and down the least. */
static void choose_order(Arena *arena, const Divider *d)
{
    const Strata *s = d->strata;
    uint32_t *run = ptx_arena_array(arena, uint32_t, d->measured + 1), count = 0,
             best[2] = { 0, 0 };
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < s->count && count < d->measured; i++)
        if (!isnan(d->works[i]))
            run[count++] = i;
    for (uint32_t key = 0; key < s->key_count; key++)
        for (uint32_t other = 0; other < s->key_count; other++) {
            uint32_t less = other ? (key + other) % s->key_count : key;
            sort_by(d, key, less, run, count);
            double here = variation_of(d, count);
            if (here < least * (1 - 1e-9)) {
                least = here;
                best[0] = key;
                best[1] = less;
            }
        }
    sort_by(d, best[0], best[1], NULL, s->count);
}

/* ---- knots ----------------------------------------------------------------------------------- */

/* How far the way from one rank to another a third lies, by its key; by its rank where these are
 * the same. */
static double part_of(const Divider *d, uint32_t from, uint32_t to, uint32_t rank)
{
    double way = (double)d->order[to].key - (double)d->order[from].key;
    if (way > 0)
        return ((double)d->order[rank].key - (double)d->order[from].key) / way;
    return (double)(rank - from) / (to - from);
}

static double work_of(const Divider *d, uint32_t knot)
{
    return d->works[d->order[d->knots[knot]].place];
}

static void find_bend(const Divider *d, uint32_t knot)
{
    d->bends[knot] = 0;
    if (!knot || knot + 1 >= d->knot_count)
        return;
    double part = part_of(d, d->knots[knot - 1], d->knots[knot + 1], d->knots[knot]);
    d->bends[knot] = fabs(work_of(d, knot) - (1 - part) * work_of(d, knot - 1)
                          - part * work_of(d, knot + 1));
}

/* The blocks that were run, and both ends. */
static void begin_knots(Divider *d)
{
    run_place(d, d->order[0].place);
    run_place(d, d->order[d->strata->count - 1].place);
    for (uint32_t rank = 0; rank < d->strata->count; rank++)
        if (!isnan(d->works[d->order[rank].place]))
            d->knots[d->knot_count++] = rank;
    for (uint32_t k = 0; k < d->knot_count; k++)
        find_bend(d, k);
}

static void add_knot(Divider *d, uint32_t behind, uint32_t rank)
{
    for (uint32_t k = d->knot_count++; k > behind + 1; k--) {
        d->knots[k] = d->knots[k - 1];
        d->bends[k] = d->bends[k - 1];
    }
    d->knots[behind + 1] = rank;
    for (uint32_t k = behind ? behind - 1 : 0; k <= behind + 3 && k < d->knot_count; k++)
        find_bend(d, k);
}

/* What the mixtures behind a knot may be wrong by: as much as the line bends at either end; where
 * the numbers are one, as their work differs. */
static double doubt_behind(const Divider *d, uint32_t knot)
{
    uint32_t from = d->knots[knot], to = d->knots[knot + 1];
    bool is_one = d->order[from].key == d->order[to].key;
    double off = is_one ? fabs(work_of(d, knot + 1) - work_of(d, knot))
                        : fmax(d->bends[knot], d->bends[knot + 1]);
    return off * (to - from - 1) / 2;
}

static double doubt_of(const Divider *d)
{
    double sum = 0, work = 0;
    for (uint32_t k = 0; k + 1 < d->knot_count; k++) {
        sum += doubt_behind(d, k);
        work += (work_of(d, k) + work_of(d, k + 1)) / 2 * (d->knots[k + 1] - d->knots[k]);
    }
    return work > 0 ? sum / work : 0;
}

/* Behind which knot another one tells most: where the doubt is, or, once there is none, where most
 * blocks are. d->knot_count: none. */
static uint32_t widest(const Divider *d, bool by_doubt)
{
    uint32_t at = d->knot_count;
    double most = 0;
    for (uint32_t k = 0; k + 1 < d->knot_count; k++) {
        double here = by_doubt ? doubt_behind(d, k) : d->knots[k + 1] - d->knots[k] - 1.0;
        if (here > most && d->knots[k + 1] - d->knots[k] > 1) {
            most = here;
            at = k;
        }
    }
    return at;
}

static void divide(Divider *d)
{
    while (!d->is_over && d->knot_count < d->most) {
        double doubt = doubt_of(d);
        bool is_sure = doubt <= TOLERANCE;
        if ((is_sure && d->knot_count >= KNOTS_LEAST)
            || (doubt > HOPELESS && d->knot_count >= 2 * KNOTS_LEAST))
            return;
        uint32_t at = widest(d, !is_sure);
        if (at == d->knot_count)
            return;
        uint32_t rank = d->knots[at] + (d->knots[at + 1] - d->knots[at]) / 2;
        run_place(d, d->order[rank].place);
        if (!d->is_over)
            add_knot(d, at, rank);
    }
}

static double line_at(const Divider *d, uint32_t knot, uint32_t rank)
{
    double part = part_of(d, d->knots[knot], d->knots[knot + 1], rank);
    return (1 - part) * work_of(d, knot) + part * work_of(d, knot + 1);
}

/* Whether blocks that were not run before do as much as the order says. */
static bool passes_checks(Divider *d)
{
    double off = 0, work = 0;
    uint32_t knot = 0;
    d->most += CHECKS;
    for (uint32_t i = 0; i < CHECKS; i++) {
        uint32_t rank = (uint32_t)((2 * i + 1.0) * d->strata->count / (2 * CHECKS));
        while (knot + 2 < d->knot_count && d->knots[knot + 1] <= rank)
            knot++;
        uint32_t place = d->order[rank].place;
        if (knot + 1 >= d->knot_count || !isnan(d->works[place]))
            continue;
        run_place(d, place);
        if (d->is_over)
            return false;
        off += fabs(d->works[place] - line_at(d, knot, rank));
        work += d->works[place];
    }
    return off <= CHECK_TOLERANCE * work;
}

/* ---- what they stand for --------------------------------------------------------------------- */

static const Knot *weigh(Arena *arena, const Divider *d)
{
    Knot *out = ptx_arena_array(arena, Knot, d->knot_count);
    const StrataPlace *places = d->strata->places;
    for (uint32_t k = 0; k < d->knot_count; k++) {
        uint32_t from = d->knots[k], to = k + 1 < d->knot_count ? d->knots[k + 1] : from + 1;
        out[k].place = d->order[from].place;
        out[k].blocks += places[out[k].place].blocks;
        for (uint32_t rank = from + 1; rank < to; rank++) {
            double part = part_of(d, from, to, rank), blocks = places[d->order[rank].place].blocks;
            out[k].blocks += (1 - part) * blocks;
            out[k + 1].blocks += part * blocks;
        }
    }
    return out;
}

static const float *works_of_all(Arena *arena, const Divider *d)
{
    float *out = ptx_arena_array(arena, float, d->strata->count);
    for (uint32_t k = 0; k + 1 < d->knot_count; k++)
        for (uint32_t rank = d->knots[k]; rank <= d->knots[k + 1]; rank++) {
            uint32_t place = d->order[rank].place;
            out[place] = (float)(isnan(d->works[place]) ? line_at(d, k, rank) : d->works[place]);
        }
    return out;
}

static bool any_differs(const Divider *d)
{
    for (uint32_t k = 1; k < d->knot_count; k++)
        if (work_of(d, k) != work_of(d, 0))
            return true;
    return false;
}

Knots ptx_strata_divide(Arena *arena, const Strata *s, StrataMeasure *measure, void *context,
                        uint32_t most)
{
    Divider d = { .strata = s,
                  .measure = measure,
                  .context = context,
                  .works = ptx_arena_array(arena, double, s->count),
                  .order = ptx_arena_array(arena, Ranked, s->count),
                  .most = most < s->count ? most : s->count };
    for (uint32_t i = 0; i < s->count; i++)
        d.works[i] = (double)NAN;
    run_first(&d);
    if (d.is_over)
        return (Knots){ .uncertain = 1, .measured = d.measured };
    d.knots = ptx_arena_array(arena, uint32_t, d.most + 1);
    d.bends = ptx_arena_array(arena, double, d.most + 1);
    choose_order(arena, &d);
    begin_knots(&d);
    if (d.is_over)
        return (Knots){ .uncertain = 1, .measured = d.measured };
    divide(&d);
    if (!passes_checks(&d))
        return (Knots){ .uncertain = 1, .measured = d.measured };
    return (Knots){ weigh(arena, &d), d.knot_count, doubt_of(&d),
                    any_differs(&d),  d.measured,   works_of_all(arena, &d) };
}
