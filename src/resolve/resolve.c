#include "check/check.h"

#include "support/assert.h"
#include "check/check_call.h"
#include "check/check_decl.h"
#include "check/check_form.h"
#include "check/check_memo.h"
#include "check/check_loc.h"
#include "check/check_module.h"
#include "ir/module.h"

#include "check/explain.h"
#include "ir/names.h"
#include "check/sreg.h"
#include "support/choice.h"
#include "support/hash.h"
#include "support/limits.h"
#include "ir/func.h"
#include "resolve/resolve.h"
#include "support/diag.h"
#include "ir/reg.h"

/* `%r<100>`: registers are made when first referred to, so that a range of two thousand million
 * costs nothing. */
typedef struct Range {
    uint64_t count;
    uint32_t *dense;            /* per index: RegId + 1; NULL: looked up in Lower.sparse */
    uint8_t type, vector;
} Range;

typedef struct SparseReg {      /* (range, index) -> RegId of ranges too large for a dense map */
    uint64_t key;
    uint32_t reg;               /* RegId + 1; 0: free */
} SparseReg;

typedef struct Prototype {      /* a .callprototype */
    LabelId label;
    Signature signature;
} Prototype;

/* The range that a stem of up to 8 bytes was found to name: nearly every register is `%r12`, of a
 * handful of ranges. */
typedef struct RangeMemo {
    uint64_t stem;              /* its bytes, the first lowest; 0: none */
    uint32_t range, changes;    /* changes: Names.range_changes when it was found */
} RangeMemo;

enum { RANGE_MEMOS = 32 };

#define VECTOR_OF(T) struct { T *items; uint32_t count, capacity; }

enum { SCOPE_FUNC = 1, SINGLES_COMPARED = 65536 };

struct Lower {
    Arena *arena, *scratch, *vectors;
    DiagSink *diags;
    const char *text;
    uint32_t length;
    Module *module;
    Names names;

    HashTable op_table;         /* 1 + index into Module.ops */
    /* per Op: what stands for it where no form takes the operands; NULL: none yet */
    const Op **opaque;
    uint32_t op_capacity;
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
    VECTOR_OF(Prototype) prototypes;            /* of the function being lowered */
    VECTOR_OF(Signature) signatures;            /* by FuncId */
    RangeMemo range_memos[RANGE_MEMOS];
    LocSet loc_set;
    CheckMemo *checks;
    SparseReg *sparse;
    uint32_t sparse_count, sparse_capacity;
    uint64_t dense_left;        /* entries that dense maps may still take: bounded by the source */
    uint32_t scope_marks[LIMIT_NESTING + 2];
    uint32_t scope_count;
    uint32_t unit;              /* of the item */
    uint32_t names_begin;       /* of the unit: names.symbol_count */
    uint32_t func_capacity;
    uint32_t result_reg_count;  /* the first registers of the function: its .reg results */
    /* names that may still be held against a range: the cost of mistakes is bounded */
    uint32_t singles_left;
    bool has_nounroll;          /* of the instruction to come */
    bool has_prototype_label;   /* the label just lowered stands before a .callprototype */
    bool is_optix;              /* a function that OptiX provides is called: reported */
    /* entries that lists of targets may still take: bounded by the source */
    uint32_t targets_left;
    uint32_t open_table;        /* of the label just lowered, for the list behind it; NO_ID: none */
};

/* The next free item of a vector. Vectors keep their room from function to function, and so stay in
 * the cache. */
#define PUSH(lower, vector)                                                                   \
    ((vector).count == (vector).capacity                                                      \
         ? ((vector).items = ptx_arena_grow((lower)->vectors, (vector).items, (vector).count, \
                                            &(vector).capacity, sizeof *(vector).items),      \
            &(vector).items[(vector).count++])                                                \
         : &(vector).items[(vector).count++])

