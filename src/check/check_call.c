#include "check/check_call.h"

#include "check/check.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "support/diag.h"

#include <string.h>

/* ---- signatures ------------------------------------------------------------------------------ */

static const Formal *formals(Arena *arena, const AstDecl *decl, uint32_t *count)
{
    *count = 0;
    for (const AstDecl *d = decl; d; d = d->next)
        ++*count;
    Formal *out = ptx_arena_array(arena, Formal, *count ? *count : 1);
    for (uint32_t i = 0; decl; decl = decl->next, i++) {
        uint32_t element = (uint32_t)(ptx_type_info[decl->type].bits + 7) / 8 * decl->vector;
        out[i] = (Formal){ .name = decl->name,
                           .align = decl->align ? decl->align : element,
                           .type = (uint8_t)decl->type,
                           .vector = decl->vector,
                           .space = (uint8_t)decl->space,
                           .is_array = decl->dim_count };
        if (__builtin_mul_overflow(element, decl->element_count, &out[i].bytes))
            out[i].bytes = UINT64_MAX;
    }
    return out;
}

Signature ptx_signature_new(Arena *arena, const AstFunc *ast)
{
    Signature signature = { .name = ast->name };
    signature.results = formals(arena, ast->results, &signature.result_count);
    signature.params = formals(arena, ast->params, &signature.param_count);
    return signature;
}

static const char *formal_difference(const Formal *a, const Formal *b)
{
    if (a->space != b->space)
        return "the state space of a parameter";
    if (a->type != b->type || a->vector != b->vector || a->is_array != b->is_array)
        return "the type of a parameter";
    if (a->bytes != b->bytes)
        return "the size of a parameter";
    return a->align != b->align ? "the alignment of a parameter" : NULL;
}

static const char *signature_difference(const Signature *first, const Signature *second, Span *at)
{
    const char *what = NULL;
    *at = second->name;
    if (first->param_count != second->param_count)
        return "the number of parameters";
    if (first->result_count != second->result_count)
        return "the number of results";
    for (uint32_t i = 0; i < first->result_count && !what; i++) {
        what = formal_difference(&first->results[i], &second->results[i]);
        *at = second->results[i].name;
    }
    for (uint32_t i = 0; i < first->param_count && !what; i++) {
        what = formal_difference(&first->params[i], &second->params[i]);
        *at = second->params[i].name;
    }
    return what;
}

/* What of two declarations of one function may not differ; NULL: nothing does. */
static const char *alias_fault(const Func *name, const Func *target)
{
    if (name->has_body)
        return "the alias has a body of its own";
    if (target->is_entry)
        return "it stands for an .entry";
    return target->linkage == LINKAGE_WEAK ? "it stands for a .weak function" : NULL;
}

void ptx_check_alias(const ModuleCheck *c, const AstAlias *alias, const Func *name,
                     const Signature *given, const Func *target, const Signature *wanted)
{
    const char *name_text = c->text + alias->name.begin,
               *target_text = c->text + alias->target.begin;
    if (!ptx_check_gate(c, alias->span, "`.alias`", 63, 30))
        return;
    if (!name || !given) {
        ptx_diag(c->diags, DIAG_UNDECLARED, alias->name,
                 "`%.*s` is not declared as a function, to be another name of `%.*s`",
                 ptx_span_shown(alias->name), name_text, ptx_span_shown(alias->target),
                 target_text);
        return;
    }
    Span at;
    const char *what = signature_difference(wanted, given, &at), *why = alias_fault(name, target);
    if (what)
        ptx_diag(c->diags, DIAG_PROTOTYPE, alias->name,
                 "`%.*s` has another declaration than `%.*s`: %s differs",
                 ptx_span_shown(alias->name), name_text, ptx_span_shown(alias->target), target_text,
                 what);
    else if (why)
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, alias->span, "this cannot be an alias: %s", why);
}

