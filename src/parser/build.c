#include "parser/build.h"
#include "parser/fold.h"
#include "support/minmax.h"
#include "support/choice.h"

#include <errno.h>
#include <stdlib.h>

static void mark_syntax_error(Parser *p)
{
    p->syntax_errors++;
    if (p->func)
        p->func->has_syntax_error = true;
}

/* ---- lists: from circular to open ------------------------------------------------------------ */

#define DEFINE_LIST_OPEN(name, Item, List)                \
    static Item *name(List list)                          \
    {                                                     \
        Item *first = list.last ? list.last->next : NULL; \
        if (list.last)                                    \
            list.last->next = NULL;                       \
        return first;                                     \
    }

DEFINE_LIST_OPEN(open_operands, AstOperand, OperandList)
DEFINE_LIST_OPEN(open_decls, AstDecl, DeclList)
DEFINE_LIST_OPEN(open_attributes, AstAttribute, AttributeList)

/* ---- errors ---------------------------------------------------------------------------------- */

/* At most four alternatives in words: "an operand, `,` or `;`". */
static const char *expected_text(Parser *p, const ExpectedTokens *expected)
{
    static const struct { uint8_t kind; const char *text; } marks[] = {
        { TOK_COMMA, "`,`" }, { TOK_SEMI, "`;`" }, { TOK_COLON, "`:`" }, { TOK_RBRACKET, "`]`" }, { TOK_RPAREN, "`)`" },
        { TOK_RBRACE, "`}`" }, { TOK_GT, "`>`" }, { TOK_LPAREN, "`(`" }, { TOK_LBRACE, "`{`" },
    };
    const bool *takes = expected->takes;
    const char *found[4];
    size_t count = 0;
    if (takes[TOK_AT])
        found[count++] = "a statement";
    else if (takes[TOK_ENTRY])
        found[count++] = takes[TOK_VERSION] ? "a directive" : ".entry, .func or a name";
    else if (takes[TOK_WORD] && takes[TOK_INT])
        found[count++] = "an operand";
    else if (takes[TOK_WORD])
        found[count++] = "a name";
    else if (takes[TOK_INT])
        found[count++] = "a number";
    else if (takes[TOK_STRING])
        found[count++] = "a string";
    for (size_t m = 0; m < sizeof marks / sizeof *marks && count < 4; m++) {
        if (takes[marks[m].kind] && !(takes[TOK_AT] && marks[m].kind != TOK_RBRACE)
            && !(takes[TOK_ENTRY] && takes[TOK_VERSION]))
            found[count++] = marks[m].text;
    }
    const char *text = count ? found[0] : "something else";
    for (size_t i = 1; i < count; i++)
        text = ptx_diag_text(p->diags, "%s%s%s", text, i + 1 == count ? " or " : ", ", found[i]);
    return text;
}

void ptx_build_unexpected(Parser *p, Token found, const ExpectedTokens *expected)
{
    mark_syntax_error(p);
    p->is_recovering = true;
    Span here = ptx_token_span(found), previous = ptx_token_span(p->last);
    const char *wanted = expected_text(p, expected);
    if (found.kind == TOK_EOF) {
        ptx_diag(p->diags, DIAG_UNEXPECTED, here, "expected %s, found the end of the file", wanted);
        return;
    }
    Diag *diag = ptx_diag(p->diags, DIAG_UNEXPECTED, here, "expected %s, found `%.*s`", wanted,
                          length_of(here), text_of(p, here));
    bool is_operand = found.kind == TOK_WORD || found.kind == TOK_INT || found.kind == TOK_BITS
                      || found.kind == TOK_LBRACKET || found.kind == TOK_LBRACE;
    if (is_operand && expected->takes[TOK_COMMA] && !found.first_on_line) {
        diag->help = ptx_diag_text(p->diags, "insert `,` before `%.*s`", length_of(here),
                                   text_of(p, here));
        ptx_diag_fix(p->diags, diag, (Span){ previous.end, previous.end }, false, ",");
    }
    if (ptx_span_length(previous))
        diag->label = ptx_diag_text(p->diags, "cannot follow `%.*s`", length_of(previous),
                                    text_of(p, previous));
}

