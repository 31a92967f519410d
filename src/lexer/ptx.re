/* ptx.re -- the scanner; see lexer.h. */
#include "lexer/lexer.h"

static Span span_of(const Lexer *lx, const unsigned char *begin, const unsigned char *end)
{
    return (Span){ (uint32_t)(begin - lx->base), (uint32_t)(end - lx->base) };
}

void ptx_lexer_init(Lexer *lx, const char *text, size_t length, DiagSink *diags)
{
    const unsigned char *base = (const unsigned char *)text;
    *lx = (Lexer){ .base = base, .cur = base, .end = base + length, .at_line_start = true, .diags = diags };
    unsigned char all = 0;
    for (size_t i = 3; i < length; i++)
        all |= base[i];
    lx->has_foreign_bytes = all >= 0x80;
    if (length >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF) {
        Diag *diag = ptx_diag(diags, DIAG_BYTE_ORDER_MARK, (Span){ 0, 3 }, "the file begins with a byte-order mark, which ptxas refuses");
        diag->help = "save it as UTF-8 without one, or as ASCII";
        ptx_diag_fix(diags, diag, (Span){ 0, 3 }, true, "%s", "");
        lx->cur += 3;
    }
}

/* One byte that is a sign, or a run of bytes that are none. */
static void bad_bytes(Lexer *lx, const unsigned char *start)
{
    unsigned char c = *start, least = 0xFF;
    Span span = span_of(lx, start, lx->cur);
    unsigned count = (unsigned)(lx->cur - start);
    for (const unsigned char *at = start; at < lx->cur; at++)
        least = *at < least ? *at : least;
    if (c > 0x20 && c < 0x7F)
        ptx_diag(lx->diags, DIAG_BAD_BYTE, span, "`%c` has no meaning in PTX", c);
    else if (count == 1 && c < 0x80)
        ptx_diag(lx->diags, DIAG_BAD_BYTE, span, "byte 0x%02x has no meaning in PTX", c);
    else if (least < 0x80)
        ptx_diag(lx->diags, DIAG_BAD_BYTE, span, "%u bytes that are not text, starting with 0x%02x", count, c);
    else
        ptx_diag(lx->diags, DIAG_BAD_BYTE, span, "%u byte%s outside ASCII; PTX allows them only in comments and strings", count, count > 1 ? "s" : "");
}

/* Comments and strings may hold any bytes here; ptxas takes ASCII alone. Said of the first one. */
static void look_for_foreign_bytes(Lexer *lx, const unsigned char *start)
{
    const unsigned char *at = start;
    while (at < lx->cur && *at < 0x80)
        at++;
    if (at == lx->cur)
        return;
    const unsigned char *end = at;
    while (end < lx->cur && *end >= 0x80)
        end++;
    lx->has_foreign_bytes = false;
    ptx_diag(lx->diags, DIAG_NOT_ASCII, span_of(lx, at, end), "this %s is not ASCII, and ptxas refuses the file for it", *start == '"' ? "string" : "comment")
        ->help = "write it in ASCII; reported once for a file";
}

/* To the end of its line, but not over a `;` there: most likely that is the statement's. */
static void skip_open_string(Lexer *lx, const unsigned char *start)
{
    while (lx->cur < lx->end && *lx->cur != '\n' && *lx->cur != '\r')
        lx->cur++;
    const unsigned char *last = lx->cur - 1;
    while (last > start && (*last == ' ' || *last == '\t'))
        last--;
    if (last > start && *last == ';')
        lx->cur = last;
    Diag *diag = ptx_diag(lx->diags, DIAG_UNCLOSED_STRING, span_of(lx, start, lx->cur), "this string is not closed on its line");
    diag->help = "close it with `\"`";
    ptx_diag_fix(lx->diags, diag, span_of(lx, lx->cur, lx->cur), false, "\"");
}

