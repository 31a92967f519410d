/* Symbolic expressions as people read them. */
#include "analysis/value/symbolic.h"

#include "ir/func.h"
#include "ir/module.h"
#include "ir/sreg.h"
#include "support/span.h"
#include "ir/reg.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct Printer {
    const Symbols *s;
    char *text;
    size_t length, size;
    bool is_cut;
} Printer;

static void put_symbolic_bytes(Printer *p, const char *text, size_t length)
{
    if (length >= p->size - p->length) {
        p->is_cut = true;
        return;
    }
    memcpy(p->text + p->length, text, length);
    p->length += length;
    p->text[p->length] = 0;
}

static void put_text(Printer *p, const char *text)
{
    put_symbolic_bytes(p, text, strlen(text));
}

static void put_symbolic_number(Printer *p, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    put_text(p, digits);
}

/* Of `KERNEL_param_N` what follows the kernel's name. */
static void put_variable(Printer *p, VarId id)
{
    const Module *module = p->s->module;
    Span name = module->vars[id].name, func = p->s->func->name;
    size_t prefix = ptx_span_length(func), length = ptx_span_length(name);
    const char *text = module->text + name.begin;
    if (length > prefix + 7 && !memcmp(text, module->text + func.begin, prefix)
        && !memcmp(text + prefix, "_param_", 7)) {
        text += prefix + 1;
        length -= prefix + 1;
    }
    if (module->vars[id].source_name) {
        put_text(p, module->vars[id].source_name);
        return;
    }
    put_symbolic_bytes(p, text, length);
}

static void put_loaded(Printer *p, const Sym *sym)
{
    if (!sym->value) {
        put_variable(p, sym->a);
        return;
    }
    put_text(p, "[");
    put_variable(p, sym->a);
    put_text(p, "+");
    put_symbolic_number(p, (int64_t)sym->value);
    put_text(p, "]");
}

static void put_sreg(Printer *p, const Sym *sym)
{
    static const char *const names[] = {
#define SR(id, text, ...) [SREG_##id] = text,
#include "isa/sregs.def"
#undef SR
    };
    static const char components[] = "xyzw";
    bool is_vector = sym->a == SREG_TID || sym->a == SREG_NTID || sym->a == SREG_CTAID
                     || sym->a == SREG_NCTAID || sym->a == SREG_CLUSTERID
                     || sym->a == SREG_NCLUSTERID || sym->a == SREG_CLUSTER_CTAID
                     || sym->a == SREG_CLUSTER_NCTAID;
    put_text(p, "%");
    put_text(p, names[sym->a]);
    if (is_vector) {
        put_text(p, ".");
        put_symbolic_bytes(p, &components[sym->b & 3], 1);
    }
}

static void put_reg(Printer *p, RegId reg)
{
    if (reg == NO_ID) {
        put_text(p, "?");
        return;
    }
    Span name = ptx_reg_name(&p->s->func->regs[reg]);
    put_symbolic_bytes(p, p->s->module->text + name.begin, ptx_span_length(name));
}

/* How tightly an operator binds; what stands inside a tighter one gets parentheses. */
enum { BINDS_CHOICE, BINDS_COMPARE, BINDS_BITS, BINDS_SHIFT, BINDS_SUM, BINDS_PRODUCT, BINDS_LEAF };

static void put_symbolic_node(Printer *p, SymId id, int outside);

static void put_infix(Printer *p, const Sym *sym, const char *operator, int own, int outside)
{
    if (own < outside)
        put_text(p, "(");
    put_symbolic_node(p, sym->a, own);
    put_text(p, operator);
    put_symbolic_node(p, sym->b, own + 1);
    if (own < outside)
        put_text(p, ")");
}

static void put_call(Printer *p, const Sym *sym, const char *name)
{
    put_text(p, name);
    put_symbolic_node(p, sym->a, BINDS_CHOICE);
    put_text(p, ", ");
    put_symbolic_node(p, sym->b, BINDS_CHOICE);
    put_text(p, ")");
}

/* Whether the term looks better behind a minus. */
static bool is_minus(const Sym *sum, const SymTerm *term)
{
    int64_t factor = ptx_width_signed(sum->width, term->factor);
    return factor < 0 && factor > INT64_MIN;
}

