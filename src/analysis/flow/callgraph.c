#include "analysis/flow/callgraph.h"

#include "support/assert.h"
#include "support/hash.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/span.h"

#include <stdint.h>

typedef struct CallEdge {
    FuncId caller, callee;
} CallEdge;

typedef struct CallgraphBuilder {
    const Module *module;
    Arena *scratch;
    CallNode *nodes;
    FuncId *definition_of;
    HashTable names;            /* 1 + the first function of that name */
    CallEdge *edges;            /* distinct; callers ascend */
    uint32_t edge_count, edge_capacity;
    uint32_t *edge_from;        /* per function: 1 + the last caller found to call it */
    /* per table of a function: 1 + the last function whose table of that id was read */
    uint32_t *table_from;
    bool has_indirect_call;
} CallgraphBuilder;

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct CallgraphName {
    uint32_t unit;
    const char *text;
    uint32_t length;
} CallgraphName;

static bool is_named(const void *owner, uint32_t number, const void *key)
{
    const Module *module = owner;
    const CallgraphName *name = key;
    const Func *func = &module->funcs[number - 1];
    return func->unit == name->unit && ptx_span_length(func->name) == name->length
        && !memcmp(module->text + func->name.begin, name->text, name->length);
}

/* The slot that holds the function of this name, or the free one where it would go. */
static uint32_t *find_slot(const CallgraphBuilder *b, uint32_t unit, const char *name,
                           uint32_t length)
{
    uint32_t hash = (uint32_t)ptx_hash_mix(ptx_hash_bytes(name, length) ^ (uint64_t)unit << 32);
    return ptx_hash_find(&b->names, hash, is_named, b->module,
                         &(CallgraphName){ unit, name, length });
}

static FuncId find_func(const CallgraphBuilder *b, uint32_t unit, const char *name, uint32_t length)
{
    uint32_t *slot = find_slot(b, unit, name, length);
    return *slot ? *slot - 1 : NO_ID;
}

/* Gives each function the first one of its name; that one leads to the definition. */
/* To what is an alias of nothing; in a circle of aliases, to one of them. All on the way get it. */
static void follow_aliases(CallgraphBuilder *b, FuncId id)
{
    FuncId last = id, next;
    for (uint32_t i = 0; b->definition_of[last] != last && i < b->module->func_count; i++)
        last = b->definition_of[last];
    b->definition_of[last] = last;
    for (; b->definition_of[id] != id; id = next) {
        next = b->definition_of[id];
        b->definition_of[id] = last;
    }
}

