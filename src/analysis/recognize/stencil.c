/* Whether a value is made of neighbours of one element: b[i + k1], ..., b[i + kn]. */
#include "analysis/recognize/recognizer.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"

enum {
    STENCIL_INSNS = 512,        /* that a value is followed back through */
    STENCIL_POINTS = 64,
    STENCIL_NEAR = 2,           /* elements from one point to another, one left out between */
};

typedef struct StencilWalk {
    Recognizer *r;
    LoopId loop;                /* that the store is in */
    const Subscript *to;        /* where it stores */
    InsnId seen[STENCIL_INSNS];
    uint32_t count;
    const Subscript *points[STENCIL_POINTS];
    uint32_t point_count;
} StencilWalk;

static void see_insn(StencilWalk *w, InsnId id)
{
    if (w->r->stamps[id] == w->r->stamp || w->count == STENCIL_INSNS)
        return;
    w->r->stamps[id] = w->r->stamp;
    w->seen[w->count++] = id;
}

static LoopId loop_of_insn(const Recognizer *r, InsnId id)
{
    return r->flow->loops->loop_of[r->flow->cfg->block_of[id]];
}

/* Sources in the same iteration of the same loop; what a register names as an address is none. */
static void see_sources(StencilWalk *w, InsnId id, RegId address)
{
    const Recognizer *r = w->r;
    for (uint32_t d = r->first[id]; d < r->first[id + 1]; d++) {
        const Dependence *item = &r->all.items[d];
        if (!r->budget)
            return;
        w->r->budget--;
        bool is_value = item->kind == DEPENDENCE_REGISTER && item->name != address
                        && !item->is_carried && loop_of_insn(r, item->from) == w->loop;
        if (is_value)
            see_insn(w, item->from);
    }
}

static void find_points(StencilWalk *w, InsnId store)
{
    const Func *func = w->r->flow->func;
    const Insn *insn = &func->insns[store];
    const Operand *operands = ptx_insn_operands(func, insn);
    RegId address = NO_ID;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && operands[o].kind == OPERAND_REG)
            address = operands[o].id;
    see_sources(w, store, address);
    for (uint32_t i = 0; i < w->count; i++) {
        const Subscript *of = w->r->subscripts[w->seen[i]];
        bool is_load = func->insns[w->seen[i]].op->kind == OPK_LD;
        if (!is_load)
            see_sources(w, w->seen[i], NO_ID);
        else if (of && of->array && !of->is_lost && w->point_count < STENCIL_POINTS)
            w->points[w->point_count++] = of;
    }
}

static bool moves_store(const StencilWalk *w, const SubscriptTerm *term)
{
    for (uint32_t i = 0; i < w->to->count; i++)
        if (w->to->terms[i].kind == term->kind && w->to->terms[i].id == term->id)
            return true;
    return false;
}

/* Whether an index moves by the term, and the store with it: one of the loop, or of the grid. */
static bool is_moving(const StencilWalk *w, const SubscriptTerm *term)
{
    if (!moves_store(w, term))
        return false;
    if (w->loop != NO_LOOP && term->kind == TERM_LOOP)
        return true;
    return term->kind == TERM_THREAD || term->kind == TERM_CTA;
}

static bool has_fixed_indices(const Subscript *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (of->terms[i].kind == TERM_DATA || of->terms[i].kind == TERM_OTHER)
            return false;
    return true;
}

/* How many elements along the term the difference is; 0: it is no such multiple. */
static int64_t elements_along(const Subscript *apart, const SubscriptTerm *term)
{
    int64_t bytes = apart->constant;
    if (term->by) {
        bool is_alone = apart->count == 1 && !apart->constant
                        && apart->terms[0].kind == TERM_FIXED && apart->terms[0].by == term->by;
        if (!is_alone)
            return 0;
        bytes = apart->terms[0].factor;
    } else if (apart->count) {
        return 0;
    }
    return term->factor && bytes % term->factor == 0 ? bytes / term->factor : 0;
}

/* Two elements of one array that are one or two apart along one of the indices. */
static bool is_next_element(const StencilWalk *w, const Subscript *a, const Subscript *b)
{
    Subscript apart;
    if (a->array != b->array || !has_fixed_indices(a))
        return false;
    ptx_subscript_difference(a, b, &apart);
    for (uint32_t i = 0; i < a->count && !apart.is_lost; i++) {
        if (!is_moving(w, &a->terms[i]))
            continue;
        const int64_t elements = elements_along(&apart, &a->terms[i]);
        if (elements && elements >= -STENCIL_NEAR && elements <= STENCIL_NEAR)
            return true;
    }
    return false;
}

bool ptx_recognizer_is_stencil(Recognizer *r, InsnId store)
{
    StencilWalk w = { .r = r, .loop = loop_of_insn(r, store), .to = r->subscripts[store] };
    r->stamp++;
    if (!w.to)
        return false;
    find_points(&w, store);
    for (uint32_t i = 0; i < w.point_count; i++)
        for (uint32_t k = i + 1; k < w.point_count && r->budget; k++) {
            r->budget--;
            if (is_next_element(&w, w.points[i], w.points[k]))
                return true;
        }
    return false;
}
