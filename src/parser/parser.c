#include "parser/parser.h"

#include "parser/build.h"
#include "parser/quick.h"
#include "support/assert.h"

#include <stdlib.h>

/* Lemon's generated interface; the parser object lives in the arena. */
void PtxInit(void *parser, Parser *p);
void PtxFinalize(void *parser);
void Ptx(void *parser, int kind, Token token);
size_t ptx_parser_bytes(void);

/* How much of a .func stands at module level, while it may still be a declaration: one ends without
 * a `;` where the next item begins. */
typedef enum PrototypeStage { PROTOTYPE_NONE, PROTOTYPE_BEGUN, PROTOTYPE_NAMED } PrototypeStage;

typedef struct Driver {
    Parser p;                   /* first: a Parser is a Driver to this file */
    void *lemon;
    ArenaMark empty;            /* of the items' arena */
    bool keeps_items;           /* the caller empties it */
    bool at_end;
    uint32_t scopes;            /* open braces around statements: 0 at module level */
    uint32_t brackets;          /* open brackets of any kind inside the current statement */
    uint32_t braces;            /* those of them that are braces */
    uint32_t in_statement;      /* tokens since the statement began, guard not counted */
    bool in_initializer;        /* after `=` */
    /* end of the integers that were skipped behind the last token; 0: none were */
    uint32_t skipped_to;
    bool in_loc;                /* after .loc, on its line: no `;` ends it */
    uint8_t prototype;          /* PrototypeStage */
    /* Lemon has reduced all that came, and a statement may begin: the last one was a quick one */
    bool is_at_rest;
    uint32_t errors_before;     /* syntax errors up to the item that is being read */
} Driver;

static void restart(Driver *d)
{
    PtxFinalize(d->lemon);
    PtxInit(d->lemon, &d->p);
    d->p.parser_failed = false;
    d->p.open_lists = d->p.closed_lists = NULL;
    d->scopes = d->brackets = d->braces = d->in_statement = 0;
    d->in_initializer = d->in_loc = d->is_at_rest = false;
    d->prototype = PROTOTYPE_NONE;
    d->errors_before = d->p.syntax_errors;
}

/* After Lemon gave up inside a body: to the brace that closes it, or to what can only stand behind
 * it. */
static void skip_body(Driver *d)
{
    Parser *p = &d->p;
    for (uint32_t depth = d->scopes; depth;) {
        uint32_t at = (uint32_t)(p->lexer.cur - p->lexer.base);
        Token token = ptx_lex(&p->lexer);
        if (token.kind == TOK_EOF || token.kind == TOK_ENTRY || token.kind == TOK_FUNC
            || token.kind == TOK_VERSION) {
            p->lexer.cur = p->lexer.base + at;
            p->lexer.at_line_start = token.first_on_line;
            return;
        }
        depth += token.kind == TOK_LBRACE;
        depth -= token.kind == TOK_RBRACE;
    }
}

static void feed(Driver *d, Token token)
{
    Ptx(d->lemon, token.kind, token);
    if (!d->p.parser_failed)
        return;
    skip_body(d);
    if (d->p.func)
        ptx_build_func_end(&d->p, token);
    restart(d);
}

static bool ends_operand(int kind)
{
    switch (kind) {
    case TOK_WORD: case TOK_OPWORD: case TOK_INT: case TOK_REAL: case TOK_BITS:
    case TOK_RBRACKET: case TOK_RPAREN: case TOK_RBRACE:
        return true;
    default:
        return false;
    }
}

static OpcodeId opcode_of(const Driver *d, Token token)
{
    const char *text = d->p.text + ptx_token_span(token).begin;
    size_t length = 0;
    while (length < ptx_span_length(ptx_token_span(token)) && text[length] != '.')
        length++;
    return ptx_opcode_find(text, length);
}

/* Whether an instruction of this opcode may be the opcode alone, as ret. The row of call has no
 * operands: they are in lists of its own. */
static bool stands_alone(const Driver *d, Token token)
{
    OpcodeId opcode = opcode_of(d, token);
    const OpcodeInfo *info = &ptx_opcode_info[opcode];
    bool is_call = info->operation == OP_CALL;
    for (unsigned f = 0; opcode && !is_call && f < info->form_count; f++) {
        if (ptx_form_takes((FormId)(info->form_first + f), 0))
            return true;
    }
    return false;
}

