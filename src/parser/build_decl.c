/* Declarations: what stands before the name, dimensions, initialisers. */
#include "parser/build_shared.h"
#include "support/choice.h"

#include <stdlib.h>

void ptx_build_attribute(Parser *p, Token word, bool has_numbers)
{
    Span here = ptx_token_span(word);
    if (has_numbers) {
        ptx_build_need_version(p, here, "`.unified`", 80);
        if (p->header.version >= 80)
            ptx_build_need_target(p, here, "`.unified`", 90);
    } else {
        ptx_build_need_version(p, here, "`.attribute`", 40);
        if (p->header.version >= 40)
            ptx_build_need_target(p, here, "`.managed`", 30);
    }
    if (!span_equals(p, here, has_numbers ? ".unified" : ".managed"))
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, here, "there is no attribute `%.*s`%s",
                 span_length_of(here), span_text_of(p, here),
                 ptx_text_if(has_numbers, " with two numbers"))
            ->help = "attributes are .managed and .unified(number, number)";
}

Prefix *ptx_prefix_new(Parser *p, Token first)
{
    Prefix *prefix = ptx_arena_new(p->arena, Prefix);
    prefix->span = ptx_token_span(first);
    prefix->vector = 1;
    return prefix;
}

/* PTX has one order: linkage; state space, alignment, attribute; vector; type; .ptr with its own
 * space and alignment. last: the last stage that it may follow; next: the one that it makes. */
static void prefix_extend(Parser *p, Prefix *prefix, Token word, PrefixStage last, PrefixStage next)
{
    Span here = ptx_token_span(word);
    prefix->span = ptx_span_join(prefix->span, here);
    if (next != PREFIX_LINKAGE && !ptx_span_length(prefix->detail))
        prefix->detail = here;
    if (prefix->stage <= last) {
        prefix->stage = (uint8_t)next;
        return;
    }
    if (!prefix->is_misplaced)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, here, "`%.*s` is not allowed here",
                 span_length_of(here), span_text_of(p, here))
            ->help = "a declaration is .visible (or another linkage), state space and .align, .v2 "
                     "or .v4, type, in this order; each once";
    prefix->is_misplaced = true;
}

void ptx_prefix_attribute(Parser *p, Prefix *prefix, Token word)
{
    prefix_extend(p, prefix, word, PREFIX_SPACE, PREFIX_SPACE);
    prefix->has_attribute = true;
}

static Linkage linkage_of(const Parser *p, Span word)
{
    if (span_equals(p, word, ".extern"))
        return LINKAGE_EXTERN;
    if (span_equals(p, word, ".visible"))
        return LINKAGE_VISIBLE;
    return span_equals(p, word, ".weak") ? LINKAGE_WEAK : LINKAGE_COMMON;
}

void ptx_prefix_linkage(Parser *p, Prefix *prefix, Token word)
{
    prefix_extend(p, prefix, word, PREFIX_NOTHING, PREFIX_LINKAGE);
    prefix->linkage = linkage_of(p, ptx_token_span(word));
    if (prefix->linkage == LINKAGE_WEAK)
        ptx_build_need_version(p, ptx_token_span(word), "`.weak`", 31);
    if (prefix->linkage == LINKAGE_COMMON)
        ptx_build_need_version(p, ptx_token_span(word), "`.common`", 50);
}

/* .const[N], of PTX 1.5 to 2.1: bank 0 is what .const means, the others hold external arrays
 * without a size. */
static void read_bank(Parser *p, Prefix *prefix, Span span)
{
    uint16_t version = p->header.version;
    uint32_t bank = (uint32_t)strtoul(span_text_of(p, span) + strlen(".const["), NULL, 10);
    prefix->has_bank = bank != 0;
    if (bank > 10)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, span, "there are constant banks 0 to 10");
    else if (version > 21)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, span,
                 "constant banks were removed in PTX 2.2; this module says %d.%d", version / 10,
                 version % 10)
            ->help = "write `.const`";
    else if (bank)
        ptx_build_need_version(p, span, "a constant bank", 15);
}

