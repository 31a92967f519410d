/* ptx.y -- the grammar of PTX: shapes only. Opcodes are data, so a new PTX release adds no
 * production.
 *
 * A statement joins the function as soon as it is reduced, so what came before an error survives.
 * Recovery is at `;`, `)` of a parameter list and `}`; parser.c adds a lost `;`, closes a body at
 * the next .entry and bounds nesting. */
%name Ptx
%token_prefix TOK_
%token_type {Token}
%extra_context {Parser *p}
%stack_size 1024
%syntax_error {
    /* Which tokens would have done: each is tried on the stack of states as it stands, without
     * touching it. */
    ExpectedTokens expected = { 0 };
    for (int kind = 1; kind < YYNTOKEN; kind++) {
        YYACTIONTYPE pushed[64];
        int pushed_count = 0;
        const yyStackEntry *top = yypParser->yytos;
        for (;;) {
            YYACTIONTYPE state = pushed_count ? pushed[pushed_count - 1] : top->stateno;
            YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)kind, state);
            if (action <= YY_MAX_SHIFTREDUCE) {
                expected.takes[kind] = true;
                break;
            }
            if (action < YY_MIN_REDUCE || pushed_count >= 63)
                break;
            int rule = action - YY_MIN_REDUCE, length = -yyRuleInfoNRhs[rule];
            int own = length < pushed_count ? length : pushed_count;
            pushed_count -= own;
            top -= length - own;
            state = pushed_count ? pushed[pushed_count - 1] : top->stateno;
            action = yy_find_reduce_action(state, yyRuleInfoLhs[rule]);
            if (action >= YY_MIN_SHIFTREDUCE && action <= YY_MAX_SHIFTREDUCE)
                action = (YYACTIONTYPE)(action + YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE);
            pushed[pushed_count++] = action;
        }
    }
    ptx_build_unexpected(p, TOKEN, &expected);
}
%stack_overflow { ptx_build_too_deep(p); }
%parse_failure { p->parser_failed = true; }

%include {
#include "parser/build.h"

#include <stddef.h>

size_t ptx_parser_bytes(void);
}

%code {
size_t ptx_parser_bytes(void)
{
    return sizeof(yyParser);
}
}

%fallback MODIFIER SPACE ALIGN PTR.     // `.global` declares; after an opcode it is a plain modifier

%right QUESTION COLON.
%left OROR.
%left ANDAND.
%left OR.
%left XOR.
%left AND.
%left EQ NE.
%left LT LE GT GE.
%left SHL SHR.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%right NOT TILDE.
%right ASSIGN.

%type operand    {AstOperand *}
%type operands   {OperandList}
%type target_name{AstOperand *}
%type listed     {OperandList}
%type opcode     {Token}
%type prefix     {Prefix *}
%type declarator {AstDecl *}
%type declarators{DeclList}
%type param      {AstDecl *}
%type params     {DeclList}
%type paramlist  {DeclList}
%type results    {DeclList}
%type header     {AstFunc *}
%type attrs      {AttributeList}
%type dims       {Dims *}
%type inlined    {AstLoc *}
%type loc        {Token}
%type strings    {Span}
%type name_offset {Span}

file ::= items.
items ::= .
items ::= items item.