/* Whether a `;` was lost before this token: it begins a line, and no PTX statement could go on with
 * it. A function, label or register may have the name of an opcode, and stand on the line behind
 * the instruction that needs it. */
static bool lost_semicolon(const Driver *d, Token token)
{
    bool ends = ends_operand(d->p.last.kind)
                || (d->p.last.kind == TOK_GT && d->p.statement.kind == TOK_SPACE);      /* %r<9> */
    if (!token.first_on_line || !d->scopes || !d->in_statement || d->braces || !ends)
        return false;
    switch (token.kind) {
    case TOK_WORD: case TOK_OPWORD:
        return d->in_statement > 1 || (opcode_of(d, token) && stands_alone(d, d->p.last));
    case TOK_AT:
    case TOK_LOC:
    case TOK_LOC_INTERMEDIATE:
    case TOK_RBRACE:
    case TOK_PRAGMA:
    case TOK_BRANCHTARGETS:
    case TOK_CALLTARGETS:
    case TOK_CALLPROTOTYPE:
        return true;
    case TOK_SPACE:
        return d->in_statement > 1;
    case TOK_LBRACE:
        return !d->brackets && (d->in_statement > 1 || stands_alone(d, d->p.last));
    default:
        return false;
    }
}

/* A token that can only stand at module level, where a body is still open. */
static bool begins_module_item(const Driver *d, Token token)
{
    if (!d->scopes)
        return false;
    return token.kind == TOK_ENTRY || token.kind == TOK_FUNC || token.kind == TOK_VERSION
           || token.kind == TOK_TARGET || token.kind == TOK_ADDRESS_SIZE
           || (token.kind == TOK_LINKAGE && token.first_on_line);
}

static void report_unclosed(Parser *p, Token before)
{
    Span open = p->scopes[0] ? p->scopes[0]->span : (Span){0};
    Diag *diag = ptx_diag(p->diags, DIAG_UNCLOSED_BODY, ptx_token_span(before),
                          "the body of `%.*s` is not closed before this",
                          (int)ptx_span_length(p->func->name), p->text + p->func->name.begin);
    diag->help = "insert `}` before it";
    ptx_diag_fix(p->diags, diag, (Span){ (uint32_t)before.begin, (uint32_t)before.begin }, false,
                 "}\n");
    ptx_diag_relate(p->diags, diag, open, "the body begins here");
}

static void close_body(Driver *d, Token before)
{
    Parser *p = &d->p;
    if (!p->func) /* Lemon reduces at the next token: the body that the last `{` opened does not stand yet */
        feed(d,
             ptx_token(TOK_SEMI, false, (Span){ (uint32_t)before.begin, (uint32_t)before.begin }));
    if (!p->func) {
        restart(d);
        return;
    }
    if (!p->lexer.is_cut_short)
        report_unclosed(p, before);
    p->func->has_syntax_error = true;
    ptx_build_func_end(p, p->last);
    restart(d);
}

/* The debug data between the braces of a .section: integers, labels and label arithmetic, which no
 * analysis reads. */
static Token skip_section(Driver *d)
{
    Parser *p = &d->p;
    Token open = p->last;
    for (;;) {
        Token token = ptx_lex(&p->lexer);
        switch (token.kind) {
        case TOK_RBRACE:
            return token;
        case TOK_MODIFIER:
            ptx_build_section_data(p, token);
            ptx_lex_skip_integers(&p->lexer);
            continue;
        case TOK_COMMA:
            ptx_lex_skip_integers(&p->lexer);
            continue;
        case TOK_INT:
        case TOK_WORD:
        case TOK_OPWORD:
        case TOK_COLON:
        case TOK_PLUS:
        case TOK_MINUS:
            continue;
        case TOK_EOF:
        case TOK_ENTRY:
        case TOK_FUNC:
        case TOK_VERSION:
        case TOK_SECTION:
        case TOK_LINKAGE:
            ptx_diag(p->diags, DIAG_UNCLOSED_BODY, ptx_token_span(open),
                     "this .section is never closed");
            /* read it again, as what follows the section */
            p->lexer.cur = p->lexer.base + ptx_token_span(token).begin;
            return ptx_token(TOK_RBRACE, false,
                             (Span){ (uint32_t)token.begin, (uint32_t)token.begin });
        default:
            ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(token),
                     "`%.*s` is not allowed in a .section",
                     (int)ptx_span_length(ptx_token_span(token)),
                     p->text + ptx_token_span(token).begin);
            continue;
        }
    }
}

