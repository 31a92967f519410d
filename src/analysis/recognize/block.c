/* Reductions and scans of a block, by running its threads (block_run.h): rows, and which
 * instructions make them, so that their parts are no rows of their own. */
#include "analysis/recognize/block_run.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"

enum { FIRST_VOLTA = 70 };

/* ---- what a run found ------------------------------------------------------------------------ */

/* What a value is made of, for each node once. */
typedef struct BlockWalk {
    const BlockRun *run;
    bool *seen;                 /* per node */
    uint64_t *stack;
    uint32_t depth;
} BlockWalk;

static void walk_to(BlockWalk *w, BlockValue value)
{
    if ((value.kind != BLOCK_COMBINED && value.kind != BLOCK_CHOSEN) || w->seen[value.number])
        return;
    w->seen[value.number] = true;
    w->stack[w->depth++] = value.number;
}

static const BlockNode *walk_on(BlockWalk *w)
{
    if (!w->depth)
        return NULL;
    const BlockNode *node = &w->run->nodes.items[w->stack[--w->depth]];
    walk_to(w, node->a);
    walk_to(w, node->b);
    return node;
}

/* All operations that a value is made by are of the row. */
static void mark_makers(BlockWalk *w, BlockValue value, uint8_t of)
{
    walk_to(w, value);
    for (const BlockNode *node = walk_on(w); node; node = walk_on(w))
        w->run->r->block_rows[node->insn] = of;
}

/* Whether what some threads combined goes into other results, too, as in a transform of which one
 * element is the sum of all. */
static bool has_other_results(const BlockRun *run, BlockValue value)
{
    const ArenaMark mark = ptx_arena_mark(run->arena);
    BlockWalk w = { .run = run, .seen = ptx_arena_array(run->arena, bool, run->nodes.count + 1),
                    .stack = ptx_arena_array(run->arena, uint64_t, run->nodes.count + 1) };
    bool has_others = false;
    walk_to(&w, value);
    for (const BlockNode *node = walk_on(&w); node; node = walk_on(&w))
        has_others |= node->has_other_use && node != &run->nodes.items[value.number]
                      && ptx_block_key_thread(node->key) == NO_THREAD;
    ptx_arena_release(run->arena, mark);
    return has_others;
}

/* The number of the row that is new, plus 1; 0: there is none. Of another size or shape than the
 * first it is one that holds there, too, and not of as many elements. */
static uint8_t add_block_row(Recognizer *r, const BlockRow *row, bool is_first)
{
    for (uint32_t i = 0; i < r->block_row_count; i++) {
        BlockRow *old = &r->blocks[i];
        if (old->insn != row->insn || old->is_scan != row->is_scan || old->step != row->step
            || old->is_location != row->is_location)
            continue;
        old->run_count++;
        if (old->threads != row->threads)
            old->count = 0;
        return 0;
    }
    if (r->block_row_count == MAX_BLOCK_ROWS || !is_first)
        return 0;
    r->blocks[r->block_row_count++] = *row;
    return (uint8_t)r->block_row_count;
}

static bool is_of_scan(const BlockFound *found, const BlockScan *scans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!found->is_location && (scans[i].whole == found->signature
                                    || scans[i].signature == found->signature))
            return true;
    return false;
}

static void mark_scan(BlockWalk *w, const BlockScan *scan, uint8_t of)
{
    const BlockRun *run = w->run;
    for (uint32_t t = 0; t < run->threads && scan->reg != NO_ID; t++) {
        mark_makers(w, ptx_block_reg(run, scan->reg, t), of);
        mark_makers(w, ptx_block_kept(run, scan->reg, t), of);
    }
    for (uint32_t c = 0; c < run->cell_count && scan->reg == NO_ID; c++)
        mark_makers(w, run->cells[c].value, of);
}

