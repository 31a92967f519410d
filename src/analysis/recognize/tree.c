/* Reductions of a block in shared memory, as a tree:
 *
 *     a[t] = a[t] op a[t + d]     by threads of which none writes what another reads
 *
 * with d = 128, 64, ... or 1, 2, ... in steps one behind the other, or d halved in each iteration
 * of a loop; a barrier between one step and the next. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"

enum {
    TREE_SPAN = 64,             /* instructions of a block that a step is within */
    TREE_BLOCKS = 32,           /* dominators that are asked for the threads of a step */
    TREE_BYTES = 1 << 24,       /* more than shared memory has */
    TREE_STEPS = 10
};

/* One step, at its store. */
typedef struct TreeStep {
    InsnId store;
    LoopId loop;
    uint64_t array;
    uint8_t step;               /* Step */
    SymId by;                   /* of a loop: the distance, a phi of it; 0: a number */
    int64_t distance;           /* in elements, of what a thread steps by */
    bool is_of_first;           /* where the thread is 0 */
} TreeStep;

/* ---- the instructions of a step -------------------------------------------------------------- */

static InsnId source_of_store(const Recognizer *r, InsnId id)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    const Operand *value = NULL;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].role & ROLE_ADDRESS)
            continue;
        if (value || operands[o].kind != OPERAND_REG || operands[o].flags)
            return NO_ID;
        value = &operands[o];
    }
    return value ? ptx_recognizer_source(r, id, value->id) : NO_ID;
}

/* Where a thread's own element and the other one are loaded, for an operation on both. */
static bool find_tree_loads(const Recognizer *r, InsnId id, InsnId loads[2])
{
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    const Step step = ptx_recognizer_step(insn);
    bool is_sum = step == STEP_ADD && insn->op->operation == OP_ADD;
    if ((!is_sum && step != STEP_MUL && step < STEP_MIN) || insn->operand_count != 3
        || insn->guard != NO_ID)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const Operand *from = &operands[i + 1];
        loads[i] = from->kind == OPERAND_REG && !from->flags
                       ? ptx_recognizer_source(r, id, from->id) : NO_ID;
        if (loads[i] == NO_ID || r->flow->func->insns[loads[i]].op->kind != OPK_LD)
            return false;
    }
    return true;
}

static bool writes_shared(const Recognizer *r, InsnId id, uint64_t array)
{
    const Op *op = r->flow->func->insns[id].op;
    const Subscript *of = r->subscripts[id];
    if (!(op->flags & OPF_STORE) && op->kind != OPK_CALL && !(op->flags & OPF_UNKNOWN))
        return false;
    return !of || !of->array || of->array == array;
}

/* Whether the load stands before the store in its block, and nothing between writes the array. */
static bool is_read_for(const Recognizer *r, InsnId load, InsnId store, uint64_t array)
{
    const Cfg *cfg = r->flow->cfg;
    const Insn *insn = &r->flow->func->insns[load], *to = &r->flow->func->insns[store];
    const Subscript *of = r->subscripts[load];
    if (cfg->block_of[load] != cfg->block_of[store] || load > store || store - load > TREE_SPAN
        || !of || of->is_lost || of->array != array || insn->access_bytes != to->access_bytes
        || insn->op->type != to->op->type || insn->guard != to->guard)
        return false;
    for (InsnId i = load + 1; i < store; i++)
        if (writes_shared(r, i, array) || r->flow->func->insns[i].op->kind == OPK_BAR)
            return false;
    return true;
}

/* ---- the distance ---------------------------------------------------------------------------- */

/* %tid.x times a number, and what is the same in the block. */
static const SubscriptTerm *find_own_thread(const Subscript *of)
{
    const SubscriptTerm *thread = ptx_subscript_term(of, TERM_THREAD, 0);
    for (uint32_t i = 0; i < of->count; i++)
        if (&of->terms[i] != thread && of->terms[i].kind != TERM_FIXED)
            return NULL;
    return thread && !thread->by && thread->factor ? thread : NULL;
}

/* Of thread 0, compilers leave the thread out of the address. */
static bool is_same_thread_back(const SubscriptTerm *thread, const SubscriptTerm *term)
{
    return term->kind == TERM_THREAD && !term->id && !term->by
           && (uint64_t)term->factor + (uint64_t)thread->factor == 0;
}

/* From the thread's own element to the other one. */
static bool find_tree_distance(const Recognizer *r, const Subscript *own, const Subscript *other,
                               TreeStep *out)
{
    Subscript apart;
    const SubscriptTerm *thread = find_own_thread(own);
    ptx_subscript_difference(own, other, &apart);
    if (!thread || apart.is_lost || apart.count > 1)
        return false;
    out->by = 0;
    int64_t bytes = apart.constant;
    if (apart.count) {
        const SubscriptTerm *term = &apart.terms[0];
        out->is_of_first = is_same_thread_back(thread, term);
        bool is_phi = !apart.constant && term->kind == TERM_OTHER && !term->by;
        if (!is_phi && !out->is_of_first)
            return false;
        out->by = is_phi ? term->id : 0;
        bytes = is_phi ? term->factor : bytes;
    }
    const uint64_t element = ptx_subscript_magnitude(thread->factor);
    if (element < r->flow->func->insns[out->store].access_bytes || element > TREE_BYTES
        || ptx_subscript_magnitude(bytes) > TREE_BYTES)
        return false;
    out->distance = bytes / thread->factor;
    return out->distance > 0 && bytes % thread->factor == 0;
}

