#include "analysis/sass/joinable.h"

#include "analysis/redundancy/local_value_numbering.h"
#include "analysis/redundancy/effect.h"
#include "analysis/sass/low_bits.h"
#include "analysis/sass/unroll.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/count.h"

#include <stdlib.h>

typedef struct JoinablePlace {
    NumberedValue at;
    InsnId insn;
    uint32_t others;            /* accesses of the other kind before it */
    bool is_load;
} JoinablePlace;

static bool may_join(const Insn *insn)
{
    bool is_plain = insn->op->kind == OPK_LD || insn->op->kind == OPK_ST;
    return is_plain && insn->access_bytes && insn->access_bytes < WIDEST_ACCESS_BYTES
           && ptx_effect_memory(insn->op->space) & MEMORY_SHARED;
}

static int compare_places(const void *x, const void *y)
{
    const JoinablePlace *a = x, *b = y;
    if (a->is_load != b->is_load)
        return a->is_load ? -1 : 1;
    if (a->at.base != b->at.base)
        return a->at.base < b->at.base ? -1 : 1;
    return (a->at.offset > b->at.offset) - (a->at.offset < b->at.offset);
}

static bool are_neighbours(const JoinablePlace *a, const JoinablePlace *b)
{
    return a->is_load == b->is_load && a->at.base == b->at.base
           && (uint64_t)b->at.offset - (uint64_t)a->at.offset < WIDEST_ACCESS_BYTES;
}

/* ---- accesses from one base ------------------------------------------------------------------ */

/* What is asked of the accesses of a basic block. */
typedef struct JoinableSearch {
    const Func *func;
    bool (*takes)(const Insn *insn);
    bool (*ends)(const Insn *insn);         /* no vector spans it; NULL: none does */
    void (*mark)(const struct JoinableSearch *search, const JoinablePlace *places, uint32_t count);
    void *found;                            /* mark's, per instruction */
} JoinableSearch;

static void mark_joinable(const JoinableSearch *search, JoinablePlace *places, uint32_t count)
{
    qsort(places, count, sizeof *places, compare_places);
    search->mark(search, places, count);
}

static void search_block(const JoinableSearch *search, Numbers *numbers, const Block *block,
                         JoinablePlace *places)
{
    uint32_t count = 0, loads = 0, stores = 0;
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &search->func->insns[i];
        bool is_load = insn->op->kind == OPK_LD;
        if (search->takes(insn))
            places[count++] = (JoinablePlace){
                .at = ptx_value_numbers_address(numbers, ptx_effect_address(search->func, insn)),
                .insn = i, .others = is_load ? stores : loads, .is_load = is_load,
            };
        if (ptx_effect_memory(insn->op->space) & MEMORY_SHARED) {
            loads += is_load;
            stores += !is_load;
        }
        ptx_value_numbers_step(numbers, i);
        if (search->ends && search->ends(insn)) {
            mark_joinable(search, places, count);
            count = 0;
        }
    }
    mark_joinable(search, places, count);
}

