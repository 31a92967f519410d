#include "check/check_form.h"

#include "check/explain.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/diag.h"

#include <string.h>

void ptx_soften(const Module *m, Diag *diag)
{
    if (m->version > PTX_VERSION_NEWEST || m->target.sm > PTX_TARGET_NEWEST)
        diag->severity = SEVERITY_NOTE;
}

/* ---- versions and targets -------------------------------------------------------------------- */

static bool version_allows(const Module *m, uint8_t version)
{
    return !m->version || version <= m->version;
}

static bool target_allows(const Module *m, Target target)
{
    if (!target.sm)
        return !m->target.sm || m->target.suffix == target.suffix;
    return !m->target.sm || ptx_target_allows(m->target, target);
}

static bool is_ended(const Module *m, const FormInfo *form)
{
    return form->until_version && m->version > form->until_version && m->target.sm > form->until_sm;
}

bool ptx_form_is_allowed(const Module *m, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    return version_allows(m, form->version) && target_allows(m, form->target) && !is_ended(m, form);
}

static bool is_closed_form(const Module *m, const GateInfo *gate)
{
    return !(version_allows(m, gate->version) && target_allows(m, gate->target));
}

/* The gate that a modifier of the op does not pass, or NULL. */
static const GateInfo *closed_gate(const Module *m, const Op *op)
{
    const OpcodeInfo *opcode = &ptx_opcode_info[op->opcode];
    for (unsigned g = opcode->gate_first; g < (unsigned)opcode->gate_first + opcode->gate_count;
         g++) {
        const GateInfo *gate = &ptx_gate_info[g];
        bool applies = gate->modifier == GATE_GENERIC ? op->space == SPACE_GENERIC
                                                      : ptx_op_has_word(op, gate->modifier);
        if (applies && is_closed_form(m, gate))
            return gate;
    }
    return NULL;
}

static FormId first_allowed(const Module *m, const Op *op, FormId form)
{
    while (form && !ptx_form_is_allowed(m, form))
        form = ptx_form_next(op, form);
    return form;
}

/* ld.const[3].u32 */
static bool has_ended_bank(const Module *m, const Op *op)
{
    return m->version > 21 && memchr(op->text, '[', op->length);
}

void ptx_check_gates(const Module *m, Op *op)
{
    if (!op->form)
        return;
    FormId form = first_allowed(m, op, op->form);
    /* a newer form may have this order, and an older one take it */
    if (!form && !op->out_of_order) {
        op->out_of_order = true;
        form = first_allowed(m, op, ptx_form_next(op, 0));
        op->out_of_order = form != 0;
    }
    if (form)
        op->form = form;
    if (!form || closed_gate(m, op) || has_ended_bank(m, op))
        op->flags |= OPF_TOO_NEW;
}

/* what is needed, in words: "`.L2::128B` of `ld.global.L2::128B.f32`" */
typedef struct CheckFormNeed {
    const char *what;
    uint8_t version;
    Target target;
} CheckFormNeed;

