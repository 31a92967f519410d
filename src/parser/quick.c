#include "parser/quick.h"

/* ---- bytes: PTX ISA, "Identifiers"; NULL is "not a usual one" -------------------------------- */

enum { IS_START = 1, IS_FOLLOW = 2, IS_DIGIT = 4, IS_BLANK = 8, LONGEST = 4096 };

static const uint8_t classes[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 0, 8, 8, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    8, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 0, 0, 0, 0, 0, 0,
    0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 3,
    0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0,
};

typedef struct QuickReader {
    Parser *p;
    const unsigned char *at;
} QuickReader;

static void skip_quick_blanks(QuickReader *r)
{
    while (classes[*r->at] & IS_BLANK)
        r->at++;
}

/* Blanks and whole lines of comment; true where a line ended. */
static bool skip_lines(QuickReader *r)
{
    bool ended = false;
    r->at = ptx_behind_spaces(r->at, r->p->lexer.end);
    for (;;) {
        while (classes[*r->at] & IS_BLANK)
            ended |= *r->at++ == '\n';
        if (r->at[0] != '/' || r->at[1] != '/' || r->p->lexer.has_foreign_bytes)
            return ended;
        while (*r->at != '\n' && *r->at)
            r->at++;
        if (!*r->at)
            return false;       /* the end, or a byte for the scanner to diagnose */
    }
}

/* Bytes from begin to where the reader is, as a token of this kind. */
static Token token_from(const QuickReader *r, const unsigned char *begin, int kind)
{
    return (Token){ .begin = (uint32_t)(begin - r->p->lexer.base),
                    .length = (uint32_t)(r->at - begin) & TOKEN_LONGEST,
                    .kind = (unsigned)kind & 127 };
}

static Token take_byte(QuickReader *r, int kind)
{
    r->at++;
    return token_from(r, r->at - 1, kind);
}

/* A word, or one with modifiers behind it. Kind 0: none. */
static Token read_quick_word(QuickReader *r)
{
    const unsigned char *begin = r->at, *at = begin;
    int kind = TOK_WORD;
    if (!(classes[*at] & IS_START))
        return (Token){ 0 };
    at++;
    while (classes[*at] & IS_FOLLOW)
        at++;
    if (at - begin == 1 && (*begin == '$' || *begin == '%'))
        return (Token){ 0 };
    while (*at == '.') {
        if (!(classes[at[1]] & IS_FOLLOW) || at[1] == '$')
            return (Token){ 0 };
        kind = TOK_OPWORD;
        at += 2;
        while (classes[*at] & IS_FOLLOW || (at[0] == ':' && at[1] == ':'))
            at += *at == ':' ? 2 : 1;
        if (*at == ':' && classes[at[1]] & IS_DIGIT)
            return (Token){ 0 };        /* .sp::2:4 */
    }
    if (at - begin > LONGEST)
        return (Token){ 0 };
    r->at = at;
    return token_from(r, begin, kind);
}

