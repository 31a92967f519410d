/* match.c -- which forms take the modifiers of an instruction, and why none does.
 *
 * ptxas wants the parts of the name first and in order; the rest may stand anywhere, save that
 * modifiers of one kind (types, state spaces) keep their order among themselves. Some may be there
 * twice (forms.txt, "How ptxas reads modifiers"). */
#include "isa/isa.h"

#include <string.h>

static bool modifier_group_has(uint16_t group, int modifier)
{
    const GroupInfo *info = &ptx_group_info[group];
    for (unsigned i = 0; i < info->count; i++) {
        if (ptx_group_values[info->first + i] == modifier)
            return true;
    }
    return false;
}

/* In order, with backtracking over optional slots; both sides are at most OP_MAX_MODIFIERS long. */
static bool match_in_order(const FormModifier *slot, const FormModifier *slot_end,
                           const int16_t *modifier, const int16_t *modifier_end)
{
    for (; slot < slot_end; slot++) {
        bool takes = modifier < modifier_end && modifier_group_has(slot->group, *modifier);
        if (!slot->optional) {
            if (!takes)
                return false;
            modifier++;
        } else if (takes && match_in_order(slot + 1, slot_end, modifier + 1, modifier_end)) {
            return true;
        }
    }
    return modifier == modifier_end;
}

/* ---- any order ------------------------------------------------------------------------------- */

typedef struct Fit {
    const FormInfo *form;
    const Op *op;
    uint32_t taken;             /* bit m: modifiers[m] has its slot */
    unsigned name_next;         /* modifiers before it are the name */
} Fit;

static bool is_taken(const Fit *f, unsigned m)
{
    return f->taken >> m & 1;
}

/* The first modifier that a slot could have, or -1. One of the same kind that stands before it and
 * has no slot yet is in the way. */
static int first_for(const Fit *f, uint16_t group)
{
    for (int m = (int)f->name_next; m < f->op->modifier_count; m++) {
        if (is_taken(f, (unsigned)m) || !modifier_group_has(group, f->op->modifiers[m]))
            continue;
        uint8_t kind = ptx_modifier_order[f->op->modifiers[m]].kind;
        for (int n = 0; kind && n < m; n++) {
            if (!is_taken(f, (unsigned)n) && f->op->modifiers[n] >= 0
                && ptx_modifier_order[f->op->modifiers[n]].kind == kind)
                return -1;
        }
        return m;
    }
    return -1;
}

/* Whether what no slot took is there once more, and may be. */
static bool is_rest_repeated(const Fit *f)
{
    for (unsigned m = 0; m < f->op->modifier_count; m++) {
        if (is_taken(f, m))
            continue;
        int modifier = f->op->modifiers[m];
        bool is_repeated = false;
        for (unsigned n = 0; n < f->op->modifier_count && !is_repeated; n++)
            is_repeated = is_taken(f, n) && f->op->modifiers[n] == modifier;
        if (!is_repeated || !ptx_modifier_order[modifier].is_repeatable)
            return false;
    }
    return true;
}

static bool fit_slots(Fit *f, unsigned s)
{
    if (s == f->form->modifier_count)
        return is_rest_repeated(f);
    const FormModifier *slot = &ptx_form_modifiers[f->form->modifier_first + s];
    bool in_name = s < f->form->name_count;
    int m = in_name ? (int)f->name_next : first_for(f, slot->group);
    if (in_name
        && (m >= f->op->modifier_count || !modifier_group_has(slot->group, f->op->modifiers[m])))
        m = -1;
    if (m >= 0) {
        const Fit before = *f;
        f->taken |= UINT32_C(1) << m;
        f->name_next += in_name;
        if (fit_slots(f, s + 1))
            return true;
        *f = before;
    }
    return slot->optional && fit_slots(f, s + 1);
}

/* Cheap, and true of most forms that do not match: a mandatory modifier is missing. */
static bool lacks_mandatory(const FormInfo *form, const Op *op)
{
    for (unsigned s = 0; s < form->modifier_count; s++) {
        const FormModifier *slot = &ptx_form_modifiers[form->modifier_first + s];
        bool found = slot->optional;
        for (unsigned m = 0; m < op->modifier_count && !found; m++)
            found = modifier_group_has(slot->group, op->modifiers[m]);
        if (!found)
            return true;
    }
    return false;
}