void ptx_build_too_deep(Parser *p)
{
    mark_syntax_error(p);
    ptx_diag(p->diags, DIAG_TOO_DEEP, ptx_token_span(p->last),
             "nested deeper than the parser's stack of %d", (int)LIMIT_PARSER_STACK);
    p->parser_failed = true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool are_digits(const char *text, uint32_t length)
{
    uint32_t i = 0;
    while (i < length && text[i] >= '0' && text[i] <= '9')
        i++;
    return i == length;
}

/* What the scanner gives as an integer is one, or `0d0`, `12ab`, `1.5x`: a number with letters
 * behind it, diagnosed there. */
static bool is_integer_text(const char *text, uint32_t length)
{
    length -= length && text[length - 1] == 'U';
    char prefix = length > 1 && text[0] == '0' ? (char)(text[1] | 32) : 0;
    if (prefix != 'x' && prefix != 'b')
        return are_digits(text, length);
    const char *digits = prefix == 'x' ? "0123456789abcdefABCDEF" : "01";
    return length > 2 && strspn(text + 2, digits) >= length - 2;
}

/* PTX ISA, "Integer Constants": hexadecimal, octal, binary or decimal, 64 bits, `U` makes it
 * unsigned. */
static uint64_t read_integer(Parser *p, Span span, bool *is_unsigned)
{
    const char *text = text_of(p, span);
    uint32_t length = ptx_span_length(span);
    unsigned base = 10;
    uint32_t i = 0;
    *is_unsigned = length && text[length - 1] == 'U';
    length -= *is_unsigned;
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        base = 16, i = 2;
    else if (length > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        base = 2, i = 2;
    else if (length > 1 && text[0] == '0')
        base = 8, i = 1;
    uint64_t value = 0;
    for (; i < length; i++) {
        char c = text[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
        if (digit >= base)
            break;              /* 8 and 9 in an octal number; the scanner diagnosed letters */
        if (__builtin_mul_overflow(value, (uint64_t)base, &value)
            || __builtin_add_overflow(value, (uint64_t)digit, &value)) {
            ptx_diag(p->diags, DIAG_BAD_NUMBER, span, "`%.*s` does not fit 64 bits",
                     length_of(span), text);
            mark_syntax_error(p);
            return 0;
        }
    }
    if (i < length && base == 8 && are_digits(text, length)) {
        Diag *diag = ptx_diag(p->diags, DIAG_BAD_NUMBER, span,
                              "`%.*s` begins with 0 and so is octal, but has a digit above 7",
                              length_of(span), text);
        uint32_t zeros = 0;
        while (zeros + 1 < length && text[zeros] == '0')
            zeros++;
        diag->help = ptx_diag_text(p->diags, "`%.*s` is the decimal number",
                                   length_of((Span){ zeros, length }), text + zeros);
        ptx_diag_fix(p->diags, diag, (Span){ span.begin, span.begin + zeros }, false, "%s", "");
        mark_syntax_error(p);
    }
    if (value > INT64_MAX)
        *is_unsigned = true;
    return value;
}

static uint32_t read_small(Parser *p, Token number)
{
    bool is_unsigned;
    uint64_t value = read_integer(p, ptx_token_span(number), &is_unsigned);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* ---- module directives ----------------------------------------------------------------------- */

/* Modules one behind the other, as `cat` leaves them. */
static void begin_unit(Parser *p, Span where)
{
    const AstHeader *h = &p->header;
    Diag *diag = ptx_diag(p->diags, DIAG_SECOND_MODULE, where,
                          "another module begins here; a file holds one");
    ptx_diag_relate(p->diags, diag, h->version_span, "the first module's");
    diag->help = ptx_diag_text(p->diags,
                               "split the file here: as it is, the rest is analysed as PTX %d.%d "
                               "for %.*s, with names of its own",
                               h->version / 10, h->version % 10, length_of(h->target_span),
                               text_of(p, h->target_span));
    p->begins_unit = false;
    p->header.unit++;
}

void ptx_build_version(Parser *p, Token directive, Token number)
{
    const char *text = text_of(p, ptx_token_span(number));
    uint32_t length = ptx_span_length(ptx_token_span(number)), major = 0, minor = 0, i = 0;
    while (i < length && text[i] >= '0' && text[i] <= '9' && major < 1000)
        major = 10 * major + (uint32_t)(text[i++] - '0');
    bool dotted = i < length && text[i] == '.';
    for (i += dotted; i < length && text[i] >= '0' && text[i] <= '9' && minor < 1000; i++)
        minor = 10 * minor + (uint32_t)(text[i] - '0');
    bool is_written_so = dotted && i == length && text[length - 1] != '.';
    if (p->begins_unit) {
        begin_unit(p, ptx_span_join(ptx_token_span(directive), ptx_token_span(number)));
        return;
    }
    if (p->header.version) {
        Diag *diag = ptx_diag(p->diags, DIAG_REDECLARED,
                              ptx_span_join(ptx_token_span(directive), ptx_token_span(number)),
                              "a second .version in one module");
        ptx_diag_relate(p->diags, diag, p->header.version_span, "the first is here");
        return;
    }
    p->header.version_span = ptx_token_span(number);
    p->header.version = (uint16_t)(10 * ptx_u32_min(major, 99) + ptx_u32_min(minor, 9));
    if (!is_written_so) {
        ptx_diag(p->diags, DIAG_UNKNOWN_VERSION, ptx_token_span(number),
                 "`%.*s` is not a version: write two numbers with a point, as 9.0",
                 length_of(ptx_token_span(number)), text);
        return;
    }
    switch (ptx_version_find(major, minor)) {
    case TARGET_KNOWN:
        break;
    case TARGET_NEWER:
        ptx_diag(p->diags, DIAG_NEWER_VERSION, ptx_token_span(number),
                 "PTX %u.%u is newer than %d.%d, the newest in our tables", major, minor,
                 PTX_VERSION_NEWEST / 10, PTX_VERSION_NEWEST % 10)
            ->help = "unknown instructions are notes in this file, not errors";
        break;
    case TARGET_UNKNOWN:
        ptx_diag(p->diags, DIAG_UNKNOWN_VERSION, ptx_token_span(number),
                 "there is no PTX version `%.*s`", length_of(ptx_token_span(number)), text);
        break;
    }
}

/* version: 10 * major + minor. */
static void need_version(Parser *p, Span where, const char *what, int version)
{
    int have = p->header.version;
    if (have && have < version)
        ptx_diag(p->diags, DIAG_VERSION_TOO_OLD, where,
                 "%s needs PTX %d.%d; this module says %d.%d", what, version / 10, version % 10,
                 have / 10, have % 10);
}

static void need_target(Parser *p, Span where, const char *what, unsigned sm)
{
    Target target;
    Span name = p->header.target_span;
    ptx_target_find(text_of(p, name), ptx_span_length(name), &target);
    if (target.sm && target.sm < sm)
        ptx_diag(p->diags, DIAG_TARGET_TOO_OLD, where, "%s needs sm_%u; this module is for sm_%u",
                 what, sm, (unsigned)target.sm);
}

void ptx_build_address_size(Parser *p, Token directive, Token number)
{
    if (p->header.unit)
        return;
    p->header.address_size = read_small(p, number);
    need_version(p, ptx_token_span(directive), "`.address_size`", 23);
    if (p->header.address_size != 32 && p->header.address_size != 64) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION,
                 ptx_span_join(ptx_token_span(directive), ptx_token_span(number)),
                 "the address size is 32 or 64");
        p->header.address_size = 0;
    }
}

enum { FILES_COMPARED = 4096 };         /* the first ones of a module: bounds the cost */

static bool is_same_file(const AstFile *a, const AstFile *b)
{
    return a->index == b->index && a->unit == b->unit;
}

void ptx_build_file(Parser *p, Token index, Token path)
{
    AstFile *file = ptx_arena_new(p->header_arena, AstFile);
    file->index = read_small(p, index);
    file->path = (Span){ ptx_token_span(path).begin + 1, ptx_token_span(path).end - 1 };
    if (file->path.end < file->path.begin)
        file->path.end = file->path.begin;
    file->span = ptx_token_span(index);
    file->unit = p->header.unit;
    const AstFile *same = p->header.files;
    for (uint32_t i = 0; same && i < FILES_COMPARED && !is_same_file(same, file); i++)
        same = same->next;
    if (same && is_same_file(same, file)) {
        Diag *diag = ptx_diag(p->diags, DIAG_REDECLARED, file->span, "file index %u is given twice",
                              (unsigned)file->index);
        ptx_diag_relate(p->diags, diag, same->span, "the first one");
    }
    *p->file_tail = file;
    p->file_tail = &file->next;
}

void ptx_build_file_stamp(Parser *p, Token directive)
{
    need_version(p, ptx_token_span(directive), "a time stamp in `.file`", 32);
}

void ptx_build_section(Parser *p, Token name)
{
    need_version(p, ptx_token_span(name), "`.section`", 20);
}

void ptx_build_module_pragma(Parser *p, Token directive)
{
    need_version(p, ptx_token_span(directive), "`.pragma`", 20);
}

void ptx_build_file_directory(Parser *p, Token directive)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive),
             ".file takes one string; a directory before the name is DWARF's form, not PTX's");
}