// ---- module directives: PTX ISA, "PTX Module Directives"
item ::= VERSION(D) REAL(V).                            { ptx_build_version(p, D, V); }
item ::= VERSION(D) INT(V).                             { ptx_build_version(p, D, V); }
item ::= target.
target ::= TARGET(D) WORD(N).                           { ptx_build_target(p, D, N); }
target ::= target COMMA WORD(N).                        { ptx_build_target_option(p, N); }
item ::= ADDRESS_SIZE(D) INT(V).                        { ptx_build_address_size(p, D, V); }
item ::= FILE INT(I) STRING(S).                         { ptx_build_file(p, I, S); }
item ::= FILE(D) INT(I) STRING(S) COMMA INT COMMA INT.  { ptx_build_file(p, I, S); ptx_build_file_stamp(p, D); }
item ::= FILE(D) INT STRING STRING.                     { ptx_build_file_directory(p, D); }
item ::= SECTION MODIFIER(N) LBRACE RBRACE.             { ptx_build_section(p, N); } // parser.c skips what is between the braces
item ::= SECTION WORD(N) LBRACE RBRACE.                 { ptx_build_section(p, N); }
item ::= SOURCE_SECTION(T).                             { ptx_build_source_section(p, T); }
item ::= PRAGMA(T) strings(S) SEMI.                     { ptx_build_module_pragma(p, T, S); }
item ::= ALIAS(D) WORD(A) COMMA WORD(B) SEMI(E).        { ptx_build_alias(p, D, A, B, E); }
item ::= loc(L).                                        { ptx_build_module_loc(p, L); }
item ::= declarations.
item ::= SEMI(E).                                       { ptx_build_empty(p, E); }
item ::= error SEMI.                                    { yypParser->yyerrcnt = -1; }
item ::= error RBRACE.                                  { yypParser->yyerrcnt = -1; }

strings(S) ::= STRING(T).                               { S = ptx_token_span(T); }
strings(S) ::= strings(L) COMMA STRING(T).              { S = ptx_span_join(L, ptx_token_span(T)); }

// ---- variables: PTX ISA, "Variables"
declarations ::= prefix(P) declarators(L) SEMI(E).      { ptx_build_declarations(p, P, L, E); }

prefix(P) ::= LINKAGE(T).                               { P = ptx_prefix_new(p, T); ptx_prefix_linkage(p, P, T); }
prefix(P) ::= SPACE(T).                                 { P = ptx_prefix_new(p, T); ptx_prefix_space(p, P, T); }
prefix(P) ::= ALIGN(T) INT(N).                          { P = ptx_prefix_new(p, T); ptx_prefix_align(p, P, N); }
prefix(P) ::= MODIFIER(T).                              { P = ptx_prefix_new(p, T); ptx_prefix_modifier(p, P, T); }
prefix(P) ::= ATTRIBUTE(T) LPAREN operandattrs RPAREN.  { P = ptx_prefix_new(p, T); ptx_prefix_attribute(p, P, T); }
prefix(P) ::= prefix(Q) LINKAGE(T).                     { P = Q; ptx_prefix_linkage(p, P, T); }
prefix(P) ::= prefix(Q) SPACE(T).                       { P = Q; ptx_prefix_space(p, P, T); }
prefix(P) ::= prefix(Q) ALIGN INT(N).                   { P = Q; ptx_prefix_align(p, P, N); }
prefix(P) ::= prefix(Q) PTR(T).                         { P = Q; ptx_prefix_pointer(p, P, T); }
prefix(P) ::= prefix(Q) MODIFIER(T).                    { P = Q; ptx_prefix_modifier(p, P, T); }
prefix(P) ::= prefix(Q) ATTRIBUTE(T) LPAREN operandattrs RPAREN. { P = Q; ptx_prefix_attribute(p, P, T); }
operandattrs ::= operandattr.
operandattrs ::= operandattrs COMMA operandattr.
operandattr ::= MODIFIER(T).                            { ptx_build_attribute(p, T, false); }
operandattr ::= MODIFIER(T) LPAREN INT COMMA INT RPAREN. { ptx_build_attribute(p, T, true); }

declarators(L) ::= declarator(D).                       { L = LIST_ONE(DeclList, D); }
declarators(L) ::= declarators(M) COMMA declarator(D).  { L = LIST_ADD(DeclList, M, D); }

declarator(D) ::= WORD(N).                              { D = ptx_decl_new(p, N, NULL); }
declarator(D) ::= WORD(N) dims(S).                      { D = ptx_decl_new(p, N, S); }
declarator(D) ::= WORD(N) LT INT(C) GT(E).              { D = ptx_decl_range(p, N, C, E); }
declarator(D) ::= WORD(N) ASSIGN(A) operand(V).         { D = ptx_decl_new(p, N, NULL); ptx_decl_init(p, D, A, V); }
declarator(D) ::= WORD(N) dims(S) ASSIGN(A) operand(V). { D = ptx_decl_new(p, N, S); ptx_decl_init(p, D, A, V); }

