/* Declarations of a function and of the module: registers, variables, parameters. */
#include "resolve/lower.h"

#include "check/check_decl.h"
#include "check/check_module.h"
#include "support/minmax.h"

void ptx_lower_report_redeclared(Lower *l, Span name, const Symbol *earlier)
{
    Diag *diag = ptx_diag(l->diags, DIAG_REDECLARED, name, "`%.*s` is declared twice in this scope",
                          ptx_shown(ptx_span_length(name)), ptx_lower_text(l, name));
    ptx_diag_relate(l->diags, diag, earlier->name, "the first declaration");
    diag->help = "rename one of them";
}

/* Parameters and the outermost `{ }` of a body are one scope. */
bool ptx_lower_is_same_scope(const Lower *l, const Symbol *symbol)
{
    return symbol->scope == l->names.scope
           || (symbol->scope == SCOPE_FUNC && l->names.scope == SCOPE_FUNC + 1);
}

static uint64_t read_index(const char *digits, size_t count)
{
    uint64_t index = 0;
    for (size_t i = 0; i < count && i < 18; i++)
        index = 10 * index + (uint64_t)(digits[i] - '0');
    return index;
}

/* The range of this scope that declares name as one of its own; NULL. */
static const Symbol *find_range_of(const Lower *l, Span name)
{
    const char *text = ptx_lower_text(l, name);
    size_t length = ptx_span_length(name), stem = length;
    while (stem > 1 && text[stem - 1] >= '0' && text[stem - 1] <= '9' && length - stem < 18) {
        stem--;
        const Symbol *range = ptx_names_find(&l->names, NAMES_RANGE, text, stem);
        if (range && ptx_lower_is_same_scope(l, range)
            && read_index(text + stem, length - stem) < l->ranges.items[range->id].count)
            return range;
    }
    return NULL;
}

/* A name of this scope that the range would declare again; the first of it ptxas lets pass. */
static const Symbol *find_single_of(Lower *l, Span stem, uint64_t count)
{
    size_t length = ptx_span_length(stem);
    for (uint32_t i = l->names.symbol_count;
         i-- > 1 && l->names.percent_digit_names && l->singles_left;) {
        const Symbol *symbol = &l->names.symbols[i];
        size_t whole = ptx_span_length(symbol->name);
        if (!ptx_lower_is_same_scope(l, symbol))
            break;
        l->singles_left--;
        const char *digits = ptx_lower_text(l, symbol->name) + length;
        if (symbol->space != NAMES_ORDINARY || whole <= length
            || memcmp(ptx_lower_text(l, symbol->name), ptx_lower_text(l, stem), length) != 0)
            continue;
        if (strspn(digits, "0123456789") < whole - length)
            continue;
        uint64_t index = read_index(digits, whole - length);
        if (index && index < count)
            return symbol;
    }
    return NULL;
}

/* Declares a register or variable; earlier: what the same scope has of that name already, else
 * NULL. Labels share the names of their scope. */
static const Symbol *declare_name(Lower *l, SymbolKind kind, Span name, uint32_t id)
{
    Symbol *earlier;
    const Symbol *label = l->names.scope
                              ? ptx_names_find(&l->names, NAMES_LABEL, ptx_lower_text(l, name),
                                               ptx_span_length(name))
                              : NULL;
    const Symbol *symbol = ptx_names_declare(&l->names, NAMES_ORDINARY, kind, name, id, &earlier);
    if (earlier)
        return earlier;
    const Symbol *outer = symbol->shadowed ? &l->names.symbols[symbol->shadowed] : NULL;
    if (outer && ptx_lower_is_same_scope(l, outer) && outer->kind != SYMBOL_UNDECLARED)
        return outer;
    if (label && ptx_lower_is_same_scope(l, label) && label->name.begin < name.begin)
        return label;
    char last = l->text[name.end - 1];
    return last >= '0' && last <= '9' && l->ranges.count ? find_range_of(l, name) : NULL;
}

