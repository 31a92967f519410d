/* Functions and the module: items of the parser lowered one by one. */
#include "resolve/lower.h"
#include "resolve/width.h"

#include "support/assert.h"
#include "check/check_decl.h"
#include "check/check_module.h"
#include "support/choice.h"

/* Never NULL: offsets are taken of it. Functions share what has no items. */
static void *copy_items(const Lower *l, const void *items, uint32_t count, size_t size)
{
    if (!count)
        return l->nothing;
    void *copy = ptx_arena_alloc_array(l->arena, count, size);
    memcpy(copy, items, count * size);
    return copy;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void enter_scope(Lower *l, const AstStmt *scope)
{
    if (l->scope_count < LIMIT_NESTING + 2)
        l->scope_marks[l->scope_count] = l->names.symbol_count;
    l->scope_count++;
    ptx_names_enter(&l->names);
    ptx_lower_enter_span(l, (Span){ scope->span.begin, l->func->span.end });
    for (const AstStmt *label = scope->next_label; label; label = label->next_label) {
        Symbol *earlier;
        *PUSH(l, l->labels) = (Label){ .name = label->opcode, .insn = NO_ID, .table = NO_ID };
        ptx_names_declare(&l->names, NAMES_LABEL, SYMBOL_LABEL, label->opcode, l->labels.count - 1,
                          &earlier);
        if (!earlier)
            continue;
        Diag *diag = ptx_diag(l->diags, DIAG_DUPLICATE_LABEL, label->opcode,
                              "label `%.*s` is defined twice in this scope",
                              ptx_shown(ptx_span_length(label->opcode)),
                              ptx_lower_text(l, label->opcode));
        ptx_diag_relate(l->diags, diag, earlier->name, "the first one");
        diag->help = "rename one of them, and the branches that mean it";
    }
}

static void leave_scope(Lower *l, uint32_t end)
{
    l->scope_count--;
    ptx_lower_leave_span(l, end);
    ptx_names_leave(
        &l->names,
        l->scope_marks[l->scope_count < LIMIT_NESTING + 2 ? l->scope_count : LIMIT_NESTING + 1]);
}

/* A list of targets or a prototype needs its version of PTX and its target. */
static void check_table_gate(const ModuleCheck *check, const AstStmt *table)
{
    if (table->kind == AST_BRANCHTARGETS)
        ptx_check_gate(check, table->span, "`.branchtargets`", 60, 30);
    else if (table->kind == AST_CALLTARGETS)
        ptx_check_gate(check, table->span, "`.calltargets`", 21, 20);
    else if (table->kind == AST_CALLPROTOTYPE)
        ptx_check_gate(check, table->span, "`.callprototype`", 21, 20);
}

static void lower_label(Lower *l, const AstStmt *stmt)
{
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_LABEL, ptx_lower_text(l, stmt->opcode),
                                          ptx_span_length(stmt->opcode));
    if (!symbol)
        return;
    Label *label = &l->labels.items[symbol->id];
    label->insn = l->insns.count;
    ptx_lower_note_declared(l, SYMBOL_LABEL, symbol->id, stmt->opcode);
    const ModuleCheck check = { l->diags, l->text, l->module };
    ptx_check_name(&check, stmt->opcode);
    const Symbol *other = ptx_names_find(&l->names, NAMES_ORDINARY, ptx_lower_text(l, stmt->opcode),
                                         ptx_span_length(stmt->opcode));
    if (other && ptx_lower_is_same_scope(l, other) && other->kind != SYMBOL_UNDECLARED)
        ptx_lower_report_redeclared(l, stmt->opcode, other);
    const AstStmt *next = stmt->next;
    l->has_prototype_label = next && next->kind == AST_CALLPROTOTYPE;
    if (!next)
        return;
    check_table_gate(&check, next);
    if (next->kind == AST_BRANCHTARGETS || next->kind == AST_CALLTARGETS) {
        label->table = l->open_table = l->tables.count;
        *PUSH(l, l->tables) = (Table){ l->table_ids.count, 0 };
        label->is_calltargets = next->kind == AST_CALLTARGETS;
    } else if (next->kind == AST_CALLPROTOTYPE) {
        label->is_prototype = true;
        *PUSH(l, l->prototypes) = (Prototype){ symbol->id, ptx_signature_new(l->scratch, next->prototype) };
        ptx_check_prototype(&check, next->prototype);
    }
}

