#include "analysis/time/memory/address_distribution.h"

#include "analysis/sim/value.h"
#include "analysis/value/launch.h"
#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ANYWHERE ((double)INFINITY)

/* data of more bits say nothing of how far they lead */
enum { NARROW_BITS = 31, SECTOR_BYTES = 32 };

typedef struct AddressDistributionWalk {
    const Func *func;
    const Lanewise *ops;        /* per instruction */
    /* per register: largest less least number that data make it hold, in the walk before; 0: data
     * have no part in it */
    double *reached;
    double *found;              /* in this one */
    uint32_t *definitions;      /* per register */
    uint8_t *ways;              /* per register: Way bits */
    double *numbers;            /* per register: that the launch gives it; NaN: it does not */
} AddressDistributionWalk;

/* How a number comes about: out of a register of several definitions, by the way that control
 * takes; out of a part of such a one, as the middle of a search; as a pointer that was loaded; as
 * a ballot, as those lanes of it that a mask keeps, or with the number of these. */
enum {
    WAY_SEVERAL = 1, WAY_PART = 2, WAY_POINTER = 4, WAY_BALLOT = 8, WAY_MASKED = 16, WAY_RANK = 32,
};

/* ---- one instruction ------------------------------------------------------------------------- */

static double of_operand(const AddressDistributionWalk *w, const Operand *operand)
{
    return operand->kind == OPERAND_REG ? w->reached[operand->id] : 0;
}

static const Operand *nth_use(const Func *func, const Insn *insn, unsigned n)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_USE && !n--)
            return &operands[o];
    return NULL;
}

static bool constant_of(const AddressDistributionWalk *w, const Operand *operand, double *out)
{
    double number = (double)NAN;
    if (operand && operand->kind == OPERAND_INT)
        number = (double)ptx_operand_value(operand);
    else if (operand && operand->kind == OPERAND_REG)
        number = w->numbers[operand->id];
    *out = number >= 0 ? number : 0;
    return number >= 0;
}

static double within_bits(double reach, unsigned bits)
{
    return bits <= NARROW_BITS ? fmin(reach, (double)((UINT64_C(1) << bits) - 1)) : reach;
}

static double product(const AddressDistributionWalk *w, double a, double b, const Operand *x,
                      const Operand *y)
{
    double factor;
    if (constant_of(w, y, &factor))
        return a * factor;
    if (constant_of(w, x, &factor))
        return b * factor;
    return a > 0 || b > 0 ? ANYWHERE : 0;
}

/* The word of a bit, the sector of a byte: of a number that may be anything, a few bits less say
 * nothing of how far it leads. Those that a hash is shifted by do. */
static double reach_shifted(double reach, unsigned bits, double by)
{
    if (by >= bits || (by <= PACKED_BITS && !isfinite(reach)))
        return ANYWHERE;
    return within_bits(ldexp(reach, -(int)by), bits - (unsigned)by);
}

static double result_of(const AddressDistributionWalk *w, const Insn *insn, const Lanewise *op)
{
    const Operand *use[3];
    double reach[3], all = 0, number;
    for (unsigned n = 0; n < 3; n++) {
        use[n] = nth_use(w->func, insn, n);
        reach[n] = use[n] ? of_operand(w, use[n]) : 0;
        all += reach[n];
    }
    if (!(all > 0))
        return 0;
    bool is_by = constant_of(w, use[1], &number);
    switch ((Transfer)op->transfer) {
    case TRANSFER_COPY:
        return within_bits(reach[0], op->bits);
    case TRANSFER_ADD:
    case TRANSFER_SUB:
    case TRANSFER_OR:
    case TRANSFER_XOR:
    case TRANSFER_NEGATE:
    case TRANSFER_MAX:
        return all;
    case TRANSFER_INSERT:       /* the first into the second, from the bit on that the third says */
        return constant_of(w, use[2], &number) && number < 64
                   ? ldexp(reach[0], (int)number) + reach[1]
                   : ANYWHERE;
    case TRANSFER_MUL:
        return product(w, reach[0], reach[1], use[0], use[1]);
    case TRANSFER_MAD:
        return product(w, reach[0], reach[1], use[0], use[1]) + reach[2];
    case TRANSFER_SHL:
        return is_by && number < 64 ? ldexp(reach[0], (int)number) : ANYWHERE;
    case TRANSFER_SHR:
        return is_by ? reach_shifted(reach[0], op->bits, number) : ANYWHERE;
    case TRANSFER_AND: case TRANSFER_MIN:
        return is_by ? fmin(reach[0], number) : all;
    case TRANSFER_DIV:
        return is_by && number > 0 ? fmin(reach[0], ldexp(1, op->bits)) / number : ANYWHERE;
    case TRANSFER_REM:
        return is_by ? fmin(reach[0], number) : ANYWHERE;
    case TRANSFER_FIELD:
        return constant_of(w, use[2], &number) && number < NARROW_BITS
                   ? within_bits(reach[0], (unsigned)number)
                   : ANYWHERE;
    default:
        return ANYWHERE;
    }
}