RegId ptx_lower_add_reg(Lower *l, Span name, Type type, uint8_t vector)
{
    Reg *reg = PUSH(l, l->regs);
    *reg = (Reg){ .name_begin = name.begin,
                  .name_length = (uint16_t)ptx_u32_min(ptx_span_length(name), LIMIT_NAME_BYTES),
                  .type = (uint8_t)type,
                  .vector = (unsigned)vector & 0xf };
    return l->regs.count - 1;
}

static Range *push_range(Lower *l, const AstDecl *decl, FuncId owner)
{
    Range *range = PUSH(l, l->ranges);
    *range = (Range){ .count = decl->reg_count,
                      .stem = decl->name,
                      .owner = owner,
                      .align = decl->align,
                      .type = (uint8_t)decl->type,
                      .vector = decl->vector,
                      .space = (uint8_t)decl->space,
                      .linkage = (uint8_t)decl->linkage };
    ptx_lower_note_declared(l, SYMBOL_RANGE, l->ranges.count - 1, decl->name);
    return range;
}

/* Of the module: variables, since registers outside of functions are an error. */
static void declare_module_range(Lower *l, const AstDecl *decl)
{
    Symbol *earlier;
    if (decl->space == SPACE_REG || decl->is_empty_range)
        return;
    l->ranges.count = l->module_range_count++;
    push_range(l, decl, NO_ID);
    ptx_names_declare(&l->names, NAMES_RANGE, SYMBOL_RANGE, decl->name, l->ranges.count - 1,
                      &earlier);
    if (earlier)
        ptx_lower_report_redeclared(l, decl->name, earlier);
}

static void declare_regs(Lower *l, const AstDecl *decl)
{
    Symbol *earlier;
    if (decl->is_empty_range)
        return;
    if (!decl->reg_count) {
        RegId reg = ptx_lower_add_reg(l, decl->name, decl->type, decl->vector);
        ptx_lower_note_declared(l, SYMBOL_REG, reg, decl->name);
        const Symbol *first = declare_name(l, SYMBOL_REG, decl->name, reg);
        if (first && l->func->has_body)
            ptx_lower_report_redeclared(l, decl->name, first);
        return;
    }
    Range *range = push_range(l, decl, l->func_id);
    if (!range->space)          /* that was reported; registers are what most ranges are */
        range->space = SPACE_REG;
    if (range->space == SPACE_REG && decl->reg_count <= l->dense_left) {
        l->dense_left -= decl->reg_count;
        range->dense = ptx_arena_array(l->scratch, uint32_t, decl->reg_count);
    }
    const Symbol *single = find_single_of(l, decl->name, decl->reg_count);
    ptx_names_declare(&l->names, NAMES_RANGE, SYMBOL_RANGE, decl->name, l->ranges.count - 1,
                      &earlier);
    if (earlier || single)
        ptx_lower_report_redeclared(l, decl->name, earlier ? earlier : single);
}

static VarId add_var(Lower *l, const AstDecl *decl, FuncId owner, bool is_parameter)
{
    Module *m = l->module;
    if (m->var_count == l->var_capacity)
        m->vars = ptx_arena_grow(l->arena, m->vars, m->var_count, &l->var_capacity,
                                 sizeof *m->vars);
    Var *var = &m->vars[m->var_count];
    uint64_t element = (uint64_t)(ptx_type_info[decl->type].bits + 7) / 8 * decl->vector;
    *var = (Var){ .name = decl->name,
                  .span = decl->span,
                  .init = decl->init_has_names ? decl->init : (Span){ 0, 0 },
                  .numbers = decl->init_has_names ? (Span){ 0, 0 } : decl->init,
                  .func = owner,
                  .unit = l->unit,
                  .space = (uint8_t)decl->space,
                  .type = (uint8_t)decl->type,
                  .is_parameter = is_parameter,
                  .is_array = decl->dim_count,
                  .has_attribute = decl->has_attribute,
                  .vector = decl->vector,
                  .linkage = (uint8_t)decl->linkage,
                  .align = decl->align ? decl->align : (uint32_t)element,
                  .pointer_align = decl->pointer_align };
    if (__builtin_mul_overflow(element, decl->element_count, &var->bytes))
        var->bytes = UINT64_MAX;
    ptx_lower_note_declared(l, SYMBOL_VAR, m->var_count, decl->name);
    return m->var_count++;
}