static void report_unnamed(Lower *l, const AstStmt *stmt, const char *what)
{
    ptx_diag(l->diags, DIAG_UNEXPECTED, stmt->span,
             "%s has a label before it, by which it is named", what);
}

/* Adds a label or function to the table; false: there is none, or there are too many. */
static bool list_target(Lower *l, AstStmtKind kind, Table *table, const char *name, size_t length,
                        Span where)
{
    bool is_branch = kind == AST_BRANCHTARGETS;
    const Symbol *symbol = ptx_names_find(&l->names, is_branch ? NAMES_LABEL : NAMES_ORDINARY, name,
                                          length);
    if (!symbol || (!is_branch && symbol->kind != SYMBOL_FUNC)) {
        ptx_diag(l->diags, DIAG_UNDECLARED_LABEL, where, "`%.*s` is not declared",
                 ptx_shown(length), name);
        return false;
    }
    if (!l->targets_left) {
        ptx_diag(l->diags, DIAG_TOO_LARGE, where,
                 "lists of targets have more entries than the function has bytes");
        return false;
    }
    l->targets_left--;
    if (is_branch)
        l->labels.items[symbol->id].is_used = true;
    *PUSH(l, l->table_ids) = symbol->id;
    if (ptx_span_length(where) == length)
        ptx_lower_note_use(l, (SymbolKind)symbol->kind, symbol->id, where);
    table->count++;
    return true;
}

static void lower_table(Lower *l, const AstStmt *stmt)
{
    if (l->open_table == NO_ID) {
        report_unnamed(l, stmt, "a list of targets");
        return;
    }
    Table *table = &l->tables.items[l->open_table];
    l->open_table = NO_ID;
    for (const AstOperand *ast = stmt->operands; ast; ast = ast->next) {
        if (ast->kind != AST_NAME)
            continue;
        const char *name = l->text + ast->name;
        if (!(ast->flags & AST_INDEXED)) {
            list_target(l, (AstStmtKind)stmt->kind, table, name, ast->name_length, ast->span);
            continue;
        }
        for (uint64_t i = 0; i < ast->value; i++) {
            const char *member = ptx_diag_text(l->diags, "%.*s%u", (int)ast->name_length, name,
                                               (unsigned)i);
            if (!list_target(l, (AstStmtKind)stmt->kind, table, member, strlen(member), ast->span))
                break;
        }
    }
}

/* What stands behind that byte is from another location. */
static void change_loc(Lower *l, uint32_t begin, uint32_t loc)
{
    Module *m = l->module;
    if (m->loc_change_count == l->loc_change_capacity)
        m->loc_changes = ptx_arena_grow(l->arena, m->loc_changes, m->loc_change_count,
                                        &l->loc_change_capacity, sizeof *m->loc_changes);
    m->loc_changes[m->loc_change_count++] = (LocChange){ begin, loc };
}

static void lower_loc(Lower *l, const AstLoc *ast)
{
    Module *m = l->module;
    if (m->loc_count == l->loc_capacity)
        m->locs = ptx_arena_grow(l->arena, m->locs, m->loc_count, &l->loc_capacity,
                                 sizeof *m->locs);
    m->locs[m->loc_count] =
        (Loc){ ast->file,         ast->line,           ast->column, ast->inlined_file,
               ast->inlined_line, ast->inlined_column, l->unit };
    /* line 0 is code that the compiler made: it belongs to the line before it */
    if (ast->line)
        change_loc(l, ast->span.begin, m->loc_count);
    m->loc_count++;
    if (ast->inlined_line)
        ptx_loc_check(&l->loc_set, l->vectors, l->diags, m, ast);
}

/* PTX ISA, "Pragma Strings". */
static void lower_pragma(Lower *l, Span text)
{
    static const char nounroll[] = "\"nounroll\"";
    l->has_nounroll |= ptx_span_length(text) == sizeof nounroll - 1
                       && !memcmp(ptx_lower_text(l, text), nounroll, sizeof nounroll - 1);
}

