#include "isa/manual.h"

enum { LINE_MAX_BYTES = 1024 };         /* of a form in words; a test holds every form to it */

/* Text in a room of its own; what does not fit is left out. */
typedef struct ManualLine {
    char text[LINE_MAX_BYTES];
    size_t length;
} ManualLine;

static void put_manual(ManualLine *line, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof line->text - line->length)
        return;
    memcpy(line->text + line->length, text, length + 1);
    line->length += length;
}

static const char *copy_manual_line(Arena *arena, const ManualLine *line)
{
    return ptx_arena_strndup(arena, line->text, line->length);
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static bool group_has(const GroupInfo *group, int modifier)
{
    for (unsigned v = 0; v < group->count; v++)
        if (ptx_group_values[group->first + v] == modifier)
            return true;
    return false;
}

static const GroupInfo *slot_group(const FormInfo *form, unsigned slot)
{
    return &ptx_group_info[ptx_form_modifiers[form->modifier_first + slot].group];
}

/* The name of a group, or its one modifier. */
static const char *group_text(const GroupInfo *group)
{
    return group->name ? group->name : ptx_modifier_texts[ptx_group_values[group->first]];
}

/* Gives modifier m and those behind it slots of their own. Types keep their order: set.u32.f32 is
 * not set.f32.u32. Few slots take one modifier, so there is little to try. */
static bool place_modifier(const FormInfo *form, const Op *op, unsigned m, unsigned type_first,
                           uint32_t taken)
{
    if (m == op->modifier_count)
        return true;
    if (op->modifiers[m] < 0)
        return false;
    const char *text = ptx_modifier_texts[op->modifiers[m]];
    bool is_type = ptx_type_find(text, strlen(text)) != TYPE_NONE;
    unsigned first = is_type ? type_first : 0;
    for (unsigned s = first; s < form->modifier_count; s++)
        if (!(taken >> s & 1) && group_has(slot_group(form, s), op->modifiers[m])
            && place_modifier(form, op, m + 1, is_type ? s + 1 : type_first,
                              taken | (uint32_t)1 << s))
            return true;
    return false;
}

bool ptx_form_admits(FormId id, const Op *op)
{
    const FormInfo *form = &ptx_form_info[id];
    return form->opcode == op->opcode && form->modifier_count <= OP_MAX_MODIFIERS
           && place_modifier(form, op, 0, 0, 0);
}

const char *ptx_form_modifiers_text(Arena *arena, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    ManualLine line = { .length = 0 };
    put_manual(&line, ptx_opcode_info[form->opcode].text);
    for (unsigned s = 0; s < form->modifier_count; s++) {
        bool is_optional = ptx_form_modifiers[form->modifier_first + s].optional;
        put_manual(&line, is_optional ? "{." : ".");
        put_manual(&line, group_text(slot_group(form, s)));
        put_manual(&line, is_optional ? "}" : "");
    }
    return copy_manual_line(arena, &line);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The table has no names for them: all are predicates, and the manual calls them p, or q behind a
 * p. */
const char *ptx_operand_pair_text(const FormOperand *o)
{
    if (!o->pair_role)
        return NULL;
    return strcmp(ptx_form_operand_name(o), "p") ? "p" : "q";
}

static void put_manual_operand(ManualLine *line, const FormOperand *o, bool is_first)
{
    bool is_address = (o->role & ROLE_ADDRESS) != 0;
    put_manual(line, o->optional ? "{" : "");
    put_manual(line, is_first ? "" : ", ");
    put_manual(line, o->negatable ? "{!}" : "");
    put_manual(line, is_address ? "[" : "");
    put_manual(line, ptx_form_operand_name(o));
    put_manual(line, is_address ? "]" : "");
    if (o->pair_role) {
        put_manual(line, o->pair_optional ? "{|" : "|");
        put_manual(line, ptx_operand_pair_text(o));
        put_manual(line, o->pair_optional ? "}" : "");
    }
    put_manual(line, o->optional ? "}" : "");
}

const char *ptx_form_operands_text(Arena *arena, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    ManualLine line = { .length = 0 };
    if (!strcmp(ptx_opcode_info[form->opcode].text, "call"))
        /* its operands are those of the function: the table has none */
        return "{(ret), }f{, (args)}{, proto}";
    if (form->is_open)
        return "...";
    for (unsigned i = 0; i < form->operand_count; i++)
        put_manual_operand(&line, &ptx_form_operands[form->operand_first + i], i == 0);
    return copy_manual_line(arena, &line);
}

static bool is_type_group(const GroupInfo *group)
{
    for (unsigned v = 0; v < group->count; v++) {
        const char *text = ptx_modifier_texts[ptx_group_values[group->first + v]];
        if (!ptx_type_find(text, strlen(text)))
            return false;
    }
    return true;
}

static const char *dotted(Arena *arena, const char *text)
{
    ManualLine line = { .length = 0 };
    put_manual(&line, ".");
    put_manual(&line, text);
    return copy_manual_line(arena, &line);
}

const char *ptx_form_type_text(Arena *arena, FormId id)
{
    const FormInfo *form = &ptx_form_info[id];
    for (unsigned s = form->modifier_count; s-- > 0;)
        if (is_type_group(slot_group(form, s)))
            return dotted(arena, group_text(slot_group(form, s)));
    return NULL;
}

/* The n-th type that the instruction writes. */
static const char *written_type_text(Arena *arena, const FormInfo *form, unsigned n)
{
    for (unsigned s = 0; s < form->modifier_count; s++)
        if (is_type_group(slot_group(form, s)) && !n--)
            return dotted(arena, group_text(slot_group(form, s)));
    return "";
}

const char *ptx_operand_type_text(Arena *arena, FormId id, const FormOperand *o)
{
    const char *own;
    switch (o->type) {
    case OPERAND_IMM:    return "constant";
    case OPERAND_LABEL:  return "label";
    case OPERAND_FUNC:   return "function";
    case OPERAND_PARAMS: return "parameters";
    case OPERAND_ANY:    return "";
    case OPERAND_ANY32:  return "32 bits";
    case OPERAND_BITS16: return ".b16";
    case OPERAND_BITS32: return ".b32";
    case OPERAND_OWN: case OPERAND_COORDS:
        own = o->role & ROLE_ADDRESS && o->type == OPERAND_OWN ? NULL
                                                               : ptx_form_type_text(arena, id);
        return own ? own : "";
    default:
        if (o->type >= OPERAND_GROUP)
            return written_type_text(arena, &ptx_form_info[id], o->type - (unsigned)OPERAND_GROUP);
        return o->type < TYPE__COUNT ? dotted(arena, ptx_type_info[o->type].text) : "";
    }
}

/* ---- forms that are alike -------------------------------------------------------------------- */

static bool operand_is_like(const FormOperand *a, const FormOperand *b)
{
    return a->name == b->name && a->element_set == b->element_set
           && a->elements == b->elements && a->range == b->range && a->next_range == b->next_range
           && a->role == b->role && a->pair_role == b->pair_role && a->type == b->type
           && a->optional == b->optional && a->pair_optional == b->pair_optional
           && a->negatable == b->negatable && a->is_register == b->is_register;
}

bool ptx_form_is_like(FormId id, FormId other)
{
    const FormInfo *a = &ptx_form_info[id], *b = &ptx_form_info[other];
    bool is_like = a->opcode == b->opcode && a->modifier_count == b->modifier_count
                   && a->operand_count == b->operand_count;
    for (unsigned s = 0; is_like && s < a->modifier_count; s++) {
        const FormModifier *p = &ptx_form_modifiers[a->modifier_first + s],
                           *q = &ptx_form_modifiers[b->modifier_first + s];
        is_like = p->group == q->group && p->optional == q->optional;
    }
    for (unsigned i = 0; is_like && i < a->operand_count; i++)
        is_like = operand_is_like(&ptx_form_operands[a->operand_first + i],
                                  &ptx_form_operands[b->operand_first + i]);
    return is_like;
}

/* ---- what it does ---------------------------------------------------------------------------- */

static bool is_written(const Op *op, int modifier)
{
    for (unsigned m = 0; op && m < op->modifier_count; m++)
        if (op->modifiers[m] == modifier)
            return true;
    return false;
}

/* Whether every instruction of the form has the modifier, or some. */
static bool form_has(const FormInfo *form, int modifier, bool always)
{
    for (unsigned s = 0; s < form->modifier_count; s++) {
        const GroupInfo *group = slot_group(form, s);
        bool may_miss = ptx_form_modifiers[form->modifier_first + s].optional || group->count > 1;
        if (group_has(group, modifier) && !(always && may_miss))
            return true;
    }
    return false;
}

static bool row_fits(const SemanticInfo *info, FormId id, const Op *op)
{
    bool fits = info->opcode == ptx_form_info[id].opcode;
    for (unsigned n = 0; fits && n < info->need_count; n++)
        fits = is_written(op, info->needs[n]) || form_has(&ptx_form_info[id], info->needs[n], true);
    return fits;
}

const SemanticInfo *ptx_semantic_find(FormId id, const Op *op)
{
    const SemanticInfo *best = NULL;
    for (uint16_t i = 0; i < ptx_semantic_count; i++) {
        const SemanticInfo *info = &ptx_semantic_info[i];
        if ((!best || info->need_count > best->need_count) && row_fits(info, id, op))
            best = info;
    }
    return best;
}

bool ptx_semantic_may_be(const SemanticInfo *info, FormId id, const Op *op)
{
    Op wanted = *op;
    if (info->opcode != op->opcode)
        return false;
    for (unsigned n = 0; n < info->need_count; n++)
        if (!is_written(op, info->needs[n]) && wanted.modifier_count < OP_MAX_MODIFIERS)
            wanted.modifiers[wanted.modifier_count++] = info->needs[n];
    return ptx_form_admits(id, &wanted);
}