static const char *func_difference(const RepeatCheck *c, const Func *first,
                                   const Signature *signature)
{
    const AstFunc *ast = c->ast;
    Span at;
    Linkage linkage = first->linkage;
    bool same_linkage = ast->linkage == linkage
                        || (!ast->linkage
                            && (linkage == LINKAGE_VISIBLE || linkage == LINKAGE_WEAK));
    bool noreturn = false;
    for (const AstAttribute *a = ast->attributes; a; a = a->next)
        noreturn |= ptx_span_length(a->name) == strlen(".noreturn")
                    && !memcmp(c->text + a->name.begin, ".noreturn", strlen(".noreturn"));
    if (first->is_entry != ast->is_entry)
        return "an .entry in one place and a .func in the other";
    if (!same_linkage)
        return "another linkage";
    if (noreturn != first->bounds.noreturn)
        return ".noreturn in one place only";
    const char *what = signature_difference(signature, c->signature, &at);
    return what ? ptx_diag_text(c->diags, "another declaration of %s", what) : NULL;
}

static void report_second_body(const RepeatCheck *c)
{
    Span name = c->ast->name;
    Diag *diag = ptx_diag(c->diags, DIAG_REDECLARED, name, "`%.*s` is defined twice",
                          ptx_span_shown(name), c->text + name.begin);
    ptx_diag_relate(c->diags, diag, c->earlier, "the first definition");
    diag->help = "rename or remove one: each is analysed by itself, and calls and launches by that "
                 "name could mean either";
}

void ptx_check_repeat(const RepeatCheck *c, const Func *first, const Signature *signature)
{
    const char *what = first && !first->has_body ? func_difference(c, first, signature) : NULL;
    if (first && !first->has_body && !what)
        return;
    Span name = c->ast->name;
    if (first && first->has_body && c->ast->body && first->is_entry == c->ast->is_entry) {
        report_second_body(c);
        return;
    }
    Diag *diag = what ? ptx_diag(c->diags, DIAG_PROTOTYPE, c->ast->mark,
                                 "`%.*s` is declared twice, with %s", ptx_span_shown(name),
                                 c->text + name.begin, what)
                      : ptx_diag(c->diags, DIAG_REDECLARED, c->ast->mark,
                                 "`%.*s` is declared twice in this scope", ptx_span_shown(name),
                                 c->text + name.begin);
    ptx_diag_relate(c->diags, diag, c->earlier, "the first declaration");
    ptx_diag_relate(c->diags, diag, name, "the second one");
}

/* ---- shape ----------------------------------------------------------------------------------- */

static bool is_plain_name(const AstOperand *ast)
{
    return ast->kind == AST_NAME && !(ast->flags & ~AST_PARENTHESES) && !ast->suffix_length
           && !ast->value && !ast->modifier_length;
}

static bool wrong_part(const CallCheck *c, const AstOperand *ast, const char *expected)
{
    if (ast->kind != AST_BAD)           /* diagnosed already */
        ptx_diag(c->diags, DIAG_OPERAND_FORM, ast->span, "`%.*s` is not allowed here in a call: %s",
                 ptx_span_shown(ast->span), c->text + ast->span.begin, expected)
            ->help = "a call is `call (result), function, (argument, argument), prototype;`";
    return false;
}

static bool check_list(const CallCheck *c, const AstOperand *list, bool are_results)
{
    const AstOperand *one = list->kind == AST_LIST ? list->child : list;
    for (; one; one = list->kind == AST_LIST ? one->next : NULL) {
        bool is_number = one->kind == AST_INT || one->kind == AST_F32 || one->kind == AST_F64;
        if (!is_plain_name(one) && (are_results || !is_number || one->flags & AST_BRACKETS))
            return wrong_part(c, one,
                              are_results
                                  ? "a result goes to a register or a .param variable"
                                  : "an argument is a register, a .param variable or a number");
        if (!are_results && ptx_is_sink(c->text, one))
            return wrong_part(c, one, "`_` stands for a result only");
    }
    return true;
}