/* Skips a bracket opened at the limit of nesting, and all inside it. */
static void skip_nest(Driver *d, Token open)
{
    Parser *p = &d->p;
    ptx_diag(p->diags, DIAG_TOO_DEEP, ptx_token_span(open),
             "brackets are nested deeper than %d; what is inside this one is not read",
             (int)LIMIT_NESTING);
    if (p->func)
        p->func->has_syntax_error = true;
    for (uint32_t depth = 1; depth;) {
        Token token = ptx_lex(&p->lexer);
        if (token.kind == TOK_EOF)
            return;
        if (token.kind == TOK_LBRACE || token.kind == TOK_LPAREN || token.kind == TOK_LBRACKET)
            depth++;
        if (token.kind == TOK_RBRACE || token.kind == TOK_RPAREN || token.kind == TOK_RBRACKET)
            depth--;
    }
}

static void track_brace(Driver *d, Token token)
{
    bool operand = d->in_initializer || (d->scopes && d->in_statement);
    if (token.kind == TOK_LBRACE) {
        d->brackets += operand;
        d->braces += operand;
        if (!operand) {
            d->scopes++;
            d->in_statement = 0;
        }
        return;
    }
    if (d->braces) {
        d->braces--;
        d->brackets -= d->brackets > 0;
        return;
    }
    d->scopes -= d->scopes > 0;
    d->in_statement = d->brackets = 0;
    if (!d->scopes)
        d->errors_before = d->p.syntax_errors;
}

/* Keeps the driver's idea of where in a statement we are; called before the token is fed. */
static void track(Driver *d, Token token)
{
    if (token.first_on_line)
        d->in_loc = false;
    switch (token.kind) {
    case TOK_LBRACE: case TOK_RBRACE:
        track_brace(d, token);
        return;
    case TOK_SEMI:
        d->p.open_lists = NULL;
        d->in_statement = d->braces = d->brackets = 0;
        d->in_initializer = false;
        return;
    case TOK_LOC: case TOK_LOC_INTERMEDIATE:
        d->in_loc = true;
        d->in_statement = 0;
        return;
    case TOK_ASSIGN:
        if (!d->in_initializer)
            d->p.open_lists = d->p.closed_lists = NULL;         /* what a mistake left */
        d->in_initializer = true;
        break;
    case TOK_LPAREN: case TOK_LBRACKET:
        d->brackets++;
        break;
    case TOK_RPAREN: case TOK_RBRACKET:
        d->brackets -= d->brackets > 0;
        break;
    case TOK_COLON:
        if (d->in_statement == 1)
            d->in_statement = 0;
        return;
    case TOK_AT: case TOK_NOT:
        return;
    case TOK_WORD:
        if (!d->in_statement && (d->p.last.kind == TOK_AT || d->p.last.kind == TOK_NOT))
            return;             /* the guard */
        break;
    default:
        break;
    }
    if (!d->in_statement && !d->in_loc)
        d->p.statement = token;
    d->in_statement += !d->in_loc;
}

static void report_head(Driver *d, Token token, bool has_version)
{
    Parser *p = &d->p;
    if (has_version) {
        ptx_diag(p->diags, DIAG_MISSING_TARGET, ptx_token_span(token),
                 "a .target stands before this, behind .version")
            ->help = "write `.target sm_90`, or the architecture that is meant";
        return;
    }
    ptx_diag(p->diags, DIAG_MISSING_VERSION, ptx_token_span(token),
             "a PTX module begins with .version")
        ->help = "write `.version 9.0` and `.target sm_90` first";
    p->header.is_version_reported = true;
}

/* PTX ISA, "PTX Module Directives": .version, .target, .address_size, in this order, and then the
 * rest. */
