/* Names of registers, variables, functions and labels, bound as operands refer to them. */
#include "resolve/lower.h"

#include "check/check_form.h"
#include "check/explain.h"
#include "check/sreg.h"
#include "support/digits.h"
#include "support/minmax.h"
#include "support/words.h"

#include <string.h>

static ResolveBinding range_var(Lower *l, uint32_t range_id, uint64_t index)
{
    const uint64_t key = (uint64_t)range_id << 32 ^ index;
    uint32_t *place;
    if (range_id < l->module_range_count)
        place = ptx_hash_map_at(&l->module_members, l->arena, key);
    else
        place = ptx_hash_map_at(&l->sparse, l->scratch, key);
    if (!*place)
        *place = ptx_lower_add_member(l, &l->ranges.items[range_id]) + 1;
    return (ResolveBinding){ SYMBOL_VAR, *place - 1 };
}

static ResolveBinding range_member(Lower *l, uint32_t range_id, uint64_t index, Span name)
{
    Range *range = &l->ranges.items[range_id];
    if (range->space != SPACE_REG)
        return range_var(l, range_id, index);
    uint32_t *place = range->dense ? &range->dense[index]
                                   : ptx_hash_map_at(&l->sparse, l->scratch,
                                                     (uint64_t)range_id << 32 ^ index);
    if (!*place) {
        *place = ptx_lower_add_reg(l, name, (Type)range->type, range->vector) + 1;
        l->regs.items[*place - 1].is_of_range = true;
        ptx_lower_note_member(l, range_id, *place - 1);
    }
    return (ResolveBinding){ SYMBOL_REG, *place - 1 };
}

/* What bind_range finds for `%r12` where all its digits are the index; SYMBOL_NONE: look it up in
 * full. */
static ResolveBinding bind_usual_range(Lower *l, Span name)
{
    enum { WORD_BYTES = 8 };
    const char *text = ptx_lower_text(l, name);
    const unsigned length = (unsigned)ptx_span_length(name);
    if (name.end < 2 * WORD_BYTES)
        return (ResolveBinding){ SYMBOL_NONE, 0 };
    const LastDigits index = ptx_digits_before(text + length);
    const unsigned stem = length - index.count;
    if (index.count == WORD_BYTES || index.count >= length || stem > WORD_BYTES
        || (text[stem] == '0' && index.count > 1))
        return (ResolveBinding){ SYMBOL_NONE, 0 };
    const uint64_t word = ptx_bytes_before(text + stem, stem);
    RangeMemo *memo = &l->range_memos[(uint32_t)ptx_hash_mix(word) % RANGE_MEMOS];
    if (memo->stem != word || memo->changes != l->names.range_changes) {
        const Symbol *range = ptx_names_find(&l->names, NAMES_RANGE, text, stem);
        if (!range)
            return (ResolveBinding){ SYMBOL_NONE, 0 };
        *memo = (RangeMemo){ word, range->id, l->names.range_changes };
    }
    if (index.value >= l->ranges.items[memo->range].count)
        return (ResolveBinding){ SYMBOL_NONE, 0 };
    return range_member(l, memo->range, index.value, name);
}

/* `%r12` is index 12 of stem `%r`. A stem may itself end in digits (`%r1<8>` declares %r10 to
 * %r17): every split is tried, the longest index first. An index has no leading zero. */
static ResolveBinding bind_range(Lower *l, Span name, const Symbol *single)
{
    size_t length = ptx_span_length(name), stem = length;
    const char *text = ptx_lower_text(l, name);
    while (stem > 1 && text[stem - 1] >= '0' && text[stem - 1] <= '9' && length - stem < 18)
        stem--;
    for (; stem < length; stem++) {
        if (text[stem] == '0' && stem + 1 < length)
            continue;
        const Symbol *range = ptx_names_find(&l->names, NAMES_RANGE, text, stem);
        if (!range || (single && range->scope < single->scope))
            continue;
        uint64_t index = 0;
        for (size_t i = stem; i < length; i++)
            index = 10 * index + (uint64_t)(text[i] - '0');
        if (index < l->ranges.items[range->id].count)
            return range_member(l, range->id, index, name);
    }
    return (ResolveBinding){ SYMBOL_NONE, 0 };
}

ResolveBinding ptx_lower_bind_name(Lower *l, Span name)
{
    const char *text = ptx_lower_text(l, name);
    size_t length = ptx_span_length(name);
    bool digits = text[length - 1] >= '0' && text[length - 1] <= '9', percent = text[0] == '%';
    const Symbol *single = NULL;
    if (digits && percent && !l->names.percent_digit_names) {
        ResolveBinding usual = bind_usual_range(l, name);
        if (usual.kind)
            return usual;
    }
    if (!digits || !percent || l->names.percent_digit_names)
        single = ptx_names_find(&l->names, NAMES_ORDINARY, text, length);
    if (digits && (percent || !single)) {
        ResolveBinding range = bind_range(l, name, single);
        if (range.kind)
            return range;
    }
    return single ? (ResolveBinding){ (SymbolKind)single->kind, single->id }
                  : (ResolveBinding){ SYMBOL_NONE, 0 };
}

/* Of a declaration that are looked at; of names of a module that are looked for. */
enum { MAX_LOST_BYTES = 512, MAX_LOST_LOOKUPS = 4096 };

