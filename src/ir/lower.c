#include "ir/check.h"
#include "ir/ir.h"

#include "ir/names.h"
#include "support/hash.h"
#include "support/limits.h"

/* `%r<100>`: registers are made when first referred to, so that a range of two thousand million costs nothing. */
typedef struct Range {
    uint64_t count;
    uint32_t *dense;            /* per index: RegId + 1; NULL: looked up in Lower.sparse */
    uint8_t type, vector;
} Range;

typedef struct SparseReg {      /* (range, index) -> RegId of ranges too large for a dense map */
    uint64_t key;
    uint32_t reg;               /* RegId + 1; 0: free */
} SparseReg;

#define VECTOR_OF(T) struct { T *items; uint32_t count, capacity; }

struct Lower {
    Arena *arena, *scratch, *vectors;
    DiagSink *diags;
    const char *text;
    uint32_t length;
    Module *module;
    Names names;

    const Op **op_slots;        /* by hash of the text */
    uint32_t op_slot_count, op_capacity;
    uint32_t var_capacity, loc_capacity, loc;

    Func *func;                 /* being lowered */
    FuncId func_id;
    VECTOR_OF(Insn) insns;
    VECTOR_OF(Operand) operands;
    VECTOR_OF(Reg) regs;
    VECTOR_OF(Label) labels;
    VECTOR_OF(Table) tables;
    VECTOR_OF(uint32_t) table_ids;
    VECTOR_OF(Range) ranges;
    SparseReg *sparse;
    uint32_t sparse_count, sparse_capacity;
    uint64_t dense_left;        /* entries that dense maps may still take: bounded by the source */
    uint32_t scope_marks[LIMIT_NESTING + 2];
    uint32_t scope_count;
    uint32_t func_capacity;
    uint32_t result_reg_count;  /* the first registers of the function: its .reg results */
    uint32_t open_table;        /* of the label just lowered, for the list behind it; NO_ID: none */
};

static void *grow_items(Arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
    uint32_t wanted = *capacity ? 2 * *capacity : 64;
    char *copy = ptx_arena_alloc_array(arena, wanted, size);
    if (count)
        memcpy(copy, items, count * size);
    *capacity = wanted;
    return copy;
}

/* The next free item of a vector. Vectors keep their room from function to function, and so stay in the cache. */
#define PUSH(lower, vector)                                                                                              \
    ((vector).count == (vector).capacity                                                                                 \
         ? ((vector).items = grow_items((lower)->vectors, (vector).items, (vector).count, &(vector).capacity,            \
                                        sizeof *(vector).items),                                                         \
            &(vector).items[(vector).count++])                                                                           \
         : &(vector).items[(vector).count++])

static void *copy_items(Arena *arena, const void *items, uint32_t count, size_t size)
{
    void *copy = ptx_arena_alloc_array(arena, count ? count : 1, size);         /* never NULL: offsets are taken of it */
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

static const char *text_at(const Lower *l, Span span)
{
    return l->text + span.begin;
}

static int shown(size_t length)
{
    return length > 80 ? 80 : (int)length;
}

/* Beyond the newest version of the tables a gap is theirs, not the file's. */
static void soften(const Lower *l, Diag *diag)
{
    if (l->module->version > PTX_VERSION_NEWEST || l->module->target.sm > 121)
        diag->severity = SEVERITY_NOTE;
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static void report_redeclared(Lower *l, Span name, const Symbol *earlier)
{
    Diag *diag = ptx_diag(l->diags, DIAG_REDECLARED, name, "`%.*s` is declared twice in this scope", shown(ptx_span_length(name)),
                          text_at(l, name));
    ptx_diag_relate(l->diags, diag, earlier->name, "the first declaration");
}

static RegId add_reg(Lower *l, Span name, Type type, uint8_t vector)
{
    Reg *reg = PUSH(l, l->regs);
    *reg = (Reg){ .name = name, .type = (uint8_t)type, .vector = vector };
    return l->regs.count - 1;
}

static void declare_regs(Lower *l, const AstDecl *decl)
{
    Symbol *earlier;
    if (!decl->reg_count) {
        RegId reg = add_reg(l, decl->name, decl->type, decl->vector);
        ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_REG, decl->name, reg, &earlier);
        if (earlier)
            report_redeclared(l, decl->name, earlier);
        return;
    }
    Range *range = PUSH(l, l->ranges);
    *range = (Range){ .count = decl->reg_count, .type = (uint8_t)decl->type, .vector = decl->vector };
    if (decl->reg_count <= l->dense_left) {
        l->dense_left -= decl->reg_count;
        range->dense = ptx_arena_array(l->scratch, uint32_t, decl->reg_count);
    }
    ptx_names_declare(&l->names, NAMES_RANGE, SYMBOL_RANGE, decl->name, l->ranges.count - 1, &earlier);
    if (earlier)
        report_redeclared(l, decl->name, earlier);
}

static VarId declare_var(Lower *l, const AstDecl *decl, FuncId owner, bool is_parameter)
{
    Module *m = l->module;
    if (m->var_count == l->var_capacity)
        m->vars = grow_items(l->arena, m->vars, m->var_count, &l->var_capacity, sizeof *m->vars);
    Var *var = &m->vars[m->var_count];
    uint64_t element = (uint64_t)(ptx_type_info[decl->type].bits + 7) / 8 * decl->vector;
    *var = (Var){ .name = decl->name, .span = decl->span, .init = decl->init_has_names ? decl->init : (Span){ 0, 0 }, .func = owner, .space = (uint8_t)decl->space,
                  .type = (uint8_t)decl->type, .is_parameter = is_parameter,
                  .vector = decl->vector, .linkage = (uint8_t)decl->linkage,
                  .align = decl->align ? decl->align : (uint32_t)element };
    if (__builtin_mul_overflow(element, decl->element_count, &var->bytes))
        var->bytes = UINT64_MAX;
    Symbol *earlier = NULL;
    if (ptx_span_length(decl->name) != 1 || *text_at(l, decl->name) != '_')
        ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_VAR, decl->name, m->var_count, &earlier);
    bool may_repeat = owner == NO_ID && (decl->linkage != LINKAGE_NONE || (earlier && earlier->kind == SYMBOL_VAR
                                         && m->vars[earlier->id].linkage != LINKAGE_NONE));
    if (earlier && !may_repeat)
        report_redeclared(l, decl->name, earlier);
    return m->var_count++;
}

