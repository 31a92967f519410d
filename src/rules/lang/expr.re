/* expr.re -- the scanner of the rule language; see expr.h. */
#include "rules/lang/expr.h"

#include "expr_grammar.h"

static int bad(Expr *e, Span at, const char *why)
{
    ptx_expr_fail(e, at, "'%.*s' %s", EXPR_TEXT(e, at), why);
    return -1;
}

int ptx_expr_lex(Expr *e, Span *token)
{
    const unsigned char *base = (const unsigned char *)e->text, *marker, *start;
    int kind;
    for (;;) {
        start = e->cur;
#define HERE ((Span){ (uint32_t)(start - base), (uint32_t)(e->cur - base) })
        /*!re2c
        re2c:define:YYCTYPE  = "unsigned char";     re2c:define:YYLIMIT  = e->end;
        re2c:define:YYCURSOR = e->cur;              re2c:define:YYMARKER = marker;
        re2c:yyfill:enable   = 0;                   re2c:eof = 0;
        re2c:indent:top      = 2;

        follow = [a-zA-Z0-9_];
        name   = [a-zA-Z_] follow*;
        number = [0-9]+ ("." [0-9]+)? ([eE] [+-]? [0-9]+)?;

        $                    { kind = 0;                 break; }
        [ \t\r\n]+           { continue; }

        "and"   { kind = EXPR_AND;   break; }     "or"    { kind = EXPR_OR;    break; }
        "not"   { kind = EXPR_NOT;   break; }     "in"    { kind = EXPR_IN;    break; }
        "is"    { kind = EXPR_IS;    break; }
        "true"  { kind = EXPR_TRUE;  break; }     "false" { kind = EXPR_FALSE; break; }
        name                 { kind = EXPR_NAME;         break; }
        name ("." follow+)+  { kind = EXPR_FACT;         break; }
        name "."             { return bad(e, HERE, "lacks a name behind the dot"); }

        number               { kind = EXPR_NUMBER;       break; }
        number "%"           { kind = EXPR_PERCENTAGE;   break; }
        (number | [0-9]+ ".") [a-zA-Z0-9_.]+ | [0-9]+ "."
                             { return bad(e, HERE, "is not a number; a unit stands apart, as in 64 threads"); }
        "." [0-9]+           { return bad(e, HERE, "is not a number; put a 0 before the point"); }
        ["] [^"\n\x00]* ["]  { kind = EXPR_WORD;         break; }
        ["] [^"\n\x00]*      { ptx_expr_fail(e, HERE, "this word is not closed: a '\"' is missing");
                               return -1; }
        [']                  { return bad(e, HERE, "does not quote; words stand in double quotes, as in \"global\""); }

        "("  { kind = EXPR_LPAREN;   break; }     ")"  { kind = EXPR_RPAREN;   break; }
        "["  { kind = EXPR_LBRACKET; break; }     "]"  { kind = EXPR_RBRACKET; break; }
        ","  { kind = EXPR_COMMA;    break; }     ":"  { kind = EXPR_COLON;    break; }
        "+"  { kind = EXPR_PLUS;     break; }     "-"  { kind = EXPR_MINUS;    break; }
        "*"  { kind = EXPR_STAR;     break; }     "/"  { kind = EXPR_SLASH;    break; }
        "%"  { kind = EXPR_PERCENT;  break; }
        "==" { kind = EXPR_EQ;       break; }     "!=" { kind = EXPR_NE;       break; }
        "<"  { kind = EXPR_LT;       break; }     ">"  { kind = EXPR_GT;       break; }
        "<=" { kind = EXPR_LE;       break; }     ">=" { kind = EXPR_GE;       break; }

        "="          { return bad(e, HERE, "does not compare; write '=='"); }
        "===" "="*   { return bad(e, HERE, "is not an operator; write '=='"); }
        "=<"         { return bad(e, HERE, "is not an operator; write '<='"); }
        "=>"         { return bad(e, HERE, "is not an operator; write '>='"); }
        "<>"         { return bad(e, HERE, "is not an operator; write '!='"); }
        "&" "&"?     { return bad(e, HERE, "is not an operator; write 'and'"); }
        "|" "|"?     { return bad(e, HERE, "is not an operator; write 'or'"); }
        "!"          { return bad(e, HERE, "is not an operator; write 'not'"); }
        [\x80-\xff]+ { ptx_expr_fail(e, HERE, "characters outside ASCII mean nothing here");
                       return -1; }
        [\x21-\x7e]  { return bad(e, HERE, "means nothing here"); }
        *            { ptx_expr_fail(e, HERE, "byte 0x%02x means nothing here", *start);
                       return -1; }
        */
    }
    *token = HERE;
#undef HERE
    return kind;
}