VarId ptx_lower_add_member(Lower *l, const Range *range)
{
    const AstDecl decl = { .name = range->stem,
                           .span = range->stem,
                           .space = (Space)range->space,
                           .type = (Type)range->type,
                           .linkage = (Linkage)range->linkage,
                           .vector = range->vector,
                           .align = range->align,
                           .element_count = 1 };
    return add_var(l, &decl, range->owner, false);
}

static VarId declare_var(Lower *l, const AstDecl *decl, FuncId owner, bool is_parameter)
{
    const VarId id = add_var(l, decl, owner, is_parameter);
    const Module *m = l->module;
    const Symbol *earlier = NULL;
    if (ptx_span_length(decl->name) != 1 || *ptx_lower_text(l, decl->name) != '_')
        earlier = declare_name(l, SYMBOL_VAR, decl->name, id);
    if (earlier && owner == NO_ID && earlier->kind == SYMBOL_VAR
        && ptx_decl_may_repeat(&m->vars[earlier->id], &m->vars[id]))
        earlier = NULL;
    if (earlier && !(is_parameter && !l->func->has_body))
        ptx_lower_report_redeclared(l, decl->name, earlier);
    return id;
}

/* Names in an initialiser, nested at most as deep as the parser lets them. */
static void note_initialiser(Lower *l, const AstOperand *value)
{
    for (; value; value = value->next) {
        if (value->kind == AST_NAME) {
            Span name = { value->name, value->name + value->name_length };
            ResolveBinding binding = ptx_lower_bind_name(l, name);
            if (binding.kind == SYMBOL_VAR || binding.kind == SYMBOL_FUNC)
                ptx_lower_note_use(l, binding.kind, binding.id, name);
        }
        note_initialiser(l, value->child);
    }
}

void ptx_lower_declare(Lower *l, const AstDecl *decl, FuncId owner)
{
    const ModuleCheck check = { l->diags, l->text, l->module };
    for (; decl; decl = decl->next) {
        bool is_right = ptx_check_decl(&check, decl, owner == NO_ID ? DECL_MODULE : DECL_BODY);
        bool is_range = decl->reg_count || decl->is_empty_range;
        if (is_range && owner == NO_ID)
            declare_module_range(l, decl);
        else if (is_range || (decl->space == SPACE_REG && owner != NO_ID))
            declare_regs(l, decl);
        else
            declare_var(l, decl, owner, false);
        if (is_right && decl->init_value)
            ptx_check_init(&check, &l->names, decl);
        if (l->log && decl->init_has_names)
            note_initialiser(l, decl->init_value);
    }
}

/* Of a function those in registers are NO_ID; an entry has none, and they are left out. */
uint32_t ptx_lower_declare_params(Lower *l, const AstDecl *decl, FuncId owner, bool results,
                                  VarId **out)
{
    bool is_entry = l->module->funcs[owner].is_entry;
    uint32_t count = 0, i = 0;
    for (const AstDecl *d = decl; d; d = d->next)
        count += !is_entry || d->space != SPACE_REG;
    *out = ptx_arena_array(l->arena, VarId, count ? count : 1);
    for (; decl; decl = decl->next) {
        if (decl->space == SPACE_REG) {
            if (!is_entry)
                (*out)[i++] = NO_ID;
            RegId first = l->regs.count;
            declare_regs(l, decl);
            for (RegId reg = first; reg < l->regs.count; reg++) {
                l->regs.items[reg].is_result = results;
                l->regs.items[reg].is_param = l->regs.items[reg].is_written = !results;
            }
        } else {
            (*out)[i] = declare_var(l, decl, owner, true);
            l->module->vars[(*out)[i++]].is_input = !results;
        }
    }
    return count;
}