void ptx_prefix_space(Parser *p, Prefix *prefix, Token word)
{
    const PrefixStage stage = prefix->is_pointer && !prefix->pointer_align ? PREFIX_POINTER
                                                                           : PREFIX_SPACE;
    prefix_extend(p, prefix, word, stage, stage);
    const char *name = span_text_of(p, ptx_token_span(word)) + 1;
    size_t length = ptx_span_length(ptx_token_span(word)) - 1;
    if (name[length - 1] == ']') {
        read_bank(p, prefix, ptx_token_span(word));
        length = strlen("const");
    }
    Space space = ptx_space_find(name, length);
    if (prefix->is_pointer && !prefix->pointer_space)
        prefix->pointer_space = space;
    else if (!prefix->space)
        prefix->space = space;
    else if (!prefix->is_misplaced)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, ptx_token_span(word),
                 "a second state space in one declaration");
}

void ptx_prefix_align(Parser *p, Prefix *prefix, Token number)
{
    /* entry(.param .b32 .align 4 x) */
    bool is_behind = prefix->is_pointer || prefix->stage == PREFIX_TYPE;
    const PrefixStage stage = is_behind ? PREFIX_POINTER : PREFIX_SPACE;
    prefix_extend(p, prefix, number, stage, stage);
    prefix->is_aligned_behind |= is_behind && !prefix->is_pointer;
    if (!ptx_build_is_integer(span_text_of(p, ptx_token_span(number)),
                              ptx_span_length(ptx_token_span(number))))
        return;
    uint32_t align = ptx_build_small(p, number);
    if (!align || (align & (align - 1))) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, ptx_token_span(number),
                 "an alignment must be a power of two, not %u", (unsigned)align)
            ->help = "1, 2, 4, 8, 16, ... bytes";
        return;
    }
    if (prefix->is_pointer)
        prefix->pointer_align = align;
    else
        prefix->align = align;
}

void ptx_prefix_pointer(Parser *p, Prefix *prefix, Token word)
{
    prefix_extend(p, prefix, word, PREFIX_TYPE, PREFIX_POINTER);
    prefix->is_pointer = true;
}

void ptx_prefix_modifier(Parser *p, Prefix *prefix, Token word)
{
    const char *name = span_text_of(p, ptx_token_span(word)) + 1;
    uint32_t length = ptx_span_length(ptx_token_span(word)) - 1;
    Type type = ptx_type_find(name, length);
    if (type)
        prefix_extend(p, prefix, word, PREFIX_VECTOR, PREFIX_TYPE);
    else
        prefix_extend(p, prefix, word, PREFIX_SPACE, PREFIX_VECTOR);
    if (type) {
        prefix->type = type;
        return;
    }
    if (length == 2 && name[0] == 'v' && (name[1] == '2' || name[1] == '4' || name[1] == '8')) {
        prefix->vector = (uint8_t)(name[1] - '0');
        return;
    }
    ptx_diag(p->diags, DIAG_BAD_DECLARATION, ptx_token_span(word),
             "`%.*s` is neither a type nor a directive of a declaration",
             span_length_of(ptx_token_span(word)), span_text_of(p, ptx_token_span(word)));
    ptx_build_mark_error(p);
}

static bool is_one_word(const Parser *p, Span span)
{
    for (uint32_t i = span.begin; i < span.end; i++) {
        char c = p->text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
              || c == '_'))
            return false;
    }
    return true;
}

Dims *ptx_dims_add(Parser *p, Dims *dims, AstOperand *size, Token end)
{
    if (!dims)
        dims = ptx_arena_new(p->arena, Dims);
    dims->span = ptx_span_join(dims->span, ptx_token_span(end));
    uint64_t value = size != NULL;      /* after a mistake: no array without a bound */
    if (size && size->kind != AST_INT) {
        if (size->kind != AST_BAD)
            ptx_diag(p->diags, DIAG_BAD_DECLARATION, size->span,
                     "an array bound is an integer constant");
    } else if (size && !(size->flags & AST_UNSIGNED) && (int64_t)size->value < 0) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, size->span, "an array bound is not negative");
    } else if (size && !is_one_word(p, size->span)) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, size->span,
                 "an array bound is one number; `%.*s` is an expression",
                 span_length_of(size->span), span_text_of(p, size->span))
            ->help = ptx_diag_text(p->diags, "write %llu", (unsigned long long)size->value);
        value = size->value;
    } else if (size) {
        value = size->value;
    }
    if (dims->has_more)
        return dims;
    if (dims->count == AST_MAX_DIMS) {
        dims->has_more = true;
        ptx_diag(p->diags, DIAG_TOO_LARGE, ptx_token_span(end),
                 "an array has at most %d dimensions", (int)AST_MAX_DIMS);
        return dims;
    }
    dims->sizes[dims->count++] = value;
    return dims;
}