static void report_need(DiagSink *diags, const Module *m, CheckFormNeed need, Span where)
{
    const Target *t = &need.target;
    if (!version_allows(m, need.version)) {
        Diag *old = ptx_diag(
            diags, DIAG_VERSION_TOO_OLD, where, "%s needs PTX %d.%d; this module says %d.%d",
            need.what, need.version / 10, need.version % 10, m->version / 10, m->version % 10);
        old->help = ptx_diag_text(diags, "write `.version %d.%d` or newer", need.version / 10,
                                  need.version % 10);
        ptx_explain_gate(diags, old, m->version_span,
                         ptx_diag_text(diags, "%d.%d", need.version / 10, need.version % 10));
        if (need.target.sm && !target_allows(m, need.target))
            ptx_diag_relate(diags, old, m->target_span, "and it needs sm_%d%.1s", need.target.sm,
                            &need.target.suffix);
        return;
    }
    Diag *diag;
    const char suffix = t->sm ? t->suffix : 'a';
    switch (t->sm ? t->suffix : 'A') {
    case 'A':
        diag = ptx_diag(diags, DIAG_TARGET_TOO_OLD, where,
                        "%s needs a target with the suffix `a`; this module is for sm_%d%.1s",
                        need.what, m->target.sm, &m->target.suffix);
        diag->help = ptx_diag_text(diags, "write `.target sm_%da`", m->target.sm);
        break;
    case 'f':
        diag = ptx_diag(
            diags, DIAG_TARGET_TOO_OLD, where,
            "%s needs sm_%df or a newer one of that family; this module is for sm_%d%.1s",
            need.what, t->sm, m->target.sm, &m->target.suffix);
        diag->help = ptx_diag_text(diags,
                                   "write `.target sm_%df` or `.target sm_%da`: plain sm_%d runs "
                                   "everywhere and so lacks what is the family's own",
                                   t->sm, t->sm, t->sm);
        break;
    case 'a':
        diag = ptx_diag(diags, DIAG_TARGET_TOO_OLD, where,
                        "%s needs sm_%da; this module is for sm_%d%.1s", need.what, t->sm,
                        m->target.sm, &m->target.suffix);
        diag->help = ptx_diag_text(diags, "write `.target sm_%da`", t->sm);
        break;
    default:
        diag = ptx_diag(diags, DIAG_TARGET_TOO_OLD, where,
                        "%s needs sm_%d; this module is for sm_%d%.1s", need.what, t->sm,
                        m->target.sm, &m->target.suffix);
        diag->help = ptx_diag_text(diags, "write `.target sm_%d` or newer", t->sm);
    }
    ptx_explain_gate(diags, diag, m->target_span,
                     ptx_diag_text(diags, "sm_%d%.1s", t->sm ? t->sm : m->target.sm, &suffix));
    ptx_soften(m, diag);
}

void ptx_report_gate(DiagSink *diags, const Module *m, const Op *op, FormId id, Span where)
{
    const FormInfo *form = &ptx_form_info[id];
    report_need(diags, m,
                (CheckFormNeed){ ptx_diag_text(diags, "`%.*s`", ptx_shown(op->length), op->text),
                                 form->version, form->target },
                where);
}

void ptx_check_pair_gate(DiagSink *diags, const Module *m, const Op *op, Span where)
{
    const OpcodeInfo *opcode = &ptx_opcode_info[op->opcode];
    for (unsigned g = opcode->gate_first; g < (unsigned)opcode->gate_first + opcode->gate_count;
         g++) {
        const GateInfo *gate = &ptx_gate_info[g];
        if (gate->modifier == GATE_PAIR && is_closed_form(m, gate)) {
            const char *what = ptx_diag_text(diags, "the second result of `%.*s`",
                                             ptx_shown(op->length), op->text);
            report_need(diags, m, (CheckFormNeed){ what, gate->version, gate->target }, where);
        }
    }
}

static const struct { uint8_t version; Target target; } sreg_gates[] = {
#define SR(id, text, type, version, sm, ...) [SREG_##id] = { version, { sm, 0 } },
#include "isa/sregs.def"
#undef SR
};

void ptx_check_sreg(DiagSink *diags, const Module *m, SregId sreg, Span where)
{
    const uint8_t version = sreg_gates[sreg].version;
    const Target target = sreg_gates[sreg].target;
    if (version_allows(m, version) && target_allows(m, target))
        return;
    const char *what = ptx_diag_text(diags, "`%.*s`", ptx_shown(ptx_span_length(where)),
                                     m->text + where.begin);
    report_need(diags, m, (CheckFormNeed){ what, version, target }, where);
}

/* Of several forms that the module lacks, the one that asks for least: a version rather than a
 * target, and the oldest of them. */
static FormId easiest_form(const Module *m, const Op *op)
{
    FormId best = 0;
    for (FormId id = op->form; id; id = ptx_form_next(op, id)) {
        const FormInfo *form = &ptx_form_info[id], *than = &ptx_form_info[best];
        if (is_ended(m, form))
            continue;
        if (!best
            || (!target_allows(m, than->target)
                && (target_allows(m, form->target)
                    || (version_allows(m, form->version) && !version_allows(m, than->version)))))
            best = id;
    }
    return best;
}

/* ---- operands -------------------------------------------------------------------------------- */

FormId ptx_form_fitting(const Module *m, const Op *op, uint32_t count)
{
    FormId first = 0;
    for (FormId form = op->form; form; form = ptx_form_next(op, form)) {
        if (!ptx_form_takes(form, count))
            continue;
        if (ptx_form_is_allowed(m, form))
            return form;
        first = first ? first : form;
    }
    return first;
}