static void declare(Lower *l, const AstDecl *decl, FuncId owner)
{
    for (; decl; decl = decl->next) {
        if (decl->space == SPACE_REG && owner != NO_ID)
            declare_regs(l, decl);
        else
            declare_var(l, decl, owner, false);
    }
}

static uint32_t declare_params(Lower *l, const AstDecl *decl, FuncId owner, bool results, VarId **out)
{
    uint32_t count = 0;
    for (const AstDecl *d = decl; d; d = d->next)
        count++;
    *out = ptx_arena_array(l->arena, VarId, count ? count : 1);
    for (uint32_t i = 0; decl; decl = decl->next, i++) {
        (*out)[i] = NO_ID;
        if (decl->space == SPACE_REG) {
            RegId first = l->regs.count;
            declare_regs(l, decl);
            for (RegId reg = first; reg < l->regs.count; reg++) {
                l->regs.items[reg].is_result = results;
                l->regs.items[reg].is_param = l->regs.items[reg].is_written = !results;
            }
        } else {
            (*out)[i] = declare_var(l, decl, owner, true);
        }
    }
    return count;
}

static void read_bounds(Lower *l, const AstAttribute *attribute, Bounds *bounds)
{
    for (; attribute; attribute = attribute->next) {
        const char *name = text_at(l, attribute->name);
        size_t length = ptx_span_length(attribute->name);
        const uint32_t *values = attribute->values;
        uint32_t *shape = NULL;
#define IS(word) (length == sizeof word - 1 && !memcmp(name, word, length))
        if (IS(".maxntid"))
            shape = bounds->maxntid;
        else if (IS(".reqntid"))
            shape = bounds->reqntid;
        else if (IS(".reqnctapercluster"))
            shape = bounds->reqnctapercluster;
        else if (IS(".minnctapersm"))
            bounds->minnctapersm = values[0];
        else if (IS(".maxnreg"))
            bounds->maxnreg = values[0];
        else if (IS(".maxclusterrank"))
            bounds->maxclusterrank = values[0];
        else if (IS(".noreturn"))
            bounds->noreturn = true;
        else if (IS(".explicitcluster"))
            bounds->explicitcluster = true;
        else if (IS(".blocksareclusters"))
            bounds->blocksareclusters = true;
#undef IS
        for (int i = 0; shape && i < 3; i++)
            shape[i] = i < attribute->value_count ? values[i] : 1;
    }
}

/* PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives": what is for entries, what takes no zero, what contradicts what. */
static void check_bounds(Lower *l, const AstFunc *ast, const Bounds *bounds)
{
    static const char *const entries[] = { ".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".reqnctapercluster", ".maxclusterrank",
                                           ".explicitcluster", ".blocksareclusters" };
    for (const AstAttribute *a = ast->attributes; a; a = a->next) {
        const char *name = text_at(l, a->name);
        size_t length = ptx_span_length(a->name), known = 0;
        while (known < sizeof entries / sizeof *entries && (strlen(entries[known]) != length || memcmp(entries[known], name, length) != 0))
            known++;
        bool is_for_entry = known < sizeof entries / sizeof *entries;
        bool is_noreturn = length == strlen(".noreturn") && !memcmp(name, ".noreturn", length);
        if (ast->is_entry ? is_noreturn : is_for_entry)
            ptx_diag(l->diags, DIAG_BAD_DECLARATION, a->span, "`%.*s` is for %s", (int)length, name, ast->is_entry ? "a .func" : "an .entry");
        else if (is_for_entry && a->value_count && !a->values[0])
            ptx_diag(l->diags, DIAG_BAD_DECLARATION, a->span, "`%.*s` takes a number from 1 on", (int)length, name);
    }
    if (bounds->maxntid[0] && bounds->reqntid[0])
        ptx_diag(l->diags, DIAG_BAD_DECLARATION, ast->name, "`.maxntid` and `.reqntid` cannot both be given");
    if (bounds->reqnctapercluster[0] && bounds->maxclusterrank)
        ptx_diag(l->diags, DIAG_BAD_DECLARATION, ast->name, "`.reqnctapercluster` and `.maxclusterrank` cannot both be given");
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint32_t *sparse_reg(Lower *l, uint64_t key)
{
    if (2 * (l->sparse_count + 1) > l->sparse_capacity) {
        SparseReg *old = l->sparse;
        uint32_t old_capacity = l->sparse_capacity;
        l->sparse_capacity = old_capacity ? 2 * old_capacity : 256;
        l->sparse = ptx_arena_array(l->scratch, SparseReg, l->sparse_capacity);
        l->sparse_count = 0;
        for (uint32_t i = 0; i < old_capacity; i++) {
            if (old[i].reg)
                *sparse_reg(l, old[i].key) = old[i].reg;
        }
    }
    uint32_t mask = l->sparse_capacity - 1, slot = (uint32_t)ptx_hash_mix(key) & mask;
    while (l->sparse[slot].reg && l->sparse[slot].key != key)
        slot = (slot + 1) & mask;
    l->sparse_count += !l->sparse[slot].reg;
    l->sparse[slot].key = key;
    return &l->sparse[slot].reg;
}

static RegId range_reg(Lower *l, uint32_t range_id, uint64_t index, Span name)
{
    Range *range = &l->ranges.items[range_id];
    uint32_t *place = range->dense ? &range->dense[index] : sparse_reg(l, (uint64_t)range_id << 32 ^ index);
    if (!*place) {
        *place = add_reg(l, name, (Type)range->type, range->vector) + 1;
        l->regs.items[*place - 1].is_of_range = true;
    }
    return *place - 1;
}

typedef struct Binding {
    SymbolKind kind;
    uint32_t id;
} Binding;

/* `%r12` is index 12 of stem `%r`. A stem may itself end in digits (`%r1<8>` declares %r10 to %r17): every split is
 * tried, the longest index first. An index has no leading zero. */
static Binding bind_range(Lower *l, Span name, const Symbol *single)
{
    size_t length = ptx_span_length(name), stem = length;
    const char *text = text_at(l, name);
    while (stem > 1 && text[stem - 1] >= '0' && text[stem - 1] <= '9' && length - stem < 18)
        stem--;
    for (; stem < length; stem++) {
        if (text[stem] == '0' && stem + 1 < length)
            continue;
        const Symbol *range = ptx_names_find(&l->names, NAMES_RANGE, text, stem);
        if (!range || (single && range->scope < single->scope))
            continue;
        uint64_t index = 0;
        for (size_t i = stem; i < length; i++)
            index = 10 * index + (uint64_t)(text[i] - '0');
        if (index < l->ranges.items[range->id].count)
            return (Binding){ SYMBOL_REG, range_reg(l, range->id, index, name) };
    }
    return (Binding){ SYMBOL_NONE, 0 };
}

static Binding bind_name(Lower *l, Span name)
{
    const char *text = text_at(l, name);
    size_t length = ptx_span_length(name);
    bool digits = text[length - 1] >= '0' && text[length - 1] <= '9', percent = text[0] == '%';
    const Symbol *single = NULL;
    if (!digits || !percent || l->names.percent_digit_names)
        single = ptx_names_find(&l->names, NAMES_ORDINARY, text, length);
    if (digits && (percent || !single)) {
        Binding range = bind_range(l, name, single);
        if (range.kind)
            return range;
    }
    return single ? (Binding){ (SymbolKind)single->kind, single->id } : (Binding){ SYMBOL_NONE, 0 };
}

static const struct { const char *text; uint8_t length; } sreg_names[] = {
#define SR(id, text, ...) [SREG_##id] = { text, sizeof text - 1 },
#include "isa/sregs.def"
#undef SR
};

/* A special register; *component is 0..3 for .x .y .z .w. */
static SregId find_sreg(const char *name, size_t length, const char *suffix, size_t suffix_length, int64_t *component)
{
    *component = 0;
    if (length < 3 || name[0] != '%')
        return SREG_NONE;
    name++;
    length--;
    if (suffix_length == 2) {
        const char *place = strchr("xyzw", suffix[1]);
        *component = place && suffix[1] ? place - "xyzw" : 0;
    }
    size_t stem = length;
    while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    for (int id = 1; id < SREG__COUNT; id++) {
        const char *text = sreg_names[id].text;
        size_t n = sreg_names[id].length;
        if (n == length && !memcmp(name, text, n))
            return (SregId)id;
        bool numbered = id == SREG_ENVREG || id == SREG_PM || id == SREG_RESERVED_SMEM_OFFSET;
        if (numbered && stem < length && n == stem && !memcmp(name, text, n))
            return (SregId)id;
    }
    if (length == 6 && !memcmp(name, "pm", 2) && !memcmp(name + 3, "_64", 3))
        return SREG_PM_64;
    return SREG_NONE;
}

static RegId undeclared(Lower *l, Span name)
{
    ptx_diag(l->diags, DIAG_UNDECLARED, name, "`%.*s` is not declared", shown(ptx_span_length(name)), text_at(l, name));
    RegId reg = add_reg(l, name, TYPE_NONE, 1);
    l->regs.items[reg].is_written = true;
    Symbol *earlier;
    ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_UNDECLARED, name, reg, &earlier);
    return reg;
}

static Operand bind_operand(Lower *l, const AstOperand *ast)
{
    Span name = { ast->name, ast->name + ast->name_length };
    Operand operand = { .kind = OPERAND_UNKNOWN, .value = (int64_t)ast->value };
    if (ast->name_length == 1 && *text_at(l, name) == '_') {
        operand.kind = OPERAND_SINK;
        return operand;
    }
    Binding binding = bind_name(l, name);
    operand.id = binding.id;
    const char *suffix = text_at(l, name) + ast->name_length;
    switch (binding.kind) {
    case SYMBOL_REG: case SYMBOL_UNDECLARED:
        operand.kind = binding.kind == SYMBOL_REG ? OPERAND_REG : OPERAND_UNKNOWN;
        if (ast->suffix_length && l->regs.items[binding.id].vector > 1)
            operand.flags |= OPERAND_COMPONENT;
        return operand;
    case SYMBOL_VAR:
        operand.kind = OPERAND_VAR;
        if (ast->flags & AST_INDEXED) {
            const Var *var = &l->module->vars[binding.id];
            operand.value *= (ptx_type_info[var->type].bits + 7) / 8 * var->vector;
        }
        return operand;
    case SYMBOL_FUNC:
        operand.kind = OPERAND_FUNCTION;
        l->func->has_calls = true;
        return operand;
    default:
        break;
    }
    int64_t component;
    SregId sreg = find_sreg(text_at(l, name), ast->name_length, suffix, ast->suffix_length, &component);
    if (sreg) {
        operand.kind = OPERAND_SREG;
        operand.id = sreg;
        operand.value = component;
        return operand;
    }
    operand.id = undeclared(l, name);
    return operand;
}

