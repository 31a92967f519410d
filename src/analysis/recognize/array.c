/* What stores, atomics and loads do to arrays, by their addresses and by what values rest on. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "support/minmax.h"


enum {
    CHAIN_INSNS = 64,           /* from what is stored back to the element that it updates */
    CONDITION_BLOCKS = 32,      /* dominators that are asked for the thread that stores */
};

/* A store or an atomic in hand. */
typedef struct Writing {
    Recognizer *r;
    InsnId id;
    const Insn *insn;
    const Subscript *to;
    LoopId loop;
    uint64_t bit;               /* of its array */
    /* its subscript is no sum of products, and gives each thread of a block bytes of its own */
    bool is_evaluated;
    Recognized *out;
} Writing;

/* ---- how an address moves -------------------------------------------------------------------- */

static bool moves_in(const Recognizer *r, const SubscriptTerm *term, LoopId loop)
{
    if (loop == NO_LOOP)
        return term->kind != TERM_FIXED;
    if (term->kind == TERM_LOOP)
        return term->id == loop;
    bool is_node = term->kind == TERM_DATA || term->kind == TERM_OTHER;
    return is_node && ptx_sym_varies(ptx_ssa_symbols(r->reader.ssa), term->id, loop);
}

TermKind ptx_recognizer_movement(const Recognizer *r, const Subscript *of, LoopId loop)
{
    TermKind kind = of->is_lost ? TERM_OTHER : TERM_FIXED;
    for (uint32_t i = 0; i < of->count && kind != TERM_DATA; i++) {
        const SubscriptTerm *term = &of->terms[i];
        if (!moves_in(r, term, loop))
            continue;
        bool is_node = term->kind == TERM_DATA || term->kind == TERM_OTHER;
        if (is_node)
            kind = (TermKind)term->kind;
        else if (kind == TERM_FIXED)
            kind = TERM_LOOP;
    }
    return kind;
}

static const SubscriptTerm *find_lowest_term(const Subscript *of, TermKind kind)
{
    const SubscriptTerm *found = NULL;
    for (uint32_t i = 0; i < of->count; i++) {
        bool is_lower = of->terms[i].kind == kind && (!found || of->terms[i].id < found->id);
        found = is_lower ? &of->terms[i] : found;
    }
    return found;
}

/* What moves it from one iteration, thread or block to the next; NULL: nothing. */
static const SubscriptTerm *find_moving_term(const Subscript *of, LoopId loop)
{
    if (loop != NO_LOOP)
        return ptx_subscript_term(of, TERM_LOOP, loop);
    const SubscriptTerm *thread = find_lowest_term(of, TERM_THREAD);
    return thread ? thread : find_lowest_term(of, TERM_CTA);
}

static void note_array(Recognized *out, const Subscript *of, LoopId loop)
{
    const SubscriptTerm *term = of->is_lost ? NULL : find_moving_term(of, loop);
    if (of->array) {
        out->array = ptx_subscript_var(of->array);
        out->array_offset = (uint32_t)(of->array & 0xffff);
    }
    out->has_step = term && !term->by;
    out->step = out->has_step ? term->factor : 0;
}

/* ---- who stores ------------------------------------------------------------------------------ */

bool ptx_recognizer_is_one_thread(const Symbols *s, SymId condition)
{
    const Sym sym = *ptx_sym(s, condition);
    if (sym.kind != SYM_EQ)
        return false;
    const Sym *a = ptx_sym(s, sym.a), *b = ptx_sym(s, sym.b);
    bool is_swapped = a->kind == SYM_CONST;
    const Sym *index = is_swapped ? b : a, *number = a;
    if (!is_swapped)
        number = b;
    return index->kind == SYM_SREG && index->a == SREG_TID && !index->b
           && number->kind == SYM_CONST;
}