/* Inside a function; ptxas takes .file before and between functions only. */
void ptx_build_function_file(Parser *p, Token directive)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive),
             ".file stands outside functions");
}

void ptx_build_module_loc(Parser *p, Token directive)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive), ".loc stands inside a function");
}

static AstItem *add_item(Parser *p)
{
    AstItem *item = ptx_arena_new(p->arena, AstItem);
    *p->item_tail = item;
    p->item_tail = &item->next;
    return item;
}

void ptx_build_alias(Parser *p, Token directive, Token name, Token target, Token end)
{
    AstAlias *alias = ptx_arena_new(p->arena, AstAlias);
    alias->span = ptx_span_join(ptx_token_span(directive), ptx_token_span(end));
    alias->name = ptx_token_span(name);
    alias->target = ptx_token_span(target);
    add_item(p)->alias = alias;
}

/* ---- declarations ---------------------------------------------------------------------------- */

void ptx_build_attribute(Parser *p, Token word, bool has_numbers)
{
    Span here = ptx_token_span(word);
    if (has_numbers) {
        need_version(p, here, "`.unified`", 80);
        if (p->header.version >= 80)
            need_target(p, here, "`.unified`", 90);
    } else {
        need_version(p, here, "`.attribute`", 40);
        if (p->header.version >= 40)
            need_target(p, here, "`.managed`", 30);
    }
    if (!span_is(p, here, has_numbers ? ".unified" : ".managed"))
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, here, "there is no attribute `%.*s`%s",
                 length_of(here), text_of(p, here), ptx_text_if(has_numbers, " with two numbers"))
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
                 length_of(here), text_of(p, here))
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
    if (span_is(p, word, ".extern"))
        return LINKAGE_EXTERN;
    if (span_is(p, word, ".visible"))
        return LINKAGE_VISIBLE;
    return span_is(p, word, ".weak") ? LINKAGE_WEAK : LINKAGE_COMMON;
}

