#include "analysis/redundancy/usage.h"

#include "analysis/value/points_to.h"
#include "support/hash.h"
#include "support/words.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/module.h"

/* bits */
typedef enum Effect { EFFECT_NONE = 0, EFFECT_READ = 1, EFFECT_WRITE = 2, EFFECT_ANY = 3 } Effect;

static void mark_var(const UsageMarks *m, VarId var, Effect effect)
{
    m->is_read[var] |= (effect & EFFECT_READ) != 0;
    m->is_written[var] |= (effect & EFFECT_WRITE) != 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_tex_read(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_TEX: case OP_TLD4: case OP_SULD: case OP_TXQ: case OP_SUQ:
        return true;
    default:
        return false;
    }
}

/* What an instruction does at an address that it is given in brackets; first: of all its addresses.
 * Barriers in memory, bulk copies, tensor maps: anything. */
static Effect effect_at(const Op *op, bool first)
{
    if (op->flags & OPF_UNKNOWN)
        return EFFECT_ANY;
    switch (op->kind) {
    case OPK_LD: case OPK_LDMATRIX:
        return first ? EFFECT_READ : EFFECT_ANY;
    case OPK_ST: case OPK_STMATRIX:
        return first ? EFFECT_WRITE : EFFECT_ANY;
    case OPK_CP_ASYNC:
        return first ? EFFECT_WRITE : EFFECT_READ;
    default:
        break;
    }
    if (op->family == OP_WMMA && first)
        return op->flags & OPF_STORE ? EFFECT_WRITE : EFFECT_READ;
    return is_tex_read(op) ? EFFECT_READ : EFFECT_ANY;
}

/* Whether the instruction's result is the address of var too, so that its uses are seen in their
 * turn. */
static bool is_carried_on(const PointsToSet *bases, const Func *func, InsnId id, VarId var)
{
    const Operand *result = ptx_insn_operands(func, &func->insns[id]);
    bool is_result = result->kind == OPERAND_REG && result->role & ROLE_DEF
                     && bases->def[result->id] == id;
    return is_result && bases->regs[result->id].kind == BASE_VAR
           && bases->regs[result->id].id == var;
}

/* The variable that it names, or whose address it uses; NO_ID: none. */
static VarId operand_variable(const PointsToSet *bases, const Operand *operand)
{
    if (operand->kind == OPERAND_VAR)
        return operand->id;
    bool uses_address = operand->kind == OPERAND_REG && operand->role & ROLE_USE
                        && bases->regs[operand->id].kind == BASE_VAR;
    return uses_address ? bases->regs[operand->id].id : NO_ID;
}

static void take_insn(const UsageMarks *m, const PointsToSet *bases, const Func *func, InsnId id)
{
    const Insn *insn = &func->insns[id];
    const Operand *operands = ptx_insn_operands(func, insn);
    bool first = true;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const Operand *operand = &operands[o];
        const VarId var = operand_variable(bases, operand);
        if (operand->kind == OPERAND_VAR)
            m->is_named[var] = true;
        if (var != NO_ID && operand->role & ROLE_ADDRESS)
            mark_var(m, var, effect_at(insn->op, first));
        else if (var != NO_ID && !is_carried_on(bases, func, id, var))
            mark_var(m, var, EFFECT_ANY);
        first &= !(operand->role & ROLE_ADDRESS);
    }
}

/* ---- initialisers ---------------------------------------------------------------------------- */

/* Variables by name; those of one name are a list. */
typedef struct UsageIndex {
    const Module *module;
    HashTable names;            /* VarId + 1 */
    uint32_t *next;             /* per variable: the next of the same name, + 1 */
    bool *is_done;              /* per first variable of a name */
} UsageIndex;

typedef struct UsageName {
    const char *text;
    uint32_t length;
} UsageName;

static bool is_var_named(const void *owner, uint32_t number, const void *key)
{
    const Module *module = owner;
    const UsageName *name = key;
    Span own = module->vars[number - 1].name;
    return ptx_span_length(own) == name->length
           && !memcmp(module->text + own.begin, name->text, name->length);
}

/* The slot of the first variable of this name, or the free one. */
static uint32_t *usage_slot_of(const UsageIndex *index, const char *name, uint32_t length)
{
    return ptx_hash_find(&index->names, ptx_hash_bytes(name, length), is_var_named, index->module,
                         &(UsageName){ name, length });
}

static void index_variables(UsageIndex *index, Arena *scratch, const Module *module)
{
    *index = (UsageIndex){ .module = module,
                           .next = ptx_arena_array(scratch, uint32_t, module->var_count + 1),
                           .is_done = ptx_arena_array(scratch, bool, module->var_count + 1) };
    ptx_hash_init(&index->names, scratch, module->var_count);
    for (VarId var = 0; var < module->var_count; var++) {
        Span name = module->vars[var].name;
        uint32_t *slot = usage_slot_of(index, module->text + name.begin, ptx_span_length(name)),
                 first = *slot;
        if (!first) {
            *slot = var + 1;
        } else {
            index->next[var] = index->next[first - 1];
            index->next[first - 1] = var + 1;
        }
    }
}

