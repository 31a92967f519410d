#include "analysis/recognize/subscript.h"

#include "analysis/flow/defs.h"
#include "analysis/recognize/recognizer.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/sreg.h"

enum {
    SUBSCRIPT_STEPS = 512,      /* nodes of an address that are looked at */
    SUBSCRIPT_DEPTH = 48,
};

/* ---- sums ------------------------------------------------------------------------------------ */

static void set_subscript_number(Subscript *out, int64_t value)
{
    out->count = 0;
    out->is_lost = false;
    out->constant = value;
    out->array = 0;
}

static void set_subscript_term(Subscript *out, TermKind kind, uint32_t id, SymId by)
{
    set_subscript_number(out, 0);
    out->terms[out->count++] = (SubscriptTerm){ (uint8_t)kind, id, by, 1 };
}

static bool is_same_index(const SubscriptTerm *a, const SubscriptTerm *b)
{
    return a->kind == b->kind && a->id == b->id && a->by == b->by;
}

static void add_term(Subscript *out, SubscriptTerm term)
{
    uint32_t at = 0;
    while (at < out->count && !is_same_index(&out->terms[at], &term))
        at++;
    if (at == MAX_SUBSCRIPT_TERMS) {
        out->is_lost = true;
        return;
    }
    if (at == out->count)
        out->terms[out->count++] = (SubscriptTerm){ term.kind, term.id, term.by, 0 };
    out->terms[at].factor = (int64_t)((uint64_t)out->terms[at].factor + (uint64_t)term.factor);
    if (!out->terms[at].factor)
        out->terms[at] = out->terms[--out->count];
}

/* To *out, b times a number. */
static void add_subscript(Subscript *out, const Subscript *b, int64_t by)
{
    out->is_lost |= b->is_lost;
    out->constant = (int64_t)((uint64_t)out->constant + (uint64_t)b->constant * (uint64_t)by);
    for (uint32_t i = 0; i < b->count && !out->is_lost; i++) {
        SubscriptTerm term = b->terms[i];
        term.factor = (int64_t)((uint64_t)term.factor * (uint64_t)by);
        add_term(out, term);
    }
}

/* False: both are indices. */
static bool multiply_indices(Symbols *s, SubscriptTerm a, SubscriptTerm b, SubscriptTerm *out)
{
    if (a.kind != TERM_FIXED && b.kind != TERM_FIXED)
        return false;
    *out = a.kind == TERM_FIXED ? b : a;
    out->by = a.by ? a.by : b.by;
    if (a.by && b.by)
        out->by = ptx_sym_mul(s, a.by, b.by);
    out->factor = (int64_t)((uint64_t)a.factor * (uint64_t)b.factor);
    return true;
}

/* out is neither of them; false: it is no sum of that kind. */
static bool multiply_subscripts(Symbols *s, const Subscript *a, const Subscript *b, Subscript *out)
{
    Subscript rest = *b;
    SubscriptTerm term;
    rest.constant = 0;
    set_subscript_number(out, 0);
    add_subscript(out, a, b->constant);
    add_subscript(out, &rest, a->constant);
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count && !out->is_lost; k++) {
            if (!multiply_indices(s, a->terms[i], b->terms[k], &term))
                return false;
            add_term(out, term);
        }
    return !out->is_lost && !a->is_lost && !b->is_lost;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Whether what a register is set to rests on memory. */
static bool rests_on_memory(const SubscriptReader *r, RegId reg)
{
    if (reg == NO_ID)
        return false;
    for (uint32_t d = r->defs->first[reg]; d < r->defs->first[reg + 1]; d++)
        if (r->marks[r->defs->insns[d]] & MARK_DATA)
            return true;
    return false;
}

static bool is_varying_sreg(const Sym *sym)
{
    const SregId id = (SregId)sym->a;
    return id != SREG_NTID && id != SREG_NCTAID && id != SREG_NCLUSTERID
           && id != SREG_CLUSTER_NCTAID && id != SREG_CLUSTER_NCTARANK
           && id != SREG_DYNAMIC_SMEM_SIZE && id != SREG_TOTAL_SMEM_SIZE;
}

/* Loaded from the same place whatever the thread: the same in all of them. */
static bool is_fixed_opaque(const SubscriptReader *r, const Sym *sym)
{
    return sym->a == WHY_MEMORY && sym->b != NO_ID && ptx_defs_count(r->defs, sym->b) == 1
           && !(r->marks[r->defs->insns[r->defs->first[sym->b]]] & MARK_VARIES);
}

static TermKind worse(TermKind a, TermKind b)
{
    if (a == TERM_DATA || b == TERM_DATA)
        return TERM_DATA;
    return a == TERM_OTHER || b == TERM_OTHER ? TERM_OTHER : TERM_FIXED;
}

