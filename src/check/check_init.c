#include "check/check.h"
#include "check/check_decl.h"
#include "ir/module.h"
#include "support/diag.h"

typedef struct InitCheck {
    const ModuleCheck *module;
    const Names *names;
    const AstDecl *decl;
} InitCheck;

static bool fail_init(const InitCheck *c, Span where, const char *why, const char *help)
{
    const char *text = c->module->text;
    ptx_diag(c->module->diags, DIAG_BAD_INITIALIZER, where,
             "`%.*s` in the initialiser of `%.*s` %s", ptx_span_shown(where), text + where.begin,
             ptx_span_shown(c->decl->name), text + c->decl->name.begin, why)
        ->help = help;
    return false;
}

/* ---- single values: PTX ISA, "Initializers" -------------------------------------------------- */

static bool check_number(const InitCheck *c, Span where, bool is_float)
{
    const TypeInfo *type = &ptx_type_info[c->decl->type];
    if (c->decl->type == TYPE_F16 || c->decl->type == TYPE_F16X2)
        return fail_init(c, where, "cannot be there: half precision has no initial values",
                         "declare it as .b16 and write the bits");
    if (type->kind == KIND_BITS)
        return true;
    if ((type->kind == KIND_FLOAT) == is_float)
        return true;
    const char *trouble = ptx_diag_text(c->module->diags, "is %s, and the type is `.%s`",
                                        is_float ? "a float" : "an integer", type->text);
    return fail_init(c, where, trouble,
                     is_float ? "write an integer"
                              : "write it with a point, as 1.0, or as bits, 0f3F800000");
}

/* Addresses: of variables in .global and .const space and of functions, which stand before. */
static bool check_address(const InitCheck *c, const AstOperand *ast)
{
    const Module *m = c->module->module;
    const Symbol *symbol = ptx_names_find(c->names, NAMES_ORDINARY, m->text + ast->name,
                                          ast->name_length);
    Type type = c->decl->type;
    if (!symbol || (symbol->kind != SYMBOL_VAR && symbol->kind != SYMBOL_FUNC)
        || symbol->name.begin == c->decl->name.begin)
        return fail_init(c, ast->span, "names no variable and no function declared before it",
                         "declare it first");
    if (symbol->kind == SYMBOL_VAR && m->vars[symbol->id].space != SPACE_GLOBAL
        && m->vars[symbol->id].space != SPACE_CONST)
        return fail_init(c, ast->span,
                         "is a variable that is neither in .global nor in .const space",
                         "addresses elsewhere are known only while a kernel runs");
    if (symbol->kind == SYMBOL_FUNC && (ast->value || ast->flags & AST_GENERIC))
        return fail_init(c, ast->span, "is a function, whose address stands alone", NULL);
    if (ast->flags & (AST_INDEXED | AST_NEGATIVE | AST_NOT | AST_PARENTHESES) || ast->suffix_length)
        return fail_init(c, ast->span, "is not an address: write the offset in bytes, `name+4`",
                         NULL);
    bool is_function = symbol->kind == SYMBOL_FUNC;
    const char *what = is_function ? "an address of a function in an initialiser"
                                   : "an address in an initialiser";
    if (ast->flags & AST_GENERIC && !ptx_check_gate(c->module, ast->span, "`generic()`", 31, 10))
        return false;
    if (ast->flags & AST_MASK
        && !ptx_check_gate(c->module, ast->span, "a mask in an initialiser", 71, 10))
        return false;
    if (!ptx_check_gate(c->module, ast->span, what, 21, is_function ? 20 : 10))
        return false;
    bool is_byte = ast->flags & AST_MASK && type == TYPE_U8;
    if (type != TYPE_U32 && type != TYPE_U64 && !is_byte)
        return fail_init(c, ast->span,
                         ptx_diag_text(c->module->diags, "is an address, and the type is `.%s`",
                                       ptx_type_info[type].text),
                         "addresses are .u32 or .u64");
    return true;
}

static bool check_scalar(const InitCheck *c, const AstOperand *ast)
{
    switch (ast->kind) {
    case AST_INT:
        return check_number(c, ast->span, false);
    case AST_F32: case AST_F64:
        return check_number(c, ast->span, true);
    case AST_NAME:
        return check_address(c, ast);
    case AST_BAD:
        return false;
    default:
        return fail_init(c, ast->span, "is a list where one value belongs", NULL);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Integers that the scanner skipped have no nodes: value counts them. */
static uint64_t initializer_count(const AstOperand *list)
{
    return list->value + ptx_element_count(list);
}

static bool check_init_vector(const InitCheck *c, const AstOperand *ast)
{
    if (ast->kind != AST_VECTOR)
        return fail_init(c, ast->span, "is one value where a vector belongs",
                         "write its elements in braces");
    if (initializer_count(ast) != c->decl->vector)
        return fail_init(
            c, ast->span,
            ptx_diag_text(c->module->diags, "lacks the %d elements of the vector", c->decl->vector),
            NULL);
    if (ast->value && !check_number(c, ast->span, false))
        return false;
    for (const AstOperand *child = ast->child; child; child = child->next) {
        if (!check_scalar(c, child))
            return false;
    }
    return true;
}

static bool check_level(const InitCheck *c, const AstOperand *ast, uint8_t level)
{
    const AstDecl *decl = c->decl;
    bool is_last = level + 1 >= decl->dim_count;
    if (level == decl->dim_count)
        return decl->vector > 1 ? check_init_vector(c, ast) : check_scalar(c, ast);
    if (ast->kind == AST_BAD)
        return false;
    if (ast->kind != AST_VECTOR)
        return fail_init(c, ast->span, "is one value where a list in braces belongs", NULL);
    uint64_t count = initializer_count(ast), most = decl->dims[level];
    if (most && count > most)
        return fail_init(c, ast->span,
                         ptx_diag_text(c->module->diags,
                                       "has %llu elements, and the array has %llu",
                                       (unsigned long long)count, (unsigned long long)most),
                         "make the array larger, or put inner arrays into braces");
    if (!most && !count)
        return fail_init(c, ast->span, "is empty, and nothing else tells how long the array is",
                         NULL);
    if (ast->value && (!is_last || decl->vector > 1))
        return fail_init(c, ast->span, "has numbers where inner lists belong",
                         "put each inner array into braces");
    if (ast->value && !check_number(c, ast->span, false))
        return false;
    for (const AstOperand *child = ast->child; child; child = child->next) {
        if (!check_level(c, child, (uint8_t)(level + 1)))
            return false;
    }
    return true;
}

void ptx_check_init(const ModuleCheck *module, const Names *names, const AstDecl *decl)
{
    const InitCheck c = { module, names, decl };
    const AstOperand *value = decl->init_value;
    if (!value || value->kind == AST_BAD)
        return;
    if (decl->type == TYPE_F16X2 && value->kind == AST_VECTOR)
        return;                         /* ptxas takes any list */
    /* fields by name, of which we know none */
    if (ptx_type_info[decl->type].kind == KIND_OPAQUE) {
        if (value->kind != AST_VECTOR)
            fail_init(&c, value->span, "is one value where fields belong",
                      "write `{ field = value, ... }`");
        return;
    }
    /* x[] = 1 */
    bool is_lone = decl->dim_count == 1 && !decl->dims[0] && value->kind != AST_VECTOR;
    check_level(&c, value, is_lone ? 1 : 0);
}