static void lower_body(Lower *l, const AstStmt *stmt)
{
    for (; stmt; stmt = stmt->next) {
        switch (stmt->kind) {
        case AST_INSN:          ptx_lower_insn(l, stmt); break;
        case AST_DECL:          ptx_lower_declare(l, stmt->decl, l->func_id); break;
        case AST_LABEL:         lower_label(l, stmt); break;
        case AST_LOC:           lower_loc(l, stmt->loc); break;
        case AST_PRAGMA:        lower_pragma(l, stmt->opcode); break;
        case AST_SCOPE_BEGIN:   enter_scope(l, stmt); break;
        case AST_SCOPE_END:     if (l->scope_count) leave_scope(l, stmt->span.end); break;
        case AST_BRANCHTARGETS: case AST_CALLTARGETS:
                                lower_table(l, stmt); break;
        case AST_CALLPROTOTYPE: if (!l->has_prototype_label)
                                    report_unnamed(l, stmt, "a prototype");
                                l->has_prototype_label = false;
                                break;
        default:                break;
        }
    }
    while (l->scope_count)
        leave_scope(l, l->func->span.end);
}

/* Operands of an instruction are among those of the function, and what they name is in its
 * tables. */
static bool are_in_range(const Lower *l)
{
    for (uint32_t i = 0; i < l->insns.count; i++) {
        const Insn *insn = &l->insns.items[i];
        if (insn->operand_first > l->operands.count
            || insn->operand_count > l->operands.count - insn->operand_first
            || (insn->guard != NO_ID && insn->guard >= l->regs.count))
            return false;
    }
    for (uint32_t o = 0; o < l->operands.count; o++)
        if (l->operands.items[o].kind == OPERAND_REG && l->operands.items[o].id >= l->regs.count)
            return false;
    return true;
}

/* Instructions and operands are made where they stay, as the parser has counted them: a vector
 * would be as long again while it is copied. */
static void reserve_items(Lower *l, const AstFunc *ast)
{
    l->insns.capacity = ast->insn_count;
    l->operands.capacity = ast->operand_count;
    l->insns.items = ptx_arena_array(l->arena, Insn, l->insns.capacity);
    l->operands.items = ptx_arena_array(l->arena, Operand, l->operands.capacity);
}

/* Of a vector for which reserve_items has made as much. */
static void *keep_items(const Lower *l, void *items, uint32_t count, uint32_t capacity,
                        uint32_t made, size_t size)
{
    if (!count || capacity != made)
        return copy_items(l, items, count, size);
    ptx_arena_trim(l->arena, items, count, made, size);
    return items;
}