void ptx_prefix_linkage(Parser *p, Prefix *prefix, Token word)
{
    prefix_extend(p, prefix, word, PREFIX_NOTHING, PREFIX_LINKAGE);
    prefix->linkage = linkage_of(p, ptx_token_span(word));
    if (prefix->linkage == LINKAGE_WEAK)
        need_version(p, ptx_token_span(word), "`.weak`", 31);
    if (prefix->linkage == LINKAGE_COMMON)
        need_version(p, ptx_token_span(word), "`.common`", 50);
}

/* .const[N], of PTX 1.5 to 2.1: bank 0 is what .const means, the others hold external arrays
 * without a size. */
static void read_bank(Parser *p, Prefix *prefix, Span span)
{
    uint16_t version = p->header.version;
    uint32_t bank = (uint32_t)strtoul(text_of(p, span) + strlen(".const["), NULL, 10);
    prefix->has_bank = bank != 0;
    if (bank > 10)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, span, "there are constant banks 0 to 10");
    else if (version > 21)
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, span,
                 "constant banks were removed in PTX 2.2; this module says %d.%d", version / 10,
                 version % 10)
            ->help = "write `.const`";
    else if (bank)
        need_version(p, span, "a constant bank", 15);
}

void ptx_prefix_space(Parser *p, Prefix *prefix, Token word)
{
    const PrefixStage stage = prefix->is_pointer && !prefix->pointer_align ? PREFIX_POINTER
                                                                           : PREFIX_SPACE;
    prefix_extend(p, prefix, word, stage, stage);
    const char *name = text_of(p, ptx_token_span(word)) + 1;
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
    if (!is_integer_text(text_of(p, ptx_token_span(number)),
                         ptx_span_length(ptx_token_span(number))))
        return;
    uint32_t align = read_small(p, number);
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
    const char *name = text_of(p, ptx_token_span(word)) + 1;
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
             length_of(ptx_token_span(word)), text_of(p, ptx_token_span(word)));
    mark_syntax_error(p);
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
    } else if (size && !size->value) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, size->span, "an array bound is at least 1");
    } else if (size && !(size->flags & AST_UNSIGNED) && (int64_t)size->value < 0) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, size->span, "an array bound is not negative");
    } else if (size && !is_one_word(p, size->span)) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, size->span,
                 "an array bound is one number; `%.*s` is an expression", length_of(size->span),
                 text_of(p, size->span))
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
    decl->reg_count = read_integer(p, ptx_token_span(count), &is_unsigned);
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
}

static AstStmt *add_stmt(Parser *p, AstStmtKind kind, Span span)
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
        add_stmt(p, AST_DECL, ptx_span_join(prefix->span, ptx_token_span(end)))->decl = first;
    else
        add_item(p)->decl = first;
}

/* ---- functions ------------------------------------------------------------------------------- */

AttributeList ptx_attribute_add(Parser *p, AttributeList list, Token name, int count, Token x,
                                Token y, Token z)
{
    AstAttribute *attribute = ptx_arena_new(p->arena, AstAttribute);
    const Token values[3] = { x, y, z };
    attribute->name = attribute->span = ptx_token_span(name);
    attribute->value_count = (uint8_t)count;
    bool takes_shape = span_is(p, attribute->name, ".maxntid")
                       || span_is(p, attribute->name, ".reqntid")
                       || span_is(p, attribute->name, ".reqnctapercluster");
    for (int i = 0; i < count; i++) {
        attribute->values[i] = read_small(p, values[i]);
        attribute->span = ptx_span_join(attribute->span, ptx_token_span(values[i]));
    }
    attribute->after = takes_shape && count < 3 ? ptx_token_span(p->current) : attribute->span;
    return list.last ? LIST_ADD(AttributeList, list, attribute)
                     : LIST_ONE(AttributeList, attribute);
}

AstFunc *ptx_func_new(Parser *p, const Prefix *prefix, Token keyword, Token name, DeclList results,
                      DeclList params, AttributeList attributes)
{
    AstFunc *func = ptx_arena_new(p->arena, AstFunc);
    func->name = ptx_token_span(name);
    func->span = ptx_span_join(prefix ? prefix->span : ptx_token_span(keyword),
                               ptx_token_span(name));
    func->linkage = prefix ? prefix->linkage : LINKAGE_NONE;
    func->is_entry = keyword.kind == TOK_ENTRY;
    func->mark = ptx_token_span(
        func->is_entry && p->mark_last.kind == TOK_RPAREN ? p->mark_last : p->mark_current);
    if (prefix && (ptx_span_length(prefix->detail) || prefix->linkage == LINKAGE_COMMON))
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, prefix->span,
                 "expected a linkage before .entry or .func: .visible, .extern or .weak");
    func->results = open_decls(results);
    func->params = open_decls(params);
    func->attributes = open_attributes(attributes);
    return func;
}

void ptx_build_func(Parser *p, AstFunc *func)
{
    p->func = func;
    p->is_recovering = false;
    p->diags->func = p->func_count++;
    p->stmt_tail = &func->body;
    p->scope_count = 0;
}