static void put_term(Printer *p, const Sym *sum, const SymTerm *term, bool first)
{
    int64_t factor = ptx_width_signed(sum->width, term->factor);
    bool minus = is_minus(sum, term);
    if (first)
        put_text(p, minus ? "-" : "");
    else
        put_text(p, minus ? " - " : " + ");
    int binds = minus ? BINDS_PRODUCT : BINDS_SUM;
    factor = minus ? -factor : factor;
    if (factor != 1) {
        put_symbolic_number(p, factor);
        put_text(p, " * ");
        binds = BINDS_PRODUCT + 1;
    }
    put_symbolic_node(p, term->atom, binds);
}

/* What is added first, then what is subtracted, then the constant. */
static void put_sum(Printer *p, const Sym *sum, int outside)
{
    const SymTerm *terms = p->s->terms + sum->a;
    int64_t constant = ptx_width_signed(sum->width, sum->value);
    bool first = true, product = sum->b == 1 && !constant && !is_minus(sum, terms);
    bool any_plus = false;
    int own = product ? BINDS_PRODUCT : BINDS_SUM;
    for (uint32_t t = 0; t < sum->b; t++)
        any_plus |= !is_minus(sum, &terms[t]);
    if (own < outside)
        put_text(p, "(");
    if (!any_plus && constant > 0) {
        put_symbolic_number(p, constant);
        first = false;
    }
    for (int minus = 0; minus < 2; minus++) {
        for (uint32_t t = 0; t < sum->b && !p->is_cut; t++) {
            if (is_minus(sum, &terms[t]) != (minus == 1))
                continue;
            put_term(p, sum, &terms[t], first);
            first = false;
        }
    }
    if (constant && (any_plus || constant < 0)) {
        put_text(p, constant < 0 ? " - " : " + ");
        put_symbolic_number(p, constant < 0 && constant != INT64_MIN ? -constant : constant);
    }
    if (own < outside)
        put_text(p, ")");
}

/* A shift right by a constant is a division, which says more. */
static void put_shift_right(Printer *p, const Sym *sym, int outside)
{
    uint64_t amount;
    if (!ptx_sym_is_const(p->s, sym->b, &amount) || amount > 30) {
        put_infix(p, sym, " >> ", BINDS_SHIFT, outside);
        return;
    }
    if (BINDS_PRODUCT < outside)
        put_text(p, "(");
    put_symbolic_node(p, sym->a, BINDS_PRODUCT);
    put_text(p, " / ");
    put_symbolic_number(p, INT64_C(1) << amount);
    if (BINDS_PRODUCT < outside)
        put_text(p, ")");
}

static void put_symbolic_choice(Printer *p, const Sym *sym, int outside)
{
    if (BINDS_CHOICE < outside)
        put_text(p, "(");
    put_symbolic_node(p, sym->a, BINDS_CHOICE + 1);
    put_text(p, " ? ");
    put_symbolic_node(p, sym->b, BINDS_CHOICE + 1);
    put_text(p, " : ");
    put_symbolic_node(p, sym->c, BINDS_CHOICE);
    if (BINDS_CHOICE < outside)
        put_text(p, ")");
}

