#include "check/explain.h"

#include "support/words.h"
#include "support/choice.h"
#include "isa/isa.h"
#include "support/diag.h"
#include "ir/func.h"

#include <string.h>

/* Suggestions are for those who write PTX, not for a file full of mistakes. */
enum { MAX_SUGGESTIONS = 1000 };

/* The best candidate so far, and another one that is as near. */
typedef struct ExplainNearest {
    const char *text, *other;
    size_t length, other_length;
    unsigned distance, count;   /* count: of those that are as near */
    const Symbol *symbol;       /* or NULL */
} ExplainNearest;

static void consider(ExplainNearest *best, const char *wanted, size_t wanted_length,
                     const char *text, size_t length, const Symbol *symbol)
{
    unsigned distance = ptx_edit_distance(wanted, wanted_length, text, length);
    const size_t shorter = length < wanted_length ? length : wanted_length;
    if (!distance || distance > best->distance || distance >= shorter)
        return;         /* nothing of it would be left */
    if (distance < best->distance || !best->count) {
        *best = (ExplainNearest){
            .text = text, .length = length, .distance = distance, .count = 1, .symbol = symbol
        };
        return;
    }
    bool is_same = best->length == length && !memcmp(best->text, text, length);
    bool is_other = best->other && best->other_length == length
                    && !memcmp(best->other, text, length);
    if (is_same || is_other)
        return;
    best->count++;
    best->other = text;
    best->other_length = length;
}