static LabelId bind_label(Lower *l, const AstOperand *ast)
{
    if (ast->kind != AST_NAME)
        return NO_ID;
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_LABEL, l->text + ast->name, ast->name_length);
    if (!symbol)
        return NO_ID;
    l->labels.items[symbol->id].is_used = true;
    return symbol->id;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static const Op *find_op(Lower *l, const char *text, size_t length, Span where);

static bool version_allows(const Module *m, const FormInfo *form)
{
    return !m->version || form->version <= m->version;
}

static bool target_allows(const Module *m, const FormInfo *form)
{
    return !m->target.sm || ptx_target_allows(m->target, form->target);
}

/* Marks an op none of whose forms the module's .version and .target take. */
static void check_gates(const Module *m, Op *op)
{
    for (FormId form = op->form; form; form = ptx_form_next(op, form)) {
        if (version_allows(m, &ptx_form_info[form]) && target_allows(m, &ptx_form_info[form]))
            return;
    }
    if (op->form)
        op->flags |= OPF_TOO_NEW;
}

static void report_gates(Lower *l, const Op *op, Span where)
{
    const Module *m = l->module;
    const FormInfo *form = &ptx_form_info[op->form];
    if (!version_allows(m, form)) {
        ptx_diag(l->diags, DIAG_VERSION_TOO_OLD, where, "`%.*s` needs PTX %d.%d; this module says %d.%d", shown(op->length), op->text,
                 form->version / 10, form->version % 10, m->version / 10, m->version % 10)->help =
            ptx_diag_text(l->diags, "write `.version %d.%d` or newer", form->version / 10, form->version % 10);
        return;
    }
    Diag *diag = ptx_diag(l->diags, DIAG_TARGET_TOO_OLD, where, "`%.*s` needs sm_%d%.1s; this module is for sm_%d%.1s", shown(op->length), op->text,
             form->target.sm, &form->target.suffix, m->target.sm, &m->target.suffix);
    soften(l, diag);
}

/* A modifier that is given twice where no form has it twice; -1. Those that ptxas takes twice are left alone, and so are matrix, video
 * and texture instructions, whose types repeat. */
static int find_repeated(const Op *op)
{
    static const char *const harmless[] = { "sat", "cc", "sync", "uni", "shiftamt", "relu", "approx", "NaN", "aligned", "L2::evict_unchanged" };
    static const char *const others[] = { "mma", "wmma", "wgmma", "tcgen05", "tex", "tld4", "cp", "cvt" };
    const char *opcode = ptx_opcode_info[op->opcode].text;
    bool is_other = *opcode == 'v' && strcmp(opcode, "vote") != 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_other |= !strcmp(opcode, others[i]);
    for (int a = 0; a < op->modifier_count && !is_other; a++) {
        bool is_harmless = op->modifiers[a] < 0;
        for (size_t i = 0; i < sizeof harmless / sizeof *harmless && !is_harmless; i++)
            is_harmless = !strcmp(ptx_modifier_texts[op->modifiers[a]], harmless[i]);
        for (int b = 0; b < a && !is_harmless; b++)
            if (op->modifiers[a] == op->modifiers[b])
                return op->modifiers[a];
    }
    return -1;
}

static void report_repeated(Lower *l, const Op *op, Span where)
{
    int modifier = find_repeated(op);
    if (modifier >= 0)
        ptx_diag(l->diags, DIAG_BAD_FORM, where, "`%s` has the modifier `.%s` twice", ptx_opcode_info[op->opcode].text, ptx_modifier_texts[modifier])
            ->help = "one of them goes";
}

/* Suggestions are for those who write PTX, not for a file full of mistakes. */
enum { SUGGESTIONS_MOST = 1000 };

static void report_op(Lower *l, const Op *op, Span where)
{
    if (op->flags & OPF_TOO_NEW) {
        report_gates(l, op, where);
        return;
    }
    const char *opcode = op->opcode ? ptx_opcode_info[op->opcode].text : NULL;
    size_t head = 0;
    while (head < op->length && op->text[head] != '.')
        head++;
    if (!opcode) {
        Diag *diag = ptx_diag(l->diags, DIAG_UNKNOWN_OPCODE, where, "there is no instruction `%.*s`", shown(head), op->text);
        const char *near = l->diags->count > SUGGESTIONS_MOST ? NULL : ptx_opcode_suggest(op->text, head);
        if (near)
            diag->help = ptx_diag_text(l->diags, "did you mean `%s`?", near);
        soften(l, diag);
    } else if (op->unknown_length) {
        const char *modifier = op->text + op->unknown_at;
        Diag *diag = ptx_diag(l->diags, DIAG_UNKNOWN_MODIFIER, where, "`%s` has no modifier `.%.*s`", opcode,
                              shown(op->unknown_length), modifier);
        const char *near = l->diags->count > SUGGESTIONS_MOST ? NULL : ptx_modifier_suggest(op, modifier, op->unknown_length);
        if (near)
            diag->help = ptx_diag_text(l->diags, "did you mean `.%s`?", near);
        soften(l, diag);
    } else if (!op->form) {
        Diag *diag = ptx_diag(l->diags, DIAG_BAD_FORM, where, "`%s` does not take these modifiers together", opcode);
        soften(l, diag);
    }
}

