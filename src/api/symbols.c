/* symbols.c -- the names of a module and where they stand: what lowering noted, distinguished by
 * what was meant. Declarations of one function, or of one variable of the module, are one
 * symbol. */
#include "api/module.h"
#include "model/view.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/names.h"
#include "ir/occurrence.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "support/hash.h"

#include <stdbool.h>
#include <string.h>

typedef struct SymbolBuild {
    ptxlint_module *m;
    const OccurrenceLog *log;
    Arena *arena, *scratch;
    HashMap numbers; /* of what the IR numbers: 1 + index of the symbol */
    HashTable names; /* of functions and of the module's variables: the same */
    ptxlint_symbol *symbols;
    uint32_t *owners; /* per occurrence: its symbol */
    uint32_t count, capacity;
} SymbolBuild;

/* ---- one symbol ------------------------------------------------------------------------------ */

static const char *copy_span(SymbolBuild *b, Span span)
{
    return ptx_arena_strndup(b->arena, b->m->text + span.begin, ptx_span_length(span));
}

static void describe_func(SymbolBuild *b, const Func *func, ptxlint_symbol *s)
{
    s->kind = func->is_entry ? PTXLINT_SYMBOL_ENTRY : PTXLINT_SYMBOL_FUNC;
    s->declaration = ptx_view_span(func->name);
    s->extent = ptx_view_span(func->span);
    s->scope = (ptxlint_span){ 0, (uint32_t)b->m->length };
}

static void describe_var(const Var *var, ptxlint_symbol *s)
{
    s->kind = var->is_parameter ? PTXLINT_SYMBOL_PARAMETER : PTXLINT_SYMBOL_VARIABLE;
    s->extent = ptx_view_span(var->span);
    /* a mistake has none */
    if (var->space != SPACE_NONE)
        s->space = ptx_space_text[var->space];
    s->type = ptx_type_info[var->type].text;
    s->vector = var->vector;
    s->bytes = (int64_t)(var->bytes < INT64_MAX ? var->bytes : INT64_MAX);
    s->align = var->align;
}

static void describe_register(unsigned type, unsigned vector, ptxlint_symbol *s)
{
    s->space = "reg";
    s->type = ptx_type_info[type].text;
    s->vector = vector;
}

static ptxlint_symbol describe_symbol(SymbolBuild *b, const Occurrence *o)
{
    const Module *ir = b->m->ir;
    const Func *func = o->func == NO_ID ? NULL : &ir->funcs[o->func];
    ptxlint_symbol s = { .size = sizeof s, .space = "", .type = "", .vector = 1, .range = -1 };
    s.declaration = s.extent = ptx_view_span(o->span);
    s.scope = ptx_view_span(b->log->scopes[o->scope].span);
    s.function = func ? copy_span(b, func->name) : NULL;
    switch ((SymbolKind)o->kind) {
    case SYMBOL_FUNC:
        describe_func(b, &ir->funcs[o->id], &s);
        break;
    case SYMBOL_VAR:
        describe_var(&ir->vars[o->id], &s);
        break;
    case SYMBOL_REG:
        s.kind = PTXLINT_SYMBOL_REGISTER;
        describe_register(func->regs[o->id].type, func->regs[o->id].vector, &s);
        break;
    case SYMBOL_RANGE:
        s.kind = PTXLINT_SYMBOL_RANGE;
        s.count = o->count;
        describe_register(o->type, o->vector, &s);
        s.space = ptx_space_text[o->space];
        break;
    default:
        s.kind = PTXLINT_SYMBOL_LABEL;
        break;
    }
    s.name = copy_span(b, o->span);
    return s;
}

/* ---- which symbol ---------------------------------------------------------------------------- */

static uint64_t occurrence_key(const Occurrence *o)
{
    return (uint64_t)o->kind << 60 | (uint64_t)(o->func & ((1u << 28) - 1)) << 32 | o->id;
}