AstDecl *ptx_decl_new(Parser *p, Token name, const Dims *dims)
{
    AstDecl *decl = ptx_arena_new(p->arena, AstDecl);
    decl->name = decl->span = ptx_token_span(name);
    decl->element_count = 1;
    if (!dims)
        return decl;
    decl->span = ptx_span_join(ptx_token_span(name), dims->span);
    decl->dim_count = dims->count;
    decl->dims = ptx_arena_array(p->arena, uint64_t, dims->count);
    for (uint8_t i = 0; i < dims->count; i++) {
        decl->dims[i] = dims->sizes[i];
        if (__builtin_mul_overflow(decl->element_count, dims->sizes[i], &decl->element_count))
            decl->element_count = UINT64_MAX;
    }
    return decl;
}

AstDecl *ptx_decl_range(Parser *p, Token name, Token count, Token end)
{
    AstDecl *decl = ptx_decl_new(p, name, NULL);
    bool is_unsigned;
    decl->span = ptx_span_join(ptx_token_span(name), ptx_token_span(end));
    decl->reg_count = ptx_build_integer(p, ptx_token_span(count), &is_unsigned);
    if (decl->reg_count > UINT32_MAX)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, ptx_token_span(count),
                 "a range has at most 4294967295 registers");
    decl->is_empty_range = !decl->reg_count;
    return decl;
}

/* *has_names: something in it is not a number. */
static uint32_t count_scalars(const AstOperand *value, bool *has_names)
{
    if (value->kind != AST_VECTOR) {
        *has_names |= value->kind != AST_INT && value->kind != AST_F32 && value->kind != AST_F64;
        return 1;
    }
    uint32_t count = 0;
    for (const AstOperand *element = value->child; element; element = element->next)
        count += count_scalars(element, has_names);
    return count;
}

void ptx_decl_init(Parser *p, AstDecl *decl, Token assign, AstOperand *value)
{
    (void)assign;
    decl->init_value = value;
    p->open_lists = p->closed_lists = NULL;
    decl->init = value->span;
    decl->init_count = count_scalars(value, &decl->init_has_names) + p->skipped_integers;
    p->skipped_integers = 0;
    decl->span = ptx_span_join(decl->span, value->span);
}

void ptx_decl_prefix(Parser *p, AstDecl *decl, const Prefix *prefix)
{
    decl->span = ptx_span_join(prefix->span, decl->span);
    decl->space = prefix->space;
    decl->type = prefix->type;
    decl->linkage = prefix->linkage;
    decl->vector = prefix->vector;
    decl->align = prefix->align;
    decl->is_pointer = prefix->is_pointer;
    decl->pointer_space = prefix->pointer_space;
    decl->pointer_align = prefix->pointer_align;
    if (!decl->space)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, prefix->span,
                 "this declaration names no state space");
    else if (!decl->type)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, prefix->span, "this declaration names no type");
    else if (prefix->has_attribute && decl->space != SPACE_GLOBAL)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, prefix->span,
                 ".attribute is for variables in .global space");
    else if (prefix->has_bank && (decl->linkage != LINKAGE_EXTERN || decl->element_count))
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, decl->span,
                 "constant banks 1 to 10 hold `.extern` arrays without a size");
    decl->is_aligned_behind = prefix->is_aligned_behind;
    decl->has_attribute = prefix->has_attribute;
}

AstStmt *ptx_build_add_stmt(Parser *p, AstStmtKind kind, Span span)
{
    AstStmt *stmt = ptx_arena_new(p->arena, AstStmt);
    stmt->kind = (uint8_t)kind;
    stmt->span = span;
    if (p->stmt_tail) {
        *p->stmt_tail = stmt;
        p->stmt_tail = &stmt->next;
    }
    return stmt;
}

void ptx_build_declarations(Parser *p, const Prefix *prefix, DeclList list, Token end)
{
    AstDecl *first = open_decls(list);
    for (AstDecl *decl = first; decl; decl = decl->next)
        ptx_decl_prefix(p, decl, prefix);
    if (p->func)
        ptx_build_add_stmt(p, AST_DECL, ptx_span_join(prefix->span, ptx_token_span(end)))->decl =
            first;
    else
        ptx_build_add_item(p)->decl = first;
}
