/* The strongly connected components of register dependences, for each nesting level of loops. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/reg.h"

/* ---- components of a level ------------------------------------------------------------------- */

/* Whether some of them are in the loop itself, or in two of those inside: else these have them. */
static bool is_of_level(const Recognizer *r, const InsnId *insns, uint32_t count)
{
    LoopId only = NO_LOOP;
    for (uint32_t i = 0; i < count; i++) {
        const LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[insns[i]]];
        const LoopId below = r->below[loop];
        if (below == NO_LOOP || (i && below != only))
            return true;
        only = below;
    }
    return false;
}

static bool has_own_edge(const Recognizer *r, InsnId insn)
{
    for (uint32_t d = r->first[insn]; d < r->first[insn + 1]; d++)
        if (r->all.items[d].from == insn && r->all.items[d].kind == DEPENDENCE_REGISTER)
            return true;
    return false;
}

static void close_component(Recognizer *r, InsnId root)
{
    const uint32_t id = ++r->component_count;
    uint32_t at = r->stack_count;
    do
        r->component[r->stack[--at]] = id;
    while (r->stack[at] != root);
    const InsnId *insns = r->stack + at;
    const uint32_t count = r->stack_count - at;
    if ((count > 1 || has_own_edge(r, root)) && is_of_level(r, insns, count)) {
        Cycle cycle = { .insns = insns, .count = count, .id = id,
                        .loop = ptx_recognizer_level_loop(r, root), .has_constants = true,
                        .has_step = true };
        ptx_recognizer_add_cycle(r, &cycle);
    }
    r->stack_count = at;
}

static void open_component(Recognizer *r, InsnId insn)
{
    r->order[insn] = r->low[insn] = ++r->order_count;
    r->next[insn] = r->first[insn];
    r->stack[r->stack_count++] = insn;
}

static uint32_t least_order(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The next instruction of the same loop that this one needs and that is new; NO_ID: none. */
static InsnId find_new_source(Recognizer *r, InsnId insn)
{
    while (r->next[insn] < r->first[insn + 1]) {
        const Dependence *item = &r->all.items[r->next[insn]++];
        if (item->kind != DEPENDENCE_REGISTER
            || ptx_recognizer_level_loop(r, item->from) != ptx_recognizer_level_loop(r, insn))
            continue;
        if (!r->order[item->from])
            return item->from;
        if (!r->component[item->from])
            r->low[insn] = least_order(r->low[insn], r->order[item->from]);
    }
    return NO_ID;
}

static void walk_components(Recognizer *r, InsnId start)
{
    uint32_t depth = 0;
    r->calls[depth++] = start;
    open_component(r, start);
    while (depth) {
        const InsnId insn = r->calls[depth - 1];
        const InsnId source = find_new_source(r, insn);
        if (source != NO_ID) {
            r->calls[depth++] = source;
            open_component(r, source);
            continue;
        }
        depth--;
        if (r->low[insn] == r->order[insn])
            close_component(r, insn);
        else
            r->low[r->calls[depth - 1]] = least_order(r->low[r->calls[depth - 1]], r->low[insn]);
    }
}

/* ---- who else reads it ----------------------------------------------------------------------- */

static bool is_read_beside(const Recognizer *r, const Dependence *item)
{
    const LoopId loop = ptx_recognizer_level_loop(r, item->from);
    return item->kind == DEPENDENCE_REGISTER && loop != NO_LOOP
           && loop == ptx_recognizer_level_loop(r, item->to)
           && r->component[item->from] != r->component[item->to];
}

/* What reads where a minimum was may hand it on to what is compared. */
static void drop_read_locations(Recognizer *r)
{
    for (uint32_t d = 0; d < r->all.count; d++)
        if (r->is_location[r->all.items[d].from] && is_read_beside(r, &r->all.items[d]))
            r->is_location[r->all.items[d].from] = false;
}

/* Who in a loop reads what a component of it computes, but to note where it was. */
enum { READ_STORED = 1, READ_OTHERWISE = 2 };

/* v rests on nothing that its own loop, and no inner one, has stored in the array. */
static bool is_free_of_array(Recognizer *r, const Dependence *item, uint64_t array)
{
    const uint64_t rests = r->rests[item->from];
    const LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[item->to]];
    if (rests >> OTHER_ARRAY & 1)
        return false;
    return !(rests & ptx_recognizer_array_bit(r, array))
           || (loop == ptx_recognizer_level_loop(r, item->from)
               && ptx_recognizer_loads_ahead(r, item->to, NO_ID));
}