static void resolve_names(CallgraphBuilder *b)
{
    const Module *m = b->module;
    FuncId *first = ptx_arena_array(b->scratch, FuncId, m->func_count);
    for (FuncId id = 0; id < m->func_count; id++) {
        Span name = m->funcs[id].name;
        first[id] = b->definition_of[id] = id;
        if (!ptx_span_length(name))
            continue;                           /* lost to a syntax error: a function of its own */
        uint32_t *slot = find_slot(b, m->funcs[id].unit, m->text + name.begin,
                                   ptx_span_length(name));
        if (!*slot)
            *slot = id + 1;
        first[id] = *slot - 1;
        FuncId *definition = &b->definition_of[first[id]];
        if (m->funcs[id].has_body && !m->funcs[*definition].has_body)
            *definition = id;
    }
    for (FuncId id = 0; id < m->func_count; id++)       /* a second definition stands for itself */
        b->definition_of[id] = m->funcs[id].has_body ? id : b->definition_of[first[id]];
    for (FuncId id = 0; id < m->func_count; id++) {
        uint32_t target = m->funcs[id].alias_of;
        if (target && !m->funcs[id].has_body)
            b->definition_of[id] = b->definition_of[target - 1];
    }
    for (FuncId id = 0; id < m->func_count; id++)
        follow_aliases(b, id);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* call (0), 1, (2), 3: result, callee, arguments, .calltargets or .callprototype */
enum { CALLEE_POSITION = 1 };

FuncId ptx_call_find_callee(const Func *func, const Insn *call)
{
    const Operand *operands = ptx_insn_operands(func, call);
    for (uint32_t i = 0; i < call->operand_count; i++) {
        if (operands[i].position == CALLEE_POSITION && operands[i].kind == OPERAND_FUNCTION)
            return operands[i].id;
    }
    return NO_ID;
}

static void add_call(CallgraphBuilder *b, FuncId caller, FuncId callee)
{
    if (callee >= b->module->func_count)
        /* a .branchtargets where .calltargets should be holds labels */
        return;
    callee = b->definition_of[callee];
    if (b->edge_from[callee] == caller + 1)
        return;
    b->edge_from[callee] = caller + 1;
    b->nodes[caller].callee_count++;
    b->nodes[caller].is_recursive |= caller == callee;
    b->nodes[callee].is_called = true;
    if (b->edge_count == b->edge_capacity)
        b->edges = ptx_arena_grow(b->scratch, b->edges, b->edge_count, &b->edge_capacity,
                                  sizeof *b->edges);
    b->edges[b->edge_count++] = (CallEdge){ caller, callee };
}

static void add_indirect_call(CallgraphBuilder *b, FuncId caller, const Operand *targets)
{
    const Func *func = &b->module->funcs[caller];
    uint32_t id = targets && targets->id < func->label_count ? func->labels[targets->id].table
                                                             : NO_ID;
    if (id >= func->table_count) {
        b->nodes[caller].has_indirect_call = b->has_indirect_call = true;
        return;
    }
    if (b->table_from[id] == caller + 1)        /* many calls may share a long table */
        return;
    b->table_from[id] = caller + 1;
    for (uint32_t i = 0; i < func->tables[id].count; i++)
        add_call(b, caller, func->table_ids[func->tables[id].first + i]);
}

static void take_address(CallgraphBuilder *b, FuncId func)
{
    if (func < b->module->func_count)
        b->nodes[b->definition_of[func]].is_address_taken = true;
}

/* Arithmetic and loads have no function among their operands. */
static bool may_name_function(const Op *op)
{
    return op->insn_class == CLASS_MOVE || op->insn_class == CLASS_CONTROL
           || op->insn_class == CLASS_OTHER || op->insn_class == CLASS_NONE
           || (op->flags & (OPF_STORE | OPF_UNKNOWN));
}

static void add_insn(CallgraphBuilder *b, FuncId caller, const Insn *insn)
{
    if (!may_name_function(insn->op))
        return;
    const Func *func = &b->module->funcs[caller];
    const Operand *operands = ptx_insn_operands(func, insn), *targets = NULL;
    bool is_call = insn->op->kind == OPK_CALL;
    FuncId callee = NO_ID;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (operands[i].kind == OPERAND_TARGET)
            targets = &operands[i];
        else if (operands[i].kind != OPERAND_FUNCTION)
            continue;
        else if (is_call && operands[i].position == CALLEE_POSITION)
            callee = operands[i].id;
        else
            take_address(b, operands[i].id);
    }
    if (callee != NO_ID)
        add_call(b, caller, callee);
    else if (is_call)
        add_indirect_call(b, caller, targets);
}

static void add_calls(CallgraphBuilder *b)
{
    const Module *m = b->module;
    uint32_t most_tables = 0;
    for (FuncId id = 0; id < m->func_count; id++)
        most_tables = m->funcs[id].table_count > most_tables ? m->funcs[id].table_count
                                                             : most_tables;
    b->edge_from = ptx_arena_array(b->scratch, uint32_t, m->func_count);
    b->table_from = ptx_arena_array(b->scratch, uint32_t, most_tables);
    for (FuncId id = 0; id < m->func_count; id++) {
        if (b->definition_of[id] != id || !m->funcs[id].has_calls)
            /* a declaration; or a second definition, which is diagnosed; or a leaf */
            continue;
        for (InsnId i = 0; i < m->funcs[id].insn_count; i++)
            add_insn(b, id, &m->funcs[id].insns[i]);
    }
}