static void track_head(Driver *d, Token token)
{
    Parser *p = &d->p;
    uint8_t stage = p->header_stage;
    switch (token.kind) {
    case TOK_VERSION:
        p->begins_unit = stage == HEADER_ITEMS && p->header.version;
        p->header_stage = stage && !p->begins_unit ? stage : HEADER_VERSION;
        return;                         /* a second one is diagnosed where it is read */
    case TOK_TARGET:
        if (stage == HEADER_NOTHING)
            report_head(d, token, false);
        else if (stage > HEADER_TARGET)
            ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(token),
                     ".target stands behind .version, before everything else");
        p->header_stage = stage > HEADER_TARGET ? stage : HEADER_TARGET;
        return;
    case TOK_ADDRESS_SIZE:
        if (stage < HEADER_TARGET)
            report_head(d, token, stage == HEADER_VERSION);
        else if (stage > HEADER_TARGET)
            ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(token),
                     ".address_size stands once, behind .target, before everything else");
        p->header_stage = stage > HEADER_ADDRESS_SIZE ? stage : HEADER_ADDRESS_SIZE;
        return;
    case TOK_FILE:
    case TOK_SECTION: case TOK_SOURCE_SECTION:
    case TOK_PRAGMA:
    case TOK_ALIAS:
    case TOK_LOC:
    case TOK_LINKAGE:
    case TOK_SPACE:
    case TOK_ENTRY:
    case TOK_FUNC: case TOK_ALIGN: case TOK_ATTRIBUTE: case TOK_SEMI:
        if (stage < HEADER_TARGET)
            report_head(d, token, stage == HEADER_VERSION);
        p->header_stage = HEADER_ITEMS;
        return;
    default:
        return;
    }
}

/* A `;` of no length behind the last token, for Lemon. */
static void feed_semicolon(Driver *d)
{
    Span last = ptx_token_span(d->p.last);
    Token semicolon = ptx_token(TOK_SEMI, false, (Span){ last.end, last.end });
    track(d, semicolon);
    feed(d, semicolon);
}

/* The last token of the head of a .func: its name, its parameters, or a directive. */
static bool ends_head(int kind)
{
    return kind == TOK_WORD || kind == TOK_RPAREN || kind == TOK_INT || kind == TOK_FLAG
           || kind == TOK_STRING;
}

static bool begins_item(int kind)
{
    switch (kind) {
    case TOK_ENTRY:
    case TOK_FUNC:
    case TOK_LINKAGE:
    case TOK_SPACE:
    case TOK_ALIGN:
    case TOK_ATTRIBUTE:
    case TOK_MODIFIER:
    case TOK_FILE: case TOK_SECTION: case TOK_SOURCE_SECTION: case TOK_PRAGMA: case TOK_ALIAS:
    case TOK_EOF:
        return true;
    default:
        return false;
    }
}

/* A .func that is only declared needs no `;`, says ptxas; compilers of PTX 1 and 2 wrote none. */
static void track_prototype(Driver *d, Token token)
{
    if (d->prototype == PROTOTYPE_NAMED && !d->brackets && ends_head(d->p.last.kind)
        && begins_item(token.kind)) {
        feed_semicolon(d);
        d->prototype = PROTOTYPE_NONE;
    }
    switch (token.kind) {
    case TOK_FUNC:
        d->prototype = PROTOTYPE_BEGUN;
        return;
    case TOK_WORD:
        if (d->prototype == PROTOTYPE_BEGUN && !d->brackets)
            d->prototype = PROTOTYPE_NAMED;
        return;
    case TOK_LBRACE: case TOK_SEMI: case TOK_ENTRY:
        d->prototype = PROTOTYPE_NONE;
        return;
    default:
        return;
    }
}

/* Which brace of an initialiser is open, for the integers that are skipped in it. */
static void track_list(Driver *d, Token token)
{
    Parser *p = &d->p;
    if (token.kind == TOK_LBRACE) {
        SkippedList *list = ptx_arena_new(p->arena, SkippedList);
        *list = (SkippedList){ p->open_lists, (uint32_t)token.begin, 0 };
        p->open_lists = list;
        return;
    }
    SkippedList *closed = p->open_lists;
    if (!closed)
        return;
    p->open_lists = closed->next;
    closed->next = p->closed_lists;
    p->closed_lists = closed;
    if (closed->count && p->last.begin < d->skipped_to)
        ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(token),
                 "expected a value behind the `,`, found `}`");
}