/* v goes to another element in each iteration, of an array that it does not come back from. */
static bool is_store_of_scan(Recognizer *r, const Dependence *item)
{
    const Insn *insn = &r->flow->func->insns[item->to];
    const Operand *address = ptx_effect_address(r->flow->func, insn);
    const Subscript *to = r->has_arrays ? r->subscripts[item->to] : NULL;
    if (insn->op->kind != OPK_ST || !to || !to->array || !address || address->id == item->name)
        return false;
    const LoopId loop = r->flow->loops->loop_of[r->flow->cfg->block_of[item->to]];
    return insn->guard != item->name && ptx_recognizer_movement(r, to, loop) == TERM_LOOP
           && is_free_of_array(r, item, to->array);
}

/* Per component. */
static uint8_t *find_cycle_readers(Recognizer *r)
{
    uint8_t *readers = ptx_arena_array(r->scratch, uint8_t, r->component_count + 1);
    for (uint32_t d = 0; d < r->all.count; d++) {
        const Dependence *item = &r->all.items[d];
        if (!is_read_beside(r, item) || r->is_location[item->to])
            continue;
        uint8_t *of = &readers[r->component[item->from]];
        *of |= (uint8_t)(is_store_of_scan(r, item) ? READ_STORED : READ_OTHERWISE);
    }
    return readers;
}

static void refuse_read(Recognized *item)
{
    item->class = RECOGNIZED_NONE;
    item->why = "the loop also reads it: what is combined with it may depend on it";
}

static void judge_reader(Recognized *item, uint8_t readers)
{
    bool is_reduction = item->class == RECOGNIZED_REDUCTION;
    if (!is_reduction && item->class != RECOGNIZED_RECURRENCE)
        return;
    if (readers & READ_OTHERWISE)
        refuse_read(item);
    else if (readers && is_reduction)
        item->class = RECOGNIZED_SCAN;
}

/* What is read may come back through memory, a call or a branch: e may depend on it. */
static void judge_readers(Recognizer *r, uint32_t begin)
{
    drop_read_locations(r);
    const uint8_t *readers = find_cycle_readers(r);
    for (uint32_t i = begin; i < r->count; i++)
        judge_reader(&r->items[i], readers[r->item_component[i]]);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static bool set_level(Recognizer *r, uint32_t depth)
{
    const Loops *loops = r->flow->loops;
    bool has_loop = false;
    for (LoopId l = 0; l < loops->loop_count; l++) {
        const Loop *loop = &loops->loops[l];
        r->outer[l] = loop->depth == depth ? l : NO_LOOP;
        r->below[l] = loop->depth == depth + 1 ? l : NO_LOOP;
        if (loop->depth > depth)
            r->outer[l] = r->outer[loop->parent];
        if (loop->depth > depth + 1)
            r->below[l] = r->below[loop->parent];
        has_loop |= loop->depth == depth;
    }
    return has_loop;
}

static void recognize_level(Recognizer *r, uint32_t depth)
{
    const uint32_t insn_count = r->flow->func->insn_count, begin = r->count;
    for (InsnId i = 0; i < insn_count; i++)
        r->order[i] = r->component[i] = 0;
    r->order_count = 0;
    for (InsnId i = 0; i < insn_count; i++)
        if (!r->order[i] && ptx_recognizer_level_loop(r, i) != NO_LOOP)
            walk_components(r, i);
    ptx_recognizer_branch_extremes(r, depth);
    ptx_recognizer_guarded_locations(r, depth);
    judge_readers(r, begin);
}

void ptx_recognizer_components(Recognizer *r)
{
    for (uint32_t depth = 1; depth <= RECOGNIZE_DEPTH && set_level(r, depth); depth++)
        recognize_level(r, depth);
}