/* popc(ballot & mask) counts the lanes before this one that keep something, so that lanes that add
 * it to a place of the warp lie side by side. A mask that data make, as one of equal digits, is
 * none of these. */
static uint8_t ranked_ways(const AddressDistributionWalk *w, const Insn *insn, Transfer transfer,
                           uint8_t ways)
{
    const Operand *a = nth_use(w->func, insn, 0), *b = nth_use(w->func, insn, 1);
    switch ((Operation)insn->op->operation) {
    case OP_VOTE:
        return ptx_op_has(insn->op, MOD_BALLOT) ? WAY_BALLOT : 0;
    case OP_AND:
        return ways & WAY_BALLOT && (of_operand(w, a) > 0) != (of_operand(w, b) > 0) ? WAY_MASKED
                                                                                     : 0;
    case OP_POPC:
        return ways & WAY_MASKED ? WAY_RANK : 0;
    default:
        break;
    }
    bool keeps = transfer == TRANSFER_COPY || transfer == TRANSFER_ADD || transfer == TRANSFER_SUB
                 || transfer == TRANSFER_MUL || transfer == TRANSFER_MAD
                 || transfer == TRANSFER_SHL;
    return keeps ? ways & WAY_RANK : 0;
}

static uint8_t ways_of(const AddressDistributionWalk *w, const Insn *insn, InsnId id)
{
    uint8_t ways = 0;
    for (unsigned n = 0; nth_use(w->func, insn, n); n++)
        if (nth_use(w->func, insn, n)->kind == OPERAND_REG)
            ways |= w->ways[nth_use(w->func, insn, n)->id];
    Transfer transfer = w->ops[id].fn ? (Transfer)w->ops[id].transfer : TRANSFER_OPAQUE;
    bool is_part = transfer == TRANSFER_SHR || transfer == TRANSFER_DIV,
         is_sum = transfer == TRANSFER_COPY || transfer == TRANSFER_ADD;
    if (insn->op->flags & OPF_LOAD && insn->op->space != SPACE_PARAM
        && ptx_type_info[insn->op->type].bits == 64)
        return WAY_POINTER;
    const uint8_t ranked = ranked_ways(w, insn, transfer, ways);
    ways &= is_sum ? WAY_SEVERAL | WAY_PART | WAY_POINTER : WAY_SEVERAL | WAY_PART;
    ways |= ranked;
    if (is_part && ways & WAY_SEVERAL)
        ways |= WAY_PART;
    return ways;
}

/* What comes from memory, or from other lanes, may be anything of its type. */
static double defined_by(const AddressDistributionWalk *w, const Insn *insn, InsnId id)
{
    const Op *op = insn->op;
    if (op->flags & OPF_LOAD || op->kind == OPK_ATOM)
        return op->space == SPACE_PARAM ? 0 : within_bits(ANYWHERE, ptx_type_info[op->type].bits);
    if (w->ops[id].fn)
        return result_of(w, insn, &w->ops[id]);
    for (unsigned n = 0; nth_use(w->func, insn, n); n++)
        if (of_operand(w, nth_use(w->func, insn, n)) > 0)
            return ANYWHERE;
    return 0;
}