static const Op *find_op(Lower *l, const char *text, size_t length, Span where)
{
    Module *m = l->module;
    if (2 * (m->op_count + 1) > l->op_slot_count) {
        l->op_slot_count = l->op_slot_count ? 2 * l->op_slot_count : 1024;
        l->op_slots = ptx_arena_array(l->arena, const Op *, l->op_slot_count);
        for (uint32_t i = 0; i < m->op_count; i++) {
            uint32_t slot = ptx_hash_bytes(m->ops[i]->text, m->ops[i]->length) & (l->op_slot_count - 1);
            while (l->op_slots[slot])
                slot = (slot + 1) & (l->op_slot_count - 1);
            l->op_slots[slot] = m->ops[i];
        }
    }
    uint32_t mask = l->op_slot_count - 1, slot = ptx_hash_bytes(text, length) & mask;
    const Op *op;
    while ((op = l->op_slots[slot]) && (op->length != length || memcmp(op->text, text, length) != 0))
        slot = (slot + 1) & mask;
    if (!op) {
        Op *made = ptx_arena_new(l->arena, Op);
        ptx_op_resolve(made, text, length);
        check_gates(m, made);
        if (m->op_count == l->op_capacity)
            m->ops = grow_items(l->arena, (void *)m->ops, m->op_count, &l->op_capacity, sizeof *m->ops);
        made->id = m->op_count;
        m->ops[m->op_count++] = l->op_slots[slot] = op = made;
    }
    if (op->flags & (OPF_UNKNOWN | OPF_TOO_NEW))
        report_op(l, op, where);
    else if (op->out_of_order)
        report_repeated(l, op, where);
    return op;
}

/* Opcode text without the white space that may stand between its parts. */
static const char *joined_opcode(Lower *l, Span span, size_t *length)
{
    char *text = ptx_arena_strndup(l->arena, text_at(l, span), ptx_span_length(span));
    size_t n = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '*')) {
            const char *end = text[i + 1] == '/' ? strchr(text + i, '\n') : strstr(text + i + 2, "*/");
            i = end ? (size_t)(end - text) + (*end == '*') : strlen(text) - 1;
        } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n') {
            text[n++] = text[i];
        }
    }
    *length = n;
    return text;
}

typedef struct Roles {          /* in one word, so that it is passed in a register */
    uint64_t role : 8, pair_role : 8, position : 8;
} Roles;

static void add_operand(Lower *l, const AstOperand *ast, Roles roles, uint8_t flags);

static void add_list(Lower *l, const AstOperand *child, Roles roles, uint8_t flags)
{
    for (; child; child = child->next)
        add_operand(l, child, roles, flags);
}

static void push_operand(Lower *l, Operand operand, Roles roles, uint8_t flags)
{
    Operand *out = PUSH(l, l->operands);
    out->kind = operand.kind;
    out->role = (uint8_t)roles.role;
    out->position = (uint8_t)roles.position;
    out->flags = operand.flags | flags;
    out->id = operand.id;
    out->value = operand.value;
    if (operand.kind == OPERAND_REG && (roles.role & ROLE_DEF))
        l->regs.items[operand.id].is_written = true;
    if (out->flags & OPERAND_COMPONENT && (roles.role & ROLE_DEF))
        out->role |= ROLE_USE;          /* the other components live on */
}

static void add_operand(Lower *l, const AstOperand *ast, Roles roles, uint8_t flags)
{
    if (ast->flags & AST_BRACKETS)
        roles.role = ROLE_USE | ROLE_ADDRESS;
    if (ast->flags & AST_NOT)
        flags |= OPERAND_NEGATED;
    if (ast->flags & AST_NEGATIVE)
        flags |= OPERAND_MINUS;
    switch (ast->kind) {
    case AST_NAME:
        push_operand(l, bind_operand(l, ast), roles, flags);
        if (ast->flags & AST_INDEXED && ast->child)
            add_operand(l, ast->child, (Roles){ ROLE_USE | ROLE_ADDRESS, 0, roles.position }, 0);
        return;
    case AST_INT:
        push_operand(l, (Operand){ .kind = OPERAND_INT, .value = (int64_t)ast->value }, roles, flags);
        return;
    case AST_F32: case AST_F64:
        push_operand(l, (Operand){ .kind = ast->kind == AST_F32 ? OPERAND_F32 : OPERAND_F64, .value = (int64_t)ast->value }, roles, flags);
        return;
    case AST_VECTOR:
        add_list(l, ast->child, roles, flags | OPERAND_ELEMENT);
        return;
    case AST_ADDRESS:
        roles.role = ROLE_USE | ROLE_ADDRESS;
        add_list(l, ast->child, roles, flags);
        return;
    case AST_LIST:
        add_list(l, ast->child, roles, flags);
        return;
    case AST_PAIR: {
        Roles right = roles;
        right.role = roles.pair_role ? roles.pair_role : roles.role;
        add_operand(l, ast->child, roles, flags);
        add_operand(l, ast->child->next, right, flags | OPERAND_RIGHT);
        return;
    }
    default:
        push_operand(l, (Operand){ .kind = OPERAND_UNKNOWN, .id = NO_ID }, roles, flags);
        return;
    }
}

static void add_target(Lower *l, const AstOperand *ast, uint8_t position)
{
    LabelId label = bind_label(l, ast);
    if (label == NO_ID) {
        Span name = ast->kind == AST_NAME ? (Span){ ast->name, ast->name + ast->name_length } : ast->span;
        ptx_diag(l->diags, DIAG_UNDECLARED_LABEL, name, "there is no label `%.*s` in this scope", shown(ptx_span_length(name)), text_at(l, name));
    }
    Operand operand = { .kind = label == NO_ID ? OPERAND_UNKNOWN : OPERAND_TARGET, .id = label };
    push_operand(l, operand, (Roles){ ROLE_USE, 0, position }, 0);
}