static void suggest(DiagSink *sink, Diag *diag, const ExplainNearest *best, const char *dot,
                    Span place)
{
    if (best->count == 2)
        diag->help = ptx_diag_text(sink, "did you mean `%s%.*s` or `%s%.*s`?", dot,
                                   (int)best->length, best->text, dot, (int)best->other_length,
                                   best->other);
    if (best->count != 1)
        return;
    diag->help = ptx_diag_text(sink, "did you mean `%s%.*s`?", dot, (int)best->length, best->text);
    if (ptx_span_length(place))
        ptx_diag_fix(sink, diag, place, false, "%.*s", (int)best->length, best->text);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Where N of `%r<N>` stands, behind the stem; empty where a comment is between. */
static Span range_count(const char *text, const Symbol *range)
{
    uint32_t i = range->name.end;
    while (text[i] == ' ' || text[i] == '\t' || text[i] == '<')
        i++;
    Span count = { i, i };
    while (text[count.end] >= '0' && text[count.end] <= '9')
        count.end++;
    return count;
}

/* %r12 of `%r<10>`. */
static bool explain_range(DiagSink *sink, Diag *diag, const Names *names, Span name)
{
    const char *text = names->text + name.begin;
    size_t length = ptx_span_length(name), stem = ptx_stem_length(text, (uint32_t)length);
    if (stem == length || length - stem > 9)
        return false;
    const Symbol *range = ptx_names_find(names, NAMES_RANGE, text, stem);
    if (!range)
        return false;
    Span count = range_count(names->text, range);
    unsigned index = 0;
    for (size_t i = stem; i < length; i++)
        index = 10 * index + (unsigned)(text[i] - '0');
    unsigned declared = 0;
    for (uint32_t i = count.begin; i < count.end && declared < UINT32_MAX / 16; i++)
        declared = 10 * declared + (unsigned)(names->text[i] - '0');
    if (declared)
        ptx_diag_relate(sink, diag, (Span){ range->name.begin, count.end },
                        "this declares `%.*s0` to `%.*s%u`", (int)stem, text, (int)stem, text,
                        declared - 1);
    else
        ptx_diag_relate(sink, diag, range->name, "the range that it is beyond");
    if (text[stem] == '0' && length - stem > 1) {
        diag->help = "an index has no leading zero";
    } else if (ptx_span_length(count)) {
        diag->help = ptx_diag_text(sink, "declare `%.*s<%u>`, or use a register that there is",
                                   (int)stem, text, index + 1);
        ptx_diag_fix(sink, diag, count, false, "%u", index + 1);
    }
    return true;
}

static ExplainNearest nearest_symbol(const Names *names, Namespace space, const char *text,
                                     size_t length)
{
    ExplainNearest best = { .distance = length < 4 ? 1 : 2 };
    for (uint32_t id = 1; id < names->symbol_count; id++) {
        const Symbol *symbol = &names->symbols[id];
        if (symbol->space == (uint8_t)space && symbol->kind != SYMBOL_UNDECLARED)
            consider(&best, text, length, names->text + symbol->name.begin,
                     ptx_span_length(symbol->name), symbol);
    }
    return best;
}

static void consider_sregs(ExplainNearest *best, const char *text, size_t length)
{
    static const char *const sregs[] = {
#define SR(id, text, ...) "%" text,
#include "isa/sregs.def"
#undef SR
    };
    for (size_t i = 0; *text == '%' && i < sizeof sregs / sizeof *sregs; i++)
        consider(best, text, length, sregs[i], strlen(sregs[i]), NULL);
}

void ptx_explain_name(DiagSink *sink, Diag *diag, const Names *names, Span name)
{
    if (sink->count > MAX_SUGGESTIONS || ptx_diag_is_dropped(sink, diag)
        || explain_range(sink, diag, names, name))
        return;
    const char *text = names->text + name.begin;
    size_t length = ptx_span_length(name);
    ExplainNearest best = nearest_symbol(names, NAMES_ORDINARY, text, length);
    consider_sregs(&best, text, length);
    suggest(sink, diag, &best, "", name);
    if (best.count == 1 && best.symbol)
        ptx_diag_relate(sink, diag, best.symbol->name, "declared here");
}

void ptx_explain_label(DiagSink *sink, Diag *diag, const Names *names, Span name,
                       const Label *labels, uint32_t label_count)
{
    if (sink->count > MAX_SUGGESTIONS || ptx_diag_is_dropped(sink, diag))
        return;
    const char *text = names->text + name.begin;
    size_t length = ptx_span_length(name);
    for (uint32_t i = 0; i < label_count; i++) {
        if (ptx_span_length(labels[i].name) == length
            && !memcmp(names->text + labels[i].name.begin, text, length)) {
            ptx_diag_relate(sink, diag, labels[i].name,
                            "it stands inside `{ }`, and is not seen from outside");
            diag->help = "a branch goes to a label of its own scope or of one around it";
            return;
        }
    }
    ExplainNearest best = nearest_symbol(names, NAMES_LABEL, text, length);
    suggest(sink, diag, &best, "", name);
    if (best.count == 1)
        ptx_diag_relate(sink, diag, best.symbol->name, "this one stands here");
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static ExplainNearest nearest_opcode(const char *text, size_t length)
{
    ExplainNearest best = { .distance = length < 4 ? 1 : 2 };
    for (OpcodeId id = 1; id < ptx_opcode_count; id++)
        consider(&best, text, length, ptx_opcode_info[id].text, strlen(ptx_opcode_info[id].text),
                 NULL);
    return best;
}

static ExplainNearest nearest_modifier(const Op *op, const char *text, size_t length)
{
    ExplainNearest best = { .distance = length < 4 ? 1 : 2 };
    const OpcodeInfo *opcode = &ptx_opcode_info[op->opcode];
    for (unsigned f = 0; f < opcode->form_count; f++) {
        const FormInfo *form = &ptx_form_info[opcode->form_first + f];
        for (unsigned s = 0; s < form->modifier_count; s++) {
            const GroupInfo *group =
                &ptx_group_info[ptx_form_modifiers[form->modifier_first + s].group];
            for (unsigned v = 0; v < group->count; v++) {
                const char *candidate = ptx_modifier_texts[ptx_group_values[group->first + v]];
                consider(&best, text, length, candidate, strlen(candidate), NULL);
            }
        }
    }
    return best;
}

void ptx_explain_op(DiagSink *sink, Diag *diag, const Op *op, Span where)
{
    if (sink->count > MAX_SUGGESTIONS || ptx_diag_is_dropped(sink, diag))
        return;
    bool is_whole = ptx_span_length(where) == op->length;
    if (op->opcode) {
        uint32_t begin = where.begin + op->unknown_at;
        ExplainNearest best = nearest_modifier(op, op->text + op->unknown_at, op->unknown_length);
        Span place = { begin, is_whole ? begin + op->unknown_length : begin };
        suggest(sink, diag, &best, ".", place);
        if (is_whole)
            diag->span = (Span){ begin - 1, place.end };
        return;
    }
    uint32_t head = 0;
    while (head < op->length && op->text[head] != '.')
        head++;
    ExplainNearest best = nearest_opcode(op->text, head);
    suggest(sink, diag, &best, "",
            (Span){ where.begin, is_whole ? where.begin + head : where.begin });
}

/* ADDRESS in brackets, pairs, optional ones in braces, as the manual writes them. */
static const char *operand_text(DiagSink *sink, const FormOperand *operand)
{
    const char *name = ptx_form_operand_name(operand);
    bool is_address = operand->role & ROLE_ADDRESS && name[0] != '[';
    const char *pair = operand->pair_optional ? "{|q}" : "|q";
    return ptx_diag_text(sink, "%s%s%s%s", ptx_text_if(is_address, "["), name,
                         ptx_text_if(operand->pair_role, pair), ptx_text_if(is_address, "]"));
}

void ptx_explain_operands(DiagSink *sink, Diag *diag, const Op *op)
{
    if (sink->count > MAX_SUGGESTIONS || ptx_diag_is_dropped(sink, diag))
        return;
    const FormInfo *form = &ptx_form_info[op->form];
    const char *text = ptx_diag_text(sink, "write `%.*s", (int)op->length, op->text);
    for (uint32_t i = 0; i < form->operand_count; i++) {
        const FormOperand *operand = &ptx_form_operands[form->operand_first + i];
        text = ptx_diag_text(sink, "%s%s%s%s%s", text, ptx_text_if(operand->optional, "{"),
                             i ? ", " : " ", operand_text(sink, operand),
                             ptx_text_if(operand->optional, "}"));
    }
    diag->help = ptx_diag_text(sink, "%s`", text);
}

void ptx_explain_gate(DiagSink *sink, Diag *diag, Span was, const char *needed)
{
    if (!ptx_span_length(was))
        return;
    ptx_diag_relate(sink, diag, was, "the module says so here");
    ptx_diag_fix(sink, diag, was, false, "%s", needed);
}