SymId ptx_recognizer_condition(const Recognizer *r, BlockId branch, BlockId block)
{
    const Cfg *cfg = r->flow->cfg;
    const Block *from = &cfg->blocks[branch];
    const InsnId last = from->end - 1;
    if (from->succ_count != 2 || r->flow->func->insns[last].op->kind != OPK_BRA)
        return 0;
    for (uint32_t s = 0; s < 2; s++) {
        const BlockId to = cfg->succs[from->succ_first + s];
        if (to == EXIT_BLOCK || cfg->blocks[to].pred_count != 1
            || !ptx_dom_dominates(r->flow->dom, to, block))
            continue;
        const SymId taken = ptx_ssa_guard(r->reader.ssa, last);
        return s ? ptx_sym_not(ptx_ssa_symbols(r->reader.ssa), taken) : taken;
    }
    return 0;
}

/* Whether one thread of the block alone comes there, by x; nothing asks for y or z. */
static bool is_by_one_thread(const Recognizer *r, InsnId id)
{
    const Symbols *s = ptx_ssa_symbols(r->reader.ssa);
    BlockId block = r->flow->cfg->block_of[id];
    if (r->asks_for_row)
        return false;
    if (ptx_recognizer_is_one_thread(s, ptx_ssa_guard(r->reader.ssa, id)))
        return true;
    for (unsigned i = 0; i < CONDITION_BLOCKS && block; i++) {
        const BlockId up = r->flow->dom->idom[block];
        if (up == EXIT_BLOCK)
            return false;
        const SymId condition = ptx_recognizer_condition(r, up, r->flow->cfg->block_of[id]);
        if (condition && ptx_recognizer_is_one_thread(s, condition))
            return true;
        block = up;
    }
    return false;
}

/* Whether each thread of the grid, or of the block where the block owns the array, has its own. */
static const char *why_not_own_element(const Writing *w)
{
    bool has_thread = find_lowest_term(w->to, TERM_THREAD) != NULL;
    bool is_common = !(ptx_effect_memory((Space)w->insn->op->space) & MEMORY_SHARED);
    if (!has_thread && !is_by_one_thread(w->r, w->id))
        return "threads of a block may write the same element";
    if (is_common && !find_lowest_term(w->to, TERM_CTA))
        return "blocks may write the same element";
    if (is_common && ptx_recognizer_overlaps_neighbour(w->r, w->id))
        return "neighbouring blocks may write the same elements";
    return NULL;
}

static const char *why_not_apart(const Writing *w)
{
    const SubscriptTerm *term = find_moving_term(w->to, w->loop);
    const int64_t bytes = w->insn->access_bytes;
    if (term && !term->by && (term->factor < 0 ? -(uint64_t)term->factor : (uint64_t)term->factor)
                                 < (uint64_t)bytes)
        return "what one iteration or thread writes overlaps the next one's";
    return w->loop == NO_LOOP ? why_not_own_element(w) : NULL;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool has_data_guard(const Recognizer *r, InsnId id)
{
    const RegId guard = r->flow->func->insns[id].guard;
    for (uint32_t d = r->first[id]; d < r->first[id + 1] && guard != NO_ID; d++)
        if (r->all.items[d].kind == DEPENDENCE_REGISTER && r->all.items[d].name == guard
            && r->marks[r->all.items[d].from] & MARK_DATA)
            return true;
    return false;
}

/* ---- updates --------------------------------------------------------------------------------- */

/* What the stored value is made of, from an element of the same array on. */
typedef struct Chain {
    Step step;                  /* STEP_OTHER: no one operation */
    InsnId load;                /* NO_ID: there is none */
    bool has_old;               /* with elements that stood there before the loop */
} Chain;

static bool is_old_element(const Writing *w, InsnId from)
{
    const Subscript *of = w->r->subscripts[from];
    return w->r->flow->func->insns[from].op->kind == OPK_LD && of && of->array == w->to->array
           && ptx_recognizer_loads_ahead(w->r, w->id, from);
}

/* The place of the one source that rests on the array, old elements aside; -1: none, or several. */
static int find_own_source(const Writing *w, InsnId id, InsnId *source, bool *has_old)
{
    const Recognizer *r = w->r;
    const Insn *insn = &r->flow->func->insns[id];
    const Operand *operands = ptx_insn_operands(r->flow->func, insn);
    int place = -1;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_USE))
            continue;
        for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++) {
            const Dependence *item = &r->all.items[d];
            if (item->kind != DEPENDENCE_REGISTER || item->name != operands[o].id
                || !(r->rests[item->from] & w->bit))
                continue;
            const bool is_second = place >= 0;
            if (place == (int)operands[o].position)
                return -1;
            *has_old |= is_second;
            if (is_second && is_old_element(w, item->from))
                continue;
            if (is_second && !is_old_element(w, *source))
                return -1;
            if (item->is_carried || operands[o].flags)
                return -1;
            place = (int)operands[o].position;
            *source = item->from;
        }
    }
    return place;
}