typedef struct SharedName {
    const char *text;
    size_t length;
    uint32_t unit;
    bool is_func;
} SharedName;

static uint32_t unit_of(const Module *ir, const Occurrence *o)
{
    return o->kind == SYMBOL_FUNC ? ir->funcs[o->id].unit : ir->vars[o->id].unit;
}

static bool is_same_name(const void *owner, uint32_t number, const void *wanted)
{
    const ptxlint_symbol *s = &((const SymbolBuild *)owner)->symbols[number - 1];
    const SharedName *name = wanted;
    bool is_func = s->kind == PTXLINT_SYMBOL_ENTRY || s->kind == PTXLINT_SYMBOL_FUNC;
    /* until it is finished, a shared symbol has its unit in count */
    return is_func == name->is_func && s->count == name->unit && strlen(s->name) == name->length
           && !memcmp(s->name, name->text, name->length);
}

static bool is_shared_name(const Occurrence *o)
{
    return o->kind == SYMBOL_FUNC || (o->kind == SYMBOL_VAR && o->func == NO_ID);
}

static uint32_t add_symbol(SymbolBuild *b, const Occurrence *o)
{
    if (b->count == b->capacity)
        b->symbols =
            ptx_arena_grow(b->arena, b->symbols, b->count, &b->capacity, sizeof *b->symbols);
    b->symbols[b->count++] = describe_symbol(b, o);
    return b->count;
}

static void grow_names(SymbolBuild *b)
{
    ptx_hash_init(&b->names, b->scratch, 2 * (uint64_t)b->count + 64);
    for (uint32_t i = 0; i < b->count; i++) {
        const ptxlint_symbol *s = &b->symbols[i];
        if (s->function == NULL)
            *ptx_hash_free(&b->names, ptx_hash_bytes(s->name, strlen(s->name))) = i + 1;
    }
}

/* The symbol of a function or variable of the module, which may be declared several times. */
static uint32_t find_shared(SymbolBuild *b, const Occurrence *o)
{
    SharedName name = { b->m->text + o->span.begin, ptx_span_length(o->span), unit_of(b->m->ir, o),
                        o->kind == SYMBOL_FUNC };
    if (ptx_hash_is_full(&b->names, b->count))
        grow_names(b);
    uint32_t *slot =
        ptx_hash_find(&b->names, ptx_hash_bytes(name.text, name.length), is_same_name, b, &name);
    if (!*slot) {
        *slot = add_symbol(b, o);
        b->symbols[*slot - 1].count = name.unit;
    } else if (name.is_func && b->m->ir->funcs[o->id].has_body) {
        describe_func(b, &b->m->ir->funcs[o->id], &b->symbols[*slot - 1]);
    }
    return *slot;
}

/* It may be branched to before. */
static void declare_label(const SymbolBuild *b, const Occurrence *o, ptxlint_symbol *s)
{
    s->declaration = s->extent = ptx_view_span(o->span);
    s->scope = ptx_view_span(b->log->scopes[o->scope].span);
}

static uint32_t symbol_number(SymbolBuild *b, const Occurrence *o)
{
    uint32_t *number = ptx_hash_map_at(&b->numbers, b->scratch, occurrence_key(o));
    if (!*number)
        *number = is_shared_name(o) ? find_shared(b, o) : add_symbol(b, o);
    else if (o->kind == SYMBOL_LABEL && o->is_declaration)
        declare_label(b, o, &b->symbols[*number - 1]);
    return *number - 1;
}

/* A register of a range is declared where the range is. */
static void note_member(SymbolBuild *b, const Occurrence *o)
{
    Occurrence range = { .kind = SYMBOL_RANGE, .func = o->func, .id = o->scope };
    uint32_t number = ptx_hash_map_get(&b->numbers, occurrence_key(&range));
    if (!number)
        return;
    const Reg *reg = &b->m->ir->funcs[o->func].regs[o->id];
    uint32_t member = symbol_number(
        b, &(Occurrence){
               .kind = SYMBOL_REG, .func = o->func, .id = o->id, .span = ptx_reg_name(reg) });
    b->symbols[member].range = number - 1;
    b->symbols[member].declaration = b->symbols[number - 1].declaration;
    b->symbols[member].extent = b->symbols[number - 1].extent;
    b->symbols[member].scope = b->symbols[number - 1].scope;
}