dims(S) ::= LBRACKET RBRACKET(E).                       { S = ptx_dims_add(p, NULL, NULL, E); }
dims(S) ::= LBRACKET operand(N) RBRACKET(E).            { S = ptx_dims_add(p, NULL, N, E); }
dims(S) ::= dims(T) LBRACKET RBRACKET(E).               { S = ptx_dims_add(p, T, NULL, E); }
dims(S) ::= dims(T) LBRACKET operand(N) RBRACKET(E).    { S = ptx_dims_add(p, T, N, E); }


// ---- functions: PTX ISA, "Kernel and Function Directives"
item ::= header(F) SEMI(E).                             { ptx_build_func(p, F); ptx_build_func_end(p, E); }
item ::= func_begin stmts RBRACE(E).                    { ptx_build_func_end(p, E); }
item ::= func_begin stmts error RBRACE(E).              { yypParser->yyerrcnt = -1; ptx_build_func_end(p, E); }
func_begin ::= header(F) LBRACE(B).                     { ptx_build_func(p, F); ptx_build_scope_begin(p, B); }

header(F) ::= ENTRY(K) WORD(N) paramlist(L) attrs(A).               { F = ptx_func_new(p, NULL, (FuncHead){ K, N, {0}, L, A }); }
header(F) ::= prefix(P) ENTRY(K) WORD(N) paramlist(L) attrs(A).     { F = ptx_func_new(p, P, (FuncHead){ K, N, {0}, L, A }); }
header(F) ::= FUNC(K) results(R) WORD(N) paramlist(L) attrs(A).     { F = ptx_func_new(p, NULL, (FuncHead){ K, N, R, L, A }); }
header(F) ::= prefix(P) FUNC(K) results(R) WORD(N) paramlist(L) attrs(A). { F = ptx_func_new(p, P, (FuncHead){ K, N, R, L, A }); }

results(R) ::= .                                        { R = (DeclList){0}; }
results(R) ::= ATTRIBUTE LPAREN operandattrs RPAREN.    { R = (DeclList){0}; }
results(R) ::= LPAREN RPAREN.                           { R = (DeclList){0}; }
results(R) ::= LPAREN params(L) RPAREN.                 { R = L; }
paramlist(R) ::= .                                      { R = (DeclList){0}; }
paramlist(R) ::= LPAREN RPAREN.                         { R = (DeclList){0}; }
paramlist(R) ::= LPAREN params(L) RPAREN.               { R = L; }
paramlist(R) ::= LPAREN(B) error RPAREN(E).
{ yypParser->yyerrcnt = -1; R = (DeclList){0}; ptx_build_lost_params(p, B, E); }
params(L) ::= param(D).                                 { L = LIST_ONE(DeclList, D); }
params(L) ::= params(M) COMMA param(D).                 { L = LIST_ADD(DeclList, M, D); }
param(D) ::= prefix(P) declarator(V).                   { D = V; ptx_decl_prefix(p, D, P); }

attrs(A) ::= .                                          { A = (AttributeList){0}; p->mark_last = p->last; p->mark_current = p->current; }
attrs(A) ::= attrs(L) PERFORMANCE(T) INT(X).            { A = ptx_attribute_add(p, L, T, 1, &X); }
attrs(A) ::= attrs(L) PERFORMANCE(T) INT(X) COMMA INT(Y). { A = ptx_attribute_add(p, L, T, 2, (Token[]){ X, Y }); }
attrs(A) ::= attrs(L) PERFORMANCE(T) INT(X) COMMA INT(Y) COMMA INT(Z). { A = ptx_attribute_add(p, L, T, 3, (Token[]){ X, Y, Z }); }
attrs(A) ::= attrs(L) FLAG(T).                          { A = ptx_attribute_add(p, L, T, 0, NULL); }
attrs(A) ::= attrs(L) LANGUAGE(T) STRING.               { A = L; ptx_build_language(p, T); }
attrs(A) ::= attrs(L) LANGUAGE(T) STRING COMMA INT.     { A = L; ptx_build_language(p, T); }
attrs(A) ::= attrs(L) PRAGMA(T) strings(S) SEMI.        { A = L; ptx_build_module_pragma(p, T, S); }