/* ---- the threads ----------------------------------------------------------------------------- */

static bool is_thread_index(const Symbols *s, SymId id)
{
    const Sym *sym = ptx_sym(s, id);
    return sym->kind == SYM_SREG && sym->a == SREG_TID && !sym->b;
}

/* (t & m) == 0, m low bits of which d has some. */
static bool is_multiple_apart(const Symbols *s, const Sym *equal, const TreeStep *of)
{
    uint64_t number = 0, mask = 0;
    const Sym *and = ptx_sym(s, equal->a);
    if (!ptx_sym_is_const(s, equal->b, &number) || number || and->kind != SYM_AND)
        return false;
    bool is_masked = is_thread_index(s, and->a) ? ptx_sym_is_const(s, and->b, &mask)
                         : is_thread_index(s, and->b) && ptx_sym_is_const(s, and->a, &mask);
    return is_masked && !(mask & (mask + 1)) && mask & (uint64_t)of->distance;
}

/* t < d, t == c, or t a multiple: no thread's element is another's partner. */
static bool keeps_apart(const Symbols *s, SymId condition, const TreeStep *of)
{
    const Sym *sym = ptx_sym(s, condition);
    uint64_t number = 0;
    bool is_order = sym->kind >= SYM_LT_U && sym->kind <= SYM_LE_S && is_thread_index(s, sym->a);
    bool is_equal = sym->kind == SYM_LE_U || sym->kind == SYM_LE_S;
    if (is_order && of->is_of_first)
        return !is_equal && ptx_sym_is_const(s, sym->b, &number) && number == 1;
    if (is_order && of->by)
        return !is_equal && sym->b == of->by && of->distance == 1;
    if (is_order)
        return ptx_sym_is_const(s, sym->b, &number)
               && number + is_equal <= (uint64_t)of->distance;
    if (sym->kind != SYM_EQ || of->by)
        return false;
    if (of->is_of_first)
        return is_thread_index(s, sym->a) && ptx_sym_is_const(s, sym->b, &number) && !number;
    return ptx_recognizer_is_one_thread(s, condition) || is_multiple_apart(s, sym, of);
}

static bool has_threads_apart(const Recognizer *r, const TreeStep *of)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    const BlockId own = r->flow->cfg->block_of[of->store];
    BlockId block = own;
    if (keeps_apart(s, ptx_ssa_guard(r->reader.ssa, of->store), of))
        return true;
    for (unsigned i = 0; i < TREE_BLOCKS && block; i++) {
        const BlockId up = r->flow->dom->idom[block];
        if (up == EXIT_BLOCK)
            return false;
        const SymId condition = ptx_recognizer_condition(r, up, own);
        if (condition && keeps_apart(ptx_ssa_symbols(r->reader.ssa), condition, of))
            return true;
        block = up;
    }
    return false;
}

/* ---- a loop ---------------------------------------------------------------------------------- */

static bool is_halved(const Recognizer *r, SymId phi, LoopId loop)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    uint64_t number = 0;
    if (ptx_sym(s, phi)->kind != SYM_PHI || ptx_sym(s, phi)->a != loop)
        return false;
    const SymId next = ptx_ssa_phi(r->reader.ssa, phi).next;
    const Sym *sym = ptx_sym(ptx_ssa_symbols(r->reader.ssa), next);
    if (sym->kind != SYM_SHR_U && sym->kind != SYM_SHR_S && sym->kind != SYM_DIV_U)
        return false;
    return sym->a == phi && ptx_sym_is_const(s, sym->b, &number)
           && number == (sym->kind == SYM_DIV_U ? 2 : 1);
}

static bool is_block_barrier(const Insn *insn)
{
    return insn->op->kind == OPK_BAR && insn->guard == NO_ID && ptx_op_has(insn->op, MOD_SYNC)
           && !ptx_op_has(insn->op, MOD_WARP);
}

