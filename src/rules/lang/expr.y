/* expr.y -- the grammar of the rule language: shapes only, types come after. See expr.h. */
%name PtxExpr
%token_prefix EXPR_
%token_type {Span}
%extra_context {Expr *e}
%stack_size 1024
%syntax_error { ptx_expr_unexpected(e, yymajor, TOKEN); }
%stack_overflow { ptx_expr_fail(e, e->last, "nested deeper than %d", EXPR_DEPTH); }

%include {
#include "rules/lang/expr.h"
}

%code {
/* The parser is a local: it holds no memory of its own, so leaving by the arena's longjmp loses
 * nothing. */
bool ptx_expr_parse(Expr *e)
{
    yyParser parser;
    Span token;
    int kind;
    PtxExprInit(&parser, e);
    do {
        kind = ptx_expr_lex(e, &token);
        if (kind < 0 || !ptx_expr_open(e, kind, token))
            break;
        PtxExpr(&parser, kind, token);
        e->last_kind = kind;
        e->last = token;
    } while (kind && !e->has_failed);
    PtxExprFinalize(&parser);
    return !e->has_failed;
}
}

%left OR.
%left AND.
%right NOT.
%left EQ NE LT LE GT GE IN IS.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%right NEGATIVE.

%type expr  {Node *}
%type list  {NodeList}
%type items {NodeList}

root ::= expr(E).                           { e->root = E; }

expr(A) ::= expr(L) OR(O) expr(R).          { A = ptx_expr_binary(e, CODE_OR, O, L, R); }
expr(A) ::= expr(L) AND(O) expr(R).         { A = ptx_expr_binary(e, CODE_AND, O, L, R); }
expr(A) ::= NOT(O) expr(R).                 { A = ptx_expr_unary(e, CODE_NOT, O, R); }
expr(A) ::= expr(L) EQ(O) expr(R).          { A = ptx_expr_binary(e, CODE_EQ, O, L, R); }
expr(A) ::= expr(L) NE(O) expr(R).          { A = ptx_expr_binary(e, CODE_NE, O, L, R); }
expr(A) ::= expr(L) LT(O) expr(R).          { A = ptx_expr_binary(e, CODE_LT, O, L, R); }
expr(A) ::= expr(L) LE(O) expr(R).          { A = ptx_expr_binary(e, CODE_LE, O, L, R); }
expr(A) ::= expr(L) GT(O) expr(R).          { A = ptx_expr_binary(e, CODE_GT, O, L, R); }
expr(A) ::= expr(L) GE(O) expr(R).          { A = ptx_expr_binary(e, CODE_GE, O, L, R); }
expr(A) ::= expr(L) IN(O) LBRACKET items(I) RBRACKET(C).        { A = ptx_expr_listed(e, NODE_IN, O, L, I, C); }
expr(A) ::= expr(L) NOT IN(O) LBRACKET items(I) RBRACKET(C).    { A = ptx_expr_not(e, ptx_expr_listed(e, NODE_IN, O, L, I, C), C); }
expr(A) ::= expr(L) IS(O) LBRACKET items(I) RBRACKET(C).        { A = ptx_expr_listed(e, NODE_IS, O, L, I, C); }
expr(A) ::= expr(L) IS(O) NOT LBRACKET items(I) RBRACKET(C).    { A = ptx_expr_not(e, ptx_expr_listed(e, NODE_IS, O, L, I, C), C); }
expr(A) ::= expr(L) IS(O) WORD(W).
            { A = ptx_expr_listed(e, NODE_IS, O, L, ptx_expr_list((NodeList){ 0 }, ptx_expr_leaf(e, NODE_WORD, W)), W); }
expr(A) ::= expr(L) IS(O) NOT WORD(W).
            { A = ptx_expr_not(e, ptx_expr_listed(e, NODE_IS, O, L, ptx_expr_list((NodeList){ 0 }, ptx_expr_leaf(e, NODE_WORD, W)), W), W); }
expr(A) ::= expr(L) PLUS(O) expr(R).        { A = ptx_expr_binary(e, CODE_ADD, O, L, R); }
expr(A) ::= expr(L) MINUS(O) expr(R).       { A = ptx_expr_binary(e, CODE_SUB, O, L, R); }
expr(A) ::= expr(L) STAR(O) expr(R).        { A = ptx_expr_binary(e, CODE_MUL, O, L, R); }
expr(A) ::= expr(L) SLASH(O) expr(R).       { A = ptx_expr_binary(e, CODE_DIV, O, L, R); }
expr(A) ::= expr(L) PERCENT(O) expr(R).     { A = ptx_expr_binary(e, CODE_MOD, O, L, R); }
expr(A) ::= MINUS(O) expr(R). [NEGATIVE]    { A = ptx_expr_unary(e, CODE_NEGATE, O, R); }

expr(A) ::= LPAREN(O) expr(E) RPAREN(C).    { A = ptx_expr_group(O, E, C); }
expr(A) ::= NUMBER(N).                      { A = ptx_expr_number(e, N, (Span){ 0, 0 }); }
expr(A) ::= NUMBER(N) NAME(U).              { A = ptx_expr_number(e, N, U); }
expr(A) ::= PERCENTAGE(N).                  { A = ptx_expr_number(e, (Span){ N.begin, N.end - 1 }, (Span){ N.end - 1, N.end }); }
expr(A) ::= TRUE(T).                        { A = ptx_expr_truth(e, T, true); }
expr(A) ::= FALSE(T).                       { A = ptx_expr_truth(e, T, false); }
expr(A) ::= WORD(W).                        { A = ptx_expr_leaf(e, NODE_WORD, W); }
expr(A) ::= NAME(N).                        { A = ptx_expr_leaf(e, NODE_NAME, N); }
expr(A) ::= FACT(F).                        { A = ptx_expr_leaf(e, NODE_FACT, F); }
expr(A) ::= NAME(N) LPAREN items(I) RPAREN(C).                  { A = ptx_expr_call(e, N, I, C); }
expr(A) ::= NAME(N) LPAREN NAME(O) COLON expr(P) RPAREN(C).     { A = ptx_expr_over(e, N, O, P, C); }
expr(A) ::= NAME(N) LPAREN FACT(O) COLON expr(P) RPAREN(C).     { A = ptx_expr_over(e, N, O, P, C); }

items(A) ::= expr(E).                       { A = ptx_expr_list((NodeList){ 0 }, E); }
items(A) ::= items(I) COMMA expr(E).        { A = ptx_expr_list(I, E); }
