/* occurrence.h -- where names stand in the text, as they were bound: kept for editors, where it is
 * asked for. */
#ifndef PTX_IR_OCCURRENCE_H
#define PTX_IR_OCCURRENCE_H

#include "ir/types.h"
#include "support/arena.h"
#include "support/span.h"

#include <stdbool.h>

typedef struct Occurrence {
    Span span;
    uint32_t id;                /* RegId, VarId, FuncId, LabelId; of a range its number */
    FuncId func;                /* that has it; NO_ID: the module */
    uint32_t scope;             /* of a declaration: into OccurrenceLog.scopes */
    uint8_t kind;               /* SymbolKind */
    uint8_t role;               /* Role bits */
    uint8_t type, vector, space;    /* of a range: as in Reg; SPACE_REG, or of its variables */
    uint64_t count;             /* of a range: how many registers */
    bool is_declaration;
    /* no place: register `id` is one of range number `scope` */
    bool is_member;
} Occurrence;

/* A function, or what stands in `{ }`. */
typedef struct ScopeSpan {
    Span span;
    uint32_t outer;             /* scopes[0] is the module */
} ScopeSpan;

typedef struct OccurrenceLog {
    Arena *arena;
    Occurrence *items;
    ScopeSpan *scopes;
    uint32_t count, capacity, scope_count, scope_capacity;
    uint32_t scope;             /* the innermost that is open */
} OccurrenceLog;

#endif