/* ---- initialisers ---------------------------------------------------------------------------- */

enum { CHAR_OTHER, CHAR_DIGIT, CHAR_WORD };

static int char_kind(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%')
        return CHAR_WORD;
    return c >= '0' && c <= '9' ? CHAR_DIGIT : CHAR_OTHER;
}

/* Takes the address of every function whose name stands in an initialiser. The text is all that is
 * kept of those; a name in a comment counts too, and what is taken without need costs a caller
 * precision, not soundness. */
static void scan_initialiser(CallgraphBuilder *b, uint32_t unit, Span init)
{
    if (!ptx_span_length(init))
        return;
    const char *at = b->module->text + init.begin, *end = b->module->text + init.end;
    while (at < end) {
        int kind = char_kind(*at);
        const char *word = at++;
        if (kind == CHAR_OTHER)
            continue;
        while (at < end && char_kind(*at) != CHAR_OTHER)
            at++;
        FuncId func = kind == CHAR_WORD ? find_func(b, unit, word, (uint32_t)(at - word)) : NO_ID;
        if (func != NO_ID)
            take_address(b, func);
    }
}

static void scan_initialisers(CallgraphBuilder *b)
{
    for (VarId id = 0; id < b->module->var_count; id++)
        scan_initialiser(b, b->module->vars[id].unit, b->module->vars[id].init);
}

/* ---- callees --------------------------------------------------------------------------------- */

/* Sorts the edges by callee, then hands them out to the callers: each gets its callees in ascending
 * order. */
static FuncId *build_callees(CallgraphBuilder *b, Arena *arena)
{
    uint32_t func_count = b->module->func_count, first = 0;
    FuncId *callees = ptx_arena_array(arena, FuncId, b->edge_count);
    uint32_t *end = ptx_arena_array(b->scratch, uint32_t, (size_t)func_count + 1);
    CallEdge *sorted = ptx_arena_array(b->scratch, CallEdge, b->edge_count);
    for (uint32_t e = 0; e < b->edge_count; e++)
        end[b->edges[e].callee + 1]++;
    for (FuncId id = 0; id < func_count; id++)
        end[id + 1] += end[id];                 /* end[callee]: so far, where its edges begin */
    for (uint32_t e = 0; e < b->edge_count; e++)
        sorted[end[b->edges[e].callee]++] = b->edges[e];
    for (FuncId id = 0; id < func_count; id++) {
        b->nodes[id].callee_first = first;
        first += b->nodes[id].callee_count;
        b->nodes[id].callee_count = 0;
    }
    for (uint32_t e = 0; e < b->edge_count; e++) {
        CallNode *caller = &b->nodes[sorted[e].caller];
        callees[caller->callee_first + caller->callee_count++] = sorted[e].callee;
    }
    return callees;
}

/* ---- recursion ------------------------------------------------------------------------------- */

/* A function; or, as the last one, the calls of unknown target: whoever has one calls it, and it
 * calls every function whose address is taken. */
typedef struct CallgraphVertex {
    uint32_t number, low;       /* from 1; 0: not seen */
    uint32_t next;              /* callees seen so far */
    uint32_t caller;            /* by which the search came */
    bool is_on_stack;
} CallgraphVertex;

typedef struct CallgraphSearch {
    CallNode *nodes;
    const FuncId *callees, *taken;
    CallgraphVertex *vertices;
    uint32_t *stack;            /* Tarjan's: of vertices whose component is not complete */
    uint32_t func_count, taken_count, count, depth;
} CallgraphSearch;

static uint32_t next_callee(CallgraphSearch *s, uint32_t x)
{
    uint32_t i = s->vertices[x].next++;
    if (x == s->func_count)
        return i < s->taken_count ? s->taken[i] : NO_ID;
    if (i < s->nodes[x].callee_count)
        return s->callees[s->nodes[x].callee_first + i];
    return i == s->nodes[x].callee_count && s->nodes[x].has_indirect_call ? s->func_count : NO_ID;
}