void ptx_build_func_end(Parser *p, Token end)
{
    while (p->scope_count)
        ptx_build_scope_end(p, end);
    if (p->func) {
        p->func->span = ptx_span_join(p->func->span, ptx_token_span(end));
        add_item(p)->func = p->func;
    }
    p->func = NULL;
    p->diags->func = -1;
    p->stmt_tail = NULL;
}

/* ---- statements ------------------------------------------------------------------------------ */

void ptx_build_scope_begin(Parser *p, Token brace)
{
    AstStmt *scope = add_stmt(p, AST_SCOPE_BEGIN, ptx_token_span(brace));
    if (p->scope_count >= LIMIT_NESTING + 1)
        return;                 /* the driver stops nesting before this */
    p->scopes[p->scope_count] = scope;
    p->label_tails[p->scope_count++] = &scope->next_label;
}

void ptx_build_scope_end(Parser *p, Token brace)
{
    add_stmt(p, AST_SCOPE_END, ptx_token_span(brace));
    p->scope_count -= p->scope_count > 0;
}

void ptx_build_empty(Parser *p, Token semicolon)
{
    Span span = ptx_token_span(semicolon);
    /* the driver's own ones have no text */
    bool is_mistake = ptx_span_length(span) && !p->is_recovering;
    p->is_recovering = false;
    if (!is_mistake)
        return;
    Diag *diag = ptx_diag(p->diags, DIAG_UNEXPECTED, span,
                          "unexpected `;`: PTX has no empty statement");
    diag->help = "remove the `;`";
    ptx_diag_fix(p->diags, diag, span, true, "%s", "");
}

void ptx_build_label(Parser *p, Token name, Token colon)
{
    if (ptx_token_span(name).end - name.begin == 1 && p->text[name.begin] == '_')
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, ptx_token_span(name), "`_` cannot be a label");
    AstStmt *label = add_stmt(p, AST_LABEL,
                              ptx_span_join(ptx_token_span(name), ptx_token_span(colon)));
    label->opcode = ptx_token_span(name);
    if (!p->scope_count)
        return;
    AstStmt ***tail = &p->label_tails[p->scope_count - 1];
    **tail = label;
    *tail = &label->next_label;
}

Token ptx_opcode_join(Token opcode, Token modifier)
{
    return ptx_token(opcode.kind, true,
                     ptx_span_join(ptx_token_span(opcode), ptx_token_span(modifier)));
}

AstStmt *ptx_build_insn(Parser *p, Token opcode, OperandList operands, Token end)
{
    AstStmt *insn = add_stmt(p, AST_INSN,
                             ptx_span_join(ptx_token_span(opcode), ptx_token_span(end)));
    p->is_recovering = false;
    insn->opcode = ptx_token_span(opcode);
    insn->detached = opcode.first_on_line;
    if (p->empty_vector.begin > insn->opcode.begin) {
        ptx_diag(p->diags, DIAG_UNEXPECTED, p->empty_vector,
                 "expected an operand between the braces, found `}`");
        mark_syntax_error(p);
    }
    insn->operands = open_operands(operands);
    return insn;
}

void ptx_build_guarded(Parser *p, AstStmt *insn)
{
    uint32_t length = ptx_span_length(p->guard.name);
    insn->span = ptx_span_join(p->guard.at, insn->span);
    insn->guard = p->guard.name.begin;
    insn->guard_length = (uint16_t)(length > LIMIT_NAME_BYTES ? LIMIT_NAME_BYTES : length);
    insn->guard_negated = p->guard.negated;
}

void ptx_build_pragma(Parser *p, Token directive, Span text, Token end)
{
    need_version(p, ptx_token_span(directive), "`.pragma`", 20);
    add_stmt(p, AST_PRAGMA, ptx_span_join(ptx_token_span(directive), ptx_token_span(end)))->opcode =
        text;
}

void ptx_build_targets(Parser *p, AstStmtKind kind, Token directive, OperandList names, Token end)
{
    add_stmt(p, kind, ptx_span_join(ptx_token_span(directive), ptx_token_span(end)))->operands =
        open_operands(names);
}

void ptx_build_prototype(Parser *p, Token keyword, DeclList results, Token name, DeclList params,
                         AttributeList attributes, Token end)
{
    AstFunc *prototype = ptx_func_new(p, NULL, keyword, name, results, params, attributes);
    prototype->span = ptx_span_join(ptx_token_span(keyword), ptx_token_span(end));
    add_stmt(p, AST_CALLPROTOTYPE, prototype->span)->prototype = prototype;
}

void ptx_build_loc(Parser *p, Token directive, Token file, Token line, Token column,
                   AstLoc *inlined)
{
    if (!p->func)
        return;
    AstLoc *loc = inlined ? inlined : ptx_arena_new(p->arena, AstLoc);
    loc->file = read_small(p, file);
    loc->line = read_small(p, line);
    loc->column = read_small(p, column);
    loc->span = ptx_span_join(ptx_token_span(directive), ptx_token_span(column));
    add_stmt(p, AST_LOC, loc->span)->loc = loc;
}

