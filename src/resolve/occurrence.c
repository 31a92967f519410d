/* Where names stand: noted while they are bound, for editors. Nothing is noted without a log. */
#include "resolve/lower.h"

#include "ir/occurrence.h"

void ptx_lower_log(Lower *l, OccurrenceLog *log)
{
    l->log = log;
    l->module->occurrences = log;
    log->scopes =
        ptx_arena_grow(log->arena, log->scopes, 0, &log->scope_capacity, sizeof *log->scopes);
    log->scopes[0] = (ScopeSpan){ .span = { 0, l->length } };
    log->scope_count = 1;
}

static Occurrence *add_occurrence(OccurrenceLog *log)
{
    if (log->count == log->capacity)
        log->items =
            ptx_arena_grow(log->arena, log->items, log->count, &log->capacity, sizeof *log->items);
    return &log->items[log->count++];
}

static FuncId owner_of(const Lower *l, SymbolKind kind, uint32_t id)
{
    if (kind == SYMBOL_FUNC)
        return NO_ID;
    if (kind == SYMBOL_RANGE)
        return l->ranges.items[id].owner;
    return kind == SYMBOL_VAR ? l->module->vars[id].func : l->func_id;
}

void ptx_lower_note_declared(Lower *l, SymbolKind kind, uint32_t id, Span span)
{
    if (l->log)
        *add_occurrence(l->log) = (Occurrence){ .span = span,
                                                .id = id,
                                                .func = owner_of(l, kind, id),
                                                .kind = (uint8_t)kind,
                                                .is_declaration = true,
                                                .scope = l->log->scope };
    if (l->log && kind == SYMBOL_RANGE) {
        const Range *range = &l->ranges.items[id];
        Occurrence *noted = &l->log->items[l->log->count - 1];
        noted->count = range->count;
        noted->type = range->type;
        noted->vector = range->vector;
        noted->space = range->space;
    }
}

void ptx_lower_note_use(Lower *l, SymbolKind kind, uint32_t id, Span span)
{
    if (l->log)
        *add_occurrence(l->log) = (Occurrence){ .span = span,
                                                .id = id,
                                                .func = owner_of(l, kind, id),
                                                .kind = (uint8_t)kind,
                                                .role = ROLE_USE };
}

void ptx_lower_note_member(Lower *l, uint32_t range, RegId reg)
{
    if (l->log)
        *add_occurrence(l->log) = (Occurrence){
            .id = reg, .func = l->func_id, .kind = SYMBOL_REG, .scope = range, .is_member = true
        };
}

void ptx_lower_note_role(Lower *l, const BoundOperand *operand, unsigned role)
{
    bool is_named = operand->kind == OPERAND_REG || operand->kind == OPERAND_VAR
                    || operand->kind == OPERAND_FUNCTION;
    if (l->log && is_named && l->log->count)
        l->log->items[l->log->count - 1].role = (uint8_t)role;
}

void ptx_lower_enter_span(Lower *l, Span span)
{
    OccurrenceLog *log = l->log;
    if (!log)
        return;
    if (log->scope_count == log->scope_capacity)
        log->scopes = ptx_arena_grow(log->arena, log->scopes, log->scope_count,
                                     &log->scope_capacity, sizeof *log->scopes);
    log->scopes[log->scope_count] = (ScopeSpan){ span, log->scope };
    log->scope = log->scope_count++;
}

void ptx_lower_leave_span(Lower *l, uint32_t end)
{
    if (!l->log || !l->log->scope)
        return;
    ScopeSpan *scope = &l->log->scopes[l->log->scope];
    scope->span.end = ptx_u32_min(ptx_u32_max(end, scope->span.begin), scope->span.end);
    l->log->scope = scope->outer;
}
