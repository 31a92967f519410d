#include "analysis/redundancy/mod_ref.h"

#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "ir/module.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/value/points_to.h"
#include "ir/insn.h"
#include "ir/types.h"

#include <stdbool.h>

enum { MAX_CHAIN = 32, ARGUMENT_POSITION = 2 };

typedef enum ModRefState { STATE_NEW, STATE_BUSY, STATE_DONE } ModRefState;

/* Of a function. */
typedef struct ModRefWritten {
    uint8_t state;              /* State */
    bool is_anywhere;
    /* per parameter: it writes through what that holds; NULL: through none */
    bool *params;
} ModRefWritten;

struct Writers {
    Arena *arena;
    const Module *module;
    const CallGraph *calls;
    ModRefWritten *funcs;
};

/* What is stored, before a call, to a variable that is passed. */
typedef struct ModRefPassed {
    PointsTo base;
    uint8_t store_count;        /* up to 2 */
} ModRefPassed;

typedef struct ModRefReader {
    Writers *writers;
    Arena *scratch;
    const Module *module;
    const Func *func;
    const PointsToSet *bases;
    ModRefWritten *written;
    VarId first_var, end_var;   /* that calls may be passed */
    ModRefPassed *passed;
    unsigned chain;             /* calls that may still be followed */
} ModRefReader;

Writers *ptx_writers_new(Arena *arena, const Module *module, const CallGraph *calls)
{
    Writers *w = ptx_arena_new(arena, Writers);
    *w = (Writers){ .arena = arena,
                    .module = module,
                    .calls = calls,
                    .funcs = ptx_arena_array(arena, ModRefWritten,
                                             module->func_count + (size_t)1) };
    return w;
}

/* ---- what is written through ----------------------------------------------------------------- */

static bool find_param(const Func *func, const PointsTo *base, uint32_t *param)
{
    uint32_t first = 0;
    while (first < func->param_count && func->params[first] == NO_ID)
        first++;
    if (base->kind != BASE_PARAM || first == func->param_count || base->id < func->params[first])
        return false;
    /* they lie side by side, but for those in registers */
    *param = first + (base->id - func->params[first]);
    return *param < func->param_count && func->params[*param] == base->id;
}

static void write_anywhere(const ModRefReader *r)
{
    r->written->is_anywhere = true;
}

static void write_through(const ModRefReader *r, const PointsTo *base)
{
    uint32_t param;
    bool is_global = base->kind == BASE_VAR
                     && ptx_effect_memory((Space)r->module->vars[base->id].space) & MEMORY_GLOBAL;
    if (base->kind == BASE_VAR && !is_global)
        return;
    /* a parameter may point to a variable of the module */
    if (!find_param(r->func, base, &param)) {
        write_anywhere(r);
        return;
    }
    if (!r->written->params)
        r->written->params = ptx_arena_array(r->writers->arena, bool, r->func->param_count);
    r->written->params[param] = true;
}

static void write_at(const ModRefReader *r, const Insn *insn)
{
    PointsTo base;
    if (!(ptx_effect_memory((Space)insn->op->space) & MEMORY_GLOBAL))
        return;
    if (ptx_points_to_of_access(r->bases, r->module, r->func, insn, &base))
        write_through(r, &base);
    else
        write_anywhere(r);
}