/* Whether a statement begins here, in a body that has no error so far: with one, Lemon may be
 * looking for where to go on. */
static bool begins_statement(const Driver *d)
{
    const Parser *p = &d->p;
    if (!d->scopes || d->in_statement || p->syntax_errors != d->errors_before)
        return false;
    return d->is_at_rest || p->last.kind == TOK_SEMI || p->last.kind == TOK_LBRACE
           || p->last.kind == TOK_RBRACE || p->last.kind == TOK_COLON;
}

/* The usual statements, past Lemon. It reduces when it sees the next token: an empty statement
 * makes it finish the one before. */
static bool handle_quickly(Driver *d)
{
    Parser *p = &d->p;
    Lexer before = p->lexer;
    Quick quick = ptx_quick_read(p);
    if (!quick.kind)
        return false;
    if (!d->is_at_rest)
        feed(d, ptx_token(TOK_SEMI, false,
                          (Span){ (uint32_t)quick.head.begin, (uint32_t)quick.head.begin }));
    d->is_at_rest = p->func && d->scopes;
    if (!d->is_at_rest) {
        p->lexer = before;
        return false;
    }
    ptx_quick_build(p, &quick);
    p->last = quick.end;
    d->in_loc = false;
    return true;
}

static void report_lost_semicolon(Parser *p)
{
    Span at = { ptx_token_span(p->last).end - 1, ptx_token_span(p->last).end };
    Diag *diag = ptx_diag(p->diags, DIAG_MISSING_SEMICOLON, at, "this statement has no `;`");
    diag->help = "insert `;`";
    ptx_diag_fix(p->diags, diag, (Span){ at.end, at.end }, true, ";");
    if (p->func)
        p->func->has_syntax_error = true;
}

static void handle(Driver *d, Token token)
{
    Parser *p = &d->p;
    p->current = token;
    if (!d->scopes && p->header_stage <= HEADER_ITEMS)
        track_head(d, token);
    if (d->in_initializer && (token.kind == TOK_LBRACE || token.kind == TOK_RBRACE))
        track_list(d, token);
    d->is_at_rest = false;
    if (!d->scopes)
        track_prototype(d, token);
    if (begins_module_item(d, token)) {
        close_body(d, token);
        if (token.kind == TOK_VERSION)
            track_head(d, token);
    }
    if (lost_semicolon(d, token)) {
        if (!p->is_recovering)          /* else the statement is none, and that is reported */
            report_lost_semicolon(p);
        feed_semicolon(d);
    }
    if (d->scopes + d->brackets >= LIMIT_NESTING
        && (token.kind == TOK_LBRACE || token.kind == TOK_LPAREN || token.kind == TOK_LBRACKET)) {
        skip_nest(d, token);
        return;
    }
    track(d, token);
    feed(d, token);
    bool section = token.kind == TOK_LBRACE && d->p.last.kind == TOK_MODIFIER && d->scopes == 1
                   && !d->in_statement;
    p->last = token;
    if (section) {
        Token close = skip_section(d);
        track(d, close);
        feed(d, close);
        p->last = close;
    } else if (d->in_initializer && (token.kind == TOK_COMMA || token.kind == TOK_LBRACE)) {
        uint32_t skipped = ptx_lex_skip_integers(&p->lexer);
        p->skipped_integers += skipped;
        if (p->open_lists)
            p->open_lists->count += skipped;
        d->skipped_to = skipped ? (uint32_t)(p->lexer.cur - p->lexer.base) : 0;
    }
}

/* Where the first word begins, behind blanks and comments. */
static uint32_t skip_to_word(const Parser *p)
{
    uint32_t at = 0;
    for (;;) {
        const char *text = p->text + at, *end = NULL;
        size_t blank = strspn(text, " \t\r\n");
        if (blank)
            end = text + blank;
        else if (!strncmp(text, "//", 2))
            end = strchr(text, '\n');
        else if (!strncmp(text, "/*", 2) && (end = strstr(text + 2, "*/")))
            end += 2;
        if (!end)
            return at;
        at = (uint32_t)(end - p->text);
    }
}

