/* Errors, numbers, functions and statements. */
#include "parser/build_shared.h"

void ptx_build_mark_error(Parser *p)
{
    p->syntax_errors++;
    if (p->func)
        p->func->has_syntax_error = true;
}

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
    ptx_build_mark_error(p);
    p->is_recovering = true;
    p->broken = p->statement;
    Span here = ptx_token_span(found), previous = ptx_token_span(p->last);
    const char *wanted = expected_text(p, expected);
    if (found.kind == TOK_EOF) {
        ptx_diag(p->diags, DIAG_UNEXPECTED, here, "expected %s, found the end of the file", wanted);
        return;
    }
    Diag *diag = ptx_diag(p->diags, DIAG_UNEXPECTED, here, "expected %s, found `%.*s`", wanted,
                          span_length_of(here), span_text_of(p, here));
    bool is_operand = found.kind == TOK_WORD || found.kind == TOK_INT || found.kind == TOK_BITS
                      || found.kind == TOK_LBRACKET || found.kind == TOK_LBRACE;
    if (is_operand && expected->takes[TOK_COMMA] && !found.first_on_line) {
        diag->help = ptx_diag_text(p->diags, "insert `,` before `%.*s`", span_length_of(here),
                                   span_text_of(p, here));
        ptx_diag_fix(p->diags, diag, (Span){ previous.end, previous.end }, false, ",");
    }
    if (ptx_span_length(previous))
        diag->label = ptx_diag_text(p->diags, "cannot follow `%.*s`", span_length_of(previous),
                                    span_text_of(p, previous));
}

void ptx_build_too_deep(Parser *p)
{
    ptx_build_mark_error(p);
    ptx_diag(p->diags, DIAG_TOO_DEEP, ptx_token_span(p->last),
             "nested deeper than the parser's stack of %d", (int)LIMIT_PARSER_STACK);
    p->parser_failed = true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool are_all_digits(const char *text, uint32_t length)
{
    uint32_t i = 0;
    while (i < length && text[i] >= '0' && text[i] <= '9')
        i++;
    return i == length;
}

/* What the scanner gives as an integer is one, or `0d0`, `12ab`, `1.5x`: a number with letters
 * behind it, diagnosed there. */
bool ptx_build_is_integer(const char *text, uint32_t length)
{
    length -= length && text[length - 1] == 'U';
    char prefix = length > 1 && text[0] == '0' ? (char)(text[1] | 32) : 0;
    if (prefix != 'x' && prefix != 'b')
        return are_all_digits(text, length);
    const char *digits = prefix == 'x' ? "0123456789abcdefABCDEF" : "01";
    return length > 2 && strspn(text + 2, digits) >= length - 2;
}

/* PTX ISA, "Integer Constants": hexadecimal, octal, binary or decimal, 64 bits, `U` makes it
 * unsigned. */
uint64_t ptx_build_integer(Parser *p, Span span, bool *is_unsigned)
{
    const char *text = span_text_of(p, span);
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
                     span_length_of(span), text);
            ptx_build_mark_error(p);
            return 0;
        }
    }
    if (i < length && base == 8 && are_all_digits(text, length)) {
        Diag *diag = ptx_diag(p->diags, DIAG_BAD_NUMBER, span,
                              "`%.*s` begins with 0 and so is octal, but has a digit above 7",
                              span_length_of(span), text);
        uint32_t zeros = 0;
        while (zeros + 1 < length && text[zeros] == '0')
            zeros++;
        diag->help = ptx_diag_text(p->diags, "`%.*s` is the decimal number",
                                   span_length_of((Span){ zeros, length }), text + zeros);
        ptx_diag_fix(p->diags, diag, (Span){ span.begin, span.begin + zeros }, false, "%s", "");
        ptx_build_mark_error(p);
    }
    if (value > INT64_MAX)
        *is_unsigned = true;
    return value;
}

uint32_t ptx_build_small(Parser *p, Token number)
{
    bool is_unsigned;
    const Span span = ptx_token_span(number);
    uint64_t value = ptx_build_integer(p, span, &is_unsigned);
    if (value <= UINT32_MAX)
        return (uint32_t)value;
    ptx_diag(p->diags, DIAG_BAD_NUMBER, span, "`%.*s` does not fit 32 bits", span_length_of(span),
             span_text_of(p, span));
    ptx_build_mark_error(p);
    return UINT32_MAX;
}

