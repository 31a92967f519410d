/* Shared memory of a block that is run: words, and who wrote and read them last. */
#include "analysis/recognize/block_choice.h"

#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"

enum {
    WORD = 4,
    BLOCK_VECTOR = 16,          /* registers that a load sets at most, and some more */
    /* of a kernel that asks for more, as it may from sm_70 on, the rest is not followed */
    UNSIZED_BYTES = 48 << 10,
    SHARED_SITE = 1 << 28       /* elements that were not stored by this run, by address */
};

bool ptx_block_lay_out_shared(BlockRun *run)
{
    const Module *module = run->r->flow->module;
    run->cell_first = ptx_arena_array(run->arena, uint32_t, module->var_count + 1);
    run->cell_vars = ptx_arena_array(run->arena, VarId, module->var_count + 1);
    for (VarId v = 0; v < module->var_count; v++) {
        const Var *var = &module->vars[v];
        const FuncId own = (FuncId)(run->func - module->funcs);
        run->cell_first[v] = NO_CELL;
        if (var->space != SPACE_SHARED || (var->func != NO_ID && var->func != own))
            continue;
        const uint64_t bytes = var->bytes ? var->bytes : UNSIZED_BYTES;
        if (bytes > BLOCK_SHARED_SPAN || run->cell_count + (bytes + 3) / WORD > MAX_BLOCK_CELLS
            || run->shared_count == MAX_BLOCK_ARRAYS)
            return false;
        run->cell_first[v] = run->cell_count;
        run->cell_vars[run->shared_count++] = v;
        run->cell_count += (uint32_t)(bytes + 3) / WORD;
    }
    run->cells = ptx_arena_array(run->arena, BlockCell, run->cell_count + 1);
    return true;
}

uint64_t ptx_block_shared_address(const BlockRun *run, VarId var)
{
    for (uint32_t i = 0; i < run->shared_count; i++)
        if (run->cell_vars[i] == var)
            return BLOCK_SHARED_BASE + (uint64_t)i * BLOCK_SHARED_SPAN;
    return 0;
}