static void enter(CallgraphSearch *s, uint32_t x, uint32_t caller)
{
    s->count++;
    s->vertices[x] = (CallgraphVertex){
        .number = s->count, .low = s->count, .caller = caller, .is_on_stack = true
    };
    s->stack[s->depth++] = x;
}

/* Takes the component that x is the root of from the stack. More than one vertex: each of them
 * reaches itself. */
static void complete_component(CallgraphSearch *s, uint32_t x)
{
    bool is_cycle = s->stack[s->depth - 1] != x;
    uint32_t member;
    do {
        member = s->stack[--s->depth];
        s->vertices[member].is_on_stack = false;
        if (is_cycle && member != s->func_count)
            s->nodes[member].is_recursive = true;
    } while (member != x);
}

static void search_from(CallgraphSearch *s, uint32_t root)
{
    enter(s, root, NO_ID);
    for (uint32_t at = root; at != NO_ID;) {
        CallgraphVertex *v = &s->vertices[at];
        uint32_t to = next_callee(s, at);
        if (to == NO_ID) {
            if (v->low == v->number)
                complete_component(s, at);
            at = v->caller;
            if (at != NO_ID && v->low < s->vertices[at].low)
                s->vertices[at].low = v->low;
        } else if (!s->vertices[to].number) {
            enter(s, to, at);
            at = to;
        } else if (s->vertices[to].is_on_stack && s->vertices[to].number < v->low) {
            v->low = s->vertices[to].number;
        }
    }
}

static void find_recursion(CallgraphBuilder *b, const FuncId *callees)
{
    uint32_t func_count = b->module->func_count;
    CallgraphSearch s = { .nodes = b->nodes, .callees = callees, .func_count = func_count };
    FuncId *taken = ptx_arena_array(b->scratch, FuncId, func_count);
    for (FuncId id = 0; id < func_count; id++) {
        if (b->nodes[id].is_address_taken)
            taken[s.taken_count++] = id;
    }
    s.taken = taken;
    s.vertices = ptx_arena_array(b->scratch, CallgraphVertex, (size_t)func_count + 1);
    s.stack = ptx_arena_array(b->scratch, uint32_t, (size_t)func_count + 1);
    for (FuncId id = 0; id < func_count; id++) {
        if (!s.vertices[id].number)
            search_from(&s, id);
    }
}

/* ---------------------------------------------------------------------------------------------- */

/* A definition is its own, and callees are definitions in ascending order. */
static bool is_resolved(const CallgraphBuilder *b, const FuncId *callees)
{
    for (FuncId id = 0; id < b->module->func_count; id++) {
        const CallNode *node = &b->nodes[id];
        if (b->definition_of[b->definition_of[id]] != b->definition_of[id])
            return false;
        for (uint32_t c = 0; c < node->callee_count; c++)
            if (callees[node->callee_first + c] >= b->module->func_count
                || (c && callees[node->callee_first + c] <= callees[node->callee_first + c - 1]))
                return false;
    }
    return true;
}

const CallGraph *ptx_callgraph_build(Arena *arena, Arena *scratch, const Module *module)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    CallGraph *graph = ptx_arena_new(arena, CallGraph);
    CallgraphBuilder b = { .module = module, .scratch = scratch };
    ptx_hash_init(&b.names, scratch, module->func_count);
    b.nodes = ptx_arena_array(arena, CallNode, module->func_count);
    b.definition_of = ptx_arena_array(arena, FuncId, module->func_count);
    resolve_names(&b);
    add_calls(&b);
    scan_initialisers(&b);
    FuncId *callees = build_callees(&b, arena);
    ASSERT(is_resolved(&b, callees));
    for (FuncId id = 0; id < module->func_count; id++)
        b.nodes[id].is_called |= b.has_indirect_call && b.nodes[id].is_address_taken;
    find_recursion(&b, callees);
    *graph = (CallGraph){ .nodes = b.nodes, .callees = callees, .definition_of = b.definition_of };
    ptx_arena_release(scratch, mark);
    return graph;
}