/* Whether each iteration meets a barrier, and nothing else of the loop writes the array. */
static bool has_loop_to_itself(Recognizer *r, const TreeStep *of)
{
    bool has_barrier = false;
    if (!ptx_recognizer_spend(r, r->flow->func->insn_count))
        return false;
    for (InsnId i = 0; i < r->flow->func->insn_count; i++) {
        const BlockId block = r->flow->cfg->block_of[i];
        if (!ptx_loop_holds(r->flow->loops, of->loop, block))
            continue;
        if (i != of->store && writes_shared(r, i, of->array))
            return false;
        has_barrier |= r->flow->loops->loop_of[block] == of->loop
                       && is_block_barrier(&r->flow->func->insns[i])
                       && ptx_recognizer_is_unconditional(r, i);
    }
    return has_barrier;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool read_tree_step(const Recognizer *r, InsnId id, TreeStep *out)
{
    const Insn *insn = &r->flow->func->insns[id];
    const Subscript *to = r->subscripts[id];
    InsnId loads[2];
    int64_t apart;
    if (insn->op->kind != OPK_ST || insn->op->space != SPACE_SHARED || !to || to->is_lost
        || !to->array || r->is_decided[r->flow->cfg->block_of[id]])
        return false;
    const InsnId operation = source_of_store(r, id);
    if (operation == NO_ID || !find_tree_loads(r, operation, loads)
        || !is_read_for(r, loads[0], id, to->array) || !is_read_for(r, loads[1], id, to->array))
        return false;
    bool is_first = ptx_subscript_is_apart(to, r->subscripts[loads[0]], &apart) && !apart;
    if (!is_first && (!ptx_subscript_is_apart(to, r->subscripts[loads[1]], &apart) || apart))
        return false;
    *out = (TreeStep){ .store = id, .loop = r->flow->loops->loop_of[r->flow->cfg->block_of[id]],
                       .array = to->array,
                       .step = (uint8_t)ptx_recognizer_step(&r->flow->func->insns[operation]) };
    return find_tree_distance(r, to, r->subscripts[loads[is_first]], out)
           && has_threads_apart(r, out) && !ptx_ssa_is_spent(r->reader.ssa);
}

/* Whether a barrier stands between, and nothing there writes the array. */
static bool is_next_step(const Recognizer *r, const TreeStep *a, const TreeStep *b)
{
    const Cfg *cfg = r->flow->cfg;
    bool has_barrier = false;
    bool is_ratio = a->distance == 2 * b->distance || b->distance == 2 * a->distance;
    if (a->by || b->by || !is_ratio || a->array != b->array || a->loop != b->loop
        || a->step != b->step)
        return false;
    for (InsnId i = a->store + 1; i < b->store; i++) {
        if (writes_shared(r, i, a->array))
            return false;
        has_barrier |= is_block_barrier(&r->flow->func->insns[i])
                       && ptx_dom_dominates(r->flow->dom, cfg->block_of[i],
                                            cfg->block_of[b->store]);
    }
    return has_barrier;
}

/* Whether the tree is a part of what the whole block combines, which has a row of its own; where
 * the tree's last step ends it, the tree is the row. */
static bool is_part_of_block(Recognizer *r, InsnId store, uint32_t *lanes)
{
    const InsnId operation = source_of_store(r, store);
    const uint8_t of = operation == NO_ID ? 0 : r->block_rows[operation];
    BlockRow *row = of ? &r->blocks[of - 1] : NULL;
    if (!row || row->is_scan || row->insn != operation)
        return row != NULL;
    row->is_reported = true;
    if (row->count)
        *lanes = row->count;
    return false;
}

static void add_tree(Recognizer *r, const TreeStep *steps, uint32_t count)
{
    const TreeStep *last = &steps[count - 1];
    uint32_t lanes = last->by ? 0 : 1u << count;
    if (is_part_of_block(r, last->store, &lanes))
        return;
    const Recognized row = {
        .loop = last->loop, .insn = last->store, .reg = NO_ID, .is_array = true,
        .array = ptx_subscript_var(last->array),
        .array_offset = (uint32_t)(last->array & 0xffff), .insn_count = count,
        .class = RECOGNIZED_TREE, .operation = ptx_recognizer_step_text((Step)last->step),
        .lanes = lanes,
        .ends_at_neighbours = !last->by && last->distance == 1,
    };
    for (uint32_t i = 0; i < count; i++)
        r->owner[steps[i].store] = r->count + 1;
    ptx_recognizer_add(r, &row, 0);
}

/* Those of a chain with distances d, d / 2, d / 4, ... or d, 2 d, 4 d, ... */
static void add_trees(Recognizer *r, const TreeStep *steps, uint32_t count)
{
    for (uint32_t i = 0, next; i < count; i = next) {
        bool is_up = i + 1 < count && steps[i + 1].distance > steps[i].distance;
        for (next = i + 1; next < count && next - i < TREE_STEPS
                           && (steps[next].distance > steps[next - 1].distance) == is_up
                           && is_next_step(r, &steps[next - 1], &steps[next]);)
            next++;
        bool is_loop = steps[i].by && is_halved(r, steps[i].by, steps[i].loop)
                       && has_loop_to_itself(r, &steps[i]);
        if (is_loop || next - i > 1)
            add_tree(r, &steps[i], next - i);
    }
}

void ptx_recognizer_trees(Recognizer *r)
{
    const uint32_t count = r->flow->func->insn_count;
    uint32_t step_count = 0;
    TreeStep *steps = NULL;
    for (InsnId i = 0; i < count && r->has_arrays; i++) {
        TreeStep step;
        if (!ptx_block_is_reachable(r->flow->cfg, r->flow->cfg->block_of[i])
            || !read_tree_step(r, i, &step))
            continue;
        if (!steps)
            steps = ptx_arena_array(r->scratch, TreeStep, count);
        steps[step_count++] = step;
    }
    add_trees(r, steps, step_count);
}