// ---- statements
stmts ::= .
stmts ::= stmts stmt.                                   // left recursion: long bodies use no stack
stmt ::= SEMI(E).                                       { ptx_build_empty(p, E); }
stmt ::= error SEMI(E).                                 { yypParser->yyerrcnt = -1; ptx_build_lost_statement(p, E); }
stmt ::= scope_begin stmts RBRACE(E).                   { ptx_build_scope_end(p, E); }
stmt ::= scope_begin stmts error RBRACE(E).             { yypParser->yyerrcnt = -1; ptx_build_scope_end(p, E); }
scope_begin ::= LBRACE(B).                              { ptx_build_scope_begin(p, B); }
stmt ::= WORD(L) COLON(C).                              { ptx_build_label(p, L, C); }
stmt ::= opcode(O) SEMI(E).                             { ptx_build_insn(p, O, (OperandList){0}, E); }
stmt ::= opcode(O) operands(L) SEMI(E).                 { ptx_build_insn(p, O, L, E); }
stmt ::= guard opcode(O) SEMI(E).                       { ptx_build_guarded(p, ptx_build_insn(p, O, (OperandList){0}, E)); }
stmt ::= guard opcode(O) operands(L) SEMI(E).           { ptx_build_guarded(p, ptx_build_insn(p, O, L, E)); }
guard ::= AT(T) WORD(G).                                { p->guard = (GuardText){ ptx_token_span(T), ptx_token_span(G), false }; }
guard ::= AT(T) NOT WORD(G).                            { p->guard = (GuardText){ ptx_token_span(T), ptx_token_span(G), true }; }
stmt ::= declarations.
stmt ::= loc.
stmt ::= LOC_INTERMEDIATE(D) INT INT INT.               { ptx_build_loc_intermediate(p, D); }
stmt ::= FILE(D) INT(I) STRING(S).                      { ptx_build_file(p, I, S); ptx_build_function_file(p, D); }
stmt ::= PRAGMA(T) strings(S) SEMI(E).                  { ptx_build_pragma(p, T, S, E); }
stmt ::= BRANCHTARGETS(T) listed(L) SEMI(E).            { ptx_build_targets(p, AST_BRANCHTARGETS, T, L, E); }
stmt ::= CALLTARGETS(T) listed(L) SEMI(E).              { ptx_build_targets(p, AST_CALLTARGETS, T, L, E); }
stmt ::= CALLPROTOTYPE(K) results(R) WORD(N) paramlist(L) attrs(A) SEMI(E). { ptx_build_prototype(p, (FuncHead){ K, N, R, L, A }, E); }

listed(L) ::= target_name(V).                           { L = LIST_ONE(OperandList, V); }
listed(L) ::= listed(M) COMMA target_name(V).           { L = LIST_ADD(OperandList, M, V); }
target_name(V) ::= WORD(T).                             { V = ptx_operand_name(p, T); }
target_name(V) ::= WORD(T) LT INT(C) GT(E).             { V = ptx_operand_range(p, T, C, E); }

loc(R) ::= LOC(D) INT(F) INT(L) INT(C) inlined(I).      { R = D; ptx_build_loc(p, D, (LocTokens){ F, L, C }, I); }
inlined(I) ::= .                                        { I = NULL; }
inlined(I) ::= COMMA WORD(K) name_offset(N).            { I = ptx_loc_inlined(p, K, N); ptx_loc_not_inlined(p, N); }
inlined(I) ::= COMMA WORD(K) name_offset(N) COMMA WORD(A) INT(F) INT(L) INT(C). { I = ptx_loc_inlined_at(p, K, N, A, (LocTokens){ F, L, C }); }
name_offset(N) ::= WORD(T).                             { N = ptx_token_span(T); }
name_offset(N) ::= WORD(T) PLUS INT(I).                 { N = ptx_span_join(ptx_token_span(T), ptx_token_span(I)); }