static void number_occurrences(SymbolBuild *b)
{
    b->owners = ptx_arena_array(b->scratch, uint32_t, b->log->count + 1);
    for (uint32_t i = 0; i < b->log->count; i++) {
        const Occurrence *o = &b->log->items[i];
        if (o->is_member)
            note_member(b, o);
        else
            b->owners[i] = symbol_number(b, o);
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (b->symbols[i].kind != PTXLINT_SYMBOL_RANGE)
            b->symbols[i].count = 0;
}

/* ---- where they stand ------------------------------------------------------------------------ */

static void fill_lists(SymbolBuild *b)
{
    ptxlint_occurrence *all = ptx_arena_array(b->arena, ptxlint_occurrence, b->log->count + 1);
    size_t *next = ptx_arena_array(b->scratch, size_t, b->count + 1);
    for (uint32_t i = 0; i < b->log->count; i++)
        b->symbols[b->owners[i]].occurrence_count += !b->log->items[i].is_member;
    for (uint32_t s = 0, first = 0; s < b->count; s++) {
        next[s] = first;
        b->symbols[s].occurrences = all + first;
        first += (uint32_t)b->symbols[s].occurrence_count;
    }
    for (uint32_t i = 0; i < b->log->count; i++) {
        const Occurrence *o = &b->log->items[i];
        if (!o->is_member)
            all[next[b->owners[i]]++] = (ptxlint_occurrence){
                .span = ptx_view_span(o->span),
                .is_declaration = o->is_declaration,
                .is_read = (o->role & ROLE_USE) != 0,
                .is_written = (o->role & ROLE_DEF) != 0,
            };
    }
}

/* They are in order but for a few, as the results of a function, which stand before its name. */
static void sort_places(SymbolPlace *places, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        SymbolPlace place = places[i];
        size_t to = i;
        for (; to && places[to - 1].span.begin > place.span.begin; to--)
            places[to] = places[to - 1];
        places[to] = place;
    }
}

static void fill_places(SymbolBuild *b)
{
    SymbolPlace *places = ptx_arena_array(b->arena, SymbolPlace, b->log->count + 1);
    for (uint32_t i = 0; i < b->log->count; i++)
        if (!b->log->items[i].is_member)
            places[b->m->place_count++] =
                (SymbolPlace){ ptx_view_span(b->log->items[i].span), b->owners[i] };
    sort_places(places, b->m->place_count);
    b->m->places = places;
}

void ptx_symbols_build(ptxlint_module *m, Arena *scratch)
{
    SymbolBuild b = { .m = m, .log = m->ir->occurrences, .arena = &m->arena, .scratch = scratch };
    ArenaMark mark = ptx_arena_mark(scratch);
    number_occurrences(&b);
    fill_lists(&b);
    fill_places(&b);
    m->symbols = b.symbols;
    m->symbol_count = b.count;
    ptx_arena_release(scratch, mark);
}

/* ---- the public functions -------------------------------------------------------------------- */

const ptxlint_symbol *ptxlint_module_symbols(const ptxlint_module *m, size_t *count)
{
    if (count)
        *count = m ? m->symbol_count : 0;
    return m ? m->symbols : NULL;
}

const ptxlint_symbol *ptxlint_module_symbol_at(const ptxlint_module *m, uint32_t offset)
{
    size_t low = 0, high = m ? m->place_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->places[middle].span.begin <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || m->places[low - 1].span.end < offset)
        return NULL;
    return &m->symbols[m->places[low - 1].symbol];
}