static void take_scans(BlockWalk *w, const BlockScan *scans, uint32_t count, bool is_first)
{
    for (uint32_t i = 0; i < count; i++) {
        const BlockScan *scan = &scans[i];
        const BlockRow row = { .insn = scan->insn, .reg = scan->reg, .array = scan->array,
                               .step = scan->step, .count = scan->count, .is_scan = true,
                               .within = w->run->r->flow->cfg->block_of[scan->insn],
                               .threads = w->run->threads };
        const uint8_t of = add_block_row(w->run->r, &row, is_first);
        if (of)
            mark_scan(w, scan, of);
    }
}

static VarId stored_array(const Recognizer *r, InsnId store)
{
    const Subscript *to = r->subscripts[store];
    return to && to->array ? ptx_subscript_var(to->array) : NO_ID;
}

static void take_reduction(BlockWalk *w, const BlockFound *found, bool is_first)
{
    const Func *func = w->run->func;
    const Insn *insn = &func->insns[found->insn];
    BlockRow row = { .insn = found->insn, .step = found->step, .within = found->within,
                     .reg = ptx_insn_operands(func, insn)[0].id, .array = NO_ID,
                     .count = found->count, .threads = w->run->threads,
                     .is_location = found->is_location };
    if (insn->op->kind == OPK_ST) {
        row.reg = NO_ID;
        row.array = stored_array(w->run->r, found->insn);
    }
    const uint8_t of = add_block_row(w->run->r, &row, is_first);
    if (of)
        mark_makers(w, found->value, of);
}

/* What a scan has combined, too: its parts are no rows of their own. */
static void see_parts(BlockWalk *w, BlockValue value)
{
    walk_to(w, value);
    while (walk_on(w))
        ;
}

/* The last one first: what goes into it is a part of it. */
static void take_found(const BlockRun *run, bool is_first)
{
    BlockScan scans[MAX_BLOCK_FOUND];
    BlockWalk w = { .run = run, .seen = ptx_arena_array(run->arena, bool, run->nodes.count + 1),
                    .stack = ptx_arena_array(run->arena, uint64_t, run->nodes.count + 1) };
    const uint32_t scan_count = ptx_block_scans(run, scans, MAX_BLOCK_FOUND);
    take_scans(&w, scans, scan_count, is_first);
    for (uint32_t i = run->found_count; i--;) {
        const BlockFound *found = &run->found[i];
        if (is_of_scan(found, scans, scan_count))
            see_parts(&w, found->value);
        else if (!w.seen[found->value.number] && !has_other_results(run, found->value))
            take_reduction(&w, found, is_first);
    }
}

/* ---- sizes of a block ------------------------------------------------------------------------ */

/* False: no such block is launched, by what it accesses of shared memory. */
static bool run_shape(Recognizer *r, const uint32_t shape[3], bool is_first)
{
    const ArenaMark mark = ptx_arena_mark(r->scratch);
    BlockRun *run = ptx_arena_new(r->scratch, BlockRun);
    *run = (BlockRun){ .r = r, .arena = r->scratch, .func = r->flow->func,
                       .shape = { shape[0], shape[1], shape[2] },
                       .threads = shape[0] * shape[1] * shape[2],
                       .has_volatile_order = r->flow->module->target.sm < FIRST_VOLTA };
    if (ptx_block_run(run))
        take_found(run, is_first);
    bool is_launched = !run->is_outside;
    ptx_arena_release(r->scratch, mark);
    return is_launched;
}

/* As the launch or the kernel has it; false: neither says. */
static bool find_block_shape(const Recognizer *r, const uint32_t *block, uint32_t shape[3])
{
    const uint32_t *from = r->flow->func->bounds.reqntid;
    uint64_t threads = 1;
    if (!from[0] && block)
        from = block;
    for (int i = 0; i < 3; i++) {
        shape[i] = from[0] && from[i] ? from[i] : 1;
        threads *= shape[i];
        if (threads > MAX_BLOCK_THREADS)
            return false;
    }
    return from[0] != 0;
}

static uint32_t most_threads(const Recognizer *r)
{
    const uint32_t *bounds = r->flow->func->bounds.maxntid;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= bounds[i] ? bounds[i] : 1;
    return bounds[0] && threads < MAX_BLOCK_THREADS ? (uint32_t)threads : MAX_BLOCK_THREADS;
}