/* Whether a word of the text has the name's stem. */
static bool has_stem(const char *text, uint32_t length, const char *stem, uint32_t stem_bytes)
{
    for (uint32_t at = 0, end; at < length; at = end + 1) {
        for (end = at; end < length && ptx_is_name_byte(text[end]);)
            end++;
        if (end > at && ptx_stem_length(text + at, end - at) == stem_bytes
            && !memcmp(text + at, stem, stem_bytes))
            return true;
    }
    return false;
}

/* A name of a declaration that could not be read: that was reported where it stands. */
static bool is_lost(Lower *l, Span name)
{
    if (!l->ast || !l->ast->lost_count || l->lost_lookups++ >= MAX_LOST_LOOKUPS)
        return false;
    const char *text = ptx_lower_text(l, name);
    uint32_t stem = ptx_stem_length(text, ptx_span_length(name));
    bool found = false;
    for (uint32_t i = 0; i < l->ast->lost_count && !found; i++) {
        const Span lost = l->ast->lost[i];
        const uint32_t length = ptx_u32_min(ptx_span_length(lost), MAX_LOST_BYTES);
        found = has_stem(ptx_lower_text(l, lost), length, text, stem);
    }
    return found;
}

static RegId undeclared(Lower *l, Span name)
{
    if (!is_lost(l, name)) {
        Diag *diag = ptx_diag(l->diags, DIAG_UNDECLARED, name, "`%.*s` is not declared",
                              ptx_shown(ptx_span_length(name)), ptx_lower_text(l, name));
        ptx_explain_name(l->diags, diag, &l->names, name);
    }
    RegId reg = ptx_lower_add_reg(l, name, TYPE_NONE, 1);
    l->regs.items[reg].is_written = true;
    Symbol *earlier;
    ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_UNDECLARED, name, reg, &earlier);
    return reg;
}

/* What no instruction takes of a name. */
static BoundOperand misplaced(Lower *l, const AstOperand *ast, const char *why)
{
    ptx_diag(l->diags, DIAG_BAD_EXPRESSION, ast->span, "%s", why);
    return (BoundOperand){ .kind = OPERAND_UNKNOWN, .id = NO_ID };
}

BoundOperand ptx_lower_bind_operand(Lower *l, const AstOperand *ast)
{
    Span name = { ast->name, ast->name + ast->name_length };
    BoundOperand operand = { .kind = OPERAND_UNKNOWN, .value = (int64_t)ast->value };
    if (ast->flags & (AST_GENERIC | AST_MASK))
        return misplaced(l, ast, "generic() and byte masks are for initialisers");
    if (ast->name_length == 1 && *ptx_lower_text(l, name) == '_') {
        operand.kind = OPERAND_SINK;
        return operand;
    }
    ResolveBinding binding = ptx_lower_bind_name(l, name);
    operand.id = binding.id;
    if (l->log && binding.kind && binding.kind != SYMBOL_UNDECLARED)
        ptx_lower_note_use(l, binding.kind, binding.id, name);
    const char *suffix = ptx_lower_text(l, name) + ast->name_length;
    switch (binding.kind) {
    case SYMBOL_REG: case SYMBOL_UNDECLARED:
        operand.kind = binding.kind == SYMBOL_REG ? OPERAND_REG : OPERAND_UNKNOWN;
        if (ast->suffix_length && l->regs.items[binding.id].vector > 1)
            operand.flags |= OPERAND_COMPONENT;
        else if (ast->suffix_length && ptx_part_read(suffix, ast->suffix_length, &operand.value))
            operand.flags |= OPERAND_PART;
        return operand;
    case SYMBOL_VAR:
        operand.kind = OPERAND_VAR;
        if (ast->flags & AST_INDEXED) {
            const Var *var = &l->module->vars[binding.id];
            if (!var->is_array)
                return misplaced(l, ast, "only arrays are indexed, and this variable is not one");
            const uint64_t bits = ptx_type_info[var->type].bits, bytes = (bits + 7) / 8;
            operand.value = (int64_t)((uint64_t)operand.value * bytes * var->vector);
        }
        return operand;
    case SYMBOL_FUNC:
        operand.kind = OPERAND_FUNCTION;
        l->func->has_calls = true;
        return operand;
    default:
        break;
    }
    int64_t component;
    SregId sreg = ptx_sreg_find(ptx_lower_text(l, name), ast->name_length, suffix,
                                ast->suffix_length, &component);
    if (sreg) {
        operand.kind = OPERAND_SREG;
        operand.id = sreg;
        operand.value = component;
        if (sreg == SREG_TID && component > l->func->tid_component)
            l->func->tid_component = (uint8_t)component;
        ptx_check_sreg(l->diags, l->module, sreg, name);
        return operand;
    }
    operand.id = undeclared(l, name);
    return operand;
}

LabelId ptx_lower_bind_label(Lower *l, const AstOperand *ast)
{
    if (ast->kind != AST_NAME)
        return NO_ID;
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_LABEL, l->text + ast->name,
                                          ast->name_length);
    if (!symbol)
        return NO_ID;
    l->labels.items[symbol->id].is_used = true;
    ptx_lower_note_use(l, SYMBOL_LABEL, symbol->id,
                       (Span){ ast->name, ast->name + ast->name_length });
    return symbol->id;
}