/* TERM_FIXED, TERM_DATA or TERM_OTHER: what is no sum, by its leaves. */
static TermKind kind_of_node(SubscriptReader *r, SymId id)
{
    const Symbols *s = ptx_ssa_symbols(r->ssa);
    const Sym sym = *ptx_sym(s, id);
    TermKind kind = TERM_FIXED;
    if (!r->steps)
        return TERM_OTHER;
    r->steps--;
    switch (sym.kind) {
    case SYM_OPAQUE:
        if (is_fixed_opaque(r, &sym))
            return TERM_FIXED;
        return rests_on_memory(r, sym.b) ? TERM_DATA : TERM_OTHER;
    case SYM_PHI:
        return rests_on_memory(r, sym.b) ? TERM_DATA : TERM_OTHER;
    case SYM_SREG:
        return is_varying_sreg(&sym) ? TERM_OTHER : TERM_FIXED;
    case SYM_EXIT:
        return worse(TERM_OTHER, kind_of_node(r, sym.b));
    case SYM_SUM:
        for (uint32_t t = 0; t < sym.b; t++)
            kind = worse(kind, kind_of_node(r, s->terms[sym.a + t].atom));
        return kind;
    default:
        break;
    }
    const SymId operands[3] = { sym.a, sym.b, sym.c };
    for (unsigned i = 0; i < 3 && i < ptx_sym_operands(&sym); i++)
        kind = worse(kind, kind_of_node(r, operands[i]));
    return kind;
}