/* Rows that do not hold for each shape of so many runs. */
static void drop_others(Recognizer *r, uint32_t runs)
{
    for (uint32_t i = 0; i < r->block_row_count; i++) {
        BlockRow *row = &r->blocks[i];
        row->is_reported = row->is_reported || row->run_count + 1 < runs;
        for (InsnId k = 0; row->is_reported && k < r->flow->func->insn_count; k++)
            if (r->block_rows[k] == i + 1)
                r->block_rows[k] = 0;
    }
}

/* Where the shape is not known, and the kernel asks for more than x: as few and as many rows. */
static void run_other_shapes(Recognizer *r, uint32_t threads)
{
    if (!r->asks_for_row)
        return;
    run_shape(r, (const uint32_t[3]){ threads / 4, 2, 2 }, false);
    run_shape(r, (const uint32_t[3]){ 16, threads / 16, 1 }, false);
    drop_others(r, 3);
}

void ptx_recognizer_run_block(Recognizer *r, const uint32_t *block)
{
    r->has_shape = find_block_shape(r, block, r->shape);
    r->block_rows = ptx_arena_array(r->scratch, uint8_t, r->flow->func->insn_count + 1);
    r->block_stores = ptx_arena_array(r->scratch, uint32_t, r->flow->func->insn_count + 1);
    r->block_steps = MAX_BLOCK_STEPS;
    if (!ptx_block_is_worth_it(r))
        return;
    if (r->has_shape) {
        run_shape(r, r->shape, true);
        return;
    }
    uint32_t threads = most_threads(r);
    while (threads >= MIN_BLOCK_THREADS
           && !run_shape(r, (const uint32_t[3]){ threads, 1, 1 }, true))
        threads /= 2;
    if (!r->block_row_count)
        return;
    run_other_shapes(r, threads);
    for (threads /= 2; threads >= MIN_BLOCK_THREADS; threads /= 2)
        run_shape(r, (const uint32_t[3]){ threads, 1, 1 }, false);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Stores to shared memory of what the row combines are its own, where they are of no class. */
static void own_stores(Recognizer *r, uint8_t row)
{
    for (InsnId i = 0; i < r->flow->func->insn_count; i++) {
        const Op *op = r->flow->func->insns[i].op;
        for (uint32_t d = r->first[i]; d < r->first[i + 1]; d++) {
            const Dependence *item = &r->all.items[d];
            if (op->kind == OPK_ST && op->space == SPACE_SHARED && !r->owner[i]
                && item->kind == DEPENDENCE_REGISTER && r->block_rows[item->from] == row)
                r->block_stores[i] = r->count + 1;
        }
        if (op->kind == OPK_ST && !r->owner[i] && r->block_rows[i] == row)
            r->block_stores[i] = r->count + 1;
    }
}

static const char *text_of_row(const BlockRow *row)
{
    if (row->is_location)
        return row->step == STEP_MAX ? "argmax" : "argmin";
    return ptx_recognizer_step_text((Step)row->step);
}

void ptx_recognizer_blocks(Recognizer *r)
{
    const FuncFlow *flow = r->flow;
    for (uint32_t i = 0; i < r->block_row_count; i++) {
        const BlockRow *from = &r->blocks[i];
        if (from->is_reported)
            continue;
        uint32_t makers = 0;
        for (InsnId k = 0; k < flow->func->insn_count; k++)
            makers += r->block_rows[k] == i + 1;
        const BlockId at = flow->cfg->block_of[from->insn];
        const Recognized row = {
            .loop = flow->loops->loop_of[at], .insn = from->insn, .reg = from->reg,
            .array = from->array, .is_array = from->reg == NO_ID, .insn_count = makers,
            .class = from->is_scan ? RECOGNIZED_BLOCK_SCAN : RECOGNIZED_TREE,
            .operation = text_of_row(from), .lanes = from->count,
            .is_conditional = r->is_decided[from->within],
        };
        own_stores(r, (uint8_t)(i + 1));
        if (!r->owner[from->insn])
            r->owner[from->insn] = r->count + 1;
        ptx_recognizer_add(r, &row, 0);
    }
}