/* ---- functions ------------------------------------------------------------------------------- */

AttributeList ptx_attribute_add(Parser *p, AttributeList list, Token name, int count,
                                const Token *values)
{
    AstAttribute *attribute = ptx_arena_new(p->arena, AstAttribute);
    attribute->name = attribute->span = ptx_token_span(name);
    attribute->value_count = (uint8_t)count;
    bool takes_shape = span_equals(p, attribute->name, ".maxntid")
                       || span_equals(p, attribute->name, ".reqntid")
                       || span_equals(p, attribute->name, ".reqnctapercluster");
    for (int i = 0; i < count; i++) {
        attribute->values[i] = ptx_build_small(p, values[i]);
        attribute->span = ptx_span_join(attribute->span, ptx_token_span(values[i]));
    }
    attribute->after = takes_shape && count < 3 ? ptx_token_span(p->current) : attribute->span;
    return list.last ? LIST_ADD(AttributeList, list, attribute)
                     : LIST_ONE(AttributeList, attribute);
}

AstFunc *ptx_func_new(Parser *p, const Prefix *prefix, FuncHead head)
{
    AstFunc *func = ptx_arena_new(p->arena, AstFunc);
    func->name = ptx_token_span(head.name);
    func->span = ptx_span_join(prefix ? prefix->span : ptx_token_span(head.keyword), func->name);
    func->linkage = prefix ? prefix->linkage : LINKAGE_NONE;
    func->is_entry = head.keyword.kind == TOK_ENTRY;
    func->mark = ptx_token_span(
        func->is_entry && p->mark_last.kind == TOK_RPAREN ? p->mark_last : p->mark_current);
    if (prefix && (ptx_span_length(prefix->detail) || prefix->linkage == LINKAGE_COMMON))
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, prefix->span,
                 "expected a linkage before .entry or .func: .visible, .extern or .weak");
    func->results = open_decls(head.results);
    func->params = open_decls(head.params);
    func->attributes = open_attributes(head.attributes);
    if (ptx_span_length(p->lost_params))
        func->lost[func->lost_count++] = p->lost_params;
    p->lost_params = (Span){ 0 };
    return func;
}

void ptx_build_lost_params(Parser *p, Token paren, Token end)
{
    p->lost_params = ptx_span_join(ptx_token_span(paren), ptx_token_span(end));
}

/* `.reg`, `.b32`, and those that lack their dot. */
static bool begins_declaration(const Parser *p, Token token)
{
    static const char *const words[] = { "reg", "local", "shared", "param", "global", "const" };
    bool is_directive = token.kind == TOK_SPACE || token.kind == TOK_LINKAGE
                        || token.kind == TOK_ALIGN || token.kind == TOK_MODIFIER;
    for (size_t w = 0; w < sizeof words / sizeof *words && !is_directive; w++)
        is_directive = span_equals(p, ptx_token_span(token), words[w]);
    return is_directive;
}

void ptx_build_lost_statement(Parser *p, Token semicolon)
{
    AstFunc *func = p->func;
    if (!func || func->lost_count == AST_MAX_LOST || !begins_declaration(p, p->broken))
        return;
    func->lost[func->lost_count++] =
        ptx_span_join(ptx_token_span(p->broken), ptx_token_span(semicolon));
}

void ptx_build_func(Parser *p, AstFunc *func)
{
    p->func = func;
    p->is_recovering = false;
    p->diags->func = p->func_count++;
    p->stmt_tail = &func->body;
    p->loc = NULL;
    p->scope_count = 0;
    p->operand_count = 0;
}

void ptx_build_func_end(Parser *p, Token end)
{
    while (p->scope_count)
        ptx_build_scope_end(p, end);
    if (p->func) {
        p->func->span = ptx_span_join(p->func->span, ptx_token_span(end));
        p->func->operand_count = p->operand_count;
        ptx_build_add_item(p)->func = p->func;
    }
    p->func = NULL;
    p->diags->func = -1;
    p->stmt_tail = NULL;
}

/* ---- statements ------------------------------------------------------------------------------ */