void ptx_report_operand_count(DiagSink *diags, const Module *m, const Op *op, Span where,
                              uint32_t count)
{
    const FormInfo *form = &ptx_form_info[op->form];
    unsigned most = form->operand_count, least = 0;
    while (least < most && !ptx_form_operands[form->operand_first + least].optional)
        least++;
    const char *range = least < most ? ptx_diag_text(diags, "%u to ", least) : "";
    Diag *diag = ptx_diag(diags, DIAG_OPERAND_COUNT, where, "`%.*s` takes %s%u operands, not %u",
                          ptx_shown(op->length), op->text, range, most, (unsigned)count);
    ptx_explain_operands(diags, diag, op);
    ptx_soften(m, diag);
}

/* ---- modifiers ------------------------------------------------------------------------------- */

/* ".rn .rz .rm .rp" */
static const char *list_values(DiagSink *diags, const Misfit *misfit)
{
    const char *list = "";
    for (uint32_t i = 0; i < misfit->value_count && i < MISFIT_VALUES; i++)
        list = ptx_diag_text(diags, "%s%s.%s", list, i ? " " : "",
                             ptx_modifier_texts[misfit->values[i]]);
    return misfit->value_count > MISFIT_VALUES ? ptx_diag_text(diags, "%s ...", list) : list;
}

static bool is_rounding(const Misfit *misfit)
{
    for (uint32_t v = 0; v < misfit->value_count && v < MISFIT_VALUES; v++) {
        const uint8_t modifier = ptx_modifier_ids[misfit->values[v]];
        if (modifier < MOD_RN || modifier > MOD_RPI)
            return false;
    }
    return true;
}

static bool is_type(uint16_t modifier)
{
    const char *text = ptx_modifier_texts[modifier];
    return ptx_type_find(text, strlen(text)) != TYPE_NONE;
}

static void report_missing(DiagSink *diags, const Op *op, const Misfit *misfit, Span where)
{
    int length = ptx_shown(op->length);
    const char *written = op->text;
    if (misfit->value_count == 1) {
        ptx_diag(diags, DIAG_BAD_FORM, where, "`%.*s` needs `.%s`", length, written,
                 ptx_modifier_texts[misfit->values[0]]);
        return;
    }
    const char *what = "one more modifier";
    if (is_rounding(misfit))
        what = "a rounding modifier";
    else if (is_type(misfit->values[0]))
        what = "a type";
    ptx_diag(diags, DIAG_BAD_FORM, where, "`%.*s` needs %s: %s", length, written, what,
             list_values(diags, misfit));
}

static Diag *last_of(DiagSink *diags, uint32_t before)
{
    return diags->count > before ? diags->items[diags->count - 1] : NULL;
}

static void report_misfit(DiagSink *diags, const Op *op, const Misfit *misfit, Span where)
{
    const char *opcode = ptx_opcode_info[op->opcode].text;
    const char *modifier = misfit->modifier >= 0 ? ptx_modifier_texts[misfit->modifier] : "";
    int length = ptx_shown(op->length);
    switch (misfit->kind) {
    case MISFIT_ORDER: {
        Diag *diag = ptx_diag(diags, DIAG_BAD_FORM, where,
                              "the modifiers of `%.*s` are in the wrong order", length, op->text);
        if (!misfit->text[0])
            return;
        diag->help = ptx_diag_text(diags, "write `%s%s`", opcode, misfit->text);
        if (ptx_span_length(where) == op->length)
            ptx_diag_fix(diags, diag, where, true, "%s%s", opcode, misfit->text);
        return;
    }
    case MISFIT_REPEATED:
        ptx_diag(diags, DIAG_BAD_FORM, where, "`%s` has the modifier `.%s` twice", opcode, modifier)
            ->help = "remove one of them";
        return;
    case MISFIT_CLASH:
        ptx_diag(diags, DIAG_BAD_FORM, where, "`%s` takes one of `.%s` and `.%s`, not both", opcode,
                 ptx_modifier_texts[misfit->other], modifier);
        return;
    case MISFIT_MISSING:
        report_missing(diags, op, misfit, where);
        return;
    case MISFIT_EXTRA:
        ptx_diag(diags, DIAG_BAD_FORM, where,
                 "`%.*s` does not take `.%s`: it cannot be combined with the other modifiers",
                 length, op->text, modifier);
        return;
    case MISFIT_REPLACED:
        ptx_diag(diags, DIAG_BAD_FORM, where, "`%s` does not take `.%s` with the other modifiers",
                 opcode, modifier)
            ->help = ptx_diag_text(diags, "in its place it takes %s%s",
                                   misfit->value_count == 1 ? "" : "one of ",
                                   list_values(diags, misfit));
        return;
    default:
        ptx_diag(diags, DIAG_BAD_FORM, where, "`%s` does not take these modifiers together",
                 opcode);
    }
}