/* The modifiers of its row, which are its name first; what else there is may be anything. */
static bool open_form_takes(const FormInfo *form, const Op *op)
{
    for (unsigned s = 0; s < form->name_count; s++) {
        const FormModifier *slot = &ptx_form_modifiers[form->modifier_first + s];
        if (s >= op->modifier_count || !modifier_group_has(slot->group, op->modifiers[s]))
            return false;
    }
    return !lacks_mandatory(form, op);
}

static bool form_takes(const Op *op, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    if (form->is_open)
        return open_form_takes(form, op);
    if (op->out_of_order) {
        Fit fit = { .form = form, .op = op };
        return !lacks_mandatory(form, op) && fit_slots(&fit, 0);
    }
    const FormModifier *slots = ptx_form_modifiers + form->modifier_first;
    return match_in_order(slots, slots + form->modifier_count, op->modifiers,
                          op->modifiers + op->modifier_count);
}

FormId ptx_form_next(const Op *op, FormId after)
{
    const OpcodeInfo *info = &ptx_opcode_info[op->opcode];
    for (unsigned id = after ? after + 1u : info->form_first;
         id < (unsigned)info->form_first + info->form_count; id++) {
        if (form_takes(op, (FormId)id))
            return (FormId)id;
    }
    return 0;
}

bool ptx_form_takes(FormId id, uint32_t operand_count)
{
    const FormInfo *form = &ptx_form_info[id];
    const FormOperand *operands = ptx_form_operands + form->operand_first;
    if (form->is_open)
        return true;
    uint32_t required = 0;
    while (required < form->operand_count && !operands[required].optional)
        required++;
    return operand_count >= required && operand_count <= form->operand_count;
}

/* ---- why none fits --------------------------------------------------------------------------- */

/* Modifiers on slots, in any order: what is left on either side is what is wrong. */
typedef struct Rough {
    int at[OP_MAX_MODIFIERS];   /* of each slot: index into Op.modifiers, -1: none */
    uint32_t taken;
    unsigned missing, extra;    /* how many */
    unsigned missing_slot, extra_at;            /* the last of them */
} Rough;

static int find_for_slot(const Rough *r, const Op *op, uint16_t group)
{
    for (int m = 0; m < op->modifier_count; m++) {
        if (!(r->taken >> m & 1) && modifier_group_has(group, op->modifiers[m]))
            return m;
    }
    return -1;
}

/* The mandatory ones choose first. */
static Rough match_roughly(const FormInfo *form, const Op *op)
{
    Rough r = { .taken = 0 };
    for (int wants_optional = 0; wants_optional < 2; wants_optional++) {
        for (unsigned s = 0; s < form->modifier_count && s < OP_MAX_MODIFIERS; s++) {
            const FormModifier *slot = &ptx_form_modifiers[form->modifier_first + s];
            if (slot->optional != wants_optional)
                continue;
            r.at[s] = find_for_slot(&r, op, slot->group);
            if (r.at[s] >= 0) {
                r.taken |= UINT32_C(1) << r.at[s];
            } else if (!slot->optional) {
                r.missing++;
                r.missing_slot = s;
            }
        }
    }
    for (unsigned m = 0; m < op->modifier_count; m++) {
        if (r.taken >> m & 1)
            continue;
        r.extra++;
        r.extra_at = m;
    }
    return r;
}

static void write_in_order(const FormInfo *form, const Op *op, const Rough *r, Misfit *misfit)
{
    size_t length = 0;
    for (unsigned s = 0; s < form->modifier_count; s++) {
        if (r->at[s] < 0)
            continue;
        const char *text = ptx_modifier_texts[op->modifiers[r->at[s]]];
        size_t more = strlen(text) + 1;
        if (length + more >= sizeof misfit->text) {
            misfit->text[0] = 0;
            return;
        }
        misfit->text[length] = '.';
        memcpy(misfit->text + length + 1, text, more);
        length += more;
    }
}

