/* names.h -- the scoped symbol table that lowering binds names with.
 *
 * Two namespaces: labels, and everything else (PTX lets a label share a register's or function's
 * name). A range declaration `%r<100>` is entered under its stem. Scopes nest with `{ }`; leaving
 * one undoes its declarations. */
#ifndef PTX_IR_NAMES_H
#define PTX_IR_NAMES_H

#include "support/arena.h"
#include "support/hash.h"
#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum Namespace { NAMES_ORDINARY, NAMES_RANGE, NAMES_LABEL } Namespace;

typedef enum SymbolKind {
    SYMBOL_NONE,
    SYMBOL_REG,
    SYMBOL_RANGE,
    SYMBOL_VAR,
    SYMBOL_FUNC,
    SYMBOL_LABEL,
    SYMBOL_UNDECLARED
} SymbolKind;

typedef struct Symbol {
    Span name;
    uint32_t hash;
    uint32_t id;                /* RegId, VarId, FuncId, LabelId, or index of the range */
    uint32_t shadowed;          /* symbol of the same name outside; 0: none */
    uint32_t slot;
    uint32_t scope;             /* depth: 0 module, 1 function */
    uint8_t kind, space;        /* SymbolKind, Namespace */
} Symbol;

typedef struct Names {
    Arena *arena;
    const char *text;           /* of the module; names are spans of it */
    Symbol *symbols;            /* a stack; symbols[0] is none */
    HashTable table;            /* into symbols: the newest of each name */
    uint32_t symbol_count, symbol_capacity;
    uint32_t scope;
    /* counts what is declared and undone of NAMES_RANGE: what was found stays true while it stands
     * */
    uint32_t range_changes;
    /* live single declarations like %r12: without any, a range is all to look for */
    uint32_t percent_digit_names;
} Names;

void ptx_names_init(Names *names, Arena *arena, const char *text);

/* NULL where nothing of that name is in scope. */
Symbol *ptx_names_find(const Names *names, Namespace space, const char *name, size_t length);

/* Declares in the current scope. Returns the symbol; *earlier is the declaration of that name in
 * the same scope, else NULL. */
Symbol *ptx_names_declare(Names *names, Namespace space, SymbolKind kind, Span name, uint32_t id,
                          Symbol **earlier);

void ptx_names_enter(Names *names);

/* Undoes every declaration back to mark, a symbol_count taken before ptx_names_enter. */
void ptx_names_leave(Names *names, uint32_t mark);

#endif