static void lower_func(Lower *l, const AstFunc *ast, FuncId id)
{
    ArenaMark mark = ptx_arena_mark(l->scratch);
    Func *func = l->func = &l->module->funcs[id];
    l->func_id = id;
    l->ast = ast;
    l->open_table = NO_ID;
    l->diags->func = (int32_t)id;
    if (l->module->loc_change_count)
        change_loc(l, ast->span.begin, 0);
    l->has_nounroll = l->has_descriptors = false;
    l->insns.count = l->operands.count = l->regs.count = l->labels.count = l->tables.count =
        l->table_ids.count = l->prototypes.count = l->shared_vars.count = 0;
    l->ranges.count = l->module_range_count;
    l->sparse = (HashMap){ 0 };
    l->singles_left = SINGLES_COMPARED;
    l->dense_left = 1024 + ptx_span_length(ast->span);
    l->targets_left = ptx_span_length(ast->span);
    *func = (Func){ .name = ast->name, .span = ast->span, .unit = l->unit, .linkage = ast->linkage, .is_entry = ast->is_entry,
                    .has_body = ast->body != NULL, .has_syntax_error = ast->has_syntax_error };
    const ModuleCheck check = { l->diags, l->text, l->module };
    ptx_bounds_read(&check, ast->attributes, &func->bounds);
    ptx_check_bounds(&check, ast, &func->bounds);
    ptx_check_params(&check, ast);
    uint32_t names_mark = l->names.symbol_count, errors = ptx_diag_errors(l->diags);
    ptx_names_enter(&l->names);
    ptx_lower_enter_span(l, ast->span);
    func->result_count = ptx_lower_declare_params(l, ast->results, id, true, &func->results);
    l->result_reg_count = l->regs.count;
    func->param_count = ptx_lower_declare_params(l, ast->params, id, false, &func->params);
    reserve_items(l, ast);
    lower_body(l, ast->body);
    if (l->has_descriptors)
        ptx_lower_descriptors(l);
    func->bounds.is_repeated = ptx_bounds_repeat(&check, ast->attributes);
    ptx_names_leave(&l->names, names_mark);
    ptx_lower_leave_span(l, ast->span.end);
    for (uint32_t i = 0; i < l->labels.count; i++) {
        if (l->labels.items[i].insn == NO_ID)
            l->labels.items[i].insn = l->insns.count;
    }
    ASSERT(are_in_range(l));
    func->operands = keep_items(l, l->operands.items, func->operand_count = l->operands.count,
                                l->operands.capacity, ast->operand_count, sizeof(Operand));
    func->insns = keep_items(l, l->insns.items, func->insn_count = l->insns.count,
                             l->insns.capacity, ast->insn_count, sizeof(Insn));
    func->regs = copy_items(l, l->regs.items, func->reg_count = l->regs.count, sizeof(Reg));
    func->labels = copy_items(l, l->labels.items, func->label_count = l->labels.count,
                              sizeof(Label));
    func->tables = copy_items(l, l->tables.items, func->table_count = l->tables.count,
                              sizeof(Table));
    func->table_ids = copy_items(l, l->table_ids.items,
                                 func->table_id_count = l->table_ids.count, sizeof(uint32_t));
    func->shared_vars = copy_items(l, l->shared_vars.items,
                                   func->shared_var_count = l->shared_vars.count, sizeof(VarId));
    func->has_unknown |= ptx_diag_errors(l->diags) != errors;
    ptx_arena_release(l->scratch, mark);
    l->diags->func = -1;
}

static void declare_func(Lower *l, const AstFunc *ast, FuncId id)
{
    Symbol *earlier;
    const ModuleCheck check = { l->diags, l->text, l->module };
    ptx_check_module_name(&check, ast->name);
    ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_FUNC, ast->name, id, &earlier);
    ptx_lower_note_declared(l, SYMBOL_FUNC, id, ast->name);
    if (ast->linkage == LINKAGE_EXTERN && ast->body)
        ptx_diag(l->diags, DIAG_BAD_DECLARATION, (Span){ ast->span.end - 1, ast->span.end },
                 "`%.*s` is .extern and has a body", ptx_shown(ptx_span_length(ast->name)),
                 ptx_lower_text(l, ast->name))
            ->help = "write .visible, or take the body away";
    if (!earlier)
        return;
    const RepeatCheck repeat = { l->diags, l->text, ast, earlier->name,
                                 &l->signatures.items[l->signatures.count - 1] };
    if (earlier->kind == SYMBOL_FUNC)
        ptx_check_repeat(&repeat, &l->module->funcs[earlier->id],
                         &l->signatures.items[earlier->id]);
    else
        ptx_check_repeat(&repeat, NULL, NULL);
}

/* ---- the module ------------------------------------------------------------------------------ */

static void read_header(Lower *l, const AstHeader *header)
{
    Module *m = l->module;
    m->version = header->version;
    m->address_size = header->address_size ? header->address_size : 64;
    m->has_address_size = header->address_size != 0;
    m->is_debug = header->is_debug;
    m->is_texmode_independent = header->is_texmode_independent;
    m->version_span = header->version_span;
    m->target_span = header->target_span;
    if (!m->target.sm && ptx_span_length(header->target_span))
        ptx_target_find(ptx_lower_text(l, header->target_span),
                        ptx_span_length(header->target_span), &m->target);
}

Lower *ptx_lower_new(Arena *arena, Arena *vectors, Arena *scratch, DiagSink *diags,
                     const char *text, size_t length)
{
    Module *m = ptx_arena_new(arena, Module);
    Lower *l = ptx_arena_new(arena, Lower);
    *l = (Lower){ .arena = arena, .scratch = scratch, .vectors = vectors, .diags = diags, .text = text, .length = (uint32_t)length, .module = m };
    m->text = text;
    m->length = (uint32_t)length;
    l->nothing = ptx_arena_new(arena, Insn);
    l->checks = ptx_check_memo_new(arena);
    l->loc_capacity = 64;
    m->locs = ptx_arena_array(arena, Loc, l->loc_capacity);
    m->loc_count = 1;
    ptx_names_init(&l->names, arena, text);
    l->names_begin = l->names.symbol_count;
    return l;
}