/* ---- what the launch says -------------------------------------------------------------------- */

/* Of a parameter that is read whole, as an integer; NaN. */
static double number_of_param(const Func *func, const Insn *insn, const Launch *launch)
{
    const Operand *from = nth_use(func, insn, 0);
    uint64_t number = 0;
    if (insn->op->space != SPACE_PARAM || insn->access_bytes > sizeof number || !from
        || from->kind != OPERAND_VAR || ptx_operand_value(from)
        || ptx_type_info[insn->op->type].kind == KIND_FLOAT)
        return (double)NAN;
    for (uint32_t p = 0; p < func->param_count && p < launch->param_count; p++) {
        const LaunchParam *given = &launch->params[p];
        if (func->params[p] != from->id || !given->bytes || given->length < insn->access_bytes)
            continue;
        for (unsigned b = insn->access_bytes; b--;)
            number = number << 8 | given->bytes[b];
        return number >> (8 * insn->access_bytes - 1) ? (double)NAN : (double)number;
    }
    return (double)NAN;
}

static double number_of_result(const AddressDistributionWalk *w, const Insn *insn,
                               const Lanewise *op)
{
    double of[3];
    for (unsigned n = 0; n < 3; n++)
        if (!constant_of(w, nth_use(w->func, insn, n), &of[n]))
            of[n] = (double)NAN;
    switch ((Transfer)op->transfer) {
    case TRANSFER_COPY: return of[0];
    case TRANSFER_ADD:  return of[0] + of[1];
    case TRANSFER_SUB:  return of[0] - of[1];
    case TRANSFER_MUL:  return of[0] * of[1];
    case TRANSFER_MAD:  return of[0] * of[1] + of[2];
    case TRANSFER_SHL:  return of[1] < 64 ? ldexp(of[0], (int)of[1]) : (double)NAN;
    case TRANSFER_SHR:  return of[1] < 64 ? floor(ldexp(of[0], -(int)of[1])) : (double)NAN;
    case TRANSFER_DIV:  return of[1] > 0 ? floor(of[0] / of[1]) : (double)NAN;
    default:            return (double)NAN;
    }
}

/* Of what is defined once, in the order of the text. */
static void find_numbers(AddressDistributionWalk *w, const Launch *launch)
{
    for (RegId r = 0; r < w->func->reg_count; r++)
        w->numbers[r] = (double)NAN;
    for (InsnId i = 0; launch && i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *to = ptx_insn_operands(w->func, insn);
        if (!insn->operand_count || to->kind != OPERAND_REG || !(to->role & ROLE_DEF)
            || w->definitions[to->id] != 1 || insn->guard != NO_ID)
            continue;
        if (insn->op->kind == OPK_LD)
            w->numbers[to->id] = number_of_param(w->func, insn, launch);
        else if (w->ops[i].fn)
            w->numbers[to->id] = number_of_result(w, insn, &w->ops[i]);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

enum { WALKS = 4 };

/* In the order of the text: a register of one definition is settled there. One of several holds
 * what the walk before found; what still grows may be anything. */
static void walk(AddressDistributionWalk *w, bool is_first)
{
    memset(w->found, 0, (w->func->reg_count + 1) * sizeof *w->found);
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
                continue;
            RegId reg = operands[o].id;
            w->found[reg] = fmax(w->found[reg], defined_by(w, insn, i));
            w->ways[reg] |= (uint8_t)(ways_of(w, insn, i)
                                      | (w->definitions[reg] > 1 ? WAY_SEVERAL : 0));
            if (w->definitions[reg] == 1)
                w->reached[reg] = w->found[reg];
        }
    }
    for (RegId r = 0; r < w->func->reg_count; r++)
        if (w->definitions[r] > 1 && w->found[r] > w->reached[r])
            w->reached[r] = is_first ? w->found[r] : ANYWHERE;
}

static void prepare(AddressDistributionWalk *w, Lanewise *ops)
{
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        ptx_lanewise_make(insn->op, &ops[i]);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
                w->definitions[operands[o].id]++;
    }
}

