#include "ir/names.h"

#include "support/assert.h"
#include "support/hash.h"

void ptx_names_init(Names *names, Arena *arena, const char *text)
{
    *names = (Names){ .arena = arena, .text = text, .symbol_count = 1, .symbol_capacity = 256 };
    names->symbols = ptx_arena_array(arena, Symbol, names->symbol_capacity);
    ptx_hash_init(&names->table, arena, names->symbol_capacity);
}

static uint32_t hash_name(Namespace space, const char *name, size_t length)
{
    return ptx_hash_bytes(name, length) + (uint32_t)space * 0x9E3779B9u;
}

typedef struct NamesKey {
    uint32_t hash;
    Namespace space;
    const char *name;
    size_t length;
} NamesKey;

static bool is_symbol_named(const void *owner, uint32_t number, const void *wanted)
{
    const Names *names = owner;
    const Symbol *symbol = &names->symbols[number];
    const NamesKey *key = wanted;
    return symbol->hash == key->hash && symbol->space == (uint8_t)key->space
           && ptx_span_length(symbol->name) == key->length
           && memcmp(names->text + symbol->name.begin, key->name, key->length) == 0;
}

/* The slot that holds the name, or the free one where it would go. */
static uint32_t find_slot(const Names *names, uint32_t hash, Namespace space, const char *name,
                          size_t length)
{
    const NamesKey key = { hash, space, name, length };
    return (uint32_t)(ptx_hash_find(&names->table, hash, is_symbol_named, names, &key)
                      - names->table.slots);
}

Symbol *ptx_names_find(const Names *names, Namespace space, const char *name, size_t length)
{
    uint32_t id =
        names->table.slots[find_slot(names, hash_name(space, name, length), space, name, length)];
    return id ? &names->symbols[id] : NULL;
}

static void grow(Names *names)
{
    uint32_t capacity = 2 * names->symbol_capacity;
    Symbol *symbols = ptx_arena_array(names->arena, Symbol, capacity);
    memcpy(symbols, names->symbols, names->symbol_count * sizeof *symbols);
    names->symbols = symbols;
    names->symbol_capacity = capacity;
    ptx_hash_init(&names->table, names->arena, capacity);
    /* oldest first: slots stay in order of declaration */
    for (uint32_t id = 1; id < names->symbol_count; id++) {
        Symbol *symbol = &symbols[id];
        symbol->slot = find_slot(names, symbol->hash, (Namespace)symbol->space,
                                 names->text + symbol->name.begin, ptx_span_length(symbol->name));
        names->table.slots[symbol->slot] = id;
    }
}

static bool is_percent_digit(const Names *names, const Symbol *symbol)
{
    char last = names->text[symbol->name.end - 1];
    return symbol->space == NAMES_ORDINARY && names->text[symbol->name.begin] == '%' && last >= '0'
           && last <= '9';
}

Symbol *ptx_names_declare(Names *names, Namespace space, SymbolKind kind, Span name, uint32_t id,
                          Symbol **earlier)
{
    if (names->symbol_count == names->symbol_capacity)
        grow(names);
    const char *text = names->text + name.begin;
    size_t length = ptx_span_length(name);
    uint32_t hash = hash_name(space, text, length),
             slot = find_slot(names, hash, space, text, length);
    uint32_t shadowed = names->table.slots[slot];
    *earlier = shadowed && names->symbols[shadowed].scope == names->scope ? &names->symbols[shadowed] : NULL;
    Symbol *symbol = &names->symbols[names->symbol_count];
    *symbol = (Symbol){ .name = name, .hash = hash, .id = id, .shadowed = shadowed, .slot = slot, .scope = names->scope,
                        .kind = (uint8_t)kind, .space = (uint8_t)space };
    names->table.slots[slot] = names->symbol_count++;
    names->percent_digit_names += is_percent_digit(names, symbol);
    names->range_changes += space == NAMES_RANGE;
    return symbol;
}

void ptx_names_enter(Names *names)
{
    names->scope++;
}

void ptx_names_leave(Names *names, uint32_t mark)
{
    ASSERT(names->scope && mark && mark <= names->symbol_count);
    names->scope--;
    while (names->symbol_count > mark) {
        const Symbol *symbol = &names->symbols[--names->symbol_count];
        /* the newest of its name */
        ASSERT(names->table.slots[symbol->slot] == names->symbol_count);
        names->table.slots[symbol->slot] = symbol->shadowed;
        names->percent_digit_names -= is_percent_digit(names, symbol);
        names->range_changes += symbol->space == NAMES_RANGE;
    }
}