/* call (ret), f, (args), targets; every part but f may be missing. PTX ISA, "Control Flow Instructions: call". */
static void lower_call(Lower *l, const AstOperand *ast)
{
    bool results = ast && (ast->kind == AST_LIST || (ast->flags & AST_PARENTHESES));
    if (results) {
        add_operand(l, ast, (Roles){ ROLE_DEF, 0, 0 }, 0);
        ast = ast->next;
    }
    if (!ast)
        return;
    add_operand(l, ast, (Roles){ ROLE_USE, 0, 1 }, 0);
    ast = ast->next;
    if (ast && (ast->kind == AST_LIST || (ast->flags & AST_PARENTHESES))) {
        add_operand(l, ast, (Roles){ ROLE_USE, 0, 2 }, 0);
        ast = ast->next;
    }
    if (!ast)
        return;
    LabelId label = bind_label(l, ast);         /* of .calltargets or .callprototype */
    if (label != NO_ID)
        push_operand(l, (Operand){ .kind = OPERAND_TARGET, .id = label }, (Roles){ ROLE_USE, 0, 3 }, 0);
    else
        add_operand(l, ast, (Roles){ ROLE_USE, 0, 3 }, 0);
}

static FormId fitting_form(const Op *op, uint32_t count)
{
    FormId form = op->form;
    while (form && !ptx_form_takes(form, count))
        form = ptx_form_next(op, form);
    return form;
}

static void report_operand_count(Lower *l, const Op *op, const AstStmt *stmt, uint32_t count)
{
    const FormInfo *form = &ptx_form_info[op->form];
    ptx_diag(l->diags, DIAG_OPERAND_COUNT, stmt->span, "`%.*s` takes %u operands, not %u", shown(op->length), op->text,
             (unsigned)form->operand_count, (unsigned)count);
}

static void lower_plain(Lower *l, const AstStmt *stmt, const Op *op, Insn *insn)
{
    uint32_t count = 0;
    bool bad = false;
    for (const AstOperand *ast = stmt->operands; ast; ast = ast->next) {
        count++;
        bad |= ast->kind == AST_BAD;
    }
    insn->form = fitting_form(op, count);
    if (op->form && !insn->form && !bad)
        report_operand_count(l, op, stmt, count);
    const FormInfo *form = &ptx_form_info[insn->form];
    const FormOperand *shape = ptx_form_operands + form->operand_first;
    uint8_t position = 0;
    for (const AstOperand *ast = stmt->operands; ast; ast = ast->next, position = (uint8_t)(position + (position < UINT8_MAX))) {
        /* Without a form any operand may be read or written. */
        Roles roles = { ROLE_USE | ROLE_DEF, ROLE_USE | ROLE_DEF, position };
        if (insn->form) {
            roles.role = shape[position].role;
            roles.pair_role = shape[position].pair_role;
            if (shape[position].type == OPERAND_LABEL) {
                add_target(l, ast, position);
                continue;
            }
        }
        add_operand(l, ast, roles, 0);
    }
    if (insn->form && count && !bad && !op->out_of_order) {
        const OperandCheck check = { l->diags, l->text, l->regs.items, op, stmt, l->operands.items + insn->operand_first,
                                     l->operands.count - insn->operand_first, count };
        ptx_check_operands(&check, insn->form);
    }
}

/* wmma.load and wmma.store: a thread's share of the matrix is what its registers hold. */
static uint8_t fragment_bytes(const Lower *l, const Insn *insn)
{
    const Operand *operands = l->operands.items + insn->operand_first;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (operands[i].kind == OPERAND_REG && (operands[i].flags & OPERAND_ELEMENT))
            bytes += 4 * ptx_reg_units(&l->regs.items[operands[i].id]);
    }
    return (uint8_t)(bytes > UINT8_MAX ? 0 : bytes);
}

static uint8_t access_bytes(const Lower *l, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->kind == OPK_CP_ASYNC) {
        const Operand *operands = l->operands.items + insn->operand_first;
        for (uint32_t i = 0; i < insn->operand_count; i++) {
            if (operands[i].position == 2 && operands[i].kind == OPERAND_INT && operands[i].value > 0 && operands[i].value <= 16)
                return (uint8_t)operands[i].value;
        }
        return 0;
    }
    if (op->kind == OPK_LDMATRIX || op->kind == OPK_STMATRIX)
        return 16;              /* a row of 8 b16 elements for each lane that gives an address */
    if (!op->space || !op->type)
        return 0;
    if (op->flags & OPF_WARP && op->kind == OPK_OTHER)
        return fragment_bytes(l, insn);
    return (uint8_t)((ptx_type_info[op->type].bits + 7) / 8 * op->vector);
}