static void put_operation(Printer *p, const Sym *sym, int outside)
{
    switch (sym->kind) {
    case SYM_MUL:   put_infix(p, sym, " * ", BINDS_PRODUCT, outside); break;
    case SYM_DIV_U: case SYM_DIV_S: put_infix(p, sym, " / ", BINDS_PRODUCT, outside); break;
    case SYM_REM_U: case SYM_REM_S: put_infix(p, sym, " % ", BINDS_PRODUCT, outside); break;
    case SYM_SHL:   put_infix(p, sym, " << ", BINDS_SHIFT, outside); break;
    case SYM_SHR_U: case SYM_SHR_S: put_shift_right(p, sym, outside); break;
    case SYM_AND:   put_infix(p, sym, " & ", BINDS_BITS, outside); break;
    case SYM_OR:    put_infix(p, sym, " | ", BINDS_BITS, outside); break;
    case SYM_XOR:   put_infix(p, sym, " ^ ", BINDS_BITS, outside); break;
    case SYM_EQ:    put_infix(p, sym, " == ", BINDS_COMPARE, outside); break;
    case SYM_NE:    put_infix(p, sym, " != ", BINDS_COMPARE, outside); break;
    case SYM_LT_U: case SYM_LT_S: put_infix(p, sym, " < ", BINDS_COMPARE, outside); break;
    case SYM_LE_U: case SYM_LE_S: put_infix(p, sym, " <= ", BINDS_COMPARE, outside); break;
    case SYM_MIN_U: case SYM_MIN_S: put_call(p, sym, "min("); break;
    case SYM_MAX_U: case SYM_MAX_S: put_call(p, sym, "max("); break;
    case SYM_MULHI_U: case SYM_MULHI_S: put_call(p, sym, "mulhi("); break;
    case SYM_SEXT: case SYM_ZEXT: case SYM_TRUNC: put_symbolic_node(p, sym->a, outside); break;
    case SYM_SELECT: put_symbolic_choice(p, sym, outside); break;
    default:        put_text(p, "%laneid"); break;
    }
}

static void put_symbolic_node(Printer *p, SymId id, int outside)
{
    const Sym *sym = &p->s->nodes[id];
    if (p->is_cut)
        return;
    switch (sym->kind) {
    case SYM_CONST:   put_symbolic_number(p, ptx_width_signed(sym->width, sym->value)); break;
    case SYM_PARAM: case SYM_CONSTANT: put_loaded(p, sym); break;
    case SYM_ADDRESS: put_variable(p, sym->a); break;
    case SYM_SREG:    put_sreg(p, sym); break;
    case SYM_OPAQUE: case SYM_PHI: put_reg(p, sym->b); break;
    case SYM_EXIT:    put_symbolic_node(p, sym->b, outside); break;
    case SYM_ITER: case SYM_LAST: case SYM_NONE: put_text(p, "?"); break;
    case SYM_SUM:     put_sum(p, sym, outside); break;
    default:          put_operation(p, sym, outside); break;
    }
}

bool ptx_sym_print(const Symbols *s, SymId id, bool tight, char *text, size_t size)
{
    Printer p = { .s = s, .text = text, .length = strlen(text), .size = size };
    put_symbolic_node(&p, id, tight ? BINDS_LEAF : BINDS_CHOICE);
    return !p.is_cut;
}

const char *ptx_sym_why(const Symbols *s, SymId id)
{
    static const char *const words[WHY__COUNT] = {
        [WHY_NONE] = "is not known",
        [WHY_MEMORY] = "is loaded from memory",
        [WHY_ATOMIC] = "comes from an atomic operation",
        [WHY_CALL] = "comes from a call",
        [WHY_FLOAT] = "is computed in floating point",
        [WHY_WARP] = "comes from other lanes",
        [WHY_PATHS] = "differs between paths",
        [WHY_LOOP] = "is what another loop leaves",
        [WHY_UNDEFINED] = "is never written",
        [WHY_SPECIAL] = "is a special register that changes",
        [WHY_OTHER] = "comes from an instruction that is not followed",
        [WHY_SIZE] = "is too long an expression",
        [WHY_CHANGES] = "changes in no regular way",
    };
    for (;;) {
        const Sym *sym = &s->nodes[id];
        SymId operands[3] = { sym->a, sym->b, sym->c }, next = 0;
        if (!(sym->uses & USES_UNKNOWN))
            return NULL;
        if (sym->kind == SYM_OPAQUE)
            return words[sym->a];
        if (sym->kind == SYM_PHI)
            return words[WHY_CHANGES];
        if (sym->kind == SYM_EXIT)
            return words[WHY_LOOP];
        for (unsigned i = 0; i < ptx_sym_operands(sym) && !next; i++)
            next = s->nodes[operands[i]].uses & USES_UNKNOWN ? operands[i] : 0;
        for (uint32_t t = 0; sym->kind == SYM_SUM && t < sym->b && !next; t++)
            next = s->nodes[s->terms[sym->a + t].atom].uses & USES_UNKNOWN
                       ? s->terms[sym->a + t].atom
                       : 0;
        if (!next)
            return words[WHY_NONE];     /* a parameter without a value */
        id = next;
    }
}