/* Files that are something else altogether: one diagnostic says so, instead of one a byte. */
static bool is_other_format(Parser *p)
{
    static const char cuda[] = "CUDA or C++ source";
    static const struct { const char *magic; size_t length; const char *what; } formats[] = {
        { "\x7f" "ELF", 4, "an ELF file (a cubin, object or executable)" },
        { "\x50\xed\x55\xba", 4, "a fat binary" },
        { "!<arch>\n", 8, "a static library" },
        { "<", 1, "XML or HTML" },
        { "MZ", 2, "a Windows executable" },
        { "BC\xc0\xde", 4, "LLVM bitcode" },
        { "#include", 8, cuda },
        { "#pragma", 7, cuda },
        { "__global__", 10, cuda },
        { "__device__", 10, cuda },
        { "extern \"C\"", 10, cuda },
        { "template", 8, cuda },
        { "using namespace", 15, cuda },
    };
    uint32_t start = skip_to_word(p);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        if (p->length - start < formats[f].length
            || memcmp(p->text + start, formats[f].magic, formats[f].length) != 0)
            continue;
        Diag *diag = ptx_diag(p->diags, DIAG_NOT_PTX,
                              (Span){ start, start + (uint32_t)formats[f].length },
                              "this is %s, not PTX", formats[f].what);
        if (formats[f].what == cuda)
            diag->help = "compile it first: `nvcc -ptx -lineinfo FILE.cu`";
        if (f < 2)
            diag->help = "`ptxlint extract FILE` writes the PTX in it, if there is any";
        return true;
    }
    return false;
}

Parser *ptx_parser_new(Arena *arena, Arena *items, DiagSink *diags, const char *text, size_t length)
{
    Driver *d = ptx_arena_new(arena, Driver);
    Parser *p = &d->p;
    *p = (Parser){ .arena = items, .header_arena = arena, .diags = diags, .text = text, .length = (uint32_t)length };
    p->item_tail = &p->items;
    p->file_tail = &p->header.files;
    d->empty = ptx_arena_mark(items);
    d->lemon = ptx_arena_alloc(arena, ptx_parser_bytes());
    ptx_lexer_init(&p->lexer, text, length, diags);
    PtxInit(d->lemon, p);
    d->at_end = is_other_format(p);
    p->header.is_other_format = d->at_end;
    return p;
}

static void handle_end(Driver *d)
{
    Token end = ptx_token(TOK_EOF, false, (Span){ d->p.length, d->p.length });
    if (d->scopes)
        close_body(d, end);
    d->p.current = end;
    track_prototype(d, end);
    feed(d, end);
    if (d->p.func)
        ptx_build_func_end(&d->p, end);
    d->at_end = true;
}

/* Lemon reduces an item when it sees the token behind it, and shifts that token before anything
 * else is allocated: so once an item stands, nothing else that matters does, and the arena can be
 * emptied before the next token. */
const AstItem *ptx_parser_next(Parser *p)
{
    Driver *d = (Driver *)p;
    if (!p->items) {
        if (!d->keeps_items)
            ptx_arena_release(p->arena, d->empty);
        p->open_lists = p->closed_lists = NULL;
        p->item_tail = &p->items;
    }
    while (!p->items && !d->at_end) {
        if (begins_statement(d) && handle_quickly(d))
            continue;
        Token token = ptx_lex(&p->lexer);
        if (token.kind == TOK_EOF)
            handle_end(d);
        else
            handle(d, token);
    }
    AstItem *item = p->items;
    ASSERT(item || d->at_end);
    ASSERT(p->scope_count <= LIMIT_NESTING + 1 && p->lexer.cur <= p->lexer.end + 1);
    if (item)
        p->items = item->next;
    return item;
}

const AstHeader *ptx_parser_header(const Parser *p)
{
    return &p->header;
}

bool ptx_parser_has_more(const Parser *p)
{
    return p->items != NULL;
}

uint32_t ptx_parser_offset(const Parser *p)
{
    return (uint32_t)(p->lexer.cur - p->lexer.base);
}

void ptx_parser_turn(Parser *p, Arena *items)
{
    ASSERT(!p->items);
    p->arena = items;
    ((Driver *)p)->keeps_items = true;
}