/* The space named first is where a copy writes. */
static bool copies_to_shared(const Op *op)
{
    return op->space_count && ptx_effect_memory((Space)op->spaces[0]) == MEMORY_SHARED;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_passed(const ModRefReader *r, const Operand *operand)
{
    return operand->kind == OPERAND_VAR && operand->id >= r->first_var && operand->id < r->end_var;
}

/* A store to a variable of the function in parameter space; NULL: it is something else. */
static const Operand *argument_of(const Func *func, const Module *module, const Insn *insn)
{
    const Operand *place = insn->op->kind == OPK_ST ? ptx_effect_address(func, insn) : NULL;
    bool is_argument = place && place->kind == OPERAND_VAR
                       && ptx_effect_memory((Space)module->vars[place->id].space) == 0;
    return is_argument && !module->vars[place->id].is_parameter ? place : NULL;
}

static void note_argument(const ModRefReader *r, const Insn *insn, const Operand *place)
{
    const Operand *operands = ptx_insn_operands(r->func, insn);
    ModRefPassed *passed = &r->passed[place->id - r->first_var];
    unsigned bits = r->module->address_size;
    bool is_whole = insn->operand_count == 2 && insn->guard == NO_ID && !ptx_operand_value(place)
                    && insn->op->vector <= 1 && ptx_type_info[insn->op->type].bits == bits
                    && r->module->vars[place->id].bytes * 8 == bits;
    passed->store_count = passed->store_count || !is_whole ? 2 : 1;
    passed->base = ptx_points_to_of_operand(r->bases, r->module, r->func, &operands[1]);
}

static void find_passed(ModRefReader *r)
{
    r->first_var = NO_ID;
    for (InsnId i = 0; r->func->has_calls && i < r->func->insn_count; i++) {
        const Operand *place = argument_of(r->func, r->module, &r->func->insns[i]);
        if (place && place->id < r->first_var)
            r->first_var = place->id;
        if (place && place->id >= r->end_var)
            r->end_var = place->id + 1;
    }
    if (!r->end_var)
        return;
    r->passed = ptx_arena_array(r->scratch, ModRefPassed, r->end_var - r->first_var);
    for (InsnId i = 0; i < r->func->insn_count; i++) {
        const Operand *place = argument_of(r->func, r->module, &r->func->insns[i]);
        if (place)
            note_argument(r, &r->func->insns[i], place);
    }
}

/* What a call passes where the callee writes through it. */
static void write_argument(const ModRefReader *r, const Operand *operand)
{
    PointsTo base = ptx_points_to_of_operand(r->bases, r->module, r->func, operand);
    if (is_passed(r, operand)) {
        const ModRefPassed *passed = &r->passed[operand->id - r->first_var];
        base = passed->store_count == 1 ? passed->base : (PointsTo){ .kind = BASE_UNKNOWN };
    } else if (operand->kind == OPERAND_VAR) {
        base.kind = BASE_UNKNOWN;           /* nothing was stored there */
    }
    write_through(r, &base);
}

static const ModRefWritten *mod_ref_of(Writers *w, Arena *scratch, FuncId id, unsigned chain);

static void write_by_call(const ModRefReader *r, const Insn *call)
{
    FuncId callee = ptx_call_find_callee(r->func, call);
    const Operand *operands = ptx_insn_operands(r->func, call);
    uint32_t param = 0;
    const ModRefWritten *written =
        callee < r->module->func_count && r->chain ? mod_ref_of(
            r->writers, r->scratch, r->writers->calls->definition_of[callee], r->chain - 1)
                                                   : NULL;
    if (!written || written->is_anywhere) {
        write_anywhere(r);
        return;
    }
    const Func *func = &r->module->funcs[r->writers->calls->definition_of[callee]];
    for (uint32_t o = 0; written->params && o < call->operand_count; o++)
        if (operands[o].position == ARGUMENT_POSITION && param < func->param_count
            && written->params[param++])
            write_argument(r, &operands[o]);
    if (written->params && param < func->param_count)
        write_anywhere(r);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void read_insn(const ModRefReader *r, const Insn *insn)
{
    const Op *op = insn->op;
    if (op->flags & OPF_UNKNOWN || op->family == OP_GRIDDEPCONTROL)
        write_anywhere(r);
    else if (op->kind == OPK_CALL)
        write_by_call(r, insn);
    else if (op->kind == OPK_CP_ASYNC)
        return;
    else if (op->flags & OPF_STORE)
        write_at(r, insn);
    else if (!(op->flags & OPF_LOAD) && op->insn_class != CLASS_BARRIER && ptx_effect_writes(op)
             && !copies_to_shared(op))
        write_anywhere(r);
}

/* cfg: of what is reachable; NULL: all is. */
static void read_func(Writers *w, Arena *scratch, const Func *func, const Cfg *cfg,
                      const PointsToSet *bases, unsigned chain)
{
    ModRefWritten *written = &w->funcs[func - w->module->funcs];
    ModRefReader r = { .writers = w,
                       .scratch = scratch,
                       .module = w->module,
                       .func = func,
                       .bases = bases,
                       .written = written,
                       .chain = chain };
    written->is_anywhere = !func->has_body || func->has_syntax_error || func->has_unknown;
    if (!written->is_anywhere)
        find_passed(&r);
    for (InsnId i = 0; i < func->insn_count && !written->is_anywhere; i++)
        if (!cfg || ptx_block_is_reachable(cfg, cfg->block_of[i]))
            read_insn(&r, &func->insns[i]);
}

/* NULL: it is being looked at, so that it calls itself. */
static const ModRefWritten *mod_ref_of(Writers *w, Arena *scratch, FuncId id, unsigned chain)
{
    ModRefWritten *written = &w->funcs[id];
    const Func *func = &w->module->funcs[id];
    if (written->state == STATE_BUSY || func->is_entry)
        return NULL;
    if (written->state == STATE_DONE)
        return written;
    ArenaMark mark = ptx_arena_mark(scratch);
    written->state = STATE_BUSY;
    read_func(w, scratch, func, NULL,
              ptx_points_to_sets_of_callee_compute(scratch, w->arena, w->module, func), chain);
    written->state = STATE_DONE;
    ptx_arena_release(scratch, mark);
    return written;
}

/* ---- loads of what is only read -------------------------------------------------------------- */

static bool is_read_only(const Writers *w, const Func *func, const PointsToSet *bases,
                         const Insn *insn)
{
    const ModRefWritten *written = &w->funcs[func - w->module->funcs];
    uint32_t param;
    PointsTo base;
    return insn->op->kind == OPK_LD && insn->op->space == SPACE_GLOBAL
           && ptx_effect_is_plain(insn->op)
           && ptx_points_to_of_access(bases, w->module, func, insn, &base)
           && find_param(func, &base, &param) && !(written->params && written->params[param]);
}

static bool reads_global(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (func->insns[i].op->kind == OPK_LD && func->insns[i].op->space == SPACE_GLOBAL)
            return true;
    return false;
}

const bool *ptx_read_only_params_compute(Arena *arena, Arena *scratch, Writers *writers,
                                         const Func *func, const Cfg *cfg, const PointsToSet *bases)
{
    bool *out = ptx_arena_array(arena, bool, func->insn_count + 1);
    const ModRefWritten *written = &writers->funcs[func - writers->module->funcs];
    if (!func->is_entry || !func->param_count || cfg->has_unknown_target || !reads_global(func))
        return out;
    ArenaMark mark = ptx_arena_mark(scratch);
    read_func(writers, scratch, func, cfg, bases, MAX_CHAIN);
    for (InsnId i = 0; i < func->insn_count && !written->is_anywhere; i++)
        out[i] = is_read_only(writers, func, bases, &func->insns[i]);
    ptx_arena_release(scratch, mark);
    return out;
}
