#include "check/check_decl.h"
#include "ir/module.h"
#include "support/diag.h"

#include <string.h>

enum {
    MAX_PARAM_ALIGN = 128,             /* of what is passed between functions: bytes */
    MAX_VECTOR_BITS = 128,
    MAX_ENTRY_BYTES = 32764,           /* parameters of a kernel, from PTX 8.1 and sm_70 on */
    ENTRY_BYTES_OLD = 4352,
};

static bool wrong(const ModuleCheck *c, Span where, const AstDecl *decl, const char *why,
                  const char *help)
{
    ptx_diag(c->diags, DIAG_BAD_DECLARATION, where, "`%.*s` %s", ptx_span_shown(decl->name),
             c->text + decl->name.begin, why)->help = help;
    return false;
}

static bool is_sink_decl(const ModuleCheck *c, Span name)
{
    return ptx_span_length(name) == 1 && c->text[name.begin] == '_';
}

static bool is_param_decl(DeclPlace place)
{
    return place == DECL_ENTRY_PARAM || place == DECL_PARAM || place == DECL_RESULT;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* PTX ISA, "Restricted Use of Sub-Word Sizes", "Packed Data Types": the others are types of
 * instructions only. */
static bool is_declared_type(Type type)
{
    switch (type) {
    case TYPE_PRED: case TYPE_B8: case TYPE_B16: case TYPE_B32: case TYPE_B64: case TYPE_B128:
    case TYPE_U8:
    case TYPE_U16:
    case TYPE_U32:
    case TYPE_U64:
    case TYPE_S8:
    case TYPE_S16:
    case TYPE_S32:
    case TYPE_S64:
    case TYPE_F16:
    case TYPE_F16X2:
    case TYPE_F32:
    case TYPE_F64:
    case TYPE_TEXREF:
    case TYPE_SAMPLERREF:
    case TYPE_SURFREF:
        return true;
    default:
        return false;
    }
}

static bool check_type(const ModuleCheck *c, const AstDecl *decl)
{
    const TypeInfo *type = &ptx_type_info[decl->type];
    if (!is_declared_type(decl->type))
        return wrong(c, decl->span, decl,
                     ptx_diag_text(c->diags, "has the type `.%s`, which is for instructions only",
                                   type->text),
                     "declare it with the `.b` type of its width");
    switch (decl->type) {
    case TYPE_F16X2:    return ptx_check_gate(c, decl->span, "`.f16x2`", 42, 53);
    case TYPE_B128:     return ptx_check_gate(c, decl->span, "`.b128`", 83, 70);
    default:
        return type->kind != KIND_OPAQUE || ptx_check_gate(c, decl->span, "an opaque type", 15, 10);
    }
}

static bool check_vector(const ModuleCheck *c, const AstDecl *decl)
{
    const TypeInfo *type = &ptx_type_info[decl->type];
    if (decl->vector == 1)
        return true;
    if (type->kind == KIND_PREDICATE)
        return wrong(c, decl->span, decl, "is a vector of predicates; a predicate is alone", NULL);
    if (type->kind == KIND_OPAQUE)
        return wrong(c, decl->span, decl, "is a vector of an opaque type", NULL);
    if (decl->vector == 8 || decl->vector * type->bits > MAX_VECTOR_BITS)
        return wrong(c, decl->span, decl,
                     "is a vector of more than four elements, or of more than 128 bits",
                     "declare an array, or registers one by one");
    return true;
}

static bool check_opaque(const ModuleCheck *c, const AstDecl *decl, DeclPlace place)
{
    if (ptx_type_info[decl->type].kind != KIND_OPAQUE)
        return true;
    if (place != DECL_MODULE && place != DECL_ENTRY_PARAM)
        return wrong(c, decl->span, decl,
                     "is a texture, sampler or surface, which the module or the parameters of an "
                     ".entry declare",
                     NULL);
    if (place == DECL_MODULE && decl->space != SPACE_GLOBAL)
        return wrong(c, decl->span, decl,
                     "is a texture, sampler or surface, which are in .global space", NULL);
    if (decl->type == TYPE_SAMPLERREF && !c->module->is_texmode_independent
        && !decl->dim_count)            /* ptxas takes arrays of samplers */
        return wrong(
            c, decl->span, decl,
            "is a sampler, and without texmode_independent textures have no samplers apart",
            "write `texmode_independent` behind the .target");
    return true;
}

/* ---- state spaces ---------------------------------------------------------------------------- */

static bool check_module_space(const ModuleCheck *c, const AstDecl *decl)
{
    switch (decl->space) {
    case SPACE_PARAM:
        return wrong(c, decl->span, decl, "is in .param space, which belongs to functions", NULL);
    case SPACE_REG: case SPACE_LOCAL:
        if (c->module->version && c->module->version < 30)
            return true;                /* such files are compiled without a stack */
        return wrong(c, decl->span, decl, "is a register or local variable outside functions",
                     "declare it in the function's body");
    case SPACE_TEX:
        if (c->module->version && c->module->version < 15)
            return true;
        return wrong(c, decl->span, decl, "is in .tex space, which ended with PTX 1.4",
                     "write `.global .texref`");
    default:
        return true;
    }
}

static bool check_space(const ModuleCheck *c, const AstDecl *decl, DeclPlace place)
{
    if (decl->space == SPACE_SREG || decl->space == SPACE_SURF)
        return wrong(c, decl->span, decl, "is in a state space that nothing is declared in", NULL);
    if (place == DECL_ENTRY_PARAM && decl->space != SPACE_PARAM)
        return wrong(c, decl->span, decl,
                     "is a parameter of an .entry, and those are in .param space", NULL);
    if ((place == DECL_PARAM || place == DECL_RESULT) && decl->space != SPACE_PARAM
        && decl->space != SPACE_REG)
        return wrong(c, decl->span, decl, "is a parameter, and those are in .param or .reg space",
                     NULL);
    if (decl->type == TYPE_PRED && decl->space != SPACE_REG)
        return wrong(c, decl->span, decl, "is a predicate, and those are registers",
                     "pass or keep it as an integer: selp makes one");
    if (decl->space == SPACE_PARAM && (decl->vector > 1 || decl->type == TYPE_F16X2))
        return wrong(c, decl->span, decl, "cannot be in .param space with this type",
                     "use an array, or the `.b` type of its width");
    bool is_local = place == DECL_BODY && decl->space == SPACE_PARAM;
    if (is_local && (c->module->version == 14 || c->module->version == 15))
        return wrong(c, decl->span, decl,
                     "is a .param variable of a body, which PTX 1.4 and 1.5 do not have",
                     "declare it between the parentheses");
    if (place == DECL_BODY && decl->space == SPACE_TEX)
        return wrong(c, decl->span, decl, "is in .tex space, which is the module's", NULL);
    return place != DECL_MODULE || check_module_space(c, decl);
}

static bool check_linkage(const ModuleCheck *c, const AstDecl *decl, DeclPlace place)
{
    if (!decl->linkage)
        return true;
    if (place != DECL_MODULE)
        return wrong(c, decl->span, decl,
                     "has a linkage, which is for functions and for the variables of the module",
                     NULL);
    if (decl->linkage == LINKAGE_COMMON && decl->space != SPACE_GLOBAL)
        return wrong(c, decl->span, decl, "is .common, and those are in .global space", NULL);
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool is_unbounded(const AstDecl *decl)
{
    return decl->dim_count && !decl->element_count;
}

static bool check_param_array(const ModuleCheck *c, const AstDecl *decl, DeclPlace place,
                              bool has_body)
{
    if (decl->reg_count)
        return wrong(c, decl->span, decl, "is a range; parameters are declared one by one", NULL);
    if (decl->dim_count > 1)
        return wrong(c, decl->span, decl, "is an array of arrays; a parameter has one bound", NULL);
    if (is_unbounded(decl) && place == DECL_ENTRY_PARAM)
        return wrong(c, decl->span, decl,
                     "is an array without a bound, which an .entry cannot take", NULL);
    if (is_unbounded(decl) && (place == DECL_RESULT || decl->space != SPACE_PARAM))
        return wrong(
            c, decl->span, decl,
            "is an array without a bound, which only the last parameter in .param space may be",
            NULL);
    if (decl->dim_count && decl->space == SPACE_REG && has_body)
        return wrong(c, decl->span, decl, "is an array in .reg space; registers have no addresses",
                     "write `.param`");
    if (is_unbounded(decl)
        && !ptx_check_gate(c, decl->span, "an array parameter without a bound", 60, 30))
        return false;
    bool is_passed = place != DECL_ENTRY_PARAM && decl->space == SPACE_PARAM;
    return !is_passed || ptx_check_gate(c, decl->span, "a .param parameter of a .func", 20, 20);
}

static bool check_array(const ModuleCheck *c, const AstDecl *decl, DeclPlace place, bool has_body)
{
    for (uint8_t d = 1; d < decl->dim_count; d++) {
        if (!decl->dims[d])
            return wrong(c, decl->span, decl, "leaves a bound out that is not the first", NULL);
    }
    if (is_param_decl(place))
        return check_param_array(c, decl, place, has_body);
    if (decl->dim_count && decl->space == SPACE_REG)
        return wrong(c, decl->span, decl, "is an array in .reg space; registers have no addresses",
                     ptx_diag_text(c->diags, "`%.*s<%llu>` declares so many registers",
                                   ptx_span_shown(decl->name), c->text + decl->name.begin,
                                   (unsigned long long)decl->element_count));
    bool has_init = ptx_span_length(decl->init);
    if (is_unbounded(decl) && !has_init && (place == DECL_BODY || decl->linkage != LINKAGE_EXTERN))
        return wrong(c, decl->span, decl,
                     "is an array without a bound, which needs an initialiser or .extern",
                     "write the bound between the brackets");
    return true;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static bool check_alignment(const ModuleCheck *c, const AstDecl *decl, DeclPlace place)
{
    bool is_passed = decl->space == SPACE_PARAM && place != DECL_ENTRY_PARAM;
    if (is_passed && decl->align > MAX_PARAM_ALIGN)
        return wrong(c, decl->span, decl,
                     "is aligned to more than 128 bytes, which no parameter is", NULL);
    if ((decl->is_pointer || decl->is_aligned_behind) && place != DECL_ENTRY_PARAM)
        return wrong(c, decl->span, decl,
                     decl->is_pointer
                         ? "has .ptr, which is for the parameters of an .entry"
                         : "has .align behind its type, as only parameters of an .entry may",
                     NULL);
    bool is_pointed = !decl->pointer_space || decl->pointer_space == SPACE_GLOBAL
                      || decl->pointer_space == SPACE_CONST || decl->pointer_space == SPACE_LOCAL
                      || decl->pointer_space == SPACE_SHARED;
    if (decl->is_pointer && !is_pointed)
        return wrong(c, decl->span, decl, "points into a state space that has no pointers",
                     "write .const, .global, .local or .shared");
    return !decl->is_pointer || ptx_check_gate(c, decl->name, "`.ptr`", 22, 10);
}

static bool check_name(const ModuleCheck *c, const AstDecl *decl, DeclPlace place,
                       bool is_prototype)
{
    if (is_sink_decl(c, decl->name) && !is_prototype && place != DECL_ENTRY_PARAM)
        return wrong(
            c, decl->name, decl, "is no name that can be declared",
            "`_` stands for parameters of a .callprototype, and for results that are not used");
    if (is_sink_decl(c, decl->name))
        return true;
    return place == DECL_MODULE ? ptx_check_module_name(c, decl->name)
                                : ptx_check_name(c, decl->name);
}

static bool has_place_for_init(const AstDecl *decl)
{
    return decl->space == SPACE_GLOBAL || decl->space == SPACE_CONST;
}

static bool check_has_init(const ModuleCheck *c, const AstDecl *decl)
{
    if (!ptx_span_length(decl->init))
        return true;
    if (has_place_for_init(decl) && decl->linkage != LINKAGE_EXTERN)
        return true;
    Diag *diag = ptx_diag(c->diags, DIAG_BAD_INITIALIZER, decl->span,
                          "`%.*s` can have no initial value: it is %s", ptx_span_shown(decl->name),
                          c->text + decl->name.begin,
                          has_place_for_init(decl) ? ".extern" : "not in .global or .const space");
    diag->help = has_place_for_init(decl) ? "the module that defines it initialises it"
                                          : "store the value at the beginning of the function";
    return false;
}

static bool check_one(const ModuleCheck *c, const AstDecl *decl, DeclPlace place, bool has_body,
                      bool is_prototype)
{
    if (!decl->space || !decl->type)
        return false;                   /* diagnosed by the parser */
    return check_name(c, decl, place, is_prototype) && check_type(c, decl) && check_vector(c, decl)
           && check_linkage(c, decl, place) && check_opaque(c, decl, place)
           && check_space(c, decl, place) && check_array(c, decl, place, has_body)
           && check_alignment(c, decl, place) && check_has_init(c, decl);
}

bool ptx_check_decl(const ModuleCheck *c, const AstDecl *decl, DeclPlace place)
{
    return check_one(c, decl, place, true, false);
}

static void check_decl_list(const ModuleCheck *c, const AstDecl *list, DeclPlace place,
                            bool has_body, bool is_prototype)
{
    for (const AstDecl *decl = list; decl; decl = decl->next) {
        if (!check_one(c, decl, place, has_body, is_prototype))
            return;
        if (is_unbounded(decl) && decl->next) {
            wrong(c, decl->span, decl,
                  "is an array without a bound, which only the last parameter may be", NULL);
            return;
        }
    }
    if (place != DECL_RESULT || !list || !list->next)
        return;
    for (const AstDecl *decl = list; decl; decl = decl->next) {
        if (decl->space != SPACE_REG) {
            wrong(c, decl->span, decl, "is one of several results, and those are registers",
                  "return one array in .param space instead");
            return;
        }
    }
}

/* Against the limit of the .version; reported at the `}`, as ptxas does. */
static void check_bytes(const ModuleCheck *c, const AstFunc *entry)
{
    uint64_t bytes = 0;
    for (const AstDecl *d = entry->params; d; d = d->next) {
        uint64_t element = (uint64_t)(ptx_type_info[d->type].bits + 7) / 8 * d->vector,
                 align = d->align ? d->align : element, size;
        if (!align || __builtin_mul_overflow(element, d->element_count, &size))
            return;
        bytes = (bytes + align - 1) / align * align;
        if (__builtin_add_overflow(bytes, size, &bytes))
            return;
    }
    const Module *m = c->module;
    bool is_new = (!m->version || m->version >= 81) && (!m->target.sm || m->target.sm >= 70);
    uint64_t most = is_new ? MAX_ENTRY_BYTES : ENTRY_BYTES_OLD;
    if (!entry->body || bytes <= most)
        return;
    Diag *diag = ptx_diag(c->diags, DIAG_BAD_DECLARATION,
                          (Span){ entry->span.end - 1, entry->span.end },
                          "the parameters of `%.*s` take %llu bytes, and %llu is the limit",
                          ptx_span_shown(entry->name), c->text + entry->name.begin,
                          (unsigned long long)bytes, (unsigned long long)most);
    diag->help = is_new ? "pass a pointer to a buffer instead"
                        : "from PTX 8.1 and sm_70 on the limit is 32764";
    ptx_diag_relate(c->diags, diag, entry->name, "the .entry");
}

void ptx_check_params(const ModuleCheck *c, const AstFunc *ast)
{
    bool is_prototype = ptx_span_length(ast->name) == 1 && c->text[ast->name.begin] == '_';
    check_decl_list(c, ast->results, DECL_RESULT, ast->body != NULL, is_prototype);
    if (ast->is_entry && ast->params)
        ptx_check_gate(c, ast->mark, "a list of kernel parameters", 14, 10);
    if (ast->is_entry && !ast->body)
        ptx_check_gate(c, (Span){ ast->span.end - 1, ast->span.end }, "a declaration of an .entry",
                       30, 10);
    check_decl_list(c, ast->params, ast->is_entry ? DECL_ENTRY_PARAM : DECL_PARAM,
                    ast->body != NULL, is_prototype);
    if (ast->is_entry)
        check_bytes(c, ast);
}

bool ptx_decl_may_repeat(const Var *first, const Var *second)
{
    bool is_same = first->type == second->type && first->vector == second->vector
                   && first->is_array == second->is_array
                   && (first->bytes == second->bytes
                       || (first->is_array && (!first->bytes || !second->bytes)));
    return is_same
           && (second->linkage == LINKAGE_EXTERN
               || (first->linkage == LINKAGE_EXTERN && second->linkage != LINKAGE_NONE));
}