/* As a whole. */
static void read_atom(SubscriptReader *r, SymId id, Subscript *out)
{
    const TermKind kind = kind_of_node(r, id);
    if (kind == TERM_FIXED)
        set_subscript_term(out, TERM_FIXED, 0,
                           ptx_sym_resize(ptx_ssa_symbols(r->ssa), id, 64, true));
    else
        set_subscript_term(out, kind, id, 0);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void read_subscript_node(SubscriptReader *r, SymId id, Subscript *out);

static void read_sum(SubscriptReader *r, SymId id, Subscript *out)
{
    const Symbols *s = ptx_ssa_symbols(r->ssa);
    const Sym sym = *ptx_sym(s, id);
    set_subscript_number(out, ptx_width_signed(sym.width, sym.value));
    for (uint32_t t = 0; t < sym.b; t++) {
        Subscript part;
        const SymTerm term = s->terms[sym.a + t];
        read_subscript_node(r, term.atom, &part);
        add_subscript(out, &part, ptx_width_signed(sym.width, term.factor));
    }
}

/* False: the loop does not step it by the same number of bytes. */
static bool read_phi(SubscriptReader *r, SymId id, Subscript *out)
{
    const Sym sym = *ptx_sym(ptx_ssa_symbols(r->ssa), id);
    const Phi phi = ptx_ssa_phi(r->ssa, id);
    const SymId step = ptx_sym_sub(ptx_ssa_symbols(r->ssa), phi.next, id);
    Subscript by, iterations, start;
    if (ptx_sym_varies(ptx_ssa_symbols(r->ssa), step, sym.a))
        return false;
    read_subscript_node(r, step, &by);
    set_subscript_term(&iterations, TERM_LOOP, sym.a, 0);
    read_subscript_node(r, phi.start, &start);
    if (!multiply_subscripts(ptx_ssa_symbols(r->ssa), &by, &iterations, out))
        return false;
    add_subscript(out, &start, 1);
    return !out->is_lost;
}

/* a | b of numbers that have no bit in common. */
static bool is_sum_of_bits(const Symbols *s, const Sym *sym)
{
    const Sym *a = ptx_sym(s, sym->a), *b = ptx_sym(s, sym->b);
    return a->range.umax >> (b->zeros & 63) == 0 || b->range.umax >> (a->zeros & 63) == 0;
}

/* The bits that a value may have. */
static uint64_t possible_bits(const Sym *x)
{
    uint64_t bits = x->range.umax;
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits |= bits >> shift;
    return bits & ~UINT64_C(0) << (x->zeros & 63);
}

/* x of x & m; 0: m is no number. */
static SymId masked_value(const Symbols *s, const Sym *and, uint64_t *mask)
{
    if (ptx_sym_is_const(s, and->b, mask))
        return and->a;
    return ptx_sym_is_const(s, and->a, mask) ? and->b : 0;
}

/* The atom of 2^power * atom; 0: it is no such product. */
static SymId scaled_atom(const Symbols *s, const Sym *x, unsigned *power)
{
    if (x->kind != SYM_SUM || x->b != 1 || x->value)
        return 0;
    const SymTerm term = s->terms[x->a];
    if (!term.factor || term.factor & (term.factor - 1))
        return 0;
    *power = (unsigned)__builtin_ctzll(term.factor);
    return term.atom;
}

/* One step of what a shift to the right need not look at; 0: there is none. */
static SymId peel_once(const Symbols *s, SymId id, unsigned *shift)
{
    const Sym *x = ptx_sym(s, id);
    uint64_t number = 0;
    if (x->kind == SYM_ZEXT)
        return x->a;
    if (x->kind == SYM_AND) {
        const SymId all = masked_value(s, x, &number);
        return all && !(possible_bits(ptx_sym(s, all)) & ~number) ? all : 0;
    }
    if (x->kind != SYM_SHR_U || !ptx_sym_is_const(s, x->b, &number) || number >= 64 - *shift)
        return 0;
    *shift += (unsigned)number;
    return x->a;
}

/* *id becomes what is shifted by *shift; the result is to be multiplied by 2 to the power that is
 * returned. */
static unsigned peel_shift(const Symbols *s, SymId *id, unsigned *shift)
{
    for (unsigned i = 0; i < SUBSCRIPT_DEPTH; i++) {
        unsigned power = 0;
        const SymId atom = scaled_atom(s, ptx_sym(s, *id), &power);
        const SymId next = atom ? atom : peel_once(s, *id, shift);
        if (!next)
            return 0;
        *id = next;
        const unsigned both = power < *shift ? power : *shift;
        *shift -= both;
        if (power > both)
            return power - both;
    }
    return 0;
}

/* Whether it is made of a thread's or block's index, and not of what memory says. */
static bool is_of_thread(SubscriptReader *r, SymId id)
{
    const uint16_t uses = ptx_sym(ptx_ssa_symbols(r->ssa), id)->uses;
    return uses & USES_THREAD && !(uses & USES_OPAQUE) && kind_of_node(r, id) != TERM_DATA;
}

/* To *out, factor * (x >> shift). */
static void add_shifted(SubscriptReader *r, SymId x, unsigned shift, int64_t factor, Subscript *out)
{
    Symbols *s = ptx_ssa_symbols(r->ssa);
    Subscript part;
    const unsigned left = peel_shift(s, &x, &shift);
    const Sym sym = *ptx_sym(s, x);
    if (!shift) {
        read_subscript_node(r, x, &part);
    } else if (sym.range.umax >> shift == 0) {
        return;
    } else {
        const SymId by = ptx_sym_const(s, sym.width, shift);
        read_atom(r, ptx_sym_binary(s, SYM_SHR_U, x, by), &part);
    }
    add_subscript(out, &part, (int64_t)((uint64_t)factor << left));
}

/* Bits lo to hi of x as (x >> lo << lo) - (x >> hi << hi), so that those of one index that meet in
 * an address are the index again. False: other
 * than that of threads, or no such bits. */
static bool read_bits(SubscriptReader *r, SymId id, Subscript *out)
{
    const Symbols *s = ptx_ssa_symbols(r->ssa);
    const Sym sym = *ptx_sym(s, id);
    uint64_t mask = 0;
    const SymId x = masked_value(s, &sym, &mask);
    if (!x || !mask || !is_of_thread(r, x))
        return false;
    const uint64_t bits = possible_bits(ptx_sym(s, x));
    const unsigned lo = (unsigned)__builtin_ctzll(mask);
    const uint64_t above = mask + (UINT64_C(1) << lo);
    set_subscript_number(out, 0);
    if (above & mask && above)
        return false;
    add_shifted(r, x, lo, (int64_t)(UINT64_C(1) << lo), out);
    if (above && bits & ~(above - 1))
        add_shifted(r, x, (unsigned)__builtin_ctzll(above), (int64_t)(0 - above), out);
    return true;
}

/* False: no index of threads, or a shift by what is no number. */
static bool read_right_shift(SubscriptReader *r, SymId id, Subscript *out)
{
    const Symbols *s = ptx_ssa_symbols(r->ssa);
    const Sym sym = *ptx_sym(s, id);
    uint64_t shift = 0;
    if (!ptx_sym_is_const(s, sym.b, &shift) || shift >= sym.width || !is_of_thread(r, sym.a))
        return false;
    set_subscript_number(out, 0);
    add_shifted(r, sym.a, (unsigned)shift, 1, out);
    return true;
}

static bool read_subscript_pair(SubscriptReader *r, SymId id, Subscript *out)
{
    const Sym sym = *ptx_sym(ptx_ssa_symbols(r->ssa), id);
    Subscript a, b;
    read_subscript_node(r, sym.a, &a);
    read_subscript_node(r, sym.b, &b);
    if (sym.kind == SYM_MUL)
        return multiply_subscripts(ptx_ssa_symbols(r->ssa), &a, &b, out);
    *out = a;
    add_subscript(out, &b, 1);
    return true;
}

/* False: it is no sum of products. */
static bool read_linear(SubscriptReader *r, SymId id, Subscript *out)
{
    const Symbols *s = ptx_ssa_symbols(r->ssa);
    const Sym sym = *ptx_sym(s, id);
    switch (sym.kind) {
    case SYM_CONST:
        set_subscript_number(out, ptx_width_signed(sym.width, sym.value));
        return true;
    case SYM_SREG:
        if (sym.a != SREG_TID && sym.a != SREG_CTAID)
            return false;
        set_subscript_term(out, sym.a == SREG_TID ? TERM_THREAD : TERM_CTA, sym.b, 0);
        return true;
    case SYM_SUM:
        read_sum(r, id, out);
        return true;
    case SYM_PHI:
        return read_phi(r, id, out);
    case SYM_SEXT: case SYM_ZEXT: case SYM_TRUNC:
        read_subscript_node(r, sym.a, out);
        return true;
    case SYM_OR: case SYM_XOR:
        return is_sum_of_bits(s, &sym) && read_subscript_pair(r, id, out);
    case SYM_MUL:
        return read_subscript_pair(r, id, out);
    case SYM_AND:
        return read_bits(r, id, out);
    case SYM_SHR_U:
        return read_right_shift(r, id, out);
    default:
        return false;
    }
}

static void read_subscript_node(SubscriptReader *r, SymId id, Subscript *out)
{
    bool is_deep = !r->steps || r->depth == SUBSCRIPT_DEPTH;
    r->steps -= !is_deep;
    r->depth++;
    if (is_deep || !read_linear(r, id, out))
        read_atom(r, id, out);
    r->depth--;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The variable or parameter that a term is the address of; 0: it is none. */
static uint64_t array_of_term(const Symbols *s, const SubscriptTerm *term)
{
    if (term->kind != TERM_FIXED || term->factor != 1 || !term->by)
        return 0;
    const Sym *sym = ptx_sym(s, term->by);
    bool is_narrow = sym->kind == SYM_SEXT || sym->kind == SYM_ZEXT;
    if (is_narrow)
        sym = ptx_sym(s, sym->a);
    if (sym->kind == SYM_ADDRESS)
        return ptx_subscript_array(sym->a, 0);
    bool is_pointer = sym->kind == SYM_PARAM && (!is_narrow || s->module->address_size == 32);
    return is_pointer ? ptx_subscript_array(sym->a, sym->value) : 0;
}

/* Its term goes: an operand that names a variable has none. */
static uint64_t take_array(const Symbols *s, Subscript *of)
{
    uint64_t found = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const uint64_t array = array_of_term(s, &of->terms[i]);
        if (array && found)
            return 0;
        found = array ? array : found;
        at = array ? i : at;
    }
    if (found)
        of->terms[at] = of->terms[--of->count];
    return found;
}

void ptx_subscript_read(SubscriptReader *r, InsnId insn, const Operand *address, Subscript *out)
{
    Symbols *s = ptx_ssa_symbols(r->ssa);
    r->steps = SUBSCRIPT_STEPS;
    set_subscript_number(out, ptx_operand_value(address));
    if (address->kind == OPERAND_VAR) {
        out->array = ptx_subscript_array(address->id, 0);
        return;
    }
    if (address->kind != OPERAND_REG || address->flags) {
        out->is_lost = true;
        return;
    }
    Subscript base;
    read_subscript_node(r, ptx_ssa_value_before(r->ssa, address->id, insn), &base);
    add_subscript(out, &base, 1);
    out->is_lost |= ptx_ssa_is_spent(r->ssa);
    out->array = take_array(s, out);
}

/* ---- two of them ----------------------------------------------------------------------------- */

void ptx_subscript_difference(const Subscript *a, const Subscript *b, Subscript *out)
{
    *out = *b;
    add_subscript(out, a, -1);
}

bool ptx_subscript_is_apart(const Subscript *a, const Subscript *b, int64_t *apart)
{
    Subscript out;
    ptx_subscript_difference(a, b, &out);
    *apart = out.constant;
    return !out.is_lost && !out.count;
}

const SubscriptTerm *ptx_subscript_term(const Subscript *of, TermKind kind, uint32_t id)
{
    const SubscriptTerm *found = NULL;
    for (uint32_t i = 0; i < of->count; i++) {
        bool is_it = of->terms[i].kind == kind && of->terms[i].id == id;
        if (is_it && found)
            return NULL;
        found = is_it ? &of->terms[i] : found;
    }
    return found;
}