/* Why no form has them. */
static void report_bad_form(DiagSink *diags, const Module *m, const Op *op, Span where)
{
    Misfit misfit;
    ptx_op_find_misfit(op, &misfit);
    uint32_t before = diags->count;
    report_misfit(diags, op, &misfit, where);
    Diag *diag = last_of(diags, before);
    if (diag)
        ptx_soften(m, diag);
}

static void report_too_new(DiagSink *diags, const Module *m, const Op *op, Span where)
{
    FormId form = easiest_form(m, op);
    if (has_ended_bank(m, op)) {
        ptx_diag(diags, DIAG_BAD_FORM, where,
                 "constant banks were removed in PTX 2.2; this module says %d.%d", m->version / 10,
                 m->version % 10)
            ->help = "write `.const`";
        return;
    }
    if (!form) {                /* all forms ended */
        uint32_t before = diags->count;
        report_bad_form(diags, m, op, where);
        const FormInfo *ended = &ptx_form_info[op->form];
        Diag *diag = last_of(diags, before);
        if (!diag || diag->help)
            return;
        const char *targets = ended->until_sm ? ptx_diag_text(diags, ", for targets above sm_%d",
                                                              ended->until_sm)
                                              : "";
        diag->help = ptx_diag_text(diags, "the form without it ended with PTX %d.%d%s",
                                   ended->until_version / 10, ended->until_version % 10, targets);
        return;
    }
    const GateInfo *gate = closed_gate(m, op);
    if (ptx_form_is_allowed(m, form) && gate) {
        const char *part = gate->modifier == GATE_GENERIC
                               ? "the generic address"
                               : ptx_diag_text(diags, "`.%s`", ptx_modifier_texts[gate->modifier]);
        const char *what = ptx_diag_text(diags, "%s of `%.*s`", part, ptx_shown(op->length),
                                         op->text);
        report_need(diags, m, (CheckFormNeed){ what, gate->version, gate->target }, where);
        return;
    }
    ptx_report_gate(diags, m, op, form, where);
}

/* ---- the instruction ------------------------------------------------------------------------- */

static void report_unknown_opcode(DiagSink *diags, const Module *m, const Op *op, Span where)
{
    size_t head = 0;
    while (head < op->length && op->text[head] != '.')
        head++;
    Diag *diag = ptx_diag(diags, DIAG_UNKNOWN_OPCODE, where, "there is no instruction `%.*s`",
                          ptx_shown(head), op->text);
    ptx_explain_op(diags, diag, op, where);
    ptx_soften(m, diag);
}

static void report_unknown_modifier(DiagSink *diags, const Module *m, const Op *op, Span where)
{
    const char *modifier = op->text + op->unknown_at;
    Diag *diag = ptx_diag(diags, DIAG_UNKNOWN_MODIFIER, where, "`%s` has no modifier `.%.*s`",
                          ptx_opcode_info[op->opcode].text, ptx_shown(op->unknown_length),
                          modifier);
    ptx_explain_op(diags, diag, op, where);
    ptx_soften(m, diag);
}

void ptx_report_op(DiagSink *diags, const Module *m, const Op *op, Span where)
{
    if (op->flags & OPF_TOO_NEW)
        report_too_new(diags, m, op, where);
    else if (!op->opcode)
        report_unknown_opcode(diags, m, op, where);
    else if (op->unknown_length)
        report_unknown_modifier(diags, m, op, where);
    else if (!op->form)
        report_bad_form(diags, m, op, where);
}