static void lower_insn(Lower *l, const AstStmt *stmt)
{
    size_t length = ptx_span_length(stmt->opcode);
    const char *text = stmt->detached ? joined_opcode(l, stmt->opcode, &length) : text_at(l, stmt->opcode);
    const Op *op = find_op(l, text, length, stmt->opcode);
    Insn *insn = PUSH(l, l->insns);
    *insn = (Insn){ .op = op, .span = stmt->span, .operand_first = l->operands.count, .guard = NO_ID, .loc = l->loc,
                    .guard_negated = stmt->guard_negated };
    if (stmt->guard_length) {
        Span name = { stmt->guard, stmt->guard + stmt->guard_length };
        Operand guard = bind_operand(l, &(AstOperand){ .kind = AST_NAME, .name = name.begin, .name_length = stmt->guard_length });
        if (guard.kind == OPERAND_REG) {
            insn->guard = guard.id;
            if (l->regs.items[guard.id].type != TYPE_PRED)
                ptx_diag(l->diags, DIAG_BAD_GUARD, name, "a guard is a predicate; `%.*s` is `.%s`", shown(stmt->guard_length),
                         text_at(l, name), ptx_type_info[l->regs.items[guard.id].type].text);
        } else if (guard.kind == OPERAND_UNKNOWN) {
            insn->guard = guard.id;      /* undeclared: still a guard, so that control goes on behind it */
        } else {
            ptx_diag(l->diags, DIAG_BAD_GUARD, name, "a guard is a predicate register");
        }
    }
    if (op->kind == OPK_CALL) {
        insn->form = op->form;
        lower_call(l, stmt->operands);
    } else {
        lower_plain(l, stmt, op, insn);
    }
    if (op->kind == OPK_RET) {
        for (RegId reg = 0; reg < l->result_reg_count; reg++)
            push_operand(l, (Operand){ .kind = OPERAND_REG, .id = reg }, (Roles){ ROLE_USE, 0, UINT8_MAX }, OPERAND_IMPLICIT);
    }
    uint32_t count = l->operands.count - insn->operand_first;
    if (count > LIMIT_OPERANDS) {
        ptx_diag(l->diags, DIAG_TOO_LARGE, stmt->span, "%u operands are more than the limit of %d", (unsigned)count, (int)LIMIT_OPERANDS);
        l->operands.count = insn->operand_first + LIMIT_OPERANDS;
        count = LIMIT_OPERANDS;
    }
    insn->operand_count = (uint16_t)count;
    insn->access_bytes = access_bytes(l, insn);
    l->func->has_unknown |= (op->flags & OPF_UNKNOWN) != 0;
    l->func->has_calls |= op->kind == OPK_CALL;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void enter_scope(Lower *l, const AstStmt *scope)
{
    if (l->scope_count < LIMIT_NESTING + 2)
        l->scope_marks[l->scope_count] = l->names.symbol_count;
    l->scope_count++;
    ptx_names_enter(&l->names);
    for (const AstStmt *label = scope->next_label; label; label = label->next_label) {
        Symbol *earlier;
        *PUSH(l, l->labels) = (Label){ .name = label->opcode, .insn = NO_ID, .table = NO_ID };
        ptx_names_declare(&l->names, NAMES_LABEL, SYMBOL_LABEL, label->opcode, l->labels.count - 1, &earlier);
        if (!earlier)
            continue;
        Diag *diag = ptx_diag(l->diags, DIAG_DUPLICATE_LABEL, label->opcode, "label `%.*s` stands twice in this scope",
                              shown(ptx_span_length(label->opcode)), text_at(l, label->opcode));
        ptx_diag_relate(l->diags, diag, earlier->name, "the first one");
    }
}

static void leave_scope(Lower *l)
{
    l->scope_count--;
    ptx_names_leave(&l->names, l->scope_marks[l->scope_count < LIMIT_NESTING + 2 ? l->scope_count : LIMIT_NESTING + 1]);
}

static void lower_label(Lower *l, const AstStmt *stmt)
{
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_LABEL, text_at(l, stmt->opcode), ptx_span_length(stmt->opcode));
    if (!symbol)
        return;
    Label *label = &l->labels.items[symbol->id];
    label->insn = l->insns.count;
    const AstStmt *next = stmt->next;
    if (!next)
        return;
    if (next->kind == AST_BRANCHTARGETS || next->kind == AST_CALLTARGETS) {
        label->table = l->open_table = l->tables.count;
        *PUSH(l, l->tables) = (Table){ l->table_ids.count, 0 };
    } else if (next->kind == AST_CALLPROTOTYPE) {
        label->is_prototype = true;
    }
}

static void lower_table(Lower *l, const AstStmt *stmt)
{
    if (l->open_table == NO_ID) {
        ptx_diag(l->diags, DIAG_UNEXPECTED, stmt->span, "a list of targets has a label before it, by which it is named");
        return;
    }
    Table *table = &l->tables.items[l->open_table];
    l->open_table = NO_ID;
    for (const AstOperand *ast = stmt->operands; ast; ast = ast->next) {
        uint32_t id = NO_ID;
        if (ast->kind != AST_NAME)
            continue;
        if (stmt->kind == AST_BRANCHTARGETS) {
            id = bind_label(l, ast);
        } else {
            const Symbol *symbol = ptx_names_find(&l->names, NAMES_ORDINARY, l->text + ast->name, ast->name_length);
            id = symbol && symbol->kind == SYMBOL_FUNC ? symbol->id : NO_ID;
        }
        if (id == NO_ID) {
            ptx_diag(l->diags, DIAG_UNDECLARED_LABEL, ast->span, "`%.*s` is not declared", shown(ptx_span_length(ast->span)), text_at(l, ast->span));
            continue;
        }
        *PUSH(l, l->table_ids) = id;
        table->count++;
    }
}

static void lower_loc(Lower *l, const AstLoc *ast)
{
    Module *m = l->module;
    if (m->loc_count == l->loc_capacity)
        m->locs = grow_items(l->arena, m->locs, m->loc_count, &l->loc_capacity, sizeof *m->locs);
    m->locs[m->loc_count] = (Loc){ ast->file, ast->line, ast->column, ast->inlined_file, ast->inlined_line, ast->inlined_column };
    l->loc = m->loc_count++;
}

static void lower_body(Lower *l, const AstStmt *stmt)
{
    for (; stmt; stmt = stmt->next) {
        switch (stmt->kind) {
        case AST_INSN:          lower_insn(l, stmt); break;
        case AST_DECL:          declare(l, stmt->decl, l->func_id); break;
        case AST_LABEL:         lower_label(l, stmt); break;
        case AST_LOC:           lower_loc(l, stmt->loc); break;
        case AST_SCOPE_BEGIN:   enter_scope(l, stmt); break;
        case AST_SCOPE_END:     if (l->scope_count) leave_scope(l); break;
        case AST_BRANCHTARGETS: case AST_CALLTARGETS:
                                lower_table(l, stmt); break;
        default:                break;
        }
    }
    while (l->scope_count)
        leave_scope(l);
}