static void *copy_items(Arena *arena, const void *items, uint32_t count, size_t size)
{
    /* never NULL: offsets are taken of it */
    void *copy = ptx_arena_alloc_array(arena, count ? count : 1, size);
    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

static const char *text_at(const Lower *l, Span span)
{
    return l->text + span.begin;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void report_redeclared(Lower *l, Span name, const Symbol *earlier)
{
    Diag *diag = ptx_diag(l->diags, DIAG_REDECLARED, name, "`%.*s` is declared twice in this scope",
                          ptx_shown(ptx_span_length(name)), text_at(l, name));
    ptx_diag_relate(l->diags, diag, earlier->name, "the first declaration");
    diag->help = "rename one of them";
}

/* Parameters and the outermost `{ }` of a body are one scope. */
static bool is_same_scope(const Lower *l, const Symbol *symbol)
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
    const char *text = text_at(l, name);
    size_t length = ptx_span_length(name), stem = length;
    while (stem > 1 && text[stem - 1] >= '0' && text[stem - 1] <= '9' && length - stem < 18) {
        stem--;
        const Symbol *range = ptx_names_find(&l->names, NAMES_RANGE, text, stem);
        if (range && is_same_scope(l, range)
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
        if (!is_same_scope(l, symbol))
            break;
        l->singles_left--;
        const char *digits = text_at(l, symbol->name) + length;
        if (symbol->space != NAMES_ORDINARY || whole <= length
            || memcmp(text_at(l, symbol->name), text_at(l, stem), length) != 0)
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
    const Symbol *label = l->names.scope ? ptx_names_find(&l->names, NAMES_LABEL, text_at(l, name),
                                                          ptx_span_length(name))
                                         : NULL;
    const Symbol *symbol = ptx_names_declare(&l->names, NAMES_ORDINARY, kind, name, id, &earlier);
    if (earlier)
        return earlier;
    const Symbol *outer = symbol->shadowed ? &l->names.symbols[symbol->shadowed] : NULL;
    if (outer && is_same_scope(l, outer) && outer->kind != SYMBOL_UNDECLARED)
        return outer;
    if (label && is_same_scope(l, label) && label->name.begin < name.begin)
        return label;
    char last = l->text[name.end - 1];
    return last >= '0' && last <= '9' && l->ranges.count && l->names.scope ? find_range_of(l, name)
                                                                           : NULL;
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
    if (decl->is_empty_range)
        return;
    if (!decl->reg_count) {
        RegId reg = add_reg(l, decl->name, decl->type, decl->vector);
        const Symbol *first = declare_name(l, SYMBOL_REG, decl->name, reg);
        if (first && l->func->has_body)
            report_redeclared(l, decl->name, first);
        return;
    }
    Range *range = PUSH(l, l->ranges);
    *range = (Range){ .count = decl->reg_count, .type = (uint8_t)decl->type, .vector = decl->vector };
    if (decl->reg_count <= l->dense_left) {
        l->dense_left -= decl->reg_count;
        range->dense = ptx_arena_array(l->scratch, uint32_t, decl->reg_count);
    }
    const Symbol *single = find_single_of(l, decl->name, decl->reg_count);
    ptx_names_declare(&l->names, NAMES_RANGE, SYMBOL_RANGE, decl->name, l->ranges.count - 1,
                      &earlier);
    if (earlier || single)
        report_redeclared(l, decl->name, earlier ? earlier : single);
}

static VarId declare_var(Lower *l, const AstDecl *decl, FuncId owner, bool is_parameter)
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
                  .vector = decl->vector,
                  .linkage = (uint8_t)decl->linkage,
                  .align = decl->align ? decl->align : (uint32_t)element,
                  .pointer_align = decl->pointer_align };
    if (__builtin_mul_overflow(element, decl->element_count, &var->bytes))
        var->bytes = UINT64_MAX;
    const Symbol *earlier = NULL;
    if (ptx_span_length(decl->name) != 1 || *text_at(l, decl->name) != '_')
        earlier = declare_name(l, SYMBOL_VAR, decl->name, m->var_count);
    if (earlier && owner == NO_ID && earlier->kind == SYMBOL_VAR
        && ptx_decl_may_repeat(&m->vars[earlier->id], var))
        earlier = NULL;
    if (earlier && !(is_parameter && !l->func->has_body))
        report_redeclared(l, decl->name, earlier);
    return m->var_count++;
}

static void declare(Lower *l, const AstDecl *decl, FuncId owner)
{
    const ModuleCheck check = { l->diags, l->text, l->module };
    for (; decl; decl = decl->next) {
        bool is_right = ptx_check_decl(&check, decl, owner == NO_ID ? DECL_MODULE : DECL_BODY);
        bool is_range = decl->reg_count || decl->is_empty_range;
        if (is_range && owner == NO_ID)
            continue;                   /* ptxas takes it; no real code has it */
        if (is_range || (decl->space == SPACE_REG && owner != NO_ID))
            declare_regs(l, decl);
        else
            declare_var(l, decl, owner, false);
        if (is_right && decl->init_value)
            ptx_check_init(&check, &l->names, decl);
    }
}

/* Of a function those in registers are NO_ID; an entry has none, and they are left out. */
static uint32_t declare_params(Lower *l, const AstDecl *decl, FuncId owner, bool results,
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

/* ---- names ----------------------------------------------------------------------------------- */

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
    uint32_t *place = range->dense ? &range->dense[index]
                                   : sparse_reg(l, (uint64_t)range_id << 32 ^ index);
    if (!*place) {
        *place = add_reg(l, name, (Type)range->type, range->vector) + 1;
        l->regs.items[*place - 1].is_of_range = true;
    }
    return *place - 1;
}

typedef struct ResolveBinding {
    SymbolKind kind;
    uint32_t id;
} ResolveBinding;

/* What bind_range finds for `%r12` where all its digits are the index; SYMBOL_NONE: look it up in
 * full. */
static ResolveBinding bind_usual_range(Lower *l, Span name)
{
    size_t length = ptx_span_length(name), stem = length;
    const char *text = text_at(l, name);
    uint64_t word = 0, index = 0;
    while (stem > 1 && text[stem - 1] >= '0' && text[stem - 1] <= '9')
        stem--;
    if (stem > sizeof word || length - stem > 9 || (text[stem] == '0' && length - stem > 1))
        return (ResolveBinding){ SYMBOL_NONE, 0 };
    for (size_t i = stem; i < length; i++)
        index = 10 * index + (uint64_t)(text[i] - '0');
    for (size_t i = 0; i < stem; i++)
        word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    RangeMemo *memo = &l->range_memos[(uint32_t)ptx_hash_mix(word) % RANGE_MEMOS];
    if (memo->stem != word || memo->changes != l->names.range_changes) {
        const Symbol *range = ptx_names_find(&l->names, NAMES_RANGE, text, stem);
        if (!range)
            return (ResolveBinding){ SYMBOL_NONE, 0 };
        *memo = (RangeMemo){ word, range->id, l->names.range_changes };
    }
    if (index >= l->ranges.items[memo->range].count)
        return (ResolveBinding){ SYMBOL_NONE, 0 };
    return (ResolveBinding){ SYMBOL_REG, range_reg(l, memo->range, index, name) };
}

/* `%r12` is index 12 of stem `%r`. A stem may itself end in digits (`%r1<8>` declares %r10 to
 * %r17): every split is tried, the longest index first. An index has no leading zero. */
static ResolveBinding bind_range(Lower *l, Span name, const Symbol *single)
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
            return (ResolveBinding){ SYMBOL_REG, range_reg(l, range->id, index, name) };
    }
    return (ResolveBinding){ SYMBOL_NONE, 0 };
}