static bool is_simple_step(const Insn *insn)
{
    const Step step = ptx_recognizer_step(insn);
    const uint32_t wanted = step == STEP_COPY ? 2 : 3;
    bool is_fused = insn->op->operation == OP_MAD || insn->op->operation == OP_FMA;
    return step != STEP_OTHER && insn->operand_count == (is_fused ? 4 : wanted)
           && insn->guard == NO_ID;
}

/* From what is stored back to a load of the array, other operands free of it. */
static Chain follow_chain(const Writing *w)
{
    const Recognizer *r = w->r;
    Chain chain = { STEP_COPY, NO_ID, false };
    InsnId at = w->id, source = NO_ID;
    int place = find_own_source(w, at, &source, &chain.has_old);
    for (unsigned i = 0; i < CHAIN_INSNS && place >= 0; i++) {
        const Insn *insn = &r->flow->func->insns[source];
        at = source;
        if (insn->op->kind == OPK_LD) {
            chain.load = at;
            return chain;
        }
        place = find_own_source(w, at, &source, &chain.has_old);
        if (place < 0 || !is_simple_step(insn))
            break;
        chain.step = ptx_recognizer_join_steps(chain.step, ptx_recognizer_step_at(insn, place));
        if (chain.step == STEP_OTHER)
            break;
    }
    return (Chain){ STEP_OTHER, NO_ID, false };
}

/* What the operands of an instruction rest on. */
static uint64_t rests_of_sources(const Recognizer *r, InsnId id)
{
    uint64_t rests = 0;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++)
        if (r->all.items[d].kind == DEPENDENCE_REGISTER)
            rests |= r->rests[r->all.items[d].from];
    return rests;
}

/* Bytes from the stored element to the loaded one; false: it is not known. */
static bool find_distance(const Writing *w, const Chain *chain, int64_t *apart)
{
    const Recognizer *r = w->r;
    const Subscript *from = chain->load == NO_ID ? NULL : r->subscripts[chain->load];
    return from && from->array == w->to->array && !(rests_of_sources(r, chain->load) & w->bit)
           && r->flow->func->insns[chain->load].access_bytes == w->insn->access_bytes
           && r->flow->loops->loop_of[r->flow->cfg->block_of[chain->load]] == w->loop
           && ptx_subscript_is_apart(w->to, from, apart);
}

/* Whether any order of the steps gives the same. */
static bool is_associative(Step step)
{
    return step == STEP_ADD || step == STEP_MUL || (step >= STEP_MIN && step <= STEP_XOR);
}

/* ---- classes --------------------------------------------------------------------------------- */

static RecognizedClass class_of_reduction(TermKind movement)
{
    if (movement == TERM_DATA)
        return RECOGNIZED_HISTOGRAM;
    return movement == TERM_LOOP ? RECOGNIZED_ARRAY_REDUCTION : RECOGNIZED_REDUCTION;
}