static bool has_way(const AddressDistributionWalk *w, const Insn *insn, uint8_t way)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && operands[o].kind == OPERAND_REG
            && w->ways[operands[o].id] & way)
            return true;
    return false;
}

static double of_address(const AddressDistributionWalk *w, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(w->func, insn);
    if (has_way(w, insn, WAY_RANK))
        return 0;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && of_operand(w, &operands[o]) > 0)
            return of_operand(w, &operands[o]) + insn->access_bytes;
    /* if data lead it at all, they do by the way that control takes */
    return has_way(w, insn, WAY_PART) ? ANYWHERE : 0;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* What an address is but for constants that were added to it: equal keys, equal numbers. */
typedef struct AddressDistributionPlace {
    uint64_t key;
    double offset;
} AddressDistributionPlace;

static uint64_t mixed(uint64_t a, uint64_t b)
{
    return ptx_draw(a * 31 + b, UINT64_MAX);
}

static AddressDistributionPlace place_of(const AddressDistributionWalk *w,
                                         const AddressDistributionPlace *places,
                                         const Operand *operand)
{
    double number;
    if (operand && operand->kind == OPERAND_REG)
        return places[operand->id];
    constant_of(w, operand, &number);
    return (AddressDistributionPlace){ 0, number };
}

/* Sums take the offsets of their parts, products with constants multiply them; a mask keeps
 * them. */
static uint64_t key_of_sum(uint64_t a, uint64_t b)
{
    if (!b)
        return a;
    return a ? mixed(a, b) : b;
}

static AddressDistributionPlace result_place(const AddressDistributionWalk *w,
                                             const AddressDistributionPlace *places, InsnId id)
{
    const Insn *insn = &w->func->insns[id];
    const Operand *use[3] = { nth_use(w->func, insn, 0), nth_use(w->func, insn, 1),
                              nth_use(w->func, insn, 2) };
    AddressDistributionPlace of[3];
    double number;
    for (unsigned n = 0; n < 3; n++)
        of[n] = place_of(w, places, use[n]);
    bool is_by = constant_of(w, use[1], &number);
    uint64_t both = mixed(of[0].key, of[1].key),
             op = mixed(w->ops[id].transfer, is_by ? (uint64_t)number + 1 : of[1].key);
    switch (w->ops[id].fn ? (Transfer)w->ops[id].transfer : TRANSFER_OPAQUE) {
    case TRANSFER_COPY:
        return of[0];
    case TRANSFER_ADD:
        return (AddressDistributionPlace){ key_of_sum(of[0].key, of[1].key),
                                           of[0].offset + of[1].offset };
    case TRANSFER_MUL:
        return is_by ? (AddressDistributionPlace){ mixed(of[0].key, op), of[0].offset * number }
                     : (AddressDistributionPlace){ mixed(both, op), 0 };
    case TRANSFER_MAD:
        return is_by
                   ? (AddressDistributionPlace){ mixed(mixed(of[0].key, op), of[2].key),
                                                 of[0].offset * number + of[2].offset }
                   : (AddressDistributionPlace){ mixed(mixed(both, op), of[2].key), of[2].offset };
    case TRANSFER_SHL:
        return is_by && number < 64 ? (AddressDistributionPlace){ mixed(of[0].key, op),
                                                                  ldexp(of[0].offset, (int)number) }
                                    : (AddressDistributionPlace){ mixed(id, 1), 0 };
    case TRANSFER_AND:
        return is_by ? (AddressDistributionPlace){ mixed(of[0].key, op), of[0].offset }
                     : (AddressDistributionPlace){ mixed(id, 1), 0 };
    default:
        return (AddressDistributionPlace){ mixed(id, 1), 0 };
    }
}

typedef struct Neighbour {
    AddressDistributionPlace place;
    InsnId insn;
} Neighbour;

static int by_place(const void *a, const void *b)
{
    const Neighbour *x = a, *y = b;
    if (x->place.key != y->place.key)
        return x->place.key < y->place.key ? -1 : 1;
    return x->place.offset < y->place.offset ? -1 : x->place.offset > y->place.offset;
}