AstLoc *ptx_loc_inlined(Parser *p, Token keyword, Span name)
{
    AstLoc *loc = ptx_arena_new(p->arena, AstLoc);
    if (!span_is(p, ptx_token_span(keyword), "function_name"))
        ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(keyword),
                 "`%.*s` where `function_name` is expected", length_of(ptx_token_span(keyword)),
                 text_of(p, ptx_token_span(keyword)));
    loc->function_name = name;
    return loc;
}

void ptx_loc_not_inlined(Parser *p, Span name)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, name,
             "a .loc with `function_name` says too where it was inlined")
        ->help = "add `, inlined_at FILE LINE COLUMN`";
}

AstLoc *ptx_loc_inlined_at(Parser *p, Token keyword, Span name, Token at, Token file, Token line,
                           Token column)
{
    AstLoc *loc = ptx_loc_inlined(p, keyword, name);
    if (!span_is(p, ptx_token_span(at), "inlined_at"))
        ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(at),
                 "`%.*s` where `inlined_at` is expected", length_of(ptx_token_span(at)),
                 text_of(p, ptx_token_span(at)));
    loc->inlined_file = read_small(p, file);
    loc->inlined_line = read_small(p, line);
    loc->inlined_column = read_small(p, column);
    return loc;
}

/* ---- operands and constant expressions ------------------------------------------------------- */

static AstOperand *new_operand(Parser *p, AstOperandKind kind, Span span)
{
    AstOperand *operand = ptx_arena_new(p->arena, AstOperand);
    operand->kind = (uint8_t)kind;
    operand->span = span;
    return operand;
}

static AstOperand *bad_operand(Parser *p, Span span, const char *message)
{
    ptx_diag(p->diags, DIAG_BAD_EXPRESSION, span, "%s", message);
    mark_syntax_error(p);
    return new_operand(p, AST_BAD, span);
}

AstOperand *ptx_operand_name(Parser *p, Token name)
{
    AstOperand *operand = new_operand(p, AST_NAME, ptx_token_span(name));
    const char *text = text_of(p, ptx_token_span(name));
    uint32_t length = ptx_span_length(ptx_token_span(name)), head = length;
    if (name.kind == TOK_OPWORD) {
        const char *dot = memchr(text, '.', length);
        head = dot ? (uint32_t)(dot - text) : length;
    }
    if (length == 7 && span_is(p, ptx_token_span(name), "WARP_SZ")) {
        operand->kind = AST_INT;
        operand->value = 32;
        return operand;
    }
    if (length > LIMIT_NAME_BYTES) {
        ptx_diag(p->diags, DIAG_TOO_LARGE, ptx_token_span(name),
                 "a name of %u bytes is longer than the limit of %d", (unsigned)length,
                 (int)LIMIT_NAME_BYTES);
        head = length = LIMIT_NAME_BYTES;
    }
    operand->name = ptx_token_span(name).begin;
    operand->name_length = (uint16_t)head;
    operand->suffix_length = (uint16_t)(length - head);
    return operand;
}

AstOperand *ptx_operand_range(Parser *p, Token name, Token count, Token end)
{
    AstOperand *operand = ptx_operand_name(p, name);
    operand->span = ptx_span_join(ptx_token_span(name), ptx_token_span(end));
    operand->flags |= AST_INDEXED;
    operand->value = read_small(p, count);
    return operand;
}

AstOperand *ptx_operand_int(Parser *p, Token number)
{
    AstOperand *operand = new_operand(p, AST_INT, ptx_token_span(number));
    bool is_unsigned;
    if (!is_integer_text(text_of(p, operand->span), ptx_span_length(operand->span))) {
        mark_syntax_error(p);
        operand->kind = AST_BAD;
        return operand;
    }
    operand->value = read_integer(p, operand->span, &is_unsigned);
    operand->flags = is_unsigned ? AST_UNSIGNED : 0;
    return operand;
}

/* strtod reads the locale's decimal point, so the point is kept out of its way: digits and
 * exponent are combined by hand with the correctly rounded strtod of the C library on a
 * point-free decimal. */
AstOperand *ptx_operand_real(Parser *p, Token number)
{
    AstOperand *operand = new_operand(p, AST_F64, ptx_token_span(number));
    const char *text = text_of(p, ptx_token_span(number));
    char digits[400];
    size_t n = 0;
    long exponent = 0;
    bool fraction = false;
    uint32_t length = ptx_span_length(ptx_token_span(number)), i = 0;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        if (n < 350) {
            digits[n++] = text[i];
            exponent -= fraction;
        } else {
            exponent += !fraction;
        }
    }
    if (i + 1 < length)
        exponent += strtol(text + i + 1, NULL, 10);
    if (exponent > 9999)
        exponent = 9999;
    if (exponent < -9999)
        exponent = -9999;
    int sign = exponent < 0;
    unsigned long magnitude = (unsigned long)(sign ? -exponent : exponent);
    digits[n++] = 'e';
    digits[n++] = sign ? '-' : '+';
    for (unsigned long place = 1000; place; place /= 10)
        digits[n++] = (char)('0' + magnitude / place % 10);
    digits[n] = 0;
    double value = strtod(digits, NULL);
    memcpy(&operand->value, &value, sizeof value);
    return operand;
}