static void lower_alias(Lower *l, const AstAlias *alias)
{
    const char *target = ptx_lower_text(l, alias->target);
    size_t length = ptx_span_length(alias->target);
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_ORDINARY, target, length);
    if (!symbol || symbol->kind != SYMBOL_FUNC) {
        ptx_diag(l->diags, DIAG_UNDECLARED, alias->target, "`%.*s` is not a function",
                 ptx_shown(length), target);
        return;
    }
    const ModuleCheck check = { l->diags, l->text, l->module };
    const Symbol *name = ptx_names_find(&l->names, NAMES_ORDINARY, ptx_lower_text(l, alias->name),
                                        ptx_span_length(alias->name));
    bool is_func = name && name->kind == SYMBOL_FUNC;
    if (is_func)
        ptx_lower_note_use(l, SYMBOL_FUNC, name->id, alias->name);
    ptx_lower_note_use(l, SYMBOL_FUNC, symbol->id, alias->target);
    const Func *func = is_func ? &l->module->funcs[name->id] : NULL;
    const Signature *signature = is_func ? &l->signatures.items[name->id] : NULL;
    ptx_check_alias(&check, alias, func, signature, &l->module->funcs[symbol->id],
                    &l->signatures.items[symbol->id]);
    if (is_func && name->id != symbol->id)
        l->module->funcs[name->id].alias_of = symbol->id + 1;
}

/* Nothing of the module before has a name here. */
static void enter_unit(Lower *l, uint32_t unit)
{
    l->unit = unit;
    ptx_names_enter(&l->names);
    ptx_names_leave(&l->names, l->names_begin);
}

void ptx_lower_item(Lower *l, const AstHeader *header, const AstItem *item)
{
    Module *m = l->module;
    read_header(l, header);
    if (header->unit != l->unit)
        enter_unit(l, header->unit);
    if (item->func) {
        if (m->func_count == l->func_capacity)
            m->funcs = ptx_arena_grow(l->arena, m->funcs, m->func_count, &l->func_capacity,
                                      sizeof *m->funcs);
        *PUSH(l, l->signatures) = ptx_signature_new(l->arena, item->func);
        declare_func(l, item->func, m->func_count);
        lower_func(l, item->func, m->func_count++);
    } else if (item->decl) {
        ptx_lower_declare(l, item->decl, NO_ID);
    } else if (item->alias) {
        lower_alias(l, item->alias);
    }
}

static void add_header_file(Lower *l, const AstFile *file)
{
    Module *m = l->module;
    uint32_t *at = ptx_hash_map_at(&m->file_of, l->arena, (uint64_t)file->unit << 32 | file->index);
    m->files[m->file_count++] = (File){ file->index, file->unit, file->path };
    *at = *at ? *at : m->file_count;
}

Module *ptx_lower_finish(Lower *l, const AstHeader *header)
{
    Module *m = l->module;
    read_header(l, header);
    bool is_empty = strspn(m->text, " \t\r\n") == m->length;
    if (!m->version && !header->is_other_format && !header->is_version_reported)
        ptx_diag(l->diags, DIAG_MISSING_VERSION, (Span){ 0, 0 },
                 "%sa PTX module begins with .version",
                 ptx_text_if(is_empty, "the input is empty: "))
            ->help = "write `.version 9.0` and `.target sm_90` first";
    uint32_t count = 0;
    for (const AstFile *file = header->files; file; file = file->next)
        count++;
    m->files = ptx_arena_array(l->arena, File, count ? count : 1);
    for (const AstFile *file = header->files; file; file = file->next)
        add_header_file(l, file);
    m->unit_count = l->unit + 1;
    if (!m->has_address_size)
        m->address_size = ptx_address_width(m);
    ptx_lines_find(l->arena, m);
    return m;
}