static void lower_func(Lower *l, const AstFunc *ast, FuncId id)
{
    ArenaMark mark = ptx_arena_mark(l->scratch);
    Func *func = l->func = &l->module->funcs[id];
    l->func_id = id;
    l->open_table = NO_ID;
    l->diags->func = (int32_t)id;
    l->loc = 0;
    l->insns.count = l->operands.count = l->regs.count = l->labels.count = l->tables.count = l->table_ids.count = l->ranges.count = 0;
    l->sparse_count = l->sparse_capacity = 0;
    l->dense_left = 1024 + ptx_span_length(ast->span);
    *func = (Func){ .name = ast->name, .span = ast->span, .linkage = ast->linkage, .is_entry = ast->is_entry,
                    .has_body = ast->body != NULL, .has_syntax_error = ast->has_syntax_error };
    read_bounds(l, ast->attributes, &func->bounds);
    check_bounds(l, ast, &func->bounds);
    uint32_t names_mark = l->names.symbol_count, errors = ptx_diag_errors(l->diags);
    ptx_names_enter(&l->names);
    func->result_count = declare_params(l, ast->results, id, true, &func->results);
    l->result_reg_count = l->regs.count;
    func->param_count = declare_params(l, ast->params, id, false, &func->params);
    lower_body(l, ast->body);
    ptx_names_leave(&l->names, names_mark);
    for (uint32_t i = 0; i < l->labels.count; i++) {
        if (l->labels.items[i].insn == NO_ID)
            l->labels.items[i].insn = l->insns.count;
    }
    func->insns = copy_items(l->arena, l->insns.items, func->insn_count = l->insns.count, sizeof(Insn));
    func->operands = copy_items(l->arena, l->operands.items, func->operand_count = l->operands.count, sizeof(Operand));
    func->regs = copy_items(l->arena, l->regs.items, func->reg_count = l->regs.count, sizeof(Reg));
    func->labels = copy_items(l->arena, l->labels.items, func->label_count = l->labels.count, sizeof(Label));
    func->tables = copy_items(l->arena, l->tables.items, func->table_count = l->tables.count, sizeof(Table));
    func->table_ids = copy_items(l->arena, l->table_ids.items, func->table_id_count = l->table_ids.count, sizeof(uint32_t));
    func->has_unknown |= ptx_diag_errors(l->diags) != errors;
    ptx_arena_release(l->scratch, mark);
    l->diags->func = -1;
}

static void declare_func(Lower *l, const AstFunc *ast, FuncId id)
{
    Symbol *earlier;
    ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_FUNC, ast->name, id, &earlier);
    if (!earlier)
        return;
    bool both_bodies = earlier->kind == SYMBOL_FUNC && ast->body && l->module->funcs[earlier->id].has_body;
    if (earlier->kind != SYMBOL_FUNC || both_bodies)
        report_redeclared(l, ast->name, earlier);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static void read_header(Lower *l, const AstHeader *header)
{
    Module *m = l->module;
    m->version = header->version;
    m->address_size = header->address_size ? header->address_size : 32;
    m->has_address_size = header->address_size != 0;
    m->is_debug = header->is_debug;
    m->target_span = header->target_span;
    if (!m->target.sm && ptx_span_length(header->target_span))
        ptx_target_find(text_at(l, header->target_span), ptx_span_length(header->target_span), &m->target);
}

Lower *ptx_lower_new(Arena *arena, Arena *vectors, Arena *scratch, DiagSink *diags, const char *text, size_t length)
{
    Module *m = ptx_arena_new(arena, Module);
    Lower *l = ptx_arena_new(arena, Lower);
    *l = (Lower){ .arena = arena, .scratch = scratch, .vectors = vectors, .diags = diags, .text = text, .length = (uint32_t)length, .module = m };
    m->text = text;
    m->length = (uint32_t)length;
    l->loc_capacity = 64;
    m->locs = ptx_arena_array(arena, Loc, l->loc_capacity);
    m->loc_count = 1;
    ptx_names_init(&l->names, arena, text);
    return l;
}

static void lower_alias(Lower *l, const AstAlias *alias)
{
    const char *target = text_at(l, alias->target);
    size_t length = ptx_span_length(alias->target);
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_ORDINARY, target, length);
    if (!symbol || symbol->kind != SYMBOL_FUNC) {
        ptx_diag(l->diags, DIAG_UNDECLARED, alias->target, "`%.*s` is not a function", shown(length), target);
        return;
    }
    const Symbol *name = ptx_names_find(&l->names, NAMES_ORDINARY, text_at(l, alias->name), ptx_span_length(alias->name));
    if (name && name->kind == SYMBOL_FUNC && name->id != symbol->id)
        l->module->funcs[name->id].alias_of = symbol->id + 1;
}

void ptx_lower_item(Lower *l, const AstHeader *header, const AstItem *item)
{
    Module *m = l->module;
    read_header(l, header);
    if (item->func) {
        if (m->func_count == l->func_capacity)
            m->funcs = grow_items(l->arena, m->funcs, m->func_count, &l->func_capacity, sizeof *m->funcs);
        declare_func(l, item->func, m->func_count);
        lower_func(l, item->func, m->func_count++);
    } else if (item->decl) {
        declare(l, item->decl, NO_ID);
    } else if (item->alias) {
        lower_alias(l, item->alias);
    }
}

const Module *ptx_lower_finish(Lower *l, const AstHeader *header)
{
    Module *m = l->module;
    read_header(l, header);
    if (!m->version && !header->is_other_format)
        ptx_diag(l->diags, DIAG_MISSING_VERSION, (Span){ 0, 0 }, "a PTX module begins with .version")->help =
            "write `.version 9.0` and `.target sm_90` first";
    uint32_t count = 0;
    for (const AstFile *file = header->files; file; file = file->next)
        count++;
    m->files = ptx_arena_array(l->arena, File, count ? count : 1);
    for (const AstFile *file = header->files; file; file = file->next)
        m->files[m->file_count++] = (File){ file->index, file->path };
    return m;
}