AstOperand *ptx_operand_bits(Parser *p, Token number)
{
    bool wide = ptx_span_length(ptx_token_span(number)) == 18;
    AstOperand *operand = new_operand(p, wide ? AST_F64 : AST_F32, ptx_token_span(number));
    const char *text = text_of(p, ptx_token_span(number));
    for (uint32_t i = 2; i < ptx_span_length(ptx_token_span(number)); i++) {
        unsigned digit = text[i] <= '9' ? (unsigned)(text[i] - '0')
                                        : (unsigned)((text[i] | 32) - 'a' + 10);
        operand->value = operand->value << 4 | digit;
    }
    return operand;
}

AstOperand *ptx_operand_address(Parser *p, Token open, OperandList list, Token close)
{
    Span span = ptx_span_join(ptx_token_span(open), ptx_token_span(close));
    AstOperand *only = open_operands(list);
    if (!only->next && (only->kind == AST_NAME || only->kind == AST_INT)
        && !(only->flags & (AST_BRACKETS | AST_NOT | AST_NEGATIVE))) {
        only->span = span;
        only->flags |= AST_BRACKETS;
        return only;
    }
    AstOperand *operand = new_operand(p, AST_ADDRESS, span);
    operand->child = only;
    return operand;
}

void ptx_operand_modifier(Parser *p, AstOperand *operand, Token modifier)
{
    uint32_t length = ptx_span_length(ptx_token_span(modifier));
    operand->modifier_length = (uint8_t)(length > 255 ? 255 : length);
    operand->span = ptx_span_join(operand->span, ptx_token_span(modifier));
    if (!span_is(p, ptx_token_span(modifier), ".unified"))
        ptx_diag(p->diags, DIAG_UNKNOWN_MODIFIER, ptx_token_span(modifier),
                 "`%.*s` cannot follow an address", length_of(ptx_token_span(modifier)),
                 text_of(p, ptx_token_span(modifier)));
}

/* The integers that were skipped in the list that begins there. */
static uint32_t take_skipped(Parser *p, uint32_t begin)
{
    for (SkippedList **list = &p->closed_lists; *list; list = &(*list)->next) {
        if ((*list)->begin != begin)
            continue;
        uint32_t count = (*list)->count;
        *list = (*list)->next;
        return count;
    }
    return 0;
}

AstOperand *ptx_operand_group(Parser *p, AstOperandKind kind, Token open, OperandList list,
                              Token close)
{
    Span span = ptx_span_join(ptx_token_span(open), ptx_token_span(close));
    AstOperand *only = open_operands(list);
    if (kind == AST_LIST && only && !only->next && only->kind != AST_VECTOR
        && only->kind != AST_LIST) {
        only->flags |= AST_PARENTHESES;
        only->span = span;
        return only;
    }
    AstOperand *operand = new_operand(p, kind, span);
    operand->child = only;
    if (kind == AST_VECTOR && p->closed_lists)
        operand->value = take_skipped(p, span.begin);
    return operand;
}

AstOperand *ptx_operand_empty(Parser *p, Token open, Token close)
{
    p->empty_vector = ptx_span_join(ptx_token_span(open), ptx_token_span(close));
    return ptx_operand_group(p, AST_VECTOR, open, (OperandList){ 0 }, close);
}

AstOperand *ptx_operand_cast(Parser *p, Token open, Token type, AstOperand *value)
{
    Span span = ptx_span_join(ptx_token_span(open), value->span);
    bool to_unsigned = span_is(p, ptx_token_span(type), ".u64");
    if (value->kind != AST_INT || (!to_unsigned && !span_is(p, ptx_token_span(type), ".s64")))
        return bad_operand(p, span, "a cast makes an integer constant .s64 or .u64");
    value->span = span;
    value->flags = (uint8_t)((value->flags & ~AST_UNSIGNED) | (to_unsigned ? AST_UNSIGNED : 0));
    return value;
}

AstOperand *ptx_operand_index(Parser *p, Token name, AstOperand *index, Token close)
{
    AstOperand *operand = ptx_operand_name(p, name);
    operand->span = ptx_span_join(ptx_token_span(name), ptx_token_span(close));
    operand->flags |= AST_INDEXED;
    if (p->text[ptx_token_span(name).begin] == '%'
        || (index->kind != AST_INT && index->kind != AST_NAME))
        return bad_operand(p, operand->span,
                           "only variables are indexed; or is a `,` missing before the `[`?");
    if (index->kind == AST_INT)
        operand->value = index->value;
    else
        operand->child = index;
    return operand;
}

static bool is_byte_mask(uint64_t mask)
{
    return mask && mask >> (__builtin_ctzll(mask) / 8 * 8) == 0xFF;
}

/* generic(name), and 0xFF(name), 0xFF00(name+4), 0xFF0000(generic(name)+4): a byte of an address in
 * an initialiser. */