static bool stands_at(const Lexer *lx, const unsigned char *at, const char *mark)
{
    const size_t length = strlen(mark);
    return (size_t)(lx->end - at) >= length && !memcmp(at, mark, length);
}

/* Where a line begins with a directive that no section holds; else the end. */
static const unsigned char *find_module_item(const Lexer *lx, const unsigned char *at)
{
    static const char *const marks[] = { "\n.version", "\n.entry",  "\n.func",
                                         "\n.visible", "\n.extern", "\n.weak" };
    for (; at < lx->end; at++)
        for (size_t m = 0; *at == '\n' && m < sizeof marks / sizeof *marks; m++)
            if (stands_at(lx, at, marks[m]))
                return at;
    return lx->end;
}

/* Behind source text of another language, if it begins there; else the next byte. */
static const unsigned char *skip_source_text(const Lexer *lx, const unsigned char *at)
{
    const char *closing = NULL;
    if (stands_at(lx, at, ".source_begin"))
        closing = ".source_end";
    else if (stands_at(lx, at, "<<<"))
        closing = ">>>";        /* an older form */
    if (!closing)
        return at + 1;
    while (at < lx->end && !stands_at(lx, at, closing))
        at++;
    return at < lx->end ? at + strlen(closing) : at;
}

/* PTX ISA 9.4, "Debugging Directives: .nv_intermediate_source_section": braces, and in them source
 * text of another language, which is not PTX. */
static void skip_source_section(Lexer *lx, const unsigned char *start)
{
    uint32_t depth = 0;
    const unsigned char *at = lx->cur;
    while (at < lx->end) {
        const unsigned char c = *at;
        at = skip_source_text(lx, at);
        depth += c == '{';
        if (c == '}' && depth && !--depth) {
            lx->cur = at;
            return;
        }
        if (!depth && c > ' ')
            break;              /* no brace opens it */
    }
    ptx_diag(lx->diags, DIAG_UNCLOSED_BODY, span_of(lx, start, lx->cur),
             "this section of source text is never closed")
        ->help = "it ends with `.source_end` and a `}` for each `{`";
    lx->cur = find_module_item(lx, lx->cur);
}