/* The modifier that holds the slot which the extra one could have, or -1. */
static int rival_of(const FormInfo *form, const Op *op, const Rough *r)
{
    for (unsigned s = 0; s < form->modifier_count; s++) {
        if (r->at[s] >= 0
            && modifier_group_has(ptx_form_modifiers[form->modifier_first + s].group,
                                  op->modifiers[r->extra_at]))
            return op->modifiers[r->at[s]];
    }
    return -1;
}

static bool is_modifier_repeated(const Op *op, unsigned at)
{
    for (unsigned m = 0; m < op->modifier_count; m++) {
        if (m != at && op->modifiers[m] == op->modifiers[at])
            return true;
    }
    return false;
}

/* Whether modifiers of one kind have their slots in the order in which they are written. */
static bool keeps_kinds(const FormInfo *form, const Op *op, const Rough *r)
{
    for (unsigned s = 0; s < form->modifier_count; s++) {
        for (unsigned t = 0; r->at[s] >= 0 && t < s; t++) {
            uint8_t kind = ptx_modifier_order[op->modifiers[r->at[s]]].kind;
            if (r->at[t] > r->at[s] && kind
                && ptx_modifier_order[op->modifiers[r->at[t]]].kind == kind)
                return false;
        }
    }
    return true;
}

static MisfitKind judge_rough(const FormInfo *form, const Op *op, const Rough *r, int *other)
{
    *other = -1;
    if (r->missing > 1 || r->extra > 1)
        return MISFIT_OTHER;
    if (r->missing)
        return r->extra ? MISFIT_REPLACED : MISFIT_MISSING;
    if (!r->extra)
        return MISFIT_ORDER;
    if (is_modifier_repeated(op, r->extra_at))
        return MISFIT_REPEATED;
    *other = rival_of(form, op, r);
    return *other >= 0 ? MISFIT_CLASH : MISFIT_EXTRA;
}

static void add_values(Misfit *misfit, uint16_t group)
{
    const GroupInfo *info = &ptx_group_info[group];
    for (unsigned i = 0; i < info->count; i++) {
        uint16_t value = ptx_group_values[info->first + i];
        bool is_known = false;
        for (unsigned k = 0; k < misfit->value_count && k < MISFIT_VALUES; k++)
            is_known |= misfit->values[k] == value;
        if (is_known)
            continue;
        if (misfit->value_count < MISFIT_VALUES)
            misfit->values[misfit->value_count] = value;
        misfit->value_count++;
    }
}

void ptx_op_find_misfit(const Op *op, Misfit *misfit)
{
    /* What is said first where several forms are near: the surest. Types that changed places may
     * mean something else. */
    static const uint8_t ranks[] = {
        [MISFIT_OTHER] = 0,   [MISFIT_REPLACED] = 1, [MISFIT_EXTRA] = 3, [MISFIT_CLASH] = 4,
        [MISFIT_MISSING] = 5, [MISFIT_REPEATED] = 6, [MISFIT_ORDER] = 7
    };
    enum { RANK_KINDS = 2 };
    uint8_t best = 0;
    const OpcodeInfo *info = &ptx_opcode_info[op->opcode];
    *misfit = (Misfit){ .modifier = -1, .other = -1 };
    for (unsigned i = 0; i < info->form_count; i++) {
        const FormInfo *form = &ptx_form_info[info->form_first + i];
        if (form->until_version || form->is_open)
            continue;
        Rough r = match_roughly(form, op);
        int other;
        MisfitKind kind = judge_rough(form, op, &r, &other);
        int modifier = r.extra ? op->modifiers[r.extra_at] : -1;
        uint8_t rank = kind == MISFIT_ORDER && !keeps_kinds(form, op, &r) ? RANK_KINDS
                                                                          : ranks[kind];
        if (rank > best) {
            best = rank;
            *misfit = (Misfit){ .kind = kind, .form = (FormId)(info->form_first + i), .modifier = modifier, .other = other };
            if (kind == MISFIT_ORDER)
                write_in_order(form, op, &r, misfit);
        }
        if (rank == best && r.missing && modifier == misfit->modifier)
            add_values(misfit, ptx_form_modifiers[form->modifier_first + r.missing_slot].group);
    }
}