AstOperand *ptx_operand_generic(Parser *p, Token name, OperandList list, Token close)
{
    AstOperand *inner = open_operands(list);
    Span span = ptx_span_join(ptx_token_span(name), ptx_token_span(close));
    bool is_mask = name.kind == TOK_INT;
    if (inner->next || inner->kind != AST_NAME
        || (!is_mask && !span_is(p, ptx_token_span(name), "generic")))
        return bad_operand(p, span, "only generic(name) and mask(name) are written like a call");
    if (is_mask && inner->flags & ~AST_GENERIC)
        return bad_operand(p, span, "a mask takes a name, or generic(name), and an offset");
    if (!is_mask && (inner->value || inner->flags))
        return bad_operand(p, span, "generic() takes a name alone; an offset stands behind it");
    if (is_mask && !is_byte_mask(ptx_operand_int(p, name)->value))
        return bad_operand(p, span,
                           "a mask takes one byte of an address: 0xFF, 0xFF00, 0xFF0000 ...");
    inner->span = span;
    inner->flags |= is_mask ? AST_MASK : AST_GENERIC;
    return inner;
}

AstOperand *ptx_operand_field(Parser *p, Token name, AstOperand *value)
{
    if (p->func)
        return bad_operand(p, ptx_span_join(ptx_token_span(name), value->span),
                           "`=` has no meaning in an instruction");
    value->span = ptx_span_join(ptx_token_span(name), value->span);
    return value;
}

AstOperand *ptx_operand_unary(Parser *p, Token operator, AstOperand *value)
{
    Span span = ptx_span_join(ptx_token_span(operator), value->span);
    if (value->kind == AST_BAD)
        return value;
    if (value->kind == AST_INT && !(value->flags & AST_BRACKETS)) {
        value->span = span;
        switch (operator.kind) {
        case TOK_MINUS: value->value = 0 - value->value; break;
        case TOK_TILDE: value->value = ~value->value; value->flags |= AST_UNSIGNED; break;
        case TOK_NOT:   value->value = !value->value; value->flags &= (uint8_t)~AST_UNSIGNED; break;
        default: break;
        }
        return value;
    }
    if ((value->kind == AST_F64 || value->kind == AST_F32)
        && (operator.kind == TOK_MINUS || operator.kind == TOK_PLUS)) {
        value->span = span;
        if (operator.kind == TOK_MINUS)
            value->value ^= value->kind == AST_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        return value;
    }
    if (value->kind == AST_NAME && (operator.kind == TOK_NOT || operator.kind == TOK_MINUS)
        && !(value->flags & (AST_BRACKETS | AST_NOT | AST_NEGATIVE))) {
        value->span = span;
        value->flags |= operator.kind == TOK_NOT ? AST_NOT : AST_NEGATIVE;
        return value;
    }
    return bad_operand(p, span, "this operator does not apply to its operand");
}

static bool is_plain(const AstOperand *operand)
{
    return !(operand->flags & (AST_BRACKETS | AST_NOT | AST_NEGATIVE | AST_INDEXED | AST_MASK));
}

/* name+8 and (through unary minus) name+-8; PTX has no name-8 and no 8+name. */
static bool add_offset(AstOperand *name, int operator, const AstOperand *offset)
{
    if (operator!= TOK_PLUS || name->kind != AST_NAME || offset->kind != AST_INT || !is_plain(name)
        || !is_plain(offset))
        return false;
    name->value += offset->value;
    return true;
}

AstOperand *ptx_operand_binary(Parser *p, AstOperand *left, Token operator, AstOperand *right)
{
    Span span = ptx_span_join(left->span, right->span);
    if (left->kind == AST_BAD || right->kind == AST_BAD) {
        left->kind = AST_BAD;
        left->span = span;
        return left;
    }
    if (operator.kind == TOK_OR && right->kind == AST_NAME &&(left->kind == AST_NAME
                                                              || left->kind == AST_VECTOR)) {
        AstOperand *pair = new_operand(p, AST_PAIR, span);
        pair->child = left;
        left->next = right;
        return pair;
    }
    if (left->kind == AST_INT && right->kind == AST_INT && is_plain(left) && is_plain(right)) {
        Constant result, a = { left->value, left->flags & AST_UNSIGNED },
                         b = { right->value, right->flags & AST_UNSIGNED };
        if (!ptx_fold_integers(operator.kind, a, b, &result))
            return bad_operand(p, span, "this constant expression divides by zero");
        left->value = result.value;
        left->flags = result.is_unsigned ? AST_UNSIGNED : 0;
        left->span = span;
        return left;
    }
    if (left->kind == AST_F64 && right->kind == AST_F64
        && operator.kind == TOK_SLASH && !(right->value << 1))
        return bad_operand(p, span, "this constant expression divides by zero");
    if (add_offset(left, operator.kind, right) || ptx_fold_reals(left, operator.kind, right)) {
        left->span = span;
        return left;
    }
    if (operator.kind == TOK_MINUS && left->kind == AST_NAME && right->kind == AST_INT)
        return bad_operand(p, span, "an offset is added: write `+-4` for `-4`");
    return bad_operand(
        p, span, "operators combine constants only, and add a constant to a name before them");
}

AstOperand *ptx_operand_select(Parser *p, AstOperand *condition, AstOperand *yes, AstOperand *no)
{
    Span span = ptx_span_join(condition->span, no->span);
    if (condition->kind != AST_INT || !is_plain(condition))
        return bad_operand(p, span, "the condition of `?:` is an integer constant");
    AstOperand *chosen = condition->value ? yes : no;
    chosen->span = span;
    return chosen;
}