/* Loads from global memory whose addresses data lead, but for constants in the same way. */
static uint32_t list_neighbours(const AddressDistributionWalk *w, AddressDistributionPlace *places,
                                Neighbour *found)
{
    uint32_t count = 0;
    for (RegId r = 0; r < w->func->reg_count; r++)
        places[r] = (AddressDistributionPlace){ mixed(r, 2), 0 };
    for (InsnId i = 0; i < w->func->insn_count; i++) {
        const Insn *insn = &w->func->insns[i];
        const Operand *operands = ptx_insn_operands(w->func, insn);
        AddressDistributionPlace place = result_place(w, places, i);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            const Operand *at = &operands[o];
            if (at->kind == OPERAND_REG && at->role & ROLE_ADDRESS && insn->op->kind == OPK_LD
                && insn->op->space == SPACE_GLOBAL && w->reached[at->id] > 0)
                found[count++] = (Neighbour){
                    { places[at->id].key, places[at->id].offset + (double)ptx_operand_value(at) }, i
                };
            if (at->kind != OPERAND_REG || !(at->role & ROLE_DEF))
                continue;
            if (w->definitions[at->id] == 1)
                places[at->id] = place;
            place.key = mixed(place.key, 3);    /* the next of a vector lies elsewhere */
        }
    }
    return count;
}

/* The nearer the place before, the likelier its sector is this one's too. */
static void share_sectors(const AddressDistributionWalk *w, Arena *scratch,
                          AddressDistribution *out)
{
    Neighbour *all = ptx_arena_array(scratch, Neighbour, w->func->insn_count + 1);
    uint32_t count = list_neighbours(
        w, ptx_arena_array(scratch, AddressDistributionPlace, w->func->reg_count + 1), all);
    qsort(all, count, sizeof *all, by_place);
    for (uint32_t first = 0, end; first < count; first = end) {
        double sectors = 1;
        for (end = first + 1; end < count && all[end].place.key == all[first].place.key; end++)
            sectors += fmin(1, (all[end].place.offset - all[end - 1].place.offset) / SECTOR_BYTES);
        for (uint32_t n = first; n < end; n++)
            out[all[n].insn].own = sectors / (end - first);
    }
}

/* PTX says nothing of what lies beyond a variable, so no address that a program can use does. */
static double within_variable(const PointsToSet *bases, const Module *module, const Func *func,
                              const Insn *insn, double reach)
{
    PointsTo base;
    if (!bases || !ptx_points_to_of_access(bases, module, func, insn, &base)
        || base.kind != BASE_VAR || !module->vars[base.id].bytes)
        return reach;
    return fmin(reach, (double)module->vars[base.id].bytes);
}

const AddressDistribution *ptx_address_distribution_compute(Arena *arena, Arena *scratch,
                                                            const PointsToSet *bases,
                                                            const Module *module,
                                                            const Func *func,
                                                            const Launch *launch)
{
    AddressDistribution *out = ptx_arena_array(arena, AddressDistribution, func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    Lanewise *ops = ptx_arena_array(scratch, Lanewise, func->insn_count + 1);
    AddressDistributionWalk w = { .func = func, .ops = ops };
    w.reached = ptx_arena_array(scratch, double, func->reg_count + 1);
    w.found = ptx_arena_array(scratch, double, func->reg_count + 1);
    w.definitions = ptx_arena_array(scratch, uint32_t, func->reg_count + 1);
    w.ways = ptx_arena_array(scratch, uint8_t, func->reg_count + 1);
    w.numbers = ptx_arena_array(scratch, double, func->reg_count + 1);
    prepare(&w, ops);
    find_numbers(&w, launch);
    for (unsigned n = 0; n < WALKS; n++)
        walk(&w, !n);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const double reach = insn->access_bytes ? of_address(&w, insn) : 0;
        out[i] = (AddressDistribution){ within_variable(bases, module, func, insn, reach), 1,
                                        has_way(&w, insn, WAY_POINTER) };
    }
    share_sectors(&w, scratch, out);
    ptx_arena_release(scratch, mark);
    return out;
}