void ptx_build_scope_begin(Parser *p, Token brace)
{
    AstStmt *scope = ptx_build_add_stmt(p, AST_SCOPE_BEGIN, ptx_token_span(brace));
    if (p->scope_count >= LIMIT_NESTING + 1)
        return;                 /* the driver stops nesting before this */
    p->scopes[p->scope_count] = scope;
    p->label_tails[p->scope_count++] = &scope->next_label;
}

void ptx_build_scope_end(Parser *p, Token brace)
{
    ptx_build_add_stmt(p, AST_SCOPE_END, ptx_token_span(brace));
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
    AstStmt *label = ptx_build_add_stmt(p, AST_LABEL,
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
    AstStmt *insn = ptx_build_add_stmt(p, AST_INSN,
                                       ptx_span_join(ptx_token_span(opcode), ptx_token_span(end)));
    p->is_recovering = false;
    insn->opcode = ptx_token_span(opcode);
    insn->detached = opcode.first_on_line;
    if (p->empty_vector.begin > insn->opcode.begin) {
        ptx_diag(p->diags, DIAG_UNEXPECTED, p->empty_vector,
                 "expected an operand between the braces, found `}`");
        ptx_build_mark_error(p);
    }
    insn->operands = open_operands(operands);
    if (p->func)
        p->func->insn_count++;
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

void ptx_build_targets(Parser *p, AstStmtKind kind, Token directive, OperandList names, Token end)
{
    const Span span = ptx_span_join(ptx_token_span(directive), ptx_token_span(end));
    ptx_build_add_stmt(p, kind, span)->operands = open_operands(names);
}

void ptx_build_prototype(Parser *p, FuncHead head, Token end)
{
    AstFunc *prototype = ptx_func_new(p, NULL, head);
    prototype->span = ptx_span_join(ptx_token_span(head.keyword), ptx_token_span(end));
    ptx_build_add_stmt(p, AST_CALLPROTOTYPE, prototype->span)->prototype = prototype;
}

void ptx_build_loc(Parser *p, Token directive, LocTokens at, AstLoc *inlined)
{
    if (!p->func)
        return;
    AstLoc *loc = inlined ? inlined : ptx_arena_new(p->arena, AstLoc);
    loc->file = ptx_build_small(p, at.file);
    loc->line = ptx_build_small(p, at.line);
    loc->column = ptx_build_small(p, at.column);
    loc->span = ptx_span_join(ptx_token_span(directive), ptx_token_span(at.column));
    p->loc = ptx_build_add_stmt(p, AST_LOC, loc->span);
    p->loc->loc = loc;
}

void ptx_build_loc_intermediate(Parser *p, Token directive)
{
    ptx_build_need_version(p, ptx_token_span(directive), "`.loc_intermediate`", 94);
    if (p->func && !(p->loc && p->stmt_tail == &p->loc->next))
        ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive),
                 ".loc_intermediate stands directly behind a .loc");
}

AstLoc *ptx_loc_inlined(Parser *p, Token keyword, Span name)
{
    AstLoc *loc = ptx_arena_new(p->arena, AstLoc);
    if (!span_equals(p, ptx_token_span(keyword), "function_name"))
        ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(keyword),
                 "`%.*s` where `function_name` is expected",
                 span_length_of(ptx_token_span(keyword)), span_text_of(p, ptx_token_span(keyword)));
    loc->function_name = name;
    return loc;
}

void ptx_loc_not_inlined(Parser *p, Span name)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, name,
             "a .loc with `function_name` says too where it was inlined")
        ->help = "add `, inlined_at FILE LINE COLUMN`";
}

AstLoc *ptx_loc_inlined_at(Parser *p, Token keyword, Span name, Token inlined_at, LocTokens at)
{
    AstLoc *loc = ptx_loc_inlined(p, keyword, name);
    const Span word = ptx_token_span(inlined_at);
    if (!span_equals(p, word, "inlined_at"))
        ptx_diag(p->diags, DIAG_UNEXPECTED, word, "`%.*s` where `inlined_at` is expected",
                 span_length_of(word), span_text_of(p, word));
    loc->inlined_file = ptx_build_small(p, at.file);
    loc->inlined_line = ptx_build_small(p, at.line);
    loc->inlined_column = ptx_build_small(p, at.column);
    return loc;
}