opcode(O) ::= WORD(T).                                  { O = T; O.first_on_line = false; }
opcode(O) ::= OPWORD(T).                                { O = T; O.first_on_line = false; }
opcode(O) ::= opcode(P) MODIFIER(T).                    { O = ptx_opcode_join(P, T); }

operands(L) ::= operand(V).                             { L = LIST_ONE(OperandList, V); }
operands(L) ::= operands(M) COMMA operand(V).           { L = LIST_ADD(OperandList, M, V); }

// ---- operands and constant expressions: PTX ISA, "Instruction Operands", "Constant Expressions"
operand(V) ::= WORD(T).                                 { V = ptx_operand_name(p, T); }
operand(V) ::= OPWORD(T).                               { V = ptx_operand_name(p, T); }
operand(V) ::= INT(T).                                  { V = ptx_operand_int(p, T); }
operand(V) ::= REAL(T).                                 { V = ptx_operand_real(p, T); }
operand(V) ::= BITS(T).                                 { V = ptx_operand_bits(p, T); }
operand(V) ::= LBRACKET(B) operands(L) RBRACKET(E).     { V = ptx_operand_address(p, B, L, E); }
operand(V) ::= LBRACKET(B) operands(L) RBRACKET(E) MODIFIER(M). { V = ptx_operand_address(p, B, L, E); ptx_operand_modifier(p, V, M); }
operand(V) ::= LBRACE(B) operands(L) RBRACE(E).         { V = ptx_operand_group(p, AST_VECTOR, B, L, E); }
operand(V) ::= LBRACE(B) RBRACE(E).                     { V = ptx_operand_empty(p, B, E); }
operand(V) ::= WORD(N) ASSIGN operand(X).               { V = ptx_operand_field(p, N, X); }
operand(V) ::= LPAREN(B) RPAREN(E).                     { V = ptx_operand_group(p, AST_LIST, B, (OperandList){0}, E); }
operand(V) ::= LPAREN(B) operands(L) RPAREN(E).         { V = ptx_operand_group(p, AST_LIST, B, L, E); }
operand(V) ::= LPAREN(B) MODIFIER(M) RPAREN operand(X). [NOT] { V = ptx_operand_cast(p, B, M, X); }
operand(V) ::= WORD(N) LBRACKET operand(I) RBRACKET(E). { V = ptx_operand_index(p, N, I, E); }
operand(V) ::= WORD(N) LPAREN operands(L) RPAREN(E).    { V = ptx_operand_generic(p, N, L, E); }
operand(V) ::= INT(N) LPAREN operands(L) RPAREN(E).     { V = ptx_operand_generic(p, N, L, E); }
operand(V) ::= NOT(T) operand(X).                       { V = ptx_operand_unary(p, T, X); }
operand(V) ::= TILDE(T) operand(X).                     { V = ptx_operand_unary(p, T, X); }
operand(V) ::= MINUS(T) operand(X). [NOT]               { V = ptx_operand_unary(p, T, X); }
operand(V) ::= PLUS(T) operand(X). [NOT]                { V = ptx_operand_unary(p, T, X); }
operand(V) ::= operand(X) PLUS|MINUS(T) operand(Y).     { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) STAR|SLASH|PERCENT(T) operand(Y). { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) SHL|SHR(T) operand(Y).        { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) LT|LE|GT|GE(T) operand(Y).    { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) EQ|NE(T) operand(Y).          { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) AND(T) operand(Y).            { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) XOR(T) operand(Y).            { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) OR(T) operand(Y).             { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) ANDAND(T) operand(Y).         { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) OROR(T) operand(Y).           { V = ptx_operand_binary(p, X, T, Y); }
operand(V) ::= operand(X) QUESTION operand(Y) COLON operand(Z). { V = ptx_operand_select(p, X, Y, Z); }