/* a[s] = a[s] op e */
static RecognizedClass classify_update(const Writing *w, Step step, TermKind movement)
{
    const char *why = NULL;
    if (!is_associative(step))
        return ptx_recognizer_refuse(w->out, "what it makes of the element is no sum, product or "
                                             "minimum");
    if (w->loop == NO_LOOP && movement == TERM_FIXED)
        return ptx_recognizer_refuse(w->out, "threads may write the same element");
    if (w->loop == NO_LOOP && movement == TERM_LOOP)
        why = why_not_own_element(w);
    if (why)
        return ptx_recognizer_refuse(w->out, why);
    w->out->operation = ptx_recognizer_step_text(step);
    return class_of_reduction(movement);
}

/* a[s] = a[s - k] op e: k iterations ago. */
static RecognizedClass classify_earlier(const Writing *w, Step step, int64_t apart)
{
    const SubscriptTerm *term = w->loop == NO_LOOP ? NULL : find_moving_term(w->to, w->loop);
    if (!term || term->by || apart % term->factor || apart / term->factor >= 0)
        return ptx_recognizer_refuse(w->out, "what it writes rests on other elements of the array");
    if (step != STEP_LINEAR && (!is_associative(step) || apart != -term->factor))
        return ptx_recognizer_refuse(w->out, "a recurrence of the array that is no scan");
    w->out->operation = ptx_recognizer_step_text(step);
    return step == STEP_LINEAR ? RECOGNIZED_RECURRENCE : RECOGNIZED_SCAN;
}