static ResolveBinding bind_name(Lower *l, Span name)
{
    const char *text = text_at(l, name);
    size_t length = ptx_span_length(name);
    bool digits = text[length - 1] >= '0' && text[length - 1] <= '9', percent = text[0] == '%';
    const Symbol *single = NULL;
    if (digits && percent && !l->names.percent_digit_names) {
        ResolveBinding usual = bind_usual_range(l, name);
        if (usual.kind)
            return usual;
    }
    if (!digits || !percent || l->names.percent_digit_names)
        single = ptx_names_find(&l->names, NAMES_ORDINARY, text, length);
    if (digits && (percent || !single)) {
        ResolveBinding range = bind_range(l, name, single);
        if (range.kind)
            return range;
    }
    return single ? (ResolveBinding){ (SymbolKind)single->kind, single->id }
                  : (ResolveBinding){ SYMBOL_NONE, 0 };
}

static RegId undeclared(Lower *l, Span name)
{
    Diag *diag = ptx_diag(l->diags, DIAG_UNDECLARED, name, "`%.*s` is not declared",
                          ptx_shown(ptx_span_length(name)), text_at(l, name));
    ptx_explain_name(l->diags, diag, &l->names, name);
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
    ResolveBinding binding = bind_name(l, name);
    operand.id = binding.id;
    const char *suffix = text_at(l, name) + ast->name_length;
    switch (binding.kind) {
    case SYMBOL_REG: case SYMBOL_UNDECLARED:
        operand.kind = binding.kind == SYMBOL_REG ? OPERAND_REG : OPERAND_UNKNOWN;
        if (ast->suffix_length && l->regs.items[binding.id].vector > 1)
            operand.flags |= OPERAND_COMPONENT;
        else if (ast->suffix_length && ptx_part_read(suffix, ast->suffix_length, &operand.value))
            operand.flags |= OPERAND_PART;
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
    SregId sreg = ptx_sreg_find(text_at(l, name), ast->name_length, suffix, ast->suffix_length,
                                &component);
    if (sreg) {
        operand.kind = OPERAND_SREG;
        operand.id = sreg;
        operand.value = component;
        ptx_check_sreg(l->diags, l->module, sreg, name);
        return operand;
    }
    operand.id = undeclared(l, name);
    return operand;
}

static LabelId bind_label(Lower *l, const AstOperand *ast)
{
    if (ast->kind != AST_NAME)
        return NO_ID;
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_LABEL, l->text + ast->name,
                                          ast->name_length);
    if (!symbol)
        return NO_ID;
    l->labels.items[symbol->id].is_used = true;
    return symbol->id;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static Op *add_op(Lower *l)
{
    Module *m = l->module;
    Op *op = ptx_arena_new(l->arena, Op);
    if (m->op_count == l->op_capacity) {
        uint32_t capacity = l->op_capacity;
        l->opaque = ptx_arena_grow(l->arena, (void *)l->opaque, m->op_count, &capacity,
                                   sizeof *l->opaque);
        m->ops = ptx_arena_grow(l->arena, (void *)m->ops, m->op_count, &l->op_capacity,
                                sizeof *m->ops);
    }
    l->opaque[m->op_count] = NULL;
    m->ops[m->op_count++] = op;
    return op;
}

static const Op *opaque_op(Lower *l, const Op *op)
{
    uint32_t id = op->id;
    if (l->opaque[id])
        return l->opaque[id];
    Op *opaque = add_op(l);
    ptx_op_make_opaque(opaque, op);
    opaque->id = l->module->op_count - 1;
    return l->opaque[id] = opaque;
}

static uint32_t hash_op(const char *text, size_t length, Space named_space)
{
    return ptx_hash_bytes(text, length) + (uint32_t)named_space;
}

typedef struct OpKey {
    const char *text;
    size_t length;
    Space named_space;
} OpKey;

static bool is_op(const void *owner, uint32_t number, const void *wanted)
{
    const Op *op = ((const Module *)owner)->ops[number - 1];
    const OpKey *key = wanted;
    return op->length == key->length && op->named_space == (uint8_t)key->named_space
           && memcmp(op->text, key->text, key->length) == 0;
}

static void grow_ops(Lower *l)
{
    const Module *m = l->module;
    ptx_hash_init(&l->op_table, l->arena, m->op_count ? 2 * (uint64_t)m->op_count : 512);
    for (uint32_t i = 0; i < m->op_count; i++)
        *ptx_hash_free(&l->op_table, hash_op(m->ops[i]->text, m->ops[i]->length, (Space)m->ops[i]->named_space)) = i + 1;
}

/* The op of this text, made if there is none. */
static const Op *intern_op(Lower *l, const char *text, size_t length, Space named_space)
{
    Module *m = l->module;
    if (ptx_hash_is_full(&l->op_table, m->op_count))
        grow_ops(l);
    uint32_t *slot = ptx_hash_find(&l->op_table, hash_op(text, length, named_space), is_op, m,
                                   &(OpKey){ text, length, named_space });
    if (!*slot) {
        Op *made = add_op(l);
        ptx_op_resolve(made, text, length);
        ptx_check_gates(m, made);
        if (named_space)
            ptx_op_set_space(made, named_space);
        made->id = m->op_count - 1;
        *slot = m->op_count;
    }
    return m->ops[*slot - 1];
}

static const Op *find_op(Lower *l, const char *text, size_t length, Span where)
{
    const Op *op = intern_op(l, text, length, SPACE_NONE);
    if (op->flags & (OPF_UNKNOWN | OPF_TOO_NEW))
        ptx_report_op(l->diags, l->module, op, where);
    return op;
}

enum { CALLTARGETS_CHECKED = 64 };      /* of one table, at each call through it */

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
    /* which ptxas takes of coordinates, whatever it may mean */
    if (out->flags & OPERAND_PART && roles.role & ROLE_ADDRESS) {
        out->flags &= (uint8_t)~OPERAND_PART;
        out->value = 0;
    }
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
        push_operand(l, (Operand){ .kind = OPERAND_INT, .value = (int64_t)ast->value }, roles,
                     flags);
        return;
    case AST_F32: case AST_F64:
        push_operand(l,
                     (Operand){ .kind = ast->kind == AST_F32 ? OPERAND_F32 : OPERAND_F64,
                                .value = (int64_t)ast->value },
                     roles, flags);
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

/* brx takes a list of targets that stands before it, bra a label of code. */
static void check_target_label(Lower *l, const Op *op, const AstOperand *ast, const Label *label)
{
    bool is_list = label->table != NO_ID && !label->is_calltargets,
         is_named = label->table != NO_ID || label->is_prototype;
    if (op->kind == OPK_BRX ? is_list : !is_named)
        return;
    const char *what = op->kind == OPK_BRX ? "no label of .branchtargets before this"
                                           : "the label of a directive, not of code";
    Diag *diag = ptx_diag(l->diags, DIAG_OPERAND_FORM, ast->span, "`%.*s` is %s",
                          ptx_shown(ptx_span_length(ast->span)), text_at(l, ast->span), what);
    ptx_diag_relate(l->diags, diag, label->name, "the label stands here");
}

static void add_target(Lower *l, const Op *op, const AstOperand *ast, uint8_t position)
{
    LabelId label = bind_label(l, ast);
    if (label != NO_ID)
        check_target_label(l, op, ast, &l->labels.items[label]);
    if (label == NO_ID) {
        Span name = ast->kind == AST_NAME ? (Span){ ast->name, ast->name + ast->name_length }
                                          : ast->span;
        Diag *diag = ptx_diag(l->diags, DIAG_UNDECLARED_LABEL, name,
                              "there is no label `%.*s` in this scope",
                              ptx_shown(ptx_span_length(name)), text_at(l, name));
        ptx_explain_label(l->diags, diag, &l->names, name, l->labels.items, l->labels.count);
    }
    Operand operand = { .kind = label == NO_ID ? OPERAND_UNKNOWN : OPERAND_TARGET, .id = label };
    push_operand(l, operand, (Roles){ ROLE_USE, 0, position }, 0);
}

/* Operands of one list of a call, one for each that is written. */
static uint32_t lower_call_list(Lower *l, const AstOperand *list, Roles roles)
{
    uint32_t first = l->operands.count;
    if (list)
        add_operand(l, list, roles, 0);
    return first;
}

static void check_target(Lower *l, const CallParts *parts, FuncId id, uint32_t results,
                         uint32_t arguments, uint32_t end)
{
    const CallCheck check = { l->diags, l->text, l->regs.items, l->module->vars };
    const Operand *operands = l->operands.items;
    ptx_check_call(&check, parts, &l->signatures.items[id], parts->target->span, operands + results,
                   arguments - 1 - results, operands + arguments, end - arguments);
}

static const Signature *find_prototype(const Lower *l, LabelId label)
{
    /* the last one is nearly always it */
    for (uint32_t i = l->prototypes.count; i-- > 0;) {
        if (l->prototypes.items[i].label == label)
            return &l->prototypes.items[i].signature;
    }
    return NULL;
}

/* A call through a register: what its prototype, or each function of its table, takes. */
static void check_indirect(Lower *l, const CallParts *parts, LabelId label, uint32_t results,
                           uint32_t arguments, uint32_t end)
{
    const CallCheck check = { l->diags, l->text, l->regs.items, l->module->vars };
    const Label *table = &l->labels.items[label];
    const Operand *operands = l->operands.items;
    const Signature *prototype = table->is_prototype ? find_prototype(l, label) : NULL;
    if (prototype) {
        ptx_check_call(&check, parts, prototype, parts->target->span, operands + results,
                       arguments - 1 - results, operands + arguments, end - arguments);
    } else if (table->table == NO_ID || !table->is_calltargets) {
        Diag *diag = ptx_diag(
            l->diags, DIAG_CALL_SIGNATURE, parts->table->span,
            "`%.*s` is not a label of a .callprototype or of .calltargets before this call",
            ptx_shown(ptx_span_length(parts->table->span)), text_at(l, parts->table->span));
        ptx_diag_relate(l->diags, diag, table->name, "the label stands here");
    } else {
        const Table *ids = &l->tables.items[table->table];
        for (uint32_t i = 0; i < ids->count && i < CALLTARGETS_CHECKED; i++) {
            if (!ptx_check_call(&check, parts,
                                &l->signatures.items[l->table_ids.items[ids->first + i]],
                                parts->target->span, operands + results, arguments - 1 - results,
                                operands + arguments, end - arguments))
                return;
        }
    }
}

/* A function that OptiX puts in when it loads the module: ptxas by itself knows none of them. Said
 * once for a file. */
static bool is_optix(Lower *l, const AstOperand *target)
{
    static const char prefix[] = "_optix_";
    Span name = { target->name, target->name + target->name_length };
    bool is_named = target->kind == AST_NAME && ptx_span_length(name) > strlen(prefix)
                    && !memcmp(text_at(l, name), prefix, strlen(prefix));
    if (!is_named || bind_name(l, name).kind)
        return false;
    if (!l->is_optix) {
        Diag *diag = ptx_diag(l->diags, DIAG_UNDECLARED, name,
                              "`%.*s` is not declared: OptiX provides it",
                              ptx_shown(ptx_span_length(name)), text_at(l, name));
        diag->severity = SEVERITY_NOTE;
        diag->help = "ptxas alone rejects this module, OptiX compiles it; reported once for a file";
    }
    l->is_optix = true;
    return true;
}

static void wrong_target(Lower *l, const AstOperand *target, const char *what, const char *help)
{
    ptx_diag(l->diags, DIAG_CALL_SIGNATURE, target->span, "`%.*s` cannot be called%s",
             ptx_shown(ptx_span_length(target->span)), text_at(l, target->span), what)
        ->help = help;
}

/* call (ret), f, (args), targets; every part but f may be missing. PTX ISA, "Control Flow
 * Instructions: call". */
static void lower_call(Lower *l, const AstStmt *stmt)
{
    const CallCheck check = { l->diags, l->text, l->regs.items, l->module->vars };
    CallParts parts;
    uint32_t errors = ptx_diag_errors(l->diags);
    bool is_right = ptx_call_parts(&check, stmt, &parts);
    uint32_t results = lower_call_list(l, parts.results, (Roles){ ROLE_DEF, 0, 0 });
    if (!parts.target)
        return;
    bool is_provided = is_optix(l, parts.target);
    if (is_provided)
        push_operand(l, (Operand){ .kind = OPERAND_UNKNOWN, .id = NO_ID },
                     (Roles){ ROLE_USE, 0, 1 }, 0);
    else
        add_operand(l, parts.target, (Roles){ ROLE_USE, 0, 1 }, 0);
    uint32_t arguments = lower_call_list(l, parts.arguments, (Roles){ ROLE_USE, 0, 2 }),
             end = l->operands.count;
    /* of .calltargets or .callprototype */
    LabelId label = parts.table ? bind_label(l, parts.table) : NO_ID;
    if (label != NO_ID)
        push_operand(l, (Operand){ .kind = OPERAND_TARGET, .id = label }, (Roles){ ROLE_USE, 0, 3 },
                     0);
    else if (parts.table)
        add_operand(l, parts.table, (Roles){ ROLE_USE, 0, 3 }, 0);
    if (!is_right || is_provided || ptx_diag_errors(l->diags) != errors)
        return;
    const Operand *target = &l->operands.items[arguments - 1],
                  *table = parts.table && label == NO_ID ? &l->operands.items[end] : NULL;
    /* of addresses of functions */
    bool is_table = table && table->kind == OPERAND_VAR && l->module->vars[table->id].is_array;
    if (target->kind == OPERAND_FUNCTION && l->module->funcs[target->id].is_entry)
        wrong_target(l, parts.target, ": it is an .entry", "call a .func; entries are launched");
    else if (target->kind == OPERAND_FUNCTION && parts.table)
        wrong_target(l, parts.target, " with a prototype: it is a function",
                     "leave the prototype out");
    else if (target->kind == OPERAND_FUNCTION)
        check_target(l, &parts, target->id, results, arguments, end);
    else if (target->kind != OPERAND_REG)
        wrong_target(l, parts.target, ": it is not a function", NULL);
    else if (!parts.table)
        wrong_target(l, parts.target, " without a prototype: it is a register",
                     "put the label of a .callprototype or of .calltargets last");
    else if (ptx_type_info[l->regs.items[target->id].type].kind == KIND_FLOAT
             || l->regs.items[target->id].type == TYPE_PRED)
        wrong_target(l, parts.target, ": it is not an address",
                     "the address of a function is an integer");
    else if (label != NO_ID)
        check_indirect(l, &parts, label, results, arguments, end);
    else if (!is_table)
        wrong_target(l, parts.table, " through: it is not a table of functions",
                     "put the label of a .callprototype or of .calltargets last");
}

static void lower_plain(Lower *l, const AstStmt *stmt, const Op *op, Insn *insn)
{
    uint32_t count = 0;
    bool bad = false;
    for (const AstOperand *ast = stmt->operands; ast; ast = ast->next) {
        count++;
        bad |= ast->kind == AST_BAD;
    }
    insn->form = ptx_check_memo_fitting(l->checks, l->module, op, count);
    if (insn->form && !count && !(op->flags & OPF_TOO_NEW)
        && !ptx_form_is_allowed(l->module, insn->form))
        ptx_report_gate(l->diags, l->module, op, insn->form, stmt->span);
    if (insn->form && stmt->operands && stmt->operands->kind == AST_PAIR)
        ptx_check_pair_gate(l->diags, l->module, op, stmt->operands->span);
    if (op->form && !insn->form && !bad)
        ptx_report_operand_count(l->diags, op, stmt->span, count);
    if (op->form && !insn->form && op->insn_class != CLASS_CONTROL)
        insn->op = opaque_op(l, op);
    const FormInfo *form = &ptx_form_info[insn->form];
    const FormOperand *shape = ptx_form_operands + form->operand_first;
    uint8_t position = 0;
    for (const AstOperand *ast = stmt->operands; ast;
         ast = ast->next, position = (uint8_t)(position + (position < UINT8_MAX))) {
        /* Without a form any operand may be read or written. */
        Roles roles = { ROLE_USE | ROLE_DEF, ROLE_USE | ROLE_DEF, position };
        if (insn->form) {
            roles.role = shape[position].role;
            roles.pair_role = shape[position].pair_role;
            if (shape[position].type == OPERAND_LABEL) {
                add_target(l, op, ast, position);
                continue;
            }
        }
        add_operand(l, ast, roles, 0);
    }
    if (insn->form && count && !bad) {
        const OperandCheck check = { l->diags,
                                     l->text,
                                     l->regs.items,
                                     op,
                                     stmt,
                                     l->operands.items + insn->operand_first,
                                     l->operands.count - insn->operand_first,
                                     count,
                                     l->module };
        ptx_check_memo_operands(l->checks, &check, insn->form);
    }
}

/* ld, st, atom and red without a space, of a variable by its name: ptxas encodes them for the
 * variable's space. In a register its address is one of generic space to them. */
static const Op *op_of_variable(Lower *l, const Insn *insn, const Op *op)
{
    bool is_access = op->kind == OPK_LD || op->kind == OPK_ST || op->kind == OPK_ATOM
                     || op->kind == OPK_RED;
    if (!is_access || op->space != SPACE_GENERIC || !op->form)
        return op;
    for (uint32_t o = insn->operand_first; o < l->operands.count; o++) {
        const Operand *operand = &l->operands.items[o];
        if (!(operand->role & ROLE_ADDRESS))
            continue;
        Space space = operand->kind == OPERAND_VAR ? (Space)l->module->vars[operand->id].space
                                                   : SPACE_NONE;
        bool is_memory = space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_GLOBAL;
        return is_memory ? intern_op(l, op->text, op->length, space) : op;
    }
    return op;
}

/* wgmma.mma_async with a scale-d of 0 writes its accumulators and does not read them. */
static void drop_unread_accumulators(Lower *l, const Insn *insn)
{
    enum { ACCUMULATORS = 0, SCALE_D = 3 };
    bool is_unread = false;
    for (uint32_t o = insn->operand_first; o < l->operands.count; o++) {
        const Operand *operand = &l->operands.items[o];
        is_unread |= operand->position == SCALE_D && operand->kind == OPERAND_INT
                     && !operand->value;
    }
    for (uint32_t o = insn->operand_first; is_unread && o < l->operands.count; o++)
        if (l->operands.items[o].position == ACCUMULATORS)
            l->operands.items[o].role = (uint8_t)(l->operands.items[o].role & ~ROLE_USE);
}

static void lower_insn(Lower *l, const AstStmt *stmt)
{
    size_t length = ptx_span_length(stmt->opcode);
    const char *text = stmt->detached ? ptx_op_joined(l->arena, text_at(l, stmt->opcode),
                                                      ptx_span_length(stmt->opcode), &length)
                                      : text_at(l, stmt->opcode);
    const Op *op = find_op(l, text, length, stmt->opcode);
    Insn *insn = PUSH(l, l->insns);
    *insn = (Insn){ .op = op, .span = stmt->span, .operand_first = l->operands.count, .guard = NO_ID, .loc = l->loc,
                    .guard_negated = stmt->guard_negated, .has_nounroll = l->has_nounroll };
    l->has_nounroll = false;
    if (stmt->guard_length) {
        Span name = { stmt->guard, stmt->guard + stmt->guard_length };
        Operand guard = bind_operand(l, &(AstOperand){ .kind = AST_NAME,
                                                       .name = name.begin,
                                                       .name_length = stmt->guard_length });
        if (guard.kind == OPERAND_REG) {
            insn->guard = guard.id;
            if (l->regs.items[guard.id].type != TYPE_PRED)
                ptx_diag(l->diags, DIAG_BAD_GUARD, name, "a guard is a predicate; `%.*s` is `.%s`",
                         ptx_shown(stmt->guard_length), text_at(l, name),
                         ptx_type_info[l->regs.items[guard.id].type].text)
                    ->help = ptx_diag_text(l->diags,
                                           "make one of it before: `setp.ne.%s %%p1, %.*s, 0`",
                                           ptx_type_info[l->regs.items[guard.id].type].text,
                                           ptx_shown(stmt->guard_length), text_at(l, name));
        } else if (guard.kind == OPERAND_UNKNOWN) {
            /* undeclared: still a guard, so that control goes on behind it */
            insn->guard = guard.id;
        } else {
            ptx_diag(l->diags, DIAG_BAD_GUARD, name, "a guard is a predicate register");
        }
    }
    if (op->kind == OPK_CALL) {
        insn->form = op->form;
        lower_call(l, stmt);
    } else {
        lower_plain(l, stmt, op, insn);
        insn->op = op_of_variable(l, insn, insn->op);
        if (insn->op->operation == OP_WGMMA_MMA_ASYNC && insn->form)
            drop_unread_accumulators(l, insn);
    }
    if (op->kind == OPK_RET) {
        for (RegId reg = 0; reg < l->result_reg_count; reg++)
            push_operand(l, (Operand){ .kind = OPERAND_REG, .id = reg },
                         (Roles){ ROLE_USE, 0, UINT8_MAX }, OPERAND_IMPLICIT);
    }
    uint32_t count = l->operands.count - insn->operand_first;
    if (count > LIMIT_OPERANDS) {
        ptx_diag(l->diags, DIAG_TOO_LARGE, stmt->span, "%u operands are more than the limit of %d",
                 (unsigned)count, (int)LIMIT_OPERANDS);
        l->operands.count = insn->operand_first + LIMIT_OPERANDS;
        count = LIMIT_OPERANDS;
    }
    insn->operand_count = (uint16_t)count;
    if (count)
        insn->access_bytes = ptx_access_bytes(insn, &l->operands.items[insn->operand_first],
                                              l->regs.items);
    l->func->has_unknown |= (insn->op->flags & OPF_UNKNOWN) != 0;
    l->func->has_calls |= op->kind == OPK_CALL;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void enter_scope(Lower *l, const AstStmt *scope)
{
    if (l->scope_count < LIMIT_NESTING + 2)
        l->scope_marks[l->scope_count] = l->names.symbol_count;
    l->scope_count++;
    ptx_names_enter(&l->names);
    for (const AstStmt *label = scope->next_label; label; label = label->next_label) {
        Symbol *earlier;
        *PUSH(l, l->labels) = (Label){ .name = label->opcode, .insn = NO_ID, .table = NO_ID };
        ptx_names_declare(&l->names, NAMES_LABEL, SYMBOL_LABEL, label->opcode, l->labels.count - 1,
                          &earlier);
        if (!earlier)
            continue;
        Diag *diag = ptx_diag(l->diags, DIAG_DUPLICATE_LABEL, label->opcode,
                              "label `%.*s` is defined twice in this scope",
                              ptx_shown(ptx_span_length(label->opcode)), text_at(l, label->opcode));
        ptx_diag_relate(l->diags, diag, earlier->name, "the first one");
        diag->help = "rename one of them, and the branches that mean it";
    }
}

static void leave_scope(Lower *l)
{
    l->scope_count--;
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
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_LABEL, text_at(l, stmt->opcode),
                                          ptx_span_length(stmt->opcode));
    if (!symbol)
        return;
    Label *label = &l->labels.items[symbol->id];
    label->insn = l->insns.count;
    const ModuleCheck check = { l->diags, l->text, l->module };
    ptx_check_name(&check, stmt->opcode);
    const Symbol *other = ptx_names_find(&l->names, NAMES_ORDINARY, text_at(l, stmt->opcode),
                                         ptx_span_length(stmt->opcode));
    if (other && is_same_scope(l, other) && other->kind != SYMBOL_UNDECLARED)
        report_redeclared(l, stmt->opcode, other);
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

static void lower_loc(Lower *l, const AstLoc *ast)
{
    Module *m = l->module;
    if (m->loc_count == l->loc_capacity)
        m->locs = ptx_arena_grow(l->arena, m->locs, m->loc_count, &l->loc_capacity,
                                 sizeof *m->locs);
    m->locs[m->loc_count] =
        (Loc){ ast->file,         ast->line,           ast->column, ast->inlined_file,
               ast->inlined_line, ast->inlined_column, l->unit };
    l->loc = m->loc_count++;
    if (ast->inlined_line)
        ptx_loc_check(&l->loc_set, l->vectors, l->diags, m, ast);
}

/* PTX ISA, "Pragma Strings". */
static void lower_pragma(Lower *l, Span text)
{
    static const char nounroll[] = "\"nounroll\"";
    l->has_nounroll |= ptx_span_length(text) == sizeof nounroll - 1
                       && !memcmp(text_at(l, text), nounroll, sizeof nounroll - 1);
}

static void lower_body(Lower *l, const AstStmt *stmt)
{
    for (; stmt; stmt = stmt->next) {
        switch (stmt->kind) {
        case AST_INSN:          lower_insn(l, stmt); break;
        case AST_DECL:          declare(l, stmt->decl, l->func_id); break;
        case AST_LABEL:         lower_label(l, stmt); break;
        case AST_LOC:           lower_loc(l, stmt->loc); break;
        case AST_PRAGMA:        lower_pragma(l, stmt->opcode); break;
        case AST_SCOPE_BEGIN:   enter_scope(l, stmt); break;
        case AST_SCOPE_END:     if (l->scope_count) leave_scope(l); break;
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
        leave_scope(l);
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

static void lower_func(Lower *l, const AstFunc *ast, FuncId id)
{
    ArenaMark mark = ptx_arena_mark(l->scratch);
    Func *func = l->func = &l->module->funcs[id];
    l->func_id = id;
    l->open_table = NO_ID;
    l->diags->func = (int32_t)id;
    l->loc = 0;
    l->insns.count = l->operands.count = l->regs.count = l->labels.count = l->tables.count =
        l->table_ids.count = l->ranges.count = l->prototypes.count = 0;
    l->sparse_count = l->sparse_capacity = 0;
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
    func->result_count = declare_params(l, ast->results, id, true, &func->results);
    l->result_reg_count = l->regs.count;
    func->param_count = declare_params(l, ast->params, id, false, &func->params);
    lower_body(l, ast->body);
    func->bounds.is_repeated = ptx_bounds_repeat(&check, ast->attributes);
    ptx_names_leave(&l->names, names_mark);
    for (uint32_t i = 0; i < l->labels.count; i++) {
        if (l->labels.items[i].insn == NO_ID)
            l->labels.items[i].insn = l->insns.count;
    }
    ASSERT(are_in_range(l));
    func->insns = copy_items(l->arena, l->insns.items, func->insn_count = l->insns.count,
                             sizeof(Insn));
    func->operands = copy_items(l->arena, l->operands.items,
                                func->operand_count = l->operands.count, sizeof(Operand));
    func->regs = copy_items(l->arena, l->regs.items, func->reg_count = l->regs.count, sizeof(Reg));
    func->labels = copy_items(l->arena, l->labels.items, func->label_count = l->labels.count,
                              sizeof(Label));
    func->tables = copy_items(l->arena, l->tables.items, func->table_count = l->tables.count,
                              sizeof(Table));
    func->table_ids = copy_items(l->arena, l->table_ids.items,
                                 func->table_id_count = l->table_ids.count, sizeof(uint32_t));
    func->has_unknown |= ptx_diag_errors(l->diags) != errors;
    ptx_arena_release(l->scratch, mark);
    l->diags->func = -1;
}

static void declare_func(Lower *l, const AstFunc *ast, FuncId id)
{
    Symbol *earlier;
    const ModuleCheck check = { l->diags, l->text, l->module };
    ptx_check_name(&check, ast->name);
    ptx_names_declare(&l->names, NAMES_ORDINARY, SYMBOL_FUNC, ast->name, id, &earlier);
    if (ast->linkage == LINKAGE_EXTERN && ast->body)
        ptx_diag(l->diags, DIAG_BAD_DECLARATION, (Span){ ast->span.end - 1, ast->span.end },
                 "`%.*s` is .extern and has a body", ptx_shown(ptx_span_length(ast->name)),
                 text_at(l, ast->name))
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
    m->address_size = header->address_size ? header->address_size : 32;
    m->has_address_size = header->address_size != 0;
    m->is_debug = header->is_debug;
    m->is_texmode_independent = header->is_texmode_independent;
    m->version_span = header->version_span;
    m->target_span = header->target_span;
    if (!m->target.sm && ptx_span_length(header->target_span))
        ptx_target_find(text_at(l, header->target_span), ptx_span_length(header->target_span),
                        &m->target);
}

Lower *ptx_lower_new(Arena *arena, Arena *vectors, Arena *scratch, DiagSink *diags,
                     const char *text, size_t length)
{
    Module *m = ptx_arena_new(arena, Module);
    Lower *l = ptx_arena_new(arena, Lower);
    *l = (Lower){ .arena = arena, .scratch = scratch, .vectors = vectors, .diags = diags, .text = text, .length = (uint32_t)length, .module = m };
    m->text = text;
    m->length = (uint32_t)length;
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
    const char *target = text_at(l, alias->target);
    size_t length = ptx_span_length(alias->target);
    const Symbol *symbol = ptx_names_find(&l->names, NAMES_ORDINARY, target, length);
    if (!symbol || symbol->kind != SYMBOL_FUNC) {
        ptx_diag(l->diags, DIAG_UNDECLARED, alias->target, "`%.*s` is not a function",
                 ptx_shown(length), target);
        return;
    }
    const ModuleCheck check = { l->diags, l->text, l->module };
    const Symbol *name = ptx_names_find(&l->names, NAMES_ORDINARY, text_at(l, alias->name),
                                        ptx_span_length(alias->name));
    bool is_func = name && name->kind == SYMBOL_FUNC;
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
        declare(l, item->decl, NO_ID);
    } else if (item->alias) {
        lower_alias(l, item->alias);
    }
}

const Module *ptx_lower_finish(Lower *l, const AstHeader *header)
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
        m->files[m->file_count++] = (File){ file->index, file->unit, file->path };
    m->unit_count = l->unit + 1;
    ptx_lines_find(l->arena, m);
    return m;
}