static void search_all(Arena *arena, const Module *module, const Cfg *cfg,
                       const JoinableSearch *search)
{
    bool any = false;
    for (InsnId i = 0; i < search->func->insn_count && !any; i++)
        any = search->takes(&search->func->insns[i]);
    if (!any)
        return;
    Numbers numbers = ptx_value_numbers_new(arena, module, search->func, cfg);
    JoinablePlace *places = ptx_arena_array(arena, JoinablePlace, search->func->insn_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        if (!ptx_block_is_reachable(cfg, b))
            continue;
        ptx_value_numbers_enter(&numbers, b);
        search_block(search, &numbers, &cfg->blocks[b], places);
    }
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static void mark_neighbours(const JoinableSearch *search, const JoinablePlace *places,
                            uint32_t count)
{
    bool *found = search->found;
    for (uint32_t p = 0; p < count; p++) {
        if (places[p].at.base == NUMBER_NONE)
            found[places[p].insn] = true;
        if (p && are_neighbours(&places[p - 1], &places[p]))
            found[places[p - 1].insn] = found[places[p].insn] = true;
    }
}

const bool *ptx_joinable_compute(Arena *arena, const Module *module, const Func *func,
                                 const Cfg *cfg)
{
    bool *found = ptx_arena_array(arena, bool, func->insn_count + 1);
    const JoinableSearch search = {
        .func = func, .takes = may_join, .mark = mark_neighbours, .found = found,
    };
    search_all(arena, module, cfg, &search);
    return found;
}

/* ---- rows of neighbours ---------------------------------------------------------------------- */

static bool may_stand_in_row(const Insn *insn)
{
    return may_join(insn) && !ptx_op_has(insn->op, MOD_VOLATILE) && insn->guard == NO_ID;
}

static bool ends_row(const Insn *insn)
{
    return insn->op->kind == OPK_BAR || insn->op->kind == OPK_CALL;
}

static bool is_next(const Func *func, const JoinablePlace *a, const JoinablePlace *b)
{
    const uint32_t bytes = func->insns[a->insn].access_bytes;
    return a->is_load == b->is_load && a->others == b->others && a->at.base == b->at.base
           && a->at.base != NUMBER_NONE && func->insns[b->insn].access_bytes == bytes
           && (uint64_t)b->at.offset - (uint64_t)a->at.offset == bytes;
}

/* With one more access of so many bytes; a vector has no more. */
static uint8_t longer(uint8_t row, uint32_t bytes)
{
    return (uint8_t)(row + bytes < WIDEST_ACCESS_BYTES ? row + bytes : WIDEST_ACCESS_BYTES);
}

static void mark_rows(const JoinableSearch *search, const JoinablePlace *places, uint32_t count)
{
    const Func *func = search->func;
    JoinableRow *rows = search->found;
    for (uint32_t p = 1; p < count; p++) {
        const InsnId last = places[p - 1].insn, insn = places[p].insn;
        if (is_next(func, &places[p - 1], &places[p]))
            rows[insn].before = longer(rows[last].before, func->insns[insn].access_bytes);
    }
    for (uint32_t p = count; p-- > 1;) {
        const InsnId last = places[p - 1].insn, insn = places[p].insn;
        if (is_next(func, &places[p - 1], &places[p]))
            rows[last].behind = longer(rows[insn].behind, func->insns[insn].access_bytes);
    }
}

/* Within so many bytes it is known where its register points; the offset is known anyway. */
static uint8_t proven_bytes(const LowBits *bits, const Operand *address)
{
    enum { WIDEST_LOW_BITS = 4 };
    const uint32_t known = address->kind == OPERAND_REG ? bits[address->id].known : WIDEST_LOW_BITS;
    return (uint8_t)(known < WIDEST_LOW_BITS ? 1u << known : WIDEST_ACCESS_BYTES);
}

static bool is_in_row(const JoinableRow *row)
{
    return row->before || row->behind;
}

static uint8_t widest_of(const FuncFlow *flow, const LowBits *bits, InsnId insn)
{
    return proven_bytes(bits, ptx_effect_address(flow->func, &flow->func->insns[insn]));
}

JoinableRow *ptx_joinable_rows_find(Arena *arena, const FuncFlow *flow)
{
    JoinableRow *rows = ptx_arena_array(arena, JoinableRow, flow->func->insn_count + 1);
    const JoinableSearch search = {
        .func = flow->func, .takes = may_stand_in_row, .ends = ends_row, .mark = mark_rows,
        .found = rows,
    };
    search_all(arena, flow->module, flow->cfg, &search);
    return rows;
}

/* The most bits are known where any loop may be unrolled whole, the fewest where none is. */
static bool prove_any(Arena *arena, const FuncFlow *flow, JoinableRow *rows)
{
    const Unrolling *none = ptx_arena_array(arena, Unrolling, flow->loops->loop_count + 1);
    bool all_settle, none_settles;
    const LowBits *most = ptx_low_bits_compute(arena, flow, NULL, &all_settle),
                  *least = flow->loops->loop_count
                               ? ptx_low_bits_compute(arena, flow, none, &none_settles)
                               : most;
    if (least != most && !(all_settle && none_settles))
        return false;
    for (InsnId i = 0; i < flow->func->insn_count; i++) {
        if (!is_in_row(&rows[i]))
            continue;
        rows[i].widest = widest_of(flow, most, i);
        if (widest_of(flow, least, i) != rows[i].widest)
            return false;
    }
    return true;
}

bool ptx_joinable_rows_prove_any(Arena *scratch, const FuncFlow *flow, JoinableRow *rows)
{
    bool has_any = false;
    for (InsnId i = 0; i < flow->func->insn_count && !has_any; i++)
        has_any = is_in_row(&rows[i]);
    if (!has_any)
        return true;
    const ArenaMark mark = ptx_arena_mark(scratch);
    const bool is_proven = prove_any(scratch, flow, rows);
    ptx_arena_release(scratch, mark);
    return is_proven;
}

void ptx_joinable_rows_prove(Arena *scratch, const FuncFlow *flow, const Unrolling *unrolled,
                             JoinableRow *rows)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    bool is_settled;
    const LowBits *bits = ptx_low_bits_compute(scratch, flow, unrolled, &is_settled);
    for (InsnId i = 0; i < flow->func->insn_count; i++)
        if (is_in_row(&rows[i]))
            rows[i].widest = widest_of(flow, bits, i);
    ptx_arena_release(scratch, mark);
}

bool ptx_joinable_may_be_wider(const Insn *insn, const Count *count)
{
    return may_join(insn) && count->pattern == PATTERN_STRIDED;
}

unsigned ptx_joinable_bytes(const Insn *insn, const Count *count, JoinableRow row)
{
    if (!ptx_joinable_may_be_wider(insn, count))
        return insn->access_bytes;
    for (unsigned widest = row.widest; widest > insn->access_bytes; widest /= 2) {
        unsigned place = count->low_bits & (widest - 1);
        if (count->stride % widest == 0 && row.before >= place
            && row.behind + place + insn->access_bytes >= widest)
            return widest;
    }
    return insn->access_bytes;
}

/* ---- a share --------------------------------------------------------------------------------- */

/* Addresses that stay at one place of their 16 bytes go to no neighbour from one iteration to the
 * next. */
static bool may_walk(const Insn *insn, const Count *count)
{
    unsigned places = count->low_bits & (WIDEST_ACCESS_BYTES - 1) & ~(insn->access_bytes - 1u);
    return places & (places - 1);
}

double ptx_joinable_share(const Insn *insn, const Count *count, bool has_neighbour)
{
    int64_t widest = WIDEST_ACCESS_BYTES;
    if (!may_join(insn) || count->pattern == PATTERN_CONTIGUOUS)
        return 1;
    if (count->pattern == PATTERN_STRIDED && !has_neighbour && !may_walk(insn, count))
        return 1;
    while (count->pattern == PATTERN_STRIDED && widest > insn->access_bytes
           && count->stride % widest)
        widest /= 2;
    return (double)insn->access_bytes / (double)widest;
}