bool ptx_call_parts(const CallCheck *c, const AstStmt *stmt, CallParts *parts)
{
    const AstOperand *ast = stmt->operands;
    *parts = (CallParts){ 0 };
    if (ptx_call_is_list(ast)) {
        parts->results = ast;
        ast = ast->next;
    }
    if (!ast) {
        ptx_diag(c->diags, DIAG_OPERAND_FORM, stmt->span, "this call names no function");
        return false;
    }
    parts->target = ast;
    ast = ast->next;
    if (ptx_call_is_list(ast)) {
        parts->arguments = ast;
        ast = ast->next;
    }
    parts->table = ast;
    if (parts->results && !check_list(c, parts->results, true))
        return false;
    if (!is_plain_name(parts->target) || ptx_call_is_list(parts->target)
        || ptx_is_sink(c->text, parts->target))
        return wrong_part(c, parts->target,
                          "a function, or a register with its address, is called");
    if (parts->arguments && !check_list(c, parts->arguments, false))
        return false;
    if (ast && (!is_plain_name(ast) || ptx_is_sink(c->text, ast)))
        return wrong_part(c, ast, "the label of a .callprototype or of .calltargets is last");
    if (ast && ast->next)
        return wrong_part(c, ast->next,
                          "results and arguments stand in parentheses, and a prototype is last");
    return true;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static bool is_number_kind(const TypeInfo *type)
{
    return type->kind == KIND_BITS || type->kind == KIND_SIGNED || type->kind == KIND_UNSIGNED;
}

/* An array of bytes may come as one of words, and the other way round; words not as floats. */
static bool array_takes(const TypeInfo *wanted, const TypeInfo *given)
{
    return wanted->kind == KIND_BITS || given->kind == KIND_BITS
           || (wanted->kind == KIND_FLOAT) == (given->kind == KIND_FLOAT);
}

static bool formal_takes_register(const Formal *formal, const Reg *reg)
{
    if (!reg->type || !formal->type)
        return true;
    if (formal->is_array)
        return false;
    if (formal->type == TYPE_F16X2 && reg->type != TYPE_PRED)
        /* ptxas takes any of that width */
        return ptx_type_info[reg->type].bits * reg->vector == 32;
    if (formal->vector == 1 && reg->vector == 1)
        return ptx_type_takes((Type)formal->type, (Type)reg->type, false);
    return ptx_type_info[formal->type].bits * formal->vector
           == ptx_type_info[reg->type].bits * reg->vector;
}

static bool formal_takes_variable(const Formal *formal, const Var *var)
{
    if (!var->type || !formal->type)
        return true;
    if (formal->is_array != var->is_array)
        return false;
    if (formal->is_array)
        return (!formal->bytes || formal->bytes == var->bytes)
               && array_takes(&ptx_type_info[formal->type], &ptx_type_info[var->type]);
    return ptx_type_takes((Type)formal->type, (Type)var->type, false);
}

static bool formal_takes_number(const Formal *formal, const Operand *number)
{
    const TypeInfo *type = &ptx_type_info[formal->type];
    if (formal->is_array)
        return false;
    return number->kind == OPERAND_INT ? is_number_kind(type)
                                       : type->kind == KIND_FLOAT || type->kind == KIND_BITS;
}

static void relate_formal(const CallCheck *c, Diag *diag, const Formal *formal)
{
    ptx_diag_relate(c->diags, diag, formal->name, "the parameter is declared here: `.%s%s`",
                    ptx_type_info[formal->type].text, formal->is_array ? ", an array" : "");
}

static bool wrong_type(const CallCheck *c, const AstOperand *ast, const Formal *formal,
                       const char *given)
{
    Diag *diag = ptx_diag(c->diags, DIAG_CALL_SIGNATURE, ast->span,
                          "type mismatch: `%.*s` is %s, parameter `%.*s` is %s`.%s`",
                          ptx_span_shown(ast->span), c->text + ast->span.begin, given,
                          ptx_span_shown(formal->name), c->text + formal->name.begin,
                          formal->is_array ? "an array of " : "", ptx_type_info[formal->type].text);
    relate_formal(c, diag, formal);
    return false;
}

static bool wrong_space(const CallCheck *c, const AstOperand *ast, const char *why)
{
    ptx_diag(c->diags, DIAG_CALL_SIGNATURE, ast->span, "`%.*s` cannot be an argument: %s",
             ptx_span_shown(ast->span), c->text + ast->span.begin, why)
        ->help = "pass a register, a number, or a .param variable that the caller declares";
    return false;
}

static bool check_variable(const CallCheck *c, const AstOperand *ast, const Formal *formal,
                           const Var *var)
{
    if (var->space != SPACE_PARAM)
        return wrong_space(c, ast, "it is a variable outside .param space");
    if (var->is_parameter)
        return wrong_space(c, ast, "it is a parameter of the caller itself");
    if (!formal_takes_variable(formal, var))
        return wrong_type(
            c, ast, formal,
            ptx_diag_text(c->diags, "%s`.%s` of %llu bytes", var->is_array ? "an array of " : "",
                          ptx_type_info[var->type].text, (unsigned long long)var->bytes));
    if (formal->type && var->align != formal->align) {
        Diag *diag = ptx_diag(c->diags, DIAG_CALL_SIGNATURE, ast->span,
                              "`%.*s` is aligned to %u bytes, parameter `%.*s` to %u",
                              ptx_span_shown(ast->span), c->text + ast->span.begin,
                              (unsigned)var->align, ptx_span_shown(formal->name),
                              c->text + formal->name.begin, (unsigned)formal->align);
        relate_formal(c, diag, formal);
        return false;
    }
    return true;
}

static bool check_argument(const CallCheck *c, const AstOperand *ast, const Formal *formal,
                           const Operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REG: {
        const Reg *reg = &c->regs[operand->id];
        return formal_takes_register(formal, reg)
               || wrong_type(
                   c, ast, formal,
                   ptx_diag_text(c->diags, "a register of `.%s`", ptx_type_info[reg->type].text));
    }
    case OPERAND_VAR:
        return check_variable(c, ast, formal, &c->vars[operand->id]);
    case OPERAND_INT:
        return formal_takes_number(formal, operand) || wrong_type(c, ast, formal, "an integer");
    case OPERAND_F32: case OPERAND_F64:
        return formal_takes_number(formal, operand) || wrong_type(c, ast, formal, "a float");
    case OPERAND_FUNCTION:
        return wrong_space(c, ast, "it is a function");
    default:
        return true;
    }
}