Token ptx_lex(Lexer *lx)
{
    const unsigned char *marker, *start;
    int kind;
    bool first = lx->at_line_start;
    for (;;) {
        start = lx->cur;
        /*!re2c
        re2c:define:YYCTYPE  = "unsigned char";     re2c:define:YYLIMIT  = lx->end;
        re2c:define:YYCURSOR = lx->cur;             re2c:define:YYMARKER = marker;
        re2c:yyfill:enable   = 0;                   re2c:eof = 0;
        re2c:indent:top      = 2;

        follow  = [a-zA-Z0-9_$];
        word    = [a-zA-Z] follow* | [_$%] follow+ | "_";  // PTX ISA, "Identifiers"
        blank   = [ \t];
        dotted  = "." [a-zA-Z0-9_] (follow | "::")*;       // .f32  .shared::cta  .2d  .32x32b
        sparse  = ".sp::" [0-9]+ ":" [0-9]+;               // PTX ISA 9.4, "spcompress"
        bank    = ".const[" [0-9]+ "]";                    // PTX 1.5 to 2.1: "Constant State Space"
        comment = "//" [^\n\x00]* | "/*" ([^*\x00] | [*]+ [^*/\x00])* [*]+ "/";
        integer = ("0" [xX] [0-9a-fA-F]+ | "0" [bB] [01]+ | [0-9]+) "U"?;
        real    = [0-9]+ "." [0-9]* ([eE] [+-]? [0-9]+)? | [0-9]+ [eE] [+-]? [0-9]+ | "." [0-9]+ ([eE] [+-]? [0-9]+)?;
        bits    = "0" [fF] [0-9a-fA-F]{8} | "0" [dD] [0-9a-fA-F]{16};

        $                     { kind = TOK_EOF;           break; }
        white   = [ \t\r\f\x1a];                          // a form feed, and the end mark of DOS: ptxas takes both
        white{1,15}           { continue; }
        white{16}             { lx->cur = ptx_behind_spaces(lx->cur, lx->end); continue; }
        "\n" [ \t\r\n]*       { first = true;             continue; }
        comment               { if (lx->has_foreign_bytes)
                                    look_for_foreign_bytes(lx, start);
                                continue; }
        "/*"                  { ptx_diag(lx->diags, DIAG_UNCLOSED_COMMENT, span_of(lx, start, lx->cur),
                                         "this comment is never closed")->help = "close it with `*/`";
                                lx->is_cut_short = true;
                                lx->cur = lx->end;        continue; }

        ".version"            { kind = TOK_VERSION;       break; }
        ".target"             { kind = TOK_TARGET;        break; }
        ".address_size"       { kind = TOK_ADDRESS_SIZE;  break; }
        ".file"               { kind = TOK_FILE;          break; }
        ".loc"                { kind = TOK_LOC;           break; }
        ".loc_intermediate"   { kind = TOK_LOC_INTERMEDIATE; break; }
        ".nv_intermediate_source_section"
                              { const unsigned char *end = lx->cur;
                                skip_source_section(lx, start);
                                lx->at_line_start = false;
                                return ptx_token(TOK_SOURCE_SECTION, first,
                                                 span_of(lx, start, end)); }
        ".section"            { kind = TOK_SECTION;       break; }
        ".pragma"             { kind = TOK_PRAGMA;        break; }
        ".alias"              { kind = TOK_ALIAS;         break; }
        ".entry"              { kind = TOK_ENTRY;         break; }
        ".func"               { kind = TOK_FUNC;          break; }
        ".extern" | ".visible" | ".weak" | ".common"
                              { kind = TOK_LINKAGE;       break; }
        ".reg" | ".sreg" | ".const" | ".global" | ".local" | ".shared" | ".param" | ".tex" | ".surf" | bank
                              { kind = TOK_SPACE;         break; }
        ".align"              { kind = TOK_ALIGN;         break; }
        ".ptr"                { kind = TOK_PTR;           break; }
        ".attribute"          { kind = TOK_ATTRIBUTE;     break; }
        ".maxnreg" | ".maxntid" | ".reqntid" | ".minnctapersm" | ".maxnctapersm" | ".reqnctapercluster"
            | ".maxclusterrank" | ".minperctamemory" | ".abi_preserve" | ".abi_preserve_control"
                              { kind = TOK_PERFORMANCE;   break; }
        ".language"           { kind = TOK_LANGUAGE;      break; }
        ".noreturn" | ".explicitcluster" | ".blocksareclusters"
                              { kind = TOK_FLAG;          break; }
        ".branchtargets"      { kind = TOK_BRANCHTARGETS; break; }
        ".calltargets"        { kind = TOK_CALLTARGETS;   break; }
        ".callprototype"      { kind = TOK_CALLPROTOTYPE; break; }

        "@@DWARF" [^\n\x00]*  { continue; }            // debug data of PTX 1.x: PTX ISA, "Debugging Directives: @@dwarf"
        "#" blank* ("line" blank+)? [0-9]+ blank+ ["] [^"\n\x00]* ["] (blank+ [0-9]+)*
                              { if (first)               // a line marker of a preprocessor: ptxas takes this form alone
                                    continue;
                                lx->cur = start + 1;
                                bad_bytes(lx, start);     continue; }
        "#" [^\n\x00]*        { const unsigned char *end = lx->cur;
                                lx->cur = start + 1;
                                bad_bytes(lx, start);
                                lx->cur = first ? end : start + 1;
                                continue; }

        "." [0-9]+            { kind = TOK_REAL;          break; }
        dotted                { kind = TOK_MODIFIER;      break; }
        word                  { kind = TOK_WORD;          break; }
        word (dotted | sparse | bank)+ { kind = TOK_OPWORD;        break; }
        integer               { kind = TOK_INT;           break; }
        real                  { kind = TOK_REAL;          break; }
        bits                  { kind = TOK_BITS;          break; }
        (integer | real | bits) follow+
                              { ptx_diag(lx->diags, DIAG_BAD_NUMBER, span_of(lx, start, lx->cur),
                                         "`%.*s` is not a number", (int)(lx->cur - start), (const char *)start);
                                kind = TOK_INT;           break; }
        ["] [^"\n\x00]* ["]   { if (lx->has_foreign_bytes)
                                    look_for_foreign_bytes(lx, start);
                                kind = TOK_STRING;        break; }
        ["]                   { skip_open_string(lx, start);
                                kind = TOK_STRING;        break; }

        ","  { kind = TOK_COMMA;    break; }     ";"  { kind = TOK_SEMI;     break; }
        ":"  { kind = TOK_COLON;    break; }     "@"  { kind = TOK_AT;       break; }
        "{"  { kind = TOK_LBRACE;   break; }     "}"  { kind = TOK_RBRACE;   break; }
        "["  { kind = TOK_LBRACKET; break; }     "]"  { kind = TOK_RBRACKET; break; }
        "("  { kind = TOK_LPAREN;   break; }     ")"  { kind = TOK_RPAREN;   break; }
        "="  { kind = TOK_ASSIGN;   break; }     "?"  { kind = TOK_QUESTION; break; }
        "+"  { kind = TOK_PLUS;     break; }     "-"  { kind = TOK_MINUS;    break; }
        "*"  { kind = TOK_STAR;     break; }     "/"  { kind = TOK_SLASH;    break; }
        "%"  { kind = TOK_PERCENT;  break; }     "~"  { kind = TOK_TILDE;    break; }
        "!"  { kind = TOK_NOT;      break; }     "&"  { kind = TOK_AND;      break; }
        "|"  { kind = TOK_OR;       break; }     "^"  { kind = TOK_XOR;      break; }
        "<<" { kind = TOK_SHL;      break; }     ">>" { kind = TOK_SHR;      break; }
        "<"  { kind = TOK_LT;       break; }     ">"  { kind = TOK_GT;       break; }
        "<=" { kind = TOK_LE;       break; }     ">=" { kind = TOK_GE;       break; }
        "==" { kind = TOK_EQ;       break; }     "!=" { kind = TOK_NE;       break; }
        "&&" { kind = TOK_ANDAND;   break; }     "||" { kind = TOK_OROR;     break; }

        [\x00-\x08\x0b\x0e-\x19\x1b-\x1f\x7f-\xff]+
                              { bad_bytes(lx, start);     continue; }
        *                     { bad_bytes(lx, start);     continue; }
        */
    }
    lx->at_line_start = false;
    if (lx->cur - start > TOKEN_LONGEST) {
        ptx_diag(lx->diags, DIAG_TOO_LARGE, span_of(lx, start, lx->cur), "a word has at most %d bytes", TOKEN_LONGEST);
        return ptx_lex(lx);
    }
    return ptx_token(kind, first, span_of(lx, start, lx->cur));
}

uint32_t ptx_lex_skip_integers(Lexer *lx)
{
    uint32_t count = 0;
    const unsigned char *p = lx->cur;
    for (;;) {
        const unsigned char *q = p;
        while (*q == ' ' || *q == '\t' || *q == '\n' || *q == '\r')
            q++;
        if (*q == '-')
            q++;
        const unsigned char *digits = q;
        while (*q >= '0' && *q <= '9')
            q++;
        if (q == digits || (*digits == '0' && q - digits > 1) || q - digits > 9)
            break;              /* octal, hexadecimal, large or no number: the scanner proper reads it */
        while (*q == ' ' || *q == '\t')
            q++;
        if (*q != ',')
            break;
        p = q + 1;
        count++;
    }
    lx->cur = p;
    return count;
}