/* The word at an address; NO_CELL: it is not in a variable. */
static uint32_t cell_at(const BlockRun *run, uint64_t address)
{
    const uint64_t place = (address - BLOCK_SHARED_BASE) / BLOCK_SHARED_SPAN;
    if (address < BLOCK_SHARED_BASE || place >= run->shared_count)
        return NO_CELL;
    const VarId var = run->cell_vars[place];
    const uint64_t word = (address - BLOCK_SHARED_BASE) % BLOCK_SHARED_SPAN / WORD;
    const uint64_t cell = run->cell_first[var] + word;
    const uint32_t end = place + 1 < run->shared_count ? run->cell_first[run->cell_vars[place + 1]]
                                                       : run->cell_count;
    return cell < end ? (uint32_t)cell : NO_CELL;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Whether what a thread did to the word comes before what another does now. */
static bool is_before(const BlockRun *run, const BlockWarp *w, uint32_t thread, uint32_t other,
                      uint32_t epoch)
{
    return epoch != run->epoch || thread == other
           || &run->warps[other / BLOCK_WARP] == w;
}

static bool is_written_before(const BlockRun *run, const BlockWarp *w, const BlockCell *cell,
                              uint32_t thread, bool is_volatile)
{
    if (!is_before(run, w, thread, cell->writer, cell->write_epoch))
        return false;
    bool is_lockstep = run->has_volatile_order && is_volatile && cell->is_volatile;
    return cell->write_epoch != run->epoch || cell->writer == thread
           || cell->write_syncs < w->syncs || is_lockstep;
}

static bool is_word_read_before(const BlockRun *run, const BlockWarp *w, const BlockCell *cell,
                           uint32_t thread, bool is_volatile)
{
    if (cell->read_epoch != run->epoch)
        return true;
    if (cell->reader == NO_THREAD || !is_before(run, w, thread, cell->reader, cell->read_epoch))
        return false;
    bool is_lockstep = run->has_volatile_order && is_volatile && cell->was_read_volatile;
    return (cell->reader == thread && !cell->has_readers) || cell->read_syncs < w->syncs
           || is_lockstep;
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct WordAccess {
    BlockRun *run;
    BlockWarp *w;
    const Insn *insn;
    InsnId id;
    uint32_t thread, visit;
    bool is_volatile;
} WordAccess;

static void note_word_read(const WordAccess *a, BlockCell *cell)
{
    const uint32_t warp = a->thread / BLOCK_WARP;
    bool is_again = cell->read_epoch == a->run->epoch;
    bool is_other_warp = is_again && (cell->reader == NO_THREAD
                                      || cell->reader / BLOCK_WARP != warp);
    bool is_first = !is_again || (!is_other_warp && cell->read_syncs < a->w->syncs);
    cell->was_read_volatile = a->is_volatile && (is_first || cell->was_read_volatile);
    cell->has_readers = !is_first && (cell->has_readers || cell->reader != a->thread);
    cell->reader = (uint16_t)(is_other_warp ? NO_THREAD : a->thread);
    cell->read_epoch = a->run->epoch;
    cell->read_syncs = a->w->syncs;
}

static BlockValue load_words(const WordAccess *a, uint64_t address, unsigned words)
{
    const uint32_t at = cell_at(a->run, address);
    const BlockValue unknown =
        ptx_block_element(ptx_block_key(SHARED_SITE + address, 0, NO_THREAD));
    if (at == NO_CELL || (words && cell_at(a->run, address + WORD * (words - 1)) == NO_CELL)) {
        a->run->is_lost = a->run->is_outside = true;
        return unknown;
    }
    if (address % WORD)
        return unknown;
    const BlockCell first = a->run->cells[at];
    bool is_known = words && first.parts == words && first.entries == a->w->entries;
    for (unsigned i = 0; i < words; i++) {
        BlockCell *cell = &a->run->cells[at + i];
        is_known = is_known && cell->part == i && cell->store == first.store
                   && ptx_block_value_is_same(cell->value, first.value)
                   && is_written_before(a->run, a->w, cell, a->thread, a->is_volatile);
        note_word_read(a, cell);
    }
    return is_known ? first.value : unknown;
}

/* Lanes that store by one instruction do so in no order. */
static bool is_written_after(const WordAccess *a, const BlockCell *cell)
{
    bool is_at_once = cell->store == a->id && cell->write_epoch == a->run->epoch
                      && cell->writer != a->thread;
    return !is_at_once && is_written_before(a->run, a->w, cell, a->thread, a->is_volatile);
}

static void store_words(const WordAccess *a, uint64_t address, unsigned words, BlockValue value,
                        bool is_known)
{
    const uint32_t at = cell_at(a->run, address);
    if (at == NO_CELL || cell_at(a->run, address + WORD * (words ? words - 1 : 0)) == NO_CELL) {
        a->run->is_lost = a->run->is_outside = true;
        return;
    }
    for (unsigned i = 0; i < (words ? words : 1); i++) {
        BlockCell *cell = &a->run->cells[at + i];
        if (!is_word_read_before(a->run, a->w, cell, a->thread, a->is_volatile))
            a->run->is_lost = true;
        bool is_ordered = !cell->has_first || is_written_after(a, cell);
        cell->parts = (uint8_t)(is_known && is_ordered && address % WORD == 0 ? words : 0);
        cell->part = (uint8_t)i;
        cell->value = value;
        if (!cell->has_first)
            cell->first = value;
        cell->has_first = true;
        cell->is_volatile = a->is_volatile;
        cell->writer = (uint16_t)a->thread;
        cell->write_epoch = a->run->epoch;
        cell->write_syncs = a->w->syncs;
        cell->entries = a->w->entries;
        cell->store = a->id;
    }
}

/* ---- one instruction ------------------------------------------------------------------------- */

static BlockValue address_in_thread(const BlockRun *run, const Operand *operand, uint32_t thread)
{
    if (operand->kind == OPERAND_VAR) {
        const uint64_t base = ptx_block_shared_address(run, operand->id);
        return base ? ptx_block_number(base + (uint64_t)ptx_operand_value(operand))
                    : (BlockValue){ 0 };
    }
    if (operand->kind == OPERAND_INT)
        return ptx_block_number((uint64_t)ptx_operand_value(operand));
    if (operand->kind != OPERAND_REG)
        return (BlockValue){ 0 };
    BlockValue value = ptx_block_reg(run, operand->id, thread);
    value.number += value.kind == BLOCK_NUMBER ? (uint64_t)ptx_operand_value(operand) : 0;
    return value;
}

/* Whether the address is in shared memory. */
static bool is_shared_access(const WordAccess *a, BlockValue address)
{
    return a->insn->op->space == SPACE_SHARED
           || (address.kind == BLOCK_NUMBER && a->insn->op->space == SPACE_GENERIC
               && cell_at(a->run, address.number) != NO_CELL);
}

/* Nor is it known that a generic one is not. */
static bool may_reach_shared(const WordAccess *a, BlockValue address)
{
    return is_shared_access(a, address)
           || (address.kind != BLOCK_NUMBER && a->insn->op->space == SPACE_GENERIC
               && a->run->has_generic);
}

/* What a load's results are, in the order of its text. */
typedef struct LoadResults {
    const Operand *operands[BLOCK_VECTOR];
    BlockResult to[BLOCK_VECTOR];
    unsigned parts[BLOCK_VECTOR];
    unsigned count, bytes;      /* bytes: of each */
} LoadResults;

/* False: there are more than of any load. */
static bool find_results(const WordAccess *a, LoadResults *out)
{
    const Operand *operands = ptx_insn_operands(a->run->func, a->insn);
    unsigned part = 0;
    out->count = 0;
    for (uint32_t o = 0; o < a->insn->operand_count; o++) {
        if (ptx_operand_is_def(&operands[o])) {
            if (out->count == BLOCK_VECTOR)
                return false;
            out->operands[out->count] = &operands[o];
            out->to[out->count] = ptx_block_result(a->run, a->w, &operands[o], a->visit);
            out->parts[out->count++] = part;
        }
        part += ptx_operand_is_def(&operands[o]) || operands[o].kind == OPERAND_SINK;
    }
    out->bytes = part ? a->insn->access_bytes / part : 0;
    return true;
}

/* The same for all threads: a parameter. */
static BlockValue common_element(const WordAccess *a, const Operand *operand)
{
    const uint64_t site = (uint64_t)(operand - a->run->func->operands);
    return ptx_block_element(ptx_block_key(site, 0, NO_THREAD));
}

static BlockValue value_of_load(const WordAccess *a, const LoadResults *results, unsigned i,
                                BlockValue at)
{
    const unsigned lane = a->thread % BLOCK_WARP;
    if (a->insn->op->space == SPACE_PARAM)
        return common_element(a, results->operands[i]);
    if (!is_shared_access(a, at))
        return ptx_block_element(ptx_block_result_key(&results->to[i], lane));
    if (at.kind == BLOCK_NUMBER && a->insn->op->kind == OPK_LD)
        return load_words(a, at.number + (uint64_t)results->parts[i] * results->bytes,
                          results->bytes / WORD);
    return common_element(a, results->operands[i]);
}

static void load_for_thread(const WordAccess *a, const Operand *address,
                            const LoadResults *results, bool is_certain)
{
    const BlockValue at = address_in_thread(a->run, address, a->thread);
    const unsigned lane = a->thread % BLOCK_WARP;
    for (unsigned i = 0; i < results->count; i++) {
        const BlockValue value = value_of_load(a, results, i, at);
        const uint64_t own = ptx_block_result_key(&results->to[i], lane);
        ptx_block_put(&results->to[i], lane, is_certain ? value : ptx_block_element(own));
    }
}

/* Where a predicate decides whether it is stored: it, or what was there. */
static BlockValue stored_where(const WordAccess *a, const Operand *operand, uint64_t address,
                               unsigned words)
{
    const unsigned lane = a->thread % BLOCK_WARP;
    const BlockOperation of = { .insn = a->id, .key = ptx_block_merged_key(a->run, operand,
                                                                           a->visit, a->thread) };
    const BlockValue value = ptx_block_read(a->run, operand, a->thread);
    return ptx_block_choose(a->run, &of, a->run->where[lane], value,
                            load_words(a, address, words));
}

static void store_for_thread(const WordAccess *a, const Operand *address, bool is_certain)
{
    const Operand *operands = ptx_insn_operands(a->run->func, a->insn);
    const BlockValue at = address_in_thread(a->run, address, a->thread);
    unsigned values = 0, part = 0;
    if (!may_reach_shared(a, at))
        return;
    for (uint32_t o = 0; o < a->insn->operand_count; o++)
        values += !(operands[o].role & ROLE_ADDRESS);
    const unsigned bytes = values ? a->insn->access_bytes / values : 0;
    if (at.kind != BLOCK_NUMBER || !bytes) {
        a->run->is_lost = true;
        return;
    }
    for (uint32_t o = 0; o < a->insn->operand_count && !a->run->is_lost; o++) {
        const uint64_t to = at.number + (uint64_t)part * bytes;
        if (operands[o].role & ROLE_ADDRESS)
            continue;
        const BlockValue value = a->run->where
                                     ? stored_where(a, &operands[o], to, bytes / WORD)
                                     : ptx_block_read(a->run, &operands[o], a->thread);
        store_words(a, to, bytes / WORD, value, is_certain);
        part++;
    }
}

/* An atomic on shared memory: what is there then is not known. */
static void update_for_thread(const WordAccess *a, const Operand *address)
{
    const BlockValue at = address_in_thread(a->run, address, a->thread);
    if (!may_reach_shared(a, at))
        return;
    if (at.kind == BLOCK_NUMBER)
        store_words(a, at.number, a->insn->access_bytes / WORD, (BlockValue){ 0 }, false);
    else
        a->run->is_lost = true;
}

/* Nothing of it is in shared memory, whatever the address. */
static bool is_elsewhere(const Op *op)
{
    return op->space && op->space != SPACE_SHARED && op->space != SPACE_GENERIC;
}

void ptx_block_access(BlockRun *run, BlockWarp *w, InsnId id, uint32_t lanes, uint32_t maybe)
{
    const Insn *insn = &run->func->insns[id];
    const Operand *address = ptx_effect_address(run->func, insn);
    WordAccess a = { .run = run, .w = w, .insn = insn, .id = id, .visit = w->visits[id],
                      .is_volatile = ptx_op_has(insn->op, MOD_VOLATILE) };
    LoadResults results = { .count = 0 };
    run->is_lost = run->is_lost || !address || !find_results(&a, &results);
    if (insn->op->kind == OPK_ST && is_elsewhere(insn->op))
        return;
    for (unsigned lane = 0; lane < BLOCK_WARP && !run->is_lost; lane++) {
        bool is_certain = !(maybe >> lane & 1);
        a.thread = ptx_block_thread(run, w, lane);
        if (!((lanes | maybe) >> lane & 1))
            continue;
        if (insn->op->kind == OPK_RED || insn->op->kind == OPK_ATOM)
            update_for_thread(&a, address);
        if (insn->op->kind == OPK_ST)
            store_for_thread(&a, address, is_certain);
        else
            load_for_thread(&a, address, &results, is_certain);
    }
}