/* All of that name, whatever scope they are of: one too many is used rather than one too few. */
static void mark_name(const UsageMarks *m, const UsageIndex *index, const char *name,
                      uint32_t length)
{
    uint32_t first = *usage_slot_of(index, name, length);
    if (!first || index->is_done[first - 1])
        return;
    index->is_done[first - 1] = true;
    for (uint32_t var = first; var; var = index->next[var - 1]) {
        m->is_named[var - 1] = true;
        mark_var(m, var - 1, EFFECT_ANY);
    }
}

static void take_initialiser(const UsageMarks *m, const UsageIndex *index, Span init)
{
    const char *text = m->module->text;
    for (uint32_t at = init.begin, end; at < init.end; at = end) {
        for (end = at; end < init.end && ptx_is_name_byte(text[end]);)
            end++;
        if (end == at)
            end++;
        else if (text[at] < '0' || text[at] > '9')
            mark_name(m, index, text + at, end - at);
    }
}

static bool has_initialisers(const Module *module)
{
    for (VarId var = 0; var < module->var_count; var++)
        if (ptx_span_length(module->vars[var].init))
            return true;
    return false;
}

static void take_initialisers(const UsageMarks *m, Arena *scratch)
{
    UsageIndex index;
    if (!has_initialisers(m->module))
        return;
    index_variables(&index, scratch, m->module);
    for (VarId var = 0; var < m->module->var_count; var++)
        take_initialiser(m, &index, m->module->vars[var].init);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* A function's parameters are the caller's to write, its results the caller's to read. */
static void take_signature(const UsageMarks *m, const Func *func)
{
    for (uint32_t p = 0; p < func->param_count; p++)
        if (func->params[p] != NO_ID)
            mark_var(m, func->params[p], EFFECT_WRITE);
    for (uint32_t p = 0; p < func->result_count; p++)
        if (func->results[p] != NO_ID)
            mark_var(m, func->results[p], EFFECT_READ);
}

/* Most functions name no variable but their parameters: then no address is worth following. */
static bool names_variables(const UsageMarks *m, const Func *func)
{
    for (uint32_t o = 0; o < func->operand_count; o++)
        if (func->operands[o].kind == OPERAND_VAR
            && m->module->vars[func->operands[o].id].space != SPACE_PARAM)
            return true;
    return false;
}

static void name_params(const UsageMarks *m, const Func *func)
{
    for (uint32_t o = 0; o < func->operand_count; o++) {
        if (func->operands[o].kind != OPERAND_VAR)
            continue;
        m->is_named[func->operands[o].id] = true;
        mark_var(m, func->operands[o].id, EFFECT_ANY);
    }
}

UsageMarks *ptx_usage_marks_new(Arena *arena, const Module *module)
{
    const size_t count = (size_t)module->var_count + 1;
    UsageMarks *m = ptx_arena_new(arena, UsageMarks);
    *m = (UsageMarks){ .module = module,
                       .is_named = ptx_arena_array(arena, bool, count),
                       .is_read = ptx_arena_array(arena, bool, count),
                       .is_written = ptx_arena_array(arena, bool, count),
                       .has_func = ptx_arena_array(arena, bool, module->func_count + 1) };
    return m;
}

void ptx_usage_note(UsageMarks *m, FuncId id, const PointsToSet *bases)
{
    const Func *func = &m->module->funcs[id];
    m->has_func[id] = true;
    if (!names_variables(m, func)) {
        name_params(m, func);
        return;
    }
    for (InsnId i = 0; i < func->insn_count; i++)
        take_insn(m, bases, func, i);
}

static void add_marks(bool *to, const bool *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] |= from[i];
}

void ptx_usage_add(UsageMarks *m, const UsageMarks *others)
{
    const uint32_t vars = m->module->var_count;
    add_marks(m->is_named, others->is_named, vars);
    add_marks(m->is_read, others->is_read, vars);
    add_marks(m->is_written, others->is_written, vars);
    add_marks(m->has_func, others->has_func, m->module->func_count);
}

/* The bases lie in arena, the only other one, for as long as they are needed. */
static void take_func(UsageMarks *m, Arena *arena, Arena *scratch, FuncId id)
{
    const Func *func = &m->module->funcs[id];
    const ArenaMark before = ptx_arena_mark(arena);
    const PointsToSet *bases = NULL;
    take_signature(m, func);
    if (m->has_func[id])
        return;
    if (names_variables(m, func))
        bases = ptx_points_to_sets_compute(arena, scratch, m->module, func);
    ptx_usage_note(m, id, bases);
    ptx_arena_release(arena, before);
}

static bool has_syntax_error(const Module *module)
{
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_syntax_error)
            return true;
    return false;
}

const Usage *ptx_usage_compute(Arena *arena, Arena *scratch, UsageMarks *m)
{
    const Module *module = m->module;
    const ArenaMark before = ptx_arena_mark(scratch);
    Usage *usage = ptx_arena_new(arena, Usage);
    for (FuncId f = 0; f < module->func_count; f++)
        take_func(m, arena, scratch, f);
    take_initialisers(m, scratch);
    if (has_syntax_error(module)) {
        memset(m->is_named, true, module->var_count);
        memset(m->is_read, true, module->var_count);
        memset(m->is_written, true, module->var_count);
    }
    *usage = (Usage){ .is_named = m->is_named, .is_read = m->is_read, .is_written = m->is_written };
    ptx_arena_release(scratch, before);
    return usage;
}