static bool wrong_count(const CallCheck *c, const Signature *s, Span where, const char *what,
                        uint32_t wanted, uint32_t given)
{
    Diag *diag = ptx_diag(c->diags, DIAG_CALL_SIGNATURE, where,
                          "this call has %u %s%s, and `%.*s` has %u", (unsigned)given, what,
                          given == 1 ? "" : "s", ptx_span_shown(s->name), c->text + s->name.begin,
                          (unsigned)wanted);
    ptx_diag_relate(c->diags, diag, s->name, "declared here");
    return false;
}

static bool check_arguments(const CallCheck *c, const AstOperand *list, const Formal *formal,
                            const Operand *operands, uint32_t count)
{
    const AstOperand *ast = list && list->kind == AST_LIST ? list->child : list;
    for (uint32_t i = 0; i < count && ast; i++, ast = list->kind == AST_LIST ? ast->next : NULL) {
        if (!check_argument(c, ast, &formal[i], &operands[i]))
            return false;
    }
    return true;
}

bool ptx_check_call(const CallCheck *c, const CallParts *parts, const Signature *s,
                    const CallOperands *operands)
{
    const Span where = parts->target->span;
    const uint32_t results = operands->result_count, arguments = operands->argument_count;
    if (results != s->result_count)
        return wrong_count(c, s, where, "result", s->result_count, results);
    const Formal *last = s->param_count ? &s->params[s->param_count - 1] : NULL;
    bool may_omit = last && last->is_array && !last->bytes && parts->arguments;
    if (arguments != s->param_count && !(may_omit && arguments + 1 == s->param_count))
        return wrong_count(c, s, where, "argument", s->param_count, arguments);
    return check_arguments(c, parts->results, s->results, operands->results, results)
           && check_arguments(c, parts->arguments, s->params, operands->arguments, arguments);
}