static bool is_hex_byte(unsigned char c)
{
    return classes[c] & IS_DIGIT || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* A decimal or hexadecimal integer of less than 64 bits, or the bits of a float. Kind 0: none. */
static Token read_number(QuickReader *r)
{
    const unsigned char *begin = r->at, *at = begin;
    int kind = TOK_INT;
    bool is_prefixed = at[0] == '0' && classes[at[1]] & IS_START;
    unsigned char prefix = is_prefixed ? (unsigned char)(at[1] | 32) : 0;
    if (is_prefixed) {
        at += 2;
        while (is_hex_byte(*at))
            at++;
        bool is_integer = prefix == 'x' && at - begin > 2 && at - begin <= 18;
        if (!is_integer && !(prefix == 'f' && at - begin == 10)
            && !(prefix == 'd' && at - begin == 18))
            return (Token){ 0 };
        kind = is_integer ? TOK_INT : TOK_BITS;
    } else {
        while (classes[*at] & IS_DIGIT)
            at++;
        if (at == begin || at - begin > 18 || (*begin == '0' && at - begin > 1))
            return (Token){ 0 };
    }
    if (classes[*at] & IS_FOLLOW || *at == '.')
        return (Token){ 0 };
    r->at = at;
    return token_from(r, begin, kind);
}

/* ---- operands -------------------------------------------------------------------------------- */

static AstOperand *read_number_operand(QuickReader *r)
{
    Token number = read_number(r);
    if (!number.kind)
        return NULL;
    return number.kind == TOK_BITS ? ptx_operand_bits(r->p, number) : ptx_operand_int(r->p, number);
}

static AstOperand *read_name(QuickReader *r)
{
    Token word = read_quick_word(r);
    return word.kind ? ptx_operand_name(r->p, word) : NULL;
}

static int operator_token(unsigned char sign)
{
    switch (sign) {
    case '+': return TOK_PLUS;
    case '-': return TOK_MINUS;
    default:  return TOK_OR;
    }
}

/* Behind a name: +8, -8, +-8, or |q. */
static AstOperand *read_rest(QuickReader *r, AstOperand *name)
{
    const unsigned char sign = *r->at;
    Token operator = take_byte(r, operator_token(sign));
    skip_quick_blanks(r);
    AstOperand *right;
    if (sign == '|') {
        right = read_name(r);
    } else if (*r->at == '-' && sign == '+') {
        Token minus = take_byte(r, TOK_MINUS);
        right = read_number_operand(r);
        right = right ? ptx_operand_unary(r->p, minus, right) : NULL;
    } else {
        right = read_number_operand(r);
    }
    if (!right || (right->kind != AST_INT && sign != '|') || name->kind != AST_NAME)
        return NULL;
    return ptx_operand_binary(r->p, name, operator, right);
}

/* A name with what may be behind it, a number, or one of them behind a sign. Leaves the reader
 * behind blanks. */
static AstOperand *read_quick_value(QuickReader *r)
{
    AstOperand *value;
    if (classes[*r->at] & IS_START) {
        value = read_name(r);
        skip_quick_blanks(r);
        if (value && (*r->at == '+' || *r->at == '-' || *r->at == '|'))
            value = read_rest(r, value);
    } else if (*r->at == '!' || *r->at == '-') {
        Token sign = take_byte(r, *r->at == '!' ? TOK_NOT : TOK_MINUS);
        value = NULL;
        if (classes[*r->at] & IS_START)
            value = read_name(r);
        else if (sign.kind == TOK_MINUS)
            value = read_number_operand(r);
        bool takes_sign = value && (value->kind == AST_NAME || sign.kind == TOK_MINUS);
        value = takes_sign ? ptx_operand_unary(r->p, sign, value) : NULL;
    } else {
        value = read_number_operand(r);
    }
    skip_quick_blanks(r);
    return value;
}

typedef struct BracketPair {
    unsigned char open, close;
    uint8_t open_token, close_token;
} BracketPair;

static const BracketPair bracket_pairs[] = { { '[', ']', TOK_LBRACKET, TOK_RBRACKET },
                                             { '{', '}', TOK_LBRACE, TOK_RBRACE },
                                             { '(', ')', TOK_LPAREN, TOK_RPAREN } };

static const BracketPair *bracket_pair(unsigned char open)
{
    const BracketPair *pair = bracket_pairs;
    while (pair->open != open)
        pair++;
    return pair;
}

/* What stands in brackets of any kind: values and commas. */
static AstOperand *read_quick_group(QuickReader *r)
{
    const BracketPair *pair = bracket_pair(*r->at);
    Token begin = take_byte(r, pair->open_token);
    OperandList list = { NULL };
    do {
        r->at += list.last != NULL;
        skip_quick_blanks(r);
        AstOperand *value = read_quick_value(r);
        if (!value)
            return NULL;
        list = list.last ? LIST_ADD(OperandList, list, value) : LIST_ONE(OperandList, value);
    } while (*r->at == ',');
    if (*r->at != pair->close)
        return NULL;
    Token end = take_byte(r, pair->close_token);
    skip_quick_blanks(r);
    if (pair->open == '[')
        return ptx_operand_address(r->p, begin, list, end);
    return ptx_operand_group(r->p, pair->open == '{' ? AST_VECTOR : AST_LIST, begin, list, end);
}

static bool read_quick_operands(QuickReader *r, Quick *quick)
{
    for (;;) {
        bool is_group = *r->at == '[' || *r->at == '{' || *r->at == '(';
        AstOperand *operand = is_group ? read_quick_group(r) : read_quick_value(r);
        if (!operand)
            return false;
        quick->operands = quick->operands.last ? LIST_ADD(OperandList, quick->operands, operand)
                                               : LIST_ONE(OperandList, operand);
        if (*r->at != ',')
            return *r->at == ';';
        r->at++;
        skip_quick_blanks(r);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool read_guard(QuickReader *r, Quick *quick)
{
    Token sign = take_byte(r, TOK_AT);
    skip_quick_blanks(r);
    bool negated = *r->at == '!';
    r->at += negated;
    skip_quick_blanks(r);
    Token name = read_quick_word(r);
    quick->guard = (GuardText){ ptx_token_span(sign), ptx_token_span(name), negated };
    skip_quick_blanks(r);
    return name.kind == TOK_WORD;
}

static void read_quick_insn(QuickReader *r, Quick *quick)
{
    bool is_guarded = *r->at == '@';
    if (is_guarded && !read_guard(r, quick))
        return;
    quick->head = read_quick_word(r);
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
    if (!quick->head.kind)
        return;
    if (*r->at == ':' && quick->head.kind == TOK_WORD && !is_guarded && r->at[1] != ':') {
        quick->end = take_byte(r, TOK_COLON);
        quick->kind = QUICK_LABEL;
    /* operands begin on the line of the opcode: else a `;` may be lost */
    } else if (*r->at == ';' || read_quick_operands(r, quick)) {
        quick->end = take_byte(r, TOK_SEMI);
        quick->kind = QUICK_INSN;
    }
}

static Token read_integer_token(QuickReader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
    Token number = read_number(r);
    return number.kind == TOK_INT ? number : (Token){ 0 };
}

static bool read_keyword(QuickReader *r, const char *keyword, Token *out)
{
    size_t length = strlen(keyword);
    if (*r->at != ',')
        return false;
    r->at++;
    skip_quick_blanks(r);
    *out = read_quick_word(r);
    return out->kind == TOK_WORD && out->length == length
           && !memcmp(r->at - length, keyword, length);
}

/* , function_name NAME+8, inlined_at 1 20 3 */
static AstLoc *read_inlined(QuickReader *r)
{
    Token function_name, inlined_at;
    if (!read_keyword(r, "function_name", &function_name))
        return NULL;
    skip_quick_blanks(r);
    Token word = read_quick_word(r);
    Span name = ptx_token_span(word);
    if (*r->at == '+') {
        r->at++;
        name = ptx_span_join(name, ptx_token_span(read_integer_token(r)));
    }
    if (word.kind != TOK_WORD || !read_keyword(r, "inlined_at", &inlined_at))
        return NULL;
    Token file = read_integer_token(r), line = read_integer_token(r),
          column = read_integer_token(r);
    return column.kind && line.kind && file.kind
               ? ptx_loc_inlined_at(r->p, function_name, name, inlined_at,
                                    (LocTokens){ file, line, column })
               : NULL;
}

static void read_loc(QuickReader *r, Quick *quick)
{
    const unsigned char *begin = r->at;
    r->at += strlen(".loc");
    quick->head = token_from(r, begin, TOK_LOC);
    quick->file = read_integer_token(r);
    quick->line = read_integer_token(r);
    quick->end = read_integer_token(r);
    if (!quick->end.kind || !quick->line.kind || !quick->file.kind)
        return;
    if (*r->at == ',' && !(quick->inlined = read_inlined(r)))
        return;
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
    QuickReader next = *r;
    skip_quick_blanks(&next);
    quick->kind = *r->at == '\n' && *next.at != ',' ? QUICK_LOC : QUICK_NONE;
}

Quick ptx_quick_read(Parser *p)
{
    Quick quick = { .kind = QUICK_NONE };
    QuickReader r = { p, p->lexer.cur };
    skip_lines(&r);
    if (*r.at == '.' && r.at[1] == 'l' && r.at[2] == 'o' && r.at[3] == 'c'
        && (r.at[4] == ' ' || r.at[4] == '\t'))
        read_loc(&r, &quick);
    else
        read_quick_insn(&r, &quick);
    if (quick.kind)
        p->lexer.cur = r.at;
    return quick;
}

void ptx_quick_build(Parser *p, const Quick *quick)
{
    switch (quick->kind) {
    case QUICK_NONE:
        return;
    case QUICK_LABEL:
        ptx_build_label(p, quick->head, quick->end);
        return;
    case QUICK_LOC:
        ptx_build_loc(p, quick->head, (LocTokens){ quick->file, quick->line, quick->end },
                      quick->inlined);
        return;
    case QUICK_INSN: {
        AstStmt *insn = ptx_build_insn(p, quick->head, quick->operands, quick->end);
        p->guard = quick->guard;
        if (ptx_span_length(quick->guard.name))
            ptx_build_guarded(p, insn);
        return;
    }
    }
}