/* What the loop steps the register by that an instruction reads; NULL: not one item alone. */
static const Recognized *find_stepped(const Writing *w, RegId reg)
{
    const Recognizer *r = w->r;
    uint32_t owner = 0;
    for (uint32_t d = r->first[w->id]; d < r->first[w->id + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        const BlockId block = r->flow->cfg->block_of[item->from];
        if (item->kind != DEPENDENCE_REGISTER || item->name != reg
            || !ptx_loop_holds(r->flow->loops, w->loop, block))
            continue;
        if (!r->owner[item->from] || (owner && owner != r->owner[item->from]))
            return NULL;
        owner = r->owner[item->from];
    }
    return owner ? &r->items[owner - 1] : NULL;
}

/* a[s] = v, a scan or recurrence over the elements that stood there before the loop; NULL: it is
 * none. */
static const Recognized *find_stored_scan(const Writing *w)
{
    const Operand *operands = ptx_insn_operands(w->r->flow->func, w->insn);
    const Operand *value = &operands[w->insn->operand_count - 1];
    const Recognized *item = value->kind == OPERAND_REG ? find_stepped(w, value->id) : NULL;
    bool is_scan = item && item->loop == w->loop && !item->is_array
                   && (item->class == RECOGNIZED_SCAN || item->class == RECOGNIZED_RECURRENCE);
    return is_scan && ptx_recognizer_loads_ahead(w->r, w->id, NO_ID) ? item : NULL;
}

static RecognizedClass classify_own(const Writing *w, TermKind movement)
{
    const Chain chain = follow_chain(w);
    int64_t apart = 0;
    const Recognized *scan = movement == TERM_LOOP ? find_stored_scan(w) : NULL;
    if (scan) {
        w->out->operation = scan->operation;
        return (RecognizedClass)scan->class;
    }
    if (!find_distance(w, &chain, &apart) || (chain.has_old && !apart))
        return ptx_recognizer_refuse(w->out, "what it writes rests on the array that it writes");
    if (apart && w->loop != NO_LOOP && ptx_recognizer_other_store_meets(w->r, w->id, chain.load))
        return ptx_recognizer_refuse(w->out, "another store may write the element that it loads");
    return apart ? classify_earlier(w, chain.step, apart)
                 : classify_update(w, chain.step, movement);
}

/* By evaluation each thread of the block has its own. */
static RecognizedClass classify_evaluated(const Writing *w)
{
    bool is_common = !(ptx_effect_memory((Space)w->insn->op->space) & MEMORY_SHARED);
    if (is_common && !find_lowest_term(w->to, TERM_CTA))
        return ptx_recognizer_refuse(w->out, "blocks may write the same element");
    if (is_common && ptx_recognizer_overlaps_neighbour(w->r, w->id))
        return ptx_recognizer_refuse(w->out, "neighbouring blocks may write the same elements");
    return RECOGNIZED_ASSIGNMENT;
}

static RecognizedClass classify_free(const Writing *w, TermKind movement)
{
    if (w->is_evaluated)
        return classify_evaluated(w);
    if (movement == TERM_DATA)
        return RECOGNIZED_SCATTER;
    if (movement == TERM_FIXED)
        return ptx_recognizer_refuse(w->out, "it writes the same element each time");
    const char *why = why_not_apart(w);
    if (why)
        return ptx_recognizer_refuse(w->out, why);
    return ptx_recognizer_is_stencil(w->r, w->id) ? RECOGNIZED_STENCIL : RECOGNIZED_ASSIGNMENT;
}

/* Why nothing can be said, whatever the class. */
static const char *why_no_class(const Writing *w, TermKind movement, uint64_t rests)
{
    if (!w->to || !w->to->array)
        return "which array it writes is not known";
    if (movement == TERM_OTHER && !w->is_evaluated)
        return "its subscript is no sum of products of the indices";
    if (rests >> OTHER_ARRAY & 1)
        return "what it writes rests on memory that is not followed";
    return NULL;
}

Step ptx_recognizer_named_step(const Op *op)
{
    static const struct { uint8_t modifier, step; } rows[] = {
        { MOD_ADD, STEP_ADD }, { MOD_MIN, STEP_MIN }, { MOD_MAX, STEP_MAX },
        { MOD_AND, STEP_AND }, { MOD_OR, STEP_OR }, { MOD_XOR, STEP_XOR },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_op_has(op, (Modifier)rows[i].modifier))
            return (Step)rows[i].step;
    return STEP_OTHER;
}

/* Whether another atomic of the same loop does something else, perhaps to the same element. */
static bool has_other_atomic(const Writing *w, Step step)
{
    const Recognizer *r = w->r;
    for (uint32_t i = 0; i < r->atomic_count && i < MAX_ATOMICS; i++) {
        const InsnId at = r->atomics[i];
        const Subscript *of = r->subscripts[at];
        int64_t apart = 0;
        if (!of || of->array != w->to->array
            || ptx_recognizer_named_step(r->flow->func->insns[at].op) == step
            || r->flow->loops->loop_of[r->flow->cfg->block_of[at]] != w->loop)
            continue;
        if (!ptx_subscript_is_apart(w->to, of, &apart)
            || ptx_i64_magnitude(apart) < w->insn->access_bytes)
            return true;
    }
    return r->atomic_count > MAX_ATOMICS;
}

static RecognizedClass classify_atomic(const Writing *w, TermKind movement, uint64_t rests)
{
    const Step step = ptx_recognizer_named_step(w->insn->op);
    if (step == STEP_OTHER)
        return ptx_recognizer_refuse(w->out, "the atomic is no sum, minimum or bit operation");
    if (rests & w->bit)
        return ptx_recognizer_refuse(w->out, "what it adds rests on the array that it writes");
    if (w->insn->op->kind == OPK_ATOM && w->r->is_read[w->id])
        return ptx_recognizer_refuse(w->out, "the old value is read, too");
    if (has_other_atomic(w, step))
        return ptx_recognizer_refuse(w->out, "another atomic does something else to the element");
    w->out->operation = ptx_recognizer_step_text(step);
    return class_of_reduction(movement);
}

static RecognizedClass class_of_writing(const Writing *w)
{
    const TermKind movement = w->to ? ptx_recognizer_movement(w->r, w->to, w->loop) : TERM_OTHER;
    const uint64_t rests = rests_of_sources(w->r, w->id);
    const char *why = why_no_class(w, movement, rests);
    if (why)
        return ptx_recognizer_refuse(w->out, why);
    if (w->insn->op->kind != OPK_ST)
        return classify_atomic(w, movement, rests);
    if (rests & w->bit && w->is_evaluated)
        return ptx_recognizer_refuse(w->out, "what it writes rests on the array that it writes");
    return rests & w->bit ? classify_own(w, movement) : classify_free(w, movement);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_conditional_access(const Recognizer *r, InsnId id, LoopId loop)
{
    if (loop != NO_LOOP)
        return !ptx_recognizer_is_unconditional(r, id);
    return has_data_guard(r, id) || r->is_decided[r->flow->cfg->block_of[id]];
}

static Recognized begin_array_row(const Recognizer *r, InsnId id)
{
    return (Recognized){ .loop = r->flow->loops->loop_of[r->flow->cfg->block_of[id]], .insn = id,
                         .reg = NO_ID, .array = NO_ID, .insn_count = 1, .is_array = true };
}

/* A load that a loop steps a register by stays with that register. */
static void add_array_row(Recognizer *r, const Recognized *row)
{
    if (!r->owner[row->insn])
        r->owner[row->insn] = r->count + 1;
    ptx_recognizer_add(r, row, 0);
}

static void add_writing(Recognizer *r, InsnId id)
{
    Recognized row = begin_array_row(r, id);
    const Subscript *to = r->subscripts[id];
    Writing w = { .r = r, .id = id, .insn = &r->flow->func->insns[id], .to = to,
                  .loop = row.loop, .out = &row };
    if (to)
        w.bit = ptx_recognizer_array_bit(r, to->array);
    w.is_evaluated = to && r->has_arrays && row.loop == NO_LOOP && w.insn->op->kind == OPK_ST
                     && ptx_recognizer_movement(r, to, NO_LOOP) == TERM_OTHER
                     && ptx_recognizer_has_own_elements(r, id);
    if (r->has_arrays)
        row.class = (uint8_t)class_of_writing(&w);
    else
        row.why = "the function is too large: addresses are not followed";
    if (row.class == RECOGNIZED_NONE && r->block_stores[id]) {
        r->owner[id] = r->block_stores[id];
        return;
    }
    if (to)
        note_array(&row, to, row.loop);
    row.has_step = row.has_step && !w.is_evaluated;
    row.is_conditional = is_conditional_access(r, id, row.loop);
    add_array_row(r, &row);
}

static void add_gather(Recognizer *r, InsnId id)
{
    Recognized row = begin_array_row(r, id);
    const Subscript *from = r->subscripts[id];
    if (!from || !from->array || ptx_recognizer_movement(r, from, row.loop) != TERM_DATA)
        return;
    row.class = RECOGNIZED_GATHER;
    note_array(&row, from, row.loop);
    row.has_step = false;
    row.is_conditional = is_conditional_access(r, id, row.loop);
    add_array_row(r, &row);
}

static void recognize_access(Recognizer *r, InsnId id)
{
    const Op *op = r->flow->func->insns[id].op;
    const uint8_t memory = ptx_effect_memory((Space)op->space);
    bool is_array = memory & MEMORY_COMMON || op->space == SPACE_CONST;
    if (!is_array || !ptx_block_is_reachable(r->flow->cfg, r->flow->cfg->block_of[id]))
        return;
    if (op->kind == OPK_LD && r->has_arrays)
        add_gather(r, id);
    else if ((op->kind == OPK_ST && !r->owner[id]) || op->kind == OPK_RED || op->kind == OPK_ATOM)
        add_writing(r, id);
}

void ptx_recognizer_arrays(Recognizer *r)
{
    for (InsnId i = 0; i < r->flow->func->insn_count; i++)
        recognize_access(r, i);
}
